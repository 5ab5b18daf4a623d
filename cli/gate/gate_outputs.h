/* gate_outputs.h - the files that gate writes for continuous integration beside its answer (--junit, --markdown,
 * --gitlab, --request, --verdict), and --github.
 *
 * Each file takes the place of what was there. --github prints commands on stdout and appends a summary to the file that
 * GITHUB_STEP_SUMMARY names.
 *
 * A file that cannot be written is an error, and then there is no answer: a job must not take the lack of a report for a pass.
 */
#ifndef TSCOPE_CLI_GATE_OUTPUTS_H
#define TSCOPE_CLI_GATE_OUTPUTS_H

#include "analysis/gate/gate.h"
#include "cli/core/context.h"

/* Options that do not go together, or name no file. Before anything is asked. */
enum ts_status ts_gate_outputs_check(const struct ts_cli *cli, struct ts_error *err);
/* When the answer is in cli->out and before it is printed. With --github the answer stands between marks that keep the runner from
 * taking a line of it for a command. */
enum ts_status ts_gate_outputs(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err);

#endif
