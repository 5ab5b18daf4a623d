/* analyze_batches.h - rows on the order of a rank's batches, on ranks that read the same, and on parameters that stopped changing, by
 * digests; none where it recorded none, or more than 1,048,576 of them.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_BATCHES_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_BATCHES_H

#include "service/handlers/analyze/analyze_rank.h"

enum ts_status ts_analyze_batches(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_error *err);

#endif
