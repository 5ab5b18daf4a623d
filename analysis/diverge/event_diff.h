/* event_diff.h - which events and regions one run has and another has not.
 *
 *	ts_event_diff_rank(&diff, rank, &a, &b, scratch, arena, err)	for each rank that both runs have
 *
 * Events are aligned by where they lie among the steps (in one, behind one, in front of the first), by name, and by how often that
 * name came there before. Their times always differ, and the duration of a region is a cost: neither is looked at. A value differs if
 * its bits do (two NaN do not); a text if its bytes do, but that of `checkpoint` and `resumed`, which are places of their own run, is
 * not looked at. The order of events is looked at among those that one thread recorded at one place.
 *
 * Nothing of it decides whether two runs computed the same. Pure; time is n log n of the events of a rank.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_EVENT_DIFF_H
#define TSCOPE_ANALYSIS_DIVERGE_EVENT_DIFF_H

#include "base/arena.h"

enum ts_event_change { TS_EVENT_ONLY_A = 1, TS_EVENT_ONLY_B, TS_EVENT_VALUE, TS_EVENT_ORDER };
enum ts_event_where { TS_EVENT_IN = 1, TS_EVENT_BEHIND, TS_EVENT_BEFORE_ALL, TS_EVENT_NOWHERE };

struct ts_timed_event {
	enum ts_event_where where; /* NOWHERE: it has no step, and nothing says between which steps it came */
	int64_t step;		   /* IN, BEHIND */
	struct ts_span name;
	bool region;
	bool has_value;
	double value;
	struct ts_span text; /* empty: none */
	double lane;	     /* which thread recorded it; of one whose thread is not known -1 */
	uint64_t ordinal;    /* among the events of the rank */
};

struct ts_timed_events {
	struct ts_timed_event *items; /* in the order in which they were recorded; sorted by the comparison */
	size_t n;
	int64_t last_step; /* that the run has of the rank; INT64_MIN: none, which is no limit to the other run */
};

/* What one run has there. */
struct ts_event_side {
	bool has_value;
	double value;
	struct ts_span text; /* at most 512 bytes */
};

/* Of one rank: where it first differs. */
struct ts_event_row {
	int32_t rank;
	enum ts_event_change change;
	enum ts_event_where where;
	int64_t step;
	bool region;
	struct ts_span name; /* ORDER: of the first that comes earlier in b */
	uint64_t occurrence; /* of that name there */
	struct ts_event_side a, b;
};

struct ts_event_diff {
	struct ts_event_row *rows; /* by place, then rank: one per rank that differs */
	size_t n;
	uint64_t all_a, all_b;	   /* events of the ranks that both runs have */
	uint64_t compared;	   /* that both have */
	uint64_t only_a, only_b;
	uint64_t beyond_a, beyond_b; /* of one run, behind the last step of the other: nothing there to compare them with */
	uint64_t values;	   /* that both have, with another value or text */
	uint64_t reordered;	   /* places where common events come in another order */
	bool cut;		   /* a rank has more events than are looked at */
};

const char *ts_event_change_word(enum ts_event_change change); /* "only_a", "only_b", "value", "order" */
const char *ts_event_where_word(enum ts_event_where where);    /* "in", "behind", "before_all", "nowhere" */

/* Counts the events of a rank, and keeps a row if they differ. Rows and texts lie in the arena; scratch takes 16 bytes for each event
 * that both have. */
enum ts_status ts_event_diff_rank(struct ts_event_diff *diff, int32_t rank, struct ts_timed_events *a, struct ts_timed_events *b,
				  struct ts_arena *scratch, struct ts_arena *arena, struct ts_error *err);

#endif
