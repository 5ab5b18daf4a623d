/* diagnose.h - from evidence to a diagnosis, by a fixed procedure: docs/divergence.md has it in words.
 *
 * In this order: is there enough to compare; does anything of the training differ at all; inputs before effects (learning rate,
 * batches, parameters, generators); events (a resume, an epoch); what the scalars alone can say, scaled by how coarsely they
 * were written and by how far repeats scatter; facts as explanations, by the table in effects.h. What stays inseparable is one
 * class, and the experiments say what would separate it. Exchanging the two runs changes the names in its sentences and nothing
 * else.
 */
#ifndef TSCOPE_ANALYSIS_DIAGNOSE_H
#define TSCOPE_ANALYSIS_DIAGNOSE_H

#include "analysis/evidence.h"
#include "base/buf.h"

enum ts_cut {
	TS_CUT_NUMERIC,	     /* largest first r of a loss that rounding explains */
	TS_CUT_GRAD,	     /* the same of a gradient norm */
	TS_CUT_INIT,	     /* r at the first step from which only other parameters or data explain it */
	TS_CUT_PRECISION,    /* r at the first step up to which another precision explains it */
	TS_CUT_RESUME_DATA,  /* r at a resume from which the data position is at fault */
	TS_CUT_LATCH,	     /* slope of ln r a step above which low precision amplifies rounding */
	TS_CUT_QUANTUM,	     /* quanta that a first difference must have to say anything of its cause */
	TS_CUT_SPREAD,	     /* times the spread of repeats that rounding explains */
	TS_CUT_BLOW_UP,	     /* r from which one run left the other's range */
	TS_CUT_BLOW_STEPS,   /* records after the first difference within which a blow-up is the first thing seen */
	TS_CUT_REPORT,	     /* records over which the state must agree while a report differs */
	TS_CUT_COMMON,	     /* common records below which scalars are not judged */
	TS_CUT_RESUME_STEPS, /* records after a resume within which it is the event */
	TS_CUT_INPUT_STEPS,  /* records by which an input may differ before its effect */
	TS_CUT_LR_STEPS,     /* the same of a learning rate */
	TS_CUTS,
};

struct ts_cuts {
	double value[TS_CUTS];
};

struct ts_cut_row {
	const char *name; /* "numeric_jump": as a policy names it */
	double value;	  /* unless a policy says otherwise */
	const char *what;
	const char *source;
};

extern const struct ts_cut_row ts_cut_rows[TS_CUTS];

void ts_cuts_default(struct ts_cuts *ret_cuts);
/* The table of docs/divergence.md. */
void ts_cuts_markdown(struct ts_buf *out);

/* Spans of the diagnosis lie in the arena, or are literals, or those of the evidence. cuts NULL: the defaults. TS_NO_MEMORY or
 * TS_TOO_LARGE when the arena is full. */
enum ts_status ts_diagnose(const struct ts_evidence *evidence, const struct ts_cuts *cuts, struct ts_arena *arena,
			   struct ts_diagnosis *ret_diagnosis, struct ts_error *err);

#endif
