/* work_marks.c: recomputation, optimizer, attention, compiled regions, found on paper. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_work_marks marks_of(struct made *m)
{
	struct ts_work_marks out;
	struct ts_device_work work;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_device_work(&m->trace, &nest, &m->arena, &work, &m->err) ||
	    ts_work_marks(&m->trace, &nest, &work, &m->arena, &out, &m->err))
		fail_msg("%s", m->err.text);
	return out;
}

static void kernel(struct made *m, int64_t call, int64_t ns)
{
	made_launch(m, TS_TRACE_KERNEL, "gemm", 7, call, 10000 + call, 10000 + call + ns);
}

/* The reentrant form: the forward pass runs again in CheckpointFunctionBackward, then its backward pass, whose node ends that. */
static void reentrant(void **state)
{
	struct ts_work_marks w;
	struct made m;

	(void)state;
	made_begin(&m);
	made_operator(&m, "autograd::engine::evaluate_function: CheckpointFunctionBackward", 0, 0, 100, 4, 1);
	made_operator(&m, "CheckpointFunctionBackward", 0, 1, 99, 4, 1);
	made_operator(&m, "aten::addmm", 0, 10, 20, 50, 0);
	kernel(&m, 12, 30);
	made_operator(&m, "autograd::engine::evaluate_function: AddmmBackward0", 0, 40, 60, 50, 1);
	made_host(&m, TS_TRACE_OPERATOR, "aten::mm", 0, 42, 50);
	kernel(&m, 44, 500);
	made_operator(&m, "autograd::engine::evaluate_function: MulBackward0", 0, 110, 120, 3, 1);
	kernel(&m, 112, 7000);
	w = marks_of(&m);
	assert_int_equal(w.recomputed.count, 1);
	assert_int_equal(w.recomputed.ns, 30);
	assert_int_equal(w.rebuilt.count, 0);
	made_finish(&m);
}

/* The other form runs the forward pass within the node that first needs it. With Python functions it is named; without, the operators
 * that build a graph within the node say it. */
static void saved_tensors(void **state)
{
	for (int named = 0; named < 2; named++) {
		struct ts_work_marks w;
		struct made m;

		(void)state;
		made_begin(&m);
		made_operator(&m, "aten::linear", 0, -50, -40, 2, 0);
		kernel(&m, -45, 90000);
		made_operator(&m, "autograd::engine::evaluate_function: AddmmBackward0", 0, 0, 100, 8, 1);
		if (named)
			made_host(&m, TS_TRACE_PYTHON, "torch/utils/checkpoint.py(1100): unpack_hook", 0, 1, 50);
		made_operator(&m, "aten::linear", 0, 2, 40, 70, 0);
		made_host(&m, TS_TRACE_OPERATOR, "aten::addmm", 0, 3, 30);
		kernel(&m, 5, 20);
		made_host(&m, TS_TRACE_OPERATOR, "aten::mm", 0, 60, 70); /* the backward pass, which builds none */
		kernel(&m, 62, 4000);
		w = marks_of(&m);
		assert_true(w.has_sequences);
		assert_int_equal(w.recomputed.ns, named ? 20 : 0);
		assert_int_equal(w.rebuilt.ns, named ? 0 : 20);
		made_finish(&m);
	}
}

/* A function that is named recompute elsewhere is none of checkpoints. */
static void not_recomputed(void **state)
{
	struct ts_work_marks w;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_PYTHON, "train.py(12): recompute_metrics", 0, 0, 50);
	made_host(&m, TS_TRACE_OPERATOR, "aten::recompute_scale", 0, 1, 40);
	kernel(&m, 5, 20);
	w = marks_of(&m);
	assert_int_equal(w.recomputed.count, 0);
	assert_false(w.has_sequences);
	made_finish(&m);
}

static void optimizers(void **state)
{
	struct ts_work_marks w;
	struct made m;

	(void)state;
	made_begin(&m);
	for (int64_t at = 0; at < 200; at += 100) {
		made_host(&m, TS_TRACE_ANNOTATION, "Optimizer.step#AdamW.step", 0, at, at + 90);
		made_host(&m, TS_TRACE_OPERATOR, "aten::_foreach_add_", 0, at + 10, at + 20);
		kernel(&m, at + 12, 10);
		made_host(&m, TS_TRACE_OPERATOR, "aten::add_", 0, at + 30, at + 40);
		kernel(&m, at + 32, 3);
		made_host(&m, TS_TRACE_OPERATOR, "aten::_fused_adamw_", 0, at + 50, at + 60);
		kernel(&m, at + 52, 100);
	}
	made_host(&m, TS_TRACE_ANNOTATION, "Optimizer.step#FusedAdam.step", 0, 300, 390);
	made_launch(&m, TS_TRACE_KERNEL, "void multi_tensor_apply_kernel<AdamFunctor>(int)", 7, 310, 20000, 20050);
	made_host(&m, TS_TRACE_ANNOTATION, "Optimizer.zero_grad#AdamW.zero_grad", 0, 400, 490);
	kernel(&m, 410, 9999);
	w = marks_of(&m);
	assert_int_equal(w.n_optimizers, 2);
	assert_true(ts_span_is(w.optimizers[0].name, "Optimizer.step#AdamW.step"));
	assert_int_equal(w.optimizers[0].count, 2);
	assert_int_equal(w.optimizers[0].sum.ns, 226);
	assert_int_equal(w.optimizers[0].fused.ns, 200);
	assert_int_equal(w.optimizers[0].foreach.ns, 20);
	assert_int_equal(w.optimizers[0].each.ns, 6);
	assert_int_equal(w.optimizers[1].foreach.ns, 50);
	made_finish(&m);
}

/* The operators of one implementation call each other; math calls products. */
static void attention(void **state)
{
	struct ts_work_marks w;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "aten::scaled_dot_product_attention", 0, 0, 100);
	made_host(&m, TS_TRACE_OPERATOR, "aten::_scaled_dot_product_flash_attention", 0, 10, 90);
	made_host(&m, TS_TRACE_OPERATOR, "aten::_flash_attention_forward", 0, 20, 80);
	kernel(&m, 30, 11);
	made_host(&m, TS_TRACE_OPERATOR, "aten::_scaled_dot_product_attention_math", 0, 110, 190);
	made_host(&m, TS_TRACE_OPERATOR, "aten::bmm", 0, 120, 130);
	kernel(&m, 122, 22);
	made_host(&m, TS_TRACE_OPERATOR, "aten::_scaled_dot_product_efficient_attention_backward", 0, 210, 290);
	kernel(&m, 222, 33);
	w = marks_of(&m);
	assert_int_equal(w.n_found, 3);
	assert_string_equal(ts_attention_word(w.found[0].attention), "flash");
	assert_int_equal(w.found[0].count, 1);
	assert_int_equal(w.found[0].sum.ns, 11);
	assert_string_equal(ts_attention_word(w.found[1].attention), "efficient_backward");
	assert_int_equal(w.found[1].sum.ns, 33);
	assert_string_equal(ts_attention_word(w.found[2].attention), "math");
	assert_int_equal(w.found[2].sum.ns, 22);
	made_finish(&m);
}

/* An operator of 10 ns with a kernel of so many. */
static void single(struct made *m, int64_t at, const char *name, const char *shapes, int64_t ns)
{
	made_host(m, TS_TRACE_OPERATOR, name, 0, at, at + 10);
	made_arguments(m, shapes, "", "");
	kernel(m, at + 2, ns);
}

/* Of 2 x 3 heads, 5 queries, 7 keys of size 4: a product, its scaling, a softmax over four dimensions, a product of the scores. */
static void single_operations(void **state)
{
	static const struct {
		const char *scores, *softmax, *values;
		int64_t found;
	} cases[] = {
		{"[[6,5,4],[6,4,7]]", "[[2,3,5,7],[],[]]", "[[6,5,7],[6,7,4]]", 11110},
		{"[[6,5,4],[6,4,7],[]]", "[[6,5,7],[],[]]", "[[6,5,7],[6,7,4],[]]", 11110},
		{"[[6,5,4],[6,4,7]]", "[[2,3,6,7],[],[]]", "[[6,5,7],[6,7,4]]", 0},
		{"[[6,5,4],[6,4,7]]", "[[2,3,5,8],[],[]]", "[[6,5,7],[6,7,4]]", 0},
		{"[[6,5,4],[6,4,7]]", "[[2,2,5,7],[],[]]", "[[6,5,7],[6,7,4]]", 0},
		{"[[6,5,4],[6,4,7]]", "[[5,7],[],[]]", "[[6,5,7],[6,7,4]]", 0},
		{"[[6,5,4],[6,4,7]]", "[[2,3,5,7],[],[]]", "[[6,5,6],[6,6,4]]", 0},
		{"[[6,5,4],[6,3,7]]", "[[2,3,5,7],[],[]]", "[[6,5,7],[6,7,4]]", 0},
		{"", "[[2,3,5,7],[],[]]", "[[6,5,7],[6,7,4]]", -1}, /* not known */
		{"[[6,5,4],[6,4,7]]", "", "[[6,5,7],[6,7,4]]", -1},
		{"[[6,5,4],[6,4,7]]", "[[2,3,5,7],[],[]]", "", -1},
		{"", "", "", -1},
		{"[[6,5,4],[6,4,7]]", "[[2,3,5,-7],[],[]]", "[[6,5,7],[6,7,4]]", 0},
		{"[[6,5,4],[6,4,99999999999999999999]]", "[[2,3,5,7],[],[]]", "[[6,5,7],[6,7,4]]", 0},
		{"[[[6,5,4]],[6,4,7]]", "[[2,3,5,7],[],[]]", "[[6,5,7],[6,7,4]]", 0},
	};
	struct ts_work_marks w;
	struct made m;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		made_begin(&m);
		single(&m, 0, "aten::mm", "[[5,4],[4,7]]", 100000);
		single(&m, 10, "aten::bmm", cases[i].scores, 10);
		single(&m, 20, "aten::mul", "[[6,5,7],[]]", 100);
		single(&m, 30, "aten::_softmax", cases[i].softmax, 1000);
		single(&m, 40, "aten::bmm", cases[i].values, 10000);
		single(&m, 50, "aten::mm", "[[5,4],[4,7]]", 100000);
		w = marks_of(&m);
		assert_int_equal(w.n_found, cases[i].found > 0);
		assert_int_equal(w.unsaid_attention, cases[i].found < 0);
		if (cases[i].found > 0) {
			assert_string_equal(ts_attention_word(w.found[0].attention), "single_operations");
			assert_int_equal(w.found[0].count, 1);
			assert_int_equal(w.found[0].sum.ns, cases[i].found);
			assert_int_equal(w.found[0].sum.count, 4);
		}
		made_finish(&m);
	}
	/* Twice; the first product of the one thread is no part of what the other does, and what math launched is only its. */
	made_begin(&m);
	for (int64_t at = 0; at < 200; at += 100) {
		single(&m, at + 10, "aten::baddbmm", "[[6,5,7],[6,5,4],[6,4,7]]", 10);
		single(&m, at + 30, "aten::_softmax", "[[2,3,5,7]]", 1000);
		single(&m, at + 40, "aten::bmm", "[[6,5,7],[6,7,4]]", 10000);
	}
	made_host(&m, TS_TRACE_OPERATOR, "aten::_softmax", 1, 0, 10);
	made_arguments(&m, "[[2,3,5,7]]", "", "");
	made_host(&m, TS_TRACE_OPERATOR, "aten::bmm", 1, 10, 20);
	made_arguments(&m, "[[6,5,7],[6,7,4]]", "", "");
	made_host(&m, TS_TRACE_OPERATOR, "aten::_scaled_dot_product_attention_math", 0, 300, 390);
	single(&m, 310, "aten::bmm", "[[6,5,4],[6,4,7]]", 10);
	single(&m, 330, "aten::_softmax", "[[2,3,5,7]]", 1000);
	single(&m, 340, "aten::bmm", "[[6,5,7],[6,7,4]]", 10000);
	w = marks_of(&m);
	assert_int_equal(w.n_found, 2);
	assert_string_equal(ts_attention_word(w.found[0].attention), "math");
	assert_int_equal(w.found[0].sum.ns, 11010);
	assert_string_equal(ts_attention_word(w.found[1].attention), "single_operations");
	assert_int_equal(w.found[1].count, 2);
	assert_int_equal(w.found[1].sum.ns, 22020);
	made_finish(&m);
}

static void regions(void **state)
{
	struct ts_work_marks w;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_ANNOTATION, "Torch-Compiled Region: 0/0", 0, 0, 100);
	made_host(&m, TS_TRACE_OPERATOR, "Torch-Compiled Region: 1/2", 0, 10, 50);
	kernel(&m, 12, 5);
	kernel(&m, 60, 3);
	made_host(&m, TS_TRACE_OPERATOR, "Torch-Compiled Region: 1/2", 0, 110, 150);
	kernel(&m, 112, 7);
	made_host(&m, TS_TRACE_OPERATOR, "_compile.compile_inner (dynamo_timed)", 0, 200, 300);
	made_host(&m, TS_TRACE_OPERATOR, "compile_fx.<locals>.fw_compiler_base (dynamo_timed)", 0, 210, 290);
	made_host(&m, TS_TRACE_RUNTIME, "cudaGraphLaunch", 0, 400, 410);
	w = marks_of(&m);
	assert_int_equal(w.n_regions, 2);
	assert_true(ts_span_is(w.regions[0].name, "Torch-Compiled Region: 1/2"));
	assert_int_equal(w.regions[0].compilation, 2);
	assert_int_equal(w.regions[0].count, 2);
	assert_int_equal(w.regions[0].sum.ns, 12); /* the other has what it launched itself */
	assert_int_equal(w.regions[1].sum.ns, 3);
	assert_int_equal(w.recompiled, 1);
	assert_int_equal(w.compiling, 1);
	assert_int_equal(w.compile_ns, 100);
	assert_int_equal(w.graph_launches, 1);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reentrant),  cmocka_unit_test(saved_tensors), cmocka_unit_test(not_recomputed),
		cmocka_unit_test(optimizers), cmocka_unit_test(attention),     cmocka_unit_test(single_operations),
		cmocka_unit_test(regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
