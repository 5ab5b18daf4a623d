/* text_line.h - takes from a line of a text log what a terminal or a launcher added to it.
 *
 *	colours and cursor movements	"\x1b[32mloss" is "loss"
 *	the rank before a line		"[rank3]: ", "[default3]:" (torchrun), "3: " (srun --label), "[1,3]<stdout>:" (mpirun)
 *	a time with its zone		"2026-11-20T11:27:00.5Z " (kubectl, docker). A time without a zone stays in the text, since
 *					nobody can say which instant it is
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_LINE_H
#define TSCOPE_INGEST_TEXT_TEXT_LINE_H

#include "base/buf.h"

enum { TS_TEXT_NO_RANK = -1 };

struct ts_text_line {
	struct ts_span text;
	struct ts_span numbered; /* with the "3: " before it, which may be a step instead of a rank; otherwise as text */
	struct ts_span time;	 /* RFC 3339; empty if the line has none */
	int32_t rank;		 /* TS_TEXT_NO_RANK if the line names none */
};

/* Cleans a line. The spans of the result point into raw or into scratch, which is overwritten. */
enum ts_status ts_text_line_clean(struct ts_span raw, struct ts_buf *scratch, struct ts_text_line *ret_line, struct ts_error *err);

#endif
