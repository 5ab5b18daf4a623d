/* The replay of snapshots against a replay by Python (tests/golden/snapshot/make.py), and by hand. With --print FILE: its figures as
 * JSON, in the terms of that script. */
#include "analysis/snapshot/fragments.h"
#include "analysis/snapshot/replay.h"
#include "base/file.h"
#include "ingest/snapshot/snapshot_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* --- figures in the terms of make.py --- */

static void put_ops(const struct ts_replay *r, struct ts_buf *out)
{
	static const char *const words[TS_ACTIONS] = {"alloc",	      "free_requested",	   "free_completed", "segment_alloc",
						      "segment_free", "segment_map",	   "segment_unmap",  "snapshot",
						      "oom",	      "workspace_snapshot"};
	const char *comma = "";

	ts_buf_str(out, "{");
	for (int i = 0; i < TS_ACTIONS; i++)
		if (r->n_of[i]) {
			ts_buf_printf(out, "%s\"%s\": %" PRIu64, comma, words[i], r->n_of[i]);
			comma = ", ";
		}
	ts_buf_str(out, "}");
}

static void put_figures(const struct ts_snapshot *s, uint16_t device, struct ts_buf *out)
{
	struct ts_fragments f;
	struct ts_replay r;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_replay_device(s, device, &arena, &r, &err), TS_OK);
	ts_fragments_of(s, device, &f);
	ts_buf_printf(out, "\"%u\": {\"reserved\": %" PRIu64 ", \"allocated\": %" PRIu64 ", \"active\": %" PRIu64, device, r.reserved,
		      r.allocated, r.active);
	ts_buf_printf(out, ", \"requested_active\": %" PRIu64 ", \"segments\": %u", r.requested, r.n_segments);
	ts_buf_printf(out, ", \"fully_free_segments\": %u, \"fully_free_bytes\": %" PRIu64, f.n_whole, f.whole);
	ts_buf_printf(out, ", \"inactive_in_used_segments\": %" PRIu64 ", \"internal_rounding\": %" PRIu64, f.free - f.cached,
		      r.rounding);
	ts_buf_printf(out, ", \"events\": %u, \"ops\": ", r.n_events);
	put_ops(&r, out);
	ts_buf_printf(out, ", \"net_traced\": %" PRId64 ", \"frees_of_preexisting_bytes\": %" PRIu64 ", \"frees_of_preexisting\": %u",
		      r.net, r.freed_before, r.n_freed_before);
	ts_buf_printf(out, ", \"baseline_before_trace_requested\": %" PRIu64 ", \"peak_total_requested\": %" PRIu64, r.baseline,
		      r.peak);
	ts_buf_printf(out, ", \"peak_event_idx\": %d", r.peak_event == TS_REPLAY_BEFORE ? -1 : (int)r.peak_event);
	ts_buf_printf(out, ", \"live_at_end_by_trace\": %u, \"live_at_end_confirmed_by_blocks\": %u", r.n_confirmed + r.n_unconfirmed,
		      r.n_confirmed);
	ts_buf_printf(out, ", \"addr_reused_without_free\": %u, \"size_mismatch\": %u}", r.n_reused, r.n_resized);
	ts_arena_finish(&arena);
}

static void read_file(const char *path, struct ts_arena *arena, struct ts_snapshot *ret)
{
	struct ts_source source = {.path = ts_span_str(path)};
	struct ts_error err = {0};

	if (ts_file_open(path, &source.fd, &source.size, &err) || ts_snapshot_read(&source, arena, ret, &err))
		fail_msg("%s", err.text);
}

static void print_figures(const char *path, struct ts_buf *out)
{
	struct ts_snapshot s;
	struct ts_arena arena;

	ts_arena_init(&arena, 0);
	read_file(path, &arena, &s);
	for (size_t d = 0; d < s.n_devices; d++) {
		ts_buf_str(out, d ? ", " : "{");
		put_figures(&s, (uint16_t)d, out);
	}
	ts_buf_str(out, "}\n");
	ts_arena_finish(&arena);
}

static int run_print(const char *path)
{
	struct ts_buf out = TS_BUF_INIT(1 << 24);

	print_figures(path, &out);
	(void)fwrite(out.data, 1, out.len, stdout);
	ts_buf_finish(&out);
	return 0;
}

static void agrees_with_a_replay_by_python(void **state)
{
	(void)state;
	assert_int_equal(
		system("python3 tests/golden/snapshot/make.py --check-replay \"$TS_BUILD/analysis/snapshot/test_replay\" "
		       "tests/golden/snapshot/replay.json tests/golden/snapshot/newest4.pickle tests/golden/snapshot/oom.pickle"),
		0);
	if (ts_file_kind("../shared/corpus/snapshots") != TS_FILE_DIRECTORY) {
		print_message("skipped: no ../shared/corpus here\n");
		return;
	}
	assert_int_equal(system("python3 tests/golden/snapshot/make.py --check-replay \"$TS_BUILD/analysis/snapshot/test_replay\" "
				"../shared/corpus/snapshots/exact_replay.json ../shared/corpus/snapshots/*.pickle"),
			 0);
}

/* --- by hand --- */

#define AT(a, addr, bytes)                                                                                                             \
	{                                                                                                                              \
		.address = (addr), .size = (bytes), .time_us = 0, .stack = TS_SNAPSHOT_NONE, .context = TS_SNAPSHOT_NONE,              \
		.metadata = TS_SNAPSHOT_NONE, .action = TS_ACTION_##a                                                                  \
	}

static void replay(const struct ts_snapshot_event *events, size_t n, const struct ts_snapshot_block *blocks, uint32_t n_blocks,
		   struct ts_arena *arena, struct ts_replay *ret)
{
	static struct ts_snapshot s;
	static struct ts_snapshot_segment segment;
	static struct ts_snapshot_device device;
	struct ts_error err;

	segment = (struct ts_snapshot_segment){.total = 1000, .n_blocks = n_blocks, .stack = TS_SNAPSHOT_NONE};
	device = (struct ts_snapshot_device){0, n};
	s = (struct ts_snapshot){.segments = &segment,
				 .n_segments = 1,
				 .blocks = blocks,
				 .n_blocks = n_blocks,
				 .events = events,
				 .n_events = n,
				 .devices = &device,
				 .n_devices = 1};
	assert_int_equal(ts_replay_device(&s, 0, arena, ret, &err), TS_OK);
}

/* 100 were there before, of which 30 go; 50 come and go, 20 come and stay. Requested: 100, 150, 120, 140, 90. */
static void follows_what_was_there_before(void **state)
{
	static const struct ts_snapshot_event events[] = {
		AT(ALLOC, 1, 50),	   AT(FREE_REQUESTED, 2, 30), AT(FREE_COMPLETED, 2, 30), AT(ALLOC, 3, 20),
		AT(SEGMENT_ALLOC, 9, 400), AT(FREE_REQUESTED, 1, 50), AT(FREE_COMPLETED, 1, 50),
	};
	static const struct ts_snapshot_block blocks[] = {
		{.address = 3, .size = 32, .requested = 20, .stack = TS_SNAPSHOT_NONE, .state = TS_BLOCK_ACTIVE},
		{.address = 4, .size = 64, .requested = 40, .stack = TS_SNAPSHOT_NONE, .state = TS_BLOCK_ACTIVE},
		{.address = 5, .size = 30, .requested = 30, .stack = TS_SNAPSHOT_NONE, .state = TS_BLOCK_PENDING},
		{.address = 6, .size = 9, .requested = 77, .stack = TS_SNAPSHOT_NONE, .state = TS_BLOCK_INACTIVE}};
	struct ts_arena arena;
	struct ts_replay r;
	uint64_t live = 0;

	(void)state;
	ts_arena_init(&arena, 0);
	replay(events, 7, blocks, 4, &arena, &r);
	assert_int_equal(r.requested, 90);
	assert_int_equal(r.rounding, 12 + 24);
	assert_int_equal(r.net, -10);
	assert_int_equal(r.baseline, 100);
	assert_int_equal(r.baseline_error, 0);
	assert_int_equal(r.peak, 150);
	assert_int_equal(r.peak_event, 0);
	assert_int_equal(r.freed_before, 30);
	assert_int_equal(r.reserved_peak, 1000);
	assert_int_equal(r.reserved_peak_event, 4);
	assert_int_equal(r.points[0].reserved_max, 600);
	assert_int_equal(r.n_lives, 5);
	for (uint32_t i = 0; i < r.n_lives; i++)
		live += ts_life_at(&r.lives[i], r.peak_event) ? r.lives[i].requested : 0;
	assert_int_equal(live, r.peak); /* the lives at the peak are the peak */
	ts_arena_finish(&arena);
}

/* An address that is given out twice, a size that changes, and a life that no block shows: each counts with its bytes. */
static void bounds_the_error_of_the_baseline(void **state)
{
	static const struct ts_snapshot_event events[] = {AT(ALLOC, 1, 50), AT(ALLOC, 1, 60), AT(FREE_COMPLETED, 1, 63),
							  AT(ALLOC, 2, 7)};
	struct ts_arena arena;
	struct ts_replay r;

	(void)state;
	ts_arena_init(&arena, 0);
	replay(events, 4, NULL, 0, &arena, &r);
	assert_int_equal(r.n_reused, 1);
	assert_int_equal(r.n_resized, 1);
	assert_int_equal(r.n_unconfirmed, 1);
	assert_int_equal(r.baseline_error, 50 + 3 + 7);
	ts_arena_finish(&arena);
}

/* An address that is freed twice, and a block in use whose address the events freed: their allocations were not recorded
 * (skip_actions of torch), and they were not there before the first event. */
static void says_where_allocations_were_not_recorded(void **state)
{
	static const struct ts_snapshot_event events[] = {AT(FREE_REQUESTED, 1, 50), AT(FREE_COMPLETED, 1, 50),
							  AT(FREE_REQUESTED, 1, 20), AT(FREE_COMPLETED, 1, 20)},
						 others[] = {AT(FREE_COMPLETED, 1, 50), AT(FREE_REQUESTED, 1, 20),
							     AT(FREE_COMPLETED, 1, 20), AT(ALLOC, 3, 9), AT(FREE_COMPLETED, 3, 9)};
	static const struct ts_snapshot_block blocks[] = {
		{.address = 1, .size = 512, .requested = 7, .stack = TS_SNAPSHOT_NONE, .state = TS_BLOCK_ACTIVE},
		{.address = 2, .size = 512, .requested = 100, .stack = TS_SNAPSHOT_NONE, .state = TS_BLOCK_ACTIVE}};
	struct ts_arena arena;
	struct ts_replay r;

	(void)state;
	ts_arena_init(&arena, 0);
	replay(events, 4, blocks, 2, &arena, &r);
	assert_int_equal(r.n_unseen, 2);
	assert_int_equal(r.baseline, 50 + 20 + 7 + 100);
	assert_int_equal(r.baseline_error, r.baseline); /* none was recorded: none of it need have been there */
	ts_arena_finish(&arena);
	ts_arena_init(&arena, 0);
	replay(others, 5, blocks, 2, &arena, &r);
	assert_int_equal(r.n_unseen, 2);
	assert_int_equal(r.baseline_error, 20 + 7);
	ts_arena_finish(&arena);
}

/* Where no free_completed was recorded, free_requested ends a life, except that of a block which still waits for another stream. */
static void without_completed_frees_the_requested_ones_count(void **state)
{
	static const struct ts_snapshot_event events[] = {
		AT(ALLOC, 1, 50), AT(FREE_REQUESTED, 1, 50), AT(ALLOC, 1, 60), AT(FREE_REQUESTED, 9, 5), AT(FREE_REQUESTED, 1, 60),
		AT(ALLOC, 2, 7),
	};
	static const struct ts_snapshot_block blocks[] = {
		{.address = 1, .size = 512, .requested = 60, .stack = TS_SNAPSHOT_NONE, .state = TS_BLOCK_PENDING},
		{.address = 2, .size = 512, .requested = 7, .stack = TS_SNAPSHOT_NONE, .state = TS_BLOCK_ACTIVE}};
	struct ts_arena arena;
	struct ts_replay r;
	uint64_t requested, reserved;

	(void)state;
	ts_arena_init(&arena, 0);
	replay(events, 6, blocks, 2, &arena, &r);
	assert_int_equal(r.n_of[TS_ACTION_FREE_REQUESTED], 3); /* as the file has it */
	assert_int_equal(r.baseline_error, 0);
	assert_int_equal(r.n_confirmed, 2);
	assert_int_equal(r.baseline, 5);
	assert_int_equal(r.peak, 67);
	assert_int_equal(r.peak_event, 5);
	ts_replay_level(&r, 1, &requested, &reserved);
	assert_int_equal(requested, 5);
	assert_int_equal(r.lives[0].died, 1);
	assert_int_equal(r.lives[1].let_go, 4);
	assert_int_equal(r.lives[1].died, TS_REPLAY_NEVER);
	ts_arena_finish(&arena);
}

/* Without events there is no peak to speak of: it is what is there. */
static void a_snapshot_without_events_has_only_its_end(void **state)
{
	static const struct ts_snapshot_block blocks[] = {
		{.size = 512, .requested = 100, .stack = TS_SNAPSHOT_NONE, .state = TS_BLOCK_ACTIVE}};
	struct ts_arena arena;
	struct ts_replay r;

	(void)state;
	ts_arena_init(&arena, 0);
	replay(NULL, 0, blocks, 1, &arena, &r);
	assert_int_equal(r.n_events, 0);
	assert_int_equal(r.n_points, 0);
	assert_int_equal(r.baseline, 100);
	assert_int_equal(r.peak_event, TS_REPLAY_BEFORE);
	assert_int_equal(r.lives[0].born, TS_REPLAY_BEFORE);
	assert_int_equal(r.lives[0].died, TS_REPLAY_NEVER);
	ts_arena_finish(&arena);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_replay_by_python),
		cmocka_unit_test(follows_what_was_there_before),
		cmocka_unit_test(bounds_the_error_of_the_baseline),
		cmocka_unit_test(says_where_allocations_were_not_recorded),
		cmocka_unit_test(without_completed_frees_the_requested_ones_count),
		cmocka_unit_test(a_snapshot_without_events_has_only_its_end),
	};

	if (argc == 3 && strcmp(argv[1], "--print") == 0)
		return run_print(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
