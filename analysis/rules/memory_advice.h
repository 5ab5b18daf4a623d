/* memory_advice.h - whether a device's memory limits the run, by a memory snapshot, and what to try: the memory part of the playbook.
 *
 * Only what rows prove is said. Memory limits where a request was refused, where the allocator had to give back what it held and ask
 * again, or where at least TS_MEMORY_FULL of the device was reserved; it does not where the capacity is known and less was reserved;
 * otherwise that is not known, with the reason.
 *
 * A fix stands in the list if its conditions allow it (condition.h; here one that is asked and not known rules it out, too) and rows
 * show what it would free: `saves_most` is all that holds such memory at the peak, or that could not
 * be used, so nothing could save more. Fixes that cost time or results stand there only where memory limits. Those that cost nothing
 * and would have been enough for the request that was refused, if one was, come first; then those that save most, then the cheapest.
 */
#ifndef TSCOPE_ANALYSIS_RULES_MEMORY_ADVICE_H
#define TSCOPE_ANALYSIS_RULES_MEMORY_ADVICE_H

#include "analysis/rules/condition.h"
#include "base/error.h"

/* The part of the device's memory from which there is no room for more. */
#define TS_MEMORY_FULL 0.8

struct ts_memory_fix {
	struct ts_span name;   /* "use activation checkpointing" */
	struct ts_span how;    /* with the place in the code, where rows name it */
	struct ts_span costs;  /* "one more forward pass of what is checkpointed" */
	struct ts_span source; /* a paper or a document */
	double saves_most;     /* bytes at the peak */
	uint32_t effort;       /* 1 a flag, 2 a few lines, 3 a change of the model or the job */
};

enum ts_memory_limit { TS_LIMIT_UNKNOWN, TS_LIMIT_REACHED, TS_LIMIT_FAR };

struct ts_memory_advice {
	enum ts_memory_limit limit;
	struct ts_span sentence; /* "memory limits the run: a request of 24 MiB was refused"; empty if that is not known */
	struct ts_span reason;	 /* why it is not known; empty: there is no snapshot, or it is known */
	struct ts_memory_fix *fixes;
	size_t n_fixes;
};

enum { TS_MEMORY_CONDITIONS = 4 };

/* One entry of the table. */
struct ts_memory_play {
	uint32_t effort;
	bool if_limited;				/* it costs time or results, so it is advised only where memory limits */
	const char *name, *how, *when, *costs, *source; /* when: the condition that `saves` checks, in words */
	bool (*saves)(const struct ts_measures *m, double *ret_bytes); /* false: it does not apply, or rows do not show it */
	enum ts_measure_name place; /* a text row with the place in the code; TS_MEASURE_NAMES: none */
	struct ts_if conditions[TS_MEMORY_CONDITIONS + 1]; /* beside what `saves` checks */
};

extern const struct ts_memory_play ts_memory_plays[];
extern const size_t ts_memory_plays_n;

/* Whether a refused request would have been served, had all that was free in segments for such requests, and what the device had
 * left, been in one piece; not where the device alone had enough left. All in bytes. */
static inline bool ts_memory_in_pieces(double asked, double free, double left)
{
	return free >= asked || (left < asked && free + left >= asked);
}

/* memory_limit.c: the share of the device that was reserved at the peak; false: the capacity is not known. */
bool ts_memory_reserved(const struct ts_measures *m, double *ret_share);
enum ts_memory_limit ts_memory_limit_of(const struct ts_measures *m);
/* Without rows of a snapshot it is empty. All texts are static or in the arena. */
enum ts_status ts_memory_advise(const struct ts_measures *m, struct ts_arena *arena, struct ts_memory_advice *ret,
				struct ts_error *err);

#endif
