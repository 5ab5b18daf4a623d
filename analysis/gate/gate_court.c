/* gate_court.c - what every file of the gate uses while a verdict is made: its text, its warnings, and which metrics are times.
 * It calls none of the others. */
#include "analysis/gate/gate_internal.h"
#include "base/door.h"
#include "base/grow.h"

#include <stdarg.h>

static bool sample_holds(const struct ts_gate_court *c, const struct ts_gate_sample *s)
{
	if (s->n_base > c->input->n_runs || s->n_candidate > c->input->n_runs || s->n_pairs > c->n_pairs || s->n_odd > c->input->n_runs)
		return false;
	if (s->n_low > s->n_base || s->taken_first < -1 || s->taken_first > 1 || s->first < -1 || s->first > 1)
		return false;
	for (size_t i = 1; i < s->n_base; i++)
		if (s->base[i - 1] > s->base[i])
			return false;
	for (size_t i = 1; i < s->n_candidate; i++)
		if (s->candidate[i - 1] > s->candidate[i])
			return false;
	return s->no_base.runs <= s->no_base.of && s->no_candidate.runs <= s->no_candidate.of && s->no_pair.runs <= s->no_pair.of;
}

uint64_t ts_gate_runs_compared(const struct ts_gate_sample *s)
{
	size_t first = s->nearer == 1 ? s->n_low : 0, end = s->nearer == 0 ? s->n_low : s->n_base;
	uint64_t runs = 0;

	for (size_t i = first; i < end; i++)
		runs += s->base_runs[i];
	return runs;
}

bool ts_gate_court_holds(const struct ts_gate_court *c)
{
	if (c->n_pairs > c->input->n_runs || c->v.n_rows > TS_METRICS_ALL || c->v.n_warnings > c->cap_warnings ||
	    c->stands_in > TS_METRICS)
		return false;
	for (size_t i = 0; i < c->v.n_rows; i++)
		if (!sample_holds(c, &c->samples[i]))
			return false;
	for (size_t i = 0; i < c->n_pairs; i++)
		if (!c->pairs[i].base && !c->pairs[i].candidate)
			return false;
	return !c->candidate || (c->candidate >= c->input->runs && c->candidate < c->input->runs + c->input->n_runs);
}

bool ts_gate_timed(enum ts_metric metric)
{
	return metric < TS_METRICS && metric != TS_METRIC_PEAK_MEMORY && metric != TS_METRIC_LOSS && metric != TS_METRIC_CPU_TIME;
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

	TS_DOOR(ts_gate_court_holds(c));
	if (!TS_GROW_IN(c->arena, v->warnings, c->cap_warnings, v->n_warnings + 1, 16)) {
		c->full = true;
		return;
	}
	va_start(args, format);
	v->warnings[v->n_warnings++] = formatted(c, format, args);
	va_end(args);
}

struct ts_gate_orders ts_gate_orders_of(const struct ts_gate_input *input)
{
	struct ts_gate_orders orders = {0};

	for (size_t i = 0; i < input->n_runs; i++)
		for (size_t k = 0; k < input->n_runs && input->runs[i].role == TS_GATE_PAIR_BASE; k++) {
			const struct ts_gate_run *base = &input->runs[i], *candidate = &input->runs[k];
			int64_t a = base->workload.started_ns, b = candidate->workload.started_ns;

			if (candidate->role != TS_GATE_PAIR_CANDIDATE || candidate->group != base->group || !a || !b)
				continue;
			orders.base += a < b;
			orders.candidate += b < a;
		}
	return orders;
}

/* From none, the order is ABBA: a machine that slows down affects both sides equally. */
bool ts_gate_base_first(struct ts_gate_orders *io_orders, uint64_t number)
{
	bool tie = io_orders->base == io_orders->candidate, base = tie ? number % 2 == 1 : io_orders->base < io_orders->candidate;

	io_orders->base += base;
	io_orders->candidate += !base;
	return base;
}
