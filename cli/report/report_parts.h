/* report_parts.h - the parts that sections of a report are built of: lines, bars, tables, sentences.
 *
 * A failure (a full arena) is remembered in r->failed. Returned texts are never NULL unless the comment says so.
 */
#ifndef TSCOPE_CLI_REPORT_REPORT_PARTS_H
#define TSCOPE_CLI_REPORT_REPORT_PARTS_H

#include "cli/report/report.h"

struct ts_section *ts_report_section(struct ts_report *r, enum ts_section_id id);
struct ts_item *ts_report_item(struct ts_report *r, struct ts_section *s, enum ts_item_kind kind, const char *label);
/* Appends a line, or nothing if text is NULL or empty. label NULL: the text takes the whole width. */
void ts_report_line(struct ts_report *r, struct ts_section *s, const char *label, const char *text);
/* At most n of the fixes, each with the bytes that it could save and what it costs. */
void ts_report_memory_fixes(struct ts_report *r, struct ts_section *s, const struct ts_memory_advice *advice, size_t n);
/* Appends a table without rows, which the caller adds (view.h); without columns, it is for the caller to begin. */
struct ts_view *ts_report_table(struct ts_report *r, struct ts_section *s, const struct ts_view_column *columns, size_t n);
/* The same of structs of a shape, with columns of its own (ts_view_with). */
struct ts_view *ts_report_view(struct ts_report *r, struct ts_section *s, const struct ts_shape *shape, const char *keys,
			       const struct ts_view_column *made, size_t n);
/* Appends an item for bars. heads ends with NULL; the values below each heading are aligned to the right. */
struct ts_item *ts_report_bars(struct ts_report *r, struct ts_section *s, const char *const *heads, const char *more_of);
/* Appends a bar; beyond `most` bars it is only counted. */
void ts_report_bar(struct ts_report *r, struct ts_item *item, size_t most, const struct ts_bar *bar);

const char *ts_report_say(struct ts_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *ts_report_number(struct ts_report *r, enum ts_unit unit, double value); /* its spaces do not break */
const char *ts_report_text(struct ts_report *r, struct ts_span foreign);
/* Returns text; if it is NULL, sets r->failed and returns "". */
const char *ts_report_kept(struct ts_report *r, const char *text);
/* "text<between>part"; if one of the two is NULL or empty, the result is the other. */
const char *ts_report_join(struct ts_report *r, const char *text, const char *between, const char *part);
/* "<before>value<after>"; NULL if value is NULL. */
const char *ts_report_with(struct ts_report *r, const char *before, const char *value, const char *after);

/* The row, or NULL if it is absent or not known. of: the subject of a measure that has several ("forward", "rank 3"), else
 * TS_NO_SUBJECT. */
const struct ts_measure *ts_report_row(const struct ts_report *r, enum ts_measure_name what, struct ts_span of);
/* The value of a row as text; NULL if it is not known. */
const char *ts_report_value(struct ts_report *r, enum ts_measure_name what);
const char *ts_report_value_of(struct ts_report *r, enum ts_measure_name what, struct ts_span of);
const char *ts_report_chance(struct ts_report *r, enum ts_measure_name p_value); /* "p 0.0012"; NULL if not known */
/* A value with its interval if that is known, "12 (10 to 14)"; NULL if the value is not known. */
struct ts_interval {
	enum ts_measure_name value, low, high;
};
const char *ts_report_interval(struct ts_report *r, struct ts_interval interval, struct ts_span of);
struct ts_figure {
	enum ts_measure_name what;
	/* The words before the value; or a text in which % stands for the value: "% steps". No comma is put before a text that
	 * begins with a space: " at step". */
	const char *word;
};
/* The figures that are known, "median 13.4 ms, p95 22 ms"; NULL if none is. The list ends with a NULL word. */
const char *ts_report_figures(struct ts_report *r, struct ts_span of, const struct ts_figure *figures);
bool ts_report_known(const struct ts_report *r, enum ts_answer_group group); /* whether any row of the group is known */
const struct ts_plot *ts_report_plot(const struct ts_report *r, enum ts_answer_group group,
				     struct ts_span subject); /* NULL if none */
/* The severity of the most severe finding for which this row was the deciding value; 0 if there is none. */
enum ts_severity ts_report_severity(const struct ts_report *r, const struct ts_measure *row);

void ts_report_happenings(struct ts_report *r); /* report_happenings.c */
void ts_report_ranks(struct ts_report *r);   /* report_ranks.c */
void ts_report_machine(struct ts_report *r); /* report_machine.c */
void ts_report_unknown(struct ts_report *r); /* report_unknown.c */

#endif
