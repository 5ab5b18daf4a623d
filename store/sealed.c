#include "store/sealed.h"

#include "base/cursor.h"
#include "base/limits.h"
#include "store/codec.h"

#define XXH_NO_STREAM
#include <xxhash.h>

static uint64_t checksum_of(struct ts_span bytes)
{
	return XXH3_64bits(bytes.data, bytes.len);
}

/* Compresses the object into scratch->out. Returns 0 when the object is smaller uncompressed. */
static size_t narrow(struct ts_scratch *s, struct ts_span object, const struct ts_object *frame, uint8_t *ret_codec)
{
	size_t front = object.len - frame->payload.len;
	size_t n;

	if (frame->layout == TS_LAYOUT_WORDS && frame->payload.len) {
		*ret_codec = TS_CODEC_WORDS;
		n = ts_words_encode(s, frame->payload, s->out + front, frame->payload.len);
		if (n == 0)
			return 0;
		memcpy(s->out, object.data, front);
		return front + n;
	}
	*ret_codec = TS_CODEC_ZSTD;
	return ts_zstd_encode(s, object, s->out, object.len);
}

static struct ts_sealed plain(const struct ts_id *id, struct ts_span object, const struct ts_object *frame)
{
	return (struct ts_sealed){
		.id = *id,
		.codec = TS_CODEC_RAW,
		.kind = frame->kind,
		.nrefs = frame->nrefs,
		.raw_len = (uint32_t)object.len,
		.bytes = object,
	};
}

enum ts_status ts_seal_plain(const struct ts_id *id, struct ts_span object, struct ts_sealed *ret_sealed, struct ts_error *err)
{
	struct ts_object frame;

	if (ts_object_parse(object, &frame, err))
		return err->status;
	*ret_sealed = plain(id, object, &frame);
	ret_sealed->checksum = checksum_of(object);
	return TS_OK;
}

enum ts_status ts_seal(const struct ts_id *id, struct ts_span object, struct ts_arena *arena,
		       struct ts_sealed *ret_sealed, struct ts_error *err)
{
	struct ts_sealed sealed;
	struct ts_object frame;
	struct ts_scratch *s;
	uint8_t codec = TS_CODEC_RAW;
	size_t words;
	size_t len;

	if (ts_object_parse(object, &frame, err) || ts_scratch_get(&s, err))
		return err->status;
	words = frame.layout == TS_LAYOUT_WORDS ? frame.payload.len : 0;
	if (ts_scratch_fit(s, words, words, object.len, err))
		return err->status;
	sealed = plain(id, object, &frame);
	len = narrow(s, object, &frame, &codec);
	if (len) {
		sealed.codec = codec;
		sealed.bytes = ts_span_of(ts_arena_dup(arena, s->out, len), len);
		if (!sealed.bytes.data)
			return ts_arena_error(arena, err);
	}
	sealed.checksum = checksum_of(sealed.bytes);
	*ret_sealed = sealed;
	return TS_OK;
}

/* The header and refs at the front of sealed words say where the stream begins. */
static enum ts_status widen_words(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len,
				  struct ts_error *err)
{
	size_t front;

	if (in.len < TS_OBJECT_HEADER)
		return ts_error_set(err, TS_DAMAGED, "%zu bytes hold no header", in.len);
	front = TS_OBJECT_HEADER + (size_t)ts_load_le(in.data + 8, 4) * TS_ID_BYTES;
	if (front > in.len || front >= len)
		return ts_error_set(err, TS_DAMAGED, "%zu bytes of header and references do not fit", front);
	memcpy(out, in.data, front);
	return ts_words_decode(s, ts_span_of(in.data + front, in.len - front), out + front, len - front, err);
}

static enum ts_status widen(const struct ts_sealed *sealed, struct ts_arena *arena, struct ts_span *ret_object,
			    struct ts_error *err)
{
	struct ts_scratch *s;
	uint8_t *out;

	if (ts_scratch_get(&s, err))
		return err->status;
	out = ts_arena_alloc(arena, sealed->raw_len);
	if (!out)
		return ts_arena_error(arena, err);
	if (sealed->codec == TS_CODEC_ZSTD ? ts_zstd_decode(s, sealed->bytes, out, sealed->raw_len, err) :
					     widen_words(s, sealed->bytes, out, sealed->raw_len, err))
		return err->status;
	*ret_object = ts_span_of(out, sealed->raw_len);
	return TS_OK;
}

static enum ts_status unseal(const struct ts_sealed *sealed, struct ts_arena *arena, struct ts_span *ret_object,
			     struct ts_error *err)
{
	if (sealed->raw_len > TS_OBJECT_MAX)
		return ts_error_set(err, TS_DAMAGED, "its header says that it has %u bytes, and the limit is %d",
				    sealed->raw_len, TS_OBJECT_MAX);
	if (checksum_of(sealed->bytes) != sealed->checksum)
		return ts_error_set(err, TS_DAMAGED, "the checksum of its %zu stored bytes is wrong",
				    sealed->bytes.len);
	if (sealed->codec > TS_CODEC_WORDS)
		return ts_error_set(err, TS_DAMAGED, "codec %u is not known", sealed->codec);
	if (sealed->codec != TS_CODEC_RAW)
		return widen(sealed, arena, ret_object, err);
	if (sealed->bytes.len != sealed->raw_len)
		return ts_error_set(err, TS_DAMAGED, "has %zu bytes, not %u", sealed->bytes.len, sealed->raw_len);
	*ret_object = sealed->bytes;
	return TS_OK;
}

enum ts_status ts_unseal(const struct ts_sealed *sealed, struct ts_arena *arena, struct ts_span *ret_object,
			 struct ts_error *err)
{
	if (unseal(sealed, arena, ret_object, err))
		return ts_object_error(&sealed->id, err);
	return TS_OK;
}

static enum ts_status check_object(const struct ts_sealed *sealed, struct ts_span bytes, struct ts_error *err)
{
	struct ts_object frame;
	struct ts_id id;

	ts_digest(bytes, &id);
	if (!ts_id_eq(&id, &sealed->id))
		return ts_error_set(err, TS_DAMAGED, "its bytes have another SHA-256");
	if (ts_object_parse(bytes, &frame, err))
		return err->status;
	if (frame.kind != sealed->kind || frame.nrefs != sealed->nrefs)
		return ts_error_set(err, TS_DAMAGED, "is of kind %u with %u references, not of kind %u with %u",
				    frame.kind, frame.nrefs, sealed->kind, sealed->nrefs);
	return TS_OK;
}

enum ts_status ts_sealed_verify(const struct ts_sealed *sealed, struct ts_arena *arena, struct ts_span *ret_object,
				struct ts_error *err)
{
	struct ts_span bytes;

	if (unseal(sealed, arena, &bytes, err) || check_object(sealed, bytes, err))
		return ts_object_error(&sealed->id, err);
	*ret_object = bytes;
	return TS_OK;
}
