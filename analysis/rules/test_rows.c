#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rules/test_rows.h"
#include "base/number.h"

static struct ts_span trim(struct ts_span s)
{
	while (s.len && s.data[0] == ' ')
		s = ts_span_of(s.data + 1, s.len - 1);
	while (s.len && s.data[s.len - 1] == ' ')
		s.len--;
	return s;
}

static struct ts_span cut(struct ts_span *rest, char at)
{
	const uint8_t *end = memchr(rest->data, at, rest->len);
	size_t n = end ? (size_t)(end - rest->data) : rest->len;
	struct ts_span part = ts_span_of(rest->data, n);

	*rest = end ? ts_span_of(end + 1, rest->len - n - 1) : ts_span_of(rest->data + n, 0);
	return trim(part);
}

static const char *copy(struct ts_arena *arena, struct ts_span s)
{
	const char *text = (const char *)ts_arena_span(arena, s).data;

	assert_non_null(text);
	return text;
}

/* Takes the longest unit's suffix off. */
static enum ts_unit unit_of(struct ts_span *name)
{
	enum ts_unit best = TS_UNIT_NONE;
	size_t longest = 0;

	for (int u = TS_UNIT_NONE; u <= TS_UNIT_FLOPS_PER_S; u++) {
		struct ts_span suffix = ts_span_str(ts_unit_suffix((enum ts_unit)u));

		if (suffix.len <= longest || name->len <= suffix.len ||
		    !ts_span_eq(ts_span_of(name->data + name->len - suffix.len, suffix.len), suffix))
			continue;
		best = (enum ts_unit)u;
		longest = suffix.len;
	}
	name->len -= longest;
	return best;
}

static void row(struct ts_measures *m, struct ts_arena *arena, struct ts_span text)
{
	bool unknown = memchr(text.data, '?', text.len) != NULL;
	struct ts_span key = cut(&text, unknown ? '?' : '='), value = trim(text);
	const char *group = copy(arena, cut(&key, '/'));
	struct ts_span subject = ts_span_str(copy(arena, cut(&key, '/')));
	enum ts_unit unit;
	double x;

	if (!unknown && value.len >= 2 && value.data[0] == '\'') {
		struct ts_span inner = ts_span_str(copy(arena, ts_span_of(value.data + 1, value.len - 2)));

		assert_true(ts_measure_text(m, arena, group, subject, copy(arena, key), inner));
		return;
	}
	unit = unit_of(&key);
	if (unknown) {
		assert_true(ts_measure_unknown(m, arena, group, subject, copy(arena, key), unit, copy(arena, value)));
		return;
	}
	if (ts_span_is(value, "nan"))
		x = (double)NAN;
	else if (ts_span_is(value, "inf"))
		x = (double)INFINITY;
	else
		assert_true(ts_parse_double(value, &x));
	assert_true(ts_measure_add(m, arena, group, subject, copy(arena, key), unit, x));
}

void test_rows(struct ts_measures *m, struct ts_arena *arena, const char *text)
{
	struct ts_span rest = ts_span_str(text);

	while (rest.len) {
		struct ts_span one = cut(&rest, ';');

		if (one.len)
			row(m, arena, one);
	}
}
