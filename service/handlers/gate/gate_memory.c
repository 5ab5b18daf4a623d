#include "service/handlers/gate/gate_memory.h"

#include "analysis/snapshot/memory_diff.h"
#include "run/snapshot_columns.h"
#include "service/handlers/gate/gate_files.h"

#include <math.h>

/* *ret_few: both have so few events and blocks that they are compared here. */
static enum ts_status are_few(struct ts_fetch *f, const struct ts_run_trace *const of[2], struct ts_arena *arena, bool *ret_few,
			      struct ts_error *err)
{
	*ret_few = true;
	for (int k = 0; k < 2; k++) {
		uint64_t rows;

		if (ts_snapshot_columns_rows(ts_fetch_source, f, &of[k]->columns, arena, &rows, err))
			return err->status;
		*ret_few = *ret_few && rows <= TS_SERVED_SNAPSHOT_ROWS;
	}
	return TS_OK;
}

static int64_t growth(const struct ts_memory_diff_device *d)
{
	return d->peak.known ? d->peak.difference : d->end.difference;
}

/* The device that grew most; NULL: the snapshots have none in common. */
static const struct ts_memory_diff_device *most_grown(const struct ts_memory_diff *diff)
{
	const struct ts_memory_diff_device *most = NULL;

	for (size_t i = 0; i < diff->n; i++)
		if (!most || growth(&diff->devices[i]) > growth(most))
			most = &diff->devices[i];
	return most;
}

static enum ts_status say(const struct ts_memory_diff *diff, struct ts_arena *own, struct ts_span *ret, struct ts_error *err)
{
	const struct ts_memory_diff_device *d = most_grown(diff);
	const char *text;

	if (!d)
		*ret = ts_span_str("both runs have memory snapshots, but of different devices");
	else
		*ret = d->sentence;
	if (!d || diff->n == 1)
		return TS_OK;
	text = ts_arena_printf(own, "device %" PRIu64 ": %.*s", d->device, TS_SPAN_ARG(d->sentence));
	*ret = ts_span_str(text ? text : "");
	return ts_arena_check(own, err);
}

static enum ts_status row_of(struct ts_fetch *f, const struct ts_run_trace *const of[2], struct ts_arena *own, struct ts_gate_why *ret,
			     double *ret_more, struct ts_error *err)
{
	struct ts_snapshot snapshots[2];
	struct ts_memory_diff diff;
	bool few;

	*ret_more = 0;
	*ret = (struct ts_gate_why){
		.kind = ts_span_str(ts_gate_part_word(TS_GATE_PART_MEMORY)), .base = NAN, .candidate = NAN, .share = NAN};
	if (are_few(f, of, own, &few, err))
		return err->status;
	if (!few) {
		ret->name = ts_span_str("both runs have memory snapshots, which are too long to be compared here: tscope export gives "
					"their files, and tscope diff compares them");
		return TS_OK;
	}
	for (int k = 0; k < 2; k++)
		if (ts_snapshot_columns_load(ts_fetch_source, f, &of[k]->columns, own, &snapshots[k], err))
			return err->status;
	if (ts_memory_diff(&snapshots[0], &snapshots[1], own, &diff, err))
		return err->status;
	if (diff.n)
		*ret_more = (double)growth(most_grown(&diff));
	return say(&diff, own, &ret->name, err);
}

enum ts_status ts_gate_memory_why(struct ts_fetch *f, struct ts_verdict *v, struct ts_arena *arena, struct ts_error *err)
{
	return ts_gate_asks_memory(v) ? ts_gate_files_why(f, v, ts_run_snapshots, row_of, TS_GATE_FILES_RANKS, arena, err) : TS_OK;
}
