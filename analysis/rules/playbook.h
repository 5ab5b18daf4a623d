/* playbook.h - what to try against each cause of lost time: the fixes of bound.h as data.
 *
 * `part` is the most of its share that a fix can win back, in coarse steps: 1 it can hide or remove all of it, 0.5, 0.25,
 * 0.1. These are judgement from published tuning guides and from how the mechanisms work, not measurements of the run: an
 * upper bound to order by, no promise. Where rows say that a fix is in use already, or cannot help, `applies` leaves it
 * out.
 */
#ifndef TSCOPE_ANALYSIS_RULES_PLAYBOOK_H
#define TSCOPE_ANALYSIS_RULES_PLAYBOOK_H

#include "analysis/rules/bound.h"

struct ts_play {
	enum ts_bound_kind of;
	uint32_t effort; /* 1 a flag, 2 a few lines, 3 a change of the model or the job */
	double part;
	bool overhead; /* bounded by what lies between compute and the device's peak, where that is known */
	const char *name;
	const char *how;
	bool (*applies)(const struct ts_measures *m); /* NULL: always */
};

extern const struct ts_play ts_playbook[];
extern const size_t ts_playbook_n;

#endif
