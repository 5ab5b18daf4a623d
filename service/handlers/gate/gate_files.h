/* gate_files.h - a file that a baseline kept and one that the candidate kept, such as traces, to be compared for a verdict's why.
 *
 * Of each side it is that of the first run that has some; baselines come newest first.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_GATE_FILES_H
#define TSCOPE_SERVICE_HANDLERS_GATE_GATE_FILES_H

#include "analysis/gate/gate.h"
#include "run/trace_list.h"
#include "service/handlers/core/read.h"

enum { TS_GATE_FILES_RANKS = 8 };

/* ts_run_traces or ts_run_snapshots. */
typedef enum ts_status ts_gate_lister(ts_object_source *get, void *ctx, const struct ts_id *head, struct ts_arena *arena,
				      struct ts_run_trace **ret_files, size_t *ret_n, struct ts_error *err);

/* Compares the file of the baseline with that of the candidate: what they come to, as a row, whose name may be of any
 * length and lie in `own`; and by how much the candidate has more, to tell ranks by. */
typedef enum ts_status ts_gate_comparer(struct ts_fetch *f, const struct ts_run_trace *const of[2], struct ts_arena *own,
					struct ts_gate_why *ret, double *ret_more, struct ts_error *err);

/* Compares, of each of the first `ranks` ranks (at most TS_GATE_FILES_RANKS) of which both runs have files, the first one of each, if
 * there are some those of the same name, and puts the row of the rank that has most more in front of the verdict's why, with the rank
 * where several were compared. Does nothing if there is no such rank. */
enum ts_status ts_gate_files_why(struct ts_fetch *f, struct ts_verdict *v, ts_gate_lister *list, ts_gate_comparer *row_of, size_t ranks,
				 struct ts_arena *arena, struct ts_error *err);

#endif
