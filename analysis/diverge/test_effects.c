/* test_effects.c - which row of the table a path meets, what flags of real environments come to, and docs/divergence.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/setting_names.h"
#include "analysis/diverge/testimony.h"
#include "analysis/diverge/diagnose.h"
#include "analysis/diverge/effects.h"

#include <stdio.h>

struct path_case {
	const char *path;
	enum ts_cause cause;
	enum ts_onset onset;
	enum ts_push push;
};

/* The expected answers are those of a person who knows these settings, written before the table was read. */
static const struct path_case paths[] = {
	{"config.run_name", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"config.growth_interval", TS_CAUSE_CONFIG, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"config.fp16.initial_loss_scale", TS_CAUSE_CONFIG, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"config.log_interval", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"config.num_workers", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"config.loader.workers", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"work.loader.batch_size", TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE},
	{"work.loader.batches_per_step", TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"work.loader.batches", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"config.order_seed", TS_CAUSE_DATA_ORDER, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"config.data.seed_order", TS_CAUSE_DATA_ORDER, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"config.data.num_workers", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"session.host", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"config.lr", TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE},
	{"config.optimizer.lr", TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE},
	{"config.optimizer.name", TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE},
	{"config.optimizer.betas[1]", TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE},
	{"config.train.Warmup-Steps", TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE},
	{"config.max_grad_norm", TS_CAUSE_CONFIG, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"config.model.dropout", TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE},
	{"config.model.name", TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE},
	{"config.batch_size", TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE},
	{"config.gradient_accumulation_steps", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"config.accumulate", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"config.memory_format", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"determinism.attention", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"determinism.mkldnn", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"config.dtype", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"config.torch_compile", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"config.seed", TS_CAUSE_INIT_OR_DATA, TS_ONSET_FIRST, TS_PUSH_FINITE},
	{"config.data_seed", TS_CAUSE_DATA_ORDER, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"seeds.torch", TS_CAUSE_INIT_OR_DATA, TS_ONSET_FIRST, TS_PUSH_FINITE},
	{"seeds.data", TS_CAUSE_DATA_ORDER, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"seeds.weights", TS_CAUSE_INIT, TS_ONSET_FIRST, TS_PUSH_FINITE},
	{"seeds.negatives", TS_CAUSE_RNG_STREAM, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"config.beta_schedule", TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE},
	{"config.lr_schedule", TS_CAUSE_CONFIG, TS_ONSET_UPDATE, TS_PUSH_FINITE},
	{"config.negative_samples", TS_CAUSE_CONFIG, TS_ONSET_FIRST, TS_PUSH_FINITE},
	{"config.loader_threads", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"data.sha256", TS_CAUSE_DATA_SET, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"config.dataset", TS_CAUSE_DATA_SET, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"determinism.env.NVIDIA_TF32_OVERRIDE", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"determinism.cudnn_benchmark", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"determinism.env.CUBLAS_WORKSPACE_CONFIG", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"determinism.env.OMP_NUM_THREADS", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"determinism.torch_threads", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"determinism.env.NCCL_ALGO", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"determinism.env.NCCL_IB_HCA", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"determinism.env.TORCHINDUCTOR_CACHE_DIR", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"determinism.env.TORCHINDUCTOR_MAX_AUTOTUNE", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"determinism.env.TORCH_NCCL_ASYNC_ERROR_HANDLING", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"determinism.env.TORCH_BLAS_PREFER_CUBLASLT", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"determinism.env.PYTORCH_ALLOC_CONF", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"determinism.env.OMP_SCHEDULE", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"determinism.autocast", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"determinism.cudnn_conv_fp32_precision", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"determinism.grad_scaler.growth_interval", TS_CAUSE_CONFIG, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"determinism.anomaly_mode", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"determinism.changed.cudnn_allow_tf32", TS_CAUSE_PRECISION, TS_ONSET_ANY, TS_PUSH_ANY},
	{"determinism.changed.autocast", TS_CAUSE_PRECISION, TS_ONSET_ANY, TS_PUSH_ANY},
	{"determinism.changed.num_threads", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_ANY, TS_PUSH_ROUNDING},
	{"determinism.changed.cudnn_benchmark", TS_CAUSE_PRECISION, TS_ONSET_ANY, TS_PUSH_ANY},
	{"determinism.compiled.inductor.keys", TS_CAUSE_PRECISION, TS_ONSET_ANY, TS_PUSH_ROUNDING},
	{"determinism.cublas_workspace_size", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"determinism.blas_library", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"determinism.cudnn_sdp", TS_CAUSE_PRECISION, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"parallelism.backend", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"work.modes.whole", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"session.device", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"determinism.env.PYTHONHASHSEED", TS_CAUSE_DATA_ORDER, TS_ONSET_ANY, TS_PUSH_FINITE},
	{"parallelism.world_size", TS_CAUSE_REDUCTION_ORDER, TS_ONSET_FIRST, TS_PUSH_ANY},
	{"hardware.gpus[0].name", TS_CAUSE_PLATFORM, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"hardware.gpus[0].uuid", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"libraries.torch", TS_CAUSE_PLATFORM, TS_ONSET_FIRST, TS_PUSH_ROUNDING},
	{"libraries.python", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"libraries.tscope", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
	{"code.commit", TS_CAUSE_CODE, TS_ONSET_ANY, TS_PUSH_ANY},
	{"code.branch", TS_CAUSE_UNKNOWN, TS_ONSET_NEVER, TS_PUSH_NONE},
};

static void test_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		const struct ts_effect *e = ts_effect_of(ts_span_str(paths[i].path));

		if (!e || e->cause != paths[i].cause || e->onset != paths[i].onset || e->push != paths[i].push)
			fail_msg("%s: %s, %s, %s", paths[i].path, e ? ts_cause_word(e->cause) : "no row",
				 e ? ts_onset_word(e->onset) : "", e ? ts_push_word(e->push) : "");
	}
}

/* A setting that is not in the table explains nothing; "lr" outside of the configuration is not a learning rate. */
static void test_unknown(void **state)
{
	(void)state;
	assert_null(ts_effect_of(ts_span_str("config.frobnicate")));
	assert_null(ts_effect_of(ts_span_str("other.lr")));
	assert_null(ts_effect_of(ts_span_str("configuration.lr")));
	assert_null(ts_effect_of(ts_span_str("other.seed")));
}

struct told {
	const char *path, *text; /* "true" and "false" stand for booleans */
};

static void tell(struct ts_facts *facts, struct ts_arena *arena, const struct told *told, size_t n)
{
	struct ts_error err;

	*facts = (struct ts_facts){.n = 0};
	for (size_t i = 0; i < n; i++) {
		bool truth = strcmp(told[i].text, "true") == 0, lie = strcmp(told[i].text, "false") == 0;
		struct ts_fact fact = {.path = ts_span_str(told[i].path),
				       .type = truth || lie ? TS_FACT_BOOL : TS_FACT_TEXT,
				       .source = TS_SOURCE_HOST,
				       .boolean = truth,
				       .text = ts_span_str(told[i].text)};

		assert_int_equal(ts_facts_add(facts, &fact, arena, &err), TS_OK);
	}
	(void)ts_facts_sort(facts);
}

static enum ts_flag_answer flag(const char *name, const struct told *told, size_t n, uint32_t world)
{
	enum ts_flag_answer answer = TS_FLAG_UNKNOWN;
	struct ts_facts facts;
	struct ts_arena arena;
	bool found = false;

	ts_arena_init(&arena, 1 << 16);
	tell(&facts, &arena, told, n);
	for (size_t i = 0; i < ts_flags_n; i++)
		if (strcmp(ts_flags[i].name, name) == 0) {
			answer = ts_flag_of(&ts_flags[i], &facts, world);
			found = true;
		}
	assert_true(found);
	ts_arena_finish(&arena);
	return answer;
}

#define FLAG(name, world, ...)                                                                                                   \
	flag(name, (const struct told[]){__VA_ARGS__}, sizeof(const struct told[]){__VA_ARGS__} / sizeof(struct told), world)

static void test_flags(void **state)
{
	(void)state;
	assert_int_equal(FLAG("deterministic algorithms", 1, {"determinism.use_deterministic_algorithms", "true"}), TS_FLAG_ON);
	assert_int_equal(FLAG("deterministic algorithms", 1, {"determinism.use_deterministic_algorithms", "false"}), TS_FLAG_OFF);
	assert_int_equal(FLAG("deterministic algorithms", 1, {"libraries.torch", "2.4.0"}), TS_FLAG_UNKNOWN);
	assert_int_equal(FLAG("cuDNN benchmark", 1, {"determinism.cudnn_benchmark", "true"}), TS_FLAG_OFF);
	assert_int_equal(FLAG("cuDNN benchmark", 1, {"determinism.cudnn_benchmark", "false"}), TS_FLAG_ON);
	/* Without such a device the setting has no effect. */
	assert_int_equal(
		FLAG("cuDNN benchmark", 1, {"determinism.cudnn_benchmark", "true"}, {"hardware.cuda_available", "false"}),
		TS_FLAG_IDLE);
	assert_int_equal(FLAG("NCCL algorithm", 1, {"determinism.env.NCCL_ALGO", "Tree"}), TS_FLAG_IDLE);
	assert_int_equal(FLAG("NCCL algorithm", 8, {"determinism.env.NCCL_ALGO", "Tree"}), TS_FLAG_OFF);
	assert_int_equal(FLAG("NCCL algorithm", 8, {"determinism.env.NCCL_ALGO", "Ring"}), TS_FLAG_ON);
}

/* A variable that is not set counts only where variables were recorded at all, and says less from torch 2.10 on. */
static void test_workspace(void **state)
{
	(void)state;
	assert_int_equal(FLAG("cuBLAS workspace", 1, {"determinism.env.CUBLAS_WORKSPACE_CONFIG", ":4096:8"}), TS_FLAG_ON);
	assert_int_equal(FLAG("cuBLAS workspace", 1, {"determinism.env.CUBLAS_WORKSPACE_CONFIG", ":0:0"}), TS_FLAG_OFF);
	assert_int_equal(FLAG("cuBLAS workspace", 1, {"libraries.torch", "2.4.0"}), TS_FLAG_UNKNOWN);
	assert_int_equal(
		FLAG("cuBLAS workspace", 1, {"libraries.torch", "2.9.1+cu128"}, {"determinism.env.OMP_NUM_THREADS", "8"}),
		TS_FLAG_OFF);
	assert_int_equal(FLAG("cuBLAS workspace", 1, {"libraries.torch", "2.10.0a0"}, {"determinism.env.OMP_NUM_THREADS", "8"}),
			 TS_FLAG_WEAK);
	assert_int_equal(FLAG("cuBLAS workspace", 1, {"libraries.torch", "3.0"}, {"determinism.env.OMP_NUM_THREADS", "8"}),
			 TS_FLAG_WEAK);
	assert_int_equal(FLAG("cuBLAS workspace", 1, {"determinism.env.OMP_NUM_THREADS", "8"}), TS_FLAG_OFF);
}

/* Each row has everything that its line in the document needs. */
static void test_tables(void **state)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);

	(void)state;
	ts_effects_markdown(&out);
	ts_flags_markdown(&out);
	ts_cuts_markdown(&out);
	ts_buf_u8(&out, 0);
	assert_int_equal(out.failed, TS_OK);
	assert_null(strstr((const char *)out.data, "(null)"));
	assert_null(strstr((const char *)out.data, "| |"));
	ts_buf_finish(&out);
}

/* docs/divergence.md is written by hand around what the tables print. */
static void test_document(void **state)
{
	static void (*const tables[])(struct ts_buf *) = {ts_effects_markdown, ts_flags_markdown, ts_cuts_markdown,
							   ts_testimony_markdown, ts_setting_names_markdown};
	static char text[1 << 20];
	FILE *f = fopen("docs/divergence.md", "rb");
	size_t n;

	(void)state;
	assert_non_null(f);
	n = fread(text, 1, sizeof text - 1, f);
	(void)fclose(f);
	text[n] = 0;
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
		struct ts_buf want = TS_BUF_INIT(1 << 20);

		tables[i](&want);
		ts_buf_u8(&want, 0);
		assert_int_equal(want.failed, TS_OK);
		if (!strstr(text, (const char *)want.data))
			fail_msg("docs/divergence.md lacks:\n%s", (const char *)want.data);
		ts_buf_finish(&want);
	}
	for (int cause = 0; cause < TS_CAUSES; cause++) {
		char row[256];

		(void)snprintf(row, sizeof row, "| `%s` | %s |\n", ts_cause_word((enum ts_cause)cause),
			       ts_cause_title((enum ts_cause)cause));
		if (!strstr(text, row))
			fail_msg("docs/divergence.md lacks %s", row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),	  cmocka_unit_test(test_unknown), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_workspace), cmocka_unit_test(test_tables),  cmocka_unit_test(test_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
