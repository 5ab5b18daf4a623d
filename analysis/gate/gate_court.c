/* gate_court.c - what every file of the gate uses while a verdict is made: its text, its warnings, and which metrics are times.
 * It calls none of the others. */
#include "analysis/gate/gate_internal.h"

#include <stdarg.h>
#include <stdio.h>

bool ts_gate_timed(enum ts_metric metric)
{
	return metric != TS_METRIC_PEAK_MEMORY && metric != TS_METRIC_LOSS;
}

static struct ts_span formatted(struct ts_gate_court *c, const char *format, va_list args)
{
	struct ts_span text = {NULL, 0};
	va_list again;
	char *out;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	out = n < 0 ? NULL : ts_arena_alloc(c->arena, (size_t)n + 1);
	if (!out) {
		c->full = true;
		return text;
	}
	(void)vsnprintf(out, (size_t)n + 1, format, args);
	return ts_span_of(out, (size_t)n);
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
