/* playbook.h - what to try against each cause of lost time: the fixes of bound.h as data.
 *
 * `part` is the largest part of its cause's share that a fix can win back, in coarse steps: 1 (it can hide or remove all
 * of the share), 0.5, 0.25, 0.1. These values are estimates from published tuning guides and from how the mechanisms
 * work, not measurements of the run: they are upper bounds to order the fixes by, and promise nothing. Where rows show
 * that a fix is already in use or cannot help, `applies` leaves it out.
 */
#ifndef TSCOPE_ANALYSIS_RULES_PLAYBOOK_H
#define TSCOPE_ANALYSIS_RULES_PLAYBOOK_H

#include "analysis/rules/bound.h"
#include "base/buf.h"

enum ts_play_device {
	TS_PLAY_ANY,
	TS_PLAY_GPU, /* only for a run whose records tell of a GPU */
	TS_PLAY_CPU, /* only for such a run */
};

struct ts_play {
	enum ts_bound_kind of;
	uint32_t effort; /* 1 a flag, 2 a few lines, 3 a change of the model or the job */
	double part;
	bool overhead; /* wins at most the compute overhead, where that is known */
	enum ts_play_device device;
	const char *name;
	const char *how;
	const char *costs;  /* NULL: nothing that is known */
	const char *source; /* a paper or a document */
	const char *when;   /* the condition that `applies` checks, in words; NULL: the share of the cause alone */
	bool (*applies)(const struct ts_measures *m); /* NULL: always */
	/* The most of the wall time that it can win, as the record has it. NULL, or false: it does not say. */
	bool (*most)(const struct ts_measures *m, double *ret_share);
	struct ts_span (*place)(const struct ts_measures *m); /* where in the code; NULL, or empty: nowhere that is known */
};

extern const struct ts_play ts_playbook[];
extern const size_t ts_playbook_n;

bool ts_play_applies(const struct ts_play *play, const struct ts_measures *m);

/* Writes the text of docs/playbook.md: these fixes, and those of memory_advice.h. */
void ts_playbook_markdown(struct ts_buf *out);

#endif
