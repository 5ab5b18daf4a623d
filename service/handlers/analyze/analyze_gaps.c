#include "service/handlers/analyze/analyze_gaps.h"

#include "base/door.h"
#include "base/limits.h"
#include "run/meaning.h"
#include "run/role.h"

struct said {
	struct ts_step_gaps gaps[TS_GAPS_SAID];
	size_t n, opened;
};

static bool is_loss(struct ts_span name)
{
	enum ts_meaning meaning = ts_column_meaning(name);

	return meaning == TS_MEANS_LOSS || meaning == TS_MEANS_OBJECTIVE;
}

/* The column that a table is called by: its loss, else its first number that is no time. */
static const struct ts_column *name_of(const struct ts_table *table, const struct ts_facts *facts)
{
	const struct ts_column *first = NULL;

	for (size_t i = 0; i < table->n_columns; i++) {
		const struct ts_column *c = &table->columns[i];

		if (c->type != TS_COLUMN_F64 || ts_role_of(c->name, facts) != TS_ROLE_TRAJECTORY || ts_span_is(c->name, "segment"))
			continue;
		if (is_loss(c->name))
			return c;
		first = first ? first : c;
	}
	return first;
}

/* Whether the ends of the blocks say that the table has a row at every step. */
static bool is_whole(const struct ts_table *table)
{
	const struct ts_block *last = &table->blocks[table->n_blocks - 1];

	return (uint64_t)last->last_key - (uint64_t)table->blocks[0].first_key == table->rows - 1;
}

static bool was_said(const struct said *said, const struct ts_step_gaps *gaps)
{
	for (size_t i = 0; i < said->n; i++)
		if (said->gaps[i].from == gaps->from && said->gaps[i].to == gaps->to)
			return true;
	return false;
}

static enum ts_status look_at(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column, struct ts_notes *notes,
			      struct said *said, struct ts_error *err)
{
	struct ts_step_gaps gaps = {.gaps = 0};
	struct ts_arena scratch;
	enum ts_status status;
	int64_t *keys;

	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	status = ts_fetch_keys(f, table, &scratch, &keys, err);
	if (!status)
		ts_step_gaps_find(keys, table->rows, &gaps);
	ts_arena_finish(&scratch);
	said->opened++;
	if (status || !gaps.gaps || was_said(said, &gaps))
		return status;
	said->gaps[said->n++] = gaps;
	return ts_note_gaps(notes, column->name, &gaps, err);
}

static enum ts_status look_at_tables(struct ts_fetch *f, const struct ts_index *index, const struct ts_facts *facts, bool loss,
				     struct ts_notes *notes, struct said *said, struct ts_error *err)
{
	for (size_t i = 0; i < index->n_tables && said->n < TS_GAPS_SAID && said->opened < TS_GAPS_TABLES; i++) {
		const struct ts_table *table = &index->tables[i];
		const struct ts_column *column;

		if (table->kind != TS_TABLE_STEPS || table->rows < TS_GAP_LEAST || !table->n_blocks || is_whole(table))
			continue;
		column = name_of(table, facts);
		if (column && is_loss(column->name) == loss && look_at(f, table, column, notes, said, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_gaps_of_rank(struct ts_fetch *f, const struct ts_index *index, const struct ts_facts *facts, struct ts_notes *notes,
			       struct ts_error *err)
{
	struct said said = {.n = 0};

	TS_DOOR(ts_facts_hold(facts));
	TS_DOOR(ts_index_holds(index));
	if (look_at_tables(f, index, facts, true, notes, &said, err))
		return err->status;
	return look_at_tables(f, index, facts, false, notes, &said, err);
}
