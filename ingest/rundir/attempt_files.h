/* attempt_files.h - the recordings that the attempts of a training left in the directory of one rank, and what is said of them.
 *
 *	ts_attempts_open(&a, dir, &progress, notices, arena, err)	a.n == 0: the rank has no recording
 *	ts_attempts_facts(&a, dir, &own, notices, arena, &facts, err)
 *	ts_attempts_close(&a)
 *
 * Of a run of one attempt the facts are those of its files and of its recording. Of several, those of the first attempt stay, later
 * ones add what it did not say, the end is that of the last, and `session.attempts.K.*` says for each where it began, how far it came,
 * how it ended and which facts changed (docs/run-directory.md, Attempts). Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RUNDIR_ATTEMPT_FILES_H
#define TSCOPE_INGEST_RUNDIR_ATTEMPT_FILES_H

#include "ingest/recording/recording.h"
#include "ingest/rundir/layout.h"
#include "run/fact.h"

struct ts_attempt {
	uint32_t number; /* from 1; ascending, and one may be missing */
	struct ts_source source;
	struct ts_recording *recording;
};

struct ts_attempts {
	struct ts_attempt *items;
	size_t n;
	bool looked;
};

/* Opens the recordings of the rank at the first call, and reads each once. A missing one is told as `lost_attempt`. TS_INVALID: there
 * is a steps.jsonl, too. TS_TOO_LARGE: more than TS_ATTEMPTS_MAX. */
enum ts_status ts_attempts_open(struct ts_attempts *a, const struct ts_rank_dir *dir, struct ts_read_progress *progress,
				struct ts_notices *notices, struct ts_arena *arena, struct ts_error *err);
void ts_attempts_close(struct ts_attempts *a);
/* The size of all recordings in the directory, without opening them for long. */
uint64_t ts_attempts_size(const struct ts_rank_dir *dir, struct ts_arena *arena);
/* own: what run.json and facts.json of the rank say. a->n > 0. */
enum ts_status ts_attempts_facts(const struct ts_attempts *a, const struct ts_rank_dir *dir, const struct ts_facts *own,
				 struct ts_notices *notices, struct ts_arena *arena, struct ts_facts *ret_facts, struct ts_error *err);

#endif
