/* step_sums.c: means over steps, found on paper. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/test_trace_made.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_step_sums steps_of(struct made *m, size_t warmup)
{
	struct ts_step_sums out;
	struct ts_timelines lines;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_timelines(&m->trace, &m->arena, &lines, &m->err) ||
	    ts_step_sums(&m->trace, &nest, &lines, warmup, &m->arena, &out, &m->err))
		fail_msg("%s", m->err.text);
	return out;
}

/* Steps 1 to 4 have products of 100, 10, 20 and 30 ns; the third has a copy of 6. Without the first the mean is 20 and the deviation
 * 10; of the copy they are 2 and sqrt((4 + 4 + 16) / 2). */
static void on_paper(void **state)
{
	static const int64_t product[] = {100, 10, 20, 30};
	struct ts_step_sums s;
	struct made m;

	(void)state;
	made_begin(&m);
	for (int64_t i = 0; i < 4; i++) {
		char *name = ts_arena_printf(&m.arena, "ProfilerStep#%d", (int)i + 1);

		made_host(&m, TS_TRACE_ANNOTATION, name, 0, 1000 * i, 1000 * i + 900);
		made_launch(&m, TS_TRACE_KERNEL, "volta_sgemm_nt", 7, 1000 * i + 10, 1000 * i + 2000, 1000 * i + 2000 + product[i]);
	}
	made_launch(&m, TS_TRACE_COPY, "Memcpy", 7, 2050, 9000, 9006);
	made_launch(&m, TS_TRACE_KERNEL, "volta_sgemm_nt", 7, 950, 9500, 9777); /* between steps */
	s = steps_of(&m, 1);
	assert_int_equal(s.steps, 3);
	assert_int_equal(s.warmup, 1);
	assert_int_equal(s.first, 2);
	assert_int_equal(s.n_categories, 2);
	assert_int_equal(s.n_names, 2);
	assert_int_equal(s.categories[0].category, TS_KERNEL_GEMM);
	assert_int_equal(s.categories[0].sum.ns, 60);
	assert_true(s.categories[0].mean_ns == 20 && s.categories[0].deviation_ns == 10 && s.categories[0].mean_count == 1);
	assert_int_equal(s.categories[0].least_ns, 10);
	assert_int_equal(s.categories[0].most_ns, 30);
	assert_string_equal(ts_sum_category_word(s.names[1].category), "memcpy");
	assert_true(ts_span_is(s.names[1].name, "Memcpy"));
	assert_true(s.names[1].mean_ns == 2 && fabs(s.names[1].deviation_ns - sqrt(12)) < 1e-9);
	assert_int_equal(s.names[1].least_ns, 0);
	s = steps_of(&m, 9);
	assert_int_equal(s.steps, 0);
	assert_int_equal(s.n_categories, 0);
	made_finish(&m);
}

static void warmup(void **state)
{
	(void)state;
	assert_int_equal(ts_step_warmup(0), 0);
	assert_int_equal(ts_step_warmup(2), 0);
	assert_int_equal(ts_step_warmup(3), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(warmup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
