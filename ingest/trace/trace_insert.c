#include "ingest/trace/trace_insert.h"

#include "base/alloc.h"
#include "base/file.h"
#include "ingest/core/inflow.h"

#include <zlib.h>

enum { CHUNK = 256 << 10, LEVEL = 6, EVENTS_BYTES = 64 << 20 };

struct output {
	int fd;
	bool packed;
	z_stream z;
	uint8_t *chunk;
};

/* --- writing --- */

static enum ts_status deflate_some(struct output *out, struct ts_span bytes, int flush, struct ts_error *err)
{
	int code;

	out->z.next_in = (Bytef *)(uintptr_t)bytes.data;
	out->z.avail_in = (uInt)bytes.len;
	do {
		out->z.next_out = out->chunk;
		out->z.avail_out = CHUNK;
		code = deflate(&out->z, flush);
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
			return ts_error_set(err, TS_INTERNAL, "zlib: %s", out->z.msg ? out->z.msg : "an error");
		if (ts_write_full(out->fd, out->chunk, CHUNK - out->z.avail_out, err))
			return err->status;
	} while (!out->z.avail_out || (flush == Z_FINISH && code != Z_STREAM_END));
	return TS_OK;
}

static enum ts_status put(struct output *out, struct ts_span bytes, struct ts_error *err)
{
	return out->packed ? deflate_some(out, bytes, Z_NO_FLUSH, err) : ts_write_full(out->fd, bytes.data, bytes.len, err);
}

static enum ts_status open_output(struct output *out, struct ts_error *err)
{
	out->chunk = ts_alloc(CHUNK);
	if (!out->chunk)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a copy of a trace");
	if (!out->packed || deflateInit2(&out->z, LEVEL, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK)
		return TS_OK;
	ts_free(out->chunk);
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for zlib");
}

static void close_output(struct output *out)
{
	if (out->packed)
		(void)deflateEnd(&out->z);
	ts_free(out->chunk);
}

/* --- copying --- */

/* Copies n bytes; UINT64_MAX: all that are left. */
static enum ts_status copy(struct ts_inflow *in, uint64_t n, struct output *out, struct ts_error *err)
{
	uint8_t *chunk = ts_alloc(CHUNK);
	size_t got = 1;

	if (!chunk)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a copy of a trace");
	while (n && got) {
		if (ts_inflow_read(in, chunk, n < CHUNK ? (size_t)n : CHUNK, &got, err) || put(out, ts_span_of(chunk, got), err)) {
			ts_free(chunk);
			return err->status;
		}
		n -= n == UINT64_MAX ? 0 : got;
	}
	ts_free(chunk);
	return n && n != UINT64_MAX ? ts_error_set(err, TS_DAMAGED, "the trace was changed while it was read") : TS_OK;
}

static enum ts_status put_events(ts_trace_more_events *more, void *ctx, struct output *out, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(EVENTS_BYTES);
	enum ts_status status = TS_OK;
	bool again = true;

	while (again && !status) {
		ts_buf_reset(&buf);
		again = more(ctx, &buf);
		status = ts_buf_check(&buf, err);
		if (!status)
			status = put(out, ts_buf_view(&buf), err);
	}
	ts_buf_finish(&buf);
	return status;
}

static enum ts_status copy_all(struct ts_inflow *in, const struct ts_trace_file *file, ts_trace_more_events *more, void *ctx,
			       struct output *out, struct ts_error *err)
{
	if (copy(in, file->list_begin, out, err) || put_events(more, ctx, out, err))
		return err->status;
	if (file->list_any && put(out, ts_span_str(","), err))
		return err->status;
	if (!file->cut)
		return copy(in, UINT64_MAX, out, err);
	if (copy(in, file->list_end - file->list_begin, out, err))
		return err->status;
	return put(out, ts_span_str(file->bare ? "\n]\n" : "\n]}\n"), err);
}

enum ts_status ts_trace_insert(const struct ts_source *source, const struct ts_trace_file *file, ts_trace_more_events *more, void *ctx,
			       int fd, bool packed, struct ts_error *err)
{
	struct output out = {.fd = fd, .packed = packed};
	struct ts_inflow *in;
	enum ts_status status;

	if (open_output(&out, err))
		return err->status;
	status = ts_inflow_open(source, &in, err);
	if (!status) {
		status = copy_all(in, file, more, ctx, &out, err);
		ts_inflow_close(in);
	}
	if (!status && packed)
		status = deflate_some(&out, ts_span_str(""), Z_FINISH, err);
	close_output(&out);
	return status;
}
