/* host_waits.c: waits that were found on paper, with who asked; and which calls wait. */
#include "analysis/trace/host/trace_host.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_host_waits waits_of(struct made *m)
{
	struct ts_host_waits waits;
	struct ts_timelines lines;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_timelines(&m->trace, &m->arena, &lines, &m->err) ||
	    ts_host_waits(&m->trace, &nest, &lines, &m->arena, &waits, &m->err))
		fail_msg("%s", m->err.text);
	return waits;
}

static void is(struct ts_span text, const char *wanted)
{
	if (!ts_span_is(text, wanted))
		fail_msg("%.*s and not %s", TS_SPAN_ARG(text), wanted);
}

static const struct ts_host_wait *find(const struct ts_host_waits *w, const char *call, const char *source)
{
	for (size_t i = 0; i < w->n; i++)
		if (ts_span_is(w->items[i].call, call) && ts_span_is(w->items[i].source, source))
			return &w->items[i];
	fail_msg("no %s of %s", call, source);
	return NULL;
}

/* In step 1, train asks for item(): two kernels run on, to 60 and 80, and the device idles to 120; a second call finds nothing to wait
 * for. In step 2 a copy that is called asynchronous waits, asked by what the operator's stack says. */
static void on_paper(void **state)
{
	const struct ts_host_wait *w;
	struct ts_host_waits waits;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#1", 0, 0, 100);
	made_host(&m, TS_TRACE_PYTHON, "train.py(7): main", 0, 0, 100);
	made_add(&m, TS_TRACE_RUNTIME, made_name(&m, "cudaLaunchKernel"), 0, 1, 2, 1);
	made_add(&m, TS_TRACE_RUNTIME, made_name(&m, "cudaLaunchKernel"), 0, 3, 4, 2);
	made_host(&m, TS_TRACE_PYTHON, "torch/_tensor.py(40): __float__", 0, 30, 90);
	made_host(&m, TS_TRACE_PYTHON, "<built-in method item of Tensor object at 0x7f00>", 0, 30, 90);
	made_host(&m, TS_TRACE_OPERATOR, "aten::item", 0, 31, 89);
	made_host(&m, TS_TRACE_OPERATOR, "aten::_local_scalar_dense", 0, 32, 88);
	made_host(&m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, 40, 82);
	made_host(&m, TS_TRACE_RUNTIME, "cuStreamSynchronize", 0, 41, 81); /* a part of that */
	made_host(&m, TS_TRACE_RUNTIME, "cudaDeviceSynchronize", 0, 92, 95);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 10, 60, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 1, 20, 80, 2);
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#2", 0, 100, 200);
	made_add(&m, TS_TRACE_RUNTIME, made_name(&m, "cudaLaunchKernel"), 0, 110, 112, 3);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 120, 130, 3);
	made_stack(&m, "aten::copy_", 0, 139, 161, "torch/_tensor.py(1): to;loss.py(9): log;train.py(7): main");
	made_add(&m, TS_TRACE_RUNTIME, made_name(&m, "cudaMemcpyAsync"), 0, 140, 160, 4);
	made_add(&m, TS_TRACE_COPY, made_name(&m, "Memcpy DtoH (Device -> Pageable)"), 0, 145, 155, 4);
	made_add(&m, TS_TRACE_RUNTIME, made_name(&m, "cudaMemcpyAsync"), 0, 170, 180, 5);
	made_add(&m, TS_TRACE_COPY, made_name(&m, "Memcpy DtoH (Device -> Pinned)"), 0, 175, 178, 5);
	waits = waits_of(&m);
	assert_true(waits.has_sources);
	assert_true(waits.has_work);
	assert_int_equal(waits.n, 3);
	assert_int_equal(waits.all.calls, 3);
	assert_int_equal(waits.all.ns, 42 + 3 + 20);
	w = find(&waits, "cudaStreamSynchronize", "train.py(7): main");
	is(w->in_operator, "aten::_local_scalar_dense");
	is(w->in_outer, "aten::item");
	assert_int_equal(w->sum.outstanding, 2);
	assert_int_equal(w->sum.outstanding_ns, 40);
	assert_int_equal(w->sum.drained, 1);
	assert_int_equal(w->sum.idle_ns, 40); /* 80 to 120 */
	w = find(&waits, "cudaDeviceSynchronize", "train.py(7): main");
	is(w->in_operator, "");
	assert_int_equal(w->sum.outstanding, 0);
	assert_int_equal(w->sum.drained, 1);
	assert_int_equal(w->sum.idle_ns, 0); /* the gap is the first call's */
	w = find(&waits, "cudaMemcpyAsync", "loss.py(9): log");
	is(w->in_operator, "aten::copy_");
	assert_int_equal(w->sum.outstanding, 0);
	assert_int_equal(w->sum.outstanding_ns, 0);
	assert_int_equal(w->sum.drained, 1);
	assert_int_equal(w->sum.idle_ns, 0); /* it waited for its own copy alone */
	assert_int_equal(waits.n_steps, 2);
	assert_int_equal(waits.steps[0].number, 1);
	assert_int_equal(waits.steps[0].calls, 2);
	assert_int_equal(waits.steps[0].ns, 45);
	assert_int_equal(waits.steps[1].calls, 1);
	assert_int_equal(waits.steps[1].ns, 20);
	made_finish(&m);
}

/* Work that is queued behind, of another thread or stream, is left; the gap at the end is none; so is the idle time before a call. */
static void what_is_left(void **state)
{
	struct ts_host_waits waits;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 0, 1, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 5, 20, 1);
	made_host(&m, TS_TRACE_RUNTIME, "hipStreamSynchronize", 0, 10, 21);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 15, 16, 2); /* asked for while it waits */
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 1, 30, 40, 2);
	made_host(&m, TS_TRACE_RUNTIME, "hipDeviceSynchronize", 0, 50, 60); /* 10 behind the last */
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 1, 70, 80, 99);	    /* nobody knows who asked */
	made_host(&m, TS_TRACE_RUNTIME, "hipEventSynchronize", 0, 90, 91);
	waits = waits_of(&m);
	assert_false(waits.has_sources);
	assert_int_equal(waits.n, 3);
	is(waits.items[0].call, "hipStreamSynchronize");
	assert_int_equal(waits.items[0].sum.outstanding, 1);
	assert_int_equal(waits.items[0].sum.outstanding_ns, 10);
	assert_int_equal(waits.items[0].sum.drained, 0);
	is(waits.items[1].call, "hipDeviceSynchronize");
	assert_int_equal(waits.items[1].sum.drained, 1);
	assert_int_equal(waits.items[1].sum.outstanding, 0);
	assert_int_equal(waits.items[1].sum.idle_ns, 0); /* from 50 to 70 the device was idle, but not for this call */
	is(waits.items[2].call, "hipEventSynchronize");
	assert_int_equal(waits.items[2].sum.drained, 1);
	assert_int_equal(waits.items[2].sum.idle_ns, 0);
	made_finish(&m);
}

/* One kernel from 10 to 20, a wait for it, and the next kernel at 60, so that 40 are idle. Without the wait the host would have gone on
 * earlier by what the wait took. */
static void what_a_wait_costs(void **state)
{
	static const struct {
		int64_t begin, end, cost;
	} paper[] = {
		{5, 21, 16}, /* the host was late for another reason, too: 24 of the 40 would have been idle all the same */
		{15, 57, 40},
		{-30, 21, 40},
		{20, 55, 0},   /* the kernel has ended: the host does something else in the call */
	};

	(void)state;
	for (size_t i = 0; i < sizeof paper / sizeof paper[0]; i++) {
		struct ts_host_waits waits;
		struct made m;

		made_begin(&m);
		made_call(&m, TS_TRACE_KERNEL, "gemm", 0, -45, -44, 10, 20);
		made_host(&m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, paper[i].begin, paper[i].end);
		made_call(&m, TS_TRACE_KERNEL, "gemm", 0, 58, 59, 60, 70);
		waits = waits_of(&m);
		assert_int_equal(waits.all.drained, 1);
		assert_int_equal(waits.all.idle_ns, paper[i].cost);
		made_finish(&m);
	}
}

/* Two threads wait in the gap from 20 to 60. That of thread 1 is the first to end, and had nothing to wait for. */
static void who_had_to_wait_has_the_gap(void **state)
{
	struct ts_host_waits waits;
	struct made m;

	(void)state;
	made_begin(&m);
	made_call(&m, TS_TRACE_KERNEL, "gemm", 0, 0, 1, 10, 20);
	made_host(&m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, 5, 30);
	made_host(&m, TS_TRACE_RUNTIME, "cudaEventSynchronize", 1, 21, 29);
	made_call(&m, TS_TRACE_KERNEL, "gemm", 0, 58, 59, 60, 70);
	waits = waits_of(&m);
	assert_int_equal(waits.n, 2);
	is(waits.items[0].call, "cudaStreamSynchronize");
	assert_int_equal(waits.items[0].sum.idle_ns, 25);
	assert_int_equal(waits.items[1].sum.idle_ns, 0);
	made_finish(&m);
}

static void which_wait(void **state)
{
	static const char *const wait[] = {"cudaDeviceSynchronize",
					   "cudaStreamSynchronize",
					   "cudaEventSynchronize",
					   "cuCtxSynchronize",
					   "hipDeviceSynchronize",
					   "hipMemcpyWithStream",
					   "cudaMemcpy",
					   "cudaMemcpy2D",
					   "cuMemcpyDtoH_v2",
					   "cudaFree",
					   "cuMemFree_v2",
					   "cudaStreamSynchronize_ptsz"};
	static const char *const do_not[] = {"cudaMemcpyAsync",
					     "cudaStreamWaitEvent",
					     "cudaLaunchKernel",
					     "cudaFreeAsync",
					     "cudaFreeHost",
					     "hipMemcpyDtoHAsync",
					     "cudaMemcpy2DAsync",
					     "cudaEventQuery",
					     "",
					     "cuda",
					     "cudaMemsetAsync",
					     "Synchronize",
					     "cudaMemcpyBatchAsync"};
	static const char *const torch[] = {"torch/nn/modules/module.py(1501): _call_impl",
					    "/usr/lib/python3/site-packages/torch/_tensor.py(3): item",
					    "<built-in method item of Tensor object at 0x7f>",
					    "<frozen runpy>(198): _run",
					    "nn.Module: Linear_0",
					    "<module>",
					    ""};
	static const char *const own[] = {"train.py(7): main", "/home/a/pytorch/train.py(1): f", "torchvision/ops/nms.py(4): nms",
					  "mytorch/a.py(1): g"};

	(void)state;
	for (size_t i = 0; i < sizeof wait / sizeof wait[0]; i++)
		if (!ts_call_waits(ts_span_str(wait[i])))
			fail_msg("%s waits", wait[i]);
	for (size_t i = 0; i < sizeof do_not / sizeof do_not[0]; i++)
		if (ts_call_waits(ts_span_str(do_not[i])))
			fail_msg("%s does not wait", do_not[i]);
	for (size_t i = 0; i < sizeof torch / sizeof torch[0]; i++)
		assert_true(ts_is_torch_frame(ts_span_str(torch[i])));
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		if (ts_is_torch_frame(ts_span_str(own[i])))
			fail_msg("%s is not torch's", own[i]);
}

static void which_set_up(void **state)
{
	static const char *const set_up[] = {"cudaMalloc",
					     "cudaFree",
					     "cudaHostAlloc",
					     "cudaStreamCreateWithFlags",
					     "cudaEventCreateWithFlags",
					     "cudaGetDeviceProperties_v2",
					     "cudaDeviceGetStreamPriorityRange",
					     "hipModuleLoadData",
					     "hipHostMalloc",
					     "cuMemAlloc_v2",
					     "cuLibraryLoadData"};
	static const char *const do_not[] = {"cudaMallocAsync", "cudaFreeAsync",   "cudaLaunchKernel", "cudaStreamSynchronize",
					     "cudaMemcpy",	"cudaEventRecord", "cudaGetDevice",    "Malloc",
					     "cuda",		""};

	(void)state;
	for (size_t i = 0; i < sizeof set_up / sizeof set_up[0]; i++)
		if (!ts_call_sets_up(ts_span_str(set_up[i])))
			fail_msg("%s sets up", set_up[i]);
	for (size_t i = 0; i < sizeof do_not / sizeof do_not[0]; i++)
		if (ts_call_sets_up(ts_span_str(do_not[i])))
			fail_msg("%s does not set up", do_not[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(what_is_left),
		cmocka_unit_test(what_a_wait_costs),
		cmocka_unit_test(who_had_to_wait_has_the_gap),
		cmocka_unit_test(which_wait),
		cmocka_unit_test(which_set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
