/* kernel.h: real names of kernels, as the profiler wrote them, and the traps that other tables fall into. */
#include "analysis/trace/device/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect(const char *name, const char *category)
{
	const char *found = ts_kernel_category_word(ts_kernel_category(ts_span_str(name)));

	if (strcmp(found, category) != 0)
		fail_msg("%s: %s", name, found);
}

static void real_kernels_have_their_category(void **state)
{
	(void)state;
	expect("ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", "communication");
	expect("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "communication");
	expect("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)", "communication");
	expect("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*, vllm::RankSignals)", "communication");
	expect("void deep_ep::intranode::dispatch<8, 512, 8192>(int4*, float*)", "communication");
	expect("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x160x64_MI16x16x1_SN", "gemm");
	expect("volta_sgemm_128x64_nt", "gemm");
	expect("nvjet_tst_128x272_64x4_1x2_h_bz_coopA_NTN", "gemm");
	expect("XXT_kernel", "gemm");
	expect("ba_plus_cAA_kernel", "gemm");
	expect("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_64x4_tn_align8>(cutlass::Params)", "gemm");
	expect("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x128x64_warpgroupsize1x1x1_execute_segment_k_off", "gemm");
	expect("void cublasLt::splitKreduce_kernel<32, 16, int, float>(cublasLt::cublasSplitKParams<float>)", "gemm");
	expect("void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64, 64, 4, cutlass::bfloat16_t> >(Flash_fwd_params)", "attention");
	expect("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float>::Params)", "attention");
	expect("attn_fwd", "attention");
	expect("void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<(flashinfer::MaskMode)1> "
	       ">(flashinfer::Params)",
	       "attention");
	expect("void flashinfer::AppendPagedKVCacheKernel<128, 8>(flashinfer::paged_kv_t)", "copy");
	expect("chunk_gated_delta_rule_fwd_kernel_h_blockdim64", "attention");
	expect("void transformer_engine::userbuffers_fp16_sum_inplace_gpu_mc_rs_oop<8>(int, int)", "communication");
	expect("void transformer_engine::normalization::ln_fwd_tuned_kernel<4>(transformer_engine::normalization::KernelParams)",
	       "normalization");
	expect("void marlin::Marlin<__nv_bfloat16, 8, 256, 1, 8, 8, 4, false, 4, -1>(int4 const*, int4 const*)", "gemm");
	expect("void ctc_loss_log_alpha_gpu_kernel<float, long>(float*, float const*)", "loss");
	expect("void "
	       "cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_nhwc_align8>(cutlass_tensorop)",
	       "convolution");
	expect("igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_ta1x8x2x1_1x4x1x64_tb1x8x2x1_1x4x1x64",
	       "convolution");
	expect("void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, true, false, true>(int, int)", "convolution");
	expect("volta_scudnn_128x64_relu_interior_nn_v1", "convolution");
	expect("void cudnn::winograd_nonfused::winogradForwardFilter4x4<float, float>(cudnn::winograd_nonfused::Params)",
	       "convolution");
	expect("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(cudnnTensorStruct)", "normalization");
	expect("void cuApplyLayerNorm<float, float>(float*, float*)", "normalization");
	expect("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, "
	       "at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
	       "fill");
	expect("__amd_rocclr_fillBufferAligned.kd", "fill");
	expect("__amd_rocclr_copyBuffer", "copy");
	expect("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> "
	       ">(int)",
	       "elementwise");
	expect("void at::native::(anonymous namespace)::softmax_warp_forward<float, float, float, 7, false>(float*, float const*)",
	       "softmax");
	expect("void cunn_ClassNLLCriterion_updateOutput_kernel<float, float>(float*)", "loss");
	expect("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::TensorListMetadata<4> >(int)",
	       "optimizer");
	expect("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(at::native::ReduceOp<float>)", "reduction");
	expect("void fbgemm_gpu::permute_2D_data_kernel<false, long, float>(int)", "embedding");
	expect("triton_poi_fused_silu_0", "fused");
	expect("triton_red_fused__to_copy_add_addmm_mean_mul_pow_rsqrt_view_3", "fused");
	expect("triton_tem_fused_mm_0", "gemm");
	expect("void rotary_embedding_kernel<c10::BFloat16, true>(long const*)", "rotary");
	expect("void cub::DeviceRadixSortOnesweepKernel<cub::Policy800>(int)", "sort");
	expect("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float, float, float, false>(float)",
	       "gemm");
	expect("void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int, float const*)", "pooling");
	expect("void (anonymous namespace)::store_kvcache<2048l, 4, false, long>((anonymous namespace)::StoreKVCacheParams)", "copy");
	expect("void cudnn::ops::scalePackedTensor_kernel<float, float>(cudnnTensor4dStruct, float*, float)", "elementwise");
	/* TensorRT-LLM generates products whose epilogue is named after its activation; its routing of experts has types of CUTLASS. */
	expect("bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_TN_transOut_swiGlu",
	       "gemm");
	expect("bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16", "gemm");
	expect("void moe::dev::finalize::finalizeKernelVecLoad<moe::dev::finalize::KernelParams<cutlass::bfloat16_t> >(int)",
	       "mixture_of_experts");
	expect("void moe::dev::routing::routingIndicesHistogramKernel<int>(int)", "mixture_of_experts");
	expect("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext", "attention");
	expect("nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", "gemm");
	expect("Custom_Cijk_Alik_Bljk_BBS", "gemm");
	expect("void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(int)", "normalization");
	expect("void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u>(float*)", "sort");
	expect("void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, &silu>(int)", "elementwise");
	expect("void flashinfer::PersistentVariableLengthMergeStatesKernel<8u>(int)", "attention");
	expect("void ck_tile::kentry<2, ck_tile::Rmsnorm2dFwd<int> >(int)", "normalization");
	expect("void deep_gemm::sm100_fp8_gemm_1d1d_impl<7168u>(int)", "gemm");
	expect("void cudnn::ops::convertTensor_kernel<float, float>(float)", "copy");
	expect("void multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", "communication");
	expect("_fwd_grouped_kernel_stage1", "attention");
	expect("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int> >(int)", "gemm");
	expect("void f<cutlass::bfloat16_t>(int)", "other"); /* a type alone */
	expect("big", "other");
	expect("", "other");
}

static void arguments_and_template_arguments_are_no_names(void **state)
{
	(void)state;
	/* "index" is among the arguments, on an MI300; "mm" is in every "comm"; gathers and broadcasts are no collectives. */
	expect("void batch_norm_kernel<float>(at::native::IndexBoundsCheck<int>)", "normalization");
	expect("void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int)", "index");
	expect("void at::native::elementwise_kernel<128, 2, at::native::broadcast_kernel>(int, ncclComm*)", "elementwise");
	expect("void f(all_reduce*", "other"); /* cut off by whoever wrote it */
	expect("void f<all_reduce>(int)", "other");
	expect("triton_poi_fused_all_gather_into_tensor_cat_1", "fused");
}

static void names_lose_their_arguments(void **state)
{
	static const char *const cases[][2] = {
		{"f(int)", "f"},
		{"void f<g(int)>(int, h(*)(int))", "void f<g(int)>"},
		{"void at::(anonymous namespace)::f<int>(int)", "void at::(anonymous namespace)::f<int>"},
		{"void at::(anonymous namespace)::f", "void at::(anonymous namespace)::f"},
		{"f(int) [clone .kd]", "f"},
		{"f(int) const", "f"},
		{"void k<4, f(T&)::{lambda()#2}::operator()() const::{lambda(float)#1}>(int, f(T&))",
		 "void k<4, f(T&)::{lambda()#2}::operator()() const::{lambda(float)#1}>"},
		{"f(int, g(", "f"},
		{"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"},
		{"(x)", "(x)"},
		{"f)", "f)"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_span bare = ts_kernel_without_arguments(ts_span_str(cases[i][0]));

		if (!ts_span_is(bare, cases[i][1]))
			fail_msg("%s: %.*s", cases[i][0], TS_SPAN_ARG(bare));
	}
}

static void collectives_are_named_by_pytorch_first(void **state)
{
	static const struct {
		const char *name, *collective;
		enum ts_collective is;
	} cases[] = {
		{"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", "", TS_COLLECTIVE_ALL_REDUCE},
		{"ncclDevKernel_SendRecv(ncclDevComm*)", "", TS_COLLECTIVE_SEND_RECV},
		{"ncclDevKernel_SendRecv(ncclDevComm*)", "all_to_allv", TS_COLLECTIVE_ALL_TO_ALL},
		{"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "_reduce_scatter_base", TS_COLLECTIVE_REDUCE_SCATTER},
		{"ncclDevKernel_AllGather_RING_LL", "_allgather_base", TS_COLLECTIVE_ALL_GATHER},
		{"ncclDevKernel_Broadcast_RING_LL", "", TS_COLLECTIVE_BROADCAST},
		{"ncclDevKernel_Reduce_Sum_f32_RING_LL", "reduce", TS_COLLECTIVE_REDUCE},
		{"void deep_ep::intranode::dispatch<8>(int)", "", TS_COLLECTIVE_OTHER},
		{"all-reduce-start.1", "", TS_COLLECTIVE_ALL_REDUCE},
		{"all-gather.12", "", TS_COLLECTIVE_ALL_GATHER},
		{"reduce-scatter.3", "", TS_COLLECTIVE_REDUCE_SCATTER},
		{"all-to-all", "", TS_COLLECTIVE_ALL_TO_ALL},
		{"collective-permute-done.2", "", TS_COLLECTIVE_SEND_RECV},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(ts_kernel_collective(ts_span_str(cases[i].name), ts_span_str(cases[i].collective)), cases[i].is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_kernels_have_their_category),
		cmocka_unit_test(arguments_and_template_arguments_are_no_names),
		cmocka_unit_test(names_lose_their_arguments),
		cmocka_unit_test(collectives_are_named_by_pytorch_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
