/* verb_trend.c - tscope trend: where the level of a metric of a branch changed. */
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/gate/gate_request.h"
#include "cli/json/json_parts.h"
#include "cli/report/render_report.h"
#include "cli/report/report.h"
#include "cli/verbs/verbs.h"

/* The target must be open. A word without a kind in front is the name of a branch, even if a run or a tag has the same name. */
static enum ts_status branch(struct ts_cli *cli, const char *word, struct ts_span *ret_spec, struct ts_error *err)
{
	const char *spec = strchr(word, ':') ? word : ts_arena_printf(&cli->arena, "branch:%s", word);

	if (!*word)
		return ts_error_set(err, TS_INVALID, "trend: the name of the branch is empty");
	if (!spec)
		return ts_arena_error(&cli->arena, err);
	return ts_cli_specs(cli, &spec, 1, ret_spec, err);
}

static enum ts_status options(struct ts_cli *cli, struct ts_trend_request *request, struct ts_error *err)
{
	const char *metric = ts_args_text(&cli->args, "metric");
	struct ts_gate_policy policy;
	bool given;

	if (ts_check_page_option(cli, "json", err) || ts_gate_options(cli, &request->policy, &policy, err) ||
	    ts_args_uint(&cli->args, "limit", TS_TREND_RUNS_MAX, &given, &request->limit, err))
		return ts_error_prefix(err, "trend");
	if (given && request->limit == 0)
		return ts_error_set(err, TS_INVALID, "trend: --limit must be at least 1; without it, trend reads all entries, up to %d",
				    TS_TREND_RUNS_MAX);
	if (metric)
		request->metric = ts_span_str(metric);
	return TS_OK;
}

static enum ts_status answer(struct ts_cli *cli, const struct ts_trend *trend, struct ts_error *err)
{
	struct ts_report report;
	bool answered = false;

	if (ts_report_of_trend(trend, cli->term.links, &cli->arena, &report, err) ||
	    ts_render_report_page(cli, &report, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	if (!cli->json)
		return ts_render_report_text(cli, &report, err);
	return ts_json_answer(cli, &ts_shape_trend, trend, err);
}

enum ts_status ts_verb_trend(struct ts_cli *cli, struct ts_error *err)
{
	const char *like = ts_args_text(&cli->args, "like");
	struct ts_trend_request request = {.metric = ts_span_str(ts_metrics[TS_METRIC_STEP_TIME].name)};
	struct ts_trend trend;
	enum ts_status status = options(cli, &request, err);

	if (!status)
		status = ts_cli_open(cli, TS_USE_READ, err);
	if (!status)
		status = branch(cli, ts_cli_word(cli, 0), &request.branch, err);
	if (!status && like)
		status = ts_cli_run(cli, like, &request.like, err);
	if (!status)
		status = ts_ask_trend(cli->target.channel, &request, &cli->arena, &trend, err);
	if (!status)
		status = answer(cli, &trend, err);
	if (status)
		return status;
	cli->exit_code = ts_args_has(&cli->args, "exit-code") && ts_trend_is_worse(&trend) ? TS_EXIT_NO : TS_EXIT_YES;
	return TS_OK;
}
