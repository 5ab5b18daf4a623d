#include "ingest/core/source.h"

#include "base/file.h"

enum ts_status ts_source_read(const struct ts_source *source, void *to, size_t n, uint64_t offset, struct ts_error *err)
{
	size_t got = n;

	if (source->fd < 0)
		memcpy(to, source->memory.data + offset, n);
	else if (ts_pread_full(source->fd, to, n, offset, &got, err))
		return ts_error_prefix(err, "%.*s", TS_SPAN_ARG(source->path));
	if (got < n)
		return ts_error_set(err, TS_IO, "%.*s: the file became shorter while it was read",
				    TS_SPAN_ARG(source->path));
	return TS_OK;
}

enum ts_status ts_source_done(const struct ts_source *source, size_t n, struct ts_error *err)
{
	enum { STEP = 4 << 20 };
	struct ts_read_progress *progress = source->progress;
	uint64_t before;

	if (!progress)
		return TS_OK;
	before = progress->done;
	progress->done += n;
	if (progress->tell && before / STEP != progress->done / STEP &&
	    !progress->tell(progress->ctx, progress->done, progress->total))
		return ts_error_set(err, TS_CANCELLED, "stopped");
	return TS_OK;
}
