#include "analysis/traceml/traceml_missed.h"

#include "analysis/answer/say.h"
#include "analysis/gate/gate.h"
#include "analysis/gate/gate_test.h"

#include <math.h>

struct ts_traceml_pair ts_traceml_pair_of(struct ts_traceml_number a, struct ts_traceml_number b)
{
	struct ts_traceml_pair p = {a, b, {.known = false}};

	if (!a.known || !b.known || !(fabs(a.value) > TS_TRACEML_TINY))
		return p;
	p.pct.value = 100.0 * (b.value - a.value) / a.value;
	p.pct.known = !isnan(p.pct.value);
	return p;
}

bool ts_traceml_same_phase_clock(const struct ts_traceml_summary *a, const struct ts_traceml_summary *b)
{
	return a->phase_clock != TS_TRACEML_NO_CLOCK && a->phase_clock == b->phase_clock;
}

/* These limits say which difference deserves a line: most pairs of summaries of one program differ by less. */
#define PHASE_OF_STEP 1.0 /* percent of A's step time by which a phase changed */
#define PHASE_OF_ITSELF 5.0
#define MEMORY_PCT 1.0
#define UTIL_POINTS 10.0
#define STEPS_LEAST 20 /* with fewer steps TraceML itself calls nothing critical */

struct looking {
	const struct ts_traceml_summary *a, *b;
	struct ts_traceml_comparison *c;
	struct ts_arena *arena;
	bool no_memory;
};

static void tell(struct looking *l, const char *code, const char *sentence)
{
	if (!sentence)
		l->no_memory = true;
	else if (l->c->n_missed < TS_TRACEML_MISSED)
		l->c->missed[l->c->n_missed++] = (struct ts_traceml_missed){code, ts_span_str(sentence)};
}

static bool has_finding(const struct ts_traceml_comparison *c, int priority)
{
	for (size_t i = 0; i < c->n_findings; i++)
		if (c->findings[i].priority == priority)
			return true;
	return false;
}

static struct ts_span or_none(struct ts_span status)
{
	return status.len ? status : ts_span_str("none");
}

/* --- the verdict itself --- */

/* Lists a regression that another finding outweighs. */
static void hidden(struct looking *l)
{
	const struct ts_traceml_finding *first = &l->c->findings[0];

	for (size_t i = 1; i < l->c->n_findings; i++) {
		const struct ts_traceml_finding *f = &l->c->findings[i];

		if (f->verdict == TS_TRACEML_REGRESSION && first->verdict != TS_TRACEML_REGRESSION &&
		    first->verdict != TS_TRACEML_MIXED)
			tell(l, "outweighed",
			     ts_arena_printf(l->arena,
					     "%s takes the place of a regression that the rule found too: %.*s",
					     ts_traceml_verdict_word(first->verdict), TS_SPAN_ARG(f->why)));
	}
}

static void no_percentage(struct looking *l, const char *what, const struct ts_traceml_pair *p)
{
	if (!p->a.known || !p->b.known || p->pct.known || (p->a.value <= p->b.value && p->a.value >= p->b.value))
		return;
	tell(l, "no_percentage",
	     ts_arena_printf(
		     l->arena,
		     "%s went from %s to %s; this change has no percentage, so the rule compares it with no limit",
		     what, ts_say_number(p->a.value).text, ts_say_number(p->b.value).text));
}

static void diagnoses(struct looking *l)
{
	for (size_t i = 0; i < TS_TRACEML_SECTIONS; i++) {
		struct ts_span a = l->a->status[i], b = l->b->status[i];
		bool told = (i == TS_TRACEML_STEP_TIME && (has_finding(l->c, 9) || has_finding(l->c, 3))) ||
			    (i == TS_TRACEML_STEP_MEMORY && has_finding(l->c, 10));

		if (!told && !ts_span_eq(a, b))
			tell(l, "diagnosis",
			     ts_arena_printf(l->arena, "the diagnosis of %s went from %.*s to %.*s",
					     ts_traceml_section_name((enum ts_traceml_section)i), TS_SPAN_ARG(or_none(a)),
					     TS_SPAN_ARG(or_none(b))));
	}
}

/* --- numbers --- */

static void memory(struct looking *l)
{
	const struct ts_traceml_pair *p = &l->c->memory;
	struct ts_traceml_pair median = ts_traceml_pair_of(l->a->memory_median, l->b->memory_median);

	if (p->pct.known && fabs(p->pct.value) >= MEMORY_PCT && fabs(p->pct.value) < TS_TRACEML_MEMORY_PCT)
		tell(l, "memory",
		     ts_arena_printf(
			     l->arena,
			     "peak reserved memory changed by %+.2f %% (%s), which is within its limit of %g %%",
			     p->pct.value, ts_say_bytes(p->b.value - p->a.value).text, TS_TRACEML_MEMORY_PCT));
	if (median.pct.known && fabs(median.pct.value) >= MEMORY_PCT &&
	    (!p->pct.known || fabs(median.pct.value - p->pct.value) >= MEMORY_PCT))
		tell(l, "memory_of_ranks",
		     ts_arena_printf(l->arena,
				     "peak reserved memory of the median rank changed by %+.2f %% (%s), but only the "
				     "worst rank counts",
				     median.pct.value, ts_say_bytes(median.b.value - median.a.value).text));
}

static bool stands_out(struct ts_traceml_number worst, struct ts_traceml_number average)
{
	return worst.known && average.known && worst.value >= (1 + TS_TRACEML_STEP_PCT / 100) * average.value;
}

/* The slowest rank sets the pace of the job, but TraceML's rule looks at the average of the ranks. */
static void ranks(struct looking *l)
{
	const struct ts_traceml_pair *step = &l->c->step;
	bool gpu = l->c->clock == TS_TRACEML_GPU;
	struct ts_traceml_pair worst = ts_traceml_pair_of(gpu ? l->a->worst_step_gpu : l->a->worst_step_cpu,
							  gpu ? l->b->worst_step_gpu : l->b->worst_step_cpu);
	struct ts_span a = gpu ? l->a->worst_rank_gpu : l->a->worst_rank_cpu,
		       b = gpu ? l->b->worst_rank_gpu : l->b->worst_rank_cpu;

	if (l->c->clock == TS_TRACEML_NO_CLOCK)
		return;
	if (worst.pct.known && step->pct.known && fabs(worst.pct.value) >= TS_TRACEML_STEP_PCT &&
	    fabs(worst.pct.value - step->pct.value) >= 1)
		tell(l, "ranks",
		     ts_arena_printf(l->arena,
				     "the step time of the slowest rank changed by %+.2f %%, the average of all ranks "
				     "by %+.2f %%; only the average "
				     "counts",
				     worst.pct.value, step->pct.value));
	if (a.len && b.len && !ts_span_eq(a, b) && stands_out(worst.a, step->a) && stands_out(worst.b, step->b))
		tell(l, "ranks",
		     ts_arena_printf(l->arena, "a different rank is the slowest: first %.*s, then %.*s", TS_SPAN_ARG(a),
				     TS_SPAN_ARG(b)));
}

static bool moved(const struct looking *l, size_t phase, double *ret_ms)
{
	struct ts_traceml_pair p = ts_traceml_pair_of(l->a->phases[phase], l->b->phases[phase]);
	double step = l->c->step.a.known ? l->c->step.a.value : (double)NAN;

	if (!p.a.known || !p.b.known)
		return false;
	*ret_ms = p.b.value - p.a.value;
	return 100 * fabs(*ret_ms) >= PHASE_OF_STEP * step && (!p.pct.known || fabs(p.pct.value) >= PHASE_OF_ITSELF);
}

static const char *phase_text(struct looking *l, size_t phase)
{
	struct ts_traceml_pair p = ts_traceml_pair_of(l->a->phases[phase], l->b->phases[phase]);

	if (!p.pct.known)
		return ts_arena_printf(l->arena, "%s %+.4g ms", ts_traceml_phase_name((enum ts_traceml_phase)phase),
				       p.b.value - p.a.value);
	return ts_arena_printf(l->arena, "%s %+.1f %% (%+.4g ms)", ts_traceml_phase_name((enum ts_traceml_phase)phase),
			       p.pct.value, p.b.value - p.a.value);
}

/* Lists phases whose times changed: one change may hide another. Compute is left out, because it is the sum of three
 * phases that are listed themselves. */
static void phases(struct looking *l)
{
	const char *text = "";
	bool up = false, down = false;
	double ms;

	if (!ts_traceml_same_phase_clock(l->a, l->b)) {
		tell(l, "phases",
		     "phases are not compared: their clock differs between the summaries, or is not recorded");
		return;
	}
	for (size_t i = 0; i < TS_TRACEML_PHASES && text; i++) {
		const char *one;

		if (i == TS_TRACEML_COMPUTE || !moved(l, i, &ms))
			continue;
		up = up || ms > 0;
		down = down || ms < 0;
		one = phase_text(l, i);
		text = one ? ts_arena_printf(l->arena, "%s%s%s", text, *text ? ", " : "", one) : NULL;
	}
	if (!text || *text)
		tell(l, "phases",
		     text ? ts_arena_printf(l->arena, "phase times changed%s: %s",
					    up && down ? " in opposite directions" : "", text)
			  : NULL);
}

static void other_clock(struct looking *l)
{
	struct ts_traceml_pair cpu = ts_traceml_pair_of(l->a->step_cpu, l->b->step_cpu);

	if (l->c->clock == TS_TRACEML_GPU && cpu.pct.known && l->c->step.pct.known &&
	    fabs(cpu.pct.value) >= TS_TRACEML_STEP_PCT && fabs(cpu.pct.value - l->c->step.pct.value) >= 1)
		tell(l, "clock",
		     ts_arena_printf(l->arena,
				     "step time changed by %+.2f %% on the CPU clock and by %+.2f %% on the GPU clock; "
				     "only the GPU clock counts",
				     cpu.pct.value, l->c->step.pct.value));
	if (l->a->step_gpu.known != l->b->step_gpu.known)
		tell(l, "clock", "only one of the two summaries has a step time on the GPU clock");
}

static void device(struct looking *l)
{
	struct ts_traceml_number a = l->a->gpu_util, b = l->b->gpu_util;

	if (a.known && b.known && fabs(b.value - a.value) >= UTIL_POINTS)
		tell(l, "gpu_utilization",
		     ts_arena_printf(l->arena, "GPU utilization went from %.4g to %.4g %%", a.value, b.value));
}

/* --- what was compared --- */

static void setting(struct looking *l, const char *what, struct ts_traceml_number a, struct ts_traceml_number b)
{
	if (a.known && b.known && (a.value < b.value || a.value > b.value))
		tell(l, "other_job",
		     ts_arena_printf(l->arena, "the jobs differ in %s: %.10g and %.10g", what, a.value, b.value));
}

static void steps(struct looking *l)
{
	double a = l->a->steps.value, b = l->b->steps.value;

	if (!l->a->steps.known || !l->b->steps.known || (a >= STEPS_LEAST && b >= STEPS_LEAST && a <= 2 * b && b <= 2 * a))
		return;
	tell(l, "steps",
	     ts_arena_printf(l->arena, "the rule compares means over %.10g steps with means over %.10g steps", a, b));
}

static void schemas(struct looking *l)
{
	bool a = l->a->schema_number.known && l->a->schema_number.value >= TS_TRACEML_CLOCKED;
	bool b = l->b->schema_number.known && l->b->schema_number.value >= TS_TRACEML_CLOCKED;

	if (a != b && l->c->clock != TS_TRACEML_NO_CLOCK)
		tell(l, "schema",
		     "before schema 1.7 the step time was a different quantity (total_step_ms); the rule compares the "
		     "two as if they were "
		     "one");
}

/* --- how many runs would tell --- */

unsigned ts_traceml_baselines_for(double size, double noise)
{
	struct ts_gate_policy policy;
	struct ts_gate_rule rule;

	ts_gate_policy_default(&policy);
	rule = (struct ts_gate_rule){.delta = log1p(policy.delta), .min_size = log1p(policy.min_size[TS_METRIC_STEP_TIME])};
	for (unsigned n = TS_GATE_LEAST; n <= TS_TRACEML_BASELINES_MOST; n++) {
		struct ts_gate_look look = {.sd = noise, .df = n - 1, .error = noise * sqrt(1 + 1 / (double)n)};

		if (ts_gate_found_from(&look, &rule, policy.suspect_alpha) <= log1p(size))
			return n;
	}
	return 0;
}

static void count_baselines(struct ts_traceml_comparison *c)
{
	static const double noises[TS_TRACEML_NOISES] = {0.002, 0.005, 0.01, 0.02};
	double seen = c->step.pct.known ? fabs(c->step.pct.value) : 0;

	c->size = (seen > TS_TRACEML_STEP_PCT && isfinite(seen) ? seen : TS_TRACEML_STEP_PCT) / 100;
	for (size_t i = 0; i < TS_TRACEML_NOISES; i++)
		c->baselines[i] = (struct ts_traceml_baselines){noises[i], ts_traceml_baselines_for(c->size, noises[i])};
}

enum ts_status ts_traceml_find_missed(const struct ts_traceml_summary *a, const struct ts_traceml_summary *b,
				      struct ts_traceml_comparison *c, struct ts_arena *arena, struct ts_error *err)
{
	struct looking l = {.a = a, .b = b, .c = c, .arena = arena};

	hidden(&l);
	no_percentage(&l, "step time (ms)", &c->step);
	no_percentage(&l, "peak reserved memory (bytes)", &c->memory);
	setting(&l, "world size", a->world_size, b->world_size);
	setting(&l, "nodes", a->nodes, b->nodes);
	setting(&l, "GPUs", a->gpus, b->gpus);
	steps(&l);
	schemas(&l);
	phases(&l);
	ranks(&l);
	other_clock(&l);
	memory(&l);
	device(&l);
	diagnoses(&l);
	count_baselines(c);
	return l.no_memory ? ts_arena_error(arena, err) : TS_OK;
}
