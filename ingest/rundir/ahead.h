/* ahead.h - gives the records of a range one by one, which a helper reads ahead where there is one and the records allow it.
 *
 *	ts_ahead_init(&a, &range, &record, notices)
 *	while (ts_ahead_next(&a, &taken, &more, err) == TS_OK && more) ... taken
 *	ts_ahead_finish(&a)
 *
 * The helper takes records of known shapes, a batch at a time, while the caller uses the batch before. For any other record it is
 * waited for, so that keys, notices and shapes belong to the caller's thread alone; the next READ_HERE records are then read without
 * it. So the records, notices and errors are the same with and without a helper. Progress is told by whoever reads the file.
 */
#ifndef TSCOPE_INGEST_RUNDIR_AHEAD_H
#define TSCOPE_INGEST_RUNDIR_AHEAD_H

#include "base/helper.h"
#include "ingest/rundir/range.h"

struct ts_taken {
	int64_t step;
	uint64_t line, offset; /* where the record begins in the file */
	const struct ts_cell *cells; /* valid until the next call */
	size_t n;
	bool restart; /* a line before it says that training began again */
};

struct ts_batch {
	struct ts_taken *items;
	struct ts_cell *cells;
	size_t n, at, n_cells;
	bool full; /* it did not end because of a record that needs the caller */
	struct ts_error err; /* of reading the file after these records */
};

struct ts_ahead {
	struct ts_range *range;
	struct ts_record *record;
	struct ts_notices *notices;
	struct ts_helper *helper;
	struct ts_batch batches[2];
	unsigned now;	 /* the batch that is being given to the caller; the helper fills the other one */
	bool filling;
	uint32_t here;	 /* how many records are still read without the helper */
};

void ts_ahead_init(struct ts_ahead *a, struct ts_range *range, struct ts_record *record, struct ts_notices *notices);
void ts_ahead_finish(struct ts_ahead *a);
/* Returns whether the record that was just given was the last of those that are read without the helper. Until the next call,
 * the range and the helper are then the caller's; ts_ahead_moved says that he has used them. */
bool ts_ahead_rests(const struct ts_ahead *a);
void ts_ahead_moved(struct ts_ahead *a);
/* Fails as ts_range_next does, after the records before the place of the error. */
enum ts_status ts_ahead_next(struct ts_ahead *a, struct ts_taken *ret_taken, bool *ret_more, struct ts_error *err);

#endif
