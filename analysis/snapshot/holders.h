/* holders.h - who holds memory at a moment, and who asked for it over all events: sums of lives by stack, function, file, kind, size.
 *
 * Sums are of requested bytes, largest first; of equal ones the first stack, file or size comes first. All memory is the arena's. Pure;
 * any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_HOLDERS_H
#define TSCOPE_ANALYSIS_SNAPSHOT_HOLDERS_H

#include "analysis/snapshot/kinds.h"

enum ts_holder_by {
	TS_BY_STACK,
	TS_BY_FUNCTION, /* file and function of the source (origin.h) */
	TS_BY_FILE,
	TS_BY_KIND,
	TS_BY_SIZE, /* requested bytes of each */
};

struct ts_holder {
	uint64_t key;	/* the kind, or the size; else unspecified */
	uint32_t stack; /* one of its stacks: the one with most bytes; TS_SNAPSHOT_NONE: not known where from */
	uint32_t frame; /* its source; TS_SNAPSHOT_NONE: not known */
	uint64_t bytes;
	uint64_t largest; /* of its lives */
	uint32_t n;	  /* lives */
	uint8_t kind;	  /* enum ts_memory_kind of most of its bytes */
};

struct ts_holders {
	struct ts_holder *items;
	size_t n;
	uint64_t bytes; /* of all lives */
	uint32_t lives;
};

/* What a replay, its origins and kinds are together. */
struct ts_memory {
	const struct ts_replay *replay;
	const struct ts_origin *origins; /* of each stack */
	const uint8_t *kinds;		 /* of each life */
};

/* The replay does, and each life is of a kind that there is. */
bool ts_memory_holds(const struct ts_memory *m);

/* The lives that are there after an event (TS_REPLAY_BEFORE: before the first). */
enum ts_status ts_holders_at(const struct ts_memory *m, uint32_t event, enum ts_holder_by by, struct ts_arena *arena,
			     struct ts_holders *ret_holders, struct ts_error *err);
/* The lives that began in the events, dead or alive: what was churned. */
enum ts_status ts_holders_of_all(const struct ts_memory *m, enum ts_holder_by by, struct ts_arena *arena,
				 struct ts_holders *ret_holders, struct ts_error *err);
/* The lives whose byte in chosen is not 0. */
enum ts_status ts_holders_among(const struct ts_memory *m, const uint8_t *chosen, enum ts_holder_by by, struct ts_arena *arena,
				struct ts_holders *ret_holders, struct ts_error *err);

#endif
