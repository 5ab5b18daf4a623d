/* log_digits.h - how finely a log's text writes a series of numbers: with so many decimals, or with all the digits a double has.
 *
 * Decimals are declared for at most TS_LOG_DIGITS_MOST of them, and where the text shows that values were cut to them:
 *
 *	padded		every value has the same number of digits behind the point, and one of two or more ends in 0, as printf
 *			leaves it
 *	measured	at least TS_LOG_DIGITS_LEAST different values that are no whole numbers have no more. What somebody
 *			chose, a learning rate, has few digits for another reason: of such series only the first counts
 *
 * A measured double has six decimals or fewer by chance once in 1e9 (analysis/stats/resolution.h). NaN and infinities say nothing.
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_DIGITS_H
#define TSCOPE_INGEST_LOGS_LOG_DIGITS_H

#include "base/span.h"

enum { TS_LOG_DIGITS_MOST = 6, TS_LOG_DIGITS_LEAST = 10 };

struct ts_log_digits {
	uint64_t n;
	uint8_t most; /* decimals of the finest */
	bool beyond;  /* some value has more than TS_LOG_DIGITS_MOST */
	bool uneven;  /* not all are written with as many */
	bool padded;  /* one ends in 0, behind another digit behind the point */
	size_t distinct;
	double seen[TS_LOG_DIGITS_LEAST]; /* different values that are no whole numbers, the first of them */
};

/* written: a number as JSON or printf writes it; value: the same. */
void ts_log_digits_add(struct ts_log_digits *d, struct ts_span written, double value);
/* The series is one of decimals: *ret_digits of them, 1 to TS_LOG_DIGITS_MOST. */
bool ts_log_digits_known(const struct ts_log_digits *d, bool measured, uint8_t *ret_digits);

#endif
