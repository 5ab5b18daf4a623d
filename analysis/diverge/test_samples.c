/* test_samples.c - packed samples, bit by bit, and what is said of two of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/samples.h"

#include <string.h>

/* Packs as docs/digests.md says, one bit after the other. */
static struct ts_samples packed(uint32_t drawn, const uint64_t *ids, size_t n, size_t bits, size_t n_words)
{
	uint64_t words[TS_SAMPLES_WORDS] = {0};
	struct ts_samples found;
	size_t at = 0;

	for (size_t i = 0; i < 16; i++, at++)
		words[at / 64] |= (uint64_t)(drawn >> i & 1) << at % 64;
	for (size_t i = 0; i < 6; i++, at++)
		words[at / 64] |= (uint64_t)(bits >> i & 1) << at % 64;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < bits; i++, at++)
			words[at / 64] |= (ids[k] >> i & 1) << at % 64;
	assert_true(at <= 64 * n_words);
	assert_true(ts_samples_unpack(words, n_words, &found));
	return found;
}

static void expect(const struct ts_samples *a, const struct ts_samples *b, int64_t rank, const char *said)
{
	struct ts_arena arena;
	const char *found;

	ts_arena_init(&arena, 1 << 16);
	found = ts_samples_say(a, b, 212, rank, &arena);
	if (said)
		assert_string_equal(found, said);
	else
		assert_null(found);
	ts_arena_finish(&arena);
}

static void test_unpack(void **state)
{
	static const uint64_t ids[] = {0, 1, 999, 1023, 512, 7, 3, 800, 801, 802, 1000};

	(void)state;
	for (size_t bits = 10; bits <= TS_SAMPLES_BITS_MAX; bits++) { /* every place in a word, and across two */
		struct ts_samples found = packed(11, ids, 11, bits, (22 + 11 * bits + 63) / 64);

		assert_int_equal(found.drawn, 11);
		assert_int_equal(found.n, 11);
		assert_memory_equal(found.ids, ids, sizeof ids);
	}
}

static void test_some_are_known(void **state)
{
	static const uint64_t ids[] = {5, 6, 7};
	struct ts_samples found = packed(128, ids, 3, 30, 2); /* (128 - 22) / 30 */

	(void)state;
	assert_int_equal(found.drawn, 128);
	assert_int_equal(found.n, 3);
}

static void test_not_packed_so(void **state)
{
	uint64_t words[TS_SAMPLES_WORDS + 1] = {0};
	struct ts_samples found;

	(void)state;
	words[0] = 7 | 10 << 16;
	assert_false(ts_samples_unpack(words, 0, &found));
	assert_false(ts_samples_unpack(words, TS_SAMPLES_WORDS + 1, &found));
	words[0] = 7;
	assert_false(ts_samples_unpack(words, 1, &found));
	words[0] = 7 | (TS_SAMPLES_BITS_MAX + 1) << 16;
	assert_false(ts_samples_unpack(words, 1, &found));
	words[0] = 7 | TS_SAMPLES_BITS_MAX << 16;
	assert_true(ts_samples_unpack(words, 1, &found));
	assert_int_equal(found.n, 0);
	words[0] = 65535 | 1 << 16;
	assert_true(ts_samples_unpack(words, TS_SAMPLES_WORDS, &found));
	assert_int_equal(found.n, TS_SAMPLES_MAX);
}

static void test_said(void **state)
{
	static const uint64_t some[] = {912, 3, 44, 31, 8}, one[] = {912, 3, 17, 31, 8}, three[] = {1, 2, 44, 5, 8},
				   all[] = {1, 2, 4, 5, 6}, turned[] = {3, 912, 44, 31, 8};
	struct ts_samples a = packed(5, some, 5, 10, 2), b = packed(5, one, 5, 10, 2), c = packed(5, three, 5, 10, 2),
			  d = packed(5, all, 5, 10, 2), e = packed(5, turned, 5, 10, 2), f = packed(4, some, 4, 10, 1),
			  g = packed(300, some, 5, 10, 2), h = packed(300, one, 5, 10, 2), i = packed(300, turned, 5, 10, 2);

	(void)state;
	expect(&a, &a, -1, NULL);
	expect(&g, &g, -1, NULL);
	expect(&a, &b, -1, "at step 212, 1 of 5 samples differs: the second run has sample 17 instead of 44");
	expect(&a, &c, -1,
	       "at step 212, 3 of 5 samples differ: the second run has sample 1 instead of 912, 2 instead of 3 and 5 instead of 31");
	expect(&a, &d, 3,
	       "at step 212 of rank 3, 5 of 5 samples differ: the second run has sample 1 instead of 912, 2 instead of 3, 4 instead of "
	       "44 and 2 more");
	expect(&a, &e, -1,
	       "at step 212 the same 5 samples come in another order: the second run has sample 3 instead of 912 and 912 instead of 3");
	expect(&a, &f, -1, "at step 212 the first run drew 5 samples, and the second 4");
	/* Of the others nothing is known, so it is not known either whether they are the same ones. */
	expect(&g, &h, -1, "at step 212, 1 of the first 10 of 300 samples differs: the second run has sample 17 instead of 44");
	expect(&g, &i, -1,
	       "at step 212, 2 of the first 10 of 300 samples differ: the second run has sample 3 instead of 912 and 912 instead of 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpack),
		cmocka_unit_test(test_some_are_known),
		cmocka_unit_test(test_not_packed_so),
		cmocka_unit_test(test_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
