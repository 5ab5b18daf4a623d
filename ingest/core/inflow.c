#include "ingest/core/inflow.h"

#include "base/alloc.h"
#include "base/helper.h"

#include <zlib.h>

enum { PACKED = 128 << 10, GZIP_WINDOW = 15 + 16, AHEAD = 512 << 10, AHEAD_FROM = 128 << 10 };

/* What a helper unpacked. */
struct ahead {
	struct ts_helper *helper; /* NULL: nobody reads ahead */
	uint8_t *bytes;
	size_t at, n;
	bool given; /* the helper may be at work: nothing of the inflow may be touched before it was waited for */
	enum ts_status status;
	struct ts_error err;
};

struct ts_inflow {
	const struct ts_source *source;
	uint64_t at;   /* of the source: the next byte to read */
	uint64_t told; /* of progress */
	uint64_t got;  /* bytes that the caller has */
	struct ts_inflow_end end;
	struct ahead ahead;
	bool gzip;
	bool inside;  /* a member has begun and has not ended */
	bool damaged; /* which is said when all before it has been given */
	z_stream z;
	uint8_t packed[PACKED];
};

/* --- gzip --- */

static enum ts_status damaged(const struct ts_inflow *in, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "%.*s: byte %" PRIu64 " of the packed file: %s", TS_SPAN_ARG(in->source->path),
			    in->at - in->z.avail_in, what);
}

static enum ts_status no_memory(const struct ts_inflow *in, struct ts_error *err)
{
	return ts_error_set(err, TS_NO_MEMORY, "%.*s: out of memory for zlib", TS_SPAN_ARG(in->source->path));
}

static enum ts_status take(struct ts_inflow *in, void *to, size_t room, size_t *ret_got, struct ts_error *err)
{
	uint64_t left = in->source->size - in->at;
	size_t n = left < room ? (size_t)left : room;

	if (n && ts_source_read(in->source, to, n, in->at, err))
		return err->status;
	in->at += n;
	*ret_got = n;
	return TS_OK;
}

/* Fills the buffer of packed bytes if it is empty; leaves it empty at the end of the file. */
static enum ts_status fill(struct ts_inflow *in, struct ts_error *err)
{
	size_t n = 0;

	if (in->z.avail_in)
		return TS_OK;
	if (take(in, in->packed, sizeof in->packed, &n, err))
		return err->status;
	in->z.next_in = in->packed;
	in->z.avail_in = (uInt)n;
	return TS_OK;
}

/* Between members: begins the next one if it stands here, and passes over what is none. */
static void next_member(struct ts_inflow *in)
{
	while (in->z.avail_in && *in->z.next_in == 0) {
		in->z.next_in++;
		in->z.avail_in--;
	}
	if (!in->z.avail_in)
		return;
	if (*in->z.next_in == 0x1f) {
		in->inside = inflateReset(&in->z) == Z_OK;
		in->damaged = !in->inside;
		return;
	}
	in->end.trailing = in->source->size - in->at + in->z.avail_in;
	in->at = in->source->size;
	in->z.avail_in = 0;
}

static enum ts_status inflate_some(struct ts_inflow *in, struct ts_error *err)
{
	int code = inflate(&in->z, Z_NO_FLUSH);

	if (code == Z_MEM_ERROR)
		return no_memory(in, err);
	in->inside = code != Z_STREAM_END;
	in->damaged = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
	return TS_OK;
}

static enum ts_status unpack(struct ts_inflow *in, void *to, size_t n, size_t *ret_got, struct ts_error *err)
{
	uInt room = n < UINT32_MAX ? (uInt)n : UINT32_MAX;

	in->z.next_out = to;
	in->z.avail_out = room;
	while (in->z.avail_out && !in->damaged) {
		if (fill(in, err))
			return err->status;
		if (!in->z.avail_in) {
			in->end.cut = in->inside;
			break;
		}
		if (!in->inside)
			next_member(in);
		else if (inflate_some(in, err))
			return err->status;
	}
	*ret_got = room - in->z.avail_out;
	if (in->damaged && !*ret_got)
		return damaged(in, in->z.msg ? in->z.msg : "this is no gzip data", err);
	return TS_OK;
}

/* --- either form --- */

static enum ts_status produce(struct ts_inflow *in, void *to, size_t n, size_t *ret_got, struct ts_error *err)
{
	return in->gzip ? unpack(in, to, n, ret_got, err) : take(in, to, n, ret_got, err);
}

static void produce_ahead(void *ctx)
{
	struct ts_inflow *in = ctx;

	in->ahead.status = produce(in, in->ahead.bytes, AHEAD, &in->ahead.n, &in->ahead.err);
}

static void give(struct ts_inflow *in)
{
	in->ahead.at = in->ahead.n = 0;
	in->ahead.given = true;
	ts_helper_give(in->ahead.helper, produce_ahead, in);
}

/* Small files are not worth a thread. */
static void hire(struct ts_inflow *in)
{
	if (!in->gzip || in->source->size < AHEAD_FROM)
		return;
	in->ahead.helper = ts_helper_hire();
	in->ahead.bytes = in->ahead.helper ? ts_alloc(AHEAD) : NULL;
	if (in->ahead.helper && !in->ahead.bytes) {
		ts_helper_dismiss(in->ahead.helper);
		in->ahead.helper = NULL;
	}
	if (in->ahead.helper)
		give(in);
}

static enum ts_status tell(struct ts_inflow *in, struct ts_error *err)
{
	uint64_t more = in->at - in->told;

	in->told = in->at;
	return ts_source_done(in->source, (size_t)more, err);
}

static enum ts_status take_ahead(struct ts_inflow *in, void *to, size_t n, size_t *ret_got, struct ts_error *err)
{
	struct ahead *a = &in->ahead;

	if (a->given) {
		ts_helper_wait(a->helper);
		a->given = false;
		if (tell(in, err))
			return err->status;
	}
	if (a->status) {
		*err = a->err;
		return err->status;
	}
	n = a->n - a->at < n ? a->n - a->at : n;
	memcpy(to, a->bytes + a->at, n);
	a->at += n;
	*ret_got = n;
	if (a->n && a->at == a->n)
		give(in);
	return TS_OK;
}

enum ts_status ts_inflow_read(struct ts_inflow *in, void *to, size_t n, size_t *ret_got, struct ts_error *err)
{
	if (in->ahead.helper) {
		if (take_ahead(in, to, n, ret_got, err))
			return err->status;
	} else if (produce(in, to, n, ret_got, err) || tell(in, err)) {
		return err->status;
	}
	in->got += *ret_got;
	if (in->got > TS_INFLOW_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%.*s: it unpacks to more than 64 GiB", TS_SPAN_ARG(in->source->path));
	return TS_OK;
}

struct ts_inflow_end ts_inflow_end(const struct ts_inflow *in)
{
	static const struct ts_inflow_end not_yet;

	return in->ahead.given ? not_yet : in->end;
}

enum ts_status ts_inflow_whole(const struct ts_inflow *in, struct ts_error *err)
{
	struct ts_inflow_end end = ts_inflow_end(in);

	if (end.cut)
		return damaged(in, "the file ends in the middle of its gzip data", err);
	if (end.trailing)
		return ts_error_set(err, TS_DAMAGED, "%.*s: byte %" PRIu64 " of the packed file: bytes behind the end of its gzip data",
				    TS_SPAN_ARG(in->source->path), in->source->size - end.trailing);
	return TS_OK;
}

bool ts_inflow_packed(const struct ts_inflow *in)
{
	return in->gzip;
}

enum ts_status ts_inflow_open(const struct ts_source *source, struct ts_inflow **ret_inflow, struct ts_error *err)
{
	struct ts_inflow *in = ts_alloc(sizeof *in);
	uint8_t magic[2] = {0, 0};

	if (!in)
		return ts_error_set(err, TS_NO_MEMORY, "%.*s: out of memory", TS_SPAN_ARG(source->path));
	memset(in, 0, offsetof(struct ts_inflow, packed));
	in->source = source;
	if (source->size >= sizeof magic && ts_source_read(source, magic, sizeof magic, 0, err)) {
		ts_free(in);
		return err->status;
	}
	if (magic[0] == 0x1f && magic[1] == 0x8b) {
		if (inflateInit2(&in->z, GZIP_WINDOW) != Z_OK) {
			(void)no_memory(in, err);
			ts_free(in);
			return err->status;
		}
		in->gzip = in->inside = true;
	}
	hire(in);
	*ret_inflow = in;
	return TS_OK;
}

void ts_inflow_close(struct ts_inflow *in)
{
	if (!in)
		return;
	if (in->ahead.given)
		ts_helper_wait(in->ahead.helper);
	ts_helper_dismiss(in->ahead.helper);
	if (in->gzip)
		(void)inflateEnd(&in->z);
	ts_free(in->ahead.bytes);
	ts_free(in);
}
