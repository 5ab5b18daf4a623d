/* quality_advice.c - is advice possible on the device, and does nothing that the record says refute it?
 *
 * A trial plants a run: its device, what its program switches on, and which framework's names its record has. The truth is drawn
 * first, and what is impossible or refuted follows from it by makers' documents and from the meaning of the settings, not by
 * tscope's tables: TF32 and bf16 begin with Ampere, Triton with Volta, a loader without workers has none to keep. A dialect records
 * what that framework records, under its own names; only what it says can refute. The other half is power: where the record shows
 * that something is off that would help, it has to be named.
 */
#include "quality_parts.h"

#include "analysis/rank/efficiency.h"
#include "analysis/rank/setup.h"
#include "analysis/rules/bound.h"

#include <stdio.h>
#include <stdlib.h>

enum has { TF32 = 1, BF16 = 2, FP16_ONLY = 4, TRITON = 8, CUDA = 16, NVIDIA = 32 };

static const struct device {
	const char *name, *capability, *architecture; /* as torch and W&B record them; NULL: neither does */
	unsigned has;
} devices[] = {
	{"Tesla T4", "7.5", "Turing", FP16_ONLY | TRITON | CUDA | NVIDIA},
	{"NVIDIA GeForce RTX 2080 Ti", "7.5", "Turing", FP16_ONLY | TRITON | CUDA | NVIDIA},
	{"Quadro RTX 8000", "7.5", "Turing", FP16_ONLY | TRITON | CUDA | NVIDIA},
	{"NVIDIA GeForce GTX 1650", "7.5", "Turing", TRITON | CUDA | NVIDIA},
	{"Tesla V100-SXM2-32GB", "7.0", "Volta", FP16_ONLY | TRITON | CUDA | NVIDIA},
	{"Tesla P100-PCIE-16GB", "6.0", "Pascal", CUDA | NVIDIA},
	{"NVIDIA GeForce GTX 1080 Ti", "6.1", "Pascal", CUDA | NVIDIA},
	{"Tesla K80", "3.7", "Kepler", CUDA | NVIDIA},
	{"NVIDIA A100-SXM4-40GB", "8.0", "Ampere", TF32 | BF16 | TRITON | CUDA | NVIDIA},
	{"NVIDIA A10G", "8.6", "Ampere", TF32 | BF16 | TRITON | CUDA | NVIDIA},
	{"NVIDIA GeForce RTX 3090 Ti", "8.6", "Ampere", TF32 | BF16 | TRITON | CUDA | NVIDIA},
	{"NVIDIA RTX A5000", "8.6", "Ampere", TF32 | BF16 | TRITON | CUDA | NVIDIA},
	{"NVIDIA L40S", "8.9", "Ada", TF32 | BF16 | TRITON | CUDA | NVIDIA},
	{"NVIDIA GeForce RTX 4080 SUPER", "8.9", "Ada", TF32 | BF16 | TRITON | CUDA | NVIDIA},
	{"NVIDIA H100 80GB HBM3", "9.0", "Hopper", TF32 | BF16 | TRITON | CUDA | NVIDIA},
	{"NVIDIA B200", "10.0", "Blackwell", TF32 | BF16 | TRITON | CUDA | NVIDIA},
	{"AMD Instinct MI250X", NULL, NULL, BF16 | TRITON | CUDA},
	{"TPU v4", NULL, NULL, BF16},
	{"Apple M2 Ultra", NULL, NULL, 0},
	{NULL, NULL, NULL, TRITON}, /* a CPU, for which torch compiles C++ */
};

enum format { IN_FP32, IN_BF16, IN_FP16 };
enum model { CONVOLUTIONS, ATTENTION, OTHER_MODEL };
enum optimizer { ADAMW, ADAMW_FUSED, ADAMW_8BIT, LION, SGD };
enum ranks { ALONE, DDP, FSDP, DEEPSPEED, MEGATRON };

/* What a record says. */
enum said {
	SAID_FORMAT = 1,
	SAID_TF32 = 1 << 1,
	SAID_COMPILED = 1 << 2,
	SAID_RECOMPUTES = 1 << 3,
	SAID_WORKERS = 1 << 4,
	SAID_PERSISTENT = 1 << 5,
	SAID_PINNED = 1 << 6,
	SAID_PREFETCH = 1 << 7,
	SAID_MODEL = 1 << 8,
	SAID_FUSED_ATTENTION = 1 << 9,
	SAID_CHANNELS_LAST = 1 << 10,
	SAID_BENCHMARK = 1 << 11,
	SAID_DETERMINISTIC = 1 << 12,
	SAID_OPTIMIZER = 1 << 13,
	SAID_ANOMALY = 1 << 14,
	SAID_RANKS = 1 << 15,
	SAID_FIND_UNUSED = 1 << 16,
	SAID_ACCUMULATES = 1 << 17,
	SAID_LOGS = 1 << 18,
	SAID_LIBRARIES = 1 << 19,
	SAID_PLATFORM = 1 << 20,
	SAID_DEVICE = 1 << 21,
};

static struct plant {
	const struct device *device;
	enum format format;
	enum model model;
	enum optimizer optimizer;
	enum ranks ranks;
	bool tf32, compiled, recomputes, persistent, pinned, fused_attention, channels_last, benchmark, deterministic, anomaly,
		find_unused;
	bool own_sync; /* the trainer communicates the last of accumulated batches alone, as Lightning's and Hugging Face's do */
	bool windows, jax, old_torch; /* old: 1.9, before torch.autocast, set_float32_matmul_precision and compile, and with TF32 on */
	int workers, prefetch, accumulates, logs_every;
	double pressure; /* of the device's memory; 0: not recorded */
	unsigned said;
} plant;

static struct {
	struct ts_arena *arena;
	struct ts_facts facts;
} record;

static bool coin(struct ts_random *r)
{
	return ts_random_below(r, 2) == 0;
}

static void put(const char *path, struct ts_fact fact)
{
	struct ts_error err;

	fact.path = ts_span_str(path);
	fact.source = TS_SOURCE_FACTS_JSON;
	if (ts_facts_add(&record.facts, &fact, record.arena, &err))
		abort();
}

static void say(unsigned what, const char *path, const char *text)
{
	plant.said |= what;
	put(path, (struct ts_fact){.type = TS_FACT_TEXT, .text = ts_span_str(text)});
}

static void say_flag(unsigned what, const char *path, bool value)
{
	plant.said |= what;
	put(path, (struct ts_fact){.type = TS_FACT_BOOL, .boolean = value});
}

static void say_number(unsigned what, const char *path, int value)
{
	plant.said |= what;
	put(path, (struct ts_fact){.type = TS_FACT_INT, .integer = value});
}

static void say_null(const char *path)
{
	put(path, (struct ts_fact){.type = TS_FACT_NULL});
}

/* --- dialects --- */

static const char *optimizer_word(void)
{
	static const char *const words[] = {"adamw_torch", "adamw_torch_fused", "adamw_bnb_8bit", "lion_32bit", "sgd"};

	return words[plant.optimizer];
}

/* TrainingArguments, as W&B or a dump of them has it. */
static void hugging_face(struct ts_random *r)
{
	(void)r;
	plant.own_sync = true;
	say_number(0, "config.per_device_train_batch_size", 8);
	say_flag(SAID_FORMAT, "config.bf16", plant.format == IN_BF16);
	say_flag(SAID_FORMAT, "config.fp16", plant.format == IN_FP16);
	if (coin(r))
		say_flag(SAID_TF32, "config.tf32", plant.tf32);
	else
		say_null("config.tf32");
	say_flag(SAID_COMPILED, "config.torch_compile", plant.compiled);
	say_flag(SAID_RECOMPUTES, "config.gradient_checkpointing", plant.recomputes);
	say_number(SAID_WORKERS, "config.dataloader_num_workers", plant.workers);
	say_flag(SAID_PERSISTENT, "config.dataloader_persistent_workers", plant.persistent);
	say_flag(SAID_PINNED, "config.dataloader_pin_memory", plant.pinned);
	if (plant.workers)
		say_number(SAID_PREFETCH, "config.dataloader_prefetch_factor", plant.prefetch);
	else
		say_null("config.dataloader_prefetch_factor");
	say(SAID_OPTIMIZER, "config.optim", optimizer_word());
	say_flag(SAID_DETERMINISTIC, "config.full_determinism", plant.deterministic);
	say_number(SAID_ACCUMULATES, "config.gradient_accumulation_steps", plant.accumulates);
	say_number(SAID_LOGS, "config.logging_steps", plant.logs_every);
	if (plant.ranks == FSDP)
		say(SAID_RANKS, "config.fsdp", "full_shard auto_wrap");
	else if (plant.ranks == DEEPSPEED)
		say(SAID_RANKS, "config.deepspeed", "ds_zero2.json");
	else
		say_null("config.deepspeed");
	if (plant.ranks == DDP && plant.find_unused)
		say_flag(SAID_RANKS | SAID_FIND_UNUSED, "config.ddp_find_unused_parameters", true);
	if (plant.model == ATTENTION) {
		say(SAID_MODEL, "config.model_type", coin(r) ? "llama" : "gpt2");
		say(SAID_FUSED_ATTENTION, "config.attn_implementation", plant.fused_attention ? "sdpa" : "eager");
	}
}

static void lightning(struct ts_random *r)
{
	static const char *const precisions[] = {"32-true", "bf16-mixed", "16-mixed"};
	static const char *const strategies[] = {"auto", "ddp", "fsdp", "deepspeed_stage_2", "auto"};

	plant.own_sync = true;
	say(SAID_FORMAT, "config.trainer.precision", precisions[plant.format]);
	say_number(SAID_ACCUMULATES, "config.trainer.accumulate_grad_batches", plant.accumulates);
	say_flag(SAID_ANOMALY, "config.trainer.detect_anomaly", plant.anomaly);
	say_flag(SAID_BENCHMARK, "config.trainer.benchmark", plant.benchmark);
	say_flag(SAID_DETERMINISTIC, "config.trainer.deterministic", plant.deterministic);
	say_number(SAID_LOGS, "config.trainer.log_every_n_steps", plant.logs_every);
	if (plant.ranks != ALONE && plant.ranks != MEGATRON)
		say(SAID_RANKS | (plant.ranks == DDP && plant.find_unused ? SAID_FIND_UNUSED : 0), "config.trainer.strategy",
		    plant.ranks == DDP && plant.find_unused ? "ddp_find_unused_parameters_true" : strategies[plant.ranks]);
	say_number(SAID_WORKERS, "config.data.num_workers", plant.workers);
	say_flag(SAID_PINNED, "config.data.pin_memory", plant.pinned);
	say_flag(SAID_PERSISTENT, "config.data.persistent_workers", plant.persistent);
	if (plant.model == CONVOLUTIONS)
		say(SAID_MODEL, "config.model.name", coin(r) ? "resnet50" : "efficientnet_b0");
}

static void megatron(struct ts_random *r)
{
	static const char *const dtypes[] = {"torch.float32", "torch.bfloat16", "torch.float16"};

	plant.ranks = MEGATRON;
	say(SAID_FORMAT, "config.params_dtype", dtypes[plant.format]);
	say_flag(SAID_FORMAT, "config.bf16", plant.format == IN_BF16);
	say_flag(SAID_FORMAT, "config.fp16", plant.format == IN_FP16);
	say_number(SAID_RANKS, "config.tensor_model_parallel_size", coin(r) ? 1 : 4);
	say_flag(SAID_RANKS, "config.use_distributed_optimizer", coin(r));
	if (plant.recomputes)
		say(SAID_RECOMPUTES, "config.recompute_granularity", coin(r) ? "full" : "selective");
	else
		say_null("config.recompute_granularity");
	say_number(SAID_WORKERS, "config.num_workers", plant.workers);
	say_number(SAID_LOGS, "config.log_interval", plant.logs_every);
	plant.model = ATTENTION;
	say_number(SAID_MODEL, "config.num_attention_heads", 32);
	say_flag(SAID_FUSED_ATTENTION, "config.use_flash_attn", plant.fused_attention);
}

static void timm(struct ts_random *r)
{
	plant.model = CONVOLUTIONS;
	say(SAID_MODEL, "config.model", coin(r) ? "convnext_tiny" : "resnet18");
	say_flag(SAID_FORMAT, "config.amp", plant.format != IN_FP32);
	say_flag(SAID_CHANNELS_LAST, "config.channels_last", plant.channels_last);
	say_number(SAID_WORKERS, "config.workers", plant.workers);
	say_flag(SAID_PINNED, "config.pin_mem", plant.pinned);
	say_flag(SAID_RECOMPUTES, "config.grad_checkpointing", plant.recomputes);
	if (plant.compiled)
		say(SAID_COMPILED, "config.torchcompile", "inductor");
	else
		say_null("config.torchcompile");
	say_number(SAID_LOGS, "config.log_interval", plant.logs_every);
	if (plant.optimizer == LION)
		say(SAID_OPTIMIZER, "config.opt", "lion");
	else if (plant.optimizer == SGD)
		say(SAID_OPTIMIZER, "config.opt", "sgd");
}

static void nano_gpt(struct ts_random *r)
{
	static const char *const dtypes[] = {"float32", "bfloat16", "float16"};

	(void)r;
	say(SAID_FORMAT, "config.dtype", dtypes[plant.format]);
	say_flag(SAID_COMPILED, "config.compile", plant.compiled);
	plant.model = ATTENTION;
	say_number(SAID_MODEL, "config.n_head", 12);
	say_number(SAID_ACCUMULATES, "config.gradient_accumulation_steps", plant.accumulates);
	say_number(SAID_LOGS, "config.log_interval", plant.logs_every);
	say(0, "config.device", plant.device->name ? "cuda" : "cpu");
}

static void torchtitan(struct ts_random *r)
{
	static const char *const dtypes[] = {"float32", "bfloat16", "float16"};

	say(SAID_FORMAT, "config.training.dtype", "float32");
	say(SAID_FORMAT, "config.training.mixed_precision_param", dtypes[plant.format]);
	say_flag(SAID_COMPILED, "config.compile.enable", plant.compiled);
	say(SAID_RECOMPUTES, "config.activation_checkpoint.mode", !plant.recomputes ? "none" : coin(r) ? "selective" : "full");
	say(SAID_OPTIMIZER, "config.optimizer.name", plant.optimizer == SGD ? "SGD" : "AdamW");
	say(SAID_OPTIMIZER, "config.optimizer.implementation", plant.optimizer == ADAMW_FUSED ? "fused" : "for-loop");
	if (plant.optimizer != SGD && plant.optimizer != ADAMW_FUSED)
		plant.optimizer = ADAMW;
	plant.ranks = FSDP;
	say_number(SAID_RANKS, "config.parallelism.data_parallel_shard_degree", 8);
	say_number(SAID_LOGS, "config.metrics.log_freq", plant.logs_every);
	plant.model = ATTENTION;
	say(SAID_MODEL, "config.model.name", "llama3");
}

static void mm_engine(struct ts_random *r)
{
	plant.model = CONVOLUTIONS;
	say(SAID_MODEL, "config.model.backbone.type", coin(r) ? "ResNet" : "CSPDarknet");
	say(SAID_FORMAT, "config.optim_wrapper.type", plant.format == IN_FP32 ? "OptimWrapper" : "AmpOptimWrapper");
	if (plant.format == IN_FP32)
		plant.said &= ~(unsigned)SAID_FORMAT; /* OptimWrapper alone does not say that nothing else is used */
	say_flag(SAID_BENCHMARK, "config.env_cfg.cudnn_benchmark", plant.benchmark);
	say_number(SAID_WORKERS, "config.train_dataloader.num_workers", plant.workers);
	say_flag(SAID_PERSISTENT, "config.train_dataloader.persistent_workers", plant.persistent);
	say_number(0, "config.val_dataloader.num_workers", 2);
	say(SAID_OPTIMIZER, "config.optim_wrapper.optimizer.type",
	    plant.optimizer == LION  ? "Lion"
	    : plant.optimizer == SGD ? "SGD"
				     : "AdamW");
	if (plant.optimizer == ADAMW_FUSED || plant.optimizer == ADAMW_8BIT)
		plant.optimizer = ADAMW;
}

/* The options of the command, as a host records it, and nothing else. */
static void command_line(struct ts_random *r)
{
	const char *text =
		ts_arena_printf(record.arena, "torchrun --nproc-per-node 1 train.py %s%s %s --num_workers%s%d --model vit_base",
				plant.format == IN_BF16	  ? "--bf16"
				: plant.format == IN_FP16 ? "--precision=fp16"
							  : "--precision 32",
				plant.compiled ? " --compile" : "", plant.recomputes ? "--gradient_checkpointing" : "",
				coin(r) ? " " : "=", plant.workers);

	if (!text)
		abort();
	plant.model = ATTENTION;
	say(SAID_FORMAT | SAID_WORKERS | SAID_MODEL | (plant.compiled ? SAID_COMPILED : 0) | (plant.recomputes ? SAID_RECOMPUTES : 0),
	    "session.command", text);
}

/* What tscope's recorder asks torch. */
static void flags(struct ts_random *r)
{
	if (!plant.old_torch) {
		say(SAID_TF32, "determinism.float32_matmul_precision", plant.tf32 ? "high" : "highest");
		say_flag(SAID_TF32, "determinism.matmul_allow_tf32", plant.tf32);
	}
	say_flag(0, "determinism.cudnn_allow_tf32", true);
	say(0, "determinism.default_dtype", "torch.float32");
	say_flag(SAID_BENCHMARK, "determinism.cudnn_benchmark", plant.benchmark);
	say_flag(SAID_DETERMINISTIC, "determinism.use_deterministic_algorithms", plant.deterministic);
	if (coin(r))
		say(0, "determinism.env.CUDA_LAUNCH_BLOCKING", "0");
}

static void host(struct ts_random *r)
{
	const struct device *d = plant.device;

	say(SAID_PLATFORM, "hardware.platform",
	    plant.windows ? "Windows-10-10.0.22631-SP0" : "Linux-5.15.0-105-generic-x86_64-with-glibc2.35");
	plant.said |= SAID_DEVICE;
	if (!d->name)
		say_flag(0, "hardware.cuda_available", false);
	else if (coin(r))
		say(0, "hardware.gpu", d->name);
	else
		say(0, "hardware.gpus[0].name", d->name);
	if (d->name && d->capability && coin(r))
		say(0, "hardware.gpus[0].capability", d->capability);
	if (d->name && d->architecture && coin(r))
		say(0, "hardware.gpus[0].architecture", d->architecture);
	if (plant.jax)
		say(SAID_LIBRARIES, "libraries.jax", "0.4.30");
	else if (plant.old_torch || coin(r))
		say(SAID_LIBRARIES, "libraries.torch", plant.old_torch ? "1.9.1+cu111" : "2.5.1+cu124");
}

static void sow(struct ts_random *r)
{
	static void (*const dialects[])(struct ts_random *) = {hugging_face, lightning,	 megatron,  timm,
							       nano_gpt,     torchtitan, mm_engine, command_line};

	plant = (struct plant){.device = &devices[ts_random_below(r, sizeof devices / sizeof devices[0])],
			       .format = (enum format)ts_random_below(r, 3),
			       .model = (enum model)ts_random_below(r, 3),
			       .optimizer = (enum optimizer)ts_random_below(r, 5),
			       .ranks = (enum ranks)ts_random_below(r, 4),
			       .windows = ts_random_below(r, 8) == 0,
			       .jax = ts_random_below(r, 10) == 0,
			       .old_torch = ts_random_below(r, 10) == 0,
			       .workers = coin(r) ? 0 : 1 + (int)ts_random_below(r, 16),
			       .prefetch = coin(r) ? 2 : 8,
			       .accumulates = coin(r) ? 1 : 8,
			       .logs_every = coin(r) ? 1 : 100,
			       .pressure = coin(r)   ? 0
					   : coin(r) ? 0.5
						     : 0.95};
	plant.tf32 = coin(r);
	plant.compiled = coin(r) && !plant.old_torch;
	plant.recomputes = coin(r);
	plant.persistent = coin(r) && plant.workers;
	plant.pinned = coin(r);
	plant.fused_attention = coin(r);
	plant.channels_last = coin(r);
	plant.benchmark = coin(r);
	plant.deterministic = coin(r);
	plant.anomaly = ts_random_below(r, 4) == 0;
	plant.find_unused = coin(r);
	dialects[ts_random_below(r, sizeof dialects / sizeof dialects[0])](r);
	if (coin(r))
		flags(r);
	host(r);
	(void)ts_facts_sort(&record.facts);
}

/* --- what is right --- */

static bool said(unsigned what)
{
	return (plant.said & what) == what;
}

static bool device_has(unsigned what)
{
	return (plant.device->has & what) == what;
}

static bool needs_torch(void)
{
	return !plant.jax;
}

static bool may_use_full_precision(void)
{
	return !said(SAID_FORMAT) || plant.format == IN_FP32;
}

static bool tf32(void)
{
	bool on = plant.old_torch ? said(SAID_LIBRARIES) : said(SAID_TF32) && plant.tf32;

	return needs_torch() && device_has(TF32 | CUDA) && may_use_full_precision() && !on && !plant.old_torch;
}

static bool bf16(void)
{
	return needs_torch() && device_has(BF16 | CUDA) && may_use_full_precision() && !plant.old_torch;
}

static bool fp16(void)
{
	return needs_torch() && device_has(FP16_ONLY) && may_use_full_precision() && !plant.old_torch;
}

static bool compiles(void)
{
	return needs_torch() && device_has(TRITON) && !plant.windows && !plant.old_torch && !(said(SAID_COMPILED) && plant.compiled);
}

static bool cudnn(void)
{
	return needs_torch() && device_has(CUDA) && said(SAID_MODEL) && plant.model == CONVOLUTIONS &&
	       !(said(SAID_BENCHMARK) && plant.benchmark) && !(said(SAID_DETERMINISTIC) && plant.deterministic);
}

static bool channels_last(void)
{
	return needs_torch() && (device_has(FP16_ONLY) || device_has(BF16 | CUDA)) && said(SAID_MODEL) && plant.model == CONVOLUTIONS &&
	       !(said(SAID_CHANNELS_LAST) && plant.channels_last);
}

static bool fused_attention(void)
{
	return needs_torch() && !plant.old_torch && said(SAID_MODEL) && plant.model == ATTENTION &&
	       !(said(SAID_FUSED_ATTENTION) && plant.fused_attention);
}

/* Lion has no fused form in PyTorch; Megatron, DeepSpeed and bitsandbytes bring kernels of their own. */
static bool fused_optimizer(void)
{
	bool own = said(SAID_RANKS) && (plant.ranks == MEGATRON || plant.ranks == DEEPSPEED);

	return needs_torch() && !plant.old_torch && !own &&
	       !(said(SAID_OPTIMIZER) && plant.optimizer != ADAMW && plant.optimizer != SGD);
}

static bool debugging(void)
{
	return said(SAID_ANOMALY) && plant.anomaly;
}

static bool computes_once(void)
{
	return said(SAID_RECOMPUTES) && plant.recomputes && plant.pressure < 0.6;
}

static bool larger_batch(void)
{
	return plant.pressure < 0.8;
}

static bool checkpointing(void)
{
	return needs_torch() && plant.pressure >= 0.8 && !(said(SAID_RECOMPUTES) && plant.recomputes);
}

static bool on_cpu(void)
{
	return needs_torch() && !plant.device->name;
}

static bool has_workers(void)
{
	return needs_torch() && !(said(SAID_WORKERS) && !plant.workers);
}

static bool prefetch(void)
{
	return has_workers() && !(said(SAID_PREFETCH) && plant.prefetch >= 4);
}

static bool persistent(void)
{
	return has_workers() && !(said(SAID_PERSISTENT) && plant.persistent);
}

static bool pinned(void)
{
	return needs_torch() && device_has(CUDA) && !(said(SAID_PINNED) && plant.pinned);
}

static bool is_ddp(void)
{
	return needs_torch() && !(said(SAID_RANKS) && plant.ranks != DDP);
}

static bool finds_unused(void)
{
	return is_ddp() && said(SAID_FIND_UNUSED) && plant.find_unused;
}

static bool shards(void)
{
	return needs_torch() && said(SAID_RANKS) && plant.ranks == FSDP;
}

static bool overlaps(void)
{
	return !(said(SAID_RANKS) && (plant.ranks == DDP || plant.ranks == FSDP));
}

static bool no_sync(void)
{
	return is_ddp() && said(SAID_ACCUMULATES) && plant.accumulates > 1 && !plant.own_sync;
}

static bool narrow(void)
{
	return needs_torch() && !(said(SAID_RANKS) && plant.ranks != DDP && plant.ranks != FSDP);
}

static bool nccl(void)
{
	return device_has(NVIDIA);
}

static bool logs(void)
{
	return !(said(SAID_LOGS) && plant.logs_every >= 100);
}

static bool launches(void)
{
	return needs_torch() && device_has(CUDA | TRITON) && !plant.old_torch;
}

static const struct {
	const char *name;
	bool (*possible)(void); /* on the device, and by what the record says */
} rules[] = {
	{"use TF32 for 32-bit matrix products", tf32},
	{"use mixed precision in bf16", bf16},
	{"use mixed precision in fp16", fp16},
	{"compile the model", compiles},
	{"let cuDNN choose the fastest convolutions", cudnn},
	{"use the channels-last memory format", channels_last},
	{"use fused attention", fused_attention},
	{"use a fused optimizer", fused_optimizer},
	{"switch off what was left on for debugging", debugging},
	{"compute activations once", computes_once},
	{"use a larger batch", larger_batch},
	{"use activation checkpointing and a larger batch", checkpointing},
	{"use all cores", on_cpu},
	{"use more data loader workers", needs_torch},
	{"prefetch further ahead", prefetch},
	{"keep the workers between epochs", persistent},
	{"use pinned memory and non-blocking copies", pinned},
	{"switch off the search for unused parameters", finds_unused},
	{"change the bucket size", is_ddp},
	{"prefetch the next layer's shards", shards},
	{"overlap communication with computation", overlaps},
	{"communicate only for the last of the accumulated batches", no_sync},
	{"send less data", narrow},
	{"check that the fast interconnect is used", nccl},
	{"log less often", logs},
	{"launch fewer kernels", launches},
};

static bool possible(struct ts_span name)
{
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (ts_span_is(name, rules[i].name))
			return rules[i].possible();
	return true;
}

/* --- asking --- */

static void row(struct ts_measures *m, enum ts_measure_name what, const char *of, double value)
{
	if (!ts_measure_add(m, record.arena, what, ts_span_str(of), value))
		abort();
}

/* Every cause has a share of which each fix may win something. */
static void ask(struct ts_bound *ret)
{
	struct ts_measures m = {.n = 0};
	struct ts_error err;
	struct ts_work work;

	row(&m, TS_M_STEP_COUNT, "", 100);
	row(&m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_USEFUL], 0.4);
	row(&m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_DATA], 0.2);
	row(&m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_COMM], 0.15);
	row(&m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_WAIT], 0.1);
	row(&m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_OTHER], 0.1);
	row(&m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_UNATTRIBUTED], 0.05);
	row(&m, TS_M_PHASE_SHARE, "optimizer", 0.1);
	if (plant.pressure > 0)
		row(&m, TS_M_CAPACITY_PRESSURE, "", plant.pressure);
	ts_work_of_facts(&record.facts, &work);
	if (work.device_kind.text.len && !ts_measure_text(&m, record.arena, TS_M_DEVICE_KIND, TS_NO_SUBJECT, work.device_kind.text))
		abort();
	if (ts_setup(&record.facts, &work, NULL, record.arena, &m, &err) || ts_bound_decide(&m, record.arena, ret, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

static void tell(uint64_t trial, const char *what, struct ts_span name)
{
	if (!getenv("ADVICE"))
		return;
	(void)fprintf(stderr, "trial %" PRIu64 ": %s: %.*s on %s\n", trial, what, TS_SPAN_ARG(name),
		      plant.device->name ? plant.device->name : "CPU");
	for (size_t i = 0; i < record.facts.n; i++) {
		struct ts_buf out = TS_BUF_INIT(1 << 12);

		ts_fact_print(&record.facts.items[i], &out);
		(void)fprintf(stderr, "\t%.*s = %.*s\n", TS_SPAN_ARG(record.facts.items[i].path), TS_SPAN_ARG(ts_buf_view(&out)));
		ts_buf_finish(&out);
	}
}

static bool has_impossible(const struct ts_bound *b, uint64_t trial)
{
	bool any = false;

	for (size_t i = 0; i < b->n_fixes + b->n_to_check; i++) {
		struct ts_span name = i < b->n_fixes ? b->fixes[i].name : b->to_check[i - b->n_fixes].name;

		if (possible(name))
			continue;
		any = true;
		tell(trial, "impossible or refuted", name);
	}
	return any;
}

static bool named(const struct ts_bound *b, const char *name)
{
	for (size_t i = 0; i < b->n_fixes; i++)
		if (ts_span_is(b->fixes[i].name, name))
			return true;
	for (size_t i = 0; i < b->n_to_check; i++)
		if (ts_span_is(b->to_check[i].name, name))
			return true;
	return false;
}

/* What the record shows to be off although it would help: the conditions of each are said, and true. */
static bool is_opportunity(const char *name)
{
	static const struct {
		const char *name;
		unsigned said;
	} shown[] = {
		{"use TF32 for 32-bit matrix products", SAID_FORMAT | SAID_TF32},
		{"use mixed precision in bf16", SAID_FORMAT},
		{"use mixed precision in fp16", SAID_FORMAT},
		{"compile the model", SAID_COMPILED},
		{"let cuDNN choose the fastest convolutions", SAID_MODEL | SAID_BENCHMARK},
		{"use the channels-last memory format", SAID_MODEL | SAID_CHANNELS_LAST},
		{"use fused attention", SAID_MODEL | SAID_FUSED_ATTENTION},
		{"use a fused optimizer", SAID_OPTIMIZER},
		{"switch off what was left on for debugging", SAID_ANOMALY},
		{"prefetch further ahead", SAID_WORKERS | SAID_PREFETCH},
		{"keep the workers between epochs", SAID_WORKERS | SAID_PERSISTENT},
		{"use pinned memory and non-blocking copies", SAID_PINNED},
		{"switch off the search for unused parameters", SAID_FIND_UNUSED},
		{"prefetch the next layer's shards", SAID_RANKS},
		{"log less often", SAID_LOGS},
	};

	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
		if (strcmp(shown[i].name, name) == 0)
			return said(shown[i].said) && possible(ts_span_str(name));
	return false;
}

static void count_power(const struct ts_bound *b, uint64_t trial, struct quality_case *c)
{
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		bool got = named(b, rules[i].name);

		if (!is_opportunity(rules[i].name))
			continue;
		if (!got)
			tell(trial, "not named", ts_span_str(rules[i].name));
		quality_count(c, got);
	}
}

void quality_advice(struct quality *q)
{
	struct quality_case wrong = quality_at_most("advice: impossible or refuted by the record", 0);
	struct quality_case power = quality_at_least("advice: what is recorded as off and would help, named", 0.98);
	struct ts_arena arena;

	ts_arena_init(&arena, (size_t)64 << 20);
	record.arena = &arena;
	for (uint64_t i = 0; (quality_wants(q, &wrong) || quality_wants(q, &power)) && i < quality_trials(q, 2000); i++) {
		struct ts_random random;
		struct ts_bound bound;

		ts_arena_reset(&arena);
		record.facts = (struct ts_facts){.n = 0};
		quality_random(&wrong, i, &random);
		sow(&random);
		ask(&bound);
		quality_count(&wrong, has_impossible(&bound, i));
		count_power(&bound, i, &power);
	}
	quality_report(q, &wrong);
	quality_report(q, &power);
	ts_arena_finish(&arena);
}
