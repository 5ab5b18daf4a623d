#include "service/handlers/diff/diff_samples.h"

#include "analysis/diverge/samples.h"
#include "base/bisect.h"

#include <stdio.h>

static const char indices[] = "digests.indices";

/* Finds the series of the indices that part first, of the lowest rank there. */
static const struct ts_evidence_series *first_indices(const struct ts_evidence_notes *notes)
{
	const struct ts_evidence_series *found = NULL;

	for (size_t i = 0; i < notes->n; i++) {
		const struct ts_evidence_series *s = &notes->items[i];

		if (s->parts && ts_span_is(s->name, indices) &&
		    (!found || s->first < found->first || (s->first == found->first && s->rank < found->rank)))
			found = s;
	}
	return found;
}

/* Reads the word of a column at a step; none where it has no row there. */
static enum ts_status word_at(struct ts_fetch *f, const struct ts_index *index, const char *name, int64_t step, bool *ret_found,
			      uint64_t *ret_word, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_index_column(index, TS_TABLE_STEPS, ts_span_str(name), TS_COLUMN_U64, &table);
	size_t block = column ? ts_table_block_of(table, step) : 0, rows, at = 0;
	struct ts_arena scratch;
	int64_t *keys;
	uint64_t *words;

	*ret_found = false;
	if (!column || block == table->n_blocks)
		return TS_OK;
	rows = table->blocks[block].rows;
	ts_arena_init(&scratch, 4 << 20);
	keys = ts_arena_array(&scratch, rows, sizeof *keys);
	words = ts_arena_array(&scratch, rows, sizeof *words);
	if (!keys || !words) {
		(void)ts_arena_error(&scratch, err);
		ts_arena_finish(&scratch);
		return err->status;
	}
	if (ts_fetch_block_keys(f, &table->blocks[block], keys, err) ||
	    ts_fetch_block_words(f, &column->blocks[block], TS_COLUMN_U64, rows, words, err)) {
		ts_arena_finish(&scratch);
		return err->status;
	}
	TS_BISECT(at, rows, i, keys[i] < step);
	if (at < rows && keys[at] == step) {
		*ret_found = true;
		*ret_word = words[at];
	}
	ts_arena_finish(&scratch);
	return TS_OK;
}

static enum ts_status samples_of(struct ts_fetch *f, const struct ts_run *run, const struct ts_evidence_series *s,
				 struct ts_samples *ret, bool *ret_known, struct ts_error *err)
{
	const struct ts_index *index = ts_run_rank(run, s->rank);
	uint64_t words[TS_SAMPLES_WORDS];
	size_t n = 0;

	*ret_known = false;
	if (!index)
		return TS_OK;
	for (bool found = true; found && n < TS_SAMPLES_WORDS; n += found) {
		char name[48];

		(void)snprintf(name, sizeof name, "digests.samples_%zu", n);
		if (word_at(f, index, name, s->first, &found, &words[n], err))
			return err->status;
	}
	*ret_known = ts_samples_unpack(words, n, ret);
	return TS_OK;
}

enum ts_status ts_samples_look(const struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_run *a,
			       const struct ts_run *b, struct ts_evidence *e, struct ts_error *err)
{
	const struct ts_evidence_series *s = first_indices(notes);
	struct ts_samples *of_a, *of_b;
	bool known_a = false, known_b = false;
	const char *said = NULL;

	if (!s)
		return TS_OK;
	of_a = ts_arena_array(notes->arena, 1, sizeof *of_a);
	of_b = ts_arena_array(notes->arena, 1, sizeof *of_b);
	if (!of_a || !of_b)
		return ts_arena_error(notes->arena, err);
	if (samples_of(f, a, s, of_a, &known_a, err) || samples_of(f, b, s, of_b, &known_b, err))
		return err->status;
	if (known_a && known_b)
		said = ts_samples_say(of_a, of_b, s->first, e->world_a > 1 ? s->rank : -1, notes->arena);
	if (said) {
		e->samples = ts_span_str(said);
		e->samples_step = s->first;
	}
	return ts_arena_check(notes->arena, err);
}
