/* json_reader.h - reads JSON forward, one token at a time, without building a tree.
 *
 * It serves records of a known form (steps.jsonl: 325 MB and more) and small files alike. Tokens point into the input;
 * strings without an escape are given in place, others are unescaped into `scratch`. The reader accepts what Python's
 * json.loads accepts: JSON, and also the bare tokens NaN, Infinity, -Infinity. It refuses invalid UTF-8, control characters
 * in strings, and nesting deeper than TS_JSON_DEPTH; lone surrogates are replaced by U+FFFD.
 *
 *	struct ts_json_reader r;
 *	ts_json_reader_init(&r, text, &scratch);
 *	while (ts_json_next(&r, &token, err) == TS_OK && token.type != TS_JSON_EOF) ...
 *
 * After one complete value at depth 0 the next token is TS_JSON_EOF if only white space is left. Otherwise the reader starts
 * again at the next value (several records on one line), and r.at is its position. A text without any value gives
 * TS_JSON_EOF at once. An error names the byte offset from the start of the text, and what was expected. No token can be
 * read after an error.
 */
#ifndef TSCOPE_BASE_JSON_READER_H
#define TSCOPE_BASE_JSON_READER_H

#include "base/buf.h"
#include "base/limits.h"

enum ts_json_type {
	TS_JSON_EOF,
	TS_JSON_OBJECT, /* { */
	TS_JSON_ARRAY,	/* [ */
	TS_JSON_END,	/* } or ] */
	TS_JSON_KEY,	/* text */
	TS_JSON_STRING, /* text */
	TS_JSON_NUMBER, /* number, integer, raw */
	TS_JSON_TRUE,
	TS_JSON_FALSE,
	TS_JSON_NULL,
};

struct ts_json_token {
	enum ts_json_type type;
	struct ts_span text; /* KEY, STRING: unescaped; valid until the next call */
	struct ts_span raw;  /* NUMBER: its text in the input */
	double number;	     /* NUMBER, with NaN and the infinities */
	bool integer;	     /* NUMBER: it has neither fraction nor exponent */
	size_t at;	     /* byte offset of the first byte of the token */
};

struct ts_json_reader {
	struct ts_span in;
	size_t at;
	struct ts_buf *scratch;
	int depth;
	bool in_array[TS_JSON_DEPTH];
	bool need_value; /* a key was read, so a value must follow */
	bool any;	 /* the innermost container already has an element */
};

void ts_json_reader_init(struct ts_json_reader *r, struct ts_span in, struct ts_buf *scratch);
enum ts_status ts_json_next(struct ts_json_reader *r, struct ts_json_token *ret_token, struct ts_error *err);
/* Skips the next value (or the rest of the container whose first token was just read; or a key and its value if a key comes
 * next). The skipped text is checked as if it were read. ret_raw, if not NULL, is the value's text in the input. */
enum ts_status ts_json_skip(struct ts_json_reader *r, struct ts_span *ret_raw, struct ts_error *err);

#endif
