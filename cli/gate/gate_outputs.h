/* gate_outputs.h - the files that gate writes for continuous integration beside its answer (--junit, --markdown,
 * --gitlab, --request, --verdict), and --github.
 *
 * --junit, --markdown, --gitlab, --request and --verdict each replace a file. --github writes commands to stdout and appends a
 * summary to the file that GITHUB_STEP_SUMMARY names.
 *
 * A file that cannot be written is an error, and then gate prints no answer: a job must not take a missing report for a pass.
 */
#ifndef TSCOPE_CLI_GATE_GATE_OUTPUTS_H
#define TSCOPE_CLI_GATE_GATE_OUTPUTS_H

#include "analysis/gate/gate.h"
#include "cli/core/context.h"

/* Refuses options that cannot be combined or that name no file. Called before any run is read. */
enum ts_status ts_gate_outputs_check(const struct ts_cli *cli, struct ts_error *err);
/* Writes the files. Called when the answer is in cli->out and not yet printed. With --github, marks around the answer keep the
 * runner from taking a line of it for a command. */
enum ts_status ts_gate_outputs(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err);

#endif
