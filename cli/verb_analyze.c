/* verb_analyze.c - tscope analyze: what a run's steps cost and what its loss did. */
#include "base/limits.h"
#include "cli/ask.h"
#include "cli/render.h"
#include "cli/verbs.h"

static enum ts_status options(const struct ts_cli *cli, struct ts_analyze_request *request, struct ts_error *err)
{
	uint64_t rank = 0;
	enum ts_status status = ts_args_uint(&cli->args, "warmup", INT64_MAX, &request->has_warmup, &request->warmup, err);

	if (!status)
		status = ts_args_uint(&cli->args, "rank", INT32_MAX, &request->has_rank, &rank, err);
	request->rank = (int32_t)rank;
	return status ? ts_error_prefix(err, "analyze") : TS_OK;
}

enum ts_status ts_verb_analyze(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_analyze_request request = {0};
	struct ts_analysis analysis;
	enum ts_status status = options(cli, &request, err);

	if (!status)
		status = ts_cli_run(cli, ts_cli_word(cli, 0), &request.spec, err);
	if (!status)
		status = ts_ask_analyze(cli->target.channel, &request, &cli->arena, &analysis, err);
	if (status)
		return status;
	if (!cli->json)
		return ts_render_analysis_text(cli, &analysis, err);
	ts_render_analysis_json(cli, &analysis);
	return TS_OK;
}
