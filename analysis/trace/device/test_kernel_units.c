/* kernel_units.h: names as libraries write them, with the units by their documentation. */
#include "analysis/trace/device/kernel_units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect(const char *name, enum ts_kernel_units units)
{
	enum ts_kernel_units said = ts_kernel_units(ts_span_str(name));

	if (said != units)
		fail_msg("%s: %s", name, ts_kernel_units_word(said));
}

static void by_grammar(void **state)
{
	(void)state;
	expect("nvjet_tst_128x272_64x4_1x2_h_bz_coopA_NTN", TS_UNITS_MATRIX);
	expect("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x128x64_warpgroupsize1x1x1_execute_segment_k_off", TS_UNITS_MATRIX);
	expect("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", TS_UNITS_MATRIX);
	expect("ampere_fp16_s1688gemm_fp16_128x128_ldg8_f2f_stages_32x1_nn", TS_UNITS_MATRIX);
	expect("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", TS_UNITS_MATRIX);
	expect("turing_h1688gemm_128x128_ldg8_stages_32x1_nt", TS_UNITS_MATRIX);
	expect("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_64x4_tn_align8>(Params)", TS_UNITS_MATRIX);
	expect("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_stage4_warpsize2x2x1_tensor16x8x8_kernel", TS_UNITS_MATRIX);
	expect("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x160x64_MI16x16x1_SN", TS_UNITS_MATRIX);
	expect("void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm>(ck::Argument)", TS_UNITS_MATRIX);
	expect("bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1", TS_UNITS_MATRIX);
	expect("bmm_of_somebody_mine", TS_UNITS_UNKNOWN);
	expect("volta_sgemm_128x64_nt", TS_UNITS_SINGLE);
	expect("ampere_sgemm_32x32_sliced1x4_tn", TS_UNITS_SINGLE);
	expect("void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_tn_align1>(cutlass::Params)", TS_UNITS_SINGLE);
	expect("triton_mm_0d1d2d3de4de5de", TS_UNITS_UNKNOWN);
	expect("Cijk_Ailk_Bljk_SB_MT64x64x8_SE_K1", TS_UNITS_UNKNOWN);
	expect("void gemv2T_kernel_val<int, int, __nv_bfloat16>(cublasGemvParams)", TS_UNITS_UNKNOWN);
	expect("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)", TS_UNITS_UNKNOWN);
	expect("", TS_UNITS_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(by_grammar)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
