/* escape.h - foreign text within HTML. */
#ifndef TSCOPE_BASE_ESCAPE_H
#define TSCOPE_BASE_ESCAPE_H

#include "base/buf.h"

/* Appends the text escaped for a place between tags or within a quoted attribute, without control characters, which have no place in a
 * page. */
void ts_html_escape(struct ts_buf *out, struct ts_span text);

#endif
