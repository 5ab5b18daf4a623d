/* json_names.c - docs/schemas/note.schema.json and rm.schema.json. */
#include "cli/json/json_names.h"

#include "proto/shape/shape_rows.h"

#define TYPE struct ts_get_reply
static const struct ts_shape_field notes_rows[] = {
	{NULL, "ref", ONE(ref, ts_shape_ref)},
	{NULL, "notes", MANY(notes, n_notes, ts_shape_note, 0)},
};
const struct ts_shape ts_shape_notes_answer = {JSON_SHAPE("notes_answer", notes_rows)};
#undef TYPE

#define TYPE struct ts_removed
static const struct ts_shape_field removed_rows[] = {
	{NULL, "removed", MANY(refs, n, ts_shape_ref, 0)},
};
const struct ts_shape ts_shape_removed_answer = {JSON_SHAPE("removed_answer", removed_rows)};
#undef TYPE
