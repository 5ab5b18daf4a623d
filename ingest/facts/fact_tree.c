#include "ingest/facts/fact_tree.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/json_reader.h"

struct ts_fact_node {
	struct ts_span value; /* JSON that is not an object with members; data is NULL if there is none */
	uint8_t *room;	      /* where the value lies, or lay before */
	size_t cap;
	uint32_t child, last_child, sibling; /* 0 = none */
	int depth;
	bool known;
};

void ts_fact_tree_init(struct ts_fact_tree *t)
{
	*t = (struct ts_fact_tree){.scratch = TS_BUF_INIT(2 * TS_JSON_FILE_MAX)};
	ts_keys_init(&t->keys, TS_FACT_TREE_NODES - 1);
	ts_arena_init(&t->arena, TS_FACT_TREE_BYTES);
}

void ts_fact_tree_finish(struct ts_fact_tree *t)
{
	ts_free(t->nodes);
	ts_keys_finish(&t->keys);
	ts_arena_finish(&t->arena);
	ts_buf_finish(&t->scratch);
}

void ts_fact_tree_reset(struct ts_fact_tree *t)
{
	ts_fact_tree_finish(t);
	ts_fact_tree_init(t);
}

static void link_child(struct ts_fact_tree *t, uint32_t parent, uint32_t node)
{
	struct ts_fact_node *p = &t->nodes[parent];

	t->nodes[node].known = true;
	t->nodes[node].depth = p->depth + 1;
	if (p->last_child)
		t->nodes[p->last_child].sibling = node;
	else
		p->child = node;
	p->last_child = node;
}

static enum ts_status grow(struct ts_fact_tree *t, size_t want, struct ts_error *err)
{
	return TS_GROW(t->nodes, t->cap, want, 64) ? TS_OK : ts_error_set(err, TS_NO_MEMORY, "out of memory for names");
}

enum ts_status ts_fact_tree_node(struct ts_fact_tree *t, uint32_t parent, struct ts_span name, uint32_t *ret_node,
				 struct ts_error *err)
{
	uint32_t node;

	if (grow(t, parent + 1, err))
		return err->status;
	if (t->nodes[parent].depth >= TS_FACT_TREE_DEPTH)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d levels", TS_FACT_TREE_DEPTH);
	node = ts_keys_get(&t->keys, parent, name);
	if (node == TS_KEY_NONE && t->keys.no_memory)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for names");
	if (node == TS_KEY_NONE)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d names", TS_FACT_TREE_NODES - 1);
	if (grow(t, (size_t)node + 1, err))
		return err->status;
	if (!t->nodes[node].known)
		link_child(t, parent, node);
	t->nodes[parent].value.data = NULL;
	*ret_node = node;
	return TS_OK;
}

enum ts_status ts_fact_tree_path(struct ts_fact_tree *t, const char *path, uint32_t *ret_node, struct ts_error *err)
{
	uint32_t node = TS_KEY_ROOT;

	while (*path) {
		size_t n = strcspn(path, ".");

		if (ts_fact_tree_node(t, node, ts_span_of(path, n), &node, err))
			return err->status;
		path += n + (path[n] == '.');
	}
	*ret_node = node;
	return TS_OK;
}

void ts_fact_tree_remove(struct ts_fact_tree *t, uint32_t node)
{
	t->nodes[node].value.data = NULL;
	for (uint32_t c = t->nodes[node].child; c; c = t->nodes[c].sibling)
		ts_fact_tree_remove(t, c);
}

bool ts_fact_tree_has(const struct ts_fact_tree *t, uint32_t node)
{
	if (t->nodes && t->nodes[node].value.data)
		return true;
	for (uint32_t c = t->nodes ? t->nodes[node].child : 0; c; c = t->nodes[c].sibling)
		if (ts_fact_tree_has(t, c))
			return true;
	return false;
}

/* A value that changes often is written to its old place if it fits. */
static enum ts_status keep(struct ts_fact_tree *t, uint32_t node, struct ts_span json, struct ts_error *err)
{
	struct ts_fact_node *n = &t->nodes[node];

	if (!n->room || n->cap < json.len) {
		n->cap = json.len + 24;
		n->room = ts_arena_alloc(&t->arena, n->cap);
		if (!n->room)
			return ts_arena_error(&t->arena, err);
	}
	memcpy(n->room, json.data, json.len);
	n->value = ts_span_of(n->room, json.len);
	return TS_OK;
}

static int levels_of(struct ts_span json)
{
	bool in_string = false;
	int depth = 0, most = 0;

	for (size_t i = 0; i < json.len; i++) {
		uint8_t c = json.data[i];

		if (in_string && c == '\\')
			i++;
		else if (c == '"')
			in_string = !in_string;
		else if (!in_string && (c == '[' || c == '{') && ++depth > most)
			most = depth;
		else if (!in_string && (c == ']' || c == '}'))
			depth--;
	}
	return most;
}

static enum ts_status take(struct ts_fact_tree *t, struct ts_json_reader *r, const struct ts_json_token *token, uint32_t node,
			   struct ts_error *err);

static enum ts_status take_members(struct ts_fact_tree *t, struct ts_json_reader *r, uint32_t node, struct ts_error *err)
{
	struct ts_json_token token;
	bool any = false;

	for (;; any = true) {
		uint32_t child;

		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			return any ? TS_OK : keep(t, node, ts_span_str("{}"), err);
		if (ts_fact_tree_node(t, node, token.text, &child, err) || ts_json_next(r, &token, err) ||
		    take(t, r, &token, child, err))
			return err->status;
	}
}

static enum ts_status take(struct ts_fact_tree *t, struct ts_json_reader *r, const struct ts_json_token *token, uint32_t node,
			   struct ts_error *err)
{
	struct ts_span raw;
	size_t from = token->at;

	ts_fact_tree_remove(t, node);
	if (token->type == TS_JSON_OBJECT)
		return take_members(t, r, node, err);
	if (token->type == TS_JSON_ARRAY && ts_json_skip(r, NULL, err))
		return err->status;
	raw = ts_span_of(r->in.data + from, r->at - from);
	if (t->nodes[node].depth + levels_of(raw) > TS_FACT_TREE_DEPTH)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d levels", TS_FACT_TREE_DEPTH);
	return keep(t, node, raw, err);
}

enum ts_status ts_fact_tree_set(struct ts_fact_tree *t, uint32_t node, struct ts_span json, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;

	ts_buf_reset(&t->scratch);
	ts_json_reader_init(&r, json, &t->scratch);
	if (ts_json_next(&r, &token, err))
		return err->status;
	if (token.type == TS_JSON_EOF)
		return ts_error_set(err, TS_INVALID, "no value");
	if (take(t, &r, &token, node, err) || ts_json_next(&r, &token, err))
		return err->status;
	return token.type == TS_JSON_EOF ? TS_OK : ts_error_set(err, TS_INVALID, "byte %zu: more than one value", token.at);
}

enum ts_status ts_fact_tree_text(struct ts_fact_tree *t, uint32_t node, struct ts_span text, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(6 * text.len + 16);
	struct ts_json j = ts_json_of(&buf);
	enum ts_status status;

	ts_json_span(&j, text);
	status = ts_buf_check(&buf, err);
	if (!status)
		status = ts_fact_tree_set(t, node, ts_buf_view(&buf), err);
	ts_buf_finish(&buf);
	return status;
}

static void write_node(const struct ts_fact_tree *t, uint32_t node, struct ts_json *j)
{
	if (t->nodes[node].value.data) {
		ts_json_raw(j, t->nodes[node].value);
		return;
	}
	ts_json_object(j);
	for (uint32_t c = t->nodes[node].child; c; c = t->nodes[c].sibling)
		if (ts_fact_tree_has(t, c)) {
			ts_json_key_span(j, ts_key_at(&t->keys, c)->text);
			write_node(t, c, j);
		}
	ts_json_end(j);
}

void ts_fact_tree_write(const struct ts_fact_tree *t, struct ts_json *j)
{
	if (t->nodes)
		write_node(t, TS_KEY_ROOT, j);
	else
		ts_json_object(j), ts_json_end(j);
}
