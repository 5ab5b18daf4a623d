/* cuts.h - the limits by which a diagnosis decides, and those of the envelope of repeats: names, defaults, sources,
 * and what a policy sets otherwise.
 *
 * A policy sets one as `DIVERGENCE.numeric_jump = 1e-5` (policy.h). docs/divergence.md has the table.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_CUTS_H
#define TSCOPE_ANALYSIS_DIVERGE_CUTS_H

#include "analysis/answer/policy_item.h"
#include "base/buf.h"

#define TS_CUTS_CODE "DIVERGENCE" /* of the items of a policy */
#define TS_CUT_MOST 1e9		  /* of a number of records or points */

enum ts_cut {
	TS_CUT_NUMERIC,	     /* largest first r of a loss that rounding explains */
	TS_CUT_GRAD,	     /* the same of a gradient norm */
	TS_CUT_INIT,	     /* r at the first step from which only other parameters or data explain it */
	TS_CUT_PRECISION,    /* r at the first step up to which another precision explains it */
	TS_CUT_RESUME_DATA,  /* r at a resume from which the data position is at fault */
	TS_CUT_LATCH,	     /* slope of ln r a step above which low precision amplifies rounding */
	TS_CUT_GROWTH,	     /* slope of ln r a step up to which rounding may grow where no record shows it */
	TS_CUT_QUANTUM,	     /* quanta that a first difference must have to say anything of its cause */
	TS_CUT_SPREAD,	     /* times the spread of repeats that is theirs, in a diagnosis and in an envelope */
	TS_CUT_BLOW_UP,	     /* r from which one run left the other's range */
	TS_CUT_BLOW_STEPS,   /* records after the first difference within which a blow-up is the first thing seen */
	TS_CUT_REPORT,	     /* records over which the state must agree while a report differs */
	TS_CUT_COMMON,	     /* common records below which scalars are not judged */
	TS_CUT_RESUME_STEPS, /* records after a resume within which it is the event */
	TS_CUT_INPUT_STEPS,  /* records by which an input may differ before its effect */
	TS_CUT_LR_STEPS,     /* the same of a learning rate */
	TS_CUT_WINDOW,	     /* points of a window of an envelope */
	TS_CUT_RUN,	     /* points outside an envelope, in a row, that are a real difference */
	TS_CUT_AT_ONCE,	     /* the same, of what was pushed where repeats differ by chance */
	TS_CUT_AMPLIFIED,    /* spread of repeats that low precision has amplified */
	TS_CUT_CHANCE,	     /* r beyond which amplified rounding does not go */
	TS_CUTS,
};

struct ts_cuts {
	double value[TS_CUTS];
};

struct ts_cut_row {
	const char *name; /* "numeric_jump": as a policy names it */
	double value;	  /* unless a policy says otherwise */
	double least;	  /* that it may be */
	bool whole;	  /* a number of records or points */
	const char *what;
	const char *source;
};

extern const struct ts_cut_row ts_cut_rows[TS_CUTS];

void ts_cuts_default(struct ts_cuts *ret_cuts);
/* With what the policy sets, which was checked (ts_policy_check); NULL: the defaults. */
void ts_cuts_of(const struct ts_policy *policy, struct ts_cuts *ret_cuts);
/* The number of a name; false: there is none. */
bool ts_cut_find(struct ts_span name, size_t *ret_cut);
/* The table of docs/divergence.md. */
void ts_cuts_markdown(struct ts_buf *out);

#endif
