/* course_figure.h - the memory of a device over its events as the figure of a page: areas by kind, what was reserved, the peak, and
 * requests that were refused.
 */
#ifndef TSCOPE_CLI_SNAPSHOT_COURSE_FIGURE_H
#define TSCOPE_CLI_SNAPSHOT_COURSE_FIGURE_H

#include "analysis/snapshot/course.h"
#include "cli/snapshot/snapshot_parts.h"

/* The colour of a kind, as the 3 of class "p3". */
int ts_course_colour(enum ts_memory_kind kind);
/* Adds the figure to the section. A full arena is remembered in the report. */
void ts_course_figure(struct ts_report *r, struct ts_section *s, const struct ts_memory_device *d, const struct ts_course *course);
/* A section with a table of the largest blocks, whenever they were in use. */
void ts_course_largest(struct ts_report *r, const struct ts_memory_device *d, const struct ts_course *course);

#endif
