#include "cli/why/why_slots.h"

#include "base/json_writer.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NEST_MOST = 32 };

bool ts_why_next_slot(const char *word, size_t *at, struct ts_span *ret_name)
{
	for (const char *open; (open = strchr(word + *at, '{')); *at = (size_t)(open - word) + 1) {
		size_t n = 0;

		while (ts_is_alnum((uint8_t)open[1 + n]) || (open[1 + n] && strchr("._-[]\\", open[1 + n])))
			n++;
		if (!n || open[1 + n] != '}')
			continue;
		*ret_name = ts_span_of(open + 1, n);
		*at = (size_t)(open - word) + n + 2;
		return true;
	}
	return false;
}

bool ts_why_has_slot(const char *const *argv, struct ts_span path)
{
	struct ts_span name;

	for (size_t i = 0; argv && argv[i]; i++)
		for (size_t at = 0; ts_why_next_slot(argv[i], &at, &name);)
			if (ts_span_eq(name, path))
				return true;
	return false;
}

/* Facts of one object or array: [from, to), whose paths have the same `at` bytes in front. */
struct level {
	const struct ts_facts *facts;
	size_t from, to, at;
	int depth;
};

/* The component of a fact behind the bytes that its level has in common. */
struct component {
	struct ts_span key;
	bool is_index;
	size_t index, behind;
};

static bool component_of(const struct level *l, size_t i, struct ts_arena *arena, struct component *ret)
{
	ret->behind = l->at;
	return ts_path_next(l->facts->items[i].path, &ret->behind, arena, &ret->key, &ret->is_index, &ret->index);
}

static void value(struct ts_json *j, const struct ts_fact *f)
{
	char digits[24];

	switch (f->type) {
	case TS_FACT_BOOL:
		ts_json_bool(j, f->boolean);
		return;
	case TS_FACT_INT:
		/* As a number at any size, where answers of tscope have a text: who reads this is a training. */
		(void)snprintf(digits, sizeof digits, "%" PRId64, f->integer);
		ts_json_raw(j, ts_span_str(digits));
		return;
	case TS_FACT_FLOAT:
		ts_json_double(j, f->real);
		return;
	case TS_FACT_TEXT:
		ts_json_span(j, f->text);
		return;
	case TS_FACT_NUMBER:
		ts_json_raw(j, f->text);
		return;
	case TS_FACT_OBJECT:
		ts_json_raw(j, ts_span_str("{}"));
		return;
	case TS_FACT_ARRAY:
		ts_json_raw(j, ts_span_str("[]"));
		return;
	case TS_FACT_NULL:
	case TS_FACT_ABSENT:
	case TS_FACT_LONG:
		break;
	}
	ts_json_null(j);
}

static enum ts_status write_level(const struct level *l, struct ts_json *j, struct ts_arena *arena, struct ts_error *err);

/* What has this component: one value, or a level of its own. */
static enum ts_status member(const struct level *l, size_t from, size_t to, const struct component *c, struct ts_json *j,
			     struct ts_arena *arena, struct ts_error *err)
{
	const struct level inner = {l->facts, from, to, c->behind, l->depth + 1};

	if (c->behind < l->facts->items[from].path.len)
		return write_level(&inner, j, arena, err);
	if (l->facts->items[from].type == TS_FACT_LONG)
		return ts_error_set(err, TS_INVALID, "the value of %.*s is too long for {config-file}",
				    TS_SPAN_ARG(l->facts->items[from].path));
	/* Of several sources the last counts. */
	value(j, &l->facts->items[to - 1]);
	return TS_OK;
}

/* The facts of the level whose next component is this one; they stand together, since paths are sorted. */
static size_t end_of(const struct level *l, size_t from, const struct component *c, struct ts_arena *arena)
{
	struct component other;
	size_t to = from + 1;

	while (to < l->to && component_of(l, to, arena, &other) && other.is_index == c->is_index &&
	       (c->is_index ? other.index == c->index : ts_span_eq(other.key, c->key)))
		to++;
	return to;
}

static enum ts_status write_level(const struct level *l, struct ts_json *j, struct ts_arena *arena, struct ts_error *err)
{
	struct component c;
	bool array;

	if (l->depth > NEST_MOST || !component_of(l, l->from, arena, &c))
		return ts_error_set(err, TS_INVALID, "the recorded configuration is nested too deeply, or not well-formed");
	array = c.is_index;
	if (array)
		ts_json_array(j);
	else
		ts_json_object(j);
	/* Elements stand in the order of their digits as text: [10] before [2]. */
	for (size_t index = 0, n = array ? l->to - l->from : 1; index < n; index++)
		for (size_t i = l->from; i < l->to;) {
			size_t to;

			if (!component_of(l, i, arena, &c) || c.is_index != array)
				return ts_error_set(err, TS_INVALID, "the recorded configuration is not well-formed");
			to = end_of(l, i, &c, arena);
			if (!array)
				ts_json_key_span(j, c.key);
			if ((!array || c.index == index) && member(l, i, to, &c, j, arena, err))
				return err->status;
			i = to;
		}
	ts_json_end(j);
	return TS_OK;
}

enum ts_status ts_why_config(const struct ts_facts *facts, struct ts_buf *out, struct ts_arena *arena, struct ts_error *err)
{
	struct level l = {facts, 0, 0, strlen("config"), 0};
	struct ts_json j = ts_json_of(out);

	while (l.from < facts->n && !ts_span_starts(facts->items[l.from].path, ts_span_str("config.")))
		l.from++;
	for (l.to = l.from; l.to < facts->n && ts_span_starts(facts->items[l.to].path, ts_span_str("config."));)
		l.to++;
	if (l.from == l.to)
		return ts_error_set(err, TS_INVALID, "{config-file}: no configuration was recorded");
	j.python = true;
	if (write_level(&l, &j, arena, err))
		return err->status;
	return ts_arena_check(arena, err);
}
