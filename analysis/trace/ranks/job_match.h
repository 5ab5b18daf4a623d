/* job_match.h - which kernels of the ranks of a job are one collective (job.h has the rules).
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_RANKS_JOB_MATCH_H
#define TSCOPE_ANALYSIS_TRACE_RANKS_JOB_MATCH_H

#include "analysis/trace/ranks/job.h"

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

/* Where a trace has calls that launched kernels, what none of them launched was launched before it began. */
bool ts_job_has_launches(const struct ts_job_trace *t);

#endif
