/* text_columns.h - the template that would read a text of numbers alone, to which nobody gave names.
 *
 *	0 4.1312 0.001		'{step} {value_1} {value_2}'
 *	0;4.1312		'{step};{value_1}'
 *	epoch1 4.1312		'epoch{step} {value_1}'
 *	4.1312			'{value_1}'
 *
 * Of the first lines, TS_TEXT_COLUMNS_LINES in TS_TEXT_GUESS_BYTES, nine in ten have to be as many numbers. The first of several is the
 * step if it is a whole number that rises from line to line. Such a text is read by no guess: what its numbers are, only its owner
 * knows.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_COLUMNS_H
#define TSCOPE_INGEST_TEXT_TEXT_COLUMNS_H

#include "base/arena.h"

enum { TS_TEXT_COLUMNS_LINES = 100, TS_TEXT_COLUMNS_LEAST = 5, TS_TEXT_COLUMNS_MOST = 8 };

/* NULL: the text is none of numbers, cannot be read, or the arena is full. */
const char *ts_text_columns(const char *top, const char *path, struct ts_arena *arena);

#endif
