#include "base/entropy.h"

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>
#include <unistd.h>

enum { AT_ONCE = 256 }; /* getentropy gives no more */

enum ts_status ts_entropy(void *out, size_t n, struct ts_error *err)
{
	for (size_t at = 0; at < n; at += AT_ONCE)
		if (getentropy((uint8_t *)out + at, n - at < AT_ONCE ? n - at : AT_ONCE))
			return ts_error_errno(err, errno, "random bytes of the system");
	return TS_OK;
}
