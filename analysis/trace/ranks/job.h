/* job.h - the traces of the ranks of one job side by side: whose clock is off by how much, who arrives last at each collective and
 * makes the others wait, which rank is slow by more than chance, and how far process groups are apart.
 *
 *	ts_job_trace_of(&trace, &scratch, &arena, &traces[i], err)	for each file (job_trace.h)
 *	ts_trace_job(traces, n, &arena, &job, err)
 *
 * Definitions (docs/trace.md).
 *
 * Ranks. A trace is of the rank that it names itself. Traces of one rank that follow each other in time are cycles of its profiler, and
 * their times are added; one that overlaps another of its rank in time is left out.
 *
 * Matching. Kernels of communication of all ranks are one collective if they have the same process group (name and ranks) and there
 * the same sequence number. Where a trace records no sequence numbers, the order within the group decides, step by step (a step is
 * that of the launching call). Nothing is forced: what some rank's trace lacks, and a step whose counts, kinds or sizes differ over
 * ranks, stays unmatched and is counted with the reason. Kernels of an unnamed group are taken for those of one group of all ranks
 * that have as many such streams; if one of them ends on a rank before it begins on another, they are not, and stay unmatched.
 *
 * Clocks. All-reduce, all-gather, reduce-scatter and all-to-all need something of every rank, so that no rank can end before the last
 * has begun: begin on rank i <= end on rank j. For two ranks this bounds the offset of their clocks from both sides: at least the
 * largest (begin on i - end on j), at most the smallest (end on i - begin on j). If an offset of 0 lies in these bounds (to
 * TS_JOB_TOLERANCE_NS, since older traces have whole microseconds), and the median difference of the ends of their collectives is at
 * most TS_JOB_CLOCK_SHOWS_NS (on one host TS_JOB_HOST_SHOWS_NS) or three times the median distance from it, their clocks are taken for
 * one, unless that contradicts a collective with a third rank. If not, the offset is that median difference (all-to-all does not count:
 * its parts may differ), brought into the bounds; and where the differences rise or fall steadily (slope.h) by more than
 * TS_JOB_CLOCK_SHOWS_NS over the recording, a drift besides. Bounds of ranks that share no collective with the reference, the lowest
 * rank, go by way of ranks that do, and add up. Time that a network takes to carry the end of a collective to a rank cannot be told
 * from an offset of its clock.
 *
 * Pairs. A send and a receive are one transfer if they are of one group, say each other's rank (in a group of two that is the
 * other one) and stand in the same place of the order from the one rank to the other in their step.
 *
 * Waiting. The last rank of a collective is the one whose kernel begins last on the common clock, the lowest of equal ones; if all
 * begin at once there is none. Every other rank waits from the begin of its kernel to that of the last; the rest of its kernel is the
 * transfer. lateness = last begin - first begin. That is the rule of the four kinds that need something of every rank. Others need
 * less:
 *	broadcast	nobody but the root is waited for: every other rank waits until the root begins
 *	reduce		the root alone waits, until the last rank begins
 *	send, receive	the receiver waits until the sender begins
 * What else these ranks spend before the last begins may be waiting or the filling of buffers: it is unknown. What all of them spend
 * after that is transfer. Where the traces do not name the root, clocks of ranks cannot be compared, or the kind is another one, no
 * waiting is known; of what is not matched nothing is.
 *
 * In time. If a rank that comes last to a collective had come with the next to last, all of them would have gone on that much earlier.
 * in_time_ns is the step less the sum of that over the step's collectives: at least so long would a step be if the rank were ideal.
 * It is so long where every collective is of all ranks and nothing runs beside it.
 *
 * Own time of a step = the step as the devices saw it (job_trace.h) less the waiting during which the rank computed nothing. Stragglers
 * are those of straggler.h over the steps that all ranks have.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_RANKS_JOB_H
#define TSCOPE_ANALYSIS_TRACE_RANKS_JOB_H

#include "analysis/answer/finding.h"
#include "analysis/trace/ranks/job_trace.h"

enum {
	TS_JOB_TOLERANCE_NS = 2000,
	TS_JOB_CLOCK_SHOWS_NS = 50000,	/* ends of real collectives on one clock lie 20,000 to 50,000 ns apart, */
	TS_JOB_HOST_SHOWS_NS = 1000000, /* and more over a slow bus */
};

/* What became of a file of a folder. */
enum ts_job_file_state {
	TS_JOB_FILE_READ,
	TS_JOB_FILE_NO_RANK, /* read, but it does not name its rank */
	TS_JOB_FILE_SAME,    /* read, but it covers the time of another trace of its rank */
	TS_JOB_FILE_FAILED,  /* a trace that cannot be read */
	TS_JOB_FILE_OTHER,   /* no trace */
};

struct ts_job_file {
	const char *name;
	enum ts_job_file_state state;
	const char *why; /* of SAME and FAILED; else NULL */
	bool cut;	 /* the file ends too early */
};

struct ts_job_spread {
	const char *figure; /* "busy" */
	uint64_t sum_ns, mean_ns, least_ns, most_ns;
	int64_t least_rank, most_rank;
};

struct ts_job_clock {
	bool connected; /* the rank shares collectives with the reference, perhaps by way of others */
	bool corrected, drifts;
	int64_t offset_ns;	 /* to be added to the rank's times at the begin of the recording */
	int64_t drift_ppb;	 /* and so many ns for each second since */
	bool bounded;		 /* low and high are known */
	int64_t low_ns, high_ns; /* the clock is right within these: what could still be added */
	uint64_t residual_ns;	 /* median distance of its ends from those of the rank it was compared with */
};

/* Why nothing is known of waiting in a matched collective. */
enum ts_job_no_rule {
	TS_JOB_NO_ROOT,	 /* the traces do not name the root, or name several */
	TS_JOB_NO_CLOCK, /* no collective, and no host, has all clocks in common */
	TS_JOB_NO_KIND,	 /* no rule for collectives of this kind */
	TS_JOB_NO_RULES,
};

/* Communication of a rank by kind; sums over kernels. */
struct ts_job_kind {
	enum ts_collective kind;
	uint64_t kernels, ns;
	uint64_t matched; /* kernels whose collective is known on all ranks */
	uint64_t no_rule[TS_JOB_NO_RULES]; /* of these */
	uint64_t waiting_ns, transfer_ns, unknown_ns; /* they add up to ns */
};

/* How many of the matched ones. */
static inline uint64_t ts_job_without_rule(const struct ts_job_kind *kind)
{
	uint64_t n = 0;

	for (int i = 0; i < TS_JOB_NO_RULES; i++)
		n += kind->no_rule[i];
	return n;
}

struct ts_job_rank {
	int64_t rank;
	const char *file; /* the first */
	size_t files;
	struct ts_span device_name, host;
	struct ts_trace_recorded recorded; /* of the first of its traces */
	uint64_t events, steps;
	uint64_t ns[TS_JOB_FIGURES];
	uint64_t step_ns[TS_JOB_TIMELINE_FIGURES]; /* means over the rank's steps, each of what the step launched; valid if steps > 0 */
	uint64_t host_step_ns;			   /* mean on the host */
	uint64_t own_ns; /* mean own time, of the steps that all ranks have; valid if the job has such steps */
	uint64_t in_time_ns; /* the job's step_ns if this rank were never the last by itself; valid like own_ns */
	struct ts_job_clock clock;
	uint64_t collectives; /* matched, of the four kinds that wait for all, and pairs */
	uint64_t last;	      /* of these, how often it began last */
	uint64_t caused_ns;   /* what the others waited for it */
	uint64_t behind_ns;   /* how far it then came behind the next to last */
	uint64_t lateness_ns; /* how far it came behind the first, over all collectives */
	struct ts_job_kind kinds[TS_COLLECTIVES];
	bool tested, straggler;
	double slowdown, p; /* NaN: not known */
};

/* Why kernels stay unmatched. */
enum ts_job_unmatched {
	TS_JOB_MISSING,	     /* the trace of a member lacks it */
	TS_JOB_COUNTS,	     /* ranks have different numbers of them in a step */
	TS_JOB_KINDS,	     /* ranks have different collectives in one place */
	TS_JOB_SIZES,	     /* ranks have different numbers of elements */
	TS_JOB_BEFORE,	     /* without sequence number, launched before the recording */
	TS_JOB_ALONE,	     /* no other member's trace is here */
	TS_JOB_PEER,	     /* a send or receive that does not say with whom, or which of both it is */
	TS_JOB_CONTRADICTED, /* of an unnamed group: they cannot be of one group */
	TS_JOB_UNMATCHED,
};

struct ts_job_group {
	struct ts_job_group_name is;
	int64_t *members; /* ranks that have kernels of it, ascending */
	size_t n_members;
	size_t absent; /* ranks of the group, as it names them, that have no kernel of it here */
	bool by_sequence;
	uint64_t collectives; /* matched */
	uint64_t pairs;	      /* of a send and its receive */
	uint64_t waits;	      /* of the collectives, such that ranks wait for the last: the figures below are of these */
	uint64_t skew_mean_ns, skew_p95_ns, skew_max_ns; /* lateness of a collective; p95 by the nearest rank */
	uint64_t transfer_ns;				 /* sum of (last end - last begin) */
	int64_t last_rank;				 /* most often last; valid if last_times > 0 */
	uint64_t last_times;
	uint64_t unmatched[TS_JOB_UNMATCHED]; /* kernels */
	const char *example;		      /* of unmatched ones, in words; NULL: none */
};

struct ts_job_collective {
	uint32_t group; /* of the job's groups */
	enum ts_collective kind;
	bool has_sequence, in_step;
	int64_t sequence, step;
	int64_t begin_ns;     /* the first, by the clock of the reference */
	int64_t last_rank;    /* that others waited for: the root of a broadcast, else the last; valid if lateness_ns > 0 */
	uint64_t lateness_ns; /* its begin - the first; of a reduce, its begin - that of the root */
	uint64_t waiting_ns, unknown_ns, transfer_ns; /* the first two of all other ranks; transfer_ns: last end - last begin */
	uint64_t saves_ns; /* how much earlier all could have gone on if the last had come with the next to last; with a root 0 */
};

struct ts_trace_job {
	const char *path; /* as it was named; the caller's, like files */
	bool of_run;	  /* it is a run and no folder */
	struct ts_job_file *files;
	size_t n_files;
	bool has_world_size, worlds_differ;
	int64_t world_size; /* the largest that a trace says */
	struct ts_span backend, device_name;
	int64_t *missing; /* of the world, at most TS_JOB_MISSING_SHOWN, ascending */
	size_t n_missing;
	uint64_t missing_count;
	struct ts_job_rank *ranks; /* ascending */
	size_t n_ranks;
	struct ts_job_spread spread[TS_JOB_FIGURES];
	struct ts_job_group *groups;
	size_t n_groups;
	struct ts_job_collective *collectives; /* and pairs, of which it is known who waits, by begin */
	size_t n_collectives;
	uint64_t close;	       /* of these, such that the last began less behind the next to last than ends_p50_ns: either may be it */
	uint64_t violations;   /* of these, such that a rank ends before another begins, in spite of the correction */
	uint64_t violation_ns; /* the worst */
	uint64_t ends_p50_ns, ends_p95_ns, ends_max_ns; /* last end - first end of a collective, after correction */
	bool apart;					/* recordings of two ranks do not overlap in time, as their clocks have it */
	struct ts_findings findings; /* of the rules on traces; these and advice by trace_answer.h */
	struct ts_finding *advice;   /* those of them whose advice is worth a try, the most severe first */
	size_t n_advice, n_slight;   /* TS_TRACE_ADVICE_MAX at most; findings about too little time */
	struct ts_trace_warmup warmup; /* steps: of each trace; marked and events are sums; done_ns is not set */
	int64_t *steps;					/* that all ranks have */
	size_t n_steps;
	uint64_t step_ns; /* mean over these of the longest rank's step; valid if n_steps > 0 */
	bool decidable;
	uint64_t steps_needed; /* that the test for stragglers would need at least; valid if it is not decidable */
	const char *undecided; /* why, in words; NULL: decided */
};

enum { TS_JOB_MISSING_SHOWN = 64 };

/* traces[i].file says which; states[i] is set to READ, NO_RANK or SAME, and whys[i] of the last to the reason. Everything lies in the
 * arena or belongs to the traces. */
enum ts_status ts_trace_job(struct ts_job_trace *traces, size_t n, enum ts_job_file_state *states, const char **whys,
			    struct ts_arena *arena, struct ts_trace_job *ret, struct ts_error *err);
/* "busy" */
const char *ts_job_figure_word(enum ts_job_figure figure);
const char *ts_job_file_word(enum ts_job_file_state state);

#endif
