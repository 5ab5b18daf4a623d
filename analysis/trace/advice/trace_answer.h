/* trace_answer.h - what `tscope analyze` says of a trace that stands alone. */
#ifndef TSCOPE_ANALYSIS_TRACE_ADVICE_TRACE_ANSWER_H
#define TSCOPE_ANALYSIS_TRACE_ADVICE_TRACE_ANSWER_H

#include "analysis/answer/finding.h"
#include "analysis/answer/measure.h"
#include "analysis/answer/policy_item.h"
#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/device/trace_recorded.h"
#include "analysis/trace/diff/trace_diff.h"
#include "analysis/trace/host/trace_host.h"
#include "analysis/trace/path/critical_path.h"
#include "analysis/trace/work/allocation_sums.h"
#include "analysis/trace/work/graph_capture.h"
#include "analysis/trace/work/trace_work.h"
#include "base/error.h"

/* --- trace_rows.c ---
 *
 * A time is the sum over the devices of the trace, each of which counts by itself, so of one device it is that of timeline.h and
 * trace_host.h. Shares are of the sum of the devices' spans; those of fills and elementwise kernels are sums of durations, as
 * kernel_sums.h has them, and their shares are of the sum of all work; so are those of convolutions, of products that stay in float32
 * and of kernels that a compiler generated. Fills are kernels that fill and memsets; elementwise are kernels that copy, too, such as
 * casts and transposes, which a compiler fuses as well, and no memcpy. A time of a step is the mean over the steps of
 * the trace, and the share that of all of them of their time on the host. Without an event of a device, each row is unknown. What was
 * idle after waits of the host (trace_host.h) is a part of what was idle by cause; their source is where calls that cost a device time
 * stand most often, among equals the first by name. What one trace cannot say, TS_TIME_EXPOSED_WAITING, has no row here.
 */

struct ts_trace_answer;

struct ts_device_times {
	uint64_t ns[TS_TRACE_TIMES]; /* the largest number where a sum has more than 64 bits */
	uint64_t work_ns;	     /* the sum of all durations */
};

struct ts_device_times ts_device_times(const struct ts_trace_answer *answer);

/* Appends the rows of a trace: to those of a trace that stands alone, or to those of the rank of a run that recorded it. */
enum ts_status ts_trace_rows(const struct ts_trace_answer *answer, struct ts_arena *arena, struct ts_measures *io_rows,
			     struct ts_error *err);
/* The same of a trace of which nothing else is asked: computes only what the rows need. The scratch arena holds what they are made
 * of. */
enum ts_status ts_trace_rows_of(const struct ts_trace *trace, struct ts_arena *scratch, struct ts_arena *arena,
				struct ts_measures *io_rows, struct ts_error *err);
/* Appends the rows of a trace whose events were not read: what it says of itself, and times that are unknown for this reason, which is
 * not copied. */
enum ts_status ts_trace_rows_unread(const struct ts_trace_about *about, const char *reason, struct ts_arena *arena,
				    struct ts_measures *io_rows, struct ts_error *err);

/* --- trace_verdict.c ---
 *
 * A piece of advice is the finding whose time is longest: what it would save at most is that time, as it was measured. Nothing could
 * save more, because the time holds nothing else: exposed communication and copies overlap with no other work, idle time by cause is
 * idle, and a sum of durations is at least the time that they cover. Work that is done in a better way still takes time, and idle time
 * may go away wholly: a sum of durations stands first only where it is longer by TS_TRACE_ADVICE_LEAST of the time of the devices.
 * Where loading is advised, the host and its waits have the rest of the idle time.
 *
 * A finding may be about a large share of the work of a device that hardly works. What could save less than TS_TRACE_ADVICE_LEAST
 * of the time of the devices is no advice: who tries it could not see by a second trace that it helped, as `tscope diff` lets no
 * smaller difference stand out (trace_diff.h).
 *
 * A recording of the capture of graphs, in which at least a quarter of the calls that launch a kernel ran none, has no advice: its
 * devices wait because nothing is asked of them, and no program runs so twice. It has advice where what ran from graphs is more than
 * what was launched: it shows their replay, too.
 *
 * Of a job, whose findings have the numbers of the worst rank, advice follows the order of findings. A rank's time counts there, and
 * of two findings on the same time the sums over ranks say which one is advised.
 */

enum { TS_TRACE_ADVICE_MAX = 3 };
#define TS_TRACE_ADVICE_LEAST TS_TRACE_DIFF_LEAST

struct ts_trace_advice {
	struct ts_span code;	/* of the finding */
	struct ts_span what;	/* its title */
	struct ts_span how;	/* what to try */
	uint64_t saves_most_ns; /* of the time of all devices */
};

struct ts_trace_verdict {
	struct ts_measures measures; /* trace_rows.c */
	struct ts_findings findings;
	struct ts_trace_advice *advice; /* what may save most first */
	size_t n_advice;		/* TS_TRACE_ADVICE_MAX at most */
	size_t n_slight;		/* findings about too little time to be advice */
	bool captures; /* much that was launched was captured for graphs and ran nothing: no rule on its times is asked (rule.h) */
	uint64_t span_ns; /* of all devices, added up: what savings are a share of */
};

struct ts_rank_rows;
struct ts_trace_job;

/* Fills io_answer->verdict. policy may be NULL; a rule that it names has to exist (ts_policy_check). */
enum ts_status ts_trace_judge(struct ts_trace_answer *io_answer, const struct ts_policy *policy, struct ts_arena *arena,
			      struct ts_error *err);
/* Fills findings and advice of the job from the rows of one trace of each rank, which belong to ranks of the job, ascending. They
 * get the rows that only a job knows: what the rank waited for others while it computed nothing, and which rank others waited for
 * longest. */
enum ts_status ts_trace_job_judge(struct ts_trace_job *io_job, struct ts_rank_rows *io_ranks, size_t n_ranks,
				  const struct ts_policy *policy, struct ts_arena *arena, struct ts_error *err);

/* --- trace_answer.c --- */

enum { TS_TRACE_KERNELS_SHOWN = 15 };

struct ts_trace_answer {
	const char *path; /* as it was named */
	bool has_rank, has_world_size;
	int64_t rank, world_size;
	struct ts_span backend, device_name; /* of the first device; empty: not said */
	struct ts_trace_recorded recorded;
	int64_t base_ns;
	uint64_t events; /* in the file */
	uint64_t spans, operators, python, annotations, runtime, kernels, copies, fills, flows, allocations, counters;
	bool cut; /* the file ends too early */
	struct ts_trace_other {
		struct ts_span category; /* "mtia_ccp_events"; empty: the spans say none */
		uint64_t count;
	} * others; /* categories that the reader does not know, whose spans count as no work of a device; the most spans first */
	size_t n_others;
	struct ts_trace_notice *notices;
	size_t n_notices;
	struct ts_trace_warmup warmup;
	struct ts_timelines lines;
	struct ts_kernel_sums sums;
	struct ts_idle *idle; /* of each device and stream */
	size_t n_idle;
	struct ts_trace_host host;
	struct ts_critical_path critical;
	struct ts_trace_verdict verdict; /* by ts_trace_judge alone */
	struct ts_trace_work work;
	bool has_graphs; /* a trace of the capture was given */
	struct ts_graph_work graphs;
	struct ts_allocation_place *memory; /* of each device, and of the host, that the instants of the allocator name */
	size_t n_memory;
};

/* Counts and computes; what the reader alone knows (path, events, cut, notices) is left for the caller. Texts are the trace's.
 * critical: where the caller has found the path already, such as of one step; NULL: that of the trace is found. */
enum ts_status ts_trace_answer(const struct ts_trace *trace, const struct ts_critical_path *critical, struct ts_arena *arena,
			       struct ts_trace_answer *ret, struct ts_error *err);

#endif
