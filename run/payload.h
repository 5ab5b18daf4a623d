/* payload.h - what the codecs of this room share: opening a frame, canonical doubles, arrays that grow in an arena.
 *
 * Not for other rooms.
 */
#ifndef TSCOPE_RUN_PAYLOAD_H
#define TSCOPE_RUN_PAYLOAD_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/object.h"
#include "run/kind.h"

/* Every NaN becomes 0x7ff8000000000000; everything else stays. */
static inline uint64_t ts_f64_canonical(uint64_t bits)
{
	return (bits & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000) ? UINT64_C(0x7ff8000000000000)
										    : bits;
}

static inline uint64_t ts_f64_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return ts_f64_canonical(bits);
}

/* Checks the frame, the kind (TS_DAMAGED if another), the version (TS_UNSUPPORTED) and the layout. */
enum ts_status ts_payload_open(struct ts_span object, enum ts_kind kind, enum ts_layout layout,
			       struct ts_object *ret_frame, struct ts_error *err);

/* A payload that is read forward, its refs beside it: each is taken once, in the payload's order. */
struct ts_payload {
	struct ts_cursor c;
	struct ts_object frame;
	uint32_t refs_used;
};

struct ts_payload ts_payload_of(const struct ts_object *frame);
/* Where the cursor stands, as a byte offset of the object. */
size_t ts_payload_at(const struct ts_payload *p);
/* False (and the cursor fails) when there is no further ref. */
bool ts_payload_ref(struct ts_payload *p, struct ts_id *ret_id);
/* TS_DAMAGED unless every byte and every ref was taken. */
enum ts_status ts_payload_end(const struct ts_payload *p, struct ts_error *err);

/* An array in an arena that holds n items and whose room is always the power of two at or above n: returns one with room
 * for n + more (new items zeroed), or NULL. */
void *ts_arena_more(struct ts_arena *arena, void *items, size_t n, size_t more, size_t size);

#endif
