#include "ingest/trace/trace_mend.h"

#include <stdbool.h>
#include <string.h>

enum { DEPTH = 64 };

struct mend {
	const uint8_t *p, *end;
	bool object[DEPTH]; /* what is open: an object, or a list */
	size_t depth;	    /* DEPTH and more: none of it is known */
	bool key;	    /* the next text is a key of the object */
	bool lost;	    /* a text holds the end of an event and the begin of another: more is wrong than a quote */
};

static const uint8_t *blanks(const uint8_t *p, const uint8_t *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

static bool in_object(const struct mend *m)
{
	return m->depth && m->depth <= DEPTH && m->object[m->depth - 1];
}

/* Whether a key stands at p: a text, and behind it a colon. */
static bool is_key(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *close = p < end && *p == '"' ? memchr(p + 1, '"', (size_t)(end - p - 1)) : NULL;

	if (!close)
		return false;
	close = blanks(close + 1, end);
	return close < end && *close == ':';
}

static bool begins_value(const uint8_t *p, const uint8_t *end)
{
	return p < end && strchr("\"{[-0123456789tfn", *p) && *p;
}

/* Whether the quote at p ends the text that is open. */
static bool closes(const struct mend *m, const uint8_t *p)
{
	const uint8_t *next = blanks(p + 1, m->end), *then;

	if (m->key) /* what a key is missing is not guessed */
		return true;
	if (next == m->end)
		return false;
	then = blanks(next + 1, m->end);
	if (*next == ',')
		return in_object(m) ? is_key(then, m->end) : begins_value(then, m->end);
	if (*next != (in_object(m) ? '}' : ']'))
		return false;
	return then == m->end || *then == ',' || *then == '}' || *then == ']';
}

static bool between_events(const struct mend *m, const uint8_t *p)
{
	p = blanks(p + 1, m->end);
	if (p == m->end || *p != ',')
		return false;
	p = blanks(p + 1, m->end);
	return p < m->end && *p == '{';
}

/* Copies the text whose quote stands at m->p, with its quotes. */
static uint8_t *text(struct mend *m, uint8_t *to, size_t *io_quotes)
{
	*to++ = *m->p++;
	while (m->p < m->end) {
		uint8_t c = *m->p;

		if (c == '"' && closes(m, m->p)) {
			*to++ = *m->p++;
			m->key = false;
			return to;
		}
		if (c == '"') {
			*to++ = '\\';
			(*io_quotes)++;
		}
		m->lost |= c == '}' && between_events(m, m->p);
		*to++ = *m->p++;
		if (c == '\\' && m->p < m->end)
			*to++ = *m->p++;
	}
	return to;
}

size_t ts_trace_mend(const uint8_t *from, size_t n, uint8_t *to, size_t *ret_quotes)
{
	struct mend m = {.p = from, .end = from + n};
	uint8_t *out = to;

	*ret_quotes = 0;
	while (m.p < m.end) {
		uint8_t c = *m.p;

		if (c == '"') {
			out = text(&m, out, ret_quotes);
			continue;
		}
		if (c == '{' || c == '[') {
			if (m.depth < DEPTH)
				m.object[m.depth] = c == '{';
			m.depth++;
			m.key = c == '{';
		} else if ((c == '}' || c == ']') && m.depth) {
			m.depth--;
		} else if (c == ',') {
			m.key = in_object(&m);
		}
		*out++ = *m.p++;
		if (!m.depth) /* the event is over */
			break;
	}
	m.p = blanks(m.p, m.end);
	if (m.lost || m.depth || (m.p < m.end && (*m.p != ',' || blanks(m.p + 1, m.end) < m.end)))
		*ret_quotes = 0;
	return (size_t)(out - to);
}
