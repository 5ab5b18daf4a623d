/* trace_work.h: of random traces, with times that no clock has, what must add up does. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/stats/random.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const names[] = {"aten::mm",
				    "aten::_fused_adam_",
				    "nn.Module: Linear_0",
				    "nn.Module: Linear_1",
				    "Optimizer.step#Adam.step",
				    "autograd::engine::evaluate_function: MmBackward0",
				    "CheckpointFunctionBackward",
				    "Torch-Compiled Region: 0/99999999999999999999",
				    "aten::_scaled_dot_product_attention_math",
				    "ProfilerStep#9223372036854775807",
				    "Memcpy HtoD (Pageable -> Device)",
				    "void at::native::elementwise_kernel<128>(int)"};
static const char *const shapes[] = {"", "[[8,4],[4,2]]", "[[9223372036854775807,2],[2,9223372036854775807]]", "[[", "[[],[]]"};

enum { SPANS = 400 };

/* A duration that ends by 2^63, as the reader has it. */
static void times(struct ts_random *r, bool extreme, int64_t *ret_start, int64_t *ret_end)
{
	int64_t begin = (int64_t)ts_random_below(r, 500), length = (int64_t)ts_random_below(r, 200);

	if (extreme && ts_random_below(r, 4) == 0)
		begin = INT64_MIN + 1 + (int64_t)ts_random_below(r, 10);
	else if (extreme && ts_random_below(r, 4) == 0)
		begin = INT64_MAX - (int64_t)ts_random_below(r, 10);
	if (extreme && begin <= 0 && ts_random_below(r, 2))
		length = INT64_MAX - 500;
	*ret_start = begin;
	*ret_end = begin > INT64_MAX - length ? INT64_MAX : begin + length;
}

static void make(struct made *m, struct ts_random *r, bool extreme)
{
	static const enum ts_trace_kind host[] = {TS_TRACE_OPERATOR, TS_TRACE_OPERATOR, TS_TRACE_PYTHON, TS_TRACE_ANNOTATION,
						  TS_TRACE_OTHER};

	for (int i = 0; i < SPANS; i++) {
		const char *name = names[ts_random_below(r, sizeof names / sizeof names[0])];
		uint32_t thread = (uint32_t)ts_random_below(r, 3);
		int64_t start, end, correlation = (int64_t)ts_random_below(r, SPANS / 4);

		times(r, extreme, &start, &end);
		if (i % 4 == 0) {
			made_add(m, (enum ts_trace_kind)(TS_TRACE_KERNEL + ts_random_below(r, 3)), made_name(m, name),
				 (int32_t)ts_random_below(r, 30) - 1, start, end, correlation);
			made_kernel(m, "[4294967296,4294967296,4294967296]", (double)ts_random_below(r, 120) - 10, 1,
				    (int64_t)ts_random_below(r, 2));
		} else if (i % 4 == 1) {
			made_add(m, TS_TRACE_RUNTIME, made_name(m, "cudaLaunchKernel"), 0, start, end, correlation);
			m->trace.rows.spans.thread[m->trace.rows.spans.n - 1] = thread;
		} else if (i % 4 == 2) {
			made_operator(m, name, thread, start, end, (int64_t)ts_random_below(r, 9) - 1,
				      (int64_t)ts_random_below(r, 3) - 1);
			made_arguments(m, shapes[ts_random_below(r, sizeof shapes / sizeof shapes[0])], "[\"float\"]", "[\"[1, 1]\"]");
		} else {
			made_host(m, host[ts_random_below(r, sizeof host / sizeof host[0])], name, thread, start, end);
		}
		if (ts_random_below(r, 20) == 0)
			made_arrow(m, (int64_t)ts_random_below(r, 5), thread, start, (uint32_t)ts_random_below(r, 3), end);
	}
}

static struct ts_trace_work work_of(struct made *m)
{
	struct ts_timelines lines;
	struct ts_trace_work w;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_timelines(&m->trace, &m->arena, &lines, &m->err) ||
	    ts_trace_work(&m->trace, &nest, &lines, &m->arena, &w, &m->err))
		fail_msg("%s", m->err.text);
	return w;
}

static void adds_up(const struct ts_trace_work *w)
{
	uint64_t own = 0, forward = 0, backward = 0, copies = 0;

	assert_int_equal(w->known.count + w->unknown.count, w->all.count);
	assert_int_equal(w->known.ns + w->unknown.ns, w->all.ns);
	for (size_t i = 0; i < w->n_operators; i++) {
		own += w->operators[i].own.ns;
		assert_true(w->operators[i].own.ns <= w->operators[i].total.ns);
	}
	assert_int_equal(own, w->known.ns);
	for (size_t i = 0; i < w->modules.n; i++) {
		forward += w->modules.items[i].own_forward.ns;
		backward += w->modules.items[i].own_backward.ns;
		assert_true(w->modules.items[i].own_forward.ns <= w->modules.items[i].total_forward.ns);
		assert_true(w->modules.items[i].own_backward.ns <= w->modules.items[i].total_backward.ns);
	}
	assert_int_equal(forward, w->modules.forward.ns);
	assert_int_equal(backward, w->modules.backward.ns);
	if (w->modules.source != TS_MODULES_NONE)
		assert_int_equal(forward + backward + w->modules.unlinked.ns + w->modules.outside.ns, w->all.ns);
	for (size_t i = 0; i < w->transfers.n_copies; i++)
		copies += w->transfers.copies[i].sum.ns;
	assert_true(copies + w->transfers.filled.ns <= w->all.ns);
	assert_true(w->marks.recomputed.ns + w->marks.rebuilt.ns <= w->all.ns);
}

static void random_traces(void **state)
{
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 7);
	for (int i = 0; i < 60; i++) {
		struct ts_trace_work w;
		struct made m;

		made_begin(&m);
		make(&m, &r, i % 2);
		w = work_of(&m);
		assert_int_equal(w.all.count, SPANS / 4);
		if (i % 2 == 0)
			adds_up(&w);
		made_finish(&m);
	}
}

static void empty(void **state)
{
	struct ts_trace_work w;
	struct made m;

	(void)state;
	made_begin(&m);
	w = work_of(&m);
	assert_int_equal(w.all.count, 0);
	assert_int_equal(w.n_operators + w.modules.n + w.flops.n + w.transfers.n_copies + w.steps.n_categories, 0);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traces),
		cmocka_unit_test(empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
