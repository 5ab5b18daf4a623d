/* log_digits.h - finds the precision of a series of numbers in a text log: a number of decimals, or all the digits of a double.
 *
 * A series has a number of decimals, of at most TS_LOG_DIGITS_MOST, only if its text shows that values were rounded to them:
 *
 *	padded		every value has the same number of decimals, and a value with two or more of them ends in 0, as printf
 *			writes it
 *	measured	at least TS_LOG_DIGITS_LEAST different values that are not whole numbers have no more decimals. A number
 *			that a person chose, such as a learning rate, has few digits for another reason; for such a series only
 *			`padded` counts
 *
 * A series that was written with a number of significant digits has the decimals of its largest value, which has fewest: where the
 * caller knows it, or where every value is written as 1.084321E+01, with equally many decimals before the E.
 * A measured double has six decimals or fewer by chance once in 1e9 (analysis/stats/resolution.h). NaN and infinities are ignored.
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_DIGITS_H
#define TSCOPE_INGEST_LOGS_LOG_DIGITS_H

#include "base/span.h"

enum { TS_LOG_DIGITS_MOST = 6, TS_LOG_DIGITS_LEAST = 10 };

struct ts_log_digits {
	uint64_t n;
	uint8_t most; /* most decimals of any value */
	bool beyond;  /* some value has more than TS_LOG_DIGITS_MOST */
	bool uneven;  /* not all values have the same number of decimals */
	bool padded;  /* a value with two or more decimals ends in 0 */
	double largest;	    /* the largest magnitude of a value */
	uint8_t mantissa;   /* decimals of each value's mantissa, as in 1.084321E+01; 0: some have others, or no exponent */
	int significant;    /* the caller knows that all were written with so many significant digits; 0: it does not */
	size_t distinct;
	double seen[TS_LOG_DIGITS_LEAST]; /* the first different values that are not whole numbers */
};

/* Adds one value. written: the number as JSON or printf writes it; value: the same as a double. */
void ts_log_digits_add(struct ts_log_digits *d, struct ts_span written, double value);
/* Whether the series was rounded to *ret_digits decimals (1 to TS_LOG_DIGITS_MOST). measured: it is not chosen by a person. */
bool ts_log_digits_known(const struct ts_log_digits *d, bool measured, uint8_t *ret_digits);

#endif
