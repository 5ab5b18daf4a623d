/* quality_trace.c - how often `tscope diff` of two traces of the same training says that they differ, and how often it finds a change.
 *
 * A step launches 20 kernels of different names, of 10 us to 1 ms, one after the other, and then the host takes 1 ms for itself. A
 * trace's clock is off by exp of deviation 0.2 % as a whole. The durations of kernels, and the host's time, vary
 *	white	each for itself by 2 %, the host's by 10 %
 *	ar1	all kernels of a step together by 2 %, an AR(1) of coefficient 0.5, the host's by 10 %
 *	heavy	the host's time is that of a Pareto variable of index 2
 *	odd	white, and one step of each trace takes the host 20 ms longer
 *	drift	white, and the kernels of the last step take up to 1.5 % more or less than those of the first
 *	tails	white, but of Student's t with 2 degrees of freedom
 *	counts	white, and each kernel runs so often in a step as a Poisson variable of mean 3 says, also not at all
 *	length	all kernels of a step take 0.6 to 1.4 of their time, as where sequences are of any length
 *	switch	each kernel takes one of two times that are 3 % apart, by chance anew in each step, and varies by 0.2 %
 *	own .6	each kernel for itself an AR(1) of coefficient 0.6
 *	ar .9	as ar1 with a coefficient of 0.9
 * The last three are known to show more than 5 % in few steps, and decide nothing.
 * The first step is longer by half, as with a profiler's start, and is left out by rule. A false alarm is any row of any table that is
 * said to differ. The change is of one kernel that takes a fifth of the step.
 */
#include "quality_parts.h"

#include "analysis/trace/diff/trace_diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { KERNELS = 20, STEPS_MOST = 64, NAME_MOST = 96, LAUNCH = 1 + KERNELS, OPERATOR, FIRST_STEP, NAMES = FIRST_STEP + STEPS_MOST };

static struct {
	struct ts_span names[NAMES];
	char text[NAMES][32];
	struct ts_trace_rows one;
} world;

enum noise { WHITE, AR1, HEAVY, ODD, DRIFT, TAILS, COUNTS, LENGTH, SWITCH, OWN6, AR9, NOISES, POWER_NOISES = DRIFT + 1 };
static const char *const noise_words[] = {"white",  "ar1",    "heavy",	"odd",	  "drift", "tails",
					  "counts", "length", "switch", "own .6", "ar .9"};

struct machine {
	enum noise noise;
	int steps;     /* recorded */
	double change; /* of kernel 0, 1 for none */
	double drift;
	double own[KERNELS]; /* states */
	int odd;
};

static void add(struct ts_trace *trace, enum ts_trace_kind kind, uint32_t name, int64_t begin, int64_t ns, int64_t correlation)
{
	struct ts_trace_spans *s = &world.one.spans;
	struct ts_error err;

	s->kind[0] = (uint8_t)kind;
	s->name[0] = name;
	s->start_ns[0] = begin;
	s->duration_ns[0] = ns;
	s->correlation[0] = correlation;
	s->external[0] = s->bytes[0] = TS_TRACE_NONE;
	s->device[0] = ts_trace_on_device((uint8_t)kind) ? 0 : TS_TRACE_NO_DEVICE;
	s->stream[0] = ts_trace_on_device((uint8_t)kind) ? 7 : TS_TRACE_NO_DEVICE;
	s->thread[0] = s->category[0] = s->shapes[0] = s->collective[0] = s->group[0] = 0;
	if (ts_trace_append(trace, &world.one, &err))
		abort();
}

static double base_of(int kernel)
{
	return kernel ? 1e4 * pow(100, (kernel - 1) / (double)(KERNELS - 2)) : 1.35e6; /* the first takes a fifth of all */
}

/* Student's t with 2 degrees of freedom: a normal by the root of an exponential of mean 1. */
static double student2(struct ts_random *r)
{
	return ts_random_normal(r) / sqrt(-log(1 - ts_random_unit(r)));
}

static int poisson3(struct ts_random *r)
{
	double product = ts_random_unit(r);
	int n = 0;

	for (; product > exp(-3); product *= ts_random_unit(r))
		n++;
	return n;
}

static double factor_of(struct machine *m, int kernel, double common, struct ts_random *r)
{
	switch (m->noise) {
	case AR1:
	case AR9:
	case LENGTH:
		return common;
	case OWN6:
		return exp(quality_ar1(r, 0.6, 0.02, &m->own[kernel]));
	case TAILS:
		return fmax(0.2, 1 + 0.02 * student2(r));
	case SWITCH:
		return (ts_random_below(r, 2) ? 1.03 : 1) * exp(0.002 * ts_random_normal(r));
	case WHITE:
	case HEAVY:
	case ODD:
	case DRIFT:
	case COUNTS:
	case NOISES:
		break;
	}
	return exp(0.02 * ts_random_normal(r));
}

static int64_t time_of(struct machine *m, int step, int kernel, double common, struct ts_random *r)
{
	double ns = base_of(kernel) * factor_of(m, kernel, common, r) * (kernel ? 1 : m->change);

	if (m->noise == DRIFT)
		ns *= 1 + m->drift * step / m->steps;
	return (int64_t)(step ? ns : 1.5 * ns);
}

static int64_t host_time(const struct machine *m, int step, struct ts_random *r)
{
	double ns = 1e6 * exp(0.1 * ts_random_normal(r));

	if (m->noise == HEAVY)
		ns = 5e5 / sqrt(1 - ts_random_unit(r));
	if (m->noise == ODD && step == m->odd)
		ns += 2e7;
	return (int64_t)ns;
}

/* Where the host and the device are. */
struct clock {
	int64_t at, busy, correlation;
};

static void launch(struct ts_trace *trace, struct clock *c, int kernel, int64_t ns)
{
	add(trace, TS_TRACE_OPERATOR, OPERATOR, c->at, 4000, TS_TRACE_NONE);
	add(trace, TS_TRACE_RUNTIME, LAUNCH, c->at, 3000, ++c->correlation);
	c->at += 5000;
	c->busy = c->busy > c->at ? c->busy : c->at;
	add(trace, TS_TRACE_KERNEL, 1 + (uint32_t)kernel, c->busy, ns, c->correlation);
	c->busy += ns;
}

static double common_of(const struct machine *m, double *state, struct ts_random *r)
{
	if (m->noise == LENGTH)
		return 0.6 + 0.8 * ts_random_unit(r);
	return exp(quality_ar1(r, m->noise == AR9 ? 0.9 : 0.5, 0.02, state));
}

static void make(struct ts_trace *trace, struct machine m, struct ts_random *r)
{
	double speed = exp(0.002 * ts_random_normal(r)), state = NAN;
	struct clock c = {0};

	*trace = (struct ts_trace){.names = world.names, .n_names = NAMES};
	m.drift = 0.03 * (ts_random_unit(r) - 0.5);
	m.odd = 1 + (int)ts_random_below(r, (uint32_t)m.steps - 1);
	for (int k = 0; k < KERNELS; k++)
		m.own[k] = NAN;
	for (int step = 0; step < m.steps; step++) {
		double common = speed * common_of(&m, &state, r);
		int64_t from = c.at;

		c.busy = c.at;
		for (int k = 0; k < KERNELS; k++)
			for (int times = m.noise == COUNTS ? poisson3(r) : 1; times > 0; times--)
				launch(trace, &c, k, (int64_t)(speed * (double)time_of(&m, step, k, common, r)));
		c.at = c.busy + host_time(&m, step, r);
		add(trace, TS_TRACE_ANNOTATION, FIRST_STEP + (uint32_t)step, from, c.at - from, TS_TRACE_NONE);
	}
}

static bool found(const struct ts_trace_diff *d)
{
	for (size_t i = 0; i < d->tables[TS_SIDE_KERNELS].n; i++)
		if (ts_span_is(d->tables[TS_SIDE_KERNELS].rows[i].name, world.text[1]))
			return d->tables[TS_SIDE_KERNELS].rows[i].time_differs;
	return false;
}

/* What is counted of a pair: a difference of anything, of the kernel that changed, of the step. */
enum counted { ANYTHING, KERNEL, STEP };

static bool trial(const struct machine *m, enum counted what, struct ts_random *r)
{
	struct machine a = *m, b = *m;
	struct ts_trace traces[2];
	struct ts_trace_diff d;
	struct ts_arena arena;
	struct ts_error err;
	bool ret;

	a.change = 1;
	make(&traces[0], a, r);
	make(&traces[1], b, r);
	ts_arena_init(&arena, 0);
	if (ts_trace_diff(&traces[0], &traces[1], NULL, &arena, &d, &err))
		abort();
	ret = what == KERNEL ? found(&d) : (what == STEP ? d.step.time_differs : d.verdict == TS_TRACE_DIFF_DIFFERS);
	ts_arena_finish(&arena);
	ts_trace_finish(&traces[0]);
	ts_trace_finish(&traces[1]);
	return ret;
}

/* why: the rate is only shown; NULL: it has a goal. */
static void count(struct quality *q, struct quality_case c, const struct machine *m, enum counted what, uint64_t n, const char *why)
{
	if (!quality_wants(q, &c))
		return;
	for (uint64_t i = 0; i < quality_trials(q, n); i++) {
		struct ts_random r;

		quality_random(&c, i, &r);
		quality_count(&c, trial(m, what, &r));
	}
	if (why)
		quality_report_only(q, &c, why);
	else
		quality_report(q, &c);
}

static const char *name_of(char text[NAME_MOST], const char *what, const struct machine *m)
{
	(void)snprintf(text, NAME_MOST, "trace: %s, %s, %d steps", what, noise_words[m->noise], m->steps);
	return text;
}

static const char *beyond(enum noise noise)
{
	if (noise == SWITCH)
		return "beyond: few steps see one time";
	return noise == OWN6 || noise == AR9 ? "beyond: few steps see one state" : NULL;
}

static void false_alarms(struct quality *q)
{
	static const int steps[] = {3, 4, 5, 6, 11, 31};
	char text[NAME_MOST];

	for (int noise = 0; noise < NOISES; noise++)
		for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
			struct machine m = {.noise = (enum noise)noise, .steps = steps[i], .change = 1};

			count(q, quality_at_most(name_of(text, "false difference", &m), 0.05), &m, ANYTHING, 1000, beyond(m.noise));
		}
}

static void powers(struct quality *q)
{
	static const struct {
		int steps;
		double change, goal;
	} rows[] = {{4, 1.2, 0.2}, {4, 1.4, 0.6}, {5, 1.2, 0.7}, {6, 1.1, 0.3}, {6, 1.2, 0.7}, {11, 1.1, 0.75}, {31, 1.05, 0.7}};
	char text[NAME_MOST], what[40];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (int noise = 0; noise < POWER_NOISES; noise++) {
			struct machine m = {.noise = (enum noise)noise, .steps = rows[i].steps, .change = rows[i].change};

			(void)snprintf(what, sizeof what, "kernel %.0f %% longer", 100 * (rows[i].change - 1));
			count(q, quality_at_least(name_of(text, what, &m), rows[i].goal), &m, KERNEL, 300, NULL);
		}
}

void quality_trace(struct quality *q)
{
	struct ts_error err;

	if (ts_trace_rows_reserve(&world.one, 1, &err))
		abort();
	world.one.spans.n = 1;
	for (int i = 0; i < NAMES; i++) {
		if (i >= FIRST_STEP)
			(void)snprintf(world.text[i], sizeof world.text[i], "ProfilerStep#%d", i - FIRST_STEP);
		else
			(void)snprintf(world.text[i], sizeof world.text[i], "kernel_%d", i);
		world.names[i] = ts_span_str(world.text[i]);
	}
	false_alarms(q);
	powers(q);
	ts_trace_rows_finish(&world.one);
}
