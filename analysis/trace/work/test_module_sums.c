/* module_sums.c: forward and backward work of modules, found on paper. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_module_sums modules_of(struct made *m)
{
	struct ts_module_sums out;
	struct ts_device_work work;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_device_work(&m->trace, &nest, &m->arena, &work, &m->err) ||
	    ts_module_sums(&m->trace, &nest, &work, &m->arena, &out, &m->err))
		fail_msg("%s", m->err.text);
	return out;
}

static void same(const struct ts_module_sum *s, const char *name, uint64_t own_f, uint64_t own_b, uint64_t total_f, uint64_t total_b)
{
	assert_true(ts_span_is(s->name, name));
	assert_int_equal(s->own_forward.ns, own_f);
	assert_int_equal(s->own_backward.ns, own_b);
	assert_int_equal(s->total_forward.ns, total_f);
	assert_int_equal(s->total_backward.ns, total_b);
}

/* Block launches 5, and 100 within Linear. linear begins with the number 7, and so does the aten::t within it, which made the node 7;
 * addmm has 8. The node of addmm launches 40 and that of t 3; one node has no forward operator, one an operator outside of modules. */
static void model(struct made *m)
{
	made_host(m, TS_TRACE_PYTHON, "nn.Module: Block_0", 0, 0, 100);
	made_host(m, TS_TRACE_PYTHON, "nn.Module: Linear_0", 0, 10, 50);
	made_operator(m, "aten::linear", 0, 12, 48, 7, 0);
	made_operator(m, "aten::t", 0, 13, 14, 7, 0);
	made_operator(m, "aten::addmm", 0, 15, 40, 8, 0);
	made_launch(m, TS_TRACE_KERNEL, "gemm", 7, 20, 200, 300);
	made_operator(m, "aten::add", 0, 60, 70, 9, 0);
	made_launch(m, TS_TRACE_KERNEL, "add", 7, 62, 300, 305);
	made_operator(m, "aten::sum", 0, 110, 120, 10, 0);
	made_operator(m, "autograd::engine::evaluate_function: AddmmBackward0", 1, 200, 220, 8, 1);
	made_operator(m, "AddmmBackward0", 1, 201, 219, 8, 1);
	made_operator(m, "aten::mm", 1, 202, 210, TS_TRACE_NONE, TS_TRACE_NONE);
}

static void launch_there(struct made *m, uint32_t thread, int64_t call, int64_t start, int64_t end)
{
	made_launch(m, TS_TRACE_KERNEL, "gemm", 7, call, start, end);
	m->trace.rows.spans.thread[m->trace.rows.spans.n - 2] = thread;
}

static void frames(void **state)
{
	struct ts_module_sums s;
	struct made m;

	(void)state;
	made_begin(&m);
	model(&m);
	launch_there(&m, 1, 203, 400, 440);
	made_operator(&m, "TBackward0", 1, 230, 240, 7, 1);
	launch_there(&m, 1, 231, 440, 443);
	made_operator(&m, "SumBackward0", 1, 250, 260, 10, 1);
	launch_there(&m, 1, 251, 450, 457);
	made_operator(&m, "OldBackward0", 1, 270, 280, 999, 1);
	launch_there(&m, 1, 271, 460, 471);
	launch_there(&m, 1, 300, 480, 493); /* outside of everything */
	s = modules_of(&m);
	assert_int_equal(s.source, TS_MODULES_FRAMES);
	assert_int_equal(s.n, 2);
	same(&s.items[0], "nn.Module: Linear_0", 100, 43, 100, 43);
	same(&s.items[1], "nn.Module: Block_0", 5, 0, 105, 43);
	assert_int_equal(s.forward.ns, 105);
	assert_int_equal(s.backward.ns, 43);
	assert_int_equal(s.unlinked.ns, 11);
	assert_int_equal(s.outside.ns, 7 + 13);
	made_finish(&m);
}

/* The thread of the backward pass has operators of its own with the number 8, as recomputation does. Without an arrow nothing is
 * linked; an arrow to any node of the Fwd thread id 1 says that its numbers are those of thread 0. */
static void two_threads(void **state)
{
	for (int arrow = 0; arrow < 2; arrow++) {
		struct ts_module_sums s;
		struct made m;

		(void)state;
		made_begin(&m);
		model(&m);
		launch_there(&m, 1, 203, 400, 440);
		made_operator(&m, "aten::mul", 1, 212, 213, 8, 0);
		made_operator(&m, "TBackward0", 1, 230, 240, 7, 1);
		if (arrow)
			made_arrow(&m, 5, 0, 13, 1, 230);
		s = modules_of(&m);
		assert_int_equal(s.backward.ns, arrow ? 40 : 0);
		assert_int_equal(s.unlinked.ns, arrow ? 0 : 40);
		made_finish(&m);
	}
}

static void texts_and_none(void **state)
{
	struct ts_module_sums s;
	struct made m;

	(void)state;
	made_begin(&m);
	made_operator(&m, "aten::addmm", 0, 10, 30, 3, 0);
	made_launch(&m, TS_TRACE_KERNEL, "gemm", 7, 20, 200, 300);
	s = modules_of(&m);
	assert_int_equal(s.source, TS_MODULES_NONE);
	assert_int_equal(s.n, 0);
	m.trace.rows.operators.module[0] = made_name(&m, "TOP(Net).fc(Linear)");
	s = modules_of(&m);
	assert_int_equal(s.source, TS_MODULES_TEXTS);
	assert_int_equal(s.n, 1);
	same(&s.items[0], "TOP(Net).fc(Linear)", 100, 0, 100, 0);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(two_threads),
		cmocka_unit_test(texts_and_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
