/* Verdicts of every state, with names that try to leave their place, as JUnit, commands of a GitHub runner, OpenMetrics, Markdown
 * and the request for pairs. What each format allows is checked by tests/ci/outputs.py, which reads them as their readers do. */
#include "cli/gate/gate_render.h"

#include "base/file.h"
#include "base/test_arena.h"
#include "base/text.h"
#include "cli/text/show_gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define EVIL                                                                                                                       \
	"a\"b'c\n::error::d%0A|e`f`]]>--><b>&amp;@team #12 !7 http://x.y/ " \
	"www.z.w\x1b[31m\xff\xfe\xe6\xbc\xa2\xef\xbf\xbe\\ \r\n/close\n"

static const enum ts_gate_state states[] = {TS_GATE_PASS,    TS_GATE_REGRESSION,   TS_GATE_IMPROVEMENT,
					    TS_GATE_SUSPECT, TS_GATE_INCONCLUSIVE, TS_GATE_COLLECTING,
					    TS_GATE_BLIND};
static const char *const again_words[] = {"tscope", "gate", "exp9", "--baseline", "main", "--paired", "pair-cacacacacaca-1-base",
					  "--paired", "other-pair", "--policy", "a b'c.policy"};
static const struct ts_gate_again again = {again_words, 11};

static struct ts_span str(const char *text)
{
	return ts_span_str(text);
}

static void run_of(struct ts_gate_run *run, enum ts_gate_role role, uint32_t group, uint8_t byte, const char *name)
{
	*run = (struct ts_gate_run){.role = role, .group = group, .name = str(name)};
	memset(run->id.bytes, byte, TS_ID_BYTES);
	memset(run->workload.key[TS_WORKLOAD_CONFIG].bytes, 0xC0, TS_ID_BYTES);
	run->workload.commit = str("3f2a77b0c1");
}

/* A verdict on three baselines, one candidate and the second of two pairs, in which no metric is known. */
static struct ts_verdict *blank(enum ts_gate_state state, const char *name)
{
	struct ts_verdict *v = ts_arena_array(&arena, 1, sizeof *v);
	struct ts_gate_input *in = &v->input;

	in->analysis_version = 7;
	in->runs = ts_arena_array(&arena, 6, sizeof *in->runs);
	run_of(&in->runs[0], TS_GATE_CANDIDATE, 0, 0xCA, name);
	for (size_t i = 1; i < 4; i++)
		run_of(&in->runs[i], TS_GATE_BASELINE, 0, (uint8_t)(0xB0 + i), "p/base");
	run_of(&in->runs[4], TS_GATE_PAIR_BASE, 2, 0xB1, "p/pb");
	run_of(&in->runs[5], TS_GATE_PAIR_CANDIDATE, 2, 0xCA, "p/pc");
	in->n_runs = 6;
	in->baseline = str("branch p/main");
	in->sentence = str("3 runs of main");
	v->state = state;
	v->exit_code = state == TS_GATE_REGRESSION                                  ? 1
		       : state == TS_GATE_INCONCLUSIVE || state == TS_GATE_BLIND ? 3
		       : state == TS_GATE_SUSPECT                                ? 4
										 : 0;
	v->sentence = str("a sentence");
	memset(v->policy_digest.bytes, 0x9D, TS_ID_BYTES);
	v->rows = ts_arena_array(&arena, TS_METRICS, sizeof *v->rows);
	v->n_rows = TS_METRICS;
	for (size_t i = 0; i < TS_METRICS; i++)
		v->rows[i] = (struct ts_gate_row){.metric = (enum ts_metric)i,
						  .name = str(ts_metrics[i].name),
						  .state = TS_GATE_INCONCLUSIVE,
						  .reason = str("no column"),
						  .base = NAN,
						  .candidate = NAN,
						  .size = NAN,
						  .low = NAN,
						  .high = NAN,
						  .sd = NAN,
						  .df = NAN,
						  .prior_sd = NAN,
						  .prior_df = NAN,
						  .t = NAN,
						  .p = NAN,
						  .could_miss = NAN,
						  .pair_t = NAN,
						  .pair_p = NAN};
	v->rows[0].gates = v->rows[0].counts = true;
	v->rows[0].state = state;
	return v;
}

static void add_why(struct ts_verdict *v, const char *name)
{
	v->why = ts_arena_array(&arena, 2, sizeof *v->why);
	v->why[0] = (struct ts_gate_why){str("phase"), str(name), 0.110, 0.141, 1.02};
	v->why[1] = (struct ts_gate_why){str("wait"), str("all ranks"), NAN, 0.001, NAN};
	v->n_why = 2;
}

/* The step time went from 381 ms to 412 ms: 412 / 381 - 1 = 0.0814, "8.1 %". */
static struct ts_verdict *verdict(enum ts_gate_state state, const char *name)
{
	struct ts_verdict *v = blank(state, name);
	struct ts_gate_input *in = &v->input;
	struct ts_gate_row *row = &v->rows[0];

	v->sentence = str(name);
	in->runs[0].workload.name = str(name);
	if (state == TS_GATE_INCONCLUSIVE || state == TS_GATE_COLLECTING) {
		row->reason = str(name);
		in->not_comparable = state == TS_GATE_INCONCLUSIVE ? str(name) : str("");
	} else {
		*row = (struct ts_gate_row){.metric = TS_METRIC_STEP_TIME,
					    .state = state,
					    .gates = true,
					    .counts = true,
					    .base = 0.381,
					    .candidate = 0.412,
					    .base_draws = 12,
					    .candidate_draws = 1,
					    .size = 0.0814,
					    .low = 0.0719,
					    .high = 0.0905,
					    .could_miss = state == TS_GATE_PASS || state == TS_GATE_BLIND ? 0.0312 : (double)NAN};
	}
	v->rows[TS_METRIC_PEAK_MEMORY] = (struct ts_gate_row){.metric = TS_METRIC_PEAK_MEMORY,
							      .state = TS_GATE_REGRESSION,
							      .base = 7.0 * (1 << 30),
							      .candidate = 8.0 * (1 << 30),
							      .base_draws = 12,
							      .candidate_draws = 1,
							      .size = 1.0 / 7,
							      .low = 0.14,
							      .high = 0.15,
							      .could_miss = NAN};
	if (state == TS_GATE_REGRESSION || state == TS_GATE_SUSPECT)
		add_why(v, name);
	if (state == TS_GATE_SUSPECT) {
		v->ask = (struct ts_gate_ask){4, str("3f2a77b0c1"), str(name), in->runs[1].id, in->runs[0].id};
		row->paired = true;
		row->pairs = 2;
	}
	in->facts = ts_arena_array(&arena, 1, sizeof *in->facts);
	in->facts[0] = (struct ts_gate_fact){str(name), str(name), str("")};
	in->n_facts = 1;
	in->facts_more = 30;
	in->differences = ts_arena_array(&arena, 1, sizeof *in->differences);
	in->differences[0] = (struct ts_workload_difference){TS_WORKLOAD_CONFIG, str(name), str(name), str(name)};
	in->n_differences = state == TS_GATE_INCONCLUSIVE;
	in->passed_over = ts_arena_array(&arena, 1, sizeof *in->passed_over);
	in->passed_over[0] = (struct ts_gate_passed_over){in->runs[1].id, str(name), str(name)};
	in->n_passed_over = 1;
	in->loss.sentence = str(name);
	v->warnings = ts_arena_array(&arena, 1, sizeof *v->warnings);
	v->warnings[0] = str(name);
	v->n_warnings = 1;
	return v;
}

enum format { JUNIT, GITHUB, GITLAB, MARKDOWN, BARE_MARKDOWN, REQUEST };

static enum ts_status render(enum format format, const struct ts_verdict *v, struct ts_arena *in, struct ts_buf *out,
			     struct ts_error *err)
{
	switch (format) {
	case JUNIT:
		return ts_render_gate_junit(v, in, out, err);
	case GITHUB:
		return ts_render_gate_github(v, in, out, err);
	case GITLAB:
		return ts_render_gate_gitlab(v, in, out, err);
	case REQUEST:
		return ts_render_gate_request(v, &again, in, out, err);
	case MARKDOWN:
	case BARE_MARKDOWN:
		break;
	}
	return ts_render_gate_markdown(v, &again, format == MARKDOWN, in, out, err);
}

static const char *rendered(enum format format, const struct ts_verdict *v)
{
	struct ts_buf out = TS_BUF_INIT(1 << 21);
	struct ts_error err = {0};
	const char *text;

	if (render(format, v, &arena, &out, &err))
		fail_msg("%s", err.text);
	text = (const char *)ts_arena_span(&arena, ts_buf_view(&out)).data;
	ts_buf_finish(&out);
	return text;
}

static const char *junit(const struct ts_verdict *v) { return rendered(JUNIT, v); }
static const char *github(const struct ts_verdict *v) { return rendered(GITHUB, v); }
static const char *gitlab(const struct ts_verdict *v) { return rendered(GITLAB, v); }
static const char *markdown(const struct ts_verdict *v) { return rendered(MARKDOWN, v); }
static const char *request(const struct ts_verdict *v) { return rendered(REQUEST, v); }

static size_t times(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void assert_says(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("no '%s' in:\n%s", what, text);
}

/* --- pieces --- */

static void sizes_have_two_digits(void **state)
{
	(void)state;
	assert_string_equal(ts_show_size(0.0814, &arena), "8.1 %");
	assert_string_equal(ts_show_size(-0.0814, &arena), "8.1 %");
	assert_string_equal(ts_show_change(-0.0814, &arena), "-8.1 %");
	assert_string_equal(ts_show_change(0.0031, &arena), "+0.31 %");
	assert_string_equal(ts_show_change(0.1249, &arena), "+12 %");
	assert_string_equal(ts_show_change(0.0999, &arena), "+10 %");
	assert_string_equal(ts_show_change(1.236, &arena), "+124 %");
	assert_string_equal(ts_show_change(0, &arena), "0.0 %");
	assert_string_equal(ts_show_change(NAN, &arena), "not known");
	assert_string_equal(ts_show_size(INFINITY, &arena), "infinite");
	{
		struct ts_gate_row row = {.metric = TS_METRIC_STEP_TIME, .low = (double)NAN, .high = 0.1};

		assert_string_equal(ts_show_row_interval(&row, &arena), "not known");
		row.low = -0.9;
		assert_string_equal(ts_show_row_interval(&row, &arena), "wider than a factor of 10");
		row.could_miss = 5e7;
		assert_string_equal(ts_show_row_missed(&row, &arena), "a factor of 10");
		/* Stalls from 1 % to 3 % of all time are 2 points more, not 200 %. */
		row = (struct ts_gate_row){
			.metric = TS_METRIC_STALL_SHARE, .base = 0.01, .candidate = 0.03, .size = 2, .low = 1, .high = 3};
		assert_string_equal(ts_show_row_change(&row, &arena), "+2.0 points");
		assert_string_equal(ts_show_row_interval(&row, &arena), "+1.0 to +3.0");
	}
	assert_string_equal(ts_show_metric(TS_METRIC_STEP_TIME, NAN, &arena), "not known");
	assert_string_equal(ts_show_metric(TS_METRIC_STEP_TIME, 0.412, &arena), "412.0 ms");
}

static void a_workload_is_told_by_name_or_key_and_cannot_end_a_comment(void **state)
{
	struct ts_verdict *v = blank(TS_GATE_PASS, "p/x");

	(void)state;
	assert_string_equal(ts_show_workload(&v->input, &arena), "c0c0c0c0c0c0");
	v->input.runs[0].workload.name = str("gpt2-1.3b");
	assert_string_equal(ts_show_workload(&v->input, &arena), "gpt2-1.3b");
	v->input.runs[0].workload.name = str("-a--b -->-");
	assert_string_equal(ts_show_workload(&v->input, &arena), "%2Da-%2Db%20-%2D%3E%2D");
	v->input.runs[0].workload = (struct ts_workload){.name = str("")};
	assert_string_equal(ts_show_workload(&v->input, &arena), "unknown");
	v->input.n_runs = 0;
	assert_string_equal(ts_show_workload(&v->input, &arena), "unknown");
}

/* --- what each says --- */

static void junit_fails_only_for_what_decides(void **state)
{
	const char *text;

	(void)state;
	text = junit(verdict(TS_GATE_REGRESSION, "p/exp9"));
	assert_says(text, "tests=\"15\" failures=\"1\" errors=\"0\" skipped=\"14\"");
	assert_says(text, "<failure type=\"regression\" message=\"regression: 412.0 ms, baseline 381.0 ms: "
			  "+8.1 % (99 % confidence interval +7.2 % to "
			  "+9.0 %; 12 baselines)\">");
	assert_says(text, "phase p/exp9: 141.0 ms, baseline 110.0 ms; 102 % of the difference\n");
	assert_says(text, "mean wait of all ranks: 1.000 ms, baseline not known\n");
	assert_says(text, "<testcase classname=\"tscope.gate.p/exp9\" name=\"step_time\" time=\"0.412\">");
	assert_says(text, "<skipped message=\"regression (this metric does not decide): 8 GiB, baseline 7 "
			  "GiB: +14 % (99 % confidence interval +14 % to "
			  "+15 %; 12 baselines)\"/>");
	assert_says(text, "<property name=\"tscope.exit_code\" value=\"1\"/>");
	assert_says(text, "<property name=\"tscope.policy_sha256\" value=\"9d9d9d9d");
	assert_says(text, "<property name=\"tscope.baseline.3\" value=\"b3b3b3b3");
	assert_int_equal(times(junit(verdict(TS_GATE_PASS, "x")), "<failure"), 0);
	assert_says(junit(verdict(TS_GATE_PASS, "x")), "the gate could have missed a regression of up to 3.1 %");
	assert_says(junit(verdict(TS_GATE_SUSPECT, "x")), "failures=\"0\" errors=\"1\" skipped=\"14\"");
	assert_says(junit(verdict(TS_GATE_COLLECTING, "why so")), "<skipped message=\"collecting: why so\"/>");
	assert_says(junit(verdict(TS_GATE_INCONCLUSIVE, "why so")), "<skipped message=\"inconclusive: why so\"/>");
	assert_says(junit(verdict(TS_GATE_BLIND, "x")), "failures=\"0\" errors=\"0\" skipped=\"15\"");
	assert_says(junit(verdict(TS_GATE_BLIND, "x")), "12 baselines); the gate could have missed a regression of up to 3.1 %\"/>");
}

static void junit_fails_for_the_inconclusive_where_the_policy_does(void **state)
{
	struct ts_verdict *v = verdict(TS_GATE_INCONCLUSIVE, "why so");

	(void)state;
	v->input.policy.on_inconclusive = TS_GATE_FAILS;
	assert_says(junit(v), "failures=\"1\" errors=\"0\" skipped=\"14\"");
	v = verdict(TS_GATE_BLIND, "why so");
	v->input.policy.on_blind = TS_GATE_FAILS;
	assert_says(junit(v), "failures=\"1\" errors=\"0\" skipped=\"14\"");
}

static void github_says_how_bad_it_is(void **state)
{
	struct ts_verdict *v = verdict(TS_GATE_INCONCLUSIVE, "a: b, c\n%");
	const char *text = github(verdict(TS_GATE_REGRESSION, "50 %, or: so"));

	(void)state;
	assert_says(text, "::error title=tscope gate%3A regression::50 %25, or: so%0Aphase 50 %25, or: so: 141.0 ms");
	assert_says(text, "\n::error title=step time%3A regression::412.0 ms, baseline 381.0 ms: +8.1 %25 (");
	assert_says(text, "\n::notice title=peak memory%3A regression (this metric does not decide)::");
	assert_says(github(verdict(TS_GATE_SUSPECT, "x")), "::warning title=tscope gate%3A suspect::x%0A");
	assert_says(github(verdict(TS_GATE_PASS, "x")), "::notice title=tscope gate%3A pass::x\n");
	assert_says(github(verdict(TS_GATE_BLIND, "x")), "::warning title=tscope gate%3A blind::x\n");
	assert_says(github(v), "::warning title=tscope gate%3A inconclusive::a: b, c\\n%25\n");
	v->exit_code = 1;
	assert_says(github(v), "::error title=tscope gate%3A inconclusive::");
	v->n_warnings = 30;
	v->warnings = ts_arena_array(&arena, 30, sizeof *v->warnings);
	assert_says(github(v), "(the report has 22 more warnings)");
	assert_int_equal(times(github(v), "::warning"), 8);
}

static void gitlab_leaves_out_what_is_not_known(void **state)
{
	const char *text = gitlab(verdict(TS_GATE_PASS, "gpt2"));

	(void)state;
	assert_says(text, "# TYPE tscope_step_time_seconds gauge\n# UNIT tscope_step_time_seconds seconds\n");
	assert_says(text, "\ntscope_step_time_seconds{workload=\"gpt2\"} 0.412\n");
	assert_says(text, "\ntscope_peak_memory_bytes{workload=\"gpt2\"} 8.59e+09\n");
	assert_says(text, "\ntscope_gate_change_ratio{workload=\"gpt2\",metric=\"step_time\"} 0.0814\n");
	assert_says(text, "\ntscope_gate_could_miss_ratio{workload=\"gpt2\",metric=\"step_time\"} 0.0312\n");
	assert_says(text, "\ntscope_gate_exit_code{workload=\"gpt2\"} 0\n# EOF\n");
	assert_null(strstr(text, "mfu"));
	assert_null(strstr(text, "nan"));
}

static void a_comment_says_what_an_engineer_asks(void **state)
{
	const char *text = markdown(verdict(TS_GATE_REGRESSION, "exp9"));

	(void)state;
	assert_ptr_equal(strstr(text, "<!-- tscope-gate:exp9 -->\n### tscope gate: regression\n\nexp9\n"), text);
	assert_says(text, "\n| **step time** | 381.0 ms | 412.0 ms | +8.1 % | +7.2 % to +9.0 % | regression | |\n");
	assert_says(text, "\n| peak memory | 7 GiB | 8 GiB | +14 % | +14 % to +15 % | regression (does not decide) | |\n");
	assert_says(text, "\n- not known: mean step time, 95th percentile of step time, share of stalls: "
			  "no column\n- not known: tokens per second, ");
	assert_says(text, "\n| phase | <code>exp9</code> | 110.0 ms | 141.0 ms | 102 % |\n");
	assert_says(text, "\nThere are 11 more facts.\n"); /* 20 facts may be listed, but only one of the 31 has space here */
	assert_says(text, "\ntscope baseline accept 3f2a77b0c1 --reason 'why it is worth it'\n");
	assert_says(markdown(verdict(TS_GATE_PASS, "exp9")), "| pass | up to 3.1 % |\n");
	assert_int_equal(strncmp(rendered(BARE_MARKDOWN, verdict(TS_GATE_PASS, "exp9")), "### tscope gate: pass\n", 22), 0);
	text = markdown(verdict(TS_GATE_SUSPECT, "exp9"));
	assert_says(text, "Pairs on one machine can. Run base");
	assert_says(text, "<code>pair&#45;cacacacacaca&#45;3&#45;base</code>");
	assert_says(markdown(verdict(TS_GATE_INCONCLUSIVE, "exp9")), "\n| config | <code>exp9</code> |");
	assert_says(markdown(verdict(TS_GATE_INCONCLUSIVE, "exp9")), "\nGATE.ignore = exp9\n");
	assert_says(markdown(verdict(TS_GATE_INCONCLUSIVE, "a\nb")), "\nGATE.ignore = PATH\n");
	/* The text stands in the sentence, the warning, the difference (3 times), the fact (twice), the run, the run
	 * that was passed over (twice), and the loss. It is not repeated for each metric. */
	assert_int_equal(times(markdown(verdict(TS_GATE_INCONCLUSIVE, "because so")), "because so"), 11);
	assert_says(markdown(verdict(TS_GATE_COLLECTING, "exp9")), "tscope push --branch main");
	assert_says(markdown(verdict(TS_GATE_BLIND, "exp9")), "| blind | up to 3.1 % |\n");
	assert_says(markdown(verdict(TS_GATE_BLIND, "exp9")), "\nGATE.must_catch = off\n");
}

/* A loss that became NaN is a value, and not one that is not known. */
static void a_value_that_became_nan_has_its_cell(void **state)
{
	struct ts_verdict *v = verdict(TS_GATE_REGRESSION, "exp9");

	(void)state;
	v->rows[TS_METRIC_LOSS].base = 2.5;
	v->rows[TS_METRIC_LOSS].state = TS_GATE_REGRESSION;
	v->rows[TS_METRIC_LOSS].counts = true;
	v->input.runs[0].reduction.metrics[TS_METRIC_LOSS] = (struct ts_reduced){.known = true, .value = NAN};
	assert_says(markdown(v), "\n| **loss at the end** | 2.5 | NaN |");
	v->input.runs[0].reduction.metrics[TS_METRIC_LOSS].value = INFINITY;
	assert_says(markdown(v), "\n| **loss at the end** | 2.5 | infinite |");
	v->input.runs[0].reduction.metrics[TS_METRIC_LOSS].known = false;
	assert_says(markdown(v), "\n| **loss at the end** | 2.5 | not known |");
}

/* Few runs record their CPU time, and a comment need not say so each time. */
static void a_rare_column_is_missed_only_where_it_decides(void **state)
{
	struct ts_verdict *v = verdict(TS_GATE_PASS, "exp9");

	(void)state;
	assert_null(strstr(markdown(v), "CPU time"));
	v->rows[TS_METRIC_CPU_TIME].counts = true;
	assert_says(markdown(v), "CPU time of a step");
}

static void a_request_is_read_line_by_line(void **state)
{
	struct ts_verdict *v = verdict(TS_GATE_SUSPECT, "8f2a77b0c1");

	(void)state;
	v->ask.pairs = 2;
	assert_string_equal(request(v),
			    "# 8f2a77b0c1\n"
			    "# The columns are SIDE PAIR COMMIT NAME. Run these on one machine in this order, push each "
			    "under its NAME, and gate again:\n"
			    "# tscope gate exp9 --baseline main --paired other-pair --policy 'a b'\\''c.policy' --paired "
			    "'pair-cacacacacaca-*'\n"
			    "base 3 3f2a77b0c1 pair-cacacacacaca-3-base\n"
			    "candidate 3 8f2a77b0c1 pair-cacacacacaca-3-candidate\n"
			    "candidate 4 8f2a77b0c1 pair-cacacacacaca-4-candidate\n"
			    "base 4 3f2a77b0c1 pair-cacacacacaca-4-base\n");
	v->ask.candidate_commit = str("$(reboot)");
	assert_says(request(v), "\ncandidate 3 - pair-");
	v->ask.candidate_commit = str("--upload-pack=x");
	assert_says(request(v), "\ncandidate 3 - pair-");
	/* A pair that does not count keeps its two names. */
	v->input.passed_over[0].name = str("p/pair-cacacacacaca-7-base");
	assert_says(request(v), "\nbase 8 3f2a77b0c1 pair-cacacacacaca-8-base\n");
	v->input.passed_over[0].name = str("p/pair-cacacacacacb-9-base");
	assert_says(request(v), "\nbase 3 3f2a77b0c1 pair-cacacacacaca-3-base\n");
	v->ask.pairs = 0;
	assert_string_equal(request(v), "# 8f2a77b0c1\n");
}

/* --- hostile, huge, out of memory --- */

static void write_all(const char *dir, const char *name, const struct ts_verdict *v)
{
	const struct {
		const char *tail;
		const char *text;
	} files[] = {{"xml", junit(v)}, {"github", github(v)}, {"metrics", gitlab(v)}, {"md", markdown(v)}, {"request", request(v)}};
	struct ts_error err;

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		assert_int_equal(ts_file_replace(ts_arena_printf(&arena, "%s/%s.%s", dir, name, files[i].tail),
						 str(files[i].text), 0600, &err),
				 TS_OK);
}

static struct ts_verdict *huge(const char *word)
{
	enum { N = 4000 };
	struct ts_buf name = TS_BUF_INIT(1 << 20);
	struct ts_verdict *v;
	struct ts_gate_input *in;
	const char *text;

	for (size_t i = 0; i < 200; i++)
		ts_buf_str(&name, word);
	text = (const char *)ts_arena_span(&arena, ts_buf_view(&name)).data;
	ts_buf_finish(&name);
	v = verdict(TS_GATE_INCONCLUSIVE, text);
	in = &v->input;
	in->n_runs = in->n_passed_over = in->n_facts = in->n_differences = v->n_why = v->n_warnings = N;
	in->runs = ts_arena_array(&arena, N, sizeof *in->runs);
	in->passed_over = ts_arena_array(&arena, N, sizeof *in->passed_over);
	in->facts = ts_arena_array(&arena, N, sizeof *in->facts);
	in->differences = ts_arena_array(&arena, N, sizeof *in->differences);
	v->why = ts_arena_array(&arena, N, sizeof *v->why);
	v->warnings = ts_arena_array(&arena, N, sizeof *v->warnings);
	for (size_t i = 0; i < N; i++) {
		run_of(&in->runs[i], i % 2 ? TS_GATE_BASELINE : TS_GATE_CANDIDATE, 0, (uint8_t)i, text);
		in->runs[i].workload.commit = str(text);
		in->passed_over[i] = (struct ts_gate_passed_over){in->runs[i].id, str(text), str(text)};
		in->facts[i] = (struct ts_gate_fact){str(text), str(text), str(text)};
		in->differences[i] = (struct ts_workload_difference){TS_WORKLOAD_CONFIG, str(text), str(text), str(text)};
		v->why[i] = (struct ts_gate_why){str(text), str(text), -1e300, 1e300, -1e300};
		v->warnings[i] = str(text);
	}
	in->facts_more = UINT64_MAX / 2;
	for (size_t i = 0; i < TS_METRICS; i++) {
		v->rows[i].reason = str(text);
		v->rows[i].base = v->rows[i].candidate = -1e300;
		v->rows[i].size = v->rows[i].high = 1e300;
		v->rows[i].low = -1e300;
	}
	return v;
}

static void a_comment_fits_whatever_the_verdict_holds(void **state)
{
	(void)state;
	assert_in_range(strlen(markdown(huge(EVIL))), 20000, TS_GATE_COMMENT_MAX);
	assert_in_range(strlen(markdown(huge("@@@@@@@@"))), 20000, TS_GATE_COMMENT_MAX);
	assert_in_range(strlen(markdown(huge("\xf0\x9f\x94\xa5\xf0\x9f\x94\xa5"))), 20000, TS_GATE_COMMENT_MAX);
}

static void every_reader_understands_every_verdict(void **state)
{
	char dir[] = "/tmp/tscope-gate-XXXXXX";
	int rc;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
		write_all(dir, ts_arena_printf(&arena, "%s-plain", ts_gate_state_word(states[i])), verdict(states[i], "p/exp9"));
		write_all(dir, ts_arena_printf(&arena, "%s-evil", ts_gate_state_word(states[i])), verdict(states[i], EVIL));
		write_all(dir, ts_arena_printf(&arena, "%s-blank", ts_gate_state_word(states[i])), blank(states[i], ""));
	}
	write_all(dir, "inconclusive-huge", huge(EVIL));
	/* The python3 of Debian has the modules that the script needs. */
	rc = system(ts_arena_printf(&arena, "PATH=/usr/bin:$PATH python3 tests/ci/outputs.py %s", dir));
	assert_int_equal(system(ts_arena_printf(&arena, "rm -r %s", dir)), 0);
	assert_int_equal(rc, 0);
}

/* A full arena is an error wherever it becomes full. An arena that is large enough gives no error. */
static void a_full_arena_is_an_error(void **state)
{
	const struct ts_verdict *v = verdict(TS_GATE_SUSPECT, EVIL);

	(void)state;
	for (int format = JUNIT; format <= REQUEST; format++) {
		size_t failures = 0, successes = 0;

		for (size_t ceiling = 1; ceiling < 40000; ceiling += 97) {
			struct ts_buf out = TS_BUF_INIT(1 << 22);
			struct ts_error err = {0};
			struct ts_arena small;

			ts_arena_init(&small, ceiling);
			if (render((enum format)format, v, &small, &out, &err)) {
				assert_int_equal(err.status, TS_NO_MEMORY);
				failures++;
			} else {
				successes++;
			}
			ts_arena_finish(&small);
			ts_buf_finish(&out);
		}
		assert_true(failures > 0 && successes > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sizes_have_two_digits, setup, teardown),
		cmocka_unit_test_setup_teardown(a_workload_is_told_by_name_or_key_and_cannot_end_a_comment, setup, teardown),
		cmocka_unit_test_setup_teardown(junit_fails_only_for_what_decides, setup, teardown),
		cmocka_unit_test_setup_teardown(junit_fails_for_the_inconclusive_where_the_policy_does, setup, teardown),
		cmocka_unit_test_setup_teardown(github_says_how_bad_it_is, setup, teardown),
		cmocka_unit_test_setup_teardown(gitlab_leaves_out_what_is_not_known, setup, teardown),
		cmocka_unit_test_setup_teardown(a_comment_says_what_an_engineer_asks, setup, teardown),
		cmocka_unit_test_setup_teardown(a_value_that_became_nan_has_its_cell, setup, teardown),
		cmocka_unit_test_setup_teardown(a_rare_column_is_missed_only_where_it_decides, setup, teardown),
		cmocka_unit_test_setup_teardown(a_request_is_read_line_by_line, setup, teardown),
		cmocka_unit_test_setup_teardown(a_comment_fits_whatever_the_verdict_holds, setup, teardown),
		cmocka_unit_test_setup_teardown(every_reader_understands_every_verdict, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_arena_is_an_error, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
