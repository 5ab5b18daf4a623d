#include "ingest/core/inflow.h"

#include "base/alloc.h"

#include <zlib.h>

enum { PACKED = 1 << 16, GZIP_WINDOW = 15 + 16 };

struct ts_inflow {
	const struct ts_source *source;
	uint64_t at;	/* of the source: the next byte to read */
	uint64_t given; /* bytes that were unpacked */
	bool gzip;
	bool inside; /* a member has begun and has not ended */
	z_stream z;
	uint8_t packed[PACKED];
};

enum ts_status ts_inflow_open(const struct ts_source *source, struct ts_inflow **ret_inflow, struct ts_error *err)
{
	struct ts_inflow *in = ts_alloc(sizeof *in);
	uint8_t magic[2] = {0, 0};

	if (!in)
		return ts_error_set(err, TS_NO_MEMORY, "%.*s: out of memory", TS_SPAN_ARG(source->path));
	in->source = source;
	in->at = in->given = 0;
	in->gzip = in->inside = false;
	memset(&in->z, 0, sizeof in->z);
	if (source->size >= sizeof magic && ts_source_read(source, magic, sizeof magic, 0, err))
		goto failed;
	if (magic[0] == 0x1f && magic[1] == 0x8b) {
		if (inflateInit2(&in->z, GZIP_WINDOW) != Z_OK) {
			ts_error_set(err, TS_NO_MEMORY, "%.*s: out of memory for zlib", TS_SPAN_ARG(source->path));
			goto failed;
		}
		in->gzip = in->inside = true;
	}
	*ret_inflow = in;
	return TS_OK;
failed:
	ts_free(in);
	return err->status;
}

void ts_inflow_close(struct ts_inflow *in)
{
	if (in && in->gzip)
		(void)inflateEnd(&in->z);
	ts_free(in);
}

static enum ts_status take(struct ts_inflow *in, void *to, size_t room, size_t *ret_got, struct ts_error *err)
{
	uint64_t left = in->source->size - in->at;
	size_t n = left < room ? (size_t)left : room;

	if (n && ts_source_read(in->source, to, n, in->at, err))
		return err->status;
	in->at += n;
	*ret_got = n;
	return ts_source_done(in->source, n, err);
}

static enum ts_status damaged(const struct ts_inflow *in, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "%.*s: byte %" PRIu64 " of the packed file: %s", TS_SPAN_ARG(in->source->path),
			    in->at - in->z.avail_in, what);
}

/* Fills the buffer of packed bytes if it is empty; leaves it empty at the end of the file. */
static enum ts_status fill(struct ts_inflow *in, struct ts_error *err)
{
	size_t n;

	if (in->z.avail_in)
		return TS_OK;
	if (take(in, in->packed, sizeof in->packed, &n, err))
		return err->status;
	in->z.next_in = in->packed;
	in->z.avail_in = (uInt)n;
	return TS_OK;
}

/* Begins the next member if there is one. */
static enum ts_status next_member(struct ts_inflow *in, struct ts_error *err)
{
	if (fill(in, err))
		return err->status;
	if (!in->z.avail_in)
		return TS_OK;
	in->inside = inflateReset(&in->z) == Z_OK;
	return in->inside ? TS_OK : damaged(in, "zlib cannot go on", err);
}

static enum ts_status inflate_some(struct ts_inflow *in, struct ts_error *err)
{
	int code;

	if (fill(in, err))
		return err->status;
	if (!in->z.avail_in)
		return damaged(in, "the file ends in the middle of its gzip data", err);
	code = inflate(&in->z, Z_NO_FLUSH);
	if (code == Z_MEM_ERROR)
		return ts_error_set(err, TS_NO_MEMORY, "%.*s: out of memory for zlib", TS_SPAN_ARG(in->source->path));
	if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
		return damaged(in, in->z.msg ? in->z.msg : "this is no gzip data", err);
	if (code == Z_STREAM_END) {
		in->inside = false;
		return next_member(in, err);
	}
	return TS_OK;
}

enum ts_status ts_inflow_read(struct ts_inflow *in, void *to, size_t n, size_t *ret_got, struct ts_error *err)
{
	size_t got = 0;

	if (!in->gzip) {
		if (take(in, to, n, &got, err))
			return err->status;
	} else {
		uInt room = n < UINT32_MAX ? (uInt)n : UINT32_MAX;

		in->z.next_out = to;
		in->z.avail_out = room;
		while (in->inside && in->z.avail_out)
			if (inflate_some(in, err))
				return err->status;
		got = room - in->z.avail_out;
	}
	in->given += got;
	if (in->given > TS_INFLOW_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%.*s: it unpacks to more than 64 GiB", TS_SPAN_ARG(in->source->path));
	*ret_got = got;
	return TS_OK;
}
