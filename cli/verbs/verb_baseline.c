/* verb_baseline.c - tscope baseline: shows the runs with which a candidate would be compared, and accepts a change. */
#include "base/file.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/gate/gate_json.h"
#include "cli/gate/gate_request.h"
#include "cli/gate/gate_text.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/verbs.h"

enum { COMMIT_LEAST = 7, NAMES_MAX = 64, BUNDLE_MODE = 0644 };

/* --- show the baselines, or write a bundle --- */

static enum ts_status write_bundle(struct ts_cli *cli, const struct ts_gate_input *input, const char *path,
				   struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT((size_t)1 << 26);
	enum ts_status status = ts_render_baseline_json(input, &cli->arena, &out, err);

	if (!status)
		status = ts_file_replace(path, ts_buf_view(&out), BUNDLE_MODE, err);
	ts_buf_finish(&out);
	return status;
}

static enum ts_status show(struct ts_cli *cli, struct ts_error *err)
{
	const char *bundle = ts_args_text(&cli->args, "bundle");
	struct ts_gate_request request;
	struct ts_gate_policy policy;
	struct ts_gate_input input;
	struct ts_policy items;

	if (ts_args_has(&cli->args, "reason") || ts_args_has(&cli->args, "branch"))
		return ts_error_set(err, TS_INVALID,
				    "baseline: --reason and --branch can only be used with 'tscope baseline accept COMMIT'");
	if (cli->args.n_words > 1)
		return ts_error_set(err, TS_INVALID, "baseline: the word '%s' is not expected; usage: tscope baseline %s",
				    cli->args.words[1], cli->verb->usage);
	if (ts_gate_options(cli, &items, &policy, err))
		return ts_error_prefix(err, "baseline");
	if (ts_gate_request_of(cli, cli->args.words, cli->args.n_words, NULL, &items, &request, err) ||
	    ts_baseline_ask(cli, &request, &input, err))
		return err->status;
	if (bundle && write_bundle(cli, &input, bundle, err))
		return err->status;
	return cli->json ? ts_render_baseline_json(&input, &cli->arena, &cli->out, err)
			 : ts_render_baseline_text(cli, &input, err);
}

/* --- accept a change --- */

struct acceptance {
	struct ts_span branch; /* "project/main" */
	const char *commit;    /* the commit as it was typed */
	const char *reason;
	struct ts_span full; /* the whole commit, from the runs that were found */
	struct ts_list_row *rows;
	size_t n;
};

static enum ts_status check(struct ts_cli *cli, struct acceptance *a, struct ts_error *err)
{
	const char *branch = ts_args_text(&cli->args, "branch"), *word;
	struct ts_ref ref;
	static const char *const others[] = {"baseline", "bundle", "policy", "metric", "workload", "across", "exclude"};

	a->commit = ts_cli_word(cli, 1);
	a->reason = ts_args_text(&cli->args, "reason");
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (ts_args_has(&cli->args, others[i]))
			return ts_error_set(err, TS_INVALID, "baseline: --%s cannot be used with accept", others[i]);
	if (!a->commit || !a->reason || !*a->reason)
		return ts_error_set(err, TS_INVALID,
				    "baseline: usage: tscope baseline accept COMMIT --reason TEXT [--branch NAME]");
	for (const char *c = a->commit; *c; c++)
		if (!ts_is_digit((unsigned char)*c) && (*c < 'a' || *c > 'f'))
			return ts_error_set(err, TS_INVALID,
					    "baseline: '%s' is not a commit: a commit has only hex digits, at least %d", a->commit,
					    COMMIT_LEAST);
	if (strlen(a->commit) < COMMIT_LEAST)
		return ts_error_set(err, TS_INVALID, "baseline: '%s' is too short for a commit: give at least %d digits",
				    a->commit, COMMIT_LEAST);
	word = ts_arena_printf(&cli->arena, "branch:%s", branch ? branch : "main");
	if (!word)
		return ts_arena_error(&cli->arena, err);
	if (ts_cli_open(cli, TS_USE_CHANGE, err) || ts_cli_refs(cli, &word, 1, &ref, err))
		return err->status;
	a->branch = ref.name;
	return TS_OK;
}

static bool on_branch(const struct ts_log_reply *log, const struct ts_id *id)
{
	for (size_t i = 0; i < log->n; i++)
		if (ts_id_eq(&log->entries[i].id, id))
			return true;
	return false;
}

static enum ts_status take_row(struct acceptance *a, const struct ts_list_row *row, struct ts_error *err)
{
	struct ts_span commit = row->cells[0].known ? row->cells[0].value.text : ts_span_of(NULL, 0);

	if (a->n == NAMES_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "baseline: the branch has more than %d runs of commit %s", NAMES_MAX,
				    a->commit);
	if (a->n && !ts_span_eq(commit, a->full))
		return ts_error_set(err, TS_AMBIGUOUS, "baseline: %s matches more than one commit: %.*s and %.*s", a->commit,
				    TS_SPAN_ARG(a->full), TS_SPAN_ARG(commit));
	a->full = commit;
	a->rows[a->n++] = *row;
	return TS_OK;
}

/* Finds the names of runs of the commit that point at an entry of the branch. */
static enum ts_status find(struct ts_cli *cli, struct acceptance *a, struct ts_error *err)
{
	const uint8_t *slash = memchr(a->branch.data, '/', a->branch.len);
	const char *spec = ts_arena_printf(&cli->arena, "branch:%.*s", TS_SPAN_ARG(a->branch));
	const char *filter = ts_arena_printf(&cli->arena, "code.commit~\"%s*\"", a->commit);
	struct ts_span column = ts_span_str("code.commit");
	struct ts_list_request list = {
		.kind = TS_REF_RUN, .columns = &column, .n_columns = 1, .sort = ts_span_str("name")};
	struct ts_list_reply page;
	struct ts_log_reply log;

	a->rows = ts_arena_array(&cli->arena, NAMES_MAX, sizeof *a->rows);
	if (!spec || !filter || !a->rows)
		return ts_arena_error(&cli->arena, err);
	list.project = ts_span_of(a->branch.data, slash ? (size_t)(slash - a->branch.data) : 0);
	list.filter = ts_span_str(filter);
	if (ts_ask_log(cli->target.channel, &(struct ts_log_request){.spec = ts_span_str(spec)}, &cli->arena, &log,
		       err))
		return err->status;
	do {
		if (ts_ask_list(cli->target.channel, &list, &cli->arena, &page, err))
			return err->status;
		for (size_t i = 0; i < page.n; i++)
			if (on_branch(&log, &page.rows[i].id) && take_row(a, &page.rows[i], err))
				return err->status;
		list.page_token = page.next_token;
	} while (list.page_token.len);
	if (a->n)
		return TS_OK;
	return ts_error_set(err, TS_NOT_FOUND, "baseline: branch %.*s has no named run of commit %s", TS_SPAN_ARG(a->branch),
			    a->commit);

}

static enum ts_status note(struct ts_cli *cli, const struct acceptance *a, struct ts_error *err)
{
	for (size_t i = 0; i < a->n; i++) {
		const char *spec = ts_arena_printf(&cli->arena, "run:%.*s", TS_SPAN_ARG(a->rows[i].name));
		struct ts_note_request request = {.key = ts_span_str("accepted"), .value = ts_span_str(a->reason)};

		if (!spec)
			return ts_arena_error(&cli->arena, err);
		request.name = ts_span_str(spec);
		if (ts_ask_note(cli->target.channel, &request, &cli->arena, err))
			return ts_error_prefix(err, "baseline: %.*s", TS_SPAN_ARG(a->rows[i].name));
	}
	return TS_OK;
}

static void told(struct ts_cli *cli, const struct acceptance *a)
{
	ts_buf_str(&cli->out, "accepted at ");
	ts_escape(&cli->out, a->full);
	ts_buf_str(&cli->out, " on ");
	ts_escape(&cli->out, a->branch);
	ts_buf_str(&cli->out, ": baselines begin with");
	for (size_t i = 0; i < a->n; i++) {
		ts_buf_char(&cli->out, ' ');
		ts_escape(&cli->out, a->rows[i].name);
	}
	ts_buf_char(&cli->out, '\n');
}

static void told_json(struct ts_cli *cli, const struct acceptance *a)
{
	struct ts_json json = ts_cli_json(cli), *j = &json;

	ts_json_object(j);
	ts_json_text(j, "branch", a->branch);
	ts_json_text(j, "commit", a->full);
	ts_json_text(j, "reason", ts_span_str(a->reason));
	ts_json_key(j, "accepted");
	ts_json_array(j);
	for (size_t i = 0; i < a->n; i++) {
		ts_json_object(j);
		ts_json_text(j, "name", a->rows[i].name);
		ts_json_id(j, "id", &a->rows[i].id);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}

static enum ts_status accept(struct ts_cli *cli, struct ts_error *err)
{
	struct acceptance a = {.n = 0};

	if (check(cli, &a, err) || find(cli, &a, err) || note(cli, &a, err))
		return err->status;
	if (cli->json)
		told_json(cli, &a);
	else
		told(cli, &a);
	return TS_OK;
}

enum ts_status ts_verb_baseline(struct ts_cli *cli, struct ts_error *err)
{
	if (cli->args.n_words && strcmp(cli->args.words[0], "accept") == 0)
		return accept(cli, err);
	return show(cli, err);
}
