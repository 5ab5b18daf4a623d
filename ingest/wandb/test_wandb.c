/* W&B's logs: what a script gave to run.log (tests/golden/wandb/expected.json), what old SDKs wrote, and damage. */
#include "ingest/core/test_support.h"

#include "base/file.h"
#include "base/limits.h"
#include "ingest/discover.h"
#include "ingest/wandb/wandb_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/wandb/wandb/"
#define PLAIN GOLDEN "offline-run-20261121_000000-plain001"
#define KINDS GOLDEN "offline-run-20261121_000001-kinds002"
#define MEDIA GOLDEN "offline-run-20261121_000002-media003"
#define BLOCKS GOLDEN "offline-run-20261121_000003-blocks04"
#define RESUMED GOLDEN "offline-run-20261121_000004-resumed5"
#define AGAIN GOLDEN "offline-run-20261121_000005-resumed5"
#define FAILED GOLDEN "offline-run-20261121_000006-failed07"
#define CRASHED GOLDEN "offline-run-20261121_000007-crashed6"
#define HF_AXIS GOLDEN "offline-run-20261121_000008-hfaxis08"
#define VAL_AXIS GOLDEN "offline-run-20261121_000009-valaxis9"
#define HF_FIRST GOLDEN "offline-run-20261121_000010-hfagain0"
#define HF_SECOND GOLDEN "offline-run-20261121_000011-hfagain0"

static const char check[] =
	"want = json.load(open('tests/golden/wandb/expected.json'))[sys.argv[1]]\n"
	"ours = {'train/loss': 'loss', 'train/learning_rate': 'lr', 'eval/loss': 'eval_loss'}\n"
	"got = {}\n"
	"for line in open(sys.argv[2]):\n"
	"    row = json.loads(line)\n"
	"    for k, v in flat(row.get('scalars', {})): got.setdefault(k, []).append([row['step'], v])\n"
	"    assert 1.79e9 < row['timestamp'] < 2e9, row\n"
	"words = {'nan': 'NaN', 'inf': 'Infinity', '-inf': '-Infinity'}\n"
	"want = {ours.get(t, t): [[s, words.get(x, x) if isinstance(x, str) else x] for s, x in v] for t, v in want.items()}\n"
	"assert set(got) == set(want), set(got) ^ set(want)\n"
	"for k in want: assert repr(got[k]) == repr(want[k]) or got[k] == want[k] and k != 'odd', (k, got[k], want[k])\n";

static void reads_what_was_logged(void **state)
{
	static const char *const runs[][2] = {{PLAIN, "plain001"},  {KINDS, "kinds002"},   {MEDIA, "media003"},
					      {BLOCKS, "blocks04"}, {RESUMED, "resumed5"}, {AGAIN, "resumed5 again"},
					      {FAILED, "failed07"}, {CRASHED, "crashed6"}, {HF_AXIS, "hfaxis08"},
					      {VAL_AXIS, "valaxis9"}};

	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		test_ingest_ok(&t, runs[i][0]);
		test_script(&t, check, runs[i][1], NULL, " ");
		test_round_trip(&t);
		test_run_finish(&t);
	}
}

static void what_the_log_says_of_the_run(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, PLAIN);
	assert_string_equal(t.result.format, "W&B log");
	assert_true(t.result.finished);
	assert_string_equal(test_fact(&t, "config.lr"), "0.2"); /* the first value was 0.1 */
	assert_string_equal(test_fact(&t, "config.model.layers"), "4");
	assert_string_equal(test_fact(&t, "config.model.name"), "gpt-tiny");
	assert_string_equal(test_fact(&t, "config.betas[1]"), "0.95");
	assert_string_equal(test_fact(&t, "config.api_key"), "<redacted>");
	assert_string_equal(test_fact(&t, "libraries.python"), "3.11.7");
	assert_string_equal(test_fact(&t, "libraries.wandb"), "0.31.0");
	assert_string_equal(test_fact(&t, "libraries.torch"), "2.13.0");
	assert_string_equal(test_fact(&t, "libraries.torch-unknown"), "");
	assert_string_equal(test_fact(&t, "hardware.platform"), "Linux-6.1.0-amd64-x86_64-with-glibc2.36");
	assert_string_equal(test_fact(&t, "session.name"), "plain");
	assert_string_equal(test_fact(&t, "session.host"), "host-a");
	assert_string_equal(test_fact(&t, "session.user"), "someone");
	assert_string_equal(test_fact(&t, "other.wandb.run_id"), "plain001");
	assert_string_equal(test_fact(&t, "other.wandb.project"), "golden");
	assert_string_equal(test_fact(&t, "other.wandb.group"), "g");
	assert_string_equal(test_fact(&t, "other.wandb.job_type"), "train");
	assert_string_equal(test_fact(&t, "other.wandb.notes"), "forty steps");
	assert_string_equal(test_fact(&t, "other.wandb.tags[1]"), "second");
	assert_string_equal(test_fact(&t, "other.wandb.exit_code"), "0");
	assert_string_equal(test_fact(&t, "other.wandb.summary.best"), "0.125");
	assert_string_equal(test_fact(&t, "other.wandb.summary.lr"), "0.5"); /* this is not the last value of the series */
	assert_string_equal(test_fact(&t, "other.wandb.summary.tokens"), ""); /* this is the last value of the series */
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.source"), "train/loss");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.precision"), "");
	assert_string_equal(test_fact(&t, "columns.system\\.memory_percent.role"), "observation");
	test_ingest_ok(&t, FAILED);
	assert_false(t.result.finished);
	assert_string_equal(test_fact(&t, "other.wandb.exit_code"), "1");
	test_ingest_ok(&t, CRASHED);
	assert_false(t.result.finished);
	assert_string_equal(test_fact(&t, "other.wandb.exit_code"), "");
	test_run_finish(&t);
}

/* The steps of these two are those of expected.json: reads_what_was_logged. */
static void the_axis_that_most_values_are_drawn_over(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, HF_AXIS);
	assert_string_equal(test_fact(&t, "columns.step.source"), "train/global_step");
	assert_string_equal(test_fact(&t, "session.name"), "gpt tiny/lr 1e-3");
	assert_string_equal(test_fact(&t, "other.wandb.summary.train/global_step"), "");
	assert_int_equal(t.result.segments, 1); /* the evaluation is a second record of its step, and no restart */
	assert_null(test_notice(&t, "repeated_value")); /* its epoch comes again as it was */
	test_ingest_ok(&t, VAL_AXIS);
	assert_string_equal(test_fact(&t, "columns.step.source"), "");
	assert_non_null(strstr(test_jsonl(&t), "\"epoch\":2.0"));
	test_run_finish(&t);
}

static void what_is_no_value_is_counted(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, MEDIA);
	test_expect_notice(&t, "not_scalar", TS_NOTICE_SKIPPED, 0, 3);
	assert_string_equal(test_fact(&t, "other.wandb.summary.weights._type"), "");
	test_ingest_ok(&t, KINDS);
	test_expect_notice(&t, "big_integer", TS_NOTICE_INFO, 0, 5); /* 2^60 is a double, but the five integers behind it are not */
	t.strict = true;
	assert_int_equal(test_ingest_path(&t, MEDIA), TS_INVALID);
	test_run_finish(&t);
}

/* The parts are read in the order of time, in whatever order they are named. */
static void parts_of_a_resumed_run_are_one_run(void **state)
{
	static const char *const later[] = {HF_SECOND}, *const earlier[] = {HF_FIRST}, *const again[] = {AGAIN};
	struct ts_id head;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	t.n_more = 1;
	t.more = later;
	test_ingest_ok(&t, HF_FIRST);
	test_script(&t, check, "hfagain0", NULL, " ");
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.superseded, 2); /* steps 50 and 60, which the second part executed again */
	assert_true(t.result.finished);
	assert_string_equal(test_fact(&t, "other.wandb.parts"), "2");
	assert_string_equal(test_fact(&t, "session.wall_time"), "");
	head = t.result.head;
	t.more = earlier;
	test_ingest_ok(&t, HF_SECOND);
	assert_memory_equal(&t.result.head, &head, sizeof head);
	t.more = again;
	test_ingest_ok(&t, RESUMED); /* 6 steps and 6 more, with the steps that were given */
	assert_int_equal(t.result.steps, 12);
	assert_int_equal(t.result.segments, 1);
	test_run_finish(&t);
}

static void folders_hold_runs(void **state)
{
	struct ts_found_run *runs;
	struct ts_arena arena;
	struct ts_error err;
	size_t n;

	(void)state;
	ts_arena_init(&arena, 0);
	if (ts_discover("tests/golden/wandb", &arena, &runs, &n, &err))
		fail_msg("%s", err.text);
	assert_int_equal(n, 10);
	assert_string_equal(runs[0].name, "wandb/offline-run-20261121_000000-plain001");
	assert_string_equal(runs[0].own_name, "plain");
	assert_int_equal(runs[0].n_more, 0);
	assert_string_equal(runs[4].path, RESUMED);
	assert_int_equal(runs[4].n_more, 1);
	assert_string_equal(runs[4].more[0], AGAIN);
	assert_string_equal(runs[6].name, "wandb/offline-run-20261121_000007-crashed6");
	assert_string_equal(runs[9].own_name, "hf again");
	assert_string_equal(runs[9].more[0], HF_SECOND);
	ts_arena_finish(&arena);
}

/* --- logs of our own making --- */

enum { RECORDS_MAX = 64 };

/* A log, and the place of each record in it, from the head of its first chunk to the end of its last chunk. */
struct made {
	struct ts_buf bytes;
	size_t from[RECORDS_MAX], to[RECORDS_MAX];
	size_t n;
};

static void made_init(struct made *m)
{
	*m = (struct made){.bytes = TS_BUF_INIT(64 << 20)};
	ts_buf_bytes(&m->bytes, ":W&B\xe1\xbe", 7);
}

static void chunk(struct made *m, uint8_t type, struct ts_span data)
{
	uint32_t crc = (uint32_t)crc32(crc32(0, &type, 1), data.data, (uInt)data.len);

	ts_buf_u32(&m->bytes, crc);
	ts_buf_u16(&m->bytes, (uint16_t)data.len);
	ts_buf_u8(&m->bytes, type);
	ts_buf_span(&m->bytes, data);
}

static void record(struct made *m, struct ts_span data)
{
	bool first = true;

	for (;;) {
		size_t left = TS_WANDB_BLOCK - m->bytes.len % TS_WANDB_BLOCK, n;
		bool last;

		if (left < 7) {
			ts_buf_bytes(&m->bytes, "\0\0\0\0\0\0", left);
			left = TS_WANDB_BLOCK;
		}
		n = data.len < left - 7 ? data.len : left - 7;
		last = n == data.len;
		if (first && m->n < RECORDS_MAX)
			m->from[m->n] = m->bytes.len;
		chunk(m, first && last ? 1 : first ? 2 : last ? 4 : 3, ts_span_of(data.data, n));
		data = ts_span_of(data.data + n, data.len - n);
		first = false;
		if (last)
			break;
	}
	if (m->n < RECORDS_MAX)
		m->to[m->n++] = m->bytes.len;
}

static void field(struct ts_buf *b, uint32_t number, struct ts_span bytes)
{
	uint64_t head[2] = {(uint64_t)number << 3 | 2, bytes.len};

	for (int i = 0; i < 2; i++) {
		for (; head[i] > 127; head[i] >>= 7)
			ts_buf_u8(b, (uint8_t)(head[i] | 128));
		ts_buf_u8(b, (uint8_t)head[i]);
	}
	ts_buf_span(b, bytes);
}

/* Adds an item: "a.b" is written as nested keys, "=a" as one key. */
static void item(struct ts_buf *message, uint32_t number, const char *key, const char *json)
{
	struct ts_buf b = TS_BUF_INIT(32 << 20);

	if (*key == '=') {
		field(&b, 1, ts_span_str(key + 1));
	} else {
		for (const char *at = key;; at++) {
			size_t n = strcspn(at, ".");

			field(&b, 2, ts_span_of(at, n));
			at += n;
			if (!*at)
				break;
		}
	}
	field(&b, 16, ts_span_str(json));
	field(message, number, ts_buf_view(&b));
	ts_buf_finish(&b);
}

static void put(struct made *m, uint32_t number, struct ts_buf *message)
{
	struct ts_buf b = TS_BUF_INIT(32 << 20);

	field(&b, number, ts_buf_view(message));
	record(m, ts_buf_view(&b));
	ts_buf_finish(&b);
	ts_buf_reset(message);
}

/* Adds a history record with pairs of key and JSON. If step is NULL, it has no message for the step. */
static void history(struct made *m, const char *step, const char *const *pairs, size_t n)
{
	struct ts_buf b = TS_BUF_INIT(32 << 20);

	for (size_t i = 0; i < n; i++)
		item(&b, 1, pairs[2 * i], pairs[2 * i + 1]);
	if (step)
		field(&b, 2, ts_span_str(step));
	put(m, 2, &b);
	ts_buf_finish(&b);
}

#define HISTORY(m, step, ...) \
	history(m, step, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *) / 2)

static void write_made(struct test_run *t, const char *name, struct made *m)
{
	assert_int_equal(m->bytes.failed, TS_OK);
	test_write_bytes(t, name, m->bytes.data, m->bytes.len);
	ts_buf_finish(&m->bytes);
}

static void ingest_made(struct test_run *t, struct made *m)
{
	char path[128];

	write_made(t, "wb/run-x.wandb", m);
	(void)snprintf(path, sizeof path, "%s/wb", t->base);
	test_ingest_ok(t, path);
}

static void old_logs_have_their_step_among_the_values(void **state)
{
	struct ts_span loss = ts_span_str("scalars.loss");
	struct ts_index index = {.rank = 0};
	struct ts_buf b = TS_BUF_INIT(4096);
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	HISTORY(&m, NULL, "=loss", "1.5", "=_step", "3", "=_timestamp", "1795000000.5", "=_runtime", "7");
	HISTORY(&m, NULL, "=loss", "\"NaN\"");
	HISTORY(&m, "\x08\x07", "=loss", "-Infinity", "=_step", "9", "=x", "{\"a\": 1, \"b\": {\"c\": [1, {\"d\": 2}], \"e\": null}}");
	item(&b, 1, "=x", "{\"a\": 1, \"b\": {\"best\": 5}}");
	item(&b, 1, "=w", "{\"_type\": \"histogram\", \"n\": 1}");
	item(&b, 1, "=gone", "6");
	item(&b, 2, "=gone", "");
	put(&m, 3, &b);
	ts_buf_finish(&b);
	ingest_made(&t, &m);
	assert_string_equal(test_fact(&t, "other.wandb.summary.x.a"), ""); /* the value of the last step counts */
	assert_string_equal(test_fact(&t, "other.wandb.summary.x.b.best"), "5");
	assert_string_equal(test_fact(&t, "other.wandb.summary.w.n"), "");
	assert_string_equal(test_fact(&t, "other.wandb.summary.gone"), "");
	assert_string_equal(
		test_jsonl(&t),
		"{\"rank\":0,\"step\":3,\"timestamp\":1795000000.5,\"scalars\":{\"loss\":1.5}}\n"
		"{\"rank\":0,\"step\":4,\"scalars\":{\"loss\":\"NaN\"}}\n"
		"{\"rank\":0,\"step\":7,\"scalars\":{\"loss\":\"-Infinity\",\"x\":{\"a\":1.0,\"b\":{\"c\":[1,{\"d\":2}]}}}}\n");
	test_expect_notice(&t, "null_value", TS_NOTICE_INFO, 0, 1);
	test_index(&t, 0, &index);
	assert_non_null(ts_index_column(&index, TS_TABLE_STEPS, loss, TS_COLUMN_F64, NULL));
	assert_null(ts_index_column(&index, TS_TABLE_STEPS, loss, TS_COLUMN_TEXT, NULL));
	test_run_finish(&t);
}

/* HistoryItem of SDKs that write typed values: none, boolean, integer (zigzag), number, text, and JSON. */
static void typed_values(void **state)
{
	static const char *const items[] = {
		"\x0a\x01" "a" "\x20\x01",
		"\x0a\x01" "b" "\x28\x05",
		"\x0a\x01" "c" "\x31\x00\x00\x00\x00\x00\x00\xf8\x3f",
		"\x0a\x01" "d" "\x3a\x02" "hi",
		"\x0a\x01" "e" "\x42\x03" "[1]",
		"\x0a\x01" "f" "\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	};
	static const size_t lengths[] = {5, 5, 12, 7, 8, 14};
	struct ts_buf b = TS_BUF_INIT(4096);
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	for (size_t i = 0; i < 6; i++)
		field(&b, 1, ts_span_of(items[i], lengths[i]));
	put(&m, 2, &b);
	ts_buf_finish(&b);
	ingest_made(&t, &m);
	assert_string_equal(test_jsonl(&t),
			    "{\"rank\":0,\"step\":0,\"scalars\":{\"a\":true,\"b\":-3.0,\"c\":1.5,\"d\":\"hi\",\"e\":[1],"
			    "\"f\":-9.223372036854776e+18}}\n");
	test_run_finish(&t);
}

static void steps_that_go_back_are_a_restart(void **state)
{
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	HISTORY(&m, "", "loss", "1");
	HISTORY(&m, "\x08\x01", "loss", "2");
	HISTORY(&m, "\x08\x02", "loss", "3");
	HISTORY(&m, "\x08\x01", "loss", "4");
	HISTORY(&m, "\x08\x02", "loss", "5");
	ingest_made(&t, &m);
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.superseded, 2);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"scalars\":{\"loss\":1.0}}\n"
					    "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":4.0}}\n"
					    "{\"rank\":0,\"step\":2,\"scalars\":{\"loss\":5.0}}\n");
	test_run_finish(&t);
}

/* A part of a run that says, or not, that it resumes it, and its steps. */
static void write_part(struct test_run *t, const char *name, bool resumes, const char *const *steps, size_t n)
{
	struct ts_buf b = TS_BUF_INIT(64);
	struct made m;

	made_init(&m);
	if (resumes)
		ts_buf_str(&b, "\xc0\x01\x01"); /* field 24, 1 */
	put(&m, 17, &b);
	for (size_t i = 0; i < n; i++)
		HISTORY(&m, steps[i], "loss", "1");
	write_made(t, name, &m);
	ts_buf_finish(&b);
}

/* As wandb 0.31 writes it: resume="allow" and "must" set the field in every part, also the first. */
static void steps_of_a_resume_offline_go_on(void **state)
{
	static const char *const from_0[] = {"", "\x08\x01", "\x08\x02"}, *const from_1[] = {"\x08\x01", "\x08\x02", "\x08\x03"};
	static const struct {
		bool resumes;
		const char *const *steps;
		uint64_t n, superseded;
	} cases[] = {{true, from_0, 6, 0}, {false, from_0, 3, 3}, {true, from_1, 4, 2}};
	char first[128], second[128];
	const char *more[] = {second};
	struct test_run t;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		test_run_init(&t);
		write_part(&t, "offline-run-20261121_000001-x/run-x.wandb", true, from_0, 3);
		write_part(&t, "offline-run-20261121_000002-x/run-x.wandb", cases[i].resumes, cases[i].steps, 3);
		(void)snprintf(first, sizeof first, "%s/offline-run-20261121_000001-x", t.base);
		(void)snprintf(second, sizeof second, "%s/offline-run-20261121_000002-x", t.base);
		t.n_more = 1;
		t.more = more;
		test_ingest_ok(&t, first);
		assert_int_equal(t.result.steps, cases[i].n);
		assert_int_equal(t.result.last_step, cases[i].n - 1);
		assert_int_equal(t.result.superseded, cases[i].superseded);
		assert_int_equal(test_notice(&t, "resumed_steps") != NULL, i == 0);
		test_run_finish(&t);
	}
}

static void axis(struct made *m, const char *name, const char *over)
{
	struct ts_buf b = TS_BUF_INIT(4096);
	size_t n = strlen(name);

	field(&b, name[n - 1] == '*' ? 2 : 1, ts_span_str(name));
	field(&b, 4, ts_span_str(over));
	put(m, 12, &b);
	ts_buf_finish(&b);
}

/* The loss comes again at step 20, so 20 and 30 are superseded; a late evaluation of step 10 goes into its row. */
static void an_axis_that_goes_back(void **state)
{
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	axis(&m, "*", "a.step");
	HISTORY(&m, "", "=loss", "1", "a.step", "10");
	HISTORY(&m, "\x08\x01", "=loss", "2", "a.step", "20", "=epoch", "0");
	HISTORY(&m, "\x08\x02", "=loss", "3", "a.step", "30.0");
	HISTORY(&m, "\x08\x03", "=acc", "0.5", "a.step", "10", "=epoch", "0");
	HISTORY(&m, "\x08\x04", "=loss", "4", "a.step", "20");
	HISTORY(&m, "\x08\x05", "=loss", "5", "a.step", "30");
	ingest_made(&t, &m);
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.superseded, 2);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":10,\"scalars\":{\"acc\":0.5,\"loss\":1.0},\"epoch\":0.0}\n"
					    "{\"rank\":0,\"step\":20,\"scalars\":{\"loss\":4.0}}\n"
					    "{\"rank\":0,\"step\":30,\"scalars\":{\"loss\":5.0}}\n");
	test_run_finish(&t);
}

/* The longer name counts, a name more than how it begins; an axis with fractions is none; without a declaration the names count by
 * which integrations log the step. */
static void which_axis_is_chosen(void **state)
{
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	HISTORY(&m, "", "=train/loss", "1", "=train/acc", "1", "=train/odd", "1", "=tokens", "100", "=it", "7", "=x", "3");
	axis(&m, "*", "x");
	axis(&m, "train/*", "tokens");
	axis(&m, "train/odd", "it");
	HISTORY(&m, "\x08\x01", "=train/loss", "1", "=train/acc", "1", "=train/odd", "1", "=tokens", "200", "=it", "8", "=x", "4");
	ingest_made(&t, &m);
	assert_string_equal(test_fact(&t, "columns.step.source"), "tokens");
	assert_int_equal(t.result.last_step, 200);
	made_init(&m);
	axis(&m, "*", "epoch");
	HISTORY(&m, "", "=loss", "1", "=epoch", "0.5");
	ingest_made(&t, &m);
	assert_string_equal(test_fact(&t, "columns.step.source"), "");
	test_expect_notice(&t, "axis_not_whole", TS_NOTICE_INFO, 0, 1);
	made_init(&m);
	HISTORY(&m, "", "=loss", "1", "=trainer/global_step", "49");
	HISTORY(&m, "\x08\x01", "=test/loss", "1");
	ingest_made(&t, &m);
	assert_string_equal(test_fact(&t, "columns.step.source"), "trainer/global_step");
	assert_int_equal(t.result.first_step, 49);
	assert_int_equal(t.result.last_step, 49);
	test_expect_notice(&t, "no_axis", TS_NOTICE_INFO, 0, 1);
	made_init(&m);
	HISTORY(&m, "", "=loss", "1", "=global_step", "49");
	HISTORY(&m, "\x08\x01", "=loss", "1");
	HISTORY(&m, "\x08\x02", "=loss", "1");
	ingest_made(&t, &m);
	assert_string_equal(test_fact(&t, "columns.step.source"), "");
	test_run_finish(&t);
}

static void steps_at_the_ends_of_what_is_counted(void **state)
{
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	HISTORY(&m, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "loss", "1"); /* step -1 */
	HISTORY(&m, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "loss", "2");	/* step 2^63 - 1 */
	HISTORY(&m, NULL, "loss", "3");							/* no step: one more than the last */
	ingest_made(&t, &m);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":-1,\"scalars\":{\"loss\":1.0}}\n"
					    "{\"rank\":0,\"step\":\"9223372036854775807\",\"scalars\":{\"loss\":2.0}}\n");
	test_expect_notice(&t, "bad_step", TS_NOTICE_SKIPPED, 0, 1);
	test_run_finish(&t);
}

/* One record has 16 MiB of values. The values that do not fit are counted. */
static void a_step_of_too_many_values(void **state)
{
	struct ts_buf b = TS_BUF_INIT(TS_WANDB_RECORD_MAX);
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	for (int i = 0; b.len < TS_WANDB_RECORD_MAX - 4096; i++)
		item(&b, 1, "=a", i % 2 ? "1" : "2");
	put(&m, 2, &b);
	HISTORY(&m, "\x08\x01", "a", "2");
	ts_buf_finish(&b);
	ingest_made(&t, &m);
	assert_int_equal(t.result.rows, 2);
	assert_non_null(test_notice(&t, "too_many_values"));
	assert_non_null(test_notice(&t, "repeated_value"));
	test_run_finish(&t);
}

/* Two samples before the first row and one behind it belong to that row. A row without a sample has no value. */
static void system_metrics_are_means(void **state)
{
	static const char *const samples[] = {"1", "4", "7"};
	struct ts_buf b = TS_BUF_INIT(4096);
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	for (int i = 0; i < 2; i++) {
		item(&b, 3, "=gpu.0.temp", samples[i]);
		put(&m, 7, &b);
	}
	HISTORY(&m, "", "loss", "1");
	item(&b, 3, "=gpu.0.temp", samples[2]);
	put(&m, 7, &b);
	HISTORY(&m, "\x08\x01", "loss", "2");
	HISTORY(&m, "\x08\x02", "loss", "3");
	item(&b, 3, "=gpu.0.temp", "9");
	item(&b, 3, "=cpu", "\"none\"");
	put(&m, 7, &b);
	ts_buf_finish(&b);
	ingest_made(&t, &m);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"scalars\":{\"loss\":1.0},\"system\":{\"gpu.0.temp\":4.0}}\n"
					    "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":2.0}}\n"
					    "{\"rank\":0,\"step\":2,\"scalars\":{\"loss\":3.0},\"system\":{\"gpu.0.temp\":9.0}}\n");
	test_expect_notice(&t, "bad_message", TS_NOTICE_SKIPPED, 0, 1);
	test_run_finish(&t);
}

static void configuration_changes_piece_by_piece(void **state)
{
	struct ts_buf b = TS_BUF_INIT(4096);
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	item(&b, 1, "=model", "{\"layers\": 3, \"name\": \"x\", \"heads\": {\"n\": 8}}");
	item(&b, 1, "=gone", "1");
	item(&b, 1, "=opt", "{\"lr\": 1, \"eps\": 2}");
	item(&b, 1, "=_wandb", "{\"t\": {\"1\": [1]}}");
	item(&b, 1, "=bad", "{\"a\": ");
	put(&m, 5, &b);
	item(&b, 1, "model.layers", "4");
	item(&b, 1, "model.heads", "16");
	item(&b, 1, "=opt", "{\"lr\": 3}"); /* the whole object is written again */
	item(&b, 2, "=gone", "");
	put(&m, 5, &b);
	HISTORY(&m, "", "loss", "1");
	ts_buf_finish(&b);
	ingest_made(&t, &m);
	assert_string_equal(test_fact(&t, "config.model.layers"), "4");
	assert_string_equal(test_fact(&t, "config.model.name"), "x");
	assert_string_equal(test_fact(&t, "config.model.heads"), "16");
	assert_string_equal(test_fact(&t, "config.model.heads.n"), "");
	assert_string_equal(test_fact(&t, "config.opt.lr"), "3");
	assert_string_equal(test_fact(&t, "config.opt.eps"), "");
	assert_string_equal(test_fact(&t, "config.gone"), "");
	assert_string_equal(test_fact(&t, "config._wandb.t.1[0]"), "");
	assert_string_equal(test_fact(&t, "other.wandb.internal.t.1[0]"), "1");
	test_expect_notice(&t, "bad_message", TS_NOTICE_SKIPPED, 0, 1);
	test_run_finish(&t);
}

static void metadata_stands_in_for_the_environment(void **state)
{
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	HISTORY(&m, "", "loss", "1");
	test_write(&t, "wb/files/wandb-metadata.json",
		   "{\"os\": \"Linux-5\", \"python\": \"3.9.1\", \"gpu\": \"A100\", \"gpu_count\": 8, \"email\": \"a@b\",\n"
		   " \"git\": {\"remote\": \"git@h:x\", \"commit\": \"abc\"}, \"args\": [\"--x\", \"--api-key\", \"k\"], \"program\": "
		   "\"train.py\",\n"
		   " \"gpu_nvidia\": [{\"name\": \"A100\", \"memoryTotal\": 5}], \"host\": \"node-1\"}");
	ingest_made(&t, &m);
	assert_string_equal(test_fact(&t, "hardware.platform"), "Linux-5");
	assert_string_equal(test_fact(&t, "libraries.python"), "3.9.1");
	assert_string_equal(test_fact(&t, "hardware.gpu"), "A100");
	assert_string_equal(test_fact(&t, "hardware.gpu_count"), "8");
	assert_string_equal(test_fact(&t, "code.commit"), "abc");
	assert_string_equal(test_fact(&t, "code.remote"), "git@h:x");
	assert_string_equal(test_fact(&t, "session.host"), "node-1");
	assert_string_equal(test_fact(&t, "session.argv[0]"), "train.py");
	assert_string_equal(test_fact(&t, "session.argv[1]"), "--x");
	assert_string_equal(test_fact(&t, "session.argv[3]"), "<redacted>");
	assert_string_equal(test_fact(&t, "hardware.gpus[0].name"), "A100");
	test_write(&t, "wb/files/wandb-metadata.json", "{\"os\": ");
	made_init(&m);
	HISTORY(&m, "", "loss", "1");
	ingest_made(&t, &m);
	test_expect_notice(&t, "bad_side_file", TS_NOTICE_SKIPPED, 0, 1);
	test_run_finish(&t);
}

static void odd_values_are_counted(void **state)
{
	size_t n = TS_TEXT_MAX + 8;
	char *text = calloc(1, n + 3);
	struct ts_buf b = TS_BUF_INIT(4096);
	struct test_run t;
	struct made m;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n + 2);
	text[0] = text[n + 1] = '"';
	test_run_init(&t);
	made_init(&m);
	HISTORY(&m, "", "a", "1", "b", text, "c", "{\"a\": [}", "d", "1 2", "e", "");
	HISTORY(&m, NULL, "=_step", "1e99", "=a", "1");
	HISTORY(&m, NULL, "=_step", "\"two\"", "=a", "1");
	ts_buf_str(&b, "\x0a\x7f");
	put(&m, 2, &b); /* the item is longer than its message */
	memset(text, 'k', n);
	text[600] = '\0';
	text[0] = '=';
	HISTORY(&m, "\x08\x05", text, "1", "a", "2");
	ts_buf_finish(&b);
	ingest_made(&t, &m);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"scalars\":{\"a\":1.0}}\n{\"rank\":0,\"step\":1}\n"
					    "{\"rank\":0,\"step\":5,\"scalars\":{\"a\":2.0}}\n");
	test_expect_notice(&t, "long_text", TS_NOTICE_SKIPPED, 0, 1);
	test_expect_notice(&t, "bad_json", TS_NOTICE_SKIPPED, 0, 3);
	test_expect_notice(&t, "bad_step", TS_NOTICE_SKIPPED, 0, 2);
	test_expect_notice(&t, "bad_message", TS_NOTICE_SKIPPED, 0, 1);
	test_expect_notice(&t, "long_key", TS_NOTICE_SKIPPED, 0, 1);
	free(text);
	test_run_finish(&t);
}

/* --- damage --- */

static void load(const char *path, struct ts_buf *bytes)
{
	struct ts_error err;

	*bytes = TS_BUF_INIT(1 << 20);
	if (ts_file_read(path, bytes, &err))
		fail_msg("%s", err.text);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* A file that is cut gives the first steps of the whole file. */
static void a_cut_tail_is_no_error(void **state)
{
	struct ts_buf bytes;
	struct test_run whole;
	const char *all;

	(void)state;
	load(RESUMED "/run-resumed5.wandb", &bytes);
	test_run_init(&whole);
	test_ingest_ok(&whole, RESUMED);
	all = test_jsonl(&whole);
	for (size_t cut = 0; cut < bytes.len; cut++) {
		struct test_run t;
		char path[128];
		const char *some;

		test_run_init(&t);
		(void)snprintf(path, sizeof path, "%s/wb/run-resumed5.wandb", t.base);
		test_write_bytes(&t, "wb/run-resumed5.wandb", bytes.data, cut);
		if (cut <= TS_WANDB_PREAMBLE) { /* the file holds no record: this is not a run */
			assert_int_equal(test_ingest_path(&t, path), TS_INVALID);
			test_run_finish(&t);
			continue;
		}
		test_ingest_ok(&t, path);
		some = t.result.rows ? test_jsonl(&t) : "";
		assert_memory_equal(some, all, count_lines(some) > 1 ? (size_t)(strchr(some, '\n') - some) : 0);
		assert_true(t.result.rows <= 6);
		assert_null(test_notice(&t, "bad_block"));
		assert_null(test_notice(&t, "bad_message"));
		assert_false(t.result.finished);
		test_run_finish(&t);
	}
	ts_buf_finish(&bytes);
	test_run_finish(&whole);
}

/* Makes five blocks of records of about 1,500 bytes, one of which lies in three blocks. */
static void make_blocks(struct made *m)
{
	char *text = calloc(1, 100000);

	assert_non_null(text);
	made_init(m);
	for (int i = 0; i < 50; i++) {
		size_t n = i == 30 ? 70000 : 1400 + (size_t)(37 * i % 200);
		char step[3] = {0x08, (char)(i + 1), 0};

		text[0] = '"';
		memset(text + 1, 'a' + i % 26, n);
		text[n + 1] = '"';
		text[n + 2] = '\0';
		HISTORY(m, step, "loss", "1", "pad", text);
	}
	free(text);
}

static size_t chunk_of(const struct made *m, size_t at)
{
	size_t from = at / TS_WANDB_BLOCK * TS_WANDB_BLOCK;

	for (from += from ? 0 : TS_WANDB_PREAMBLE; TS_WANDB_BLOCK - from % TS_WANDB_BLOCK >= 7;) {
		size_t len = (size_t)m->bytes.data[from + 4] | (size_t)m->bytes.data[from + 5] << 8;

		if (at < from + 7 + len)
			return from;
		from += 7 + len;
		if (from >= m->bytes.len || from % TS_WANDB_BLOCK == 0)
			break;
	}
	return SIZE_MAX; /* the byte lies in padding */
}

/* Records leave 0 to 9 bytes of their block. Fewer than 7 bytes are padding; 7 bytes are a chunk without data. */
static void the_end_of_a_block_is_padding(void **state)
{
	char *text = calloc(1, TS_WANDB_BLOCK);

	(void)state;
	assert_non_null(text);
	for (size_t leave = 0; leave < 10; leave++) {
		struct test_run t;
		struct made m;
		size_t n = TS_WANDB_BLOCK - leave - 32;

		test_run_init(&t);
		made_init(&m);
		memset(text, ' ', n);
		text[n] = '\0';
		text[0] = '1';
		HISTORY(&m, "", "a", text);
		assert_int_equal(m.bytes.len, TS_WANDB_BLOCK - leave);
		HISTORY(&m, "\x08\x01", "a", "2");
		HISTORY(&m, "\x08\x02", "a", "3");
		ingest_made(&t, &m);
		assert_int_equal(t.result.notices.n, 0);
		assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"scalars\":{\"a\":1.0}}\n"
						    "{\"rank\":0,\"step\":1,\"scalars\":{\"a\":2.0}}\n"
						    "{\"rank\":0,\"step\":2,\"scalars\":{\"a\":3.0}}\n");
		test_run_finish(&t);
	}
	free(text);
}

/* A wrong byte loses its chunk and the rest of its block. Every record that lies elsewhere is read. */
static void behind_damage_the_next_block_is_read(void **state)
{
	struct made m;
	size_t tried = 0;

	(void)state;
	make_blocks(&m);
	assert_true(m.bytes.len > 4 * TS_WANDB_BLOCK);
	for (size_t at = TS_WANDB_PREAMBLE; at < m.bytes.len; at += at % 7 == 0 ? 411 : 3 + at % 613) {
		size_t from = chunk_of(&m, at), end = (at / TS_WANDB_BLOCK + 1) * TS_WANDB_BLOCK, got = 0;
		struct test_run t;
		char path[128];
		const char *text;

		test_run_init(&t);
		m.bytes.data[at] ^= 0x10;
		test_write_bytes(&t, "x.wandb", m.bytes.data, m.bytes.len);
		m.bytes.data[at] ^= 0x10;
		(void)snprintf(path, sizeof path, "%s/x.wandb", t.base);
		test_ingest_ok(&t, path);
		text = test_jsonl(&t);
		for (size_t i = 0; i < m.n; i++) {
			bool lost = from != SIZE_MAX && m.to[i] > from && m.from[i] < end, there;
			char step[48];

			(void)snprintf(step, sizeof step, "\"step\":%zu,", i + 1);
			there = strstr(text, step) != NULL;
			if (there == lost)
				fail_msg("byte %zu, record %zu: %s", at, i, there ? "is there" : "is lost");
			got += there;
		}
		assert_int_equal(got, t.result.rows);
		if (from != SIZE_MAX)
			assert_true(test_notice(&t, "bad_block") || (test_notice(&t, "cut_record") && end > m.bytes.len));
		tried++;
		test_run_finish(&t);
	}
	assert_true(tried > 300);
	ts_buf_finish(&m.bytes);
}

static void a_wrong_byte_of_a_real_log_is_told(void **state)
{
	struct ts_buf bytes;

	(void)state;
	load(BLOCKS "/run-blocks04.wandb", &bytes);
	for (size_t at = 0; at < bytes.len; at += 311) {
		struct test_run t;
		char path[128];
		bool begins = at < TS_WANDB_PREAMBLE;

		test_run_init(&t);
		bytes.data[at] ^= 0x04;
		test_write_bytes(&t, "x.wandb", bytes.data, bytes.len);
		bytes.data[at] ^= 0x04;
		(void)snprintf(path, sizeof path, "%s/x.wandb", t.base);
		assert_int_equal(test_ingest_path(&t, path), begins ? TS_INVALID : TS_OK);
		if (begins)
			assert_non_null(strstr(t.err.text, "byte 0: a W&B log of version 0 does not begin like this"));
		else if (!test_notice(&t, "bad_block"))
			fail_msg("byte %zu: no notice", at);
		test_run_finish(&t);
	}
	ts_buf_finish(&bytes);
}

static void a_record_beyond_all_measure_is_passed_over(void **state)
{
	size_t n = TS_WANDB_RECORD_MAX + 10;
	char *text = calloc(1, n + 1);
	struct test_run t;
	struct made m;

	(void)state;
	assert_non_null(text);
	memset(text, '1', n);
	test_run_init(&t);
	made_init(&m);
	HISTORY(&m, "", "a", "1");
	HISTORY(&m, "\x08\x01", "a", text);
	HISTORY(&m, "\x08\x02", "a", "3");
	ingest_made(&t, &m);
	free(text);
	test_expect_notice(&t, "long_record", TS_NOTICE_SKIPPED, 0, 1);
	assert_int_equal(t.result.rows, 2);
	test_run_finish(&t);
}

/* The cases are a chunk that continues no record, a record that begins inside another, and a type that does not exist. */
static void chunks_out_of_order(void **state)
{
	struct ts_buf b = TS_BUF_INIT(4096), whole = TS_BUF_INIT(4096);
	struct test_run t;
	struct made m;

	(void)state;
	test_run_init(&t);
	made_init(&m);
	item(&b, 1, "a", "1");
	field(&whole, 2, ts_buf_view(&b));
	chunk(&m, 3, ts_span_str("middle"));
	chunk(&m, 4, ts_span_str("last"));
	record(&m, ts_buf_view(&whole));
	chunk(&m, 2, ts_span_str("first"));
	record(&m, ts_buf_view(&whole));
	chunk(&m, 9, ts_span_str("nothing"));
	record(&m, ts_buf_view(&whole)); /* these lie in the rest of the block */
	ts_buf_finish(&b);
	ts_buf_finish(&whole);
	ingest_made(&t, &m);
	assert_int_equal(t.result.rows, 2);
	test_expect_notice(&t, "bad_block", TS_NOTICE_SKIPPED, 0, 3);
	test_run_finish(&t);
}

static void links_and_other_files_are_no_logs(void **state)
{
	struct ts_found_run *runs;
	struct test_run t;
	struct ts_error err;
	char path[128], target[256];
	size_t n;

	(void)state;
	test_run_init(&t);
	test_write(&t, "wb/files/x.txt", "x");
	(void)snprintf(path, sizeof path, "%s/wb/run-x.wandb", t.base);
	assert_non_null(realpath(FAILED "/run-failed07.wandb", target));
	assert_int_equal(symlink(target, path), 0);
	(void)snprintf(path, sizeof path, "%s/wb", t.base);
	assert_int_equal(ts_discover(path, &t.arena, &runs, &n, &err), TS_INVALID);
	(void)snprintf(path, sizeof path, "%s/wb/dir.wandb", t.base);
	assert_int_equal(mkdir(path, 0777), 0);
	(void)snprintf(path, sizeof path, "%s/wb", t.base);
	assert_int_equal(ts_discover(path, &t.arena, &runs, &n, &err), TS_INVALID);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_logged),
		cmocka_unit_test(what_the_log_says_of_the_run),
		cmocka_unit_test(the_axis_that_most_values_are_drawn_over),
		cmocka_unit_test(what_is_no_value_is_counted),
		cmocka_unit_test(parts_of_a_resumed_run_are_one_run),
		cmocka_unit_test(folders_hold_runs),
		cmocka_unit_test(old_logs_have_their_step_among_the_values),
		cmocka_unit_test(typed_values),
		cmocka_unit_test(steps_that_go_back_are_a_restart),
		cmocka_unit_test(steps_of_a_resume_offline_go_on),
		cmocka_unit_test(an_axis_that_goes_back),
		cmocka_unit_test(which_axis_is_chosen),
		cmocka_unit_test(steps_at_the_ends_of_what_is_counted),
		cmocka_unit_test(a_step_of_too_many_values),
		cmocka_unit_test(system_metrics_are_means),
		cmocka_unit_test(configuration_changes_piece_by_piece),
		cmocka_unit_test(metadata_stands_in_for_the_environment),
		cmocka_unit_test(odd_values_are_counted),
		cmocka_unit_test(a_cut_tail_is_no_error),
		cmocka_unit_test(the_end_of_a_block_is_padding),
		cmocka_unit_test(behind_damage_the_next_block_is_read),
		cmocka_unit_test(a_wrong_byte_of_a_real_log_is_told),
		cmocka_unit_test(a_record_beyond_all_measure_is_passed_over),
		cmocka_unit_test(chunks_out_of_order),
		cmocka_unit_test(links_and_other_files_are_no_logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
