/* playbook.c - the table of fixes (playbook.h). Within one cause, fixes stand in the order in which they are worth
 * trying. */
#include "analysis/rules/playbook.h"

#include "analysis/answer/phase.h"

static bool dtype_is(const struct ts_measures *m, const char *want)
{
	const struct ts_measure *row = ts_measure_find(m, TS_M_MFU_DTYPE, TS_NO_SUBJECT);

	return row && row->known && ts_span_is(row->text, want);
}

static bool at_least(const struct ts_measures *m, enum ts_measure_name share, const char *of, double least)
{
	double value;

	return ts_measure_value(m, share, ts_span_str(of), &value) && value >= least;
}

/* The run declares a number format of fewer than 32 bits. */
static bool is_reduced(const struct ts_measures *m)
{
	static const char *const names[] = {"bf16", "fp16", "fp8", "int8", "fp4", "bfloat16", "float16"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (dtype_is(m, names[i]))
			return true;
	return false;
}

static bool not_reduced(const struct ts_measures *m)
{
	return !is_reduced(m);
}

static bool not_tf32(const struct ts_measures *m)
{
	return !is_reduced(m) && !dtype_is(m, "tf32");
}

/* A larger batch needs memory, so it does not apply where the device is known to be nearly full. */
static bool has_room(const struct ts_measures *m)
{
	double pressure;

	return !ts_measure_value(m, TS_M_CAPACITY_PRESSURE, TS_NO_SUBJECT, &pressure) || pressure < 0.8;
}

static bool has_no_room(const struct ts_measures *m)
{
	return !has_room(m);
}

static bool recomputes_with_room(const struct ts_measures *m)
{
	const struct ts_measure *row = ts_measure_find(m, TS_M_RECOMPUTE, TS_NO_SUBJECT);
	double pressure;

	return row && row->known && !ts_span_is(row->text, "none") &&
	       ts_measure_value(m, TS_M_CAPACITY_PRESSURE, TS_NO_SUBJECT, &pressure) && pressure < 0.6;
}

static bool has_stragglers(const struct ts_measures *m)
{
	double n;

	return ts_measure_value(m, TS_M_RANKS_STRAGGLERS, TS_NO_SUBJECT, &n) && n > 0;
}

static bool has_no_stragglers(const struct ts_measures *m)
{
	return !has_stragglers(m);
}

static bool has_much_optimizer(const struct ts_measures *m)
{
	return at_least(m, TS_M_PHASE_SHARE, ts_rank_phases[TS_RANK_OPTIMIZER], 0.05);
}

static bool has_other(const struct ts_measures *m)
{
	return at_least(m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_OTHER], 0.02);
}

static bool has_unattributed(const struct ts_measures *m)
{
	return at_least(m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_UNATTRIBUTED], 0.02);
}

static bool device_is(const struct ts_measures *m, const char *want)
{
	const struct ts_measure *row = ts_measure_find(m, TS_M_DEVICE_KIND, TS_NO_SUBJECT);

	return row && row->known && ts_span_is(row->text, want);
}

/* A device, a trace of one, or else what only an allocator or a format of one records. */
static bool has_gpu(const struct ts_measures *m)
{
	const struct ts_measure *kind = ts_measure_find(m, TS_M_DEVICE_KIND, TS_NO_SUBJECT);
	double reserved;

	if (kind && kind->known)
		return ts_span_is(kind->text, "GPU");
	if (ts_measure_value(m, TS_M_TRACE_SHARE, ts_span_str(ts_trace_times[TS_TIME_SPAN]), &reserved))
		return true;
	return ts_measure_value(m, TS_M_FRAGMENTATION_UNUSED, TS_NO_SUBJECT, &reserved) || dtype_is(m, "tf32");
}

/* Without a trace nothing is known of it. */
static bool traced_at_least(const struct ts_measures *m, enum ts_trace_time what, double least)
{
	double share;

	return !ts_measure_value(m, TS_M_TRACE_SHARE, ts_span_str(ts_trace_times[what]), &share) || share >= least;
}

static bool may_have_exposed_copies(const struct ts_measures *m)
{
	return traced_at_least(m, TS_TIME_EXPOSED_COPIES, 0.01);
}

static bool may_have_slow_launches(const struct ts_measures *m)
{
	return traced_at_least(m, TS_TIME_IDLE_HOST, 0.02) || traced_at_least(m, TS_TIME_IDLE_LAUNCH, 0.02);
}

bool ts_play_applies(const struct ts_play *play, const struct ts_measures *m)
{
	if ((play->device == TS_PLAY_GPU && !has_gpu(m)) || (play->device == TS_PLAY_CPU && !device_is(m, "CPU")))
		return false;
	return !play->applies || play->applies(m);
}

const struct ts_play ts_playbook[] = {
	{TS_BOUND_INPUT, 1, 1, false, TS_PLAY_ANY, "use more data loader workers",
	 "DataLoader(num_workers=...); double the number until the wait stops shrinking, all cores are busy or the host's memory "
	 "is full: each worker has its own copy of the dataset object",
	 NULL},
	{TS_BOUND_INPUT, 1, 0.5, false, TS_PLAY_ANY, "prefetch further ahead", "DataLoader(prefetch_factor=4 or more)", NULL},
	{TS_BOUND_INPUT, 1, 0.25, false, TS_PLAY_ANY, "keep the workers between epochs", "DataLoader(persistent_workers=True)", NULL},
	{TS_BOUND_INPUT, 1, 0.25, false, TS_PLAY_GPU, "use pinned memory and non-blocking copies",
	 "DataLoader(pin_memory=True) and tensor.to(device, non_blocking=True)", may_have_exposed_copies},
	{TS_BOUND_INPUT, 2, 0.5, false, TS_PLAY_ANY, "move costly transforms out of the loader",
	 "decode and tokenize once and store the result; augment on the device", NULL},
	{TS_BOUND_INPUT, 3, 1, false, TS_PLAY_ANY, "use faster storage, and fewer but larger files",
	 "copy the data to local disks; store shards of about 100 MB instead of single samples (tar files, WebDataset)", NULL},

	{TS_BOUND_COMPUTE, 1, 0.5, false, TS_PLAY_GPU, "use TF32 for 32-bit matrix products",
	 "torch.set_float32_matmul_precision('high')", not_tf32},
	{TS_BOUND_COMPUTE, 1, 0.5, true, TS_PLAY_ANY, "switch off what was left on for debugging",
	 "torch.autograd.set_detect_anomaly, gradcheck, a profiler that records each step", NULL},
	{TS_BOUND_COMPUTE, 1, 0.5, true, TS_PLAY_CPU, "use all cores",
	 "torch.set_num_threads and OMP_NUM_THREADS: the cores of the host divided by its ranks", NULL},
	{TS_BOUND_COMPUTE, 1, 0.25, true, TS_PLAY_ANY, "compute activations once",
	 "switch off activation checkpointing, or use it for fewer layers, while memory is free", recomputes_with_room},
	{TS_BOUND_COMPUTE, 1, 0.1, true, TS_PLAY_GPU, "let cuDNN choose the fastest convolutions",
	 "torch.backends.cudnn.benchmark = True, for convolutions whose shapes stay the same", NULL},
	{TS_BOUND_COMPUTE, 1, 0.1, true, TS_PLAY_ANY, "use a fused optimizer", "AdamW(..., fused=True), or foreach=True",
	 has_much_optimizer},
	{TS_BOUND_COMPUTE, 2, 0.1, true, TS_PLAY_GPU, "use the channels-last memory format",
	 "model.to(memory_format=torch.channels_last), for convolutions in reduced precision", NULL},
	{TS_BOUND_COMPUTE, 2, 0.5, false, TS_PLAY_GPU, "use mixed precision",
	 "torch.autocast(device_type='cuda', dtype=torch.bfloat16)", not_reduced},
	{TS_BOUND_COMPUTE, 2, 0.25, true, TS_PLAY_ANY, "use fused attention",
	 "torch.nn.functional.scaled_dot_product_attention instead of attention written in single operations; "
	 "flash-attn from its prebuilt wheels",
	 NULL},
	{TS_BOUND_COMPUTE, 2, 0.25, true, TS_PLAY_ANY, "compile the model",
	 "torch.compile(model); each new shape compiles the model again, so pad shapes or mark them dynamic, and check with "
	 "TORCH_LOGS=recompiles; once compiled, try mode='max-autotune' and fullgraph=True",
	 NULL},
	{TS_BOUND_COMPUTE, 2, 0.25, true, TS_PLAY_ANY, "use a larger batch",
	 "raise the batch size per device until memory is nearly full, and retune the learning rate",
	 has_room},
	{TS_BOUND_COMPUTE, 3, 0.1, true, TS_PLAY_ANY, "use activation checkpointing and a larger batch",
	 "torch.utils.checkpoint on the largest layers only; it computes them twice, which pays only if the larger batch that "
	 "then fits saves more",
	 has_no_room},

	{TS_BOUND_COMMUNICATION, 1, 0.25, false, TS_PLAY_ANY, "switch off the search for unused parameters",
	 "DistributedDataParallel(find_unused_parameters=False), gradient_as_bucket_view=True", NULL},
	{TS_BOUND_COMMUNICATION, 1, 0.25, false, TS_PLAY_ANY, "change the bucket size",
	 "DistributedDataParallel(bucket_cap_mb=...); try 50 and 100", NULL},
	{TS_BOUND_COMMUNICATION, 1, 0.25, false, TS_PLAY_ANY, "prefetch the next layer's shards",
	 "FSDP: backward_prefetch=BackwardPrefetch.BACKWARD_PRE, forward_prefetch=True, limit_all_gathers=True", NULL},
	{TS_BOUND_COMMUNICATION, 2, 1, false, TS_PLAY_ANY, "overlap communication with computation",
	 "let DDP or FSDP reduce gradients while backward runs (async_op=True, prefetch of the next layer) instead of in one "
	 "blocking call at the end",
	 NULL},
	{TS_BOUND_COMMUNICATION, 2, 0.5, false, TS_PLAY_ANY, "communicate less often",
	 "accumulate gradients over microbatches under no_sync()", NULL},
	{TS_BOUND_COMMUNICATION, 2, 0.5, false, TS_PLAY_ANY, "send less data",
	 "reduce gradients in 16 bits: the bf16_compress_hook of DDP, or FSDP's MixedPrecision(reduce_dtype=...)", NULL},
	{TS_BOUND_COMMUNICATION, 2, 0.5, false, TS_PLAY_GPU, "check that the fast interconnect is used",
	 "NCCL_DEBUG=INFO shows whether NCCL uses NVLink and InfiniBand; NCCL_IB_HCA and NCCL_SOCKET_IFNAME choose the adapter, whose "
	 "MTU has to be the same on all hosts",
	 NULL},
	{TS_BOUND_COMMUNICATION, 3, 0.5, false, TS_PLAY_ANY, "split the job differently",
	 "use tensor parallelism only within a host, shard within groups, give each device more work", NULL},

	{TS_BOUND_WAIT, 1, 0.25, false, TS_PLAY_ANY, "collect garbage on all ranks at the same step",
	 "gc.disable(), and gc.collect() at a fixed interval of steps", NULL},
	{TS_BOUND_WAIT, 2, 1, false, TS_PLAY_ANY, "check the hosts of the slow ranks",
	 "compare the clocks, temperature, other jobs and data loader of these ranks with those of the others; exchange the host",
	 has_stragglers},
	{TS_BOUND_WAIT, 2, 1, false, TS_PLAY_ANY, "give all ranks the same amount of work",
	 "make batches of similar cost: bucket or pack by length, use shards of similar size", has_no_stragglers},
	{TS_BOUND_WAIT, 3, 0.5, false, TS_PLAY_ANY, "synchronize less often",
	 "accumulate gradients, or average parameters at an interval of several steps", NULL},

	{TS_BOUND_HOST, 1, 0.5, false, TS_PLAY_ANY, "log less often",
	 "log at an interval of several steps; each .item() and each print of a tensor waits for the device", NULL},
	{TS_BOUND_HOST, 1, 0.5, false, TS_PLAY_ANY, "evaluate and write checkpoints less often",
	 "use longer intervals, or evaluate on fewer batches", has_other},
	{TS_BOUND_HOST, 2, 1, false, TS_PLAY_ANY, "find out what the time is spent on",
	 "record evaluation, checkpoint and logging as phases of their own", has_unattributed},
	{TS_BOUND_HOST, 2, 0.5, false, TS_PLAY_ANY, "write checkpoints asynchronously", "torch.distributed.checkpoint.async_save",
	 has_other},
	{TS_BOUND_HOST, 2, 0.25, false, TS_PLAY_GPU, "launch fewer kernels",
	 "torch.compile(mode='reduce-overhead') or CUDA graphs, if steps are short", may_have_slow_launches},

	{TS_BOUND_STALLS, 1, 0.5, false, TS_PLAY_ANY, "keep the workers between epochs",
	 "DataLoader(persistent_workers=True), if the long steps begin epochs", NULL},
	{TS_BOUND_STALLS, 1, 0.25, false, TS_PLAY_ANY, "collect garbage at fixed steps",
	 "gc.disable(), and gc.collect() at a fixed interval of steps", NULL},
	{TS_BOUND_STALLS, 2, 1, false, TS_PLAY_ANY, "find out what the long steps do",
	 "record evaluation, checkpoint, logging and compilation as phases of their own", NULL},
	{TS_BOUND_STALLS, 2, 0.5, false, TS_PLAY_ANY, "evaluate and write checkpoints less often, or asynchronously",
	 "use longer intervals; torch.distributed.checkpoint.async_save", NULL},
};
const size_t ts_playbook_n = sizeof ts_playbook / sizeof ts_playbook[0];
