#include "ingest/core/sqlite_none.h"

#include "base/below.h"

#include <unistd.h>

static bool has_all(struct ts_span text, const char *const *words)
{
	for (; *words; words++)
		if (!ts_span_contains(text, *words))
			return false;
	return true;
}

int ts_sqlite_none_sniff(const char *path, const char *const *words, size_t seen, int sure)
{
	struct ts_buf text = TS_BUF_INIT(seen);
	struct ts_error ignored;
	uint64_t size;
	size_t n = 0;
	int fd, answer = 0;
	uint8_t *at;

	if (ts_file_kind(path) != TS_FILE_REGULAR || ts_below_open(path, path, &fd, &size, &ignored))
		return 0;
	seen = size < seen ? (size_t)size : seen;
	at = ts_buf_reserve(&text, seen);
	if (text.failed)
		answer = TS_SNIFF_NO_MEMORY;
	else if (at && !ts_pread_full(fd, at, seen, 0, &n, &ignored) && n >= 16 && memcmp(at, "SQLite format 3", 16) == 0 &&
		 has_all(ts_span_of(at, n), words))
		answer = sure;
	(void)close(fd);
	ts_buf_finish(&text);
	return answer;
}

enum ts_status ts_sqlite_none_refuse(const char *path, const char *tool, struct ts_error *err)
{
	return ts_error_set(err, TS_UNSUPPORTED, "%s: this is a database of %s, and this tscope was built without SQLite", path, tool);
}
