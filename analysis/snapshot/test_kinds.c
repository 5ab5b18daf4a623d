/* Sources, phases and kinds by hand: one life a rule of docs/memory.md, and what must not be said. */
#include "analysis/snapshot/holders.h"
#include "analysis/snapshot/test_snapshot_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define CALL "/v/site-packages/torch/nn/modules/module.py:_call_impl"
#define FORWARD "/app/net.py:forward < " CALL " < /app/train.py:step"
#define BACKWARD "??:torch::autograd::generated::MmBackward0::apply(x) < ??:torch::autograd::Engine::thread_main()"
#define ACCUMULATE "??:torch::autograd::AccumulateGrad::apply() < ??:torch::autograd::Engine::thread_main()"
#define RELEASE "??:torch::autograd::SavedVariable::reset_data() < ??:torch::autograd::Engine::thread_main()"
#define STEP "/app/sgd.py:step < /v/site-packages/torch/optim/optimizer.py:wrapper < /app/train.py:step"
#define ZERO "/v/site-packages/torch/optim/optimizer.py:zero_grad < /app/train.py:step"
#define MOVE                                                                                                                           \
	"/v/site-packages/torch/nn/modules/module.py:convert < /v/site-packages/torch/nn/modules/module.py:_apply < "                  \
	"/app/train.py:main"
#define AGAIN                                                                                                                          \
	"/app/net.py:forward < " CALL " < /v/site-packages/torch/utils/checkpoint.py:recompute_fn < ??:torch::autograd::Engine::x()"

static struct ts_arena arena;
static struct ts_replay replay;
static struct ts_memory memory;

static void look(void)
{
	struct ts_error err;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_replay_device(made_end(), 0, &arena, &replay, &err), TS_OK);
	memory = (struct ts_memory){.replay = &replay, .origins = ts_origins(replay.snapshot, &arena)};
	assert_non_null(memory.origins);
	memory.kinds = ts_kinds_of(&replay, memory.origins, &arena);
	assert_non_null(memory.kinds);
}

static void expect_kind(uint64_t address, const char *kind)
{
	for (uint32_t i = 0; i < replay.n_lives; i++)
		if (replay.lives[i].address == address) {
			assert_string_equal(ts_memory_kind_word((enum ts_memory_kind)memory.kinds[i]), kind);
			return;
		}
	fail_msg("no life at %d", (int)address);
}

static void free_as(uint64_t address, uint32_t allocated)
{
	made_same_stack(made_event(TS_ACTION_FREE_REQUESTED, address, 5, NULL), allocated);
	made_same_stack(made_event(TS_ACTION_FREE_COMPLETED, address, 5, NULL), allocated);
}

static void one_step_of_a_training(void **state)
{
	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 1, 100, MOVE);
	made_event(TS_ACTION_ALLOC, 10, 5, FORWARD); /* saved for backward */
	made_event(TS_ACTION_ALLOC, 11, 5, FORWARD);
	made_free(11, 5, FORWARD);		     /* gone within forward */
	made_event(TS_ACTION_ALLOC, 12, 5, FORWARD); /* the loss: it is held by the program, not by autograd */
	made_event(TS_ACTION_ALLOC, 20, 5, BACKWARD);
	made_event(TS_ACTION_ALLOC, 30, 5, AGAIN);
	made_free(30, 5, BACKWARD);
	made_free(10, 5, RELEASE);
	made_event(TS_ACTION_ALLOC, 21, 5, ACCUMULATE);
	made_event(TS_ACTION_ALLOC, 22, 5, BACKWARD); /* AccumulateGrad takes it as it is */
	made_free(20, 5, BACKWARD);
	made_event(TS_ACTION_ALLOC, 40, 5, STEP);
	made_event(TS_ACTION_ALLOC, 41, 5, STEP);
	made_free(41, 5, STEP);
	made_free(22, 5, ZERO);
	made_free(50, 5, ZERO);	   /* of before recording */
	made_free(51, 5, RELEASE); /* the same */
	made_free(52, 5, FORWARD); /* the same, and nothing says what it was */
	look();
	expect_kind(1, "parameters");
	expect_kind(10, "activations");
	expect_kind(11, "temporary");
	expect_kind(12, "kept by forward");
	expect_kind(20, "temporary");
	expect_kind(21, "gradients");
	expect_kind(22, "gradients");
	expect_kind(30, "recomputation");
	expect_kind(40, "optimizer state");
	expect_kind(41, "temporary");
	expect_kind(50, "gradients");
	expect_kind(51, "activations");
	expect_kind(52, "before recording");
	ts_arena_finish(&arena);
}

/* A snapshot from the midst of a phase: what is still there may go before the phase ends. */
static void says_nothing_before_a_phase_has_ended(void **state)
{
	uint32_t at[2];

	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 1, 5, FORWARD);
	made_event(TS_ACTION_ALLOC, 2, 5, STEP);
	look();
	expect_kind(1, "unknown");
	expect_kind(2, "unknown");
	ts_arena_finish(&arena);
	made_mark("END", "Optimizer.step#SGD.step"); /* the profiler saw the end of it */
	look();
	expect_kind(2, "optimizer state");
	ts_arena_finish(&arena);
	made_begin();
	made_event(TS_ACTION_ALLOC, 1, 5, BACKWARD);
	made_mark("END", "Optimizer.step#SGD.step");
	look();
	expect_kind(1, "unknown");
	ts_arena_finish(&arena);
	made_begin(); /* state that an earlier part of the same step made, of which there are no events */
	made_event(TS_ACTION_ALLOC, 1, 5, STEP);
	made_segment(100, 10);
	made_block(10, 10, TS_BLOCK_ACTIVE, STEP);
	look();
	expect_kind(100, "before recording");
	ts_arena_finish(&arena);
	made_mark("END", "Optimizer.step#SGD.step");
	look();
	expect_kind(100, "optimizer state");
	ts_arena_finish(&arena);
	made_begin(); /* a step before it says what a stack's memory is for, if that was always the same */
	at[0] = made_event(TS_ACTION_ALLOC, 1, 5, FORWARD);
	at[1] = made_event(TS_ACTION_ALLOC, 2, 5, "/app/net.py:softmax < " FORWARD);
	made_same_stack(made_event(TS_ACTION_ALLOC, 3, 5, NULL), at[1]);
	made_free(3, 5, FORWARD);
	made_free(1, 5, RELEASE);
	made_free(2, 5, RELEASE);
	made_same_stack(made_event(TS_ACTION_ALLOC, 11, 5, NULL), at[0]);
	made_same_stack(made_event(TS_ACTION_ALLOC, 12, 5, NULL), at[1]);
	look();
	expect_kind(2, "activations");
	expect_kind(3, "temporary");
	expect_kind(11, "activations");
	expect_kind(12, "unknown");
	ts_arena_finish(&arena);
}

/* Frees have the stack of their allocation, as with context="alloc": that of 10 lies within backward and is no part of it, and who
 * freed 11 and 21 is not known. */
static void lent_stacks_say_nothing_of_a_free(void **state)
{
	uint32_t at[5];

	(void)state;
	made_begin();
	at[0] = made_event(TS_ACTION_ALLOC, 10, 5, FORWARD);
	at[1] = made_event(TS_ACTION_ALLOC, 11, 5, FORWARD);
	free_as(11, at[1]);
	at[2] = made_event(TS_ACTION_ALLOC, 20, 5, BACKWARD);
	free_as(10, at[0]);
	free_as(20, at[2]);
	at[3] = made_event(TS_ACTION_ALLOC, 21, 5, BACKWARD);
	free_as(21, at[3]);
	at[4] = made_event(TS_ACTION_ALLOC, 22, 5, BACKWARD);
	made_event(TS_ACTION_ALLOC, 40, 5, STEP);
	free_as(22, at[4]);
	look();
	expect_kind(10, "unknown");
	expect_kind(11, "unknown");
	expect_kind(20, "unknown"); /* and not gradients: no other phase lies within its life */
	expect_kind(21, "unknown");
	expect_kind(22, "gradients");
	ts_arena_finish(&arena);
	made_free(40, 5, STEP); /* one free with a stack of its own: all of them have theirs */
	look();
	expect_kind(11, "temporary");
	ts_arena_finish(&arena);
}

#define CAST "/v/site-packages/torch/functional.py:einsum < " FORWARD
#define UNCAST                                                                                                                         \
	"??:at::autocast::clear_cache() < /v/site-packages/torch/amp/autocast_mode.py:__exit__ < /app/train.py:step"

/* A recording of forward alone, as of inference or of a measured forward. */
static void forward_without_a_backward(void **state)
{
	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 10, 5, FORWARD); /* a cache of keys, which stays */
	made_event(TS_ACTION_ALLOC, 11, 5, FORWARD);
	made_free(11, 5, FORWARD);
	made_event(TS_ACTION_ALLOC, 12, 5, CAST);
	made_event(TS_ACTION_ALLOC, 13, 5, FORWARD); /* an output, which the program lets go of */
	made_free(12, 5, UNCAST);
	made_free(13, 5, "/app/train.py:step");
	made_free(50, 5, "/app/train.py:step"); /* of before recording */
	look();
	expect_kind(10, "kept by forward");
	expect_kind(11, "temporary");
	expect_kind(12, "autocast copies");
	expect_kind(13, "kept by forward");
	expect_kind(50, "before recording");
	ts_arena_finish(&arena);
	made_event(TS_ACTION_ALLOC, 20, 5, BACKWARD); /* what is still there may go in it: no stack tells it from a cache */
	made_event(TS_ACTION_ALLOC, 14, 5, FORWARD); /* a forward that has not ended may still free it */
	look();
	expect_kind(10, "kept by forward");
	expect_kind(12, "autocast copies");
	expect_kind(13, "kept by forward");
	expect_kind(14, "unknown");
	ts_arena_finish(&arena);
}

#define MADE "/app/net.py:__init__ < /app/model.py:__init__ < /app/train.py:main"
#define FORKED "/lib/python3.11/multiprocessing/popen_fork.py:__init__ < /app/train.py:main"
#define WORKSPACE "??:at::cuda::getNewWorkspace() < ??:at::native::addmm < " FORWARD

/* What stays of setup, also where all of it is freed at the end of the program. */
static void setup_and_workspaces(void **state)
{
	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 1, 5, MOVE);
	made_event(TS_ACTION_ALLOC, 2, 5, MOVE);
	made_free(2, 5, MOVE); /* a copy on the way */
	made_event(TS_ACTION_ALLOC, 3, 5, MADE);
	made_event(TS_ACTION_ALLOC, 4, 5, MADE);
	made_free(4, 5, MADE);
	made_event(TS_ACTION_ALLOC, 5, 5, MADE);
	made_free(5, 5, "/app/train.py:main"); /* nothing says that its constructor was over */
	made_event(TS_ACTION_ALLOC, 10, 5, WORKSPACE);
	made_event(TS_ACTION_ALLOC, 11, 5, "/app/cache.py:__init__ < " FORWARD); /* made in forward: of forward */
	made_free(11, 5, FORWARD);
	made_event(TS_ACTION_ALLOC, 12, 5, "/v/site-packages/torch/cuda/graphs.py:__init__ < /app/train.py:main");
	made_free(1, 5, "/app/train.py:main");
	made_free(3, 5, "/app/train.py:main");
	look();
	expect_kind(1, "parameters");
	expect_kind(2, "temporary");
	expect_kind(3, "made in constructors");
	expect_kind(4, "temporary");
	expect_kind(5, "unknown");
	expect_kind(10, "workspaces");
	expect_kind(11, "temporary");
	expect_kind(12, "unknown");
	ts_arena_finish(&arena);
	made_begin(); /* in a process that was forked everything is in a constructor, which makes nothing */
	made_event(TS_ACTION_ALLOC, 1, 5, "/app/data.py:to_device < " FORKED);
	made_event(TS_ACTION_ALLOC, 2, 5, "/app/data.py:__init__ < " FORKED);
	made_event(TS_ACTION_ALLOC, 3, 5, FORWARD " < " FORKED);
	look();
	expect_kind(1, "unknown");
	expect_kind(2, "made in constructors");
	ts_arena_finish(&arena);
}

/* Stacks of Python alone: what has none is of autograd's thread, which has no Python. */
static void stacks_of_python(void **state)
{
	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 10, 5, FORWARD);
	made_event(TS_ACTION_ALLOC, 11, 5, FORWARD);
	made_free(11, 5, FORWARD);
	made_event(TS_ACTION_ALLOC, 20, 5, NULL);
	made_event(TS_ACTION_ALLOC, 21, 5, NULL);
	made_free(10, 5, NULL);
	made_free(20, 5, NULL);
	made_event(TS_ACTION_ALLOC, 40, 5, STEP);
	made_free(50, 5, NULL); /* of before recording: what freed it does not say what it was */
	made_free(21, 5, ZERO);
	made_event(TS_ACTION_ALLOC, 12, 5, FORWARD);
	look();
	expect_kind(10, "activations");
	expect_kind(11, "temporary");
	expect_kind(20, "temporary");
	expect_kind(21, "gradients");
	expect_kind(40, "optimizer state");
	expect_kind(50, "before recording");
	ts_arena_finish(&arena);
	made_event(TS_ACTION_ALLOC, 60, 5, BACKWARD); /* a stack of compiled code: what has none is not known */
	look();
	expect_kind(10, "unknown");
	expect_kind(20, "unknown");
	ts_arena_finish(&arena);
}

/* Where no free has a stack, one without says nothing of its thread, and nothing of what ended in it. */
static void frees_without_stacks(void **state)
{
	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 10, 5, FORWARD);
	made_event(TS_ACTION_ALLOC, 11, 5, FORWARD);
	made_free(11, 5, NULL);
	look();
	expect_kind(10, "unknown");
	expect_kind(11, "unknown");
	ts_arena_finish(&arena);
	made_free(50, 5, FORWARD); /* one that has a stack: the other was of autograd's thread */
	look();
	expect_kind(11, "activations");
	ts_arena_finish(&arena);
}

#define FSDP "/v/site-packages/torch/distributed/fsdp/_fully_shard/"
#define GATHER                                                                                                                         \
	FSDP "_fsdp_param.py:alloc_all_gather_outputs < " FSDP "_fsdp_param_group.py:wait_for_unshard < " CALL " < /app/train.py:step"
#define RESHARD FSDP "_fsdp_param_group.py:reshard < ??:torch::autograd::Engine::thread_main()"
#define FLAT "/v/site-packages/torch/distributed/fsdp/_flat_param.py"

/* What FSDP and DDP hold for as long as a model lives, and the parameters that FSDP gathers. */
static void memory_of_several_ranks(void **state)
{
	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 1, 5,
		   FSDP "_fsdp_param.py:_init_sharded_param < " FSDP "_fsdp_param.py:__init__ < /app/train.py:main");
	made_event(TS_ACTION_ALLOC, 2, 5, FLAT ":_get_shard < " FLAT ":shard < /app/train.py:main");
	made_event(TS_ACTION_ALLOC, 3, 5, "/app/data.py:shard < /app/train.py:main");
	made_event(TS_ACTION_ALLOC, 10, 5, GATHER);
	made_event(TS_ACTION_ALLOC, 11, 5, GATHER);
	made_free(11, 5, FORWARD);
	made_event(TS_ACTION_ALLOC, 12, 5, "/app/net.py:unshard < " FORWARD);
	made_event(TS_ACTION_ALLOC, 30, 5, "??:c10d::Reducer::initialize_buckets(x) < ??:c10d::Reducer::rebuild_buckets() < " FORWARD);
	made_event(TS_ACTION_ALLOC, 20, 5, BACKWARD);
	made_free(10, 5, RESHARD);
	made_free(12, 5, BACKWARD);
	made_event(TS_ACTION_ALLOC, 21, 5, FSDP "_fsdp_param_group.py:unshard < " BACKWARD);
	made_event(TS_ACTION_ALLOC, 40, 5, STEP);
	look();
	expect_kind(1, "parameters");
	expect_kind(2, "parameters");
	expect_kind(3, "unknown");
	expect_kind(10, "parameters");
	expect_kind(11, "temporary");
	expect_kind(12, "activations");
	expect_kind(20, "gradients");
	expect_kind(21, "parameters"); /* gathered in backward and still there */
	expect_kind(30, "gradients");
	ts_arena_finish(&arena);
}

static void expect_source(const char *frames, const char *file, const char *function)
{
	const struct ts_snapshot *s;
	const struct ts_origin *o;

	made_begin();
	made_stack(frames);
	s = made_end();
	ts_arena_init(&arena, 0);
	o = ts_origins(s, &arena);
	assert_non_null(o);
	if (!file) {
		assert_int_equal(o[0].frame, TS_SNAPSHOT_NONE);
	} else {
		assert_true(ts_span_is(s->texts[s->frames[o[0].frame].file], file));
		assert_true(ts_span_is(s->texts[s->frames[o[0].frame].function], function));
	}
	ts_arena_finish(&arena);
}

static void the_source_is_the_nearest_code_of_the_program(void **state)
{
	(void)state;
	expect_source(
		"??:at::empty < /v/site-packages/torch/functional.py:einsum < /v/site-packages/einops/einops.py:einsum < " FORWARD,
		"/app/net.py", "forward");
	expect_source("\\v\\site-packages\\torch\\x.py:a < \\app\\net.py:f", "\\app\\net.py", "f");
	expect_source("/v/site-packages/torch/x.py:a < /v/site-packages/einops/y.py:b < /usr/lib/python3.12/z.py:c",
		      "/v/site-packages/einops/y.py", "b");
	expect_source("/v/site-packages/torch/x.py:a < /v/site-packages/torch/y.py:b", "/v/site-packages/torch/x.py", "a");
	expect_source("??:torch::unwind::unwind() < ??:c10::malloc < ??:at::mm < " BACKWARD, "??",
		      "torch::autograd::generated::MmBackward0::apply(x)");
	expect_source("??:torch::unwind::unwind() < ??:at::mm < ??:main", "??", "at::mm");
	expect_source("??:torch::unwind::unwind()", NULL, NULL);
}

static void names_modules(void **state)
{
	static const char *const cases[][2] = {{"/v/lib/python3.12/site-packages/einops/layers/torch.py", "einops.layers.torch"},
					       {"/home/a/repo/net/model.py", "net.model"},
					       {"C:\\repo\\net\\model.py", "net.model"},
					       {"train.py", "train"},
					       {"??", ""}};

	(void)state;
	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(ts_span_is(ts_module_of(ts_span_str(cases[i][0]), &arena), cases[i][1]));
	ts_arena_finish(&arena);
}

/* At event 3 there are 7 + 5 bytes of net.py and 100 of before; over all events 7 + 5 + 5 of net.py. */
static void sums_by_function_stack_and_size(void **state)
{
	struct ts_holders h;
	struct ts_error err;

	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 1, 7, FORWARD);
	made_event(TS_ACTION_ALLOC, 2, 5, "/app/net.py:forward < /app/other.py:x");
	made_free(3, 100, NULL);
	made_event(TS_ACTION_ALLOC, 4, 5, FORWARD);
	look();
	assert_int_equal(ts_holders_at(&memory, 2, TS_BY_FUNCTION, &arena, &h, &err), TS_OK);
	assert_int_equal(h.n, 2);
	assert_int_equal(h.bytes, 112);
	assert_int_equal(h.items[0].bytes, 100);
	assert_int_equal(h.items[0].frame, TS_SNAPSHOT_NONE);
	assert_int_equal(h.items[1].bytes, 12);
	assert_int_equal(h.items[1].n, 2);
	assert_int_equal(h.items[1].largest, 7);
	assert_int_equal(ts_holders_at(&memory, 3, TS_BY_STACK, &arena, &h, &err), TS_OK);
	assert_int_equal(h.bytes, 12);
	assert_int_equal(h.n, 2);
	assert_int_equal(ts_holders_at(&memory, TS_REPLAY_BEFORE, TS_BY_KIND, &arena, &h, &err), TS_OK);
	assert_int_equal(h.bytes, 100);
	assert_int_equal(ts_holders_of_all(&memory, TS_BY_SIZE, &arena, &h, &err), TS_OK);
	assert_int_equal(h.n, 2);
	assert_int_equal(h.items[0].key, 5);
	assert_int_equal(h.items[0].bytes, 10);
	assert_int_equal(h.bytes, 17);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_step_of_a_training),
		cmocka_unit_test(says_nothing_before_a_phase_has_ended),
		cmocka_unit_test(forward_without_a_backward),
		cmocka_unit_test(setup_and_workspaces),
		cmocka_unit_test(stacks_of_python),
		cmocka_unit_test(frees_without_stacks),
		cmocka_unit_test(memory_of_several_ranks),
		cmocka_unit_test(lent_stacks_say_nothing_of_a_free),
		cmocka_unit_test(the_source_is_the_nearest_code_of_the_program),
		cmocka_unit_test(names_modules),
		cmocka_unit_test(sums_by_function_stack_and_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
