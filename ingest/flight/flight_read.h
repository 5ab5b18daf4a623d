/* flight_read.h - reads a dump of torch's Flight Recorder: the pickle that torch writes to TORCH_FR_DUMP_TEMP_FILE (formerly
 * TORCH_NCCL_DEBUG_INFO_TEMP_FILE) with the rank behind it, or the JSON of torch._C._distributed_c10d._dump_fr_trace_json().
 *
 * A pickle is interpreted by ingest/snapshot/pickle.h, which executes nothing. What a call does not say stays empty; a call without a
 * number is passed over. Errors: TS_INVALID, TS_DAMAGED, TS_TOO_LARGE, TS_IO, TS_NO_MEMORY, with path and byte.
 * Source: torch/csrc/distributed/c10d/FlightRecorder.hpp of torch 2.13, format 2.10.
 */
#ifndef TSCOPE_INGEST_FLIGHT_FLIGHT_READ_H
#define TSCOPE_INGEST_FLIGHT_FLIGHT_READ_H

#include "base/arena.h"
#include "ingest/core/source.h"
#include "ingest/flight/flight.h"

/* The rank is the caller's to know; texts lie in the arena. */
enum ts_status ts_flight_read(const struct ts_source *source, int32_t rank, struct ts_arena *arena, struct ts_flight_dump *ret_dump,
			      struct ts_error *err);

#endif
