/* text_alike.h - the template of the lines of a text that are alike but for their numbers, where nothing is sure of them.
 *
 *	[40 | 12.5] loss=2.50 avg=2.61		'[{step} | {value_1}] loss={loss} avg={avg}'
 *	0 10 loss - 5.25			'{epoch} {step} loss - {loss}'
 *	Alpha: 0.025 Progress: 0.2%		'Alpha: {Alpha} Progress: {Progress}%'
 *	INFO [2.45, 30.1, 200, 0.0002]		'INFO [{value_1}, {value_2}, {step}, {value_3}]'
 *
 * Of the first TS_TEXT_ALIKE_LINES lines that are not empty, in the first TS_TEXT_GUESS_BYTES (text_guess.h), five or more have to be
 * alike, with a number that has decimals. A whole number that rises from line to line is the step; one that begins again whenever
 * another rises is the step of that epoch. A number is named by the word before it. The template is for a message: what it takes is not
 * known to be of a training, and it fits the lines that it was made of.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_ALIKE_H
#define TSCOPE_INGEST_TEXT_TEXT_ALIKE_H

#include "base/arena.h"

#include <stdbool.h>

enum { TS_TEXT_ALIKE_LINES = 2000, TS_TEXT_ALIKE_KINDS = 64, TS_TEXT_ALIKE_NUMBERS = 24, TS_TEXT_ALIKE_BYTES = 512 };

struct ts_text_alike {
	const char *template; /* in the arena */
	bool step;	      /* it has a step */
	size_t decimals;      /* numbers that have decimals, in a line */
};

/* False: there are no such lines, the text cannot be read, or the arena is full. */
bool ts_text_alike(const char *top, const char *path, struct ts_arena *arena, struct ts_text_alike *ret);

#endif
