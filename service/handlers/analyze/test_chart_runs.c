/* Chart over runs in an engine in memory: whose column, where values lie, and what is said of what cannot be drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proto/wire.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/test_series_runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct world w;
static struct ts_error err;
static struct ts_chart chart;

static int setup(void **state)
{
	(void)state;
	world_open(&w);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close(&w);
	return 0;
}

static enum ts_status take(struct ts_call *call, struct ts_span message, struct ts_error *error)
{
	struct ts_span kept = ts_arena_span(&w.arena, message);

	(void)call;
	return ts_wire_unpack_chart_reply(kept, &w.arena, &chart, error);
}

static enum ts_status ask(struct ts_chart_request request, const struct ts_id *ids)
{
	struct ts_buf out = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span specs[8];
	char text[8][TS_ID_HEX + 4];
	enum ts_status status;

	for (size_t i = 0; i < request.n; i++) {
		char hex[TS_ID_HEX + 1];

		snprintf(text[i], sizeof text[i], "id:%s", ts_id_hex(&ids[i], hex));
		specs[i] = ts_span_str(text[i]);
	}
	request.runs = specs;
	must(ts_wire_pack_chart_request(&request, &out, &err), &err);
	w.call.reply = take;
	w.call.arena = &w.arena;
	status = ts_handle_chart(&w.call, NULL, ts_buf_view(&out), &err);
	ts_buf_finish(&out);
	return status;
}

static struct ts_chart_request of(const char *column, size_t n)
{
	return (struct ts_chart_request){.n = n, .column = ts_span_str(column), .columns = 8};
}

static void is_text(struct ts_span got, const char *want)
{
	if (!ts_span_is(got, want))
		fail_msg("'%.*s', expected '%s'", TS_SPAN_ARG(got), want);
}

/* Steps 0 to 7 with a loss, a time that goes back once, and tokens of each step but step 6. */
static struct ts_id first_run(void)
{
	struct cells cells = {.n = 0};
	struct ts_id id;

	for (int64_t step = 0; step < 8; step++) {
		cells_add(&cells, 0, "scalars.loss", step, step == 3 ? (double)NAN : (double)(10 - step));
		cells_add(&cells, 0, "timestamp", step, step == 5 ? 1003.5 : 1000 + (double)step);
		if (step != 6)
			cells_add(&cells, 0, "tokens", step, 100);
		cells_add(&cells, 1, "scalars.loss", step, (double)(20 - step));
	}
	id = make_run(&w, &cells, (struct told[]){{TS_RANK_JOB, "config.lr", "high", 0}}, 1);
	cells_free(&cells);
	return id;
}

/* Steps 100 to 103 of rank 2, named as loggers do, and nothing else. */
static struct ts_id second_run(void)
{
	struct cells cells = {.n = 0};
	struct ts_id id;

	for (int64_t step = 100; step < 104; step++)
		cells_add(&cells, 2, "scalars.train/loss", step, (double)step);
	id = make_run(&w, &cells, NULL, 0);
	cells_free(&cells);
	return id;
}

static void by_step(void **state)
{
	struct ts_id ids[] = {first_run(), second_run()};
	struct ts_chart_request request = of("loss", 2);

	(void)state;
	request.by = ts_span_str("config.lr");
	must(ask(request, ids), &err);
	assert_true(chart.low == 0 && chart.high == 103 && chart.columns == 8);
	is_text(chart.lines[0].column, "scalars.loss");
	is_text(chart.lines[1].column, "scalars.train/loss");
	assert_int_equal(chart.lines[0].rank, 0);
	assert_int_equal(chart.lines[1].rank, 2);
	assert_int_equal(chart.lines[0].values, 8);
	assert_int_equal(chart.lines[0].odd, 1);
	assert_true(chart.lines[0].marks[0].x == 3 && chart.lines[0].marks[0].what == TS_CHART_NAN);
	is_text(chart.lines[0].group->text, "high");
	assert_null(chart.lines[1].group);
	assert_true(chart.lines[1].x[0] == 100 && chart.lines[1].y[chart.lines[1].n - 1] == 103);
}

static void by_time(void **state)
{
	struct ts_id ids[] = {first_run(), second_run()};
	struct ts_chart_request request = of("scalars.loss", 2);

	(void)state;
	request.axis = TS_CHART_TIME;
	must(ask(request, ids), &err);
	assert_true(chart.low == 0 && chart.high == 7);
	assert_int_equal(chart.lines[0].back, 1);
	is_text(chart.lines[1].why_not, "it records no scalars.loss");
	assert_int_equal(chart.lines[1].n, 0);
	request = of("loss", 2);
	request.axis = TS_CHART_TIME;
	must(ask(request, ids), &err);
	is_text(chart.lines[1].why_not, "it records no time");
}

static void by_tokens(void **state)
{
	struct ts_id ids[] = {first_run()};
	struct ts_chart_request request = of("loss", 1);

	(void)state;
	request.axis = TS_CHART_TOKENS;
	must(ask(request, ids), &err);
	assert_true(chart.low == 100 && chart.high == 700); /* seven steps with tokens */
	assert_int_equal(chart.lines[0].unplaced, 1);
	assert_true(chart.lines[0].x[chart.lines[0].n - 1] == 700 && chart.lines[0].y[chart.lines[0].n - 1] == 3);
	request.axis = TS_CHART_SAMPLES;
	must(ask(request, ids), &err);
	is_text(chart.lines[0].why_not, "it records no samples");
	assert_true(isnan(chart.low));
}

static void of_a_rank(void **state)
{
	struct ts_id ids[] = {first_run(), second_run()};
	struct ts_chart_request request = of("loss", 2);

	(void)state;
	request.has_rank = true;
	request.rank = 1;
	must(ask(request, ids), &err);
	assert_true(chart.lines[0].rank == 1 && chart.lines[0].y[0] == 20);
	is_text(chart.lines[1].why_not, "it has no rank 1");
}

static void on_logarithmic_axes(void **state)
{
	struct ts_id ids[] = {first_run()};
	struct ts_chart_request request = of("loss", 1);

	(void)state;
	request.log_x = true;
	must(ask(request, ids), &err);
	assert_true(chart.low == 1 && chart.high == 7); /* step 0 has no place */
	assert_int_equal(chart.lines[0].unplaced, 1);
}

/* A restart executed steps 4 to 7 again: the rows that it replaced are no part of the line. */
static void newest_attempt(void **state)
{
	struct cells cells = {.n = 0};
	struct ts_chart_request request = of("loss", 1);
	struct ts_id id;

	(void)state;
	for (int64_t step = 0; step < 8; step++)
		cells_add(&cells, 0, "scalars.loss", step, 1);
	for (int64_t i = 0; i < 4; i++)
		cells_add(&cells, 0, "scalars.loss", i, 99)->table = TS_TABLE_SUPERSEDED;
	id = make_run(&w, &cells, NULL, 0);
	cells_free(&cells);
	must(ask(request, &id), &err);
	assert_int_equal(chart.lines[0].values, 8);
	for (size_t i = 0; i < chart.lines[0].n; i++)
		assert_true(chart.lines[0].y[i] == 1);
}

static void interrupted_where_steps_are_missing(void **state)
{
	struct cells cells = {.n = 0};
	struct ts_chart_request request = of("loss", 1);
	struct ts_id id;
	size_t lifted = 0;

	(void)state;
	for (int64_t step = 0; step < 100; step++)
		if (step < 40 || step >= 60)
			cells_add(&cells, 0, "scalars.loss", step, (double)step);
	id = make_run(&w, &cells, NULL, 0);
	cells_free(&cells);
	must(ask(request, &id), &err);
	for (size_t i = 0; i < chart.lines[0].n; i++)
		if (isnan(chart.lines[0].y[i])) {
			lifted++;
			assert_true(chart.lines[0].x[i - 1] == 39 && chart.lines[0].x[i + 1] == 60);
		}
	assert_int_equal(lifted, 1);
}

static void no_such_column(void **state)
{
	struct ts_id ids[] = {first_run(), second_run()};

	(void)state;
	assert_int_equal(ask(of("lost", 2), ids), TS_NOT_FOUND);
	assert_string_equal(err.text, "no run has a column of numbers named lost; there are scalars.loss, timestamp, tokens");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(by_step),	   T(by_time),		 T(by_tokens),
		T(of_a_rank),	   T(on_logarithmic_axes), T(newest_attempt),
		T(interrupted_where_steps_are_missing), T(no_such_column),
	};

	return cmocka_run_group_tests_name("chart_runs", tests, NULL, NULL);
}
