/* show_value.c - see show_value.h. */
#include "cli/view/show_value.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"
#include "run/head.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *keep(struct ts_buf *buf, struct ts_arena *arena)
{
	struct ts_span copy = buf->failed ? ts_span_of(NULL, 0) : ts_arena_span(arena, ts_buf_view(buf));

	arena->failed |= buf->failed == TS_NO_MEMORY;
	ts_buf_finish(buf);
	return (const char *)copy.data;
}

const char *ts_show_text(struct ts_span text, struct ts_arena *arena)
{
	struct ts_buf buf = TS_BUF_INIT((size_t)8 << 20);

	ts_escape(&buf, text);
	return keep(&buf, arena);
}

const char *ts_show_hex(const struct ts_id *id, struct ts_arena *arena)
{
	char hex[TS_ID_HEX + 1];

	return ts_arena_printf(arena, "%s", ts_id_hex(id, hex));
}

const char *ts_show_id(const struct ts_id *id, struct ts_arena *arena)
{
	char hex[TS_ID_HEX + 1];

	return ts_arena_printf(arena, "%.*s", TS_ID_SHORT, ts_id_hex(id, hex));
}

const char *ts_show_link(const char *route, const struct ts_id *run, struct ts_arena *arena)
{
	char hex[TS_ID_HEX + 1];

	return ts_arena_printf(arena, "%s%s", route, ts_id_hex(run, hex));
}

const char *ts_show_count(uint64_t n, struct ts_arena *arena)
{
	struct ts_buf buf = TS_BUF_INIT(64);

	ts_print_grouped(&buf, n);
	return keep(&buf, arena);
}

const char *ts_show_step(int64_t step, struct ts_arena *arena)
{
	return ts_arena_printf(arena, "%" PRId64, step);
}

const char *ts_show_rounded(double v, struct ts_arena *arena)
{
	/* Bytes and counts of tokens are whole numbers. */
	return ts_arena_printf(arena, fabs(v) >= 1e6 && fabs(v) < 1e15 && v == floor(v) ? "%.0f" : "%.6g", v);
}

const char *ts_show_share(uint64_t part, uint64_t whole, struct ts_arena *arena)
{
	return whole ? ts_arena_printf(arena, "%.1f %%", 100.0 * (double)part / (double)whole) : "-";
}

const char *ts_show_exact(uint64_t ns, struct ts_arena *arena)
{
	return ts_arena_printf(arena, "%" PRIu64 ".%06" PRIu64 " ms", ns / 1000000, ns % 1000000);
}

const char *ts_show_bytes(double bytes, struct ts_arena *arena)
{
	struct ts_buf buf = TS_BUF_INIT(512);

	if (bytes < 0)
		ts_buf_char(&buf, '-');
	ts_print_bytes(&buf, bytes < 0 ? -bytes : bytes);
	return keep(&buf, arena);
}

/* Shows x with the given number of significant digits, for x below 1000. */
static const char *with_digits(double x, int digits, const char *unit, struct ts_arena *arena)
{
	double least = 10;
	int places = digits - 1;

	for (; places > 0 && x >= least * (1 - 0.5 * pow(10, -digits)); least *= 10)
		places--;
	return ts_arena_printf(arena, "%.*f %s", places, x, unit);
}

static const char *long_time(double seconds, struct ts_arena *arena)
{
	uint64_t s = (uint64_t)(seconds + 0.5);

	if (s >= 86400)
		return ts_arena_printf(arena, "%" PRIu64 " d %02" PRIu64 " h", s / 86400, s % 86400 / 3600);
	if (s >= 3600)
		return ts_arena_printf(arena, "%" PRIu64 " h %02" PRIu64 " m", s / 3600, s % 3600 / 60);
	return ts_arena_printf(arena, "%" PRIu64 " m %02" PRIu64 " s", s / 60, s % 60);
}

static const char *show_seconds(double seconds, int digits, struct ts_arena *arena)
{
	double x = seconds < 0 ? -seconds : seconds;
	const char *text;

	if (!isfinite(seconds))
		return isnan(seconds) ? "NaN" : seconds > 0 ? "infinite" : "-infinite";
	if (x == 0)
		return "0 s";
	if (x >= 3e15)
		return ts_arena_printf(arena, "%.3g s", seconds);
	if (x < 0.9995e-6)
		text = ts_arena_printf(arena, "%.3g ns", x * 1e9);
	else if (x < 0.9995e-3)
		text = with_digits(x * 1e6, digits, "µs", arena);
	else if (x < 0.9995)
		text = with_digits(x * 1e3, digits, "ms", arena);
	else if (x < 119.95)
		text = with_digits(x, digits, "s", arena);
	else
		text = long_time(x, arena);
	return seconds < 0 && text ? ts_arena_printf(arena, "-%s", text) : text;
}

const char *ts_show_seconds(double seconds, struct ts_arena *arena)
{
	return show_seconds(seconds, 3, arena);
}

/* Writes the local time to the second or to the minute, with its distance from UTC, or Z where there is none. */
static const char *local_time(int64_t real_ns, bool seconds, struct ts_arena *arena)
{
	int64_t ns = ((real_ns % 1000000000) + 1000000000) % 1000000000;
	time_t time = (time_t)((real_ns - ns) / 1000000000);
	char text[64], zone[8];
	struct tm tm;

	tzset();
	if (!localtime_r(&time, &tm) || (seconds ? strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm)
						 : strftime(text, sizeof text, "%Y-%m-%d %H:%M", &tm)) == 0)
		return "-";
	if (strftime(zone, sizeof zone, "%z", &tm) != 5) /* "+0130" */
		return "-";
	if (strcmp(zone + 1, "0000") == 0)
		return ts_arena_printf(arena, "%sZ", text);
	return ts_arena_printf(arena, "%s%.3s:%s", text, zone, zone + 3);
}

const char *ts_show_time(int64_t real_ns, struct ts_arena *arena)
{
	return local_time(real_ns, true, arena);
}

const char *ts_show_minute(int64_t real_ns, struct ts_arena *arena)
{
	return local_time(real_ns, false, arena);
}

const char *ts_show_range(int64_t first, int64_t last, struct ts_arena *arena)
{
	if (first == last)
		return ts_show_step(first, arena);
	return ts_arena_printf(arena, "%" PRId64 " to %" PRId64, first, last);
}

const char *ts_show_apart(double r, struct ts_arena *arena)
{
	char text[32];
	const char *e;

	if (isnan(r))
		return "-";
	if (r == 0 || fabs(r) >= 0.001)
		return ts_arena_printf(arena, "%.2g", r);
	(void)snprintf(text, sizeof text, "%.1e", r);
	e = strchr(text, 'e');
	return e ? ts_arena_printf(arena, "%.*se%ld", (int)(e - text), text, strtol(e + 1, NULL, 10)) : NULL;
}

const char *ts_show_ranks(const int32_t *ranks, size_t n, size_t all, struct ts_arena *arena)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);

	for (size_t i = 0; i < n;) {
		size_t last = i;

		while (last + 1 < n && ranks[last + 1] == ranks[last] + 1)
			last++;
		if (i)
			ts_buf_str(&buf, ", ");
		if (ranks[i] == TS_RANK_JOB)
			ts_buf_str(&buf, "job");
		else
			ts_buf_printf(&buf, "%d", ranks[i]);
		if (last > i)
			ts_buf_printf(&buf, last > i + 1 ? "-%d" : ", %d", ranks[last]);
		i = last + 1;
	}
	if (all > n)
		ts_buf_printf(&buf, " and %" PRIu64 " more", all - n);
	return keep(&buf, arena);
}

const char *ts_show_plural(uint64_t n, const char *word, struct ts_arena *arena)
{
	const char *count = ts_show_count(n, arena);

	return count ? ts_arena_printf(arena, "%s %s%s", count, word, n == 1 ? "" : "s") : NULL;
}

/* A text is quoted if it reads as a number, as a word of JSON, as the dash that means unknown, or if it is empty. So
 * the text "1" is not taken for the number 1. */
static bool needs_quotes(struct ts_span text)
{
	static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity", "{}", "[]",
					    "not recorded", "-"};
	double number;

	if (text.len == 0 || text.data[0] == ' ' || text.data[text.len - 1] == ' ' || text.data[0] == '"')
		return true;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_is(text, words[i]))
			return true;
	return ts_parse_double(text, &number);
}

const char *ts_show_fact(const struct ts_fact *fact, struct ts_arena *arena)
{
	struct ts_buf buf = TS_BUF_INIT((size_t)8 << 20);

	if (!fact || fact->type == TS_FACT_ABSENT)
		return "not recorded";
	if (fact->type == TS_FACT_LONG && fact->text.len == 0)
		return ts_arena_printf(arena, "(text of %u bytes)", fact->text_len);
	if ((fact->type == TS_FACT_TEXT || fact->type == TS_FACT_LONG)) {
		bool quoted = needs_quotes(fact->text);

		if (quoted)
			ts_buf_char(&buf, '"');
		ts_escape(&buf, fact->text);
		if (quoted)
			ts_buf_char(&buf, '"');
		return keep(&buf, arena);
	}
	ts_fact_print(fact, &buf);
	return keep(&buf, arena);
}

const char *ts_show_cell_value(const struct ts_value *value, struct ts_arena *arena)
{
	char text[TS_DOUBLE_TEXT];

	switch (value->type) {
	case TS_COLUMN_F64:
		ts_print_double(value->real, text);
		return ts_arena_printf(arena, "%s", text);
	case TS_COLUMN_U64:
		return ts_arena_printf(arena, "%016" PRIx64, value->word);
	case TS_COLUMN_TEXT:
	case TS_COLUMN_JSON:
		break;
	}
	return ts_show_text(value->text, arena);
}

static const char *plain_number(double value, struct ts_arena *arena)
{
	char text[TS_DOUBLE_TEXT];

	if (isfinite(value) && value == floor(value) && fabs(value) < 1e15)
		return ts_arena_printf(arena, "%.0f", value);
	if (isfinite(value) && fabs(value) < 1e15)
		return ts_arena_printf(arena, "%.6g", value);
	ts_print_double(value, text);
	return ts_arena_printf(arena, "%s", text);
}

/* Shows 312 TFLOP/s or 6 TFLOP. The prefixes are powers of a thousand, as peaks are given. */
static const char *show_flops(double value, const char *unit, struct ts_arena *arena)
{
	static const char prefixes[] = " kMGTPEZY";
	size_t at = 0;

	while (fabs(value) >= 1000 && prefixes[at + 1]) {
		value /= 1000;
		at++;
	}
	if (at == 0)
		return ts_arena_printf(arena, "%.4g %s", value, unit);
	return ts_arena_printf(arena, "%.4g %c%s", value, prefixes[at], unit);
}

/* Shows 5.00 MiB/step or -3 B/step. */
static const char *show_rate_of_bytes(double value, struct ts_arena *arena)
{
	const char *bytes = ts_show_bytes(value, arena);

	return bytes ? ts_arena_printf(arena, "%s/step", bytes) : NULL;
}

/* Shows 43.1 /s or 552,800 /s. */
static const char *show_rate(double value, struct ts_arena *arena)
{
	const char *count = value >= 9999.5 && value < 1e15 ? ts_show_count((uint64_t)(value + 0.5), arena) : NULL;

	return count ? ts_arena_printf(arena, "%s /s", count) : ts_arena_printf(arena, "%.4g /s", value);
}

const char *ts_show_measure(const struct ts_measure *m, struct ts_arena *arena)
{
	if (!m->known)
		return "unknown";
	if (m->unit == TS_UNIT_TEXT)
		return ts_show_text(m->text, arena);
	if (!isfinite(m->value))
		return plain_number(m->value, arena);
	switch (m->unit) {
	case TS_UNIT_SECONDS:
		return ts_show_seconds(m->value, arena);
	case TS_UNIT_BYTES:
		return ts_show_bytes(m->value, arena);
	case TS_UNIT_RATIO:
		return ts_arena_printf(arena, "%.1f %%", m->value * 100);
	case TS_UNIT_PER_SECOND:
		return show_rate(m->value, arena);
	case TS_UNIT_COUNT:
		if (m->value >= 0 && m->value < 1e15 && m->value == floor(m->value))
			return ts_show_count((uint64_t)m->value, arena);
		break;
	case TS_UNIT_BYTES_PER_STEP:
		return show_rate_of_bytes(m->value, arena);
	case TS_UNIT_FLOPS:
		return show_flops(m->value, "FLOP", arena);
	case TS_UNIT_FLOPS_PER_S:
		return show_flops(m->value, "FLOP/s", arena);
	case TS_UNIT_STEP:
	case TS_UNIT_NONE:
	case TS_UNIT_TEXT:
		break;
	}
	return plain_number(m->value, arena);
}

const char *ts_show_measure_close(const struct ts_measure *m, struct ts_arena *arena)
{
	return m->known && m->unit == TS_UNIT_SECONDS ? show_seconds(m->value, 4, arena) : ts_show_measure(m, arena);
}

const char *ts_show_measure_apart(const struct ts_measure *m, double step, struct ts_arena *arena)
{
	enum { LEAST = 3, MOST = 12 };
	double digits = floor(log10(fabs(m->value))) - floor(log10(step) + 1e-9) + 1;

	if (!m->known || m->unit != TS_UNIT_SECONDS || !isfinite(digits))
		return ts_show_measure(m, arena);
	return show_seconds(m->value, (int)fmin(fmax(digits, LEAST), MOST), arena);
}

/* The number of columns in front of the decimal point of a plain number, or -1 for any other text (exponents do not align). */
static int before_point(const char *text)
{
	double value;

	if (!ts_parse_double(ts_span_str(text), &value) || strpbrk(text, "eE"))
		return -1;
	return (int)strcspn(text, ".");
}

struct ts_parting ts_show_parting(const char *a, const char *b)
{
	struct ts_parting p = {0, 0, 0};
	int point_a = before_point(a), point_b = before_point(b);
	int len_a, len_b;

	if (point_a >= 0 && point_b >= 0) {
		p.pad_a = point_b > point_a ? point_b - point_a : 0;
		p.pad_b = point_a > point_b ? point_a - point_b : 0;
	}
	len_a = p.pad_a + (int)strlen(a);
	len_b = p.pad_b + (int)strlen(b);
	while (p.column < len_a && p.column < len_b) {
		char at_a = p.column < p.pad_a ? ' ' : a[p.column - p.pad_a];
		char at_b = p.column < p.pad_b ? ' ' : b[p.column - p.pad_b];

		if (at_a != at_b)
			break;
		p.column++;
	}
	/* The place must not lie within a character. */
	while (p.column > 0 && p.column < len_a && p.column >= p.pad_a && (a[p.column - p.pad_a] & 0xc0) == 0x80)
		p.column--;
	return p;
}
