/* rpc.c - see rpc.h. */
#include "cli/serve/rpc.h"

#include "base/door.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/text.h"

enum { SCRATCH_MAX = 8 << 20 };

/* The JSON of an id: what JSON-RPC allows, but for null and fractions, which the protocol above it forbids. */
static enum ts_status take_id(const struct ts_json_token *token, struct ts_arena *arena, struct ts_span *ret_id, struct ts_error *err)
{
	bool number = token->type == TS_JSON_NUMBER && token->integer, text = token->type == TS_JSON_STRING;
	struct ts_buf quoted = TS_BUF_INIT(8 * TS_RPC_ID_MAX);
	struct ts_json j = ts_json_of(&quoted);
	enum ts_status status;

	if ((!number && !text) || (number ? token->raw : token->text).len > TS_RPC_ID_MAX)
		return ts_error_set(err, TS_INVALID, "an id is a text or a whole number, of at most %d bytes", TS_RPC_ID_MAX);
	if (number) {
		*ret_id = ts_arena_span(arena, token->raw);
		return ret_id->data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_json_span(&j, token->text);
	status = ts_buf_check(&quoted, err);
	if (!status) {
		struct ts_span id = ts_arena_span(arena, ts_buf_view(&quoted));

		status = id.data ? TS_OK : ts_arena_error(arena, err);
		if (!status)
			*ret_id = id;
	}
	ts_buf_finish(&quoted);
	return status;
}

struct reading {
	struct ts_json_reader reader;
	struct ts_arena *arena;
	struct ts_rpc_message *message;
	bool has_method, has_answer, has_id, right_version;
	enum ts_status wrong; /* what is JSON, but no message; in first */
	struct ts_error first;
};

static void refuse(struct reading *r, const char *why)
{
	if (!r->wrong)
		r->wrong = ts_error_set(&r->first, TS_INVALID, "%s", why);
}

/* Takes the value of a key. Only what is no JSON ends the reading, so that an id that stands at the end is found, too. */
static enum ts_status take(struct reading *r, struct ts_span key, struct ts_error *err)
{
	struct ts_json_token token;

	if (ts_span_is(key, "params")) {
		if (ts_json_skip(&r->reader, &r->message->params, err))
			return err->status;
		if (r->message->params.data[0] != '{')
			refuse(r, "params is not an object");
		return TS_OK;
	}
	if (ts_span_is(key, "result") || ts_span_is(key, "error")) {
		r->has_answer = true;
		return ts_json_skip(&r->reader, NULL, err);
	}
	if (!ts_span_is(key, "id") && !ts_span_is(key, "method") && !ts_span_is(key, "jsonrpc"))
		return ts_json_skip(&r->reader, NULL, err);
	if (ts_json_next(&r->reader, &token, err))
		return err->status;
	if (ts_span_is(key, "id")) {
		r->has_id = true;
		if (take_id(&token, r->arena, &r->message->id, &r->first) && !r->wrong)
			r->wrong = r->first.status;
	} else if (token.type != TS_JSON_STRING) {
		refuse(r, "method and jsonrpc are texts");
	} else if (ts_span_is(key, "jsonrpc")) {
		r->right_version = ts_span_is(token.text, "2.0");
	} else {
		r->has_method = true;
		r->message->method = ts_arena_span(r->arena, token.text);
	}
	return token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY ? ts_json_skip(&r->reader, NULL, err) : TS_OK;
}

static enum ts_status read_object(struct reading *r, struct ts_error *err)
{
	struct ts_json_token token;

	if (ts_json_next(&r->reader, &token, err))
		return err->status;
	if (token.type == TS_JSON_ARRAY)
		refuse(r, "a list of messages is not read; send one a line");
	else if (token.type != TS_JSON_OBJECT)
		refuse(r, token.type == TS_JSON_EOF ? "an empty line" : "a message is an object");
	if (r->wrong)
		return token.type == TS_JSON_ARRAY ? ts_json_skip(&r->reader, NULL, err) : TS_OK;
	for (;;) {
		if (ts_json_next(&r->reader, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			break;
		if (take(r, token.text, err))
			return err->status;
	}
	if (ts_json_next(&r->reader, &token, err))
		return err->status;
	if (token.type != TS_JSON_EOF)
		refuse(r, "more than one message stands on the line");
	return TS_OK;
}

enum ts_status ts_rpc_read(struct ts_span line, struct ts_arena *arena, struct ts_rpc_message *message, enum ts_rpc_code *ret_code,
			   struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(SCRATCH_MAX);
	struct reading r = {.arena = arena, .message = message};
	enum ts_status status;

	*message = (struct ts_rpc_message){.kind = TS_RPC_REQUEST};
	ts_json_reader_init(&r.reader, line, &scratch);
	status = read_object(&r, err);
	ts_buf_finish(&scratch);
	*ret_code = status == TS_NO_MEMORY ? TS_RPC_INTERNAL : TS_RPC_NOT_JSON;
	if (status)
		return status;
	if (!r.wrong && !r.right_version)
		refuse(&r, "jsonrpc is not \"2.0\"");
	if (!r.wrong && !r.has_method && !r.has_answer)
		refuse(&r, "it has no method");
	*ret_code = TS_RPC_NO_REQUEST;
	if (r.wrong) {
		*err = r.first;
		return r.wrong;
	}
	message->kind = !r.has_method ? TS_RPC_REPLY : r.has_id ? TS_RPC_REQUEST : TS_RPC_NOTIFICATION;
	*ret_code = TS_RPC_INTERNAL;
	return ts_arena_check(arena, err);
}

/* A line end within a JSON text stands between tokens: one in a string is escaped. */
static void put_line(struct ts_buf *out, struct ts_span json)
{
	while (json.len) {
		const uint8_t *end = memchr(json.data, '\n', json.len);
		size_t n = end ? (size_t)(end - json.data) : json.len;

		ts_buf_bytes(out, json.data, n);
		json = ts_span_from(json, end ? n + 1 : n);
	}
}

static void begin(struct ts_buf *out, struct ts_span id)
{
	ts_buf_str(out, "{\"jsonrpc\":\"2.0\",\"id\":");
	ts_buf_span(out, id.len ? id : ts_span_str("null"));
}

void ts_rpc_result(struct ts_buf *out, struct ts_span id, const char *members, struct ts_span result)
{
	TS_DOOR(result.len >= 2 && result.data[0] == '{');
	begin(out, id);
	ts_buf_str(out, ",\"result\":");
	if (members) {
		struct ts_span inside = ts_trim(ts_span_from(result, 1));

		ts_buf_printf(out, "{%s%s", members, inside.data[0] == '}' ? "" : ",");
		put_line(out, inside);
	} else {
		put_line(out, result);
	}
	ts_buf_str(out, "}\n");
}

void ts_rpc_error_data(struct ts_buf *out, struct ts_span id, enum ts_rpc_code code, const char *message, struct ts_span data)
{
	struct ts_json j = ts_json_of(out);

	begin(out, id);
	ts_buf_printf(out, ",\"error\":{\"code\":%d,\"message\":", (int)code);
	ts_json_string(&j, message);
	if (data.len) {
		ts_buf_str(out, ",\"data\":");
		put_line(out, data);
	}
	ts_buf_str(out, "}}\n");
}

void ts_rpc_error(struct ts_buf *out, struct ts_span id, enum ts_rpc_code code, const char *message)
{
	ts_rpc_error_data(out, id, code, message, ts_span_of(NULL, 0));
}

bool ts_rpc_member(struct ts_span object, const char *name, struct ts_span *ret_value)
{
	struct ts_buf scratch = TS_BUF_INIT(SCRATCH_MAX);
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error unused;
	bool found = false, more;

	ts_json_reader_init(&r, object, &scratch);
	more = ts_json_next(&r, &token, &unused) == TS_OK && token.type == TS_JSON_OBJECT;
	while (more && ts_json_next(&r, &token, &unused) == TS_OK && token.type == TS_JSON_KEY) {
		bool is = ts_span_is(token.text, name);
		struct ts_span value;

		more = ts_json_skip(&r, &value, &unused) == TS_OK;
		if (is && more) {
			*ret_value = value;
			found = true;
		}
	}
	ts_buf_finish(&scratch);
	return found;
}

bool ts_rpc_text(struct ts_span object, const char *name, struct ts_arena *arena, struct ts_span *ret_text)
{
	struct ts_buf scratch = TS_BUF_INIT(SCRATCH_MAX);
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error unused;
	struct ts_span value;
	bool found;

	if (!ts_rpc_member(object, name, &value))
		return false;
	ts_json_reader_init(&r, value, &scratch);
	found = ts_json_next(&r, &token, &unused) == TS_OK && token.type == TS_JSON_STRING &&
		(token.text.len == 0 || !memchr(token.text.data, 0, token.text.len));
	if (found) {
		*ret_text = ts_arena_span(arena, token.text);
		found = ret_text->data != NULL;
	}
	ts_buf_finish(&scratch);
	return found;
}
