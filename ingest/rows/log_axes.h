/* log_axes.h - the names by which logs call the step of a training: one table for all readers.
 *
 * Letters of either case; '-', '/', '.' and a space count as '_', as in log_names.h. A reader that has to choose takes the name of the
 * least rank whose values are whole numbers. To add a name, add a row to log_axes.c, and to docs/importers.md.
 */
#ifndef TSCOPE_INGEST_ROWS_LOG_AXES_H
#define TSCOPE_INGEST_ROWS_LOG_AXES_H

#include "base/span.h"

enum { TS_LOG_AXIS_NONE = 64 }; /* a rank above all others */

/* How certain it is that a series of that name counts the steps: 0 is the most certain. TS_LOG_AXIS_NONE: it is no such name. */
size_t ts_log_axis_rank(struct ts_span name);
/* Whether the name alone shows that a file is the log of a training: "iteration" does, "batch" does not. */
bool ts_log_axis_tells(struct ts_span name);
/* The same by the name's rank. */
bool ts_log_rank_tells(size_t rank);
/* Whether such a series counts the steps of the whole training where the tool has a step of its own, which counts its records. */
bool ts_log_axis_is_global(struct ts_span name);
/* Splits "601/2161", a step and how many there will be: spaces may stand beside the slash. Returns the length of the first number, 0:
 * the text is no such fraction of two whole numbers. */
size_t ts_log_fraction(struct ts_span text);

#endif
