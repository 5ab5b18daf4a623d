/* flight.h - what one rank's Flight Recorder has: the collectives that it called last, oldest first.
 *
 * torch keeps the last thousands of calls (TORCH_FR_BUFFER_SIZE) and writes them when its watchdog ends a process that waits too long,
 * or when a program asks for them. Each group of ranks counts its collectives from 1 on, and all ranks of a group call the same ones
 * in the same order: so equal numbers are one collective.
 */
#ifndef TSCOPE_INGEST_FLIGHT_FLIGHT_H
#define TSCOPE_INGEST_FLIGHT_FLIGHT_H

#include "base/span.h"

#include <stdint.h>

struct ts_flight_call {
	struct ts_span group;	  /* its name, "0"; never empty */
	struct ts_span about;	  /* what it is for, "default_pg"; empty: not said */
	struct ts_span operation; /* "all_reduce", without the library before it */
	struct ts_span sizes;	  /* of what goes in, "[[3,4]]"; empty: not said */
	struct ts_span file;	  /* of the innermost frame that is no library's; empty: not said */
	int64_t line;
	int64_t sequence; /* from 1 on */
	bool done;	  /* it is over on this rank */
};

struct ts_flight_dump {
	int32_t rank;
	struct ts_flight_call *calls; /* without sends and receives, which have no number that others know */
	size_t n;
};

#endif
