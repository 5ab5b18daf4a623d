/* rules.c - the table of rules. Long because it is data: the texts of all findings stand here and nowhere else.
 *
 * To add one: a check in checks_*.c with its name in TS_CHECKS (check.h), a row here, a test in test_rules.c of what
 * makes it fire, what just does not, and what leaves it unchecked; then `tscope explain --markdown > docs/findings.md`.
 */
#include "analysis/rules/check.h"

#define PYTSCOPE "pytscope 0.2.1"
#define END {NULL, 0, TS_UNIT_NONE, NULL}
#define RATIO TS_UNIT_RATIO
#define COUNT TS_UNIT_COUNT
#define SECONDS TS_UNIT_SECONDS
#define NONE TS_UNIT_NONE
#define EACH_RANK .each_rank = true
#define JOB .each_rank = false
#define OF_TRACE .each_rank = true, .of_trace = true
#define OF_SNAPSHOT .each_rank = true, .of_snapshot = true
#define OF_MACHINE .each_rank = true, .of_machine = true

const struct ts_rule ts_rules[] = {
	{"TIMING.DATALOADER_BOUND", "Steps wait for data", "high if the share is at least high_share, otherwise medium",
	 "the phase data takes at least min_share of the step time",
	 "Have data loaded while the device computes: begin with what the verdict lists, which leaves out what the record says is on "
	 "already, and move costly transforms out of the training loop. If the run counts everything between two steps as the phase "
	 "data, look there first for checkpoints, evaluation and logging.",
	 "the rule of " PYTSCOPE ", unchanged",
	 {{"min_share", 0.25, RATIO, "share of the step time from which the rule fires"},
	  {"high_share", 0.40, RATIO, "share of the step time from which the severity is high"}, END},
	 ts_check_dataloader_bound, EACH_RANK},
	{"TIMING.BACKWARD_HEAVY", "The backward pass is unusually long", "medium if the ratio is at least medium_ratio, otherwise low",
	 "the phase backward, without the forward passes that the run declares to be computed again in it, takes at least min_ratio "
	 "times as long as the phase forward",
	 "Check that the graph is not kept or walked twice, that no activation is recomputed by mistake, and that no operation "
	 "lacks a fused backward.",
	 "the rule of " PYTSCOPE ", corrected: the rule is unchecked where the wait for other ranks is part of the phase backward, or "
	 "several ranks have no phase comm; clean trainings on a CPU have ratios up to 3, and losses of many forward passes more; "
	 "declared recomputation is not counted: one forward pass for work.recompute = full, at most one for any other word but none, "
	 "or what the declared FLOPs say",
	 {{"min_ratio", 3, NONE, "backward time, without declared recomputation, divided by forward time from which the rule fires"},
	  {"medium_ratio", 8, NONE, "the same ratio from which the severity is medium"}, END},
	 ts_check_backward_heavy, EACH_RANK},
	{"TIMING.OPTIMIZER_HEAVY", "The optimizer takes long", "low",
	 "the phase optimizer takes at least min_share of the step time",
	 "Use the fused or the foreach implementation of the optimizer, if it has one and does not use it yet.",
	 "the rule of " PYTSCOPE ", unchanged",
	 {{"min_share", 0.15, RATIO, "share of the step time from which the rule fires"}, END},
	 ts_check_optimizer_heavy, EACH_RANK},
	{"TIMING.JITTER", "Step times vary widely", "low",
	 "the coefficient of variation of the step times is at least min_cv, or their 95th percentile is at least min_tail "
	 "times the median",
	 "Look at what slow steps do that other steps do not: sequence lengths, garbage collection, logging, other jobs on the host.",
	 "the rule of " PYTSCOPE ", with thresholds that a policy can set",
	 {{"min_steps", 10, COUNT, "number of steps that the rule needs"},
	  {"min_cv", 0.50, RATIO, "coefficient of variation (standard deviation divided by mean) from which the rule fires"},
	  {"min_tail", 1.5, NONE, "95th percentile divided by median from which the rule fires"}, END},
	 ts_check_jitter, EACH_RANK},
	{"TIMING.STALLS", "A few steps take very long",
	 "high if the share is at least high_share, at least high_s are lost, and each step has its time recorded; low if less "
	 "than medium_s are lost; otherwise medium",
	 "steps longer than three times the median lose, beyond the median, at least min_share of the step time; slow steps that come "
	 "back every N steps are compared with each other instead (TIMING.PERIODIC), and what a step waited for a CPU does not count "
	 "(TIMING.CPU_WAIT)",
	 "Move checkpoints and evaluation out of the training step, write checkpoints asynchronously, and look at storage and the "
	 "network at the steps named.",
	 "new in tscope: the rule measures the share of time lost, while a standard deviation only says that step times vary",
	 {{"min_steps", 10, COUNT, "number of steps that the rule needs"},
	  {"min_share", 0.05, RATIO, "share of the step time from which the rule fires"},
	  {"high_share", 0.20, RATIO, "share of the step time from which the severity is high"},
	  {"medium_s", 1, SECONDS, "time lost from which the severity is not low"},
	  {"high_s", 10, SECONDS, "time lost from which it may be high"}, END},
	 ts_check_stalls, EACH_RANK},
	{"TIMING.CPU_WAIT", "The process waits for a CPU",
	 "high if the share is at least high_share, otherwise medium",
	 "the training thread was ready to run and had no CPU for at least min_share of the step time, where that was recorded "
	 "(regions.cpu_wait)",
	 "Look at what else runs on the host at that time, and at the limit of the container's CPUs; let loaders and libraries have "
	 "fewer workers and threads than there are CPUs (num_workers, OMP_NUM_THREADS), or give the process CPUs of its own.",
	 "new in tscope: the system counts how long a thread waits for a CPU, and a step that took long for that is no stall of the "
	 "training",
	 {{"min_steps", 10, COUNT, "number of steps that the rule needs"},
	  {"min_share", 0.05, RATIO, "share of the step time from which the rule fires"},
	  {"high_share", 0.20, RATIO, "share of the step time from which the severity is high"}, END},
	 ts_check_cpu_wait, EACH_RANK},
	{"TIMING.PERIODIC", "Every N-th step takes long",
	 "high if a period costs at least high_share and each step has its time recorded, medium if it costs at least medium_share, "
	 "otherwise low; low also for a period that looks like gradient accumulation",
	 "steps that come back every N steps, more regularly than chance explains, take at least half again as long as the others and "
	 "cost at least min_share of the step time; not if N is work.accumulation. The first steps of epochs, where a "
	 "column says them, need not be equally far apart",
	 "Look at what the training loop does every N steps: write checkpoints asynchronously and less often, evaluate on fewer "
	 "samples, log less. If N is the number of the loader's workers, each of them brings its batch too late: give the loader more "
	 "workers or less work. If it is the first step of each epoch, keep the loader's workers from one epoch to the next. If it is "
	 "gradient accumulation, nothing is wrong: record work.accumulation.",
	 "new in tscope: the rule tells stalls that come back, by their period and phase, from those that happen",
	 {{"min_steps", 10, COUNT, "number of steps that the rule needs"},
	  {"min_share", 0.01, RATIO, "share of the step time from which the rule fires"},
	  {"medium_share", 0.05, RATIO, "share of the step time from which the severity is medium"},
	  {"high_share", 0.20, RATIO, "share of the step time from which the severity is high"}, END},
	 ts_check_periodic, EACH_RANK},
	{"TIMING.SLOWDOWN", "Steps became slower",
	 "high if the rise is at least high_slowdown, otherwise medium; of a stretch that ended, high if it cost at least high_cost "
	 "of the time, medium if at least medium_cost, otherwise low",
	 "the level of the step time rises by at least min_slowdown, at once or little by little, and stays there, or does so for a "
	 "while",
	 "Look at what changed at that step: clocks and temperature of the device, another job on the host, longer "
	 "sequences, a cache that became full, or a phase of training that does more work. What grows little by little is often "
	 "memory that fragments, a list that is searched or logged whole, or a device that heats up.",
	 "new in tscope: the rule tells lasting changes of the level from single slow steps, from noise that depends on itself and "
	 "from levels that come and go",
	 {{"min_slowdown", 0.05, RATIO, "rise, relative to the level before, from which the rule fires"},
	  {"high_slowdown", 0.25, RATIO, "rise, relative to the level before, from which the severity is high"},
	  {"medium_cost", 0.05, RATIO, "share of the step time that a stretch cost from which the severity is medium"},
	  {"high_cost", 0.20, RATIO, "share of the step time that a stretch cost from which the severity is high"}, END},
	 ts_check_slowdown, EACH_RANK},
	{"TIMING.TWO_LEVELS", "Step times have two levels", "low",
	 "step times go to and fro between two levels, and the steps in the upper one cost at least min_share of the step time",
	 "Look at the clocks of the device (power cap, temperature, clock states) and at what else runs on the host at the slower "
	 "steps; lock the clocks to compare runs.",
	 "new in tscope: levels that come and go are no slow-down",
	 {{"min_share", 0.01, RATIO, "share of the step time from which the rule fires"}, END},
	 ts_check_two_levels, EACH_RANK},
	{"TIMING.UNATTRIBUTED", "Much time is outside the phases", "medium if the share is at least medium_share, otherwise low",
	 "at least min_share of the wall time is outside the phases of all steps",
	 "Record what happens there as phases of their own (evaluation, checkpoint, logging), to learn how much time each takes.",
	 "new in tscope; " PYTSCOPE " does not compare the phases with the wall time",
	 {{"min_share", 0.10, RATIO, "share of the wall time from which the rule fires"},
	  {"medium_share", 0.30, RATIO, "share of the wall time from which the severity is medium"}, END},
	 ts_check_unattributed, EACH_RANK},
	{"CONVERGENCE.DIVERGED", "The loss is not finite", "high",
	 "the loss is NaN or infinite at any step",
	 "Lower the learning rate or lengthen its warm-up, clip gradients, check the inputs of the step named, and with "
	 "mixed precision check the loss scale.",
	 "the rule of " PYTSCOPE ", corrected: an infinite loss is reported as infinite; a loss that grows without NaN is "
	 "CONVERGENCE.BLOW_UP",
	 {END}, ts_check_diverged, EACH_RANK},
	{"CONVERGENCE.LOSS_CEASED", "The loss is no longer logged", "medium",
	 "the gradient norm or the learning rate goes on for at least min_missing usual distances after the last value of the loss",
	 "Look at what the program prints at the last step that has a loss: some leave out a loss that is NaN.",
	 "new in tscope",
	 {{"min_values", 10, COUNT, "number of loss values that the rule needs"},
	  {"min_missing", 10, NONE, "usual distances of values, the longer one of both series, from which the rule fires"}, END},
	 ts_check_loss_ceased, EACH_RANK},
	{"CONVERGENCE.SKIPPED_UPDATES", "The gradient scaler skipped updates",
	 "medium if the share is at least medium_share, otherwise low",
	 "the loss scale of mixed precision falls at one step at least, because a gradient overflowed there",
	 "Nothing while such steps are rare: a scaler finds its scale that way, and a skipped step leaves the parameters as they were. "
	 "If they are frequent, raise the interval after which the scale grows, or train in bfloat16 where the device can; if the "
	 "scale falls again and again, look at what makes the gradient grow.",
	 "new in tscope",
	 {{"medium_share", 0.05, RATIO, "share of the recorded updates from which the severity is medium"},
	  {"min_updates", 20, COUNT, "number of recorded updates from which the share counts"}, END},
	 ts_check_skipped_updates, EACH_RANK},
	{"CONVERGENCE.BLOW_UP", "The loss blew up", "high, or medium if it rose over many steps while the loss of evaluations fell",
	 "the loss leaves its previous range and does not come back, though it stays finite: at one step, or in a rise at the end "
	 "of the run to at least double its lowest level, by at least 5 % of what it had gained",
	 "Go back to a checkpoint before the step named, lower the learning rate, clip gradients, and look at the batch of that step.",
	 "new in tscope: the documentation of " PYTSCOPE " promises it, but its rule only sees NaN",
	 {END}, ts_check_blow_up, EACH_RANK},
	{"CONVERGENCE.NO_PROGRESS", "The loss does not go down",
	 "high if the loss ends above its beginning, medium if it rises at its end or over its second half alone, low if it ends "
	 "where it began",
	 "the loss rises at the end of the run or over its second half, or ends no lower than it began",
	 "Check the learning rate and its schedule, that gradients reach the parameters, and that labels match their "
	 "inputs. If the loss rises after a fall, stop earlier, lower the learning rate, or regularize.",
	 "the rule of " PYTSCOPE ", corrected: a run whose loss fell and then stays has converged and is not reported; the rule "
	 "counts values of the loss, not steps; trends have confidence intervals",
	 {{"min_values", 50, COUNT, "number of loss values that the rule needs"},
	  {"min_rise", 0.01, RATIO,
	   "rise at the end of the run, relative to the lowest level, or over its second half, from which the rule fires"}, END},
	 ts_check_no_progress, EACH_RANK},
	{"CONVERGENCE.SPIKES", "The loss spikes", "medium if there are at least medium_spikes spikes, otherwise low",
	 "the loss jumps above its neighbouring values and comes back, at least min_spikes times",
	 "Clip gradients, look at the batches of the steps named, lower the learning rate, or raise the optimizer's epsilon.",
	 PYTSCOPE " plots such spikes but has no rule for them; here a series without spikes shows one by chance in about one run "
	 "of 300, whatever its length",
	 {{"min_spikes", 1, COUNT, "number of spikes from which the rule fires"},
	  {"medium_spikes", 5, COUNT, "number of spikes from which the severity is medium"}, END},
	 ts_check_loss_spikes, EACH_RANK},
	{"CONVERGENCE.LEVEL_SHIFT", "The loss rose to another level", "medium",
	 "the level of the loss rises by at least min_rise and stays there",
	 "Look at what changed at that step: the data mix, the learning rate, a restart from a checkpoint, or the optimizer state.",
	 "new in tscope: the rule tells lasting changes of the level from spikes",
	 {{"min_rise", 0.02, RATIO, "rise, relative to the level before, from which the rule fires"}, END},
	 ts_check_loss_shift, EACH_RANK},
	{"CONVERGENCE.GRAD_SPIKES", "The gradient norm spikes", "medium if there are at least medium_spikes spikes, otherwise low",
	 "grad_norm jumps above its neighbouring values and comes back, at least min_spikes times",
	 "Clip gradients if the run does not yet, and look at the batches of the steps named.",
	 PYTSCOPE " plots such spikes but has no rule for them",
	 {{"min_spikes", 1, COUNT, "number of spikes from which the rule fires"},
	  {"medium_spikes", 20, COUNT, "number of spikes from which the severity is medium"}, END},
	 ts_check_grad_spikes, EACH_RANK},
	{"CONVERGENCE.NONFINITE", "A series other than the loss is not finite",
	 "high if a series has at least 5 values in a row to its end, or all, that are not finite; medium if in one series the share "
	 "is at least medium_share, otherwise low",
	 "any other series of training is NaN or infinite at any step",
	 "A gradient norm that overflows now and then is normal: loss scaling finds its scale that way. One that is not finite to the "
	 "end is divergence: go back to a checkpoint before the step named, lower the learning rate, clip gradients, and look at the "
	 "batch of that step. The same holds if it overflows often, or if another series is not finite.",
	 "new in tscope; " PYTSCOPE " only looks at the loss",
	 {{"medium_share", 0.05, RATIO, "share of a series' values that are not finite from which the severity is medium"}, END},
	 ts_check_nonfinite, EACH_RANK},
	{"CONVERGENCE.SERIES_MOVED", "A logged series left its level",
	 "medium if its name tells that it got worse, and it is twice as large or small or no number any more, or if nothing is "
	 "trained; otherwise low",
	 "a series that the run logs jumps to another level and stays there, ends in a rise or in a fall that its own ups and downs "
	 "do not explain, drifts although the learning rate is 0, or is NaN or infinite to its end",
	 "Look at what changed at that step: the data, a schedule, an evaluation set, a restart. A series that must not move while no "
	 "weight changes points at the code that computes it.",
	 "new in tscope; docs/numerics.md has the definitions, and `./dev bench quality moves` the measured rates",
	 {END}, ts_check_series_moved, EACH_RANK},
	{"CONVERGENCE.BATCHES_REPEAT", "Batches come back in the same order",
	 "medium",
	 "by their digests, at least 20 batches in a row, up to the last, are those of one fixed number of records before; 40 where "
	 "there are only 2 to 8 batches; or at least min_share of more than 8 different batches, and min_doubled of them, are the one "
	 "before; or behind three or more watched steps, and all of them, the next batch is the same",
	 "Tell the sampler of each new epoch (sampler.set_epoch(epoch) of a DistributedSampler), or draw the order anew from a "
	 "generator that goes on. Where one batch comes at every step, look for an iterator that is made anew for each "
	 "step. Where many batches are the one before, look for "
	 "workers that draw the same random numbers (worker_init_fn, a generator of its own for each worker). Where the order is "
	 "meant to be fixed, or a model is tried on one batch that it learns by heart, nothing is wrong.",
	 "new in tscope: only digests of batches show it",
	 {{"min_doubled", 20, COUNT, "number of batches that are the one before from which the rule fires"},
	  {"min_share", 0.25, RATIO, "share of them among all batches"}, END},
	 ts_check_batches, EACH_RANK},
	{"CONVERGENCE.EQUAL_BATCHES", "Replicas train on the same batches",
	 "high",
	 "the digests of batches of two ranks are equal at every step, 3 at least, and so are those of their parameters; not where "
	 "the batch never changes, as where a model is tried on one, or the facts say that the model is split over ranks (tensor, "
	 "pipeline, context or expert parallelism)",
	 "Give each rank its own share of the data: DistributedSampler, or a loader that knows rank and world size. Several ranks that "
	 "read the same batches cost as much as several, and learn as one.",
	 "new in tscope: only digests show it",
	 {END},
	 ts_check_equal_batches, EACH_RANK},
	{"CONVERGENCE.NOT_TRAINED", "No update reaches the parameters", "high",
	 "by their digests, the parameters are the same at five or more records up to the last, more than twice as many as ever in a "
	 "row before, and the learning rate is above 0 there",
	 "Check that the optimizer has the parameters of the model that is trained (it may have been made before the model was moved, "
	 "wrapped or cast), that they require gradients, that its step is called and not skipped by a scaler, and that copies back "
	 "to the model are made.",
	 "new in tscope: only digests of parameters show it",
	 {END}, ts_check_still, EACH_RANK},
	{"CONVERGENCE.EVAL_MODE", "The model is trained in evaluation mode",
	 "high if batch normalization is in it and at least min_updated of its parameters are updated; medium if only dropout "
	 "is, and so many; otherwise low",
	 "an optimizer updated parameters of a model all of whose modules were in evaluation mode, at one or more of the steps "
	 "that the recorder looked at",
	 "Call model.train() before the training loop, and again behind each evaluation: in evaluation mode dropout does "
	 "nothing, and batch normalization uses statistics that it does not update. Models that are loaded by from_pretrained() "
	 "are in evaluation mode. Where this is meant, as in fine-tuning without dropout, nothing is wrong.",
	 "new in tscope: only the modes of modules at the optimizer's step show it",
	 {{"min_updated", 0.5, RATIO, "share of the model's parameters that the optimizer updates from which the mode matters"}, END},
	 ts_check_eval_mode, EACH_RANK},
	{"CONVERGENCE.EVAL_PART", "Part of the model is trained in evaluation mode",
	 "low",
	 "an optimizer updated parameters of a model of which some modules with batch normalization or dropout, but not all "
	 "modules, were in evaluation mode, at one or more of the steps that the recorder looked at; not where EVAL_MODE fires",
	 "Nothing is wrong where these modules are frozen on purpose, as batch normalization of a pretrained network often is. "
	 "Where they are not, look for a call of eval() on a part of the model, or for train() that is called on a part only.",
	 "new in tscope: only the modes of modules at the optimizer's step show it",
	 {END},
	 ts_check_eval_part, EACH_RANK},
	{"CONVERGENCE.PART_NOT_TRAINED", "Parameters are not trained",
	 "of parameters that have gradients and never change, and of gradients of zeros, medium, and high where nothing "
	 "is trained; low where the program itself seems to want it: no gradient comes, none is required, the learning rate is 0, or "
	 "what no optimizer holds is a backbone ahead of what is trained, or most of the model around small parts",
	 "by the digests of their tensors at three or more watched steps in a row, up to the last, parameters of the model never "
	 "change or have gradients of zeros alone, and there is one cause for it at all of these steps; where gradients above zero "
	 "come, only if a parameter of two dimensions or more is among them",
	 "Give all parameters that are to be trained to the optimizer, behind the last module that is added or replaced. Look for "
	 "detach(), no_grad() and .data in the forward pass of the part, for requires_grad that was set to False, for groups whose "
	 "learning rate is 0, and for updates that are too small for the type of the parameters. Where the part is meant to stay "
	 "as it is, nothing is wrong; set requires_grad to False and save its backward pass.",
	 "new in tscope; TrainCheck infers such conditions from other trainings (Jiang et al., OSDI 2025)",
	 {END}, ts_check_part_not_trained, EACH_RANK},
	{"CONVERGENCE.GRADIENTS_KEPT", "Gradients are not cleared", "high",
	 "when the first gradient behind the optimizer's step comes, that of a small parameter still has the bits that the "
	 "optimizer used, and the new one is added to it: behind three watched steps at least, and behind all that were looked at",
	 "Call optimizer.zero_grad() once for each of the optimizer's steps, before the backward pass or behind the step. Otherwise "
	 "gradients of all steps add up. Where gradients are accumulated, clear them behind the optimizer's step alone.",
	 "new in tscope: a hook beside watched steps shows it; TrainCheck infers the order of zero_grad and backward from other "
	 "trainings",
	 {END}, ts_check_gradients_kept_on, EACH_RANK},
	{"CONVERGENCE.GRADIENTS_STALE", "The gradients stay the same while the parameters change", "high",
	 "by their digests, the gradients are the same at three or more records up to the last, and the parameters differ from each "
	 "of these to the next",
	 "Check that backward is called before each of the optimizer's steps, and on the loss of this step; that gradients which "
	 "are copied, unscaled or reduced by the program are those that this step computed.",
	 "new in tscope: only digests show it",
	 {END}, ts_check_stale_gradients, EACH_RANK},
	{"CONVERGENCE.LOSS_CONSTANT", "The loss does not depend on the data",
	 "high if it is so in all values of the run and the loss is not 0, otherwise medium",
	 "the last 20 or more values of the loss are the same to the last bit, and the digests of three or more batches among them "
	 "differ",
	 "Check what the loss is computed from: outputs of the model and labels of this batch, not a constant, a part of the output "
	 "that is masked out, or a value that has saturated or was clamped.",
	 "new in tscope: only digests of batches show it",
	 {END}, ts_check_constant_loss, EACH_RANK},
	{"CONVERGENCE.INPUT_CONSTANT", "A part of the batch never changes", "medium",
	 "by the digests of the parts of a batch, one of them that is a tensor or array of real numbers is the same at three or "
	 "more watched steps in a row, up to the last, while another part changes; and it has a row for each sample, more than two "
	 "different numbers, and rows that differ or, where no other real number of the batch changes, rows of several numbers",
	 "Look at what makes the part: an index that does not move, a transform that gives zeros, a cache. Where the part is meant "
	 "to be the same, as a grid of coordinates is, nothing is wrong.",
	 "new in tscope: only digests of batches show it",
	 {END}, ts_check_constant_input, EACH_RANK},
	{"CONVERGENCE.EVALUATION_CHANGES", "Evaluation changes what is trained",
	 "medium if only statistics of normalization are written, otherwise low",
	 "between the first forward pass of an evaluation and the next step of training, torch counts a write into parameters or "
	 "buffers of the model (but not into all parameters: then weights were put in as a whole), at two evaluations at least and "
	 "at all that were seen, which are at least min_every steps apart on average",
	 "Call model.eval() before an evaluation and model.train() behind it: otherwise statistics of the data for evaluation enter "
	 "the model. Where a buffer counts evaluations or keeps a cache, nothing is wrong.",
	 "new in tscope: counters of torch show it without a look at the data",
	 {{"min_every", 5, COUNT, "number of steps between two evaluations, on average, from which the rule fires"}, END},
	 ts_check_evaluation_changes, EACH_RANK},
	{"CROSS.CORRELATED_INSTABILITY", "Several signals jump together",
	 "high if the loss or the gradient norm goes up or is not finite in one of the places and the probability is at most 0.001, "
	 "medium if it is greater, low if neither goes up",
	 "loss, gradient norm, step time or memory jump at the same steps more often than independent signals would by chance, and at "
	 "least one of them goes up",
	 "Look at the batch and the learning rate at the steps named; clip gradients.",
	 "the rule of " PYTSCOPE ", corrected: the count is compared with the coincidences of independent signals, so that long "
	 "runs have no more false findings than short ones; one finding names all places; signals that fall together, as on an easy "
	 "batch, are no instability",
	 {{"min_events", 1, COUNT, "number of coincidences beyond chance from which the rule fires"}, END},
	 ts_check_correlated, EACH_RANK},
	{"DIST.STRAGGLER", "Some ranks delay the others",
	 "high if the time lost is at least high_lost or a slowdown is at least high_slowdown, otherwise medium",
	 "a permutation test over the ranks finds one or more ranks slower than the others",
	 "Compare device, clocks, temperature and other jobs of their hosts with those of the other ranks. Exchange the host, "
	 "then look at the data shards of these ranks.",
	 "the rule of " PYTSCOPE ", corrected: a rank is blamed by what leaving it out would save, with p-values that hold for few "
	 "steps, many ranks and autocorrelated times; it finds several stragglers at once, late and periodic ones, and a wait that "
	 "is hidden in backward",
	 {{"high_lost", 0.10, RATIO, "share of the devices' time lost from which the severity is high"},
	  {"high_slowdown", 0.25, RATIO, "slowdown of a rank from which the severity is high"}, END},
	 ts_check_straggler, JOB},
	{"DIST.LOAD_IMBALANCE", "The work is uneven over the ranks", "medium",
	 "no rank is a straggler, the coefficient of variation of the ranks' own time is at least min_cv, and at least min_lost "
	 "of that time is lost",
	 "Give the ranks batches of similar cost: sort or bucket by length, balance shards, pack sequences.",
	 "the rule of " PYTSCOPE ", with the lost time as a share of own time",
	 {{"min_cv", 0.15, RATIO,
	  "coefficient of variation of the ranks' own time in a step (median over steps) from which the rule fires"},
	  {"min_lost", 0.05, RATIO, "share of the devices' time lost from which the rule fires"}, END},
	 ts_check_load_imbalance, JOB},
	{"DIST.COMM_BOUND", "Steps wait for the network", "high if the share is at least high_share, otherwise medium",
	 "transfer, the least time that any rank spends in communication, takes at least min_share of the wall time",
	 "Overlap communication with computation, use larger buckets, accumulate or compress gradients, and check that the fast "
	 "interconnect is used.",
	 "the rule of " PYTSCOPE ", corrected: the wait for slower ranks is not communication (see DIST.WAIT_BOUND)",
	 {{"min_share", 0.25, RATIO, "share of the wall time from which the rule fires"},
	  {"high_share", 0.45, RATIO, "share of the wall time from which the severity is high"}, END},
	 ts_check_comm_bound, JOB},
	{"DIST.WAIT_BOUND", "Ranks wait for each other", "high if the share is at least high_share, otherwise medium",
	 "the wait for slower ranks takes at least min_share of the wall time, averaged over the ranks",
	 "Fix the stragglers if there are any (DIST.STRAGGLER); otherwise balance the work (DIST.LOAD_IMBALANCE).",
	 "new in tscope; " PYTSCOPE " counts this wait as communication",
	 {{"min_share", 0.15, RATIO, "share of the wall time from which the rule fires"},
	  {"high_share", 0.30, RATIO, "share of the wall time from which the severity is high"}, END},
	 ts_check_wait_bound, JOB},
	{"DIST.MISSING_RANKS", "Ranks are missing", "medium",
	 "at least min_ranks ranks of the world have no steps in the run",
	 "Push the missing ranks (tscope push --join), or find out whether they died. Everything said about ranks holds only for "
	 "the ranks that are present.",
	 "new in tscope; " PYTSCOPE " drops the whole section in this case",
	 {{"min_ranks", 1, COUNT, "number of missing ranks from which the rule fires"}, END},
	 ts_check_missing_ranks, JOB},
	{"DIST.REPLICAS", "Copies of the model differ between ranks", "high",
	 "digests of parameters or of the optimizer's state that were equal on some ranks, also behind an update, are not equal any "
	 "more, and stay so to the end; where the recorder saw DistributedDataParallel around the model, also of parameters that were "
	 "equal at the first step alone",
	 "The ranks train different models from that step on. Look at what changed there on the odd ranks: a gradient that is not "
	 "summed (a hook, a module outside of DistributedDataParallel, no_sync), a step that one rank skipped, random numbers in an "
	 "update, a device that computes wrongly. Restart from a checkpoint from before that step.",
	 "new in tscope; docs/numerics.md says what proves that ranks are replicas and no shards",
	 {END}, ts_check_replicas, JOB},
	{"DIST.EXPOSED_COMM", "Communication is exposed", "high if the share is at least high_share, otherwise medium",
	 "communication that does not overlap with computation takes at least min_share of the devices' time, by a trace",
	 "With DDP change the bucket size, and switch off the search for unused parameters where it is on; with FSDP prefetch shards "
	 "(backward_prefetch, forward_prefetch); keep the ranks of tensor parallelism within a host, or start communication earlier.",
	 "the rule of " PYTSCOPE " on traces, corrected: the time of each device is counted by itself, kernels are known by their "
	 "names without arguments, and copies are no computation; the rule needs a trace of the PyTorch profiler",
	 {{"min_share", 0.05, RATIO, "share of the devices' time, from the first event of each to its last, from which the rule fires"},
	  {"high_share", 0.15, RATIO, "the same share from which the severity is high"}, END},
	 ts_check_exposed_comm, OF_TRACE},
	{"DIST.PIPELINE_BUBBLE", "Pipeline stages are idle",
	 "high if the bubble is at least high_excess above the ideal, or at least high_bubble where the ideal is not known; otherwise "
	 "medium",
	 "the pipeline bubble is at least min_excess larger than the schedule requires or, where the number of microbatches "
	 "is not known, at least min_bubble in all",
	 "Balance the time of the stages, use more microbatches, or use an interleaved or 1F1B (one forward, one backward) schedule.",
	 "the rule of " PYTSCOPE ", applied to a run; the ideal bubble is (p-1)/(m+p-1) for p stages and m microbatches, and with v "
	 "virtual stages (p-1)/(v*m+p-1)",
	 {{"min_excess", 0.05, RATIO, "bubble above the ideal from which the rule fires"},
	  {"high_excess", 0.15, RATIO, "bubble above the ideal from which the severity is high"},
	  {"min_bubble", 0.25, RATIO, "bubble from which the rule fires where the ideal is not known"},
	  {"high_bubble", 0.45, RATIO, "bubble from which the severity is high where the ideal is not known"}, END},
	 ts_check_pipeline_bubble, JOB},
	{"EFFICIENCY.MFU_IMPOSSIBLE", "The MFU is impossibly high", "high",
	 "the model FLOP/s utilization (MFU) is more than max_mfu",
	 "Check flops_per_step (of one device or of all, of one microbatch or of all), the device's name, and the number format "
	 "that the peak is for.",
	 "new in tscope; " PYTSCOPE " limits useful time to the measured time, which hides the error",
	 {{"max_mfu", 1.0, RATIO, "MFU above which the rule fires"}, END},
	 ts_check_mfu_impossible, JOB},
	{"EFFICIENCY.MFU_SUSPICIOUS", "The MFU is higher than published ones", "medium",
	 "the model FLOP/s utilization (MFU) is more than max_mfu and at most 100 %",
	 "Check the convention of flops_per_step (recomputation, the causal half of attention) and the number format that the "
	 "peak is for.",
	 "new in tscope; published large runs reach an MFU of 33 to 58 %",
	 {{"max_mfu", 0.70, RATIO, "MFU above which the rule fires"}, END},
	 ts_check_mfu_suspicious, JOB},
	{"EFFICIENCY.LOW_MFU", "The MFU is low", "high if the MFU is below high_mfu, otherwise medium",
	 "the model FLOP/s utilization (MFU) is less than max_mfu, and a single cause takes at least min_recoverable of the wall time",
	 "Begin with the cause named here; the list below the verdict says what to try first. Published large runs reach an MFU of "
	 "33 to 58 %.",
	 "the rule of " PYTSCOPE ", corrected: time outside the phases counts, and the light of the report uses the same thresholds",
	 {{"max_mfu", 0.50, RATIO, "MFU below which the rule fires"},
	  {"high_mfu", 0.30, RATIO, "MFU below which the severity is high"},
	  {"min_recoverable", 0.10, RATIO, "share of the wall time that the largest cause must take"}, END},
	 ts_check_low_mfu, JOB},
	{"EFFICIENCY.LOGGED_MFU", "The logged MFU is not that of this device and work",
	 "medium if the logged value is impossible, otherwise low",
	 "an MFU or a rate of FLOPs that the run logs is more than the devices can do, or the logged MFU is at least max_times as "
	 "large or as small as the MFU that is computed here",
	 "Look in the training program for the peak, the FLOPs of a step and the number of devices that it computes with: a constant "
	 "for another device is the usual reason. Give them to tscope, too (work.flops_per_step, work.peak_flops).",
	 "new in tscope",
	 {{"max_times", 1.1, NONE, "ratio of the larger to the smaller MFU from which the rule fires"}, END},
	 ts_check_logged_mfu, JOB},
	{"EFFICIENCY.RECOVERABLE", "Time could be won back", "medium",
	 "the MFU is not known, and a single known cause other than computing takes at least min_share of the wall time; not if it is "
	 "data, communication or waiting, which have rules of their own",
	 "Begin with the cause named here; the list below the verdict says what to try first. Give the FLOPs of a step "
	 "(--flops-per-step) to learn the MFU as well.",
	 "the rule of " PYTSCOPE ", corrected: phases of any name count, and the wall time is measured by the clock; time outside the "
	 "phases is TIMING.UNATTRIBUTED",
	 {{"min_share", 0.20, RATIO, "share of the wall time from which the rule fires"}, END},
	 ts_check_recoverable, JOB},
	{"MEMORY.PRESSURE", "The device is nearly full", "high if the share is at least high_pressure, otherwise medium",
	 "the peak of memory is at least min_pressure of the device's memory",
	 "Use a smaller batch or accumulate gradients, use activation checkpointing, or shard the optimizer. A longer "
	 "sequence may not fit.",
	 "TraceML 0.3.6, with its thresholds for step memory",
	 {{"min_pressure", 0.92, RATIO, "peak divided by the device's memory from which the rule fires"},
	  {"high_pressure", 0.97, RATIO, "peak divided by the device's memory from which the severity is high"}, END},
	 ts_check_pressure, EACH_RANK},
	{"MEMORY.FORECAST", "The device will become full",
	 "high if the steps left are at most high_lengths times the steps run, otherwise medium",
	 "memory grows as for MEMORY.GROWTH, and the device will be full within max_lengths times as many steps as it has grown for",
	 "Find what grows (MEMORY.GROWTH), or restart from a checkpoint before the device is full.",
	 "new in tscope; " PYTSCOPE " does not know the device's memory",
	 {{"max_p_value", 0.01, NONE, "largest p-value of the growth at which the rule fires"},
	  {"max_lengths", 3, NONE, "largest ratio of steps left to steps run at which the rule fires"},
	  {"high_lengths", 1, NONE, "largest ratio of steps left to steps run at which the severity is high"}, END},
	 ts_check_forecast, EACH_RANK},
	{"MEMORY.GROWTH", "Memory grows", "high if the share is at least high_share, otherwise medium",
	 "memory grows by more than chance explains (max_p_value), or its floor grows from some step to the end, as under a sawtooth, "
	 "or rises in three stairs or more; the interval of its growth does not hold 0; and in all it grows by at least min_share of "
	 "its peak",
	 "Detach tensors that are kept for logging (.item(), .detach()), do not keep graphs across steps, and limit caches and lists "
	 "that grow.",
	 "the rule of " PYTSCOPE ", corrected: in place of a least growth per step, which lets a slow leak of 49 GB pass, the rule "
	 "uses a share of the peak and the confidence of the slope",
	 {{"max_p_value", 0.01, NONE, "largest p-value of the growth at which the rule fires"},
	  {"min_share", 0.01, RATIO, "growth over the run, as a share of the peak, from which the rule fires"},
	  {"high_share", 0.10, RATIO, "growth over the run, as a share of the peak, from which the severity is high"}, END},
	 ts_check_growth, EACH_RANK},
	{"MEMORY.FRAGMENTATION", "The allocator holds memory that no tensor uses",
	 "medium if the share is at least medium_ratio, otherwise low",
	 "at the memory peaks of the steps, at least min_ratio of the reserved memory is unused, and the peak is at least min_peak",
	 "Let segments expand (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), and keep tensor shapes the same from step to step.",
	 "the rule of " PYTSCOPE ", corrected: it uses the peaks within steps, not the ends of steps, where a healthy run holds "
	 "little memory",
	 {{"min_peak", 67108864, TS_UNIT_BYTES, "smallest peak of memory at which the rule fires"},
	  {"min_ratio", 0.20, RATIO, "share of the reserved memory that is unused from which the rule fires"},
	  {"medium_ratio", 0.40, RATIO, "share of the reserved memory that is unused from which the severity is medium"}, END},
	 ts_check_fragmentation, EACH_RANK},
	{"MEMORY.RANK_IMBALANCE", "One rank needs far more memory", "medium",
	 "the largest memory peak of any rank is at least min_skew above the median of the ranks, and, where the device's memory is "
	 "known, at least min_pressure of it",
	 "Balance shards or stages by memory, and do not gather logging and evaluation on one rank.",
	 "TraceML 0.3.6, its rule on imbalance, applied to the true peaks",
	 {{"min_skew", 0.20, RATIO, "excess of the largest peak over the median of the ranks from which the rule fires"},
	  {"min_pressure", 0.30, RATIO, "smallest share of the device's memory at which the rule fires"}, END},
	 ts_check_memory_imbalance, JOB},
	{"MEMORY.OUT_OF_MEMORY", "Memory ran out", "high",
	 "a request was refused, and what was free in segments that could have served it is, together with what the device had left, "
	 "less than it asked for; or the device alone had enough left; by a memory snapshot",
	 "Where the device had enough left, raise the limit on the process, or look at what else uses the device. Otherwise use a "
	 "smaller batch or accumulate gradients, recompute activations, shard or shrink the optimizer's state, and let go of what "
	 "is carried from step to step; tscope analyze --at oom SNAPSHOT shows what was held.",
	 "new in tscope; other tools show the snapshot and leave the reason to the reader",
	 {END}, ts_check_out_of_memory, OF_SNAPSHOT},
	{"MEMORY.OOM_FRAGMENTED", "Memory ran out in pieces", "high",
	 "a request was refused although at least as much was free in segments that could have served it, alone or with what was "
	 "left on the device, by a memory snapshot",
	 "Let segments expand (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True) if they do not; allocate what stays for long, such as "
	 "caches and copies for plots, before the training's tensors or on the host; keep shapes the same from step to step.",
	 "new in tscope: Axolotl's analyze_profile.py counts cached segments as fragmentation, which the allocator gives back "
	 "before it refuses a request",
	 {END}, ts_check_oom_fragmented, OF_SNAPSHOT},
	{"MEMORY.HEADROOM", "Little memory is left", "high if less than high_bytes is left, otherwise medium",
	 "less than min_bytes, and no more than max_share, of the device's memory was never reserved, by a memory snapshot",
	 "Use a smaller batch or accumulate gradients, recompute activations, or shard the optimizer. A longer sequence may not "
	 "fit.",
	 "Axolotl's analyze_profile.py, with its limits, corrected: the most that was reserved counts, not the end; on small "
	 "devices its limits would always be reached, so the share counts, too",
	 {{"min_bytes", 2e9, TS_UNIT_BYTES, "head-room below which the rule fires"},
	  {"high_bytes", 1e9, TS_UNIT_BYTES, "head-room below which the severity is high"},
	  {"max_share", 0.25, RATIO, "largest share of the device's memory at which the rule fires"}, END},
	 ts_check_headroom, OF_SNAPSHOT},
	{"MEMORY.FRAGMENTS", "Free memory is stuck between blocks", "medium if the share is at least medium_share, otherwise low",
	 "at the end of a memory snapshot at least min_share of the reserved memory is free where empty_cache does not return it, and "
	 "at least min_reserved is reserved",
	 "Let segments expand (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True) if they do not, keep tensor shapes the same from step "
	 "to step, and look at the blocks beside the largest gaps.",
	 "Axolotl's analyze_profile.py, with its limits, corrected: whole free segments are cache, which empty_cache returns, and "
	 "are not counted",
	 {{"min_share", 0.10, RATIO, "share of the reserved memory from which the rule fires"},
	  {"medium_share", 0.20, RATIO, "share of the reserved memory from which the severity is medium"},
	  {"min_reserved", 1073741824, TS_UNIT_BYTES, "smallest reserved memory at which the rule fires"}, END},
	 ts_check_fragments, OF_SNAPSHOT},
	{"MEMORY.RETRIES", "The allocator asks the device again", "high if there are at least high_retries, otherwise medium",
	 "at least min_retries requests made the allocator give cached segments back and ask the device again, by a memory "
	 "snapshot",
	 "The device is full of cache of other sizes: let segments expand (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), keep "
	 "shapes the same, or use less memory. Each retry waits for all work of the device.",
	 "new in tscope; torch counts num_alloc_retries, and does not say where",
	 {{"min_retries", 1, COUNT, "number of retries from which the rule fires"},
	  {"high_retries", 10, COUNT, "number of retries from which the severity is high"}, END},
	 ts_check_retries, OF_SNAPSHOT},
	{"MEMORY.EMPTIED", "The allocator's cache is emptied again and again", "low",
	 "memory that was given back to the device although no request needed it adds up to at least min_peaks times the most that was "
	 "reserved, by a memory snapshot",
	 "Do not call torch.cuda.empty_cache() in the loop: it makes no more memory available to torch, waits for all work of the "
	 "device, and what was given back is asked for again.",
	 "PyTorch, CUDA semantics, \"Memory management\"; new in tscope",
	 {{"min_peaks", 2, NONE, "what was given back, divided by the most that was reserved, from which the rule fires"}, END},
	 ts_check_emptied, OF_SNAPSHOT},
	{"MEMORY.CARRIED", "Memory is kept from step to step", "medium if the share is at least medium_share, otherwise low",
	 "what outlived two steps of the optimizer, and is neither parameter, gradient nor optimizer state, is at least min_share "
	 "of the peak, by a memory snapshot",
	 "Detach what is kept for logging or plots (.item(), .detach().cpu()), do not keep graphs across steps, and limit caches.",
	 "new in tscope",
	 {{"min_share", 0.01, RATIO, "share of the peak from which the rule fires"},
	  {"medium_share", 0.10, RATIO, "share of the peak from which the severity is medium"}, END},
	 ts_check_carried, OF_SNAPSHOT},
	{"MEMORY.GRADIENTS_KEPT", "Gradients wait through the forward pass",
	 "medium if the share is at least medium_share, otherwise low",
	 "the peak lies in a forward pass, and gradients that are older than the optimizer's last step, or than the recording, hold at "
	 "least min_share of it, by a memory snapshot",
	 "Call zero_grad(set_to_none=True), which is the default, right after the optimizer's step and not before backward. Where "
	 "gradients are accumulated, nothing is wrong.",
	 "new in tscope",
	 {{"min_share", 0.10, RATIO, "share of the peak from which the rule fires"},
	  {"medium_share", 0.20, RATIO, "share of the peak from which the severity is medium"}, END},
	 ts_check_gradients_kept, OF_SNAPSHOT},
	{"MEMORY.OPTIMIZER_STATE", "The optimizer's state is large", "low",
	 "the state of the optimizer is at least min_share of the peak, by a memory snapshot",
	 "Shard it over the ranks (ZeRO, FSDP), keep it in 8 bits, or use an optimizer with less state.",
	 "new in tscope",
	 {{"min_share", 0.40, RATIO, "share of the peak from which the rule fires"}, END},
	 ts_check_optimizer_state, OF_SNAPSHOT},
	{"MEMORY.CHURN", "One place asks for memory again and again", "low",
	 "one function asked for at least min_peaks times the peak in all, and for at least min_share of all that was asked for, "
	 "by a memory snapshot",
	 "Compute in place or with foreach and fused operations, reuse buffers, or compile the function: each temporary is written "
	 "and read once more.",
	 "Axolotl's analyze_profile.py lists it by exact size; here by function, beside the peak",
	 {{"min_peaks", 3, NONE, "what was asked for, divided by the peak, from which the rule fires"},
	  {"min_share", 0.50, RATIO, "share of all that was asked for from which the rule fires"}, END},
	 ts_check_churn, OF_SNAPSHOT},
	{"TRACE.HOST_BOUND", "The device waits for the host", "high if the share is at least high_share, otherwise medium",
	 "the device is idle because the host has not asked for the next work yet, and does not set the device up, for at least "
	 "min_share of its time, by a trace",
	 "Find what the host does meanwhile: data loading, .item() and other reads of the device, Python between the calls. Compile "
	 "the model or capture CUDA graphs, so that fewer calls are needed.",
	 "the fifth advice of Axolotl's analyze_profile.py, from 50 % on, corrected: idle time is measured by cause and not by sums "
	 "that count twice what ran at once",
	 {{"min_share", 0.20, RATIO, "share of the devices' time from which the rule fires"},
	  {"high_share", 0.50, RATIO, "share of the devices' time from which the severity is high"},
	  {"min_events", 50, COUNT, "number of events of devices from which the rule is checked"},
	  {"max_unlaunched", 0.50, RATIO, "share of the events without their launching call above which the rule is unchecked"}, END},
	 ts_check_host_bound, OF_TRACE},
	{"TRACE.SYNC", "The host waits until the device has nothing to do",
	 "high if the share is at least high_share, otherwise medium",
	 "calls with which the host waits for the device run it dry, and it is then idle, for as long as the calls took at most, for "
	 "at least min_share of its time, by a trace",
	 "Do not wait there: read losses and norms once in many steps instead of by .item() in each, copy with non_blocking=True from "
	 "pinned memory, and leave out torch.cuda.synchronize() and shapes that depend on data.",
	 "new in tscope",
	 {{"min_share", 0.05, RATIO, "share of the devices' time from which the rule fires"},
	  {"high_share", 0.20, RATIO, "share of the devices' time from which the severity is high"},
	  {"min_events", 50, COUNT, "number of events of devices from which the rule is checked"},
	  {"max_unlaunched", 0.50, RATIO, "share of the events without their launching call above which the rule is unchecked"}, END},
	 ts_check_sync, OF_TRACE},
	{"TRACE.LAUNCH_BOUND", "Launching takes longer than the work", "high if the share is at least high_share, otherwise medium",
	 "the device has nothing queued and waits from the call to the begin of the work, for at least min_share of its time, by a "
	 "trace",
	 "Launch fewer and longer kernels: torch.compile(mode='reduce-overhead'), CUDA graphs, fused or foreach optimizers, a larger "
	 "batch.",
	 "new in tscope; HTA counts this time as host_wait",
	 {{"min_share", 0.10, RATIO, "share of the devices' time from which the rule fires"},
	  {"high_share", 0.25, RATIO, "share of the devices' time from which the severity is high"},
	  {"min_events", 50, COUNT, "number of events of devices from which the rule is checked"},
	  {"max_unlaunched", 0.50, RATIO, "share of the events without their launching call above which the rule is unchecked"}, END},
	 ts_check_launch_bound, OF_TRACE},
	{"TRACE.FIRST_LAUNCH", "Kernels are loaded, or the device set up, in the recording", "low",
	 "the device waits for the first work of a name for a millisecond and more, most of which the call lasts that launches it, or "
	 "for as long a call that sets the device up, for at least min_share of its time in all, by a trace",
	 "What a first launch loads, and what sets a device up, is there from then on: record after some steps (schedule(wait=1, "
	 "warmup=2, active=5)), have a server answer some requests before it counts, or load all when the program begins "
	 "(CUDA_MODULE_LOADING=EAGER).",
	 "new in tscope; a launch on an idle device takes microseconds",
	 {{"min_share", 0.01, RATIO, "share of the devices' time from which the rule fires"}, END},
	 ts_check_first_launch, OF_TRACE},
	{"TRACE.COPIES", "Copies are exposed", "high if the share is at least high_share, otherwise medium",
	 "copies that overlap with neither computation nor communication take at least min_share of the devices' time, by a trace",
	 "Pin the memory of the host and copy with non_blocking=True on a stream of its own, ahead of the work; keep on the device "
	 "what "
	 "is read back and forth; within a device leave out clone, contiguous and cat where a view does.",
	 "the second advice of Axolotl's analyze_profile.py, from 10 % on, corrected: copies alone, and only their exposed time",
	 {{"min_share", 0.05, RATIO, "share of the devices' time from which the rule fires"},
	  {"high_share", 0.20, RATIO, "share of the devices' time from which the severity is high"}, END},
	 ts_check_copies, OF_TRACE},
	{"TRACE.FILLS", "Tensors are filled at length", "low",
	 "fills of memory, by kernels and by memset, take at least min_share of the sum of all work, by a trace",
	 "Set gradients to None instead of zero, allocate with torch.empty what is written anyway, and keep buffers.",
	 "the third advice of Axolotl's analyze_profile.py, unchanged but for memsets, which it does not see",
	 {{"min_share", 0.05, RATIO, "share of the sum of all durations from which the rule fires"}, END},
	 ts_check_fills, OF_TRACE},
	{"TRACE.ELEMENTWISE", "Single elementwise operations take much of the time", "low",
	 "elementwise kernels that nothing fused, and kernels that cast, transpose or otherwise copy, take at least min_share of the "
	 "sum of all work, by a trace",
	 "Compile the model, so that they are fused with their neighbours, and use fused normalizations, losses and optimizers.",
	 "the reading of KempnerForge for \"other\" kernels above 40 %, of the elementwise ones and those that copy alone",
	 {{"min_share", 0.30, RATIO, "share of the sum of all durations from which the rule fires"}, END},
	 ts_check_elementwise, OF_TRACE},
	{"TRACE.LOADER", "The device waits for data", "high if the share is at least high_share, otherwise medium",
	 "the device is idle because the host has not asked for the next work yet, while a thread of the host is in a data loader, "
	 "for at least min_share of its time, by a trace",
	 "Give the data loader workers (num_workers), let it prefetch further ahead, keep the workers between epochs, and move costly "
	 "transforms out of it.",
	 "the reading of Holistic Trace Analysis and of the profiler's plugin for TensorBoard, of the time alone in which a device "
	 "was idle",
	 {{"min_share", 0.10, RATIO, "share of the devices' time from which the rule fires"},
	  {"high_share", 0.25, RATIO, "share of the devices' time from which the severity is high"},
	  {"min_events", 50, COUNT, "number of events of devices from which the rule is checked"},
	  {"max_unlaunched", 0.50, RATIO, "share of the events without their launching call above which the rule is unchecked"}, END},
	 ts_check_loader, OF_TRACE},
	{"TRACE.MATH_ATTENTION", "Attention computes all scores", "medium",
	 "what aten::_scaled_dot_product_attention_math launched, or a product, a softmax and a product that make up attention, takes "
	 "at least min_share of the sum of all work, by a trace",
	 "Let a fused kernel run: call scaled_dot_product_attention where attention is written in single operations. It needs a format "
	 "of 16 bits, and a head size and a mask that it supports. Where torch.nn.attention.sdpa_kernel allows one kernel alone, torch "
	 "warns why that one cannot run.",
	 "Dao et al. 2022, FlashAttention (arXiv:2205.14135); PyTorch, scaled_dot_product_attention",
	 {{"min_share", 0.05, RATIO, "share of the sum of all durations from which the rule fires"}, END},
	 ts_check_math_attention, OF_TRACE},
	{"TRACE.RECOMPILED", "The host compiles while training runs", "high if the share is at least high_share, otherwise medium",
	 "torch.compile compiles on the host for at least min_share of the time of a trace",
	 "If the trace begins after the warm-up, ask TORCH_LOGS=recompiles why: pad shapes or mark them dynamic, and keep numbers "
	 "that change out of compiled functions. Otherwise record a later step.",
	 "PyTorch, torch.compile, \"Recompilation\"",
	 {{"min_share", 0.05, RATIO, "share of the time of the main thread from which the rule fires"},
	  {"high_share", 0.25, RATIO, "share of the time of the main thread from which the severity is high"}, END},
	 ts_check_recompiled, OF_TRACE},
	{"TRACE.WAITING", "Ranks wait for each other", "high if the share is at least high_share, otherwise medium",
	 "a rank that computes nothing waits in its kernels of communication for ranks that have not come, for at least min_share of "
	 "its time, by the traces of a job",
	 "Look at the ranks that others wait for: whether they compute more than the others, load data, or wait for their host. "
	 "Balance the work of ranks. A faster network saves none of this time.",
	 "new in tscope; DIST.WAIT_BOUND is the same of steps",
	 {{"min_share", 0.05, RATIO, "share of the rank's time from which the rule fires"},
	  {"high_share", 0.15, RATIO, "share of the rank's time from which the severity is high"}, END},
	 ts_check_waiting, OF_TRACE, .of_job = true},
	{"MACHINE.GPU_THROTTLED", "Heat or its board holds the clock of a GPU",
	 "high if the share is at least high_share, otherwise medium",
	 "the driver of a GPU says for at least min_share of the time that its clock is held by heat, or by what its board or "
	 "other GPUs ask",
	 "Look at the cooling of that machine: fans, filters, the temperature of the air, and whether the GPU beside it is as hot. "
	 "What a power brake or another GPU asks for is an affair of the machine's power supply or of its settings.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_share", 0.05, RATIO, "share of the time from which the rule fires"},
	  {"high_share", 0.20, RATIO, "share of the time from which the severity is high"}, END},
	 ts_check_gpu_throttled, OF_MACHINE},
	{"MACHINE.GPU_POWER_LIMIT", "The power of a GPU is limited below what it was made for",
	 "medium",
	 "the clock of a GPU is held by its limit of power for at least min_share of the time, and the limit is at most max_limit "
	 "of the one that its maker set; a GPU that reaches the limit that it was made with is fully used, and nothing is wrong",
	 "Ask who lowered the limit (nvidia-smi -pl, the configuration of the cluster, the mode of the machine's power supply), "
	 "and whether that was meant for this work.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_share", 0.10, RATIO, "share of the time from which the rule fires"},
	  {"max_limit", 0.95, RATIO, "the limit divided by that of the maker, up to which the rule fires"}, END},
	 ts_check_gpu_limited, OF_MACHINE},
	{"MACHINE.GPU_SLOWER", "A GPU has a lower clock than those beside it",
	 "high if it is at least high_behind, otherwise medium",
	 "of the GPUs that were busy, one has at work a clock that is at least min_behind below the median of the others",
	 "Compare its limit of power, its temperature and what holds its clock with those of the others (tscope show RUN "
	 "--machine). In a job whose ranks wait for each other one slow GPU makes all of them slow.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_behind", 0.07, RATIO, "how far below the others from which the rule fires"},
	  {"high_behind", 0.20, RATIO, "how far below from which the severity is high"}, END},
	 ts_check_gpu_behind, OF_MACHINE},
	{"MACHINE.GPU_HOTTER", "A GPU is hotter than those beside it",
	 "low",
	 "of the GPUs that were busy, one is at work at least min_hotter degrees Celsius above the median of the others, and has "
	 "at least min_heat",
	 "Look at its place in the machine and at its fan or heat sink. As long as nothing holds its clock it is not slower for "
	 "it.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_hotter", 18, NONE, "degrees Celsius above the others from which the rule fires"},
	  {"min_heat", 78, NONE, "degrees Celsius from which the rule fires"}, END},
	 ts_check_gpu_hotter, OF_MACHINE},
	{"MACHINE.GPU_ERROR", "The driver reported an error of a GPU",
	 "high if there were errors of memory that could not be corrected, otherwise medium",
	 "an Xid of the driver, or at least min_errors uncorrected errors of memory, came while the run went on",
	 "Look the Xid up in NVIDIA's list of Xid errors: 13, 31, 43 and 45 are most often of the program, 48, 63, 64, 74, 79, 94 "
	 "and 95 of the hardware. A GPU with uncorrected errors should be reset, or taken out, before the next run.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_errors", 1, COUNT, "number of uncorrected errors from which the rule fires"}, END},
	 ts_check_gpu_error, OF_MACHINE},
	{"MACHINE.TINY_KERNELS", "GPUs are starved by many tiny kernels",
	 "medium",
	 "the GPUs that are used are busy for at most max_busy of the time, and by a trace of the run kernels take at most "
	 "max_mean on the average while at least min_rate of them are launched in a second; without a trace the rule does not "
	 "apply",
	 "Launch less: CUDA graphs (torch.compile with mode reduce-overhead), fused operations, a larger batch, foreach or fused "
	 "optimizers.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_busy", 0.02, RATIO, "share of the time from which a GPU counts as used"},
	  {"max_busy", 0.60, RATIO, "share of the time up to which the rule fires"},
	  {"max_mean", 0.00002, SECONDS, "mean time of a kernel up to which the rule fires"},
	  {"min_rate", 10000, NONE, "kernels a second from which the rule fires"}, END},
	 ts_check_tiny_kernels, OF_MACHINE},
	{"MACHINE.WORKERS_BUSY", "Workers that load data compute all the time",
	 "high if steps wait for data for at least high_data of their time, medium for at least min_data, low if that is not "
	 "recorded",
	 "a worker uses at least min_cores of a core on the average, and steps wait for data for at least min_data of their time, "
	 "or nothing says whether they do",
	 "Make transforms cheaper, do them once and keep the result, or on the GPU; or give the loader more workers, as long as "
	 "there are cores.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_cores", 0.90, NONE, "cores that a worker uses from which the rule fires"},
	  {"min_data", 0.10, RATIO, "share of the step time that waits for data from which the rule fires"},
	  {"high_data", 0.40, RATIO, "the same share from which the severity is high"}, END},
	 ts_check_workers_busy, OF_MACHINE},
	{"MACHINE.WORKERS_BLOCKED", "Workers that load data wait for storage",
	 "high if steps wait for data for at least high_data of their time, medium for at least min_data, low if that is not "
	 "recorded",
	 "workers are blocked by a disk or a network file system for at least min_blocked of their time, and steps wait for data "
	 "for at least min_data of theirs, or nothing says whether they do",
	 "Read larger pieces in sequence (archives of many samples, formats made for it), copy the data to a disk of the machine "
	 "first, or have more workers, whose waits overlap.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_blocked", 0.30, RATIO, "share of the time from which the rule fires"},
	  {"min_data", 0.10, RATIO, "share of the step time that waits for data from which the rule fires"},
	  {"high_data", 0.40, RATIO, "the same share from which the severity is high"}, END},
	 ts_check_workers_blocked, OF_MACHINE},
	{"MACHINE.THREADS", "More threads than cores",
	 "medium if the quota held the run for at least medium_held of the time, otherwise low",
	 "threads of the training that run or could run are at least min_ready times the cores that it may use, on the average of "
	 "at least min_looks looks",
	 "Set OMP_NUM_THREADS, torch.set_num_threads and the loader's num_workers so that all threads together are about as many "
	 "as the cores that the container may use; libraries often count those of the whole machine.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_looks", 5, COUNT, "number of looks that the rule needs"},
	  {"min_ready", 2, NONE, "threads divided by cores from which the rule fires"},
	  {"medium_held", 0.05, RATIO, "share of the time held by the quota from which the severity is medium"}, END},
	 ts_check_threads, OF_MACHINE},
	{"MACHINE.CPU_QUOTA", "A quota of CPUs holds the run",
	 "high if the share is at least high_share, otherwise medium",
	 "the control group of the run was held by its quota of CPU time for at least min_share of the time",
	 "Ask for more CPUs for the container, or let the run have fewer threads and workers: a quota that is used up in the first "
	 "part of each period stops all threads for its rest.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_share", 0.10, RATIO, "share of the time from which the rule fires"},
	  {"high_share", 0.30, RATIO, "share of the time from which the severity is high"}, END},
	 ts_check_cpu_quota, OF_MACHINE},
	{"MACHINE.MEMORY_GROWS", "Memory of the host grows all the time",
	 "high if the limit is reached within high_left at that rate, medium within seven times as long, otherwise low",
	 "of the last three quarters of the run, cut into six parts, each has a higher least use of memory than the one before; "
	 "the rise over them is at least min_share and min_bytes, takes at least min_s, and is at the end at least min_late of "
	 "what it was at the beginning",
	 "Look for what is kept from step to step: a list of losses with their graphs, a cache without a limit, samples that a "
	 "loader's workers hold as Python objects (each worker then copies the pages that it touches).",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_s", 600, SECONDS, "time of the rise that the rule needs"},
	  {"min_share", 0.05, RATIO, "rise, relative to the first part, from which the rule fires"},
	  {"min_bytes", 67108864, TS_UNIT_BYTES, "rise from which the rule fires"},
	  {"min_late", 0.5, RATIO, "rise over the last two parts divided by that over the first two from which the rule fires"},
	  {"high_left", 86400, SECONDS, "time until the limit is reached up to which the severity is high"}, END},
	 ts_check_host_memory, OF_MACHINE},
	{"MACHINE.SWAPPING", "The machine swaps",
	 "high if some process waited for memory for at least high_waits of the time, otherwise medium",
	 "at least 100 pages a second were swapped in or out during at least min_share of the time",
	 "Let fewer processes share the machine, give the loader fewer workers or less to prefetch, and look for memory that "
	 "grows.",
	 "new in tscope",
	 {{"min_observations", 30, COUNT, "number of observations that the rule needs"},
	  {"min_share", 0.05, RATIO, "share of the time from which the rule fires"},
	  {"high_waits", 0.10, RATIO, "share of the time in which a process waited for memory from which the severity is high"}, END},
	 ts_check_swapping, OF_MACHINE},
	{"MACHINE.NEIGHBOURS", "Others use the machine",
	 "high if steal is at least high_stolen, otherwise medium",
	 "the host of a virtual machine gives at least min_stolen of its time to others; or other processes use at least "
	 "min_others of the machine's cores, min_full of them are in use, and a process waited for a core for at least min_waits "
	 "of the time, while neither a quota held the run nor its own threads were too many",
	 "Ask for a machine or cores of its own (exclusive nodes, cpusets), or find the processes (top, ps) that are not of this "
	 "run.",
	 "new in tscope",
	 {{"min_observations", 10, COUNT, "number of observations that the rule needs"},
	  {"min_stolen", 0.05, RATIO, "share of the time that is stolen from which the rule fires"},
	  {"high_stolen", 0.15, RATIO, "the same share from which the severity is high"},
	  {"min_others", 0.20, RATIO, "cores of others divided by all from which the rule fires"},
	  {"min_full", 0.85, RATIO, "cores in use divided by all from which the rule fires"},
	  {"min_waits", 0.20, RATIO, "share of the time in which a process waited for a core from which the rule fires"}, END},
	 ts_check_neighbours, OF_MACHINE},
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
			"These are all findings that `tscope analyze` can report about a run. `tscope explain --markdown` prints\n"
			"this page from the table in `analysis/rules/rules.c`, and a test keeps the page equal to that output.\n\n"
			"A rule fires, passes, is unchecked, or does not apply. A report lists unchecked rules with the\n"
			"reason: a series that the rule needs is missing or not finite, there are too few steps, or a policy\n"
			"switched the rule off. Rules on several ranks do not apply to a run of one rank, the rule on\n"
			"pipelines does not apply to a run without stages, and rules on traces, on memory snapshots and on\n"
			"the machine (MACHINE, what `tscope run` observes of it) do not apply to a run without any, or whose\n"
			"machine has no GPU or whose loader no worker; a report does not list these. A value equal to a\n"
			"threshold counts as having reached it, except where the text says \"more than\" or \"less than\".\n\n"
			"`tscope analyze ./trace.json.gz` asks the rules TRACE and DIST.EXPOSED_COMM of a trace that stands alone,\n"
			"and `tscope analyze RUN` of the traces of a run's ranks (docs/trace.md, \"A trace in a run\").\n"
			"The devices' time in them is from the first event of each device to its last. Rules that say \"by a\n"
			"memory snapshot\" are asked of a snapshot that stands alone and of those of a run's ranks in the same way\n"
			"(docs/memory.md, \"A snapshot in a run\").\n\n"
			"In a run of several ranks the rules TIMING, CONVERGENCE, CROSS, TRACE, MEMORY (but not\n"
			"MEMORY.RANK_IMBALANCE) and, where each machine has a rank that it was observed for, MACHINE look at every\n"
			"rank, and what several ranks show is one finding: its numbers are those of the worst rank (of a NaN, the\n"
			"first), and it says which ranks show it. Many ranks are many chances of a false finding, so\n"
			"where a rule rests on a probability, the i least likely of R ranks count if the i-th is below i/R of\n"
			"the level for one rank (Benjamini and Hochberg, 1995).\n"
			"With `--rank K` these rules look at rank K alone.\n\n"
			"A policy file sets thresholds, one per line, and switches rules off:\n\n"
			"    TIMING.JITTER.min_cv = 0.8      # ratios are numbers: 0.8 is 80 %\n"
			"    MEMORY.FRAGMENTATION = off\n\n"
			"| code | severity | fires when |\n|---|---|---|\n");
	for (size_t i = 0; i < ts_rules_n; i++)
		ts_buf_printf(out, "| %s | %s | %s |\n", ts_rules[i].code, ts_rules[i].severity, ts_rules[i].trigger);
	for (size_t i = 0; i < ts_rules_n; i++) {
		const struct ts_rule *r = &ts_rules[i];

		ts_buf_printf(out, "\n## %s\n\n**%s.** The rule fires when %s.\n\nSeverity: %s.\n\n", r->code, r->title, r->trigger,
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
