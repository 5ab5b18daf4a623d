/* Tables, JSON Lines, dvclive's and Lightning's folders, golden values: of the libraries (tests/golden/files), by hand. */
#include "ingest/core/test_support.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "ingest/core/reader.h"
#include "ingest/discover.h"
#include "ingest/formats/log_lines.h"
#include "ingest/logs/log_digits.h"
#include "ingest/logs/log_table.h"
#include "ingest/logs/reader_dvclive.h"
#include "ingest/readers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/files/"

static const char check[] = "want = {k: {s: x for s, x in v} for k, v in json.load(open('" GOLDEN "' + sys.argv[1])).items()}\n"
			    "ours = {'train_loss': 'loss', 'val_loss': 'eval_loss', 'train/loss': 'loss'}\n"
			    "want = {ours.get(k, k): v for k, v in want.items()}\n"
			    "got = {}\n"
			    "for line in open(sys.argv[2]):\n"
			    "    row = json.loads(line)\n"
			    "    for k, v in row['scalars'].items(): got.setdefault(k, {})[row['step']] = v\n"
			    "assert set(got) == set(want), set(got) ^ set(want)\n"
			    "for k in want:\n"
			    "    w = {s: v for s, v in want[k].items() if s in got[k]}\n"
			    "    assert got[k] == w and len(w) >= int(sys.argv[3]), (k, got[k], w)\n";

/* Writes a file and ingests it alone. */
static void file(struct test_run *t, const char *name, const char *text)
{
	if (test_ingest_text(t, name, text))
		fail_msg("%s: %s", name, t->err.text);
}

/* --- what libraries wrote --- */

static void lightning_as_it_writes(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "lightning_logs/version_0");
	assert_string_equal(t.result.format, "Lightning CSV log");
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(t.result.rows, 6); /* steps 4, 9, ... 29; one row of the training and one of the evaluation form one row */
	assert_int_equal(t.result.segments, 1);
	test_script(&t, check, "expected_lightning.json", NULL, "%d", 3);
	assert_string_equal(test_fact(&t, "config.lr"), "0.01");
	assert_string_equal(test_fact(&t, "config.hidden"), "32");
	assert_string_equal(test_fact(&t, "config.note"), "small: \"quoted\"");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.source"), "train_loss");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void dvclive_as_it_writes(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "dvclive");
	assert_string_equal(t.result.format, "dvclive folder");
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(t.result.rows, 12);
	test_script(&t, check, "expected_dvclive.json", NULL, "%d", 3);
	assert_string_equal(test_fact(&t, "config.layers"), "2");
	assert_string_equal(test_fact(&t, "session.dvclive.summary.eval.acc"), "0.6875");
	assert_non_null(strstr(test_jsonl(&t), "\"timestamp\":1795305"));
	test_round_trip(&t);
	test_run_finish(&t);
}

/* The second writer of make_logs.py began at step 9 again; a step is 32 samples. */
static void deepspeed_as_it_writes(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, "tests/golden/deepspeed/csv_monitor");
	assert_string_equal(t.result.format, "folder of a table each metric");
	assert_int_equal(t.result.rows, 16);
	assert_int_equal(t.result.segments, 1);
	test_expect_notice(&t, "repeated_value", TS_NOTICE_SKIPPED, 0, 1);
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.source"), "Train_Samples_train_loss");
	test_script(&t, "for line in open(sys.argv[2]):\n"
			"    row = json.loads(line)\n"
			"    i = row['step'] // 32\n"
			"    want = 2 + 9 * math.exp(-i / 12) + (9 if i >= 9 else 1) / 1024\n"
			"    assert row['scalars'] == {'loss': want, 'lr': 1e-4 * i, 'Train_Samples_loss_scale': 65536.0}, row\n",
		    "x", NULL, "x");
	test_round_trip(&t);
	test_run_finish(&t);
}

/* A folder of tables is one run only if each is a step and what its file is called. */
static void folders_of_series(void **state)
{
	static const struct {
		const char *a, *b;
		bool is;
	} cases[] = {
		{"step,a\n1,2\n", "step,b c\n1,2\n", true},
		{"step,a\n1,2\n", NULL, false},
		{"step,a\n1,2\n", "step,other\n1,2\n", false},
		{"step,a,z\n1,2,3\n", "step,b c\n1,2\n", false},
		{"step,a\n\n1,2\nx,y\n", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		test_write(&t, "run/x_a.csv", cases[i].a);
		if (cases[i].b)
			test_write(&t, "run/b_c.csv", cases[i].b);
		if ((ts_deepspeed_sniff(t.path) > 0) != cases[i].is)
			fail_msg("case %zu", i);
		test_run_finish(&t);
	}
}

/* Names that say little alone: of which tables they make one of a training. */
static void names_that_say_it_together(void **state)
{
	static const struct {
		const char *name, *text;
		bool is;
	} cases[] = {
		{"a.csv", "d_adv_loss, f_slf_loss\n2.5, 1.5\n", true},
		{"b.csv", "price, f_slf_loss\n2.5, 1.5\n", false},
		{"c.csv", "generation,best,mean\n1,2.5,1.5\n", true},
		{"d.csv", "generation,price,mean\n1,2.5,1.5\n", false},
		{"e.csv", "episode,reward\n1,2.5\n", true},
		{"g.csv", "batch,unit_cost,qty\n1,2.5,1\n", false},
		{"g.csv", "batch,cost\n1,2.5\n", false},
		{"f.csv", "batch,price\n1,2.5\n", false},
		{"g.csv",
		 "{\"generation\": 0, \"best_fitness\": 2.5, \"stats\": {\"hit\": 0.5}}\n{\"generation\": 1, \"best_fitness\": 3.5}\n",
		 true},
		{"h.txt", "{\"batch\": 0, \"price\": 2.5}\n{\"batch\": 1, \"price\": 3.5}\n", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct ts_reader *reader;
		struct test_run t;
		char path[160];

		test_run_init(&t);
		test_write(&t, cases[i].name, cases[i].text);
		(void)snprintf(path, sizeof path, "%s/%s", t.base, cases[i].name);
		assert_int_equal(ts_reader_of(path, &reader, &t.err), TS_OK);
		if ((reader != NULL) != cases[i].is)
			fail_msg("%s", cases[i].text);
		test_run_finish(&t);
	}
}

static void a_folder_of_logs_is_a_run_each(void **state)
{
	static const char *const names[] = {"dvclive", "golden.json", "lightning_logs/version_0", "losses.txt"};
	struct ts_found_run *runs;
	struct ts_arena arena;
	struct ts_error err;
	size_t n;

	(void)state;
	ts_arena_init(&arena, 0);
	assert_int_equal(ts_discover(GOLDEN, &arena, &runs, &n, &err), TS_OK);
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(runs[i].name, names[i]);
	ts_arena_finish(&arena);
}

static void reference_curves(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "golden.json");
	assert_string_equal(t.result.format, "Megatron-LM golden values");
	assert_int_equal(t.result.rows, 12);
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.precision"), "5");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.source"), "lm loss");
	assert_non_null(strstr(test_jsonl(&t),
			       "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":10.84321,\"num-zeros\":2320.0},"
			       "\"memory\":{\"alloc\":1752204288.0}}\n"));
	assert_non_null(test_notice(&t, "not_recorded"));
	test_ingest_ok(&t, GOLDEN "losses.txt");
	assert_string_equal(t.result.format, "torchtitan losses");
	assert_int_equal(t.result.rows, 10);
	assert_string_equal(
		test_jsonl(&t),
		"{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":8.125}}\n{\"rank\":0,\"step\":2,\"scalars\":{\"loss\":7.75}}\n"
		"{\"rank\":0,\"step\":3,\"scalars\":{\"loss\":7.5}}\n{\"rank\":0,\"step\":4,\"scalars\":{\"loss\":7.25}}\n"
		"{\"rank\":0,\"step\":5,\"scalars\":{\"loss\":7.0}}\n{\"rank\":0,\"step\":6,\"scalars\":{\"loss\":6.875}}\n"
		"{\"rank\":0,\"step\":7,\"scalars\":{\"loss\":6.75}}\n{\"rank\":0,\"step\":8,\"scalars\":{\"loss\":6.625}}\n"
		"{\"rank\":0,\"step\":9,\"scalars\":{\"loss\":6.5}}\n{\"rank\":0,\"step\":10,\"scalars\":{\"loss\":6.375}}\n");
	test_run_finish(&t);
}

/* --- tables by hand --- */

static void tables(void **state)
{
	static const struct {
		const char *name, *text, *want, *notice;
	} cases[] = {
		{"a.csv", "step,loss\n1,0.5\n2,0.25\n", "1 0.5|2 0.25", NULL},
		{"a.csv", "\xef\xbb\xbfstep,loss\r\n1,0.5\r\n2,0.25\r\n", "1 0.5|2 0.25", "bom"},
		{"a.csv", "step,loss\r\n1,0.5\r\n\r\n2,0.25\r\n", "1 0.5|2 0.25", NULL},
		{"a.csv", "# made by hand\n\nstep;loss\n1;0.5\n2;0.25\n", "1 0.5|2 0.25", NULL},
		{"a.tsv", "step\tloss\n1\t.5\n2\t+0.25\n", "1 0.5|2 0.25", NULL},
		{"a.csv", "\"step\",\"a \"\"b\"\"\nc\",loss\n\"1\",x,\"0.5\"\n2,\"y\nz\",0.25\n", "1 0.5|2 0.25", NULL},
		{"a.csv", "iter,Loss\n1,0.5\n2,0.25\n", "1 0.5|2 0.25", NULL},
		{"a.csv", "epoch,loss\n1.0,0.5\n2.0,0.25\n", "1 0.5|2 0.25", NULL},
		{"a.csv", "lr,loss\n1,0.5\n1,0.25\n", "0 0.5|1 0.25", "rows_numbered"},
		{"a.csv", "step,loss\n1,0.5\n2\n", "1 0.5|2", "ragged_row"},
		{"a.csv", "step,loss\n1,0.5\n2,0.25,9\n", "1 0.5|2 0.25", "ragged_row"},
		{"a.csv", "step,loss\n1,0.5\n2", "1 0.5", "cut_line"},
		{"a.csv", "step,loss\n1,0.5\n2,0.2", "1 0.5|2", "cut_line"},
		{"a.csv", "loss,step\n0.5,1\n0.25,2", "1 0.5", "cut_line"},
		{"a.csv", "step,loss\n1,0.5\n2,\"0.25\"", "1 0.5|2 0.25", NULL},
		{"a.csv", "step;loss\n1;0,5\n2;1,234\n3;1.234,5\n", "1 0.5|2 1.234|3 1234.5", NULL},
		{"a.csv", "step,loss\n1,\"0,5\"\n2,\"1,234.5\"\n3,\"1,234,567\"\n4,\"12,25\"\n5,\"-1,5e-3\"\n",
		 "1 0.5|2 1234.5|3 1234567.0|4 12.25|5 -0.0015", NULL},
		{"a.csv", "step,loss\n1,0.5\n2,\"1,234\"\n", "1 0.5|2 1", "text_number"},
		{"a.csv", "step,loss\n1,0.5\n2,\"1,23,4\"\n", "1 0.5|2 1", "text_number"},
		{"a.csv", "step,loss\n1,0.5\n2,\"1,234.56.7\"\n", "1 0.5|2 1", "text_number"},
		{"a.csv", "step,acc,loss\n1,42 %,0.5\n", "1 0.5", "text_number"},
		{"a.csv", "step,date,loss\n1,2026-11-18,0.5\n", "1 0.5", NULL},
		{"a.csv", "epoch,batch,loss\n0,0,0.5\n0,1,0.25\n1,0,2\n1,1,1\n", "0 0.5|1 0.25|2 2.0|3 1.0", "rows_numbered"},
		{"a.csv", "epoch,iter,loss\n0,0,0.5\n0,1,0.25\n1,0,2\n1,1,1\n", "0 0.5|1 0.25|2 2.0|3 1.0", "rows_numbered"},
		{"a.csv", "epoch,loss\n0.5,4\n1.0,3\n1.5,2\n2.0,1\n", "0 4.0|1 3.0|2 2.0|3 1.0", "rows_numbered"},
		{"a.csv", "epoch,loss,val\n0,0.5,\n0,,3\n1,0.25,\n1,,2\n", "0 0.5|1 0.25", NULL},
		{"a.csv", "step,loss\n1,0.5\nx,3\n2,0.25\n", "1 0.5|2 0.25", "bad_step"},
		{"a.csv", "step,loss\n1,0.5\n,3\n2,0.25\n", "1 0.5|2 0.25", "no_step"},
		{"a.csv", "step,loss\n1,0.5\n2,\"0.25\n3,1\n", "1 0.5|3 1.0", "open_quote"},
		{"a.csv", "step,loss\n1,NA\n2,0.25\n", "1|2 0.25", NULL},
		{"a.csv", "step,loss\n1,nan\n2,-Inf\n", "1 NaN|2 -Infinity", NULL},
		{"a.csv", "step,loss,loss\n1,0.5,7\n2,0.25,8\n", "1 0.5|2 0.25", "duplicate_column"},
		{"a.csv", "step,loss\n1,0.5\n1,0.25\n", "1 0.25", "repeated_value"},
		{"a.csv", "step,loss\n1,0.5\n2,0.75\n2,0.25\n", "1 0.5|2 0.25", "repeated_value"},
		{"a.csv", "step,loss\n1,0.5\n2,9\n3,8\n2,0.25\n", "1 0.5|2 0.25", "restart"},
		{"a.csv", "step,loss\n", "", "no_steps"},
		{"a.csv", "step,loss,\xff\n1,0.5,2\n2,0.25,\xff\n", "1 0.5|2 0.25", "bad_utf8"},
		{"a.csv", "step,loss,note\n1,0.5,a\n2,0.25,\xff\n", "1 0.5|2 0.25", "bad_utf8"},
		{"a.jsonl", "{\"step\":1,\"loss\":0.5}\n{\"step\":2,\"loss\":0.25}\n", "1 0.5|2 0.25", NULL},
		{"a.jsonl", "{\"step\":1,\"train\":{\"loss\":0.5}}{\"step\":2,\"train\":{\"loss\":0.25}}\n", "1 0.5|2 0.25",
		 "glued_records"},
		{"a.jsonl", "{\"_step\":1,\"loss\":\"NaN\"}\n{\"_step\":2,\"loss\":-Infinity}\n", "1 NaN|2 -Infinity", NULL},
		{"a.jsonl", "{\"step\":1,\"loss\":0.5}\n{\"step\":2,\"lo\n{\"step\":3,\"loss\":1}\n", "1 0.5|3 1.0", "bad_json"},
		{"a.jsonl", "{\"step\":1,\"loss\":0.5}\n{\"step\":2,\"lo", "1 0.5", "cut_line"},
		{"a.jsonl", "{\"step\":1,\"loss\":\"0.5\"}\n{\"step\":\"2\",\"loss\":\"2.5e-1\"}\n", "1 0.5|2 0.25", NULL},
		{"a.jsonl", "{\"step\":1,\"loss\":0.5,\"acc\":\"42%\"}\n", "1 0.5", "text_number"},
		{"a.jsonl", "{\"step\":1,\"loss\":0.5}\n[1]\n3\n", "1 0.5", "not_object"},
		{"a.jsonl", "{\"step\":1,\"loss\":0.5,\"hist\":[1,2]}\n", "1 0.5", "not_scalar"},
		{"a.jsonl",
		 "{\"global_step/max_steps\":\"601/2161\",\"loss\":0.5}\n{\"global_step/max_steps\":\"602/2161\",\"loss\":1}\n",
		 "601 0.5|602 1.0", NULL},
		{"a.jsonl", "{\"current_steps\":5,\"total_steps\":9,\"loss\":0.5,\"epoch\":1}\n", "5 0.5", NULL},
		{"a.jsonl", "{\"time/total_timesteps\":2048,\"train/loss\":0.5,\"time/iterations\":1}\n", "2048 0.5", NULL},
		{"a.csv", "step,train loss,loss\n1,7,\n1,,0.5\n2,,0.25\n", "1 0.5|2 0.25", NULL},
		{"log.txt", "{\"train_loss\":0.5,\"epoch\":0}\n{\"train_loss\":0.25,\"epoch\":1}\n", "0 0.5|1 0.25", NULL},
		{"metrics.json", "{\"iteration\":19,\"loss\":0.5}\n{\"iteration\":39,\"loss\":0.25,\"bbox/AP\":null}\n",
		 "19 0.5|39 0.25", NULL},
		{"20260101.log.json", "{\"env_info\":\"x\",\"seed\":0}\n{\"mode\":\"train\",\"iter\":50,\"loss\":0.5}\n", "50 0.5",
		 "no_step"},
		{"stdout", "{\"step\":1,\"loss\":0.5}\n", "1 0.5", NULL},
		{"losses.txt", "# step loss\n1 0.5\n2, 0.25\n3 1\n4 1\nx\n", "1 0.5|2 0.25|3 1.0|4 1.0", "bad_line"},
		{"g.json", "{\"lm loss\":{\"start_step\":1,\"values\":{\"2\":0.25,\"1\":0.5,\"x\":3}}}", "1 0.5|2 0.25", "bad_step"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		struct ts_buf got = TS_BUF_INIT(1 << 16);
		const char *line;

		test_run_init(&t);
		file(&t, cases[i].name, cases[i].text);
		for (line = test_jsonl(&t); (line = strstr(line, "\"step\":")); line++) {
			const char *loss = strstr(line, "\"loss\":"), *end = strchr(line, '\n');

			ts_buf_printf(&got, "%s%.*s", got.len ? "|" : "", (int)strcspn(line + 7, ",}"), line + 7);
			if (loss && loss < end)
				ts_buf_printf(&got, " %.*s", (int)strcspn(loss + 7 + (loss[7] == '"'), ",}\""),
					      loss + 7 + (loss[7] == '"'));
			line = end;
		}
		ts_buf_char(&got, '\0');
		if (strcmp((const char *)got.data, cases[i].want) != 0)
			fail_msg("case %zu: '%s', not '%s'", i, (const char *)got.data, cases[i].want);
		if (cases[i].notice && !test_notice(&t, cases[i].notice))
			fail_msg("case %zu: no %s", i, cases[i].notice);
		if (!cases[i].notice && t.result.notices.n)
			fail_msg("case %zu: %s", i, t.result.notices.items[0].code);
		ts_buf_finish(&got);
		test_run_finish(&t);
	}
}

/* --- .tscope-map --- */

static void a_map_says_it_otherwise(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, ".tscope-map",
		   "# ours\n  n = step\ntrain cost=scalars.loss\nwhen = timestamp\nloss = -\na=b = extra.x\nnever = extra.y\n");
	file(&t, "a.csv", "n,train cost,when,loss,a=b,step\n7,0.5,100,9,1,1\n8,0.25,101,9,2,1\n");
	assert_string_equal(
		test_jsonl(&t),
		"{\"rank\":0,\"step\":7,\"timestamp\":100.0,\"scalars\":{\"loss\":0.5,\"step\":1.0},\"extra\":{\"x\":1.0}}\n"
		"{\"rank\":0,\"step\":8,\"timestamp\":101.0,\"scalars\":{\"loss\":0.25,\"step\":1.0},\"extra\":{\"x\":2.0}}\n");
	assert_string_equal(test_fact(&t, "columns.step.source"), "n");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.source"), "train cost");
	test_expect_notice(&t, "map_unused", TS_NOTICE_INFO, 0, 1);
	/* a column named step that is mapped to something else is not the step */
	test_write(&t, "d/.tscope-map", "step = extra.tick\n");
	file(&t, "d/d.csv", "step,iter,loss\n5,1,0.5\n5,2,0.25\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":0.5},\"extra\":{\"tick\":5.0}}\n"
					    "{\"rank\":0,\"step\":2,\"scalars\":{\"loss\":0.25},\"extra\":{\"tick\":5.0}}\n");
	/* a file without a known name is read if a map lies beside it */
	file(&t, "b.csv", "n,x\n3,0.5\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":3,\"scalars\":{\"x\":0.5}}\n");
	test_write(&t, "c/.tscope-map", "column 1 = step\n");
	file(&t, "c/c.csv", "3,0.5\n4,0.25\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":3,\"scalars\":{\"column "
					    "2\":0.5}}\n{\"rank\":0,\"step\":4,\"scalars\":{\"column 2\":0.25}}\n");
	test_run_finish(&t);
}

static void a_map_that_is_wrong_is_an_error(void **state)
{
	static const struct {
		const char *map, *want;
	} cases[] = {
		{"loss\n", ".tscope-map: line 1: 'loss': a line must have the form SOURCE = COLUMN"},
		{"\nloss = \n", ".tscope-map: line 2: '' is not the name of a column"},
		{"loss = a[b\n", ".tscope-map: line 1: 'a[b' is not the name of a column"},
		{"n = step\n", ".tscope-map or --map says that 'n' is the step, and no row has a number of that name"},
		{"step = step\nloss = step\n", ".tscope-map or --map names 2 columns as the step, and there can only be one"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		test_write(&t, ".tscope-map", cases[i].map);
		assert_int_equal(test_ingest_text(&t, "a.csv", "step,loss\n1,0.5\n"), TS_INVALID);
		if (!strstr(t.err.text, cases[i].want))
			fail_msg("case %zu: %s", i, t.err.text);
		test_run_finish(&t);
	}
}

static void what_is_no_log_of_steps_is_refused(void **state)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{"a.csv", "name,price\nx,3\n"},
		{"a.csv", ""},
		{"a.jsonl", "{\"prompt\":\"x\"}\n"},
		{"a.jsonl", ""},
		{"a.json", "{\"step\": {\"x\": {}}}"},
		{"a.txt", "12 bottles\n"},
		{"a.txt", "1 0.5\nand so on it goes\n"},
		{"requirements.txt", "torch 2\nx\n"},
		{"steps.jsonl", "{\"step\":1}\n"},
		{"config.json", "{\"epoch\":3,\"lr\":0.1,\"model\":\"x\"}\n"},
		{"app.log", "{\"level\":\"info\",\"step\":1}\n{\"level\":\"info\",\"step\":2}\n"},
		{"mixed.txt", "{\"step\":1,\"loss\":2}\nand so on it goes\n{\"step\":2,\"loss\":1}\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		if (test_ingest_text(&t, cases[i].name, cases[i].text) == TS_OK)
			fail_msg("case %zu was taken for %s", i, t.result.format);
		test_run_finish(&t);
	}
}

/* --- restarts and series of their own --- */

static void a_cut_number_of_dvclive(void **state)
{
	struct test_run t;
	char path[160];

	(void)state;
	test_run_init(&t);
	test_write(&t, "d/plots/metrics/loss.tsv", "step\tloss\n0\t0.5\n1\t0.2");
	(void)snprintf(path, sizeof path, "%s/d", t.base);
	test_ingest_ok(&t, path);
	test_expect_notice(&t, "cut_line", TS_NOTICE_SKIPPED, 3, 1);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"scalars\":{\"loss\":0.5}}\n{\"rank\":0,\"step\":1}\n");
	test_run_finish(&t);
}

/* yaml.safe_dump of {"on": True, "no": "1", "flag": "true", "lr": 1e-5, "seed": "007", "cap": math.inf, "x": "null", "none": None},
 * PyYAML 6.0: what is quoted is a text. */
static void hyperparameters_keep_their_type(void **state)
{
	static const struct {
		const char *path;
		enum ts_fact_type type;
		const char *value;
	} want[] = {
		{"config.on", TS_FACT_BOOL, "true"},	   {"config.flag", TS_FACT_TEXT, "true"}, {"config.no", TS_FACT_TEXT, "1"},
		{"config.seed", TS_FACT_TEXT, "007"},	   {"config.x", TS_FACT_TEXT, "null"},	  {"config.lr", TS_FACT_FLOAT, "1e-05"},
		{"config.cap", TS_FACT_FLOAT, "Infinity"}, {"config.none", TS_FACT_NULL, "null"},
	};
	struct test_run t;
	char path[160];

	(void)state;
	test_run_init(&t);
	test_write(&t, "version_0/metrics.csv", "step,loss\n1,0.5\n");
	test_write(&t, "version_0/hparams.yaml",
		   "cap: .inf\nflag: 'true'\nlr: 1.0e-05\n'no': '1'\nnone: null\n'on': true\nseed: '007'\nx: 'null'\n");
	(void)snprintf(path, sizeof path, "%s/version_0", t.base);
	test_ingest_ok(&t, path);
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		const struct ts_fact *fact = ts_facts_find(&t.result.facts, ts_span_str(want[i].path));

		assert_non_null(fact);
		assert_int_equal(fact->type, want[i].type);
		assert_string_equal(test_fact(&t, want[i].path), want[i].value);
	}
	assert_int_equal(t.result.notices.n, 0);
	test_run_finish(&t);
}

static void text_is_kept(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	file(&t, "a.csv", "step,loss,note\n1,0.5,\"a \"\"b\"\", c\"\n2,0.25,d \"e\"\n");
	assert_string_equal(test_jsonl(&t),
			    "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":0.5},\"extra\":{\"note\":\"a \\\"b\\\", c\"}}\n"
			    "{\"rank\":0,\"step\":2,\"scalars\":{\"loss\":0.25},\"extra\":{\"note\":\"d \\\"e\\\"\"}}\n");
	test_run_finish(&t);
}

static void a_second_series_is_no_restart(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	file(&t, "a.csv", "step,epoch,loss,eval_loss\n1,0,0.5,\n2,0,0.25,\n1,0,,0.75\n2,0,,0.625\n");
	assert_int_equal(t.result.segments, 1);
	assert_int_equal(t.result.superseded, 0);
	assert_string_equal(test_jsonl(&t),
			    "{\"rank\":0,\"step\":1,\"scalars\":{\"eval_loss\":0.75,\"loss\":0.5},\"epoch\":0.0}\n"
			    "{\"rank\":0,\"step\":2,\"scalars\":{\"eval_loss\":0.625,\"loss\":0.25},\"epoch\":0.0}\n");
	file(&t, "b.csv", "step,loss\n1,0.5\n2,9\n3,8\n2,0.25\n");
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.superseded, 2);
	test_run_finish(&t);
}

static void times_are_recognised(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	file(&t, "a.csv", "step,time,loss\n1,1795000000.5,0.5\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"timestamp\":1795000000.5,\"scalars\":{\"loss\":0.5}}\n");
	file(&t, "a.csv", "step,timestamp,loss\n1,1795000000500,0.5\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"timestamp\":1795000000.5,\"scalars\":{\"loss\":0.5}}\n");
	/* The time is the output of: date -u -d 2026-11-18T11:06:40Z +%s */
	file(&t, "a.csv", "step,date,loss\n1,2026-11-18T11:06:40Z,0.5\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"timestamp\":1795000000.0,\"scalars\":{\"loss\":0.5}}\n");
	file(&t, "a.csv", "step,date,loss\n1,2026-11-18 11:06:40.5,0.5\n2,2026-11-18T11:06:41,0.25\n");
	assert_non_null(strstr(test_jsonl(&t), "\"step\":1,\"timestamp\":1795000000.5,"));
	test_expect_notice(&t, "no_zone", TS_NOTICE_INFO, 2, 2);
	file(&t, "a.csv", "step,time,loss\n1,12.5,0.5\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":0.5,\"time\":12.5}}\n");
	/* Seconds since the beginning only rise; those of a step do not, nor do those of two executions. */
	file(&t, "a.csv", "step,time/time_elapsed,loss\n1,7,5\n2,15,4\n3,22,3\n4,30,2\n5,37,1\n");
	assert_non_null(strstr(test_jsonl(&t), "{\"rank\":0,\"step\":2,\"timestamp\":15.0,\"scalars\":{\"loss\":4.0}}\n"));
	test_expect_notice(&t, "clock", TS_NOTICE_INFO, 0, 1);
	file(&t, "a.csv", "step,time,loss\n1,7,5\n2,7.5,4\n3,7.25,3\n4,8,2\n5,9,1\n");
	assert_null(strstr(test_jsonl(&t), "timestamp"));
	file(&t, "a.csv", "step,wall,loss\n1,7,5\n2,15,4\n3,22,3\n4,2,2\n5,9,1\n");
	assert_null(strstr(test_jsonl(&t), "timestamp"));
	test_run_finish(&t);
}

/* A time that has the name of a step's, and rises from row to row, is that of the epoch or of all so far. */
static void a_time_that_only_rises_is_no_step_time(void **state)
{
	char text[2048], steady[2048];
	size_t n = (size_t)snprintf(text, sizeof text, "step,epoch,step_time,loss\n"), m = n;
	struct test_run t;

	(void)state;
	memcpy(steady, text, n + 1);
	for (int i = 0; i < 20; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "%d,%d,%d.5,%d\n", i, i / 10, 2 + 3 * (i % 10), 40 - i);
		m += (size_t)snprintf(steady + m, sizeof steady - m, "%d,%d,%d.5,%d\n", i, i / 10, 2 + i % 3, 40 - i);
	}
	test_run_init(&t);
	file(&t, "a.csv", text);
	assert_non_null(strstr(test_jsonl(&t), "{\"rank\":0,\"step\":2,\"scalars\":{\"elapsed\":8.5,\"loss\":38.0},\"epoch\":0.0}\n"));
	test_expect_notice(&t, "running_time", TS_NOTICE_INFO, 2, 1);
	file(&t, "b.csv", steady);
	assert_non_null(strstr(test_jsonl(&t), "\"step\":2,\"phases\":{\"step\":4.5}"));
	test_run_finish(&t);
}

/* --- rows of an evaluation --- */

static void rows_of_an_evaluation_keep_to_themselves(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	file(&t, "a.csv", "epoch,phase,loss,acc\n1,train,2.5,0.25\n1,val,2.75,0.125\n2,train,2,0.5\n2,val,2.25,0.375\n2,Test,3,0.25\n");
	assert_non_null(strstr(test_jsonl(&t), "\"acc\":0.25,\"eval_loss\":2.75,\"loss\":2.5,\"val/acc\":0.125}"));
	assert_non_null(strstr(test_jsonl(&t), "\"acc\":0.5,\"eval_loss\":2.25,\"loss\":2.0,\"test/acc\":0.25,\"test/loss\":3.0,"
					       "\"val/acc\":0.375}"));
	/* A name that no row of the training has stays as it is. */
	file(&t, "c.csv", "epoch,mode,loss,map\n1,train,2.5,\n1,val,2.75,0.25\n2,train,2,\n2,val,2.25,0.50\n");
	assert_non_null(strstr(test_jsonl(&t), "\"step\":2,\"scalars\":{\"eval_loss\":2.25,\"loss\":2.0,\"map\":0.5}"));
	/* The word before each object is none of it. */
	file(&t, "b.log", "json_stats: {\"_type\": \"train_epoch\", \"epoch\": \"1/9\", \"loss\": 2.5}\n"
			  "json_stats: {\"_type\": \"val_epoch\", \"epoch\": \"1/9\", \"loss\": 2.75}\n"
			  "json_stats: {\"_type\": \"train_epoch\", \"epoch\": \"2/9\", \"loss\": 2}\n");
	assert_string_equal(t.result.format, "JSON Lines");
	assert_non_null(strstr(test_jsonl(&t), "\"step\":1,\"scalars\":{\"eval_loss\":2.75,\"loss\":2.5}"));
	test_run_finish(&t);
}

/* --- how finely --- */

static bool known(const char *const *texts, size_t n, bool measured, uint8_t *digits)
{
	struct ts_log_digits d = {.n = 0};

	for (size_t i = 0; i < n; i++) {
		struct ts_span written;
		double value;

		assert_true(ts_log_number(ts_span_str(texts[i]), &value, &written));
		ts_log_digits_add(&d, ts_span_str(texts[i]), value);
	}
	return ts_log_digits_known(&d, measured, digits);
}

static void decimals_are_seen(void **state)
{
	static const char *const padded[] = {"0.1000", "0.1234"}, *const few[] = {"0.1", "0.1234"},
				 *const whole[] = {"1.0", "2.0"};
	static const char *const many[] = {"0.1", "0.12", "0.1234", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "NaN"};
	static const char *const same[] = {"0.1", "0.2", "0.1", "0.2", "0.1", "0.2", "0.1", "0.2", "0.1", "0.2", "0.1", "0.2"};
	static const char *const small[] = {"1e-05", "2e-05", "3e-05", "4e-05", "5e-05",
					    "6e-05", "7e-05", "8e-05", "9e-05", "0.0001"};
	static const char *const fine[] = {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.1", "1.25e-06"};
	static const char *const uneven[] = {"0.10", "0.2", "0.30"};
	uint8_t digits = 0;

	(void)state;
	assert_true(known(padded, 2, false, &digits) && digits == 4);
	assert_false(known(few, 2, true, &digits));
	assert_false(known(whole, 2, true, &digits));
	assert_true(known(many, 11, true, &digits) && digits == 4);
	assert_false(known(many, 11, false, &digits)); /* these values were chosen, as a learning rate is */
	assert_false(known(same, 12, true, &digits));
	assert_true(known(small, 10, true, &digits) && digits == 5);
	assert_false(known(fine, 11, true, &digits));
	assert_false(known(uneven, 3, true, &digits));
}

static void numbers_as_logs_write_them(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {{"1", 1},	 {"+1", 1},	  {".5", 0.5},	  {"-.5", -0.5}, {"5.", 5},    {"5.e3", 5000},
		     {"007", 7}, {"-00.5", -0.5}, {"1e-3", 1e-3}, {"True", 1},	 {"false", 0}, {"0", 0}};
	static const char *const bad[] = {"",	"-",  "+",   ".",   "1,5",   "0x10", "1 2",
					  "1e", "5%", "--1", "+-1", "1.2.3", "e5",   "infinit",
					  /* the longest number that is looked at; with a 0 for each point it would be
					   * twice as long */
					  "0..........................................................."};
	struct ts_span written;
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (!ts_log_number(ts_span_str(cases[i].text), &value, &written) || value != cases[i].value)
			fail_msg("'%s'", cases[i].text);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (ts_log_number(ts_span_str(bad[i]), &value, &written))
			fail_msg("'%s' is %g", bad[i], value);
	assert_true(ts_log_number(ts_span_str("-inf"), &value, &written) && isinf(value) && value < 0 && written.len == 0);
	assert_true(ts_log_number(ts_span_str("NaN"), &value, &written) && isnan(value));
}

/* --- size --- */

/* Lines over the limit are skipped with a notice, in bounded memory. The lines behind them are read. */
static void long_lines_are_passed_over(void **state)
{
	size_t n = (size_t)TS_LINE_MAX + 5000000;
	char *text = malloc(n + 100);
	struct test_run t;
	char path[256];

	(void)state;
	assert_non_null(text);
	memcpy(text, "step,loss\n1,0.5\n", 17);
	memset(text + 17, '7', n);
	memcpy(text + 17 + n, "\n2,0.25\n", 9);
	test_run_init(&t);
	test_write_bytes(&t, "a.csv", text, n + 26);
	(void)snprintf(path, sizeof path, "%s/a.csv", t.base);
	test_ingest_ok(&t, path);
	test_expect_notice(&t, "long_line", TS_NOTICE_SKIPPED, 3, 1);
	assert_int_equal(t.result.rows, 2);
	assert_int_equal(t.result.last_step, 2);
	test_run_finish(&t);
	free(text);
}

/* Rows with quoted line ends lie across many windows. The last row has the line number that an editor shows. */
static void lines_are_numbered(void **state)
{
	struct ts_buf text = TS_BUF_INIT(64 << 20);
	struct test_run t;
	char path[256];

	(void)state;
	ts_buf_str(&text, "step,loss,note\n");
	for (int i = 0; i < 60000; i++)
		ts_buf_printf(&text, "%d,%d.5,\"x\ny\"\n", i, i);
	ts_buf_str(&text, "oops,1,z\n");
	test_run_init(&t);
	test_write_bytes(&t, "a.csv", text.data, text.len);
	(void)snprintf(path, sizeof path, "%s/a.csv", t.base);
	test_ingest_ok(&t, path);
	assert_int_equal(t.result.rows, 60000);
	test_expect_notice(&t, "bad_step", TS_NOTICE_SKIPPED, 120002, 1);
	ts_buf_finish(&text);
	test_run_finish(&t);
}

/* If a table is cut anywhere, it has the rows that are whole and nothing else. */
static void a_cut_table_keeps_its_rows(void **state)
{
	static const char whole[] = "step,loss\n10,0.25\n11,0.125\n12,0.0625\n";

	(void)state;
	for (size_t cut = 10; cut < sizeof whole; cut++) {
		struct test_run t;
		uint64_t lines = 0;

		test_run_init(&t);
		test_write_bytes(&t, "a.csv", whole, cut);
		for (size_t i = 10; i < cut; i++)
			lines += whole[i] == '\n';
		{
			char path[256];

			(void)snprintf(path, sizeof path, "%s/a.csv", t.base);
			test_ingest_ok(&t, path);
		}
		assert_true(t.result.rows == lines || t.result.rows == lines + 1);
		test_run_finish(&t);
	}
}

/* If any allocation fails, the result is an error or the same run, without a leak or a crash. The reader is called directly. */
static void run_out_of_memory(struct test_run *t, const char *path)
{
	const struct ts_reader *reader;
	struct ts_id head;
	size_t n = 0;

	assert_int_equal(ts_reader_of(path, &reader, &t->err), TS_OK);
	assert_non_null(reader);
	test_ingest_ok(t, path);
	head = t->result.head;
	for (size_t at = 1;; at++) {
		struct ts_ingest_options options = {.path = path};
		struct ts_ingest_result result;
		struct ts_arena arena;
		struct ts_error err = {.status = TS_OK};
		enum ts_status status;

		ts_arena_init(&arena, 0);
		(void)ts_alloc_fail_at(at);
		status = reader->read(&options, test_objects_sink, &t->objects, &arena, &result, &err);
		n = ts_alloc_fail_at(0);
		ts_arena_finish(&arena);
		if (n < at) { /* the failing allocation was never reached, so this run had all its memory */
			assert_int_equal(status, TS_OK);
			break;
		}
		if (status && status != TS_NO_MEMORY)
			fail_msg("%s, allocation %zu: %s", path, at, err.text);
		if (!status && memcmp(result.head.bytes, head.bytes, TS_ID_BYTES) != 0)
			fail_msg("%s, allocation %zu: another run", path, at);
	}
	assert_true(n > 20);
}

static void every_allocation_may_fail(void **state)
{
	static const char *const paths[] = {GOLDEN "lightning_logs/version_0", GOLDEN "dvclive", GOLDEN "golden.json",
					    GOLDEN "losses.txt", "tests/golden/huggingface/full"};
	struct test_run t;
	char path[256];

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		test_run_init(&t);
		run_out_of_memory(&t, paths[i]);
		test_run_finish(&t);
	}
	test_run_init(&t);
	test_write(&t, "a.jsonl",
		   "{\"step\":1,\"a\":{\"loss\":0.5,\"t\":\"x\\ny\"}}\n{\"step\":3,\"a\":{\"loss\":1}}\n{\"step\":2,\"a\":{"
		   "\"loss\":1}}\nbad\n");
	(void)snprintf(path, sizeof path, "%s/a.jsonl", t.base);
	run_out_of_memory(&t, path);
	test_run_finish(&t);
}

/* Numbers that JSON spells otherwise. What stands behind a number in its line is no part of it. */
static void numbers_that_json_spells_otherwise(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		double value;
	} cases[] = {{"5.7", 2, 5}, {"5. ", 2, 5}, {"-5.", 3, -5}, {".57", 2, 0.5},
		     {"0012.5", 6, 12.5}, {"5.e3", 4, 5000}, {"+1.25", 5, 1.25}};
	static const char *const none[] = {".", "-", "5..", "1.2.3", "x5.", ""};
	struct ts_span written;
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (!ts_log_number(ts_span_of(cases[i].text, cases[i].len), &value, &written) || fabs(value - cases[i].value) > 0)
			fail_msg("the first %zu of '%s' are not %g", cases[i].len, cases[i].text, cases[i].value);
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		if (ts_log_number(ts_span_str(none[i]), &value, &written))
			fail_msg("'%s' is %g", none[i], value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_say_it_together),
		cmocka_unit_test(numbers_that_json_spells_otherwise),
		cmocka_unit_test(lightning_as_it_writes),
		cmocka_unit_test(dvclive_as_it_writes),
		cmocka_unit_test(deepspeed_as_it_writes),
		cmocka_unit_test(folders_of_series),
		cmocka_unit_test(a_folder_of_logs_is_a_run_each),
		cmocka_unit_test(reference_curves),
		cmocka_unit_test(tables),
		cmocka_unit_test(a_map_says_it_otherwise),
		cmocka_unit_test(a_map_that_is_wrong_is_an_error),
		cmocka_unit_test(what_is_no_log_of_steps_is_refused),
		cmocka_unit_test(a_cut_number_of_dvclive),
		cmocka_unit_test(hyperparameters_keep_their_type),
		cmocka_unit_test(text_is_kept),
		cmocka_unit_test(a_second_series_is_no_restart),
		cmocka_unit_test(times_are_recognised),
		cmocka_unit_test(a_time_that_only_rises_is_no_step_time),
		cmocka_unit_test(rows_of_an_evaluation_keep_to_themselves),
		cmocka_unit_test(decimals_are_seen),
		cmocka_unit_test(numbers_as_logs_write_them),
		cmocka_unit_test(long_lines_are_passed_over),
		cmocka_unit_test(lines_are_numbered),
		cmocka_unit_test(a_cut_table_keeps_its_rows),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
