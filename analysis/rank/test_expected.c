#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/test_expected.h"

#include "analysis/answer/test_words.h"
#include "base/file.h"
#include "base/json_reader.h"

#include <stdio.h>

#define CORPUS "../shared/corpus/pytscope/"
#define GOLDEN "tests/golden/pytscope-expected"

enum { FILE_MAX = 64 << 20, ROWS_MAX = 20000 };

static struct ts_series *column_of(struct expected_run *run, const char *name, struct ts_arena *arena)
{
	struct ts_series *s;

	for (size_t i = 0; i < run->n_columns; i++)
		if (ts_span_is(run->columns[i].name, name))
			return &run->columns[i];
	assert_true(run->n_columns < sizeof run->columns / sizeof run->columns[0]);
	s = &run->columns[run->n_columns++];
	s->name = ts_arena_span(arena, ts_span_str(name));
	s->keys = ts_arena_array(arena, ROWS_MAX, sizeof *s->keys);
	s->values = ts_arena_array(arena, ROWS_MAX, sizeof *s->values);
	assert_non_null(s->keys);
	assert_non_null(s->values);
	return s;
}

static void cell(struct expected_run *run, const char *name, int64_t step, double value, struct ts_arena *arena)
{
	struct ts_series *s = column_of(run, name, arena);
	union {
		const int64_t *c;
		int64_t *m;
	} keys = {.c = s->keys};
	union {
		const double *c;
		double *m;
	} values = {.c = s->values};

	assert_true(s->n < ROWS_MAX);
	keys.m[s->n] = step;
	values.m[s->n++] = value;
}

/* Calls number(ctx, "a.b", value) for every number, null and bare NaN among the values in text, except in arrays. */
static void each_number(struct ts_span text, void (*number)(void *ctx, const char *path, double value), void *ctx)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 20);
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error err = {.status = TS_OK};
	char path[8][64];
	char joined[512];
	int depth = 0;

	ts_json_reader_init(&r, text, &scratch);
	while (ts_json_next(&r, &token, &err) == TS_OK && token.type != TS_JSON_EOF) {
		if (token.type == TS_JSON_OBJECT) {
			assert_true(++depth < 8);
		} else if (token.type == TS_JSON_END) {
			depth--;
		} else if (token.type == TS_JSON_KEY) {
			snprintf(path[depth], sizeof path[0], "%.*s", TS_SPAN_ARG(token.text));
		} else if (token.type == TS_JSON_ARRAY) {
			assert_int_equal(ts_json_skip(&r, NULL, &err), TS_OK);
		} else if (token.type == TS_JSON_NUMBER || token.type == TS_JSON_NULL) {
			joined[0] = '\0';
			for (int i = 1; i <= depth; i++)
				snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s",
					 i > 1 ? "." : "", path[i]);
			number(ctx, joined, token.type == TS_JSON_NULL ? (double)NAN : token.number);
		}
	}
	if (err.status)
		fail_msg("%s", err.text);
	ts_buf_finish(&scratch);
}

struct loading {
	struct expected_run *run;
	struct ts_arena *arena;
	int64_t step;
};

static void step_number(void *ctx, const char *path, double value)
{
	struct loading *l = ctx;

	if (strcmp(path, "step") != 0) {
		cell(l->run, path, l->step, value, l->arena);
		return;
	}
	l->step = (int64_t)value;
	assert_true(l->run->n_steps < ROWS_MAX);
	l->run->steps[l->run->n_steps++] = l->step;
}

static void expected_value(void *ctx, const char *path, double value)
{
	struct loading *l = ctx;
	struct expected_run *run = l->run;

	assert_true(run->n_numbers < sizeof run->numbers / sizeof run->numbers[0]);
	run->numbers[run->n_numbers].path = ts_arena_span(l->arena, ts_span_str(path));
	run->numbers[run->n_numbers++].value = value;
}

/* Reads the file dir/name followed by tail. */
static bool read_one(const char *dir, const char *name, const char *tail, struct ts_buf *out)
{
	struct ts_error err;
	char path[256];

	snprintf(path, sizeof path, "%s/%s%s", dir, name, tail);
	return ts_file_read(path, out, &err) == TS_OK;
}

bool expected_load(const char *name, struct ts_arena *arena, struct expected_run *ret_run)
{
	struct ts_buf steps = TS_BUF_INIT(FILE_MAX), expected = TS_BUF_INIT(FILE_MAX);
	struct loading l = {.run = ret_run, .arena = arena};
	bool found = (read_one(CORPUS "runs", name, "/steps.jsonl", &steps) ||
		      read_one(GOLDEN, name, "/steps.jsonl", &steps)) &&
		     (read_one(CORPUS "expected", name, ".json", &expected) ||
		      read_one(GOLDEN, name, "/expected.json", &expected));

	*ret_run = (struct expected_run){.n_columns = 0};
	if (found) {
		ret_run->steps = ts_arena_array(arena, ROWS_MAX, sizeof *ret_run->steps);
		assert_non_null(ret_run->steps);
		each_number(ts_buf_view(&steps), step_number, &l);
		each_number(ts_buf_view(&expected), expected_value, &l);
	}
	ts_buf_finish(&steps);
	ts_buf_finish(&expected);
	return found;
}

const struct ts_series *expected_column(const struct expected_run *run, const char *name)
{
	for (size_t i = 0; i < run->n_columns; i++)
		if (ts_span_is(run->columns[i].name, name))
			return &run->columns[i];
	return NULL;
}

double expected_number(const struct expected_run *run, const char *path)
{
	for (size_t i = 0; i < run->n_numbers; i++)
		if (ts_span_is(run->numbers[i].path, path))
			return run->numbers[i].value;
	fail_msg("nothing is expected of %s", path);
	return 0.0;
}

void expect_measure(const struct ts_measures *m, const char *group, const char *subject, const char *name, double want)
{
	const struct ts_measure *row = test_find(m, group, subject, name);

	if (!row || !row->known)
		fail_msg("%s/%s/%s is not known: %.*s", group, subject, name,
			 TS_SPAN_ARG(row ? row->reason : ts_span_str("")));
	if (!(fabs(row->value - want) <= fabs(want) * 0x1p-50))
		fail_msg("%s/%s/%s is %.17g, expected %.17g", group, subject, name, row->value, want);
}

void expect_unknown(const struct ts_measures *m, const char *group, const char *subject, const char *name)
{
	const struct ts_measure *row = test_find(m, group, subject, name);

	assert_non_null(row);
	assert_false(row->known);
	assert_true(row->reason.len > 0);
}
