/* pipeline.h - how much of the time the stages of a pipeline stand still, against what the schedule cannot avoid.
 *
 * Group "pipeline". A step's makespan is the time from the first start to the last end of its events, of all stages; without
 * a column step all events are of one. busy is the union of a stage's intervals, so what overlaps counts once. With p stages,
 * over all steps:
 *	all/	bubble = 1 - sum of busy / (p * sum of makespans); makespan (s, that sum), steps, stages, events, skipped,
 *		busiest, idlest ("stage 2"; the lowest of equals); ideal = (p - 1) / (v * m + p - 1) for m microbatches and v
 *		chunks of the model a stage; excess = what bubble has above ideal, not below 0; microbatches and
 *		virtual_stages, as declared or as the columns microbatch and chunk count them (the most of any step), with
 *		microbatches_source "declared" or "column microbatch"
 *	stage K/ busy (s), bubble
 * An event whose stage is no integer from 0 on, whose times are not finite or whose end lies before its start is skipped and
 * counted. Clocks are taken as they are: those of several hosts must agree to what is asked of the answer.
 * Source: Huang et al., "GPipe", 2019; Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters",
 * 2021, for v.
 */
#ifndef TSCOPE_ANALYSIS_RANK_PIPELINE_H
#define TSCOPE_ANALYSIS_RANK_PIPELINE_H

#include "analysis/answer/measure.h"

enum { TS_PIPELINE_STAGES = 4096 }; /* that get rows; more are said to be too many */

struct ts_pipeline_events {
	const double *stage, *start_s, *end_s;
	const double *step, *microbatch, *chunk; /* NULL: no such column, or not on every event */
	size_t n;
};

/* Declared numbers, 0 for those that nobody declared. Adds no row where there are no events. Takes 40 bytes an event. */
struct ts_pipeline_plan {
	uint64_t stages, microbatches, virtual_stages;
};

enum ts_status ts_pipeline(const struct ts_pipeline_events *events, const struct ts_pipeline_plan *plan, struct ts_arena *arena,
			   struct ts_measures *measures, struct ts_error *err);

#endif
