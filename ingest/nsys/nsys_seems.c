#include "ingest/nsys/nsys_seems.h"

#include "base/below.h"
#include "base/buf.h"
#include "base/system.h"

#include <unistd.h>

enum { LOOK = 64 << 10 };

bool ts_nsys_seems(const char *path)
{
	struct ts_buf text = TS_BUF_INIT(LOOK);
	struct ts_error none;
	bool seems = false;
	uint64_t size;
	uint8_t *at;
	size_t n = 0;
	int fd;

	if (ts_below_kind(path, path) != TS_FILE_REGULAR || ts_below_open(path, path, &fd, &size, &none))
		return false;
	at = ts_buf_reserve(&text, LOOK);
	if (at && !ts_pread_full(fd, at, LOOK, 0, &n, &none))
		seems = n >= 16 && memcmp(at, "SQLite format 3", 16) == 0 && ts_span_contains(ts_span_of(at, n), "CUPTI_ACTIVITY_KIND");
	(void)close(fd);
	ts_buf_finish(&text);
	return seems;
}
