/* member.h - one other server of the store: a thread that asks it for parts of work, one after another, over one connection.
 *
 * A part belongs to a job, which is the work of one call. The call may end before its parts do: a job lives until the last of its parts
 * was looked at. Threads: give and look are safe; a part's answer is read by who finds it answered.
 */
#ifndef TSCOPE_SERVICE_MEMBER_H
#define TSCOPE_SERVICE_MEMBER_H

#include "base/budget.h"
#include "service/handlers/channel.h"
#include "service/members.h"

#include <pthread.h>
#include <stdatomic.h>

enum ts_part_state {
	TS_PART_WAITS,
	TS_PART_ASKED, /* of the member, who works on it */
	TS_PART_ANSWERED,
	TS_PART_FAILED,
	TS_PART_TAKEN, /* back, by the server of the call */
};

struct ts_member_part {
	struct ts_member_job *job;
	struct ts_member_part *next; /* of those that wait for a member */
	struct ts_member *member;
	enum ts_part_state state; /* under the mutex of the job */
	const size_t *items;
	size_t n;
	struct ts_span request;
	struct ts_arena arena; /* of the answer */
	struct ts_span answer; /* if it was answered */
};

struct ts_member_job {
	pthread_mutex_t mutex; /* of refs and the state of parts */
	size_t refs;
	atomic_bool over; /* nobody waits for the parts any more: what is asked is cancelled */
	const char *method;
	int64_t deadline_ns;
	struct ts_arena arena; /* of the job, and of all that parts have but their answers; no other thread allocates in it */
	struct ts_member_part *parts;
	size_t n_parts;
};

struct ts_member {
	const char *address;
	const struct ts_members_options *options;
	atomic_bool self;
	atomic_int_fast64_t away_until_ns;
	atomic_uint_fast64_t items, failures;
	pthread_t thread;
	bool started;
	pthread_mutex_t mutex; /* of the queue and the two flags */
	pthread_cond_t wake;   /* uses the monotonic clock */
	struct ts_member_part *first, *last;
	bool stopping, ended;
	/* of the thread alone */
	struct ts_budget budget;
	struct ts_arena arena; /* of the login */
	struct ts_channel *channel;
	bool failing; /* it was said that the member does not answer */
};

/* Each part that was given holds a reference, and so does the call. The arena draws on the budget of no call, which may end before. */
void ts_member_job_release(struct ts_member_job *job);
/* Whether the part was in this state; if so, it is in that one now. */
bool ts_member_part_move(struct ts_member_part *part, enum ts_part_state from, enum ts_part_state to);

enum ts_status ts_member_start(struct ts_member *m, const char *address, const struct ts_members_options *options,
			       struct ts_error *err);
void ts_member_give(struct ts_member *m, struct ts_member_part *part);
bool ts_member_is_away(const struct ts_member *m);
/* As ts_members_stop. */
bool ts_member_stop(struct ts_member *m);

#endif
