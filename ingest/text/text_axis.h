/* text_axis.h - finds the step of a record of a text log that was read by templates: within epochs, and in blocks of several lines.
 *
 *	for each record: ts_text_axis_look(&a, r)		first, through the whole log
 *	ts_text_axis_begin(&a)					before each further reading
 *	for each record: what = ts_text_axis_step(&a, r, &step)
 *
 * A step that begins again with the next epoch is counted on: epoch times the steps of an epoch, if the line has them ("[20/1299]"),
 * else after the last step of the epoch before. The first epoch is 0 or 1, whichever the log begins with; of a log that begins later
 * it is 0 if steps within an epoch begin with 0. Where no record has a step, the epoch is the step, unless
 * some are parts of one, as "0.25": then no record has any.
 *
 * A record without a step belongs to the record with one before it; or to the one behind it, if none stands behind the last step of
 * the log, or as many before the first step as between two; or, if more stand between two steps than before the first and behind the
 * last, and some between most steps, but as a rule more than behind the last, to a block that ends where a name comes again. If no
 * record has a step, rows are such blocks.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_AXIS_H
#define TSCOPE_INGEST_TEXT_TEXT_AXIS_H

#include "ingest/text/text_record.h"

enum { TS_TEXT_EPOCHS = 4096, TS_TEXT_BLOCK_NAMES = 1024, TS_TEXT_GAPS = 64 };
#define TS_TEXT_BY_STEP UINT64_MAX

enum ts_text_place {
	TS_TEXT_OWN_ROW, /* the record has a step and is a row */
	TS_TEXT_FOLLOWS, /* it has the step of the row before, and no value of a name that has one there (ts_text_axis_gave) */
	TS_TEXT_OPENS,	 /* it belongs to a row that a later record ends */
	TS_TEXT_ENDS,	 /* it has the step of the row that is open, if one is, and is its end */
	TS_TEXT_BLOCK,	 /* it belongs to a block; ts_text_axis_repeats says whether to a new one */
	TS_TEXT_LOST,	 /* it stands before the first step */
};

/* How blocks of lines are made, as said above. */
enum ts_text_shape { TS_TEXT_SHAPE_AFTER, TS_TEXT_SHAPE_BEFORE, TS_TEXT_SHAPE_AROUND, TS_TEXT_SHAPE_NONE };

/* How records with a step stand among those without one. */
struct ts_text_order {
	uint64_t with, before, since, most; /* with a step; without, before the first step, since the last, most between two */
	uint64_t gaps;			    /* how often some stand between two steps */
	uint64_t sizes[TS_TEXT_GAPS];	    /* how often so many do */
};

struct ts_text_axis {
	/* of the whole log */
	struct ts_text_order steps, epochs; /* by the step; by the epoch */
	uint64_t again, on;		    /* how often a new epoch begins the steps again, and goes on with them */
	uint64_t rises, falls;		    /* of the step, except falls with a new epoch */
	int64_t total;			    /* the steps of an epoch; 0: not known, or not always the same */
	int64_t first_epoch, least_epoch, least_step;
	uint64_t filled, empty; /* records with a step that have more than it and an epoch, and that have not */
	bool totals, parts;	/* parts: of an epoch were seen */
	/* what it comes to, since ts_text_axis_begin */
	bool by_epoch; /* no record has a step, and all epochs are whole: the epoch is the step */
	enum ts_text_shape shape;
	/* where it stands */
	bool any, any_epoch;
	int64_t epoch, last, last_epoch, greatest;
	struct {
		int64_t epoch, offset;
	} offsets[TS_TEXT_EPOCHS];
	size_t n_offsets;
	int64_t step; /* the last one, if there was any */
	bool known;
	uint64_t names[TS_TEXT_BLOCK_NAMES];
	uint64_t by[TS_TEXT_BLOCK_NAMES]; /* which kind of line gave the name; TS_TEXT_BY_STEP: one with the step */
	size_t n_names;
};

void ts_text_axis_look(struct ts_text_axis *a, const struct ts_text_record *r);
/* Ends the looking. */
void ts_text_axis_begin(struct ts_text_axis *a);
/* *ret_step is set where the record has a step, or that of the row before. */
enum ts_text_place ts_text_axis_step(struct ts_text_axis *a, const struct ts_text_record *r, int64_t *ret_step);
/* Whether the record has nothing but a step and an epoch, and other records have the rest, as a rule, or those without a step: it is no
 * row. */
bool ts_text_axis_heads(const struct ts_text_axis *a, const struct ts_text_record *r);
/* Whether a record that had the step itself, or a line of another kind behind it, has given the name a value. */
bool ts_text_axis_gave(const struct ts_text_axis *a, struct ts_span name, uint64_t which);
/* Notes what a record without a step has given to the row before it. */
void ts_text_axis_follow(struct ts_text_axis *a, const struct ts_text_record *r);
/* Of a block: whether a name of the record is in it already, so that a new one begins. Keeps the names. */
bool ts_text_axis_repeats(struct ts_text_axis *a, const struct ts_text_record *r);
#endif
