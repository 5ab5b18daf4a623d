/* render_report.h - draws a report as panels on a terminal, or as an HTML page. */
#ifndef TSCOPE_CLI_REPORT_RENDER_REPORT_H
#define TSCOPE_CLI_REPORT_RENDER_REPORT_H

#include "cli/core/context.h"
#include "cli/report/report.h"

/* The report as panels of bars and sparklines (report.h), appended to cli->out, and as an HTML page, appended to out. */
enum ts_status ts_render_report_text(struct ts_cli *cli, const struct ts_report *r, struct ts_error *err);
enum ts_status ts_render_report_html(const struct ts_report *r, struct ts_buf *out, struct ts_error *err);
/* Writes the page that --html asks for: to a file, which it replaces, or to stdout, where it is then the whole answer
 * (*ret_answered). It is called before anything else reaches stdout, so if the page cannot be written, there is no answer. */
enum ts_status ts_render_report_page(struct ts_cli *cli, const struct ts_report *r, bool *ret_answered, struct ts_error *err);
/* Checks that --html names a file, or stdout while neither --json nor the option other writes to it. */
enum ts_status ts_check_page_option(const struct ts_cli *cli, const char *other, struct ts_error *err);

#endif
