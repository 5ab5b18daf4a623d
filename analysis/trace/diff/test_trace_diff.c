/* trace_diff.h: traces whose differences are known because they were made so. */
#include "analysis/trace/diff/trace_diff.h"

#include "analysis/stats/random.h"
#include "analysis/trace/diff/summarize.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum name {
	NOTHING,
	MM,
	OLD_TILE,
	NEW_TILE,
	RELU,
	ALL_REDUCE,
	COPY,
	ADDMM,
	LAUNCH,
	SHAPES,
	FUNCTION,
	OBJECT_HERE,
	OBJECT_THERE,
	STEPS,
	MANY = 80, /* kernels of long names */
	NAMES_OF_ALL = STEPS + 40 + MANY
};

static char step_names[40][32], long_names[MANY][120];
static struct ts_span names[NAMES_OF_ALL];

static int name_all(void **state)
{
	static const char *const fixed[STEPS] = {"",
						 "aten::mm",
						 "cutlass_80_simt_sgemm_128x32(Params)",
						 "volta_sgemm_128x64_nt",
						 "void at::native::vectorized_elementwise_kernel<4>(int)",
						 "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)",
						 "Memcpy HtoD (Pageable -> Device)",
						 "aten::addmm",
						 "cudaLaunchKernel",
						 "[[32,64],[64,16]]",
						 "train.py(12): step",
						 "<built-in method mul_ of Tensor object at 0x7f0a11>",
						 "<built-in method mul_ of Tensor object at 0x55b2>"};

	(void)state;
	for (int i = 0; i < NAMES_OF_ALL; i++)
		names[i] = ts_span_str(i < STEPS ? fixed[i] : i < STEPS + 40 ? step_names[i - STEPS] : long_names[i - STEPS - 40]);
	for (int i = 0; i < 40; i++) {
		(void)snprintf(step_names[i], sizeof step_names[i], "ProfilerStep#%d", 100 + i);
		names[STEPS + i] = ts_span_str(step_names[i]);
	}
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(long_names[i], sizeof long_names[i], "%0100d_k", i);
		names[STEPS + 40 + i] = ts_span_str(long_names[i]);
	}
	return 0;
}

/* A trace that is made step by step; `at` is where the host is, `device` until when the device is busy. */
struct side {
	struct made m;
	int64_t at, device, correlation;
};

static void begin(struct side *s)
{
	*s = (struct side){0};
	made_begin(&s->m);
	s->m.trace.names = names;
	s->m.trace.n_names = NAMES_OF_ALL;
}

/* The host takes 2,000 ns to call; the device begins when the call ends and it is free. */
static void launch(struct side *s, enum name by, enum ts_trace_kind kind, enum name name, int64_t ns)
{
	int64_t from = s->at + 2000;

	made_add(&s->m, TS_TRACE_OPERATOR, (uint32_t)by, 0, s->at, from, TS_TRACE_NONE);
	s->m.trace.rows.spans.shapes[s->m.trace.rows.spans.n - 1] = by == MM ? SHAPES : NOTHING;
	made_add(&s->m, TS_TRACE_RUNTIME, LAUNCH, 0, s->at + 500, from, ++s->correlation);
	s->at = from;
	from = from > s->device ? from : s->device;
	s->device = from + ns;
	made_add(&s->m, kind, (uint32_t)name, 7, from, s->device, s->correlation);
}

static void wait_for_device(struct side *s)
{
	s->at = s->at > s->device ? s->at : s->device;
}

static void end_step(struct side *s, int number, int64_t from)
{
	made_add(&s->m, TS_TRACE_ANNOTATION, STEPS + (uint32_t)number, 0, from, s->at, TS_TRACE_NONE);
}

/* Written and read again. */
static struct ts_kernel_summary summary_of(struct side *s)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_kernel_summary summary;

	assert_int_equal(ts_summarize_kernels(&s->m.trace, &s->m.arena, &summary, &s->m.err), TS_OK);
	ts_kernel_summary_write(&summary, &buf);
	if (ts_kernel_summary_read(ts_buf_view(&buf), &s->m.arena, &summary, &s->m.err))
		fail_msg("%s: %.*s", s->m.err.text, TS_SPAN_ARG(ts_buf_view(&buf)));
	ts_buf_finish(&buf);
	return summary;
}

static struct ts_trace_diff diff_of_summaries(struct side *a, struct side *b)
{
	struct ts_kernel_summary sides[2] = {summary_of(a), summary_of(b)};
	const struct ts_warmup_asked none = {.given = false};
	struct ts_trace_diff d;

	assert_int_equal(ts_trace_diff_summaries(&sides[0], "A", &sides[1], "B", &none, &a->m.arena, &d, &a->m.err), TS_OK);
	return d;
}

static void same_sum(const struct ts_trace_diff_sum *a, const struct ts_trace_diff_sum *b)
{
	assert_true(a->ns == b->ns && a->counted == b->counted && a->count == b->count && a->least == b->least && a->most == b->most &&
		    a->mean_ns == b->mean_ns);
}

static void same_row(const struct ts_trace_diff_row *a, const struct ts_trace_diff_row *b)
{
	assert_true(ts_span_eq(a->name, b->name) && a->category == b->category && a->decided == b->decided);
	same_sum(&a->a, &b->a);
	same_sum(&a->b, &b->b);
	assert_true(a->difference_ns == b->difference_ns && a->low_ns == b->low_ns && a->high_ns == b->high_ns);
	assert_true(a->time_differs == b->time_differs && a->count_differs == b->count_differs && a->p_count == b->p_count);
}

/* What two summaries say is what the traces say, to the nanosecond, as far as summaries go. */
static void summaries_say_the_same(struct side *a, struct side *b, const struct ts_trace_diff *d)
{
	struct ts_trace_diff by = diff_of_summaries(a, b);

	assert_true(by.a.summary && by.b.summary && by.a.cut == d->a.cut && by.a.skipped == d->a.skipped && by.n_tables == 3);
	assert_true(by.a.whole == d->a.whole && by.has_host == d->has_host);
	same_row(&by.step, &d->step);
	if (d->has_host)
		same_row(&by.host, &d->host);
	for (size_t k = 0; k < by.n_tables; k++) {
		assert_true(by.tables[k].of == d->tables[k].of && by.tables[k].n == d->tables[k].n);
		for (size_t i = 0; i < by.tables[k].n; i++)
			same_row(&by.tables[k].rows[i], &d->tables[k].rows[i]);
	}
}

static struct ts_trace_diff diff_of(struct side *a, struct side *b)
{
	struct ts_trace_diff d;

	assert_int_equal(ts_trace_diff(&a->m.trace, &b->m.trace, NULL, &a->m.arena, &d, &a->m.err), TS_OK);
	if (d.device && d.step.a.ns <= INT64_MAX && d.step.b.ns <= INT64_MAX)
		summaries_say_the_same(a, b, &d);
	return d;
}

static void finish(struct side *a, struct side *b)
{
	made_finish(&a->m);
	made_finish(&b->m);
}

static const struct ts_trace_diff_row *row(const struct ts_trace_diff *d, enum ts_side_table of, const char *name)
{
	for (size_t i = 0; i < d->n_tables; i++)
		for (size_t k = 0; d->tables[i].of == of && k < d->tables[i].n; k++)
			if (ts_span_is(d->tables[i].rows[k].name, name))
				return &d->tables[i].rows[k];
	return NULL;
}

static const struct ts_trace_diff_table *table(const struct ts_trace_diff *d, enum ts_side_table of)
{
	for (size_t i = 0; i < d->n_tables; i++)
		if (d->tables[i].of == of)
			return &d->tables[i];
	return NULL;
}

static void says(const struct ts_trace_diff *d, const char *want)
{
	if (!ts_span_is(d->sentence, want))
		fail_msg("%.*s", TS_SPAN_ARG(d->sentence));
}

/* Parts add up to the time of all steps, to the nanosecond. */
static void adds_up(const struct ts_trace_diff *d)
{
	const struct ts_trace_diff_table *t = table(d, TS_SIDE_PARTS);
	uint64_t a = 0, b = 0;

	for (size_t i = 0; i < t->n; i++) {
		a += t->rows[i].a.ns;
		b += t->rows[i].b.ns;
	}
	assert_int_equal(a, d->step.a.ns);
	assert_int_equal(b, d->step.b.ns);
}

/* Steps of a gemm, `relus` of 10 us, an all-reduce, and a wait of the host at the end. */
static void training(struct side *s, int steps, enum name gemm, int64_t gemm_ns, int relus, int64_t reduce_ns, uint64_t seed,
		     double noise)
{
	struct ts_random r;

	ts_random_init(&r, seed);
	begin(s);
	for (int i = 0; i < steps; i++) {
		int64_t from = s->at;

		launch(s, MM, TS_TRACE_KERNEL, gemm, gemm_ns + (int64_t)(noise * (double)gemm_ns * ts_random_normal(&r)));
		for (int k = 0; k < relus; k++)
			launch(s, ADDMM, TS_TRACE_KERNEL, RELU, 10000 + (int64_t)(noise * 10000 * ts_random_normal(&r)));
		launch(s, ADDMM, TS_TRACE_KERNEL, ALL_REDUCE, reduce_ns);
		wait_for_device(s);
		s->at += 5000 + (int64_t)(noise * 5000 * ts_random_normal(&r));
		end_step(s, i, from);
	}
}

/* Of a file that ends too early any event may be missing: nothing is decided, and that is said first. */
static void a_cut_file_decides_nothing(void **state)
{
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	training(&a, 6, OLD_TILE, 1000000, 10, 500000, 0, 0);
	training(&b, 6, OLD_TILE, 1000000, 10, 500000, 0, 0);
	assert_int_equal(diff_of(&a, &b).verdict, TS_TRACE_DIFF_SAME);
	b.m.trace.cut = true;
	d = diff_of(&a, &b);
	assert_true(d.verdict == TS_TRACE_DIFF_UNDECIDED && d.b.cut && !d.a.cut);
	assert_true(ts_span_starts(d.sentence, ts_span_str("The file of B ends too early, so that events of any step may be missing")));
	finish(&a, &b);
	training(&b, 6, NEW_TILE, 1080000, 10, 520000, 0, 0);
	training(&a, 6, OLD_TILE, 1000000, 10, 500000, 0, 0);
	a.m.trace.cut = true;
	d = diff_of(&a, &b);
	assert_int_equal(d.verdict, TS_TRACE_DIFF_UNDECIDED);
	assert_true(ts_span_starts(d.sentence, ts_span_str("The file of A ends too early")));
	b.m.trace.cut = true;
	assert_true(ts_span_starts(diff_of(&a, &b).sentence, ts_span_str("The files of A and B end too early")));
	finish(&a, &b);
}

/* Three steps of one gemm each, of which the second is the longest, and begins 2,000 ns after its step, when the call has ended. */
static void a_row_has_the_moment_of_its_longest_event(void **state)
{
	static const int64_t took[] = {1000, 9000, 3000};
	const struct ts_trace_diff_row *r, *part;
	struct ts_trace_diff d;
	int64_t at = 0;
	struct side a, b;

	(void)state;
	training(&b, 3, NEW_TILE, 1000, 0, 0, 0, 0);
	begin(&a);
	for (int i = 0; i < 3; i++) {
		int64_t from = a.at;

		at = i == 1 ? from + 2000 : at;
		launch(&a, MM, TS_TRACE_KERNEL, OLD_TILE, took[i]);
		wait_for_device(&a);
		end_step(&a, i, from);
	}
	d = diff_of(&a, &b);
	r = row(&d, TS_SIDE_KERNELS, "cutlass_80_simt_sgemm_128x32");
	assert_true(r->a.has_longest && !r->b.has_longest);
	assert_int_equal(r->a.longest.ns, 9000);
	assert_int_equal(r->a.longest.at_ns, at);
	part = row(&d, TS_SIDE_PARTS, "gemm");
	assert_int_equal(part->a.longest.ns, 9000);
	assert_int_equal(part->a.longest.at_ns, at);
	r = row(&d, TS_SIDE_OPERATORS, "aten::mm"); /* each takes as long: the first of the two steps that count */
	assert_int_equal(r->a.longest.at_ns, at - 2000);
	assert_true(d.step.a.has_longest && !d.host.a.has_longest);
	finish(&a, &b);
}

static void a_kernel_took_the_place_of_another(void **state)
{
	const struct ts_trace_diff_row *r;
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	training(&a, 6, OLD_TILE, 1000000, 10, 500000, 0, 0);
	training(&b, 6, NEW_TILE, 1080000, 10, 520000, 0, 0);
	d = diff_of(&a, &b);
	assert_true(d.device && d.verdict == TS_TRACE_DIFF_DIFFERS);
	assert_int_equal(d.a.recorded, 6);
	assert_int_equal(d.a.skipped, 1);
	assert_int_equal(d.a.first, 101);
	assert_int_equal(d.a.last, 105);
	/* 5,000 idle, 2,000 for the first call, the kernels one after the other */
	assert_int_equal(d.step.a.ns, 5 * (7000 + 1000000 + 100000 + 500000));
	assert_int_equal(d.step.difference_ns, 100000);
	adds_up(&d);
	r = row(&d, TS_SIDE_KERNELS, "cutlass_80_simt_sgemm_128x32");
	assert_true(r && r->count_differs && r->time_differs && ts_trace_diff_vanished(r));
	assert_true(ts_span_is(r->replaced_by, "volta_sgemm_128x64_nt") && ts_span_is(r->replaced_under, "aten::mm"));
	r = row(&d, TS_SIDE_PARTS, "exposed all_reduce");
	assert_true(r && r->time_differs && r->difference_ns == 20000);
	r = row(&d, TS_SIDE_KERNELS, "void at::native::vectorized_elementwise_kernel<4>");
	assert_true(r && !r->time_differs && !r->count_differs && r->a.least == 10 && r->a.ns == 500000);
	says(&d, "A step takes 100.0 us longer in B (6.2 %): 80.0 us more of gemm (cutlass_80_simt_sgemm_128x32 replaced by "
		 "volta_sgemm_128x64_nt under aten::mm), 20.0 us more exposed all_reduce.");
	finish(&a, &b);
}

static void a_count_is_a_fact(void **state)
{
	const struct ts_trace_diff_row *r;
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	training(&a, 2, OLD_TILE, 1000000, 10, 500000, 1, 0.3);
	training(&b, 2, OLD_TILE, 1000000, 12, 500000, 2, 0.3);
	d = diff_of(&a, &b);
	r = row(&d, TS_SIDE_KERNELS, "void at::native::vectorized_elementwise_kernel<4>");
	assert_true(r && r->count_differs && r->a.most == 10 && r->b.least == 12 && !r->time_differs);
	assert_int_equal(d.verdict, TS_TRACE_DIFF_DIFFERS);
	assert_int_equal(d.a.skipped, 0);
	finish(&a, &b);
	training(&a, 1, OLD_TILE, 1000000, 10, 500000, 1, 0);
	training(&b, 1, OLD_TILE, 1000000, 12, 500000, 2, 0);
	d = diff_of(&a, &b);
	r = row(&d, TS_SIDE_KERNELS, "void at::native::vectorized_elementwise_kernel<4>");
	assert_true(r && r->count_differs && !r->decided);
	assert_int_equal(d.verdict, TS_TRACE_DIFF_DIFFERS);
	r = row(&d, TS_SIDE_CALLS, "cudaLaunchKernel"); /* of one step a count of the host may be chance */
	assert_true(r && !r->count_differs && r->b.most == 14);
	/* The category, the kernel and its operator. The gate, and the diff of runs with steps, show this sentence without tables. */
	assert_true(ts_span_contains(d.sentence, "so no error can be given; of its parts, kernels, operators and calls 3 differ."));
	finish(&a, &b);
}

/* One product or two, and as many elementwise kernels as the data want. */
static void data_dependent(struct side *s, int steps, int products, const int *relus)
{
	begin(s);
	for (int i = 0; i < steps; i++) {
		int64_t from = s->at;

		for (int k = 0; k < products; k++)
			launch(s, MM, TS_TRACE_KERNEL, OLD_TILE, 10000);
		for (int k = 0; k < relus[i]; k++)
			launch(s, ADDMM, TS_TRACE_KERNEL, RELU, 10000);
		wait_for_device(s);
		s->at += 5000;
		end_step(s, i, from);
	}
}

/* 3, 4, 5 and 3 in four steps: of four that are drawn from these, two and two show one count each, and not the same, by a chance of
 * (1/4 + 1/16 + 1/16)^2 - (1/16 + 1/256 + 1/256) = 7 %. In ten steps of 3 to 5 it is 0.04 %. */
static void a_count_of_two_steps_may_be_chance(void **state)
{
	static const int few_a[] = {3, 4}, few_b[] = {5, 3}, a_counts[] = {9, 3, 4, 3, 4, 5}, b_counts[] = {9, 4, 3, 5, 4, 3},
			 alike[] = {4, 4};
	const struct ts_trace_diff_row *r;
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	data_dependent(&a, 2, 1, few_a);
	data_dependent(&b, 2, 2, few_b);
	d = diff_of(&a, &b);
	r = row(&d, TS_SIDE_KERNELS, "cutlass_80_simt_sgemm_128x32");
	assert_true(r && r->a.most == 1 && r->b.least == 2 && !r->count_differs && !r->time_differs);
	finish(&a, &b);
	data_dependent(&a, 2, 1, alike);
	data_dependent(&b, 2, 2, alike);
	d = diff_of(&a, &b);
	assert_true(row(&d, TS_SIDE_KERNELS, "cutlass_80_simt_sgemm_128x32")->count_differs);
	finish(&a, &b);
	data_dependent(&a, 6, 1, a_counts);
	data_dependent(&b, 6, 2, b_counts);
	d = diff_of(&a, &b);
	assert_true(row(&d, TS_SIDE_KERNELS, "cutlass_80_simt_sgemm_128x32")->count_differs);
	finish(&a, &b);
}

/* A kernel whose times are its counts: that is one table of two chances, each of which must be at most half of the level. */
static void counts_and_times_share_the_level(void **state)
{
	static const int a_counts[] = {9, 30, 34, 31, 35, 29, 33, 32, 31}, near[] = {9, 36, 34, 34, 32, 37, 34, 37, 32},
			 far[] = {9, 36, 35, 34, 33, 37, 34, 38, 32};
	const struct ts_trace_diff_row *r;
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	data_dependent(&a, 9, 0, a_counts);
	data_dependent(&b, 9, 0, near);
	d = diff_of(&a, &b);
	r = row(&d, TS_SIDE_KERNELS, "void at::native::vectorized_elementwise_kernel<4>");
	assert_true(r && r->p < 0.05 && r->p > 0.025 && r->p_count < 0.05 && r->p_count > 0.025);
	assert_false(r->time_differs || r->count_differs);
	finish(&a, &b);
	data_dependent(&a, 9, 0, a_counts);
	data_dependent(&b, 9, 0, far);
	d = diff_of(&a, &b);
	r = row(&d, TS_SIDE_KERNELS, "void at::native::vectorized_elementwise_kernel<4>");
	assert_true(r && r->time_differs && r->count_differs);
	finish(&a, &b);
}

static void noise_is_no_difference(void **state)
{
	struct ts_trace_diff d;
	struct side a, b;
	int seen = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		training(&a, 8, OLD_TILE, 1000000, 10, 500000, seed, 0.05);
		training(&b, 8, OLD_TILE, 1000000, 10, 500000, seed + 100, 0.05);
		d = diff_of(&a, &b);
		seen += d.verdict != TS_TRACE_DIFF_SAME;
		adds_up(&d);
		finish(&a, &b);
	}
	assert_true(seen <= 2); /* of 20, 5 %: more has a chance of 8 %, and these seeds have fewer */
}

static void less_than_a_clock_moves_is_none(void **state)
{
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	training(&a, 8, OLD_TILE, 1000000, 10, 500000, 0, 0);
	training(&b, 8, OLD_TILE, 1008000, 10, 500000, 0, 0);
	d = diff_of(&a, &b);
	assert_int_equal(d.verdict, TS_TRACE_DIFF_SAME);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "gemm")->difference_ns, 8000);
	says(&d, "A step takes 1.61 ms in A and 1.62 ms in B, which differ by no more than 1 %, as clocks do from run to run (95 % "
		 "interval of the difference: 0.5 % to 0.5 %).");
	finish(&a, &b);
}

static void one_step_decides_nothing(void **state)
{
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	training(&a, 1, OLD_TILE, 1000000, 10, 500000, 0, 0);
	training(&b, 8, OLD_TILE, 1500000, 10, 500000, 0, 0);
	d = diff_of(&a, &b);
	assert_int_equal(d.verdict, TS_TRACE_DIFF_UNDECIDED);
	assert_false(d.step.decided);
	says(&d, "A step takes 1.60 ms in A and 2.11 ms in B; A has one step, so no error can be given.");
	assert_int_equal(diff_of(&a, &a).verdict, TS_TRACE_DIFF_SAME); /* the same to the nanosecond */
	finish(&a, &b);
}

static void without_steps(void **state)
{
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	begin(&a);
	begin(&b);
	launch(&a, MM, TS_TRACE_KERNEL, OLD_TILE, 3000);
	launch(&b, MM, TS_TRACE_KERNEL, OLD_TILE, 4000);
	launch(&b, MM, TS_TRACE_KERNEL, OLD_TILE, 4000);
	d = diff_of(&a, &b);
	assert_true(d.a.whole && d.verdict == TS_TRACE_DIFF_UNDECIDED && !d.has_host);
	assert_int_equal(d.step.b.ns, 8000);
	assert_false(row(&d, TS_SIDE_KERNELS, "cutlass_80_simt_sgemm_128x32")->count_differs);
	says(&d, "The recording takes 3.00 us in A and 8.00 us in B; the traces have no ProfilerStep, so no error can be given and "
		 "nothing is said by step.");
	finish(&a, &b);
}

/* The host runs ahead and never waits: its steps are short, the device's are not. */
static void the_host_runs_ahead(void **state)
{
	struct ts_trace_diff d;
	struct side sides[2];

	(void)state;
	for (int k = 0; k < 2; k++) {
		begin(&sides[k]);
		for (int i = 0; i < 6; i++) {
			int64_t from = sides[k].at;

			launch(&sides[k], MM, TS_TRACE_KERNEL, OLD_TILE, k ? 220000 : 200000);
			end_step(&sides[k], i, from);
		}
	}
	d = diff_of(&sides[0], &sides[1]);
	assert_int_equal(d.step.a.ns, 5 * 200000);
	assert_int_equal(d.step.b.ns, 5 * 220000);
	assert_true(d.step.time_differs && d.has_host && !d.host.time_differs);
	assert_int_equal(d.host.a.mean_ns, 2000);
	adds_up(&d);
	finish(&sides[0], &sides[1]);
}

/* Idle times by cause: the host asks late, the launch takes long, the call is missing. */
static void idle_by_cause(void **state)
{
	struct ts_trace_diff d;
	struct side sides[2];

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct side *s = &sides[k];

		begin(s);
		for (int i = 0; i < 5; i++) {
			int64_t t = i * 100000;

			made_add(&s->m, TS_TRACE_RUNTIME, LAUNCH, 0, t + 10000, t + 12000, 3 * i + 1);
			made_add(&s->m, TS_TRACE_KERNEL, RELU, 7, t + 15000, t + 20000, 3 * i + 1);
			made_add(&s->m, TS_TRACE_KERNEL, RELU, 7, t + 50000, t + 60000, 3 * i + 2);
			made_add(&s->m, TS_TRACE_RUNTIME, LAUNCH, 0, t + 18000, t + 19000, 3 * i + 3);
			made_add(&s->m, TS_TRACE_COPY, COPY, 8, t + 61000 + k * 20000, t + 90000 + k * 2000, 3 * i + 3);
			made_add(&s->m, TS_TRACE_ANNOTATION, STEPS + (uint32_t)i, 0, t, t + 100000, TS_TRACE_NONE);
		}
	}
	d = diff_of(&sides[0], &sides[1]);
	adds_up(&d);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "elementwise")->a.mean_ns, 15000);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "exposed copies")->a.mean_ns, 29000);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "exposed copies")->b.mean_ns, 11000);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "idle: the host had not asked")->a.mean_ns, 20000);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "idle: the host had not asked")->b.mean_ns, 18000);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "idle: launching")->a.mean_ns, 5000);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "idle: its call is not in the trace")->a.mean_ns, 30000);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "idle: queued")->a.mean_ns, 1000);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "idle: queued")->b.mean_ns, 21000);
	finish(&sides[0], &sides[1]);
}

/* Without devices: self times, of the step's thread first. */
static void event(struct side *s, enum ts_trace_kind kind, enum name name, int32_t stream, int64_t call, int64_t from, int64_t to)
{
	made_add(&s->m, TS_TRACE_RUNTIME, LAUNCH, 0, call, call + 100, ++s->correlation);
	made_add(&s->m, kind, (uint32_t)name, stream, from, to, s->correlation);
}

/* One step from 1,000 to 9,000. What was launched at 800 waits for its launch from 1,000 on, nothing was queued before it. At 4,000,
 * behind a gap of 1,000, begin a kernel that was asked for at 3,700 and one at 2,500: it was queued. A kernel without a duration, asked
 * for at 5,200, ends the gap from 5,000 at 5,600, and the next, asked for at 5,300, was queued from 5,600 to 6,000. */
static void gaps_end_as_those_of_idle_times(void **state)
{
	static const struct {
		const char *part;
		uint64_t ns;
	} parts[] = {{"idle: launching", 500 + 400}, {"idle: queued", 1000 + 400}, {"idle: the host had not asked", 200}};
	struct side a, b;
	struct ts_trace_diff d;

	(void)state;
	begin(&a);
	made_add(&a.m, TS_TRACE_ANNOTATION, STEPS, 0, 1000, 9000, TS_TRACE_NONE);
	event(&a, TS_TRACE_KERNEL, NEW_TILE, 7, 800, 1500, 3000);
	event(&a, TS_TRACE_KERNEL, NEW_TILE, 7, 3700, 4000, 5000);
	event(&a, TS_TRACE_KERNEL, ALL_REDUCE, 8, 2500, 4000, 5000);
	event(&a, TS_TRACE_KERNEL, RELU, 7, 5200, 5600, 5600);
	event(&a, TS_TRACE_KERNEL, NEW_TILE, 7, 5300, 6000, 7000);
	event(&a, TS_TRACE_KERNEL, NEW_TILE, 7, 9000, 9000, 9001);
	begin(&b);
	made_add(&b.m, TS_TRACE_ANNOTATION, STEPS, 0, 1000, 9000, TS_TRACE_NONE);
	event(&b, TS_TRACE_KERNEL, NEW_TILE, 7, 1000, 1500, 9000);
	d = diff_of(&a, &b);
	adds_up(&d);
	assert_int_equal(d.step.a.ns, 6000);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (!row(&d, TS_SIDE_PARTS, parts[i].part) || row(&d, TS_SIDE_PARTS, parts[i].part)->a.ns != parts[i].ns)
			fail_msg("%s", parts[i].part);
	finish(&a, &b);
}

static void on_the_host(void **state)
{
	const struct ts_trace_diff_row *r;
	struct ts_trace_diff d;
	struct side sides[2];

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct side *s = &sides[k];

		begin(s);
		for (int i = 0; i < 5; i++) {
			int64_t t = i * 100000, more = k * 10000;

			made_add(&s->m, TS_TRACE_ANNOTATION, STEPS + (uint32_t)i, 0, t, t + 90000 + more, TS_TRACE_NONE);
			made_add(&s->m, TS_TRACE_PYTHON, FUNCTION, 0, t, t + 80000 + more, TS_TRACE_NONE);
			made_add(&s->m, TS_TRACE_OPERATOR, ADDMM, 0, t + 10000, t + 60000 + more, TS_TRACE_NONE);
			made_add(&s->m, TS_TRACE_OPERATOR, MM, 0, t + 20000, t + 50000 + more, TS_TRACE_NONE);
			made_add(&s->m, TS_TRACE_OPERATOR, MM, 0, t + 55000 + more, t + 75000 + more, TS_TRACE_NONE);
			s->m.trace.rows.spans.thread[s->m.trace.rows.spans.n - 1] = 1;
		}
	}
	d = diff_of(&sides[0], &sides[1]);
	assert_false(d.device || d.has_host);
	assert_int_equal(d.step.a.mean_ns, 90000);
	adds_up(&d);
	r = row(&d, TS_SIDE_PARTS, "aten::mm"); /* 30,000 and, of the other thread, what this one does not hide */
	assert_true(r && r->a.mean_ns == 30000 + 15000 && r->time_differs && r->difference_ns == 10000);
	r = row(&d, TS_SIDE_PARTS, "train.py(12): step");
	assert_int_equal(r->a.mean_ns, 10000 + 5000);
	assert_int_equal(row(&d, TS_SIDE_PARTS, "nothing recorded")->a.mean_ns, 10000);
	assert_int_equal(row(&d, TS_SIDE_OPERATORS, "aten::mm")->a.mean_ns, 50000);
	assert_int_equal(row(&d, TS_SIDE_OPERATORS, "aten::addmm")->b.mean_ns, 20000);
	assert_int_equal(row(&d, TS_SIDE_FUNCTIONS, "train.py(12): step")->a.mean_ns, 30000);
	says(&d, "A step takes 10.0 us longer in B (11.1 %): 10.0 us more in aten::mm.");
	assert_null(table(&d, TS_SIDE_KERNELS));
	finish(&sides[0], &sides[1]);
}

/* The same function of another object, and small times of the host that move from run to run: both are no difference. */
static void what_only_moves_on_the_host(void **state)
{
	const struct ts_trace_diff_row *r;
	struct ts_trace_diff d;
	struct side sides[2];

	(void)state;
	for (int k = 0; k < 2; k++) {
		begin(&sides[k]);
		for (int i = 0; i < 5; i++) {
			int64_t t = i * 10000000;

			made_add(&sides[k].m, TS_TRACE_ANNOTATION, STEPS + (uint32_t)i, 0, t, t + 10000000, TS_TRACE_NONE);
			made_add(&sides[k].m, TS_TRACE_PYTHON, k ? OBJECT_HERE : OBJECT_THERE, 0, t, t + 5000000, TS_TRACE_NONE);
			made_add(&sides[k].m, TS_TRACE_OPERATOR, MM, 0, t, t + 20000 + k * 20000, TS_TRACE_NONE);
			made_add(&sides[k].m, TS_TRACE_OPERATOR, ADDMM, 0, t + 6000000, t + 7000000 + k * 100000, TS_TRACE_NONE);
		}
	}
	d = diff_of(&sides[0], &sides[1]);
	r = row(&d, TS_SIDE_FUNCTIONS, "<built-in method mul_ of Tensor object");
	assert_true(r && r->a.count == 4 && r->b.count == 4 && !r->count_differs && !r->time_differs);
	r = row(&d, TS_SIDE_OPERATORS, "aten::mm"); /* twice as long, but 0.2 % of the step */
	assert_true(r && r->difference_ns == 20000 && !r->time_differs);
	r = row(&d, TS_SIDE_OPERATORS, "aten::addmm"); /* 1 % of the step */
	assert_true(r && r->difference_ns == 100000 && r->time_differs);
	adds_up(&d);
	finish(&sides[0], &sides[1]);
}

/* What the columns may hold, however wild. */
static void hostile(void **state)
{
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	begin(&a);
	begin(&b);
	made_add(&a.m, TS_TRACE_ANNOTATION, STEPS, 0, INT64_MIN + 1, -11, TS_TRACE_NONE);
	made_add(&a.m, TS_TRACE_ANNOTATION, STEPS + 1, 0, -10, INT64_MAX - 10, TS_TRACE_NONE);
	made_add(&a.m, TS_TRACE_ANNOTATION, STEPS + 1, 0, INT64_MAX, INT64_MAX, TS_TRACE_NONE);
	made_add(&a.m, TS_TRACE_KERNEL, RELU, -11, -20, INT64_MAX - 20, -1);
	made_add(&a.m, TS_TRACE_KERNEL, RELU, -11, INT64_MAX, INT64_MAX, -1);
	made_add(&a.m, TS_TRACE_OPERATOR, MM, 0, INT64_MAX - 1, INT64_MAX, TS_TRACE_NONE);
	d = diff_of(&a, &b);
	adds_up(&d);
	assert_false(d.device);
	made_add(&b.m, TS_TRACE_KERNEL, RELU, 0, INT64_MIN + 1, -1, -1);
	d = diff_of(&a, &b);
	adds_up(&d);
	d = diff_of(&b, &a);
	adds_up(&d);
	finish(&a, &b);
	begin(&a);
	begin(&b);
	assert_int_equal(diff_of(&a, &b).verdict, TS_TRACE_DIFF_SAME);
	finish(&a, &b);
}

/* Two steps of many kernels of each side, which get shorter one by one; B has them in the other order. */
static void many_kernels(struct side *s, bool backward)
{
	begin(s);
	for (int i = 0; i < 2; i++) {
		int64_t from = s->at;

		for (int k = 0; k < MANY; k++)
			launch(s, MM, TS_TRACE_KERNEL, STEPS + 40 + (backward ? MANY - 1 - k : k), 100000 - 1000 * k);
		wait_for_device(s);
		end_step(s, i, from);
	}
}

/* What has no room is joined, and what one side joined is on the other, so that nothing seems to be on one side only; all rows
 * together are still the whole. */
static void kernels_without_room_are_joined(void **state)
{
	struct ts_kernel_summary summary;
	const struct ts_trace_diff_table *t;
	uint64_t ns[2] = {0}, joined = 0, named = 0;
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	many_kernels(&a, false);
	many_kernels(&b, true);
	summary = summary_of(&a);
	for (size_t i = 0; i < summary.n_rows; i++) {
		joined += summary.rows[i].joined;
		named += !summary.rows[i].joined;
	}
	assert_true(joined > 5 && named > 10);
	assert_int_equal(joined + named, MANY);
	d = diff_of_summaries(&a, &b);
	t = table(&d, TS_SIDE_KERNELS);
	for (size_t i = 0; i < t->n; i++) {
		assert_false(ts_trace_diff_appeared(&t->rows[i]) || ts_trace_diff_vanished(&t->rows[i]));
		ns[0] += t->rows[i].a.ns;
		ns[1] += t->rows[i].b.ns;
	}
	assert_int_equal(ns[0], 2 * (MANY * 100000 - 1000 * (MANY - 1) * MANY / 2));
	assert_int_equal(ns[1], ns[0]);
	assert_non_null(row(&d, TS_SIDE_KERNELS, "other other kernels"));
	finish(&a, &b);
}

/* A summary tells the median of calls to 1/32, over the steps that are compared. */
static void medians_are_close(void **state)
{
	const struct ts_trace_diff_row *r;
	struct ts_trace_diff d;
	struct side a, b;

	(void)state;
	begin(&a);
	begin(&b);
	for (int i = 0; i < 3; i++) {
		int64_t from[2] = {a.at, b.at};

		for (int k = 0; k < 101; k++) {
			launch(&a, MM, TS_TRACE_KERNEL, RELU, 10000 + 100 * k * k); /* the median is that of k = 50 */
			launch(&b, MM, TS_TRACE_KERNEL, RELU, i ? 7 : 5000000); /* the first step is left out */
		}
		for (int k = 0; k < 3; k++)
			launch(&b, MM, TS_TRACE_KERNEL, OLD_TILE, 1000 + 333 * k); /* three calls of a step are told exactly */
		end_step(&a, i, from[0]);
		end_step(&b, i, from[1]);
	}
	d = diff_of_summaries(&a, &b);
	r = row(&d, TS_SIDE_KERNELS, "void at::native::vectorized_elementwise_kernel<4>");
	assert_true(r->a.has_median && r->b.has_median && r->b.median_ns == 7);
	assert_in_range(r->a.median_ns, 260000 - 260000 / 32, 260000 + 260000 / 32);
	r = row(&d, TS_SIDE_KERNELS, "cutlass_80_simt_sgemm_128x32");
	assert_true(!r->a.has_median && r->b.has_median && r->b.median_ns == 1333);
	finish(&a, &b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_without_room_are_joined),
		cmocka_unit_test(medians_are_close),
		cmocka_unit_test(a_cut_file_decides_nothing),
		cmocka_unit_test(a_row_has_the_moment_of_its_longest_event),
		cmocka_unit_test(a_kernel_took_the_place_of_another),
		cmocka_unit_test(a_count_is_a_fact),
		cmocka_unit_test(a_count_of_two_steps_may_be_chance),
		cmocka_unit_test(counts_and_times_share_the_level),
		cmocka_unit_test(noise_is_no_difference),
		cmocka_unit_test(less_than_a_clock_moves_is_none),
		cmocka_unit_test(one_step_decides_nothing),
		cmocka_unit_test(without_steps),
		cmocka_unit_test(the_host_runs_ahead),
		cmocka_unit_test(idle_by_cause),
		cmocka_unit_test(gaps_end_as_those_of_idle_times),
		cmocka_unit_test(on_the_host),
		cmocka_unit_test(what_only_moves_on_the_host),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, name_all, NULL);
}
