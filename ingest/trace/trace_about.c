#include "ingest/trace/trace_about.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/text.h"

#include <stdio.h>

void ts_trace_about_init(struct ts_trace_about *about)
{
	*about = (struct ts_trace_about){.schema = TS_TRACE_NONE, .rank = TS_TRACE_NONE, .world_size = TS_TRACE_NONE};
}

/* What a walk through the members of an object, or of an array of objects, is for. */
struct walk {
	struct ts_trace_about *about;
	struct ts_arena *arena;
	bool no_memory;
	void (*take)(struct walk *w, struct ts_span key, const struct ts_json_token *value);
	struct ts_trace_device device;
	bool in_list;
};

static void integer(const struct ts_json_token *value, int64_t *ret)
{
	uint64_t v;

	if (value->type == TS_JSON_NUMBER && value->integer && !ts_parse_i64(value->raw, ret) && ts_parse_u64(value->raw, &v))
		*ret = TS_TRACE_NONE;
}

static void text(struct walk *w, const struct ts_json_token *value, struct ts_span *ret)
{
	struct ts_span copy;

	if (value->type != TS_JSON_STRING)
		return;
	copy = ts_arena_span(w->arena, value->text);
	w->no_memory |= !copy.data;
	*ret = copy;
}

static void of_job(struct walk *w, struct ts_span key, const struct ts_json_token *value)
{
	if (ts_span_is(key, "rank"))
		integer(value, &w->about->rank);
	else if (ts_span_is(key, "world_size"))
		integer(value, &w->about->world_size);
	else if (ts_span_is(key, "backend"))
		text(w, value, &w->about->backend);
}

static void of_device(struct walk *w, struct ts_span key, const struct ts_json_token *value)
{
	if (ts_span_is(key, "id"))
		integer(value, &w->device.id);
	else if (ts_span_is(key, "name"))
		text(w, value, &w->device.name);
	else if (ts_span_is(key, "totalGlobalMem"))
		integer(value, &w->device.memory_bytes);
	else if (ts_span_is(key, "numSms"))
		integer(value, &w->device.multiprocessors);
}

static void device_begins(struct walk *w)
{
	w->device = (struct ts_trace_device){.id = TS_TRACE_NONE, .memory_bytes = TS_TRACE_NONE, .multiprocessors = TS_TRACE_NONE};
}

static void device_ends(struct walk *w)
{
	if (w->about->n_devices < TS_TRACE_DEVICES_MAX)
		w->about->devices[w->about->n_devices++] = w->device;
}

/* Walks through the members at depth 1, or in a list at depth 2; deeper ones are not taken. */
static enum ts_status walk_members(struct walk *w, struct ts_span json, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_TRACE_SAID_BYTES), key = TS_BUF_INIT(TS_TRACE_SAID_BYTES);
	int depth = w->in_list ? 2 : 1, before = 0;
	struct ts_json_reader r;
	struct ts_json_token token;
	enum ts_status status;

	ts_json_reader_init(&r, json, &scratch);
	while (!(status = ts_json_next(&r, &token, err)) && token.type != TS_JSON_EOF) {
		if (token.type == TS_JSON_KEY && r.depth == depth) {
			ts_buf_reset(&key);
			ts_buf_span(&key, token.text);
			if ((status = ts_buf_check(&key, err)))
				break;
		} else if (w->take && r.depth == depth && token.type > TS_JSON_KEY) {
			w->take(w, ts_buf_view(&key), &token);
		}
		if (w->in_list && r.depth == 2 && before == 1)
			device_begins(w);
		if (w->in_list && r.depth == 1 && before == 2)
			device_ends(w);
		before = r.depth;
	}
	ts_buf_finish(&scratch);
	ts_buf_finish(&key);
	if (w->no_memory)
		return ts_arena_error(w->arena, err);
	return status;
}

static enum ts_status devices(struct walk *w, struct ts_span json, struct ts_error *err)
{
	w->about->devices = ts_arena_array(w->arena, TS_TRACE_DEVICES_MAX, sizeof *w->about->devices);
	w->about->n_devices = 0;
	w->take = of_device;
	w->in_list = true;
	return w->about->devices ? walk_members(w, json, err) : ts_arena_error(w->arena, err);
}

static enum ts_status keep(struct ts_trace_about *about, struct ts_span key, struct ts_span json, struct ts_arena *arena,
			   struct ts_error *err)
{
	struct ts_trace_said said = {.key = ts_arena_span(arena, key), .json = ts_arena_span(arena, json)}, *to = NULL;

	if (!about->said)
		about->said = ts_arena_array(arena, TS_TRACE_SAID_MAX, sizeof *about->said);
	if (!about->said || !said.key.data || !said.json.data)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < about->n_said && !to; i++)
		if (ts_span_eq(about->said[i].key, key))
			to = &about->said[i];
	if (!to)
		to = &about->said[about->n_said++];
	*to = said;
	return TS_OK;
}

static void scalar(struct walk *w, struct ts_span key, const struct ts_json_token *value)
{
	int64_t base = TS_TRACE_NONE;

	if (ts_span_is(key, "schemaVersion"))
		integer(value, &w->about->schema);
	else if (ts_span_is(key, "traceName"))
		text(w, value, &w->about->trace_name);
	else if (ts_span_is(key, "trace_id"))
		text(w, value, &w->about->trace_id);
	else if (ts_span_is(key, "baseTimeNanoseconds"))
		integer(value, &base);
	if (base != TS_TRACE_NONE)
		w->about->base_ns = base;
}

/* Reads the value; TS_INVALID if it is not JSON. */
static enum ts_status understand(struct walk *w, struct ts_span key, struct ts_span json, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_TRACE_SAID_BYTES);
	struct ts_json_reader r;
	struct ts_json_token token;
	enum ts_status status;

	if (ts_span_is(key, "distributedInfo")) {
		w->take = of_job;
		return walk_members(w, json, err);
	}
	if (ts_span_is(key, "deviceProperties") || ts_span_is(key, "computeProperties"))
		return devices(w, json, err);
	if (json.data[0] == '{' || json.data[0] == '[')
		return walk_members(w, json, err);
	ts_json_reader_init(&r, json, &scratch);
	status = ts_json_next(&r, &token, err);
	if (!status)
		scalar(w, key, &token);
	ts_buf_finish(&scratch);
	return status ? status : w->no_memory ? ts_arena_error(w->arena, err) : TS_OK;
}

enum ts_status ts_trace_about_take(struct ts_trace_about *about, struct ts_span key, struct ts_span json, uint64_t at,
				   struct ts_arena *arena, struct ts_notices *notices, struct ts_span file, struct ts_error *err)
{
	struct walk w = {.about = about, .arena = arena};
	struct ts_error bad;
	char detail[256];
	enum ts_status status;

	if (json.len > TS_TRACE_SAID_BYTES || about->n_said == TS_TRACE_SAID_MAX) {
		(void)snprintf(detail, sizeof detail, "byte %" PRIu64 ": the member %s is too large", at, ts_show(key).text);
		ts_notice_add(notices, "trace_metadata", TS_NOTICE_SKIPPED, file, 0, detail);
		return TS_OK;
	}
	status = understand(&w, key, json, &bad);
	if (status == TS_NO_MEMORY) {
		*err = bad;
		return status;
	}
	if (!status)
		return keep(about, key, json, arena, err);
	(void)snprintf(detail, sizeof detail, "byte %" PRIu64 ": the member %s: %.60s", at, ts_show(key).text, bad.text);
	ts_notice_add(notices, "trace_metadata", TS_NOTICE_SKIPPED, file, 0, detail);
	return TS_OK;
}
