/* shape_json.c - structs as JSON, by their tables: see shape.h. */
#include "proto/shape/shape.h"

#include "analysis/answer/run_ref.h"
#include "base/clock.h"
#include "run/head.h"

#include <math.h>
#include <stdio.h>

enum { KEY_TEXT = 64 };

static void object(struct ts_shape_writer *w, const struct ts_shape *s, const void *in);

static const void *target(const struct ts_shape_field *f, const void *at)
{
	return f->kind == TS_SHAPE_PTR ? *(const void *const *)at : at;
}

/* Returns whether a value is the one that stands for none. */
static bool is_none(const struct ts_shape_field *f, const void *at)
{
	if (f->kind == TS_SHAPE_F64)
		return isnan(*(const double *)at);
	if (f->kind == TS_SHAPE_TIME)
		return *(const int64_t *)at == 0;
	if (f->kind == TS_SHAPE_I32)
		return *(const int32_t *)at == TS_RANK_JOB;
	return ((const struct ts_span *)at)->len == 0;
}

const void *ts_shape_member(const struct ts_shape_field *f, const void *in)
{
	const void *at = (const uint8_t *)in + f->at;

	if ((f->when && !f->when(in)) || (f->flagged && !*((const bool *)in + f->has)) || (f->or_null && is_none(f, at)))
		return NULL;
	return target(f, at);
}

static void word(struct ts_json *j, const struct ts_shape_words *words, int value)
{
	const char *text = words->word(value);

	if (text && words->bare)
		ts_json_raw(j, ts_span_str(text));
	else
		ts_json_string(j, text);
}

static void value(struct ts_shape_writer *w, const struct ts_shape_field *f, const void *at)
{
	struct ts_json *j = w->json;
	char hex[TS_ID_HEX + 1], time[TS_TIME_TEXT];

	switch (f->kind) {
	case TS_SHAPE_F64:
		ts_json_double(j, *(const double *)at);
		break;
	case TS_SHAPE_U64:
		ts_json_u64(j, *(const uint64_t *)at);
		break;
	case TS_SHAPE_I64:
		ts_json_i64(j, *(const int64_t *)at);
		break;
	case TS_SHAPE_U32:
		ts_json_u64(j, *(const uint32_t *)at);
		break;
	case TS_SHAPE_SIZE:
		ts_json_u64(j, *(const size_t *)at);
		break;
	case TS_SHAPE_I32:
		ts_json_i64(j, *(const int32_t *)at);
		break;
	case TS_SHAPE_BOOL:
		ts_json_bool(j, *(const bool *)at);
		break;
	case TS_SHAPE_HEX:
		ts_json_hex64(j, *(const uint64_t *)at);
		break;
	case TS_SHAPE_TIME:
		ts_json_string(j, ts_time_text(*(const int64_t *)at, time));
		break;
	case TS_SHAPE_ENUM:
	case TS_SHAPE_WORD:
		word(j, f->words, *(const int *)at);
		break;
	case TS_SHAPE_BYTES:
	case TS_SHAPE_TEXT:
		ts_json_span(j, *(const struct ts_span *)at);
		break;
	case TS_SHAPE_ID:
		ts_json_string(j, ts_id_hex(at, hex));
		break;
	case TS_SHAPE_STRING:
		ts_json_string(j, *(const char *const *)at);
		break;
	case TS_SHAPE_ONE:
	case TS_SHAPE_PTR:
	case TS_SHAPE_PART:
		object(w, f->of, target(f, at));
		break;
	}
}

/* A column of 480 numbers would fill a page, so the columns of a plot are written on one line. */
static bool on_one_line(const struct ts_shape_field *f)
{
	return f->kind == TS_SHAPE_F64 || f->kind == TS_SHAPE_U64;
}

static void list(struct ts_shape_writer *w, const struct ts_shape_field *f, const void *in)
{
	size_t n;
	const uint8_t *rows = ts_shape_entries(f, in, &n);
	int indent = w->json->indent;

	if (on_one_line(f))
		w->json->indent = 0;
	ts_json_array(w->json);
	for (size_t i = 0; i < n; i++)
		value(w, f, rows + i * f->step + f->in_row);
	ts_json_end(w->json);
	w->json->indent = indent;
}

static void key(struct ts_shape_writer *w, const struct ts_shape_field *f)
{
	char text[KEY_TEXT];

	(void)snprintf(text, sizeof text, "%s%s", f->key, f->units && w->unit ? w->unit : "");
	ts_json_key(w->json, text);
}

static void members(struct ts_shape_writer *w, const struct ts_shape *s, const void *in)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_shape_field *f = &s->fields[i];
		const void *at = (const uint8_t *)in + f->at;

		if (!f->key)
			continue;
		if (!*f->key) {
			members(w, f->of, target(f, at));
			continue;
		}
		key(w, f);
		if (!ts_shape_member(f, in))
			ts_json_null(w->json);
		else if (f->list)
			list(w, f, in);
		else
			value(w, f, at);
	}
}

static void object(struct ts_shape_writer *w, const struct ts_shape *s, const void *in)
{
	const char *outer = w->unit;

	if (s->own && s->own->json) {
		s->own->json(w, in);
		return;
	}
	if (s->unit)
		w->unit = s->unit(in);
	ts_json_object(w->json);
	members(w, s, in);
	ts_json_end(w->json);
	w->unit = outer;
}

enum ts_status ts_shape_json(const struct ts_shape *shape, const void *in, struct ts_json *json, struct ts_arena *arena,
			     struct ts_error *err)
{
	struct ts_shape_writer w = {.json = json, .arena = arena, .err = err};

	object(&w, shape, in);
	return w.status;
}
