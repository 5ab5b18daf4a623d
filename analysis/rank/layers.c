#include "analysis/rank/layers.h"

#include "base/door.h"
#include "base/order.h"

#include <math.h>

static double time_of(const struct ts_layer *l)
{
	return (isnan(l->forward_s) ? 0 : l->forward_s) + (isnan(l->backward_s) ? 0 : l->backward_s);
}

/* The most time first; of equal ones by name, so that the answer does not depend on the order of columns. */
TS_ORDER(by_time, struct ts_layer, TS_DOWN_OF(time_of); TS_TEXT(name))

static bool add_layer(const struct ts_layer *l, double all, struct ts_arena *arena, struct ts_measures *m)
{
	char *subject = ts_arena_printf(arena, "layer %.*s", TS_SPAN_ARG(l->name));
	struct ts_span of;

	if (!subject)
		return false;
	of = ts_span_str(subject);
	if (!ts_measure_add(m, arena, TS_M_LAYER_TIME, of, time_of(l)) ||
	    !ts_measure_add(m, arena, TS_M_LAYER_STEPS, of, (double)l->steps) ||
	    (all > 0 && !ts_measure_add(m, arena, TS_M_LAYER_SHARE, of, time_of(l) / all)))
		return false;
	if (!isnan(l->forward_s) && !ts_measure_add(m, arena, TS_M_LAYER_FORWARD, of, l->forward_s))
		return false;
	return isnan(l->backward_s) || ts_measure_add(m, arena, TS_M_LAYER_BACKWARD, of, l->backward_s);
}

enum ts_status ts_layers_rows(struct ts_layer *layers, size_t n, struct ts_arena *arena, struct ts_measures *m, struct ts_error *err)
{
	double all = 0;

	TS_DOOR(ts_measures_hold(m));
	if (!n)
		return TS_OK;
	TS_SORT(layers, n, by_time);
	for (size_t i = 0; i < n; i++)
		all += time_of(&layers[i]);
	if (!ts_measure_add(m, arena, TS_M_LAYERS_COUNT, TS_NO_SUBJECT, (double)n))
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n && i < TS_LAYERS_SHOWN; i++)
		if (!add_layer(&layers[i], all, arena, m))
			return ts_arena_error(arena, err);
	return TS_OK;
}
