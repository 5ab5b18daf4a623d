/* The report of an answer that fills every section: panels no longer than a screen, lights that say what findings say, colour that
 * takes nothing away, spikes that are never lost, and nothing foreign or not finite that does harm. */

#include "analysis/rules/rule.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/json/json_parts.h"
#include "cli/report/render_report.h"
#include "cli/report/report.h"
#include "cli/report/report_parts.h"
#include "cli/report/spark.h"
#include "cli/report/svg.h"
#include "cli/view/show_value.h"

#include <float.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct ts_arena arena;
static struct ts_analysis answer;

#define EVIL "loss\x1b[31m<script>alert(1)</script>&\"'\xe6\xbc\xa2\xe5\xad\x97\n"

static struct ts_span str(const char *text)
{
	return ts_span_str(text);
}

static void put(struct ts_measure row)
{
	assert_true(ts_measure_put(&answer.measures, &arena, &row));
}

/* The measure is given by words, because a report also shows rows of a server that knows more measures, and asks for
 * those of the table. */
static void number(const char *group, const char *subject, const char *name, enum ts_unit unit, double value)
{
	put((struct ts_measure){.group = str(group),
				.subject = str(subject),
				.name = str(name),
				.unit = unit,
				.known = true,
				.value = value});
}

static void words(const char *group, const char *subject, const char *name, const char *text)
{
	put((struct ts_measure){.group = str(group),
				.subject = str(subject),
				.name = str(name),
				.unit = TS_UNIT_TEXT,
				.known = true,
				.text = str(text)});
}

static void unknown(const char *group, const char *subject, const char *name, const char *reason)
{
	put((struct ts_measure){.group = str(group),
				.subject = str(subject),
				.name = str(name),
				.unit = TS_UNIT_SECONDS,
				.reason = str(reason)});
}

static void event(enum ts_event_kind kind, const char *group, const char *subject, int64_t first, int64_t last,
		  double value, double expected)
{
	struct ts_event e = {.kind = kind,
			     .group = str(group),
			     .subject = str(subject),
			     .first_step = first,
			     .last_step = last,
			     .value = value,
			     .expected = expected,
			     .score = value};

	assert_true(ts_event_add(&answer.events, &arena, &e));
}

/* Adds a plot of n steps at `level`, with one spike in the middle. */
static void plot(const char *group, const char *subject, enum ts_unit unit, size_t n, double level, double spike)
{
	int64_t *steps = ts_arena_array(&arena, n, sizeof *steps);
	double *values = ts_arena_array(&arena, n, sizeof *values);
	struct ts_series series = {.name = str(subject), .keys = steps, .values = values, .n = n};
	struct ts_error err;

	for (size_t i = 0; i < n; i++) {
		steps[i] = (int64_t)i;
		values[i] = i == n / 2 ? spike : level + level * (double)(i % 7) / 100;
	}
	assert_int_equal(
		ts_plot_series(&answer.plots, TS_ANSWER_TIMING, str(subject), "value", unit, &series, &arena, &err),
		TS_OK);
	answer.plots.items[answer.plots.n - 1].group = str(group);
}

static struct ts_finding *finding(const char *code, enum ts_severity severity, const char *title)
{
	struct ts_findings *f = &answer.findings;

	if (!f->items)
		f->items = ts_arena_array(&arena, 64, sizeof *f->items);
	f->items[f->n] =
		(struct ts_finding){.code = str(code),
				    .severity = severity,
				    .title = str(title),
				    .detail = str("phase data takes 51.5 % of a step, 6.79 ms of 13.4 ms"),
				    .advice = str("give the loader more workers, and keep them between epochs")};
	return &f->items[f->n++];
}

static void unchecked(const char *code, const char *reason)
{
	struct ts_findings *f = &answer.findings;

	if (!f->unchecked)
		f->unchecked = ts_arena_array(&arena, 64, sizeof *f->unchecked);
	f->unchecked[f->n_unchecked++] = (struct ts_unchecked){.code = str(code), .reason = str(reason)};
}

static void fill_timing(void)
{
	static const char *const phases[] = {"data", "forward", "backward", EVIL};
	static const double shares[] = {0.515, 0.2, 0.25, 0.035};
	struct ts_finding *f;

	number("timing", "step", "count", TS_UNIT_NONE, 100000);
	number("timing", "step", "mean", TS_UNIT_SECONDS, 0.0134);
	number("timing", "step", "median", TS_UNIT_SECONDS, 0.013);
	number("timing", "step", "rate", TS_UNIT_PER_SECOND, 74.7);
	number("timing", "step", "spikes", TS_UNIT_COUNT, 12);
	for (size_t i = 0; i < 4; i++) {
		number("timing", phases[i], "mean", TS_UNIT_SECONDS, 0.0134 * shares[i]);
		number("timing", phases[i], "median", TS_UNIT_SECONDS, 0.013 * shares[i]);
		number("timing", phases[i], "share", TS_UNIT_RATIO, shares[i]);
	}
	number("timing", "warmup", "cut", TS_UNIT_COUNT, 12);
	words("timing", "warmup", "method", "found");
	unknown("timing", "wall", "total", "the run has no column timestamp");
	plot("timing", "step", TS_UNIT_SECONDS, 100000, 0.013, 0.5);
	for (int i = 0; i < 7; i++)
		event(TS_EVENT_SPIKE, "timing", "step", 100 + i, 100 + i, 0.1 + i, 0.013);
	event(TS_EVENT_SHIFT, "timing", "step", 500, 500, 0.02, 0.013);
	f = finding("TIMING.DATALOADER_BOUND", TS_SEVERITY_HIGH, "Steps wait for data");
	f->evidence = ts_arena_array(&arena, 1, sizeof *f->evidence);
	f->evidence[f->n_evidence++] = (struct ts_measure){.group = str("timing"),
							   .subject = str("data"),
							   .name = str("share"),
							   .unit = TS_UNIT_RATIO,
							   .known = true,
							   .value = 0.515};
}

static void fill_ranks(size_t n)
{
	struct ts_finding *f = finding("DIST.STRAGGLER", TS_SEVERITY_MEDIUM, "Some ranks delay the others");

	number("ranks", "all", "world_size", TS_UNIT_COUNT, (double)n + 1);
	number("ranks", "all", "present", TS_UNIT_COUNT, (double)n);
	words("ranks", "all", "missing", "7");
	number("ranks", "all", "aligned_steps", TS_UNIT_COUNT, 100000);
	number("ranks", "all", "transfer", TS_UNIT_RATIO, 0.1);
	words("ranks", "all", "decidable", "the test for stragglers needs more steps: 3");
	for (size_t i = 0; i < n; i++) {
		const char *rank = ts_arena_printf(&arena, "rank %zu", i);

		number("ranks", rank, "own", TS_UNIT_SECONDS, 0.01);
		number("ranks", rank, "slowest", TS_UNIT_RATIO, i == 3 ? 0.9 : 0.01);
		number("ranks", rank, "blame", TS_UNIT_SECONDS, i == 3 ? 12.5 : 0.001 * (double)i);
		unknown("ranks", rank, "peak", "the run has no column memory.peak_alloc or memory.alloc");
	}
	words("ranks", "rank 3", "straggler", "late");
	number("ranks", "rank 3", "onset", TS_UNIT_STEP, 90);
	f->ranks = ts_arena_array(&arena, 1, sizeof *f->ranks);
	f->ranks[f->n_ranks++] = 3;
	for (size_t i = 0; i < 3; i++) {
		const char *rank = ts_arena_printf(&arena, "rank %zu", i);

		plot("ranks", rank, TS_UNIT_RATIO, 96, 1, 1.5);
		answer.plots.items[answer.plots.n - 1].name = str("slowdown");
	}
}

static void fill_bound(void)
{
	static const double shares[] = {0.515, 0.3, 0.1, 0, 0.02};
	struct ts_bound *b = &answer.bound;

	b->kind = TS_BOUND_INPUT;
	b->sentence = str("input-bound: 52 % of the wall time is spent waiting for data");
	for (int i = 0; i < 5; i++)
		b->shares[i] = (struct ts_bound_share){.kind = (enum ts_bound_kind)(i + 1),
						       .known = i != 3,
						       .share = shares[i],
						       .reason = str(i == 3 ? "only one rank has steps" : "")};
	b->fixes = ts_arena_array(&arena, 7, sizeof *b->fixes);
	for (b->n_fixes = 0; b->n_fixes < 7; b->n_fixes++)
		b->fixes[b->n_fixes] = (struct ts_fix){.name = str(b->n_fixes == 6 ? "the seventh" : "more workers"),
						       .how = str("num_workers=8, persistent_workers=True"),
						       .of = TS_BOUND_INPUT,
						       .wins_most_ratio = 0.2,
						       .effort = 1};
	b->to_check = ts_arena_array(&arena, 3, sizeof *b->to_check);
	for (b->n_to_check = 0; b->n_to_check < 3; b->n_to_check++)
		b->to_check[b->n_to_check] = (struct ts_to_check){.name = str(b->n_to_check == 2 ? "the third check" : "fewer copies"),
								  .how = str("pin_memory=True"),
								  .check = str("print(loader.pin_memory) says False")};
	b->unknowns = ts_arena_array(&arena, 1, sizeof *b->unknowns);
	b->unknowns[b->n_unknowns++] = str("whether kernels are launched fast enough");
}

static void fill_rest(void)
{
	number("memory", "peak_alloc", "peak", TS_UNIT_BYTES, 9.8e9);
	number("memory", "growth", "slope", TS_UNIT_BYTES_PER_STEP, 524288);
	number("memory", "growth", "slope_low", TS_UNIT_BYTES_PER_STEP, 520000);
	number("memory", "growth", "slope_high", TS_UNIT_BYTES_PER_STEP, 530000);
	number("memory", "capacity", "pressure", TS_UNIT_RATIO, 1.7);
	plot("memory", "alloc", TS_UNIT_BYTES, 1000, 1e9, 2e9);
	number("convergence", "loss", "first", TS_UNIT_NONE, 2.5);
	number("convergence", "loss", "last", TS_UNIT_NONE, NAN);
	words("convergence", "loss", "trend", "diverged");
	number("convergence", EVIL, "first", TS_UNIT_NONE, INFINITY);
	plot("convergence", "loss", TS_UNIT_NONE, 5000, 2.0, NAN);
	event(TS_EVENT_NONFINITE, "convergence", "loss", 2500, 2600, NAN, NAN);
	event(TS_EVENT_BLOW_UP, "convergence", "loss", 2400, 2499, 1e300, 2);
	number("cross", "coincidences", "count", TS_UNIT_COUNT, 2);
	number("cross", "coincidences", "expected", TS_UNIT_NONE, 0.001);
	event(TS_EVENT_COINCIDENCE, "cross", "grad_norm, loss", 1200, 1201, 2, NAN);
	number("budget", "useful_compute", "seconds", TS_UNIT_SECONDS, 300);
	number("budget", "useful_compute", "share", TS_UNIT_RATIO, 0.3);
	number("budget", "data_stall", "share", TS_UNIT_RATIO, 0.7);
	number("efficiency", "mfu", "ratio", TS_UNIT_RATIO, 0.431);
	number("pipeline", "all", "bubble", TS_UNIT_RATIO, 0.3);
	number("pipeline", "stage 0", "bubble", TS_UNIT_RATIO, 0.3);
	unchecked("MEMORY.FORECAST", "the run has no column memory.reserved");
	unchecked("CROSS.CORRELATED_INSTABILITY", "the run has no column timestamp");
	answer.notes = ts_arena_array(&arena, 1, sizeof *answer.notes);
	answer.notes[answer.n_notes++] = str("a note about " EVIL);
}

static void fill_happenings(void)
{
	struct ts_happenings *h = &answer.happenings;
	int32_t *ranks = ts_arena_array(&arena, 3, sizeof *ranks);

	h->items = ts_arena_array(&arena, 3, sizeof *h->items);
	ranks[0] = 2;
	ranks[1] = 3;
	ranks[2] = -1;
	h->items[h->n++] = (struct ts_happening){.kind = TS_HAPPENING_EXCEPTION, .name = str("exception"), .text = str("ValueError"),
						 .has_step = true, .step = 99999, .has_time = true, .time_s = 1340, .ranks = ranks,
						 .n_ranks = 1};
	h->items[h->n++] = (struct ts_happening){.kind = TS_HAPPENING_CHECKPOINT, .name = str("checkpoint"), .text = str("9.pt"),
						 .has_step = true, .step = 99000, .after = true, .ranks = ranks, .n_ranks = 2};
	h->items[h->n++] = (struct ts_happening){.kind = TS_HAPPENING_OTHER, .name = str(EVIL), .has_value = true, .value = 0.5,
						 .ranks = ranks + 2, .n_ranks = 1};
	h->all = 20;
	h->more = 16;
	h->regions = 1;
}

static void fill(size_t ranks)
{
	answer = (struct ts_analysis){
		.run = {.own_name = str(EVIL), .steps = 100000, .last_step = 99999, .ranks = (uint32_t)ranks},
		.warmup_cut = 12};
	fill_timing();
	fill_ranks(ranks);
	fill_bound();
	fill_happenings();
	fill_rest();
}

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, (size_t)256 << 20);
	fill(4);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

/* Returns the report of `answer` as a string in the arena. */
static const char *text_of(int width, bool colour)
{
	struct ts_cli cli = {.out = TS_BUF_INIT((size_t)1 << 24), .term = {.width = width, .colour = colour}};
	struct ts_report report;
	struct ts_error err;
	const char *text;

	ts_arena_init(&cli.arena, (size_t)256 << 20);
	assert_int_equal(ts_report_of(&answer, &cli.arena, &report, &err), TS_OK);
	assert_int_equal(ts_render_report_text(&cli, &report, &err), TS_OK);
	text = (const char *)ts_arena_span(&arena, ts_buf_view(&cli.out)).data;
	assert_non_null(text);
	ts_buf_finish(&cli.out);
	ts_arena_finish(&cli.arena);
	return text;
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

/* --- text --- */

static void every_section_is_there(void **state)
{
	static const char *const titles[] = {"VERDICT",	    "FINDINGS",	    "EVENTS", "TIMING", "MEMORY",
					     "CONVERGENCE", "COINCIDENCES", "RANKS",  "EFFICIENCY BUDGET",
					     "PIPELINE",    "NOT KNOWN",    "NOTES"};
	const char *text = text_of(80, false), *before = text;

	(void)state;
	for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
		const char *heading = strstr(before, titles[i]);

		if (!heading)
			fail_msg("no %s behind the section before it:\n%s", titles[i], text);
		before = heading;
	}
	has(text, "input-bound: 52 % of the wall time is spent waiting for data");
	has(text, "12, at step 102, 103, 104, 105, 106 and 7 more;");
	has(text, "6.10 s (usual: 13.0 ms)");
	has(text, "at step 500 from 13.0 ms to 20.0 ms");
	has(text, "512 KiB/step (95 % interval 508 KiB/step to");
	has(text, "late, from step 90");
	has(text, "20 recorded events; 1 region is not listed\n");
	has(text, "and 16 more\n");
	has(text, "at step 2500 to 2600");
	has(text, "only one rank has steps: share of wait");
	has(text, "record timestamp, for CROSS.CORRELATED_INSTABILITY");
	has(text, "record memory.");
	has_not(text, "the seventh");
	has_not(text, "\n  wall "); /* the wall time is not known, so it is not shown as 0 s */
}

static void what_happened_is_a_table(void **state)
{
	const char *text;

	(void)state;
	answer.happenings.items[2].name = str("rate");
	text = text_of(80, false);
	has(text, "  event              step       time     rank  says\n"
		  "  exception         99999  22 m 20 s        2  ValueError\n"
		  "  checkpoint  after 99000          -  2 ranks  9.pt\n"
		  "  rate                  -          -      job  0.5\n"
		  "  and 16 more\n");
	answer.run.ranks = 1;
	answer.happenings.n = 2;
	has(text_of(80, false), "  event              step       time  says\n");
	answer.happenings = (struct ts_happenings){.n = 0};
	has_not(text_of(80, false), "EVENTS");
}

static void colour_takes_nothing_away(void **state)
{
	static const int widths[] = {0, 20, 40, 60, 80, 132, 1000};

	(void)state;
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		const char *plain = text_of(widths[i], false), *coloured = text_of(widths[i], true);

		has_not(plain, "\033");
		has(coloured, "\033[31m●");
		assert_string_equal(without_escapes(coloured), plain);
	}
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

static void lines_fit(void **state)
{
	(void)state;
	/* The longest word is the foreign name, which becomes about 60 columns when it is escaped. */
	assert_true(longest_line(text_of(80, false)) <= 80);
	assert_true(longest_line(text_of(0, false)) <= 100);
	answer.run.own_name = str("exp1");
	for (size_t i = 0; i < answer.measures.n; i++)
		if (ts_span_is(answer.measures.items[i].subject, EVIL))
			answer.measures.items[i].subject = str("other");
	answer.n_notes = 0;
	assert_true(longest_line(text_of(60, false)) <= 60);
}

/* Sections are separated by an empty line. */
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

static size_t ranks_shown(const char *text)
{
	size_t n = 0;

	while ((text = strstr(text, "\n  rank ")) != NULL) {
		text++;
		n++;
	}
	return n;
}

static void a_panel_is_at_most_a_screen(void **state)
{
	(void)state;
	fill(1800);
	for (int i = 0; i < 40; i++) {
		finding(ts_arena_printf(&arena, "X.RULE_%d", i), TS_SEVERITY_LOW, "Something");
		unknown("timing", "step", ts_arena_printf(&arena, "row_%d", i),
			ts_arena_printf(&arena, "reason %d", i));
		number("timing", ts_arena_printf(&arena, "phase %d", i), "share", TS_UNIT_RATIO, 0.001);
		number("convergence", ts_arena_printf(&arena, "series %d", i), "first", TS_UNIT_NONE, i);
		event(TS_EVENT_COINCIDENCE, "cross", "loss, step_time", i, i, 2, NAN);
	}
	finding("LAST", TS_SEVERITY_LOW, "The last")->detail = str("a very long word ");
	for (int width = 60; width <= 100; width += 20) {
		const char *text = text_of(width, false);

		assert_true(longest_panel(text) <= 24);
		has(text, "low LAST"); /* the finding is named by its code, because its text does not fit */
		has(text, ts_arena_printf(&arena, "and 1,%zu more ranks", 800 - ranks_shown(text)));
		has(text, "more phases");
		has(text, "more series");
	}
}

static void worst_rank_first(void **state)
{
	const char *text = text_of(100, false);

	(void)state;
	has(text, "\n  rank 3 ");
	assert_true(strstr(text, "\n  rank 3 ") < strstr(text, "\n  rank 2 "));
	assert_true(strstr(text, "\n  rank 2 ") < strstr(text, "\n  rank 0 "));
}

static void foreign_text_is_harmless(void **state)
{
	const char *text = text_of(80, true);

	(void)state;
	for (; *text; text++) {
		if (*text != '\033')
			continue;
		/* Our own escape sequences are ESC [, one or two digits, and m. */
		assert_int_equal(text[1], '[');
		assert_true(text[strspn(text + 2, "0123456789") + 2] == 'm' && strspn(text + 2, "0123456789") <= 2);
	}
	has(text_of(80, true), "loss\\x1B[31m<script>");
}

static void lights_say_what_findings_say(void **state)
{
	static const struct {
		enum ts_light light;
		const char *title, *state;
	} want[] = {
		{TS_LIGHT_HIGH, "FINDINGS", "1 high, 1 medium, 2 of "},
		{TS_LIGHT_HIGH, "TIMING", "1 high"},
		{TS_LIGHT_CLEAR, "MEMORY", "nothing found, 1 of "},
		{TS_LIGHT_CLEAR, "CONVERGENCE", "nothing found"},
		{TS_LIGHT_UNCHECKED, "COINCIDENCES", "unchecked"}, /* its only rule could not be checked */
		{TS_LIGHT_MEDIUM, "RANKS", "1 medium"},
		{TS_LIGHT_CLEAR, "PIPELINE", "nothing found"},
	};
	struct ts_report report;
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_report_of(&answer, &arena, &report, &err), TS_OK);
	for (size_t i = 0, at = 0; i < sizeof want / sizeof want[0]; i++) {
		while (at < report.n && strcmp(report.sections[at].title, want[i].title) != 0)
			at++;
		assert_true(at < report.n);
		assert_int_equal(report.sections[at].light, want[i].light);
		assert_memory_equal(report.sections[at].state, want[i].state, strlen(want[i].state));
	}
}

static void bars_have_the_colour_of_their_finding(void **state)
{
	const char *text = text_of(80, true);

	(void)state;
	/* 51.5 % of 30 cells are 15.45, so 15 are lit, in red like the finding. forward, with 20 %, has no finding. */
	has(text, "data                 \033[31m███████████████\033[0m\033[2m░░░░░░░░░░░░░░░\033[0m");
	has(text, "forward              ██████\033[2m");
	/* A share of 170 % fills the bar and no more. */
	has(text_of(80, false), "device       ██████████████████████████████  170.0 %");
}

static void unknown_is_not_an_empty_bar(void **state)
{
	(void)state;
	has(text_of(80, false), "  wait                                          unknown\n");
}

/* The report handles an answer without rows, with one step, and with only NaN and infinite numbers. */
static void little_is_no_harm(void **state)
{
	const char *text;

	(void)state;
	answer = (struct ts_analysis){.rank = 0};
	text = text_of(80, true);
	has(text, "FINDINGS");
	has_not(text, "TIMING");
	number("timing", "step", "count", TS_UNIT_COUNT, 1);
	number("timing", "data", "share", TS_UNIT_RATIO, NAN);
	number("timing", "forward", "share", TS_UNIT_RATIO, -INFINITY);
	number("timing", "backward", "share", TS_UNIT_RATIO, DBL_MAX);
	number("convergence", "loss", "first", TS_UNIT_NONE, -DBL_MAX);
	plot("timing", "step", TS_UNIT_SECONDS, 1, 0.1, 0.1);
	plot("convergence", "loss", TS_UNIT_NONE, 2, INFINITY, INFINITY);
	event(TS_EVENT_SPIKE, "timing", "step", INT64_MIN, INT64_MAX, NAN, INFINITY);
	event(TS_EVENT_COINCIDENCE, "cross", "", 0, 0, -INFINITY, NAN);
	has(text_of(80, false), "-9223372036854775808 to 9223372036854775807");
	assert_string_equal(without_escapes(text_of(60, true)), text_of(60, false));
}

/* --- sparklines --- */

static struct ts_plot series_plot(const double *values, size_t n)
{
	int64_t *steps = ts_arena_array(&arena, n, sizeof *steps);
	struct ts_plots plots = {0};
	struct ts_series series = {.keys = steps, .values = values, .n = n};
	struct ts_error err;

	for (size_t i = 0; i < n; i++)
		steps[i] = (int64_t)i;
	assert_int_equal(
		ts_plot_series(&plots, TS_ANSWER_TIMING, str("s"), "value", TS_UNIT_NONE, &series, &arena, &err),
		TS_OK);
	return plots.items[0];
}

/* One slow step is visible at any place and in any width: in the mean of the 833 steps of a column it would be lost,
 * because the slope is larger. */
static void no_spike_is_lost(void **state)
{
	enum { N = 100000 };
	double *values = ts_arena_array(&arena, N, sizeof *values);

	(void)state;
	for (size_t at = 0; at < N; at += 9973) {
		for (size_t i = 0; i < N; i++)
			values[i] = i == at ? 3.0 : 1.0 + (double)i / N + (double)(i * 7919 % 100) / 1000;
		for (size_t columns = 10; columns <= TS_SPARK_MAX; columns += 55) {
			struct ts_plot p = series_plot(values, N);
			struct ts_spark s = ts_spark_of(&p, columns);
			size_t cell = at / p.width, c = 0;

			assert_int_equal(s.n, columns);
			assert_true(s.high == 3.0);
			while ((c + 1) * p.n / s.n <= cell)
				c++;
			for (size_t i = 0; i < s.n; i++)
				assert_int_equal(s.levels[i] == TS_SPARK_LEVELS - 1, i == c);
		}
	}
}

/* The greatest of 2,000 draws lies far above their mean in every column, but the line still follows the slope of the means. */
static void noise_does_not_hide_a_slope(void **state)
{
	enum { N = 100000, COLUMNS = 48 };
	double *values = ts_arena_array(&arena, N, sizeof *values);
	struct ts_plot p;
	struct ts_spark s;
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		values[i] = (double)i / N - 6;
		for (int k = 0; k < 12; k++) {
			x = x * 1664525 + 1013904223;
			values[i] += (double)x / 4294967296.0; /* twelve uniform numbers: nearly a Gaussian of deviation 1 */
		}
	}
	p = series_plot(values, N);
	s = ts_spark_of(&p, COLUMNS);
	for (size_t i = 0; i < s.n; i++)
		assert_in_range(s.levels[i] + 1, i * 8 / COLUMNS, i * 8 / COLUMNS + 2);
}

static void levels_go_from_least_to_greatest(void **state)
{
	static const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, flat[] = {4, 4, 4}, broken[] = {1, NAN, 2};
	static const double wide[] = {-DBL_MAX, DBL_MAX, INFINITY};
	struct ts_plot p = series_plot(values, 9);
	struct ts_spark s = ts_spark_of(&p, 60);

	(void)state;
	for (int i = 0; i < 9; i++)
		assert_int_equal(s.levels[i], i < 8 ? i : 7);
	p = series_plot(flat, 3);
	assert_int_equal(ts_spark_of(&p, 60).levels[1], 0);
	p = series_plot(broken, 3);
	assert_int_equal(ts_spark_of(&p, 60).levels[1], TS_SPARK_NONFINITE);
	p = series_plot(wide, 3);
	s = ts_spark_of(&p, 60);
	assert_int_equal(s.levels[0], 0);
	assert_int_equal(s.levels[1], 7);
	assert_int_equal(s.levels[2], TS_SPARK_NONFINITE);
}

/* --- JSON --- */

static const char *json_of(void)
{
	struct ts_cli cli = {.out = TS_BUF_INIT((size_t)1 << 26)};
	struct ts_error err;
	const char *text;

	ts_arena_init(&cli.arena, (size_t)256 << 20);
	assert_int_equal(ts_json_answer(&cli, &ts_shape_analysis, &answer, &err), TS_OK);
	text = (const char *)ts_arena_span(&arena, ts_buf_view(&cli.out)).data;
	ts_buf_finish(&cli.out);
	ts_arena_finish(&cli.arena);
	return text;
}

static void json_has_all_of_it(void **state)
{
	const char *text = json_of();

	(void)state;
	has(text, "\"mean_s\": 0.0134");
	has(text, "\"ratio\": 0.431");
	has(text, "\"seconds\": 300.0");
	has(text, "\"last\": \"NaN\"");
	has(text, "\"trend\": \"diverged\"");
	has(text, "\"missing\": \"7\"");
	has(text, "\"severity\": \"high\"");
	has(text, "\"kind\": \"level_shift\"");
	has(text, "\"cell_step_count\": 209"); /* 100,000 steps in 480 cells are 208.3 steps per cell, which is rounded up */
	has(text, "\"reason\": \"only one rank has steps\"");
	has(text, "the seventh");
	has_not(text, "\033");
}

/* Rows of one subject become one object, even if they do not follow each other. */
static void json_gathers_rows(void **state)
{
	const char *text;

	(void)state;
	answer = (struct ts_analysis){.rank = 0};
	number("b", "y", "one", TS_UNIT_NONE, 1);
	number("a", "x", "two", TS_UNIT_NONE, 2);
	number("b", "z", "three", TS_UNIT_NONE, 3);
	number("b", "y", "four", TS_UNIT_NONE, 4);
	text = json_of();
	has(text,
	    "\"measures\": {\n    \"b\": {\n      \"y\": {\n        \"one\": 1.0,\n        \"four\": 4.0\n      },\n"
	    "      \"z\": {\n        \"three\": 3.0\n      }\n    },\n"
	    "    \"a\": {\n      \"x\": {\n        \"two\": 2.0\n      }\n    }\n  },");
}

static void json_numbers_read_back(void **state)
{
	static const double values[] = {0.1 + 0.2, 1.0 / 3, 5e-324, DBL_MAX, -0.0, 2.2250738585072011e-308, 1e22, 0.5e-6};
	size_t n = sizeof values / sizeof values[0];
	const char *text;

	(void)state;
	answer = (struct ts_analysis){.rank = 0};
	for (size_t i = 0; i < n; i++)
		number("a", "x", ts_arena_printf(&arena, "n%zu", i), TS_UNIT_NONE, values[i]);
	text = json_of();
	for (size_t i = 0; i < n; i++) {
		const char *at = strstr(text, ts_arena_printf(&arena, "\"n%zu\": ", i));
		double back;

		assert_non_null(at);
		at = strchr(at, ':') + 2;
		assert_true(ts_parse_double(ts_span_of(at, strcspn(at, ",\n")), &back));
		assert_memory_equal(&back, &values[i], sizeof back);
	}
}

/* With an arena of any size, the result is a report or an error. */
static void little_memory_is_an_error(void **state)
{
	size_t errors = 0, reports = 0;

	(void)state;
	for (size_t ceiling = 64; ceiling < (size_t)4 << 20; ceiling += ceiling / 16 + 16) {
		struct ts_cli cli = {.out = TS_BUF_INIT((size_t)1 << 24), .term = {.width = 80}};
		struct ts_report report;
		struct ts_error err;

		ts_arena_init(&cli.arena, ceiling);
		if (ts_report_of(&answer, &cli.arena, &report, &err) || ts_render_report_text(&cli, &report, &err) ||
		    ts_render_report_html(&report, &cli.out, &err)) {
			assert_int_equal(err.status, TS_NO_MEMORY);
			errors++;
		} else {
			reports++;
		}
		ts_buf_finish(&cli.out);
		ts_arena_finish(&cli.arena);
	}
	assert_true(errors > 10 && reports > 10);
}

/* --- HTML --- */

static const char *page_of(void)
{
	struct ts_buf out = TS_BUF_INIT((size_t)1 << 26);
	struct ts_report report;
	struct ts_error err;
	const char *text;

	assert_int_equal(ts_report_of(&answer, &arena, &report, &err), TS_OK);
	assert_int_equal(ts_render_report_html(&report, &out, &err), TS_OK);
	text = (const char *)ts_arena_span(&arena, ts_buf_view(&out)).data;
	ts_buf_finish(&out);
	return text;
}

/* The numbers of a path, an attribute or a style must be finite. */
static void coordinates_are_numbers(const char *page)
{
	static const char *const attributes[] = {" d=\"", " x=\"", " y=\"", " cx=\"", " cy=\"", " width=\"", " height=\""};

	for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
		for (const char *at = strstr(page, attributes[i]); at; at = strstr(at, attributes[i])) {
			at += strlen(attributes[i]);
			assert_int_not_equal(*at, '"');
			assert_int_equal(at[strspn(at, "0123456789.-MLHVZhvz %")], '"');
		}
	}
}

static void a_page_escapes_all_that_is_foreign(void **state)
{
	const char *page = page_of();

	(void)state;
	has_not(page, "<script");
	has_not(page, "://");
	has_not(page, "url(");
	has_not(page, " style=\""); /* which the page's policy would not apply */
	has_not(page, "unsafe-inline");
	has(page, "loss\\x1B[31m&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;\xe6\xbc\xa2");
	has(page, "<title>nonfinite at steps 2500 to 2600: NaN</title>");
}

static void a_page_has_its_figures(void **state)
{
	const char *page = page_of();

	(void)state;
	has(page, "<figcaption>step time</figcaption>");
	has(page, "<figcaption>loss, 1\u00a0not\u00a0finite</figcaption>");
	has(page, "own time of each rank over the steps");
	has(page, "where the wall time went");
	has(page, "<title>spike at step 102: 2.10 s, expected 13.0 ms</title>");
	has(page, "class=\"fill high\" width=\"51.5%\"");
	has(page, "class=\"fill \" width=\"100.0%\""); /* 170 % of the device */
	has(page, "NOT KNOWN");
	coordinates_are_numbers(page);
}

static void a_page_of_odd_numbers(void **state)
{
	static const double odd[][3] = {{NAN, NAN, NAN},
					{INFINITY, 1, -INFINITY},
					{-DBL_MAX, 0, DBL_MAX},
					{5e-324, 1e-323, 0}, {5e-324, 0, 0},
					{1e-300, 1, 1e300},
					{-1, -1, -1},
					{0, 0, 0}};
	static const int64_t steps[][3] = {
		{0, 1, 2}, {INT64_MIN, 0, INT64_MAX}, {INT64_MAX - 2, INT64_MAX - 1, INT64_MAX}, {-5, 7, 1000000}};

	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
			struct ts_series series = {.name = str("loss"), .keys = steps[k], .values = odd[i], .n = 3};
			struct ts_error err;

			answer = (struct ts_analysis){.rank = 0};
			number("convergence", "loss", "first", TS_UNIT_NONE, odd[i][0]);
			event(TS_EVENT_SPIKE, "convergence", "loss", steps[k][0], steps[k][2], odd[i][2], odd[i][1]);
			event(TS_EVENT_NONFINITE, "convergence", "loss", INT64_MIN, INT64_MAX, NAN, NAN);
			assert_int_equal(ts_plot_series(&answer.plots, TS_ANSWER_CONVERGENCE, str("loss"), "value",
							TS_UNIT_NONE, &series, &arena, &err),
					 TS_OK);
			coordinates_are_numbers(page_of());
			text_of(60, true);
		}
	}
}

static void ticks_are_round(void **state)
{
	double t[TS_SVG_TICKS];

	(void)state;
	assert_int_equal(ts_svg_ticks(0, 1, 5, t), 3); /* with steps of 0.2 there would be six ticks */
	assert_true(t[0] == 0 && t[1] == 0.5 && t[2] == 1);
	assert_int_equal(ts_svg_ticks(0, 100000, 6, t), 6);
	assert_true(t[1] == 20000 && t[5] == 100000);
	assert_int_equal(ts_svg_ticks(-3, 3, 4, t), 3);
	assert_true(t[0] == -2 && t[1] == 0 && !signbit(t[1]) && t[2] == 2);
	assert_int_equal(ts_svg_ticks(1, 1, 5, t), 0);
	assert_int_equal(ts_svg_ticks(NAN, 1, 5, t), 0);
	assert_int_equal(ts_svg_ticks(0, INFINITY, 5, t), 0);
	for (int e = -320; e < 308; e++) {
		size_t n = ts_svg_ticks(pow(10, e), 7 * pow(10, e), 5, t);

		assert_true(n <= 5 && (e < -300 || n >= 3));
		for (size_t i = 1; i < n; i++)
			assert_true(t[i] > t[i - 1] && t[i] <= 7 * pow(10, e) * (1 + 1e-12));
	}
}

/* A range of two decades or more is drawn logarithmically if no value is zero or negative. */
static void a_wide_series_is_logarithmic(void **state)
{
	static const double wide[] = {1000, 30, 9}, narrow[] = {1000, 30, 11}, zero[] = {1000, 30, 0};
	static const struct {
		const double *values;
		bool log;
	} cases[] = {{wide, true}, {narrow, false}, {zero, false}};
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	const struct ts_events none = {0};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ts_plot p = series_plot(cases[i].values, 3);

		assert_int_equal(ts_svg_series(&out, &p, &none, "loss", &arena), cases[i].log);
	}
	ts_buf_finish(&out);
}

static double number_behind(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);

	if (!at)
		fail_msg("no %s in %s", mark, text);
	return strtod(at + strlen(mark), NULL);
}

/* Labels of the vertical axis end left of the data, and there is room for them. */
static void labels_stand_beside_the_data(void **state)
{
	static const double values[] = {123456789, 30, 9};
	struct ts_plot p = series_plot(values, 3);
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	const struct ts_events none = {0};
	size_t labels = 0;
	double left;
	char *text;

	(void)state;
	ts_svg_series(&out, &p, &none, "loss", &arena);
	ts_buf_char(&out, '\0');
	text = (char *)out.data;
	left = number_behind(text, "class=\"axis\" d=\"M");
	assert_true(number_behind(text, "class=\"line\" d=\"M") >= left);
	for (const char *at = text; (at = strstr(at, "<text text-anchor=\"end\"")); at++, labels++) {
		double right = number_behind(at, " x=\""), narrowest = 10; /* a digit of the largest text has 12 units or more */

		assert_true(right < left && right >= narrowest * (double)strcspn(strchr(at, '>') + 1, "<"));
	}
	assert_true(labels >= 2);
	ts_buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_section_is_there, setup, teardown),
		cmocka_unit_test_setup_teardown(what_happened_is_a_table, setup, teardown),
		cmocka_unit_test_setup_teardown(colour_takes_nothing_away, setup, teardown),
		cmocka_unit_test_setup_teardown(lines_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(a_panel_is_at_most_a_screen, setup, teardown),
		cmocka_unit_test_setup_teardown(worst_rank_first, setup, teardown),
		cmocka_unit_test_setup_teardown(foreign_text_is_harmless, setup, teardown),
		cmocka_unit_test_setup_teardown(lights_say_what_findings_say, setup, teardown),
		cmocka_unit_test_setup_teardown(bars_have_the_colour_of_their_finding, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_is_not_an_empty_bar, setup, teardown),
		cmocka_unit_test_setup_teardown(little_is_no_harm, setup, teardown),
		cmocka_unit_test_setup_teardown(no_spike_is_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(noise_does_not_hide_a_slope, setup, teardown),
		cmocka_unit_test_setup_teardown(levels_go_from_least_to_greatest, setup, teardown),
		cmocka_unit_test_setup_teardown(json_has_all_of_it, setup, teardown),
		cmocka_unit_test_setup_teardown(json_gathers_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(json_numbers_read_back, setup, teardown),
		cmocka_unit_test_setup_teardown(little_memory_is_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(a_page_escapes_all_that_is_foreign, setup, teardown),
		cmocka_unit_test_setup_teardown(a_page_has_its_figures, setup, teardown),
		cmocka_unit_test_setup_teardown(a_page_of_odd_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(ticks_are_round, setup, teardown),
		cmocka_unit_test_setup_teardown(a_wide_series_is_logarithmic, setup, teardown),
		cmocka_unit_test_setup_teardown(labels_stand_beside_the_data, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
