/* playbook.c - the table of fixes (playbook.h). Within one cause, fixes stand in the order in which they are worth
 * trying. */
#include "analysis/rules/playbook.h"

#include "analysis/answer/phase.h"
#include "analysis/rules/rule.h"

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

/* A larger batch needs memory, so it does not apply where the device is known to be nearly full, by the steps or by a snapshot. */
static bool has_room(const struct ts_measures *m)
{
	double pressure;

	if (ts_memory_limit_of(m) == TS_LIMIT_REACHED)
		return false;
	return !ts_measure_value(m, TS_M_CAPACITY_PRESSURE, TS_NO_SUBJECT, &pressure) || pressure < TS_MEMORY_FULL;
}

/* Checkpointing helps where activations hold memory; without a snapshot nothing is known of that. */
static bool has_no_room_for_activations(const struct ts_measures *m)
{
	double share;

	return !has_room(m) && (!ts_measure_value(m, TS_M_SNAPSHOT_KIND_SHARE, ts_span_str("activations"), &share) || share >= 0.1);
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

static bool may_have_math_attention(const struct ts_measures *m)
{
	return traced_at_least(m, TS_TIME_MATH_ATTENTION, 0.01);
}

/* --- what a trace or a snapshot proves --- */

static bool share_in_trace(const struct ts_measures *m, enum ts_trace_time what, double *ret)
{
	return ts_measure_value(m, TS_M_TRACE_SHARE, ts_span_str(ts_trace_times[what]), ret) && isfinite(*ret);
}

static bool most_math_attention(const struct ts_measures *m, double *ret)
{
	return share_in_trace(m, TS_TIME_MATH_ATTENTION, ret);
}

static bool most_after_waits(const struct ts_measures *m, double *ret)
{
	return share_in_trace(m, TS_TIME_IDLE_AFTER_WAITS, ret);
}

static bool most_loading(const struct ts_measures *m, double *ret)
{
	return share_in_trace(m, TS_TIME_IDLE_LOADING, ret);
}

static bool most_launches(const struct ts_measures *m, double *ret)
{
	double host, launch;

	if (!share_in_trace(m, TS_TIME_IDLE_HOST, &host) || !share_in_trace(m, TS_TIME_IDLE_LAUNCH, &launch))
		return false;
	*ret = host + launch;
	return true;
}

static bool most_compiling(const struct ts_measures *m, double *ret)
{
	return ts_measure_value(m, TS_M_TRACE_COMPILE_SHARE, TS_NO_SUBJECT, ret) && isfinite(*ret);
}

static bool most_of_allocator(const struct ts_measures *m, double *ret)
{
	return ts_measure_value(m, TS_M_SNAPSHOT_ALLOCATOR_TIME, TS_NO_SUBJECT, ret) && isfinite(*ret);
}

static bool runs_dry_after_waits(const struct ts_measures *m)
{
	double share;

	return most_after_waits(m, &share) && share >= 0.02;
}

/* Where the steps tell of the wait for data, the fixes against that say the same. */
static bool loads_while_idle(const struct ts_measures *m)
{
	double share, input;

	return most_loading(m, &share) && share >= 0.02 &&
	       (!ts_measure_value(m, TS_M_BUDGET_SHARE, ts_span_str(ts_budget_lines[TS_LINE_DATA]), &input) || input < 0.01);
}

static bool compiles_in_steps(const struct ts_measures *m)
{
	double share;

	return most_compiling(m, &share) && share >= 0.01;
}

static bool retries(const struct ts_measures *m)
{
	double n, most;

	return ts_measure_value(m, TS_M_SNAPSHOT_RETRIES, TS_NO_SUBJECT, &n) && n > 0 && most_of_allocator(m, &most);
}

static bool empties_the_cache(const struct ts_measures *m)
{
	double bytes, peak, most;

	return most_of_allocator(m, &most) && ts_measure_value(m, TS_M_SNAPSHOT_EMPTIED, TS_NO_SUBJECT, &bytes) &&
	       ts_measure_value(m, TS_M_SNAPSHOT_PEAK_RESERVED, TS_NO_SUBJECT, &peak) && peak > 0 &&
	       bytes >= peak * ts_rule_threshold(NULL, "MEMORY.EMPTIED", "min_peaks");
}

static struct ts_span wait_source(const struct ts_measures *m)
{
	const struct ts_measure *row = ts_measure_find(m, TS_M_TRACE_WAIT_SOURCE, TS_NO_SUBJECT);

	return row && row->known ? row->text : ts_span_str("");
}

bool ts_play_applies(const struct ts_play *play, const struct ts_measures *m)
{
	if ((play->device == TS_PLAY_GPU && !has_gpu(m)) || (play->device == TS_PLAY_CPU && !device_is(m, "CPU")))
		return false;
	return !play->applies || play->applies(m);
}

#define TUNING "PyTorch, Performance Tuning Guide"
#define LOADER "PyTorch, torch.utils.data"
#define DDP "PyTorch, DistributedDataParallel"
#define ALLOCATOR "PyTorch, CUDA semantics, \"Memory management\""
#define STALE "a larger global batch: the learning rate may have to change"
#define ALWAYS NULL, NULL

const struct ts_play ts_playbook[] = {
	{TS_BOUND_INPUT, 1, 1, false, TS_PLAY_ANY, "use more data loader workers",
	 "DataLoader(num_workers=...); double the number until the wait stops shrinking, all cores are busy or the host's memory "
	 "is full: each worker has its own copy of the dataset object",
	 "cores and memory of the host", LOADER, ALWAYS, NULL, NULL},
	{TS_BOUND_INPUT, 1, 0.5, false, TS_PLAY_ANY, "prefetch further ahead", "DataLoader(prefetch_factor=4 or more)",
	 "memory of the host", LOADER, ALWAYS, NULL, NULL},
	{TS_BOUND_INPUT, 1, 0.25, false, TS_PLAY_ANY, "keep the workers between epochs", "DataLoader(persistent_workers=True)",
	 "memory of the host", LOADER, ALWAYS, NULL, NULL},
	{TS_BOUND_INPUT, 1, 0.25, false, TS_PLAY_GPU, "use pinned memory and non-blocking copies",
	 "DataLoader(pin_memory=True) and tensor.to(device, non_blocking=True)", "memory of the host that cannot be swapped",
	 "PyTorch, A guide on good usage of non_blocking and pin_memory()",
	 "copies that overlap with nothing take at least 1 % of the devices' time, where there is a trace", may_have_exposed_copies,
	 NULL, NULL},
	{TS_BOUND_INPUT, 2, 0.5, false, TS_PLAY_ANY, "move costly transforms out of the loader",
	 "decode and tokenize once and store the result; augment on the device", "storage, and time of the device", TUNING, ALWAYS,
	 NULL, NULL},
	{TS_BOUND_INPUT, 3, 1, false, TS_PLAY_ANY, "use faster storage, and fewer but larger files",
	 "copy the data to local disks; store shards of about 100 MB instead of single samples (tar files, WebDataset)",
	 "a copy of the data; samples of a shard are read together", "WebDataset, documentation", ALWAYS, NULL, NULL},

	{TS_BOUND_COMPUTE, 1, 0.5, false, TS_PLAY_GPU, "use TF32 for 32-bit matrix products",
	 "torch.set_float32_matmul_precision('high')", "inputs of products are rounded to 10 bits",
	 "PyTorch, CUDA semantics, \"TensorFloat-32 (TF32) on Ampere (and later) devices\"",
	 "the run declares neither tf32 nor a format of fewer bits", not_tf32, NULL, NULL},
	{TS_BOUND_COMPUTE, 1, 0.5, true, TS_PLAY_ANY, "switch off what was left on for debugging",
	 "torch.autograd.set_detect_anomaly, gradcheck, a profiler that records each step", NULL, TUNING, ALWAYS, NULL, NULL},
	{TS_BOUND_COMPUTE, 1, 0.5, true, TS_PLAY_CPU, "use all cores",
	 "torch.set_num_threads and OMP_NUM_THREADS: the cores of the host divided by its ranks", NULL, TUNING, ALWAYS, NULL, NULL},
	{TS_BOUND_COMPUTE, 1, 0.25, true, TS_PLAY_ANY, "compute activations once",
	 "switch off activation checkpointing, or use it for fewer layers, while memory is free", "memory of the device",
	 "Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost (arXiv:1604.06174)",
	 "the run declares recomputation, and at most 60 % of the device's memory is used", recomputes_with_room, NULL, NULL},
	{TS_BOUND_COMPUTE, 1, 0.1, true, TS_PLAY_GPU, "let cuDNN choose the fastest convolutions",
	 "torch.backends.cudnn.benchmark = True, for convolutions whose shapes stay the same",
	 "a search at each new shape; the choice may differ between runs", TUNING, ALWAYS, NULL, NULL},
	{TS_BOUND_COMPUTE, 1, 0.1, true, TS_PLAY_ANY, "use a fused optimizer", "AdamW(..., fused=True), or foreach=True",
	 "foreach: temporaries as large as the parameters", "PyTorch, torch.optim", "the phase optimizer takes at least 5 % of a step",
	 has_much_optimizer, NULL, NULL},
	{TS_BOUND_COMPUTE, 2, 0.1, true, TS_PLAY_GPU, "use the channels-last memory format",
	 "model.to(memory_format=torch.channels_last), for convolutions in reduced precision", "operations without such a kernel copy",
	 TUNING, ALWAYS, NULL, NULL},
	{TS_BOUND_COMPUTE, 2, 0.5, false, TS_PLAY_GPU, "use mixed precision",
	 "torch.autocast(device_type='cuda', dtype=torch.bfloat16)",
	 "results are rounded to 8 bits within the operations that it lists",
	 "Micikevicius et al. 2018, Mixed Precision Training (arXiv:1710.03740)",
	 "the run declares no number format of fewer than 32 bits", not_reduced, NULL, NULL},
	{TS_BOUND_COMPUTE, 2, 0.25, true, TS_PLAY_ANY, "use fused attention",
	 "torch.nn.functional.scaled_dot_product_attention instead of attention written in single operations; "
	 "flash-attn from its prebuilt wheels",
	 "which kernel runs depends on the number format, the mask and the size of heads",
	 "Dao et al. 2022, FlashAttention (arXiv:2205.14135)",
	 "attention that computes all scores takes at least 1 % of the work, where there is a trace", may_have_math_attention,
	 most_math_attention, NULL},
	{TS_BOUND_COMPUTE, 2, 0.25, true, TS_PLAY_ANY, "compile the model",
	 "torch.compile(model); each new shape compiles the model again, so pad shapes or mark them dynamic, and check with "
	 "TORCH_LOGS=recompiles; once compiled, try mode='max-autotune' and fullgraph=True",
	 "minutes at the start, and again for each new shape", "Ansel et al. 2024, PyTorch 2 (ASPLOS)", ALWAYS, NULL, NULL},
	{TS_BOUND_COMPUTE, 2, 0.25, true, TS_PLAY_ANY, "use a larger batch",
	 "raise the batch size per device until memory is nearly full, and retune the learning rate", STALE, TUNING,
	 "less than 80 % of the device's memory is used, as far as that is known, and no request for memory was refused or repeated",
	 has_room, NULL, NULL},
	{TS_BOUND_COMPUTE, 3, 0.1, true, TS_PLAY_ANY, "use activation checkpointing and a larger batch",
	 "torch.utils.checkpoint on the largest layers only; it computes them twice, which pays only if the larger batch that "
	 "then fits saves more",
	 "one more forward pass of what is checkpointed",
	 "Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost (arXiv:1604.06174)",
	 "at least 80 % of the device's memory is used, or a request for memory was refused or repeated; and activations hold at "
	 "least 10 % of the peak, where there is a memory snapshot",
	 has_no_room_for_activations, NULL, NULL},

	{TS_BOUND_COMMUNICATION, 1, 0.25, false, TS_PLAY_ANY, "switch off the search for unused parameters",
	 "DistributedDataParallel(find_unused_parameters=False), gradient_as_bucket_view=True",
	 "an error where a step leaves parameters out", DDP, ALWAYS, NULL, NULL},
	{TS_BOUND_COMMUNICATION, 1, 0.25, false, TS_PLAY_ANY, "change the bucket size",
	 "DistributedDataParallel(bucket_cap_mb=...); try 50 and 100", "larger buckets begin later",
	 "Li et al. 2020, PyTorch Distributed (arXiv:2006.15704)", ALWAYS, NULL, NULL},
	{TS_BOUND_COMMUNICATION, 1, 0.25, false, TS_PLAY_ANY, "prefetch the next layer's shards",
	 "FSDP: backward_prefetch=BackwardPrefetch.BACKWARD_PRE, forward_prefetch=True, limit_all_gathers=True",
	 "memory of one more layer", "Zhao et al. 2023, PyTorch FSDP (arXiv:2304.11277)", ALWAYS, NULL, NULL},
	{TS_BOUND_COMMUNICATION, 2, 1, false, TS_PLAY_ANY, "overlap communication with computation",
	 "let DDP or FSDP reduce gradients while backward runs (async_op=True, prefetch of the next layer) instead of in one "
	 "blocking call at the end",
	 "kernels of communication take processors from those of computation", "Li et al. 2020, PyTorch Distributed (arXiv:2006.15704)",
	 ALWAYS, NULL, NULL},
	{TS_BOUND_COMMUNICATION, 2, 0.5, false, TS_PLAY_ANY, "communicate less often",
	 "accumulate gradients over microbatches under no_sync()", STALE "; with FSDP, memory of whole gradients", DDP, ALWAYS, NULL,
	 NULL},
	{TS_BOUND_COMMUNICATION, 2, 0.5, false, TS_PLAY_ANY, "send less data",
	 "reduce gradients in 16 bits: the bf16_compress_hook of DDP, or FSDP's MixedPrecision(reduce_dtype=...)",
	 "sums of gradients are rounded", "PyTorch, DDP Communication Hooks", ALWAYS, NULL, NULL},
	{TS_BOUND_COMMUNICATION, 2, 0.5, false, TS_PLAY_GPU, "check that the fast interconnect is used",
	 "NCCL_DEBUG=INFO shows whether NCCL uses NVLink and InfiniBand; NCCL_IB_HCA and NCCL_SOCKET_IFNAME choose the adapter, whose "
	 "MTU has to be the same on all hosts",
	 NULL, "NVIDIA, NCCL User Guide, \"Environment Variables\"", ALWAYS, NULL, NULL},
	{TS_BOUND_COMMUNICATION, 3, 0.5, false, TS_PLAY_ANY, "split the job differently",
	 "use tensor parallelism only within a host, shard within groups, give each device more work", "another layout of checkpoints",
	 "Narayanan et al. 2021, Efficient Large-Scale Language Model Training (arXiv:2104.04473)", ALWAYS, NULL, NULL},

	{TS_BOUND_WAIT, 1, 0.25, false, TS_PLAY_ANY, "collect garbage on all ranks at the same step",
	 "gc.disable(), and gc.collect() at a fixed interval of steps", "memory of the host between them", "Python, module gc", ALWAYS,
	 NULL, NULL},
	{TS_BOUND_WAIT, 2, 1, false, TS_PLAY_ANY, "check the hosts of the slow ranks",
	 "compare the clocks, temperature, other jobs and data loader of these ranks with those of the others; exchange the host", NULL,
	 "NVIDIA, NVIDIA Data Center GPU Manager (DCGM)", "a rank is a straggler", has_stragglers, NULL, NULL},
	{TS_BOUND_WAIT, 2, 1, false, TS_PLAY_ANY, "give all ranks the same amount of work",
	 "make batches of similar cost: bucket or pack by length, use shards of similar size", "the order of the samples changes",
	 TUNING, "no rank is a straggler, as far as that is known", has_no_stragglers, NULL, NULL},
	{TS_BOUND_WAIT, 3, 0.5, false, TS_PLAY_ANY, "synchronize less often",
	 "accumulate gradients, or average parameters at an interval of several steps", STALE, DDP, ALWAYS, NULL, NULL},

	{TS_BOUND_HOST, 1, 0.5, false, TS_PLAY_ANY, "log less often",
	 "log at an interval of several steps; each .item() and each print of a tensor waits for the device", "fewer points", TUNING,
	 ALWAYS, NULL, NULL},
	{TS_BOUND_HOST, 2, 1, false, TS_PLAY_GPU, "do not wait for the device in the loop",
	 "keep losses and norms on the device and read them (.item(), .cpu(), print) once in many steps; copy with "
	 "non_blocking=True; no torch.cuda.synchronize()",
	 "numbers are seen some steps later", TUNING ", \"Avoid unnecessary CPU-GPU synchronization\"",
	 "the device is idle for at least 2 % of its time behind calls with which the host waited for it, by a trace",
	 runs_dry_after_waits, most_after_waits, wait_source},
	{TS_BOUND_HOST, 1, 1, false, TS_PLAY_ANY, "load data while the device computes",
	 "DataLoader(num_workers=..., prefetch_factor=..., persistent_workers=True)", "cores and memory of the host", LOADER,
	 "the device is idle for at least 2 % of its time while the host is in a data loader, by a trace, and no phase tells of it",
	 loads_while_idle, most_loading, NULL},
	{TS_BOUND_HOST, 2, 1, false, TS_PLAY_ANY, "compile no more once training runs",
	 "TORCH_LOGS=recompiles says why: pad shapes, mark them dynamic (torch._dynamo.mark_dynamic), and keep numbers that change "
	 "out of compiled functions",
	 "padding is computed, too; code for any shape may be slower", "PyTorch, torch.compile, \"Recompilation\"",
	 "the host compiles for at least 1 % of the time of a trace", compiles_in_steps, most_compiling, NULL},
	{TS_BOUND_HOST, 1, 1, false, TS_PLAY_GPU, "let the allocator reuse what it has",
	 "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or use less memory: while it gives back and asks again, the host waits for "
	 "all work of the device",
	 "torch calls the setting experimental", ALLOCATOR,
	 "requests made the allocator give back what it held and ask the device again, by a memory snapshot", retries,
	 most_of_allocator, NULL},
	{TS_BOUND_HOST, 1, 1, false, TS_PLAY_GPU, "leave the allocator's cache alone", "no torch.cuda.empty_cache() in the loop",
	 "other programs on the device cannot use the cache", ALLOCATOR,
	 "at least as much was given back to the device without need as MEMORY.EMPTIED reports, by a memory snapshot",
	 empties_the_cache, most_of_allocator, NULL},
	{TS_BOUND_HOST, 1, 0.5, false, TS_PLAY_ANY, "evaluate and write checkpoints less often",
	 "use longer intervals, or evaluate on fewer batches", "more steps are lost where a run dies",
	 "PyTorch, Distributed Checkpoint",
	 "other phases take at least 2 % of the wall time", has_other, NULL, NULL},
	{TS_BOUND_HOST, 2, 1, false, TS_PLAY_ANY, "find out what the time is spent on",
	 "record evaluation, checkpoint and logging as phases of their own", NULL, "docs/recording.md",
	 "at least 2 % of the wall time is outside all phases", has_unattributed, NULL, NULL},
	{TS_BOUND_HOST, 2, 0.5, false, TS_PLAY_ANY, "write checkpoints asynchronously", "torch.distributed.checkpoint.async_save",
	 "memory of the host for a whole copy", "PyTorch, Distributed Checkpoint", "other phases take at least 2 % of the wall time",
	 has_other, NULL, NULL},
	{TS_BOUND_HOST, 2, 0.25, false, TS_PLAY_GPU, "launch fewer kernels",
	 "torch.compile(mode='reduce-overhead') or CUDA graphs, if steps are short",
	 "static shapes and addresses, and memory of the graphs",
	 "PyTorch, CUDA semantics, \"CUDA Graphs\"",
	 "the device waits for the host or for launches for at least 2 % of its time, where there is a trace", may_have_slow_launches,
	 most_launches, NULL},

	{TS_BOUND_STALLS, 1, 0.5, false, TS_PLAY_ANY, "keep the workers between epochs",
	 "DataLoader(persistent_workers=True), if the long steps begin epochs", "memory of the host", LOADER, ALWAYS, NULL, NULL},
	{TS_BOUND_STALLS, 1, 0.25, false, TS_PLAY_ANY, "collect garbage at fixed steps",
	 "gc.disable(), and gc.collect() at a fixed interval of steps", "memory of the host between them", "Python, module gc", ALWAYS,
	 NULL, NULL},
	{TS_BOUND_STALLS, 2, 1, false, TS_PLAY_ANY, "find out what the long steps do",
	 "record evaluation, checkpoint, logging and compilation as phases of their own", NULL, "docs/recording.md", ALWAYS, NULL,
	 NULL},
	{TS_BOUND_STALLS, 2, 0.5, false, TS_PLAY_ANY, "evaluate and write checkpoints less often, or asynchronously",
	 "use longer intervals; torch.distributed.checkpoint.async_save", "more steps are lost where a run dies",
	 "PyTorch, Distributed Checkpoint", ALWAYS, NULL, NULL},
};
const size_t ts_playbook_n = sizeof ts_playbook / sizeof ts_playbook[0];

/* --- the page --- */

static void page_row(struct ts_buf *out, const char *name, const char *how, const char *when, const char *costs, const char *source)
{
	ts_buf_printf(out, "| %s | %s | %s | %s | %s |\n", name, how, when ? when : "", costs ? costs : "", source);
}

static const char page_head[] =
	"# The playbook\n\n"
	"What `tscope analyze` advises, against which cause, under which condition, what it costs, and where it is\n"
	"described. `tscope explain --playbook` prints this page from the tables in `analysis/rules/playbook.c` and\n"
	"`memory_advice.c`, and a test keeps the page equal to that output.\n\n"
	"Fixes against lost time are in this order: first those against what the run is bound by, then those that could\n"
	"win most, in coarse steps, then the cheapest. What a fix could win is at most a part of its cause's share (all,\n"
	"a half, a quarter, a tenth), and never more than the record shows of what the fix is about: exposed communication,\n"
	"time in which the device was idle behind waits of the host, for a data loader or for launches, attention that computes\n"
	"all scores, compilation, time of the allocator.\n\n"
	"Fixes for memory say what they could save, in bytes at the peak, by a memory snapshot. One that costs time or results\n"
	"is advised only where memory limits the run: a request was refused, the allocator gave back what it held and asked\n"
	"again, or at least 80 % of the device was reserved.\n\n"
	"A fix whose condition (\"only where\") the record cannot show is not advised, unless the condition says \"where there\n"
	"is\" a trace or snapshot, or \"as far as that is known\". A report shows three pieces of advice; `--json` has all.\n";

void ts_playbook_markdown(struct ts_buf *out)
{
	static const char heads[] = "| fix | how | only where | costs | source |\n|---|---|---|---|---|\n";
	enum ts_bound_kind of = TS_BOUND_UNKNOWN;

	ts_buf_str(out, page_head);
	for (size_t i = 0; i < ts_playbook_n; i++) {
		const struct ts_play *p = &ts_playbook[i];

		if (p->of != of)
			ts_buf_printf(out, "\n## Against %s\n\n%s", ts_bound_word(p->of), heads);
		of = p->of;
		page_row(out, p->name, p->how, p->when, p->costs, p->source);
	}
	ts_buf_printf(out, "\n## For memory\n\n%s", heads);
	for (size_t i = 0; i < ts_memory_plays_n; i++) {
		const struct ts_memory_play *p = &ts_memory_plays[i];

		page_row(out, p->name, p->how, p->when, p->costs, p->source);
	}
}
