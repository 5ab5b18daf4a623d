#include "base/order.h"

#include "base/digest.h"

#define VALUES(name, type)                                                                                                             \
	int name(const void *a, const void *b)                                                                                         \
	{                                                                                                                              \
		TS_BY(*(const type *)a, *(const type *)b);                                                                          \
		return 0;                                                                                                              \
	}

VALUES(ts_by_i32, int32_t)
VALUES(ts_by_i64, int64_t)
VALUES(ts_by_u32, uint32_t)
VALUES(ts_by_u64, uint64_t)
VALUES(ts_by_double, double)

int ts_by_span(const void *a, const void *b)
{
	return ts_span_cmp(*(const struct ts_span *)a, *(const struct ts_span *)b);
}

int ts_by_id(const void *a, const void *b)
{
	return ts_id_cmp(a, b);
}
