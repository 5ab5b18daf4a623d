/* json_writer.h - writes JSON forward into a buffer.
 *
 *	struct ts_json j = ts_json_of(&buf);
 *	ts_json_object(&j);
 *	ts_json_key(&j, "name"); ts_json_string(&j, name);
 *	ts_json_end(&j);
 *
 * The output is compact ("," and ":" without spaces) unless indent is set. The writer puts the commas. Wrong nesting is a
 * bug and asserted. Non-finite doubles are written as the strings "NaN", "Infinity", "-Infinity"; integers of more than 2^53
 * in size are decimal strings too; u64 digests are strings of 16 hex digits. Bytes that are not UTF-8 become U+FFFD. The
 * buffer remembers a failure.
 */
#ifndef TSCOPE_BASE_JSON_WRITER_H
#define TSCOPE_BASE_JSON_WRITER_H

#include "base/buf.h"

enum { TS_JSON_NEST = 128 };

struct ts_json {
	struct ts_buf *buf;
	int depth;
	int indent;		   /* spaces for each level; 0: compact */
	bool shown;		   /* what ts_escape (base/text.h) would change is \uNNNN; else only what JSON demands */
	bool python;		   /* write non-finite numbers as the bare tokens that pytscope writes */
	bool any[TS_JSON_NEST];	   /* something was written at this depth */
	char close[TS_JSON_NEST];
	bool after_key;
};

struct ts_json ts_json_of(struct ts_buf *buf);
void ts_json_object(struct ts_json *j);
void ts_json_array(struct ts_json *j);
void ts_json_end(struct ts_json *j); /* closes the innermost object or array */
void ts_json_key(struct ts_json *j, const char *key);
void ts_json_key_span(struct ts_json *j, struct ts_span key);
void ts_json_null(struct ts_json *j);
void ts_json_bool(struct ts_json *j, bool value);
void ts_json_i64(struct ts_json *j, int64_t value);
void ts_json_u64(struct ts_json *j, uint64_t value);
void ts_json_hex64(struct ts_json *j, uint64_t value);
void ts_json_double(struct ts_json *j, double value);
void ts_json_string(struct ts_json *j, const char *text); /* NULL writes null */
void ts_json_span(struct ts_json *j, struct ts_span text);
/* Writes JSON that is already text, without checking it. */
void ts_json_raw(struct ts_json *j, struct ts_span json);

#endif
