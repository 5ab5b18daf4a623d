/* job.h: jobs of a few ranks whose answers were found on paper, and times that no clock has. */
#include "analysis/trace/ranks/job.h"

#include "analysis/stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RANKS = 12, ARRIVALS = 64, STEPS = 32, GROUPS = 4 };

/* A job that tests make kernel by kernel. */
struct made {
	struct ts_job_trace traces[RANKS];
	struct ts_job_arrival arrivals[RANKS][ARRIVALS];
	struct ts_job_interval exposed[RANKS][ARRIVALS];
	struct ts_job_step steps[RANKS][STEPS];
	struct ts_job_group_name groups[RANKS][GROUPS];
	enum ts_job_file_state states[RANKS];
	const char *whys[RANKS];
	size_t n;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_trace_job job;
};

static struct made made;

/* n ranks from 0 on, each with the named group "0" of all of them. */
static void begin(size_t n)
{
	ts_arena_finish(&made.arena);
	memset(&made, 0, sizeof made);
	ts_arena_init(&made.arena, 0);
	made.n = n;
	for (size_t r = 0; r < n; r++) {
		struct ts_job_trace *t = &made.traces[r];

		t->file = "a.json";
		t->has_rank = t->any = true;
		t->rank = (int64_t)r;
		t->from = -100;
		t->until = 1000000;
		t->arrivals = made.arrivals[r];
		t->exposed = made.exposed[r];
		t->steps = made.steps[r];
		t->groups = made.groups[r];
		t->n_groups = 1;
		t->groups[0] = (struct ts_job_group_name){.name = ts_span_str("0"), .size = TS_TRACE_NONE, .ordinal = -1};
	}
}

/* All n ranks are on one host. */
static void one_clock(size_t n)
{
	for (size_t r = 0; r < n; r++)
		made.traces[r].host = ts_span_str("a");
}

static struct ts_job_arrival *add(size_t rank, int64_t from, int64_t until, int64_t sequence)
{
	struct ts_job_trace *t = &made.traces[rank];
	struct ts_job_arrival *a = &t->arrivals[t->n_arrivals++];

	*a = (struct ts_job_arrival){.begin = from,
				     .end = until,
				     .sequence = sequence,
				     .root = TS_TRACE_NONE,
				     .peer = TS_TRACE_NONE,
				     .elements_in = TS_TRACE_NONE,
				     .elements_out = TS_TRACE_NONE,
				     .collective = TS_COLLECTIVE_ALL_REDUCE,
				     .launched = true};
	t->exposed[t->n_exposed++] = (struct ts_job_interval){from, until};
	t->until = until > t->until ? until : t->until;
	return a;
}

static const struct ts_trace_job *ask(void)
{
	if (ts_trace_job(made.traces, made.n, made.states, made.whys, &made.arena, &made.job, &made.err))
		fail_msg("%s", made.err.text);
	return &made.job;
}

/* Rank 0 comes at 100 and 600, rank 1 at 300 and 500, rank 2 at 250 and 520; both end at 400 and 700. */
static void the_last_makes_others_wait(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(3);
	add(0, 100, 400, 1);
	add(0, 600, 700, 2);
	add(1, 300, 400, 1);
	add(1, 500, 700, 2);
	add(2, 250, 400, 1);
	add(2, 520, 700, 2);
	j = ask();
	assert_int_equal(j->n_collectives, 2);
	assert_int_equal(j->collectives[0].last_rank, 1);
	assert_int_equal(j->collectives[0].lateness_ns, 200);
	assert_int_equal(j->collectives[0].waiting_ns, 250);
	assert_int_equal(j->collectives[0].transfer_ns, 100);
	assert_int_equal(j->collectives[0].begin_ns, 100);
	assert_int_equal(j->collectives[1].last_rank, 0);
	assert_int_equal(j->ranks[0].last, 1);
	assert_int_equal(j->ranks[0].caused_ns, 180);
	assert_int_equal(j->ranks[0].behind_ns, 80);
	assert_int_equal(j->ranks[0].lateness_ns, 100);
	assert_int_equal(j->ranks[0].ns[TS_JOB_WAITING], 200);
	assert_int_equal(j->ranks[1].ns[TS_JOB_WAITING], 100);
	assert_int_equal(j->ranks[2].ns[TS_JOB_WAITING], 130);
	assert_int_equal(j->ranks[2].last, 0);
	assert_int_equal(j->ranks[2].kinds[TS_COLLECTIVE_ALL_REDUCE].transfer_ns, 200);
	assert_int_equal(j->groups[0].skew_mean_ns, 150);
	assert_int_equal(j->groups[0].skew_p95_ns, 200);
	assert_int_equal(j->groups[0].transfer_ns, 200);
	assert_false(j->ranks[1].clock.corrected);
	assert_int_equal(j->spread[TS_JOB_WAITING].sum_ns, 430);
	assert_int_equal(j->spread[TS_JOB_WAITING].most_rank, 0);
	assert_int_equal(j->spread[TS_JOB_WAITING].least_rank, 1);
}

static void nobody_is_last_of_equal_ones(void **state)
{
	(void)state;
	begin(2);
	add(0, 10, 20, 1);
	add(1, 10, 20, 1);
	assert_int_equal(ask()->ranks[0].last + ask()->ranks[1].last, 0);
	assert_int_equal(ask()->groups[0].last_times, 0);
}

static void the_lowest_of_equal_ones_is_last(void **state)
{
	(void)state;
	begin(3);
	add(0, 10, 40, 1);
	add(1, 30, 40, 1);
	add(2, 30, 40, 1);
	assert_int_equal(ask()->ranks[1].last, 1);
	assert_int_equal(ask()->ranks[1].behind_ns, 0);
	assert_int_equal(ask()->ranks[1].caused_ns, 20);
}

/* Without a root nobody is known to wait: 10 of the first kernel are before the last has begun, all of the second is after it. */
static void a_broadcast_without_a_root_has_no_rule(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(2);
	add(0, 10, 20, 1)->collective = TS_COLLECTIVE_BROADCAST;
	add(1, 90, 95, 1)->collective = TS_COLLECTIVE_BROADCAST;
	j = ask();
	assert_int_equal(j->groups[0].collectives, 1);
	assert_int_equal(j->groups[0].waits, 0);
	assert_int_equal(j->n_collectives, 0);
	assert_false(j->ranks[1].clock.corrected);
	assert_int_equal(j->ranks[0].kinds[TS_COLLECTIVE_BROADCAST].no_rule[TS_JOB_NO_CLOCK], 1);
	assert_int_equal(j->ranks[0].kinds[TS_COLLECTIVE_BROADCAST].unknown_ns, 10);
	assert_int_equal(j->ranks[1].kinds[TS_COLLECTIVE_BROADCAST].unknown_ns, 5);
	one_clock(2);
	j = ask();
	assert_int_equal(j->ranks[0].kinds[TS_COLLECTIVE_BROADCAST].no_rule[TS_JOB_NO_ROOT], 1);
	assert_int_equal(j->ranks[0].kinds[TS_COLLECTIVE_BROADCAST].unknown_ns, 10);
	assert_int_equal(j->ranks[1].kinds[TS_COLLECTIVE_BROADCAST].transfer_ns, 5);
	/* Two roots are none, and so is one that is not here. */
	made.arrivals[0][0].root = 0;
	made.arrivals[1][0].root = 1;
	assert_int_equal(ask()->n_collectives, 0);
	made.arrivals[0][0].root = made.arrivals[1][0].root = 7;
	assert_int_equal(ask()->n_collectives, 0);
}

/* Rank 1 is the root, and rank 2 the last. Kernels [10, 100), [30, 90), [50, 100). */
static void receivers_of_a_broadcast_wait_for_its_root(void **state)
{
	static const uint64_t wanted[][3] = {{20, 50, 20}, {0, 40, 20}, {0, 50, 0}};
	const struct ts_trace_job *j;

	(void)state;
	begin(3);
	one_clock(3);
	add(0, 10, 100, 1)->collective = TS_COLLECTIVE_BROADCAST;
	add(1, 30, 90, 1)->collective = TS_COLLECTIVE_BROADCAST;
	add(2, 50, 100, 1)->collective = TS_COLLECTIVE_BROADCAST;
	made.arrivals[2][0].root = 1;
	j = ask();
	for (size_t r = 0; r < 3; r++) {
		const struct ts_job_kind *k = &j->ranks[r].kinds[TS_COLLECTIVE_BROADCAST];

		assert_int_equal(k->waiting_ns, wanted[r][0]);
		assert_int_equal(k->transfer_ns, wanted[r][1]);
		assert_int_equal(k->unknown_ns, wanted[r][2]);
	}
	assert_int_equal(j->n_collectives, 1);
	assert_int_equal(j->collectives[0].last_rank, 1);
	assert_int_equal(j->collectives[0].lateness_ns, 20);
	assert_int_equal(j->collectives[0].unknown_ns, 40);
	assert_int_equal(j->ranks[1].caused_ns, 20);
	assert_int_equal(j->ranks[1].last, 0);
	assert_int_equal(j->ranks[0].ns[TS_JOB_EXPOSED_WAITING], 20);
	assert_int_equal(j->close, 0);
	/* Who waits in a reduce is its root: 20 for rank 2. */
	for (size_t r = 0; r < 3; r++)
		made.arrivals[r][0].collective = TS_COLLECTIVE_REDUCE;
	j = ask();
	assert_int_equal(j->ranks[0].kinds[TS_COLLECTIVE_REDUCE].waiting_ns, 0);
	assert_int_equal(j->ranks[0].kinds[TS_COLLECTIVE_REDUCE].unknown_ns, 40);
	assert_int_equal(j->ranks[1].kinds[TS_COLLECTIVE_REDUCE].waiting_ns, 20);
	assert_int_equal(j->collectives[0].last_rank, 2);
	assert_int_equal(j->collectives[0].lateness_ns, 20);
	assert_int_equal(j->ranks[2].caused_ns, 20);
}

static struct ts_job_arrival *add_point(size_t rank, int64_t from, int64_t until, enum ts_job_way way, int64_t peer)
{
	struct ts_job_arrival *a = add(rank, from, until, TS_TRACE_NONE);

	a->collective = TS_COLLECTIVE_SEND_RECV;
	a->way = (uint8_t)way;
	a->peer = peer;
	return a;
}

/* Rank 0 sends twice to rank 1, which sends once to rank 0. The receiver waits 30 for the first; the second receive comes 40 late. */
static void a_receiver_waits_for_its_sender(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(2);
	one_clock(2);
	add_point(0, 40, 60, TS_JOB_SENDS, 1);
	add_point(0, 100, 130, TS_JOB_SENDS, 1);
	add_point(0, 200, 220, TS_JOB_RECEIVES, 1);
	add_point(1, 10, 70, TS_JOB_RECEIVES, 0);
	add_point(1, 140, 150, TS_JOB_RECEIVES, 0);
	add_point(1, 200, 210, TS_JOB_SENDS, 0);
	j = ask();
	assert_int_equal(j->groups[0].pairs, 3);
	assert_int_equal(j->groups[0].waits, 0);
	assert_int_equal(j->n_collectives, 3);
	assert_int_equal(j->collectives[0].waiting_ns, 30);
	assert_int_equal(j->collectives[0].last_rank, 0);
	assert_int_equal(j->collectives[1].last_rank, 1);
	assert_int_equal(j->collectives[1].lateness_ns, 40);
	assert_int_equal(j->collectives[1].waiting_ns, 0);
	assert_int_equal(j->collectives[1].unknown_ns, 30);
	assert_int_equal(j->collectives[2].lateness_ns, 0);
	assert_int_equal(j->ranks[0].kinds[TS_COLLECTIVE_SEND_RECV].unknown_ns, 30);
	assert_int_equal(j->ranks[0].kinds[TS_COLLECTIVE_SEND_RECV].transfer_ns, 40);
	assert_int_equal(j->ranks[1].kinds[TS_COLLECTIVE_SEND_RECV].waiting_ns, 30);
	assert_int_equal(j->ranks[0].caused_ns, 30);
	assert_int_equal(j->ranks[0].last, 1);
	assert_int_equal(j->ranks[1].last, 1);
}

static void what_is_no_pair_is_counted(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(3);
	one_clock(3);
	add_point(0, 10, 20, TS_JOB_SENDS, 1);
	add_point(0, 30, 40, TS_JOB_SENDS, 1);
	add_point(1, 10, 20, TS_JOB_RECEIVES, 0);
	add_point(2, 10, 20, TS_JOB_SENDS, 1);			/* no receive of it */
	add_point(2, 30, 40, TS_JOB_SENDS, 9);			/* no such trace */
	add_point(2, 50, 60, TS_JOB_SENDS, 2);			/* to itself */
	add_point(2, 70, 80, TS_JOB_WAY_UNKNOWN, 1);		/* or from it */
	add_point(1, 70, 80, TS_JOB_SENDS, 2)->elements_in = 8; /* of another size: */
	add_point(2, 90, 95, TS_JOB_RECEIVES, 1)->elements_out = 9;
	add_point(0, 90, 95, TS_JOB_SENDS, TS_TRACE_NONE);
	j = ask();
	assert_int_equal(j->groups[0].pairs, 0);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_COUNTS], 3);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_MISSING], 1);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_ALONE], 1);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_PEER], 3);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_SIZES], 2);
	assert_string_equal(j->groups[0].example, "from rank 0 to rank 1: 2 sent and 1 received outside of steps");
	assert_int_equal(j->ranks[0].kinds[TS_COLLECTIVE_SEND_RECV].unknown_ns, 25);
}

/* --- matching --- */

static void numbers_match_whatever_is_missing(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(2);
	add(0, 100, 200, 5);
	add(0, 300, 400, 6);
	add(1, 310, 400, 6);
	add(1, 510, 600, 7);
	j = ask();
	assert_int_equal(j->n_collectives, 1);
	assert_int_equal(j->collectives[0].sequence, 6);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_MISSING], 2);
	assert_string_equal(j->groups[0].example, "sequence number 5: 1 on rank 0, 0 on rank 1");
}

static void by_order_a_step_counts_alone(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(2);
	for (int64_t i = 0; i < 6; i++)
		for (size_t r = 0; r < 2; r++) {
			struct ts_job_arrival *a;

			if (r == 1 && i == 3)
				continue;
			a = add(r, 100 * i + (int64_t)r, 100 * i + 50, TS_TRACE_NONE);
			a->in_step = true;
			a->step = i / 2;
		}
	j = ask();
	assert_int_equal(j->n_collectives, 4);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_COUNTS], 3);
	assert_string_equal(j->groups[0].example, "step 1: 2 on rank 0, 1 on rank 1");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(j->collectives[i].lateness_ns, 1);
}

static void kinds_and_sizes_must_agree(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(2);
	add(0, 100, 200, 1);
	add(1, 110, 200, 1)->collective = TS_COLLECTIVE_ALL_GATHER;
	add(0, 300, 400, 2)->elements_in = 8;
	add(1, 310, 400, 2)->elements_in = 9;
	add(0, 500, 600, 3)->elements_in = 8;
	add(1, 510, 600, 3);
	add(0, 700, 800, 4)->collective = TS_COLLECTIVE_SEND_RECV;
	add(1, 710, 800, 4)->collective = TS_COLLECTIVE_SEND_RECV;
	j = ask();
	assert_int_equal(j->n_collectives, 1);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_KINDS], 2);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_SIZES], 2);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_PEER], 2);
	assert_string_equal(j->groups[0].example, "sequence number 1: all_reduce on rank 0, all_gather on rank 1");
}

/* Who gives how much to an all-to-all may differ. */
static void parts_of_an_all_to_all_may_differ(void **state)
{
	(void)state;
	begin(2);
	for (size_t r = 0; r < 2; r++) {
		struct ts_job_arrival *a = add(r, 300 + 10 * (int64_t)r, 400, 2);

		a->elements_in = 8 + (int64_t)r;
		a->collective = TS_COLLECTIVE_ALL_TO_ALL;
	}
	assert_int_equal(ask()->n_collectives, 1);
}

/* Without numbers, what was launched before the recording on one rank would shift the order. */
static void what_was_launched_before_is_left_out(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(2);
	add(0, 0, 50, TS_TRACE_NONE)->launched = false;
	add(0, 100, 200, TS_TRACE_NONE);
	add(1, 130, 200, TS_TRACE_NONE);
	j = ask();
	assert_int_equal(j->n_collectives, 1);
	assert_int_equal(j->collectives[0].lateness_ns, 30);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_BEFORE], 1);
}

/* Two groups of one name are told apart by their ranks; of the second one a rank has no trace. */
static void groups_are_told_apart_by_their_ranks(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(3);
	made.groups[0][0].ranks = made.groups[1][0].ranks = ts_span_str("[0, 1]");
	made.groups[2][0].ranks = ts_span_str("[2, 3]");
	for (size_t r = 0; r < 3; r++)
		add(r, 100 + (int64_t)r, 200, 1);
	j = ask();
	assert_int_equal(j->n_groups, 2);
	assert_int_equal(j->groups[0].n_members, 2);
	assert_int_equal(j->groups[0].absent, 0);
	assert_int_equal(j->groups[1].absent, 1);
	assert_int_equal(j->groups[1].unmatched[TS_JOB_ALONE], 1);
	assert_int_equal(j->n_collectives, 1);
	assert_false(j->ranks[2].clock.connected);
	assert_true(j->ranks[1].clock.connected);
}

static void an_unnamed_group_may_be_contradicted(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(2);
	for (size_t r = 0; r < 2; r++)
		made.groups[r][0] = (struct ts_job_group_name){.size = TS_TRACE_NONE};
	for (int64_t i = 0; i < 4; i++) { /* rank 1 is 5 ms behind in one, 5 ms ahead in the next */
		add(0, 20000000 * i, 20000000 * i + 1000, TS_TRACE_NONE);
		add(1, 20000000 * i + (i % 2 ? -5000000 : 5000000), 20000000 * i + (i % 2 ? -4999000 : 5001000), TS_TRACE_NONE);
	}
	j = ask();
	assert_int_equal(j->n_collectives, 0);
	assert_int_equal(j->groups[0].unmatched[TS_JOB_CONTRADICTED], 8);
	assert_false(j->ranks[1].clock.corrected);
}

/* --- clocks --- */

/* Collectives of 100 us, 1 ms apart, of which rank 1 reads the clock `off` ns less; it comes 10 us before rank 0. */
static void make_off(int64_t off)
{
	begin(2);
	for (int64_t i = 0; i < 5; i++) {
		add(0, i * 1000000 + 10000, i * 1000000 + 110000, i);
		add(1, i * 1000000 - off, i * 1000000 + 110000 - off, i);
	}
}

static void a_clock_that_is_off_is_found(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	make_off(7000000);
	j = ask();
	assert_true(j->ranks[1].clock.corrected);
	assert_int_equal(j->ranks[1].clock.offset_ns, 7000000);
	assert_int_equal(j->ranks[1].clock.low_ns, -100000);
	assert_int_equal(j->ranks[1].clock.high_ns, 110000);
	assert_int_equal(j->ranks[0].last, 5);
	assert_int_equal(j->ranks[1].ns[TS_JOB_WAITING], 50000);
	assert_int_equal(j->violations, 0);
	assert_int_equal(j->ends_max_ns, 0);
}

/* Ends that differ by 100 us in the middle, but by as much from one to the next, show no clock that is off. */
static void ends_that_scatter_show_no_clock(void **state)
{
	(void)state;
	begin(2);
	for (int64_t i = 0; i < 9; i++) {
		add(0, i * 10000000, i * 10000000 + 1000000 + (i % 3) * 100000, i);
		add(1, i * 10000000, i * 10000000 + 1000000, i);
	}
	assert_false(ask()->ranks[1].clock.corrected);
	assert_int_equal(ask()->ranks[1].clock.residual_ns, 100000);
}

static void a_clock_that_may_be_right_stays(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	make_off(40000);
	j = ask();
	assert_false(j->ranks[1].clock.corrected);
	assert_int_equal(j->ranks[1].clock.low_ns, -60000);
	assert_int_equal(j->ranks[1].clock.high_ns, 150000);
	make_off(70000); /* longer apart than ends of one clock */
	assert_int_equal(ask()->ranks[1].clock.offset_ns, 70000);
	make_off(70000);
	made.traces[0].host = made.traces[1].host = ts_span_str("n1");
	assert_false(ask()->ranks[1].clock.corrected);
	make_off(7000000); /* one host, but it cannot be */
	made.traces[0].host = made.traces[1].host = ts_span_str("n1");
	assert_int_equal(ask()->ranks[1].clock.offset_ns, 7000000);
}

/* Ranks 1 and 2 are on one host, whose clock is 7 ms off: what their ends differ by is not that of two clocks. */
static void ranks_of_one_host_have_one_clock(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(3);
	made.traces[0].host = ts_span_str("a");
	made.traces[1].host = made.traces[2].host = ts_span_str("b");
	for (int64_t i = 0; i < 5; i++)
		for (size_t r = 0; r < 3; r++)
			add(r, i * 1000000 + (r ? 7000000 : 0), i * 1000000 + 100000 + (r ? 7000000 : 0) + (r == 2 ? 60000 : 0), i);
	j = ask();
	assert_int_equal(j->ranks[1].clock.offset_ns, -7000000);
	assert_int_equal(j->ranks[2].clock.offset_ns, -7000000);
	assert_int_equal(j->ranks[2].clock.residual_ns, 60000);
	assert_int_equal(j->ends_p50_ns, 60000);
}

/* Ends lie 50 apart; the last of one collective comes 10 behind the next, that of the other 90. */
static void who_comes_close_may_not_be_the_last(void **state)
{
	(void)state;
	begin(2);
	add(0, 100, 300, 1);
	add(1, 110, 350, 1);
	add(0, 590, 700, 2);
	add(1, 500, 750, 2);
	assert_int_equal(ask()->close, 1);
}

/* Rank 1 says times since 1970, rank 0 since its base. */
static void bases_of_ranks_may_differ(void **state)
{
	const int64_t base = INT64_C(1727743122000000000);

	(void)state;
	begin(2);
	made.traces[0].base_ns = base;
	add(0, 100, 400, 1);
	add(1, base + 300, base + 400, 1);
	made.traces[1].from = base;
	assert_int_equal(ask()->collectives[0].lateness_ns, 200);
	assert_int_equal(ask()->collectives[0].begin_ns, 100);
	assert_false(ask()->apart);
}

/* Ends of rank 1 are mostly 100 us early, but in one collective it begins 30 us before rank 0 ends: more cannot be its clock's. */
static void an_offset_stays_within_its_bounds(void **state)
{
	(void)state;
	begin(2);
	for (int64_t i = 0; i < 5; i++) {
		add(0, i * 10000000, i * 10000000 + 1000000, i);
		add(1, i * 10000000 + (i == 4 ? 970000 : 0), i * 10000000 + (i < 4 ? 900000 : 1000000), i);
	}
	assert_int_equal(ask()->ranks[1].clock.offset_ns, 30000);
	assert_int_equal(ask()->ranks[1].clock.high_ns, 0);
}

/* Rank 2 seems to have the clock of rank 0, whom it makes wait never. But rank 1, whose clock is 5 ms off, would end before rank 2
 * began: the clock of rank 2 is 40 us off. */
static void clocks_that_contradict_a_third_are_looked_at_again(void **state)
{
	static const uint32_t pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
	static const int64_t off[3] = {0, 5000000, 40000};

	(void)state;
	begin(3);
	for (uint32_t r = 0; r < 3; r++) {
		made.traces[r].n_groups = 0;
		for (uint32_t g = 0; g < 3; g++)
			if (pairs[g][0] == r || pairs[g][1] == r)
				made.groups[r][made.traces[r].n_groups++] =
					(struct ts_job_group_name){.name = ts_span_of("abc" + g, 1), .ordinal = -1};
	}
	for (int64_t i = 0; i < 3; i++)
		for (uint32_t g = 0; g < 3; g++)
			for (uint32_t k = 0; k < 2; k++) {
				uint32_t r = pairs[g][k];
				int64_t end = i * 9000000 + g * 3000000 + 2000000;

				add(r,
				    end + off[r] -
					    (r == 2 && g == 1  ? 1000000
					     : r == 2 || g < 2 ? 10000
							       : 500000),
				    end + off[r], i)
					->group = r == 0   ? g
						  : r == 1 ? g / 2
							   : g - 1;
			}
	assert_int_equal(ask()->ranks[1].clock.offset_ns, -5000000);
	assert_int_equal(ask()->ranks[2].clock.offset_ns, -40000);
	assert_int_equal(ask()->violations, 0);
}

/* The clock of rank 1 jumps: no offset is right, and nobody waits longer than its kernel lasts. */
static void what_no_offset_mends_is_said(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(2);
	for (int64_t i = 0; i < 4; i++) {
		add(0, i * 10000000, i * 10000000 + 1000, i);
		add(1, i * 10000000 + (i % 2 ? 2000000 : 0), i * 10000000 + (i % 2 ? 2001000 : 1000), i);
	}
	j = ask();
	assert_false(j->ranks[1].clock.bounded);
	assert_true(j->violations > 0);
	assert_true(j->violation_ns > 900000);
	assert_true(j->ranks[0].ns[TS_JOB_WAITING] <= 4000 && j->ranks[1].ns[TS_JOB_WAITING] <= 4000);
}

/* Ranks 0 and 1 share a group, 1 and 2 another: the clock of 2 is found by way of 1. */
static void clocks_are_found_by_way_of_others(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(3);
	made.groups[1][1] = made.groups[2][0] =
		(struct ts_job_group_name){.name = ts_span_str("1"), .size = TS_TRACE_NONE, .ordinal = -1};
	made.traces[1].n_groups = 2;
	for (int64_t i = 0; i < 3; i++) {
		add(0, i * 1000000, i * 1000000 + 5000, i);
		add(1, i * 1000000 + 3000000, i * 1000000 + 3005000, i);
		add(1, i * 1000000 + 3500000, i * 1000000 + 3505000, i)->group = 1;
		add(2, i * 1000000 + 8500000, i * 1000000 + 8505000, i);
	}
	j = ask();
	assert_int_equal(j->ranks[1].clock.offset_ns, -3000000);
	assert_int_equal(j->ranks[2].clock.offset_ns, -8000000);
	assert_int_equal(j->ranks[2].clock.high_ns, 10000);
	assert_true(j->ranks[2].clock.connected);
}

/* --- files and ranks --- */

static void files_of_one_rank_follow_each_other_or_are_left_out(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(5);
	made.traces[1].rank = made.traces[2].rank = 0;
	made.traces[1].from = 900000; /* a.json ends later */
	made.traces[1].file = "b.json";
	made.traces[2].file = "c.json";
	made.traces[2].from = 2000000; /* behind a.json */
	made.traces[2].until = 3000000;
	made.traces[3].has_rank = false;
	made.traces[4].rank = 3;
	made.traces[4].has_world_size = true;
	made.traces[4].world_size = 6;
	for (size_t i = 0; i < 5; i++)
		made.traces[i].ns[TS_JOB_BUSY] = 10 + i;
	j = ask();
	assert_int_equal(j->n_ranks, 2);
	assert_int_equal(j->ranks[0].files, 2);
	assert_int_equal(j->ranks[0].ns[TS_JOB_BUSY], 22);
	assert_int_equal(made.states[1], TS_JOB_FILE_SAME);
	assert_string_equal(made.whys[1], "rank 0, at the time of a.json");
	assert_int_equal(made.states[2], TS_JOB_FILE_READ);
	assert_int_equal(made.states[3], TS_JOB_FILE_NO_RANK);
	assert_int_equal(j->missing_count, 4);
	assert_int_equal(j->missing[0], 1);
	assert_int_equal(j->missing[3], 5);
}

static void ranks_that_no_world_has(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(3);
	made.traces[0].rank = INT64_MIN + 1;
	made.traces[1].rank = INT64_MAX;
	made.traces[2].has_world_size = true;
	made.traces[2].world_size = INT64_MAX;
	j = ask();
	assert_int_equal(j->missing_count, (uint64_t)INT64_MAX - 1);
	assert_int_equal(j->n_missing, TS_JOB_MISSING_SHOWN);
	assert_int_equal(j->missing[0], 0);
	assert_int_equal(j->missing[2], 3);
	begin(0);
	assert_int_equal(ask()->n_ranks, 0);
}

static void times_that_no_clock_has(void **state)
{
	static const int64_t ends[] = {INT64_MIN + 1, INT64_MIN / 2, -1, 0, INT64_MAX / 2, INT64_MAX};
	enum { N = sizeof ends / sizeof ends[0] };

	(void)state;
	for (size_t a = 0; a < N; a++)
		for (size_t b = 0; b < N; b++)
			for (size_t c = 0; c < N; c++) {
				begin(3);
				made.traces[0].base_ns = ends[c];
				made.traces[2].base_ns = ends[a];
				for (size_t r = 0; r < 3; r++) {
					int64_t at = r == 0 ? ends[a] : r == 1 ? ends[b] : 0;

					made.traces[r].from = at;
					made.traces[r].until = at;
					for (int64_t i = 0; i < 20; i++)
						add(r, at, at, i);
				}
				(void)ask();
			}
	/* As far apart as times may be, and each clock is found by way of the one before, a further 2^60 ns off. */
	begin(RANKS);
	for (size_t r = 0; r < RANKS; r++) {
		int64_t far = (INT64_C(1) << 59) - 1;

		made.traces[r].from = -far;
		made.traces[r].until = far;
		made.traces[r].n_groups = 2;
		made.groups[r][0].name = ts_span_of("abcdefghijklm" + r, 1);
		made.groups[r][1] = (struct ts_job_group_name){.name = ts_span_of("abcdefghijklm" + r + 1, 1), .ordinal = -1};
		add(r, -far, 1 - far, 1);
		add(r, far - 1, far, 1)->group = 1;
	}
	(void)ask();
}

/* A time that a hostile trace may have, or one of a second. */
static int64_t any_time(struct ts_random *r, bool hostile)
{
	static const int64_t odd[] = {INT64_MIN + 1,	      INT64_MAX,    -1, 0, 1, (INT64_C(1) << 60) - 1,
				      1 - (INT64_C(1) << 60), INT64_MAX / 2};

	if (!hostile)
		return (int64_t)ts_random_below(r, 1000000000);
	return odd[ts_random_below(r, sizeof odd / sizeof odd[0])];
}

static void add_any(size_t rank, bool hostile, struct ts_random *r)
{
	int64_t a = any_time(r, hostile), b = hostile ? any_time(r, true) : a + (int64_t)ts_random_below(r, 5000000);
	struct ts_job_arrival *at = add(rank, a < b ? a : b, a < b ? b : a, (int64_t)ts_random_below(r, 9));

	at->collective = (uint8_t)ts_random_below(r, TS_COLLECTIVES);
	at->elements_in = (int64_t)ts_random_below(r, 2);
	at->launched = ts_random_below(r, 4) > 0;
	at->in_step = ts_random_below(r, 4) > 0;
	at->step = any_time(r, hostile);
	at->group = (uint32_t)ts_random_below(r, 2);
	at->sequence = ts_random_below(r, 50) ? at->sequence : TS_TRACE_NONE;
}

/* Sorts the kernels of a rank by begin, as they are kept, and makes their exposed parts disjoint. */
static void settle(struct ts_job_trace *t)
{
	int64_t last = INT64_MIN;

	for (size_t i = 1; i < t->n_arrivals; i++)
		for (size_t k = i; k && t->arrivals[k].begin < t->arrivals[k - 1].begin; k--) {
			struct ts_job_arrival swap = t->arrivals[k];

			t->arrivals[k] = t->arrivals[k - 1];
			t->arrivals[k - 1] = swap;
		}
	t->n_exposed = 0;
	for (size_t i = 0; i < t->n_arrivals; i++) {
		const struct ts_job_arrival *a = &t->arrivals[i];

		t->from = !i || a->begin < t->from ? a->begin : t->from;
		t->until = !i || a->end > t->until ? a->end : t->until;
		if (a->end <= last)
			continue;
		t->exposed[t->n_exposed++] = (struct ts_job_interval){a->begin > last ? a->begin : last, a->end};
		last = a->end;
	}
	for (size_t i = 0; i < 4 && t->from < t->until; i++)
		t->steps[t->n_steps++] =
			(struct ts_job_step){.number = (int64_t)i, .begin = i ? t->until : t->from, .end = t->until, .there = true};
}

/* Whatever traces say, waiting and transfer are what matched kernels take, and who is counted as last was in as many. */
static void whatever_traces_say(void **state)
{
	static const char *const ranks[] = {"", "[0, 1]", "[", "[,,", "[ 1,2", "[99999999999999999999, 1]", "[0, ..., 9]"};
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 1);
	for (size_t trial = 0; trial < 400; trial++) {
		bool hostile = trial % 2;

		begin(2 + ts_random_below(&r, 5));
		for (size_t a = 0; a < made.n; a++) {
			struct ts_job_trace *t = &made.traces[a];

			t->base_ns = hostile ? any_time(&r, true) : 0;
			t->n_groups = 2;
			t->groups[0].ranks = ts_span_str(ranks[ts_random_below(&r, sizeof ranks / sizeof ranks[0])]);
			t->groups[1] = (struct ts_job_group_name){.size = any_time(&r, hostile), .ordinal = 0};
			for (size_t i = ts_random_below(&r, ARRIVALS); i > 0; i--)
				add_any(a, hostile, &r);
			settle(t);
		}
		for (size_t a = 0; a < ask()->n_ranks; a++) {
			const struct ts_job_rank *rank = &made.job.ranks[a];
			uint64_t waited = 0;

			for (size_t k = 0; k < TS_COLLECTIVES; k++) {
				waited += rank->kinds[k].waiting_ns;
				assert_true(rank->kinds[k].matched <= rank->kinds[k].kernels);
			}
			assert_true(rank->last <= rank->collectives);
			assert_true(hostile || waited == rank->ns[TS_JOB_WAITING]);
			assert_true(rank->ns[TS_JOB_EXPOSED_WAITING] <= rank->ns[TS_JOB_WAITING]);
		}
	}
}

/* --- own times --- */

/* Steps of 100 us; rank `slow` computes 60 us, the others 30 us and wait the rest; the transfer takes 40 us. In half of the waiting
 * rank `half` computes. */
static void make_steps(size_t n, size_t steps, size_t slow, size_t half)
{
	begin(n);
	for (size_t r = 0; r < n; r++)
		for (size_t i = 0; i < steps; i++) {
			int64_t at = (int64_t)i * 100000 + 1000000,
				come = at + (r == slow ? 60000 : 30000 + (int64_t)(r * i % 7) * 100);
			struct ts_job_trace *t = &made.traces[r];

			add(r, come, at + 100000, (int64_t)i);
			t->steps[t->n_steps++] = (struct ts_job_step){
				.number = (int64_t)i + 5, .begin = at, .end = at + 100000, .host_ns = 100000, .there = true};
			if (r == half)
				t->exposed[t->n_exposed - 1].begin = come + 15000;
		}
}

static void own_time_is_without_exposed_waiting(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	make_steps(3, 1, 2, 1);
	j = ask();
	assert_int_equal(j->ranks[0].ns[TS_JOB_WAITING], 30000);
	assert_int_equal(j->ranks[0].ns[TS_JOB_EXPOSED_WAITING], 30000);
	assert_int_equal(j->ranks[0].own_ns, 70000);
	assert_int_equal(j->ranks[1].ns[TS_JOB_EXPOSED_WAITING], 15000);
	assert_int_equal(j->ranks[1].own_ns, 85000);
	assert_int_equal(j->ranks[2].own_ns, 100000);
	assert_int_equal(j->n_steps, 1);
	assert_int_equal(j->steps[0], 5);
	assert_false(j->decidable);
	assert_int_equal(j->steps_needed, 8);
}

/* A job of three steps whose ranks go on together from each of two collectives in a step. Rank `late` computes longer by `more`. */
static void make_lockstep(size_t n, size_t late, const int64_t *more)
{
	int64_t at = 1000000;

	begin(n);
	for (size_t i = 0; i < 6; i++) {
		int64_t come[RANKS], last = 0, end;

		for (size_t r = 0; r < n; r++) {
			come[r] = at + 30000 + (int64_t)((r * 7 + i * 3) % 5) * 1000 + (r == late ? more[i] : 0);
			last = come[r] > last ? come[r] : last;
		}
		end = last + 20000;
		for (size_t r = 0; r < n; r++) {
			struct ts_job_trace *t = &made.traces[r];
			struct ts_job_arrival *a = add(r, come[r], end, (int64_t)i);

			a->in_step = true;
			a->step = (int64_t)(i / 2) + 5;
			if (i % 2)
				t->steps[t->n_steps - 1].end = end;
			else
				t->steps[t->n_steps++] =
					(struct ts_job_step){.number = a->step, .begin = at, .end = end, .there = true};
		}
		at = end;
	}
}

/* What a step would take if a rank were ideal is what it takes in the same job when that rank has nothing to compute. */
static void a_rank_in_time_is_as_if_it_were_so(void **state)
{
	static const int64_t more[] = {40000, 0, 70000, 20000, 0, 1000};
	static const int64_t nothing[] = {-29000, -29000, -29000, -29000, -29000, -29000};
	uint64_t was, in_time;

	(void)state;
	make_lockstep(4, 2, more);
	was = ask()->step_ns;
	in_time = made.job.ranks[2].in_time_ns;
	assert_true(in_time < was);
	make_lockstep(4, 2, nothing);
	assert_int_equal(ask()->step_ns, in_time);
	/* Whoever is never last changes nothing. */
	assert_int_equal(made.job.ranks[2].in_time_ns, made.job.step_ns);
}

/* Two collectives at once, on two streams: what both make wait for counts once. */
static void exposed_waiting_is_a_union(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	begin(2);
	for (size_t r = 0; r < 2; r++) {
		made.traces[r].n_groups = 2;
		made.groups[r][1] = (struct ts_job_group_name){.name = ts_span_str("1"), .ordinal = -1};
		add(r, r ? 500 : 100, 600, 1);
		add(r, r ? 450 : 200, 600, 1)->group = 1;
		made.traces[r].n_exposed = 1;
	}
	j = ask();
	assert_int_equal(j->ranks[0].ns[TS_JOB_WAITING], 650);
	assert_int_equal(j->ranks[0].ns[TS_JOB_EXPOSED_WAITING], 400);
}

static void a_straggler_is_named_where_steps_suffice(void **state)
{
	const struct ts_trace_job *j;

	(void)state;
	make_steps(8, 30, 5, RANKS - 1);
	made.traces[3].n_steps = 28; /* the others' last two do not count */
	j = ask();
	assert_int_equal(j->n_steps, 28);
	assert_true(j->decidable);
	for (size_t r = 0; r < 8; r++)
		assert_int_equal(j->ranks[r].straggler, r == 5);
	assert_true(j->ranks[5].slowdown > 0.3);
	make_steps(8, 30, RANKS - 1, RANKS - 1);
	for (size_t r = 0; r < 8; r++)
		assert_false(ask()->ranks[r].straggler);
}

static int finish(void **state)
{
	(void)state;
	ts_arena_finish(&made.arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_makes_others_wait),
		cmocka_unit_test(nobody_is_last_of_equal_ones),
		cmocka_unit_test(a_broadcast_without_a_root_has_no_rule),
		cmocka_unit_test(receivers_of_a_broadcast_wait_for_its_root),
		cmocka_unit_test(a_receiver_waits_for_its_sender),
		cmocka_unit_test(what_is_no_pair_is_counted),
		cmocka_unit_test(numbers_match_whatever_is_missing),
		cmocka_unit_test(by_order_a_step_counts_alone),
		cmocka_unit_test(kinds_and_sizes_must_agree),
		cmocka_unit_test(parts_of_an_all_to_all_may_differ),
		cmocka_unit_test(what_was_launched_before_is_left_out),
		cmocka_unit_test(groups_are_told_apart_by_their_ranks),
		cmocka_unit_test(an_unnamed_group_may_be_contradicted),
		cmocka_unit_test(a_clock_that_is_off_is_found),
		cmocka_unit_test(ends_that_scatter_show_no_clock),
		cmocka_unit_test(a_clock_that_may_be_right_stays),
		cmocka_unit_test(bases_of_ranks_may_differ),
		cmocka_unit_test(clocks_are_found_by_way_of_others),
		cmocka_unit_test(files_of_one_rank_follow_each_other_or_are_left_out),
		cmocka_unit_test(ranks_that_no_world_has),
		cmocka_unit_test(times_that_no_clock_has),
		cmocka_unit_test(whatever_traces_say),
		cmocka_unit_test(own_time_is_without_exposed_waiting),
		cmocka_unit_test(a_rank_in_time_is_as_if_it_were_so),
		cmocka_unit_test(the_lowest_of_equal_ones_is_last),
		cmocka_unit_test(an_offset_stays_within_its_bounds),
		cmocka_unit_test(clocks_that_contradict_a_third_are_looked_at_again),
		cmocka_unit_test(what_no_offset_mends_is_said),
		cmocka_unit_test(exposed_waiting_is_a_union),
		cmocka_unit_test(ranks_of_one_host_have_one_clock),
		cmocka_unit_test(who_comes_close_may_not_be_the_last),
		cmocka_unit_test(a_straggler_is_named_where_steps_suffice),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
