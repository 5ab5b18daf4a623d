#include "ingest/logs/log_hparams.h"

#include "base/below.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/formats/flat_yaml.h"

/* What is no JSON: PyYAML's words, and ours, which facts take. */
static const char *odd_number(struct ts_span value)
{
	static const char *const words[][2] = {{".nan", "NaN"}, {".inf", "Infinity"}, {"-.inf", "-Infinity"}};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_is(value, words[i][0]))
			return words[i][1];
	return NULL;
}

static void write_value(struct ts_json *j, struct ts_span value)
{
	double number;
	int64_t integer;

	if (ts_parse_i64(value, &integer))
		ts_json_i64(j, integer);
	else if (ts_parse_double(value, &number))
		ts_json_raw(j, value);
	else if (ts_span_is(value, "true") || ts_span_is(value, "false"))
		ts_json_bool(j, value.data[0] == 't');
	else if (odd_number(value))
		ts_json_raw(j, ts_span_str(odd_number(value)));
	else
		ts_json_span(j, value);
}

static enum ts_status write_config(struct ts_span text, struct ts_span name, struct ts_json *j, struct ts_notices *notices,
				   struct ts_error *err)
{
	struct ts_flat_yaml yaml = {NULL, 0};
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_flat_yaml_read(text, &arena, &yaml, err);
	ts_json_key(j, "config");
	ts_json_object(j);
	for (const struct ts_yaml_pair *pair = yaml.first; pair; pair = pair->next) {
		if (pair->kind == TS_YAML_OTHER) {
			ts_notice_add(notices, "nested_config", TS_NOTICE_SKIPPED, name, pair->line,
				      "a value that is a list, a mapping or a block");
			continue;
		}
		ts_json_key_span(j, pair->key);
		if (pair->kind == TS_YAML_NULL)
			ts_json_null(j);
		else if (pair->quoted)
			ts_json_span(j, pair->value);
		else
			write_value(j, pair->value);
	}
	if (yaml.bad_line)
		ts_notice_add(notices, "nested_config", TS_NOTICE_SKIPPED, name, yaml.bad_line,
			      "the rest of the file from this line on, which is not YAML");
	ts_json_end(j);
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status take_text(struct ts_span text, struct ts_span name, struct ts_json *j, struct ts_notices *notices,
				struct ts_error *err)
{
	if (ts_utf8_valid(text))
		return write_config(text, name, j, notices, err);
	ts_notice_add(notices, "bad_utf8", TS_NOTICE_SKIPPED, name, 0, "a file that is not UTF-8");
	return TS_OK;
}

enum ts_status ts_log_hparams(const struct ts_ingest_options *options, const char *path, struct ts_span name, struct ts_json *j,
			      struct ts_notices *notices, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_YAML_MAX);
	struct ts_error why;
	enum ts_status status;

	if (!ts_reader_has(ts_top(options), path, name, notices))
		return TS_OK;
	status = ts_below_read(ts_top(options), path, &text, &why);
	if (!status) {
		status = take_text(ts_buf_view(&text), name, j, notices, err);
	} else if (status == TS_NO_MEMORY) {
		*err = why;
	} else {
		ts_notice_add(notices, "unread_file", TS_NOTICE_SKIPPED, name, 0, why.text);
		status = TS_OK;
	}
	ts_buf_finish(&text);
	return status;
}
