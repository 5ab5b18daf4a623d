/* job_parts.h - what job.c is made of: which kernels are one collective, how far clocks are apart, who waits for
 * whom (job.h has the rules).
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_RANKS_JOB_PARTS_H
#define TSCOPE_ANALYSIS_TRACE_RANKS_JOB_PARTS_H

#include "analysis/trace/ranks/job.h"
#include "base/span.h"

/* --- job_match.c --- */

/* A rank with all its traces joined, and what its clock differs by. */
struct ts_job_side {
	const struct ts_job_trace *trace; /* its cycles joined */
	int64_t shift;			  /* of its base against the job's */
	bool comparable;		  /* its times can be set beside those of others without overflow */
	uint32_t *groups;		  /* the job's group of each of its trace's */
};

struct ts_job_member {
	uint32_t side, arrival;
	int64_t begin, end; /* on the job's clock */
};

struct ts_job_match {
	size_t first; /* of the members; there are as many as the group has sides, in their order */
	uint32_t group;
	uint8_t collective;
	bool by_sequence, in_step, dropped; /* dropped: the group is contradicted */
	int64_t segment;		    /* the sequence number, or the step */
};

struct ts_job_party {	 /* a group while it is worked on */
	uint32_t *sides; /* those that have it, ascending */
	size_t n_sides;
	size_t matches, n_matches; /* the first of the matches, and how many */
};

/* A send and the receive of it. The k-th send of a rank to another in a group and step is that of the k-th receive there. */
struct ts_job_pair {
	size_t first; /* of the members: the sender, and then the receiver */
	uint32_t group;
	bool in_step;
	int64_t step;
};

struct ts_job_matches {
	struct ts_job_group *groups;
	struct ts_job_party *parties; /* as many */
	size_t n_groups;
	struct ts_job_match *items; /* by group */
	size_t n;
	struct ts_job_pair *pairs; /* by group */
	size_t n_pairs;
	struct ts_job_member *members;
	size_t n_members;
};

/* Sets sides[].groups. Times of members are those of the job's clock before correction. */
enum ts_status ts_job_match(struct ts_job_side *sides, size_t n_sides, struct ts_arena *arena, struct ts_job_matches *ret,
			    struct ts_error *err);
/* Adds the pairs, for which members has room, to matches. Counts those that are none. */
enum ts_status ts_job_match_pairs(const struct ts_job_side *sides, size_t n_sides, struct ts_arena *arena, struct ts_job_matches *ret,
				  struct ts_error *err);
/* Whether ranks wait in such a collective for the last to come; whether they all get and give the same, so that it ends on all of
 * them at once. */
static inline bool ts_job_waits(uint8_t collective)
{
	return collective <= TS_COLLECTIVE_ALL_TO_ALL;
}

static inline bool ts_job_even(uint8_t collective)
{
	return collective <= TS_COLLECTIVE_REDUCE_SCATTER;
}

/* --- job_clock.c --- */

/* Times of members lie within this, on both sides of 0; 36 years. */
#define TS_JOB_TIME_MAX (INT64_C(1) << 60)

/* Fills clocks[side] and brings the times of members to the clock of side 0. Drops the groups that cannot be one. */
enum ts_status ts_job_clocks(const struct ts_job_side *sides, size_t n_sides, struct ts_job_matches *matches,
			     struct ts_job_clock *clocks, struct ts_arena *arena, struct ts_error *err);

/* --- job_wait.c --- */

/* The waiting of one rank in one kernel, by its own clock. */
struct ts_job_waits {
	struct ts_job_interval *items; /* by begin */
	size_t n;
};

/* Fills what ranks and groups say of waiting, the list of collectives, and ret_waits[rank]. Sides and ranks are in the same order. */
enum ts_status ts_job_arrive(const struct ts_job_side *sides, const struct ts_job_matches *matches, struct ts_arena *arena,
			     struct ts_trace_job *job, struct ts_job_waits *ret_waits, struct ts_error *err);
/* Own times of steps, and the test for stragglers. */
enum ts_status ts_job_own_times(const struct ts_job_side *sides, const struct ts_job_waits *waits, struct ts_arena *arena,
				struct ts_trace_job *job, struct ts_error *err);

/* --- rank_list.c ---
 *
 * Long lists are cut: "[0, 1, ..., 7]". Threads: any.
 */

/* Takes the next rank from "0, 2, 4]", what is left of a list behind its bracket; false: there is none. What is no number is passed
 * over. A list that is cut ends there. */
bool ts_rank_list_next(struct ts_span *list, int64_t *ret);
/* The n-th rank of the list, from 0; TS_TRACE_NONE: it has none. */
int64_t ts_rank_list_at(struct ts_span ranks, int64_t n);
/* The other one of a list of two ranks; TS_TRACE_NONE: it has not two, or `own` is none of them. */
int64_t ts_rank_list_other(struct ts_span ranks, int64_t own);

#endif
