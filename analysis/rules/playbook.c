/* playbook.c - see playbook.h. Within one cause the order is the one in which they are worth trying. */
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

/* A precision that was declared and is not of 32 bits. */
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

/* A larger batch needs memory: not where the device is known to be full. */
static bool has_room(const struct ts_measures *m)
{
	double pressure;

	return !ts_measure_value(m, TS_M_CAPACITY_PRESSURE, TS_NO_SUBJECT, &pressure) || pressure < 0.8;
}

static bool has_no_room(const struct ts_measures *m)
{
	return !has_room(m);
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

const struct ts_play ts_playbook[] = {
	{TS_BOUND_INPUT, 1, 1, false, "more data loader workers",
	 "DataLoader(num_workers=...): double it until the wait stops shrinking or the cores are used", NULL},
	{TS_BOUND_INPUT, 1, 0.5, false, "prefetch further ahead", "DataLoader(prefetch_factor=4 or more)", NULL},
	{TS_BOUND_INPUT, 1, 0.25, false, "keep workers between epochs", "DataLoader(persistent_workers=True)", NULL},
	{TS_BOUND_INPUT, 1, 0.25, false, "pinned memory, copies that do not block",
	 "DataLoader(pin_memory=True) and tensor.to(device, non_blocking=True)", NULL},
	{TS_BOUND_INPUT, 2, 0.5, false, "costly transforms ahead of time or on the device",
	 "decode and tokenize once and store the result; augment on the device", NULL},
	{TS_BOUND_INPUT, 3, 1, false, "faster storage, fewer and larger files",
	 "copy the data to local disks; shards of some 100 MB in place of single samples", NULL},

	{TS_BOUND_COMPUTE, 1, 0.5, false, "TF32 for 32-bit products",
	 "torch.set_float32_matmul_precision('high')", not_tf32},
	{TS_BOUND_COMPUTE, 1, 0.1, true, "let cuDNN choose its convolutions",
	 "torch.backends.cudnn.benchmark = True; for convolutions whose shapes stay the same", NULL},
	{TS_BOUND_COMPUTE, 1, 0.1, true, "fused optimizer", "AdamW(..., fused=True), or foreach=True", has_much_optimizer},
	{TS_BOUND_COMPUTE, 2, 0.1, true, "channels last",
	 "model.to(memory_format=torch.channels_last); for convolutions in reduced precision", NULL},
	{TS_BOUND_COMPUTE, 2, 0.5, false, "mixed precision",
	 "torch.autocast(device_type='cuda', dtype=torch.bfloat16)", not_reduced},
	{TS_BOUND_COMPUTE, 2, 0.25, true, "fused attention",
	 "torch.nn.functional.scaled_dot_product_attention in place of one written out", NULL},
	{TS_BOUND_COMPUTE, 2, 0.25, true, "compile the model",
	 "torch.compile(model); shapes that change compile it again and again: pad them, mark them dynamic, and look with "
	 "TORCH_LOGS=recompiles",
	 NULL},
	{TS_BOUND_COMPUTE, 2, 0.25, true, "larger batch",
	 "raise the batch of a device until memory is nearly full, and retune the learning rate",
	 has_room},
	{TS_BOUND_COMPUTE, 3, 0.1, true, "checkpointing of activations, for a larger batch",
	 "torch.utils.checkpoint on the largest layers only: it computes them twice, and pays where the batch that "
	 "then fits does",
	 has_no_room},

	{TS_BOUND_COMMUNICATION, 1, 0.25, false, "no search for unused parameters",
	 "DistributedDataParallel(find_unused_parameters=False), gradient_as_bucket_view=True", NULL},
	{TS_BOUND_COMMUNICATION, 1, 0.25, false, "bucket size",
	 "DistributedDataParallel(bucket_cap_mb=...): try 50 and 100", NULL},
	{TS_BOUND_COMMUNICATION, 2, 1, false, "overlap with computation",
	 "let DDP or FSDP reduce gradients while backward runs (async_op=True, prefetch of the next layer) in place of one "
	 "blocking call at the end",
	 NULL},
	{TS_BOUND_COMMUNICATION, 2, 0.5, false, "fewer exchanges",
	 "accumulate gradients over microbatches under no_sync()", NULL},
	{TS_BOUND_COMMUNICATION, 2, 0.5, false, "smaller exchanges",
	 "reduce gradients in 16 bits: the bf16_compress_hook of DDP, or FSDP's MixedPrecision(reduce_dtype=...)", NULL},
	{TS_BOUND_COMMUNICATION, 2, 0.5, false, "the fast interconnect",
	 "NCCL_DEBUG=INFO says whether NVLink and InfiniBand are used", NULL},
	{TS_BOUND_COMMUNICATION, 3, 0.5, false, "another split of the job",
	 "tensor parallelism within a host only, sharding within groups, more work a device", NULL},

	{TS_BOUND_WAIT, 1, 0.25, false, "garbage collection at one time on all ranks",
	 "gc.disable(), and gc.collect() every so many steps", NULL},
	{TS_BOUND_WAIT, 2, 1, false, "the hosts of the slow ranks",
	 "compare clocks, temperature, other jobs and the loader of the ranks named with the others; exchange the host",
	 has_stragglers},
	{TS_BOUND_WAIT, 2, 1, false, "even work for all ranks",
	 "batches of like cost: bucket or pack by length, shards of like size", has_no_stragglers},
	{TS_BOUND_WAIT, 3, 0.5, false, "fewer points at which all wait",
	 "accumulate gradients, or average parameters every so many steps", NULL},

	{TS_BOUND_HOST, 1, 0.5, false, "log less often",
	 "every so many steps; each .item() and print of a tensor waits for the device", NULL},
	{TS_BOUND_HOST, 1, 0.5, false, "evaluate and write checkpoints less often",
	 "fewer times, or on fewer batches", has_other},
	{TS_BOUND_HOST, 2, 1, false, "name what the time goes into",
	 "mark evaluation, checkpoint and logging as phases of their own", has_unattributed},
	{TS_BOUND_HOST, 2, 0.5, false, "write checkpoints beside training", "torch.distributed.checkpoint.async_save", has_other},
	{TS_BOUND_HOST, 2, 0.25, false, "fewer launches",
	 "torch.compile(mode='reduce-overhead') or CUDA graphs, where steps are short", NULL},
};
const size_t ts_playbook_n = sizeof ts_playbook / sizeof ts_playbook[0];
