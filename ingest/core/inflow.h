/* inflow.h - the bytes of a source from the beginning on, unpacked if they are gzip.
 *
 *	ts_inflow_open(&source, &in, err)	looks at the first bytes
 *	ts_inflow_read(in, to, n, &got, err)	got < n only at the end
 *	ts_inflow_close(in)
 *
 * Several gzip members one after the other are one stream, as gzip defines it. Errors name the source: TS_DAMAGED where packed data is
 * cut or wrong, TS_TOO_LARGE beyond TS_INFLOW_MAX unpacked bytes, TS_CANCELLED by the source's progress, TS_IO, TS_NO_MEMORY.
 * The source must outlive it. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_CORE_INFLOW_H
#define TSCOPE_INGEST_CORE_INFLOW_H

#include "ingest/core/source.h"

/* Packed zeros unpack to a thousand times their size: no file that somebody recorded has so many bytes. */
#define TS_INFLOW_MAX (UINT64_C(64) << 30)

struct ts_inflow;

enum ts_status ts_inflow_open(const struct ts_source *source, struct ts_inflow **ret_inflow, struct ts_error *err);
void ts_inflow_close(struct ts_inflow *in); /* NULL is allowed */
enum ts_status ts_inflow_read(struct ts_inflow *in, void *to, size_t n, size_t *ret_got, struct ts_error *err);

#endif
