/* view_rows.c - the rows of a table that are structs of a shape: which members are its columns, and what people see of each. See
 * view.h. */
#include "cli/view/show_name.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

#include "base/text.h"

#include <assert.h>

enum { DEEP = 4 };

struct ts_view_source {
	const struct ts_shape_field *path[DEEP]; /* the members, the outermost first; n is 0: the cell is made by the caller */
	size_t n;
	bool share; /* of the whole of the view */
};

/* --- columns --- */

/* Finds "own.sum_ns": the key of a member, and behind a point those of the struct within. */
static bool find(const struct ts_shape *shape, struct ts_span key, struct ts_view_source *io)
{
	for (size_t i = 0; shape && i < shape->n && io->n < DEEP; i++) {
		const struct ts_shape_field *f = &shape->fields[i];
		struct ts_span name = ts_span_str(f->key ? f->key : "");
		size_t n = io->n;

		if (!f->key || !ts_span_starts(key, name))
			continue;
		io->path[io->n++] = f;
		if (name.len && name.len == key.len)
			return true;
		if (f->of && !f->list && (!name.len || key.data[name.len] == '.') &&
		    find(f->of, name.len ? ts_span_from(key, name.len + 1) : key, io))
			return true;
		io->n = n;
	}
	return false;
}

static bool is_number(enum ts_shape_kind kind)
{
	return kind <= TS_SHAPE_I32;
}

static const struct ts_view_column *made_as(struct ts_span key, const struct ts_view_column *made, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_is(key, made[i].key ? made[i].key : made[i].head))
			return &made[i];
	return NULL;
}

/* The heading of the innermost member that has one. */
static struct ts_view_column column_of(const struct ts_view_source *source, const char *key)
{
	const struct ts_shape_field *f = source->path[source->n - 1];
	struct ts_view_column column = {.align = is_number(f->kind) ? TS_ALIGN_RIGHT : TS_ALIGN_LEFT, .least = f->narrow, .key = key};

	column.align = f->aligned ? f->align : column.align;
	column.head = source->share ? f->share : NULL;
	for (size_t i = source->n; i-- > 0 && !column.head;)
		column.head = source->path[i]->head;
	return column;
}

/* What the columns of a table are made of. */
struct plan {
	struct ts_view *view;
	struct ts_view_column *columns;
	struct ts_view_source *sources;
	const struct ts_view_column *made;
	size_t n_made;
};

static void add(struct plan *p, const struct ts_view_column *column, const struct ts_view_source *source)
{
	struct ts_view *view = p->view;

	view->failed |= view->n_columns == TS_VIEW_COLUMNS_MAX || !column->key;
	if (view->failed)
		return;
	p->columns[view->n_columns] = *column;
	p->sources[view->n_columns++] = *source;
}

/* Adds the columns of all members that have a heading. */
static void add_struct(struct plan *p, const struct ts_shape *shape, const struct ts_view_source *within)
{
	for (size_t i = 0; i < shape->n; i++) {
		struct ts_view_source source = *within;
		struct ts_view_column column;

		if (!shape->fields[i].head || source.n == DEEP)
			continue;
		source.path[source.n++] = &shape->fields[i];
		column = column_of(&source, shape->fields[i].key);
		add(p, &column, &source);
	}
}

static void add_key(struct plan *p, const struct ts_shape *shape, struct ts_span key)
{
	const struct ts_view_column *own = made_as(key, p->made, p->n_made);
	struct ts_view_source source = {.share = ts_span_ends(key, "%")};
	const char *name = ts_arena_printf(p->view->arena, "%.*s", TS_SPAN_ARG(key));
	bool found = find(shape, source.share ? ts_span_part(key, 0, key.len - 1) : key, &source);
	struct ts_view_column column;

	assert(found || own);
	if (!found && !own) {
		p->view->failed = true;
		return;
	}
	if (found && source.path[source.n - 1]->of) {
		add_struct(p, source.path[source.n - 1]->of, &source);
		return;
	}
	column = found ? column_of(&source, name) : *own;
	column.head = own ? own->head : column.head;
	column.key = name;
	add(p, &column, &source);
}

void ts_view_with(struct ts_view *view, const struct ts_shape *shape, const char *keys, const struct ts_view_column *made, size_t n,
		  struct ts_arena *arena)
{
	struct ts_view_column *columns = ts_arena_array(arena, TS_VIEW_COLUMNS_MAX, sizeof *columns);
	struct ts_view_source *sources = ts_arena_array(arena, TS_VIEW_COLUMNS_MAX, sizeof *sources);
	struct plan plan = {view, columns, sources, made, n};

	*view = (struct ts_view){
		.shape = shape, .columns = columns, .sources = sources, .arena = arena, .failed = !columns || !sources};
	if (!view->failed && !keys)
		add_struct(&plan, shape, &(struct ts_view_source){.n = 0});
	for (size_t len; !view->failed && keys && *keys; keys += len + strspn(keys + len, " ")) {
		len = strcspn(keys, " ");
		add_key(&plan, shape, ts_span_of(keys, len));
	}
}

void ts_view_of(struct ts_view *view, const struct ts_shape *shape, const char *keys, struct ts_arena *arena)
{
	ts_view_with(view, shape, keys, NULL, 0, arena);
}

/* --- cells --- */

static bool ends(const struct ts_shape_field *f, const char *unit)
{
	return ts_span_ends(ts_span_str(f->key), unit);
}

/* Bytes that did not change have no sign. */
static const char *whole(const struct ts_shape_field *f, int64_t n, struct ts_arena *arena)
{
	uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	const char *sign = n < 0 ? "-" : f->show == TS_SHOW_CHANGE ? "+" : "", *text;

	if (f->show == TS_SHOW_NS || f->show == TS_SHOW_NS_CHANGE)
		return ts_arena_printf(arena, f->show == TS_SHOW_NS ? "%" PRId64 " ns" : "%+" PRId64 " ns", n);
	if (ends(f, "_bytes"))
		text = ts_show_bytes((double)size, arena);
	else if (ends(f, "_ns"))
		text = ts_show_exact(size, arena);
	else
		return ts_show_step(n, arena);
	return text ? ts_arena_printf(arena, "%s%s", n || ends(f, "_ns") ? sign : "", text) : NULL;
}

static const char *count(const struct ts_shape_field *f, uint64_t n, struct ts_arena *arena)
{
	switch (f->show) {
	case TS_SHOW_NS:
		return ts_arena_printf(arena, "%" PRIu64 " ns", n);
	case TS_SHOW_DIGITS:
		return ts_arena_printf(arena, "%" PRIu64, n);
	case TS_SHOW_SOME:
	case TS_SHOW_UNIT:
		if (n == 0 && f->show == TS_SHOW_SOME)
			return "";
		if (ends(f, "_ns"))
			return ts_show_exact(n, arena);
		if (ends(f, "bytes"))
			return ts_show_bytes((double)n, arena);
		break;
	case TS_SHOW_COUNT:
	case TS_SHOW_NS_CHANGE:
	case TS_SHOW_CHANGE:
	case TS_SHOW_NAME:
	case TS_SHOW_KERNEL:
		break;
	}
	return ts_show_count(n, arena);
}

static const char *real(const struct ts_shape_field *f, double x, struct ts_arena *arena)
{
	if (ends(f, "_ns"))
		return ts_arena_printf(arena, "%.3f ms", x / 1e6);
	if (ends(f, "_percent"))
		return ts_arena_printf(arena, "%.1f %%", x);
	if (ends(f, "_count"))
		return ts_arena_printf(arena, "%.1f", x);
	return ts_show_rounded(x, arena);
}

static const char *text_of(const struct ts_shape_field *f, struct ts_span text, struct ts_arena *arena)
{
	if (f->show == TS_SHOW_NAME)
		return ts_show_name(text, arena);
	return f->show == TS_SHOW_KERNEL ? ts_show_kernel(text, arena) : ts_show_text(text, arena);
}

static const char *value(const struct ts_shape_field *f, const void *at, struct ts_arena *arena)
{
	switch (f->kind) {
	case TS_SHAPE_F64:
		return real(f, *(const double *)at, arena);
	case TS_SHAPE_U64:
		return count(f, *(const uint64_t *)at, arena);
	case TS_SHAPE_U32:
		return count(f, *(const uint32_t *)at, arena);
	case TS_SHAPE_SIZE:
		return count(f, *(const size_t *)at, arena);
	case TS_SHAPE_I64:
		return whole(f, *(const int64_t *)at, arena);
	case TS_SHAPE_I32:
		return whole(f, *(const int32_t *)at, arena);
	case TS_SHAPE_BOOL:
		return *(const bool *)at ? "yes" : "no";
	case TS_SHAPE_HEX:
		return ts_arena_printf(arena, "%016" PRIx64, *(const uint64_t *)at);
	case TS_SHAPE_TIME:
		return ts_show_time(*(const int64_t *)at, arena);
	case TS_SHAPE_ENUM:
	case TS_SHAPE_WORD:
		return f->words->word(*(const int *)at);
	case TS_SHAPE_BYTES:
	case TS_SHAPE_TEXT:
		return text_of(f, *(const struct ts_span *)at, arena);
	case TS_SHAPE_ID:
		return ts_show_id(at, arena);
	case TS_SHAPE_STRING:
		return text_of(f, ts_span_str(*(const char *const *)at), arena);
	case TS_SHAPE_ONE:
	case TS_SHAPE_PTR:
	case TS_SHAPE_PART:
		break;
	}
	return "";
}

static enum ts_style style_of(enum ts_weight weight)
{
	static const enum ts_style styles[] = {[TS_WEIGHT_PLAIN] = TS_STYLE_PLAIN,
					       [TS_WEIGHT_STRONG] = TS_STYLE_BOLD,
					       [TS_WEIGHT_DIM] = TS_STYLE_DIM,
					       [TS_WEIGHT_ID] = TS_STYLE_YELLOW};

	return styles[weight];
}

static const char *absent(const struct ts_shape_field *f, const void *in)
{
	if (f->absent_of)
		return f->absent_of(in);
	return f->absent ? f->absent : "-";
}

/* A word or a text that there is none of. */
static bool is_none(const struct ts_shape_field *f, const void *at)
{
	if (f->kind == TS_SHAPE_ENUM || f->kind == TS_SHAPE_WORD)
		return !f->words->word(*(const int *)at);
	return f->kind == TS_SHAPE_STRING && !*(const char *const *)at;
}

static void cell(struct ts_view *view, const struct ts_view_source *source, const void *row)
{
	const struct ts_shape_field *f = source->path[source->n - 1];
	const void *in = row;

	for (size_t i = 0; i < source->n; i++) {
		const void *member = ts_shape_member(source->path[i], in);

		if (!member || is_none(source->path[i], member)) {
			ts_view_text(view, style_of(f->weight), absent(i + 1 < source->n && !f->absent ? source->path[i] : f, in));
			return;
		}
		if (i + 1 < source->n)
			in = member;
		else if (source->share)
			ts_view_text(view, style_of(f->weight), ts_show_share(*(const uint64_t *)member, view->whole, view->arena));
		else
			ts_view_text(view, style_of(f->weight), value(f, member, view->arena));
		if (i + 1 == source->n && f->kind == TS_SHAPE_ID && f->weight == TS_WEIGHT_ID && !view->failed)
			view->cells[view->n - 1].to = ts_show_link("r/", member, view->arena);
	}
}

void ts_view_row(struct ts_view *view, const void *row)
{
	for (size_t c = 0; c < view->n_columns; c++)
		if (row && view->sources[c].n)
			cell(view, &view->sources[c], row);
		else
			ts_view_text(view, TS_STYLE_PLAIN, "");
}

void ts_view_rows(struct ts_view *view, const void *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ts_view_row(view, (const uint8_t *)rows + i * view->shape->size);
}

void ts_view_list(struct ts_view *view, const struct ts_shape *shape, const void *answer, const char *list, const char *keys,
		  struct ts_arena *arena)
{
	struct ts_view_source source = {.n = 0};
	bool found = find(shape, ts_span_str(list), &source);
	const void *in = answer;
	const uint8_t *rows;
	size_t n;

	assert(found && source.path[source.n - 1]->list && source.path[source.n - 1]->of);
	for (size_t i = 0; in && i + 1 < source.n; i++)
		in = ts_shape_member(source.path[i], in);
	ts_view_of(view, source.path[source.n - 1]->of, keys, arena);
	if (!in)
		return;
	rows = ts_shape_entries(source.path[source.n - 1], in, &n);
	ts_view_rows(view, rows, n);
}
