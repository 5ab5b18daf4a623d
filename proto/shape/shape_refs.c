/* shape_refs.c - the tables of names: what CommitRun, UpdateRef, RefLog and SetNote say of them. */
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

/* A message without a kind means runs. */
static const int kind_values[] = {TS_REF_RUN, TS_REF_RUN, TS_REF_TAG, TS_REF_STAGE, TS_REF_BRANCH};
WORD_OF(kind_word, enum ts_ref_kind, ts_ref_word);
const struct ts_shape_words ts_words_ref_kind = {0, 4, .values = kind_values, .word = kind_word, .newer = true};

#define TYPE struct ts_ref
static const struct ts_shape_field ref_rows[] = {
	{"kind", "kind", ENUM(kind, ts_words_ref_kind)},
	{"name", "name", TEXT(name, TS_NAME_MAX)},
	{"id", "id", ID(id)},
	{"seq", NULL, U64(seq)},
	{"moved_ns", NULL, TIME(moved_ns)},
	{"who", NULL, TEXT(who, TS_WIRE_WHO_MAX)},
	{"summary", NULL, BYTES(summary, TS_SUMMARY_MAX)},
};
const struct ts_shape ts_shape_ref = {SHAPE("ref", ref, ref_rows)};
#undef TYPE

/* --- commit --- */

static const struct ts_shape_words expects = {TS_EXPECT_ANY, TS_EXPECT_ID, TS_EXPECT_ANY, .word = NULL};

static ProtobufCBinaryData expected_bytes(enum ts_expect expect, const struct ts_id *expected)
{
	return expect == TS_EXPECT_ID ? ts_wire_id_bytes(expected) : ts_wire_span(ts_span_of(NULL, 0));
}

/* The expected id is present with EXPECT_ID only. */
static void read_expected(struct ts_wire_reader *r, enum ts_expect expect, ProtobufCBinaryData in, struct ts_id *ret)
{
	if (expect == TS_EXPECT_ID)
		*ret = ts_wire_id(r, in, "expected");
	else if (in.len)
		ts_wire_fail(r, "expected", "stands without expect = EXPECT_ID");
}

#define TYPE struct ts_commit_request
static bool fill_commit_expected(const void *in, void *message, struct ts_arena *arena)
{
	const TYPE *request = in;
	Tscope__V1__CommitRunRequest *m = message;

	(void)arena;
	m->expected = expected_bytes(request->expect, &request->expected);
	return true;
}

static void read_commit_expected(struct ts_wire_reader *r, const void *message, void *ret)
{
	TYPE *request = ret;

	read_expected(r, request->expect, ((const Tscope__V1__CommitRunRequest *)message)->expected, &request->expected);
}

static const struct ts_shape_own commit_expected_own = {.fill = fill_commit_expected, .read = read_commit_expected};
static const struct ts_shape commit_expected_shape = {OWN_SHAPE("commit_expected", commit_run_request, commit_expected_own)};

static const struct ts_shape_field commit_request_rows[] = {
	{"name", NULL, TEXT(name, TS_NAME_MAX)},
	{"head", NULL, ID(head)},
	{"expect", NULL, ENUM(expect, expects)},
	{"expected", NULL, PART(commit_expected_shape)},
	{"force", NULL, BOOL(force)},
	{"join", NULL, BOOL(join)},
	{"expose", NULL, BOOL(expose)},
	{"branch", NULL, TEXT(branch, TS_NAME_MAX)},
	{"state", NULL, TEXT(state, TS_NAME_MAX)},
	{"message", NULL, TEXT(message, TS_WIRE_TEXT_MAX)},
	{"state_said", NULL, BOOL(state_said)},
};
const struct ts_shape ts_shape_commit_request = {SHAPE("commit_request", commit_run_request, commit_request_rows)};
#undef TYPE

static const struct ts_shape_words outcomes = {TS_COMMIT_CREATED, TS_COMMIT_STAGED, TS_COMMIT_CREATED, .word = NULL};

#define TYPE struct ts_commit_reply
/* Returns how many of the missing ranks are listed; n_missing counts all of them. */
static size_t listed_ranks(uint64_t n_missing)
{
	return n_missing < TS_WIRE_REPORTED_MAX ? (size_t)n_missing : TS_WIRE_REPORTED_MAX;
}

static bool fill_missing(const void *in, void *message, struct ts_arena *arena)
{
	const TYPE *reply = in;
	Tscope__V1__CommitRunReply *m = message;

	(void)arena;
	m->missing_ranks = ts_wire_ranks(reply->missing_ranks);
	m->n_missing_ranks = listed_ranks(reply->n_missing);
	return true;
}

static void read_missing(struct ts_wire_reader *r, const void *message, void *ret)
{
	TYPE *reply = ret;
	const Tscope__V1__CommitRunReply *m = message;
	size_t listed = ts_wire_entries(r, m->n_missing_ranks, TS_WIRE_REPORTED_MAX, "missing_ranks");

	reply->missing_ranks = m->missing_ranks;
	if (listed != listed_ranks(reply->n_missing))
		ts_wire_fail(r, "missing_ranks", "does not fit missing_count");
}

static const struct ts_shape_own missing_own = {.fill = fill_missing, .read = read_missing};
static const struct ts_shape missing_shape = {OWN_SHAPE("commit_missing", commit_run_reply, missing_own)};

static void check_commit(struct ts_wire_reader *r, void *in)
{
	const TYPE *reply = in;

	if (!ts_id_eq(&reply->run.id, &reply->id))
		ts_wire_fail(r, "run", "is another than id");
}

static const struct ts_shape_field commit_rows[] = {
	{"outcome", NULL, ENUM(outcome, outcomes)},
	{"id", NULL, ID(id)},
	{"previous", NULL, ID(previous), HAS(had_previous)},
	{"seq", NULL, U64(seq)},
	{"missing_count", NULL, U64(n_missing), MAX(TS_WORLD_MAX)},
	{"missing_ranks", NULL, PART(missing_shape)}, /* the list may have fewer ranks than the number says, so it follows the number */
	{"run", NULL, ONE(run, ts_shape_run)},
};
const struct ts_shape ts_shape_commit_reply = {SHAPE("commit_reply", commit_run_reply, commit_rows), .check = check_commit};
#undef TYPE

/* --- update --- */

#define TYPE struct ts_ref_request
static bool fill_update_expected(const void *in, void *message, struct ts_arena *arena)
{
	const TYPE *request = in;
	Tscope__V1__UpdateRefRequest *m = message;

	(void)arena;
	m->expected = expected_bytes(request->expect, &request->expected);
	return true;
}

static void read_update_expected(struct ts_wire_reader *r, const void *message, void *ret)
{
	TYPE *request = ret;

	read_expected(r, request->expect, ((const Tscope__V1__UpdateRefRequest *)message)->expected, &request->expected);
}

static const struct ts_shape_own update_expected_own = {.fill = fill_update_expected, .read = read_update_expected};
static const struct ts_shape update_expected_shape = {OWN_SHAPE("update_expected", update_ref_request, update_expected_own)};

static const struct ts_shape_field ref_request_rows[] = {
	{"kind", NULL, ENUM(kind, ts_words_ref_kind)},
	{"name", NULL, TEXT(name, TS_NAME_MAX)},
	{"remove", NULL, BOOL(remove)},
	{"target", NULL, TEXT(target, TS_WIRE_SPEC_MAX)},
	{"force", NULL, BOOL(force)},
	{"expect", NULL, ENUM(expect, expects)},
	{"expected", NULL, PART(update_expected_shape)},
	{"message", NULL, TEXT(message, TS_WIRE_TEXT_MAX)},
};
const struct ts_shape ts_shape_ref_request = {SHAPE("ref_request", update_ref_request, ref_request_rows)};
#undef TYPE

#define TYPE struct ts_ref_reply
static const struct ts_shape_field ref_reply_rows[] = {
	{"ref", "ref", ONE(ref, ts_shape_ref)},
	{"previous", "previous_id", ID(previous), HAS(had_previous)},
};
const struct ts_shape ts_shape_ref_reply = {SHAPE("ref_answer", update_ref_reply, ref_reply_rows)};
#undef TYPE

/* --- removed names --- */

/* A stage is not kept when it is removed. */
static const int lasting_values[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
static const struct ts_shape_words lasting_kinds = {1, 3, .values = lasting_values, .word = kind_word, .newer = true};

#define TYPE struct ts_removed_ref
static const struct ts_shape_field removed_ref_rows[] = {
	{"ref", NULL, ONE(was.ref, ts_shape_ref)},
	{NULL, "kind", ENUM(was.ref.kind, lasting_kinds), HEAD("kind")},
	{NULL, "name", TEXT(was.ref.name, TS_NAME_MAX), HEAD("name"), STRONG, NARROW(12)},
	{NULL, "id", ID(was.ref.id), HEAD("id"), IDENTITY},
	{"removed_ns", "removed", TIME(was.removed_ns), HEAD("removed"), NARROW(10)},
	{"by", "by", TEXT(was.by, TS_WIRE_WHO_MAX), OR_NULL, HEAD("by"), DIM, NARROW(8), ABSENT("")},
	{"expires_ns", "expires", TIME(expires_ns), HEAD("until"), NARROW(10)},
	{"entries", "entry_count", U64(was.entries), ABOUT("of the history of this branch; 0: it is the name")},
};
const struct ts_shape ts_shape_removed_ref = {SHAPE("removed_ref", removed_ref, removed_ref_rows)};
#undef TYPE

#define TYPE struct ts_removed_request
static const struct ts_shape_field removed_request_rows[] = {
	{"prefix", NULL, TEXT(prefix, TS_NAME_MAX)},
	{"limit", NULL, U32(limit)},
};
const struct ts_shape ts_shape_removed_request = {SHAPE("removed_request", list_removed_request, removed_request_rows)};
#undef TYPE

#define TYPE struct ts_removed_reply
static const struct ts_shape_field removed_reply_rows[] = {
	{"removed", "removed", MANY(removed, n, ts_shape_removed_ref, TS_REMOVED_MAX)},
	{"more", "more", BOOL(more)},
};
const struct ts_shape ts_shape_removed_reply = {SHAPE("removed_names", list_removed_reply, removed_reply_rows)};
#undef TYPE

/* --- what words stand for --- */

#define TYPE struct ts_find_request
static const struct ts_shape_field find_request_rows[] = {
	{"project", NULL, TEXT(project, TS_NAME_MAX)},
	{"words", NULL, LIST(TEXT, words, n, TS_FIND_WORDS_MAX), MAX(TS_WIRE_SPEC_MAX)},
};
const struct ts_shape ts_shape_find_request = {SHAPE("find_request", find_names_request, find_request_rows)};
#undef TYPE

/* Of what is found, a request is made next: of a kind that is not known it would be another's. */
static const struct ts_shape_words found_kinds = {0, 4, .values = kind_values, .word = kind_word};
static const struct ts_shape_words founds = {TS_FOUND_NOTHING, TS_FOUND_NO_WORD, TS_FOUND_NOTHING, .word = NULL};

#define TYPE struct ts_found_name
static const struct ts_shape_field found_name_rows[] = {
	{"found", NULL, ENUM(found, founds)},
	{"id", NULL, ID(id), HAS(has_id)},
	{"kind", NULL, ENUM(kind, found_kinds)},
	{"name", NULL, TEXT(name, TS_NAME_MAX)},
	{"why", NULL, TEXT(why, TS_WIRE_TEXT_MAX)},
	{"has_project", NULL, BOOL(has_project)},
};
static const struct ts_shape found_name_shape = {SHAPE("found_name", found_name, found_name_rows)};
#undef TYPE

#define TYPE struct ts_find_reply
static const struct ts_shape_field find_reply_rows[] = {
	{"names", NULL, MANY(names, n, found_name_shape, TS_FIND_WORDS_MAX)},
};
const struct ts_shape ts_shape_find_reply = {SHAPE("find_reply", find_names_reply, find_reply_rows)};
#undef TYPE

#define TYPE struct ts_restore_request
static const struct ts_shape_field restore_request_rows[] = {
	{"kind", NULL, ENUM(kind, ts_words_ref_kind)},
	{"name", NULL, TEXT(name, TS_NAME_MAX)},
	{"as", NULL, TEXT(as, TS_NAME_MAX)},
};
const struct ts_shape ts_shape_restore_request = {SHAPE("restore_request", restore_ref_request, restore_request_rows)};
#undef TYPE

#define TYPE struct ts_restore_reply
static const struct ts_shape_field restore_reply_rows[] = {
	{"ref", "ref", ONE(ref, ts_shape_ref)},
	{"entries", "entry_count", U64(entries), ABOUT("that came back into the history of this branch; 0: the name came back")},
};
const struct ts_shape ts_shape_restore_reply = {SHAPE("restored", restore_ref_reply, restore_reply_rows)};
#undef TYPE

/* --- log --- */

#define TYPE struct ts_log_request
static const struct ts_shape_field log_request_rows[] = {
	{"spec", NULL, TEXT(spec, TS_WIRE_SPEC_MAX)},
	{"limit", NULL, U32(limit)},
	{"notes", NULL, BOOL(notes)},
};
const struct ts_shape ts_shape_log_request = {SHAPE("log_request", ref_log_request, log_request_rows)};
#undef TYPE

#define TYPE struct ts_log_entry
static const struct ts_shape_field entry_rows[] = {
	{"seq", "entry", U64(seq), HEAD("entry")},
	{"id", "id", ID(id), HEAD("id"), IDENTITY},
	{"moved_ns", "moved", TIME(moved_ns), OR_NULL, HEAD("moved"), NARROW(10)},
	{"who", "who", TEXT(who, TS_WIRE_WHO_MAX), OR_NULL, HEAD("who"), DIM, NARROW(8), ABSENT("")},
	{"message", "message", TEXT(message, TS_WIRE_TEXT_MAX), OR_NULL, HEAD("message"), NARROW(12), ABSENT("")},
};
static const struct ts_shape entry_shape = {SHAPE("log_entry", log_entry, entry_rows)};
#undef TYPE

/* A stage has no log that a client could ask for. */
static const int logged_values[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
static const struct ts_shape_words logged_kinds = {1, 3, .values = logged_values, .word = kind_word, .newer = true};

#define TYPE struct ts_log_reply
static bool was_pruned(const void *in)
{
	return ((const struct ts_log_reply *)in)->pruned.entries > 0;
}

static const struct ts_shape_field log_rows[] = {
	{"kind", NULL, ENUM(kind, ts_words_ref_kind)},
	{NULL, "kind", ENUM(kind, logged_kinds)},
	{"name", "name", TEXT(name, TS_NAME_MAX)},
	{"entries", "entries", MANY(entries, n, entry_shape, ENTRIES(36))}, /* the least entry has an id */
	{"pruned", "pruned_count", U64(pruned.entries), ABOUT("entries that a policy of retention took out")},
	{"pruned_ns", "pruned", TIME(pruned.at_ns), WHEN(was_pruned), ABOUT("the last time")},
	{"pruned_by", "pruned_by", TEXT(pruned.who, TS_WIRE_WHO_MAX), OR_NULL},
	{"notes", "notes", MANY(notes, n_notes, ts_shape_note, ENTRIES(2)),
	 ABOUT("what the notes of the run were, newest first; an empty value: the note was removed then. With --notes")},
};
const struct ts_shape ts_shape_log_reply = {SHAPE("log", ref_log_reply, log_rows)};
#undef TYPE

/* --- notes --- */

#define TYPE struct ts_note_request
static const struct ts_shape_field note_request_rows[] = {
	{"name", NULL, TEXT(name, TS_WIRE_SPEC_MAX)},
	{"key", NULL, TEXT(key, TS_NAME_MAX)},
	{"value", NULL, TEXT(value, TS_NOTE_MAX)},
};
const struct ts_shape ts_shape_note_request = {SHAPE("note_request", set_note_request, note_request_rows)};
#undef TYPE

#define TYPE struct ts_note
static const struct ts_shape_field note_rows[] = {
	{"key", "key", TEXT(key, TS_NAME_MAX), HEAD("note"), STRONG, NARROW(8)},
	{"value", "value", TEXT(value, TS_NOTE_MAX), HEAD("value"), NARROW(16)},
	{"at_ns", "at", TIME(at_ns), OR_NULL, HEAD("when"), DIM, NARROW(10)},
	{"who", "who", TEXT(who, TS_WIRE_WHO_MAX), OR_NULL, HEAD("who"), DIM, NARROW(6), ABSENT("")},
};
const struct ts_shape ts_shape_note = {SHAPE("note", note, note_rows)};
#undef TYPE

WIRE_SHAPE(commit_request, ts_commit_request, ts_shape_commit_request);
WIRE_SHAPE(commit_reply, ts_commit_reply, ts_shape_commit_reply);
WIRE_SHAPE(ref_request, ts_ref_request, ts_shape_ref_request);
WIRE_SHAPE(ref_reply, ts_ref_reply, ts_shape_ref_reply);
WIRE_SHAPE(removed_request, ts_removed_request, ts_shape_removed_request);
WIRE_SHAPE(removed_reply, ts_removed_reply, ts_shape_removed_reply);
WIRE_SHAPE(find_request, ts_find_request, ts_shape_find_request);
WIRE_SHAPE(find_reply, ts_find_reply, ts_shape_find_reply);
WIRE_SHAPE(restore_request, ts_restore_request, ts_shape_restore_request);
WIRE_SHAPE(restore_reply, ts_restore_reply, ts_shape_restore_reply);
WIRE_SHAPE(log_request, ts_log_request, ts_shape_log_request);
WIRE_SHAPE(log_reply, ts_log_reply, ts_shape_log_reply);
WIRE_SHAPE(note_request, ts_note_request, ts_shape_note_request);
