/* test_lease.h - the leases of a store's objects, for tests that let time go by. */
#ifndef TSCOPE_STORE_TEST_LEASE_H
#define TSCOPE_STORE_TEST_LEASE_H

#include "store/engine.h"

/* Sets the lease of an object, which must be there, so many seconds back. */
void test_age(struct ts_engine *e, const struct ts_id *id, int64_t seconds);
/* The lease of an object, which must be there. */
int64_t test_lease(struct ts_engine *e, const struct ts_id *id);

#endif
