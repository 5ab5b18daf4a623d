/* sketch.h - a linear sketch of a tensor: 256 signed sums, by which two tensors are compared without having both.
 *
 *	struct tscope_sketch s = TSCOPE_SKETCH_NONE;
 *	tscope_sketch_f32(&s, values, n, first)		once for each stretch of the tensor, in any order
 *	tscope_sketch_join(&s, &part)			a shard of the same tensor
 *	tscope_sketch_distance(&a, &b)			how far apart, in relation to a
 *
 * Definition. Let i be the index of an element in the whole tensor, flattened in row-major order, q = i / 256 and r = i mod 256,
 * and mix the finalizer of SplitMix64 (Steele, Lea and Flood 2014). The element is added to the sum number (r + mix(q)) mod 256,
 * with the sign + where the highest bit of mix(2^63 + i) is 0, else -. Sums and the sum of squares are doubles,
 * added in an order that the same stretch always has.
 *
 * What it tells. For tensors x and y the sum of the squared differences of their sums estimates the squared norm of x - y without
 * bias. The deviation of the norm is 4.4 % (sqrt(2 / 256) / 2), and more only where a few elements hold most of the norm of x - y
 * and meet in one sum (Alon, Matias and Szegedy 1996; Charikar, Chen and Farach-Colton 2002). `./dev bench quality sketch` prints
 * the error for tensors of many shapes. Up to 256 elements it is exact.
 *
 * It is linear: the sketch of a sum is the sum of the sketches. So the sketches of the shards of a tensor, each with the indices
 * that its elements have in the whole, add up to that of the whole, whatever the layout; those of partial sums (a row-parallel
 * layer before its all-reduce) add up to that of the result, but for their squares.
 *
 * Elements that are not finite have no place in a sum: they are counted and left out.
 * Cost: two to four passes over memory, of halves the most. The signs of the first 2^27 elements are kept, 1 MiB for 2^23, 16 MiB at
 * most, when a tensor first has them.
 * Threads: any, each with its own sketch.
 */
#ifndef TSCOPE_RECORD_SKETCH_H
#define TSCOPE_RECORD_SKETCH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TSCOPE_SKETCH_SUMS = 256 };

struct tscope_sketch {
	double sums[TSCOPE_SKETCH_SUMS];
	double squares;	    /* sum of x^2 */
	uint64_t count;	    /* elements, those that are not finite included */
	uint64_t nonfinite; /* NaN and infinities, left out */
};

#define TSCOPE_SKETCH_NONE                                                                                                             \
	{                                                                                                                              \
		{0}, 0, 0, 0                                                                                                           \
	}

/* Add n elements whose indices in the whole tensor are first, first + 1, ... Indices below 2^62. */
void tscope_sketch_f64(struct tscope_sketch *s, const double *values, size_t n, uint64_t first);
void tscope_sketch_f32(struct tscope_sketch *s, const float *values, size_t n, uint64_t first);
void tscope_sketch_bf16(struct tscope_sketch *s, const uint16_t *bits, size_t n, uint64_t first);
void tscope_sketch_f16(struct tscope_sketch *s, const uint16_t *bits, size_t n, uint64_t first);

/* Adds a sketch of other elements of the same tensor. */
void tscope_sketch_join(struct tscope_sketch *s, const struct tscope_sketch *part);

/* The estimated norm of x - y over the norm of x; 0 if both are 0, infinity if x alone is. NaN if their counts differ, which
 * then are not two sketches of one tensor, or if either left out elements that are not finite. */
double tscope_sketch_distance_squared(const struct tscope_sketch *x, const struct tscope_sketch *y);

static inline double tscope_sketch_distance(const struct tscope_sketch *x, const struct tscope_sketch *y)
{
	return sqrt(tscope_sketch_distance_squared(x, y)); /* here, so that a recorder need not be linked with libm */
}

#ifdef __cplusplus
}
#endif
#endif
