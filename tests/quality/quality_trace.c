/* quality_trace.c - how often `tscope diff` of two traces of the same training says that they differ, and how often it finds a change.
 *
 * A step launches 20 kernels of different names, of 10 us to 1 ms, one after the other, and then the host takes 1 ms for itself. A
 * trace's clock is off by exp of deviation 0.2 % as a whole. The durations of kernels, and the host's time, vary
 *	white	each for itself by 2 %, the host's by 10 %
 *	ar1	all kernels of a step together by 2 %, an AR(1) of coefficient 0.5, the host's by 10 %
 *	heavy	the host's time is that of a Pareto variable of index 2
 *	odd	white, and one step of each trace takes the host 20 ms longer
 *	drift	white, and the kernels of the last step take up to 1.5 % more or less than those of the first
 * The first step is longer by half, as with a profiler's start, and is left out by rule. A false alarm is any row of any table that is
 * said to differ. The change is of one kernel that takes a fifth of the step.
 */
#include "quality_parts.h"

#include "analysis/trace/trace_diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { KERNELS = 20, STEPS_MOST = 64, NAME_MOST = 96, LAUNCH = 1 + KERNELS, OPERATOR, FIRST_STEP, NAMES = FIRST_STEP + STEPS_MOST };

static struct {
	struct ts_span names[NAMES];
	char text[NAMES][32];
	struct ts_trace_rows one;
} world;

enum noise { WHITE, AR1, HEAVY, ODD, DRIFT, NOISES };
static const char *const noise_words[] = {"white", "ar1", "heavy", "odd", "drift"};

struct machine {
	enum noise noise;
	int steps;     /* recorded */
	double change; /* of kernel 0, 1 for none */
	double drift, state;
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

static int64_t time_of(const struct machine *m, int step, int kernel, double common, struct ts_random *r)
{
	double own = m->noise == AR1 ? common : exp(0.02 * ts_random_normal(r));
	double ns = base_of(kernel) * own * (kernel ? 1 : m->change);

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

static void make(struct ts_trace *trace, struct machine m, struct ts_random *r)
{
	double clock = exp(0.002 * ts_random_normal(r)), state = NAN;
	int64_t at = 0, correlation = 0;

	*trace = (struct ts_trace){.names = world.names, .n_names = NAMES};
	m.drift = 0.03 * (ts_random_unit(r) - 0.5);
	m.odd = 1 + (int)ts_random_below(r, (uint32_t)m.steps - 1);
	for (int step = 0; step < m.steps; step++) {
		double common = clock * exp(quality_ar1(r, 0.5, 0.02, &state));
		int64_t from = at, busy;

		busy = at;
		for (int k = 0; k < KERNELS; k++) {
			int64_t ns = (int64_t)(clock * (double)time_of(&m, step, k, common, r));

			add(trace, TS_TRACE_OPERATOR, OPERATOR, at, 4000, TS_TRACE_NONE);
			add(trace, TS_TRACE_RUNTIME, LAUNCH, at, 3000, ++correlation);
			at += 5000;
			busy = busy > at ? busy : at;
			add(trace, TS_TRACE_KERNEL, 1 + (uint32_t)k, busy, ns, correlation);
			busy += ns;
		}
		at = busy + host_time(&m, step, r);
		add(trace, TS_TRACE_ANNOTATION, FIRST_STEP + (uint32_t)step, from, at - from, TS_TRACE_NONE);
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

static void count(struct quality *q, struct quality_case c, const struct machine *m, enum counted what, uint64_t n)
{
	if (!quality_wants(q, &c))
		return;
	for (uint64_t i = 0; i < quality_trials(q, n); i++) {
		struct ts_random r;

		quality_random(&c, i, &r);
		quality_count(&c, trial(m, what, &r));
	}
	quality_report(q, &c);
}

static const char *name_of(char text[NAME_MOST], const char *what, const struct machine *m)
{
	(void)snprintf(text, NAME_MOST, "trace: %s, %s, %d steps", what, noise_words[m->noise], m->steps);
	return text;
}

static void false_alarms(struct quality *q)
{
	static const int steps[] = {3, 4, 5, 6, 11, 31};
	char text[NAME_MOST];

	for (int noise = 0; noise < NOISES; noise++)
		for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
			struct machine m = {.noise = (enum noise)noise, .steps = steps[i], .change = 1};

			count(q, quality_at_most(name_of(text, "false difference", &m), 0.05), &m, ANYTHING, 1000);
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
		for (int noise = 0; noise < NOISES; noise++) {
			struct machine m = {.noise = (enum noise)noise, .steps = rows[i].steps, .change = rows[i].change};

			(void)snprintf(what, sizeof what, "kernel %.0f %% longer", 100 * (rows[i].change - 1));
			count(q, quality_at_least(name_of(text, what, &m), rows[i].goal), &m, KERNEL, 300);
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
