#include "run/name.h"

#include "base/text.h"

/* Spaces and marks that show nothing, which ts_escape leaves as they are. */
static bool is_blank(uint32_t point)
{
	return point == 0xa0 || point == 0xad || point == 0x1680 || (point >= 0x2000 && point <= 0x200f) || point == 0x2028 ||
	       point == 0x2029 || point == 0x202f || (point >= 0x205f && point <= 0x2065) || point == 0x3000 || point == 0xfeff ||
	       point == 0xfffd;
}

size_t ts_name_char(struct ts_span rest, bool first)
{
	char escaped[TS_ESCAPE_TEXT];
	size_t n, at = 0;
	uint32_t point;

	if (!rest.len)
		return 0;
	if (rest.data[0] < 0x80)
		return ts_is_alnum(rest.data[0]) || (!first && strchr("._+-", rest.data[0]) && rest.data[0]);
	n = ts_utf8_next(rest, &point);
	if (!n || is_blank(point) || ts_escape_next(rest, &at, escaped) != n)
		return 0;
	return first && ts_text_width(ts_span_of(rest.data, n)) == 0 ? 0 : n;
}
