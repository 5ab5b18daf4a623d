#include "service/handlers/analyze/reduce_loss.h"

#include "base/limits.h"
#include "service/handlers/analyze/analyze_columns.h"
#include "service/handlers/core/train_prefix.h"

static enum ts_status read_column(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
				  struct ts_reduce_ends *io_ends, struct ts_error *err)
{
	struct ts_reduce_loss loss = ts_reduce_loss_of((size_t)table->rows);
	struct ts_arena block;
	enum ts_status status = TS_OK;

	ts_arena_init(&block, TS_ANALYSIS_ARENA);
	for (size_t b = 0; !status && b < table->n_blocks; b++) {
		size_t rows = table->blocks[b].rows;
		double *values;

		ts_arena_reset(&block);
		values = ts_arena_array(&block, rows, sizeof *values);
		status = !values ? ts_arena_error(&block, err)
				 : ts_fetch_block_words(f, &column->blocks[b], TS_COLUMN_F64, rows,
							(uint64_t *)(void *)values, err);
		for (size_t i = 0; !status && i < rows; i++)
			ts_reduce_loss_add(&loss, values[i]);
	}
	ts_arena_finish(&block);
	if (!status)
		ts_reduce_loss_finish(&loss, io_ends);
	return status;
}

/* Reads the column of the lowest rank that has one of this name. */
static enum ts_status read_named(struct ts_fetch *f, const struct ts_run *run, const char *name, struct ts_reduce_ends *io_ends,
				 struct ts_error *err)
{
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		const struct ts_table *table;
		const struct ts_column *column = ts_columns_find(&run->indexes[i], name, &table);

		if (!column || table->rows == 0)
			continue;
		if (read_column(f, table, column, io_ends, err))
			return ts_error_prefix(err, "rank %" PRId32, run->indexes[i].rank);
		return TS_OK;
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

		status = name ? read_named(f, run, name, io_ends, err) : ts_arena_error(arena, err);
		io_ends->loss_column = i > 0 ? name : NULL;
	}
	return status;
}
