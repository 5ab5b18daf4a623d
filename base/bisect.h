/* bisect.h - binary search in whatever is sorted: the first place behind those for which a condition holds.
 *
 *	size_t at = 0;
 *	TS_BISECT(at, n, i, keys[i] < key);
 *
 * moves `at`, a variable, to the first of the n places from it on whose key is not less, or behind them all. `i` names the place in the
 * condition, which holds for none or for the first ones and is asked for at most 1 + log2(n) of them. n is evaluated once.
 */
#ifndef TSCOPE_BASE_BISECT_H
#define TSCOPE_BASE_BISECT_H

#include <stddef.h>

#define TS_BISECT(at, n, i, condition)                                                                                                 \
	do {                                                                                                                           \
		for (size_t ts_left = (n), i; ts_left;) {                                                                              \
			i = (at) + ts_left / 2;                                                                                        \
			if (condition) {                                                                                               \
				(at) = i + 1;                                                                                          \
				ts_left -= ts_left / 2 + 1;                                                                            \
			} else {                                                                                                       \
				ts_left /= 2;                                                                                          \
			}                                                                                                              \
		}                                                                                                                      \
	} while (0)

#endif
