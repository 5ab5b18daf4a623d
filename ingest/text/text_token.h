/* text_token.h - cuts a line of a text log into words, numbers with their units, fractions, durations and marks.
 *
 *	loss  train/loss  Acc@1  mAP50(B)	WORD
 *	2.5  1,234  -inf  nan  20.57GiB  12.3% 1.2s/it	NUMBER, and its unit, also one behind a space ("8.1 GB")
 *	3epoch  1-682batch  [1-682]		NUMBER (3, 682), whose unit is the name of an axis; or in brackets
 *	12/400  [ 8/  60]  1.0it/100.0it  [1 of 5]  step 1 of 5	FRACTION (of whole numbers)
 *	0:10:00  1 day, 2:03:04  8h 7m 49s  39 m, 57 s	DURATION
 *	2026-11-28 14:00:00,123  10/30 22:08:29  0x7f  1.2.3  5th	OTHER; and glog's "I0811 21:54:55.531340"
 *	anything else, a run of one character	MARK
 *
 * Tokens point into the line. Takes time in proportion to the line. What does not fit is left out, and `full` says so.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_TOKEN_H
#define TSCOPE_INGEST_TEXT_TEXT_TOKEN_H

#include "base/span.h"

enum { TS_TEXT_TOKENS = 512 };

enum ts_text_token_kind { TS_TEXT_WORD, TS_TEXT_NUMBER, TS_TEXT_FRACTION, TS_TEXT_DURATION, TS_TEXT_OTHER, TS_TEXT_MARK };

struct ts_text_token {
	enum ts_text_token_kind kind;
	uint8_t mark;	      /* of a MARK; bytes above 127 and runs of three or more are '~' */
	uint8_t gap;	      /* spaces before it: 0, 1, or 2 for more and for a tab */
	size_t at, end;	      /* its bytes in the line, with its unit */
	struct ts_span text;  /* of a NUMBER without its unit; of a FRACTION the first number */
	struct ts_span unit;  /* of a NUMBER; may be empty */
	struct ts_span whole; /* of a FRACTION the second number; of "1-682batch" the first */
};

struct ts_text_tokens {
	struct ts_text_token items[TS_TEXT_TOKENS];
	size_t n;
	bool full;
};

void ts_text_tokenize(struct ts_span line, struct ts_text_tokens *ret_tokens);
/* The bytes of the duration that text begins with, and its seconds; 0: it begins with none. "12:30" is one, "12" is none. */
size_t ts_text_duration(struct ts_span text, double *ret_seconds);
/* Whether the word, in either case, is in the list, which is in lower case and ends with NULL. */
bool ts_text_word_among(struct ts_span word, const char *const *list);
/* The bytes of the unit that text begins with, such as "ms", "GiB", "%", "s/it"; 0: it begins with none that is known. */
size_t ts_text_unit(struct ts_span text);

#endif
