/* shape_trace_work.c - the tables of what the devices of a trace worked on: operators, modules, operations a second, copies,
 * fills, marks, runs, steps. JSON alone. */
#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/work/graph_capture.h"
#include "analysis/trace/work/trace_work.h"
#include "proto/shape/shape_rows.h"

enum { MANY_ROWS = 1 << 25, TEXT_MAX_BYTES = 4096 };

#define TYPE struct ts_work_sum
static const struct ts_shape_field sum_rows[] = {
	{NULL, "count", U64(count), HEAD("events"), ABOUT("of kernels, copies and fills")},
	{NULL, "sum_ns", U64(ns), SHARE("share"), ABOUT("of their durations, what ran at once counted twice")},
};
static const struct ts_shape ts_shape_work_sum = {JSON_SHAPE("trace_work_sum", sum_rows)};
#undef TYPE

#define TYPE struct ts_operator_sum
static const struct ts_shape_field operator_rows[] = {
	{NULL, "name", BYTES(name, TEXT_MAX_BYTES), HEAD("operator"), SHOW(NAME), NARROW(20)},
	{NULL, "count", U64(count), HEAD("ran"), ABOUT("how often it ran on the host")},
	{NULL, "own", ONE(own, ts_shape_work_sum), HEAD("own"),
	 ABOUT("launched by the operator itself: it is the innermost one around the call")},
	{NULL, "total", ONE(total, ts_shape_work_sum), HEAD("total"),
	 ABOUT("launched within it; of those of one name within each other the outermost")},
};
const struct ts_shape ts_shape_trace_operator = {JSON_SHAPE("trace_operator", operator_rows)};
#undef TYPE

WORD_OF(direction_word, enum ts_direction, ts_direction_word);
static const struct ts_shape_words directions = {0, TS_DIRECTIONS - 1, .word = direction_word};
WORD_OF(memory_word, enum ts_host_memory, ts_host_memory_word);
static const struct ts_shape_words memories = {0, TS_HOST_MEMORIES - 1, .word = memory_word};

WORD_OF(roof_word, enum ts_roof, ts_roof_word);
static const struct ts_shape_words roofs = {0, TS_ROOF_MEMORY, .word = roof_word};

#define TYPE struct ts_copy_sum
static bool says_bytes(const void *in)
{
	return ((const TYPE *)in)->sized > 0;
}

static const struct ts_shape_field copy_rows[] = {
	{NULL, "direction", WORD(direction, directions)},
	{NULL, "host_memory", WORD(memory, memories), ABOUT("by the copy's name")},
	{NULL, "copied", ONE(sum, ts_shape_work_sum), HEAD("sum")},
	{NULL, "sized_count", U64(sized), HEAD("say bytes"),
	 ABOUT("of them, the copies that say their bytes: the population of what follows")},
	{NULL, "sized_ns", U64(sized_ns), WHEN(says_bytes), ABOUT("byte_count by this is the bandwidth")},
	{NULL, "byte_count", U64(bytes), WHEN(says_bytes), HEAD("bytes"), ABSENT("not recorded")},
};
const struct ts_shape ts_shape_trace_copies = {JSON_SHAPE("trace_copies", copy_rows)};
#undef TYPE

#define TYPE struct ts_fill_sum
static bool fill_bytes(const void *in)
{
	return ((const TYPE *)in)->bytes > 0;
}

static const struct ts_shape_field fill_rows[] = {
	{NULL, "shape", BYTES(shape, TEXT_MAX_BYTES), OR_NULL, HEAD("shape"), SHOW(NAME), NARROW(20), ABSENT("not recorded"),
	 ABOUT("Input Dims of the operator; null: not recorded")},
	{NULL, "operator", BYTES(in_operator, TEXT_MAX_BYTES), OR_NULL, HEAD("operator"), SHOW(NAME), ABSENT("not known"),
	 ABOUT("the nearest around the launch that has a shape")},
	{NULL, "filled", ONE(sum, ts_shape_work_sum), HEAD("sum")},
	{NULL, "byte_count", U64(bytes), WHEN(fill_bytes), ABOUT("of those that say it")},
};
const struct ts_shape ts_shape_trace_fills = {JSON_SHAPE("trace_fills", fill_rows)};
#undef TYPE

WORD_OF(source_word, enum ts_module_source, ts_module_source_word);
static const struct ts_shape_words sources = {0, TS_MODULES_TEXTS, .word = source_word};

#define TYPE struct ts_module_sum
static const struct ts_shape_field module_rows[] = {
	{NULL, "name", BYTES(name, TEXT_MAX_BYTES), HEAD("module"), SHOW(NAME), NARROW(20)},
	{NULL, "count", U64(count), HEAD("ran"), ABOUT("functions, or operators that name it")},
	{NULL, "own_forward", ONE(own_forward, ts_shape_work_sum), HEAD("own forward"),
	 ABOUT("it is the innermost module around the launch")},
	{NULL, "own_backward", ONE(own_backward, ts_shape_work_sum), HEAD("own backward"),
	 ABOUT("launched by the nodes of autograd of such operators")},
	{NULL, "total_forward", ONE(total_forward, ts_shape_work_sum), HEAD("total forward"), ABOUT("with the modules within")},
	{NULL, "total_backward", ONE(total_backward, ts_shape_work_sum), HEAD("total backward")},
};
const struct ts_shape ts_shape_trace_module = {JSON_SHAPE("trace_module", module_rows)};
#undef TYPE

#define TYPE struct ts_module_sums
static bool has_modules(const void *in)
{
	return ((const TYPE *)in)->source != TS_MODULES_NONE;
}

static const struct ts_shape_field modules_rows[] = {
	{NULL, "source", WORD(source, sources)},
	{NULL, "forward", ONE(forward, ts_shape_work_sum), WHEN(has_modules), ABOUT("all that was launched within modules")},
	{NULL, "backward", ONE(backward, ts_shape_work_sum), WHEN(has_modules), ABOUT("all whose forward operator stands in a module")},
	{NULL, "unlinked", ONE(unlinked, ts_shape_work_sum), WHEN(has_modules),
	 ABOUT("of nodes of autograd whose forward operator is not known")},
	{NULL, "outside", ONE(outside, ts_shape_work_sum), WHEN(has_modules), ABOUT("the rest")},
	{NULL, "modules", MANY(items, n, ts_shape_trace_module, MANY_ROWS), ABOUT("the most own time first")},
};
static const struct ts_shape ts_shape_module_sums = {JSON_SHAPE("trace_modules", modules_rows)};
#undef TYPE

#define TYPE struct ts_graph_work
static const struct ts_shape_field graph_work_rows[] = {
	{NULL, "capture_count", U64(captures), ABOUT("in the trace of the capture")},
	{NULL, "graph_count", U64(graphs), ABOUT("launches of graphs that ran work of devices")},
	{NULL, "found_count", U64(found), ABOUT("of them, those whose capture was found")},
	{NULL, "device", ONE(device, ts_shape_work_sum), ABOUT("all work of devices, by graphs or not")},
	{NULL, "all", ONE(all, ts_shape_work_sum), ABOUT("what graphs ran")},
	{NULL, "linked", ONE(linked, ts_shape_work_sum), ABOUT("of it, what has the call that captured it")},
	{NULL, "by_order", ONE(by_order, ts_shape_work_sum),
	 ABOUT("of that, what is known by its order alone, not by its name or node")},
	{NULL, "in_operator", ONE(in_operator, ts_shape_work_sum), ABOUT("captured within an operator")},
	{NULL, "in_module", ONE(in_module, ts_shape_work_sum), ABOUT("captured within a module")},
	{NULL, "operators", MANY(operators, n_operators, ts_shape_trace_operator, MANY_ROWS),
	 ABOUT("around the capture; the most own time first")},
	{NULL, "modules", ONE(modules, ts_shape_module_sums)},
};
const struct ts_shape ts_shape_graph_work = {JSON_SHAPE("trace_graphs", graph_work_rows)};
#undef TYPE

#define TYPE struct ts_flop_sum
static bool of_operator(const void *in)
{
	return ((const TYPE *)in)->name.len > 0;
}

static bool has_type(const void *in)
{
	return ((const TYPE *)in)->type != NULL;
}

static bool says_moved(const void *in)
{
	return ((const TYPE *)in)->each_bytes > 0;
}

static bool has_roof(const void *in)
{
	return ((const TYPE *)in)->bound != TS_ROOF_UNKNOWN;
}

static const struct ts_shape_field flop_rows[] = {
	{NULL, "operator", BYTES(name, TEXT_MAX_BYTES), OR_NULL, HEAD("operator"), SHOW(NAME), NARROW(12), ABSENT("all"),
	 ABOUT("null: all")},
	{NULL, "shapes", BYTES(shapes, TEXT_MAX_BYTES), OR_NULL, HEAD("shapes"), SHOW(NAME), NARROW(12), ABSENT(""),
	 ABOUT("Input Dims")},
	{NULL, "dtype", STRING(type), WHEN(has_type), HEAD("type"),
	 ABOUT("of the inputs; null: not recorded, not one that has a peak, or several")},
	{NULL, "each_flops", U64(each), WHEN(of_operator), ABOUT("operations of one")},
	{NULL, "count", U64(count), HEAD("ran"), ABOUT("operators that are counted: the outermost ones")},
	{NULL, "sum_flops", U64(flops)},
	{NULL, "timed_count", U64(timed), ABOUT("of them, those that launched something: the population of what follows")},
	{NULL, "timed_flops", U64(timed_flops)},
	{NULL, "launched", ONE(work, ts_shape_work_sum), HEAD("time"), ABOUT("within these operators")},
	{NULL, "achieved_flops_per_s", F64(achieved), HAS(has_achieved), ABOUT("timed_flops by the time of what was launched")},
	{NULL, "peak_flops_per_s", F64(peak), HAS(has_peak), ABOUT("of the device and the dtype; null: not known")},
	{NULL, "each_bytes", U64(each_bytes), WHEN(says_moved), ABOUT("that one reads and writes at least, each tensor once")},
	{NULL, "intensity_flops_per_byte", F64(intensity), WHEN(says_moved), ABOUT("each_flops by each_bytes")},
	{NULL, "achieved_bytes_per_s", F64(bandwidth), HAS(has_bandwidth), ABOUT("at least, of those that launched something")},
	{NULL, "peak_bytes_per_s", F64(peak_bandwidth), HAS(has_peak_bandwidth), ABOUT("of the device's memory; null: not known")},
	{NULL, "bound_by", WORD(bound, roofs), WHEN(has_roof),
	 ABOUT("compute or memory: what limits such an operator at best; null: not known")},
};
const struct ts_shape ts_shape_trace_flops = {JSON_SHAPE("trace_flops", flop_rows)};
#undef TYPE

#define TYPE struct ts_flop_sums
static bool lacks_peaks(const void *in)
{
	return ((const TYPE *)in)->no_peak != NULL;
}

static const struct ts_shape_field flops_rows[] = {
	{NULL, "all", ONE(all, ts_shape_trace_flops)},
	{NULL, "by_shape", MANY(items, n, ts_shape_trace_flops, MANY_ROWS), ABOUT("the most time first")},
	{NULL, "unknown_count", U64(unknown), ABOUT("operators with a formula whose shapes or arguments do not say enough")},
	{NULL, "unknown", ONE(unknown_work, ts_shape_work_sum), ABOUT("what these launched")},
	{NULL, "no_peak", STRING(no_peak), WHEN(lacks_peaks), ABOUT("why there is no peak; null: there are some")},
	{NULL, "busy_ns", U64(busy_ns), ABOUT("of each device, added up")},
	{NULL, "busy_flops_per_s", F64(of_busy), HAS(has_of_busy),
	 ABOUT("timed_flops by busy_ns; at least so many, where operators are unknown or launched nothing; by the peak it is what a "
	       "device made of its time")},
};
static const struct ts_shape ts_shape_flop_sums = {JSON_SHAPE("trace_flop_sums", flops_rows)};
#undef TYPE

static const char *use_word(int value)
{
	return value == TS_KERNEL_CATEGORIES ? "all" : ts_kernel_category_word((enum ts_kernel_category)value);
}
static const struct ts_shape_words use_categories = {0, TS_KERNEL_CATEGORIES, .word = use_word};

#define TYPE struct ts_kernel_use
static const struct ts_shape_field use_rows[] = {
	{NULL, "name", BYTES(name, TEXT_MAX_BYTES), OR_NULL, ABOUT("null: all names of the category")},
	{NULL, "category", .kind = TS_SHAPE_WORD, AT(category), .words = &use_categories, HEAD("kernels")},
	{NULL, "kernels", ONE(sum, ts_shape_work_sum), HEAD("sum")},
	{NULL, "rated", ONE(rated, ts_shape_work_sum), ABOUT("those that say their estimated occupancy")},
	{NULL, "occupancy_percent", F64(occupancy), HAS(has_occupancy), HEAD("occupancy"), ABSENT("not recorded"),
	 ABOUT("the mean of these, weighted by duration; null: not recorded")},
	{NULL, "sized", ONE(sized, ts_shape_work_sum), ABOUT("those whose grid and device's multiprocessors are known")},
	{NULL, "small", ONE(small, ts_shape_work_sum), ABOUT("of these, those with fewer blocks than multiprocessors")},
	{NULL, "graphed", ONE(graphed, ts_shape_work_sum), ABOUT("those that ran as a part of a CUDA graph")},
};
const struct ts_shape ts_shape_trace_kernel_use = {JSON_SHAPE("trace_kernel_use", use_rows)};
#undef TYPE

#define TYPE struct ts_kernel_uses
static const struct ts_shape_field uses_rows[] = {
	{NULL, "all", ONE(all, ts_shape_trace_kernel_use)},
	{NULL, "categories", MANY(categories, n_categories, ts_shape_trace_kernel_use, MANY_ROWS), ABOUT("the longest first")},
	{NULL, "names", MANY(names, n_names, ts_shape_trace_kernel_use, MANY_ROWS), ABOUT("the longest first")},
};
static const struct ts_shape ts_shape_kernel_uses = {JSON_SHAPE("trace_kernel_uses", uses_rows)};
#undef TYPE

#define TYPE struct ts_optimizer_sum
static const struct ts_shape_field optimizer_rows[] = {
	{NULL, "name", BYTES(name, TEXT_MAX_BYTES)},
	{NULL, "count", U64(count), ABOUT("how often it ran on the host")},
	{NULL, "launched", ONE(sum, ts_shape_work_sum)},
	{NULL, "fused", ONE(fused, ts_shape_work_sum), ABOUT("within operators aten::_fused_")},
	{NULL, "for_several_tensors", ONE(foreach, ts_shape_work_sum),
	 ABOUT("within operators aten::_foreach_, or by kernels named multi_tensor")},
	{NULL, "other", ONE(each, ts_shape_work_sum)},
};
static const struct ts_shape ts_shape_optimizer_sum = {JSON_SHAPE("trace_optimizer", optimizer_rows)};
#undef TYPE

WORD_OF(attention_word, enum ts_attention, ts_attention_word);
static const struct ts_shape_words attentions = {0, TS_ATTENTIONS - 1, .word = attention_word};

#define TYPE struct ts_attention_sum
static const struct ts_shape_field attention_rows[] = {
	{NULL, "implementation", WORD(attention, attentions)},
	{NULL, "count", U64(count), ABOUT("operators, the outermost of the kind")},
	{NULL, "launched", ONE(sum, ts_shape_work_sum)},
};
static const struct ts_shape ts_shape_attention_sum = {JSON_SHAPE("trace_attention", attention_rows)};
#undef TYPE

#define TYPE struct ts_region_sum
static bool says_compilation(const void *in)
{
	return ((const TYPE *)in)->compilation >= 0;
}

static const struct ts_shape_field region_rows[] = {
	{NULL, "name", BYTES(name, TEXT_MAX_BYTES)},
	{NULL, "recompilation", I64(compilation), WHEN(says_compilation), ABOUT("how often the frame had been compiled before")},
	{NULL, "count", U64(count), ABOUT("how often it ran on the host")},
	{NULL, "launched", ONE(sum, ts_shape_work_sum)},
};
static const struct ts_shape ts_shape_region_sum = {JSON_SHAPE("trace_region", region_rows)};
#undef TYPE

#define TYPE struct ts_work_marks
static bool has_sequences(const void *in)
{
	return ((const TYPE *)in)->has_sequences;
}

static bool has_regions(const void *in)
{
	return ((const TYPE *)in)->breaks.all.entries > 0;
}

static bool has_lookups(const void *in)
{
	return has_regions(in) && ((const TYPE *)in)->breaks.all.lookups > 0;
}

static bool has_compiled(const void *in)
{
	return has_regions(in) || !((const TYPE *)in)->breaks.graph_calls;
}

static const struct ts_shape_field break_rows[] = {
	{NULL, "region_entry_count", U64(breaks.all.entries)},
	{NULL, "graph_break_count", U64(breaks.all.breaks), WHEN(has_compiled),
	 ABOUT("entries within which another region was entered; null: graphs were called outside of regions alone")},
	{NULL, "lookup_count", U64(breaks.all.lookups), ABOUT("TorchDynamo Cache Lookup")},
	{NULL, "fallback_count", U64(breaks.all.fell_back), WHEN(has_lookups),
	 ABOUT("lookups behind which no region was entered; null: not known")},
	{NULL, "step_count", U64(breaks.steps), ABOUT("ProfilerSteps; the next four are within them")},
	{NULL, "in_steps_region_entry_count", U64(breaks.in_steps.entries)},
	{NULL, "in_steps_graph_break_count", U64(breaks.in_steps.breaks), WHEN(has_compiled)},
	{NULL, "in_steps_lookup_count", U64(breaks.in_steps.lookups)},
	{NULL, "in_steps_fallback_count", U64(breaks.in_steps.fell_back), WHEN(has_lookups)},
	{NULL, "graph_call_count", U64(breaks.graph_calls),
	 ABOUT("calls of compiled graphs outside of regions and of the backward pass")},
};
static const struct ts_shape shape_breaks = {JSON_SHAPE("trace_graph_breaks", break_rows)};

static const struct ts_shape_field mark_rows[] = {
	{NULL, "recomputed", ONE(recomputed, ts_shape_work_sum), ABOUT("launched below what names a checkpoint")},
	{NULL, "forward_in_backward", ONE(rebuilt, ts_shape_work_sum), WHEN(has_sequences),
	 ABOUT("beside it, by operators that build a graph within nodes of autograd; null: no operator says its sequence number")},
	{NULL, "optimizers", MANY(optimizers, n_optimizers, ts_shape_optimizer_sum, MANY_ROWS), ABOUT("the longest first")},
	{NULL, "attention", MANY(found, n_found, ts_shape_attention_sum, TS_ATTENTIONS), ABOUT("by implementation")},
	{NULL, "unsaid_attention_count", U64(unsaid_attention),
	 ABOUT("softmaxes between products, which may be attention: their shapes are not recorded")},
	{NULL, "compiled_regions", MANY(regions, n_regions, ts_shape_region_sum, MANY_ROWS), ABOUT("the longest first")},
	{NULL, "recompiled_region_count", U64(recompiled), ABOUT("those that are not the first compilation of their frame")},
	{NULL, "graph_breaks", HERE(shape_breaks), ABOUT("of torch.compile, as far as the trace proves them")},
	{NULL, "compilation_count", U64(compiling), ABOUT("in the recording")},
	{NULL, "compilation_ns", U64(compile_ns), ABOUT("on the host")},
	{NULL, "graph_launch_count", U64(graph_launches), ABOUT("cudaGraphLaunch, hipGraphLaunch")},
};
static const struct ts_shape ts_shape_work_marks = {JSON_SHAPE("trace_marks", mark_rows)};
#undef TYPE

#define TYPE struct ts_run_sum
static bool has_runs(const void *in)
{
	return ((const TYPE *)in)->runs > 0;
}

static const struct ts_shape_field run_rows[] = {
	{NULL, "run_count", U64(runs), ABOUT("of at least 16 events")},
	{NULL, "span_ns", U64(span_ns), ABOUT("from the first begin to the last end of each, added")},
	{NULL, "events", ONE(work, ts_shape_work_sum)},
	{NULL, "most_count", U64(most), WHEN(has_runs), ABOUT("events of the run that has most")},
	{NULL, "most_at_ns", I64(most_at_ns), WHEN(has_runs)},
	{NULL, "most_device", I32(most_device), WHEN(has_runs)},
	{NULL, "most_stream", I32(most_stream), WHEN(has_runs)},
};
static const struct ts_shape ts_shape_run_sum = {JSON_SHAPE("trace_run", run_rows)};
#undef TYPE

#define TYPE struct ts_run_sums
static const struct ts_shape_field runs_rows[] = {
	{NULL, "elementwise", ONE(elementwise, ts_shape_work_sum), ABOUT("all kernels of the category")},
	{NULL, "elementwise_storms", ONE(storms, ts_shape_run_sum), ABOUT("such kernels one behind the other on one stream")},
	{NULL, "called", ONE(called, ts_shape_work_sum), ABOUT("all events whose launching call the trace has")},
	{NULL, "launch_bound", ONE(launch_bound, ts_shape_run_sum),
	 ABOUT("events shorter than their calls on a stream that waited for the host")},
};
static const struct ts_shape ts_shape_run_sums = {JSON_SHAPE("trace_runs", runs_rows)};
#undef TYPE

static const char *sum_word(int value)
{
	return ts_sum_category_word((uint32_t)value);
}
static const struct ts_shape_words sum_categories = {0, TS_SUM_CATEGORIES - 1, .word = sum_word};

#define TYPE struct ts_step_sum
static const struct ts_shape_field step_rows[] = {
	{NULL, "name", BYTES(name, TEXT_MAX_BYTES), OR_NULL, ABOUT("null: all names of the category")},
	{NULL, "category", .kind = TS_SHAPE_WORD, AT(category), .words = &sum_categories, HEAD("category")},
	{NULL, "launched", ONE(sum, ts_shape_work_sum), ABOUT("by all steps that are counted")},
	{NULL, "mean_count", F64(mean_count), HEAD("events"), ABOUT("a step")},
	{NULL, "mean_ns", F64(mean_ns), HEAD("mean")},
	{NULL, "deviation_ns", F64(deviation_ns), HEAD("deviation"), ABOUT("the standard deviation over steps; 0 of one step")},
	{NULL, "least_ns", U64(least_ns), HEAD("least")},
	{NULL, "most_ns", U64(most_ns), HEAD("most")},
};
const struct ts_shape ts_shape_trace_step_sum = {JSON_SHAPE("trace_step_sum", step_rows)};
#undef TYPE

#define TYPE struct ts_step_sums
static bool has_steps(const void *in)
{
	return ((const TYPE *)in)->steps > 0;
}

static const struct ts_shape_field steps_rows[] = {
	{NULL, "step_count", SIZE(steps), ABOUT("the population; an event belongs to the step in which its call began")},
	{NULL, "warmup_count", SIZE(warmup), ABOUT("steps before these that are left out")},
	{NULL, "first_step", I64(first), WHEN(has_steps)},
	{NULL, "categories", MANY(categories, n_categories, ts_shape_trace_step_sum, MANY_ROWS), ABOUT("the most time first")},
	{NULL, "names", MANY(names, n_names, ts_shape_trace_step_sum, MANY_ROWS), ABOUT("the most time first")},
};
static const struct ts_shape ts_shape_step_sums = {JSON_SHAPE("trace_step_sums", steps_rows)};
#undef TYPE

WORD_OF(collective_word, enum ts_collective, ts_collective_word);
const struct ts_shape_words ts_words_collective = {0, TS_COLLECTIVES - 1, .word = collective_word};

#define TYPE struct ts_collective_sum
static bool has_ranks(const void *in)
{
	return ((const TYPE *)in)->ranks != TS_TRACE_NONE;
}

static bool has_most(const void *in)
{
	return ((const TYPE *)in)->bus_most > 0;
}

static const struct ts_shape_field collective_rows[] = {
	{NULL, "kind", WORD(kind, ts_words_collective), HEAD("collective")},
	{NULL, "bytes", U64(bytes), HEAD("bytes"),
	 ABOUT("of one: of an all-gather what a rank has afterwards, of others what it had before")},
	{NULL, "rank_count", I64(ranks), WHEN(has_ranks), HEAD("ranks"), ABSENT("not said"), ABOUT("of the group")},
	{NULL, "launched", ONE(work, ts_shape_work_sum), HEAD("time")},
	{NULL, "least_ns", U64(least_ns), ABOUT("of one kernel")},
	{NULL, "algorithm_bytes_per_s", F64(algorithm), HAS(has_rate),
	 ABOUT("bytes by time; at least, because a kernel waits for other ranks, too")},
	{NULL, "bus_bytes_per_s", F64(bus), HAS(has_bus), ABOUT("the same by what each rank has to move at least (nccl-tests)")},
	{NULL, "bus_most_bytes_per_s", F64(bus_most), WHEN(has_most), ABOUT("of the shortest kernel, which waited least")},
};
const struct ts_shape ts_shape_trace_collectives = {JSON_SHAPE("trace_collectives", collective_rows)};
#undef TYPE

#define TYPE struct ts_collective_sums
static const struct ts_shape_field collectives_rows[] = {
	{NULL, "by_size", MANY(items, n, ts_shape_trace_collectives, MANY_ROWS), ABOUT("the most time first")},
	{NULL, "unsized", ONE(unsized, ts_shape_work_sum), ABOUT("kernels that do not say their elements or a type that is known")},
};
static const struct ts_shape ts_shape_collective_sums = {JSON_SHAPE("trace_collective_sums", collectives_rows)};
#undef TYPE

#define TYPE struct ts_trace_work
static const struct ts_shape_field work_rows[] = {
	{NULL, "all", ONE(all, ts_shape_work_sum), ABOUT("kernels, copies and fills of all devices")},
	{NULL, "known", ONE(known, ts_shape_work_sum), ABOUT("of them, those whose launching operator is known")},
	{NULL, "unknown", ONE(unknown, ts_shape_work_sum), ABOUT("the others")},
	{NULL, "operators", MANY(operators, n_operators, ts_shape_trace_operator, MANY_ROWS), ABOUT("the most own time first")},
	{NULL, "modules", ONE(modules, ts_shape_module_sums)},
	{NULL, "flops", ONE(flops, ts_shape_flop_sums)},
	{NULL, "moves", ONE(moves, ts_shape_flop_sums), ABOUT("the same of elementwise operators and norms, which memory bounds")},
	{NULL, "use", ONE(use, ts_shape_kernel_uses), ABOUT("occupancy, and grids too small for the device")},
	{NULL, "copies", MANY(transfers.copies, transfers.n_copies, ts_shape_trace_copies, MANY_ROWS),
	 ABOUT("by direction, the longest first")},
	{NULL, "filled", ONE(transfers.filled, ts_shape_work_sum), ABOUT("all fills: memset, and kernels of the category fill")},
	{NULL, "fills", MANY(transfers.fills, transfers.n_fills, ts_shape_trace_fills, MANY_ROWS),
	 ABOUT("by shape, the longest first")},
	{NULL, "collectives", ONE(collectives, ts_shape_collective_sums), ABOUT("bandwidths, by kind, bytes and ranks")},
	{NULL, "marks", ONE(marks, ts_shape_work_marks)},
	{NULL, "runs", ONE(runs, ts_shape_run_sums), ABOUT("of small work on one stream")},
	{NULL, "steps", ONE(steps, ts_shape_step_sums), ABOUT("what a step launched, over steps")},
};
const struct ts_shape ts_shape_trace_work = {JSON_SHAPE("trace_work", work_rows)};
#undef TYPE
