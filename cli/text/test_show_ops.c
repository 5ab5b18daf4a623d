/* The first differing operation in one line: who began, who received, and what is not known. */
#include "cli/text/show_ops.h"

#include "run/head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct ts_op_row row(int32_t rank, enum ts_op_role role, int64_t step, const char *name, bool has_inputs)
{
	return (struct ts_op_row){
		.rank = rank, .role = role, .step = step, .name = ts_span_str(name), .has_inputs = has_inputs};
}

static void says(struct ts_op_row *rows, size_t n, bool ranks, const char *want)
{
	struct ts_op_diff ops = {.rows = rows, .n = n};
	struct ts_arena arena;

	ts_arena_init(&arena, 1 << 20);
	assert_string_equal(ts_show_first_op(&ops, ranks, &arena), want);
	ts_arena_finish(&arena);
}

static void origins_and_receivers(void **state)
{
	struct ts_op_row rows[] = {
		row(2, TS_OP_ORIGIN, 41, "layers.3.attn", true), row(0, TS_OP_RECEIVER, 41, "allreduce", true),
		row(1, TS_OP_RECEIVER, 41, "allreduce", true),	 row(3, TS_OP_RECEIVER, 41, "allreduce", false),
		row(5, TS_OP_ORIGIN, 42, "layers.3.attn", true),
	};

	(void)state;
	says(rows, 1, false,
	     "at step 41 layers.3.attn (occurrence 0) differs: its inputs agree, but its output differs");
	says(rows, 4, true,
	     "at step 41 layers.3.attn (occurrence 0) on rank 2 differs: its inputs agree, but its output differs; "
	     "ranks "
	     "0, 1, 3 receive the difference");
	says(rows, 5, true,
	     "at step 41 layers.3.attn (occurrence 0) on rank 2 differs: its inputs agree, but its output differs; "
	     "rank 5 "
	     "has an origin of its own elsewhere; ranks 0, 1, 3 receive the difference");
	rows[1] = row(7, TS_OP_ORIGIN, 41, "layers.3.attn", true);
	says(rows, 2, true,
	     "at step 41 layers.3.attn (occurrence 0) on rank 2 differs: its inputs agree, but its output differs; "
	     "rank 7 "
	     "differs in the same place");
	rows[0].occurrence = 3;
	rows[0].name = ts_span_str("\033[2J");
	says(rows, 1, false, "at step 41 \\x1B[2J (occurrence 3) differs: its inputs agree, but its output differs");
}

static void without_an_origin(void **state)
{
	struct ts_op_row rows[] = {
		row(0, TS_OP_RECEIVER, -3, "w", false),
		row(1, TS_OP_RECEIVER, -3, "w", false),
	};

	(void)state;
	says(rows, 1, false, "at step -3 w (occurrence 0) differs: whether its inputs agree was not recorded");
	says(rows, 2, true,
	     "at step -3 w (occurrence 0) on rank 0 differs: whether its inputs agree was not recorded; rank 1 differs "
	     "too");
	rows[0].has_inputs = true;
	rows[0].rank = TS_RANK_JOB;
	says(rows, 1, true,
	     "at step -3 w (occurrence 0) of the job differs: its inputs already differ, so the difference began in an "
	     "operation that has no digest");
}

/* Where one run alone has an operation, the page does not say that what differs first has no digest. */
static void beside_one_that_a_run_lacks(void **state)
{
	struct ts_op_row rows[] = {row(0, TS_OP_RECEIVER, 0, "relu", true)}, apart[] = {row(0, TS_OP_ORIGIN, 0, "mul", true)};
	struct ts_op_diff ops = {.rows = rows, .n = 1, .apart = apart, .n_apart = 1};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 0);
	assert_string_equal(ts_show_first_op(&ops, false, &arena),
			    "at step 0 relu (occurrence 0) differs: its inputs already differ, for which the operation that the runs "
			    "do not share may be the reason");
	ts_arena_finish(&arena);
}

static void nothing_differs(void **state)
{
	struct ts_op_row rows[] = {row(0, TS_OP_ORIGIN, 1, "a", true)};
	struct ts_op_diff ops = {.compared = 5};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	assert_null(ts_show_first_op(&ops, true, &arena));
	ts_arena_finish(&arena);
	ops.rows = rows;
	ops.n = 1;
	ts_arena_init(&arena, 16);
	assert_null(ts_show_first_op(&ops, true, &arena)); /* the arena is full */
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(origins_and_receivers),
		cmocka_unit_test(without_an_origin),
		cmocka_unit_test(beside_one_that_a_run_lacks),
		cmocka_unit_test(nothing_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
