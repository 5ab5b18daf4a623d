/* test_batches.c - how batches relate, on sequences whose relation is plain to see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/batches.h"

enum { N = 12 };

/* Letters are digests, one for each step from 0 on; a blank is a step without a record. */
static struct ts_batch_relation relate(const char *a, const char *b)
{
	struct ts_batch_relation r;
	struct ts_arena arena;
	int64_t steps[2][64];
	uint64_t digests[2][64];
	const char *texts[2] = {a, b};
	size_t n[2] = {0, 0};

	ts_arena_init(&arena, 1 << 20);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; texts[k][i]; i++)
			if (texts[k][i] != ' ') {
				steps[k][n[k]] = (int64_t)i;
				digests[k][n[k]++] = (uint64_t)texts[k][i] * UINT64_C(0x9e3779b97f4a7c15);
			}
	assert_true(ts_batches_relate(steps[0], digests[0], n[0], steps[1], digests[1], n[1], &arena, &r));
	ts_arena_finish(&arena);
	return r;
}

static void check(const char *a, const char *b, enum ts_batch_answer answer, int64_t step, int64_t shift)
{
	struct ts_batch_relation r = relate(a, b);

	assert_int_equal(r.answer, answer);
	if (answer == TS_BATCHES_SAME || answer == TS_BATCHES_UNKNOWN)
		return;
	assert_int_equal(r.step, step);
	if (answer == TS_BATCHES_SHIFTED)
		assert_int_equal(r.shift, shift);
}

static void test_same(void **state)
{
	(void)state;
	check("abcdef", "abcdef", TS_BATCHES_SAME, 0, 0);
	check("abcdef", "a c e ", TS_BATCHES_SAME, 0, 0);
	check("abcdef", "      ghi", TS_BATCHES_UNKNOWN, 0, 0);
	check("", "abc", TS_BATCHES_UNKNOWN, 0, 0);
}

static void test_shifted(void **state)
{
	(void)state;
	/* From step 3 on the second run is two steps ahead. */
	check("abcdefghij", "abcfghijkl", TS_BATCHES_SHIFTED, 3, 2);
	/* The second run begins again at step 5. */
	check("abcdefghij", "abcdeabcde", TS_BATCHES_SHIFTED, 5, -5);
	/* The same holds the other way round: the first run never reached the batches that the second read from
	 * there on. */
	check("abcdeabcde", "abcdefghij", TS_BATCHES_SHIFTED, 5, 5);
	check("bcdefghijk", "abcdefghij", TS_BATCHES_SHIFTED, 0, -1);
	/* Missing records do not hide the shift. */
	check("abcdefghij", "abc gh jkl", TS_BATCHES_SHIFTED, 4, 2);
	/* One batch in ten may differ, two in nine may not. */
	check("abcdefghijklmno", "bcdefghijkXmnop", TS_BATCHES_SHIFTED, 0, 1);
	check("abcdefghij", "bcXefgXijk", TS_BATCHES_OVERLAP, 0, 0);
	/* Two steps are too few for a shift. */
	check("abcdWXYZ", "abcdYZQR", TS_BATCHES_OVERLAP, 4, 0);
}

static void test_reordered(void **state)
{
	struct ts_batch_relation r = relate("abcdefgh", "abhfdegc");

	(void)state;
	assert_int_equal(r.answer, TS_BATCHES_REORDERED);
	assert_int_equal(r.step, 2);
	assert_int_equal(r.compared, 6);
	/* The batch g stays at step 6. */
	assert_int_equal(r.shared, 5);
	assert_int_equal(r.kept, 1);
	/* Two batches that changed places are too few to call it another order. */
	r = relate("abcdefgh", "abcdefhg");
	assert_int_equal(r.answer, TS_BATCHES_OVERLAP);
	/* The batches are the same ones, but not as often: c occurs twice, d never. */
	r = relate("abcdefgh", "abhfcegc");
	assert_int_equal(r.answer, TS_BATCHES_OVERLAP);
}

static void test_disjoint(void **state)
{
	struct ts_batch_relation r = relate("abcdefgh", "abcdQRST");

	(void)state;
	assert_int_equal(r.answer, TS_BATCHES_DISJOINT);
	check("adadadadad", "bcbcbcbcbc", TS_BATCHES_DISJOINT, 0, 0); /* other batches whose digests have the same sum */
	assert_int_equal(r.step, 4);
	assert_int_equal(r.compared, 4);
	assert_int_equal(r.shared, 0);
}

/* One batch is replaced and the others keep their places: the order did not change. */
static void test_replaced(void **state)
{
	struct ts_batch_relation r = relate("abcdefgh", "abXdefgh");

	(void)state;
	assert_int_equal(r.answer, TS_BATCHES_REPLACED);
	assert_int_equal(r.step, 2);
	assert_int_equal(r.compared, 6);
	assert_int_equal(r.shared, 0);
	assert_int_equal(r.kept, 5);
	assert_int_equal(r.stretch, 1);
	assert_int_equal(relate("abcdefghijkl", "abXYZfghijkl").stretch, 3);
	assert_int_equal(relate("abcdefghijkl", "abXdYZghijkl").stretch, 1);
	/* Two batches that changed places did move. */
	r = relate("abcdefgh", "abedcfgh");
	assert_int_equal(r.answer, TS_BATCHES_REORDERED);
	assert_int_equal(r.shared, 2);
	/* Epochs of ten batches have one order: a shift by ten would hold for all batches that kept their places. */
	check("abcdefghijabcdefghijabcdefghij", "abXdefghijabcdefghijabcdefghij", TS_BATCHES_REPLACED, 2, 0);
}

static void test_no_memory(void **state)
{
	static const int64_t steps[N] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
	static const uint64_t a[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, b[N] = {0};
	struct ts_batch_relation r;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 64);
	assert_false(ts_batches_relate(steps, a, N, steps, b, N, &arena, &r));
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),	 cmocka_unit_test(test_shifted),  cmocka_unit_test(test_reordered),
		cmocka_unit_test(test_disjoint), cmocka_unit_test(test_replaced), cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
