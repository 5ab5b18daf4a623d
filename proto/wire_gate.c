/* wire_gate.c - Gate and Baseline: what a verdict rests on, and the verdict. GateInput packed is also the record of a verdict, in
 * files that outlive the runs. */
#include "analysis/policy.h"
#include "proto/shape/shape_wire.h"
#include "proto/shape/shapes.h"
#include "proto/wire_reduction.h"

enum {
	RUNS_MAX = TS_GATE_RUNS_MAX,
	FACTS_MAX = 64,
	WARNINGS_MAX = 64,
	WHY_MAX = 256,
	POLICY_TEXT_MAX = 64 << 10,
	ANCESTORS_MAX = 64 << 10,
};

/* --- the input --- */

static bool build_policy(const struct ts_gate_policy *in, struct ts_arena *arena, ProtobufCBinaryData *ret)
{
	struct ts_buf text = TS_BUF_INIT(POLICY_TEXT_MAX);
	struct ts_span copy = {NULL, 0};

	ts_gate_policy_print(in, &text);
	if (!text.failed)
		copy = ts_arena_span(arena, ts_buf_view(&text));
	ts_buf_finish(&text);
	*ret = ts_wire_span(copy);
	return copy.data != NULL;
}

static bool build_runs(const struct ts_gate_input *in, struct ts_arena *arena, Tscope__V1__GateInput *m)
{
	m->runs = ts_arena_array(arena, in->n_runs, sizeof(Tscope__V1__GateRun *));
	if (!m->runs)
		return false;
	for (size_t i = 0; i < in->n_runs; i++) {
		m->runs[i] = ts_wire_build_gate_run(&in->runs[i], arena);
		if (!m->runs[i])
			return false;
	}
	m->n_runs = in->n_runs;
	return true;
}

static bool build_passed_over(const struct ts_gate_input *in, struct ts_arena *arena, Tscope__V1__GateInput *m)
{
	m->passed_over = ts_wire_rows(arena, in->n_passed_over, WIRE_DESCRIPTOR(gate_passed_over));
	if (!m->passed_over)
		return false;
	m->n_passed_over = in->n_passed_over;
	for (size_t i = 0; i < in->n_passed_over; i++) {
		m->passed_over[i]->id = ts_wire_id_bytes(&in->passed_over[i].id);
		m->passed_over[i]->name = ts_wire_span(in->passed_over[i].name);
		m->passed_over[i]->reason = ts_wire_span(in->passed_over[i].reason);
	}
	return true;
}

static bool build_differences(const struct ts_gate_input *in, struct ts_arena *arena, Tscope__V1__GateInput *m)
{
	m->differences = ts_wire_rows(arena, in->n_differences, WIRE_DESCRIPTOR(workload_difference));
	if (!m->differences)
		return false;
	m->n_differences = in->n_differences;
	for (size_t i = 0; i < in->n_differences; i++) {
		m->differences[i]->part = (Tscope__V1__WorkloadPart)(in->differences[i].part + 1);
		m->differences[i]->path = ts_wire_span(in->differences[i].path);
		m->differences[i]->a = ts_wire_span(in->differences[i].a);
		m->differences[i]->b = ts_wire_span(in->differences[i].b);
	}
	return true;
}

static bool build_facts(const struct ts_gate_input *in, struct ts_arena *arena, Tscope__V1__GateInput *m)
{
	m->facts = ts_wire_rows(arena, in->n_facts, WIRE_DESCRIPTOR(gate_fact));
	if (!m->facts)
		return false;
	m->n_facts = in->n_facts;
	m->facts_more = in->facts_more;
	for (size_t i = 0; i < in->n_facts; i++) {
		m->facts[i]->path = ts_wire_span(in->facts[i].path);
		m->facts[i]->a = ts_wire_span(in->facts[i].a);
		m->facts[i]->b = ts_wire_span(in->facts[i].b);
	}
	return true;
}

static Tscope__V1__GateLoss *build_loss(const struct ts_gate_loss *in, struct ts_arena *arena)
{
	Tscope__V1__GateLoss *m = ts_wire_new(arena, WIRE_DESCRIPTOR(gate_loss));

	if (!m)
		return NULL;
	m->bits = (Tscope__V1__TierAnswer)in->bits;
	m->numeric = (Tscope__V1__TierAnswer)in->numeric;
	m->statistical = (Tscope__V1__TierAnswer)in->statistical;
	m->sentence = ts_wire_span(in->sentence);
	return m;
}

static Tscope__V1__GateInput *build_input(const struct ts_gate_input *in, struct ts_arena *arena)
{
	Tscope__V1__GateInput *m = ts_wire_new(arena, WIRE_DESCRIPTOR(gate_input));

	if (!m)
		return NULL;
	m->analysis_version = in->analysis_version;
	m->baseline = ts_wire_span(in->baseline);
	m->sentence = ts_wire_span(in->sentence);
	m->not_comparable = ts_wire_span(in->not_comparable);
	m->loss = build_loss(&in->loss, arena);
	if (!m->loss || !build_policy(&in->policy, arena, &m->policy) || !build_runs(in, arena, m) ||
	    !build_passed_over(in, arena, m) || !build_differences(in, arena, m) || !build_facts(in, arena, m))
		return NULL;
	return m;
}

static ProtobufCMessage *build_gate_input(const struct ts_gate_input *in, struct ts_arena *arena)
{
	Tscope__V1__GateInput *m = build_input(in, arena);

	return m ? &m->base : NULL;
}

static void read_gate_policy(struct ts_wire_reader *r, ProtobufCBinaryData in, struct ts_gate_policy *out)
{
	struct ts_span text = ts_wire_text(r, in, POLICY_TEXT_MAX, "policy");

	ts_gate_policy_default(out);
	if (!r->status)
		r->status = ts_policy_gate_parse(text, "the policy of a record", r->arena, out, r->err);
}

static void read_passed_over(struct ts_wire_reader *r, const Tscope__V1__GateInput *m, struct ts_gate_input *out)
{
	out->passed_over = ts_wire_array(r, m->n_passed_over, sizeof *out->passed_over, RUNS_MAX, "passed_over",
					 &out->n_passed_over);
	for (size_t i = 0; i < out->n_passed_over; i++) {
		out->passed_over[i].id = ts_wire_id(r, m->passed_over[i]->id, "passed_over.id");
		out->passed_over[i].name =
			ts_wire_text(r, m->passed_over[i]->name, TS_WIRE_SPEC_MAX, "passed_over.name");
		out->passed_over[i].reason =
			ts_wire_bytes(r, m->passed_over[i]->reason, TS_WIRE_TEXT_MAX, "passed_over.reason");
	}
}

static void read_differences(struct ts_wire_reader *r, const Tscope__V1__GateInput *m, struct ts_gate_input *out)
{
	out->differences = ts_wire_array(r, m->n_differences, sizeof *out->differences, RUNS_MAX, "differences",
					 &out->n_differences);
	for (size_t i = 0; i < out->n_differences; i++) {
		const Tscope__V1__WorkloadDifference *row = m->differences[i];
		int part = ts_wire_enum(r, row->part, 1, TS_WORKLOAD_PARTS, "differences.part");

		out->differences[i].part = (enum ts_workload_part)(part - 1);
		out->differences[i].path = ts_wire_bytes(r, row->path, TS_PATH_MAX, "differences.path");
		out->differences[i].a = ts_wire_bytes(r, row->a, TS_WIRE_TEXT_MAX, "differences.a");
		out->differences[i].b = ts_wire_bytes(r, row->b, TS_WIRE_TEXT_MAX, "differences.b");
	}
}

static void read_facts(struct ts_wire_reader *r, const Tscope__V1__GateInput *m, struct ts_gate_input *out)
{
	out->facts = ts_wire_array(r, m->n_facts, sizeof *out->facts, FACTS_MAX, "facts", &out->n_facts);
	out->facts_more = m->facts_more;
	for (size_t i = 0; i < out->n_facts; i++) {
		out->facts[i].path = ts_wire_bytes(r, m->facts[i]->path, TS_PATH_MAX, "facts.path");
		out->facts[i].a = ts_wire_bytes(r, m->facts[i]->a, TS_WIRE_TEXT_MAX, "facts.a");
		out->facts[i].b = ts_wire_bytes(r, m->facts[i]->b, TS_WIRE_TEXT_MAX, "facts.b");
	}
}

static void read_loss(struct ts_wire_reader *r, const Tscope__V1__GateLoss *m, struct ts_gate_loss *out)
{
	if (!ts_wire_need(r, m, "loss"))
		return;
	out->bits = (enum ts_tier_answer)ts_wire_enum(r, m->bits, TS_TIER_UNKNOWN, TS_TIER_FAILS, "loss.bits");
	out->numeric = (enum ts_tier_answer)ts_wire_enum(r, m->numeric, TS_TIER_UNKNOWN, TS_TIER_FAILS, "loss.numeric");
	out->statistical = (enum ts_tier_answer)ts_wire_enum(r, m->statistical, TS_TIER_UNKNOWN, TS_TIER_FAILS,
							     "loss.statistical");
	out->sentence = ts_wire_bytes(r, m->sentence, TS_WIRE_TEXT_MAX, "loss.sentence");
}

static void read_gate_input(struct ts_wire_reader *r, const Tscope__V1__GateInput *m, struct ts_gate_input *out)
{
	out->analysis_version = m->analysis_version;
	read_gate_policy(r, m->policy, &out->policy);
	out->baseline = ts_wire_bytes(r, m->baseline, TS_WIRE_TEXT_MAX, "baseline");
	out->sentence = ts_wire_bytes(r, m->sentence, TS_WIRE_TEXT_MAX, "sentence");
	out->not_comparable = ts_wire_bytes(r, m->not_comparable, TS_WIRE_TEXT_MAX, "not_comparable");
	out->runs = ts_wire_array(r, m->n_runs, sizeof *out->runs, RUNS_MAX, "runs", &out->n_runs);
	for (size_t i = 0; i < out->n_runs; i++)
		ts_wire_read_gate_run(r, m->runs[i], &out->runs[i]);
	read_passed_over(r, m, out);
	read_differences(r, m, out);
	read_facts(r, m, out);
	read_loss(r, m->loss, &out->loss);
}

WIRE_PACK(gate_input, ts_gate_input);
WIRE_UNPACK(gate_input, ts_gate_input, gate_input);

/* --- the request --- */

static ProtobufCMessage *build_gate_request(const struct ts_gate_request *in, struct ts_arena *arena)
{
	Tscope__V1__GateRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(gate_request));

	if (!m)
		return NULL;
	m->candidates = ts_wire_spans(arena, in->candidates, in->n_candidates);
	m->n_candidates = in->n_candidates;
	m->baselines = ts_wire_spans(arena, in->baselines, in->n_baselines);
	m->n_baselines = in->n_baselines;
	m->pairs = ts_wire_spans(arena, in->pairs, in->n_pairs);
	m->n_pairs = in->n_pairs;
	m->policy = ts_shape_build_list(&ts_shape_policy_item, in->policy.items, in->policy.n, arena);
	m->n_policy = in->policy.n;
	m->given = in->has_given ? build_input(&in->given, arena) : NULL;
	m->replay = in->replay;
	m->ancestors = ts_wire_span(in->ancestors);
	m->ancestors_cut = in->ancestors_cut;
	if (!m->candidates || !m->baselines || !m->pairs || !m->policy || (in->has_given && !m->given))
		return NULL;
	return &m->base;
}

static void read_gate_request(struct ts_wire_reader *r, const Tscope__V1__GateRequest *m, struct ts_gate_request *out)
{
	out->candidates = ts_wire_texts(r, m->candidates, m->n_candidates, TS_GATE_SPECS_MAX, TS_WIRE_SPEC_MAX,
					"candidates", &out->n_candidates);
	out->baselines = ts_wire_texts(r, m->baselines, m->n_baselines, TS_GATE_SPECS_MAX, TS_WIRE_SPEC_MAX,
				       "baselines", &out->n_baselines);
	out->pairs =
		ts_wire_texts(r, m->pairs, m->n_pairs, TS_GATE_SPECS_MAX, TS_WIRE_SPEC_MAX, "pairs", &out->n_pairs);
	out->policy.items = ts_shape_read_list(&ts_shape_policy_item, r, m->policy, m->n_policy, TS_WIRE_POLICY_MAX, "policy", &out->policy.n);
	out->has_given = m->given != NULL;
	if (m->given)
		read_gate_input(r, m->given, &out->given);
	out->replay = m->replay;
	out->ancestors = ts_wire_bytes(r, m->ancestors, ANCESTORS_MAX, "ancestors");
	out->ancestors_cut = m->ancestors_cut;
	if (m->replay && !m->given)
		ts_wire_fail(r, "given", "is not there: a replay needs one");
}

WIRE_PACK(gate_request, ts_gate_request);
WIRE_UNPACK(gate_request, ts_gate_request, gate_request);

/* --- the verdict --- */

static void fill_row(Tscope__V1__GateRow *m, const struct ts_gate_row *in)
{
	m->state = (Tscope__V1__GateState)in->state;
	m->gates = in->gates;
	m->reason = ts_wire_span(in->reason);
	m->baseline = in->base;
	m->candidate = in->candidate;
	m->base_draws = in->base_draws;
	m->candidate_draws = in->candidate_draws;
	m->size = in->size;
	m->low = in->low;
	m->high = in->high;
	m->sd = in->sd;
	m->df = in->df;
	m->prior_sd = in->prior_sd;
	m->prior_df = in->prior_df;
	m->t = in->t;
	m->p = in->p;
	m->could_miss = in->could_miss;
	m->weak = in->weak;
	m->paired = in->paired;
	m->pairs = in->pairs;
	m->pair_t = in->pair_t;
	m->pair_p = in->pair_p;
}

static void read_row(struct ts_wire_reader *r, const Tscope__V1__GateRow *m, enum ts_metric metric,
		     struct ts_gate_row *out)
{
	*out = (struct ts_gate_row){
		.metric = metric,
		.state = (enum ts_gate_state)ts_wire_enum(r, m->state, TS_GATE_PASS, TS_GATE_COLLECTING, "rows.state"),
		.gates = m->gates,
		.reason = ts_wire_bytes(r, m->reason, TS_WIRE_TEXT_MAX, "rows.reason"),
		.base = m->baseline,
		.candidate = m->candidate,
		.base_draws = m->base_draws,
		.candidate_draws = m->candidate_draws,
		.size = m->size,
		.low = m->low,
		.high = m->high,
		.sd = m->sd,
		.df = m->df,
		.prior_sd = m->prior_sd,
		.prior_df = m->prior_df,
		.t = m->t,
		.p = m->p,
		.could_miss = m->could_miss,
		.weak = m->weak,
		.paired = m->paired,
		.pairs = m->pairs,
		.pair_t = m->pair_t,
		.pair_p = m->pair_p,
	};
}

static bool build_why(const struct ts_verdict *in, struct ts_arena *arena, Tscope__V1__GateReply *m)
{
	m->why = ts_wire_rows(arena, in->n_why, WIRE_DESCRIPTOR(gate_why));
	if (!m->why)
		return false;
	m->n_why = in->n_why;
	for (size_t i = 0; i < in->n_why; i++) {
		m->why[i]->kind = ts_wire_span(in->why[i].kind);
		m->why[i]->name = ts_wire_span(in->why[i].name);
		m->why[i]->baseline = in->why[i].base;
		m->why[i]->candidate = in->why[i].candidate;
		m->why[i]->share = in->why[i].share;
	}
	return true;
}

static Tscope__V1__GateAsk *build_ask(const struct ts_gate_ask *in, struct ts_arena *arena)
{
	Tscope__V1__GateAsk *m = ts_wire_new(arena, WIRE_DESCRIPTOR(gate_ask));

	if (!m || !in->pairs)
		return m;
	m->pairs = in->pairs;
	m->base_commit = ts_wire_span(in->base_commit);
	m->candidate_commit = ts_wire_span(in->candidate_commit);
	m->baseline = ts_wire_id_bytes(&in->base);
	m->candidate = ts_wire_id_bytes(&in->candidate);
	return m;
}

static ProtobufCMessage *build_gate_reply(const struct ts_verdict *in, struct ts_arena *arena)
{
	Tscope__V1__GateReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(gate_reply));

	if (!m)
		return NULL;
	m->input = build_input(&in->input, arena);
	m->ask = build_ask(&in->ask, arena);
	m->rows = ts_wire_rows(arena, TS_METRICS, WIRE_DESCRIPTOR(gate_row));
	m->warnings = ts_wire_spans(arena, in->warnings, in->n_warnings);
	if (!m->input || !m->ask || !m->rows || !m->warnings || !build_why(in, arena, m))
		return NULL;
	m->state = (Tscope__V1__GateState)in->state;
	m->exit_code = (uint32_t)in->exit_code;
	m->sentence = ts_wire_span(in->sentence);
	m->n_warnings = in->n_warnings;
	m->n_rows = TS_METRICS;
	for (size_t i = 0; i < TS_METRICS; i++)
		fill_row(m->rows[i], &in->rows[i]);
	m->policy_digest = ts_wire_id_bytes(&in->policy_digest);
	return &m->base;
}

static void read_why(struct ts_wire_reader *r, const Tscope__V1__GateReply *m, struct ts_verdict *out)
{
	out->why = ts_wire_array(r, m->n_why, sizeof *out->why, WHY_MAX, "why", &out->n_why);
	for (size_t i = 0; i < out->n_why; i++)
		out->why[i] = (struct ts_gate_why){
			.kind = ts_wire_bytes(r, m->why[i]->kind, TS_PATH_MAX, "why.kind"),
			.name = ts_wire_bytes(r, m->why[i]->name, TS_PATH_MAX, "why.name"),
			.base = m->why[i]->baseline,
			.candidate = m->why[i]->candidate,
			.share = m->why[i]->share,
		};
}

static void read_ask(struct ts_wire_reader *r, const Tscope__V1__GateAsk *m, struct ts_gate_ask *out)
{
	if (!ts_wire_need(r, m, "ask") || m->pairs == 0)
		return;
	out->pairs = m->pairs;
	out->base_commit = ts_wire_bytes(r, m->base_commit, TS_PATH_MAX, "ask.base_commit");
	out->candidate_commit = ts_wire_bytes(r, m->candidate_commit, TS_PATH_MAX, "ask.candidate_commit");
	out->base = ts_wire_id(r, m->baseline, "ask.baseline");
	out->candidate = ts_wire_id(r, m->candidate, "ask.candidate");
}

static void read_warnings(struct ts_wire_reader *r, const Tscope__V1__GateReply *m, struct ts_verdict *out)
{
	out->warnings =
		ts_wire_array(r, m->n_warnings, sizeof *out->warnings, WARNINGS_MAX, "warnings", &out->n_warnings);
	for (size_t i = 0; i < out->n_warnings; i++)
		out->warnings[i] = ts_wire_bytes(r, m->warnings[i], TS_WIRE_TEXT_MAX, "warnings");
}

static void read_gate_reply(struct ts_wire_reader *r, const Tscope__V1__GateReply *m, struct ts_verdict *out)
{
	if (ts_wire_need(r, m->input, "input"))
		read_gate_input(r, m->input, &out->input);
	out->state = (enum ts_gate_state)ts_wire_enum(r, m->state, TS_GATE_PASS, TS_GATE_COLLECTING, "state");
	out->exit_code = (int)ts_wire_uint(r, m->exit_code, 4, "exit_code");
	out->sentence = ts_wire_bytes(r, m->sentence, TS_WIRE_TEXT_MAX, "sentence");
	read_warnings(r, m, out);
	if (m->n_rows != TS_METRICS)
		ts_wire_fail(r, "rows", "has not one row a metric");
	for (size_t i = 0; i < TS_METRICS && i < m->n_rows; i++)
		read_row(r, m->rows[i], (enum ts_metric)i, &out->rows[i]);
	read_why(r, m, out);
	read_ask(r, m->ask, &out->ask);
	out->policy_digest = ts_wire_id(r, m->policy_digest, "policy_digest");
}

WIRE_PACK(gate_reply, ts_verdict);
WIRE_UNPACK(gate_reply, ts_verdict, gate_reply);
