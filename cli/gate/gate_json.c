/* gate_json.c - prints a verdict and a bundle of baselines as JSON (docs/schemas/gate.schema.json, baseline.schema.json): the values
 * that people read, and the record. */
#include "cli/gate/gate_json.h"


#include "cli/gate/gate_record.h"
#include "cli/json/json_parts.h"

#include <stdio.h>

static void number(struct ts_json *j, const char *key, double value)
{
	ts_json_known_real(j, key, true, value);
}

static void truth(struct ts_json *j, const char *key, bool value)
{
	ts_json_key(j, key);
	ts_json_bool(j, value);
}

static const char *unit_word(enum ts_metric metric)
{
	const char *suffix = ts_unit_suffix(ts_metrics[metric].unit);

	return *suffix ? suffix + 1 : NULL;
}

static void row(struct ts_json *j, const struct ts_gate_row *r)
{
	ts_json_object(j);
	ts_json_key(j, "metric");
	ts_json_string(j, ts_metrics[r->metric].name);
	ts_json_key(j, "unit");
	ts_json_string(j, unit_word(r->metric));
	ts_json_key(j, "verdict");
	ts_json_string(j, ts_gate_state_word(r->state));
	truth(j, "gates", r->gates);
	ts_json_text(j, "reason", r->reason);
	number(j, "baseline", r->base);
	number(j, "candidate", r->candidate);
	ts_json_count(j, "baseline_session_count", r->base_draws);
	ts_json_count(j, "candidate_session_count", r->candidate_draws);
	number(j, "change_ratio", r->size);
	number(j, "low_ratio", r->low);
	number(j, "high_ratio", r->high);
	number(j, "sd", r->sd);
	number(j, "df", r->df);
	number(j, "prior_sd", r->prior_sd);
	number(j, "prior_df", r->prior_df);
	number(j, "t", r->t);
	number(j, "p", r->p);
	number(j, "could_miss_ratio", r->could_miss);
	truth(j, "weak", r->weak);
	truth(j, "paired", r->paired);
	ts_json_count(j, "pair_count", r->pairs);
	number(j, "pair_t", r->pair_t);
	number(j, "pair_p", r->pair_p);
	ts_json_end(j);
}

static void why(struct ts_json *j, const struct ts_verdict *v)
{
	ts_json_key(j, "why");
	ts_json_array(j);
	for (size_t i = 0; i < v->n_why; i++) {
		ts_json_object(j);
		ts_json_text(j, "kind", v->why[i].kind);
		ts_json_text(j, "name", v->why[i].name);
		number(j, "baseline_s", v->why[i].base);
		number(j, "candidate_s", v->why[i].candidate);
		number(j, "share_ratio", v->why[i].share);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static void ask(struct ts_json *j, const struct ts_gate_ask *a)
{
	ts_json_key(j, "wanted");
	if (a->pairs == 0) {
		ts_json_null(j);
		return;
	}
	ts_json_object(j);
	ts_json_count(j, "pair_count", a->pairs);
	ts_json_text(j, "baseline_commit", a->base_commit);
	ts_json_text(j, "candidate_commit", a->candidate_commit);
	ts_json_id(j, "baseline_id", &a->base);
	ts_json_id(j, "candidate_id", &a->candidate);
	ts_json_end(j);
}

/* --- the input --- */

static void values(struct ts_json *j, const struct ts_reduction *r)
{
	ts_json_key(j, "metrics");
	ts_json_object(j);
	for (size_t m = 0; m < TS_METRICS; m++) {
		char key[64];

		(void)snprintf(key, sizeof key, "%s%s", ts_metrics[m].name, ts_unit_suffix(ts_metrics[m].unit));
		ts_json_known_real(j, key, r->metrics[m].known, r->metrics[m].value);
	}
	ts_json_end(j);
}

static void run(struct ts_json *j, const struct ts_gate_run *r)
{
	const struct ts_workload *w = &r->workload;

	ts_json_object(j);
	ts_json_key(j, "role");
	ts_json_string(j, ts_gate_role_word(r->role));
	ts_json_key(j, "group");
	ts_json_u64(j, r->group);
	ts_json_id(j, "id", &r->id);
	ts_json_text(j, "name", r->name);
	ts_json_text(j, "commit", w->commit);
	truth(j, "dirty", w->dirty);
	ts_json_text(j, "workload", w->name);
	ts_json_text(j, "session", w->session);
	ts_json_time(j, "started", w->started_ns);
	ts_json_count(j, "record_count", r->reduction.records);
	ts_json_count(j, "warmup_record_count", r->reduction.warmup);
	ts_json_count(j, "excluded_record_count", r->reduction.excluded);
	ts_json_text(j, "time_source", r->reduction.time_source);
	values(j, &r->reduction);
	ts_json_end(j);
}

static void passed_over(struct ts_json *j, const struct ts_gate_input *in)
{
	ts_json_key(j, "passed_over");
	ts_json_array(j);
	for (size_t i = 0; i < in->n_passed_over; i++) {
		ts_json_object(j);
		ts_json_id(j, "id", &in->passed_over[i].id);
		ts_json_text(j, "name", in->passed_over[i].name);
		ts_json_text(j, "reason", in->passed_over[i].reason);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static void two_sides(struct ts_json *j, struct ts_span path, struct ts_span a, struct ts_span b)
{
	ts_json_text(j, "path", path);
	ts_json_text(j, "baseline", a);
	ts_json_text(j, "candidate", b);
}

static void changes(struct ts_json *j, const struct ts_gate_input *in)
{
	ts_json_text(j, "not_comparable", in->not_comparable);
	ts_json_key(j, "differences");
	ts_json_array(j);
	for (size_t i = 0; i < in->n_differences; i++) {
		ts_json_object(j);
		ts_json_key(j, "part");
		ts_json_string(j, ts_workload_part_word(in->differences[i].part));
		two_sides(j, in->differences[i].path, in->differences[i].a, in->differences[i].b);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_key(j, "changed_facts");
	ts_json_array(j);
	for (size_t i = 0; i < in->n_facts; i++) {
		ts_json_object(j);
		two_sides(j, in->facts[i].path, in->facts[i].a, in->facts[i].b);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_count(j, "more_changed_fact_count", in->facts_more);
	ts_json_key(j, "loss");
	ts_json_object(j);
	ts_json_key(j, "bits");
	ts_json_string(j, ts_tier_word(in->loss.bits));
	ts_json_key(j, "numeric");
	ts_json_string(j, ts_tier_word(in->loss.numeric));
	ts_json_key(j, "statistical");
	ts_json_string(j, ts_tier_word(in->loss.statistical));
	ts_json_text(j, "sentence", in->loss.sentence);
	ts_json_end(j);
}

static void chosen(struct ts_json *j, const struct ts_gate_input *in)
{
	ts_json_text(j, "baseline", in->baseline);
	ts_json_text(j, "chosen", in->sentence);
	ts_json_key(j, "runs");
	ts_json_array(j);
	for (size_t i = 0; i < in->n_runs; i++)
		run(j, &in->runs[i]);
	ts_json_end(j);
	passed_over(j, in);
}

/* The policy, the version, and the record, which comes last because it is long. */
static enum ts_status tail(struct ts_json *j, const struct ts_gate_input *in, struct ts_arena *arena,
			   struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(1 << 20);
	struct ts_id digest;
	struct ts_span record;
	enum ts_status status;

	ts_gate_policy_print(&in->policy, &text);
	status = ts_buf_check(&text, err);
	if (!status)
		status = ts_gate_policy_digest(&in->policy, &digest, err);
	if (!status)
		status = ts_gate_record_text(in, arena, &record, err);
	if (!status) {
		ts_json_key(j, "policy");
		ts_json_span(j, ts_buf_view(&text));
		ts_json_id(j, "policy_digest", &digest);
		ts_json_key(j, "analysis_version");
		ts_json_u64(j, in->analysis_version);
		ts_json_key(j, "record");
		ts_json_span(j, record);
	}
	ts_buf_finish(&text);
	return status;
}

static enum ts_status finish(struct ts_json *j, struct ts_buf *out, struct ts_error *err)
{
	ts_json_end(j);
	ts_buf_char(out, '\n');
	return ts_buf_check(out, err);
}

enum ts_status ts_render_gate_json(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out,
				   struct ts_error *err)
{
	struct ts_json json = ts_json_of(out), *j = &json;

	json.indent = 2;
	ts_json_object(j);
	ts_json_key(j, "verdict");
	ts_json_string(j, ts_gate_state_word(v->state));
	ts_json_key(j, "exit_code");
	ts_json_i64(j, v->exit_code);
	ts_json_text(j, "sentence", v->sentence);
	ts_json_key(j, "warnings");
	ts_json_array(j);
	for (size_t i = 0; i < v->n_warnings; i++)
		ts_json_span(j, v->warnings[i]);
	ts_json_end(j);
	ts_json_key(j, "metrics");
	ts_json_array(j);
	for (size_t i = 0; i < TS_METRICS; i++)
		row(j, &v->rows[i]);
	ts_json_end(j);
	why(j, v);
	ask(j, &v->ask);
	changes(j, &v->input);
	chosen(j, &v->input);
	return tail(j, &v->input, arena, err) ? err->status : finish(j, out, err);
}

enum ts_status ts_render_baseline_json(const struct ts_gate_input *in, struct ts_arena *arena, struct ts_buf *out,
				       struct ts_error *err)
{
	struct ts_json json = ts_json_of(out), *j = &json;

	json.indent = 2;
	ts_json_object(j);
	ts_json_text(j, "not_comparable", in->not_comparable);
	chosen(j, in);
	return tail(j, in, arena, err) ? err->status : finish(j, out, err);
}
