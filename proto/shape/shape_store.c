/* shape_store.c - the tables of the messages about a store: what it is, which objects it lacks, verification and garbage collection.
 * The objects themselves are not copied, and proto/wire_sealed.c serializes them. */
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

#define TYPE struct ts_info_reply
static const struct ts_shape_field info_rows[] = {
	{"version", NULL, TEXT(version, TS_NAME_MAX)},
	{"format_version", NULL, U32(format_version)},
	{"store", NULL, TEXT(store, TS_WIRE_TEXT_MAX)},
	{"started_ns", NULL, I64(started_ns)},
	{"read_only", NULL, BOOL(read_only)},
	{"objects", NULL, U64(stats.objects)},
	{"stored_bytes", NULL, U64(stats.stored_bytes)},
	{"file_bytes", NULL, U64(stats.file_bytes)},
	{"refs", NULL, U64(stats.refs)},
	{"who", NULL, TEXT(who, TS_NAME_MAX)},
	{"may", NULL, TEXT(may, TS_WIRE_TEXT_MAX)},
	{"token_expires_ns", NULL, I64(token_expires_ns)},
	{"leader", NULL, TEXT(copy.of, TS_WIRE_TEXT_MAX)},
	{"held_ns", NULL, I64(copy.held_ns)},
	{"capabilities", NULL, TEXT(capabilities, TS_WIRE_TEXT_MAX)},
};
const struct ts_shape ts_shape_info_reply = {SHAPE("info_reply", server_info_reply, info_rows)};
#undef TYPE

WIRE_SHAPE(info_reply, ts_info_reply, ts_shape_info_reply);

#define TYPE struct ts_has_request
static const struct ts_shape_field ids_rows[] = {
	{"ids", NULL, LIST(ID, ids, n, TS_IDS_MAX)},
};
const struct ts_shape ts_shape_has_request = {SHAPE("has_request", has_objects_request, ids_rows)};
#undef TYPE

WIRE_SHAPE(has_request, ts_has_request, ts_shape_has_request);

#define TYPE struct ts_objects_request
static const struct ts_shape_field wanted_rows[] = {
	{"ids", NULL, LIST(ID, ids, n, TS_IDS_MAX)},
	{"heads", NULL, LIST(ID, heads, n_heads, TS_WIRE_HEADS_MAX)},
	{"codecs", NULL, U32(codecs)},
};
const struct ts_shape ts_shape_objects_request = {SHAPE("objects_request", get_objects_request, wanted_rows)};
#undef TYPE

WIRE_SHAPE(objects_request, ts_objects_request, ts_shape_objects_request);

#define TYPE struct ts_has_reply
static const struct ts_shape_field missing_rows[] = {
	{"missing", NULL, LIST(ID, missing, n, TS_IDS_MAX)},
};
const struct ts_shape ts_shape_has_reply = {SHAPE("has_reply", has_objects_reply, missing_rows)};
#undef TYPE

WIRE_SHAPE(has_reply, ts_has_reply, ts_shape_has_reply);

#define TYPE struct ts_put_stats
static const struct ts_shape_field put_rows[] = {
	{"objects", NULL, U64(objects)},
	{"new_objects", NULL, U64(new_objects)},
	{"new_bytes", NULL, U64(new_bytes)},
};
const struct ts_shape ts_shape_put_reply = {SHAPE("put_reply", put_objects_reply, put_rows)};
#undef TYPE

WIRE_SHAPE(put_reply, ts_put_stats, ts_shape_put_reply);

#define TYPE struct ts_verify_request
static const struct ts_shape_field verify_request_rows[] = {
	{"only_new", NULL, BOOL(only_new)},
};
const struct ts_shape ts_shape_verify_request = {SHAPE("verify_request", verify_request, verify_request_rows)};
#undef TYPE

WIRE_SHAPE(verify_request, ts_verify_request, ts_shape_verify_request);

#define TYPE struct ts_verify_event
static const struct ts_shape_field verify_rows[] = {
	{"final", NULL, BOOL(final)},
	{"done", NULL, U64(done)},
	{"total", NULL, U64(total)},
	{"objects", NULL, U64(report.objects)},
	{"bytes", NULL, U64(report.bytes)},
	{"damaged", NULL, U64(report.damaged)},
	{"missing", NULL, U64(report.missing)},
	{"ids", NULL, LIST(ID, report.ids, report.n_ids, TS_WIRE_REPORTED_MAX)},
	{"misfits", NULL, U64(misfits)},
	{"misfit", NULL, LIST(TEXT, misfit, n_misfit, TS_WIRE_REPORTED_MAX), MAX(TS_WIRE_TEXT_MAX)},
	{"drifts", NULL, U64(report.drifted)},
	{"drift", NULL, LIST(TEXT, drift, n_drift, TS_WIRE_REPORTED_MAX), MAX(TS_WIRE_TEXT_MAX)},
	{"records", NULL, U64(report.records)},
	{"audit_files", NULL, U64(audit.files)},
	{"audit_lines", NULL, U64(audit.lines)},
	{"audit_first", NULL, U64(audit.first)},
	{"audit_broken", NULL, U64(audit.broken)},
	{"audit_missing", NULL, U64(audit.missing)},
	{"audit_torn", NULL, U64(audit.torn)},
	{"sound_ns", NULL, I64(report.sound_ns)},
	{"unread", NULL, U64(report.unread)},
};
const struct ts_shape ts_shape_verify_event = {SHAPE("verify_event", verify_event, verify_rows)};
#undef TYPE

WIRE_SHAPE(verify_event, ts_verify_event, ts_shape_verify_event);

#define TYPE struct ts_follow_request
static const struct ts_shape_field follow_rows[] = {
	{"holds", NULL, BYTES(holds, TS_FOLLOW_MAX)},
};
const struct ts_shape ts_shape_follow_request = {SHAPE("follow_request", follow_request, follow_rows)};
#undef TYPE

WIRE_SHAPE(follow_request, ts_follow_request, ts_shape_follow_request);

#define TYPE struct ts_follow_part
static const struct ts_shape_field follow_part_rows[] = {
	{"items", NULL, BYTES(items, TS_FOLLOW_MAX)},
};
const struct ts_shape ts_shape_follow_part = {SHAPE("follow_part", follow_part, follow_part_rows)};
#undef TYPE

WIRE_SHAPE(follow_part, ts_follow_part, ts_shape_follow_part);

#define TYPE struct ts_gc_request
static const struct ts_shape_field gc_request_rows[] = {
	{"dry_run", NULL, BOOL(dry_run)},
	{"lease_s", NULL, U64(lease_s), HAS(has_lease), MAX(INT64_MAX / 1000000000)},
	{"removed_s", NULL, U64(removed_s), HAS(has_removed), MAX(INT64_MAX / 1000000000)},
};
const struct ts_shape ts_shape_gc_request = {SHAPE("gc_request", collect_garbage_request, gc_request_rows)};
#undef TYPE

WIRE_SHAPE(gc_request, ts_gc_request, ts_shape_gc_request);

#define TYPE struct ts_gc_reply
static const struct ts_shape_field gc_reply_rows[] = {
	{"kept", NULL, U64(swept.kept)},
	{"freed", NULL, U64(swept.freed)},
	{"freed_bytes", NULL, U64(swept.freed_bytes)},
	{"leased", NULL, U64(swept.leased)},
	{"scored", NULL, U64(scored)},
	{"removed", NULL, U64(swept.removed)},
	{"removed_bytes", NULL, U64(swept.removed_bytes)},
};
const struct ts_shape ts_shape_gc_reply = {SHAPE("gc_reply", collect_garbage_reply, gc_reply_rows)};
#undef TYPE

WIRE_SHAPE(gc_reply, ts_gc_reply, ts_shape_gc_reply);
