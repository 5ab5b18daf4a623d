/* segments.c - merges the stretches of a steps.jsonl, between which steps go back, into rows in the order of steps. */
#include "ingest/rundir/steps.h"

#include "base/alloc.h"

enum { WINDOWS_BUDGET = 64 << 20, WINDOW_MIN = 16 << 10, WINDOW_MAX = 1 << 20 };

struct lane {
	struct ts_range range;
	int64_t step; /* of the run, of the next record */
	bool open;
};

struct merge {
	const struct ts_steps_input *input;
	const struct ts_segment *segments;
	const struct ts_executions *executions;
	struct lane *lanes; /* one for each segment */
	uint32_t *heap;	    /* the lanes that have a record, ordered by (step, segment) */
	size_t n;	    /* the number of lanes in the heap */
	uint32_t *same;	    /* the lanes that have the current step */
	size_t window;
	struct ts_record *record;
	uint32_t owner; /* the lane to which record belongs */
	struct ts_emit *emit;
	int64_t ordinal;
};

static bool before(const struct merge *m, uint32_t a, uint32_t b)
{
	if (m->lanes[a].step != m->lanes[b].step)
		return m->lanes[a].step < m->lanes[b].step;
	return a < b;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t keep = *a;

	*a = *b;
	*b = keep;
}

static void push(struct merge *m, uint32_t lane)
{
	size_t i = m->n++;

	m->heap[i] = lane;
	for (; i > 0 && before(m, m->heap[i], m->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&m->heap[i], &m->heap[(i - 1) / 2]);
}

static uint32_t pop(struct merge *m)
{
	uint32_t top = m->heap[0];
	size_t i = 0;

	m->heap[0] = m->heap[--m->n];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= m->n)
			return top;
		if (child + 1 < m->n && before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], m->heap[i]))
			return top;
		swap(&m->heap[child], &m->heap[i]);
		i = child;
	}
}

static enum ts_status changed(const struct merge *m, struct ts_error *err)
{
	return ts_error_set(err, TS_IO, "%.*s: the file was changed while it was read",
			    TS_SPAN_ARG(m->input->source.path));
}

static enum ts_status at_line(const struct merge *m, uint32_t i, struct ts_error *err)
{
	return ts_error_prefix(err, "%.*s line %" PRIu64, TS_SPAN_ARG(m->input->source.path), ts_range_line(&m->lanes[i].range));
}

static uint32_t execution_of(const struct merge *m, uint32_t lane, int64_t step)
{
	return ts_executions_of(m->executions, m->segments[lane].mark, step);
}

/* Reads the lane's next record. At the end of the lane its window is freed, so that only segments in use have one. */
static enum ts_status advance(struct merge *m, uint32_t i, bool *ret_more, struct ts_error *err)
{
	struct lane *lane = &m->lanes[i];
	int64_t step;

	m->owner = UINT32_MAX; /* a lane without a further record may have overwritten the record while it tried to parse one */
	if (ts_range_next(&lane->range, m->record, NULL, ret_more, err))
		return err->status;
	if (!*ret_more) {
		ts_range_finish(&lane->range);
		return TS_OK;
	}
	m->owner = i;
	if (__builtin_add_overflow(m->record->step, m->segments[i].shift, &step) || (lane->open && step < lane->step))
		return changed(m, err);
	lane->open = true;
	lane->step = step;
	return TS_OK;
}

/* Makes sure that m->record is the record of the lane. */
static enum ts_status hold(struct merge *m, uint32_t i, struct ts_error *err)
{
	struct lane *lane = &m->lanes[i];
	bool more;

	if (lane->open && m->owner == i)
		return TS_OK;
	if (lane->open) {
		m->owner = i;
		return ts_range_again(&lane->range, m->record, err);
	}
	if (advance(m, i, &more, err))
		return err->status;
	return !more || m->record->step != m->segments[i].first_step ? changed(m, err) : TS_OK;
}

/* Gives all records of the lane's step, one after the other, to the row. late: another lane began it. *ret_more: the lane has a further
 * step. */
static enum ts_status emit_lane(struct merge *m, uint32_t i, bool late, bool *ret_more, struct ts_error *err)
{
	int64_t step = m->lanes[i].step;
	struct ts_record *record = m->record;

	if (hold(m, i, err))
		return err->status;
	do {
		uint64_t line = ts_range_line(&m->lanes[i].range);

		if (late ? ts_emit_late(m->emit, record->cells, record->n, line, err)
			 : ts_emit_record(m->emit, record->cells, record->n, line, err))
			return at_line(m, i, err);
		if (advance(m, i, ret_more, err))
			return err->status;
	} while (*ret_more && m->lanes[i].step == step);
	return TS_OK;
}

/* Makes the row of one execution of the step, of the lanes from m->same[*at] on that are of it, and moves *at behind them. */
static enum ts_status merge_row(struct merge *m, int64_t step, size_t n, size_t *at, struct ts_error *err)
{
	uint32_t execution = execution_of(m, m->same[*at], step);
	bool superseded = ts_executions_superseded(m->executions, execution, step), more;
	enum ts_table_kind kind = superseded ? TS_TABLE_SUPERSEDED : TS_TABLE_STEPS;
	uint32_t lane = m->same[*at];
	size_t first = *at;

	ts_emit_begin(m->emit, kind, superseded ? m->ordinal++ : step);
	for (; *at < n && execution_of(m, m->same[*at], step) == execution; ++*at) {
		lane = m->same[*at];
		if (emit_lane(m, lane, *at > first, &more, err))
			return err->status;
		if (more)
			push(m, lane);
	}
	if (ts_emit_end(m->emit, kind, step, m->executions->n ? (int64_t)execution : -1, err))
		return at_line(m, lane, err);
	return TS_OK;
}

static enum ts_status merge_step(struct merge *m, struct ts_error *err)
{
	int64_t step = m->lanes[m->heap[0]].step;
	size_t n = 0, at = 0;

	while (m->n > 0 && m->lanes[m->heap[0]].step == step)
		m->same[n++] = pop(m);
	while (at < n)
		if (merge_row(m, step, n, &at, err))
			return err->status;
	return TS_OK;
}

static enum ts_status merge_all(struct merge *m, size_t n, struct ts_error *err)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct ts_segment *segment = &m->segments[i];

		ts_range_init(&m->lanes[i].range, &m->input->source, segment->offset, segment->end, segment->line,
			      m->window);
		m->lanes[i].step = segment->first_step + segment->shift;
		push(m, i);
	}
	while (m->n > 0)
		if (merge_step(m, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_segments_merge(const struct ts_steps_input *input, const struct ts_segment *segments, size_t n,
				 const struct ts_executions *executions, struct ts_record *record, struct ts_emit *emit,
				 struct ts_error *err)
{
	size_t window = WINDOWS_BUDGET / n;
	struct merge m = {.input = input,
			  .segments = segments,
			  .executions = executions,
			  .record = record,
			  .emit = emit,
			  .owner = UINT32_MAX};
	enum ts_status status;

	m.window = window < WINDOW_MIN ? WINDOW_MIN : window > WINDOW_MAX ? WINDOW_MAX : window;
	if (input->window)
		m.window = input->window;
	m.lanes = ts_alloc_array(n, sizeof *m.lanes);
	m.heap = ts_alloc_array(2 * n, sizeof *m.heap);
	if (m.lanes && m.heap) {
		m.same = m.heap + n;
		status = merge_all(&m, n, err);
	} else {
		status = ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu segments", n);
	}
	for (size_t i = 0; m.lanes && i < n; i++)
		ts_range_finish(&m.lanes[i].range);
	ts_free(m.lanes);
	ts_free(m.heap);
	return status;
}
