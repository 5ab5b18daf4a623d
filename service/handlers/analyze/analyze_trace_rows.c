#include "service/handlers/analyze/analyze_trace_rows.h"

#include "analysis/trace/advice/trace_answer.h"
#include "analysis/trace/device/kernel_table.h"
#include "base/limits.h"
#include "base/text.h"
#include "run/trace_columns.h"

bool ts_run_keeps_files(const struct ts_run *run)
{
	for (size_t i = 0; i < run->head.n_ranks; i++)
		if (run->indexes[i].n_files)
			return true;
	return false;
}

static enum ts_status about(struct ts_fetch *f, const struct ts_run_trace *trace, struct ts_arena *work, struct ts_trace_about *ret,
			    struct ts_trace_record *ret_record, struct ts_error *err)
{
	return ts_trace_columns_about(ts_fetch_source, f, &trace->columns, work, ret, ret_record, err);
}

/* Whose the traces of the job's files are. */
static enum ts_status give_ranks(struct ts_fetch *f, struct ts_traces *io, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_arena work;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < io->n; i++) {
		struct ts_trace_record record;
		struct ts_trace_about says;

		if (io->items[i].rank != TS_RANK_JOB)
			continue;
		status = about(f, &io->items[i], &work, &says, &record, err);
		if (!status && says.rank >= 0 && says.rank <= INT32_MAX)
			io->items[i].rank = (int32_t)says.rank;
		ts_arena_reset(&work);
	}
	ts_arena_finish(&work);
	return status;
}

enum ts_status ts_traces_find(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_traces *ret,
			      struct ts_error *err)
{
	*ret = (struct ts_traces){NULL, 0};
	if (!ts_run_keeps_files(run))
		return TS_OK;
	if (ts_run_traces(ts_fetch_source, f, &run->id, arena, &ret->items, &ret->n, err))
		return err->status;
	return give_ranks(f, ret, err);
}

/* The digits at *at, without zeros in front; *at is behind them. */
static struct ts_span number_at(struct ts_span text, size_t *at)
{
	size_t from;

	while (*at < text.len && text.data[*at] == '0')
		++*at;
	for (from = *at; *at < text.len && ts_is_digit(text.data[*at]);)
		++*at;
	return ts_span_part(text, from, *at - from);
}

/* By bytes, but trace-40 comes before trace-100, and trace.json before both. */
static bool is_before(struct ts_span a, struct ts_span b)
{
	size_t i = 0, k = 0;

	while (i < a.len && k < b.len) {
		if (ts_is_digit(a.data[i]) && ts_is_digit(b.data[k])) {
			struct ts_span x = number_at(a, &i), y = number_at(b, &k);
			int order = x.len == y.len ? memcmp(x.data, y.data, x.len) : x.len < y.len ? -1 : 1;

			if (order)
				return order < 0;
		} else if (a.data[i++] != b.data[k++]) {
			bool ends_a = a.data[i - 1] == '.', ends_b = b.data[k - 1] == '.';

			return ends_a == ends_b ? a.data[i - 1] < b.data[k - 1] : ends_a;
		}
	}
	return k < b.len;
}

const struct ts_run_trace *ts_traces_of_rank(const struct ts_traces *traces, int32_t rank, size_t *ret_n)
{
	const struct ts_run_trace *last = NULL;

	*ret_n = 0;
	for (size_t i = 0; i < traces->n; i++) {
		if (traces->items[i].rank != rank)
			continue;
		++*ret_n;
		if (!last || is_before(last->name, traces->items[i].name))
			last = &traces->items[i];
	}
	return last;
}

static enum ts_status read_rows(struct ts_fetch *f, const struct ts_run_trace *of, struct ts_arena *work, struct ts_arena *arena,
				struct ts_measures *io_rows, struct ts_error *err)
{
	struct ts_trace_record record;
	struct ts_trace trace;
	enum ts_status status;

	if (ts_trace_columns_load(ts_fetch_source, f, &of->columns, work, &trace, &record, err))
		return err->status;
	status = ts_kernel_table(&trace, NULL, work, err);
	if (!status)
		status = ts_trace_rows_of(&trace, work, arena, io_rows, err);
	ts_trace_finish(&trace);
	return status;
}

static enum ts_status too_long(const struct ts_trace_about *says, uint64_t events, struct ts_arena *arena, struct ts_measures *io_rows,
			       struct ts_error *err)
{
	const char *reason = ts_arena_printf(arena,
					     "the trace has %" PRIu64 " events, and those of more than %d are not read here: "
					     "tscope analyze RUN --trace NAME reads it",
					     events, TS_SERVED_TRACE_EVENTS);

	return reason ? ts_trace_rows_unread(says, reason, arena, io_rows, err) : ts_arena_error(arena, err);
}

enum ts_status ts_traces_rows(struct ts_fetch *f, const struct ts_traces *traces, int32_t rank, struct ts_arena *arena,
			      struct ts_measures *io_rows, struct ts_error *err)
{
	size_t n;
	const struct ts_run_trace *of = ts_traces_of_rank(traces, rank, &n);
	struct ts_trace_record record;
	struct ts_trace_about says;
	struct ts_arena work;
	enum ts_status status;

	if (!of)
		return TS_OK;
	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = about(f, of, &work, &says, &record, err);
	if (!status)
		status = record.events > TS_SERVED_TRACE_EVENTS ? too_long(&says, record.events, arena, io_rows, err)
								: read_rows(f, of, &work, arena, io_rows, err);
	ts_arena_finish(&work);
	return status;
}
