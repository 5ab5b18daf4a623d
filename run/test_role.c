#include "base/buf.h"
#include "base/limits.h"
#include "run/fact.h"
#include "run/role.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_roles(const char *const *names, size_t n, enum ts_role role)
{
	for (size_t i = 0; i < n; i++)
		if (ts_role_of(ts_span_str(names[i]), NULL) != role)
			fail_msg("%s is %s", names[i], ts_role_name(ts_role_of(ts_span_str(names[i]), NULL)));
}

#define COUNT(names) (sizeof(names) / sizeof(names)[0])

static void test_names(void **unused)
{
	static const char *const trajectory[] = {
		"scalars.loss",
		"scalars.Loss",
		"scalars.train/loss",
		"scalars.val-loss",
		"scalars.eval.loss",
		"scalars.loss_scale",
		"scalars.grad_norm",
		"scalars.gradient-norm",
		"scalars.lr",
		"scalars.learning_rate",
		"scalars.accuracy",
		"scalars.top1_acc",
		"scalars.acc",
		"scalars.perplexity",
		"digests.weights",
		"samples",
		"tokens",
		"epoch",
		"tags.note",
		"scalars.a\\.loss",
		"eval.ema_loss",
		"eval.bleu", /* whatever an evaluation measures */
		"val.top1",
		"test.wer",
		"scalars.eval/bleu",
		"scalars.validation_f1",
		"scalars.loss.foo",
		"extra.loss",
	};
	static const char *const observation[] = {
		"timestamp",
		"segment",
		"phases.forward",
		"phases.x.y",
		"regions.evaluate",
		"memory.alloc",
		"scalars.step_time",
		"scalars.loss_time",
		"scalars.forward_ms",
		"scalars.io_seconds",
		"scalars.train_runtime",
		"scalars.throughput",
		"scalars.tokens_per_sec",
		"scalars.tokens_per_second",
		"scalars.samples_per_sec_gpu",
		"scalars.tps",
		"scalars.MFU",
		"scalars.hfu",
		"scalars.tflops",
		"scalars.gpu_utilization",
		"scalars.peak_memory",
		"scalars.it/s",
		"scalars.tok/s",
		"scalars.sec_per_it",
		"scalars.images_per_s",
		"scalars.wall",
		"scalars.wall-clock",
		"scalars.data_wait",
		"scalars.eta",
		"eval.runtime", /* what an evaluation costs */
		"eval.samples_per_second",
		"scalars.eval_steps_per_second",
	};
	static const char *const unknown[] = {
		"scalars.foo", "scalars.glossy", "scalars.lossy", "scalars.", "scalars", "", "scalars.accident", "phases", "evals.x",
		"scalars.evaluator", "eval",
	};

	(void)unused;
	assert_roles(trajectory, COUNT(trajectory), TS_ROLE_TRAJECTORY);
	assert_roles(observation, COUNT(observation), TS_ROLE_OBSERVATION);
	assert_roles(unknown, COUNT(unknown), TS_ROLE_UNKNOWN);
}

/* Names as Megatron-LM, torchtitan, NeMo, DeepSpeed, Hugging Face, trl, verl, Lightning, Composer, levanter, mmengine, fairseq, Keras,
 * axolotl, litgpt, nanochat, RLlib, Stable Baselines and W&B's monitor write them; each is one key below scalars. */
static void assert_logged(const char *const *names, size_t n, enum ts_role role)
{
	for (size_t i = 0; i < n; i++) {
		struct ts_buf path = TS_BUF_INIT(2 * TS_PATH_MAX);

		ts_buf_str(&path, "scalars");
		ts_path_key(&path, ts_span_str(names[i]));
		if (ts_role_of(ts_buf_view(&path), NULL) != role)
			fail_msg("%s is %s", names[i], ts_role_name(ts_role_of(ts_buf_view(&path), NULL)));
		ts_buf_finish(&path);
	}
}

static void test_logged_costs(void **unused)
{
	static const char *const names[] = {
		"throughput(tps)", "tflops", "mfu(%)", "time_metrics/end_to_end(s)", "time_metrics/end_to_end(%)",
		"time_metrics/data_loading(s)", "time_metrics/data_loading(%)", "memory/max_active(GiB)",
		"memory/max_active(%)", "memory/max_reserved(GiB)", "memory/max_reserved(%)", "memory/num_alloc_retries",
		"memory/num_ooms", "validation_metrics/throughput(tps)", "validation_metrics/memory/max_active(GiB)",
		"iteration-time", "throughput", "mem-reserved-bytes", "mem-allocated-bytes", "mem-max-allocated-bytes",
		"mem-allocated-count", "iteration-time vs samples", "elapsed time per iteration (ms)",
		"throughput per GPU (TFLOP/s/GPU)", "Train/Samples/elapsed_time_ms_forward",
		"Train/Samples/elapsed_time_ms_backward", "Train/Samples/elapsed_time_ms_backward_inner",
		"Train/Samples/elapsed_time_ms_backward_allreduce", "Train/Samples/elapsed_time_ms_step", "train_runtime",
		"train_samples_per_second", "train_steps_per_second", "train_tokens_per_second", "eval_runtime",
		"eval_samples_per_second", "eval_steps_per_second", "train_mem_gpu_alloc_delta", "init_mem_cpu_peaked_delta",
		"dt", "train/dt", "train/tok_per_sec", "train/mfu", "total_training_time", "iter_time", "remaining_time",
		"time/data", "DeviceStatsMonitor.on_train_batch_end/allocated_bytes.all.current",
		"DeviceStatsMonitor.on_train_batch_start/gpu.utilization.gpu (%)",
		"DeviceStatsMonitor.on_train_batch_end/cpu_vm_percent",
		"DeviceStatsMonitor.on_train_batch_end/num_alloc_retries", "train|throughput/device/batches_per_sec",
		"train|throughput/samples_per_sec", "train|throughput/device/mfu", "gpu_id: 0/memory.used (MB)",
		"gpu_id: 0/utilization.gpu (%)", "system.gpu.0.powerWatts", "system.gpu.0.memoryAllocatedBytes",
		"system.gpu.0.temp", "system.gpu.0.gpu", "system.cpu", "system.memory_percent", "system.proc.memory.rssMB",
		"system.disk.in", "system.network.sent", "system/gpu_0_utilization_percentage",
		"system/cpu_utilization_percentage", "_runtime", "_timestamp", "throughput/batches_per_sec",
		"throughput/device/samples_per_sec", "throughput/device/flops_per_sec", "throughput/device/mfu",
		"memory/peak_allocated_mem", "memory/current_reserved_mem", "memory/alloc_retries", "wall_clock/train",
		"wall_clock/total", "time/remaining_estimate", "throughput/duration", "throughput/tokens_per_second",
		"throughput/examples_per_second", "throughput/gflops_per_second", "throughput/loading_time",
		"throughput/hook_time", "time", "data_time", "memory", "wps", "ups", "train_wall", "wall", "gb_free",
		"epoch_duration", "memory/max_mem_active(gib)", "memory/max_mem_allocated(gib)",
		"memory/device_mem_reserved(gib)", "tokens_per_second_per_gpu", "tokens/train_per_sec_per_gpu", "timing_s/gen",
		"timing_s/reward", "timing_s/old_log_prob", "timing_s/values", "timing_s/adv", "timing_s/update_actor",
		"timing_per_token_ms/ref", "timing_raw/step", "perf/mfu/actor", "perf/max_memory_allocated_gb",
		"perf/max_memory_reserved_gb", "perf/cpu_memory_used_gb", "perf/time_per_step", "perf/throughput",
		"profiling/Time taken: GRPOTrainer._prepare_inputs", "step_time", "reduced_train_step_timing in s",
		"train_step_timing in s", "train_backward_timing in s", "validation_step_timing in s", "TFLOPS_per_GPU",
		"peak_memory_usage", "time/fps", "time/time_elapsed", "charts/SPS", "timers/learn_time_ms", "time_this_iter_s",
		"time_total_s", "tgs", "tgs (tokens/gpu/second)", "images/sec", "img/s", "it/s", "s/it", "sec/step",
		"ms/batch", "sec_per_it", "step_time_ms", "elapsed_ms", "elapsed", "eta", "eta_seconds", "gpu_util",
		"gpu_utilization", "gpu_temperature", "gpu_power", "gpu_mem_gb", "vram_gb", "memory_gb", "max_mem",
		"peak_mem_mb", "cuda_max_memory", "host_rss", "cpu_percent", "forward_ms", "backward_s", "data_s",
		"forward_time", "optimizer_time", "time/forward", "time/backward", "data_wait", "dataloader_wait_ms",
		"comm_time", "save_checkpoint_ms", "tokens_per_gpu_per_sec", "tokens_per_day", "samples_per_sec_gpu",
		"stepTime", "tokensPerSec", "perf/tflops", "allocated", "reserved_gb", "iteration_time", "tok/s", "kWh",
		"speed", "perf/step_time_s", "rollout/generate_time", "time_ms", "train/step_ms", "iter_ms", "duration_s",
		"wall_time", "loader_ms", "batch_time", "epoch_time", "steps_per_sec", "train_steps_per_s", "samples/s",
		"GPU memory (MiB)", "gpu0_mem", "cpu_rss_gb", "disk_read_mb", "network_sent_bytes", "tok_s", "tokens_s",
		"images_s", "sec_per_epoch", "reward_time", "checkpoint_seconds", "data_loading_ms", "h2d_ms",
		"bandwidth_gbps", "gpu/temp", "power_draw_watts", "energy_joules",
	};

	(void)unused;
	assert_logged(names, COUNT(names), TS_ROLE_OBSERVATION);
}

static void test_logged_training(void **unused)
{
	static const char *const names[] = {
		"loss_metrics/global_avg_loss", "loss_metrics/global_max_loss", "n_tokens_seen", "validation_metrics/loss",
		"batch-size", "params-norm", "num-zeros", "loss-scale", "loss-scale vs samples", "world-size", "learning-rate",
		"lm loss", "lm loss vs samples", "lm loss validation ppl", "grad-norm", "consumed samples",
		"consumed train tokens", "number of skipped iterations", "number of nan iterations", "load_balancing_loss",
		"seq_load_balancing_loss", "z_loss", "mtp_1 loss", "Train/Samples/train_loss", "Train/Samples/lr",
		"Train/Samples/loss_scale", "total_flos", "train/global_step", "num_input_tokens_seen", "eval/accuracy",
		"val/bpb", "total_tokens", "iter", "trainer/global_step", "lr-AdamW", "lr-AdamW/pg1", "lr-Adam-momentum",
		"_step", "time/epoch", "time/batch", "time/sample", "time/token", "time/batch_in_epoch",
		"trainer/device_train_microbatch_size", "loss/train/total", "metrics/train/LanguageCrossEntropy",
		"lr-DecoupledAdamW/group0", "l2_norm/grad/global", "throughput/total_tokens", "optim/learning_rate",
		"run_progress", "train/loss", "loss_cls", "loss_rpn_bbox", "decode.loss_ce", "decode.acc_seg", "coco/bbox_mAP",
		"mIoU", "accuracy/top1", "base_lr", "momentum", "wpb", "bsz", "num_updates", "gnorm", "loss_scale", "clip",
		"nll_loss", "ppl", "epoch_accuracy", "epoch_loss", "evaluation_loss_vs_iterations",
		"val_sparse_categorical_accuracy", "tokens/total", "tokens/trainable", "perf/total_num_tokens",
		"actor/entropy", "actor/pg_loss", "actor/kl_loss", "actor/pg_clipfrac", "actor/ppo_kl", "actor/grad_norm",
		"actor/lr", "critic/score/mean", "critic/rewards/mean", "critic/advantages/max", "critic/returns/min",
		"critic/vf_loss", "response_length/mean", "response_length/clip_ratio", "prompt_length/mean",
		"global_seqlen/balanced_max", "training/global_step", "training/epoch", "val-core/openai/gsm8k/reward/mean@1",
		"rewards/accuracies", "rewards/chosen", "rewards/margins", "logps/rejected", "logits/chosen",
		"completions/mean_length", "completions/clipped_ratio", "frac_reward_zero_std", "objective/kl",
		"objective/entropy", "policy/approxkl_avg", "val/ratio", "clip_ratio/high_max",
		"sampling/sampling_logp_difference/mean", "sampling/importance_sampling_ratio/min", "num_tokens",
		"mean_token_accuracy", "reward", "reward_std", "reduced_train_loss", "global_step", "consumed_samples",
		"val_loss", "time/iterations", "time/total_timesteps", "rollout/ep_rew_mean", "rollout/ep_len_mean",
		"train/approx_kl", "train/clip_fraction", "train/explained_variance", "train/value_loss",
		"charts/episodic_return", "charts/learning_rate", "losses/policy_loss", "losses/old_approx_kl",
		"training_iteration", "episode_reward_mean", "time_step", "timestep", "lr", "loss", "train_loss", "val/loss",
		"loss_time_step", "grad_scale", "amp/scale", "scale", "kl", "kl_coef", "entropy", "accuracy", "top5_acc", "f1",
		"wer", "bleu", "temperature_loss", "router/z_loss", "expert_3/tokens", "tokens_per_expert/max",
		"loss_per_token", "bits_per_byte", "weight_norm", "memory_bank_loss", "latency_loss", "time_loss",
		"speed_loss", "wd", "beta1", "samples_seen", "epoch", "moe/load_imbalance", "grad_norm/layer.3",
		"second_moment_norm", "ms_ssim", "hit_rate_accuracy", "length_penalty", "codebook_utilization",
		"perf/accuracy", "policy_entropy", "time_to_reward", "energy_loss", "student_loss", "ema_decay", "n_params",
		"dropout_rate", "ratio", "lr_encoder", "lr0", "loss1", "bleu-4", "rougeL", "world_size",
	};

	(void)unused;
	assert_logged(names, COUNT(names), TS_ROLE_TRAJECTORY);
}

static void test_logged_unknown(void **unused)
{
	static const char *const names[] = {
		"wind_speed", "temperature", "foo", "glossy", "power", "memo", "timeless", "energy",
	};

	(void)unused;
	assert_logged(names, COUNT(names), TS_ROLE_UNKNOWN);
}

static void test_words_sorted(void **unused)
{
	static const char *const words[] = {
#define WORD(text, kind) text,
#include "run/role_words.inc"
#undef WORD
	};

	(void)unused;
	for (size_t i = 1; i < COUNT(words); i++)
		assert_true(strcmp(words[i - 1], words[i]) < 0);
}

static void test_many_words(void **unused)
{
	static char name[256] = "scalars.";

	(void)unused;
	for (size_t i = 0; i < 31; i++)
		strcat(name, "a_");
	strcat(name, "loss");
	assert_int_equal(ts_role_of(ts_span_str(name), NULL), TS_ROLE_TRAJECTORY);
	strcat(name, "_a");
	assert_int_equal(ts_role_of(ts_span_str(name), NULL), TS_ROLE_UNKNOWN);
}

static void test_loss_scale(void **unused)
{
	static const char *const scales[] = {"scale",	   "loss_scale", "grad_scale",	 "amp/scale", "loss-scale",
					     "amp_scaler", "fp16/scale", "GradScaler",	 "Train/Samples/loss_scale",
					     "loss scale", "cur_scale",	 "scaler/scale", "dynamic_loss_scale"};
	static const char *const others[] = {"loss",	    "logit_scale",  "lora_scale", "cfg_scale",
					     "scaled_loss", "weight_scale", "grad_norm"};

	(void)unused;
	for (size_t i = 0; i < COUNT(scales); i++)
		if (!ts_column_is_loss_scale(ts_span_str(scales[i])))
			fail_msg("%s", scales[i]);
	for (size_t i = 0; i < COUNT(others); i++)
		if (ts_column_is_loss_scale(ts_span_str(others[i])))
			fail_msg("%s", others[i]);
}

static struct ts_fact text_fact(const char *path, const char *text)
{
	return (struct ts_fact){.path = ts_span_str(path),
				.type = TS_FACT_TEXT,
				.source = TS_SOURCE_FACTS_JSON,
				.text = ts_span_str(text)};
}

static void test_declared_before_named(void **unused)
{
	struct ts_fact items[] = {
		text_fact("columns.scalars.foo.role", "trajectory"),
		text_fact("columns.scalars\\.loss.role", "observation"),
		text_fact("columns.scalars\\.lr.role", "no such role"),
		text_fact("columns.scalars\\.mfu.role", "unknown"),
	};
	struct ts_facts facts = {.items = items, .n = 4};

	(void)unused;
	ts_facts_sort(&facts);
	assert_int_equal(ts_role_of(ts_span_str("scalars.foo"), &facts), TS_ROLE_TRAJECTORY);
	assert_int_equal(ts_role_of(ts_span_str("scalars.loss"), &facts), TS_ROLE_OBSERVATION);
	assert_int_equal(ts_role_of(ts_span_str("scalars.lr"), &facts), TS_ROLE_TRAJECTORY);
	assert_int_equal(ts_role_of(ts_span_str("scalars.mfu"), &facts), TS_ROLE_UNKNOWN);
	assert_int_equal(ts_role_of(ts_span_str("timestamp"), &facts), TS_ROLE_OBSERVATION);
}

static void test_longest_names(void **unused)
{
	static char name[2 * TS_PATH_MAX];
	struct ts_facts none = {0};

	(void)unused;
	memset(name, '.', sizeof name);
	memcpy(name, "scalars.", 8);
	assert_int_equal(ts_role_of(ts_span_of(name, TS_PATH_MAX), &none), TS_ROLE_UNKNOWN);
	memset(name + 8, 'a', sizeof name - 8);
	assert_int_equal(ts_role_of(ts_span_of(name, sizeof name), &none), TS_ROLE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_logged_costs),
		cmocka_unit_test(test_logged_training),
		cmocka_unit_test(test_logged_unknown),
		cmocka_unit_test(test_words_sorted),
		cmocka_unit_test(test_many_words),
		cmocka_unit_test(test_loss_scale),
		cmocka_unit_test(test_declared_before_named),
		cmocka_unit_test(test_longest_names),
	};

	return cmocka_run_group_tests_name("role", tests, NULL, NULL);
}
