/* graph_breaks.c: entries, breaks and fallbacks, found on paper. */
#include "analysis/trace/test_trace_made.h"
#include "analysis/trace/work/trace_work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_graph_breaks breaks_of(struct made *m)
{
	struct ts_graph_breaks b;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_graph_breaks(&m->trace, &nest, &m->arena, &b, &m->err))
		fail_msg("%s", m->err.text);
	return b;
}

static void region(struct made *m, uint32_t thread, int64_t from, int64_t until)
{
	made_host(m, TS_TRACE_OPERATOR, "Torch-Compiled Region: 0/0", thread, from, until);
}

static void lookup(struct made *m, uint32_t thread, int64_t from, int64_t until)
{
	made_host(m, TS_TRACE_OPERATOR, "TorchDynamo Cache Lookup", thread, from, until);
}

/* Two breaks behind each other, and two regions within one entry, which broke once. The step has the first three of five. */
static void a_break_is_an_entry_within_an_entry(void **state)
{
	struct ts_graph_breaks b;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_ANNOTATION, NAME_STEP_1, 0, 0, 100, TS_TRACE_NONE);
	region(&m, 0, 10, 90);
	region(&m, 0, 20, 80);
	region(&m, 0, 30, 70);
	region(&m, 0, 200, 300);
	region(&m, 0, 210, 220);
	region(&m, 0, 230, 240);
	b = breaks_of(&m);
	assert_int_equal(b.all.entries, 6);
	assert_int_equal(b.all.breaks, 3);
	assert_int_equal(b.in_steps.entries, 3);
	assert_int_equal(b.in_steps.breaks, 2);
	assert_int_equal(b.steps, 1);
	assert_int_equal(b.graph_calls, 0);
	made_finish(&m);
}

/* What an operator of a compiled graph compiled is no break; regions of two threads are not within each other. */
static void a_graph_may_enter_others(void **state)
{
	struct ts_graph_breaks b;
	struct made m;

	(void)state;
	made_begin(&m);
	region(&m, 0, 0, 100);
	made_host(&m, TS_TRACE_OPERATOR, "CompiledFunction", 0, 10, 90);
	made_host(&m, TS_TRACE_ANNOTATION, "## Call CompiledFxGraph f1 ##", 0, 20, 80);
	region(&m, 0, 30, 70);
	region(&m, 1, 10, 20);
	b = breaks_of(&m);
	assert_int_equal(b.all.entries, 3);
	assert_int_equal(b.all.breaks, 0);
	assert_int_equal(b.graph_calls, 0);
	made_finish(&m);
}

/* The backward pass calls graphs, too, but enters no frames. */
static void graphs_without_regions(void **state)
{
	struct ts_graph_breaks b;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "CompiledFunction", 0, 10, 90);
	made_host(&m, TS_TRACE_ANNOTATION, "## Call CompiledFxGraph f1 ##", 0, 20, 80);
	made_host(&m, TS_TRACE_ANNOTATION, "## Call CompiledFxGraph f2 ##", 0, 100, 120);
	made_host(&m, TS_TRACE_OPERATOR, "CompiledFunctionBackward", 0, 200, 300);
	made_host(&m, TS_TRACE_ANNOTATION, "## Call CompiledFxGraph f3 ##", 0, 210, 220);
	b = breaks_of(&m);
	assert_int_equal(b.all.entries, 0);
	assert_int_equal(b.graph_calls, 2);
	made_finish(&m);
}

/* On thread 0 the second lookup leads to nothing, and the fourth is the last that was recorded. On thread 1 work follows the only one;
 * within the region another lookup stands by itself. */
static void a_lookup_without_an_entry_fell_back(void **state)
{
	struct ts_graph_breaks b;
	struct made m;

	(void)state;
	made_begin(&m);
	lookup(&m, 0, 0, 5);
	region(&m, 0, 5, 100);
	lookup(&m, 0, 50, 55);
	made_host(&m, TS_TRACE_OPERATOR, "aten::mul", 0, 60, 70);
	lookup(&m, 0, 110, 115);
	lookup(&m, 0, 120, 125);
	region(&m, 0, 125, 130);
	lookup(&m, 0, 140, 145);
	lookup(&m, 1, 0, 5);
	made_host(&m, TS_TRACE_OPERATOR, "aten::mul", 1, 6, 9);
	b = breaks_of(&m);
	assert_int_equal(b.all.lookups, 6);
	assert_int_equal(b.all.fell_back, 3);
	assert_int_equal(b.in_steps.fell_back, 0);
	assert_int_equal(b.all.breaks, 0);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_break_is_an_entry_within_an_entry),
		cmocka_unit_test(a_graph_may_enter_others),
		cmocka_unit_test(graphs_without_regions),
		cmocka_unit_test(a_lookup_without_an_entry_fell_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
