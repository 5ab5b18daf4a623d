/* report.h - the answers of analyze and diff laid out for people: sections of lines, bars, tables and curves, before they are text
 * or HTML.
 *
 * Both renderers show the same sections, items and words; what stands in a section is decided here and nowhere else. Colour comes from
 * findings alone: a section's light is its worst finding, and a bar has the colour of the worst finding that was decided on its
 * row. No threshold stands here, so that no light can say otherwise than a rule. The light of a diff is its verdict.
 *
 * All texts lie in the arena and are harmless to print (show_value.h); U+00A0 in them keeps words on one line. HTML still escapes them.
 */
#ifndef TSCOPE_CLI_REPORT_REPORT_H
#define TSCOPE_CLI_REPORT_REPORT_H

#include "analysis/analysis.h"
#include "analysis/diverge/diff.h"

enum { TS_BAR_VALUES = 6, TS_SHEET_COLUMNS = 12 };

struct ts_bar {
	const char *label;
	bool known;
	double share;		   /* 0 to 1 is drawn, what lies outside is cut */
	enum ts_severity severity; /* 0: no finding is about it */
	const char *values[TS_BAR_VALUES]; /* NULL: nothing */
};

/* What a text is, where a colour may say it again. */
enum ts_tone { TS_TONE_PLAIN, TS_TONE_STRONG, TS_TONE_DIM, TS_TONE_A, TS_TONE_B, TS_TONE_MARK };

struct ts_sheet_cell {
	const char *text;
	enum ts_tone tone;
};

struct ts_sheet_column {
	const char *head; /* NULL in all of them: no heading */
	bool right;
	int least; /* may be cut to this width; 0: never */
};

struct ts_sheet {
	struct ts_sheet_column columns[TS_SHEET_COLUMNS];
	size_t n_columns;
	struct ts_sheet_cell *cells; /* row by row */
	size_t n_rows, cap;
	size_t more;	     /* rows that were left out */
	bool mono;	     /* places in the last column count: values under each other, and a mark below where they part */
	bool indented;	     /* too narrow a terminal has the first cell on a line, and the rest below it */
};

/* One series of two runs, in cells of one grid. */
struct ts_curves {
	const struct ts_plot *a, *b;
	int64_t split; /* the first step whose bits differ */
	int64_t last;  /* the last step of the two, or of the last cell where that is before it */
	bool near;     /* around the split, else the whole run */
};

/* A level of a series of runs, and the change that it begins with. */
struct ts_level {
	size_t first, end; /* of the values */
	double value;
	const char *mark; /* "A", as the table has it; "" of the first level, which begins with none */
	enum ts_tone tone;
	const char *text; /* of the change, for who points at it */
};

/* Values one beside the other, and their levels. */
struct ts_levels {
	const double *values; /* NaN: none */
	size_t n;
	enum ts_unit unit;
	const struct ts_level *items;
	size_t n_items;
	const char *first, *last; /* what stands below the ends of the axis */
};

/* From where to where a figure of it reaches: a few odd values are not let squeeze the rest together. False without any value. */
bool ts_levels_range(const struct ts_levels *levels, struct ts_arena *arena, double *ret_low, double *ret_high);

enum ts_item_kind {
	TS_ITEM_LINE,	 /* label, text */
	TS_ITEM_BARS,	 /* bars under heads */
	TS_ITEM_PLOT,	 /* label, plot, text behind it: a sparkline or a figure */
	TS_ITEM_FINDING, /* finding */
	TS_ITEM_TABLE,	 /* table */
	TS_ITEM_CURVES,	 /* label, curves: one over the other */
	TS_ITEM_LEVELS,	 /* levels */
	TS_ITEM_COMMAND, /* text: a line for a shell, never broken nor cut */
};

struct ts_item {
	enum ts_item_kind kind;
	const char *label;
	const char *text;
	const struct ts_plot *plot;
	const struct ts_finding *finding;
	struct ts_sheet *table;
	struct ts_curves curves;
	const struct ts_levels *levels;
	const char *heads[TS_BAR_VALUES]; /* of a bar's values */
	bool right[TS_BAR_VALUES];	  /* numbers: aligned to the right */
	struct ts_bar *bars;
	size_t n_bars;
	size_t more; /* bars that were left out */
	const char *more_of; /* "rank" */
};

enum ts_light {
	TS_LIGHT_NONE, /* no rule looks at this section */
	TS_LIGHT_UNCHECKED,
	TS_LIGHT_CLEAR,
	TS_LIGHT_LOW,
	TS_LIGHT_MEDIUM,
	TS_LIGHT_HIGH,
};

struct ts_section {
	const char *title; /* "TIMING"; "" for what belongs to the head of the report */
	enum ts_light light;
	const char *state; /* the light in words: "1 high, 2 low, 3 of 7 rules unchecked"; NULL without one */
	const char *head;  /* one line of figures; may be NULL */
	struct ts_item *items;
	size_t n, cap;
};

enum { TS_REPORT_SECTIONS = 12 };

struct ts_report {
	const struct ts_analysis *a; /* NULL for a diff */
	struct ts_arena *arena;
	const char *title; /* the run in one line, or the sentence of a diff, which has a light and stays one line in a pipe */
	enum ts_light light;
	const char *view;  /* whose steps, and what of them is left out; the cause and how sure it is */
	const char *name;  /* of the page */
	const char *foot;  /* of the page: ids */
	bool whole;	   /* no panel is cut to a screen */
	const struct ts_measures *rows; /* all of them, and what is drawn into figures and heat maps */
	const struct ts_events *events;
	const struct ts_plots *plots;
	struct ts_section sections[TS_REPORT_SECTIONS];
	size_t n;
	bool failed;
};

/* The answer must live as long as the report. */
enum ts_status ts_report_of(const struct ts_analysis *a, struct ts_arena *arena, struct ts_report *ret_report,
			    struct ts_error *err);
/* all: every fact and every series of every rank, and no panel is cut. reproduce may be NULL. */
struct ts_reproduce;
enum ts_status ts_report_of_diff(const struct ts_diff *diff, bool all, const struct ts_reproduce *reproduce, struct ts_arena *arena,
				 struct ts_report *ret_report, struct ts_error *err);

struct ts_trend;
/* Colour says whether a change is for the worse and nobody accepted it. */
enum ts_status ts_report_of_trend(const struct ts_trend *trend, struct ts_arena *arena, struct ts_report *ret_report,
				  struct ts_error *err);

/* How far apart two curves are, cell by cell: |a - b| over the greater of both in size, of the means; no value where they agree, so
 * that its scale may be logarithmic. NULL when the arena is full. */
struct ts_plot *ts_curves_apart(const struct ts_curves *c, struct ts_arena *arena);

#endif
