#include "run/test_roundtrip.h"

#include "base/cursor.h"
#include "base/limits.h"
#include "base/object.h"
#include "run/block.h"
#include "run/head.h"
#include "run/index.h"

#include <stdlib.h>

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void must_equal(const struct ts_buf *buf, struct ts_span object)
{
	must(ts_span_eq(ts_buf_view(buf), object));
}

static enum ts_status head_again(struct ts_span object, struct ts_arena *arena, struct ts_buf *out,
				 struct ts_error *err)
{
	struct ts_head head;

	if (ts_head_decode(object, arena, &head, err))
		return err->status;
	must(ts_head_encode(&head, out, err) == TS_OK);
	must_equal(out, object);
	return TS_OK;
}

static enum ts_status must_be_it(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	(void)id;
	(void)err;
	must(ts_span_eq(*(struct ts_span *)ctx, object));
	return TS_OK;
}

static enum ts_status index_again(struct ts_span object, struct ts_arena *arena, struct ts_buf *out,
				  struct ts_error *err)
{
	struct ts_index index = {0};
	struct ts_id id, want;
	bool more = false;

	if (ts_index_decode(object, arena, &index, &more, &id, err))
		return err->status;
	if (more)
		return TS_OK;
	must(ts_index_encode(&index, must_be_it, &object, out, &id, err) == TS_OK);
	ts_digest(object, &want);
	must(ts_id_eq(&id, &want));
	return TS_OK;
}

static enum ts_status words_again(const struct ts_object *frame, struct ts_span object, struct ts_arena *arena,
				  struct ts_buf *out, struct ts_error *err)
{
	size_t rows = frame->payload.len / 8;
	void *values = ts_arena_array(arena, rows, 8);
	struct ts_error why;
	bool sound = ts_block_check(object, &why) == TS_OK; /* says what decoding says */

	must(values != NULL);
	if (frame->kind == TS_KIND_KEYS) {
		if (ts_block_keys_decode(object, rows, values, err)) {
			must(!sound);
			return err->status;
		}
		must(sound);
		ts_block_keys_encode(values, rows, out);
	} else if (frame->kind == TS_KIND_F64) {
		if (ts_block_f64_decode(object, rows, values, err)) {
			must(!sound);
			return err->status;
		}
		must(sound);
		ts_block_f64_encode(values, rows, out);
	} else {
		if (ts_block_u64_decode(object, rows, values, err))
			return err->status;
		ts_block_u64_encode(values, rows, out);
	}
	must_equal(out, object);
	return TS_OK;
}

/* Each distinct text stands once in the object, so entries are told apart by where they point. */
static void encode_texts(const struct ts_span *texts, size_t rows, struct ts_arena *arena, struct ts_buf *out)
{
	struct ts_span *entries = ts_arena_array(arena, rows, sizeof *entries);
	uint32_t *codes = ts_arena_array(arena, rows, sizeof *codes);
	size_t n = 0;

	must(entries && codes);
	for (size_t i = 0; i < rows; i++) {
		size_t code = 0;

		while (code < n && entries[code].data != texts[i].data)
			code++;
		if (code == n)
			entries[n++] = texts[i];
		codes[i] = (uint32_t)code;
	}
	ts_block_text_encode(entries, n, codes, rows, out);
}

static enum ts_status text_again(const struct ts_object *frame, struct ts_span object, struct ts_arena *arena,
				 struct ts_buf *out, struct ts_error *err)
{
	size_t rows = frame->payload.len < 4 ? 0 : (size_t)ts_load_le(frame->payload.data, 4);
	struct ts_span *texts;

	if (rows > TS_BLOCK_ROWS_MAX)
		rows = 0;
	texts = ts_arena_array(arena, rows, sizeof *texts);
	must(texts != NULL);
	if (ts_block_text_decode(object, rows, arena, texts, err))
		return err->status;
	encode_texts(texts, rows, arena, out);
	must_equal(out, object);
	return TS_OK;
}

static enum ts_status again(struct ts_span object, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	struct ts_object frame;

	if (ts_object_parse(object, &frame, err))
		return err->status;
	switch (frame.kind) {
	case TS_KIND_HEAD:
		return head_again(object, arena, out, err);
	case TS_KIND_INDEX:
		return index_again(object, arena, out, err);
	case TS_KIND_KEYS:
	case TS_KIND_F64:
	case TS_KIND_U64:
		return words_again(&frame, object, arena, out, err);
	case TS_KIND_TEXT:
		return text_again(&frame, object, arena, out, err);
	default:
		return ts_error_set(err, TS_UNSUPPORTED, "an object of kind %u", frame.kind);
	}
}

enum ts_status test_roundtrip(struct ts_span object, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 64 << 20);
	status = again(object, &arena, &out, err);
	ts_arena_finish(&arena);
	ts_buf_finish(&out);
	return status;
}

static bool is_refused(struct ts_span object)
{
	struct ts_error err = {.status = TS_OK};
	enum ts_status status = test_roundtrip(object, &err);

	must(status == err.status);
	must(status == TS_OK || status == TS_DAMAGED || status == TS_UNSUPPORTED || status == TS_TOO_LARGE);
	return status != TS_OK;
}

size_t test_damage(struct ts_span object, size_t flips)
{
	uint8_t *copy = malloc(object.len + 1);
	size_t refused = 0;

	must(copy != NULL);
	for (size_t n = 0; n < object.len; n++) {
		memcpy(copy, object.data, n);
		refused += is_refused(ts_span_of(copy, n));
	}
	for (size_t i = 0; i < flips; i++) {
		size_t bit = i * object.len * 8 / flips;

		memcpy(copy, object.data, object.len);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		refused += is_refused(ts_span_of(copy, object.len));
	}
	memcpy(copy, object.data, object.len);
	copy[object.len] = 0;
	must(is_refused(ts_span_of(copy, object.len + 1)));
	free(copy);
	return refused;
}
