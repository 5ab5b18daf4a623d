#include "run/fact_codec.h"

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"

_Static_assert(TS_FACT_BYTES_MAX == 4 + TS_PATH_MAX + 4 + TS_FACT_INLINE_MAX, "the two limits of a fact");

static size_t value_size(const struct ts_fact *fact)
{
	switch (fact->type) {
	case TS_FACT_BOOL:
		return 1;
	case TS_FACT_INT:
	case TS_FACT_FLOAT:
		return 8;
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		return 4 + fact->text.len;
	case TS_FACT_LONG:
		return 4;
	case TS_FACT_NULL:
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
	case TS_FACT_ABSENT:
		return 0;
	}
	return 0;
}

size_t ts_fact_size(const struct ts_fact *fact)
{
	return 4 + fact->path.len + value_size(fact);
}

void ts_fact_encode(const struct ts_fact *fact, struct ts_buf *out)
{
	ts_buf_u8(out, (uint8_t)fact->type);
	ts_buf_u8(out, (uint8_t)fact->source);
	ts_buf_u16(out, (uint16_t)fact->path.len);
	ts_buf_span(out, fact->path);
	switch (fact->type) {
	case TS_FACT_BOOL:
		ts_buf_u8(out, fact->boolean);
		break;
	case TS_FACT_INT:
		ts_buf_u64(out, (uint64_t)fact->integer);
		break;
	case TS_FACT_FLOAT:
		ts_buf_u64(out, ts_f64_bits(fact->real));
		break;
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		ts_buf_u32(out, (uint32_t)fact->text.len);
		ts_buf_span(out, fact->text);
		break;
	case TS_FACT_LONG:
		ts_buf_u32(out, fact->text_len);
		break;
	case TS_FACT_NULL:
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
	case TS_FACT_ABSENT:
		break;
	}
}

/* True for an optional "-" and digits without a leading zero that do not fit an int64: a number that fits would be
 * an INT. */
static bool is_big_number(struct ts_span text)
{
	size_t sign = text.len && text.data[0] == '-';
	int64_t small;

	if (text.len == sign || text.data[sign] == '0')
		return false;
	for (size_t i = sign; i < text.len; i++)
		if (!ts_is_digit(text.data[i]))
			return false;
	return !ts_parse_i64(text, &small);
}

static enum ts_status check_text(const struct ts_fact *fact, struct ts_error *err)
{
	bool inlined = fact->type == TS_FACT_TEXT || fact->type == TS_FACT_NUMBER;

	if (inlined && fact->text.len > TS_FACT_INLINE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "fact %.*s: a text of %zu bytes, %d may stand here",
				    TS_SPAN_ARG(fact->path), fact->text.len, TS_FACT_INLINE_MAX);
	if (fact->type == TS_FACT_LONG && fact->text_len > TS_FACT_TEXT_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "fact %.*s: its text has %u bytes, and the limit is %d",
				    TS_SPAN_ARG(fact->path), fact->text_len, TS_FACT_TEXT_MAX);
	if (fact->type == TS_FACT_LONG && fact->text_len <= TS_FACT_INLINE_MAX)
		return ts_error_set(err, TS_INVALID, "fact %.*s: a text of %u bytes is not long",
				    TS_SPAN_ARG(fact->path), fact->text_len);
	if (fact->type == TS_FACT_NUMBER && !is_big_number(fact->text))
		return ts_error_set(err, TS_INVALID, "fact %.*s: not an integer beyond 64 bits",
				    TS_SPAN_ARG(fact->path));
	return TS_OK;
}

enum ts_status ts_fact_check(const struct ts_fact *fact, bool absent, struct ts_error *err)
{
	enum ts_group group;

	if (fact->path.len > TS_PATH_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the path of a fact has %zu bytes, and the limit is %d",
				    fact->path.len, TS_PATH_MAX);
	if (!ts_path_valid(fact->path))
		return ts_error_set(err, TS_INVALID, "'%.*s' is not the path of a fact", TS_SPAN_ARG(fact->path));
	if (!ts_group_of(fact->path, &group))
		return ts_error_set(err, TS_INVALID, "fact %.*s: there is no such group", TS_SPAN_ARG(fact->path));
	if (fact->source < TS_SOURCE_RUN_JSON || fact->source > TS_SOURCE_PUSHER)
		return ts_error_set(err, TS_INVALID, "fact %.*s: source %d", TS_SPAN_ARG(fact->path),
				    (int)fact->source);
	if ((unsigned)fact->type > TS_FACT_ABSENT || (fact->type == TS_FACT_ABSENT && !absent))
		return ts_error_set(err, TS_INVALID, "fact %.*s: type %d", TS_SPAN_ARG(fact->path), (int)fact->type);
	return check_text(fact, err);
}

static enum ts_status read_value(struct ts_payload *p, struct ts_fact *fact, struct ts_error *err)
{
	uint64_t bits;
	uint8_t truth;

	switch (fact->type) {
	case TS_FACT_BOOL:
		truth = ts_cursor_u8(&p->c);
		if (truth > 1)
			return ts_error_set(err, TS_DAMAGED, "a truth value of %u", truth);
		fact->boolean = truth;
		break;
	case TS_FACT_INT:
		fact->integer = (int64_t)ts_cursor_u64(&p->c);
		break;
	case TS_FACT_FLOAT:
		bits = ts_cursor_u64(&p->c);
		if (bits != ts_f64_canonical(bits))
			return ts_error_set(err, TS_DAMAGED, "a NaN that is not the canonical one");
		memcpy(&fact->real, &bits, sizeof bits);
		break;
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		fact->text = ts_cursor_bytes(&p->c, ts_cursor_u32(&p->c));
		break;
	case TS_FACT_LONG:
		fact->text_len = ts_cursor_u32(&p->c);
		ts_payload_ref(p, &fact->text_id);
		break;
	case TS_FACT_NULL:
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
	case TS_FACT_ABSENT:
		break;
	}
	return TS_OK;
}

static bool comes_after(const struct ts_fact *fact, const struct ts_fact *before)
{
	int c = before ? ts_span_cmp(before->path, fact->path) : -1;

	return c < 0 || (c == 0 && before->source < fact->source);
}

enum ts_status ts_fact_decode(struct ts_payload *p, bool absent, const struct ts_fact *before, struct ts_fact *ret_fact,
			      struct ts_error *err)
{
	size_t at = ts_payload_at(p);
	struct ts_fact fact = {0};

	fact.type = (enum ts_fact_type)ts_cursor_u8(&p->c);
	fact.source = (enum ts_fact_source)ts_cursor_u8(&p->c);
	fact.path = ts_cursor_bytes(&p->c, ts_cursor_u16(&p->c));
	if (!p->c.failed && (unsigned)fact.type <= TS_FACT_ABSENT && read_value(p, &fact, err))
		return ts_error_prefix(err, "byte %zu", at);
	if (p->c.failed)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: a fact that does not fit", at);
	if (ts_fact_check(&fact, absent, err)) {
		err->status = TS_DAMAGED;
		return ts_error_prefix(err, "byte %zu", at);
	}
	if (!comes_after(&fact, before))
		return ts_error_set(err, TS_DAMAGED, "byte %zu: fact %.*s is not in order", at, TS_SPAN_ARG(fact.path));
	*ret_fact = fact;
	return TS_OK;
}
