#include "analysis/answer/say.h"

#include "base/buf.h"
#include "base/text.h"

#include <stdio.h>

static bool odd(struct ts_say *s, double x)
{
	if (isfinite(x))
		return false;
	(void)snprintf(s->text, sizeof s->text, "%s", isnan(x) ? "NaN" : x > 0 ? "infinite" : "-infinite");
	return true;
}

struct ts_say ts_say_percent(double ratio)
{
	double percent = 100 * ratio, size = fabs(percent);
	struct ts_say s;

	if (odd(&s, percent))
		return s;
	/* With one decimal, 9.96 would be printed as 10.0, and 0.04 as 0.0. */
	if (size >= 9.95 || size == 0)
		(void)snprintf(s.text, sizeof s.text, "%.0f %%", percent);
	else if (size >= 0.05)
		(void)snprintf(s.text, sizeof s.text, "%.1f %%", percent);
	else
		(void)snprintf(s.text, sizeof s.text, "%.1g %%", percent);
	return s;
}

static void long_time(struct ts_say *s, const char *sign, double seconds)
{
	uint64_t t = (uint64_t)(seconds + 0.5);

	if (t >= 86400)
		(void)snprintf(s->text, sizeof s->text, "%s%" PRIu64 " d %02" PRIu64 " h", sign, t / 86400,
			       t % 86400 / 3600);
	else if (t >= 3600)
		(void)snprintf(s->text, sizeof s->text, "%s%" PRIu64 " h %02" PRIu64 " m", sign, t / 3600,
			       t % 3600 / 60);
	else
		(void)snprintf(s->text, sizeof s->text, "%s%" PRIu64 " m %02" PRIu64 " s", sign, t / 60, t % 60);
}

struct ts_say ts_say_seconds(double seconds)
{
	static const struct {
		double below, times;
		const char *unit;
	} scales[] = {{0.9995e-6, 1e9, "ns"}, {0.9995e-3, 1e6, "µs"}, {0.9995, 1e3, "ms"}, {119.95, 1, "s"}};
	const char *sign = seconds < 0 ? "-" : "";
	double size = fabs(seconds);
	struct ts_say s;

	if (odd(&s, seconds))
		return s;
	if (size == 0 || size >= 3e15) {
		(void)snprintf(s.text, sizeof s.text, "%s%.3g s", sign, size);
		return s;
	}
	for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
		double x = size * scales[i].times;

		if (size >= scales[i].below)
			continue;
		(void)snprintf(s.text, sizeof s.text, "%s%.*f %s", sign, x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x,
			       scales[i].unit);
		return s;
	}
	long_time(&s, sign, size);
	return s;
}

/* A small buffer that needs no memory: a sentence must not read otherwise where there is none. */
#define ROOM(room) ((struct ts_buf){.data = (room), .cap = sizeof(room), .ceiling = sizeof(room)})

/* Takes the text that a function of text.h wrote to it. */
static struct ts_say taken(const struct ts_buf *buf, const char *sign, double instead)
{
	struct ts_say s;

	if (buf->failed)
		(void)snprintf(s.text, sizeof s.text, "%.4g", instead);
	else
		(void)snprintf(s.text, sizeof s.text, "%s%.*s", sign, (int)buf->len, (const char *)buf->data);
	return s;
}

struct ts_say ts_say_bytes(double bytes)
{
	uint8_t room[TS_SAY_TEXT];
	struct ts_buf buf = ROOM(room);
	struct ts_say s;

	if (odd(&s, bytes))
		return s;
	ts_print_bytes(&buf, fabs(bytes));
	return taken(&buf, bytes < 0 ? "-" : "", bytes);
}

struct ts_say ts_say_count(double n)
{
	uint8_t room[TS_SAY_TEXT];
	struct ts_buf buf = ROOM(room);
	double size = nearbyint(fabs(n));

	if (!(size < 9e18))
		return ts_say_number(n);
	ts_print_grouped(&buf, (uint64_t)size);
	return taken(&buf, n < 0 && size > 0 ? "-" : "", n);
}

struct ts_say ts_say_number(double x)
{
	struct ts_say s;

	if (!odd(&s, x))
		(void)snprintf(s.text, sizeof s.text, "%.4g", x);
	return s;
}

struct ts_say ts_say_steps(int64_t first, int64_t last)
{
	struct ts_say s;

	if (first == last)
		(void)snprintf(s.text, sizeof s.text, "step %" PRId64, first);
	else
		(void)snprintf(s.text, sizeof s.text, "steps %" PRId64 " to %" PRId64, first, last);
	return s;
}

struct ts_say ts_say_plural(double n, const char *word)
{
	struct ts_say s;

	(void)snprintf(s.text, sizeof s.text, "%.24s %.16s%s", ts_say_count(n).text, word, n == 1 ? "" : "s");
	return s;
}

struct ts_say ts_say_value(double value, enum ts_unit unit)
{
	struct ts_say s;

	switch (unit) {
	case TS_UNIT_SECONDS:
		return ts_say_seconds(value);
	case TS_UNIT_BYTES:
		return ts_say_bytes(value);
	case TS_UNIT_RATIO:
		return ts_say_percent(value);
	case TS_UNIT_COUNT:
		return ts_say_count(value);
	case TS_UNIT_BYTES_PER_STEP:
		(void)snprintf(s.text, sizeof s.text, "%.32s/step", ts_say_bytes(value).text);
		return s;
	case TS_UNIT_PER_SECOND:
		(void)snprintf(s.text, sizeof s.text, "%.32s /s", ts_say_number(value).text);
		return s;
	case TS_UNIT_NONE:
	case TS_UNIT_STEP:
	case TS_UNIT_FLOPS:
	case TS_UNIT_FLOPS_PER_S:
	case TS_UNIT_TEXT:
		break;
	}
	return ts_say_number(value);
}

char *ts_say_ranks(const int32_t *ranks, size_t n, struct ts_arena *arena)
{
	enum { STRETCHES = 8 };
	struct ts_buf buf = TS_BUF_INIT(4096);
	char *text;
	size_t i = 0;

	ts_buf_str(&buf, n == 1 ? "rank " : "ranks ");
	for (int k = 0; i < n && k < STRETCHES; k++) {
		size_t last = i;

		while (last + 1 < n && ranks[last + 1] == ranks[last] + 1)
			last++;
		if (last == i + 1) /* "1 to 2" is not shorter than "1 and 2" */
			last = i;
		if (k)
			ts_buf_str(&buf, last + 1 == n ? " and " : ", ");
		ts_buf_printf(&buf, "%d", (int)ranks[i]);
		if (last > i)
			ts_buf_printf(&buf, " to %d", (int)ranks[last]);
		i = last + 1;
	}
	if (i < n)
		ts_buf_printf(&buf, " and %zu more", n - i);
	ts_buf_char(&buf, '\0');
	text = buf.failed ? NULL : ts_arena_dup(arena, buf.data, buf.len);
	arena->failed |= !text;
	ts_buf_finish(&buf);
	return text;
}
