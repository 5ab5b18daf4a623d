/* test_growth.c - the steps that a recording got: the same rows whether it is read once or after each frame, and what is damaged. */
#include "ingest/recording/growth.h"
#include "ingest/recording/test_recording_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 4096 };

struct seen {
	struct ts_growth growth;
	int fd;
	size_t n, late;
	int64_t steps[ROWS];
	double times[ROWS], sums[ROWS];
};

static void take(void *ctx, const struct ts_growth_row *row)
{
	struct seen *s = ctx;
	double sum = 0;

	for (size_t i = 0; i < row->n; i++)
		sum += row->cells[i].value * (double)row->cells[i].column->path.len;
	if (row->late) {
		s->late++;
		return;
	}
	assert_true(s->n < ROWS);
	s->steps[s->n] = row->step;
	s->times[s->n] = row->time;
	s->sums[s->n++] = sum;
}

static void look(struct seen *s, const struct test_file *f)
{
	struct ts_error err;
	uint64_t rows;

	assert_int_equal(pwrite(s->fd, f->data, f->size, 0), (ssize_t)f->size);
	assert_int_equal(ts_growth_read(&s->growth, s->fd, f->size, take, s, &rows, &err), TS_OK);
}

static void look_after(struct test_file *f, void *ctx)
{
	look(ctx, f);
}

static void begin(struct seen *s, FILE *file)
{
	*s = (struct seen){.fd = fileno(file)};
	ts_growth_init(&s->growth);
}

static void step(struct test_file *f, int64_t i)
{
	test_step(f, 0, i, TEST_MONO + i * 10 * TEST_MS, 9 * TEST_MS,
		  TEST_CELLS({1, (uint64_t)(4 * TEST_MS + i)}, {2, test_bits(3.0 / (double)(i + 1))}));
}

/* Two chunks of steps; a column of theirs is declared by another lane, whose chunk comes later, and values come late in a third. */
static void write_all(struct test_file *f)
{
	test_column(f, 0, 1, TEST_PHASE, "forward");
	test_column(f, 1, 2, TEST_NUMBER, "loss");
	for (int64_t i = 0; i < 1500; i++) {
		step(f, i);
		if (i % 100 == 0)
			test_late(f, 2, i, TEST_CELLS({2, test_bits(1)}));
	}
	test_end(f, 0, TEST_MONO + 1500 * 10 * TEST_MS, 0, 1);
}

static void rows_are_the_same_however_often_it_is_read(void **state)
{
	static struct seen once, often;
	FILE *a = tmpfile(), *b = tmpfile();
	struct test_file f;

	(void)state;
	begin(&often, a);
	begin(&once, b);
	test_file_init(&f, 3, 4);
	f.after = look_after;
	f.ctx = &often;
	write_all(&f);
	look(&once, &f);
	assert_int_equal(once.n, 1500);
	assert_int_equal(once.late, 15);
	assert_int_equal(often.n, once.n);
	assert_int_equal(often.late, once.late);
	assert_memory_equal(once.steps, often.steps, sizeof once.steps);
	assert_memory_equal(once.times, often.times, sizeof once.times);
	assert_memory_equal(once.sums, often.sums, sizeof once.sums);
	for (int64_t i = 0; i < 1500; i++) {
		double sum = (double)(4 * TEST_MS + i) / 1e9 * (double)strlen("phases.forward") +
			     3.0 / (double)(i + 1) * (double)strlen("scalars.loss");

		assert_int_equal(once.steps[i], i);
		assert_true(once.times[i] == (double)(TEST_UNIX + i * 10 * TEST_MS + 9 * TEST_MS) / 1e9);
		assert_true(once.sums[i] > sum - 1e-9 && once.sums[i] < sum + 1e-9);
	}
	assert_true(once.growth.ended && often.growth.ended);
	assert_int_equal(once.growth.rank, 3);
	assert_int_equal(once.growth.damaged + often.growth.damaged, 0);
	test_file_finish(&f);
	ts_growth_finish(&once.growth);
	ts_growth_finish(&often.growth);
	(void)fclose(a);
	(void)fclose(b);
}

static void what_is_damaged_costs_the_rest_of_its_chunk(void **state)
{
	static struct seen s;
	FILE *a = tmpfile();
	struct test_file f;

	(void)state;
	begin(&s, a);
	test_file_init(&f, 0, 1);
	test_column(&f, 0, 1, TEST_PHASE, "forward");
	test_column(&f, 0, 2, TEST_NUMBER, "loss");
	for (int64_t i = 0; i < 1200; i++)
		step(&f, i);
	f.data[10000] ^= 1; /* in the first chunk */
	for (int i = 0; i < 100; i++)
		look(&s, &f);
	assert_int_equal(s.growth.damaged, 1);
	assert_in_range(s.n, 300, 400); /* of 64 bytes each: some 150 before the damage, and some 180 in the second chunk */
	assert_int_equal(s.steps[s.n - 1], 1199);
	test_file_finish(&f);
	ts_growth_finish(&s.growth);
	(void)fclose(a);
}

static void what_is_none_is_said(void **state)
{
	static const char other[200] = "no recording at all";
	static struct seen s;
	FILE *a = tmpfile();
	struct ts_error err;
	uint64_t rows = 7;

	(void)state;
	begin(&s, a);
	assert_int_equal(ts_growth_read(&s.growth, s.fd, 0, take, &s, &rows, &err), TS_OK); /* it may be going to be one */
	assert_int_equal(rows, 0);
	assert_int_equal(pwrite(s.fd, other, sizeof other, 0), (ssize_t)sizeof other);
	assert_int_equal(ts_growth_read(&s.growth, s.fd, sizeof other, take, &s, &rows, &err), TS_INVALID);
	ts_growth_finish(&s.growth);
	(void)fclose(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_the_same_however_often_it_is_read),
		cmocka_unit_test(what_is_damaged_costs_the_rest_of_its_chunk),
		cmocka_unit_test(what_is_none_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
