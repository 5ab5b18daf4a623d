/* work.h - how much work a step is (FLOPs, tokens, samples) and on which devices it runs, from the facts of a run.
 *
 * A number that is missing, text, not finite or not above 0 is unknown, with the reason. A hint in a framework's
 * configuration ("config.precision") does not count as a declaration and is not read.
 *
 *	work.flops_per_step		model FLOPs of one step (without recomputation), of work.flops_ranks ranks together (1
 *					if not said)
 *	work.flops_convention		how they were counted: "6N", "palm", "torch flop counter x 3"
 *	work.hardware_flops_per_step	FLOPs really done, with recomputation; or work.recompute_flops_per_step, what comes on
 *					top; or work.recompute: "full" (a second forward pass: 4/3, backward taken as twice
 *					forward), "none"
 *	work.peak_flops			operations a second of one device; work.dtype: "bf16", which names the peak in
 *					peaks.tsv
 *	work.tokens_per_step, work.samples_per_step	of the whole job
 *	work.accumulation		records of steps.jsonl an optimizer step, where there is one a micro-batch
 *	hardware.cuda_available, libraries.torch ("+cpu")	whether that is a CPU; and what says where the program computes:
 *	config.device, .accelerator, .trainer.accelerator, ...	"cpu", "cuda:0", "mps"; config.use_cpu, .no_cuda
 *	hardware.gpu, hardware.gpus[i].name, .memory	the device and its bytes; all must be of one type, or neither is known
 *	work.device_memory		bytes of one device; without it hardware.gpus[i].memory, without that what the device's name
 *					says (ts_device_memory)
 *	config.**.num_workers, .dataloader_num_workers	processes that load data, if all such keys agree; and
 *	config.**.steps_per_epoch	steps of an epoch: hints that are read, because they only say what a period may be
 *	parallelism.world_size, .pipeline_stages, .microbatches, .virtual_stages
 *	session.wall_time, session.n_steps	seconds and steps of the whole run as its profiler counted them
 */
#ifndef TSCOPE_ANALYSIS_RANK_WORK_H
#define TSCOPE_ANALYSIS_RANK_WORK_H

#include "run/fact.h"

struct ts_work_number {
	bool known;
	bool said;	    /* the run states it, whether it can be used or not */
	bool told;	    /* it is that of an option, and not of the run */
	double value;	    /* finite, above 0 */
	const char *source; /* if known: "command line", "run.json", "pusher", ... */
	const char *reason; /* if not known: static text */
};

struct ts_work_text {
	struct ts_span text; /* empty if not known */
	const char *source;
	const char *reason;
};

struct ts_work {
	struct ts_work_number flops_per_step, hardware_flops_per_step, recompute_flops_per_step, flops_ranks;
	struct ts_work_number peak_flops, tokens_per_step, samples_per_step, accumulation;
	struct ts_work_number warmup_steps; /* that the program declared */
	struct ts_work_number world_size, pipeline_stages, microbatches, virtual_stages;
	struct ts_work_number wall_time_s, n_steps;
	struct ts_work_number device_bytes; /* size of the device's memory */
	/* Names for what comes back every so many steps; nothing is computed from them. */
	struct ts_work_number loader_workers, steps_per_epoch;
	struct ts_work_text dtype, convention, recompute, device;
	struct ts_work_text placed;	 /* where the configuration has it compute: "cpu", "cuda:0" */
	struct ts_work_text device_kind; /* "GPU", "CPU" */
	/* These are not facts; the caller fills them. */
	int32_t rank;	     /* the analyzed rank, whose timing rows there are */
	uint32_t n_ranks;    /* ranks in the run */
	uint64_t warmup_cut; /* steps left out of the timing rows */
	struct ts_work_number tokens, samples; /* sums of these columns over the counted steps, of all ranks that have them */
};

#define TS_WORK_CAPACITY_MAX 0x1p62 /* bytes; no device has as many */

/* facts are sorted and are all facts of the analyzed rank (ts_facts_whole). Spans point into them. tokens and samples are
 * unknown afterwards. */
void ts_work_of_facts(const struct ts_facts *facts, struct ts_work *ret_work);
/* Sets a number that the user gave, which takes precedence over every fact. value is finite and above 0. */
void ts_work_override(struct ts_work_number *number, double value);
/* The memory of a device in whole bytes; 0: it is not known, or cannot be that of one. */
uint64_t ts_work_capacity(const struct ts_work *work);

#endif
