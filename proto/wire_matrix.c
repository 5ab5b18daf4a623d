/* wire_matrix.c - DiffMatrix: the first step at which each two of several runs part. */
#include "proto/wire_message.h"

static ProtobufCMessage *build_matrix_request(const struct ts_matrix_request *in, struct ts_arena *arena)
{
	Tscope__V1__DiffMatrixRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(diff_matrix_request));

	if (!m)
		return NULL;
	m->runs = ts_wire_spans(arena, in->runs, in->n);
	if (!m->runs)
		return NULL;
	m->n_runs = in->n;
	return &m->base;
}

static void read_matrix_request(struct ts_wire_reader *r, const Tscope__V1__DiffMatrixRequest *m,
				struct ts_matrix_request *out)
{
	out->runs = ts_wire_texts(r, m->runs, m->n_runs, TS_MATRIX_RUNS_MAX, TS_WIRE_SPEC_MAX, "runs", &out->n);
	if (m->n_runs < 2)
		ts_wire_fail(r, "runs", "has fewer than two");
}

WIRE_PACK(matrix_request, ts_matrix_request);
WIRE_UNPACK(matrix_request, ts_matrix_request, diff_matrix_request);

static size_t pairs_of(size_t n)
{
	return n * (n - 1) / 2;
}

static bool build_pairs(Tscope__V1__DiffMatrixReply *m, const struct ts_diff_matrix *in, struct ts_arena *arena)
{
	size_t n = in->n ? pairs_of(in->n) : 0;

	m->states = ts_arena_array(arena, n, sizeof *m->states);
	m->steps = ts_arena_array(arena, n, sizeof *m->steps);
	if (!m->states || !m->steps)
		return false;
	m->n_states = m->n_steps = n;
	for (size_t i = 0; i < n; i++) {
		m->states[i] = (Tscope__V1__PairState)in->pairs[i].state;
		m->steps[i] = in->pairs[i].step;
	}
	return true;
}

Tscope__V1__DiffMatrixReply *ts_wire_build_matrix(const struct ts_diff_matrix *in, struct ts_arena *arena)
{
	Tscope__V1__DiffMatrixReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(diff_matrix_reply));

	if (!m || !build_pairs(m, in, arena))
		return NULL;
	m->runs = ts_arena_array(arena, in->n, sizeof(Tscope__V1__RunRef *));
	if (!m->runs)
		return NULL;
	m->n_runs = in->n;
	for (size_t i = 0; i < in->n; i++) {
		m->runs[i] = ts_wire_build_run(arena, &in->runs[i]);
		if (!m->runs[i])
			return NULL;
	}
	return m;
}

static ProtobufCMessage *build_matrix_reply(const struct ts_diff_matrix *in, struct ts_arena *arena)
{
	Tscope__V1__DiffMatrixReply *m = ts_wire_build_matrix(in, arena);

	return m ? &m->base : NULL;
}

void ts_wire_read_matrix(struct ts_wire_reader *r, const Tscope__V1__DiffMatrixReply *m, size_t least,
			 struct ts_diff_matrix *out)
{
	size_t n;

	if (m->n_runs < least || m->n_runs > TS_MATRIX_RUNS_MAX || m->n_states != pairs_of(m->n_runs) ||
	    m->n_steps != m->n_states) {
		ts_wire_fail(r, "pairs", "are not one for each two runs");
		return;
	}
	out->runs = ts_wire_array(r, m->n_runs, sizeof *out->runs, TS_MATRIX_RUNS_MAX, "runs", &out->n);
	for (size_t i = 0; i < out->n; i++)
		ts_wire_read_run(r, m->runs[i], &out->runs[i], "runs");
	out->pairs = ts_wire_array(r, m->n_states, sizeof *out->pairs, m->n_states, "pairs", &n);
	for (size_t i = 0; i < n; i++) {
		out->pairs[i].state = (enum ts_pair_state)ts_wire_enum(r, m->states[i], TS_PAIR_SAME, TS_PAIR_APART, "states");
		out->pairs[i].step = m->steps[i];
	}
}

static void read_matrix_reply(struct ts_wire_reader *r, const Tscope__V1__DiffMatrixReply *m,
			      struct ts_diff_matrix *out)
{
	ts_wire_read_matrix(r, m, 2, out);
}

WIRE_PACK(matrix_reply, ts_diff_matrix);
WIRE_UNPACK(matrix_reply, ts_diff_matrix, diff_matrix_reply);
