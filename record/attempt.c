#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/attempt.h"

#include "record/disk.h"
#include "record/frame.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TURN_MS = 50 };

void ts_attempt_name(char to[TS_ATTEMPT_NAME], const char *stem, const char *ending, uint32_t attempt)
{
	if (attempt > 1)
		(void)snprintf(to, TS_ATTEMPT_NAME, "%s.%" PRIu32 ".%s", stem, attempt, ending);
	else
		(void)snprintf(to, TS_ATTEMPT_NAME, "%s.%s", stem, ending);
}

uint32_t ts_attempt_of(const char *name, const char *stem, const char *ending)
{
	size_t len = strlen(stem);
	const char *p = name + len + 1;
	uint32_t attempt = 0;

	if (strncmp(name, stem, len) != 0 || name[len] != '.')
		return 0;
	if (strcmp(p, ending) == 0)
		return 1;
	if (*p == '0')
		return 0;
	for (; *p >= '0' && *p <= '9'; p++)
		attempt = attempt > TS_ATTEMPTS_MAX ? attempt : attempt * 10 + (uint32_t)(*p - '0');
	if (*p != '.' || strcmp(p + 1, ending) != 0 || attempt < 2)
		return 0;
	return attempt > TS_ATTEMPTS_MAX ? TS_ATTEMPTS_MAX + 1 : attempt;
}

int ts_attempt_last(int directory, uint32_t *ret_attempt)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int error = errno;

	*ret_attempt = 0;
	if (!d) {
		if (fd >= 0)
			(void)close(fd);
		return error;
	}
	for (errno = 0; (entry = readdir(d));) {
		uint32_t attempt = ts_attempt_of(entry->d_name, "recording", "tscope");

		if (attempt > *ret_attempt)
			*ret_attempt = attempt;
	}
	error = errno;
	(void)closedir(d);
	return error;
}

/* Whether the process that made the recording lives, as far as its number tells on this machine. */
static bool lives(int file)
{
	uint8_t header[TS_FRAME_FILE_HEADER];
	uint32_t process = 0;

	if (pread(file, header, sizeof header, 0) != (ssize_t)sizeof header || memcmp(header, TS_FRAME_MAGIC, 8) != 0)
		return false;
	for (int i = 3; i >= 0; i--)
		process = process << 8 | header[TS_FRAME_FILE_PROCESS + i];
	return process > 0 && process <= INT32_MAX && (kill((pid_t)process, 0) == 0 || errno == EPERM);
}

int ts_attempt_await(int directory, uint32_t attempt)
{
	const struct timespec turn = {.tv_nsec = TURN_MS * 1000000L};
	char name[TS_ATTEMPT_NAME];
	int file, error = 0;

	ts_attempt_name(name, "recording", "tscope", attempt);
	file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return errno;
	for (int waited = 0; ts_disk_is_held(file); waited += TURN_MS) {
		if (waited >= TS_ATTEMPT_WAIT_MS || lives(file)) {
			error = EBUSY;
			break;
		}
		(void)nanosleep(&turn, NULL);
	}
	(void)close(file);
	return error;
}
