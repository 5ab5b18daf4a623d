/* members.h - the other servers of this server's store, as its settings name them: who does a share of a call's work
 * (service/handlers/core/shared_work.h).
 *
 *	ts_members_start(&options, &members, err)	connects to none; a thread for each address
 *	facts.members = members
 *	ts_members_look(members, i, &state)		for i from 0 on, false beyond the last
 *	ts_members_stop(members)			when no call runs any more
 *
 * All servers may have the same list: one that finds itself in it, by asking, does that share without asking. A member that fails is
 * not asked for TS_MEMBER_AWAY_SECONDS, and what was to be its own goes to the next one of the order; that it failed is one line of
 * the log, and that it answers again another.
 */
#ifndef TSCOPE_SERVICE_MEMBERS_H
#define TSCOPE_SERVICE_MEMBERS_H

#include "service/handlers/core/shared_work.h"

enum { TS_MEMBER_AWAY_SECONDS = 5, TS_MEMBER_PART_SECONDS = 30 };

struct ts_members_options {
	const char *addresses;	/* with commas between; it and the rest outlive the members */
	const char *token_file; /* with a token of the role read in all projects; empty: none */
	const char *ca;		/* PEM; empty: those of the system */
};

struct ts_member_state {
	const char *address;
	bool self;
	uint64_t items;	   /* that it did for calls of this server */
	uint64_t failures; /* parts that it was asked for and did not do */
};

/* TS_INVALID: an address is none, or needs a program of its own (ssh://). */
enum ts_status ts_members_start(const struct ts_members_options *options, struct ts_members **ret_members, struct ts_error *err);
bool ts_members_look(const struct ts_members *members, size_t i, struct ts_member_state *ret_state);
/* False if a thread waits for a member that does not answer: it is left to itself, and the process should end at once. NULL is
 * allowed. */
bool ts_members_stop(struct ts_members *members);

#endif
