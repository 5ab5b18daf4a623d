/* analyze_modes.h - in which mode the models of a rank were trained, by what its recorder says in the facts work.modes. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_MODES_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_MODES_H

#include "service/handlers/analyze/analyze_rank.h"

/* Adds the rows; none where the facts are missing or are no such numbers. */
enum ts_status ts_analyze_modes(struct ts_rank_analysis *a, struct ts_error *err);

#endif
