/* flight_behind.h - which rank is behind, at which collective, by the dumps of several ranks.
 *
 * Of each group, in the order of its name: the first number at which ranks called different operations, or the same with sizes that
 * have to be equal and are not: the fewer are behind, and nobody where none of them has most. Else those whose last number is less
 * than that of others, but for those that wait in it as all others do, who only called ahead of their devices. Else, where all wait
 * at one number, those of which there is no dump. The first group that has such ranks is the answer. Pure.
 */
#ifndef TSCOPE_INGEST_FLIGHT_FLIGHT_BEHIND_H
#define TSCOPE_INGEST_FLIGHT_FLIGHT_BEHIND_H

#include "base/arena.h"
#include "ingest/flight/flight.h"

enum { TS_FLIGHT_RANKS_MAX = 1024 };

struct ts_flight_behind {
	bool said;
	int32_t *ranks; /* that are behind, ascending; none: all wait, or nothing tells */
	size_t n_ranks;
	struct ts_span sentence; /* without a full stop */
};

/* dumps: ascending by rank, at most TS_FLIGHT_RANKS_MAX. world: how many ranks there are; 0: not known. */
enum ts_status ts_flight_judge(const struct ts_flight_dump *dumps, size_t n, size_t world, struct ts_arena *arena,
			       struct ts_flight_behind *ret, struct ts_error *err);

#endif
