/* gate_court.c - what every file of the gate uses while a verdict is made: its text, its warnings, and which metrics are times.
 * It calls none of the others. */
#include "analysis/gate/gate_internal.h"

#include <stdarg.h>

bool ts_gate_timed(enum ts_metric metric)
{
	return metric != TS_METRIC_PEAK_MEMORY && metric != TS_METRIC_LOSS && metric != TS_METRIC_CPU_TIME;
}

static struct ts_span formatted(struct ts_gate_court *c, const char *format, va_list args)
{
	const char *text = ts_arena_vprintf(c->arena, format, args);

	if (!text)
		c->full = true;
	return ts_span_str(text ? text : "");
}

struct ts_span ts_gate_text(struct ts_gate_court *c, const char *format, ...)
{
	struct ts_span text;
	va_list args;

	va_start(args, format);
	text = formatted(c, format, args);
	va_end(args);
	return text;
}

void ts_gate_warn(struct ts_gate_court *c, const char *format, ...)
{
	struct ts_verdict *v = &c->v;
	va_list args;

	if (v->n_warnings == c->cap_warnings) {
		size_t room = c->cap_warnings ? 2 * c->cap_warnings : 16;
		struct ts_span *warnings = ts_arena_array(c->arena, room, sizeof *warnings);

		if (!warnings) {
			c->full = true;
			return;
		}
		if (v->n_warnings)
			memcpy(warnings, v->warnings, v->n_warnings * sizeof *warnings);
		v->warnings = warnings;
		c->cap_warnings = room;
	}
	va_start(args, format);
	v->warnings[v->n_warnings++] = formatted(c, format, args);
	va_end(args);
}
