#include "service/handlers/analyze/analyze_moves.h"

#include "analysis/rank/logged.h"
#include "analysis/rank/move.h"
#include "base/door.h"
#include "base/limits.h"
#include "base/text.h"
#include "run/role.h"

/* Series that are set, counted or scaled, not measured: globs of ts_column_leaf(). */
static const char *const move_names[] = {
	"lr",	      "lr_*",	    "*_lr",	   "*_lr_*",	"*learning_rate*", "epoch",	     "*_epoch",
	"*epochs*",   "step",	    "*_step",	   "*_steps",	"iter*",	   "samples",	     "*_samples",
	"tokens",     "*_tokens",   "*consumed*",  "*scale*",	"*grad*norm*",	   "*weight_decay*", "wd",
	"momentum",   "*_momentum", "*schedule*",  "seed",	"*_seed",	   "num_*",	     "n_*",
	"*_coef",     "*_coeff*",   "beta",	   "beta_*",	"*_ema_decay",	   "*progress*",     "*mem*",
	"*_bytes",    "*time*",	    "*timestamp*", "*gpu*",	"*cpu*",	   "batch_size",     "*_batch_size",
	"world_size", "*_sec",	    "*_secs",	   "*per_sec*",
};

static bool is_rate(struct ts_span leaf)
{
	return ts_span_is(leaf, "lr") || ts_span_is(leaf, "learning_rate");
}

/* What the training computes, or of which nobody knows, whatever its name. */
static bool is_computed(const struct ts_column *column, const struct ts_facts *facts)
{
	struct ts_logged_name logged;

	return column->type == TS_COLUMN_F64 && ts_span_starts(column->name, ts_span_str("scalars.")) &&
	       ts_role_of(column->name, facts) != TS_ROLE_OBSERVATION && !ts_logged_name_of(column->name, &logged);
}

bool ts_moves_asks(const struct ts_column *column, const struct ts_facts *facts)
{
	uint8_t room[TS_PATH_MAX];
	struct ts_span leaf;

	TS_DOOR(ts_facts_hold(facts));
	if (!is_computed(column, facts))
		return false;
	leaf = ts_column_leaf(column->name, room);
	for (size_t i = 0; i < sizeof move_names / sizeof move_names[0]; i++)
		if (ts_glob(ts_span_str(move_names[i]), leaf))
			return false;
	return true;
}

/* A norm of gradients has no level to leave, but it can cease to be a number. That of all of them is read with the loss. */
static bool asks_lost(const struct ts_column *column, const struct ts_facts *facts)
{
	uint8_t room[TS_PATH_MAX];
	struct ts_span leaf;

	if (!is_computed(column, facts))
		return false;
	leaf = ts_column_leaf(column->name, room);
	return ts_glob(ts_span_str("*grad*norm*"), leaf) && !ts_span_is(leaf, "grad_norm");
}

/* The first learning rate of the rank; its steps lie in the arena. */
static enum ts_status read_rate(struct ts_columns *columns, const struct ts_index *index, struct ts_arena *arena,
				struct ts_move_about *io_about, struct ts_error *err)
{
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++) {
			const struct ts_column *column = &table->columns[i];
			uint8_t room[TS_PATH_MAX];
			struct ts_series series;

			if (column->type != TS_COLUMN_F64 || !is_rate(ts_column_leaf(column->name, room)))
				continue;
			if (ts_columns_load(columns, table, column, &series, err) || ts_move_of_rate(&series, arena, io_about, err))
				return err->status;
			ts_columns_done(columns);
			return TS_OK;
		}
	}
	return TS_OK;
}

static bool rows(const struct ts_move *m, struct ts_span of, bool frozen, struct ts_arena *arena, struct ts_measures *measures)
{
	if (m->lost && !ts_measure_add(measures, arena, TS_M_SERIES_LOST, of, (double)m->lost_from))
		return false;
	if (m->kind == TS_MOVE_NONE)
		return true;
	return ts_measure_text(measures, arena, TS_M_SERIES_MOVE, of, ts_span_str(ts_move_word(m->kind))) &&
	       ts_measure_add(measures, arena, TS_M_SERIES_MOVE_AT, of, (double)m->from) &&
	       ts_measure_add(measures, arena, TS_M_SERIES_MOVE_BEFORE, of, m->before) &&
	       ts_measure_add(measures, arena, TS_M_SERIES_MOVE_AFTER, of, m->after) &&
	       ts_measure_add(measures, arena, TS_M_SERIES_MOVE_WORSE, of, m->worse) &&
	       ts_measure_add(measures, arena, TS_M_SERIES_MOVE_FROZEN, of, frozen);
}

static enum ts_status one_series(struct ts_columns *columns, const struct ts_table *table, const struct ts_column *column,
				 int64_t first, bool levels, struct ts_move_about *about, struct ts_arena *arena,
				 struct ts_measures *measures, struct ts_error *err)
{
	struct ts_arena work;
	struct ts_series s;
	struct ts_move move;
	enum ts_status status;

	if (ts_columns_load(columns, table, column, &s, err))
		return err->status;
	ts_series_from(&s, first);
	about->direction = ts_direction_of(column->name);
	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = ts_move_find(&s, about, NULL, &work, &move, err);
	ts_arena_finish(&work);
	if (!status && !levels)
		move.kind = TS_MOVE_NONE;
	if (!status && !rows(&move, ts_column_said(column->name), about->frozen, arena, measures))
		status = ts_arena_error(arena, err);
	ts_columns_done(columns);
	return status;
}

enum ts_status ts_analyze_moves(struct ts_columns *columns, const struct ts_index *index, const struct ts_facts *facts, int64_t first,
				struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err)
{
	struct ts_move_about about = {.direction = TS_DIRECTION_UNKNOWN};
	enum ts_status status;
	struct ts_arena kept;
	size_t asked = 0;

	TS_DOOR(ts_facts_hold(facts));
	TS_DOOR(ts_index_holds(index));
	ts_arena_init(&kept, TS_ANALYSIS_ARENA);
	status = read_rate(columns, index, &kept, &about, err);
	for (size_t t = 0; !status && t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; !status && table->kind == TS_TABLE_STEPS && i < table->n_columns && asked < TS_MOVES_SERIES; i++) {
			bool levels = ts_moves_asks(&table->columns[i], facts);

			if (table->rows > TS_MOVES_ROWS || (!levels && !asks_lost(&table->columns[i], facts)))
				continue;
			asked++;
			status = one_series(columns, table, &table->columns[i], first, levels, &about, arena, measures, err);
		}
	}
	ts_arena_finish(&kept);
	if (!status && asked && !ts_measure_add(measures, arena, TS_M_MOVES_ASKED, TS_NO_SUBJECT, (double)asked))
		status = ts_arena_error(arena, err);
	return status;
}
