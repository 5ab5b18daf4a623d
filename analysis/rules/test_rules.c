/* test_rules.c - each rule of the table: what just makes it fire, what just does not, and what leaves it unchecked. Rows
 * are written by hand; limits are those that docs/findings.md promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rules/playbook.h"
#include "analysis/rules/rule.h"
#include "analysis/rules/test_rows.h"

#include <stdio.h>

enum answer { PASSES, LOW, MEDIUM, HIGH, UNCHECKED, APPLIES_NOT };

struct rule_case {
	const char *code;
	const char *rows;
	enum answer want;
	const char *has; /* a text that its sentence or reason contains; NULL: none is checked */
};

#define MFU "budget/data_stall/share_ratio = 0.10; budget/other/share_ratio = 0.02; efficiency/mfu/ratio = "
#define WORLD "ranks/all/world_size_count = 4; ranks/all/present_count = 4; ranks/all/decidable = 'yes'; "
#define GROWTH "memory/growth/slope_bytes_per_step = 1000; memory/growth/p_value = 0.01; memory/peak_alloc/peak_bytes = 1e8; "
#define RANKS "ranks/all/world_size_count = 2; "
#define BACKWARD "timing/forward/mean_s = 1; timing/backward/mean_s = "
#define RECOMPUTED(word) "efficiency/hfu/recompute = " word "; efficiency/hfu/recomputed_ratio = "
#define STALLS "timing/step/count = 10; timing/step/stall_s = 2; timing/step/stall_step = 812; timing/step/median_s = 0.1; " \
	       "timing/step/stall_ratio = "
#define CPU_WAIT(steps, stalls) "timing/step/count = " steps "; timing/cpu_wait/waited_s = 2.4; timing/cpu_wait/longest_s = 1.9; " \
	"timing/cpu_wait/longest_step = 812; timing/cpu_wait/step_s = 2; timing/cpu_wait/stall_ratio = " stalls \
	"; timing/cpu_wait/waited_ratio = "
#define JITTER "timing/step/count = 10; timing/step/cv_ratio = 0.9; timing/step/tail_ratio = 3; "
#define SLOWDOWN(kind, rise) "timing/step/shifts_count = 1; timing/slowdown/kind = '" kind "'; timing/slowdown/first_step = 800; " \
	"timing/slowdown/last_step = 900; timing/slowdown/before_s = 0.12; timing/slowdown/after_s = 0.156; " \
	"timing/slowdown/rise_ratio = " rise "; timing/slowdown/cost_ratio = "
#define LEVELS "timing/step/shifts_count = 9; timing/slowdown/kind = 'two levels'; timing/levels/lower_s = 0.1; " \
	"timing/levels/upper_s = 0.118; timing/levels/upper_ratio = 0.38; timing/levels/switches_count = 14; " \
	"timing/levels/cost_ratio = "
#define PERIOD(k, cause, cost) "timing/step/count = 5000; timing/period " k "/every_count = 100; timing/period " k "/at_step = 99; " \
	"timing/period " k "/slow_count = 48; timing/period " k "/places_count = 50; timing/period " k "/usual_s = 2.1; " \
	"timing/period " k "/others_s = 0.21; timing/period " k "/cause = '" cause "'; timing/period " k "/cost_ratio = " cost
#define ASKED "convergence/all series/asked_count = 5"
#define MOVED(series, kind, before, after, worse, frozen)                                                                       \
	"; convergence/" series "/move = '" kind "'; convergence/" series "/move_step = 7; convergence/" series                 \
	"/move_before = " before "; convergence/" series "/move_after = " after "; convergence/" series "/move_worse_count = " worse \
	"; convergence/" series "/move_frozen_count = " frozen
#define TREND(trend, progress) LOSS "convergence/loss/trend = '" trend "'; convergence/loss/progress = '" progress "'; "
#define RISE "convergence/loss/rise_step = 600; convergence/loss/rise_low = 1; convergence/loss/rise_end = 1.4; " \
	     "convergence/loss/rise_ratio = "
#define EVALUATION(trend, high) "; convergence/eval_loss/count = 60; convergence/eval_loss/trend = '" trend "'; " \
	"convergence/eval_loss/change_ratio = -0.4; convergence/eval_loss/change_high_ratio = " high
#define TRACE(time, share) "trace/span/share_ratio = 1; trace/span/time_s = 0.06; trace/" #time "/time_s = 0.012; trace/" #time \
			   "/share_ratio = " share
#define LONGEST_OF(time, share) "; trace/" #time "_longest/time_s = 4; trace/" #time "_longest/share_ratio = " share
#define LONGEST(share) LONGEST_OF(idle_host, share)
#define CAPTURED(share) "; trace/launches/captured_ratio = " share
#define CALLS(events, unlaunched) "trace/devices/events_count = " events "; trace/devices/unlaunched_ratio = " unlaunched "; "
#define BATCHES(n) "convergence/batches/recorded_count = " n "; convergence/batches/repeated_count = "
#define LOSS "convergence/loss/count = 50; convergence/loss/best = 1; convergence/loss/last = 2; "

#define COMPILED(share) "trace/span/share_ratio = 1; trace/compiled/compiling_s = 0.012; trace/compiled/compiling_ratio = " share
#define SNAPSHOT "snapshot/free/reserved_bytes = 1; "
#define REFUSED(free, largest) SNAPSHOT "snapshot/refused/requests_count = 1; snapshot/refused/requested_bytes = 1000; " \
	"snapshot/refused/free_bytes = " free "; snapshot/refused/largest_gap_bytes = " largest
#define LEFT(free, left) REFUSED(free, "10") "; snapshot/refused/device_left_bytes = " left
#define CAPACITY(device, left) SNAPSHOT "snapshot/capacity/device_bytes = " device "; snapshot/capacity/headroom_bytes = " left
#define STUCK(reserved, share) "snapshot/free/reserved_bytes = " reserved "; snapshot/free/stuck_bytes = 3072; " \
	"snapshot/free/stuck_ratio = " share
#define CARRIED(share) SNAPSHOT "snapshot/carried/held_bytes = 2048; snapshot/carried/largest_source = 'remember (plots.py:9)'; " \
	"snapshot/carried/held_ratio = " share
#define GRADIENTS(phase, share) SNAPSHOT "snapshot/peak/phase = '" phase "'; snapshot/kept_gradients/at_peak_bytes = 4096; " \
	"snapshot/kept_gradients/at_peak_ratio = " share
#define CHURN(peak, largest, all) SNAPSHOT "snapshot/peak/requested_bytes = " peak "; snapshot/churn/largest_source_bytes = " largest \
	"; snapshot/churn/requested_bytes = " all "; snapshot/churn/largest_source = 'f (a.py:1)'"

#define OBSERVED "machine/observations/count = 30; "
#define FEW "machine/observations/count = 29; "
#define GPU OBSERVED "machine/gpu 2/busy_ratio = 0.9; "
#define LIMIT(share, limit) GPU "machine/gpu 2/held_by_power_ratio = " share "; machine/gpu 2/power_limit_w = " limit \
	"; machine/gpu 2/power_default_w = 400"
#define HOTTER(by, heat) GPU "machine/gpu 2/hotter_than_peers_c = " by "; machine/gpu 2/temperature_c = " heat
#define TINY(busy, mean, events) OBSERVED "machine/gpu 0/busy_ratio = " busy "; machine/gpu 1/busy_ratio = 0.01; " \
	"trace/span/time_s = 2; " \
	"trace/kernels/mean_s = " mean "; trace/devices/events_count = " events
#define WORKERS(cores, blocked) OBSERVED "machine/workers/mean = 4; machine/workers/cores_of_each = " cores \
	"; machine/workers/blocked_ratio = " blocked "; "
#define DATA(share) "timing/data/share_ratio = " share
#define READY(ready, looks) OBSERVED "machine/cores/used_by_the_job = 2; machine/cores/allowed = 4; machine/threads/ready = " ready \
	"; machine/threads/looks_count = " looks
#define CLIMBS(by, over, parts, late) OBSERVED \
	"machine/rise/of = 'the machine'; machine/rise/from_bytes = 2e9; machine/rise/by_bytes = " by \
	"; machine/rise/over_s = " over "; machine/rise/parts_count = " parts "; machine/rise/late_ratio = " late
#define CROWD(used, waits) OBSERVED "machine/cores/of_the_machine = 10; machine/cores/used_by_all = " used \
	"; machine/cores/used_by_the_job = 6.5; machine/pressure/cpu_ratio = " waits

static const struct rule_case cases[] = {
	{"TIMING.DATALOADER_BOUND", "timing/data/share_ratio = 0.2499; timing/data/mean_s = 0.01", PASSES, NULL},
	{"TIMING.DATALOADER_BOUND",
	 "timing/data/share_ratio = 0.25; timing/data/mean_s = 0.01", MEDIUM, "25 % of a step, 10.0 ms"},
	{"TIMING.DATALOADER_BOUND", "timing/data/share_ratio = 0.3999; timing/data/mean_s = 0.01", MEDIUM, NULL},
	{"TIMING.DATALOADER_BOUND", "timing/data/share_ratio = 0.4; timing/data/mean_s = 0.01", HIGH, NULL},
	{"TIMING.DATALOADER_BOUND", "timing/data/share_ratio ? no step after warm-up has this phase", UNCHECKED,
	 "no step after warm-up has this phase"},
	{"TIMING.DATALOADER_BOUND", "timing/data/share_ratio = nan; timing/data/mean_s = 0.01", UNCHECKED, "not finite"},
	{"TIMING.DATALOADER_BOUND", "", UNCHECKED, "no column phases.data"},

	{"TIMING.BACKWARD_HEAVY", "timing/forward/mean_s = 0.01; timing/backward/mean_s = 0.0299", PASSES, NULL},
	{"TIMING.BACKWARD_HEAVY", "timing/forward/mean_s = 2; timing/backward/mean_s = 6", LOW, "3 times"},
	{"TIMING.BACKWARD_HEAVY", "timing/forward/mean_s = 2; timing/backward/mean_s = 15.999", LOW, NULL},
	{"TIMING.BACKWARD_HEAVY", "timing/forward/mean_s = 2; timing/backward/mean_s = 16", MEDIUM, NULL},
	{"TIMING.BACKWARD_HEAVY", "timing/forward/mean_s = 0; timing/backward/mean_s = 7", UNCHECKED, "took no time"},
	{"TIMING.BACKWARD_HEAVY", "timing/forward/mean_s = 2", UNCHECKED, "no column phases.backward"},
	{"TIMING.BACKWARD_HEAVY", "timing/forward/mean_s = 2; timing/backward/mean_s = 7; ranks/all/mode = 'hidden in backward'",
	 UNCHECKED, "the wait for other ranks"},
	{"TIMING.BACKWARD_HEAVY",
	 "timing/forward/mean_s = 2; timing/backward/mean_s = 16; ranks/all/mode = 'explicit comm'", MEDIUM, NULL},
	/* The gradients of several ranks are summed somewhere. */
	{"TIMING.BACKWARD_HEAVY", RANKS "timing/forward/mean_s = 2; timing/backward/mean_s = 16", UNCHECKED, "no phase comm"},
	{"TIMING.BACKWARD_HEAVY", RANKS "timing/forward/mean_s = 2; timing/backward/mean_s = 16; timing/comm/mean_s = 1", MEDIUM, NULL},

	/* Full recomputation adds a forward pass to the backward pass: 4 is as odd as 3 is without. */
	{"TIMING.BACKWARD_HEAVY", BACKWARD "3.99; " RECOMPUTED("'full'") "0.333333333333", PASSES, NULL},
	{"TIMING.BACKWARD_HEAVY", BACKWARD "4.01; " RECOMPUTED("'full'") "0.333333333333", LOW,
	 "with the recomputation that the run declares, 3 times as long is usual"},
	{"TIMING.BACKWARD_HEAVY", BACKWARD "9.01; " RECOMPUTED("'full'") "0.333333333333", MEDIUM, NULL},
	{"TIMING.BACKWARD_HEAVY", BACKWARD "3.01; " RECOMPUTED("'none'") "0", LOW, "about twice as long is usual."},
	{"TIMING.BACKWARD_HEAVY", BACKWARD "3.4; efficiency/hfu/recomputed_ratio = 0.2", PASSES, NULL},
	{"TIMING.BACKWARD_HEAVY", BACKWARD "3.9; efficiency/hfu/recompute = 'selective'", PASSES, NULL},
	{"TIMING.BACKWARD_HEAVY", BACKWARD "4.1; efficiency/hfu/recompute = 'selective'", LOW,
	 "with work.recompute = selective, two to three times as long is usual"},
	{"TIMING.BACKWARD_HEAVY", BACKWARD "3", LOW, "the run does not say whether it does (work.recompute)"},

	{"TIMING.OPTIMIZER_HEAVY", "timing/optimizer/share_ratio = 0.1499; timing/optimizer/mean_s = 0.01", PASSES, NULL},
	{"TIMING.OPTIMIZER_HEAVY", "timing/optimizer/share_ratio = 0.15; timing/optimizer/mean_s = 0.01", LOW, "15 %"},
	{"TIMING.OPTIMIZER_HEAVY", "", UNCHECKED, "no column phases.optimizer"},

	{"TIMING.JITTER", "timing/step/count = 10; timing/step/cv_ratio = 0.499; timing/step/tail_ratio = 1.499", PASSES, NULL},
	{"TIMING.JITTER", "timing/step/count = 10; timing/step/cv_ratio = 0.5; timing/step/tail_ratio = 1", LOW, "50 %"},
	{"TIMING.JITTER", JITTER "timing/step/calm_cv_ratio = 0.1; timing/step/calm_tail = 1.1", PASSES, NULL},
	{"TIMING.JITTER", JITTER "timing/step/calm_cv_ratio = 0.6; timing/step/calm_tail = 1.1", LOW, "60 %"},
	{"TIMING.JITTER", "timing/step/count = 10; timing/step/cv_ratio = 0.1; timing/step/tail_ratio = 1.5", LOW,
	 "95th percentile is 1.5 times the median"},
	{"TIMING.JITTER",
	 "timing/step/count = 9; timing/step/cv_ratio = 0.9; timing/step/tail_ratio = 3", UNCHECKED,
	 "the run has only 9 steps, and the rule needs 10"},
	{"TIMING.JITTER",
	 "timing/step/count = 10; timing/step/cv_ratio ? the mean step time is 0", UNCHECKED, "the mean step time is 0"},

	{"TIMING.STALLS", STALLS "0.1999", MEDIUM, NULL},
	{"TIMING.STALLS", STALLS "0.0499", PASSES, NULL},
	{"TIMING.STALLS", STALLS "0.05", MEDIUM, "step 812, took 2.00 s, and the median step takes 100 ms"},
	{"TIMING.STALLS", STALLS "0.2", HIGH, NULL},
	{"TIMING.STALLS", "timing/step/total_s = 49.9; " STALLS "0.2", MEDIUM, NULL}, /* 9.98 s */
	{"TIMING.STALLS", "timing/step/total_s = 50; " STALLS "0.2", HIGH, NULL},
	{"TIMING.STALLS", "timing/step/total_s = 1.99; " STALLS "0.5", LOW, NULL},
	{"TIMING.STALLS", "timing/step/total_s = 20; " STALLS "0.05", MEDIUM, NULL},
	{"TIMING.STALLS", "timing/step/count = 9", UNCHECKED, "9 steps"},
	/* Without a stall no longest one is needed. */
	{"TIMING.STALLS", "timing/step/count = 10; timing/step/stall_ratio = 0", PASSES, NULL},

	{"TIMING.CPU_WAIT", "timing/step/count = 10", APPLIES_NOT, NULL}, /* was not recorded */
	{"TIMING.CPU_WAIT", CPU_WAIT("10", "0.1") "0.0499", PASSES, NULL},
	{"TIMING.CPU_WAIT", CPU_WAIT("10", "0.1") "0.05", MEDIUM,
	 "waited 2.40 s for a CPU, 5.0 % of the time of all steps; in step 812, which took 2.00 s, it waited 1.90 s; 10 % of the time "
	 "was lost so in steps that took very long: that is load of the host"},
	{"TIMING.CPU_WAIT", CPU_WAIT("10", "0") "0.2", HIGH, "it waited 1.90 s"},
	{"TIMING.CPU_WAIT", CPU_WAIT("9", "0") "0.2", UNCHECKED, "9 steps"},

	{"TIMING.PERIODIC", "timing/step/count = 5000", PASSES, NULL},
	{"TIMING.PERIODIC", "timing/step/count = 9", UNCHECKED, "9 steps"},
	{"TIMING.PERIODIC", PERIOD("1", "other", "0.0099"), PASSES, NULL},
	{"TIMING.PERIODIC", PERIOD("1", "other", "0.01"), LOW, NULL},
	{"TIMING.PERIODIC", PERIOD("1", "other", "0.0499"), LOW, NULL},
	{"TIMING.PERIODIC", PERIOD("1", "other", "0.05"), MEDIUM,
	 "Every 100 steps, at step = 99 mod 100, a step takes 2.10 s instead of 210 ms (48 of 50 times); this costs 5.0 % of the "
	 "time; it may be a checkpoint, an evaluation or logging."},
	{"TIMING.PERIODIC", PERIOD("1", "other", "0.1999"), MEDIUM, NULL},
	{"TIMING.PERIODIC", PERIOD("1", "other", "0.2"), HIGH, NULL},
	{"TIMING.PERIODIC", PERIOD("1", "other", "0.2") "; timing/period 1/phase = 'data'", HIGH,
	 "most of it in the phase data; it may be the data loader"},
	{"TIMING.PERIODIC", PERIOD("1", "loader workers", "0.2"), HIGH, "; the data loader has as many workers"},
	{"TIMING.PERIODIC", PERIOD("1", "epoch starts", "0.05"), MEDIUM,
	 "At epoch starts, a step takes 2.10 s instead of 210 ms (48 of 50 times); this costs 5.0 % of the time; loader workers that "
	 "start anew for each epoch do this"},
	{"TIMING.PERIODIC", PERIOD("1", "like gradient accumulation", "0.4"), LOW, "let it record work.accumulation"},
	{"TIMING.PERIODIC", PERIOD("1", "gradient accumulation", "0.4"), PASSES, NULL},
	/* The worst of several periods decides. */
	{"TIMING.PERIODIC",
	 PERIOD("1", "gradient accumulation", "0.4") "; " PERIOD("2", "other", "0.02") "; " PERIOD("3", "other", "0.3"), HIGH,
	 "logging. Every 100 steps"},
	{"TIMING.PERIODIC",
	 "timing/step/count = 50; timing/period 1/every_count = 8; timing/period 1/at_step ? why; timing/period 1/slow_count = 5; "
	 "timing/period 1/places_count = 6; timing/period 1/usual_s = 3; timing/period 1/others_s = 1; "
	 "timing/period 1/cost_ratio = 0.2; timing/period 1/cause = 'other'",
	 HIGH, "Every 8 records, a step takes"},

	{"TIMING.SLOWDOWN", "timing/step/shifts_count = 4; timing/slowdown/kind = 'none found'", PASSES, NULL},
	{"TIMING.SLOWDOWN", "timing/step/shifts_count ? fewer than 16 steps", UNCHECKED, "fewer than 16 steps"},
	{"TIMING.SLOWDOWN", LEVELS "0.4", PASSES, NULL},
	{"TIMING.SLOWDOWN", SLOWDOWN("step", "0.0499") "0.1", PASSES, NULL},
	{"TIMING.SLOWDOWN", SLOWDOWN("step", "0.05") "0.01", MEDIUM, NULL},
	{"TIMING.SLOWDOWN", SLOWDOWN("step", "0.2499") "0.9", MEDIUM, NULL},
	{"TIMING.SLOWDOWN", SLOWDOWN("step", "0.30") "0.01", HIGH,
	 "From step 800 on, a step takes 30 % longer: 156 ms instead of 120 ms."},
	{"TIMING.SLOWDOWN", SLOWDOWN("ramp", "0.25") "0.01", HIGH,
	 "From step 800 to step 900, a step became 25 % longer, little by little: 156 ms instead of 120 ms at the end."},
	{"TIMING.SLOWDOWN", SLOWDOWN("ramp", "0.2") "0.01", MEDIUM, NULL},
	/* What ended is judged by what it cost. */
	{"TIMING.SLOWDOWN", SLOWDOWN("stretch", "0.3") "0.0499", LOW,
	 "From step 800 to step 900, a step took 30 % longer: 156 ms instead of 120 ms; this cost 5.0 % of the time."},
	{"TIMING.SLOWDOWN", SLOWDOWN("stretch", "0.3") "0.05", MEDIUM, NULL},
	{"TIMING.SLOWDOWN", SLOWDOWN("stretch", "0.3") "0.2", HIGH, NULL},
	{"TIMING.SLOWDOWN", SLOWDOWN("stretch", "0.04") "0.2", PASSES, NULL},

	{"TIMING.TWO_LEVELS", "timing/step/shifts_count = 4; timing/slowdown/kind = 'none found'", PASSES, NULL},
	{"TIMING.TWO_LEVELS", "timing/step/shifts_count ? fewer than 16 steps", UNCHECKED, "fewer than 16 steps"},
	{"TIMING.TWO_LEVELS", LEVELS "0.0099", PASSES, NULL},
	{"TIMING.TWO_LEVELS", LEVELS "0.062", LOW,
	 "two levels, 100 ms (62 % of the steps) and 118 ms (38 %), 14 times; the slower ones cost 6.2 % of the time"},

	{"TIMING.UNATTRIBUTED", "timing/wall/unattributed_s = 3; timing/wall/unattributed_ratio = 0.2999", LOW, NULL},
	{"TIMING.UNATTRIBUTED", "timing/wall/unattributed_s = 3; timing/wall/unattributed_ratio = 0.0999", PASSES, NULL},
	{"TIMING.UNATTRIBUTED",
	 "timing/wall/unattributed_s = 3; timing/wall/unattributed_ratio = 0.1", LOW,
	 "10 % of the wall time (3.00 s) is outside the phases"},
	{"TIMING.UNATTRIBUTED", "timing/wall/unattributed_s = 3; timing/wall/unattributed_ratio = 0.3", MEDIUM, NULL},
	{"TIMING.UNATTRIBUTED",
	 "timing/wall/unattributed_s ? the run has no column timestamp; timing/wall/unattributed_ratio ? the run has no "
	 "column timestamp",
	 UNCHECKED, "the run has no column timestamp"},

	{"TIMING.STALLS",
	 "timing/step/count = 50; timing/step/every_count = 10; timing/step/stall_ratio = 0.3; timing/step/stall_s = 35; "
	 "timing/step/stall_step = 3000; timing/step/median_s = 1",
	 MEDIUM, "the median step takes 1.00 s; this is so if each recorded time is the mean of the 10 steps up to it."},

	{"CONVERGENCE.DIVERGED", LOSS, PASSES, NULL},
	{"CONVERGENCE.DIVERGED", LOSS "convergence/loss/nonfinite_count = 0", PASSES, NULL},
	{"CONVERGENCE.DIVERGED", LOSS "convergence/loss/nonfinite_count = 1; convergence/loss/first_nonfinite_step = 30", HIGH,
	 "loss is NaN or infinite in 1 of 50 values, for the first time at step 30; its last finite value is 2"},
	{"CONVERGENCE.DIVERGED", "convergence/train_loss/count = 9; convergence/train_loss/nonfinite_count = 9; "
				 "convergence/train_loss/first_nonfinite_step = 0; "
				 "convergence/train_loss/last ? no value is finite",
	 HIGH, "train_loss is NaN or infinite in 9 of 9 values, for the first time at step 0."},
	/* What is minimized stands for the loss where nothing is called one. */
	{"CONVERGENCE.DIVERGED",
	 "convergence/acc/count = 9; convergence/train_nll/count = 9; convergence/train_nll/nonfinite_count = 4; "
	 "convergence/train_nll/first_nonfinite_step = 5; convergence/train_nll/last = 2",
	 HIGH, "train_nll is NaN or infinite in 4 of 9 values"},
	{"CONVERGENCE.DIVERGED",
	 LOSS "convergence/loss/nonfinite_count = 0; convergence/nll/count = 9; convergence/nll/nonfinite_count = 4",
	 PASSES, NULL},
	{"CONVERGENCE.DIVERGED", "convergence/loss/last ? the run has no column scalars.loss", UNCHECKED,
	 "the run has no column scalars.loss"},
	{"CONVERGENCE.DIVERGED",
	 "convergence/grad_norm/count = 9; convergence/grad_norm/nonfinite_count = 9", UNCHECKED, "the run has no column scalars.loss"},

	{"CONVERGENCE.DIVERGED",
	 LOSS "convergence/loss/nonfinite_count = 7; convergence/loss/first_nonfinite_step = 3; convergence/loss/lost_step = 40", HIGH,
	 "in 7 of 50 values, for the first time at step 3, and in all from step 40 to the end; its last finite value is 2"},

#define SKIPS(n, among, overflowed)                                                                                                    \
	"convergence/updates/skipped_count = " #n "; convergence/updates/recorded_count = " #among                                     \
	"; convergence/updates/first_skipped_step = 60; convergence/updates/last_skipped_step = 80; "                                  \
	"convergence/updates/overflowed_count = " #overflowed "; convergence/updates/scale_before = 131072; "                          \
	"convergence/updates/scale_after = 65536; "
	{"CONVERGENCE.SKIPPED_UPDATES", LOSS, UNCHECKED, "no loss scale is recorded"},
	{"CONVERGENCE.SKIPPED_UPDATES", "convergence/updates/skipped_count = 0; convergence/updates/recorded_count = 100", PASSES,
	 NULL},
	{"CONVERGENCE.SKIPPED_UPDATES", SKIPS(4, 100, 4), LOW,
	 "The scaler skipped 4 of 100 recorded updates, at step 60 to step 80: the gradient norm is not finite and the loss scale "
	 "falls there, from 131,072 to 65,536 at first"},
	{"CONVERGENCE.SKIPPED_UPDATES", SKIPS(5, 100, 0), MEDIUM, "at step 60 to step 80: the loss scale falls there"},
	{"CONVERGENCE.SKIPPED_UPDATES", SKIPS(2, 19, 2), LOW, NULL},
	/* All that is not finite was skipped, some of it was not, and it never came back. */
	{"CONVERGENCE.NONFINITE",
	 LOSS SKIPS(4, 100, 4) "convergence/grad_norm/count = 100; convergence/grad_norm/nonfinite_count = 4", PASSES, NULL},
	{"CONVERGENCE.NONFINITE",
	 LOSS SKIPS(4, 100, 4) "convergence/grad_norm/count = 1000; convergence/grad_norm/nonfinite_count = 5",
	 LOW, "grad_norm (5 of 1,000"},
	{"CONVERGENCE.NONFINITE",
	 LOSS SKIPS(9, 100, 9) "convergence/grad_norm/count = 100; convergence/grad_norm/nonfinite_count = 9; "
			       "convergence/grad_norm/lost_step = 91",
	 HIGH, "from step 91 on to the end"},

#define ENDS(series, end, every) "convergence/" series "/end_step = " #end "; convergence/" series "/every_count = " #every "; "
	{"CONVERGENCE.LOSS_CEASED", LOSS ENDS("loss", 500, 10) ENDS("grad_norm", 600, 10), MEDIUM,
	 "loss has no value after step 500, while grad_norm goes on to step 600"},
	{"CONVERGENCE.LOSS_CEASED", LOSS ENDS("loss", 500, 10) ENDS("grad_norm", 599, 10) ENDS("lr", 690, 20), PASSES, NULL},
	{"CONVERGENCE.LOSS_CEASED", LOSS ENDS("loss", 500, 50) ENDS("lr", 600, 1), PASSES, NULL}, /* the loss comes every 50 steps */
	{"CONVERGENCE.LOSS_CEASED", "convergence/loss/count = 9; " ENDS("loss", 500, 10) ENDS("lr", 600, 1), UNCHECKED, NULL},

	{"CONVERGENCE.NO_PROGRESS", TREND("improving", "fell"), PASSES, NULL},
	{"CONVERGENCE.NO_PROGRESS", TREND("improving", "none"), PASSES, NULL},
	{"CONVERGENCE.NO_PROGRESS", TREND("diverged", "rose"), PASSES, NULL},
	{"CONVERGENCE.NO_PROGRESS", TREND("plateau", "fell"), PASSES, NULL}, /* the run has converged */
	{"CONVERGENCE.NO_PROGRESS", TREND("plateau", "none"), LOW, "50 values"},
	{"CONVERGENCE.NO_PROGRESS",
	 TREND("plateau", "rose") "convergence/loss/change_ratio = 0.1", HIGH, "10 % higher than it began"},
	{"CONVERGENCE.NO_PROGRESS", TREND("worsening", "none") "convergence/loss/recent_ratio = 0.01", MEDIUM, "rises by 1.0 %"},
	{"CONVERGENCE.NO_PROGRESS", TREND("worsening", "rose") "convergence/loss/recent_ratio = 0.01", HIGH, "rises by 1.0 %"},
	{"CONVERGENCE.NO_PROGRESS", TREND("worsening", "none") RISE "0.4", MEDIUM, "to 1.4, and did not come back."},
	{"CONVERGENCE.NO_PROGRESS", TREND("worsening", "none") "convergence/loss/recent_ratio = 0.0099", PASSES, NULL},
	{"CONVERGENCE.NO_PROGRESS",
	 TREND("worsening", "fell") "convergence/loss/recent_ratio = 0.2", MEDIUM, "after a fall"},
	{"CONVERGENCE.NO_PROGRESS", TREND("worsening", "fell") RISE "0.4", MEDIUM,
	 "loss has risen by 40 % since about step 600, from 1 to 1.4, and did not come back; before, it fell"},
	{"CONVERGENCE.NO_PROGRESS", TREND("worsening", "rose") RISE "0.4", HIGH, "to 1.4, and did not come back."},
	{"CONVERGENCE.NO_PROGRESS", TREND("worsening", "fell") RISE "0.0099", PASSES, NULL},
	{"CONVERGENCE.NO_PROGRESS", TREND("diverged", "fell") RISE "1.4", PASSES, NULL}, /* that is for BLOW_UP */
	{"CONVERGENCE.BLOW_UP", TREND("diverged", "fell") RISE "0.4", HIGH,
	 "since about step 600, from 1 to 1.4, and did not come back"},
	{"CONVERGENCE.BLOW_UP", TREND("worsening", "fell") RISE "0.4", PASSES, NULL},
	{"CONVERGENCE.BLOW_UP", TREND("diverged", "rose") RISE "2" EVALUATION("unknown", "-0.2"), MEDIUM,
	 "while eval_loss fell by 40 %"},
	{"CONVERGENCE.BLOW_UP", TREND("diverged", "rose") RISE "2" EVALUATION("worsening", "-0.2"), HIGH, NULL},
	{"CONVERGENCE.BLOW_UP", TREND("diverged", "rose") RISE "2" EVALUATION("unknown", "0.1"), HIGH, NULL},
	{"CONVERGENCE.BLOW_UP", TREND("diverged", "fell"), PASSES, NULL}, /* NaN, which is for DIVERGED */
	{"CONVERGENCE.NO_PROGRESS", TREND("unknown", "none"), UNCHECKED, "trend of loss"},
	{"CONVERGENCE.NO_PROGRESS", TREND("plateau", "unknown"), UNCHECKED, "trend of loss"},
	{"CONVERGENCE.NO_PROGRESS", LOSS "convergence/loss/trend = 'plateau'", UNCHECKED, "trend of loss"},
	{"CONVERGENCE.NO_PROGRESS",
	 "convergence/loss/count = 50; convergence/loss/best = 1; convergence/loss/trend = 'plateau'; "
	 "convergence/loss/progress = 'none'",
	 UNCHECKED, "nothing recorded gives a figure that the rule needs"},
	{"CONVERGENCE.LEVEL_SHIFT",
	 LOSS "convergence/loss/shifts_count ? fewer than 16 values", UNCHECKED, "fewer than 16 values"},
	{"CONVERGENCE.DIVERGED", "convergence/loss/count = 0; convergence/loss/last ? no step after warm-up has a value", UNCHECKED,
	 "no step after warm-up has a value"},
	{"CONVERGENCE.NO_PROGRESS",
	 "convergence/loss/count = 49; convergence/loss/trend = 'worsening'", UNCHECKED,
	 "the run has only 49 values, and the rule needs 50"},

	{"CONVERGENCE.SPIKES", LOSS "convergence/loss/spikes_count = 4", LOW, NULL},
	{"CONVERGENCE.SPIKES", LOSS "convergence/loss/spikes_count = 0", PASSES, NULL},
	{"CONVERGENCE.SPIKES", LOSS "convergence/loss/spikes_count = 1", LOW, "loss has 1 spike"},
	{"CONVERGENCE.SPIKES", LOSS "convergence/loss/spikes_count = 5", MEDIUM, "5 spikes"},
	{"CONVERGENCE.SPIKES", LOSS "convergence/loss/spikes_count ? too few values", UNCHECKED, "too few values"},
	{"CONVERGENCE.GRAD_SPIKES", "convergence/grad_norm/count = 50; convergence/grad_norm/spikes_count = 19", LOW, NULL},
	{"CONVERGENCE.GRAD_SPIKES", LOSS "convergence/loss/spikes_count = 9", UNCHECKED, "the run has no column scalars.grad_norm"},
	{"CONVERGENCE.GRAD_SPIKES", "convergence/grad_norm/count = 50; convergence/grad_norm/spikes_count = 0", PASSES, NULL},
	{"CONVERGENCE.GRAD_SPIKES", "convergence/grad_norm/count = 50; convergence/grad_norm/spikes_count = 1", LOW, NULL},
	{"CONVERGENCE.GRAD_SPIKES", "convergence/grad_norm/count = 50; convergence/grad_norm/spikes_count = 20", MEDIUM, NULL},

	{"CONVERGENCE.EQUAL_BATCHES", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.EQUAL_BATCHES", LOSS BATCHES("50") "0", PASSES, NULL},
	{"CONVERGENCE.EQUAL_BATCHES", LOSS BATCHES("50") "0; convergence/batches/shared_count = 1", HIGH,
	 "those of 1 other rank at every one of 50 recorded steps"},
	{"CONVERGENCE.BATCHES_REPEAT", LOSS BATCHES("80") "0; convergence/batches/doubled_count = 20", MEDIUM,
	 "20 of 80 batch digests are equal to the one before"},
	{"CONVERGENCE.BATCHES_REPEAT", LOSS BATCHES("81") "0; convergence/batches/doubled_count = 20", PASSES, NULL},
	{"CONVERGENCE.BATCHES_REPEAT", LOSS BATCHES("40") "0; convergence/batches/doubled_count = 19", PASSES, NULL},
#define STILL(n) "convergence/parameters/recorded_count = 24; convergence/parameters/still_count = " n \
		 "; convergence/parameters/still_step = 60"
	{"CONVERGENCE.NOT_TRAINED", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.NOT_TRAINED", "convergence/parameters/recorded_count = 24; convergence/parameters/still_count = 0", PASSES, NULL},
	{"CONVERGENCE.NOT_TRAINED", STILL("18"), UNCHECKED, "no learning rate"},
	{"CONVERGENCE.NOT_TRAINED", STILL("18") "; convergence/parameters/least_rate = 0", PASSES, NULL},
	{"CONVERGENCE.NOT_TRAINED", STILL("18") "; convergence/parameters/least_rate = 0.001", HIGH,
	 "The parameters are the same at 18 of 24 records, from step 60 to the last, although the learning rate is above 0 there"},
#define MODES(whole, part, norms, dropouts, updated)                                                                              \
	"convergence/modes/observed_count = 12; convergence/modes/whole_count = " whole "; convergence/modes/part_count = " part      \
	"; convergence/modes/modules_count = 30; convergence/modes/norms_in_eval_count = " norms                                     \
	"; convergence/modes/dropouts_in_eval_count = " dropouts "; convergence/modes/parameters_count = 60"                        \
	"; convergence/modes/updated_count = " updated
#define WHOLE_AT "; convergence/modes/whole_step = 40; convergence/modes/classes_in_eval = 'BatchNorm2d (4)'"
#define PART_AT "; convergence/modes/part_step = 40"
	{"CONVERGENCE.EVAL_MODE", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.EVAL_MODE", MODES("0", "12", "4", "2", "60") PART_AT, PASSES, NULL},
	{"CONVERGENCE.EVAL_MODE", MODES("9", "0", "4", "2", "60") WHOLE_AT, HIGH,
	 "At 9 of 12 steps that were looked at, from step 40 on, the optimizer updates a model all of whose 30 modules are in "
	 "evaluation mode; 6 modules in it would do something else in training mode: BatchNorm2d (4)"},
	{"CONVERGENCE.EVAL_MODE", MODES("1", "0", "1", "0", "30") WHOLE_AT, HIGH, "1 module in it"},
	{"CONVERGENCE.EVAL_MODE", MODES("1", "0", "1", "0", "29") WHOLE_AT, LOW, NULL},
	{"CONVERGENCE.EVAL_MODE", MODES("1", "0", "0", "1", "30") WHOLE_AT, MEDIUM, NULL},
	{"CONVERGENCE.EVAL_MODE", MODES("1", "0", "0", "0", "60") WHOLE_AT, LOW, "no known module in it"},
	{"CONVERGENCE.EVAL_MODE", MODES("1", "0", "0", "0", "60"), UNCHECKED, NULL},
	{"CONVERGENCE.EVAL_MODE", "convergence/modes/observed_count = 12", UNCHECKED, NULL},
	{"CONVERGENCE.EVAL_PART", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.EVAL_PART", MODES("0", "12", "4", "2", "60") PART_AT, LOW,
	 "At 12 of 12 steps that were looked at, from step 40 on, the optimizer updates a model of whose 30 modules some are in "
	 "evaluation mode; 6 of them would do something else in training mode"},
	{"CONVERGENCE.EVAL_PART", MODES("0", "12", "0", "0", "60") PART_AT, PASSES, NULL},
	{"CONVERGENCE.EVAL_PART", MODES("1", "11", "4", "0", "60") PART_AT, PASSES, NULL},
	{"CONVERGENCE.EVAL_PART", MODES("0", "0", "0", "0", "60"), PASSES, NULL},

#define UNTRAINED(cause, n, of)                                                                                                        \
	"convergence/untrained by " cause "/parameters_count = " n "; convergence/untrained by " cause "/of_count = " of               \
	"; convergence/untrained by " cause "/names = '0.weight, 0.bias'; convergence/untrained by " cause                             \
	"/first_step = 100; convergence/untrained by " cause "/last_step = 400; "
	{"CONVERGENCE.PART_NOT_TRAINED", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.PART_NOT_TRAINED", "convergence/parameters/recorded_count = 24", PASSES, NULL},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("unheld", "2", "6"), MEDIUM,
	 "At every watched step from step 100 to step 400 or later, 2 of 6 parameters have gradients, are not held by the optimizer "
	 "and never change (0.weight, 0.bias)"},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("unheld", "6", "6"), HIGH,
	 "and never change (0.weight, 0.bias): nothing is trained"},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("unheld", "4", "6") UNTRAINED("frozen", "2", "6"), HIGH,
	 "2 of 6 parameters are held by the optimizer, and require no gradient (0.weight, 0.bias): nothing is trained"},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("set_aside", "4", "6") UNTRAINED("frozen", "2", "6"), LOW, "require no gradient"},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("set_aside", "2", "6"), LOW,
	 "as a backbone does that is meant to stay (0.weight, 0.bias)"},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("set_aside", "6", "6"), LOW, NULL},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("frozen", "2", "6"), LOW, "require no gradient"},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("no_rate", "2", "6"), LOW, "a learning rate of 0"},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("no_gradient", "2", "6"), LOW, "no backward pass reaches them"},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("no_gradient", "1", "6") UNTRAINED("zero_gradient", "2", "6"), MEDIUM,
	 "2 of 6 parameters have gradients of zeros alone (0.weight, 0.bias); 1 of 6 parameters are held"},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("zero_gradient", "6", "6"), HIGH, NULL},
	{"CONVERGENCE.PART_NOT_TRAINED", UNTRAINED("gradient", "2", "6"), MEDIUM, "a learning rate above 0, and never change"},

#define KEPT(times, of)                                                                                                                \
	"convergence/kept gradients/times_count = " times "; convergence/kept gradients/of_count = " of                                \
	"; convergence/kept gradients/name = '2.bias'; convergence/kept gradients/first_step = 0"
	{"CONVERGENCE.GRADIENTS_KEPT", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.GRADIENTS_KEPT", "convergence/gradients/recorded_count = 24", PASSES, NULL},
	{"CONVERGENCE.GRADIENTS_KEPT", KEPT("5", "5"), HIGH, "that of 2.bias still had the same bits"},
	{"CONVERGENCE.GRADIENTS_KEPT", KEPT("4", "5"), PASSES, NULL},

	{"CONVERGENCE.GRADIENTS_STALE", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.GRADIENTS_STALE", "convergence/gradients/recorded_count = 9; convergence/gradients/stale_count = "
					"0", PASSES, NULL},
	{"CONVERGENCE.GRADIENTS_STALE",
	 "convergence/gradients/recorded_count = 9; convergence/gradients/stale_count = 3; convergence/gradients/stale_step = "
	 "600", HIGH,
	 "From step 600 on the gradients have the same bits at 3 of 9 records"},
	{"CONVERGENCE.GRADIENTS_STALE",
	 UNTRAINED("zero_gradient", "6", "6") "convergence/gradients/recorded_count = 9; convergence/gradients/stale_count = 9; "
					      "convergence/gradients/stale_step = 0",
	 PASSES, NULL},

#define SAME_LOSS(same, of, value)                                                                                                     \
	"convergence/batches/recorded_count = 5; convergence/constant loss/same_count = " same                                         \
	"; convergence/constant loss/recorded_count = " of "; convergence/constant loss/same_step = 0; "                               \
	"convergence/constant loss/batches_count = 5; convergence/constant loss/value = " value
	{"CONVERGENCE.LOSS_CONSTANT", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.LOSS_CONSTANT", "convergence/batches/recorded_count = 5", PASSES, NULL},
	{"CONVERGENCE.LOSS_CONSTANT", SAME_LOSS("400", "400", "1.5"), HIGH, "loss is 1.5 at 400 of 400 values, from step 0 to the "
									    "last"},
	{"CONVERGENCE.LOSS_CONSTANT", SAME_LOSS("399", "400", "1.5"), MEDIUM, "although 5 batches among them differ."},
	{"CONVERGENCE.LOSS_CONSTANT", SAME_LOSS("400", "400", "0"), MEDIUM, NULL},

	{"CONVERGENCE.INPUT_CONSTANT", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.INPUT_CONSTANT", "convergence/batches/recorded_count = 5", PASSES, NULL},
	{"CONVERGENCE.INPUT_CONSTANT",
	 "convergence/batches/same_parts_count = 1; convergence/batches/same_names = '[0]'; convergence/batches/same_parts_step = 0; "
	 "convergence/batches/same_for_count = 5",
	 MEDIUM, "The numbers at [0] of the batch have the same bits at every watched step, 5 or more from step 0 on"},

#define EVALUATED(writes, of, statistics, others, every)                                                                               \
	"convergence/evaluation/writes_count = " writes "; convergence/evaluation/of_count = " of                                      \
	"; convergence/evaluation/statistics_count = " statistics "; convergence/evaluation/others_count = " others                    \
	"; convergence/evaluation/names = '1.running_mean'; convergence/evaluation/first_step = 50; "                                  \
	"convergence/evaluation/every_count = " every
	{"CONVERGENCE.EVALUATION_CHANGES", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.EVALUATION_CHANGES", "convergence/parameters/recorded_count = 24", PASSES, NULL},
	{"CONVERGENCE.EVALUATION_CHANGES", EVALUATED("4", "4", "3", "0", "5"), MEDIUM,
	 "At each of 4 evaluations before step 50 and later ones, between its first forward pass and the next training step, "
	 "statistics of normalization are written: 1.running_mean; the model is not in evaluation mode there"},
	{"CONVERGENCE.EVALUATION_CHANGES", EVALUATED("4", "4", "3", "0", "4"), PASSES, NULL},
	{"CONVERGENCE.EVALUATION_CHANGES", EVALUATED("3", "4", "3", "0", "50"), PASSES, NULL},
	{"CONVERGENCE.EVALUATION_CHANGES", EVALUATED("4", "4", "3", "2", "50"), LOW, "parameters or buffers are written"},

#define NEXT(same, of)                                                                                                                 \
	"convergence/batches/recorded_count = 5; convergence/batches/next_same_count = " same "; convergence/batches/next_count = " of \
	"; convergence/batches/next_step = 0"
	{"CONVERGENCE.BATCHES_REPEAT", NEXT("5", "5"), MEDIUM, "behind each of 5 watched steps, from step 0 on, the next batch has "
							       "the same"},
	{"CONVERGENCE.BATCHES_REPEAT", NEXT("4", "5"), PASSES, NULL},
	{"CONVERGENCE.BATCHES_REPEAT", LOSS, APPLIES_NOT, NULL},
	{"CONVERGENCE.BATCHES_REPEAT", LOSS BATCHES("50") "0", PASSES, NULL},
	{"CONVERGENCE.BATCHES_REPEAT",
	 LOSS BATCHES("300") "200; convergence/batches/period_count = 100; convergence/batches/repeated_step = 1000", MEDIUM,
	 "each of 200 batch digests is the one of 100 records before"},
	{"CONVERGENCE.BATCHES_REPEAT",
	 LOSS BATCHES("300") "249; convergence/batches/period_count = 1; convergence/batches/repeated_step = 51", MEDIUM,
	 "From step 51 on the batch never changes: 249 batch digests are equal to the one before; it is meant so only where a model is "
	 "tried on one batch"},
	{"CONVERGENCE.NONFINITE", LOSS "convergence/grad_norm/count = 1000; convergence/grad_norm/nonfinite_count = "
	 "49", LOW, NULL},
	{"CONVERGENCE.NONFINITE",
	 LOSS "convergence/loss/nonfinite_count = 7; convergence/loss/first_nonfinite_step = 3", PASSES, NULL},
	{"CONVERGENCE.NONFINITE",
	 LOSS "convergence/grad_norm/count = 100; convergence/grad_norm/nonfinite_count = 4; "
	 "convergence/grad_norm/first_nonfinite_step = 3",
	 LOW,
	 "for the first time at step 3: grad_norm (4 of 100)"},
	{"CONVERGENCE.NONFINITE",
	 LOSS "convergence/grad_norm/count = 100; convergence/grad_norm/nonfinite_count = 5; "
	 "convergence/grad_norm/first_nonfinite_step = 3",
	 MEDIUM, NULL},
	{"CONVERGENCE.NONFINITE",
	 LOSS "convergence/grad_norm/count = 100; convergence/grad_norm/nonfinite_count = 0", PASSES, NULL},
	{"CONVERGENCE.NONFINITE",
	 LOSS "convergence/grad_norm/count = 100; convergence/grad_norm/nonfinite_count ? why", PASSES, NULL},
	{"CONVERGENCE.NONFINITE", LOSS "convergence/grad_norm/count = 100; convergence/grad_norm/nonfinite_count = 4", LOW,
	 "infinite: grad_norm (4 of 100)."},
	{"CONVERGENCE.NONFINITE",
	 LOSS "convergence/grad_norm/count = 1000; convergence/grad_norm/nonfinite_count = 6; "
	      "convergence/grad_norm/first_nonfinite_step = 3; convergence/grad_norm/lost_step = 995; "
	      "convergence/a/count = 100; convergence/a/nonfinite_count = 9; convergence/a/first_nonfinite_step = 8",
	 HIGH, "from step 995 on to the end: grad_norm (6 of 1,000, all to the end), a (9 of 100)."},
	{"CONVERGENCE.NONFINITE",
	 "convergence/grad_norm/count = 9; convergence/grad_norm/nonfinite_count = 9; convergence/grad_norm/first_nonfinite_step = 0; "
	 "convergence/grad_norm/lost_step = 0",
	 HIGH, "grad_norm (9 of 9, all to the end); no loss was logged"},
	{"CONVERGENCE.NONFINITE",
	 LOSS "convergence/a/count = 100; convergence/a/nonfinite_count = 9; convergence/a/first_nonfinite_step = 8; "
	      "convergence/b/count = 100; convergence/b/nonfinite_count = 2; convergence/b/first_nonfinite_step = 3",
	 MEDIUM, "for the first time at step 3: a (9 of 100), b (2 of 100)"},

	{"CONVERGENCE.SERIES_MOVED", "", UNCHECKED, "no series of scalars"},
	{"CONVERGENCE.SERIES_MOVED", ASKED, PASSES, NULL},
	{"CONVERGENCE.SERIES_MOVED", ASKED MOVED("kl", "rise", "0.01", "0.05", "0", "0"), LOW,
	 "kl rises from 0.01 to 0.05 from about step 7."},
	{"CONVERGENCE.SERIES_MOVED", ASKED MOVED("val_bpb", "rise", "0.8", "1.2", "1", "0"), LOW, NULL},
	{"CONVERGENCE.SERIES_MOVED", ASKED MOVED("reward", "jump", "0.8", "0.4", "1", "0"), MEDIUM,
	 "reward falls from 0.8 to 0.4 suddenly at step 7."},
	{"CONVERGENCE.SERIES_MOVED", ASKED MOVED("gap", "drift", "0.1", "0.2", "0", "1"), MEDIUM,
	 "gap rises from 0.1 to 0.2 over the run although the learning rate is 0, so that no weight changes."},
	{"CONVERGENCE.SERIES_MOVED", ASKED "; convergence/kl/lost_step = 9", MEDIUM, "kl is NaN or infinite from step 9 to the end."},
	{"CONVERGENCE.SERIES_MOVED",
	 ASKED "; convergence/grad_norm/count = 100; convergence/grad_norm/nonfinite_count = 0; "
	       "convergence/grad_norm_avg/lost_step = 9",
	 LOW,
	 "grad_norm_avg is NaN or infinite from step 9 to the end, while all that is logged of grad_norm is finite: a running mean "
	 "stays so behind a single value that is not, as where mixed precision overflows, and does not show that training is lost."},
	{"CONVERGENCE.SERIES_MOVED",
	 ASKED "; convergence/grad_norm/count = 100; convergence/grad_norm/nonfinite_count = 1; "
	       "convergence/grad_norm_avg/lost_step = 9",
	 MEDIUM, "grad_norm_avg is NaN or infinite from step 9 to the end."},
	{"CONVERGENCE.SERIES_MOVED", ASKED "; convergence/loss/count = 100; convergence/loss/lost_step = 9", PASSES, NULL},
	{"CONVERGENCE.SERIES_MOVED", ASKED MOVED("loss", "jump", "12", "4", "0", "0") "; convergence/loss/count = 100", LOW, NULL},
	{"CONVERGENCE.SERIES_MOVED", ASKED MOVED("loss", "rise", "1", "4", "1", "0") "; convergence/loss/count = 100", PASSES, NULL},
	{"CONVERGENCE.SERIES_MOVED", ASKED MOVED("loss", "left", "1", "4", "1", "0") "; convergence/loss/count = 100", MEDIUM, NULL},
	{"CONVERGENCE.SERIES_MOVED",
	 ASKED MOVED("loss", "left", "1", "4", "1", "0") "; convergence/loss/count = 100; convergence/loss/blow_up_step = 7", PASSES,
	 NULL},
	{"CROSS.CORRELATED_INSTABILITY",
	 "cross/coincidences/significant_count = 0; cross/coincidences/p_value = 0.7", PASSES, NULL},
	{"CROSS.CORRELATED_INSTABILITY",
	 "cross/coincidences/significant_count = 1; cross/coincidences/p_value = 0.0002",
	 HIGH, "in 1 place. Independent signals would do so with a probability of 0.0002"},
	{"CROSS.CORRELATED_INSTABILITY",
	 "cross/coincidences/significant_count = 1; cross/coincidences/p_value = 0.0024", MEDIUM, "a probability of 0.0024"},
	{"CROSS.CORRELATED_INSTABILITY",
	 "cross/coincidences/significant_count = 1; cross/coincidences/p_value = 0.0002; "
	 "cross/coincidence 1/rising = 'memory, step_time'",
	 LOW, "Neither the loss nor the gradient norm goes up there"},
	{"CROSS.CORRELATED_INSTABILITY",
	 "cross/coincidences/significant_count = 2; cross/coincidences/p_value = 0.0002; cross/coincidence 1/rising = 'step_time'; "
	 "cross/coincidence 2/rising = 'grad_norm'",
	 HIGH, "a probability of 0.0002."},
	{"CROSS.CORRELATED_INSTABILITY",
	 "cross/coincidences/significant_count ? only one signal is there", UNCHECKED, "only one signal"},

	{"DIST.STRAGGLER", WORLD "ranks/rank 1/slowdown_ratio = 0.5", PASSES, NULL},
	{"DIST.STRAGGLER",
	 WORLD "ranks/all/lost_ratio = 0.099; ranks/rank 1/slowdown_ratio = 0.249; ranks/rank 1/straggler = 'persistent'",
	 MEDIUM, "wait for rank 1, which is up to 25 % slower (persistent)"},
	{"DIST.STRAGGLER",
	 WORLD "ranks/all/lost_ratio = 0.1; ranks/rank 1/slowdown_ratio = 0.2; ranks/rank 1/straggler = 'persistent'", HIGH,
	 "cost 10 %"},
	{"DIST.STRAGGLER",
	 WORLD "ranks/all/lost_ratio = 0.02; ranks/rank 1/slowdown_ratio = 0.25; ranks/rank 1/straggler = 'late'; "
				 "ranks/rank 1/onset_step = 550",
	 HIGH, "(late, from step 550 on)"},
	{"DIST.STRAGGLER",
	 WORLD "ranks/all/lost_ratio = 0.02; ranks/rank 1/slowdown_ratio = 0.1; ranks/rank 1/straggler = 'late'; "
	 "ranks/rank 1/onset_step = 550; ranks/rank 2/slowdown_ratio = 0.05; ranks/rank 2/straggler = 'late'; ranks/rank "
	 "2/onset_step = 600",
	 MEDIUM, "wait for ranks 1 and 2, which are up to 10 % slower (late, from step 550 on); "
	 "unequal ranks cost 2.0 % of the devices' time"},
	{"DIST.STRAGGLER", "ranks/all/present_count = 4; ranks/all/stragglers_count ? no step is present on every rank", UNCHECKED,
	 "no step is present on every rank"},
	{"DIST.STRAGGLER",
	 "ranks/all/present_count = 4; ranks/all/decidable = 'the test for stragglers needs more steps: 3 blocks'",
	 UNCHECKED, "needs more steps"},
	{"DIST.STRAGGLER",
	 "ranks/all/world_size_count = 1; ranks/all/present_count = 1; ranks/rank 0/straggler = 'persistent'", APPLIES_NOT,
	 NULL},
	{"DIST.STRAGGLER", "timing/step/count = 9", APPLIES_NOT, NULL},

	{"DIST.LOAD_IMBALANCE",
	 WORLD "ranks/all/imbalance_cv_ratio = 0.15; ranks/all/lost_ratio = 0.05; ranks/all/skew_s = 0.01", MEDIUM,
	 "10.0 ms"},
	{"DIST.LOAD_IMBALANCE",
	 WORLD "ranks/all/imbalance_cv_ratio = 0.1499; ranks/all/lost_ratio = 0.05; ranks/all/skew_s = 0.01", PASSES, NULL},
	{"DIST.LOAD_IMBALANCE",
	 WORLD "ranks/all/imbalance_cv_ratio = 0.15; ranks/all/lost_ratio = 0.0499; ranks/all/skew_s = 0.01", PASSES, NULL},
	{"DIST.LOAD_IMBALANCE",
	 WORLD "ranks/all/imbalance_cv_ratio = 0.5; ranks/all/lost_ratio = 0.5; ranks/all/skew_s = 0.01; "
	 "ranks/all/stragglers_count = 1",
	 PASSES,
	 NULL},
	{"DIST.LOAD_IMBALANCE",
	 WORLD "ranks/all/imbalance_cv_ratio = 0.5; ranks/all/lost_ratio = 0.5; ranks/all/skew_s = 0.01; "
	 "ranks/all/stragglers_count = 0",
	 MEDIUM,
	 NULL},
	{"DIST.LOAD_IMBALANCE",
	 WORLD "ranks/all/imbalance_cv_ratio ? no step is present on every rank", UNCHECKED, "on every rank"},

	{"DIST.COMM_BOUND", WORLD "ranks/all/transfer_s = 0.01; budget/communication job/share_ratio = 0.4499", MEDIUM, NULL},
	{"DIST.COMM_BOUND", WORLD "ranks/all/transfer_s = 0.01; budget/communication job/share_ratio = 0.2499", PASSES, NULL},
	{"DIST.COMM_BOUND",
	 WORLD "ranks/all/transfer_s = 0.01; budget/communication job/share_ratio = 0.25", MEDIUM,
	 "25 % of the wall time, 10.0 ms of each step"},
	{"DIST.COMM_BOUND", WORLD "ranks/all/transfer_s = 0.01; budget/communication job/share_ratio = 0.45", HIGH, NULL},
	{"DIST.COMM_BOUND",
	 WORLD "ranks/all/transfer_s = 0.01; budget/communication job/share_ratio = 0.16; ranks/all/comm_max_ratio = 0.42", PASSES,
	 NULL},
	{"DIST.COMM_BOUND",
	 WORLD "budget/communication job/share_ratio ? no rank has the phase comm", UNCHECKED, "no rank has the phase comm"},
	{"DIST.WAIT_BOUND", WORLD "ranks/all/wait_s = 0.01; budget/wait job/share_ratio = 0.2999", MEDIUM, NULL},
	{"DIST.WAIT_BOUND", WORLD "ranks/all/wait_s = 0.01; budget/wait job/share_ratio = 0.1499", PASSES, NULL},
	{"DIST.WAIT_BOUND", WORLD "ranks/all/wait_s = 0.01; budget/wait job/share_ratio = 0.15", MEDIUM, NULL},
	{"DIST.WAIT_BOUND", WORLD "ranks/all/wait_s = 0.01; budget/wait job/share_ratio = 0.3", HIGH, NULL},

	{"DIST.WAIT_BOUND", WORLD "budget/wait job/share_ratio ? no rank has the phase comm", UNCHECKED, "no rank has the phase comm"},

	{"DIST.MISSING_RANKS", WORLD "ranks/all/missing_count = 0", PASSES, NULL},
	{"DIST.MISSING_RANKS", WORLD "ranks/all/missing_count = 1", MEDIUM, "the missing ones: 1 rank."},
	{"DIST.MISSING_RANKS",
	 "ranks/all/world_size_count = 4; ranks/all/present_count = 1; ranks/all/missing_count = 3; ranks/all/missing = '1-3'",
	 MEDIUM,
	 "Only 1 of 4 ranks have steps; the missing ones: 1-3"},
	{"DIST.MISSING_RANKS",
	 "ranks/all/world_size_count ? the run does not record its world size; ranks/all/present_count = 2", UNCHECKED,
	 "does not record its world size"},
	{"DIST.REPLICAS", "", APPLIES_NOT, NULL},
	{"DIST.REPLICAS", WORLD, APPLIES_NOT, NULL}, /* no digests */
	{"DIST.REPLICAS", WORLD "ranks/replicas of params/apart_count = 0", PASSES, NULL},
	{"DIST.REPLICAS", WORLD "ranks/replicas of params/apart_count ? shards, or copies that never were equal", UNCHECKED, "shards"},
	{"DIST.REPLICAS",
	 WORLD "ranks/replicas of params/apart_count = 7; ranks/replicas of params/ranks_count = 3; "
	       "ranks/replicas of params/last_equal_step = 20; ranks/replicas of params/first_apart_step = 25; "
	       "ranks/replicas of params/odd_count = 1; ranks/replicas of params/odd = 'rank 2'; "
	       "ranks/replicas of grads/first_apart_step = 20; ranks/rank 2/apart_step = 25",
	 HIGH,
	 "From step 25 on, the copy of the parameters on rank 2 is not that of the other 2 ranks; at step 20 all copies had the same "
	 "bits; the gradients differ from step 20 on."},
	{"DIST.REPLICAS",
	 WORLD "ranks/replicas of optimizer/apart_count = 1; ranks/replicas of optimizer/ranks_count = 2; "
	       "ranks/replicas of optimizer/last_equal_step = 20; ranks/replicas of optimizer/first_apart_step = 25; "
	       "ranks/replicas of optimizer/odd_count = 0; ranks/replicas of optimizer/odd = 'ranks 0 and 1'",
	 HIGH,
	 "the copy of the optimizer's state is not the same on ranks 0 and 1, without a majority that would say which of them is "
	 "wrong"},
	{"DIST.EXPOSED_COMM", WORLD, UNCHECKED, "there is no trace of the PyTorch profiler, which the rule needs"},
	{"DIST.EXPOSED_COMM", "", APPLIES_NOT, NULL},
	{"DIST.EXPOSED_COMM", TRACE(exposed_communication, "0.0499"), PASSES, NULL}, /* neither ranks nor communication */
	{"DIST.EXPOSED_COMM", TRACE(exposed_communication, "0.2"), PASSES, NULL},
	{"DIST.EXPOSED_COMM", WORLD TRACE(exposed_communication, "0.0499"), PASSES, NULL},
	{"DIST.EXPOSED_COMM", WORLD TRACE(exposed_communication, "0.05"), MEDIUM,
	 "Communication that overlaps with no computation takes 5.0 % of the devices' time, 12.0 ms of 60.0 ms; how much of that is "
	 "waiting for other ranks, traces of all ranks in one folder would tell."},
	{"DIST.EXPOSED_COMM", WORLD TRACE(exposed_communication, "0.05") "; trace/exposed_waiting/share_ratio = 0", MEDIUM,
	 "12.0 ms of 60.0 ms."},
	{"DIST.EXPOSED_COMM", "trace/job/world_size_count = 2; " TRACE(exposed_communication, "0.1499"), MEDIUM, NULL},
	{"DIST.EXPOSED_COMM", "trace/job/world_size_count = 1; " TRACE(exposed_communication, "0.1499"), PASSES, NULL},
	{"DIST.EXPOSED_COMM",
	 "trace/communication/time_s = 0.036; trace/communication/overlapped_ratio = 0.6667; "
		TRACE(exposed_communication, "0.15"), HIGH,
	 "15 % of the devices' time, 12.0 ms of 60.0 ms; 67 % of the communication is overlapped; how much of that is waiting for"},
	{"DIST.EXPOSED_COMM", WORLD "trace/span/share_ratio ? the trace has no events of devices; "
	 "trace/exposed_communication/share_ratio ? the trace has no events of devices", UNCHECKED, "no events of devices"},

	{"TRACE.HOST_BOUND", "", APPLIES_NOT, NULL},
	{"TRACE.HOST_BOUND", CALLS("50", "0.5") TRACE(idle_host, "0.1999"), PASSES, NULL},
	{"TRACE.HOST_BOUND", CALLS("50", "0.5") TRACE(idle_host, "0.2"), MEDIUM,
	 "The device is idle for 20 % of its time, 12.0 ms, before the host asks for the next work."},
	{"TRACE.HOST_BOUND", CALLS("50", "0") TRACE(idle_host, "0.4999"), MEDIUM, NULL},
	{"TRACE.HOST_BOUND", CALLS("50", "0") TRACE(idle_host, "0.5"), HIGH, NULL},
	{"TRACE.HOST_BOUND", CALLS("49", "0") TRACE(idle_host, "0.5"), UNCHECKED,
	 "the trace has only 49 events of devices, and the rule needs 50"},
	{"TRACE.HOST_BOUND", CALLS("50", "0.5001") TRACE(idle_host, "0.5"), UNCHECKED,
	 "the trace lacks the calls that launched 50 % of its events"},

	{"TRACE.HOST_BOUND", CALLS("50", "0") TRACE(idle_host, "0.5") LONGEST("0.3"), HIGH, NULL},
	{"TRACE.HOST_BOUND", CALLS("50", "0") TRACE(idle_host, "0.5") LONGEST("0.31"), UNCHECKED,
	 "without the longest gaps, 4.00 s, the device is idle for the host for 19 % of its time, which is below the threshold of "
	 "20 %"},

	{"TRACE.SYNC", "", APPLIES_NOT, NULL},
	{"TRACE.SYNC", CALLS("50", "0.5") TRACE(idle_after_waits, "0.0499"), PASSES, NULL},
	{"TRACE.SYNC", CALLS("50", "0.5") TRACE(idle_after_waits, "0.05"), MEDIUM,
	 "The device is idle for 5.0 % of its time, 12.0 ms, after the host waited for it."},
	{"TRACE.SYNC", CALLS("50", "0") TRACE(idle_after_waits, "0.2"), HIGH, NULL},
	{"TRACE.SYNC", CALLS("50", "0") TRACE(idle_after_waits, "0.2") LONGEST_OF(idle_after_waits, "0.15"), HIGH, NULL},
	{"TRACE.SYNC", CALLS("50", "0") TRACE(idle_after_waits, "0.2") LONGEST_OF(idle_after_waits, "0.16"), UNCHECKED,
	 "without the longest gaps, 4.00 s, the device is idle after waits of the host for 4.0 % of its time, which is below the "
	 "threshold of 5.0 %"},
	{"TRACE.SYNC", CALLS("49", "0") TRACE(idle_after_waits, "0.2"), UNCHECKED,
	 "the trace has only 49 events of devices, and the rule needs 50"},

	{"TRACE.LAUNCH_BOUND", "", APPLIES_NOT, NULL},
	{"TRACE.LAUNCH_BOUND", CALLS("50", "0") TRACE(idle_launch, "0.0999"), PASSES, NULL},
	{"TRACE.LAUNCH_BOUND", CALLS("50", "0") TRACE(idle_launch, "0.1"), MEDIUM,
	 "From the call to the begin of the work the device is idle for 10 % of its time, 12.0 ms."},
	{"TRACE.LAUNCH_BOUND", CALLS("50", "0") "trace/kernels/mean_s = 4e-6; " TRACE(idle_launch, "0.25"), HIGH,
	 "; a kernel takes 4.00 µs on average."},
	{"TRACE.LAUNCH_BOUND", CALLS("50", "0") TRACE(idle_launch, "0.25") LONGEST_OF(idle_launch, "0.2"), UNCHECKED,
	 "idle during launches for 5.0 % of its time"},
	{"TRACE.LAUNCH_BOUND", CALLS("50", "0") TRACE(idle_launch, "0.25") LONGEST_OF(idle_host, "0.2"), HIGH, NULL},
	{"TRACE.LAUNCH_BOUND", CALLS("3", "0") TRACE(idle_launch, "0.25"), UNCHECKED, "only 3 events of devices"},

	/* A capture of graphs is no sample, whatever the rule. */
	{"TRACE.HOST_BOUND", CALLS("50", "0") TRACE(idle_host, "0.5") CAPTURED("0.2499"), HIGH, NULL},
	{"TRACE.HOST_BOUND", CALLS("50", "0") TRACE(idle_host, "0.5") CAPTURED("0.25"), UNCHECKED, "the capture of CUDA graphs"},
	{"TRACE.FILLS", TRACE(fills, "0.5") CAPTURED("1"), UNCHECKED, "the capture of CUDA graphs"},
	{"TRACE.RECOMPILED", COMPILED("0.25") CAPTURED("1"), UNCHECKED, "the capture of CUDA graphs"},
	{"DIST.EXPOSED_COMM", WORLD TRACE(exposed_communication, "0.5") CAPTURED("1"), UNCHECKED, "the capture of CUDA graphs"},

	{"TRACE.FIRST_LAUNCH", "", APPLIES_NOT, NULL},
	{"TRACE.FIRST_LAUNCH", TRACE(idle_first_launch, "0.0099"), PASSES, NULL},
	{"TRACE.FIRST_LAUNCH", TRACE(idle_first_launch, "0.01"), LOW,
	 "or set the device up, the device waited for 1.0 % of its time, 12.0 ms"},

	{"TRACE.COPIES", "", APPLIES_NOT, NULL},
	{"TRACE.COPIES", TRACE(exposed_copies, "0.0499"), PASSES, NULL},
	{"TRACE.COPIES", TRACE(exposed_copies, "0.05"), MEDIUM, "5.0 % of the devices' time, 12.0 ms."},
	{"TRACE.COPIES", TRACE(exposed_copies, "0.2"), HIGH, NULL},

	{"TRACE.WAITING", "", APPLIES_NOT, NULL},
	{"TRACE.WAITING", TRACE(exposed_communication, "0.5"), APPLIES_NOT, NULL}, /* of one trace */
	{"TRACE.WAITING", TRACE(exposed_waiting, "0.0499"), PASSES, NULL},
	{"TRACE.WAITING", TRACE(exposed_waiting, "0.05"), MEDIUM,
	 "The device waits in communication for ranks that have not come, and computes nothing, for 5.0 % of its time, 12.0 ms."},
	{"TRACE.WAITING",
	 "trace/exposed_waiting/waited_rank = 3; trace/exposed_waiting/waited_ratio = 0.5; " TRACE(exposed_waiting, "0.15"), HIGH,
	 "12.0 ms; of all ranks, rank 3 is the one that others waited for longest: 50 % of all their waiting."},
	{"TRACE.WAITING", "trace/exposed_waiting/share_ratio ? no collective", UNCHECKED, "no collective"},

	{"TRACE.LOADER", "", APPLIES_NOT, NULL},
	{"TRACE.LOADER", CALLS("50", "0") TRACE(idle_loading, "0.0999"), PASSES, NULL},
	{"TRACE.LOADER", CALLS("50", "0") TRACE(idle_loading, "0.1"), MEDIUM,
	 "idle for 10 % of its time, 12.0 ms, while the host is in a data loader"},
	{"TRACE.LOADER", CALLS("50", "0") TRACE(idle_loading, "0.25"), HIGH, NULL},
	{"TRACE.LOADER", CALLS("50", "0") TRACE(idle_loading, "0.25") LONGEST_OF(idle_loading, "0.2"), UNCHECKED, "for 5.0 % of"},
	{"TRACE.LOADER", CALLS("50", "0.6") TRACE(idle_loading, "0.25"), UNCHECKED, "lacks the calls"},
	{"TRACE.MATH_ATTENTION", TRACE(math_attention, "0.0499"), PASSES, NULL},
	{"TRACE.MATH_ATTENTION", TRACE(math_attention, "0.05"), MEDIUM, "takes 5.0 % of the sum of all work, 12.0 ms."},
	{"TRACE.MATH_ATTENTION", "trace/span/share_ratio = 1; trace/math_attention/share_ratio ? no operators", UNCHECKED, "no "
	 "operators"},
	{"TRACE.RECOMPILED", COMPILED("0.0499"), PASSES, NULL},
	{"TRACE.RECOMPILED", COMPILED("0.05"), MEDIUM, "compiles for 5.0 % of the time of the trace, 12.0 ms."},
	{"TRACE.RECOMPILED", "trace/compiled/recompiled_regions_count = 2; " COMPILED("0.25"), HIGH, "2 regions come from a function "
	 "that"},
	{"TRACE.RECOMPILED", "trace/span/share_ratio = 1; trace/compiled/compiling_ratio ? no main thread", UNCHECKED, "no main "
	 "thread"},
	{"TRACE.FILLS", "", APPLIES_NOT, NULL},
	{"TRACE.FILLS", TRACE(fills, "0.0499"), PASSES, NULL},
	{"TRACE.FILLS", TRACE(fills, "0.05"), LOW, "Fills of memory take 5.0 % of the sum of all work, 12.0 ms."},

	{"TRACE.ELEMENTWISE", "", APPLIES_NOT, NULL},
	{"TRACE.ELEMENTWISE", TRACE(elementwise, "0.2999"), PASSES, NULL},
	{"TRACE.ELEMENTWISE", TRACE(elementwise, "0.3"), LOW, "30 % of the sum of all work"},

	{"DIST.PIPELINE_BUBBLE",
	 "pipeline/all/bubble_ratio = 0.4499; pipeline/all/excess_ratio ? the microbatches are not known", MEDIUM, NULL},
	{"DIST.PIPELINE_BUBBLE",
	 "pipeline/all/bubble_ratio = 0.4; pipeline/all/ideal_ratio = 0.25; pipeline/all/excess_ratio = 0.1499", MEDIUM, NULL},
	{"DIST.PIPELINE_BUBBLE",
	 "pipeline/all/bubble_ratio = 0.3; pipeline/all/ideal_ratio = 0.25; pipeline/all/excess_ratio = 0.0499", PASSES, NULL},
	{"DIST.PIPELINE_BUBBLE",
	 "pipeline/all/bubble_ratio = 0.3; pipeline/all/ideal_ratio = 0.25; pipeline/all/excess_ratio = 0.05", MEDIUM, "30 %"},
	{"DIST.PIPELINE_BUBBLE",
	 "pipeline/all/bubble_ratio = 0.4; pipeline/all/ideal_ratio = 0.25; pipeline/all/excess_ratio = 0.15", HIGH, NULL},
	{"DIST.PIPELINE_BUBBLE",
	 "pipeline/all/bubble_ratio = 0.2499; pipeline/all/excess_ratio ? the microbatches are not known", PASSES, NULL},
	{"DIST.PIPELINE_BUBBLE",
	 "pipeline/all/bubble_ratio = 0.25; pipeline/all/excess_ratio ? the microbatches are not known; "
	 "pipeline/all/idlest = 'stage 2'",
	 MEDIUM,
	 "; stage 2 is the most idle"},
	{"DIST.PIPELINE_BUBBLE",
	 "pipeline/all/bubble_ratio = 0.45; pipeline/all/excess_ratio ? the microbatches are not known", HIGH, NULL},
	{"DIST.PIPELINE_BUBBLE", "pipeline/all/bubble_ratio ? one stage only", UNCHECKED, "one stage only"},
	{"DIST.PIPELINE_BUBBLE", "timing/step/count = 3", APPLIES_NOT, NULL},

	{"EFFICIENCY.MFU_IMPOSSIBLE", MFU "1.0", PASSES, NULL},
	{"EFFICIENCY.MFU_IMPOSSIBLE", MFU "1.01", HIGH, "101 %"},
	{"EFFICIENCY.MFU_IMPOSSIBLE", "efficiency/mfu/ratio ? the device is not known", UNCHECKED, "the device is not known"},
	{"EFFICIENCY.MFU_SUSPICIOUS", "efficiency/mfu/ratio ? the device is not known", UNCHECKED, "the device is not known"},
	{"EFFICIENCY.MFU_SUSPICIOUS", MFU "0.7", PASSES, NULL},
	{"EFFICIENCY.MFU_SUSPICIOUS", MFU "0.71", MEDIUM, "71 %"},
	{"EFFICIENCY.MFU_SUSPICIOUS", MFU "1.0", MEDIUM, NULL},
	{"EFFICIENCY.MFU_SUSPICIOUS", MFU "1.01", PASSES, NULL},
	{"EFFICIENCY.LOW_MFU", MFU "0.5", PASSES, NULL},
	{"EFFICIENCY.LOW_MFU", MFU "0.499", MEDIUM, "10 % of the wall time, is spent waiting for data"},
	{"EFFICIENCY.LOW_MFU", MFU "0.3", MEDIUM, NULL},
	{"EFFICIENCY.LOW_MFU", MFU "0.299", HIGH, NULL},
	{"EFFICIENCY.LOW_MFU", "budget/data_stall/share_ratio = 0.099; efficiency/mfu/ratio = 0.1", PASSES, NULL},
	{"EFFICIENCY.LOW_MFU", "efficiency/mfu/ratio = 0.1; budget/data_stall/share_ratio ? no time", UNCHECKED, "no time"},
	{"EFFICIENCY.LOGGED_MFU", MFU "0.4", APPLIES_NOT, NULL},
	{"EFFICIENCY.LOGGED_MFU", "efficiency/logged/mfu_ratio = 0.4", UNCHECKED, "none can be computed"},
	{"EFFICIENCY.LOGGED_MFU", "efficiency/logged/mfu_ratio = 0.4; efficiency/logged/times = 1.05", PASSES, NULL},
	{"EFFICIENCY.LOGGED_MFU", "efficiency/logged/times = 1.11; efficiency/logged/note = 'the logged MFU is 1 %'", LOW,
	 "The logged MFU is 1 %."},
	{"EFFICIENCY.LOGGED_MFU", "efficiency/logged/times = 0.5; efficiency/logged/note = 'the logged MFU is 1 %'", LOW, NULL},
	{"EFFICIENCY.LOGGED_MFU", "efficiency/logged/mfu_ratio = 1.2; efficiency/logged/error = 'the run logs 120 %'", MEDIUM,
	 "The run logs 120 %."},
	{"EFFICIENCY.RECOVERABLE", "budget/other/share_ratio = 0.3499", MEDIUM, NULL},
	{"EFFICIENCY.RECOVERABLE", MFU "0.1", APPLIES_NOT, NULL},
	{"EFFICIENCY.RECOVERABLE", "budget/data_stall/share_ratio = 0.1; budget/other/share_ratio = 0.1999; "
	 "budget/unattributed/share_ratio = 0.6", PASSES, NULL},
	{"EFFICIENCY.RECOVERABLE",
	 "budget/data_stall/share_ratio = 0.1; budget/other/share_ratio = 0.2", MEDIUM, "is spent in other phases"},
	{"EFFICIENCY.RECOVERABLE", "budget/other/share_ratio = 0.9", MEDIUM, NULL},
	/* Waiting for data has a rule of its own. */
	{"EFFICIENCY.RECOVERABLE", "budget/data_stall/share_ratio = 0.5; budget/other/share_ratio = 0.1", PASSES, NULL},

	{"MEMORY.PRESSURE", "memory/capacity/device_bytes = 1e9; memory/capacity/pressure_ratio = 0.9699", MEDIUM, NULL},
	{"MEMORY.PRESSURE", "memory/capacity/device_bytes = 1e9; memory/capacity/pressure_ratio = 0.9199", PASSES, NULL},
	{"MEMORY.PRESSURE", "memory/capacity/device_bytes = 1e9; memory/capacity/pressure_ratio = 0.92", MEDIUM, "92 %"},
	{"MEMORY.PRESSURE", "memory/capacity/device_bytes = 1e9; memory/capacity/pressure_ratio = 0.97", HIGH, NULL},
	{"MEMORY.PRESSURE", "memory/capacity/pressure_ratio ? the capacity of the device is not known", UNCHECKED, "capacity"},

	{"MEMORY.FORECAST",
	 "memory/growth/slope_bytes_per_step = 1000; memory/growth/p_value = 0.0101; memory/growth/total_bytes = 1e6; "
	 "memory/capacity/steps_left_count = 1", PASSES, NULL},
	{"MEMORY.FORECAST", GROWTH "memory/growth/total_bytes = 1e6; memory/capacity/steps_left_count = 1001", MEDIUM, NULL},
	{"MEMORY.FORECAST", GROWTH "memory/growth/total_bytes = 1e6; memory/capacity/steps_left_count = 3001", PASSES, NULL},
	{"MEMORY.FORECAST",
	 GROWTH "memory/growth/total_bytes = 1e6; memory/capacity/steps_left_count = 3000", MEDIUM, "3,000 steps"},
	{"MEMORY.FORECAST", GROWTH "memory/growth/total_bytes = 1e6; memory/capacity/steps_left_count = 1000", HIGH, NULL},
	{"MEMORY.FORECAST",
	 GROWTH "memory/growth/total_bytes = 1e6; memory/capacity/steps_left_count ? no capacity", UNCHECKED, "no capacity"},

	{"MEMORY.GROWTH", GROWTH "memory/growth/total_bytes = 9999999", MEDIUM, NULL},
	{"MEMORY.GROWTH",
	 "memory/growth/slope_bytes_per_step = 1000; memory/growth/p_value = 0.5; memory/peak_alloc/peak_bytes = 1e8; "
	 "memory/growth/total_bytes = 1e7; memory/growth/since_step = 700",
	 HIGH, "From about step 700 on, memory grows by 1000 B per step and by 9.54 MiB in all"},
	{"MEMORY.FORECAST",
	 "memory/growth/slope_bytes_per_step = 1000; memory/growth/p_value = 0.5; memory/growth/total_bytes = 1e6; "
	 "memory/growth/since_step = 700; memory/capacity/steps_left_count = 900",
	 HIGH, "it has grown over 1,000 steps so far"},
	{"MEMORY.GROWTH",
	 "memory/growth/slope_bytes_per_step = 1000; memory/growth/p_value = 0.5; memory/peak_alloc/peak_bytes = 1e8; "
	 "memory/growth/total_bytes = 1e7; memory/growth/since_step = 700; memory/growth/rises_count = 4",
	 HIGH, "which is 10 % of its peak, in 4 rises, between which its lowest values stay"},
	{"MEMORY.GROWTH",
	 GROWTH "memory/growth/total_bytes = 1e7; memory/growth/slope_low_bytes_per_step = 0; "
		"memory/growth/slope_high_bytes_per_step = 3000",
	 PASSES, NULL},
	{"MEMORY.GROWTH", GROWTH "memory/growth/total_bytes = 999999", PASSES, NULL},
	{"MEMORY.GROWTH", GROWTH "memory/growth/total_bytes = 1e6", MEDIUM, "1000 B per step and by 977 KiB in all, which is 1.0 %"},
	{"MEMORY.GROWTH", GROWTH "memory/growth/total_bytes = 1e7", HIGH, NULL},
	{"MEMORY.GROWTH",
	 "memory/growth/slope_bytes_per_step = 1000; memory/growth/p_value = 0.0101; memory/peak_alloc/peak_bytes = 1e8; "
	 "memory/growth/total_bytes = 1e7",
	 PASSES, NULL},
	{"MEMORY.GROWTH",
	 "memory/growth/slope_bytes_per_step = -1000; memory/growth/p_value = 0; memory/peak_alloc/peak_bytes = 1e8; "
	 "memory/growth/total_bytes = -1e7",
	 PASSES, NULL},
	{"MEMORY.GROWTH", "memory/growth/slope_bytes_per_step ? the run has no column memory.alloc", UNCHECKED,
	 "the run has no column memory.alloc"},

	{"MEMORY.FRAGMENTATION",
	 "memory/fragmentation/ratio = 0.3999; memory/fragmentation/reserved_unused_bytes = 1; "
	 "memory/peak_alloc/peak_bytes = 67108864", LOW, NULL},
	{"MEMORY.FRAGMENTATION",
	 "memory/fragmentation/ratio = 0.9; memory/fragmentation/reserved_unused_bytes = 1; "
	 "memory/peak_alloc/peak_bytes = 67108863",
	 PASSES, NULL},
	{"MEMORY.FRAGMENTATION",
	 "memory/fragmentation/ratio = 0.1999; memory/fragmentation/reserved_unused_bytes = 1; "
	 "memory/peak_alloc/peak_bytes = 67108864",
	 PASSES, NULL},
	{"MEMORY.FRAGMENTATION",
	 "memory/fragmentation/ratio = 0.2; memory/fragmentation/reserved_unused_bytes = 2097152; "
	 "memory/peak_alloc/peak_bytes = 67108864",
	 LOW,
	 "no tensor uses 20 % (2 MiB) of what the allocator holds"},
	{"MEMORY.FRAGMENTATION",
	 "memory/fragmentation/ratio = 0.4; memory/fragmentation/reserved_unused_bytes = 1; "
	 "memory/peak_alloc/peak_bytes = 67108864",
	 MEDIUM, NULL},
	{"MEMORY.FRAGMENTATION", "memory/fragmentation/ratio ? only values between steps", UNCHECKED, "between steps"},

	{"MEMORY.RANK_IMBALANCE",
	 WORLD "ranks/rank 0/peak_bytes = 100; ranks/rank 2/peak_bytes = 100; ranks/rank 1/peak_bytes = 140; "
	       "memory/capacity/device_bytes = 467", PASSES, NULL},
	{"MEMORY.RANK_IMBALANCE",
	 WORLD "ranks/rank 0/peak_bytes = 121; ranks/rank 1/peak_bytes = 100; ranks/rank 2/peak_bytes = 100", MEDIUM, "of rank 0,"},
	{"MEMORY.RANK_IMBALANCE",
	 WORLD "ranks/rank 0/peak_bytes = 100; ranks/rank 1/peak_bytes = 100; ranks/rank 2/peak_bytes = 120; "
	       "memory/capacity/device_bytes = 400", MEDIUM, NULL},
	{"MEMORY.RANK_IMBALANCE",
	 WORLD "ranks/rank 0/peak_bytes = 100; ranks/rank 1/peak_bytes = 100; ranks/rank 2/peak_bytes = 119", PASSES, NULL},
	{"MEMORY.RANK_IMBALANCE",
	 WORLD "ranks/rank 0/peak_bytes = 100; ranks/rank 1/peak_bytes = 100; ranks/rank 2/peak_bytes = 121", MEDIUM,
	 "The memory peak of rank 2, 121 B, is 21 % above"},
	{"MEMORY.RANK_IMBALANCE",
	 WORLD "ranks/rank 0/peak_bytes = 100; ranks/rank 1/peak_bytes = 100; ranks/rank 2/peak_bytes = 121; "
	 "memory/capacity/device_bytes = 404",
	 PASSES, NULL},
	{"MEMORY.RANK_IMBALANCE", WORLD "ranks/rank 0/peak_bytes = 100", UNCHECKED, "fewer than two ranks"},

	{"MEMORY.OUT_OF_MEMORY", LEFT("100", "899"), HIGH,
	 "A request of 1000 B was refused: 100 B were free in segments that could have served it, the device had 899 B left, and even "
	 "in one piece that is 1 B too little"},
	{"MEMORY.OUT_OF_MEMORY", LEFT("999", "0"), HIGH, "even in one piece that is 1 B too little"},
	{"MEMORY.OUT_OF_MEMORY", LEFT("1000", "0"), PASSES, NULL},
	{"MEMORY.OUT_OF_MEMORY", LEFT("100", "900"), PASSES, NULL},
	{"MEMORY.OUT_OF_MEMORY", LEFT("100", "1000"), HIGH, "although the device had 1000 B left: by a limit on the process"},
	{"MEMORY.OUT_OF_MEMORY", SNAPSHOT "snapshot/refused/requests_count = 0", PASSES, NULL},
	{"MEMORY.OUT_OF_MEMORY", SNAPSHOT "snapshot/refused/requests_count ? no history", UNCHECKED, "no history"},
	{"MEMORY.OUT_OF_MEMORY", "", APPLIES_NOT, NULL},
	{"MEMORY.OOM_FRAGMENTED", LEFT("1000", "5"), HIGH,
	 "although 1000 B were free in segments that could have served it and the device had 5 B left: the largest gap has 10 B"},
	{"MEMORY.OOM_FRAGMENTED", LEFT("100", "900"), HIGH, NULL},
	{"MEMORY.OOM_FRAGMENTED", LEFT("100", "899"), PASSES, NULL},
	{"MEMORY.OOM_FRAGMENTED", LEFT("100", "1000"), PASSES, NULL},
	{"MEMORY.OOM_FRAGMENTED",
	 SNAPSHOT "snapshot/refused/requests_count = 1; snapshot/refused/requested_bytes = 5; snapshot/refused/free_bytes ? too late",
	 UNCHECKED, "too late"},

	{"MEMORY.HEADROOM", CAPACITY("80e9", "2e9"), PASSES, NULL},
	{"MEMORY.HEADROOM", CAPACITY("80e9", "1.999e9"), MEDIUM, "1.86 GiB of the 74.5 GiB that the device has were never reserved"},
	{"MEMORY.HEADROOM", CAPACITY("80e9", "1e9"), MEDIUM, NULL},
	{"MEMORY.HEADROOM", CAPACITY("80e9", "0.999e9"), HIGH, NULL},
	{"MEMORY.HEADROOM", CAPACITY("4e9", "1e9"), MEDIUM, NULL},
	{"MEMORY.HEADROOM", CAPACITY("3.9e9", "1e9"), PASSES, NULL}, /* a quarter is left */
	{"MEMORY.HEADROOM", CAPACITY("1024", "-1024"), HIGH,
	 "2 KiB were reserved, more than the 1 KiB that the device is said to have"},
	{"MEMORY.HEADROOM", SNAPSHOT "snapshot/capacity/headroom_bytes ? not said", UNCHECKED, "not said"},

	{"MEMORY.FRAGMENTS", STUCK("1073741824", "0.0999"), PASSES, NULL},
	{"MEMORY.FRAGMENTS", STUCK("1073741823", "0.5"), PASSES, NULL},
	{"MEMORY.FRAGMENTS", STUCK("1073741824", "0.1"), LOW, "10 % of the reserved memory, 3 KiB,"},
	{"MEMORY.FRAGMENTS", STUCK("1073741824", "0.2") "; snapshot/free/expandable_ratio = 0.9", MEDIUM, "expandable already"},
	{"MEMORY.FRAGMENTS", STUCK("1073741824", "0.2") "; snapshot/free/in_private_pools_bytes = 1536", MEDIUM,
	 "between blocks in use"},
	{"MEMORY.FRAGMENTS", STUCK("1073741824", "0.2") "; snapshot/free/in_private_pools_bytes = 1537", MEDIUM, "in private pools"},
	{"MEMORY.FRAGMENTS", STUCK("1073741824", "nan"), UNCHECKED, "not finite"},

	{"MEMORY.EMPTIED", "", APPLIES_NOT, NULL},
	{"MEMORY.EMPTIED", SNAPSHOT "snapshot/peak/reserved_bytes = 1048576; snapshot/allocator/emptied_bytes = 2097151", PASSES, NULL},
	{"MEMORY.EMPTIED", SNAPSHOT "snapshot/peak/reserved_bytes = 1048576; snapshot/allocator/emptied_bytes = 2097152", LOW,
	 "2 MiB were given back to the device in all although no request needed it: 2 times the most"},
	{"MEMORY.EMPTIED", SNAPSHOT "snapshot/allocator/emptied_bytes ? no history", UNCHECKED, "no history"},
	{"MEMORY.RETRIES", SNAPSHOT "snapshot/allocator/retries_count = 0; snapshot/allocator/retried_bytes = 0", PASSES, NULL},
	{"MEMORY.RETRIES", SNAPSHOT "snapshot/allocator/retries_count = 9; snapshot/allocator/retried_bytes = 1024", MEDIUM,
	 "In 9 requests the allocator gave 1 KiB back"},
	{"MEMORY.RETRIES", SNAPSHOT "snapshot/allocator/retries_count = 10; snapshot/allocator/retried_bytes = 1024", HIGH, NULL},
	{"MEMORY.RETRIES", SNAPSHOT "snapshot/allocator/retries_count ? no history", UNCHECKED, "no history"},

	{"MEMORY.CARRIED", CARRIED("0.0099"), PASSES, NULL},
	{"MEMORY.CARRIED", CARRIED("0.01"), LOW, "2 KiB, 1.0 % of the peak, outlived two steps"},
	{"MEMORY.CARRIED", CARRIED("0.1"), MEDIUM, "asked for by remember (plots.py:9)"},
	{"MEMORY.CARRIED", SNAPSHOT "snapshot/carried/held_ratio ? fewer than two ends of steps", UNCHECKED, "fewer than two"},

	{"MEMORY.GRADIENTS_KEPT", GRADIENTS("forward", "0.0999"), PASSES, NULL},
	{"MEMORY.GRADIENTS_KEPT", GRADIENTS("backward", "0.3"), PASSES, NULL},
	{"MEMORY.GRADIENTS_KEPT", GRADIENTS("forward", "0.1"), LOW, "gradients of the step before hold 10 % of it, 4 KiB"},
	{"MEMORY.GRADIENTS_KEPT", GRADIENTS("forward", "0.2"), MEDIUM, NULL},
	{"MEMORY.GRADIENTS_KEPT", SNAPSHOT, UNCHECKED, "nothing recorded gives a figure"},
	{"MEMORY.OPTIMIZER_STATE", SNAPSHOT "snapshot/optimizer state/at_peak_bytes = 1; "
	 "snapshot/optimizer state/at_peak_ratio = 0.3999", PASSES, NULL},
	{"MEMORY.OPTIMIZER_STATE", SNAPSHOT "snapshot/optimizer state/at_peak_bytes = 1; "
	 "snapshot/optimizer state/at_peak_ratio = 0.4", LOW, "40 % of the peak, 1 B"},
	{"MEMORY.OPTIMIZER_STATE", SNAPSHOT, UNCHECKED, "nothing recorded gives a figure"},

	{"MEMORY.CHURN", CHURN("100", "300", "600"), LOW,
	 "f (a.py:1) asked for 300 B in all, 3 times the peak and 50 % of all requests"},
	{"MEMORY.CHURN", CHURN("100", "299", "500"), PASSES, NULL},
	{"MEMORY.CHURN", CHURN("100", "300", "601"), PASSES, NULL},
	{"MEMORY.CHURN", CHURN("100", "0", "0"), PASSES, NULL},
	{"MEMORY.CHURN", SNAPSHOT "snapshot/churn/requested_bytes ? no history", UNCHECKED, "no history"},

	{"MACHINE.GPU_THROTTLED", "", APPLIES_NOT, NULL},
	{"MACHINE.GPU_THROTTLED", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.GPU_THROTTLED", FEW "machine/gpu 2/busy_ratio = 0.9", UNCHECKED, "only 29 observations, and the rule needs 30"},
	{"MACHINE.GPU_THROTTLED", "machine/observations/count ? cut off", UNCHECKED, "cut off"},
	{"MACHINE.GPU_THROTTLED", GPU "machine/gpu 2/held_by_heat_ratio = 0.0499", PASSES, NULL},
	{"MACHINE.GPU_THROTTLED", GPU "machine/gpu 2/held_by_power_ratio = 1", PASSES, NULL},
	{"MACHINE.GPU_THROTTLED",
	 GPU "machine/gpu 2/held_by_heat_ratio = 0.05; machine/gpu 3/held_by_heat_ratio = 0.19; machine/gpu 3/temperature_c = 89",
	 MEDIUM, "clock of GPU 3 was held by heat for 19 % of the time, and those of 1 GPU more; at work it had 89 degrees"},
	{"MACHINE.GPU_THROTTLED",
	 GPU "machine/gpu 2/held_by_others_ratio = 0.2; machine/gpu 2/clock_mhz = 1100; machine/gpu 2/clock_limit_mhz = 1980",
	 HIGH, "power brake, sync boost) for 20 % of the time; its clock was 1100 MHz of 1980"},
	{"MACHINE.GPU_POWER_LIMIT", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.GPU_POWER_LIMIT", LIMIT("0.0999", "300"), PASSES, NULL},
	{"MACHINE.GPU_POWER_LIMIT", LIMIT("0.9", "381"), PASSES, NULL},
	{"MACHINE.GPU_POWER_LIMIT", GPU "machine/gpu 2/held_by_power_ratio = 1; machine/gpu 2/power_limit_w = 300", PASSES, NULL},
	{"MACHINE.GPU_POWER_LIMIT", LIMIT("0.1", "380"), MEDIUM, NULL},
	{"MACHINE.GPU_POWER_LIMIT", LIMIT("0.5", "300"), MEDIUM,
	 "GPU 2 was held by its limit of power for 50 % of the time; the limit is 300 W, and its maker set 400 W"},
	{"MACHINE.GPU_SLOWER", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.GPU_SLOWER", GPU "machine/gpu 2/clock_below_peers_ratio = 0.0699", PASSES, NULL},
	{"MACHINE.GPU_SLOWER", GPU "machine/gpu 2/clock_below_peers_ratio = 0.07", MEDIUM, "GPU 2 at work is 7.0 % below"},
	{"MACHINE.GPU_SLOWER",
	 GPU "machine/gpu 2/clock_below_peers_ratio = 0.2; machine/gpu 2/power_limit_w = 300; "
	 "machine/gpu 2/peers_power_limit_w = 400",
	 HIGH, "its limit of power is 300 W, and theirs 400 W"},
	{"MACHINE.GPU_HOTTER", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.GPU_HOTTER", HOTTER("17.9", "85"), PASSES, NULL},
	{"MACHINE.GPU_HOTTER", HOTTER("18", "77"), PASSES, NULL},
	{"MACHINE.GPU_HOTTER", HOTTER("18", "78"), LOW, "GPU 2 has 78 degrees Celsius at work, 18 more than"},
	{"MACHINE.GPU_ERROR", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.GPU_ERROR", GPU "machine/gpu 2/xid = 0; machine/gpu 2/uncorrected_errors_count = 0", PASSES, NULL},
	{"MACHINE.GPU_ERROR", GPU "machine/gpu 2/xid = 31", MEDIUM, "error 31 (Xid) of GPU 2"},
	{"MACHINE.GPU_ERROR", GPU "machine/gpu 2/uncorrected_errors_count = 2; machine/gpu 1/xid = 95", HIGH,
	 "error 95 (Xid) of GPU 1; and GPU 2 had 2 errors of memory"},
	{"MACHINE.TINY_KERNELS", GPU, APPLIES_NOT, NULL},
	{"MACHINE.TINY_KERNELS", TINY("0.61", "5e-6", "60000"), PASSES, NULL},
	{"MACHINE.TINY_KERNELS", TINY("0.6", "21e-6", "60000"), PASSES, NULL},
	{"MACHINE.TINY_KERNELS", TINY("0.6", "5e-6", "19999"), PASSES, NULL},
	{"MACHINE.TINY_KERNELS",
	 TINY("0.6", "5e-6", "20000"), MEDIUM,
	 "busy for 60 % of the time, and by the trace a kernel takes 5.00 µs while 10,000 kernels are launched"},
	{"MACHINE.WORKERS_BUSY", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.WORKERS_BUSY", WORKERS("0.89", "0") DATA("0.5"), PASSES, NULL},
	{"MACHINE.WORKERS_BUSY", WORKERS("0.9", "0") DATA("0.0999"), PASSES, NULL},
	{"MACHINE.WORKERS_BUSY", OBSERVED "machine/workers/mean = 0", PASSES, NULL},
	{"MACHINE.WORKERS_BUSY",
	 WORKERS("0.9", "0") DATA("0.1"), MEDIUM, "compute for 90 % of their time, 4 of them; steps wait for data for 10 %"},
	{"MACHINE.WORKERS_BUSY", WORKERS("1", "0") DATA("0.4"), HIGH, NULL},
	{"MACHINE.WORKERS_BUSY", WORKERS("1", "0"), LOW, "was not recorded"},
	{"MACHINE.WORKERS_BLOCKED", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.WORKERS_BLOCKED", WORKERS("0.5", "0.299") DATA("0.5"), PASSES, NULL},
	{"MACHINE.WORKERS_BLOCKED", WORKERS("0.5", "0.3") DATA("0.09"), PASSES, NULL},
	{"MACHINE.WORKERS_BLOCKED",
	 WORKERS("0.5", "0.3") DATA("0.1"), MEDIUM, "blocked by a disk or a network file system for 30 %"},
	{"MACHINE.WORKERS_BLOCKED", WORKERS("0.5", "0.3") DATA("0.4"), HIGH, NULL},
	{"MACHINE.WORKERS_BLOCKED", WORKERS("0.5", "0.3"), LOW, NULL},
	{"MACHINE.THREADS", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.THREADS", READY("7.9", "9"), PASSES, NULL},
	{"MACHINE.THREADS", READY("9", "4"), PASSES, NULL},
	{"MACHINE.THREADS", READY("8", "5"), LOW, "8 threads of the training could run at the same time, and it may use 4 cores"},
	{"MACHINE.THREADS", READY("8", "5") "; machine/cores/held_by_quota_ratio = 0.05", MEDIUM, "held it for 5.0 %"},
	{"MACHINE.CPU_QUOTA", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.CPU_QUOTA", OBSERVED "machine/cores/held_by_quota_ratio = 0.099", PASSES, NULL},
	{"MACHINE.CPU_QUOTA",
	 OBSERVED "machine/cores/held_by_quota_ratio = 0.1; machine/cores/allowed = 4", MEDIUM, "may use 4 cores"},
	{"MACHINE.CPU_QUOTA", OBSERVED "machine/cores/held_by_quota_ratio = 0.3", HIGH, NULL},
	{"MACHINE.MEMORY_GROWS", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.MEMORY_GROWS", CLIMBS("99e6", "600", "5", "1"), PASSES, NULL},
	{"MACHINE.MEMORY_GROWS", CLIMBS("1e8", "599", "5", "1"), PASSES, NULL},
	{"MACHINE.MEMORY_GROWS", CLIMBS("1e8", "600", "4", "1"), PASSES, NULL},
	{"MACHINE.MEMORY_GROWS", CLIMBS("1e8", "600", "5", "0.49"), PASSES, NULL},
	{"MACHINE.MEMORY_GROWS",
	 CLIMBS("1e8", "600", "5", "0.5"), LOW, "The memory of the machine grows by 572 MiB an hour, all the time"},
	{"MACHINE.MEMORY_GROWS",
	 CLIMBS("36e7", "3600", "5", "1") "; machine/memory/most_bytes = 3e9; machine/memory/limit_bytes = 6.6e9", HIGH,
	 "the limit of 6.15 GiB is reached after 10"},
	{"MACHINE.MEMORY_GROWS",
	 CLIMBS("36e7", "3600", "5", "1") "; machine/memory/most_bytes = 3e9; machine/memory/limit_bytes = 33e9", MEDIUM, NULL},
	{"MACHINE.SWAPPING", OBSERVED, APPLIES_NOT, NULL},
	{"MACHINE.SWAPPING", OBSERVED "machine/swap/time_ratio = 0.049; machine/swap/pages_per_s = 9000", PASSES, NULL},
	{"MACHINE.SWAPPING",
	 OBSERVED "machine/swap/time_ratio = 0.05; machine/swap/pages_per_s = 50",
	 MEDIUM, "swapped during 5.0 % of the time, 50 pages"},
	{"MACHINE.SWAPPING",
	 OBSERVED "machine/swap/time_ratio = 0.5; machine/swap/pages_per_s = 50; machine/pressure/memory_ratio = 0.1", HIGH, NULL},
	{"MACHINE.NEIGHBOURS", "", APPLIES_NOT, NULL},
	{"MACHINE.NEIGHBOURS", "machine/observations/count = 9; ", UNCHECKED, NULL},
	{"MACHINE.NEIGHBOURS", OBSERVED "machine/cores/stolen_ratio = 0.049", PASSES, NULL},
	{"MACHINE.NEIGHBOURS", OBSERVED "machine/cores/stolen_ratio = 0.05", MEDIUM, "gave 5.0 % of its time to others"},
	{"MACHINE.NEIGHBOURS", OBSERVED "machine/cores/stolen_ratio = 0.15", HIGH, NULL},
	{"MACHINE.NEIGHBOURS", CROWD("8.4", "0.9"), PASSES, NULL},
	{"MACHINE.NEIGHBOURS", CROWD("8.5", "0.19"), PASSES, NULL},
	{"MACHINE.NEIGHBOURS",
	 CROWD("8.5", "0.2"), MEDIUM, "used 2 cores, none was left, and some process waited for a core during 20 %"},
	{"MACHINE.NEIGHBOURS", CROWD("8.5", "0.9") "; machine/cores/held_by_quota_ratio = 0.1", PASSES, NULL},
	{"MACHINE.NEIGHBOURS",
	 CROWD("8.5", "0.9") "; machine/cores/allowed = 10; machine/threads/ready = 20; machine/threads/looks_count = 5",
	 PASSES, NULL},
};

struct state {
	struct ts_arena arena;
	struct ts_measures m;
	struct ts_events events;
	struct ts_findings f;
};

static void ask(struct state *s, const char *rows, const struct ts_policy *policy)
{
	struct ts_error err;

	test_rows(&s->m, &s->arena, rows);
	assert_int_equal(ts_findings_check(&s->m, &s->events, NULL, 0, policy, &s->arena, &s->f, &err), TS_OK);
}

static const struct ts_finding *finding(const struct state *s, const char *code)
{
	for (size_t i = 0; i < s->f.n; i++)
		if (ts_span_is(s->f.items[i].code, code))
			return &s->f.items[i];
	return NULL;
}

static const struct ts_unchecked *unchecked(const struct state *s, const char *code)
{
	for (size_t i = 0; i < s->f.n_unchecked; i++)
		if (ts_span_is(s->f.unchecked[i].code, code))
			return &s->f.unchecked[i];
	return NULL;
}

static bool holds(struct ts_span text, const char *part)
{
	return memmem(text.data, text.len, part, strlen(part)) != NULL;
}

static void begin(struct state *s)
{
	memset(s, 0, sizeof *s);
	ts_arena_init(&s->arena, 16 << 20);
}

static void edges_of_every_rule(void **state)
{
	static const enum answer of_severity[] = {PASSES, LOW, MEDIUM, HIGH};
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rule_case *c = &cases[i];
		const struct ts_finding *f;
		const struct ts_unchecked *u;
		struct state s;
		enum answer got;
		struct ts_span said;

		begin(&s);
		ask(&s, c->rows, NULL);
		f = finding(&s, c->code);
		u = unchecked(&s, c->code);
		got = f ? of_severity[f->severity] : u ? UNCHECKED : PASSES;
		said = f ? f->detail : u ? u->reason : ts_span_str("");
		/* A rule that does not apply looks like one that passes; only DIST and pipeline rules may end so,
		 * those on snapshots, and RECOVERABLE. */
		if (got != (c->want == APPLIES_NOT ? PASSES : c->want) || (c->has && !holds(said, c->has))) {
			print_error("%s on \"%s\": %d, not %d: %.*s\n", c->code, c->rows, (int)got, (int)c->want,
				    TS_SPAN_ARG(said));
			wrong++;
		}
		if (f && (f->n_evidence == 0 || !f->title.len || !f->advice.len || f->detail.data[f->detail.len - 1] != '.'))
			wrong++;
		ts_arena_finish(&s.arena);
	}
	assert_int_equal(wrong, 0);
}

/* Every rule of the table has a case that fires, one that passes, and one in which it is unchecked or does not
 * apply. */
static void no_rule_without_cases(void **state)
{
	static const char *const by_events[] = {"CONVERGENCE.BLOW_UP", "CONVERGENCE.LEVEL_SHIFT"};

	(void)state;
	for (size_t i = 0; i < ts_rules_n; i++) {
		const char *code = ts_rules[i].code;
		bool fires = false, passes = false, neither = false;

		for (size_t k = 0; k < sizeof by_events / sizeof by_events[0]; k++)
			if (strcmp(code, by_events[k]) == 0)
				fires = passes = neither = true;
		for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
			if (strcmp(cases[k].code, code) != 0)
				continue;
			fires |= cases[k].want >= LOW && cases[k].want <= HIGH;
			passes |= cases[k].want == PASSES;
			neither |= cases[k].want >= UNCHECKED;
		}
		if (strcmp(code, "CONVERGENCE.NONFINITE") == 0)
			neither = true; /* the rule looks at all series that exist */
		if (!fires || !passes || !neither)
			fail_msg("%s lacks a case: fires %d, passes %d, neither %d", code, fires, passes, neither);
	}
}

static void event(struct state *s, enum ts_event_kind kind, const char *group, const char *subject, int64_t step, double value,
		  double expected)
{
	struct ts_event e = {.kind = kind,
			     .group = ts_span_str(group),
			     .subject = ts_span_str(subject),
			     .first_step = step,
			     .last_step = step,
			     .value = value,
			     .expected = expected,
			     .score = 10};

	assert_true(ts_event_add(&s->events, &s->arena, &e));
}

static int severity_at(const char *code, const char *group, const char *subject, const char *rows, double value)
{
	const struct ts_finding *f;
	struct state s;
	int severity;

	begin(&s);
	event(&s, TS_EVENT_SHIFT, group, subject, 400, value, 100);
	ask(&s, rows, NULL);
	f = finding(&s, code);
	severity = f ? (int)f->severity : 0;
	ts_arena_finish(&s.arena);
	return severity;
}

static int loss_shift_to(double value)
{
	return severity_at("CONVERGENCE.LEVEL_SHIFT", "convergence", "loss", LOSS "convergence/loss/shifts_count = 1", value);
}

/* The level before each shift is 100. */
static void edges_of_shifts(void **state)
{
	(void)state;
	assert_int_equal(loss_shift_to(101.99), 0);
	assert_int_equal(loss_shift_to(102), TS_SEVERITY_MEDIUM);
}

static void the_loss_by_its_events(void **state)
{
	const struct ts_finding *f;
	struct state s;

	(void)state;
	begin(&s);
	event(&s, TS_EVENT_SHIFT, "convergence", "loss", 100, 1.5, 2.0); /* a lower loss is no problem */
	event(&s, TS_EVENT_SHIFT, "convergence", "loss", 150, 1.52, 1.5);
	event(&s, TS_EVENT_SHIFT, "convergence", "loss", 200, 1.6, 1.5);
	event(&s, TS_EVENT_BLOW_UP, "convergence", "val_loss", 300, 1e5, 2);
	ask(&s, LOSS "convergence/loss/shifts_count = 2", NULL);
	f = finding(&s, "CONVERGENCE.LEVEL_SHIFT");
	assert_non_null(f);
	assert_int_equal(f->severity, TS_SEVERITY_MEDIUM);
	assert_int_equal(f->first_step, 200);
	assert_true(holds(f->detail, "loss rose by 6.7 % at step 200, from 1.5 to 1.6"));
	assert_null(finding(&s, "CONVERGENCE.BLOW_UP"));
	assert_null(unchecked(&s, "CONVERGENCE.BLOW_UP"));
	ts_arena_finish(&s.arena);

	begin(&s);
	event(&s, TS_EVENT_BLOW_UP, "convergence", "loss", 300, 1e5, 2);
	ask(&s, LOSS, NULL);
	f = finding(&s, "CONVERGENCE.BLOW_UP");
	assert_non_null(f);
	assert_int_equal(f->severity, TS_SEVERITY_HIGH);
	assert_true(holds(f->detail, "step 300"));
	assert_true(holds(f->detail, "it reached 1e+05, and its usual value was 2"));
	ts_arena_finish(&s.arena);

	begin(&s);
	event(&s, TS_EVENT_SHIFT, "convergence", "loss", 200, 1.529, 1.5); /* 1.9 % */
	ask(&s, LOSS "convergence/loss/shifts_count = 1", NULL);
	assert_null(finding(&s, "CONVERGENCE.LEVEL_SHIFT"));
	ts_arena_finish(&s.arena);

	begin(&s);
	ask(&s, "", NULL);
	assert_non_null(unchecked(&s, "CONVERGENCE.BLOW_UP"));
	assert_non_null(unchecked(&s, "CONVERGENCE.LEVEL_SHIFT"));
	ts_arena_finish(&s.arena);
}

static void several_stragglers_are_one_finding(void **state)
{
	const struct ts_finding *f;
	struct state s;

	(void)state;
	begin(&s);
	ask(&s, WORLD "ranks/all/lost_ratio = 0.05; ranks/rank 12/slowdown_ratio = 0.1; ranks/rank 12/straggler = 'periodic'; "
		      "ranks/rank 12 backward/straggler = 'persistent'; ranks/rank 7/slowdown_ratio = 0.2; "
		      "ranks/rank 7/straggler = 'persistent'",
	    NULL);
	f = finding(&s, "DIST.STRAGGLER");
	assert_non_null(f);
	assert_int_equal(f->severity, TS_SEVERITY_MEDIUM);
	assert_int_equal(f->n_ranks, 2);
	assert_int_equal(f->ranks[0], 7);
	assert_int_equal(f->ranks[1], 12);
	assert_true(holds(f->detail, "wait for ranks 7 and 12, which are up to 20 % slower (in different ways)"));
	ts_arena_finish(&s.arena);
}

/* Asks about ranks 0, 1, ..., of which each has its own rows. The rows of the answer are those of rank 0. */
static void ask_each(struct state *s, const char *const *rows, size_t n)
{
	struct ts_rank_rows *ranks = ts_arena_array(&s->arena, n, sizeof *ranks);
	struct ts_error err;

	assert_non_null(ranks);
	for (size_t i = 0; i < n; i++) {
		ranks[i] = (struct ts_rank_rows){.rank = (int32_t)i, .events = s->events};
		test_rows(&ranks[i].measures, &s->arena, rows[i]);
	}
	test_rows(&s->m, &s->arena, rows[0]);
	test_rows(&s->m, &s->arena, "ranks/all/mode = 'hidden in backward'");
	assert_int_equal(ts_findings_check(&s->m, &s->events, ranks, n, NULL, &s->arena, &s->f, &err), TS_OK);
}

/* Of three ranks two have traces, and one of those exposes communication. */
static void traces_of_some_ranks(void **state)
{
	const struct ts_finding *f;
	const struct ts_unchecked *u;
	struct state s;

	(void)state;
	begin(&s);
	ask_each(&s, (const char *const[]){WORLD TRACE(exposed_communication, "0.01"), "", TRACE(exposed_communication, "0.2")}, 3);
	f = finding(&s, "DIST.EXPOSED_COMM");
	assert_non_null(f);
	assert_int_equal(f->severity, TS_SEVERITY_HIGH);
	assert_int_equal(f->n_ranks, 1);
	assert_int_equal(f->rank, 2);
	assert_true(holds(f->detail, "Only rank 2 shows this; 1 other rank does not, and 1 could not be checked."));
	u = unchecked(&s, "DIST.EXPOSED_COMM");
	assert_non_null(u);
	assert_int_equal(u->n_ranks, 1);
	assert_int_equal(u->ranks[0], 1);
	/* A rank without a trace is no rank that was not checked: there is nothing to look at. */
	assert_null(finding(&s, "TRACE.COPIES"));
	u = unchecked(&s, "TRACE.COPIES");
	assert_true(!u || u->n_ranks == 2);
	ts_arena_finish(&s.arena);
}

static void each_rank_is_asked(void **state)
{
	static const char fine[] = "convergence/loss/count = 100; timing/data/share_ratio = 0.1; timing/data/mean_s = 1; "
				   "timing/forward/mean_s = 1; timing/backward/mean_s = 9";
	static const char *const late_nan = "convergence/loss/count = 100; convergence/loss/nonfinite_count = 9; "
					    "convergence/loss/first_nonfinite_step = 91; timing/data/share_ratio = 0.3; "
					    "timing/data/mean_s = 1";
	static const char *const early_nan = "convergence/loss/count = 100; convergence/loss/nonfinite_count = 40; "
					     "convergence/loss/first_nonfinite_step = 60; timing/data/share_ratio = 0.5; "
					     "timing/data/mean_s = 2";
	const struct ts_finding *f;
	const struct ts_unchecked *u;
	struct state s;

	(void)state;
	/* On one rank alone, which is not the rank in view. */
	begin(&s);
	ask_each(&s, (const char *const[]){fine, fine, early_nan, fine}, 4);
	f = finding(&s, "CONVERGENCE.DIVERGED");
	assert_non_null(f);
	assert_int_equal(f->severity, TS_SEVERITY_HIGH);
	assert_int_equal(f->n_ranks, 1);
	assert_int_equal(f->ranks[0], 2);
	assert_true(f->has_rank && f->rank == 2);
	assert_int_equal(f->first_step, 60);
	assert_true(holds(f->detail, "step 60. Only rank 2 shows this; the other 3 ranks do not."));
	/* A rule on one rank finds rows of the job, too. */
	u = unchecked(&s, "TIMING.BACKWARD_HEAVY");
	assert_non_null(u);
	assert_true(holds(u->reason, "includes the wait for other ranks"));
	assert_null(finding(&s, "TIMING.BACKWARD_HEAVY"));
	ts_arena_finish(&s.arena);

	/* On several ranks: one finding each, with the numbers of the worst; of NaN, of the first. */
	begin(&s);
	ask_each(&s, (const char *const[]){fine, late_nan, early_nan, "timing/step/count = 3"}, 4);
	f = finding(&s, "CONVERGENCE.DIVERGED");
	assert_non_null(f);
	assert_int_equal(f->rank, 2);
	assert_true(holds(f->detail, "These are the numbers of rank 2; of 4 ranks, ranks 1 and 2 show this; 1 other rank does "
				     "not, and 1 could not be checked."));
	f = finding(&s, "TIMING.DATALOADER_BOUND");
	assert_non_null(f);
	assert_int_equal(f->severity, TS_SEVERITY_HIGH); /* 50 % on rank 2, 30 % on rank 1 */
	assert_int_equal(f->n_ranks, 2);
	assert_int_equal(f->rank, 2);
	assert_true(holds(f->detail, "takes 50 % of a step"));
	u = unchecked(&s, "CONVERGENCE.DIVERGED");
	assert_non_null(u);
	assert_int_equal(u->n_ranks, 1);
	assert_int_equal(u->ranks[0], 3);
	u = unchecked(&s, "MEMORY.GROWTH"); /* no rank has it */
	assert_non_null(u);
	assert_int_equal(u->n_ranks, 0);
	ts_arena_finish(&s.arena);

	begin(&s);
	ask_each(&s, (const char *const[]){late_nan, late_nan}, 2);
	f = finding(&s, "CONVERGENCE.DIVERGED");
	assert_non_null(f);
	assert_int_equal(f->rank, 0);
	assert_true(holds(f->detail, "These are the numbers of rank 0; all 2 ranks show this."));
	ts_arena_finish(&s.arena);

	/* The loss is often recorded on one rank alone. */
	begin(&s);
	ask_each(&s, (const char *const[]){late_nan, "timing/step/count = 3", "timing/step/count = 3"}, 3);
	f = finding(&s, "CONVERGENCE.DIVERGED");
	assert_non_null(f);
	assert_true(holds(f->detail, "This is rank 0; the other 2 ranks could not be checked."));
	assert_null(finding(&s, "CONVERGENCE.BLOW_UP"));
	u = unchecked(&s, "CONVERGENCE.BLOW_UP");
	assert_non_null(u);
	assert_int_equal(u->n_ranks, 2);
	ts_arena_finish(&s.arena);
}

/* Of 8 ranks, p = 0.008 on one is what chance gives one clean run in 16; on all of them, or p = 0.001 on one, is not. */
static void many_ranks_are_many_chances(void **state)
{
#define GROWS(p) "memory/growth/slope_bytes_per_step = 1000; memory/growth/p_value = " p "; memory/peak_alloc/peak_bytes = 1e8; " \
		 "memory/growth/total_bytes = 1e7"
	static const struct {
		const char *first, *second, *others;
		size_t named;
	} some[] = {
		{GROWS("0.008"), GROWS("0.5"), GROWS("0.5"), 0},
		{GROWS("0.001"), GROWS("0.5"), GROWS("0.5"), 1},
		{GROWS("0.008"), GROWS("0.008"), GROWS("0.008"), 8},
		/* The second of 8 needs 0.01 x 2/8. */
		{GROWS("0.001"), GROWS("0.0025"), GROWS("0.5"), 2},
		{GROWS("0.001"), GROWS("0.0026"), GROWS("0.5"), 1},
		{GROWS("0.0024"), GROWS("0.0024"), GROWS("0.5"), 2},
	};
	struct state s;

	(void)state;
	for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
		const char *rows[8] = {some[i].first, some[i].second};
		const struct ts_finding *f;

		for (size_t k = 2; k < 8; k++)
			rows[k] = some[i].others;
		begin(&s);
		ask_each(&s, rows, 8);
		f = finding(&s, "MEMORY.GROWTH");
		assert_int_equal(f ? f->n_ranks : 0, some[i].named);
		ts_arena_finish(&s.arena);
	}
}

/* Ranges of three or more ranks are printed as "1 to 3"; two ranks are named one by one. */
static void ranks_as_a_sentence_names_them(void **state)
{
	const struct ts_finding *f;
	char row[128];
	struct state s;

	(void)state;
	begin(&s);
	test_rows(&s.m, &s.arena, "ranks/all/present_count = 99; ranks/rank 0/straggler = 'late'");
	for (int rank = 9; rank <= 30; rank++) {
		if (rank == 12 || rank == 15 || (rank > 15 && rank % 2))
			continue;
		(void)snprintf(row, sizeof row, "ranks/rank %d/straggler = 'late'", rank);
		test_rows(&s.m, &s.arena, row);
	}
	ask(&s, "ranks/rank 99999999999/straggler = 'late'; ranks/rank 2147483648/straggler = 'late'", NULL);
	f = finding(&s, "DIST.STRAGGLER");
	assert_non_null(f);
	assert_int_equal(f->n_ranks, 14); /* 0, 9 to 11, 13, 14, and the even ones from 16 to 30 */
	assert_true(holds(f->detail, "The other ranks wait for ranks 0, 9 to 11, 13, 14, 16, 18, 20, 22 and 4 more (late)."));
	ts_arena_finish(&s.arena);
}

static void coincidences_are_one_finding(void **state)
{
	const struct ts_finding *f;
	struct state s;

	(void)state;
	begin(&s);
	for (int i = 0; i < 5; i++)
		event(&s, TS_EVENT_COINCIDENCE, "cross", "grad_norm, loss", 100 * i, 9, (double)NAN);
	s.events.items[3].score = 11;
	ask(&s, "cross/coincidences/significant_count = 5; cross/coincidences/p_value = 0.002", NULL);
	f = finding(&s, "CROSS.CORRELATED_INSTABILITY");
	assert_non_null(f);
	assert_int_equal(f->first_step, 300); /* the strongest one */
	assert_true(holds(f->detail, "together in 5 places: "));
	assert_true(holds(f->detail, ": step 0 (grad_norm, loss); step 100 (grad_norm, loss); "
	 "step 200 (grad_norm, loss); and 2 more. Independent"));
	ts_arena_finish(&s.arena);
}

static void three_coincidences_are_all_named(void **state)
{
	const struct ts_finding *f;
	struct state s;

	(void)state;
	begin(&s);
	for (int i = 0; i < 3; i++)
		event(&s, TS_EVENT_COINCIDENCE, "cross", "loss, memory", 10 * i, 9, 1);
	s.events.items[1].score = 11;
	ask(&s, "cross/coincidences/significant_count = 3; cross/coincidences/p_value = 0.002", NULL);
	f = finding(&s, "CROSS.CORRELATED_INSTABILITY");
	assert_non_null(f);
	assert_int_equal(f->first_step, 10);
	assert_true(holds(f->detail, "step 20 (loss, memory). Independent"));
	ts_arena_finish(&s.arena);
}

static void the_strongest_spike_is_named(void **state)
{
	const struct ts_finding *f;
	struct state s;

	(void)state;
	begin(&s);
	for (int i = 0; i < 3; i++)
		event(&s, TS_EVENT_SPIKE, "convergence", "loss", 10 * i, 5 + i, 1);
	s.events.items[1].score = 11;
	ask(&s, LOSS "convergence/loss/spikes_count = 3", NULL);
	f = finding(&s, "CONVERGENCE.SPIKES");
	assert_non_null(f);
	assert_int_equal(f->first_step, 10);
	assert_true(holds(f->detail, "loss has 3 spikes; the strongest one, at step 10, reaches 6, and the usual value is 1."));
	ts_arena_finish(&s.arena);
}

/* Findings are sorted most severe first, then in the order of the table; the evidence is what the rule decided on. */
static void order_and_evidence(void **state)
{
	struct state s;

	(void)state;
	begin(&s);
	ask(&s, "memory/capacity/device_bytes = 1e9; memory/capacity/pressure_ratio = 0.98; "
		"timing/optimizer/share_ratio = 0.5; timing/optimizer/mean_s = 1; "
		"timing/data/share_ratio = 0.45; timing/data/mean_s = 1; "
		"timing/forward/mean_s = 1; timing/backward/mean_s = 3",
	    NULL);
	assert_int_equal(s.f.n, 4);
	assert_true(ts_span_is(s.f.items[0].code, "TIMING.DATALOADER_BOUND"));
	assert_true(ts_span_is(s.f.items[1].code, "MEMORY.PRESSURE"));
	assert_true(ts_span_is(s.f.items[2].code, "TIMING.BACKWARD_HEAVY"));
	assert_true(ts_span_is(s.f.items[3].code, "TIMING.OPTIMIZER_HEAVY"));
	assert_int_equal(s.f.items[0].n_evidence, 2);
	assert_true(ts_span_is(s.f.items[0].evidence[0].name, "share"));
	assert_true(s.f.items[0].evidence[0].value == 0.45);
	for (size_t i = 1; i < s.f.n_unchecked; i++) {
		const struct ts_rule *rule = ts_rule_find(s.f.unchecked[i].code);

		assert_true(ts_rule_find(s.f.unchecked[i - 1].code) < rule);
	}
	ts_arena_finish(&s.arena);
}

static void a_policy_moves_limits_and_switches_off(void **state)
{
	struct ts_policy_item items[] = {
		{.code = ts_span_str("TIMING.DATALOADER_BOUND"), .threshold = ts_span_str("min_share"), .value = 0.1},
		{.code = ts_span_str("TIMING.DATALOADER_BOUND"), .threshold = ts_span_str("min_share"), .value = 0.5},
		{.code = ts_span_str("TIMING.OPTIMIZER_HEAVY"), .off = true},
		{.code = ts_span_str("TIMING.BACKWARD_HEAVY"), .off = true},
		{.code = ts_span_str("TIMING.BACKWARD_HEAVY"), .off = false},
	};
	struct ts_policy policy = {.items = items, .n = 1};
	static const char rows[] = "timing/data/share_ratio = 0.2; timing/data/mean_s = 1; timing/optimizer/share_ratio = 0.5; "
				   "timing/optimizer/mean_s = 1; timing/forward/mean_s = 1; timing/backward/mean_s = 3";
	struct state s;

	(void)state;
	begin(&s);
	ask(&s, rows, &policy);
	assert_non_null(finding(&s, "TIMING.DATALOADER_BOUND"));
	assert_non_null(finding(&s, "TIMING.OPTIMIZER_HEAVY"));
	policy.n = 5;
	ask(&s, "", &policy);
	assert_null(finding(&s, "TIMING.DATALOADER_BOUND")); /* the later setting counts */
	assert_null(finding(&s, "TIMING.OPTIMIZER_HEAVY"));
	assert_true(ts_span_is(unchecked(&s, "TIMING.OPTIMIZER_HEAVY")->reason, "the policy switched the rule off"));
	assert_non_null(finding(&s, "TIMING.BACKWARD_HEAVY"));
	assert_true(ts_rule_threshold(&policy, "TIMING.DATALOADER_BOUND", "min_share") == 0.5);
	assert_true(ts_rule_threshold(&policy, "TIMING.DATALOADER_BOUND", "high_share") == 0.4);
	assert_true(ts_rule_threshold(NULL, "EFFICIENCY.LOW_MFU", "high_mfu") == 0.3);
	ts_arena_finish(&s.arena);
}

static void near_codes(void **state)
{
	(void)state;
	assert_string_equal(ts_rule_near(ts_span_str("TIMING.JITER")), "TIMING.JITTER");
	assert_string_equal(ts_rule_near(ts_span_str("timing.jitter")), "TIMING.JITTER");
	assert_string_equal(ts_rule_near(ts_span_str("jitter")), "TIMING.JITTER");
	assert_string_equal(ts_rule_near(ts_span_str("DIST.STRAGGLERS")), "DIST.STRAGGLER");
	assert_null(ts_rule_near(ts_span_str("nothing like it at all")));
}

/* All titles and texts exist, codes are GROUP.NAME and unique, and sentences end as the text around them expects. */
static void the_table_is_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < ts_rules_n; i++) {
		const struct ts_rule *r = &ts_rules[i];
		const char *dot = strchr(r->code, '.');

		assert_non_null(dot);
		assert_null(strchr(dot + 1, '.'));
		assert_ptr_equal(ts_rule_find(ts_span_str(r->code)), r);
		assert_int_equal(r->advice[strlen(r->advice) - 1], '.');
		assert_int_not_equal(r->trigger[strlen(r->trigger) - 1], '.');
		assert_int_not_equal(r->source[strlen(r->source) - 1], '.');
		assert_true(strlen(r->title) > 0 && strlen(r->severity) > 0);
		for (const struct ts_threshold *t = r->thresholds; t->name; t++)
			assert_true(strlen(t->what) > 0);
	}
}

static void is_printed(const char *path, void (*print)(struct ts_buf *out))
{
	struct ts_buf want = TS_BUF_INIT(1 << 20);
	FILE *f = fopen(path, "rb");
	char *got;
	size_t n;

	assert_non_null(f);
	print(&want);
	assert_int_equal(want.failed, TS_OK);
	got = test_malloc(want.len + 1);
	n = fread(got, 1, want.len + 1, f);
	(void)fclose(f);
	assert_int_equal(n, want.len);
	assert_memory_equal(got, want.data, n);
	test_free(got);
	ts_buf_finish(&want);
}

/* `tscope explain --markdown > docs/findings.md` and `tscope explain --playbook > docs/playbook.md` write them anew. */
static void the_documents_are_current(void **state)
{
	(void)state;
	is_printed("docs/findings.md", ts_rules_markdown);
	is_printed("docs/playbook.md", ts_playbook_markdown);
}

/* Every arena size below the one that suffices gives an error, and never a crash or a partial answer. */
static void a_full_arena_is_an_error(void **state)
{
	struct state s;
	struct ts_error err = {.status = TS_OK};
	size_t ceiling = 64, n;
	int failed = 0;

	(void)state;
	begin(&s);
	event(&s, TS_EVENT_SHIFT, "timing", "step", 400, 0.120, 0.1);
	event(&s, TS_EVENT_COINCIDENCE, "cross", "grad_norm, loss", 7, 9, 1);
	test_rows(&s.m, &s.arena, "timing/data/share_ratio = 0.45; timing/data/mean_s = 1; timing/step/shifts_count = 1; "
				  "cross/coincidences/significant_count = 5; cross/coincidences/p_value = 0.002; "
				  "ranks/all/present_count = 3; ranks/rank 0/straggler = 'late'; ranks/rank 0/onset_step = 7; "
				  "ranks/rank 1/peak_bytes = 2; ranks/rank 2/peak_bytes = 7; convergence/train_loss/count = 70; "
				  "convergence/train_loss/spikes_count = 7; convergence/train_loss/nonfinite_count = 7; "
				  "convergence/train_loss/first_nonfinite_step = 7; convergence/x/count = 7; "
				 "convergence/x/nonfinite_count = 7");
	for (;; ceiling += 64) {
		struct ts_arena small;
		enum ts_status status;

		ts_arena_init(&small, ceiling);
		status = ts_findings_check(&s.m, &s.events, NULL, 0, NULL, &small, &s.f, &err);
		ts_arena_finish(&small);
		if (!status)
			break;
		failed++;
		assert_int_equal(s.f.n, 0);
		assert_int_not_equal(err.status, TS_OK);
	}
	assert_true(failed > 20);
	/* The first answer that fits is complete. */
	n = s.f.n;
	assert_int_equal(ts_findings_check(&s.m, &s.events, NULL, 0, NULL, &s.arena, &s.f, &err), TS_OK);
	assert_int_equal(n, s.f.n);
	for (size_t i = 0; i < s.f.n; i++)
		assert_true(s.f.items[i].detail.len > 1 && s.f.items[i].n_evidence > 0);
	ts_arena_finish(&s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_of_every_rule),
		cmocka_unit_test(no_rule_without_cases),
		cmocka_unit_test(edges_of_shifts),
		cmocka_unit_test(the_loss_by_its_events),
		cmocka_unit_test(several_stragglers_are_one_finding),
		cmocka_unit_test(each_rank_is_asked),
		cmocka_unit_test(traces_of_some_ranks),
		cmocka_unit_test(many_ranks_are_many_chances),
		cmocka_unit_test(ranks_as_a_sentence_names_them),
		cmocka_unit_test(coincidences_are_one_finding),
		cmocka_unit_test(three_coincidences_are_all_named),
		cmocka_unit_test(the_strongest_spike_is_named),
		cmocka_unit_test(order_and_evidence),
		cmocka_unit_test(a_policy_moves_limits_and_switches_off),
		cmocka_unit_test(near_codes),
		cmocka_unit_test(the_table_is_whole),
		cmocka_unit_test(the_documents_are_current),
		cmocka_unit_test(a_full_arena_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
