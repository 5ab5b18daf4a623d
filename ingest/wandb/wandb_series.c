#include "ingest/wandb/wandb_series.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/wandb/wandb_item.h"

#include <math.h>
#include <stdio.h>

enum { KEYS_MAX = 65536 };

void ts_wandb_series_init(struct ts_wandb_series *w, struct ts_arena *arena, struct ts_notices *notices)
{
	*w = (struct ts_wandb_series){.arena = arena,
				      .notices = notices,
				      .names = {.arena = arena},
				      .scratch = TS_BUF_INIT(8 * TS_TEXT_MAX),
				      .plain = TS_BUF_INIT(4 * TS_TEXT_MAX)};
}

void ts_wandb_series_begin(struct ts_wandb_series *w, struct ts_rows *rows)
{
	w->rows = rows;
	w->names.n = 0;
	ts_keys_finish(&w->keys);
	ts_keys_init(&w->keys, KEYS_MAX - 1);
	w->no_memory = false;
	if (w->of)
		memset(w->of, 0, w->cap * sizeof *w->of);
}

void ts_wandb_series_finish(struct ts_wandb_series *w)
{
	ts_free(w->of);
	ts_keys_finish(&w->keys);
	ts_buf_finish(&w->scratch);
	ts_buf_finish(&w->plain);
}

void ts_wandb_tell(struct ts_wandb_series *w, const char *code, enum ts_notice_level level, const char *what)
{
	char detail[256];

	(void)snprintf(detail, sizeof detail, "byte %" PRIu64 ": %.200s", w->at, what);
	ts_notice_add(w->notices, code, level, w->file, 0, detail);
}

/* --- columns --- */

/* Makes space for the data of every key. */
uint32_t ts_wandb_key(struct ts_wandb_series *w, uint32_t parent, struct ts_span name)
{
	uint32_t key = ts_keys_get(&w->keys, parent, name);

	if (key != TS_KEY_NONE && TS_GROW(w->of, w->cap, (size_t)key + 1, 64))
		return key;
	if (key != TS_KEY_NONE || w->keys.no_memory)
		w->no_memory = true;
	else
		ts_wandb_tell(w, "too_many_columns", TS_NOTICE_SKIPPED, "more than 65,535 names");
	return TS_KEY_NONE;
}

/* Returns what the log calls the column: "train/loss" or, for a value in an object, "eval.acc". */
static enum ts_status source_of(struct ts_wandb_series *w, uint32_t key, struct ts_span *ret_source, struct ts_error *err)
{
	uint32_t chain[TS_JSON_DEPTH];
	struct ts_buf name = TS_BUF_INIT(2 * TS_PATH_MAX + TS_TEXT_MAX);
	enum ts_status status;
	size_t n = 0;

	for (; key != TS_KEY_ROOT && n < TS_JSON_DEPTH; key = ts_key_at(&w->keys, key)->parent)
		chain[n++] = key;
	for (size_t i = n; i > 0; i--) {
		if (i < n)
			ts_buf_char(&name, '.');
		ts_buf_span(&name, ts_key_at(&w->keys, chain[i - 1])->text);
	}
	status = ts_buf_check(&name, err);
	if (!status)
		*ret_source = ts_arena_span(w->arena, ts_buf_view(&name));
	ts_buf_finish(&name);
	return status || ret_source->data ? status : ts_arena_error(w->arena, err);
}

/* Makes scalars.eval.acc of {"eval": {"acc": ..}}, unless the table of names has a better name. */
static enum ts_status nested_name(struct ts_wandb_series *w, uint32_t key, struct ts_span *ret_column, struct ts_error *err)
{
	struct ts_buf path = TS_BUF_INIT(8 * TS_TEXT_MAX);
	enum ts_status status;

	ts_buf_str(&path, "scalars");
	ts_keys_path(&w->keys, key, &path);
	status = ts_buf_check(&path, err);
	if (!status)
		*ret_column = ts_arena_span(w->arena, ts_buf_view(&path));
	ts_buf_finish(&path);
	return status || ret_column->data ? status : ts_arena_error(w->arena, err);
}

static enum ts_status name_series(struct ts_wandb_series *w, uint32_t key, struct ts_error *err)
{
	struct ts_wandb_one *s = &w->of[key];
	struct ts_log_name ours = {.factor = 1};

	s->named = true;
	s->factor = 1;
	s->too_long = ts_key_at(&w->keys, key)->path_len > TS_PATH_MAX - strlen("scalars.");
	if (s->too_long)
		return TS_OK;
	if (source_of(w, key, &s->source, err) || ts_log_name(&w->names, s->source, &ours, err))
		return err->status;
	s->column = ours.column;
	s->factor = ours.factor;
	if (!ours.known && ts_key_at(&w->keys, key)->parent != TS_KEY_ROOT)
		return nested_name(w, key, &s->column, err);
	return TS_OK;
}

static enum ts_status column_of(struct ts_wandb_series *w, uint32_t key, enum ts_column_type type, uint32_t *column,
				struct ts_error *err)
{
	struct ts_wandb_one *s = &w->of[key];
	struct ts_rows_column c = {.type = type, .precision = TS_PRECISION_F64};

	if (*column)
		return TS_OK;
	if (!s->named && name_series(w, key, err))
		return err->status;
	if (s->too_long)
		return TS_OK;
	c.name = s->column;
	c.source = s->source;
	if (ts_rows_column(w->rows, &c, column, err))
		return err->status;
	++*column;
	return TS_OK;
}

/* UINT32_MAX + 1 is 0, so a series beyond the limit of columns is tried again, and counted for each row. */
enum ts_status ts_wandb_number(struct ts_wandb_series *w, uint32_t key, double value, struct ts_error *err)
{
	struct ts_wandb_one *s = &w->of[key];

	if (column_of(w, key, TS_COLUMN_F64, &s->number, err))
		return err->status;
	s->last = value;
	if (s->too_long) {
		ts_wandb_tell(w, "long_key", TS_NOTICE_SKIPPED, "a value whose name has more than 512 bytes");
		return TS_OK;
	}
	return ts_rows_f64(w->rows, s->number - 1, s->factor == 1 ? value : value * s->factor, err);
}

enum ts_status ts_wandb_text(struct ts_wandb_series *w, uint32_t key, enum ts_column_type type, struct ts_span value,
			     struct ts_error *err)
{
	struct ts_wandb_one *s = &w->of[key];
	uint32_t *column = type == TS_COLUMN_TEXT ? &s->text : &s->json;

	if (value.len > TS_TEXT_MAX) {
		ts_wandb_tell(w, "long_text", TS_NOTICE_SKIPPED, "a text or a list of more than 65,536 bytes");
		return TS_OK;
	}
	if (column_of(w, key, type, column, err))
		return err->status;
	if (s->too_long) {
		ts_wandb_tell(w, "long_key", TS_NOTICE_SKIPPED, "a value whose name has more than 512 bytes");
		return TS_OK;
	}
	return ts_rows_text(w->rows, *column - 1, value, err);
}

/* --- values --- */

/* Images, tables and histograms are objects that state their type. */
bool ts_wandb_is_media(struct ts_wandb_series *w, struct ts_span object)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error why = {.status = TS_OK};
	struct ts_buf scratch = TS_BUF_INIT(2 * TS_TEXT_MAX);
	bool media = false;

	ts_json_reader_init(&r, object, &scratch);
	(void)ts_json_next(&r, &token, &why);
	while (!media && !ts_json_next(&r, &token, &why) && token.type == TS_JSON_KEY) {
		media = ts_span_is(token.text, "_type");
		if (ts_json_skip(&r, NULL, &why))
			break;
	}
	ts_wandb_lacks(w, &why);
	ts_buf_finish(&scratch);
	return media;
}

/* Puts each member of an object as if it had been logged under its own name. */
static enum ts_status put_members(struct ts_wandb_series *w, uint32_t parent, struct ts_span object, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(2 * TS_TEXT_MAX);
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error why = {.status = TS_OK};
	enum ts_status status = TS_OK;

	ts_json_reader_init(&r, object, &scratch);
	(void)ts_json_next(&r, &token, &why);
	while (!status && !ts_json_next(&r, &token, &why) && token.type == TS_JSON_KEY) {
		uint32_t key = ts_wandb_key(w, parent, token.text);
		struct ts_span raw;

		if (ts_json_skip(&r, &raw, &why))
			break;
		if (key != TS_KEY_NONE)
			status = ts_wandb_json(w, key, raw, err);
	}
	ts_wandb_lacks(w, &why);
	ts_buf_finish(&scratch);
	return status;
}

static enum ts_status put_string(struct ts_wandb_series *w, uint32_t key, struct ts_span text, struct ts_error *err)
{
	if (ts_span_is(text, "NaN"))
		return ts_wandb_number(w, key, (double)NAN, err);
	if (ts_span_is(text, "Infinity"))
		return ts_wandb_number(w, key, (double)INFINITY, err);
	if (ts_span_is(text, "-Infinity"))
		return ts_wandb_number(w, key, -(double)INFINITY, err);
	return ts_wandb_text(w, key, TS_COLUMN_TEXT, text, err);
}

/* Removes the white space between tokens, so that two ways of writing a list give one value. */
static struct ts_span squeeze(struct ts_wandb_series *w, struct ts_span json)
{
	bool in_string = false;

	ts_buf_reset(&w->plain);
	for (size_t i = 0; i < json.len; i++) {
		uint8_t c = json.data[i];

		if (!in_string && ts_is_space(c))
			continue;
		ts_buf_u8(&w->plain, c);
		if (in_string && c == '\\' && i + 1 < json.len)
			ts_buf_u8(&w->plain, json.data[++i]);
		else if (c == '"')
			in_string = !in_string;
	}
	w->no_memory |= w->plain.failed == TS_NO_MEMORY;
	return ts_buf_view(&w->plain);
}

/* Returns whether this is an integer whose digits a double cannot give back. */
static bool loses_digits(struct ts_span digits, double value)
{
	char exact[400];
	int n;

	if (fabs(value) < TS_WANDB_EXACT)
		return false;
	n = isfinite(value) ? snprintf(exact, sizeof exact, "%.0f", value) : 0;
	return !ts_span_eq(digits, ts_span_of(exact, (size_t)n));
}

static enum ts_status put_token(struct ts_wandb_series *w, uint32_t key, const struct ts_json_token *token, struct ts_span json,
				struct ts_error *err)
{
	switch (token->type) {
	case TS_JSON_NUMBER:
		if (token->integer && loses_digits(token->raw, token->number)) {
			ts_wandb_tell(w, "big_integer", TS_NOTICE_INFO, "kept as its digits");
			return ts_wandb_text(w, key, TS_COLUMN_JSON, token->raw, err);
		}
		return ts_wandb_number(w, key, token->number, err);
	case TS_JSON_STRING:
		return put_string(w, key, token->text, err);
	case TS_JSON_TRUE:
		return ts_wandb_text(w, key, TS_COLUMN_JSON, ts_span_str("true"), err);
	case TS_JSON_FALSE:
		return ts_wandb_text(w, key, TS_COLUMN_JSON, ts_span_str("false"), err);
	case TS_JSON_NULL:
		ts_wandb_tell(w, "null_value", TS_NOTICE_INFO, "no value");
		return TS_OK;
	case TS_JSON_OBJECT:
		if (ts_span_is(squeeze(w, json), "{}"))
			return ts_wandb_text(w, key, TS_COLUMN_JSON, ts_span_str("{}"), err);
		if (!ts_wandb_is_media(w, json))
			return put_members(w, key, json, err);
		ts_wandb_tell(w, "not_scalar", TS_NOTICE_SKIPPED, "an image, a table or another object of W&B's");
		return TS_OK;
	case TS_JSON_ARRAY:
		return ts_wandb_text(w, key, TS_COLUMN_JSON, squeeze(w, json), err);
	case TS_JSON_EOF:
	case TS_JSON_END:
	case TS_JSON_KEY:
		break;
	}
	ts_wandb_tell(w, "bad_json", TS_NOTICE_SKIPPED, "no value");
	return TS_OK;
}

/* Puts a value that is not a plain number. */
static enum ts_status put_other(struct ts_wandb_series *w, uint32_t key, struct ts_span json, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token, end;
	struct ts_error why = {.status = TS_OK};
	bool whole;

	if (json.len > 2 * TS_TEXT_MAX) {
		ts_wandb_tell(w, "long_text", TS_NOTICE_SKIPPED, "a value of more than 131,072 bytes");
		return TS_OK;
	}
	ts_buf_reset(&w->scratch);
	ts_json_reader_init(&r, json, &w->scratch);
	whole = !ts_json_skip(&r, NULL, &why) && !ts_json_next(&r, &end, &why) && end.type == TS_JSON_EOF;
	ts_buf_reset(&w->scratch);
	ts_json_reader_init(&r, json, &w->scratch);
	if (!whole || ts_json_next(&r, &token, &why)) {
		ts_wandb_lacks(w, &why);
		ts_wandb_tell(w, "bad_json", TS_NOTICE_SKIPPED, "a value that is not JSON");
		return TS_OK;
	}
	return put_token(w, key, &token, json, err);
}

enum ts_status ts_wandb_json(struct ts_wandb_series *w, uint32_t key, struct ts_span json, struct ts_error *err)
{
	double value;
	bool integer;
	size_t n = ts_number_scan(json, &value, &integer);

	if (n > 0 && n == json.len && !(integer && loses_digits(json, value)))
		return ts_wandb_number(w, key, value, err);
	return put_other(w, key, json, err);
}
