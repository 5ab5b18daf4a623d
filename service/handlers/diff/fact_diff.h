/* fact_diff.h - which facts of two runs differ, by effective value.
 *
 * Groups with equal digests are passed over unread. A fact that only one side has is unknown on the other, not equal.
 * What only a rank said is compared rank by rank, against what the other side's rank says or, failing that, its head.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_FACT_DIFF_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_FACT_DIFF_H

#include "service/handlers/core/read.h"

struct ts_fact_globs {
	const struct ts_span *items; /* paths that match one are left out */
	size_t n;
};

bool ts_fact_globs_match(struct ts_fact_globs globs, struct ts_span path);

/* Rows by group, then path, then rank; and how many more differ that ignore left out. */
enum ts_status ts_facts_diff(const struct ts_run *a, const struct ts_run *b, struct ts_fact_globs ignore,
			     struct ts_arena *arena, struct ts_fact_row **ret_rows, size_t *ret_n,
			     uint64_t *ret_ignored, struct ts_error *err);

#endif
