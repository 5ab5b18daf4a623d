#include "ingest/trace/trace_event.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>

const struct ts_trace_scanner *ts_trace_scanner_at(size_t n)
{
	const struct ts_trace_scanner *forms[3];
	size_t have = 0;

#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
		forms[have++] = &ts_trace_scanner_avx2;
	forms[have++] = &ts_trace_scanner_sse2;
#endif
	forms[have++] = &ts_trace_scanner_portable;
	return n < have ? forms[n] : NULL;
}

size_t ts_trace_plain(const uint8_t *p, size_t len, uint8_t *to, size_t cap)
{
	size_t n = 0;

	for (size_t at = 0; at < len; at++) {
		uint8_t c = p[at], code[2];

		if (c == '\\' && len - at >= 6 && p[at + 1] == 'u' && ts_parse_hex(ts_span_of(p + at + 2, 4), code)) {
			c = code[0] ? 0x80 : code[1];
			at += 5;
		} else if (c == '\\' && len - at >= 2 && p[at + 1] == '/') {
			c = p[++at];
		} else if (c == '\\') {
			return 0;
		}
		if (n == cap || c >= 0x80)
			return 0;
		to[n++] = c;
	}
	return n;
}

void ts_trace_whole(struct ts_span text, int64_t *ret)
{
	int64_t v;

	while (text.len && text.data[text.len - 1] == '0')
		text.len--;
	if (text.len && text.data[text.len - 1] == '.' && ts_parse_i64(ts_span_part(text, 0, text.len - 1), &v))
		*ret = v;
}

/* A decimal number: digits * 10^exponent, and whether digits that did not fit were other than 0. */
struct decimal {
	uint64_t digits;
	int64_t exponent;
	bool more;
};

enum { EXPONENT_MAX = 4096 };

static void take_digit(struct decimal *d, uint8_t c, bool fraction)
{
	uint64_t digit = (uint64_t)(c - '0');

	if (d->digits < UINT64_MAX / 10 - 1) {
		d->digits = d->digits * 10 + digit;
		d->exponent -= fraction;
	} else {
		d->more |= digit != 0;
		d->exponent += !fraction;
	}
}

/* "-"? is read already. NULL: it is no number. */
static const uint8_t *read_decimal(const uint8_t *p, struct decimal *d)
{
	const uint8_t *begin = p;
	int64_t e = 0;
	bool down;

	while (ts_is_digit(*p))
		take_digit(d, *p++, false);
	if (p == begin)
		return NULL;
	if (*p == '.') {
		begin = ++p;
		while (ts_is_digit(*p))
			take_digit(d, *p++, true);
		if (p == begin)
			return NULL;
	}
	if ((*p | 32) != 'e')
		return p;
	p++;
	down = *p == '-';
	p += down || *p == '+';
	begin = p;
	while (ts_is_digit(*p)) {
		e = e < EXPONENT_MAX ? e * 10 + (*p - '0') : e;
		p++;
	}
	d->exponent += down ? -e : e;
	return p == begin ? NULL : p;
}

/* Divides by 10^down, to the nearest, halves to the even one. */
static uint64_t divide(struct decimal d, int64_t down, bool *ret_rounded)
{
	uint64_t unit = 1, rest, half;
	uint64_t v;

	if (down > 19) {
		*ret_rounded |= d.digits || d.more;
		return 0;
	}
	for (int64_t i = 0; i < down; i++)
		unit *= 10;
	v = d.digits / unit;
	rest = d.digits % unit;
	half = unit / 2;
	*ret_rounded |= rest || d.more;
	if (unit == 1 ? false : rest > half || (rest == half && (d.more || v & 1)))
		v++;
	return v;
}

const uint8_t *ts_trace_micros(const uint8_t *p, int64_t *ret_ns, bool *ret_rounded)
{
	bool negative = *p == '-', over;
	struct decimal d = {0};
	uint64_t v;

	p = read_decimal(p + negative, &d);
	if (!p)
		return NULL;
	d.exponent += 3;
	over = d.exponent > 0 && d.digits && (d.exponent > 19 || d.more);
	v = d.exponent < 0 ? divide(d, -d.exponent, ret_rounded) : d.digits;
	for (int64_t i = 0; !over && d.digits && i < d.exponent; i++)
		over = __builtin_mul_overflow(v, 10, &v);
	over |= v > INT64_MAX;
	*ret_ns = over ? TS_TRACE_NONE : negative ? -(int64_t)v : (int64_t)v;
	return p;
}

static bool is_word(uint8_t c)
{
	return ts_is_alnum(c) || c == '-' || c == '+' || c == '.';
}

/* What cannot be read may be a number that the window cuts. */
static const uint8_t *no_number(struct ts_trace_place *place, const uint8_t *p)
{
	const uint8_t *end = p;

	while (end < place->end && is_word(*end))
		end++;
	place->p = end < place->end ? p : place->end;
	place->expected = "a number";
	return NULL;
}

const uint8_t *ts_trace_time_value(struct ts_trace_place *place, const uint8_t *p, int64_t *ret, struct ts_trace_event *e,
				   const uint8_t *(*over)(struct ts_trace_place *, const uint8_t *))
{
	bool quoted = *p == '"';
	const uint8_t *end;
	int64_t ns;

	if (!quoted && *p != '-' && !ts_is_digit(*p))
		return over(place, p);
	if (*p == '-' && ts_is_alpha(p[1])) /* -Infinity */
		return over(place, p);
	end = ts_trace_micros(p + quoted, &ns, &e->rounded);
	if (quoted ? !end || *end != '"' : end && is_word(*end))
		end = NULL;
	if (!end)
		return quoted ? over(place, p) : no_number(place, p);
	e->too_large |= ns == TS_TRACE_NONE;
	*ret = ns;
	return end + quoted;
}

const uint8_t *ts_trace_double_value(struct ts_trace_place *place, const uint8_t *p, double *ret,
				     const uint8_t *(*over)(struct ts_trace_place *, const uint8_t *))
{
	const uint8_t *end = over(place, p);
	bool quoted = *p == '"';
	double v;

	if (end && end - p > 2 * quoted && ts_parse_double(ts_span_of(p + quoted, (size_t)(end - p) - 2 * quoted), &v) && isfinite(v))
		*ret = v;
	return end;
}
