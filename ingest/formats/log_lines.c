#include "ingest/formats/log_lines.h"

#include "base/below.h"
#include "base/limits.h"
#include "base/text.h"

#include <unistd.h>

enum { WINDOW = 1 << 18, WIDE_WINDOW = WINDOW / 2, ASCII_UNITS = 8, NO_CHARACTER = 0xfffd };

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
	uint64_t ahead = l->window.len - l->used;

	if (l->wide && l->made)
		ahead = (uint64_t)((double)ahead / (double)l->made * (double)l->filled);
	return l->filled - ahead;
}

/* --- UTF-16 --- */

static uint32_t unit_at(const struct ts_log_lines *l, const uint8_t *at)
{
	return l->wide == TS_LOG_WIDE_BIG ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

/* Whether the bytes begin with ASCII that has a 0 beside each character: behind it, or before it. */
static bool begins_wide(struct ts_span bytes, size_t zero)
{
	if (bytes.len < 2 * ASCII_UNITS)
		return false;
	for (size_t i = 0; i < 2 * ASCII_UNITS; i += 2)
		if (bytes.data[i + zero] || !bytes.data[i + 1 - zero] || bytes.data[i + 1 - zero] >= 0x80)
			return false;
	return true;
}

/* Says how the file's text is written, by its first bytes. */
static void see_wide(struct ts_log_lines *l, struct ts_span bytes)
{
	l->bom = bytes.len >= 2 && (memcmp(bytes.data, "\xff\xfe", 2) == 0 || memcmp(bytes.data, "\xfe\xff", 2) == 0);
	if (l->bom)
		l->wide = bytes.data[0] == 0xff ? TS_LOG_WIDE_LITTLE : TS_LOG_WIDE_BIG;
	else if (begins_wide(bytes, 1) || begins_wide(bytes, 0))
		l->wide = bytes.data[0] ? TS_LOG_WIDE_LITTLE : TS_LOG_WIDE_BIG;
}

/* Writes the UTF-8 of n bytes of UTF-16 to `to`, which lies at least n / 2 bytes before them and may overlap. Returns how many bytes it
 * wrote; *ret_used: how many it took, less than n if they end within a pair that the rest of the file may complete. */
static size_t narrow(const struct ts_log_lines *l, const uint8_t *from, size_t n, bool last, uint8_t *to, size_t *ret_used)
{
	size_t at = 0, len = 0;

	while (at + 2 <= n) {
		uint32_t point = unit_at(l, from + at), low = at + 4 <= n ? unit_at(l, from + at + 2) : 0;
		uint8_t text[4];
		size_t bytes;

		if (point >= 0xd800 && point < 0xdc00 && at + 4 > n && !last)
			break;
		at += 2;
		if (point >= 0xd800 && point < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
			point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
			at += 2;
		} else if (point >= 0xd800 && point < 0xe000) {
			point = NO_CHARACTER;
		}
		bytes = ts_utf8_put(point, text);
		memcpy(to + len, text, bytes);
		len += bytes;
	}
	*ret_used = last ? n : at;
	return len;
}

/* --- the window --- */

/* Reads the next n bytes of the file to `at`. */
static enum ts_status read_bytes(struct ts_log_lines *l, uint8_t *at, size_t n, struct ts_error *err)
{
	size_t got;

	if (ts_pread_full(l->fd, at, n, l->filled, &got, err))
		return err->status;
	return got < n ? ts_error_set(err, TS_IO, "the file became shorter while it was read") : TS_OK;
}

static enum ts_status fill_wide(struct ts_log_lines *l, struct ts_error *err)
{
	uint64_t left = l->size - l->filled;
	size_t n = left < WIDE_WINDOW ? (size_t)left : WIDE_WINDOW, used, len;
	uint8_t *room = ts_buf_reserve(&l->window, n / 2 + n);

	if (!room)
		return ts_buf_check(&l->window, err);
	if (read_bytes(l, room + n / 2, n, err))
		return err->status;
	len = narrow(l, room + n / 2, n, n == left, room, &used);
	l->window.len += len;
	l->filled += used;
	l->made += len;
	return TS_OK;
}

/* Reads more of the file behind the bytes that are not used yet. At the end of the file nothing changes. */
static enum ts_status fill(struct ts_log_lines *l, struct ts_error *err)
{
	uint64_t left = l->size - l->filled;
	size_t n = left < WINDOW ? (size_t)left : WINDOW;
	uint8_t *room;

	if (l->used) {
		memmove(l->window.data, l->window.data + l->used, l->window.len - l->used);
		l->window.len -= l->used;
		l->used = 0;
	}
	if (l->wide)
		return fill_wide(l, err);
	room = ts_buf_reserve(&l->window, n);
	if (!room)
		return ts_buf_check(&l->window, err);
	if (read_bytes(l, room, n, err))
		return err->status;
	if (l->filled == 0)
		see_wide(l, ts_span_of(room, n));
	if (l->wide) {
		l->filled = l->bom ? 2 : 0;
		return fill_wide(l, err);
	}
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
