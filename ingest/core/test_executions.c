/* executions.h: restarts, and what looks like one. What is expected was worked out by hand from the rule in the header. */
#include "ingest/core/executions.h"

#include "base/limits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 32, PART = INT64_MIN, SAID = INT64_MIN + 1 };

/* A log of one series, 'a', and of one that is written late, 'b'. */
struct row {
	int64_t step; /* PART: a further part begins; SAID: the log says that it began again at `time` */
	double time, epoch;
	char series;
};

/* What became of the rows: their steps, executions, and whether they are superseded. */
struct placed {
	size_t n, executions;
	int64_t step[ROWS];
	uint32_t mark[ROWS], execution[ROWS];
	bool superseded[ROWS];
};

struct last {
	bool seen;
	uint32_t mark;
	int64_t step;
};

static void place(const struct row *rows, size_t n, struct placed *p)
{
	struct ts_executions x = {.any = false};
	struct last last[2] = {{false, 0, 0}};
	struct ts_error err;

	*p = (struct placed){.n = 0};
	for (size_t i = 0; i < n; i++) {
		struct ts_executions_row row = {.step = rows[i].step, .time = rows[i].time, .epoch = rows[i].epoch};
		struct last *l = &last[rows[i].series == 'b'];

		if (rows[i].step == PART) {
			ts_executions_part(&x);
			continue;
		}
		if (rows[i].step == SAID) {
			assert_int_equal(ts_executions_said(&x, (int64_t)rows[i].time, 0, &err), TS_OK);
			continue;
		}
		row.again = l->seen && l->mark == x.serial &&
			    ts_executions_again(&x, l->step, ts_executions_step(&x, row.step));
		assert_int_equal(ts_executions_row(&x, &row, &err), TS_OK);
		p->step[p->n] = row.step;
		p->mark[p->n++] = x.serial;
		*l = (struct last){true, x.serial, row.step};
	}
	ts_executions_end(&x);
	p->executions = x.n + 1;
	for (size_t i = 0; i < p->n; i++) {
		p->execution[i] = ts_executions_of(&x, p->mark[i], p->step[i]);
		p->superseded[i] = ts_executions_superseded(&x, p->execution[i], p->step[i]);
	}
	ts_executions_finish(&x);
}

#define A(step)	    {step, NAN, NAN, 'a'}
#define LATE(step)  {step, NAN, NAN, 'b'}
#define AT(step, t) {step, t, NAN, 'a'}
#define IN(step, e) {step, NAN, e, 'a'}
#define N(rows)	    (sizeof(rows) / sizeof(rows)[0])

/* Of each row its execution, and a cross behind those that are superseded: "0 0 0x 1". */
static void expect(const struct row *rows, size_t n, const char *want)
{
	struct placed p;
	const char *at = want;

	place(rows, n, &p);
	for (size_t i = 0; i < p.n; i++) {
		char *end;

		assert_int_equal(p.execution[i], strtol(at, &end, 10));
		assert_int_equal(p.superseded[i], *end == 'x');
		at = end + (*end == 'x');
	}
	assert_int_equal(*at, '\0');
}

static void a_series_that_goes_back_is_a_restart(void **state)
{
	static const struct row whole[] = {A(1), A(2), A(3), A(2), A(3), A(4)};
	static const struct row begun[] = {A(1), A(2), A(3), A(4), A(2)};
	static const struct row twice[] = {A(1), A(2), A(3), A(4), A(2), A(3), A(2), A(3), A(4), A(5)};
	static const struct row from_0[] = {A(0), A(1), A(2), A(0), A(1), A(2)};

	(void)state;
	expect(whole, N(whole), "0 0x 0x 1 1 1");
	expect(begun, N(begun), "0 0x 0x 0x 1");
	expect(twice, N(twice), "0 0x 0x 0x 1x 1x 2 2 2 2");
	expect(from_0, N(from_0), "0x 0x 0x 1 1 1");
}

static void a_late_series_is_none(void **state)
{
	static const struct row late[] = {A(1), A(2), A(3), LATE(1), A(4), LATE(2), A(5)};
	static const struct row behind[] = {A(1), A(2), A(3), LATE(1), LATE(2), LATE(3)};
	/* The evaluation of step 1 comes after the restart at 3. */
	static const struct row restart[] = {A(1), A(2), A(3), A(4), A(3), A(4), LATE(1), A(5)};

	(void)state;
	expect(late, N(late), "0 0 0 0 0 0 0");
	expect(behind, N(behind), "0 0 0 0 0 0");
	expect(restart, N(restart), "0 0 0x 0x 1 1 0 1");
}

/* Rows out of order, two writers in turn, a log whose newest row stands first. */
static void disorder_is_none(void **state)
{
	static const struct row one[] = {A(1), A(2), A(4), A(3), A(5), A(6)};
	static const struct row far[] = {A(10), A(20), A(30), A(40), A(10), A(50), A(60)};
	static const struct row turns[] = {A(1), A(2), A(1), A(3), A(2), A(4), A(3), A(5)};
	static const struct row ends[] = {A(1), A(2), A(1), A(3), A(2), A(4), A(3)};
	static const struct row falling[] = {A(9), A(8), A(7), A(6), A(5)};

	(void)state;
	expect(one, N(one), "0 0 0 0 0 0");
	expect(far, N(far), "0 0 0 0 0 0 0");
	expect(turns, N(turns), "0 0 0 0 0 0 0 0");
	expect(ends, N(ends), "0 0 0 0 0 0 0");
	expect(falling, N(falling), "0 0 0 0 0");
}

/* The second file is of a restart if it was written behind the first, and of a second writer if beside it. */
static void the_time_decides(void **state)
{
	static const struct row behind[] = {AT(1, 10), AT(2, 20), AT(3, 30), {PART, 0, 0, 0}, AT(2, 40), AT(3, 50)};
	static const struct row beside[] = {AT(1, 10), AT(2, 20), AT(3, 30), {PART, 0, 0, 0}, AT(1, 11), AT(2, 21), AT(3, 31)};

	(void)state;
	expect(behind, N(behind), "0 0x 0x 1 1");
	expect(beside, N(beside), "0 0 0 0 0 0");
}

/* The last step comes again: it was executed again where a part begins, and else it was logged twice. */
static void the_same_step_again(void **state)
{
	static const struct row part[] = {A(1), A(2), {PART, 0, 0, 0}, A(2), A(3)};
	static const struct row plain[] = {A(1), A(2), A(2), A(3)};
	/* Something that only the first step has does not begin the run anew. */
	static const struct row head[] = {LATE(0), A(1), A(2), {PART, 0, 0, 0}, LATE(0), A(2), A(3)};

	(void)state;
	expect(part, N(part), "0 0x 1 1");
	expect(plain, N(plain), "0 0 0 0");
	expect(head, N(head), "0 0 0x 0 1 1");
}

static void a_restart_that_is_said(void **state)
{
	static const struct row said[] = {A(1), A(2), A(3), {SAID, 2, 0, 0}, LATE(4)};
	static const struct row ahead[] = {A(1), A(2), {SAID, 3, 0, 0}, A(3)};

	(void)state;
	expect(said, N(said), "0 0x 0x 1");
	expect(ahead, N(ahead), "0 0 1");
}

/* Steps that are counted in each epoch go on behind those of the epoch before, and restarts are found among them. */
static void steps_of_each_epoch(void **state)
{
	static const struct row epochs[] = {IN(0, 0), IN(1, 0), IN(2, 0), IN(0, 1), IN(1, 1), IN(2, 1), IN(0, 2)};
	static const struct row again[] = {IN(0, 0), IN(1, 0), IN(2, 0), IN(0, 0), IN(1, 0)};
	struct placed p;

	(void)state;
	expect(epochs, N(epochs), "0 0 0 0 0 0 0");
	place(epochs, N(epochs), &p);
	for (size_t i = 0; i < p.n; i++)
		assert_int_equal(p.step[i], i);
	expect(again, N(again), "0x 0x 0x 1 1");
}

static void the_ends_of_the_numbers(void **state)
{
	static const struct row ends[] = {A(INT64_MIN + 2), A(INT64_MAX), A(INT64_MIN + 2), A(INT64_MAX)};
	static const struct row epoch[] = {IN(0, 0), IN(INT64_MAX, 0), IN(0, 1), IN(1, 1)};
	static const struct row shift[] = {IN(-5, 0), IN(INT64_MAX - 3, 0), IN(-5, 1), IN(INT64_MAX - 3, 1)};

	(void)state;
	expect(ends, N(ends), "0x 0x 1 1");
	expect(epoch, N(epoch), "0x 0x 1 1");
	expect(shift, N(shift), "0x 0x 1 1"); /* what does not fit behind the epoch before is not shifted */
}

/* A log of two writers in turn may be long, and one of restarts has a limit. */
static void how_many(void **state)
{
	struct ts_executions x = {.any = false};
	struct ts_error err;
	enum ts_status status = TS_OK;
	int64_t i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		struct ts_executions_row row = {.step = i / 2 + 2 * (i % 2), .time = NAN, .epoch = NAN, .again = i % 2 == 0 && i > 0};

		assert_int_equal(ts_executions_row(&x, &row, &err), TS_OK);
	}
	ts_executions_end(&x);
	assert_int_equal(x.n, 0);
	ts_executions_finish(&x);
	for (i = 0; i < 100000 && !status; i++) {
		struct ts_executions_row row = {.step = i % 3, .time = NAN, .epoch = NAN, .again = i % 3 == 0 && i > 0};

		status = ts_executions_row(&x, &row, &err);
	}
	assert_int_equal(status, TS_TOO_LARGE);
	assert_int_equal(i, 3 * TS_SEGMENTS_MAX + 1);
	ts_executions_finish(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_series_that_goes_back_is_a_restart),
		cmocka_unit_test(a_late_series_is_none),
		cmocka_unit_test(disorder_is_none),
		cmocka_unit_test(the_time_decides),
		cmocka_unit_test(the_same_step_again),
		cmocka_unit_test(a_restart_that_is_said),
		cmocka_unit_test(steps_of_each_epoch),
		cmocka_unit_test(the_ends_of_the_numbers),
		cmocka_unit_test(how_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
