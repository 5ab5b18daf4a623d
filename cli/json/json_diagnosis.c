/* json_diagnosis.c - of a diff as JSON: how far apart, why, and in which operation (docs/schemas/diff.schema.json). */
#include "cli/json/json_diagnosis.h"

#include "cli/json/json_analysis.h"
#include "cli/json/json_parts.h"
#include "run/head.h"

void ts_json_gap(struct ts_json *j, const char *key, const struct ts_gap *gap)
{
	ts_json_key(j, key);
	if (!gap->known) {
		ts_json_null(j);
		return;
	}
	ts_json_object(j);
	ts_json_real(j, "quantum", gap->quantum);
	ts_json_known_step(j, "visible_step", gap->visible, gap->visible_step);
	ts_json_known_real(j, "first_ratio", true, gap->first);
	ts_json_known_real(j, "at_visible_ratio", true, gap->at_visible);
	ts_json_known_real(j, "after_10_ratio", true, gap->after_10);
	ts_json_known_real(j, "after_30_ratio", true, gap->after_30);
	ts_json_known_real(j, "after_100_ratio", true, gap->after_100);
	ts_json_known_real(j, "slope_per_step", true, gap->slope);
	ts_json_known_real(j, "saturation_ratio", true, gap->saturation);
	ts_json_known_real(j, "greatest_ratio", true, gap->greatest);
	ts_json_known_step(j, "greatest_step", true, gap->greatest_step);
	ts_json_known_real(j, "a_greater_ratio", true, gap->bias);
	ts_json_count(j, "point_count", gap->points);
	ts_json_count(j, "differing_count", gap->differing);
	ts_json_known_step(j, "last_step", true, gap->last_step);
	ts_json_end(j);
}

static void tier(struct ts_json *j, const char *key, const struct ts_tier *t)
{
	ts_json_key(j, key);
	ts_json_object(j);
	ts_json_word(j, "answer", ts_tier_word(t->answer));
	ts_json_text(j, "why", t->why);
	ts_json_end(j);
}

static void sentences(struct ts_json *j, const char *key, const struct ts_span *items, size_t n)
{
	ts_json_key(j, key);
	ts_json_array(j);
	for (size_t i = 0; i < n; i++)
		ts_json_span(j, items[i]);
	ts_json_end(j);
}

static void experiments(struct ts_json *j, const struct ts_diagnosis *d)
{
	ts_json_key(j, "experiments");
	ts_json_array(j);
	for (size_t i = 0; i < d->n_experiments; i++) {
		const struct ts_experiment *e = &d->experiments[i];

		ts_json_object(j);
		ts_json_text(j, "what", e->what);
		ts_json_text(j, "command", e->command);
		ts_json_text(j, "splits", e->splits);
		ts_json_count(j, "run_step_count", e->steps);
		ts_json_end(j);
	}
	ts_json_end(j);
}

enum ts_status ts_json_diagnosis(struct ts_json *j, const struct ts_diagnosis *d, struct ts_arena *arena, struct ts_error *err)
{
	ts_json_key(j, "diagnosis");
	ts_json_object(j);
	ts_json_word(j, "cause", ts_cause_word(d->cause));
	ts_json_word(j, "title", ts_cause_title(d->cause));
	ts_json_word(j, "confidence", ts_confidence_word(d->confidence));
	ts_json_known_step(j, "step", d->has_step, d->step);
	ts_json_text(j, "sentence", d->sentence);
	ts_json_key(j, "tiers");
	ts_json_object(j);
	tier(j, "bit_exact", &d->bits);
	tier(j, "numerically_equivalent", &d->numeric);
	tier(j, "statistically_equivalent", &d->statistical);
	ts_json_end(j);
	sentences(j, "evidence_for", d->evidence_for, d->n_for);
	sentences(j, "evidence_against", d->evidence_against, d->n_against);
	ts_json_key(j, "remaining");
	ts_json_array(j);
	for (size_t i = 0; i < d->n_remaining; i++)
		ts_json_string(j, ts_cause_word(d->remaining[i]));
	ts_json_end(j);
	experiments(j, d);
	if (ts_json_measures(j, "features", &d->features, arena, err))
		return err->status;
	ts_json_unknown(j, "unknown", &d->features);
	ts_json_end(j);
	return TS_OK;
}

static void digest(struct ts_json *j, const char *key, bool known, uint64_t value)
{
	ts_json_key(j, key);
	if (known)
		ts_json_hex64(j, value);
	else
		ts_json_null(j);
}

void ts_json_ops(struct ts_json *j, const struct ts_op_diff *ops)
{
	ts_json_key(j, "ops");
	ts_json_object(j);
	ts_json_count(j, "compared_count", ops->compared);
	ts_json_count(j, "only_a_count", ops->only_a);
	ts_json_count(j, "only_b_count", ops->only_b);
	ts_json_key(j, "reordered");
	ts_json_bool(j, ops->reordered);
	ts_json_key(j, "rows");
	ts_json_array(j);
	for (size_t i = 0; i < ops->n; i++) {
		const struct ts_op_row *row = &ops->rows[i];

		ts_json_object(j);
		ts_json_known_step(j, "rank", row->rank != TS_RANK_JOB, row->rank);
		ts_json_word(j, "role", ts_op_role_word(row->role));
		ts_json_known_step(j, "step", true, row->step);
		ts_json_count(j, "ordinal", row->ordinal);
		ts_json_key(j, "name");
		ts_json_span(j, row->name);
		ts_json_count(j, "occurrence", row->occurrence);
		digest(j, "a_inputs", row->has_inputs, row->in_a);
		digest(j, "b_inputs", row->has_inputs, row->in_b);
		digest(j, "a_output", true, row->out_a);
		digest(j, "b_output", true, row->out_b);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_end(j);
}
