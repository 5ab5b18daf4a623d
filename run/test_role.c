#include "base/limits.h"
#include "run/role.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_roles(const char *const *names, size_t n, enum ts_role role)
{
	for (size_t i = 0; i < n; i++)
		if (ts_role_of(ts_span_str(names[i]), NULL) != role)
			fail_msg("%s is %s", names[i], ts_role_name(ts_role_of(ts_span_str(names[i]), NULL)));
}

#define COUNT(names) (sizeof(names) / sizeof(names)[0])

static void test_names(void **unused)
{
	static const char *const trajectory[] = {
		"scalars.loss",
		"scalars.Loss",
		"scalars.train/loss",
		"scalars.val-loss",
		"scalars.eval.loss",
		"scalars.loss_scale",
		"scalars.grad_norm",
		"scalars.gradient-norm",
		"scalars.lr",
		"scalars.learning_rate",
		"scalars.accuracy",
		"scalars.top1_acc",
		"scalars.acc",
		"scalars.perplexity",
		"digests.weights",
		"samples",
		"tokens",
		"epoch",
		"tags.note",
		"scalars.a\\.loss",
		"eval.ema_loss",
		"eval.bleu", /* whatever an evaluation measures */
		"val.top1",
		"test.wer",
		"scalars.eval/bleu",
		"scalars.validation_f1",
	};
	static const char *const observation[] = {
		"timestamp",
		"segment",
		"phases.forward",
		"phases.x.y",
		"regions.evaluate",
		"memory.alloc",
		"scalars.step_time",
		"scalars.loss_time",
		"scalars.forward_ms",
		"scalars.io_seconds",
		"scalars.train_runtime",
		"scalars.throughput",
		"scalars.tokens_per_sec",
		"scalars.tokens_per_second",
		"scalars.samples_per_sec_gpu",
		"scalars.tps",
		"scalars.MFU",
		"scalars.hfu",
		"scalars.tflops",
		"scalars.gpu_utilization",
		"scalars.peak_memory",
		"scalars.it/s",
		"scalars.tok/s",
		"scalars.sec_per_it",
		"scalars.images_per_s",
		"scalars.wall",
		"scalars.wall-clock",
		"scalars.data_wait",
		"scalars.eta",
		"eval.runtime", /* what an evaluation costs */
		"eval.samples_per_second",
		"scalars.eval_steps_per_second",
	};
	static const char *const unknown[] = {
		"scalars.foo", "scalars.glossy",   "extra.loss",       "scalars.lossy", "scalars.", "scalars",		 "",
		"loss",	       "scalars.loss.foo", "scalars.accident", "phases",	"evals.x",  "scalars.evaluator", "eval",
	};

	(void)unused;
	assert_roles(trajectory, COUNT(trajectory), TS_ROLE_TRAJECTORY);
	assert_roles(observation, COUNT(observation), TS_ROLE_OBSERVATION);
	assert_roles(unknown, COUNT(unknown), TS_ROLE_UNKNOWN);
}

static struct ts_fact text_fact(const char *path, const char *text)
{
	return (struct ts_fact){.path = ts_span_str(path),
				.type = TS_FACT_TEXT,
				.source = TS_SOURCE_FACTS_JSON,
				.text = ts_span_str(text)};
}

static void test_declared_before_named(void **unused)
{
	struct ts_fact items[] = {
		text_fact("columns.scalars.foo.role", "trajectory"),
		text_fact("columns.scalars\\.loss.role", "observation"),
		text_fact("columns.scalars\\.lr.role", "no such role"),
		text_fact("columns.scalars\\.mfu.role", "unknown"),
	};
	struct ts_facts facts = {.items = items, .n = 4};

	(void)unused;
	ts_facts_sort(&facts);
	assert_int_equal(ts_role_of(ts_span_str("scalars.foo"), &facts), TS_ROLE_TRAJECTORY);
	assert_int_equal(ts_role_of(ts_span_str("scalars.loss"), &facts), TS_ROLE_OBSERVATION);
	assert_int_equal(ts_role_of(ts_span_str("scalars.lr"), &facts), TS_ROLE_TRAJECTORY);
	assert_int_equal(ts_role_of(ts_span_str("scalars.mfu"), &facts), TS_ROLE_UNKNOWN);
	assert_int_equal(ts_role_of(ts_span_str("timestamp"), &facts), TS_ROLE_OBSERVATION);
}

static void test_longest_names(void **unused)
{
	static char name[2 * TS_PATH_MAX];
	struct ts_facts none = {0};

	(void)unused;
	memset(name, '.', sizeof name);
	memcpy(name, "scalars.", 8);
	assert_int_equal(ts_role_of(ts_span_of(name, TS_PATH_MAX), &none), TS_ROLE_UNKNOWN);
	memset(name + 8, 'a', sizeof name - 8);
	assert_int_equal(ts_role_of(ts_span_of(name, sizeof name), &none), TS_ROLE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_declared_before_named),
		cmocka_unit_test(test_longest_names),
	};

	return cmocka_run_group_tests_name("role", tests, NULL, NULL);
}
