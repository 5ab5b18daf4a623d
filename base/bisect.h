/* bisect.h - binary search in whatever is sorted: the first place behind those for which a condition holds, or the place of one item.
 *
 *	size_t at = 0;
 *	TS_BISECT(at, n, i, keys[i] < key);
 *
 * moves `at`, a variable, to the first of the n places from it on whose key is not less, or behind them all. `i` names the place in the
 * condition, which holds for none or for the first ones and is asked for at most 1 + log2(n) of them. n is evaluated once.
 *
 *	TS_SEEK(at, n, i, ts_id_cmp(&ids[i], id), found);
 *
 * moves `at` to a place for which the comparison is 0 and sets found, a bool; or, if there is none, moves it to the first for which the
 * comparison is above 0. It ends at the first 0, so that it asks once less on average than TS_BISECT where what is sought is there.
 */
#ifndef TSCOPE_BASE_BISECT_H
#define TSCOPE_BASE_BISECT_H

#include <stdbool.h>
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

#define TS_SEEK(at, n, i, comparison, found)                                                                                           \
	do {                                                                                                                           \
		(found) = false;                                                                                                       \
		for (size_t ts_left = (n), i; ts_left && !(found);) {                                                                  \
			int ts_way;                                                                                                    \
                                                                                                                                       \
			i = (at) + ts_left / 2;                                                                                        \
			ts_way = (comparison);                                                                                         \
			if (ts_way < 0) {                                                                                              \
				(at) = i + 1;                                                                                          \
				ts_left -= ts_left / 2 + 1;                                                                            \
			} else if (ts_way > 0) {                                                                                       \
				ts_left /= 2;                                                                                          \
			} else {                                                                                                       \
				(at) = i;                                                                                              \
				(found) = true;                                                                                        \
			}                                                                                                              \
		}                                                                                                                      \
	} while (0)

#endif
