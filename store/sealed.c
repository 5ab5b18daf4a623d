#include "store/sealed.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "store/codec.h"
#include "store/deflate.h"
#include "store/line_forms.h"

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

/* --- a sealer --- */

enum { HELPS_FROM = 1024 };

struct ts_sealer {
	struct ts_trail trail;
};

bool ts_sealer_helps(struct ts_span object)
{
	struct ts_object frame;
	struct ts_error ignored;

	return !ts_object_parse(object, &frame, &ignored) && frame.layout == TS_LAYOUT_BYTES && !frame.nrefs &&
	       frame.payload.len >= HELPS_FROM;
}

enum ts_status ts_sealer_create(struct ts_sealer **ret_sealer, struct ts_error *err)
{
	struct ts_sealer *sealer = ts_alloc_array(1, sizeof *sealer);

	if (!sealer)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a sealer");
	*ret_sealer = sealer;
	return TS_OK;
}

void ts_sealer_destroy(struct ts_sealer *sealer)
{
	if (sealer)
		ts_trail_finish(&sealer->trail);
	ts_free(sealer);
}

void ts_sealer_pass(struct ts_sealer *sealer, struct ts_span object)
{
	struct ts_error ignored;

	if (ts_sealer_helps(object))
		(void)ts_trail_follow(&sealer->trail, ts_span_from(object, TS_OBJECT_HEADER), &ignored);
}

/* Seals the payload by its text, behind the header. TS_UNSUPPORTED, TS_TOO_LARGE: it has none, or that is not smaller. */
static enum ts_status seal_text(struct ts_sealer *sealer, struct ts_span object, struct ts_buf *out, uint8_t *ret_codec,
				struct ts_error *err)
{
	struct ts_span payload = ts_span_from(object, TS_OBJECT_HEADER);
	struct ts_scratch *s;
	enum ts_status status = ts_scratch_get(&s, err);

	if (status)
		return status;
	ts_buf_span(out, ts_span_part(object, 0, TS_OBJECT_HEADER));
	*ret_codec = TS_CODEC_DEFLATE;
	status = ts_deflate_encode(s, &sealer->trail, payload, out, err);
	if (status != TS_UNSUPPORTED || sealer->trail.open)
		return status;
	*ret_codec = TS_CODEC_LINES;
	return ts_lines_encode(s, payload, out, err);
}

enum ts_status ts_sealer_seal(struct ts_sealer *sealer, const struct ts_id *id, struct ts_span object, struct ts_arena *arena,
			      struct ts_sealed *ret_sealed, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(object.len);
	enum ts_status status = ts_seal(id, object, arena, ret_sealed, err);
	struct ts_error why;
	uint8_t codec;

	if (status || !ts_sealer_helps(object))
		return status;
	status = seal_text(sealer, object, &out, &codec, &why);
	if (!status && out.len < ret_sealed->bytes.len) {
		ret_sealed->codec = codec;
		ret_sealed->bytes = ts_span_of(ts_arena_dup(arena, out.data, out.len), out.len);
		ret_sealed->checksum = checksum_of(ret_sealed->bytes);
		status = ret_sealed->bytes.data ? TS_OK : ts_arena_error(arena, err);
	} else if (status == TS_NO_MEMORY) {
		*err = why;
	} else {
		status = TS_OK;
	}
	ts_buf_finish(&out);
	return status;
}

/* --- unsealing --- */

/* The header and refs stand unchanged at the front, and say where the payload begins. */
static enum ts_status widen_payload(struct ts_scratch *s, const struct ts_sealed *sealed, uint8_t *out, struct ts_error *err)
{
	size_t front, len = sealed->raw_len;
	struct ts_span in = sealed->bytes;

	if (in.len < TS_OBJECT_HEADER)
		return ts_error_set(err, TS_DAMAGED, "%zu bytes hold no header", in.len);
	front = TS_OBJECT_HEADER + (size_t)ts_load_le(in.data + 8, 4) * TS_ID_BYTES;
	if (front > in.len || front >= len)
		return ts_error_set(err, TS_DAMAGED, "%zu bytes of header and references do not fit", front);
	memcpy(out, in.data, front);
	in = ts_span_from(in, front);
	if (sealed->codec == TS_CODEC_LINES)
		return ts_lines_decode(s, in, out + front, len - front, err);
	if (sealed->codec == TS_CODEC_DEFLATE)
		return ts_deflate_decode(s, in, out + front, len - front, err);
	return ts_words_decode(s, in, out + front, len - front, err);
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
					     widen_payload(s, sealed, out, err))
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
	if (sealed->codec > TS_SEALED_CODECS)
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
