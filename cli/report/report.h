/* report.h - the answers of analyze and diff laid out for people: sections of lines, bars, tables and curves, before they are text
 * or HTML.
 *
 * Both renderers show the same sections, items and words; the content of a section is decided here and nowhere else. Colour
 * comes from findings alone: a section's light shows its most severe finding, and a bar has the colour of the most severe
 * finding for which its row was the deciding value. There is no threshold here, so that no light can contradict a rule. The
 * light of a diff is its verdict.
 *
 * All texts lie in the arena and are harmless to print (show_value.h); U+00A0 in them keeps words on one line. The HTML
 * renderer still escapes them.
 */
#ifndef TSCOPE_CLI_REPORT_REPORT_H
#define TSCOPE_CLI_REPORT_REPORT_H

#include "analysis/analysis.h"
#include "analysis/diverge/diff.h"
#include "cli/report/svg_areas.h"
#include "cli/view/view.h"

enum { TS_BAR_VALUES = 6 };

struct ts_bar {
	const char *label;
	bool known;
	double share;		   /* length of the bar, drawn from 0 to 1 and cut there */
	enum ts_severity severity; /* 0: no finding is about it */
	const char *values[TS_BAR_VALUES]; /* NULL: nothing */
};

/* One series of two runs, in cells of the same grid. */
struct ts_curves {
	const struct ts_plot *a, *b;
	int64_t split; /* the first step whose bits differ */
	int64_t last;  /* the last step of either run, or of the last cell if that is earlier */
	bool near;     /* the cells lie around the split; else they span the whole run */
	const char *name_a, *name_b; /* of the runs */
};

/* A level of a series of runs (a stretch of constant mean), and the change that it begins with. */
struct ts_level {
	size_t first, end; /* its values: from first up to, not including, end */
	double value;
	const char *mark; /* the change's letter in the table, "A"; "" for the first level, which begins with no change */
	enum ts_style style;
	const char *text; /* describes the change when the pointer is on it */
};

enum { TS_LEVELS_POINTED_AT = 400 }; /* values, of which each dot is one to point at */

/* Values side by side, and their levels. */
struct ts_levels {
	const double *values; /* NaN: not known */
	size_t n;
	enum ts_unit unit;
	const struct ts_level *items;
	size_t n_items;
	const char *first, *last; /* labels below the two ends of the axis */
	const char *const *to;	  /* where the dot of each value leads to, as a cell does (cli/view/view.h); NULL: nowhere */
	const char *const *texts; /* what it says; NULL if to is */
};

/* The range of a figure's vertical axis; a few outliers do not squeeze the other values together. False if there is no value. */
bool ts_levels_range(const struct ts_levels *levels, struct ts_arena *arena, double *ret_low, double *ret_high);

enum ts_item_kind {
	TS_ITEM_LINE,	 /* label, text */
	TS_ITEM_BARS,	 /* bars under heads */
	TS_ITEM_PLOT,	 /* label, plot, text after it: a sparkline or a figure */
	TS_ITEM_FINDING, /* finding */
	TS_ITEM_TABLE,	 /* table */
	TS_ITEM_CURVES,	 /* label, curves: both in one figure */
	TS_ITEM_LEVELS,	 /* levels */
	TS_ITEM_AREAS,	 /* label, areas: on pages alone */
	TS_ITEM_COMMAND, /* text: a line for a shell, which is never wrapped or cut */
};

struct ts_item {
	enum ts_item_kind kind;
	const char *label;
	const char *text;
	const struct ts_plot *plot;
	const struct ts_finding *finding;
	struct ts_view *table;
	struct ts_curves curves;
	const struct ts_levels *levels;
	const struct ts_areas *areas;
	const char *heads[TS_BAR_VALUES]; /* headings of a bar's values */
	bool right[TS_BAR_VALUES];	  /* the value is a number, aligned to the right */
	struct ts_bar *bars;
	size_t n_bars;
	size_t more; /* bars that were left out */
	const char *more_of; /* what a bar stands for: "rank" */
};

enum ts_light {
	TS_LIGHT_NONE, /* no rule checks this section */
	TS_LIGHT_UNCHECKED,
	TS_LIGHT_CLEAR,
	TS_LIGHT_LOW,
	TS_LIGHT_MEDIUM,
	TS_LIGHT_HIGH,
};

/* The sections of reports: X(symbol, the heading that people read). The first has none: it is the head of the report. */
#define TS_SECTIONS_OF(X)								\
	X(HEAD, "")									\
	X(ALLOCATOR, "ALLOCATOR")							\
	X(ANNOTATIONS_OF_THE_PROFILER, "ANNOTATIONS OF THE PROFILER")			\
	X(AROUND_IT, "AROUND IT")							\
	X(ASKED_FOR, "ASKED FOR")							\
	X(BY_KIND, "BY KIND")								\
	X(CARRIED_FROM_STEP_TO_STEP, "CARRIED FROM STEP TO STEP")			\
	X(COINCIDENCES, "COINCIDENCES")							\
	X(CONVERGENCE, "CONVERGENCE")							\
	X(CURVES_AROUND_THE_FIRST_DIFFERENCE, "CURVES AROUND THE FIRST DIFFERENCE")	\
	X(CURVES_OF_THE_WHOLE_RUN, "CURVES OF THE WHOLE RUN")				\
	X(CUT_OFFS_BY_POLICY, "CUT-OFFS BY POLICY")					\
	X(EFFICIENCY_BUDGET, "EFFICIENCY BUDGET")					\
	X(EQUIVALENT, "EQUIVALENT?")							\
	X(EVENT, "EVENT")								\
	X(EVENTS, "EVENTS")								\
	X(EVIDENCE, "EVIDENCE")								\
	X(FACTS_THAT_DIFFER, "FACTS THAT DIFFER")					\
	X(FINDINGS, "FINDINGS")								\
	X(FREE, "FREE")									\
	X(HELD, "HELD")									\
	X(HELD_AT_THE_END, "HELD AT THE END")						\
	X(HELD_AT_THE_PEAK, "HELD AT THE PEAK")						\
	X(LARGEST_BLOCKS, "LARGEST BLOCKS")						\
	X(LARGEST_STACKS, "LARGEST STACKS")						\
	X(LAYERS, "LAYERS")								\
	X(LEFT_OUT, "LEFT OUT")								\
	X(MACHINE, "MACHINE")								\
	X(MEMORY, "MEMORY")								\
	X(MOVED_NOT_CLAIMED, "MOVED, NOT CLAIMED")					\
	X(NEXT, "NEXT")									\
	X(NOT_CHECKED, "NOT CHECKED")							\
	X(NOT_KNOWN, "NOT KNOWN")							\
	X(NOT_READ, "NOT READ")								\
	X(NOTES, "NOTES")								\
	X(ONLY_ON_ONE_SIDE, "ONLY ON ONE SIDE")						\
	X(OPERATIONS, "OPERATIONS")							\
	X(OTHER_DEVICES, "OTHER DEVICES")						\
	X(OUT_OF_MEMORY, "OUT OF MEMORY")						\
	X(OUTCOMES, "OUTCOMES")								\
	X(PIPELINE, "PIPELINE")								\
	X(RANKS, "RANKS")								\
	X(REPEATS, "REPEATS")								\
	X(REPRODUCE, "REPRODUCE")							\
	X(RUNS, "RUNS")									\
	X(SEGMENTS, "SEGMENTS")								\
	X(SERIES, "SERIES")								\
	X(TENSORS, "TENSORS")								\
	X(TIMING, "TIMING")								\
	X(VERDICT, "VERDICT")								\
	X(WHAT_IS_COMPARED, "WHAT IS COMPARED")						\
	X(WHAT_TO_TRY, "WHAT TO TRY")							\
	X(WHAT_WOULD_FIT, "WHAT WOULD FIT")

enum ts_section_id {
#define TS_SECTION_SYMBOL(symbol, title) TS_SECTION_##symbol,
	TS_SECTIONS_OF(TS_SECTION_SYMBOL)
#undef TS_SECTION_SYMBOL
		TS_SECTIONS,
};

struct ts_section {
	enum ts_section_id id;
	const char *title; /* "TIMING"; "" for the section at the head of the report */
	enum ts_light light;
	const char *state; /* the light in words: "1 high, 2 low, 3 of 7 rules unchecked"; NULL without one */
	const char *head;  /* one line of figures; may be NULL */
	struct ts_item *items;
	size_t n, cap;
};

enum { TS_REPORT_SECTIONS = 20 };

struct ts_report {
	const struct ts_analysis *a; /* NULL for a diff */
	struct ts_arena *arena;
	const char *title; /* the run in one line, or a diff's sentence, which has a light and stays one line in a pipe */
	enum ts_light light;
	const char *ended[2]; /* how the run ended; diff: how a did and how b did; NULL: it finished, or nothing says how */
	const char *costs; /* diff: which costs differ by more than their noise; NULL: none */
	const char *view;  /* analyze: which rank's steps are shown, and which are left out; diff: the cause and how sure it is */
	const char *name;  /* the name of the page */
	const char *links; /* where the page is served: struct ts_term; NULL: it stands alone */
	const char *foot;  /* the foot of the page: ids */
	bool whole;	   /* no panel is shortened to fit a screen */
	const struct ts_measures *rows; /* all rows; with events and plots they are drawn as figures and heat maps */
	const struct ts_events *events;
	const struct ts_plots *plots;
	struct ts_section sections[TS_REPORT_SECTIONS];
	size_t n;
	bool failed; /* the arena is full */
};

/* Lays out the answer of analyze, which must live as long as the report. */
enum ts_status ts_report_of(const struct ts_analysis *a, struct ts_arena *arena, struct ts_report *ret_report,
			    struct ts_error *err);
/* Lays out the answer of diff. all: show every fact and every series of every rank, and shorten no panel. reproduce may be NULL. */
struct ts_reproduce;
enum ts_status ts_report_of_diff(const struct ts_diff *diff, bool all, const struct ts_reproduce *reproduce, struct ts_arena *arena,
				 struct ts_report *ret_report, struct ts_error *err);

struct ts_trend;
/* Lays out the answer of trend. Colour marks a change for the worse that nobody has accepted. links: struct ts_report. */
enum ts_status ts_report_of_trend(const struct ts_trend *trend, const char *links, struct ts_arena *arena,
				  struct ts_report *ret_report, struct ts_error *err);

/* The relative difference of two curves, cell by cell: |a - b| / max(|a|, |b|) of the cells' means. A cell where they agree has no
 * value, so that the scale may be logarithmic. NULL when the arena is full. */
struct ts_plot *ts_curves_apart(const struct ts_curves *c, struct ts_arena *arena);

#endif
