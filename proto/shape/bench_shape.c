/* bench_shape.c - what a table costs: a gap of 15 fields and a diff of 200 series, packed and unpacked by their tables, the gap beside
 * functions written by hand for it. Prints nanoseconds of CPU time, a line each; the best of several rounds. */
#include "analysis/diverge/diff.h"
#include "proto/shape/shape_wire.h"
#include "proto/shape/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, GAPS = 100000, DIFFS = 200, SERIES = 200 };

/* --- functions written by hand --- */

static void *build_gap(const struct ts_gap *in, struct ts_arena *arena)
{
	Tscope__V1__Gap *m = ts_wire_new(arena, WIRE_DESCRIPTOR(gap));

	if (!m)
		return NULL;
	m->quantum = in->quantum;
	if (in->visible) {
		m->visible_choice_case = TSCOPE__V1__GAP__VISIBLE_CHOICE_VISIBLE_STEP;
		m->visible_step = in->visible_step;
	}
	m->first = in->first;
	m->at_visible = in->at_visible;
	m->after_10 = in->after_10;
	m->after_30 = in->after_30;
	m->after_100 = in->after_100;
	m->slope = in->slope;
	m->saturation = in->saturation;
	m->greatest = in->greatest;
	m->greatest_step = in->greatest_step;
	m->bias = in->bias;
	m->points = in->points;
	m->differing = in->differing;
	m->last_step = in->last_step;
	return m;
}

static void read_gap(const Tscope__V1__Gap *m, struct ts_gap *out)
{
	*out = (struct ts_gap){
		.known = true,
		.quantum = m->quantum,
		.visible = m->visible_choice_case == TSCOPE__V1__GAP__VISIBLE_CHOICE_VISIBLE_STEP,
		.visible_step = m->visible_step,
		.first = m->first,
		.at_visible = m->at_visible,
		.after_10 = m->after_10,
		.after_30 = m->after_30,
		.after_100 = m->after_100,
		.slope = m->slope,
		.saturation = m->saturation,
		.greatest = m->greatest,
		.greatest_step = m->greatest_step,
		.bias = m->bias,
		.points = m->points,
		.differing = m->differing,
		.last_step = m->last_step,
	};
}

/* --- timing --- */

static const struct ts_gap a_gap = {
	.known = true, .visible = true, .visible_step = 300, .first = 1e-7, .at_visible = 2e-7, .after_10 = 3e-6, .after_30 = 1e-4,
	.after_100 = 1e-3, .slope = 0.25, .saturation = 0.01, .greatest = 0.1, .greatest_step = 900, .bias = 0.5, .points = 1000,
	.differing = 990, .last_step = 1300,
};

static struct ts_arena arena;
static uint8_t bytes[4096];
static size_t used; /* The sum uses every result, so that the compiler removes no call */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pack_by_hand(void)
{
	used += protobuf_c_message_pack(build_gap(&a_gap, &arena), bytes);
}

static void pack_by_table(void)
{
	used += protobuf_c_message_pack(ts_shape_build(&ts_shape_gap, &a_gap, &arena), bytes);
}

static struct ts_span packed_gap;

static void unpack_by_hand(void)
{
	struct ts_wire_reader r = {.arena = &arena};
	struct ts_gap gap = {.known = false};

	read_gap(ts_wire_parse(&r, packed_gap, WIRE_DESCRIPTOR(gap)), &gap);
	used += gap.points;
}

static void unpack_by_table(void)
{
	struct ts_wire_reader r = {.arena = &arena};
	struct ts_gap gap = {.known = false};

	ts_shape_read(&ts_shape_gap, &r, ts_wire_parse(&r, packed_gap, WIRE_DESCRIPTOR(gap)), &gap);
	used += gap.points;
}

static struct ts_diff a_diff;
static struct ts_buf packed_diff, packing;

static void pack_diff(void)
{
	struct ts_error err;

	ts_buf_reset(&packing);
	if (ts_shape_pack(&ts_shape_diff, &a_diff, &packing, &err))
		exit(1);
	used += packing.len;
}

static void unpack_diff(void)
{
	struct ts_error err;
	struct ts_diff diff;

	if (ts_shape_unpack(&ts_shape_diff, ts_buf_view(&packed_diff), &arena, &diff, &err))
		exit(1);
	used += diff.n_series;
}

static void measure(const char *what, void (*f)(void), int times)
{
	double best = 1e300;

	for (int round = 0; round < ROUNDS; round++) {
		double begin = now();

		for (int i = 0; i < times; i++) {
			f();
			if (i % 64 == 63)
				ts_arena_reset(&arena);
		}
		begin = (now() - begin) / times;
		best = begin < best ? begin : best;
	}
	printf("%-24s %10.0f ns\n", what, best);
}

int main(void)
{
	static struct ts_series_row series[SERIES];

	ts_arena_init(&arena, 0);
	packing.ceiling = packed_diff.ceiling = 1 << 20;
	packed_gap = ts_span_of(bytes, protobuf_c_message_pack(build_gap(&a_gap, &arena), bytes));
	for (size_t i = 0; i < SERIES; i++)
		series[i] = (struct ts_series_row){.name = ts_span_str("scalars.loss"), .type = TS_COLUMN_F64, .state = TS_SERIES_PARTS,
						   .a = {.type = TS_COLUMN_F64, .real = 1}, .b = {.type = TS_COLUMN_F64, .real = 2},
						   .gap = a_gap};
	a_diff = (struct ts_diff){.series = series, .n_series = SERIES};
	pack_diff();
	ts_buf_span(&packed_diff, ts_buf_view(&packing));
	measure("gap packed by hand", pack_by_hand, GAPS);
	measure("gap packed by table", pack_by_table, GAPS);
	measure("gap unpacked by hand", unpack_by_hand, GAPS);
	measure("gap unpacked by table", unpack_by_table, GAPS);
	measure("diff packed by table", pack_diff, DIFFS);
	measure("diff unpacked by table", unpack_diff, DIFFS);
	ts_buf_finish(&packing);
	ts_buf_finish(&packed_diff);
	ts_arena_finish(&arena);
	return used == 0;
}
