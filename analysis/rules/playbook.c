/* playbook.c - the table of fixes (playbook.h). Within one cause, fixes stand in the order in which they are worth
 * trying. */
#include "analysis/rules/playbook.h"

#include "analysis/answer/phase.h"
#include "analysis/answer/row_words.h"
#include "analysis/rules/rule.h"
#include "base/door.h"

/* --- what bounds a fix --- */

static bool known(const struct ts_measures *m, enum ts_measure_name what, const char *of, double *ret)
{
	return ts_measure_value(m, what, ts_span_str(of), ret) && isfinite(*ret);
}

static bool share_in_trace(const struct ts_measures *m, enum ts_trace_time what, double *ret)
{
	return known(m, TS_M_TRACE_SHARE, ts_trace_times[what], ret);
}

/* All that is lost to the cause is what the fix is about. */
static bool most_all(const struct ts_measures *m, double share, double *ret)
{
	(void)m;
	*ret = share;
	return true;
}

/* 16 bits are half of 32. */
static bool most_half(const struct ts_measures *m, double share, double *ret)
{
	(void)m;
	*ret = share / 2;
	return true;
}

static bool most_exposed_copies(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return share_in_trace(m, TS_TIME_EXPOSED_COPIES, ret);
}

static bool most_math_attention(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return share_in_trace(m, TS_TIME_MATH_ATTENTION, ret);
}

/* What ran at once on several streams counts for each, so the sum may be more than the time that passed. */
static bool time_in_trace(const struct ts_measures *m, enum ts_trace_time what, double *ret)
{
	double seconds, span;

	if (!known(m, TS_M_TRACE_TIME, ts_trace_times[what], &seconds) ||
	    !known(m, TS_M_TRACE_TIME, ts_trace_times[TS_TIME_SPAN], &span) || !(span > 0))
		return false;
	*ret = seconds / span;
	return true;
}

static bool most_convolutions(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return time_in_trace(m, TS_TIME_CONVOLUTIONS, ret);
}

static bool most_float32_products(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return time_in_trace(m, TS_TIME_FLOAT32_PRODUCTS, ret);
}

static bool most_after_waits(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return share_in_trace(m, TS_TIME_IDLE_AFTER_WAITS, ret);
}

static bool most_loading(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return share_in_trace(m, TS_TIME_IDLE_LOADING, ret);
}

static bool most_launches(const struct ts_measures *m, double share, double *ret)
{
	double host, launch;

	(void)share;
	if (!share_in_trace(m, TS_TIME_IDLE_HOST, &host) || !share_in_trace(m, TS_TIME_IDLE_LAUNCH, &launch))
		return false;
	*ret = host + launch;
	return true;
}

static bool most_compiling(const struct ts_measures *m, double share, double *ret)
{
	if (known(m, TS_M_TRACE_COMPILE_SHARE, "", ret))
		return true;
	if (!known(m, TS_M_PHASE_SHARE, "compile", ret))
		return false;
	*ret = fmin(*ret, share); /* it is of the time of the phases */
	return true;
}

static bool most_of_allocator(const struct ts_measures *m, double *ret)
{
	return known(m, TS_M_SNAPSHOT_ALLOCATOR_TIME, "", ret);
}

static bool most_retries(const struct ts_measures *m, double share, double *ret)
{
	double n;

	(void)share;
	return known(m, TS_M_SNAPSHOT_RETRIES, "", &n) && n > 0 && most_of_allocator(m, ret);
}

static bool most_emptying(const struct ts_measures *m, double share, double *ret)
{
	double bytes, peak;

	(void)share;
	return most_of_allocator(m, ret) && known(m, TS_M_SNAPSHOT_EMPTIED, "", &bytes) &&
	       known(m, TS_M_SNAPSHOT_PEAK_RESERVED, "", &peak) && peak > 0 &&
	       bytes >= peak * ts_rule_threshold(NULL, "MEMORY.EMPTIED", "min_peaks");
}

/* Of computing, what is done again. */
static bool most_recomputed(const struct ts_measures *m, double share, double *ret)
{
	double again;

	if (!known(m, TS_M_RECOMPUTED, "", &again) || !(again > 0))
		return false;
	*ret = share * again / (1 + again);
	return true;
}

static bool most_optimizer(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return known(m, TS_M_PHASE_SHARE, ts_rank_phases[TS_RANK_OPTIMIZER], ret);
}

static bool most_stragglers(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return known(m, TS_M_RANKS_SAVED_SHARE, "", ret);
}

static bool most_checkpoints(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return known(m, TS_M_GOODPUT_CHECKPOINT, "", ret);
}

static bool most_evaluation(const struct ts_measures *m, double share, double *ret)
{
	double c, e;

	(void)share;
	if (!known(m, TS_M_GOODPUT_CHECKPOINT, "", &c) || !known(m, TS_M_GOODPUT_EVALUATION, "", &e))
		return false;
	*ret = c + e;
	return true;
}

static bool most_unattributed(const struct ts_measures *m, double share, double *ret)
{
	(void)share;
	return known(m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_UNATTRIBUTED], ret);
}

/* What the long steps cost that begin epochs. */
static bool most_epoch_starts(const struct ts_measures *m, double share, double *ret)
{
	bool any = false;

	(void)share;
	*ret = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];
		double cost;

		if (!ts_measure_is(row, TS_M_PERIOD_CAUSE) || !row->known || ts_period_cause_of(row->text) != TS_PERIOD_EPOCHS ||
		    !ts_measure_value(m, TS_M_PERIOD_COST, row->subject, &cost) || !isfinite(cost))
			continue;
		any = true;
		*ret += cost;
	}
	return any;
}

static struct ts_span wait_source(const struct ts_measures *m)
{
	const struct ts_measure *row = ts_measure_find(m, TS_M_TRACE_WAIT_SOURCE, TS_NO_SUBJECT);

	return row && row->known ? row->text : ts_span_str("");
}

enum ts_fit ts_play_fits(const struct ts_play *play, const struct ts_measures *m, enum ts_condition *ret_ask)
{
	const struct ts_measure *torch = ts_measure_find(m, TS_M_SETUP_TORCH, TS_NO_SUBJECT);
	unsigned version = torch && torch->known ? ts_version_number(torch->text) : 0;

	TS_DOOR(ts_measures_hold(m));
	*ret_ask = TS_IF_NONE;
	if (play->torch && version && version < play->torch)
		return TS_FIT_NO;
	return ts_conditions_fit(m, play->conditions, ret_ask);
}

#define TUNING "PyTorch, Performance Tuning Guide"
#define LOADER "PyTorch, torch.utils.data"
#define DDP_DOCUMENT "PyTorch, DistributedDataParallel"
#define ALLOCATOR "PyTorch, CUDA semantics, \"Memory management\""
#define STALE "a larger global batch: the learning rate may have to change"
#define NEED(name)                                                                                                                     \
	{                                                                                                                              \
		TS_IF_##name, TS_NEED                                                                                                  \
	}
#define ASK(name)                                                                                                                      \
	{                                                                                                                              \
		TS_IF_##name, TS_ASK                                                                                                   \
	}
#define UNLESS(name)                                                                                                                   \
	{                                                                                                                              \
		TS_IF_##name, TS_UNLESS                                                                                                \
	}
#define TORCH UNLESS(TORCH)
#define TIME_IT "time some steps with it and without it"
#define TRACE_IT "a trace of a few steps (torch.profiler) shows "

const struct ts_play ts_playbook[] = {
	{.of = TS_BOUND_INPUT,
	 .effort = 1,
	 .part = 1,
	 .name = "use more data loader workers",
	 .how = "DataLoader(num_workers=...); double the number until the wait stops shrinking, all cores are busy or the host's "
		"memory "
		"is full: each worker has its own copy of the dataset object",
	 .costs = "cores and memory of the host",
	 .source = LOADER,
	 .conditions = {TORCH, UNLESS(FREE_CORES)},
	 .most = most_all,
	 .bounded_by = "the share of its cause"},
	{.of = TS_BOUND_INPUT,
	 .effort = 1,
	 .part = 0.5,
	 .torch = 107,
	 .name = "prefetch further ahead",
	 .how = "DataLoader(prefetch_factor=4 or more)",
	 .costs = "memory of the host",
	 .source = LOADER,
	 .conditions = {TORCH, ASK(WORKERS), UNLESS(LITTLE_PREFETCH)},
	 .most = most_all,
	 .bounded_by = "the share of its cause"},
	{.of = TS_BOUND_INPUT,
	 .effort = 1,
	 .part = 0.25,
	 .torch = 107,
	 .name = "keep the workers between epochs",
	 .how = "DataLoader(persistent_workers=True)",
	 .costs = "memory of the host",
	 .source = LOADER,
	 .conditions = {TORCH, ASK(WORKERS), ASK(NOT_PERSISTENT)},
	 .most = most_epoch_starts,
	 .bounded_by = "what long steps at the starts of epochs cost",
	 .check = "the phase data at the first step of each epoch"},
	{.of = TS_BOUND_INPUT,
	 .effort = 1,
	 .part = 0.25,
	 .name = "use pinned memory and non-blocking copies",
	 .how = "DataLoader(pin_memory=True) and tensor.to(device, non_blocking=True)",
	 .costs = "memory of the host that cannot be swapped",
	 .source = "PyTorch, A guide on good usage of non_blocking and pin_memory()",
	 .conditions = {TORCH, ASK(CUDA), ASK(NOT_PINNED)},
	 .most = most_exposed_copies,
	 .bounded_by = "copies that overlap with nothing, by a trace",
	 .check = TRACE_IT "copies that overlap with nothing"},
	{.of = TS_BOUND_INPUT,
	 .effort = 2,
	 .part = 0.5,
	 .name = "move costly transforms out of the loader",
	 .how = "decode and tokenize once and store the result; augment on the device",
	 .costs = "storage, and time of the device",
	 .source = TUNING,
	 .most = most_all,
	 .bounded_by = "the share of its cause"},
	{.of = TS_BOUND_INPUT,
	 .effort = 3,
	 .part = 1,
	 .name = "use faster storage, and fewer but larger files",
	 .how = "copy the data to local disks; store shards of about 100 MB instead of single samples (tar files, WebDataset)",
	 .costs = "a copy of the data; samples of a shard are read together",
	 .source = "WebDataset, documentation",
	 .most = most_all,
	 .bounded_by = "the share of its cause"},

	{.of = TS_BOUND_COMPUTE,
	 .effort = 1,
	 .part = 0.5,
	 .torch = 112,
	 .name = "use TF32 for 32-bit matrix products",
	 .how = "torch.set_float32_matmul_precision('high')",
	 .costs = "inputs of products are rounded to 10 bits",
	 .source = "PyTorch, CUDA semantics, \"TensorFloat-32 (TF32) on Ampere (and later) devices\"",
	 .conditions = {TORCH, ASK(TF32_UNITS), ASK(FLOAT32_PRODUCTS), ASK(NO_TF32), UNLESS(TF32_ALLOWED)},
	 .most = most_float32_products,
	 .bounded_by = "products of matrices in float32, by a trace",
	 .check = TRACE_IT "the time of kernels with sgemm in their names"},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 1,
	 .part = 0.5,
	 .overhead = true,
	 .name = "switch off what was left on for debugging",
	 .how = "torch.autograd.set_detect_anomaly(False), CUDA_LAUNCH_BLOCKING=0",
	 .source = TUNING,
	 .conditions = {NEED(DEBUGGING)},
	 .check = TIME_IT},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 1,
	 .part = 0.5,
	 .overhead = true,
	 .name = "use all cores",
	 .how = "torch.set_num_threads and OMP_NUM_THREADS: the cores of the host divided by its ranks",
	 .source = TUNING,
	 .conditions = {TORCH, NEED(CPU), ASK(FEW_THREADS)},
	 .check = TIME_IT},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 1,
	 .part = 0.25,
	 .overhead = true,
	 .name = "compute activations once",
	 .how = "switch off activation checkpointing, or use it for fewer layers, while memory is free",
	 .costs = "memory of the device",
	 .source = "Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost (arXiv:1604.06174)",
	 .conditions = {NEED(RECOMPUTES), NEED(MUCH_ROOM)},
	 .most = most_recomputed,
	 .bounded_by = "the FLOPs that are done again, of those of a step",
	 .check = TIME_IT},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 1,
	 .part = 0.1,
	 .overhead = true,
	 .name = "let cuDNN choose the fastest convolutions",
	 .how = "torch.backends.cudnn.benchmark = True, for convolutions whose shapes stay the same",
	 .costs = "a search at each new shape; the choice may differ between runs",
	 .source = TUNING,
	 .conditions = {TORCH, NEED(CONVOLUTIONS), ASK(CUDA), UNLESS(NOT_DETERMINISTIC), ASK(NO_BENCHMARK)},
	 .most = most_convolutions,
	 .bounded_by = "convolutions, by a trace",
	 .check = TIME_IT},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 1,
	 .part = 0.1,
	 .overhead = true,
	 .torch = 200,
	 .name = "use a fused optimizer",
	 .how = "AdamW(..., fused=True), or foreach=True",
	 .costs = "foreach: temporaries as large as the parameters",
	 .source = "PyTorch, torch.optim",
	 .conditions = {TORCH, NEED(MUCH_OPTIMIZER), UNLESS(FUSABLE), ASK(PLAIN_OPTIMIZER)},
	 .most = most_optimizer,
	 .bounded_by = "the phase optimizer"},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 2,
	 .part = 0.1,
	 .overhead = true,
	 .torch = 105,
	 .name = "use the channels-last memory format",
	 .how = "model.to(memory_format=torch.channels_last), for convolutions in reduced precision",
	 .costs = "operations without such a kernel copy",
	 .source = TUNING,
	 .conditions = {TORCH, NEED(CONVOLUTIONS), ASK(MATRIX_UNITS), ASK(NOT_CHANNELS_LAST)},
	 .most = most_convolutions,
	 .bounded_by = "convolutions, by a trace",
	 .check = TIME_IT},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 2,
	 .part = 0.5,
	 .torch = 110,
	 .name = "use mixed precision in bf16",
	 .how = "torch.autocast(device_type='cuda', dtype=torch.bfloat16)",
	 .costs = "results are rounded to 8 bits within the operations that it lists",
	 .source = "Micikevicius et al. 2018, Mixed Precision Training (arXiv:1710.03740)",
	 .conditions = {TORCH, ASK(CUDA), ASK(BF16_UNITS), ASK(FULL_PRECISION)},
	 .check = TIME_IT},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 2,
	 .part = 0.5,
	 .torch = 110,
	 .name = "use mixed precision in fp16",
	 .how = "torch.autocast(device_type='cuda', dtype=torch.float16), and a loss scale: torch.amp.GradScaler",
	 .costs = "results are rounded to 11 bits within the operations that it lists; gradients too large or too small need the scale",
	 .source = "Micikevicius et al. 2018, Mixed Precision Training (arXiv:1710.03740)",
	 .conditions = {TORCH, NEED(FP16_UNITS), ASK(FULL_PRECISION)},
	 .check = TIME_IT},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 2,
	 .part = 0.25,
	 .overhead = true,
	 .torch = 200,
	 .name = "use fused attention",
	 .how = "torch.nn.functional.scaled_dot_product_attention instead of attention written in single operations",
	 .costs = "which kernel runs depends on the device, the number format, the mask and the size of heads; some backward passes "
		  "add in any order",
	 .source = "Dao et al. 2022, FlashAttention (arXiv:2205.14135)",
	 .conditions = {TORCH, NEED(ATTENTION), ASK(PLAIN_ATTENTION)},
	 .most = most_math_attention,
	 .bounded_by = "attention that computes all scores, by a trace",
	 .check = TRACE_IT "the time of attention that computes all scores"},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 2,
	 .part = 0.25,
	 .overhead = true,
	 .torch = 200,
	 .name = "compile the model",
	 .how = "torch.compile(model); each new shape compiles the model again, so pad shapes or mark them dynamic, and check with "
		"TORCH_LOGS=recompiles; once compiled, try mode='max-autotune' and fullgraph=True",
	 .costs = "minutes at the start, and again for each new shape",
	 .source = "Ansel et al. 2024, PyTorch 2 (ASPLOS)",
	 .conditions = {TORCH, UNLESS(NOT_WINDOWS), ASK(TRITON), ASK(NOT_COMPILED)},
	 .check = TIME_IT},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 2,
	 .part = 0.25,
	 .overhead = true,
	 .name = "use a larger batch",
	 .how = "raise the batch size per device until memory is nearly full, and retune the learning rate",
	 .costs = STALE,
	 .source = TUNING,
	 .conditions = {ASK(ROOM)},
	 .check = "compare the samples a second of two batch sizes"},
	{.of = TS_BOUND_COMPUTE,
	 .effort = 3,
	 .part = 0.1,
	 .overhead = true,
	 .name = "use activation checkpointing and a larger batch",
	 .how = "torch.utils.checkpoint on the largest layers only; it computes them twice, which pays only if the larger batch that "
		"then fits saves more",
	 .costs = "one more forward pass of what is checkpointed",
	 .source = "Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost (arXiv:1604.06174)",
	 .conditions = {TORCH, NEED(FULL), ASK(NO_RECOMPUTING)},
	 .check = "compare the samples a second with it and without it"},

	{.of = TS_BOUND_COMMUNICATION,
	 .effort = 1,
	 .part = 0.25,
	 .name = "switch off the search for unused parameters",
	 .how = "DistributedDataParallel(find_unused_parameters=False), gradient_as_bucket_view=True",
	 .costs = "an error where a step leaves parameters out",
	 .source = DDP_DOCUMENT,
	 .conditions = {TORCH, NEED(FINDS_UNUSED), ASK(DDP)},
	 .check = TIME_IT},
	{.of = TS_BOUND_COMMUNICATION,
	 .effort = 1,
	 .part = 0.25,
	 .name = "change the bucket size",
	 .how = "DistributedDataParallel(bucket_cap_mb=...); try 50 and 100",
	 .costs = "larger buckets begin later",
	 .source = "Li et al. 2020, PyTorch Distributed (arXiv:2006.15704)",
	 .conditions = {TORCH, ASK(DDP)},
	 .check = TIME_IT},
	{.of = TS_BOUND_COMMUNICATION,
	 .effort = 1,
	 .part = 0.25,
	 .name = "prefetch the next layer's shards",
	 .how = "FSDP: backward_prefetch=BackwardPrefetch.BACKWARD_PRE, forward_prefetch=True, limit_all_gathers=True",
	 .costs = "memory of one more layer",
	 .source = "Zhao et al. 2023, PyTorch FSDP (arXiv:2304.11277)",
	 .conditions = {TORCH, NEED(FSDP)},
	 .check = TIME_IT},
	{.of = TS_BOUND_COMMUNICATION,
	 .effort = 2,
	 .part = 1,
	 .name = "overlap communication with computation",
	 .how = "let DDP or FSDP reduce gradients while backward runs (async_op=True, prefetch of the next layer) instead of in one "
		"blocking call at the end",
	 .costs = "kernels of communication take processors from those of computation",
	 .source = "Li et al. 2020, PyTorch Distributed (arXiv:2006.15704)",
	 .conditions = {ASK(NO_OVERLAP)},
	 .most = most_all,
	 .bounded_by = "the share of its cause"},
	{.of = TS_BOUND_COMMUNICATION,
	 .effort = 2,
	 .part = 0.5,
	 .name = "communicate only for the last of the accumulated batches",
	 .how = "no_sync() around the backward passes of the others",
	 .costs = "with FSDP, memory of whole gradients",
	 .source = DDP_DOCUMENT,
	 .conditions = {TORCH, NEED(ACCUMULATES), ASK(DDP), ASK(SYNCS_EACH)},
	 .most = most_all,
	 .bounded_by = "the share of its cause"},
	{.of = TS_BOUND_COMMUNICATION,
	 .effort = 2,
	 .part = 0.5,
	 .name = "send less data",
	 .how = "reduce gradients in 16 bits: the bf16_compress_hook of DDP, or FSDP's MixedPrecision(reduce_dtype=...)",
	 .costs = "sums of gradients are rounded",
	 .source = "PyTorch, DDP Communication Hooks",
	 .conditions = {TORCH, ASK(DATA_PARALLEL), ASK(WIDE_GRADIENTS)},
	 .most = most_half,
	 .bounded_by = "half of the share of its cause"},
	{.of = TS_BOUND_COMMUNICATION,
	 .effort = 2,
	 .part = 0.5,
	 .name = "check that the fast interconnect is used",
	 .how = "NCCL_DEBUG=INFO shows whether NCCL uses NVLink and InfiniBand; NCCL_IB_HCA and NCCL_SOCKET_IFNAME choose the adapter, "
		"whose "
		"MTU has to be the same on all hosts",
	 .source = "NVIDIA, NCCL User Guide, \"Environment Variables\"",
	 .conditions = {ASK(NVIDIA)},
	 .check = "look for NVLS, P2P/CUMEM or NET/IB instead of NET/Socket in what NCCL_DEBUG=INFO prints"},
	{.of = TS_BOUND_COMMUNICATION,
	 .effort = 3,
	 .part = 0.5,
	 .name = "split the job differently",
	 .how = "use tensor parallelism only within a host, shard within groups, give each device more work",
	 .costs = "another layout of checkpoints",
	 .source = "Narayanan et al. 2021, Efficient Large-Scale Language Model Training (arXiv:2104.04473)",
	 .conditions = {NEED(SEVERAL_HOSTS)},
	 .check = "compare the step time of two layouts"},

	{.of = TS_BOUND_WAIT,
	 .effort = 1,
	 .part = 0.25,
	 .name = "collect garbage on all ranks at the same step",
	 .how = "gc.disable(), and gc.collect() at a fixed interval of steps",
	 .costs = "memory of the host between them",
	 .source = "Python, module gc",
	 .conditions = {ASK(GC_AT_WILL)},
	 .check = "gc.callbacks: print when collections run, and how long they take"},
	{.of = TS_BOUND_WAIT,
	 .effort = 2,
	 .part = 1,
	 .name = "check the hosts of the slow ranks",
	 .how = "compare the clocks, temperature, other jobs and data loader of these ranks with those of the others; exchange the "
		"host",
	 .source = "NVIDIA, NVIDIA Data Center GPU Manager (DCGM)",
	 .conditions = {NEED(STRAGGLERS)},
	 .most = most_stragglers,
	 .bounded_by = "what all ranks wait for the stragglers",
	 .check = TIME_IT},
	{.of = TS_BOUND_WAIT,
	 .effort = 2,
	 .part = 1,
	 .name = "give all ranks the same amount of work",
	 .how = "make batches of similar cost: bucket or pack by length, use shards of similar size",
	 .costs = "the order of the samples changes",
	 .source = TUNING,
	 .conditions = {NEED(NO_STRAGGLERS)},
	 .most = most_all,
	 .bounded_by = "the share of its cause"},
	{.of = TS_BOUND_WAIT,
	 .effort = 3,
	 .part = 0.5,
	 .name = "synchronize less often",
	 .how = "accumulate gradients, or average parameters at an interval of several steps",
	 .costs = STALE,
	 .source = DDP_DOCUMENT,
	 .conditions = {ASK(DATA_PARALLEL)},
	 .check = TIME_IT},

	{.of = TS_BOUND_HOST,
	 .effort = 1,
	 .part = 0.5,
	 .name = "log less often",
	 .how = "log at an interval of several steps; each .item() and each print of a tensor waits for the device",
	 .costs = "fewer points",
	 .source = TUNING,
	 .conditions = {ASK(LOGS_OFTEN)},
	 .check = "record logging as a phase of its own"},
	{.of = TS_BOUND_HOST,
	 .effort = 2,
	 .part = 1,
	 .if_bounded = true,
	 .name = "do not wait for the device in the loop",
	 .how = "keep losses and norms on the device and read them (.item(), .cpu(), print) once in many steps; copy with "
		"non_blocking=True; no torch.cuda.synchronize()",
	 .costs = "numbers are seen some steps later",
	 .source = TUNING ", \"Avoid unnecessary CPU-GPU synchronization\"",
	 .conditions = {NEED(CUDA)},
	 .most = most_after_waits,
	 .bounded_by = "the time in which the device is idle behind waits of the host, by a trace",
	 .place = wait_source},
	{.of = TS_BOUND_HOST,
	 .effort = 1,
	 .part = 1,
	 .if_bounded = true,
	 .name = "load data while the device computes",
	 .how = "DataLoader(num_workers=..., prefetch_factor=..., persistent_workers=True)",
	 .costs = "cores and memory of the host",
	 .source = LOADER,
	 .conditions = {TORCH, NEED(INPUT_UNSEEN), UNLESS(FREE_CORES)},
	 .most = most_loading,
	 .bounded_by = "the time in which the device is idle while the host is in a data loader, by a trace"},
	{.of = TS_BOUND_HOST,
	 .effort = 2,
	 .part = 1,
	 .if_bounded = true,
	 .name = "compile no more once training runs",
	 .how = "TORCH_LOGS=recompiles says why: pad shapes, mark them dynamic (torch._dynamo.mark_dynamic), and keep numbers that "
		"change "
		"out of compiled functions",
	 .costs = "padding is computed, too; code for any shape may be slower",
	 .source = "PyTorch, torch.compile, \"Recompilation\"",
	 .most = most_compiling,
	 .bounded_by = "the time that the host compiles, by a trace or the phase compile"},
	{.of = TS_BOUND_HOST,
	 .effort = 1,
	 .part = 1,
	 .if_bounded = true,
	 .name = "let the allocator reuse what it has",
	 .how = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or use less memory: while it gives back and asks again, the host "
		"waits for "
		"all work of the device",
	 .costs = "torch calls the setting experimental",
	 .source = ALLOCATOR,
	 .conditions = {UNLESS(NOT_WINDOWS), UNLESS(NOT_ROCM), UNLESS(FIXED_SEGMENTS)},
	 .most = most_retries,
	 .bounded_by = "the time of the allocator, by a memory snapshot in which requests made it give back what it held"},
	{.of = TS_BOUND_HOST,
	 .effort = 1,
	 .part = 1,
	 .if_bounded = true,
	 .name = "leave the allocator's cache alone",
	 .how = "no torch.cuda.empty_cache() in the loop",
	 .costs = "other programs on the device cannot use the cache",
	 .source = ALLOCATOR,
	 .most = most_emptying,
	 .bounded_by = "the time of the allocator, by a memory snapshot of which MEMORY.EMPTIED is true"},
	{.of = TS_BOUND_HOST,
	 .effort = 1,
	 .part = 0.5,
	 .if_bounded = true,
	 .name = "evaluate and write checkpoints less often",
	 .how = "use longer intervals, or evaluate on fewer batches",
	 .costs = "more steps are lost where a run dies",
	 .source = "PyTorch, Distributed Checkpoint",
	 .conditions = {NEED(EVALUATES)},
	 .most = most_evaluation,
	 .bounded_by = "the phases of checkpoints and evaluation"},
	{.of = TS_BOUND_HOST,
	 .effort = 2,
	 .part = 1,
	 .if_bounded = true,
	 .name = "find out what the time is spent on",
	 .how = "record evaluation, checkpoint and logging as phases of their own",
	 .source = "docs/recording.md",
	 .conditions = {NEED(UNATTRIBUTED)},
	 .most = most_unattributed,
	 .bounded_by = "the time outside all phases"},
	{.of = TS_BOUND_HOST,
	 .effort = 2,
	 .part = 0.5,
	 .if_bounded = true,
	 .torch = 203,
	 .name = "write checkpoints asynchronously",
	 .how = "torch.distributed.checkpoint.async_save",
	 .costs = "memory of the host for a whole copy",
	 .source = "PyTorch, Distributed Checkpoint",
	 .conditions = {TORCH, NEED(CHECKPOINTS), ASK(SYNC_CHECKPOINTS)},
	 .most = most_checkpoints,
	 .bounded_by = "the phases of checkpoints"},
	{.of = TS_BOUND_HOST,
	 .effort = 2,
	 .part = 0.25,
	 .torch = 200,
	 .name = "launch fewer kernels",
	 .how = "torch.compile(mode='reduce-overhead') or CUDA graphs, if steps are short",
	 .costs = "static shapes and addresses, and memory of the graphs",
	 .source = "PyTorch, CUDA semantics, \"CUDA Graphs\"",
	 .conditions = {TORCH, ASK(CUDA), ASK(TRITON)},
	 .most = most_launches,
	 .bounded_by = "the time in which the device waits for the host or for launches, by a trace",
	 .check = TRACE_IT "how long the device waits for the host and for launches"},

	{.of = TS_BOUND_STALLS,
	 .effort = 1,
	 .part = 0.5,
	 .torch = 107,
	 .name = "keep the workers between epochs",
	 .how = "DataLoader(persistent_workers=True), if the long steps begin epochs",
	 .costs = "memory of the host",
	 .source = LOADER,
	 .conditions = {TORCH, ASK(WORKERS), ASK(NOT_PERSISTENT)},
	 .most = most_epoch_starts,
	 .bounded_by = "what long steps at the starts of epochs cost",
	 .check = "see whether the long steps are the first ones of epochs"},
	{.of = TS_BOUND_STALLS,
	 .effort = 1,
	 .part = 0.25,
	 .name = "collect garbage at fixed steps",
	 .how = "gc.disable(), and gc.collect() at a fixed interval of steps",
	 .costs = "memory of the host between them",
	 .source = "Python, module gc",
	 .conditions = {ASK(GC_AT_WILL)},
	 .check = "gc.callbacks: print when collections run, and how long they take"},
	{.of = TS_BOUND_STALLS,
	 .effort = 2,
	 .part = 1,
	 .name = "find out what the long steps do",
	 .how = "record evaluation, checkpoint, logging and compilation as phases of their own",
	 .source = "docs/recording.md",
	 .most = most_all,
	 .bounded_by = "the share of its cause"},
	{.of = TS_BOUND_STALLS,
	 .effort = 2,
	 .part = 0.5,
	 .name = "evaluate and write checkpoints less often, or asynchronously",
	 .how = "use longer intervals; torch.distributed.checkpoint.async_save",
	 .costs = "more steps are lost where a run dies",
	 .source = "PyTorch, Distributed Checkpoint",
	 .conditions = {ASK(SYNC_CHECKPOINTS)},
	 .check = "see whether the long steps are those of checkpoints or evaluation"},
};
const size_t ts_playbook_n = sizeof ts_playbook / sizeof ts_playbook[0];
