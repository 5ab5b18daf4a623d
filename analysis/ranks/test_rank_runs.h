/* test_rank_runs.h - for tests: ranks that are made up step by step, or read from a run that pytscope 0.2.1 also reads. */
#ifndef TSCOPE_ANALYSIS_RANKS_TEST_RANK_RUNS_H
#define TSCOPE_ANALYSIS_RANKS_TEST_RANK_RUNS_H

#include "analysis/rank/test_expected.h"
#include "analysis/ranks/ranks.h"

enum { RANK_RUN_MAX = 64 };

/* Seconds of every phase of every rank; an array that stays NULL is a phase that the rank does not have. */
struct rank_run {
	size_t n_ranks, n;
	int32_t ranks[RANK_RUN_MAX];
	int64_t *steps;
	double *phases[RANK_RUN_MAX][TS_RANK_PHASES];
};

void rank_run_init(struct rank_run *run, size_t n_ranks, size_t n, struct ts_arena *arena);
/* The n values of a phase in seconds; they are added, as zeros, if the rank does not have the phase. */
double *rank_run_phase(struct rank_run *run, size_t rank, enum ts_rank_phase phase, struct ts_arena *arena);
/* Analyzes the run in windows of `window` steps (0: one window); asserts that it works. */
void rank_run_analyze(const struct rank_run *run, uint32_t world_size, size_t window, struct ts_arena *arena,
		      struct ts_measures *measures, struct ts_events *events, struct ts_plots *plots);
/* Reads DIR/rank0 ... of a run of n_ranks ranks, all of which have the same steps; false if the run does not exist. */
bool rank_run_load(const char *dir, size_t n_ranks, struct ts_arena *arena, struct rank_run *ret_run);

#endif
