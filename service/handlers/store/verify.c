/* verify.c - Verify: progress while everything, or what is new, is read and hashed again, runs are held to their indexes, and what
 * lists show of them to their steps; then the server's audit log, and the report. */
#include "base/limits.h"
#include "service/handlers/core/audited.h"
#include "service/handlers/core/each_ref.h"
#include "service/handlers/core/fit.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/scores.h"

TS_REPLIER(verify_event, ts_verify_event);

enum { PROGRESS_OBJECTS = 1024 }; /* one event for about this many: some 10 ms of hashing */

struct progress {
	struct ts_call *call;
	struct ts_verify_event *event; /* the last one */
	struct ts_error *err;
	enum ts_status status; /* why the walk was stopped */
	uint64_t last;
};

static bool report(void *ctx, uint64_t done, uint64_t total)
{
	struct progress *p = ctx;
	struct ts_verify_event event = {.done = done, .total = total};

	p->status = ts_call_check(p->call, p->err);
	if (p->status)
		return false;
	if (done - p->last < PROGRESS_OBJECTS)
		return true;
	p->last = done;
	p->status = reply_verify_event(p->call, &event, p->err);
	return !p->status;
}

/* --- what runs say of their objects --- */

enum { NAMED_RUNS = 64 };

struct fitting {
	struct ts_call *call;
	struct ts_fetch f;
	struct ts_fit_seen seen;
	struct ts_verify_event *event;
	int64_t since_ns; /* names that moved before were looked at by an earlier call */
};

static enum ts_status add_misfit(struct fitting *v, const struct ts_ref *ref, const struct ts_error *why, struct ts_error *err)
{
	struct ts_verify_event *e = v->event;
	char *text;

	e->misfits++;
	if (e->n_misfit == NAMED_RUNS)
		return TS_OK;
	text = ts_arena_printf(v->call->arena, "%s %.*s: %s", ts_ref_word(ref->kind), TS_SPAN_ARG(ref->name), why->text);
	if (!text)
		return ts_arena_error(v->call->arena, err);
	e->misfit[e->n_misfit++] = ts_span_str(text);
	return TS_OK;
}

/* Whether a name still says what it said: a run that was removed meanwhile may be swept already, and is no misfit. */
static enum ts_status stands(struct fitting *v, const struct ts_ref *ref, bool *ret_stands, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	struct ts_ref now;

	ts_arena_init(&arena, TS_CALL_ARENA);
	status = v->call->engine->ops->ref_get(v->call->engine, ref->kind, ref->name, &arena, &now, err);
	*ret_stands = !status && ts_id_eq(&now.id, &ref->id);
	ts_arena_finish(&arena);
	return status == TS_NOT_FOUND ? TS_OK : status;
}

/* A ts_ref_visit. The entries of a branch's log below its newest are names of runs as a rule; those whose name was removed are not
 * looked at. */
static enum ts_status fit_ref(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err)
{
	struct fitting *v = ctx;
	struct ts_error why = {.status = TS_OK};
	struct ts_arena arena;
	enum ts_status status;
	struct ts_run run;
	bool is_there;

	(void)ret_enough;
	if (ref->moved_ns < v->since_ns || !ts_fit_seen_run(&v->seen, &ref->id))
		return TS_OK;
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = ts_run_open(&v->f, &ref->id, &arena, &run, &why);
	if (!status)
		status = ts_run_fits(&v->f, &run, true, &v->seen, &why);
	if (!status)
		status = ts_scores_verify(&v->f, &run, &arena, &why);
	ts_arena_finish(&arena);
	if (status == TS_DAMAGED || status == TS_NOT_FOUND || status == TS_UNSUPPORTED) {
		if (stands(v, ref, &is_there, err))
			return err->status;
		return is_there ? add_misfit(v, ref, &why, err) : TS_OK;
	}
	if (status)
		*err = why;
	return status;
}

/* Adds the misfits to the event. */
static enum ts_status fit_all(struct ts_call *call, const struct ts_verify_report *report, struct ts_verify_event *event,
			      struct ts_error *err)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_STAGE, TS_REF_BRANCH};
	struct fitting v = {.call = call, .event = event, .since_ns = report->sound_ns ? report->moved_ns : INT64_MIN};
	enum ts_status status = TS_OK;

	event->misfit = ts_arena_array(call->arena, NAMED_RUNS, sizeof *event->misfit);
	if (!event->misfit)
		return ts_arena_error(call->arena, err);
	ts_fetch_init(&v.f, call);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !status; i++)
		status = ts_each_ref(call, call->engine, kinds[i], ts_span_of(NULL, 0), TS_ORDER_NAME, fit_ref, &v, err);
	ts_fetch_finish(&v.f);
	ts_fit_seen_finish(&v.seen);
	return status;
}

/* As struct ts_verify_options has it. */
static enum ts_status look_more(void *ctx, const struct ts_verify_report *report, bool *ret_sound, struct ts_error *err)
{
	struct progress *p = ctx;

	if (fit_all(p->call, report, p->event, err))
		return err->status;
	*ret_sound = p->event->misfits == 0;
	return TS_OK;
}

/* --- what was counted --- */

static void print_drift(const struct ts_drift *drift, struct ts_buf *out)
{
	ts_buf_printf(out, "%s%.*s", drift->counted.sender ? "" : "project ", TS_SPAN_ARG(drift->counted.name));
	for (int i = 0, n = 0; i < TS_USES; i++)
		if (drift->counted.used[i] != drift->found[i])
			ts_buf_printf(out, "%s %s: %" PRIu64 " counted, %" PRIu64 " found", n++ ? "," : "", ts_quota_word(i),
				      drift->counted.used[i], drift->found[i]);
}

static enum ts_status name_drifts(struct ts_call *call, struct ts_verify_event *event, struct ts_error *err)
{
	const struct ts_verify_report *report = &event->report;
	struct ts_buf text = TS_BUF_INIT(4096);

	event->drift = ts_arena_array(call->arena, report->n_drifts, sizeof *event->drift);
	if (!event->drift)
		return ts_arena_error(call->arena, err);
	for (size_t i = 0; i < report->n_drifts; i++) {
		ts_buf_reset(&text);
		print_drift(&report->drifts[i], &text);
		event->drift[i] = ts_arena_span(call->arena, ts_buf_view(&text));
		if (!event->drift[i].data) {
			ts_buf_finish(&text);
			return ts_arena_error(call->arena, err);
		}
		event->n_drift++;
	}
	ts_buf_finish(&text);
	return TS_OK;
}

enum ts_status ts_handle_verify(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_error stopped;
	struct ts_verify_event event = {.final = true};
	struct progress p = {.call = call, .event = &event, .err = &stopped};
	struct ts_verify_options options = {.progress = report, .more = look_more, .ctx = &p};
	struct ts_verify_request request;

	(void)state;
	if (ts_wire_unpack_verify_request(in, call->arena, &request, err))
		return err->status;
	options.only_new = request.only_new;
	if (call->engine->ops->verify(call->engine, &options, call->arena, &event.report, err)) {
		if (p.status)
			*err = stopped;
		return err->status;
	}
	if (name_drifts(call, &event, err) || ts_audited_check(call, &event.audit, err))
		return err->status;
	event.done = event.total = event.report.objects;
	return reply_verify_event(call, &event, err);
}
