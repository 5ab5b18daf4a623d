#include "analysis/traceml/traceml_compare.h"

#include "analysis/traceml/traceml_missed.h"

#include <math.h>

struct rank_of {
	const char *status;
	int rank;
};

/* Names that are not in this table have rank 0. */
static const struct rank_of step_ranks[] = {
	{"BALANCED", 1},	{"INPUT-BOUND", 2},   {"H2D-BOUND", 2},		{"COMPUTE-BOUND", 2}, {"RESIDUAL-HEAVY", 3},
	{"INPUT STRAGGLER", 3}, {"H2D STRAGGLER", 3}, {"COMPUTE STRAGGLER", 3}, {"STRAGGLER", 4},     {NULL, 0},
};
static const struct rank_of memory_ranks[] = {
	{"BALANCED", 1}, {"MEMORY RISING", 2}, {"IMBALANCE", 3}, {"HIGH PRESSURE", 4}, {"MEMORY CREEP", 4}, {NULL, 0},
};

static int rank_of(const struct rank_of *table, struct ts_span status)
{
	for (; table->status; table++)
		if (ts_span_is(status, table->status))
			return table->rank;
	return 0;
}

/* --- numbers of both --- */

static enum ts_traceml_state state_of(const struct ts_traceml_pair *p)
{
	if (p->a.known && p->b.known)
		return TS_TRACEML_COMPARABLE;
	return p->a.known || p->b.known ? TS_TRACEML_MISSING_ONE_SIDE : TS_TRACEML_MISSING_BOTH;
}

/* Step times are compared on a clock that both summaries have; if there is none, the step time is missing in both. */
static void take_step(struct ts_traceml_comparison *c, const struct ts_traceml_summary *a, const struct ts_traceml_summary *b)
{
	if (a->step_gpu.known && b->step_gpu.known) {
		c->clock = TS_TRACEML_GPU;
		c->step = ts_traceml_pair_of(a->step_gpu, b->step_gpu);
	} else if (a->step_cpu.known && b->step_cpu.known) {
		c->clock = TS_TRACEML_CPU;
		c->step = ts_traceml_pair_of(a->step_cpu, b->step_cpu);
	}
	c->step_time = state_of(&c->step);
}

static bool has_residual(const struct ts_traceml_summary *a, const struct ts_traceml_summary *b)
{
	return ts_traceml_same_phase_clock(a, b) && a->phases[TS_TRACEML_RESIDUAL].known &&
	       b->phases[TS_TRACEML_RESIDUAL].known;
}

/* --- findings --- */

struct comparing {
	const struct ts_traceml_summary *a, *b;
	struct ts_traceml_comparison *c;
	struct ts_arena *arena;
	bool no_memory;
};

static bool at_least(const struct ts_traceml_pair *p, double pct)
{
	return p->pct.known && p->pct.value >= pct;
}

static bool at_most(const struct ts_traceml_pair *p, double pct)
{
	return p->pct.known && p->pct.value <= pct;
}

static void add(struct comparing *s, struct ts_traceml_finding f, const char *why)
{
	if (!why) {
		s->no_memory = true;
		return;
	}
	f.why = ts_span_str(why);
	f.severity = f.verdict == TS_TRACEML_REGRESSION || f.verdict == TS_TRACEML_MIXED ? "warning" : "info";
	s->c->findings[s->c->n_findings++] = f;
}

#define FINDING(priority_, verdict_, domain_, metric_)                                                                         \
	((struct ts_traceml_finding){                                                                                          \
		.priority = (priority_), .verdict = TS_TRACEML_##verdict_, .domain = (domain_), .metric = (metric_)})

/* Decides findings 1 to 3: what cannot be compared. */
static void availability(struct comparing *s)
{
	struct ts_traceml_comparison *c = s->c;
	bool step = c->step_time == TS_TRACEML_COMPARABLE, memory = c->step_memory == TS_TRACEML_COMPARABLE;

	c->overall = step && memory ? TS_TRACEML_COMPARABLE : step || memory ? TS_TRACEML_PARTIAL : TS_TRACEML_INSUFFICIENT;
	if (!step && !memory)
		add(s, FINDING(1, INCONCLUSIVE, "compare", NULL),
		    "the two summaries have neither step time nor peak memory in common");
	else if (!step || !memory)
		add(s, FINDING(2, INCONCLUSIVE, "compare", NULL),
		    step ? "partial: peak memory is not in both summaries"
			 : "partial: step time is not in both summaries on the same clock");
	if (!ts_span_eq(s->a->status[TS_TRACEML_STEP_TIME], s->b->status[TS_TRACEML_STEP_TIME]) && !has_residual(s->a, s->b)) {
		add(s, FINDING(3, INCONCLUSIVE, "step_time", "diagnosis"),
		    "partial: the diagnosis of step time changed, and the residual is not in both summaries on the "
		    "same clock");
		if (step) {
			c->step_time = TS_TRACEML_PARTIAL;
			c->overall = c->overall == TS_TRACEML_COMPARABLE ? TS_TRACEML_PARTIAL : c->overall;
		}
	}
}

static const char *pct_text(struct comparing *s, const char *what, const struct ts_traceml_pair *p, double limit)
{
	return ts_arena_printf(s->arena, "%s changed by %+.2f %%; its limit is %g %%", what, p->pct.value, limit);
}

/* Decides findings 4 to 8, which compare numbers. */
static void numbers(struct comparing *s)
{
	const struct ts_traceml_pair *step = &s->c->step, *memory = &s->c->memory;
	bool slower = at_least(step, TS_TRACEML_STEP_PCT), faster = at_most(step, -TS_TRACEML_STEP_PCT);
	bool more = at_least(memory, TS_TRACEML_MEMORY_PCT), less = at_most(memory, -TS_TRACEML_MEMORY_PCT);

	if ((faster && more) || (slower && less))
		add(s, FINDING(4, MIXED, "compare", NULL),
		    faster ? "steps are faster, but memory is higher" : "steps are slower, but memory is lower");
	if (slower)
		add(s, FINDING(5, REGRESSION, "step_time", "step_time_ms"),
		    pct_text(s, "step time", step, TS_TRACEML_STEP_PCT));
	if (faster)
		add(s, FINDING(6, IMPROVEMENT, "step_time", "step_time_ms"),
		    pct_text(s, "step time", step, TS_TRACEML_STEP_PCT));
	if (more)
		add(s, FINDING(7, REGRESSION, "step_memory", "peak_reserved_bytes"),
		    pct_text(s, "peak reserved memory", memory, TS_TRACEML_MEMORY_PCT));
	if (less)
		add(s, FINDING(8, IMPROVEMENT, "step_memory", "peak_reserved_bytes"),
		    pct_text(s, "peak reserved memory", memory, TS_TRACEML_MEMORY_PCT));
}

static bool rises(struct comparing *s, enum ts_traceml_section section, const struct rank_of *ranks)
{
	return rank_of(ranks, s->b->status[section]) > rank_of(ranks, s->a->status[section]);
}

static const char *change_text(struct comparing *s, enum ts_traceml_section section)
{
	struct ts_span a = s->a->status[section], b = s->b->status[section];

	return ts_arena_printf(s->arena, "the diagnosis of %s went from %.*s to %.*s", ts_traceml_section_name(section),
			       TS_SPAN_ARG(a.len ? a : ts_span_str("none")), TS_SPAN_ARG(b.len ? b : ts_span_str("none")));
}

/* Decides findings 9 to 99, which compare names of diagnoses and cover what is left. */
static void diagnoses(struct comparing *s)
{
	if (rises(s, TS_TRACEML_STEP_TIME, step_ranks))
		add(s, FINDING(9, REGRESSION, "step_time", "diagnosis"), change_text(s, TS_TRACEML_STEP_TIME));
	else if (rises(s, TS_TRACEML_STEP_MEMORY, memory_ranks))
		add(s, FINDING(10, REGRESSION, "step_memory", "diagnosis"), change_text(s, TS_TRACEML_STEP_MEMORY));
	if (s->c->overall != TS_TRACEML_INSUFFICIENT)
		add(s, FINDING(11, EQUIVALENT, "compare", NULL),
		    s->c->n_findings ? "the two summaries can be compared" : "no change reaches its limit");
	if (s->c->n_findings == 0)
		add(s, FINDING(99, INCONCLUSIVE, "compare", NULL),
		    "the rule found nothing, and nothing can be compared");
}

/* --- warnings --- */

static bool is_plain_number(const struct ts_fact *f)
{
	return f->type == TS_FACT_INT || f->type == TS_FACT_FLOAT || f->type == TS_FACT_BOOL;
}

/* Compares as Python's == does: 1.7 and "1.7" differ, 2 and 2.0 are equal. */
static bool same_schema(const struct ts_traceml_summary *a, const struct ts_traceml_summary *b)
{
	if (is_plain_number(a->schema) && is_plain_number(b->schema))
		return a->schema_number.value >= b->schema_number.value && a->schema_number.value <= b->schema_number.value;
	return ts_fact_same(a->schema, b->schema);
}

static enum ts_status warn(struct comparing *s, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(4096);

	if (same_schema(s->a, s->b))
		return TS_OK;
	ts_buf_str(&text, "the schemas differ: ");
	ts_fact_print(s->a->schema, &text);
	ts_buf_str(&text, " and ");
	ts_fact_print(s->b->schema, &text);
	if (s->a->schema->type != s->b->schema->type)
		ts_buf_str(&text, " (one is text)");
	if (!ts_buf_check(&text, err))
		s->c->warning = ts_arena_span(s->arena, ts_buf_view(&text));
	else
		s->c->warning = ts_span_str("the schemas differ");
	ts_buf_finish(&text);
	return s->c->warning.data ? TS_OK : ts_arena_error(s->arena, err);
}

enum ts_status ts_traceml_compare(const struct ts_traceml_summary *a, const struct ts_traceml_summary *b,
				  struct ts_arena *arena, struct ts_traceml_comparison *ret, struct ts_error *err)
{
	struct ts_traceml_comparison c = {.clock = TS_TRACEML_NO_CLOCK};
	struct comparing s = {.a = a, .b = b, .c = &c, .arena = arena};

	take_step(&c, a, b);
	c.memory = ts_traceml_pair_of(a->memory, b->memory);
	c.step_memory = state_of(&c.memory);
	availability(&s);
	numbers(&s);
	diagnoses(&s);
	if (s.no_memory)
		return ts_arena_error(arena, err);
	if (warn(&s, err) || ts_traceml_find_missed(a, b, &c, arena, err))
		return err->status;
	*ret = c;
	return TS_OK;
}
