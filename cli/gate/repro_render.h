/* repro_render.h - the answer of the gate of reproducibility as text, JUnit and a comment. Foreign text cannot break out of its place.
 */
#ifndef TSCOPE_CLI_GATE_REPRO_RENDER_H
#define TSCOPE_CLI_GATE_REPRO_RENDER_H

#include "analysis/determinism/repro.h"
#include "cli/core/context.h"

enum ts_status ts_render_repro_text(struct ts_cli *cli, const struct ts_repro *repro, struct ts_error *err);
/* One test case for each gate, class tscope.repro. Red is a failure; unproved is an error, since the test did not come to an answer. */
enum ts_status ts_render_repro_junit(const struct ts_repro *repro, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);
enum ts_status ts_render_repro_markdown(const struct ts_repro *repro, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

#endif
