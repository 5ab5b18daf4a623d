/* follower.h - a thread that keeps the store of this server what that of another one is, its leader.
 *
 * Every few seconds it asks whether the leader's store has changed, and then for the records that differ (Follow, docs/protocol.md);
 * what comes is committed when all of it is there, or in large parts the first time. A leader that does not answer is asked again, and
 * so is one that was started anew: nothing is kept between two questions but what the store holds.
 */
#ifndef TSCOPE_SERVICE_FOLLOWER_H
#define TSCOPE_SERVICE_FOLLOWER_H

#include "store/engine.h"

#include <stdatomic.h>

struct ts_follow;

struct ts_follow_options {
	struct ts_engine *engine; /* may be written, and outlives the thread */
	const char *leader;	  /* an address; it and the rest outlive the thread */
	const char *token_file;	  /* with a token of the role admin; empty: none */
	const char *ca;		  /* PEM; empty: those of the system */
	int64_t interval_ns;
	atomic_int_fast64_t *held_ns; /* set to the real time at which the store was the leader's */
};

struct ts_follow_state {
	double behind_s;   /* how long ago the store was what the leader's was; below 0: never since the start */
	uint64_t turns;	   /* in which something came */
	uint64_t failures; /* questions that were not answered */
	uint64_t records;  /* that came */
};

/* TS_INVALID for an address that needs a program of its own (ssh://). */
enum ts_status ts_follow_start(const struct ts_follow_options *options, struct ts_follow **ret_follow, struct ts_error *err);
void ts_follow_look(struct ts_follow *follow, struct ts_follow_state *ret);
/* False if the thread waits for the leader, who does not answer: it is left to itself, and the process should end at once. NULL is
 * allowed. */
bool ts_follow_stop(struct ts_follow *follow);

#endif
