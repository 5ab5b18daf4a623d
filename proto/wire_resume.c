/* wire_resume.c - CheckResume, and what a run shares with its parent. */
#include "proto/wire_message.h"

static ProtobufCMessage *build_resume_request(const struct ts_resume_request *in, struct ts_arena *arena)
{
	Tscope__V1__CheckResumeRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(check_resume_request));

	if (!m)
		return NULL;
	m->parent = ts_wire_span(in->parent);
	m->child = ts_wire_span(in->child);
	if (in->has_tolerance) {
		m->tolerance_choice_case = TSCOPE__V1__CHECK_RESUME_REQUEST__TOLERANCE_CHOICE_TOLERANCE;
		m->tolerance = in->tolerance;
	}
	return &m->base;
}

static void read_resume_request(struct ts_wire_reader *r, const Tscope__V1__CheckResumeRequest *m,
				struct ts_resume_request *out)
{
	out->parent = ts_wire_text(r, m->parent, TS_WIRE_SPEC_MAX, "parent");
	out->child = ts_wire_text(r, m->child, TS_WIRE_SPEC_MAX, "child");
	out->has_tolerance = m->tolerance_choice_case == TSCOPE__V1__CHECK_RESUME_REQUEST__TOLERANCE_CHOICE_TOLERANCE;
	if (!out->has_tolerance)
		return;
	out->tolerance = m->tolerance;
	if (!(m->tolerance > 0) || isinf(m->tolerance))
		ts_wire_fail(r, "tolerance", "is no number above 0");
}

WIRE_PACK(resume_request, ts_resume_request);
WIRE_UNPACK(resume_request, ts_resume_request, check_resume_request);

Tscope__V1__Lineage *ts_wire_build_lineage(const struct ts_lineage *in, struct ts_arena *arena)
{
	Tscope__V1__Lineage *m = ts_wire_new(arena, WIRE_DESCRIPTOR(lineage));

	if (!m)
		return NULL;
	m->parent = ts_wire_span(in->parent);
	if (in->found)
		m->id = ts_wire_id_bytes(&in->id);
	if (in->has_step) {
		m->step_choice_case = TSCOPE__V1__LINEAGE__STEP_CHOICE_STEP;
		m->step = in->step;
	}
	m->blocks = in->blocks;
	m->shared_blocks = in->shared_blocks;
	if (!in->prefix)
		return m;
	m->prefix = ts_wire_new(arena, WIRE_DESCRIPTOR(step_range));
	if (!m->prefix)
		return NULL;
	m->prefix->first = in->prefix_first;
	m->prefix->last = in->prefix_last;
	return m;
}

void ts_wire_read_lineage(struct ts_wire_reader *r, const Tscope__V1__Lineage *m, struct ts_lineage *out)
{
	out->parent = ts_wire_bytes(r, m->parent, TS_FACT_TEXT_MAX, "lineage.parent");
	out->named = out->parent.len > 0;
	out->found = ts_wire_id_maybe(r, m->id, "lineage.id", &out->id);
	out->has_step = m->step_choice_case == TSCOPE__V1__LINEAGE__STEP_CHOICE_STEP;
	if (out->has_step)
		out->step = m->step;
	out->blocks = m->blocks;
	out->shared_blocks = ts_wire_uint(r, m->shared_blocks, m->blocks, "lineage.shared_blocks");
	out->prefix = m->prefix != NULL;
	if (m->prefix) {
		out->prefix_first = m->prefix->first;
		out->prefix_last = m->prefix->last;
	}
}

/* ResumeVerdict is not enum ts_resume_verdict: that one has the exit codes. */
static const enum ts_resume_verdict verdicts[] = {0, TS_RESUME_CORRECT, TS_RESUME_WRONG, TS_RESUME_UNDECIDED};

static Tscope__V1__ResumeVerdict wire_verdict(enum ts_resume_verdict verdict)
{
	switch (verdict) {
	case TS_RESUME_CORRECT:
		return TSCOPE__V1__RESUME_VERDICT__RESUME_VERDICT_CORRECT;
	case TS_RESUME_WRONG:
		return TSCOPE__V1__RESUME_VERDICT__RESUME_VERDICT_WRONG;
	case TS_RESUME_UNDECIDED:
		return TSCOPE__V1__RESUME_VERDICT__RESUME_VERDICT_UNDECIDED;
	}
	return TSCOPE__V1__RESUME_VERDICT__RESUME_VERDICT_UNSPECIFIED;
}

static ProtobufCMessage *build_resume_reply(const struct ts_resume *in, struct ts_arena *arena)
{
	Tscope__V1__CheckResumeReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(check_resume_reply));

	if (!m)
		return NULL;
	m->parent = ts_wire_build_run(arena, &in->parent);
	m->child = ts_wire_build_run(arena, &in->child);
	m->why = ts_wire_build_diagnosis(&in->why, arena);
	m->lineage = ts_wire_build_lineage(&in->lineage, arena);
	if (!m->parent || !m->child || !m->why || !m->lineage)
		return NULL;
	m->restart = in->restart;
	m->restarts = in->restarts;
	m->verdict = wire_verdict(in->verdict);
	return &m->base;
}

static void read_resume_reply(struct ts_wire_reader *r, const Tscope__V1__CheckResumeReply *m, struct ts_resume *out)
{
	ts_wire_read_run(r, m->parent, &out->parent, "parent");
	ts_wire_read_run(r, m->child, &out->child, "child");
	out->restart = m->restart;
	out->restarts = m->restarts;
	out->verdict = verdicts[ts_wire_enum(r, (int)m->verdict, 1, 3, "verdict")];
	if (ts_wire_need(r, m->why, "why"))
		ts_wire_read_diagnosis(r, m->why, &out->why);
	if (ts_wire_need(r, m->lineage, "lineage"))
		ts_wire_read_lineage(r, m->lineage, &out->lineage);
}

WIRE_PACK(resume_reply, ts_resume);
WIRE_UNPACK(resume_reply, ts_resume, check_resume_reply);
