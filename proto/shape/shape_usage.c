/* shape_usage.c - the tables of what projects and senders use. */
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

#define TYPE struct ts_project_usage
static const struct ts_shape_field project_rows[] = {
	{"project", "project", TEXT(project, TS_WIRE_WHO_MAX), HEAD("project"), NARROW(8)},
	{"sealed_bytes", "sealed_bytes", U64(sealed_bytes), ABOUT("as stored")},
	{"raw_bytes", "raw_bytes", U64(raw_bytes), ABOUT("before compression")},
	{"names", "name_count", U64(names)},
	{"notes", "note_count", U64(notes)},
	{"sealed_limit", "sealed_limit_bytes", U64(sealed_limit), HAS(has_sealed_limit)},
	{"raw_limit", "raw_limit_bytes", U64(raw_limit), HAS(has_raw_limit)},
	{"names_limit", "name_limit", U64(names_limit), HAS(has_names_limit)},
	{"notes_limit", "note_limit", U64(notes_limit), HAS(has_notes_limit)},
	{"rows_limit", "row_limit", U64(rows_limit), HAS(has_rows_limit), HEAD("rows a run"), DIM, ABSENT("any"), ABOUT("of one run")},
};
const struct ts_shape ts_shape_project = {SHAPE("project_usage", project_usage, project_rows)};
#undef TYPE

#define TYPE struct ts_sender_usage
static const struct ts_shape_field sender_rows[] = {
	{"sender", "sender", TEXT(sender, TS_WIRE_WHO_MAX), HEAD("sent by"), NARROW(8)},
	{"own", "own", BOOL(own)},
	{"unnamed_bytes", "unnamed_bytes", U64(unnamed_bytes), ABOUT("sent, and reached by no name yet")},
	{"unnamed_limit", "unnamed_limit_bytes", U64(unnamed_limit), HAS(has_unnamed_limit)},
};
const struct ts_shape ts_shape_sender = {SHAPE("sender_usage", sender_usage, sender_rows)};
#undef TYPE

#define TYPE struct ts_usage_reply
static const struct ts_shape_field usage_rows[] = {
	{"projects", "projects", MANY(projects, n_projects, ts_shape_project, ENTRIES(4))},
	{"senders", "senders", MANY(senders, n_senders, ts_shape_sender, ENTRIES(4))},
	{"uncounted", "uncounted", BOOL(uncounted), ABOUT("there may be more")},
};
const struct ts_shape ts_shape_usage_reply = {SHAPE("usage", usage_reply, usage_rows)};
#undef TYPE

WIRE_SHAPE(usage_reply, ts_usage_reply, ts_shape_usage_reply);
