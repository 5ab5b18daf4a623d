#include "ingest/rundir/sketch_frames.h"

#include "base/alloc.h"
#include "base/base64.h"
#include "base/cursor.h"
#include "record/crc32c.h"
#include "run/sketch_sums.h"

#include <math.h>
#include <stdio.h>

#define MAGIC "tssketch\1\0\0\0\0\0\0\0"

enum { HEADER = 16, FRAME = 8, SUMS_BYTES = TS_SKETCH_SUMS * 8 };
enum { FLAG_SHARD = 1, FLAG_IDLE = 2, FLAG_NONFINITE = 4, FLAGS = 7 };

/* A double is exact below this: the limit of sketches.jsonl, too. */
#define EXACT_MAX 9007199254740992.0

static const char *const kinds[] = {"output", "grad", "param_grad", "update"};
static const char *const types[] = {"",	      "float64",       "float32",     "tf32",	       "bfloat16",
				    "float16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"};

struct frames {
	const struct ts_source *source;
	struct ts_record *record;
	struct ts_emit *emit;
	struct ts_notices *notices;
	struct ts_buf sums;
	uint64_t at;  /* offset of the frame */
	int64_t key;
	uint8_t *bytes; /* of a frame */
};

struct tensor {
	uint8_t kind, type, flags;
	struct ts_span name, same, sums;
	double count, squares, nonfinite;
};

static void tell(struct frames *f, const char *code, const char *detail)
{
	ts_notice_add(f->notices, code, TS_NOTICE_SKIPPED, f->source->name, 0, detail);
}

/* --- a tensor --- */

/* A whole number that a double holds, else NaN. */
static double whole(struct ts_cursor *in)
{
	uint64_t n = ts_cursor_u64(in);

	return (double)n < EXACT_MAX ? (double)n : (double)NAN;
}

static bool are_finite(struct ts_span sums)
{
	for (size_t i = 0; i < sums.len; i += 8) {
		uint64_t bits = ts_load_le((const uint8_t *)sums.data + i, 8);

		if ((bits >> 52 & 2047) == 2047)
			return false;
	}
	return true;
}

/* False where the bytes are no tensor: whatever comes behind it in the frame cannot be found. */
static bool read_tensor(struct ts_cursor *in, struct tensor *ret)
{
	size_t name, same;

	*ret = (struct tensor){.kind = ts_cursor_u8(in)};
	ret->type = ts_cursor_u8(in);
	ret->flags = ts_cursor_u8(in);
	if (ts_cursor_u8(in) != 0 || ret->kind >= sizeof kinds / sizeof kinds[0] || ret->type >= sizeof types / sizeof types[0] ||
	    ret->flags & ~FLAGS)
		return false;
	name = ts_cursor_u16(in);
	same = ts_cursor_u16(in);
	if (name == 0 || name > TS_PATH_MAX || same > TS_PATH_MAX)
		return false;
	ret->name = ts_cursor_bytes(in, name);
	ret->same = ts_cursor_bytes(in, same);
	if (same)
		return !in->failed;
	ret->count = whole(in);
	ret->squares = ts_cursor_f64(in);
	ret->nonfinite = ret->flags & FLAG_NONFINITE ? whole(in) : 0;
	ret->sums = ts_cursor_bytes(in, SUMS_BYTES);
	return !in->failed && ret->squares >= 0 && ret->nonfinite <= ret->count && are_finite(ret->sums);
}

static struct ts_cell *cell(struct frames *f, const char *name, enum ts_column_type type)
{
	struct ts_cell *c = ts_record_cell(f->record);

	if (!c)
		return NULL;
	c->key = ts_keys_get(&f->record->keys, TS_KEY_ROOT, ts_span_str(name));
	c->type = c->key == TS_KEY_NONE ? 0 : (uint32_t)type;
	return c->key == TS_KEY_NONE ? NULL : c;
}

static bool put_number(struct frames *f, const char *name, double value)
{
	struct ts_cell *c = cell(f, name, TS_COLUMN_F64);

	if (c)
		c->real = value;
	return c != NULL;
}

static bool put_text(struct frames *f, const char *name, enum ts_column_type type, struct ts_span text)
{
	struct ts_cell *c = cell(f, name, type);

	if (c)
		c->text = text;
	return c != NULL;
}

static bool put_sums(struct frames *f, const struct tensor *t)
{
	ts_buf_reset(&f->sums);
	ts_base64_print(&f->sums, t->sums);
	return put_number(f, "count", t->count) && put_number(f, "squares", t->squares) &&
	       put_text(f, "sums", TS_COLUMN_TEXT, ts_buf_view(&f->sums)) &&
	       (!(t->flags & FLAG_NONFINITE) || put_number(f, "nonfinite", t->nonfinite));
}

static enum ts_status emit_tensor(struct frames *f, int64_t step, const struct tensor *t, struct ts_error *err)
{
	static const char yes[] = "true";
	bool ok;

	f->record->n = 0;
	ok = put_number(f, "step", (double)step) && put_text(f, "name", TS_COLUMN_TEXT, t->name) &&
	     put_text(f, "kind", TS_COLUMN_TEXT, ts_span_str(kinds[t->kind]));
	ok = ok && (t->same.len ? put_text(f, "same", TS_COLUMN_TEXT, t->same) : put_sums(f, t));
	ok = ok && (t->type == 0 || put_text(f, "dtype", TS_COLUMN_TEXT, ts_span_str(types[t->type])));
	ok = ok && (!(t->flags & FLAG_SHARD) || put_text(f, "shard", TS_COLUMN_JSON, ts_span_str(yes)));
	ok = ok && (!(t->flags & FLAG_IDLE) || put_text(f, "idle", TS_COLUMN_JSON, ts_span_str(yes)));
	if (!ok || ts_buf_check(&f->sums, err))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a sketch");
	return ts_emit_row(f->emit, f->record, TS_TABLE_SKETCHES, f->key++, 0, err);
}

/* --- frames --- */

static enum ts_status read_frame(struct frames *f, struct ts_span payload, struct ts_error *err)
{
	struct ts_cursor in = {.in = payload};
	int64_t step = (int64_t)ts_cursor_u64(&in);
	struct tensor t;

	if (in.failed || (double)step <= -EXACT_MAX || (double)step >= EXACT_MAX) {
		tell(f, "bad_sketch", "a frame needs a step, an integer below 2^53");
		return TS_OK;
	}
	while (in.at < payload.len) {
		if (!read_tensor(&in, &t)) {
			tell(f, "bad_sketch", "a tensor in a frame is none, and so is what comes behind it there");
			return TS_OK;
		}
		if (emit_tensor(f, step, &t, err))
			return err->status;
	}
	return TS_OK;
}

/* Reads the frame at f->at into f->bytes; *ret_len is 0 where there is none. */
static enum ts_status next_frame(struct frames *f, uint32_t *ret_len, struct ts_error *err)
{
	uint64_t left = f->source->size - f->at;
	uint8_t head[FRAME];
	uint32_t len;

	*ret_len = 0;
	if (left == 0)
		return TS_OK;
	if (left >= FRAME && ts_source_read(f->source, head, FRAME, f->at, err))
		return err->status;
	len = left >= FRAME ? ts_load_u32(head) : 0;
	if (left < FRAME || (len <= TS_SKETCH_FRAME_MAX && len > left - FRAME)) {
		tell(f, "bad_sketch", "the last frame is cut off");
		return TS_OK;
	}
	if (len == 0 || len > TS_SKETCH_FRAME_MAX) {
		tell(f, "bad_sketch", "a frame is damaged, and what comes behind it is left out");
		return TS_OK;
	}
	if (ts_source_read(f->source, f->bytes, len, f->at + FRAME, err))
		return err->status;
	if (ts_crc32c(ts_crc32c(0, head, 4), f->bytes, len) != ts_load_u32(head + 4)) {
		tell(f, "bad_sketch", "a frame is damaged, and what comes behind it is left out");
		return TS_OK;
	}
	*ret_len = len;
	return TS_OK;
}

static enum ts_status read_frames(struct frames *f, struct ts_error *err)
{
	uint32_t len = 1;

	while (len) {
		if (next_frame(f, &len, err) || (len && read_frame(f, ts_span_of(f->bytes, len), err)) ||
		    ts_source_done(f->source, len ? FRAME + len : 0, err))
			return err->status;
		f->at += FRAME + (uint64_t)len;
	}
	return TS_OK;
}

enum ts_status ts_sketch_frames_read(const struct ts_source *source, struct ts_record *record, struct ts_emit *emit, uint64_t first,
				     struct ts_notices *notices, struct ts_error *err)
{
	struct frames f = {.source = source, .record = record, .emit = emit, .notices = notices, .at = HEADER, .key = (int64_t)first};
	size_t room = source->size < TS_SKETCH_FRAME_MAX ? (size_t)source->size : (size_t)TS_SKETCH_FRAME_MAX;
	uint8_t head[HEADER];
	enum ts_status status;

	if (source->size < HEADER) {
		tell(&f, "bad_sketch", "the file is cut off in its first 16 bytes");
		return TS_OK;
	}
	if (ts_source_read(source, head, HEADER, 0, err))
		return err->status;
	if (memcmp(head, MAGIC, HEADER) != 0) {
		tell(&f, "bad_sketch", "the file does not begin as one of sketches, or is of a later version");
		return TS_OK;
	}
	f.sums = TS_BUF_INIT(2 * SUMS_BYTES);
	f.bytes = ts_alloc(room);
	status = f.bytes ? read_frames(&f, err) : ts_error_set(err, TS_NO_MEMORY, "out of memory for frames of sketches");
	ts_free(f.bytes);
	ts_buf_finish(&f.sums);
	return status;
}
