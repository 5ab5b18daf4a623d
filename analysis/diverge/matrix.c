#include "analysis/diverge/matrix.h"

#include "base/words.h"

static bool joins(const struct ts_diff_matrix *m, const size_t *groups, size_t run, size_t group)
{
	for (size_t i = 0; i < run; i++)
		if (groups[i] == group && ts_matrix_pair(m, i, run)->state != TS_PAIR_SAME)
			return false;
	return true;
}

bool ts_matrix_groups(const struct ts_diff_matrix *m, struct ts_arena *arena, size_t **ret_groups, size_t *ret_n)
{
	size_t *groups = ts_arena_array(arena, m->n, sizeof *groups);
	size_t n = 0;

	if (!groups)
		return false;
	for (size_t i = 0; i < m->n; i++) {
		size_t g = 0;

		while (g < n && !joins(m, groups, i, g))
			g++;
		groups[i] = g;
		n += g == n;
	}
	*ret_groups = groups;
	*ret_n = n;
	return true;
}

struct ts_matrix_tally ts_matrix_count(const struct ts_diff_matrix *m)
{
	struct ts_matrix_tally t = {.pairs = m->n * (m->n - 1) / 2};

	for (size_t i = 0; i < m->n; i++)
		for (size_t j = i + 1; j < m->n; j++) {
			const struct ts_pair *pair = ts_matrix_pair(m, i, j);

			t.same += pair->state == TS_PAIR_SAME;
			if (pair->state != TS_PAIR_PARTS)
				continue;
			if (t.parts == 0 || pair->step < t.first_step) {
				t.first_step = pair->step;
				t.first_a = i;
				t.first_b = j;
			}
			if (t.parts == 0 || pair->step > t.last_step) {
				t.last_step = pair->step;
				t.last_a = i;
				t.last_b = j;
			}
			t.parts++;
		}
	t.verdict = t.parts ? TS_DIFF_DIFFERENT : t.same == t.pairs ? TS_DIFF_SAME : TS_DIFF_INCONCLUSIVE;
	return t;
}

TS_WORDS(ts_pair_word, enum ts_pair_state, "apart", [TS_PAIR_SAME] = "same", [TS_PAIR_PARTS] = "parts", [TS_PAIR_EXTENT] = "extent",
	 [TS_PAIR_COLUMNS] = "columns", [TS_PAIR_APART] = "apart")
