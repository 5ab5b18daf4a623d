/* gate_repro.h - tscope gate --repro: three gates of reproducibility over runs of one command here.
 *
 * Repeatability: N runs of it (--runs) are alike. Equivalence: the first is like the golden record that --golden names. Replay: half of
 * the steps, then the other half by the words of --resume in a new process, is like one run of all steps, by the rules of check-resume.
 * In the words of the command {restart} is a folder that both halves share, for its checkpoint, and that no other run has.
 */
#ifndef TSCOPE_CLI_VERBS_GATE_REPRO_H
#define TSCOPE_CLI_VERBS_GATE_REPRO_H

#include "cli/core/context.h"

enum ts_status ts_gate_repro(struct ts_cli *cli, struct ts_error *err);

#endif
