#include "launch/recipe.h"

#include "base/buf.h"
#include "base/text.h"

enum { WORD_MAX = 1 << 20 };

/* --- what is asked of it --- */

static bool is_commit(const char *text)
{
	size_t n = text ? strlen(text) : 0;

	for (size_t i = 0; i < n; i++)
		if (!ts_is_digit((uint8_t)text[i]) && (text[i] < 'a' || text[i] > 'f'))
			return false;
	return n == 40 || n == 64;
}

/* Whether a path leads to something below where it begins, by its words alone. */
static bool stays_below(const char *path)
{
	if (path[0] == '/')
		return false;
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.')
			return false;
		if (n == 4 && strncmp(path, ".git", 4) == 0)
			return false;
		path += n;
		path += *path == '/';
	}
	return true;
}

static bool is_name(const char *name)
{
	if (!name || ts_is_digit((uint8_t)name[0]))
		return false;
	for (size_t i = 0; name[i]; i++)
		if (!ts_is_alnum((uint8_t)name[i]) && name[i] != '_')
			return false;
	return name[0] != '\0';
}

static bool are_steps(struct ts_recipe_steps steps)
{
	return steps.first >= 0 && steps.n >= 0 && steps.n <= INT64_MAX - steps.first;
}

static size_t count(const char *const *words)
{
	size_t n = 0;

	while (words && words[n])
		n++;
	return n;
}

enum ts_status ts_recipe_check(const struct ts_recipe *recipe, struct ts_error *err)
{
	if (!count(recipe->argv) || !recipe->argv[0][0])
		return ts_error_set(err, TS_INVALID, "a recipe has no command");
	if (count(recipe->argv) + count(recipe->launcher) > TS_RECIPE_WORDS || recipe->n_variables > TS_RECIPE_VARIABLES ||
	    recipe->n_slots > TS_RECIPE_VARIABLES || count(recipe->files) > TS_RECIPE_VARIABLES || recipe->patch.len > TS_RECIPE_PATCH)
		return ts_error_set(err, TS_TOO_LARGE,
				    "a recipe takes at most %d words, %d variables, slots and files, and a patch of %d MiB",
				    TS_RECIPE_WORDS, TS_RECIPE_VARIABLES, TS_RECIPE_PATCH >> 20);
	if (!is_commit(recipe->commit))
		return ts_error_set(err, TS_INVALID, "a recipe's commit is 40 or 64 hexadecimal digits");
	if (recipe->directory && !stays_below(recipe->directory))
		return ts_error_set(err, TS_INVALID, "the directory %s of a recipe leads out of the clone", recipe->directory);
	for (size_t i = 0; recipe->files && recipe->files[i]; i++)
		if (!recipe->files[i][0] || !stays_below(recipe->files[i]))
			return ts_error_set(err, TS_INVALID, "the file %s of a recipe lies outside of the clone", recipe->files[i]);
	if (!recipe->folder || recipe->folder[0] != '/')
		return ts_error_set(err, TS_INVALID, "the folder of a recipe is an absolute path");
	if (!are_steps(recipe->watch) || !are_steps(recipe->operations) || (recipe->stops && recipe->stop < 0))
		return ts_error_set(err, TS_INVALID, "the steps of a recipe are counted from 0 on");
	for (size_t i = 0; i < recipe->n_variables; i++)
		if (!is_name(recipe->variables[i].name))
			return ts_error_set(err, TS_INVALID, "a recipe sets a variable that has no proper name");
	for (size_t i = 0; i < recipe->n_slots; i++)
		if (!recipe->slots[i].name || !recipe->slots[i].name[0] || !recipe->slots[i].value)
			return ts_error_set(err, TS_INVALID, "a slot of a recipe has no name or no value");
	return TS_OK;
}

/* --- words --- */

/* The slot whose {NAME} stands at the beginning of text; NULL: none does. */
static const struct ts_recipe_pair *slot_at(const struct ts_recipe *recipe, const char *text)
{
	for (size_t i = 0; i < recipe->n_slots; i++) {
		size_t n = strlen(recipe->slots[i].name);

		if (text[0] == '{' && strncmp(text + 1, recipe->slots[i].name, n) == 0 && text[1 + n] == '}')
			return &recipe->slots[i];
	}
	return NULL;
}

static const char *filled(const struct ts_recipe *recipe, const char *word, struct ts_arena *arena)
{
	struct ts_buf out = TS_BUF_INIT(WORD_MAX);
	struct ts_span copy = {NULL, 0};

	while (*word) {
		const struct ts_recipe_pair *slot = slot_at(recipe, word);

		if (slot)
			ts_buf_str(&out, slot->value);
		else
			ts_buf_char(&out, *word);
		word += slot ? strlen(slot->name) + 2 : 1;
	}
	ts_buf_char(&out, '\0');
	if (!out.failed)
		copy = ts_arena_span(arena, ts_buf_view(&out));
	ts_buf_finish(&out);
	return (const char *)copy.data;
}

enum ts_status ts_recipe_words(const struct ts_recipe *recipe, struct ts_arena *arena, const char *const **ret_words,
			       struct ts_error *err)
{
	size_t first = count(recipe->launcher), n = count(recipe->argv);
	const char **words = ts_arena_array(arena, first + n + 1, sizeof *words);

	if (!words)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < first; i++)
		words[i] = recipe->launcher[i];
	for (size_t i = 0; i < n; i++) {
		words[first + i] = filled(recipe, recipe->argv[i], arena);
		if (!words[first + i])
			return arena->failed ? ts_arena_error(arena, err)
					     : ts_error_set(err, TS_TOO_LARGE, "a word of a recipe has more than %d bytes", WORD_MAX);
	}
	words[first + n] = NULL;
	*ret_words = words;
	return TS_OK;
}

/* --- environment --- */

static bool same_name(const char *variable, const char *name)
{
	size_t n = strlen(name);

	return strncmp(variable, name, n) == 0 && variable[n] == '=';
}

/* What the recorder is asked for is said by the recipe alone; the others would name another folder or repository than the run's. */
static bool is_asked(const char *variable)
{
	static const char *const names[] = {
		"TSCOPE_DIRECTORY", "TSCOPE_STOP", "TSCOPE_WATCH", "TSCOPE_OPERATIONS", "TSCOPE_INPUTS", "TSCOPE_RUNNER",
		"TSCOPE_RECIPE", "TSCOPE_VARIABLES", "PWD", "OLDPWD", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (same_name(variable, names[i]))
			return true;
	return false;
}

static bool replaced(const struct ts_recipe *recipe, const char *variable)
{
	for (size_t i = 0; i < recipe->n_variables; i++)
		if (same_name(variable, recipe->variables[i].name))
			return true;
	return is_asked(variable);
}

static const char *steps_text(struct ts_arena *arena, const char *name, struct ts_recipe_steps steps, const char *of)
{
	return ts_arena_printf(arena, "%s=%" PRId64 "-%" PRId64 "%s", name, steps.first, steps.first + steps.n - 1, of);
}

/* What the recipe itself sets: its variables, and what the recorder is asked for. */
static enum ts_status sets_of(const struct ts_recipe *recipe, struct ts_arena *arena, const char *const **ret_variables,
			      struct ts_error *err)
{
	enum { ASKED = 4 };
	const char **variables = ts_arena_array(arena, recipe->n_variables + ASKED + 1, sizeof *variables);
	size_t n = 0;

	if (!variables)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < recipe->n_variables; i++)
		if (recipe->variables[i].value)
			variables[n++] = ts_arena_printf(arena, "%s=%s", recipe->variables[i].name, recipe->variables[i].value);
	variables[n++] = ts_arena_printf(arena, "TSCOPE_DIRECTORY=%s", recipe->folder);
	if (recipe->stops)
		variables[n++] = ts_arena_printf(arena, "TSCOPE_STOP=%" PRId64, recipe->stop);
	if (recipe->watch.n)
		variables[n++] = steps_text(arena, "TSCOPE_WATCH", recipe->watch, "");
	if (recipe->operations.n)
		variables[n++] = steps_text(arena, "TSCOPE_OPERATIONS", recipe->operations, recipe->aten ? ":aten" : "");
	variables[n] = NULL;
	if (ts_arena_check(arena, err))
		return err->status;
	*ret_variables = variables;
	return TS_OK;
}

enum ts_status ts_recipe_environment(const struct ts_recipe *recipe, const char *const *from, struct ts_arena *arena,
				     const char *const **ret_variables, size_t *ret_inherited, struct ts_error *err)
{
	size_t n_from = recipe->bare ? 0 : count(from), n = 0, inherited;
	const char *const *sets = NULL, **variables;

	if (sets_of(recipe, arena, &sets, err))
		return err->status;
	variables = ts_arena_array(arena, n_from + count(sets) + 1, sizeof *variables);
	if (!variables)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n_from; i++)
		if (!replaced(recipe, from[i]))
			variables[n++] = from[i];
	inherited = n;
	for (size_t i = 0; sets[i]; i++)
		variables[n++] = sets[i];
	variables[n] = NULL;
	*ret_variables = variables;
	*ret_inherited = inherited;
	return TS_OK;
}
