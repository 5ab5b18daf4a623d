/* wire_reduction.c - see wire_reduction.h. A reduction in a cache is a GateRun too. */
#include "proto/wire_reduction.h"

#include "base/text.h"

#include <math.h>

enum { METRICS_MAX = 64, KEYS_BYTES = TS_WORKLOAD_PARTS * TS_ID_BYTES };

/* --- workload --- */

static Tscope__V1__Workload *build_workload(const struct ts_workload *in, struct ts_arena *arena)
{
	Tscope__V1__Workload *m = ts_wire_new(arena, WIRE_DESCRIPTOR(workload));

	if (!m)
		return NULL;
	m->name = ts_wire_span(in->name);
	m->keys = ts_wire_id_list(in->key, TS_WORKLOAD_PARTS);
	m->session = ts_wire_span(in->session);
	m->commit = ts_wire_span(in->commit);
	m->branch = ts_wire_span(in->branch);
	m->dirty = in->dirty;
	m->started_ns = in->started_ns;
	return m;
}

static void read_workload(struct ts_wire_reader *r, const Tscope__V1__Workload *m, struct ts_workload *out)
{
	if (!ts_wire_need(r, m, "workload"))
		return;
	out->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "workload.name");
	if (m->keys.len != KEYS_BYTES)
		ts_wire_fail(r, "workload.keys", "is not four ids of 32 bytes");
	else
		memcpy(out->key, m->keys.data, KEYS_BYTES);
	out->session = ts_wire_bytes(r, m->session, TS_ID_HEX, "workload.session");
	for (size_t i = 0; i < out->session.len; i++)
		if (!ts_is_digit(out->session.data[i]) && (out->session.data[i] < 'a' || out->session.data[i] > 'f')) {
			ts_wire_fail(r, "workload.session", "is not of hex digits");
			break;
		}
	out->commit = ts_wire_bytes(r, m->commit, TS_PATH_MAX, "workload.commit");
	out->branch = ts_wire_bytes(r, m->branch, TS_PATH_MAX, "workload.branch");
	out->dirty = m->dirty;
	out->started_ns = m->started_ns;
}

/* --- reduction --- */

static Tscope__V1__Reduced **build_metrics(const struct ts_reduced *in, struct ts_arena *arena)
{
	Tscope__V1__Reduced **rows = ts_wire_rows(arena, TS_METRICS, WIRE_DESCRIPTOR(reduced));

	for (size_t i = 0; rows && i < TS_METRICS; i++) {
		if (in[i].known) {
			rows[i]->value_choice_case = TSCOPE__V1__REDUCED__VALUE_CHOICE_VALUE;
			rows[i]->value = in[i].value;
		} else {
			rows[i]->reason = ts_wire_span(in[i].reason);
		}
	}
	return rows;
}

/* Metrics that a later version has are passed over; those that an earlier one lacked are unknown. */
static void read_metrics(struct ts_wire_reader *r, const Tscope__V1__Reduction *m, struct ts_reduced *out)
{
	if (m->n_metrics > METRICS_MAX)
		ts_wire_fail(r, "reduction.metrics", "are more than 64");
	for (size_t i = 0; i < TS_METRICS; i++) {
		const Tscope__V1__Reduced *row = i < m->n_metrics ? m->metrics[i] : NULL;

		out[i].known = row && row->value_choice_case == TSCOPE__V1__REDUCED__VALUE_CHOICE_VALUE;
		if (!out[i].known) {
			out[i].reason = row ? ts_wire_bytes(r, row->reason, TS_WIRE_TEXT_MAX, "reduction.metrics.reason")
					    : ts_span_str("it was reduced by a version without this metric");
			continue;
		}
		out[i].value = row->value;
		if (!isfinite(row->value) || (ts_metrics[i].log_scale && !(row->value > 0)))
			ts_wire_fail(r, "reduction.metrics.value", "is none that the metric can have");
	}
}

static bool build_ranks(Tscope__V1__Reduction *m, const struct ts_reduction *in, struct ts_arena *arena)
{
	m->ranks = ts_arena_array(arena, in->n_ranks, sizeof *m->ranks);
	m->work = ts_arena_array(arena, in->n_ranks, sizeof *m->work);
	m->wait = ts_arena_array(arena, in->n_ranks, sizeof *m->wait);
	if (!m->ranks || !m->work || !m->wait)
		return false;
	m->n_ranks = m->n_work = m->n_wait = in->n_ranks;
	for (size_t i = 0; i < in->n_ranks; i++) {
		m->ranks[i] = in->ranks[i].rank;
		m->work[i] = in->ranks[i].work;
		m->wait[i] = in->ranks[i].wait;
	}
	return true;
}

static void read_ranks(struct ts_wire_reader *r, const Tscope__V1__Reduction *m, struct ts_reduction *out)
{
	if (m->n_work != m->n_ranks || m->n_wait != m->n_ranks) {
		ts_wire_fail(r, "reduction.work", "is not one a rank");
		return;
	}
	out->ranks = ts_wire_array(r, m->n_ranks, sizeof *out->ranks, TS_REDUCE_RANKS_MAX, "reduction.ranks", &out->n_ranks);
	for (size_t i = 0; i < out->n_ranks; i++) {
		out->ranks[i] = (struct ts_reduced_rank){.rank = m->ranks[i], .work = m->work[i], .wait = m->wait[i]};
		if (i && m->ranks[i] <= m->ranks[i - 1])
			ts_wire_fail(r, "reduction.ranks", "are not ascending");
	}
}

static bool build_parts(Tscope__V1__Reduction *m, const struct ts_reduction *in, struct ts_arena *arena)
{
	m->parts = ts_wire_rows(arena, in->n_parts, WIRE_DESCRIPTOR(reduced_part));
	if (!m->parts)
		return false;
	m->n_parts = in->n_parts;
	for (size_t i = 0; i < in->n_parts; i++) {
		m->parts[i]->name = ts_wire_span(in->parts[i].name);
		m->parts[i]->seconds = in->parts[i].seconds;
	}
	return true;
}

static void read_parts(struct ts_wire_reader *r, const Tscope__V1__Reduction *m, struct ts_reduction *out)
{
	out->parts = ts_wire_array(r, m->n_parts, sizeof *out->parts, TS_REDUCE_PARTS_MAX, "reduction.parts", &out->n_parts);
	for (size_t i = 0; i < out->n_parts; i++) {
		out->parts[i].name = ts_wire_bytes(r, m->parts[i]->name, TS_PATH_MAX, "reduction.parts.name");
		out->parts[i].seconds = m->parts[i]->seconds;
		if (!isfinite(m->parts[i]->seconds))
			ts_wire_fail(r, "reduction.parts.seconds", "is not finite");
	}
}

static Tscope__V1__Reduction *build_reduction(const struct ts_reduction *in, struct ts_arena *arena)
{
	Tscope__V1__Reduction *m = ts_wire_new(arena, WIRE_DESCRIPTOR(reduction));

	if (!m || !build_parts(m, in, arena) || !build_ranks(m, in, arena))
		return NULL;
	m->metrics = build_metrics(in->metrics, arena);
	m->n_metrics = TS_METRICS;
	m->time_source = ts_wire_span(in->time_source);
	m->mfu_basis = ts_wire_span(in->mfu_basis);
	m->records = in->records;
	m->warmup = in->warmup;
	m->excluded = in->excluded;
	m->counted = in->counted;
	m->window = in->window;
	m->windows = in->windows;
	m->accumulation = in->accumulation;
	return m->metrics ? m : NULL;
}

static void read_reduction(struct ts_wire_reader *r, const Tscope__V1__Reduction *m, struct ts_reduction *out)
{
	if (!ts_wire_need(r, m, "reduction"))
		return;
	read_metrics(r, m, out->metrics);
	read_parts(r, m, out);
	read_ranks(r, m, out);
	out->time_source = ts_wire_bytes(r, m->time_source, TS_WIRE_TEXT_MAX, "reduction.time_source");
	out->mfu_basis = ts_wire_bytes(r, m->mfu_basis, TS_WIRE_TEXT_MAX, "reduction.mfu_basis");
	out->records = m->records;
	out->warmup = m->warmup;
	out->excluded = m->excluded;
	out->counted = m->counted;
	out->window = m->window;
	out->windows = m->windows;
	out->accumulation = m->accumulation;
	if (!(m->accumulation > 0) || isinf(m->accumulation))
		ts_wire_fail(r, "reduction.accumulation", "is no number above 0");
}

/* --- one run --- */

Tscope__V1__GateRun *ts_wire_build_gate_run(const struct ts_gate_run *in, struct ts_arena *arena)
{
	Tscope__V1__GateRun *m = ts_wire_new(arena, WIRE_DESCRIPTOR(gate_run));

	if (!m)
		return NULL;
	m->role = (Tscope__V1__GateRole)in->role;
	m->group = in->group;
	m->id = ts_wire_id_bytes(&in->id);
	m->name = ts_wire_span(in->name);
	m->workload = build_workload(&in->workload, arena);
	m->reduction = build_reduction(&in->reduction, arena);
	return m->workload && m->reduction ? m : NULL;
}

void ts_wire_read_gate_run(struct ts_wire_reader *r, const Tscope__V1__GateRun *m, struct ts_gate_run *out)
{
	out->role = (enum ts_gate_role)ts_wire_enum(r, (int)m->role, TS_GATE_CANDIDATE, TS_GATE_PAIR_CANDIDATE, "runs.role");
	out->group = m->group;
	out->id = ts_wire_id(r, m->id, "runs.id");
	out->name = ts_wire_text(r, m->name, TS_WIRE_SPEC_MAX, "runs.name");
	read_workload(r, m->workload, &out->workload);
	read_reduction(r, m->reduction, &out->reduction);
}

static const ProtobufCMessage *build_gate_run(const struct ts_gate_run *in, struct ts_arena *arena)
{
	Tscope__V1__GateRun *m = ts_wire_build_gate_run(in, arena);

	return m ? &m->base : NULL;
}

WIRE_PACK(gate_run, ts_gate_run);

static void read_gate_run(struct ts_wire_reader *r, const Tscope__V1__GateRun *m, struct ts_gate_run *out)
{
	ts_wire_read_gate_run(r, m, out);
}

WIRE_UNPACK(gate_run, ts_gate_run, gate_run);
