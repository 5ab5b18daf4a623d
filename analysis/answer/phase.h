/* phase.h - the phases of a step whose names every analysis knows; docs/run-directory.md lists these names. */
#ifndef TSCOPE_ANALYSIS_ANSWER_PHASE_H
#define TSCOPE_ANALYSIS_ANSWER_PHASE_H

#include "base/span.h"

/* The order is the one in which they are shown. */
enum ts_rank_phase {
	TS_RANK_DATA,
	TS_RANK_FORWARD,
	TS_RANK_BACKWARD,
	TS_RANK_OPTIMIZER,
	TS_RANK_COMPUTE,
	TS_RANK_COMM,
	TS_RANK_OTHER, /* also the sum of all phases with other names */
	TS_RANK_PHASES,
};

extern const char *const ts_rank_phases[TS_RANK_PHASES]; /* "data" */

/* The phase of that name; TS_RANK_OTHER if no phase here has the name. */
enum ts_rank_phase ts_rank_phase_of(struct ts_span name);

/* What a name says of a phase that is none of the first six. */
enum ts_phase_kind {
	TS_PHASE_REST,	     /* "other": what is left of a step behind its last mark */
	TS_PHASE_CHECKPOINT, /* work of the host beside training */
	TS_PHASE_EVALUATION, /* the same */
	TS_PHASE_HOST,	     /* the same: logging, saving, compiling, "between" */
	TS_PHASE_WHOLE,	     /* a whole step, as most logs have it: "step", "iteration", ... */
	TS_PHASE_UNKNOWN,    /* nothing: it may be computing, or waiting, or anything */
};

enum ts_phase_kind ts_phase_kind_of(struct ts_span name);

#endif
