/* happening.h - what a run recorded of things that happened at a time: an exception, memory that ran out, a restart, a checkpoint,
 * whatever the program says. Not to be taken for the events that an analysis finds in series (event.h).
 *
 *	ts_happenings_rank(&h, rank, items, n, arena, err)	for each rank, with all that it recorded
 *	ts_happenings_finish(&h, start_s, arena, err)
 *
 * Of a rank, and then of all, TS_HAPPENINGS_MAX are kept: the last few of what ends runs, then the newest of each name, then those
 * before them. What several ranks recorded alike is one row. What ends runs comes first, then the newest. Pure.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_HAPPENING_H
#define TSCOPE_ANALYSIS_ANSWER_HAPPENING_H

#include "base/arena.h"

enum ts_happening_kind {
	TS_HAPPENING_OUT_OF_MEMORY = 1,
	TS_HAPPENING_EXCEPTION,
	TS_HAPPENING_SIGNAL,
	TS_HAPPENING_RESTART,	 /* training began again at an earlier step of the same run */
	TS_HAPPENING_RESUMED,	 /* a checkpoint was loaded */
	TS_HAPPENING_CHECKPOINT, /* one was written */
	TS_HAPPENING_OTHER,	 /* whatever else the program recorded */
};

enum { TS_HAPPENINGS_MAX = 20 };

struct ts_happening {
	enum ts_happening_kind kind;
	struct ts_span name; /* cut at 512 bytes */
	struct ts_span text; /* empty: none; cut where all together are longer than any recorder makes them */
	bool has_value;
	double value;
	bool has_step;
	int64_t step; /* during which it happened; with `after`: the last that had ended */
	bool after;
	bool has_time;
	double time_s; /* added: Unix seconds; afterwards since the start of the run */
	int32_t *ranks; /* ascending; -1: of the job */
	size_t n_ranks;
	uint64_t nth; /* while it is sorted: how many of its name are newer, or how many alike of its rank came before */
};

struct ts_happenings {
	struct ts_happening *items;
	size_t n, cap;
	uint64_t all;	  /* of all ranks, one on several ranks counted as often */
	uint64_t more;	  /* of them not among the items */
	size_t bytes;	  /* of texts, while they are gathered */
	uint64_t regions; /* named parts of the program that took a time, which are not listed */
};

const char *ts_happening_word(enum ts_happening_kind kind); /* "out_of_memory", ...; "" if kind is not valid */
enum ts_happening_kind ts_happening_kind_of(struct ts_span name, struct ts_span text);

/* items: of one rank, in any order, sorted by the call; their ranks are not looked at. Texts are copied into the arena. */
enum ts_status ts_happenings_rank(struct ts_happenings *h, int32_t rank, struct ts_happening *items, size_t n, struct ts_arena *arena,
				  struct ts_error *err);
/* start_s: Unix seconds at which the run began; NaN: not known, and then no time is. */
enum ts_status ts_happenings_finish(struct ts_happenings *h, double start_s, struct ts_arena *arena, struct ts_error *err);

#endif
