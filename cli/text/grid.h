/* grid.h - rows and columns of text that fit the terminal.
 *
 *	struct ts_grid grid;
 *	ts_grid_init(&grid, columns, n, &arena);
 *	ts_grid_text(&grid, TS_STYLE_PLAIN, "exp1");	cell by cell; a row is complete after n cells
 *	ts_grid_print(&grid, &term, 0, &out);
 *
 * Every cell is escaped when it is added, since names of runs are foreign text. If the rows are wider than the terminal, the columns
 * that may shrink do so, the widest first, down to their least width (a cut text ends in "…"; a line of a file, such as
 * "lab/net.py:54", begins with it instead, and a name has it in its middle). If that is not enough, the columns on the right continue
 * on further lines, indented, and columns shrink only as far as their own line needs; cells that are empty take no further line. No
 * column is left out, and no line is wider than the terminal unless a single word is. Without a width (pipe, file) nothing is cut.
 * Running out of memory is remembered and reported by ts_grid_print.
 */
#ifndef TSCOPE_CLI_TEXT_GRID_H
#define TSCOPE_CLI_TEXT_GRID_H

#include "base/arena.h"
#include "cli/core/term.h"

enum ts_align {
	TS_ALIGN_LEFT,
	TS_ALIGN_RIGHT,
	TS_ALIGN_NAME, /* left; a text that is cut keeps its begin and its end, as a name needs it */
};

enum { TS_GRID_COLUMNS = 72 };

struct ts_grid_column {
	const char *head; /* NULL or "" in every column: the grid has no heading line */
	enum ts_align align;
	int least;	  /* the column may shrink to this width; 0 = it never shrinks */
};

struct ts_grid_cell {
	struct ts_span text;
	int width;
	enum ts_style style;
};

struct ts_grid {
	const struct ts_grid_column *columns;
	size_t n_columns;
	struct ts_arena *arena;
	struct ts_grid_cell *cells; /* row by row */
	size_t n, cap;
	bool failed;
};

void ts_grid_init(struct ts_grid *grid, const struct ts_grid_column *columns, size_t n, struct ts_arena *arena);
void ts_grid_span(struct ts_grid *grid, enum ts_style style, struct ts_span text);
void ts_grid_text(struct ts_grid *grid, enum ts_style style, const char *text); /* text NULL: the caller ran out of memory */
size_t ts_grid_rows(const struct ts_grid *grid);
bool ts_grid_has_heading(const struct ts_grid *grid);
/* Whether every row fits on one line when columns may shrink. */
bool ts_grid_fits(const struct ts_grid *grid, const struct ts_term *term, int indent);
enum ts_status ts_grid_print(const struct ts_grid *grid, const struct ts_term *term, int indent, struct ts_buf *out,
			     struct ts_error *err);

/* Returns text if it fits width columns, else as much of it as fits with "…" after it, in the arena. */
struct ts_span ts_text_cut(struct ts_span text, int width, struct ts_arena *arena);

#endif
