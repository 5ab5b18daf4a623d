/* Digests of operations of stored runs: against their plain records walked in memory, and the cases that have names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_ops.h"
#include "service/handlers/diff/diff_runs.h"

#include <math.h>
#include <stdlib.h>

enum { NO_IN = -1, COUNT = -1 };

struct rec {
	int64_t step;
	const char *name; /* a string literal */
	int64_t occurrence, in, out;
};

static void add(struct cells *cells, int32_t rank, int64_t key, const struct rec *r)
{
	cells_add(cells, rank, "step", key, (double)r->step)->table = TS_TABLE_DIGESTS;
	cells_add_text(cells, rank, "name", key, r->name);
	cells->items[cells->n - 1].table = TS_TABLE_DIGESTS;
	cells_add_word(cells, rank, "out", key, (uint64_t)r->out);
	cells->items[cells->n - 1].table = TS_TABLE_DIGESTS;
	if (r->in != NO_IN) {
		cells_add_word(cells, rank, "in", key, (uint64_t)r->in);
		cells->items[cells->n - 1].table = TS_TABLE_DIGESTS;
	}
	if (r->occurrence != COUNT)
		cells_add(cells, rank, "occurrence", key, (double)r->occurrence)->table = TS_TABLE_DIGESTS;
}

static void add_all(struct cells *cells, int32_t rank, const struct rec *recs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(cells, rank, (int64_t)i, &recs[i]);
}

#define N(recs) (sizeof(recs) / sizeof(recs)[0])

static void diff_of(struct world *w, const struct cells *a, const struct cells *b, struct ts_diff *ret_diff)
{
	struct ts_id id_a = make_run(w, a, NULL, 0), id_b = make_run(w, b, NULL, 0);
	struct ts_diff_how how = {0};
	struct ts_error err;

	must(ts_diff_runs(&w->fetch, &id_a, &id_b, &how, &w->arena, ret_diff, &err), &err);
}

static void expect_reason(const struct ts_diff *diff, enum ts_diff_verdict verdict, const char *reason)
{
	assert_int_equal(diff->verdict, verdict);
	if (!ts_span_is(diff->reason, reason))
		fail_msg("'%.*s', not '%s'", TS_SPAN_ARG(diff->reason), reason);
}

/* --- cases with names --- */

static const struct rec base[] = {
	{40, "embed", COUNT, 1, 2}, {40, "attn", COUNT, 2, 3}, {40, "attn", COUNT, 3, 4}, {40, "allreduce", COUNT, 4, 5},
	{41, "embed", COUNT, 5, 6}, {41, "attn", COUNT, 6, 7}, {41, "attn", COUNT, 7, 8}, {41, "allreduce", COUNT, 8, 9},
};

static void one_rank_computes_something_else(void **state)
{
	struct rec origin[N(base)], receiver[N(base)];
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	memcpy(origin, base, sizeof base);
	memcpy(receiver, base, sizeof base);
	origin[6].out = 80;
	origin[7].in = 80;
	origin[7].out = receiver[7].out = 90;
	receiver[7].in = 81;
	world_open(&w);
	for (int32_t rank = 0; rank < 4; rank++) {
		cells_add(&a, rank, "scalars.loss", 1, 0.5);
		cells_add(&b, rank, "scalars.loss", 1, 0.5);
		add_all(&a, rank, base, N(base));
		add_all(&b, rank, rank == 2 ? origin : receiver, N(base));
	}
	diff_of(&w, &a, &b, &diff);
	assert_int_equal(diff.ops.n, 4);
	assert_int_equal(diff.ops.compared, 4 * N(base));
	assert_int_equal(diff.ops.rows[0].rank, 2);
	assert_int_equal(diff.ops.rows[0].role, TS_OP_ORIGIN);
	assert_int_equal(diff.ops.rows[0].step, 41);
	assert_int_equal(diff.ops.rows[0].ordinal, 2);
	assert_int_equal(diff.ops.rows[0].occurrence, 1);
	assert_true(ts_span_is(diff.ops.rows[0].name, "attn"));
	assert_true(diff.ops.rows[0].out_a == 8 && diff.ops.rows[0].out_b == 80 && diff.ops.rows[0].in_b == 7);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(diff.ops.rows[i].rank, i == 3 ? 3 : i - 1);
		assert_int_equal(diff.ops.rows[i].role, TS_OP_RECEIVER);
		assert_true(ts_span_is(diff.ops.rows[i].name, "allreduce"));
	}
	expect_reason(&diff, TS_DIFF_DIFFERENT,
		      "The two runs first differ in the operation attn (occurrence 1) at step 41 on rank 2: its inputs "
		      "agree, but its "
		      "output differs");
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

#define AGREES "Both runs computed the same, bit for bit: 1 series of the trajectory agrees over 1 step"

static void one_run_alone_has_them(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0}, c = {.n = 0}, d = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	for (size_t i = 0; i < 4; i++)
		cells_add(i == 0 ? &a : (i == 1 ? &b : (i == 2 ? &c : &d)), 0, "scalars.loss", 1, 0.5);
	add_all(&b, 0, base, N(base));
	add_all(&c, 0, base, 4);
	add_all(&d, 0, base, N(base));
	cells_add(&d, 0, "phases.forward", 1, 0.25);
	diff_of(&w, &a, &b, &diff);
	expect_reason(&diff, TS_DIFF_SAME,
		      AGREES "; some digests of operations are in "
			     "one run only and were not compared");
	assert_true(diff.ops.n == 0 && diff.ops.compared == 0 && diff.ops.only_b == 0);
	diff_of(&w, &b, &c, &diff); /* one step more */
	expect_reason(&diff, TS_DIFF_SAME,
		      AGREES "; 4 digests of operations agree; some "
			     "digests of operations are in one run only and were not compared");
	diff_of(&w, &b, &d, &diff);
	expect_reason(&diff, TS_DIFF_SAME, AGREES "; 8 digests of operations agree");
	cells_free(&a);
	cells_free(&b);
	cells_free(&c);
	cells_free(&d);
	world_close(&w);
}

/* The runs have only digests that show what was computed. */
static void nothing_but_digests(void **state)
{
	struct rec other[N(base)];
	struct cells a = {.n = 0}, b = {.n = 0}, c = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	add_all(&a, 0, base, N(base));
	add_all(&b, 0, base, N(base));
	add_all(&c, 0, base, N(base) - 1); /* one record fewer in a step that both recorded */
	cells_add(&b, 0, "phases.forward", 1, 0.25);
	diff_of(&w, &a, &b, &diff);
	expect_reason(&diff, TS_DIFF_SAME, "Both runs computed the same, bit for bit; 8 digests of operations agree");
	diff_of(&w, &a, &c, &diff);
	expect_reason(&diff, TS_DIFF_INCONCLUSIVE,
		      "7 digests of operations agree, but other digests of operations are in one run only");
	assert_true(diff.ops.only_a == 1 && diff.ops.only_b == 0);
	memcpy(other, base, sizeof base);
	other[3].name = "reduce";
	cells_free(&c);
	add_all(&c, 0, other, N(other));
	diff_of(&w, &a, &c, &diff);
	assert_true(diff.ops.n == 0 && diff.ops.compared == 7 && diff.ops.only_a == 1 && diff.ops.only_b == 1);
	cells_free(&a);
	cells_free(&b);
	cells_free(&c);
	world_close(&w);
}

static void a_step_recorded_again_counts_as_the_last_time(void **state)
{
	static const struct rec restarted[] = {
		{40, "embed", COUNT, 1, 2}, {41, "embed", COUNT, 7, 7}, {41, "attn", COUNT, 7, 7}, {42, "embed", COUNT, 9, 9},
		{41, "embed", COUNT, 2, 3}, {41, "attn", COUNT, 3, 4},
	};
	static const struct rec straight[] = {
		{40, "embed", COUNT, 1, 2}, {41, "embed", COUNT, 2, 3}, {41, "attn", COUNT, 3, 4}, {42, "embed", COUNT, 9, 9},
	};
	struct rec other[N(straight)];
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	add_all(&a, 0, restarted, N(restarted));
	add_all(&b, 0, straight, N(straight));
	diff_of(&w, &a, &b, &diff);
	expect_reason(&diff, TS_DIFF_SAME, "Both runs computed the same, bit for bit; 4 digests of operations agree");
	diff_of(&w, &b, &a, &diff);
	expect_reason(&diff, TS_DIFF_SAME, "Both runs computed the same, bit for bit; 4 digests of operations agree");
	/* The records of step 42 come before those of step 41. */
	cells_free(&b);
	memcpy(other, straight, sizeof straight);
	other[3].in = 8;
	add_all(&b, 0, other, N(other));
	diff_of(&w, &a, &b, &diff);
	expect_reason(&diff, TS_DIFF_DIFFERENT,
		      "The two runs first differ in the operation embed (occurrence 0) at step 42: its inputs already "
		      "differ");
	assert_true(diff.ops.rows[0].has_inputs && diff.ops.rows[0].in_a == 9 && diff.ops.rows[0].in_b == 8);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Our importers would refuse such tables. */
static void tables_of_nonsense(void **state)
{
	static const struct rec half = {1, "x", COUNT, 1, 2};
	struct ts_diff_how how = {0};
	struct cells good = {.n = 0}, cells;
	struct ts_diff diff;
	struct ts_error err;
	struct ts_id a, b;
	struct world w;

	(void)state;
	world_open(&w);
	add_all(&good, 0, base, N(base));
	a = make_run(&w, &good, NULL, 0);
	for (size_t i = 0; i < 6; i++) {
		static const double steps[] = {1.5, 9007199254740992.0, -1e300, (double)NAN};

		cells = (struct cells){.n = 0};
		add(&cells, 0, 0, &half);
		if (i < 4) {
			memcpy(&cells.items[0].word, &steps[i], sizeof steps[i]);
		} else {
			cells_add(&cells, 0, "occurrence", 0, i == 4 ? -1 : 0.5)->table = TS_TABLE_DIGESTS;
			memcpy(&cells.items[0].word, &(double){40}, sizeof(double)); /* a step that both have */
		}
		b = make_run(&w, &cells, NULL, 0);
		assert_int_equal(ts_diff_runs(&w.fetch, &a, &b, &how, &w.arena, &diff, &err), TS_DAMAGED);
		assert_non_null(strstr(err.text, i < 4 ? "has no step" : "has no occurrence"));
		cells_free(&cells);
	}
	/* A record without a name makes the tables incomparable, so nothing is compared. */
	cells = (struct cells){.n = 0};
	add_all(&cells, 0, base, N(base));
	cells_add(&cells, 0, "step", 100, 42)->table = TS_TABLE_DIGESTS;
	diff_of(&w, &good, &cells, &diff);
	assert_true(diff.ops.n == 0 && diff.ops.compared == 0);
	assert_int_equal(diff.verdict, TS_DIFF_INCONCLUSIVE);
	cells_free(&cells);
	cells_free(&good);
	world_close(&w);
}

static void a_long_name_is_cut(void **state)
{
	static char name[TS_PATH_MAX + 2];
	struct rec rec = {1, name, COUNT, 1, 2};
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	memset(name, 'n', TS_PATH_MAX - 1);
	memcpy(name + TS_PATH_MAX - 1, "\xc3\xa9", 3); /* 2 bytes, across the end */
	world_open(&w);
	add(&a, 0, 0, &rec);
	rec.out = 3;
	add(&b, 0, 0, &rec);
	diff_of(&w, &a, &b, &diff);
	assert_int_equal(diff.ops.n, 1);
	assert_int_equal(diff.ops.rows[0].name.len, TS_PATH_MAX - 1);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* --- many blocks --- */

struct log {
	struct rec *recs;
	size_t n;
};

static const char *const names[] = {"embed", "layers.0.attn", "layers.0.mlp", "layers.1.attn", "layers.1.mlp", "allreduce"};

static void log_add(struct log *log, struct rec rec)
{
	log->recs[log->n++] = rec;
}

/* The steps have very different lengths, and one extends over several blocks; there may be one restart. */
static struct log random_log(uint64_t *x, size_t about)
{
	struct log log = {.recs = test_malloc(2 * about * sizeof *log.recs)};
	bool inputs = draw_below(x, 2), said = draw_below(x, 2);
	int64_t step = (int64_t)draw_below(x, 10) - 5;
	bool restart = draw_below(x, 2);

	while (log.n < about) {
		size_t n = draw_below(x, 8) ? 1 + draw_below(x, 300) : 1 + draw_below(x, 24000);

		for (size_t i = 0; i < n && log.n < 2 * about; i++)
			log_add(&log, (struct rec){step, names[draw_below(x, 6)],
						   said && draw_below(x, 3) == 0 ? (int64_t)draw_below(x, 9000) : COUNT,
						   inputs || draw_below(x, 50) ? (int64_t)draw_below(x, 1000) : NO_IN,
						   (int64_t)draw_below(x, 1000)});
		step += 1 + (int64_t)draw_below(x, 2);
		if (restart && log.n > about / 2) {
			step -= 3;
			restart = false;
		}
	}
	return log;
}

static struct log rerun_of(uint64_t *x, const struct log *from)
{
	struct log log = {.recs = test_malloc((from->n + 1) * sizeof *log.recs), .n = from->n};
	size_t at = draw_below(x, from->n), other = draw_below(x, from->n);

	memcpy(log.recs, from->recs, from->n * sizeof *log.recs);
	switch (draw_below(x, 6)) {
	case 0:
		log.recs[at].out++;
		break;
	case 1:
		log.recs[at].in = log.recs[at].in == NO_IN ? 5 : log.recs[at].in + 1;
		log.recs[other].out += other > at;
		break;
	case 2:
		memmove(&log.recs[at], &log.recs[at + 1], (log.n - at - 1) * sizeof *log.recs);
		log.n--;
		break;
	case 3:
		log.n = at + 1;
		break;
	case 4:
		log.recs[at].in = NO_IN;
		log.recs[other].name = names[0];
		break;
	default:
		log_add(&log, (struct rec){log.recs[at].step, "again", COUNT, 1, 1});
		break;
	}
	return log;
}

/* Returns the records of the last execution of a step, or none. */
static struct log last_of(const struct log *log, int64_t step)
{
	struct log found = {.n = 0};

	for (size_t i = 0; i < log->n; i++) {
		if (log->recs[i].step != step)
			continue;
		if (i == 0 || log->recs[i - 1].step != step)
			found = (struct log){.recs = &log->recs[i]};
		found.n++;
	}
	return found;
}

struct columns {
	uint32_t *names;
	uint64_t *occurrences, *in, *out;
	bool *has_in;
};

static uint32_t number_of(const char *name)
{
	uint32_t i = 0;

	while (i < N(names) && strcmp(names[i], name) != 0)
		i++;
	return i; /* "again" is not one of them, and is the only other name */
}

static struct ts_op_records columns_of(const struct log *log, struct ts_arena *arena)
{
	size_t n = log->n;
	struct columns c = {ts_arena_array(arena, n, 4), ts_arena_array(arena, n, 8), ts_arena_array(arena, n, 8),
			    ts_arena_array(arena, n, 8), ts_arena_array(arena, n, 1)};

	for (size_t i = 0; i < n; i++) {
		c.names[i] = number_of(log->recs[i].name);
		c.occurrences[i] = log->recs[i].occurrence == COUNT ? TS_OP_COUNTED : (uint64_t)log->recs[i].occurrence;
		c.has_in[i] = log->recs[i].in != NO_IN;
		c.in[i] = (uint64_t)log->recs[i].in;
		c.out[i] = (uint64_t)log->recs[i].out;
	}
	return (struct ts_op_records){c.names, c.occurrences, c.has_in, c.in, c.out, n};
}

static void walk_plain(const struct log *a, const struct log *b, struct ts_op_walk *ret)
{
	struct ts_arena arena, scratch;
	int64_t least = INT64_MAX, most = INT64_MIN;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	ts_arena_init(&scratch, 0);
	ts_op_walk_init(ret, 0, &scratch);
	for (size_t i = 0; i < a->n; i++) {
		least = a->recs[i].step < least ? a->recs[i].step : least;
		most = a->recs[i].step > most ? a->recs[i].step : most;
	}
	for (int64_t step = least; step <= most; step++) {
		struct log of_a = last_of(a, step), of_b = last_of(b, step);

		if (of_a.n && of_b.n) {
			struct ts_op_records ra = columns_of(&of_a, &arena), rb = columns_of(&of_b, &arena);

			must(ts_op_walk_step(ret, step, &ra, &rb, &err), &err);
		}
	}
	ts_arena_finish(&scratch);
	ts_arena_finish(&arena);
}

static void expect_same(const struct ts_op_diff *got, const struct ts_op_walk *want, const struct log *a)
{
	assert_int_equal(got->compared, want->compared);
	assert_int_equal(got->only_a, want->only_a);
	assert_int_equal(got->only_b, want->only_b);
	assert_int_equal(got->reordered, want->reordered);
	assert_int_equal(got->n, want->parts);
	if (want->parts) {
		const struct ts_op_row *row = got->rows;
		struct log step = last_of(a, want->row.step);

		assert_true(row->rank == 0 && row->role == want->row.role && row->step == want->row.step &&
			    row->ordinal == want->row.ordinal && row->occurrence == want->row.occurrence &&
			    row->has_inputs == want->row.has_inputs && row->in_a == want->row.in_a &&
			    row->in_b == want->row.in_b && row->out_a == want->row.out_a && row->out_b == want->row.out_b);
		assert_true(ts_span_is(row->name, step.recs[row->ordinal].name));
	}
}

static void random_runs_of_many_blocks(void **state)
{
	uint64_t x = 0x2545f4914f6cdd1d, parted = 0;

	(void)state;
	for (size_t round = 0; round < 16; round++) {
		struct log a = random_log(&x, 20000 + draw_below(&x, 30000)), b = rerun_of(&x, &a);
		struct cells cells_a = {.n = 0}, cells_b = {.n = 0};
		struct ts_op_walk want;
		struct ts_diff diff;
		struct world w;

		world_open(&w);
		add_all(&cells_a, 0, a.recs, a.n);
		add_all(&cells_b, 0, b.recs, b.n);
		walk_plain(&a, &b, &want);
		diff_of(&w, &cells_a, &cells_b, &diff);
		expect_same(&diff.ops, &want, &a);
		walk_plain(&b, &a, &want);
		diff_of(&w, &cells_b, &cells_a, &diff);
		expect_same(&diff.ops, &want, &b);
		parted += want.parts;
		cells_free(&cells_a);
		cells_free(&cells_b);
		test_free(a.recs);
		test_free(b.recs);
		world_close(&w);
	}
	assert_true(parted > 4 && parted < 16);
}

/* The texts of one block may be at the offsets that the texts of another had. */
static void names_of_each_block(void **state)
{
	static const char *const letters[] = {"aa", "bb", "cc", "dd", "ee", "ff"};
	const int64_t n = 3 * 16384;
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < n; i++) {
		struct rec rec = {i, letters[i / 16384 * 2 + i % 2], COUNT, 1, 2};

		add(&a, 0, i, &rec);
		rec.step -= i == 0; /* so that no block is skipped */
		rec.in += i == n - 1;
		add(&b, 0, i, &rec);
	}
	diff_of(&w, &a, &b, &diff);
	assert_int_equal(diff.ops.compared, n - 1);
	assert_int_equal(diff.ops.n, 1);
	assert_int_equal(diff.ops.rows[0].step, n - 1);
	assert_true(ts_span_is(diff.ops.rows[0].name, "ff"));
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* --- opened objects --- */

static uint64_t objects;

static bool count_objects(const struct ts_call *call)
{
	(void)call;
	objects++;
	return false;
}

static uint64_t objects_of(struct world *w, const struct cells *a, const struct cells *b, struct ts_op_diff *ret_ops)
{
	struct ts_id id_a = make_run(w, a, NULL, 0), id_b = make_run(w, b, NULL, 0);
	struct ts_run run_a, run_b;
	struct ts_error err;
	bool apart;

	must(ts_run_open(&w->fetch, &id_a, &w->arena, &run_a, &err), &err);
	must(ts_run_open(&w->fetch, &id_b, &w->arena, &run_b, &err), &err);
	objects = 0;
	must(ts_diff_ops(&w->fetch, &run_a, &run_b, &w->arena, ret_ops, &apart, &err), &err);
	assert_false(apart);
	return objects;
}

/* There are 5 blocks of 100 steps each: step, name, out, in and the keys are one object each. */
static void what_is_the_same_is_not_opened(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_op_diff ops;
	struct world w;
	uint64_t same, last;

	(void)state;
	world_open(&w);
	w.call.cancelled = count_objects;
	for (int64_t i = 0; i < 5 * 16384; i++) {
		struct rec rec = {i / 160, "op", COUNT, 1, 2};

		add(&a, 0, i, &rec);
		rec.out += i == 5 * 16384 - 7;
		add(&b, 0, i, &rec);
	}
	same = objects_of(&w, &a, &a, &ops);
	assert_int_equal(same, 0);
	assert_int_equal(ops.compared, 5 * 16384);
	last = objects_of(&w, &a, &b, &ops);
	assert_int_equal(ops.n, 1);
	assert_int_equal(ops.rows[0].step, (5 * 16384 - 7) / 160);
	assert_int_equal(ops.rows[0].ordinal, (5 * 16384 - 7) % 160);
	assert_int_equal(ops.compared, 5 * 16384);
	/* For each side, the steps are read twice. For the two blocks that contain the step across the boundary, the
	 * other objects are read too: keys, out and name, and keys and in by a reader of its own. */
	assert_true(last <= 2 * (2 * 5 + 2 * 5));
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_rank_computes_something_else),
		cmocka_unit_test(one_run_alone_has_them),
		cmocka_unit_test(nothing_but_digests),
		cmocka_unit_test(a_step_recorded_again_counts_as_the_last_time),
		cmocka_unit_test(tables_of_nonsense),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(random_runs_of_many_blocks),
		cmocka_unit_test(names_of_each_block),
		cmocka_unit_test(what_is_the_same_is_not_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
