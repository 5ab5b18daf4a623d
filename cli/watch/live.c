#include "cli/watch/live.h"

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/grow.h"
#include "run/role.h"

#include <math.h>

void ts_live_init(struct ts_live *live)
{
	*live = (struct ts_live){.n_ranks = 0};
	ts_arena_init(&live->arena, (size_t)1 << 30);
}

static void free_rank(struct ts_live_rank *rank)
{
	for (size_t i = 0; i < TS_LIVE_CURVES; i++)
		ts_free(rank->curves[i]);
	ts_free(rank->ring);
	ts_free(rank->last);
	ts_free(rank);
}

void ts_live_finish(struct ts_live *live)
{
	for (size_t i = 0; i < live->n_ranks; i++)
		free_rank(live->ranks[i]);
	ts_free(live->ranks);
	ts_free(live->columns);
	ts_map_finish(&live->by_name);
	ts_arena_finish(&live->arena);
	*live = (struct ts_live){.n_ranks = 0};
}

/* --- columns --- */

bool ts_live_want(struct ts_live *live, struct ts_span name)
{
	struct ts_span kept = ts_arena_span(&live->arena, name);

	if (live->n_wanted == TS_LIVE_CURVES || !kept.data)
		return false;
	live->wanted[live->n_wanted++] = (struct ts_live_wanted){kept, TS_LIVE_NONE};
	return true;
}

static bool is_itself(struct ts_span path, struct ts_span name)
{
	return ts_span_eq(ts_column_said(path), name) || ts_span_eq(path, name);
}

static bool is_called(struct ts_span path, struct ts_span name)
{
	struct ts_span said = ts_column_said(path);

	return is_itself(path, name) ||
	       (said.len > name.len && ts_span_ends(said, (const char *)name.data) && strchr("/.", said.data[said.len - name.len - 1]));
}

static void forget_curve(struct ts_live *live, uint32_t column)
{
	int curve = live->columns[column].curve;

	live->columns[column].curve = -1;
	for (size_t i = 0; i < live->n_ranks; i++) {
		ts_free(live->ranks[i]->curves[curve]);
		live->ranks[i]->curves[curve] = NULL;
	}
}

/* The curve that a new column becomes; -1: none. A column that is called so itself takes the place of one whose last part is. */
static int curve_of(struct ts_live *live, struct ts_span path)
{
	for (size_t i = 0; i < live->n_wanted; i++) {
		struct ts_live_wanted *wanted = &live->wanted[i];
		bool itself = is_itself(path, wanted->name);

		if (wanted->column == TS_LIVE_NONE ? !is_called(path, wanted->name)
						   : !itself || is_itself(live->columns[wanted->column].path, wanted->name))
			continue;
		if (wanted->column != TS_LIVE_NONE)
			forget_curve(live, wanted->column);
		wanted->column = (uint32_t)live->n_columns;
		return (int)i;
	}
	return -1;
}

static int phase_of(struct ts_live *live, struct ts_span path)
{
	if (!ts_span_starts(path, ts_span_str("phases.")))
		return -1;
	if (live->n_phases == TS_LIVE_PHASES) {
		live->left_out = true;
		return -1;
	}
	live->phases[live->n_phases] = (uint32_t)live->n_columns;
	return live->n_phases++;
}

uint32_t ts_live_column(struct ts_live *live, struct ts_span path)
{
	uint64_t hash = ts_hash_bytes(ts_hash_open, path);
	struct ts_live_column column = {.curve = -1};
	uint32_t number;

	TS_MAP_FIND(live->by_name, hash, i, ts_span_eq(live->columns[i].path, path), number);
	if (number != TS_MAP_NONE)
		return number;
	if (live->n_columns == TS_LIVE_COLUMNS || !TS_GROW(live->columns, live->cap_columns, live->n_columns + 1, 16)) {
		live->left_out = true;
		return TS_LIVE_NONE;
	}
	column.path = ts_arena_span(&live->arena, path);
	if (!column.path.data || !ts_map_add(&live->by_name, hash, (uint32_t)live->n_columns))
		return TS_LIVE_NONE;
	column.curve = curve_of(live, column.path);
	column.phase = phase_of(live, column.path);
	live->columns[live->n_columns] = column;
	return (uint32_t)live->n_columns++;
}

/* --- ranks --- */

static struct ts_live_rank *new_rank(int32_t number)
{
	struct ts_live_rank *rank = ts_alloc_array(1, sizeof *rank);

	if (!rank)
		return NULL;
	rank->rank = number;
	rank->ring = ts_alloc_array(TS_LIVE_STEPS, sizeof *rank->ring);
	if (rank->ring)
		return rank;
	free_rank(rank);
	return NULL;
}

struct ts_live_rank *ts_live_rank(struct ts_live *live, int32_t number)
{
	struct ts_live_rank *rank;
	size_t at = live->n_ranks;

	while (at > 0 && live->ranks[at - 1]->rank > number)
		at--;
	if (at > 0 && live->ranks[at - 1]->rank == number)
		return live->ranks[at - 1];
	if (live->n_ranks == TS_LIVE_RANKS || !TS_GROW(live->ranks, live->cap_ranks, live->n_ranks + 1, 16)) {
		live->left_out = true;
		return NULL;
	}
	rank = new_rank(number);
	if (!rank)
		return NULL;
	memmove(live->ranks + at + 1, live->ranks + at, (live->n_ranks - at) * sizeof *live->ranks);
	live->ranks[at] = rank;
	live->n_ranks++;
	return rank;
}

/* --- steps --- */

const struct ts_live_kept *ts_live_find(const struct ts_live_rank *rank, int64_t step)
{
	size_t low = 0;

	TS_BISECT(low, rank->n, i, ts_live_at(rank, i)->step < step);
	return low < rank->n && ts_live_at(rank, low)->step == step ? ts_live_at(rank, low) : NULL;
}

const struct ts_live_last *ts_live_last_of(const struct ts_live_rank *rank, uint32_t column)
{
	return column < rank->n_last && rank->last[column].any ? &rank->last[column] : NULL;
}

static bool make_last(struct ts_live_rank *rank, uint32_t column)
{
	return TS_GROW(rank->last, rank->n_last, (size_t)column + 1, 32);
}

static void put(struct ts_live *live, struct ts_live_rank *rank, struct ts_live_kept *kept, int64_t step, uint32_t number, double value)
{
	const struct ts_live_column *column;

	if (number >= live->n_columns || !make_last(rank, number))
		return;
	column = &live->columns[number];
	if (!rank->last[number].any || step >= rank->last[number].step)
		rank->last[number] = (struct ts_live_last){true, step, value};
	if (column->phase >= 0 && kept)
		kept->phases[column->phase] = value;
	if (column->curve < 0 || rank->rank >= TS_LIVE_CURVE_RANKS)
		return;
	if (!rank->curves[column->curve])
		rank->curves[column->curve] = ts_alloc_array(1, sizeof(struct ts_curve));
	if (rank->curves[column->curve])
		ts_curve_add(rank->curves[column->curve], step, value);
}

/* Forgets what a restart executes again. */
static void go_back(struct ts_live_rank *rank, int64_t step)
{
	while (rank->n && ts_live_newest(rank)->step >= step) {
		rank->n--;
		rank->head = (rank->head + TS_LIVE_STEPS - 1) % TS_LIVE_STEPS;
	}
	for (size_t i = 0; i < TS_LIVE_CURVES; i++)
		if (rank->curves[i])
			ts_curve_cut(rank->curves[i], step);
	for (size_t i = 0; i < rank->n_last; i++)
		rank->last[i].any &= rank->last[i].step < step;
	while (rank->n_arrivals && rank->arrivals[rank->n_arrivals - 1].step >= step)
		rank->n_arrivals--;
}

void ts_live_step(struct ts_live *live, struct ts_live_rank *rank, const struct ts_live_step *step)
{
	const struct ts_live_kept *newest = ts_live_newest(rank);
	bool again = newest && newest->step == step->step;
	struct ts_live_kept *kept;

	if (newest && newest->step > step->step) {
		go_back(rank, step->step);
		newest = ts_live_newest(rank);
	}
	if (again) { /* further values of a step that was logged in several records */
		kept = &rank->ring[(rank->head + TS_LIVE_STEPS - 1) % TS_LIVE_STEPS];
	} else {
		if (newest && step->time - newest->time > rank->longest)
			rank->longest = step->time - newest->time;
		kept = &rank->ring[rank->head];
		*kept = (struct ts_live_kept){.step = step->step, .time = step->time};
		for (size_t i = 0; i < TS_LIVE_PHASES; i++)
			kept->phases[i] = NAN;
		rank->head = (rank->head + 1) % TS_LIVE_STEPS;
		rank->n += rank->n < TS_LIVE_STEPS;
		rank->steps++;
	}
	for (size_t i = 0; i < step->n; i++)
		put(live, rank, kept, step->step, step->cells[i].column, step->cells[i].value);
}

void ts_live_late(struct ts_live *live, struct ts_live_rank *rank, int64_t step, uint32_t column, double value)
{
	const struct ts_live_kept *kept = ts_live_find(rank, step);

	put(live, rank, kept ? &rank->ring[kept - rank->ring] : NULL, step, column, value);
}

/* --- when steps came --- */

static void arrive(struct ts_live_rank *rank, int64_t step, double now)
{
	const struct ts_live_arrival *before = rank->n_arrivals ? &rank->arrivals[rank->n_arrivals - 1] : NULL;

	if (before && now - before->time > rank->longest_wait)
		rank->longest_wait = now - before->time;
	if (rank->n_arrivals == TS_LIVE_ARRIVALS)
		memmove(rank->arrivals, rank->arrivals + 1, --rank->n_arrivals * sizeof *rank->arrivals);
	rank->arrivals[rank->n_arrivals++] = (struct ts_live_arrival){step, now};
}

void ts_live_arrived(struct ts_live *live, double now)
{
	for (size_t i = 0; i < live->n_ranks; i++) {
		struct ts_live_rank *rank = live->ranks[i];
		const struct ts_live_kept *newest = ts_live_newest(rank);

		if (newest && isnan(newest->time) &&
		    (!rank->n_arrivals || rank->arrivals[rank->n_arrivals - 1].step < newest->step))
			arrive(rank, newest->step, now);
	}
}

double ts_live_ended(const struct ts_live_rank *rank)
{
	const struct ts_live_kept *newest = ts_live_newest(rank);

	if (!newest || !isnan(newest->time))
		return newest ? newest->time : (double)NAN;
	return rank->n_arrivals >= 2 ? rank->arrivals[rank->n_arrivals - 1].time : (double)NAN;
}
