#include "service/handlers/analyze/analyze_ranks.h"

#include "base/door.h"

static const char PREFIX[] = "phases.";

bool ts_column_is_phase(const struct ts_column *column)
{
	return column->type == TS_COLUMN_F64 && ts_span_starts(column->name, ts_span_str(PREFIX));
}

struct ts_span ts_phase_name(const struct ts_column *column)
{
	size_t skip = sizeof PREFIX - 1;

	return ts_span_of(column->name.data + skip, column->name.len - skip);
}

bool ts_table_has_phase(const struct ts_table *table)
{
	TS_DOOR(ts_table_holds(table));
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->kind == TS_TABLE_STEPS && ts_column_is_phase(&table->columns[i]))
			return true;
	return false;
}

enum ts_status ts_ranks_align(struct ts_fetch *f, const struct ts_run *run, int64_t first, struct ts_arena *arena,
			      struct ts_ranks_in *ret_in, struct ts_error *err)
{
	return ts_rank_steps(f, run, ts_table_has_phase, first, arena, ret_in, err);
}

/* Columns with unknown names are put together in one phase. */
static int slot_of(const void *ctx, const struct ts_column *column)
{
	(void)ctx;
	return ts_column_is_phase(column) ? (int)ts_rank_phase_of(ts_phase_name(column)) : -1;
}

static enum ts_status take_window(void *ctx, const int64_t *steps, size_t n, double **values, struct ts_error *err)
{
	struct ts_rank_window window = {
		.steps = steps,
		.n = n,
		.phases = (const double *const(*)[TS_RANK_PHASES])values,
	};

	return ts_ranks_window(ctx, &window, err);
}

enum ts_status ts_ranks_feed(const struct ts_ranks_in *in, struct ts_ranks *r, struct ts_error *err)
{
	const struct ts_rank_slots slots = {.n = TS_RANK_PHASES, .of = slot_of};

	return ts_rank_windows(in, &slots, take_window, r, err);
}
