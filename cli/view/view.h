/* view.h - one table for people: rows of cells under headings, drawn as text or as HTML.
 *
 * A column is a row of a shape (proto/shape/shape.h), where its heading and alignment stand beside the JSON name and the unit:
 *
 *	ts_view_of(&view, &ts_shape_idle, "device stream gap_count idle_ns", &arena);
 *	ts_view_rows(&view, answer->idle, answer->n_idle);
 *	ts_view_print(&view, &term, 2, &out, err);
 *
 * The keys of the columns are in the order in which people see them. "own.sum_ns" is a member of a struct within, and "own" all members
 * of it that have a heading; "sum_ns%" is the share that a member has of view.whole. NULL: all rows of the shape that have a heading.
 * A cell that several members make has a column of its own, and is set by its key; such a column may also give a column of the shape
 * another heading:
 *
 *	static const struct ts_view_column made[] = {TS_RIGHT("share")};
 *
 *	ts_view_with(&view, &ts_shape_kernel_sum, "sum_ns share count", TS_VIEW_COLUMNS(made), &arena);
 *	for (size_t i = 0; i < n; i++) {
 *		ts_view_row(&view, &sums[i]);
 *		ts_view_set(&view, "share", TS_STYLE_PLAIN, percent(sums[i].sum_ns, all));
 *	}
 *
 * Rows that no shape describes have columns of their own alone (ts_view_init, or ts_view_with without a shape where some of them are
 * shown), and cells that are set by their keys, too. A table whose columns are known when it is drawn adds cells one after another,
 * in the order of its columns (ts_view_text).
 *
 * Every cell is escaped when it is added, since names of runs are foreign text. Columns and cells are copied to the arena. Running out
 * of memory is remembered, and reported by ts_view_print.
 *
 * As text: if the rows are wider than the terminal, the columns that may shrink do so, the widest first, down to their least width (a
 * cut text ends in "…"; a line of a file, such as "lab/net.py:54", begins with it instead, and a name has it in its middle). If that
 * is not enough, the columns on the right continue on further lines, indented, and columns shrink only as far as their own line
 * needs; cells that are empty take no further line. No column is left out, and no line is wider than the terminal unless a single word
 * is. Without a width (pipe, file) nothing is cut.
 */
#ifndef TSCOPE_CLI_VIEW_VIEW_H
#define TSCOPE_CLI_VIEW_VIEW_H

#include "base/arena.h"
#include "cli/core/term.h"
#include "proto/shape/shape.h"

enum { TS_VIEW_COLUMNS_MAX = 72 };

struct ts_view_column {
	const char *head; /* NULL or "" in every column: the table has no heading */
	enum ts_align align;
	int least;	 /* the column may shrink to this width; 0 = it never shrinks */
	const char *key; /* NULL: the heading */
};

/* A column of text, which may shrink to this width, and one of numbers. */
#define TS_LEFT(head_, least_)                                                                                                         \
	{                                                                                                                              \
		.head = (head_), .align = TS_ALIGN_LEFT, .least = (least_)                                                             \
	}
#define TS_RIGHT(head_)                                                                                                                \
	{                                                                                                                              \
		.head = (head_), .align = TS_ALIGN_RIGHT                                                                               \
	}
#define TS_NAMED(head_, least_)                                                                                                        \
	{                                                                                                                              \
		.head = (head_), .align = TS_ALIGN_NAME, .least = (least_)                                                             \
	}

struct ts_view_cell {
	struct ts_span text;
	int width;
	enum ts_style style;
	const char *to; /* the address that it leads to on a page that is served, below its project: "r/9f2c"; NULL: none */
};

struct ts_view_source; /* where the value of a column lies in a struct */

struct ts_view {
	const struct ts_view_column *columns;
	const struct ts_shape *shape;	      /* of the structs that are its rows; NULL: it has none */
	const struct ts_view_source *sources; /* of each column, if it has */
	size_t n_columns;
	struct ts_arena *arena;
	struct ts_view_cell *cells; /* row by row */
	size_t n, cap;
	uint64_t whole; /* of which columns have the shares */
	size_t more;	/* rows that a report left out */
	bool counted;	/* more is of what no option shows: it is said without one */
	bool mono;	/* fixed-width: values of the last column stand below each other, with a mark where they differ */
	bool indented;	/* on a narrow terminal the first cell has a line of its own, and the rest stands below it */
	bool failed;
};

/* An array of columns and how many it has. */
#define TS_VIEW_COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])

void ts_view_init(struct ts_view *view, const struct ts_view_column *columns, size_t n, struct ts_arena *arena);
void ts_view_of(struct ts_view *view, const struct ts_shape *shape, const char *keys, struct ts_arena *arena);
void ts_view_with(struct ts_view *view, const struct ts_shape *shape, const char *keys, const struct ts_view_column *made, size_t n,
		  struct ts_arena *arena);

/* The whole table of a list of the answer, by its key there: "entries", "host.launches". */
void ts_view_list(struct ts_view *view, const struct ts_shape *shape, const void *answer, const char *list, const char *keys,
		  struct ts_arena *arena);

/* Adds the rows of n structs of the shape, which lie behind each other. */
void ts_view_rows(struct ts_view *view, const void *rows, size_t n);
/* Adds the row of one struct of the shape; NULL: a row of empty cells. */
void ts_view_row(struct ts_view *view, const void *row);
/* Sets a cell of the last row. text NULL: the caller ran out of memory. */
void ts_view_set(struct ts_view *view, const char *key, enum ts_style style, const char *text);
void ts_view_set_span(struct ts_view *view, const char *key, enum ts_style style, struct ts_span text);
/* Has a cell of the last row lead to a page of the project (struct ts_view_cell). NULL: the caller ran out of memory. */
void ts_view_lead(struct ts_view *view, const char *key, const char *to);
/* Adds one cell. */
void ts_view_span(struct ts_view *view, enum ts_style style, struct ts_span text);
void ts_view_text(struct ts_view *view, enum ts_style style, const char *text);
/* How many rows there are. One that lacked memory has some, so that it is printed, which says so. */
size_t ts_view_n(const struct ts_view *view);
bool ts_view_has_heading(const struct ts_view *view);

/* Draws the table as text, each line indented; on a page (term.page) as HTML. */
enum ts_status ts_view_print(const struct ts_view *view, const struct ts_term *term, int indent, struct ts_buf *out,
			     struct ts_error *err);
/* Whether every row fits on one line when columns may shrink. */
bool ts_view_fits(const struct ts_view *view, const struct ts_term *term, int indent);
/* links: struct ts_term. */
void ts_view_html(const struct ts_view *view, const char *links, struct ts_buf *out);

/* Returns text if it fits width columns, else as much of it as fits with "…" after it, in the arena. */
struct ts_span ts_text_cut(struct ts_span text, int width, struct ts_arena *arena);

#endif
