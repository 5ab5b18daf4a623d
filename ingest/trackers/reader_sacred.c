#include "ingest/trackers/reader_sacred.h"

#include "base/below.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/path.h"
#include "ingest/formats/json_find.h"
#include "ingest/logs/log_table.h"

#include <stdio.h>

const char ts_sacred_loses[] = "sources, artifacts, resources and captured output";

/* Above that of a run directory, which may have a run.json too. */
enum { SURE = 110 };

#define RUN "run.json"
#define CONFIG "config.json"
#define METRICS "metrics.json"

struct sacred {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	const char *path;
	struct ts_buf run, config, metrics, scratch, scratches[3];
	bool completed;
};

static bool has(const char *directory, const char *name)
{
	char path[4096];

	return (size_t)snprintf(path, sizeof path, "%s/%s", directory, name) < sizeof path &&
	       ts_below_kind(directory, path) == TS_FILE_REGULAR;
}

int ts_sacred_sniff(const char *path)
{
	bool is = ts_file_kind(path) == TS_FILE_DIRECTORY && has(path, RUN) && has(path, CONFIG) && has(path, "cout.txt") &&
		  !has(path, "steps.jsonl");

	return is ? SURE : 0;
}

/* --- metrics --- */

/* numpy's numbers are objects with their value. */
static bool number_of(struct ts_json_reader *r, const struct ts_json_token *token, double *ret_value, struct ts_span *ret_written,
		      struct ts_buf *scratch, struct ts_error *err)
{
	struct ts_json_reader inner;
	struct ts_json_token value = *token;
	struct ts_span raw, member;

	if (token->type == TS_JSON_OBJECT) {
		struct ts_span whole = ts_span_from(r->in, token->at);

		if (ts_json_skip(r, NULL, err))
			return false;
		raw = ts_span_part(whole, 0, r->at - token->at);
		if (ts_json_find(raw, "value", scratch, &member, err))
			return false;
		ts_json_reader_init(&inner, member, scratch);
		if (ts_json_next(&inner, &value, err))
			return false;
	} else if (token->type == TS_JSON_ARRAY) {
		(void)ts_json_skip(r, NULL, err);
		return false;
	}
	*ret_value = value.number;
	*ret_written = value.raw;
	return value.type == TS_JSON_NUMBER || (value.type == TS_JSON_STRING && ts_log_number(value.text, ret_value, ret_written));
}

static void put_time(struct ts_log_table *t, const struct ts_json_token *time)
{
	char text[TS_TIME_TEXT + 8];
	int64_t ns;

	if (time->type != TS_JSON_STRING || time->text.len >= TS_TIME_TEXT)
		return;
	(void)snprintf(text, sizeof text, "%.*sZ", TS_SPAN_ARG(time->text));
	if (ts_time_parse(ts_span_str(text), &ns))
		ts_log_table_text(t, ts_span_str("timestamp"), ts_span_str(text));
}

static void tell(struct sacred *s, const char *code, const char *detail)
{
	ts_notice_add(&s->notices, code, TS_NOTICE_SKIPPED, ts_span_str(METRICS), 0, detail);
}

/* Takes the lists of one metric side by side: steps, values, timestamps. */
static enum ts_status take_lists(struct sacred *s, struct ts_log_table *t, struct ts_span name, struct ts_span lists[3],
				 struct ts_error *err)
{
	struct ts_json_reader r[3];
	struct ts_json_token token[3];

	for (int i = 0; i < 3; i++) {
		ts_json_reader_init(&r[i], lists[i], &s->scratches[i]);
		if (ts_json_next(&r[i], &token[i], err))
			return err->status;
		if (i < 2 && token[i].type != TS_JSON_ARRAY) {
			tell(s, "bad_metric", "a metric without lists of steps and values");
			return TS_OK;
		}
	}
	for (;;) {
		struct ts_error why = {.status = TS_OK};
		struct ts_span written;
		double value;

		for (int i = 0; i < 3; i++)
			if (token[i].type != TS_JSON_EOF && ts_json_next(&r[i], &token[i], err))
				return err->status;
		if (token[0].type != TS_JSON_NUMBER || token[1].type == TS_JSON_END || token[1].type == TS_JSON_EOF) {
			if (token[0].type != TS_JSON_END || token[1].type != TS_JSON_END)
				tell(s, "bad_metric", "steps that are not numbers, or not as many as values");
			return TS_OK;
		}
		if (!number_of(&r[1], &token[1], &value, &written, &s->scratch, &why)) {
			if (why.status == TS_NO_MEMORY)
				return ts_error_set(err, why.status, "%s", why.text);
			tell(s, "not_scalar", "a value that is not a number");
			continue;
		}
		ts_log_table_row(t, 0);
		ts_log_table_number(t, ts_span_str("step"), token[0].number, token[0].raw);
		ts_log_table_number(t, name, value, written);
		put_time(t, &token[2]);
		if (ts_log_table_end(t, err))
			return err->status;
	}
}

static enum ts_status take_metric(struct sacred *s, struct ts_log_table *t, struct ts_span name, struct ts_span metric,
				  struct ts_error *err)
{
	static const char *const keys[] = {"steps", "values", "timestamps"};
	struct ts_span lists[3];

	for (int i = 0; i < 3; i++)
		if (ts_json_find(metric, keys[i], &s->scratch, &lists[i], err))
			return err->status;
	return take_lists(s, t, name, lists, err);
}

static enum ts_status read_metrics(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct sacred *s = ctx;
	struct ts_buf scratch = TS_BUF_INIT(TS_JSON_FILE_MAX);
	struct ts_json_reader r;
	struct ts_json_token token;
	enum ts_status status;

	s->bytes_read += s->run.len + s->config.len + s->metrics.len;
	ts_json_reader_init(&r, ts_buf_view(&s->metrics), &scratch);
	status = ts_json_next(&r, &token, err);
	if (!status && token.type != TS_JSON_OBJECT && token.type != TS_JSON_EOF)
		status = ts_error_set(err, TS_INVALID, "byte 0: expected an object");
	while (!status && token.type != TS_JSON_EOF) {
		struct ts_span name, metric;

		status = ts_json_next(&r, &token, err);
		if (status || token.type != TS_JSON_KEY)
			break;
		name = ts_arena_span(s->arena, token.text);
		status = name.data ? ts_json_skip(&r, &metric, err) : ts_arena_error(s->arena, err);
		if (!status)
			status = take_metric(s, t, name, metric, err);
	}
	ts_buf_finish(&scratch);
	return status ? ts_error_prefix(err, METRICS) : TS_OK;
}

/* --- facts --- */

static enum ts_status find(struct sacred *s, struct ts_span object, const char *key, struct ts_span *ret_value, struct ts_error *err)
{
	ret_value->len = 0;
	return object.len ? ts_json_find(object, key, &s->scratch, ret_value, err) : TS_OK;
}

/* Writes the member under another name, if it is there and not null. */
static enum ts_status copy(struct sacred *s, struct ts_span object, const char *key, struct ts_json *j, const char *as,
			   struct ts_error *err)
{
	struct ts_span value;

	if (find(s, object, key, &value, err))
		return err->status;
	if (value.len && !ts_span_is(value, "null")) {
		ts_json_key(j, as);
		ts_json_raw(j, value);
	}
	return TS_OK;
}

/* A time of sacred's, as RFC 3339; empty if it is none. */
static enum ts_status time_of(struct sacred *s, const char *key, struct ts_span *ret_text, int64_t *ret_ns, struct ts_error *err)
{
	struct ts_span raw, said;
	const char *text;

	ret_text->len = 0;
	if (find(s, ts_buf_view(&s->run), key, &raw, err) || ts_json_said(raw, s->arena, &s->scratch, &said, err))
		return err->status;
	text = ts_arena_printf(s->arena, "%.*sZ", TS_SPAN_ARG(said));
	if (!text)
		return ts_arena_error(s->arena, err);
	if (ts_time_parse(ts_span_str(text), ret_ns))
		*ret_text = ts_span_str(text);
	return TS_OK;
}

static enum ts_status write_session(struct sacred *s, struct ts_json *j, struct ts_error *err)
{
	struct ts_span run = ts_buf_view(&s->run), experiment, host, start, stop;
	int64_t from, to;

	if (find(s, run, "experiment", &experiment, err) || find(s, run, "host", &host, err) ||
	    time_of(s, "start_time", &start, &from, err) || time_of(s, "stop_time", &stop, &to, err))
		return err->status;
	ts_json_key(j, "session");
	ts_json_object(j);
	if (copy(s, experiment, "name", j, "name", err) || copy(s, host, "hostname", j, "host", err))
		return err->status;
	if (start.len) {
		ts_json_key(j, "started");
		ts_json_span(j, start);
	}
	if (start.len && stop.len && to >= from) {
		ts_json_key(j, "wall_time");
		ts_json_double(j, (double)(to - from) / 1e9);
	}
	ts_json_end(j);
	ts_json_key(j, "libraries");
	ts_json_object(j);
	if (copy(s, host, "python_version", j, "python", err))
		return err->status;
	ts_json_end(j);
	return TS_OK;
}

/* The first of experiment.repositories: {"url": ..., "commit": ..., "dirty": ...}. */
static enum ts_status write_code(struct sacred *s, struct ts_json *j, struct ts_error *err)
{
	struct ts_span experiment, list, first;
	struct ts_json_reader r;
	struct ts_json_token token;

	if (find(s, ts_buf_view(&s->run), "experiment", &experiment, err) || find(s, experiment, "repositories", &list, err))
		return err->status;
	if (list.len < 3 || list.data[0] != '[')
		return TS_OK;
	ts_json_reader_init(&r, list, &s->scratches[0]);
	if (ts_json_next(&r, &token, err) || ts_json_next(&r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return TS_OK;
	first = ts_span_from(list, token.at);
	ts_json_key(j, "code");
	ts_json_object(j);
	if (copy(s, first, "commit", j, "commit", err) || copy(s, first, "url", j, "remote", err) ||
	    copy(s, first, "dirty", j, "dirty", err))
		return err->status;
	ts_json_end(j);
	return TS_OK;
}

static enum ts_status write_facts(void *ctx, struct ts_json *j, struct ts_error *err)
{
	struct sacred *s = ctx;
	struct ts_span run = ts_buf_view(&s->run), status, said;

	if (find(s, run, "status", &status, err) || ts_json_said(status, s->arena, &s->scratch, &said, err) ||
	    write_session(s, j, err) || write_code(s, j, err))
		return err->status;
	s->completed = ts_span_is(said, "COMPLETED");
	if (s->config.len) {
		ts_json_key(j, "config");
		ts_json_raw(j, ts_buf_view(&s->config));
	}
	ts_json_key(j, "other");
	ts_json_object(j);
	ts_json_key(j, "sacred");
	ts_json_object(j);
	if (copy(s, run, "status", j, "status", err) || copy(s, run, "result", j, "result", err) ||
	    copy(s, run, "command", j, "command", err))
		return err->status;
	ts_json_end(j);
	ts_json_end(j);
	return TS_OK;
}

static bool finished(void *ctx)
{
	const struct sacred *s = ctx;

	return s->completed;
}

/* --- the files --- */

/* Reads a file of one JSON object. needed: it must be there and whole; else it is left out, with a notice if it is damaged. */
static enum ts_status load(struct sacred *s, const char *name, struct ts_buf *text, bool needed, struct ts_error *err)
{
	char *path = ts_path_join(s->arena, s->path, name);
	struct ts_span whole = {NULL, 0};
	struct ts_json_reader r;
	struct ts_error why = {.status = TS_OK};

	if (!path)
		return ts_arena_error(s->arena, err);
	if (!needed && !ts_reader_has(ts_top(s->options), path, ts_span_str(name), &s->notices))
		return TS_OK;
	if (!ts_below_read(ts_top(s->options), path, text, &why)) {
		ts_json_reader_init(&r, ts_buf_view(text), &s->scratch);
		if (!ts_json_skip(&r, &whole, &why) && (!whole.len || whole.data[0] != '{'))
			(void)ts_error_set(&why, TS_INVALID, "this is not a JSON object");
	}
	if (why.status == TS_OK)
		return TS_OK;
	if (needed || why.status == TS_NO_MEMORY)
		return ts_error_set(err, why.status, "%s: %s", path, why.text);
	ts_buf_reset(text);
	ts_notice_add(&s->notices, "bad_config", TS_NOTICE_SKIPPED, ts_span_str(name), 0, why.text);
	return TS_OK;
}

enum ts_status ts_sacred_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct sacred s = {.options = options,
			   .arena = arena,
			   .notices = {.arena = arena},
			   .path = options->path,
			   .run = TS_BUF_INIT(TS_JSON_FILE_MAX),
			   .config = TS_BUF_INIT(TS_JSON_FILE_MAX),
			   .metrics = TS_BUF_INIT((size_t)TS_JSON_FILE_MAX * 16),
			   .scratch = TS_BUF_INIT(TS_JSON_FILE_MAX)};
	struct ts_log_source source = {.format = "sacred run",
				       .directory = options->path,
				       .file = ts_span_str(METRICS),
				       .unordered = true,
				       .read = read_metrics,
				       .facts = write_facts,
				       .finished = finished,
				       .ctx = &s};
	enum ts_status status;

	for (int i = 0; i < 3; i++)
		s.scratches[i] = TS_BUF_INIT(TS_JSON_FILE_MAX);
	status = load(&s, RUN, &s.run, true, err);
	if (!status)
		status = load(&s, CONFIG, &s.config, false, err);
	if (!status)
		status = load(&s, METRICS, &s.metrics, has(s.path, METRICS), err);
	if (!status)
		status = ts_log_table_import(&source, options, sink, ctx, &s.notices, &s.bytes_read, arena, ret_result, err);
	ts_buf_finish(&s.run);
	ts_buf_finish(&s.config);
	ts_buf_finish(&s.metrics);
	ts_buf_finish(&s.scratch);
	for (int i = 0; i < 3; i++)
		ts_buf_finish(&s.scratches[i]);
	return status;
}
