/* decimal.h - finds doubles that are integers over a power of ten (nanoseconds, bytes, rounded losses), so that they
 * are kept as integers.
 *
 * Internal to store/.
 */
#ifndef TSCOPE_STORE_DECIMAL_H
#define TSCOPE_STORE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_DECIMALS_MAX = 9 };

/* The fewest decimals p for which every one of n words, taken as a double, is bit for bit k / 10^p with an integer
 * |k| <= 2^51; then ret holds the k (two's complement). -1 if there is no such p. ret and words may not overlap. */
int ts_decimal_find(const uint64_t *words, size_t n, uint64_t *ret);
/* k becomes the bits of k / 10^p, in place; false if a |k| > 2^51. */
bool ts_decimal_restore(uint64_t *words, size_t n, int p);

#endif
