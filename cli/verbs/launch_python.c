#include "cli/verbs/launch_python.h"

#include "base/text.h"
#include "ingest/host/spawn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_NS (INT64_C(20) * 1000000000)

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool ts_python_is_script(const char *word)
{
	size_t n = strlen(word);

	return n > 3 && strcmp(word + n - 3, ".py") == 0 && (!strchr(word, '/') || access(word, X_OK) != 0 || access(word, F_OK) != 0);
}

static bool in_path(const char *name, struct ts_arena *arena)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t n = strcspn(path, ":");
		const char *at = ts_arena_printf(arena, "%.*s/%s", (int)n, path, name);

		if (at && access(at, X_OK) == 0)
			return true;
		path += n;
		path += *path == ':';
	}
	return false;
}

const char *ts_python_program(void)
{
	struct ts_arena arena;
	const char *found;

	ts_arena_init(&arena, 1 << 20);
	found = in_path("python3", &arena) ? "python3" : in_path("python", &arena) ? "python" : NULL;
	ts_arena_finish(&arena);
	return found;
}

/* "python", "python3", "python3.12t". */
static bool is_python(const char *word)
{
	const char *at = last_part(word);

	if (strncmp(at, "python", 6) != 0)
		return false;
	for (at += 6; *at && (ts_is_digit((uint8_t)*at) || *at == '.' || *at == 't'); at++)
		;
	return !*at;
}

static bool starts_others(const char *word)
{
	static const char *const names[] = {"srun", "mpirun", "mpiexec", "env", "nice", "numactl", "taskset", "timeout", "stdbuf"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(last_part(word), names[i]) == 0)
			return true;
	return false;
}

/* Goes over the options of python from words[i] on. Returns where its script or -m stands; SIZE_MAX: it runs neither. */
static size_t over_options(const char *const *words, size_t i)
{
	for (; words[i]; i++) {
		const char *word = words[i];

		if (word[0] != '-')
			return i;
		if (strcmp(word, "-m") == 0)
			return words[i + 1] ? i : SIZE_MAX;
		if (!word[1] || strncmp(word, "--", 2) == 0 || strpbrk(word, "cmhV"))
			return SIZE_MAX;
		if (strcmp(word, "-W") == 0 || strcmp(word, "-X") == 0)
			i += words[i + 1] != NULL;
	}
	return SIZE_MAX;
}

/* Where torchrun's script stands: the first word that ends in .py, or its -m. */
static size_t over_torchrun(const char *const *words, size_t i)
{
	size_t n;

	for (; words[i]; i++) {
		n = strlen(words[i]);
		if (strcmp(words[i], "--no-python") == 0 || strcmp(words[i], "--no_python") == 0)
			return SIZE_MAX;
		if (strcmp(words[i], "-m") == 0 || strcmp(words[i], "--module") == 0 || (n > 3 && strcmp(words[i] + n - 3, ".py") == 0))
			return i;
	}
	return SIZE_MAX;
}

/* Finds the python of the command, and where the words of ours belong. SIZE_MAX: nowhere. */
static size_t find(const char *const *words, const char **ret_python)
{
	size_t i = 0, at;

	if (strcmp(last_part(words[0]), "torchrun") == 0) {
		*ret_python = ts_python_program();
		return over_torchrun(words, 1);
	}
	while (starts_others(words[0]) && words[i] && !is_python(words[i]))
		i++;
	if (!words[i] || !is_python(words[i]))
		return SIZE_MAX;
	*ret_python = words[i];
	at = over_options(words, i + 1);
	if (at != SIZE_MAX && strcmp(words[at], "-m") == 0 && strcmp(words[at + 1], "torch.distributed.run") == 0)
		return over_torchrun(words, at + 2);
	return at;
}

bool ts_python_has(const char *python, const char *package)
{
	static const char code[] = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)";
	const char *const words[] = {python, "-c", code, package, NULL};
	struct ts_buf none = TS_BUF_INIT(65536);
	struct ts_error ignored;
	enum ts_status status = ts_spawn_output(words, PATIENCE_NS, &none, &ignored);

	ts_buf_finish(&none);
	return status == TS_OK;
}

enum ts_status ts_python_record(const char *const *words, const char *directory, const char *name, struct ts_arena *arena,
				const char *const **ret_words, const char **ret_why, struct ts_error *err)
{
	const char *python = NULL, **made;
	size_t at = find(words, &python), n = 0, to = 0;
	bool ours;

	*ret_words = words;
	*ret_why = NULL;
	if (at == SIZE_MAX || !python)
		return TS_OK;
	if (!ts_python_has(python, "tscope")) {
		*ret_why = ts_arena_printf(arena, "%s has no package tscope, so the script is started and not recorded", python);
		return *ret_why ? TS_OK : ts_arena_error(arena, err);
	}
	while (words[n])
		n++;
	made = ts_arena_array(arena, n + 8, sizeof *made);
	if (!made)
		return ts_arena_error(arena, err);
	ours = strcmp(words[at], "-m") == 0 && strcmp(words[at + 1], "tscope") == 0; /* it names itself what records it */
	for (size_t i = 0; i < at + (ours ? 2 : 0); i++)
		made[to++] = words[i];
	if (!ours) {
		made[to++] = "-m";
		made[to++] = "tscope";
	}
	made[to++] = "--directory";
	made[to++] = directory;
	if (name) {
		made[to++] = "--name";
		made[to++] = name;
	}
	for (size_t i = at + (ours ? 2 : 0); i < n; i++)
		made[to++] = words[i];
	*ret_words = made;
	return TS_OK;
}
