/* list_row.h - looks up the value of one run in a column of a list, in the cheapest place that has it: the bytes stored with the
 * name, then its notes, scores or kept facts, then the head.
 *
 *	ts_list_subject_begin(&s, call, f, &ref, &scratch, err)	resets scratch
 *	ts_list_lookup(&s, path, &fact)				a ts_filter_lookup; check s.status at the end
 *
 * Facts lie in the ref or in scratch, so copy what must live longer. Times are TS_FACT_INT in ns. Threads: one at a time.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_LIST_ROW_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_LIST_ROW_H

#include "proto/wire.h"
#include "service/handlers/core/summary.h"
#include "service/handlers/runs/list_facts.h"
#include "service/handlers/runs/list_metrics.h"

/* The facts, notes and metrics that a request names and that no run so far records. The first n_judged, those of the filter, are
 * looked up in every run, the others only in runs that match. */
struct ts_list_paths {
	struct ts_span *paths;
	size_t n, n_judged;
};

struct ts_list_subject {
	struct ts_call *call;
	struct ts_fetch *f;
	const struct ts_ref *ref;
	struct ts_arena *scratch;
	bool has_summary, has_head, has_notes;
	struct ts_summary summary;
	struct ts_head head;
	struct ts_note *notes;
	size_t n_notes;
	struct ts_list_paths *asked; /* NULL: nobody wants to know */
	struct ts_list_facts *facts;
	struct ts_list_metrics *metrics;
	bool unscored; /* a metric was asked for, and the run's scores were never made */
	enum ts_status status; /* status of the first look-up that failed */
	struct ts_error *err;
};

void ts_list_subject_begin(struct ts_list_subject *s, struct ts_call *call, struct ts_fetch *f,
			   const struct ts_ref *ref, struct ts_arena *scratch, struct ts_error *err);
/* ctx is a ts_list_subject. False: the value is unknown, or the look-up failed with s->status. */
bool ts_list_lookup(void *ctx, struct ts_span path, struct ts_fact *ret_fact);
/* Does the same for a cell of the reply, in the arena; times become RFC 3339 text. */
enum ts_status ts_list_cell_of(struct ts_list_subject *s, struct ts_span path, struct ts_arena *arena,
			       struct ts_list_cell *ret_cell, struct ts_error *err);

#endif
