/* number.h - numbers and their text; the only place where one is converted to the other.
 *
 * It uses no locale, no errno and no strtod. Doubles are read correctly rounded (Eisel-Lemire; the rare case that this
 * cannot decide uses exact arithmetic) and printed with the fewest of 15, 16, 17 digits that read back to the same bits.
 * Source: D. Lemire, "Number Parsing at a Gigabyte per Second", 2021.
 */
#ifndef TSCOPE_BASE_NUMBER_H
#define TSCOPE_BASE_NUMBER_H

#include "base/span.h"

enum { TS_DOUBLE_TEXT = 32 };

/* Reads the longest JSON number ("-"? int frac? exp?) at the start of text. Returns the bytes used, 0 if there
 * is none. *ret_integer says that it had neither fraction nor exponent. Out of range gives +-infinity or +-0, as
 * strtod does. Reads no byte at or after text.data + text.len. */
size_t ts_number_scan(struct ts_span text, double *ret, bool *ret_integer);

/* Reads a text that is one JSON number as a whole; false otherwise. NaN, Infinity and -Infinity are not numbers here. */
bool ts_parse_double(struct ts_span text, double *ret);
/* Reads a text that is a decimal integer as a whole, without leading '+' or spaces; false otherwise, or if it is out of range. */
bool ts_parse_i64(struct ts_span text, int64_t *ret);
bool ts_parse_u64(struct ts_span text, uint64_t *ret);
/* Reads exactly 16 hex digits; false for any other text. */
bool ts_parse_hex64(struct ts_span text, uint64_t *ret);

/* The bits of a double as an integer, and back. */
static inline uint64_t ts_double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline double ts_bits_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Writes the shortest text that reads back to the same bits, always with '.', 'e' or a non-finite word so that it
 * reads as a float ("1.0", "1e-05", "NaN", "Infinity", "-Infinity"; -0 is "-0.0"), as Python's repr does it.
 * Returns its length; out has TS_DOUBLE_TEXT bytes. */
size_t ts_print_double(double value, char *out);

#endif
