/* shape_schema.c - the definitions of a JSON Schema (draft 2020-12), by tables: see shape.h. */
#include "base/words.h"
#include "proto/shape/shape.h"

#include <assert.h>
#include <math.h>

enum { DEFINITIONS_MAX = 128 };

/* The shapes that were defined or will be: each shape is defined once. */
struct definitions {
	const struct ts_shape *items[DEFINITIONS_MAX];
	size_t n;
};

/* What the tables state about numbers, times and ids. */
static const char *const numbers[][2] = {
	{"real", "{\"anyOf\": [{\"type\": \"number\"}, {\"enum\": [\"NaN\", \"Infinity\", \"-Infinity\"]}]}"},
	{"integer", "{\"description\": \"a whole number; beyond 2^53 in size as decimal text\","
		    " \"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"string\", \"pattern\": \"^-?[0-9]+$\"}]}"},
	{"count", "{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 0}, {\"type\": \"string\", \"pattern\": \"^[0-9]+$\"}]}"},
	{"time", "{\"type\": \"string\", \"description\": \"RFC 3339, UTC\","
		 " \"pattern\": \"^[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$\"}"},
	{"id", "{\"type\": \"string\", \"pattern\": \"^[0-9a-f]{64}$\", \"description\": \"SHA-256 of an object\"}"},
};

static void text(struct ts_json *j, const char *key, const char *value)
{
	ts_json_key(j, key);
	ts_json_string(j, value);
}

static void ref(struct ts_json *j, const char *name)
{
	struct ts_buf path = TS_BUF_INIT(256);

	ts_buf_printf(&path, "#/$defs/%s", name);
	ts_json_key(j, "$ref");
	ts_json_span(j, ts_buf_view(&path));
	ts_buf_finish(&path);
}

static void object(struct ts_json *j, const struct ts_shape *s);

/* Returns whether an earlier value has the same word: two values may share one. */
static bool is_said(const struct ts_shape_words *w, int from, int to, const char *word)
{
	for (int i = from; i < to; i++) {
		const char *other = w->word(ts_shape_nth(w, i));

		if (word == other || (word && other && strcmp(word, other) == 0))
			return true;
	}
	return false;
}

static void words(struct ts_json *j, const struct ts_shape_words *w)
{
	if (w->prose) {
		text(j, "type", "string");
		return;
	}
	ts_json_key(j, "enum");
	ts_json_array(j);
	for (int i = 0; i <= w->most - w->least; i++) {
		const char *word = w->word(ts_shape_nth(w, i));

		if (is_said(w, 0, i, word))
			continue;
		if (word && w->bare)
			ts_json_raw(j, ts_span_str(word));
		else
			ts_json_string(j, word);
	}
	if (w->newer)
		ts_json_string(j, w->word(TS_NEWER));
	ts_json_end(j);
}

static void bound(struct ts_json *j, const char *key, double value)
{
	if (!isfinite(value))
		return;
	ts_json_key(j, key);
	if (value == floor(value))
		ts_json_i64(j, (int64_t)value);
	else
		ts_json_double(j, value);
}

static bool is_bounded(const struct ts_shape_field *f)
{
	return f->bounded && !f->list; /* for a list, this is the number of entries */
}

static void number(struct ts_json *j, const struct ts_shape_field *f, const char *type)
{
	text(j, "type", type);
	bound(j, "minimum", f->least);
	bound(j, "maximum", f->most);
}

/* Writes the members of the schema of one value. */
static void value(struct ts_json *j, const struct ts_shape_field *f)
{
	switch (f->kind) {
	case TS_SHAPE_F64:
		if (is_bounded(f))
			number(j, f, "number");
		else
			ref(j, "real");
		return;
	case TS_SHAPE_U64:
	case TS_SHAPE_U32:
	case TS_SHAPE_SIZE:
		if (is_bounded(f))
			number(j, f, "integer");
		else
			ref(j, "count");
		return;
	case TS_SHAPE_I64:
		ref(j, "integer");
		return;
	case TS_SHAPE_I32:
		text(j, "type", "integer");
		return;
	case TS_SHAPE_BOOL:
		text(j, "type", "boolean");
		return;
	case TS_SHAPE_HEX:
		text(j, "type", "string");
		text(j, "pattern", "^[0-9a-f]{16}$");
		return;
	case TS_SHAPE_ENUM:
	case TS_SHAPE_WORD:
		words(j, f->words);
		return;
	case TS_SHAPE_TIME:
		ref(j, "time");
		return;
	case TS_SHAPE_BYTES:
	case TS_SHAPE_TEXT:
	case TS_SHAPE_STRING:
		text(j, "type", "string");
		return;
	case TS_SHAPE_ID:
		ref(j, "id");
		return;
	case TS_SHAPE_ONE:
	case TS_SHAPE_PTR:
		ref(j, f->of->name);
		return;
	case TS_SHAPE_PART:
		break;
	}
	object(j, f->of);
}

static void list(struct ts_json *j, const struct ts_shape_field *f)
{
	text(j, "type", "array");
	ts_json_key(j, "items");
	ts_json_object(j);
	value(j, f);
	ts_json_end(j);
	if (f->bounded) {
		bound(j, "minItems", f->least);
		bound(j, "maxItems", f->most);
	}
}

static void value_or_list(struct ts_json *j, const struct ts_shape_field *f)
{
	if (f->list)
		list(j, f);
	else
		value(j, f);
}

static void property(struct ts_json *j, const struct ts_shape_field *f)
{
	ts_json_object(j);
	if (f->about)
		text(j, "description", f->about);
	if (f->when || f->flagged || f->or_null || f->kind == TS_SHAPE_PTR) {
		ts_json_key(j, "anyOf");
		ts_json_array(j);
		ts_json_object(j);
		value_or_list(j, f);
		ts_json_end(j);
		ts_json_object(j);
		text(j, "type", "null");
		ts_json_end(j);
		ts_json_end(j);
	} else {
		value_or_list(j, f);
	}
	ts_json_end(j);
}

/* Calls f for each key, including those of FLAT members. */
static void each_key(struct ts_json *j, const struct ts_shape *s, void (*f)(struct ts_json *j, const struct ts_shape_field *field))
{
	for (size_t i = 0; i < s->n; i++) {
		if (!s->fields[i].key)
			continue;
		if (*s->fields[i].key)
			f(j, &s->fields[i]);
		else
			each_key(j, s->fields[i].of, f);
	}
}

static void named(struct ts_json *j, const struct ts_shape_field *f)
{
	if (f->units)
		return;
	ts_json_key(j, f->key);
	property(j, f);
}

/* Writes the schema of keys that end in a unit, which only the answer determines. */
static void patterned(struct ts_json *j, const struct ts_shape_field *f)
{
	struct ts_buf pattern = TS_BUF_INIT(256);

	if (!f->units)
		return;
	ts_buf_printf(&pattern, "^%s%s$", f->key, f->units);
	ts_json_key_span(j, ts_buf_view(&pattern));
	property(j, f);
	ts_buf_finish(&pattern);
}

static void required(struct ts_json *j, const struct ts_shape_field *f)
{
	if (!f->units)
		ts_json_string(j, f->key);
}

/* No shape whose keys end in a unit has parts or FLAT members so far. */
static bool has_units(const struct ts_shape *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->fields[i].units)
			return true;
	return false;
}

static size_t count_keys(const struct ts_shape *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->fields[i].key != NULL;
	return n;
}

/* Writes the members of the schema of an object: it is closed, and every key is required. */
static void object(struct ts_json *j, const struct ts_shape *s)
{
	text(j, "type", "object");
	if (s->about)
		text(j, "description", s->about);
	ts_json_key(j, "properties");
	ts_json_object(j);
	each_key(j, s, named);
	ts_json_end(j);
	ts_json_key(j, "required");
	ts_json_array(j);
	each_key(j, s, required);
	ts_json_end(j);
	if (has_units(s)) {
		ts_json_key(j, "patternProperties");
		ts_json_object(j);
		each_key(j, s, patterned);
		ts_json_end(j);
		ts_json_key(j, "minProperties");
		ts_json_u64(j, count_keys(s));
	}
	ts_json_key(j, "additionalProperties");
	ts_json_bool(j, false);
}

static void want(struct definitions *d, const struct ts_shape *s)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->items[i] == s)
			return;
	assert(d->n < DEFINITIONS_MAX);
	d->items[d->n++] = s;
}

/* Adds the shapes that the rows of a shape refer to. */
static void want_all(struct definitions *d, const struct ts_shape *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_shape_field *f = &s->fields[i];

		if (!f->of || !f->key)
			continue;
		if (f->kind == TS_SHAPE_PART || !*f->key)
			want_all(d, f->of);
		else
			want(d, f->of);
	}
}

void ts_shape_schema(const struct ts_shape *const *shapes, size_t n, struct ts_json *json)
{
	struct definitions d = {.n = 0};

	for (size_t i = 0; i < n; i++)
		want(&d, shapes[i]);
	for (size_t i = 0; i < d.n; i++) {
		const struct ts_shape *s = d.items[i];

		want_all(&d, s);
		ts_json_key(json, s->name);
		if (s->own && s->own->schema) {
			ts_json_raw(json, ts_span_str(s->own->schema));
			continue;
		}
		ts_json_object(json);
		object(json, s);
		ts_json_end(json);
	}
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		ts_json_key(json, numbers[i][0]);
		ts_json_raw(json, ts_span_str(numbers[i][1]));
	}
}
