/* _resident.c - how much memory this process has resident, as Linux says it in /proc/self/statm.
 *
 * Opening that file takes several times as long as reading it, so it stays open; a child that fork made opens its own.
 */
#include "_resident.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int opened = -1;
static pid_t opened_by;

/* Returns the second number of the file, or -1 where it has none. */
static long pages_of(char *text, ssize_t len)
{
	char *at = text, *end;
	long pages;

	if (len <= 0)
		return -1;
	text[len] = 0;
	while (*at && *at != ' ')
		at++;
	pages = strtol(at, &end, 10);
	return end == at || pages < 0 ? -1 : pages;
}

PyObject *tscope_resident(PyObject *module, PyObject *unused)
{
	char text[129];
	pid_t me = getpid();
	long pages;

	(void)module;
	(void)unused;
	if (opened < 0 || opened_by != me) {
		opened = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
		opened_by = me;
	}
	if (opened < 0)
		return PyErr_SetFromErrno(PyExc_OSError);
	errno = 0;
	pages = pages_of(text, pread(opened, text, sizeof text - 1, 0));
	if (pages < 0) {
		errno = errno ? errno : EIO;
		return PyErr_SetFromErrno(PyExc_OSError);
	}
	return PyLong_FromUnsignedLongLong((unsigned long long)pages * (unsigned long long)sysconf(_SC_PAGESIZE));
}
