/* trace_cells.h - what the tables about a trace share: times, shares, counts, the rows that a table leaves out.
 *
 * Texts lie in the arena of the command. A text that there is no memory for is empty or NULL, which ends the answer with that error.
 */
#ifndef TSCOPE_CLI_TRACE_TRACE_CELLS_H
#define TSCOPE_CLI_TRACE_TRACE_CELLS_H

#include "cli/core/context.h"
#include "cli/view/show_name.h"
#include "cli/view/view.h"

enum { TS_TRACE_PLACES_SHOWN = 32 };

/* "12.345678 ms": all digits, because what is exact is shown so. */
const char *ts_trace_ms(struct ts_cli *cli, uint64_t ns);
/* "12.3 %", or "-" of nothing. */
const char *ts_trace_percent(struct ts_cli *cli, uint64_t part, uint64_t of);
const char *ts_trace_plural(struct ts_cli *cli, uint64_t n, const char *word);
const char *ts_trace_count(struct ts_cli *cli, uint64_t n);
/* A device or stream; `none` where it is TS_TRACE_NO_DEVICE. */
const char *ts_trace_place(struct ts_cli *cli, int32_t n, const char *none);
void ts_trace_heading(struct ts_cli *cli, const char *text);
/* A table of the first rows, and how many there are besides: each is a what. keys and shape as ts_view_of has them; whole: of which
 * columns have the shares. */
struct ts_first_rows {
	const struct ts_shape *shape;
	const char *keys;
	const void *rows;
	size_t n, most;
	const char *what;
	uint64_t whole;
};
enum ts_status ts_trace_table(struct ts_cli *cli, const struct ts_first_rows *rows, struct ts_error *err);
/* Prints a table of a trace. */
enum ts_status ts_trace_print(struct ts_cli *cli, const struct ts_view *view, struct ts_error *err);
/* "and 5 streams; --json has all", if there are more than were shown. */
void ts_trace_more(struct ts_cli *cli, size_t n, size_t shown, const char *what);

#endif
