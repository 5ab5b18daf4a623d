/* Axolotl's and KempnerForge's numbers of traces and snapshots whose right ones were found on paper. tests/golden/trace/peers.py holds
 * whole pages to a model of both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/peers/axolotl_frames.h"
#include "analysis/peers/axolotl_kernels.h"
#include "analysis/peers/axolotl_trace.h"
#include "analysis/peers/kempner.h"
#include "analysis/peers/torch_flops.h"
#include "analysis/trace/test_trace_made.h"
#include "base/buf.h"

#include <math.h>

#define MS 1000000

static const char *theirs(const char *name)
{
	return ts_axolotl_category_word(ts_axolotl_category(ts_span_str(name)));
}

static const char *amended(const char *name)
{
	return ts_axolotl_category_word(ts_axolotl_category_amended(ts_span_str(name)));
}

static void categories(void **state)
{
	static const char norm[] = "void batch_norm_collect_statistics<float>(at::PackedAccessor<IndexBoundsCheck>)";
	static const char nccl[] = "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)";

	(void)state;
	assert_string_equal(theirs(nccl), "Other");
	assert_string_equal(amended(nccl), "Communication");
	assert_string_equal(theirs("ncclDevKernel_AllGather_RING_LL(ncclDevComm*)"), "Index/Gather/Scatter");
	assert_string_equal(theirs(norm), "Index/Gather/Scatter");
	assert_string_equal(amended(norm), "Other");
	assert_string_equal(theirs("nvjet_tst_320x128_64x3_1x2_h_bz_coopB_TNT"), "Other");
	assert_string_equal(amended("nvjet_tst_320x128_64x3_1x2_h_bz_coopB_TNT"), "GEMM/CUTLASS");
	assert_string_equal(theirs("Cijk_Alik_Bljk_B_BS_BH_MT64x64x64"), "Other");
	assert_string_equal(amended("Cijk_Alik_Bljk_B_BS_BH_MT64x64x64"), "GEMM/CUTLASS");
	/* The first row that matches counts, and its capitals match nothing. */
	assert_string_equal(theirs("_group_bwd_lora_split_kernel"), "ScatterMoE bwd LoRA (split)");
	assert_string_equal(theirs("kDequantizeBlockwise<float>"), "BnB Dequantization");
	assert_string_equal(theirs("Memcpy HtoD (Pinned -> Device)"), "Memory ops");
}

#define CONV(stride, padding, dilation, groups) "[\"\",\"\",\"\",\"" stride "\",\"" padding "\",\"" dilation "\",\"" groups "\"]"

static uint64_t counted(enum ts_torch_flops kind, const char *shapes, const char *inputs)
{
	return ts_torch_flops(kind, ts_span_str(shapes), ts_span_str(inputs));
}

static void flops(void **state)
{
	(void)state;
	/* What torch 2.13 counts with with_flops=True for these shapes. */
	assert_int_equal(counted(TS_FLOPS_GEMM, "[[64,128],[128,96]]", ""), 2 * 64 * 128 * 96);
	assert_int_equal(counted(TS_FLOPS_ADDMM, "[[96],[64,128],[128,96],[],[]]", ""), 2 * 64 * 128 * 96);
	assert_int_equal(counted(TS_FLOPS_BMM, "[[5,64,32],[5,32,48]]", ""), 2 * 5 * 64 * 32 * 48);
	assert_int_equal(counted(TS_FLOPS_BADDBMM, "[[5,64,48],[5,64,32],[5,32,48],[],[]]", ""), 2 * 5 * 64 * 32 * 48);
	assert_int_equal(counted(TS_FLOPS_EACH, "[[64,128],[1,128]]", ""), 64 * 128);
	assert_int_equal(counted(TS_FLOPS_EACH, "[[],[32]]", ""), 1); /* of a number and a tensor, as in optimizers */
	assert_int_equal(counted(TS_FLOPS_EACH, "[]", ""), 0);
	/* As torch 2.13 counted them: strides, paddings and dilations of two axes, groups, padding in words, and a missing batch. */
	assert_int_equal(counted(TS_FLOPS_CONV, "[[2,3,16,17],[8,3,3,3],[],[],[],[],[]]", CONV("[2, 2]", "[1, 1]", "[1, 1]", "1")),
			 62208);
	assert_int_equal(counted(TS_FLOPS_CONV, "[[1,4,9,9],[8,2,3,5],[],[],[],[],[]]", CONV("[1, 2]", "[0, 2]", "[2, 1]", "2")),
			 12000);
	assert_int_equal(counted(TS_FLOPS_CONV, "[[2,4,7,7],[4,1,3,3],[],[],[],[],[]]", CONV("[3, 1]", "[0, 0]", "[1, 1]", "4")), 1440);
	assert_int_equal(counted(TS_FLOPS_CONV, "[[2,3,8,8],[4,3,3,3],[],[],[],[],[]]", CONV("[1, 1]", "", "[1, 1]", "1")), 0);
	assert_int_equal(counted(TS_FLOPS_CONV, "[[3,8,8],[4,3,3,3],[],[],[],[],[]]", CONV("[1, 1]", "[0, 0]", "[1, 1]", "1")), 0);
	assert_int_equal(ts_torch_flops_kind(ts_span_str("aten::mm")), TS_FLOPS_GEMM);
	assert_int_equal(ts_torch_flops_kind(ts_span_str("aten::mm_")), TS_FLOPS_NONE);
	/* Shapes that are missing, do not fit or are hostile. */
	assert_int_equal(counted(TS_FLOPS_GEMM, "", ""), 0);
	assert_int_equal(counted(TS_FLOPS_GEMM, "[[64,128]]", ""), 0);
	assert_int_equal(counted(TS_FLOPS_GEMM, "[[64,128],[]]", ""), 0);
	assert_int_equal(counted(TS_FLOPS_GEMM, "[[64,128],[128", ""), 0);
	assert_int_equal(counted(TS_FLOPS_GEMM, "[[4294967296,4294967296],[4294967296,4294967296]]", ""), 0);
	assert_int_equal(counted(TS_FLOPS_GEMM, "[[99999999999999999999,1],[1,1]]", ""), 0);
	assert_int_equal(counted(TS_FLOPS_EACH, "[[1,1,1,1,1,1,1,1,1]]", ""), 0);
	assert_int_equal(counted(TS_FLOPS_CONV, "[[2,3,16,17],[8,3,3,3]]", ""), 0); /* as traces of 2021 */
}

static const struct ts_peer_line *line_of(const struct ts_peer_answer *a, const char *begin)
{
	for (size_t i = 0; i < a->n_lines; i++)
		if (strncmp(a->lines[i].text, begin, strlen(begin)) == 0)
			return &a->lines[i];
	fail_msg("no line begins with \"%s\"", begin);
	return NULL;
}

static void is(const struct ts_peer_answer *a, const char *text, const char *right)
{
	const struct ts_peer_line *l = line_of(a, text);

	if (right && l->right)
		assert_string_equal(l->right, right);
	else if (right || l->right)
		fail_msg("\"%s\" has %s", text, l->right ? l->right : "nothing behind it");
}

static const struct ts_trace_thread thread;

static void run(struct made *m, bool kempner, struct ts_peer_answer *ret)
{
	struct ts_trace_answer answer;

	m->trace.threads = &thread;
	m->trace.n_threads = 1;
	assert_int_equal(ts_trace_answer(&m->trace, NULL, &m->arena, &answer, &m->err), TS_OK);
	if (kempner)
		assert_int_equal(ts_kempner(&m->trace, &answer, "traces", &m->arena, ret, &m->err), TS_OK);
	else
		assert_int_equal(ts_axolotl_trace(&m->trace, &answer, "X", &m->arena, ret, &m->err), TS_OK);
}

/* Two steps of 600 kernels each, of 10 us and back to back. The cut leaves 660 of 1200, and no gap is 100 ms. */
static void two_steps(struct made *m)
{
	made_begin(m);
	made_add(m, TS_TRACE_ANNOTATION, NAME_STEP_1, 0, 0, 6 * MS, TS_TRACE_NONE);
	made_add(m, TS_TRACE_ANNOTATION, NAME_STEP_2, 0, 6 * MS, 12 * MS, TS_TRACE_NONE);
	for (int64_t i = 0; i < 1200; i++)
		made_add(m, TS_TRACE_KERNEL, NAME_GEMM, 0, i * 10000, (i + 1) * 10000, TS_TRACE_NONE);
	made_add(m, TS_TRACE_OPERATOR, NAME_GEMM, 0, 0, 12 * MS, TS_TRACE_NONE);
}

static void the_cut_and_the_steps(void **state)
{
	struct ts_peer_answer a;
	struct made m;

	(void)state;
	two_steps(&m);
	run(&m, false, &a);
	/* Begins are 0 to 11,990 us; those behind 5,395.5 us are 5,400 to 11,990: 660. */
	is(&a, "  Excluding step 0 (warmup): 1,200 -> 660 events", "1200 cut");
	is(&a, "  CUDA kernel time: 0.01s over 1 steps (~0.01s/step)", "2 steps");
	is(&a, "  GEMM/CUTLASS                                  6.6ms 100.0%     660     6.6ms", "12.0ms cut, 1200 cut, 6.0ms steps");
	is(&a, "  GPU utilization:  100.0%", NULL);
	made_finish(&m);
}

static void overlap_counts_twice(void **state)
{
	struct ts_peer_answer a;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_OPERATOR, NAME_GEMM, 0, 0, 100 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 0, 90 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 1, 10 * MS, 90 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_COPY, NAME_NONE, 2, 90 * MS, 91 * MS, TS_TRACE_NONE);
	m.trace.rows.spans.bytes[3] = 2000000000;
	run(&m, false, &a);
	is(&a, "  CUDA kernel time: 0.17s over 1 steps", "0.09s twice, not known steps, not known steps");
	is(&a, "  GPU utilization:  170.0%", "91.0% twice");
	is(&a, "  CPU overhead:     -0.07s (-70.0%)", "0.01s twice, 9.0% twice");
	is(&a, "  Other                                        81.0ms  47.4%       2    81.0ms",
	   "1.0ms name, 0.6% name, 1 name, not known steps");
	is(&a, "  Communication                              (no row)", "80.0ms name, 46.8% name, 1 name");
	is(&a, "  Memory transfers: 0.001s (0.00GB, 1.0% of wall)", "2.00 GB bytes");
	is(&a, "    1. GEMM/matmul dominates (53%).", NULL);
	made_finish(&m);
}

/* Streams of 2021 were texts, and so were its categories others. */
static void the_names_of_2021(void **state)
{
	static const struct ts_trace_thread old = {.tid_text = NAME_STEP_1};
	struct ts_trace_answer answer;
	struct ts_peer_answer a;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 0, 90 * MS, TS_TRACE_NONE);
	m.trace.threads = &old;
	m.trace.n_threads = 1;
	assert_int_equal(ts_trace_answer(&m.trace, NULL, &m.arena, &answer, &m.err), TS_OK);
	assert_int_equal(ts_axolotl_trace(&m.trace, &answer, "X", &m.arena, &a, &m.err), TS_OK);
	assert_int_equal(a.n_lines, 1);
	is(&a, "  No CUDA kernel events found!", "1 unseen");
	made_finish(&m);
}

static void no_time_is_no_division(void **state)
{
	struct ts_peer_answer a;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 7, 7, TS_TRACE_NONE);
	run(&m, false, &a);
	is(&a, "  (it stops here with a division by zero", NULL);
	made_finish(&m);
}

/* A matrix product of 30 ms and an all-reduce of 10 ms, each launched by an operator and under an annotation of the device: Kempner has
 * 30 + 30 and 3 * 10 ms. "mm" is in ncclDevComm, and so the all-reduce is a matrix product to it. */
static void kempner_counts_thrice(void **state)
{
	struct ts_peer_answer a;
	struct made m;

	(void)state;
	made_begin(&m);
	m.names[NAME_STEP_1] = ts_span_str("aten::linear");
	m.names[NAME_STEP_2] = ts_span_str("nccl:all_reduce");
	made_add(&m, TS_TRACE_OPERATOR, NAME_STEP_1, 0, 0, 5 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, MS, 2 * MS, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 10 * MS, 40 * MS, 1);
	made_add(&m, TS_TRACE_OPERATOR, NAME_STEP_1, 0, 6 * MS, 9 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 7 * MS, 8 * MS, 2);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 0, 40 * MS, 50 * MS, 2);
	made_add(&m, TS_TRACE_DEVICE_ANNOTATION, NAME_STEP_2, 0, 40 * MS, 50 * MS, TS_TRACE_NONE);
	run(&m, true, &a);
	is(&a, "  Total CUDA time:    0.090 s", "0.040s twice");
	is(&a, "| MatMul/GEMM | 0.040 | 44.4 |", "0.030s name, 75.0% name");
	is(&a, "| Communication (NCCL) | 0.010 | 11.1 |", "25.0% name");
	is(&a, "| Other kernels | 0.040 | 44.4 |", "0.000s twice, 0.0% twice");
	is(&a, "| aten::linear | 40.0 | 44.4 | 2 | — |", "0.0ms twice, 0.0% twice");
	is(&a, "| volta_sgemm_128x64_nt | 30.0 | 33.3 | 1 | — |", "75.0% twice");
	made_finish(&m);
}

/* The cells of a row of torch's table, with one space between them. */
static const char *row_of(struct made *m, const struct ts_peer_answer *a, const char *name, const char **ret_right)
{
	for (size_t i = 0; i < a->n_lines; i++) {
		const char *at = a->lines[i].text + strspn(a->lines[i].text, " ");
		struct ts_buf out = TS_BUF_INIT(4096);
		const char *text;

		if (at == a->lines[i].text || strncmp(at, name, strlen(name)) != 0 || at[strlen(name)] != ' ')
			continue;
		for (; *at; at++)
			if (*at != ' ' || at[1] != ' ')
				ts_buf_char(&out, *at);
		ts_buf_char(&out, '\0');
		text = ts_arena_dup(&m->arena, out.data, out.len);
		ts_buf_finish(&out);
		*ret_right = a->lines[i].right;
		return text;
	}
	fail_msg("the table has no row %s", name);
	return NULL;
}

static void allocate(struct made *m, int64_t time_ns, int64_t bytes, uint32_t on)
{
	struct ts_trace_allocations *a = &m->one.allocations;

	ts_trace_rows_clear(&m->one);
	a->time_ns[0] = time_ns;
	a->address[0] = a->allocated[0] = a->reserved[0] = TS_TRACE_NONE;
	a->bytes[0] = bytes;
	a->thread[0] = on;
	a->device_type[0] = 0;
	a->device[0] = TS_TRACE_NO_DEVICE;
	a->n = 1;
	assert_int_equal(ts_trace_append(&m->trace, &m->one, &m->err), TS_OK);
}

/* aten::to within aten::to beside another one, and one that is alone in its like, which counts as that; what a second thread allocates
 * meanwhile. Times in us: to 0..100 holds to 10..30, whose call launched 40 of a kernel, and empty 50..90; sum 200..260 holds sum
 * 210..250. */
static void torchs_own_table(void **state)
{
	const char *right;
	struct ts_peer_answer a;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "aten::to", 0, 0, 100000);
	made_host(&m, TS_TRACE_OPERATOR, "aten::to", 0, 10000, 30000);
	made_call(&m, TS_TRACE_KERNEL, "volta_sgemm_128x64_nt", 7, 15000, 20000, 300000, 340000);
	made_host(&m, TS_TRACE_OPERATOR, "aten::empty", 0, 50000, 90000);
	made_host(&m, TS_TRACE_OPERATOR, "aten::sum", 0, 200000, 260000);
	made_host(&m, TS_TRACE_OPERATOR, "aten::sum", 0, 210000, 250000);
	made_host(&m, TS_TRACE_OPERATOR, "aten::is_leaf", 0, 400000, 500000);
	allocate(&m, 60000, 4096, 0);
	allocate(&m, 70000, 1024, 1);
	allocate(&m, 450000, -512, 0);
	run(&m, true, &a);
	/* The host's own times are 40 (to: 100 - 20 - 40), 15 (to within), 5 (the call), 40 and 60: 160. */
	assert_string_equal(row_of(&m, &a, "aten::to", &right),
			    "aten::to 34.38% 55.000us 75.00% 120.000us 60.000us 40.000us 100.00% 80.000us 40.000us 5.00 KB 0 B 2");
	assert_string_equal(right, "62.50% nested, 100.000us nested, 40.000us nested, 4.00 KB nested");
	assert_string_equal(row_of(&m, &a, "aten::empty", &right),
			    "aten::empty 25.00% 40.000us 25.00% 40.000us 40.000us 0.000us 0.00% 0.000us 0.000us 5.00 KB 5.00 KB 1");
	assert_string_equal(right, "4.00 KB thread, 4.00 KB thread");
	assert_string_equal(row_of(&m, &a, "aten::sum", &right),
			    "aten::sum 37.50% 60.000us 37.50% 60.000us 60.000us 0.000us 0.00% 0.000us 0.000us 0 B 0 B 1");
	assert_null(right);
	assert_string_equal(row_of(&m, &a, "[memory]", &right),
			    "[memory] 0.00% 0.000us 0.00% 0.000us 0.000us 0.000us 0.00% 0.000us 0.000us -512 B -512 B 1");
	is(&a, "Self CPU time total: 160.000us", NULL);
	is(&a, "Self CUDA time total: 40.000us", NULL);
	made_finish(&m);
}

static size_t line_with(const struct ts_peer_answer *a, const char *text)
{
	for (size_t i = 0; i < a->n_lines; i++)
		if (strstr(a->lines[i].text, text))
			return i;
	fail_msg("no line has \"%s\"", text);
	return 0;
}

/* Rows with as much time on devices come in the order of their begin, and what was freed between operators is one of them. */
static void memory_outside_stands_by_time(void **state)
{
	struct ts_peer_answer a;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "aten::relu", 0, 30000, 40000);
	made_host(&m, TS_TRACE_OPERATOR, "aten::to", 0, 0, 10000);
	allocate(&m, 50000, 512, 0);
	allocate(&m, 20000, -512, 0);
	run(&m, true, &a);
	assert_int_equal(line_with(&a, " [memory] "), line_with(&a, " aten::to ") + 1);
	assert_int_equal(line_with(&a, " aten::relu "), line_with(&a, " [memory] ") + 1);
	made_finish(&m);
}

/* "Activity Buffer Request" is a row of torch's, with the time that the profiler took there. */
static void what_the_profiler_took_is_a_row(void **state)
{
	const char *right;
	struct ts_peer_answer a;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "aten::to", 0, 0, 10000);
	made_host(&m, TS_TRACE_OVERHEAD, "Activity Buffer Request", 1, 5000, 35000);
	run(&m, true, &a);
	assert_string_equal(row_of(&m, &a, "Activity Buffer Request", &right),
			    "Activity Buffer Request 75.00% 30.000us 75.00% 30.000us 30.000us 1");
	is(&a, "Self CPU time total: 40.000us", NULL);
	made_finish(&m);
}

static void paths(void **state)
{
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 0);
	assert_string_equal(ts_axolotl_short_path(ts_span_str("/a/site-packages/torch/x.py"), &arena), "...torch/x.py");
	assert_string_equal(ts_axolotl_short_path(ts_span_str("/b/site-packages/c/site-packages/d.py"), &arena), "...c");
	assert_string_equal(ts_axolotl_short_path(ts_span_str("/w/axolotl/src/axolotl/x.py"), &arena), "axolotl/axolotl/x.py");
	assert_string_equal(ts_axolotl_short_path(ts_span_str("/short.py"), &arena), "/short.py");
	assert_string_equal(
		ts_axolotl_short_path(ts_span_str("/1234567890/1234567890/1234567890/1234567890/1234567890/123/x.py"), &arena),
		".../1234567890/123/x.py");
	ts_arena_finish(&arena);
}

static void a_full_arena_is_an_error(void **state)
{
	struct ts_trace_answer answer;
	struct ts_peer_answer a;
	struct made m;
	size_t failed = 0;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_OPERATOR, NAME_GEMM, 0, 0, 100 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 0, 90 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_COPY, NAME_NONE, 2, 90 * MS, 91 * MS, TS_TRACE_NONE);
	m.trace.threads = &thread;
	m.trace.n_threads = 1;
	assert_int_equal(ts_trace_answer(&m.trace, NULL, &m.arena, &answer, &m.err), TS_OK);
	for (int tool = 0; tool < 2; tool++) {
		for (size_t ceiling = 64;; ceiling += 256) {
			struct ts_arena small;
			enum ts_status status;

			ts_arena_init(&small, ceiling);
			status = tool ? ts_kempner(&m.trace, &answer, "traces", &small, &a, &m.err)
				      : ts_axolotl_trace(&m.trace, &answer, "X", &small, &a, &m.err);
			ts_arena_finish(&small);
			if (!status)
				break;
			assert_int_equal(m.err.status, TS_NO_MEMORY);
			failed++;
		}
	}
	assert_true(failed > 20);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(categories),
		cmocka_unit_test(flops),
		cmocka_unit_test(the_cut_and_the_steps),
		cmocka_unit_test(overlap_counts_twice),
		cmocka_unit_test(the_names_of_2021),
		cmocka_unit_test(no_time_is_no_division),
		cmocka_unit_test(kempner_counts_thrice),
		cmocka_unit_test(torchs_own_table),
		cmocka_unit_test(memory_outside_stands_by_time),
		cmocka_unit_test(what_the_profiler_took_is_a_row),
		cmocka_unit_test(paths),
		cmocka_unit_test(a_full_arena_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
