/* trace_cells.h - what the tables about a trace share: times, shares, counts, the rows that a table leaves out.
 *
 * Texts lie in the arena of the command. A text that there is no memory for is empty or NULL, which ends the answer with that error.
 */
#ifndef TSCOPE_CLI_TRACE_TRACE_CELLS_H
#define TSCOPE_CLI_TRACE_TRACE_CELLS_H

#include "cli/core/context.h"
#include "cli/text/grid.h"

enum { TS_TRACE_PLACES_SHOWN = 32, TS_TRACE_NAME_BYTES = 1000 };

/* "12.345678 ms": all digits, because what is exact is shown so. */
const char *ts_trace_ms(struct ts_cli *cli, uint64_t ns);
/* "12.3 %", or "-" of nothing. */
const char *ts_trace_percent(struct ts_cli *cli, uint64_t part, uint64_t of);
const char *ts_trace_plural(struct ts_cli *cli, uint64_t n, const char *word);
const char *ts_trace_count(struct ts_cli *cli, uint64_t n);
/* A device or stream; `none` where it is TS_TRACE_NO_DEVICE. */
const char *ts_trace_place(struct ts_cli *cli, int32_t n, const char *none);
/* A stream: "all" in a row over all of them, "unknown" where the trace does not say it. */
const char *ts_trace_stream(struct ts_cli *cli, int32_t n, bool all);
void ts_trace_heading(struct ts_cli *cli, const char *text);
void ts_trace_cell(struct ts_grid *grid, const char *text);
/* A foreign name: whole characters of it, as many as TS_TRACE_NAME_BYTES have. Real names have some hundred, hostile ones millions. */
void ts_trace_name(struct ts_cli *cli, struct ts_grid *grid, struct ts_span name);
/* The name of a kernel without its arguments, and without the words that most names have: void, at::native::, at::detail::, c10:: and
 * (anonymous namespace)::. They would take the room in which names differ. */
void ts_trace_kernel(struct ts_cli *cli, struct ts_grid *grid, struct ts_span name);
/* The first whole characters of a text that `most` bytes have. */
struct ts_span ts_trace_cut(struct ts_span text, size_t most);
/* "and 5 streams; --json has all", if there are more than were shown. */
void ts_trace_more(struct ts_cli *cli, size_t n, size_t shown, const char *what);

#endif
