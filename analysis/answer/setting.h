/* setting.h - what advice depends on, as questions that the facts of a run answer with yes or no: can the device multiply in bf16, has
 * the loader workers, is the optimizer fused?
 *
 * Each answer that is known is a row of the group "setup" (TS_M_SETTING), beside the fact that says it (TS_M_SETTING_BY); one that is
 * not known has no row. analysis/rank/setup.h makes the rows of facts, and analysis/rules/condition.h asks for them.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_SETTING_H
#define TSCOPE_ANALYSIS_ANSWER_SETTING_H

#include "analysis/answer/measure.h"
#include "analysis/answer/row_words.h"

/* X(symbol, word, what it asks) */
#define TS_SETTINGS_OF(X)                                                                                                              \
	X(TORCH, "torch", "the program computes by PyTorch")                                                                           \
	X(WINDOWS, "windows", "it runs on Windows")                                                                                    \
	X(CUDA, "cuda", "it computes on devices of torch.cuda: by CUDA, or ROCm")                                                      \
	X(NVIDIA, "nvidia", "the device is NVIDIA's")                                                                                  \
	X(TF32_UNITS, "tf32_units", "the device multiplies in TF32")                                                                   \
	X(BF16_UNITS, "bf16_units", "the device computes in bf16")                                                                     \
	X(FP16_UNITS, "fp16_units", "the device multiplies matrices in fp16, and not in bf16")                                         \
	X(TRITON, "triton", "Triton compiles for the device")                                                                          \
	X(REDUCED, "reduced_precision", "it computes in fewer than 32 bits")                                                           \
	X(TF32, "tf32", "matrix products of float32 use TF32")                                                                         \
	X(TF32_BARRED, "tf32_barred", "the environment forbids TF32")                                                                  \
	X(COMPILED, "compiled", "the model is compiled")                                                                               \
	X(RECOMPUTES, "recomputation", "activations are computed again in the backward pass")                                         \
	X(WORKERS, "loader_workers", "the data loader has workers")                                                                    \
	X(CORES_LOAD, "cores_taken", "the workers of the loaders take all cores of the host")                                          \
	X(PERSISTENT, "persistent_workers", "workers stay from one epoch to the next")                                                 \
	X(PREFETCH, "prefetch", "each worker prefetches four batches or more")                                                        \
	X(PINNED, "pinned_memory", "batches lie in pinned memory")                                                                     \
	X(CONVOLUTIONS, "convolutions", "the model has convolutions")                                                                  \
	X(ATTENTION, "attention", "the model has attention")                                                                           \
	X(FUSED_ATTENTION, "fused_attention", "attention is fused")                                                                    \
	X(CHANNELS_LAST, "channels_last", "the model is in the channels-last format")                                                  \
	X(BENCHMARK, "cudnn_benchmark", "cuDNN chooses kernels by their speed")                                                        \
	X(DETERMINISTIC, "deterministic", "kernels that may differ between runs are switched off")                                     \
	X(FUSED_OPTIMIZER, "fused_optimizer", "the optimizer is fused")                                                                \
	X(FUSABLE, "fusable_optimizer", "PyTorch has a fused form of the optimizer")                                                   \
	X(ADAM, "adam", "the optimizer is Adam or AdamW")                                                                              \
	X(STATE_8BIT, "state_8bit", "the state of the optimizer has 8 bits")                                                           \
	X(OFFLOADED, "offloaded_state", "the state of the optimizer lies on the host")                                                 \
	X(DEBUGGING, "debugging", "a mode for debugging is on: anomaly detection, or launches that block")                             \
	X(FEW_THREADS, "few_threads", "a rank may use less than half of its share of the cores")                                       \
	X(DDP, "ddp", "the ranks are replicas under DistributedDataParallel")                                                          \
	X(FSDP, "fsdp", "the model is sharded by FSDP")                                                                                \
	X(OWN_SHARDING, "own_sharding", "DeepSpeed or Megatron spreads the model over the ranks")                                      \
	X(FIND_UNUSED, "find_unused_parameters", "DDP searches for unused parameters")                                                 \
	X(ACCUMULATES, "accumulation", "gradients are accumulated over several batches")                                               \
	X(SYNCS_LAST, "syncs_last", "only the last of accumulated batches is communicated") \
	X(NARROW_GRADIENTS, "narrow_gradients", "gradients are reduced in 16 bits")                                                    \
	X(OVERLAPS, "overlapped_reduction", "gradients are reduced while the backward pass runs")                                      \
	X(SEVERAL_HOSTS, "several_hosts", "the ranks are on several hosts")                                                            \
	X(MANUAL_GC, "manual_gc", "garbage is collected at fixed steps")                                                               \
	X(LOGS_OFTEN, "logs_each_step", "metrics are logged at each step")                                                             \
	X(ASYNC_CHECKPOINTS, "async_checkpoints", "checkpoints are written asynchronously")                                            \
	X(EXPANDABLE, "expandable_segments", "segments of the allocator expand")                                                       \
	X(BATCH_OF_ONE, "batch_of_one", "a rank works on one sample at a time")

enum ts_setting {
#define TS_SETTING_SYMBOL(symbol, word, asks) TS_SETTING_##symbol,
	TS_SETTINGS_OF(TS_SETTING_SYMBOL)
#undef TS_SETTING_SYMBOL
	TS_SETTINGS,
};

struct ts_setting_words {
	const char *word; /* the subject of its rows */
	const char *asks; /* what is so if the answer is yes */
};
extern const struct ts_setting_words ts_settings[TS_SETTINGS];

enum ts_answered ts_setting_of(const struct ts_measures *m, enum ts_setting what);

/* 2.10.1+cu130 is 210; 0: not readable. */
unsigned ts_version_number(struct ts_span version);

#endif
