/* block.h - converts blocks of keys and values to their canonical bytes and back.
 *
 * Encoders append a whole object (frame included). Decoders check the frame, the kind, and that there are exactly `rows`
 * rows, and copy the rows out, since blocks may lie unaligned; they return TS_DAMAGED if a check fails.
 */
#ifndef TSCOPE_RUN_BLOCK_H
#define TSCOPE_RUN_BLOCK_H

#include "base/arena.h"
#include "base/buf.h"
#include "run/kind.h"

void ts_block_keys_encode(const int64_t *keys, size_t rows, struct ts_buf *out);
void ts_block_f64_encode(const double *values, size_t rows, struct ts_buf *out); /* makes every NaN canonical */
void ts_block_u64_encode(const uint64_t *values, size_t rows, struct ts_buf *out);
/* codes[i] is an index of entries. Entries are in order of first appearance; each is used, and none stands twice. */
void ts_block_text_encode(const struct ts_span *entries, size_t n_entries, const uint32_t *codes, size_t rows,
			  struct ts_buf *out);

/* Checks what a block says without its index: keys increase, every NaN is the canonical one. TS_DAMAGED if not; objects of other kinds
 * pass. */
enum ts_status ts_block_check(struct ts_span object, struct ts_error *err);

enum ts_status ts_block_keys_decode(struct ts_span object, size_t rows, int64_t *out, struct ts_error *err);
enum ts_status ts_block_f64_decode(struct ts_span object, size_t rows, double *out, struct ts_error *err);
enum ts_status ts_block_u64_decode(struct ts_span object, size_t rows, uint64_t *out, struct ts_error *err);
/* out[i] points into object. */
enum ts_status ts_block_text_decode(struct ts_span object, size_t rows, struct ts_arena *arena, struct ts_span *out,
				    struct ts_error *err);

#endif
