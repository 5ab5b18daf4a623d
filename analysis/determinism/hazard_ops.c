/* hazard_ops.c - the operations of the catalog: those of torch's own list, by the names under which they are recorded.
 *
 * Where the backward pass alone is on the list, the recorded name is that of the backward operation, so that a forward pass without a
 * gradient is none of it. */
#include "analysis/determinism/hazards.h"

#include "base/text.h"

#define ATTENTION "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html"
#define TWICE "where an index stands twice"

const char *const ts_hazard_ops_source = "https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html";
const char *const ts_hazard_ops_prevent = "torch.use_deterministic_algorithms(True)";
const char *const ts_hazard_ops_cost = "deterministic operations tend to be slower";

const struct ts_hazard_op ts_hazard_ops[] = {
	/* Those that become deterministic. */
	{.listed = {"torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.ConvTranspose1d", "torch.nn.ConvTranspose2d",
		    "torch.nn.ConvTranspose3d"},
	 .aten = {"convolution", "_convolution", "convolution_backward", "cudnn_convolution", "cudnn_convolution_transpose"},
	 .modules = {"Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"},
	 .cuda = true},
	{.listed = {"torch.nn.ReplicationPad1d", "torch.nn.ReplicationPad2d", "torch.nn.ReplicationPad3d"},
	 .aten = {"replication_pad1d_backward", "replication_pad2d_backward", "replication_pad3d_backward"},
	 .modules = {"ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d"},
	 .cuda = true},
	{.listed = {"torch.bmm"}, .aten = {"bmm"}, .cuda = true, .sometimes = "of sparse and dense tensors"},
	{.listed = {"torch.Tensor.__getitem__", "torch.Tensor.index_put"},
	 .aten = {"index_put", "_index_put_impl", "_unsafe_index_put"},
	 .sometimes = TWICE},
	{.listed = {"torch.Tensor.scatter_add_", "torch.gather"}, .aten = {"scatter_add"}, .cuda = true},
	{.listed = {"torch.index_add", "torch.index_select", "torch.repeat_interleave"}, .aten = {"index_add"}, .cuda = true},
	{.listed = {"torch.Tensor.index_copy"}, .aten = {"index_copy"}, .sometimes = TWICE},
	{.listed = {"torch.Tensor.scatter"}, .aten = {"scatter.src"}, .cuda = true, .sometimes = TWICE},
	{.listed = {"torch.Tensor.scatter_reduce"},
	 .aten = {"scatter_reduce"},
	 .cuda = true,
	 .throws = true,
	 .sometimes = "with sum, mean or prod"},
	{.listed = {"torch.nn.MaxPool3d"}, .aten = {"max_pool3d_with_indices_backward"}, .modules = {"MaxPool3d"}, .cuda = true},
	/* Those that raise an error. */
	{.listed = {"torch.nn.AvgPool3d"}, .aten = {"avg_pool3d_backward"}, .modules = {"AvgPool3d"}, .cuda = true, .throws = true},
	{.listed = {"torch.nn.AdaptiveAvgPool2d", "torch.nn.AdaptiveAvgPool3d"},
	 .aten = {"_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward"},
	 .modules = {"AdaptiveAvgPool2d", "AdaptiveAvgPool3d"},
	 .cuda = true,
	 .throws = true},
	{.listed = {"torch.nn.AdaptiveMaxPool2d"},
	 .aten = {"adaptive_max_pool2d_backward"},
	 .modules = {"AdaptiveMaxPool2d"},
	 .cuda = true,
	 .throws = true},
	{.listed = {"torch.nn.FractionalMaxPool2d", "torch.nn.FractionalMaxPool3d"},
	 .aten = {"fractional_max_pool2d_backward", "fractional_max_pool3d_backward"},
	 .modules = {"FractionalMaxPool2d", "FractionalMaxPool3d"},
	 .cuda = true,
	 .throws = true},
	{.listed = {"torch.nn.MaxUnpool1d", "torch.nn.MaxUnpool2d", "torch.nn.MaxUnpool3d"},
	 .aten = {"max_unpool2d", "max_unpool3d"},
	 .modules = {"MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"},
	 .throws = true},
	{.listed = {"torch.nn.functional.interpolate"},
	 .aten = {"upsample_linear1d_backward", "upsample_bilinear2d_backward", "upsample_bicubic2d_backward",
		  "upsample_trilinear3d_backward"},
	 .modules = {"Upsample", "UpsamplingBilinear2d"},
	 .cuda = true,
	 .throws = true},
	{.listed = {"torch.nn.ReflectionPad1d", "torch.nn.ReflectionPad2d", "torch.nn.ReflectionPad3d"},
	 .aten = {"reflection_pad1d_backward", "reflection_pad2d_backward", "reflection_pad3d_backward"},
	 .modules = {"ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d"},
	 .cuda = true,
	 .throws = true},
	/* The list names the class; the kernel that raises is that of images. */
	{.listed = {"torch.nn.NLLLoss"}, .aten = {"nll_loss2d_forward"}, .cuda = true, .throws = true},
	{.listed = {"torch.nn.CTCLoss"}, .aten = {"_ctc_loss_backward"}, .modules = {"CTCLoss"}, .cuda = true, .throws = true},
	{.listed = {"torch.nn.EmbeddingBag"},
	 .aten = {"_embedding_bag_backward", "_embedding_bag_dense_backward"},
	 .modules = {"EmbeddingBag"},
	 .cuda = true,
	 .throws = true,
	 .sometimes = "with mode='max'"},
	{.listed = {"torch.Tensor.put_"}, .aten = {"put"}, .throws = true, .sometimes = TWICE},
	{.listed = {"torch.histc"}, .aten = {"histc"}, .cuda = true, .throws = true},
	{.listed = {"torch.bincount"}, .aten = {"bincount"}, .cuda = true, .throws = true, .sometimes = "with weights"},
	{.listed = {"torch.median"}, .aten = {"median.dim", "nanmedian.dim"}, .cuda = true, .throws = true},
	{.listed = {"torch.nn.functional.grid_sample"},
	 .aten = {"grid_sampler_2d_backward", "grid_sampler_3d_backward"},
	 .cuda = true,
	 .throws = true},
	{.listed = {"torch.cumsum"}, .aten = {"cumsum"}, .cuda = true, .throws = true, .sometimes = "of real or complex numbers"},
	{.listed = {"torch.Tensor.resize_"}, .aten = {"resize"}, .throws = true, .sometimes = "of quantized tensors"},
	/* Not on the list, though their kernels heed the setting. */
	{.aten = {"_scaled_dot_product_efficient_attention_backward", "_efficient_attention_backward",
		  "_scaled_dot_product_flash_attention_backward", "_flash_attention_backward"},
	 .cuda = true,
	 .source = ATTENTION},
	{.aten = {"_scaled_dot_product_cudnn_attention_backward", "_cudnn_attention_backward"},
	 .cuda = true,
	 .throws = true,
	 .sometimes = "by the algorithm that cuDNN chooses",
	 .source = ATTENTION},
};
const size_t ts_hazard_ops_n = sizeof ts_hazard_ops / sizeof ts_hazard_ops[0];

/* "index_add_" is "index_add" in place. */
static struct ts_span without_place(struct ts_span name)
{
	return name.len > 1 && name.data[name.len - 1] == '_' ? ts_span_part(name, 0, name.len - 1) : name;
}

/* "index_add_.default" by "index_add", and "scatter_.src" by "scatter.src". */
static bool is_aten(struct ts_span name, const char *of)
{
	struct ts_span wanted = ts_span_str(of), base = name, overload = ts_span_of(NULL, 0);
	const uint8_t *dot = memchr(name.data, '.', name.len), *in = memchr(wanted.data, '.', wanted.len);

	if (dot) {
		base = ts_span_part(name, 0, (size_t)(dot - name.data));
		overload = ts_span_from(name, base.len + 1);
	}
	if (in) {
		size_t n = (size_t)(in - wanted.data);

		if (!ts_span_eq(overload, ts_span_from(wanted, n + 1)))
			return false;
		wanted = ts_span_part(wanted, 0, n);
	}
	return ts_span_eq(without_place(base), wanted);
}

static enum ts_op_known of_aten(struct ts_span name, const struct ts_hazard_op **ret_op)
{
	for (size_t i = 0; i < ts_hazard_ops_n; i++)
		for (size_t k = 0; k < TS_HAZARD_NAMES && ts_hazard_ops[i].aten[k]; k++)
			if (is_aten(name, ts_hazard_ops[i].aten[k])) {
				*ret_op = &ts_hazard_ops[i];
				return TS_OP_LISTED;
			}
	return TS_OP_UNLISTED;
}

/* "layers.0.conv (Conv2d)" */
static enum ts_op_known of_module(struct ts_span name, const struct ts_hazard_op **ret_op)
{
	size_t at = name.len;
	struct ts_span type;

	if (at < 4 || name.data[at - 1] != ')')
		return TS_OP_FOREIGN;
	while (at && name.data[at - 1] != '(')
		at--;
	if (!at)
		return TS_OP_FOREIGN;
	type = ts_span_part(name, at, name.len - at - 1);
	for (size_t i = 0; i < ts_hazard_ops_n; i++)
		for (size_t k = 0; k < TS_HAZARD_NAMES && ts_hazard_ops[i].modules[k]; k++)
			if (ts_span_is(type, ts_hazard_ops[i].modules[k])) {
				*ret_op = &ts_hazard_ops[i];
				return TS_OP_LISTED;
			}
	return TS_OP_MODULE;
}

enum ts_op_known ts_hazard_op_of(struct ts_span name, const struct ts_hazard_op **ret_op)
{
	static const char aten[] = "aten.";
	/* Collectives are a row of the settings. */
	static const char *const collectives[] = {"c10d.", "c10d_functional.", "_c10d_functional."};

	*ret_op = NULL;
	if (ts_span_starts(name, ts_span_str(aten)))
		return of_aten(ts_span_from(name, strlen(aten)), ret_op);
	for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++)
		if (ts_span_starts(name, ts_span_str(collectives[i])))
			return TS_OP_UNLISTED;
	return of_module(name, ret_op);
}

void ts_hazard_ops_markdown(struct ts_buf *out)
{
	ts_buf_str(out, "| on torch's list | recorded as | where | with deterministic algorithms | only |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < ts_hazard_ops_n; i++) {
		const struct ts_hazard_op *op = &ts_hazard_ops[i];

		ts_buf_str(out, "| ");
		for (size_t k = 0; k < TS_HAZARD_NAMES && op->listed[k]; k++)
			ts_buf_printf(out, "%s`%s`", k ? " " : "", op->listed[k]);
		ts_buf_str(out, " | ");
		for (size_t k = 0; k < TS_HAZARD_NAMES && op->aten[k]; k++)
			ts_buf_printf(out, "%s`%s`", k ? " " : "", op->aten[k]);
		ts_buf_printf(out, " | %s | %s | %s |\n", op->cuda ? "CUDA" : "everywhere", op->throws ? "raises an error" : "repeats",
			      op->sometimes ? op->sometimes : "");
	}
}
