/* lanes.h, lanes_view.h: cells that were found on paper, and random spans whose cells are what a mark for each nanosecond says. */
#include "analysis/trace/host/lanes_view.h"

#include "analysis/stats/random.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_lanes lanes_of(struct made *m)
{
	struct ts_host_waits waits;
	struct ts_host_names names;
	struct ts_timelines lines;
	struct ts_lanes lanes;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_timelines(&m->trace, &m->arena, &lines, &m->err) ||
	    ts_host_names(&m->trace, &m->arena, &names, &m->err) ||
	    ts_host_waits(&m->trace, &nest, &lines, &m->arena, &waits, &m->err) ||
	    ts_lanes(&m->trace, &nest, &names, waits.waiting, &m->arena, &lanes, &m->err))
		fail_msg("%s", m->err.text);
	return lanes;
}

static struct ts_lanes_view view_of(struct made *m, struct ts_stretch stretch, size_t cells)
{
	struct ts_lanes lanes = lanes_of(m);
	struct ts_lanes_view view;

	if (ts_lanes_view(&lanes, stretch, cells, &m->arena, &view, &m->err))
		fail_msg("%s", m->err.text);
	return view;
}

static const struct ts_stretch whole = {.given = false};

static void cell(const struct ts_lane_view *lane, size_t i, uint64_t busy, uint64_t longest, enum ts_lane_part part)
{
	assert_int_equal(lane->cells[i].busy_ns, busy);
	assert_int_equal(lane->cells[i].longest_ns, longest);
	if (longest)
		assert_int_equal(lane->cells[i].part, part);
}

/* From 0 to 100: a product over [5, 25) and a collective that begins within it, over [20, 32), on one stream, a copy on another; on the
 * host an operator with its call, and a call that waits. */
static void make_paper(struct made *m)
{
	made_begin(m);
	made_host(m, TS_TRACE_PYTHON, "train.py(7): main", 0, 0, 100);
	made_host(m, TS_TRACE_OPERATOR, "aten::mm", 0, 0, 8);
	made_host(m, TS_TRACE_RUNTIME, "cudaLaunchKernel", 0, 2, 6);
	made_host(m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, 60, 100);
	made_add(m, TS_TRACE_KERNEL, NAME_GEMM, 7, 5, 25, 1);
	made_add(m, TS_TRACE_KERNEL, made_name(m, "ncclDevKernel_AllReduce"), 7, 20, 32, 2);
	made_add(m, TS_TRACE_COPY, made_name(m, "Memcpy HtoD"), 9, 40, 41, 3);
}

static void on_paper(void **state)
{
	struct ts_lanes_view v;
	struct made m;

	(void)state;
	make_paper(&m);
	v = view_of(&m, whole, 10);
	assert_true(v.from_ns == 0 && v.length_ns == 100 && v.cell_ns == 10 && v.n_cells == 10 && v.n == 3 && !v.left_out &&
		    !v.has_mark);
	assert_true(!v.lanes[0].place.host && v.lanes[0].place.stream == 7 && v.lanes[0].busy_ns == 27);
	cell(&v.lanes[0], 0, 5, 5, TS_LANE_COMPUTATION);
	cell(&v.lanes[0], 1, 10, 10, TS_LANE_COMPUTATION);
	cell(&v.lanes[0], 2, 10, 5, TS_LANE_COMPUTATION);
	cell(&v.lanes[0], 3, 2, 2, TS_LANE_COMMUNICATION);
	cell(&v.lanes[0], 4, 0, 0, TS_LANE_PARTS);
	assert_true(v.lanes[1].place.stream == 9 && v.lanes[1].busy_ns == 1);
	cell(&v.lanes[1], 4, 1, 1, TS_LANE_COPIES);
	assert_true(v.lanes[2].place.host && v.lanes[2].busy_ns == 48);
	cell(&v.lanes[2], 0, 8, 8, TS_LANE_OPERATORS);
	cell(&v.lanes[2], 1, 0, 0, TS_LANE_PARTS);
	cell(&v.lanes[2], 9, 10, 10, TS_LANE_WAITS);
	made_finish(&m);
}

/* What a cell names is the event as it was recorded, also where another one hides its begin or the stretch its end. */
static void a_stretch(void **state)
{
	const struct ts_lane_cell *c;
	struct ts_lanes_view v;
	struct made m;

	(void)state;
	make_paper(&m);
	v = view_of(&m, (struct ts_stretch){.given = true, .from_ns = 24, .to_ns = 30}, 3);
	assert_true(v.from_ns == 24 && v.cell_ns == 2 && v.n_cells == 3 && v.lanes[0].busy_ns == 6 && v.lanes[1].busy_ns == 0);
	cell(&v.lanes[0], 0, 2, 1, TS_LANE_COMPUTATION);
	cell(&v.lanes[0], 2, 2, 2, TS_LANE_COMMUNICATION);
	c = &v.lanes[0].cells[2];
	assert_true(c->begin_ns == 20 && c->duration_ns == 12);
	assert_true(v.n_names == 2 && ts_span_is(v.names[c->name], "ncclDevKernel_AllReduce"));
	v = view_of(&m, (struct ts_stretch){.given = true, .from_ns = 90, .to_ns = 1000}, 3);
	assert_true(v.from_ns == 90 && v.cell_ns == 4 && v.n_cells == 3 && v.lanes[2].busy_ns == 10);
	v = view_of(&m, (struct ts_stretch){.given = true, .from_ns = 100, .to_ns = 200}, 10);
	assert_true(v.from_ns == 0 && v.n_cells == 10);
	made_finish(&m);
}

/* A hundredth of a trace of 20,000 ns that begins at 1,000 on its clock: 101 ns before and behind the time, as far as there is any. */
static void around_a_time(void **state)
{
	struct ts_lanes_view v;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, 1000, 1010, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, 20990, 21000, 2);
	v = view_of(&m, (struct ts_stretch){.has_at = true, .at_ns = 11000}, 202);
	assert_true(v.has_mark && v.mark_ns == 10000 && v.from_ns == 9899 && v.cell_ns == 1 && v.n_cells == 202);
	v = view_of(&m, (struct ts_stretch){.has_at = true, .at_ns = 1002}, 202);
	assert_true(v.mark_ns == 2 && v.from_ns == 0 && v.n_cells == 103);
	v = view_of(&m, (struct ts_stretch){.has_at = true, .at_ns = 21000}, 202);
	assert_true(v.mark_ns == 20000 && v.from_ns == 19899 && v.n_cells == 101);
	v = view_of(&m, (struct ts_stretch){.has_at = true, .at_ns = 999}, 10);
	assert_true(!v.has_mark && v.from_ns == 0 && v.n_cells == 10 && v.cell_ns == 2000);
	v = view_of(&m, (struct ts_stretch){.given = true, .from_ns = 0, .to_ns = 5, .has_at = true, .at_ns = 11000}, 10);
	assert_true(v.mark_ns == 10000 && v.from_ns == 0 && v.n_cells == 5);
	made_finish(&m);
}

static void nothing_and_too_many(void **state)
{
	struct ts_lanes_view v;
	struct made m;

	(void)state;
	made_begin(&m);
	v = view_of(&m, whole, 1);
	assert_true(!v.n && !v.n_cells && !v.length_ns);
	for (int32_t i = 0; i < TS_LANES_MOST + 2; i++)
		made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, i, 10 * i, 10 * i + 5, i + 1);
	v = view_of(&m, whole, 1);
	assert_true(v.n == TS_LANES_MOST && v.left_out == 2 && v.n_cells == 1);
	made_finish(&m);
}

/* Two events nearly as far apart as a clock of 64 bits can tell: the last cell's edge is at 2^64 and more. */
static void as_long_as_a_clock(void **state)
{
	struct ts_lanes_view v;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, -INT64_MAX, -INT64_MAX + 10, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, INT64_MAX - 10, INT64_MAX, 2);
	v = view_of(&m, whole, 96);
	assert_true(v.n_cells == 96 && v.n == 1 && v.lanes[0].busy_ns == 20 && v.to_ns == v.length_ns);
	cell(&v.lanes[0], 0, 10, 10, TS_LANE_COMPUTATION);
	cell(&v.lanes[0], 95, 10, 10, TS_LANE_COMPUTATION);
	made_finish(&m);
}

enum { LONG = 4000, SPANS = 300 };

/* Which of the events each nanosecond belongs to: 1 + the first of them, as they were made by their begin; 0: none. */
static void mark(struct ts_random *random, struct made *m, int marks[LONG])
{
	int64_t at = 0, until = 0;

	memset(marks, 0, LONG * sizeof *marks);
	for (int i = 0; i < SPANS; i++) {
		int64_t len = (int64_t)ts_random_below(random, 30);

		at += (int64_t)ts_random_below(random, 20);
		if (at + len >= LONG)
			break;
		made_add(m, TS_TRACE_KERNEL, NAME_GEMM, 0, at, at + len, i + 1);
		for (int64_t t = at > until ? at : until; t < at + len; t++)
			marks[t] = i + 1;
		until = at + len > until ? at + len : until;
	}
}

/* What a cell over [from, end) is by the marks: how much is covered, and how much of it by one event at most. */
static void count(const int marks[LONG], uint64_t from, uint64_t end, uint64_t *ret_busy, uint64_t *ret_longest)
{
	uint64_t of[SPANS + 1] = {0};

	*ret_busy = *ret_longest = 0;
	for (uint64_t t = from; t < end; t++)
		if (marks[t]) {
			*ret_busy += 1;
			of[marks[t]]++;
			*ret_longest = of[marks[t]] > *ret_longest ? of[marks[t]] : *ret_longest;
		}
}

/* Cells of any length, over any stretch: also those that hold whole runs of spans, which are added at once. */
static void cells_are_what_marks_say(void **state)
{
	struct ts_random random;
	int marks[LONG];

	(void)state;
	ts_random_init(&random, 5);
	for (int round = 0; round < 200; round++) {
		size_t cells = 1 + ts_random_below(&random, round % 2 ? 4 : 300);
		struct ts_stretch stretch = {.given = round % 4 > 1, .from_ns = ts_random_below(&random, 1000)};
		struct ts_lanes_view v;
		struct made m;
		uint64_t begin = 0, end;

		made_begin(&m);
		mark(&random, &m, marks);
		stretch.to_ns = stretch.from_ns + 1 + ts_random_below(&random, 3000);
		v = view_of(&m, stretch, cells);
		while (m.trace.rows.spans.start_ns[0] > (int64_t)begin)
			begin++;
		end = stretch.given && stretch.to_ns < v.length_ns ? stretch.to_ns : v.length_ns;
		assert_true(v.n_cells <= cells && v.from_ns == (stretch.given ? stretch.from_ns : 0));
		assert_true(v.to_ns >= end && v.to_ns < end + v.cell_ns && v.to_ns <= v.length_ns);
		end = v.from_ns + v.n_cells * v.cell_ns < v.length_ns ? v.from_ns + v.n_cells * v.cell_ns : v.length_ns;
		assert_int_equal(v.to_ns, end);
		for (size_t i = 0; i < v.n_cells; i++) {
			uint64_t from = v.from_ns + i * v.cell_ns, to = from + v.cell_ns < end ? from + v.cell_ns : end, busy, longest;

			count(marks, begin + from, begin + to, &busy, &longest);
			assert_int_equal(v.lanes[0].cells[i].busy_ns, busy);
			assert_int_equal(v.lanes[0].cells[i].longest_ns, longest);
		}
		made_finish(&m);
	}
}

/* A copy says the same when the trace, and all that its lanes were made in, is gone; and there is none that is larger than allowed. */
static void a_copy_stands_alone(void **state)
{
	struct ts_lanes lanes, copy;
	struct ts_lanes_view v;
	struct ts_arena arena;
	struct made m;

	(void)state;
	make_paper(&m);
	lanes = lanes_of(&m);
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_lanes_copy(&lanes, 100, &arena, &copy, &m.err), TS_TOO_LARGE);
	assert_int_equal(ts_lanes_copy(&lanes, 4096, &arena, &copy, &m.err), TS_OK);
	made_finish(&m);
	assert_int_equal(copy.n_names, 5);
	assert_int_equal(ts_lanes_view(&copy, whole, 10, &arena, &v, &m.err), TS_OK);
	cell(&v.lanes[0], 2, 10, 5, TS_LANE_COMPUTATION);
	assert_true(ts_span_is(v.names[v.lanes[2].cells[9].name], "cudaStreamSynchronize"));
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(a_stretch),
		cmocka_unit_test(around_a_time),
		cmocka_unit_test(nothing_and_too_many),
		cmocka_unit_test(as_long_as_a_clock),
		cmocka_unit_test(cells_are_what_marks_say),
		cmocka_unit_test(a_copy_stands_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
