/* wire_diagnosis.c - the parts of a Diff reply about the diagnosis: how far apart, why, and in which operation. */
#include "proto/wire_message.h"


Tscope__V1__Gap *ts_wire_build_gap(const struct ts_gap *in, struct ts_arena *arena)
{
	Tscope__V1__Gap *m = ts_wire_new(arena, WIRE_DESCRIPTOR(gap));

	if (!m)
		return NULL;
	m->quantum = in->quantum;
	if (in->visible) {
		m->visible_choice_case = TSCOPE__V1__GAP__VISIBLE_CHOICE_VISIBLE_STEP;
		m->visible_step = in->visible_step;
	}
	m->first = in->first;
	m->at_visible = in->at_visible;
	m->after_10 = in->after_10;
	m->after_30 = in->after_30;
	m->after_100 = in->after_100;
	m->slope = in->slope;
	m->saturation = in->saturation;
	m->greatest = in->greatest;
	m->greatest_step = in->greatest_step;
	m->bias = in->bias;
	m->points = in->points;
	m->differing = in->differing;
	m->last_step = in->last_step;
	return m;
}

void ts_wire_read_gap(const Tscope__V1__Gap *m, struct ts_gap *out)
{
	*out = (struct ts_gap){
		.known = true,
		.quantum = m->quantum,
		.visible = m->visible_choice_case == TSCOPE__V1__GAP__VISIBLE_CHOICE_VISIBLE_STEP,
		.first = m->first,
		.at_visible = m->at_visible,
		.after_10 = m->after_10,
		.after_30 = m->after_30,
		.after_100 = m->after_100,
		.slope = m->slope,
		.saturation = m->saturation,
		.greatest = m->greatest,
		.greatest_step = m->greatest_step,
		.bias = m->bias,
		.points = m->points,
		.differing = m->differing,
		.last_step = m->last_step,
	};
	if (out->visible)
		out->visible_step = m->visible_step;
}

static Tscope__V1__Tier *build_tier(const struct ts_tier *in, struct ts_arena *arena)
{
	Tscope__V1__Tier *m = ts_wire_new(arena, WIRE_DESCRIPTOR(tier));

	if (!m)
		return NULL;
	m->answer = (Tscope__V1__TierAnswer)in->answer;
	m->why = ts_wire_span(in->why);
	return m;
}

static void read_tier(struct ts_wire_reader *r, const Tscope__V1__Tier *m, struct ts_tier *out)
{
	if (!ts_wire_need(r, m, "diagnosis.tier"))
		return;
	out->answer = (enum ts_tier_answer)ts_wire_enum(r, (int)m->answer, TS_TIER_UNKNOWN, TS_TIER_FAILS, "diagnosis.tier");
	out->why = ts_wire_bytes(r, m->why, TS_WIRE_TEXT_MAX, "diagnosis.tier.why");
}

static Tscope__V1__Experiment **build_experiments(const struct ts_diagnosis *in, struct ts_arena *arena)
{
	Tscope__V1__Experiment **rows = ts_wire_rows(arena, in->n_experiments, WIRE_DESCRIPTOR(experiment));

	for (size_t i = 0; rows && i < in->n_experiments; i++) {
		rows[i]->what = ts_wire_span(in->experiments[i].what);
		rows[i]->command = ts_wire_span(in->experiments[i].command);
		rows[i]->splits = ts_wire_span(in->experiments[i].splits);
		rows[i]->steps = in->experiments[i].steps;
	}
	return rows;
}

static Tscope__V1__Cause *build_causes(const struct ts_diagnosis *in, struct ts_arena *arena)
{
	Tscope__V1__Cause *causes = ts_arena_array(arena, in->n_remaining, sizeof *causes);

	for (size_t i = 0; causes && i < in->n_remaining; i++)
		causes[i] = (Tscope__V1__Cause)in->remaining[i];
	return causes;
}

Tscope__V1__Diagnosis *ts_wire_build_diagnosis(const struct ts_diagnosis *in, struct ts_arena *arena)
{
	Tscope__V1__Diagnosis *m = ts_wire_new(arena, WIRE_DESCRIPTOR(diagnosis));

	if (!m)
		return NULL;
	m->cause = (Tscope__V1__Cause)in->cause;
	m->confidence = (Tscope__V1__Confidence)in->confidence;
	if (in->has_step) {
		m->step_choice_case = TSCOPE__V1__DIAGNOSIS__STEP_CHOICE_STEP;
		m->step = in->step;
	}
	m->sentence = ts_wire_span(in->sentence);
	m->bits = build_tier(&in->bits, arena);
	m->numeric = build_tier(&in->numeric, arena);
	m->statistical = build_tier(&in->statistical, arena);
	m->evidence_for = ts_wire_spans(arena, in->evidence_for, in->n_for);
	m->evidence_against = ts_wire_spans(arena, in->evidence_against, in->n_against);
	m->remaining = build_causes(in, arena);
	m->experiments = build_experiments(in, arena);
	m->features = ts_wire_build_measures(in->features.items, in->features.n, arena);
	if (!m->bits || !m->numeric || !m->statistical || !m->evidence_for || !m->evidence_against || !m->remaining ||
	    !m->experiments || !m->features)
		return NULL;
	m->n_evidence_for = in->n_for;
	m->n_evidence_against = in->n_against;
	m->n_remaining = in->n_remaining;
	m->n_experiments = in->n_experiments;
	m->n_features = in->features.n;
	return m;
}

static struct ts_span *read_sentences(struct ts_wire_reader *r, const ProtobufCBinaryData *in, size_t n, size_t *ret_n)
{
	struct ts_span *out = ts_wire_array(r, n, sizeof *out, TS_MESSAGE_MAX, "diagnosis.evidence", ret_n);

	for (size_t i = 0; i < *ret_n; i++)
		out[i] = ts_wire_bytes(r, in[i], TS_WIRE_TEXT_MAX, "diagnosis.evidence");
	return out;
}

static enum ts_cause read_cause(struct ts_wire_reader *r, int cause)
{
	return (enum ts_cause)ts_wire_enum(r, cause, TS_CAUSE_UNKNOWN, TS_CAUSES - 1, "diagnosis.cause");
}

static void read_experiment(struct ts_wire_reader *r, const Tscope__V1__Experiment *m, struct ts_experiment *out)
{
	out->what = ts_wire_bytes(r, m->what, TS_WIRE_TEXT_MAX, "diagnosis.experiments.what");
	out->command = ts_wire_bytes(r, m->command, TS_WIRE_TEXT_MAX, "diagnosis.experiments.command");
	out->splits = ts_wire_bytes(r, m->splits, TS_WIRE_TEXT_MAX, "diagnosis.experiments.splits");
	out->steps = m->steps;
}

void ts_wire_read_diagnosis(struct ts_wire_reader *r, const Tscope__V1__Diagnosis *m, struct ts_diagnosis *out)
{
	out->cause = read_cause(r, (int)m->cause);
	out->confidence = (enum ts_confidence)ts_wire_enum(r, (int)m->confidence, TS_CONFIDENCE_NONE, TS_CONFIDENCE_HIGH,
							   "diagnosis.confidence");
	out->has_step = m->step_choice_case == TSCOPE__V1__DIAGNOSIS__STEP_CHOICE_STEP;
	if (out->has_step)
		out->step = m->step;
	out->sentence = ts_wire_bytes(r, m->sentence, TS_WIRE_TEXT_MAX, "diagnosis.sentence");
	read_tier(r, m->bits, &out->bits);
	read_tier(r, m->numeric, &out->numeric);
	read_tier(r, m->statistical, &out->statistical);
	out->evidence_for = read_sentences(r, m->evidence_for, m->n_evidence_for, &out->n_for);
	out->evidence_against = read_sentences(r, m->evidence_against, m->n_evidence_against, &out->n_against);
	out->remaining = ts_wire_array(r, m->n_remaining, sizeof *out->remaining, TS_CAUSES, "diagnosis.remaining",
				       &out->n_remaining);
	for (size_t i = 0; i < out->n_remaining; i++)
		out->remaining[i] = read_cause(r, (int)m->remaining[i]);
	out->experiments = ts_wire_array(r, m->n_experiments, sizeof *out->experiments, TS_MESSAGE_MAX,
					 "diagnosis.experiments", &out->n_experiments);
	for (size_t i = 0; i < out->n_experiments; i++)
		read_experiment(r, m->experiments[i], &out->experiments[i]);
	out->features.items = ts_wire_read_measures(r, m->features, m->n_features, &out->features.n);
	out->features.cap = out->features.n;
}

Tscope__V1__OpDiff *ts_wire_build_ops(const struct ts_op_diff *in, struct ts_arena *arena)
{
	Tscope__V1__OpDiff *m = ts_wire_new(arena, WIRE_DESCRIPTOR(op_diff));

	if (!m)
		return NULL;
	m->rows = ts_wire_rows(arena, in->n, WIRE_DESCRIPTOR(op_row));
	if (!m->rows)
		return NULL;
	m->n_rows = in->n;
	for (size_t i = 0; i < in->n; i++) {
		const struct ts_op_row *row = &in->rows[i];

		m->rows[i]->rank = row->rank;
		m->rows[i]->role = (Tscope__V1__OpRole)row->role;
		m->rows[i]->step = row->step;
		m->rows[i]->ordinal = row->ordinal;
		m->rows[i]->name = ts_wire_span(row->name);
		m->rows[i]->occurrence = row->occurrence;
		m->rows[i]->has_inputs = row->has_inputs;
		m->rows[i]->in_a = row->in_a;
		m->rows[i]->in_b = row->in_b;
		m->rows[i]->out_a = row->out_a;
		m->rows[i]->out_b = row->out_b;
	}
	m->compared = in->compared;
	m->only_a = in->only_a;
	m->only_b = in->only_b;
	m->reordered = in->reordered;
	return m;
}

static void read_op(struct ts_wire_reader *r, const Tscope__V1__OpRow *m, struct ts_op_row *out)
{
	out->rank = m->rank;
	out->role = (enum ts_op_role)ts_wire_enum(r, (int)m->role, TS_OP_ORIGIN, TS_OP_RECEIVER, "ops.role");
	out->step = m->step;
	out->ordinal = m->ordinal;
	out->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "ops.name");
	out->occurrence = m->occurrence;
	out->has_inputs = m->has_inputs;
	out->in_a = m->in_a;
	out->in_b = m->in_b;
	out->out_a = m->out_a;
	out->out_b = m->out_b;
}

void ts_wire_read_ops(struct ts_wire_reader *r, const Tscope__V1__OpDiff *m, struct ts_op_diff *out)
{
	out->rows = ts_wire_array(r, m->n_rows, sizeof *out->rows, TS_RANKS_MAX, "ops.rows", &out->n);
	for (size_t i = 0; i < out->n; i++)
		read_op(r, m->rows[i], &out->rows[i]);
	out->compared = m->compared;
	out->only_a = m->only_a;
	out->only_b = m->only_b;
	out->reordered = m->reordered;
}
