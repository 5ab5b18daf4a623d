/* test_ending.c - how a run ended, by facts and events that stand here; states and sentences are written by hand. */
#include "base/limits.h"
#include "run/ending.h"
#include "run/test_objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/test_arena.h"

/* "path=text"; a value of digits is an integer. */
static struct ts_facts facts_of(const char *const *said)
{
	struct ts_facts facts = {.n = 0};
	struct ts_error err;

	for (; *said; said++) {
		const char *value = strchr(*said, '=') + 1;
		struct ts_fact fact = {.path = ts_span_of(*said, (size_t)(value - 1 - *said)),
				       .source = TS_SOURCE_FACTS_JSON,
				       .type = TS_FACT_TEXT,
				       .text = ts_span_str(value)};

		if (*value == '-' || (*value >= '0' && *value <= '9')) {
			fact.type = TS_FACT_INT;
			fact.integer = strtoll(value, NULL, 10);
		}
		assert_int_equal(ts_facts_add(&facts, &fact, &arena, &err), TS_OK);
	}
	(void)ts_facts_sort(&facts);
	return facts;
}

#define SAID(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A rank that recorded steps 0 to last. */
static struct ts_end_seen rank_of(int32_t rank, int64_t last, const char *const *said)
{
	struct ts_end_seen seen = {.rank = rank, .has_steps = true, .last_step = last};
	struct ts_facts facts = facts_of(said);

	ts_end_seen_facts(&seen, &facts);
	return seen;
}

static struct ts_ending judge(const struct ts_end_seen *seen, size_t n)
{
	struct ts_ending e;
	struct ts_error err;

	assert_int_equal(ts_ending_judge(seen, n, &arena, &e, &err), TS_OK);
	return e;
}

static void is(const struct ts_ending *e, enum ts_end_state state, enum ts_end_cause cause, const char *sentence)
{
	char said[1024];

	assert_string_equal(ts_end_state_word(e->state), ts_end_state_word(state));
	assert_string_equal(ts_end_cause_word(e->cause), ts_end_cause_word(cause));
	assert_true(e->sentence.len < sizeof said);
	if (e->sentence.len)
		memcpy(said, e->sentence.data, e->sentence.len);
	said[e->sentence.len] = '\0';
	assert_string_equal(said, sentence);
}

static void test_what_merely_stops_is_not_finished(void **unused)
{
	struct ts_end_seen seen = rank_of(0, 40, SAID("session.started=7"));
	struct ts_ending e = judge(&seen, 1);

	(void)unused;
	is(&e, TS_END_UNKNOWN, TS_END_NO_CAUSE, "");
	seen = rank_of(0, 40, SAID("session.end.cause=cut"));
	e = judge(&seen, 1);
	is(&e, TS_END_UNKNOWN, TS_END_CUT,
	   "The run is not known to have finished: its recording stops after step 40 without an end, as after SIGKILL or a loss of "
	   "power; or it goes on on another machine.");
	seen = rank_of(0, 40, SAID("session.end.state=running"));
	e = judge(&seen, 1);
	is(&e, TS_END_RUNNING, TS_END_NO_CAUSE, "The run still went on when it was read after step 40.");
	seen = rank_of(0, 40, SAID("session.wall_time=7"));
	e = judge(&seen, 1);
	is(&e, TS_END_FINISHED, TS_END_NO_CAUSE, "");
}

static void test_what_hangs(void **unused)
{
	struct ts_end_seen seen = rank_of(0, 212,
					  SAID("session.end.state=running", "session.launch.end.state=hung",
					       "session.launch.end.message=no step for 90 s, and one takes 0.2 s",
					       "session.launch.end.record=tscope run"));
	struct ts_ending e = judge(&seen, 1);

	(void)unused;
	is(&e, TS_END_HUNG, TS_END_NO_CAUSE,
	   "The run hangs after step 212: no step for 90 s, and one takes 0.2 s (said by tscope run).");
	/* A recorder that saw its end knows more. */
	seen = rank_of(0, 212, SAID("session.wall_time=7", "session.end.exit=3", "session.launch.end.state=hung"));
	e = judge(&seen, 1);
	assert_true(e.state == TS_END_CRASHED && e.cause == TS_END_EXIT);
	assert_true(ts_end_goes_on(ts_span_str("hung")) && ts_end_goes_on(ts_span_str("running")) &&
		    !ts_end_goes_on(ts_span_str("lost")) && !ts_end_goes_on(ts_span_str("finished")));
}

static void test_what_is_lost(void **unused)
{
	struct ts_end_seen seen = rank_of(0, 40, SAID("session.end.state=running"));
	struct ts_ending e = judge(&seen, 1);
	const int64_t s = 1000000000;
	enum ts_end_state state;
	struct ts_error err;

	(void)unused;
	assert_false(ts_is_lost(e.state, 10, 60 * s));
	assert_true(ts_is_lost(e.state, 10, 61 * s) && ts_is_lost(TS_END_HUNG, 1, 61 * s));
	assert_false(ts_is_lost(e.state, 30, 180 * s)); /* six pushes that did not come */
	assert_true(ts_is_lost(e.state, 30, 181 * s));
	assert_false(ts_is_lost(e.state, 0, INT64_MAX)); /* nobody said to push it */
	assert_false(ts_is_lost(TS_END_FINISHED, 10, INT64_MAX) || ts_is_lost(TS_END_UNKNOWN, 10, INT64_MAX));
	assert_int_equal(ts_ending_lose(&e, 10, 300 * s, &arena, &err), TS_OK);
	is(&e, TS_END_LOST, TS_END_NO_CAUSE,
	   "Nothing was heard of the run for 5 minutes: it still went on after step 40, and was pushed every 10 s.");
	assert_false(ts_end_state_of(ts_span_str("lost"), &state)); /* a stored word says no such thing */
}

static void test_a_full_disk(void **unused)
{
	struct ts_end_seen seen =
		rank_of(0, 9, SAID("session.end.type=OSError", "session.end.message=[Errno 28] No space left on device: 'ckpt.pt'"));
	struct ts_ending e = judge(&seen, 1);

	(void)unused;
	is(&e, TS_END_CRASHED, TS_END_DISK_FULL,
	   "The run crashed after step 9, the disk was full: OSError: [Errno 28] No space left on device: 'ckpt.pt' (said by the "
	   "recorder).");
}

static void test_what_the_recorder_saw(void **unused)
{
	struct ts_end_seen seen =
		rank_of(0, 39,
			SAID("session.wall_time=7", "session.end.type=ValueError",
			     "session.end.message=stack expects each tensor to be equal size", "session.end.step=40"));
	struct ts_ending e = judge(&seen, 1);

	(void)unused;
	is(&e, TS_END_CRASHED, TS_END_EXCEPTION,
	   "The run crashed at step 40: ValueError: stack expects each tensor to be equal size (said by the recorder).");
	assert_true(e.has_step && e.step == 40 && !e.after);
	seen = rank_of(0, 1204, SAID("session.wall_time=7", "session.end.signal=SIGINT"));
	e = judge(&seen, 1);
	is(&e, TS_END_KILLED, TS_END_SIGNAL, "The run was killed by SIGINT after step 1,204 (said by the recorder).");
	seen = rank_of(0, 5, SAID("session.wall_time=7", "session.end.exit=3"));
	e = judge(&seen, 1);
	is(&e, TS_END_CRASHED, TS_END_EXIT, "The run ended with exit code 3 after step 5 (said by the recorder).");
	seen = rank_of(0, 5, SAID("session.end.exit=143"));
	e = judge(&seen, 1);
	assert_true(e.state == TS_END_KILLED && ts_span_is(e.type, "SIGTERM")); /* 128 + 15 */
	seen = rank_of(0, 5, SAID("session.end.state=finished", "session.end.cause=cut"));
	e = judge(&seen, 1);
	assert_int_equal(e.state, TS_END_FINISHED);
}

static void see(struct ts_end_seen *seen, const char *name, const char *text, int64_t step)
{
	ts_end_seen_event(seen, ts_span_str(name), ts_span_str(text), &step);
}

static void test_events_count_where_nothing_follows(void **unused)
{
	struct ts_end_seen seen = rank_of(0, 21, SAID("session.wall_time=7"));
	struct ts_ending e;

	(void)unused;
	see(&seen, "out of memory", "in the forward of head (Linear)", 20); /* caught: step 21 follows */
	e = judge(&seen, 1);
	assert_int_equal(e.state, TS_END_FINISHED);
	see(&seen, "out of memory", "in the backward of 1 (BB)", 21);
	see(&seen, "checkpoint", "a.pt", 21);
	e = judge(&seen, 1);
	is(&e, TS_END_CRASHED, TS_END_OUT_OF_MEMORY,
	   "The run crashed at step 21, out of memory: in the backward of 1 (BB) (said by the event 'out of memory').");
	seen = rank_of(0, 21, SAID("session.end.type=RuntimeError", "session.end.message=CUDA out of memory.", "session.end.step=21"));
	see(&seen, "out of memory", "in a part of the program that is no module, which asked for 1 GiB", 21);
	e = judge(&seen, 1);
	is(&e, TS_END_CRASHED, TS_END_OUT_OF_MEMORY,
	   "The run crashed at step 21, out of memory: CUDA out of memory (said by the recorder).");
	seen = rank_of(0, 21, SAID("session.wall_time=7"));
	see(&seen, "exception", "KeyboardInterrupt", 22);
	e = judge(&seen, 1);
	is(&e, TS_END_KILLED, TS_END_SIGNAL, "The run was killed by SIGINT at step 22 (said by the event 'exception').");
	seen = rank_of(0, 21, SAID("session.end.state=finished")); /* the recorder knows: the program caught it and ended */
	see(&seen, "exception", "StopTraining", 21);
	e = judge(&seen, 1);
	assert_int_equal(e.state, TS_END_FINISHED);
}

static void test_the_first_cause_of_several_ranks(void **unused)
{
	struct ts_end_seen seen[4] = {
		rank_of(0, 9, SAID("session.end.signal=SIGTERM")),
		rank_of(1, 9,
			SAID("session.end.type=DistBackendError",
			     "session.end.message=NCCL: Watchdog caught collective operation timeout")),
		rank_of(2, 8,
			SAID("session.end.type=OutOfMemoryError",
			     "session.end.message=CUDA out of memory. Tried to allocate 2.00 GiB")),
		rank_of(3, 8,
			SAID("session.end.type=OutOfMemoryError",
			     "session.end.message=CUDA out of memory. Tried to allocate 2.00 GiB")),
	};
	struct ts_ending e = judge(seen, 4);

	(void)unused;
	is(&e, TS_END_CRASHED, TS_END_OUT_OF_MEMORY,
	   "The run crashed after step 8, out of memory: CUDA out of memory. Tried to allocate 2.00 GiB (ranks 2 and 3, said by the "
	   "recorder).");
	assert_int_equal(e.n_ranks, 2);
	seen[2] = rank_of(2, 9, SAID("session.wall_time=1"));
	seen[3] = rank_of(3, 9, SAID("session.wall_time=1"));
	e = judge(seen, 4);
	assert_int_equal(e.cause, TS_END_TIMEOUT);
	seen[0] = seen[2];
	seen[1] = rank_of(1, 7, SAID("session.end.cause=cut"));
	e = judge(seen, 4);
	is(&e, TS_END_UNKNOWN, TS_END_CUT,
	   "The run is not known to have finished: the recording of rank 1 stops after step 7 without an end, as after SIGKILL or a "
	   "loss of "
	   "power; or it goes on on another machine.");
}

static void test_what_exceptions_are_about(void **unused)
{
	static const struct {
		const char *type, *message;
		enum ts_end_cause cause;
	} rows[] = {
		{"torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 20.00 MiB", TS_END_OUT_OF_MEMORY},
		{"RuntimeError", "[enforce fail at alloc_cpu.cpp:83] . DefaultCPUAllocator: can't allocate memory",
		 TS_END_OUT_OF_MEMORY},
		{"XlaRuntimeError", "RESOURCE_EXHAUSTED: Out of memory while trying to allocate", TS_END_OUT_OF_MEMORY},
		{"MemoryError", "", TS_END_OUT_OF_MEMORY},
		{"ValueError", "nan loss encountered", TS_END_NAN},
		{"AssertionError", "Rank 3: found NaN in local grad norm in backward pass", TS_END_NAN},
		{"FloatingPointError", "Minimum loss scale reached (0.0001).", TS_END_NAN},
		{"RuntimeError", "Loss is infinite, stopping training", TS_END_NAN},
		{"RuntimeError", "NCCL communicator was aborted: [Rank 1] Watchdog caught collective operation timeout",
		 TS_END_TIMEOUT},
		{"RuntimeError", "[gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms", TS_END_TIMEOUT},
		{"KeyboardInterrupt", "", TS_END_SIGNAL},
		{"KeyError", "'nanometers'", TS_END_EXCEPTION}, /* no word "nan" */
		{"ValueError", "banana loss", TS_END_EXCEPTION},
		{"TimeoutError", "timed out", TS_END_EXCEPTION},
		{"", "", TS_END_NO_CAUSE},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(ts_end_cause_word(ts_end_cause_of(ts_span_str(rows[i].type), ts_span_str(rows[i].message))),
				    ts_end_cause_word(rows[i].cause));
}

static void test_trackers(void **unused)
{
	struct ts_end_seen seen = rank_of(0, 9, SAID("other.wandb.exit_code=1", "session.wall_time=7"));
	struct ts_ending e = judge(&seen, 1);

	(void)unused;
	is(&e, TS_END_CRASHED, TS_END_EXIT, "The run ended with exit code 1 after step 9 (said by the exit code that W&B kept).");
	seen = rank_of(0, 9, SAID("other.mlflow.status=killed"));
	e = judge(&seen, 1);
	is(&e, TS_END_KILLED, TS_END_NO_CAUSE, "The run was killed after step 9 (said by MLflow's status).");
	seen = rank_of(0, 9, SAID("other.mlflow.status=running"));
	e = judge(&seen, 1);
	assert_int_equal(e.state, TS_END_UNKNOWN); /* MLflow keeps it of runs that died */
	seen = rank_of(0, 9,
		       SAID("session.end.cause=collective_timeout", "session.end.message=rank 7 waits at collective 64,088",
			    "session.end.ranks[0]=7", "session.end.record=line 12"));
	e = judge(&seen, 1);
	is(&e, TS_END_CRASHED, TS_END_TIMEOUT,
	   "The run crashed after step 9, a collective operation timed out: rank 7 waits at collective 64,088 (said by line 12).");
	assert_true(e.n_ranks == 1 && e.ranks[0] == 7);
	seen = rank_of(0, 9, SAID("session.end.type=KeyError", "session.end.ranks[0]=5", "session.end.record=line 12"));
	e = judge(&seen, 1);
	is(&e, TS_END_CRASHED, TS_END_EXCEPTION, "The run crashed after step 9: KeyError (rank 5, said by line 12).");
}

/* What tscope run saw: an end of its own for a rank that says none, and which of several died first. */
static void test_launch(void **state)
{
	struct ts_arena a;
	struct ts_error err;
	struct ts_ending e;
	struct ts_facts facts[3] = {{0}, {0}, {0}};
	const struct {
		const char *path, *text;
		int64_t number;
	} all[] = {{"session.launch.end.ranks[0]", NULL, 1}, {"session.launch.end.record", "tscope run", 0},
		   {"session.launch.end.signal", "SIGKILL", 0}, {"session.launch.end.state", "killed", 0}};
	const struct ts_fact lost = {
		.path = ts_span_str("session.end.type"), .type = TS_FACT_TEXT, .text = ts_span_str("ConnectionError")};
	struct ts_end_seen seen[3] = {{.rank = 0}, {.rank = 1}, {.rank = 2}};

	(void)state;
	ts_arena_init(&a, 0);
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
			struct ts_fact fact = {.path = ts_span_str(all[k].path), .type = all[k].text ? TS_FACT_TEXT : TS_FACT_INT};

			fact.integer = all[k].number;
			fact.text = all[k].text ? ts_span_str(all[k].text) : fact.text;
			assert_int_equal(ts_facts_add(&facts[i], &fact, &a, &err), TS_OK);
		}
		if (i != 1)
			assert_int_equal(ts_facts_add(&facts[i], &lost, &a, &err), TS_OK);
		(void)ts_facts_sort(&facts[i]);
		ts_end_seen_facts(&seen[i], &facts[i]);
	}
	assert_int_equal(ts_ending_judge(seen, 3, &a, &e, &err), TS_OK);
	assert_true(e.state == TS_END_KILLED && e.n_ranks == 1 && e.ranks[0] == 1 && ts_span_is(e.type, "SIGKILL"));
	ts_arena_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_merely_stops_is_not_finished, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_hangs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_full_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_the_recorder_saw, setup, teardown),
		cmocka_unit_test_setup_teardown(test_events_count_where_nothing_follows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_first_cause_of_several_ranks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_exceptions_are_about, setup, teardown),
		cmocka_unit_test_setup_teardown(test_trackers, setup, teardown),
		cmocka_unit_test(test_launch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
