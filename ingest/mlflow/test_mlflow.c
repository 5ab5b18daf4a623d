/* MLflow's two stores: what was logged through MLflow (tests/golden/mlflow/expected.json), and damage. */
#include "ingest/core/test_support.h"

#include "base/file.h"
#include "ingest/discover.h"
#include "ingest/formats/flat_yaml.h"
#include "ingest/mlflow/mlflow_db.h"
#include "ingest/mlflow/mlflow_run.h"
#include "ingest/mlflow/reader_mlflow.h"
#include "ingest/kept/kept.h"
#include "run/file_path.h"
#include "run/head.h"
#include "run/run_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/mlflow/"
#define ID(last) "000000000000000000000000000000" last

/* argv has the run's name, the steps, and the metric whose times are those of the steps. The script computes the step
 * of each sample of system/ by this rule: it is the first step that the clock's metric logged at that time or later, or
 * else the last step. The first sample of a step is kept. */
static const char check[] =
	"want = json.load(open('" GOLDEN "expected.json'))[sys.argv[1]]['metrics']\n"
	"ours = {'loss': 'scalars.loss', 'lr': 'scalars.lr'}\n"
	"got, times = {}, {}\n"
	"for line in open(sys.argv[2]):\n"
	"    row = dict(flat(json.loads(line)))\n"
	"    row['step'] = int(row['step'])\n" /* integers beyond 2^53 are text */
	"    times[row['step']] = row.get('timestamp')\n"
	"    for k, v in row.items():\n"
	"        if k not in ('step', 'rank', 'timestamp'): got.setdefault(k, {})[row['step']] = float(v)\n"
	"clock = sorted((ms, s) for s, v, ms in want[sys.argv[3]])\n"
	"expect, first = {}, {}\n"
	"for key, rows in want.items():\n"
	"    c = expect.setdefault(ours.get(key, 'scalars.' + key), {})\n"
	"    for s, v, ms in rows:\n"
	"        if key.startswith('system/'):\n"
	"            c.setdefault(next((t for m, t in clock if m >= ms), clock[-1][1]), float(v))\n"
	"        else: c[s] = float(v)\n"
	"for key in [sys.argv[3]] + sorted(k for k in want if not k.startswith('system/')):\n"
	"    for s, v, ms in want[key]: first.setdefault(s, ms / 1000)\n"
	"def same(a, b): return a == b or (math.isnan(a) and math.isnan(b))\n"
	"assert set(got) == set(expect), set(got) ^ set(expect)\n"
	"for k in expect:\n"
	"    assert set(got[k]) == set(expect[k]), (k, sorted(got[k]), sorted(expect[k]))\n"
	"    for s in expect[k]: assert same(got[k][s], expect[k][s]), (k, s, got[k][s], expect[k][s])\n"
	"assert times == first, [(s, times[s], first.get(s)) for s in times if times[s] != first.get(s)]\n";

#define ODD "it's \"odd\": a name that is long enough for PyYAML to break it into two lines, because its lines end at 80 characters"

static void ingest_part(struct test_run *t, const char *path, const char *part, enum ts_status status)
{
	struct ts_ingest_options options = {.path = path, .part = part, .facts = t->facts, .strict = t->strict};

	assert_int_equal(ts_mlflow_db_read(&options, test_objects_sink, &t->objects, &t->arena, &t->result, &t->err), status);
}

/* The file of lr is the longest, because its numbers have more digits. */
static void a_file_store_gives_what_was_logged(void **state)
{
	static const struct {
		const char *path, *name, *clock;
	} runs[] = {{"101/" ID("a1"), "plain", "lr"}, {"101/" ID("a2"), "other", "lr"}, {"102/" ID("a3"), ODD, "loss"}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		(void)snprintf(path, sizeof path, GOLDEN "mlruns/%s", runs[i].path);
		test_ingest_ok(&t, path);
		assert_string_equal(t.result.format, "MLflow run");
		test_script(&t, check, runs[i].name, NULL, "%s", runs[i].clock);
		test_run_finish(&t);
	}
}

static void expect_facts(struct test_run *t)
{
	static const char *const facts[][2] = {
		{"config.lr", "0.001"},
		{"config.optimizer", "adamw"},
		{"config.layers", "12"},
		{"config.tied", "true"},
		{"config.seed", "007"}, /* a number would not be written back in this form */
		{"config.model/dim", "768"},
		{"config.eps", "1e-08"},
		{"config.none", "None"},
		{"config.betas", "(0.9, 0.95)"},
		{"config.api_key", "<redacted>"},
		{"config.note", "two\nlines "},
		{"code.commit", "0123456789abcdef0123456789abcdef01234567"},
		{"code.remote", "https://example.org/x.git"},
		{"session.name", "plain"},
		{"session.user", "ann"},
		{"session.started", "1795000000.0"},
		{"session.wall_time", "60.0"},
		{"other.mlflow.experiment", "gpt"},
		{"other.mlflow.run_id", ID("a1")},
		{"other.mlflow.status", "finished"},
		{"other.mlflow.source", "train.py"},
		{"other.mlflow.tags.team/area", "vision"},
		{"other.mlflow.tags.note", "free text: \"quoted\" # not a comment"},
		{"columns.scalars\\.loss.source", "loss"},
		{"columns.scalars\\.system/cpu_utilization_percentage.role", "observation"},
		{"columns.scalars\\.eval/acc.role", ""},
	};

	for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
		assert_string_equal(test_fact(t, facts[i][0]), facts[i][1]);
}

static void what_is_known_of_a_run_is_facts(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "mlruns/101/" ID("a1"));
	expect_facts(&t);
	assert_true(t.result.finished);
	test_expect_notice(&t, "not_kept", TS_NOTICE_SKIPPED, 0, 2); /* two artifacts */
	test_expect_notice(&t, "redacted", TS_NOTICE_INFO, 0, 1);
	assert_int_equal(t.result.notices.n, 2);
	test_round_trip(&t);
	t.strict = true;
	assert_int_equal(test_ingest_path(&t, GOLDEN "mlruns/101/" ID("a1")), TS_INVALID);
	t.strict = false;

	test_ingest_ok(&t, GOLDEN "mlruns/101/" ID("a2"));
	assert_false(t.result.finished);
	assert_string_equal(test_fact(&t, "other.mlflow.status"), "failed");
	assert_string_equal(test_fact(&t, "lineage.nested_in"), ID("a1"));

	test_ingest_ok(&t, GOLDEN "mlruns/102/" ID("a3"));
	assert_string_equal(test_fact(&t, "session.name"), ODD);
	assert_string_equal(test_fact(&t, "other.mlflow.experiment"), "odd: experiment # 1");
	assert_string_equal(test_fact(&t, "other.mlflow.status"), "killed");
	test_expect_notice(&t, "repeated_value", TS_NOTICE_SKIPPED, 0, 1);
	test_run_finish(&t);
}

/* --- folders --- */

static void expect_runs(const char *path, const char *const *names, size_t n)
{
	struct ts_found_run *runs;
	struct ts_arena arena;
	struct ts_error err;
	size_t found;

	ts_arena_init(&arena, 0);
	if (ts_discover(path, &arena, &runs, &found, &err))
		fail_msg("%s", err.text);
	assert_int_equal(found, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(runs[i].name, names[i]);
	ts_arena_finish(&arena);
}

/* What people call the first n runs; NULL: nothing. */
static void expect_own_names(const char *path, const char *const *names, size_t n)
{
	struct ts_found_run *runs;
	struct ts_arena arena;
	struct ts_error err;
	size_t found;

	ts_arena_init(&arena, 0);
	if (ts_discover(path, &arena, &runs, &found, &err))
		fail_msg("%s", err.text);
	assert_true(found >= n);
	for (size_t i = 0; i < n; i++) {
		if (names[i] && runs[i].own_name)
			assert_string_equal(runs[i].own_name, names[i]);
		else
			assert_true(!names[i] && !runs[i].own_name);
	}
	ts_arena_finish(&arena);
}

static size_t count_deleted(struct test_run *t, const char *path)
{
	struct ts_found_run *runs;
	size_t n;

	if (ts_discover(path, &t->arena, &runs, &n, &t->err))
		fail_msg("%s", t->err.text);
	return runs[0].deleted;
}

static void folders_hold_what_was_not_deleted(void **state)
{
	static const char *const names[] = {"101/" ID("a1"), "101/" ID("a2"), "102/" ID("a3")};
	static const char *const one[] = {"7/run"};
	struct test_run t;

	(void)state;
	expect_runs(GOLDEN "mlruns", names, 3);
	expect_own_names(GOLDEN "mlruns", (const char *const[]){"plain", "other"}, 2);
	/* A folder inside MLflow's own folders is not a run, even if another reader knows it. */
	test_run_init(&t);
	test_write(&t, "run/7/meta.yaml", "experiment_id: '7'\nlifecycle_stage: active\nname: e\n");
	test_write(&t, "run/7/run/meta.yaml", "experiment_id: '7'\nrun_uuid: x\n");
	test_write(&t, "run/7/models/m-1/artifacts/steps.jsonl", "{\"step\":1,\"loss\":1}\n");
	test_write(&t, "run/8/meta.yaml", "experiment_id: '8'\nlifecycle_stage: deleted\nname: e\n");
	test_write(&t, "run/8/run/meta.yaml", "experiment_id: '8'\nrun_uuid: y\n");
	test_write(&t, "run/7/gone/meta.yaml", "experiment_id: '7'\nrun_uuid: z\nlifecycle_stage: deleted\n");
	test_write(&t, "run/.trash/9/meta.yaml", "experiment_id: '9'\nlifecycle_stage: deleted\nname: e\n");
	test_write(&t, "run/.trash/9/run/meta.yaml", "experiment_id: '9'\nrun_uuid: u\nlifecycle_stage: deleted\n");
	expect_runs(t.path, one, 1);
	expect_own_names(t.path, (const char *const[]){NULL}, 1);
	test_write(&t, "run/7/run/tags/mlflow.runName", "old name\n");
	expect_own_names(t.path, (const char *const[]){"old name"}, 1);
	assert_int_equal(count_deleted(&t, t.path), 3);
	/* Outside of a store, a folder with such a name is an ordinary folder. */
	test_write(&t, "run/9/models/m-1/steps.jsonl", "{\"step\":1,\"loss\":1}\n");
	expect_runs(t.path, (const char *const[]){"7/run", "9/models/m-1"}, 2);
	test_run_finish(&t);
}

/* "artifacts/a 3, artifacts/b/c 0; " for the files of rank 0: path and size, in the order of names. */
static const char *files_of(struct test_run *t)
{
	static char text[4096];
	struct ts_index index;
	struct ts_span object;
	struct ts_head head;
	struct ts_error err;
	size_t at = 0;

	assert_int_equal(test_get(t, &t->result.head, &t->arena, &object, &err), TS_OK);
	assert_int_equal(ts_head_decode(object, &t->arena, &head, &err), TS_OK);
	assert_int_equal(ts_run_index(test_get, t, &head.ranks[0].index, 0, &t->arena, &index, &err), TS_OK);
	text[0] = '\0';
	for (size_t i = 0; i < index.n_files; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s %d", i ? ", " : "",
				       TS_SPAN_ARG(ts_file_path(index.files[i].name, &t->arena)), (int)index.files[i].size);
	return text;
}

static void artifacts_are_files_where_that_is_asked(void **state)
{
	struct test_run t;
	char *large = calloc(1, TS_KEPT_ARTIFACT_MAX + 1);

	(void)state;
	assert_non_null(large);
	test_run_init(&t);
	test_write(&t, "run/meta.yaml", "run_id: r\nexperiment_id: '0'\nstatus: 3\n");
	test_write(&t, "run/metrics/loss", "1000 0.5 0\n");
	test_write(&t, "run/artifacts/model/MLmodel", "flavors:\n");
	test_write(&t, "run/artifacts/model/rank3_weights.pkl", "abc");
	test_write(&t, "run/artifacts/100%.txt", "");
	test_write(&t, "run/artifacts/host.pt.trace.json", "{\"traceEvents\":[]}");
	test_write_bytes(&t, "run/artifacts/large.bin", large, TS_KEPT_ARTIFACT_MAX + 1);
	test_ingest_ok(&t, t.path);
	assert_string_equal(files_of(&t), "host.pt.trace.json 18");
	test_expect_notice(&t, "not_kept", TS_NOTICE_SKIPPED, 0, 4);
	t.artifacts = true;
	test_ingest_ok(&t, t.path);
	assert_string_equal(files_of(&t), "artifacts/100%.txt 0, artifacts/model/MLmodel 9, artifacts/model/rank3_weights.pkl 3, "
					  "host.pt.trace.json 18");
	test_expect_notice(&t, "not_kept", TS_NOTICE_SKIPPED, 0, 1);
	t.artifacts = false;
	test_round_trip(&t);
	/* A folder that looks like a run keeps its traces for itself: here they are artifacts. */
	test_write(&t, "run/artifacts/steps.jsonl", "{\"step\":0,\"loss\":9}\n");
	t.artifacts = true;
	test_ingest_ok(&t, t.path);
	assert_string_equal(files_of(&t),
			    "artifacts/100%.txt 0, artifacts/host.pt.trace.json 18, artifacts/model/MLmodel 9, "
			    "artifacts/model/rank3_weights.pkl 3, artifacts/steps.jsonl 20");
	t.artifacts = false;
	test_round_trip(&t);
	test_run_finish(&t);
	free(large);
}

/* --- damage --- */

#define META "run_id: r\nexperiment_id: '0'\nstatus: 3\n"

static void lines_that_are_none_are_told(void **state)
{
	static const char metric[] = "1000 0.5 0\n"
				     "\n"
				     "2000 x 1\n"
				     "x 0.5 2\n"
				     "3000 0.25 y\n"
				     "3000 0.25 99999999999999999999\n"
				     "4000 NaN 3 data digest\n"
				     "5000 -Infinity 4\r\n"
				     "6000 1e3 5\n"
				     "7000 0.125";
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/meta.yaml", META);
	test_write(&t, "run/metrics/loss", metric);
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"timestamp\":1.0,\"scalars\":{\"loss\":0.5}}\n"
					    "{\"rank\":0,\"step\":3,\"timestamp\":4.0,\"scalars\":{\"loss\":\"NaN\"}}\n"
					    "{\"rank\":0,\"step\":4,\"timestamp\":5.0,\"scalars\":{\"loss\":\"-Infinity\"}}\n"
					    "{\"rank\":0,\"step\":5,\"timestamp\":6.0,\"scalars\":{\"loss\":1000.0}}\n");
	test_expect_notice(&t, "bad_metric", TS_NOTICE_SKIPPED, 2, 5);
	test_expect_notice(&t, "cut_line", TS_NOTICE_SKIPPED, 10, 1);
	test_run_finish(&t);
}

static void old_lines_have_no_step(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/meta.yaml", META);
	test_write(&t, "run/metrics/loss", "1000 0.5\n2000 0.25\n");
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"timestamp\":1.0,\"scalars\":{\"loss\":0.5}}\n"
					    "{\"rank\":0,\"step\":1,\"timestamp\":2.0,\"scalars\":{\"loss\":0.25}}\n");
	test_expect_notice(&t, "line_is_step", TS_NOTICE_INFO, 1, 2);
	test_run_finish(&t);
}

/* The samples at 2 and 3 s were taken during the step that was logged at 9 s. A sample after the last step belongs to
 * the last step. */
static void samples_of_one_step_leave_the_first(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/meta.yaml", META);
	test_write(&t, "run/metrics/loss", "1000 0.5 0\n9000 0.25 1\n");
	test_write(&t, "run/metrics/system/cpu", "2000 10 0\n3000 20 1\n20000 30 2\n");
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_jsonl(&t),
			    "{\"rank\":0,\"step\":0,\"timestamp\":1.0,\"scalars\":{\"loss\":0.5}}\n"
			    "{\"rank\":0,\"step\":1,\"timestamp\":9.0,\"scalars\":{\"loss\":0.25,\"system/cpu\":10.0}}\n");
	assert_int_equal(t.result.notices.n, 0);
	test_run_finish(&t);
}

static void links_and_long_values_are_told(void **state)
{
	struct test_run t;
	char link[256];
	char *text = calloc(1, (2 << 20) + 1);

	(void)state;
	assert_non_null(text);
	memset(text, 'x', 2 << 20);
	test_run_init(&t);
	test_write(&t, "run/meta.yaml", META);
	test_write(&t, "secret", "1000 0.5 0\n");
	test_write(&t, "run/metrics/loss", "1000 0.5 0\n");
	test_write(&t, "run/params/long", text);
	(void)snprintf(link, sizeof link, "%s/metrics/link", t.path);
	assert_int_equal(symlink("../../secret", link), 0);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "not_file", TS_NOTICE_SKIPPED, 0, 1);
	test_expect_notice(&t, "long_fact", TS_NOTICE_SKIPPED, 0, 1);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"timestamp\":1.0,\"scalars\":{\"loss\":0.5}}\n");
	test_run_finish(&t);
	free(text);
}

/* A metric's file that is cut anywhere, or has any one byte changed, is still read, and a notice reports what is lost. */
static void a_wrong_byte_is_told_or_a_number(void **state)
{
	static const char metric[] = "1795000000000 0.123 0\n1795000001000 nan 1\n1795000002000 -1e-05 2\n";
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/meta.yaml", META);
	for (size_t cut = 0; cut < sizeof metric; cut++) {
		test_write_bytes(&t, "run/metrics/loss", metric, cut);
		test_ingest_ok(&t, t.path);
		assert_true((cut == 0 || cut == 22 || cut == 42 || cut >= 65) == !test_notice(&t, "cut_line"));
	}
	for (size_t i = 0; i + 1 < sizeof metric; i++) {
		char wrong[sizeof metric];

		memcpy(wrong, metric, sizeof metric);
		wrong[i] = '!';
		test_write_bytes(&t, "run/metrics/loss", wrong, sizeof metric - 1);
		test_ingest_ok(&t, t.path);
		assert_true(test_notice(&t, "bad_metric") || test_notice(&t, "cut_line"));
	}
	test_run_finish(&t);
}

static void a_damaged_record_is_told(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/meta.yaml", META "start_time: soon\nstatus: 9\nno pair\nrun_name: 'open\n");
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "bad_meta", TS_NOTICE_SKIPPED, 4, 3);
	assert_string_equal(test_fact(&t, "session.name"), "");
	test_write(&t, "run/meta.yaml", "run_id: r\n");
	assert_int_equal(test_ingest_path(&t, t.path), TS_INVALID); /* it is not a run of any format */
	test_run_finish(&t);
}

/* --- YAML --- */

#define EIGHT(c) c c c c c c c c
#define LISTS(c) EIGHT(EIGHT(c)) c /* 65 lists */

static void expect_pairs(const char *text, uint64_t bad_line, const char *const *pairs)
{
	struct ts_flat_yaml yaml;
	struct ts_arena arena;
	struct ts_error err;
	const struct ts_yaml_pair *pair;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_flat_yaml_read(text ? ts_span_str(text) : ts_span_of(NULL, 0), &arena, &yaml, &err), TS_OK);
	for (pair = yaml.first; *pairs; pairs += 2, pair = pair->next) {
		assert_non_null(pair);
		assert_true(ts_span_is(pair->key, pairs[0]));
		if (strcmp(pairs[1], "(null)") == 0)
			assert_int_equal(pair->kind, TS_YAML_NULL);
		else if (strcmp(pairs[1], "(other)") == 0)
			assert_int_equal(pair->kind, TS_YAML_OTHER);
		else if (pair->kind != TS_YAML_TEXT || !ts_span_is(pair->value, pairs[1]))
			fail_msg("%s: %.*s, not %s", pairs[0], TS_SPAN_ARG(pair->value), pairs[1]);
	}
	assert_null(pair);
	assert_int_equal(yaml.bad_line, bad_line);
	ts_arena_finish(&arena);
}

/* PyYAML 6.0 reads every text to the same values. */
static void yaml_is_read_as_pyyaml_reads_it(void **state)
{
	(void)state;
	expect_pairs("a: 1\nb: x y # c\nc: 'it''s'\nd: \"\\u00e9\\n\\x41\\\"\"\n", 0,
		     (const char *const[]){"a", "1", "b", "x y", "c", "it's", "d", "\xc3\xa9\nA\"", NULL});
	expect_pairs("a: null\nb: ~\nc:\nd: ''\n", 0,
		     (const char *const[]){"a", "(null)", "b", "(null)", "c", "(null)", "d", "", NULL});
	expect_pairs("a: one\n  two\n\n  three\nb: 'one\n  two\n\n\n  three'\n", 0,
		     (const char *const[]){"a", "one two\nthree", "b", "one two\n\nthree", NULL});
	expect_pairs("a: \"one \\\n  \\ two\\\n  three\"\n", 0, (const char *const[]){"a", "one  twothree", NULL});
	expect_pairs("tags: []\nlist:\n- x: 1\n- y\nmap:\n  k: v\nlast: file:///x:y#z\n", 0,
		     (const char *const[]){"tags", "(other)", "list", "(other)", "map", "(other)", "last", "file:///x:y#z", NULL});
	expect_pairs("# comment\n---\nt: |\n  a\n  b\nu: !!int 3\nv: -3\nw: 2026-11-22 00:00:00\n", 0,
		     (const char *const[]){"t", "(other)", "u", "(other)", "v", "-3", "w", "2026-11-22 00:00:00", NULL});
	expect_pairs("'on': 1\n\"q\": 2\nf: {a: 1,\nb: 2}\n? [x, y]\n: 3\nr: &r z\ns: *r\n", 0,
		     (const char *const[]){"on", "1", "q", "2", "f", "(other)", "", "(other)", "r", "z", "s", "(other)",
					   NULL});
	expect_pairs("", 0, (const char *const[]){NULL});
	expect_pairs(NULL, 0, (const char *const[]){NULL}); /* as an empty file */
	expect_pairs("- a\n- b\n", 1, (const char *const[]){NULL}); /* the text is a list, not a mapping */
}

/* PyYAML refuses these texts too. The pairs before the bad line are kept. */
static void yaml_is_read_up_to_what_is_none(void **state)
{
	(void)state;
	expect_pairs("a\nb: 'open\nc: 1\n", 1, (const char *const[]){NULL});
	expect_pairs("c: 1\nb: \"\\q\"\nd: 2\n", 2, (const char *const[]){"c", "1", NULL});
	expect_pairs("c: 1\n\nd: 'x' y\n", 3, (const char *const[]){"c", "1", NULL});
	expect_pairs("c: 1\nd: \x01\n", 1, (const char *const[]){NULL}); /* the bytes are checked before any line is read */
	expect_pairs("a: 1\n--- \nb: 2\n", 2, (const char *const[]){"a", "1", NULL});
}

/* Texts that would take quadratic time are refused early: the limits are 64 KiB and 64 levels. */
static void yaml_that_is_deep_or_long_is_refused(void **state)
{
	struct ts_flat_yaml yaml;
	struct ts_arena arena;
	struct ts_error err;
	char *text = calloc(1, TS_YAML_MAX + 2);

	(void)state;
	assert_non_null(text);
	memset(text, '#', TS_YAML_MAX + 1);
	ts_arena_init(&arena, 0);
	assert_int_equal(ts_flat_yaml_read(ts_span_str(text), &arena, &yaml, &err), TS_TOO_LARGE);
	ts_arena_finish(&arena);
	text[TS_YAML_MAX] = 0;
	expect_pairs(text, 0, (const char *const[]){NULL});
	/* 64 nested lists are skipped, 65 are refused. */
	for (int deep = 64; deep <= 65; deep++) {
		(void)snprintf(text, 4096, "a: 1\nb: %.*s%.*s\n", deep, LISTS("["), deep, LISTS("]"));
		expect_pairs(text, deep == 64 ? 0 : 2,
			     deep == 64 ? (const char *const[]){"a", "1", "b", "(other)", NULL}
					: (const char *const[]){"a", "1", NULL});
	}
	free(text);
}

/* --- the database --- */

/* Makes a database from SQL, with Python. */
static void make_db(struct test_run *t, const char *name, const char *sql)
{
	static const char script[] = "import sqlite3, sys\n"
				     "db = sqlite3.connect(sys.argv[1])\n"
				     "db.executescript(open('" GOLDEN "mlflow.db.sql').read() if sys.argv[2] != 'new' else '')\n"
				     "db.executescript(open(sys.argv[3]).read())\n"
				     "db.commit()\n";
	bool fresh = strncmp(sql, "--new", 5) == 0;
	char command[512];

	test_write(t, "make.py", script);
	test_write(t, "make.sql", sql);
	(void)snprintf(command, sizeof command, "rm -f '%s/%s' && python3 %s/make.py '%s/%s' %s %s/make.sql", t->base, name, t->base,
		       t->base, name, fresh ? "new" : "old", t->base);
	assert_int_equal(system(command), 0);
}

static void need_sqlite(void)
{
	if (!ts_mlflow_db_built)
		skip();
}

static void a_database_gives_what_was_logged(void **state)
{
	static const struct {
		const char *part, *name;
	} runs[] = {{ID("a1"), "plain"}, {ID("a2"), "other"}, {ID("a3"), ODD}};
	static const char *const names[] = {ID("a1"), ID("a2"), ID("a3")};

	(void)state;
	need_sqlite();
	for (size_t i = 0; i < 3; i++) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		make_db(&t, "a ?#%.db", "");
		(void)snprintf(path, sizeof path, "%s/a ?#%%.db", t.base);
		ingest_part(&t, path, runs[i].part, TS_OK);
		assert_string_equal(t.result.format, "MLflow database");
		test_script(&t, check, runs[i].name, NULL, "%s", "loss");
		if (i == 0) {
			expect_facts(&t);
			assert_int_equal(t.result.notices.n, 1); /* a value was redacted */
			expect_runs(path, names, 3);
			expect_own_names(path, (const char *const[]){"plain", "other"}, 2);
		}
		test_run_finish(&t);
	}
}

static void parts_are_told_where_one_is_wanted(void **state)
{
	struct ts_found_run *found;
	size_t n;
	struct test_run t;
	char path[256];

	(void)state;
	need_sqlite();
	test_run_init(&t);
	make_db(&t, "mlflow.db", "");
	(void)snprintf(path, sizeof path, "%s/mlflow.db", t.base);
	ingest_part(&t, path, NULL, TS_INVALID);
	assert_non_null(strstr(t.err.text, "3 runs"));
	ingest_part(&t, path, "nobody", TS_NOT_FOUND);
	ingest_part(&t, path, ID("a4"), TS_OK); /* the run is deleted, but it was named */
	assert_int_equal(count_deleted(&t, path), 2); /* another one is of a deleted experiment */
	(void)snprintf(path, sizeof path, "%s/mlflow.db#x", t.base);
	assert_int_equal(ts_discover(path, &t.arena, &found, &n, &t.err), TS_OK);
	assert_int_equal(n, 1);
	assert_string_equal(found[0].part, "x");
	assert_string_equal(found[0].name, "");
	(void)snprintf(path, sizeof path, "%s/mlflow.db", t.base);
	assert_string_equal(found[0].path, path);
	make_db(&t, "mlflow.db", "UPDATE runs SET lifecycle_stage = 'deleted'");
	assert_int_equal(ts_discover(path, &t.arena, &found, &n, &t.err), TS_INVALID);
	assert_non_null(strstr(t.err.text, "all runs of this database of MLflow, 5, are deleted"));
	make_db(&t, "mlflow.db", "DELETE FROM runs WHERE run_uuid > '" ID("a1") "'");
	ingest_part(&t, path, NULL, TS_OK);
	assert_string_equal(test_fact(&t, "session.name"), "plain");
	test_run_finish(&t);
}

/* A database in WAL mode that was left behind can be read in a folder that cannot be written. */
static void write_ahead_logs_need_no_writing(void **state)
{
	struct test_run t;
	char path[256];

	(void)state;
	need_sqlite();
	test_run_init(&t);
	make_db(&t, "sub/../w.db", "PRAGMA journal_mode = WAL; DELETE FROM tags");
	(void)snprintf(path, sizeof path, "%s/w.db", t.base);
	ingest_part(&t, path, ID("a1"), TS_OK);
	(void)snprintf(path, sizeof path, "%s/w.db-wal", t.base);
	assert_int_not_equal(access(path, F_OK), 0);
	(void)snprintf(path, sizeof path, "%s/w.db-shm", t.base);
	assert_int_not_equal(access(path, F_OK), 0);
	test_run_finish(&t);
}

/* Another process writes, and will not finish soon. */
static void a_locked_database_is_known(void **state)
{
	static const char script[] = "import os, sqlite3, sys, time\n"
				     "db = sqlite3.connect(sys.argv[1] + '/x.db', isolation_level=None)\n"
				     "db.execute('BEGIN EXCLUSIVE')\n"
				     "open(sys.argv[1] + '/locked', 'w')\n"
				     "end = time.time() + 60\n"
				     "while os.path.exists(sys.argv[1] + '/locked') and time.time() < end: time.sleep(0.01)\n";
	struct test_run t;
	char command[512], path[256];

	(void)state;
	need_sqlite();
	test_run_init(&t);
	make_db(&t, "x.db", "");
	test_write(&t, "lock.py", script);
	(void)snprintf(command, sizeof command, "python3 %s/lock.py %s >/dev/null 2>&1 & while [ ! -e %s/locked ]; do sleep 0.01; done",
		       t.base, t.base, t.base);
	assert_int_equal(system(command), 0);
	(void)snprintf(path, sizeof path, "%s/x.db", t.base);
	assert_true(ts_mlflow_db_sniff(path) > 0);
	ingest_part(&t, path, ID("a1"), TS_UNAVAILABLE);
	assert_non_null(strstr(t.err.text, "locked"));
	test_run_finish(&t);
}

struct hostile {
	const char *sql;
	enum ts_status status;
	const char *says; /* what the error says */
};

/* An object that replaces a table would run code when it is read, so it is refused. A value that is not a number gives
 * a notice. */
static void hostile_databases_are_refused(void **state)
{
	static const struct hostile cases[] = {
		{"DROP TABLE metrics", TS_INVALID, "no table metrics"},
		{"DROP TABLE tags", TS_INVALID, "no table tags"},
		{"ALTER TABLE metrics RENAME COLUMN step TO steps", TS_INVALID, "no such column: step"},
		{"DROP TABLE params; CREATE VIEW params AS SELECT key, value, run_uuid FROM tags", TS_INVALID, "no table params"},
		{"DROP TABLE params; CREATE VIRTUAL TABLE params USING fts5(key, value, run_uuid)", TS_INVALID, "no table params"},
		{"--new\nCREATE TABLE x(y)", TS_INVALID, "no table runs"},
	};

	(void)state;
	need_sqlite();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		make_db(&t, "mlflow.db", cases[i].sql);
		(void)snprintf(path, sizeof path, "%s/mlflow.db", t.base);
		ingest_part(&t, path, ID("a1"), cases[i].status);
		if (!strstr(t.err.text, cases[i].says))
			fail_msg("%s", t.err.text);
		test_run_finish(&t);
	}
}

static void cells_that_are_no_numbers_are_told(void **state)
{
	static const char sql[] = "DELETE FROM metrics WHERE run_uuid = '" ID("a1") "';\n"
				  "INSERT INTO metrics(key, value, timestamp, run_uuid, step, is_nan) VALUES"
				  "('loss', 0.5, 1000, '" ID("a1") "', 0, 0), ('loss', 'high', 1000, '" ID("a1") "', 1, 0),"
				  "('loss', 0.5, 1000, '" ID("a1") "', 'two', 0), ('loss', 3, 'now', '" ID("a1") "', 3, 0),"
				  "('loss', x'00ff', 1000, '" ID("a1") "', 4, 0), ('loss', 0.0, 5000, '" ID("a1") "', 5, 1),"
				  "(x'ff', 7.0, 5000, '" ID("a1") "', 5, 0);\n"
				  "UPDATE runs SET start_time = 'soon' WHERE run_uuid = '" ID("a1") "'";
	struct test_run t;
	char path[256];

	(void)state;
	need_sqlite();
	test_run_init(&t);
	make_db(&t, "m.db", sql);
	(void)snprintf(path, sizeof path, "%s/m.db", t.base);
	ingest_part(&t, path, ID("a1"), TS_OK);
	assert_non_null(strstr(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"timestamp\":1.0,\"scalars\":{\"loss\":0.5}}\n"
					       "{\"rank\":0,\"step\":3,\"scalars\":{\"loss\":3.0}}\n"
					       "{\"rank\":0,\"step\":5,\"timestamp\":5.0,\"scalars\":{\"loss\":\"NaN\""));
	test_expect_notice(&t, "bad_metric", TS_NOTICE_SKIPPED, 0, 3);
	test_expect_notice(&t, "bad_meta", TS_NOTICE_SKIPPED, 0, 1);
	assert_string_equal(test_fact(&t, "session.started"), "");
	make_db(&t, "m.db", "INSERT INTO runs(run_uuid, lifecycle_stage, experiment_id) VALUES('../up', 'active', 1)");
	assert_int_equal(test_ingest_path(&t, path), TS_INVALID);
	assert_non_null(strstr(t.err.text, "is not an id"));
	test_run_finish(&t);
}

/* Damage in the first page, in other pages or at the end gives an error or a run, nothing else, and leaves no file
 * beside the database. */
static void damaged_databases_are_read_or_refused(void **state)
{
	struct test_run t;
	char path[256], *bytes;
	size_t len, refused = 0, tried = 0;

	(void)state;
	need_sqlite();
	test_run_init(&t);
	make_db(&t, "mlflow.db", "");
	(void)snprintf(path, sizeof path, "%s/mlflow.db", t.base);
	bytes = test_read(&t, "mlflow.db", &len);
	assert_non_null(bytes);
	for (size_t at = 0; at < len; at += at < 200 ? 7 : 1531) {
		char was = bytes[at];
		struct ts_ingest_options options = {.path = path, .part = ID("a1")};

		bytes[at] ^= 0x55;
		test_write_bytes(&t, "mlflow.db", bytes, len);
		bytes[at] = was;
		tried++;
		refused += ts_mlflow_db_read(&options, test_objects_sink, &t.objects, &t.arena, &t.result, &t.err) != TS_OK;
	}
	assert_true(tried > 30 && refused > 2);
	for (size_t cut = 0; cut < len / 2; cut += 3001) {
		test_write_bytes(&t, "mlflow.db", bytes, cut);
		ingest_part(&t, path, ID("a1"), cut < 100 ? TS_INVALID : TS_DAMAGED);
	}
	/* A cut behind everything that is read of the run loses nothing. */
	free(bytes);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_store_gives_what_was_logged),
		cmocka_unit_test(what_is_known_of_a_run_is_facts),
		cmocka_unit_test(folders_hold_what_was_not_deleted),
		cmocka_unit_test(artifacts_are_files_where_that_is_asked),
		cmocka_unit_test(lines_that_are_none_are_told),
		cmocka_unit_test(old_lines_have_no_step),
		cmocka_unit_test(samples_of_one_step_leave_the_first),
		cmocka_unit_test(links_and_long_values_are_told),
		cmocka_unit_test(a_wrong_byte_is_told_or_a_number),
		cmocka_unit_test(a_damaged_record_is_told),
		cmocka_unit_test(yaml_is_read_as_pyyaml_reads_it),
		cmocka_unit_test(yaml_is_read_up_to_what_is_none),
		cmocka_unit_test(yaml_that_is_deep_or_long_is_refused),
		cmocka_unit_test(a_database_gives_what_was_logged),
		cmocka_unit_test(parts_are_told_where_one_is_wanted),
		cmocka_unit_test(write_ahead_logs_need_no_writing),
		cmocka_unit_test(a_locked_database_is_known),
		cmocka_unit_test(hostile_databases_are_refused),
		cmocka_unit_test(cells_that_are_no_numbers_are_told),
		cmocka_unit_test(damaged_databases_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
