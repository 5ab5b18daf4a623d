/* analyze_attempts.h - reads what analysis/rank/attempts.h asks for of the analyzed rank, and adds its measures. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_ATTEMPTS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_ATTEMPTS_H

#include "analysis/answer/measure.h"
#include "service/handlers/core/read.h"

/* facts: all of the rank's. A rank of one attempt gets no rows. */
enum ts_status ts_attempts_of_rank(struct ts_fetch *f, const struct ts_index *index, const struct ts_facts *facts,
				   struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err);

#endif
