/* groups.h - runs put together by what they record: the mean and the spread of numbers over the runs of each group.
 *
 *	ts_groups_make(&list, n_by, &arena, &groups, err)	the first n_by columns of the list are what groups are made by
 *	ts_groups_sort(&groups, column, descending, &arena, err)
 *
 * Runs are in one group where all n_by values are equal: numbers by value (1 and 1.0 are one), everything else by type and text. A
 * value that a run does not record is a group of its own, which comes last. Groups come in ascending order of their values.
 */
#ifndef TSCOPE_CLI_CORE_GROUPS_H
#define TSCOPE_CLI_CORE_GROUPS_H

#include "cli/core/listing.h"

/* Over the runs of a group that record the number. */
struct ts_group_stat {
	uint64_t n;
	double mean; /* if n > 0 */
	double m2;   /* sum of squared distances from the mean */
};

struct ts_run_group {
	const struct ts_list_cell *by; /* n_by values, those of its first run */
	uint64_t runs;
	struct ts_group_stat *stats; /* one for each column behind the first n_by */
};

struct ts_groups {
	const struct ts_span *by;
	size_t n_by;
	const struct ts_span *columns;
	size_t n_columns;
	struct ts_run_group *groups;
	size_t n;
};

/* The groups point into the list. TS_INVALID if a column behind the first n_by has a value that is no number. */
enum ts_status ts_groups_make(const struct ts_listing *list, size_t n_by, struct ts_arena *arena, struct ts_groups *ret_groups,
			      struct ts_error *err);
/* Sorts groups by a value that they were made by, or by the mean of a column; what is not known comes last. TS_INVALID if the column is
 * neither. */
enum ts_status ts_groups_sort(struct ts_groups *groups, struct ts_span column, bool descending, struct ts_arena *arena,
			      struct ts_error *err);
/* The standard deviation of the values (n - 1 in the denominator). False: there are fewer than two. */
bool ts_group_sd(const struct ts_group_stat *stat, double *ret_sd);

#endif
