/* test_seal.h - ts_seal for an object whose id is not known yet; tests, fuzz targets and benchmarks make their objects with
 * it.
 */
#ifndef TSCOPE_STORE_TEST_SEAL_H
#define TSCOPE_STORE_TEST_SEAL_H

#include "store/sealed.h"

static inline enum ts_status test_seal_bytes(struct ts_span object, struct ts_arena *arena, struct ts_sealed *ret_sealed,
				       struct ts_error *err)
{
	struct ts_id id;

	ts_digest(object, &id);
	return ts_seal(&id, object, arena, ret_sealed, err);
}

#endif
