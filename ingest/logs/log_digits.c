#include "ingest/logs/log_digits.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>

enum { EXPONENT_MOST = 400 };

/* Returns the number of digits behind the decimal point that the text stands for: "0.125" 3, "6.25e-05" 7, "1e3" 0. */
static int64_t decimals_of(struct ts_span written, bool *ret_zero_end)
{
	int64_t digits = 0, exponent = 0;
	size_t i = 0;
	bool point = false;
	uint8_t last = 0;

	for (; i < written.len && (written.data[i] | 32) != 'e'; i++) {
		point |= written.data[i] == '.';
		if (!ts_is_digit(written.data[i]))
			continue;
		last = written.data[i];
		digits += point;
	}
	*ret_zero_end = digits > 1 && last == '0' && i == written.len;
	if (i < written.len) {
		i += 1 + (i + 1 < written.len && written.data[i + 1] == '+');
		if (!ts_parse_i64(ts_span_of(written.data + i, written.len - i), &exponent) || exponent > EXPONENT_MOST ||
		    exponent < -EXPONENT_MOST)
			exponent = -EXPONENT_MOST;
	}
	return digits > exponent ? digits - exponent : 0;
}

/* Returns the decimals of the mantissa: "1.084321E+01" 6, and 0 for a text without an exponent. */
static uint8_t mantissa_of(struct ts_span written)
{
	size_t point = 0, i = 0;

	for (; i < written.len && (written.data[i] | 32) != 'e'; i++)
		if (written.data[i] == '.')
			point = i + 1;
	return i < written.len && point && i - point < UINT8_MAX ? (uint8_t)(i - point) : 0;
}

static void remember(struct ts_log_digits *d, double value)
{
	if (d->distinct == TS_LOG_DIGITS_LEAST || value == floor(value))
		return;
	for (size_t i = 0; i < d->distinct; i++)
		if (d->seen[i] == value)
			return;
	d->seen[d->distinct++] = value;
}

void ts_log_digits_add(struct ts_log_digits *d, struct ts_span written, double value)
{
	bool zero_end;
	int64_t digits;

	if (isfinite(value) && fabs(value) > d->largest)
		d->largest = fabs(value);
	if (!isfinite(value) || d->beyond)
		return;
	d->mantissa = d->n == 0 || d->mantissa == mantissa_of(written) ? mantissa_of(written) : 0;
	digits = decimals_of(written, &zero_end);
	d->beyond = digits > TS_LOG_DIGITS_MOST;
	if (d->beyond)
		return;
	d->uneven |= d->n > 0 && digits != d->most;
	d->padded |= zero_end;
	if (digits > d->most)
		d->most = (uint8_t)digits;
	d->n++;
	remember(d, value);
}

/* The decimals of a number of this magnitude that has so many significant digits. */
static bool significant_known(double largest, int significant, uint8_t *ret_digits)
{
	double digits = largest > 0 ? significant - 1 - floor(log10(largest)) : 0;

	if (digits < 1)
		return false;
	*ret_digits = (uint8_t)(digits > TS_LOG_DIGITS_MOST ? TS_LOG_DIGITS_MOST : digits);
	return true;
}

bool ts_log_digits_known(const struct ts_log_digits *d, bool measured, uint8_t *ret_digits)
{
	if (measured && d->significant && d->distinct)
		return significant_known(d->largest, d->significant, ret_digits);
	if (d->beyond || d->most == 0)
		return false;
	if (measured && d->mantissa && d->distinct == TS_LOG_DIGITS_LEAST)
		return significant_known(d->largest, d->mantissa + 1, ret_digits);
	if (!(d->padded && !d->uneven) && !(measured && d->distinct == TS_LOG_DIGITS_LEAST))
		return false;
	*ret_digits = d->most;
	return true;
}
