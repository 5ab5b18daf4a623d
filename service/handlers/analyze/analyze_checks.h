/* analyze_checks.h - rows on training that goes wrong in silence: gradients that are stale, a loss that does not depend on its batch,
 * and what the recorder itself found at watched steps (the facts session.checks.*, docs/digests.md).
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_CHECKS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_CHECKS_H

#include "service/handlers/analyze/analyze_rank.h"

enum ts_status ts_analyze_checks(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_error *err);

#endif
