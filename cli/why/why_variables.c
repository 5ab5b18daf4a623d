#include "cli/why/why_variables.h"

#include "base/text.h"

#include <string.h>

static const char *const numeric[] = {
	"PYTHONHASHSEED",
	"CUBLAS*_WORKSPACE_*",
	"OMP_*",
	"MKL_*",
	"OPENBLAS_*",
	"VECLIB_*",
	"NUMEXPR_*",
	"KMP_*",
	"CUDA_LAUNCH_BLOCKING",
	"CUDA_VISIBLE_DEVICES",
	"CUDA_DEVICE_*",
	"CUDA_MODULE_LOADING",
	"NVIDIA_TF32_OVERRIDE",
	"TORCH_*",
	"PYTORCH_*",
	"TORCHDYNAMO_*",
	"TORCHINDUCTOR_*",
	"TRITON_*",
	"TF_*DETERMINISTIC*",
	"XLA_FLAGS",
	"NCCL_*",
	"NVTE_*",
	"ATEN_*",
	"ONEDNN_*",
	"DNNL_*",
	"HIP_VISIBLE_DEVICES",
	"MIOPEN_*",
	"FLASH_ATTENTION_*",
	"DISABLE_ADDMM_CUDA_LT",
};
static const char *const names_code[] = {
	"*PLUGIN*", "*PATH*", "*DIR*", "*FILE*", "*LIB*", "*HOME*", "*CXX*", "*_CC", "*COMPILER*", "*TOOL*", "*LOGS_OUT*", "NCCL_NET",
};

static bool is_among(const char *const *globs, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (ts_glob(ts_span_str(globs[i]), ts_span_str(name)))
			return true;
	return false;
}

bool ts_why_may_set(const char *name, const char *value)
{
	bool code = is_among(names_code, sizeof names_code / sizeof names_code[0], name) &&
		    strncmp(name, "VECLIB_", strlen("VECLIB_")) != 0;

	return is_among(numeric, sizeof numeric / sizeof numeric[0], name) && !code && (!value || !strpbrk(value, "/\\$`\n"));
}
