/* wire_analysis.c - Analyze: what one run measured, and what follows from it. */
#include "proto/wire_message.h"

/* Repeated numbers of protobuf-c, not copied: nothing is written through them. */
static double *doubles_of(const double *values)
{
	double *out;

	memcpy(&out, &values, sizeof out);
	return out;
}

static uint64_t *counts_of(const uint64_t *values)
{
	uint64_t *out;

	memcpy(&out, &values, sizeof out);
	return out;
}

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
	m->policy = ts_wire_build_policy(&in->policy, arena);
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
	ts_wire_read_policy(r, m->policy, m->n_policy, &out->policy);
	out->fresh = m->fresh;
}

WIRE_PACK(analyze_request, ts_analyze_request);
WIRE_UNPACK(analyze_request, ts_analyze_request, analyze_request);

/* --- rows --- */

static void fill_measure(Tscope__V1__Measure *m, const struct ts_measure *in)
{
	m->group = ts_wire_span(in->group);
	m->subject = ts_wire_span(in->subject);
	m->name = ts_wire_span(in->name);
	m->unit = (Tscope__V1__Unit)in->unit;
	if (in->known && in->unit == TS_UNIT_TEXT) {
		m->value_choice_case = TSCOPE__V1__MEASURE__VALUE_CHOICE_TEXT;
		m->text = ts_wire_span(in->text);
	} else if (in->known) {
		m->value_choice_case = TSCOPE__V1__MEASURE__VALUE_CHOICE_VALUE;
		m->value = in->value;
	}
	m->reason = ts_wire_span(in->reason);
}

static void read_measure(struct ts_wire_reader *r, const Tscope__V1__Measure *m, struct ts_measure *out)
{
	out->group = ts_wire_bytes(r, m->group, TS_PATH_MAX, "measures.group");
	out->subject = ts_wire_bytes(r, m->subject, TS_WIRE_TEXT_MAX, "measures.subject");
	out->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "measures.name");
	out->unit = (enum ts_unit)ts_wire_enum(r, m->unit, TS_UNIT_NONE, TS_UNIT_TEXT, "measures.unit");
	out->known = m->value_choice_case != TSCOPE__V1__MEASURE__VALUE_CHOICE__NOT_SET;
	if (out->known && (out->unit == TS_UNIT_TEXT) != (m->value_choice_case == TSCOPE__V1__MEASURE__VALUE_CHOICE_TEXT))
		ts_wire_fail(r, "measures.value", "is not of its unit");
	else if (out->unit == TS_UNIT_TEXT && out->known)
		out->text = ts_wire_bytes(r, m->text, TS_WIRE_TEXT_MAX, "measures.text");
	else if (out->known)
		out->value = m->value;
	out->reason = ts_wire_bytes(r, m->reason, TS_WIRE_TEXT_MAX, "measures.reason");
}

Tscope__V1__Measure **ts_wire_build_measures(const struct ts_measure *in, size_t n, struct ts_arena *arena)
{
	Tscope__V1__Measure **rows = ts_wire_rows(arena, n, WIRE_DESCRIPTOR(measure));

	for (size_t i = 0; rows && i < n; i++)
		fill_measure(rows[i], &in[i]);
	return rows;
}

struct ts_measure *ts_wire_read_measures(struct ts_wire_reader *r, Tscope__V1__Measure **rows, size_t n, size_t *ret_n)
{
	struct ts_measure *items = ts_wire_array(r, n, sizeof *items, TS_MESSAGE_MAX, "measures", ret_n);

	for (size_t i = 0; i < *ret_n; i++)
		read_measure(r, rows[i], &items[i]);
	return items;
}

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

Tscope__V1__Plot **ts_wire_build_plots(const struct ts_plots *in, struct ts_arena *arena)
{
	Tscope__V1__Plot **rows = ts_wire_rows(arena, in->n, WIRE_DESCRIPTOR(plot));

	for (size_t i = 0; rows && i < in->n; i++) {
		const struct ts_plot *p = &in->items[i];

		rows[i]->group = ts_wire_span(p->group);
		rows[i]->subject = ts_wire_span(p->subject);
		rows[i]->name = ts_wire_span(p->name);
		rows[i]->unit = (Tscope__V1__Unit)p->unit;
		rows[i]->first_step = p->first_step;
		rows[i]->width = p->width;
		rows[i]->n_min = rows[i]->n_max = rows[i]->n_mean = rows[i]->n_count = p->n;
		rows[i]->min = doubles_of(p->min);
		rows[i]->max = doubles_of(p->max);
		rows[i]->mean = doubles_of(p->mean);
		rows[i]->count = counts_of(p->count);
		rows[i]->nonfinite = p->nonfinite;
	}
	return rows;
}

static void read_plot(struct ts_wire_reader *r, const Tscope__V1__Plot *m, struct ts_plot *out)
{
	out->group = ts_wire_bytes(r, m->group, TS_PATH_MAX, "plots.group");
	out->subject = ts_wire_bytes(r, m->subject, TS_WIRE_TEXT_MAX, "plots.subject");
	out->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "plots.name");
	out->unit = (enum ts_unit)ts_wire_enum(r, (int)m->unit, TS_UNIT_NONE, TS_UNIT_TEXT, "plots.unit");
	out->first_step = m->first_step;
	out->width = m->width;
	if (m->width == 0 || m->n_min > TS_PLOT_CELLS || m->n_max != m->n_min || m->n_mean != m->n_min ||
	    m->n_count != m->n_min) {
		ts_wire_fail(r, "plots", "has no cells of one width");
		return;
	}
	out->n = m->n_min;
	out->min = m->min;
	out->max = m->max;
	out->mean = m->mean;
	out->count = m->count;
	out->nonfinite = m->nonfinite;
}

void ts_wire_read_plots(struct ts_wire_reader *r, Tscope__V1__Plot **rows, size_t n, struct ts_plots *out)
{
	out->items = ts_wire_array(r, n, sizeof *out->items, TS_MESSAGE_MAX, "plots", &out->n);
	out->cap = out->n;
	for (size_t i = 0; i < out->n; i++)
		read_plot(r, rows[i], &out->items[i]);
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
	m->evidence = ts_wire_build_measures(in->evidence, in->n_evidence, arena);
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
	out->evidence = ts_wire_read_measures(r, m->evidence, m->n_evidence, &out->n_evidence);
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

static Tscope__V1__BoundVerdict *build_bound(const struct ts_bound *in, struct ts_arena *arena)
{
	enum { SHARES = sizeof in->shares / sizeof in->shares[0] };
	Tscope__V1__BoundVerdict *m = ts_wire_new(arena, WIRE_DESCRIPTOR(bound_verdict));

	if (!m)
		return NULL;
	m->kind = (Tscope__V1__Bound)in->kind;
	m->sentence = ts_wire_span(in->sentence);
	m->shares = ts_wire_rows(arena, SHARES, WIRE_DESCRIPTOR(bound_share));
	m->fixes = ts_wire_rows(arena, in->n_fixes, WIRE_DESCRIPTOR(fix));
	m->unknowns = ts_wire_spans(arena, in->unknowns, in->n_unknowns);
	if (!m->shares || !m->fixes || !m->unknowns)
		return NULL;
	m->n_shares = SHARES;
	for (size_t i = 0; i < SHARES; i++) {
		m->shares[i]->kind = (Tscope__V1__Bound)in->shares[i].kind;
		if (in->shares[i].known) {
			m->shares[i]->share_choice_case = TSCOPE__V1__BOUND_SHARE__SHARE_CHOICE_SHARE;
			m->shares[i]->share = in->shares[i].share;
		}
		m->shares[i]->reason = ts_wire_span(in->shares[i].reason);
	}
	m->n_fixes = in->n_fixes;
	for (size_t i = 0; i < in->n_fixes; i++) {
		m->fixes[i]->name = ts_wire_span(in->fixes[i].name);
		m->fixes[i]->how = ts_wire_span(in->fixes[i].how);
		m->fixes[i]->of = (Tscope__V1__Bound)in->fixes[i].of;
		m->fixes[i]->wins_most_ratio = in->fixes[i].wins_most_ratio;
		m->fixes[i]->effort = (uint32_t)in->fixes[i].effort;
	}
	m->n_unknowns = in->n_unknowns;
	return m;
}

static enum ts_bound_kind read_bound_kind(struct ts_wire_reader *r, int kind)
{
	return (enum ts_bound_kind)ts_wire_enum(r, kind, TS_BOUND_UNKNOWN, TS_BOUND_BALANCED, "bound.kind");
}

static void read_shares(struct ts_wire_reader *r, const Tscope__V1__BoundVerdict *m, struct ts_bound *out)
{
	enum { SHARES = sizeof out->shares / sizeof out->shares[0] };

	if (m->n_shares != SHARES) {
		ts_wire_fail(r, "bound.shares", "are not five");
		return;
	}
	for (size_t i = 0; i < SHARES; i++) {
		out->shares[i].kind = read_bound_kind(r, (int)m->shares[i]->kind);
		out->shares[i].known =
			m->shares[i]->share_choice_case == TSCOPE__V1__BOUND_SHARE__SHARE_CHOICE_SHARE;
		if (out->shares[i].known)
			out->shares[i].share = m->shares[i]->share;
		out->shares[i].reason = ts_wire_bytes(r, m->shares[i]->reason, TS_WIRE_TEXT_MAX, "bound.reason");
	}
}

static void read_bound(struct ts_wire_reader *r, const Tscope__V1__BoundVerdict *m, struct ts_bound *out)
{
	if (!ts_wire_need(r, m, "bound"))
		return;
	out->kind = read_bound_kind(r, (int)m->kind);
	out->sentence = ts_wire_bytes(r, m->sentence, TS_WIRE_TEXT_MAX, "bound.sentence");
	read_shares(r, m, out);
	out->fixes = ts_wire_array(r, m->n_fixes, sizeof *out->fixes, TS_MESSAGE_MAX, "bound.fixes", &out->n_fixes);
	for (size_t i = 0; i < out->n_fixes; i++) {
		out->fixes[i].name = ts_wire_bytes(r, m->fixes[i]->name, TS_WIRE_TEXT_MAX, "bound.fixes.name");
		out->fixes[i].how = ts_wire_bytes(r, m->fixes[i]->how, TS_WIRE_TEXT_MAX, "bound.fixes.how");
		out->fixes[i].of = read_bound_kind(r, (int)m->fixes[i]->of);
		out->fixes[i].wins_most_ratio = m->fixes[i]->wins_most_ratio;
		out->fixes[i].effort = (int)ts_wire_uint(r, m->fixes[i]->effort, INT32_MAX, "bound.fixes.effort");
	}
	out->unknowns = ts_wire_array(r, m->n_unknowns, sizeof *out->unknowns, TS_MESSAGE_MAX, "bound.unknowns",
				      &out->n_unknowns);
	for (size_t i = 0; i < out->n_unknowns; i++)
		out->unknowns[i] = ts_wire_bytes(r, m->unknowns[i], TS_WIRE_TEXT_MAX, "bound.unknowns");
}

/* --- reply --- */

static ProtobufCMessage *build_analyze_reply(const struct ts_analysis *in, struct ts_arena *arena)
{
	Tscope__V1__AnalyzeReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(analyze_reply));

	if (!m)
		return NULL;
	m->run = ts_wire_build_run(arena, &in->run);
	m->rank = in->rank;
	m->warmup_cut = in->warmup_cut;
	m->measures = ts_wire_build_measures(in->measures.items, in->measures.n, arena);
	m->n_measures = in->measures.n;
	m->notes = ts_wire_spans(arena, in->notes, in->n_notes);
	m->n_notes = in->n_notes;
	m->events = build_events(&in->events, arena);
	m->n_events = in->events.n;
	m->plots = ts_wire_build_plots(&in->plots, arena);
	m->n_plots = in->plots.n;
	m->bound = build_bound(&in->bound, arena);
	if (!m->run || !m->measures || !m->notes || !m->events || !m->plots || !m->bound ||
	    !build_findings(m, &in->findings, arena))
		return NULL;
	return &m->base;
}

static void read_analyze_reply(struct ts_wire_reader *r, const Tscope__V1__AnalyzeReply *m, struct ts_analysis *out)
{
	ts_wire_read_run(r, m->run, &out->run, "run");
	out->rank = m->rank;
	out->warmup_cut = m->warmup_cut;
	out->measures.items = ts_wire_read_measures(r, m->measures, m->n_measures, &out->measures.n);
	out->measures.cap = out->measures.n;
	read_events(r, m->events, m->n_events, &out->events);
	ts_wire_read_plots(r, m->plots, m->n_plots, &out->plots);
	read_bound(r, m->bound, &out->bound);
	read_findings(r, m, &out->findings);
	out->notes = ts_wire_array(r, m->n_notes, sizeof *out->notes, TS_MESSAGE_MAX, "notes", &out->n_notes);
	for (size_t i = 0; i < out->n_notes; i++)
		out->notes[i] = ts_wire_bytes(r, m->notes[i], TS_WIRE_TEXT_MAX, "notes");
}

WIRE_PACK(analyze_reply, ts_analysis);
WIRE_UNPACK(analyze_reply, ts_analysis, analyze_reply);
