/* gate_memory.h - which stack's memory grew, by the memory snapshots of a candidate and of a baseline (gate_files.h).
 *
 * The device whose peak grew most is compared (analysis/snapshot/memory_diff.h). Snapshots of more events and blocks than
 * TS_SERVED_SNAPSHOT_ROWS are not read here, which the row says: replaying them takes memory of a server that others use.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_GATE_MEMORY_H
#define TSCOPE_SERVICE_HANDLERS_GATE_GATE_MEMORY_H

#include "analysis/gate/gate.h"
#include "service/handlers/core/read.h"

/* Adds a row to the verdict's why, if peak memory may have regressed and both runs have snapshots. */
enum ts_status ts_gate_memory_why(struct ts_fetch *f, struct ts_verdict *v, struct ts_arena *arena, struct ts_error *err);

#endif
