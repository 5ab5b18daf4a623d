/* json_reader.h - JSON, read forward, one token at a time, without building a tree.
 *
 * For records of a known outline (steps.jsonl: 325 MB and more) and for small files alike. The reader points into the
 * input; strings that hold no escape are given as they lie there, others are unescaped into `scratch`. It accepts what
 * Python's json.loads accepts: besides JSON the bare tokens NaN, Infinity, -Infinity. It refuses invalid UTF-8, control
 * characters in strings, and nesting deeper than TS_JSON_DEPTH; lone surrogates are replaced by U+FFFD.
 *
 *	struct ts_json_reader r;
 *	ts_json_reader_init(&r, text, &scratch);
 *	while (ts_json_next(&r, &token, err) == TS_OK && token.type != TS_JSON_EOF) ...
 *
 * After one complete value at depth 0 the next token is TS_JSON_EOF if only white space is left; otherwise the reader
 * starts over at the next value (records glued onto one line), and r.at says where. A text without any value gives
 * TS_JSON_EOF at once. An error names the byte offset from the start of the text, and what was expected. Errors are
 * final.
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
	struct ts_span raw;  /* NUMBER: as it stands in the input */
	double number;	     /* NUMBER, also NaN and the infinities */
	bool integer;	     /* NUMBER without fraction and exponent */
	size_t at;	     /* byte offset of its first byte */
};

struct ts_json_reader {
	struct ts_span in;
	size_t at;
	struct ts_buf *scratch;
	int depth;
	bool in_array[TS_JSON_DEPTH];
	bool need_value; /* after a key */
	bool any;	 /* something stands in the innermost container already */
};

void ts_json_reader_init(struct ts_json_reader *r, struct ts_span in, struct ts_buf *scratch);
enum ts_status ts_json_next(struct ts_json_reader *r, struct ts_json_token *ret_token, struct ts_error *err);
/* Skips the value that comes next (or the rest of the container if its first token was just read; or a key and its
 * value where a key comes next). It is checked as if it were read. ret_raw, if not NULL, is the value's text in the
 * input. */
enum ts_status ts_json_skip(struct ts_json_reader *r, struct ts_span *ret_raw, struct ts_error *err);

#endif
