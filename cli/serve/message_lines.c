/* message_lines.c - see message_lines.h. */
#include "cli/serve/message_lines.h"

#include "base/file.h"

#include <errno.h>
#include <unistd.h>

enum { STRETCH = 1 << 16 };

void ts_message_lines_init(struct ts_message_lines *lines, int fd, size_t most)
{
	*lines = (struct ts_message_lines){.fd = fd, .most = most, .buf = TS_BUF_INIT(most + 2 * STRETCH)};
}

void ts_message_lines_finish(struct ts_message_lines *lines)
{
	ts_buf_finish(&lines->buf);
}

/* Reads what there is, at least a byte, or finds the end. */
static enum ts_status fill(struct ts_message_lines *lines, struct ts_error *err)
{
	uint8_t *to;
	ssize_t n;

	if (lines->at) {
		memmove(lines->buf.data, lines->buf.data + lines->at, lines->buf.len - lines->at);
		lines->buf.len -= lines->at;
		lines->seen -= lines->at;
		lines->at = 0;
	}
	to = ts_buf_reserve(&lines->buf, STRETCH);
	if (!to)
		return ts_buf_check(&lines->buf, err);
	do
		n = read(lines->fd, to, STRETCH);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return ts_error_errno(err, errno, "stdin");
	lines->end = n == 0;
	lines->buf.len += (size_t)n;
	return TS_OK;
}

/* Finds the end of the line that begins at `at`, and reads on until there is one or the line is too long. */
static enum ts_status find_end(struct ts_message_lines *lines, const uint8_t **ret_end, struct ts_error *err)
{
	for (;;) {
		size_t left = lines->buf.len - lines->seen;
		const uint8_t *end = left ? memchr(lines->buf.data + lines->seen, '\n', left) : NULL;

		*ret_end = end;
		lines->seen = end ? (size_t)(end - lines->buf.data) : lines->buf.len;
		if (end || lines->end || lines->seen - lines->at > lines->most)
			return TS_OK;
		if (fill(lines, err))
			return err->status;
	}
}

/* Passes over what is left of a line that was too long. */
static enum ts_status pass_over(struct ts_message_lines *lines, struct ts_error *err)
{
	while (lines->passing) {
		size_t left = lines->buf.len - lines->at;
		const uint8_t *end = left ? memchr(lines->buf.data + lines->at, '\n', left) : NULL;

		lines->at = end ? (size_t)(end - lines->buf.data) + 1 : lines->buf.len;
		lines->seen = lines->at;
		lines->passing = !end && !lines->end;
		if (lines->passing && fill(lines, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_message_lines_next(struct ts_message_lines *lines, struct ts_span *ret_line, bool *ret_whole, struct ts_error *err)
{
	const uint8_t *end;
	size_t n;

	if (pass_over(lines, err) || find_end(lines, &end, err))
		return err->status;
	n = lines->seen - lines->at;
	*ret_whole = n <= lines->most;
	lines->passing = !end && !*ret_whole;
	*ret_line = n || end ? ts_span_of(lines->buf.data + lines->at, n) : ts_span_of(NULL, 0);
	lines->at = lines->seen + (end != NULL);
	lines->seen = lines->at;
	return TS_OK;
}
