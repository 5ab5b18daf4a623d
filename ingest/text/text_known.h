/* text_known.h - programs whose lines say too little of themselves to be guessed: a mark by which the log is known, and templates.
 *
 * The table is in text_known.c. A program belongs there if its lines have no names, or none that only trainings measure, and the mark
 * is one that no other text has. To add one, add a row with the place in its source, and a log to test_text_guess.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_KNOWN_H
#define TSCOPE_INGEST_TEXT_TEXT_KNOWN_H

#include "base/span.h"

#include <stddef.h>

enum { TS_TEXT_KNOWN_TEMPLATES = 2 };

struct ts_text_known {
	const char *mark;				/* a text of one of its lines */
	const char *templates[TS_TEXT_KNOWN_TEMPLATES]; /* NULL: none */
};

/* The first row whose mark the line has; NULL: none. */
const struct ts_text_known *ts_text_known_by(struct ts_span line);

#endif
