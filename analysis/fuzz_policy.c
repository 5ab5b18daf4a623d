/* Reads any text as a policy, its section GATE as the policy of a gate and RETENTION as that of a store: it is refused with its place,
 * or passes every later check; and as a table of kernels. A policy of a gate that is printed reads back as the same one.
 */
#include "analysis/gate/gate_policy.h"
#include "analysis/policy.h"
#include "analysis/trace/device/kernel_table.h"
#include "tests/fuzz/fuzz_hold.h"

enum { TEXT_MAX = 1 << 20 };

static void retain(const struct ts_policy *items, struct ts_arena *arena)
{
	struct ts_retention_policy policy;
	struct ts_error err;

	if (ts_policy_of_retention(items, arena, &policy, &err)) {
		hold(strstr(err.text, "no rule of retention") != NULL);
		return;
	}
	hold(policy.n_rules > 0 && policy.n_notes <= TS_RETENTION_NOTES_MAX);
	for (size_t i = 0; i < policy.n_rules; i++)
		hold(policy.rules[i].all || policy.rules[i].last || policy.rules[i].younger_ns > 0);
}

static void print_and_read(const struct ts_gate_policy *policy, struct ts_arena *arena)
{
	struct ts_buf text = TS_BUF_INIT(TEXT_MAX), again = TS_BUF_INIT(TEXT_MAX);
	struct ts_gate_policy back;
	struct ts_error err;

	ts_gate_policy_print(policy, &text);
	hold(!text.failed && ts_policy_gate_parse(ts_buf_view(&text), "printed", arena, &back, &err) == TS_OK);
	ts_gate_policy_print(&back, &again);
	hold(ts_span_eq(ts_buf_view(&text), ts_buf_view(&again)));
	ts_buf_finish(&text);
	ts_buf_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span text = ts_span_of(data, size);
	struct ts_gate_policy gate;
	struct ts_kernel_rules rules;
	struct ts_policy policy;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 64 << 20);
	if (!ts_policy_parse(text, "policy", &arena, &policy, &err)) {
		hold(ts_policy_check(&policy, &err) == TS_OK);
		retain(&policy, &arena);
	} else {
		hold(strncmp(err.text, "policy:", 7) == 0);
	}
	if (!ts_policy_gate_parse(text, "policy", &arena, &gate, &err))
		print_and_read(&gate, &arena);
	if (!ts_kernel_rules_parse(text, &arena, &rules, &err))
		for (size_t i = 0; i < rules.n; i++)
			hold(rules.items[i].category < TS_KERNEL_CATEGORIES && rules.items[i].pattern.len);
	ts_arena_finish(&arena);
	return 0;
}
