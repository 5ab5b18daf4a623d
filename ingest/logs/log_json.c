#include "ingest/logs/log_json.h"

#include "base/limits.h"
#include "base/number.h"

#include <math.h>

struct flattening {
	struct ts_json_reader *r;
	struct ts_log_table *table;
	struct ts_span file;
	uint64_t line;
	struct ts_buf name; /* the name of the next value */
};

static enum ts_status members(struct flattening *f, struct ts_error *err);

/* Returns whether the text is a word that W&B and strict writers use in place of the bare tokens. */
static bool is_word(struct ts_span text, double *ret_value)
{
	bool negative = ts_span_is(text, "-Infinity");

	if (!negative && !ts_span_is(text, "Infinity") && !ts_span_is(text, "NaN"))
		return false;
	*ret_value = text.data[0] == 'N' ? (double)NAN : (double)(negative ? -INFINITY : INFINITY);
	return true;
}

static enum ts_status value(struct flattening *f, const struct ts_json_token *token, struct ts_error *err)
{
	struct ts_span name = ts_buf_view(&f->name);
	double number;

	switch (token->type) {
	case TS_JSON_NUMBER:
		ts_log_table_number(f->table, name, token->number, token->raw);
		return TS_OK;
	case TS_JSON_TRUE:
	case TS_JSON_FALSE:
		ts_log_table_number(f->table, name, token->type == TS_JSON_TRUE, ts_span_of(NULL, 0));
		return TS_OK;
	case TS_JSON_STRING:
		if (is_word(token->text, &number))
			ts_log_table_number(f->table, name, number, ts_span_of(NULL, 0));
		else if (ts_parse_double(token->text, &number))
			ts_log_table_number(f->table, name, number, token->text);
		else
			ts_log_table_text(f->table, name, token->text);
		return TS_OK;
	case TS_JSON_ARRAY:
		ts_log_table_tell(f->table, "not_scalar", TS_NOTICE_SKIPPED, f->file, f->line, "a list in the place of a number");
		return ts_json_skip(f->r, NULL, err);
	case TS_JSON_OBJECT:
		return members(f, err);
	case TS_JSON_NULL:
	case TS_JSON_KEY:
	case TS_JSON_END:
	case TS_JSON_EOF:
		break;
	}
	return TS_OK;
}

/* The reader's TS_JSON_DEPTH bounds the recursion. */
static enum ts_status members(struct flattening *f, struct ts_error *err)
{
	size_t len = f->name.len;
	struct ts_json_token token;

	for (;;) {
		if (ts_json_next(f->r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return TS_OK;
		f->name.len = len;
		if (len)
			ts_buf_char(&f->name, '/');
		ts_buf_span(&f->name, token.text);
		if (ts_buf_check(&f->name, err) || ts_json_next(f->r, &token, err) || value(f, &token, err))
			return err->status;
		f->name.len = len;
	}
}

enum ts_status ts_log_json_cells(struct ts_json_reader *r, struct ts_log_table *t, struct ts_span file, uint64_t line,
				 struct ts_error *err)
{
	struct flattening f = {.r = r, .table = t, .file = file, .line = line, .name = TS_BUF_INIT(2 * TS_LINE_MAX)};
	enum ts_status status = members(&f, err);

	ts_buf_finish(&f.name);
	return status;
}
