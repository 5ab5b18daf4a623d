/* A device's memory after one event, and the stretches of the profiler's annotations, by hand. */
#include "analysis/snapshot/marks.h"
#include "analysis/snapshot/memory_moment.h"
#include "analysis/snapshot/test_snapshot_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MIB(n) ((uint64_t)(n) << 20)
#define A MIB(1000)
#define B MIB(2000)
#define FORWARD "/app/net.py:forward < /v/site-packages/torch/nn/modules/module.py:_call_impl < /app/train.py:step"
#define STEP "/app/sgd.py:step < /v/site-packages/torch/optim/optimizer.py:wrapper < /app/train.py:step"

static struct ts_arena arena;
static struct ts_replay replay;
static struct ts_memory memory;
static struct ts_moment moment;

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

static void at(uint32_t event)
{
	struct ts_error err;
	uint64_t sum = 0, count = 0, requested, reserved;

	assert_int_equal(ts_moment_of(&memory, event, &arena, &moment, &err), TS_OK);
	for (int i = 0; i < TS_MEMORY_KINDS; i++) {
		sum += moment.kinds[i].bytes;
		count += moment.kinds[i].count;
	}
	assert_int_equal(sum, moment.requested);
	assert_int_equal(count, moment.count);
	ts_replay_level(&replay, event, &requested, &reserved);
	assert_int_equal(requested, moment.requested);
	assert_int_equal(reserved, moment.reserved);
}

/* A segment A of 20 MiB: 4 MiB from before, 2 MiB of an optimizer, a gap; B of 64 MiB, which comes at event 3 and goes at event 8. */
static void make(void)
{
	made_begin();
	made_event(TS_ACTION_ALLOC, A + MIB(4), MIB(2), STEP);		/* 0 */
	made_event(TS_ACTION_ALLOC, A + MIB(6), MIB(3) - 100, FORWARD); /* 1: takes 3 MiB */
	made_event(TS_ACTION_ALLOC, A + MIB(12), MIB(1), FORWARD);	/* 2 */
	made_event(TS_ACTION_SEGMENT_ALLOC, B, MIB(64), FORWARD);	/* 3 */
	made_event(TS_ACTION_ALLOC, B, MIB(60), FORWARD);		/* 4 */
	made_event(TS_ACTION_OOM, MIB(7), MIB(80), FORWARD);		/* 5: its address is what the device has left */
	made_free(B, MIB(60), FORWARD);					/* 6, 7 */
	made_event(TS_ACTION_SEGMENT_FREE, B, MIB(64), FORWARD);	/* 8 */
	made_free(A + MIB(6), MIB(3) - 100, FORWARD);			/* 9, 10 */
	made_segment(A, MIB(20));
	made_block(MIB(4), MIB(4), TS_BLOCK_ACTIVE, "/app/net.py:forward");
	made_block(MIB(2), MIB(2), TS_BLOCK_ACTIVE, STEP);
	made_block(MIB(6), 0, TS_BLOCK_INACTIVE, NULL);
	made_block(MIB(1), MIB(1), TS_BLOCK_ACTIVE, FORWARD);
	made_block(MIB(7), 0, TS_BLOCK_INACTIVE, NULL);
	look();
}

static void shows_what_was_in_use(void **state)
{
	(void)state;
	make();
	at(TS_REPLAY_BEFORE);
	assert_null(moment.row);
	assert_int_equal(moment.requested, MIB(4));
	assert_int_equal(moment.reserved, MIB(20));
	assert_int_equal(moment.n_pieces, 0);
	at(4);
	assert_int_equal(moment.requested, MIB(4) + MIB(2) + MIB(3) - 100 + MIB(1) + MIB(60));
	assert_int_equal(moment.reserved, MIB(84));
	assert_int_equal(moment.count, 5);
	assert_int_equal(moment.phase, TS_PHASE_FORWARD);
	assert_int_equal(moment.n_calls, 3);
	assert_true(ts_span_is(moment.calls[1], "_call_impl"));
	assert_true(moment.python[1]);
	assert_true(moment.has_life && moment.born_recorded && moment.died_recorded);
	assert_int_equal(moment.life_died, 7);
	assert_int_equal(moment.life.bytes, MIB(60));
	assert_true(moment.known);
	assert_int_equal(moment.n_ranges, 2);
	assert_int_equal(moment.ranges[0].range.begin, B);
	assert_int_equal(moment.ranges[0].range.free, MIB(4));
	assert_int_equal(moment.free, MIB(4) + MIB(3) + MIB(7));
	assert_int_equal(moment.largest, MIB(7));
	assert_int_equal(moment.n_pieces, 2);
	assert_true(moment.pieces[0].here && moment.pieces[0].used && !moment.pieces[1].used);
	at(10);
	assert_int_equal(moment.requested, MIB(7));
	assert_int_equal(moment.n_ranges, 1);
	ts_arena_finish(&arena);
}

/* 20 MiB are 60 cells of a third of one: 12 of 4 MiB in use, 6 of 2, 9 of 3, then 9 free, 3 in use, 21 free. */
static void draws_a_map_and_what_is_around(void **state)
{
	(void)state;
	make();
	at(1);
	assert_true(moment.ranges[0].here);
	for (int i = 0; i < TS_MOMENT_CELLS; i++)
		assert_int_equal(moment.ranges[0].used_percent[i], i < 27 ? 100 : 0);
	assert_int_equal(moment.n_pieces, 4);
	assert_int_equal(moment.pieces[0].bytes, MIB(4));
	assert_false(moment.pieces[0].recorded);
	assert_int_equal(moment.pieces[1].who.kind, TS_MEMORY_OPTIMIZER);
	assert_true(moment.pieces[2].here);
	assert_int_equal(moment.pieces[2].offset, MIB(6));
	assert_int_equal(moment.pieces[2].bytes, MIB(3));
	assert_int_equal(moment.pieces[2].who.bytes, MIB(3) - 100);
	assert_int_equal(moment.pieces[3].bytes, MIB(11));
	at(10); /* what it freed is a part of a gap now */
	assert_int_equal(moment.n_pieces, 5);
	assert_true(moment.pieces[2].here && !moment.pieces[2].used);
	assert_int_equal(moment.pieces[2].bytes, MIB(6));
	assert_int_equal(moment.ranges[0].used_percent[18], 0);
	assert_int_equal(moment.ranges[0].used_percent[36], 100);
	ts_arena_finish(&arena);
}

static void shows_the_largest_gap_of_a_refused_request(void **state)
{
	(void)state;
	make();
	at(5);
	assert_false(moment.has_life); /* there is no memory at address 7 MiB */
	assert_int_equal(moment.ranges[0].range.begin, A);
	assert_int_equal(moment.n_pieces, 6);
	assert_true(moment.pieces[5].here);
	assert_int_equal(moment.pieces[5].bytes, MIB(7));
	ts_arena_finish(&arena);
}

/* 100 blocks of 1 MiB: the piece of the event stands in the middle, and what is not shown is counted. */
static void counts_what_it_leaves_out(void **state)
{
	(void)state;
	made_begin();
	for (unsigned i = 0; i < 100; i++)
		made_event(TS_ACTION_ALLOC, A + MIB(i), MIB(1), FORWARD);
	made_segment(A, MIB(101));
	for (unsigned i = 0; i < 100; i++)
		made_block(MIB(1), MIB(1), TS_BLOCK_ACTIVE, FORWARD);
	made_block(MIB(1), 0, TS_BLOCK_INACTIVE, NULL);
	made_event(TS_ACTION_FREE_REQUESTED, A + MIB(30), MIB(1), FORWARD);
	look();
	at(50);
	assert_int_equal(moment.before, 42);
	assert_int_equal(moment.n_pieces, 10); /* the last is the gap up to the end */
	assert_int_equal(moment.after, 0);
	assert_true(moment.pieces[8].here);
	at(3);
	assert_int_equal(moment.before, 0);
	assert_int_equal(moment.n_pieces, 5);
	at(100);
	assert_int_equal(moment.before, 22);
	assert_int_equal(moment.n_pieces, 17);
	assert_int_equal(moment.after, 62);
	assert_int_equal(moment.pieces[8].offset, MIB(30));
	assert_true(moment.pieces[8].here);
	ts_arena_finish(&arena);
}

/* Addresses and sizes beyond what a device has: nothing overflows, and nothing is shown twice. */
static void stands_hostile_numbers(void **state)
{
	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, UINT64_MAX - 5, UINT64_MAX, FORWARD);
	made_event(TS_ACTION_SEGMENT_MAP, UINT64_MAX - 100, UINT64_MAX, FORWARD);
	made_event(TS_ACTION_SEGMENT_UNMAP, 0, UINT64_MAX, FORWARD);
	made_event(TS_ACTION_OOM, UINT64_MAX, UINT64_MAX, FORWARD);
	made_segment(UINT64_MAX - 10, UINT64_MAX);
	made_block(UINT64_MAX, UINT64_MAX, TS_BLOCK_ACTIVE, NULL);
	look();
	for (uint32_t i = 0; i < 4; i++) {
		struct ts_error err;

		assert_int_equal(ts_moment_of(&memory, i, &arena, &moment, &err), TS_OK);
	}
	ts_arena_finish(&arena);
}

/* Pages 2 to 4 of an expandable segment were unmapped after event 0: before, it was one range. */
static void joins_pages_of_an_expandable_segment(void **state)
{
	(void)state;
	made_begin();
	made_event(TS_ACTION_SNAPSHOT, 0, 0, FORWARD);
	made_event(TS_ACTION_SEGMENT_UNMAP, A + MIB(2), MIB(4), FORWARD);
	made_segment(A, MIB(2))->expandable = true;
	made_block(MIB(2), 0, TS_BLOCK_INACTIVE, NULL);
	made_segment(A + MIB(6), MIB(2))->expandable = true;
	made_block(MIB(2), 0, TS_BLOCK_INACTIVE, NULL);
	look();
	at(0);
	assert_int_equal(moment.n_ranges, 1);
	assert_int_equal(moment.largest, MIB(8));
	assert_int_equal(moment.reserved, MIB(8));
	at(1);
	assert_int_equal(moment.n_ranges, 2);
	assert_int_equal(moment.largest, MIB(2));
	ts_arena_finish(&arena);
}

/* --- annotations --- */

static void pairs_annotations(void **state)
{
	struct ts_mark_stretches s;
	struct ts_mark_sums sums;
	struct ts_error err;

	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 1, 10, FORWARD); /* 0 */
	made_mark("END", "warm-up");		     /* it began before the recording */
	made_mark("START", "epoch");
	made_event(TS_ACTION_ALLOC, 2, 20, FORWARD); /* 1 */
	made_mark("START", "Optimizer.step#SGD.step");
	made_event(TS_ACTION_ALLOC, 3, 30, STEP); /* 2 */
	made_free(3, 30, STEP);			  /* 3, 4 */
	made_mark("END", "Optimizer.step#SGD.step");
	made_event(TS_ACTION_ALLOC, 4, 5, FORWARD); /* 5 */
	made_mark("START", "Optimizer.step#SGD.step");
	made_event(TS_ACTION_ALLOC, 5, 7, STEP); /* 6: this step does not end */
	made_segment(0, 100);
	made_block(100, 0, TS_BLOCK_INACTIVE, NULL);
	look();
	assert_int_equal(ts_mark_stretches_of(&replay, &arena, &s, &err), TS_OK);
	assert_int_equal(s.n, 4);
	assert_true(!s.items[0].began && s.items[0].first == 0 && s.items[0].end == 1);
	assert_true(s.items[1].began && !s.items[1].ended && s.items[1].first == 1 && s.items[1].end == 7); /* epoch */
	assert_true(s.items[2].ended && s.items[2].first == 2 && s.items[2].end == 5 && s.items[2].depth == 1);
	assert_true(!s.items[3].ended && s.items[3].first == 6 && s.items[3].end == 7);
	assert_ptr_equal(ts_mark_stretch_at(&s, 3), &s.items[2]);
	assert_ptr_equal(ts_mark_stretch_at(&s, 5), &s.items[1]);
	assert_ptr_equal(ts_mark_stretch_at(&s, 0), &s.items[0]);
	/* No block shows these lives, so what is requested is shifted to end at 0; differences and places hold. */
	assert_int_equal(ts_mark_stretches_sum(&replay, &s, &arena, &sums, &err), TS_OK);
	assert_int_equal(sums.n, 3);
	for (size_t i = 0; i < sums.n; i++)
		if (sums.items[i].name == s.items[2].name) {
			assert_int_equal(sums.items[i].n, 2);
			assert_int_equal(sums.items[i].n_events, 4);
		}
	ts_arena_finish(&arena);
}

/* Sums by hand: 100 bytes in use at the end, of which 40 came in the two steps; the first step had 130 at its most. */
static void sums_annotations(void **state)
{
	struct ts_mark_stretches s;
	struct ts_mark_sums sums;
	struct ts_error err;

	(void)state;
	made_begin();
	made_mark("START", "step");
	made_event(TS_ACTION_ALLOC, 0, 15, STEP);
	made_event(TS_ACTION_ALLOC, 600, 55, STEP);
	made_free(600, 55, STEP);
	made_mark("END", "step");
	made_event(TS_ACTION_ALLOC, 1000, 1, FORWARD);
	made_mark("START", "step");
	made_event(TS_ACTION_ALLOC, 512, 25, STEP);
	made_mark("END", "step");
	made_segment(0, 4096);
	made_block(512, 15, TS_BLOCK_ACTIVE, STEP);
	made_block(488, 25, TS_BLOCK_ACTIVE, STEP);
	made_block(500, 1, TS_BLOCK_ACTIVE, FORWARD);
	made_block(500, 59, TS_BLOCK_ACTIVE, FORWARD);
	look();
	assert_int_equal(ts_mark_stretches_of(&replay, &arena, &s, &err), TS_OK);
	assert_int_equal(ts_mark_stretches_sum(&replay, &s, &arena, &sums, &err), TS_OK);
	assert_int_equal(sums.n, 1);
	assert_int_equal(sums.items[0].n, 2);
	assert_int_equal(sums.items[0].kept, 40);
	assert_int_equal(sums.items[0].peak, 59 + 15 + 55);
	assert_int_equal(sums.items[0].peak_event, 1);
	ts_arena_finish(&arena);
}

/* "out" lies before the first event and behind the last, of which the events say nothing; "still" between two, and nothing happened. */
static void says_nothing_of_stretches_outside_of_the_events(void **state)
{
	struct ts_mark_stretches s;
	struct ts_mark_sums sums;
	struct ts_error err;

	(void)state;
	made_begin();
	made_mark("START", "out");
	made_mark("END", "out");
	made_event(TS_ACTION_ALLOC, 0, 15, STEP);
	made_mark("START", "still");
	made_mark("END", "still");
	made_event(TS_ACTION_ALLOC, 512, 25, STEP);
	made_mark("START", "out");
	made_mark("END", "out");
	made_segment(0, 1024);
	made_block(512, 15, TS_BLOCK_ACTIVE, STEP);
	made_block(512, 25, TS_BLOCK_ACTIVE, STEP);
	look();
	assert_int_equal(ts_mark_stretches_of(&replay, &arena, &s, &err), TS_OK);
	assert_int_equal(ts_mark_stretches_sum(&replay, &s, &arena, &sums, &err), TS_OK);
	assert_int_equal(sums.n, 2);
	assert_true(sums.items[0].known);
	assert_int_equal(sums.items[0].n_events, 0);
	assert_int_equal(sums.items[0].peak, 15);
	assert_int_equal(sums.items[0].kept, 0);
	assert_int_equal(sums.items[1].n, 2);
	assert_false(sums.items[1].known);
	ts_arena_finish(&arena);
}

/* The most of a stretch against a search through its events: 300 events, 60 stretches of 60 names. */
static void finds_the_most_of_any_stretch(void **state)
{
	enum { EVENTS = 300, STRETCHES = 60 };
	static uint64_t after[EVENTS];
	struct ts_mark_stretches s = {.n = STRETCHES};
	struct ts_mark_stretch items[STRETCHES];
	struct ts_mark_sums sums;
	struct ts_error err;
	uint32_t seed = 7;

	(void)state;
	made_begin();
	for (uint32_t i = 0; i < EVENTS; i++) {
		seed = seed * 1664525 + 1013904223;
		made_event(i % 3 == 2 ? TS_ACTION_FREE_COMPLETED : TS_ACTION_ALLOC,
			   512 * (uint64_t)(i % 3 == 2 ? i - (seed >> 30) % 2 - 1 : i), seed >> 20, NULL);
	}
	made_segment(0, 512);
	made_block(512, 0, TS_BLOCK_INACTIVE, NULL);
	look();
	ts_replay_requested(&replay, after);
	for (uint32_t i = 0; i < STRETCHES; i++) {
		seed = seed * 1664525 + 1013904223;
		items[i] = (struct ts_mark_stretch){.name = i, .first = (seed >> 8) % EVENTS};
		items[i].end = items[i].first + 1 + (seed >> 20) % (EVENTS - items[i].first);
	}
	s.items = items;
	assert_int_equal(ts_mark_stretches_sum(&replay, &s, &arena, &sums, &err), TS_OK);
	assert_int_equal(sums.n, STRETCHES);
	for (size_t i = 0; i < sums.n; i++) {
		const struct ts_mark_stretch *of = &items[sums.items[i].name];
		uint32_t most = of->first;

		for (uint32_t e = of->first; e < of->end; e++)
			most = after[e] > after[most] ? e : most;
		assert_int_equal(sums.items[i].peak_event, most);
		assert_int_equal(sums.items[i].peak, after[most]);
	}
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_what_was_in_use),
		cmocka_unit_test(draws_a_map_and_what_is_around),
		cmocka_unit_test(shows_the_largest_gap_of_a_refused_request),
		cmocka_unit_test(counts_what_it_leaves_out),
		cmocka_unit_test(stands_hostile_numbers),
		cmocka_unit_test(joins_pages_of_an_expandable_segment),
		cmocka_unit_test(pairs_annotations),
		cmocka_unit_test(sums_annotations),
		cmocka_unit_test(says_nothing_of_stretches_outside_of_the_events),
		cmocka_unit_test(finds_the_most_of_any_stretch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
