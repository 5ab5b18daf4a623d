#include "toy_pair.h"

#include "analysis/diverge/test_gap_of.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum ts_series_kind kind;
	int32_t rank;
} columns[TOY_COLUMNS] = {
	[TOY_LOSS] = {"scalars.loss", TS_KIND_LOSS, 0},
	[TOY_GRAD_NORM] = {"scalars.grad_norm", TS_KIND_GRAD_NORM, 0},
	[TOY_LR] = {"scalars.lr", TS_KIND_LR, 0},
	[TOY_DIGEST_PARAMS] = {"digests.params", TS_KIND_PARAMS, 0},
	[TOY_DIGEST_BATCH] = {"digests.batch", TS_KIND_BATCH, 0},
	[TOY_DIGEST_RNG] = {"digests.rng", TS_KIND_RNG, 0},
	[TOY_DIGEST_GRADS] = {"digests.grads", TS_KIND_GRADS, 0},
	[TOY_DIGEST_GRADS + 1] = {"digests.grads", TS_KIND_GRADS, 1},
	[TOY_DIGEST_GRADS + 2] = {"digests.grads", TS_KIND_GRADS, 2},
	[TOY_DIGEST_GRADS + 3] = {"digests.grads", TS_KIND_GRADS, 3},
};

static bool is_number(enum toy_column c)
{
	return c <= TOY_LR;
}

static double number_of(const struct toy_row *row, enum toy_column c)
{
	double x = c == TOY_LOSS ? row->loss : c == TOY_GRAD_NORM ? row->grad_norm : row->lr;

	return isnan(x) ? (double)NAN : x; /* every NaN becomes the same NaN, as in a store */
}

static uint64_t word_of(const struct toy_row *row, enum toy_column c, uint32_t ranks)
{
	switch ((int)c) {
	case TOY_DIGEST_PARAMS:
		return row->params;
	case TOY_DIGEST_BATCH:
		return row->batch;
	case TOY_DIGEST_RNG:
		return row->rng;
	default:
		return ranks > 1 ? row->rank_grads[c - TOY_DIGEST_GRADS] : row->grads;
	}
}

void toy_record(struct toy_recording *r, const struct toy_row *rows, uint32_t n, unsigned set, uint32_t ranks)
{
	memset(r, 0, sizeof *r);
	for (unsigned c = 0; c < TOY_COLUMNS; c++) {
		struct toy_series *s = &r->columns[c];

		s->present = (set >> c & 1) && c < TOY_DIGEST_GRADS + ranks;
		s->resolution.precision = is_number(c) ? TS_PRECISION_F32 : TS_PRECISION_F64;
		for (uint32_t i = 0; s->present && i < n; i++, s->n++) {
			s->steps[i] = i;
			if (is_number(c))
				s->values[i].number = number_of(&rows[i], c);
			else
				s->values[i].word = word_of(&rows[i], c, ranks);
		}
	}
}

void toy_resume(struct toy_recording *r, int64_t step)
{
	r->resumes[r->n_resumes++] = step;
}

void toy_cut_tail(struct toy_recording *r, int64_t step)
{
	for (unsigned c = 0; c < TOY_COLUMNS; c++)
		while (r->columns[c].n > 0 && r->columns[c].steps[r->columns[c].n - 1] >= step)
			r->columns[c].n--;
}

static void keep(struct toy_series *s, size_t from, size_t *to)
{
	s->steps[*to] = s->steps[from];
	s->values[(*to)++] = s->values[from];
}

void toy_lose(struct toy_recording *r, double share, uint64_t seed)
{
	bool lost[TOY_STEPS_MAX];
	struct ts_random random;

	ts_random_init(&random, seed);
	for (size_t i = 0; i < TOY_STEPS_MAX; i++)
		lost[i] = ts_random_unit(&random) < share;
	for (unsigned c = 0; c < TOY_COLUMNS; c++) {
		struct toy_series *s = &r->columns[c];
		size_t n = 0;

		for (size_t i = 0; i < s->n; i++)
			if (!lost[s->steps[i]])
				keep(s, i, &n);
		s->n = n;
	}
}

void toy_write_twice(struct toy_recording *r, int64_t step, int64_t back, double wrong)
{
	for (unsigned c = 0; c < TOY_COLUMNS; c++) {
		struct toy_series *s = &r->columns[c], old = *s;

		s->n = 0;
		for (size_t i = 0; i < old.n && old.steps[i] < step; i++) {
			s->steps[s->n] = old.steps[i];
			s->values[s->n] = old.values[i];
			if (c == TOY_LOSS && old.steps[i] >= step - back)
				s->values[s->n].number *= wrong;
			s->n++;
		}
		for (size_t i = 0; i < old.n; i++)
			if (old.steps[i] >= step - back) {
				s->steps[s->n] = old.steps[i];
				s->values[s->n++] = old.values[i];
			}
	}
	toy_resume(r, step - back);
}

void toy_decimals(struct toy_recording *r)
{
	struct toy_series *s = &r->columns[TOY_LOSS];

	s->resolution = (struct ts_resolution){.precision = TS_PRECISION_DECIMALS, .digits = 4};
	for (size_t i = 0; i < s->n; i++)
		s->values[i].number = round(s->values[i].number * 1e4) / 1e4;
}

/* The change is less than half the distance to the next float, so rounding to float32 gives the old value. */
void toy_doubles(struct toy_recording *r, uint64_t seed)
{
	struct ts_random random;

	ts_random_init(&random, seed);
	for (unsigned c = 0; is_number(c); c++) {
		struct toy_series *s = &r->columns[c];

		s->resolution.precision = TS_PRECISION_F64;
		for (size_t i = 0; i < s->n; i++)
			s->values[i].number *= 1 + 0x1p-25 * (2 * ts_random_unit(&random) - 1);
	}
}

void toy_bare(struct toy_recording *r)
{
	for (unsigned c = 0; is_number(c); c++)
		r->columns[c].resolution = (struct ts_resolution){.precision = TS_PRECISION_F64};
}

void toy_intervals(struct toy_recording *r)
{
	for (unsigned c = 0; c <= TOY_GRAD_NORM; c++) {
		struct toy_series *s = &r->columns[c];
		double sum = 0;
		size_t n = 0, in = 0;

		for (size_t i = 0; i < s->n; i++) {
			sum += s->values[i].number;
			in++;
			if (s->steps[i] % 10 != 9)
				continue;
			if (c == TOY_LOSS)
				s->values[i].number = (double)(float)(sum / (double)in);
			keep(s, i, &n);
			sum = 0;
			in = 0;
		}
		s->n = n;
	}
}

/* --- evidence --- */

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

/* Finds the row of each step that was written last, or -1 if there is none. */
static void index_rows(const struct toy_series *s, int32_t *row)
{
	for (size_t i = 0; i < TOY_STEPS_MAX; i++)
		row[i] = -1;
	for (size_t i = 0; i < s->n; i++)
		row[s->steps[i]] = (int32_t)i;
}

static int64_t cadence(const int32_t *row)
{
	int64_t before = -1, least = 0;

	for (int64_t i = 0; i < TOY_STEPS_MAX; i++) {
		if (row[i] < 0)
			continue;
		if (before >= 0 && (least == 0 || i - before < least))
			least = i - before;
		before = i;
	}
	return least;
}

static void find_parting(const struct toy_series *a, const struct toy_series *b, const int32_t *row_a, const int32_t *row_b,
			 struct ts_evidence_series *e)
{
	bool alone = false; /* some step before the first common one is missing on one side */

	for (int64_t i = 0; i < TOY_STEPS_MAX; i++) {
		if (row_a[i] < 0 || row_b[i] < 0) {
			alone = alone || row_a[i] >= 0 || row_b[i] >= 0;
			continue;
		}
		if (e->common++ == 0) {
			e->first_common = i;
			e->from_first = !alone;
		}
		e->last_common = i;
		if (e->parts)
			continue;
		if (a->values[row_a[i]].word != b->values[row_b[i]].word) {
			e->parts = true;
			e->first = i;
		} else {
			e->after_known = true;
			e->after = i;
		}
	}
}

static void measure(const struct toy_series *a, const struct toy_series *b, const int32_t *row_a, const int32_t *row_b,
		    struct ts_arena *arena, struct ts_evidence_series *e)
{
	static int64_t steps[TOY_STEPS_MAX];
	static double x[TOY_STEPS_MAX], y[TOY_STEPS_MAX];
	struct ts_error err;
	size_t n = 0;

	e->a = a->values[row_a[e->first]].number;
	e->b = b->values[row_b[e->first]].number;
	for (int64_t i = e->first; i < TOY_STEPS_MAX; i++)
		if (row_a[i] >= 0 && row_b[i] >= 0) {
			steps[n] = i;
			x[n] = a->values[row_a[i]].number;
			y[n++] = b->values[row_b[i]].number;
		}
	if (test_gap_of(steps, x, y, n, e->writing_a.resolution, e->writing_b.resolution, arena, &e->gap, &err))
		abort();
}

/* As in the server, a precision that is not declared is estimated from the values. */
static struct ts_writing writing_of(enum toy_column c, const struct toy_series *s)
{
	double x[TOY_STEPS_MAX];

	if (!is_number(c))
		return (struct ts_writing){.resolution = s->resolution};
	for (size_t i = 0; i < s->n; i++)
		x[i] = s->values[i].number;
	return ts_resolution_infer(s->resolution, c != TOY_LR, x, s->n);
}

static void compare(enum toy_column c, const struct toy_recording *a, const struct toy_recording *b, struct ts_arena *arena,
		    struct ts_evidence_series *e)
{
	const struct toy_series *x = &a->columns[c], *y = &b->columns[c];
	int32_t row_a[TOY_STEPS_MAX], row_b[TOY_STEPS_MAX];

	*e = (struct ts_evidence_series){.kind = columns[c].kind, .rank = columns[c].rank, .in_a = x->n > 0, .in_b = y->n > 0};
	e->name = ts_span_str(columns[c].name);
	e->writing_a = writing_of(c, x);
	e->writing_b = writing_of(c, y);
	index_rows(x, row_a);
	index_rows(y, row_b);
	e->cadence = cadence(row_a) > cadence(row_b) ? cadence(row_a) : cadence(row_b);
	e->other_cadence = cadence(row_a) && cadence(row_b) && cadence(row_a) != cadence(row_b);
	find_parting(x, y, row_a, row_b, e);
	if (e->parts && is_number(c))
		measure(x, y, row_a, row_b, arena, e);
}

/* Collects the digests by step, each step once. */
static size_t digests(const struct toy_series *s, int64_t *steps, uint64_t *words)
{
	int32_t row[TOY_STEPS_MAX];
	size_t n = 0;

	index_rows(s, row);
	for (int64_t i = 0; i < TOY_STEPS_MAX; i++)
		if (row[i] >= 0) {
			steps[n] = i;
			words[n++] = s->values[row[i]].word;
		}
	return n;
}

static void relate_batches(const struct toy_recording *a, const struct toy_recording *b, struct ts_arena *arena,
			   struct ts_batch_relation *ret)
{
	static int64_t steps_a[TOY_STEPS_MAX], steps_b[TOY_STEPS_MAX];
	static uint64_t words_a[TOY_STEPS_MAX], words_b[TOY_STEPS_MAX];
	size_t n_a = digests(&a->columns[TOY_DIGEST_BATCH], steps_a, words_a);
	size_t n_b = digests(&b->columns[TOY_DIGEST_BATCH], steps_b, words_b);

	if (!ts_batches_relate(steps_a, words_a, n_a, steps_b, words_b, n_b, arena, ret))
		abort();
}

void toy_evidence(const struct toy_recording *a, const struct toy_recording *b, struct ts_arena *arena, struct ts_evidence *ret)
{
	int64_t *epochs = need(ts_arena_array(arena, TOY_STEPS_MAX / TOY_BATCHES, sizeof *epochs));

	memset(ret, 0, sizeof *ret);
	ret->series = need(ts_arena_array(arena, TOY_COLUMNS, sizeof *ret->series));
	for (unsigned c = 0; c < TOY_COLUMNS; c++)
		if (a->columns[c].n > 0 || b->columns[c].n > 0)
			compare(c, a, b, arena, &ret->series[ret->n_series++]);
	for (ret->epochs.n = 0; ret->epochs.n < TOY_STEPS_MAX / TOY_BATCHES; ret->epochs.n++)
		epochs[ret->epochs.n] = (int64_t)(ret->epochs.n + 1) * TOY_BATCHES;
	ret->epochs.items = epochs;
	ret->resumes_a = (struct ts_steps_list){.items = a->resumes, .n = a->n_resumes};
	ret->resumes_b = (struct ts_steps_list){.items = b->resumes, .n = b->n_resumes};
	relate_batches(a, b, arena, &ret->batches);
	ret->params_time = TS_DIGEST_BEFORE;
}
