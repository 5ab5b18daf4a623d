/* json_matrix.c - docs/schemas/diff.schema.json. */
#include "cli/json/json_matrix.h"

#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/text/show_value.h"

static void json_pairs(struct ts_json *j, const struct ts_diff_matrix *m)
{
	ts_json_key(j, "pairs");
	ts_json_array(j);
	for (size_t a = 0; a < m->n; a++)
		for (size_t b = a + 1; b < m->n; b++) {
			const struct ts_pair *pair = ts_matrix_pair(m, a, b);

			ts_json_object(j);
			ts_json_count(j, "a", a);
			ts_json_count(j, "b", b);
			ts_json_key(j, "state");
			ts_json_string(j, ts_pair_word(pair->state));
			ts_json_key(j, "first_step");
			if (pair->state == TS_PAIR_PARTS)
				ts_json_i64(j, pair->step);
			else
				ts_json_null(j);
			ts_json_end(j);
		}
	ts_json_end(j);
}

static void json_groups(struct ts_json *j, const struct ts_diff_matrix *m, const size_t *of, size_t n)
{
	ts_json_key(j, "groups");
	ts_json_array(j);
	for (size_t k = 0; k < n; k++) {
		ts_json_array(j);
		for (size_t i = 0; i < m->n; i++)
			if (of[i] == k)
				ts_json_u64(j, i);
		ts_json_end(j);
	}
	ts_json_end(j);
}

void ts_json_matrix_parts(struct ts_json *j, const struct ts_diff_matrix *m, const size_t *groups, size_t n_groups)
{
	ts_json_key(j, "runs");
	ts_json_array(j);
	for (size_t i = 0; i < m->n; i++)
		ts_json_bare_run(j, &m->runs[i]);
	ts_json_end(j);
	json_groups(j, m, groups, n_groups);
	json_pairs(j, m);
}

enum ts_status ts_render_matrix_json(struct ts_cli *cli, const struct ts_diff_matrix *m, struct ts_error *err)
{
	struct ts_matrix_tally tally = ts_matrix_count(m);
	struct ts_json j = ts_cli_json(cli);
	size_t *groups, n;

	if (!ts_matrix_groups(m, &cli->arena, &groups, &n))
		return ts_arena_error(&cli->arena, err);
	ts_json_object(&j);
	ts_json_key(&j, "verdict");
	ts_json_string(&j, ts_verdict_word(tally.verdict));
	ts_json_matrix_parts(&j, m, groups, n);
	ts_json_end(&j);
	ts_cli_json_end(cli, &j);
	return TS_OK;
}
