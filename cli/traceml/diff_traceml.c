#include "cli/traceml/diff_traceml.h"

#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/core/verb.h"
#include "run/head.h"

static enum ts_status refuse_options(const struct ts_cli *cli, struct ts_error *err)
{
	for (const struct ts_option *own = cli->verb->options; own->name; own++)
		if (strcmp(own->name, "as") != 0 && ts_args_has(&cli->args, own->name))
			return ts_error_set(err, TS_INVALID, "diff: --as traceml takes no --%s", own->name);
	return TS_OK;
}

static enum ts_status load(struct ts_cli *cli, size_t i, struct ts_span spec, struct ts_run_ref *ret_run,
			   struct ts_traceml_summary *ret_summary, struct ts_error *err)
{
	struct ts_get_reply run;
	struct ts_head head;

	if (ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) || ts_head_decode(run.head, &cli->arena, &head, err))
		return err->status;
	if (!ts_traceml_summary_of(&head.facts, ret_summary))
		return ts_error_set(err, TS_INVALID,
				    "diff: %s is not a summary of TraceML (a final_summary.json, or a run pushed from "
				    "one), and --as traceml "
				    "only compares such summaries",
				    ts_cli_word(cli, i));
	*ret_run = run.run;
	return TS_OK;
}

static int exit_code(enum ts_traceml_verdict verdict)
{
	switch (verdict) {
	case TS_TRACEML_EQUIVALENT:
	case TS_TRACEML_IMPROVEMENT:
		return TS_EXIT_YES;
	case TS_TRACEML_REGRESSION:
	case TS_TRACEML_MIXED:
		return TS_EXIT_NO;
	case TS_TRACEML_INCONCLUSIVE:
		break;
	}
	return TS_EXIT_INCONCLUSIVE;
}

enum ts_status ts_diff_traceml(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_traceml_answer answer;
	struct ts_traceml_summary a, b;
	struct ts_span specs[2];
	enum ts_status status = refuse_options(cli, err);

	if (!status)
		status = ts_cli_runs(cli, cli->args.words, 2, specs, err);
	if (!status)
		status = load(cli, 0, specs[0], &answer.a, &a, err);
	if (!status)
		status = load(cli, 1, specs[1], &answer.b, &b, err);
	if (!status)
		status = ts_traceml_compare(&a, &b, &cli->arena, &answer.said, err);
	if (status)
		return status;
	ts_cli_call_run(cli, ts_cli_word(cli, 0), &answer.a);
	ts_cli_call_run(cli, ts_cli_word(cli, 1), &answer.b);
	cli->exit_code = exit_code(answer.said.findings[0].verdict);
	if (!cli->json)
		return ts_render_traceml_text(cli, &answer, err);
	ts_render_traceml_json(cli, &answer);
	return TS_OK;
}
