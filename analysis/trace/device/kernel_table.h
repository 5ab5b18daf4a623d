/* kernel_table.h - what the kernels of a trace are: by the user's own table, by their names (kernel.h), and by the operators that
 * launched them.
 *
 * A name has one category in a trace. Where the operator counts (ts_kernel_operator_counts), it is the category whose operators
 * launched more than half of the time of its kernels. Which operator launched a kernel is told by its "External id", and where the
 * trace has none by the call around which it stands (nest.h). Of more than TS_KERNEL_TABLE_MOST names that ask for operators the first
 * are looked at.
 *
 * A table of the user has a rule a line, `CATEGORY PATTERN`: a word of ts_kernel_category_word, and text that stands anywhere in the
 * name, in any case. The first rule that matches counts. '#' begins a line that says nothing. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_KERNEL_TABLE_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_KERNEL_TABLE_H

#include "analysis/trace/device/kernel.h"
#include "base/arena.h"
#include "run/trace.h"

enum { TS_KERNEL_TABLE_MOST = 65536 };

struct ts_kernel_rule {
	uint8_t category;
	struct ts_span pattern; /* lies in the text that was parsed */
};

struct ts_kernel_rules {
	struct ts_kernel_rule *items;
	size_t n;
};

/* TS_INVALID names the line. The text must outlive the rules, which lie in the arena. */
enum ts_status ts_kernel_rules_parse(struct ts_span text, struct ts_arena *arena, struct ts_kernel_rules *ret, struct ts_error *err);

/* Fills io_trace->kernels, in the arena; rules may be NULL. */
enum ts_status ts_kernel_table(struct ts_trace *io_trace, const struct ts_kernel_rules *rules, struct ts_arena *arena,
			       struct ts_error *err);

/* What the kernels of this name are; where nobody has filled trace->kernels, by the name alone. */
struct ts_kernel_told ts_kernel_told(const struct ts_trace *trace, uint32_t name);

static inline enum ts_kernel_category ts_kernel_category_in(const struct ts_trace *trace, uint32_t name)
{
	return (enum ts_kernel_category)ts_kernel_told(trace, name).category;
}

#endif
