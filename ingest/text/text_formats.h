/* text_formats.h - the table of the lines that training programs print, and what one line says.
 *
 * To add a program, add its format and a row for each kind of its lines to text_formats.c, with the place in its source that prints
 * them, and a log that it wrote to tests/golden/text.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_FORMATS_H
#define TSCOPE_INGEST_TEXT_TEXT_FORMATS_H

#include "ingest/text/text_bar.h"
#include "ingest/text/text_record.h"

enum { TS_TEXT_LINE_MAX = 8192 }; /* a longer line is none of a step */

/* The first row has the highest rank if a log has equally many lines of two formats. */
enum ts_text_format {
	TS_TEXT_MEGATRON,
	TS_TEXT_NEMO,
	TS_TEXT_TORCHTITAN,
	TS_TEXT_FAIRSEQ,
	TS_TEXT_HUGGINGFACE,
	TS_TEXT_BAR,
	TS_TEXT_FORMATS,
	TS_TEXT_TEMPLATE = TS_TEXT_FORMATS, /* the caller's templates, which no table has */
	TS_TEXT_NONE,
};

/* "Megatron-LM log" */
const char *ts_text_format_name(enum ts_text_format format);
/* How many significant digits its numbers have; 0: it does not round them so. quoted: they stand in quotes. */
int ts_text_format_significant(enum ts_text_format format, bool quoted);
/* Whether the losses of its lines are means over the steps since the line before. */
bool ts_text_format_means(enum ts_text_format format);

/* What kind of line text is, and its names and values. bar, and only that, is set if it is a progress bar, of whatever format: with
 * pairs it is TS_TEXT_BAR, without them TS_TEXT_NONE. The record's spans point into text. */
enum ts_text_format ts_text_recognize(struct ts_span text, struct ts_text_record *r, struct ts_text_bar *bar, bool *ret_is_bar);

#endif
