#include "launch/tail.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 2 * TS_TAIL_KEPT };

static void fail(struct ts_tail *tail, int error)
{
	tail->error = tail->error ? tail->error : error;
	if (tail->fd >= 0)
		(void)close(tail->fd);
	tail->fd = -1;
}

static void write_to_file(struct ts_tail *tail, const uint8_t *bytes, size_t len)
{
	while (tail->fd >= 0 && len > 0) {
		ssize_t n = write(tail->fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fail(tail, n < 0 ? errno : ENOSPC);
			return;
		}
		bytes += n;
		len -= (size_t)n;
	}
}

/* Reads the end of what the file has already. */
static void read_end(struct ts_tail *tail)
{
	struct stat st;
	off_t from;
	ssize_t n;

	if (fstat(tail->fd, &st) < 0 || st.st_size == 0)
		return;
	from = st.st_size > TS_TAIL_KEPT ? st.st_size - TS_TAIL_KEPT : 0;
	n = pread(tail->fd, tail->bytes, TS_TAIL_KEPT, from);
	tail->len = n > 0 ? (size_t)n : 0;
}

enum ts_status ts_tail_open(struct ts_tail *tail, const char *path, bool all, struct ts_error *err)
{
	*tail = (struct ts_tail){.fd = -1, .all = all, .path = ts_alloc(strlen(path) + 1), .bytes = ts_alloc(ROOM)};
	if (!tail->path || !tail->bytes) {
		ts_tail_free(tail);
		return ts_error_set(err, TS_NO_MEMORY, "not enough memory for the end of an output");
	}
	memcpy(tail->path, path, strlen(path) + 1);
	tail->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	if (tail->fd < 0)
		tail->error = errno;
	else
		read_end(tail);
	return TS_OK;
}

/* Gives the file the bytes of the tail alone, by a file that takes its place; without one it stays longer. */
static void cut_file(struct ts_tail *tail)
{
	char beside[4096];
	int n = snprintf(beside, sizeof beside, "%s.new", tail->path), fd;
	struct ts_error ignored;

	if (tail->all || tail->fd < 0 || n < 0 || (size_t)n >= sizeof beside)
		return;
	fd = open(beside, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return;
	if (ts_write_full(fd, tail->bytes, tail->len, &ignored) || rename(beside, tail->path) < 0) {
		(void)unlink(beside);
		(void)close(fd);
		return;
	}
	(void)close(tail->fd);
	tail->fd = fd;
}

static void drop(struct ts_tail *tail)
{
	size_t more = tail->len > TS_TAIL_KEPT ? tail->len - TS_TAIL_KEPT : 0;

	memmove(tail->bytes, tail->bytes + more, tail->len - more);
	tail->len -= more;
}

void ts_tail_add(struct ts_tail *tail, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len > 0) {
		size_t n = len < TS_TAIL_KEPT ? len : TS_TAIL_KEPT;

		if (tail->len + n > ROOM) {
			drop(tail);
			cut_file(tail);
		}
		memcpy(tail->bytes + tail->len, at, n);
		tail->len += n;
		write_to_file(tail, at, n);
		at += n;
		len -= n;
	}
}

struct ts_span ts_tail_view(const struct ts_tail *tail)
{
	size_t more = tail->len > TS_TAIL_KEPT ? tail->len - TS_TAIL_KEPT : 0;

	return ts_span_of(tail->bytes + more, tail->len - more);
}

void ts_tail_close(struct ts_tail *tail)
{
	if (tail->len > TS_TAIL_KEPT) {
		drop(tail);
		cut_file(tail);
	}
	if (tail->fd >= 0)
		(void)close(tail->fd);
	tail->fd = -1;
}

void ts_tail_free(struct ts_tail *tail)
{
	if (tail->fd >= 0)
		(void)close(tail->fd);
	ts_free(tail->path);
	ts_free(tail->bytes);
	*tail = (struct ts_tail){.fd = -1};
}
