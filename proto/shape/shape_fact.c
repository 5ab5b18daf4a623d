/* shape_fact.c - facts and cells: values of one of several types, so that their wire form and their JSON are written by hand. */
#include "analysis/diverge/diff.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

/* --- facts --- */

/* FactType is enum ts_fact_type + 1; 0 marks an unknown cell of a list. */
static bool fill_fact(const void *in, void *message, struct ts_arena *arena)
{
	const struct ts_fact *fact = in;
	Tscope__V1__Fact *m = message;

	(void)arena;
	m->path = ts_wire_span(fact->path);
	m->type = (Tscope__V1__FactType)(fact->type + 1);
	m->source = (Tscope__V1__FactSource)fact->source;
	if (fact->type == TS_FACT_BOOL)
		m->boolean = fact->boolean;
	if (fact->type == TS_FACT_INT)
		m->integer = fact->integer;
	if (fact->type == TS_FACT_FLOAT) {
		m->real_choice_case = TSCOPE__V1__FACT__REAL_CHOICE_REAL;
		m->real = fact->real;
	}
	if (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_NUMBER)
		m->text = ts_wire_span(fact->text);
	if (fact->type == TS_FACT_LONG) {
		m->text_id = ts_wire_id_bytes(&fact->text_id);
		m->text_len = fact->text_len;
	}
	return true;
}

static void read_fact(struct ts_wire_reader *r, const void *message, void *ret)
{
	const Tscope__V1__Fact *m = message;
	struct ts_fact *fact = ret;

	fact->path = ts_wire_bytes(r, m->path, TS_PATH_MAX, "path");
	fact->type = (enum ts_fact_type)(ts_wire_enum(r, m->type, TS_FACT_NULL + 1, TS_FACT_ABSENT + 1, "type") - 1);
	fact->source = (enum ts_fact_source)ts_wire_enum(r, m->source, 0, TS_SOURCE_PUSHER, "source");
	if (fact->type == TS_FACT_BOOL)
		fact->boolean = m->boolean;
	if (fact->type == TS_FACT_INT)
		fact->integer = m->integer;
	if (fact->type == TS_FACT_FLOAT && m->real_choice_case != TSCOPE__V1__FACT__REAL_CHOICE_REAL)
		ts_wire_fail(r, "real", "is not there");
	if (fact->type == TS_FACT_FLOAT)
		fact->real = m->real;
	if (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_NUMBER)
		fact->text = ts_wire_bytes(r, m->text, TS_WIRE_CELL_MAX, "text");
	if (fact->type == TS_FACT_LONG) {
		fact->text_id = ts_wire_id(r, m->text_id, "text_id");
		fact->text_len = (uint32_t)ts_wire_uint(r, m->text_len, TS_FACT_TEXT_MAX, "text_len");
	}
}

void ts_json_bare_fact(struct ts_json *j, const struct ts_fact *fact)
{
	switch (fact->type) {
	case TS_FACT_BOOL:
		ts_json_bool(j, fact->boolean);
		return;
	case TS_FACT_INT:
		ts_json_i64(j, fact->integer);
		return;
	case TS_FACT_FLOAT:
		ts_json_double(j, fact->real);
		return;
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		ts_json_span(j, fact->text);
		return;
	case TS_FACT_LONG:
		if (fact->text.len)
			ts_json_span(j, fact->text);
		else
			ts_json_null(j);
		return;
	case TS_FACT_OBJECT:
		ts_json_object(j);
		ts_json_end(j);
		return;
	case TS_FACT_ARRAY:
		ts_json_array(j);
		ts_json_end(j);
		return;
	case TS_FACT_NULL:
	case TS_FACT_ABSENT:
		break;
	}
	ts_json_null(j);
}

void ts_json_fact(struct ts_json *j, const struct ts_fact *fact)
{
	char hex[TS_ID_HEX + 1];

	if (!fact || fact->type == TS_FACT_ABSENT) {
		ts_json_null(j);
		return;
	}
	ts_json_object(j);
	ts_json_key(j, "type");
	ts_json_string(j, ts_fact_type_word(fact->type));
	ts_json_key(j, "value");
	ts_json_bare_fact(j, fact);
	if (fact->type == TS_FACT_LONG) {
		ts_json_key(j, "text_bytes");
		ts_json_u64(j, fact->text_len);
		ts_json_key(j, "text_id");
		ts_json_string(j, ts_id_hex(&fact->text_id, hex));
	}
	ts_json_end(j);
}

static void json_fact(struct ts_shape_writer *w, const void *in)
{
	ts_json_fact(w->json, in);
}

static const struct ts_shape_own fact_own = {
	.fill = fill_fact,
	.read = read_fact,
	.json = json_fact,
	.schema = "{\"type\": \"object\", \"properties\": {"
		  "\"type\": {\"enum\": [\"null\", \"bool\", \"int\", \"float\", \"text\", \"number\", \"object\", \"array\"]},"
		  "\"value\": {\"description\": \"number: an integer beyond 64 bits, as text; object and array: empty ones\","
		  " \"anyOf\": [{\"type\": [\"null\", \"boolean\", \"number\", \"string\"]},"
		  " {\"type\": \"object\", \"additionalProperties\": false}, {\"type\": \"array\", \"maxItems\": 0}]},"
		  "\"text_bytes\": {\"$ref\": \"#/$defs/count\"}, \"text_id\": {\"$ref\": \"#/$defs/id\"}},"
		  "\"required\": [\"type\", \"value\"], \"additionalProperties\": false}",
};

#define TYPE struct ts_fact
const struct ts_shape ts_shape_fact = {OWN_SHAPE("fact", fact, fact_own)};
#undef TYPE

/* --- cells --- */

static bool value_is_there(const void *in)
{
	const struct ts_value *value = in;

	return value->type >= TS_COLUMN_F64 && value->type <= TS_COLUMN_JSON;
}

static bool fill_value(const void *in, void *message, struct ts_arena *arena)
{
	const struct ts_value *value = in;
	Tscope__V1__Value *m = message;

	(void)arena;
	switch (value->type) {
	case TS_COLUMN_F64:
		m->kind_case = TSCOPE__V1__VALUE__KIND_REAL;
		m->real = value->real;
		break;
	case TS_COLUMN_U64:
		m->kind_case = TSCOPE__V1__VALUE__KIND_WORD;
		m->word = value->word;
		break;
	case TS_COLUMN_TEXT:
		m->kind_case = TSCOPE__V1__VALUE__KIND_TEXT;
		m->text = ts_wire_span(value->text);
		break;
	case TS_COLUMN_JSON:
		m->kind_case = TSCOPE__V1__VALUE__KIND_JSON;
		m->json = ts_wire_span(value->text);
		break;
	}
	return true;
}

static void read_value(struct ts_wire_reader *r, const void *message, void *ret)
{
	const Tscope__V1__Value *m = message;
	struct ts_value *value = ret;

	if (m->kind_case == TSCOPE__V1__VALUE__KIND_REAL) {
		value->type = TS_COLUMN_F64;
		value->real = m->real;
	} else if (m->kind_case == TSCOPE__V1__VALUE__KIND_WORD) {
		value->type = TS_COLUMN_U64;
		value->word = m->word;
	} else if (m->kind_case == TSCOPE__V1__VALUE__KIND_TEXT) {
		value->type = TS_COLUMN_TEXT;
		value->text = ts_wire_bytes(r, m->text, TS_WIRE_CELL_MAX, "text");
	} else if (m->kind_case == TSCOPE__V1__VALUE__KIND_JSON) {
		value->type = TS_COLUMN_JSON;
		value->text = ts_wire_bytes(r, m->json, TS_WIRE_CELL_MAX, "json");
	} else {
		ts_wire_fail(r, "kind", "is none");
	}
}

static void json_value(struct ts_shape_writer *w, const void *in)
{
	const struct ts_value *value = in;

	switch (value->type) {
	case TS_COLUMN_F64:
		ts_json_double(w->json, value->real);
		return;
	case TS_COLUMN_U64:
		ts_json_hex64(w->json, value->word);
		return;
	case TS_COLUMN_TEXT:
	case TS_COLUMN_JSON:
		break;
	}
	ts_json_span(w->json, value->text);
}

static const struct ts_shape_own value_own = {
	.there = value_is_there,
	.fill = fill_value,
	.read = read_value,
	.json = json_value,
	.schema = "{\"description\": \"f64: a number; u64: 16 hex digits; text and json: text\","
		  " \"anyOf\": [{\"type\": \"number\"}, {\"type\": \"string\"}]}",
};

#define TYPE struct ts_value
const struct ts_shape ts_shape_cell = {OWN_SHAPE("cell", value, value_own)};
#undef TYPE
