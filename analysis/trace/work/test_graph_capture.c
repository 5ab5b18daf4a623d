/* graph_capture.h: graphs whose capture was written first, found on paper. */
#include "analysis/trace/test_trace_made.h"
#include "analysis/trace/work/graph_capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct made capture, replay;
static struct ts_graph_work g;

static int begin(void **state)
{
	(void)state;
	made_begin(&capture);
	made_begin(&replay);
	return 0;
}

static int end(void **state)
{
	(void)state;
	made_finish(&capture);
	made_finish(&replay);
	return 0;
}

/* A call that was captured; kernel NULL: it does not say of which. */
static void captured(const char *call, const char *kernel, int64_t at, int64_t correlation)
{
	made_add(&capture, TS_TRACE_RUNTIME, made_name(&capture, call), 0, at, at + 1, correlation);
	if (kernel)
		made_launches(&capture, kernel);
}

static void module(const char *name, int64_t from, int64_t to)
{
	made_host(&capture, TS_TRACE_PYTHON, name, 0, from, to);
	made_host(&capture, TS_TRACE_OPERATOR, "aten::mm", 0, from, to);
}

static void marks(int64_t from, int64_t to)
{
	made_add(&capture, TS_TRACE_RUNTIME, made_name(&capture, "hipStreamBeginCapture"), 0, from, from + 1, 900 + from);
	made_add(&capture, TS_TRACE_RUNTIME, made_name(&capture, "hipStreamEndCapture"), 0, to, to + 1, 901 + from);
}

static void graph(int64_t at, int64_t correlation)
{
	made_add(&replay, TS_TRACE_RUNTIME, made_name(&replay, "hipGraphLaunch"), 0, at, at + 1, correlation);
}

static void ran(const char *kernel, int32_t stream, int64_t from, int64_t to, int64_t correlation)
{
	made_add(&replay, TS_TRACE_KERNEL, made_name(&replay, kernel), stream, from, to, correlation);
}

static void look(void)
{
	assert_int_equal(ts_graph_work(&replay.trace, &capture.trace, &capture.arena, &g, &capture.err), TS_OK);
}

static uint64_t of_module(const char *name)
{
	for (size_t i = 0; i < g.modules.n; i++)
		if (ts_span_is(g.modules.items[i].name, name))
			return g.modules.items[i].own_forward.ns;
	return 0;
}

/* Two modules launch gemm, one after the other, and norm stands between: streams ran them in another order than they were captured
 * in, but the k-th of a name is the k-th. What ran while the graph was recorded is none of it. */
static void by_name(void **state)
{
	(void)state;
	module("nn.Module: Up_0", 100, 130);
	module("nn.Module: Down_0", 140, 160);
	captured("hipLaunchKernel", "gemm", 110, 1);
	captured("hipModuleLaunchKernel", "norm", 120, 2);
	captured("hipLaunchKernel", "gemm", 150, 3);
	captured("hipLaunchKernel", "warm", 105, 4);
	made_add(&capture, TS_TRACE_KERNEL, made_name(&capture, "warm"), 0, 200, 300, 4);
	graph(0, 7);
	ran("gemm", 0, 10, 20, 7);
	ran("gemm", 0, 20, 120, 7);
	ran("norm", 1, 90, 91, 7);
	made_launch(&replay, TS_TRACE_KERNEL, "gemm", 0, 200, 210, 215);
	look();
	assert_int_equal(g.captures, 1);
	assert_int_equal(g.graphs, 1);
	assert_int_equal(g.found, 1);
	assert_int_equal(g.all.count, 3);
	assert_int_equal(g.all.ns, 111);
	assert_int_equal(g.linked.ns, 111);
	assert_int_equal(g.by_order.count, 0);
	assert_int_equal(g.device.ns, 116);
	assert_int_equal(g.in_module.ns, 111);
	assert_int_equal(g.in_operator.ns, 111);
	assert_int_equal(of_module("nn.Module: Up_0"), 11);
	assert_int_equal(of_module("nn.Module: Down_0"), 100);
}

/* Captures of layers that look alike: graphs take turns, also when they are launched again; one of another capture does not. */
static void in_turn(void **state)
{
	(void)state;
	module("nn.Module: Layer_0", 110, 120);
	module("nn.Module: Layer_1", 210, 220);
	module("nn.Module: Head_0", 310, 320);
	marks(100, 130);
	captured("hipLaunchKernel", "gemm", 115, 1);
	marks(200, 230);
	captured("hipLaunchKernel", "gemm", 215, 2);
	marks(300, 330);
	captured("hipLaunchKernel", "head", 315, 3);
	captured("hipLaunchKernel", "gemm", 400, 4); /* behind all captures */
	for (int64_t i = 0; i < 2; i++) {
		graph(1000 * i, 10 * i + 11);
		ran("gemm", 0, 1000 * i + 100, 1000 * i + 101, 10 * i + 11);
		graph(1000 * i + 10, 10 * i + 12);
		ran("gemm", 0, 1000 * i + 200, 1000 * i + 210, 10 * i + 12);
		graph(1000 * i + 20, 10 * i + 13);
		ran("head", 0, 1000 * i + 300, 1000 * i + 400, 10 * i + 13);
	}
	graph(5000, 99);
	ran("unheard", 0, 5100, 5200, 99);
	look();
	assert_int_equal(g.captures, 3);
	assert_int_equal(g.graphs, 7);
	assert_int_equal(g.found, 6);
	assert_int_equal(g.linked.ns, 222);
	assert_int_equal(g.all.ns, 322);
	assert_int_equal(of_module("nn.Module: Layer_0"), 2);
	assert_int_equal(of_module("nn.Module: Layer_1"), 20);
	assert_int_equal(of_module("nn.Module: Head_0"), 200);
}

/* A profiler that missed a kernel: the other names are linked. With most of the kernels gone it is another graph. */
static void a_kernel_is_missing(void **state)
{
	(void)state;
	module("nn.Module: Up_0", 100, 130);
	for (int64_t i = 0; i < 10; i++)
		captured("hipLaunchKernel", "gemm", 101 + i, 1 + i);
	captured("hipLaunchKernel", "norm", 120, 20);
	captured("hipLaunchKernel", "norm", 121, 21);
	graph(0, 7);
	for (int64_t i = 0; i < 10; i++)
		ran("gemm", 0, 10 + i, 11 + i, 7);
	ran("norm", 0, 50, 60, 7);
	graph(100, 8);
	ran("gemm", 0, 110, 111, 8);
	look();
	assert_int_equal(g.graphs, 2);
	assert_int_equal(g.found, 1);
	assert_int_equal(g.linked.ns, 10); /* not the norm, of which there are two */
	assert_int_equal(g.all.ns, 21);
	assert_int_equal(of_module("nn.Module: Up_0"), 10);
}

/* CUDA's calls do not name their kernels: by order where the numbers agree, by nodes where kernels say theirs. */
static void without_names(void **state)
{
	bool nodes = *(bool *)*state;

	module("nn.Module: Up_0", 100, 130);
	module("nn.Module: Down_0", 140, 160);
	captured("cudaLaunchKernel", NULL, 110, 1);
	captured("cudaLaunchKernelExC", NULL, 150, 2);
	graph(0, 7);
	ran("b", 0, 10, 20, 7); /* began first and was captured last */
	if (nodes)
		made_node(&replay, 5);
	ran("a", 1, 30, 31, 7);
	if (nodes)
		made_node(&replay, 4);
	look();
	assert_int_equal(g.found, 1);
	assert_int_equal(g.by_order.count, nodes ? 0 : 2);
	assert_int_equal(of_module("nn.Module: Up_0"), nodes ? 1 : 10);
	assert_int_equal(of_module("nn.Module: Down_0"), nodes ? 10 : 1);
}

/* A launch of the runtime and one of the driver have one correlation where the one calls the other: neither was captured. */
static void what_a_device_ran_was_not_captured(void **state)
{
	(void)state;
	module("nn.Module: Up_0", 100, 130);
	captured("cudaLaunchKernel", NULL, 110, 1);
	captured("cudaLaunchKernel", NULL, 120, 2);
	captured("cuLaunchKernel", NULL, 121, 2);
	made_add(&capture, TS_TRACE_KERNEL, made_name(&capture, "warm"), 0, 200, 300, 2);
	graph(0, 7);
	ran("a", 0, 10, 20, 7);
	look();
	assert_int_equal(g.found, 1);
	assert_int_equal(g.linked.ns, 10);
}

static void another_number_of_kernels_is_not_the_capture(void **state)
{
	(void)state;
	module("nn.Module: Up_0", 100, 130);
	captured("cudaLaunchKernel", NULL, 110, 1);
	captured("cudaMemsetAsync", NULL, 120, 2);
	graph(0, 7);
	ran("a", 0, 10, 20, 7);
	ran("b", 0, 30, 40, 7); /* two kernels, and not one and a fill */
	look();
	assert_int_equal(g.graphs, 1);
	assert_int_equal(g.found, 0);
	assert_int_equal(g.linked.count, 0);
	assert_int_equal(g.in_module.count, 0);
}

static void nothing_of_either(void **state)
{
	(void)state;
	look();
	assert_int_equal(g.captures, 0);
	assert_int_equal(g.graphs, 0);
	assert_int_equal(g.all.count, 0);
}

int main(void)
{
	static bool without, with = true;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_name, begin, end),
		cmocka_unit_test_setup_teardown(in_turn, begin, end),
		cmocka_unit_test_setup_teardown(a_kernel_is_missing, begin, end),
		{"without_names: by order", without_names, begin, end, &without},
		{"without_names: by node", without_names, begin, end, &with},
		cmocka_unit_test_setup_teardown(what_a_device_ran_was_not_captured, begin, end),
		cmocka_unit_test_setup_teardown(another_number_of_kernels_is_not_the_capture, begin, end),
		cmocka_unit_test_setup_teardown(nothing_of_either, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
