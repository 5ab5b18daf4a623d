/* flame.h - the stacks of the host, merged by name, with their own time and that of the devices' work which was launched below them;
 * and which of them a picture shows.
 *
 * A stack is what encloses a span (nest.h), from the thread down; steps are left out of it, so that all steps are one. Threads are
 * merged by their kind, names as in trace_host.h. The host's weight of a stack is its self time, in nanoseconds; the devices' is
 * the sum of the durations of what its calls launched, whenever that ran. One call launches all of a CUDA graph, so below it stands
 * what that was, by name, which has no time of the host. A stack that contains others has their weight, too.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_FLAME_H
#define TSCOPE_ANALYSIS_TRACE_HOST_FLAME_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/host/trace_host.h"

enum ts_flame_kind {
	TS_FLAME_THREADS,
	TS_FLAME_ANNOTATION,
	TS_FLAME_PYTHON,
	TS_FLAME_OPERATOR,
	TS_FLAME_CALL,
	TS_FLAME_WAIT, /* a call that waits for a device */
	TS_FLAME_KERNEL, /* what a graph had devices do */
	TS_FLAME_FOLDED,
};

enum ts_flame_weight { TS_FLAME_HOST, TS_FLAME_DEVICE, TS_FLAME_WEIGHTS };

struct ts_flame_node {
	struct ts_span name; /* of threads empty */
	uint32_t parent;     /* of nodes, before this one; of the first itself */
	uint32_t name_id;
	uint32_t depth; /* of the first 0; of threads 1 */
	enum ts_flame_kind kind;
	uint64_t count;			    /* spans; of threads, threads */
	uint64_t self_ns[TS_FLAME_WEIGHTS]; /* by weight: of the host, of what was launched */
	uint64_t ns[TS_FLAME_WEIGHTS];
	uint32_t below[TS_FLAME_WEIGHTS]; /* nodes within it that have such a weight, and itself */
};

/* The first node is the whole; the nodes at depth 1 are kinds of threads, of which on says which. */
struct ts_flame {
	struct ts_flame_node *nodes;
	size_t n;
	uint64_t unlaunched_ns; /* of devices, whose call the trace lacks: in no stack */
};

/* Everything lies in the arena but names, which are those of names. */
enum ts_status ts_flame(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			const bool *waiting, struct ts_arena *arena, struct ts_flame *ret, struct ts_error *err);

/* A rectangle of the picture: widths are shares of the whole. */
struct ts_flame_frame {
	uint32_t node;	 /* of a folded one its parent */
	uint32_t folded; /* stacks that it stands for; 0: it is the node itself */
	uint32_t depth;
	uint64_t left, width; /* nanoseconds, of `whole` */
};

struct ts_flame_view {
	enum ts_flame_weight weight;
	uint64_t whole; /* 0: there is nothing to show */
	uint64_t least; /* narrower stacks are folded */
	/* By depth, so parents stand before children; main threads first, else in one parent the widest, the folded behind. */
	struct ts_flame_frame *frames;
	size_t n, folded; /* frames, and stacks that are folded */
	uint32_t deepest;
};

/* Shows stacks of a thousandth of the whole and more, at most `most`: else the widest. Deeper than `levels` nothing is shown. */
enum ts_status ts_flame_look(const struct ts_flame *flame, enum ts_flame_weight weight, size_t most, uint32_t levels,
			     struct ts_arena *arena, struct ts_flame_view *ret, struct ts_error *err);

#endif
