/* report.h - the answer of analyze laid out for people: sections of lines, bars and sparklines, before they are text or HTML.
 *
 * Both renderers show the same sections, items and words; what stands in a section is decided here and nowhere else. Colour comes from
 * findings alone: a section's light is its worst finding, and a bar has the colour of the worst finding that was decided on its
 * row. No threshold stands here, so that no light can say otherwise than a rule.
 *
 * All texts lie in the arena and are harmless to print (show_value.h); U+00A0 in them keeps words on one line. HTML still escapes them.
 */
#ifndef TSCOPE_CLI_REPORT_H
#define TSCOPE_CLI_REPORT_H

#include "analysis/analysis.h"

enum { TS_BAR_VALUES = 6 };

struct ts_bar {
	const char *label;
	bool known;
	double share;		   /* 0 to 1 is drawn, what lies outside is cut */
	enum ts_severity severity; /* 0: no finding is about it */
	const char *values[TS_BAR_VALUES]; /* NULL: nothing */
};

enum ts_item_kind {
	TS_ITEM_LINE,	 /* label, text */
	TS_ITEM_BARS,	 /* bars under heads */
	TS_ITEM_PLOT,	 /* label, plot, text behind it: a sparkline or a figure */
	TS_ITEM_FINDING, /* finding */
};

struct ts_item {
	enum ts_item_kind kind;
	const char *label;
	const char *text;
	const struct ts_plot *plot;
	const struct ts_finding *finding;
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
	const char *title; /* "TIMING" */
	enum ts_light light;
	const char *state; /* the light in words: "1 high, 2 low, 3 of 7 rules unchecked"; NULL without one */
	const char *head;  /* one line of figures; may be NULL */
	struct ts_item *items;
	size_t n, cap;
};

enum { TS_REPORT_SECTIONS = 12 };

struct ts_report {
	const struct ts_analysis *a;
	struct ts_arena *arena;
	const char *title; /* the run in one line */
	const char *view;  /* whose steps, and what of them is left out */
	struct ts_section sections[TS_REPORT_SECTIONS];
	size_t n;
	bool failed;
};

/* The answer must live as long as the report. */
enum ts_status ts_report_of(const struct ts_analysis *a, struct ts_arena *arena, struct ts_report *ret_report,
			    struct ts_error *err);

#endif
