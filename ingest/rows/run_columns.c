#include "ingest/rows/run_columns.h"

#include "base/limits.h"

#include <stdio.h>

#define EXACT_MAX (INT64_C(1) << 53)

static void declare_precision(struct ts_builder *b, const struct ts_facts *facts, struct ts_span name, uint32_t column)
{
	struct ts_buf path = TS_BUF_INIT(4 * TS_PATH_MAX);
	const struct ts_fact *fact = NULL;

	if (!facts)
		return;
	ts_buf_str(&path, "columns");
	ts_path_key(&path, name);
	ts_path_key(&path, ts_span_str("precision"));
	if (!path.failed)
		fact = ts_facts_find(facts, ts_buf_view(&path));
	ts_buf_finish(&path);
	if (fact && fact->type == TS_FACT_TEXT && ts_span_is(fact->text, "f32"))
		ts_builder_precision(b, column, TS_PRECISION_F32, 0);
	if (fact && fact->type == TS_FACT_INT && fact->integer >= 0 && fact->integer <= 17)
		ts_builder_precision(b, column, TS_PRECISION_DECIMALS, (uint8_t)fact->integer);
}

enum ts_status ts_column_make(struct ts_builder *b, const struct ts_facts *facts, struct ts_span name, enum ts_column_type type,
			      uint32_t *ret_column, struct ts_error *err)
{
	uint32_t column;

	if (ts_builder_column(b, name, type, &column, err))
		return err->status;
	if (type == TS_COLUMN_F64)
		declare_precision(b, facts, name, column);
	*ret_column = column + 1;
	return TS_OK;
}

static enum ts_status put_number(struct ts_builder *b, const struct ts_facts *facts, const char *name, uint32_t *column, double value,
				 struct ts_error *err)
{
	if (!*column && ts_column_make(b, facts, ts_span_str(name), TS_COLUMN_F64, column, err))
		return err->status;
	ts_builder_f64(b, *column - 1, value);
	return TS_OK;
}

enum ts_status ts_own_segment(struct ts_own_columns *own, struct ts_builder *b, const struct ts_facts *facts, uint64_t segment,
			      struct ts_error *err)
{
	return put_number(b, facts, "segment", &own->segment, (double)segment, err);
}

enum ts_status ts_own_step(struct ts_own_columns *own, struct ts_builder *b, const struct ts_facts *facts, int64_t step,
			   struct ts_error *err)
{
	char digits[32];
	int n;

	if (step >= -EXACT_MAX && step <= EXACT_MAX)
		return put_number(b, facts, "step", &own->step, (double)step, err);
	if (!own->step_text && ts_column_make(b, facts, ts_span_str("step"), TS_COLUMN_JSON, &own->step_text, err))
		return err->status;
	n = snprintf(digits, sizeof digits, "%" PRId64, step);
	ts_builder_text(b, own->step_text - 1, ts_span_of(digits, (size_t)n));
	return TS_OK;
}
