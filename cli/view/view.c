/* view.c - the cells of a table: see view.h. */
#include "cli/view/view.h"

#include "base/grow.h"
#include "base/text.h"

#include <assert.h>

void ts_view_init(struct ts_view *view, const struct ts_view_column *columns, size_t n, struct ts_arena *arena)
{
	struct ts_view_column *copy = n <= TS_VIEW_COLUMNS_MAX ? ts_arena_array(arena, n, sizeof *copy) : NULL;

	*view = (struct ts_view){.columns = copy, .n_columns = n, .arena = arena, .failed = !copy};
	if (copy && n)
		memcpy(copy, columns, n * sizeof *copy);
}

/* The cell of a text, which is escaped; false: there is no memory for it. */
static bool cell_of(struct ts_view *view, enum ts_style style, struct ts_span text, struct ts_view_cell *ret)
{
	struct ts_buf safe = TS_BUF_INIT((size_t)8 << 20);
	struct ts_span copy;

	ts_escape(&safe, text);
	copy = ts_arena_span(view->arena, ts_buf_view(&safe));
	view->failed |= safe.failed || !copy.data;
	ts_buf_finish(&safe);
	*ret = (struct ts_view_cell){.text = copy, .width = ts_text_width(copy), .style = style};
	return !view->failed;
}

void ts_view_span(struct ts_view *view, enum ts_style style, struct ts_span text)
{
	struct ts_view_cell cell;

	if (!view->failed && cell_of(view, style, text, &cell) && TS_GROW_IN(view->arena, view->cells, view->cap, view->n + 1, 64))
		view->cells[view->n++] = cell;
	else
		view->failed = true;
}

static size_t column_of(const struct ts_view *view, const char *key)
{
	for (size_t c = 0; c < view->n_columns; c++) {
		const char *own = view->columns[c].key ? view->columns[c].key : view->columns[c].head;

		if (own && strcmp(own, key) == 0)
			return c;
	}
	return view->n_columns;
}

void ts_view_set_span(struct ts_view *view, const char *key, enum ts_style style, struct ts_span text)
{
	size_t c = view->failed ? 0 : column_of(view, key);

	assert(view->failed || (c < view->n_columns && view->n >= view->n_columns));
	if (view->failed || c == view->n_columns || view->n < view->n_columns)
		view->failed = true;
	else
		(void)cell_of(view, style, text, &view->cells[view->n - view->n_columns + c]);
}

void ts_view_set(struct ts_view *view, const char *key, enum ts_style style, const char *text)
{
	if (text)
		ts_view_set_span(view, key, style, ts_span_str(text));
	else
		view->failed = true;
}

void ts_view_lead(struct ts_view *view, const char *key, const char *to)
{
	size_t c = view->failed ? 0 : column_of(view, key);

	assert(view->failed || (c < view->n_columns && view->n >= view->n_columns));
	if (view->failed || !to || c == view->n_columns || view->n < view->n_columns)
		view->failed = true;
	else
		view->cells[view->n - view->n_columns + c].to = to;
}

void ts_view_text(struct ts_view *view, enum ts_style style, const char *text)
{
	if (text)
		ts_view_span(view, style, ts_span_str(text));
	else
		view->failed = true;
}

size_t ts_view_n(const struct ts_view *view)
{
	return view->failed ? 1 : view->n / view->n_columns;
}

bool ts_view_has_heading(const struct ts_view *view)
{
	for (size_t c = 0; c < view->n_columns; c++)
		if (view->columns[c].head && view->columns[c].head[0])
			return true;
	return false;
}
