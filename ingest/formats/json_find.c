#include "ingest/formats/json_find.h"

enum ts_status ts_json_find(struct ts_span object, const char *key, struct ts_buf *scratch, struct ts_span *ret_value,
			    struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;

	*ret_value = ts_span_of(NULL, 0);
	ts_json_reader_init(&r, object, scratch);
	if (ts_json_next(&r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return TS_OK;
	for (;;) {
		bool wanted;

		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return TS_OK;
		wanted = ts_span_is(token.text, key);
		if (ts_json_skip(&r, wanted ? ret_value : NULL, err))
			return err->status;
	}
}

enum ts_status ts_json_said(struct ts_span value, struct ts_arena *arena, struct ts_buf *scratch, struct ts_span *ret_text,
			    struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;

	*ret_text = ts_span_of(NULL, 0);
	if (!value.len || value.data[0] != '"')
		return TS_OK;
	ts_json_reader_init(&r, value, scratch);
	if (ts_json_next(&r, &token, err))
		return err->status;
	*ret_text = ts_arena_span(arena, token.text);
	return ret_text->data ? TS_OK : ts_arena_error(arena, err);
}
