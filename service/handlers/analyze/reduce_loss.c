#include "service/handlers/analyze/reduce_loss.h"

#include "base/limits.h"
#include "run/lost.h"
#include "service/handlers/analyze/analyze_columns.h"
#include "service/handlers/core/train_prefix.h"

static bool has_zero(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i] == 0.0)
			return true;
	return false;
}

/* Reads a block of losses, NaN for those of 0 that are none (run/lost.h). */
static enum ts_status read_block(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column, size_t b,
				 struct ts_arena *arena, const double **ret_values, struct ts_error *err)
{
	const struct ts_column *norm = ts_lost_norm(table, column->name);
	size_t rows = table->blocks[b].rows;
	double *values = ts_arena_array(arena, rows, sizeof *values), *norms;

	if (!values)
		return ts_arena_error(arena, err);
	if (ts_fetch_block_words(f, &column->blocks[b], TS_COLUMN_F64, rows, (uint64_t *)(void *)values, err))
		return err->status;
	if (norm && has_zero(values, rows)) {
		norms = ts_arena_array(arena, rows, sizeof *norms);
		if (!norms)
			return ts_arena_error(arena, err);
		if (ts_fetch_block_words(f, &norm->blocks[b], TS_COLUMN_F64, rows, (uint64_t *)(void *)norms, err))
			return err->status;
		ts_lost_take(values, norms, rows);
	}
	*ret_values = values;
	return TS_OK;
}

static enum ts_status read_column(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
				  struct ts_reduce_ends *io_ends, struct ts_error *err)
{
	struct ts_reduce_loss loss = ts_reduce_loss_of((size_t)table->rows);
	struct ts_arena block;
	enum ts_status status = TS_OK;

	ts_arena_init(&block, TS_ANALYSIS_ARENA);
	for (size_t b = 0; !status && b < table->n_blocks; b++) {
		const double *values = NULL;

		ts_arena_reset(&block);
		status = read_block(f, table, column, b, &block, &values, err);
		for (size_t i = 0; !status && i < table->blocks[b].rows; i++)
			ts_reduce_loss_add(&loss, values[i]);
	}
	ts_arena_finish(&block);
	if (!status)
		ts_reduce_loss_finish(&loss, io_ends);
	return status;
}

/* Reads the column of the lowest rank that has one of this name; NULL: that is its loss by any name. */
static enum ts_status read_named(struct ts_fetch *f, const struct ts_run *run, const char *name, struct ts_arena *arena,
				 struct ts_reduce_ends *io_ends, struct ts_error *err)
{
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		const struct ts_table *table;
		const struct ts_column *column = name ? ts_columns_find(&run->indexes[i], name, &table)
						      : ts_columns_find_loss(&run->indexes[i], &table);

		if (!column || table->rows == 0)
			continue;
		if (read_column(f, table, column, io_ends, err))
			return ts_error_prefix(err, "rank %" PRId32, run->indexes[i].rank);
		io_ends->loss_column = name ? name : ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(column->name));
		return io_ends->loss_column ? TS_OK : ts_arena_error(arena, err);
	}
	return TS_OK;
}

enum ts_status ts_reduce_read_loss(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_reduce_ends *io_ends,
				   struct ts_error *err)
{
	enum ts_status status = TS_OK;

	io_ends->no_loss = "the run has no column scalars.loss";
	for (size_t i = 0; !status && !io_ends->has_loss && i < TS_TRAIN_PREFIXES; i++) {
		const char *name = ts_arena_printf(arena, "scalars.%sloss", ts_train_prefixes[i]);

		status = name ? read_named(f, run, name, arena, io_ends, err) : ts_arena_error(arena, err);
	}
	if (!status && !io_ends->has_loss)
		status = read_named(f, run, NULL, arena, io_ends, err);
	if (io_ends->loss_column && strcmp(io_ends->loss_column, "scalars.loss") == 0)
		io_ends->loss_column = NULL;
	return status;
}
