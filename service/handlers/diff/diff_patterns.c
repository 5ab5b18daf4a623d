#include "service/handlers/diff/diff_patterns.h"

#include "base/limits.h"

#include <math.h>

enum { SCRATCH = 256 << 20, ROWS_TIMES = 2 };

static bool is_small(const struct ts_series_side *side)
{
	return !side->table || side->table->rows <= TS_EVIDENCE_BATCHES;
}

/* --- steps counted at another rate --- */

static bool shows_training(enum ts_series_kind kind)
{
	return kind == TS_KIND_LOSS || kind == TS_KIND_GRAD_NORM || kind == TS_KIND_PARAMS || kind == TS_KIND_GRADS;
}

static bool may_stride(const struct ts_evidence_series *s, const struct ts_series_side sides[2])
{
	uint64_t a = sides[0].table->rows, b = sides[1].table->rows;

	return s->other_cadence || a >= ROWS_TIMES * b || b >= ROWS_TIMES * a;
}

static enum ts_status load_words(struct ts_fetch *f, const struct ts_series_side *side, struct ts_arena *scratch,
				 struct ts_stride_series *ret, struct ts_error *err)
{
	int64_t *steps = NULL;
	uint64_t *words = NULL;
	double *values = NULL;

	if (ts_fetch_keys(f, side->table, scratch, &steps, err))
		return err->status;
	if (side->column->type == TS_COLUMN_U64) {
		if (ts_fetch_u64(f, side->table, side->column, scratch, &words, err))
			return err->status;
	} else {
		if (ts_fetch_f64(f, side->table, side->column, scratch, &values, err))
			return err->status;
		words = ts_arena_array(scratch, side->table->rows + 1, sizeof *words);
		if (!words)
			return ts_arena_error(scratch, err);
		memcpy(words, values, side->table->rows * sizeof *values);
	}
	*ret = (struct ts_stride_series){steps, words, side->table->rows};
	return TS_OK;
}

static enum ts_status stride_of(struct ts_fetch *f, const struct ts_series_side sides[2], struct ts_pattern_stride *ret,
				struct ts_error *err)
{
	struct ts_stride_series a, b;
	struct ts_arena scratch;
	enum ts_status status;

	ts_arena_init(&scratch, SCRATCH);
	status = load_words(f, &sides[0], &scratch, &a, err);
	if (!status)
		status = load_words(f, &sides[1], &scratch, &b, err);
	if (!status)
		*ret = ts_pattern_stride_find(&a, &b);
	ts_arena_finish(&scratch);
	return status;
}

static bool same_stride(const struct ts_pattern_stride *a, const struct ts_pattern_stride *b)
{
	return a->second == b->second && a->times == b->times && a->plus == b->plus;
}

/* Every series of the training has to show the same. */
static enum ts_status find_stride(const struct ts_evidence_notes *notes, struct ts_fetch *f, struct ts_evidence *e,
				  struct ts_error *err)
{
	struct ts_pattern_stride all = {.found = false};

	for (size_t i = 0; i < notes->n; i++) {
		const struct ts_evidence_series *s = &notes->items[i];
		struct ts_pattern_stride one = {.found = false};

		if (!shows_training(s->kind) || !s->in_a || !s->in_b)
			continue;
		if (!may_stride(s, notes->sides[i]) || !is_small(&notes->sides[i][0]) || !is_small(&notes->sides[i][1]))
			return TS_OK;
		if (stride_of(f, notes->sides[i], &one, err))
			return err->status;
		if (!one.found || (all.found && !same_stride(&all, &one)))
			return TS_OK;
		if (!all.found || one.steps < all.steps)
			all = one;
	}
	e->stride = all;
	return TS_OK;
}

/* --- skipped updates --- */

static enum ts_status load_numbers(struct ts_fetch *f, const struct ts_evidence_notes *notes, enum ts_series_kind kind, size_t side,
				   int32_t rank, struct ts_arena *scratch, struct ts_series *ret, struct ts_error *err)
{
	*ret = (struct ts_series){.n = 0};
	for (size_t i = 0; i < notes->n; i++) {
		const struct ts_series_side *at = &notes->sides[i][side];
		int64_t *steps;
		double *values;

		if (notes->items[i].kind != kind || notes->items[i].rank != rank || !at->table || at->column->type != TS_COLUMN_F64)
			continue;
		if (ts_fetch_keys(f, at->table, scratch, &steps, err) || ts_fetch_f64(f, at->table, at->column, scratch, &values, err))
			return err->status;
		*ret = (struct ts_series){at->column->name, steps, values, at->table->rows};
		return TS_OK;
	}
	return TS_OK;
}

static enum ts_status skips_of(struct ts_fetch *f, const struct ts_evidence_notes *notes, size_t side, int32_t rank,
			       struct ts_pattern_skips *ret, struct ts_error *err)
{
	struct ts_series scale, norm, loss;
	struct ts_arena scratch;
	enum ts_status status;

	ts_arena_init(&scratch, SCRATCH);
	status = load_numbers(f, notes, TS_KIND_SCALE, side, rank, &scratch, &scale, err);
	if (!status)
		status = load_numbers(f, notes, TS_KIND_GRAD_NORM, side, rank, &scratch, &norm, err);
	if (!status)
		status = load_numbers(f, notes, TS_KIND_LOSS, side, rank, &scratch, &loss, err);
	if (!status)
		ts_pattern_skips_find(&scale, &norm, &loss, ret);
	ts_arena_finish(&scratch);
	return status;
}

/* Looks only where a skipped update may explain something: the scale differs, or a norm is no finite number on one side. */
static enum ts_status find_skips(const struct ts_evidence_notes *notes, struct ts_fetch *f, struct ts_evidence *e, struct ts_error *err)
{
	const struct ts_evidence_series *found = NULL;

	for (size_t i = 0; i < notes->n; i++) {
		const struct ts_evidence_series *s = &notes->items[i];

		if (!is_small(&notes->sides[i][0]) || !is_small(&notes->sides[i][1]))
			return TS_OK;
		if (!found && s->parts &&
		    (s->kind == TS_KIND_SCALE || (s->kind == TS_KIND_GRAD_NORM && isfinite(s->a) != isfinite(s->b))))
			found = s;
	}
	if (!found)
		return TS_OK;
	if (skips_of(f, notes, 0, found->rank, &e->skips_a, err) || skips_of(f, notes, 1, found->rank, &e->skips_b, err))
		return err->status;
	return TS_OK;
}

/* --- a state that a run had before --- */

static enum ts_status return_of(struct ts_fetch *f, const struct ts_series_side *side, int64_t step, struct ts_pattern_return *ret,
				struct ts_error *err)
{
	struct ts_stride_series words;
	struct ts_arena scratch;
	enum ts_status status;

	ts_arena_init(&scratch, SCRATCH);
	status = load_words(f, side, &scratch, &words, err);
	if (!status)
		*ret = ts_pattern_return_find(words.steps, words.words, words.n, step);
	ts_arena_finish(&scratch);
	return status;
}

/* Of the rank on which the digest differs first. */
static enum ts_status find_returns(const struct ts_evidence_notes *notes, struct ts_fetch *f, enum ts_series_kind kind,
				   struct ts_pattern_return ret[2], struct ts_error *err)
{
	size_t at = notes->n;

	for (size_t i = 0; i < notes->n; i++)
		if (notes->items[i].kind == kind && notes->items[i].parts && notes->sides[i][0].column->type == TS_COLUMN_U64 &&
		    notes->sides[i][1].column->type == TS_COLUMN_U64 &&
		    (at == notes->n || notes->items[i].first < notes->items[at].first))
			at = i;
	for (size_t k = 0; at < notes->n && k < 2; k++)
		if (is_small(&notes->sides[at][k]) && return_of(f, &notes->sides[at][k], notes->items[at].first, &ret[k], err))
			return err->status;
	return TS_OK;
}

/* --- losses that are logged otherwise, or whose noise is shared --- */

/* A value that was computed in float32 is off by so much of it. */
static const double float32_off = 3e-7;

struct pairs {
	double *a, *b;
	size_t n, parted; /* the first that differs visibly; n: none */
};

/* The blocks of a column that reach from `from` over TS_NOISE_POINTS rows and more. */
static void part_of(const struct ts_series_side *side, int64_t from, bool all, struct ts_table *ret_table,
		    struct ts_column *ret_column)
{
	size_t at = 0, n = 0;

	*ret_table = *side->table;
	*ret_column = *side->column;
	if (all)
		return;
	while (at + 1 < side->table->n_blocks && side->table->blocks[at].last_key < from)
		at++;
	ret_table->blocks += at;
	ret_column->blocks += at;
	for (ret_table->rows = 0; at + n < side->table->n_blocks && ret_table->rows < TS_NOISE_POINTS; n++)
		ret_table->rows += ret_table->blocks[n].rows;
	ret_table->n_blocks = n;
}

/* The values at common steps, in their order; of blocks from that step on where not `all` are asked for. */
static enum ts_status load_pairs(struct ts_fetch *f, const struct ts_series_side sides[2], int64_t parts_at, bool all,
				 struct ts_arena *scratch, struct pairs *ret, struct ts_error *err)
{
	int64_t *steps[2];
	double *values[2];
	size_t n[2];

	for (size_t i = 0; i < 2; i++) {
		struct ts_table table;
		struct ts_column column;

		part_of(&sides[i], parts_at, all, &table, &column);
		n[i] = table.rows;
		if (ts_fetch_keys(f, &table, scratch, &steps[i], err) ||
		    ts_fetch_f64(f, &table, &column, scratch, &values[i], err))
			return err->status;
	}
	*ret = (struct pairs){.a = values[0], .b = values[1]};
	for (size_t i = 0, k = 0; i < n[0] && k < n[1];) {
		if (steps[0][i] != steps[1][k]) {
			*(steps[0][i] < steps[1][k] ? &i : &k) += 1;
			continue;
		}
		ret->parted += steps[0][i] < parts_at;
		ret->a[ret->n] = values[0][i++];
		ret->b[ret->n++] = values[1][k++];
		if (!all && ret->n - ret->parted >= TS_NOISE_POINTS)
			break;
	}
	return TS_OK;
}

static double slack_of(const struct ts_evidence_series *s, const struct pairs *p)
{
	double largest = 0;

	for (size_t i = 0; i < p->n; i++)
		largest = fmax(largest, fmax(fabs(p->a[i]), fabs(p->b[i])));
	return isfinite(largest) ? s->gap.quantum / 2 + float32_off * largest : 0;
}

static bool is_pair(const struct ts_evidence_notes *notes, size_t i)
{
	const struct ts_evidence_series *s = &notes->items[i];
	const struct ts_series_side *sides = notes->sides[i];

	if (s->kind != TS_KIND_LOSS || !s->parts || !s->in_a || !s->in_b || !s->gap.known)
		return false;
	return is_small(&sides[0]) && is_small(&sides[1]) && sides[0].column->type == TS_COLUMN_F64 &&
	       sides[1].column->type == TS_COLUMN_F64;
}

/* Looks at a beginning, and at all of it only where a rule gives that. ret_noise: NULL: not asked for. */
static enum ts_status look_at_losses(struct ts_fetch *f, const struct ts_evidence_series *s, const struct ts_series_side sides[2],
				     struct ts_pattern_report *ret_report, struct ts_pattern_noise *ret_noise, struct ts_error *err)
{
	int64_t parts_at = s->gap.visible ? s->gap.visible_step : s->first;
	struct ts_arena scratch;
	struct pairs p = {.n = 0};
	enum ts_status status;

	ts_arena_init(&scratch, SCRATCH);
	status = load_pairs(f, sides, parts_at, false, &scratch, &p, err);
	if (!status) {
		*ret_report = ts_pattern_report_find(p.a, p.b, p.n, slack_of(s, &p));
		if (ret_noise)
			*ret_noise = ts_pattern_noise_find(p.a + p.parted, p.b + p.parted, p.n - p.parted, &scratch);
		if (ret_report->rule != TS_REPORT_NONE) {
			status = load_pairs(f, sides, parts_at, true, &scratch, &p, err);
			if (!status)
				*ret_report = ts_pattern_report_find(p.a, p.b, p.n, slack_of(s, &p));
		}
	}
	ts_arena_finish(&scratch);
	return status;
}

/* The loss that differs first; every other one that differs has to follow from that of the other run, too. */
static enum ts_status find_losses(const struct ts_evidence_notes *notes, struct ts_fetch *f, struct ts_evidence *e,
				  struct ts_error *err)
{
	size_t at = notes->n;

	for (size_t i = 0; i < notes->n; i++) {
		if (notes->items[i].kind != TS_KIND_LOSS || !notes->items[i].parts)
			continue;
		if (!is_pair(notes, i))
			return TS_OK;
		if (at == notes->n || notes->items[i].first < notes->items[at].first)
			at = i;
	}
	if (at == notes->n)
		return TS_OK;
	if (look_at_losses(f, &notes->items[at], notes->sides[at], &e->report, &e->noise, err))
		return err->status;
	for (size_t i = 0; i < notes->n && e->report.rule != TS_REPORT_NONE; i++) {
		struct ts_pattern_report other;

		if (i == at || notes->items[i].kind != TS_KIND_LOSS || !notes->items[i].parts)
			continue;
		if (look_at_losses(f, &notes->items[i], notes->sides[i], &other, NULL, err))
			return err->status;
		if (other.rule == TS_REPORT_NONE)
			e->report.rule = TS_REPORT_NONE;
	}
	return TS_OK;
}

enum ts_status ts_patterns_look(const struct ts_evidence_notes *notes, struct ts_fetch *f, struct ts_evidence *e, struct ts_error *err)
{
	if (find_stride(notes, f, e, err) || find_skips(notes, f, e, err) || find_losses(notes, f, e, err) ||
	    find_returns(notes, f, TS_KIND_PARAMS, e->params_back, err) ||
	    find_returns(notes, f, TS_KIND_OPTIMIZER, e->optimizer_back, err))
		return err->status;
	return TS_OK;
}
