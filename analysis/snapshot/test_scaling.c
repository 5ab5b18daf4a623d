/* What would fit, of trainings whose needs are known from how make.py made them, and of real ones at three lengths. */
#include "analysis/snapshot/scaling.h"
#include "analysis/snapshot/test_snapshot_made.h"
#include "base/file.h"
#include "ingest/snapshot/snapshot_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MIB(n) ((uint64_t)(n) << 20)
#define CORPUS "../shared/corpus/snapshots/wedsonlin__"

struct state {
	struct ts_arena arena;
	struct ts_scaling s;
};

static void begin(struct state *t)
{
	*t = (struct state){.s = {.n = 0}};
	ts_arena_init(&t->arena, 0);
	t->s.points = ts_arena_array(&t->arena, TS_SCALING_MOST, sizeof *t->s.points);
}

static const struct ts_memory_device *load(struct state *t, const char *path)
{
	struct ts_snapshot *snapshot = ts_arena_array(&t->arena, 1, sizeof *snapshot);
	struct ts_memory_answer answer;
	struct ts_error err;

	assert_int_equal(ts_snapshot_load(path, &t->arena, snapshot, &err), TS_OK);
	assert_int_equal(ts_memory_of(snapshot, 0, &t->arena, &answer, &err), TS_OK);
	return ts_memory_main(&answer);
}

static enum ts_status add(struct state *t, double size, const char *path)
{
	struct ts_error err;

	return ts_scaling_add(&t->s, size, load(t, path), &err);
}

static void fit(struct state *t, uint64_t capacity)
{
	struct ts_error err;

	assert_int_equal(ts_scaling_fit(&t->s, capacity, &err), TS_OK);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fabs(b) + 1;
}

/* Forward and backward need 24 MiB and 5 of each sample, the optimizer 36. The allocator of make.py reserves 60 MiB at a batch of 4,
 * 16 more than are requested, and 68 at 8, 4 more. */
static void known_needs(void **state)
{
	struct state t;

	(void)state;
	begin(&t);
	assert_int_equal(add(&t, 4, "tests/golden/snapshot/batch4.pickle"), TS_OK);
	assert_int_equal(add(&t, 2, "tests/golden/snapshot/batch2.pickle"), TS_OK);
	fit(&t, MIB(1024));
	assert_true(t.s.points[0].size == 2 && t.s.points[0].needs[TS_PART_PASSES] == MIB(34));
	assert_true(near(t.s.lines[TS_PART_PASSES].fixed, (double)MIB(24)));
	assert_true(near(t.s.lines[TS_PART_PASSES].per_unit, (double)MIB(5)));
	assert_false(t.s.lines[TS_PART_PASSES].own_error);
	assert_true(near(t.s.lines[TS_PART_OPTIMIZER].fixed, (double)MIB(36)) && t.s.lines[TS_PART_OPTIMIZER].per_unit == 0);
	assert_true(near(t.s.kinds[TS_MEMORY_ACTIVATIONS].per_unit, (double)MIB(4)));
	assert_true(near(t.s.kinds[TS_MEMORY_OPTIMIZER].fixed, (double)MIB(16)));
	assert_true(t.s.most == 200);	/* 24 + 5 x 200 = 1024 */
	assert_true(t.s.likely == 178); /* (24 + 5 x 178) x (1 + 0.1 x (1 - 4 / 178)) + 16 <= 1024 */
	assert_true(t.s.least == 126);	/* (24 + 5 x 126) x (60 / 44 + 0.2 x (1 - 4 / 126)) <= 1024 */
	assert_true(t.s.state_off == 0);
	assert_int_equal(add(&t, 8, "tests/golden/snapshot/batch8.pickle"), TS_OK);
	fit(&t, MIB(1024));
	assert_true(t.s.lines[TS_PART_PASSES].own_error && near(t.s.lines[TS_PART_PASSES].off, 0));
	assert_true(t.s.likely == 181 && t.s.least == 127 && t.s.most == 200);
	fit(&t, MIB(30)); /* the optimizer needs more at any batch */
	assert_true(t.s.most == 0);
	ts_arena_finish(&t.arena);
}

static void refuses_what_cannot_be_fitted(void **state)
{
	struct state t;
	struct ts_error err;

	(void)state;
	begin(&t);
	assert_int_equal(add(&t, 0, "tests/golden/snapshot/batch4.pickle"), TS_INVALID);
	assert_int_equal(add(&t, 4, "tests/golden/snapshot/list.pickle"), TS_INVALID); /* it has no history */
	assert_int_equal(add(&t, 4, "tests/golden/snapshot/batch4.pickle"), TS_OK);
	assert_int_equal(ts_scaling_fit(&t.s, 0, &err), TS_INVALID);
	assert_int_equal(add(&t, 4, "tests/golden/snapshot/batch8.pickle"), TS_OK);
	assert_int_equal(ts_scaling_fit(&t.s, 0, &err), TS_INVALID);
	ts_arena_finish(&t.arena);
	begin(&t); /* nothing grows: no size is too large, and none is said */
	assert_int_equal(add(&t, 4, "tests/golden/snapshot/batch4.pickle"), TS_OK);
	assert_int_equal(add(&t, 8, "tests/golden/snapshot/batch4.pickle"), TS_OK);
	fit(&t, MIB(1024));
	assert_false(t.s.grows);
	ts_arena_finish(&t.arena);
}

/* 10 bytes in use and 7 asked for that were refused: 17 were needed. */
static void counts_what_was_refused(void **state)
{
	struct ts_memory_answer answer;
	struct state t;
	struct ts_error err;

	(void)state;
	begin(&t);
	made_begin();
	made_event(TS_ACTION_ALLOC, 512, 10, "/app/net.py:forward");
	made_event(TS_ACTION_OOM, 3, 7, "/app/net.py:forward");
	made_segment(512, 512);
	made_block(512, 10, TS_BLOCK_ACTIVE, "/app/net.py:forward");
	assert_int_equal(ts_memory_of(made_end(), 0, &t.arena, &answer, &err), TS_OK);
	assert_int_equal(ts_scaling_add(&t.s, 1, &answer.devices[0], &err), TS_OK);
	assert_int_equal(t.s.points[0].needs[TS_PART_PASSES], 17);
	assert_int_equal(t.s.points[0].peak, 10);
	ts_arena_finish(&t.arena);
}

/* 100 MiB of parameters and four layers of n MiB each for a batch of n, whose gradients of 10 MiB come as what was saved goes. */
static void add_turning(struct state *t, uint64_t n, uint32_t maps)
{
	static const char backward[] = "??:torch::autograd::generated::MmBackward0::apply( < ??:torch::autograd::Engine::f";
	static const char step[] = "/x/torch/optim/adam.py:step";
	struct ts_memory_answer answer;
	struct ts_error err;

	made_begin();
	made_event(TS_ACTION_ALLOC, MIB(1000), MIB(100), "/x/torch/nn/modules/module.py:convert");
	for (int k = 0; k < 2; k++) {
		for (uint64_t layer = 1; layer <= 4; layer++) {
			for (uint32_t i = 0; k == 0 && i < maps; i++) /* only the first time */
				made_event(TS_ACTION_SEGMENT_ALLOC, MIB(8000) + MIB(20) * i, MIB(20), "/app/net.py:forward");
			made_event(TS_ACTION_ALLOC, MIB(2000) * layer, MIB(n), "/app/net.py:forward");
		}
		for (uint64_t layer = 4; layer >= 1; layer--) {
			made_event(TS_ACTION_ALLOC, MIB(2000) * layer + MIB(1000), MIB(10), backward);
			made_free(MIB(2000) * layer, MIB(n), backward);
		}
		made_event(TS_ACTION_ALLOC, MIB(900), MIB(1), step);
		made_free(MIB(900), MIB(1), step);
		for (uint64_t layer = 1; layer <= 4; layer++)
			made_free(MIB(2000) * layer + MIB(1000), MIB(10), step);
	}
	made_segment(MIB(1000), MIB(100));
	made_block(MIB(100), MIB(100), TS_BLOCK_ACTIVE, "/x/torch/nn/modules/module.py:convert");
	assert_int_equal(ts_memory_of(made_end(), 0, &t->arena, &answer, &err), TS_OK);
	assert_int_equal(ts_scaling_add(&t->s, (double)n, &answer.devices[0], &err), TS_OK);
}

/* At batches of 1 and 2 the end of backward needs most, 140 MiB and 1 of each sample; from 11 on its begin, 110 and 4. */
static void the_moment_that_needs_most_moves(void **state)
{
	struct state t;

	(void)state;
	begin(&t);
	add_turning(&t, 1, 1);
	add_turning(&t, 2, 7); /* how often the allocator asks the device moves no moment */
	fit(&t, MIB(110) + MIB(4) * 100);
	assert_true(near(t.s.lines[TS_PART_PASSES].per_unit, (double)MIB(1)));
	print_message("%.0f to %.0f, likely %.0f; truly 100\n", t.s.least, t.s.most, t.s.likely);
	assert_true(t.s.most == 100);
	assert_true(t.s.moves);
	assert_int_equal(t.s.decides, TS_SCALING_PIECES); /* the first of backward */
	assert_true(near(t.s.kinds[TS_MEMORY_ACTIVATIONS].per_unit, (double)MIB(4))); /* at one moment, and not where each needs most */
	assert_true(near(t.s.kinds[TS_MEMORY_GRADIENTS].fixed, (double)MIB(10)));
	assert_true(near(t.s.deciding.fixed, (double)MIB(110)) && near(t.s.deciding.per_unit, (double)MIB(4)));
	ts_arena_finish(&t.arena);
}

/* At lengths of 2 and 8 the end of backward needs most, 142 and 148 MiB, at 30 its begin, 230 MiB: a square through these says that 61
 * fit in what 100 need. */
static void the_moment_moves_with_the_length(void **state)
{
	struct state t;

	(void)state;
	begin(&t);
	t.s.lengths = true;
	add_turning(&t, 2, 1);
	add_turning(&t, 8, 2);
	add_turning(&t, 30, 3);
	fit(&t, MIB(110) + MIB(4) * 100);
	assert_true(t.s.lines[TS_PART_PASSES].per_square > 0);
	print_message("%.0f to %.0f, likely %.0f; truly 100\n", t.s.least, t.s.most, t.s.likely);
	assert_true(t.s.most == 100);
	assert_int_equal(t.s.decides, TS_SCALING_PIECES); /* the first of backward */
	assert_true(near(t.s.deciding.fixed, (double)MIB(110)) && near(t.s.deciding.per_unit, (double)MIB(4)));
	ts_arena_finish(&t.arena);
}

/* A training at lengths 128 and 512 says between which lengths one lies that needs what the same training at 1,024 reserved; three
 * lengths of an inference have attention's square, and their line is off by less than 3 %. */
static void real_lengths(void **state)
{
	struct state t;
	const struct ts_memory_device *longest;

	(void)state;
	if (ts_file_kind("../shared/corpus/snapshots") != TS_FILE_DIRECTORY) {
		print_message("skipped: no ../shared/corpus here\n");
		return;
	}
	begin(&t);
	t.s.lengths = true;
	longest = load(&t, CORPUS "83e7cb__results__medium_1024_training_memory_snapshot.pickle");
	assert_int_equal(add(&t, 128, CORPUS "0db7d8__results__medium_128_training_memory_snapshot.pickle"), TS_OK);
	assert_int_equal(add(&t, 512, CORPUS "61dcd1__results__medium_512_training_memory_snapshot.pickle"), TS_OK);
	fit(&t, longest->replay->reserved_peak);
	print_message("by 128 and 512: %.0f to %.0f, likely %.0f; truly 1024\n", t.s.least, t.s.most, t.s.likely);
	assert_true(t.s.least <= 1024 && 1024 <= t.s.most);
	ts_arena_finish(&t.arena);
	begin(&t);
	t.s.lengths = true;
	assert_int_equal(add(&t, 256, CORPUS "e0143d__results__medium_256_inference_memory_snapshot.pickle"), TS_OK);
	assert_int_equal(add(&t, 512, CORPUS "2afd8b__results__medium_512_inference_memory_snapshot.pickle"), TS_OK);
	assert_int_equal(add(&t, 1024, CORPUS "1cfc21__results__medium_1024_inference_memory_snapshot.pickle"), TS_OK);
	fit(&t, MIB(4096));
	assert_true(t.s.lines[TS_PART_PASSES].per_square > 0);
	assert_true(t.s.lines[TS_PART_PASSES].off < 0.03 * (double)t.s.points[0].peak);
	ts_arena_finish(&t.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_needs),
		cmocka_unit_test(refuses_what_cannot_be_fitted),
		cmocka_unit_test(counts_what_was_refused),
		cmocka_unit_test(the_moment_that_needs_most_moves),
		cmocka_unit_test(the_moment_moves_with_the_length),
		cmocka_unit_test(real_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
