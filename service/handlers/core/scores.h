/* scores.h - what the columns of a run came to (run/score.h): made when the run is committed, and kept beside it as extracts.
 *
 * A column that is there at steps and holds numbers has a score: that of the lowest rank that recorded it. Scores are derived: they
 * are no part of a run's id, and a store whose runs came from an older version lacks theirs until somebody makes them (ts_scores_of,
 * gc). A run that has all of its scores has a mark, so that a column without a score is known not to be there.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_SCORES_H
#define TSCOPE_SERVICE_HANDLERS_CORE_SCORES_H

#include "run/score.h"
#include "service/handlers/core/read.h"

struct ts_column_score {
	struct ts_span name;
	int32_t rank; /* whose values these are */
	struct ts_score score;
};

struct ts_scores {
	struct ts_column_score *items; /* sorted by name */
	size_t n;
};

/* Reads those blocks of the run's columns that block_scores.h does not remember, which takes some 10 ns a value. */
enum ts_status ts_scores_make(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_scores *ret_scores,
			      struct ts_error *err);
/* The extracts by which an engine keeps the scores, with the mark. */
enum ts_status ts_scores_extracts(const struct ts_scores *scores, struct ts_arena *arena, struct ts_extract **ret_extracts,
				  size_t *ret_n, struct ts_error *err);
/* Whether the run has the mark. */
enum ts_status ts_scores_kept(struct ts_fetch *f, const struct ts_id *run, bool *ret_kept, struct ts_error *err);
/* The scores that are kept, or new ones, which are then kept if the engine can. */
enum ts_status ts_scores_of(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_scores *ret_scores,
			    struct ts_error *err);

/* Holds what is kept of a run with the mark to the steps of the run, all of which it reads: TS_DAMAGED names the first column whose
 * score is missing or another one. */
enum ts_status ts_scores_verify(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_error *err);

/* The key of the extracts of a column, and that of the mark. */
void ts_score_key(struct ts_span column, struct ts_extract_key *ret_key);
void ts_score_mark(struct ts_extract_key *ret_key);

#endif
