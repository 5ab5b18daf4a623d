#include "service/handlers/diff/diff_whole.h"

#include "analysis/diverge/resume.h"
#include "base/limits.h"

#include <math.h>

enum { LEAST = 10 }; /* number of steps that must agree before two series count as the same */

/* --- numbers that vary --- */

enum ts_status ts_whole_varies(struct ts_fetch *f, const struct ts_series_side *side, bool *ret_varies, struct ts_error *err)
{
	size_t n = side->table->n_blocks ? side->table->blocks[0].rows : 0, changes = 0;
	struct ts_arena scratch;
	enum ts_status status = TS_OK;
	uint64_t *words;

	*ret_varies = false;
	ts_arena_init(&scratch, 4 << 20);
	words = ts_arena_array(&scratch, n ? n : 1, sizeof *words);
	if (!words)
		status = ts_arena_error(&scratch, err);
	else if (n > LEAST)
		status = ts_fetch_block_words(f, &side->column->blocks[0], TS_COLUMN_F64, n, words, err);
	for (size_t i = 2; !status && n > LEAST && i < n; i++) {
		double v[3];

		memcpy(v, &words[i - 2], sizeof v);
		/* The increments differ, so it is neither a counter nor a constant. */
		changes += v[2] - v[1] != v[1] - v[0];
	}
	*ret_varies = !status && changes * 2 > n;
	ts_arena_finish(&scratch);
	return status;
}

/* --- shifted step numbers --- */

struct column {
	int64_t *steps;
	uint64_t *words;
	size_t n;
};

static enum ts_status load(struct ts_fetch *f, const struct ts_series_side *side, struct ts_arena *scratch, struct column *ret,
			   struct ts_error *err)
{
	double *values = NULL;

	ret->n = side->table->rows;
	if (ts_fetch_keys(f, side->table, scratch, &ret->steps, err))
		return err->status;
	if (side->column->type == TS_COLUMN_U64)
		return ts_fetch_u64(f, side->table, side->column, scratch, &ret->words, err);
	if (ts_fetch_f64(f, side->table, side->column, scratch, &values, err))
		return err->status;
	ret->words = ts_arena_array(scratch, ret->n ? ret->n : 1, sizeof *ret->words);
	if (!ret->words)
		return ts_arena_error(scratch, err);
	memcpy(ret->words, values, ret->n * sizeof *values);
	return TS_OK;
}

enum moved {
	MOVED_NOT = 0,
	MOVED_UNSEEN = 1, /* they share no step so: each is recorded every so many steps of its own count */
	MOVED_SO = 2,
};

/* Counts the steps s of a for which s + by is a step of b, and has the same value there. */
static enum moved compare_moved(const struct column *a, const struct column *b, int64_t by, uint64_t *ret_steps)
{
	size_t i = 0, j = 0;
	uint64_t n = 0;

	while (i < a->n && j < b->n) {
		int64_t at = b->steps[j] - by;

		if (a->steps[i] == at) {
			if (a->words[i] != b->words[j])
				return MOVED_NOT;
			n++, i++, j++;
		} else if (a->steps[i] < at) {
			i++;
		} else {
			j++;
		}
	}
	*ret_steps = n;
	if (n == 0)
		return MOVED_UNSEEN;
	return n >= LEAST && n * 10 >= 9 * (a->n < b->n ? a->n : b->n) ? MOVED_SO : MOVED_NOT;
}

static bool shows_training(enum ts_series_kind kind)
{
	return kind == TS_KIND_LOSS || kind == TS_KIND_GRAD_NORM || kind == TS_KIND_PARAMS || kind == TS_KIND_GRADS;
}

static bool small_enough(const struct ts_series_side sides[2])
{
	return sides[0].table->rows <= TS_EVIDENCE_BATCHES && sides[1].table->rows <= TS_EVIDENCE_BATCHES;
}

static enum ts_status try_moved(struct ts_fetch *f, const struct ts_series_side sides[2], int64_t by, enum moved *ret_moved,
				uint64_t *ret_steps, struct ts_error *err)
{
	struct ts_arena scratch;
	struct column a, b;
	enum ts_status status;

	ts_arena_init(&scratch, 256 << 20);
	status = load(f, &sides[0], &scratch, &a, err);
	if (!status)
		status = load(f, &sides[1], &scratch, &b, err);
	*ret_moved = status ? MOVED_NOT : compare_moved(&a, &b, by, ret_steps);
	ts_arena_finish(&scratch);
	return status;
}

/* A state that is recorded every so many steps of either run's own count shares no step when moved. What it is at steps that both have
 * differs from the first on then; where it agrees there, the steps are the same ones, and a loss alone was logged at another. */
static bool says_nothing(const struct ts_evidence_series *s)
{
	return s->cadence > 1 && (!s->common || (s->parts && s->first == s->first_common));
}

/* Every series of the training must equal the other run's when shifted by the same number of steps, where that has any of them; one
 * that varies is enough evidence. */
static enum ts_status find_moved(const struct ts_evidence_notes *notes, struct ts_fetch *f, struct ts_evidence *e,
				 struct ts_error *err)
{
	int64_t by = (int64_t)((uint64_t)e->first_step_b - (uint64_t)e->first_step_a);
	uint64_t least = UINT64_MAX;
	bool every = true;

	if (!e->first_steps_known || by == 0)
		return TS_OK;
	for (size_t i = 0; i < notes->n; i++) {
		const struct ts_evidence_series *s = &notes->items[i];
		enum moved moved = MOVED_NOT;
		uint64_t steps = 0;

		if (!shows_training(s->kind) || !s->in_a || !s->in_b)
			continue;
		every = every && s->cadence <= 1;
		if (!small_enough(notes->sides[i]))
			return TS_OK;
		if (try_moved(f, notes->sides[i], by, &moved, &steps, err))
			return err->status;
		if (moved == MOVED_UNSEEN && says_nothing(s))
			continue;
		if (moved != MOVED_SO) {
			e->moved.looked = every;
			return TS_OK;
		}
		least = steps < least ? steps : least;
	}
	if (least == UINT64_MAX)
		return TS_OK;
	e->moved = (struct ts_moved){.looked = true, .by = by, .steps = least};
	return TS_OK;
}

/* --- a schedule that began anew --- */

enum { DISTINCT = 3 }; /* rates that must differ from one another: a constant one is found anywhere */

static bool is_schedule(const uint64_t *words, size_t n)
{
	uint64_t seen[DISTINCT];
	size_t distinct = 0;

	for (size_t i = 0; i < n && distinct < DISTINCT; i++) {
		bool known = false;

		for (size_t k = 0; k < distinct; k++)
			known |= seen[k] == words[i];
		if (!known)
			seen[distinct++] = words[i];
	}
	return distinct == DISTINCT;
}

/* Looks for the rates of `of`, from `step` on, among the earlier ones of `in`: until then both runs have the same. */
static void look_for_rates(const struct column *in, const struct column *of, int64_t step, struct ts_rates_moved *io)
{
	struct ts_resume_shift shift;
	size_t at = 0, n;

	while (at < of->n && of->steps[at] < step)
		at++;
	n = of->n - at < TS_RESUME_SHIFT ? of->n - at : TS_RESUME_SHIFT;
	if (io->by || n < DISTINCT || !is_schedule(of->words + at, n))
		return;
	ts_resume_find_shift(in->steps, in->words, in->n, of->steps + at, of->words + at, n, &shift);
	if (shift.answer == TS_SHIFT_FOUND && shift.by < 0 && shift.matched >= DISTINCT)
		*io = (struct ts_rates_moved){.by = shift.by, .steps = shift.matched};
}

static enum ts_status find_rates(const struct ts_evidence_notes *notes, struct ts_fetch *f, struct ts_evidence *e, struct ts_error *err)
{
	for (size_t i = 0; i < notes->n && !e->rates.by; i++) {
		const struct ts_evidence_series *s = &notes->items[i];
		struct ts_rates_moved back = {.by = 0};
		struct ts_arena scratch;
		struct column a, b;
		enum ts_status status;

		if (s->kind != TS_KIND_LR || !s->parts || !small_enough(notes->sides[i]))
			continue;
		ts_arena_init(&scratch, 256 << 20);
		status = load(f, &notes->sides[i][0], &scratch, &a, err);
		if (!status)
			status = load(f, &notes->sides[i][1], &scratch, &b, err);
		if (!status) {
			look_for_rates(&a, &b, s->first, &e->rates);
			look_for_rates(&b, &a, s->first, &back);
		}
		ts_arena_finish(&scratch);
		if (status)
			return status;
		if (!e->rates.by && back.by) {
			e->rates = back;
			e->rates.of_a = true;
		}
	}
	return TS_OK;
}

/* --- renumbered ranks --- */

static bool same_content(const struct ts_series_side *a, const struct ts_series_side *b)
{
	if (a->table->n_blocks != b->table->n_blocks || a->table->rows != b->table->rows)
		return false;
	for (size_t i = 0; i < a->table->n_blocks; i++)
		if (!ts_id_eq(&a->column->blocks[i], &b->column->blocks[i]) ||
		    !ts_id_eq(&a->table->blocks[i].keys, &b->table->blocks[i].keys))
			return false;
	return a->table->n_blocks > 0;
}

/* Returns the rank of the second run that has the content of series i of the first run; -1: no rank, or several. */
static int32_t rank_with(const struct ts_evidence_notes *notes, size_t i)
{
	int32_t found = -1;

	for (size_t k = 0; k < notes->n; k++) {
		const struct ts_evidence_series *s = &notes->items[k];

		if (!s->in_b || !ts_span_eq(s->name, notes->items[i].name) || !same_content(&notes->sides[i][0], &notes->sides[k][1]))
			continue;
		if (found >= 0)
			return -1;
		found = s->rank;
	}
	return found;
}

/* Returns whether there are several series of these kinds that differ, and each is on another rank of the other run. */
static bool all_moved(const struct ts_evidence_notes *notes, bool batches)
{
	size_t moved = 0;

	for (size_t i = 0; i < notes->n; i++) {
		const struct ts_evidence_series *s = &notes->items[i];
		int32_t rank;

		if (!s->parts || !(batches ? s->kind == TS_KIND_BATCH : shows_training(s->kind)))
			continue;
		rank = rank_with(notes, i);
		if (rank < 0 || rank == s->rank || notes->sides[i][0].table->rows < LEAST)
			return false;
		moved++;
	}
	return moved >= 2;
}

/* Where batches were recorded, they decide: with more than two ranks, sums are then taken in another order, so other
 * values differ by rounding. */
static bool is_exchanged(const struct ts_evidence_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		if (notes->items[i].kind == TS_KIND_BATCH && notes->items[i].in_a && notes->items[i].in_b)
			return all_moved(notes, true);
	return all_moved(notes, false);
}

/* --- means over ranks --- */

static uint32_t ranks_of(const struct ts_run *run)
{
	uint32_t n = 0;

	for (size_t i = 0; i < run->head.n_ranks; i++)
		n += run->head.ranks[i].rank != TS_RANK_JOB;
	return n;
}

/* Computes the mean of the series over the first rows of the ranks, each of which must be of `step`. */
static enum ts_status mean_of(struct ts_fetch *f, const struct ts_run *run, struct ts_span name, int64_t step, uint32_t world,
			      bool *ret_known, double *ret_mean, struct ts_error *err)
{
	double sum = 0;
	uint32_t n = 0;

	*ret_known = false;
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		const struct ts_table *table;
		const struct ts_column *column;
		struct ts_arena scratch;
		enum ts_status status;
		uint64_t *words;
		double value;

		if (run->head.ranks[i].rank == TS_RANK_JOB)
			continue;
		column = ts_index_column(&run->indexes[i], TS_TABLE_STEPS, name, TS_COLUMN_F64, &table);
		if (!column || !table->n_blocks || table->blocks[0].first_key != step)
			return TS_OK;
		ts_arena_init(&scratch, 4 << 20);
		words = ts_arena_array(&scratch, table->blocks[0].rows, sizeof *words);
		status = words ? ts_fetch_block_words(f, &column->blocks[0], TS_COLUMN_F64, table->blocks[0].rows, words, err)
			       : ts_arena_error(&scratch, err);
		if (!status)
			memcpy(&value, words, sizeof value);
		ts_arena_finish(&scratch);
		if (status)
			return status;
		sum += value;
		n++;
	}
	*ret_known = n > 0 && n == world;
	*ret_mean = n ? sum / n : (double)NAN;
	return TS_OK;
}

static enum ts_status find_means(const struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_run *a,
				 const struct ts_run *b, struct ts_evidence *e, struct ts_error *err)
{
	uint32_t world_a = e->world_a ? e->world_a : e->ranks_a, world_b = e->world_b ? e->world_b : e->ranks_b;
	bool known_a, known_b;

	if (world_a == world_b)
		return TS_OK;
	for (size_t i = 0; i < notes->n; i++) {
		const struct ts_evidence_series *s = &notes->items[i];

		if (s->kind != TS_KIND_LOSS || !s->parts || s->first != s->first_common)
			continue;
		if (mean_of(f, a, s->name, s->first, world_a, &known_a, &e->means.a, err) ||
		    mean_of(f, b, s->name, s->first, world_b, &known_b, &e->means.b, err))
			return err->status;
		e->means.known = known_a && known_b;
		return TS_OK;
	}
	return TS_OK;
}

/* --- the evidence of whole runs --- */

static bool first_step(const struct ts_evidence_notes *notes, size_t side, int64_t *ret_step)
{
	bool found = false;

	for (size_t i = 0; i < notes->n; i++) {
		const struct ts_table *table = notes->sides[i][side].table;

		if (!shows_training(notes->items[i].kind) || !table || !table->n_blocks)
			continue;
		if (!found || table->blocks[0].first_key < *ret_step)
			*ret_step = table->blocks[0].first_key;
		found = true;
	}
	return found;
}

enum ts_status ts_whole_look(const struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b,
			     struct ts_evidence *e, struct ts_error *err)
{
	e->ranks_a = ranks_of(a);
	e->ranks_b = ranks_of(b);
	e->first_steps_known = first_step(notes, 0, &e->first_step_a) && first_step(notes, 1, &e->first_step_b);
	e->ranks_exchanged = is_exchanged(notes);
	if (find_moved(notes, f, e, err) || find_rates(notes, f, e, err) || find_means(notes, f, a, b, e, err))
		return err->status;
	return TS_OK;
}
