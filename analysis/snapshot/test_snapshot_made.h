/* test_snapshot_made.h - snapshots that tests write by hand: stacks as texts, events and blocks in order. One at a time. */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_TEST_SNAPSHOT_MADE_H
#define TSCOPE_ANALYSIS_SNAPSHOT_TEST_SNAPSHOT_MADE_H

#include "run/snapshot.h"

/* Forgets what was made. */
void made_begin(void);
/* "file.py:function < outer.py:function": the innermost frame first; a file without a line. Its stack. */
uint32_t made_stack(const char *frames);
/* NULL: no stack. Events are 10 us apart; returns the event's number. */
uint32_t made_event(enum ts_snapshot_action action, uint64_t address, uint64_t size, const char *frames);
/* The event has the stack of another one: they belong to one call. */
void made_same_stack(uint32_t event, uint32_t as);
/* The event says its pool, as since torch 2.10: (0, pool), of which 0 is the common one. */
void made_pool(uint32_t event, uint64_t pool);
void made_free(uint64_t address, uint64_t size, const char *frames); /* requested and completed */
/* An annotation of stage "START" or "END", between the last event and the next. */
void made_mark(const char *stage, const char *name);
/* A segment, and behind it its blocks. */
struct ts_snapshot_segment *made_segment(uint64_t address, uint64_t total);
void made_block(uint64_t size, uint64_t requested, enum ts_block_state state, const char *frames);
const struct ts_snapshot *made_end(void);

#endif
