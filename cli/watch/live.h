/* live.h - what is known of a run while it goes on: the last steps of each rank, the last value of each column, and curves of a few.
 *
 *	ts_live_init(&live)
 *	ts_live_want(&live, "loss")			a curve of the first column that is called so; before any column is named
 *	rank = ts_live_rank(&live, 3)			NULL: too many, or no memory
 *	column = ts_live_column(&live, "scalars.loss")	TS_LIVE_NONE: the same
 *	ts_live_step(&live, rank, &step)		a step that has ended, with its cells
 *	ts_live_late(&live, rank, step, column, value)	a value that came later
 *	ts_live_arrived(&live, now)			all that is new has been given
 *	ts_live_finish(&live)
 *
 * Where steps of a rank go back, training was restarted: what it had from that step on is forgotten. Memory is bounded by the number of
 * ranks and columns, not by that of steps. Of steps without a time it is kept when they came. Times are Unix seconds. Pure.
 * Threads: one at a time.
 */
#ifndef TSCOPE_CLI_WATCH_LIVE_H
#define TSCOPE_CLI_WATCH_LIVE_H

#include "base/arena.h"
#include "base/map.h"
#include "cli/watch/curve.h"

enum {
	TS_LIVE_STEPS = 512, /* that are kept of each rank */
	TS_LIVE_PHASES = 12,
	TS_LIVE_CURVES = 8,
	TS_LIVE_CURVE_RANKS = 64, /* that have curves: those below this one */
	TS_LIVE_COLUMNS = 4096,
	TS_LIVE_RANKS = 4096,
	TS_LIVE_ARRIVALS = 64, /* that are kept of each rank */
};
#define TS_LIVE_NONE UINT32_MAX

struct ts_live_column {
	struct ts_span path; /* "phases.forward"; in the arena */
	int phase;	     /* its place among the phases; -1: it is none, or there are too many */
	int curve;	     /* its place among the curves; -1 */
};

struct ts_live_cell {
	uint32_t column;
	double value;
};

/* A step as it comes. */
struct ts_live_step {
	int64_t step;
	double time; /* of its end; NaN: not known */
	const struct ts_live_cell *cells;
	size_t n;
};

/* A step as it is kept. */
struct ts_live_kept {
	int64_t step;
	double time;
	double phases[TS_LIVE_PHASES]; /* seconds; NaN: it has none */
};

struct ts_live_last {
	bool any;
	int64_t step;
	double value;
};

/* A look at which a rank had a newer step than before. */
struct ts_live_arrival {
	int64_t step; /* the newest */
	double time;  /* of the look */
};

struct ts_live_rank {
	int32_t rank;
	uint64_t steps; /* that were seen */
	double longest; /* seconds between two steps, of all that were seen; 0: not known */
	size_t n, head; /* of the ring: how many are kept, and where the next goes */
	struct ts_live_kept *ring;
	struct ts_live_last *last; /* by column */
	size_t n_last;
	struct ts_curve *curves[TS_LIVE_CURVES];
	struct ts_live_arrival arrivals[TS_LIVE_ARRIVALS]; /* of steps without a time, the oldest first */
	size_t n_arrivals;				   /* the first of all stands for what was there before */
	double longest_wait;				   /* seconds between two, of all that were seen */
};

struct ts_live_wanted {
	struct ts_span name;
	uint32_t column; /* TS_LIVE_NONE: no column has this name yet */
};

struct ts_live {
	struct ts_arena arena;
	struct ts_live_rank **ranks; /* ascending */
	size_t n_ranks, cap_ranks;
	struct ts_live_column *columns;
	size_t n_columns, cap_columns;
	struct ts_map by_name; /* columns by their paths */
	int n_phases;
	uint32_t phases[TS_LIVE_PHASES];
	struct ts_live_wanted wanted[TS_LIVE_CURVES];
	size_t n_wanted;
	bool left_out; /* ranks, columns or phases for which there is no room */
};

void ts_live_init(struct ts_live *live);
void ts_live_finish(struct ts_live *live);
/* Names are those that output shows (run/role.h), or their last part behind a slash or a dot. False: there are enough. */
bool ts_live_want(struct ts_live *live, struct ts_span name);
struct ts_live_rank *ts_live_rank(struct ts_live *live, int32_t rank);
uint32_t ts_live_column(struct ts_live *live, struct ts_span path);
void ts_live_step(struct ts_live *live, struct ts_live_rank *rank, const struct ts_live_step *step);
void ts_live_late(struct ts_live *live, struct ts_live_rank *rank, int64_t step, uint32_t column, double value);
void ts_live_arrived(struct ts_live *live, double now);

/* The i-th of the steps that are kept, the oldest first. */
static inline const struct ts_live_kept *ts_live_at(const struct ts_live_rank *rank, size_t i)
{
	return &rank->ring[(rank->head + TS_LIVE_STEPS - rank->n + i) % TS_LIVE_STEPS];
}
/* The newest one; NULL: none. */
static inline const struct ts_live_kept *ts_live_newest(const struct ts_live_rank *rank)
{
	return rank->n ? ts_live_at(rank, rank->n - 1) : NULL;
}
/* When the newest step ended or, where it has no time, came; NaN: not known, as where nothing came since the first look. */
double ts_live_ended(const struct ts_live_rank *rank);
/* The kept step of that number, or NULL. */
const struct ts_live_kept *ts_live_find(const struct ts_live_rank *rank, int64_t step);
/* The last value of a column; NULL: it has none. */
const struct ts_live_last *ts_live_last_of(const struct ts_live_rank *rank, uint32_t column);

#endif
