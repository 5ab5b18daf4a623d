/* escape.c - see escape.h. */
#include "base/escape.h"

void ts_html_escape(struct ts_buf *out, struct ts_span text)
{
	static const char *const entities[256] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};

	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i];

		if (entities[c])
			ts_buf_str(out, entities[c]);
		else if (c >= ' ' || c == '\n' || c == '\t') /* others may not stand in a page that is XML, too */
			ts_buf_char(out, (char)c);
	}
}
