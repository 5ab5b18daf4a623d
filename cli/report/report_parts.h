/* report_parts.h - the parts that sections of a report are built of: lines, bars, tables, sentences.
 *
 * Failure (a full arena) is remembered in r->failed; texts are never NULL unless it says so.
 */
#ifndef TSCOPE_CLI_REPORT_REPORT_PARTS_H
#define TSCOPE_CLI_REPORT_REPORT_PARTS_H

#include "cli/report/report.h"

struct ts_section *ts_report_section(struct ts_report *r, const char *title);
struct ts_item *ts_report_item(struct ts_report *r, struct ts_section *s, enum ts_item_kind kind, const char *label);
/* text may be NULL or empty: no line then. label NULL: the text takes the whole width. */
void ts_report_line(struct ts_report *r, struct ts_section *s, const char *label, const char *text);
/* heads end with NULL; their values stand on the right of their columns. */
struct ts_item *ts_report_bars(struct ts_report *r, struct ts_section *s, const char *const *heads, const char *more_of);
/* Past `most` bars they are only counted. */
void ts_report_bar(struct ts_report *r, struct ts_item *item, size_t most, const struct ts_bar *bar);

const char *ts_report_say(struct ts_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *ts_report_number(struct ts_report *r, enum ts_unit unit, double value); /* spaces kept together */
const char *ts_report_text(struct ts_report *r, struct ts_span foreign);
/* "text<between>part"; either may be NULL or empty, then it is the other. */
const char *ts_report_join(struct ts_report *r, const char *text, const char *between, const char *part);
/* "<before>value<after>"; NULL if value is. */
const char *ts_report_with(struct ts_report *r, const char *before, const char *value, const char *after);

/* The row if it is there and known, else NULL. of: the subject where that is a kind ("forward", "rank 3"), else TS_NO_SUBJECT. */
const struct ts_measure *ts_report_row(const struct ts_report *r, enum ts_measure_name what, struct ts_span of);
/* What it says; NULL if it is not known. */
const char *ts_report_value(struct ts_report *r, enum ts_measure_name what);
const char *ts_report_value_of(struct ts_report *r, enum ts_measure_name what, struct ts_span of);
const char *ts_report_chance(struct ts_report *r, enum ts_measure_name p_value); /* "p 0.0012"; NULL */
/* "12 (10 to 14)": a value with its interval, as far as it is known; NULL if the value is not. */
struct ts_interval {
	enum ts_measure_name value, low, high;
};
const char *ts_report_interval(struct ts_report *r, struct ts_interval interval, struct ts_span of);
struct ts_figure {
	enum ts_measure_name what;
	/* What stands before the value, or with a % where the value stands: "% steps". One that begins with a space goes on without
	 * a comma: " at step". */
	const char *word;
};
/* "median 13.4 ms, p95 22 ms": those that are known of a list that ends without a word; NULL if none is. */
const char *ts_report_figures(struct ts_report *r, struct ts_span of, const struct ts_figure *figures);
bool ts_report_known(const struct ts_report *r, enum ts_answer_group group); /* any row of it */
const struct ts_plot *ts_report_plot(const struct ts_report *r, enum ts_answer_group group,
				     struct ts_span subject); /* NULL if none */
/* The worst finding that this very row decided; 0 if none. */
enum ts_severity ts_report_severity(const struct ts_report *r, const struct ts_measure *row);

void ts_report_sections(struct ts_report *r);
void ts_report_ranks(struct ts_report *r); /* report_ranks.c */

#endif
