/* series_list.h - the series of one rank that a diff looks at, in an order in which those of two runs can be paired. */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_LIST_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_LIST_H

#include "run/role.h"
#include "service/handlers/diff/series_diff.h"

/* By kind of table, name and type. */
struct ts_series_list {
	struct ts_series_side *items;
	size_t n;
};

/* Steps, and the events of a pipeline, whose rows are aligned by their number; superseded rows are no series. */
bool ts_series_is_compared(const struct ts_table *table);
int ts_series_side_cmp(const struct ts_series_side *a, const struct ts_series_side *b);
enum ts_status ts_series_list_of(const struct ts_index *index, struct ts_arena *arena, struct ts_series_list *ret_list,
				 struct ts_error *err);
/* Of what two runs say of one column; where they disagree it counts as the graver of the two. */
enum ts_role ts_series_joint_role(enum ts_role a, enum ts_role b);
/* What says the roles of a rank's columns: the head's facts, overlaid by the rank's if it has any. */
enum ts_status ts_series_facts(const struct ts_run *run, const struct ts_index *index, struct ts_arena *arena,
			       struct ts_facts *ret_facts, struct ts_error *err);

#endif
