/* span.h - a pointer and a length: bytes that belong to somebody else.
 *
 * A span never owns and is passed by value; whoever hands one out says how long its bytes live.
 * Text is a span of UTF-8 without a final NUL. An empty span may have data == NULL.
 */
#ifndef TSCOPE_BASE_SPAN_H
#define TSCOPE_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <inttypes.h>
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

/* The n bytes of s from byte `at` on; s must have them. The data of an empty span may be NULL, to which C does not allow
 * adding even 0; so code that cuts a span which may be empty calls this. */
static inline struct ts_span ts_span_part(struct ts_span s, size_t at, size_t n)
{
	return ts_span_of(s.data ? s.data + at : NULL, n);
}

/* The rest of s after its first n bytes; s must have them. */
static inline struct ts_span ts_span_from(struct ts_span s, size_t n)
{
	return ts_span_part(s, n, s.len - n);
}

static inline bool ts_span_eq(struct ts_span a, struct ts_span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool ts_span_is(struct ts_span a, const char *text)
{
	return ts_span_eq(a, ts_span_str(text));
}

/* Compares in byte order, a prefix before the longer span: below 0, 0 or above 0. */
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

static inline bool ts_span_ends(struct ts_span a, const char *end)
{
	size_t n = strlen(end);

	return a.len >= n && memcmp(a.data + a.len - n, end, n) == 0;
}

static inline bool ts_span_has(struct ts_span a, struct ts_span part)
{
	for (size_t i = 0; i + part.len <= a.len; i++)
		if (part.len == 0 || memcmp(a.data + i, part.data, part.len) == 0)
			return true;
	return false;
}

static inline bool ts_span_contains(struct ts_span a, const char *text)
{
	return ts_span_has(a, ts_span_str(text));
}

/* Removes the prefix from the span; false, and no change, if the span does not begin with it. */
static inline bool ts_span_skip(struct ts_span *a, const char *prefix)
{
	struct ts_span p = ts_span_str(prefix);

	if (!ts_span_starts(*a, p))
		return false;
	*a = ts_span_of(a->data + p.len, a->len - p.len);
	return true;
}

/* The part of a span through the first c: "project/" of "project/name" for '/'. It is empty if the span has no c. */
static inline struct ts_span ts_span_through(struct ts_span a, char c)
{
	const uint8_t *at = a.len ? memchr(a.data, c, a.len) : NULL;

	return ts_span_of(a.data, at ? (size_t)(at + 1 - a.data) : 0);
}

/* Cuts the next line off, with the newline at its end if it has one; empty: nothing is left. */
static inline struct ts_span ts_span_next_line(struct ts_span *io)
{
	size_t n = ts_span_through(*io, '\n').len;
	struct ts_span line = ts_span_part(*io, 0, n ? n : io->len);

	*io = ts_span_from(*io, line.len);
	return line;
}

/* The part after the first c: "name" of "project/name". It is the whole span if that has no c. */
static inline struct ts_span ts_span_after(struct ts_span a, char c)
{
	size_t skip = ts_span_through(a, c).len;

	return skip ? ts_span_of(a.data + skip, a.len - skip) : a;
}

/* The two arguments of printf for "%.*s". */
#define TS_SPAN_ARG(s) (int)(s).len, (const char *)((s).len ? (s).data : (const uint8_t *)"")

#endif
