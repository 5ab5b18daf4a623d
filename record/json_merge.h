/* json_merge.h - JSON objects as text: checks them, and lays one over another without a tree.
 *
 * Takes what json.dumps writes: JSON and also the bare tokens NaN, Infinity and -Infinity. Nothing is deeper than
 * TS_JSON_DEPTH or longer than TS_JSON_LIMIT bytes. Keys are compared as they are spelled: "a" and
 * "\u0061" are two, and readers take the last.
 */
#ifndef TSCOPE_RECORD_JSON_MERGE_H
#define TSCOPE_RECORD_JSON_MERGE_H

#include <stdbool.h>
#include <stddef.h>

enum { TS_JSON_DEPTH = 64, TS_JSON_LIMIT = 2 << 20 };

/* Returns whether the text is one JSON object in UTF-8 with white space around it at most; if not, *ret_at is the byte that is
 * wrong. */
bool ts_record_json_check(const char *text, size_t len, size_t *ret_at);
/* Returns `over` laid over `under`, both checked: objects are joined key by key, any other value is replaced. In memory for free();
 * NULL if there is none, or if it comes to more than twice the limit. */
char *ts_record_json_merge(const char *under, size_t under_len, const char *over, size_t over_len, size_t *ret_len);

#endif
