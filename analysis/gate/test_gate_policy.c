/* test_gate_policy.c - what a policy may set about a gate: read, refused, printed, and read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/gate_policy.h"
#include "analysis/policy.h"
#include "base/file.h"

#include <math.h>
#include <stdio.h>

static enum ts_status read_policy(const char *text, struct ts_arena *arena, struct ts_gate_policy *p, struct ts_error *err)
{
	return ts_policy_gate_parse(ts_span_str(text), "ci.policy", arena, p, err);
}

static void print(const struct ts_gate_policy *p, struct ts_buf *out)
{
	ts_buf_reset(out);
	ts_gate_policy_print(p, out);
	ts_buf_char(out, '\0');
	assert_int_equal(out->failed, TS_OK);
}

#define ALL_SETTINGS                                                                                                                   \
	"GATE.metrics = step_time, peak_memory\nGATE.watch = step_time_end\n"                                                          \
	"GATE.step_time.min_size = 0.03\nGATE.step_time_mean.min_size = 0.03\nGATE.step_time_p95.min_size = 0.03\n"                    \
	"GATE.stall_share.min_size = 0.03\nGATE.peak_memory.min_size = 0.015\nGATE.tokens_per_s.min_size = 0.03\n"                     \
	"GATE.tokens_per_s_device.min_size = 0.03\nGATE.samples_per_s.min_size = 0.03\n"                                               \
	"GATE.samples_per_s_device.min_size = 0.03\nGATE.mfu.min_size = 0.03\nGATE.loss.min_size = 0.03\n"                             \
	"GATE.step_time_p10.min_size = 0.03\nGATE.step_time_end.min_size = 0.03\n"                                                     \
	"GATE.step_time_floor.min_size = 0.03\nGATE.cpu_time.min_size = 0.03\n"                                                        \
	"GATE.tokens_per_s_device.least = 1200.0\nGATE.mfu.least = 0.38\n"                                                             \
	"GATE.delta = 0.0\nGATE.alpha = 0.001\nGATE.suspect_alpha = 0.1\nGATE.must_catch = 0.05\nGATE.rerun = off\n"                   \
	"GATE.pairs = 3\nGATE.pairs_most = 9\nGATE.baselines = 12\nGATE.collect = 5\nGATE.prior_sd = 0.004\n"                          \
	"GATE.prior_df = 12.5\nGATE.prior_df_most = 8.0\nGATE.across = hardware, libraries\n"                                          \
	"GATE.other_work = off\nGATE.workload = llama 7b\n"                                                                            \
	"GATE.ignore = config.a*, config.b\nGATE.exclude = tag:eval, phase:checkpoint, every:500\nGATE.warmup = 40\n"                  \
	"GATE.inconclusive = fail\nGATE.blind = pass\n"

static void every_setting(void **state)
{
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_arena arena;
	struct ts_gate_policy p;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(
		read_policy("GATE.peak_memory.min_size = 1.5 % # before that of all, and counts\n"
			    "GATE.min_size=3%\nTIMING.JITTER = off\nGATE.metrics =peak_memory , step_time\nGATE.watch = step_time_end\n"
			    "GATE.mfu.least = 38 %\nGATE.tokens_per_s_device.least = 1200\n"
			    "GATE.delta = 0\nGATE.alpha = 0.1 %\nGATE.suspect_alpha = 0.1\nGATE.must_catch = 5 %\n"
			    "GATE.rerun = off\nGATE.pairs = 3\nGATE.pairs_most = 9\n"
			    "GATE.baselines = 12\nGATE.collect = 5\n"
			    "GATE.prior_sd = 0.4 %\nGATE.prior_df = 12.5\nGATE.prior_df_most = 8\n"
			    "GATE.across = libraries,hardware\nGATE.other_work = off\nGATE.workload = llama 7b\n"
			    "GATE.ignore = config.a*,  config.b\n"
			    "GATE.exclude = tag:eval, phase:checkpoint, every:500\n"
			    "GATE.warmup = 40\nGATE.inconclusive = pass\n"
			    "GATE.inconclusive = fail\nGATE.blind = pass\n",
			    &arena, &p, &err),
		TS_OK);
	assert_true(p.gates[TS_METRIC_STEP_TIME] && p.gates[TS_METRIC_PEAK_MEMORY] && !p.gates[TS_METRIC_LOSS]);
	assert_true(p.least[TS_METRIC_MFU] == 0.38 && isnan(p.least[TS_METRIC_TOKENS_PER_S]) && !p.other_work);
	assert_true(p.min_size[TS_METRIC_PEAK_MEMORY] == 0.015 && p.min_size[TS_METRIC_STEP_TIME] == 0.03);
	assert_true(p.must_catch == 0.05 && p.alpha == 0.001 && !p.rerun && p.prior_sd == 0.004);
	assert_true(p.across[TS_WORKLOAD_HARDWARE] && p.across[TS_WORKLOAD_LIBRARIES] && !p.across[TS_WORKLOAD_CONFIG]);
	assert_int_equal(p.ignore.n, 2);
	assert_int_equal(p.reduce.n_excludes, 3);
	assert_int_equal(p.reduce.excludes[2].every, 500);
	assert_true(ts_span_is(p.reduce.excludes[1].name, "checkpoint") && p.reduce.excludes[1].kind == TS_EXCLUDE_PHASE);
	assert_true(p.reduce.has_warmup && p.reduce.warmup == 40);
	assert_int_equal(p.on_inconclusive, TS_GATE_FAILS);
	assert_int_equal(p.on_blind, TS_GATE_GREEN);
	print(&p, &out);
	assert_string_equal((const char *)out.data, ALL_SETTINGS);
	/* The printed text is read back as the same policy. */
	assert_int_equal(read_policy(ALL_SETTINGS, &arena, &p, &err), TS_OK);
	print(&p, &out);
	assert_string_equal((const char *)out.data, ALL_SETTINGS);
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
}

/* Words in the place of numbers and lists undo what an earlier policy has set. */
static void words_undo(void **state)
{
	struct ts_arena arena;
	struct ts_gate_policy p;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(read_policy(ALL_SETTINGS "GATE.must_catch = off\nGATE.prior_sd = history\nGATE.across = none\n"
						  "GATE.workload = by-key\nGATE.ignore = none\nGATE.exclude = none\n"
						  "GATE.warmup = auto\nGATE.mfu.least = off\n"
						  "GATE.inconclusive = exit-3\nGATE.blind = exit-3\nGATE.rerun = on\n",
				     &arena, &p, &err),
			 TS_OK);
	assert_true(isnan(p.must_catch) && isnan(p.prior_sd) && isnan(p.least[TS_METRIC_MFU]) && p.rerun);
	assert_false(p.across[TS_WORKLOAD_HARDWARE] || p.across[TS_WORKLOAD_LIBRARIES]);
	assert_true(p.workload.len == 0 && p.ignore.n == 0 && p.reduce.n_excludes == 0 && !p.reduce.has_warmup);
	assert_true(p.on_inconclusive == TS_GATE_EXIT_3 && p.on_blind == TS_GATE_EXIT_3);
	ts_arena_finish(&arena);
}

static void defaults_come_back(void **state)
{
	struct ts_buf first = TS_BUF_INIT(1 << 16), second = TS_BUF_INIT(1 << 16);
	struct ts_gate_policy p, again;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_id a, b;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	ts_gate_policy_default(&p);
	/* The values are those of the issue: 2 %, 1 %, 0.5 %, 20 baselines, 10 recommended. */
	assert_true(p.min_size[TS_METRIC_STEP_TIME] == 0.02 && p.delta == 0.01 && p.alpha == 0.005 && p.suspect_alpha == 0.1);
	assert_true(p.baselines == 20 && p.collect == 10 && p.prior_df_most == 30 && p.rerun && p.must_catch == 0.1);
	for (size_t m = 0; m < TS_METRICS; m++)
		assert_int_equal(p.gates[m], m == TS_METRIC_STEP_TIME);
	print(&p, &first);
	assert_int_equal(read_policy((const char *)first.data, &arena, &again, &err), TS_OK);
	print(&again, &second);
	assert_string_equal((const char *)first.data, (const char *)second.data);
	assert_int_equal(ts_gate_policy_digest(&p, &a, &err), TS_OK);
	assert_int_equal(ts_gate_policy_digest(&again, &b, &err), TS_OK);
	assert_memory_equal(&a, &b, sizeof a);
	again.delta = 0.010000000000000002; /* the next double */
	assert_int_equal(ts_gate_policy_digest(&again, &b, &err), TS_OK);
	assert_memory_not_equal(&a, &b, sizeof a);
	ts_buf_finish(&second);
	ts_buf_finish(&first);
	ts_arena_finish(&arena);
}

#define SETTINGS_OF(name)                                                                                                              \
	"GATE has no setting " name                                                                                                    \
	"; it has metrics, better, watch, min_size, delta, alpha, suspect_alpha, must_catch, rerun, pairs, pairs_most, "               \
	"baselines, collect, prior_sd, prior_df, prior_df_most, across, other_work, workload, ignore, exclude, "                       \
	"warmup, inconclusive, blind, METRIC.min_size, SERIES.better, and METRIC.least of a metric of which more is better"

static void mistakes_have_a_line_and_a_way_out(void **state)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
		{"\nGATE.detla = 1 %\n", "ci.policy:2: GATE has no setting detla; did you mean delta?"},
		{"GATE.step_time.delta = 1 %", "ci.policy:1: " SETTINGS_OF("step_time.delta")},
		{"GATE.step_time.least = 1", "ci.policy:1: " SETTINGS_OF("step_time.least")},
		{"GATE.least = 1", "ci.policy:1: " SETTINGS_OF("least")},
		{"GATE.mfu.least = 38",
		 "ci.policy:1: GATE.mfu.least must be a ratio above 0 and at most 1, such as 0.05 or 5 %, or off; it is '38'"},
		{"GATE.tokens_per_s.least = 0",
		 "ci.policy:1: GATE.tokens_per_s.least must be a number above 0 and at most 1e+18, or off; it is '0'"},
		{"GATE.watch = step_tme", "ci.policy:1: there is no metric 'step_tme'; did you mean step_time?"},
		{"GATE.watch = nothing",
		 "ci.policy:1: there is no metric 'nothing'; the metrics are step_time, step_time_mean, step_time_p95, stall_share, "
		 "peak_memory, tokens_per_s, tokens_per_s_device, samples_per_s, samples_per_s_device, mfu, loss, step_time_p10, "
		 "step_time_end, step_time_floor, cpu_time"},
		{"GATE.metrics = a,b,c,d,e,f,g,step_time,h,i", "ci.policy:1: GATE.metrics lists 9 series, and it takes at most 8"},
		{"GATE.metrics = acc@k=5", "ci.policy:1: the name of the series 'acc@k=5' has a '=', which no setting can spell"},
		{"GATE.metrics = beta\nGATE.beta.better = up", "ci.policy:2: GATE.better must be one of lower, higher; it is 'up'"},
		{"GATE.step_time.better = lower", "ci.policy:1: " SETTINGS_OF("step_time.better")},
		{"GATE.metrics = val_bpb\nGATE.val_bpd.min_size = 1 %",
		 "policy: GATE.val_bpd.min_size is about a metric that GATE.metrics does not name; did you mean val_bpb?"},
		{"GATE.peak_memry.min_size = 1 %",
		 "policy: GATE.peak_memry.min_size is about a metric that GATE.metrics does not name; did you mean peak_memory?"},
		{"GATE.metrics = val_bpb\nGATE.val_bpb.least = 1",
		 "policy: GATE.val_bpb.least is the floor of a series of which more is better, and of this one less is better; state "
		 "GATE.val_bpb.better = higher if it is"},
		{"GATE.metrics = beta\nGATE.beta.least = 1",
		 "policy: GATE.beta.least is the floor of a series of which more is better, and its name does not tell which is "
		 "better; state GATE.beta.better = higher if it is"},
		{"GATE.metrics = step_time,,mfu", "ci.policy:1: a name in GATE.metrics is empty"},
		{"GATE.metrics =", "ci.policy:1: GATE.metrics is empty"},
		{"GATE.delta =", "ci.policy:1: GATE.delta is empty"},
		{"GATE.delta = %", "ci.policy:1: GATE.delta must be a ratio from 0 to 0.5, such as 0.05 or 5 %; it is '%'"},
		{"GATE.delta = 51 %", "ci.policy:1: GATE.delta must be a ratio from 0 to 0.5, such as 0.05 or 5 %; it is '51 %'"},
		{"GATE.alpha = 0", "ci.policy:1: GATE.alpha must be a ratio above 0 and at most 0.2, such as 0.05 or 5 %; it is '0'"},
		{"GATE.alpha = NaN",
		 "ci.policy:1: GATE.alpha must be a ratio above 0 and at most 0.2, such as 0.05 or 5 %; it is 'NaN'"},
		{"GATE.must_catch = never",
		 "ci.policy:1: GATE.must_catch must be a ratio above 0 and at most 10, such as 0.05 or 5 %, or off; it is 'never'"},
		{"GATE.loss.min_size = -1 %",
		 "ci.policy:1: GATE.loss.min_size must be a ratio from 0 to 1, such as 0.05 or 5 %; it is '-1 %'"},
		{"GATE.pairs = 2.5", "ci.policy:1: GATE.pairs must be a whole number from 2 to 256; it is '2.5'"},
		{"GATE.pairs = 300 %", "ci.policy:1: GATE.pairs must be a whole number from 2 to 256; it is '300 %'"},
		{"GATE.baselines = 1e300", "ci.policy:1: GATE.baselines must be a whole number from 3 to 400; it is '1e300'"},
		{"GATE.pairs = 9\n#\nGATE.pairs_most = 8", "policy: GATE.pairs_most is 8, which is less than GATE.pairs, 9"},
		{"GATE.rerun = yes", "ci.policy:1: GATE.rerun must be one of on, off; it is 'yes'"},
		{"GATE.inconclusive = ok", "ci.policy:1: GATE.inconclusive must be one of exit-3, fail, pass; it is 'ok'"},
		{"GATE.across = color",
		 "ci.policy:1: 'color' is not a part of a workload; the parts are config, hardware, parallelism, libraries"},
		{"GATE.exclude = eval", "ci.policy:1: 'eval' is not a rule to exclude steps; write tag:NAME, phase:NAME, or every:N "
					"with N from 2 to 1000000000"},
		{"GATE.exclude = every:1", "ci.policy:1: 'every:1' is not a rule to exclude steps; write tag:NAME, phase:NAME, or "
					   "every:N with N from 2 to 1000000000"},
		{"GATE.exclude = tag:", "ci.policy:1: 'tag:' is not a rule to exclude steps; write tag:NAME, phase:NAME, or every:N "
					"with N from 2 to 1000000000"},
		{"GATE = off", "ci.policy:1: GATE cannot be off or on; a setting is set as GATE.NAME = VALUE"},
		{"GATE.workload = a\x1b[31mb", "ci.policy:1: GATE.workload must be a text of printable characters without '#'"},
		{"GATES.delta = 1", "ci.policy:1: there is no rule GATES.delta; did you mean GATE?"},
	};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ts_gate_policy p;
		struct ts_error err;

		assert_int_equal(read_policy(bad[i].text, &arena, &p, &err), TS_INVALID);
		assert_string_equal(err.text, bad[i].want);
	}
	ts_arena_finish(&arena);
}

/* A value that could not be printed and read again is refused, whoever sends it; a setting that is not known may be a newer one. */
static void items_from_elsewhere(void **state)
{
	static const struct {
		const char *name;
		double value;
		const char *text;
	} bad[] = {
		{"delta", 0.6, ""},	     {"delta", (double)NAN, ""},   {"metrics", 1, ""},	  {"ignore", 0, "config.a#b"},
		{"ignore", 0, "config.a\nGATE.delta = 0"}, {"workload", 0, " a"}, {"workload", 0, "a\xff"}, {"pairs", 2.5, ""},
		{"rerun", 1, ""},	     {"", 1, ""},		   {"delta", 0.01, "much"},
	};
	struct ts_gate_policy p;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	ts_gate_policy_default(&p);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ts_policy_item item = {ts_span_str("GATE"), ts_span_str(bad[i].name), false, bad[i].value,
					      ts_span_str(bad[i].text)};
		struct ts_policy items = {&item, 1};

		if (ts_policy_of_gate(&items, &arena, &p, &err) != (*bad[i].name ? TS_INVALID : TS_UNSUPPORTED))
			fail_msg("%s = %g '%s' is taken", bad[i].name, bad[i].value, bad[i].text);
	}
	ts_arena_finish(&arena);
}

/* A list of the greatest allowed length is read back; a longer one is refused. */
static void long_lists(void **state)
{
	struct ts_buf text = TS_BUF_INIT(1 << 16), out = TS_BUF_INIT(1 << 17);
	struct ts_gate_policy p;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	for (size_t names = 1; names <= 65; names++) {
		ts_buf_reset(&text);
		ts_buf_str(&text, "GATE.ignore = ");
		for (size_t i = 0; i < names; i++)
			ts_buf_printf(&text, "%sconfig.%0*zu", i ? "," : "", names > 32 ? 20 : 100, i);
		ts_buf_char(&text, '\0');
		if (read_policy((const char *)text.data, &arena, &p, &err)) {
			assert_int_equal(names, 65);
			assert_string_equal(err.text, "ci.policy:1: GATE.ignore lists 65 names, and it takes at most 64");
			continue;
		}
		assert_int_equal(p.ignore.n, names);
		print(&p, &out);
		assert_int_equal(read_policy((const char *)out.data, &arena, &p, &err), TS_OK);
		assert_int_equal(p.ignore.n, names);
	}
	ts_buf_reset(&text);
	ts_buf_printf(&text, "GATE.ignore = %0257d", 0);
	ts_buf_char(&text, '\0');
	assert_int_equal(read_policy((const char *)text.data, &arena, &p, &err), TS_INVALID);
	assert_string_equal(err.text, "ci.policy:1: a name in GATE.ignore is longer than 256 bytes");
	ts_buf_finish(&text);
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
}

/* The chapter on the policy is written by hand around what the table prints. */
static void the_manual_has_the_table(void **state)
{
	struct ts_buf want = TS_BUF_INIT(1 << 16), file = TS_BUF_INIT(1 << 20);
	struct ts_error err;
	bool found = false;

	(void)state;
	ts_gate_policy_markdown(&want);
	assert_int_equal(ts_file_read("docs/gate.md", &file, &err), TS_OK);
	for (size_t i = 0; !found && i + want.len <= file.len; i++)
		found = memcmp(file.data + i, want.data, want.len) == 0;
	ts_buf_char(&want, '\0');
	if (!found)
		fail_msg("docs/gate.md lacks:\n%s", (const char *)want.data);
	ts_buf_finish(&file);
	ts_buf_finish(&want);
}

static void a_full_arena(void **state)
{
	struct ts_gate_policy p;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	for (size_t room = 16; room < 200; room += 16) {
		enum ts_status status;

		ts_arena_init(&arena, room);
		status = read_policy("GATE.ignore = a, b\nGATE.exclude = every:3, every:4\n", &arena, &p, &err);
		assert_true(status == TS_NO_MEMORY || status == TS_TOO_LARGE);
		ts_arena_finish(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_setting),
		cmocka_unit_test(words_undo),
		cmocka_unit_test(defaults_come_back),
		cmocka_unit_test(mistakes_have_a_line_and_a_way_out),
		cmocka_unit_test(items_from_elsewhere),
		cmocka_unit_test(long_lists),
		cmocka_unit_test(the_manual_has_the_table),
		cmocka_unit_test(a_full_arena),
	};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
