/* decimal.h - finds doubles that are integers divided by a power of ten (nanoseconds, bytes, rounded losses), so that they
 * can be stored as integers.
 *
 * Internal to store/.
 */
#ifndef TSCOPE_STORE_DECIMAL_H
#define TSCOPE_STORE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_DECIMALS_MAX = 9 };

/* Returns the smallest number of decimals p for which each of the n words, taken as a double, equals k / 10^p bit for bit
 * with an integer |k| <= 2^51; ret then holds these k in two's complement. -1 if there is no such p. ret and words must not
 * overlap. */
int ts_decimal_find(const uint64_t *words, size_t n, uint64_t *ret);
/* Replaces each k by the bits of k / 10^p; false if some |k| > 2^51. */
bool ts_decimal_restore(uint64_t *words, size_t n, int p);

#endif
