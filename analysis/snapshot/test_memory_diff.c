/* memory_diff.h: two snapshots whose difference was chosen first. */
#include "analysis/snapshot/memory_diff.h"

#include "analysis/snapshot/test_snapshot_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define SILU "net.py:silu < train.py:step"
#define LOSS "loss.py:loss < train.py:step"
#define NORM "net.py:norm < train.py:step"
#define MASK "net.py:mask < train.py:step"

enum { SEGMENT = 1 << 24, ONE = 0x1000000, TWO = 0x2000000, THREE = 0x3000000, FOUR = 0x4000000 };

static struct ts_arena arena;

static int begin(void **state)
{
	(void)state;
	ts_arena_init(&arena, 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static void *copy(const void *from, size_t n, size_t size)
{
	void *to = ts_arena_dup(&arena, from, n * size + !n);

	assert_non_null(to);
	return to;
}

/* The snapshot that is made, kept beyond the next one, its frames at these lines and the next. */
static const struct ts_snapshot *kept(int32_t line)
{
	const struct ts_snapshot *s = made_end();
	struct ts_snapshot *to = copy(s, 1, sizeof *s);
	struct ts_snapshot_frame *frames = copy(s->frames, s->n_frames, sizeof *frames);

	for (size_t i = 0; i < s->n_frames; i++)
		frames[i].line = line;
	to->frames = frames;
	to->texts = copy(s->texts, s->n_texts, sizeof *s->texts);
	to->stacks = copy(s->stacks, s->n_stacks, sizeof *s->stacks);
	to->stack_frames = copy(s->stack_frames, s->n_stack_frames, sizeof *s->stack_frames);
	to->segments = copy(s->segments, s->n_segments, sizeof *s->segments);
	to->blocks = copy(s->blocks, s->n_blocks, sizeof *s->blocks);
	to->events = copy(s->events, s->n_events, sizeof *s->events);
	to->devices = copy(s->devices, s->n_devices, sizeof *s->devices);
	return to;
}

/* Before recording 1,000,000 bytes; then `silu` for good, and for a while 2,000,000 by `loss` and `more` by `who`. */
static void make(uint64_t silu, const char *who, uint64_t more)
{
	made_begin();
	made_segment(ONE, SEGMENT);
	made_block(1 << 20, 1000000, TS_BLOCK_ACTIVE, NULL);
	made_block(SEGMENT - (1 << 20), 0, TS_BLOCK_INACTIVE, NULL);
	made_segment(TWO, SEGMENT);
	made_block(8 << 20, silu, TS_BLOCK_ACTIVE, SILU);
	made_block(8 << 20, 0, TS_BLOCK_INACTIVE, NULL);
	made_event(TS_ACTION_ALLOC, TWO, silu, SILU);
	made_event(TS_ACTION_ALLOC, THREE, 2000000, LOSS);
	made_event(TS_ACTION_ALLOC, FOUR, more, who);
	made_free(FOUR, more, who);
	made_free(THREE, 2000000, LOSS);
}

static const struct ts_memory_diff_row *row(const struct ts_memory_diff_moment *m, const char *function)
{
	for (size_t i = 0; i < m->n; i++)
		if (ts_span_is(m->rows[i].function, function))
			return &m->rows[i];
	return NULL;
}

static void adds_up(const struct ts_memory_diff_moment *m)
{
	int64_t rows = 0, kinds = 0;
	uint64_t a = 0, b = 0;

	for (size_t i = 0; i < m->n; i++) {
		rows += m->rows[i].difference;
		a += m->rows[i].a.bytes;
		b += m->rows[i].b.bytes;
	}
	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		kinds += m->kinds[i].difference;
	assert_int_equal(rows, m->difference);
	assert_int_equal(kinds, m->difference);
	assert_int_equal(a, m->a);
	assert_int_equal(b, m->b);
}

static struct ts_memory_diff diff_of(const struct ts_snapshot *a, const struct ts_snapshot *b)
{
	struct ts_memory_diff d;
	struct ts_error err;

	assert_int_equal(ts_memory_diff(a, b, &arena, &d, &err), TS_OK);
	for (size_t i = 0; i < d.n; i++) {
		adds_up(&d.devices[i].peak);
		adds_up(&d.devices[i].end);
	}
	return d;
}

static void grown_new_and_gone(void **state)
{
	const struct ts_memory_diff_row *r;
	const struct ts_snapshot *a, *b;
	struct ts_memory_diff d;

	(void)state;
	make(3000000, NORM, 70000);
	a = kept(7);
	make(6000000, MASK, 400000);
	b = kept(7);
	d = diff_of(a, b);
	assert_false(d.same);
	assert_int_equal(d.n, 1);
	assert_true(d.devices[0].peak.known);
	assert_int_equal(d.devices[0].peak.a, 6070000);
	assert_int_equal(d.devices[0].peak.b, 9400000);
	assert_int_equal(d.devices[0].end.difference, 3000000);
	assert_int_equal(d.devices[0].peak.n_differ, 3);
	r = &d.devices[0].peak.rows[0];
	assert_true(ts_span_is(r->function, "silu") && r->match == TS_MATCH_STACK && r->difference == 3000000 && r->scales);
	assert_true(r->ratio == 2.0 && r->b.line == 7);
	assert_true(ts_span_is(r->calls, "silu (net.py:7) < step (train.py:7)"));
	r = row(&d.devices[0].peak, "mask");
	assert_true(r->match == TS_MATCH_ONLY_B && r->difference == 400000 && !r->scales);
	r = row(&d.devices[0].peak, "norm");
	assert_true(r->match == TS_MATCH_ONLY_A && r->difference == -70000 && r->a.line == 7);
	r = row(&d.devices[0].peak, "loss");
	assert_true(r->match == TS_MATCH_STACK && r->difference == 0 && r->scales && r->ratio == 1.0);
	r = row(&d.devices[0].peak, "");
	assert_true(r->a.bytes == 1000000 && r->b.bytes == 1000000 && !r->calls.len);
	assert_true(ts_span_starts(
		d.devices[0].sentence,
		ts_span_str("The peak grew by 3.18 MiB, from 5.79 MiB to 8.96 MiB: 2.86 MiB more from silu (net.py:7)")));
	assert_true(ts_span_ends(d.devices[0].sentence, ", and 68.4 KiB less from all others."));
}

static void lines_that_moved(void **state)
{
	const struct ts_memory_diff_row *r;
	const struct ts_snapshot *a, *b;
	struct ts_memory_diff d;

	(void)state;
	make(3000000, NORM, 70000);
	a = kept(7);
	make(3000000, NORM, 80000);
	b = kept(9);
	d = diff_of(a, b);
	assert_int_equal(d.devices[0].peak.n, 4);
	r = row(&d.devices[0].peak, "norm");
	assert_true(r->match == TS_MATCH_LINES && r->difference == 10000 && r->a.line == 7 && r->b.line == 9);
	assert_true(ts_span_ends(d.devices[0].sentence, "MiB: 9.77 KiB more from norm (net.py:9)."));
}

/* A model in DDP has other frames around those of its modules. Where wrappers allocate for themselves, their frames count. */
static void modules_that_were_wrapped(void **state)
{
#define TORCH "/v/site-packages/torch/"
	static const char plain[] = "net.py:mlp < " TORCH "nn/modules/module.py:_call_impl < train.py:step",
			  wrapped[] = "net.py:mlp < " TORCH "nn/modules/module.py:_call_impl < " TORCH
				      "nn/parallel/distributed.py:forward < " TORCH "nn/modules/module.py:_call_impl < train.py:step",
			  own[] = TORCH "nn/parallel/distributed.py:forward < net.py:mlp < train.py:step";
	const struct ts_memory_diff_row *r;
	struct ts_memory_diff d;
	const struct ts_snapshot *a;

	(void)state;
	make(3000000, plain, 70000);
	a = kept(7);
	make(3000000, wrapped, 90000);
	d = diff_of(a, kept(7));
	r = row(&d.devices[0].peak, "mlp");
	assert_true(r->match == TS_MATCH_LINES && r->difference == 20000);
	make(3000000, own, 90000);
	d = diff_of(a, kept(7));
	for (size_t i = 0; i < d.devices[0].peak.n; i++)
		assert_int_not_equal(d.devices[0].peak.rows[i].match, TS_MATCH_LINES);
}

/* Another length makes Inductor write other files, and Dynamo other numbers; code of the program that differs stays apart. */
static void compiled_for_another_shape(void **state)
{
#define OUTER " < " TORCH "_dynamo/eval_frame.py:compile_wrapper < train.py:step"
	static const char short_one[] = "/tmp/torchinductor_me/ab/cab3xyz.py:call < <eval_with_key>.11:forward < "
					"net.py:torch_dynamo_resume_in_mlp_at_31" OUTER,
			  long_one[] = "/tmp/torchinductor_me/q7/cq7w2kd.py:call < <eval_with_key>.245:forward < "
				       "net.py:torch_dynamo_resume_in_mlp_at_34" OUTER,
			  other[] = "/tmp/torchinductor_me/q7/cq7w2kd.py:call < <eval_with_key>.245:forward < "
				    "net.py:torch_dynamo_resume_in_attention_at_34" OUTER;
	size_t matched = 0;
	const struct ts_snapshot *a;
	struct ts_memory_diff d;

	(void)state;
	make(3000000, short_one, 70000);
	a = kept(7);
	make(3000000, long_one, 140000);
	d = diff_of(a, kept(9));
	for (size_t i = 0; i < d.devices[0].peak.n; i++)
		if (d.devices[0].peak.rows[i].difference == 70000 && d.devices[0].peak.rows[i].match == TS_MATCH_LINES)
			matched++;
	assert_int_equal(matched, 1);
	make(3000000, other, 140000);
	d = diff_of(a, kept(9));
	for (size_t i = 0; i < d.devices[0].peak.n; i++)
		assert_int_not_equal(d.devices[0].peak.rows[i].difference, 70000);
}

static void the_same(void **state)
{
	const struct ts_snapshot *a;
	struct ts_memory_diff d;

	(void)state;
	make(3000000, NORM, 70000);
	a = kept(7);
	d = diff_of(a, a);
	assert_true(d.same && d.devices[0].peak.n_differ == 0);
	assert_true(ts_span_is(d.devices[0].sentence, "The peak is the same to the byte, 5.79 MiB."));
}

static void without_history(void **state)
{
	const struct ts_snapshot *a, *b;
	struct ts_memory_diff d;

	(void)state;
	make(3000000, NORM, 70000);
	a = kept(7);
	made_begin();
	made_segment(ONE, SEGMENT);
	made_block(SEGMENT, 9000000, TS_BLOCK_ACTIVE, MASK);
	b = kept(7);
	d = diff_of(a, b);
	assert_false(d.devices[0].peak.known);
	assert_true(d.devices[0].gauges[0].known_a && !d.devices[0].gauges[0].known_b);
	assert_int_equal(d.devices[0].end.difference, 5000000);
	assert_true(ts_span_starts(d.devices[0].sentence, ts_span_str("What is held at the end grew by ")));
}

/* What two stacks hold at the peak, each 3,000,000 bytes, beside a snapshot where neither is. */
static struct ts_memory_diff grown(const char *const stacks[2])
{
	const struct ts_snapshot *a;

	made_begin();
	made_segment(ONE, SEGMENT);
	made_block(SEGMENT, 0, TS_BLOCK_INACTIVE, NULL);
	made_event(TS_ACTION_ALLOC, FOUR, 512, NORM);
	made_free(FOUR, 512, NORM);
	a = kept(7);
	made_begin();
	made_segment(ONE, SEGMENT);
	made_block(SEGMENT, 0, TS_BLOCK_INACTIVE, NULL);
	for (int i = 0; i < 2; i++)
		made_event(TS_ACTION_ALLOC, ONE + (uint64_t)i * (4 << 20), 3000000, stacks[i]);
	for (int i = 0; i < 2; i++)
		made_free(ONE + (uint64_t)i * (4 << 20), 3000000, stacks[i]);
	return diff_of(a, kept(7));
}

/* Two stacks of one function and line differ in who called it, three frames out: the sentence says that call of each, and it alone. */
static void one_source_of_two_callers(void **state)
{
	static const char *const stacks[] = {"nn.py:linear < nn.py:call < net.py:up < net.py:mlp < train.py:step",
					     "nn.py:linear < nn.py:call < net.py:down < net.py:mlp < train.py:step"};
	struct ts_memory_diff d;

	(void)state;
	d = grown(stacks);
	assert_true(ts_span_contains(d.devices[0].sentence, "linear (nn.py:7) called by up (net.py:7)"));
	assert_true(ts_span_contains(d.devices[0].sentence, "linear (nn.py:7) called by down (net.py:7)"));
	for (size_t i = 0; i < d.devices[0].peak.n; i++)
		assert_int_equal(ts_memory_diff_apart(&d.devices[0].peak, i).call.len > 0,
				 ts_span_is(d.devices[0].peak.rows[i].function, "linear"));
}

/* torch's own calls below the source are what it went through. */
static void one_source_through_two_calls(void **state)
{
	static const char *const stacks[] = {"/v/site-packages/torch/optim/adamw.py:init < train.py:step",
					     "/v/site-packages/torch/nn/modules/module.py:convert < train.py:step"};
	struct ts_memory_diff d;

	(void)state;
	d = grown(stacks);
	assert_true(
		ts_span_contains(d.devices[0].sentence, "step (train.py:7) through init (/v/site-packages/torch/optim/adamw.py:7)"));
	assert_true(ts_span_contains(d.devices[0].sentence,
				     "step (train.py:7) through convert (/v/site-packages/torch/nn/modules/module.py:7)"));
}

/* The same where Python calls are the same and the operators are not. */
static void one_source_of_two_operators(void **state)
{
	static const char *const stacks[] = {"??:at::_ops::bmm::call() < ??:at::_ops::einsum::call() < nn.py:linear < train.py:step",
					     "??:at::_ops::empty_strided::call() < ??:at::_ops::_to_copy::call() < "
					     "??:at::_ops::einsum::call() < nn.py:linear < train.py:step"};
	struct ts_memory_diff d;

	(void)state;
	d = grown(stacks);
	assert_true(ts_span_contains(d.devices[0].sentence, "linear (nn.py:7) by at::bmm"));
	assert_true(ts_span_contains(d.devices[0].sentence, "linear (nn.py:7) by at::_to_copy"));
	assert_false(ts_span_contains(d.devices[0].sentence, "called by"));
}

/* A file that ends too early is compared, but never the same, and what it may lack is said before anything else. */
static void what_a_cut_file_lacks(void **state)
{
	const struct ts_snapshot *a;
	struct ts_snapshot *cut;
	struct ts_memory_diff d;

	(void)state;
	make(3000000, NORM, 70000);
	a = kept(7);
	cut = copy(a, 1, sizeof *a);
	cut->traced = true;
	assert_true(diff_of(a, cut).same && !diff_of(a, cut).lacking.len);
	cut->cut = true;
	d = diff_of(a, cut);
	assert_true(!d.same && ts_span_starts(d.lacking, ts_span_str("The file of B ends too early:")));
	cut->n_cut_events = 12;
	assert_true(ts_span_contains(diff_of(cut, a).lacking, "The file of A ends too early, within its history"));
	assert_true(ts_span_contains(diff_of(cut, a).lacking, "(12 of them stand before the end)"));
	cut->traced = false;
	assert_true(ts_span_contains(diff_of(cut, cut).lacking, "history is. The file of B ends"));
	cut->damaged = true;
	assert_true(ts_span_contains(diff_of(cut, a).lacking, "any of its numbers may be wrong"));
}

/* What a block is for goes by what happened to it: one side's kinds would differ from none of the other's. */
static void kinds_of_one_side_are_not_compared(void **state)
{
	const struct ts_snapshot *a;
	struct ts_snapshot *bare;
	struct ts_memory_diff d;

	(void)state;
	make(3000000, NORM, 70000);
	a = kept(7);
	bare = copy(a, 1, sizeof *a);
	bare->n_events = 0;
	bare->devices = copy(a->devices, a->n_devices, sizeof *a->devices);
	((struct ts_snapshot_device *)(uintptr_t)bare->devices)[0].n_events = 0;
	d = diff_of(a, bare);
	assert_false(d.devices[0].peak.known);
	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		assert_true(i == TS_MEMORY_UNKNOWN ? d.devices[0].end.kinds[i].a == d.devices[0].end.a
						   : !d.devices[0].end.kinds[i].a && !d.devices[0].end.kinds[i].b);
}

static void no_device_in_common(void **state)
{
	const struct ts_snapshot *a, *b;
	struct ts_memory_diff d;

	(void)state;
	make(3000000, NORM, 70000);
	a = kept(7);
	made_begin();
	b = kept(7);
	d = diff_of(a, b);
	assert_true(!d.n && d.only_a == 1 && !d.only_b && !d.same);
	d = diff_of(b, a);
	assert_true(!d.n && d.only_b == 1);
	assert_true(diff_of(b, b).same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(grown_new_and_gone, begin, end),
		cmocka_unit_test_setup_teardown(lines_that_moved, begin, end),
		cmocka_unit_test_setup_teardown(modules_that_were_wrapped, begin, end),
		cmocka_unit_test_setup_teardown(compiled_for_another_shape, begin, end),
		cmocka_unit_test_setup_teardown(the_same, begin, end),
		cmocka_unit_test_setup_teardown(without_history, begin, end),
		cmocka_unit_test_setup_teardown(one_source_of_two_callers, begin, end),
		cmocka_unit_test_setup_teardown(one_source_through_two_calls, begin, end),
		cmocka_unit_test_setup_teardown(one_source_of_two_operators, begin, end),
		cmocka_unit_test_setup_teardown(what_a_cut_file_lacks, begin, end),
		cmocka_unit_test_setup_teardown(kinds_of_one_side_are_not_compared, begin, end),
		cmocka_unit_test_setup_teardown(no_device_in_common, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
