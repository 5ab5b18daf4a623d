/* text_table.h - tables that a training prints: a line of names, one of which is a step or an epoch, and lines of as many numbers.
 *
 *	epoch  train_loss  valid_loss		| Iteration | Loss   | Elapsed Time |		Epoch   GPU_mem   box_loss  Size
 *	0      1.0979      1.561092		| 1         | 5.2557 | 1.36s        |		1/100     1.18G      1.287   640: 100%
 *
 * Names are parted by two spaces or more, by a tab, by '|' or by commas, or by one space if the first is that of a step and another
 * measures; numbers by any spaces, or as the names are. In front may stand a fraction, and behind the last number a colon with
 * anything. "#" is a step and "E" an epoch, as spaCy has them; before the name of a step, "#" marks a comment. Between tabs, the step
 * may lack.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_TABLE_H
#define TSCOPE_INGEST_TEXT_TEXT_TABLE_H

#include "base/span.h"

#include <stdint.h>

enum { TS_TEXT_TABLE_COLUMNS = 24, TS_TEXT_TABLE_NAME = 40 };

enum ts_text_table_form { TS_TEXT_TABLE_SPACES, TS_TEXT_TABLE_PIPES, TS_TEXT_TABLE_COMMAS };

struct ts_text_table {
	char names[TS_TEXT_TABLE_COLUMNS][TS_TEXT_TABLE_NAME];
	size_t n; /* 0: no header yet */
	enum ts_text_table_form form;
	bool measures; /* a name is of what trainings measure */
	size_t step;   /* the column of the step, or else of the epoch; n: there is none */
};

/* Whether the line is a header, which the table then has. */
bool ts_text_table_header(struct ts_text_table *t, struct ts_span line);
/* Whether the line is a row: its step, and the template (text_pattern.h) of such lines in out. */
bool ts_text_table_row(const struct ts_text_table *t, struct ts_span line, int64_t *ret_step, char *out, size_t size);
/* The same of a table of an evaluation by classes, which begins with "Class" and has no step: "Class  Images  P  R  mAP50". *ret_all:
 * whether the row is that of all classes, whose template is in out. */
bool ts_text_table_classes(struct ts_text_table *t, struct ts_span line);
bool ts_text_table_class(const struct ts_text_table *t, struct ts_span line, bool *ret_all, char *out, size_t size);

#endif
