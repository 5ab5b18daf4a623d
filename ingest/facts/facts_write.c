#include "ingest/facts/facts_write.h"

#include "base/limits.h"
#include "base/number.h"
#include "ingest/facts/facts_json.h"

#include <stdio.h>

struct writer {
	const struct ts_fact *items; /* the facts that can be nested */
	struct ts_json *j;
	struct ts_buf key;
};

void ts_fact_write(const struct ts_fact *fact, struct ts_json *j)
{
	char digits[32];

	switch (fact->type) {
	case TS_FACT_NULL:
	case TS_FACT_ABSENT:
		ts_json_null(j);
		break;
	case TS_FACT_BOOL:
		ts_json_bool(j, fact->boolean);
		break;
	case TS_FACT_INT:
		(void)snprintf(digits, sizeof digits, "%" PRId64, fact->integer);
		ts_json_raw(j, ts_span_str(digits));
		break;
	case TS_FACT_FLOAT:
		ts_json_double(j, fact->real);
		break;
	case TS_FACT_TEXT:
	case TS_FACT_LONG:
		ts_json_span(j, fact->text);
		break;
	case TS_FACT_NUMBER:
		ts_json_raw(j, fact->text);
		break;
	case TS_FACT_OBJECT:
		ts_json_raw(j, ts_span_str("{}"));
		break;
	case TS_FACT_ARRAY:
		ts_json_raw(j, ts_span_str("[]"));
		break;
	}
}

/* Returns where the component at path[at] ends; this may be at its separator. */
static size_t component_end(struct ts_span path, size_t at)
{
	if (at < path.len && path.data[at] == '[') {
		while (at < path.len && path.data[at] != ']')
			at++;
		return at + 1;
	}
	for (at += at > 0; at < path.len && path.data[at] != '.' && path.data[at] != '['; at++)
		at += path.data[at] == '\\';
	return at < path.len ? at : path.len;
}

/* The sorted items [from, ret) lie at or below the component that ends at `end` of the first item's path. */
static size_t group_end(const struct ts_fact *items, size_t from, size_t to, size_t end)
{
	struct ts_span head = ts_span_of(items[from].path.data, end);

	for (size_t i = from; i < to; i++) {
		struct ts_span path = items[i].path;

		if (!ts_span_starts(path, head) || (path.len > end && path.data[end] != '.' && path.data[end] != '['))
			return i;
	}
	return to;
}

/* --- what nests --- */

enum place { NOWHERE, NESTED, BESIDE };

struct sifter {
	const struct ts_fact *items; /* sorted; each path occurs once */
	size_t n;
	uint8_t *places; /* the enum place of each item */
};

/* Returns the first item that sorts at or after path followed by the byte c. If c is -1, at or after path itself. */
static size_t first_below(const struct sifter *s, struct ts_span path, int c)
{
	size_t low = 0, n = s->n;

	while (n > 0) {
		size_t half = n / 2;
		struct ts_span item = s->items[low + half].path;
		int order = ts_span_cmp(ts_span_of(item.data, item.len < path.len ? item.len : path.len), path);

		if (order == 0)
			order = (item.len == path.len ? -1 : item.data[path.len]) < c ? -1 : 0;
		if (order < 0) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

static void put_beside(struct sifter *s, size_t from, size_t to)
{
	if (from < to)
		memset(s->places + from, BESIDE, to - from);
}

static bool sift(struct sifter *s, struct ts_span path, int levels);

/* Sifts the members of an object, or the elements of a list, that [from, to) holds below the first `at` bytes of their
 * paths. Returns whether each of them contains something that can be nested. */
static bool sift_children(struct sifter *s, size_t from, size_t to, size_t at, int levels, bool *ret_any)
{
	bool all = true;

	*ret_any = false;
	for (size_t i = from; i < to; i++) {
		struct ts_span path = s->items[i].path;

		if (s->places[i] != NOWHERE)
			continue;
		if (sift(s, ts_span_of(path.data, component_end(path, at)), levels))
			*ret_any = true;
		else
			all = false;
	}
	return all;
}

/* Returns whether the elements [from, to) of one list are numbered from 0 without a gap. */
static bool is_whole(const struct sifter *s, size_t from, size_t to, size_t at)
{
	uint64_t n = 0, most = 0, index;

	for (size_t i = from; i < to; n++) {
		struct ts_span path = s->items[i].path;
		size_t end = component_end(path, at);

		if (!ts_parse_u64(ts_span_of(path.data + at + 1, end - at - 2), &index))
			return false;
		most = index > most ? index : most;
		i = group_end(s->items, i, to, end);
	}
	return most == n - 1;
}

/* Decides where the value at path and the values below it are written. levels is the number of components of path.
 * Returns whether something can be nested. */
static bool sift(struct sifter *s, struct ts_span path, int levels)
{
	size_t value = first_below(s, path, -1), members = first_below(s, path, '.'), members_end = first_below(s, path, '.' + 1);
	size_t list = first_below(s, path, '['), list_end = first_below(s, path, '[' + 1);
	bool is_value = value < s->n && ts_span_eq(s->items[value].path, path), any;
	bool is_empty = is_value && (s->items[value].type == TS_FACT_OBJECT || s->items[value].type == TS_FACT_ARRAY);
	bool deep = levels + (is_empty || !is_value) > TS_JSON_DEPTH;

	if (is_value)
		s->places[value] = deep ? BESIDE : NESTED;
	if (is_value || deep) {
		put_beside(s, members, members_end);
		put_beside(s, list, list_end);
		return !deep;
	}
	if (members < members_end) {
		put_beside(s, list, list_end);
		(void)sift_children(s, members, members_end, path.len, levels + 1, &any);
		return any;
	}
	if (is_whole(s, list, list_end, path.len) && sift_children(s, list, list_end, path.len, levels + 1, &any))
		return true;
	put_beside(s, list, list_end);
	return false;
}

enum ts_status ts_facts_nested(const struct ts_facts *facts, struct ts_arena *arena, struct ts_facts *ret_nested,
			       struct ts_facts *ret_beside, struct ts_error *err)
{
	struct ts_facts nested = {.n = 0}, beside = {.n = 0}, effective = {.n = 0};
	struct sifter s;
	bool any;

	for (size_t i = 0; i < facts->n; i++)
		if ((i + 1 == facts->n || !ts_span_eq(facts->items[i].path, facts->items[i + 1].path)) &&
		    ts_facts_add(&effective, &facts->items[i], arena, err))
			return err->status;
	s = (struct sifter){.items = effective.items, .n = effective.n, .places = ts_arena_alloc(arena, effective.n + 1)};
	if (!s.places)
		return ts_arena_error(arena, err);
	memset(s.places, NOWHERE, effective.n);
	(void)sift_children(&s, 0, s.n, 0, 1, &any);
	for (size_t i = 0; i < s.n; i++)
		if (ts_facts_add(s.places[i] == NESTED ? &nested : &beside, &s.items[i], arena, err))
			return err->status;
	*ret_nested = nested;
	*ret_beside = beside;
	return TS_OK;
}

/* --- writing --- */

static struct ts_span unescape(struct writer *w, struct ts_span text)
{
	ts_buf_reset(&w->key);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '\\' && i + 1 < text.len)
			i++;
		ts_buf_u8(&w->key, text.data[i]);
	}
	if (w->key.failed) /* the next reset would clear the failure */
		w->j->buf->failed = w->key.failed;
	return ts_buf_view(&w->key);
}

static void write_node(struct writer *w, size_t from, size_t to, size_t at);

/* Returns where element `index` of the list begins in [from, to). Paths are sorted by bytes, so [10] comes before [2]. */
static size_t element_at(const struct writer *w, size_t from, size_t to, size_t at, size_t index)
{
	char text[32];
	int len = snprintf(text, sizeof text, "[%zu]", index);
	size_t n = to - from;

	while (n > 0) {
		size_t half = n / 2;
		struct ts_span path = w->items[from + half].path;
		struct ts_span part = ts_span_of(path.data + at, component_end(path, at) - at);

		if (ts_span_cmp(part, ts_span_of(text, (size_t)len)) < 0) {
			from += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return from;
}

static void write_list(struct writer *w, size_t from, size_t to, size_t at)
{
	size_t n = 0;

	for (size_t i = from; i < to; n++)
		i = group_end(w->items, i, to, component_end(w->items[i].path, at));
	ts_json_array(w->j);
	for (size_t i = 0; i < n; i++) {
		size_t element = element_at(w, from, to, at, i);
		size_t end = component_end(w->items[element].path, at);

		write_node(w, element, group_end(w->items, element, to, end), end);
	}
	ts_json_end(w->j);
}

/* Writes the members of an object, whose paths are equal up to `at`. */
static void write_members(struct writer *w, size_t from, size_t to, size_t at)
{
	for (size_t i = from; i < to;) {
		struct ts_span path = w->items[i].path;
		size_t start = at + (at > 0);
		size_t end = component_end(path, at);
		size_t next = group_end(w->items, i, to, end);

		ts_json_key_span(w->j, unescape(w, ts_span_of(path.data + start, end - start)));
		write_node(w, i, next, end);
		i = next;
	}
}

/* Writes the value at the common path of [from, to). This path has `at` bytes. */
static void write_node(struct writer *w, size_t from, size_t to, size_t at)
{
	struct ts_span path = w->items[from].path;

	if (path.len == at) {
		ts_fact_write(&w->items[from], w->j);
	} else if (path.data[at] == '[') {
		write_list(w, from, to, at);
	} else {
		ts_json_object(w->j);
		write_members(w, from, to, at);
		ts_json_end(w->j);
	}
}

void ts_facts_write_paths(const struct ts_facts *facts, struct ts_json *j)
{
	ts_json_key(j, "paths");
	ts_json_object(j);
	for (size_t i = 0; i < facts->n; i++) {
		ts_json_key_span(j, facts->items[i].path);
		ts_fact_write(&facts->items[i], j);
	}
	ts_json_end(j);
}

void ts_facts_to_json(const struct ts_facts *facts, struct ts_buf *out)
{
	struct ts_json j = ts_json_of(out);
	struct ts_facts nested, beside;
	struct ts_arena arena;
	struct ts_error err;
	struct writer w = {.j = &j, .key = TS_BUF_INIT(2 * TS_JSON_FILE_MAX)};

	ts_arena_init(&arena, 0);
	if (ts_facts_nested(facts, &arena, &nested, &beside, &err)) {
		out->failed = err.status;
	} else {
		j.indent = 2;
		j.python = true;
		ts_json_object(&j);
		w.items = nested.items;
		write_members(&w, 0, nested.n, 0);
		if (beside.n)
			ts_facts_write_paths(&beside, &j);
		ts_json_end(&j);
		ts_buf_char(out, '\n');
	}
	ts_arena_finish(&arena);
	ts_buf_finish(&w.key);
}
