/* The allocator's cost, requests that it refused, and spans of lives, by hand. */
#include "analysis/snapshot/allocator.h"
#include "analysis/snapshot/fragments.h"
#include "analysis/snapshot/spans.h"
#include "analysis/snapshot/test_snapshot_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MIB(n) (UINT64_C(n) << 20)
#define A MIB(1000)
#define B MIB(2000)
#define C MIB(3000)
#define ASK "/app/net.py:forward"

static struct ts_arena arena;
static struct ts_replay replay;

static void look(void)
{
	struct ts_error err;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_replay_device(made_end(), 0, &arena, &replay, &err), TS_OK);
}

static void allocator(struct ts_allocator *ret)
{
	struct ts_error err;

	look();
	assert_int_equal(ts_allocator_of(&replay, &arena, ret, &err), TS_OK);
}

/* The stack of an event stands for the call: made_event gives each its own, so events of one call share one here. */
static uint32_t again(enum ts_snapshot_action action, uint64_t address, uint64_t size, uint32_t as)
{
	uint32_t at = made_event(action, address, size, NULL);

	if (as != UINT32_MAX)
		made_same_stack(at, as);
	return at;
}

/* A: 30 MiB free, 1 MiB in use, 69 MiB free. When 80 MiB were asked for, B of 20 MiB was still there, C was not yet, and 1,000 bytes
 * lived at the begin of A. */
static void says_what_stood_in_the_way(void **state)
{
	struct ts_allocator a;
	uint32_t asked;

	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, A + MIB(30), MIB(1), "/app/cache.py:keep");
	made_event(TS_ACTION_ALLOC, A, 1000, "/app/x.py:f"); /* takes 1,024 bytes */
	asked = made_event(TS_ACTION_SEGMENT_FREE, MIB(9000), MIB(40), ASK);
	again(TS_ACTION_OOM, MIB(7), MIB(80), asked);
	made_free(A, 1000, "/app/x.py:f");
	made_event(TS_ACTION_SEGMENT_FREE, B, MIB(20), NULL);
	made_event(TS_ACTION_SEGMENT_ALLOC, C, MIB(64), NULL);
	made_segment(A, MIB(100));
	made_block(MIB(30), 0, TS_BLOCK_INACTIVE, NULL);
	made_block(MIB(1), MIB(1), TS_BLOCK_ACTIVE, "/app/cache.py:keep");
	made_block(MIB(69), 0, TS_BLOCK_INACTIVE, NULL);
	made_segment(C, MIB(64));
	made_block(MIB(64), 0, TS_BLOCK_INACTIVE, NULL);
	made_segment(MIB(4000), MIB(2))->small = true;
	made_block(MIB(2), 0, TS_BLOCK_INACTIVE, NULL);
	allocator(&a);
	assert_int_equal(a.n_ooms, 1);
	assert_int_equal(a.n_retries, 1); /* 40 MiB were given back in the same call, and were not enough */
	assert_int_equal(a.retried, MIB(40));
	assert_int_equal(a.retry_us, 10); /* events are 10 us apart */
	assert_int_equal(a.most_us, 30);  /* three events of segments */
	assert_int_equal(a.ooms[0].requested, MIB(80));
	assert_int_equal(a.ooms[0].device_free, MIB(7));
	assert_true(a.ooms[0].known);
	assert_int_equal(a.ooms[0].reserved, MIB(100) + MIB(20) + MIB(2));
	assert_int_equal(a.ooms[0].live, MIB(1) + 1000);
	assert_int_equal(a.ooms[0].free, MIB(99) - 1024 + MIB(20));
	assert_int_equal(a.ooms[0].elsewhere, MIB(2));
	assert_int_equal(a.ooms[0].largest, MIB(69));
	assert_int_equal(a.ooms[0].pinned_range, MIB(100));
	assert_int_equal(a.ooms[0].pinned_used, MIB(1) + 1024);
	assert_int_equal(a.ooms[0].n_pinned, 2);
	assert_int_equal(replay.lives[a.ooms[0].pinned_by].address, A + MIB(30));
	ts_arena_finish(&arena);
}

/* empty_cache gives back three segments. Recorded with context="alloc", each has the stack that took it; that of the last asks next. */
static void what_has_several_stacks_is_no_retry(void **state)
{
	struct ts_allocator a;
	uint32_t asked;

	(void)state;
	made_begin();
	made_event(TS_ACTION_SEGMENT_FREE, A, MIB(20), "/app/x.py:f");
	asked = made_event(TS_ACTION_SEGMENT_FREE, B, MIB(20), ASK);
	again(TS_ACTION_SEGMENT_FREE, C, MIB(20), asked);
	again(TS_ACTION_SEGMENT_ALLOC, A, MIB(20), asked);
	made_segment(A, MIB(20));
	made_block(MIB(20), 0, TS_BLOCK_INACTIVE, NULL);
	allocator(&a);
	assert_int_equal(a.n_given, 3);
	assert_int_equal(a.n_retries, 0);
	assert_int_equal(a.retried, 0);
	assert_int_equal(a.retry_us, 0);
	ts_arena_finish(&arena);
}

/* A pool of 100 MiB, of which 40 are free, and 30 more that are given back later; the common pool has 57 MiB free, 50 of them whole. */
static void a_private_pool_has_what_is_its_own(void **state)
{
	const struct ts_oom *o;
	struct ts_allocator a;
	struct ts_heap heap;
	struct ts_error err;

	(void)state;
	made_begin();
	made_pool(made_event(TS_ACTION_ALLOC, A, MIB(60), ASK), 3);
	made_pool(made_event(TS_ACTION_OOM, MIB(1), MIB(90), ASK), 3);
	made_pool(made_event(TS_ACTION_OOM, MIB(1), MIB(90), ASK), 0);
	made_pool(made_event(TS_ACTION_SEGMENT_FREE, C, MIB(30), NULL), 3);
	made_segment(A, MIB(100))->pool[1] = 3;
	made_block(MIB(60), MIB(60), TS_BLOCK_ACTIVE, ASK);
	made_block(MIB(40), 0, TS_BLOCK_INACTIVE, NULL);
	made_segment(B, MIB(50));
	made_block(MIB(50), 0, TS_BLOCK_INACTIVE, NULL);
	made_segment(MIB(5000), MIB(10));
	made_block(MIB(3), MIB(3), TS_BLOCK_ACTIVE, NULL);
	made_block(MIB(7), 0, TS_BLOCK_INACTIVE, NULL);
	allocator(&a);
	o = &a.ooms[0];
	assert_true(o->private && o->pool[1] == 3);
	assert_int_equal(o->free, MIB(40) + MIB(30));
	assert_int_equal(o->elsewhere, MIB(50) + MIB(7));
	assert_int_equal(o->cached, MIB(50));
	assert_int_equal(o->pinned_range, MIB(100));
	o = &a.ooms[1];
	assert_false(o->private);
	assert_int_equal(o->free, MIB(50) + MIB(7));
	assert_int_equal(o->elsewhere, MIB(40) + MIB(30));
	assert_int_equal(o->cached, 0);
	assert_int_equal(ts_heap_after(&replay, 2, &arena, &heap, &err), TS_OK);
	assert_int_equal(ts_heap_find(&heap, C)->pool[1], 3);
	ts_arena_finish(&arena);
}

/* Pages of two pools lie side by side; those that a file of before torch 2.10 unmaps go with what is beside them. */
static void pages_of_two_pools_are_two_ranges(void **state)
{
	struct ts_snapshot_segment *g;
	struct ts_heap heap;
	struct ts_error err;

	(void)state;
	made_begin();
	made_event(TS_ACTION_SNAPSHOT, 0, 0, NULL);
	made_event(TS_ACTION_SEGMENT_UNMAP, A + MIB(40), MIB(20), NULL);
	made_segment(A, MIB(20))->expandable = true;
	made_block(MIB(20), MIB(20), TS_BLOCK_ACTIVE, ASK);
	g = made_segment(A + MIB(20), MIB(20));
	g->expandable = true;
	g->pool[1] = 4;
	g = made_segment(A + MIB(60), MIB(20));
	g->expandable = true;
	g->pool[1] = 4;
	made_block(MIB(20), MIB(20), TS_BLOCK_ACTIVE, ASK);
	look();
	assert_int_equal(ts_heap_after(&replay, 0, &arena, &heap, &err), TS_OK);
	assert_int_equal(heap.n, 2);
	assert_int_equal(heap.ranges[0].end, A + MIB(20));
	assert_int_equal(heap.ranges[1].end, A + MIB(80));
	ts_arena_finish(&arena);
}

/* 10 MiB from before the events, 20 MiB that another stream still uses, 12 MiB free, and 8 MiB left of the device; for 30 MiB. */
static void says_what_was_not_enough(void **state)
{
	struct ts_allocator a;

	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, A + MIB(10), MIB(20), ASK);
	made_event(TS_ACTION_FREE_REQUESTED, A + MIB(10), MIB(20), NULL);
	made_event(TS_ACTION_OOM, MIB(8), MIB(30), ASK);
	made_segment(A, MIB(42));
	made_block(MIB(10), MIB(10), TS_BLOCK_ACTIVE, NULL);
	made_block(MIB(20), MIB(20), TS_BLOCK_PENDING, NULL);
	made_block(MIB(12), 0, TS_BLOCK_INACTIVE, NULL);
	allocator(&a);
	assert_int_equal(a.ooms[0].live, MIB(30));
	assert_int_equal(a.ooms[0].before, MIB(10));
	assert_int_equal(a.ooms[0].waiting, MIB(20));
	assert_int_equal(a.ooms[0].free, MIB(12));
	assert_int_equal(a.ooms[0].segment, MIB(30));
	assert_int_equal(ts_oom_lacks(&a.ooms[0]), MIB(10));
	a.ooms[0].device_free = MIB(18);
	assert_int_equal(ts_oom_lacks(&a.ooms[0]), 0);
	a.ooms[0].device_free = UINT64_MAX;
	assert_int_equal(ts_oom_lacks(&a.ooms[0]), 0);
	ts_arena_finish(&arena);
}

/* kSmallSize, kMinLargeAlloc and kRoundLarge of c10. */
static void knows_what_the_allocator_takes_at_once(void **state)
{
	(void)state;
	assert_int_equal(ts_heap_segment_for(1), MIB(2));
	assert_int_equal(ts_heap_segment_for(MIB(1)), MIB(2));
	assert_int_equal(ts_heap_segment_for(MIB(1) + 1), MIB(20));
	assert_int_equal(ts_heap_segment_for(MIB(10) - 1), MIB(20));
	assert_int_equal(ts_heap_segment_for(MIB(10)), MIB(10));
	assert_int_equal(ts_heap_segment_for(MIB(10) + 1), MIB(12));
	assert_true(ts_heap_segment_for(UINT64_MAX) == UINT64_MAX);
}

static void tells_retries_from_empty_cache(void **state)
{
	struct ts_allocator a;
	uint32_t call;

	(void)state;
	made_begin();
	made_event(TS_ACTION_SEGMENT_FREE, A, MIB(20), "/app/train.py:empty_cache");
	made_event(TS_ACTION_SEGMENT_ALLOC, B, MIB(40), ASK);
	call = made_event(TS_ACTION_SEGMENT_FREE, C, MIB(20), ASK);
	again(TS_ACTION_SEGMENT_UNMAP, C + MIB(20), MIB(2), call);
	again(TS_ACTION_SEGMENT_ALLOC, A, MIB(22), call);
	again(TS_ACTION_SEGMENT_FREE, MIB(9000), MIB(2), UINT32_MAX);
	again(TS_ACTION_SEGMENT_MAP, MIB(9000), MIB(2), UINT32_MAX); /* no stacks: nothing tells */
	allocator(&a);
	assert_int_equal(a.n_retries, 1);
	assert_int_equal(a.retried, MIB(22));
	assert_int_equal(a.n_taken, 3);
	assert_int_equal(a.taken, MIB(64));
	assert_int_equal(a.n_given, 4);
	assert_int_equal(a.given, MIB(44));
	ts_arena_finish(&arena);
}

/* An expandable segment of 60 MiB: 15 in use, 45 free, of which the pages from 20 to 60 are whole. */
static void tells_cache_from_fragmentation(void **state)
{
	const struct ts_snapshot *s;
	struct ts_fragments f;

	(void)state;
	made_begin();
	made_segment(A, MIB(20)); /* nothing is in use */
	made_block(MIB(20), 5, TS_BLOCK_INACTIVE, NULL);
	made_segment(B, MIB(60))->expandable = true;
	made_block(MIB(15), MIB(15), TS_BLOCK_ACTIVE, "/app/a.py:f");
	made_block(MIB(45), 0, TS_BLOCK_INACTIVE, NULL);
	made_segment(C, MIB(20)); /* a small block pins two gaps */
	made_block(MIB(4), 0, TS_BLOCK_INACTIVE, NULL);
	made_block(MIB(1), MIB(1), TS_BLOCK_ACTIVE, "/app/b.py:g");
	made_block(MIB(15), 0, TS_BLOCK_INACTIVE, NULL);
	made_segment(MIB(4000), MIB(300))->pool[1] = 7; /* of a graph: it stays */
	made_block(MIB(300), 0, TS_BLOCK_INACTIVE, NULL);
	s = made_end();
	ts_fragments_of(s, 0, &f);
	assert_int_equal(f.free, MIB(20) + MIB(45) + MIB(19) + MIB(300));
	assert_int_equal(f.cached, MIB(20));
	assert_int_equal(f.n_cached, 1);
	assert_int_equal(f.n_whole, 2);
	assert_int_equal(f.pages, MIB(40));
	assert_int_equal(f.stuck, MIB(5) + MIB(19) + MIB(300));
	assert_int_equal(f.in_pools, MIB(300));
	assert_int_equal(f.cached + f.pages + f.stuck, f.free);
	assert_int_equal(f.n_pinned, 1);
	assert_int_equal(f.pinned, MIB(1));
	assert_int_equal(f.largest, MIB(300));
	assert_int_equal(f.n_gaps, 4);
	assert_int_equal(f.gaps[0].bytes, MIB(300));
	assert_int_equal(f.gaps[1].bytes, MIB(45));
	assert_int_equal(f.gaps[3].bytes, MIB(4));
	assert_true(ts_span_is(s->texts[s->frames[s->stack_frames[s->stacks[f.gaps[2].before].first]].file], "/app/b.py"));
	assert_int_equal(f.gaps[2].after, TS_SNAPSHOT_NONE);
	assert_int_equal(f.classes[1].n, 3);
	assert_int_equal(f.classes[3].n, 1);
	assert_int_equal(f.classes[3].free, MIB(300));
}

#define STEP "/app/sgd.py:step < /v/site-packages/torch/optim/optimizer.py:wrapper"

/* Spans of 1, 2 and 10 events, 10 us each; the loss of the first step is still there after the third. */
static void measures_spans_and_what_is_carried(void **state)
{
	struct ts_memory m = {.replay = &replay};
	struct ts_spans s;
	struct ts_error err;

	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 1, 100, ASK); /* 0 */
	made_event(TS_ACTION_ALLOC, 2, 7, ASK);	  /* 1: ends at 11 */
	made_event(TS_ACTION_ALLOC, 3, 9, STEP);  /* 2: the first step ends */
	made_event(TS_ACTION_FREE_COMPLETED, 3, 9, STEP);
	made_event(TS_ACTION_ALLOC, 4, 9, ASK);	  /* 4 */
	made_event(TS_ACTION_ALLOC, 5, 11, STEP); /* 5: the second; it stays, as state */
	made_event(TS_ACTION_FREE_COMPLETED, 4, 9, ASK);
	made_event(TS_ACTION_SNAPSHOT, 0, 0, NULL);
	made_event(TS_ACTION_SNAPSHOT, 0, 0, STEP); /* 8: the third */
	made_event(TS_ACTION_SNAPSHOT, 0, 0, ASK);
	made_event(TS_ACTION_SNAPSHOT, 0, 0, NULL);
	made_event(TS_ACTION_FREE_COMPLETED, 2, 7, ASK);
	look();
	m.origins = ts_origins(replay.snapshot, &arena);
	m.kinds = ts_kinds_of(&replay, m.origins, &arena);
	assert_int_equal(ts_spans_of(&m, &arena, &s, &err), TS_OK);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.median_events, 2);
	assert_int_equal(s.longest_events, 10);
	assert_int_equal(s.p99_events, 10);
	assert_true(s.timed);
	assert_int_equal(s.median_us, 20);
	assert_int_equal(s.longest_us, 100);
	assert_int_equal(s.n_short, 3);
	assert_int_equal(s.short_bytes, 7 + 9 + 9);
	assert_int_equal(s.steps, 3);
	assert_int_equal(s.carried.lives, 2);
	assert_int_equal(s.carried.bytes, 107);
	ts_arena_finish(&arena);
	made_begin();
	made_event(TS_ACTION_SNAPSHOT, 0, 0, STEP);		  /* its state is loaded */
	made_event(TS_ACTION_ALLOC, 1, 100, "/app/data.py:load"); /* there from the start */
	made_event(TS_ACTION_ALLOC, 2, 50, "??:at::cuda::getNewWorkspace() < " ASK);
	made_event(TS_ACTION_ALLOC, 3, 7, "/app/log.py:remember");
	for (int i = 0; i < 2; i++) {
		made_event(TS_ACTION_SNAPSHOT, 0, 0, STEP);
		made_event(TS_ACTION_SNAPSHOT, 0, 0, ASK);
	}
	look();
	m.origins = ts_origins(replay.snapshot, &arena);
	m.kinds = ts_kinds_of(&replay, m.origins, &arena);
	assert_int_equal(ts_spans_of(&m, &arena, &s, &err), TS_OK);
	assert_int_equal(s.steps, 2);
	assert_int_equal(s.carried.bytes, 7);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_stood_in_the_way),
		cmocka_unit_test(what_has_several_stacks_is_no_retry),
		cmocka_unit_test(a_private_pool_has_what_is_its_own),
		cmocka_unit_test(pages_of_two_pools_are_two_ranges),
		cmocka_unit_test(says_what_was_not_enough),
		cmocka_unit_test(knows_what_the_allocator_takes_at_once),
		cmocka_unit_test(tells_retries_from_empty_cache),
		cmocka_unit_test(tells_cache_from_fragmentation),
		cmocka_unit_test(measures_spans_and_what_is_carried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
