/* verb_push.c - tscope push: stores what a training left on disk as runs with names.
 *
 * A word is one run or a folder of runs (ingest/discover.h); each run is one push of its own: first the objects
 * through the sender, then the commit that makes the name point at the head. A push that fails does not stop the others, unless
 * the server does not answer, and the command then ends with 2. A run is read into an arena of its own, and only its line of the
 * table is kept, so that the number of runs in a folder does not matter.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/listed.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/core/ask.h"
#include "cli/core/beside.h"
#include "cli/core/names.h"
#include "cli/core/path_run.h"
#include "cli/core/progress.h"
#include "cli/core/run_name.h"
#include "cli/core/sender.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_parts.h"
#include "cli/trace/summary_file.h"
#include "cli/verbs/again.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "ingest/facts/facts_json.h"
#include "ingest/host/host.h"
#include "ingest/text/text_guess.h"
#include "service/handlers/core/resolve.h"

#include <unistd.h>

enum { TRIES = 3, TRIES_INCOMPLETE = 8, COLUMNS_TOLD = 12 };

/* A run that a word of the command line names. */
struct place {
	const char *path;
	const char *top;   /* the word that was typed, below which the path lies */
	const char *part;  /* the run within a file that holds several runs; usually NULL */
	const char *own_name; /* ts_run_about; NULL: none */
	const char *const *more; /* further parts of the run */
	size_t n_more;
	const struct ts_around *around;
	const char *below; /* the path of the run below the word that was typed; "" if the run is the word itself */
	const char *name;  /* without its project, unless --name gives it */
	const char *loses; /* the parts of its format that are not stored; "" = none */
	const struct ts_error *failed; /* the reason why the word names no run; NULL: it does */
	struct ts_beside beside;
	struct ts_span pushed; /* the name of the run that was pushed, and its id */
	struct ts_id id;
	const int32_t *ranks;  /* of it, from directories beside it */
	size_t n_ranks;
	struct ts_id head;     /* what a store before this one got; --also */
	bool has_head;
};

/* The push of one run. What it points at lies in its arena, but for the name. */
struct pushed {
	struct place *at;
	struct ts_arena *arena;
	struct ts_listed *listed; /* NULL: none */
	struct ts_span name;
	struct ts_ingest_result run;
	struct ts_commit_reply commit;
	uint64_t sent_bytes, sent_objects;
	struct ts_put_stats stored;
	bool *told_lacks; /* that a run of this command cannot be run again */
	bool joined; /* joined with ranks of other pushes; only the reply then knows which ranks are missing */
};

/* What the table shows of a run that was pushed. */
struct row {
	struct ts_span name;
	struct ts_id id;
	uint64_t steps, sent_bytes, new_bytes;
	enum ts_commit_outcome outcome;
	bool is_rank; /* of a run that was pushed before, and nothing more */
	const char *said; /* about the outcome */
};

struct pushes {
	struct ts_cli *cli;
	struct ts_facts facts; /* from the pusher and the host */
	struct place *places;
	struct row *rows;
	size_t n, n_rows;
	size_t failed;  /* runs that were not pushed */
	struct ts_listed listed;
	bool told_lacks;
	size_t untried; /* of these, runs that came after the server had stopped answering */
	struct ts_json json; /* of all pushes; only with --json */
};

/* Joins "mine" and "gpt/version_0" to "mine/gpt/version_0". */
static enum ts_status name_below(struct ts_cli *cli, const char *base, struct place *at, struct ts_error *err)
{
	bool changed = false;

	at->name = base;
	for (const char *below = at->below; *below;) {
		size_t n = strcspn(below, "/");
		const char *one;

		if (ts_name_component(ts_span_of(below, n), &cli->arena, &one, &changed, err))
			return ts_error_prefix(err, "%s", at->path);
		below += n + (below[n] == '/');
		at->name = ts_arena_printf(&cli->arena, "%s/%s", at->name, one);
		if (!at->name)
			return ts_arena_error(&cli->arena, err);
	}
	return TS_OK;
}

/* Puts the project in front of a name that was made; one that was given has it already. */
static enum ts_status name_it(struct ts_cli *cli, struct pushed *p, struct ts_error *err)
{
	const char *name = p->at->name, *project;

	if (!ts_args_has(&cli->args, "name")) {
		if (ts_cli_project(cli, &project, err))
			return err->status;
		name = ts_arena_printf(&cli->arena, "%s/%s", project, name);
	}
	if (!name)
		return ts_arena_error(&cli->arena, err);
	p->name = ts_span_str(name);
	return ts_name_check(p->name, err) ? ts_error_prefix(err, "'%s'", name) : TS_OK;
}

static enum ts_status pusher_facts(struct ts_cli *cli, struct ts_facts *facts, struct ts_error *err)
{
	const struct ts_host_wanted here = {.dir = "."};
	const char *arg, *no_patch;

	for (size_t i = 0; (arg = ts_args_nth(&cli->args, "fact", i)); i++) {
		struct ts_fact fact;

		if (ts_fact_from_arg(ts_span_str(arg), TS_SOURCE_PUSHER, &cli->arena, &fact, err) ||
		    ts_facts_add(facts, &fact, &cli->arena, err))
			return ts_error_prefix(err, "--fact %s", arg);
	}
	if (ts_args_has(&cli->args, "host-facts") && ts_host_facts(&here, &cli->arena, facts, &no_patch, err))
		return ts_error_prefix(err, "--host-facts");
	ts_facts_sort(facts);
	return TS_OK;
}

static enum ts_status send_objects(struct ts_cli *cli, struct pushed *p, const struct ts_facts *facts,
				   struct ts_error *err)
{
	struct ts_progress progress;
	struct ts_ingest_options options = {
		.path = p->at->path,
		.top = p->at->top,
		.part = p->at->part,
		.more = p->at->more,
		.n_more = p->at->n_more,
		.around = p->at->around,
		.listed = p->listed,
		.strict = ts_args_has(&cli->args, "strict"),
		.artifacts = ts_args_has(&cli->args, "artifacts"),
		.no_output = ts_args_has(&cli->args, "no-output"),
		.summarize = ts_args_has(&cli->args, "summarize-traces") ? ts_summarize_trace : NULL,
		.facts = facts,
		.progress = ts_progress_step,
		.progress_ctx = &progress,
	};
	struct ts_sender sender;
	enum ts_status status = ts_path_options(cli, &options, err);

	if (!status)
		status = ts_sender_init(&sender, cli->target.channel, ts_args_has(&cli->args, "dry-run"), err);
	if (status)
		return status;
	ts_progress_begin(&progress, cli, "pushing", p->at->path);
	status = ts_ingest(&options, ts_sender_take, &sender, p->arena, &p->run, err);
	if (status && sender.failed.status) /* the error of a broken connection is not about a line of the file */
		*err = sender.failed;
	if (!status)
		status = ts_sender_end(&sender, err);
	ts_progress_end(&progress);
	p->sent_bytes = sender.sent_bytes;
	p->sent_objects = sender.sent_objects;
	p->stored = sender.stored;
	ts_sender_finish(&sender);
	return status;
}

static enum ts_status commit(struct ts_cli *cli, struct pushed *p, struct ts_error *err)
{
	const char *state = ts_args_text(&cli->args, "state"), *message = ts_args_text(&cli->args, "message");
	const char *branch = ts_args_text(&cli->args, "branch");
	struct ts_commit_request request = {
		.name = p->name,
		.head = p->run.head,
		.expect = TS_EXPECT_ANY,
		.force = ts_args_has(&cli->args, "force"),
		.join = ts_args_has(&cli->args, "join"),
		.expose = ts_args_has(&cli->args, "expose"),
		.state = ts_span_str(state	       ? state
				     : p->run.finished ? "finished"
						       : "unknown"),
		.state_said = state != NULL,
		.message = message ? ts_span_str(message) : ts_span_of(NULL, 0),
	};
	enum ts_status status = branch ? ts_cli_new_name(cli, branch, &request.branch, err) : TS_OK;

	p->joined = request.join;
	return status ? status : ts_ask_commit(cli->target.channel, &request, p->arena, &p->commit, err);
}

/* Whether a push that failed starts over. io_tries counts what was tried for each of the two reasons. */
static bool again(const struct ts_cli *cli, enum ts_status status, bool sent, int io_tries[2], const struct ts_error *err)
{
	bool incomplete = sent && status == TS_NOT_FOUND;
	int most = incomplete ? TRIES_INCOMPLETE : TRIES, try = 0;

	if (!incomplete && status != TS_UNAVAILABLE)
		return false;
	try = ++io_tries[incomplete];
	if (try > most)
		return false;
	ts_cli_say(cli, "%s; push %s (%d of %d)", err->text, incomplete ? "sends it again" : "tries again", try, most);
	/* The waits are 1, 2 and 4 seconds, about the time that a server takes to restart. */
	if (!incomplete)
		sleep(1u << (try - 1));
	return true;
}

/* Says of the first run of this command that was recorded here, and lacks something, that it cannot be run again. */
static void say_lacks(struct ts_cli *cli, const struct pushed *p)
{
	const struct ts_fact *collected = ts_facts_find(&p->run.facts, ts_span_str("session.collected_at"));
	struct ts_again again;
	struct ts_error ignored;

	if (*p->told_lacks || !collected || !ts_facts_find(&p->run.facts, ts_span_str("session.interpreter.program")) ||
	    ts_again_of(&p->run.facts, 1, p->arena, &again, &ignored) || !again.n_lacks)
		return;
	*p->told_lacks = true;
	ts_cli_say(cli, "%s cannot be run again; 'tscope show %s --reproduce' says what lacks", p->at->path, p->at->path);
}

/* After a broken connection, or after a gc with a short lease that freed objects of this push, push starts over. Objects that are
 * there are not sent again. */
static enum ts_status push_one(struct ts_cli *cli, struct pushed *p, const struct ts_facts *facts,
			       struct ts_error *err)
{
	enum ts_status status = name_it(cli, p, err);
	int tries[2] = {0, 0};
	bool sent;

	if (status)
		return status;
	do {
		status = send_objects(cli, p, facts, err);
		sent = !status;
		if (sent && p->at->has_head && !ts_id_eq(&p->at->head, &p->run.head))
			return ts_error_set(err, TS_CONFLICT,
					    "it has changed since it was pushed to the store before, and would have another id here; "
					    "the same command pushes to each what it is then");
		if (sent && !ts_args_has(&cli->args, "dry-run"))
			status = commit(cli, p, err);
	} while (status && again(cli, status, sent, tries, err));
	if (status)
		return status;
	p->at->head = p->run.head;
	p->at->has_head = true;
	cli->left_out += ts_notices_skipped(&p->run.notices);
	say_lacks(cli, p);
	ts_say_notices(cli, p->at->part ? ts_arena_printf(p->arena, "%s#%s", p->at->path, p->at->part) : p->at->path, &p->run.notices,
		       true);
	return TS_OK;
}

static TS_WORDS(outcome_word, enum ts_commit_outcome, "not_sent", [TS_COMMIT_CREATED] = "created",
		[TS_COMMIT_UNCHANGED] = "unchanged", [TS_COMMIT_EXTENDED] = "extended", [TS_COMMIT_FORCED] = "forced",
		[TS_COMMIT_STAGED] = "staged")

static const char *outcome_text(struct ts_cli *cli, const struct pushed *p)
{
	const struct ts_commit_reply *c = &p->commit;
	const char *ranks;

	if (c->outcome != TS_COMMIT_STAGED)
		return c->outcome ? outcome_word(c->outcome) : "not sent";
	ranks = ts_show_ranks(c->missing_ranks, c->n_missing < 64 ? c->n_missing : 64, c->n_missing, &cli->arena);
	return ranks ? ts_arena_printf(&cli->arena, "staged; the run still lacks %s %s", c->n_missing == 1 ? "rank" : "ranks",
				       ranks)
		     : NULL;
}

/* Describes what the directory holds. */
static struct ts_run_ref part_of(const struct pushed *p)
{
	return (struct ts_run_ref){
		.id = p->run.head,
		.own_name = p->run.own_name,
		.steps = p->run.steps,
		.first_step = p->run.first_step,
		.last_step = p->run.last_step,
		.ranks = (uint32_t)p->run.n_ranks,
	};
}

/* Describes the run that the name or the stage points at. After a join it also has the ranks of other pushes. */
static struct ts_run_ref run_of(const struct pushed *p)
{
	return p->commit.outcome ? p->commit.run : part_of(p);
}

/* Says "8 steps (0 to 7), 1 rank". Returns NULL if the arena is full. */
static const char *extent_text(const struct ts_run_ref *run, struct ts_arena *a)
{
	const char *steps = ts_show_plural(run->steps, "step", a);
	const char *range = run->steps ? ts_show_range(run->first_step, run->last_step, a) : NULL;
	const char *ranks = ts_show_plural(run->ranks, "rank", a);

	return steps && ranks ? ts_arena_printf(a, "%s%s%s%s, %s", steps, range ? " (" : "", range ? range : "",
						range ? ")" : "", ranks)
			      : NULL;
}

/* Reads the fact columns.<name>.source: what the log calls the column. */
static bool log_name(const struct ts_fact *fact, struct ts_arena *a, struct ts_span *ret_column)
{
	size_t at = 0, index;
	struct ts_span group, leaf;
	bool is_index;

	return fact->type == TS_FACT_TEXT && ts_span_starts(fact->path, ts_span_str("columns.")) &&
	       ts_path_next(fact->path, &at, a, &group, &is_index, &index) &&
	       ts_path_next(fact->path, &at, a, ret_column, &is_index, &index) && !is_index &&
	       ts_path_next(fact->path, &at, a, &leaf, &is_index, &index) && ts_span_is(leaf, "source") && at == fact->path.len;
}

static const char *precision_of(const struct ts_facts *facts, struct ts_span column, struct ts_arena *a)
{
	struct ts_buf path = TS_BUF_INIT(4 * TS_PATH_MAX);
	const struct ts_fact *fact;

	ts_buf_str(&path, "columns");
	ts_path_key(&path, column);
	ts_path_key(&path, ts_span_str("precision"));
	fact = path.failed ? NULL : ts_facts_find(facts, ts_buf_view(&path));
	a->failed |= path.failed == TS_NO_MEMORY;
	ts_buf_finish(&path);
	if (fact && fact->type == TS_FACT_INT)
		return ts_arena_printf(a, ", %" PRId64 " decimal%s", fact->integer, fact->integer == 1 ? "" : "s");
	return fact && fact->type == TS_FACT_TEXT && ts_span_is(fact->text, "f32") ? ", float32" : "";
}

/* Says "train/loss is scalars.loss, float32", one line for each column that has another name in the log. */
static void told_columns(struct ts_cli *cli, const struct pushed *p)
{
	const struct ts_facts *facts = &p->run.facts;
	size_t n = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *fact = &facts->items[i];
		struct ts_span column;
		const char *precision;

		if (!log_name(fact, &cli->arena, &column))
			continue;
		precision = precision_of(facts, column, &cli->arena);
		if (n++ < COLUMNS_TOLD)
			ts_text_field(cli, n == 1 ? "columns" : "",
				      ts_arena_printf(&cli->arena, "%.*s is %.*s%s", TS_SPAN_ARG(fact->text), TS_SPAN_ARG(column),
						      precision ? precision : ""));
	}
	if (n > COLUMNS_TOLD)
		ts_text_field(cli, "", ts_arena_printf(&cli->arena, "%zu more columns, which tscope show lists", n - COLUMNS_TOLD));
}

/* Says the templates that were guessed, as they would be given, and the first rows that they give. */
static void told_guess(struct ts_cli *cli, const struct pushed *p)
{
	struct ts_arena *a = &cli->arena;
	struct ts_buf line = TS_BUF_INIT(TS_TEXT_MAX);

	for (size_t i = 0; i < p->run.n_guessed; i++) {
		ts_buf_reset(&line);
		ts_text_templates_print(&line, &p->run.guessed[i], 1);
		ts_text_field(cli, i ? "" : "guessed", ts_arena_printf(a, "%.*s", TS_SPAN_ARG(ts_trim(ts_buf_view(&line)))));
	}
	ts_buf_finish(&line);
	for (size_t i = 0; i < p->run.n_first_rows && ts_args_has(&cli->args, "dry-run"); i++)
		ts_text_field(cli, i ? "" : "rows", p->run.first_rows[i]);
}

static void told_one(struct ts_cli *cli, const struct pushed *p)
{
	struct ts_arena *a = &cli->arena;
	const char *sent = ts_show_plural(p->sent_objects, "object", a);
	struct ts_run_ref run = run_of(p), part = part_of(p);

	ts_text_field(cli, "name", ts_arena_printf(a, "%.*s", TS_SPAN_ARG(p->name)));
	ts_text_field(cli, "id", ts_show_hex(&run.id, a));
	ts_text_field(cli, "format",
		      *p->at->loses ? ts_arena_printf(a, "%s; not kept: %s", p->run.format, p->at->loses) : p->run.format);
	told_guess(cli, p);
	told_columns(cli, p);
	ts_text_field(cli, "steps", extent_text(&run, a));
	if (!ts_id_eq(&run.id, &part.id))
		ts_text_field(cli, "part", extent_text(&part, a));
	if (p->commit.outcome) {
		ts_text_field(cli, "sent", sent ? ts_arena_printf(a, "%s (%s)", ts_show_bytes((double)p->sent_bytes, a), sent) : NULL);
		ts_text_field(cli, "new", ts_show_bytes((double)p->stored.new_bytes, a));
	} else {
		ts_text_field(cli, "to send", sent);
	}
	ts_text_field(cli, "outcome", outcome_text(cli, p));
}

static enum ts_status told_table(struct pushes *all, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {
		TS_LEFT("name", 12), TS_LEFT("id", 0), TS_RIGHT("steps"), TS_RIGHT("sent"), TS_RIGHT("new"), TS_LEFT("outcome", 10),
	};
	struct ts_cli *cli = all->cli;
	struct ts_arena *a = &cli->arena;
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), a);
	for (size_t i = 0; i < all->n_rows; i++) {
		const struct row *row = &all->rows[i];

		ts_view_row(&view, NULL);
		ts_view_set_span(&view, "name", TS_STYLE_BOLD, row->name);
		ts_view_set(&view, "id", TS_STYLE_DIM, ts_show_id(&row->id, a));
		ts_view_set(&view, "steps", TS_STYLE_PLAIN, row->is_rank ? "-" : ts_show_count(row->steps, a));
		ts_view_set(&view, "sent", TS_STYLE_PLAIN, row->is_rank ? "-" : ts_show_bytes((double)row->sent_bytes, a));
		ts_view_set(&view, "new", TS_STYLE_PLAIN, row->is_rank ? "-" : ts_show_bytes((double)row->new_bytes, a));
		ts_view_set(&view, "outcome", TS_STYLE_PLAIN, row->said);
	}
	return ts_view_n(&view) ? ts_view_print(&view, &cli->term, 0, &cli->out, err) : TS_OK;
}

static void json_notices(struct ts_json *j, const struct ts_notices *notices)
{
	ts_json_count(j, "skipped_count", ts_notices_skipped(notices));
	ts_json_key(j, "notices");
	ts_json_array(j);
	for (size_t i = 0; i < notices->n; i++) {
		const struct ts_notice *n = &notices->items[i];

		ts_json_object(j);
		ts_json_key(j, "code");
		ts_json_string(j, n->code);
		ts_json_key(j, "level");
		ts_json_string(j, n->level == TS_NOTICE_SKIPPED ? "skipped" : "info");
		ts_json_key(j, "file");
		ts_json_span(j, n->file);
		ts_json_key(j, "line");
		if (n->line)
			ts_json_u64(j, n->line);
		else
			ts_json_null(j);
		ts_json_count(j, "count", n->count);
		ts_json_text(j, "detail", n->detail);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static void json_strings(struct ts_json *j, const char *key, const char *const *texts, size_t n)
{
	ts_json_key(j, key);
	ts_json_array(j);
	for (size_t i = 0; i < n; i++)
		ts_json_string(j, texts[i]);
	ts_json_end(j);
}

static void json_done(struct ts_json *j, const struct pushed *p)
{
	struct ts_run_ref run = run_of(p), part = part_of(p);
	const int32_t *missing = p->joined ? p->commit.missing_ranks : p->run.missing_ranks;
	size_t n_missing = p->joined ? p->commit.n_missing : p->run.n_missing;

	ts_json_key(j, "name");
	ts_json_span(j, p->name);
	ts_json_run(j, "run", &run);
	ts_json_run(j, "part", &part);
	ts_json_key(j, "outcome");
	ts_json_string(j, outcome_word(p->commit.outcome));
	if (p->commit.had_previous) {
		ts_json_id(j, "previous_id", &p->commit.previous);
	} else {
		ts_json_key(j, "previous_id");
		ts_json_null(j);
	}
	ts_json_key(j, "source_format");
	ts_json_string(j, p->run.format);
	json_strings(j, "guessed_patterns", p->run.guessed, p->run.n_guessed);
	json_strings(j, "guessed_rows", p->run.first_rows, p->run.n_first_rows);
	ts_json_count(j, "row_count", p->run.rows);
	ts_json_count(j, "superseded_row_count", p->run.superseded);
	ts_json_count(j, "segment_count", p->run.segments);
	ts_json_count(j, "read_bytes", p->run.bytes_read);
	ts_json_count(j, "sent_object_count", p->sent_objects);
	ts_json_count(j, "sent_bytes", p->sent_bytes);
	ts_json_count(j, "new_object_count", p->stored.new_objects);
	ts_json_count(j, "new_bytes", p->stored.new_bytes);
	ts_json_ranks(j, "missing_ranks", missing, n_missing < 64 ? n_missing : 64);
	ts_json_count(j, "missing_rank_count", n_missing);
	json_notices(j, &p->run.notices);
}

static void json_rank(struct ts_json *j, const struct place *at, const struct place *run)
{
	ts_json_object(j);
	ts_json_key(j, "path");
	ts_json_string(j, at->path);
	ts_json_key(j, "rank_of");
	ts_json_span(j, run->pushed);
	ts_json_key(j, "rank");
	ts_json_i64(j, at->beside.rank);
	ts_json_end(j);
}

static void json_failed(struct ts_json *j, const struct ts_error *failed)
{
	ts_json_key(j, "error");
	ts_json_object(j);
	ts_json_key(j, "status");
	ts_json_string(j, ts_status_word(failed->status));
	ts_json_key(j, "message");
	ts_json_string(j, failed->text);
	ts_json_end(j);
}

/* Whether --also names a server. A folder may have a colon in its name, but then it is there. */
static bool also_server(const char *store)
{
	return strchr(store, ':') && access(store, F_OK) != 0;
}

static enum ts_status check_options(const struct ts_cli *cli, struct ts_error *err)
{
	bool join = ts_args_has(&cli->args, "join");
	const char *also;

	for (size_t i = 0; i < cli->args.n_words; i++)
		if (!*cli->args.words[i])
			return ts_error_set(err, TS_INVALID, "push: the path of a directory is empty");
	if (ts_args_has(&cli->args, "name") && cli->args.n_words > 1 && !join)
		return ts_error_set(err, TS_INVALID, "push: --name can only be used with one directory, or with --join");
	if (ts_args_has(&cli->args, "expose") && !join)
		return ts_error_set(err, TS_INVALID, "push: --expose can only be used with --join");
	/* A host whose port was forgotten must not become a folder here. */
	for (size_t i = 0; (also = ts_args_nth(&cli->args, "also", i)); i++)
		if (!also_server(also) && !strchr(also, '/') && access(also, F_OK) != 0)
			return ts_error_set(err, TS_INVALID,
					    "push: --also %s: there is no such folder; a new one is named with a slash (./%s), and a "
					    "server with its port (%s:7717)",
					    also, also, also);
	return TS_OK;
}

/* Says which names are not those of the folder. */
static void say_named(const struct ts_cli *cli, const struct ts_run_place *named)
{
	if (named->changed)
		ts_cli_say(cli, "%s is named %s, because a name cannot have its other characters", named->path, named->name);
	else if (named->longer)
		ts_cli_say(cli, "%s is named %s, because another run of this push would have the same name", named->path, named->name);
}

/* The name that --name gives, with its project. Of one with a '/' the server is asked whether that is one. */
static enum ts_status whole_name(struct ts_cli *cli, const char *given, struct ts_span *ret_name, struct ts_error *err)
{
	enum ts_status status;
	int tries[2] = {0, 0};

	do
		status = ts_cli_new_name(cli, given, ret_name, err);
	while (status && again(cli, status, false, tries, err));
	return status;
}

/* Names each place that holds a run: by where it lies, or below what --name gives. */
static enum ts_status name_places(struct pushes *all, struct ts_error *err)
{
	struct ts_cli *cli = all->cli;
	const char *given = ts_args_text(&cli->args, "name");
	struct ts_run_place *named = ts_arena_array(&cli->arena, all->n, sizeof *named);
	struct ts_span whole = {NULL, 0};
	size_t n = 0;

	if (!named)
		return ts_arena_error(&cli->arena, err);
	if (given && whole_name(cli, given, &whole, err))
		return err->status;
	if (given)
		given = (const char *)whole.data;
	for (size_t i = 0; i < all->n; i++) {
		struct place *at = &all->places[i];

		if (!at->failed && given && name_below(cli, given, at, err))
			return err->status;
		if (!at->failed && !given)
			named[n++] = (struct ts_run_place){.path = at->path, .part = at->part, .own_name = at->own_name};
	}
	if (ts_run_names(named, n, &cli->arena, err))
		return err->status;
	for (size_t i = 0, k = 0; k < n; i++) {
		struct place *at = &all->places[i];

		if (at->failed)
			continue;
		at->name = named[k].name;
		at->failed = named[k].failed;
		if (!at->failed)
			say_named(cli, &named[k]);
		k++;
	}
	return TS_OK;
}

static enum ts_status find_beside(struct pushes *all, struct ts_error *err)
{
	struct ts_arena *a = &all->cli->arena;
	const char **paths = ts_arena_array(a, all->n, sizeof *paths);
	struct ts_beside *beside;

	if (!paths)
		return ts_arena_error(a, err);
	for (size_t i = 0; i < all->n; i++)
		paths[i] = all->places[i].path;
	if (ts_beside_find(paths, all->n, a, &beside, err))
		return err->status;
	for (size_t i = 0; i < all->n; i++)
		all->places[i].beside = beside[i];
	return TS_OK;
}

/* Finds the runs that the words name. A word without a run is a place that failed, with the error of the reader of run
 * directories. */
static enum ts_status find(struct pushes *all, struct ts_error *err)
{
	struct ts_cli *cli = all->cli;
	size_t words = cli->args.n_words, n = 0;
	struct ts_found_run **found = ts_arena_array(&cli->arena, words, sizeof *found);
	size_t *n_found = ts_arena_array(&cli->arena, words, sizeof *n_found);
	struct ts_error *failed = ts_arena_array(&cli->arena, words, sizeof *failed);

	if (!found || !n_found || !failed)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < words; i++) {
		if (ts_path_discover(cli, cli->args.words[i], &found[i], &n_found[i], &failed[i]))
			n_found[i] = 0;
		n += n_found[i] ? n_found[i] : 1;
	}
	all->places = ts_arena_array(&cli->arena, n, sizeof *all->places);
	all->rows = ts_arena_array(&cli->arena, n, sizeof *all->rows);
	if (!all->places || !all->rows)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < words; i++) {
		if (n_found[i] && found[i]->deleted)
			ts_cli_say(cli, "%s: %s deleted in MLflow and left out", cli->args.words[i],
				   found[i]->deleted == 1 ? "1 run is"
							  : ts_arena_printf(&cli->arena, "%zu runs are", found[i]->deleted));
		if (n_found[i] && found[i]->links)
			ts_cli_say(cli,
				   "%s is a symbolic link%s, and links below %s are not followed; push what it leads to by its own "
				   "path",
				   found[i]->link,
				   found[i]->links == 1 ? "" : ts_arena_printf(&cli->arena, ", the first of %zu", found[i]->links),
				   cli->args.words[i]);
		for (size_t k = 0; k < n_found[i]; k++)
			all->places[all->n++] = (struct place){.path = found[i][k].path,
							       .top = found[i][k].top,
							       .part = found[i][k].part,
							       .own_name = found[i][k].own_name,
							       .more = found[i][k].more,
							       .n_more = found[i][k].n_more,
							       .around = found[i][k].around,
							       .below = found[i][k].name,
							       .loses = found[i][k].reader->loses};
		if (!n_found[i])
			all->places[all->n++] = (struct place){.path = cli->args.words[i], .failed = &failed[i]};
	}
	return find_beside(all, err);
}

/* Keeps of a push what the table shows. */
static enum ts_status keep_row(struct pushes *all, const struct pushed *p, struct ts_error *err)
{
	const char *said = outcome_text(all->cli, p);
	struct ts_run_ref run = run_of(p);

	if (!said)
		return ts_arena_error(&all->cli->arena, err);
	all->rows[all->n_rows++] = (struct row){.name = p->name,
						.id = run.id,
						.steps = run.steps,
						.sent_bytes = p->sent_bytes,
						.new_bytes = p->stored.new_bytes,
						.outcome = p->commit.outcome,
						.said = said};
	return TS_OK;
}

/* The run of this push that has the directory as one of its ranks; NULL: none, and the directory is a run of its own. */
static const struct place *run_of_rank(const struct pushes *all, const struct place *at)
{
	const struct place *run = at->beside.found ? &all->places[at->beside.at] : NULL;

	for (size_t i = 0; run && i < run->n_ranks; i++)
		if (run->ranks[i] == at->beside.rank)
			return run;
	return NULL;
}

static enum ts_status keep_rank(struct pushes *all, struct place *at, const struct place *run, struct ts_error *err)
{
	struct ts_cli *cli = all->cli;
	struct pushed p = {.at = at};
	const char *said = ts_arena_printf(&cli->arena, "rank %" PRId32 " of %.*s", at->beside.rank, TS_SPAN_ARG(run->pushed));

	if (!said)
		return ts_arena_error(&cli->arena, err);
	if (name_it(cli, &p, err))
		return err->status;
	all->rows[all->n_rows++] = (struct row){.name = p.name, .id = run->id, .is_rank = true, .said = said};
	if (cli->json)
		json_rank(&all->json, at, run);
	return TS_OK;
}

/* Keeps which directories beside a run were pushed with it. */
static enum ts_status keep_beside(struct ts_cli *cli, struct place *at, const struct pushed *p, struct ts_error *err)
{
	at->pushed = p->name;
	at->id = run_of(p).id;
	at->n_ranks = p->run.n_beside;
	at->ranks = ts_arena_dup(&cli->arena, p->run.beside, p->run.n_beside * sizeof *at->ranks);
	return at->ranks ? TS_OK : ts_arena_error(&cli->arena, err);
}

/* Says why a run was not pushed, with its path where the error does not begin with it. */
static void say_failed(const struct ts_cli *cli, const struct place *at, const struct ts_error *failed)
{
	bool named = ts_span_starts(ts_span_str(failed->text), ts_span_str(at->path));

	ts_cli_say(cli, "%s%s%s", named ? "" : at->path, named ? "" : ": ", failed->text);
}

/* --- one run, many runs --- */

static void json_begin(struct pushes *all)
{
	all->json = ts_cli_json(all->cli);
	ts_json_object(&all->json);
	ts_json_key(&all->json, "pushes");
	ts_json_array(&all->json);
}

static void json_one(struct ts_json *j, const struct pushed *p, const struct ts_error *failed)
{
	ts_json_object(j);
	ts_json_key(j, "path");
	ts_json_string(j, p->at->path);
	if (failed)
		json_failed(j, failed);
	else
		json_done(j, p);
	ts_json_end(j);
}

static void json_end(struct pushes *all)
{
	ts_json_end(&all->json);
	ts_json_end(&all->json);
	ts_cli_json_end(all->cli, &all->json);
}

static enum ts_status push_single(struct pushes *all, struct ts_error *err)
{
	struct ts_cli *cli = all->cli;
	struct pushed p = {.at = all->places, .arena = &cli->arena, .told_lacks = &all->told_lacks};

	if (p.at->failed)
		return ts_error_set(err, p.at->failed->status, "%s", p.at->failed->text);
	if (push_one(cli, &p, &all->facts, err))
		return err->status;
	if (cli->json) {
		json_begin(all);
		json_one(&all->json, &p, NULL);
		json_end(all);
	} else {
		told_one(cli, &p);
	}
	return TS_OK;
}

/* Pushes the run of one place among many. TS_OK also if it was not pushed: that is counted and said. io_gone: the server does not
 * answer, and no other run is tried. */
static enum ts_status push_next(struct pushes *all, struct place *at, struct ts_arena *arena, bool *io_gone, struct ts_error *err)
{
	const struct place *run = run_of_rank(all, at);
	struct pushed p = {.at = at, .arena = arena, .listed = &all->listed, .told_lacks = &all->told_lacks};
	const struct ts_error *failed = at->failed;
	bool untried = !failed && *io_gone;
	enum ts_status status = TS_OK;
	struct ts_error why;

	if (run && !failed)
		return keep_rank(all, at, run, err);
	if (untried) {
		status = ts_error_set(&why, TS_UNAVAILABLE, "the run was not tried, because the server does not answer");
	} else if (!failed) {
		status = push_one(all->cli, &p, &all->facts, &why);
		*io_gone = status == TS_UNAVAILABLE;
	}
	if (status)
		failed = &why;
	if (all->cli->json)
		json_one(&all->json, &p, failed);
	if (!failed)
		return p.run.n_beside && keep_beside(all->cli, at, &p, err) ? err->status : keep_row(all, &p, err);
	all->failed++;
	all->untried += untried;
	if (!untried)
		say_failed(all->cli, at, failed);
	return TS_OK;
}

/* Says how many runs had which outcome, below a table that may be long. */
static void told_sum(const struct pushes *all)
{
	struct ts_cli *cli = all->cli;
	struct ts_arena *a = &cli->arena;
	uint64_t ranks = 0;
	const char *sum, *before = ": ";

	for (size_t i = 0; i < all->n_rows; i++)
		ranks += all->rows[i].is_rank;
	sum = ts_show_plural(all->n - ranks, "run", a);
	for (enum ts_commit_outcome outcome = 0; sum && outcome <= TS_COMMIT_STAGED; outcome++) {
		const char *word = outcome ? outcome_word(outcome) : "not sent";
		uint64_t n = 0;

		for (size_t i = 0; i < all->n_rows; i++)
			n += all->rows[i].outcome == outcome && !all->rows[i].is_rank;
		if (n) {
			sum = ts_arena_printf(a, "%s%s%s %s", sum, before, ts_show_count(n, a), word);
			before = ", ";
		}
	}
	if (sum && all->failed)
		sum = ts_arena_printf(a, "%s%s%s failed", sum, before, ts_show_count(all->failed, a));
	if (sum && ranks)
		sum = ts_arena_printf(a, "%s; %s of these", sum,
				      ranks == 1 ? "1 directory is a rank" :
						   ts_arena_printf(a, "%s directories are ranks", ts_show_count(ranks, a)));
	if (sum)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0, sum);
}

static enum ts_status push_many(struct pushes *all, struct ts_error *err)
{
	struct ts_cli *cli = all->cli;
	enum ts_status status = TS_OK;
	struct ts_arena arena;
	bool gone = false;

	if (cli->json)
		json_begin(all);
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < all->n; i++) {
		status = push_next(all, &all->places[i], &arena, &gone, err);
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	ts_listed_finish(&all->listed);
	if (status)
		return status;
	if (all->untried)
		ts_cli_say(cli, "%zu more runs were not tried, because the server does not answer; the same command goes on with them",
			   all->untried);
	cli->exit_code = all->failed ? TS_EXIT_FAILED : TS_EXIT_YES;
	if (cli->json)
		json_end(all);
	else if (told_table(all, err))
		return err->status;
	else
		told_sum(all);
	return TS_OK;
}

/* A server that restarts takes no connection for a moment, and a training may have waited days for this push. */
static enum ts_status open_target(struct ts_cli *cli, struct ts_error *err)
{
	enum ts_target_use use = ts_args_has(&cli->args, "dry-run") ? TS_USE_READ : TS_USE_CREATE;
	enum ts_status status;
	int tries[2] = {0, 0};

	do
		status = ts_cli_open(cli, use, err);
	while (status && again(cli, status, false, tries, err));
	return status;
}

/* Pushes to the target that is open. */
static enum ts_status push(struct pushes *all, struct ts_error *err)
{
	all->n_rows = all->failed = all->untried = 0;
	if (name_places(all, err))
		return err->status;
	return all->n == 1 ? push_single(all, err) : push_many(all, err);
}

static enum ts_status open_also(struct ts_cli *cli, const char *store, struct ts_error *err)
{
	enum ts_target_use use = ts_args_has(&cli->args, "dry-run") ? TS_USE_READ : TS_USE_CREATE;

	ts_target_close(&cli->target);
	return also_server(store) ? ts_target_open_further(&cli->target, store, "--also", &cli->arena, err) :
				    ts_target_open(&cli->target, store, NULL, use, &cli->arena, err);
}

/* Pushes the same to another store. Its runs have the same ids there: the facts are those of the first push, and a run that was written
 * to meanwhile is refused. So who does it again sends what is lacking alone. JSON is about the first store. Where this fails, the
 * answer is left as it was. */
static enum ts_status push_also(struct pushes *all, const char *store, struct ts_error *err)
{
	struct ts_cli *cli = all->cli;
	size_t told = cli->out.len;
	int exit_code = cli->exit_code;

	if (!cli->json)
		ts_buf_printf(&cli->out, "\nalso to %s\n", store);
	if (open_also(cli, store, err) || push(all, err)) {
		cli->out.len = told;
		return ts_error_prefix(err,
				       ts_args_has(&cli->args, "dry-run") ?
					       "compared with the stores before, but not with %s" :
					       "pushed, but not to %s, for which the same command goes on",
				       store);
	}
	if (cli->json)
		cli->out.len = told;
	cli->exit_code = exit_code > cli->exit_code ? exit_code : cli->exit_code;
	return TS_OK;
}

/* What the stores before have stays said: the command ends as one that failed, and why is on stderr. */
static enum ts_status end_early(struct ts_cli *cli, const struct ts_error *err)
{
	cli->quiet = false;
	ts_cli_say(cli, "%s", err->text);
	cli->exit_code = TS_EXIT_FAILED;
	return TS_OK;
}

enum ts_status ts_verb_push(struct ts_cli *cli, struct ts_error *err)
{
	struct pushes all = {.cli = cli, .listed = TS_LISTED_INIT};
	const char *also;

	if (check_options(cli, err) || pusher_facts(cli, &all.facts, err) || find(&all, err) || open_target(cli, err) ||
	    push(&all, err))
		return err->status;
	for (size_t i = 0; (also = ts_args_nth(&cli->args, "also", i)); i++)
		if (push_also(&all, also, err))
			return end_early(cli, err);
	return TS_OK;
}
