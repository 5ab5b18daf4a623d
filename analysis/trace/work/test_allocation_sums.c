/* allocation_sums.h: whose the instants of the allocator are, and their sums, found on paper. */
#include "analysis/trace/work/allocation_sums.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { HOST, CUDA };

static void instant(struct made *m, int32_t type, int32_t device, uint32_t thread, int64_t at, int64_t bytes, int64_t allocated)
{
	struct ts_trace_allocations *a = &m->one.allocations;

	m->one.spans.n = 0;
	a->n = 1;
	a->time_ns[0] = at;
	a->address[0] = a->reserved[0] = TS_TRACE_NONE;
	a->bytes[0] = bytes;
	a->allocated[0] = allocated;
	a->thread[0] = thread;
	a->device_type[0] = type;
	a->device[0] = device;
	assert_int_equal(ts_trace_append(&m->trace, &m->one, &m->err), TS_OK);
	a->n = 0;
}

static struct ts_allocation_place *places_of(struct made *m, size_t *ret_n)
{
	struct ts_allocation_place *places;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_allocation_sums(&m->trace, &nest, &m->arena, &places, ret_n, &m->err))
		fail_msg("%s", m->err.text);
	return places;
}

static void same(const struct ts_allocation_sum *s, const char *name, uint64_t count, uint64_t allocated, uint64_t freed)
{
	assert_true(ts_span_is(s->name, name));
	assert_int_equal(s->count, count);
	assert_int_equal(s->allocated, allocated);
	assert_int_equal(s->freed, freed);
}

/* linear allocates 10 in itself, and addmm within it 100. Another thread has an operator open all the while, which has nothing of
 * theirs. What is freed counts for who frees it, and what no operator encloses for nobody. */
static void of_the_innermost_operator(void **state)
{
	struct ts_allocation_place *p;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "other", 1, 0, 1000);
	made_host(&m, TS_TRACE_OPERATOR, "aten::linear", 0, 0, 100);
	made_host(&m, TS_TRACE_OPERATOR, "aten::addmm", 0, 10, 50);
	made_host(&m, TS_TRACE_PYTHON, "forward", 0, 60, 80);
	made_host(&m, TS_TRACE_OPERATOR, "aten::zero_", 0, 200, 300);
	instant(&m, CUDA, 0, 0, 150, 7, 1117);
	instant(&m, CUDA, 0, 0, 20, 100, 1100);
	instant(&m, CUDA, 0, 0, 70, 10, 1110); /* in a function within linear */
	instant(&m, CUDA, 0, 0, 250, -110, 1007);
	instant(&m, CUDA, 0, 1, 500, 3, 1010);
	instant(&m, CUDA, 0, 2, 300, 2, 1010); /* of a thread without operators, while others have some open */
	instant(&m, CUDA, 0, 0, 999, TS_TRACE_NONE, 9999);
	p = places_of(&m, &n);
	assert_int_equal(n, 1);
	assert_false(p[0].host);
	assert_int_equal(p[0].device, 0);
	assert_int_equal(p[0].n, 5);
	same(&p[0].items[0], "aten::addmm", 1, 100, 0);
	same(&p[0].items[1], "aten::linear", 1, 10, 0);
	same(&p[0].items[2], "", 2, 9, 0);
	same(&p[0].items[3], "other", 1, 3, 0);
	same(&p[0].items[4], "aten::zero_", 0, 0, 110);
	same(&p[0].all, "", 5, 122, 110);
	assert_true(p[0].has_peak);
	assert_int_equal(p[0].peak, 1117);
	assert_int_equal(p[0].peak_ns, 150);
	assert_int_equal(p[0].peak_in.len, 0);
	made_finish(&m);
}

/* Of two devices and the host each has its own; an instant that does not say what is allocated gives no peak. */
static void of_each_device(void **state)
{
	struct ts_allocation_place *p;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "aten::empty", 0, 0, 100);
	instant(&m, HOST, -1, 0, 10, 64, TS_TRACE_NONE);
	instant(&m, CUDA, 1, 0, 20, 512, 512);
	instant(&m, CUDA, 0, 0, 30, 1024, 1024);
	instant(&m, HOST, 0, 0, 40, 36, TS_TRACE_NONE);
	instant(&m, CUDA, 1, 0, 100, INT64_MAX, 600); /* at the end of the operator, which is still its */
	p = places_of(&m, &n);
	assert_int_equal(n, 3);
	assert_int_equal(p[0].device, 0);
	assert_int_equal(p[1].device, 1);
	assert_true(p[2].host);
	same(&p[0].items[0], "aten::empty", 1, 1024, 0);
	same(&p[1].items[0], "aten::empty", 2, UINT64_C(512) + INT64_MAX, 0);
	same(&p[2].items[0], "aten::empty", 2, 100, 0);
	assert_int_equal(p[1].peak, 600);
	assert_true(ts_span_is(p[1].peak_in, "aten::empty"));
	assert_false(p[2].has_peak);
	made_finish(&m);
}

static void without_any(void **state)
{
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "aten::empty", 0, 0, 100);
	(void)places_of(&m, &n);
	assert_int_equal(n, 0);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_innermost_operator),
		cmocka_unit_test(of_each_device),
		cmocka_unit_test(without_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
