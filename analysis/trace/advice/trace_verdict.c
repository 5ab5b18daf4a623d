/* trace_verdict.c - what is wrong with a trace that stands alone, or with those of a job, by the rules that runs have, and what to try
 * first. */
#include "analysis/trace/advice/trace_answer.h"

#include "analysis/rules/rule.h"
#include "analysis/trace/device/saturate.h"
#include "analysis/trace/ranks/job.h"
#include "base/door.h"

/* The time that each rule is about; of_work: a sum of durations, which shrinks and does not go away where the advice is followed. */
static const struct about {
	const char *code;
	enum ts_trace_time time;
	bool of_work;
} about[] = {
	{"DIST.EXPOSED_COMM", TS_TIME_EXPOSED_COMMUNICATION, false},
	{"TRACE.HOST_BOUND", TS_TIME_IDLE_HOST, false},
	{"TRACE.SYNC", TS_TIME_IDLE_AFTER_WAITS, false},
	{"TRACE.LAUNCH_BOUND", TS_TIME_IDLE_LAUNCH, false},
	{"TRACE.COPIES", TS_TIME_EXPOSED_COPIES, false},
	{"TRACE.FILLS", TS_TIME_FILLS, true},
	{"TRACE.ELEMENTWISE", TS_TIME_ELEMENTWISE, true},
	{"TRACE.LOADER", TS_TIME_IDLE_LOADING, false},
	{"TRACE.MATH_ATTENTION", TS_TIME_MATH_ATTENTION, true},
	{"TRACE.WAITING", TS_TIME_EXPOSED_WAITING, false},
};

/* NULL: the rule is about no time. */
static const struct about *about_of(struct ts_span code)
{
	for (size_t i = 0; i < sizeof about / sizeof about[0]; i++)
		if (ts_span_is(code, about[i].code))
			return &about[i];
	return NULL;
}

static bool has(const struct ts_findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->n; i++)
		if (ts_span_is(findings->items[i].code, code))
			return true;
	return false;
}

/* What was idle in a data loader and what was idle behind a wait may be the same time, and is at least as far as both do not fit into
 * all that was idle. Without the wait the host would load all the same, so then loading is what is advised. */
static bool waits_are_loading(const struct ts_findings *findings, const struct ts_device_times *t)
{
	uint64_t idle = t->ns[TS_TIME_IDLE], loading = t->ns[TS_TIME_IDLE_LOADING], waits = t->ns[TS_TIME_IDLE_AFTER_WAITS];
	uint64_t elsewhere = idle > loading ? idle - loading : 0; /* of the waits at most */

	return has(findings, "TRACE.LOADER") && elsewhere <= waits / 2;
}

/* A time that is a part of another one is advised once: by the more specific finding, if it accounts for at least half of the other.
 * Idle time behind a wait of the host, or in a data loader, is idle time that waits for the host, too; what ranks wait for each other
 * is exposed communication. Less than half in a loader is known apart from the rest (without_loading), so both are advised. */
static bool is_said_by_other(struct ts_span code, const struct ts_findings *findings, const struct ts_device_times *t)
{
	static const struct {
		const char *part, *whole;
		enum ts_trace_time of_part, of_whole;
		bool apart;
	} parts[] = {
		{"TRACE.SYNC", "TRACE.HOST_BOUND", TS_TIME_IDLE_AFTER_WAITS, TS_TIME_IDLE_HOST, false},
		{"TRACE.LOADER", "TRACE.HOST_BOUND", TS_TIME_IDLE_LOADING, TS_TIME_IDLE_HOST, true},
		{"TRACE.WAITING", "DIST.EXPOSED_COMM", TS_TIME_EXPOSED_WAITING, TS_TIME_EXPOSED_COMMUNICATION, false},
	};

	if (ts_span_is(code, "TRACE.SYNC") && waits_are_loading(findings, t))
		return true;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		uint64_t whole = t->ns[parts[i].of_whole];
		bool most = t->ns[parts[i].of_part] >= whole - whole / 2;

		if (ts_span_is(code, parts[i].whole) && most && has(findings, parts[i].part))
			return true;
		if (ts_span_is(code, parts[i].part) && !most && !parts[i].apart && has(findings, parts[i].whole))
			return true;
	}
	return false;
}

/* What is left of a time where loading is advised beside it. */
static uint64_t without_loading(uint64_t ns, struct ts_span code, const struct ts_findings *findings, const struct ts_device_times *t)
{
	uint64_t loading = t->ns[TS_TIME_IDLE_LOADING];
	enum ts_trace_time whole = ts_span_is(code, "TRACE.SYNC") ? TS_TIME_IDLE : TS_TIME_IDLE_HOST;
	uint64_t rest = t->ns[whole] > loading ? t->ns[whole] - loading : 0;

	if (!has(findings, "TRACE.LOADER") || (!ts_span_is(code, "TRACE.SYNC") && !ts_span_is(code, "TRACE.HOST_BOUND")))
		return ns;
	return rest < ns ? rest : ns;
}

static bool is_slight(uint64_t ns, uint64_t span_ns)
{
	return (double)ns < TS_TRACE_ADVICE_LEAST * (double)span_ns;
}

/* By the kind of copy that takes more than half of the time, whose memory may be pinned already, or not be the host's. */
static struct ts_span how_of_copies(const struct ts_finding *f, const struct ts_transfers *t)
{
	enum { WITHIN, PINNED, PAGEABLE, KINDS };
	static const char *const how[KINDS] = {
		"Copies within a device take most of this time: leave out clone, contiguous and cat where a view does, and have "
		"results written where they are needed.",
		"Copies whose memory is pinned already take most of this time: begin them earlier and on a stream of their own, such "
		"as those of the next batch, and keep on the device what is read back and forth.",
		"Copies whose memory is pageable take most of this time: pin the memory of the host and copy with non_blocking=True on "
		"a stream of its own; keep on the device what is read back and forth.",
	};
	uint64_t of[KINDS] = {0}, all = 0;

	for (size_t i = 0; i < t->n_copies; i++) {
		const struct ts_copy_sum *c = &t->copies[i];

		all = ts_plus(all, c->exposed_ns);
		if (c->direction == TS_DIRECTION_DTOD)
			of[WITHIN] = ts_plus(of[WITHIN], c->exposed_ns);
		else if (c->memory == TS_HOST_MEMORY_PINNED)
			of[PINNED] = ts_plus(of[PINNED], c->exposed_ns);
		else if (c->memory == TS_HOST_MEMORY_PAGEABLE)
			of[PAGEABLE] = ts_plus(of[PAGEABLE], c->exposed_ns);
	}
	for (int i = 0; i < KINDS; i++)
		if (of[i] > all / 2)
			return ts_span_str(how[i]);
	return f->advice;
}

/* Whether most of what devices ran was launched by compiled code: in a region, or by a compiled graph, which has no region around it
 * in a backward pass. */
static bool is_mostly_compiled(const struct ts_trace_work *w)
{
	uint64_t regions = 0, graphs = 0;

	for (size_t i = 0; i < w->marks.n_regions; i++)
		regions += w->marks.regions[i].sum.count;
	for (size_t i = 0; i < w->n_operators; i++)
		if (ts_span_starts(w->operators[i].name, ts_span_str("CompiledFunction")))
			graphs += w->operators[i].total.count;
	return regions > w->all.count / 2 || graphs > w->all.count / 2;
}

/* What to try: never what the trace shows to be done already. */
static struct ts_span how_of(const struct ts_finding *f, const struct ts_trace_work *w)
{
	static const char graphs[] = "CUDA graphs launch most kernels here already: find what is launched one by one between them, "
				     "and what the host does from one graph to the next.";
	static const char compiled[] = "Parts of the program are compiled already: let what runs outside of compiled graphs be "
				       "compiled with them, and use fused normalizations, losses and optimizers.";
	static const char not_captured[] =
		"Most of the program is compiled already: let CUDA graphs launch it (mode='reduce-overhead'), compile the rest, and "
		"find what else the host does meanwhile: data loading, .item() and other reads of the device.";
	static const char workers[] =
		"The data loader has workers already: give it more of them where the host has cores for that, let it prefetch "
		"further ahead, keep the workers between epochs, and make costly transforms cheaper.";
	const struct ts_kernel_use *all = &w->use.all;
	bool in_graphs = all->graphed.count > all->sum.count / 2 || w->marks.graphed > w->all.count / 2;
	bool by_launches = ts_span_is(f->code, "TRACE.HOST_BOUND") || ts_span_is(f->code, "TRACE.LAUNCH_BOUND");

	if (by_launches && in_graphs)
		return ts_span_str(graphs);
	if (ts_span_is(f->code, "TRACE.HOST_BOUND") && is_mostly_compiled(w))
		return ts_span_str(not_captured);
	if (ts_span_is(f->code, "TRACE.ELEMENTWISE") && (w->marks.n_regions || w->marks.breaks.graph_calls))
		return ts_span_str(compiled);
	if (ts_span_is(f->code, "TRACE.COPIES"))
		return how_of_copies(f, &w->transfers);
	if (ts_span_is(f->code, "TRACE.LOADER") && w->marks.has_workers)
		return ts_span_str(workers);
	return f->advice;
}

/* What advice is ordered by. A sum of durations is less sure to be saved than idle or exposed time, so it stands behind one from which
 * it does not stand out. */
static double weight(struct ts_span code, uint64_t ns, uint64_t span_ns)
{
	return (double)ns - (about_of(code)->of_work ? TS_TRACE_ADVICE_LEAST * (double)span_ns : 0);
}

static double weight_of(const struct ts_trace_verdict *v, size_t i)
{
	return weight(v->advice[i].code, v->advice[i].saves_most_ns, v->span_ns);
}

/* Keeps those of the most weight, in order; among equals the finding that came first. */
static void advise(struct ts_trace_verdict *v, const struct ts_finding *f, struct ts_span how, uint64_t ns)
{
	size_t at = v->n_advice;

	while (at && weight_of(v, at - 1) < weight(f->code, ns, v->span_ns))
		at--;
	if (at == TS_TRACE_ADVICE_MAX)
		return;
	v->n_advice += v->n_advice < TS_TRACE_ADVICE_MAX;
	for (size_t i = v->n_advice - 1; i > at; i--)
		v->advice[i] = v->advice[i - 1];
	v->advice[at] = (struct ts_trace_advice){f->code, f->title, how, ns};
}

enum ts_status ts_trace_judge(struct ts_trace_answer *io_answer, const struct ts_policy *policy, struct ts_arena *arena,
			      struct ts_error *err)
{
	const struct ts_device_times times = ts_device_times(io_answer);
	struct ts_trace_verdict v = {.span_ns = times.ns[TS_TIME_SPAN]};

	v.advice = ts_arena_array(arena, TS_TRACE_ADVICE_MAX, sizeof *v.advice);
	if (!v.advice)
		return ts_arena_error(arena, err);
	if (ts_trace_rows(io_answer, arena, &v.measures, err) || ts_findings_of_trace(&v.measures, policy, arena, &v.findings, err))
		return err->status;
	for (size_t i = 0; i < v.findings.n; i++) {
		const struct ts_finding *f = &v.findings.items[i];
		const struct about *of = about_of(f->code);
		uint64_t ns;

		if (!of || is_said_by_other(f->code, &v.findings, &times))
			continue;
		ns = without_loading(times.ns[of->time], f->code, &v.findings, &times);
		if (is_slight(ns, v.span_ns))
			v.n_slight++;
		else
			advise(&v, f, how_of(f, &io_answer->work), ns);
	}
	v.captures = ts_trace_is_capture(&v.measures);
	TS_DOOR(v.n_advice <= TS_TRACE_ADVICE_MAX);
	TS_DOOR_SORTED(i, v.n_advice, weight_of(&v, i - 1) >= weight_of(&v, i));
	io_answer->verdict = v;
	return TS_OK;
}

/* --- of a job --- */

static const struct ts_job_rank *rank_of(const struct ts_trace_job *job, int64_t rank)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].rank == rank)
			return &job->ranks[i];
	return NULL;
}

/* The rank that others waited for longest, the lowest of equal ones; NULL: nobody waited. */
static const struct ts_job_rank *most_waited_for(const struct ts_trace_job *job)
{
	const struct ts_job_rank *most = NULL;

	for (size_t i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].caused_ns > (most ? most->caused_ns : 0))
			most = &job->ranks[i];
	return most;
}

/* The part of all that ranks waited for others that they waited for this one. Equal ranks have about equal parts. */
static double part_of_waiting(const struct ts_trace_job *job, const struct ts_job_rank *late)
{
	double all = 0;

	for (size_t i = 0; i < job->n_ranks; i++)
		all += (double)job->ranks[i].caused_ns;
	return (double)late->caused_ns / all;
}

/* Of a rank that communicates with ranks whose traces are here. */
static enum ts_status add_waiting(const struct ts_trace_job *job, const struct ts_job_rank *r, struct ts_arena *arena,
				  struct ts_measures *io_rows, struct ts_error *err)
{
	static const char unmatched[] = "of no collective of the traces it is known who waited";
	struct ts_span of = ts_span_str(ts_trace_times[TS_TIME_EXPOSED_WAITING]);
	const struct ts_job_rank *late = most_waited_for(job);
	double ns = (double)r->ns[TS_JOB_EXPOSED_WAITING], span = (double)r->ns[TS_JOB_SPAN];
	bool ok;

	if (job->n_ranks < 2 || !r->ns[TS_JOB_COMMUNICATION] || !r->ns[TS_JOB_SPAN])
		return TS_OK;
	if (!job->n_collectives)
		ok = ts_measure_unknown(io_rows, arena, TS_M_TRACE_TIME, of, unmatched) &&
		     ts_measure_unknown(io_rows, arena, TS_M_TRACE_SHARE, of, unmatched);
	else
		ok = ts_measure_add(io_rows, arena, TS_M_TRACE_TIME, of, ns / 1e9) &&
		     ts_measure_add(io_rows, arena, TS_M_TRACE_SHARE, of, ns / span);
	ok = ok && (!late || (ts_measure_add(io_rows, arena, TS_M_TRACE_WAITED_RANK, TS_NO_SUBJECT, (double)late->rank) &&
			      ts_measure_add(io_rows, arena, TS_M_TRACE_WAITED_SHARE, TS_NO_SUBJECT, part_of_waiting(job, late))));
	return ok ? TS_OK : ts_arena_error(arena, err);
}

/* Times that are not known count as 0. */
static void add_times(const struct ts_measures *rows, struct ts_device_times *io_times)
{
	for (int i = 0; i < TS_TRACE_TIMES; i++) {
		double s;

		if (ts_measure_value(rows, TS_M_TRACE_TIME, ts_span_str(ts_trace_times[i]), &s))
			io_times->ns[i] += (uint64_t)(s * 1e9 + 0.5);
	}
}

/* Whether the time of a finding is too short on the rank whose numbers it has; a finding that is about no time of devices is not. */
static bool is_slight_there(const struct ts_finding *f, const struct ts_rank_rows *ranks, size_t n_ranks)
{
	const struct about *of = about_of(f->code);

	for (size_t i = 0; i < n_ranks && of && f->has_rank; i++) {
		struct ts_device_times times = {.work_ns = 0};

		if (ranks[i].rank != f->rank)
			continue;
		add_times(&ranks[i].measures, &times);
		return is_slight(times.ns[of->time], times.ns[TS_TIME_SPAN]);
	}
	return false;
}

enum ts_status ts_trace_job_judge(struct ts_trace_job *io_job, struct ts_rank_rows *io_ranks, size_t n_ranks,
				  const struct ts_policy *policy, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_device_times all = {.work_ns = 0};
	const struct ts_findings *f = &io_job->findings;

	TS_DOOR_SORTED(i, n_ranks, io_ranks[i - 1].rank < io_ranks[i].rank);
	io_job->findings = (struct ts_findings){.n = 0};
	io_job->n_advice = 0;
	io_job->n_slight = 0;
	io_job->advice = ts_arena_array(arena, TS_TRACE_ADVICE_MAX, sizeof *io_job->advice);
	if (!io_job->advice)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n_ranks; i++) {
		const struct ts_job_rank *rank = rank_of(io_job, io_ranks[i].rank);

		if (rank && add_waiting(io_job, rank, arena, &io_ranks[i].measures, err))
			return err->status;
		add_times(&io_ranks[i].measures, &all);
	}
	if (n_ranks && ts_findings_of_ranks(io_ranks, n_ranks, policy, arena, &io_job->findings, err))
		return err->status;
	for (size_t i = 0; i < f->n; i++) {
		if (is_said_by_other(f->items[i].code, f, &all))
			continue;
		if (is_slight_there(&f->items[i], io_ranks, n_ranks))
			io_job->n_slight++;
		else if (io_job->n_advice < TS_TRACE_ADVICE_MAX)
			io_job->advice[io_job->n_advice++] = f->items[i];
	}
	return TS_OK;
}
