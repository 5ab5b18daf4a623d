/* number_exact.h - the exact and slow method of number.c, for decimal texts very near the middle between two doubles. */
#ifndef TSCOPE_BASE_NUMBER_EXACT_H
#define TSCOPE_BASE_NUMBER_EXACT_H

#include "base/span.h"

/* The significant digits of a number, without leading and final zeros: its value is the len digits times 10^exponent. */
struct ts_digits {
	struct ts_span whole;
	struct ts_span fraction;
	size_t len;
	int64_t exponent;
};

struct ts_digits ts_digits_of(struct ts_span whole, struct ts_span fraction, int64_t shift);

static inline uint8_t ts_digit_at(const struct ts_digits *digits, size_t i)
{
	if (i < digits->whole.len)
		return digits->whole.data[i] - '0';
	return digits->fraction.data[i - digits->whole.len] - '0';
}

/* True if the number rounds to the double above `bits` and not to `bits` itself, ties to even. `bits` are those of a finite
 * double that is not negative, and the number must lie between it and the next double. */
bool ts_digits_above_middle(const struct ts_digits *digits, uint64_t bits);

#endif
