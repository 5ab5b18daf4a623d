/* wire_trend.c - Trend: one metric of the runs of a branch, and where its level changed. */
#include "proto/shape/shape_wire.h"
#include "proto/shape/shapes.h"

#include "analysis/stats/change_point.h"

enum { RUNS_MAX = TS_TREND_RUNS_MAX, CHANGES_MAX = TS_TREND_RUNS_MAX / TS_CHANGE_LEAST };

static ProtobufCMessage *build_trend_request(const struct ts_trend_request *in, struct ts_arena *arena)
{
	Tscope__V1__TrendRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(trend_request));

	if (!m)
		return NULL;
	m->branch = ts_wire_span(in->branch);
	m->metric = ts_wire_span(ts_span_str(ts_metrics[in->metric].name));
	m->limit = in->limit;
	m->like = ts_wire_span(in->like);
	m->policy = ts_shape_build_list(&ts_shape_policy_item, in->policy.items, in->policy.n, arena);
	if (!m->policy)
		return NULL;
	m->n_policy = in->policy.n;
	return &m->base;
}

static enum ts_metric read_metric(struct ts_wire_reader *r, ProtobufCBinaryData in)
{
	enum ts_metric metric = TS_METRIC_STEP_TIME;

	if (!ts_metric_find(ts_wire_text(r, in, TS_PATH_MAX, "metric"), &metric))
		ts_wire_fail(r, "metric", "is none of ours");
	return metric;
}

static void read_trend_request(struct ts_wire_reader *r, const Tscope__V1__TrendRequest *m, struct ts_trend_request *out)
{
	out->branch = ts_wire_text(r, m->branch, TS_WIRE_SPEC_MAX, "branch");
	out->metric = read_metric(r, m->metric);
	out->limit = ts_wire_uint(r, m->limit, RUNS_MAX, "limit");
	out->like = ts_wire_text(r, m->like, TS_WIRE_SPEC_MAX, "like");
	out->policy.items = ts_shape_read_list(&ts_shape_policy_item, r, m->policy, m->n_policy, TS_WIRE_POLICY_MAX, "policy", &out->policy.n);
}

WIRE_PACK(trend_request, ts_trend_request);
WIRE_UNPACK(trend_request, ts_trend_request, trend_request);

static void fill_run(Tscope__V1__TrendRun *m, const struct ts_trend_run *in)
{
	m->id = ts_wire_id_bytes(&in->id);
	m->commit = ts_wire_span(in->commit);
	m->moved_ns = in->moved_ns;
	if (in->known) {
		m->value_choice_case = TSCOPE__V1__TREND_RUN__VALUE_CHOICE_VALUE;
		m->value = in->value;
	}
	m->reason = ts_wire_span(in->reason);
	m->accepted = in->accepted;
	m->accept_reason = ts_wire_span(in->accept_reason);
}

static void fill_change(Tscope__V1__TrendChange *m, const struct ts_trend_change *in)
{
	m->at = in->at;
	m->last_before = in->last_before;
	m->before = in->before;
	m->after = in->after;
	m->size = in->size;
	m->p = in->p;
	m->worse = in->worse;
	m->accepted = in->accepted;
}

static ProtobufCMessage *build_trend_reply(const struct ts_trend *in, struct ts_arena *arena)
{
	Tscope__V1__TrendReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(trend_reply));

	if (!m)
		return NULL;
	m->branch = ts_wire_span(in->branch);
	m->metric = ts_wire_span(ts_span_str(ts_metrics[in->metric].name));
	m->workload = ts_wire_span(in->workload);
	m->left_out = in->left_out;
	m->older = in->older;
	m->sentence = ts_wire_span(in->sentence);
	m->runs = ts_wire_rows(arena, in->n_runs, WIRE_DESCRIPTOR(trend_run));
	m->changes = ts_wire_rows(arena, in->n_changes, WIRE_DESCRIPTOR(trend_change));
	if (!m->runs || !m->changes)
		return NULL;
	m->n_runs = in->n_runs;
	m->n_changes = in->n_changes;
	for (size_t i = 0; i < in->n_runs; i++)
		fill_run(m->runs[i], &in->runs[i]);
	for (size_t i = 0; i < in->n_changes; i++)
		fill_change(m->changes[i], &in->changes[i]);
	return &m->base;
}

static void read_run(struct ts_wire_reader *r, const Tscope__V1__TrendRun *m, struct ts_trend_run *out)
{
	out->id = ts_wire_id(r, m->id, "runs.id");
	out->commit = ts_wire_bytes(r, m->commit, TS_PATH_MAX, "runs.commit");
	out->moved_ns = m->moved_ns;
	out->known = m->value_choice_case == TSCOPE__V1__TREND_RUN__VALUE_CHOICE_VALUE;
	out->value = out->known ? m->value : 0;
	out->reason = ts_wire_bytes(r, m->reason, TS_WIRE_TEXT_MAX, "runs.reason");
	out->accepted = m->accepted;
	out->accept_reason = ts_wire_bytes(r, m->accept_reason, TS_WIRE_TEXT_MAX, "runs.accept_reason");
}

/* Renderers index runs by them. */
static void read_change(struct ts_wire_reader *r, const Tscope__V1__TrendChange *m, size_t n_runs, struct ts_trend_change *out)
{
	if (m->at >= n_runs || m->last_before >= m->at)
		ts_wire_fail(r, "changes.at", "names no run");
	out->at = (size_t)m->at;
	out->last_before = (size_t)m->last_before;
	out->before = m->before;
	out->after = m->after;
	out->size = m->size;
	out->p = m->p;
	out->worse = m->worse;
	out->accepted = m->accepted;
}

static void read_trend_reply(struct ts_wire_reader *r, const Tscope__V1__TrendReply *m, struct ts_trend *out)
{
	out->branch = ts_wire_text(r, m->branch, TS_WIRE_SPEC_MAX, "branch");
	out->metric = read_metric(r, m->metric);
	out->workload = ts_wire_bytes(r, m->workload, TS_PATH_MAX, "workload");
	out->older = m->older;
	out->sentence = ts_wire_bytes(r, m->sentence, TS_WIRE_TEXT_MAX, "sentence");
	out->runs = ts_wire_array(r, m->n_runs, sizeof *out->runs, RUNS_MAX, "runs", &out->n_runs);
	for (size_t i = 0; i < out->n_runs; i++)
		read_run(r, m->runs[i], &out->runs[i]);
	out->left_out = ts_wire_uint(r, m->left_out, out->n_runs, "left_out");
	out->changes = ts_wire_array(r, m->n_changes, sizeof *out->changes, CHANGES_MAX, "changes", &out->n_changes);
	for (size_t i = 0; i < out->n_changes; i++) {
		read_change(r, m->changes[i], out->n_runs, &out->changes[i]);
		if (i && out->changes[i].at <= out->changes[i - 1].at)
			ts_wire_fail(r, "changes.at", "are not ascending");
	}
}

WIRE_PACK(trend_reply, ts_trend);
WIRE_UNPACK(trend_reply, ts_trend, trend_reply);
