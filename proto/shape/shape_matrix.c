/* shape_matrix.c - the tables of the answer of DiffMatrix: the first step at which each two of several runs part. */
#include "analysis/diverge/matrix.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

WORD_OF(pair_word, enum ts_pair_state, ts_pair_word);
static const struct ts_shape_words pair_states = {TS_PAIR_SAME, TS_PAIR_APART, TS_PAIR_SAME, .word = pair_word};

#define TYPE struct ts_matrix_alias
static const struct ts_shape_field alias_rows[] = {
	{"a", "a", BYTES(a, TS_PATH_MAX)},
	{"b", "b", BYTES(b, TS_PATH_MAX)},
};
const struct ts_shape ts_shape_matrix_alias = {SHAPE("matrix_alias", matrix_alias, alias_rows)};
#undef TYPE

#define TYPE struct ts_diff_matrix
static void check_matrix(struct ts_wire_reader *r, void *in)
{
	const TYPE *m = in;

	if (m->n == 0 || m->n_pairs != m->n * (m->n - 1) / 2)
		ts_wire_fail(r, "pairs", "are not one for each two runs");
	if (m->n_endings && m->n_endings != m->n)
		ts_wire_fail(r, "endings", "are not one for each run");
}

static void check_reply(struct ts_wire_reader *r, void *in)
{
	check_matrix(r, in);
	if (((const TYPE *)in)->n < 2)
		ts_wire_fail(r, "runs", "has fewer than two");
}

static const struct ts_shape_field matrix_rows[] = {
	{"runs", NULL, MANY(runs, n, ts_shape_run, TS_MATRIX_RUNS_MAX)},
	{"states", NULL, COLUMN(ENUM, pairs, struct ts_pair, state, n_pairs, TS_MATRIX_PAIRS_MAX), WORDS(pair_states)},
	{"steps", NULL, COLUMN(I64, pairs, struct ts_pair, step, n_pairs, TS_MATRIX_PAIRS_MAX), AS_MANY},
	{"aliases", NULL, MANY(aliases, n_aliases, ts_shape_matrix_alias, TS_MATRIX_ALIASES_MAX)},
	{"endings", NULL, MANY(endings, n_endings, ts_shape_ending, TS_MATRIX_RUNS_MAX)},
};
const struct ts_shape ts_shape_matrix = {SHAPE("matrix", diff_matrix_reply, matrix_rows), .check = check_matrix};
const struct ts_shape ts_shape_matrix_reply = {SHAPE("matrix_reply", diff_matrix_reply, matrix_rows), .check = check_reply};

/* Writes pairs of runs, counted from 0. */
static void json_pairs(struct ts_shape_writer *w, const void *in)
{
	const TYPE *m = in;
	struct ts_json *j = w->json;

	ts_json_array(j);
	for (size_t a = 0; a < m->n; a++)
		for (size_t b = a + 1; b < m->n; b++) {
			const struct ts_pair *pair = ts_matrix_pair(m, a, b);

			ts_json_object(j);
			ts_json_key(j, "a");
			ts_json_u64(j, a);
			ts_json_key(j, "b");
			ts_json_u64(j, b);
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

static const struct ts_shape_own pairs_own = {
	.json = json_pairs,
	.schema = "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"properties\": {\"a\": {\"$ref\": \"#/$defs/count\"},"
		  " \"b\": {\"$ref\": \"#/$defs/count\"},"
		  " \"state\": {\"enum\": [\"same\", \"parts\", \"extent\", \"columns\", \"apart\"]},"
		  " \"first_step\": {\"anyOf\": [{\"$ref\": \"#/$defs/integer\"}, {\"type\": \"null\"}]}},"
		  " \"required\": [\"a\", \"b\", \"state\", \"first_step\"], \"additionalProperties\": false}}",
};
const struct ts_shape ts_shape_pairs = {OWN_JSON("pairs", pairs_own)};
#undef TYPE

#define TYPE struct ts_matrix_request
static void check_request(struct ts_wire_reader *r, void *in)
{
	if (((TYPE *)in)->n < 2)
		ts_wire_fail(r, "runs", "has fewer than two");
}

static const struct ts_shape_field request_rows[] = {
	{"runs", NULL, LIST(TEXT, runs, n, TS_MATRIX_RUNS_MAX), MAX(TS_WIRE_SPEC_MAX)},
};
const struct ts_shape ts_shape_matrix_request = {SHAPE("matrix_request", diff_matrix_request, request_rows), .check = check_request};
#undef TYPE

WIRE_SHAPE(matrix_request, ts_matrix_request, ts_shape_matrix_request);
WIRE_SHAPE(matrix_reply, ts_diff_matrix, ts_shape_matrix_reply);
