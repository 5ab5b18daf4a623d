/* wire_diff.c - Diff: where two runs part. */
#include "proto/wire_message.h"

enum { CUT_OFFS_MAX = 64 };

static ProtobufCMessage *build_diff_request(const struct ts_diff_request *in, struct ts_arena *arena)
{
	Tscope__V1__DiffRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(diff_request));

	if (!m)
		return NULL;
	m->a = ts_wire_span(in->a);
	m->b = ts_wire_span(in->b);
	m->ignore = ts_wire_spans(arena, in->ignore, in->n_ignore);
	m->repeats = ts_wire_spans(arena, in->repeats, in->n_repeats);
	m->policy = ts_wire_build_policy(&in->policy, arena);
	if (!m->ignore || !m->repeats || !m->policy)
		return NULL;
	m->n_policy = in->policy.n;
	m->n_ignore = in->n_ignore;
	m->n_repeats = in->n_repeats;
	m->axis = ts_wire_span(in->axis);
	m->plots = (Tscope__V1__PlotsWanted)in->plots;
	return &m->base;
}

static void read_diff_request(struct ts_wire_reader *r, const Tscope__V1__DiffRequest *m, struct ts_diff_request *out)
{
	out->a = ts_wire_text(r, m->a, TS_WIRE_SPEC_MAX, "a");
	out->b = ts_wire_text(r, m->b, TS_WIRE_SPEC_MAX, "b");
	out->ignore =
		ts_wire_texts(r, m->ignore, m->n_ignore, TS_WIRE_IGNORE_MAX, TS_PATH_MAX, "ignore", &out->n_ignore);
	out->repeats = ts_wire_texts(r, m->repeats, m->n_repeats, TS_WIRE_REPEATS_MAX, TS_WIRE_SPEC_MAX, "repeats",
				     &out->n_repeats);
	out->axis = ts_wire_text(r, m->axis, TS_PATH_MAX, "axis");
	out->plots = (enum ts_plots_wanted)ts_wire_enum(r, (int)m->plots, TS_PLOTS_NONE, TS_PLOTS_ALL, "plots");
	ts_wire_read_policy(r, m->policy, m->n_policy, &out->policy);
}

WIRE_PACK(diff_request, ts_diff_request);
WIRE_UNPACK(diff_request, ts_diff_request, diff_request);

/* A value of no type is an absent message. */
static bool build_value(Tscope__V1__Value **ret, const struct ts_value *in, struct ts_arena *arena)
{
	Tscope__V1__Value *m;

	if (in->type < TS_COLUMN_F64 || in->type > TS_COLUMN_JSON)
		return true;
	m = ts_wire_new(arena, WIRE_DESCRIPTOR(value));
	if (!m)
		return false;
	switch (in->type) {
	case TS_COLUMN_F64:
		m->kind_case = TSCOPE__V1__VALUE__KIND_REAL;
		m->real = in->real;
		break;
	case TS_COLUMN_U64:
		m->kind_case = TSCOPE__V1__VALUE__KIND_WORD;
		m->word = in->word;
		break;
	case TS_COLUMN_TEXT:
		m->kind_case = TSCOPE__V1__VALUE__KIND_TEXT;
		m->text = ts_wire_span(in->text);
		break;
	case TS_COLUMN_JSON:
		m->kind_case = TSCOPE__V1__VALUE__KIND_JSON;
		m->json = ts_wire_span(in->text);
		break;
	}
	*ret = m;
	return true;
}

static void read_value(struct ts_wire_reader *r, const Tscope__V1__Value *m, struct ts_value *out)
{
	if (!m)
		return;
	if (m->kind_case == TSCOPE__V1__VALUE__KIND_REAL) {
		out->type = TS_COLUMN_F64;
		out->real = m->real;
	} else if (m->kind_case == TSCOPE__V1__VALUE__KIND_WORD) {
		out->type = TS_COLUMN_U64;
		out->word = m->word;
	} else if (m->kind_case == TSCOPE__V1__VALUE__KIND_TEXT) {
		out->type = TS_COLUMN_TEXT;
		out->text = ts_wire_bytes(r, m->text, TS_WIRE_CELL_MAX, "series.text");
	} else if (m->kind_case == TSCOPE__V1__VALUE__KIND_JSON) {
		out->type = TS_COLUMN_JSON;
		out->text = ts_wire_bytes(r, m->json, TS_WIRE_CELL_MAX, "series.json");
	} else {
		ts_wire_fail(r, "series.value", "has no kind");
	}
}

static bool build_fact_row(Tscope__V1__FactRow *m, const struct ts_fact_row *in, struct ts_arena *arena)
{
	m->group = (Tscope__V1__Group)(in->group + 1);
	m->change = (Tscope__V1__FactChange)(in->change + 1);
	m->rank = in->rank;
	m->path = ts_wire_span(in->path);
	if (in->a)
		m->a = ts_wire_build_fact(arena, in->a);
	if (in->b)
		m->b = ts_wire_build_fact(arena, in->b);
	return (!in->a || m->a) && (!in->b || m->b);
}

static const struct ts_fact *read_side(struct ts_wire_reader *r, const Tscope__V1__Fact *m)
{
	size_t n = 0;
	struct ts_fact *fact = m ? ts_wire_array(r, 1, sizeof *fact, 1, "facts", &n) : NULL;

	if (fact)
		ts_wire_read_fact(r, m, fact);
	return fact;
}

static void read_fact_row(struct ts_wire_reader *r, const Tscope__V1__FactRow *m, struct ts_fact_row *out)
{
	out->group = (enum ts_group)(ts_wire_enum(r, m->group, 1, TS_GROUPS, "facts.group") - 1);
	out->change = (enum ts_fact_change)(ts_wire_enum(r, m->change, 1, TS_FACT_ONLY_B + 1, "facts.change") - 1);
	out->rank = m->rank;
	out->path = ts_wire_bytes(r, m->path, TS_PATH_MAX, "facts.path");
	if (out->change != TS_FACT_ONLY_B && ts_wire_need(r, m->a, "facts.a"))
		out->a = read_side(r, m->a);
	if (out->change != TS_FACT_ONLY_A && ts_wire_need(r, m->b, "facts.b"))
		out->b = read_side(r, m->b);
}

static bool build_series(Tscope__V1__SeriesRow *m, const struct ts_series_row *in, struct ts_arena *arena)
{
	m->name = ts_wire_span(in->name);
	m->type = (Tscope__V1__ColumnType)in->type;
	m->role = (Tscope__V1__Role)in->role;
	m->rank = in->rank;
	m->state = (Tscope__V1__SeriesState)(in->state + 1);
	m->first_step = in->first_step;
	if (in->after_known) {
		m->after_choice_case = TSCOPE__V1__SERIES_ROW__AFTER_CHOICE_AFTER_STEP;
		m->after_step = in->after_step;
	}
	m->steps_a = in->steps_a;
	m->steps_b = in->steps_b;
	m->counted = in->counted;
	m->common = in->common;
	m->only_a = in->only_a;
	m->only_b = in->only_b;
	m->other_types = in->other_types;
	m->step_a = in->step_a;
	m->step_b = in->step_b;
	if (in->gap.known && !(m->gap = ts_wire_build_gap(&in->gap, arena)))
		return false;
	return build_value(&m->a, &in->a, arena) && build_value(&m->b, &in->b, arena);
}

static void read_series(struct ts_wire_reader *r, const Tscope__V1__SeriesRow *m, struct ts_series_row *out)
{
	out->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "series.name");
	out->type = (enum ts_column_type)ts_wire_enum(r, m->type, TS_COLUMN_F64, TS_COLUMN_JSON, "series.type");
	out->role = (enum ts_role)ts_wire_enum(r, m->role, TS_ROLE_UNKNOWN, TS_ROLE_OBSERVATION, "series.role");
	out->rank = m->rank;
	out->state = (enum ts_series_state)(ts_wire_enum(r, m->state, 1, TS_SERIES_DISJOINT + 1, "series.state") - 1);
	out->first_step = m->first_step;
	out->after_known = m->after_choice_case == TSCOPE__V1__SERIES_ROW__AFTER_CHOICE_AFTER_STEP;
	if (out->after_known)
		out->after_step = m->after_step;
	read_value(r, m->a, &out->a);
	read_value(r, m->b, &out->b);
	if (out->state == TS_SERIES_PARTS)
		(void)(ts_wire_need(r, m->a, "series.a") && ts_wire_need(r, m->b, "series.b"));
	out->steps_a = m->steps_a;
	out->steps_b = m->steps_b;
	out->counted = m->counted;
	out->common = m->common;
	out->only_a = m->only_a;
	out->only_b = m->only_b;
	out->other_types = (unsigned)ts_wire_uint(r, m->other_types, (2u << TS_COLUMN_JSON) - 1, "series.other_types");
	if (out->other_types & 1)
		ts_wire_fail(r, "series.other_types", "has a bit of no type");
	out->step_a = m->step_a;
	out->step_b = m->step_b;
	if (m->gap)
		ts_wire_read_gap(m->gap, &out->gap);
}

static void fill_extent(Tscope__V1__DiffReply *m, const struct ts_diff *in)
{
	m->steps_only_a = in->steps_only_a;
	m->steps_only_b = in->steps_only_b;
	m->only_a_first = in->only_a_first;
	m->only_a_last = in->only_a_last;
	m->only_b_first = in->only_b_first;
	m->only_b_last = in->only_b_last;
	m->ranks_only_a = ts_wire_ranks(in->ranks_only_a);
	m->n_ranks_only_a = in->n_ranks_only_a;
	m->ranks_only_b = ts_wire_ranks(in->ranks_only_b);
	m->n_ranks_only_b = in->n_ranks_only_b;
}

static void read_extent(struct ts_wire_reader *r, const Tscope__V1__DiffReply *m, struct ts_diff *out)
{
	out->steps_only_a = m->steps_only_a;
	out->steps_only_b = m->steps_only_b;
	out->only_a_first = m->only_a_first;
	out->only_a_last = m->only_a_last;
	out->only_b_first = m->only_b_first;
	out->only_b_last = m->only_b_last;
	out->ranks_only_a = ts_wire_int32s(r, m->ranks_only_a, m->n_ranks_only_a, TS_RANKS_MAX, "ranks_only_a",
					   &out->n_ranks_only_a);
	out->ranks_only_b = ts_wire_int32s(r, m->ranks_only_b, m->n_ranks_only_b, TS_RANKS_MAX, "ranks_only_b",
					   &out->n_ranks_only_b);
}

static Tscope__V1__CutOff **build_cut_offs(const struct ts_diff *in, struct ts_arena *arena)
{
	Tscope__V1__CutOff **rows = ts_wire_rows(arena, in->n_cut_offs, WIRE_DESCRIPTOR(cut_off));

	for (size_t i = 0; rows && i < in->n_cut_offs; i++) {
		rows[i]->name = ts_wire_span(in->cut_offs[i].name);
		rows[i]->value = in->cut_offs[i].value;
		rows[i]->standard = in->cut_offs[i].standard;
	}
	return rows;
}

static void read_cut_offs(struct ts_wire_reader *r, const Tscope__V1__DiffReply *m, struct ts_diff *out)
{
	out->cut_offs =
		ts_wire_array(r, m->n_cut_offs, sizeof *out->cut_offs, CUT_OFFS_MAX, "cut_offs", &out->n_cut_offs);
	for (size_t i = 0; i < out->n_cut_offs; i++) {
		out->cut_offs[i].name = ts_wire_text(r, m->cut_offs[i]->name, TS_PATH_MAX, "cut_offs.name");
		out->cut_offs[i].value = m->cut_offs[i]->value;
		out->cut_offs[i].standard = m->cut_offs[i]->standard;
	}
}

/* Verdict is not enum ts_diff_verdict: that one has the exit codes. */
static const enum ts_diff_verdict verdicts[] = {0, TS_DIFF_SAME, TS_DIFF_DIFFERENT, TS_DIFF_INCONCLUSIVE};

static Tscope__V1__Verdict wire_verdict(enum ts_diff_verdict verdict)
{
	switch (verdict) {
	case TS_DIFF_SAME:
		return TSCOPE__V1__VERDICT__VERDICT_SAME;
	case TS_DIFF_DIFFERENT:
		return TSCOPE__V1__VERDICT__VERDICT_DIFFERENT;
	case TS_DIFF_INCONCLUSIVE:
		return TSCOPE__V1__VERDICT__VERDICT_INCONCLUSIVE;
	}
	return TSCOPE__V1__VERDICT__VERDICT_UNSPECIFIED;
}

static ProtobufCMessage *build_diff_reply(const struct ts_diff *in, struct ts_arena *arena)
{
	Tscope__V1__DiffReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(diff_reply));

	if (!m)
		return NULL;
	m->a = ts_wire_build_run(arena, &in->a);
	m->b = ts_wire_build_run(arena, &in->b);
	m->facts = ts_wire_rows(arena, in->n_facts, WIRE_DESCRIPTOR(fact_row));
	m->series = ts_wire_rows(arena, in->n_series, WIRE_DESCRIPTOR(series_row));
	m->diagnosis = ts_wire_build_diagnosis(&in->diagnosis, arena);
	m->ops = ts_wire_build_ops(&in->ops, arena);
	m->plots = ts_wire_build_plots(&in->plots, arena);
	m->cut_offs = build_cut_offs(in, arena);
	if (!m->a || !m->b || !m->facts || !m->series || !m->diagnosis || !m->ops || !m->plots || !m->cut_offs)
		return NULL;
	m->n_plots = in->plots.n;
	m->n_cut_offs = in->n_cut_offs;
	if (in->repeats.asked && !(m->repeats = ts_wire_build_repeats(&in->repeats, arena)))
		return NULL;
	m->axis = ts_wire_span(in->axis);
	m->verdict = wire_verdict(in->verdict);
	m->reason = ts_wire_span(in->reason);
	m->n_facts = in->n_facts;
	for (size_t i = 0; i < in->n_facts; i++)
		if (!build_fact_row(m->facts[i], &in->facts[i], arena))
			return NULL;
	m->n_series = in->n_series;
	for (size_t i = 0; i < in->n_series; i++)
		if (!build_series(m->series[i], &in->series[i], arena))
			return NULL;
	m->same_count = in->n_same;
	fill_extent(m, in);
	return &m->base;
}

static void read_diff_reply(struct ts_wire_reader *r, const Tscope__V1__DiffReply *m, struct ts_diff *out)
{
	ts_wire_read_run(r, m->a, &out->a, "a");
	ts_wire_read_run(r, m->b, &out->b, "b");
	out->axis = ts_wire_bytes(r, m->axis, TS_PATH_MAX, "axis");
	out->verdict = verdicts[ts_wire_enum(r, m->verdict, 1, 3, "verdict")];
	out->reason = ts_wire_bytes(r, m->reason, TS_WIRE_TEXT_MAX, "reason");
	out->facts = ts_wire_array(r, m->n_facts, sizeof *out->facts, TS_MESSAGE_MAX, "facts", &out->n_facts);
	for (size_t i = 0; i < out->n_facts; i++)
		read_fact_row(r, m->facts[i], &out->facts[i]);
	out->series = ts_wire_array(r, m->n_series, sizeof *out->series, TS_MESSAGE_MAX, "series", &out->n_series);
	for (size_t i = 0; i < out->n_series; i++)
		read_series(r, m->series[i], &out->series[i]);
	if (m->repeats)
		ts_wire_read_repeats(r, m->repeats, &out->repeats);
	out->n_same = m->same_count;
	read_extent(r, m, out);
	if (ts_wire_need(r, m->diagnosis, "diagnosis"))
		ts_wire_read_diagnosis(r, m->diagnosis, &out->diagnosis);
	if (ts_wire_need(r, m->ops, "ops"))
		ts_wire_read_ops(r, m->ops, &out->ops);
	ts_wire_read_plots(r, m->plots, m->n_plots, &out->plots);
	read_cut_offs(r, m, out);
}

WIRE_PACK(diff_reply, ts_diff);
WIRE_UNPACK(diff_reply, ts_diff, diff_reply);
