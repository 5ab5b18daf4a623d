/* brief.c - see brief.h. The document becomes a tree, of which a list keeps its first rows alone, and is written with ever tighter
 * limits until it fits. */
#include "cli/serve/brief.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/order.h"
#include "base/text.h"
#include "cli/serve/token_count.h"

#include <stdio.h>

enum { KEPT = 64, SCRATCH_MAX = 8 << 20, DEPTH = 12, COLUMNS = 16, LINE_ITEMS = 16, LINE_LETTERS = 160 };
enum { SAID_MAX = 1200 }; /* bytes of what an answer says */
enum { LAST_MAX = 512, LAST_TOKENS = 450 }; /* of the lines that say what to run next */

struct node {
	enum ts_json_type type; /* OBJECT, ARRAY, or that of a value */
	struct ts_span key;
	struct ts_span text; /* of a value */
	double number;	     /* of a number, and whether it is a whole one */
	bool integer;
	struct node *first, **end, *next;
	size_t n; /* members or items, also those that are not kept */
	int rank; /* of its key, or that of its list: what comes first */
	size_t place;
};

enum { RANK_SAID = 0, RANK_OTHER = 6, RANK_PROGRAMS = 8 };

/* What the members of a document are to a reader, by their names. Others stand between the first and the second line. */
static const struct rank {
	const char *names; /* separated by spaces */
	int rank;
} ranks[] = {
	{"verdict exit_code sentence sentences", RANK_SAID},
	{"title confidence cause reason why_not step lost not_comparable", 1},
	{"bound diagnosis findings first warnings", 2},
	{"evidence_for evidence_against evidence tiers detail advice shares metrics why rates", 3},
	{"experiments wanted fixes memory_fixes worth_checking next command commands how", 4},
	{"name id code severity state metric kind path change_ratio run parent child runs rows", 5},
	{"a_ending b_ending parent_ending child_ending ending tensors layers fact_counts source effective", 7},
	{"unchecked plots record policy_digest text_id block_count shared_block_count features measures events cells unknown cut_offs "
	 "series "
	 "notes recorded_events op ops passed_over",
	 RANK_PROGRAMS},
};
static int rank_of(struct ts_span key)
{
	for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
		for (const char *at = ranks[i].names; *at; at += strspn(at, " ")) {
			size_t n = strcspn(at, " ");

			if (ts_span_eq(key, ts_span_of(at, n)))
				return ranks[i].rank;
			at += n;
		}
	return RANK_OTHER;
}

/* -- the tree -- */

struct reading {
	struct ts_json_reader reader;
	struct ts_arena *arena;
};

static struct node *make(struct reading *r, const struct ts_json_token *token, struct ts_span key)
{
	struct node *node = ts_arena_array(r->arena, 1, sizeof *node);

	if (!node)
		return NULL;
	*node = (struct node){.type = token->type, .key = key, .rank = key.len ? rank_of(key) : RANK_SAID + 1};
	if (token->type == TS_JSON_NUMBER) {
		node->number = token->number;
		node->integer = token->integer;
	}
	node->end = &node->first;
	if (token->type == TS_JSON_STRING)
		node->text = ts_arena_span(r->arena, token->text);
	else if (token->type == TS_JSON_NUMBER)
		node->text = token->raw;
	else if (token->type == TS_JSON_TRUE || token->type == TS_JSON_FALSE)
		node->text = ts_span_str(token->type == TS_JSON_TRUE ? "yes" : "no");
	return node;
}

static enum ts_status read_value(struct reading *r, const struct ts_json_token *token, struct ts_span key, struct node **ret_node,
				 struct ts_error *err);

static enum ts_status read_inside(struct reading *r, struct node *node, struct ts_error *err)
{
	for (;;) {
		struct ts_span key = {NULL, 0};
		struct ts_json_token token;
		struct node *child;

		if (ts_json_next(&r->reader, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			return TS_OK;
		if (token.type == TS_JSON_KEY) {
			key = ts_arena_span(r->arena, token.text);
			if (!key.data)
				return ts_arena_error(r->arena, err);
			if (ts_json_next(&r->reader, &token, err))
				return err->status;
		}
		node->n++;
		if (node->n > KEPT && (token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY) &&
		    ts_json_skip(&r->reader, NULL, err))
			return err->status;
		if (node->n > KEPT)
			continue;
		if (read_value(r, &token, key, &child, err))
			return err->status;
		child->place = node->n;
		if (node->type == TS_JSON_ARRAY)
			child->rank = node->rank;
		*node->end = child;
		node->end = &child->next;
	}
}

static enum ts_status read_value(struct reading *r, const struct ts_json_token *token, struct ts_span key, struct node **ret_node,
				 struct ts_error *err)
{
	*ret_node = make(r, token, key);
	if (!*ret_node)
		return ts_arena_error(r->arena, err);
	return token->type == TS_JSON_OBJECT || token->type == TS_JSON_ARRAY ? read_inside(r, *ret_node, err) : TS_OK;
}

/* -- the text -- */

struct writing {
	struct ts_buf *out;
	size_t rows, letters, depth; /* at most */
	int rank;		     /* members of this rank and above are left out */
};

static bool is_container(const struct node *node)
{
	return node->type == TS_JSON_OBJECT || node->type == TS_JSON_ARRAY;
}

static bool says_nothing(const struct writing *w, const struct node *node)
{
	if (node->type == TS_JSON_NULL || node->rank >= w->rank)
		return true;
	if (node->type == TS_JSON_NUMBER && ts_span_is(node->text, "0") && ts_span_ends(node->key, "_count"))
		return true;
	if (!is_container(node))
		return node->text.len == 0;
	for (const struct node *at = node->first; at; at = at->next)
		if (!says_nothing(w, at))
			return false;
	return true;
}

/* Sixteen digits name an id as well as sixty-four. */
static bool is_digest(struct ts_span text)
{
	if (text.len != 64)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (!((text.data[i] >= '0' && text.data[i] <= '9') || (text.data[i] >= 'a' && text.data[i] <= 'f')))
			return false;
	return true;
}

static void put_at_most(struct writing *w, struct ts_span text, size_t letters)
{
	struct ts_span whole = is_digest(text) ? ts_span_part(text, 0, 16) : text, cut = ts_utf8_cut(whole, letters);

	ts_escape(w->out, cut);
	if (cut.len < whole.len)
		ts_buf_str(w->out, "...");
}

static void put_text(struct writing *w, struct ts_span text)
{
	put_at_most(w, text, w->letters);
}

/* Six digits of a fraction are enough to read; whole numbers stay as they are. What an answer says is not cut as other texts are. */
static void put_scalar(struct writing *w, const struct node *node)
{
	char text[32];

	if (node->type != TS_JSON_NUMBER || node->integer)
		put_at_most(w, node->text.len ? node->text : ts_span_str("-"), node->rank == RANK_SAID ? SAID_MAX : w->letters);
	else
		put_text(w, ts_span_of(text, (size_t)snprintf(text, sizeof text, "%.6g", node->number)));
}

static void put_indent(struct writing *w, size_t depth)
{
	ts_buf_spaces(w->out, (int)(depth < DEPTH ? depth : DEPTH));
}

TS_ORDER_OF_POINTERS(by_rank, struct node, TS_UP(rank); TS_UP(place))

/* Values alone, few enough for a line. */
static bool is_line_list(const struct node *node)
{
	size_t letters = 0;

	if (node->type != TS_JSON_ARRAY || node->n > LINE_ITEMS)
		return false;
	for (const struct node *at = node->first; at; at = at->next) {
		if (is_container(at))
			return false;
		letters += at->text.len;
	}
	return letters <= LINE_LETTERS;
}

static bool is_leaf(const struct writing *w, const struct node *node)
{
	return !is_container(node) || is_line_list(node) || says_nothing(w, node);
}

static void put_leaf(struct writing *w, const struct node *node)
{
	const char *before = "";

	if (!is_container(node)) {
		put_scalar(w, node);
		return;
	}
	for (const struct node *at = node->first; at; at = at->next) {
		ts_buf_str(w->out, before);
		put_scalar(w, at);
		before = ", ";
	}
}

static bool has_leaves_alone(const struct writing *w, const struct node *object)
{
	if (object->type != TS_JSON_OBJECT)
		return false;
	for (const struct node *at = object->first; at; at = at->next)
		if (!is_leaf(w, at))
			return false;
	return true;
}

/* A column of a table: a member, or a member of a member. */
struct column {
	struct ts_span key, inner; /* inner: empty where the member itself is the value */
};

struct table {
	struct column columns[COLUMNS];
	size_t n;
	bool overflows; /* there are more, or a row has what is no value */
};

static void add_column(struct table *t, const struct node *member, const struct node *inner)
{
	struct column column = {member->key, inner ? inner->key : ts_span_of(NULL, 0)};

	for (size_t i = 0; i < t->n; i++)
		if (ts_span_eq(t->columns[i].key, column.key) && ts_span_eq(t->columns[i].inner, column.inner))
			return;
	if (t->n == COLUMNS)
		t->overflows = true;
	else
		t->columns[t->n++] = column;
}

static void add_columns(const struct writing *w, struct table *t, const struct node *row)
{
	t->overflows |= row->type != TS_JSON_OBJECT;
	for (const struct node *at = row->first; at && !t->overflows; at = at->next) {
		if (says_nothing(w, at))
			continue;
		if (is_leaf(w, at))
			add_column(t, at, NULL);
		else if (!has_leaves_alone(w, at))
			t->overflows = true;
		else
			for (const struct node *inner = at->first; inner; inner = inner->next)
				if (!says_nothing(w, inner))
					add_column(t, at, inner);
	}
}

/* The columns of the rows that are shown. False where they are no table. */
static bool make_table(const struct writing *w, const struct node *list, struct table *ret)
{
	size_t shown = 0;

	*ret = (struct table){.n = 0};
	if (list->type != TS_JSON_ARRAY || list->n < 2)
		return false;
	for (const struct node *row = list->first; row && shown < w->rows; row = row->next, shown++)
		add_columns(w, ret, row);
	return !ret->overflows && ret->n > 0;
}

static const struct node *member(const struct node *object, struct ts_span key)
{
	for (const struct node *at = object ? object->first : NULL; at; at = at->next)
		if (ts_span_eq(at->key, key))
			return at;
	return NULL;
}

static void put_more(struct writing *w, size_t n, size_t depth)
{
	if (!n)
		return;
	put_indent(w, depth);
	ts_buf_printf(w->out, "(%zu more)\n", n);
}

static void put_left_out(struct writing *w, const struct node *node, size_t shown, size_t depth)
{
	put_more(w, node->n - shown, depth);
}

static void put_heads(struct writing *w, const struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		ts_buf_str(w->out, i ? " | " : "");
		put_text(w, t->columns[i].key);
		if (!t->columns[i].inner.len)
			continue;
		ts_buf_char(w->out, '.');
		put_text(w, t->columns[i].inner);
	}
	ts_buf_char(w->out, '\n');
}

static void put_row(struct writing *w, const struct table *t, const struct node *row)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct node *cell = member(row, t->columns[i].key);

		if (t->columns[i].inner.len)
			cell = member(cell, t->columns[i].inner);
		ts_buf_str(w->out, i ? " | " : "");
		if (cell && !says_nothing(w, cell) && is_leaf(w, cell))
			put_leaf(w, cell);
		else
			ts_buf_char(w->out, '-');
	}
	ts_buf_char(w->out, '\n');
}

static void put_table(struct writing *w, const struct table *t, const struct node *list, size_t depth)
{
	size_t shown = 0;

	put_indent(w, depth);
	put_heads(w, t);
	for (const struct node *row = list->first; row && shown < w->rows; row = row->next, shown++) {
		put_indent(w, depth);
		put_row(w, t, row);
	}
	put_left_out(w, list, shown, depth);
}

static void put_value(struct writing *w, const struct node *node, size_t depth);

/* Members that are values, on one line. */
static void put_members_in_line(struct writing *w, const struct node *const *sorted, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ts_buf_str(w->out, i ? "; " : " ");
		put_text(w, sorted[i]->key);
		ts_buf_char(w->out, ' ');
		put_leaf(w, sorted[i]);
	}
	ts_buf_char(w->out, '\n');
}

static size_t sort_members(const struct writing *w, const struct node *object, const struct node *sorted[KEPT])
{
	size_t n = 0;

	for (const struct node *at = object->first; at; at = at->next)
		if (!says_nothing(w, at))
			sorted[n++] = at;
	TS_SORT(sorted, n, by_rank);
	return n;
}

static bool is_short(const struct node *object)
{
	size_t letters = 0;

	for (const struct node *at = object->first; at; at = at->next)
		letters += at->key.len + at->text.len;
	return letters <= LINE_LETTERS;
}

/* What stands behind a key or a dash: on its line, or below it. */
static void put_behind(struct writing *w, const struct node *node, size_t depth)
{
	const struct node *sorted[KEPT];

	if (is_leaf(w, node)) {
		ts_buf_char(w->out, ' ');
		put_leaf(w, node);
		ts_buf_char(w->out, '\n');
	} else if (has_leaves_alone(w, node) && is_short(node)) {
		put_members_in_line(w, sorted, sort_members(w, node, sorted));
	} else {
		ts_buf_char(w->out, '\n');
		put_value(w, node, depth + 1);
	}
}

static void put_list(struct writing *w, const struct node *list, size_t depth)
{
	size_t shown = 0;

	for (const struct node *item = list->first; item && shown < w->rows; item = item->next, shown++) {
		put_indent(w, depth);
		ts_buf_char(w->out, '-');
		put_behind(w, item, depth);
	}
	put_left_out(w, list, shown, depth);
}

/* Members that say something, but not enough for these limits. */
static size_t left_out_by_rank(const struct writing *w, const struct node *object)
{
	const struct writing wide = {.rank = RANK_PROGRAMS};
	size_t n = 0;

	for (const struct node *at = object->first; at; at = at->next)
		n += says_nothing(w, at) && !says_nothing(&wide, at);
	return n;
}

static void put_members(struct writing *w, const struct node *object, size_t depth)
{
	const struct node *sorted[KEPT];
	size_t n = sort_members(w, object, sorted);

	for (size_t i = 0; i < n; i++) {
		put_indent(w, depth);
		put_text(w, sorted[i]->key);
		ts_buf_char(w->out, ':');
		put_behind(w, sorted[i], depth);
	}
	/* That a list of the answer itself is empty is an answer, too. */
	for (const struct node *at = depth ? NULL : object->first; at; at = at->next)
		if (at->type == TS_JSON_ARRAY && at->n == 0 && at->rank < w->rank) {
			put_text(w, at->key);
			ts_buf_str(w->out, ": none\n");
		}
	put_more(w, object->n - (object->n < KEPT ? object->n : KEPT) + left_out_by_rank(w, object), depth);
}

static void put_value(struct writing *w, const struct node *node, size_t depth)
{
	struct table table;

	if (depth > w->depth) {
		put_indent(w, depth);
		ts_buf_printf(w->out, "(%zu %s)\n", node->n, node->type == TS_JSON_ARRAY ? "rows" : "members");
	} else if (node->type == TS_JSON_OBJECT) {
		put_members(w, node, depth);
	} else if (make_table(w, node, &table)) {
		put_table(w, &table, node, depth);
	} else if (node->type == TS_JSON_ARRAY) {
		put_list(w, node, depth);
	} else {
		put_leaf(w, node);
		ts_buf_char(w->out, '\n');
	}
}

/* Whether the document itself names a command to run. */
static bool names_command(const struct node *node)
{
	if (ts_span_is(node->key, "command") && node->text.len)
		return true;
	for (const struct node *at = node->first; at; at = at->next)
		if (names_command(at))
			return true;
	return false;
}

static void put_last_of(struct ts_buf *out, const struct node *root, const char *command, const char *next, size_t letters)
{
	struct writing w = {.out = out, .letters = letters};

	out->len = 0;
	if (next && !names_command(root)) {
		ts_buf_str(out, "next: ");
		put_text(&w, ts_span_str(next));
		ts_buf_char(out, '\n');
	}
	ts_buf_str(out, "all of it: ");
	put_text(&w, ts_span_str(command));
	ts_buf_char(out, '\n');
}

struct room {
	size_t bytes, tokens;
};

static bool fits(struct ts_span text, const struct room *room)
{
	return text.len <= room->bytes && ts_tokens_most(text) <= room->tokens;
}

/* A byte of a command may be four when it is escaped, and as many tokens. */
static void put_last(struct ts_buf *out, const struct node *root, const char *command, const char *next)
{
	static const struct room room = {LAST_MAX, LAST_TOKENS};
	size_t letters = LAST_MAX / 2 - 32;

	put_last_of(out, root, command, next, letters);
	while (letters && !fits(ts_buf_view(out), &room)) {
		letters -= letters / 8 + 1;
		put_last_of(out, root, command, next, letters);
	}
}

/* The beginning of a line that is too long: with the tightest limits only what an answer says is longer than LINE_LETTERS. */
static size_t cut_line(struct ts_span whole, size_t begin, const struct room *room)
{
	const uint8_t *end = memchr(whole.data + begin, '\n', whole.len - begin);
	size_t n = end ? (size_t)(end - whole.data) : whole.len;

	if (n - begin <= LINE_LETTERS)
		return begin;
	while (n > begin && !fits(ts_span_of(whole.data, n), room))
		n -= 1 + (n - begin) / 64;
	return ts_utf8_cut(whole, n).len;
}

/* Whole lines from the beginning, as many as fit, and that the others are left out. */
static void cut_lines(struct ts_buf *out, size_t begin, const struct room *room)
{
	static const char left_out[] = "(what comes after this is left out)\n", dots[] = "...\n";
	const size_t bytes = sizeof left_out + sizeof dots;
	const size_t tokens = ts_tokens_most(ts_span_str(left_out)) + ts_tokens_most(ts_span_str(dots));
	const struct room less = {room->bytes - bytes, room->tokens - tokens}; /* a room is what put_last leaves, which is more */
	size_t part;
	struct ts_span whole = ts_span_from(ts_buf_view(out), begin), kept = ts_span_of(whole.data, 0);

	for (size_t i = 0; i < whole.len && i < less.bytes; i++)
		if (whole.data[i] == '\n' && fits(ts_span_of(whole.data, i + 1), &less))
			kept.len = i + 1;
	part = cut_line(whole, kept.len, &less);
	out->len = begin + part;
	if (part > kept.len)
		ts_buf_str(out, dots);
	ts_buf_str(out, left_out);
}

static void put_fitting(const struct node *root, const struct room *room, struct ts_buf *out)
{
	static const struct writing limits[] = {
		{.rows = 50, .letters = 800, .depth = 8, .rank = 8}, {.rows = 20, .letters = 500, .depth = 6, .rank = 8},
		{.rows = 12, .letters = 400, .depth = 5, .rank = 8}, {.rows = 10, .letters = 300, .depth = 5, .rank = 7},
		{.rows = 6, .letters = 300, .depth = 5, .rank = 7},  {.rows = 4, .letters = 250, .depth = 4, .rank = 7},
		{.rows = 3, .letters = 200, .depth = 4, .rank = 7},  {.rows = 2, .letters = 160, .depth = 4, .rank = 7},
		{.rows = 2, .letters = 160, .depth = 3, .rank = 6},  {.rows = 1, .letters = 120, .depth = 2, .rank = 6},
	};
	size_t begin = out->len;

	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		struct writing w = limits[i];

		out->len = begin;
		w.out = out;
		put_value(&w, root, 0);
		if (fits(ts_span_from(ts_buf_view(out), begin), room))
			return;
	}
	cut_lines(out, begin, room);
}

enum ts_status ts_brief(struct ts_span document, const char *command, const char *next, struct ts_arena *arena, struct ts_buf *out,
			struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(SCRATCH_MAX), last = TS_BUF_INIT(1 << 16), text = TS_BUF_INIT(64 << 20);
	struct reading r = {.arena = arena};
	struct ts_json_token token;
	enum ts_status status;
	struct node *root = NULL;

	ts_json_reader_init(&r.reader, document, &scratch);
	status = ts_json_next(&r.reader, &token, err);
	if (!status && token.type == TS_JSON_EOF)
		status = ts_error_set(err, TS_INVALID, "an empty document");
	if (!status)
		status = read_value(&r, &token, ts_span_of(NULL, 0), &root, err);
	if (!status)
		status = ts_arena_check(arena, err);
	if (!status) {
		struct room room;

		put_last(&last, root, command, next);
		room = (struct room){TS_BRIEF_BYTES - last.len, TS_BRIEF_TOKENS - ts_tokens_most(ts_buf_view(&last))};
		put_fitting(root, &room, &text);
		ts_buf_span(out, ts_buf_view(&text));
		ts_buf_span(out, ts_buf_view(&last));
		status = ts_buf_check(&text, err) || ts_buf_check(&last, err) ? err->status : ts_buf_check(out, err);
	}
	ts_buf_finish(&scratch);
	ts_buf_finish(&last);
	ts_buf_finish(&text);
	return status;
}
