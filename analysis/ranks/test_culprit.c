#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/ranks/culprit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64, WORDS_MAX = 16 };

struct job {
	struct ts_culprit_rank ranks[RANKS_MAX];
	size_t n;
	char kind[32], component[32], strategy[8];
	int culprit, victim;
	double score, cost;
	unsigned cases, stragglers, spreads;
};

/* The numbers of the file and ours come from the same means by the same arithmetic. */
static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("%.17g is not %.17g", got, want);
}

static size_t words_of(char *line, char **words)
{
	size_t n = 0;

	for (char *at = line; *at && n < WORDS_MAX;) {
		while (*at == ' ' || *at == '\n')
			*at++ = '\0';
		if (!*at)
			break;
		words[n++] = at;
		while (*at && *at != ' ' && *at != '\n')
			at++;
	}
	return n;
}

static void check_spread(struct job *j, char **words)
{
	double values[RANKS_MAX], scratch[RANKS_MAX];
	int32_t ranks[RANKS_MAX];
	struct ts_rank_spread s;

	for (size_t i = 0; i < j->n; i++) {
		const struct ts_culprit_rank *r = &j->ranks[i];

		ranks[i] = r->rank;
		values[i] = strcmp(words[1], "input_wait_ms") == 0 ? r->input
			    : strcmp(words[1], "forward_ms") == 0  ? r->forward
			    : strcmp(words[1], "backward_ms") == 0 ? r->backward
								   : r->step;
	}
	assert_true(ts_rank_spread(values, ranks, j->n, scratch, &s));
	assert_int_equal(s.median_rank, atoi(words[2]));
	near(s.median_value, strtod(words[3], NULL));
	assert_int_equal(s.worst_rank, atoi(words[4]));
	near(s.worst_value, strtod(words[5], NULL));
	j->spreads++;
}

static void check_case(struct job *j)
{
	struct ts_culprit c = {.kind = TS_CULPRIT_NONE};
	double scratch[RANKS_MAX];
	bool found = ts_culprit_find(j->ranks, j->n, strcmp(j->strategy, "fsdp") == 0, scratch, &c);

	j->cases++;
	assert_string_equal(ts_culprit_kind_word(c.kind), j->kind);
	if (strcmp(j->kind, "none") == 0)
		return;
	j->stragglers++;
	assert_true(found);
	assert_string_equal(c.component, j->component);
	assert_int_equal(c.culprit, j->culprit);
	assert_int_equal(c.victim, j->victim);
	near(c.score, j->score);
	near(c.cost, j->cost);
}

static void take_case(struct job *j, char **words)
{
	j->n = 0;
	(void)snprintf(j->strategy, sizeof j->strategy, "%s", words[2]);
	(void)snprintf(j->kind, sizeof j->kind, "%s", words[4]);
	j->culprit = atoi(words[5]);
	j->victim = atoi(words[6]);
	j->score = strtod(words[7], NULL);
	(void)snprintf(j->component, sizeof j->component, "%s", words[8]);
	j->cost = strtod(words[9], NULL);
}

static void answers_as_traceml_does(void **state)
{
	struct job *j = test_calloc(1, sizeof *j);
	FILE *file = fopen("tests/golden/traceml/culprits.txt", "r");
	char line[512], *words[WORDS_MAX];

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		size_t n = words_of(line, words);

		if (n == 10 && strcmp(words[0], "case") == 0) {
			take_case(j, words);
		} else if (n == 7 && strcmp(words[0], "rank") == 0) {
			assert_true(j->n < RANKS_MAX);
			j->ranks[j->n++] = (struct ts_culprit_rank){
				.rank = atoi(words[1]),
				.input = strtod(words[2], NULL),
				.h2d = strtod(words[3], NULL),
				.forward = strtod(words[4], NULL),
				.backward = strtod(words[5], NULL),
				.step = strtod(words[6], NULL),
			};
		} else if (n == 6 && strcmp(words[0], "spread") == 0) {
			check_spread(j, words);
		} else {
			assert_int_equal(n, 1);
			check_case(j);
		}
	}
	(void)fclose(file);
	assert_int_equal(j->cases, 56); /* no case of the file was skipped */
	assert_int_equal(j->stragglers, 31);
	assert_int_equal(j->spreads, 97);
	test_free(j);
}

/* Computed by hand: rank 1 is 10 longer in forward and the cost is 10; in backward it is 20 shorter. Under FSDP
 * ranks wait in forward too, so forward explains nothing. */
static void forward_explains_nothing_under_fsdp(void **state)
{
	static const struct ts_culprit_rank ranks[] = {
		{.rank = 0, .input = 1, .h2d = (double)NAN, .forward = 10, .backward = 30, .step = 60},
		{.rank = 1, .input = 1, .h2d = (double)NAN, .forward = 20, .backward = 10, .step = 60},
	};
	struct ts_culprit c;
	double scratch[2];

	(void)state;
	assert_true(ts_culprit_find(ranks, 2, true, scratch, &c));
	assert_int_equal(c.culprit, 1);
	near(c.score, 10.0 / 60);
	assert_int_equal(c.kind, TS_CULPRIT_STRAGGLER);
	assert_string_equal(c.visible, "forward+backward");
	assert_true(ts_culprit_find(ranks, 2, false, scratch, &c));
	near(c.score, 20.0 / 60); /* forward explains half of this cost */
	assert_string_equal(c.component, "sync_or_unattributed");
	assert_false(ts_culprit_find(ranks, 1, false, scratch, &c));
}

/* The numbers were computed by hand. */
static void median_worst_and_skew(void **state)
{
	static const double values[] = {10, 30, (double)NAN, 14, 30}, zeros[] = {0, 0}, rare[] = {0, 0, 5};
	static const int32_t ranks[] = {0, 1, 2, 5, 7};
	double scratch[5];
	struct ts_rank_spread s;

	(void)state;
	assert_true(ts_rank_spread(values, ranks, 5, scratch, &s));
	assert_int_equal(s.n, 4);
	near(s.median, 22); /* (14 + 30) / 2 */
	assert_int_equal(s.median_rank, 5); /* 14 and 30 are equally near, so the lower one is taken */
	assert_int_equal(s.worst_rank, 1);
	near(s.skew, 8.0 / 22);
	assert_true(ts_rank_spread(zeros, ranks, 2, scratch, &s));
	near(s.skew, 0);
	assert_true(ts_rank_spread(rare, ranks, 3, scratch, &s));
	assert_true(isnan(s.skew));
	assert_true(ts_rank_spread(values, ranks, 1, scratch, &s));
	assert_true(isnan(s.skew));
	assert_false(ts_rank_spread(values + 2, ranks, 1, scratch, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_as_traceml_does),
		cmocka_unit_test(forward_explains_nothing_under_fsdp),
		cmocka_unit_test(median_worst_and_skew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
