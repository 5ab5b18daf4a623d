/* trace_work.h - what the devices worked on: by operator, module and step, operations a second, copies and fills, and what
 * stands out: recomputation, optimizer, attention, compilations, small kernels.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_TRACE_WORK_H
#define TSCOPE_ANALYSIS_TRACE_WORK_TRACE_WORK_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/device/timeline.h"

/* --- device_work.c ---
 *
 * An event counts for the call that launched it and for everything that encloses the call. Where nest.h knows the operator alone, by
 * its "External id", it counts for the operator and what encloses that. Durations are added: what ran at once counts twice. Sums that
 * 64 bits cannot hold stay at the largest. Linear.
 */

struct ts_work_sum {
	uint64_t count, ns; /* of events, of their durations */
};

struct ts_device_work {
	struct ts_work_sum *below; /* of each span of the host, by row */
	struct ts_work_sum all;
	struct ts_work_sum known;   /* of those whose operator is known */
	struct ts_work_sum unknown; /* launched by a call outside of operators, or by none that the trace has */
};

static inline void ts_work_add(struct ts_work_sum *sum, uint64_t count, uint64_t ns)
{
	sum->count += count;
	sum->ns = sum->ns + ns < ns ? UINT64_MAX : sum->ns + ns;
}

/* The categories of kernel.h by name; of names that no kernel has TS_KERNEL_CATEGORIES. In the arena. */
enum ts_status ts_kernel_names(const struct ts_trace *trace, struct ts_arena *arena, uint8_t **ret, struct ts_error *err);
/* For each span of the host the innermost one that is so, itself or one that encloses it; TS_NEST_NONE: none. In the arena. */
typedef bool ts_span_is_fn(const struct ts_trace *trace, uint32_t span, const void *ctx);
enum ts_status ts_nest_nearest(const struct ts_trace *trace, const struct ts_nest *nest, ts_span_is_fn *is, const void *ctx,
			       struct ts_arena *arena, uint32_t **ret, struct ts_error *err);
/* The span of the host that an event of a device counts for first; TS_NEST_NONE: none is known. */
uint32_t ts_device_work_of(const struct ts_nest *nest, size_t event);
/* Lies in the arena. */
enum ts_status ts_device_work(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			      struct ts_device_work *ret, struct ts_error *err);

/* --- operator_sums.c ---
 *
 * Own is what an operator launched itself: events whose innermost operator it is. Total is what was launched within it; of operators
 * of one name that stand within each other the outermost counts. Work that autograd runs on its own thread stands below the operators
 * of the backward pass.
 *
 * Linear but for the sort of the rows.
 */

struct ts_operator_sum {
	struct ts_span name;
	uint64_t count; /* how often it ran */
	struct ts_work_sum own, total;
};

/* Those that launched nothing have rows, too: the most own time first, then the most total time, then by name. */
enum ts_status ts_operator_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
				struct ts_arena *arena, struct ts_operator_sum **ret, size_t *ret_n, struct ts_error *err);

/* --- module_sums.c ---
 *
 * A module is a Python function "nn.Module: NAME", where the trace has some; else the text "Module Hierarchy" of operators. An event
 * counts, as forward, for the innermost module around its launch. What the backward pass launched has none around it: it counts, as
 * backward, for the module around the forward operator of the innermost node of autograd around its launch. A node is an operator with
 * a "Fwd thread id" above 0. Its forward operator is the last-begun one of the same "Sequence number", as PyTorch has it (emit_nvtx):
 * on the thread that a flow "fwdbwd" to any node of this Fwd thread id comes from, else on the only thread that has the number. Where
 * two threads have it and no flow says which, nothing is linked, and that is counted.
 *
 * Own is of the module itself, total with the modules within; of those of one name within each other the outermost counts. Texts of
 * operators do not say what is within what, so that total is own.
 *
 * n log n.
 */

enum ts_module_source { TS_MODULES_NONE, TS_MODULES_FRAMES, TS_MODULES_TEXTS };

/* "not_recorded", "python_functions", "module_hierarchy". */
const char *ts_module_source_word(enum ts_module_source source);

struct ts_module_sum {
	struct ts_span name;
	uint64_t count; /* functions, or operators that name it */
	struct ts_work_sum own_forward, own_backward, total_forward, total_backward;
};

struct ts_module_sums {
	enum ts_module_source source;
	struct ts_module_sum *items; /* the most own time first */
	size_t n;
	struct ts_work_sum forward, backward; /* all that has a module */
	struct ts_work_sum unlinked;	      /* launched within a node whose forward operator is not known */
	struct ts_work_sum outside; /* the rest: outside of modules, forward operators outside too, or no launch that is known */
};

enum ts_status ts_module_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			      struct ts_arena *arena, struct ts_module_sums *ret, struct ts_error *err);

/* --- step_sums.c ---
 *
 * An event belongs to the step during which the call that launched it began, else to that during which it began itself, as in
 * timeline.h. The first steps may be left out as warm-up, by their number, never by a share of the time. n log n.  */

struct ts_step_sum {
	struct ts_span name; /* of one name; of a category empty */
	uint32_t category;   /* as in kernel_sums.h */
	struct ts_work_sum sum;
	uint64_t least_ns, most_ns;   /* of a step; 0 where a step has none */
	double mean_ns, deviation_ns; /* over steps; the deviation divides by the steps less one, and is valid from two steps on */
	double mean_count;
};

struct ts_step_sums {
	size_t steps, warmup;		/* steps counted, and steps left out before them */
	int64_t first;			/* number of the first that is counted; valid if there are any */
	struct ts_step_sum *categories; /* the most time first */
	size_t n_categories;
	struct ts_step_sum *names; /* the same of kernels, copies and fills by name */
	size_t n_names;
};

/* How many of so many steps are left out unless somebody says it: the first of three and more. */
size_t ts_step_warmup(size_t steps);
enum ts_status ts_step_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines, size_t warmup,
			    struct ts_arena *arena, struct ts_step_sums *ret, struct ts_error *err);

/* --- flop_sums.c ---
 *
 * Of operators within each other that have a count (flops.c) the outermost is counted, so each operation once. The time is that of
 * the kernels, copies and fills launched within these operators, a sum of durations; achieved is operations by that time, of the
 * operators that launched any. The peak is that of the device and the type of the inputs (analysis/rank/peaks.h); without a name of
 * the device, where devices of several names are described, and for fp32, which runs as tf32 where that is allowed, none is said.
 * The roofline: an operator whose operations a byte are at least the peak by the bandwidth of the device's memory could at best be
 * bound by arithmetic, any other by memory.
 * Of the device, the operations of operators that launched something are taken by all the time that it worked, whatever it worked on.
 * n log n.
 */

struct ts_flop_sum {
	struct ts_span name, shapes; /* of the row over all empty */
	const char *type;	     /* "bf16"; NULL: not recorded, or none that is known; in the row over all: if it is not all one */
	uint64_t each;		     /* operations of one; of the row over all 0 */
	uint64_t each_bytes;	     /* that one reads and writes at least; 0: not known, and of the row over all */
	uint64_t count, flops;	     /* all operators that are counted */
	uint64_t timed, timed_flops; /* of them, those that launched something */
	struct ts_work_sum work;     /* what these launched */
	bool has_achieved, has_peak, has_bandwidth, has_peak_bandwidth;
	double achieved, peak;		   /* operations a second */
	double intensity;		   /* operations a byte; valid where each_bytes is known */
	double bandwidth, peak_bandwidth;  /* bytes a second, of those that launched something; of the device's memory */
	enum ts_roof { TS_ROOF_UNKNOWN, TS_ROOF_COMPUTE, TS_ROOF_MEMORY } bound; /* what it would be limited by at best */
};

/* "unknown", "compute", "memory". */
const char *ts_roof_word(enum ts_roof roof);

struct ts_flop_sums {
	struct ts_flop_sum all;
	struct ts_flop_sum *items; /* the most time first, then the most operations */
	size_t n;
	uint64_t unknown;		 /* operators with a formula whose count is not known, and none around them that is */
	struct ts_work_sum unknown_work; /* what these launched */
	const char *no_peak;		 /* why no row has a peak, the end of a sentence; NULL: some have one */
	uint64_t busy_ns;		 /* of each device, added up */
	bool has_of_busy;
	double of_busy; /* all.timed_flops a second of that time; at least so many, where some are unknown or launched nothing */
};

enum ts_status ts_flop_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			    struct ts_arena *arena, struct ts_flop_sums *ret, struct ts_error *err);
/* The same of elementwise operators and norms (moves.c), without a peak: memory bounds them. Those that launched a copy from or to the
 * host or another device, or one that does not say where, are left out: a link bounds them. */
enum ts_status ts_move_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			    struct ts_arena *arena, struct ts_flop_sums *ret, struct ts_error *err);
/* Fills in what all operations come to in the time that devices worked. */
void ts_flops_of_busy(struct ts_flop_sums *sums, uint64_t busy_ns);

/* --- collective_sums.c ---
 *
 * Of the kernels of communication that say their elements and type, by kind, bytes and ranks of the group. Bytes are of the whole: of
 * an all-gather what a rank has afterwards, of the others what it had before. The bandwidth of the algorithm is bytes by duration;
 * that of the bus is it by what each rank has to move at least, so that it is comparable with the speed of a link: twice (n-1)/n of an
 * all-reduce, (n-1)/n of an all-gather, a reduce-scatter and an all-to-all, all of the others (nccl-tests, PERFORMANCE.md). The kernel
 * also waits for ranks that come later, so that both are the least; the shortest kernel of a row waited least. n log n.
 */

struct ts_collective_sum {
	enum ts_collective kind;
	int64_t ranks; /* of the group; TS_TRACE_NONE: not said */
	uint64_t bytes;
	struct ts_work_sum work;
	uint64_t least_ns; /* of one kernel */
	bool has_rate, has_bus;
	double algorithm, bus, bus_most; /* bytes a second: over all of them, and of the shortest */
};

struct ts_collective_sums {
	struct ts_collective_sum *items; /* the most time first */
	size_t n;
	struct ts_work_sum unsized; /* kernels that say something of their collective, but not elements or a type that are known */
};

enum ts_status ts_collective_sums(const struct ts_trace *trace, struct ts_arena *arena, struct ts_collective_sums *ret,
				  struct ts_error *err);

/* --- kernel_use.c ---
 *
 * Occupancy is "est. achieved occupancy %", which the profiler computes from the launch, not measures: the mean weighted by duration,
 * of the kernels that say it. One below 0 or above 100, and 0 where there is a warp and more for each multiprocessor, is none: that is
 * what the profiler writes where its computation failed, as of kernels that ask for more shared memory than is usual.
 *
 * A grid is small if it has fewer blocks than the device has multiprocessors, so that some have none; that is said of the kernels
 * whose grid and device are known. n log n.
 */

struct ts_kernel_use {
	struct ts_span name;	    /* of a category, and of all, empty */
	uint32_t category;	    /* of kernel.h; of all TS_KERNEL_CATEGORIES */
	struct ts_work_sum sum;	    /* all kernels */
	struct ts_work_sum rated;   /* those that say their occupancy */
	bool has_occupancy;	    /* some of them last */
	double occupancy;	    /* percent */
	struct ts_work_sum sized;   /* those whose grid and device's multiprocessors are known */
	struct ts_work_sum small;   /* of them, those with fewer blocks than multiprocessors */
	struct ts_work_sum graphed; /* those that ran as a part of a CUDA graph */
};

struct ts_kernel_uses {
	struct ts_kernel_use all;
	struct ts_kernel_use *categories; /* those that occur, the longest first */
	size_t n_categories;
	struct ts_kernel_use *names; /* the longest first */
	size_t n_names;
};

enum ts_status ts_kernel_uses(const struct ts_trace *trace, struct ts_arena *arena, struct ts_kernel_uses *ret, struct ts_error *err);

/* --- transfer_sums.c ---
 *
 * The direction of a copy is what its name says: "Memcpy HtoD (Pageable -> Device)" is HtoD from pageable memory, "CopyHostToDevice"
 * of ROCm HtoD of memory that is not said. Bandwidth is bytes by duration of the copies that say their bytes; the others count apart.
 * The shape of a fill is "Input Dims" of the nearest operator around its call that has one. What fills are: events of kind FILL, and
 * kernels of the category fill of kernel.h. Linear but for sorts.
 */

enum ts_direction {
	TS_DIRECTION_HTOD,
	TS_DIRECTION_DTOH,
	TS_DIRECTION_DTOD,
	TS_DIRECTION_PTOP, /* between devices */
	TS_DIRECTION_HTOH,
	TS_DIRECTION_UNKNOWN,
	TS_DIRECTIONS,
};

/* The memory of the host's side. */
enum ts_host_memory { TS_HOST_MEMORY_UNSAID, TS_HOST_MEMORY_PAGEABLE, TS_HOST_MEMORY_PINNED, TS_HOST_MEMORIES };

const char *ts_direction_word(enum ts_direction direction);
const char *ts_host_memory_word(enum ts_host_memory memory);
void ts_copy_direction(struct ts_span name, enum ts_direction *ret, enum ts_host_memory *ret_memory);

struct ts_copy_sum {
	enum ts_direction direction;
	enum ts_host_memory memory;
	struct ts_work_sum sum;
	uint64_t exposed_ns;	  /* of each, what no kernel and no fill of its device overlaps, added up */
	uint64_t sized, sized_ns; /* of them, those that say their bytes: how many, and how long they took */
	uint64_t bytes;
};

struct ts_fill_sum {
	struct ts_span shape;	    /* "[[64,3],[]]"; empty: not recorded */
	struct ts_span in_operator; /* that has the shape, or launched the fill; empty: none is known */
	struct ts_work_sum sum;
	uint64_t bytes; /* of those that say it */
};

struct ts_transfers {
	struct ts_copy_sum *copies; /* the longest first */
	size_t n_copies;
	struct ts_fill_sum *fills; /* the longest first */
	size_t n_fills;
	struct ts_work_sum filled; /* all fills */
};

enum ts_status ts_transfer_sums(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
				struct ts_transfers *ret, struct ts_error *err);

/* --- graph_breaks.c ---
 *
 * Entry: an operator or annotation "Torch-Compiled Region...". TorchDynamo runs a compiled frame within one.
 *
 * Graph break: an entry within which another region is entered, but not within a call of a compiled graph ("CompiledFunction...",
 * "## Call CompiledFxGraph ..."), whose own operators may be compiled. The code of a frame ends at its first break, and what follows is
 * a frame of its own, or calls some; so such an entry is one break. A break behind which nothing compiled is entered does not show.
 *
 * Lookup: "TorchDynamo Cache Lookup", before a frame that Dynamo looks at. If no region is entered behind it on its thread, where it
 * stands, before the next lookup there, the frame fell back: it ran as Python does, because it is skipped or was compiled too often.
 * The last span of a thread says nothing, because the recording ended. Without regions in the trace, fallbacks are not known.
 *
 * The backward pass of compiled code calls graphs, and enters no frames. Linear.
 */

/* In the recording, or within its ProfilerSteps. */
struct ts_break_counts {
	uint64_t entries, breaks, lookups, fell_back;
};

struct ts_graph_breaks {
	struct ts_break_counts all, in_steps;
	uint64_t steps;	      /* ProfilerStep annotations */
	uint64_t graph_calls; /* of compiled graphs, the outermost, within no region and no backward pass */
};

enum ts_status ts_graph_breaks(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			       struct ts_graph_breaks *ret, struct ts_error *err);

/* --- work_marks.c ---
 *
 * An event counts for the mark that is innermost around its launch. A mark is what the trace names, and nothing is guessed:
 *
 * Recomputation: what was launched below an operator "CheckpointFunctionBackward", a Python function `recompute_fn`, `unpack_hook` or
 * `recompute` of checkpoint.py, or an annotation with "recompute" in it, until a node of autograd within it (an operator
 * "autograd::engine::evaluate_function: ...", or one with a "Fwd thread id") ends that. Apart from it, where none is so named:
 * operators with a "Sequence number" that run within a node of autograd. Those build a graph during the backward pass, which
 * checkpoints do, and backward(create_graph=True).
 *
 * Optimizer: annotations "Optimizer.step#NAME.step". What they launched within an operator aten::_fused_... is fused, within one
 * aten::_foreach_... or by a kernel named multi_tensor... for several tensors at once, the rest one by one or unknown.
 *
 * Attention: operators of one implementation that stand in none of the same one. Math is aten::_scaled_dot_product_attention_math,
 * which computes the scores in full; what its backward pass launches is not among it. Single operations that do the same are found by
 * their shapes (single_attention.c).
 *
 * Compiled: annotations and operators "Torch-Compiled Region: FRAME/N"; N counts the compilations of the frame before it. Behind a
 * graph break a region stands within another one; work counts for the innermost.
 * Compiling: time of the host in annotations and operators with "(dynamo_timed)", and in Python functions of _dynamo/convert_frame.py
 * that compile, the outermost.
 *
 * Data loaders have workers where the trace names PyTorch's iterator for that, _MultiProcessingDataLoaderIter, and never the other.
 *
 * Linear but for sorts.
 */

struct ts_optimizer_sum {
	struct ts_span name; /* "Optimizer.step#AdamW.step" */
	uint64_t count;	     /* how often it ran */
	struct ts_work_sum sum, fused, foreach, each;
};

enum ts_attention {
	TS_ATTENTION_NONE,
	TS_ATTENTION_FLASH,
	TS_ATTENTION_FLASH_BACKWARD,
	TS_ATTENTION_EFFICIENT,
	TS_ATTENTION_EFFICIENT_BACKWARD,
	TS_ATTENTION_CUDNN,
	TS_ATTENTION_CUDNN_BACKWARD,
	TS_ATTENTION_MATH,
	TS_ATTENTION_SINGLE, /* operations that make up attention */
	TS_ATTENTIONS,
};

/* "flash", "flash_backward". */
const char *ts_attention_word(enum ts_attention attention);

struct ts_attention_sum {
	enum ts_attention attention;
	uint64_t count; /* operators; of single operations, softmaxes */
	struct ts_work_sum sum;
};

struct ts_region_sum {
	struct ts_span name; /* "Torch-Compiled Region: 0/1" */
	int64_t compilation; /* the 1; -1: the name does not say it */
	uint64_t count;
	struct ts_work_sum sum;
};

struct ts_work_marks {
	struct ts_work_sum recomputed;	     /* below what names a checkpoint */
	struct ts_work_sum rebuilt;	     /* by forward operators within nodes of autograd, not among the above */
	bool has_sequences;		     /* some operator says its sequence number; else rebuilt is not known */
	struct ts_optimizer_sum *optimizers; /* the longest first */
	size_t n_optimizers;
	struct ts_attention_sum *found; /* attention, the implementations that occur */
	size_t n_found;
	uint64_t unsaid_attention;     /* what may be single operations of attention: their shapes are not recorded */
	struct ts_region_sum *regions; /* the longest first, then by name */
	size_t n_regions;
	uint64_t recompiled;		/* regions that are not their frame's first compilation */
	struct ts_graph_breaks breaks;
	uint64_t compiling, compile_ns; /* on the host */
	uint64_t graph_launches;	/* cudaGraphLaunch, hipGraphLaunch */
	uint64_t graphed;		/* events that these launched */
	uint64_t captures;		/* of streams that began in the recording */
	uint64_t kernel_launches;	/* calls that launch one kernel each, captured or not */
	uint64_t kernels;		/* that ran */
	bool has_workers;		/* every data loader in the recording has worker processes, and there is one */
};

enum ts_status ts_work_marks(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			     struct ts_arena *arena, struct ts_work_marks *ret, struct ts_error *err);

/* --- work_runs.c ---
 *
 * Events of a stream are in the order of their begin. A storm is a run of at least TS_RUN_LEAST consecutive kernels of the category
 * elementwise (kernel.h), nothing else between them; kernels that Inductor fused are not of that category. A launch-bound stretch is a
 * run of at least TS_RUN_LEAST consecutive events, each of which lasts less than the call that launched it took, and each but the
 * first of which was asked for only when the stream had nothing left to do: its call began when all earlier events of the stream had
 * ended (a gap of the causes host and launch, trace_host.h). An event without its call ends a stretch. Times of a run: from the begin
 * of its first event to the end of its last, and the sum of its events. n log n.
 */

enum { TS_RUN_LEAST = 16 };

struct ts_run_sum {
	uint64_t runs, span_ns;	 /* how many, from first begin to last end of each */
	struct ts_work_sum work; /* the events in them */
	uint64_t most;		 /* events of the run that has most */
	int64_t most_at_ns;	 /* its begin; valid if there are runs */
	int32_t most_device, most_stream;
};

struct ts_run_sums {
	struct ts_run_sum storms, launch_bound;
	struct ts_work_sum elementwise; /* all kernels of the category */
	struct ts_work_sum called;	/* all events whose call the trace has */
};

enum ts_status ts_run_sums(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, struct ts_run_sums *ret,
			   struct ts_error *err);

/* --- trace_work.c --- */

struct ts_trace_work {
	struct ts_work_sum all, known, unknown; /* events of devices: all, those whose operator is known, the others */
	struct ts_operator_sum *operators;
	size_t n_operators;
	struct ts_module_sums modules;
	struct ts_flop_sums flops, moves;
	struct ts_kernel_uses use;
	struct ts_transfers transfers;
	struct ts_collective_sums collectives;
	struct ts_work_marks marks;
	struct ts_run_sums runs;
	struct ts_step_sums steps;
};

/* Everything lies in the arena but texts, which are the trace's. */
enum ts_status ts_trace_work(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines,
			     struct ts_arena *arena, struct ts_trace_work *ret, struct ts_error *err);

#endif
