/* analyze_notes.h - adds notes, which are sentences, to an analysis: which rank it shows, what was left out, what is missing. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_NOTES_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_NOTES_H

#include "analysis/rank/step_gaps.h"
#include "proto/wire.h"
#include "service/handlers/core/describe.h"

/* Where notes go. analysis->run and warmup_cut must be set before the notes about them. */
struct ts_notes {
	struct ts_analysis *analysis;
	struct ts_arena *arena;
};

bool ts_rank_has_steps(const struct ts_index *index);

enum ts_status ts_note_rank(struct ts_notes *a, const struct ts_analyze_request *request, const struct ts_index *index,
			    struct ts_error *err);
/* Step times are differences of timestamps. */
enum ts_status ts_note_stamped(struct ts_notes *a, struct ts_error *err);
enum ts_status ts_note_overlapped(struct ts_notes *a, struct ts_error *err);
/* Notes which steps a series lacks. */
enum ts_status ts_note_gaps(struct ts_notes *a, struct ts_span column, const struct ts_step_gaps *gaps, struct ts_error *err);
/* Notes how many rows have the timestamp of others beside them; any: the times of some steps are known. */
enum ts_status ts_note_coarse(struct ts_notes *a, uint64_t rows, bool any, struct ts_error *err);
/* Notes where the memory of the device comes from, if the request gives it, and what the run says. */
enum ts_status ts_note_device_memory(struct ts_notes *a, const struct ts_analyze_request *request,
				     const struct ts_work_number *recorded, struct ts_error *err);
/* of_run: the run itself declares the warm-up that the request has. */
enum ts_status ts_note_warmup(struct ts_notes *a, const struct ts_analyze_request *request, bool of_run, struct ts_error *err);
enum ts_status ts_note_missing(struct ts_notes *a, const struct ts_description *d, struct ts_error *err);
/* Notes the ranks of the run that have no phases. */
enum ts_status ts_note_untimed(struct ts_notes *a, const int32_t *ranks, size_t n, struct ts_error *err);
enum ts_status ts_note_superseded(struct ts_notes *a, const struct ts_index *index, struct ts_error *err);
/* Notes which of the n files of a rank counts ("traces", "memory snapshots"), and how many other ranks have several. */
enum ts_status ts_note_files(struct ts_notes *a, const char *what, int32_t rank, size_t n, struct ts_span name, size_t others,
			     struct ts_error *err);
/* Notes the last by name of n memory snapshots of which nothing says whose they are, and whether it counts. */
enum ts_status ts_note_snapshot_of_any(struct ts_notes *a, size_t n, struct ts_span name, bool counts, struct ts_error *err);
/* Notes that the figures of a trace count nowhere: it names a rank of which the run has no steps, or none, which is TS_RANK_JOB.
 * others: how many more there are. */
enum ts_status ts_note_unused_trace(struct ts_notes *a, struct ts_span name, int32_t rank, size_t others, struct ts_error *err);
/* Notes that a series was taken from another rank, because the rank in view lacks it. */
enum ts_status ts_note_elsewhere(struct ts_notes *a, struct ts_span series, int32_t rank, struct ts_error *err);
/* Returns TS_NOT_FOUND with a text that names the ranks of the run. */
enum ts_status ts_no_such_rank(const struct ts_run *run, int32_t rank, struct ts_error *err);

#endif
