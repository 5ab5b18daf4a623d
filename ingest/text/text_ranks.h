/* text_ranks.h - who prints the lines of steps of a text log: one process, or several whose lines stand among each other.
 *
 *	for each piece of the log, in order: ts_text_ranks_add(&r, &line, what, step, err)
 *	switch (ts_text_ranks_verdict(&r)) ...
 *	ts_text_ranks_at(&r, piece)				whose it is, in each further reading
 *
 * "[rank3]: ", "[default3]:" and "[1,3]<stdout>:" are ranks. Another number is one if it does not count: if the step goes on, as a
 * rule, where a higher number follows ("0: step 9", "1: step 10"), it is an epoch, a minute or a step itself. Where lines have no step,
 * it is one if the numbers go round. A word that is no place of a process ("[fold3]: ") tells parts apart that are no ranks of one run.
 *
 * Where a line has two prefixes and the inner one comes again below several outer ones, the outer one is the node, and ranks are
 * counted through all nodes, with as many on each as on the one that has most.
 *
 * Ownership: the caller finishes it. Memory: 2 bytes a line, and beyond TS_TEXT_PIECES_MAX lines or TS_TEXT_RANKS ranks the lowest rank
 * alone is read. Errors: TS_NO_MEMORY. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_RANKS_H
#define TSCOPE_INGEST_TEXT_TEXT_RANKS_H

#include "ingest/text/text_line.h"

enum { TS_TEXT_RANKS = 1024, TS_TEXT_PIECES_MAX = 32 << 20, TS_TEXT_NOBODY = 0xffff, TS_TEXT_ANYBODY = 0xfffe };

enum ts_text_who {
	TS_TEXT_ONE,	/* nothing that lines begin with names a rank: all are one process's */
	TS_TEXT_LOWEST, /* lines of one rank, or of none, are read: r->lowest */
	TS_TEXT_MANY,	/* lines of several ranks of one run: r->items[r->order[i]], i < r->n_order */
};

enum ts_text_what { TS_TEXT_OTHER, TS_TEXT_STEP, TS_TEXT_SHARED }; /* a line of a step; one that says something to all ranks */

struct ts_text_printer {
	int32_t outer, inner; /* as in ts_text_line */
	int32_t rank;	      /* of the run; set by the verdict */
	uint64_t lines;
};

struct ts_text_ranks {
	struct ts_text_printer items[TS_TEXT_RANKS];
	size_t n;
	uint16_t order[TS_TEXT_RANKS]; /* those that print steps, by their rank */
	size_t n_order;
	int32_t lowest, lowest_outer; /* TS_TEXT_NO_RANK: lines that name none */
	char word[16];		      /* before the numbers, where it is no place of a process */
	uint64_t unnamed;	      /* lines of steps that name no rank */
	enum ts_text_naming naming;   /* the least certain one */
	bool full, other_word;
	/* how one line follows another */
	uint64_t changes, kept, known, falls;
	int64_t highest;
	bool any, any_step;
	size_t last;
	/* whose each piece is */
	uint16_t *whose;
	size_t before, n_pieces, cap;
};

/* step: NULL if the line has none. */
enum ts_status ts_text_ranks_add(struct ts_text_ranks *r, const struct ts_text_line *line, enum ts_text_what what, const int64_t *step,
				 struct ts_error *err);
enum ts_text_who ts_text_ranks_verdict(struct ts_text_ranks *r);
/* The item of that piece; TS_TEXT_NOBODY: it has none; TS_TEXT_ANYBODY: all ranks read it. */
size_t ts_text_ranks_at(const struct ts_text_ranks *r, size_t piece);
void ts_text_ranks_reset(struct ts_text_ranks *r);
void ts_text_ranks_finish(struct ts_text_ranks *r);

#endif
