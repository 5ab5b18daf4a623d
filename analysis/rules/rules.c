/* rules.c - the table of rules. Long because it is data: what a finding says of itself stands here and nowhere else.
 *
 * To add one: a check in checks_*.c with its name in TS_CHECKS (check.h), a row here, a test in test_rules_*.c of what
 * makes it fire, what just does not, and what leaves it unchecked; then `tscope explain --markdown > docs/findings.md`.
 */
#include "analysis/rules/check.h"

#define PYTSCOPE "pytscope 0.2.1"
#define END {NULL, 0, TS_UNIT_NONE, NULL}
#define RATIO TS_UNIT_RATIO
#define COUNT TS_UNIT_COUNT
#define NONE TS_UNIT_NONE

const struct ts_rule ts_rules[] = {
	{"TIMING.DATALOADER_BOUND", "Steps wait for data", "high from high_share on, else medium",
	 "phase data takes at least min_share of the step time",
	 "Give the loader more workers and keep them between epochs, pin memory, prefetch further ahead, move costly "
	 "transforms out of the loop. Where the capture counts all that lies between steps as data, look first for "
	 "checkpoints, evaluation and logging in it.",
	 PYTSCOPE ", unchanged",
	 {{"min_share", 0.25, RATIO, "share of the step time from which it fires"},
	  {"high_share", 0.40, RATIO, "share from which it is high"}, END},
	 ts_check_dataloader_bound},
	{"TIMING.BACKWARD_HEAVY", "The backward pass is unusually long", "high from high_ratio on, else medium",
	 "phase backward takes at least min_ratio times as long as phase forward",
	 "Look for a graph that is kept or walked twice, for recomputation that is not meant, and for operations "
	 "without a fused backward; try mixed precision and compilation.",
	 PYTSCOPE "; mended: unchecked where the wait for other ranks is found to lie in backward",
	 {{"min_ratio", 2.5, NONE, "backward over forward from which it fires"},
	  {"high_ratio", 3.5, NONE, "backward over forward from which it is high"}, END},
	 ts_check_backward_heavy},
	{"TIMING.OPTIMIZER_HEAVY", "The optimizer takes long", "low",
	 "phase optimizer takes at least min_share of the step time",
	 "Use the fused or the foreach form of the optimizer.",
	 PYTSCOPE ", unchanged",
	 {{"min_share", 0.15, RATIO, "share of the step time from which it fires"}, END},
	 ts_check_optimizer_heavy},
	{"TIMING.JITTER", "Step times scatter", "low",
	 "the deviation of step times is at least min_cv of their mean, or their 95th percentile at least min_tail "
	 "times the median",
	 "Look at what slow steps do that others do not: sequence lengths, garbage collection, logging, other jobs on the host.",
	 PYTSCOPE ", with thresholds that can be set",
	 {{"min_steps", 10, COUNT, "fewer steps are not judged"},
	  {"min_cv", 0.50, RATIO, "deviation over mean from which it fires"},
	  {"min_tail", 1.5, NONE, "95th percentile over median from which it fires"}, END},
	 ts_check_jitter},
	{"TIMING.STALLS", "A few steps take very long", "high from high_share on, else medium",
	 "what steps above three times the median take beyond the usual is at least min_share of the step time",
	 "Move checkpoints and evaluation off the training step, write them asynchronously, and look at storage and the "
	 "network at the steps named.",
	 "ours: a share of time, where a deviation says only that there is scatter",
	 {{"min_steps", 10, COUNT, "fewer steps are not judged"},
	  {"min_share", 0.05, RATIO, "share of the step time from which it fires"},
	  {"high_share", 0.20, RATIO, "share from which it is high"}, END},
	 ts_check_stalls},
	{"TIMING.SLOWDOWN", "Steps became slower", "high from high_slowdown on, else medium",
	 "the level of the step time rises by at least min_slowdown and stays",
	 "Look at what changed at that step: clocks and temperature of the device, another job on the host, longer "
	 "sequences, a cache that was full, a phase of training that does more.",
	 "ours: level shifts told apart from spikes",
	 {{"min_slowdown", 0.05, RATIO, "rise over the level before from which it fires"},
	  {"high_slowdown", 0.25, RATIO, "rise from which it is high"}, END},
	 ts_check_slowdown},
	{"TIMING.UNATTRIBUTED", "Much time lies outside the phases", "medium from medium_share on, else low",
	 "at least min_share of the wall time lies in no phase of any step",
	 "Mark what happens there as phases of its own (evaluation, checkpoint, logging), so that it can be told what it costs.",
	 "ours: " PYTSCOPE " never compares phases with the wall clock",
	 {{"min_share", 0.10, RATIO, "share of the wall time from which it fires"},
	  {"medium_share", 0.30, RATIO, "share from which it is medium"}, END},
	 ts_check_unattributed},
	{"CONVERGENCE.DIVERGED", "The loss is not finite", "high",
	 "the loss is NaN or infinite at any step",
	 "Lower the learning rate or warm it up longer, clip gradients, check the inputs of the step named, and with "
	 "mixed precision the loss scale.",
	 PYTSCOPE "; mended: an infinite loss is shown as such; growth without NaN is CONVERGENCE.BLOW_UP",
	 {END}, ts_check_diverged},
	{"CONVERGENCE.BLOW_UP", "The loss blew up", "high",
	 "the loss leaves the range that it had and does not come back, though it stays finite",
	 "Go back to a checkpoint before the step named, lower the learning rate, clip gradients, and look at that batch.",
	 "ours: " PYTSCOPE "'s documentation promises it, its rule sees NaN only",
	 {END}, ts_check_blow_up},
	{"CONVERGENCE.NO_PROGRESS", "The loss does not go down",
	 "high if it ends above its beginning or rises without having fallen, medium if it rises after it fell, low if it stays",
	 "the loss rises over the second half of the run, or ends no lower than it began",
	 "Check the learning rate and its schedule, that gradients reach the parameters, and that labels belong to "
	 "inputs. Where it rises after it fell: stop earlier, lower the learning rate, regularize.",
	 PYTSCOPE "; mended: a run that went down and then stays has converged and is none; values of the loss are "
	    "counted, not steps; trends carry their uncertainty",
	 {{"min_values", 50, COUNT, "fewer values of the loss are not judged"},
	  {"min_rise", 0.01, RATIO, "rise over the second half from which it is reported"}, END},
	 ts_check_no_progress},
	{"CONVERGENCE.SPIKES", "The loss spikes", "medium from medium_spikes on, else low",
	 "the loss leaves its neighbourhood upwards and comes back, at least min_spikes times",
	 "Clip gradients, look at the batches of the steps named, lower the learning rate or raise the optimizer's epsilon.",
	 PYTSCOPE " shows such spikes and has no rule; here a clean series has a spike of chance in about one run of "
	    "300, however long",
	 {{"min_spikes", 1, COUNT, "spikes from which it fires"},
	  {"medium_spikes", 5, COUNT, "spikes from which it is medium"}, END},
	 ts_check_loss_spikes},
	{"CONVERGENCE.LEVEL_SHIFT", "The loss rose to another level", "medium",
	 "the level of the loss rises by at least min_rise and stays",
	 "Look at what changed at that step: the data mix, the learning rate, a restart from a checkpoint, the state of "
	 "the optimizer.",
	 "ours: level shifts told apart from spikes",
	 {{"min_rise", 0.02, RATIO, "rise over the level before from which it fires"}, END},
	 ts_check_loss_shift},
	{"CONVERGENCE.GRAD_SPIKES", "The gradient norm spikes", "medium from medium_spikes on, else low",
	 "grad_norm leaves its neighbourhood upwards and comes back, at least min_spikes times",
	 "Clip gradients if they are not, and look at the batches of the steps named.",
	 PYTSCOPE " shows such spikes and has no rule",
	 {{"min_spikes", 1, COUNT, "spikes from which it fires"},
	  {"medium_spikes", 20, COUNT, "spikes from which it is medium"}, END},
	 ts_check_grad_spikes},
	{"CONVERGENCE.NONFINITE", "A series other than the loss is not finite", "medium from medium_share on, else low",
	 "any other series of training is NaN or infinite at any step",
	 "A gradient norm that overflows now and then is how loss scaling finds its scale. Where it is often, or in "
	 "another series, treat it as divergence.",
	 "ours: " PYTSCOPE " looks at the loss only",
	 {{"medium_share", 0.05, RATIO, "share of a series' values from which it is medium"}, END},
	 ts_check_nonfinite},
	{"CROSS.CORRELATED_INSTABILITY", "Several signals jump together", "high",
	 "loss, gradient norm, step time or memory jump at the same steps more often than signals that have nothing to "
	 "do with each other would",
	 "Look at the batch and the learning rate at the steps named; clip gradients.",
	 PYTSCOPE "; mended: compared with the coincidences of independent signals, so that long runs have no more "
	    "false findings than short ones; one finding names all",
	 {{"min_events", 1, COUNT, "coincidences beyond chance from which it fires"}, END},
	 ts_check_correlated},
	{"DIST.STRAGGLER", "Ranks hold up the others", "high from high_lost or high_slowdown on, else medium",
	 "one rank or several are slower than the others, by a test against exchanged ranks",
	 "Compare device, clocks, temperature and other jobs of their hosts with those of the others; exchange the "
	 "host; then look at their shards of the data.",
	 PYTSCOPE "; mended: blame by leaving a rank out, with p-values that hold for few steps, many ranks and "
	    "autocorrelated times; several at once, late, periodic; the wait that hides in backward",
	 {{"high_lost", 0.10, RATIO, "share of the devices' time lost from which it is high"},
	  {"high_slowdown", 0.25, RATIO, "slowdown of a rank from which it is high"}, END},
	 ts_check_straggler},
	{"DIST.LOAD_IMBALANCE", "Work is uneven over the ranks", "medium",
	 "no rank is a straggler, the ranks' own time scatters by at least min_cv and at least min_lost of it is lost",
	 "Give ranks batches of like cost: sort or bucket by length, balance shards, pack sequences.",
	 PYTSCOPE ", with lost time as a share of own time",
	 {{"min_cv", 0.15, RATIO, "median over steps of deviation over mean of the ranks' own time"},
	  {"min_lost", 0.05, RATIO, "share of the devices' time lost"}, END},
	 ts_check_load_imbalance},
	{"DIST.COMM_BOUND", "Steps wait for the network", "high from high_share on, else medium",
	 "transfer, the least time that any rank spends in communication, is at least min_share of a step",
	 "Let communication run beside computation, use larger buckets, accumulate gradients or compress them, and "
	 "check that the fast interconnect is used.",
	 PYTSCOPE "; mended: the wait for slower ranks is no communication (DIST.WAIT_BOUND)",
	 {{"min_share", 0.25, RATIO, "share of a step from which it fires"},
	  {"high_share", 0.45, RATIO, "share from which it is high"}, END},
	 ts_check_comm_bound},
	{"DIST.WAIT_BOUND", "Ranks wait for each other", "high from high_share on, else medium",
	 "waiting for slower ranks is at least min_share of a step, on average over ranks",
	 "Mend the stragglers if there are any (DIST.STRAGGLER), else even out the work (DIST.LOAD_IMBALANCE).",
	 "ours: " PYTSCOPE " counts it as communication",
	 {{"min_share", 0.15, RATIO, "share of a step from which it fires"},
	  {"high_share", 0.30, RATIO, "share from which it is high"}, END},
	 ts_check_wait_bound},
	{"DIST.MISSING_RANKS", "Ranks are missing", "medium",
	 "at least min_ranks ranks of the world left no steps",
	 "Push the rest (tscope push --join), or find out whether these ranks died; what is said of ranks holds for "
	 "those there are.",
	 "ours: " PYTSCOPE " drops the whole section then",
	 {{"min_ranks", 1, COUNT, "missing ranks from which it fires"}, END},
	 ts_check_missing_ranks},
	{"DIST.EXPOSED_COMM", "Communication is not hidden", "high from high_share on, else medium",
	 "communication that no computation hides is at least min_share of the wall time; always unchecked as yet, "
	 "because it takes a kernel trace",
	 "Change the bucket size, switch off the search for unused parameters, start communication earlier.",
	 PYTSCOPE "'s rule on traces; traces are not read yet",
	 {{"min_share", 0.05, RATIO, "share of the wall time from which it fires"},
	  {"high_share", 0.15, RATIO, "share from which it is high"}, END},
	 ts_check_exposed_comm},
	{"DIST.PIPELINE_BUBBLE", "Stages of the pipeline idle", "high from high_excess or high_bubble on, else medium",
	 "the stages idle for min_excess more of the time than the schedule asks for; where the number of microbatches "
	 "is not known, for at least min_bubble in all",
	 "Balance the stages by time, use more microbatches, an interleaved schedule or one forward one backward.",
	 PYTSCOPE ", reached from a run; the ideal is (p-1)/(m+p-1), with v virtual stages (p-1)/(v*m+p-1)",
	 {{"min_excess", 0.05, RATIO, "bubble beyond the ideal from which it fires"},
	  {"high_excess", 0.15, RATIO, "bubble beyond the ideal from which it is high"},
	  {"min_bubble", 0.25, RATIO, "bubble from which it fires where the ideal is not known"},
	  {"high_bubble", 0.45, RATIO, "bubble from which it is high where the ideal is not known"}, END},
	 ts_check_pipeline_bubble},
	{"EFFICIENCY.MFU_IMPOSSIBLE", "MFU above what can be", "high",
	 "model FLOP/s utilization is more than max_mfu",
	 "Check flops_per_step (of one device or of all, of one microbatch or of all), the device's name, and the type "
	 "of number that the peak is for.",
	 "ours: " PYTSCOPE " cuts useful time at the time measured, which hides it",
	 {{"max_mfu", 1.0, RATIO, "MFU above which it fires"}, END},
	 ts_check_mfu_impossible},
	{"EFFICIENCY.MFU_SUSPICIOUS", "MFU above what is seen", "medium",
	 "model FLOP/s utilization is more than max_mfu and not more than 100 %",
	 "Check the convention of flops_per_step (recomputation, the causal half of attention) and the type of number "
	 "that the peak is for.",
	 "ours; published large runs have 33 to 58 %",
	 {{"max_mfu", 0.70, RATIO, "MFU above which it fires"}, END},
	 ts_check_mfu_suspicious},
	{"EFFICIENCY.LOW_MFU", "Devices do little of what they could", "high below high_mfu, else medium",
	 "model FLOP/s utilization is less than max_mfu, and a single cause takes at least min_recoverable of the wall time",
	 "Begin with the cause named; the list under the verdict of what the run is bound by orders what to try. "
	 "Published large runs reach 33 to 58 %.",
	 PYTSCOPE "; mended: time in no phase counts, and the report's light has these thresholds too",
	 {{"max_mfu", 0.50, RATIO, "MFU below which it fires"},
	  {"high_mfu", 0.30, RATIO, "MFU below which it is high"},
	  {"min_recoverable", 0.10, RATIO, "share of the wall time of the greatest cause"}, END},
	 ts_check_low_mfu},
	{"EFFICIENCY.RECOVERABLE", "Time could be won back", "high from high_share on, else medium",
	 "MFU is not known, and a single known cause other than computing takes at least min_share of the wall time",
	 "Begin with the cause named; the list under the verdict of what the run is bound by orders what to try. Name "
	 "the FLOPs of a step to learn the MFU as well.",
	 PYTSCOPE "; mended: phases of any name count, and the wall time is the clock's; time in no phase is TIMING.UNATTRIBUTED",
	 {{"min_share", 0.20, RATIO, "share of the wall time from which it fires"},
	  {"high_share", 0.35, RATIO, "share from which it is high"}, END},
	 ts_check_recoverable},
	{"MEMORY.PRESSURE", "The device is nearly full", "high from high_pressure on, else medium",
	 "the peak of memory is at least min_pressure of what the device has",
	 "Make the batch smaller or accumulate, use checkpointing of activations, shard the optimizer; a longer "
	 "sequence may not fit.",
	 "TraceML 0.3.6, its thresholds of step memory",
	 {{"min_pressure", 0.92, RATIO, "peak over capacity from which it fires"},
	  {"high_pressure", 0.97, RATIO, "peak over capacity from which it is high"}, END},
	 ts_check_pressure},
	{"MEMORY.FORECAST", "The device will be full", "high up to high_lengths, else medium",
	 "memory grows by more than chance explains (max_p_value), and the device is full within max_lengths times as "
	 "many steps as were run",
	 "Find what grows (MEMORY.GROWTH), or restart from a checkpoint before the step at which it is full.",
	 "ours: " PYTSCOPE " knows no capacity",
	 {{"max_p_value", 0.01, NONE, "chance of such growth where there is none up to which it counts"},
	  {"max_lengths", 3, NONE, "steps left over steps run up to which it fires"},
	  {"high_lengths", 1, NONE, "steps left over steps run up to which it is high"}, END},
	 ts_check_forecast},
	{"MEMORY.GROWTH", "Memory grows", "high from high_share on, else medium",
	 "memory grows by more than chance explains (max_p_value), and by at least min_share of its peak over the run",
	 "Detach what is kept for logging (.item(), .detach()), do not keep graphs over steps, bound caches and lists that grow.",
	 PYTSCOPE "; mended: no least growth a step, which lets a slow leak of 49 GB pass, but a share of the peak and "
	    "the slope's confidence",
	 {{"max_p_value", 0.01, NONE, "chance of such growth where there is none up to which it counts"},
	  {"min_share", 0.01, RATIO, "growth over the run, of the peak, from which it fires"},
	  {"high_share", 0.10, RATIO, "growth over the run, of the peak, from which it is high"}, END},
	 ts_check_growth},
	{"MEMORY.FRAGMENTATION", "The allocator holds memory that no tensor uses", "medium from medium_ratio on, else low",
	 "at the peaks of its steps at least min_ratio of reserved memory is unused, and the peak is at least min_peak",
	 "Let segments expand (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), and keep shapes the same from step to step.",
	 PYTSCOPE "; mended: peaks within steps, not the trough at their end, where a healthy run holds little",
	 {{"min_peak", 67108864, TS_UNIT_BYTES, "smaller peaks are not judged"},
	  {"min_ratio", 0.20, RATIO, "unused over reserved from which it fires"},
	  {"medium_ratio", 0.40, RATIO, "unused over reserved from which it is medium"}, END},
	 ts_check_fragmentation},
	{"MEMORY.RANK_IMBALANCE", "One rank needs far more memory", "medium",
	 "the greatest peak of memory of a rank is min_skew above the median rank's, and at least min_pressure of the "
	 "device where that is known",
	 "Balance shards or stages by memory, and keep logging and evaluation from gathering on one rank.",
	 "TraceML 0.3.6, its rule on imbalance, of true peaks",
	 {{"min_skew", 0.20, RATIO, "peak over the median of the ranks, less 1, from which it fires"},
	  {"min_pressure", 0.30, RATIO, "smaller shares of the device are not judged"}, END},
	 ts_check_memory_imbalance},
};
const size_t ts_rules_n = sizeof ts_rules / sizeof ts_rules[0];

/* A threshold in the unit that a policy file takes, and as people read it. */
static void threshold_value(struct ts_buf *out, const struct ts_threshold *t)
{
	ts_buf_printf(out, "%.15g", t->value);
	if (t->unit == TS_UNIT_RATIO || t->unit == TS_UNIT_BYTES || t->unit == TS_UNIT_SECONDS)
		ts_buf_printf(out, " (%s)", ts_say_value(t->value, t->unit).text);
}

void ts_rules_markdown(struct ts_buf *out)
{
	ts_buf_str(out, "# Findings\n\n"
			"What `tscope analyze` may say of a run. This is what `tscope explain --markdown` prints of the\n"
			"table in `analysis/rules/rules.c`; a test holds the two together.\n\n"
			"A rule fires, passes, is unchecked, or does not apply. Unchecked rules are listed with the\n"
			"reason: a series that it needs is not there or not finite, there are too few steps, or a policy\n"
			"switched it off. Rules on several ranks do not apply to a run of one, the rule on pipelines not\n"
			"to a run without stages: of these nothing is said. A value equal to a limit counts as having\n"
			"reached it; \"more than\" excludes it.\n\n"
			"A policy file sets thresholds, one a line, and switches rules off:\n\n"
			"    TIMING.JITTER.min_cv = 0.8      # ratios are numbers: 0.8 is 80 %\n"
			"    MEMORY.FRAGMENTATION = off\n\n"
			"| code | severity | fires when |\n|---|---|---|\n");
	for (size_t i = 0; i < ts_rules_n; i++)
		ts_buf_printf(out, "| %s | %s | %s |\n", ts_rules[i].code, ts_rules[i].severity, ts_rules[i].trigger);
	for (size_t i = 0; i < ts_rules_n; i++) {
		const struct ts_rule *r = &ts_rules[i];

		ts_buf_printf(out, "\n## %s\n\n**%s.** Fires when %s.\n\nSeverity: %s.\n\n", r->code, r->title, r->trigger,
			      r->severity);
		if (r->thresholds[0].name)
			ts_buf_str(out, "| threshold | default | meaning |\n|---|---|---|\n");
		for (const struct ts_threshold *t = r->thresholds; t->name; t++) {
			ts_buf_printf(out, "| %s | ", t->name);
			threshold_value(out, t);
			ts_buf_printf(out, " | %s |\n", t->what);
		}
		ts_buf_printf(out, "%sWhat to try: %s\n\nSource: %s.\n", r->thresholds[0].name ? "\n" : "", r->advice,
			      r->source);
	}
}
