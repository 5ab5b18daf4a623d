#include "store/test_lease.h"

#include "store/store_internal.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct age {
	const struct ts_id *id;
	int64_t seconds;
};

static enum ts_status run_age(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct age *age = ctx;
	struct ts_entry record;
	bool found;

	if (ts_entry_get(ts_read_of(w), age->id, &record, &found, err))
		return err->status;
	assert_true(found);
	record.lease_ns -= age->seconds * 1000000000;
	return ts_entry_put(w, age->id, &record, err);
}

void test_age(struct ts_engine *e, const struct ts_id *id, int64_t seconds)
{
	struct age age = {id, seconds};
	struct ts_error err;

	assert_int_equal(ts_store_write(ts_store_of(e), run_age, &age, 0, &err), TS_OK);
}

int64_t test_lease(struct ts_engine *e, const struct ts_id *id)
{
	struct ts_entry record;
	struct ts_error err;
	struct ts_read r;
	bool found;

	assert_int_equal(ts_read_begin(ts_kv_of(e), &r, &err), TS_OK);
	assert_int_equal(ts_entry_get(r, id, &record, &found, &err), TS_OK);
	ts_read_end(&r);
	assert_true(found);
	return record.lease_ns;
}
