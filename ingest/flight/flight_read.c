#include "ingest/flight/flight_read.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/snapshot/pickle.h"

#include <string.h>

enum { JSON_MAX = 256 << 20, SIZES_MAX = 256, TEXT_MAX = 4096 };

struct reading {
	struct ts_arena *arena;
	struct ts_flight_dump *dump;
	size_t cap;
	bool is_p2p, retired; /* of the call that is read */
};

/* A value of a call: a text, a number or a truth, whatever the file is. */
struct cell {
	enum { CELL_OTHER, CELL_TEXT, CELL_INT, CELL_BOOL } kind;
	struct ts_span text;
	int64_t i; /* also of a truth */
};

/* --- calls --- */

static struct ts_span keep(struct reading *r, struct ts_span text)
{
	struct ts_span cut = ts_utf8_cut(text, TEXT_MAX);

	return cut.len && ts_utf8_valid(cut) ? ts_arena_span(r->arena, cut) : ts_span_of(NULL, 0);
}

/* "nccl:all_reduce" is all_reduce, whatever library does it. */
static struct ts_span operation_of(struct ts_span name)
{
	const uint8_t *colon = name.len ? memchr(name.data, ':', name.len) : NULL;

	return colon ? ts_span_from(name, (size_t)(colon - name.data) + 1) : name;
}

static void begin_call(struct reading *r, struct ts_flight_call *call)
{
	*call = (struct ts_flight_call){.sequence = 0};
	r->is_p2p = r->retired = false;
}

static bool end_call(struct reading *r, struct ts_flight_call *call)
{
	call->done |= r->retired;
	if (r->is_p2p || call->sequence < 1 || !call->group.len)
		return true;
	if (!TS_GROW_IN(r->arena, r->dump->calls, r->cap, r->dump->n + 1, 64))
		return false;
	r->dump->calls[r->dump->n++] = *call;
	return true;
}

static void take(struct reading *r, struct ts_flight_call *call, struct ts_span key, const struct cell *cell)
{
	if (ts_span_is(key, "collective_seq_id") && cell->kind == CELL_INT)
		call->sequence = cell->i;
	else if (ts_span_is(key, "profiling_name") && cell->kind == CELL_TEXT)
		call->operation = keep(r, operation_of(cell->text));
	else if (ts_span_is(key, "state") && cell->kind == CELL_TEXT)
		call->done = ts_span_is(cell->text, "completed");
	else if (ts_span_is(key, "is_p2p") && cell->kind == CELL_BOOL)
		r->is_p2p = cell->i;
	else if (ts_span_is(key, "retired") && cell->kind == CELL_BOOL)
		r->retired = cell->i;
}

static void take_group(struct reading *r, struct ts_flight_call *call, size_t place, struct ts_span text)
{
	if (place == 0)
		call->group = keep(r, text);
	else if (place == 1)
		call->about = keep(r, text);
}

static bool is_library(struct ts_span file)
{
	return ts_span_contains(file, "/site-packages/") || ts_span_contains(file, "/dist-packages/") ||
	       ts_span_contains(file, "/lib/python3") || !ts_span_contains(file, ".py");
}

/* Frames come from the innermost on. */
static void take_frame(struct reading *r, struct ts_flight_call *call, struct ts_span file, int64_t line)
{
	if (call->file.len || !file.len || is_library(file))
		return;
	call->file = keep(r, file);
	call->line = line;
}

/* --- JSON --- */

static enum ts_status json_group(struct reading *r, struct ts_json_reader *in, struct ts_flight_call *call, struct ts_error *err)
{
	struct ts_json_token t;

	for (size_t place = 0;; place++) {
		if (ts_json_next(in, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			return TS_OK;
		if (t.type == TS_JSON_STRING)
			take_group(r, call, place, t.text);
		else if ((t.type == TS_JSON_OBJECT || t.type == TS_JSON_ARRAY) && ts_json_skip(in, NULL, err))
			return err->status;
	}
}

static enum ts_status json_frame(struct reading *r, struct ts_json_reader *in, struct ts_flight_call *call, struct ts_error *err)
{
	struct ts_span file = ts_span_of(NULL, 0);
	struct ts_json_token t;
	int64_t line = 0;
	bool of_file, of_line;

	for (;;) {
		if (ts_json_next(in, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			break;
		of_file = ts_span_is(t.text, "filename");
		of_line = ts_span_is(t.text, "line");
		if (ts_json_next(in, &t, err))
			return err->status;
		if (of_file && t.type == TS_JSON_STRING)
			file = call->file.len || is_library(t.text) ? file : keep(r, t.text);
		else if (of_line && t.type == TS_JSON_NUMBER)
			(void)ts_parse_i64(t.raw, &line);
		else if ((t.type == TS_JSON_OBJECT || t.type == TS_JSON_ARRAY) && ts_json_skip(in, NULL, err))
			return err->status;
	}
	take_frame(r, call, file, line);
	return TS_OK;
}

static enum ts_status json_frames(struct reading *r, struct ts_json_reader *in, struct ts_flight_call *call, struct ts_error *err)
{
	struct ts_json_token t;

	for (;;) {
		if (ts_json_next(in, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			return TS_OK;
		if (t.type == TS_JSON_OBJECT ? json_frame(r, in, call, err) : t.type == TS_JSON_ARRAY && ts_json_skip(in, NULL, err))
			return err->status;
	}
}

/* A list whose first token was read, as it stands there. */
static enum ts_status json_sizes(struct reading *r, struct ts_json_reader *in, size_t from, struct ts_flight_call *call,
				 struct ts_error *err)
{
	if (ts_json_skip(in, NULL, err))
		return err->status;
	call->sizes = in->at - from <= SIZES_MAX ? keep(r, ts_span_part(in->in, from, in->at - from)) : ts_span_of(NULL, 0);
	return TS_OK;
}

static enum ts_status json_value(struct reading *r, struct ts_json_reader *in, struct ts_span key, struct ts_flight_call *call,
				 struct ts_error *err)
{
	struct cell cell = {.kind = CELL_OTHER};
	struct ts_json_token t;

	if (ts_json_next(in, &t, err))
		return err->status;
	if (t.type == TS_JSON_ARRAY && ts_span_is(key, "process_group"))
		return json_group(r, in, call, err);
	if (t.type == TS_JSON_ARRAY && ts_span_is(key, "frames"))
		return json_frames(r, in, call, err);
	if (t.type == TS_JSON_ARRAY && ts_span_is(key, "input_sizes"))
		return json_sizes(r, in, t.at, call, err);
	if (t.type == TS_JSON_OBJECT || t.type == TS_JSON_ARRAY)
		return ts_json_skip(in, NULL, err);
	if (t.type == TS_JSON_STRING)
		cell = (struct cell){.kind = CELL_TEXT, .text = t.text};
	else if (t.type == TS_JSON_TRUE || t.type == TS_JSON_FALSE)
		cell = (struct cell){.kind = CELL_BOOL, .i = t.type == TS_JSON_TRUE};
	else if (t.type == TS_JSON_NUMBER && t.integer && ts_parse_i64(t.raw, &cell.i))
		cell.kind = CELL_INT;
	take(r, call, key, &cell);
	return TS_OK;
}

static enum ts_status json_call(struct reading *r, struct ts_json_reader *in, struct ts_error *err)
{
	struct ts_flight_call call;
	struct ts_json_token t;
	uint8_t key[32];

	begin_call(r, &call);
	for (;;) {
		size_t n;

		if (ts_json_next(in, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			return end_call(r, &call) ? TS_OK : ts_arena_error(r->arena, err);
		n = t.text.len < sizeof key ? t.text.len : 0; /* the next token writes over it */
		if (n)
			memcpy(key, t.text.data, n);
		if (json_value(r, in, ts_span_of(key, n), &call, err))
			return err->status;
	}
}

static enum ts_status json_calls(struct reading *r, struct ts_json_reader *in, struct ts_error *err)
{
	struct ts_json_token t;

	for (;;) {
		if (ts_json_next(in, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			return TS_OK;
		if (t.type == TS_JSON_OBJECT ? json_call(r, in, err) : t.type == TS_JSON_ARRAY && ts_json_skip(in, NULL, err))
			return err->status;
	}
}

static enum ts_status json_dump(struct reading *r, struct ts_span text, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 20);
	struct ts_json_reader in;
	struct ts_json_token t;
	enum ts_status status;
	bool any = false;

	ts_json_reader_init(&in, text, &scratch);
	status = ts_json_next(&in, &t, err);
	while (!status) {
		bool of_calls;

		status = ts_json_next(&in, &t, err);
		if (status || t.type == TS_JSON_END)
			break;
		of_calls = t.type == TS_JSON_KEY && ts_span_is(t.text, "entries");
		status = ts_json_next(&in, &t, err);
		if (!status && of_calls && t.type == TS_JSON_ARRAY) {
			any = true;
			status = json_calls(r, &in, err);
		} else if (!status && (t.type == TS_JSON_OBJECT || t.type == TS_JSON_ARRAY)) {
			status = ts_json_skip(&in, NULL, err);
		}
	}
	if (!status && !any)
		status = ts_error_set(err, TS_INVALID, "this is no dump of a Flight Recorder: it has no \"entries\"");
	ts_buf_finish(&scratch);
	return status;
}

/* --- pickle --- */

static const struct ts_pickle_object *object_of(const struct ts_pickle *p, struct ts_pickle_value v)
{
	return v.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, v.id) : NULL;
}

static struct ts_span text_of(const struct ts_pickle *p, struct ts_pickle_value v)
{
	return v.kind == TS_VALUE_TEXT ? ts_intern_text_of(&p->intern, v.id) : ts_span_of(NULL, 0);
}

static bool is_list(const struct ts_pickle_object *o)
{
	return o && (o->shape == TS_SHAPE_LIST || o->shape == TS_SHAPE_TUPLE);
}

/* Writes a list of numbers and lists as JSON has it; what is deeper than that of sizes is none. */
static void put_sizes(const struct ts_pickle *p, const struct ts_pickle_object *list, int depth, struct ts_buf *out)
{
	ts_buf_char(out, '[');
	for (uint32_t i = 0; is_list(list) && i < list->n && out->len < SIZES_MAX; i++) {
		if (i)
			ts_buf_char(out, ',');
		if (list->items[i].kind == TS_VALUE_INT)
			ts_buf_printf(out, "%" PRId64, list->items[i].i);
		else if (depth == 0)
			put_sizes(p, object_of(p, list->items[i]), 1, out);
	}
	ts_buf_char(out, ']');
}

static void pickle_sizes(struct reading *r, const struct ts_pickle *p, const struct ts_pickle_object *list, struct ts_flight_call *call)
{
	struct ts_buf out = TS_BUF_INIT(4 * SIZES_MAX);

	put_sizes(p, list, 0, &out);
	if (!out.failed && out.len <= SIZES_MAX)
		call->sizes = keep(r, ts_buf_view(&out));
	ts_buf_finish(&out);
}

static void pickle_frames(struct reading *r, const struct ts_pickle *p, uint32_t number, struct ts_flight_call *call)
{
	const struct ts_snapshot_stack *stack = (const struct ts_snapshot_stack *)p->intern.stacks.data + number;

	for (uint32_t i = 0; i < stack->n; i++) {
		uint32_t at = ((const uint32_t *)p->intern.stack_frames.data)[stack->first + i];
		const struct ts_snapshot_frame *frame = (const struct ts_snapshot_frame *)p->intern.frames.data + at;

		take_frame(r, call, ts_intern_text_of(&p->intern, frame->file), frame->line);
	}
}

static void pickle_value(struct reading *r, const struct ts_pickle *p, struct ts_span key, struct ts_pickle_value v,
			 struct ts_flight_call *call)
{
	const struct ts_pickle_object *o = object_of(p, v);
	struct cell cell = {.kind = CELL_OTHER};

	if (o && ts_span_is(key, "process_group")) {
		for (uint32_t i = 0; is_list(o) && i < o->n; i++)
			take_group(r, call, i, text_of(p, o->items[i]));
	} else if (o && o->shape == TS_SHAPE_STACK && ts_span_is(key, "frames")) {
		pickle_frames(r, p, o->first, call);
	} else if (o && ts_span_is(key, "input_sizes")) {
		pickle_sizes(r, p, o, call);
	} else if (v.kind == TS_VALUE_TEXT) {
		cell = (struct cell){.kind = CELL_TEXT, .text = text_of(p, v)};
	} else if (v.kind == TS_VALUE_INT) {
		cell = (struct cell){.kind = CELL_INT, .i = v.i};
	} else if (v.kind == TS_VALUE_TRUE || v.kind == TS_VALUE_FALSE) {
		cell = (struct cell){.kind = CELL_BOOL, .i = v.kind == TS_VALUE_TRUE};
	}
	take(r, call, key, &cell);
}

static enum ts_status pickle_calls(struct reading *r, const struct ts_pickle *p, const struct ts_pickle_object *list,
				   struct ts_error *err)
{
	for (uint32_t i = 0; is_list(list) && i < list->n; i++) {
		const struct ts_pickle_object *entry = object_of(p, list->items[i]);
		struct ts_flight_call call;

		if (!entry || entry->shape != TS_SHAPE_DICT)
			continue;
		begin_call(r, &call);
		for (uint32_t k = 0; k + 1 < entry->n; k += 2)
			pickle_value(r, p, text_of(p, entry->items[k]), entry->items[k + 1], &call);
		if (!end_call(r, &call))
			return ts_arena_error(r->arena, err);
	}
	return TS_OK;
}

static enum ts_status pickle_top(struct reading *r, struct ts_pickle *p, struct ts_error *err)
{
	const struct ts_pickle_object *dict;
	struct ts_pickle_value top;

	if (ts_pickle_run(p, &top, err))
		return err->status;
	dict = object_of(p, top);
	for (uint32_t i = 0; dict && dict->shape == TS_SHAPE_DICT && i + 1 < dict->n; i += 2)
		if (ts_span_is(text_of(p, dict->items[i]), "entries"))
			return pickle_calls(r, p, object_of(p, dict->items[i + 1]), err);
	return ts_error_set(err, TS_INVALID, "%.*s: this is no dump of a Flight Recorder: it has no \"entries\"", TS_SPAN_ARG(p->path));
}

static enum ts_status pickle_dump(struct reading *r, const struct ts_source *source, struct ts_error *err)
{
	struct ts_pickle *p = ts_alloc(sizeof *p);
	struct ts_inflow *in;
	enum ts_status status;

	if (!p)
		return ts_error_set(err, TS_NO_MEMORY, "%.*s: out of memory", TS_SPAN_ARG(source->path));
	status = ts_inflow_open(source, &in, err);
	if (!status) {
		status = ts_pickle_init(p, in, source->path, err) ? err->status : pickle_top(r, p, err);
		ts_pickle_finish(p);
		ts_inflow_close(in);
	}
	ts_free(p);
	return status;
}

/* --- the whole --- */

static enum ts_status json_source(struct reading *r, const struct ts_source *source, struct ts_error *err)
{
	struct ts_arena work;
	enum ts_status status;
	uint8_t *bytes;

	if (source->size > JSON_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%.*s: a dump has at most 256 MiB", TS_SPAN_ARG(source->path));
	ts_arena_init(&work, JSON_MAX + (1 << 20));
	bytes = ts_arena_alloc(&work, (size_t)source->size);
	status = !bytes ? ts_arena_error(&work, err) : ts_source_read(source, bytes, (size_t)source->size, 0, err);
	if (!status && json_dump(r, ts_span_of(bytes, (size_t)source->size), err))
		status = ts_error_prefix(err, "%.*s", TS_SPAN_ARG(source->path));
	ts_arena_finish(&work);
	return status;
}

enum ts_status ts_flight_read(const struct ts_source *source, int32_t rank, struct ts_arena *arena, struct ts_flight_dump *ret_dump,
			      struct ts_error *err)
{
	struct ts_flight_dump dump = {.rank = rank};
	struct reading r = {.arena = arena, .dump = &dump};
	uint8_t first = 0;

	if (source->size == 0)
		return ts_error_set(err, TS_INVALID, "%.*s: it is empty", TS_SPAN_ARG(source->path));
	if (ts_source_read(source, &first, 1, 0, err))
		return err->status;
	if ((first == '{' ? json_source(&r, source, err) : pickle_dump(&r, source, err)) || ts_arena_check(arena, err))
		return err->status;
	*ret_dump = dump;
	return TS_OK;
}
