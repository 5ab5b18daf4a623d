/* origin.h - what a stack says: whose code asked for the memory, and in which phase of a training step.
 *
 * The source is the innermost Python frame that is neither of torch nor of an installed package nor of Python's library; else the
 * innermost that is not torch's; else the innermost of Python. A stack without Python frames, as those of the threads that run
 * backward, has the innermost frame of a node of autograd, else the innermost that is not the allocator's own.
 *
 * The phase is decided by the frame nearest to the allocation that says one; a module that is called within a backward or a
 * recomputation belongs to that. Where no frame says one, a constructor (__init__) of a class that is not torch's is setup, unless
 * passes of the training are called in it, too.
 * docs/memory.md lists the files and functions. All memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_ORIGIN_H
#define TSCOPE_ANALYSIS_SNAPSHOT_ORIGIN_H

#include "analysis/answer/row_words.h"
#include "base/arena.h"
#include "run/snapshot.h"

struct ts_origin {
	uint32_t frame;	  /* the source; TS_SNAPSHOT_NONE: the stack has no frame that could be one */
	uint8_t phase;	  /* enum ts_memory_phase */
	bool accumulates; /* autograd writes a gradient */
	bool zeroes;	  /* zero_grad */
	bool releases;	  /* autograd lets go of what forward saved */
	bool gathers;	  /* FSDP puts the ranks' shards of parameters together */
	bool buckets;	  /* in which DDP reduces gradients, for as long as the model lives */
	bool uncasts;	  /* autocast lets go of its copies of parameters */
	bool workspace;	  /* of cuBLAS, for as long as the process lives */
	bool outside;	  /* code of Python, none of whose frames says a phase */
	bool made;	  /* nothing but a constructor of a class that is not torch's says the phase */
};

/* Whether a frame's file is one of Python: "a.py", "<string>", a cell of a notebook. Else it is compiled code. */
bool ts_is_python(struct ts_span file);

/* Whether no stack has a frame of compiled code, as with stacks="python". */
bool ts_origins_python(const struct ts_snapshot *s);

/* One for each stack. NULL: no memory. */
const struct ts_origin *ts_origins(const struct ts_snapshot *s, struct ts_arena *arena);

/* "package.module" of a Python file: its path below site-packages, else its last two parts. Empty for other files. */
struct ts_span ts_module_of(struct ts_span file, struct ts_arena *arena);

#endif
