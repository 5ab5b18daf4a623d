#include "ingest/trackers/reader_clearml.h"

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/formats/json_find.h"
#include "ingest/logs/log_table.h"
#include "ingest/trackers/offline.h"

const char ts_clearml_loses[] = "plots, images, models, console output and the script";

enum { SURE = 60, NAME_BYTES = 4096 };

#define METRICS "metrics.jsonl"
#define TASK "task.json"
#define SINGLE (-2147483648.0) /* the iteration of a single value, which has none */

struct clearml {
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	struct ts_buf metrics, task, scratch, metric, variant;
	uint64_t line;
};

int ts_clearml_sniff(const char *path)
{
	struct ts_error err;
	bool has;

	if (ts_offline_has(path, METRICS, TASK, &has, &err))
		return TS_SNIFF_NO_MEMORY;
	return has ? SURE : 0;
}

/* --- events --- */

/* The members of an event that count; its metric and variant lie in c. */
struct event {
	bool scalar, has_value, has_step;
	double step, value, time;
	struct ts_span step_text, value_text, time_text;
};

static void tell(struct clearml *c, const char *code, const char *detail)
{
	ts_notice_add(&c->notices, code, TS_NOTICE_SKIPPED, ts_span_str(METRICS), c->line, detail);
}

static void take_member(struct clearml *c, struct ts_span key, const struct ts_json_token *token, struct event *e)
{
	bool number = token->type == TS_JSON_NUMBER, text = token->type == TS_JSON_STRING;

	if (ts_span_is(key, "type") && text) {
		e->scalar = ts_span_is(token->text, "training_stats_scalar");
	} else if (ts_span_is(key, "metric") && text && token->text.len <= NAME_BYTES / 2) {
		ts_buf_span(&c->metric, token->text);
	} else if (ts_span_is(key, "variant") && text && token->text.len <= NAME_BYTES / 2) {
		ts_buf_span(&c->variant, token->text);
	} else if (ts_span_is(key, "iter") && number) {
		e->has_step = true;
		e->step = token->number;
		e->step_text = token->raw;
	} else if (ts_span_is(key, "value") && number) {
		e->has_value = true;
		e->value = token->number;
		e->value_text = token->raw;
	} else if (ts_span_is(key, "timestamp") && number) {
		e->time = token->number;
		e->time_text = token->raw;
	}
}

/* Reads the members of the object whose brace was just read. */
static enum ts_status read_event(struct clearml *c, struct ts_json_reader *r, struct event *e, struct ts_error *err)
{
	struct ts_json_token token;

	*e = (struct event){.scalar = false};
	ts_buf_reset(&c->metric);
	ts_buf_reset(&c->variant);
	for (;;) {
		char key[16];
		size_t n;

		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return TS_OK;
		n = token.text.len < sizeof key ? token.text.len : 0;
		if (n)
			memcpy(key, token.text.data, n);
		if (ts_json_next(r, &token, err))
			return err->status;
		take_member(c, ts_span_of(key, n), &token, e);
		if ((token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY) && ts_json_skip(r, NULL, err))
			return err->status;
	}
}

/* A series is METRIC/VARIANT, or METRIC where both are the same. */
static enum ts_status put_event(struct clearml *c, struct ts_log_table *t, const struct event *e, struct ts_error *err)
{
	struct ts_span metric = ts_buf_view(&c->metric), variant = ts_buf_view(&c->variant);

	if (!e->scalar || e->step == SINGLE) {
		tell(c, "not_scalar", e->scalar ? "a single value, of no iteration" : "an event that is not a scalar");
		return TS_OK;
	}
	if (!e->has_value || !e->has_step || !metric.len) {
		tell(c, "bad_metric", "a scalar without a name, a value or an iteration");
		return TS_OK;
	}
	if (variant.len && !ts_span_eq(metric, variant)) {
		ts_buf_char(&c->metric, '/');
		ts_buf_span(&c->metric, variant);
	}
	if (ts_buf_check(&c->metric, err))
		return err->status;
	ts_log_table_row(t, c->line);
	ts_log_table_number(t, ts_buf_view(&c->metric), e->value, e->value_text);
	ts_log_table_number(t, ts_span_str("step"), e->step, e->step_text);
	if (e->time_text.len)
		ts_log_table_number(t, ts_span_str("timestamp"), e->time, e->time_text);
	return ts_log_table_end(t, err);
}

/* Takes a list of events. ret_bad says why the line ends early, where it is not JSON. */
static enum ts_status take_line(struct clearml *c, struct ts_log_table *t, struct ts_span line, struct ts_error *ret_bad,
				struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	struct event e;

	ret_bad->status = TS_OK;
	ts_json_reader_init(&r, line, &c->scratch);
	if (ts_json_next(&r, &token, ret_bad))
		return TS_OK;
	if (token.type != TS_JSON_ARRAY) {
		tell(c, "not_object", "a line that is not a list of events");
		return TS_OK;
	}
	while (!ts_json_next(&r, &token, ret_bad) && token.type == TS_JSON_OBJECT)
		if (read_event(c, &r, &e, ret_bad))
			return TS_OK;
		else if (put_event(c, t, &e, err))
			return err->status;
	return TS_OK;
}

static enum ts_status read_metrics(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct clearml *c = ctx;
	struct ts_span rest = ts_buf_view(&c->metrics);

	c->line = 0;
	while (rest.len) {
		const uint8_t *end = memchr(rest.data, '\n', rest.len);
		size_t n = end ? (size_t)(end - rest.data) : rest.len;
		struct ts_span line = ts_trim(ts_span_part(rest, 0, n));
		struct ts_error bad = {.status = TS_OK};

		rest = ts_span_from(rest, n + (end != NULL));
		c->line++;
		if (line.len && take_line(c, t, line, &bad, err))
			return err->status;
		if (bad.status == TS_NO_MEMORY)
			return ts_error_set(err, bad.status, "%s", bad.text);
		if (bad.status)
			tell(c, end ? "bad_json" : "cut_line", bad.text);
		if (ts_log_table_at(t, c->metrics.len - rest.len, c->metrics.len, err))
			return err->status;
	}
	c->bytes_read += c->metrics.len + c->task.len;
	return TS_OK;
}

/* --- facts --- */

static enum ts_status find(struct clearml *c, struct ts_span object, const char *key, struct ts_span *ret_value, struct ts_error *err)
{
	ret_value->len = 0;
	return object.len ? ts_json_find(object, key, &c->scratch, ret_value, err) : TS_OK;
}

/* Writes a text under another name, if it says something. */
static enum ts_status copy(struct clearml *c, struct ts_span object, const char *key, struct ts_json *j, const char *as,
			   struct ts_error *err)
{
	struct ts_span raw;

	if (find(c, object, key, &raw, err))
		return err->status;
	if (raw.len > 2 && raw.data[0] == '"') {
		ts_json_key(j, as);
		ts_json_raw(j, raw);
	}
	return TS_OK;
}

/* ClearML keeps values as texts, with their types beside them. */
static enum ts_status write_value(struct clearml *c, struct ts_span parameter, struct ts_json *j, struct ts_error *err)
{
	struct ts_span raw, text, type;
	double number;

	if (find(c, parameter, "value", &raw, err) || find(c, parameter, "type", &type, err) ||
	    ts_json_said(raw, c->arena, &c->scratch, &text, err))
		return err->status;
	if ((ts_span_is(type, "\"int\"") || ts_span_is(type, "\"float\"")) && ts_parse_double(text, &number))
		ts_json_raw(j, text);
	else if (ts_span_is(type, "\"bool\"") && (ts_span_is(text, "True") || ts_span_is(text, "False")))
		ts_json_bool(j, text.data[0] == 'T');
	else if (raw.len)
		ts_json_raw(j, raw);
	else
		ts_json_null(j);
	return TS_OK;
}

/* Goes through the members of an object: calls itself for sections, whose members are parameters. */
static enum ts_status write_members(struct clearml *c, struct ts_span object, bool sections, struct ts_json *j, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_JSON_FILE_MAX);
	struct ts_json_reader r;
	struct ts_json_token token;
	enum ts_status status;

	ts_json_reader_init(&r, object, &scratch);
	status = ts_json_next(&r, &token, err);
	while (!status && token.type != TS_JSON_EOF && token.type != TS_JSON_END) {
		struct ts_span value;
		bool plain;

		status = ts_json_next(&r, &token, err);
		if (status || token.type != TS_JSON_KEY)
			break;
		/* What a script connects without a name, and its arguments, are the configuration itself. */
		plain = sections && (ts_span_is(token.text, "General") || ts_span_is(token.text, "Args"));
		if (!plain)
			ts_json_key_span(j, token.text);
		status = ts_json_skip(&r, &value, err);
		if (status)
			break;
		if (!sections) {
			status = write_value(c, value, j, err);
			continue;
		}
		if (!plain)
			ts_json_object(j);
		if (value.data[0] == '{')
			status = write_members(c, value, false, j, err);
		if (!plain)
			ts_json_end(j);
	}
	ts_buf_finish(&scratch);
	return status;
}

static enum ts_status write_facts(void *ctx, struct ts_json *j, struct ts_error *err)
{
	struct clearml *c = ctx;
	struct ts_span task = ts_buf_view(&c->task), script, parameters;

	if (find(c, task, "script", &script, err) || find(c, task, "hyperparams", &parameters, err))
		return err->status;
	ts_json_key(j, "session");
	ts_json_object(j);
	if (copy(c, task, "name", j, "name", err))
		return err->status;
	ts_json_end(j);
	ts_json_key(j, "code");
	ts_json_object(j);
	if (copy(c, script, "repository", j, "remote", err) || copy(c, script, "branch", j, "branch", err) ||
	    copy(c, script, "version_num", j, "commit", err))
		return err->status;
	ts_json_end(j);
	ts_json_key(j, "config");
	ts_json_object(j);
	if (parameters.len && parameters.data[0] == '{' && write_members(c, parameters, true, j, err))
		return err->status;
	ts_json_end(j);
	ts_json_key(j, "other");
	ts_json_object(j);
	ts_json_key(j, "clearml");
	ts_json_object(j);
	if (copy(c, task, "project_name", j, "project", err) || copy(c, task, "id", j, "id", err) ||
	    copy(c, task, "type", j, "type", err))
		return err->status;
	ts_json_end(j);
	ts_json_end(j);
	return TS_OK;
}

/* What ClearML measures of the machine. */
static void write_column(void *ctx, struct ts_span source, struct ts_json *j)
{
	(void)ctx;
	if (!ts_span_starts(source, ts_span_str(":monitor:")))
		return;
	ts_json_key(j, "role");
	ts_json_string(j, "observation");
}

enum ts_status ts_clearml_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct clearml c = {.arena = arena,
			    .notices = {.arena = arena},
			    .metrics = TS_BUF_INIT(TS_OFFLINE_MAX),
			    .task = TS_BUF_INIT(TS_JSON_FILE_MAX),
			    .scratch = TS_BUF_INIT(TS_OFFLINE_MAX),
			    .metric = TS_BUF_INIT(NAME_BYTES + 1),
			    .variant = TS_BUF_INIT(NAME_BYTES)};
	struct ts_log_source source = {.format = "ClearML offline task",
				       .file = ts_span_str(METRICS),
				       .unordered = true,
				       .read = read_metrics,
				       .facts = write_facts,
				       .column = write_column,
				       .ctx = &c};
	enum ts_status status = ts_offline_read(ts_top(options), options->path, METRICS, arena, &c.metrics, err);

	if (!status)
		status = ts_offline_read(ts_top(options), options->path, TASK, arena, &c.task, err);
	if (!status)
		status = ts_log_table_import(&source, options, sink, ctx, &c.notices, &c.bytes_read, arena, ret_result, err);
	ts_buf_finish(&c.metrics);
	ts_buf_finish(&c.task);
	ts_buf_finish(&c.scratch);
	ts_buf_finish(&c.metric);
	ts_buf_finish(&c.variant);
	return status;
}
