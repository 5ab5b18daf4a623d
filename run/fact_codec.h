/* fact_codec.h - the canonical bytes of a list of facts, shared by head and index; other rooms must not include it.
 *
 *	u8 type, u8 source, u16 path length, path, then by type: nothing | u8 0 or 1 | i64 | f64 |
 *	u32 length and bytes (TEXT, NUMBER) | u32 length, and one ref (LONG)
 */
#ifndef TSCOPE_RUN_FACT_CODEC_H
#define TSCOPE_RUN_FACT_CODEC_H

#include "run/fact.h"
#include "run/payload.h"

enum { TS_FACT_BYTES_MAX = 4 + 512 + 4 + 1024 };

/* The encoded size of the fact in bytes, without its ref. */
size_t ts_fact_size(const struct ts_fact *fact);
/* Appends the encoded fact; the caller writes its ref. */
void ts_fact_encode(const struct ts_fact *fact, struct ts_buf *out);
/* Checks that a fact can be encoded: its path and text are within their limits. TS_FACT_ABSENT is allowed if `absent`. */
enum ts_status ts_fact_check(const struct ts_fact *fact, bool absent, struct ts_error *err);
/* Decodes the fact that follows `before` (NULL: the first one) and takes its ref. TS_DAMAGED if it is not canonical or out of
 * order. */
enum ts_status ts_fact_decode(struct ts_payload *p, bool absent, const struct ts_fact *before, struct ts_fact *ret_fact,
			      struct ts_error *err);

#endif
