#include "analysis/peers/axolotl_kernels.h"

#include "analysis/peers/peer_page.h"
#include "analysis/trace/kernel.h"

/* In its order. A pattern with a capital letter never matches there, because the name is in lower case by then. */
static const struct {
	const char *word;
	const char *patterns[4];
} rows[TS_AXOLOTL_CATEGORIES] = {
	{"ScatterMoE bwd LoRA (split)", {"_group_bwd_lora_split", "_group_bwd_da", "_group_bwd_db"}},
	{"ScatterMoE bwd LoRA (fused)", {"_group_bwd_lora"}},
	{"ScatterMoE bwd dX", {"_scatter2scatter_lora_dx"}},
	{"ScatterMoE fwd", {"_scatter2scatter_lora"}},
	{"BnB Dequantization", {"dequantize"}},
	{"Flash Attention", {"flash", "fmha"}},
	{"CCE Loss", {"_cce_"}},
	{"LoRA QKV Kernel", {"lora_qkv"}},
	{"LoRA O Kernel", {"lora_o"}},
	{"LoRA MLP Kernel", {"lora_mlp"}},
	{"LoRA Activation (SwiGLU/GEGLU)", {"swiglu", "geglu"}},
	{"DoRA Weight Norm", {"linalg_norm", "dora_scale"}},
	{"GEMM/CUTLASS", {"cutlass", "gemm", "gemv", "cublas"}},
	{"Triton (norms etc)", {"triton"}},
	{"Conv1d", {"conv1d", "causal_conv"}},
	{"Optimizer", {"adam", "optim"}},
	{"Dtype Conversion", {"to_copy"}},
	{"Elementwise/Fill", {"fill", "elementwise", "cast", "copy_kernel"}},
	{"Memory ops", {"memcpy", "memset"}},
	{"TopK/Sort", {"topk", "sort"}},
	{"Index/Gather/Scatter", {"index", "gather", "scatter"}},
	{"Other", {NULL}},
	{"Communication", {NULL}},
};
enum { ACTIVATION = 10, GEMM = 12 };

int ts_axolotl_category(struct ts_span name)
{
	for (int i = 0; i < TS_AXOLOTL_OTHER; i++)
		for (size_t k = 0; k < 4 && rows[i].patterns[k]; k++)
			if (ts_peer_has(name, rows[i].patterns[k], true))
				return i;
	return TS_AXOLOTL_OTHER;
}

int ts_axolotl_category_amended(struct ts_span name)
{
	enum ts_kernel_category ours = ts_kernel_category(name);
	int theirs = ts_axolotl_category(ts_kernel_without_arguments(name));

	if (ours == TS_KERNEL_COMMUNICATION)
		return TS_AXOLOTL_COMMUNICATION;
	if (ours == TS_KERNEL_GEMM && theirs >= ACTIVATION)
		return GEMM;
	return ours == TS_KERNEL_MOE && (theirs == ACTIVATION || theirs == TS_AXOLOTL_OTHER) ? GEMM : theirs;
}

const char *ts_axolotl_category_word(int category)
{
	return rows[category].word;
}
