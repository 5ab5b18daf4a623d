/* test_shared_clock.c - leases of a store that several machines share go by the clock of its layer, whatever that of a machine says. */
#include "base/clock.h"
#include "base/limits.h"
#include "store/store_internal.h"
#include "store/test_lease.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HOUR (3600 * INT64_C(1000000000))

static int64_t ahead_ns; /* of the machine, before the clock that all share */

static int64_t shared_now(struct ts_kv *kv)
{
	(void)kv;
	return ts_now_real_ns() - ahead_ns;
}

struct fixture {
	struct ts_kv_ops ops;
	struct ts_engine *e;
	struct ts_error err;
	struct ts_sealed object;
};

#define OK(call) assert_int_equal((call), TS_OK)

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){.object = {.kind = 1}};
	ahead_ns = 0;
	OK(ts_memory_open(NULL, &f.e, &f.err));
	f.ops = *ts_kv_of(f.e)->ops;
	f.ops.now = shared_now;
	ts_kv_of(f.e)->ops = &f.ops;
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	ts_engine_destroy(((struct fixture *)*state)->e);
	return 0;
}

static struct ts_sweep_report sweep(struct fixture *f)
{
	const struct ts_sweep_options options = {.now_ns = ts_now_real_ns(), .lease_ns = TS_LEASE_SECONDS * INT64_C(1000000000)};
	struct ts_sweep_report report;

	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	return report;
}

/* A machine that is 30 hours ahead frees nothing that was sent a moment ago by the clock of all, by whomever. */
static void one_that_is_ahead_frees_nothing(void **state)
{
	struct fixture *f = *state;

	OK(f->e->ops->put_many(f->e, &f->object, 1, NULL, &f->err));
	assert_true(test_lease(f->e, &f->object.id) > ts_now_real_ns() - HOUR);
	ahead_ns = 30 * HOUR; /* in this test it is the clock of all that goes back, and what was sent is aged with it */
	test_age(f->e, &f->object.id, 30 * 3600);
	assert_int_equal(sweep(f).freed, 0);
	test_age(f->e, &f->object.id, 25 * 3600); /* what is old by the clock of all goes */
	assert_int_equal(sweep(f).freed, 1);
}

/* What is sent through a machine whose clock is wrong is leased by the clock of all, and not for less or more. */
static void what_is_sent_through_one_that_is_wrong_is_leased_right(void **state)
{
	static const int64_t hours[] = {-30, -1, 1, 30};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof hours / sizeof hours[0]; i++) {
		struct ts_sealed object = {.kind = 1};
		bool present;

		object.id.bytes[0] = (uint8_t)(i + 1);
		ahead_ns = hours[i] * HOUR;
		OK(f->e->ops->put_many(f->e, &object, 1, NULL, &f->err));
		assert_true(test_lease(f->e, &object.id) > shared_now(NULL) - HOUR / 2);
		assert_true(test_lease(f->e, &object.id) < shared_now(NULL) + HOUR / 2);
		test_age(f->e, &object.id, 7 * 3600); /* so old that whoever asks for it renews it */
		OK(f->e->ops->has_many(f->e, &object.id, 1, &present, &f->err));
		assert_true(present);
		assert_true(test_lease(f->e, &object.id) > shared_now(NULL) - HOUR / 2);
		assert_int_equal(sweep(f).freed, 0);
		test_age(f->e, &object.id, 25 * 3600);
		assert_int_equal(sweep(f).freed, 1);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(one_that_is_ahead_frees_nothing),
		TEST(what_is_sent_through_one_that_is_wrong_is_leased_right),
	};

	return cmocka_run_group_tests_name("shared_clock", tests, NULL, NULL);
}
