/* The report of a made-up diff that fills every section: colour takes nothing away, lines fit, panels are cut unless all is asked for,
 * what is not known is not a number, curves show where they part, and nothing foreign or not finite does harm. */

#include "base/number.h"
#include "base/text.h"
#include "cli/core/diff_view.h"
#include "cli/json/json_diff.h"
#include "cli/report/render_report.h"
#include "cli/report/report.h"
#include "cli/report/svg.h"
#include "cli/text/reproduce.h"
#include "cli/text/text_diff.h"
#include "run/head.h"

#include <float.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct ts_arena arena;
static struct ts_diff diff;

#define EVIL "loss\x1b[31m<script>alert(1)</script>&\"'\xe6\xbc\xa2\xe5\xad\x97\n"

static struct ts_span str(const char *text)
{
	return ts_span_str(text);
}

static struct ts_series_row *row(const char *name, int32_t rank, int64_t step, enum ts_role role)
{
	struct ts_series_row *r;

	if (!diff.series)
		diff.series = ts_arena_array(&arena, 8192, sizeof *diff.series);
	assert_non_null(diff.series);
	r = &diff.series[diff.n_series++];
	*r = (struct ts_series_row){.name = str(name),
				    .type = TS_COLUMN_F64,
				    .role = role,
				    .rank = rank,
				    .state = TS_SERIES_PARTS,
				    .first_step = step,
				    .after_known = true,
				    .after_step = step - 1,
				    .a = {.type = TS_COLUMN_F64, .real = 0.5},
				    .b = {.type = TS_COLUMN_F64, .real = 0.75}};
	return r;
}

static void fact(const char *path, enum ts_group group, const char *a, const char *b)
{
	struct ts_fact *facts = ts_arena_array(&arena, 2, sizeof *facts);

	if (!diff.facts)
		diff.facts = ts_arena_array(&arena, 256, sizeof *diff.facts);
	facts[0] = (struct ts_fact){.type = TS_FACT_TEXT, .path = str(path)};
	facts[1] = facts[0];
	facts[0].text = a ? str(a) : str("");
	facts[1].text = b ? str(b) : str("");
	diff.facts[diff.n_facts++] = (struct ts_fact_row){.group = group,
							  .change = a && b ? TS_FACT_CHANGED : a ? TS_FACT_ONLY_A : TS_FACT_ONLY_B,
							  .rank = TS_RANK_JOB,
							  .path = str(path),
							  .a = a ? &facts[0] : NULL,
							  .b = b ? &facts[1] : NULL};
}

/* Adds 120 points that agree up to the split and differ by `apart` from there on. */
static void curves(const char *group, const char *name, int64_t first, int64_t split, double apart)
{
	for (int side = 0; side < 2; side++) {
		struct ts_plot plot;
		struct ts_error err;

		assert_int_equal(ts_plot_begin(&plot, first, first + 119, 120, &arena, &err), TS_OK);
		for (int64_t step = first; step < first + 120; step++) {
			double value = 2 - (double)(step - first) / 120 + (side && step >= split ? apart : 0);

			ts_plot_add(&plot, &step, &value, 1);
		}
		ts_plot_finish(&plot);
		plot.group = str(group);
		plot.subject = str(name);
		plot.name = str(side ? "b" : "a");
		assert_true(ts_plot_append(&diff.plots, &arena, &plot));
	}
}

static struct ts_span *sentences(const char *one, const char *two)
{
	struct ts_span *items = ts_arena_array(&arena, 2, sizeof *items);

	items[0] = str(one);
	items[1] = str(two);
	return items;
}

static void fill_diagnosis(void)
{
	static enum ts_cause remaining[] = {TS_CAUSE_DATA_SET, TS_CAUSE_RNG_STREAM};
	static struct ts_experiment experiments[2];
	struct ts_diagnosis *d = &diff.diagnosis;

	experiments[0] = (struct ts_experiment){.what = str("repeat the first run"),
						.command = str("tscope diff exp1 exp1-again --repeats 'exp1*' --exit-on facts"),
						.splits = str("whether it is chance"),
						.steps = 50};
	experiments[1] = (struct ts_experiment){.what = str("record digests of batches")};
	*d = (struct ts_diagnosis){.cause = TS_CAUSE_DATA_ORDER,
				   .confidence = TS_CONFIDENCE_HIGH,
				   .has_step = true,
				   .step = 80,
				   .sentence = str("the second run saw its batches in another order from step 80 on"),
				   .bits = {TS_TIER_FAILS, str("digests.batch differs at step 80")},
				   .numeric = {TS_TIER_FAILS, str("loss is 12 % apart")},
				   .statistical = {TS_TIER_UNKNOWN, str("no repeats were named")},
				   .evidence_for = sentences("batch digests differ at step 80", "the learning rate agrees"),
				   .n_for = 2,
				   .evidence_against = sentences("rank 0 has the same batches", ""),
				   .n_against = 1,
				   .remaining = remaining,
				   .n_remaining = 2,
				   .experiments = experiments,
				   .n_experiments = 2};
	assert_true(ts_measure_add(&d->features, &arena, TS_M_PARTING_JUMP, str("loss"), 0.1 + 0.2));
	assert_true(ts_measure_unknown(&d->features, &arena, TS_M_PARTING_FIRST, str("grad_norm"), "no grad_norm"));
}

static void fill_ops(void)
{
	static struct ts_op_row rows[2];

	rows[0] = (struct ts_op_row){.rank = 2, .role = TS_OP_ORIGIN, .step = 80, .ordinal = 3, .name = str("layers.3.attn"),
				     .occurrence = 1, .has_inputs = true, .in_a = 5, .in_b = 5, .out_a = 6, .out_b = 7};
	rows[1] = (struct ts_op_row){.rank = 0, .role = TS_OP_RECEIVER, .step = 80, .ordinal = 9, .name = str("allreduce"), .out_b = 1};
	diff.ops = (struct ts_op_diff){.rows = rows, .n = 2, .compared = 1204, .only_a = 3, .reordered = true};
}

static void fill(void)
{
	struct ts_series_row *r;

	diff = (struct ts_diff){.verdict = TS_DIFF_DIFFERENT, .reason = str("loss parts at step 80: 0.5 against 0.75"), .n_same = 1234};
	diff.a = (struct ts_run_ref){.own_name = str("exp1"), .steps = 160, .last_step = 159, .ranks = 4};
	diff.b = (struct ts_run_ref){.own_name = str("exp2"), .steps = 160, .last_step = 159, .ranks = 4};
	r = row("digests.batch", 1, 80, TS_ROLE_TRAJECTORY);
	r->type = r->a.type = r->b.type = TS_COLUMN_U64;
	r->a.word = 0x503fb813e1a0ba06;
	r->b.word = 0x449ffcf04fb1f990;
	r = row("scalars.loss", 1, 80, TS_ROLE_TRAJECTORY);
	r->after_step = 70;
	r->gap = (struct ts_gap){.known = true, .visible = true, .visible_step = 90, .first = 1e-7, .at_visible = 3.25e-7,
				 .after_10 = 0.031, .after_30 = NAN, .after_100 = NAN,
				 .slope = 0.25, .saturation = 1, .greatest = 1, .greatest_step = 100,
				 .bias = 0.5, .points = 80, .differing = 80, .last_step = 159};
	row("scalars.loss", 0, 81, TS_ROLE_TRAJECTORY);
	row("scalars.loss", 2, 81, TS_ROLE_TRAJECTORY);
	r = row("scalars.grad_norm", 1, 82, TS_ROLE_TRAJECTORY);
	r->gap = (struct ts_gap){.known = true, .first = 1e-9, .at_visible = NAN, .after_10 = NAN, .after_30 = NAN, .after_100 = NAN,
				 .slope = NAN, .saturation = NAN, .greatest = 1e-9, .greatest_step = 82, .bias = NAN, .points = 1,
				 .differing = 1, .last_step = 82};
	row("phases.forward", 0, 0, TS_ROLE_OBSERVATION);
	fact("code.commit", TS_GROUP_CODE, "aaaa", "bbbb");
	fact("config.lr", TS_GROUP_CONFIG, "0.1", NULL);
	fact("config.note", TS_GROUP_CONFIG, EVIL, "b");
	curves("around", "scalars.loss", 40, 80, 0.5);
	curves("whole", "scalars.loss", 0, 80, 0.5);
	fill_diagnosis();
	fill_ops();
}

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, (size_t)256 << 20);
	fill();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static const char *kept(struct ts_buf *out)
{
	const char *text = (const char *)ts_arena_span(&arena, ts_buf_view(out)).data;

	assert_non_null(text);
	ts_buf_finish(out);
	return text;
}

static const char *text_with(int width, bool colour, bool all, const struct ts_reproduce *how)
{
	struct ts_cli cli = {.out = TS_BUF_INIT((size_t)1 << 26), .term = {.width = width, .colour = colour}};
	struct ts_report report;
	struct ts_error err;
	const char *text;

	ts_arena_init(&cli.arena, (size_t)256 << 20);
	assert_int_equal(ts_report_of_diff(&diff, all, how, &cli.arena, &report, &err), TS_OK);
	assert_int_equal(ts_render_report_text(&cli, &report, &err), TS_OK);
	text = kept(&cli.out);
	ts_arena_finish(&cli.arena);
	return text;
}

static const char *text_of(int width, bool colour)
{
	return text_with(width, colour, false, NULL);
}

static const char *page_of(void)
{
	struct ts_buf out = TS_BUF_INIT((size_t)1 << 26);
	struct ts_report report;
	struct ts_error err;

	assert_int_equal(ts_report_of_diff(&diff, false, NULL, &arena, &report, &err), TS_OK);
	assert_int_equal(ts_render_report_html(&report, &out, &err), TS_OK);
	return kept(&out);
}

static const char *json_of(void)
{
	struct ts_cli cli = {.out = TS_BUF_INIT((size_t)1 << 26)};
	struct ts_diff_view view = {false, false};
	struct ts_error err;
	const char *text;

	ts_arena_init(&cli.arena, (size_t)256 << 20);
	/* 3.25e-7 with two digits is a tie, which is rounded to even in binary. */
	assert_int_equal(ts_render_diff_json(&cli, &diff, view, NULL, NULL, &err), TS_OK);
	text = kept(&cli.out);
	ts_arena_finish(&cli.arena);
	return text;
}

static void has(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no '%s' in:\n%s", want, text);
}

static void has_not(const char *text, const char *unwanted)
{
	if (strstr(text, unwanted))
		fail_msg("'%s' in:\n%s", unwanted, text);
}

static const char *without_escapes(const char *text)
{
	char *out = ts_arena_dup(&arena, text, strlen(text) + 1), *at = out;

	for (; *text; text++) {
		if (*text != '\033') {
			*at++ = *text;
			continue;
		}
		while (*text && *text != 'm')
			text++;
	}
	*at = '\0';
	return out;
}

static int longest_line(const char *text)
{
	int longest = 0;

	for (const char *end; *text; text = *end ? end + 1 : end) {
		int w;

		end = text + strcspn(text, "\n");
		w = ts_text_width(ts_span_of(text, (size_t)(end - text)));
		longest = w > longest ? w : longest;
	}
	return longest;
}

static size_t longest_panel(const char *text)
{
	size_t longest = 0, lines = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");

		lines = len ? lines + 1 : 0;
		longest = lines > longest ? lines : longest;
		text += len + 1;
	}
	return longest;
}

/* --- text --- */

static void every_section_is_there(void **state)
{
	static const char *const parts[] = {
		"the second run saw its batches in another order from step 80 on\n",
		"cause: a different data order; confidence: high; from step 80\n",
		"loss parts at step 80: 0.5 against 0.75\n",
		"EQUIVALENT?",
		"bit-exact    no: digests.batch differs at step 80",
		"statistical  not known: no repeats were named",
		"SERIES",
		"CURVES AROUND THE FIRST DIFFERENCE",
		"CURVES OF THE WHOLE RUN",
		"FACTS THAT DIFFER  1 in code, 2 in config",
		"OPERATIONS  1,204 digests compared, 3 only in a; the order of the operations differs",
		"layers.3.attn",
		"origin: its inputs agree, but its output differs",
		"origin or receiver: whether",
		"EVIDENCE",
		"for          batch digests differ",
		"against      rank 0 has",
		"could be     different data; different random numbers",
		"NEXT",
		"1            repeat the first run (50 steps to run); this shows whether it is chance\n"
		"      tscope diff exp1 exp1-again --repeats 'exp1*' --exit-on facts\n",
		"2            record digests of batches\n"};
	const char *text = text_of(100, false), *before = text;

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		const char *found = strstr(before, parts[i]);

		if (!found)
			fail_msg("no '%s' behind the one before it:\n%s", parts[i], text);
		before = found;
	}
	has_not(text, "REPRODUCE");
}

/* Digests differ first, but their bits mean nothing to a person, so three numbers that differ stand before them. */
static void numbers_are_shown_before_digests(void **state)
{
	const char *text = text_of(100, false), *loss, *digest;

	(void)state;
	loss = strstr(text, "  loss             a  0.5\n"); /* this column is as wide as "step 80, rank 1" */
	digest = strstr(text, "  digests.batch    a  503fb813e1a0ba06\n");
	if (!loss || !digest || loss > digest)
		fail_msg("the values of loss are not before those of the digest:\n%s", text);
}

/* In a short run, the curve around the split already shows the whole run. */
static void one_stretch_is_drawn_once(void **state)
{
	const char *text;

	(void)state;
	diff.plots = (struct ts_plots){0};
	curves("around", "scalars.loss", 0, 80, 0.5);
	curves("whole", "scalars.loss", 0, 80, 0.5);
	text = text_of(100, false);
	has(text, "CURVES AROUND THE FIRST DIFFERENCE");
	has_not(text, "CURVES OF THE WHOLE RUN");
}

/* In 60 columns, a short row stands behind its name. */
static void short_rows_stay_on_one_line(void **state)
{
	const char *text = text_of(60, false);

	(void)state;
	has(text, "  digests.batch  rank 1  first step 80\n");
	has(text, "  loss\n      rank 1 +2  first step 70 to 80");
}

/* The text shows the interval without common points, the first visible step, and what is not known. */
static void first_steps_say_what_is_known(void **state)
{
	const char *text = text_of(100, false);

	(void)state;
	has(text, "SERIES  5 series differ, 1,234 are the same (counted on each rank)");
	has(text, "  series         rank  first step  visible       r   r+10  slope  r end\n");
	has(text,
	    "  loss           1 +2    70 to 80       90  3.3e-7  0.031   0.25      1\n");
	has(text, "  digests.batch  1             80        -       -      -      -      -\n");
	has(text, "  grad_norm      1             82    never  1.0e-9      -      -      -\n");
	has(text, "ranks        rank 1 differs first, at step 80; then ranks 0, 2 at step 81");
	has(text, "costs        these series differ, but do not decide: phases.forward");
	has_not(text, "+100"); /* no series has this value */
	has_not(text, "NaN");
	has_not(text, "nan");
}

/* Returns the row of digests.batch in which `after` is the last equal common step and `first` is the first different one. */
static const char *first_bits(bool known, int64_t after, int64_t first)
{
	struct ts_series_row *r = &diff.series[0];
	const char *row;

	r->after_known = known;
	r->after_step = after;
	r->first_step = first;
	row = strstr(text_of(100, false), "\n  digests.batch  1 ");
	assert_non_null(row);
	row += strlen("\n  digests.batch  1 ");
	return ts_arena_printf(&arena, "%.*s", (int)strcspn(row, "\n"), row);
}

/* If the two steps are neighbours, the second is the first different step. If not, the text names the interval, however
 * short or long. */
static void a_stretch_is_no_step(void **state)
{
	(void)state;
	assert_non_null(strstr(first_bits(true, 80, 82), " 80 to 82 "));
	assert_null(strstr(first_bits(true, 81, 82), " to "));
	assert_non_null(strstr(first_bits(true, 81, 82), " 82 "));
	assert_non_null(strstr(first_bits(true, -1, 1), " -1 to 1 "));
	assert_null(strstr(first_bits(false, 80, 82), " to ")); /* no step before is known to be equal */
}

static void colour_takes_nothing_away(void **state)
{
	static const int widths[] = {0, 20, 40, 60, 80, 132, 1000};

	(void)state;
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		const char *plain = text_of(widths[i], false), *coloured = text_of(widths[i], true);

		has_not(plain, "\033");
		has(coloured, "\033[31m");
		assert_string_equal(without_escapes(coloured), plain);
	}
}

static void lines_fit(void **state)
{
	(void)state;
	/* Text that goes into a shell is not broken into lines. */
	diff.diagnosis.experiments[0].command = str("short");
	assert_true(longest_line(text_of(60, false)) <= 60);
	assert_true(longest_line(text_of(80, false)) <= 80);
	diff.diagnosis.experiments[0].command =
		str("tscope diff a b --a-very-long-option-that-is-longer-than-what-is-left-of-the-line");
	has(text_of(60, false), "      tscope diff a b --a-very-long-option-that-is-longer-than-what-is-left-of-the-line\n");
}

static void a_sentence_is_one_line_in_a_pipe(void **state)
{
	char *sentence = ts_arena_array(&arena, 400, 1);

	(void)state;
	for (size_t i = 0; i < 399; i++)
		sentence[i] = i % 7 == 6 ? ' ' : 'x';
	sentence[399] = '\0';
	diff.diagnosis.sentence = str(sentence);
	assert_int_equal(strcspn(text_of(0, false), "\n"), 399);
	assert_true(strcspn(text_of(80, false), "\n") <= 80);
}

static void many_ranks(void)
{
	for (int32_t rank = 3; rank < 1800; rank++)
		row("scalars.loss", rank, 83, TS_ROLE_TRAJECTORY);
	diff.a.ranks = diff.b.ranks = 1800;
	for (int i = 0; i < 100; i++)
		fact(ts_arena_printf(&arena, "session.fact%d", i), TS_GROUP_SESSION, "a", "b");
	for (int i = 0; i < 40; i++)
		row(ts_arena_printf(&arena, "scalars.series%d", i), 0, 90, TS_ROLE_TRAJECTORY);
}

static void a_panel_is_at_most_a_screen(void **state)
{
	const char *text;

	(void)state;
	many_ranks();
	for (int width = 60; width <= 100; width += 20) {
		text = text_of(width, false);
		assert_true(longest_panel(text) <= 24);
		has(text, "more; --all shows them");
	}
	has(text, "1 +1799");
	has(text, "ranks        rank 1 differs first, at step 80; then ranks 0, 2 at step 81; then ranks 3-10");
	text = text_with(80, false, true, NULL);
	has(text, "session.fact99");
	has(text, "series39");
	has_not(text, "--all shows");
}

/* On a narrow terminal, a row may take two lines. Rows are cut as a whole, and each row that is left out is counted. */
static void rows_that_are_left_out_are_counted(void **state)
{
	const char *text, *end;
	size_t shown = 0;
	long more;

	(void)state;
	for (int i = 0; i < 100; i++)
		fact(ts_arena_printf(&arena, "session.fact%d", i), TS_GROUP_SESSION, "thirty characters of one value",
		     "thirty characters of the other");
	text = strstr(text_of(60, false), "FACTS THAT DIFFER");
	assert_non_null(text);
	end = strstr(text, "\n\n");
	for (const char *at = strstr(text, "->"); at && at < end; at = strstr(at + 1, "->"))
		shown++;
	text = strstr(text, "  and ");
	assert_true(text && text < end);
	more = strtol(text + strlen("  and "), NULL, 10);
	assert_true(shown >= 5 && shown < 20);
	assert_int_equal(shown + (size_t)more, 103);
}

/* Series that have two names, and rows that no comparison looked at, are told in the text and in the JSON. */
static struct ts_outcome outcome(const char *name, double a, double b, double noise)
{
	return (struct ts_outcome){.name = str(name),
				   .title = str(name),
				   .unit = TS_UNIT_SECONDS,
				   .a = {.known = true, .value = a},
				   .b = {.known = true, .value = b},
				   .compared = true,
				   .change = b - a,
				   .has_noise = noise > 0,
				   .noise = noise};
}

/* Costs that differ by more than equal runs were seen to stand above the cause; memory has no noise, and counts from 5 % on. */
static void costs_stand_above_the_cause(void **state)
{
	struct ts_outcome some[] = {outcome("loss", 1, 9, 0.1), outcome("step_time_mean", 0.1, 0.353, 0.01),
				    outcome("step_time", 0.1, 0.4, 0.01), outcome("tokens_per_s", 100, 101, 2),
				    outcome("peak_memory", 100, 106, 0)};

	(void)state;
	diff.outcomes = some;
	diff.n_outcomes = 5;
	has(text_of(0, false), "\ncosts of b against a: step_time_mean +253 % ±10.0 %; peak_memory +6 %\ncause: ");
	has(page_of(), "<p>costs of b against a: step_time_mean +253 % ±10.0 %; peak_memory +6 %</p>");
	some[1].noise = some[2].noise = 0.31;
	some[4].change = 4;
	has_not(text_of(0, false), "costs of b against a");
	/* Twice as long, and many times what the steps vary: a busy machine does that to the same code. */
	some[1] = outcome("step_time_mean", 0.1, 0.2, 0.001);
	some[2] = outcome("step_time", 0.1, 0.2, 0.001);
	has_not(text_of(0, false), "costs of b against a");
	has_not(page_of(), "costs of b against a");
}

static void what_is_compared_is_said(void **state)
{
	static struct ts_alias_row aliases[3];
	const char *text;

	(void)state;
	assert_null(strstr(text_of(100, false), "WHAT IS COMPARED"));
	aliases[0] = (struct ts_alias_row){
		.a = str("scalars.loss"), .b = str("scalars.train/loss"), .ranks = 1, .common = 64, .parts = true};
	aliases[1] = (struct ts_alias_row){.a = str("scalars.lr"), .b = str("scalars.train/lr"), .ranks = 1, .common = 1};
	aliases[2] = (struct ts_alias_row){.a = str("scalars.acc"), .b = str("scalars.train/acc"), .ranks = 1, .parts = true};
	diff.aliases = aliases;
	diff.n_aliases = 3;
	diff.superseded_b = 1234;
	text = text_of(100, false);
	has(text, "train/loss of b as loss of a: equal at the first 64 common steps");
	has(text, "train/lr of b as lr of a: equal at all 1 common step");
	has(text, "train/acc of b as acc of a: different at the first common step already");
	has(text, "not of b     1,234 rows of steps that a restart executed again; the last execution is compared");
	has_not(text, "not of a");
	diff.n_aliases = 0;
	diff.superseded_b = 0;
}

static void foreign_text_is_harmless(void **state)
{
	const char *text;

	(void)state;
	diff.a.own_name = str(EVIL);
	diff.diagnosis.sentence = str(EVIL);
	diff.diagnosis.evidence_for[0] = str(EVIL);
	diff.diagnosis.experiments[0].command = str(EVIL);
	diff.ops.rows[0].name = str(EVIL);
	diff.series[0].name = str(EVIL);
	diff.series[1].name = diff.plots.items[0].subject = diff.plots.items[1].subject = str(EVIL);
	for (text = text_of(80, true); *text; text++) {
		if (*text != '\033')
			continue;
		/* Our own escape sequences are ESC [, one or two digits, and m. */
		assert_int_equal(text[1], '[');
		assert_true(text[strspn(text + 2, "0123456789") + 2] == 'm' && strspn(text + 2, "0123456789") <= 2);
	}
	text = page_of();
	has_not(text, "<script");
	has_not(text, "://");
	has_not(text, "\033");
	has(text, "loss\\x1B[31m&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;\xe6\xbc\xa2");
}

/* There is one curve up to the split. From the split on, at the 41st column behind the label and the axis, b lies above a. */
static void curves_show_where_they_part(void **state)
{
	enum { AXIS = 15, SPLIT = AXIS + 40 };
	const char *text = text_of(135, false), *line = strstr(text, "CURVES AROUND");
	size_t both = 0, letters = 0;

	(void)state;
	assert_non_null(line);
	for (int row = 0; row < 8; row++, line += strcspn(line, "\n") + 1) {
		int column = 0;

		/* The section has a heading and a legend, then six rows. */
		for (const char *at = line; row >= 2 && *at != '\n'; column++) {
			uint32_t point;
			size_t len = ts_utf8_next(ts_span_of(at, strlen(at)), &point);

			letters += *at == 'a' || *at == 'b';
			if (*at == 'a' || *at == 'b')
				assert_true(column >= SPLIT);
			if (point == 0x2022) {
				assert_true(column >= AXIS && column < SPLIT);
				both++;
			}
			if (point == 0x250A)
				assert_int_equal(column, SPLIT);
			at += len;
		}
	}
	assert_int_equal(both, 40);
	assert_int_equal(letters, 160);
	has(text, "\n               40                                     80"); /* 80 is centred below the 41st column */
	/* At first the loss is 2 - 40/120 = 1.667 against 2.167, so r is 0.5/2.167 = 0.23.
	 * At the end r is 0.5/(1.5 + 1/120) = 0.33. */
	has(text, "r from 0.23 to 0.33, logarithmic");
}

/* Values that are not known are not printed, drawn or counted as zero. */
static void little_is_no_harm(void **state)
{
	const char *text;

	(void)state;
	diff = (struct ts_diff){.verdict = TS_DIFF_SAME, .reason = str("both are one and the same run: their ids are equal")};
	text = text_of(80, false);
	has(text, "FACTS THAT DIFFER  no recorded fact differs");
	has(text, "SERIES  no series is the same");
	has_not(text, "EQUIVALENT?"); /* the diff did not judge this */
	has_not(text, "EVIDENCE");
	has_not(text, "NEXT");
	has_not(text, "OPERATIONS");
	has_not(text, "CURVES");
	assert_string_equal(without_escapes(text_of(60, true)), text_of(60, false));
	page_of();
	json_of();
}

static void odd_numbers_do_no_harm(void **state)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 0.0, -0.0, 5e-324};
	enum { N = sizeof odd / sizeof odd[0] };

	(void)state;
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < N; k++) {
			struct ts_plot *a = &diff.plots.items[0], *b = &diff.plots.items[1];

			for (size_t c = 0; c < a->n; c++) {
				a->mean[c] = a->min[c] = a->max[c] = c % 3 ? odd[i] : odd[k];
				b->mean[c] = b->min[c] = b->max[c] = odd[k];
			}
			diff.series[1].gap.at_visible = diff.series[1].gap.slope = odd[i];
			diff.series[1].first_step = i % 2 ? INT64_MIN : INT64_MAX;
			diff.series[1].after_step = k % 2 ? INT64_MIN : INT64_MAX;
			assert_string_equal(without_escapes(text_of(60, true)), text_of(60, false));
			has_not(page_of(), "\"nan");
			has_not(page_of(), "inf\"");
		}
}

static void one_line_for_scripts(void **state)
{
	struct ts_cli cli = {.out = TS_BUF_INIT(1 << 16)};
	struct ts_error err;

	(void)state;
	ts_arena_init(&cli.arena, 1 << 20);
	assert_int_equal(ts_render_diff_first(&cli, &diff, &err), TS_OK);
	diff.series[0].name = str("a\tb\nc");
	assert_int_equal(ts_render_diff_first(&cli, &diff, &err), TS_OK);
	diff.series += 5; /* only times differ, which do not decide; the operation does */
	diff.n_series = 1;
	assert_int_equal(ts_render_diff_first(&cli, &diff, &err), TS_OK);
	diff.ops.n = 0;
	assert_int_equal(ts_render_diff_first(&cli, &diff, &err), TS_OK);
	assert_string_equal(kept(&cli.out), "80\tdigests.batch\t1\n80\ta\\tb\\nc\t1\n80\tlayers.3.attn\t2\n-\t-\t-\n");
	ts_arena_finish(&cli.arena);
}

/* --- reproduce --- */

static struct ts_fact text_fact(const char *path, const char *text)
{
	return (struct ts_fact){.type = TS_FACT_TEXT, .path = str(path), .text = str(text)};
}

static void what_would_run_it_again(void **state)
{
	struct ts_fact items[] = {
		text_fact("code.commit", "0123abcd"),
		text_fact("code.branch", "main"),
		text_fact("code.patch_sha256", "feed"),
		text_fact("determinism.env.CUBLAS_WORKSPACE_CONFIG", ":4096:8"),
		text_fact("determinism.env.NCCL_ALGO", "Ring; rm -rf '/'"),
		text_fact("determinism.env.NOT A NAME", "x"),
		text_fact("session.argv[0]", "python"),
		text_fact("session.argv[1]", "train.py"),
		text_fact("session.argv[2]", "--name=it's\n\033[2J"),
	};
	struct ts_facts facts = {.items = items, .n = sizeof items / sizeof items[0]};
	struct ts_reproduce how;
	struct ts_error err;
	const char *text;

	(void)state;
	ts_facts_sort(&facts);
	assert_int_equal(ts_reproduce_of(&facts, "r1", &arena, &how.a, &err), TS_OK);
	assert_int_equal(how.a.n, 3);
	assert_string_equal(how.a.commands[0], "git checkout 0123abcd  # was on main");
	assert_string_equal(how.a.commands[1], "git apply PATCH  # whose SHA-256 is feed");
	/* Words are quoted as POSIX says. Bytes that could do harm are octal escapes in $'...'. */
	assert_string_equal(how.a.commands[2],
			    "CUBLAS_WORKSPACE_CONFIG=:4096:8 NCCL_ALGO='Ring; rm -rf '\\''/'\\''' python train.py "
			    "$'--name=it\\047s\\012\\033[2J'");
	assert_int_equal(how.a.n_missing, 1);
	assert_string_equal(how.a.missing[0],
			    "the patch itself: only its digest is recorded (tscope facts --with-patch keeps the text)");
	facts.n = 0;
	assert_int_equal(ts_reproduce_of(&facts, "r1", &arena, &how.b, &err), TS_OK);
	assert_int_equal(how.b.n, 0);
	assert_int_equal(how.b.n_missing, 4); /* code, patch, environment, and command are missing */
	text = text_with(100, false, false, &how);
	has(text, "REPRODUCE");
	has(text, "      git checkout 0123abcd  # was on main\n");
	has(text, "not known    the code, because there is no fact code.commit;");
}

static struct ts_reproduce_side again(const struct ts_fact *items, size_t n)
{
	struct ts_fact *copy = ts_arena_array(&arena, n, sizeof *copy);
	struct ts_facts facts = {.items = copy, .n = n};
	struct ts_reproduce_side side;
	struct ts_error err;

	assert_non_null(copy);
	memcpy(copy, items, n * sizeof *copy);
	ts_facts_sort(&facts);
	assert_int_equal(ts_reproduce_of(&facts, "./my runs/a", &arena, &side, &err), TS_OK);
	return side;
}

#define AGAIN(...) \
	again((const struct ts_fact[]){__VA_ARGS__}, sizeof((const struct ts_fact[]){__VA_ARGS__}) / sizeof(struct ts_fact))

/* Our recorder refuses the folder of a run that is there. */
static void it_is_recorded_in_a_folder_of_its_own(void **state)
{
	struct ts_reproduce_side side;

	(void)state;
	side = AGAIN(text_fact("libraries.tscope", "0.2.0"), text_fact("session.command", "python t.py --out a"));
	assert_int_equal(side.n, 1);
	assert_string_equal(side.commands[0], "TSCOPE_DIRECTORY=again-a python t.py --out a");
	side = AGAIN(text_fact("libraries.tscope", "0.2.0"), text_fact("session.command", "python t.py --out a | tee log"));
	assert_int_equal(side.n, 2);
	assert_string_equal(side.commands[0], "export TSCOPE_DIRECTORY=again-a");
	side = AGAIN(text_fact("libraries.tscope", "0.2.0"));
	assert_int_equal(side.n, 0);
}

static void the_patch_is_applied_if_it_is_the_one(void **state)
{
	/* The digest is the output of: printf 'a\n' | sha256sum */
	const char *digest = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7";
	struct ts_reproduce_side side;

	(void)state;
	side = AGAIN(text_fact("code.patch_sha256", digest), text_fact("session.patch", "a\n"),
		     text_fact("session.directory", "exp 1"), text_fact("session.command", "python t.py"));
	assert_int_equal(side.n, 3);
	assert_string_equal(side.commands[0], "tscope facts --raw './my runs/a' session.patch | git apply");
	assert_string_equal(side.commands[1], "cd -- 'exp 1'");
	assert_string_equal(side.commands[2], "python t.py");
	assert_int_equal(side.n_missing, 2); /* commit and environment are missing */
	side = AGAIN(text_fact("code.patch_sha256", digest), text_fact("session.patch", "b\n"));
	assert_string_equal(side.commands[0],
			    "git apply PATCH  # whose SHA-256 is 87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7");
	assert_string_equal(side.missing[1], "the patch itself: the SHA-256 of session.patch is not code.patch_sha256");
}

static void variables_reach_all_of_a_line(void **state)
{
	const struct ts_fact variable = text_fact("determinism.env.OMP_NUM_THREADS", "2");
	struct ts_reproduce_side side;

	(void)state;
	side = AGAIN(variable, text_fact("session.command", "torchrun train.py --lr 3e-4 --name 'a b'"));
	assert_int_equal(side.n, 1);
	assert_string_equal(side.commands[0], "OMP_NUM_THREADS=2 torchrun train.py --lr 3e-4 --name 'a b'");
	side = AGAIN(variable, text_fact("session.command", "cd exp && python t.py $OMP_NUM_THREADS"));
	assert_int_equal(side.n, 2);
	assert_string_equal(side.commands[0], "export OMP_NUM_THREADS=2");
	assert_string_equal(side.commands[1], "cd exp && python t.py $OMP_NUM_THREADS");
	/* A command of two lines is quoted so that it can be pasted as one line. */
	side = AGAIN(variable, text_fact("session.command", "torchrun \\\n train.py"));
	assert_int_equal(side.n, 2);
	assert_string_equal(side.commands[1], "eval $'torchrun \\134\\012 train.py'");
	side = AGAIN(variable, text_fact("session.command", "python t.py --api-key '<redacted>'"));
	assert_int_equal(side.n_missing, 3); /* code, patch, and the secret are missing */
	assert_string_equal(side.missing[2], "a secret in the command, which tscope replaced by <redacted>");
}

/* --- JSON --- */

static void json_has_all_of_it(void **state)
{
	const char *text = json_of();

	(void)state;
	has(text, "\"cause\": \"data_order\"");
	has(text, "\"confidence\": \"high\"");
	has(text, "\"at_visible_ratio\": 3.25e-07");
	has(text, "\"after_30_ratio\": null");
	has(text, "\"visible_step\": 90");
	has(text, "\"answer\": \"unknown\",\n        \"why\": \"no repeats were named\"");
	has(text, "\"remaining\": [\n      \"data_set\",\n      \"rng_stream\"\n    ]");
	has(text, "\"run_step_count\": 50");
	has(text, "\"jump_ratio\": 0.30000000000000004"); /* 0.1 + 0.2 in IEEE 754 arithmetic */
	has(text, "\"reason\": \"no grad_norm\"");
	has(text, "\"a_inputs\": \"0000000000000005\"");
	has(text, "\"a_inputs\": null"); /* the inputs were not recorded */
	has(text, "\"cell_step_count\": 1");
	has(text, "\"reproduce\": null");
	has_not(text, "\033");
}

static void json_numbers_read_back(void **state)
{
	static const double values[] = {1.0 / 3, 5e-324, 2.2250738585072011e-308, 0.1 + 0.7, 0.5e-6};

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		const char *text, *at;
		double back;

		diff.series[1].gap.at_visible = values[i];
		text = json_of();
		at = strstr(text, "\"at_visible_ratio\": ");
		assert_non_null(at);
		at += strlen("\"at_visible_ratio\": ");
		assert_true(ts_parse_double(ts_span_of(at, strcspn(at, ",\n")), &back));
		assert_memory_equal(&back, &values[i], sizeof back);
	}
}

/* --- HTML --- */

static void a_page_has_its_figures(void **state)
{
	const char *page = page_of();

	(void)state;
	has(page, "<h1><span class=\"light high\"></span>the second run saw its batches in another order from step 80 on</h1>");
	has(page, "<figcaption>loss, rank 1");
	has(page, "class=\"split\"");
	has(page, "the runs first differ at step 80</title>");
	has(page, "<g class=\"a\">");
	has(page, "<g class=\"b\">");
	has(page, "relative difference: loss");
	has_not(page, "not finite");
	has(page, "<td class=\"text a\">aaaa</td>");
	has(page, "<pre><code>tscope diff exp1");
	has(page, "not recorded");
	has(page, "jump");
}

/* The page says where a line ends because its values are NaN or infinite. */
static void a_page_says_where_a_curve_breaks(void **state)
{
	double nan = NAN;
	int64_t step = 97;

	(void)state;
	ts_plot_add(&diff.plots.items[1], &step, &nan, 1); /* no other cell has this step */
	diff.plots.items[1].mean[97 - 40] = NAN;
	has(page_of(), "<span>b is not finite at step 97</span>");
	for (size_t i = 98 - 40; i < diff.plots.items[1].n; i++)
		diff.plots.items[1].mean[i] = NAN;
	has(page_of(), "<span>b is not finite from step 97 on</span>");
}

/* If the memory does not suffice, the result is an error, not a shorter report. */
static void little_memory_is_an_error(void **state)
{
	size_t failed = 0, done = 0;

	(void)state;
	for (size_t size = 1 << 10; size < (size_t)1 << 22 && done == 0; size += size / 4) {
		struct ts_arena little;
		struct ts_report report;
		struct ts_error err = {.status = TS_OK};

		ts_arena_init(&little, size);
		if (ts_report_of_diff(&diff, false, NULL, &little, &report, &err)) {
			assert_int_equal(err.status, TS_NO_MEMORY);
			failed++;
		} else {
			done++;
		}
		ts_arena_finish(&little);
	}
	assert_true(failed > 2 && done == 1);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_section_is_there),
		T(numbers_are_shown_before_digests),
		T(one_stretch_is_drawn_once),
		T(short_rows_stay_on_one_line),
		T(first_steps_say_what_is_known),
		T(a_stretch_is_no_step),
		T(colour_takes_nothing_away),
		T(lines_fit),
		T(a_sentence_is_one_line_in_a_pipe),
		T(a_panel_is_at_most_a_screen),
		T(rows_that_are_left_out_are_counted),
		T(costs_stand_above_the_cause),
		T(what_is_compared_is_said),
		T(foreign_text_is_harmless),
		T(curves_show_where_they_part),
		T(little_is_no_harm),
		T(odd_numbers_do_no_harm),
		T(one_line_for_scripts),
		T(what_would_run_it_again),
		T(it_is_recorded_in_a_folder_of_its_own),
		T(the_patch_is_applied_if_it_is_the_one),
		T(variables_reach_all_of_a_line),
		T(json_has_all_of_it),
		T(json_numbers_read_back),
		T(a_page_has_its_figures),
		T(a_page_says_where_a_curve_breaks),
		T(little_memory_is_an_error),
	};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
