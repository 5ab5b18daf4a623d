/* render_report.h - draws a report: as panels on a terminal, or as a page of HTML. */
#ifndef TSCOPE_CLI_REPORT_RENDER_REPORT_H
#define TSCOPE_CLI_REPORT_RENDER_REPORT_H

#include "cli/core/context.h"
#include "cli/report/report.h"

/* The report: panels of bars and sparklines (report.h), a page that is appended to out, every row as it is, and JSON. */
enum ts_status ts_render_report_text(struct ts_cli *cli, const struct ts_report *r, struct ts_error *err);
enum ts_status ts_render_report_html(const struct ts_report *r, struct ts_buf *out, struct ts_error *err);
/* The page that --html asks for, as a file in place of what was there, or on stdout, where it is the whole answer. It comes before
 * anything else reaches stdout: where it cannot be written, there is no answer. */
enum ts_status ts_render_report_page(struct ts_cli *cli, const struct ts_report *r, bool *ret_answered, struct ts_error *err);
/* --html names a file, or stdout if neither --json nor the option other wants it. */
enum ts_status ts_check_page_option(const struct ts_cli *cli, const char *other, struct ts_error *err);

#endif
