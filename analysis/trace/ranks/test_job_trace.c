/* job_trace.h: what is kept of a trace, found on paper. */
#include "analysis/trace/ranks/job_trace.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
	SEND_RECV,
	ALL_TO_ALL,
	GLOO,
	GLOO_SEND,
	MM,
	STARTS,
	GROUP_0,
	GROUP_1,
	RANKS_01,
	RANKS_NONE,
	SHAPE,
	BROADCAST,
	RECV,
	RANKS_FEW,
	RANKS_TWO,
	OWN
};

static struct ts_span names[NAMES + OWN];
static struct ts_job_trace kept;

static uint32_t own(uint32_t name)
{
	return NAMES + name;
}

static void begin(struct made *m)
{
	static const char *const more[OWN] = {"ncclDevKernel_SendRecv(ncclDevComm*)",
					      "nccl:all_to_all",
					      "gloo:all_reduce",
					      "gloo:send",
					      "aten::mm",
					      "c10d::allreduce_",
					      "0",
					      "1",
					      "[0, 1]",
					      "[]",
					      "[[64,3],[5]]",
					      "ncclDevKernel_Broadcast_RING_LL(ncclDevComm*)",
					      "recv",
					      "[1, 5, 9]",
					      "[5, 12]"};

	made_begin(m);
	for (size_t i = 0; i < NAMES; i++)
		names[i] = m->names[i];
	for (size_t i = 0; i < OWN; i++)
		names[NAMES + i] = ts_span_str(more[i]);
	m->trace.names = names;
	m->trace.n_names = NAMES + OWN;
	m->trace.about.rank = 3;
	m->trace.about.world_size = TS_TRACE_NONE;
}

static const struct ts_job_trace *keep(struct made *m)
{
	struct ts_arena scratch;

	ts_arena_init(&scratch, 0);
	if (ts_job_trace_of(&m->trace, &scratch, &m->arena, &kept, &m->err))
		fail_msg("%s", m->err.text);
	ts_arena_finish(&scratch); /* nothing of it may be needed */
	return &kept;
}

/* A kernel of all-reduce with what PyTorch says of it. */
static void add_said(struct made *m, int64_t from, int64_t until, uint32_t group, uint32_t ranks, int64_t sequence)
{
	struct ts_trace_collectives *c = &m->one.collectives;
	uint32_t at = (uint32_t)m->trace.rows.spans.n;

	c->n = 1;
	c->span[0] = 0;
	c->elements_in[0] = 100;
	c->elements_out[0] = 200;
	c->group_size[0] = 2;
	c->sequence[0] = sequence;
	c->ranks[0] = ranks;
	c->type[0] = c->about[0] = 0;
	c->rank[0] = c->source[0] = c->destination[0] = TS_TRACE_NONE;
	made_add(m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 1, from, until, TS_TRACE_NONE);
	m->trace.rows.spans.group[at] = group;
	c->n = 0;
}

static void collectives_are_kept_with_their_groups(void **state)
{
	const struct ts_job_trace *t;
	struct made m;

	(void)state;
	begin(&m);
	add_said(&m, 500, 600, own(GROUP_1), own(RANKS_01), 7);
	add_said(&m, 100, 200, own(GROUP_0), own(RANKS_NONE), TS_TRACE_NONE);
	add_said(&m, 300, 400, own(GROUP_1), own(RANKS_01), 6);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 5, 700, 800, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_GATHER, 2, 900, 950, TS_TRACE_NONE);
	t = keep(&m);
	assert_true(t->has_rank && !t->has_world_size);
	assert_int_equal(t->rank, 3);
	assert_int_equal(t->n_arrivals, 5);
	assert_int_equal(t->n_groups, 4);
	for (size_t i = 1; i < 5; i++)
		assert_true(t->arrivals[i - 1].begin < t->arrivals[i].begin);
	assert_int_equal(t->arrivals[1].sequence, 6);
	assert_int_equal(t->arrivals[1].elements_out, 200);
	assert_int_equal(t->arrivals[0].sequence, TS_TRACE_NONE);
	assert_int_equal(t->arrivals[1].group, t->arrivals[2].group);
	assert_int_not_equal(t->arrivals[0].group, t->arrivals[1].group);
	assert_true(ts_span_is(t->groups[t->arrivals[1].group].ranks, "[0, 1]"));
	assert_int_equal(t->groups[t->arrivals[0].group].ranks.len, 0);
	assert_int_equal(t->groups[t->arrivals[0].group].ordinal, -1);
	assert_int_equal(t->groups[t->arrivals[3].group].ordinal, 1); /* stream 5 */
	assert_int_equal(t->groups[t->arrivals[4].group].ordinal, 0); /* stream 2 */
	assert_int_equal(t->groups[t->arrivals[3].group].stream, 5);
	assert_int_equal(t->from, 100);
	assert_int_equal(t->until, 950);
	made_finish(&m);
}

/* Communication [100, 200) and [150, 300), computation [120, 140), [180, 250) and [290, 400): exposed are 20 + 40 + 40. */
static void exposed_is_communication_less_computation(void **state)
{
	static const int64_t wanted[][2] = {{100, 120}, {140, 180}, {250, 290}};
	const struct ts_job_trace *t;
	struct made m;

	(void)state;
	begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 290, 400, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 1, 100, 200, 2);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 120, 140, 3);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 2, 150, 300, 4);
	made_add(&m, TS_TRACE_FILL, NAME_NONE, 0, 180, 250, 5);
	made_add(&m, TS_TRACE_COPY, NAME_NONE, 0, 100, 400, 6);
	t = keep(&m);
	assert_int_equal(t->n_exposed, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(t->exposed[i].begin, wanted[i][0]);
		assert_int_equal(t->exposed[i].end, wanted[i][1]);
	}
	assert_int_equal(t->ns[TS_JOB_EXPOSED], 100);
	made_finish(&m);
}

/* Step 1 is [0, 100) on the host, and what it launched ends at 180; step 2 [100, 200) launched what ends at 250. */
static void steps_follow_each_other_as_devices_saw_them(void **state)
{
	const struct ts_job_trace *t;
	struct made m;

	(void)state;
	begin(&m);
	made_add(&m, TS_TRACE_ANNOTATION, NAME_STEP_2, 0, 100, 200, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_ANNOTATION, NAME_STEP_1, 0, 0, 100, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 90, 95, 1);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 120, 125, 2);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 0, 130, 180, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 200, 250, 2);
	t = keep(&m);
	assert_int_equal(t->n_steps, 2);
	assert_int_equal(t->steps[0].number, 1);
	assert_int_equal(t->steps[0].begin, 0);
	assert_int_equal(t->steps[0].end, 180);
	assert_int_equal(t->steps[1].begin, 180);
	assert_int_equal(t->steps[1].end, 250);
	assert_true(t->arrivals[0].in_step && t->arrivals[0].launched);
	assert_int_equal(t->arrivals[0].step, 1);
	assert_int_equal(t->step_ns[TS_JOB_BUSY], 100);
	made_finish(&m);
}

/* A kernel of sends and receives whose call stands in the annotation of an all-to-all, and one whose call does not. */
static void an_all_to_all_is_known_by_its_annotation(void **state)
{
	const struct ts_job_trace *t;
	struct made m;

	(void)state;
	begin(&m);
	made_add(&m, TS_TRACE_ANNOTATION, own(ALL_TO_ALL), 0, 0, 50, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 10, 20, 1);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 60, 70, 2);
	made_add(&m, TS_TRACE_KERNEL, own(SEND_RECV), 3, 100, 200, 1);
	made_add(&m, TS_TRACE_KERNEL, own(SEND_RECV), 3, 300, 400, 2);
	t = keep(&m);
	assert_int_equal(t->arrivals[0].collective, TS_COLLECTIVE_ALL_TO_ALL);
	assert_int_equal(t->arrivals[1].collective, TS_COLLECTIVE_SEND_RECV);
	made_finish(&m);
}

/* Kernels that say nothing; the call of one stands in an operator that does. */
static void an_operator_says_what_the_kernel_does_not(void **state)
{
	const struct ts_job_trace *t;
	struct made m;

	(void)state;
	begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 3, 100, 200, 1);
	made_add(&m, TS_TRACE_KERNEL, own(SEND_RECV), 3, 300, 400, 2);
	add_said(&m, 0, 50, own(GROUP_1), own(RANKS_01), 9);
	m.trace.rows.spans.kind[2] = TS_TRACE_OPERATOR;
	m.trace.rows.spans.collective[2] = own(ALL_TO_ALL);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 1, 10, 20, 2);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 1, 60, 70, 1);
	t = keep(&m);
	assert_int_equal(t->arrivals[1].sequence, 9);
	assert_int_equal(t->arrivals[1].elements_in, 100);
	assert_int_equal(t->arrivals[1].collective, TS_COLLECTIVE_ALL_TO_ALL);
	assert_true(ts_span_is(t->groups[t->arrivals[1].group].name, "1"));
	assert_int_equal(t->arrivals[0].sequence, TS_TRACE_NONE);
	assert_int_equal(t->groups[t->arrivals[0].group].ordinal, 0);
	assert_int_equal(t->groups[t->arrivals[0].group].stream, 3);
	made_finish(&m);
}

/* The operator around a broadcast names its root, as a place in the group; a kernel names the rank that it sends to. */
static void roots_and_peers_are_of_the_world(void **state)
{
	const struct ts_job_trace *t;
	struct made m;

	(void)state;
	begin(&m);
	m.trace.about.rank = 5;
	made_add(&m, TS_TRACE_KERNEL, own(BROADCAST), 3, 100, 200, 1);
	add_said(&m, 0, 50, own(GROUP_1), own(RANKS_FEW), TS_TRACE_NONE);
	m.trace.rows.spans.kind[1] = TS_TRACE_OPERATOR;
	m.trace.rows.collectives.rank[0] = 2;
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 1, 10, 20, 1);
	add_said(&m, 300, 400, own(GROUP_1), own(RANKS_FEW), TS_TRACE_NONE);
	add_said(&m, 500, 600, own(GROUP_0), own(RANKS_TWO), TS_TRACE_NONE);
	add_said(&m, 700, 800, own(GROUP_1), own(RANKS_FEW), TS_TRACE_NONE);
	for (size_t i = 3; i < 6; i++)
		m.trace.rows.spans.collective[i] = own(RECV);
	m.trace.rows.collectives.source[1] = 4;
	t = keep(&m);
	assert_int_equal(t->n_arrivals, 4);
	assert_int_equal(t->arrivals[0].root, 9);
	assert_int_equal(t->arrivals[0].peer, TS_TRACE_NONE);
	assert_int_equal(t->arrivals[1].peer, 4);
	assert_int_equal(t->arrivals[1].way, TS_JOB_RECEIVES);
	assert_int_equal(t->arrivals[1].root, TS_TRACE_NONE);
	assert_int_equal(t->arrivals[2].peer, 12); /* the other one of two */
	assert_int_equal(t->arrivals[2].way, TS_JOB_RECEIVES);
	assert_int_equal(t->arrivals[3].peer, TS_TRACE_NONE);
	/* A list that ends before the root does not name it. */
	m.trace.rows.collectives.rank[0] = 3;
	assert_int_equal(keep(&m)->arrivals[0].root, TS_TRACE_NONE);
	m.trace.rows.collectives.rank[0] = -1;
	assert_int_equal(keep(&m)->arrivals[0].root, TS_TRACE_NONE);
	made_finish(&m);
}

static void gloo_works_on_the_host(void **state)
{
	const struct ts_job_trace *t;
	struct made m;

	(void)state;
	begin(&m);
	made_add(&m, TS_TRACE_ANNOTATION, NAME_STEP_1, 0, 0, 1000, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_OPERATOR, own(MM), 0, 100, 220, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_OPERATOR, own(STARTS), 0, 220, 260, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_ANNOTATION, own(GLOO), 0, 200, 400, TS_TRACE_NONE);
	m.trace.rows.spans.shapes[3] = own(SHAPE);
	made_add(&m, TS_TRACE_ANNOTATION, own(GLOO_SEND), 0, 500, 600, TS_TRACE_NONE);
	t = keep(&m);
	assert_true(t->on_host);
	assert_int_equal(t->n_arrivals, 2);
	assert_int_equal(t->arrivals[0].collective, TS_COLLECTIVE_ALL_REDUCE);
	assert_int_equal(t->arrivals[0].elements_in, 64 * 3 + 5);
	assert_int_equal(t->arrivals[1].collective, TS_COLLECTIVE_SEND_RECV);
	assert_int_equal(t->n_exposed, 2);
	assert_int_equal(t->exposed[0].begin, 220);
	assert_int_equal(t->exposed[0].end, 400);
	assert_int_equal(t->steps[0].end, 1000);
	assert_true(t->steps[0].there);
	/* Where devices have collectives of their own, those count. */
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 0, 700, 800, 1);
	t = keep(&m);
	assert_false(t->on_host);
	assert_int_equal(t->n_arrivals, 1);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collectives_are_kept_with_their_groups),
		cmocka_unit_test(exposed_is_communication_less_computation),
		cmocka_unit_test(steps_follow_each_other_as_devices_saw_them),
		cmocka_unit_test(an_all_to_all_is_known_by_its_annotation),
		cmocka_unit_test(an_operator_says_what_the_kernel_does_not),
		cmocka_unit_test(roots_and_peers_are_of_the_world),
		cmocka_unit_test(gloo_works_on_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
