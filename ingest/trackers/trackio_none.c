/* trackio_none.c - takes the place of reader_trackio.c where libsqlite3 is not there: it knows trackio's database and refuses it with
 * the reason. */
#include "ingest/trackers/reader_trackio.h"

#include "base/file.h"

#include <unistd.h>

enum { SURE = 60, SEEN = 1 << 16 };

const char ts_trackio_loses[] = "";

/* The file is an SQLite database that has the text of trackio's schema in its first pages. */
int ts_trackio_sniff(const char *path)
{
	struct ts_buf text = TS_BUF_INIT(SEEN);
	struct ts_error ignored;
	uint64_t size;
	size_t n = 0;
	int fd, sure = 0;
	uint8_t *at;

	if (ts_file_kind(path) != TS_FILE_REGULAR || ts_file_open(path, &fd, &size, &ignored))
		return 0;
	at = ts_buf_reserve(&text, size < SEEN ? (size_t)size : SEEN);
	if (text.failed)
		sure = TS_SNIFF_NO_MEMORY;
	else if (at && !ts_pread_full(fd, at, size < SEEN ? (size_t)size : SEEN, 0, &n, &ignored) && n >= 16 &&
		 memcmp(at, "SQLite format 3", 16) == 0 && memmem(at, n, "TABLE configs", 13) && memmem(at, n, "run_name TEXT", 13))
		sure = SURE;
	(void)close(fd);
	ts_buf_finish(&text);
	return sure;
}

static enum ts_status refuse(const char *path, struct ts_error *err)
{
	return ts_error_set(err, TS_UNSUPPORTED, "%s: this is a database of trackio, and this tscope was built without SQLite", path);
}

enum ts_status ts_trackio_parts(const char *path, struct ts_arena *arena, char ***ret_parts, size_t *ret_n,
			       size_t *ret_deleted, struct ts_error *err)
{
	(void)arena;
	(void)ret_parts;
	(void)ret_n;
	(void)ret_deleted;
	return refuse(path, err);
}

enum ts_status ts_trackio_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err)
{
	(void)sink;
	(void)ctx;
	(void)arena;
	(void)ret_result;
	return refuse(options->path, err);
}
