/* quality_run.h - a run whose steps took given times, reduced as stored runs are. */
#ifndef TSCOPE_TESTS_QUALITY_QUALITY_RUN_H
#define TSCOPE_TESTS_QUALITY_QUALITY_RUN_H

#include "analysis/gate/reduction.h"

enum { QUALITY_RECORDS_MOST = 1024 };

/* times: s of each of n records. accumulation: records of an optimizer step; 1: not said. The result lies in the arena. */
void quality_run_reduce(const double *times, size_t n, double accumulation, struct ts_arena *arena, struct ts_reduction *ret_reduction);

#endif
