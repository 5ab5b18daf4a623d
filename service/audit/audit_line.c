#include "service/audit/audit_line.h"

#include "base/digest.h"
#include "base/json_reader.h"
#include "base/json_writer.h"

#include <stddef.h>

#define CHAIN_KEY ",\"chain\":\""

enum { CHAIN_TAIL = sizeof CHAIN_KEY - 1 + TS_AUDIT_CHAIN + 2 }; /* with "} behind it */

/* The texts of an entry, in the order of a line. */
static const struct {
	const char *key;
	size_t at;
} texts[] = {
	{"kind", offsetof(struct ts_audit_entry, kind)},   {"who", offsetof(struct ts_audit_entry, who)},
	{"from", offsetof(struct ts_audit_entry, from)},   {"act", offsetof(struct ts_audit_entry, act)},
	{"on", offsetof(struct ts_audit_entry, on)},	   {"key", offsetof(struct ts_audit_entry, key)},
	{"before", offsetof(struct ts_audit_entry, before)}, {"after", offsetof(struct ts_audit_entry, after)},
	{"text", offsetof(struct ts_audit_entry, text)},
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

static struct ts_span *text_at(struct ts_audit_entry *entry, size_t i)
{
	return (struct ts_span *)(void *)((uint8_t *)entry + texts[i].at);
}

static bool chain_of(const char *before, struct ts_span body, char out[TS_AUDIT_CHAIN + 1])
{
	struct ts_buf buf = TS_BUF_INIT(2 * TS_AUDIT_LINE_MAX);
	struct ts_error err;
	struct ts_id id;
	bool whole;

	ts_buf_bytes(&buf, before, TS_AUDIT_CHAIN);
	ts_buf_char(&buf, '\n');
	ts_buf_span(&buf, body);
	whole = !ts_buf_check(&buf, &err);
	if (whole) {
		ts_digest(ts_buf_view(&buf), &id);
		(void)ts_id_hex(&id, out);
	}
	ts_buf_finish(&buf);
	return whole;
}

static void write_fields(const struct ts_audit_entry *entry, uint64_t n, struct ts_json *j)
{
	struct ts_audit_entry copy = *entry;

	ts_json_key(j, "n");
	ts_json_u64(j, n);
	ts_json_key(j, "at_ns");
	ts_json_i64(j, entry->at_ns);
	for (size_t i = 0; i < TEXTS; i++) {
		ts_json_key(j, texts[i].key);
		ts_json_span(j, *text_at(&copy, i));
	}
	ts_json_key(j, "denied");
	ts_json_bool(j, entry->denied);
	if (entry->left_out) {
		ts_json_key(j, "left_out");
		ts_json_u64(j, entry->left_out);
	}
}

enum ts_status ts_audit_line_write(const struct ts_audit_entry *entry, uint64_t n, char io_chain[TS_AUDIT_CHAIN + 1],
				   struct ts_buf *out, struct ts_error *err)
{
	struct ts_json j = ts_json_of(out);
	size_t from = out->len;
	char chain[TS_AUDIT_CHAIN + 1];

	ts_json_object(&j);
	write_fields(entry, n, &j);
	if (ts_buf_check(out, err))
		return err->status;
	if (!chain_of(io_chain, ts_span_of(out->data + from, out->len - from), chain))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a line of the audit log");
	ts_json_key(&j, "chain");
	ts_json_string(&j, chain);
	ts_json_end(&j);
	ts_buf_char(out, '\n');
	if (ts_buf_check(out, err))
		return err->status;
	memcpy(io_chain, chain, sizeof chain);
	return TS_OK;
}

void ts_audit_chain(const char before[TS_AUDIT_CHAIN + 1], struct ts_span line, char out[TS_AUDIT_CHAIN + 1])
{
	out[0] = 0;
	if (line.len > CHAIN_TAIL && line.len <= TS_AUDIT_LINE_MAX &&
	    memcmp(line.data + line.len - CHAIN_TAIL, CHAIN_KEY, sizeof CHAIN_KEY - 1) == 0 &&
	    !chain_of(before, ts_span_of(line.data, line.len - CHAIN_TAIL), out))
		out[0] = 0;
}

static enum ts_status take_text(struct ts_span key, struct ts_span text, struct ts_arena *arena, struct ts_audit_entry *entry,
				char chain[TS_AUDIT_CHAIN + 1], struct ts_error *err)
{
	if (ts_span_is(key, "chain") && text.len == TS_AUDIT_CHAIN)
		memcpy(chain, text.data, TS_AUDIT_CHAIN);
	for (size_t i = 0; i < TEXTS; i++) {
		if (!ts_span_is(key, texts[i].key))
			continue;
		*text_at(entry, i) = ts_arena_span(arena, text);
		if (!text_at(entry, i)->data)
			return ts_arena_error(arena, err);
	}
	return TS_OK;
}

static void take_number(struct ts_span key, struct ts_span raw, struct ts_audit_entry *entry, uint64_t *io_n)
{
	bool negative = raw.len > 1 && raw.data[0] == '-';
	uint64_t v = 0;

	for (size_t i = negative; i < raw.len && raw.data[i] >= '0' && raw.data[i] <= '9'; i++)
		v = 10 * v + (uint64_t)(raw.data[i] - '0');
	if (ts_span_is(key, "n"))
		*io_n = v;
	if (ts_span_is(key, "at_ns"))
		entry->at_ns = (int64_t)(negative ? 0 - v : v);
	if (ts_span_is(key, "left_out"))
		entry->left_out = v;
}

/* Reads one key and its value; *ret_more is false behind the last one. */
static enum ts_status take_field(struct ts_json_reader *r, struct ts_arena *arena, struct ts_audit_entry *entry, uint64_t *io_n,
				 char chain[TS_AUDIT_CHAIN + 1], bool *ret_more, struct ts_error *err)
{
	struct ts_json_token token;
	struct ts_span key;

	if (ts_json_next(r, &token, err))
		return err->status;
	*ret_more = token.type == TS_JSON_KEY;
	if (!*ret_more)
		return TS_OK;
	key = ts_arena_span(arena, token.text);
	if (!key.data)
		return ts_arena_error(arena, err);
	if (ts_json_next(r, &token, err))
		return err->status;
	if (token.type == TS_JSON_STRING || token.type == TS_JSON_NUMBER) /* great numbers are written as text */
		take_number(key, token.type == TS_JSON_NUMBER ? token.raw : token.text, entry, io_n);
	if (token.type == TS_JSON_STRING)
		return take_text(key, token.text, arena, entry, chain, err);
	if (token.type == TS_JSON_TRUE && ts_span_is(key, "denied"))
		entry->denied = true;
	return token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY ? ts_json_skip(r, NULL, err) : TS_OK;
}

enum ts_status ts_audit_line_read(struct ts_span line, struct ts_arena *arena, struct ts_audit_entry *ret_entry, uint64_t *ret_n,
				  char ret_chain[TS_AUDIT_CHAIN + 1], struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_AUDIT_LINE_MAX);
	struct ts_json_reader r;
	struct ts_json_token token;
	enum ts_status status;
	bool more = true;

	*ret_entry = (struct ts_audit_entry){.at_ns = 0};
	*ret_n = 0;
	memset(ret_chain, 0, TS_AUDIT_CHAIN + 1);
	if (line.len > TS_AUDIT_LINE_MAX)
		return ts_error_set(err, TS_INVALID, "a line of an audit log has at most %d bytes", TS_AUDIT_LINE_MAX);
	ts_json_reader_init(&r, line, &scratch);
	status = ts_json_next(&r, &token, err);
	if (!status && token.type != TS_JSON_OBJECT)
		status = ts_error_set(err, TS_INVALID, "a line of an audit log is a JSON object");
	while (!status && more)
		status = take_field(&r, arena, ret_entry, ret_n, ret_chain, &more, err);
	ts_buf_finish(&scratch);
	if (!status && (*ret_n == 0 || !ret_chain[0]))
		status = ts_error_set(err, TS_INVALID, "a line of an audit log has a number and a chain");
	return status;
}
