/* wire_analysis.c - Analyze: what one run measured, and what follows from it. */
#include "proto/shape/shape_wire.h"
#include "proto/shape/shapes.h"

/* --- request --- */

static double above_zero(struct ts_wire_reader *r, double value, const char *field)
{
	if (!(value > 0) || isinf(value))
		ts_wire_fail(r, field, "is no number above 0");
	return value;
}

static ProtobufCMessage *build_analyze_request(const struct ts_analyze_request *in, struct ts_arena *arena)
{
	Tscope__V1__AnalyzeRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(analyze_request));

	if (!m)
		return NULL;
	m->spec = ts_wire_span(in->spec);
	if (in->has_warmup) {
		m->warmup_choice_case = TSCOPE__V1__ANALYZE_REQUEST__WARMUP_CHOICE_WARMUP;
		m->warmup = in->warmup;
	}
	if (in->has_rank) {
		m->rank_choice_case = TSCOPE__V1__ANALYZE_REQUEST__RANK_CHOICE_RANK;
		m->rank = in->rank;
	}
	if (in->has_flops_per_step) {
		m->flops_choice_case = TSCOPE__V1__ANALYZE_REQUEST__FLOPS_CHOICE_FLOPS_PER_STEP;
		m->flops_per_step = in->flops_per_step;
	}
	if (in->has_peak_flops_per_s) {
		m->peak_choice_case = TSCOPE__V1__ANALYZE_REQUEST__PEAK_CHOICE_PEAK_FLOPS_PER_S;
		m->peak_flops_per_s = in->peak_flops_per_s;
	}
	if (in->has_microbatches) {
		m->microbatches_choice_case = TSCOPE__V1__ANALYZE_REQUEST__MICROBATCHES_CHOICE_MICROBATCHES;
		m->microbatches = in->microbatches;
	}
	m->dtype = ts_wire_span(in->dtype);
	m->policy = ts_shape_build_list(&ts_shape_policy_item, in->policy.items, in->policy.n, arena);
	m->n_policy = in->policy.n;
	m->fresh = in->fresh;
	return m->policy ? &m->base : NULL;
}

static void read_analyze_request(struct ts_wire_reader *r, const Tscope__V1__AnalyzeRequest *m,
				 struct ts_analyze_request *out)
{
	out->spec = ts_wire_text(r, m->spec, TS_WIRE_SPEC_MAX, "spec");
	out->has_warmup = m->warmup_choice_case == TSCOPE__V1__ANALYZE_REQUEST__WARMUP_CHOICE_WARMUP;
	if (out->has_warmup)
		out->warmup = m->warmup;
	out->has_rank = m->rank_choice_case == TSCOPE__V1__ANALYZE_REQUEST__RANK_CHOICE_RANK;
	if (out->has_rank)
		out->rank = m->rank;
	out->has_flops_per_step = m->flops_choice_case == TSCOPE__V1__ANALYZE_REQUEST__FLOPS_CHOICE_FLOPS_PER_STEP;
	if (out->has_flops_per_step)
		out->flops_per_step = above_zero(r, m->flops_per_step, "flops_per_step");
	out->has_peak_flops_per_s = m->peak_choice_case == TSCOPE__V1__ANALYZE_REQUEST__PEAK_CHOICE_PEAK_FLOPS_PER_S;
	if (out->has_peak_flops_per_s)
		out->peak_flops_per_s = above_zero(r, m->peak_flops_per_s, "peak_flops_per_s");
	out->has_microbatches =
		m->microbatches_choice_case == TSCOPE__V1__ANALYZE_REQUEST__MICROBATCHES_CHOICE_MICROBATCHES;
	if (out->has_microbatches)
		out->microbatches = m->microbatches;
	if (out->has_microbatches && out->microbatches == 0)
		ts_wire_fail(r, "microbatches", "is 0");
	out->dtype = ts_wire_text(r, m->dtype, TS_PATH_MAX, "dtype");
	out->policy.items = ts_shape_read_list(&ts_shape_policy_item, r, m->policy, m->n_policy, TS_WIRE_POLICY_MAX, "policy", &out->policy.n);
	out->fresh = m->fresh;
}

WIRE_PACK(analyze_request, ts_analyze_request);
WIRE_UNPACK(analyze_request, ts_analyze_request, analyze_request);

/* --- rows --- */

static Tscope__V1__Event **build_events(const struct ts_events *in, struct ts_arena *arena)
{
	Tscope__V1__Event **rows = ts_wire_rows(arena, in->n, WIRE_DESCRIPTOR(event));

	for (size_t i = 0; rows && i < in->n; i++) {
		const struct ts_event *e = &in->items[i];

		rows[i]->kind = (Tscope__V1__EventKind)e->kind;
		rows[i]->group = ts_wire_span(e->group);
		rows[i]->subject = ts_wire_span(e->subject);
		rows[i]->first_step = e->first_step;
		rows[i]->last_step = e->last_step;
		rows[i]->value = e->value;
		rows[i]->expected = e->expected;
		rows[i]->score = e->score;
	}
	return rows;
}

static void read_events(struct ts_wire_reader *r, Tscope__V1__Event **rows, size_t n, struct ts_events *out)
{
	out->items = ts_wire_array(r, n, sizeof *out->items, TS_MESSAGE_MAX, "events", &out->n);
	out->cap = out->n;
	for (size_t i = 0; i < out->n; i++) {
		struct ts_event *e = &out->items[i];

		e->kind = (enum ts_event_kind)ts_wire_enum(r, (int)rows[i]->kind, TS_EVENT_SPIKE, TS_EVENT_ONSET, "events.kind");
		e->group = ts_wire_bytes(r, rows[i]->group, TS_PATH_MAX, "events.group");
		e->subject = ts_wire_bytes(r, rows[i]->subject, TS_WIRE_TEXT_MAX, "events.subject");
		e->first_step = rows[i]->first_step;
		e->last_step = rows[i]->last_step;
		if (e->last_step < e->first_step)
			ts_wire_fail(r, "events.last_step", "is before the first");
		e->value = rows[i]->value;
		e->expected = rows[i]->expected;
		e->score = rows[i]->score;
	}
}

/* --- what follows from them --- */

static bool fill_finding(Tscope__V1__Finding *m, const struct ts_finding *in, struct ts_arena *arena)
{
	m->code = ts_wire_span(in->code);
	m->severity = (Tscope__V1__Severity)in->severity;
	m->title = ts_wire_span(in->title);
	m->detail = ts_wire_span(in->detail);
	m->advice = ts_wire_span(in->advice);
	m->ranks = ts_wire_ranks(in->ranks);
	m->n_ranks = in->n_ranks;
	m->evidence = ts_shape_build_list(&ts_shape_measure, in->evidence, in->n_evidence, arena);
	m->n_evidence = in->n_evidence;
	if (in->has_steps) {
		m->steps = ts_wire_new(arena, WIRE_DESCRIPTOR(step_range));
		if (!m->steps)
			return false;
		m->steps->first = in->first_step;
		m->steps->last = in->last_step;
	}
	return m->evidence;
}

static void read_finding(struct ts_wire_reader *r, const Tscope__V1__Finding *m, struct ts_finding *out)
{
	out->code = ts_wire_bytes(r, m->code, TS_PATH_MAX, "findings.code");
	out->severity = (enum ts_severity)ts_wire_enum(r, (int)m->severity, TS_SEVERITY_LOW, TS_SEVERITY_HIGH,
						       "findings.severity");
	out->title = ts_wire_bytes(r, m->title, TS_WIRE_TEXT_MAX, "findings.title");
	out->detail = ts_wire_bytes(r, m->detail, TS_WIRE_TEXT_MAX, "findings.detail");
	out->advice = ts_wire_bytes(r, m->advice, TS_WIRE_TEXT_MAX, "findings.advice");
	out->ranks = ts_wire_int32s(r, m->ranks, m->n_ranks, TS_RANKS_MAX, "findings.ranks", &out->n_ranks);
	out->evidence = ts_shape_read_list(&ts_shape_measure, r, m->evidence, m->n_evidence, TS_ENTRIES_OF(2), "findings.evidence", &out->n_evidence);
	out->has_steps = m->steps;
	if (m->steps) {
		out->first_step = m->steps->first;
		out->last_step = m->steps->last;
	}
}

static bool build_findings(Tscope__V1__AnalyzeReply *m, const struct ts_findings *in, struct ts_arena *arena)
{
	m->findings = ts_wire_rows(arena, in->n, WIRE_DESCRIPTOR(finding));
	m->unchecked = ts_wire_rows(arena, in->n_unchecked, WIRE_DESCRIPTOR(unchecked));
	if (!m->findings || !m->unchecked)
		return false;
	m->n_findings = in->n;
	for (size_t i = 0; i < in->n; i++)
		if (!fill_finding(m->findings[i], &in->items[i], arena))
			return false;
	m->n_unchecked = in->n_unchecked;
	for (size_t i = 0; i < in->n_unchecked; i++) {
		m->unchecked[i]->code = ts_wire_span(in->unchecked[i].code);
		m->unchecked[i]->reason = ts_wire_span(in->unchecked[i].reason);
	}
	return true;
}

static void read_findings(struct ts_wire_reader *r, const Tscope__V1__AnalyzeReply *m, struct ts_findings *out)
{
	out->items = ts_wire_array(r, m->n_findings, sizeof *out->items, TS_MESSAGE_MAX, "findings", &out->n);
	out->cap = out->n;
	for (size_t i = 0; i < out->n; i++)
		read_finding(r, m->findings[i], &out->items[i]);
	out->unchecked = ts_wire_array(r, m->n_unchecked, sizeof *out->unchecked, TS_MESSAGE_MAX, "unchecked",
				       &out->n_unchecked);
	out->cap_unchecked = out->n_unchecked;
	for (size_t i = 0; i < out->n_unchecked; i++) {
		out->unchecked[i].code = ts_wire_bytes(r, m->unchecked[i]->code, TS_PATH_MAX, "unchecked.code");
		out->unchecked[i].reason = ts_wire_bytes(r, m->unchecked[i]->reason, TS_WIRE_TEXT_MAX, "unchecked.reason");
	}
}

/* --- reply --- */

static ProtobufCMessage *build_analyze_reply(const struct ts_analysis *in, struct ts_arena *arena)
{
	Tscope__V1__AnalyzeReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(analyze_reply));

	if (!m)
		return NULL;
	m->run = ts_shape_build(&ts_shape_run, &in->run, arena);
	m->rank = in->rank;
	m->warmup_cut = in->warmup_cut;
	m->measures = ts_shape_build_list(&ts_shape_measure, in->measures.items, in->measures.n, arena);
	m->n_measures = in->measures.n;
	m->notes = ts_wire_spans(arena, in->notes, in->n_notes);
	m->n_notes = in->n_notes;
	m->events = build_events(&in->events, arena);
	m->n_events = in->events.n;
	m->plots = ts_shape_build_list(&ts_shape_plot, in->plots.items, in->plots.n, arena);
	m->n_plots = in->plots.n;
	m->bound = ts_shape_build(&ts_shape_bound, &in->bound, arena);
	if (!m->run || !m->measures || !m->notes || !m->events || !m->plots || !m->bound ||
	    !build_findings(m, &in->findings, arena))
		return NULL;
	return &m->base;
}

static void read_analyze_reply(struct ts_wire_reader *r, const Tscope__V1__AnalyzeReply *m, struct ts_analysis *out)
{
	ts_shape_read_one(&ts_shape_run, r, m->run, "run", &out->run);
	out->rank = m->rank;
	out->warmup_cut = m->warmup_cut;
	out->measures.items = ts_shape_read_list(&ts_shape_measure, r, m->measures, m->n_measures, TS_ENTRIES_OF(2), "measures", &out->measures.n);
	out->measures.cap = out->measures.n;
	read_events(r, m->events, m->n_events, &out->events);
	out->plots.items = ts_shape_read_list(&ts_shape_plot, r, m->plots, m->n_plots, TS_ENTRIES_OF(4), "plots", &out->plots.n);
	out->plots.cap = out->plots.n;
	ts_shape_read_one(&ts_shape_bound, r, m->bound, "bound", &out->bound);
	read_findings(r, m, &out->findings);
	out->notes = ts_wire_array(r, m->n_notes, sizeof *out->notes, TS_MESSAGE_MAX, "notes", &out->n_notes);
	for (size_t i = 0; i < out->n_notes; i++)
		out->notes[i] = ts_wire_bytes(r, m->notes[i], TS_WIRE_TEXT_MAX, "notes");
}

WIRE_PACK(analyze_reply, ts_analysis);
WIRE_UNPACK(analyze_reply, ts_analysis, analyze_reply);
