/* trend_runs.c - the Trend method: one metric of the runs of a branch.
 *
 * It reduces one run at a time, or where a store has several servers some hundred, and keeps only what the answer shows, so that it
 * needs little more memory than the answer.
 */
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/gate/baselines.h"
#include "service/handlers/gate/gate_subject.h"
#include "service/handlers/gate/reduced_ahead.h"
#include "service/handlers/gate/trend_machine.h"

#include "analysis/gate/trend.h"

#include <math.h>

TS_REPLIER(trend_reply, ts_trend);

enum { SHOWN = 160 /* bytes of a reason or of a host, since each run may have one */, SHORT = 12 };

/* The data kept of each entry, to recognize a later push of the same run. */
struct mark {
	struct ts_workload start;
	bool gone;
};

struct follower {
	struct ts_fetch *f;
	const struct ts_trend_request *request;
	struct ts_arena *arena;
	struct ts_arena one; /* memory of one run while it is read */
	struct ts_gate_policy policy;
	bool has_workload;
	struct ts_workload workload;
	bool some; /* a run has a value */
	bool has_basis;
	struct ts_span basis; /* how the newest value was measured */
	struct ts_trend trend;
	struct mark *marks; /* one per entry */
	struct ts_workload others[TS_TREND_OTHERS]; /* other workloads of the branch, with their names in names */
	struct ts_span names[TS_TREND_OTHERS];
};

static enum ts_status keep(struct follower *t, struct ts_span text, size_t most, struct ts_span *out, struct ts_error *err)
{
	struct ts_span copy = ts_arena_span(t->arena, ts_span_of(text.data, text.len < most ? text.len : most));

	if (!copy.data)
		return ts_arena_error(t->arena, err);
	*out = copy;
	return TS_OK;
}

/* Keeps a workload. If it has no name, the answer names it by the first digits of the key of its config. */
static enum ts_status keep_workload(struct follower *t, const struct ts_workload *w, struct ts_workload *ret, struct ts_span *ret_name,
				    struct ts_error *err)
{
	static const struct ts_id none;
	char hex[TS_ID_HEX + 1];

	*ret = *w;
	if (keep(t, w->name, w->name.len, &ret->name, err))
		return err->status;
	*ret_name = ret->name;
	if (w->name.len == 0 && !ts_id_eq(&w->key[TS_WORKLOAD_CONFIG], &none))
		return keep(t, ts_span_of(ts_id_hex(&w->key[TS_WORKLOAD_CONFIG], hex), SHORT), SHORT, ret_name, err);
	return w->name.len ? TS_OK : keep(t, ts_span_str("not recorded"), SHORT, ret_name, err);
}

static enum ts_status follow(struct follower *t, const struct ts_workload *w, struct ts_error *err)
{
	t->has_workload = true;
	return keep_workload(t, w, &t->workload, &t->trend.workload, err);
}

static const struct ts_reduced *value_of(const struct follower *t, const struct ts_reduction *r)
{
	return ts_gate_reduced(&t->policy, r, t->trend.metric);
}

/* Keeps the value of a run of another workload, to see whether a cost moved there. */
static enum ts_status take_other(struct follower *t, const struct ts_gate_run *run, struct ts_trend_run *row, struct ts_error *err)
{
	const struct ts_reduced *value = value_of(t, &run->reduction);
	enum ts_workload_part part;
	size_t k = 0;

	if (!value->known || !isfinite(value->value))
		return TS_OK;
	while (k < t->trend.n_others && !ts_gate_same_workload(&t->policy, &run->workload, &t->others[k], &part))
		k++;
	if (k == TS_TREND_OTHERS)
		return TS_OK;
	if (k == t->trend.n_others) {
		if (keep_workload(t, &run->workload, &t->others[k], &t->names[k], err))
			return err->status;
		t->trend.n_others++;
		t->trend.others = t->names;
	}
	row->other = k + 1;
	row->value = value->value;
	return TS_OK;
}

static enum ts_status follow_like(struct follower *t, struct ts_error *err)
{
	struct ts_gate_run run = {.role = TS_GATE_CANDIDATE};
	struct ts_resolved found;

	if (ts_resolve(t->f->call->engine, t->request->like, t->arena, &found, err) ||
	    ts_reduce_run(t->f, &found.id, &t->policy, &t->one, &run, err))
		return err->status;
	return follow(t, &run.workload, err);
}

static enum ts_status leave_out(struct follower *t, struct ts_trend_run *row, const char *why, struct ts_span text,
				struct ts_error *err)
{
	const char *reason = ts_arena_printf(t->arena, "%s%.*s", why, (int)(text.len < SHOWN ? text.len : SHOWN),
					     (const char *)(text.len ? text.data : (const uint8_t *)""));

	if (!reason)
		return ts_arena_error(t->arena, err);
	row->reason = ts_span_str(reason);
	return TS_OK;
}

/* Describes how a value was measured. Like the gate, a trend does not compare values that were measured in different ways. */
static struct ts_span basis_of(const struct ts_reduction *r, enum ts_metric metric)
{
	if (metric == TS_METRIC_MFU)
		return r->mfu_basis;
	return metric >= TS_METRICS || metric == TS_METRIC_PEAK_MEMORY || metric == TS_METRIC_LOSS ? ts_span_of(NULL, 0)
												   : r->time_source;
}

/* Notes what a run's value may depend on besides its code: the host (of several, the first) and the time. */
static enum ts_status take_labels(struct follower *t, const struct ts_branch_run *r, struct ts_trend_run *row, struct ts_error *err)
{
	static const char *const paths[] = {"session.host", "session.hosts[0]"};
	struct ts_span host = ts_span_of(NULL, 0);

	row->started_ns = r->run.workload.started_ns;
	for (size_t i = 0; host.len == 0 && i < sizeof paths / sizeof paths[0]; i++)
		host = ts_workload_label_of(&r->run.workload, ts_span_str(paths[i]));
	return host.len ? keep(t, host, SHOWN, &row->host, err) : TS_OK;
}

static enum ts_status take_value(struct follower *t, const struct ts_reduction *r, struct ts_trend_run *row, struct ts_error *err)
{
	const struct ts_reduced_series *series = ts_gate_series(&t->policy, r, t->trend.metric);
	struct ts_span basis = basis_of(r, t->trend.metric), column = series ? series->column : r->loss_column;

	if (!t->has_basis && keep(t, basis, basis.len, &t->basis, err))
		return err->status;
	if (!t->has_basis) {
		if (keep(t, column, column.len, &t->trend.column, err))
			return err->status;
		t->trend.other_column = t->trend.column;
	} else if (ts_span_eq(t->trend.column, t->trend.other_column) && keep(t, column, column.len, &t->trend.other_column, err)) {
		return err->status;
	}
	t->has_basis = true;
	if (!ts_span_eq(basis, t->basis))
		return leave_out(t, row, "measured in another way than the newest run: by ", basis, err);
	row->known = true;
	row->value = value_of(t, r)->value;
	return TS_OK;
}

static enum ts_status judge(struct follower *t, const struct ts_branch_run *r, struct ts_trend_run *row, struct ts_error *err)
{
	const struct ts_reduced *value = value_of(t, &r->run.reduction);
	enum ts_workload_part part;

	t->some |= !r->gone && value->known;
	if (r->gone)
		return leave_out(t, row, "", r->bad, err);
	if (r->training)
		return leave_out(t, row, "still training", ts_span_of(NULL, 0), err);
	if (r->bad.len)
		return leave_out(t, row, "marked bad: ", r->bad, err);
	if (!t->has_workload && ts_gate_same_workload(&t->policy, &r->run.workload, &r->run.workload, &part) &&
	    follow(t, &r->run.workload, err))
		return err->status;
	if (!t->has_workload)
		return leave_out(t, row, "not of workload ", t->policy.workload, err);
	if (!ts_gate_same_workload(&t->policy, &r->run.workload, &t->workload, &part) && take_other(t, &r->run, row, err))
		return err->status;
	row->another = !ts_gate_same_workload(&t->policy, &r->run.workload, &t->workload, &part);
	if (row->another)
		return leave_out(t, row, "of another workload: different ", ts_span_str(ts_workload_part_word(part)), err);
	if (!value->known)
		return leave_out(t, row, "", value->reason, err);
	if (!isfinite(value->value))
		return leave_out(t, row, "its value is NaN or infinite", ts_span_of(NULL, 0), err);
	if (take_value(t, &r->run.reduction, row, err))
		return err->status;
	return row->known ? take_labels(t, r, row, err) : TS_OK;
}

static enum ts_status remember(struct follower *t, const struct ts_branch_run *r, struct mark *mark, struct ts_error *err)
{
	const struct ts_workload *w = &r->run.workload;

	mark->gone = r->gone;
	mark->start.started_ns = w->started_ns;
	if (keep(t, w->session, w->session.len, &mark->start.session, err))
		return err->status;
	return keep(t, w->commit, w->commit.len, &mark->start.commit, err);
}

static bool pushed_again(const struct follower *t, const struct ts_branch_run *r, const struct mark *mark)
{
	return r->later != SIZE_MAX && !mark->gone && !t->marks[r->later].gone &&
	       ts_branch_same_run(&mark->start, &t->marks[r->later].start);
}

/* The spans of a run are valid until the next one is taken. */
static enum ts_status take(struct follower *t, const struct ts_branch_run *run, struct mark *mark, struct ts_error *err)
{
	struct ts_trend_run row = {.id = run->run.id, .moved_ns = run->moved_ns, .accepted = run->accepted.len > 0};

	if (remember(t, run, mark, err))
		return err->status;
	if (pushed_again(t, run, mark))
		return TS_OK;
	row.commit = mark->start.commit;
	if (judge(t, run, &row, err) || keep(t, run->accepted, SHOWN, &row.accept_reason, err))
		return err->status;
	t->trend.runs[t->trend.n_runs++] = row;
	return TS_OK;
}

static enum ts_status take_all(struct follower *t, const struct ts_branch_run *entries, size_t n, struct ts_error *err)
{
	const struct ts_reduce_request wanted = {.metric = t->request->metric, .policy = t->request->policy};
	struct ts_reduced_ahead ahead;
	enum ts_status status = TS_OK;
	struct ts_branch_run run;

	ts_reduced_ahead_begin(&ahead, t->f, &wanted, &t->policy);
	for (size_t i = 0; i < n && !status; i++) {
		ts_arena_reset(&t->one);
		status = ts_reduced_ahead_entry(&ahead, entries, n, i, &t->one, &run, err);
		if (!status)
			status = take(t, &run, &t->marks[i], err);
	}
	ts_reduced_ahead_end(&ahead);
	return status;
}

/* The newest run that can be read; NULL: there is none. */
static const struct ts_id *newest(const struct follower *t, const struct ts_branch_run *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!t->marks[i].gone)
			return &entries[i].run.id;
	return NULL;
}

static enum ts_status follow_branch(struct follower *t, struct ts_error *err)
{
	struct ts_trend *trend = &t->trend;
	struct ts_branch_run *entries = NULL;
	struct ts_pruned pruned;
	size_t n = 0, limit = t->request->limit ? (size_t)t->request->limit : TS_TREND_RUNS_MAX;

	if (ts_branch_entries(t->f, trend->branch, limit, t->arena, &entries, &n, &trend->older, &pruned, err))
		return err->status;
	trend->pruned = pruned.entries;
	trend->pruned_ns = pruned.at_ns;
	trend->runs = ts_arena_array(t->arena, n, sizeof *trend->runs);
	t->marks = ts_arena_array(t->arena, n, sizeof *t->marks);
	if (!trend->runs || !t->marks)
		return ts_arena_error(t->arena, err);
	if (take_all(t, entries, n, err))
		return err->status;
	if (n && !t->some && trend->metric >= TS_METRICS)
		return ts_logged_missing(t->f, newest(t, entries, n), t->policy.logged[0], err);
	for (size_t i = 0; i < trend->n_runs / 2; i++) {
		struct ts_trend_run kept = trend->runs[i];

		trend->runs[i] = trend->runs[trend->n_runs - 1 - i];
		trend->runs[trend->n_runs - 1 - i] = kept;
	}
	return TS_OK;
}

static enum ts_status find_branch(struct follower *t, struct ts_error *err)
{
	struct ts_resolved found;

	if (ts_resolve(t->f->call->engine, t->request->branch, t->arena, &found, err))
		return err->status;
	if (!found.by_ref || found.ref.kind != TS_REF_BRANCH)
		return ts_error_set(err, TS_INVALID, "%.*s is not a branch; 'tscope push --branch NAME' creates one",
				    TS_SPAN_ARG(t->request->branch));
	t->trend.branch = found.ref.name;
	return TS_OK;
}

static enum ts_status answer(struct follower *t, struct ts_error *err)
{
	if (ts_reduced_policy(t->request->metric, &t->request->policy, t->arena, &t->policy, &t->trend.metric, err) ||
	    find_branch(t, err) ||
	    (t->request->like.len && follow_like(t, err)) || follow_branch(t, err) ||
	    ts_trend_judge(&t->trend, &t->policy, t->arena, err) ||
	    ts_trend_machines(t->f, &t->trend, &t->one, t->arena, err))
		return err->status;
	return TS_OK;
}

enum ts_status ts_handle_trend(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_trend_request request;
	struct ts_arena arena;
	struct ts_fetch f;
	struct follower t = {.f = &f, .request = &request, .arena = &arena};
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_trend_request(in, call->arena, &request, err))
		return err->status;
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&t.one, TS_ANALYSIS_ARENA);
	ts_fetch_init(&f, call);
	status = answer(&t, err);
	if (!status)
		status = reply_trend_reply(call, &t.trend, err);
	ts_fetch_finish(&f);
	ts_arena_finish(&t.one);
	ts_arena_finish(&arena);
	return status;
}
