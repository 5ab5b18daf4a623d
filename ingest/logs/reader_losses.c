#include "ingest/logs/reader_losses.h"

#include "base/below.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/formats/log_lines.h"
#include "ingest/logs/log_table.h"

#include <math.h>

enum { SURE = 45, SNIFF_LINES = 4 };

struct losses {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	const char *path;
	struct ts_span file; /* named in notices if a single file was given */
	struct ts_buf text, scratch;
	struct ts_log_lines lines;
};

static const char *directory_of(const char *path, struct ts_arena *arena)
{
	const char *slash = strrchr(path, '/');

	return slash ? ts_arena_printf(arena, "%.*s", (int)(slash + 1 - path), path) : ".";
}

static enum ts_status import(struct losses *l, struct ts_log_source *source, const struct ts_ingest_options *options,
			     ts_object_sink *sink, void *ctx, struct ts_ingest_result *ret_result, struct ts_error *err)
{
	source->directory = directory_of(options->path, l->arena);
	source->ctx = l;
	if (!source->directory)
		return ts_arena_error(l->arena, err);
	return ts_log_table_import(source, options, sink, ctx, &l->notices, &l->bytes_read, l->arena, ret_result, err);
}

/* --- golden values --- */

/* The text begins with {"<name>": { and a member that only files of golden values have. */
static bool is_golden(struct ts_span text, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 16);
	struct ts_json_reader r;
	struct ts_json_token token;
	bool is = false;

	ts_json_reader_init(&r, text, &scratch);
	if (!ts_json_next(&r, &token, err) && token.type == TS_JSON_OBJECT && !ts_json_next(&r, &token, err) &&
	    token.type == TS_JSON_KEY && !ts_json_next(&r, &token, err) && token.type == TS_JSON_OBJECT &&
	    !ts_json_next(&r, &token, err) && token.type == TS_JSON_KEY)
		is = ts_span_is(token.text, "start_step") || ts_span_is(token.text, "end_step") ||
		     ts_span_is(token.text, "step_interval");
	ts_buf_finish(&scratch);
	return is;
}

int ts_golden_sniff(const char *path)
{
	struct ts_log_lines lines;
	struct ts_span line;
	enum ts_log_line_end end;
	struct ts_error err = {.status = TS_OK};
	struct ts_buf begin = TS_BUF_INIT(1 << 12);
	bool is = false;

	if (!ts_file_ends(path, ".json") || ts_file_kind(path) != TS_FILE_REGULAR)
		return 0;
	if (!ts_log_lines_open(&lines, path, path, '\0', &err))
		for (int i = 0; i < SNIFF_LINES && !ts_log_lines_next(&lines, &line, &end, &err) && end == TS_LOG_LINE; i++) {
			ts_buf_bytes(&begin, line.data, line.len < 1 << 10 ? line.len : 1 << 10);
			ts_buf_char(&begin, ' ');
		}
	ts_log_lines_close(&lines);
	if (begin.failed == TS_NO_MEMORY)
		(void)ts_buf_check(&begin, &err);
	if (err.status != TS_NO_MEMORY)
		is = is_golden(ts_buf_view(&begin), &err);
	ts_buf_finish(&begin);
	return is ? SURE : err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY : 0;
}

static enum ts_status take_value(struct losses *l, struct ts_log_table *t, struct ts_span name, struct ts_span step,
				 const struct ts_json_token *token, struct ts_json_reader *r, struct ts_error *err)
{
	double value = token->number;
	struct ts_span written = token->type == TS_JSON_NUMBER ? token->raw : ts_span_of(NULL, 0);
	bool text = token->type == TS_JSON_STRING;
	bool known = token->type == TS_JSON_NUMBER || (text && ts_log_number(token->text, &value, &written));
	int64_t number;

	if (text && known && isnan(value)) { /* Megatron-LM fills each step that has no value so; its JSON has no other NaN */
		ts_notice_add(&l->notices, "not_recorded", TS_NOTICE_INFO, l->file, 0,
			      "a value \"nan\", by which golden values say that none was recorded at that step");
		return TS_OK;
	}
	if (!known || !ts_parse_i64(step, &number)) {
		ts_notice_add(&l->notices, known ? "bad_step" : "not_scalar", TS_NOTICE_SKIPPED, l->file, 0,
			      known ? "a step that is not a whole number of 64 bits" : "a value that is not a number");
		return token->type == TS_JSON_OBJECT || token->type == TS_JSON_ARRAY ? ts_json_skip(r, NULL, err) : TS_OK;
	}
	ts_log_table_row(t, 0);
	ts_log_table_number(t, ts_span_str("step"), (double)number, step);
	ts_log_table_number(t, name, value, written);
	return ts_log_table_end(t, err);
}

static enum ts_status take_values(struct losses *l, struct ts_log_table *t, struct ts_span name, struct ts_json_reader *r,
				  struct ts_error *err)
{
	struct ts_json_token token;
	char step[32];

	for (;;) {
		size_t n;

		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return TS_OK;
		n = token.text.len < sizeof step ? token.text.len : 0;
		if (n)
			memcpy(step, token.text.data, n);
		if (ts_json_next(r, &token, err) || take_value(l, t, name, ts_span_of(step, n), &token, r, err))
			return err->status;
	}
}

static enum ts_status take_metric(struct losses *l, struct ts_log_table *t, struct ts_span name, struct ts_json_reader *r,
				  struct ts_error *err)
{
	struct ts_json_token token;

	for (;;) {
		bool values;

		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return TS_OK;
		values = ts_span_is(token.text, "values");
		if (!values) {
			if (ts_json_skip(r, NULL, err))
				return err->status;
			continue;
		}
		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_OBJECT) {
			if (take_values(l, t, name, r, err))
				return err->status;
			continue;
		}
		ts_notice_add(&l->notices, "not_scalar", TS_NOTICE_SKIPPED, l->file, 0, "values that are not an object of steps");
		if (token.type == TS_JSON_ARRAY && ts_json_skip(r, NULL, err))
			return err->status;
	}
}

static enum ts_status read_golden(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct losses *l = ctx;
	struct ts_json_reader r;
	struct ts_json_token token;

	ts_json_reader_init(&r, ts_buf_view(&l->text), &l->scratch);
	if (ts_json_next(&r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID, "byte 0: expected an object");
	for (;;) {
		struct ts_span name;

		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			break;
		name = ts_arena_span(l->arena, token.text);
		if (!name.data)
			return ts_arena_error(l->arena, err);
		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type == TS_JSON_OBJECT && take_metric(l, t, name, &r, err))
			return err->status;
		if (token.type == TS_JSON_ARRAY && ts_json_skip(&r, NULL, err))
			return err->status;
		if (token.type != TS_JSON_OBJECT)
			ts_notice_add(&l->notices, "not_object", TS_NOTICE_SKIPPED, l->file, 0, "a metric that is not an object");
	}
	l->bytes_read += l->text.len;
	return TS_OK;
}

enum ts_status ts_golden_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct losses l = {.options = options,
			   .arena = arena,
			   .notices = {.arena = arena},
			   .path = options->path,
			   .text = TS_BUF_INIT(TS_JSON_FILE_MAX),
			   .scratch = TS_BUF_INIT(TS_JSON_FILE_MAX)};
	struct ts_log_source source = {.format = "Megatron-LM golden values", .unordered = true, .read = read_golden};
	enum ts_status status = ts_below_read(ts_top(options), options->path, &l.text, err);

	if (!status)
		status = import(&l, &source, options, sink, ctx, ret_result, err);
	ts_buf_finish(&l.text);
	ts_buf_finish(&l.scratch);
	return status;
}

/* --- losses.txt --- */

/* Splits "12 7.9345" into two fields, of which the first is a whole number. */
static bool split(struct ts_span line, struct ts_span *ret_step, struct ts_span *ret_value)
{
	struct ts_span parts[3];
	size_t n = 0;

	for (size_t i = 0; i < line.len;) {
		size_t from;

		while (i < line.len && (ts_is_space(line.data[i]) || line.data[i] == ','))
			i++;
		from = i;
		while (i < line.len && !ts_is_space(line.data[i]) && line.data[i] != ',')
			i++;
		if (i > from && n < 3)
			parts[n++] = ts_span_of(line.data + from, i - from);
	}
	if (n != 2)
		return false;
	*ret_step = parts[0];
	*ret_value = parts[1];
	return true;
}

static bool parse(struct ts_span line, struct ts_span *ret_step, int64_t *ret_number, double *ret_value,
		  struct ts_span *ret_written)
{
	struct ts_span value;

	return split(line, ret_step, &value) && ts_parse_i64(*ret_step, ret_number) &&
	       ts_log_number(value, ret_value, ret_written);
}

static bool is_empty(struct ts_span line)
{
	size_t i = 0;

	while (i < line.len && ts_is_space(line.data[i]))
		i++;
	return i == line.len || line.data[i] == '#';
}

/* Each of the first lines must have this form. */
int ts_losses_sniff(const char *path)
{
	struct ts_log_lines lines;
	struct ts_span line, step, written;
	enum ts_log_line_end end = TS_LOG_LINES_END;
	struct ts_error err = {.status = TS_OK};
	int64_t number;
	double value;
	int good = 0, bad = 0;

	if (!ts_file_ends(path, ".txt") || ts_file_kind(path) != TS_FILE_REGULAR)
		return 0;
	if (!ts_log_lines_open(&lines, path, path, '\0', &err))
		while (good + bad < SNIFF_LINES && !ts_log_lines_next(&lines, &line, &end, &err) && end == TS_LOG_LINE) {
			bool fits = parse(line, &step, &number, &value, &written);

			good += fits;
			bad += !fits && !is_empty(line);
		}
	ts_log_lines_close(&lines);
	if (err.status == TS_NO_MEMORY)
		return TS_SNIFF_NO_MEMORY;
	return good > 0 && bad == 0 ? SURE : 0;
}

static enum ts_status read_losses(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct losses *l = ctx;

	for (;;) {
		struct ts_span line, step, written;
		enum ts_log_line_end end;
		int64_t number;
		double value;

		if (ts_log_lines_next(&l->lines, &line, &end, err))
			return err->status;
		if (end == TS_LOG_LINES_END)
			return TS_OK;
		if (end != TS_LOG_LINE || !parse(line, &step, &number, &value, &written)) {
			if (end != TS_LOG_LINE || !is_empty(line))
				ts_notice_add(&l->notices, "bad_line", TS_NOTICE_SKIPPED, l->file, l->lines.number,
					      "a line without a step and a loss");
			continue;
		}
		ts_log_table_row(t, l->lines.number);
		ts_log_table_number(t, ts_span_str("step"), (double)number, step);
		ts_log_table_number(t, ts_span_str("loss"), value, written);
		if (ts_log_table_end(t, err) || ts_log_table_at(t, ts_log_lines_at(&l->lines), l->lines.size, err))
			return err->status;
	}
}

static enum ts_status read_text(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct losses *l = ctx;
	enum ts_status status = ts_log_lines_open(&l->lines, ts_top(l->options), l->path, '\0', err);

	if (!status)
		status = read_losses(l, t, err);
	l->bytes_read += l->lines.size;
	ts_log_lines_close(&l->lines);
	return status;
}

enum ts_status ts_losses_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct losses l = {.options = options, .arena = arena, .notices = {.arena = arena}, .path = options->path};
	struct ts_log_source source = {.format = "torchtitan losses", .read = read_text};

	return import(&l, &source, options, sink, ctx, ret_result, err);
}
