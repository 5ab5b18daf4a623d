#include "ingest/formats/log_lines.h"

#include "base/below.h"
#include "base/limits.h"

#include <unistd.h>

enum { WINDOW = 1 << 18 };

enum ts_status ts_log_lines_open(struct ts_log_lines *l, const char *top, const char *path, char delimiter, struct ts_error *err)
{
	*l = (struct ts_log_lines){
		.fd = -1, .delimiter = delimiter, .window = TS_BUF_INIT(TS_LINE_MAX + WINDOW), .next_number = 1};
	return ts_below_open(top, path, &l->fd, &l->size, err);
}

void ts_log_lines_close(struct ts_log_lines *l)
{
	if (l->fd >= 0)
		(void)close(l->fd);
	ts_buf_finish(&l->window);
	l->fd = -1;
}

uint64_t ts_log_lines_at(const struct ts_log_lines *l)
{
	return l->filled - (l->window.len - l->used);
}

/* Reads more of the file behind the bytes that are not used yet. At the end of the file nothing changes. */
static enum ts_status fill(struct ts_log_lines *l, struct ts_error *err)
{
	uint64_t left = l->size - l->filled;
	size_t n = left < WINDOW ? (size_t)left : WINDOW, got;
	uint8_t *room;

	if (l->used) {
		memmove(l->window.data, l->window.data + l->used, l->window.len - l->used);
		l->window.len -= l->used;
		l->used = 0;
	}
	room = ts_buf_reserve(&l->window, n);
	if (!room)
		return ts_buf_check(&l->window, err);
	if (ts_pread_full(l->fd, room, n, l->filled, &got, err))
		return err->status;
	if (got < n)
		return ts_error_set(err, TS_IO, "the file became shorter while it was read");
	l->window.len += n;
	l->filled += n;
	return TS_OK;
}

/* Returns where a record that may have quoted fields ends, or the length of the text if it does not end there. Within
 * quotes, "" stands for one quote. A quote that does not begin a field is an ordinary character. */
static size_t quoted_end(struct ts_span text, char delimiter, bool *ret_open, uint64_t *ret_lines)
{
	bool quoted = false, begins = true;
	uint64_t lines = 0;
	size_t i;

	for (i = 0; i < text.len; i++) {
		char c = (char)text.data[i];

		lines += c == '\n';
		if (quoted) {
			quoted = c != '"' || (i + 1 < text.len && text.data[i + 1] == '"');
			i += c == '"' && quoted;
			continue;
		}
		if (c == '\n')
			break;
		quoted = c == '"' && begins;
		begins = c == delimiter;
	}
	*ret_open = quoted;
	*ret_lines = lines;
	return i < text.len ? i : text.len;
}

static size_t line_end(const struct ts_log_lines *l, struct ts_span text, bool *ret_open, uint64_t *ret_lines)
{
	const uint8_t *newline = text.len ? memchr(text.data, '\n', text.len) : NULL;
	size_t n = newline ? (size_t)(newline - text.data) : text.len;
	const uint8_t *back = l->delimiter == '\r' && n ? memchr(text.data, '\r', n) : NULL;

	*ret_open = false;
	*ret_lines = newline != NULL && !back;
	if (back)
		return (size_t)(back - text.data);
	if (!l->delimiter || n == 0 || !memchr(text.data, '"', n))
		return n;
	return quoted_end(text, l->delimiter, ret_open, ret_lines);
}

static enum ts_status skip_line(struct ts_log_lines *l, struct ts_error *err)
{
	for (;;) {
		const uint8_t *from = l->window.data + l->used, *newline;

		newline = l->window.len > l->used ? memchr(from, '\n', l->window.len - l->used) : NULL;
		l->used = newline ? (size_t)(newline - l->window.data) + 1 : l->window.len;
		if (newline || l->filled == l->size) {
			l->next_number++;
			return TS_OK;
		}
		if (fill(l, err))
			return err->status;
	}
}

static void skip_bom(struct ts_log_lines *l)
{
	if (l->next_number == 1 && l->used == 0 && l->window.len >= 3 && memcmp(l->window.data, "\xef\xbb\xbf", 3) == 0) {
		l->bom = true;
		l->used = 3;
	}
}

enum ts_status ts_log_lines_next(struct ts_log_lines *l, struct ts_span *ret_line, enum ts_log_line_end *ret_end,
				 struct ts_error *err)
{
	struct ts_span text;
	bool open;
	uint64_t lines;
	size_t n;

	for (;;) {
		text = ts_span_from(ts_buf_view(&l->window), l->used);
		n = line_end(l, text, &open, &lines);
		if (n < text.len || l->filled == l->size || n > TS_LINE_MAX)
			break;
		if (fill(l, err))
			return err->status;
		if (!l->bom)
			skip_bom(l);
	}
	l->number = l->next_number;
	*ret_end = n > TS_LINE_MAX ? TS_LOG_LINE_LONG : n == text.len && open ? TS_LOG_LINE_QUOTE : TS_LOG_LINE;
	if (*ret_end != TS_LOG_LINE)
		return skip_line(l, err);
	if (text.len == 0) {
		*ret_end = TS_LOG_LINES_END;
		return TS_OK;
	}
	l->cut = n == text.len;
	l->used += n + !l->cut;
	l->next_number += l->cut ? 1 : lines;
	while (n > 0 && text.data[n - 1] == '\r')
		n--;
	*ret_line = ts_span_of(text.data, n);
	return TS_OK;
}
