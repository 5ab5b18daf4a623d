/* shape_gate.c - the tables of Gate and Baseline: what a verdict rests on, and the verdict. GateInput packed is also the record of a
 * verdict, in files that outlive the runs. */
#include "analysis/policy.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

enum {
	FACTS_MAX = 64,
	WARNINGS_MAX = 64,
	WHY_MAX = 256,
	POLICY_TEXT_MAX = 64 << 10,
	ANCESTORS_MAX = 64 << 10,
	EXIT_CODE_MAX = 4,
};

/* --- the input --- */

#define TYPE struct ts_gate_passed_over
static const struct ts_shape_field passed_over_rows[] = {
	{"id", "id", ID(id)},
	{"name", "name", TEXT(name, TS_WIRE_SPEC_MAX), OR_NULL},
	{"reason", "reason", BYTES(reason, TS_WIRE_TEXT_MAX), OR_NULL},
};
static const struct ts_shape passed_over_shape = {SHAPE("passed_over", gate_passed_over, passed_over_rows)};
#undef TYPE

WORD_OF(part_word, enum ts_workload_part, ts_workload_part_word);
static const struct ts_shape_words workload_parts = {1, TS_WORKLOAD_PARTS, TS_WORKLOAD_CONFIG, .word = part_word, .newer = true};

#define TYPE struct ts_workload_difference
static const struct ts_shape_field difference_rows[] = {
	{"part", "part", ENUM(part, workload_parts)},
	{"path", "path", BYTES(path, TS_PATH_MAX), OR_NULL},
	{"a", "baseline", BYTES(a, TS_WIRE_TEXT_MAX), OR_NULL},
	{"b", "candidate", BYTES(b, TS_WIRE_TEXT_MAX), OR_NULL},
};
static const struct ts_shape difference_shape = {SHAPE("workload_difference", workload_difference, difference_rows)};
#undef TYPE

#define TYPE struct ts_gate_fact
static const struct ts_shape_field fact_rows[] = {
	{"path", "path", BYTES(path, TS_PATH_MAX), OR_NULL},
	{"a", "baseline", BYTES(a, TS_WIRE_TEXT_MAX), OR_NULL},
	{"b", "candidate", BYTES(b, TS_WIRE_TEXT_MAX), OR_NULL},
};
static const struct ts_shape fact_shape = {SHAPE("changed_fact", gate_fact, fact_rows)};
#undef TYPE

#define TYPE struct ts_gate_loss
static const struct ts_shape_field loss_rows[] = {
	{"bits", "bits", ENUM(bits, ts_words_tier)},
	{"numeric", "numeric", ENUM(numeric, ts_words_tier)},
	{"statistical", "statistical", ENUM(statistical, ts_words_tier)},
	{"sentence", "sentence", BYTES(sentence, TS_WIRE_TEXT_MAX), OR_NULL},
};
static const struct ts_shape loss_shape = {SHAPE("gate_loss", gate_loss, loss_rows)};
#undef TYPE

/* A policy is sent as its text. */
#define TYPE struct ts_gate_input
static bool fill_policy(const void *in, void *message, struct ts_arena *arena)
{
	struct ts_buf text = TS_BUF_INIT(POLICY_TEXT_MAX);
	struct ts_span copy = {NULL, 0};

	ts_gate_policy_print(&((const TYPE *)in)->policy, &text);
	if (!text.failed)
		copy = ts_arena_span(arena, ts_buf_view(&text));
	ts_buf_finish(&text);
	((Tscope__V1__GateInput *)message)->policy = ts_wire_span(copy);
	return copy.data != NULL;
}

static void read_policy(struct ts_wire_reader *r, const void *message, void *ret)
{
	struct ts_span text = ts_wire_text(r, ((const Tscope__V1__GateInput *)message)->policy, POLICY_TEXT_MAX, "policy");
	struct ts_gate_policy *policy = &((TYPE *)ret)->policy;

	ts_gate_policy_default(policy);
	if (!r->status)
		r->status = ts_policy_gate_parse(text, "the policy of a record", r->arena, policy, r->err);
}

static const struct ts_shape_own policy_own = {.fill = fill_policy, .read = read_policy};
static const struct ts_shape policy_shape = {OWN_SHAPE("gate_policy", gate_input, policy_own)};

static const struct ts_shape_field changes_rows[] = {
	{"differences", "differences", MANY(differences, n_differences, difference_shape, TS_GATE_RUNS_MAX)},
	{"facts", "changed_facts", MANY(facts, n_facts, fact_shape, FACTS_MAX)},
	{"facts_more", "more_changed_fact_count", U64(facts_more)},
	{"loss", "loss", ONE(loss, loss_shape)},
};
static const struct ts_shape changes_shape = {SHAPE("gate_changes", gate_input, changes_rows)};

static const struct ts_shape_field chosen_rows[] = {
	{"baseline", "baseline", BYTES(baseline, TS_WIRE_TEXT_MAX), OR_NULL},
	{"sentence", "chosen", BYTES(sentence, TS_WIRE_TEXT_MAX), OR_NULL},
	{"runs", "runs", MANY(runs, n_runs, ts_shape_gate_run, TS_GATE_RUNS_MAX)},
	{"passed_over", "passed_over", MANY(passed_over, n_passed_over, passed_over_shape, TS_GATE_RUNS_MAX)},
};
const struct ts_shape ts_shape_gate_chosen = {SHAPE("gate_chosen", gate_input, chosen_rows)};

static const struct ts_shape_field input_rows[] = {
	{"not_comparable", "not_comparable", BYTES(not_comparable, TS_WIRE_TEXT_MAX), OR_NULL},
	{"other_work", "other_work", BYTES(other_work, TS_WIRE_TEXT_MAX), OR_NULL},
	{"lost", "lost", BYTES(lost, TS_WIRE_TEXT_MAX), OR_NULL},
	{NULL, FLAT, PART(changes_shape)},
	{NULL, FLAT, PART(ts_shape_gate_chosen)},
	{"policy", NULL, PART(policy_shape)},
	{"analysis_version", NULL, U32(analysis_version)},
};
const struct ts_shape ts_shape_gate_input = {SHAPE("gate_input", gate_input, input_rows)};
#undef TYPE

WIRE_SHAPE(gate_input, ts_gate_input, ts_shape_gate_input);

/* --- the request --- */

#define TYPE struct ts_gate_request
static void check_request(struct ts_wire_reader *r, void *in)
{
	const TYPE *request = in;

	if (request->replay && !request->has_given)
		ts_wire_fail(r, "given", "is not there: a replay needs one");
}

static const struct ts_shape_field request_rows[] = {
	{"candidates", NULL, LIST(TEXT, candidates, n_candidates, TS_GATE_SPECS_MAX), MAX(TS_WIRE_SPEC_MAX)},
	{"baselines", NULL, LIST(TEXT, baselines, n_baselines, TS_GATE_SPECS_MAX), MAX(TS_WIRE_SPEC_MAX)},
	{"pairs", NULL, LIST(TEXT, pairs, n_pairs, TS_GATE_SPECS_MAX), MAX(TS_WIRE_SPEC_MAX)},
	{"policy", NULL, MANY(policy.items, policy.n, ts_shape_policy_item, TS_WIRE_POLICY_MAX)},
	{"given", NULL, ONE(given, ts_shape_gate_input), HAS(has_given)},
	{"replay", NULL, BOOL(replay)},
	{"ancestors", NULL, BYTES(ancestors, ANCESTORS_MAX)},
	{"ancestors_cut", NULL, BOOL(ancestors_cut)},
};
const struct ts_shape ts_shape_gate_request = {SHAPE("gate_request", gate_request, request_rows), .check = check_request};
#undef TYPE

WIRE_SHAPE(gate_request, ts_gate_request, ts_shape_gate_request);

/* --- the verdict --- */

WORD_OF(state_word, enum ts_gate_state, ts_gate_state_word);
static const struct ts_shape_words states = {TS_GATE_PASS, TS_GATE_BLIND, TS_GATE_PASS, .word = state_word};

static const char *unit_word(int metric)
{
	return ts_words_unit.word(ts_metrics[metric].unit);
}
static const struct ts_shape_words units = {TS_METRIC_STEP_TIME, TS_METRICS_ALL - 1, TS_METRIC_STEP_TIME, .word = unit_word};

#define TYPE struct ts_gate_row
static const struct ts_shape_field row_rows[] = {
	{NULL, "metric", BYTES(name, 0), ABOUT("a name of the table of metrics, or of a series that the policy names")},
	{NULL, "unit", ENUM(metric, units)},
	{NULL, "better", ENUM(better, ts_words_better)},
	{"state", "verdict", ENUM(state, states)},
	{"gates", "gates", BOOL(gates)},
	{"counts", "counts", BOOL(counts), ABOUT("the metric decides, or it is watched and grossly worse")},
	{"reason", "reason", BYTES(reason, TS_WIRE_TEXT_MAX), OR_NULL},
	{"baseline", "baseline", F64(base), OR_NULL},
	{"candidate", "candidate", F64(candidate), OR_NULL},
	{"base_draws", "baseline_session_count", U64(base_draws)},
	{"candidate_draws", "candidate_session_count", U64(candidate_draws)},
	{"size", "change_ratio", F64(size), OR_NULL},
	{"low", "low_ratio", F64(low), OR_NULL},
	{"high", "high_ratio", F64(high), OR_NULL},
	{"value_low", "candidate_low", F64(value_low), OR_NULL},
	{"value_high", "candidate_high", F64(value_high), OR_NULL},
	{"least", "floor", F64(least), OR_NULL},
	{"floored", "floored", BOOL(floored), ABOUT("the verdict of this metric is that of its floor")},
	{"sd", "sd", F64(sd), OR_NULL},
	{"df", "df", F64(df), OR_NULL},
	{"prior_sd", "prior_sd", F64(prior_sd), OR_NULL},
	{"prior_df", "prior_df", F64(prior_df), OR_NULL},
	{"t", "t", F64(t), OR_NULL},
	{"p", "p", F64(p), OR_NULL},
	{"could_miss", "could_miss_ratio", F64(could_miss), OR_NULL},
	{"paired", "paired", BOOL(paired)},
	{"pairs", "pair_count", U64(pairs)},
	{"pair_t", "pair_t", F64(pair_t), OR_NULL},
	{"pair_p", "pair_p", F64(pair_p), OR_NULL},
};
static const struct ts_shape row_shape = {
	SHAPE("gate_row", gate_row, row_rows),
	.about = "the result for one metric; a number is null where it is not known or has no meaning",
};
#undef TYPE

#define TYPE struct ts_gate_why
static const struct ts_shape_field why_rows[] = {
	{"kind", "kind", BYTES(kind, TS_PATH_MAX), OR_NULL},
	{"name", "name", BYTES(name, TS_PATH_MAX), OR_NULL},
	{"baseline", "baseline_s", F64(base), OR_NULL},
	{"candidate", "candidate_s", F64(candidate), OR_NULL},
	{"share", "share_ratio", F64(share), OR_NULL},
};
static const struct ts_shape why_shape = {
	SHAPE("gate_why", gate_why, why_rows),
	.about = "a part of the step in which the difference lies, or a sentence (trace, memory); a number is null if it is not known",
};
#undef TYPE

#define TYPE struct ts_gate_ask
/* Where no further run is requested, the message is empty: its ids would belong to no run. */
static bool fill_ask(const void *in, void *message, struct ts_arena *arena)
{
	const TYPE *ask = in;
	Tscope__V1__GateAsk *m = message;

	(void)arena;
	if (!ask->pairs)
		return true;
	m->pairs = ask->pairs;
	m->base_commit = ts_wire_span(ask->base_commit);
	m->candidate_commit = ts_wire_span(ask->candidate_commit);
	m->baseline = ts_wire_id_bytes(&ask->base);
	m->candidate = ts_wire_id_bytes(&ask->candidate);
	return true;
}

static void read_ask(struct ts_wire_reader *r, const void *message, void *ret)
{
	const Tscope__V1__GateAsk *m = message;
	TYPE *ask = ret;

	if (!m->pairs)
		return;
	ask->pairs = m->pairs;
	ask->base_commit = ts_wire_bytes(r, m->base_commit, TS_PATH_MAX, "base_commit");
	ask->candidate_commit = ts_wire_bytes(r, m->candidate_commit, TS_PATH_MAX, "candidate_commit");
	ask->base = ts_wire_id(r, m->baseline, "baseline");
	ask->candidate = ts_wire_id(r, m->candidate, "candidate");
}

static const struct ts_shape_own ask_own = {.fill = fill_ask, .read = read_ask};

static const struct ts_shape_field ask_rows[] = {
	{NULL, "pair_count", U64(pairs)},
	{NULL, "baseline_commit", BYTES(base_commit, TS_PATH_MAX), OR_NULL},
	{NULL, "candidate_commit", BYTES(candidate_commit, TS_PATH_MAX), OR_NULL},
	{NULL, "baseline_id", ID(base)},
	{NULL, "candidate_id", ID(candidate)},
};
static const struct ts_shape ask_shape = {SHAPE("gate_ask", gate_ask, ask_rows), .own = &ask_own};
#undef TYPE

/* JSON has the exit code as a number from a closed list. */
static const char *exit_code_word(int code)
{
	static const char *const words[] = {"0", "1", "2", "3", "4"};

	return words[code];
}
static const int exit_code_values[] = {0, 1, 3, 4};
static const struct ts_shape_words exit_codes = {0, 3, .values = exit_code_values, .word = exit_code_word, .bare = true};

#define TYPE struct ts_verdict
static bool is_asked(const void *in)
{
	return ((const TYPE *)in)->ask.pairs > 0;
}

/* Rows are in the order of the metrics and of the series that the policy names, whose names are not sent. */
static void name_rows(struct ts_wire_reader *r, void *in)
{
	TYPE *v = in;
	const struct ts_gate_policy *policy = &v->input.policy;

	if (v->n_rows != ts_gate_policy_metrics(policy))
		ts_wire_fail(r, "rows", "are not as many as the policy has metrics");
	for (size_t i = 0; i < v->n_rows && !r->status; i++) {
		v->rows[i].metric = (enum ts_metric)i;
		v->rows[i].name = ts_span_str(ts_gate_metric_name(policy, (enum ts_metric)i));
		v->rows[i].better = ts_gate_metric_better(policy, (enum ts_metric)i);
	}
}

static const struct ts_shape_field verdict_rows[] = {
	{"state", "verdict", ENUM(state, states)},
	{"exit_code", NULL, U32(exit_code), MAX(EXIT_CODE_MAX)},
	{NULL, "exit_code", ENUM(exit_code, exit_codes)},
	{"sentence", "sentence", BYTES(sentence, TS_WIRE_TEXT_MAX), OR_NULL},
	{"rates", "rates", BYTES(rates, TS_WIRE_TEXT_MAX), OR_NULL, ABOUT("MFU and tokens per second and device, and what changed")},
	{"warnings", "warnings", LIST(BYTES, warnings, n_warnings, WARNINGS_MAX), MAX(TS_WIRE_TEXT_MAX)},
	{"rows", "metrics", MANY(rows, n_rows, row_shape, TS_METRICS_ALL)},
	{"why", "why", MANY(why, n_why, why_shape, WHY_MAX)},
	{"ask", "wanted", ONE(ask, ask_shape), WHEN(is_asked)},
	{"input", FLAT, ONE(input, ts_shape_gate_input)},
	{"policy_digest", NULL, ID(policy_digest)},
};
const struct ts_shape ts_shape_verdict = {SHAPE("verdict", gate_reply, verdict_rows), .check = name_rows};
#undef TYPE

WIRE_SHAPE(gate_reply, ts_verdict, ts_shape_verdict);
