#include "launch/witness.h"

#include "base/number.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads the beginning of a file. Returns its length; 0: it is not there, or empty. */
static size_t read_file(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, room - 1);

	if (fd >= 0)
		(void)close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* The number behind a word that begins a line; -1: there is none. */
static int64_t number_of(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		int64_t value;

		line += *line == '\n';
		if (strncmp(line, word, n) == 0 && line[n] == ' ' &&
		    ts_parse_i64(ts_span_of(line + n + 1, strcspn(line + n + 1, "\n")), &value))
			return value;
	}
	return -1;
}

/* The count in the file of one control group, "/sys/fs/cgroup" with its path and the name of the file. */
static int64_t count_in(const char *top, const char *path, size_t length, const char *file)
{
	char name[4096], text[4096];
	int n = snprintf(name, sizeof name, "%s%.*s/%s", top, (int)length, path, file);

	if (n < 0 || (size_t)n >= sizeof name || !read_file(name, text, sizeof text))
		return -1;
	return number_of(text, "oom_kill");
}

int64_t ts_witness_oom_kills(void)
{
	char groups[4096], text[16384];
	int64_t kills = -1;

	(void)read_file("/proc/self/cgroup", groups, sizeof groups);
	for (const char *line = groups; *line && kills < 0;) {
		size_t length = strcspn(line, "\n");
		const char *first = memchr(line, ':', length), *path;

		path = first ? memchr(first + 1, ':', length - (size_t)(first + 1 - line)) : NULL;
		if (path && strncmp(line, "0::", 3) == 0) {
			size_t n = length - (size_t)(path + 1 - line);

			kills = count_in("/sys/fs/cgroup", path + 1, n, "memory.events");
			kills = kills < 0 ? count_in("/sys/fs/cgroup", "", 0, "memory.events") : kills;
		} else if (path && strncmp(first, ":memory:", 8) == 0) {
			size_t n = length - (size_t)(path + 1 - line);

			kills = count_in("/sys/fs/cgroup/memory", path + 1, n, "memory.oom_control");
			kills = kills < 0 ? count_in("/sys/fs/cgroup/memory", "", 0, "memory.oom_control") : kills;
		}
		line += length + (line[length] == '\n');
	}
	if (kills < 0 && read_file("/proc/vmstat", text, sizeof text))
		kills = number_of(text, "oom_kill");
	return kills;
}

bool ts_witness_name(pid_t pid, char ret_name[TS_WITNESS_NAME])
{
	char path[48];
	size_t n;

	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	n = read_file(path, ret_name, TS_WITNESS_NAME);
	if (n && ret_name[n - 1] == '\n')
		ret_name[n - 1] = '\0';
	return ret_name[0] != '\0';
}

/* A record of the log is "6,339,5140900,-;Out of memory: Killed process 1234 (python) total-vm:...". */
bool ts_witness_oom_line(pid_t pid, char ret_line[TS_WITNESS_LINE])
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8192], wanted[48];
	bool found = false;

	(void)snprintf(wanted, sizeof wanted, "Killed process %d ", (int)pid);
	for (int i = 0; fd >= 0 && i < 1 << 20; i++) {
		ssize_t n = read(fd, record, sizeof record - 1);
		const char *text;

		if (n < 0 && (errno == EPIPE || errno == EINTR)) /* EPIPE: it was overwritten */
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text || !strstr(text, wanted))
			continue;
		(void)snprintf(ret_line, TS_WITNESS_LINE, "%.*s", (int)strcspn(text + 1, "\n"), text + 1);
		found = true; /* a later one counts: numbers of processes come again */
	}
	if (fd >= 0)
		(void)close(fd);
	return found;
}
