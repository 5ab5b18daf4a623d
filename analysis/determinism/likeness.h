/* likeness.h - is what one run computed like what another one did, under a named tolerance? Each answer is green, red or unproved.
 *
 *	ts_likeness_of(&golden, &seen, profile, limits, &arena, &likeness, err)
 *
 * Series are paired by name, and points by step. Green is said only where every series and every step of the reference was there and
 * agreed. What the other run lacks is unproved, not equal; one point that differs is red, whatever else is missing. Times and memory of
 * a file of NVIDIA's are no numbers of the training, and are left out by name.
 *
 * Under `megatron` and `megatron-approximate` numbers are alike where Megatron-LM's own tests call them so (megatron.h): what has no
 * value on either side is alike there, and a step that one side lacks is a difference.
 *
 * A tolerance is relative: r = |a - b| / max(|a|, |b|), as in analysis/diverge/gap.h. Under any but `bitwise` digests do not count,
 * since every bit changes them; a reference of digests alone is then unproved.
 * Pure. Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_DETERMINISM_LIKENESS_H
#define TSCOPE_ANALYSIS_DETERMINISM_LIKENESS_H

#include "analysis/determinism/golden.h"

enum ts_proof { TS_PROOF_GREEN = 0, TS_PROOF_RED = 1, TS_PROOF_UNPROVED = 2 };

struct ts_profile {
	const char *name; /* "bitwise", "float32", "bf16", "repeats", "megatron", "megatron-approximate" */
	double relative;  /* the greatest r; 0: every bit */
	bool repeats;	  /* the greatest r is `times` that between repeats, of each series */
	double times;
	bool megatron;	    /* by the rules of megatron.h */
	bool exact;	    /* of them, the exact ones */
	const char *holds;  /* what green means */
	const char *misses; /* what it could miss */
};

extern const struct ts_profile ts_profiles[];
extern const size_t ts_profiles_n;
enum { TS_PROFILE_REPEATS = 3 }; /* runs without which `repeats` is unproved */

/* NULL: there is none of this name. */
const struct ts_profile *ts_profile_find(struct ts_span name);

struct ts_likeness {
	enum ts_proof proof;
	uint64_t series, points;       /* that were compared */
	uint64_t no_series, no_points; /* of the reference, that the other lacks, or that have no value there */
	uint64_t let;		       /* points that differ, and that the profile lets pass */
	bool differs;
	struct ts_span name; /* where differs: the first point that does, by step */
	int64_t step;
	struct ts_golden_value a, b;
	bool digest;
	double greatest;	 /* r, of all numbers that were compared */
	struct ts_span sentence; /* a clause */
};

/* limits: for each series of the reference the greatest r between repeats, under a profile of repeats; else NULL. */
enum ts_status ts_likeness_of(const struct ts_golden *reference, const struct ts_golden *seen, const struct ts_profile *profile,
			      const double *limits, struct ts_arena *arena, struct ts_likeness *ret, struct ts_error *err);
/* Raises the limits, one for each series of the reference, to what this repeat differs from it by. */
void ts_likeness_widen(const struct ts_golden *reference, const struct ts_golden *repeat, double *limits);

/* Do both names mean one series? "lm loss" of Megatron-LM is scalars.loss, and num-zeros is scalars.num_zeros. */
bool ts_likeness_same_name(struct ts_span a, struct ts_span b);

/* Leaves the series of these names alone, in their order. One that is not there is there without a step, and so unproved. */
enum ts_status ts_likeness_keep(struct ts_golden *golden, const struct ts_span *names, size_t n, struct ts_arena *arena,
				struct ts_error *err);

const char *ts_proof_word(enum ts_proof proof); /* "green", "red", "unproved" */

#endif
