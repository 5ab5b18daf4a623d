/* compare.h - the first common step at which two columns differ, in bits.
 *
 * Rows are aligned by key, never by position. In the bit tier +0 and -0 differ, NaN equals NaN (canonical bits).
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_COMPARE_H
#define TSCOPE_ANALYSIS_DIVERGE_COMPARE_H

#include "base/span.h"

struct ts_compare {
	bool stops;	   /* given: look no further than the first that differs */
	uint64_t common;   /* keys on both sides */
	uint64_t only_a;
	uint64_t only_b;
	uint64_t differing; /* common keys whose values differ */
	bool parts;	   /* differing > 0 */
	int64_t first_key; /* of the first differing one */
	size_t at_a, at_b; /* its rows */
};

/* Values are compared as 64-bit words. Adds to *io (so a series is compared block by block); first_* are set once.
 * Where stops is set the counts are of the keys up to the first that differs, that one included. */
void ts_compare_words(const int64_t *keys_a, const uint64_t *a, size_t n_a, const int64_t *keys_b, const uint64_t *b,
		      size_t n_b, struct ts_compare *io);
void ts_compare_text(const int64_t *keys_a, const struct ts_span *a, size_t n_a, const int64_t *keys_b,
		     const struct ts_span *b, size_t n_b, struct ts_compare *io);

#endif
