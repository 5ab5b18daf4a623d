#include "launch/marked.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENVIRONMENT = 4 << 20 };

static void read_all(int fd, struct ts_buf *out)
{
	uint8_t bytes[8192];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof bytes)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		ts_buf_bytes(out, bytes, (size_t)n);
	}
}

/* Whether one of the strings in the environment is the mark. */
static bool has(struct ts_span environment, const char *mark)
{
	size_t at = 0;

	while (at < environment.len) {
		const uint8_t *end = memchr(environment.data + at, 0, environment.len - at);
		size_t n = end ? (size_t)(end - environment.data) - at : environment.len - at;

		if (ts_span_is(ts_span_part(environment, at, n), mark))
			return true;
		at += n + 1;
	}
	return false;
}

static bool is_marked(int proc, const char *name, const char *mark, struct ts_buf *environment)
{
	char path[64];
	struct stat st;
	int fd;

	(void)snprintf(path, sizeof path, "%.20s/environ", name);
	ts_buf_reset(environment);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		read_all(fd, environment);
	(void)close(fd);
	return has(ts_buf_view(environment), mark);
}

size_t ts_marked_kill(const char *mark)
{
	struct ts_buf environment = TS_BUF_INIT(ENVIRONMENT);
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	size_t n = 0;

	while (proc && (entry = readdir(proc))) {
		int64_t pid;

		if (!ts_parse_i64(ts_span_str(entry->d_name), &pid) || pid <= 1 || pid == getpid() ||
		    !is_marked(dirfd(proc), entry->d_name, mark, &environment))
			continue;
		n += kill((pid_t)pid, SIGKILL) == 0;
	}
	if (proc)
		(void)closedir(proc);
	ts_buf_finish(&environment);
	return n;
}

void ts_marked_adopt(void)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}
