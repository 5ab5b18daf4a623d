/* order.h - the order of items as a list of keys, for qsort and bsearch.
 *
 *	TS_ORDER(by_step, struct ts_event, TS_UP(first_step); TS_DOWN(score); TS_TEXT(name))
 *	TS_SORT(events->items, events->n, by_step);
 *
 * defines the function by_step, which compares two events by the first key in which they differ. Keys are statements, so that a key
 * that counts for some items only is `if (a->known) TS_UP(step)`. A number that is not a number (NaN) is equal to each other one: where
 * there may be any, a key before it says where they stand. Equal items come out in any order; where that is seen, no two share the last
 * key.
 */
#ifndef TSCOPE_BASE_ORDER_H
#define TSCOPE_BASE_ORDER_H

#include "base/span.h"

#include <stdlib.h>

/* Defines name for arrays of this type. Keys are those below, parted by semicolons; they know the two items as the pointers a and b. */
#define TS_ORDER(name, type, ...)                                                                                                      \
	static int name(const void *ts_a, const void *ts_b)                                                                            \
	{                                                                                                                              \
		const type *const a = ts_a, *const b = ts_b;                                                                           \
                                                                                                                                       \
		__VA_ARGS__;                                                                                                           \
		return 0;                                                                                                              \
	}
/* The same for arrays of pointers to this type. */
#define TS_ORDER_OF_POINTERS(name, type, ...)                                                                                          \
	static int name(const void *ts_a, const void *ts_b)                                                                            \
	{                                                                                                                              \
		const type *const a = *(const type *const *)ts_a, *const b = *(const type *const *)ts_b;                               \
                                                                                                                                       \
		__VA_ARGS__;                                                                                                           \
		return 0;                                                                                                              \
	}

/* Keys: a member that is a number, an enum or a truth value, lower first (false before true) or higher first. */
#define TS_UP(member) TS_BY((a)->member, (b)->member)
#define TS_DOWN(member) TS_BY((b)->member, (a)->member)
/* What a function of the item returns, which is called for a and b once each. */
#define TS_UP_OF(function) TS_BY(function(a), function(b))
#define TS_DOWN_OF(function) TS_BY(function(b), function(a))
/* A member that is a span, in the order of its bytes. */
#define TS_TEXT(member) TS_THEN(ts_span_cmp((a)->member, (b)->member))
/* What is worked out of a and of b, of one type: lower first. */
#define TS_BY(x, y)                                                                                                                    \
	do {                                                                                                                           \
		const __typeof__(x) ts_x = (x), ts_y = (y);                                                                            \
                                                                                                                                       \
		if (ts_x < ts_y || ts_x > ts_y)                                                                                        \
			return ts_x < ts_y ? -1 : 1;                                                                                   \
	} while (0)
/* Any comparison of a and b: below 0, 0 or above 0. */
#define TS_THEN(comparison)                                                                                                            \
	do {                                                                                                                           \
		int ts_order = (comparison);                                                                                           \
                                                                                                                                       \
		if (ts_order)                                                                                                          \
			return ts_order;                                                                                               \
	} while (0)

/* Orders of plain values, ascending. */
int ts_by_i32(const void *a, const void *b);
int ts_by_i64(const void *a, const void *b);
int ts_by_u32(const void *a, const void *b);
int ts_by_u64(const void *a, const void *b);
int ts_by_double(const void *a, const void *b);
int ts_by_span(const void *a, const void *b); /* struct ts_span */
int ts_by_id(const void *a, const void *b);   /* struct ts_id */

/* Sorts n items; items may be NULL where n is 0. */
#define TS_SORT(items, n, order)                                                                                                       \
	do {                                                                                                                           \
		const size_t ts_n = (n);                                                                                               \
                                                                                                                                       \
		if (ts_n > 1)                                                                                                          \
			qsort((items), ts_n, sizeof *(items), order);                                                                  \
	} while (0)

#endif
