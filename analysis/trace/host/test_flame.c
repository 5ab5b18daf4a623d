/* flame.h: stacks that were merged on paper, what of them a picture shows, and random ones whose weights must add up. */
#include "analysis/trace/host/flame.h"

#include "analysis/stats/random.h"
#include "analysis/trace/host/trace_host.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_flame flame_of(struct made *m, struct ts_nest *nest, struct ts_host_names *names)
{
	struct ts_host_waits waits;
	struct ts_timelines lines;
	struct ts_flame flame;

	if (ts_nest(&m->trace, &m->arena, nest, &m->err) || ts_timelines(&m->trace, &m->arena, &lines, &m->err) ||
	    ts_host_names(&m->trace, &m->arena, names, &m->err) || ts_host_waits(&m->trace, nest, &lines, &m->arena, &waits, &m->err) ||
	    ts_flame(&m->trace, nest, names, waits.waiting, &m->arena, &flame, &m->err))
		fail_msg("%s", m->err.text);
	return flame;
}

static const struct ts_flame_node *find(const struct ts_flame *f, const char *parent, const char *name)
{
	for (size_t i = 1; i < f->n; i++)
		if (ts_span_is(f->nodes[i].name, name) && ts_span_is(f->nodes[f->nodes[i].parent].name, parent))
			return &f->nodes[i];
	fail_msg("no %s in %s", name, parent);
	return NULL;
}

static void check(const struct ts_flame_node *n, enum ts_flame_kind kind, uint64_t count, uint64_t self, uint64_t ns, uint64_t device)
{
	assert_int_equal(n->kind, kind);
	assert_int_equal(n->count, count);
	assert_int_equal(n->self_ns[TS_FLAME_HOST], self);
	assert_int_equal(n->ns[TS_FLAME_HOST], ns);
	assert_int_equal(n->ns[TS_FLAME_DEVICE], device);
}

/* Two steps of the same stack, one call of which waits. */
static void make(struct made *m)
{
	for (int step = 0; step < 2; step++) {
		int64_t at = 100 * step;

		made_host(m, TS_TRACE_ANNOTATION, step ? "ProfilerStep#2" : "ProfilerStep#1", 0, at, at + 100);
		made_host(m, TS_TRACE_PYTHON, "train.py(7): main", 0, at + 10, at + 90);
		made_host(m, TS_TRACE_OPERATOR, "aten::mm", 0, at + 20, at + 50);
		made_add(m, TS_TRACE_RUNTIME, made_name(m, "cudaLaunchKernel"), 0, at + 30, at + 34, step);
		made_add(m, TS_TRACE_KERNEL, NAME_GEMM, 0, at + 40, at + 80, step);
		made_host(m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, at + 60, at + 80);
	}
	made_host(m, TS_TRACE_OPERATOR, "aten::mm", 1, 0, 1);
	made_add(m, TS_TRACE_KERNEL, NAME_GEMM, 0, 300, 307, 9); /* of no call */
}

static void on_paper(void **state)
{
	const struct ts_flame_node *main, *mm;
	struct ts_host_names names;
	struct ts_flame flame;
	struct ts_nest nest;
	struct made m;

	(void)state;
	made_begin(&m);
	make(&m);
	flame = flame_of(&m, &nest, &names);
	assert_int_equal(flame.n, 1 + 2 + 4 + 1);
	assert_int_equal(flame.unlaunched_ns, 7);
	assert_int_equal(flame.nodes[0].ns[TS_FLAME_HOST], 161);
	assert_int_equal(flame.nodes[0].ns[TS_FLAME_DEVICE], 80);
	assert_int_equal(flame.nodes[0].below[TS_FLAME_HOST], 8);
	assert_int_equal(flame.nodes[0].below[TS_FLAME_DEVICE], 5);
	main = find(&flame, "", "train.py(7): main");
	check(main, TS_FLAME_PYTHON, 2, 60, 160, 80);
	check(&flame.nodes[main->parent], TS_FLAME_THREADS, 1, 0, 160, 80);
	assert_int_equal(flame.nodes[main->parent].name_id, TS_HOST_MAIN);
	mm = find(&flame, "train.py(7): main", "aten::mm");
	check(mm, TS_FLAME_OPERATOR, 2, 52, 60, 80);
	check(find(&flame, "aten::mm", "cudaLaunchKernel"), TS_FLAME_CALL, 2, 8, 8, 80);
	check(find(&flame, "train.py(7): main", "cudaStreamSynchronize"), TS_FLAME_WAIT, 2, 40, 40, 0);
	check(find(&flame, "", "aten::mm"), TS_FLAME_OPERATOR, 1, 1, 1, 0);
	made_finish(&m);
}

/* A step that stands in a function is that function's time, and no call of it. */
static void step_in_a_function(void **state)
{
	struct ts_host_names names;
	struct ts_flame flame;
	struct ts_nest nest;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_PYTHON, "train.py(7): main", 0, 0, 100);
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#2", 0, 10, 90);
	made_host(&m, TS_TRACE_OPERATOR, "aten::mm", 0, 20, 50);
	flame = flame_of(&m, &nest, &names);
	check(find(&flame, "", "train.py(7): main"), TS_FLAME_PYTHON, 1, 70, 100, 0);
	check(find(&flame, "train.py(7): main", "aten::mm"), TS_FLAME_OPERATOR, 1, 30, 30, 0);
	made_finish(&m);
}

static void frame(const struct ts_flame *f, const struct ts_flame_frame *got, const char *name, uint32_t folded, uint64_t left,
		  uint64_t width)
{
	if (!ts_span_is(f->nodes[got->node].name, name))
		fail_msg("%.*s and not %s", TS_SPAN_ARG(f->nodes[got->node].name), name);
	assert_int_equal(got->folded, folded);
	assert_int_equal(got->left, left);
	assert_int_equal(got->width, width);
}

static void picture(void **state)
{
	struct ts_host_names names;
	struct ts_flame_view view;
	struct ts_flame flame;
	struct ts_nest nest;
	struct made m;

	(void)state;
	made_begin(&m);
	make(&m);
	flame = flame_of(&m, &nest, &names);
	assert_int_equal(ts_flame_look(&flame, TS_FLAME_HOST, 100, 100, &m.arena, &view, &m.err), TS_OK);
	assert_int_equal(view.whole, 161);
	assert_int_equal(view.n, 7);
	assert_int_equal(view.folded, 0);
	assert_int_equal(view.deepest, 4);
	frame(&flame, &view.frames[0], "", 0, 0, 160);
	frame(&flame, &view.frames[1], "", 0, 160, 1);
	frame(&flame, &view.frames[2], "train.py(7): main", 0, 0, 160);
	frame(&flame, &view.frames[3], "aten::mm", 0, 160, 1);
	frame(&flame, &view.frames[4], "aten::mm", 0, 0, 60);
	frame(&flame, &view.frames[5], "cudaStreamSynchronize", 0, 60, 40);
	frame(&flame, &view.frames[6], "cudaLaunchKernel", 0, 0, 8);
	/* Three frames: the widest. mm and the wait are 100 wide together, and stand folded in main. */
	assert_int_equal(ts_flame_look(&flame, TS_FLAME_HOST, 2, 100, &m.arena, &view, &m.err), TS_OK);
	assert_int_equal(view.least, 61);
	assert_int_equal(view.n, 3);
	assert_int_equal(view.folded, 5);
	frame(&flame, &view.frames[2], "train.py(7): main", 3, 0, 100);
	/* Two levels: the rest is folded, too. */
	assert_int_equal(ts_flame_look(&flame, TS_FLAME_DEVICE, 100, 2, &m.arena, &view, &m.err), TS_OK);
	assert_int_equal(view.whole, 80);
	assert_int_equal(view.n, 3);
	frame(&flame, &view.frames[2], "train.py(7): main", 2, 0, 80);
	made_finish(&m);
}

static void nothing(void **state)
{
	struct ts_host_names names;
	struct ts_flame_view view;
	struct ts_flame flame;
	struct ts_nest nest;
	struct made m;

	(void)state;
	made_begin(&m);
	flame = flame_of(&m, &nest, &names);
	assert_int_equal(flame.n, 1);
	assert_int_equal(ts_flame_look(&flame, TS_FLAME_HOST, 100, 100, &m.arena, &view, &m.err), TS_OK);
	assert_int_equal(view.whole, 0);
	assert_int_equal(view.n, 0);
	made_finish(&m);
}

/* One call launches a graph, twice: its kernels stand below it by name, and have no time of the host. */
static void graph_goes_on_to_its_kernels(void **state)
{
	struct ts_host_names names;
	struct ts_flame flame;
	struct ts_nest nest;
	struct made m;

	(void)state;
	made_begin(&m);
	for (int64_t i = 0; i < 2; i++) {
		int64_t at = 100 * i;

		made_add(&m, TS_TRACE_RUNTIME, made_name(&m, "cudaGraphLaunch"), 0, at, at + 10, i + 1);
		made_add(&m, TS_TRACE_KERNEL, made_name(&m, "gemm"), 0, at + 20, at + 50, i + 1);
		made_add(&m, TS_TRACE_KERNEL, made_name(&m, "norm"), 0, at + 50, at + 55, i + 1);
		made_add(&m, TS_TRACE_KERNEL, made_name(&m, "gemm"), 0, at + 55, at + 60, i + 1);
	}
	flame = flame_of(&m, &nest, &names);
	check(find(&flame, "", "cudaGraphLaunch"), TS_FLAME_CALL, 2, 20, 20, 80);
	check(find(&flame, "cudaGraphLaunch", "gemm"), TS_FLAME_KERNEL, 4, 0, 0, 70);
	check(find(&flame, "cudaGraphLaunch", "norm"), TS_FLAME_KERNEL, 2, 0, 0, 10);
	assert_int_equal(find(&flame, "", "cudaGraphLaunch")->self_ns[TS_FLAME_DEVICE], 0);
	assert_int_equal(flame.nodes[0].ns[TS_FLAME_DEVICE], 80);
	made_finish(&m);
}

/* All self times of the host are the whole, as host_sums.c has them; frames never overlap, and lie within their parents. */
static void adds_up(void **state)
{
	static const char *const words[] = {"a", "b", "c"};
	struct ts_random random;

	(void)state;
	ts_random_init(&random, 16);
	for (int round = 0; round < 100; round++) {
		struct ts_host_names names;
		struct ts_host_sums sums;
		struct ts_flame_view view;
		struct ts_flame flame;
		struct ts_nest nest;
		struct made m;
		uint64_t sum = 0;

		made_begin(&m);
		for (int i = 0; i < 60; i++) {
			int64_t at = (int64_t)ts_random_below(&random, 100), len = (int64_t)ts_random_below(&random, 90);

			made_host(&m, ts_random_below(&random, 2) ? TS_TRACE_OPERATOR : TS_TRACE_PYTHON,
				  words[ts_random_below(&random, 3)], ts_random_below(&random, 3), at, at + len);
		}
		flame = flame_of(&m, &nest, &names);
		assert_int_equal(ts_host_sums(&m.trace, &nest, &names, &m.arena, &sums, &m.err), TS_OK);
		for (size_t i = 0; i < sums.n_operators; i++)
			sum += sums.operators[i].self_ns;
		for (size_t i = 0; i < sums.n_python; i++)
			sum += sums.python[i].self_ns;
		assert_int_equal(flame.nodes[0].ns[TS_FLAME_HOST], sum);
		assert_int_equal(ts_flame_look(&flame, TS_FLAME_HOST, 20, 6, &m.arena, &view, &m.err), TS_OK);
		for (size_t i = 0; i < view.n; i++)
			for (size_t k = 0; k < view.n; k++) {
				const struct ts_flame_frame *x = &view.frames[i], *y = &view.frames[k];
				bool apart = x->left + x->width <= y->left || y->left + y->width <= x->left;

				if (i != k && x->depth == y->depth)
					assert_true(apart);
				if (!y->folded && (x->folded ? x->node : flame.nodes[x->node].parent) == y->node)
					assert_true(x->left >= y->left && x->left + x->width <= y->left + y->width);
			}
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper), cmocka_unit_test(step_in_a_function), cmocka_unit_test(picture), cmocka_unit_test(nothing),
		cmocka_unit_test(adds_up), cmocka_unit_test(graph_goes_on_to_its_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
