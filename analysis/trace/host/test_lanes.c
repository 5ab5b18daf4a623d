/* lanes.h: cells that were found on paper, and random spans whose cells add up to what the lane covers. */
#include "analysis/trace/host/lanes.h"

#include "analysis/stats/random.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_lanes lanes_of(struct made *m, size_t cells)
{
	struct ts_host_waits waits;
	struct ts_host_names names;
	struct ts_timelines lines;
	struct ts_lanes lanes;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_timelines(&m->trace, &m->arena, &lines, &m->err) ||
	    ts_host_names(&m->trace, &m->arena, &names, &m->err) ||
	    ts_host_waits(&m->trace, &nest, &lines, &m->arena, &waits, &m->err) ||
	    ts_lanes(&m->trace, &nest, &names, waits.waiting, cells, &m->arena, &lanes, &m->err))
		fail_msg("%s", m->err.text);
	return lanes;
}

static void cell(const struct ts_lane *lane, size_t i, uint64_t busy, uint64_t longest, enum ts_lane_part part)
{
	assert_int_equal(lane->cells[i].busy_ns, busy);
	assert_int_equal(lane->cells[i].longest_ns, longest);
	if (longest)
		assert_int_equal(lane->cells[i].part, part);
}

/* From 0 to 100 in ten cells: a product over [5, 25) and a collective that begins within it, over [20, 32), on one stream, a copy on
 * another; on the host an operator with its call, and a call that waits. */
static void on_paper(void **state)
{
	struct ts_lanes l;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_PYTHON, "train.py(7): main", 0, 0, 100);
	made_host(&m, TS_TRACE_OPERATOR, "aten::mm", 0, 0, 8);
	made_host(&m, TS_TRACE_RUNTIME, "cudaLaunchKernel", 0, 2, 6);
	made_host(&m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, 60, 100);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, 5, 25, 1);
	made_add(&m, TS_TRACE_KERNEL, made_name(&m, "ncclDevKernel_AllReduce"), 7, 20, 32, 2);
	made_add(&m, TS_TRACE_COPY, made_name(&m, "Memcpy HtoD"), 9, 40, 41, 3);
	l = lanes_of(&m, 10);
	assert_true(l.begin_ns == 0 && l.cell_ns == 10 && l.n_cells == 10 && l.n == 3 && !l.left_out);
	assert_true(!l.items[0].host && l.items[0].stream == 7 && l.items[0].busy_ns == 27);
	cell(&l.items[0], 0, 5, 5, TS_LANE_COMPUTATION);
	cell(&l.items[0], 1, 10, 10, TS_LANE_COMPUTATION);
	cell(&l.items[0], 2, 10, 5, TS_LANE_COMPUTATION);
	cell(&l.items[0], 3, 2, 2, TS_LANE_COMMUNICATION);
	cell(&l.items[0], 4, 0, 0, TS_LANE_PARTS);
	assert_true(l.items[1].stream == 9 && l.items[1].busy_ns == 1);
	cell(&l.items[1], 4, 1, 1, TS_LANE_COPIES);
	assert_true(l.items[2].host && l.items[2].busy_ns == 48);
	cell(&l.items[2], 0, 8, 8, TS_LANE_OPERATORS);
	cell(&l.items[2], 1, 0, 0, TS_LANE_PARTS);
	cell(&l.items[2], 9, 10, 10, TS_LANE_WAITS);
	made_finish(&m);
}

static void nothing_and_too_many(void **state)
{
	struct ts_lanes l;
	struct made m;

	(void)state;
	made_begin(&m);
	l = lanes_of(&m, 1);
	assert_true(!l.n && !l.n_cells);
	for (int32_t i = 0; i < TS_LANES_MOST + 2; i++)
		made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, i, 10 * i, 10 * i + 5, i + 1);
	l = lanes_of(&m, 1);
	assert_true(l.n == TS_LANES_MOST && l.left_out == 2 && l.n_cells == 1);
	made_finish(&m);
}

/* Two events nearly as far apart as a clock of 64 bits can tell: the last cell's edge is at 2^64 and more. */
static void as_long_as_a_clock(void **state)
{
	struct ts_lanes l;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, -INT64_MAX, -INT64_MAX + 10, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, INT64_MAX - 10, INT64_MAX, 2);
	l = lanes_of(&m, 96);
	assert_true(l.n_cells == 96 && l.n == 1 && l.items[0].busy_ns == 20);
	cell(&l.items[0], 0, 10, 10, TS_LANE_COMPUTATION);
	cell(&l.items[0], 95, 10, 10, TS_LANE_COMPUTATION);
	made_finish(&m);
}

/* The cells of a lane cover what a mark for each nanosecond says. */
static void cells_add_up(void **state)
{
	struct ts_random random;

	(void)state;
	ts_random_init(&random, 5);
	for (int round = 0; round < 100; round++) {
		size_t cells = 1 + ts_random_below(&random, 30), covered = 0, busy = 0;
		bool marks[400] = {false};
		struct ts_lanes l;
		struct made m;

		made_begin(&m);
		for (int i = 0; i < 20; i++) {
			int64_t at = (int64_t)ts_random_below(&random, 300), len = (int64_t)ts_random_below(&random, 60);

			made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, at, at + len, i + 1);
			for (int64_t t = at; t < at + len; t++)
				marks[t] = true;
		}
		for (size_t t = 0; t < 400; t++)
			covered += marks[t];
		l = lanes_of(&m, cells);
		assert_true(l.n_cells <= cells);
		for (size_t i = 0; i < l.n_cells; i++) {
			assert_true(l.items[0].cells[i].busy_ns <= l.cell_ns);
			assert_true(l.items[0].cells[i].longest_ns <= l.items[0].cells[i].busy_ns);
			busy += l.items[0].cells[i].busy_ns;
		}
		assert_int_equal(busy, covered);
		assert_int_equal(l.items[0].busy_ns, covered);
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(nothing_and_too_many),
		cmocka_unit_test(as_long_as_a_clock),
		cmocka_unit_test(cells_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
