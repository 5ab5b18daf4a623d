#include "ingest/facts/facts_write.h"

#include "base/limits.h"
#include "ingest/facts/facts_json.h"

#include <inttypes.h>
#include <stdio.h>

struct writer {
	const struct ts_fact *items;
	size_t n;
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

/* The end of the component at path[at], which may be its separator. */
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

/* The first item whose path is not below (path, then c). c 0: just path. */
static size_t lower_bound(const struct writer *w, struct ts_span path, char c)
{
	size_t low = 0;
	size_t n = w->n;

	while (n > 0) {
		size_t half = n / 2;
		struct ts_span item = w->items[low + half].path;
		int order = ts_span_cmp(ts_span_of(item.data, item.len < path.len ? item.len : path.len), path);

		if (order == 0 && c)
			order = item.len == path.len || item.data[path.len] < (uint8_t)c ? -1 : 1;
		if (order < 0) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

static bool has_below(const struct writer *w, struct ts_span path, char c)
{
	size_t i = lower_bound(w, path, c);

	return i < w->n && ts_span_starts(w->items[i].path, path) && w->items[i].path.len > path.len &&
	       w->items[i].path.data[path.len] == (uint8_t)c;
}

static bool exists(const struct writer *w, struct ts_span path)
{
	size_t i = lower_bound(w, path, 0);

	return i < w->n && ts_span_eq(w->items[i].path, path);
}

/* Something above it is a value, or a list where it makes an object of it. */
static bool in_conflict(const struct writer *w, struct ts_span path)
{
	for (size_t at = component_end(path, 0); at < path.len; at = component_end(path, at)) {
		struct ts_span above = ts_span_of(path.data, at);

		if (exists(w, above) || (path.data[at] == '[' && has_below(w, above, '.')))
			return true;
	}
	return false;
}

bool ts_facts_conflict(const struct ts_facts *facts, struct ts_span path)
{
	struct writer w = {.items = facts->items, .n = facts->n};

	return in_conflict(&w, path);
}

static struct ts_span unescape(struct writer *w, struct ts_span text)
{
	ts_buf_reset(&w->key);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '\\' && i + 1 < text.len)
			i++;
		ts_buf_u8(&w->key, text.data[i]);
	}
	if (w->key.failed) /* the next reset would forget it */
		w->j->buf->failed = w->key.failed;
	return ts_buf_view(&w->key);
}

/* The items [from, ret) lie at or below the component that ends at `end` of the first one's path. */
static size_t group_end(const struct writer *w, size_t from, size_t to, size_t end)
{
	struct ts_span head = ts_span_of(w->items[from].path.data, end);

	for (size_t i = from; i < to; i++) {
		struct ts_span path = w->items[i].path;

		if (!ts_span_starts(path, head) ||
		    (path.len > end && path.data[end] != '.' && path.data[end] != '[' && path.data[end - 1] != ']'))
			return i;
	}
	return to;
}

static void write_node(struct writer *w, size_t from, size_t to, size_t depth_at);

/* Children i of an array are found by name, as bytes sort [10] before [2]. True if they are 0..n-1 of this range. */
static bool is_dense(const struct writer *w, size_t from, size_t to, size_t at, size_t *ret_n)
{
	size_t n = 0;

	for (size_t i = from; i < to; n++)
		i = group_end(w, i, to, component_end(w->items[i].path, at));
	for (size_t i = 0; i < n; i++) {
		char index[32];
		int len = snprintf(index, sizeof index, "[%zu]", i);
		bool found = false;
		size_t low = from, count = to - from;

		while (count > 0 && !found) {
			size_t half = count / 2;
			struct ts_span path = w->items[low + half].path;
			struct ts_span part = ts_span_of(path.data + at, component_end(path, at) - at);
			int order = ts_span_cmp(part, ts_span_of(index, (size_t)len));

			found = order == 0;
			if (order < 0) {
				low += half + 1;
				count -= half + 1;
			} else {
				count = half;
			}
		}
		if (!found)
			return false;
	}
	*ret_n = n;
	return true;
}

/* Where child `index` of the array begins in [from, to). */
static size_t child_at(const struct writer *w, size_t from, size_t to, size_t at, size_t index)
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

static void write_array(struct writer *w, size_t from, size_t to, size_t at, size_t n)
{
	ts_json_array(w->j);
	for (size_t i = 0; i < n; i++) {
		size_t child = child_at(w, from, to, at, i);
		size_t end = component_end(w->items[child].path, at);

		write_node(w, child, group_end(w, child, to, end), end);
	}
	ts_json_end(w->j);
}

/* The members of an object whose paths are equal up to `at`. */
static void write_members(struct writer *w, size_t from, size_t to, size_t at)
{
	for (size_t i = from; i < to;) {
		struct ts_span path = w->items[i].path;
		size_t start = at + (at > 0 && path.data[at] == '.');
		size_t end = component_end(path, at);
		size_t next;

		next = group_end(w, i, to, end);
		ts_json_key_span(w->j, unescape(w, ts_span_of(path.data + start, end - start)));
		write_node(w, i, next, end);
		i = next;
	}
}

/* The value at the common path of [from, to), whose length is `at`. */
static void write_node(struct writer *w, size_t from, size_t to, size_t at)
{
	struct ts_span path = w->items[from].path;
	size_t n;

	if (path.len == at) {
		ts_fact_write(&w->items[from], w->j);
	} else if (path.data[at] == '[' && is_dense(w, from, to, at, &n)) {
		write_array(w, from, to, at, n);
	} else {
		ts_json_object(w->j);
		write_members(w, from, to, at);
		ts_json_end(w->j);
	}
}

/* Writes the facts that fit together; the others under their whole path. */
void ts_facts_write(const struct ts_facts *facts, struct ts_json *j)
{
	struct writer all = {.items = facts->items, .n = facts->n};
	struct ts_buf kept = TS_BUF_INIT((size_t)TS_JSON_FILE_MAX * 64);
	struct writer w = {.j = j, .key = TS_BUF_INIT(2 * TS_JSON_FILE_MAX)};

	for (size_t i = 0; i < facts->n; i++) {
		bool effective = i + 1 == facts->n || !ts_span_eq(facts->items[i].path, facts->items[i + 1].path);

		if (effective && !in_conflict(&all, facts->items[i].path))
			ts_buf_bytes(&kept, &facts->items[i], sizeof facts->items[i]);
	}
	if (kept.failed) {
		j->buf->failed = kept.failed;
	} else if (kept.len) {
		w.items = (const struct ts_fact *)(const void *)kept.data;
		w.n = kept.len / sizeof *w.items;
		write_members(&w, 0, w.n, 0);
	}
	for (size_t i = 0; i < facts->n; i++) {
		bool effective = i + 1 == facts->n || !ts_span_eq(facts->items[i].path, facts->items[i + 1].path);

		if (!effective || !in_conflict(&all, facts->items[i].path))
			continue;
		ts_json_key_span(j, facts->items[i].path);
		ts_fact_write(&facts->items[i], j);
	}
	ts_buf_finish(&kept);
	ts_buf_finish(&w.key);
}

void ts_facts_to_json(const struct ts_facts *facts, struct ts_buf *out)
{
	struct ts_json j = ts_json_of(out);

	j.indent = 2;
	j.python = true;
	ts_json_object(&j);
	ts_facts_write(facts, &j);
	ts_json_end(&j);
	ts_buf_char(out, '\n');
}
