/* text_diff.c - of a diff the one line for scripts; the report for people is laid out by report_diff.c. */
#include "cli/text/text_diff.h"

#include "cli/core/diff_view.h"
#include "cli/view/show_value.h"
#include "run/head.h"

/* The separators are tabs, which no name can contain because they are escaped. */
static enum ts_status put_first(struct ts_cli *cli, int64_t step, struct ts_span name, int32_t rank, struct ts_error *err)
{
	const char *text = ts_show_text(name, &cli->arena);

	if (!text)
		return ts_arena_error(&cli->arena, err);
	ts_buf_printf(&cli->out, "%" PRId64 "\t%s\t", step, text);
	if (rank == TS_RANK_JOB)
		ts_buf_str(&cli->out, "job\n");
	else
		ts_buf_printf(&cli->out, "%d\n", rank);
	return ts_buf_check(&cli->out, err);
}

enum ts_status ts_render_diff_first(struct ts_cli *cli, const struct ts_diff *diff, struct ts_error *err)
{
	const struct ts_series_row *row = ts_diff_first(diff);
	const struct ts_op_row *op = ts_op_culprit(&diff->ops);
	const struct ts_sketch_row *tensor = ts_sketch_told(&diff->sketches);

	if (row)
		return put_first(cli, row->first_step, row->name, row->rank, err);
	if (op)
		return put_first(cli, op->step, op->name, op->rank, err);
	if (tensor)
		return put_first(cli, tensor->step, tensor->name, TS_RANK_JOB, err);
	ts_buf_str(&cli->out, "-\t-\t-\n");
	return ts_buf_check(&cli->out, err);
}
