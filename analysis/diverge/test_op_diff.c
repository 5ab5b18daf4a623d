/* Records written by hand, and random ones against a comparison that tries every pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/op_diff.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, NO_IN = -1, COUNT = -1 };

static const char *const names[] = {"embed", "attn", "mlp", "allreduce", "optimizer"};

/* A record; in == NO_IN means that the input is not recorded. */
struct rec {
	uint32_t name;
	int64_t occurrence; /* COUNT: the occurrence is not declared */
	int64_t in, out;
};

struct step {
	uint32_t names[MOST];
	uint64_t occurrences[MOST], in[MOST], out[MOST];
	bool has_in[MOST];
	struct ts_op_records records;
};

static const struct ts_op_records *step_of(struct step *s, const struct rec *recs, size_t n)
{
	assert_true(n <= MOST);
	for (size_t i = 0; i < n; i++) {
		s->names[i] = recs[i].name;
		s->occurrences[i] = recs[i].occurrence == COUNT ? TS_OP_COUNTED : (uint64_t)recs[i].occurrence;
		s->has_in[i] = recs[i].in != NO_IN;
		s->in[i] = s->has_in[i] ? (uint64_t)recs[i].in : 0xdead; /* this value must not be read */
		s->out[i] = (uint64_t)recs[i].out;
	}
	s->records = (struct ts_op_records){s->names, s->occurrences, s->has_in, s->in, s->out, n};
	return &s->records;
}

struct fixture {
	struct ts_arena arena, scratch;
	struct ts_op_walk walk;
	struct ts_op_diff diff;
};

static void begin(struct fixture *f, int32_t rank)
{
	ts_arena_init(&f->arena, 0);
	ts_arena_init(&f->scratch, 0);
	f->diff = (struct ts_op_diff){.n = 0};
	ts_op_walk_init(&f->walk, rank, &f->scratch);
}

static void end(struct fixture *f)
{
	ts_arena_finish(&f->arena);
	ts_arena_finish(&f->scratch);
}

static void walk(struct fixture *f, int64_t step, const struct rec *a, size_t n_a, const struct rec *b, size_t n_b)
{
	struct step sa, sb;
	struct ts_error err;

	if (ts_op_walk_step(&f->walk, step, step_of(&sa, a, n_a), step_of(&sb, b, n_b), &err))
		fail_msg("%s", err.text);
}

static void finish_rank(struct fixture *f, int32_t next_rank)
{
	struct ts_error err;

	if (f->walk.parts)
		f->walk.row.name = ts_span_str(names[f->walk.row_name]);
	if (f->walk.has_apart)
		f->walk.apart.name = ts_span_str(names[f->walk.apart_name]);
	if (f->walk.has_apart && f->walk.has_after)
		f->walk.apart.after = ts_span_str(names[f->walk.after_name]);
	if (ts_op_diff_add(&f->diff, &f->walk, &f->arena, &err))
		fail_msg("%s", err.text);
	ts_op_walk_init(&f->walk, next_rank, &f->scratch);
}

#define WALK(f, step, a, b) walk(f, step, a, sizeof(a) / sizeof(a)[0], b, sizeof(b) / sizeof(b)[0])

static void expect_row(const struct ts_op_row *row, int32_t rank, enum ts_op_role role, int64_t step, uint64_t ordinal,
		       const char *name, uint64_t occurrence)
{
	assert_int_equal(row->rank, rank);
	assert_int_equal(row->role, role);
	assert_int_equal(row->step, step);
	assert_int_equal(row->ordinal, ordinal);
	if (!ts_span_is(row->name, name))
		fail_msg("%.*s, not %s", TS_SPAN_ARG(row->name), name);
	assert_int_equal(row->occurrence, occurrence);
}

static void expect_counts(const struct ts_op_diff *d, uint64_t compared, uint64_t only_a, uint64_t only_b, bool reordered)
{
	assert_int_equal(d->compared, compared);
	assert_int_equal(d->only_a, only_a);
	assert_int_equal(d->only_b, only_b);
	assert_int_equal(d->reordered, reordered);
}

/* Rank 2 computes another value from the same inputs; the others receive it by a collective. */
static void an_origin_and_its_receivers(void **state)
{
	static const struct rec same[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 3}, {3, COUNT, 3, 4}, {4, COUNT, 4, 5}};
	static const struct rec origin[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 30}, {3, COUNT, 30, 40}, {4, COUNT, 40, 50}};
	static const struct rec receiver[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 3}, {3, COUNT, 31, 40}, {4, COUNT, 40, 50}};
	struct fixture f;

	(void)state;
	begin(&f, 0);
	for (int32_t rank = 0; rank < 4; rank++) {
		WALK(&f, 40, same, same);
		walk(&f, 41, same, 4, rank == 2 ? origin : receiver, 4);
		WALK(&f, 42, same, receiver); /* a later difference gets no row of its own */
		finish_rank(&f, rank + 1);
	}
	assert_int_equal(f.diff.n, 4);
	expect_row(&f.diff.rows[0], 2, TS_OP_ORIGIN, 41, 1, "attn", 0);
	assert_true(f.diff.rows[0].has_inputs && f.diff.rows[0].in_a == 2 && f.diff.rows[0].in_b == 2);
	assert_true(f.diff.rows[0].out_a == 3 && f.diff.rows[0].out_b == 30);
	expect_row(&f.diff.rows[1], 0, TS_OP_RECEIVER, 41, 2, "allreduce", 0);
	expect_row(&f.diff.rows[2], 1, TS_OP_RECEIVER, 41, 2, "allreduce", 0);
	expect_row(&f.diff.rows[3], 3, TS_OP_RECEIVER, 41, 2, "allreduce", 0);
	assert_true(f.diff.rows[1].in_a == 3 && f.diff.rows[1].in_b == 31);
	expect_counts(&f.diff, 4 * 12, 0, 0, false);
	assert_ptr_equal(ts_op_culprit(&f.diff), &f.diff.rows[0]);
	end(&f);
}

/* An operation is an origin even if an earlier one of the same step received a difference; one of a later step is
 * not. */
static void the_culprit_is_the_first_origin_of_the_first_step(void **state)
{
	static const struct rec a[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 3}, {2, COUNT, 7, 8}, {2, COUNT, 7, 8}};
	static const struct rec b[] = {{0, COUNT, 9, 2}, {1, COUNT, 2, 3}, {2, COUNT, 7, 8}, {2, COUNT, 7, 88}};
	static const struct rec late[] = {{0, COUNT, 1, 20}};
	struct fixture f;

	(void)state;
	begin(&f, 0);
	WALK(&f, 5, a, b);
	finish_rank(&f, 1);
	assert_int_equal(f.diff.n, 1);
	expect_row(&f.diff.rows[0], 0, TS_OP_ORIGIN, 5, 3, "mlp", 1);
	/* Another rank received a difference at that step, earlier in its order: it is not the one to name. */
	walk(&f, 5, a, 1, b, 1);
	WALK(&f, 6, a, late);
	finish_rank(&f, 2);
	assert_int_equal(f.diff.n, 2);
	expect_row(&f.diff.rows[0], 1, TS_OP_RECEIVER, 5, 0, "embed", 0); /* the row is written though its output agrees */
	assert_ptr_equal(ts_op_culprit(&f.diff), &f.diff.rows[1]);
	/* If the first step has no origin, the first receiver is named. */
	walk(&f, 4, a, 1, b, 1);
	finish_rank(&f, 3);
	assert_int_equal(ts_op_culprit(&f.diff)->rank, 2);
	end(&f);
}

static void without_inputs_a_role_is_a_guess(void **state)
{
	static const struct rec a[] = {{0, COUNT, NO_IN, 2}, {1, COUNT, NO_IN, 3}};
	static const struct rec b[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 33}};
	struct fixture f;

	(void)state;
	begin(&f, 0);
	WALK(&f, 1, a, b);
	finish_rank(&f, 1);
	WALK(&f, 1, b, a);
	finish_rank(&f, 2);
	assert_int_equal(f.diff.n, 2);
	for (int32_t rank = 0; rank < 2; rank++) {
		expect_row(&f.diff.rows[rank], rank, TS_OP_RECEIVER, 1, 1, "attn", 0);
		assert_false(f.diff.rows[rank].has_inputs);
		assert_true(f.diff.rows[rank].in_a == 0 && f.diff.rows[rank].in_b == 0);
	}
	assert_int_equal(f.diff.rows[0].out_b, 33);
	end(&f);
}

static void renamed_and_missing_operations(void **state)
{
	static const struct rec a[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 3}, {3, COUNT, 3, 4}};
	static const struct rec renamed[] = {{0, COUNT, 1, 2}, {2, COUNT, 2, 30}, {3, COUNT, 30, 4}};
	struct fixture f;

	(void)state;
	begin(&f, 0);
	WALK(&f, 1, a, renamed);
	finish_rank(&f, 1);
	assert_int_equal(f.diff.n, 1);
	expect_row(&f.diff.rows[0], 0, TS_OP_RECEIVER, 1, 2, "allreduce", 0);
	expect_counts(&f.diff, 2, 1, 1, false);
	walk(&f, 1, a, 3, a, 1);
	walk(&f, 2, a, 0, a, 3);
	finish_rank(&f, 2);
	assert_int_equal(f.diff.n, 1);
	expect_counts(&f.diff, 3, 3, 4, false);
	end(&f);
}

/* The order of arrival does not matter: the first in the order of the first run is named. */
static void reordered_operations(void **state)
{
	static const struct rec a[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 3}, {2, COUNT, 2, 5}};
	static const struct rec same[] = {{2, COUNT, 2, 5}, {0, COUNT, 1, 2}, {1, COUNT, 2, 3}};
	static const struct rec b[] = {{2, COUNT, 2, 50}, {1, COUNT, 2, 30}, {0, COUNT, 1, 2}};
	struct fixture f;

	(void)state;
	begin(&f, 0);
	WALK(&f, 1, a, same);
	finish_rank(&f, 0);
	assert_int_equal(f.diff.n, 0);
	expect_counts(&f.diff, 3, 0, 0, true);
	WALK(&f, 1, a, b);
	finish_rank(&f, 0);
	expect_row(&f.diff.rows[0], 0, TS_OP_ORIGIN, 1, 1, "attn", 0);
	WALK(&f, 1, b, a);
	finish_rank(&f, 1);
	expect_row(&f.diff.rows[0], 0, TS_OP_ORIGIN, 1, 0, "mlp", 0);
	end(&f);
}

/* Occurrences are declared on one side and counted on the other: the records are the same. Occurrences that are
 * declared twice are separated by their order. */
static void occurrences_said_and_counted(void **state)
{
	static const struct rec counted[] = {{1, COUNT, 1, 2}, {1, COUNT, 3, 4}, {1, COUNT, 5, 6}};
	static const struct rec said[] = {{1, 2, 5, 6}, {1, 0, 1, 2}, {1, 1, 3, 40}};
	static const struct rec twice[] = {{1, 1, 3, 4}, {1, 1, 3, 44}, {1, 9, 7, 7}};
	struct fixture f;

	(void)state;
	begin(&f, 0);
	WALK(&f, 1, counted, said);
	finish_rank(&f, 1);
	expect_row(&f.diff.rows[0], 0, TS_OP_ORIGIN, 1, 1, "attn", 1);
	expect_counts(&f.diff, 3, 0, 0, true);
	WALK(&f, 1, said, counted);
	finish_rank(&f, 2);
	expect_row(&f.diff.rows[1], 1, TS_OP_ORIGIN, 1, 2, "attn", 1);
	f.diff = (struct ts_op_diff){.n = 0};
	WALK(&f, 1, counted, twice); /* only (attn, 1) is in both, and twice in the second */
	finish_rank(&f, 3);
	expect_counts(&f.diff, 1, 2, 2, false);
	assert_int_equal(f.diff.n, 0);
	WALK(&f, 1, twice, twice);
	finish_rank(&f, 4);
	expect_counts(&f.diff, 4, 2, 2, false);
	end(&f);
}

/* --- executions --- */

static void expect_executions(const int64_t *steps, size_t n, const struct ts_op_execution *want, size_t n_want)
{
	for (size_t cut = 0; cut <= n; cut++) {
		struct ts_op_executions all = {.n = 0};
		struct ts_arena arena;
		struct ts_error err;

		ts_arena_init(&arena, 0);
		assert_int_equal(ts_op_executions_add(&all, steps, cut, &arena, &err), TS_OK);
		assert_int_equal(ts_op_executions_add(&all, steps + cut, n - cut, &arena, &err), TS_OK);
		ts_op_executions_settle(&all);
		assert_int_equal(all.records, n);
		assert_int_equal(all.n, n_want);
		for (size_t i = 0; i < n_want; i++)
			assert_true(all.items[i].step == want[i].step && all.items[i].first == want[i].first &&
				    all.items[i].n == want[i].n);
		ts_arena_finish(&arena);
	}
}

static void the_last_execution_of_a_step_counts(void **state)
{
	static const int64_t forward[] = {3, 3, 4, 7};
	static const struct ts_op_execution of_forward[] = {{3, 0, 2}, {4, 2, 1}, {7, 3, 1}};
	static const int64_t back[] = {1, 2, 2, 3, 9, 2, 3, 3, 4, 1};
	static const struct ts_op_execution of_back[] = {{1, 9, 1}, {2, 5, 1}, {3, 6, 2}, {4, 8, 1}, {9, 4, 1}};

	(void)state;
	expect_executions(forward, 4, of_forward, 3);
	expect_executions(back, 10, of_back, 5);
	expect_executions(back, 0, NULL, 0);
}

/* --- random records against the naive comparison --- */

static uint64_t draw(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (*x * UINT64_C(0x2545f4914f6cdd1d)) >> 33;
}

static uint64_t naive_occurrence(const struct ts_op_records *r, size_t at)
{
	uint64_t n = 0;

	if (r->occurrences[at] != TS_OP_COUNTED)
		return r->occurrences[at];
	for (size_t i = 0; i < at; i++)
		n += r->names[i] == r->names[at];
	return n;
}

/* Counts the records before it that have its name and occurrence. */
static size_t naive_repeat(const struct ts_op_records *r, size_t at)
{
	size_t n = 0;

	for (size_t i = 0; i < at; i++)
		n += r->names[i] == r->names[at] && naive_occurrence(r, i) == naive_occurrence(r, at);
	return n;
}

static size_t naive_partner(const struct ts_op_records *a, size_t i, const struct ts_op_records *b)
{
	for (size_t j = 0; j < b->n; j++)
		if (a->names[i] == b->names[j] && naive_occurrence(a, i) == naive_occurrence(b, j) &&
		    naive_repeat(a, i) == naive_repeat(b, j))
			return j;
	return SIZE_MAX;
}

static void naive(const struct ts_op_records *a, const struct ts_op_records *b, struct ts_op_walk *ret)
{
	size_t last = 0;

	*ret = (struct ts_op_walk){.parts = false};
	for (size_t i = 0; i < a->n; i++) {
		size_t j = naive_partner(a, i, b);
		bool in = j != SIZE_MAX && a->has_in[i] && b->has_in[j];

		if (j == SIZE_MAX) {
			ret->only_a++;
			continue;
		}
		ret->compared++;
		ret->reordered |= j < last;
		last = j;
		if (in && a->in[i] == b->in[j] && a->out[i] != b->out[j] && !(ret->parts && ret->row.role == TS_OP_ORIGIN)) {
			ret->parts = true;
			ret->row = (struct ts_op_row){.role = TS_OP_ORIGIN, .ordinal = i};
		} else if (!ret->parts && (a->out[i] != b->out[j] || (in && a->in[i] != b->in[j]))) {
			ret->parts = true;
			ret->row = (struct ts_op_row){.role = TS_OP_RECEIVER, .ordinal = i};
		}
	}
	ret->only_b = b->n - ret->compared;
}

static size_t random_step(uint64_t *x, struct rec *recs)
{
	size_t n = draw(x) % 20;

	for (size_t i = 0; i < n; i++)
		recs[i] = (struct rec){(uint32_t)(draw(x) % 3), draw(x) % 3 ? COUNT : (int64_t)(draw(x) % 4),
				       draw(x) % 4 ? 1 : NO_IN, 7};
	return n;
}

/* Makes another run of it, with some records lost, swapped or changed. */
static size_t rerun(uint64_t *x, const struct rec *from, size_t n, struct rec *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		to[kept] = from[i];
		to[kept].out += draw(x) % 8 == 0;
		if (to[kept].in != NO_IN)
			to[kept].in += draw(x) % 8 == 0;
		if (kept && draw(x) % 6 == 0) {
			struct rec other = to[kept - 1];

			to[kept - 1] = to[kept];
			to[kept] = other;
		}
		kept += draw(x) % 10 != 0;
	}
	return kept;
}

static void random_steps_and_their_mirror(void **state)
{
	uint64_t x = 0x9e3779b97f4a7c15, parted = 0, reordered = 0, plain = 0;

	(void)state;
	for (size_t round = 0; round < 20000; round++) {
		struct rec a[MOST], b[MOST];
		size_t n_a = random_step(&x, a), n_b = rerun(&x, a, n_a, b);
		struct ts_op_walk want, mirror;
		struct step sa, sb;
		struct fixture f;

		naive(step_of(&sa, a, n_a), step_of(&sb, b, n_b), &want);
		begin(&f, 3);
		walk(&f, 9, a, n_a, b, n_b);
		assert_int_equal(f.walk.parts, want.parts);
		if (want.parts) {
			assert_int_equal(f.walk.row.role, want.row.role);
			assert_int_equal(f.walk.row.ordinal, want.row.ordinal);
			assert_int_equal(f.walk.row.occurrence, naive_occurrence(&sa.records, want.row.ordinal));
			assert_int_equal(f.walk.row_name, a[want.row.ordinal].name);
		}
		assert_true(f.walk.compared == want.compared && f.walk.only_a == want.only_a && f.walk.only_b == want.only_b);
		assert_int_equal(f.walk.reordered, want.reordered);
		ts_op_walk_init(&mirror, 3, &f.scratch);
		assert_int_equal(ts_op_walk_step(&mirror, 9, step_of(&sb, b, n_b), step_of(&sa, a, n_a), NULL), TS_OK);
		assert_true(mirror.compared == want.compared && mirror.only_a == want.only_b && mirror.only_b == want.only_a);
		assert_true(mirror.parts == want.parts && mirror.reordered == want.reordered);
		if (want.parts && !want.reordered) {
			assert_true(mirror.row.role == f.walk.row.role && mirror.row_name == f.walk.row_name);
			assert_true(mirror.row.occurrence == f.walk.row.occurrence);
			assert_true(mirror.row.has_inputs == f.walk.row.has_inputs);
			assert_true(mirror.row.in_a == f.walk.row.in_b && mirror.row.in_b == f.walk.row.in_a);
			assert_true(mirror.row.out_a == f.walk.row.out_b && mirror.row.out_b == f.walk.row.out_a);
		}
		parted += want.parts;
		reordered += want.reordered;
		plain += n_a == n_b && !want.only_a && !want.reordered;
		end(&f);
	}
	assert_true(parted > 1000 && parted < 19000 && reordered > 1000 && plain > 1000); /* all kinds of differences occurred */
}

/* Rows are sorted by step, ordinal and rank, whatever the order in which they are added, and their names are copies. */
static void rows_are_sorted(void **state)
{
	uint64_t x = 88172645463325252;
	struct fixture f;
	char name[16];

	(void)state;
	begin(&f, 0);
	for (int32_t rank = 0; rank < 100; rank++) {
		struct ts_op_walk w = {.parts = true};
		struct ts_error err;

		(void)snprintf(name, sizeof name, "n%d", rank);
		w.row = (struct ts_op_row){.rank = rank, .role = TS_OP_RECEIVER, .step = (int64_t)(draw(&x) % 5) - 2,
					   .ordinal = draw(&x) % 4, .name = ts_span_str(name)};
		assert_int_equal(ts_op_diff_add(&f.diff, &w, &f.arena, &err), TS_OK);
	}
	assert_int_equal(f.diff.n, 100);
	for (size_t i = 0; i < 100; i++) {
		const struct ts_op_row *p = &f.diff.rows[i], *q = i + 1 < 100 ? p + 1 : NULL;

		(void)snprintf(name, sizeof name, "n%d", p->rank);
		assert_true(ts_span_is(p->name, name));
		if (q)
			assert_true(p->step < q->step ||
				    (p->step == q->step &&
				     (p->ordinal < q->ordinal || (p->ordinal == q->ordinal && p->rank < q->rank))));
	}
	assert_null(ts_op_culprit(&(struct ts_op_diff){.n = 0}));
	end(&f);
}

/* A step whose alignment has no memory gives an error, and no answer. */
static void too_large_a_step(void **state)
{
	static const struct rec a[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 3}}, b[] = {{1, COUNT, 2, 3}, {0, COUNT, 1, 2}};
	struct step sa, sb;
	struct ts_arena scratch;
	struct ts_op_walk w;
	struct ts_error err;

	(void)state;
	ts_arena_init(&scratch, 32);
	ts_op_walk_init(&w, 0, &scratch);
	assert_int_not_equal(ts_op_walk_step(&w, 77, step_of(&sa, a, 2), step_of(&sb, b, 2), &err), TS_OK);
	assert_non_null(strstr(err.text, "step 77"));
	ts_arena_finish(&scratch);
}

static void says(const struct ts_op_diff *d, const char *want)
{
	struct ts_arena arena;
	struct ts_span text;

	ts_arena_init(&arena, 1 << 12);
	assert_non_null(ts_op_inserted(d));
	text = ts_op_apart_says(ts_op_inserted(d), &arena);
	if (!ts_span_is(text, want))
		fail_msg("%.*s", TS_SPAN_ARG(text));
	ts_arena_finish(&arena);
}

/* An operation that was inserted, removed or moved is named with its place, and so is the first one of several. */
static void operations_of_one_run(void **state)
{
	static const struct rec plain[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 3}, {3, COUNT, 3, 4}};
	static const struct rec inserted[] = {{0, COUNT, 1, 2}, {4, COUNT, 2, 9}, {1, COUNT, 9, 30}, {3, COUNT, 30, 40}};
	static const struct rec moved[] = {{1, COUNT, 2, 3}, {0, COUNT, 1, 2}, {3, COUNT, 3, 4}};
	static const struct rec first[] = {{4, COUNT, 1, 1}, {0, COUNT, 1, 2}, {1, COUNT, 2, 3}, {3, COUNT, 3, 4}};
	struct fixture f;
	char want[256];

	(void)state;
	begin(&f, 0);
	WALK(&f, 7, plain, plain);
	WALK(&f, 8, plain, inserted);
	WALK(&f, 9, plain, first); /* a later one gets no row of its own */
	finish_rank(&f, 1);
	assert_int_equal(f.diff.n_apart, 1);
	expect_row(&f.diff.apart[0], 0, TS_OP_ONLY_B, 8, 1, names[4], 0);
	assert_true(f.diff.apart[0].out_b == 9 && f.diff.apart[0].in_b == 2 && f.diff.apart[0].out_a == 0);
	(void)snprintf(want, sizeof want, "only the second run has the operation %s (occurrence 0) at step 8 on rank 0, behind %s",
		       names[4], names[0]);
	says(&f.diff, want);
	end(&f);
	begin(&f, 0);
	WALK(&f, 8, first, plain);
	finish_rank(&f, 1);
	expect_row(&f.diff.apart[0], 0, TS_OP_ONLY_A, 8, 0, names[4], 0);
	(void)snprintf(want, sizeof want,
		       "only the first run has the operation %s (occurrence 0) at step 8 on rank 0, as the first of the step",
		       names[4]);
	says(&f.diff, want);
	end(&f);
	begin(&f, 0);
	WALK(&f, 8, plain, moved);
	finish_rank(&f, 1);
	expect_row(&f.diff.apart[0], 0, TS_OP_MOVED, 8, 1, names[1], 0);
	end(&f);
	begin(&f, 0);
	WALK(&f, 8, plain, plain);
	finish_rank(&f, 1);
	assert_null(ts_op_inserted(&f.diff));
	end(&f);
	/* One that comes behind a step whose operations differ is not why they do. */
	begin(&f, 0);
	{
		static const struct rec other[] = {{0, COUNT, 1, 2}, {1, COUNT, 2, 31}, {3, COUNT, 31, 40}};

		WALK(&f, 6, plain, other);
	}
	WALK(&f, 8, plain, inserted);
	finish_rank(&f, 1);
	assert_int_equal(f.diff.n_apart, 1);
	assert_null(ts_op_inserted(&f.diff));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_origin_and_its_receivers),
		cmocka_unit_test(the_culprit_is_the_first_origin_of_the_first_step),
		cmocka_unit_test(without_inputs_a_role_is_a_guess),
		cmocka_unit_test(renamed_and_missing_operations),
		cmocka_unit_test(reordered_operations),
		cmocka_unit_test(occurrences_said_and_counted),
		cmocka_unit_test(the_last_execution_of_a_step_counts),
		cmocka_unit_test(random_steps_and_their_mirror),
		cmocka_unit_test(rows_are_sorted),
		cmocka_unit_test(operations_of_one_run),
		cmocka_unit_test(too_large_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
