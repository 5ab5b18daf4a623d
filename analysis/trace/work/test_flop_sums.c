/* flop_sums.c: operations and how fast they were done, found on paper. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_flop_sums flops_of(struct made *m)
{
	struct ts_flop_sums out;
	struct ts_device_work work;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_device_work(&m->trace, &nest, &m->arena, &work, &m->err) ||
	    ts_flop_sums(&m->trace, &nest, &work, &m->arena, &out, &m->err))
		fail_msg("%s", m->err.text);
	return out;
}

static void mm(struct made *m, int64_t at, const char *shapes, const char *type, int64_t ns)
{
	made_host(m, TS_TRACE_OPERATOR, "aten::mm", 0, at, at + 10);
	made_arguments(m, shapes, type, "");
	if (ns)
		made_launch(m, TS_TRACE_KERNEL, "gemm", 7, at + 2, 1000 + at, 1000 + at + ns);
}

#define BF16 "[\"c10::BFloat16\",\"c10::BFloat16\"]"

/* An H100 has a peak of 989e12 in bf16. 2 * 1000 * 1000 * 100 operations in 1,000 ns are 200e12 a second. One did not launch anything,
 * so that it has no time; one has shapes that do not fit. */
static void achieved(void **state)
{
	struct ts_trace_device device = {.id = 0, .name = ts_span_str("NVIDIA H100 80GB HBM3"), .multiprocessors = 132};
	struct ts_flop_sums f;
	struct made m;

	(void)state;
	made_begin(&m);
	m.trace.about.devices = &device;
	m.trace.about.n_devices = 1;
	mm(&m, 0, "[[1000,100],[100,1000]]", BF16, 1000);
	mm(&m, 20, "[[8,4],[4,2]]", BF16, 100);
	mm(&m, 40, "[[1000,100],[100,1000]]", BF16, 3000);
	mm(&m, 60, "[[1000,100],[100,1000]]", BF16, 0);
	mm(&m, 80, "[[1000,100],[99,1000]]", BF16, 77);
	f = flops_of(&m);
	assert_int_equal(f.n, 2);
	assert_int_equal(f.items[0].count, 3);
	assert_int_equal(f.items[0].each, 200000000);
	assert_int_equal(f.items[0].flops, 600000000);
	assert_int_equal(f.items[0].timed, 2);
	assert_int_equal(f.items[0].timed_flops, 400000000);
	assert_int_equal(f.items[0].work.ns, 4000);
	assert_true(f.items[0].has_achieved && f.items[0].achieved == 100e12);
	assert_true(f.items[0].has_peak && f.items[0].peak == 989e12);
	assert_int_equal(f.items[1].flops, 2 * 8 * 4 * 2);
	assert_int_equal(f.all.flops, 600000000 + 128);
	assert_int_equal(f.all.work.ns, 4100);
	assert_string_equal(f.all.type, "bf16");
	assert_int_equal(f.unknown, 1);
	assert_int_equal(f.unknown_work.ns, 77);
	assert_null(f.no_peak);
	/* [1000,100] and [100,1000] in bf16 give [1000,1000]: 1.2 million numbers of 2 bytes for 200 million operations. The memory of
	 * an H100 moves 3.35e12 bytes a second, so that 295 operations a byte would keep its arithmetic busy. */
	assert_int_equal(f.items[0].each_bytes, 2400000);
	assert_true(f.items[0].intensity > 83.333 && f.items[0].intensity < 83.334);
	assert_true(f.items[0].has_bandwidth && f.items[0].peak_bandwidth == 3350e9);
	assert_int_equal(f.items[0].bound, TS_ROOF_MEMORY);
	ts_flops_of_busy(&f, 5000); /* other kernels took the rest: 400,000,128 in 5 us; 200,000,000 more were not launched */
	assert_true(f.has_of_busy && f.of_busy > 80e12 && f.of_busy < 80.001e12);
	ts_flops_of_busy(&f, 0);
	assert_false(f.has_of_busy);
	made_finish(&m);
}

/* In a capture operators launch nothing, whatever else the device does meanwhile. */
static void nothing_was_launched(void **state)
{
	struct ts_flop_sums f;
	struct made m;

	(void)state;
	made_begin(&m);
	mm(&m, 0, "[[1000,100],[100,1000]]", BF16, 0);
	f = flops_of(&m);
	assert_int_equal(f.all.flops, 200000000);
	ts_flops_of_busy(&f, 5000);
	assert_false(f.has_of_busy);
	made_finish(&m);
}

/* A convolution calls another, and only the outer counts; where the outer one does not say enough, the inner does. */
static void once(void **state)
{
#define CONV "[\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]"
	for (int outer = 0; outer < 2; outer++) {
		struct ts_flop_sums f;
		struct made m;

		(void)state;
		made_begin(&m);
		made_host(&m, TS_TRACE_OPERATOR, "aten::convolution", 0, 0, 100);
		made_arguments(&m, "[[1,1,4,4],[1,1,1,1]]", "", outer ? CONV : "");
		made_host(&m, TS_TRACE_OPERATOR, "aten::_convolution", 0, 10, 90);
		made_arguments(&m, "[[1,1,4,4],[1,1,1,1]]", "", CONV);
		made_launch(&m, TS_TRACE_KERNEL, "conv", 7, 20, 200, 210);
		f = flops_of(&m);
		assert_int_equal(f.all.count, 1);
		assert_int_equal(f.all.flops, 32);
		assert_true(ts_span_is(f.items[0].name, outer ? "aten::convolution" : "aten::_convolution"));
		assert_null(f.items[0].type);
		assert_false(f.items[0].has_peak);
		assert_non_null(f.no_peak);
		made_finish(&m);
	}
}

/* fp32 may be tf32, and two kinds of devices have two peaks. */
static void no_peak(void **state)
{
	struct ts_trace_device devices[] = {{.id = 0, .name = ts_span_str("NVIDIA H100 80GB HBM3")},
					    {.id = 1, .name = ts_span_str("Tesla V100-SXM2-32GB")}};

	for (int i = 0; i < 2; i++) {
		struct ts_flop_sums f;
		struct made m;

		(void)state;
		made_begin(&m);
		m.trace.about.devices = devices;
		m.trace.about.n_devices = (size_t)i + 1;
		mm(&m, 0, "[[8,4],[4,2]]", i ? BF16 : "[\"float\",\"float\"]", 100);
		f = flops_of(&m);
		assert_false(f.items[0].has_peak || f.all.has_peak);
		assert_string_equal(f.items[0].type, i ? "bf16" : "fp32");
		assert_true(strstr(f.no_peak, i ? "several names" : "tf32") != NULL);
		made_finish(&m);
	}
}

/* One operator copies from the host, one to it, one to another device, one does not say where, one within the device, whose memory
 * moves 2 * 4096 bytes for it. The memory of a device bounds the last alone. */
static void copies_over_a_link(void **state)
{
	static const char *const copies[] = {"Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)",
					     "Memcpy PtoP (Device -> Device)", "Memcpy", "Memcpy DtoD (Device -> Device)"};
	struct ts_trace_device device = {.id = 0, .name = ts_span_str("NVIDIA H100 80GB HBM3"), .multiprocessors = 132};
	struct ts_device_work work;
	struct ts_flop_sums f;
	struct ts_nest nest;
	struct made m;

	(void)state;
	made_begin(&m);
	m.trace.about.devices = &device;
	m.trace.about.n_devices = 1;
	for (int64_t i = 0; i < 5; i++) {
		made_host(&m, TS_TRACE_OPERATOR, "aten::copy_", 0, 100 * i, 100 * i + 50);
		made_arguments(&m, "[[1024],[1024],[]]", "[\"float\",\"float\",\"Scalar\"]", "");
		made_host(&m, TS_TRACE_OPERATOR, "aten::inner", 0, 100 * i + 1, 100 * i + 49);
		made_launch(&m, TS_TRACE_COPY, copies[i], 7, 100 * i + 2, 1000 + 100 * i, 1010 + 100 * i);
	}
	if (ts_nest(&m.trace, &m.arena, &nest, &m.err) || ts_device_work(&m.trace, &nest, &m.arena, &work, &m.err) ||
	    ts_move_sums(&m.trace, &nest, &work, &m.arena, &f, &m.err))
		fail_msg("%s", m.err.text);
	assert_int_equal(f.all.count, 1);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.unknown, 0);
	assert_int_equal(f.items[0].count, 1);
	assert_int_equal(f.items[0].each_bytes, 2 * 4096);
	assert_int_equal(f.items[0].work.ns, 10);
	assert_int_equal(f.items[0].bound, TS_ROOF_MEMORY);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(achieved),
		cmocka_unit_test(nothing_was_launched),
		cmocka_unit_test(once),
		cmocka_unit_test(no_peak),
		cmocka_unit_test(copies_over_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
