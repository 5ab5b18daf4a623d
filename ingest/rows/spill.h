/* spill.h - sorts records by step in bounded memory, through an unnamed file if there are many.
 *
 *	ts_spill_create(memory, &s, err)
 *	ts_spill_add(s, step, bytes, err)		in any order of steps
 *	ts_spill_next(s, &step, &bytes, &more, err)	after the last add; bytes are valid until the next call
 *	ts_spill_destroy(s)
 *
 * `memory` limits the bytes held while records are added (it is at least the largest record). Reading back takes 256 KiB for each
 * `memory` bytes that went to the file. The file lies in TMPDIR, else in /tmp. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_ROWS_SPILL_H
#define TSCOPE_INGEST_ROWS_SPILL_H

#include "base/error.h"
#include "base/span.h"

enum { TS_SPILL_RECORD_MAX = 16 << 20 };

struct ts_spill;

enum ts_status ts_spill_create(size_t memory, struct ts_spill **ret_spill, struct ts_error *err);
void ts_spill_destroy(struct ts_spill *s); /* NULL is allowed */
enum ts_status ts_spill_add(struct ts_spill *s, int64_t step, struct ts_span bytes, struct ts_error *err);
enum ts_status ts_spill_next(struct ts_spill *s, int64_t *ret_step, struct ts_span *ret_bytes, bool *ret_more, struct ts_error *err);

/* Opens an unnamed file in the temporary directory. */
enum ts_status ts_spill_file(int *ret_fd, struct ts_error *err);

#endif
