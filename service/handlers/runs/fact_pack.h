/* fact_pack.h - a fact of a run as the few bytes that a store keeps beside the run, and back.
 *
 * The bytes are u8 type and u8 source, and then, little-endian: of a boolean u8, of INT and FLOAT 8 bytes, of TEXT and NUMBER the text,
 * of LONG the id and u32 length of its object, and of the others nothing. That a run does not record the fact is one byte, 255.
 * Threads: all functions are pure.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_FACT_PACK_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_FACT_PACK_H

#include "base/buf.h"
#include "run/fact.h"

enum ts_recall {
	TS_RECALL_NOTHING, /* only the head says */
	TS_RECALL_ABSENT,  /* the run does not record it */
	TS_RECALL_FACT,
};

/* Appends a fact, or, if it is NULL, that there is none. False, and nothing is appended: its text is longer than text_max. */
bool ts_fact_pack(const struct ts_fact *fact, size_t text_max, struct ts_buf *out);
/* TS_RECALL_NOTHING: the bytes are not such, or of a newer tscope. The fact has no path, and its text points into bytes. */
enum ts_recall ts_fact_unpack(struct ts_span bytes, struct ts_fact *ret_fact);

#endif
