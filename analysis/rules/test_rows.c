#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_words.h"
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

static void row(struct ts_measures *m, struct ts_arena *arena, struct ts_span text)
{
	bool unknown = memchr(text.data, '?', text.len) != NULL;
	struct ts_span key = cut(&text, unknown ? '?' : '='), value = trim(text);
	bool words = !unknown && value.len >= 2 && value.data[0] == '\'';
	const char *group = copy(arena, cut(&key, '/')), *subject = copy(arena, cut(&key, '/'));
	struct ts_measure row;

	/* A rule that asks for a measure that no analysis produces never gets a row. */
	if (!test_row_of(group, subject, copy(arena, key), words, &row))
		fail_msg("measures.inc has no %s %s %.*s", group, subject, TS_SPAN_ARG(key));
	row.known = !unknown;
	if (words)
		row.text = ts_span_str(copy(arena, ts_span_of(value.data + 1, value.len - 2)));
	else if (unknown)
		row.reason = ts_span_str(copy(arena, value));
	else if (ts_span_is(value, "nan"))
		row.value = (double)NAN;
	else if (ts_span_is(value, "inf"))
		row.value = (double)INFINITY;
	else
		assert_true(ts_parse_double(value, &row.value));
	assert_true(ts_measure_put(m, arena, &row));
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
