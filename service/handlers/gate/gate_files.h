/* gate_files.h - a file that a baseline kept and one that the candidate kept, such as traces, to be compared for a verdict's why.
 *
 * Of each side it is that of the first run that has some; baselines come newest first.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_GATE_FILES_H
#define TSCOPE_SERVICE_HANDLERS_GATE_GATE_FILES_H

#include "analysis/gate/gate.h"
#include "run/trace_list.h"
#include "service/handlers/core/read.h"

/* ts_run_traces or ts_run_snapshots. */
typedef enum ts_status ts_gate_lister(ts_object_source *get, void *ctx, const struct ts_id *head, struct ts_arena *arena,
				      struct ts_run_trace **ret_files, size_t *ret_n, struct ts_error *err);

/* Of the baseline and of the candidate the first file of the first rank that both have, if there is such a rank one of the same
 * name; both NULL if there is none. */
enum ts_status ts_gate_files(struct ts_fetch *f, const struct ts_gate_input *input, ts_gate_lister *list, struct ts_arena *arena,
			     const struct ts_run_trace *ret[2], struct ts_error *err);
/* As much of the text as a row may carry, whole characters. */
struct ts_span ts_gate_cut(struct ts_span text);
/* Puts the row, whose name may lie in another arena, in front of the verdict's why. */
enum ts_status ts_gate_put_first(struct ts_verdict *v, struct ts_gate_why why, struct ts_arena *arena, struct ts_error *err);

#endif
