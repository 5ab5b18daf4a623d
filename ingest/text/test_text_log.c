/* Text logs: what the programs of tests/golden/text wrote, templates, and lines as launchers and crashes leave them. */
#include "ingest/core/test_support.h"
#include "ingest/discover.h"
#include "ingest/text/reader_text.h"
#include "ingest/text/text_line.h"
#include "ingest/text/text_pattern.h"
#include "ingest/text/text_token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/text/"

/* The loss of make_logs.py at a step, as its program prints it. */
static const char check[] = "form, first, last, every, shift = sys.argv[1].split()\n"
			    "def loss_at(step): return 2 + 9 * math.exp(-step / 12) + 0.01 * ((step * 7) % 5)\n"
			    "want = {s: float(form % loss_at(s + int(shift))) for s in range(int(first), int(last) + 1, int(every))}\n"
			    "got = {}\n"
			    "for line in open(sys.argv[2]):\n"
			    "    row = json.loads(line)\n"
			    "    if 'loss' in row['scalars']: got[row['step']] = row['scalars']['loss']\n"
			    "for s in set(want) | set(got):\n"
			    "    assert abs(want[s] - got[s]) < 1e-12, (s, want.get(s), got.get(s))\n";

static void logs_as_they_are_written(void **state)
{
	static const struct {
		const char *file, *format, *losses, *precision, *source, *mean;
		uint64_t rows;
	} cases[] = {
		{"megatron.log", "Megatron-LM log", "%.6E 5 100 5 0", "6", "lm loss", "true", 20},
		{"nemo.log", "NeMo log", "%.4g 0 49 1 0", "2", "reduced_train_loss", "", 50},
		{"fairseq.log", "fairseq log", "%.3f 10 200 10 0", "3", "", "true", 20},
		{"fairseq_json.log", "fairseq log", "%.3f 10 200 10 0", "3", "", "true", 20},
		{"huggingface.log", "Hugging Face log", "%.4g 2 40 2 0", "3", "", "true", 20},
		{"huggingface4.log", "Hugging Face log", "%.4f 2 40 2 0", "4", "", "true", 20},
		{"tqdm.log", "progress bars of tqdm", NULL, "3", "", "", 41},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char path[128];
		struct test_run t;

		test_run_init(&t);
		(void)snprintf(path, sizeof path, GOLDEN "%s", cases[i].file);
		test_ingest_ok(&t, path);
		assert_string_equal(t.result.format, cases[i].format);
		assert_int_equal(t.result.rows, cases[i].rows);
		assert_int_equal(t.result.segments, 1);
		assert_int_equal(ts_notices_skipped(&t.result.notices), 0);
		assert_string_equal(test_fact(&t, "columns.scalars\\.loss.precision"), cases[i].precision);
		assert_string_equal(test_fact(&t, "columns.scalars\\.loss.source"), *cases[i].source ? cases[i].source : "loss");
		assert_string_equal(test_fact(&t, "columns.scalars\\.loss.interval_mean"), cases[i].mean);
		if (cases[i].losses)
			test_script(&t, check, cases[i].losses, NULL, "x");
		test_round_trip(&t);
		test_run_finish(&t);
	}
}

/* Milliseconds of an iteration are seconds of a step; the validation has its own column. */
static void megatron_has_units(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "megatron.log");
	assert_non_null(strstr(test_jsonl(&t), "\"step\":5,\"phases\":{\"step\":0.4173},"));
	assert_non_null(strstr(test_jsonl(&t), "\"tflops\":388.2}"));
	assert_string_equal(test_fact(&t, "columns.scalars\\.eval_loss.source"), "lm loss validation");
	assert_string_equal(test_fact(&t, "columns.step.source"), "iteration");
	/* Two lines before the first, one of memory, and two rules around each of two evaluations. */
	test_expect_notice(&t, "other_line", TS_NOTICE_INFO, 1, 7);
	test_run_finish(&t);
}

/* Rank 1 writes each line first. Colours are gone, "7,654" is a number, GiB are bytes, percent a ratio. */
static void torchtitan_has_ranks(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "torchtitan.log");
	assert_int_equal(t.result.n_ranks, 2);
	assert_int_equal(t.result.steps, 11);
	assert_int_equal(t.result.rows, 22);
	assert_non_null(strstr(test_jsonl(&t), "\"tokens_per_second\":7655.0"));
	assert_non_null(strstr(test_jsonl(&t), "\"memory\":{\"peak_reserved\":22011707392.0}"));
	assert_non_null(strstr(test_jsonl(&t), "\"mfu\":0.4171"));
	assert_string_equal(test_fact(&t, "columns.scalars\\.eval_loss.source"), "validation_metrics/loss");
	assert_int_equal(ts_notices_skipped(&t.result.notices), 0);
	test_script(&t,
		    "sys.argv[1] = '%.4f 10 100 10 0'\n"
		    "text = open(sys.argv[2]).read().split('\\n', 1)\n"
		    "assert '\"step\":1,' in text[0]\n"
		    "assert abs(json.loads(text[0])['scalars']['loss'] - 10.3004) < 1e-4\n",
		    "x", NULL, "x");
	test_run_finish(&t);
}

/* The last record is of the whole training. Without a bar there is no step. */
static void hugging_face_ends(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "huggingface.log");
	assert_true(t.result.finished);
	assert_string_equal(test_fact(&t, "session.wall_time"), "12.5");
	assert_string_equal(test_fact(&t, "session.huggingface.final.train_loss"), "3.25");
	assert_non_null(strstr(test_jsonl(&t), "\"step\":40,"));
	test_ingest_ok(&t, GOLDEN "stdout.log");
	assert_int_equal(t.result.last_step, 20);
	test_expect_notice(&t, "rows_numbered", TS_NOTICE_INFO, 0, 1);
	test_run_finish(&t);
}

/* Two epochs of four steps, each of whose records stands behind all states of the bar. */
#define BAR "\r 50%|#| 4/8 [00:01<00:01, 4.00it/s]\r100%|#| 8/8 [00:02<00:00, 4.00it/s]\n"
#define RECORDS                                                                                                                        \
	"{'loss': 4.5, 'epoch': 0.5}\n{'loss': 3.5, 'epoch': 1.0}\n{'eval_loss': 9.5, 'epoch': 1.0}\n"   \
	"{'loss': 2.5, 'epoch': 1.5}\n{'loss': 1.5, 'epoch': 2.0}\n"

static void records_apart_from_their_bar_have_the_steps_of_their_epochs(void **state)
{
	static const struct {
		const char *text, *steps;
	} cases[] = {
		{BAR RECORDS "{'train_runtime': 2.0, 'epoch': 2.0}\n", "2 4 6 8"},
		{BAR RECORDS, "2 4 6 8"}, /* the bar came to its end */
		/* Steps 1, 500, 1000, ... of 5,000 an epoch: four digits of the last epochs leave several steps open. */
		{"\r100%|#| 10000/10000 [00:02<00:00, 4.00it/s]\n{'loss': '4.5', 'epoch': '0.0002'}\n"
		 "{'loss': '4.5', 'epoch': '0.1'}\n{'loss': '3.5', 'epoch': '0.2'}\n"
		 "{'loss': '2.5', 'epoch': '1.6'}\n{'loss': '1.5', 'epoch': '1.8'}\n"
		 "{'train_runtime': '2', 'epoch': '2'}\n",
		 "1 500 1000 8000 9000"},
		{"\r100%|#| 9223372036854775807/9223372036854775807 [00:02<00:00, 4.00it/s]\n" RECORDS, "1 2 3 4"},
		/* How many epochs there were to be is not known. */
		{"\r 50%|#| 4/16 [00:01<00:01, 4.00it/s]\n" RECORDS, "1 2 3 4"},
		/* Epochs that are no whole steps. */
		{BAR "{'loss': 4.5, 'epoch': 0.33}\n{'loss': 3.5, 'epoch': 0.97}\n{'loss': 2.5, 'epoch': 1.41}\n"
		     "{'loss': 1.5, 'epoch': 2.0}\n",
		 "1 2 3 4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char got[64] = "";
		struct test_run t;
		size_t n = 0;

		test_run_init(&t);
		assert_int_equal(test_ingest_text(&t, "a.log", cases[i].text), TS_OK);
		for (const char *row = test_jsonl(&t); *row; row = strchr(row, '\n') + 1) {
			const char *step = strstr(row, "\"step\":") + 7;

			n += (size_t)snprintf(got + n, sizeof got - n, "%s%.*s", n ? " " : "", (int)strcspn(step, ","), step);
		}
		if (strcmp(got, cases[i].steps) != 0)
			fail_msg("case %zu: steps %s", i, got);
		if (i < 3)
			test_expect_notice(&t, "steps_by_epoch", TS_NOTICE_INFO, 0, 1);
		else
			test_expect_notice(&t, "rows_numbered", TS_NOTICE_INFO, 0, 1);
		test_run_finish(&t);
	}
}

/* DeepSpeed's timers belong to the record behind them; of two steps without one, the later's do. */
static void timers_stand_before_their_record(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	assert_int_equal(
		test_ingest_text(&t, "a.log",
				 "[x] [Rank 0] time (ms) | optimizer_step: 19.5\n[x] [Rank 0] time (ms) | fwd: 250 | step: 500.00\n"
				 "{'loss': 2.5, 'epoch': 0.5}\n[x] [Rank 0] time (ms) | fwd: 9 | step: 9.00\n"
				 "[x] [Rank 0] time (ms) | fwd: 500 | step: 250.00\n{'loss': 2.0, 'epoch': 1.0}\n"),
		TS_OK);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"phases\":{\"forward\":0.25,\"optimizer\":0.5},\"scalars\":{"
					    "\"loss\":2.5,\"optimizer_step(ms)\":19.5},"
					    "\"epoch\":0.5}\n{\"rank\":0,\"step\":2,\"phases\":{\"forward\":0.5,\"optimizer\":0.25},"
					    "\"scalars\":{\"loss\":2.0},\"epoch\":1.0}\n");
	test_run_finish(&t);
}

/* --- lines by hand --- */

static void rows_of(struct test_run *t, char out[512])
{
	const char *text = test_jsonl(t);
	size_t n = 0;

	out[0] = '\0';
	for (const char *row = text; row && *row; row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL) {
		const char *step = strstr(row, "\"step\":"), *loss = strstr(row, "\"loss\":"), *end = strchr(row, '\n');
		int w = loss && loss < end ? (int)strcspn(loss + 7, ",}") : 0;

		n += (size_t)snprintf(out + n, 512 - n, "%s%.*s", n ? "|" : "", (int)strcspn(step + 7, ","), step + 7);
		n += (size_t)snprintf(out + n, 512 - n, "%s%.*s", w ? " " : "", w, w ? loss + 7 : "");
	}
}

/* A last line without a line end is whole if its last number has the decimals that all have; it may be cut, if they differ or are
 * few. */
static void a_last_line_that_is_whole(void **state)
{
#define FIVE "step 1 loss: 2.50\nstep 2 loss: 2.25\nstep 3 loss: 2.00\nstep 4 loss: 1.75\nstep 5 loss: 1.50\n"
	static const struct {
		const char *text, *rows;
		uint64_t cut; /* the line that is left out */
	} cases[] = {
		{FIVE "step 6 loss: 1.25", "1 2.5|2 2.25|3 2.0|4 1.75|5 1.5|6 1.25", 0},
		{FIVE "step 6 loss: 1.2", "1 2.5|2 2.25|3 2.0|4 1.75|5 1.5", 6},
		{FIVE "step 6 loss: 1.255", "1 2.5|2 2.25|3 2.0|4 1.75|5 1.5", 6},
		{"step 0 loss: 2.755\n" FIVE "step 6 loss: 1.25", "0 2.755|1 2.5|2 2.25|3 2.0|4 1.75|5 1.5", 7},
		{"step 1 loss: 2.50\nstep 2 loss: 2.25\nstep 3 loss: 2.00\nstep 4 loss: 1.75\nstep 5 loss: 1.50",
		 "1 2.5|2 2.25|3 2.0|4 1.75", 5},
	};
	char rows[512];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		if (test_ingest_text(&t, "a.log", cases[i].text))
			fail_msg("case %zu: %s", i, t.err.text);
		rows_of(&t, rows);
		if (strcmp(rows, cases[i].rows) != 0)
			fail_msg("case %zu: %s", i, rows);
		if (cases[i].cut)
			test_expect_notice(&t, "cut_line", TS_NOTICE_SKIPPED, cases[i].cut, 1);
		test_run_finish(&t);
	}
}

/* What tqdm's set_description puts before the bar. A bar of something else may have numbers there, too. */
static void bars_that_are_described(void **state)
{
	char rows[512];
	struct test_run t;

	(void)state;
	test_run_init(&t);
	assert_int_equal(test_ingest_text(&t, "a.log",
					  "Map (num_proc=4):  50%|#| 1/2 [00:01<00:01, 1.00it/s]\r"
					  "Map (num_proc=4): 100%|#| 2/2 [00:02<00:00, 1.00it/s]\n"
					  "Epoch 1/2 loss 2.5 acc -0.5:  50%|#| 1/2 [00:01<00:01, 1.00it/s]\r"
					  "Epoch 1/2 loss 2.25 acc 0.5: 100%|#| 2/2 [00:02<00:00, 1.00it/s]\n"
					  "Epoch 2/2 loss 2.0 acc 0.5:  50%|#| 1/2 [00:01<00:01, 1.00it/s, lr=0.5]\r"
					  "Epoch 2/2 loss 1.5 acc 0.5: 100%|#| 2/2 [00:02<00:00, 1.00it/s, lr=0.25]\n"),
			 TS_OK);
	assert_string_equal(t.result.format, "progress bars of tqdm");
	rows_of(&t, rows);
	assert_string_equal(rows, "1 2.5|2 2.25|3 2.0|4 1.5");
	assert_non_null(strstr(test_jsonl(&t), "\"lr\":0.25},\"epoch\":2.0}"));
	assert_null(strstr(test_jsonl(&t), "num_proc"));
	test_run_finish(&t);
}

/* Where the end of each bar alone is printed, as into a file, a further epoch or a further line is a further bar; a bar that is closed
 * prints its end once more. */
static void bars_of_which_the_end_is_printed(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"Epoch 0: 100%|#| 10/10 [00:05<00:00, 2it/s, loss=2.5]\rEpoch 0: 100%|#| 10/10 [00:05<00:00, 2it/s, loss=2.25]\n"
		 "Epoch 1: 100%|#| 10/10 [00:05<00:00, 2it/s, loss=2.0]\nEpoch 2: 100%|#| 10/10 [00:05<00:00, 2it/s, loss=1.5]\n",
		 "10 2.25|20 2.0|30 1.5"},
		{"acc: 0.5, loss: 2.5 ||: 100%|#| 10/10 [00:05<00:00, 2it/s]\n"
		 "acc: 0.5, loss: 2.0 ||: 100%|#| 10/10 [00:05<00:00, 2it/s]\n"
		 "acc: 0.5, loss: 1.5 ||: 100%|#| 10/10 [00:05<00:00, 2it/s]\n",
		 "10 2.5|20 2.0|30 1.5"},
		{"100%|#| 9/10 [00:05<00:00, 2it/s, loss=2.5]\n100%|#| 10/10 [00:05<00:00, 2it/s, loss=2.0]\n"
		 "100%|#| 10/10 [00:05<00:00, 2it/s, loss=1.5]\n",
		 "9 2.5|10 1.5"},
	};
	char rows[512];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		if (test_ingest_text(&t, "a.log", cases[i].text))
			fail_msg("case %zu: %s", i, t.err.text);
		rows_of(&t, rows);
		if (strcmp(rows, cases[i].want) != 0)
			fail_msg("case %zu: %s", i, rows);
		test_run_finish(&t);
	}
}

static void lines(void **state)
{
	static const struct {
		const char *text, *want, *notice;
	} cases[] = {
		{" iteration 5/ 9 | lm loss: 2.5E+00 |\n iteration 6/ 9 | lm loss: nan |\n", "5 2.5|6 \"NaN\"", NULL},
		{" iteration 5/ 9 | lm loss 2.5E+00 | loss scale 1.0 |\n", "5 2.5", NULL},
		{"3: [rank3]: iteration 5/ 9 | lm loss: 2.5 |\r\n", "5 2.5", NULL},
		{"[default0]:iteration 5/ 9 | lm loss: 2.5 |\n[default1]:iteration 5/ 9 | lm loss: 9 |\n", "5 2.5|5 9.0", NULL},
		{"[1,0]<stdout>: iteration 5/ 9 | lm loss: 2.5 |\n", "5 2.5", NULL},
		{"\x1b[1m\x1b[0;31miteration 5/ 9\x1b[0m | lm loss: 2.5 |\n", "5 2.5", NULL},
		{"\x1b]0;title\x07iteration 5/ 9 | lm loss: 2.5 |\n", "5 2.5", NULL},
		{"iteration 5/ 9 | lm loss: 2.5 |\niteration 6/ 9 | lm loss: 2.", "5 2.5", "cut_line"},
		{"iteration 5/ 9 | lm loss: 2.5 |\niteration 6/ 9 | lm loss: 2 |\niteration 6/ 9 | lm loss: 3 |\n", "5 2.5|6 3.0",
		 "repeated_value"},
		{"iteration 7/ 9 | lm loss: 2.5 |\niteration 8/ 9 | lm loss: 2 |\niteration 7/ 9 | lm loss: 3 |\n", "7 3.0", "restart"},
		{"iteration 5/ 9 | lm loss: 1,234 |\niteration 6/ 9 | lm loss: 1,2 |\niteration 7/ 9 | lm loss: 1,23 |\n"
		 "iteration 8/ 9 | lm loss: 1,2345 |\niteration 9/ 9 | lm loss: 1,234,5 |\n", "5 1234.0", "other_line"},
		{"iteration 5/ 9 | lm loss: 2.5 | what: now |\n", "5 2.5", "not_scalar"},
		{"step: 5  loss:  2.5  tps: 1,234\nmy loss: 3\n", "5 2.5", "other_line"},
		{"preiteration 4/ 9 | lm loss: 1 |\niteration 5/ 9 | lm loss: 2.5 |\n", "5 2.5", "other_line"},
		{"{'loss': 2.5, 'epoch': 0.1}\n{'loss': 1.5, 'epoch': 0.2}\n{'eval_loss': 3, 'epoch': 0.2}\n", "1 2.5|2 1.5",
		 "rows_numbered"},
		{"{'loss': 2.5, 'epoch': 0.1}\n 10%|# | 3/30 [00:01<00:02, 3it/s]\r", "3 2.5", NULL},
		{"  0%| | 0/4 [00:00<?]\r{'loss': 2.5, 'x': {'a': [1, '}']}, 'epoch': 1}\n 50%|# | 2/4 [0:1<0:1]\r", "2 2.5", NULL},
		{"{'loss': 2.5, 'epoch': 0.1}\n{'loss': 2.5, 'epoch\n", "1 2.5", "other_line"},
		{"E 1:  50%|# | 1/2 [0:1<0:1, 1it/s, loss=2.5]\rE 1: 100%|##| 2/2 [0:2<0:0, loss=2]\r"
		 "E 2:  50%|# | 1/2 [0:1<0:1, loss=1]\r",
		 "1 2.5|2 2.0|3 1.0", NULL},
		{"  50%|# | 1/2 [0:1<0:1, loss=2.5]\r  50%|# | 1/2 [0:1<0:1, loss=2.25]\r 100%|##| 2/2 [0:1<0:1, lo", "1 2.25",
		 "other_line"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		char got[512];

		test_run_init(&t);
		if (test_ingest_text(&t, "a.log", cases[i].text))
			fail_msg("%s: %s", cases[i].text, t.err.text);
		rows_of(&t, got);
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: %s", cases[i].text, test_jsonl(&t));
		if (cases[i].notice && !test_notice(&t, cases[i].notice))
			fail_msg("%s: no notice %s", cases[i].text, cases[i].notice);
		for (size_t n = 0; !cases[i].notice && n < t.result.notices.n; n++)
			fail_msg("%s: %s", cases[i].text, t.result.notices.items[n].code);
		test_run_finish(&t);
	}
}

/* --- templates --- */

static enum ts_status by_template(struct test_run *t, const char *text, const char *pattern)
{
	struct ts_ingest_options options = {.path = t->path, .patterns = &pattern, .n_patterns = 1};

	test_write(t, "run", text);
	ts_arena_reset(&t->arena);
	return ts_text_read(&options, test_objects_sink, &t->objects, &t->arena, &t->result, &t->err);
}

static void templates_read_ones_own_lines(void **state)
{
	static const struct {
		const char *pattern, *text, *want;
	} cases[] = {
		{"step {step} loss {loss} lr {lr}", "2026 INFO step 5 loss 2.5 lr 1e-3 and more\nnothing\n", "5 2.5"},
		{"step={step}, loss={loss},", "x step=5, loss=2.5, y\nx step=6, loss=1,234, y\n", "5 2.5|6 1234.0"},
		{"{step},{loss},{n}", "5,2.5,1\n6,100,200\n7 , 1.5 , 1,234\n", "5 2.5|6 100.0"}, /* a list has no commas in numbers */
		{"{step} ,{} ,{loss}", "5,11:20 h, x,2.5\n5 ,11:20 h,2.5\n6,a b,1.5\n", "5 2.5|6 1.5"},
		{"[{}] {{{step}}} loss:{loss}s", "[a b] {5} loss: 2.5s\n[ab] {6} loss: 1.5s\n", "5 2.5|6 1.5"},
		{"at {step} {} loss {loss} {} lr {lr}",
		 "at 5 loss 2.5 lr 1\nat 6 a, b: loss 1.5 time 3 s lr 1\nat 7 x loss 1 y lr z lr 1\n", "6 1.5|7 1.0"},
		{"GPU {}: used {loss}", "GPU /device:GPU:0: used 2.5\nGPU 0: used 1.5\n", "0 2.5|1 1.5"},
		{"Step {step}/{} loss {loss}", "Step 5/10 loss 2.5\nStep 6/10 loss -inf\n", "5 2.5|6 \"-Infinity\""},
		{"step {step} loss {loss}", "a step step 5 loss 2.5\nstep 6 loss 1.2.3\n", "5 2.5|6 \"1.2.3\""},
		{"step {step} {*}", "step 5 lr 3 | loss: 2.5\nstep six loss 9\n", "5 2.5"},
		{"{*} at {step}", "loss 2.5 at 5\nloss=1.5 at 6\n", "5 2.5|6 1.5"},
		{"{*}", "step: 5, loss: 2.5\nsome words loss: 9 and more\n", "5 2.5"},
		{"step {step} in {loss}", "step 5 in 0:01:30\nstep 6 in 1 day, 0:00:02\nstep 7 in 00:12.5\n",
		 "5 90.0|6 86402.0|7 12.5"},
		{"step {step} loss {loss}", "step 5/90 loss 12/400\n", "5 12.0"},
		{"Epoch [{epoch}] [{step}/{}] loss {loss}",
		 "Epoch [3] [0/10] loss 4\nEpoch [3] [5/10] loss 3\nEpoch [4] [0/10] loss 2\n", "30 4.0|35 3.0|40 2.0"},
		{"Epoch [{epoch}] [{step}/{}] loss {loss}",
		 "Epoch [3] [5/10] loss 4\nEpoch [3] [10/10] loss 3\nEpoch [4] [5/10] loss 2\n", "25 4.0|30 3.0|35 2.0"},
		{"epoch {epoch} step {step} loss {loss}", "epoch 0 step 9 loss 4\nepoch 1 step 19 loss 3\n", "9 4.0|19 3.0"},
		{"{step} {loss}", "5 2.5\n6 words\n7 1.5 9\n  8   0.5\n", "5 2.5|8 0.5"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		char got[512];

		test_run_init(&t);
		if (by_template(&t, cases[i].text, cases[i].pattern))
			fail_msg("%s: %s", cases[i].pattern, t.err.text);
		assert_string_equal(t.result.format, "text log, by a template");
		rows_of(&t, got);
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: %s", cases[i].pattern, test_jsonl(&t));
		test_run_finish(&t);
	}
}

/* Lines of one step: of a block whose first line has it, whose last does, whose inner one does, and of none. */
static void templates_of_one_step(void **state)
{
	static const char *const loss_and_step[] = {"loss is {loss}", "step {step}"};
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"step 1\nloss is 4\nstep 2\nloss is 3\nstep 3\nloss is 2\n", "1 4.0|2 3.0|3 2.0"},
		{"loss is 4\nstep 1\nloss is 3\nstep 2\nloss is 2\nstep 3\n", "1 4.0|2 3.0|3 2.0"},
		{"loss is 4\nstep 1\nloss is 3\nstep 2\nloss is 2\n", "1 4.0|2 3.0"},
		{"step 1\nloss is 4\nstep 2\nstep 3\nloss is 2\n", "1 4.0|3 2.0"},
		{"loss is 4\nloss is 3\n", "0 4.0|1 3.0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		struct ts_ingest_options options = {.patterns = loss_and_step, .n_patterns = 2};
		char got[512];

		test_run_init(&t);
		options.path = t.path;
		test_write(&t, "run", cases[i].text);
		if (ts_text_read(&options, test_objects_sink, &t.objects, &t.arena, &t.result, &t.err))
			fail_msg("%s: %s", cases[i].text, t.err.text);
		rows_of(&t, got);
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: %s", cases[i].text, test_jsonl(&t));
		test_run_finish(&t);
	}
}

static void templates_that_are_none(void **state)
{
	static const char *const cases[][2] = {
		{"step {step", "character 6: a brace"},
		{"step} {step}", "character 5: a brace"},
		{"step {a{b}", "a name that has a brace"},
		{"{step}{loss}", "character 7: a field right behind another"},
		{"loss {}", "no field with a name"},
		{"loss {*} step {step}", "{*} that is neither at the beginning nor at the end"},
		{"", "no field with a name"},
		{"step \xff{step}", "is not text"},
		{"step {step} loss {loss}", "no line of a step in it that the template fits"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		assert_int_equal(by_template(&t, "nothing here\n", cases[i][0]), TS_INVALID);
		if (!strstr(t.err.text, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], t.err.text);
		test_run_finish(&t);
	}
}

/* --- where logs lie --- */

static const char step_line[] = "starting\n iteration 5/ 9 | lm loss: 2.5 |\n";

static void names_of_logs(void **state)
{
	static const struct {
		const char *name;
		bool is;
	} cases[] = {{"train.log", true}, {"log.txt", true},  {"slurm-17.out", true}, {"job.o1234", true}, {"stdout", true},
		     {"job.e7", true},	  {"job.old", false}, {"model.bin", false},   {"train.py", false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		test_write(&t, cases[i].name, step_line);
		(void)snprintf(path, sizeof path, "%s/%s", t.base, cases[i].name);
		if ((ts_text_sniff(path) > 0) != cases[i].is)
			fail_msg("%s", cases[i].name);
		test_write_bytes(&t, cases[i].name, "\0iteration 5/ 9 | lm loss: 2.5 |\n", 33);
		assert_int_equal(ts_text_sniff(path), 0);
		test_run_finish(&t);
	}
}

/* What a training printed is a run only in a folder that has no other record of it. */
static void a_log_counts_where_nothing_else_is(void **state)
{
	struct ts_found_run *runs;
	struct test_run t;
	size_t n;

	(void)state;
	test_run_init(&t);
	test_write(&t, "all/a/train.log", step_line);
	test_write(&t, "all/a/more/metrics.csv", "step,loss\n1,2\n");
	test_write(&t, "all/b/train.log", step_line);
	test_write(&t, "all/b2/metrics.csv", "step,loss\n1,2\n");
	(void)snprintf(t.path, sizeof t.path, "%s/all", t.base);
	assert_int_equal(ts_discover(t.path, &t.arena, &runs, &n, &t.err), TS_OK);
	assert_int_equal(n, 3);
	assert_string_equal(runs[0].name, "a/more/metrics.csv");
	assert_string_equal(runs[1].name, "b/train.log");
	assert_string_equal(runs[2].name, "b2/metrics.csv");
	(void)snprintf(t.path, sizeof t.path, "%s/all/a/train.log", t.base);
	assert_int_equal(ts_discover(t.path, &t.arena, &runs, &n, &t.err), TS_OK);
	assert_string_equal(runs[0].reader->name, "text log");
	assert_int_equal(ts_discover_as(runs[0].reader, t.base, &t.arena, &runs, &n, &t.err), TS_INVALID);
	test_run_finish(&t);
}

static void prefixes(void **state)
{
	static const struct {
		const char *raw, *text;
		int32_t rank;
		bool time;
	} cases[] = {
		{"[rank3]: a b", "a b", 3, false},
		{"[rank3]:[titan] a", "[titan] a", 3, false},
		{"12: a", "a", 12, false},
		{"12:30:01 a", "12:30:01 a", TS_TEXT_NO_RANK, false},
		{"[1,7]<stderr>:a", "a", 7, false},
		{"[2026-11-20] a", "[2026-11-20] a", TS_TEXT_NO_RANK, false},
		{"2026-11-20T11:27:00.5Z [rank1]: a", "a", 1, true},
		{"2026-11-20T11:27:00 a", "2026-11-20T11:27:00 a", TS_TEXT_NO_RANK, false},
		{"[rank1234567]: a", "[rank1234567]: a", TS_TEXT_NO_RANK, false},
		{"[epoch3]: a", "[epoch3]: a", TS_TEXT_NO_RANK, false},
		{"INFO [Rank 3] a", "INFO [Rank 3] a", 3, false},
		{"a: 5, \"local_rank\": 3, b", "a: 5, \"local_rank\": 3, b", 3, false},
		{"lora_rank=16 rank 3.5 franks 3 rank3d", "lora_rank=16 rank 3.5 franks 3 rank3d", TS_TEXT_NO_RANK, false},
		{"[GPU 2] a", "[GPU 2] a", 2, false},
		{"[2] a", "[2] a", 2, false},
		{"(Worker_1 pid=4000, ip=10.0.0.2) a", "a", 4000, false},
		{"(Worker pids=4000) a", "(Worker pids=4000) a", TS_TEXT_NO_RANK, false},
		{"GPU 2 memory: 3", "GPU 2 memory: 3", TS_TEXT_NO_RANK, false},
		{"\x1b", "", TS_TEXT_NO_RANK, false},
		{"a\x1b[", "a", TS_TEXT_NO_RANK, false},
		{"[", "[", TS_TEXT_NO_RANK, false},
		{"a#011b:2", "a\tb:2", TS_TEXT_NO_RANK, false},
		{"Epoch #011 a", "Epoch #011 a", TS_TEXT_NO_RANK, false},
		{"", "", TS_TEXT_NO_RANK, false},
	};
	struct ts_buf scratch = TS_BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_text_line line;
		struct ts_error err;

		assert_int_equal(ts_text_line_clean(ts_span_str(cases[i].raw), &scratch, &line, &err), TS_OK);
		if (!ts_span_is(line.text, cases[i].text) || line.rank != cases[i].rank || (line.time.len > 0) != cases[i].time)
			fail_msg("%s: '%.*s' %d", cases[i].raw, TS_SPAN_ARG(line.text), line.rank);
	}
	ts_buf_finish(&scratch);
}

/* The units of the numbers of a line: of rates in a row each has its own, and a number without a unit takes none. */
static void rates_in_a_row(void **state)
{
	static const struct {
		const char *line, *units[2];
	} cases[] = {{"71.2 samples/sec 1971 tokens/sec", {"samples/sec", "tokens/sec"}},
		     {"71.2 samples/sec 1971 loss", {"", ""}},
		     {"71.2 samples/sec 1971 MiB", {"", "MiB"}}};
	struct ts_text_tokens *tokens = malloc(sizeof *tokens);

	(void)state;
	assert_non_null(tokens);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t n = 0;

		ts_text_tokenize(ts_span_str(cases[i].line), tokens);
		for (size_t k = 0; k < tokens->n; k++) {
			if (tokens->items[k].kind != TS_TEXT_NUMBER)
				continue;
			assert_true(n < 2);
			if (!ts_span_is(tokens->items[k].unit, cases[i].units[n++]))
				fail_msg("%s: number %zu has the unit '%.*s'", cases[i].line, n, TS_SPAN_ARG(tokens->items[k].unit));
		}
		assert_int_equal(n, 2);
	}
	free(tokens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_in_a_row),
		cmocka_unit_test(logs_as_they_are_written),
		cmocka_unit_test(megatron_has_units),
		cmocka_unit_test(torchtitan_has_ranks),
		cmocka_unit_test(bars_that_are_described), cmocka_unit_test(bars_of_which_the_end_is_printed),
		cmocka_unit_test(a_last_line_that_is_whole),
		cmocka_unit_test(hugging_face_ends),
		cmocka_unit_test(records_apart_from_their_bar_have_the_steps_of_their_epochs),
		cmocka_unit_test(timers_stand_before_their_record),
		cmocka_unit_test(lines),
		cmocka_unit_test(templates_read_ones_own_lines),
		cmocka_unit_test(templates_of_one_step),
		cmocka_unit_test(templates_that_are_none),
		cmocka_unit_test(names_of_logs),
		cmocka_unit_test(a_log_counts_where_nothing_else_is),
		cmocka_unit_test(prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
