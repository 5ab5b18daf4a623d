/* analyze_pipeline.h - the events of a pipeline, gathered from the ranks that wrote them, for analysis/rank/pipeline.h. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_PIPELINE_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_PIPELINE_H

#include "analysis/rank/pipeline.h"
#include "service/handlers/core/read.h"

/* Adds no row when no rank has events. 48 bytes an event are in memory at once. */
enum ts_status ts_analyze_pipeline(struct ts_fetch *f, const struct ts_run *run, const struct ts_pipeline_plan *plan,
				   struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err);

#endif
