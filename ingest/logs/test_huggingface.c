/* transformers' output folders: what a callback saw in training (tests/golden/huggingface/expected.json), the rest, damage. */
#include "ingest/core/test_support.h"

#include "base/digest.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/huggingface/"

static const char check[] = "ours = {'loss': 'scalars.loss', 'learning_rate': 'scalars.lr', 'grad_norm': 'scalars.grad_norm', "
			    "'eval_loss': 'scalars.eval_loss'}\n"
			    "want = {}\n"
			    "for step, logs in json.load(open('" GOLDEN "expected.json'))[sys.argv[1]]:\n"
			    "    if 'train_loss' in logs or step > int(sys.argv[3]): continue\n"
			    "    for k, v in logs.items():\n"
			    "        if k != 'epoch': want.setdefault(ours.get(k, 'scalars.' + k), {})[step] = v\n"
			    "got = {}\n"
			    "for line in open(sys.argv[2]):\n"
			    "    row = dict(flat(json.loads(line)))\n"
			    "    for k, v in row.items():\n"
			    "        if k not in ('step', 'rank', 'epoch'): got.setdefault(k, {})[row['step']] = v\n"
			    "assert set(got) == set(want), set(got) ^ set(want)\n"
			    "for k in want: assert got[k] == want[k], (k, got[k], want[k])\n"
			    "assert len(want['scalars.loss']) > 15\n";

static void reads_what_the_trainer_logged(void **state)
{
	static const struct {
		const char *path, *name;
		int last_step;
	} runs[] = {{"full", "full", 60},
		    {"full/trainer_state.json", "full", 60},
		    {"full/checkpoint-40", "full", 40},
		    {"rounded", "rounded", 60}};

	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		(void)snprintf(path, sizeof path, GOLDEN "%s", runs[i].path);
		test_ingest_ok(&t, path);
		assert_string_equal(t.result.format, "Hugging Face trainer state");
		assert_int_equal(t.result.last_step, runs[i].last_step);
		assert_null(test_notice(&t, "repeated_value"));
		test_script(&t, check, runs[i].name, NULL, "%d", runs[i].last_step);
		test_round_trip(&t);
		test_run_finish(&t);
	}
}

static void losses_of_four_decimals_are_declared(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "rounded");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.precision"), "4");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.interval_mean"), "true");
	assert_string_equal(test_fact(&t, "columns.scalars\\.eval_loss.interval_mean"), "");
	assert_string_equal(test_fact(&t, "columns.scalars\\.lr.precision"), "");
	assert_string_equal(test_fact(&t, "session.huggingface.state"), "checkpoint-60/trainer_state.json");
	test_expect_notice(&t, "other_states", TS_NOTICE_INFO, 0, 1);
	test_ingest_ok(&t, GOLDEN "full");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.precision"), "");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.source"), "loss");
	test_run_finish(&t);
}

static void the_rest_becomes_facts(void **state)
{
	/* The digest is the sha256sum of "in the place of optimizer.pt\n". */
	static const char sha[] = "866712c91893a92a382da2a9f1d2c8dc1ea17ff36589fb475d61270ebe78d892";
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "full");
	assert_string_equal(test_fact(&t, "config.max_steps"), "60");
	assert_string_equal(test_fact(&t, "config.train_batch_size"), "4");
	assert_string_equal(test_fact(&t, "config.logging_steps"), "2");
	assert_string_equal(test_fact(&t, "config.save_steps"), "20");
	assert_string_equal(test_fact(&t, "config.model.hidden_size"), "16");
	assert_string_equal(test_fact(&t, "config.model.architectures[0]"), "LlamaForCausalLM");
	assert_string_equal(test_fact(&t, "libraries.transformers"), "5.23.0");
	assert_string_equal(test_fact(&t, "session.n_steps"), "60");
	assert_string_equal(test_fact(&t, "session.huggingface.total_flos"), "131604480.0");
	assert_string_equal(test_fact(&t, "session.huggingface.num_input_tokens_seen"), "3840");
	assert_string_equal(test_fact(&t, "session.huggingface.final.total_flos"), "131604480.0");
	assert_string_equal(test_fact(&t, "session.huggingface.files.checkpoint-60/optimizer\\.pt.bytes"), "29");
	assert_memory_equal(test_fact(&t, "session.huggingface.files.checkpoint-60/optimizer\\.pt.sha256"), sha, strlen(sha));
	assert_string_not_equal(test_fact(&t, "session.huggingface.files.training_args\\.bin.sha256"), "");
	assert_true(t.result.finished);
	test_ingest_ok(&t, GOLDEN "full/checkpoint-40");
	assert_false(t.result.finished);
	test_run_finish(&t);
}

/* The folder has the checkpoints of a run that was resumed. The checkpoint with the most steps counts, and links are
 * not followed. */
static void the_farthest_state_is_read(void **state)
{
	struct test_run t;
	char path[256], link_path[256];

	(void)state;
	test_run_init(&t);
	test_write(&t, "out/trainer_state.json", "{\"global_step\": 5, \"log_history\": [{\"loss\": 0.5, \"step\": 5}]}");
	test_write(&t, "out/checkpoint-9/trainer_state.json",
		   "{\"global_step\": 9, \"log_history\": [{\"loss\": 0.25, \"step\": 9}]}");
	test_write(&t, "out/checkpoint-10/trainer_state.json",
		   "{\"global_step\": 10, \"log_history\": [{\"loss\": 0.125, \"step\": 10}]}");
	test_write(&t, "out/checkpoint-11/README.md", "no state");
	test_write(&t, "secret", "not of this folder");
	(void)snprintf(path, sizeof path, "%s/out", t.base);
	(void)snprintf(link_path, sizeof link_path, "%s/out/optimizer.pt", t.base);
	assert_int_equal(symlink("../secret", link_path), 0);
	test_ingest_ok(&t, path);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":10,\"scalars\":{\"loss\":0.125}}\n");
	assert_string_equal(test_fact(&t, "session.huggingface.files.optimizer\\.pt.bytes"), "");
	test_expect_notice(&t, "other_states", TS_NOTICE_INFO, 0, 1);
	test_run_finish(&t);
}

static void hostile_states(void **state)
{
	static const struct {
		const char *text, *want, *notice;
	} cases[] = {
		{"", NULL, NULL},
		{"[]", NULL, NULL},
		{"{\"log_history\": [", NULL, NULL},
		{"{\"log_history\": 3}", "", "no_steps"},
		{"{\"log_history\": [3, [4], \"x\", null]}", "", "not_object"},
		{"{\"log_history\": [{\"loss\": 1.5}, {\"loss\": 2.5, \"step\": 1}]}",
		 "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":2.5}}\n", "no_step"},
		{"{\"log_history\": [{\"loss\": 1.5, \"step\": \"x\"}, {\"loss\": 2.5, \"step\": 1}]}",
		 "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":2.5}}\n", "bad_step"},
		{"{\"log_history\": [{\"loss\": NaN, \"step\": 1}]}", "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":\"NaN\"}}\n",
		 NULL},
		{"{\"log_history\": [{\"hist\": [1, 2], \"loss\": 1.5, \"step\": 1}]}",
		 "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":1.5}}\n", "not_scalar"},
		{"{\"log_history\": [{\"d\": {\"a\": 1.5}, \"step\": 1}]}", "{\"rank\":0,\"step\":1,\"scalars\":{\"d/a\":1.5}}\n",
		 NULL},
		{"{\"log_history\": [{\"loss\": 1.5, \"step\": 9223372036854775807}]}",
		 "{\"rank\":0,\"step\":\"9223372036854775807\",\"scalars\":{\"loss\":1.5}}\n", NULL},
		{"{\"log_history\": [{\"loss\": 1.5, \"step\": 1e300}]}", NULL, "rows_numbered"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		test_write(&t, "out/trainer_state.json", cases[i].text);
		(void)snprintf(path, sizeof path, "%s/out", t.base);
		if (!cases[i].want && !cases[i].notice) {
			assert_int_equal(test_ingest_path(&t, path), TS_INVALID);
			assert_non_null(strstr(t.err.text, "out: trainer_state.json: byte "));
			test_run_finish(&t);
			continue;
		}
		test_ingest_ok(&t, path);
		if (cases[i].want)
			assert_string_equal(test_jsonl(&t), cases[i].want);
		if (cases[i].notice && !test_notice(&t, cases[i].notice))
			fail_msg("case %zu: no %s", i, cases[i].notice);
		test_run_finish(&t);
	}
}

/* A state that is cut anywhere gives an error that names the byte. A cut behind the last brace loses nothing. */
static void a_cut_state_is_an_error(void **state)
{
	struct ts_buf whole = TS_BUF_INIT(1 << 20);
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_file_read(GOLDEN "full/trainer_state.json", &whole, &err), TS_OK);
	for (size_t cut = 0; cut < whole.len - 2; cut += 37) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		test_write_bytes(&t, "out/trainer_state.json", whole.data, cut);
		(void)snprintf(path, sizeof path, "%s/out", t.base);
		assert_int_equal(test_ingest_path(&t, path), TS_INVALID);
		assert_non_null(strstr(t.err.text, "trainer_state.json: byte"));
		test_run_finish(&t);
	}
	ts_buf_finish(&whole);
}

/* Where a crash cut off the newest state, also that of the folder itself, the newest whole one is read; where all are cut, that of the
 * newest says why. */
static void an_earlier_state_is_read(void **state)
{
	static const char whole[] = "{\"global_step\": 400, \"log_history\": [{\"loss\": 1.5, \"step\": 400}]}";
	static const char cut[] = "{\"global_step\": 500, \"log_history\": [{\"loss\": 1.5, \"st";
	static const char *const newer[] = {"out/checkpoint-500/trainer_state.json", "out/trainer_state.json"};
	struct test_run t;
	char path[256];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		test_run_init(&t);
		(void)snprintf(path, sizeof path, "%s/out", t.base);
		test_write(&t, "out/checkpoint-400/trainer_state.json", whole);
		test_write(&t, "out/checkpoint-300/trainer_state.json", cut);
		for (size_t k = 0; k < 2; k++)
			if (i == 2 || i == k)
				test_write(&t, newer[k], cut);
		test_ingest_ok(&t, path);
		assert_int_equal(t.result.last_step, 400);
		test_expect_notice(&t, "cut_state", TS_NOTICE_SKIPPED, 0, 1);
		assert_non_null(strstr((const char *)test_notice(&t, "cut_state")->detail.data, "byte 5"));
		test_expect_notice(&t, "other_states", TS_NOTICE_INFO, 0, 1);
		test_write(&t, "out/checkpoint-400/trainer_state.json", cut);
		assert_int_equal(test_ingest_path(&t, path), TS_INVALID);
		assert_non_null(strstr(t.err.text, "trainer_state.json: byte 5"));
		test_run_finish(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_the_trainer_logged),
		cmocka_unit_test(losses_of_four_decimals_are_declared),
		cmocka_unit_test(the_rest_becomes_facts),
		cmocka_unit_test(the_farthest_state_is_read),
		cmocka_unit_test(hostile_states),
		cmocka_unit_test(a_cut_state_is_an_error),
		cmocka_unit_test(an_earlier_state_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
