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

/* -- cells -- */

enum { ROWS = 150000, MOST = 100 };

/* What stands at a step of the long run: every seventh value is not finite, and the others are whole, so that sums are exact. */
static double value_at(int64_t step)
{
	return step % 7 == 3 ? (double)NAN : (double)(step * 37 % 1001);
}

/* Steps 10, 12, 14, ... of three blocks; a time of half a second a step, which begins at 1000; 4 tokens a step; the epoch in a table of
 * its own. */
static struct ts_id long_run(void)
{
	struct cells cells = {.n = 0};
	struct ts_id id;

	for (int64_t i = 0; i < ROWS; i++) {
		int64_t step = 10 + 2 * i;

		cells_add(&cells, 0, "scalars.loss", step, value_at(step));
		cells_add(&cells, 0, "timestamp", step, 1000 + (double)i / 2);
		cells_add(&cells, 0, "tokens", step, 4);
		if (i % 3 == 0)
			cells_add(&cells, 0, "scalars.epoch", step, (double)i / 1000);
		cells_add(&cells, 0, "scalars.lost", step, NAN);
	}
	id = make_run(&w, &cells, NULL, 0);
	cells_free(&cells);
	return id;
}

static struct ts_chart_request cells_of_loss(double from, double to)
{
	struct ts_chart_request request = of("loss", 1);

	request.cells = MOST;
	request.has_from = request.has_to = true;
	request.from = from;
	request.to = to;
	return request;
}

/* Every cell of the line is what the rows at these places come to, one row after another, and no row between two cells is left out. */
static void are_sound(const struct ts_chart_line *line, double scale, double begin)
{
	assert_true(line->n_cells > 0 && line->n_cells <= MOST + 2);
	for (size_t i = 0; i < line->n_cells; i++) {
		const struct ts_chart_cell *cell = &line->cells[i];
		int64_t row = (int64_t)round((cell->first - begin) / scale), end = (int64_t)round((cell->last - begin) / scale);
		double min = INFINITY, max = -INFINITY, sum = 0;
		uint64_t count = 0, odd = 0;

		assert_true(i == 0 || line->cells[i - 1].last + scale == cell->first);
		assert_true((uint64_t)(end - row) < line->cell_rows);
		for (; row <= end; row++) {
			double value = value_at(10 + 2 * row);

			if (isnan(value)) {
				odd++;
				continue;
			}
			min = value < min ? value : min;
			max = value > max ? value : max;
			sum += value;
			count++;
		}
		assert_true(cell->count == count && cell->odd == odd);
		assert_true(count ? cell->min == min && cell->max == max && cell->mean == sum / (double)count : isnan(cell->mean));
	}
}

static void cells_by_step(void **state)
{
	struct ts_id ids[] = {long_run()};

	(void)state;
	for (int i = 0; i < 40; i++) { /* the second time they are remembered */
		double wide = ldexp(2 * ROWS, -(i % 20)), from = 10 + (double)(i * 7919 % 200000), to = from + wide;
		struct ts_chart_request request = cells_of_loss(from, to);
		const struct ts_chart_line *line = chart.lines;

		must(ask(request, ids), &err);
		line = &chart.lines[0];
		assert_true(chart.cells == MOST && chart.low == 10 && chart.high == 10 + 2 * (ROWS - 1));
		are_sound(line, 2, 10);
		assert_true(line->cells[0].first <= from || line->cells[0].first == 10);
		assert_true(line->cells[line->n_cells - 1].last >= to || line->cells[line->n_cells - 1].last == chart.high);
		assert_true(line->n_cells < 3 || line->cells[1].last >= from);
		assert_true(line->values == ROWS && line->odd == (ROWS + 3) / 7);
		if (wide < MOST) /* half as many rows */
			assert_true(line->cell_rows == 1);
	}
}

static void cells_by_other_axes(void **state)
{
	struct ts_id ids[] = {long_run()};
	struct ts_chart_request request = cells_of_loss(20000, 20030);
	const struct ts_chart_line *line;

	(void)state;
	request.axis = TS_CHART_TIME;
	must(ask(request, ids), &err);
	are_sound(&chart.lines[0], 0.5, 0);
	assert_true(chart.lines[0].cell_rows == 1 && chart.low == 0 && chart.high == (ROWS - 1) / 2.0);
	request.axis = TS_CHART_TOKENS;
	must(ask(request, ids), &err);
	are_sound(&chart.lines[0], 4, 4); /* its place counts with the step itself */
	assert_true(chart.lines[0].cell_rows == 1 && chart.high == 4.0 * ROWS);
	request.axis = TS_CHART_EPOCH;
	request.from = 30;
	request.to = 30.06;
	must(ask(request, ids), &err);
	line = &chart.lines[0];
	assert_true(line->cell_rows == 1 && line->unplaced == ROWS - ROWS / 3 && line->n_cells > 20);
	for (size_t i = 1; i < line->n_cells; i++)
		assert_true(line->cells[i].first > line->cells[i - 1].first && line->cells[i].first == line->cells[i].last);
}

/* Values so far apart that each is a block of its own. */
static void cells_of_short_blocks(void **state)
{
	struct cells cells = {.n = 0};
	struct ts_chart_request request = of("loss", 1);
	struct ts_id id;

	(void)state;
	for (int64_t i = 0; i < 300; i++)
		cells_add(&cells, 0, "scalars.loss", i << 20, (double)i);
	id = make_run(&w, &cells, NULL, 0);
	cells_free(&cells);
	for (request.cells = 1; request.cells <= 500; request.cells += request.cells < 5 ? 1 : 33) {
		const struct ts_chart_line *line;
		double next = 0;

		must(ask(request, &id), &err);
		line = &chart.lines[0];
		assert_true(line->n_cells <= request.cells + 2 && line->n_cells > 0);
		for (size_t i = 0; i < line->n_cells; i++) {
			assert_true(line->cells[i].min == next && line->cells[i].first == next * (1 << 20));
			next = line->cells[i].max + 1;
		}
		assert_true(next == 300 && (request.cells < 300 || line->cell_rows == 1));
	}
}

static void cells_of_what_is_not_finite(void **state)
{
	struct ts_id ids[] = {long_run()};
	struct ts_chart_request request = of("lost", 1);

	(void)state;
	request.cells = 50;
	must(ask(request, ids), &err);
	is_text(chart.lines[0].why_not, "none of its values is a finite number");
	assert_true(chart.lines[0].odd == ROWS && chart.lines[0].n_cells > 0 && isnan(chart.lines[0].cells[0].min));
	assert_int_equal(chart.lines[0].n, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(by_step),	   T(by_time),		 T(by_tokens),
		T(of_a_rank),	   T(on_logarithmic_axes), T(newest_attempt),
		T(interrupted_where_steps_are_missing), T(no_such_column),
		T(cells_by_step),  T(cells_by_other_axes),  T(cells_of_short_blocks),
		T(cells_of_what_is_not_finite),
	};

	return cmocka_run_group_tests_name("chart_runs", tests, NULL, NULL);
}
