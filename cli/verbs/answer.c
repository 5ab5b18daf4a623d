/* answer.c - see answer.h. */
#include "cli/verbs/answer.h"

#include "base/limits.h"
#include "base/text.h"
#include "base/uri.h"
#include "cli/core/path_run.h"
#include "cli/verbs/verbs.h"

enum { SAID_MAX = 1 << 20 };

static enum ts_status refuse_paths(const struct ts_cli *cli, struct ts_error *err)
{
	for (size_t i = 0; i < cli->args.n_words; i++)
		if (ts_is_path(cli->args.words[i]))
			return ts_error_set(err, TS_NOT_FOUND, "nothing is named %s", ts_show(ts_span_str(cli->args.words[i])).text);
	return TS_OK;
}

/* As for a command: that nothing is at a path is said before a server is asked. */
static enum ts_status check_paths(struct ts_cli *cli, struct ts_error *err)
{
	for (size_t i = 0; i < cli->args.n_words && i < cli->verb->paths; i++)
		if (ts_path_check(cli->args.words[i], &cli->arena, err))
			return err->status;
	return TS_OK;
}

/* Pages of the project that is asked lie beside this one. */
static enum ts_status link_pages(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(TS_TEXT_MAX);
	const char *project;

	if (ts_cli_project(cli, &project, err))
		return err->status;
	ts_buf_str(&out, "/p/");
	ts_uri_encode(&out, ts_span_str(project), false);
	ts_buf_char(&out, '/');
	cli->term.links = out.failed ? NULL : ts_arena_printf(&cli->arena, "%.*s", (int)out.len, (const char *)out.data);
	ts_buf_finish(&out);
	return TS_OK;
}

static enum ts_status run(struct ts_cli *cli, const struct ts_asked *asked, struct ts_error *err)
{
	enum ts_status status;

	cli->verb = ts_verb_find(asked->words[0]);
	if (!cli->verb)
		return ts_verb_unknown(asked->words[0], err);
	if (ts_args_parse(&cli->args, cli->verb->options, ts_common_options, (int)asked->n - 1, asked->words + 1, false, &cli->arena,
			  err))
		return err->status;
	if (cli->args.n_words < cli->verb->min_words || cli->args.n_words > cli->verb->max_words)
		return ts_error_set(err, TS_INVALID, "%s: usage: tscope %s %s", cli->verb->name, cli->verb->name, cli->verb->usage);
	if (asked->local ? check_paths(cli, err) : refuse_paths(cli, err))
		return err->status;
	if (cli->served && link_pages(cli, err))
		return err->status;
	cli->json = ts_args_has(&cli->args, "json");
	status = asked->instead ? asked->instead(cli, asked->ctx, err) : cli->verb->run(cli, err);
	if (!status)
		status = ts_buf_check(&cli->out, err);
	return status ? status : ts_arena_check(&cli->arena, err);
}

void ts_answer_error(struct ts_buf *out, const struct ts_error *err)
{
	struct ts_json j = ts_json_of(out);

	j.indent = 2;
	j.shown = true;
	ts_json_object(&j);
	ts_json_key(&j, "error");
	ts_json_object(&j);
	ts_json_key(&j, "status");
	ts_json_string(&j, ts_status_word(err->status));
	ts_json_key(&j, "message");
	ts_json_string(&j, err->text);
	ts_json_end(&j);
	ts_json_end(&j);
	ts_buf_char(out, '\n');
}

void ts_answer(const struct ts_asked *asked, struct ts_answer *ret)
{
	struct ts_cli cli = {.out = TS_BUF_INIT(TS_ANSWER_MAX), .names_only = !asked->local, .served = !asked->local,
			     .said = &ret->said, .target = *asked->target,
			     .term = {.utf8 = true, .page = asked->page, .err_width = 80}};

	*ret = (struct ts_answer){.err = {.status = TS_INTERNAL, .text = "something failed and did not say why"},
				  .said = TS_BUF_INIT(SAID_MAX)};
	ts_arena_init(&cli.arena, TS_ANALYSIS_ARENA);
	ret->status = run(&cli, asked, &ret->err);
	if (ret->status)
		ts_buf_reset(&cli.out);
	ret->out = cli.out;
	ret->exit_code = cli.exit_code;
	ts_prefetch_finish(&cli.target.prefetch);
	*asked->target = cli.target;
	ts_arena_finish(&cli.arena);
}
