/* test_determinism.c - what records of real programs come to by the catalog: that it fails closed, and what each row waits for. With
 * --tables it prints those of docs/determinism.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/determinism/determinism.h"

#include <stdio.h>
#include <string.h>

enum { ARENA = 4 << 20 };

struct given {
	const char *path;
	const char *text; /* "true", "false" and whole numbers are values of these types */
};

struct seen {
	struct ts_arena arena;
	struct ts_determinism answer;
};

static struct ts_fact fact_of(const struct given *g)
{
	struct ts_fact fact = {
		.path = ts_span_str(g->path), .source = TS_SOURCE_FACTS_JSON, .type = TS_FACT_TEXT, .text = ts_span_str(g->text)};

	if (strcmp(g->text, "true") == 0 || strcmp(g->text, "false") == 0) {
		fact.type = TS_FACT_BOOL;
		fact.boolean = *g->text == 't';
		fact.text = ts_span_of(NULL, 0);
	} else if (strspn(g->text, "0123456789") == strlen(g->text) && strncmp(g->path, "determinism.env", 15) != 0) {
		fact.type = TS_FACT_INT;
		fact.text = ts_span_of(NULL, 0);
		for (const char *p = g->text; *p; p++)
			fact.integer = fact.integer * 10 + (*p - '0');
	}
	return fact;
}

/* Later facts of a path win, so that a case changes one of a whole record. */
static void ask(struct seen *s, uint32_t world, const struct given *const *lists, const char *const *ops)
{
	struct ts_facts facts = {.n = 0};
	struct ts_span names[16];
	struct ts_determinism_record record = {.facts = &facts, .world = world, .ops = names};
	struct ts_error err;

	ts_arena_init(&s->arena, ARENA);
	for (; *lists; lists++)
		for (const struct given *g = *lists; g->path; g++) {
			struct ts_fact fact = fact_of(g);

			assert_int_equal(ts_facts_add(&facts, &fact, &s->arena, &err), TS_OK);
		}
	(void)ts_facts_sort(&facts);
	for (; ops && *ops; ops++)
		names[record.n_ops++] = ts_span_str(*ops);
	assert_int_equal(ts_determinism_of(&record, &s->arena, &s->answer, &err), TS_OK);
}

static const struct ts_determinism_row *row_of(const struct seen *s, const char *name)
{
	for (size_t i = 0; i < s->answer.n; i++)
		if (ts_span_is(s->answer.rows[i].name, name))
			return &s->answer.rows[i];
	return NULL;
}

static void expect(const struct seen *s, const char *name, enum ts_hazard_state state)
{
	const struct ts_determinism_row *row = row_of(s, name);

	if (!row)
		fail_msg("there is no row '%s'", name);
	else if (row->state != state)
		fail_msg("'%s' is %s, not %s", name, ts_hazard_state_word(row->state), ts_hazard_state_word(state));
}

/* What the recorder of the package says of a loop on a host without GPU. */
static const struct given cpu[] = {
	{"libraries.torch", "2.13.0+cpu"},
	{"libraries.python", "3.11.7"},
	{"libraries.numpy", "2.4.6"},
	{"determinism.num_threads", "2"},
	{"determinism.use_deterministic_algorithms", "false"},
	{"determinism.deterministic_warn_only", "false"},
	{"determinism.cudnn_benchmark", "true"},
	{"determinism.flash_sdp", "true"},
	{"determinism.mem_efficient_sdp", "true"},
	{"session.environment", "HOME 0123456789abcdef"},
	{"session.generators.torch", "39c606d8b124c0b8"},
	{"seeds.torch", "0"},
	{NULL, NULL},
};
/* And of one on a GPU, with everything as it is when nobody has changed it. */
static const struct given gpu[] = {
	{"libraries.torch", "2.9.1+cu130"},
	{"libraries.python", "3.12.1"},
	{"determinism.num_threads", "16"},
	{"determinism.use_deterministic_algorithms", "false"},
	{"determinism.deterministic_warn_only", "false"},
	{"determinism.cudnn_benchmark", "false"},
	{"determinism.cudnn_deterministic", "false"},
	{"determinism.flash_sdp", "true"},
	{"determinism.mem_efficient_sdp", "true"},
	{"determinism.cudnn_sdp", "true"},
	{"determinism.matmul_allow_tf32", "true"},
	{"hardware.cuda_available", "true"},
	{"session.device", "cuda:0"},
	{"session.environment", "HOME 0123456789abcdef"},
	{"session.generators.torch", "39c606d8b124c0b8"},
	{"seeds.torch", "1"},
	{NULL, NULL},
};
static const struct given controlled[] = {
	{"determinism.use_deterministic_algorithms", "true"},
	{"determinism.env.CUBLAS_WORKSPACE_CONFIG", ":4096:8"},
	{"determinism.env.PYTHONHASHSEED", "0"},
	{"seeds.numpy", "0"},
	{"seeds.python", "0"},
	{"data.num_workers", "0"},
	{"determinism.cudnn_sdp", "false"},
	{NULL, NULL},
};
static const char *const plain_ops[] = {"aten.addmm.default", "aten.mm.default", "aten.relu.default", NULL};

/* A loop on a CPU: nothing of CUDA can act, whatever its flags are. What no record tells is unproved. */
static void test_cpu(void **state)
{
	static const struct given workers[] = {{"data.num_workers", "2"}, {"data.in_order", "false"}, {NULL, NULL}};
	struct seen s;

	(void)state;
	ask(&s, 1, (const struct given *const[]){cpu, NULL}, plain_ops);
	assert_int_equal(s.answer.breaks, 0);
	assert_int_equal(s.answer.exit_code, 3);
	expect(&s, "cuDNN benchmark", TS_HAZARD_IDLE);
	expect(&s, "deterministic algorithms", TS_HAZARD_IDLE);
	expect(&s, "NCCL algorithm", TS_HAZARD_IDLE);
	expect(&s, "hash seed of Python", TS_HAZARD_UNPROVED);
	expect(&s, "generator of Python", TS_HAZARD_UNPROVED);
	expect(&s, "generator of NumPy", TS_HAZARD_UNPROVED);
	expect(&s, "generator of torch", TS_HAZARD_CONTROLLED);
	expect(&s, "operations", TS_HAZARD_CONTROLLED);
	expect(&s, "number of threads", TS_HAZARD_CONTROLLED);
	expect(&s, "workers of a loader", TS_HAZARD_UNPROVED);
	expect(&s, "order of a loader's batches", TS_HAZARD_CONTROLLED);
	assert_int_equal(s.answer.unproved, 4);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){cpu, workers, NULL}, plain_ops);
	expect(&s, "workers of a loader", TS_HAZARD_UNPROVED);
	expect(&s, "order of a loader's batches", TS_HAZARD_BREAKS);
	assert_int_equal(s.answer.exit_code, 1);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){cpu, controlled, NULL}, plain_ops);
	expect(&s, "workers of a loader", TS_HAZARD_CONTROLLED);
	assert_int_equal(s.answer.exit_code, 0);
	ts_arena_finish(&s.arena);
}

/* Each of what was not recorded makes it unproved again. */
static void test_fails_closed(void **state)
{
	static const struct given newer[] = {{"libraries.torch", "2.99.0+cpu"}, {NULL, NULL}};
	static const struct given unreadable[] = {{"libraries.torch", "main"}, {NULL, NULL}};
	static const struct given nothing[] = {{NULL, NULL}};
	static const char *const custom[] = {"aten.mm.default", "my_kernels.fused_adam.default", NULL};
	static const char *const modules[] = {"0 (Linear)", NULL};
	struct seen s;

	(void)state;
	ask(&s, 1, (const struct given *const[]){nothing, NULL}, NULL);
	assert_int_equal(s.answer.exit_code, 3);
	expect(&s, "catalog", TS_HAZARD_UNPROVED);
	expect(&s, "operations", TS_HAZARD_UNPROVED);
	expect(&s, "cuBLAS workspace", TS_HAZARD_UNPROVED);
	expect(&s, "hash seed of Python", TS_HAZARD_UNPROVED);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){cpu, controlled, NULL}, NULL);
	assert_int_equal(s.answer.exit_code, 3);
	expect(&s, "operations", TS_HAZARD_UNPROVED);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){cpu, controlled, NULL}, custom);
	assert_int_equal(s.answer.exit_code, 3);
	assert_int_equal(s.answer.unproved, 1);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){cpu, controlled, NULL}, modules);
	assert_int_equal(s.answer.exit_code, 3);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){cpu, controlled, newer, NULL}, plain_ops);
	assert_int_equal(s.answer.exit_code, 3);
	expect(&s, "catalog", TS_HAZARD_UNPROVED);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){cpu, controlled, unreadable, NULL}, plain_ops);
	assert_int_equal(s.answer.exit_code, 3);
	ts_arena_finish(&s.arena);
	/* Of how many ranks there are nothing is known. */
	ask(&s, 0, (const struct given *const[]){cpu, controlled, NULL}, plain_ops);
	assert_int_equal(s.answer.exit_code, 3);
	expect(&s, "backend of collectives", TS_HAZARD_UNPROVED);
	ts_arena_finish(&s.arena);
}

static void test_gpu(void **state)
{
	static const struct given newer[] = {{"libraries.torch", "2.11.0+cu130"}, {NULL, NULL}};
	static const struct given bench[] = {{"determinism.cudnn_benchmark", "true"}, {NULL, NULL}};
	static const char *const ops[] = {"aten.mm.default",	 "aten.index_add_.default",	     "aten.scatter_.src",
					  "aten.scatter_.value", "aten.avg_pool3d_backward.default", NULL};
	static const struct given warns[] = {{"determinism.deterministic_warn_only", "true"}, {NULL, NULL}};
	struct seen s;

	(void)state;
	ask(&s, 1, (const struct given *const[]){gpu, NULL}, ops);
	assert_int_equal(s.answer.exit_code, 1);
	expect(&s, "deterministic algorithms", TS_HAZARD_BREAKS);
	expect(&s, "cuDNN deterministic", TS_HAZARD_BREAKS);
	expect(&s, "cuDNN benchmark", TS_HAZARD_CONTROLLED);
	expect(&s, "cuBLAS workspace", TS_HAZARD_BREAKS);
	expect(&s, "memory-efficient attention", TS_HAZARD_UNPROVED);
	expect(&s, "aten.index_add_.default", TS_HAZARD_BREAKS);
	expect(&s, "aten.scatter_.src", TS_HAZARD_UNPROVED);
	assert_null(row_of(&s, "aten.scatter_.value"));
	expect(&s, "TF32", TS_HAZARD_BREAKS); /* elsewhere: it decides nothing */
	assert_true(row_of(&s, "TF32")->elsewhere);
	assert_true(s.answer.rows[0].state == TS_HAZARD_BREAKS && !s.answer.rows[0].elsewhere);
	ts_arena_finish(&s.arena);
	/* From torch 2.10 on the variable is not needed where a process has one stream a handle. */
	ask(&s, 1, (const struct given *const[]){gpu, newer, NULL}, plain_ops);
	expect(&s, "cuBLAS workspace", TS_HAZARD_UNPROVED);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){gpu, controlled, NULL}, ops);
	expect(&s, "aten.index_add_.default", TS_HAZARD_CONTROLLED);
	expect(&s, "aten.avg_pool3d_backward.default", TS_HAZARD_CONTROLLED); /* it would have raised an error */
	expect(&s, "cuDNN deterministic", TS_HAZARD_CONTROLLED);
	expect(&s, "flash attention of torch", TS_HAZARD_CONTROLLED);
	assert_int_equal(s.answer.exit_code, 0);
	ts_arena_finish(&s.arena);
	/* With warn_only what has no deterministic form runs as it is. */
	ask(&s, 1, (const struct given *const[]){gpu, controlled, warns, NULL}, ops);
	expect(&s, "aten.avg_pool3d_backward.default", TS_HAZARD_BREAKS);
	expect(&s, "aten.index_add_.default", TS_HAZARD_CONTROLLED);
	assert_int_equal(s.answer.exit_code, 1);
	ts_arena_finish(&s.arena);
	/* No setting makes a choice by measured speed repeat. */
	ask(&s, 1, (const struct given *const[]){gpu, controlled, bench, NULL}, ops);
	assert_int_equal(s.answer.exit_code, 1);
	expect(&s, "cuDNN benchmark", TS_HAZARD_BREAKS);
	ts_arena_finish(&s.arena);
}

/* Between ranks, and libraries that have switches of their own. */
static void test_others(void **state)
{
	static const struct given nccl[] = {{"parallelism.backend", "nccl"}, {NULL, NULL}};
	static const struct given ring[] = {{"determinism.env.NCCL_ALGO", "Ring"}, {NULL, NULL}};
	static const struct given ucc[] = {{"parallelism.backend", "ucc"}, {NULL, NULL}};
	static const struct given engine[] = {{"libraries.transformer_engine", "2.8"}, {"libraries.flash_attn", "2.8.3"}, {NULL, NULL}};
	static const struct given tuned[] = {{"determinism.compiled.autotune.entries", "3"}, {NULL, NULL}};
	struct seen s;

	(void)state;
	ask(&s, 8, (const struct given *const[]){gpu, controlled, nccl, NULL}, plain_ops);
	expect(&s, "NCCL algorithm", TS_HAZARD_UNPROVED);
	expect(&s, "backend of collectives", TS_HAZARD_CONTROLLED);
	ts_arena_finish(&s.arena);
	ask(&s, 8, (const struct given *const[]){gpu, controlled, nccl, ring, NULL}, plain_ops);
	expect(&s, "NCCL algorithm", TS_HAZARD_CONTROLLED);
	assert_int_equal(s.answer.exit_code, 0);
	ts_arena_finish(&s.arena);
	ask(&s, 8, (const struct given *const[]){cpu, controlled, ucc, NULL}, plain_ops);
	expect(&s, "backend of collectives", TS_HAZARD_UNPROVED);
	expect(&s, "NCCL algorithm", TS_HAZARD_IDLE);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){gpu, controlled, engine, NULL}, plain_ops);
	expect(&s, "Transformer Engine", TS_HAZARD_BREAKS);
	expect(&s, "flash-attn", TS_HAZARD_UNPROVED);
	expect(&s, "XLA on GPUs", TS_HAZARD_IDLE);
	ts_arena_finish(&s.arena);
	/* torch 2.9 has no deterministic mode of Inductor. */
	ask(&s, 1, (const struct given *const[]){gpu, controlled, tuned, NULL}, plain_ops);
	expect(&s, "autotuning of compiled code", TS_HAZARD_BREAKS);
	ts_arena_finish(&s.arena);
}

/* A CPU adds in the order of its threads: with one there is one order. */
static void test_threads(void **state)
{
	static const struct given one[] = {{"determinism.num_threads", "1"}, {NULL, NULL}};
	static const char *const ops[] = {"aten._index_put_impl_.default", NULL};
	struct seen s;

	(void)state;
	ask(&s, 1, (const struct given *const[]){cpu, NULL}, ops);
	expect(&s, "aten._index_put_impl_.default", TS_HAZARD_UNPROVED);
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){cpu, one, NULL}, ops);
	assert_null(row_of(&s, "aten._index_put_impl_.default"));
	ts_arena_finish(&s.arena);
}

static void test_runs(void **state)
{
	struct ts_error err;
	struct seen s;

	(void)state;
	ask(&s, 1, (const struct given *const[]){gpu, NULL}, plain_ops);
	s.answer.ran = TS_RUNS_EQUAL;
	s.answer.steps = 4;
	s.answer.series = 3;
	assert_int_equal(ts_determinism_ran(&s.answer, &s.arena, &err), TS_OK);
	assert_int_equal(s.answer.exit_code, 3); /* equal, and known to differ now and then */
	ts_arena_finish(&s.arena);
	ask(&s, 1, (const struct given *const[]){cpu, NULL}, plain_ops);
	s.answer.ran = TS_RUNS_EQUAL;
	assert_int_equal(ts_determinism_ran(&s.answer, &s.arena, &err), TS_OK);
	assert_int_equal(s.answer.exit_code, 0);
	s.answer.ran = TS_RUNS_DIFFER;
	assert_int_equal(ts_determinism_ran(&s.answer, &s.arena, &err), TS_OK);
	assert_int_equal(s.answer.exit_code, 1);
	s.answer.ran = TS_RUNS_UNKNOWN;
	assert_int_equal(ts_determinism_ran(&s.answer, &s.arena, &err), TS_OK);
	assert_int_equal(s.answer.exit_code, 3);
	ts_arena_finish(&s.arena);
}

/* Every row says what it is and where that is from. */
static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ts_hazards_n; i++) {
		const struct ts_hazard *h = &ts_hazards[i];

		if (!h->name || !h->paths[0] || !h->says || !h->prevent || !h->source || strncmp(h->source, "https://", 8) != 0)
			fail_msg("row %zu of the settings is not whole", i);
	}
	for (size_t i = 0; i < ts_hazard_ops_n; i++)
		if (!ts_hazard_ops[i].aten[0] || (!ts_hazard_ops[i].listed[0] && !ts_hazard_ops[i].source))
			fail_msg("row %zu of the operations is not whole", i);
}

static void tables(struct ts_buf *out)
{
	ts_hazards_markdown(out);
	ts_buf_str(out, "\n");
	ts_hazard_ops_markdown(out);
	ts_buf_u8(out, 0);
	assert_false(out->failed);
}

static void test_document(void **state)
{
	static char text[1 << 18];
	struct ts_buf want = TS_BUF_INIT(1 << 18);
	FILE *f = fopen("docs/determinism.md", "rb");

	(void)state;
	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	(void)fclose(f);
	ts_hazards_markdown(&want);
	ts_buf_u8(&want, 0);
	if (!strstr(text, (const char *)want.data))
		fail_msg("docs/determinism.md has another table of settings; test_determinism --tables prints it");
	ts_buf_reset(&want);
	ts_hazard_ops_markdown(&want);
	ts_buf_u8(&want, 0);
	if (!strstr(text, (const char *)want.data))
		fail_msg("docs/determinism.md has another table of operations; test_determinism --tables prints it");
	ts_buf_finish(&want);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),    cmocka_unit_test(test_fails_closed), cmocka_unit_test(test_gpu),
		cmocka_unit_test(test_others), cmocka_unit_test(test_threads),	    cmocka_unit_test(test_runs),
		cmocka_unit_test(test_rows),   cmocka_unit_test(test_document),
	};

	if (argc == 2 && strcmp(argv[1], "--tables") == 0) {
		struct ts_buf out = TS_BUF_INIT(1 << 18);

		tables(&out);
		printf("%s", (const char *)out.data);
		ts_buf_finish(&out);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
