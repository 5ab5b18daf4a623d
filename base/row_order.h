/* row_order.h - sorts numbers of rows by what stands in the rows: stable, in no memory beyond one more array of numbers, and as fast as
 * it can be where the rows are in order but for some, as those of a trace are.
 *
 *	static bool sooner(const void *ctx, uint32_t a, uint32_t b)		whether row a stands before row b
 *	ts_rows_sort(rows, n, spare, sooner, ctx)				spare has room for n, too
 *
 * It lies in a header so that a compiler puts `before` into its loops. Pure.
 */
#ifndef TSCOPE_BASE_ROW_ORDER_H
#define TSCOPE_BASE_ROW_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef bool ts_rows_before(const void *ctx, uint32_t a, uint32_t b);

/* The end of the run that begins at i. */
static inline __attribute__((always_inline)) size_t ts_rows_run_end(const uint32_t *rows, size_t n, size_t i, ts_rows_before *before,
								const void *ctx)
{
	i++;
	while (i < n && !before(ctx, rows[i], rows[i - 1]))
		i++;
	return i;
}

/* Merges neighbouring runs until there is one. */
static inline __attribute__((always_inline)) void ts_rows_sort(uint32_t *rows, size_t n, uint32_t *spare, ts_rows_before *before,
							       const void *ctx)
{
	uint32_t *from = rows, *to = spare;

	while (n && ts_rows_run_end(from, n, 0, before, ctx) < n) {
		uint32_t *swap = from;

		for (size_t low = 0, high; low < n; low = high) {
			size_t middle = ts_rows_run_end(from, n, low, before, ctx), a = low, b = middle;

			high = middle < n ? ts_rows_run_end(from, n, middle, before, ctx) : n;
			for (size_t i = low; i < high; i++)
				to[i] = b == high || (a < middle && !before(ctx, from[b], from[a])) ? from[a++] : from[b++];
		}
		from = to;
		to = swap;
	}
	if (from != rows)
		memcpy(rows, from, n * sizeof *rows);
}

#endif
