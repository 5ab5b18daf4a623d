/* text_kinds.h - sorts the lines of a log into kinds: by the text around their counters, or before their first named number.
 *
 *	ts_text_kinds_line(&k, line, rank)	each line, cleaned (text_line.h)
 *
 * A counter is a whole number or a fraction that has the name of a step or an epoch ("iter 40", "Epoch [1/6]"), a fraction of no
 * name ("[12/400]"), a number alone in brackets ("[40]"), and what stands before such a one ("Train: 0 [50/1000"). The form of a
 * kind is a template whose counters are COUNTER and WHOLE. Rows of a table (text_table.h) are a kind, too. Lines of higher ranks
 * than a kind's lowest are passed over, and those of none where they are the fewer.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_KINDS_H
#define TSCOPE_INGEST_TEXT_TEXT_KINDS_H

#include "base/arena.h"
#include "ingest/text/text_named.h"
#include "ingest/text/text_table.h"

enum {
	TS_TEXT_COUNTERS = 4,
	TS_TEXT_FORM = 240,
	TS_TEXT_KIND_NAMES = 24,
	TS_TEXT_COUNTER = 1, /* in a form: a counter, and the second number of a fraction */
	TS_TEXT_WHOLE = 2,
};

struct ts_text_counter {
	char name[32]; /* the word before it; empty if it has none */
	int64_t value, least;
	uint64_t rises, falls, sames;
	uint64_t falls_with[TS_TEXT_COUNTERS]; /* falls when the counter before it of that number rose */
	uint64_t falls_after;		       /* falls when a line of another kind with a new epoch stood between */
	bool fraction;			       /* it says how many there will be */
	int64_t whole;			       /* how many, as it said last */
	uint64_t wholes;		       /* how often it said another number than in the line before */
};

struct ts_text_sort {
	uint64_t hash; /* of the form */
	char form[TS_TEXT_FORM];
	/* Lines of a form whose first name is that of an evaluation are a kind of their own, too: what its names begin with
	 * (ts_text_evaluation). NULL: all lines of the form, and the names of one that is of no evaluation. */
	const char *evaluation;
	size_t n_counters;	/* 0: the line has none */
	struct ts_text_counter counters[TS_TEXT_COUNTERS];
	int32_t rank;
	uint64_t unnamed;			/* lines that name no rank, where the others do */
	uint64_t lines, first, last;		/* how many; the number of the first and the last */
	uint64_t fractions;			/* lines with a named number that has decimals */
	uint64_t named, measured;		/* lines with named numbers; with one of what trainings measure */
	uint64_t named_before, measured_before; /* in the text before the counters */
	uint64_t bare;				/* lines with one number behind the counters, and nothing else */
	uint64_t both;				/* lines with numbers that have decimals or are durations before, and others behind */
	uint64_t rich;				/* lines with two such numbers or more, of different names */
	bool table;				/* rows of a table: the form is their template */
	uint64_t plain;				/* lines of named numbers and nothing else */
	uint64_t axes;				/* lines with a number beside the counters whose name is that of an axis */
	uint64_t behind; /* lines of a measure whose number stands behind the counter: "Training loss at step 200: 2.5" */
	uint64_t index;	 /* lines whose counter stands between the name of a measure and its number: "Train loss 40 0.52" */
	uint64_t names[TS_TEXT_KIND_NAMES];	/* hashes of the names of its first line */
	size_t n_names;
};

enum { TS_TEXT_KINDS_ASKED = 64 };

struct ts_text_kinds {
	struct ts_text_sort *items;
	size_t n, cap;
	uint64_t lines;	     /* that are not empty */
	uint64_t rank_lines; /* of them, those of the lowest rank */
	int32_t rank;
	uint64_t numbered;	    /* lines with a number before them, which may be a rank; the caller counts them */
	uint64_t epoch_line;	    /* the last line that only an epoch counts, which rose */
	struct ts_text_table table; /* whose header was seen last */
	struct ts_text_table classes; /* the same of a table of classes */
	bool unranked;		    /* no line names a rank, whatever it says; to be set before the first line */
	bool loose;		    /* the first whole number of a line counts, whatever its name; to be set before the first line */
	struct ts_text_tokens *tokens;
	struct ts_text_record *record;
	struct ts_text_asked {
		uint64_t hash;
		bool known, minimized;
	} asked[TS_TEXT_KINDS_ASKED]; /* what was found of the last names, each by its hash */
};

/* Makes space for so many kinds in the arena. */
enum ts_status ts_text_kinds_init(struct ts_text_kinds *k, size_t cap, struct ts_arena *arena, struct ts_error *err);
void ts_text_kinds_line(struct ts_text_kinds *k, struct ts_span line, int32_t rank);
/* How much of "Training loss (for one batch) at step 200: 2.5" is the name of what is measured; 0: it has no such form. */
size_t ts_text_measure_len(struct ts_span text);
/* Whether the counter has the name of an epoch, and how certain it is the step (ts_log_axis_rank). */
bool ts_text_counter_is_epoch(const struct ts_text_counter *c);
size_t ts_text_counter_rank(const struct ts_text_counter *c);

#endif
