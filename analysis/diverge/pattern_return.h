/* pattern_return.h - a digest of the state of one run that the same run had before: an update left everything as it was, or a state
 * began anew.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_PATTERN_RETURN_H
#define TSCOPE_ANALYSIS_DIVERGE_PATTERN_RETURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_pattern_return {
	bool previous; /* the record just before that step has the same digest */
	bool first;    /* the first record has it, and that is not the one just before */
};

/* steps ascend. All false where no record is of that step. */
struct ts_pattern_return ts_pattern_return_find(const int64_t *steps, const uint64_t *words, size_t n, int64_t step);

#endif
