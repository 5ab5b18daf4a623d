#include "analysis/trace/trace_verdict.h"

#include "analysis/rules/rule.h"
#include "analysis/trace/trace_answer.h"

/* The time that each rule is about. */
static const struct {
	const char *code;
	enum ts_trace_time time;
} about[] = {
	{"DIST.EXPOSED_COMM", TS_TIME_EXPOSED_COMMUNICATION},
	{"TRACE.HOST_BOUND", TS_TIME_IDLE_HOST},
	{"TRACE.SYNC", TS_TIME_IDLE_AFTER_WAITS},
	{"TRACE.LAUNCH_BOUND", TS_TIME_IDLE_LAUNCH},
	{"TRACE.COPIES", TS_TIME_EXPOSED_COPIES},
	{"TRACE.FILLS", TS_TIME_FILLS},
	{"TRACE.ELEMENTWISE", TS_TIME_ELEMENTWISE},
	{"TRACE.LOADER", TS_TIME_IDLE_LOADING},
	{"TRACE.MATH_ATTENTION", TS_TIME_MATH_ATTENTION},
};

static bool time_of(struct ts_span code, const struct ts_device_times *times, uint64_t *ret)
{
	for (size_t i = 0; i < sizeof about / sizeof about[0]; i++) {
		if (!ts_span_is(code, about[i].code))
			continue;
		*ret = times->ns[about[i].time];
		return true;
	}
	return false;
}

static bool has(const struct ts_findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->n; i++)
		if (ts_span_is(findings->items[i].code, code))
			return true;
	return false;
}

/* Idle time behind a wait of the host, or in a data loader, is idle time that waits for the host, too: only one of the two is advised.
 * The more specific is, if it accounts for at least half of the other. */
static bool is_said_by_other(struct ts_span code, const struct ts_findings *findings, const struct ts_device_times *t)
{
	static const struct {
		const char *code;
		enum ts_trace_time time;
	} of_host[] = {{"TRACE.SYNC", TS_TIME_IDLE_AFTER_WAITS}, {"TRACE.LOADER", TS_TIME_IDLE_LOADING}};
	uint64_t half = t->ns[TS_TIME_IDLE_HOST] - t->ns[TS_TIME_IDLE_HOST] / 2;
	bool is_host = ts_span_is(code, "TRACE.HOST_BOUND");

	for (size_t i = 0; i < sizeof of_host / sizeof of_host[0]; i++) {
		bool most = t->ns[of_host[i].time] >= half;

		if (is_host && most && has(findings, of_host[i].code))
			return true;
		if (ts_span_is(code, of_host[i].code) && !most && has(findings, "TRACE.HOST_BOUND"))
			return true;
	}
	return false;
}

/* Keeps the longest, in order; among equals the finding that came first. */
static void advise(struct ts_trace_verdict *v, const struct ts_finding *f, uint64_t ns)
{
	size_t at = v->n_advice;

	while (at && v->advice[at - 1].saves_most_ns < ns)
		at--;
	if (at == TS_TRACE_ADVICE_MAX)
		return;
	v->n_advice += v->n_advice < TS_TRACE_ADVICE_MAX;
	for (size_t i = v->n_advice - 1; i > at; i--)
		v->advice[i] = v->advice[i - 1];
	v->advice[at] = (struct ts_trace_advice){f->code, f->title, f->advice, ns};
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
		uint64_t ns = 0;

		if (time_of(v.findings.items[i].code, &times, &ns) && !is_said_by_other(v.findings.items[i].code, &v.findings, &times))
			advise(&v, &v.findings.items[i], ns);
	}
	io_answer->verdict = v;
	return TS_OK;
}
