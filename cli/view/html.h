/* html.h - foreign text for a page, and what the text of an answer becomes where a page is drawn of it (term.page). */
#ifndef TSCOPE_CLI_VIEW_HTML_H
#define TSCOPE_CLI_VIEW_HTML_H

#include "cli/core/term.h"

/* Around a table that may be wider than the window: whoever has no mouse moves it by keys. */
#define TS_HTML_SCROLL "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table\">"

/* Appends text escaped for a place between tags or in a quoted attribute. */
void ts_html_text(struct ts_buf *out, const char *text);

/* Appends a link to a page of the project, of which addresses begin with links (struct ts_term). */
void ts_html_link(struct ts_buf *out, const char *links, const char *to, const char *text);

/* What ts_text_field, ts_text_heading and ts_text_wrapped write on a page. A heading ends a section and begins the
 * next. */
void ts_html_field(struct ts_buf *out, const char *name, const char *value);
void ts_html_heading(struct ts_buf *out, const char *heading);
void ts_html_paragraph(struct ts_buf *out, enum ts_style style, const char *text);

#endif
