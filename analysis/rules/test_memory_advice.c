/* test_memory_advice.c - whether memory limits a run, and each fix of the playbook where rows prove it and where they just do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rules/memory_advice.h"
#include "analysis/rules/test_rows.h"

struct state {
	struct ts_arena arena;
	struct ts_measures m;
	struct ts_memory_advice a;
};

static void advise(struct state *s, const char *rows)
{
	struct ts_error err;

	memset(s, 0, sizeof *s);
	ts_arena_init(&s->arena, 16 << 20);
	test_rows(&s->m, &s->arena, rows);
	assert_int_equal(ts_memory_advise(&s->m, &s->arena, &s->a, &err), TS_OK);
}

static const struct ts_memory_fix *fix(const struct state *s, const char *name)
{
	for (size_t i = 0; i < s->a.n_fixes; i++)
		if (ts_span_is(s->a.fixes[i].name, name))
			return &s->a.fixes[i];
	return NULL;
}

#define SNAPSHOT "snapshot/free/reserved_bytes = 1; "
#define NO_CAPACITY "snapshot/capacity/device_bytes ? not said; snapshot/capacity/headroom_bytes ? not said; "
#define LEFT(bytes) "snapshot/capacity/device_bytes = 1048576; snapshot/capacity/headroom_bytes = " bytes "; "
#define REFUSED(free)                                                                                                                  \
	"snapshot/refused/requests_count = 1; snapshot/refused/requested_bytes = 1024; snapshot/refused/free_bytes = " free "; " \
	"snapshot/refused/device_left_bytes = 1; "
#define FULL SNAPSHOT LEFT("0")
#define KIND(kind, bytes, share) "snapshot/" kind "/at_peak_bytes = " bytes "; snapshot/" kind "/at_peak_ratio = " share "; "

static void whether_memory_limits(void **state)
{
	static const struct {
		const char *rows;
		enum ts_memory_limit limit;
		const char *sentence, *reason;
	} cases[] = {
		{"", TS_LIMIT_UNKNOWN, "", ""},
		{SNAPSHOT NO_CAPACITY, TS_LIMIT_UNKNOWN, "", "not said"},
		{SNAPSHOT "snapshot/refused/requests_count ? no history; " NO_CAPACITY, TS_LIMIT_UNKNOWN, "", "not said"},
		{SNAPSHOT NO_CAPACITY REFUSED("0"), TS_LIMIT_REACHED, "memory limits the run: a request of 1 KiB was refused", ""},
		{SNAPSHOT NO_CAPACITY "snapshot/refused/requests_count = 3", TS_LIMIT_REACHED,
		 "memory limits the run: 3 requests were refused",
		 ""},
		{SNAPSHOT LEFT("1048576") "snapshot/allocator/retries_count = 1", TS_LIMIT_REACHED,
		 "memory limits the run: for 1 request the allocator gave back what it held and asked the device again", ""},
		/* A fifth of the device is 209715.2 bytes. */
		{SNAPSHOT LEFT("209716"), TS_LIMIT_FAR,
		 "memory does not limit the batch: at most 80 % of the device's 1 MiB were reserved",
		 ""},
		{SNAPSHOT LEFT("209715"), TS_LIMIT_REACHED,
		 "memory limits the batch: at most 80 % of the device's 1 MiB were reserved",
		 ""},
		{SNAPSHOT LEFT("1048576") "snapshot/fit/of = 'batch'; snapshot/fit/least = 24; snapshot/fit/most = 35", TS_LIMIT_FAR,
		 "memory does not limit the batch: at most 0 % of the device's 1 MiB were reserved; by the fit a batch of 24 "
		 "fits, and none above 35",
		 ""},
		{SNAPSHOT LEFT("0") "snapshot/fit/of = 'batch'; snapshot/fit/least = 0; snapshot/fit/most = 0", TS_LIMIT_REACHED,
		 "memory limits the batch: at most 100 % of the device's 1 MiB were reserved; by the fit no batch fits", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct state s;

		advise(&s, cases[i].rows);
		if (s.a.limit != cases[i].limit || !ts_span_is(s.a.sentence, cases[i].sentence) ||
		    !ts_span_is(s.a.reason, cases[i].reason))
			fail_msg("%s: %d, %.*s, %.*s", cases[i].rows, (int)s.a.limit, TS_SPAN_ARG(s.a.sentence),
				 TS_SPAN_ARG(s.a.reason));
		ts_arena_finish(&s.arena);
	}
}

#define GRADIENTS(phase, share)                                                                                                        \
	SNAPSHOT "snapshot/peak/phase = '" phase "'; snapshot/kept_gradients/at_peak_bytes = 300; "                                    \
		 "snapshot/kept_gradients/at_peak_ratio = " share
#define CARRIED(share)                                                                                                                 \
	SNAPSHOT "snapshot/carried/held_bytes = 70; snapshot/carried/largest_source = 'keep (log.py:7)'; "                             \
		 "snapshot/carried/held_ratio = " share
#define STUCK(share)                                                                                                                   \
	"snapshot/free/expandable_ratio = 0; snapshot/free/reserved_bytes = 2e9; snapshot/free/stuck_bytes = 5e8; "                    \
	"snapshot/free/stuck_ratio = " share
#define STATE(share) KIND("parameters", "100", "0.1") KIND("gradients", "100", "0.1") KIND("optimizer state", "400", share)

#define AMPERE "setup/bf16_units/is = 'yes'; setup/fp16_units/is = 'no'; "
#define TURING "setup/bf16_units/is = 'no'; setup/fp16_units/is = 'yes'; "

/* Each fix at its limit and just beside it. */
static void fixes_where_rows_prove_them(void **state)
{
	static const struct {
		const char *name, *rows;
		double saves; /* 0: it is not advised */
	} cases[] = {
		{"let segments expand", STUCK("0.0999"), 0},
		{"let segments expand", STUCK("0.1"), 5e8},
		{"let segments expand", STUCK("0.1") "; snapshot/free/in_private_pools_bytes = 2e8", 3e8},
		{"let segments expand", STUCK("0.1") "; snapshot/free/in_private_pools_bytes = 5e8", 0},
		{"let segments expand", SNAPSHOT "snapshot/free/expandable_ratio = 0.5; " REFUSED("2048"), 0},
		{"let segments expand", SNAPSHOT REFUSED("2048"), 0}, /* whether they do is not known */
		{"let segments expand", SNAPSHOT "snapshot/free/expandable_ratio = 0; " REFUSED("1022"), 0},
		/* With the byte that the device had left. */
		{"let segments expand", SNAPSHOT "snapshot/free/expandable_ratio = 0; " REFUSED("1023"), 1023},
		{"let segments expand", SNAPSHOT "snapshot/free/expandable_ratio = 0; " REFUSED("1024"), 1024},
		{"let segments expand", SNAPSHOT "snapshot/free/expandable_ratio = 0; snapshot/allocator/retried_bytes = 9", 9},
		{"free gradients before the forward pass", GRADIENTS("forward", "0.0999"), 0},
		{"free gradients before the forward pass", GRADIENTS("backward", "0.5"), 0},
		{"free gradients before the forward pass", GRADIENTS("forward", "0.1"), 300},
		{"keep nothing on the device from step to step", CARRIED("0.0099"), 0},
		{"keep nothing on the device from step to step", CARRIED("0.01"), 70},
		{"use activation checkpointing", FULL KIND("activations", "800", "0.2999"), 0},
		{"use activation checkpointing", FULL KIND("activations", "800", "0.3"), 800},
		{"use activation checkpointing", SNAPSHOT LEFT("900000") KIND("activations", "800", "0.9"), 0},
		{"use activation checkpointing", SNAPSHOT NO_CAPACITY KIND("activations", "800", "0.9"), 0},
		/* nothing shows the need */
		/* Neither the units of the device nor the number format is known. */
		{"use mixed precision in bf16", FULL KIND("activations", "800", "0.3"), 0},
		{"use mixed precision in bf16", FULL KIND("activations", "800", "0.3") "setup/reduced_precision/is = 'no'", 0},
		{"use mixed precision in bf16", FULL KIND("activations", "800", "0.3") AMPERE "setup/reduced_precision/is = 'yes'", 0},
		{"use mixed precision in bf16", FULL KIND("activations", "800", "0.3") TURING "setup/reduced_precision/is = 'no'", 0},
		{"use mixed precision in bf16", FULL KIND("activations", "800", "0.1") AMPERE "setup/reduced_precision/is = 'no'", 400},
		{"use mixed precision in fp16", FULL KIND("activations", "800", "0.1") AMPERE "setup/reduced_precision/is = 'no'", 0},
		{"use mixed precision in fp16", FULL KIND("activations", "800", "0.1") TURING "setup/reduced_precision/is = 'no'", 400},
		/* What is on already. */
		{"let segments expand", STUCK("0.1") "; setup/windows/is = 'yes'", 0},
		{"let segments expand", STUCK("0.1") "; setup/cuda/is = 'yes'; setup/nvidia/is = 'no'", 0},
		/* The facts of a program on the CPU do not tell of the device whose snapshot lies beside them. */
		{"let segments expand", STUCK("0.1") "; setup/cuda/is = 'no'; setup/nvidia/is = 'no'", 5e8},
		{"use activation checkpointing", FULL KIND("activations", "800", "0.3") "setup/recomputation/is = 'yes'", 0},
		{"halve the batch and accumulate gradients", FULL KIND("activations", "800", "0.1") "setup/batch_of_one/is = 'yes'", 0},
		{"keep the optimizer's state in 8 bits", FULL STATE("0.2") "setup/state_8bit/is = 'yes'", 0},
		{"keep the optimizer's state in 8 bits", FULL STATE("0.2") "setup/adam/is = 'no'", 0},
		{"offload the optimizer's state to the host", FULL STATE("0.2") "setup/offloaded_state/is = 'yes'", 0},
		{"halve the batch and accumulate gradients", FULL KIND("activations", "800", "0.0999"), 0},
		{"halve the batch and accumulate gradients", FULL KIND("activations", "800", "0.1"), 400},
		{"shard parameters, gradients and optimizer state over the ranks", FULL STATE("0.5"), 0}, /* one rank */
		{"shard parameters, gradients and optimizer state over the ranks",
		 FULL STATE("0.1999") "ranks/all/world_size_count "
				      "= 4",
		 0},
		{"shard parameters, gradients and optimizer state over the ranks", FULL STATE("0.2") "ranks/all/world_size_count = 4",
		 450},
		{"keep the optimizer's state in 8 bits", FULL STATE("0.1999"), 0},
		{"keep the optimizer's state in 8 bits", FULL STATE("0.2"), 300},
		{"offload the optimizer's state to the host", FULL STATE("0.1999"), 0},
		{"offload the optimizer's state to the host", FULL STATE("0.2"), 400},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct ts_memory_fix *f;
		struct state s;

		advise(&s, cases[i].rows);
		f = fix(&s, cases[i].name);
		if ((f != NULL) != (cases[i].saves > 0) || (f && fabs(f->saves_most - cases[i].saves) > 1e-9))
			fail_msg("%s on %s: %g, not %g", cases[i].name, cases[i].rows, f ? f->saves_most : 0, cases[i].saves);
		ts_arena_finish(&s.arena);
	}
	/* Every fix of the table is both advised and not. */
	for (size_t p = 0; p < ts_memory_plays_n; p++) {
		bool yes = false, no = false;

		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
			bool same = strcmp(cases[i].name, ts_memory_plays[p].name) == 0;

			yes |= same && cases[i].saves > 0;
			no |= same && !(cases[i].saves > 0);
		}
		if (!yes || !no)
			fail_msg("%s lacks a case", ts_memory_plays[p].name);
		assert_true(strlen(ts_memory_plays[p].when) && strlen(ts_memory_plays[p].costs) && strlen(ts_memory_plays[p].source));
	}
}

/* What costs nothing and is enough comes first, then what saves most, then the cheapest. */
static void order(void **state)
{
	static const char rows[] = SNAPSHOT NO_CAPACITY "snapshot/free/expandable_ratio = 0; " REFUSED("1500")
		KIND("activations", "4000", "0.5") STATE("0.3") "snapshot/carried/held_bytes = 70; snapshot/carried/held_ratio = 0.1; "
								"snapshot/carried/largest_source = 'keep (log.py:7)'";
	static const char *const want[] = {"let segments expand",
					   "use activation checkpointing",
					   "halve the batch and accumulate gradients",
					   "offload the optimizer's state to the host",
					   "keep the optimizer's state in 8 bits",
					   "keep nothing on the device from step to step"};
	struct state s;

	(void)state;
	advise(&s, rows);
	assert_int_equal(s.a.n_fixes, sizeof want / sizeof want[0]);
	for (size_t i = 0; i < s.a.n_fixes; i++)
		if (!ts_span_is(s.a.fixes[i].name, want[i]))
			fail_msg("%zu: %.*s, not %s", i, TS_SPAN_ARG(s.a.fixes[i].name), want[i]);
	assert_true(ts_span_ends(s.a.fixes[5].how, "; most was asked for by keep (log.py:7)"));
	assert_true(ts_span_contains(s.a.fixes[1].source, "arXiv:1604.06174"));
	assert_true(s.a.fixes[1].costs.len > 0);
	ts_arena_finish(&s.arena);
}

static void a_full_arena_is_an_error(void **state)
{
	struct ts_memory_advice a;
	struct ts_error err;
	struct state s;
	int failed = 0;

	(void)state;
	advise(&s, CARRIED("0.5") "; " REFUSED("0"));
	for (size_t ceiling = 64;; ceiling += 64) {
		struct ts_arena small;
		enum ts_status status;

		ts_arena_init(&small, ceiling);
		status = ts_memory_advise(&s.m, &small, &a, &err);
		ts_arena_finish(&small);
		if (!status)
			break;
		failed++;
	}
	assert_true(failed > 3);
	ts_arena_finish(&s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whether_memory_limits),
		cmocka_unit_test(fixes_where_rows_prove_them),
		cmocka_unit_test(order),
		cmocka_unit_test(a_full_arena_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
