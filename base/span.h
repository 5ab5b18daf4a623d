/* span.h - bytes that belong to somebody else.
 *
 * A span never owns and is passed by value; whoever hands one out says how long its bytes live.
 * Text is a span of UTF-8 without a final NUL. An empty span may have data == NULL.
 */
#ifndef TSCOPE_BASE_SPAN_H
#define TSCOPE_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ts_span {
	const uint8_t *data;
	size_t len;
};

static inline struct ts_span ts_span_of(const void *data, size_t len)
{
	return (struct ts_span){.data = data, .len = len};
}

static inline struct ts_span ts_span_str(const char *text)
{
	return ts_span_of(text, strlen(text));
}

static inline bool ts_span_eq(struct ts_span a, struct ts_span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool ts_span_is(struct ts_span a, const char *text)
{
	return ts_span_eq(a, ts_span_str(text));
}

/* Byte order, shorter first on a common prefix: below 0, 0 or above 0. */
static inline int ts_span_cmp(struct ts_span a, struct ts_span b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.data, b.data, n) : 0;

	if (c != 0)
		return c;
	return (a.len > b.len) - (a.len < b.len);
}

static inline bool ts_span_starts(struct ts_span a, struct ts_span prefix)
{
	return a.len >= prefix.len && (prefix.len == 0 || memcmp(a.data, prefix.data, prefix.len) == 0);
}

/* "%.*s" arguments for printf. */
#define TS_SPAN_ARG(s) (int)(s).len, (const char *)((s).len ? (s).data : (const uint8_t *)"")

#endif
