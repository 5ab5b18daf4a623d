#include "service/handlers/diff/diff_evidence.h"

#include "analysis/diverge/diagnose.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/text.h"
#include "run/meaning.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/diff/diff_patterns.h"
#include "service/handlers/diff/diff_samples.h"
#include "service/handlers/diff/diff_whole.h"

enum { SHORT_ID = 12 };

/* --- the kind of a series --- */

/* Globs of folded names of digests; the first match counts. Of numbers run/meaning.h has the table. */
static const struct {
	const char *glob;
	enum ts_series_kind kind;
} kinds[] = {
	{"digests.param*", TS_KIND_PARAMS},
	{"digests.weight*", TS_KIND_PARAMS},
	{"digests.model*", TS_KIND_PARAMS},
	{"digests.grad*", TS_KIND_GRADS},
	{"digests.opt*", TS_KIND_OPTIMIZER},
	{"digests.batch*", TS_KIND_BATCH},
	{"digests.data*", TS_KIND_BATCH},
	{"digests.input*", TS_KIND_BATCH},
	{"digests.rng*", TS_KIND_RNG},
	{"digests.generator*", TS_KIND_RNG},
	{"digests.buffers", TS_KIND_BUFFERS},
	{"digests.indices", TS_KIND_INDICES},
	{"digests.samples_*", TS_KINDS}, /* they are read where the indices differ */
	{"digests.*", TS_KIND_DIGEST},
};

static const enum ts_series_kind kind_of_meaning[] = {
	[TS_MEANS_NOTHING] = TS_KINDS,	 [TS_MEANS_LOSS] = TS_KIND_LOSS,    [TS_MEANS_OBJECTIVE] = TS_KINDS,
	[TS_MEANS_GRAD_NORM] = TS_KIND_GRAD_NORM, [TS_MEANS_RATE] = TS_KIND_LR, [TS_MEANS_EVAL] = TS_KIND_EVAL,
};

static bool is_like(struct ts_span name, const char *const globs[])
{
	for (size_t i = 0; globs[i]; i++)
		if (ts_glob(ts_span_str(globs[i]), name))
			return true;
	return false;
}

enum ts_series_kind ts_series_kind_of(struct ts_span name, enum ts_column_type type, enum ts_role role)
{
	uint8_t room[TS_PATH_MAX];
	enum ts_series_kind kind;
	struct ts_span folded;

	name = ts_column_said(name);
	if (name.len > TS_PATH_MAX || role == TS_ROLE_OBSERVATION)
		return TS_KINDS;
	if (ts_column_is_loss_scale(name))
		return type == TS_COLUMN_F64 ? TS_KIND_SCALE : TS_KINDS;
	folded = ts_column_folded(name, room);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (ts_glob(ts_span_str(kinds[i].glob), folded))
			return role == TS_ROLE_TRAJECTORY ? kinds[i].kind : TS_KINDS;
	if (type != TS_COLUMN_F64) /* a name that suggests a number does not count for another type */
		return TS_KINDS;
	kind = kind_of_meaning[ts_column_meaning(name)];
	/* A rate of some parameters (lr_encoder) is one, though nobody declares its role. */
	if (kind == TS_KIND_EVAL || kind == TS_KIND_LR)
		return kind;
	return role != TS_ROLE_TRAJECTORY ? TS_KINDS : (kind == TS_KINDS ? TS_KIND_OTHER : kind);
}

bool ts_series_stands_for_loss(struct ts_span name)
{
	return ts_column_meaning(name) == TS_MEANS_OBJECTIVE;
}

bool ts_index_has_loss(const struct ts_index *index)
{
	TS_DOOR(ts_index_holds(index));
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++)
			if (ts_series_kind_of(table->columns[i].name, table->columns[i].type, TS_ROLE_TRAJECTORY) == TS_KIND_LOSS)
				return true;
	}
	return false;
}

/* --- steps of a series --- */

static int64_t first_key(const struct ts_table *table)
{
	return table->blocks[0].first_key;
}

static int64_t last_key(const struct ts_table *table)
{
	return table->blocks[table->n_blocks - 1].last_key;
}

/* Finds the block that holds the last row at or before step; false if there is none. */
static bool block_at(const struct ts_table *table, int64_t step, size_t *ret_block)
{
	size_t at = 0;

	TS_BISECT(at, table->n_blocks, i, table->blocks[i].first_key <= step);
	*ret_block = at ? at - 1 : 0;
	return at > 0;
}

static int64_t *keys_at(struct ts_fetch *f, const struct ts_table *table, int64_t step, struct ts_arena *scratch, size_t *ret_n,
			struct ts_error *err)
{
	int64_t *keys;
	size_t block;

	(void)block_at(table, step, &block);
	keys = ts_arena_array(scratch, table->blocks[block].rows, sizeof *keys);
	if (!keys) {
		(void)ts_arena_error(scratch, err);
		return NULL;
	}
	*ret_n = table->blocks[block].rows;
	return ts_fetch_block_keys(f, &table->blocks[block], keys, err) ? NULL : keys;
}

/* Finds the first common step of two series that begin at different steps. Where the two blocks have no common step, it
 * is the later first step. */
static enum ts_status first_common(struct ts_fetch *f, const struct ts_table *a, const struct ts_table *b, int64_t *ret_step,
				   struct ts_error *err)
{
	int64_t from = first_key(a) > first_key(b) ? first_key(a) : first_key(b), *x, *y = NULL;
	struct ts_arena scratch;
	size_t n = 0, m = 0, i = 0, j = 0;

	*ret_step = from;
	if (first_key(a) == first_key(b))
		return TS_OK;
	ts_arena_init(&scratch, 4 << 20);
	x = keys_at(f, a, from, &scratch, &n, err);
	if (x)
		y = keys_at(f, b, from, &scratch, &m, err);
	while (x && y && i < n && j < m) {
		if (x[i] == y[j]) {
			*ret_step = x[i];
			break;
		}
		if (x[i] < y[j])
			i++;
		else
			j++;
	}
	ts_arena_finish(&scratch);
	return x && y ? TS_OK : err->status;
}

/* The cadence, rounded, of the side that was written more rarely. */
static int64_t cadence_of(const struct ts_table *table)
{
	double steps = (double)last_key(table) - (double)first_key(table), n;

	if (table->rows < 2)
		return 0;
	n = steps / (double)(table->rows - 1) + 0.5;
	return n < 1 ? 1 : (n > 1e15 ? (int64_t)1e15 : (int64_t)n);
}

static enum ts_status measure(struct ts_evidence_series *s, struct ts_fetch *f, const struct ts_series_row *row,
			      const struct ts_series_side *a, const struct ts_series_side *b, struct ts_error *err)
{
	int64_t cadence_a = cadence_of(a->table), cadence_b = cadence_of(b->table);

	s->cadence = cadence_a > cadence_b ? cadence_a : cadence_b;
	s->other_cadence = cadence_a && cadence_b && cadence_a != cadence_b;
	s->common = row->common;
	s->last_common = last_key(a->table) < last_key(b->table) ? last_key(a->table) : last_key(b->table);
	if (row->state == TS_SERIES_PARTS) {
		s->parts = true;
		s->first = row->first_step;
		s->after_known = row->after_known;
		s->after = row->after_step;
		s->a = row->a.real;
		s->b = row->b.real;
		s->word_a = row->a.word;
		s->word_b = row->b.word;
		s->gap = row->gap;
		s->common += row->gap.known ? row->gap.points : 1;
		s->first_common = row->first_step;
	}
	if (s->common == 0)
		return TS_OK;
	if (!(s->parts && !s->after_known) && first_common(f, a->table, b->table, &s->first_common, err))
		return err->status;
	s->from_first = first_key(a->table) == s->first_common && first_key(b->table) == s->first_common;
	return TS_OK;
}

static struct ts_writing declared(const struct ts_series_side *side)
{
	return (struct ts_writing){.resolution = {side->column->precision, side->column->digits}};
}

static bool is_noted(const struct ts_evidence_notes *notes, enum ts_series_kind kind)
{
	for (size_t i = 0; i < notes->n; i++)
		if (notes->items[i].kind == kind && notes->items[i].common)
			return true;
	return false;
}

/* The number formats of series that differ are known already. Of the series that agree, the first of each kind is examined. */
static enum ts_status find_writings(const struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_writings *seen,
				    const struct ts_series_side *a, const struct ts_series_side *b, struct ts_evidence_series *s,
				    struct ts_error *err)
{
	s->writing_a = seen ? seen->a : declared(a);
	s->writing_b = seen ? seen->b : declared(b);
	if (seen || s->common == 0 || (s->kind != TS_KIND_LOSS && s->kind != TS_KIND_GRAD_NORM) || is_noted(notes, s->kind))
		return TS_OK;
	if (ts_series_writing(f, a, true, &s->writing_a, err))
		return err->status;
	return ts_series_writing(f, b, true, &s->writing_b, err);
}

enum { OTHERS = 8 }; /* no more of them are counted */

/* Numbers that depend on the weights, and in every bit: losses and their terms, norms, entropies. A label, a difficulty, a momentum of
 * a teacher or a count does not, nor does a coefficient of such a term, its target or its limit; and an accuracy counts in steps that
 * are coarser than a loss. */
static bool follows_weights(struct ts_span name)
{
	static const char *const follows[] = {"*loss*", "*grad*",  "*norm*",	"*entropy*",	"*kl",	 "*kl_*",
					      "*kl/*",	"*logit*", "*logprob*", "*perplexity*", "*ppl*", NULL};
	static const char *const set[] = {"*coef*",  "*weight",	 "*scale",  "*_target", "*.target_kl", "*count",  "*.num_*",
					  "*.max_*", "*_max",	 "*_min",   "*clip*",	"*thresh*",    "*limit*", "*_lr",
					  "*_rate",  "*schedul*", "*_beta", "*_alpha",	"*lambda*",    "*_factor", NULL};

	return is_like(name, follows) && !is_like(name, set);
}

/* Notes numbers that follow from the training and show it as a gradient norm does. */
static enum ts_status note_other(struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_series_row *row,
				 enum ts_series_kind kind, const struct ts_series_side *a, struct ts_error *err)
{
	bool varies;

	if ((kind != TS_KIND_OTHER && kind != TS_KIND_LOSS && kind != TS_KINDS) || row->role == TS_ROLE_OBSERVATION ||
	    !follows_weights(row->name) || row->type != TS_COLUMN_F64 || a->table->kind != TS_TABLE_STEPS ||
	    !ts_span_starts(row->name, ts_span_str("scalars.")) ||
	    (row->state != TS_SERIES_SAME && row->state != TS_SERIES_EXTENT) || notes->others == OTHERS)
		return TS_OK;
	if (ts_whole_varies(f, a, &varies, err))
		return err->status;
	if (varies && notes->others++ == 0)
		notes->other = row->name;
	return TS_OK;
}

static bool is_reward(struct ts_span name)
{
	static const char *const globs[] = {"scalars.*reward*", "scalars.*return*", "scalars.*episode*", "scalars.*ep_len*"};

	for (size_t i = 0; i < sizeof globs / sizeof globs[0]; i++)
		if (ts_glob(ts_span_str(globs[i]), name))
			return true;
	return false;
}

/* Notes which number differs first of those of unknown role. */
static void note_unrated(struct ts_evidence_notes *notes, const struct ts_series_row *row)
{
	if (row->role != TS_ROLE_UNKNOWN || row->type != TS_COLUMN_F64 || row->state != TS_SERIES_PARTS ||
	    (notes->unrated.len && notes->unrated_step <= row->first_step))
		return;
	notes->unrated = row->name;
	notes->unrated_step = row->first_step;
}

enum ts_status ts_evidence_note(struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_series_row *row,
				const struct ts_writings *seen, const struct ts_series_side *a, const struct ts_series_side *b,
				struct ts_error *err)
{
	const struct ts_series_side *any = a ? a : b;
	struct ts_evidence_series s = {.name = row->name, .rank = row->rank, .in_a = a != NULL, .in_b = b != NULL};
	size_t cap = notes->cap; /* of both arrays */

	s.kind = ts_series_kind_of(row->name, row->type, row->role);
	if (s.kind == TS_KIND_OTHER && notes->no_loss && ts_series_stands_for_loss(row->name))
		s.kind = TS_KIND_LOSS;
	/* Other indices are other batches; the same ones need not be the same batches. */
	if (row->state == TS_SERIES_PARTS && s.kind == TS_KIND_INDICES)
		s.kind = TS_KIND_BATCH;
	if (a && b && any->table->kind == TS_TABLE_STEPS) {
		notes->rewards = notes->rewards || is_reward(row->name);
		note_unrated(notes, row);
	}
	if (a && b && note_other(notes, f, row, s.kind, a, err))
		return err->status;
	/* There can be many series of no known kind, in many ranks: they matter only if they differ. */
	if (any->table->kind != TS_TABLE_STEPS || s.kind == TS_KINDS ||
	    (s.kind == TS_KIND_OTHER && row->state != TS_SERIES_PARTS))
		return TS_OK;
	if (a && b && (measure(&s, f, row, a, b, err) || find_writings(notes, f, seen, a, b, &s, err)))
		return err->status;
	if (!TS_GROW_IN(notes->arena, notes->items, cap, notes->n + 1, 32) ||
	    !TS_GROW_IN(notes->arena, notes->sides, notes->cap, notes->n + 1, 32))
		return ts_arena_error(notes->arena, err);
	notes->items[notes->n] = s;
	notes->sides[notes->n][0] = a ? *a : (struct ts_series_side){NULL, NULL};
	notes->sides[notes->n++][1] = b ? *b : (struct ts_series_side){NULL, NULL};
	return TS_OK;
}

/* --- events around the first difference --- */

struct asking {
	const struct ts_evidence_notes *notes;
	struct ts_fetch *f;
	const struct ts_run *a, *b;
	struct ts_diff *diff;
	struct ts_arena *arena;
	struct ts_evidence e;
	int64_t resumes[2][2]; /* for each side */
	int64_t epochs[1];
};

static bool is_state(enum ts_series_kind kind)
{
	return kind == TS_KIND_LOSS || kind == TS_KIND_GRAD_NORM || kind == TS_KIND_PARAMS || kind == TS_KIND_GRADS;
}

static bool earliest_of(const struct ts_evidence_notes *notes, bool state, size_t *ret_at)
{
	bool found = false;

	for (size_t i = 0; i < notes->n; i++) {
		const struct ts_evidence_series *s = &notes->items[i];

		if (!s->parts || (state && !is_state(s->kind)) || (found && s->first >= notes->items[*ret_at].first))
			continue;
		*ret_at = i;
		found = true;
	}
	return found;
}

/* Returns what shows the training where that differs, else what else differs: a rate, a batch, an evaluation. */
static bool earliest(const struct ts_evidence_notes *notes, size_t *ret_at)
{
	return earliest_of(notes, true, ret_at) || earliest_of(notes, false, ret_at);
}

/* Finds the last step at or before `step`, within its block, at which the integer part of the column changes. */
static enum ts_status last_change(struct asking *q, const struct ts_index *index, const char *name, int64_t step, bool *ret_found,
				  int64_t *ret_step, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column =
		index ? ts_index_column(index, TS_TABLE_STEPS, ts_span_str(name), TS_COLUMN_F64, &table) : NULL;
	struct ts_arena scratch;
	enum ts_status status = TS_OK;
	uint64_t *words;
	int64_t *keys;
	size_t block, rows;

	*ret_found = false;
	if (!column || !block_at(table, step, &block))
		return TS_OK;
	rows = table->blocks[block].rows;
	ts_arena_init(&scratch, 4 << 20);
	keys = ts_arena_array(&scratch, rows, sizeof *keys);
	words = ts_arena_array(&scratch, rows, sizeof *words);
	if (!keys || !words)
		status = ts_arena_error(&scratch, err);
	else if (!ts_fetch_block_keys(q->f, &table->blocks[block], keys, err))
		status = ts_fetch_block_words(q->f, &column->blocks[block], TS_COLUMN_F64, rows, words, err);
	else
		status = err->status;
	for (size_t i = 1; !status && i < rows && keys[i] <= step; i++) {
		double now, before;

		memcpy(&now, &words[i], sizeof now);
		memcpy(&before, &words[i - 1], sizeof before);
		if (floor(now) != floor(before)) {
			*ret_found = true;
			*ret_step = keys[i];
		}
	}
	ts_arena_finish(&scratch);
	return status;
}

static bool has_lineage(const struct ts_run *run)
{
	for (size_t i = 0; i < run->head.facts.n; i++)
		if (ts_span_starts(run->head.facts.items[i].path, ts_span_str("lineage.")))
			return true;
	return false;
}

/* A run that records the step of its resume was resumed there; one that records a parent, and begins later than the other run, at
 * its first step. */
static bool resumed_at(const struct ts_run *run, const struct ts_run_ref *ref, const struct ts_run_ref *other, int64_t *ret_step)
{
	if (ts_fact_int(&run->head.facts, "lineage.resumed_step", ret_step))
		return true;
	*ret_step = ref->first_step;
	return has_lineage(run) && ref->steps && other->steps && ref->first_step > other->first_step;
}

static enum ts_status find_resumes(struct asking *q, int32_t rank, int64_t step, struct ts_error *err)
{
	const struct ts_run *runs[2] = {q->a, q->b};
	const struct ts_run_ref *refs[2] = {&q->diff->a, &q->diff->b};
	struct ts_steps_list *lists[2] = {&q->e.resumes_a, &q->e.resumes_b};

	for (size_t i = 0; i < 2; i++) {
		int64_t at;
		size_t n = 0;
		bool found;

		if (resumed_at(runs[i], refs[i], refs[1 - i], &at))
			q->resumes[i][n++] = at;
		if (last_change(q, ts_run_rank(runs[i], rank), "segment", step, &found, &at, err))
			return err->status;
		if (found && (n == 0 || at > q->resumes[i][0]))
			q->resumes[i][n++] = at;
		*lists[i] = (struct ts_steps_list){q->resumes[i], n};
	}
	return TS_OK;
}

static enum ts_status find_epoch(struct asking *q, int32_t rank, int64_t step, struct ts_error *err)
{
	static const char *const names[] = {"epoch", "scalars.epoch"};

	for (size_t i = 0; i < 2 && !q->e.epochs.n; i++) {
		bool found;

		if (last_change(q, ts_run_rank(q->a, rank), names[i], step, &found, &q->epochs[0], err))
			return err->status;
		q->e.epochs = (struct ts_steps_list){q->epochs, found ? 1 : 0};
	}
	return TS_OK;
}

/* --- batches --- */

static enum ts_status relate(struct asking *q, const struct ts_series_side sides[2], struct ts_error *err)
{
	struct ts_arena scratch;
	uint64_t *digests[2];
	int64_t *steps[2];
	enum ts_status status = TS_OK;

	if (sides[0].column->type != TS_COLUMN_U64)
		q->e.batches_unknown = ts_span_str("the column does not hold digests");
	else if (sides[0].table->rows > TS_EVIDENCE_BATCHES || sides[1].table->rows > TS_EVIDENCE_BATCHES)
		q->e.batches_unknown = ts_span_str("tscope does not search runs of more than 1,048,576 steps");
	if (q->e.batches_unknown.len)
		return TS_OK;
	ts_arena_init(&scratch, 256 << 20);
	for (size_t i = 0; !status && i < 2; i++) {
		status = ts_fetch_keys(q->f, sides[i].table, &scratch, &steps[i], err);
		if (!status)
			status = ts_fetch_u64(q->f, sides[i].table, sides[i].column, &scratch, &digests[i], err);
	}
	if (!status && !ts_batches_relate(steps[0], digests[0], sides[0].table->rows, steps[1], digests[1], sides[1].table->rows,
					  &scratch, &q->e.batches))
		status = ts_arena_error(&scratch, err);
	ts_arena_finish(&scratch);
	return status;
}

/* Series i says more of where batches differ than series `at`: earlier, or at more steps. */
static bool says_more(const struct ts_evidence_notes *notes, size_t i, size_t at)
{
	if (at == notes->n || notes->items[i].first != notes->items[at].first)
		return at == notes->n || notes->items[i].first < notes->items[at].first;
	return notes->sides[i][0].table->rows > notes->sides[at][0].table->rows;
}

static enum ts_status find_batches(struct asking *q, struct ts_error *err)
{
	const struct ts_evidence_notes *notes = q->notes;
	size_t at = notes->n;

	for (size_t i = 0; i < notes->n; i++)
		if (notes->items[i].kind == TS_KIND_BATCH && notes->items[i].parts && says_more(notes, i, at))
			at = i;
	return at < notes->n ? relate(q, notes->sides[at], err) : TS_OK;
}

/* --- facts --- */

static enum ts_digest_time time_of(const struct ts_facts *facts, struct ts_span column)
{
	const struct ts_fact *fact = ts_column_fact(facts, column, "when");

	if (!fact || fact->type != TS_FACT_TEXT)
		return TS_DIGEST_UNKNOWN;
	if (ts_span_is(fact->text, "before"))
		return TS_DIGEST_BEFORE;
	return ts_span_is(fact->text, "after") ? TS_DIGEST_AFTER : TS_DIGEST_UNKNOWN;
}

enum ts_digest_time ts_digest_time_of(const struct ts_facts *a, const struct ts_facts *b, struct ts_span column)
{
	enum ts_digest_time when = time_of(a, column);

	TS_DOOR(ts_facts_hold(a));
	return when == time_of(b, column) ? when : TS_DIGEST_UNKNOWN;
}

static enum ts_digest_time params_time(const struct ts_facts facts[2])
{
	enum ts_digest_time when = ts_digest_time_of(&facts[0], &facts[1], ts_span_str("digests.params"));

	return when != TS_DIGEST_UNKNOWN ? when
					 : ts_digest_time_of(&facts[0], &facts[1], ts_span_str("digests.weights"));
}

static uint32_t world_of(const struct ts_facts *facts)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str("parallelism.world_size"));

	return fact && fact->type == TS_FACT_INT && fact->integer > 0 && fact->integer <= TS_WORLD_MAX ? (uint32_t)fact->integer
												       : 0;
}

/* Finds facts of the lowest rank that both runs have: the facts of a run are recorded by one rank. */
static enum ts_status find_facts(struct asking *q, struct ts_facts facts[2], struct ts_error *err)
{
	const struct ts_run *runs[2] = {q->a, q->b};

	for (size_t i = 0; i < 2; i++) {
		const struct ts_index *index = NULL;

		for (size_t k = 0; k < runs[i]->head.n_ranks && !index; k++)
			if (runs[i]->head.ranks[k].rank != TS_RANK_JOB)
				index = &runs[i]->indexes[k];
		facts[i] = runs[i]->head.facts;
		if (index && ts_run_facts(runs[i], index, q->arena, &facts[i], err))
			return err->status;
	}
	q->e.facts = q->diff->facts;
	q->e.n_facts = q->diff->n_facts;
	q->e.facts_a = facts[0].n ? &facts[0] : NULL;
	q->e.facts_b = facts[1].n ? &facts[1] : NULL;
	q->e.world_a = world_of(&facts[0]);
	q->e.world_b = world_of(&facts[1]);
	q->e.params_time = params_time(facts);
	q->e.optimizer_time = ts_digest_time_of(&facts[0], &facts[1], ts_span_str("digests.optimizer"));
	return TS_OK;
}

/* Where both runs recorded the states that a pass begins with, the other states are those behind it. */
static void tell_draws(struct asking *q)
{
	static const char before_pass[] = "digests.rng_pass";

	for (size_t i = 0; i < q->e.n_series; i++)
		q->e.rng_before_pass |= q->e.series[i].common && ts_span_is(q->e.series[i].name, before_pass);
	for (size_t i = 0; q->e.rng_before_pass && i < q->e.n_series; i++)
		if (q->e.series[i].kind == TS_KIND_RNG && !ts_span_is(q->e.series[i].name, before_pass))
			q->e.series[i].kind = TS_KIND_DRAWS;
}

static struct ts_span short_id(const struct ts_id *id, struct ts_arena *arena)
{
	char hex[TS_ID_HEX + 1];

	return ts_arena_span(arena, ts_span_of(ts_id_hex(id, hex), SHORT_ID));
}

/* Whether the run begins after the other and ends after it, with as many steps as close together, and neither begins at the beginning:
 * a part of each was kept. Where the other does, the run may count its steps from another number. */
static bool goes_on(const struct ts_run_ref *run, const struct ts_run_ref *other)
{
	return other->first_step > 1 && run->first_step > other->first_step && run->first_step <= other->last_step &&
	       run->last_step - run->first_step == other->last_step - other->first_step;
}

enum ts_status ts_diff_diagnose(const struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_run *a,
				const struct ts_run *b, const struct ts_repeats_seen *repeats, const struct ts_cuts *cuts,
				struct ts_diff *diff, struct ts_error *err)
{
	struct asking q = {.notes = notes, .f = f, .a = a, .b = b, .diff = diff, .arena = notes->arena};
	struct ts_facts facts[2];
	size_t at = 0;

	q.e.series = notes->items;
	q.e.n_series = notes->n;
	tell_draws(&q);
	q.e.name_a = short_id(&a->id, q.arena);
	q.e.name_b = short_id(&b->id, q.arena);
	q.e.ops = &diff->ops;
	q.e.sketches = &diff->sketches;
	if (!q.e.name_a.data || !q.e.name_b.data)
		return ts_arena_error(q.arena, err);
	if (repeats)
		q.e.repeats = *repeats;
	q.e.others_same = notes->others;
	q.e.other_same = notes->other;
	q.e.rewards = notes->rewards;
	q.e.unrated = notes->unrated;
	q.e.unrated_step = notes->unrated_step;
	q.e.same_length = diff->a.steps == diff->b.steps && !goes_on(&diff->a, &diff->b) && !goes_on(&diff->b, &diff->a);
	if (find_facts(&q, facts, err) || find_batches(&q, err) || ts_samples_look(notes, f, a, b, &q.e, err) ||
	    ts_whole_look(notes, f, a, b, &q.e, err) || ts_patterns_look(notes, f, &q.e, err))
		return err->status;
	if (earliest(notes, &at) && (find_resumes(&q, notes->items[at].rank, notes->items[at].first, err) ||
				     find_epoch(&q, notes->items[at].rank, notes->items[at].first, err)))
		return err->status;
	return ts_diagnose(&q.e, cuts, q.arena, &diff->diagnosis, err);
}
