/* wire_refs.c - messages about names: commit, update, log, notes. */
#include "proto/shape/shape_wire.h"
#include "proto/shape/shapes.h"

Tscope__V1__RefKind ts_wire_kind(enum ts_ref_kind kind)
{
	switch (kind) {
	case TS_REF_RUN:
		return TSCOPE__V1__REF_KIND__REF_KIND_RUN;
	case TS_REF_TAG:
		return TSCOPE__V1__REF_KIND__REF_KIND_TAG;
	case TS_REF_STAGE:
		return TSCOPE__V1__REF_KIND__REF_KIND_STAGE;
	case TS_REF_BRANCH:
		return TSCOPE__V1__REF_KIND__REF_KIND_BRANCH;
	}
	return TSCOPE__V1__REF_KIND__REF_KIND_UNSPECIFIED;
}

enum ts_ref_kind ts_wire_read_kind(struct ts_wire_reader *r, int value)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_RUN, TS_REF_TAG, TS_REF_STAGE, TS_REF_BRANCH};

	return kinds[ts_wire_enum(r, value, 0, TSCOPE__V1__REF_KIND__REF_KIND_BRANCH, "kind")];
}

void ts_wire_fill_ref(Tscope__V1__Ref *m, const struct ts_ref *in)
{
	m->kind = ts_wire_kind(in->kind);
	m->name = ts_wire_span(in->name);
	m->id = ts_wire_id_bytes(&in->id);
	m->seq = in->seq;
	m->moved_ns = in->moved_ns;
	m->who = ts_wire_span(in->who);
	m->summary = ts_wire_span(in->summary);
}

void ts_wire_read_ref(struct ts_wire_reader *r, const Tscope__V1__Ref *m, struct ts_ref *ret)
{
	ret->kind = ts_wire_read_kind(r, m->kind);
	ret->name = ts_wire_text(r, m->name, TS_NAME_MAX, "ref.name");
	ret->id = ts_wire_id(r, m->id, "ref.id");
	ret->seq = m->seq;
	ret->moved_ns = m->moved_ns;
	ret->who = ts_wire_text(r, m->who, TS_WIRE_WHO_MAX, "ref.who");
	ret->summary = ts_wire_bytes(r, m->summary, TS_SUMMARY_MAX, "ref.summary");
}

/* enum ts_expect has the numbers of the wire; expected stands there with ID only. */
static void read_expect(struct ts_wire_reader *r, int value, ProtobufCBinaryData expected, enum ts_expect *ret_expect,
			struct ts_id *ret_expected)
{
	*ret_expect = (enum ts_expect)ts_wire_enum(r, value, TS_EXPECT_ANY, TS_EXPECT_ID, "expect");
	if (*ret_expect == TS_EXPECT_ID)
		*ret_expected = ts_wire_id(r, expected, "expected");
	else if (expected.len)
		ts_wire_fail(r, "expected", "stands without expect = EXPECT_ID");
}

static ProtobufCMessage *build_commit_request(const struct ts_commit_request *in, struct ts_arena *arena)
{
	Tscope__V1__CommitRunRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(commit_run_request));

	if (!m)
		return NULL;
	m->name = ts_wire_span(in->name);
	m->head = ts_wire_id_bytes(&in->head);
	m->expect = (Tscope__V1__Expect)in->expect;
	if (in->expect == TS_EXPECT_ID)
		m->expected = ts_wire_id_bytes(&in->expected);
	m->force = in->force;
	m->join = in->join;
	m->expose = in->expose;
	m->branch = ts_wire_span(in->branch);
	m->state = ts_wire_span(in->state);
	m->message = ts_wire_span(in->message);
	return &m->base;
}

static void read_commit_request(struct ts_wire_reader *r, const Tscope__V1__CommitRunRequest *m,
				struct ts_commit_request *out)
{
	out->name = ts_wire_text(r, m->name, TS_NAME_MAX, "name");
	out->head = ts_wire_id(r, m->head, "head");
	read_expect(r, m->expect, m->expected, &out->expect, &out->expected);
	out->force = m->force;
	out->join = m->join;
	out->expose = m->expose;
	out->branch = ts_wire_text(r, m->branch, TS_NAME_MAX, "branch");
	out->state = ts_wire_text(r, m->state, TS_NAME_MAX, "state");
	out->message = ts_wire_text(r, m->message, TS_WIRE_TEXT_MAX, "message");
}

WIRE_PACK(commit_request, ts_commit_request);
WIRE_UNPACK(commit_request, ts_commit_request, commit_run_request);

/* How many of the missing ranks are listed; n_missing counts them all. */
static size_t listed_ranks(size_t n_missing)
{
	return n_missing < TS_WIRE_REPORTED_MAX ? n_missing : TS_WIRE_REPORTED_MAX;
}

static ProtobufCMessage *build_commit_reply(const struct ts_commit_reply *in, struct ts_arena *arena)
{
	Tscope__V1__CommitRunReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(commit_run_reply));

	if (!m)
		return NULL;
	m->outcome = (Tscope__V1__CommitOutcome)in->outcome;
	m->id = ts_wire_id_bytes(&in->id);
	if (in->had_previous)
		m->previous = ts_wire_id_bytes(&in->previous);
	m->seq = in->seq;
	m->missing_ranks = ts_wire_ranks(in->missing_ranks);
	m->n_missing_ranks = listed_ranks(in->n_missing);
	m->missing_count = in->n_missing;
	m->run = ts_shape_build(&ts_shape_run, &in->run, arena);
	return m->run ? &m->base : NULL;
}

static void read_commit_reply(struct ts_wire_reader *r, const Tscope__V1__CommitRunReply *m,
			      struct ts_commit_reply *out)
{
	size_t listed;

	out->outcome =
		(enum ts_commit_outcome)ts_wire_enum(r, m->outcome, TS_COMMIT_CREATED, TS_COMMIT_STAGED, "outcome");
	out->id = ts_wire_id(r, m->id, "id");
	out->had_previous = ts_wire_id_maybe(r, m->previous, "previous", &out->previous);
	out->seq = m->seq;
	out->missing_ranks =
		ts_wire_int32s(r, m->missing_ranks, m->n_missing_ranks, TS_WIRE_REPORTED_MAX, "missing_ranks", &listed);
	out->n_missing = (size_t)ts_wire_uint(r, m->missing_count, TS_WORLD_MAX, "missing_count");
	if (listed != listed_ranks(out->n_missing))
		ts_wire_fail(r, "missing_ranks", "does not fit missing_count");
	ts_shape_read_one(&ts_shape_run, r, m->run, "run", &out->run);
	if (!ts_id_eq(&out->run.id, &out->id))
		ts_wire_fail(r, "run", "is another than id");
}

WIRE_PACK(commit_reply, ts_commit_reply);
WIRE_UNPACK(commit_reply, ts_commit_reply, commit_run_reply);

static ProtobufCMessage *build_ref_request(const struct ts_ref_request *in, struct ts_arena *arena)
{
	Tscope__V1__UpdateRefRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(update_ref_request));

	if (!m)
		return NULL;
	m->kind = ts_wire_kind(in->kind);
	m->name = ts_wire_span(in->name);
	m->remove = in->remove;
	m->target = ts_wire_span(in->target);
	m->force = in->force;
	m->expect = (Tscope__V1__Expect)in->expect;
	if (in->expect == TS_EXPECT_ID)
		m->expected = ts_wire_id_bytes(&in->expected);
	m->message = ts_wire_span(in->message);
	return &m->base;
}

static void read_ref_request(struct ts_wire_reader *r, const Tscope__V1__UpdateRefRequest *m,
			     struct ts_ref_request *out)
{
	out->kind = ts_wire_read_kind(r, m->kind);
	out->name = ts_wire_text(r, m->name, TS_NAME_MAX, "name");
	out->remove = m->remove;
	out->target = ts_wire_text(r, m->target, TS_WIRE_SPEC_MAX, "target");
	out->force = m->force;
	read_expect(r, m->expect, m->expected, &out->expect, &out->expected);
	out->message = ts_wire_text(r, m->message, TS_WIRE_TEXT_MAX, "message");
}

WIRE_PACK(ref_request, ts_ref_request);
WIRE_UNPACK(ref_request, ts_ref_request, update_ref_request);

static ProtobufCMessage *build_ref_reply(const struct ts_ref_reply *in, struct ts_arena *arena)
{
	Tscope__V1__UpdateRefReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(update_ref_reply));

	if (!m)
		return NULL;
	m->ref = ts_wire_new(arena, WIRE_DESCRIPTOR(ref));
	if (!m->ref)
		return NULL;
	ts_wire_fill_ref(m->ref, &in->ref);
	if (in->had_previous)
		m->previous = ts_wire_id_bytes(&in->previous);
	return &m->base;
}

static void read_ref_reply(struct ts_wire_reader *r, const Tscope__V1__UpdateRefReply *m, struct ts_ref_reply *out)
{
	if (ts_wire_need(r, m->ref, "ref"))
		ts_wire_read_ref(r, m->ref, &out->ref);
	out->had_previous = ts_wire_id_maybe(r, m->previous, "previous", &out->previous);
}

WIRE_PACK(ref_reply, ts_ref_reply);
WIRE_UNPACK(ref_reply, ts_ref_reply, update_ref_reply);

static ProtobufCMessage *build_log_request(const struct ts_log_request *in, struct ts_arena *arena)
{
	Tscope__V1__RefLogRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(ref_log_request));

	if (!m)
		return NULL;
	m->spec = ts_wire_span(in->spec);
	m->limit = in->limit;
	return &m->base;
}

static void read_log_request(struct ts_wire_reader *r, const Tscope__V1__RefLogRequest *m, struct ts_log_request *out)
{
	out->spec = ts_wire_text(r, m->spec, TS_WIRE_SPEC_MAX, "spec");
	out->limit = m->limit;
}

WIRE_PACK(log_request, ts_log_request);
WIRE_UNPACK(log_request, ts_log_request, ref_log_request);

static ProtobufCMessage *build_log_reply(const struct ts_log_reply *in, struct ts_arena *arena)
{
	Tscope__V1__RefLogReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(ref_log_reply));

	if (!m)
		return NULL;
	m->kind = ts_wire_kind(in->kind);
	m->name = ts_wire_span(in->name);
	m->entries = ts_wire_rows(arena, in->n, WIRE_DESCRIPTOR(log_entry));
	if (!m->entries)
		return NULL;
	m->n_entries = in->n;
	for (size_t i = 0; i < in->n; i++) {
		m->entries[i]->seq = in->entries[i].seq;
		m->entries[i]->id = ts_wire_id_bytes(&in->entries[i].id);
		m->entries[i]->moved_ns = in->entries[i].moved_ns;
		m->entries[i]->who = ts_wire_span(in->entries[i].who);
		m->entries[i]->message = ts_wire_span(in->entries[i].message);
	}
	return &m->base;
}

static void read_log_reply(struct ts_wire_reader *r, const Tscope__V1__RefLogReply *m, struct ts_log_reply *out)
{
	out->kind = ts_wire_read_kind(r, m->kind);
	out->name = ts_wire_text(r, m->name, TS_NAME_MAX, "name");
	out->entries = ts_wire_array(r, m->n_entries, sizeof *out->entries, TS_MESSAGE_MAX, "entries", &out->n);
	for (size_t i = 0; i < out->n; i++) {
		out->entries[i].seq = m->entries[i]->seq;
		out->entries[i].id = ts_wire_id(r, m->entries[i]->id, "entries.id");
		out->entries[i].moved_ns = m->entries[i]->moved_ns;
		out->entries[i].who = ts_wire_text(r, m->entries[i]->who, TS_WIRE_WHO_MAX, "entries.who");
		out->entries[i].message = ts_wire_text(r, m->entries[i]->message, TS_WIRE_TEXT_MAX, "entries.message");
	}
}

WIRE_PACK(log_reply, ts_log_reply);
WIRE_UNPACK(log_reply, ts_log_reply, ref_log_reply);

static ProtobufCMessage *build_note_request(const struct ts_note_request *in, struct ts_arena *arena)
{
	Tscope__V1__SetNoteRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(set_note_request));

	if (!m)
		return NULL;
	m->name = ts_wire_span(in->name);
	m->key = ts_wire_span(in->key);
	m->value = ts_wire_span(in->value);
	return &m->base;
}

static void read_note_request(struct ts_wire_reader *r, const Tscope__V1__SetNoteRequest *m,
			      struct ts_note_request *out)
{
	out->name = ts_wire_text(r, m->name, TS_WIRE_SPEC_MAX, "name");
	out->key = ts_wire_text(r, m->key, TS_NAME_MAX, "key");
	out->value = ts_wire_text(r, m->value, TS_NOTE_MAX, "value");
}

WIRE_PACK(note_request, ts_note_request);
WIRE_UNPACK(note_request, ts_note_request, set_note_request);
