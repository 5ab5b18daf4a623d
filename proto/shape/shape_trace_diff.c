/* shape_trace_diff.c - the tables of what differs between two traces. They are JSON only: the command reads the files itself. */
#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/diff/trace_ranks.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shapes.h"

enum { MANY_ROWS = 1 << 25 };

static const char *category_word(int value)
{
	return ts_sum_category_word((uint32_t)value);
}
static const struct ts_shape_words categories = {0, TS_SUM_CATEGORIES - 1, .word = category_word};
WORD_OF(verdict_word, enum ts_trace_diff_verdict, ts_trace_diff_verdict_word);
static const struct ts_shape_words verdicts = {0, TS_TRACE_DIFF_UNDECIDED, .word = verdict_word};
WORD_OF(table_word, enum ts_side_table, ts_side_table_word);
static const struct ts_shape_words tables = {0, TS_SIDE_TABLES - 1, .word = table_word};

#define TYPE struct ts_trace_diff_sum
static const struct ts_shape_field sum_rows[] = {
	{NULL, "sum_ns", U64(ns), ABOUT("over the steps that are compared")},
	{NULL, "mean_ns", I64(mean_ns), ABOUT("of a step, to the nearest")},
	{NULL, "count", U64(count), HAS(counted), ABOUT("null: of a step and of its parts")},
	{NULL, "least_count", U64(least), HAS(counted), ABOUT("of one step")},
	{NULL, "most_count", U64(most), HAS(counted)},
	{NULL, "median_call_ns", U64(median_ns), HAS(has_median), ABOUT("at most 1/32 of it off; null: not of a kernel of a summary")},
	{NULL, "longest_ns", U64(longest.ns), HAS(has_longest), ABOUT("the longest stretch of it; null: there is none")},
	{NULL, "longest_at_ns", I64(longest.at_ns), HAS(has_longest), ABOUT("when that began, by the trace's clock")},
};
static const struct ts_shape sum_shape = {JSON_SHAPE("trace_diff_sum", sum_rows)};
#undef TYPE

#define TYPE struct ts_trace_diff_row
static bool is_kernel(const void *in)
{
	return ((const TYPE *)in)->category < TS_SUM_CATEGORIES;
}

static const struct ts_shape_field row_rows[] = {
	{NULL, "name", BYTES(name, 0), HEAD("name"), SHOW(KERNEL), NARROW(24)},
	{NULL, "category", .kind = TS_SHAPE_WORD, AT(category), .words = &categories, WHEN(is_kernel), ABOUT("of kernels")},
	{NULL, "a", ONE(a, sum_shape), HEAD("A")},
	{NULL, "b", ONE(b, sum_shape), HEAD("B")},
	{NULL, "difference_ns", I64(difference_ns), HEAD("difference"), SHOW(CHANGE), ABOUT("of a step: B less A")},
	{NULL, "low_ns", I64(low_ns), HAS(decided), ABOUT("of its 95 % interval; null: one step on a side")},
	{NULL, "high_ns", I64(high_ns), HAS(decided)},
	{NULL, "time_differs", BOOL(time_differs), ABOUT("stands out of the noise over steps")},
	{NULL, "count_differs", BOOL(count_differs)},
	{NULL, "replaced_by", BYTES(replaced_by, 0), OR_NULL, ABOUT("of a kernel that B lacks")},
	{NULL, "replaced_under", BYTES(replaced_under, 0), OR_NULL, ABOUT("the operator that launched both")},
};
const struct ts_shape ts_shape_trace_diff_row = {JSON_SHAPE("trace_diff_row", row_rows)};
#undef TYPE

#define TYPE struct ts_trace_diff_table
static const struct ts_shape_field table_rows[] = {
	{NULL, "table", WORD(of, tables)},
	{NULL, "differing_count", SIZE(n_differ)},
	{NULL, "one_sided_count", SIZE(n_alone), ABOUT("in some steps of one side: may be chance")},
	{NULL, "rows", MANY(rows, n, ts_shape_trace_diff_row, MANY_ROWS), ABOUT("those that differ, the one-sided, the rest")},
};
static const struct ts_shape table_shape = {JSON_SHAPE("trace_diff_table", table_rows)};
#undef TYPE

#define TYPE struct ts_trace_diff_side
static bool has_steps(const void *in)
{
	return !((const TYPE *)in)->whole;
}

static const struct ts_shape_field side_rows[] = {
	{NULL, "recorded_step_count", U64(recorded), WHEN(has_steps), ABOUT("null: the trace has no ProfilerStep")},
	{NULL, "warm_up_step_count", U64(skipped), ABOUT("left out")},
	{NULL, "step_count", U64(n), ABOUT("compared; a trace without ProfilerStep counts as one")},
	{NULL, "first_step", I64(first), WHEN(has_steps)},
	{NULL, "last_step", I64(last), WHEN(has_steps)},
	{NULL, "recorded", ONE(recording, ts_shape_trace_recorded), ABOUT("as the trace says")},
	{NULL, "cut", BOOL(cut), ABOUT("the file ends too early, so nothing is decided")},
	{NULL, "summary", BOOL(summary), ABOUT("only the summary of the kernels is kept, and not the trace")},
};
static const struct ts_shape side_shape = {JSON_SHAPE("trace_diff_side", side_rows)};
#undef TYPE

#define TYPE struct ts_trace_diff
static const struct ts_shape_field diff_rows[] = {
	{NULL, "trace_a", STRING(path_a)},
	{NULL, "trace_b", STRING(path_b)},
	{NULL, "verdict", WORD(verdict, verdicts)},
	{NULL, "sentence", BYTES(sentence, 0)},
	{NULL, "recorded_apart", BYTES(recorded_apart, 0), OR_NULL,
	 ABOUT("in what versions, device and options of the recordings differ; null: in nothing that both say, nor in an option that "
	       "one says")},
	{NULL, "on_device", BOOL(device), ABOUT("steps are timed on devices; else on the host")},
	{NULL, "a", ONE(a, side_shape)},
	{NULL, "b", ONE(b, side_shape)},
	{NULL, "step", ONE(step, ts_shape_trace_diff_row)},
	{NULL, "host_step", ONE(host, ts_shape_trace_diff_row), HAS(has_host), ABOUT("ProfilerStep's own duration")},
	{NULL, "tables", MANY(tables, n_tables, table_shape, TS_SIDE_TABLES)},
};
const struct ts_shape ts_shape_trace_diff = {JSON_SHAPE("trace_diff", diff_rows)};
#undef TYPE

/* --- rank by rank --- */

#define TYPE struct ts_rank_files
static const struct ts_shape_field folder_rows[] = {
	{NULL, "folder", STRING(path)},
	{NULL, "files", MANY(files, n, ts_shape_trace_file, MANY_ROWS)},
};
static const struct ts_shape folder_shape = {JSON_SHAPE("trace_rank_folder", folder_rows)};
#undef TYPE

#define TYPE struct ts_rank_pair
static const struct ts_shape_field pair_rows[] = {
	{NULL, "rank", I64(a.rank), HAS(a.has_rank), ABOUT("null: the traces do not say it")},
	{NULL, "trace_a", STRING(a.name)},
	{NULL, "trace_b", STRING(b.name)},
	{NULL, "verdict", WORD(verdict, verdicts)},
	{NULL, "step", ONE(step, ts_shape_trace_diff_row)},
};
static const struct ts_shape pair_shape = {JSON_SHAPE("trace_rank_pair", pair_rows)};
#undef TYPE

#define TYPE struct ts_rank_alone
static const struct ts_shape_field alone_rows[] = {
	{NULL, "rank", I64(trace.rank), HAS(trace.has_rank), ABOUT("null: the trace does not say it")},
	{NULL, "trace", STRING(trace.name)},
	{NULL, "in_b", BOOL(in_b), ABOUT("else only in A")},
};
static const struct ts_shape alone_shape = {JSON_SHAPE("trace_rank_alone", alone_rows)};
#undef TYPE

#define TYPE struct ts_rank_diff
static const struct ts_shape_field rank_rows[] = {
	{NULL, "a", ONE(a, folder_shape)},
	{NULL, "b", ONE(b, folder_shape)},
	{NULL, "verdict", WORD(verdict, verdicts), ABOUT("of all ranks: they differ if one does")},
	{NULL, "sentence", BYTES(sentence, 0)},
	{NULL, "ranks", MANY(pairs, n, pair_shape, MANY_ROWS), ABOUT("that both have")},
	{NULL, "one_sided", MANY(alone, n_alone, alone_shape, MANY_ROWS), ABOUT("traces without one of the other folder")},
	{NULL, "worst_index", SIZE(worst), HAS(has_diff), ABOUT("of ranks: the one that differs most")},
	{NULL, "trace", ONE(diff, ts_shape_trace_diff), HAS(has_diff), ABOUT("what differs there")},
};
const struct ts_shape ts_shape_trace_ranks = {JSON_SHAPE("trace_rank_diff", rank_rows)};
#undef TYPE
