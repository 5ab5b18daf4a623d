/* kept_store.c - writes the columns of kept files, and the files. */
#include "base/below.h"
#include "base/limits.h"
#include "ingest/kept/kept.h"
#include "ingest/snapshot/snapshot_read.h"
#include "ingest/trace/trace_read.h"
#include "run/kernel_summary.h"
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

/* --- summaries --- */

static void take_summary(struct ts_kept_file *file, const struct ts_kernel_summary *summary)
{
	file->kind = TS_KEPT_SUMMARY;
	file->said_rank = summary->rank;
	file->said_world = summary->world_size;
}

/* A summary that was kept before, as in a run that was exported; *ret_stays is false where it is none. */
static enum ts_status summary_of(struct ts_kept_set *kept, struct ts_kept_file *file, bool *ret_stays, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_SUMMARY_FILE_MAX);
	struct ts_kernel_summary summary;
	struct ts_arena arena;
	struct ts_error why;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_below_read(file->top, file->path, &text, &why);
	if (!status)
		status = ts_kernel_summary_read(ts_buf_view(&text), &arena, &summary, &why);
	if (!status)
		take_summary(file, &summary);
	ts_arena_finish(&arena);
	ts_buf_finish(&text);
	*ret_stays = !status;
	if (status && is_its_fault(status)) {
		ts_notice_add(kept->notices, "summary_not_read", TS_NOTICE_SKIPPED, file->shown, 0,
			      without_path(why.text, file->path));
		return TS_OK;
	}
	if (status)
		*err = why;
	return status;
}

/* Puts the summary of the trace in its place. */
static enum ts_status keep_summary(struct ts_kept_set *kept, struct ts_kept_file *file, const struct ts_trace *trace,
				   struct ts_error *err)
{
	struct ts_span text = ts_span_of(NULL, 0);
	char *name = ts_arena_printf(kept->arena, "%.*s%s", TS_SPAN_ARG(file->name), TS_SUMMARY_ENDING);

	if (!name)
		return ts_arena_error(kept->arena, err);
	if (!ts_file_name_valid(ts_span_str(name)) || ts_kept_taken(kept, ts_span_str(name), file->rank))
		return TS_OK;
	if (kept->summarize(trace, kept->arena, &text, err))
		return err->status;
	if (!text.len)
		return TS_OK;
	file->kind = TS_KEPT_SUMMARY;
	file->said_rank = trace->about.rank;
	file->said_world = trace->about.world_size;
	file->name = ts_span_str(name);
	file->text = text;
	file->size = text.len;
	return TS_OK;
}

/* A trace that cannot be read, or says nothing that a summary has, stays a trace, and so does one whose summary lies there, too. */
static enum ts_status summarize(struct ts_kept_set *kept, struct ts_kept_file *file, struct ts_error *err)
{
	struct ts_notices notices = {.arena = kept->arena};
	struct ts_trace_reading reading = {.notices = &notices};
	struct ts_source source = {.path = ts_span_str(file->path), .name = file->shown};
	struct ts_trace_file read;
	struct ts_trace trace;
	enum ts_status status;

	if (ts_below_open(file->top, file->path, &source.fd, &source.size, err))
		return err->status;
	status = ts_trace_load(&source, &reading, &trace, &read, err);
	(void)close(source.fd);
	if (status)
		return is_its_fault(status) ? TS_OK : status;
	status = keep_summary(kept, file, &trace, err);
	if (status == TS_TOO_LARGE) /* of very many steps */
		status = TS_OK;
	ts_trace_finish(&trace);
	ts_trace_file_finish(&read);
	if (!status && file->text.len)
		ts_notices_merge(kept->notices, &notices);
	return status;
}

static enum ts_status trace_of(struct ts_kept_set *kept, struct ts_kept_file *file, struct ts_error *err)
{
	if (kept->summarize && summarize(kept, file, err))
		return err->status;
	return file->text.len ? TS_OK : columns_of(kept, file, err);
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

static enum ts_status look_into(struct ts_kept_set *kept, struct ts_kept_file *file, bool *ret_stays, struct ts_error *err)
{
	*ret_stays = true;
	if (file->kind == TS_KEPT_TRACE)
		return trace_of(kept, file, err);
	if (file->kind == TS_KEPT_SUMMARY)
		return summary_of(kept, file, ret_stays, err);
	return file->kind == TS_KEPT_SNAPSHOT ? snapshot_of(kept, file, ret_stays, err) : TS_OK;
}

enum ts_status ts_kept_columns(struct ts_kept_set *kept, struct ts_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < kept->n; i++) {
		bool stays;

		if (look_into(kept, &kept->items[i], &stays, err))
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

static enum ts_status copy(struct ts_kept_set *kept, const struct ts_source *source, uint64_t from, struct ts_builder *b,
			   struct ts_error *err)
{
	struct ts_buf chunk = TS_BUF_INIT(TS_CHUNK_BYTES);
	uint8_t *to = ts_buf_reserve(&chunk, TS_CHUNK_BYTES);
	enum ts_status status = ts_buf_check(&chunk, err);
	uint64_t at = from;

	while (!status && at < source->size) {
		size_t n = source->size - at < TS_CHUNK_BYTES ? (size_t)(source->size - at) : TS_CHUNK_BYTES;

		status = ts_source_read(source, to, n, at, err);
		if (!status)
			status = ts_builder_file_add(b, ts_span_of(to, n), err);
		if (!status)
			status = ts_source_done(source, n, err);
		at += n;
	}
	kept->bytes_read += at - from;
	ts_buf_finish(&chunk);
	return status;
}

static enum ts_status put_file(struct ts_kept_set *kept, const struct ts_kept_file *file, struct ts_builder *b, struct ts_error *err)
{
	struct ts_source source = {.fd = -1, .memory = file->text, .size = file->text.len, .progress = kept->progress};
	enum ts_status status;

	if (!file->text.len && ts_below_open(file->top, file->path, &source.fd, &source.size, err))
		return err->status;
	status = ts_builder_file_begin(b, file->name, err);
	if (!status)
		status = copy(kept, &source, file->from < source.size ? file->from : source.size, b, err);
	if (!status)
		status = ts_builder_file_end(b, err);
	if (!status && file->has_columns)
		status = ts_builder_file_columns(b, &file->columns, err);
	if (source.fd >= 0)
		(void)close(source.fd);
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
