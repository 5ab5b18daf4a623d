/* effects.c - rows of the table go from the particular to the general: the first that matches a path counts. A new row needs a
 * line in test_effects.c, and docs/divergence.md as ts_effects_markdown writes it. */
#include "analysis/diverge/effects.h"

#include "analysis/answer/setting.h"
#include "base/door.h"
#include "base/text.h"
#include "base/words.h"
#include "run/fact_match.h"

static const struct ts_effect effects[] = {
	{{"work.loader.batches_per_step"},
	 TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_ANY, TS_SCHEDULE_NONE,
	 "accumulates the gradients of another number of batches in each step", "DataLoader documentation"},
	{{"work.loader.batch_size"},
	 TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE, TS_SCHEDULE_NONE, "puts another number of samples into each batch",
	 "DataLoader documentation"},
	{{"session.*", "columns.*", "work.*", "code.branch", "code.ancestors", "code.shallow", "parallelism.rank",
	 "parallelism.local_rank"},
	 TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE, false, "names and describes the run", "what these facts are"},
	{{"config:run_name", "config.name", "config:run_id", "config:experiment*", "config:project*", "config:notes", "config.tags",
	  "config:output*", "config:save_*", "config:*_dir", "config:logg*", "config:*wandb*"},
	 TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE, false, "names the run, or says where it writes", "what these settings do"},
	{{"config:growth_interval", "config:growth_factor", "config:backoff_factor", "config:init_scale", "config:*loss_scale*",
	  "config:*grad_scaler*", "determinism.grad_scaler.*", "config:hysteresis", "config:*scale_window", "config:min_scale",
	  "config.scaler.*"},
	 TS_CAUSE_CONFIG, TS_ONSET_ANY, TS_PUSH_FINITE, TS_SCHEDULE_NONE,
	 "changes the loss scale of mixed precision, and with it the steps whose gradient overflows and whose update is skipped",
	 "GradScaler documentation"},
	{{"config:num_workers", "config:*_num_workers", "config:workers", "config:*_workers", "config:pin_memory",
	  "config:prefetch*", "config:persistent_workers", "config:loader_threads", "config:*_loader_threads", "config:data_threads",
	  "config:io_threads",
	  "data.num_workers", "config:*_interval", "config:*_every", "config:checkpoint*"},
	 TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE, TS_SCHEDULE_NONE,
	 "changes when things are done, not what is computed; an evaluation that draws random numbers, or workers that race, would be "
	 "a fault of its own",
	 "DataLoader documentation"},

	{{"config:seed_order*", "config:seed_sampl*", "config:order_seed", "config:*_order_seed", "config:*_shuffle_seed"},
	 TS_CAUSE_DATA_ORDER, TS_ONSET_ANY, TS_PUSH_FINITE, TS_SCHEDULE_NONE, "puts the batches in a different order",
	 "what these settings do"},
	{{"config:data_seed", "config:seed_data*", "config:seed_shuffle*", "config:shuffle*", "config:sampler*", "seeds.data*",
	  "seeds.sampler*", "seeds.shuffle*", "data.shuffle*", "data.order*", "data.seed*", "data.sampler*"},
	 TS_CAUSE_DATA_ORDER, TS_ONSET_ANY, TS_PUSH_FINITE, false, "puts the batches in a different order", "what these settings do"},
	{{"seeds.dropout*", "seeds.aug*", "seeds.noise*", "seeds.negative*", "seeds.mask*",
	  "config:dropout_seed", "config:aug*_seed", "config:seed_drop*",
	  "config:seed_aug*", "config:seed_noise*"},
	 TS_CAUSE_RNG_STREAM, TS_ONSET_ANY, TS_PUSH_FINITE, false, "gives different dropout masks or other random draws",
	 "what these settings do"},
	{{"seeds.init*", "seeds.weight*", "seeds.param*", "seeds.model*", "config:init_seed", "config:seed_init*", "config:model_seed"},
	 TS_CAUSE_INIT, TS_ONSET_FIRST, TS_PUSH_FINITE, false, "gives different initial parameters", "what these settings do"},
	{{"seeds.*", "config:seed", "config:*_seed", "config:seed_*", "config:random_state"},
	 TS_CAUSE_INIT_OR_DATA, TS_ONSET_FIRST, TS_PUSH_FINITE, TS_SCHEDULE_NONE,
	 "gives different initial parameters, batches and dropout masks where the seed is applied",
	 "torchtune issue 2335: a seed that was set but not applied"},
	{{"determinism.env.pythonhashseed"},
	 TS_CAUSE_DATA_ORDER, TS_ONSET_ANY, TS_PUSH_FINITE, TS_SCHEDULE_NONE,
	 "changes the order in which Python iterates over sets of strings, and with it the order of features or files that come from a "
	 "set", "Python documentation"},

	{{"config:beta_schedule*", "config:beta_start", "config:beta_end", "config:noise_schedule*", "config:num_train_timesteps",
	  "config:diffusion_steps", "config:num_diffusion*", "config:noise_level*", "config:negatives", "config:num_negatives",
	  "config:negative_samples", "config:mask_prob*", "config:mlm_prob*"},
	 TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE, TS_SCHEDULE_NONE, "changes what the first loss is computed of",
	 "what these settings do"},
	{{"config:lr", "config:learning_rate", "config:base_lr", "config:max_lr", "config:min_lr", "config:peak_lr", "config:*warmup*",
	  "config:*schedul*", "config:lr_*", "config:decay_lr*", "config:decay_steps", "config:decay_iters", "config:decay_style"},
	 TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE, TS_SCHEDULE_ALL, "changes the size of every update",
	 "measured: growth of small differences"},
	{{"config:*_lr", "config:*_learning_rate"},
	 TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE, TS_SCHEDULE_GROUP, "changes the size of the updates of some parameters",
	 "measured: growth of small differences"},
	{{"config:steps", "config:max_steps", "config:total_steps", "config:num_steps", "config:epochs", "config:max_epochs",
	  "config:num_train_epochs", "config:train_iters"},
	 TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE, TS_SCHEDULE_ALL,
	 "changes the length of the run, and with it a learning-rate schedule that ends with the run",
	 "what these settings do"},
	{{"config:clip*", "config:*_clip", "config:max_grad_norm", "config:grad_clip*", "config:max_norm"},
	 TS_CAUSE_CONFIG, TS_ONSET_ANY, TS_PUSH_FINITE, false, "changes the update wherever the gradient norm is above the limit",
	 "what these settings do"},
	{{"config:weight_decay", "config:wd", "config:beta*", "config:betas", "config:b1", "config:b2", "config:momentum",
	  "config:eps", "config:adam_*",
	 "config:nesterov",
	  "config:optimizer*", "config:optim", "config:opt", "config:solver", "config.optimizer.*", "config.optim.*"},
	 TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE, false, "changes every update", "measured: growth of small differences"},
	{{"config:micro_batch*", "config:*accumulat*", "config:batch_per_rank", "config:per_device*batch*"},
	 TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ANY, TS_SCHEDULE_NONE,
	 "splits the batch differently: sums are taken in a different order, and the batch differs where its total size changes too",
	 "batch invariance of kernels, Thinking Machines 2025"},
	{{"config:*dropout*", "config:*_pdrop", "config:drop_path*"},
	 TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE, false, "masks different activations", "what these settings do"},
	{{"config:dtype", "config:*_dtype", "config:precision", "config:amp*", "config:autocast*", "config:bf16", "config:fp16",
	 "config:fp8*",
	  "config:*tf32*", "config:mixed_precision"},
	 TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY, false, "changes the precision of the computation",
	 "measured: 1e-5 to 1e-3 at once"},
	{{"config:compile*", "config:torch_compile*", "config:fused*", "config:*flash*", "config:attn*", "config:attention",
	  "config:attention_impl*", "config:*_attention", "config:*_attn", "config:*sdp*",
	  "config:*_implementation", "config:use_kernels", "config:*channels_last*", "config:memory_format"},
	 TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY, false, "selects different kernels",
	 "measured: 1e-7 in fp32, up to 1e-4 in bf16"},
	{{"config:batch*", "config:bs", "config:*batch_size*", "config:seq_len*", "config:*context*", "config:block_size",
	  "config:max_seq*",
	  "config:max_length", "config:label_smooth*", "config:smoothing", "config:loss*", "config:temperature",
	  "config:z_loss*", "config:packing"},
	 TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE, false, "changes what the first forward pass computes",
	 "what these settings do"},
	{{"config:data", "config.data.*", "config:dataset*", "config:*data_path*", "config:train_file*", "config:tokenizer*",
	 "config:corpus"},
	 TS_CAUSE_DATA_SET, TS_ONSET_ANY, TS_PUSH_FINITE, false, "selects different data", "what these settings do"},
	{{"config:init*", "config.model.*", "config:hidden*", "config:width", "config:n_layer*", "config:num_layers", "config:n_head*",
	  "config:d_model", "config:act", "config:act_fn", "config:activation*", "config:*_mult*", "config:vocab_size",
	  "config:layers", "config:model*"},
	 TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE, false, "changes the model", "what these settings do"},
	{{"config:device", "config:backend"},
	 TS_CAUSE_PLATFORM, TS_ONSET_FIRST, TS_PUSH_ROUNDING, false, "changes the kind of device", "what these settings do"},
	{{"config:world_size", "config:*_parallel*", "config:tp", "config:dp", "config:pp", "config:fsdp*", "config:zero*"},
	 TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ANY, false, "spreads the sums over the ranks differently",
	 "NCCL issues 157 and 1055"},

	{{"data.*"},
	 TS_CAUSE_DATA_SET, TS_ONSET_ANY, TS_PUSH_FINITE, false, "says that the data are different", "what these facts are"},
	{{"lineage.*"},
	 TS_CAUSE_INIT, TS_ONSET_FIRST, TS_PUSH_FINITE, false, "says that the run starts from a different run or checkpoint",
	 "what these facts are"},
	{{"determinism.changed.*tf32*", "determinism.changed.*precision*", "determinism.changed.*autocast*"},
	 TS_CAUSE_PRECISION, TS_ONSET_ANY, TS_PUSH_ANY, TS_SCHEDULE_NONE,
	 "changes from a step on to how many bits the inputs of matrix products are rounded",
	 "PyTorch: numerical accuracy; measured: 1e-5 to 1e-3 at once"},
	{{"determinism.changed.*threads*"},
	 TS_CAUSE_REDUCTION_ORDER, TS_ONSET_ANY, TS_PUSH_ROUNDING, TS_SCHEDULE_NONE,
	 "splits sums over a different number of threads from a step on", "oneMKL: conditional numerical reproducibility"},
	{{"determinism.anomaly_mode", "determinism.changed.anomaly_mode"},
	 TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE, TS_SCHEDULE_NONE,
	 "has the backward pass checked for NaN, which makes it slow and computes the same", "PyTorch: anomaly detection"},
	{{"determinism.changed.*"},
	 TS_CAUSE_PRECISION, TS_ONSET_ANY, TS_PUSH_ANY, TS_SCHEDULE_NONE, "selects different kernels from a step on",
	 "PyTorch: reproducibility"},
	{{"determinism.env.*_cache_dir", "determinism.env.torchinductor_fx_graph_cache", "determinism.env.cuda_module_loading",
	  "determinism.env.cuda_device_max_connections", "determinism.env.torch_nccl_*", "determinism.env.kmp_blocktime",
	  "determinism.env.torch_cudnn_v8_api_lru_cache_limit", "determinism.env.nccl_cumem_enable",
	  "determinism.env.nccl_launch_mode"},
	 TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE, TS_SCHEDULE_NONE,
	 "changes when kernels run and where they and their memory lie, not what they compute", "PyTorch: CUDA semantics"},
	{{"determinism.env.nvidia_tf32_override", "determinism.env.torch_allow_tf32*", "determinism.*tf32*",
	 "determinism.*reduced_precision*",
	  "determinism.float32_matmul_precision", "determinism.*fp32_precision*", "determinism.*autocast*",
	  "determinism.env.onednn_default_fpmath_mode", "determinism.env.triton_f32_default"},
	 TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY, false, "changes to how many bits the inputs of matrix products are rounded",
	 "PyTorch: numerical accuracy; measured: 1e-5 to 1e-3 at once"},
	{{"determinism.env.omp_num_threads", "determinism.env.mkl_num_threads", "determinism.env.mkl_cbwr", "determinism.*threads*",
	  "determinism.env.omp_*", "determinism.env.kmp_affinity", "determinism.env.mkl_dynamic",
	  "hardware.cpu_count"},
	 TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ROUNDING, false, "splits sums over a different number of threads",
	 "oneMKL: conditional numerical reproducibility"},
	{{"determinism.env.nccl_*", "determinism.env.cuda_visible_devices", "parallelism.*"},
	 TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ANY, TS_SCHEDULE_NONE,
	 "changes the number of ranks, the algorithm or the ring with which collectives sum",
	 "NCCL issues 157 and 1055; Megatron-Bridge issue 4906"},
	{{"determinism.env.flash_attention_deterministic", "determinism.*flash*deterministic*"},
	 TS_CAUSE_NONDETERMINISM, TS_ONSET_ANY, TS_PUSH_ROUNDING, TS_SCHEDULE_NONE,
	 "decides whether the gradient of the attention queries is summed in a fixed order",
	 "flash-attention issue 414"},
	{{"determinism.compiled.*"},
	 TS_CAUSE_PRECISION, TS_ONSET_ANY, TS_PUSH_ROUNDING, TS_SCHEDULE_NONE,
	 "says that torch.compile made different code, whose kernels may round differently", "torch.compiler: caches of compiled code"},
	{{"determinism.env.cuda_launch_blocking", "determinism.env.pytorch_cuda_alloc_conf", "determinism.env.pytorch_alloc_conf",
	  "determinism.env.pytorch_no_cuda_memory_caching"},
	 TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE, false, "changes when kernels run and where memory lies, not what they compute",
	 "PyTorch: CUDA semantics"},
	{{"determinism.*attention*", "determinism.*sdp*", "determinism.*mkldnn*", "determinism.onednn*"},
	 TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY, false, "selects different kernels",
	 "measured: 1e-7 in fp32, up to 1e-4 in bf16"},
	{{"determinism.cudnn_*", "determinism.*deterministic*", "determinism.env.cublas_workspace_config", "determinism.env.xla_flags",
	  "determinism.env.tf_*", "determinism.env.cublaslt_*", "determinism.env.torch_*", "determinism.env.torchinductor_*",
	  "determinism.env.torchdynamo_*", "determinism.env.disable_addmm_cuda_lt", "determinism.env.aten_cpu_capability",
	  "determinism.env.onednn_*", "determinism.env.mkl_enable_instructions", "determinism.env.miopen_*",
	  "determinism.env.nvte_*"},
	 TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ROUNDING, false, "allows different kernels to be selected",
	 "PyTorch: reproducibility; cuBLAS documentation"},
	{{"determinism.cublas*", "determinism.blas_library", "determinism.linalg_library"},
	 TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ROUNDING, TS_SCHEDULE_NONE, "allows different kernels to be selected",
	 "PyTorch: torch.backends.cuda"},
	{{"hardware.gpus[*].uuid", "hardware.gpus[*].memory", "hardware.*serial*"},
	 TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE, TS_SCHEDULE_NONE,
	 "another device of the same kind computes the same, unless one of the two is faulty",
	 "cuBLAS documentation"},
	{{"hardware.gpu_count"},
	 TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ROUNDING, false, "spreads the work over a different number of devices",
	 "NCCL issue 157"},
	{{"hardware.*"},
	 TS_CAUSE_PLATFORM, TS_ONSET_FIRST, TS_PUSH_ROUNDING, TS_SCHEDULE_NONE,
	 "may select different kernels, because each architecture has its own", "cuBLAS documentation"},
	{{"libraries.python", "libraries.pip*", "libraries.git*", "libraries.tscope"},
	 TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE, false, "computes no tensor", "what these libraries do"},
	{{"libraries.*torch*", "libraries.*cuda*", "libraries.*cudnn*", "libraries.*cublas*", "libraries.*nccl*", "libraries.*mkl*",
	  "libraries.*triton*", "libraries.*driver*", "libraries.*rocm*", "libraries.*jax*", "libraries.*numpy*",
	  "libraries.*transformer*"},
	 TS_CAUSE_PLATFORM, TS_ONSET_FIRST, TS_PUSH_ROUNDING, false, "may select different kernels, because each version has its own",
	 "PyTorch: reproducibility"},
	{{"libraries.*tokeniz*", "libraries.*sentencepiece*", "libraries.*tiktoken*", "libraries.*datasets*", "libraries.*torchdata*",
	  "libraries.*webdataset*", "libraries.*streaming*", "libraries.*pillow*", "libraries.*albumentations*"},
	 TS_CAUSE_PLATFORM, TS_ONSET_ANY, TS_PUSH_FINITE, false, "may make other batches of the same data", "what these libraries do"},
	{{"code.remote"},
	 TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE, false, "says where the code came from", "what these facts are"},
	{{"code.*"},
	 TS_CAUSE_CODE, TS_ONSET_ANY, TS_PUSH_ANY, false, "may have any effect, because it is different code", "what these facts are"},
};

const struct ts_flag ts_flags[] = {
	{"deterministic algorithms", {"determinism.use_deterministic_algorithms", "determinism.deterministic_algorithms", NULL, NULL},
	 {"true", "1", NULL, NULL}, false, false, false, 0, "scatter, index and convolution kernels may add numbers in any order",
	 "torch.use_deterministic_algorithms(True)", "PyTorch: reproducibility"},
	{"cuDNN benchmark", {"determinism.cudnn_benchmark", "determinism.cudnn\\.benchmark", NULL, NULL},
	 {"false", "0", NULL, NULL}, true, false, false, 0, "convolution kernels are selected by their measured speed in each run",
	 "torch.backends.cudnn.benchmark = False", "PyTorch: reproducibility"},
	{"cuDNN deterministic", {"determinism.cudnn_deterministic", "determinism.cudnn\\.deterministic", NULL, NULL},
	 {"true", "1", NULL, NULL}, true, false, false, 0, "convolution kernels may add numbers in any order",
	 "torch.backends.cudnn.deterministic = True", "PyTorch: reproducibility"},
	{"cuBLAS workspace", {"determinism.env.CUBLAS_WORKSPACE_CONFIG", NULL, NULL, NULL},
	 {":4096:8", ":16:8", NULL, NULL}, true, false, true, 210,
	  "cuBLAS may choose between algorithms where several streams share a workspace",
	 "CUBLAS_WORKSPACE_CONFIG=:4096:8", "cuBLAS documentation; PyTorch pull request 161749"},
	{"NCCL algorithm", {"determinism.env.NCCL_ALGO", NULL, NULL, NULL},
	 {"Ring", "ring", "CollnetDirect", "CollnetChain"}, true, true, true, 0,
	  "NCCL chooses the order in which it sums the ranks when the run starts",
	 "NCCL_ALGO=Ring", "NCCL issue 157; Megatron-LM's deterministic mode"},
};
const size_t ts_flags_n = sizeof ts_flags / sizeof ts_flags[0];

const struct ts_effect *ts_effect_of(struct ts_span path)
{
	struct ts_folded folded;

	if (!ts_path_fold(path, &folded))
		return NULL;
	for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++)
		for (const char *const *p = effects[i].paths; *p; p++)
			if (ts_path_matches(*p, &folded))
				return &effects[i];
	return NULL;
}

bool ts_effect_may_act(struct ts_span path)
{
	const struct ts_effect *effect = ts_effect_of(path);

	return !effect || effect->onset != TS_ONSET_NEVER;
}

/* --- flags --- */

static bool any_below(const struct ts_facts *facts, const char *prefix)
{
	for (size_t i = 0; i < facts->n; i++)
		if (ts_span_starts(facts->items[i].path, ts_span_str(prefix)))
			return true;
	return false;
}

bool ts_without_cuda(const struct ts_facts *facts)
{
	const struct ts_fact *available = ts_facts_find(facts, ts_span_str("hardware.cuda_available"));
	const struct ts_fact *torch = ts_facts_find(facts, ts_span_str("libraries.torch"));

	TS_DOOR(!facts || ts_facts_hold(facts));
	if (torch && torch->type == TS_FACT_TEXT && ts_glob(ts_span_str("*+cpu"), torch->text))
		return true;
	return available && ts_fact_is(available, "false") && !any_below(facts, "hardware.gpu");
}

bool ts_tells_of_cuda(const struct ts_facts *facts)
{
	static const char *const globs[] = {"hardware.*gpu*",	   "hardware.*cuda*",	 "libraries.*cuda*",   "libraries.*cudnn*",
					    "libraries.*cublas*",  "libraries.*nccl*",	 "determinism.*tf32*", "determinism.*cuda*",
					    "determinism.*cudnn*", "determinism.*cublas*", "determinism.*nccl*"};

	TS_DOOR(!facts || ts_facts_hold(facts));
	if (ts_without_cuda(facts))
		return false;
	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *fact = &facts->items[i];

		for (size_t k = 0; k < sizeof globs / sizeof globs[0]; k++)
			if (fact->type != TS_FACT_ABSENT && !ts_fact_is(fact, "false") && ts_glob(ts_span_str(globs[k]), fact->path))
				return true;
		if (ts_span_is(fact->path, "libraries.torch") && fact->type == TS_FACT_TEXT &&
		    ts_glob(ts_span_str("*+cu*"), fact->text))
			return true;
	}
	return false;
}

unsigned ts_torch_version(const struct ts_facts *facts)
{
	const struct ts_fact *torch = facts ? ts_facts_find(facts, ts_span_str("libraries.torch")) : NULL;

	TS_DOOR(!facts || ts_facts_hold(facts));
	return torch && torch->type == TS_FACT_TEXT ? ts_version_number(torch->text) : 0;
}

enum ts_flag_answer ts_flag_of(const struct ts_flag *flag, const struct ts_facts *facts, uint32_t world)
{
	TS_DOOR(!facts || ts_facts_hold(facts));
	if (flag->collective && world == 1)
		return TS_FLAG_IDLE;
	if (!facts)
		return TS_FLAG_UNKNOWN;
	if (flag->cuda && ts_without_cuda(facts))
		return TS_FLAG_IDLE;
	for (size_t i = 0; i < 4 && flag->paths[i]; i++) {
		const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(flag->paths[i]));

		if (!fact)
			continue;
		for (size_t k = 0; k < 4 && flag->good[k]; k++)
			if (ts_fact_is(fact, flag->good[k]))
				return TS_FLAG_ON;
		return TS_FLAG_OFF;
	}
	if (!flag->environment || !any_below(facts, "determinism.env"))
		return TS_FLAG_UNKNOWN;
	return flag->optional_from && ts_torch_version(facts) >= flag->optional_from ? TS_FLAG_WEAK : TS_FLAG_OFF;
}

/* --- for docs/divergence.md --- */

TS_WORDS(ts_onset_word, enum ts_onset, "never", [TS_ONSET_NEVER] = "never", [TS_ONSET_FIRST] = "first pass",
	 [TS_ONSET_UPDATE] = "first update", [TS_ONSET_ANY] = "any step")

TS_WORDS(ts_push_word, enum ts_push, "none", [TS_PUSH_NONE] = "none", [TS_PUSH_ROUNDING] = "rounding", [TS_PUSH_FINITE] = "finite",
	 [TS_PUSH_ANY] = "any")

void ts_effects_markdown(struct ts_buf *out)
{
	ts_buf_str(out, "| facts | can explain | from | push | what it does | source |\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++) {
		const struct ts_effect *e = &effects[i];

		ts_buf_str(out, "| ");
		for (size_t k = 0; e->paths[k]; k++)
			ts_buf_printf(out, "%s`%s`", k ? " " : "", e->paths[k]);
		ts_buf_printf(out, " | %s | %s | %s | %s | %s |\n",
			      e->cause != TS_CAUSE_UNKNOWN ? ts_cause_word(e->cause)
			      : (e->push == TS_PUSH_NONE ? "nothing" : "anything"),
			      ts_onset_word(e->onset), ts_push_word(e->push), e->says, e->source);
	}
}

void ts_flags_markdown(struct ts_buf *out)
{
	ts_buf_str(out, "| flag | repeats with | otherwise | set it by | source |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < ts_flags_n; i++) {
		const struct ts_flag *f = &ts_flags[i];

		ts_buf_printf(out, "| %s | ", f->name);
		for (size_t k = 0; k < 4 && f->good[k]; k++)
			ts_buf_printf(out, "%s`%s`", k ? " " : "", f->good[k]);
		ts_buf_printf(out, " | %s | `%s` | %s |\n", f->off, f->remedy, f->source);
	}
}
