/* test_bound.c - the verdict, its shares and its fixes, from rows written by hand; the sums are done in the comments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rules/bound.h"
#include "analysis/rules/playbook.h"
#include "analysis/rules/test_rows.h"

#include <stdio.h>

struct state {
	struct ts_arena arena;
	struct ts_measures m;
	struct ts_bound b;
};

static void decide(struct state *s, const char *rows)
{
	struct ts_error err;

	memset(s, 0, sizeof *s);
	ts_arena_init(&s->arena, 16 << 20);
	test_rows(&s->m, &s->arena, rows);
	assert_int_equal(ts_bound_decide(&s->m, &s->arena, &s->b, &err), TS_OK);
}

static bool holds(struct ts_span text, const char *part)
{
	return memmem(text.data, text.len, part, strlen(part)) != NULL;
}

static bool tells(const struct state *s, const char *part)
{
	for (size_t i = 0; i < s->b.n_unknowns; i++)
		if (holds(s->b.unknowns[i], part))
			return true;
	return false;
}

static const struct ts_fix *fix(const struct state *s, const char *name)
{
	for (size_t i = 0; i < s->b.n_fixes; i++)
		if (ts_span_is(s->b.fixes[i].name, name))
			return &s->b.fixes[i];
	return NULL;
}

static const struct ts_to_check *check(const struct state *s, const char *name)
{
	for (size_t i = 0; i < s->b.n_to_check; i++)
		if (ts_span_is(s->b.to_check[i].name, name))
			return &s->b.to_check[i];
	return NULL;
}

static void about(double got, double want)
{
	if (!(fabs(got - want) < 1e-12))
		fail_msg("%.17g is not %.17g", got, want);
}

#define STEPS "timing/step/count = 10; "
#define NO_MFU "budget/compute_overhead/share_ratio ? no FLOPs are said; efficiency/mfu/ratio ? no FLOPs are said; "
#define REST(input, compute, comm, wait, other, none)                                                                       \
	STEPS NO_MFU "budget/data_stall/share_ratio = " #input "; budget/useful_compute/share_ratio = " #compute             \
		     "; budget/communication/share_ratio = " #comm "; budget/wait/share_ratio = " #wait                    \
		     "; budget/other/share_ratio = " #other "; budget/unattributed/share_ratio = " #none "; "

static void each_verdict_at_its_limit(void **state)
{
	static const struct {
		const char *rows;
		enum ts_bound_kind want;
		const char *sentence;
	} cases[] = {
		{REST(0.25, 0.70, 0.03, 0, 0.02, 0), TS_BOUND_INPUT,
		 "input-bound: 25 % of the wall time is spent waiting for data"},
		{REST(0.24, 0.71, 0.03, 0, 0.02, 0), TS_BOUND_BALANCED, "the next largest share, 24 %, is spent waiting for data"},
		{REST(0, 0.75, 0.25, 0, 0, 0), TS_BOUND_COMMUNICATION, "communication-bound: 25 %"},
		{REST(0, 0.76, 0.24, 0, 0, 0), TS_BOUND_BALANCED, NULL},
		{REST(0, 0.85, 0, 0.15, 0, 0), TS_BOUND_WAIT,
		 "wait-bound: 15 % of the wall time is spent waiting for slower ranks"},
		{REST(0, 0.86, 0, 0.14, 0, 0), TS_BOUND_COMPUTE, "compute-bound: 86 %"},
		{REST(0, 0.80, 0, 0, 0.1, 0.1), TS_BOUND_HOST,
		 "host-bound: 20 % of the wall time is spent in other phases, such as evaluation or checkpoints, and "
		 "outside all phases"}, /* 10 % of the time is in phases and 10 % is in none */
		{REST(0, 0.6, 0, 0, 0.1, 0.3), TS_BOUND_HOST, "40 % of the wall time is spent outside all phases"},
		{REST(0, 0.6, 0, 0, 0.3, 0.1), TS_BOUND_HOST, "40 % of the wall time is spent in other phases, such as "
		 "evaluation or checkpoints"},
		{REST(0, 0.1, 0, 0, 0.9, 0) "timing/compile/share_ratio = 0.9; ", TS_BOUND_HOST,
		 "90 % of the wall time is spent in other phases, most of it compiling"},
		{REST(0, 0.1, 0, 0, 0.9, 0) "timing/compile/share_ratio = 0.4; ", TS_BOUND_HOST, "such as evaluation or checkpoints"},
		{REST(0, 0.81, 0, 0, 0.1, 0.09), TS_BOUND_BALANCED, NULL},
		{REST(0, 0.85, 0, 0, 0.15, 0), TS_BOUND_COMPUTE, NULL},
		{REST(0, 0.84, 0, 0, 0.16, 0), TS_BOUND_BALANCED, "balanced: 84 %"},
		/* Two shares reach their limits: the greater one decides, and the other is mentioned. */
		{REST(0.3, 0.3, 0.4, 0, 0, 0), TS_BOUND_COMMUNICATION,
		 "40 % of the wall time is spent in transfer between ranks, and 30 % waiting for data"},
		{REST(0.5, 0.1, 0.4, 0, 0, 0), TS_BOUND_INPUT, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct state s;

		decide(&s, cases[i].rows);
		if (s.b.kind != cases[i].want || (cases[i].sentence && !holds(s.b.sentence, cases[i].sentence)))
			fail_msg("%s: %s: %.*s", cases[i].rows, ts_bound_word(s.b.kind), TS_SPAN_ARG(s.b.sentence));
		ts_arena_finish(&s.arena);
	}
}

/* Time of which nobody can say what was done in it is no cause, and hides which one there is. */
static void time_that_nobody_can_tell_of(void **state)
{
	struct state s;

	(void)state;
	decide(&s, STEPS NO_MFU "budget/useful_compute/share_ratio ? no phase; budget/other/share_ratio ? no phase; "
		   "budget/unclassified/share_ratio = 1; ");
	assert_int_equal(s.b.kind, TS_BOUND_UNKNOWN);
	assert_true(holds(s.b.sentence, "the run does not show what limits it: what was done in 100 % of the wall time is not rec"));
	assert_int_equal(s.b.n_fixes, 0);
	ts_arena_finish(&s.arena);
	decide(&s, STEPS NO_MFU "budget/useful_compute/share_ratio ? no phase; budget/other/share_ratio ? no phase; "
		   "budget/unclassified/share_ratio = 1; timing/step/stall_ratio = 0.3; ");
	assert_int_equal(s.b.kind, TS_BOUND_STALLS); /* that is known of whole steps, too */
	ts_arena_finish(&s.arena);
	/* Of 0.3 in records of every tenth step, 0.03 are sure. */
	decide(&s, STEPS NO_MFU "budget/useful_compute/share_ratio ? no phase; budget/other/share_ratio ? no phase; "
		   "budget/unclassified/share_ratio = 1; timing/step/stall_ratio = 0.3; timing/step/every_count = 10; ");
	assert_int_equal(s.b.kind, TS_BOUND_UNKNOWN);
	ts_arena_finish(&s.arena);
	/* What is known reaches its limit all the same. */
	decide(&s, STEPS NO_MFU "budget/data_stall/share_ratio = 0.3; budget/unclassified/share_ratio = 0.7; ");
	assert_int_equal(s.b.kind, TS_BOUND_INPUT);
	ts_arena_finish(&s.arena);
	decide(&s, STEPS NO_MFU "budget/data_stall/share_ratio = 0.2; budget/unclassified/share_ratio = 0.8; "
		   "budget/unattributed/share_ratio = 0; ");
	assert_int_equal(s.b.kind, TS_BOUND_UNKNOWN);
	assert_false(s.b.shares[4].known); /* 0 % outside of the steps is not 0 % of the host */
	ts_arena_finish(&s.arena);
	decide(&s, REST(0.05, 0.81, 0, 0, 0, 0) "budget/unclassified/share_ratio = 0.14; ");
	assert_int_equal(s.b.kind, TS_BOUND_BALANCED);
	ts_arena_finish(&s.arena);
	/* The job waits for 20 % of the time; of this rank, whose wait is 0, the known share keeps its part of the rest: 0.8 * 0.25. */
	decide(&s, STEPS NO_MFU "budget/data_stall/share_ratio = 0.25; budget/unclassified/share_ratio = 0.75; "
		   "budget/wait job/share_ratio = 0.2; budget/communication job/share_ratio = 0; ");
	assert_int_equal(s.b.kind, TS_BOUND_WAIT);
	about(s.b.shares[0].share, 0.2);
	ts_arena_finish(&s.arena);
}

#define TRACED(exposed, host, launch) "trace/span/share_ratio = 1; trace/exposed_communication/share_ratio = " #exposed              \
	"; trace/idle_host/share_ratio = " #host "; trace/idle_launch/share_ratio = " #launch "; trace/exposed_copies/share_ratio = 0; "

static void a_trace_shows_what_phases_hide(void **state)
{
	struct state s;

	(void)state;
	/* 0.30 + 0.05 idle for the host, of which 0.10 wait for data and 0.05 are other: 0.20 are hidden in compute. */
	decide(&s, REST(0.10, 0.85, 0, 0, 0.05, 0) TRACED(0, 0.30, 0.05));
	assert_int_equal(s.b.kind, TS_BOUND_HOST);
	about(s.b.shares[1].share, 0.65);
	about(s.b.shares[4].share, 0.25);
	assert_true(holds(s.b.sentence, "host-bound: 25 % of the wall time is spent on the host while the device waits for it"));
	assert_true(tells(&s, "known for the steps of the trace alone"));
	assert_false(tells(&s, "Phases are measured on the host"));
	assert_true(holds(check(&s, "launch fewer kernels")->check, "get_device_capability"));
	ts_arena_finish(&s.arena);
	/* The wait for data explains the idle time. */
	decide(&s, REST(0.40, 0.60, 0, 0, 0, 0) TRACED(0, 0.35, 0.01));
	about(s.b.shares[1].share, 0.60);
	about(s.b.shares[4].share, 0);
	ts_arena_finish(&s.arena);
	/* More idle time than compute has: nothing becomes negative. */
	decide(&s, REST(0.10, 0.20, 0, 0, 0.70, 0) TRACED(0, 1, 0));
	about(s.b.shares[1].share, 0);
	about(s.b.shares[4].share, 0.90);
	ts_arena_finish(&s.arena);
	/* Transfer that no phase tells of. */
	decide(&s, STEPS NO_MFU "budget/useful_compute/share_ratio = 1; budget/communication/share_ratio ? no phase comm; "
		   TRACED(0.3, 0, 0));
	assert_int_equal(s.b.kind, TS_BOUND_COMMUNICATION);
	about(s.b.shares[1].share, 0.7);
	about(s.b.shares[2].share, 0.3);
	ts_arena_finish(&s.arena);
	/* Where the phases tell it, they count; and no fix wins more than what is exposed. */
	decide(&s, REST(0, 0.6, 0.4, 0, 0, 0) TRACED(0.1, 0, 0) "setup/overlapped_reduction/is = 'no'");
	about(s.b.shares[2].share, 0.4);
	about(fix(&s, "overlap communication with computation")->wins_most_ratio, 0.1);
	ts_arena_finish(&s.arena);
}

static void a_trace_rules_fixes_out(void **state)
{
	static const char facts[] = "setup/cuda/is = 'yes'; setup/triton/is = 'yes'; setup/pinned_memory/is = 'no'; ";
	struct state s;
	char rows[2048];

	(void)state;
	(void)snprintf(rows, sizeof rows, "%s%s", facts, REST(0.4, 0.2, 0, 0, 0.4, 0) TRACED(0, 0.004, 0.004));
	decide(&s, rows);
	assert_null(fix(&s, "launch fewer kernels"));
	assert_null(check(&s, "launch fewer kernels"));
	assert_null(fix(&s, "use pinned memory and non-blocking copies"));
	assert_null(check(&s, "use pinned memory and non-blocking copies"));
	ts_arena_finish(&s.arena);
	/* Without a trace nothing bounds them. */
	(void)snprintf(rows, sizeof rows, "%s%s", facts, REST(0.4, 0.2, 0, 0, 0.4, 0));
	decide(&s, rows);
	assert_null(fix(&s, "launch fewer kernels"));
	assert_true(holds(check(&s, "launch fewer kernels")->check, "a trace of a few steps"));
	assert_true(holds(check(&s, "use pinned memory and non-blocking copies")->check, "a trace of a few steps"));
	ts_arena_finish(&s.arena);
}

#define ON_AMPERE                                                                                                                      \
	"setup/cuda/is = 'yes'; setup/tf32_units/is = 'yes'; setup/bf16_units/is = 'yes'; setup/fp16_units/is = 'no'; "                \
	"setup/triton/is = 'yes'; "
#define ON_TURING                                                                                                                      \
	"setup/cuda/is = 'yes'; setup/tf32_units/is = 'no'; setup/bf16_units/is = 'no'; setup/fp16_units/is = 'yes'; setup/triton/is " \
	"= 'yes'; "
#define TF32 "use TF32 for 32-bit matrix products"

/* Each fix that a trace, a snapshot or a phase has to prove: where it does, where it just does not, and the most that it can win. */
static void records_prove_fixes(void **state)
{
	static const struct {
		const char *name, *rows;
		double wins; /* 0: it is not advised */
	} cases[] = {
		{"do not wait for the device in the loop", "trace/idle_after_waits/share_ratio = 0.0099", 0},
		{"do not wait for the device in the loop", "trace/idle_after_waits/share_ratio = 0.01", 0.01},
		{"do not wait for the device in the loop", "", 0},
		{"load data while the device computes", "trace/idle_loading/share_ratio = 0.0099", 0},
		{"load data while the device computes", "trace/idle_loading/share_ratio = 0.1", 0.1},
		{"load data while the device computes", "trace/idle_loading/share_ratio = 0.1; budget/data_stall/share_ratio = 0.01",
		 0},
		{"load data while the device computes", "trace/idle_loading/share_ratio = 0.1; setup/cores_taken/is = 'yes'", 0},
		{"compile no more once training runs", "trace/compiled/compiling_ratio = 0.0099", 0},
		{"compile no more once training runs", "trace/compiled/compiling_ratio = 0.01", 0.01},
		{"compile no more once training runs", "timing/compile/share_ratio = 0.05", 0.05},
		{"let the allocator reuse what it has", "snapshot/allocator/retries_count = 1", 0}, /* their time is unknown */
		{"let the allocator reuse what it has",
		 "snapshot/allocator/retries_count = 0; snapshot/allocator/time_most_ratio = "
		 "0.05",
		 0},
		{"let the allocator reuse what it has",
		 "snapshot/allocator/retries_count = 1; snapshot/allocator/time_most_ratio = "
		 "0.05",
		 0.05},
		{"let the allocator reuse what it has",
		 "setup/expandable_segments/is = 'yes'; snapshot/allocator/retries_count = 1; "
		 "snapshot/allocator/time_most_ratio = 0.05",
		 0},
		{"leave the allocator's cache alone",
		 "snapshot/allocator/emptied_bytes = 19; snapshot/peak/reserved_bytes = 10; snapshot/allocator/time_most_ratio = 0.1",
		 0},
		{"leave the allocator's cache alone",
		 "snapshot/allocator/emptied_bytes = 20; snapshot/peak/reserved_bytes = 10; snapshot/allocator/time_most_ratio = 0.1",
		 0.1},
		{"use fused attention",
		 "setup/attention/is = 'yes'; trace/span/share_ratio = 1; trace/math_attention/share_ratio = 0.0099", 0},
		{"use fused attention", "trace/span/share_ratio = 1; trace/math_attention/share_ratio = 0.05", 0.05},
		{"use fused attention", "setup/attention/is = 'yes'; setup/fused_attention/is = 'no'", 0},
		{"launch fewer kernels",
		 "setup/triton/is = 'yes'; trace/idle_host/share_ratio = 0.01; trace/idle_launch/share_ratio = 0.03", 0.04},
		/* A third again of what is done once: a quarter of 0.6. */
		{"compute activations once",
		 "setup/recomputation/is = 'yes'; memory/capacity/pressure_ratio = 0.59; "
		 "efficiency/hfu/recomputed_ratio = 0.3333333333333333",
		 0.15},
		{"compute activations once",
		 "setup/recomputation/is = 'yes'; memory/capacity/pressure_ratio = 0.6; "
		 "efficiency/hfu/recomputed_ratio = 0.3333333333333333",
		 0},
		{"use a fused optimizer", "setup/fused_optimizer/is = 'no'; timing/optimizer/share_ratio = 0.05", 0.05},
		{"use a fused optimizer", "setup/fused_optimizer/is = 'no'; timing/optimizer/share_ratio = 0.049", 0},
		{"evaluate and write checkpoints less often",
		 "efficiency/goodput/checkpoint_ratio = 0.01; efficiency/goodput/evaluation_ratio = "
		 "0.0099",
		 0},
		{"evaluate and write checkpoints less often",
		 "efficiency/goodput/checkpoint_ratio = 0.01; efficiency/goodput/evaluation_ratio = "
		 "0.3",
		 0.31},
		{"write checkpoints asynchronously", "setup/async_checkpoints/is = 'no'; efficiency/goodput/checkpoint_ratio = 0.03",
		 0.03},
		{"write checkpoints asynchronously", "setup/async_checkpoints/is = 'yes'; efficiency/goodput/checkpoint_ratio = 0.03",
		 0},
		{"write checkpoints asynchronously",
		 "setup/torch/version = '2.2.0'; setup/async_checkpoints/is = 'no'; "
		 "efficiency/goodput/checkpoint_ratio = 0.03",
		 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char rows[2048];
		const struct ts_fix *f;
		struct state s;

		(void)snprintf(rows, sizeof rows,
			       STEPS NO_MFU "efficiency/device/kind = 'GPU'; budget/useful_compute/share_ratio = 0.6; "
					    "budget/other/share_ratio = 0.4; budget/unattributed/share_ratio = 0; %s",
			       cases[i].rows);
		decide(&s, rows);
		f = fix(&s, cases[i].name);
		if ((f != NULL) != (cases[i].wins > 0) || (f && fabs(f->wins_most_ratio - cases[i].wins) > 1e-12))
			fail_msg("%s on %s: %g, not %g", cases[i].name, cases[i].rows, f ? f->wins_most_ratio : 0, cases[i].wins);
		ts_arena_finish(&s.arena);
	}
}

/* Where nothing recorded tells of PyTorch or of a device, no fix of PyTorch's is worth checking. */
static void a_fix_needs_a_fact(void **state)
{
	static const struct {
		const char *facts;
		bool asked;
	} cases[] = {
		{"", false},
		{"setup/convolutions/is = 'yes'; ", false}, /* which this fix is not about */
		{"setup/torch/is = 'yes'; ", true},
		{"efficiency/device/kind = 'GPU'; ", true},
	};
	char rows[2048];
	struct state s;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		(void)snprintf(rows, sizeof rows, "%s%s", REST(0, 0.98, 0, 0, 0, 0), cases[i].facts);
		decide(&s, rows);
		if ((check(&s, TF32) != NULL) != cases[i].asked)
			fail_msg("TF32 on '%s'", cases[i].facts);
		ts_arena_finish(&s.arena);
	}
}

/* A fix whose condition is false is not named, one that is not known is worth checking, and one that is needed has to be known. */
static void facts_rule_fixes_out(void **state)
{
	enum { OUT, ASKED };
	static const struct {
		const char *name, *rows;
		int want;
	} cases[] = {
		{TF32, ON_AMPERE, ASKED},
		{TF32, ON_TURING, OUT},
		{TF32, ON_AMPERE "setup/tf32/is = 'yes'", OUT},
		{TF32, ON_AMPERE "setup/reduced_precision/is = 'yes'", OUT},
		{TF32, ON_AMPERE "setup/tf32_barred/is = 'yes'", OUT},
		{TF32, ON_AMPERE "setup/torch/version = '1.11.0'", OUT},
		{TF32, ON_AMPERE "setup/torch/is = 'no'", OUT},
		{TF32, "efficiency/device/kind = 'CPU'", OUT},
		{"use mixed precision in bf16", ON_AMPERE, ASKED},
		{"use mixed precision in bf16", ON_TURING, OUT},
		{"use mixed precision in fp16", ON_TURING, ASKED},
		{"use mixed precision in fp16", ON_AMPERE, OUT},
		{"use mixed precision in fp16", "", OUT},
		{"switch off what was left on for debugging", "", OUT},
		{"switch off what was left on for debugging", "setup/debugging/is = 'yes'", ASKED},
		{"use all cores", "", OUT},
		{"use all cores", "efficiency/device/kind = 'CPU'", ASKED},
		{"use all cores", "efficiency/device/kind = 'CPU'; setup/few_threads/is = 'no'", OUT},
		{"let cuDNN choose the fastest convolutions", ON_AMPERE, OUT},
		{"let cuDNN choose the fastest convolutions", ON_AMPERE "setup/convolutions/is = 'yes'", ASKED},
		{"let cuDNN choose the fastest convolutions",
		 ON_AMPERE "setup/convolutions/is = 'yes'; setup/cudnn_benchmark/is = 'yes'", OUT},
		{"let cuDNN choose the fastest convolutions", ON_AMPERE "setup/convolutions/is = 'yes'; setup/deterministic/is = 'yes'",
		 OUT},
		{"use the channels-last memory format", "setup/convolutions/is = 'yes'", ASKED},
		{"use the channels-last memory format", "setup/convolutions/is = 'yes'; setup/channels_last/is = 'yes'", OUT},
		{"use fused attention", "", OUT},
		{"use fused attention", "setup/attention/is = 'yes'", ASKED},
		{"use fused attention", "setup/attention/is = 'yes'; setup/fused_attention/is = 'yes'", OUT},
		{"compile the model", ON_AMPERE, ASKED},
		{"compile the model", ON_AMPERE "setup/compiled/is = 'yes'", OUT},
		{"compile the model", ON_AMPERE "timing/compile/count = 0", OUT}, /* in the warm-up alone */
		{"compile the model", ON_AMPERE "setup/windows/is = 'yes'", OUT},
		{"compile the model", "setup/triton/is = 'no'", OUT},
		{"compile the model", ON_AMPERE "setup/torch/version = '1.13.1+cu117'", OUT},
		{"compile the model", ON_AMPERE "trace/compiled/compiling_ratio = 0.001", OUT},
		{"compile the model", ON_AMPERE "trace/generated/share_ratio = 0.001", OUT},
		{"compile the model", ON_AMPERE "trace/generated/share_ratio = 0", ASKED},
		{"use a larger batch", "", ASKED},
		{"use a larger batch", "memory/capacity/pressure_ratio = 0.8", OUT},
		{"use a larger batch", "memory/capacity/pressure_ratio = 0.79", ASKED},
		{"use a larger batch", "snapshot/refused/requests_count = 1", OUT},
		{"use a larger batch", "snapshot/capacity/device_bytes = 10; snapshot/capacity/headroom_bytes = 1", OUT},
		{"use a larger batch", "snapshot/capacity/device_bytes = 10; snapshot/capacity/headroom_bytes = 3", ASKED},
		{"use activation checkpointing and a larger batch", "", OUT},
		{"use activation checkpointing and a larger batch",
		 "snapshot/refused/requests_count = 1; snapshot/activations/at_peak_ratio = 0.0999", OUT},
		{"use activation checkpointing and a larger batch",
		 "snapshot/refused/requests_count = 1; snapshot/activations/at_peak_ratio = 0.1", ASKED},
		{"use activation checkpointing and a larger batch",
		 "snapshot/refused/requests_count = 1; setup/recomputation/is = 'yes'", OUT},
		{"prefetch further ahead", "", ASKED},
		{"prefetch further ahead", "setup/loader_workers/is = 'no'", OUT},
		{"prefetch further ahead", "setup/prefetch/is = 'yes'", OUT},
		{"keep the workers between epochs", "", ASKED},
		{"keep the workers between epochs", "setup/loader_workers/is = 'no'", OUT},
		{"keep the workers between epochs", "setup/loader_workers/is = 'yes'; setup/persistent_workers/is = 'yes'", OUT},
		{"use pinned memory and non-blocking copies", "", ASKED},
		{"use pinned memory and non-blocking copies", "setup/pinned_memory/is = 'yes'", OUT},
		{"use pinned memory and non-blocking copies", "efficiency/device/kind = 'CPU'", OUT},
		{"switch off the search for unused parameters", "", OUT},
		{"switch off the search for unused parameters", "setup/find_unused_parameters/is = 'yes'", ASKED},
		{"change the bucket size", "", ASKED},
		{"change the bucket size", "setup/ddp/is = 'no'", OUT},
		{"prefetch the next layer's shards", "", OUT},
		{"prefetch the next layer's shards", "setup/fsdp/is = 'yes'", ASKED},
		{"overlap communication with computation", "", ASKED},
		{"overlap communication with computation", "setup/overlapped_reduction/is = 'yes'", OUT},
		{"communicate only for the last of the accumulated batches", "", OUT},
		{"communicate only for the last of the accumulated batches", "setup/accumulation/is = 'yes'", ASKED},
		{"communicate only for the last of the accumulated batches", "setup/accumulation/is = 'yes'; setup/ddp/is = 'no'", OUT},
		{"communicate only for the last of the accumulated batches",
		 "setup/accumulation/is = 'yes'; setup/syncs_last/is = 'yes'", OUT},
		{"send less data", "", ASKED},
		{"send less data", "setup/narrow_gradients/is = 'yes'", OUT},
		{"send less data", "setup/ddp/is = 'no'; setup/fsdp/is = 'no'", OUT},
		{"check that the fast interconnect is used", "", ASKED},
		{"check that the fast interconnect is used", "efficiency/device/kind = 'CPU'; setup/nvidia/is = 'no'", OUT},
		{"split the job differently", "", OUT},
		{"split the job differently", "setup/several_hosts/is = 'yes'", ASKED},
		{"collect garbage on all ranks at the same step", "", ASKED},
		{"collect garbage on all ranks at the same step", "setup/manual_gc/is = 'yes'", OUT},
		{"log less often", "", ASKED},
		{"log less often", "setup/logs_each_step/is = 'no'", OUT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bool cpu = strstr(cases[i].rows, "'CPU'") != NULL;
		char rows[2048];
		struct state s;

		(void)snprintf(rows, sizeof rows, "%s%s%s", REST(0.2, 0.4, 0.15, 0.15, 0.1, 0),
			       cpu ? "" : "efficiency/device/kind = 'GPU'; ", cases[i].rows);
		decide(&s, rows);
		if (fix(&s, cases[i].name))
			fail_msg("%s on %s is a fix", cases[i].name, cases[i].rows);
		if ((check(&s, cases[i].name) != NULL) != (cases[i].want == ASKED))
			fail_msg("%s on %s is %s", cases[i].name, cases[i].rows, check(&s, cases[i].name) ? "worth checking" : "out");
		ts_arena_finish(&s.arena);
	}
}

/* The source line of the trace is named with the fix. */
static void the_place_is_named(void **state)
{
	struct state s;

	(void)state;
	decide(&s, REST(0, 0.6, 0, 0, 0.4, 0) "efficiency/device/kind = 'GPU'; trace/idle_after_waits/share_ratio = 0.3; "
					       "trace/waits/source = 'train.py(7): main'");
	assert_true(holds(fix(&s, "do not wait for the device in the loop")->how, "; most often at train.py(7): main"));
	assert_true(fix(&s, "do not wait for the device in the loop")->source.len > 0);
	ts_arena_finish(&s.arena);
}

/* What retries took at least is host, and no longer compute. Of 0.85 computing 0.30 are. */
static void retries_are_host(void **state)
{
	struct state s;

	(void)state;
	decide(&s, REST(0.10, 0.85, 0, 0, 0.05, 0) "snapshot/free/reserved_bytes = 1; snapshot/allocator/retries_count = 2; "
						   "snapshot/allocator/retries_least_ratio = 0.3");
	about(s.b.shares[1].share, 0.55);
	about(s.b.shares[4].share, 0.35);
	assert_int_equal(s.b.kind, TS_BOUND_HOST);
	assert_true(holds(s.b.sentence, "spent waiting while the allocator asks the device for memory again"));
	assert_true(tells(&s, "known only for the time that the snapshot's events cover"));
	assert_true(holds(s.b.memory.sentence, "for 2 requests the allocator gave back"));
	ts_arena_finish(&s.arena);
	decide(&s, REST(0.10, 0.85, 0, 0, 0.05, 0) "snapshot/free/reserved_bytes = 1; snapshot/allocator/retries_least_ratio ? no "
	"times; snapshot/capacity/headroom_bytes ? not said");
	about(s.b.shares[1].share, 0.85);
	assert_true(tells(&s, "Whether memory limits the run is not known: not said."));
	assert_int_equal(s.b.memory.n_fixes, 0);
	ts_arena_finish(&s.arena);
	decide(&s, REST(0.10, 0.85, 0, 0, 0.05, 0));
	assert_int_equal(s.b.memory.sentence.len, 0);
	assert_false(tells(&s, "memory limits"));
	ts_arena_finish(&s.arena);
}

static void too_little_is_unknown(void **state)
{
	struct state s;

	(void)state;
	decide(&s, "timing/step/count = 9; budget/data_stall/share_ratio = 0.9");
	assert_int_equal(s.b.kind, TS_BOUND_UNKNOWN);
	assert_true(holds(s.b.sentence, "it has only 9 steps, and the verdict needs 10"));
	assert_int_equal(s.b.n_fixes, 0);
	ts_arena_finish(&s.arena);
	decide(&s, "");
	assert_int_equal(s.b.kind, TS_BOUND_UNKNOWN);
	assert_true(holds(s.b.sentence, "it has no steps whose time is known, and the verdict needs 10"));
	ts_arena_finish(&s.arena);
	decide(&s, STEPS "budget/data_stall/share_ratio ? the times of a phase are not finite");
	assert_int_equal(s.b.kind, TS_BOUND_UNKNOWN);
	assert_true(holds(s.b.sentence, "the times of a phase are not finite"));
	assert_false(s.b.shares[0].known);
	ts_arena_finish(&s.arena);
}

static void shares_are_of_the_budget(void **state)
{
	struct state s;

	(void)state;
	decide(&s, STEPS "budget/useful_compute/share_ratio = 0.3; budget/compute_overhead/share_ratio = 0.2; "
	 "efficiency/mfu/ratio = 0.3; "
			 "budget/data_stall/share_ratio = 0.1; budget/communication/share_ratio ? the run has no phase comm; "
			 "budget/wait/share_ratio = nan; budget/other/share_ratio = 0.15; "
			 "budget/unattributed/share_ratio = 0.25");
	assert_int_equal(s.b.kind, TS_BOUND_HOST);
	about(s.b.shares[0].share, 0.1);
	about(s.b.shares[1].share, 0.5);
	about(s.b.shares[4].share, 0.4);
	for (int i = 0; i < 5; i++)
		assert_int_equal(s.b.shares[i].kind, TS_BOUND_INPUT + i);
	assert_false(s.b.shares[2].known);
	assert_true(ts_span_is(s.b.shares[2].reason, "the run has no phase comm"));
	assert_false(s.b.shares[3].known);
	assert_true(ts_span_is(s.b.shares[3].reason, "its value is not finite"));
	assert_true(tells(&s, "How much time the transfer between ranks takes is not known: the run has no phase comm."));
	assert_true(tells(&s, "the first phase that waits for it"));
	assert_false(tells(&s, "the peak of the device")); /* the MFU is known */
	ts_arena_finish(&s.arena);
	decide(&s, STEPS NO_MFU "budget/useful_compute/share_ratio = 1; budget/other/share_ratio = 0; "
				"budget/unattributed/share_ratio ? the run has no column timestamp; ranks/all/missing_count = 2");
	assert_int_equal(s.b.kind, TS_BOUND_COMPUTE);
	assert_true(s.b.shares[4].known);
	assert_true(tells(&s, "How much time is outside all phases is not known: the run has no column timestamp."));
	assert_true(tells(&s, "the peak of the device is not known: no FLOPs are said."));
	assert_true(tells(&s, "2 missing ranks"));
	ts_arena_finish(&s.arena);
}

/* The rank in view is the straggler: it waits for no other rank, but the job waits for it. Budget of the rank: data
 * 0.2, compute 0.7, unattributed 0.1. Shares of the job: wait 0.36, transfer 0.09, unattributed 0.1, own 0.45, which
 * divides as 0.2 to 0.7: data 0.1, compute 0.35. */
static void the_job_counts_not_the_rank(void **state)
{
	static const char rows[] = REST(0.2, 0.7, 0, 0, 0, 0.1) "budget/own_rest job/share_ratio = 0.45; "
								"budget/communication job/share_ratio = 0.09; "
								 "budget/wait job/share_ratio = 0.36";
	struct state s;
	double sum = 0;

	(void)state;
	decide(&s, rows);
	assert_int_equal(s.b.kind, TS_BOUND_WAIT);
	about(s.b.shares[0].share, 0.1);
	about(s.b.shares[1].share, 0.35);
	about(s.b.shares[2].share, 0.09);
	about(s.b.shares[3].share, 0.36);
	about(s.b.shares[4].share, 0.1);
	for (int i = 0; i < 5; i++)
		sum += s.b.shares[i].share;
	about(sum, 1);
	ts_arena_finish(&s.arena);
	/* Transfer inside backward stays in compute. 0.9 - 0.36 = 0.54 divides as 2 to 7. */
	decide(&s, REST(0.2, 0.7, 0, 0, 0, 0.1) "budget/communication job/share_ratio ? inside backward; "
	 "budget/wait job/share_ratio = 0.36");
	assert_false(s.b.shares[2].known);
	about(s.b.shares[0].share, 0.54 * 2 / 9);
	about(s.b.shares[1].share, 0.54 * 7 / 9);
	ts_arena_finish(&s.arena);
}

#define LOADS "setup/loader_workers/is = 'yes'; "

/* All of these may win 20 % or more: flags come first, then lines, then changes of the job. What is printed is what was measured, here
 * the whole wait for data. */
static void fixes_by_worth_then_effort(void **state)
{
	static const char *const want[] = {"use more data loader workers", "prefetch further ahead",
					   "move costly transforms out of the loader",
					   "use faster storage, and fewer but larger files"};
	struct state s;

	(void)state;
	decide(&s, LOADS REST(0.6, 0.3, 0, 0, 0.05, 0.05) "timing/optimizer/share_ratio = 0.04");
	assert_true(s.b.n_fixes >= 4);
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		assert_true(ts_span_is(s.b.fixes[i].name, want[i]));
		about(s.b.fixes[i].wins_most_ratio, 0.6);
		assert_int_equal(s.b.fixes[i].of, TS_BOUND_INPUT);
	}
	for (size_t i = 0; i < s.b.n_fixes; i++) {
		const struct ts_fix *f = &s.b.fixes[i];

		assert_true(f->wins_most_ratio <= s.b.shares[f->of - TS_BOUND_INPUT].share);
		assert_true(f->wins_most_ratio >= TS_BOUND_WORTH);
		assert_true(f->name.len && f->how.len && f->effort >= 1 && f->effort <= 3);
	}
	for (size_t i = 0; i < s.b.n_to_check; i++)
		assert_true(s.b.to_check[i].name.len && s.b.to_check[i].how.len && s.b.to_check[i].check.len);
	assert_null(check(&s, "change the bucket size")); /* there is no communication */
	assert_null(check(&s, "use a fused optimizer"));  /* 4 % of a step is little */
	ts_arena_finish(&s.arena);
}

/* Several causes have fixes. Those against the verdict, input, come first, though evaluation costs as much; and so where they are worth
 * checking. */
static void fixes_of_several_causes(void **state)
{
	struct state s;

	(void)state;
	decide(&s, REST(0.4, 0.25, 0, 0, 0.15, 0.2) LOADS
	       "ranks/all/missing_count = 0; efficiency/device/kind = 'GPU'; "
	       "efficiency/goodput/checkpoint_ratio = 0; efficiency/goodput/evaluation_ratio = 0.15");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(s.b.fixes[i].of, TS_BOUND_INPUT);
	about(fix(&s, "evaluate and write checkpoints less often")->wins_most_ratio, 0.15);
	about(fix(&s, "find out what the time is spent on")->wins_most_ratio, 0.2);
	assert_true(ts_span_is(s.b.to_check[0].name, "keep the workers between epochs"));
	assert_true(ts_span_is(s.b.to_check[1].name, "use pinned memory and non-blocking copies"));
	assert_int_not_equal(s.b.to_check[2].of, TS_BOUND_INPUT);
	assert_false(tells(&s, "missing rank"));
	ts_arena_finish(&s.arena);
}

static void fixes_by_what_rows_say(void **state)
{
	struct state s;

	(void)state;
	decide(&s, REST(0, 0.6, 0, 0.4, 0, 0) "ranks/all/stragglers_count = 1; ranks/all/saved_ratio = 0.25");
	about(fix(&s, "check the hosts of the slow ranks")->wins_most_ratio, 0.25);
	assert_null(fix(&s, "give all ranks the same amount of work"));
	ts_arena_finish(&s.arena);
	decide(&s, REST(0, 0.6, 0, 0.4, 0, 0) "ranks/all/stragglers_count = 0");
	assert_null(fix(&s, "check the hosts of the slow ranks"));
	about(fix(&s, "give all ranks the same amount of work")->wins_most_ratio, 0.4);
	ts_arena_finish(&s.arena);
	/* Unattributed time counts from 2 % on. */
	decide(&s, REST(0, 0.96, 0, 0, 0.019, 0.021));
	about(fix(&s, "find out what the time is spent on")->wins_most_ratio, 0.021);
	ts_arena_finish(&s.arena);
	decide(&s, REST(0, 0.96, 0, 0, 0.021, 0.019));
	assert_null(fix(&s, "find out what the time is spent on"));
	ts_arena_finish(&s.arena);
	/* Where only 2 % lie between compute and the peak, a fused optimizer cannot win the 30 % of its phase. */
	decide(&s, STEPS "budget/useful_compute/share_ratio = 0.9; budget/compute_overhead/share_ratio = 0.02; "
			 "budget/other/share_ratio = 0.08; efficiency/mfu/ratio = 0.9; timing/optimizer/share_ratio = 0.3; "
			 "setup/fused_optimizer/is = 'no'");
	about(fix(&s, "use a fused optimizer")->wins_most_ratio, 0.02);
	ts_arena_finish(&s.arena);
	/* What starts of epochs cost bounds what kept workers save. */
	decide(&s, REST(0.4, 0.6, 0, 0, 0, 0) LOADS "setup/persistent_workers/is = 'no'; timing/period 1/cause = 'epoch starts'; "
						    "timing/period 1/cost_ratio = 0.12; timing/period 2/cause = 'other'; "
						    "timing/period 2/cost_ratio = 0.2");
	about(fix(&s, "keep the workers between epochs")->wins_most_ratio, 0.12);
	ts_arena_finish(&s.arena);
	/* Half of what is sent in 32 bits. */
	decide(&s, REST(0, 0.6, 0.4, 0, 0, 0) "setup/ddp/is = 'yes'; setup/narrow_gradients/is = 'no'");
	about(fix(&s, "send less data")->wins_most_ratio, 0.2);
	ts_arena_finish(&s.arena);
}

/* A run that is bound by waiting is told first what to do about that, although computing takes more of its time. */
static void the_verdict_comes_first(void **state)
{
	struct state s;

	(void)state;
	decide(&s, REST(0, 0.7, 0, 0.3, 0,
			0) "ranks/all/stragglers_count = 0; efficiency/device/kind = 'GPU'; setup/tf32_units/is = 'yes'");
	assert_int_equal(s.b.kind, TS_BOUND_WAIT);
	assert_int_equal(s.b.fixes[0].of, TS_BOUND_WAIT);
	assert_true(ts_span_is(s.b.fixes[0].name, "give all ranks the same amount of work"));
	assert_non_null(check(&s, "use TF32 for 32-bit matrix products"));
	ts_arena_finish(&s.arena);
}

/* Without a record of the device, what needs one is asked for; an allocator or a trace of one is such a record. */
static void fixes_for_the_device(void **state)
{
	struct state s;

	(void)state;
	decide(&s, REST(0.3, 0.4, 0.3, 0, 0, 0) "setup/pinned_memory/is = 'no'");
	assert_true(holds(check(&s, "use pinned memory and non-blocking copies")->check, "is_available"));
	assert_null(check(&s, "use all cores"));
	ts_arena_finish(&s.arena);
	decide(&s, REST(0.3, 0.4, 0.3, 0, 0, 0) "memory/fragmentation/reserved_unused_bytes = 5; setup/pinned_memory/is = 'no'");
	assert_true(holds(check(&s, "use pinned memory and non-blocking copies")->check, "a trace"));
	ts_arena_finish(&s.arena);
	decide(&s, REST(0.3, 0.4, 0.3, 0, 0, 0) TRACED(0, 0, 0) "setup/pinned_memory/is = 'no'");
	assert_null(check(&s, "use pinned memory and non-blocking copies")); /* no copy is exposed */
	ts_arena_finish(&s.arena);
}

/* Long steps are the verdict only where no share of the budget is. */
static void long_steps_are_not_balanced(void **state)
{
	struct state s;

	(void)state;
	decide(&s, REST(0.1, 0.8, 0, 0, 0.1, 0) "timing/step/stall_ratio = 0.84; setup/torch/is = 'yes'");
	assert_int_equal(s.b.kind, TS_BOUND_STALLS);
	assert_true(ts_span_is(s.b.sentence, "stalls: a few long steps take 84 % of the time"));
	assert_true(ts_span_is(s.b.fixes[0].name, "find out what the long steps do"));
	about(s.b.fixes[0].wins_most_ratio, 0.84);
	assert_true(ts_span_is(s.b.to_check[0].name, "keep the workers between epochs"));
	assert_int_equal(s.b.fixes[0].of, TS_BOUND_STALLS);
	ts_arena_finish(&s.arena);
	decide(&s, REST(0.1, 0.8, 0, 0, 0.1, 0) "timing/step/stall_ratio = 0.24");
	assert_int_equal(s.b.kind, TS_BOUND_BALANCED);
	assert_null(fix(&s, "find out what the long steps do"));
	ts_arena_finish(&s.arena);
	decide(&s, REST(0.9, 0.1, 0, 0, 0, 0) "timing/step/stall_ratio = 0.84");
	assert_int_equal(s.b.kind, TS_BOUND_INPUT);
	ts_arena_finish(&s.arena);
}

static void a_full_arena_is_an_error(void **state)
{
	struct ts_error err;
	struct ts_bound b;
	struct state s;
	int failed = 0;

	(void)state;
	decide(&s, REST(0.3, 0.4, 0.3, 0, 0, 0));
	for (size_t ceiling = 64;; ceiling += 64) {
		struct ts_arena small;
		enum ts_status status;

		ts_arena_init(&small, ceiling);
		status = ts_bound_decide(&s.m, &small, &b, &err);
		ts_arena_finish(&small);
		if (!status)
			break;
		assert_int_equal(err.status, status);
		failed++;
	}
	assert_true(failed > 10);
	ts_arena_finish(&s.arena);
}

static void words(void **state)
{
	(void)state;
	assert_string_equal(ts_bound_word(TS_BOUND_UNKNOWN), "unknown");
	assert_string_equal(ts_bound_word(TS_BOUND_COMMUNICATION), "communication");
	assert_string_equal(ts_bound_word(TS_BOUND_BALANCED), "balanced");
	assert_string_equal(ts_bound_word(TS_BOUND_STALLS), "stalls");
	assert_string_equal(ts_bound_word((enum ts_bound_kind)8), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verdict_at_its_limit),
		cmocka_unit_test(time_that_nobody_can_tell_of),
		cmocka_unit_test(a_trace_shows_what_phases_hide),
		cmocka_unit_test(a_trace_rules_fixes_out),
		cmocka_unit_test(records_prove_fixes),
		cmocka_unit_test(a_fix_needs_a_fact),
		cmocka_unit_test(facts_rule_fixes_out),
		cmocka_unit_test(the_place_is_named),
		cmocka_unit_test(retries_are_host),
		cmocka_unit_test(too_little_is_unknown),
		cmocka_unit_test(shares_are_of_the_budget),
		cmocka_unit_test(the_job_counts_not_the_rank),
		cmocka_unit_test(fixes_by_worth_then_effort),
		cmocka_unit_test(fixes_of_several_causes),
		cmocka_unit_test(fixes_by_what_rows_say),
		cmocka_unit_test(the_verdict_comes_first),
		cmocka_unit_test(fixes_for_the_device),
		cmocka_unit_test(long_steps_are_not_balanced),
		cmocka_unit_test(a_full_arena_is_an_error),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
