/* pipeline.h - how much of the time the stages of a pipeline are idle, compared with what the schedule cannot avoid.
 *
 * The group is "pipeline". The makespan of a step is the time from the first start to the last end of its events, over all
 * stages; without a column step, all events belong to one step. busy is the union of a stage's intervals, so that
 * overlapping time counts once. With p stages, over all steps:
 *	all/	bubble = 1 - sum of busy / (p * sum of makespans); makespan (s, that sum), steps, stages, events, skipped,
 *		busiest, idlest ("stage 2"; the lowest of equal ones); ideal = (p - 1) / (v * m + p - 1) for m microbatches and
 *		v chunks of the model per stage; excess = how far bubble is above ideal, at least 0; microbatches and
 *		virtual_stages, as declared or as the columns microbatch and chunk count them (the most of any step), with
 *		microbatches_source "declared" or "column microbatch"
 *	stage K/ busy (s), bubble
 * An event is skipped and counted if its stage is no integer from 0 on, if its times are not finite, or if its end is before
 * its start. Clocks are not corrected: if the stages run on several hosts, their clocks must agree as closely as the answer
 * should be exact.
 * Source: Huang et al., "GPipe", 2019; Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters",
 * 2021, for v.
 */
#ifndef TSCOPE_ANALYSIS_RANK_PIPELINE_H
#define TSCOPE_ANALYSIS_RANK_PIPELINE_H

#include "analysis/answer/measure.h"

enum { TS_PIPELINE_STAGES = 4096 }; /* the most stages that get rows; with more, a reason says that there are too many */

struct ts_pipeline_events {
	const double *stage, *start_s, *end_s;
	const double *step, *microbatch, *chunk; /* NULL: there is no such column, or some event lacks it */
	size_t n;
};

/* The declared numbers; 0: not declared. */
struct ts_pipeline_plan {
	uint64_t stages, microbatches, virtual_stages;
};

/* Appends rows, or none if there are no events. Takes 40 bytes of the arena for each event. */
enum ts_status ts_pipeline(const struct ts_pipeline_events *events, const struct ts_pipeline_plan *plan, struct ts_arena *arena,
			   struct ts_measures *measures, struct ts_error *err);

#endif
