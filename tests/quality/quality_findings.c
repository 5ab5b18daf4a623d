/* quality_findings.c - how often a run in which nothing is wrong gets a finding of high severity, and whether what was
 * planted gets its own, on one rank or on one of several.
 *
 * A run is phases of a step, a loss, a gradient norm and memory, all noise: through timing, memory, convergence,
 * coincidences, efficiency and the rules, as `tscope analyze` takes it. Gaussian: white, 5 to 10 %. Lognormal: step
 * times of 0.1, gradient norms of 0.3 (what pytscope 0.2.1 was measured on: 1 % of such runs of 200 steps get one from
 * it, all runs of 100,000), a loss that falls.
 */
#include "quality_parts.h"

#include "analysis/rank/coincidence.h"
#include "analysis/rank/convergence.h"
#include "analysis/rank/efficiency.h"
#include "analysis/rank/memory.h"
#include "analysis/rank/timing.h"
#include "analysis/rules/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 100000, PHASES = 4, RANKS_MAX = 64 };

static const char *const names[PHASES] = {"phases.data", "phases.forward", "phases.backward", "phases.optimizer"};
static const double parts[PHASES] = {0.05, 0.30, 0.58, 0.07};

enum noise { GAUSSIAN, LOGNORMAL };

static int64_t steps[STEPS];
static double phases[PHASES][STEPS], stamps[STEPS], step_time[STEPS];
static double loss[STEPS], grad_norm[STEPS];
static double alloc[STEPS], reserved[STEPS], peak_alloc[STEPS], peak_reserved[STEPS];

static void make_step(enum noise noise, size_t i, struct ts_random *r)
{
	double step = 0.1 * (noise == GAUSSIAN ? 1 + 0.05 * ts_random_normal(r) : quality_lognormal(r, 0.1)), sum = 0;

	steps[i] = (int64_t)i;
	for (int k = 0; k < PHASES; k++)
		sum += phases[k][i] = parts[k] * step * (1 + 0.02 * ts_random_normal(r));
	stamps[i] = (i ? stamps[i - 1] : 1e9) + sum + 0.001;
	if (noise == GAUSSIAN) {
		loss[i] = 2 + 0.1 * ts_random_normal(r);
		grad_norm[i] = 1 + 0.1 * ts_random_normal(r);
	} else {
		loss[i] = (1.5 + 2 * exp(-5e-3 * (double)i)) * quality_lognormal(r, 0.05);
		grad_norm[i] = quality_lognormal(r, 0.3);
	}
	alloc[i] = 10e9 + 20e6 * ts_random_normal(r);
	reserved[i] = 40e9;
	peak_alloc[i] = 36e9 * (1 + 0.01 * ts_random_normal(r));
	peak_reserved[i] = 40e9;
}

static void make(enum noise noise, size_t n, struct ts_random *r)
{
	for (size_t i = 0; i < n; i++)
		make_step(noise, i, r);
}

static struct ts_series series(const char *name, const double *values, size_t n)
{
	return (struct ts_series){ts_span_str(name), steps, values, n};
}

struct run {
	struct ts_arena arena;
	struct ts_measures m;
	struct ts_events events;
	struct ts_plots plots;
	struct ts_findings findings;
	struct ts_rank_rows ranks[RANKS_MAX];
	size_t n_ranks; /* 0: the rows above are all there is */
	struct ts_error err;
	int64_t first; /* the first step behind the warm-up */
	uint64_t accumulation; /* what the run says of it */
};

static enum ts_status timing(struct run *run, size_t n)
{
	struct ts_series stamp = series("timestamp", stamps, n);
	struct ts_timing t;
	enum ts_status status = ts_timing_begin(&t, steps, n, &run->arena, &run->err);

	t.accumulation = run->accumulation;
	for (int pass = 0; !status && pass < 2; pass++) {
		for (int k = 0; !status && k < PHASES; k++) {
			struct ts_series s = series(names[k], phases[k], n);

			status = pass ? ts_timing_phase(&t, &s, &run->err) : ts_timing_total(&t, &s, &run->err);
		}
		if (!status && pass == 0)
			status = ts_timing_cut(&t, false, 0, &run->err);
	}
	run->first = t.first;
	return status ? status
		      : ts_timing_finish(&t, &stamp, &run->arena, &run->m, &run->events, &run->plots, &run->err);
}

static enum ts_status memory(struct run *run, size_t n)
{
	struct ts_series a = series("memory.alloc", alloc, n), r = series("memory.reserved", reserved, n);
	struct ts_series pa = series("memory.peak_alloc", peak_alloc, n), pr = series("memory.peak_reserved", peak_reserved, n);

	return ts_memory_summary(&a, &r, &pa, &pr, 0, run->first, 80e9, &run->arena, &run->m, &run->plots, &run->err);
}

static enum ts_status convergence(struct run *run, size_t n)
{
	struct ts_series l = series("scalars.loss", loss, n), g = series("scalars.grad_norm", grad_norm, n);
	enum ts_status status = ts_convergence_summary(&l, 0, &run->arena, &run->m, &run->events, &run->plots, NULL, &run->err);

	return status ? status : ts_convergence_summary(&g, 0, &run->arena, &run->m, &run->events, &run->plots, NULL, &run->err);
}

static enum ts_status coincidences(struct run *run, size_t n)
{
	const struct {
		const char *name;
		const double *values;
	} axes[] = {{"loss", loss}, {"grad_norm", grad_norm}, {"memory", alloc}, {"step_time", step_time}};
	struct ts_coincidence c;
	enum ts_status status = TS_OK;

	for (size_t i = 0; i < n; i++) {
		step_time[i] = 0;
		for (int k = 0; k < PHASES; k++)
			step_time[i] += phases[k][i];
	}
	ts_coincidence_begin(&c, &run->arena);
	for (size_t k = 0; !status && k < sizeof axes / sizeof axes[0]; k++)
		status = ts_coincidence_axis(&c, ts_span_str(axes[k].name), steps, axes[k].values, n, &run->err);
	return status ? status : ts_coincidence_finish(&c, &run->arena, &run->m, &run->events, &run->err);
}

static enum ts_status efficiency(struct run *run)
{
	struct ts_facts none = {.n = 0};
	struct ts_work work;

	ts_work_of_facts(&none, &work);
	work.n_ranks = 1;
	return ts_efficiency(&work, &run->arena, &run->m, &run->err);
}

static void must(struct run *run, enum ts_status status)
{
	if (!status)
		return;
	(void)fprintf(stderr, "%s\n", run->err.text);
	abort();
}

static void begin(struct run *run)
{
	ts_arena_reset(&run->arena);
	run->n_ranks = 0;
}

/* Computes the rows of one rank. */
static void measure(struct run *run, size_t n)
{
	enum ts_status status;

	run->m = (struct ts_measures){.n = 0};
	run->events = (struct ts_events){.n = 0};
	run->plots = (struct ts_plots){.n = 0};
	status = timing(run, n);
	status = status ? status : memory(run, n);
	status = status ? status : convergence(run, n);
	status = status ? status : coincidences(run, n);
	must(run, status ? status : efficiency(run));
}

/* Keeps the rows as those of the next rank. */
static void keep_rank(struct run *run)
{
	run->ranks[run->n_ranks] = (struct ts_rank_rows){(int32_t)run->n_ranks, run->m, run->events};
	run->n_ranks++;
}

static void check(struct run *run)
{
	must(run, ts_findings_check(&run->m, &run->events, run->ranks, run->n_ranks, NULL, &run->arena, &run->findings,
				    &run->err));
}

static void analyze(struct run *run, size_t n)
{
	begin(run);
	measure(run, n);
	check(run);
}

static bool has(const struct run *run, const char *code)
{
	for (size_t i = 0; i < run->findings.n; i++)
		if (ts_span_is(run->findings.items[i].code, code))
			return true;
	return false;
}

static bool names_alone(const struct run *run, const char *code, int32_t rank)
{
	for (size_t i = 0; i < run->findings.n; i++)
		if (ts_span_is(run->findings.items[i].code, code))
			return run->findings.items[i].n_ranks == 1 && run->findings.items[i].ranks[0] == rank;
	return false;
}

static bool has_high(const struct run *run)
{
	return run->findings.n && run->findings.items[0].severity == TS_SEVERITY_HIGH;
}

static void clean_runs(struct quality *q, struct run *run)
{
	static const struct {
		const char *name;
		enum noise noise;
		size_t n;
		uint64_t trials;
	} cases[] = {
		{"findings: high on clean noise, Gaussian, 200 steps", GAUSSIAN, 200, 5000},
		{"findings: high on clean noise, Gaussian, 10k steps", GAUSSIAN, 10000, 1000},
		{"findings: high on clean noise, Gaussian, 100k steps", GAUSSIAN, 100000, 300},
		{"findings: high on clean noise, lognormal, 200 steps", LOGNORMAL, 200, 5000},
		{"findings: high on clean noise, lognormal, 10k steps", LOGNORMAL, 10000, 1000},
		{"findings: high on clean noise, lognormal, 100k steps", LOGNORMAL, 100000, 300},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_most(cases[k].name, 0.01);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, cases[k].trials); i++) {
			struct ts_random random;

			quality_random(&c, i, &random);
			make(cases[k].noise, cases[k].n, &random);
			analyze(run, cases[k].n);
			quality_count(&c, has_high(run));
		}
		quality_report(q, &c);
	}
}

static void analyze_ranks(struct run *run, size_t n_ranks, enum noise noise, size_t n, struct ts_random *random)
{
	begin(run);
	for (size_t k = 0; k < n_ranks; k++) {
		make(noise, n, random);
		measure(run, n);
		keep_rank(run);
	}
	check(run);
}

static void clean_ranks_case(struct quality *q, struct run *run, size_t n_ranks, enum noise noise, bool any)
{
	enum { N = 400, TRIALS = 6400 };
	char name[96];
	struct quality_case c;

	(void)snprintf(name, sizeof name, "findings: %s on %zu clean ranks, %s, 400 steps", any ? "any" : "high", n_ranks,
		       noise == GAUSSIAN ? "Gaussian" : "lognormal");
	c = quality_at_most(name, any ? 0.05 : 0.01);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS / n_ranks); i++) {
		struct ts_random random;

		quality_random(&c, i, &random);
		analyze_ranks(run, n_ranks, noise, N, &random);
		quality_count(&c, any ? run->findings.n > 0 : has_high(run));
	}
	quality_report(q, &c);
}

/* Every rank is asked, so a clean run of many ranks has as many chances of a false finding. The Gaussian loss does not fall,
 * which is a finding. */
static void clean_ranks(struct quality *q, struct run *run)
{
	static const size_t some_ranks[] = {1, 8, 64};

	for (size_t a = 0; a < sizeof some_ranks / sizeof some_ranks[0]; a++) {
		clean_ranks_case(q, run, some_ranks[a], GAUSSIAN, false);
		clean_ranks_case(q, run, some_ranks[a], LOGNORMAL, false);
		clean_ranks_case(q, run, some_ranks[a], LOGNORMAL, true);
	}
}

/* The functions below plant a problem into a clean run. The finding must name it. */
static void plant_nan(size_t n, struct ts_random *r)
{
	loss[n / 10 + ts_random_below(r, (uint32_t)(n - n / 10))] = (double)NAN;
}

static void plant_slowdown(size_t n, struct ts_random *r)
{
	for (size_t i = n / 2 + ts_random_below(r, (uint32_t)n / 4); i < n; i++)
		for (int k = 0; k < PHASES; k++)
			phases[k][i] *= 1.3;
}

/* The leak is 0.5 MiB a step, which pytscope 0.2.1 does not find: 49 GB over 100,000 steps, here 5 GB over 10,000. */
static void plant_leak(size_t n, struct ts_random *r)
{
	(void)r;
	for (size_t i = 0; i < n; i++)
		alloc[i] += 524288.0 * (double)i;
}

static void plant_coincidence(size_t n, struct ts_random *r)
{
	size_t at = 100 + ts_random_below(r, (uint32_t)n - 200);

	loss[at] *= 1.8;
	grad_norm[at] *= 12;
}

static void planted(struct quality *q, struct run *run)
{
	static const struct {
		const char *name, *code;
		void (*plant)(size_t n, struct ts_random *r);
	} cases[] = {
		{"findings: NaN in the loss, named", "CONVERGENCE.DIVERGED", plant_nan},
		{"findings: +30 % step time from the middle, named", "TIMING.SLOWDOWN", plant_slowdown},
		{"findings: leak of 0.5 MiB/step in 10k steps, named", "MEMORY.GROWTH", plant_leak},
		{"findings: loss and gradient norm jump together, named", "CROSS.CORRELATED_INSTABILITY", plant_coincidence},
	};
	enum { N = 10000 };

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_least(cases[k].name, 0.95);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 200); i++) {
			struct ts_random random;

			quality_random(&c, i, &random);
			make(LOGNORMAL, N, &random);
			cases[k].plant(N, &random);
			analyze(run, N);
			quality_count(&c, has(run, cases[k].code));
		}
		quality_report(q, &c);
	}
}

/* One rank of eight has the problem. The finding must name that rank and no other. */
static void planted_on_a_rank(struct quality *q, struct run *run)
{
	static const struct {
		const char *name, *code;
		void (*plant)(size_t n, struct ts_random *r);
	} cases[] = {
		{"findings: NaN on one of 8 ranks, named", "CONVERGENCE.DIVERGED", plant_nan},
		{"findings: +30 % from the middle on one of 8 ranks, named", "TIMING.SLOWDOWN", plant_slowdown},
		{"findings: leak of 0.5 MiB/step on one of 8 ranks, named", "MEMORY.GROWTH", plant_leak},
		{"findings: loss and gradients jump on one of 8 ranks, named", "CROSS.CORRELATED_INSTABILITY",
		 plant_coincidence},
	};
	enum { N = 2000, RANKS = 8 };

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_least(cases[k].name, 0.95);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 200); i++) {
			struct ts_random random;
			int32_t bad;

			quality_random(&c, i, &random);
			bad = (int32_t)ts_random_below(&random, RANKS);
			begin(run);
			for (int32_t rank = 0; rank < RANKS; rank++) {
				make(LOGNORMAL, N, &random);
				if (rank == bad)
					cases[k].plant(N, &random);
				measure(run, N);
				keep_rank(run);
			}
			check(run);
			quality_count(&c, names_alone(run, cases[k].code, bad));
		}
		quality_report(q, &c);
	}
}

/* --- mixes that nobody designed for --- */

/* A healthy run, drawn at random: how its steps vary, what comes back, how it begins, and of how many ranks and steps it is. */
struct mix {
	size_t ranks, n;
	double rho, sd, pauses; /* of log step times; the share of steps that take up to five times as long */
	double tail;		/* their exponent below 2 makes tails heavy; 0: normal */
	size_t accumulation, evaluation; /* each so many records; 1 and 0: none */
	bool declared;			 /* work.accumulation is recorded */
	size_t warm;			 /* steps that take three times as long at the beginning */
	double gap;			 /* between two states of the clock; 0: there is one */
	double fall;			 /* of the loss, in log units over the run */
};

static struct mix draw_mix(struct ts_random *r)
{
	static const size_t some_ranks[] = {1, 1, 8, 64}, some_steps[] = {200, 500, 2000, 8000, 20000};
	static const double rhos[] = {0, 0, 0.5, 0.8, 0.9, 0.95}, sds[] = {0.02, 0.05, 0.1, 0.2};
	struct mix m = {.ranks = some_ranks[ts_random_below(r, 4)], .n = some_steps[ts_random_below(r, 5)]};

	while (m.ranks * m.n > 64000)
		m.n /= 4;
	m.rho = rhos[ts_random_below(r, 6)];
	m.sd = sds[ts_random_below(r, 4)];
	m.pauses = ts_random_below(r, 3) ? 0 : 0.005;
	m.tail = ts_random_below(r, 4) ? 0 : 1.5;
	m.accumulation = ts_random_below(r, 3) ? 1 : 2 + ts_random_below(r, 15);
	m.declared = ts_random_below(r, 2);
	m.evaluation = ts_random_below(r, 3) ? 0 : 25 + ts_random_below(r, 200);
	m.warm = ts_random_below(r, 3) ? 0 : 1 + ts_random_below(r, 10);
	m.gap = ts_random_below(r, 4) ? 0 : 0.05 + 0.15 * ts_random_unit(r);
	m.fall = 3 * ts_random_unit(r);
	return m;
}

/* What all ranks share: what comes back, the warm-up, and the state of the clock. Returns how often that changes. */
static size_t draw_common(const struct mix *m, double *out, struct ts_random *r)
{
	double state = ts_random_below(r, 2) ? m->gap : 0;
	size_t switches = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (m->gap > 0 && ts_random_unit(r) < 10 / (double)m->n) {
			state = m->gap - state;
			switches++;
		}
		out[i] = 1 + state;
		if (i % m->accumulation == m->accumulation - 1 && m->accumulation > 1)
			out[i] *= 3;
		if (m->evaluation && i % m->evaluation == m->evaluation - 1)
			out[i] += 10 + 10 * ts_random_unit(r);
		if (i < m->warm)
			out[i] *= 3;
	}
	return switches;
}

static void make_mixed(const struct mix *m, const double *common, struct ts_random *r)
{
	double state = (double)NAN;

	make(LOGNORMAL, m->n, r);
	for (size_t i = 0; i < m->n; i++) {
		double z = quality_ar1(r, m->rho, m->sd, &state), step, sum = 0;

		z = m->tail > 0 ? copysign(m->sd * pow(fabs(z) / m->sd, m->tail), z) : z;
		step = 0.1 * common[i] * exp(z) * (ts_random_unit(r) < m->pauses ? 1 + 4 * ts_random_unit(r) : 1);
		for (int k = 0; k < PHASES; k++)
			sum += phases[k][i] = parts[k] * step * (1 + 0.02 * ts_random_normal(r));
		stamps[i] = (i ? stamps[i - 1] : 1e9) + sum + 0.001;
		loss[i] = (0.2 + 3 * exp(-m->fall * (double)i / (double)m->n)) * quality_lognormal(r, 0.05);
	}
}

/* True are those that say what was drawn: that steps vary, that some come back, that pauses or the long steps of the draw cost time,
 * and a clock that changed once or twice. */
static bool is_true(const struct mix *m, size_t switches, const struct ts_finding *f)
{
	if (ts_span_is(f->code, "TIMING.PERIODIC"))
		return m->evaluation || (m->accumulation > 1 && !m->declared);
	if (ts_span_is(f->code, "TIMING.STALLS"))
		return m->pauses > 0 || f->first_step < (int64_t)m->warm ||
		       (m->evaluation && (uint64_t)f->first_step % m->evaluation == m->evaluation - 1);
	if (ts_span_is(f->code, "TIMING.SLOWDOWN"))
		return m->gap > 0 && switches > 0 && switches < 3;
	return ts_span_is(f->code, "TIMING.JITTER") || ts_span_is(f->code, "TIMING.TAIL");
}

static int worst_untrue(const struct mix *m, size_t switches, const struct ts_findings *findings)
{
	int worst = 0;

	for (size_t i = 0; i < findings->n; i++) {
		const struct ts_finding *f = &findings->items[i];

		if ((int)f->severity > worst && !is_true(m, switches, f))
			worst = (int)f->severity;
	}
	return worst;
}

static void mixes(struct quality *q, struct run *run)
{
	static double common[STEPS];
	struct quality_case high = quality_at_most("findings: high that is not true, random clean mixes", 0);
	struct quality_case medium = quality_at_most("findings: medium or high that is not true, random clean mixes", 0.02);

	for (uint64_t i = 0; (quality_wants(q, &high) || quality_wants(q, &medium)) && i < quality_trials(q, 400); i++) {
		struct ts_random random;
		size_t switches;
		struct mix m;
		int worst;

		quality_random(&high, i, &random);
		m = draw_mix(&random);
		switches = draw_common(&m, common, &random);
		begin(run);
		run->accumulation = m.declared && m.accumulation > 1 ? m.accumulation : 0;
		for (size_t k = 0; k < m.ranks; k++) {
			make_mixed(&m, common, &random);
			measure(run, m.n);
			keep_rank(run);
		}
		run->accumulation = 0;
		check(run);
		worst = worst_untrue(&m, switches, &run->findings);
		quality_count(&high, worst >= TS_SEVERITY_HIGH);
		quality_count(&medium, worst >= TS_SEVERITY_MEDIUM);
	}
	quality_report(q, &high);
	quality_report(q, &medium);
}

void quality_findings(struct quality *q)
{
	static struct run run;

	ts_arena_init(&run.arena, (size_t)1 << 30);
	clean_runs(q, &run);
	clean_ranks(q, &run);
	planted(q, &run);
	planted_on_a_rank(q, &run);
	mixes(q, &run);
	ts_arena_finish(&run.arena);
}
