#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/rank/efficiency.h"
#include "analysis/rank/test_expected.h"
#include "analysis/stats/stats.h"

#include <stdio.h>

enum { CEILING = 64 << 20 };

static const char *const lines[] = {"useful_compute", "compute_overhead", "data_stall",	 "communication",
				    "wait",	      "other",		  "unclassified", "unattributed"};

struct bench {
	struct ts_arena arena;
	struct ts_measures m;
	struct ts_facts facts;
	struct ts_work work;
};

static int setup(void **state)
{
	struct bench *b = test_calloc(1, sizeof *b);

	ts_arena_init(&b->arena, CEILING);
	ts_work_of_facts(&b->facts, &b->work);
	b->work.n_ranks = 1;
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	ts_arena_finish(&b->arena);
	test_free(b);
	return 0;
}

static void row(struct bench *b, const char *group, const char *subject, const char *name, enum ts_unit unit, double v)
{
	struct ts_measure row = {.group = ts_span_str(group),
				 .subject = ts_span_str(subject),
				 .name = ts_span_str(name),
				 .unit = unit,
				 .known = true,
				 .value = v};

	assert_true(test_measure_of(&row) < TS_MEASURE_NAMES);
	assert_true(ts_measure_put(&b->m, &b->arena, &row));
}

/* The rows stand as timing writes them: the step's rows first. */
static void steps(struct bench *b, double n)
{
	row(b, "timing", "step", "count", TS_UNIT_NONE, n);
	row(b, "timing", "step", "mean", TS_UNIT_SECONDS, 1.0);
}

static void phase(struct bench *b, const char *name, double total)
{
	row(b, "timing", name, "mean", TS_UNIT_SECONDS, -1.0);
	row(b, "timing", name, "share", TS_UNIT_RATIO, -1.0);
	row(b, "timing", name, "total", TS_UNIT_SECONDS, total);
}

static void wall(struct bench *b, double unattributed)
{
	row(b, "timing", "wall", "total", TS_UNIT_SECONDS, 12345.0);
	row(b, "timing", "wall", "unattributed", TS_UNIT_SECONDS, unattributed);
}

static void says(struct bench *b, const char *path, struct ts_fact fact)
{
	struct ts_error err;

	fact.path = ts_span_str(path);
	fact.source = fact.source ? fact.source : TS_SOURCE_RUN_JSON;
	assert_int_equal(ts_facts_add(&b->facts, &fact, &b->arena, &err), TS_OK);
}

static struct ts_fact real(double v)
{
	return (struct ts_fact){.type = TS_FACT_FLOAT, .real = v};
}

static struct ts_fact text(const char *v)
{
	return (struct ts_fact){.type = TS_FACT_TEXT, .text = ts_span_str(v)};
}

static void report(struct bench *b)
{
	struct ts_error err;
	struct ts_work set = b->work;

	(void)ts_facts_sort(&b->facts);
	ts_work_of_facts(&b->facts, &b->work);
	b->work.rank = set.rank;
	b->work.n_ranks = set.n_ranks;
	b->work.warmup_cut = set.warmup_cut;
	if (set.tokens.known)
		b->work.tokens = set.tokens;
	if (set.peak_flops.known && set.peak_flops.source && strcmp(set.peak_flops.source, "command line") == 0)
		b->work.peak_flops = set.peak_flops;
	assert_int_equal(ts_efficiency(&b->work, &b->arena, &b->m, &err), TS_OK);
	assert_true(test_seen(&b->m));
}

static void again(struct bench *b)
{
	b->m.n = 0;
	b->facts.n = 0;
	b->work = (struct ts_work){.n_ranks = 1};
}

static void is(struct bench *b, const char *group, const char *subject, const char *name, double want)
{
	const struct ts_measure *m = test_find(&b->m, group, subject, name);

	if (!m || !m->known)
		fail_msg("%s/%s/%s is not known: %.*s", group, subject, name, TS_SPAN_ARG(m ? m->reason : ts_span_str("no row")));
	if (!(fabs(m->value - want) <= 1e-12 * fabs(want)))
		fail_msg("%s/%s/%s is %.17g, not %.17g", group, subject, name, m->value, want);
}

static void is_text(struct bench *b, const char *group, const char *subject, const char *name, const char *want)
{
	const struct ts_measure *m = test_find(&b->m, group, subject, name);

	assert_non_null(m);
	if (!m->known || !ts_span_is(m->text, want))
		fail_msg("%s/%s/%s is \"%.*s\", not \"%s\"", group, subject, name,
			 TS_SPAN_ARG(m->known ? m->text : m->reason), want);
}

static void is_unknown(struct bench *b, const char *group, const char *subject, const char *name, const char *why)
{
	const struct ts_measure *m = test_find(&b->m, group, subject, name);

	assert_non_null(m);
	assert_false(m->known);
	if (!ts_span_is(m->reason, why))
		fail_msg("%s/%s/%s: \"%.*s\", not \"%s\"", group, subject, name, TS_SPAN_ARG(m->reason), why);
}

static bool there(struct bench *b, const char *group, const char *subject, const char *name)
{
	return test_find(&b->m, group, subject, name) != NULL;
}

/* Checks that the known lines, added as doubles in their order, give the wall time. */
static void sums_up(struct bench *b)
{
	double sum = 0.0, seconds, all;

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		if (test_value(&b->m, "budget", lines[i], "seconds", &seconds))
			sum += seconds;
	assert_true(test_value(&b->m, "budget", "wall", "seconds", &all));
	assert_true(sum == all);
}

static void one_process(struct bench *b)
{
	says(b, "parallelism.world_size", (struct ts_fact){.type = TS_FACT_INT, .integer = 1});
}

/* In 10 steps, compute is 7 of 11 s, and ideally 10 * 1e12 / 4e12 = 2.5 s. */
static void ten_steps(struct bench *b)
{
	steps(b, 10.0);
	phase(b, "data", 1.0);
	phase(b, "forward", 2.0);
	phase(b, "backward", 4.0);
	phase(b, "optimizer", 1.0);
	phase(b, "comm", 1.5);
	phase(b, "checkpoint", 0.25);
	phase(b, "evaluate", 0.25);
	phase(b, "wall", 0.25); /* a phase may have this name */
	phase(b, "step", 0.25); /* and this one */
	wall(b, 0.5);
}

/* The number is only known if all loaders that the run names have as many workers. */
static void the_workers_of_the_loader(void **state)
{
	struct bench *b = *state;

	report(b);
	assert_false(b->work.loader_workers.known);
	says(b, "config.data.num_workers", real(8));
	says(b, "config.my_num_workers_max", real(3));
	report(b);
	assert_true(b->work.loader_workers.known && b->work.loader_workers.value == 8);
	says(b, "config.dataloader_num_workers", real(8));
	report(b);
	assert_true(b->work.loader_workers.known);
	says(b, "config.eval.num_workers", real(2));
	report(b);
	assert_false(b->work.loader_workers.known);
	again(b);
	says(b, "config.num_workers", text("many"));
	report(b);
	assert_false(b->work.loader_workers.known);
}

static void a_budget_by_hand(void **state)
{
	struct bench *b = *state;

	one_process(b);
	ten_steps(b);
	says(b, "work.flops_per_step", real(1e12));
	says(b, "work.peak_flops", real(4e12));
	says(b, "work.flops_convention", text("6N"));
	report(b);
	is(b, "budget", "useful_compute", "seconds", 2.5);
	is(b, "budget", "compute_overhead", "seconds", 4.5);
	is(b, "budget", "data_stall", "seconds", 1.0);
	is(b, "budget", "communication", "seconds", 1.5);
	is(b, "budget", "wait", "seconds", 0.0);
	is(b, "budget", "other", "seconds", 0.5);
	is(b, "budget", "unclassified", "seconds", 0.5);
	is(b, "budget", "unattributed", "seconds", 0.5);
	is(b, "budget", "wall", "seconds", 11.0);
	is(b, "budget", "data_stall", "share", 1.0 / 11.0);
	is_text(b, "budget", "wall", "source", "timestamps");
	assert_false(there(b, "budget", "wall", "note"));
	sums_up(b);
	is(b, "efficiency", "mfu", "ratio", 2.5 / 11.0);
	is(b, "efficiency", "mfu", "flops_per_step", 1e12);
	is(b, "efficiency", "mfu", "flops_ranks", 1.0);
	is(b, "efficiency", "mfu", "peak", 4e12);
	is_text(b, "efficiency", "mfu", "peak_source", "work.peak_flops, run.json");
	is_text(b, "efficiency", "mfu", "convention", "6N");
	is(b, "efficiency", "job", "mfu", 2.5 / 11.0);
	is(b, "efficiency", "goodput", "ratio", 7.0 / 11.0);
	is(b, "efficiency", "goodput", "productive", 7.0);
	is(b, "efficiency", "goodput", "checkpoint", 0.25 / 11.0);
	is(b, "efficiency", "goodput", "evaluation", 0.25 / 11.0);
	is(b, "efficiency", "goodput", "other", 0.0);
	is(b, "efficiency", "goodput", "unattributed", 0.5 / 11.0);
	assert_false(there(b, "efficiency", "error", "text"));
	assert_false(there(b, "efficiency", "warning", "text"));
	assert_false(there(b, "efficiency", "warning", "compute"));
	assert_false(there(b, "budget", "wall job", "seconds"));
}

/* pytscope calls 10 ms of forward beside 90 ms of evaluation 100 % useful. */
static void unknown_phases_count(void **state)
{
	struct bench *b = *state;

	one_process(b);
	steps(b, 1.0);
	phase(b, "forward", 0.01);
	phase(b, "eval", 0.09);
	report(b);
	is(b, "budget", "useful_compute", "share", 0.1);
	is(b, "budget", "other", "share", 0.9);
	is_unknown(b, "budget", "compute_overhead", "seconds", "the run does not record work.flops_per_step");
	is_unknown(b, "budget", "unattributed", "seconds", "the run has no column timestamp");
	is_text(b, "budget", "wall", "source", "phases");
	is_text(b, "budget", "wall", "note", "the run has no column timestamp");
	sums_up(b);
}

/* A log that says how long steps take says nothing about what was done in them. */
static void a_whole_step_is_no_part(void **state)
{
	static const char *const names[] = {"step", "iteration", "train_step"};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		one_process(b);
		steps(b, 10.0);
		phase(b, names[i], 8.0);
		wall(b, 2.0);
		says(b, "work.flops_per_step", real(1e12));
		says(b, "work.peak_flops", real(4e12));
		report(b);
		is_unknown(b, "budget", "useful_compute", "share", "the run has no phase forward, backward, optimizer or compute");
		is_unknown(b, "budget", "other", "share", "the run says how long whole steps take, and not what is done in them");
		is(b, "budget", "unclassified", "share", 0.8);
		is(b, "budget", "unattributed", "share", 0.2); /* outside of whole steps */
		is(b, "efficiency", "mfu", "ratio", 0.25);     /* 10 steps of 1e12 in 10 s at 4e12 */
		sums_up(b);
		again(b);
	}
}

/* What is behind the last mark is something else than training only if all of training is marked. */
static void the_rest_of_a_step(void **state)
{
	static const char why[] = "the run does not mark forward, backward and optimizer, whose time may be in the rest of the steps";
	struct bench *b = *state;

	one_process(b);
	steps(b, 10.0);
	phase(b, "data", 2.0);
	phase(b, "other", 6.0);
	wall(b, 2.0);
	report(b);
	is(b, "budget", "data_stall", "share", 0.2);
	is(b, "budget", "unclassified", "share", 0.8); /* 6 behind the last mark, 2 outside of the phases */
	is_unknown(b, "budget", "other", "share", why);
	is_unknown(b, "budget", "unattributed", "share", why);
	sums_up(b);
	again(b);
	one_process(b);
	steps(b, 10.0);
	phase(b, "forward", 2.0);
	phase(b, "other", 6.0);
	phase(b, "between", 2.0);
	report(b);
	is(b, "budget", "unclassified", "share", 0.6); /* backward and optimizer are in it */
	is(b, "budget", "other", "share", 0.2);
	again(b);
	one_process(b);
	steps(b, 10.0);
	phase(b, "forward", 1.0);
	phase(b, "backward", 2.0);
	phase(b, "optimizer", 1.0);
	phase(b, "other", 4.0);
	wall(b, 2.0);
	report(b);
	is(b, "budget", "other", "share", 0.4);
	is(b, "budget", "unattributed", "share", 0.2);
	is(b, "budget", "unclassified", "share", 0.0);
}

/* A wait for data alone is all of the time that is known, and not all of the time. */
static void a_part_alone_is_not_the_whole(void **state)
{
	struct bench *b = *state;

	one_process(b);
	steps(b, 10.0);
	phase(b, "data", 2.0);
	report(b);
	is_unknown(b, "budget", "data_stall", "share", "the phases of the run are not all of a step");
	again(b);
	one_process(b);
	steps(b, 10.0);
	phase(b, "data", 2.0);
	wall(b, 8.0);
	report(b);
	is(b, "budget", "data_stall", "share", 0.2);
	is(b, "budget", "unclassified", "share", 0.8);
}

/* "rollout" may be computing. */
static void an_unknown_name_says_nothing(void **state)
{
	struct bench *b = *state;

	one_process(b);
	steps(b, 10.0);
	phase(b, "rollout", 6.0);
	phase(b, "update_policy", 3.0);
	phase(b, "save_checkpoint", 1.0);
	report(b);
	is(b, "budget", "unclassified", "share", 0.9);
	is(b, "budget", "other", "share", 0.1);
}

/* "compiled_forward" is a pass of what was compiled. */
static void compiling_is_work_of_the_host(void **state)
{
	struct bench *b = *state;

	one_process(b);
	steps(b, 10.0);
	phase(b, "forward", 3.0);
	phase(b, "backward", 2.0);
	phase(b, "optimizer", 1.0);
	phase(b, "compile", 2.0);
	phase(b, "profiler", 1.0);
	phase(b, "compiled_forward", 1.0);
	report(b);
	is(b, "budget", "unclassified", "share", 0.1);
	is(b, "budget", "other", "share", 0.3);
}

static void timestamps_that_say_less_than_the_phases(void **state)
{
	struct bench *b = *state;

	one_process(b);
	steps(b, 2.0);
	phase(b, "forward", 3.0);
	wall(b, -0.5);
	report(b);
	is(b, "budget", "unattributed", "seconds", 0.0);
	is(b, "budget", "wall", "seconds", 3.0);
	is(b, "budget", "wall", "overlap", 0.5);
	is_text(b, "budget", "wall", "source", "phases");
	sums_up(b);
}

static void the_runs_own_wall_time(void **state)
{
	struct bench *b = *state;

	one_process(b);
	ten_steps(b);
	says(b, "session.wall_time", real(16.0));
	report(b);
	is(b, "budget", "wall", "session", 16.0);
	is(b, "budget", "wall", "outside", 5.0);
	is(b, "efficiency", "goodput", "session", 7.0 / 16.0);
	again(b);
	ten_steps(b);
	says(b, "session.wall_time", real(10.0));
	report(b);
	is_unknown(b, "budget", "wall", "outside", "session.wall_time is shorter than the steps took");
	again(b);
	ten_steps(b);
	says(b, "session.wall_time", real(16.0));
	b->work.warmup_cut = 3;
	report(b);
	is_unknown(b, "budget", "wall", "session",
		   "session.wall_time includes the steps that were left out at the start");
	again(b);
	ten_steps(b);
	says(b, "session.wall_time", real(16.0));
	says(b, "session.n_steps", real(11.0));
	report(b);
	is_unknown(b, "efficiency", "goodput", "session", "session.wall_time covers a different number of steps");
}

static void more_than_the_devices_can_do(void **state)
{
	struct bench *b = *state;

	one_process(b);
	ten_steps(b);
	says(b, "work.flops_per_step", real(1e12));
	says(b, "work.peak_flops", real(0.5e12)); /* the ideal time is 20 s of 11 */
	report(b);
	is(b, "efficiency", "mfu", "ratio", 20.0 / 11.0);
	is_text(b, "efficiency", "error", "text",
		"MFU is 181.8 %, which is more than the devices can do: the FLOPs of a step, the number of ranks that "
		"they are for, the peak or "
		"its dtype is wrong");
	assert_false(there(b, "efficiency", "warning", "text"));
	is(b, "budget", "useful_compute", "seconds", 7.0);
	is_unknown(b, "budget", "compute_overhead", "seconds", "the MFU is above 100 %");
	sums_up(b);
	again(b);
	ten_steps(b);
	says(b, "work.flops_per_step", real(1e12));
	says(b, "work.peak_flops", real(1.25e12)); /* the ideal time is 8 s: below wall, above compute */
	report(b);
	is(b, "efficiency", "mfu", "ratio", 8.0 / 11.0);
	assert_true(there(b, "efficiency", "warning", "text"));
	assert_true(there(b, "efficiency", "warning", "compute"));
	assert_false(there(b, "efficiency", "error", "text"));
	is(b, "budget", "useful_compute", "seconds", 7.0);
	is(b, "budget", "compute_overhead", "seconds", 0.0);
	sums_up(b);
	again(b);
	ten_steps(b);
	says(b, "work.flops_per_step", real(1e308));
	says(b, "work.peak_flops", real(1e-300)); /* the result is beyond all doubles, and the report must still say so */
	report(b);
	assert_true(there(b, "efficiency", "error", "text"));
}

static void numbers_that_are_none(void **state)
{
	static const struct {
		struct ts_fact fact;
		const char *why;
	} odd[] = {
		{{.type = TS_FACT_NULL}, "the run does not record work.flops_per_step"},
		{{.type = TS_FACT_TEXT, .text = {(const uint8_t *)"6e12", 4}},
		 "work.flops_per_step is text, not a number"},
		{{.type = TS_FACT_BOOL, .boolean = true}, "work.flops_per_step is not a number"},
		{{.type = TS_FACT_OBJECT}, "work.flops_per_step is not a number"},
		{{.type = TS_FACT_ARRAY}, "work.flops_per_step is not a number"},
		{{.type = TS_FACT_LONG}, "work.flops_per_step is text, not a number"},
		{{.type = TS_FACT_INT, .integer = 0}, "work.flops_per_step is not above 0"},
		{{.type = TS_FACT_INT, .integer = -6}, "work.flops_per_step is not above 0"},
		{{.type = TS_FACT_FLOAT, .real = (double)NAN}, "work.flops_per_step is not finite"},
		{{.type = TS_FACT_FLOAT, .real = (double)INFINITY}, "work.flops_per_step is not finite"},
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		again(b);
		ten_steps(b);
		says(b, "work.flops_per_step", odd[i].fact);
		says(b, "work.peak_flops", real(4e12));
		report(b);
		is_unknown(b, "efficiency", "mfu", "ratio", odd[i].why);
		is_unknown(b, "efficiency", "mfu", "flops_per_step", odd[i].why);
		is(b, "budget", "useful_compute", "seconds", 7.0);
		sums_up(b);
	}
	again(b);
	ten_steps(b);
	says(b, "work.flops_per_step", (struct ts_fact){.type = TS_FACT_NUMBER, .text = ts_span_str("20000000000000000000")});
	says(b, "work.peak_flops", real(4e19));
	report(b);
	is(b, "efficiency", "mfu", "ratio", 5.0 / 11.0); /* 2e19 * 10 / 4e19 = 5 s */
	/* A peak that is given but is not a number is not replaced by one of the table. */
	again(b);
	ten_steps(b);
	says(b, "work.flops_per_step", real(1e12));
	says(b, "work.peak_flops", text("a lot"));
	says(b, "hardware.gpu", text("NVIDIA L40S"));
	says(b, "work.dtype", text("bf16"));
	report(b);
	is_unknown(b, "efficiency", "mfu", "ratio", "work.peak_flops is text, not a number");
}

static void where_the_peak_is_from(void **state)
{
	struct bench *b = *state;

	ten_steps(b);
	says(b, "work.flops_per_step", real(36.2e12));
	says(b, "hardware.gpu", text("NVIDIA L40S"));
	report(b);
	is_unknown(b, "efficiency", "mfu", "ratio",
		   "the run does not record work.dtype, on which the peak of a device depends");
	says(b, "config.precision", text("bf16")); /* a hint is not a declaration */
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is_unknown(b, "efficiency", "mfu", "peak",
		   "the run does not record work.dtype, on which the peak of a device depends");
	says(b, "work.dtype", text("torch.bfloat16"));
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is(b, "efficiency", "mfu", "peak", 362e12);
	is(b, "efficiency", "mfu", "ratio", 1.0 / 11.0);
	is_text(b, "efficiency", "mfu", "dtype", "torch.bfloat16");
	is_text(b, "efficiency", "mfu", "device", "NVIDIA L40S");
	assert_true(ts_span_starts(test_find(&b->m, "efficiency", "mfu", "peak_source")->text,
				   ts_span_str("table of peaks: L40S, bf16; http")));
	says(b, "work.peak_flops", real(181e12));
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is(b, "efficiency", "mfu", "ratio", 2.0 / 11.0);
	ts_work_override(&b->work.peak_flops, 90.5e12);
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is(b, "efficiency", "mfu", "ratio", 4.0 / 11.0);
	is_text(b, "efficiency", "mfu", "peak_source", "command line");
}

static void devices_of_the_host(void **state)
{
	struct bench *b = *state;

	says(b, "hardware.gpus[0].name", text("NVIDIA A10"));
	says(b, "hardware.gpus[0].memory", (struct ts_fact){.type = TS_FACT_INT, .integer = 24146608128});
	says(b, "hardware.gpus[1].name", text("NVIDIA A10"));
	says(b, "hardware.gpus[1].memory", (struct ts_fact){.type = TS_FACT_INT, .integer = 24146608128});
	(void)ts_facts_sort(&b->facts);
	ts_work_of_facts(&b->facts, &b->work);
	assert_true(ts_span_is(b->work.device.text, "NVIDIA A10"));
	assert_true(b->work.device_bytes.known && b->work.device_bytes.value == 24146608128.0);
	says(b, "hardware.gpus[2].name", text("NVIDIA T400"));
	(void)ts_facts_sort(&b->facts);
	ts_work_of_facts(&b->facts, &b->work);
	assert_true(b->work.device.text.len == 0 && b->work.device.reason);
	assert_true(!b->work.device_bytes.known && b->work.device_bytes.reason);
	says(b, "hardware.gpu", text("NVIDIA A10")); /* the process recorded which device it used */
	(void)ts_facts_sort(&b->facts);
	ts_work_of_facts(&b->facts, &b->work);
	assert_true(ts_span_is(b->work.device.text, "NVIDIA A10"));
	assert_true(b->work.device_bytes.known && b->work.device_bytes.value == 24.0 * 1073741824.0); /* nominal, by its name */
	says(b, "work.device_memory", real(2e10)); /* what is declared counts */
	(void)ts_facts_sort(&b->facts);
	ts_work_of_facts(&b->facts, &b->work);
	assert_true(b->work.device_bytes.known && b->work.device_bytes.value == 2e10);
}

static void recomputation(void **state)
{
	struct bench *b = *state;

	ten_steps(b);
	says(b, "work.flops_per_step", real(1e12));
	says(b, "work.peak_flops", real(4e12));
	report(b);
	is_unknown(b, "efficiency", "hfu", "ratio",
		   "the run does not record work.recompute, so the amount of recomputation is not known");
	says(b, "work.recompute", text("full"));
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is(b, "efficiency", "hfu", "ratio", 2.5 * 4.0 / 3.0 / 11.0);
	is(b, "efficiency", "hfu", "recomputed", 1.0 / 3.0);
	assert_true(there(b, "efficiency", "hfu", "recompute"));
	says(b, "work.recompute_flops_per_step", real(0.5e12));
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is(b, "efficiency", "hfu", "ratio", 3.75 / 11.0);
	is(b, "efficiency", "hfu", "recomputed", 0.5);
	says(b, "work.hardware_flops_per_step", real(6e12));
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is(b, "efficiency", "hfu", "ratio", 15.0 / 11.0);
	is(b, "efficiency", "mfu", "ratio", 2.5 / 11.0);
	assert_true(there(b, "efficiency", "error", "hfu"));
	says(b, "work.hardware_flops_per_step", real(3.6e12)); /* this is possible but implausible */
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is(b, "efficiency", "hfu", "ratio", 9.0 / 11.0);
	assert_true(there(b, "efficiency", "warning", "hfu"));
	assert_false(there(b, "efficiency", "error", "hfu"));
	assert_false(there(b, "efficiency", "warning", "text")); /* this warning would be about MFU */
	says(b, "work.hardware_flops_per_step", real(0.9e12));
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is_unknown(b, "efficiency", "hfu", "ratio", "work.hardware_flops_per_step is less than work.flops_per_step");
}

/* Two ranks have 10 steps with 0.1 s of transfer each; rank 1 waits 0.05 s a step for rank 0. */
static void two_ranks(struct bench *b, const char *mode)
{
	assert_true(ts_measure_text(&b->m, &b->arena, TS_M_RANKS_MODE, TS_NO_SUBJECT, ts_span_str(mode)));
	row(b, "ranks", "all", "aligned_steps", TS_UNIT_COUNT, 10.0);
	row(b, "ranks", "all", "wall", TS_UNIT_SECONDS, 1.2);
	row(b, "ranks", "all", "transfer", TS_UNIT_SECONDS, 0.1);
	row(b, "ranks", "all", "wait", TS_UNIT_SECONDS, 0.025);
	row(b, "ranks", "rank 0", "own", TS_UNIT_SECONDS, 0.8);
	row(b, "ranks", "rank 0", "median", TS_UNIT_SECONDS, 0.9);
	row(b, "ranks", "rank 0", "wait", TS_UNIT_SECONDS, 0.0);
	row(b, "ranks", "rank 1", "own", TS_UNIT_SECONDS, 0.75);
	row(b, "ranks", "rank 1", "median", TS_UNIT_SECONDS, 1.0);
	row(b, "ranks", "rank 1", "wait", TS_UNIT_SECONDS, 0.05);
	b->work.rank = 1;
	b->work.n_ranks = 2;
}

static void wait_is_not_transfer(void **state)
{
	struct bench *b = *state;

	says(b, "parallelism.world_size", real(2.0));
	says(b, "work.flops_per_step", real(2e12));
	says(b, "work.flops_ranks", real(2.0));
	says(b, "work.peak_flops", real(4e12));
	says(b, "work.tokens_per_step", real(4096.0));
	ten_steps(b);
	two_ranks(b, "explicit comm");
	report(b);
	is(b, "budget", "wait", "seconds", 0.5); /* 0.05 s in each of 10 steps, out of comm's 1.5 s */
	is(b, "budget", "communication", "seconds", 1.0);
	is(b, "efficiency", "mfu", "ratio", 2.5 / 11.0);
	sums_up(b);
	is(b, "efficiency", "rank 0", "mfu", 0.25 / 0.9); /* 1e12 / 4e12 = 0.25 s a step */
	is(b, "efficiency", "rank 1", "mfu", 0.25);
	is(b, "efficiency", "job", "mfu", 0.25 / 1.2); /* the ranks' 1.2 s is longer than 1.1 s */
	is(b, "efficiency", "throughput", "tokens", 4096.0 / 1.2);
	is(b, "efficiency", "throughput", "tokens_per_device", 2048.0 / 1.2);
	is_unknown(b, "efficiency", "throughput", "samples", "the run has no column of samples");
	is(b, "budget", "useful_compute job", "seconds", 2.5);
	is(b, "budget", "own_rest job", "seconds", 7.75 - 2.5);
	is(b, "budget", "communication job", "seconds", 1.0);
	is(b, "budget", "wait job", "seconds", 0.25);
	/* 0.5 s of the rank's 11 s are outside its phases, so 1 of 22 parts of the job's time is. */
	is(b, "budget", "unattributed job", "seconds", 9.0 / 21.0);
	is(b, "budget", "wait job", "share", 0.25 / (9.0 * 22.0 / 21.0));
	is(b, "budget", "wall job", "seconds", 9.0 * 22.0 / 21.0);
	/* With DDP, comm is not used; the wait is taken out of backward. */
	again(b);
	ten_steps(b);
	two_ranks(b, "hidden in backward");
	report(b);
	is(b, "budget", "wait", "seconds", 0.5);
	is(b, "budget", "useful_compute", "seconds", 6.5);
	is(b, "budget", "communication", "seconds", 1.5);
	sums_up(b);
}

static void wait_that_nobody_knows(void **state)
{
	struct bench *b = *state;

	says(b, "parallelism.world_size", real(8.0));
	ten_steps(b);
	report(b);
	is_unknown(b, "budget", "wait", "seconds",
		   "one rank alone does not show which part of its communication is waiting");
	is(b, "budget", "communication", "seconds", 1.5);
	sums_up(b);
	says(b, "work.flops_ranks", real(9.0));
	says(b, "work.flops_per_step", real(1e12));
	says(b, "work.peak_flops", real(1e12));
	b->m.n = 0;
	ten_steps(b);
	report(b);
	is_unknown(b, "efficiency", "mfu", "ratio", "work.flops_ranks is larger than the world size");
}

static void tokens_that_were_counted(void **state)
{
	struct bench *b = *state;

	says(b, "parallelism.world_size", real(4.0));
	ten_steps(b);
	b->work.tokens = (struct ts_work_number){.known = true, .value = 22000.0};
	report(b);
	is(b, "efficiency", "throughput", "tokens", 2000.0);
	is(b, "efficiency", "throughput", "tokens_per_device", 500.0);
}

static void times_that_are_none(void **state)
{
	static const struct {
		double seconds;
		const char *why;
	} odd[] = {
		{(double)NAN, "the times of a phase are not finite"},
		{(double)INFINITY, "the times of a phase are not finite"},
		{-1.0, "the times of a phase add up to less than 0"},
		{0.0, "no time is attributed to any phase"},
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		again(b);
		steps(b, 3.0);
		phase(b, "forward", odd[i].seconds);
		says(b, "work.flops_per_step", real(1e12));
		says(b, "work.peak_flops", real(1e12));
		report(b);
		is_unknown(b, "budget", "wall", "seconds", odd[i].why);
		is_unknown(b, "budget", "useful_compute", "seconds", odd[i].why);
		is_unknown(b, "efficiency", "mfu", "ratio", odd[i].why);
		is_unknown(b, "efficiency", "goodput", "ratio", odd[i].why);
		is_unknown(b, "efficiency", "job", "mfu", odd[i].why);
	}
	again(b);
	report(b); /* there are no rows at all */
	is_unknown(b, "budget", "wall", "seconds", "no step has a phase");
}

static double sum_of_column(const struct ts_series *s)
{
	return s ? ts_sum(s->values, s->n) : 0.0;
}

static bool has_number(const struct expected_run *run, const char *path)
{
	for (size_t i = 0; i < run->n_numbers; i++)
		if (ts_span_is(run->numbers[i].path, path))
			return true;
	return false;
}

/* pytscope computes these values from the phases that it knows, in a run of one process: wall, MFU, compute, useful
 * share. */
static void agrees_with_pytscope(void **state)
{
	static const char *const runs[] = {"10k_a", "10k_b", "demo", "cross", "lossnan", "allnan"};
	struct expected_run *run = test_malloc(sizeof *run);
	struct bench *b = *state;
	size_t compared = 0;

	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		if (!expected_load(runs[i], &b->arena, run) || !has_number(run, "efficiency.wall"))
			continue;
		again(b);
		one_process(b);
		steps(b, expected_number(run, "efficiency.n_steps"));
		for (size_t k = 0; k < run->n_columns; k++)
			if (ts_span_starts(run->columns[k].name, ts_span_str("phases.")))
				phase(b, (const char *)run->columns[k].name.data + 7, sum_of_column(&run->columns[k]));
		if (!isnan(expected_number(run, "efficiency.flops_per_step")))
			says(b, "work.flops_per_step", real(expected_number(run, "efficiency.flops_per_step")));
		if (!isnan(expected_number(run, "efficiency.peak_flops")))
			says(b, "work.peak_flops", real(expected_number(run, "efficiency.peak_flops")));
		report(b);
		is(b, "budget", "wall", "seconds", expected_number(run, "efficiency.wall"));
		is(b, "efficiency", "goodput", "productive", expected_number(run, "efficiency.compute_measured"));
		is(b, "budget", "useful_compute", "share", expected_number(run, "efficiency.efficiency"));
		if (!isnan(expected_number(run, "efficiency.mfu")))
			is(b, "efficiency", "mfu", "ratio", expected_number(run, "efficiency.mfu"));
		sums_up(b);
		compared++;
	}
	test_free(run);
	assert_true(compared >= 2); /* where the corpus is missing, those of tests/golden */
}

/* Whatever allocation fails, the analysis reports it and does not crash. */
static void a_full_arena_is_said(void **state)
{
	struct bench *b = *state;
	struct ts_error err;
	size_t failed = 0, used;

	ten_steps(b);
	two_ranks(b, "explicit comm");
	used = b->arena.used;
	for (size_t room = 0; room < 65536; room += 64) {
		size_t n = b->m.n;
		enum ts_status status;

		b->arena.ceiling = b->arena.used + room;
		status = ts_efficiency(&b->work, &b->arena, &b->m, &err);
		failed += status != TS_OK;
		b->m.n = n;
		if (status == TS_OK)
			break;
	}
	assert_true(failed > 3);
	assert_true(b->arena.used > used);
}

/* A measure that no scenario produces would be a name in measures.inc and nothing else. */
static void every_measure_is_made(void **state)
{
	/* test_logged and test_attempts_measure make these. */
	static const enum ts_measure_name elsewhere[] = {TS_M_LOGGED_MFU,
							 TS_M_LOGGED_MFU_COLUMN,
							 TS_M_LOGGED_MFU_UNIT,
							 TS_M_LOGGED_HFU,
							 TS_M_LOGGED_HFU_COLUMN,
							 TS_M_LOGGED_HFU_UNIT,
							 TS_M_LOGGED_RATE,
							 TS_M_LOGGED_RATE_COLUMN,
							 TS_M_LOGGED_RATE_OF,
							 TS_M_LOGGED_RATE_SHARE,
							 TS_M_LOGGED_SPEED,
							 TS_M_LOGGED_SPEED_COLUMN,
							 TS_M_LOGGED_WARMUP,
							 TS_M_LOGGED_PEAK,
							 TS_M_LOGGED_ERROR,
							 TS_M_LOGGED_TIMES,
							 TS_M_LOGGED_NOTE,
							 TS_M_ATTEMPTS_COUNT,
							 TS_M_ATTEMPTS_GOODPUT,
							 TS_M_ATTEMPTS_PRODUCTIVE,
							 TS_M_ATTEMPTS_REPEATED,
							 TS_M_ATTEMPTS_REPEATED_STEPS,
							 TS_M_ATTEMPTS_STARTUP,
							 TS_M_ATTEMPTS_UNFINISHED,
							 TS_M_ATTEMPTS_GAPS,
							 TS_M_ATTEMPTS_WALL,
							 TS_M_ATTEMPT_AT,
							 TS_M_ATTEMPT_STEPS,
							 TS_M_ATTEMPT_END,
							 TS_M_ATTEMPT_CHECKPOINT,
							 TS_M_ATTEMPT_CHANGED,
							 TS_MEASURE_NAMES};

	(void)state;
	assert_true(test_seen_all(TS_ANSWER_BUDGET, NULL));
	assert_true(test_seen_all(TS_ANSWER_EFFICIENCY, elsewhere));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		TEST(the_workers_of_the_loader),
		TEST(a_budget_by_hand),
		TEST(unknown_phases_count),
		TEST(a_whole_step_is_no_part),
		TEST(the_rest_of_a_step),
		TEST(a_part_alone_is_not_the_whole),
		TEST(an_unknown_name_says_nothing),
		TEST(compiling_is_work_of_the_host),
		TEST(timestamps_that_say_less_than_the_phases),
		TEST(the_runs_own_wall_time),
		TEST(more_than_the_devices_can_do),
		TEST(numbers_that_are_none),
		TEST(where_the_peak_is_from),
		TEST(devices_of_the_host),
		TEST(recomputation),
		TEST(wait_is_not_transfer),
		TEST(wait_that_nobody_knows),
		TEST(tokens_that_were_counted),
		TEST(times_that_are_none),
		TEST(agrees_with_pytscope),
		TEST(a_full_arena_is_said),
		cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
