/* hazards.h - the catalog of what is known to keep two runs of one recipe from being equal bit for bit: settings, and operations.
 *
 * Each row has its source, what prevents it, and what that costs where the source says so. What no row knows is not harmless: who asks
 * calls it unproved (determinism.h). docs/determinism.md holds what ts_hazards_markdown writes; a test compares the two, and another
 * one compares the operations with the list in the documentation of the torch that is installed.
 * Pure. Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_DETERMINISM_HAZARDS_H
#define TSCOPE_ANALYSIS_DETERMINISM_HAZARDS_H

#include "base/buf.h"

#include <stdbool.h>

enum ts_hazard_state {
	TS_HAZARD_BREAKS = 0,	  /* it is known to make two runs differ, and nothing that was recorded prevents it */
	TS_HAZARD_UNPROVED = 1,	  /* it is not recorded, not known, or acts only where the record cannot tell */
	TS_HAZARD_CONTROLLED = 2, /* the record says that it is prevented */
	TS_HAZARD_IDLE = 3,	  /* it cannot act: no such device, library or second rank */
};

enum { TS_HAZARD_VALUES = 6, TS_HAZARD_NAMES = 8 };

/* A setting. Values are words as ts_fact_is has them. */
struct ts_hazard {
	const char *name;
	const char *paths[3];		    /* of the fact, the first that is recorded counts */
	const char *good[TS_HAZARD_VALUES]; /* under these it is controlled */
	const char *bad[TS_HAZARD_VALUES];  /* under these it breaks */
	enum ts_hazard_state otherwise;	    /* under another value */
	enum ts_hazard_state unset;	    /* where the fact is not there, though facts of its kind were recorded */
	bool cuda;			    /* acts on CUDA devices alone, ROCm's among them */
	bool ranks;			    /* acts between ranks alone */
	const char *library;		    /* a glob of facts, one of which is there where it can act; NULL: it can act everywhere */
	unsigned optional_from;		    /* torch version (2.10 is 210) from which being unset is unproved; 0: none */
	unsigned algorithms_from;	    /* torch version from which use_deterministic_algorithms(True) prevents it, too; 0: none */
	bool elsewhere;			    /* runs here repeat: it acts on another machine, or with another number of ranks */
	const char *says, *prevent, *cost, *source; /* cost NULL: the source says none */
};

extern const struct ts_hazard ts_hazards[];
extern const size_t ts_hazards_n;

/* An operation of torch that may add or write in any order. */
struct ts_hazard_op {
	const char *listed[TS_HAZARD_NAMES]; /* as torch's own list calls it: "torch.nn.Conv1d"; none: it is not on the list */
	const char *aten[TS_HAZARD_NAMES]; /* operations that are recorded where it runs, without aten. and overload: "index_add"; with
						 a '.' the overload counts, too */
	const char *modules[TS_HAZARD_NAMES]; /* classes of modules */
	bool cuda;			      /* on CUDA devices alone */
	bool throws;			      /* it has no deterministic form: with deterministic algorithms it raises an error */
	const char *sometimes; /* "with sparse tensors": the record does not say whether it was called so; NULL: always */
	const char *source;    /* NULL: torch's list */
};

extern const struct ts_hazard_op ts_hazard_ops[];
extern const size_t ts_hazard_ops_n;

/* The newest torch whose list was read for ts_hazard_ops: 2.13 is 213. */
enum { TS_HAZARDS_TORCH = 213 };

extern const char *const ts_hazard_ops_source; /* of torch's list */
extern const char *const ts_hazard_ops_prevent, *const ts_hazard_ops_cost;

/* What is known of an operation by its recorded name: "aten.index_add_.default", "layers.0.conv (Conv2d)". */
enum ts_op_known {
	TS_OP_UNLISTED = 0, /* an operation of torch that is not on the list */
	TS_OP_LISTED = 1,
	TS_OP_MODULE = 2,  /* a module: what it runs within is not known */
	TS_OP_FOREIGN = 3, /* of another library, or no name of an operation */
};

/* *ret_op: where LISTED. */
enum ts_op_known ts_hazard_op_of(struct ts_span name, const struct ts_hazard_op **ret_op);

const char *ts_hazard_state_word(enum ts_hazard_state state); /* "breaks", "unproved", "controlled", "idle" */

/* The tables of docs/determinism.md. */
void ts_hazards_markdown(struct ts_buf *out);
void ts_hazard_ops_markdown(struct ts_buf *out);

#endif
