#include "service/handlers/core/audited.h"

#include "base/clock.h"
#include "proto/wire.h"
#include "service/audit/audit_read.h"
#include "service/handlers/core/handler.h"

#include <inttypes.h>
#include <stdio.h>

enum { ON_MAX = 16 + TS_NAME_MAX };

static struct ts_audit *log_of(const struct ts_call *call)
{
	return call->server ? call->server->audit : NULL;
}

enum ts_status ts_audited_ready(const struct ts_call *call, struct ts_error *err)
{
	return log_of(call) ? ts_audit_ready(log_of(call), err) : TS_OK;
}

static const char *kind_of(const struct ts_identity *who)
{
	static const char *const kinds[] = {[TS_PEER_UNKNOWN] = "unknown", [TS_PEER_LOCAL] = "local", [TS_PEER_USER] = "user",
					    [TS_PEER_CERTIFICATE] = "certificate", [TS_PEER_ADDRESS] = "address"};

	return who->token ? "token" : kinds[who->peer->kind];
}

static struct ts_audit_entry signed_by(const struct ts_call *call, const struct ts_audit_entry *what)
{
	struct ts_audit_entry entry = *what;

	entry.at_ns = ts_now_real_ns();
	entry.kind = ts_span_str(kind_of(call->who));
	entry.who = ts_span_str(call->who->token ? call->who->token->name : call->who->peer->name);
	entry.from = ts_span_str(call->who->peer->name);
	return entry;
}

enum ts_status ts_audited(const struct ts_call *call, const struct ts_audit_entry *what, struct ts_error *err)
{
	struct ts_audit_entry entry;
	struct ts_error why;

	if (!log_of(call))
		return TS_OK;
	entry = signed_by(call, what);
	if (!ts_audit_add(log_of(call), &entry, &why))
		return TS_OK;
	return ts_error_set(err, TS_UNAVAILABLE, "the change is made, but the audit log cannot be written: %s", why.text);
}

void ts_audited_refusal(const struct ts_call *call, const struct ts_error *refusal)
{
	struct ts_audit_entry entry = {.act = ts_span_str("call"), .text = ts_span_str(refusal->text), .denied = true};
	struct ts_error ignored;

	if (log_of(call) && refusal->status == TS_DENIED)
		(void)ts_audited(call, &entry, &ignored);
}

static struct ts_span on(enum ts_ref_kind kind, struct ts_span name, char room[ON_MAX])
{
	(void)snprintf(room, ON_MAX, "%s %.*s", ts_ref_word(kind), TS_SPAN_ARG(name));
	return ts_span_str(room);
}

static struct ts_span hex_of(const struct ts_id *id, char room[TS_ID_HEX + 1])
{
	return ts_span_str(ts_id_hex(id, room));
}

/* What a note was. */
static enum ts_status note_before(const struct ts_call *call, struct ts_span name, struct ts_span key, struct ts_arena *arena,
				  struct ts_span *ret, struct ts_error *err)
{
	struct ts_engine *base = call->access.base;
	struct ts_note *notes;
	size_t n;

	*ret = ts_span_of(NULL, 0);
	if (base->ops->note_list(base, name, arena, NULL, &notes, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	for (size_t i = 0; i < n; i++)
		if (ts_span_eq(notes[i].key, key))
			*ret = notes[i].value;
	return TS_OK;
}

static enum ts_status say_note(const struct ts_call *call, struct ts_span name, const struct ts_note *note, struct ts_span before,
			       struct ts_error *err)
{
	char room[ON_MAX];

	return ts_audited(call,
			  &(struct ts_audit_entry){.act = ts_span_str("note"), .on = on(TS_REF_RUN, name, room), .key = note->key,
						   .before = before, .after = note->value},
			  err);
}

static enum ts_status say_update(const struct ts_call *call, const struct ts_ref_update *u, const struct ts_ref *before,
				 struct ts_error *err)
{
	char room[ON_MAX], old[TS_ID_HEX + 1], now[TS_ID_HEX + 1];
	struct ts_audit_entry entry = {.act = ts_span_str(u->remove ? "remove" : "move"), .on = on(u->kind, u->name, room),
				       .text = u->message};

	if (before->seq)
		entry.before = hex_of(&before->id, old);
	if (!u->remove)
		entry.after = hex_of(&u->id, now);
	return ts_audited(call, &entry, err);
}

enum ts_status ts_audited_commit(const struct ts_call *call, const struct ts_ref_update *updates, size_t n, struct ts_arena *arena,
				 struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_engine *base = call->access.base;
	struct ts_ref *before = ts_arena_array(arena, n, sizeof *before);
	struct ts_span *notes = ts_arena_array(arena, n, sizeof *notes);
	struct ts_error none;

	if (!log_of(call))
		return base->ops->commit(base, updates, n, arena, ret_ref, err);
	if (!before || !notes)
		return ts_arena_error(arena, err);
	if (ts_audited_ready(call, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		if (base->ops->ref_get(base, updates[i].kind, updates[i].name, arena, &before[i], &none))
			before[i].seq = 0;
		if (updates[i].note && note_before(call, updates[i].name, updates[i].note->key, arena, &notes[i], err))
			return err->status;
	}
	if (base->ops->commit(base, updates, n, arena, ret_ref, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (say_update(call, &updates[i], &before[i], err) ||
		    (updates[i].note && say_note(call, updates[i].name, updates[i].note, notes[i], err)))
			return err->status;
	return TS_OK;
}

enum ts_status ts_audited_note(const struct ts_call *call, struct ts_span name, const struct ts_note *note, struct ts_error *err)
{
	struct ts_engine *base = call->access.base;
	struct ts_arena arena;
	struct ts_span before;
	enum ts_status status;

	if (!log_of(call))
		return base->ops->note_put(base, name, note, err);
	if (ts_audited_ready(call, err))
		return err->status;
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = note_before(call, name, note->key, &arena, &before, err);
	if (!status)
		status = base->ops->note_put(base, name, note, err);
	if (!status)
		status = say_note(call, name, note, before, err);
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_audited_restore(const struct ts_call *call, enum ts_ref_kind kind, struct ts_span name, struct ts_span as,
				  struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_engine *base = call->access.base;
	char room[ON_MAX], now[TS_ID_HEX + 1];

	if (ts_audited_ready(call, err) || base->ops->ref_restore(base, kind, name, as, arena, ret_ref, err))
		return err->status;
	return ts_audited(call,
			  &(struct ts_audit_entry){.act = ts_span_str("restore"), .on = on(kind, as.len ? as : name, room),
						   .after = hex_of(&ret_ref->id, now), .text = name},
			  err);
}

enum ts_status ts_audited_retire(const struct ts_call *call, const struct ts_retire *what, enum ts_retire_outcome *ret,
				 struct ts_error *err)
{
	struct ts_engine *base = call->access.base;

	if (ts_audited_ready(call, err) || base->ops->retire(base, what, ret, err))
		return err->status;
	for (size_t i = 0; i < what->n; i++) {
		char room[ON_MAX], old[TS_ID_HEX + 1];

		if (ret[i] == TS_RETIRED &&
		    ts_audited(call,
			       &(struct ts_audit_entry){.act = ts_span_str("retire"),
							.on = on(what->items[i].kind, what->items[i].name, room),
							.before = hex_of(&what->items[i].id, old), .text = what->who},
			       err))
			return err->status;
	}
	return TS_OK;
}

/* Records hold the hashes of tokens, which are nobody's to read: only that one was made or taken away is said. */
enum ts_status ts_audited_record(const struct ts_call *call, const struct ts_record *record, const struct ts_records_seen *seen,
				 struct ts_error *err)
{
	struct ts_engine *base = call->access.base;

	if (ts_audited_ready(call, err) || base->ops->record_put(base, record, seen, err))
		return err->status;
	return ts_audited(call,
			  &(struct ts_audit_entry){.act = ts_span_str("token"), .on = record->key,
						   .after = ts_span_str(record->value.len ? "made" : "revoked")},
			  err);
}

enum ts_status ts_audited_sweep(const struct ts_call *call, const struct ts_sweep_options *options, struct ts_sweep_report *ret,
				struct ts_error *err)
{
	struct ts_engine *base = call->access.base;
	char text[96];

	if (ts_audited_ready(call, err) || base->ops->sweep(base, options, ret, err))
		return err->status;
	if (options->dry_run)
		return TS_OK;
	(void)snprintf(text, sizeof text, "freed %" PRIu64 " objects", ret->freed);
	return ts_audited(call, &(struct ts_audit_entry){.act = ts_span_str("gc"), .text = ts_span_str(text)}, err);
}

enum ts_status ts_audited_check(const struct ts_call *call, struct ts_verify_audit *ret, struct ts_error *err)
{
	struct ts_audit_report report;
	uint64_t missing;

	*ret = (struct ts_verify_audit){.files = 0};
	if (!call->server || !call->server->audit)
		return TS_OK;
	if (ts_audit_check(call->server->audit, &report, &missing, err))
		return ts_error_prefix(err, "the audit log");
	*ret = (struct ts_verify_audit){.files = report.files ? report.files : 1,
					.lines = report.lines,
					.first = report.first,
					.broken = report.broken,
					.missing = missing,
					.torn = report.torn};
	return TS_OK;
}
