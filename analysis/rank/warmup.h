/* warmup.h - how many steps at the start of a run are slower than the rest, because of compilation, autotuning or caches that fill.
 *
 * A warm-up is a range of steps from the first step on (two ordinary steps may come before it) that is slower than what
 * follows, and that ends within the first third of the run and within 5,000 steps. If the whole first third is slow, the
 * run has changed and had no warm-up. 5,000 steps are more than any start-up that we know, and bound the search. A start
 * that is faster than the rest is never cut, so that a late slow-down stays visible.
 *
 * Method, on logarithms of step times, so that noise and slowness are factors. The steps behind the search range are
 * the reference: their median is the usual level, 1.4826 times their median absolute deviation the unit (at least 0.5
 * %, because a smaller difference is not a warm-up). Page's CUSUM of (z - d), begun at the first step, must pass 3,
 * where d = 3 + 3.5 (1 + rho) / (1 - rho) / reference steps, and rho, the lag-1 autocorrelation, is never taken below
 * 0.9: in a short run of dependent steps the unit comes out too small. Whatever the dependence, few steps are d above
 * the usual level; this keeps false cuts below 1 % without a model of the noise (tests/quality/quality_timing.c
 * measures it; up to 1.5 % were seen in runs of 100 to 300 steps of AR(1) with rho 0.98, whose first third may well be
 * another level). If the reference steps rise as high, for as short a time, once in 200 steps or more often, the start
 * does not differ from them and nothing is cut. The end of the warm-up is where the CUSUM with d = 1.5 and z clipped at
 * 5 is greatest, before it falls by 10 (some seven usual steps). O(n), and no more than 16,000 steps are read. NaN and
 * infinite times are skipped; times of 0 and less count as very fast.
 *
 * A run that is too short for this, or whose usual steps are too uneven, may still have a start-up: one to three first steps of which
 * the first takes more than 5 times the median of the others that are read and 2.5 times the longest of them (each further one 3 and 2
 * times). There must be three times as many other steps, and three at least. The first process to compile, or a connection that is
 * made, takes so long in logs of ten lines, too.
 *
 * Source: E. S. Page, "Continuous inspection schemes", Biometrika 41 (1954), for the CUSUM; P. J. Rousseeuw and C. Croux,
 * JASA 88 (1993) for the scale. MSER (K. P. White, Simulation 69, 1997), the usual cut of initial transients, always cuts
 * something: it has no test.
 */
#ifndef TSCOPE_ANALYSIS_RANK_WARMUP_H
#define TSCOPE_ANALYSIS_RANK_WARMUP_H

#include "base/arena.h"

enum {
	TS_WARMUP_MAX = 5000, /* steps */
	TS_WARMUP_STEPS = 15, /* a run must have at least as many, unless its start-up is plain */
};

/* *ret_cut is the number of steps to cut, 0 if there is no warm-up; *ret_reason is NULL, or the reason why this is not
 * known. times are in seconds. */
enum ts_status ts_warmup_find(const double *times, size_t n, struct ts_arena *arena, size_t *ret_cut,
			      const char **ret_reason, struct ts_error *err);

#endif
