/* json_names.h - the answers of note and rm as JSON; those of name, tag and log are messages, whose tables are in proto/shape. */
#ifndef TSCOPE_CLI_JSON_JSON_NAMES_H
#define TSCOPE_CLI_JSON_JSON_NAMES_H

#include "proto/shape/shape.h"
#include "proto/wire.h"

struct ts_removed {
	const struct ts_ref *refs;
	size_t n;
};

extern const struct ts_shape ts_shape_notes_answer;   /* of a ts_get_reply: its ref and its notes */
extern const struct ts_shape ts_shape_removed_answer; /* of a ts_removed */

#endif
