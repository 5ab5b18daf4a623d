/* transfer_sums.c: copies and fills, found on paper. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_transfers transfers_of(struct made *m)
{
	struct ts_transfers t;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_transfer_sums(&m->trace, &nest, &m->arena, &t, &m->err))
		fail_msg("%s", m->err.text);
	return t;
}

static void directions(void **state)
{
	static const struct {
		const char *name;
		enum ts_direction direction;
		enum ts_host_memory memory;
	} cases[] = {
		{"Memcpy HtoD (Pageable -> Device)", TS_DIRECTION_HTOD, TS_HOST_MEMORY_PAGEABLE},
		{"Memcpy HtoD (Pinned -> Device)", TS_DIRECTION_HTOD, TS_HOST_MEMORY_PINNED},
		{"Memcpy DtoH (Device -> Pageable)", TS_DIRECTION_DTOH, TS_HOST_MEMORY_PAGEABLE},
		{"Memcpy HtoD (Host -> Device)", TS_DIRECTION_HTOD, TS_HOST_MEMORY_UNSAID},
		{"Memcpy DtoD (Device -> Device)", TS_DIRECTION_DTOD, TS_HOST_MEMORY_UNSAID},
		{"Memcpy PtoP (Device -> Device)", TS_DIRECTION_PTOP, TS_HOST_MEMORY_UNSAID},
		{"CopyDeviceToHost", TS_DIRECTION_DTOH, TS_HOST_MEMORY_UNSAID},
		{"MEMORY_COPY_HOST_TO_DEVICE", TS_DIRECTION_HTOD, TS_HOST_MEMORY_UNSAID},
		{"Memcpy", TS_DIRECTION_UNKNOWN, TS_HOST_MEMORY_UNSAID},
		{"", TS_DIRECTION_UNKNOWN, TS_HOST_MEMORY_UNSAID},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		enum ts_host_memory memory;
		enum ts_direction direction;

		ts_copy_direction(ts_span_str(cases[i].name), &direction, &memory);
		assert_int_equal(direction, cases[i].direction);
		assert_int_equal(memory, cases[i].memory);
	}
}

static void copy(struct made *m, const char *name, int64_t start, int64_t end, int64_t bytes)
{
	made_add(m, TS_TRACE_COPY, made_name(m, name), 7, start, end, TS_TRACE_NONE);
	m->trace.rows.spans.bytes[m->trace.rows.spans.n - 1] = bytes;
}

/* Two of three copies to the device say their bytes: 3,000 in 30 ns. */
static void copies(void **state)
{
	struct ts_transfers t;
	struct made m;

	(void)state;
	made_begin(&m);
	copy(&m, "Memcpy HtoD (Pinned -> Device)", 0, 10, 1000);
	copy(&m, "Memcpy HtoD (Pinned -> Device)", 10, 30, 2000);
	copy(&m, "Memcpy HtoD (Pinned -> Device)", 30, 90, TS_TRACE_NONE);
	copy(&m, "Memcpy HtoD (Pageable -> Device)", 90, 91, 4);
	copy(&m, "Memcpy DtoH (Device -> Host)", 91, 92, TS_TRACE_NONE);
	t = transfers_of(&m);
	assert_int_equal(t.n_copies, 3);
	assert_int_equal(t.n_fills, 0);
	assert_int_equal(t.copies[0].direction, TS_DIRECTION_HTOD);
	assert_int_equal(t.copies[0].memory, TS_HOST_MEMORY_PINNED);
	assert_int_equal(t.copies[0].sum.count, 3);
	assert_int_equal(t.copies[0].sum.ns, 90);
	assert_int_equal(t.copies[0].sized, 2);
	assert_int_equal(t.copies[0].sized_ns, 30);
	assert_int_equal(t.copies[0].bytes, 3000);
	assert_int_equal(t.copies[1].memory, TS_HOST_MEMORY_PAGEABLE);
	assert_int_equal(t.copies[2].direction, TS_DIRECTION_DTOH);
	assert_int_equal(t.copies[2].sized, 0);
	made_finish(&m);
}

/* Two streams of a device, and another device: of a copy of 100 ns a kernel covers 30 and a fill 10 of its own device; of the second
 * copy nothing is left; the third is of the device where nothing else runs. */
static void exposed_copies(void **state)
{
	struct ts_transfers t;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_COPY, made_name(&m, "Memcpy DtoD (Device -> Device)"), 7, 0, 100, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 8, 20, 50, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_FILL, NAME_NONE, 8, 45, 60, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 9, 150, 250, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_COPY, made_name(&m, "Memcpy HtoD (Pinned -> Device)"), 7, 160, 240, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_COPY, made_name(&m, "Memcpy HtoD (Pageable -> Device)"), 17, 20, 25, TS_TRACE_NONE);
	t = transfers_of(&m);
	assert_int_equal(t.n_copies, 3);
	assert_int_equal(t.copies[0].direction, TS_DIRECTION_DTOD);
	assert_int_equal(t.copies[0].exposed_ns, 100 - 40);
	assert_int_equal(t.copies[1].memory, TS_HOST_MEMORY_PINNED);
	assert_int_equal(t.copies[1].exposed_ns, 0);
	assert_int_equal(t.copies[2].memory, TS_HOST_MEMORY_PAGEABLE);
	assert_int_equal(t.copies[2].exposed_ns, 5);
	made_finish(&m);
}

#define FILL_KERNEL "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)"

static void operator_of(struct made *m, const char *name, int64_t start, int64_t end, const char *shape)
{
	made_host(m, TS_TRACE_OPERATOR, name, 0, start, end);
	m->trace.rows.spans.shapes[m->trace.rows.spans.n - 1] = made_name(m, shape);
}

/* zero_ has the shape, and fill_ within it none; the memset of zeros has no operator with a shape; one fill has no call. */
static void fills(void **state)
{
	struct ts_transfers t;
	struct made m;

	(void)state;
	made_begin(&m);
	operator_of(&m, "aten::zero_", 0, 100, "[[64,3]]");
	made_host(&m, TS_TRACE_OPERATOR, "aten::fill_", 0, 10, 90);
	made_launch(&m, TS_TRACE_KERNEL, FILL_KERNEL, 7, 20, 200, 240);
	operator_of(&m, "aten::zero_", 110, 120, "[[64,3]]");
	made_launch(&m, TS_TRACE_FILL, "Memset (Device)", 7, 112, 240, 250);
	m.trace.rows.spans.bytes[m.trace.rows.spans.n - 1] = 768;
	operator_of(&m, "aten::zero_", 130, 140, "[[8]]");
	made_launch(&m, TS_TRACE_KERNEL, FILL_KERNEL, 7, 132, 250, 257);
	made_launch(&m, TS_TRACE_KERNEL, "gemm", 7, 134, 257, 999);
	made_host(&m, TS_TRACE_OPERATOR, "aten::zeros", 0, 150, 160);
	made_launch(&m, TS_TRACE_FILL, "Memset (Device)", 7, 152, 1000, 1003);
	made_add(&m, TS_TRACE_FILL, made_name(&m, "Memset (Device)"), 7, 1003, 1005, TS_TRACE_NONE);
	t = transfers_of(&m);
	assert_int_equal(t.n_fills, 4);
	assert_int_equal(t.filled.count, 5);
	assert_int_equal(t.filled.ns, 40 + 10 + 7 + 3 + 2);
	assert_true(ts_span_is(t.fills[0].shape, "[[64,3]]"));
	assert_true(ts_span_is(t.fills[0].in_operator, "aten::zero_"));
	assert_int_equal(t.fills[0].sum.count, 2);
	assert_int_equal(t.fills[0].sum.ns, 50);
	assert_int_equal(t.fills[0].bytes, 768);
	assert_true(ts_span_is(t.fills[1].shape, "[[8]]"));
	assert_int_equal(t.fills[1].sum.ns, 7);
	assert_true(ts_span_is(t.fills[2].in_operator, "aten::zeros") && t.fills[2].shape.len == 0);
	assert_true(t.fills[3].in_operator.len == 0 && t.fills[3].sum.ns == 2);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directions),
		cmocka_unit_test(copies),
		cmocka_unit_test(exposed_copies),
		cmocka_unit_test(fills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
