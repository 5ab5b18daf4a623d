/* wire_analysis.c - Analyze: what one run measured. */
#include "proto/wire_message.h"

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
	return &m->base;
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
}

WIRE_PACK(analyze_request, ts_analyze_request);
WIRE_UNPACK(analyze_request, ts_analyze_request, analyze_request);

static void fill_measure(Tscope__V1__Measure *m, const struct ts_measure *in)
{
	m->group = ts_wire_span(in->group);
	m->subject = ts_wire_span(in->subject);
	m->name = ts_wire_span(in->name);
	m->unit = (Tscope__V1__Unit)in->unit;
	if (in->known) {
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
	out->unit = (enum ts_unit)ts_wire_enum(r, m->unit, TS_UNIT_NONE, TS_UNIT_COUNT, "measures.unit");
	out->known = m->value_choice_case == TSCOPE__V1__MEASURE__VALUE_CHOICE_VALUE;
	if (out->known)
		out->value = m->value;
	out->reason = ts_wire_bytes(r, m->reason, TS_WIRE_TEXT_MAX, "measures.reason");
}

static ProtobufCMessage *build_analyze_reply(const struct ts_analysis *in, struct ts_arena *arena)
{
	Tscope__V1__AnalyzeReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(analyze_reply));

	if (!m)
		return NULL;
	m->run = ts_wire_build_run(arena, &in->run);
	m->measures = ts_wire_rows(arena, in->measures.n, WIRE_DESCRIPTOR(measure));
	m->notes = ts_wire_spans(arena, in->notes, in->n_notes);
	if (!m->run || !m->measures || !m->notes)
		return NULL;
	m->rank = in->rank;
	m->warmup_cut = in->warmup_cut;
	m->n_measures = in->measures.n;
	for (size_t i = 0; i < in->measures.n; i++)
		fill_measure(m->measures[i], &in->measures.items[i]);
	m->n_notes = in->n_notes;
	return &m->base;
}

static void read_analyze_reply(struct ts_wire_reader *r, const Tscope__V1__AnalyzeReply *m, struct ts_analysis *out)
{
	ts_wire_read_run(r, m->run, &out->run, "run");
	out->rank = m->rank;
	out->warmup_cut = m->warmup_cut;
	out->measures.items = ts_wire_array(r, m->n_measures, sizeof *out->measures.items, TS_MESSAGE_MAX, "measures",
					    &out->measures.n);
	out->measures.cap = out->measures.n;
	for (size_t i = 0; i < out->measures.n; i++)
		read_measure(r, m->measures[i], &out->measures.items[i]);
	out->notes = ts_wire_array(r, m->n_notes, sizeof *out->notes, TS_MESSAGE_MAX, "notes", &out->n_notes);
	for (size_t i = 0; i < out->n_notes; i++)
		out->notes[i] = ts_wire_bytes(r, m->notes[i], TS_WIRE_TEXT_MAX, "notes");
}

WIRE_PACK(analyze_reply, ts_analysis);
WIRE_UNPACK(analyze_reply, ts_analysis, analyze_reply);
