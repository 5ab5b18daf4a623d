/* shape_memory_diff.c - the tables of what differs between two memory snapshots. They have only JSON: the answer is made where the
 * files lie. */
#include "analysis/snapshot/memory_diff.h"
#include "proto/shape/shape_rows.h"

enum { MANY_ROWS = 1 << 25 };

WORD_OF(kind_word, enum ts_memory_kind, ts_memory_kind_word);
static const struct ts_shape_words words_kind = {0, TS_MEMORY_KINDS - 1, .word = kind_word};
WORD_OF(match_word, enum ts_memory_match, ts_memory_match_word);
static const struct ts_shape_words words_match = {0, TS_MATCH_ONLY_B, .word = match_word};

#define TYPE struct ts_memory_diff_sum
static bool has_line(const void *in)
{
	return ((const TYPE *)in)->line > 0;
}
static const struct ts_shape_field sum_rows[] = {
	{NULL, "bytes", U64(bytes)},
	{NULL, "count", U64(count)},
	{NULL, "largest_bytes", U64(largest)},
	{NULL, "line", I64(line), WHEN(has_line), ABOUT("of the source; null: not known, or several")},
};
static const struct ts_shape sum_shape = {JSON_SHAPE("memory_diff_sum", sum_rows)};
#undef TYPE

#define TYPE struct ts_memory_diff_row
static const struct ts_shape_field row_rows[] = {
	{NULL, "match", WORD(match, words_match), ABOUT("how the stacks of both sides were paired")},
	{NULL, "kind", WORD(kind, words_kind), HEAD("kind"), ABOUT("of most of the bytes, on the side that holds more")},
	{NULL, "function", BYTES(function, 0), OR_NULL, HEAD("function"), NARROW(24)},
	{NULL, "file", BYTES(file, 0), OR_NULL},
	{NULL, "calls", BYTES(calls, 0), OR_NULL, ABOUT("its Python frames, the innermost first")},
	{NULL, "a", ONE(a, sum_shape), HEAD("A")},
	{NULL, "b", ONE(b, sum_shape), HEAD("B")},
	{NULL, "difference_bytes", I64(difference), HEAD("difference"), SHOW(CHANGE)},
	{NULL, "largest_ratio", F64(ratio), HAS(scales),
	 ABOUT("the largest tensor of B over that of A, where both have more than 1 MB")},
};
const struct ts_shape ts_shape_memory_diff_row = {JSON_SHAPE("memory_diff_row", row_rows)};
#undef TYPE

#define TYPE struct ts_memory_diff_kind
static const struct ts_shape_field kind_rows[] = {
	{NULL, "kind", WORD(kind, words_kind)},
	{NULL, "a_bytes", U64(a)},
	{NULL, "b_bytes", U64(b)},
	{NULL, "difference_bytes", I64(difference)},
};
static const struct ts_shape kind_shape = {JSON_SHAPE("memory_diff_kind", kind_rows)};
#undef TYPE

#define TYPE struct ts_memory_diff_moment
static const struct ts_shape_field moment_rows[] = {
	{NULL, "a_bytes", U64(a), ABOUT("requested")},
	{NULL, "b_bytes", U64(b)},
	{NULL, "difference_bytes", I64(difference), ABOUT("the sum of that of all rows")},
	{NULL, "kinds", FIXED(ONE, kinds), OF(kind_shape)},
	{NULL, "differing_count", SIZE(n_differ)},
	{NULL, "rows", MANY(rows, n, ts_shape_memory_diff_row, MANY_ROWS), ABOUT("by stack, the largest difference first")},
};
static const struct ts_shape moment_shape = {JSON_SHAPE("memory_diff_moment", moment_rows)};
#undef TYPE

#define TYPE struct ts_memory_diff_gauge
static const struct ts_shape_field gauge_rows[] = {
	{NULL, "name", STRING(name)},
	{NULL, "a_bytes", U64(a), HAS(known_a), HEAD("A"), ABSENT("unknown"), ABOUT("null: no history was recorded")},
	{NULL, "b_bytes", U64(b), HAS(known_b), HEAD("B"), ABSENT("unknown")},
};
const struct ts_shape ts_shape_memory_diff_gauge = {JSON_SHAPE("memory_diff_gauge", gauge_rows)};
#undef TYPE

#define TYPE struct ts_memory_diff_device
static const struct ts_shape_field device_rows[] = {
	{NULL, "device", U64(device)},
	{NULL, "sentence", BYTES(sentence, 0)},
	{NULL, "gauges", FIXED(ONE, gauges), OF(ts_shape_memory_diff_gauge)},
	{NULL, "at_peak", ONE(peak, moment_shape), HAS(peak.known), ABOUT("null: a side has no history")},
	{NULL, "at_end", ONE(end, moment_shape)},
};
static const struct ts_shape device_shape = {JSON_SHAPE("memory_diff_device", device_rows)};
#undef TYPE

#define TYPE struct ts_memory_diff
static const struct ts_shape_field diff_rows[] = {
	{NULL, "snapshot_a", STRING(path_a)},
	{NULL, "snapshot_b", STRING(path_b)},
	{NULL, "same", BOOL(same)},
	{NULL, "devices", MANY(devices, n, device_shape, 1024), ABOUT("that both have")},
	{NULL, "only_a_device_count", U64(only_a)},
	{NULL, "only_b_device_count", U64(only_b)},
	{NULL, "lacking", BYTES(lacking, 0), OR_NULL, ABOUT("what a cut or damaged file may lack; null: neither is")},
};
const struct ts_shape ts_shape_memory_diff = {JSON_SHAPE("memory_diff", diff_rows)};
#undef TYPE

#define TYPE struct ts_memory_diffs
static const struct ts_shape_field diffs_rows[] = {
	{NULL, "memory_diffs", MANY(items, n, ts_shape_memory_diff, 4096), ABOUT("of each two snapshots of one rank and name")},
	{NULL, "only_a_count", U64(left_a), ABOUT("snapshots of A that B has not, which are not compared")},
	{NULL, "only_b_count", U64(left_b)},
};
const struct ts_shape ts_shape_memory_diffs = {JSON_SHAPE("memory_diffs", diffs_rows)};
#undef TYPE
