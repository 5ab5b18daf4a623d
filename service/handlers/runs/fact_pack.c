#include "service/handlers/runs/fact_pack.h"

#include "base/cursor.h"

enum { ABSENT = 255 };

bool ts_fact_pack(const struct ts_fact *fact, size_t text_max, struct ts_buf *out)
{
	if (!fact) {
		ts_buf_u8(out, ABSENT);
		return true;
	}
	if (fact->type != TS_FACT_LONG && fact->text.len > text_max)
		return false;
	ts_buf_u8(out, (uint8_t)fact->type);
	ts_buf_u8(out, (uint8_t)fact->source);
	switch (fact->type) {
	case TS_FACT_BOOL:
		ts_buf_u8(out, fact->boolean);
		break;
	case TS_FACT_INT:
		ts_buf_u64(out, (uint64_t)fact->integer);
		break;
	case TS_FACT_FLOAT:
		ts_buf_f64(out, fact->real);
		break;
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		ts_buf_span(out, fact->text);
		break;
	case TS_FACT_LONG:
		ts_buf_bytes(out, fact->text_id.bytes, sizeof fact->text_id.bytes);
		ts_buf_u32(out, fact->text_len);
		break;
	case TS_FACT_NULL:
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
	case TS_FACT_ABSENT:
		break;
	}
	return true;
}

/* What stands behind type and source; false: no such type. */
static bool unpack_value(struct ts_cursor *c, struct ts_fact *fact)
{
	struct ts_span id;

	switch (fact->type) {
	case TS_FACT_BOOL:
		fact->boolean = ts_cursor_u8(c) != 0;
		return true;
	case TS_FACT_INT:
		fact->integer = (int64_t)ts_cursor_u64(c);
		return true;
	case TS_FACT_FLOAT:
		fact->real = ts_cursor_f64(c);
		return true;
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		fact->text = ts_cursor_bytes(c, ts_cursor_left(c));
		return true;
	case TS_FACT_LONG:
		id = ts_cursor_bytes(c, sizeof fact->text_id.bytes);
		if (id.len)
			memcpy(fact->text_id.bytes, id.data, id.len);
		fact->text_len = ts_cursor_u32(c);
		return true;
	case TS_FACT_NULL:
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
		return true;
	case TS_FACT_ABSENT:
		break;
	}
	return false;
}

enum ts_recall ts_fact_unpack(struct ts_span bytes, struct ts_fact *ret_fact)
{
	struct ts_cursor c = ts_cursor_of(bytes);
	struct ts_fact fact = {.type = (enum ts_fact_type)ts_cursor_u8(&c)};

	if (bytes.len == 1 && bytes.data[0] == ABSENT)
		return TS_RECALL_ABSENT;
	fact.source = (enum ts_fact_source)ts_cursor_u8(&c);
	if (fact.source < TS_SOURCE_RUN_JSON || fact.source > TS_SOURCE_PUSHER || !unpack_value(&c, &fact) || c.failed ||
	    ts_cursor_left(&c))
		return TS_RECALL_NOTHING;
	*ret_fact = fact;
	return TS_RECALL_FACT;
}
