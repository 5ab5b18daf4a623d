/* Scales, ticks and the layout of a chart: boxes of labels that never meet, and lines of text that fit the terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/random.h"
#include "base/test_arena.h"
#include "base/text.h"
#include "cli/report/chart_page.h"
#include "cli/report/chart_text.h"
#include "cli/report/dots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 400 };

static struct ts_error err;

/* --- scales --- */

static void places(void **state)
{
	struct ts_scale plain = ts_scale_of(10, 30, false), log = ts_scale_of(1, 1000, true), point = ts_scale_of(5, 5, false);
	struct ts_scale wide = ts_scale_of(-1.7e308, 1.7e308, false), zero = ts_scale_of(0, 0, false);
	struct ts_scale big = ts_scale_of(1.7e308, 1.7e308, true);

	(void)state;
	assert_true(ts_scale_place(&plain, 15) == 0.25 && ts_scale_place(&plain, 99) == 1 && ts_scale_place(&plain, -99) == 0);
	assert_true(ts_scale_place(&plain, NAN) == 0);
	assert_true(fabs(ts_scale_place(&log, 10) - 1.0 / 3) < 1e-12 && ts_scale_place(&log, 0) == 0 && ts_scale_place(&log, -5) == 0);
	assert_true(ts_scale_place(&point, 5) == 0.5);
	assert_true(ts_scale_place(&wide, 0) == 0.5);
	assert_true(zero.low < 0 && zero.high > 0);
	assert_true(big.low < big.high && isfinite(big.high));
}

static void labels_in(enum ts_unit unit, struct ts_scale scale, size_t most, const char *want)
{
	struct ts_ticks ticks = ts_scale_ticks(&scale, unit, most, &arena);
	struct ts_buf out = TS_BUF_INIT(1000);

	for (size_t i = 0; i < ticks.n; i++)
		ts_buf_printf(&out, "%s%s", i ? " " : "", ticks.labels[i]);
	if (!ts_span_is(ts_buf_view(&out), want))
		fail_msg("'%.*s', expected '%s'", TS_SPAN_ARG(ts_buf_view(&out)), want);
	ts_buf_finish(&out);
}

static void labels_of(struct ts_scale scale, size_t most, const char *want)
{
	labels_in(TS_UNIT_NONE, scale, most, want);
}

static void labels(void **state)
{
	(void)state;
	labels_of(ts_scale_of(0, 1, false), 6, "0.0 0.2 0.4 0.6 0.8 1.0");
	labels_of(ts_scale_of(-2, 9, false), 4, "0 5");
	labels_of(ts_scale_of(0, 1e6, false), 3, "0 500000 1000000");
	labels_of(ts_scale_of(0, 3e9, false), 4, "0 1e9 2e9 3e9");
	labels_of(ts_scale_of(0, 2.4e-7, false), 3, "0 1e-7 2e-7");
	labels_of(ts_scale_of(1.00015, 1.00045, false), 4, "1.0002 1.0003 1.0004");
	labels_of(ts_scale_of(1e9 + 1, 1e9 + 4, false), 4, "1.000000001e9 1.000000002e9 1.000000003e9 1.000000004e9");
	labels_of(ts_scale_of(0.09, 12, true), 8, "0.1 0.2 0.5 1 2 5 10");
	labels_of(ts_scale_of(1e-9, 1e9, true), 7, "1e-9 1e-6 0.001 1 1000 1000000 1e9");
	labels_of(ts_scale_of(2, 3, true), 4, "2.0 2.5 3.0");
}

/* Of runs that take nearly the same time, no two lines have the same label. */
static void labels_of_times(void **state)
{
	(void)state;
	labels_in(TS_UNIT_SECONDS, ts_scale_of(0.10295, 0.10345, false), 4, "103.0 ms 103.2 ms 103.4 ms");
	labels_in(TS_UNIT_SECONDS, ts_scale_of(0, 0.65, false), 4, "0 s 200 ms 400 ms 600 ms");
	labels_in(TS_UNIT_SECONDS, ts_scale_of(2.000005, 2.000045, false), 4, "2.00001 s 2.00002 s 2.00003 s 2.00004 s");
}

/* Bytes are round in the unit that they are shown in. */
static void labels_of_bytes(void **state)
{
	struct ts_scale scale = ts_scale_of(0, 3.5 * (1 << 30), false);
	struct ts_ticks ticks = ts_scale_ticks(&scale, TS_UNIT_BYTES, 4, &arena);

	(void)state;
	assert_int_equal(ticks.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(ticks.at[i] == (double)i * (1 << 30));
	assert_string_equal(ticks.labels[2], "2 GiB");
}

/* A scale of any size, with ends of any sign. */
static struct ts_scale random_scale(struct ts_random *r)
{
	double size = pow(10, ts_random_unit(r) * 40 - 20), low = (ts_random_unit(r) - 0.3) * size;
	double high = low + size * pow(10, -4 * ts_random_unit(r));
	bool log = low > 0 && ts_random_below(r, 2);

	return ts_scale_of(low, log ? low * pow(10, 12 * ts_random_unit(r)) : high, log);
}

static void ticks_are_told_apart(void **state)
{
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 3);
	for (int round = 0; round < ROUNDS; round++) {
		struct ts_scale scale = random_scale(&r);
		size_t most = 2 + ts_random_below(&r, TS_TICKS_MAX - 1);
		struct ts_ticks ticks = ts_scale_ticks(&scale, TS_UNIT_NONE, most, &arena);

		assert_true(ticks.n <= most);
		for (size_t i = 0; i < ticks.n; i++) {
			double value = strtod(ticks.labels[i], NULL);

			assert_true(ticks.at[i] >= scale.low && ticks.at[i] <= scale.high);
			if (!(fabs(value - ticks.at[i]) <= 1e-6 * fmin(scale.high - scale.low, scale.log ? ticks.at[i] : HUGE_VAL)))
				fail_msg("%s stands for %.17g", ticks.labels[i], ticks.at[i]);
			assert_true(i == 0 || (ticks.at[i] > ticks.at[i - 1] && strcmp(ticks.labels[i], ticks.labels[i - 1]) != 0));
		}
		ts_arena_reset(&arena);
	}
}

/* --- views --- */

enum { RUNS = 12, POINTS = 9, COLUMNS = 64 };

static struct ts_chart_line lines[RUNS];
static const char *names[RUNS];
static double xs[RUNS][POINTS], ys[RUNS][POINTS], means[RUNS][COLUMNS];
static struct ts_chart_mark marks[] = {{0.5, TS_CHART_NAN}};

/* Up to twelve runs of nine points each; some end early, some have a break, some a mark. */
static struct ts_chart random_chart(struct ts_random *r)
{
	struct ts_scale x = random_scale(r), y = random_scale(r);
	struct ts_chart chart = {.column = ts_span_str("loss"), .log_x = x.log, .log_y = y.log, .low = x.low, .high = x.high,
				 .columns = COLUMNS, .lines = lines, .n = 1 + ts_random_below(r, RUNS),
				 .axis = x.low < 1 ? TS_CHART_TIME : TS_CHART_TOKENS};

	for (size_t i = 0; i < chart.n; i++) {
		double part = ts_random_below(r, 3) ? 1 : 0.5;

		names[i] = "a run with a name that is longer than a narrow terminal is wide";
		for (size_t k = 0; k < POINTS; k++) {
			double at = part * (double)k / (POINTS - 1);

			xs[i][k] = x.log ? x.low * pow(x.high / x.low, at) : x.low + (x.high - x.low) * at;
			ys[i][k] = y.low + (y.high - y.low) * ts_random_unit(r);
		}
		xs[i][0] = x.low;
		ys[i][4] = ts_random_below(r, 2) ? ys[i][4] : (double)NAN;
		for (size_t k = 0; k < COLUMNS; k++)
			means[i][k] = ys[i][3];
		lines[i] = (struct ts_chart_line){.column = chart.column, .values = POINTS, .x = xs[i], .y = ys[i], .n = POINTS,
						  .mean = means[i], .n_mean = COLUMNS, .marks = marks};
		lines[i].n_marks = ts_random_below(r, 2);
		lines[i].odd = lines[i].n_marks;
		marks[0].x = x.low;
	}
	return chart;
}

static bool meet(const struct ts_svg_box *a, const struct ts_svg_box *b)
{
	return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static void add_box(struct ts_svg_box *boxes, size_t *io_n, const struct ts_svg_frame *frame, struct ts_svg_box box)
{
	if (box.left < -1e-6 || box.top < -1e-6 || box.right > frame->width + 1e-6 || box.bottom > frame->height + 1e-6)
		fail_msg("a label leaves the figure: %g to %g, %g to %g", box.left, box.right, box.top, box.bottom);
	for (size_t i = 0; i < *io_n; i++)
		if (meet(&boxes[i], &box))
			fail_msg("labels meet: %g to %g, %g to %g", box.left, box.right, box.top, box.bottom);
	boxes[(*io_n)++] = box;
}

/* The first box is the rectangle of the data, with the strip of marks below it. */
static void labels_beside_the_data(void **state)
{
	struct ts_random r;
	size_t seen = 0;

	(void)state;
	ts_random_init(&r, 8);
	for (int round = 0; round < ROUNDS; round++) {
		struct ts_chart chart = random_chart(&r);
		struct ts_chart_labels said = {.names = names, .bands = ts_random_below(&r, 2) == 0};
		struct ts_svg_box boxes[2 * TS_SVG_TICKS + RUNS + 1], box;
		struct ts_svg_letter *letters;
		struct ts_chart_view view;
		struct ts_svg_frame frame;
		size_t n = 0, n_letters;

		assert_int_equal(ts_chart_view_of(&chart, &said, &arena, &view, &err), TS_OK);
		frame = ts_svg_chart_frame(&view, round % 2 ? TS_CHART_NARROW : TS_CHART_WIDE, &arena);
		add_box(boxes, &n, &frame, (struct ts_svg_box){frame.left, frame.right, frame.top, frame.bottom + frame.strip});
		for (size_t i = 0; i < frame.x.n; i++)
			if (ts_svg_label_x(&frame, i, &box))
				add_box(boxes, &n, &frame, box);
		for (size_t i = 0; i < frame.y.n; i++)
			if (ts_svg_label_y(&frame, i, &box))
				add_box(boxes, &n, &frame, box);
		assert_int_equal(ts_svg_chart_letters(&view, &frame, &arena, &letters, &n_letters, &err), TS_OK);
		for (size_t i = 0; i < n_letters; i++)
			add_box(boxes, &n, &frame, letters[i].box);
		seen += n_letters;
		ts_arena_reset(&arena);
	}
	assert_true(seen > ROUNDS);
}

/* Every line fits, whatever the width, in braille and in ASCII. */
static void text_fits(void **state)
{
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 21);
	for (int round = 0; round < ROUNDS; round++) {
		struct ts_chart chart = random_chart(&r);
		struct ts_chart_labels said = {.names = names, .bands = ts_random_below(&r, 2) == 0};
		struct ts_term term = {.width = 40 + (int)ts_random_below(&r, 200), .utf8 = round % 2};
		struct ts_buf out = TS_BUF_INIT(1 << 20);
		struct ts_chart_view view;

		assert_int_equal(ts_chart_view_of(&chart, &said, &arena, &view, &err), TS_OK);
		assert_int_equal(ts_chart_text(&view, &term, &arena, &out, &err), TS_OK);
		assert_false(out.failed);
		for (size_t from = 0, end; from < out.len; from = end + 1) {
			struct ts_span line;

			for (end = from; end < out.len && out.data[end] != '\n';)
				end++;
			line = ts_span_of(out.data + from, end - from);
			if (ts_text_width(line) > term.width)
				fail_msg("%d columns in %d: %.*s", ts_text_width(line), term.width, TS_SPAN_ARG(line));
			for (size_t i = 0; i < line.len && !term.utf8; i++)
				if (line.data[i] >= 0x80 && !memmem(line.data, line.len, "…", strlen("…")))
					fail_msg("not ASCII: %.*s", TS_SPAN_ARG(line));
		}
		ts_buf_finish(&out);
		ts_arena_reset(&arena);
	}
}

/* --- the order of lines --- */

static double steps[] = {0, 1, 2}, lows[] = {9, 1, 1}, highs[] = {0, 3, 5}, broken[] = {7, 6, NAN};
static const char *const three[] = {"sweep/low", "sweep/high", "broken", "empty"};

/* Ends at 1, at 5, at 6 before a gap, and without a value but with a mark. */
static struct ts_chart four_lines(void)
{
	static struct ts_chart_mark mark = {0, TS_CHART_NAN};

	lines[0] = (struct ts_chart_line){.x = steps, .y = lows, .n = 3};
	lines[1] = (struct ts_chart_line){.x = steps, .y = highs, .n = 3};
	lines[2] = (struct ts_chart_line){.x = steps, .y = broken, .n = 3};
	lines[3] = (struct ts_chart_line){.marks = &mark, .n_marks = 1, .odd = 1};
	return (struct ts_chart){.column = ts_span_str("loss"), .high = 2, .columns = 3, .lines = lines, .n = 4};
}

static void lines_by_their_ends(void **state)
{
	static const char *const want[] = {"broken", "sweep/high", "sweep/low", "empty"};
	struct ts_chart chart = four_lines();
	struct ts_chart_labels said = {.names = three};
	struct ts_chart_view view;

	(void)state;
	assert_int_equal(ts_chart_view_of(&chart, &said, &arena, &view, &err), TS_OK);
	assert_int_equal(view.n, 4);
	assert_false(view.some_lit);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(view.lines[i].name, want[i]);
		assert_int_equal(view.lines[i].letter[0], 'a' + (int)i);
	}
}

static void highlighted(void **state)
{
	static const char *const patterns[] = {"hi*", "broken"}, *const none[] = {"low", "nothing*"};
	struct ts_chart chart = four_lines();
	struct ts_chart_labels said = {.names = three, .highlight = patterns, .n_highlight = 2};
	struct ts_chart_view view;

	(void)state;
	assert_int_equal(ts_chart_view_of(&chart, &said, &arena, &view, &err), TS_OK);
	assert_true(view.some_lit && view.lines[0].lit && view.lines[1].lit && !view.lines[2].lit && !view.lines[3].lit);
	said.highlight = none;
	assert_int_equal(ts_chart_view_of(&chart, &said, &arena, &view, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "--highlight nothing*"));
}

/* Thirty lines that end in one place: every letter is there, in order from the top left to the bottom right, and no two lines look
 * alike. */
static void thirty_lines(void **state)
{
	enum { N = 30 };
	static struct ts_chart_line many[N];
	static double ends[N][3];
	static const char *many_names[N];
	struct ts_chart chart = {.column = ts_span_str("loss"), .high = 2, .columns = 3, .lines = many, .n = N};
	struct ts_chart_labels said = {.names = many_names};
	struct ts_term term = {.width = 80, .utf8 = true};
	struct ts_buf out = TS_BUF_INIT(1 << 20), page = TS_BUF_INIT(1 << 20);
	struct ts_chart_view view;
	char letters[2 * N] = "";
	struct ts_span left;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		ends[i][0] = 10;
		ends[i][1] = 2;
		ends[i][2] = 1 + (double)i * 1e-4;
		many[i] = (struct ts_chart_line){.x = steps, .y = ends[i], .n = 3};
		many_names[i] = "run";
	}
	assert_int_equal(ts_chart_view_of(&chart, &said, &arena, &view, &err), TS_OK);
	assert_int_equal(ts_chart_text(&view, &term, &arena, &out, &err), TS_OK);
	left = ts_buf_view(&out);
	for (size_t n; left.len; left = ts_span_from(left, n)) {
		const uint8_t *end = memchr(left.data, '\n', left.len);
		size_t k = n = end ? (size_t)(end - left.data) + 1 : left.len;

		/* A row of the picture has its axis, │ or ┤, behind 10 columns, and letters of lines at its end. */
		if (n < 14 || memcmp(left.data + 10, "│", 2) != 0 || left.data[n - 2] >= 0x80)
			continue;
		while (k > 1 && left.data[k - 2] < 0x80 && left.data[k - 2] != ' ')
			k--;
		(void)strncat(letters, (const char *)left.data + k - 1, n - k);
	}
	assert_string_equal(letters, "abcdefghijklmnopqrstuvwxyzABCD");
	assert_int_equal(ts_svg_chart(&page, &view, &arena, &err), TS_OK);
	ts_buf_char(&page, '\0');
	for (size_t i = 0; i < N; i++) {
		char class[64];

		(void)snprintf(class, sizeof class, "class=\"run l%zu d%zu\"", i % 8, (i + i / 8) % 4);
		const char *first = strstr((const char *)page.data, class);

		assert_non_null(first);
		assert_null(strstr(first + 1, class));
	}
	ts_buf_finish(&page);
	ts_buf_finish(&out);
}

/* --- dots --- */

static void dots_of_a_line(void **state)
{
	static const struct ts_dash solid = {1, 0}, dashed = {1, 1};
	struct ts_dots dots, ascii;
	char glyph[4];

	(void)state;
	assert_int_equal(ts_dots_begin(&dots, 2, 1, true, &arena, &err), TS_OK);
	ts_dots_line(&dots, 0, 3, 3, 0, 7, solid); /* the rising diagonal */
	assert_string_equal(ts_dots_braille(dots.bits[0], glyph), "⡠"); /* dots 3 in column 2, row 3; 7 in column 1, row 4 */
	assert_string_equal(ts_dots_braille(dots.bits[1], glyph), "⠊");
	assert_int_equal(dots.line[0], 7);
	assert_string_equal(ts_dots_braille(255, glyph), "⣿");
	assert_string_equal(ts_dots_braille(0, glyph), " ");
	ts_dots_set(&dots, -1, 0, 1);
	ts_dots_set(&dots, 4, 0, 1);
	ts_dots_set(&dots, 0, 4, 1);
	assert_int_equal(dots.line[1], 7);
	assert_int_equal(ts_dots_begin(&ascii, 4, 1, false, &arena, &err), TS_OK);
	ts_dots_line(&ascii, 0, 0, 3, 0, 1, dashed);
	assert_true(ascii.line[0] == 1 && ascii.line[1] == TS_DOTS_NONE && ascii.line[2] == 1);
	ts_dots_set(&ascii, 2, 0, 5);
	assert_int_equal(ascii.line[2], TS_DOTS_SEVERAL);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(places),
		T(labels),
		T(labels_of_times),
		T(labels_of_bytes),
		T(ticks_are_told_apart),
		T(labels_beside_the_data),
		T(text_fits),
		T(lines_by_their_ends),
		T(highlighted),
		T(thirty_lines),
		T(dots_of_a_line),
	};

	return cmocka_run_group_tests_name("chart_report", tests, NULL, NULL);
}
