/* gate_text.h - the answers of gate and baseline as text: a verdict, and the runs that one would rest on. */
#ifndef TSCOPE_CLI_GATE_TEXT_H
#define TSCOPE_CLI_GATE_TEXT_H

#include "analysis/gate/gate.h"
#include "cli/core/context.h"

/* A verdict: text, and docs/schemas/gate.schema.json, which holds the record that --replay reads. */
enum ts_status ts_render_gate_text(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err);
/* Which runs a candidate would be held against: text, and docs/schemas/baseline.schema.json, which is a bundle. */
enum ts_status ts_render_baseline_text(struct ts_cli *cli, const struct ts_gate_input *in, struct ts_error *err);

#endif
