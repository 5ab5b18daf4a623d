/* pace.h - how fast a run goes, what its ranks take, and whether it stands still: figures of live.h.
 *
 * Pure: the time is an argument. Seconds everywhere; what is not known is NaN.
 */
#ifndef TSCOPE_CLI_WATCH_PACE_H
#define TSCOPE_CLI_WATCH_PACE_H

#include "cli/watch/live.h"

enum {
	TS_PACE_STEPS = 100, /* the last steps that figures are of */
	TS_HANG_TIMES = 20,  /* times the usual time between two steps without one ... */
	TS_HANG_LONGEST = 3, /* ... and times the longest that was seen: evaluations and checkpoints take long, too ... */
	TS_HANG_LEAST = 30,  /* ... and seconds, from which a run stands still */
};

struct ts_pace {
	uint64_t steps;	   /* of which these are */
	double per_second; /* over the last TS_PACE_STEPS */
	double usual;	   /* median time between two steps */
	double longest;	   /* of all that were seen */
	bool by_arrival;   /* the steps have no times: these are of when they came, and of pauses between looks that found some */
};

/* Of one rank. */
struct ts_pace ts_pace_of(const struct ts_live_rank *rank);
/* The seconds until `total` steps are done, where steps count from `first`. */
double ts_pace_left(const struct ts_pace *pace, int64_t newest, int64_t total);
/* The rank that everybody waits for: the lowest of those whose newest step is least. NULL: no rank has a step. */
const struct ts_live_rank *ts_pace_last_rank(const struct ts_live *live);
/* The newest step that a rank ended, and when; false: none. */
bool ts_pace_newest(const struct ts_live *live, int64_t *ret_step, double *ret_time);
/* Whether nothing came for longer than any pause so far makes likely. age: seconds since the last step. */
bool ts_pace_hangs(const struct ts_pace *pace, double age);
/* The age from which that is so; NaN: not known yet. */
double ts_pace_limit(const struct ts_pace *pace);

/* What ranks take for one part of a step, over the same steps of all. */
struct ts_shares {
	double median, worst; /* of a step, over the ranks that have it */
	int32_t who;	      /* the worst */
	size_t ranks;
};

struct ts_common {
	size_t ranks;		/* that have steps */
	int64_t newest;		/* the last step that all of them have */
	uint64_t steps;		/* that all have, of the last TS_PACE_STEPS up to that */
	struct ts_shares whole; /* from the end of a step to that of the next */
	struct ts_shares phases[TS_LIVE_PHASES];
};

/* False: there is no step that all have. */
bool ts_pace_common(const struct ts_live *live, struct ts_arena *arena, struct ts_common *ret_common);

#endif
