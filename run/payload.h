/* payload.h - what the codecs of this room share: opening a frame, canonical doubles, arrays that grow in an arena.
 *
 * Other rooms must not include it.
 */
#ifndef TSCOPE_RUN_PAYLOAD_H
#define TSCOPE_RUN_PAYLOAD_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/object.h"
#include "run/kind.h"

/* Every NaN becomes 0x7ff8000000000000; all other bits stay as they are. */
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

/* Parses the frame and checks the kind (TS_DAMAGED if it is another), the version (TS_UNSUPPORTED) and the layout. */
enum ts_status ts_payload_open(struct ts_span object, enum ts_kind kind, enum ts_layout layout,
			       struct ts_object *ret_frame, struct ts_error *err);

/* A payload that is read forward, together with its refs, each of which is taken once, in the order of the payload. */
struct ts_payload {
	struct ts_cursor c;
	struct ts_object frame;
	uint32_t refs_used;
};

struct ts_payload ts_payload_of(const struct ts_object *frame);
/* The position of the cursor as a byte offset in the object. */
size_t ts_payload_at(const struct ts_payload *p);
/* Takes the next ref. If there is none, it returns false and the cursor fails. */
bool ts_payload_ref(struct ts_payload *p, struct ts_id *ret_id);
/* TS_DAMAGED unless every byte and every ref was taken. */
enum ts_status ts_payload_end(const struct ts_payload *p, struct ts_error *err);

/* Grows an array in an arena that holds n items, and whose room is always the power of two at or above n. Returns an array
 * with room for n + more items, the new ones zeroed, or NULL when the arena is full. */
void *ts_arena_more(struct ts_arena *arena, void *items, size_t n, size_t more, size_t size);

#endif
