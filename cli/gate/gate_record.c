#include "cli/gate/gate_record.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/json_reader.h"

enum { FILE_MAX = 64 << 20 };

enum ts_status ts_gate_record_text(const struct ts_gate_input *input, struct ts_arena *arena, struct ts_span *ret_text,
				   struct ts_error *err)
{
	struct ts_buf bytes = TS_BUF_INIT(TS_MESSAGE_MAX), text = TS_BUF_INIT(2 * (size_t)TS_MESSAGE_MAX);
	enum ts_status status = ts_wire_pack_gate_input(input, &bytes, err);

	if (!status) {
		ts_base64_print(&text, ts_buf_view(&bytes));
		status = ts_buf_check(&text, err);
	}
	if (!status) {
		*ret_text = ts_arena_span(arena, ts_buf_view(&text));
		status = ret_text->data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&text);
	ts_buf_finish(&bytes);
	return status;
}

/* Finds the string under the key "record" of the JSON object, and copies it, because the reader does not keep it. */
static enum ts_status find_record(struct ts_json_reader *r, struct ts_arena *arena, struct ts_span *ret_text,
				  struct ts_error *err)
{
	struct ts_json_token token;

	if (ts_json_next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID,
				    "byte %zu: the file is not a verdict or a bundle, because it does not hold a JSON object",
				    token.at);
	for (;;) {
		bool wanted;

		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return ts_error_set(err, TS_INVALID,
					    "the file is not a verdict or a bundle, because it has no key \"record\"");
		wanted = ts_span_is(token.text, "record");
		if (!wanted) {
			if (ts_json_skip(r, NULL, err))
				return err->status;
			continue;
		}
		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type != TS_JSON_STRING)
			return ts_error_set(err, TS_INVALID, "byte %zu: the value of \"record\" is not a string", token.at);
		*ret_text = ts_arena_span(arena, token.text);
		return ret_text->data ? TS_OK : ts_arena_error(arena, err);
	}
}

static enum ts_status unpack(struct ts_span text, struct ts_arena *arena, struct ts_gate_input *ret_input,
			     struct ts_error *err)
{
	uint8_t *bytes = ts_arena_alloc(arena, ts_base64_len(text));
	size_t at = 0;

	if (!bytes)
		return ts_arena_error(arena, err);
	if (!ts_base64_parse(text, bytes, &at))
		return ts_error_set(err, TS_INVALID, "the value of \"record\" is not base64 at its byte %zu", at);
	return ts_wire_unpack_gate_input(ts_span_of(bytes, ts_base64_len(text)), arena, ret_input, err);
}

enum ts_status ts_gate_record_read(const char *path, struct ts_arena *arena, struct ts_gate_input *ret_input,
				   struct ts_error *err)
{
	struct ts_buf file = TS_BUF_INIT(FILE_MAX), scratch = TS_BUF_INIT(FILE_MAX);
	struct ts_json_reader reader;
	struct ts_span text = {NULL, 0};
	enum ts_status status = ts_file_read(path, &file, err);

	if (status) {
		ts_buf_finish(&file);
		return status; /* the error already names the file */
	}
	ts_json_reader_init(&reader, ts_buf_view(&file), &scratch);
	status = find_record(&reader, arena, &text, err);
	if (!status)
		status = unpack(text, arena, ret_input, err);
	ts_buf_finish(&scratch);
	ts_buf_finish(&file);
	return status ? ts_error_prefix(err, "%s", path) : TS_OK;
}
