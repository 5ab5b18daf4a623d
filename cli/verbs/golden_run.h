/* golden_run.h - what a run computed, as a golden record has it (analysis/determinism/golden.h). */
#ifndef TSCOPE_CLI_VERBS_GOLDEN_RUN_H
#define TSCOPE_CLI_VERBS_GOLDEN_RUN_H

#include "analysis/determinism/golden.h"
#include "cli/core/context.h"
#include "proto/wire.h"

/* Of the lowest rank that recorded steps: numbers and digests of the trajectory, but for rates, generators and what went into a step,
 * which act on effects or on nothing; `every`: all numbers and digests. The first `steps` steps that it has; 0: all. Facts are those
 * that name host, devices and libraries. Everything lies in the command's arena. */
enum ts_status ts_golden_of_run(struct ts_cli *cli, struct ts_span spec, uint64_t steps, bool every, struct ts_golden *ret,
				struct ts_get_reply *ret_run, struct ts_error *err);

#endif
