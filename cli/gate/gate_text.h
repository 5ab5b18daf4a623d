/* gate_text.h - the answers of gate and baseline as text: a verdict, and the runs that one would rest on. */
#ifndef TSCOPE_CLI_GATE_GATE_TEXT_H
#define TSCOPE_CLI_GATE_GATE_TEXT_H

#include "analysis/gate/gate.h"
#include "cli/core/context.h"

/* Appends a verdict to cli->out. */
enum ts_status ts_render_gate_text(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err);
/* Appends the runs with which a candidate would be compared. */
enum ts_status ts_render_baseline_text(struct ts_cli *cli, const struct ts_gate_input *in, struct ts_error *err);

#endif
