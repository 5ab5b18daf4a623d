/* shape_retain.c - the tables of a plan of retention: what goes, and why the rest stays. */
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

#define TYPE struct ts_retain_item
static const struct ts_shape_field item_rows[] = {
	{"kind", "kind", ENUM(what.kind, ts_words_ref_kind)},
	{"name", "name", TEXT(what.name, TS_NAME_MAX), HEAD("name"), STRONG, NARROW(12)},
	{"id", "id", ID(what.id), HEAD("id"), IDENTITY},
	{"seq", "entry", U64(what.seq), ABOUT("of a branch: the number of the entry")},
	{"why", "why", TEXT(why, TS_NAME_MAX), OR_NULL, HEAD("why"), NARROW(12), ABSENT(""), ABOUT("why it stays; null: it goes")},
};
const struct ts_shape ts_shape_retain_item = {SHAPE("retain_item", retain_item, item_rows)};
#undef TYPE

#define TYPE struct ts_retain_request
static const struct ts_shape_field request_rows[] = {
	{"policy", NULL, TEXT(policy, TS_RETAIN_POLICY_MAX)},
	{"as_of_ns", NULL, I64(as_of_ns)},
	{"items", NULL, MANY(items, n, ts_shape_retain_item, TS_RETENTION_ITEMS_MAX)},
};
const struct ts_shape ts_shape_retain_request = {SHAPE("retain_request", retain_request, request_rows)};
#undef TYPE

#define TYPE struct ts_retain_row
static const struct ts_shape_field row_rows[] = {
	{"kind", "kind", ENUM(kind, ts_words_ref_kind)},
	{"name", "name", TEXT(name, TS_NAME_MAX), HEAD("of"), STRONG, NARROW(12)},
	{"rule", "rule", TEXT(rule, TS_RETAIN_RULE_MAX), HEAD("rule"), DIM, NARROW(16)},
	{"goes", "goes_count", U64(count[TS_RETENTION_GOES]), HEAD("goes")},
	{"newest", "newest_count", U64(count[TS_RETENTION_NEWEST])},
	{"all", "all_count", U64(count[TS_RETENTION_ALL])},
	{"later", "later_count", U64(count[TS_RETENTION_LATER])},
	{"last", "last_count", U64(count[TS_RETENTION_LAST])},
	{"younger", "younger_count", U64(count[TS_RETENTION_YOUNGER])},
	{"tagged", "tagged_count", U64(count[TS_RETENTION_TAGGED])},
	{"noted", "noted_count", U64(count[TS_RETENTION_NOTED])},
	{"training", "training_count", U64(count[TS_RETENTION_TRAINING])},
	{"on_branch", "on_branch_count", U64(count[TS_RETENTION_ON_BRANCH])},
};
const struct ts_shape ts_shape_retain_row = {SHAPE("retain_row", retain_row, row_rows)};
#undef TYPE

#define TYPE struct ts_retain_reply
static const struct ts_shape_field reply_rows[] = {
	{"as_of_ns", "as_of", TIME(as_of_ns)},
	{"rows", "rows", MANY(rows, n_rows, ts_shape_retain_row, TS_RETAIN_ROWS_MAX), ABOUT("why things stay")},
	{"more_rows", "more_row_count", U64(more_rows)},
	{"other_names", "other_name_count", U64(other_names), ABOUT("names that stay because no rule is for them")},
	{"other_entries", "other_entry_count", U64(other_entries)},
	{"names", "name_count", U64(names), ABOUT("names of runs that go, or went")},
	{"entries", "entry_count", U64(entries), ABOUT("entries of branches that go, or went")},
	{"items", "items", MANY(items, n, ts_shape_retain_item, TS_RETENTION_ITEMS_MAX),
	 ABOUT("those that go; after they went, those that stay after all")},
	{"more_items", "more_item_count", U64(more_items), ABOUT("that go by another plan after this one")},
	{"objects", "object_count", U64(objects), ABOUT("that nothing but the items reaches")},
	{"bytes", "object_bytes", U64(bytes)},
	{"keep_removed_s", "keep_removed_s", U64(keep_removed_s), ABOUT("how long what goes can come back")},
};
const struct ts_shape ts_shape_retain_reply = {SHAPE("retention", retain_reply, reply_rows)};
#undef TYPE

WIRE_SHAPE(retain_request, ts_retain_request, ts_shape_retain_request);
WIRE_SHAPE(retain_reply, ts_retain_reply, ts_shape_retain_reply);
