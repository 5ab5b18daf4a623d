/* wire_fact.c - facts and run references, which stand in several messages. */
#include "proto/wire_message.h"

/* FactType is enum ts_fact_type + 1; 0 is an unknown cell. */
static int wire_type(enum ts_fact_type type)
{
	return (int)type + 1;
}

Tscope__V1__Fact *ts_wire_build_fact(struct ts_arena *arena, const struct ts_fact *in)
{
	Tscope__V1__Fact *m = ts_wire_new(arena, WIRE_DESCRIPTOR(fact));

	if (!m)
		return NULL;
	m->path = ts_wire_span(in->path);
	m->type = (Tscope__V1__FactType)wire_type(in->type);
	m->source = (Tscope__V1__FactSource)in->source;
	if (in->type == TS_FACT_BOOL)
		m->boolean = in->boolean;
	if (in->type == TS_FACT_INT)
		m->integer = in->integer;
	if (in->type == TS_FACT_FLOAT) {
		m->real_choice_case = TSCOPE__V1__FACT__REAL_CHOICE_REAL;
		m->real = in->real;
	}
	if (in->type == TS_FACT_TEXT || in->type == TS_FACT_NUMBER)
		m->text = ts_wire_span(in->text);
	if (in->type == TS_FACT_LONG) {
		m->text_id = ts_wire_id_bytes(&in->text_id);
		m->text_len = in->text_len;
	}
	return m;
}

void ts_wire_read_fact(struct ts_wire_reader *r, const Tscope__V1__Fact *m, struct ts_fact *ret)
{
	ret->path = ts_wire_bytes(r, m->path, TS_PATH_MAX, "fact.path");
	ret->type = (enum ts_fact_type)(
		ts_wire_enum(r, m->type, wire_type(TS_FACT_NULL), wire_type(TS_FACT_ABSENT), "fact.type") - 1);
	ret->source = (enum ts_fact_source)ts_wire_enum(r, m->source, 0, TS_SOURCE_PUSHER, "fact.source");
	if (ret->type == TS_FACT_BOOL)
		ret->boolean = m->boolean;
	if (ret->type == TS_FACT_INT)
		ret->integer = m->integer;
	if (ret->type == TS_FACT_FLOAT && m->real_choice_case != TSCOPE__V1__FACT__REAL_CHOICE_REAL)
		ts_wire_fail(r, "fact.real", "is not there");
	if (ret->type == TS_FACT_FLOAT)
		ret->real = m->real;
	if (ret->type == TS_FACT_TEXT || ret->type == TS_FACT_NUMBER)
		ret->text = ts_wire_bytes(r, m->text, TS_WIRE_CELL_MAX, "fact.text");
	if (ret->type == TS_FACT_LONG) {
		ret->text_id = ts_wire_id(r, m->text_id, "fact.text_id");
		ret->text_len = (uint32_t)ts_wire_uint(r, m->text_len, TS_FACT_TEXT_MAX, "fact.text_len");
	}
}

Tscope__V1__RunRef *ts_wire_build_run(struct ts_arena *arena, const struct ts_run_ref *in)
{
	Tscope__V1__RunRef *m = ts_wire_new(arena, WIRE_DESCRIPTOR(run_ref));

	if (!m)
		return NULL;
	m->id = ts_wire_id_bytes(&in->id);
	m->own_name = ts_wire_span(in->own_name);
	m->steps = in->steps;
	m->first_step = in->first_step;
	m->last_step = in->last_step;
	m->ranks = in->ranks;
	return m;
}

void ts_wire_read_run(struct ts_wire_reader *r, const Tscope__V1__RunRef *m, struct ts_run_ref *ret, const char *field)
{
	if (!ts_wire_need(r, m, field))
		return;
	ret->id = ts_wire_id(r, m->id, "run.id");
	ret->own_name = ts_wire_bytes(r, m->own_name, TS_WIRE_CELL_MAX, "run.own_name");
	ret->steps = m->steps;
	ret->first_step = m->first_step;
	ret->last_step = m->last_step;
	ret->ranks = (uint32_t)ts_wire_uint(r, m->ranks, TS_RANKS_MAX, "run.ranks");
}
