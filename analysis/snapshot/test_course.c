/* The course of a device's memory by hand, and what must hold of every snapshot: kinds add up to the total at each state of the course
 * and at any event, rows of holders to the same, the peak is drawn, and the segments add up to what was reserved. */
#include "analysis/snapshot/course.h"
#include "analysis/snapshot/memory_answer.h"
#include "analysis/snapshot/memory_moment.h"
#include "analysis/snapshot/test_snapshot_made.h"
#include "ingest/snapshot/snapshot_read.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define FORWARD "/app/net.py:forward < /v/site-packages/torch/nn/modules/module.py:_call_impl < /app/train.py:step"

static void course_by_hand(void **state)
{
	struct ts_memory_answer answer;
	struct ts_course c;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, 5000, 10, FORWARD);
	made_event(TS_ACTION_SEGMENT_ALLOC, 9000, 64, FORWARD);
	made_event(TS_ACTION_ALLOC, 6000, 30, FORWARD);
	made_free(6000, 30, FORWARD);
	made_segment(5000, 1000);
	made_block(900, 10, TS_BLOCK_ACTIVE, FORWARD);
	made_block(100, 7, TS_BLOCK_ACTIVE, FORWARD);
	made_segment(9000, 64);
	made_block(64, 0, TS_BLOCK_INACTIVE, NULL);
	ts_arena_init(&arena, 0);
	assert_int_equal(ts_memory_of(made_end(), 0, &arena, &answer, &err), TS_OK);
	assert_int_equal(ts_course_of(&answer.devices[0].memory, &arena, &c, &err), TS_OK);
	assert_int_equal(c.n, 6); /* before, and after each of five events */
	for (size_t i = 0; i < c.n; i++) {
		static const uint64_t totals[] = {7, 17, 17, 47, 47, 17}, reserved[] = {1000, 1000, 1064, 1064, 1064, 1064};

		assert_int_equal(c.states[i].total, totals[i]);
		assert_int_equal(c.states[i].reserved, reserved[i]);
	}
	assert_int_equal(c.states[3].kinds[TS_MEMORY_TEMPORARY], 30);
	assert_int_equal(c.states[3].n_holds, 3);
	assert_int_equal(answer.devices[0].replay->lives[c.states[3].holds[0]].requested, 30);
	assert_int_equal(c.states[4].n_holds, 3);
	assert_int_equal(c.states[5].n_holds, 2);
	assert_int_equal(c.n_largest, 3);
	ts_arena_finish(&arena);
}

#define NO_TEXTS .stack = TS_SNAPSHOT_NONE, .context = TS_SNAPSHOT_NONE, .metadata = TS_SNAPSHOT_NONE

/* 100,000 events: one byte more each, but for a spike in the middle of a piece, which must not be lost. */
static void thins_without_losing_extremes(void **state)
{
	enum { EVENTS = 100000, SPIKE = 51234, DIP = 70011 };
	static struct ts_snapshot_event events[EVENTS];
	static struct ts_snapshot_segment segment = {.total = 1 << 20, .stack = TS_SNAPSHOT_NONE};
	static struct ts_snapshot_device device = {0, EVENTS};
	struct ts_snapshot s = {
		.events = events, .n_events = EVENTS, .segments = &segment, .n_segments = 1, .devices = &device, .n_devices = 1};
	struct ts_memory_answer answer;
	struct ts_course c;
	struct ts_arena arena;
	struct ts_error err;
	bool spike = false, dip = false;

	(void)state;
	for (uint32_t i = 0; i < EVENTS; i++)
		events[i] = (struct ts_snapshot_event){.address = i,
						       .size = i == SPIKE ? 1000000 : 1,
						       .time_us = i,
						       NO_TEXTS,
						       .action = TS_ACTION_ALLOC};
	events[SPIKE + 1] = (struct ts_snapshot_event){
		.address = SPIKE, .size = 1000000, NO_TEXTS, .action = TS_ACTION_FREE_COMPLETED};
	for (uint32_t i = 0; i < 50; i++) /* 50 bytes go and come back */
		events[DIP + i] = (struct ts_snapshot_event){
			.address = i, .size = 1, NO_TEXTS, .action = TS_ACTION_FREE_COMPLETED};
	ts_arena_init(&arena, 0);
	assert_int_equal(ts_memory_of(&s, 0, &arena, &answer, &err), TS_OK);
	assert_int_equal(ts_course_of(&answer.devices[0].memory, &arena, &c, &err), TS_OK);
	assert_true(c.n <= 2 * TS_COURSE_PIECES + 2);
	for (size_t i = 0; i < c.n; i++) {
		spike |= c.states[i].event == SPIKE;
		dip |= c.states[i].event == DIP + 49;
		assert_true(!i || c.states[i].event > c.states[i - 1].event || c.states[i - 1].event == TS_REPLAY_BEFORE);
	}
	assert_true(spike && dip);
	ts_arena_finish(&arena);
}

/* --- of every snapshot --- */

/* fitting: the events of segments fit the segments, which those of newest.pickle do not. */
static void holds_at(const struct ts_memory_device *d, uint32_t event, bool fitting, struct ts_arena *arena)
{
	uint64_t requested, reserved, sum = 0, of_ranges = 0;
	struct ts_moment moment;
	struct ts_holders h;
	struct ts_heap heap;
	struct ts_error err;

	assert_int_equal(ts_moment_of(&d->memory, event, arena, &moment, &err), TS_OK);
	ts_replay_level(d->replay, event, &requested, &reserved);
	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		sum += moment.kinds[i].bytes;
	assert_int_equal(sum, moment.requested);
	assert_int_equal(reserved, moment.reserved);
	if (!d->replay->baseline_error)
		assert_int_equal(requested, moment.requested);
	for (int by = TS_BY_STACK; by <= TS_BY_SIZE; by++) {
		assert_int_equal(ts_holders_at(&d->memory, event, (enum ts_holder_by)by, arena, &h, &err), TS_OK);
		sum = 0;
		for (size_t i = 0; i < h.n; i++)
			sum += h.items[i].bytes;
		assert_int_equal(sum, moment.requested);
	}
	assert_int_equal(ts_heap_after(d->replay, event, arena, &heap, &err), TS_OK);
	for (uint32_t i = 0; heap.known && i < heap.n; i++) {
		assert_int_equal(heap.ranges[i].used + heap.ranges[i].free, heap.ranges[i].end - heap.ranges[i].begin);
		of_ranges += heap.ranges[i].end - heap.ranges[i].begin;
	}
	if (heap.known && fitting)
		assert_int_equal(of_ranges, reserved);
}

static void holds_of(const struct ts_memory_device *d, bool fitting, struct ts_arena *arena)
{
	uint64_t peak = 0, kinds_peak = 0, kinds_end = 0;
	struct ts_course c;
	struct ts_error err;

	assert_int_equal(ts_course_of(&d->memory, arena, &c, &err), TS_OK);
	for (size_t i = 0; i < c.n; i++) {
		uint64_t sum = 0, requested, reserved;

		for (int k = 0; k < TS_MEMORY_KINDS; k++)
			sum += c.states[i].kinds[k];
		assert_int_equal(sum, c.states[i].total);
		ts_replay_level(d->replay, c.states[i].event, &requested, &reserved);
		if (!d->replay->baseline_error)
			assert_int_equal(requested, c.states[i].total);
		assert_int_equal(c.states[i].reserved, reserved);
		assert_true(c.states[i].reserved_most >= reserved);
		peak = sum > peak ? sum : peak;
	}
	for (int k = 0; k < TS_MEMORY_KINDS; k++) {
		kinds_peak += d->kinds[k].at_peak;
		kinds_end += d->kinds[k].at_end;
	}
	if (!d->replay->baseline_error) {
		assert_int_equal(kinds_end, d->replay->requested);
		if (d->traced)
			assert_int_equal(peak, d->replay->peak);
		if (d->traced)
			assert_int_equal(kinds_peak, d->replay->peak);
	}
	assert_true(!d->traced || d->replay->baseline_error || d->peak_allocated >= d->replay->peak);
	holds_at(d, TS_REPLAY_BEFORE, fitting, arena);
	for (uint32_t i = 0; i < 12 && i < d->replay->n_events; i++)
		holds_at(d, (uint32_t)((uint64_t)d->replay->n_events * i / 12), fitting, arena);
}

static void sums_hold_of_every_snapshot(void **state)
{
	glob_t files = {0};
	size_t devices = 0;

	(void)state;
	assert_int_equal(glob("tests/golden/snapshot/*.pickle*", 0, NULL, &files), 0);
	(void)glob("../shared/corpus/snapshots/*.pickle", GLOB_APPEND, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct ts_memory_answer answer;
		struct ts_snapshot s;
		struct ts_arena arena;
		struct ts_error err;

		ts_arena_init(&arena, 0);
		assert_int_equal(ts_snapshot_load(files.gl_pathv[i], &arena, &s, &err), TS_OK);
		assert_int_equal(ts_memory_of(&s, 0, &arena, &answer, &err), TS_OK);
		for (size_t d = 0; d < answer.n; d++, devices++)
			holds_of(&answer.devices[d], strstr(files.gl_pathv[i], "newest") == NULL, &arena);
		ts_arena_finish(&arena);
	}
	print_message("%zu devices of %zu files\n", devices, (size_t)files.gl_pathc);
	globfree(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(course_by_hand),
		cmocka_unit_test(thins_without_losing_extremes),
		cmocka_unit_test(sums_hold_of_every_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
