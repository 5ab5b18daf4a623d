#include "base/entropy.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum ts_status ts_entropy(void *out, size_t n, struct ts_error *err)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	enum ts_status status;
	size_t got = 0;

	if (fd < 0)
		return ts_error_errno(err, errno, "/dev/urandom");
	status = ts_read_full(fd, out, n, &got, err);
	(void)close(fd);
	if (!status && got < n)
		return ts_error_set(err, TS_IO, "/dev/urandom ends");
	return status;
}
