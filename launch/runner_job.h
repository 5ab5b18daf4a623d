/* runner_job.h - one run that the runner makes, in a process of its own (runner.h): its worktree, its command, and the end of both.
 */
#ifndef TSCOPE_LAUNCH_RUNNER_JOB_H
#define TSCOPE_LAUNCH_RUNNER_JOB_H

#include "base/buf.h"
#include "launch/runner.h"

/* A recipe with everything resolved, as it comes to the runner. Lists end with NULL. */
struct ts_job_order {
	const char *state, *clone, *commit, *directory, *folder;
	struct ts_span patch;
	const char *const *words;
	uint32_t n_before; /* of them, those of the launcher */
	const char *const *variables;
	uint32_t n_inherited; /* of them; behind these stand those that the recipe itself sets */
	const char *const *files;
	int64_t limit_ns;
};

/* Appends an order, and reads one that ts_job_write wrote, whose parts lie in bytes and arena. */
void ts_job_write(struct ts_buf *out, const struct ts_job_order *order);
bool ts_job_read(struct ts_span bytes, struct ts_arena *arena, struct ts_job_order *ret_order);

/* Makes the run and cleans up behind it. name: where the name of its place is put as soon as there is one. control: a pipe whose end
 * tells that the job is to end. Called in the process of the job, which it takes signals in. */
void ts_job_do(const struct ts_job_order *order, int control, void (*placed)(void *ctx, const char *name), void *ctx,
	       struct ts_ran *ran);

#endif
