/* fact_slots.h - which facts a store keeps of its runs as extracts: those by which lists filtered or sorted many runs.
 *
 * There are TS_FACT_SLOTS slots, so what anybody asks for costs a store no more than as many short values a run. A fact gets a free
 * one, or that of the fact which was not asked for longest, if nobody asked for that for a week. The values of the slot's former fact
 * stay until they are written over: so each begins with the mark of its fact, 8 bytes of the digest of the path.
 *
 * Which fact has which slot stands in one record of the store, "list/facts": of each slot the mark, and u32 the day of 1970 on which it
 * was last asked for. What is lost of this costs time alone, since a head is opened where a store keeps nothing.
 * Threads: as the engine.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_FACT_SLOTS_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_FACT_SLOTS_H

#include "store/engine.h"

enum { TS_FACT_SLOTS = 32, TS_FACT_MARK = 8 };

struct ts_fact_slot {
	struct ts_extract_key key;
	uint8_t mark[TS_FACT_MARK];
};

/* Finds the slot of a fact in a store, and writes the day where it changed. False: it has none, or the store does not say. */
bool ts_fact_slot_find(struct ts_engine *store, struct ts_span path, int64_t now_ns, struct ts_fact_slot *ret_slot);
/* The same, and gives it one if there is one to give. */
bool ts_fact_slot_take(struct ts_engine *store, struct ts_span path, int64_t now_ns, struct ts_fact_slot *ret_slot);

#endif
