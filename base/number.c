/* number.c - converts text to numbers in three steps, each of which passes on only what it cannot decide: a mantissa and a
 * power of ten that are both exact doubles (one multiplication); Eisel-Lemire on 64 x 128 bits, which is proven to decide
 * every mantissa of up to 19 digits (Mushtak and Lemire, "Fast Number Parsing Without Fallback", 2022); and, for longer
 * mantissas whose first 19 digits leave two neighbours possible, a comparison in exact integers (number_exact.c).
 */
#include "base/number.h"

#include "base/number_exact.h"
#include "base/number_powers.inc"

#include <math.h>
#include <stdio.h>

__extension__ typedef unsigned __int128 u128;

enum { POWER_MIN = -342, POWER_MAX = 308, MANTISSA_DIGITS = 19 };

#define EXPONENT_LIMIT INT64_C(1000000000000000)
#define HIGH_BITS UINT64_C(0x8080808080808080)

static const double exact_powers[] = {1e0,  1e1,  1e2,	1e3,  1e4,  1e5,  1e6,	1e7,  1e8,  1e9,  1e10, 1e11,
				      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const uint64_t integer_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
static const uint64_t decimal_powers[] = {1,	       10,	      100,	      1000,	       10000,		 100000,
					  1000000,     10000000,      100000000,      1000000000,      10000000000,	 100000000000,
					  1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000,
					  100000000000000000, 1000000000000000000, UINT64_C(10000000000000000000)};

/* The number as the text spells it, before it becomes a double: digits * 10^exponent. */
struct decimal {
	uint64_t mantissa;
	int64_t exponent;
	const uint8_t *whole;	 /* the digits before the point */
	const uint8_t *fraction; /* the digits after the point */
	size_t n_whole, n_fraction;
	int64_t shift; /* the written exponent */
	bool negative;
	bool integer;
};

static uint64_t load8(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* Joins the values of eight digits, the first in the lowest byte, into one number with three multiplications instead
 * of eight. */
static uint64_t join8(uint64_t v)
{
	v = v * 10 + (v >> 8);
	return ((v & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
		((v >> 16) & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001)) >>
	       32;
}

/* Adds the run of digits at p to *mantissa (which may wrap: the caller counts digits) and returns its end. */
static inline const uint8_t *take_digits(const uint8_t *p, const uint8_t *end, uint64_t *mantissa)
{
	uint64_t m = *mantissa;

	while (end - p >= 8) {
		uint64_t v = load8(p) ^ UINT64_C(0x3030303030303030);
		uint64_t other = (((v & ~HIGH_BITS) + UINT64_C(0x7676767676767676)) | v) & HIGH_BITS;
		int n;

		if (other == 0) {
			m = m * 100000000 + join8(v);
			p += 8;
			continue;
		}
		n = __builtin_ctzll(other) >> 3;
		if (n > 0)
			m = m * integer_powers[n] + join8(v << (64 - 8 * n));
		*mantissa = m;
		return p + n;
	}
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		m = m * 10 + (uint64_t)(*p - '0');
	*mantissa = m;
	return p;
}

/* Returns the end of the exponent part at p, or p itself when there is no complete one. */
static const uint8_t *take_exponent(const uint8_t *p, const uint8_t *end, int64_t *ret_shift)
{
	const uint8_t *at = p + 1;
	bool negative = false;
	int64_t shift = 0;

	if (at < end && (*at == '+' || *at == '-'))
		negative = *at++ == '-';
	if (at == end || *at < '0' || *at > '9')
		return p;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		if (shift < EXPONENT_LIMIT)
			shift = shift * 10 + (*at - '0');
	*ret_shift = negative ? -shift : shift;
	return at;
}

/* Returns the end of the number, or NULL when there is no number. */
static inline const uint8_t *read_decimal(struct ts_span text, struct decimal *d)
{
	const uint8_t *p = text.data, *end;

	if (text.len == 0)
		return NULL;
	end = p + text.len;
	d->negative = *p == '-';
	p += d->negative;
	if (p == end || *p < '0' || *p > '9')
		return NULL;
	d->whole = p;
	d->mantissa = 0;
	p = *p == '0' ? p + 1 : take_digits(p, end, &d->mantissa);
	d->n_whole = (size_t)(p - d->whole);
	d->n_fraction = 0;
	d->fraction = p;
	d->integer = true;
	d->shift = 0;
	if (end - p >= 2 && *p == '.' && p[1] >= '0' && p[1] <= '9') {
		d->fraction = p + 1;
		p = take_digits(d->fraction, end, &d->mantissa);
		d->n_fraction = (size_t)(p - d->fraction);
		d->integer = false;
	}
	if (p < end && (*p | 32) == 'e') {
		int64_t shift = 0;
		const uint8_t *after = take_exponent(p, end, &shift);

		d->shift = shift;
		d->integer = d->integer && after == p;
		p = after;
	}
	d->exponent = d->shift - (int64_t)d->n_fraction;
	return p;
}

#define INFINITY_BITS (UINT64_C(0x7FF) << 52)
#define HIDDEN_BIT (UINT64_C(1) << 52)

/* Computes w * 5^q to 128 bits. The second half of the power is used only when it can change the first 55 bits. */
static void multiply_power(uint64_t w, int64_t q, uint64_t *high, uint64_t *low)
{
	const uint64_t *power = powers_of_five[q - POWER_MIN];
	u128 product = (u128)w * power[0];

	*high = (uint64_t)(product >> 64);
	*low = (uint64_t)product;
	if ((*high & 0x1FF) == 0x1FF) {
		uint64_t more = (uint64_t)(((u128)w * power[1]) >> 64);

		*low += more;
		*high += *low < more;
	}
}

/* Returns the bits of the double nearest to w * 10^q, ties to even, without the sign. */
static uint64_t eisel_lemire(uint64_t w, int64_t q)
{
	uint64_t high;
	uint64_t low;
	uint64_t mantissa;
	int64_t power;
	int zeros;
	int upper;

	if (w == 0 || q < POWER_MIN)
		return 0;
	if (q > POWER_MAX)
		return INFINITY_BITS;
	zeros = __builtin_clzll(w);
	multiply_power(w << zeros, q, &high, &low);
	upper = (int)(high >> 63);
	mantissa = high >> (upper + 9);
	/* 217706 / 2^16 is log2(10) closely enough for this range; >> of a negative number is arithmetic here. */
	power = ((217706 * q) >> 16) + 63 + upper - zeros + 1023;
	if (power <= 0) {
		if (-power + 1 >= 64)
			return 0;
		mantissa >>= -power + 1;
		mantissa += mantissa & 1;
		return mantissa >> 1; /* a carry into bit 52 is the smallest normal number, as it should be */
	}
	/* The product may lie exactly between two doubles only for such small powers; then the even double is the
	 * result. */
	if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == high)
		mantissa &= ~UINT64_C(1);
	mantissa += mantissa & 1;
	mantissa >>= 1;
	if (mantissa >= 2 * HIDDEN_BIT) {
		mantissa = HIDDEN_BIT;
		power++;
	}
	if (power >= 0x7FF)
		return INFINITY_BITS;
	return (mantissa & ~HIDDEN_BIT) | (uint64_t)power << 52;
}

/* Reads a number of more than 19 digits: its first 19 significant digits give bounds, and exact arithmetic decides
 * when the bounds differ. */
static uint64_t long_decimal(struct ts_span whole, struct ts_span fraction, int64_t shift)
{
	struct ts_digits digits = ts_digits_of(whole, fraction, shift);
	uint64_t w = 0;
	uint64_t bits;
	size_t n = digits.len < MANTISSA_DIGITS ? digits.len : MANTISSA_DIGITS;
	int64_t q = digits.exponent + (int64_t)(digits.len - n);

	for (size_t i = 0; i < n; i++)
		w = w * 10 + ts_digit_at(&digits, i);
	bits = eisel_lemire(w, q);
	if (n == digits.len || bits == eisel_lemire(w + 1, q))
		return bits;
	return ts_digits_above_middle(&digits, bits) ? bits + 1 : bits;
}

/* Returns how many of the 16 bytes at p are digits before the first that is none, and sets *ret to their number. */
static inline int digits_of_16(const uint8_t *p, uint64_t *ret)
{
	uint64_t a = load8(p) ^ UINT64_C(0x3030303030303030), b = load8(p + 8) ^ UINT64_C(0x3030303030303030);
	uint64_t other_a = (((a & ~HIGH_BITS) + UINT64_C(0x7676767676767676)) | a) & HIGH_BITS;
	uint64_t other_b = (((b & ~HIGH_BITS) + UINT64_C(0x7676767676767676)) | b) & HIGH_BITS;
	u128 both;
	int n;

	if (other_a) {
		n = __builtin_ctzll(other_a) >> 3;
		*ret = n ? join8(a << (64 - 8 * n)) : 0;
		return n;
	}
	n = other_b ? 8 + (__builtin_ctzll(other_b) >> 3) : 16;
	both = ((u128)b << 64 | a) << (128 - 8 * n); /* zeros in front */
	*ret = join8((uint64_t)both) * 100000000 + join8((uint64_t)(both >> 64));
	return n;
}

enum { USUAL_BYTES = 40 }; /* a sign, 15 digits, a point, 19 digits, and one byte more */

/* Reads the numbers that logs are full of: digits, mostly a point and digits, and at most MANTISSA_DIGITS of them. At least
 * USUAL_BYTES can be read. Returns 0 for any other text, which may be a number too. */
static inline size_t scan_usual(const uint8_t *text, double *ret, bool *ret_integer)
{
	const uint8_t *p = text + (*text == '-');
	uint64_t whole, fraction = 0, mantissa;
	int n_whole, n_fraction = 0;
	double value;

	if (p[1] == '.') {
		whole = (uint64_t)*p - '0';
		n_whole = 1;
		if (whole > 9)
			return 0;
	} else {
		n_whole = digits_of_16(p, &whole);
		if (n_whole == 0 || n_whole == 16 || (*p == '0' && n_whole > 1))
			return 0;
	}
	p += n_whole;
	if (*p == '.') {
		n_fraction = digits_of_16(p + 1, &fraction);
		p += 1 + n_fraction;
		for (; n_fraction >= 16 && *p >= '0' && *p <= '9' && n_fraction < MANTISSA_DIGITS; p++, n_fraction++)
			fraction = fraction * 10 + (uint64_t)(*p - '0');
		if (n_fraction == 0 || n_whole + n_fraction > MANTISSA_DIGITS)
			return 0;
	}
	if ((*p | 32) == 'e')
		return 0;
	mantissa = whole * decimal_powers[n_fraction] + fraction;
	if (mantissa <= 2 * HIDDEN_BIT)
		value = (double)mantissa / exact_powers[n_fraction];
	else
		value = ts_bits_double(eisel_lemire(mantissa, -n_fraction));
	*ret = *text == '-' ? -value : value;
	*ret_integer = n_fraction == 0;
	return (size_t)(p - text);
}

static size_t scan_any(struct ts_span text, double *ret, bool *ret_integer)
{
	struct decimal d;
	const uint8_t *end = read_decimal(text, &d);
	double value;

	if (!end)
		return 0;
	if (d.n_whole + d.n_fraction > MANTISSA_DIGITS)
		value = ts_bits_double(long_decimal(ts_span_of(d.whole, d.n_whole), ts_span_of(d.fraction, d.n_fraction), d.shift));
	else if (d.mantissa <= 2 * HIDDEN_BIT && d.exponent <= 22 && d.exponent >= -22)
		value = d.exponent < 0 ? (double)d.mantissa / exact_powers[-d.exponent]
				       : (double)d.mantissa * exact_powers[d.exponent];
	else
		value = ts_bits_double(eisel_lemire(d.mantissa, d.exponent));
	*ret = d.negative ? -value : value;
	*ret_integer = d.integer;
	return (size_t)(end - text.data);
}

size_t ts_number_scan(struct ts_span text, double *ret, bool *ret_integer)
{
	size_t n = text.len >= USUAL_BYTES ? scan_usual(text.data, ret, ret_integer) : 0;

	return n ? n : scan_any(text, ret, ret_integer);
}

bool ts_parse_double(struct ts_span text, double *ret)
{
	double value;
	bool integer;

	if (text.len == 0 || ts_number_scan(text, &value, &integer) != text.len)
		return false;
	*ret = value;
	return true;
}

bool ts_parse_u64(struct ts_span text, uint64_t *ret)
{
	uint64_t v = 0;

	if (text.len == 0)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i];

		if (c < '0' || c > '9' || __builtin_mul_overflow(v, UINT64_C(10), &v) ||
		    __builtin_add_overflow(v, (uint64_t)(c - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

bool ts_parse_i64(struct ts_span text, int64_t *ret)
{
	bool negative = text.len > 0 && text.data[0] == '-';
	uint64_t v;

	if (!ts_parse_u64(negative ? ts_span_of(text.data + 1, text.len - 1) : text, &v))
		return false;
	if (v > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = negative ? (int64_t)(~v + 1) : (int64_t)v;
	return true;
}

bool ts_parse_hex64(struct ts_span text, uint64_t *ret)
{
	uint64_t v = 0;

	if (text.len != 16)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i];
		uint8_t letter = c | 32;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (letter >= 'a' && letter <= 'f')
			v = v << 4 | (uint64_t)(letter - 'a' + 10);
		else
			return false;
	}
	*ret = v;
	return true;
}

static bool reads_as(const char *text, double value)
{
	double back;

	return ts_parse_double(ts_span_str(text), &back) && ts_double_bits(back) == ts_double_bits(value);
}

/* Adds one unit in the last place to the digits of "d.ddde..."; returns false when a carry would make the text
 * longer. */
static bool next_decimal(char *text)
{
	char *at = strchr(text, 'e');

	while (at > text) {
		if (*--at == '.')
			continue;
		if (*at != '9') {
			++*at;
			return true;
		}
		*at = '0';
	}
	return false;
}

/* Writes the shortest "d.ddde[+-]xx" for a positive finite value. Normal numbers never need a try with fewer than 15
 * digits, because 15 digits always survive conversion to binary and back. Just below a power of two, neighbours are
 * half as far apart as above it. There the nearest number of 16 digits may fail while the next one up still reads
 * back as the value. */
static void print_shortest(double value, char *out)
{
	bool subnormal = ts_double_bits(value) < HIDDEN_BIT;
	bool power_of_two = (ts_double_bits(value) & (HIDDEN_BIT - 1)) == 0;

	for (int digits = subnormal ? 1 : 15; digits <= 17; digits++) {
		(void)snprintf(out, TS_DOUBLE_TEXT, "%.*e", digits - 1, value);
		if (reads_as(out, value))
			return;
		if (power_of_two && next_decimal(out) && reads_as(out, value))
			return;
	}
}

/* Writes the n digits d1d2d3..., which mean d1.d2d3... * 10^exponent, in the two forms of Python's repr. */
static size_t lay_out(const char *digits, int n, int exponent, char *out)
{
	char *p = out;

	if (exponent < -4 || exponent >= 16) {
		*p++ = digits[0];
		if (n > 1) {
			*p++ = '.';
			memcpy(p, digits + 1, (size_t)n - 1);
			p += n - 1;
		}
		return (size_t)(p - out) + (size_t)snprintf(p, 8, "e%c%02d", exponent < 0 ? '-' : '+',
							    exponent < 0 ? -exponent : exponent);
	}
	if (exponent < 0) {
		memcpy(p, "0.0000", 6);
		p += 1 - exponent;
		memcpy(p, digits, (size_t)n);
		return (size_t)(p + n - out);
	}
	for (int i = 0; i <= exponent || i < n; i++) {
		if (i == exponent + 1)
			*p++ = '.';
		*p++ = i < n ? digits[i] : '0';
	}
	if (n <= exponent + 1) {
		*p++ = '.';
		*p++ = '0';
	}
	return (size_t)(p - out);
}

static size_t print_word(char *out, const char *word)
{
	size_t len = strlen(word);

	memcpy(out, word, len + 1);
	return len;
}

size_t ts_print_double(double value, char *out)
{
	char text[TS_DOUBLE_TEXT];
	char digits[TS_DOUBLE_TEXT];
	int64_t exponent = 0;
	int n = 0;
	size_t len = 0;
	const char *p;

	if (isnan(value))
		return print_word(out, "NaN");
	if (signbit(value))
		out[len++] = '-';
	if (isinf(value))
		return len + print_word(out + len, "Infinity");
	if (value == 0)
		return len + print_word(out + len, "0.0");
	print_shortest(fabs(value), text);
	for (p = text; *p != 'e'; p++)
		if (*p != '.')
			digits[n++] = *p;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	(void)ts_parse_i64(ts_span_str(p[1] == '+' ? p + 2 : p + 1), &exponent);
	len += lay_out(digits, n, (int)exponent, out + len);
	out[len] = '\0';
	return len;
}
