#include "analysis/rules/condition.h"

#include "analysis/answer/phase.h"
#include "analysis/answer/row_words.h"
#include "analysis/rules/memory_advice.h"
#include "base/door.h"

static enum ts_answered truth_of(bool yes)
{
	return yes ? TS_ANSWERED_YES : TS_ANSWERED_NO;
}

static enum ts_answered either(enum ts_answered a, enum ts_answered b)
{
	if (a == TS_ANSWERED_YES || b == TS_ANSWERED_YES)
		return TS_ANSWERED_YES;
	return a == TS_ANSWERED_NO && b == TS_ANSWERED_NO ? TS_ANSWERED_NO : TS_ANSWERED_UNKNOWN;
}

static enum ts_answered opposite(enum ts_answered a)
{
	return a == TS_ANSWERED_YES ? TS_ANSWERED_NO : a == TS_ANSWERED_NO ? TS_ANSWERED_YES : TS_ANSWERED_UNKNOWN;
}

static bool value(const struct ts_measures *m, enum ts_measure_name what, const char *of, double *ret)
{
	return ts_measure_value(m, what, ts_span_str(of), ret) && isfinite(*ret);
}

/* Whether a share is known, and is at least so much. */
static enum ts_answered at_least(const struct ts_measures *m, enum ts_measure_name share, const char *of, double least)
{
	double got;

	return value(m, share, of, &got) ? truth_of(got >= least) : TS_ANSWERED_UNKNOWN;
}

static struct ts_span text(const struct ts_measures *m, enum ts_measure_name what)
{
	const struct ts_measure *row = ts_measure_find(m, what, TS_NO_SUBJECT);

	return row && row->known ? row->text : ts_span_str("");
}

/* --- the device --- */

static enum ts_answered device_is(const struct ts_measures *m, enum ts_device_kind kind)
{
	enum ts_device_kind known = ts_device_kind_of(text(m, TS_M_DEVICE_KIND));

	return known ? truth_of(known == kind) : TS_ANSWERED_UNKNOWN;
}

/* A trace of a device, or what only an allocator of one records, is of one that torch.cuda has. */
static enum ts_answered cuda(const struct ts_measures *m)
{
	enum ts_answered said = ts_setting_of(m, TS_SETTING_CUDA);
	double got;

	if (said || device_is(m, TS_DEVICE_CPU) == TS_ANSWERED_YES)
		return said ? said : TS_ANSWERED_NO;
	if (device_is(m, TS_DEVICE_GPU) == TS_ANSWERED_YES || value(m, TS_M_FRAGMENTATION_UNUSED, "", &got) ||
	    value(m, TS_M_SNAPSHOT_RESERVED, "", &got) || value(m, TS_M_TRACE_SHARE, ts_trace_times[TS_TIME_SPAN], &got))
		return TS_ANSWERED_YES;
	return TS_ANSWERED_UNKNOWN;
}

/* A device of torch.cuda that is not NVIDIA's is one of ROCm. */
static enum ts_answered not_rocm(const struct ts_measures *m)
{
	if (ts_setting_of(m, TS_SETTING_CUDA) == TS_ANSWERED_YES)
		return ts_setting_of(m, TS_SETTING_NVIDIA);
	return TS_ANSWERED_UNKNOWN;
}

static enum ts_answered cpu(const struct ts_measures *m)
{
	return device_is(m, TS_DEVICE_CPU);
}

/* Units of a device that is none of CUDA are none. */
static enum ts_answered units(const struct ts_measures *m, enum ts_setting of)
{
	return cuda(m) == TS_ANSWERED_NO ? TS_ANSWERED_NO : ts_setting_of(m, of);
}

static enum ts_answered tf32_units(const struct ts_measures *m)
{
	return units(m, TS_SETTING_TF32_UNITS);
}

static enum ts_answered bf16_units(const struct ts_measures *m)
{
	return units(m, TS_SETTING_BF16_UNITS);
}

static enum ts_answered fp16_units(const struct ts_measures *m)
{
	return units(m, TS_SETTING_FP16_UNITS);
}

static enum ts_answered matrix_units(const struct ts_measures *m)
{
	return either(bf16_units(m), fp16_units(m));
}

static enum ts_answered triton(const struct ts_measures *m)
{
	return cpu(m) == TS_ANSWERED_YES ? TS_ANSWERED_YES : ts_setting_of(m, TS_SETTING_TRITON);
}

/* --- memory --- */

/* By the steps or by a snapshot; a larger batch needs memory. */
static enum ts_answered filled(const struct ts_measures *m, double share)
{
	enum ts_memory_limit limit = ts_memory_limit_of(m);

	if (limit == TS_LIMIT_REACHED)
		return TS_ANSWERED_YES;
	if (at_least(m, TS_M_CAPACITY_PRESSURE, "", share))
		return at_least(m, TS_M_CAPACITY_PRESSURE, "", share);
	return limit == TS_LIMIT_FAR && share >= TS_MEMORY_FULL ? TS_ANSWERED_NO : TS_ANSWERED_UNKNOWN;
}

static enum ts_answered full(const struct ts_measures *m)
{
	return filled(m, TS_MEMORY_FULL);
}

static enum ts_answered room(const struct ts_measures *m)
{
	return opposite(full(m));
}

static enum ts_answered much_room(const struct ts_measures *m)
{
	return opposite(filled(m, 0.6));
}

/* Checkpointing helps where activations hold memory; without a snapshot nothing is known of that. */
static enum ts_answered full_of_activations(const struct ts_measures *m)
{
	return at_least(m, TS_M_SNAPSHOT_KIND_SHARE, ts_memory_kind_word(TS_MEMORY_ACTIVATIONS), 0.1) == TS_ANSWERED_NO ? TS_ANSWERED_NO
															: full(m);
}

static enum ts_answered fixed_segments(const struct ts_measures *m)
{
	double expandable;

	if (value(m, TS_M_SNAPSHOT_EXPANDABLE, "", &expandable))
		return truth_of(expandable <= 0);
	return opposite(ts_setting_of(m, TS_SETTING_EXPANDABLE));
}

/* --- time --- */

static enum ts_answered much_optimizer(const struct ts_measures *m)
{
	return at_least(m, TS_M_PHASE_SHARE, ts_rank_phases[TS_RANK_OPTIMIZER], 0.05);
}

static enum ts_answered stragglers(const struct ts_measures *m)
{
	double n;

	return value(m, TS_M_RANKS_STRAGGLERS, "", &n) ? truth_of(n > 0) : TS_ANSWERED_UNKNOWN;
}

static enum ts_answered no_stragglers(const struct ts_measures *m)
{
	return opposite(stragglers(m));
}

static enum ts_answered unattributed(const struct ts_measures *m)
{
	return at_least(m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_UNATTRIBUTED], 0.02);
}

static enum ts_answered checkpoints(const struct ts_measures *m)
{
	return at_least(m, TS_M_GOODPUT_CHECKPOINT, "", 0.02);
}

static enum ts_answered checkpoints_or_evaluates(const struct ts_measures *m)
{
	double c, e;

	return value(m, TS_M_GOODPUT_CHECKPOINT, "", &c) && value(m, TS_M_GOODPUT_EVALUATION, "", &e) ? truth_of(c + e >= 0.02)
												      : TS_ANSWERED_UNKNOWN;
}

/* Where the steps tell of the wait for data, the fixes against that say the same. */
static enum ts_answered input_unseen(const struct ts_measures *m)
{
	double share;

	return truth_of(!value(m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_DATA], &share) || share < 0.01);
}

/* --- what a trace proves --- */

static enum ts_answered plain_attention(const struct ts_measures *m)
{
	enum ts_answered traced = at_least(m, TS_M_TRACE_SHARE, ts_trace_times[TS_TIME_MATH_ATTENTION], 0.01);

	return traced ? traced : opposite(ts_setting_of(m, TS_SETTING_FUSED_ATTENTION));
}

static enum ts_answered attention(const struct ts_measures *m)
{
	enum ts_answered traced = at_least(m, TS_M_TRACE_SHARE, ts_trace_times[TS_TIME_MATH_ATTENTION], 0.01);

	return traced == TS_ANSWERED_YES ? traced : ts_setting_of(m, TS_SETTING_ATTENTION);
}

static enum ts_answered traced(const struct ts_measures *m, enum ts_trace_time what)
{
	return at_least(m, TS_M_TRACE_SHARE, ts_trace_times[what], 0.01);
}

static enum ts_answered not_compiled(const struct ts_measures *m)
{
	enum ts_answered said = ts_setting_of(m, TS_SETTING_COMPILED);
	double share;

	if (ts_measure_find(m, TS_M_PHASE_COUNT, ts_span_str("compile"))) /* also one of the warm-up alone */
		return TS_ANSWERED_NO;
	if (value(m, TS_M_TRACE_COMPILE_SHARE, "", &share) && share > 0)
		return TS_ANSWERED_NO;
	if (value(m, TS_M_TRACE_SHARE, ts_trace_times[TS_TIME_GENERATED], &share) && share > 0)
		return TS_ANSWERED_NO;
	return said ? opposite(said) : opposite(traced(m, TS_TIME_GENERATED));
}

static enum ts_answered convolutions(const struct ts_measures *m)
{
	enum ts_answered seen = traced(m, TS_TIME_CONVOLUTIONS);

	return seen ? seen : ts_setting_of(m, TS_SETTING_CONVOLUTIONS);
}

/* Where a trace shows the products, what the configuration says of the rest does not count. */
static enum ts_answered float32_products(const struct ts_measures *m)
{
	enum ts_answered seen = traced(m, TS_TIME_FLOAT32_PRODUCTS);

	return seen ? seen : opposite(ts_setting_of(m, TS_SETTING_REDUCED));
}

/* --- settings together --- */

/* The ranks average gradients, as replicas or as shards of FSDP. */
static enum ts_answered data_parallel(const struct ts_measures *m)
{
	return either(ts_setting_of(m, TS_SETTING_DDP), ts_setting_of(m, TS_SETTING_FSDP));
}

/* Products that stay in float32 are seen where it is off. */
static enum ts_answered no_tf32(const struct ts_measures *m)
{
	enum ts_answered said = ts_setting_of(m, TS_SETTING_TF32);

	return said ? opposite(said) : traced(m, TS_TIME_FLOAT32_PRODUCTS);
}

static enum ts_answered wide_gradients(const struct ts_measures *m)
{
	return opposite(ts_setting_of(m, TS_SETTING_NARROW_GRADIENTS));
}

#define ASKS_TORCH(what) "python -c 'import torch; print(" what ")'"
#define CAPABILITY ASKS_TORCH("torch.cuda.get_device_capability()")

static const struct row {
	struct ts_condition_words words;
	enum ts_answered (*of)(const struct ts_measures *m); /* NULL: by the setting alone */
	enum ts_setting setting;
	enum ts_answered wants;
} rows[TS_CONDITIONS] = {
#define BY(name, says, check, function) [TS_IF_##name] = {{says, check}, function, TS_SETTINGS, TS_ANSWERED_YES}
#define YES(name, says, check, setting) [TS_IF_##name] = {{says, check}, NULL, TS_SETTING_##setting, TS_ANSWERED_YES}
#define NO(name, says, check, setting) [TS_IF_##name] = {{says, check}, NULL, TS_SETTING_##setting, TS_ANSWERED_NO}
	YES(TORCH, "the program computes by PyTorch", NULL, TORCH),
	NO(NOT_WINDOWS, "it does not run on Windows", NULL, WINDOWS),
	BY(CUDA, "the device is one of torch.cuda", ASKS_TORCH("torch.cuda.is_available()") " prints True", cuda),
	YES(NVIDIA, "the device is NVIDIA's", "nvidia-smi lists the devices", NVIDIA),
	BY(NOT_ROCM, "the device is not one of ROCm", NULL, not_rocm),
	BY(CPU, "the run computes on the CPU", ASKS_TORCH("torch.cuda.is_available()") " prints False", cpu),
	BY(TF32_UNITS, "the device multiplies in TF32 (NVIDIA's from Ampere on, compute capability 8.0)",
	   CAPABILITY " prints (8, 0) or more", tf32_units),
	BY(BF16_UNITS, "the device computes in bf16 (NVIDIA's from Ampere on, compute capability 8.0)",
	   ASKS_TORCH("torch.cuda.is_bf16_supported(including_emulation=False)") " prints True", bf16_units),
	BY(FP16_UNITS, "the device multiplies matrices in fp16 and not in bf16 (NVIDIA's Volta and Turing)",
	   CAPABILITY " prints (7, 0) to (7, 5)", fp16_units),
	BY(MATRIX_UNITS, "the device multiplies matrices in 16 bits", CAPABILITY " prints (7, 0) or more", matrix_units),
	BY(TRITON, "torch.compile can generate code for the device (NVIDIA's from Volta on, compute capability 7.0)",
	   CAPABILITY " prints (7, 0) or more", triton),
	BY(FLOAT32_PRODUCTS,
	   "products of matrices are in float32: by a trace they take at least 1 % of the work, else the run does not compute in fewer "
	   "bits",
	   "print(next(model.parameters()).dtype) says float32, and no torch.autocast is around the forward pass", float32_products),
	NO(FULL_PRECISION, "the run does not compute in fewer than 32 bits",
	   "print(next(model.parameters()).dtype) says float32, and no "
	   "torch.autocast is around the forward pass",
	   REDUCED),
	BY(NO_TF32, "TF32 is off", "print(torch.get_float32_matmul_precision()) in the program says highest", no_tf32),
	NO(TF32_ALLOWED, "the environment does not forbid TF32", NULL, TF32_BARRED),
	BY(NOT_COMPILED, "the model is not compiled", "print(type(model)) does not say OptimizedModule", not_compiled),
	YES(RECOMPUTES, "activations are computed again", "look for torch.utils.checkpoint in the model", RECOMPUTES),
	NO(NO_RECOMPUTING, "activations are not computed again", "look for torch.utils.checkpoint in the model", RECOMPUTES),
	BY(ROOM, "less than 80 % of the device's memory is used, and no request for memory was refused or repeated",
	   "the peak of the device's memory is less than 80 % of it (torch.cuda.max_memory_reserved, nvidia-smi)", room),
	BY(MUCH_ROOM, "less than 60 % of the device's memory is used",
	   "the peak of the device's memory is less than 60 % of it (torch.cuda.max_memory_reserved, nvidia-smi)", much_room),
	BY(FULL,
	   "at least 80 % of the device's memory is used, or a request for memory was refused or repeated; and activations hold at "
	   "least "
	   "10 % of the peak, where there is a memory snapshot",
	   NULL, full_of_activations),
	YES(WORKERS, "the loader has workers", "print(loader.num_workers) says more than 0", WORKERS),
	NO(FREE_CORES, "the workers do not take all cores of the host yet", NULL, CORES_LOAD),
	NO(NOT_PERSISTENT, "the workers are not kept yet", "print(loader.persistent_workers) says False", PERSISTENT),
	NO(LITTLE_PREFETCH, "a worker prefetches fewer than four batches", NULL, PREFETCH),
	NO(NOT_PINNED, "batches are not in pinned memory yet", "print(loader.pin_memory) says False", PINNED),
	BY(CONVOLUTIONS, "a trace shows convolutions, or the name of the model tells of them", NULL, convolutions),
	BY(ATTENTION, "a trace shows attention, or the configuration tells of it", NULL, attention),
	BY(PLAIN_ATTENTION,
	   "attention is not fused: by a trace one that computes all scores takes at least 1 % of the work, else by the "
	   "configuration",
	   "look whether the model calls scaled_dot_product_attention or flash_attn", plain_attention),
	NO(NOT_CHANNELS_LAST, "the model is not in that format yet",
	   "print(next(model.parameters()).is_contiguous(memory_format="
	   "torch.channels_last)) says False",
	   CHANNELS_LAST),
	NO(NO_BENCHMARK, "cuDNN does not choose by speed yet", "print(torch.backends.cudnn.benchmark) in the program says False",
	   BENCHMARK),
	NO(NOT_DETERMINISTIC, "the run does not ask for deterministic kernels", NULL, DETERMINISTIC),
	BY(MUCH_OPTIMIZER, "the phase optimizer takes at least 5 % of a step", NULL, much_optimizer),
	NO(PLAIN_OPTIMIZER, "the optimizer is not fused yet", "print(optimizer.defaults.get('fused')) does not say True",
	   FUSED_OPTIMIZER),
	YES(FUSABLE, "the optimizer is one of which PyTorch has a fused form (Adam, AdamW, SGD, Adagrad)", NULL, FUSABLE),
	YES(ADAM, "the optimizer is Adam or AdamW", NULL, ADAM),
	NO(STATE_32BIT, "the state of the optimizer does not have 8 bits yet", NULL, STATE_8BIT),
	NO(STATE_ON_DEVICE, "the state of the optimizer is not on the host yet", NULL, OFFLOADED),
	YES(DEBUGGING, "the record says that anomaly detection or CUDA_LAUNCH_BLOCKING is on", NULL, DEBUGGING),
	YES(FEW_THREADS, "a rank may use less than half of its share of the cores",
	    ASKS_TORCH("torch.get_num_threads()") " prints less than half of the cores that a rank has", FEW_THREADS),
	YES(DDP, "the ranks are replicas under DistributedDataParallel", "print(type(model)) says DistributedDataParallel", DDP),
	YES(FSDP, "the model is sharded by FSDP", "print(type(model)) says FSDP", FSDP),
	BY(DATA_PARALLEL, "the ranks are replicas under DistributedDataParallel, or shards of FSDP",
	   "print(type(model)) says DistributedDataParallel or FSDP", data_parallel),
	YES(FINDS_UNUSED, "the record says that find_unused_parameters is on", NULL, FIND_UNUSED),
	YES(ACCUMULATES, "the record says that gradients are accumulated", NULL, ACCUMULATES),
	NO(SYNCS_EACH,
	   "each of the accumulated batches is communicated, as it is without no_sync() (Lightning and Hugging Face have it)",
	   "look for no_sync() around the backward passes", SYNCS_LAST),
	BY(WIDE_GRADIENTS, "gradients are not reduced in 16 bits yet",
	   "print(next(model.parameters()).grad.dtype) says float32, and no hook "
	   "compresses",
	   wide_gradients),
	NO(NO_OVERLAP, "nothing reduces gradients during the backward pass yet, as DDP and FSDP do",
	   "print(type(model)) says neither DistributedDataParallel nor FSDP", OVERLAPS),
	YES(SEVERAL_HOSTS, "the record says that the ranks are on several hosts", NULL, SEVERAL_HOSTS),
	BY(STRAGGLERS, "a rank is a straggler", NULL, stragglers),
	BY(NO_STRAGGLERS, "the ranks were compared, and none is a straggler", NULL, no_stragglers),
	NO(GC_AT_WILL, "garbage is not collected at fixed steps yet",
	   "gc.callbacks.append(lambda phase, info: print(phase, info)) prints at the long steps", MANUAL_GC),
	YES(LOGS_OFTEN, "the loop logs at each step", "look how often the loop prints or calls .item()", LOGS_OFTEN),
	BY(CHECKPOINTS, "the phases of checkpoints take at least 2 % of the wall time", NULL, checkpoints),
	BY(EVALUATES, "the phases of checkpoints and evaluation take at least 2 % of the wall time", NULL, checkpoints_or_evaluates),
	NO(SYNC_CHECKPOINTS, "checkpoints are not written asynchronously yet", "look for async_save where the loop saves",
	   ASYNC_CHECKPOINTS),
	BY(UNATTRIBUTED, "at least 2 % of the wall time is outside all phases", NULL, unattributed),
	BY(INPUT_UNSEEN, "no phase tells of a wait for data", NULL, input_unseen),
	BY(FIXED_SEGMENTS, "segments do not expand yet", NULL, fixed_segments),
	NO(SEVERAL_SAMPLES, "a rank works on more than one sample at a time", NULL, BATCH_OF_ONE),
#undef BY
#undef YES
#undef NO
};

const struct ts_condition_words *ts_condition_words(enum ts_condition condition)
{
	return &rows[condition].words;
}

enum ts_answered ts_condition_of(const struct ts_measures *m, enum ts_condition condition)
{
	const struct row *row = &rows[condition];
	enum ts_answered got = row->of ? row->of(m) : ts_setting_of(m, row->setting);

	TS_DOOR(ts_measures_hold(m));
	return row->wants == TS_ANSWERED_YES ? got : opposite(got);
}

/* Whether anything recorded says that the program is PyTorch's, or on which device it computes. */
static bool knows_program(const struct ts_measures *m)
{
	return ts_setting_of(m, TS_SETTING_TORCH) == TS_ANSWERED_YES || cuda(m) != TS_ANSWERED_UNKNOWN;
}

enum ts_fit ts_conditions_fit(const struct ts_measures *m, const struct ts_if *conditions, enum ts_condition *ret_ask)
{
	bool of_torch = false, set = false;

	TS_DOOR(ts_measures_hold(m));
	*ret_ask = TS_IF_NONE;
	for (; conditions->condition != TS_IF_NONE; conditions++) {
		enum ts_answered got = ts_condition_of(m, conditions->condition);

		if (got == TS_ANSWERED_NO || (!got && conditions->unknown == TS_NEED))
			return TS_FIT_NO;
		if (!got && conditions->unknown == TS_ASK && *ret_ask == TS_IF_NONE)
			*ret_ask = conditions->condition;
		of_torch |= conditions->condition == TS_IF_TORCH;
		set |= got == TS_ANSWERED_YES && !rows[conditions->condition].of;
	}
	if (*ret_ask == TS_IF_NONE)
		return TS_FIT_YES;
	return of_torch && !set && !knows_program(m) ? TS_FIT_NO : TS_FIT_ASKED;
}
