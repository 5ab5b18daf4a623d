/* analyze_layers.h - the layers of a rank whose times were recorded (scalars.layers/NAME/forward_ms and backward_ms), for
 * analysis/rank/layers.h. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_LAYERS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_LAYERS_H

#include "analysis/answer/measure.h"
#include "service/handlers/core/read.h"

/* Adds rows of the layers that take most; none if the rank recorded none. A column at a time is in memory. */
enum ts_status ts_layers_of_rank(struct ts_fetch *f, const struct ts_index *index, struct ts_arena *arena, struct ts_measures *m,
				 struct ts_error *err);

#endif
