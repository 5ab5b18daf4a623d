/* audited.h - what a call changes, as lines of the server's audit log: each name, note, token and rule, with what it was before. The
 * guard (access.c) writes them, so that no handler can forget to; a server without an audit log writes none.
 *
 *	ts_audited_ready(call, err)		before a change
 *	ts_audited(call, &entry, err)		after it; who, from where and when are filled in
 *	ts_audited_refusal(call, err)		for a call that ended with TS_DENIED
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_AUDITED_H
#define TSCOPE_SERVICE_HANDLERS_CORE_AUDITED_H

#include "service/audit/audit.h"
#include "store/engine.h"

struct ts_call;
struct ts_verify_audit; /* proto/wire.h */

enum ts_status ts_audited_ready(const struct ts_call *call, struct ts_error *err);
/* TS_UNAVAILABLE if the line cannot be written: the text says that the change is made. */
enum ts_status ts_audited(const struct ts_call *call, const struct ts_audit_entry *what, struct ts_error *err);
/* What the server's audit log comes to when it is read; its `files` are 0 if there is none. */
enum ts_status ts_audited_check(const struct ts_call *call, struct ts_verify_audit *ret, struct ts_error *err);
void ts_audited_refusal(const struct ts_call *call, const struct ts_error *refusal);

/* The same for whole operations of the engine, which is run between the two. */
enum ts_status ts_audited_commit(const struct ts_call *call, const struct ts_ref_update *updates, size_t n, struct ts_arena *arena,
				 struct ts_ref *ret_ref, struct ts_error *err);
enum ts_status ts_audited_note(const struct ts_call *call, struct ts_span name, const struct ts_note *note, struct ts_error *err);
enum ts_status ts_audited_restore(const struct ts_call *call, enum ts_ref_kind kind, struct ts_span name, struct ts_span as,
				  struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);
enum ts_status ts_audited_retire(const struct ts_call *call, const struct ts_retire *what, enum ts_retire_outcome *ret,
				 struct ts_error *err);
enum ts_status ts_audited_record(const struct ts_call *call, const struct ts_record *record, const struct ts_records_seen *seen,
				 struct ts_error *err);
enum ts_status ts_audited_sweep(const struct ts_call *call, const struct ts_sweep_options *options, struct ts_sweep_report *ret,
				struct ts_error *err);

#endif
