/* json_find.h - finds members of small JSON objects, as text: for files of other tools of which a few members are wanted. */
#ifndef TSCOPE_INGEST_FORMATS_JSON_FIND_H
#define TSCOPE_INGEST_FORMATS_JSON_FIND_H

#include "base/arena.h"
#include "base/json_reader.h"

/* The text of object's member key; empty if object is no object or has no such member. Fails with TS_INVALID if it is not JSON. */
enum ts_status ts_json_find(struct ts_span object, const char *key, struct ts_buf *scratch, struct ts_span *ret_value,
			    struct ts_error *err);
/* What a string of JSON says; empty for any other JSON. It lies in the arena. */
enum ts_status ts_json_said(struct ts_span value, struct ts_arena *arena, struct ts_buf *scratch, struct ts_span *ret_text,
			    struct ts_error *err);

#endif
