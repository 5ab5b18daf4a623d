/* Sketches of stored runs: which tensor is named, over ranks, shards, restarts and several blocks; and tables of nonsense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/buf.h"
#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_runs.h"
#include "service/handlers/diff/diff_sketches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 1000 };

/* A run while it is made; texts live in the world's arena. */
struct making {
	struct world *w;
	struct cells cells;
	int32_t rank;
	int64_t key;
	const char *dtype, *shard;
	double nonfinite;
};

static const char *text_of(struct world *w, const struct tscope_sketch *s)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 16);
	uint8_t bytes[sizeof s->sums];
	const char *text;

	for (size_t i = 0; i < TSCOPE_SKETCH_SUMS; i++) {
		uint64_t bits;

		memcpy(&bits, &s->sums[i], sizeof bits);
		for (size_t k = 0; k < 8; k++)
			bytes[8 * i + k] = (uint8_t)(bits >> 8 * k);
	}
	ts_base64_print(&buf, ts_span_of(bytes, sizeof bytes));
	text = ts_arena_printf(&w->arena, "%.*s", (int)buf.len, (const char *)buf.data);
	ts_buf_finish(&buf);
	assert_non_null(text);
	return text;
}

static struct cell *last(struct making *m)
{
	struct cell *c = &m->cells.items[m->cells.n - 1];

	c->table = TS_TABLE_SKETCHES;
	return c;
}

static void put(struct making *m, int64_t step, const char *name, const char *kind, const struct tscope_sketch *s)
{
	int64_t key = m->key++;

	(void)cells_add(&m->cells, m->rank, "step", key, (double)step);
	(void)last(m);
	cells_add_text(&m->cells, m->rank, "name", key, name);
	(void)last(m);
	cells_add_text(&m->cells, m->rank, "kind", key, kind);
	(void)last(m);
	(void)cells_add(&m->cells, m->rank, "count", key, (double)s->count);
	(void)last(m);
	(void)cells_add(&m->cells, m->rank, "squares", key, s->squares);
	(void)last(m);
	cells_add_text(&m->cells, m->rank, "sums", key, text_of(m->w, s));
	(void)last(m);
	if (m->dtype) {
		cells_add_text(&m->cells, m->rank, "dtype", key, m->dtype);
		(void)last(m);
	}
	if (m->shard) {
		cells_add_text(&m->cells, m->rank, "shard", key, m->shard);
		last(m)->type = TS_COLUMN_JSON;
	}
	if (m->nonfinite > 0) {
		(void)cells_add(&m->cells, m->rank, "nonfinite", key, m->nonfinite);
		(void)last(m);
	}
}

static void put_same(struct making *m, int64_t step, const char *name, const char *same)
{
	int64_t key = m->key++;

	(void)cells_add(&m->cells, m->rank, "step", key, (double)step);
	(void)last(m);
	cells_add_text(&m->cells, m->rank, "name", key, name);
	(void)last(m);
	cells_add_text(&m->cells, m->rank, "kind", key, "output");
	(void)last(m);
	cells_add_text(&m->cells, m->rank, "same", key, same);
	(void)last(m);
	cells_add_text(&m->cells, m->rank, "idle", key, "true");
	last(m)->type = TS_COLUMN_JSON;
}

static void put_one(struct making *m, int64_t step, const char *name, const char *kind, double value)
{
	struct tscope_sketch s = TSCOPE_SKETCH_NONE;

	tscope_sketch_f64(&s, &value, 1, 0);
	put(m, step, name, kind, &s);
}

static struct ts_sketch_diff compare(struct making *a, struct making *b, struct making *r)
{
	struct world *w = a->w;
	struct ts_id of_r = {{0}}, of_a = make_run(w, &a->cells, NULL, 0), of_b = make_run(w, &b->cells, NULL, 0);
	struct ts_diff_how how = {.tensors = true, .has_rounding = r != NULL};
	struct ts_diff diff;
	struct ts_error err;

	if (r)
		of_r = make_run(w, &r->cells, NULL, 0);
	how.rounding = of_r;
	must(ts_diff_runs(&w->fetch, &of_a, &of_b, &how, &w->arena, &diff, &err), &err);
	cells_free(&a->cells);
	cells_free(&b->cells);
	if (r)
		cells_free(&r->cells);
	return diff.sketches;
}

static void expect_sentence(const struct ts_sketch_diff *d, const char *sentence)
{
	if (!ts_span_is(d->sentence, sentence))
		fail_msg("'%.*s', not '%s'", TS_SPAN_ARG(d->sentence), sentence);
}

/* Three modules over three steps; the second differs from step 2 on, and from there on all that follow. */
static void the_first_module_of_the_first_step(void **state)
{
	static const char *const names[] = {"embed", "attn", "mlp"};
	struct world w;
	struct making runs[3];
	struct ts_sketch_diff d;

	(void)state;
	world_open(&w);
	for (int with = 0; with < 2; with++) {
		for (int i = 0; i < 3; i++) {
			runs[i] = (struct making){.w = &w, .dtype = "fp32"};
			for (int64_t step = 1; step <= 3; step++)
				for (int k = 0; k < 3; k++)
					put_one(&runs[i], step, names[k], "output",
						i == 1 && step >= 2 && k >= 1 ? 1.5 : i == 2 ? 1 + 0x1p-23 : 1);
		}
		d = compare(&runs[0], &runs[1], with ? &runs[2] : NULL);
		cells_free(&runs[2].cells);
		assert_true(d.recorded && d.has_rounding == (with == 1));
		if (with) {
			assert_true(d.has_first && ts_span_is(d.rows[d.first].name, "attn"));
			assert_true(d.rows[d.first].step == 2 && d.before == 1 && d.steps == 2 && d.above == 2 && d.equal == 4);
			expect_sentence(&d, "the first tensor that differs by more than rounding is the output of attn, at step 2: its "
					    "distance is 0.5, which is 4.194e+06 times rounding");
		} else {
			/* Up to step 1 all is equal, so that rounding can be estimated. */
			assert_true(d.has_first && d.estimated && d.steps == 2 && ts_span_is(d.rows[d.first].name, "attn"));
			assert_true(ts_span_contains(d.sentence, "how far rounding goes is estimated"));
		}
	}
	world_close(&w);
}

/* Shards on two and on four ranks against one, with a rank more that has the step twice. */
static void layouts_are_compared(void **state)
{
	struct world w;
	double x[LARGE], y[LARGE];

	(void)state;
	for (size_t i = 0; i < LARGE; i++)
		x[i] = (double)(i * i % 1009) - 500; /* whole numbers add exactly */
	for (size_t i = 0; i < LARGE; i++)
		y[i] = x[i] + (i == 777 ? 4000 : 0);
	world_open(&w);
	for (int32_t ranks = 1; ranks <= 4; ranks *= 2) {
		for (int planted = 0; planted < 2; planted++) {
			struct making runs[3];
			struct ts_sketch_diff d;

			for (int i = 0; i < 3; i++) {
				int32_t n = i == 1 ? ranks : 1;
				const double *of = i == 1 && planted ? y : x;

				runs[i] = (struct making){.w = &w, .dtype = "torch.float32"};
				(void)cells_add(&runs[i].cells, 0, "timestamp", 5, i); /* else two may be one and the same run */
				for (runs[i].rank = 0; runs[i].rank < n; runs[i].rank++) {
					struct tscope_sketch s = TSCOPE_SKETCH_NONE;
					size_t part = LARGE / (size_t)n, from = part * (size_t)runs[i].rank;

					runs[i].key = 0;
					runs[i].shard = n > 1 ? "true" : NULL;
					tscope_sketch_f64(&s, of + from, part, from);
					put(&runs[i], 5, "mlp", "output", &s);
					runs[i].shard = NULL;
					put_one(&runs[i], 5, "norm", "output", i == 2 ? 1 + 0x1p-23 : 1);
				}
			}
			d = compare(&runs[0], &runs[1], &runs[2]);
			assert_int_equal(d.compared, 2);
			assert_int_equal(d.shards, ranks > 1);
			assert_int_equal(d.has_first, planted);
			assert_int_equal(d.equal, planted ? 1 : 2);
		}
	}
	world_close(&w);
}

/* A module that gives its input in the second run has no sketch there: that of the module before it counts. */
static void what_another_module_gave_counts(void **state)
{
	struct world w;
	struct making runs[2];
	struct ts_sketch_diff d;

	(void)state;
	world_open(&w);
	for (int i = 0; i < 2; i++) {
		runs[i] = (struct making){.w = &w, .dtype = "fp32"};
		put_one(&runs[i], 1, "down", "output", 1);
		if (i == 0)
			put_one(&runs[i], 1, "drop", "output", 1.25);
		else
			put_same(&runs[i], 1, "drop", "down");
	}
	d = compare(&runs[0], &runs[1], NULL);
	assert_true(d.has_first && ts_span_is(d.rows[d.first].name, "drop") && d.only_a == 0);
	assert_true(ts_span_is(d.apart, "drop gives its input in the second run, and something else in the first, at step 1"));
	world_close(&w);
}

static void the_last_execution_of_a_step_counts(void **state)
{
	struct world w;
	struct making runs[3];
	struct ts_sketch_diff d;

	(void)state;
	world_open(&w);
	for (int i = 0; i < 3; i++) {
		runs[i] = (struct making){.w = &w, .dtype = "fp32"};
		put_one(&runs[i], 1, "m", "output", i == 2 ? 1 + 0x1p-23 : 1);
		put_one(&runs[i], 2, "m", "output", i == 1 ? 7 : 1);
		put_one(&runs[i], 3, "m", "output", 1);
		if (i == 1)
			put_one(&runs[i], 2, "m", "output", 1);
	}
	d = compare(&runs[0], &runs[1], &runs[2]);
	assert_true(!d.has_first && d.steps == 3 && d.equal == 3);
	world_close(&w);
}

/* 400 records of 2.7 KiB are more than a block of text holds, and the optional columns are in tables of their own. */
static void records_of_several_blocks(void **state)
{
	enum { STEPS = 200 };
	struct world w;
	struct making runs[3];
	struct ts_sketch_diff d;
	double x[LARGE];

	(void)state;
	world_open(&w);
	for (int i = 0; i < 3; i++) {
		runs[i] = (struct making){.w = &w};
		for (int64_t step = 0; step < STEPS; step++) {
			struct tscope_sketch s = TSCOPE_SKETCH_NONE;

			for (size_t k = 0; k < LARGE; k++)
				x[k] = (double)(step + (int64_t)k);
			x[3] += i == 1 && step == STEPS - 2 ? 1e6 : i == 2 ? 0x1p-10 : 0;
			tscope_sketch_f64(&s, x, LARGE, 0);
			runs[i].dtype = step % 3 ? "fp32" : NULL;
			put(&runs[i], step, "a", "output", &s);
			runs[i].dtype = "fp32";
			runs[i].nonfinite = step % 5 == 0 ? 2 : 0;
			put(&runs[i], step, "b", "grad", &s);
			runs[i].nonfinite = 0;
		}
	}
	d = compare(&runs[0], &runs[1], &runs[2]);
	assert_true(d.has_first && d.rows[d.first].step == STEPS - 2);
	assert_true(d.steps == STEPS - 1 && d.compared == 2 * (STEPS - 1));
	assert_int_equal(d.not_finite, (STEPS - 1 + 4) / 5);
	/* 198 has no type, so the output cannot be judged there and the gradient is the first. */
	assert_true(ts_span_is(d.rows[d.first].kind, "grad"));
	assert_int_equal(d.unjudged, 1);
	world_close(&w);
}

static void what_is_damaged_is_said(void **state)
{
	static const struct {
		const char *column, *says;
		double number;
	} cases[] = {{"step", "has no step", 0.5}, {"count", "has no valid sketch", -1}, {"squares", "has no valid sketch", -1},
		     {"sums", "has no valid sketch", 0}};
	struct world w;

	(void)state;
	world_open(&w);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct making a = {.w = &w}, b = {.w = &w};
		struct ts_diff_how how = {.tensors = true};
		struct ts_id of_a, of_b;
		struct ts_diff diff;
		struct ts_error err;

		put_one(&a, 1, "m", "output", 1);
		put_one(&b, 1, "m", "output", 2);
		for (size_t k = 0; k < b.cells.n; k++) {
			if (strcmp(b.cells.items[k].name, cases[i].column) != 0)
				continue;
			if (b.cells.items[k].type == TS_COLUMN_TEXT)
				b.cells.items[k].text = "AAAA";
			else
				memcpy(&b.cells.items[k].word, &cases[i].number, sizeof cases[i].number);
		}
		of_a = make_run(&w, &a.cells, NULL, 0);
		of_b = make_run(&w, &b.cells, NULL, 0);
		assert_int_equal(ts_diff_runs(&w.fetch, &of_a, &of_b, &how, &w.arena, &diff, &err), TS_DAMAGED);
		if (!strstr(err.text, cases[i].says))
			fail_msg("%s", err.text);
		cells_free(&a.cells);
		cells_free(&b.cells);
	}
	world_close(&w);
}

static void runs_without_sketches_have_no_tensors(void **state)
{
	struct world w;
	struct making a, b, c;
	struct ts_sketch_diff d;

	(void)state;
	world_open(&w);
	a = b = c = (struct making){.w = &w};
	(void)cells_add(&a.cells, 0, "scalars.loss", 1, 0.5);
	put_one(&b, 1, "m", "output", 1);
	d = compare(&a, &b, NULL);
	assert_true(!d.recorded && d.n == 0 && d.sentence.len == 0);
	world_close(&w);
	/* Where rounding is asked for, it is said why it shows nothing. */
	for (int i = 0; i < 3; i++) {
		static const char *const says[] = {"the first run has no sketches", "the second run has no sketches",
						   "no sketches of one tensor in one step"};

		world_open(&w);
		a = b = c = (struct making){.w = &w};
		(void)cells_add(&a.cells, 0, "scalars.loss", 1, 0.5);
		put_one(&b, 1, "m", "output", 1);
		put_one(&c, 2, "m", "output", 1);
		d = i == 0 ? compare(&a, &b, &c) : i == 1 ? compare(&b, &a, &c) : compare(&b, &c, &a);
		assert_true(!d.recorded && memmem(d.sentence.data, d.sentence.len, says[i], strlen(says[i])));
		if (i < 2)
			world_close(&w);
	}
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_module_of_the_first_step),
		cmocka_unit_test(layouts_are_compared),
		cmocka_unit_test(what_another_module_gave_counts),
		cmocka_unit_test(the_last_execution_of_a_step_counts),
		cmocka_unit_test(records_of_several_blocks),
		cmocka_unit_test(what_is_damaged_is_said),
		cmocka_unit_test(runs_without_sketches_have_no_tensors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
