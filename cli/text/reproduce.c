/* reproduce.c - see reproduce.h. */
#include "cli/text/reproduce.h"

#include "base/path.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/path_run.h"
#include "cli/view/show_value.h"
#include "ingest/facts/redact.h"
#include "run/head.h"

enum { LINES_MOST = 8, MISSING_MOST = 8, LINE_MOST = 8 << 20 }; /* LINE_MOST: the longest fact with every byte escaped */

struct making {
	const struct ts_facts *facts;
	const char *run;
	struct ts_arena *arena;
	struct ts_reproduce_side side;
	bool failed;
};

static const struct ts_fact *fact_at(const struct making *m, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(m->facts, ts_span_str(path));

	return fact && fact->type != TS_FACT_ABSENT ? fact : NULL;
}

static struct ts_span text_at(const struct making *m, const char *path)
{
	const struct ts_fact *fact = fact_at(m, path);

	return fact && (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_LONG) ? fact->text : ts_span_of(NULL, 0);
}

static bool plain(uint8_t c)
{
	return ts_is_digit(c) || ts_is_alpha(c) || strchr("_-+=./:,@%", c);
}

/* Writes a word of a POSIX shell with any content: unquoted, in quotes, or as $'...' if it could do harm on a terminal. */
static void word(struct ts_buf *out, struct ts_span text)
{
	struct ts_buf safe = TS_BUF_INIT(LINE_MOST);
	bool bare = text.len > 0;

	for (size_t i = 0; i < text.len; i++)
		bare &= text.data[i] && plain(text.data[i]);
	ts_escape(&safe, text);
	if (bare) {
		ts_buf_span(out, text);
	} else if (ts_span_eq(ts_buf_view(&safe), text)) {
		ts_buf_char(out, '\'');
		for (size_t i = 0; i < text.len; i++)
			if (text.data[i] == '\'')
				ts_buf_str(out, "'\\''");
			else
				ts_buf_u8(out, text.data[i]);
		ts_buf_char(out, '\'');
	} else {
		ts_buf_str(out, "$'");
		for (size_t i = 0; i < text.len; i++)
			if (text.data[i] >= 0x20 && text.data[i] < 0x7f && text.data[i] != '\'' && text.data[i] != '\\')
				ts_buf_u8(out, text.data[i]);
			else
				ts_buf_printf(out, "\\%03o", text.data[i]);
		ts_buf_char(out, '\'');
	}
	out->failed = out->failed ? out->failed : safe.failed;
	ts_buf_finish(&safe);
}

static const char *taken(struct making *m, struct ts_buf *line)
{
	struct ts_span copy = line->failed ? ts_span_of(NULL, 0) : ts_arena_span(m->arena, ts_buf_view(line));

	m->failed |= !copy.data;
	ts_buf_finish(line);
	return copy.data ? (const char *)copy.data : "";
}

static void command(struct making *m, struct ts_buf *line)
{
	const char *text = taken(m, line);

	if (m->side.n < LINES_MOST)
		m->side.commands[m->side.n++] = text;
}

static void missing(struct making *m, const char *text)
{
	if (m->side.n_missing < MISSING_MOST)
		m->side.missing[m->side.n_missing++] = text;
}

static void checkout(struct making *m)
{
	struct ts_span commit = text_at(m, "code.commit"), branch = text_at(m, "code.branch");
	struct ts_buf line = TS_BUF_INIT(LINE_MOST);

	if (!commit.len)
		commit = text_at(m, "code.git_commit");
	if (!commit.len) {
		missing(m, "the code, because there is no fact code.commit");
		return;
	}
	ts_buf_str(&line, "git checkout ");
	word(&line, commit);
	if (branch.len) {
		ts_buf_str(&line, "  # was on ");
		ts_escape(&line, branch);
	}
	command(m, &line);
}

static bool has_digest(struct ts_span text, struct ts_span hex)
{
	char of_text[TS_ID_HEX + 1];
	struct ts_id id;

	ts_digest(text, &id);
	return ts_span_is(hex, ts_id_hex(&id, of_text));
}

/* Writes the recorded text of the patch if its digest is the recorded one. If not, the digest identifies the right
 * patch for a reader who still has it. */
static void patch(struct making *m)
{
	const struct ts_fact *dirty = fact_at(m, "code.dirty");
	struct ts_span digest = text_at(m, "code.patch_sha256"), text = text_at(m, "session.patch");
	struct ts_buf line = TS_BUF_INIT(LINE_MOST);

	if (!digest.len && dirty && dirty->type == TS_FACT_BOOL && !dirty->boolean)
		return;
	if (!digest.len) {
		missing(m, dirty ? "the uncommitted changes: code.dirty is set, but there is no fact code.patch_sha256"
				 : "whether the code had uncommitted changes, because there is no fact code.dirty");
		return;
	}
	if (text.len && has_digest(text, digest)) {
		ts_buf_str(&line, "tscope facts --raw ");
		word(&line, ts_span_str(m->run));
		ts_buf_str(&line, " session.patch | git apply");
		command(m, &line);
		return;
	}
	ts_buf_str(&line, "git apply PATCH  # whose SHA-256 is ");
	ts_escape(&line, digest);
	command(m, &line);
	missing(m,
		text.len ? "the patch itself: the SHA-256 of session.patch is not code.patch_sha256"
			 : "the patch itself: only its digest is recorded (tscope facts --with-patch keeps the text)");
}

/* Writes the folder of the repository in which the command was given. */
static void directory(struct making *m)
{
	struct ts_span path = text_at(m, "session.directory");
	struct ts_buf line = TS_BUF_INIT(LINE_MOST);

	if (!path.len)
		return;
	ts_buf_str(&line, "cd -- ");
	word(&line, path);
	command(m, &line);
}

static bool is_name(struct ts_span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!ts_is_alpha(name.data[i]) && name.data[i] != '_' && (i == 0 || !ts_is_digit(name.data[i])))
			return false;
	return name.len > 0;
}

/* Writes the variables that were set, as the facts of the host keep them. A variable that is not listed was not set, or
 * was not recorded. */
static size_t environment(struct making *m, struct ts_buf *line)
{
	static const char *const prefixes[] = {"determinism.env.", "session.env."};
	size_t n = 0;

	for (size_t p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++)
		for (size_t i = 0; i < m->facts->n; i++) {
			const struct ts_fact *fact = &m->facts->items[i];
			struct ts_span prefix = ts_span_str(prefixes[p]), name;

			if (!ts_span_starts(fact->path, prefix) || fact->type != TS_FACT_TEXT)
				continue;
			name = ts_span_of(fact->path.data + prefix.len, fact->path.len - prefix.len);
			if (!is_name(name))
				continue;
			ts_buf_span(line, name);
			ts_buf_char(line, '=');
			word(line, fact->text);
			ts_buf_char(line, ' ');
			n++;
		}
	return n;
}

/* Writes the variable that gives our recorder a folder of its own: it refuses that of the run, which the words may name. */
static bool new_folder(struct making *m, struct ts_buf *line)
{
	const char *name = ts_arena_phrase(m->arena, "again-%s", ts_path_last(m->run));

	if (!fact_at(m, "libraries.tscope"))
		return false;
	ts_buf_str(line, "TSCOPE_DIRECTORY=");
	word(line, ts_span_str(name));
	ts_buf_char(line, ' ');
	return true;
}

/* Writes the words of session.argv. */
static bool recorded_words(struct making *m, struct ts_buf *line)
{
	bool any = false;

	for (size_t i = 0; i < 1000; i++) {
		const char *path = ts_arena_printf(m->arena, "session.argv[%zu]", i);

		if (!path || !fact_at(m, path))
			break;
		if (any)
			ts_buf_char(line, ' ');
		word(line, text_at(m, path));
		any = true;
	}
	return any;
}

/* Writes session.command, the shell line as it was typed. If it would not print unchanged, it is quoted as a word for eval. */
static bool recorded_line(struct making *m, struct ts_buf *line)
{
	struct ts_span text = text_at(m, "session.command");

	ts_escape(line, text);
	if (ts_span_eq(ts_buf_view(line), text))
		return text.len > 0;
	ts_buf_reset(line);
	ts_buf_str(line, "eval ");
	word(line, text);
	return true;
}

/* Variables in front of a line apply to one command only, and not to variables that the line itself expands. */
static bool is_one_command(struct ts_span line)
{
	for (size_t i = 0; i < line.len; i++)
		if (!line.data[i] || strchr(";&|()<>{}$`#\n", line.data[i]))
			return false;
	return true;
}

static void run_line(struct making *m)
{
	struct ts_buf line = TS_BUF_INIT(LINE_MOST), variables = TS_BUF_INIT(LINE_MOST);
	size_t n = environment(m, &variables);
	bool typed = recorded_line(m, &line), words = !typed && recorded_words(m, &line);
	bool sets = ((typed || words) && new_folder(m, &variables)) || n;
	struct ts_span text = ts_buf_view(&line);

	if (!n)
		missing(m, "the environment, because there is no fact determinism.env.*");
	if (!typed && !words)
		missing(m, "the command, because there is no fact session.command (tscope facts --command records it) "
			   "or session.argv");
	if (ts_span_contains(text, TS_REDACTED))
		missing(m, "a secret in the command, which tscope replaced by " TS_REDACTED);
	m->failed |= line.failed || variables.failed;
	if (typed && sets && !is_one_command(text)) {
		struct ts_buf set = TS_BUF_INIT(LINE_MOST);

		ts_buf_str(&set, "export ");
		ts_buf_bytes(&set, variables.data, variables.len - 1);
		command(m, &set);
		command(m, &line);
	} else if (n || text.len) {
		ts_buf_span(&variables, text.len ? text : ts_span_str("COMMAND"));
		command(m, &variables);
	}
	ts_buf_finish(&line);
	ts_buf_finish(&variables);
}

enum ts_status ts_reproduce_of(const struct ts_facts *facts, const char *run, struct ts_arena *arena,
			       struct ts_reproduce_side *ret_side, struct ts_error *err)
{
	struct making m = {.facts = facts, .run = run, .arena = arena};

	m.side.commands = ts_arena_array(arena, LINES_MOST, sizeof *m.side.commands);
	m.side.missing = ts_arena_array(arena, MISSING_MOST, sizeof *m.side.missing);
	if (!m.side.commands || !m.side.missing)
		return ts_arena_error(arena, err);
	checkout(&m);
	patch(&m);
	directory(&m);
	run_line(&m);
	if (m.failed)
		return ts_arena_error(arena, err);
	*ret_side = m.side;
	return TS_OK;
}

/* Loads a text that is stored in an object of its own. */
static enum ts_status load(struct ts_cli *cli, struct ts_facts *facts, const char *path, struct ts_error *err)
{
	for (size_t i = 0; i < facts->n; i++) {
		struct ts_fact *fact = &facts->items[i];

		if (fact->type != TS_FACT_LONG || !ts_span_is(fact->path, path))
			continue;
		if (ts_ask_long_text(cli->target.channel, fact, &cli->arena, &fact->text, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_reproduce_ask(struct ts_cli *cli, const char *typed, struct ts_span spec, struct ts_reproduce_side *ret_side,
				struct ts_error *err)
{
	struct ts_get_reply run;
	struct ts_head head;
	const char *name;

	if (ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) ||
	    ts_head_decode(run.head, &cli->arena, &head, err) || load(cli, &head.facts, "session.patch", err) ||
	    load(cli, &head.facts, "session.command", err))
		return err->status;
	name = !cli->json && ts_is_path(typed) ? typed : ts_show_id(&run.run.id, &cli->arena);
	return name ? ts_reproduce_of(&head.facts, name, &cli->arena, ret_side, err) : ts_arena_error(&cli->arena, err);
}
