/* check_resume.h - the CheckResume method: did a run go on correctly from a checkpoint?
 *
 * With a parent: the child's steps from its resume on against the parent's of the same number. Where the resume is: the fact
 * lineage.resumed_step, else the start of the child's last restart, else the child's first step if it lies behind the parent's.
 * Without one: each restart of the run's own directory, by what was executed twice; the worst of them is the answer, and one that
 * repeats too little to be decided, and nothing otherwise, is so only if no other is decided. A run that was never restarted, but
 * names a parent that is here, is compared with that. The format that tolerances depend on is work.dtype, else config.dtype,
 * config.precision, config.mixed_precision, config.amp_dtype, config.bf16, config.fp16; of the child, else of the parent.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_CHECK_RESUME_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_CHECK_RESUME_H

#include "analysis/diverge/resume.h"
#include "service/handlers/core/read.h"

struct ts_resume_question {
	bool has_parent;
	struct ts_id parent; /* of the run's head */
	struct ts_id child;
	struct ts_span project; /* of the child's name, for a parent that it names; empty = not known */
	bool has_tolerance;
	double tolerance;
};

/* Spans of the result lie in the arena. */
enum ts_status ts_check_resume(struct ts_fetch *f, const struct ts_resume_question *q, struct ts_arena *arena,
			       struct ts_resume *ret, struct ts_error *err);

#endif
