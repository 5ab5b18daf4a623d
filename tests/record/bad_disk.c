/* bad_disk.c - preloaded into a recorder and its keeper: a file system that answers with an error, or not at all, from a moment on, for
 * files whose name begins with "recording.".
 *
 * $TS_BAD_DISK is a file whose text is read at each call: an errno, or 0 for a good disk, or -1 for one that does not answer any more.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the errno that the call has to give, 0: none. */
static int bad(int fd)
{
	const char *path = getenv("TS_BAD_DISK");
	char name[256] = "", link[64] = "/proc/self/fd/", digits[16], text[16] = "";
	int control, n = 0, error;

	for (unsigned u = (unsigned)fd; n == 0 || u; u /= 10)
		digits[n++] = (char)('0' + u % 10);
	for (size_t at = strlen(link); n > 0;)
		link[at++] = digits[--n];
	if (!path || readlink(link, name, sizeof name - 1) < 0 || !strstr(name, "recording."))
		return 0;
	control = open(path, O_RDONLY | O_CLOEXEC);
	if (control < 0)
		return 0;
	if (read(control, text, sizeof text - 1) < 0)
		text[0] = '0';
	(void)close(control);
	error = atoi(text);
	while (error < 0)
		(void)pause();
	return error;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	errno = bad(fd);
	return errno ? -1 : real(fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	static ssize_t (*real)(int, const void *, size_t, off_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pwrite");
	errno = bad(fd);
	return errno ? -1 : real(fd, bytes, n, at);
}

int posix_fallocate(int fd, off_t at, off_t n)
{
	static int (*real)(int, off_t, off_t);
	int error = bad(fd);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "posix_fallocate");
	return error ? error : real(fd, at, n);
}

int fdatasync(int fd)
{
	static int (*real)(int);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
	errno = bad(fd);
	return errno ? -1 : real(fd);
}

int fstat(int fd, struct stat *st)
{
	static int (*real)(int, struct stat *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fstat");
	errno = bad(fd);
	return errno ? -1 : real(fd, st);
}
