/* analyze_skips.h - counts the updates that a gradient scaler skipped, by the factor of mixed precision and the gradient norm that a
 * rank logged (analysis/diverge/pattern_skip.h).
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_SKIPS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_SKIPS_H

#include "analysis/answer/measure.h"
#include "service/handlers/analyze/analyze_columns.h"

/* Appends the rows of group convergence, subject "updates", by the values from step `first` on; none where no factor is recorded, as
 * then nobody knows that an update was skipped. Rows lie in the arena. */
enum ts_status ts_analyze_skips(struct ts_columns *columns, const struct ts_index *index, int64_t first, struct ts_arena *arena,
				struct ts_measures *measures, struct ts_error *err);

#endif
