/* gate_init.h - gate --init: writes the jobs of deploy/ci into a repository.
 *
 * A file that exists is never touched: the answer says whether it is the same as the template, and how to have it written anew.
 */
#ifndef TSCOPE_CLI_GATE_GATE_INIT_H
#define TSCOPE_CLI_GATE_GATE_INIT_H

#include "cli/core/context.h"

/* The names that --init takes, separated by spaces. */
#define TS_GATE_INIT_NAMES "github gitlab github-same gitlab-same"

/* Writes the files of `name` below the current folder, which must be the root of a git repository, and puts into cli->out what was
 * written and what is left to do. Where a file cannot be written, the error names it, and the files before it stay. */
enum ts_status ts_gate_init(struct ts_cli *cli, const char *name, struct ts_error *err);

#endif
