/* fact_codec.h - the canonical bytes of a list of facts, shared by head and index. Not for other rooms.
 *
 *	u8 type, u8 source, u16 path length, path, then by type: nothing | u8 0 or 1 | i64 | f64 |
 *	u32 length and bytes (TEXT, NUMBER) | u32 length, and one ref (LONG)
 */
#ifndef TSCOPE_RUN_FACT_CODEC_H
#define TSCOPE_RUN_FACT_CODEC_H

#include "run/fact.h"
#include "run/payload.h"

enum { TS_FACT_BYTES_MAX = 4 + 512 + 4 + 1024 };

/* Bytes of the fact, its ref not counted. */
size_t ts_fact_size(const struct ts_fact *fact);
/* Appends it; its ref is the caller's business. */
void ts_fact_encode(const struct ts_fact *fact, struct ts_buf *out);
/* What one of an order to be encoded must hold: limits of path and text. absent: TS_FACT_ABSENT is allowed. */
enum ts_status ts_fact_check(const struct ts_fact *fact, bool absent, struct ts_error *err);
/* Reads one that comes after `before` (NULL = the first); takes its ref. */
enum ts_status ts_fact_decode(struct ts_payload *p, bool absent, const struct ts_fact *before, struct ts_fact *ret_fact,
			      struct ts_error *err);

#endif
