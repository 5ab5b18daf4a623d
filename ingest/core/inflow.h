/* inflow.h - the bytes of a source from the beginning on, unpacked if they are gzip: by the first bytes, not by the name.
 *
 *	ts_inflow_open(&source, &in, err)
 *	while (ts_inflow_read(in, to, n, &got, err) == TS_OK && got) ...
 *	ts_inflow_end(in)			what the end was like
 *	ts_inflow_close(in)
 *
 * Several gzip members one after the other are one stream, as gzip defines it, and zeros may follow the last. What stands before damage
 * comes first, whatever the sizes that are asked for, and TS_DAMAGED with its byte after it. Other errors: TS_TOO_LARGE beyond
 * TS_INFLOW_MAX unpacked bytes, TS_CANCELLED by the source's progress, which counts packed bytes, TS_IO, TS_NO_MEMORY. All name the
 * source, which must outlive it.
 *
 * Threads: one at a time. Where a core is free, a helper unpacks what comes next beside the caller; progress is told by the caller's
 * thread alone.
 */
#ifndef TSCOPE_INGEST_CORE_INFLOW_H
#define TSCOPE_INGEST_CORE_INFLOW_H

#include "ingest/core/source.h"

/* Packed zeros unpack to a thousand times their size: no file that somebody recorded has so many bytes. */
#define TS_INFLOW_MAX (UINT64_C(64) << 30)

struct ts_inflow;

/* How the source ended, as far as it was read. */
struct ts_inflow_end {
	bool cut;	   /* inside a member of gzip */
	uint64_t trailing; /* bytes behind the last member, which were not looked at */
};

enum ts_status ts_inflow_open(const struct ts_source *source, struct ts_inflow **ret_inflow, struct ts_error *err);
void ts_inflow_close(struct ts_inflow *in); /* NULL is allowed */
bool ts_inflow_packed(const struct ts_inflow *in);
/* n > 0. *ret_got is 0 at the end alone; it may be less than n before. */
enum ts_status ts_inflow_read(struct ts_inflow *in, void *to, size_t n, size_t *ret_got, struct ts_error *err);
struct ts_inflow_end ts_inflow_end(const struct ts_inflow *in);
/* TS_DAMAGED if the source is cut or has trailing bytes, as far as it was read. */
enum ts_status ts_inflow_whole(const struct ts_inflow *in, struct ts_error *err);

#endif
