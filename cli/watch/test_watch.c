/* test_watch.c - the pure core of watch: curves, what is kept of ranks, their pace, how a run stands, which findings are said, and
 * the frame. */
#include "base/text.h"
#include "cli/watch/alarm.h"
#include "cli/watch/hook.h"
#include "cli/watch/lines.h"
#include "cli/watch/machine_now.h"
#include "cli/watch/watch_frame.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct ts_span text(const char *s)
{
	return ts_span_str(s);
}

/* --- curves --- */

static void curve_keeps_its_spike(void **state)
{
	struct ts_curve c = {.any = false};
	double least, greatest;

	(void)state;
	for (int64_t i = 0; i < 100000; i++)
		ts_curve_add(&c, 7 + i, i == 54321 ? 99.0 : 1.0);
	assert_true(ts_curve_range(&c, &least, &greatest));
	assert_true(least == 1.0 && greatest == 99.0);
	assert_true(c.n <= TS_CURVE_CELLS);
	assert_int_equal(c.first, 7);
	assert_int_equal(c.shift, 9); /* 100,000 steps in 256 cells: 391 each, so 512 */
}

static void curve_forgets_what_is_executed_again(void **state)
{
	struct ts_curve c = {.any = false};
	double least, greatest;

	(void)state;
	for (int64_t i = 0; i < 100; i++)
		ts_curve_add(&c, i, (double)i);
	ts_curve_cut(&c, 50);
	assert_true(ts_curve_range(&c, &least, &greatest));
	assert_true(greatest == 49.0);
	ts_curve_cut(&c, 0);
	assert_false(ts_curve_range(&c, &least, &greatest));
}

static void curve_takes_any_step_and_value(void **state)
{
	static const double values[] = {INFINITY, -INFINITY, 1e308, -1e308, 0.0};
	struct ts_buf rows[2] = {TS_BUF_INIT(4096), TS_BUF_INIT(4096)};
	struct ts_curve c = {.any = false};
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_curve_add(&c, INT64_MIN, (double)NAN);
	ts_curve_add(&c, INT64_MAX, (double)NAN);
	for (size_t i = 0; i < 5; i++)
		ts_curve_add(&c, (int64_t)i, values[i]);
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_curve_draw(&c, 20, 2, true, &arena, rows, &err), TS_OK);
	assert_int_equal(ts_text_width(ts_buf_view(&rows[0])), 20);
	assert_int_equal(ts_text_width(ts_buf_view(&rows[1])), 20);
	ts_buf_finish(&rows[0]);
	ts_buf_finish(&rows[1]);
	ts_arena_finish(&arena);
}

static void curve_falls_from_left_to_right(void **state)
{
	struct ts_buf rows[2] = {TS_BUF_INIT(4096), TS_BUF_INIT(4096)};
	struct ts_curve c = {.any = false};
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	for (int64_t i = 0; i < 8; i++)
		ts_curve_add(&c, i, i < 4 ? 1.0 : 0.0);
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_curve_draw(&c, 8, 2, false, &arena, rows, &err), TS_OK);
	assert_true(ts_span_is(ts_buf_view(&rows[0]), "****    "));
	assert_true(ts_span_is(ts_buf_view(&rows[1]), "    ****"));
	ts_buf_finish(&rows[0]);
	ts_buf_finish(&rows[1]);
	ts_arena_finish(&arena);
}

/* --- what is kept --- */

static void step(struct ts_live *live, int32_t rank, int64_t number, double time, uint32_t column, double value)
{
	const struct ts_live_cell cell = {column, value};
	const struct ts_live_step s = {.step = number, .time = time, .cells = &cell, .n = 1};

	ts_live_step(live, ts_live_rank(live, rank), &s);
}

static void live_keeps_the_last_steps(void **state)
{
	struct ts_live live;
	uint32_t forward;
	struct ts_live_rank *rank;

	(void)state;
	ts_live_init(&live);
	forward = ts_live_column(&live, text("phases.forward"));
	assert_int_equal(forward, ts_live_column(&live, text("phases.forward")));
	for (int64_t i = 0; i < 2000; i++)
		step(&live, 3, i, (double)i, forward, 0.5);
	rank = ts_live_rank(&live, 3);
	assert_int_equal(rank->n, TS_LIVE_STEPS);
	assert_int_equal(ts_live_at(rank, 0)->step, 2000 - TS_LIVE_STEPS);
	assert_int_equal(ts_live_newest(rank)->step, 1999);
	assert_null(ts_live_find(rank, 2000 - TS_LIVE_STEPS - 1));
	assert_int_equal(ts_live_find(rank, 1777)->step, 1777);
	ts_live_finish(&live);
}

static void live_goes_back_with_a_restart(void **state)
{
	struct ts_live live;
	uint32_t loss;

	(void)state;
	ts_live_init(&live);
	assert_true(ts_live_want(&live, text("loss")));
	loss = ts_live_column(&live, text("scalars.loss"));
	for (int64_t i = 0; i < 100; i++)
		step(&live, 0, i, (double)i, loss, (double)i);
	step(&live, 0, 40, 200, loss, 7);
	assert_int_equal(ts_live_newest(live.ranks[0])->step, 40);
	assert_int_equal(live.ranks[0]->n, 41);
	assert_true(ts_live_last_of(live.ranks[0], loss)->value == 7);
	ts_live_finish(&live);
}

static void live_finds_the_column_that_is_meant(void **state)
{
	struct ts_live live;

	(void)state;
	ts_live_init(&live);
	assert_true(ts_live_want(&live, text("loss")));
	assert_int_equal(live.columns ? 1 : 0, 0);
	(void)ts_live_column(&live, text("scalars.eval/loss"));
	assert_int_equal(live.wanted[0].column, 0);
	(void)ts_live_column(&live, text("scalars.train/loss"));
	assert_int_equal(live.wanted[0].column, 0);
	(void)ts_live_column(&live, text("scalars.loss"));
	assert_int_equal(live.wanted[0].column, 2);
	assert_int_equal(live.columns[0].curve, -1);
	(void)ts_live_column(&live, text("scalars.gloss"));
	assert_int_equal(live.wanted[0].column, 2);
	ts_live_finish(&live);
}

static void live_has_a_limit_of_columns(void **state)
{
	struct ts_live live;
	char name[32];

	(void)state;
	ts_live_init(&live);
	for (int i = 0; i < TS_LIVE_COLUMNS + 10; i++) {
		(void)snprintf(name, sizeof name, "scalars.c%d", i);
		assert_true(ts_live_column(&live, text(name)) == (i < TS_LIVE_COLUMNS ? (uint32_t)i : TS_LIVE_NONE));
	}
	assert_true(live.left_out);
	ts_live_finish(&live);
}

/* --- pace and ranks --- */

static void pace_counts_steps_between_records(void **state)
{
	struct ts_live live;
	uint32_t loss;
	struct ts_pace pace;

	(void)state;
	ts_live_init(&live);
	loss = ts_live_column(&live, text("scalars.loss"));
	for (int64_t i = 0; i < 50; i++)
		step(&live, 0, i * 10, (double)i * 2, loss, 1); /* a record each ten steps, and two seconds */
	pace = ts_pace_of(live.ranks[0]);
	assert_true(fabs(pace.per_second - 5) < 1e-12);
	assert_true(pace.usual == 2 && pace.longest == 2);
	assert_true(fabs(ts_pace_left(&pace, 490, 1490) - 200) < 1e-9);
	assert_true(ts_pace_limit(&pace) == 40); /* 20 times the usual */
	assert_false(ts_pace_hangs(&pace, 40));
	assert_true(ts_pace_hangs(&pace, 41));
	ts_live_finish(&live);
}

static void a_pause_that_was_seen_is_no_hang(void **state)
{
	struct ts_live live;
	uint32_t loss;
	struct ts_pace pace;

	(void)state;
	ts_live_init(&live);
	loss = ts_live_column(&live, text("scalars.loss"));
	for (int64_t i = 0; i < 600; i++)
		step(&live, 0, i, (double)i + (i >= 10 ? 120 : 0), loss, 1); /* an evaluation of two minutes, long ago */
	pace = ts_pace_of(live.ranks[0]);
	assert_true(ts_pace_limit(&pace) == 3 * 121.0);
	ts_live_finish(&live);
}

static void steps_without_times_have_the_pace_at_which_they_came(void **state)
{
	struct ts_live live;
	struct ts_pace pace;
	int64_t newest;
	uint32_t loss;
	double time;

	(void)state;
	ts_live_init(&live);
	loss = ts_live_column(&live, text("scalars.loss"));
	for (int64_t i = 0; i < 5000; i++) /* what was there before says nothing of the pace */
		step(&live, 0, i, (double)NAN, loss, 1);
	ts_live_arrived(&live, 1000);
	ts_live_arrived(&live, 1009); /* nothing came */
	pace = ts_pace_of(live.ranks[0]);
	assert_true(isnan(pace.per_second) && isnan(ts_pace_limit(&pace)));
	assert_true(ts_pace_newest(&live, &newest, &time) && newest == 4999 && isnan(time));
	for (int64_t i = 0; i < 100; i++) { /* four steps each two seconds, from second 1010 on */
		for (int64_t k = 0; k < 4; k++)
			step(&live, 0, 5000 + 4 * i + k, (double)NAN, loss, 1);
		ts_live_arrived(&live, 1010 + 2 * (double)i);
	}
	pace = ts_pace_of(live.ranks[0]);
	assert_true(pace.by_arrival && pace.per_second == 2 && pace.usual == 2 && pace.longest == 10);
	assert_true(ts_pace_limit(&pace) == 40); /* 20 times the usual */
	assert_true(ts_pace_newest(&live, &newest, &time) && newest == 5399 && time == 1208);
	assert_false(ts_pace_hangs(&pace, 1248 - time));
	assert_true(ts_pace_hangs(&pace, 1249 - time));
	step(&live, 0, 5100, (double)NAN, loss, 1); /* a restart: what came of the steps behind it is of no use */
	pace = ts_pace_of(live.ranks[0]);
	assert_false(pace.by_arrival && pace.steps > 26);
	step(&live, 1, 7, 2000, loss, 1); /* one rank has a time, the other none */
	assert_true(ts_pace_newest(&live, &newest, &time) && newest == 5100 && time == 2000);
	ts_live_finish(&live);
}

static void ranks_are_compared_at_steps_that_all_have(void **state)
{
	static const double takes[3] = {1, 3, 1.5};
	struct ts_live live;
	struct ts_common common;
	struct ts_arena arena;
	uint32_t forward;

	(void)state;
	ts_live_init(&live);
	ts_arena_init(&arena, 1 << 20);
	assert_false(ts_pace_common(&live, &arena, &common));
	forward = ts_live_column(&live, text("phases.forward"));
	for (int32_t r = 0; r < 3; r++)
		for (int64_t i = 0; i < 300 + 10 * r; i++)
			step(&live, r, i, (double)i * 4, forward, i < 200 ? 50 : takes[r]);
	assert_true(ts_pace_common(&live, &arena, &common));
	assert_int_equal(common.ranks, 3);
	assert_int_equal(common.newest, 299);
	assert_int_equal(common.steps, 100);
	assert_true(common.phases[0].median == 1.5 && common.phases[0].worst == 3 && common.phases[0].who == 1);
	assert_true(common.whole.median == 4);
	ts_arena_finish(&arena);
	ts_live_finish(&live);
}

/* --- how it stands --- */

static void standing_follows_what_is_known(void **state)
{
	struct ts_signs s = {
		.told = TS_END_UNKNOWN, .age = 1, .since_news = 1, .pace = {.steps = 100, .per_second = 1, .usual = 1, .longest = 1}};

	(void)state;
	assert_int_equal(ts_stand_of(&s), TS_STAND_WAITS);
	s.any = true;
	assert_int_equal(ts_stand_of(&s), TS_STAND_RUNS);
	s.age = 31;
	assert_int_equal(ts_stand_of(&s), TS_STAND_STILL);
	s.age = (double)NAN; /* no step has a time */
	assert_int_equal(ts_stand_of(&s), TS_STAND_UNSAID);
	s.fresh = true;
	assert_int_equal(ts_stand_of(&s), TS_STAND_RUNS);
	s.files = TS_FILES_LEFT;
	assert_int_equal(ts_stand_of(&s), TS_STAND_RUNS);
	s.since_news = 11;
	assert_int_equal(ts_stand_of(&s), TS_STAND_LOST);
	s.files = TS_FILES_CLOSED;
	assert_int_equal(ts_stand_of(&s), TS_STAND_FINISHED);
	s.told = TS_END_CRASHED;
	assert_int_equal(ts_stand_of(&s), TS_STAND_CRASHED);
	s = (struct ts_signs){.told = TS_END_HUNG, .files = TS_FILES_RUN, .age = 4, .any = true};
	s.pace = (struct ts_pace){.steps = 100, .usual = 1, .longest = 1};
	assert_int_equal(ts_stand_of(&s), TS_STAND_STILL); /* --hang-after is shorter than what is seen here */
	s.age = 2;					     /* a step came since */
	assert_int_equal(ts_stand_of(&s), TS_STAND_RUNS);
	s = (struct ts_signs){.told = TS_END_RUNNING, .pushed = true, .since_news = 61, .any = true, .age = 61};
	assert_int_equal(ts_stand_of(&s), TS_STAND_LOST);
	s.told = TS_END_UNKNOWN; /* it never said that it goes on */
	assert_int_equal(ts_stand_of(&s), TS_STAND_RUNS);
}

/* --- which findings are said --- */

static const char *said(struct ts_alarms *a)
{
	const struct ts_alarm *alarm = ts_alarms_next(a);

	return alarm ? alarm->code : "";
}

static void what_is_certain_is_said_at_once_and_once(void **state)
{
	const struct ts_found found[] = {{ts_span_str("DIST.REPLICAS"), false}};
	struct ts_alarms a = {.n = 0};

	(void)state;
	ts_alarms_look(&a, found, 1, 0, 100);
	assert_string_equal(said(&a), "DIST.REPLICAS");
	ts_alarms_look(&a, found, 1, 0, 200);
	assert_string_equal(said(&a), "");
}

static void what_goes_on_is_said_when_later_steps_show_it(void **state)
{
	const struct ts_found found[] = {{ts_span_str("DIST.STRAGGLER"), false}};
	struct ts_alarms a = {.n = 0};

	(void)state;
	ts_alarms_look(&a, found, 1, 0, 800);
	assert_string_equal(said(&a), "");
	ts_alarms_look(&a, found, 1, 0, 899);
	assert_int_not_equal(ts_alarms_fresh(&a, 899), 800); /* an eighth of 800 is 100 */
	assert_int_equal(ts_alarms_fresh(&a, 900), 800);
	ts_alarms_look(&a, found, 1, 800, 900);
	assert_string_equal(said(&a), "DIST.STRAGGLER");
}

static void what_later_steps_do_not_show_is_forgotten(void **state)
{
	const struct ts_found found[] = {{ts_span_str("DIST.STRAGGLER"), false}};
	struct ts_alarms a = {.n = 0};

	(void)state;
	ts_alarms_look(&a, found, 1, 0, 800);
	ts_alarms_look(&a, found, 0, 800, 900);
	assert_int_equal(a.n, 0);
	ts_alarms_look(&a, found, 1, 0, 910);
	assert_int_not_equal(ts_alarms_fresh(&a, 1000), 910);
	assert_string_equal(said(&a), "");
}

static void a_change_is_said_when_it_stays(void **state)
{
	const struct ts_found low[] = {{ts_span_str("TIMING.SLOWDOWN"), true}};
	const struct ts_found found[] = {{ts_span_str("TIMING.SLOWDOWN"), false}};
	struct ts_alarms a = {.n = 0};

	(void)state;
	ts_alarms_look(&a, found, 1, 500, 900); /* a part of the run does not begin it */
	assert_int_equal(a.n, 0);
	ts_alarms_look(&a, found, 1, 0, 1000);
	ts_alarms_look(&a, found, 1, 0, 1124);
	ts_alarms_look(&a, found, 1, 0, 1125); /* an eighth more */
	assert_string_equal(said(&a), "");
	ts_alarms_look(&a, found, 1, 0, 1250);
	assert_string_equal(said(&a), "TIMING.SLOWDOWN");
	a.n = 0;
	ts_alarms_look(&a, found, 1, 0, 1000);
	ts_alarms_look(&a, found, 0, 0, 1050);
	assert_int_equal(a.n, 0);
	ts_alarms_look(&a, low, 1, 0, 1000); /* nor is one that is called low */
	assert_int_equal(a.n, 0);
}

/* --- lines --- */

static void lines_are_read_in_pieces(void **state)
{
	static const char whole[] = "epoch 1 step 10 loss: 2.5\n{\"step\": 11, \"loss\": 2.25}\nnothing\nstep 12 | loss 2.0 |\r\n";
	struct ts_live live;
	struct ts_lines *l;
	struct ts_error err;

	(void)state;
	ts_live_init(&live);
	assert_true(ts_live_want(&live, text("loss")));
	assert_int_equal(ts_lines_create(&live, false, &l, &err), TS_OK);
	for (size_t i = 0; i < sizeof whole - 1; i++)
		assert_int_equal(ts_lines_feed(l, 0, 5, ts_span_of(whole + i, 1), &err), TS_OK);
	assert_int_equal(live.n_ranks, 1);
	assert_int_equal(live.ranks[0]->steps, 3);
	assert_int_equal(ts_live_newest(live.ranks[0])->step, 12);
	assert_true(ts_live_last_of(live.ranks[0], live.wanted[0].column)->value == 2.0);
	ts_lines_destroy(l);
	ts_live_finish(&live);
}

/* --- the frame --- */

static bool draws(struct ts_watch_frame *f, const struct ts_live *live, int width, bool utf8, const char *part)
{
	struct ts_term term = {.utf8 = utf8};
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_arena arena;
	struct ts_error err;
	bool has, fits = true;

	ts_arena_init(&arena, 1 << 22);
	assert_int_equal(ts_watch_draw(f, live, &term, width, &arena, &out, &err), TS_OK);
	for (size_t at = 0; at < out.len;) {
		size_t n = 0;

		while (out.data[at + n] != '\n')
			n++;
		fits &= ts_text_width(ts_span_of(out.data + at, n)) <= width;
		at += n + 1;
	}
	has = ts_span_has(ts_buf_view(&out), text(part));
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
	return has && fits;
}

static void frames_fit_and_say_what_is_not_known(void **state)
{
	struct ts_watch_frame f = {
		.word = "a", .stand = TS_STAND_RUNS, .age = (double)NAN, .pace = {.per_second = (double)NAN, .usual = (double)NAN}};
	struct ts_live live;
	uint32_t loss;

	(void)state;
	ts_live_init(&live);
	assert_true(ts_live_want(&live, text("loss")));
	assert_true(draws(&f, &live, 60, true, "no step yet"));
	loss = ts_live_column(&live, text("scalars.loss"));
	step(&live, 0, 5, (double)NAN, loss, (double)NAN);
	for (int width = 20; width < 200; width++)
		assert_true(draws(&f, &live, width, width % 2, "step 5"));
	assert_true(draws(&f, &live, 80, true, "steps/s unknown"));
	assert_true(draws(&f, &live, 80, true, "ETA unknown: no fact says how many steps"));
	assert_true(draws(&f, &live, 80, true, "last step at an unknown time"));
	assert_true(draws(&f, &live, 80, true, "NaN"));
	f.pace = (struct ts_pace){.per_second = 9.53129, .by_arrival = true};
	assert_true(draws(&f, &live, 80, true, "about 9.5 steps/s"));
	f.word = "\033[31m\xff\n";
	assert_true(draws(&f, &live, 80, true, "\\x1B[31m\\xFF\\n"));
	ts_live_finish(&live);
}

static void memory_has_a_forecast(void **state)
{
	struct ts_look_forecast forecast = {.known = true, .rank = 0, .from = 1000, .left = 2589, .low = 2500, .high = 2700};
	struct ts_watch_frame f = {
		.word = "a", .stand = TS_STAND_RUNS, .age = 1, .pace = {.per_second = 2, .usual = 0.5}, .capacity = 4};
	struct ts_live live;

	(void)state;
	ts_live_init(&live);
	step(&live, 0, 1099, 7, ts_live_column(&live, text("memory.peak_alloc")), 3);
	assert_false(draws(&f, &live, 200, true, "if memory grows on"));
	f.forecast = &forecast;
	assert_true(draws(&f, &live, 200, true, /* 3,589 - 1,099 are 2,490 steps, two a second */
			  "if memory grows on as it does, the device is full at about step 3,589 (3,500 to 3,700), in 20 min 45 s"));
	forecast.low = forecast.high = (double)NAN;
	f.pace.per_second = (double)NAN;
	assert_true(draws(&f, &live, 200, true, "is full at about step 3,589\n"));
	ts_live_finish(&live);
}

/* --- the machine --- */

static void write_to(const char *path, const char *mode, const char *what)
{
	FILE *file = fopen(path, mode);

	assert_non_null(file);
	assert_true(fputs(what, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The cores of the newest observation, or NaN. */
static double cores_now(const struct ts_machine_now *now, size_t *ret_gpus)
{
	struct ts_machine_rows rows = {.n = 0};
	struct ts_arena arena;
	double cores = (double)NAN;

	ts_arena_init(&arena, 1 << 22);
	if (ts_machine_now_rows(now, &arena, &rows))
		cores = *rows.values[TS_MACHINE_CPU];
	*ret_gpus = rows.n_gpus;
	ts_arena_finish(&arena);
	return cores;
}

static void the_newest_observation_is_read_while_it_grows(void **state)
{
	char folder[] = "/tmp/tscope-watch-XXXXXX", path[64], rank[64];
	struct ts_machine_now now;
	size_t gpus;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof path, "%s/machine.tscope", folder);
	(void)snprintf(rank, sizeof rank, "%s/rank0", folder);
	ts_machine_now_init(&now);
	ts_machine_now_look(&now, folder, rank);
	assert_true(isnan(cores_now(&now, &gpus)));
	write_to(path, "w", "seconds,cpu_cores\n1,2.5\n2,");
	ts_machine_now_look(&now, folder, rank); /* the rank has none of its own */
	assert_true(cores_now(&now, &gpus) == 2.5 && gpus == 0);
	write_to(path, "a", "3.5\nseconds,cpu_cores,gpu1_busy\n3,4.5,1\nseco");
	ts_machine_now_look(&now, folder, rank);
	assert_true(cores_now(&now, &gpus) == 4.5 && gpus == 2);
	write_to(path, "a", "nds,cpu_cores\n4,,,,,\n");
	ts_machine_now_look(&now, folder, rank);
	assert_true(isnan(cores_now(&now, &gpus)));
	write_to(path, "w", "seconds,cpu_cores\n1,7\n"); /* it was written anew */
	ts_machine_now_look(&now, folder, rank);
	assert_true(cores_now(&now, &gpus) == 7);
	assert_int_equal(unlink(path), 0);
	ts_machine_now_look(&now, folder, folder);
	assert_true(isnan(cores_now(&now, &gpus)));
	ts_machine_now_finish(&now);
	assert_int_equal(rmdir(folder), 0);
}

static void the_machine_is_drawn(void **state)
{
	static const char table[] = "seconds,cpu_cores,cpu_quota_cores,cpu_steal,memory_bytes,gpu1_busy,gpu1_sm_clock_mhz,"
				    "gpu1_throttled_by_heat\n"
				    "9,3.25,8,0.12,1073741824,0.97,1410,1\n";
	struct ts_watch_frame f = {.word = "a", .stand = TS_STAND_RUNS, .age = 1, .pace = {.per_second = 1, .usual = 1}};
	struct ts_machine_rows rows;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_live live;

	(void)state;
	ts_live_init(&live);
	ts_arena_init(&arena, 1 << 22);
	assert_int_equal(ts_machine_read(text(table), &arena, &rows, &err), TS_OK);
	f.machine = &rows;
	for (int width = 20; width < 200; width++)
		assert_true(draws(&f, &live, width, width % 2, "machine: "));
	assert_true(draws(&f, &live, 120, true,
			  "machine: 3.25 of 8 cores in use, memory 1 GiB, 12 % of the time given to others by its host"));
	assert_true(draws(&f, &live, 120, true, "1410 MHz"));
	assert_true(draws(&f, &live, 120, true, "97 %"));
	assert_true(draws(&f, &live, 120, true, "heat"));
	ts_arena_finish(&arena);
	ts_live_finish(&live);
}

/* --- what is told --- */

static void events_are_one_line_of_json(void **state)
{
	const struct ts_watch_event e = {.kind = TS_EVENT_FINDING,
					 .run = "a\nb",
					 .code = ts_span_str("DIST.STRAGGLER"),
					 .has_step = true,
					 .step = 7,
					 .seconds = (double)NAN};
	struct ts_buf out = TS_BUF_INIT(4096);

	(void)state;
	ts_watch_event_json(&e, &out);
	assert_true(ts_span_is(ts_buf_view(&out), "{\"event\":\"finding\",\"run\":\"a\\nb\",\"code\":\"DIST.STRAGGLER\",\"step\":7,"
						  "\"time\":\"1970-01-01T00:00:00Z\"}\n"));
	assert_true(ts_watch_event_is(&e, "finding") && ts_watch_event_is(&e, "DIST.*"));
	assert_false(ts_watch_event_is(&e, "death") || ts_watch_event_is(&e, "TIMING.*"));
	ts_buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curve_keeps_its_spike),
		cmocka_unit_test(curve_forgets_what_is_executed_again),
		cmocka_unit_test(curve_takes_any_step_and_value),
		cmocka_unit_test(curve_falls_from_left_to_right),
		cmocka_unit_test(live_keeps_the_last_steps),
		cmocka_unit_test(live_goes_back_with_a_restart),
		cmocka_unit_test(live_finds_the_column_that_is_meant),
		cmocka_unit_test(live_has_a_limit_of_columns),
		cmocka_unit_test(pace_counts_steps_between_records),
		cmocka_unit_test(a_pause_that_was_seen_is_no_hang),
		cmocka_unit_test(steps_without_times_have_the_pace_at_which_they_came),
		cmocka_unit_test(ranks_are_compared_at_steps_that_all_have),
		cmocka_unit_test(standing_follows_what_is_known),
		cmocka_unit_test(what_is_certain_is_said_at_once_and_once),
		cmocka_unit_test(what_goes_on_is_said_when_later_steps_show_it),
		cmocka_unit_test(what_later_steps_do_not_show_is_forgotten),
		cmocka_unit_test(a_change_is_said_when_it_stays),
		cmocka_unit_test(lines_are_read_in_pieces),
		cmocka_unit_test(frames_fit_and_say_what_is_not_known),
		cmocka_unit_test(memory_has_a_forecast),
		cmocka_unit_test(the_newest_observation_is_read_while_it_grows),
		cmocka_unit_test(the_machine_is_drawn),
		cmocka_unit_test(events_are_one_line_of_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
