#include "cli/verbs/again.h"

#include "base/digest.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/verbs/again_words.h"
#include "ingest/facts/redact.h"
#include "run/head.h"

#include <string.h>

enum { FILES_MOST = 1000, VARIABLES_MOST = 512 };

struct reading {
	const struct ts_facts *facts;
	struct ts_arena *arena;
	struct ts_again a;
};

static const struct ts_fact *fact_at(const struct reading *r, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(r->facts, ts_span_str(path));

	return fact && fact->type != TS_FACT_ABSENT ? fact : NULL;
}

static struct ts_span text_at(const struct reading *r, const char *path)
{
	const struct ts_fact *fact = fact_at(r, path);

	return fact && (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_LONG) ? fact->text : ts_span_of(NULL, 0);
}

/* A text as a string; NULL: there is none, or it has a NUL. */
static const char *string_at(struct reading *r, const char *path)
{
	struct ts_span text = text_at(r, path);

	return text.len && !memchr(text.data, 0, text.len) ? ts_arena_printf(r->arena, "%.*s", (int)text.len, (const char *)text.data)
							   : NULL;
}

static void lacks(struct reading *r, const char *what)
{
	if (r->a.n_lacks < TS_AGAIN_LACKS)
		r->a.lacks[r->a.n_lacks++] = what;
}

static void unsure(struct reading *r, const char *what)
{
	if (r->a.n_unsure < TS_AGAIN_LACKS)
		r->a.unsure[r->a.n_unsure++] = what;
}

/* --- command --- */

/* Whether a command starts the ranks of a job by itself: by a launcher, or a module of Python that is one. */
static bool starts_ranks(const char *const *words)
{
	static const char *const names[] = {"torchrun",
					    "srun",
					    "mpirun",
					    "mpiexec",
					    "accelerate",
					    "deepspeed",
					    "torch.distributed.run",
					    "torch.distributed.launch",
					    "accelerate.commands.launch"};
	const char *slash = strrchr(words[0], '/'), *word = slash ? slash + 1 : words[0];

	if (strncmp(word, "python", 6) == 0 && words[1] && words[2] && strcmp(words[1], "-m") == 0)
		word = words[2];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(word, names[i]) == 0)
			return true;
	return false;
}

static void command(struct reading *r, uint32_t ranks)
{
	struct ts_span line = text_at(r, "session.launch.command");

	r->a.launched = line.len > 0;
	if (!line.len)
		line = text_at(r, "session.command");
	r->a.interpreter = string_at(r, "session.interpreter.program");
	if (!line.len) {
		lacks(r, "the command: there is no fact session.command");
		return;
	}
	if (ts_span_contains(line, TS_REDACTED)) {
		lacks(r, "a secret in the command, which was replaced by " TS_REDACTED);
		return;
	}
	r->a.words = ts_again_words(line, r->arena);
	if (!r->a.words)
		lacks(r, "a command without a shell: the recorded line has what only a shell understands");
	else if (ranks > 1 && !starts_ranks(r->a.words))
		lacks(r, "the command that started all ranks, such as torchrun: the recorded one starts one of them");
}

/* --- code --- */

static bool is_commit(const char *text)
{
	size_t n = text ? strspn(text, "0123456789abcdef") : 0;

	return (n == 40 || n == 64) && !text[n];
}

static void code(struct reading *r)
{
	const struct ts_fact *dirty = fact_at(r, "code.dirty");
	struct ts_span digest = text_at(r, "code.patch_sha256");
	const char *working = string_at(r, "session.working_directory");
	char hex[TS_ID_HEX + 1];
	struct ts_id id;

	if (!working)
		working = string_at(r, "session.launch.working_directory");
	r->a.directory = string_at(r, "session.directory");
	r->a.directory = r->a.directory ? r->a.directory : "";
	if (working) {
		size_t n = strlen(working), k = strlen(r->a.directory);

		if (!k)
			r->a.top = working;
		else if (n > k + 1 && strcmp(working + n - k, r->a.directory) == 0)
			r->a.top = ts_arena_printf(r->arena, "%.*s", (int)(n - k - 1), working);
	}
	r->a.commit = string_at(r, "code.commit");
	if (!is_commit(r->a.commit)) {
		r->a.commit = NULL;
		lacks(r, "the code: there is no fact code.commit, so it did not lie in a git repository");
		return;
	}
	if (!digest.len) {
		if (!dirty || dirty->type != TS_FACT_BOOL)
			lacks(r, "whether the code had uncommitted changes: there is no fact code.dirty");
		else if (dirty->boolean)
			lacks(r, "the uncommitted changes: there is no fact code.patch_sha256");
		return;
	}
	r->a.patch = text_at(r, "session.patch");
	if (!r->a.patch.len && fact_at(r, "session.patch"))
		return; /* it is there, and was not loaded */
	if (!r->a.patch.len) {
		lacks(r, "the uncommitted changes: only their digest is recorded");
		return;
	}
	ts_digest(r->a.patch, &id);
	if (!ts_span_is(digest, ts_id_hex(&id, hex)))
		lacks(r, "the uncommitted changes: the digest of session.patch is not code.patch_sha256");
}

/* --- environment --- */

static void environment(struct reading *r)
{
	static const char *const prefixes[] = {"determinism.env.", "session.env."};
	struct ts_recipe_pair *pairs = ts_arena_array(r->arena, VARIABLES_MOST, sizeof *pairs);
	size_t n = 0;

	for (size_t p = 0; pairs && p < sizeof prefixes / sizeof *prefixes; p++)
		for (size_t i = 0; i < r->facts->n && n < VARIABLES_MOST; i++) {
			const struct ts_fact *fact = &r->facts->items[i];
			struct ts_span prefix = ts_span_str(prefixes[p]), name;
			struct ts_span value = fact->type == TS_FACT_TEXT ? fact->text : ts_span_of(NULL, 0);

			if (!ts_span_starts(fact->path, prefix) || !value.len || memchr(value.data, 0, value.len) ||
			    ts_span_contains(value, TS_REDACTED))
				continue;
			name = ts_span_from(fact->path, prefix.len);
			pairs[n].name = ts_arena_printf(r->arena, "%.*s", (int)name.len, (const char *)name.data);
			pairs[n].value = ts_arena_printf(r->arena, "%.*s", (int)value.len, (const char *)value.data);
			if (pairs[n].name && pairs[n].value &&
			    strspn(pairs[n].name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == name.len)
				n++;
		}
	r->a.variables = pairs;
	r->a.n_variables = n;
	r->a.environment = text_at(r, "session.environment");
	r->a.environment_key = text_at(r, "session.environment_key");
	r->a.packages = text_at(r, "session.packages.list");
	r->a.python = text_at(r, "libraries.python");
	if (!r->a.environment.len)
		unsure(r, "whether other variables are as they were: there is no fact session.environment");
	if (!r->a.packages.len)
		unsure(r, "whether the packages are as they were: there is no fact session.packages.list");
}

/* --- files --- */

/* "DIGEST SIZE PATH" */
static bool file_of(struct reading *r, struct ts_span line, struct ts_again_file *ret)
{
	const uint8_t *second = line.len > 17 && line.data[16] == ' ' ? memchr(line.data + 17, ' ', line.len - 17) : NULL;
	size_t at = second ? (size_t)(second - line.data) : 0;

	if (!second || !ts_parse_u64(ts_span_part(line, 17, at - 17), &ret->size) || at + 1 >= line.len || second[1] != '/' ||
	    memchr(line.data, 0, line.len))
		return false;
	ret->digest = ts_span_part(line, 0, 16);
	ret->path = ts_arena_printf(r->arena, "%.*s", (int)(line.len - at - 1), (const char *)second + 1);
	return ret->path != NULL;
}

static void files(struct reading *r)
{
	struct ts_again_file *items = ts_arena_array(r->arena, FILES_MOST, sizeof *items);
	struct ts_span text = text_at(r, "session.files_read.list");
	size_t n = 0;

	if (!fact_at(r, "session.files_read.count"))
		unsure(r, "which files it read: there is no fact session.files_read");
	while (items && text.len && n < FILES_MOST) {
		struct ts_span line = ts_span_through(text, '\n');

		if (!line.len)
			break;
		text = ts_span_from(text, line.len);
		line.len--;
		n += file_of(r, line, &items[n]);
	}
	r->a.files = items;
	r->a.n_files = n;
}

enum ts_status ts_again_of(const struct ts_facts *facts, uint32_t ranks, struct ts_arena *arena, struct ts_again *ret_again,
			   struct ts_error *err)
{
	struct reading r = {.facts = facts, .arena = arena};
	const struct ts_fact *wall;

	command(&r, ranks);
	code(&r);
	environment(&r);
	files(&r);
	wall = fact_at(&r, "session.wall_time");
	r.a.wall_s = wall && wall->type == TS_FACT_FLOAT && wall->real > 0 ? wall->real : 0;
	r.a.checkpoint = string_at(&r, "lineage.checkpoint");
	if (ts_arena_check(arena, err))
		return err->status;
	*ret_again = r.a;
	return TS_OK;
}

/* --- of a run --- */

static enum ts_status load(struct ts_cli *cli, struct ts_facts *facts, struct ts_error *err)
{
	static const char *const paths[] = {"session.patch",	   "session.command",	    "session.launch.command",
					    "session.environment", "session.packages.list", "session.files_read.list"};

	for (size_t i = 0; i < facts->n; i++)
		for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
			if (facts->items[i].type == TS_FACT_LONG && ts_span_is(facts->items[i].path, paths[k]) &&
			    ts_ask_long_text(cli->target.channel, &facts->items[i], &cli->arena, &facts->items[i].text, err))
				return err->status;
	return TS_OK;
}

enum ts_status ts_again_ask(struct ts_cli *cli, struct ts_span spec, struct ts_get_reply *ret_run, struct ts_again *ret_again,
			    struct ts_error *err)
{
	struct ts_head head;

	if (ts_ask_get(cli->target.channel, spec, &cli->arena, ret_run, err) ||
	    ts_head_decode(ret_run->head, &cli->arena, &head, err) || load(cli, &head.facts, err))
		return err->status;
	return ts_again_of(&head.facts, ret_run->run.ranks, &cli->arena, ret_again, err);
}

/* --- for people --- */

static void line(struct ts_buf *out, const char *name, const char *text)
{
	ts_buf_printf(out, "  %-13s", name);
	ts_escape(out, ts_span_str(text));
	ts_buf_char(out, '\n');
}

void ts_again_show(const struct ts_again *again, struct ts_buf *out)
{
	for (size_t i = 0; again->words && again->words[i]; i++) {
		ts_buf_str(out, i ? " " : "  command      ");
		ts_escape(out, ts_span_str(again->words[i]));
	}
	if (again->words)
		ts_buf_char(out, '\n');
	if (again->directory[0])
		line(out, "directory", again->directory);
	if (again->commit)
		line(out, "commit", again->commit);
	if (again->patch.len)
		ts_buf_printf(out, "  %-13sof %zu bytes\n", "patch", again->patch.len);
	if (again->interpreter)
		line(out, "interpreter", again->interpreter);
	for (size_t i = 0; i < again->n_variables; i++) {
		ts_buf_printf(out, "  %-13s%s=", "variable", again->variables[i].name);
		ts_escape(out, ts_span_str(again->variables[i].value));
		ts_buf_char(out, '\n');
	}
	if (again->n_files)
		ts_buf_printf(out, "  %-13s%zu read, known by size and blocks\n", "files", again->n_files);
	for (size_t i = 0; i < again->n_lacks; i++)
		line(out, "lacks", again->lacks[i]);
	for (size_t i = 0; i < again->n_unsure; i++)
		line(out, "not known", again->unsure[i]);
}
