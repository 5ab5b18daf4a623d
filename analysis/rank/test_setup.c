/* test_setup.c - what facts answer, under the names that recorders, trackers and frameworks give them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/setup.h"

#include <inttypes.h>
#include <stdio.h>

struct state {
	struct ts_arena arena;
	struct ts_facts facts;
	struct ts_measures rows;
};

/* "path = value; ...": true, false and null, whole numbers, and texts. */
static void parse(struct state *s, const char *text)
{
	struct ts_error err;
	char *copy = ts_arena_printf(&s->arena, "%s", text), *save = NULL;

	for (char *one = strtok_r(copy, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
		struct ts_fact fact = {.source = TS_SOURCE_RUN_JSON, .type = TS_FACT_TEXT};
		char *equals = strstr(one, " = "), *end;
		int64_t whole;

		one += strspn(one, " ");
		if (!equals)
			continue;
		fact.path = ts_span_of(one, (size_t)(equals - one));
		fact.text = ts_span_str(equals + 3);
		whole = strtoimax(equals + 3, &end, 10);
		if (strcmp(equals + 3, "true") == 0 || strcmp(equals + 3, "false") == 0) {
			fact.type = TS_FACT_BOOL;
			fact.boolean = equals[3] == 't';
		} else if (strcmp(equals + 3, "null") == 0) {
			fact.type = TS_FACT_NULL;
		} else if (*end == '\0' && end != equals + 3) {
			fact.type = TS_FACT_INT;
			fact.integer = whole;
		}
		assert_int_equal(ts_facts_add(&s->facts, &fact, &s->arena, &err), TS_OK);
	}
	(void)ts_facts_sort(&s->facts);
}

static void set_up(struct state *s, const char *facts)
{
	struct ts_error err;
	struct ts_work work;

	memset(s, 0, sizeof *s);
	ts_arena_init(&s->arena, 16 << 20);
	parse(s, facts);
	ts_work_of_facts(&s->facts, &work);
	assert_int_equal(ts_setup(&s->facts, &work, NULL, &s->arena, &s->rows, &err), TS_OK);
}

static char answer(const struct state *s, enum ts_setting what)
{
	return "?ny"[ts_setting_of(&s->rows, what)];
}

#define T4 "hardware.gpu = Tesla T4; "
#define A100 "hardware.gpu = NVIDIA A100-SXM4-80GB; "

static const struct {
	const char *facts;
	enum ts_setting of;
	char want; /* y, n or ? */
} cases[] = {
	/* By the name of the device, by what torch or W&B say of it, and of other makers. */
	{T4, TS_SETTING_TF32_UNITS, 'n'},
	{T4, TS_SETTING_BF16_UNITS, 'n'},
	{T4, TS_SETTING_FP16_UNITS, 'y'},
	{T4, TS_SETTING_TRITON, 'y'},
	{A100, TS_SETTING_TF32_UNITS, 'y'},
	{A100, TS_SETTING_BF16_UNITS, 'y'},
	{A100, TS_SETTING_FP16_UNITS, 'n'},
	{"hardware.gpu = Tesla P100-PCIE-16GB", TS_SETTING_TRITON, 'n'},
	{"hardware.gpu = Tesla P100-PCIE-16GB", TS_SETTING_FP16_UNITS, 'n'},
	{"hardware.gpu = NVIDIA GeForce GTX 1660 Ti", TS_SETTING_FP16_UNITS, 'n'},
	{"hardware.gpus[0].name = Fancy; hardware.gpus[0].capability = 8.6", TS_SETTING_BF16_UNITS, 'y'},
	{"hardware.gpus[0].name = Fancy; hardware.gpus[0].capability = sm_75", TS_SETTING_TF32_UNITS, 'n'},
	{"hardware.gpus[0].name = Fancy; hardware.gpus[0].architecture = Turing", TS_SETTING_BF16_UNITS, 'n'},
	{"hardware.gpu = Tesla T4; hardware.gpus[0].name = NVIDIA A100; hardware.gpus[0].capability = 8.0", TS_SETTING_BF16_UNITS, 'n'},
	{"hardware.gpu = Fancy", TS_SETTING_BF16_UNITS, '?'},
	{"", TS_SETTING_CUDA, '?'},
	{"hardware.gpu = AMD Instinct MI300X", TS_SETTING_TF32_UNITS, 'n'},
	{"hardware.gpu = AMD Instinct MI300X", TS_SETTING_BF16_UNITS, 'y'},
	{"hardware.gpu = AMD Instinct MI300X", TS_SETTING_CUDA, 'y'},
	{"hardware.gpu = AMD Radeon RX 6900 XT", TS_SETTING_BF16_UNITS, '?'},
	{"hardware.gpu = TPU v4", TS_SETTING_CUDA, 'n'},
	{"hardware.gpu = Apple M3 Max", TS_SETTING_TF32_UNITS, 'n'},
	{A100 "config.device = cpu", TS_SETTING_CUDA, 'n'},
	{A100 "config.trainer.accelerator = cpu", TS_SETTING_TF32_UNITS, 'n'},
	{A100 "config.device = cuda:0", TS_SETTING_TF32_UNITS, 'y'},
	{"config.device = mps", TS_SETTING_CUDA, 'n'},
	{"hardware.cuda_available = false", TS_SETTING_CUDA, 'n'},
	{"libraries.torch = 2.4.0+cpu", TS_SETTING_BF16_UNITS, '?'},

	/* Number formats: Hugging Face, Lightning, Accelerate, DeepSpeed, Megatron, torchtitan, detectron2, MMEngine, nanoGPT, OLMo. */
	{"config.bf16 = true; config.fp16 = false", TS_SETTING_REDUCED, 'y'},
	{"config.bf16 = false; config.fp16 = false", TS_SETTING_REDUCED, 'n'},
	{"config.bf16 = auto; config.tf32 = false", TS_SETTING_REDUCED, 'y'},
	{"config.deepspeed.bf16.enabled = auto", TS_SETTING_REDUCED, '?'},
	{"config.precision = bf16-mixed", TS_SETTING_REDUCED, 'y'},
	{"config.trainer.precision = 32-true", TS_SETTING_REDUCED, 'n'},
	{"config.precision = 16", TS_SETTING_REDUCED, 'y'},
	{"config.precision = 32", TS_SETTING_REDUCED, 'n'},
	{"config.mixed_precision = no", TS_SETTING_REDUCED, 'n'},
	{"config.mixed_precision = fp16", TS_SETTING_REDUCED, 'y'},
	{"config.deepspeed.bf16.enabled = true", TS_SETTING_REDUCED, 'y'},
	{"config.params_dtype = torch.bfloat16", TS_SETTING_REDUCED, 'y'},
	{"config.training.mixed_precision_param = bfloat16", TS_SETTING_REDUCED, 'y'},
	{"config.SOLVER.AMP.ENABLED = true", TS_SETTING_REDUCED, 'y'},
	{"config.optim_wrapper.type = AmpOptimWrapper", TS_SETTING_REDUCED, 'y'},
	{"config.dtype = bfloat16", TS_SETTING_REDUCED, 'y'},
	{"config.precision = amp_bf16", TS_SETTING_REDUCED, 'y'},
	{"config.use_amp = True", TS_SETTING_REDUCED, 'y'},
	{"work.dtype = fp32", TS_SETTING_REDUCED, 'n'},
	{"work.dtype = bf16", TS_SETTING_REDUCED, 'y'},
	{"config.bf16 = null", TS_SETTING_REDUCED, '?'},
	{"config.float32_matmul_precision = high", TS_SETTING_REDUCED, '?'},
	{"config.kv_cache_dtype = fp8", TS_SETTING_REDUCED, '?'},
	{"determinism.matmul_allow_tf32 = true", TS_SETTING_TF32, 'y'},
	{"determinism.float32_matmul_precision = highest", TS_SETTING_TF32, 'n'},
	{"determinism.cudnn_allow_tf32 = true", TS_SETTING_TF32, '?'},
	{"config.tf32 = true", TS_SETTING_TF32, 'y'},
	{"determinism.env.TORCH_ALLOW_TF32_CUBLAS_OVERRIDE = 1", TS_SETTING_TF32, 'y'},
	{"determinism.env.NVIDIA_TF32_OVERRIDE = 0", TS_SETTING_TF32_BARRED, 'y'},
	{"libraries.torch = 1.10.2+cu113", TS_SETTING_TF32, 'y'},
	{"libraries.torch = 2.4.0", TS_SETTING_TF32, '?'},

	/* Loaders. */
	{"config.num_workers = 0", TS_SETTING_WORKERS, 'n'},
	{"config.dataloader_num_workers = 8", TS_SETTING_WORKERS, 'y'},
	{"config.DATALOADER.NUM_WORKERS = 4", TS_SETTING_WORKERS, 'y'},
	{"config.workers = 8", TS_SETTING_WORKERS, 'y'},
	{"config.preprocessing_num_workers = 4", TS_SETTING_WORKERS, '?'},
	{"config.train_dataloader.num_workers = 4; "
	 "config.val_dataloader.num_workers = 0",
	 TS_SETTING_WORKERS, 'y'},
	{"config.a.num_workers = 4; config.b.num_workers = 0", TS_SETTING_WORKERS, '?'},
	{"config.dataloader_persistent_workers = true", TS_SETTING_PERSISTENT, 'y'},
	{"config.dataloader_pin_memory = true", TS_SETTING_PINNED, 'y'},
	{"config.pin_mem = false", TS_SETTING_PINNED, 'n'},
	{"config.offload_optimizer.pin_memory = true", TS_SETTING_PINNED, '?'},
	{"config.dataloader_prefetch_factor = 8", TS_SETTING_PREFETCH, 'y'},
	{"config.dataloader_prefetch_factor = null", TS_SETTING_PREFETCH, '?'},
	{"config.num_workers = 16; hardware.cpu_count = 16", TS_SETTING_CORES_LOAD, 'y'},
	{"config.num_workers = 4; hardware.cpu_count = 16; session.topology.LOCAL_WORLD_SIZE = 4", TS_SETTING_CORES_LOAD, 'y'},
	{"config.num_workers = 4; hardware.cpu_count = 64", TS_SETTING_CORES_LOAD, 'n'},

	/* Models and kernels. */
	{"config.model = resnet50", TS_SETTING_CONVOLUTIONS, 'y'},
	{"config.model = resnet50", TS_SETTING_ATTENTION, 'n'},
	{"config.model = google/flan-t5-xl", TS_SETTING_ATTENTION, 'y'},
	{"config.model_name = gpt2-xl", TS_SETTING_CONVOLUTIONS, 'n'},
	{"config.model_name_or_path = meta-llama/Llama-2-7b-hf", TS_SETTING_ATTENTION, 'y'},
	{"config.n_head = 12", TS_SETTING_ATTENTION, 'y'},
	{"config.model.kind = conv", TS_SETTING_ATTENTION, '?'},
	{"config.attn_implementation = eager", TS_SETTING_FUSED_ATTENTION, 'n'},
	{"config._attn_implementation = sdpa", TS_SETTING_FUSED_ATTENTION, 'y'},
	{"config.use_flash_attn = true", TS_SETTING_FUSED_ATTENTION, 'y'},
	{"libraries.transformers = 4.44.0", TS_SETTING_FUSED_ATTENTION, 'y'},
	{"libraries.transformers = 4.44.0; config.attn_implementation = eager", TS_SETTING_FUSED_ATTENTION, 'n'},
	{"config.torch_compile = true", TS_SETTING_COMPILED, 'y'},
	{"config.compile.enable = true", TS_SETTING_COMPILED, 'y'},
	{"config.torchcompile = inductor", TS_SETTING_COMPILED, 'y'},
	{"config.compile = false", TS_SETTING_COMPILED, 'n'},
	{"determinism.compiled.inductor.entries = 2", TS_SETTING_COMPILED, 'y'},
	{"determinism.compiled.autotune.entries = 2", TS_SETTING_COMPILED, '?'},
	{"config.gradient_checkpointing = true", TS_SETTING_RECOMPUTES, 'y'},
	{"config.recompute_granularity = full", TS_SETTING_RECOMPUTES, 'y'},
	{"config.activation_checkpoint.mode = none", TS_SETTING_RECOMPUTES, 'n'},
	{"config.checkpoint_dir = /x", TS_SETTING_RECOMPUTES, '?'},
	{"determinism.cudnn_benchmark = true", TS_SETTING_BENCHMARK, 'y'},
	{"config.env_cfg.cudnn_benchmark = true", TS_SETTING_BENCHMARK, 'y'},
	{"config.deterministic = true", TS_SETTING_DETERMINISTIC, 'y'},
	{"config.deterministic = warn", TS_SETTING_DETERMINISTIC, 'y'},
	{"config.channels_last = true", TS_SETTING_CHANNELS_LAST, 'y'},
	{"config.memory_format = torch.contiguous_format", TS_SETTING_CHANNELS_LAST, 'n'},
	{"config.optim = adamw_torch_fused", TS_SETTING_FUSED_OPTIMIZER, 'y'},
	{"config.optim = adamw_torch", TS_SETTING_FUSED_OPTIMIZER, 'n'},
	{"config.optimizer = Lion", TS_SETTING_FUSABLE, 'n'},
	{"config.optimizer.name = AdamW", TS_SETTING_FUSABLE, 'y'},
	{"config.optim = paged_adamw_8bit", TS_SETTING_STATE_8BIT, 'y'},
	{"config.optimizer = SGD", TS_SETTING_ADAM, 'n'},
	{"config.optimizer.type = AdamW", TS_SETTING_ADAM, 'y'},
	{"config.detect_anomaly = true", TS_SETTING_DEBUGGING, 'y'},
	{"determinism.env.CUDA_LAUNCH_BLOCKING = 1", TS_SETTING_DEBUGGING, 'y'},

	/* Ranks. */
	{"config.strategy = ddp_find_unused_parameters_true", TS_SETTING_FIND_UNUSED, 'y'},
	{"config.strategy = ddp_find_unused_parameters_true", TS_SETTING_DDP, 'y'},
	{"config.fsdp = full_shard auto_wrap", TS_SETTING_FSDP, 'y'},
	{"config.fsdp[0] = full_shard", TS_SETTING_DDP, 'n'},
	{"config.deepspeed = ds_z2.json", TS_SETTING_DDP, 'n'},
	{"config.eval_strategy = no", TS_SETTING_DDP, '?'},
	{"config.ddp_find_unused_parameters = null", TS_SETTING_DDP, '?'},
	{"config.tensor_model_parallel_size = 2", TS_SETTING_FUSED_OPTIMIZER, 'y'},
	{"config.overlap_grad_reduce = true", TS_SETTING_OVERLAPS, 'y'},
	{"config.gradient_accumulation_steps = 8", TS_SETTING_ACCUMULATES, 'y'},
	{"config.accumulate_grad_batches = 1", TS_SETTING_ACCUMULATES, 'n'},
	{"config.accumulate_grad_batches = 4", TS_SETTING_SYNCS_LAST, 'y'},
	{"config.gradient_accumulation_steps = 8", TS_SETTING_SYNCS_LAST, '?'},
	{"config.fsdp_reduce_dtype = bf16", TS_SETTING_NARROW_GRADIENTS, 'y'},
	{"parallelism.nodes = 4", TS_SETTING_SEVERAL_HOSTS, 'y'},
	{"session.topology.LOCAL_WORLD_SIZE = 8; parallelism.world_size = 16", TS_SETTING_SEVERAL_HOSTS, 'y'},
	{"config.zero_optimization.stage = 3", TS_SETTING_OWN_SHARDING, 'y'},
	{"config.zero_optimization.offload_optimizer.device = cpu", TS_SETTING_OFFLOADED, 'y'},
	{"config.fsdp = full_shard offload", TS_SETTING_OFFLOADED, 'y'},
	{"config.checkpoint.async_mode = async", TS_SETTING_ASYNC_CHECKPOINTS, 'y'},
	{"config.async_save = false", TS_SETTING_ASYNC_CHECKPOINTS, 'n'},
	{A100, TS_SETTING_NVIDIA, 'y'},
	{"config.per_device_train_batch_size = 1", TS_SETTING_BATCH_OF_ONE, 'y'},
	{"config.manual_gc = true", TS_SETTING_MANUAL_GC, 'y'},
	{"config.logging_steps = 500", TS_SETTING_LOGS_OFTEN, 'n'},
	{"config.logging_steps = 1", TS_SETTING_LOGS_OFTEN, 'y'},
	{"determinism.env.PYTORCH_CUDA_ALLOC_CONF = max_split_size_mb:64,expandable_segments:True", TS_SETTING_EXPANDABLE, 'y'},

	/* The host, and the program. */
	{"hardware.platform = Windows-10-10.0.19045", TS_SETTING_WINDOWS, 'y'},
	{"hardware.platform = Linux-6.1.0-amd64", TS_SETTING_WINDOWS, 'n'},
	{"libraries.jax = 0.4.30", TS_SETTING_TORCH, 'n'},
	{"libraries.jax = 0.4.30; libraries.torch = 2.4.0", TS_SETTING_TORCH, 'y'},
	{"hardware.cpu_count = 32; determinism.num_threads = 4", TS_SETTING_FEW_THREADS, 'y'},
	{"hardware.cpu_count = 32; determinism.num_threads = 16", TS_SETTING_FEW_THREADS, 'n'},

	/* Options of the command count as settings. */
	{"session.command = python train.py --bf16 --num-workers 0", TS_SETTING_REDUCED, 'y'},
	{"session.command = python train.py --bf16 --num-workers 0", TS_SETTING_WORKERS, 'n'},
	{"session.command = torchrun train.py --precision=bf16-mixed", TS_SETTING_REDUCED, 'y'},
	{"session.command = python train.py --no-compile", TS_SETTING_COMPILED, 'n'},
	{"session.command = python -m main training.compile=true", TS_SETTING_COMPILED, 'y'},
	{"session.argv[0] = --gradient_checkpointing; session.argv[1] = True", TS_SETTING_RECOMPUTES, 'y'},
};

static void facts_answer(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct state s;

		set_up(&s, cases[i].facts);
		if (answer(&s, cases[i].of) != cases[i].want)
			fail_msg("%s: %s is %c, not %c", cases[i].facts, ts_settings[cases[i].of].word, answer(&s, cases[i].of),
				 cases[i].want);
		ts_arena_finish(&s.arena);
	}
}

/* Some case answers each question with yes. */
static void each_question_is_tried(void **state)
{
	(void)state;
	for (int k = 0; k < TS_SETTINGS; k++) {
		bool yes = false;

		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
			yes |= (int)cases[i].of == k && cases[i].want == 'y';
		if (!yes)
			fail_msg("%s lacks a case", ts_settings[k].word);
	}
}

static void says_by_what(void **state)
{
	const struct ts_measure *row;
	struct state s;

	(void)state;
	set_up(&s, T4 "config.bf16 = true; libraries.torch = 2.4.1+cu121");
	row = ts_measure_find(&s.rows, TS_M_SETTING_BY, ts_span_str("tf32_units"));
	assert_true(row && ts_span_is(row->text, "compute capability 7.5 of Tesla T4"));
	row = ts_measure_find(&s.rows, TS_M_SETTING_BY, ts_span_str("reduced_precision"));
	assert_true(row && ts_span_is(row->text, "config.bf16 is true"));
	row = ts_measure_find(&s.rows, TS_M_SETUP_TORCH, TS_NO_SUBJECT);
	assert_true(row && ts_span_is(row->text, "2.4.1+cu121"));
	assert_int_equal(ts_version_number(row->text), 204);
	ts_arena_finish(&s.arena);
}

/* Names of layers tell of the model, and a loss scale of fp16. */
static void series_answer(void **state)
{
	struct ts_column columns[] = {{.name = ts_span_str("layers.h\\.0\\.attn.forward"), .type = TS_COLUMN_F64},
				      {.name = ts_span_str("scalars.amp/scale"), .type = TS_COLUMN_F64},
				      {.name = ts_span_str("scalars.loss"), .type = TS_COLUMN_F64}};
	struct ts_table table = {.kind = TS_TABLE_STEPS, .columns = columns, .n_columns = 3};
	struct ts_index index = {.tables = &table, .n_tables = 1};
	struct ts_work work;
	struct ts_error err;
	struct state s;

	(void)state;
	set_up(&s, "");
	ts_work_of_facts(&s.facts, &work);
	assert_int_equal(answer(&s, TS_SETTING_ATTENTION), '?');
	assert_int_equal(ts_setup(&s.facts, &work, &index, &s.arena, &s.rows, &err), TS_OK);
	assert_int_equal(answer(&s, TS_SETTING_ATTENTION), 'y');
	assert_int_equal(answer(&s, TS_SETTING_REDUCED), 'y');
	assert_int_equal(answer(&s, TS_SETTING_CONVOLUTIONS), '?');
	ts_arena_finish(&s.arena);
}

static void a_full_arena_is_an_error(void **state)
{
	struct ts_work work;
	struct ts_error err;
	struct state s;
	int failed = 0;

	(void)state;
	set_up(&s, A100 "config.bf16 = true; config.num_workers = 4; hardware.cpu_count = 8; session.command = a --compile");
	ts_work_of_facts(&s.facts, &work);
	for (size_t ceiling = 64;; ceiling += 64) {
		struct ts_measures rows = {.n = 0};
		struct ts_arena small;
		enum ts_status status;

		ts_arena_init(&small, ceiling);
		status = ts_setup(&s.facts, &work, NULL, &small, &rows, &err);
		ts_arena_finish(&small);
		if (!status)
			break;
		failed++;
	}
	assert_true(failed > 3);
	ts_arena_finish(&s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_answer),	 cmocka_unit_test(each_question_is_tried),   cmocka_unit_test(says_by_what),
		cmocka_unit_test(series_answer), cmocka_unit_test(a_full_arena_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
