#include "ingest/core/executions.h"

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/grow.h"
#include "base/limits.h"

#include <math.h>

void ts_executions_part(struct ts_executions *x)
{
	x->fresh = true;
	x->beside = false;
}

void ts_executions_finish(struct ts_executions *x)
{
	ts_free(x->items);
	*x = (struct ts_executions){.any = false};
}

static enum ts_status make_room(struct ts_executions *x, struct ts_error *err)
{
	if (x->n + 1 >= TS_SEGMENTS_MAX || x->serial == UINT32_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "steps go back for the %dth time; sort the log by step, or split the run",
				    TS_SEGMENTS_MAX);
	if (!TS_GROW(x->items, x->cap, x->n + 1, 16))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu restarts", x->n + 1);
	return TS_OK;
}

static enum ts_status begin(struct ts_executions *x, int64_t step, uint64_t place, bool open, struct ts_error *err)
{
	if (make_room(x, err))
		return err->status;
	x->items[x->n++] = (struct ts_execution){.mark = ++x->serial,
						 .open = open,
						 .from = step,
						 .most = x->most,
						 .covered = step,
						 .after = x->last,
						 .place = place,
						 .below = x->top};
	if (open)
		x->top = x->n;
	x->most = step;
	x->fresh = false;
	return TS_OK;
}

enum ts_status ts_executions_said(struct ts_executions *x, int64_t step, uint64_t place, struct ts_error *err)
{
	x->beside = false;
	if (!x->any || begin(x, step, place, false, err))
		return x->any ? err->status : TS_OK;
	x->time = NAN;
	return TS_OK;
}

/* Half of the steps from where it began to the highest one before it came again. */
static bool came_again(const struct ts_execution *e)
{
	uint64_t span = (uint64_t)e->most - (uint64_t)e->from, covered = (uint64_t)e->covered - (uint64_t)e->from;

	return covered >= span - covered;
}

static void refuse_top(struct ts_executions *x)
{
	struct ts_execution *e = &x->items[x->top - 1];
	uint64_t depth = (uint64_t)e->most - (uint64_t)e->from;

	e->open = false;
	e->refused = true;
	x->refusals += x->refusals < UINT32_MAX;
	x->deepest = depth > x->deepest ? depth : x->deepest;
	x->longest = e->rows > x->longest ? e->rows : x->longest;
	x->most = x->most < e->most ? e->most : x->most;
	x->n -= x->top == x->n;
	x->top = e->below;
}

/* A row lies above all steps before the last open one: now it is known whether that is an execution. */
static void close_top(struct ts_executions *x)
{
	struct ts_execution *e = &x->items[x->top - 1];

	e->open = false;
	e->refused = !came_again(e);
	if (e->below && x->items[e->below - 1].covered < e->covered)
		x->items[e->below - 1].covered = e->covered;
	if (e->refused)
		refuse_top(x);
	else
		x->top = e->below;
}

/* The steps from the row on are counted from behind the last epoch. */
static bool next_epoch(struct ts_executions *x, const struct ts_executions_row *row)
{
	int64_t offset;

	if (!row->again || !(row->epoch > x->epoch) || row->step > x->least || x->most == INT64_MAX ||
	    __builtin_sub_overflow(x->most + 1, row->step, &offset))
		return false;
	x->offset = offset;
	return true;
}

static enum ts_status go_back(struct ts_executions *x, const struct ts_executions_row *row, int64_t step, struct ts_error *err)
{
	const struct ts_execution *top = x->top ? &x->items[x->top - 1] : NULL;
	bool falls = top && x->top == x->n && top->rows == 1 && step < top->from;

	if (row->time < x->time)
		x->beside = true;
	if (x->beside)
		return TS_OK;
	x->falling = falls ? x->falling + 1 : 0;
	if (falls)
		refuse_top(x);
	return begin(x, step, row->place, true, err);
}

enum ts_status ts_executions_row(struct ts_executions *x, struct ts_executions_row *row, struct ts_error *err)
{
	int64_t raw = row->step, step = ts_executions_step(x, raw);

	if (!x->any) {
		*x = (struct ts_executions){
			.any = true, .least = raw, .most = step, .last = step, .time = row->time, .epoch = row->epoch};
		row->step = step;
		return TS_OK;
	}
	if (next_epoch(x, row))
		step = ts_executions_step(x, raw);
	else if (row->again && go_back(x, row, step, err))
		return err->status;
	while (x->top && step > x->items[x->top - 1].most)
		close_top(x);
	if (x->top && step > x->items[x->top - 1].covered)
		x->items[x->top - 1].covered = step;
	if (x->top && x->top == x->n)
		x->items[x->top - 1].rows++;
	if (step > x->most) {
		x->most = step;
		x->fresh = x->beside = false;
	}
	x->least = raw < x->least ? raw : x->least;
	x->last = row->step = step;
	x->time = !(row->time <= x->time) && !isnan(row->time) ? row->time : x->time;
	x->epoch = isnan(row->epoch) ? x->epoch : row->epoch;
	return TS_OK;
}

/* What the log ends with is no execution, as in other places of it. */
static bool ends_in_disorder(const struct ts_executions *x)
{
	const struct ts_execution *e = x->top && x->top == x->n ? &x->items[x->top - 1] : NULL;

	if (!e)
		return false;
	if (x->falling > 1 && e->rows == 1)
		return true;
	return x->refusals > 1 && (uint64_t)e->most - (uint64_t)e->from <= x->deepest && e->rows <= x->longest;
}

void ts_executions_end(struct ts_executions *x)
{
	int64_t least = INT64_MAX;
	size_t n = 0;

	if (ends_in_disorder(x))
		refuse_top(x);
	for (size_t i = 0; i < x->n; i++)
		if (!x->items[i].refused)
			x->items[n++] = x->items[i];
	x->n = n;
	x->top = 0;
	/* From here on `covered` is the least step at which this execution or a later one began. */
	while (n-- > 0) {
		least = x->items[n].from < least ? x->items[n].from : least;
		x->items[n].covered = least;
	}
}

uint32_t ts_executions_of(const struct ts_executions *x, uint32_t mark, int64_t step)
{
	size_t from = 0;

	TS_BISECT(from, x->n, i, x->items[i].mark <= mark);
	while (from > 0 && step < x->items[from - 1].from)
		from--;
	return (uint32_t)from;
}

bool ts_executions_superseded(const struct ts_executions *x, uint32_t execution, int64_t step)
{
	return execution < x->n && step >= x->items[execution].covered;
}
