/* access.h - what one call may do. The driver asks once, before the handler runs; from then on the handler sees an engine that lets
 * through what the caller may and nothing else, so that no handler can forget to ask:
 *
 *	ts_call_begin(&call, handler, err)	is the method allowed? puts the guard before call->engine
 *	call->engine->ops->...			names of other projects are not there; commits are refused
 *	ts_call_need(call, role, name, err)	for what only the handler knows: that a name moves by force, ... (service/auth/rights.h)
 *	ts_call_explain(&call, err)		after a failure: says what was hidden
 *
 * Names, logs, notes and lists show readable projects only. A run can be found by its id only if a readable project has it, or if the
 * caller has sent all of it that no readable project reaches (sight.h); and so it can be given a name. Objects below a head are not
 * looked at one by one when a run is read: who names them by id has to show a head that it may read (objects.c). What a caller sends
 * counts as its own until a name reaches it. The command itself, whose call has no identity, has no guard. docs/security.md says what
 * content addresses still tell.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_ACCESS_H
#define TSCOPE_SERVICE_HANDLERS_CORE_ACCESS_H

#include "base/limits.h"
#include "service/auth/identity.h"
#include "service/auth/rights.h"
#include "store/engine.h"

struct ts_call;
struct ts_handler;

struct ts_access {
	struct ts_engine guard; /* must be first: the guard is cast to this */
	struct ts_engine *base;
	const struct ts_call *call;
	char hidden[TS_NAME_MAX + 1]; /* the first project of which something was asked and not shown; empty = none */
};

/* TS_DENIED: the caller lacks the method's role. */
enum ts_status ts_call_begin(struct ts_call *call, const struct ts_handler *h, struct ts_error *err);
/* TS_DENIED: the caller lacks the role in the project of this name, "project/name". The text says what it has. */
enum ts_status ts_call_need(const struct ts_call *call, enum ts_auth_role role, struct ts_span name, struct ts_error *err);
/* The same with the role that an act on a name needs of this caller, which depends on who made the name and who marked the run; what is
 * for the text: "removing it". act: TS_ACT_FORCE_RUN, TS_ACT_REMOVE_RUN, TS_ACT_REMOVE_STAGE, ... */
enum ts_status ts_call_need_own(const struct ts_call *call, enum ts_act act, enum ts_ref_kind kind, struct ts_span name,
				const char *what, struct ts_error *err);
/* Moving a branch otherwise than by a push: maintain if it is protected, else push. */
enum ts_status ts_call_need_branch(const struct ts_call *call, struct ts_span name, struct ts_error *err);
/* Whether a push may append a run to a branch. *ret_there: the caller itself has put it on this protected branch before, so that
 * nothing is to be done. TS_DENIED: another has, and the caller does not maintain. */
enum ts_status ts_call_need_append(const struct ts_call *call, struct ts_span branch, const struct ts_id *id, bool *ret_there,
				   struct ts_error *err);
/* Replacing a rank that waits for others, which owner staged first. */
enum ts_status ts_call_need_rank(const struct ts_call *call, struct ts_span name, int32_t rank, struct ts_span owner,
				 struct ts_error *err);
/* The standing that a change of a name by this caller is recorded with. */
enum ts_standing ts_call_standing(const struct ts_call *call, struct ts_span name);
/* Whether a branch is one that moves by pushes only, of a server that knows who may what. */
bool ts_call_protects(const struct ts_call *call, struct ts_span branch);
/* Whether the callers of this server have roles: else everybody who reaches it maintains everything. */
bool ts_call_has_roles(const struct ts_call *call);
/* Whether the caller may read the run with this head. */
enum ts_status ts_call_sees(const struct ts_call *call, const struct ts_id *head, bool *ret_sees, struct ts_error *err);
/* The same, of a run that is to get a name: TS_NOT_FOUND names the object that was not sent, in the same words whether it is not there
 * or is another's. */
enum ts_status ts_call_proves(const struct ts_call *call, const struct ts_id *head, struct ts_error *err);
bool ts_call_reads_all(const struct ts_call *call);
/* Adds to a TS_NOT_FOUND that a project was hidden from the caller; returns err->status. */
enum ts_status ts_call_explain(const struct ts_call *call, struct ts_error *err);

#endif
