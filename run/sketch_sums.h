/* sketch_sums.h - the sums of a sketch as the text that a record holds: 256 doubles, little-endian, in base64 (docs/sketches.md). */
#ifndef TSCOPE_RUN_SKETCH_SUMS_H
#define TSCOPE_RUN_SKETCH_SUMS_H

#include "base/span.h"

#include <stdbool.h>

enum { TS_SKETCH_SUMS = 256 };

/* False where the text is not that, or a sum is not finite. */
bool ts_sketch_sums_parse(struct ts_span text, double ret_sums[TS_SKETCH_SUMS]);

#endif
