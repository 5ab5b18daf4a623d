/* load_runs.h - the runs that the clients of bench_load push, made before its clock starts: ingest is the client's work. */
#ifndef TSCOPE_TESTS_BENCH_LOAD_RUNS_H
#define TSCOPE_TESTS_BENCH_LOAD_RUNS_H

#include "store/engine.h"

enum { LOAD_STEPS = 10000 };

struct load_run {
	struct ts_id head;
	struct ts_sealed *objects;
	size_t n, bytes;
};

/* Each is of noise of its own, so that every object is new. The memory is never freed. */
struct load_run *load_runs_make(size_t n);

#endif
