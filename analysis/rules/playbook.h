/* playbook.h - what to try against each cause of lost time: the fixes of bound.h as data.
 *
 * A fix names the conditions under which it helps (condition.h); one that is false rules it out. What it could save is printed only
 * where something measured bounds it: `most` gives that bound. Else the fix is worth checking, and `check` says what would measure
 * it.
 *
 * `part` is the largest part of its cause's share that a fix can win back, in coarse steps: 1 (it can hide or remove all of the
 * share), 0.5, 0.25, 0.1. These values are estimates from published tuning guides and from how the mechanisms work, not measurements
 * of the run: they order the fixes, and are never printed.
 */
#ifndef TSCOPE_ANALYSIS_RULES_PLAYBOOK_H
#define TSCOPE_ANALYSIS_RULES_PLAYBOOK_H

#include "analysis/rules/bound.h"
#include "analysis/rules/condition.h"
#include "base/buf.h"

enum { TS_PLAY_CONDITIONS = 8 };

struct ts_play {
	enum ts_bound_kind of;
	uint32_t effort; /* 1 a flag, 2 a few lines, 3 a change of the model or the job */
	double part;
	bool overhead;	 /* wins at most the compute overhead, where that is known */
	bool if_bounded; /* not named where nothing bounds it */
	unsigned torch;	 /* the version of PyTorch that has it (2.10 is 210); 0: any, or it is none of PyTorch */
	const char *name;
	const char *how;
	const char *costs;  /* NULL: nothing that is known */
	const char *source; /* a paper or a document */
	struct ts_if conditions[TS_PLAY_CONDITIONS + 1];
	/* The most of the wall time that it can win, as something measured bounds it; `share` is that of its cause. False, or NULL:
	 * the record does not say. */
	bool (*most)(const struct ts_measures *m, double share, double *ret_share);
	const char *bounded_by; /* that, in words; NULL: nothing */
	const char *check;	/* what would tell how much it saves, in one line; NULL: it is always bounded */
	struct ts_span (*place)(const struct ts_measures *m); /* where in the code; NULL, or empty: nowhere that is known */
};

extern const struct ts_play ts_playbook[];
extern const size_t ts_playbook_n;

/* As ts_conditions_fit; a fix that the recorded version of PyTorch does not have fits not. */
enum ts_fit ts_play_fits(const struct ts_play *play, const struct ts_measures *m, enum ts_condition *ret_ask);

/* Writes the text of docs/playbook.md: these fixes, and those of memory_advice.h. */
void ts_playbook_markdown(struct ts_buf *out);

#endif
