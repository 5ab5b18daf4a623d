#include "service/audit/audit.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/held.h"
#include "base/file.h"
#include "service/audit/audit_line.h"
#include "service/audit/audit_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 19 };

struct ts_audit {
	pthread_mutex_t lock;
	int fd;
	char path[PATH_MAX];
	uint64_t bytes, most;
	uint64_t n; /* of the last line */
	char chain[TS_AUDIT_CHAIN + 1];
	bool failed;	 /* the last write was not whole */
	int64_t second;	 /* in which refusals were last written */
	unsigned denied; /* how many of them */
	uint64_t left_out;
};

static enum ts_status open_file(struct ts_audit *a, struct ts_error *err)
{
	struct stat st;
	int fd = open(a->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return ts_error_errno(err, errno, "audit log %s", a->path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		(void)close(fd);
		return ts_error_set(err, TS_INVALID, "the audit log %s is no regular file", a->path);
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		(void)close(fd);
		return ts_error_set(err, TS_CONFLICT, "another process writes the audit log %s", a->path);
	}
	a->fd = fd;
	a->bytes = (uint64_t)st.st_size;
	return TS_OK;
}

/* Lines that are there: the numbers go on behind them. */
static enum ts_status count(void *ctx, const struct ts_audit_entry *entry, uint64_t n, struct ts_error *err)
{
	struct ts_audit *a = ctx;

	(void)entry, (void)err;
	a->n = n;
	return TS_OK;
}

static enum ts_status whole_lines(struct ts_audit *a, struct ts_error *err)
{
	char last = '\n';

	if (a->bytes && pread(a->fd, &last, 1, (off_t)a->bytes - 1) == 1 && last != '\n') {
		if (ts_write_full(a->fd, "\n", 1, err)) /* power was lost in it */
			return err->status;
		a->bytes++;
	}
	return TS_OK;
}

enum ts_status ts_audit_open(const char *path, uint64_t most_bytes, struct ts_audit **ret_audit, struct ts_error *err)
{
	struct ts_audit *a = ts_alloc_array(1, sizeof *a);
	struct ts_audit_report report;
	enum ts_status status;

	if (!a)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for an audit log");
	a->fd = -1;
	a->most = most_bytes;
	(void)pthread_mutex_init(&a->lock, NULL);
	if (strlen(path) + DIGITS + 2 > sizeof a->path) {
		ts_audit_close(a);
		return ts_error_set(err, TS_TOO_LARGE, "the path of the audit log is too long");
	}
	(void)snprintf(a->path, sizeof a->path, "%s", path);
	status = open_file(a, err);
	if (!status)
		status = ts_audit_read(path, count, a, &report, err);
	if (!status)
		status = whole_lines(a, err);
	if (status) {
		ts_audit_close(a);
		return status;
	}
	memcpy(a->chain, report.chain, sizeof a->chain);
	*ret_audit = a;
	return TS_OK;
}

void ts_audit_close(struct ts_audit *a)
{
	if (!a)
		return;
	if (a->fd >= 0)
		(void)close(a->fd);
	(void)pthread_mutex_destroy(&a->lock);
	ts_free(a);
}

/* Gives the file the name of its last line, and begins another one. */
static enum ts_status rotate(struct ts_audit *a, struct ts_error *err)
{
	char name[PATH_MAX + DIGITS + 2];
	int old = a->fd;

	(void)snprintf(name, sizeof name, "%s.%0*" PRIu64, a->path, DIGITS, a->n);
	if (rename(a->path, name))
		return ts_error_errno(err, errno, "audit log %s", a->path);
	if (open_file(a, err)) {
		(void)rename(name, a->path);
		a->fd = old;
		return err->status;
	}
	(void)fsync(old);
	(void)close(old);
	return TS_OK;
}

static enum ts_status write_line(struct ts_audit *a, struct ts_span line, struct ts_error *err)
{
	ssize_t n;

	if (a->most && a->bytes && a->bytes + line.len > a->most && rotate(a, err))
		return err->status;
	do
		n = write(a->fd, line.data, line.len);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)line.len) {
		a->bytes += line.len;
		return TS_OK;
	}
	if (n < 0)
		return ts_error_errno(err, errno, "audit log %s", a->path);
	(void)!ftruncate(a->fd, (off_t)a->bytes); /* a part of a line is no line */
	return ts_error_set(err, TS_FULL, "the disk of the audit log %s is full", a->path);
}

static enum ts_status add(struct ts_audit *a, const struct ts_audit_entry *entry, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(TS_AUDIT_LINE_MAX);
	struct ts_audit_entry copy = *entry;
	char chain[TS_AUDIT_CHAIN + 1];
	enum ts_status status;

	copy.left_out = a->left_out;
	memcpy(chain, a->chain, sizeof chain);
	status = ts_audit_line_write(&copy, a->n + 1, chain, &buf, err);
	if (!status)
		status = write_line(a, ts_buf_view(&buf), err);
	ts_buf_finish(&buf);
	a->failed = status != TS_OK;
	if (status)
		return status;
	a->n++;
	a->left_out = 0;
	memcpy(a->chain, chain, sizeof chain);
	return TS_OK;
}

/* Whoever tries what it may not, again and again, does not fill the disk. */
static bool leaves_out(struct ts_audit *a, const struct ts_audit_entry *entry)
{
	int64_t second = entry->at_ns / 1000000000;

	TS_DOOR_HELD(&a->lock);
	if (!entry->denied)
		return false;
	if (second != a->second)
		a->denied = 0;
	a->second = second;
	if (a->denied++ < TS_AUDIT_DENIED)
		return false;
	a->left_out++;
	return true;
}

enum ts_status ts_audit_add(struct ts_audit *a, const struct ts_audit_entry *entry, struct ts_error *err)
{
	enum ts_status status;

	pthread_mutex_lock(&a->lock);
	status = leaves_out(a, entry) ? TS_OK : add(a, entry, err);
	pthread_mutex_unlock(&a->lock);
	return status;
}

/* After a failure, one line is tried before anything else is changed. */
enum ts_status ts_audit_ready(struct ts_audit *a, struct ts_error *err)
{
	struct ts_audit_entry again = {.at_ns = ts_now_real_ns(), .kind = ts_span_str("server"), .who = ts_span_str("tscoped"),
				       .act = ts_span_str("start"), .text = ts_span_str("lines can be written again")};
	enum ts_status status = TS_OK;
	struct ts_error why;

	pthread_mutex_lock(&a->lock);
	if (a->failed && add(a, &again, &why))
		status = ts_error_set(err, TS_UNAVAILABLE, "nothing is changed while the audit log cannot be written: %s", why.text);
	pthread_mutex_unlock(&a->lock);
	return status;
}

void ts_audit_head(struct ts_audit *a, uint64_t *ret_n, char ret_chain[TS_AUDIT_CHAIN + 1])
{
	pthread_mutex_lock(&a->lock);
	*ret_n = a->n;
	memcpy(ret_chain, a->chain, sizeof a->chain);
	pthread_mutex_unlock(&a->lock);
}

static enum ts_status pass_by(void *ctx, const struct ts_audit_entry *entry, uint64_t n, struct ts_error *err)
{
	(void)ctx, (void)entry, (void)n, (void)err;
	return TS_OK;
}

/* Reads all, and holds it to a line that was written before. */
static enum ts_status hold_to(const struct ts_audit *a, uint64_t n, const char *chain, struct ts_audit_report *ret,
			      uint64_t *ret_missing, struct ts_error *err)
{
	struct ts_error why;

	if (ts_audit_read(a->path, pass_by, NULL, ret, &why)) {
		*err = why;
		if (why.status != TS_NOT_FOUND || n == 0)
			return err->status;
		*ret = (struct ts_audit_report){.files = 0};
	}
	*ret_missing = ret->last < n ? n - ret->last : 0;
	if (ret->last == n && n && !ret->broken && strcmp(ret->chain, chain) != 0)
		ret->broken = n;
	return TS_OK;
}

/* A file may get another name while all are read, and a line may be there in part. So what is not whole at first sight is read again
 * while nobody writes. */
enum ts_status ts_audit_check(struct ts_audit *a, struct ts_audit_report *ret_report, uint64_t *ret_missing, struct ts_error *err)
{
	struct ts_audit_report report;
	char chain[TS_AUDIT_CHAIN + 1];
	struct ts_error why;
	uint64_t n, missing = 0;
	enum ts_status status;

	ts_audit_head(a, &n, chain);
	status = hold_to(a, n, chain, &report, &missing, &why);
	if (status || report.broken || missing || report.torn) {
		pthread_mutex_lock(&a->lock);
		status = hold_to(a, a->n, a->chain, &report, &missing, err);
		pthread_mutex_unlock(&a->lock);
	}
	if (status)
		return status;
	*ret_report = report;
	*ret_missing = missing;
	return TS_OK;
}
