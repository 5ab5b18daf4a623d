/* layer_drift.h - which layers of a model differ first and most, by numbers that both runs recorded of each layer: norms of
 * gradients, parameters, activations.
 *
 *	ts_layer_drift_take(&drift, &row, arena, err)	each series that both runs have
 *	ts_layer_drift_finish(&drift, arena, err)
 *
 * A series is of a layer by its name alone: one part of it says what is measured (grad_norm, gradients, act_rms), what is left
 * names the layer (grad_norm/layers.0.weight, layers.3/act_rms, grad_norm_layer_3). Where only one layer has a number of that name,
 * none is taken: such a name may mean anything. A layer differs where one of its numbers does by more than both were written with.
 * Pure; the first 262,144 numbers are looked at.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_LAYER_DRIFT_H
#define TSCOPE_ANALYSIS_DIVERGE_LAYER_DRIFT_H

#include "analysis/diverge/diff.h"

/* A number of a layer. Spans of the two parts lie in the arena. False: it is of no layer, or the arena is full. */
bool ts_layer_of_series(struct ts_span column, struct ts_arena *arena, struct ts_span *ret_layer, struct ts_span *ret_what);

/* row: of any series; what is no number of a layer, or was not in both runs, is passed over. */
enum ts_status ts_layer_drift_take(struct ts_layer_drift *drift, const struct ts_series_row *row, struct ts_arena *arena,
				   struct ts_error *err);
/* Leaves the rows of at most TS_DRIFTS_SHOWN layers, those that differ first before others, and among them the one that differs
 * most. */
enum ts_status ts_layer_drift_finish(struct ts_layer_drift *drift, struct ts_arena *arena, struct ts_error *err);

#endif
