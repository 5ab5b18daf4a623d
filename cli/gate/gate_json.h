/* gate_json.h - a verdict, and the baselines that it would rest on, as JSON.
 *
 * A verdict (docs/schemas/gate.schema.json) holds the record that --replay reads; the baselines (docs/schemas/baseline.schema.json) are
 * a bundle.
 */
#ifndef TSCOPE_CLI_GATE_GATE_JSON_H
#define TSCOPE_CLI_GATE_GATE_JSON_H

#include "analysis/gate/gate.h"
#include "base/arena.h"
#include "base/buf.h"
#include "proto/shape/shape.h"

extern const struct ts_shape ts_shape_gate_answer, ts_shape_baseline_answer;

enum ts_status ts_render_gate_json(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);
enum ts_status ts_render_baseline_json(const struct ts_gate_input *in, struct ts_arena *arena, struct ts_buf *out,
				       struct ts_error *err);

#endif
