/* diagnose.h - from evidence to a diagnosis, by a fixed procedure: docs/divergence.md has it in words.
 *
 * In this order: is there enough to compare; does anything of the training differ at all; inputs before effects (learning rate,
 * batches, parameters, generators); events (a resume, an epoch); what the scalars alone can say, scaled by how coarsely they
 * were written and by how far repeats scatter; facts as explanations, by the table in effects.h. What stays inseparable is one
 * class, and the experiments say what would separate it. Exchanging the two runs changes the names in its sentences and nothing
 * else.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_DIAGNOSE_H
#define TSCOPE_ANALYSIS_DIVERGE_DIAGNOSE_H

#include "analysis/diverge/cuts.h"
#include "analysis/diverge/evidence.h"

/* Spans of the diagnosis lie in the arena, or are literals, or those of the evidence. cuts NULL: the defaults. TS_NO_MEMORY or
 * TS_TOO_LARGE when the arena is full. */
enum ts_status ts_diagnose(const struct ts_evidence *evidence, const struct ts_cuts *cuts, struct ts_arena *arena,
			   struct ts_diagnosis *ret_diagnosis, struct ts_error *err);

/* diagnose_plain.c */
/* Verdict, reason and diagnosis of a run that was compared with itself. */
void ts_diagnose_itself(struct ts_diff *diff);
/* The diagnosis of runs that were aligned by another column than the step: that causes are asked for by step. */
enum ts_status ts_diagnose_by_axis(struct ts_diff *diff, struct ts_arena *arena, struct ts_error *err);
/* Once the reason is there: a diagnosis that has nothing to add says it in the words of the reason. */
void ts_diagnose_settle(struct ts_diff *diff);

#endif
