#include "ingest/trackers/reader_comet.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/formats/json_find.h"
#include "ingest/logs/log_table.h"
#include "ingest/trackers/offline.h"

#include <math.h>

const char ts_comet_loses[] = "assets, code, output, packages and curves";

enum { SURE = 60, NAME_BYTES = 4096 };

#define MESSAGES "messages.json"
#define EXPERIMENT "experiment.json"

struct comet {
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	struct ts_buf messages, experiment, scratch, name;
	uint64_t line;
};

int ts_comet_sniff(const char *path)
{
	struct ts_error err;
	bool has;

	if (ts_offline_has(path, MESSAGES, EXPERIMENT, &has, &err))
		return TS_SNIFF_NO_MEMORY;
	return has ? SURE : 0;
}

/* --- messages --- */

/* What a message is, and its payload. Where the line is no message, it is counted and ret_type is empty. */
static enum ts_status parse(struct comet *c, struct ts_span line, struct ts_span *ret_type, struct ts_span *ret_payload,
			    struct ts_error *err)
{
	struct ts_error why;

	ret_type->len = 0;
	if (!ts_json_find(line, "type", &c->scratch, ret_type, &why) && !ts_json_find(line, "payload", &c->scratch, ret_payload, &why))
		return TS_OK;
	ret_type->len = 0;
	if (why.status == TS_NO_MEMORY)
		return ts_error_set(err, why.status, "%s", why.text);
	ts_notice_add(&c->notices, "bad_json", TS_NOTICE_SKIPPED, ts_span_str(MESSAGES), c->line, why.text);
	return TS_OK;
}

/* Gives the line at *at, and moves behind it. */
static bool next_line(struct comet *c, size_t *at, struct ts_span *ret_line)
{
	struct ts_span rest = ts_span_from(ts_buf_view(&c->messages), *at);
	const uint8_t *end = rest.len ? memchr(rest.data, '\n', rest.len) : NULL;
	size_t n = end ? (size_t)(end - rest.data) : rest.len;

	if (!rest.len)
		return false;
	*ret_line = ts_span_part(rest, 0, n);
	*at += n + (end != NULL);
	c->line++;
	return true;
}

/* The members of a metric that count. */
struct metric {
	struct ts_span step; /* its number, or empty */
	double step_value;
	struct ts_span written;
	double value;
	bool has_value;
};

static void take_member(struct comet *c, struct ts_span key, const struct ts_json_token *token, struct metric *m)
{
	bool number = token->type == TS_JSON_NUMBER;

	if (ts_span_is(key, "metricName") && token->type == TS_JSON_STRING && token->text.len <= NAME_BYTES) {
		ts_buf_span(&c->name, token->text);
	} else if (ts_span_is(key, "step") && number) {
		m->step = token->raw;
		m->step_value = token->number;
	} else if (ts_span_is(key, "metricValue")) {
		m->value = token->number;
		m->written = token->raw;
		m->has_value = number || (token->type == TS_JSON_STRING && ts_log_number(token->text, &m->value, &m->written));
		if (!number)
			m->written.len = 0;
	}
}

/* Reads {"metricName": ..., "metricValue": ..., "step": ..., "epoch": ...}. Its text was read before, so it is JSON. */
static enum ts_status read_metric(struct comet *c, struct ts_span json, struct metric *m, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;

	*m = (struct metric){.has_value = false};
	ts_buf_reset(&c->name);
	ts_json_reader_init(&r, json, &c->scratch);
	if (ts_json_next(&r, &token, err) || token.type != TS_JSON_OBJECT)
		return err->status;
	for (;;) {
		char key[16];
		size_t n;

		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return ts_buf_check(&c->name, err);
		n = token.text.len < sizeof key ? token.text.len : 0;
		if (n)
			memcpy(key, token.text.data, n);
		if (ts_json_next(&r, &token, err))
			return err->status;
		take_member(c, ts_span_of(key, n), &token, m);
		if ((token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY) && ts_json_skip(&r, NULL, err))
			return err->status;
	}
}

static enum ts_status take_metric(struct comet *c, struct ts_log_table *t, struct ts_span payload, struct ts_error *err)
{
	struct ts_span metric, time;
	struct metric m;
	double ms;

	if (ts_json_find(payload, "metric", &c->scratch, &metric, err) ||
	    ts_json_find(payload, "local_timestamp", &c->scratch, &time, err))
		return err->status;
	if (!metric.len || metric.data[0] != '{') {
		ts_notice_add(&c->notices, "bad_metric", TS_NOTICE_SKIPPED, ts_span_str(MESSAGES), c->line,
			      "a metric that is not an object");
		return TS_OK;
	}
	if (read_metric(c, metric, &m, err))
		return err->status;
	if (!m.has_value || !c->name.len) {
		ts_notice_add(&c->notices, "bad_metric", TS_NOTICE_SKIPPED, ts_span_str(MESSAGES), c->line,
			      "a metric without a name, or whose value is not a number");
		return TS_OK;
	}
	ts_log_table_row(t, c->line);
	ts_log_table_number(t, ts_buf_view(&c->name), m.value, m.written);
	if (m.step.len)
		ts_log_table_number(t, ts_span_str("step"), m.step_value, m.step);
	if (ts_parse_double(time, &ms))
		ts_log_table_number(t, ts_span_str("timestamp"), ms, time);
	return ts_log_table_end(t, err);
}

static enum ts_status read_messages(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct comet *c = ctx;
	struct ts_span line, type, payload;
	size_t at = 0;

	c->line = 0;
	while (next_line(c, &at, &line)) {
		if (!ts_trim(line).len)
			continue;
		if (parse(c, line, &type, &payload, err))
			return err->status;
		if (ts_span_is(type, "\"metric_msg\"") && take_metric(c, t, payload, err))
			return err->status;
		if (ts_log_table_at(t, at, c->messages.len, err))
			return err->status;
	}
	c->bytes_read += c->messages.len;
	return TS_OK;
}

/* --- facts --- */

/* Writes {"paramName": name, "paramValue": value} as a member. Comet's own counters are left out. */
static enum ts_status write_pair(struct comet *c, struct ts_span object, const char *key, const char *value, struct ts_json *j,
				 struct ts_error *err)
{
	struct ts_span name, said, raw;

	if (ts_json_find(object, key, &c->scratch, &name, err) || ts_json_find(object, value, &c->scratch, &raw, err) ||
	    ts_json_said(name, c->arena, &c->scratch, &said, err))
		return err->status;
	if (!said.len || !raw.len || ts_span_is(said, "curr_step") || ts_span_is(said, "curr_epoch"))
		return TS_OK;
	ts_json_key_span(j, said);
	ts_json_raw(j, raw);
	return TS_OK;
}

/* Writes all parameters (of messages parameter_msg), or all others (log_other). *ret_name: the value of the other "Name". */
static enum ts_status write_all(struct comet *c, bool others, struct ts_json *j, struct ts_span *ret_name, struct ts_error *err)
{
	struct ts_span line, type, payload, object, key;
	size_t at = 0;

	c->line = 0;
	while (next_line(c, &at, &line)) {
		/* A line that is no message was counted before. */
		if (ts_json_find(line, "type", &c->scratch, &type, err) || ts_json_find(line, "payload", &c->scratch, &payload, err)) {
			if (err->status == TS_NO_MEMORY)
				return err->status;
			continue;
		}
		if (!ts_span_is(type, others ? "\"log_other\"" : "\"parameter_msg\""))
			continue;
		object = payload;
		if (!others && ts_json_find(payload, "param", &c->scratch, &object, err))
			return err->status;
		if (!object.len)
			continue;
		if (write_pair(c, object, others ? "key" : "paramName", others ? "value" : "paramValue", j, err))
			return err->status;
		if (!others)
			continue;
		if (ts_json_find(object, "key", &c->scratch, &key, err) ||
		    (ts_span_is(key, "\"Name\"") && ts_json_find(object, "value", &c->scratch, ret_name, err)))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status find_ms(struct comet *c, const char *key, double *ret_ms, struct ts_error *err)
{
	struct ts_span raw;

	*ret_ms = 0;
	if (ts_json_find(ts_buf_view(&c->experiment), key, &c->scratch, &raw, err))
		return err->status;
	if (!ts_parse_double(raw, ret_ms) || !(*ret_ms > 0 && *ret_ms < 9e12))
		*ret_ms = 0;
	return TS_OK;
}

static enum ts_status write_session(struct comet *c, struct ts_span name, struct ts_json *j, struct ts_error *err)
{
	char text[TS_TIME_TEXT];
	double start, stop;

	if (find_ms(c, "start_time", &start, err) || find_ms(c, "stop_time", &stop, err))
		return err->status;
	ts_json_key(j, "session");
	ts_json_object(j);
	if (name.len && name.data[0] == '"') {
		ts_json_key(j, "name");
		ts_json_raw(j, name);
	}
	if (start > 0) {
		ts_json_key(j, "started");
		ts_json_string(j, ts_time_text((int64_t)start * 1000000, text));
	}
	if (start > 0 && stop >= start) {
		ts_json_key(j, "wall_time");
		ts_json_double(j, (stop - start) / 1e3);
	}
	ts_json_end(j);
	return TS_OK;
}

static enum ts_status write_facts(void *ctx, struct ts_json *j, struct ts_error *err)
{
	static const char *const keys[] = {"project_name", "workspace"};
	struct comet *c = ctx;
	struct ts_span name = {NULL, 0}, raw;

	ts_json_key(j, "config");
	ts_json_object(j);
	if (write_all(c, false, j, NULL, err))
		return err->status;
	ts_json_end(j);
	ts_json_key(j, "other");
	ts_json_object(j);
	ts_json_key(j, "comet");
	ts_json_object(j);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		if (ts_json_find(ts_buf_view(&c->experiment), keys[i], &c->scratch, &raw, err))
			return err->status;
		if (raw.len) {
			ts_json_key(j, keys[i]);
			ts_json_raw(j, raw);
		}
	}
	if (write_all(c, true, j, &name, err))
		return err->status;
	ts_json_end(j);
	ts_json_end(j);
	return write_session(c, name, j, err);
}

/* What Comet measures of the machine. */
static void write_column(void *ctx, struct ts_span source, struct ts_json *j)
{
	(void)ctx;
	if (!ts_span_starts(source, ts_span_str("sys.")))
		return;
	ts_json_key(j, "role");
	ts_json_string(j, "observation");
}

enum ts_status ts_comet_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct comet c = {.arena = arena,
			  .notices = {.arena = arena},
			  .messages = TS_BUF_INIT(TS_OFFLINE_MAX),
			  .experiment = TS_BUF_INIT(TS_JSON_FILE_MAX),
			  .scratch = TS_BUF_INIT(TS_OFFLINE_MAX),
			  .name = TS_BUF_INIT(NAME_BYTES)};
	struct ts_log_source source = {.format = "Comet offline archive",
				       .file = ts_span_str(MESSAGES),
				       .unordered = true,
				       .read = read_messages,
				       .facts = write_facts,
				       .column = write_column,
				       .ctx = &c};
	enum ts_status status = ts_offline_read(ts_top(options), options->path, MESSAGES, arena, &c.messages, err);

	if (!status)
		status = ts_offline_read(ts_top(options), options->path, EXPERIMENT, arena, &c.experiment, err);
	if (!status)
		status = ts_log_table_import(&source, options, sink, ctx, &c.notices, &c.bytes_read, arena, ret_result, err);
	ts_buf_finish(&c.messages);
	ts_buf_finish(&c.experiment);
	ts_buf_finish(&c.scratch);
	ts_buf_finish(&c.name);
	return status;
}
