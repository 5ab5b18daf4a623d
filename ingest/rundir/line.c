#include "ingest/rundir/line.h"

#include "base/number.h"

#include <math.h>

enum { OTHERS = 8 };

#define EXACT_MAX 9007199254740992.0 /* the same as in record.c */

/* Reads NaN, Infinity or -Infinity. */
static size_t scan_word(const uint8_t *at, const uint8_t *end, double *ret)
{
	struct ts_span rest = ts_span_of(at, (size_t)(end - at));

	if (ts_span_starts(rest, ts_span_str("NaN"))) {
		*ret = (double)NAN;
		return 3;
	}
	if (ts_span_starts(rest, ts_span_str("Infinity"))) {
		*ret = (double)INFINITY;
		return 8;
	}
	if (ts_span_starts(rest, ts_span_str("-Infinity"))) {
		*ret = -(double)INFINITY;
		return 9;
	}
	return 0;
}

static uint64_t load8(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* The same as memcmp(a, b, n) == 0, for the few bytes of which a call would take longer than the comparison. */
static inline bool same(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t i = 0;

	if (n < 8)
		return memcmp(a, b, n) == 0;
	for (; i + 8 < n; i += 8)
		if (load8(a + i) != load8(b + i))
			return false;
	return load8(a + n - 8) == load8(b + n - 8);
}

size_t ts_line_end(const uint8_t *at, const uint8_t *end)
{
	if (at < end && *at == '\n')
		return 1;
	return end - at >= 2 && at[0] == '\r' && at[1] == '\n' ? 2 : 0;
}

/* A step is a plain integer. */
size_t ts_line_step(const uint8_t *at, const uint8_t *end, int64_t *ret)
{
	bool integer = false;
	double v;
	size_t n = ts_number_scan(ts_span_of(at, (size_t)(end - at)), &v, &integer);

	if (n == 0 || !integer || fabs(v) >= EXACT_MAX)
		return 0;
	*ret = (int64_t)v;
	return n;
}

/* The number is read unless it is remembered from an earlier line. One with a loose point or exponent behind it is not remembered: it
 * would be found where a longer number begins like it. */
size_t ts_line_number(struct ts_kept *kept, bool phase, const uint8_t *at, const uint8_t *end, double *ret)
{
	size_t left = (size_t)(end - at), n = kept->len;
	bool integer = false;

	if (n && n < left && at[n - 1] == kept->text[n - 1] && same(at, kept->text, n + 1)) {
		kept->others = 0;
		*ret = kept->value;
		return n;
	}
	n = ts_number_scan(ts_span_of(at, left), ret, &integer);
	if (n == 0)
		n = scan_word(at, end, ret);
	if (n == 0 || (integer && fabs(*ret) >= EXACT_MAX) || (phase && *ret < 0))
		return 0;
	/* A number that differs line by line is not worth remembering each time. */
	if (kept->others++ % OTHERS)
		return n;
	if (n <= TS_LINE_KEPT && left > TS_LINE_KEPT && at[n] != '.' && (at[n] | 32) != 'e') {
		memcpy(kept->text, at, TS_LINE_KEPT + 1);
		kept->len = (uint32_t)n;
		kept->value = *ret;
	}
	return n;
}

size_t ts_line_take(const struct ts_line *line, struct ts_kept *kept, struct ts_span text, int64_t *ret_step, double *to,
		    size_t stride)
{
	const uint8_t *at = text.data, *end = at + text.len;
	size_t number = 0;

	for (const struct ts_line_part *part = line->parts;; part++) {
		size_t n;

		if (part->len > (size_t)(end - at) || !same(at, part->literal, part->len))
			return 0;
		at += part->len;
		if (part->follows == TS_FOLLOWS_END) {
			n = ts_line_end(at, end);
			return n ? (size_t)(at - text.data) + n : 0;
		}
		if (part->follows == TS_FOLLOWS_STEP) {
			n = ts_line_step(at, end, ret_step);
		} else {
			n = ts_line_number(&kept[number], part->phase, at, end, &to[number * stride]);
			number++;
		}
		if (n == 0)
			return 0;
		at += n;
	}
}
