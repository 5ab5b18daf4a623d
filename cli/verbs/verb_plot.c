/* verb_plot.c - tscope plot: one column of many runs in one picture. */
#include "base/number.h"
#include "cli/core/ask.h"
#include "cli/core/gather_runs.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/report/chart_page.h"
#include "cli/report/chart_text.h"
#include "cli/report/page.h"
#include "cli/report/render_report.h"
#include "cli/verbs/verbs.h"

#include <math.h>

static enum ts_chart_axis axis_of(const char *word)
{
	enum ts_chart_axis axis = TS_CHART_STEP;

	while (word && axis < TS_CHART_EPOCH && strcmp(word, ts_chart_axis_word(axis)) != 0)
		axis++;
	return axis;
}

static enum ts_status place(const struct ts_cli *cli, const char *option, bool *ret_given, double *ret_place, struct ts_error *err)
{
	const char *text = ts_args_text(&cli->args, option);

	*ret_given = text != NULL;
	if (text && (!ts_parse_double(ts_span_str(text), ret_place) || !isfinite(*ret_place)))
		return ts_error_set(err, TS_INVALID, "plot: --%s takes a place on the horizontal axis, a number", option);
	return TS_OK;
}

/* A stretch of the axis that is cut into cells. */
static enum ts_status view(const struct ts_cli *cli, struct ts_chart_request *request, struct ts_error *err)
{
	uint64_t cells = 0;
	bool given;

	if (ts_args_uint(&cli->args, "cells", TS_CHART_CELLS_MAX, &given, &cells, err))
		return ts_error_prefix(err, "plot");
	if (place(cli, "from", &request->has_from, &request->from, err) || place(cli, "to", &request->has_to, &request->to, err))
		return err->status;
	if (given && (cells == 0 || !cli->json))
		return ts_error_set(err, TS_INVALID, "plot: --cells takes 1 to %d, and needs --json", TS_CHART_CELLS_MAX);
	if (!given && (request->has_from || request->has_to) && !cli->served) /* the address of a page holds the view of its script */
		return ts_error_set(err, TS_INVALID, "plot: --from and --to need --cells");
	request->cells = (uint32_t)cells;
	return TS_OK;
}

static enum ts_status options(const struct ts_cli *cli, struct ts_chart_request *request, struct ts_error *err)
{
	const char *by = ts_args_text(&cli->args, "by");
	uint64_t rank = 0;
	bool given;

	request->column = ts_span_str(ts_cli_word(cli, 0));
	if (request->column.len == 0)
		return ts_error_set(err, TS_INVALID, "plot: the name of the column is empty");
	request->axis = axis_of(ts_args_text(&cli->args, "x"));
	request->log_x = ts_args_has(&cli->args, "logx");
	request->log_y = ts_args_has(&cli->args, "log");
	request->by = by ? ts_span_str(by) : ts_span_of(NULL, 0);
	if (ts_args_above_zero(&cli->args, "smooth", &given, &request->smooth, err) ||
	    ts_args_uint(&cli->args, "rank", INT32_MAX, &request->has_rank, &rank, err))
		return ts_error_prefix(err, "plot");
	if (given && (request->smooth < 1 || request->smooth > TS_CHART_SMOOTH_MAX))
		return ts_error_set(err, TS_INVALID, "plot: --smooth takes a number of values from 1 to %d", TS_CHART_SMOOTH_MAX);
	if (!given)
		request->smooth = 0;
	request->rank = (int32_t)rank;
	return view(cli, request, err);
}

/* A page shows more than a terminal. */
static uint32_t columns_of(const struct ts_cli *cli)
{
	if (ts_args_has(&cli->args, "html"))
		return TS_CHART_PAGE_COLUMNS;
	return cli->json ? TS_CHART_COLUMNS : (uint32_t)ts_chart_text_columns(&cli->term);
}

static enum ts_status take_highlights(struct ts_cli *cli, struct ts_chart_labels *labels, struct ts_error *err)
{
	const char **patterns = ts_arena_array(&cli->arena, cli->args.n + 1, sizeof *patterns);

	if (!patterns)
		return ts_arena_error(&cli->arena, err);
	while (ts_args_nth(&cli->args, "highlight", labels->n_highlight)) {
		patterns[labels->n_highlight] = ts_args_nth(&cli->args, "highlight", labels->n_highlight);
		labels->n_highlight++;
	}
	labels->highlight = patterns;
	return TS_OK;
}

static enum ts_status show(struct ts_cli *cli, const struct ts_chart *chart, const struct ts_gathered *runs, struct ts_error *err)
{
	struct ts_chart_labels labels = {
		.names = runs->names, .by = ts_args_text(&cli->args, "by"), .bands = ts_args_has(&cli->args, "bands")};
	struct ts_chart_view view;
	bool answered = false;

	if (take_highlights(cli, &labels, err))
		return err->status;
	if (ts_chart_view_of(chart, &labels, &cli->arena, &view, err) || ts_page_write(cli, ts_chart_page, &view, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_chart, chart, err);
	return ts_chart_text(&view, &cli->term, &cli->arena, &cli->out, err);
}

enum ts_status ts_verb_plot(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_chart_request request = {.n = 0};
	struct ts_gathered runs;
	struct ts_chart chart;

	if (ts_check_page_option(cli, "json", err))
		return ts_error_prefix(err, "plot");
	if (options(cli, &request, err) ||
	    ts_gather_runs(cli, cli->args.words + 1, cli->args.n_words - 1, TS_CHART_RUNS_MAX, &runs, err))
		return err->status;
	request.n = runs.n;
	request.columns = columns_of(cli);
	request.runs = ts_arena_array(&cli->arena, runs.n, sizeof *request.runs);
	if (!request.runs)
		return ts_arena_error(&cli->arena, err);
	if (ts_cli_runs(cli, runs.words, runs.n, request.runs, err) ||
	    ts_ask_chart(cli->target.channel, &request, &cli->arena, &chart, err))
		return err->status;
	if (chart.n != runs.n)
		return ts_error_set(err, TS_DAMAGED, "plot: the answer has %zu runs, and %zu were asked for", chart.n, runs.n);
	return show(cli, &chart, &runs, err);
}
