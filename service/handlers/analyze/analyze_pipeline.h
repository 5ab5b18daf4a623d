/* analyze_pipeline.h - gathers the events of a pipeline from the ranks that wrote them, for analysis/rank/pipeline.h. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_PIPELINE_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_PIPELINE_H

#include "analysis/rank/pipeline.h"
#include "service/handlers/core/read.h"

/* Adds the measures of the pipeline, or none if no rank has events. All events are in memory at once, 48 bytes each. */
enum ts_status ts_analyze_pipeline(struct ts_fetch *f, const struct ts_run *run, const struct ts_pipeline_plan *plan,
				   struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err);

#endif
