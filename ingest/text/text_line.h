/* text_line.h - takes from a line of a text log what a terminal or a launcher added to it.
 *
 *	colours and cursor movements	"\x1b[32mloss" is "loss"
 *	the rank before a line		"[rank3]: ", "[default3]:" (torchrun), "3: " (srun --label), "[1,3]<stdout>:" (mpirun),
 *					"(RayTrainWorker pid=3) " (Ray), which is a process and no rank. Of two,
 *					as in "1: [default3]: ", the outer one may be that of a node
 *	a time with its zone		"2026-11-20T11:27:00.5Z " (kubectl, docker). A time without a zone stays in the text, since
 *					nobody can say which instant it is
 *
 * A rank that the program itself prints behind other words stays in the text: "INFO [Rank 3] step 5", "step=5 rank=3", "[GPU3] step 5".
 * How certain it is that it is one is said beside it; who prints the steps of a whole log is text_ranks.h's to say.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_LINE_H
#define TSCOPE_INGEST_TEXT_TEXT_LINE_H

#include "base/buf.h"

enum { TS_TEXT_NO_RANK = -1 };

/* By what a line names its rank, the less certain first. */
enum ts_text_naming {
	TS_TEXT_UNNAMED,
	TS_TEXT_BY_TEXT,   /* in what the program prints */
	TS_TEXT_BY_NUMBER, /* "3: ", which may be a step */
	TS_TEXT_BY_WORD,   /* "[worker3]: ", "[fold3]: " */
	TS_TEXT_BY_RANK,   /* a word that says so */
};

struct ts_text_line {
	struct ts_span text;
	struct ts_span numbered; /* with the "3: " or "[Rank 3] " before it, which may be of the program; otherwise as text */
	struct ts_span time;	 /* RFC 3339; empty if the line has none */
	int32_t rank;		 /* TS_TEXT_NO_RANK if the line names none */
	int32_t outer;		 /* of the prefix before that of the rank; TS_TEXT_NO_RANK: there is none */
	enum ts_text_naming naming;
	struct ts_span word; /* of TS_TEXT_BY_WORD: "fold" */
};

/* Cleans a line. The spans of the result point into raw or into scratch, which is overwritten. */
enum ts_status ts_text_line_clean(struct ts_span raw, struct ts_buf *scratch, struct ts_text_line *ret_line, struct ts_error *err);

#endif
