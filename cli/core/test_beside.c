/* Which paths of a push are ranks of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/core/beside.h"

static void finds_the_run_of_each_rank(void **state)
{
	static const struct {
		const char *path;
		int at; /* -1: beside none of them */
		int32_t rank;
	} cases[] = {
		{"runs/b_rank2/", 3, 2}, {"runs/a-1", -1, 0},	 {"runs/a_rank10", 4, 10}, {"runs/b/", -1, 0}, {"runs/a", -1, 0},
		{"runs/a_rank", -1, 0},	 {"other/a_rank1", -1, 0}, {"runs/a_rank1x", -1, 0}, {"_rank1", -1, 0},
		{"runs/a_rank10_rank3", 2, 3}, {"runs/a_rank99999999999", -1, 0}, {"/", -1, 0}, {"", -1, 0},
	};
	enum { N = sizeof cases / sizeof cases[0] };
	const char *paths[N];
	struct ts_beside *beside;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < N; i++)
		paths[i] = cases[i].path;
	assert_int_equal(ts_beside_find(paths, N, &arena, &beside, &err), TS_OK);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(beside[i].found, cases[i].at >= 0);
		if (beside[i].found) {
			assert_int_equal(beside[i].at, cases[i].at);
			assert_int_equal(beside[i].rank, cases[i].rank);
		}
	}
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_run_of_each_rank)};

	return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}
