#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/policy.h"

static enum ts_status parse(const char *text, struct ts_arena *arena, struct ts_retention_policy *p, struct ts_error *err)
{
	struct ts_policy items;

	if (ts_policy_parse(ts_span_str(text), "keep.policy", arena, &items, err))
		return err->status;
	return ts_policy_of_retention(&items, arena, p, err);
}

static void rules_in_order(void **state)
{
	struct ts_retention_policy p = {.n_rules = 0};
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(parse("# of the team\nGATE.delta = 1 %\nRETENTION.branch = */main: last 200, younger 90d\n"
			       "RETENTION.branch=lab/*:all\n RETENTION.runs = * : younger 12h # names\n",
			       &arena, &p, &err),
			 TS_OK);
	assert_int_equal(p.n_rules, 3);
	assert_true(p.rules[0].branch && ts_span_is(p.rules[0].pattern, "*/main") && p.rules[0].last == 200 && !p.rules[0].all);
	assert_true(p.rules[0].younger_ns == INT64_C(90) * 86400 * 1000000000);
	assert_true(ts_span_is(p.rules[0].text, "last 200, younger 90d"));
	assert_true(p.rules[1].branch && p.rules[1].all && p.rules[1].last == 0 && p.rules[1].younger_ns == 0);
	assert_true(!p.rules[2].branch && p.rules[2].last == 0 && p.rules[2].younger_ns == INT64_C(12) * 3600 * 1000000000);
	assert_true(p.n_notes == 1 && ts_span_is(p.notes[0], "accepted"));
	assert_int_equal(parse("RETENTION.runs = *: last 1\nRETENTION.notes = a\nRETENTION.notes = keep, paper.1",
			       &arena, &p, &err),
			 TS_OK);
	assert_true(p.n_notes == 2 && ts_span_is(p.notes[0], "keep") && ts_span_is(p.notes[1], "paper.1"));
	assert_int_equal(parse("RETENTION.runs = *: last 1\nRETENTION.notes = none", &arena, &p, &err), TS_OK);
	assert_int_equal(p.n_notes, 0);
	ts_arena_finish(&arena);
}

static void mistakes_have_a_line(void **state)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
		{"\nRETENTION.brnch = a: all", "keep.policy:2: RETENTION has no setting brnch; it has branch, runs, notes"},
		{"RETENTION.branch = */main", "keep.policy:1: '*/main' is no rule: PATTERN: last N, younger TIME"},
		{"RETENTION.branch = : all", "keep.policy:1: ': all' is no rule: PATTERN: last N, younger TIME"},
		{"RETENTION.branch = a: last 0", "keep.policy:1: 'last 0' does not say what stays"},
		{"RETENTION.branch = a: last -1", "keep.policy:1: 'last -1' does not say what stays"},
		{"RETENTION.branch = a: last 1000001", "keep.policy:1: 'last 1000001' does not say what stays"},
		{"RETENTION.branch = a: last 3, last 4", "keep.policy:1: 'last 4' does not say what stays"},
		{"RETENTION.runs = a: younger 90", "keep.policy:1: 'younger 90' does not say what stays"},
		{"RETENTION.runs = a: younger 0d", "keep.policy:1: 'younger 0d' does not say what stays"},
		{"RETENTION.runs = a: younger 3651d", "keep.policy:1: 'younger 3651d' does not say what stays"},
		{"RETENTION.runs = a: younger 99999999999999999999d", "keep.policy:1: 'younger 99999999999999999999d' does not"},
		{"RETENTION.runs = a: older 90d", "keep.policy:1: 'older 90d' does not say what stays"},
		{"RETENTION.runs = a: last 3, all", "keep.policy:1: 'last 3, all' says all, and less than all"},
		{"RETENTION.notes = Accepted", "keep.policy:1: 'Accepted' is not the key of a note"},
		{"RETENTION.notes = ", "keep.policy:1: '' is not the key of a note"},
		{"RETENTION = off", "keep.policy:1: RETENTION cannot be off or on"},
		{"retention.runs = a: all", "keep.policy:1: there is no rule retention.runs; did you mean RETENTION?"},
		{"GATE.delta = 1 %", "the policy has no rule of retention"},
		{"RETENTION.notes = keep", "the policy has no rule of retention"},
	};
	struct ts_retention_policy p;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(parse(bad[i].text, &arena, &p, &err), TS_INVALID);
		if (strncmp(err.text, bad[i].want, strlen(bad[i].want)) != 0)
			fail_msg("'%s' instead of '%s'", err.text, bad[i].want);
	}
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rules_in_order), cmocka_unit_test(mistakes_have_a_line)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
