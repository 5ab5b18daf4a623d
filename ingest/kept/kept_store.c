/* kept_store.c - writes the columns of kept files, and the files. */
#include "base/below.h"
#include "base/limits.h"
#include "ingest/kept/kept.h"
#include "ingest/snapshot/snapshot_read.h"
#include "ingest/trace/trace_read.h"
#include "run/snapshot_columns.h"
#include "run/trace_columns.h"

#include <unistd.h>

/* --- columns --- */

static enum ts_status write_columns(struct ts_kept_set *kept, const struct ts_source *source, struct ts_trace_writer *w,
				    struct ts_kept_file *file, struct ts_error *err)
{
	struct ts_notices notices = {.arena = kept->arena};
	struct ts_trace_reading reading = {.take = ts_trace_writer_take, .ctx = w, .notices = &notices};
	struct ts_trace_record record;
	struct ts_trace_file read;
	struct ts_trace trace;
	enum ts_status status;

	if (ts_trace_read(source, &reading, &read, err))
		return err->status;
	ts_trace_file_columns(&read, &trace);
	status = ts_trace_file_record(&read, &notices, kept->arena, &record, err);
	if (!status)
		status = ts_trace_writer_finish(w, &trace, &record, &file->columns, err);
	if (!status) {
		file->has_columns = true;
		file->said_rank = trace.about.rank;
		file->said_world = trace.about.world_size;
		ts_notices_merge(kept->notices, &notices);
	}
	ts_trace_file_finish(&read);
	return status;
}

/* What is wrong with the file itself is a notice; what went wrong with the machine is an error. */
static bool is_its_fault(enum ts_status status)
{
	return status == TS_INVALID || status == TS_DAMAGED || status == TS_TOO_LARGE || status == TS_UNSUPPORTED;
}

/* A notice names its file already. */
static const char *without_path(const char *text, const char *path)
{
	size_t n = strlen(path);

	return strncmp(text, path, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

static enum ts_status columns_of(struct ts_kept_set *kept, struct ts_kept_file *file, struct ts_error *err)
{
	struct ts_source source = {.path = ts_span_str(file->path), .name = file->shown};
	struct ts_trace_writer *w;
	struct ts_error why;
	enum ts_status status;

	if (ts_below_open(file->top, file->path, &source.fd, &source.size, err))
		return err->status;
	status = ts_trace_writer_create(kept->sink, kept->ctx, &w, &why);
	if (!status) {
		status = write_columns(kept, &source, w, file, &why);
		ts_trace_writer_destroy(w);
	}
	(void)close(source.fd);
	if (status && is_its_fault(status)) {
		ts_notice_add(kept->notices, "trace_not_read", TS_NOTICE_SKIPPED, file->shown, 0, without_path(why.text, file->path));
		return TS_OK;
	}
	if (status)
		*err = why;
	return status;
}

/* --- snapshots --- */

/* *ret_stays is false for a pickle of something else. */
static enum ts_status snapshot_of(struct ts_kept_set *kept, struct ts_kept_file *file, bool *ret_stays, struct ts_error *err)
{
	struct ts_source source = {.path = ts_span_str(file->path), .name = file->shown};
	struct ts_snapshot snapshot;
	struct ts_arena arena;
	struct ts_error why;
	enum ts_status status;

	if (ts_below_open(file->top, file->path, &source.fd, &source.size, err))
		return err->status;
	ts_arena_init(&arena, 0);
	status = ts_snapshot_read(&source, &arena, &snapshot, &why);
	if (!status && snapshot.cut)
		status = ts_error_set(&why, TS_DAMAGED, "byte %" PRIu64 " of the pickle: the file ends here, before the pickle does",
				      snapshot.pickle_bytes);
	if (!status)
		status = ts_snapshot_columns_write(&snapshot, kept->sink, kept->ctx, &file->columns, &why);
	file->has_columns = !status;
	ts_arena_finish(&arena);
	(void)close(source.fd);
	*ret_stays = !status || ts_span_contains(file->name, "snapshot");
	if (status && is_its_fault(status) && *ret_stays)
		ts_notice_add(kept->notices, "snapshot_not_read", TS_NOTICE_SKIPPED, file->shown, 0,
			      without_path(why.text, file->path));
	if (!status || is_its_fault(status))
		return TS_OK;
	*err = why;
	return status;
}

enum ts_status ts_kept_columns(struct ts_kept_set *kept, struct ts_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < kept->n; i++) {
		bool stays = true;

		if ((kept->items[i].kind == TS_KEPT_TRACE && columns_of(kept, &kept->items[i], err)) ||
		    (kept->items[i].kind == TS_KEPT_SNAPSHOT && snapshot_of(kept, &kept->items[i], &stays, err)))
			return err->status;
		if (stays)
			kept->items[n++] = kept->items[i];
	}
	kept->n = n;
	return TS_OK;
}

/* --- the files --- */

bool ts_kept_of(const struct ts_kept_set *kept, int32_t rank)
{
	for (size_t i = 0; i < kept->n; i++)
		if (kept->items[i].rank == rank)
			return true;
	return false;
}

static enum ts_status copy(struct ts_kept_set *kept, int fd, uint64_t from, uint64_t size, struct ts_builder *b, struct ts_error *err)
{
	struct ts_source source = {.fd = fd, .size = size, .progress = kept->progress};
	struct ts_buf chunk = TS_BUF_INIT(TS_CHUNK_BYTES);
	uint8_t *to = ts_buf_reserve(&chunk, TS_CHUNK_BYTES);
	enum ts_status status = ts_buf_check(&chunk, err);
	uint64_t at = from;

	while (!status && at < size) {
		size_t n = size - at < TS_CHUNK_BYTES ? (size_t)(size - at) : TS_CHUNK_BYTES;

		status = ts_source_read(&source, to, n, at, err);
		if (!status)
			status = ts_builder_file_add(b, ts_span_of(to, n), err);
		if (!status)
			status = ts_source_done(&source, n, err);
		at += n;
	}
	kept->bytes_read += at - from;
	ts_buf_finish(&chunk);
	return status;
}

static enum ts_status put_file(struct ts_kept_set *kept, const struct ts_kept_file *file, struct ts_builder *b, struct ts_error *err)
{
	enum ts_status status;
	uint64_t size;
	int fd;

	if (ts_below_open(file->top, file->path, &fd, &size, err))
		return err->status;
	status = ts_builder_file_begin(b, file->name, err);
	if (!status)
		status = copy(kept, fd, file->from < size ? file->from : size, size, b, err);
	if (!status)
		status = ts_builder_file_end(b, err);
	if (!status && file->has_columns)
		status = ts_builder_file_columns(b, &file->columns, err);
	(void)close(fd);
	return status ? ts_error_prefix(err, "%s", file->path) : TS_OK;
}

enum ts_status ts_kept_put(struct ts_kept_set *kept, int32_t rank, struct ts_builder *b, size_t *ret_n, struct ts_error *err)
{
	for (size_t i = 0; i < kept->n; i++) {
		if (kept->items[i].rank != rank)
			continue;
		if (put_file(kept, &kept->items[i], b, err))
			return err->status;
		++*ret_n;
	}
	return TS_OK;
}
