#include "service/handlers/gate/gate_machine.h"

#include "analysis/machine/machine_compare.h"
#include "base/limits.h"
#include "base/text.h"
#include "service/handlers/analyze/analyze_machine_rows.h"

#include <math.h>

enum { RUNS_MOST = 16 };

static enum ts_status rows_of(struct ts_fetch *f, const struct ts_gate_input *input, enum ts_gate_role role, struct ts_arena *arena,
			      struct ts_measures *ret, struct ts_error *err)
{
	const struct ts_id *ids[RUNS_MOST];
	size_t n = 0;

	for (size_t i = 0; i < input->n_runs && n < RUNS_MOST; i++)
		if (input->runs[i].role == role)
			ids[n++] = &input->runs[i].id;
	return ts_machine_rows_of_first(f, ids, n, arena, ret, err);
}

enum ts_status ts_gate_machine_why(struct ts_fetch *f, struct ts_verdict *v, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_gate_why row = {
		.kind = ts_span_str(ts_gate_part_word(TS_GATE_PART_MACHINE)), .base = NAN, .candidate = NAN, .share = NAN};
	struct ts_measures base = {.n = 0}, candidate = {.n = 0};

	if (!ts_gate_asks_why(v))
		return TS_OK;
	if (rows_of(f, &v->input, TS_GATE_BASELINE, arena, &base, err) ||
	    rows_of(f, &v->input, TS_GATE_CANDIDATE, arena, &candidate, err) ||
	    ts_machine_compare(&candidate, &base, arena, &row.name, err))
		return err->status;
	row.name = ts_utf8_cut(row.name, TS_PATH_MAX);
	return row.name.len ? ts_gate_why_last(v, row, arena, err) : TS_OK;
}
