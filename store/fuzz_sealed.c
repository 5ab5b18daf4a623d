/* fuzz_sealed.c - reads any bytes as a sealed object: codec, nrefs and raw_len come first, the sealed bytes after them. The
 * target sets the right checksum, since otherwise no code after that check would be reached. Besides not crashing: an object
 * that opens has the stated length; an object that verifies is a frame, and sealing it again gives the same id and the same
 * bytes back.
 */
#include "base/cursor.h"
#include "base/limits.h"
#include "store/sealed.h"
#include "store/test_seal.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdlib.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_frame(struct ts_sealed *sealed, struct ts_span object, struct ts_arena *arena)
{
	struct ts_object frame;
	struct ts_sealed again;
	struct ts_span back;
	struct ts_error err;

	if (ts_object_parse(object, &frame, &err))
		return;
	sealed->kind = frame.kind;
	sealed->nrefs = frame.nrefs;
	ts_digest(object, &sealed->id);
	hold(ts_sealed_verify(sealed, arena, &back, &err) == TS_OK);
	hold(test_seal_bytes(object, arena, &again, &err) == TS_OK);
	hold(ts_id_eq(&again.id, &sealed->id));
	hold(ts_sealed_verify(&again, arena, &back, &err) == TS_OK);
	hold(ts_span_eq(back, object));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_cursor c = ts_cursor_of(ts_span_of(data, size));
	struct ts_sealed sealed = {{{0}}, 0, 0, 0, 0, 0, {NULL, 0}};
	struct ts_span object = {0};
	struct ts_arena arena;
	struct ts_error err;

	if (ts_digest_init(&err))
		abort();
	sealed.codec = ts_cursor_u8(&c);
	sealed.nrefs = ts_cursor_u16(&c);
	sealed.raw_len = ts_cursor_u32(&c);
	if (c.failed)
		return 0;
	sealed.bytes = ts_cursor_bytes(&c, ts_cursor_left(&c));
	sealed.checksum = XXH3_64bits(sealed.bytes.data, sealed.bytes.len);
	ts_arena_init(&arena, 64 << 20);
	hold(ts_sealed_verify(&sealed, &arena, &object, &err) != TS_OK); /* nobody guesses a SHA-256 */
	if (ts_unseal(&sealed, &arena, &object, &err) == TS_OK) {
		hold(object.len == sealed.raw_len);
		check_frame(&sealed, object, &arena);
	}
	ts_arena_finish(&arena);
	return 0;
}
