/* grid.h - rows and columns of text that fit the terminal.
 *
 *	struct ts_grid grid;
 *	ts_grid_init(&grid, columns, n, &arena);
 *	ts_grid_text(&grid, TS_STYLE_PLAIN, "exp1");	cell by cell; a row is complete after n cells
 *	ts_grid_print(&grid, &term, 0, &out);
 *
 * Every cell is escaped when it is added: what runs call themselves is foreign. Where the rows are wider than the
 * terminal, columns that may shrink do, the widest first, down to their least width (what is cut ends in "…"); if that
 * is not enough, the columns on the right continue on lines of their own, indented. Nothing is left out, and no line
 * is wider than the terminal unless one word is. Without a width (pipe, file) nothing is cut. Running out of memory is
 * remembered and reported by ts_grid_print.
 */
#ifndef TSCOPE_CLI_TEXT_GRID_H
#define TSCOPE_CLI_TEXT_GRID_H

#include "base/arena.h"
#include "cli/core/term.h"

enum ts_align { TS_ALIGN_LEFT, TS_ALIGN_RIGHT };

enum { TS_GRID_COLUMNS = 72 };

struct ts_grid_column {
	const char *head; /* NULL or "" in all of them: no heading line */
	enum ts_align align;
	int least;	  /* may shrink to this width; 0 = never shrinks */
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
void ts_grid_text(struct ts_grid *grid, enum ts_style style, const char *text); /* NULL: out of memory was met */
size_t ts_grid_rows(const struct ts_grid *grid);
/* Would every row stand on one line, if columns may shrink? */
bool ts_grid_fits(const struct ts_grid *grid, const struct ts_term *term, int indent);
enum ts_status ts_grid_print(const struct ts_grid *grid, const struct ts_term *term, int indent, struct ts_buf *out,
			     struct ts_error *err);

/* The part of text that fits width columns, with "…" where it was cut; in the arena if cut. */
struct ts_span ts_text_cut(struct ts_span text, int width, struct ts_arena *arena);

#endif
