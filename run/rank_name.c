#include "run/rank_name.h"

#include "base/number.h"
#include "base/text.h"
#include "run/trace.h"

/* The number behind "rank" at this place; TS_TRACE_NONE: there is none, or the word goes on. */
static int64_t rank_at(struct ts_span name, size_t at)
{
	struct ts_span digits = ts_span_from(name, at + 4);
	int64_t rank;
	size_t n = 0;

	if (digits.len && (digits.data[0] == '_' || digits.data[0] == '-'))
		digits = ts_span_from(digits, 1);
	while (n < digits.len && ts_is_digit(digits.data[n]))
		n++;
	if (!n || (n < digits.len && ts_is_alpha(digits.data[n])) || !ts_parse_i64(ts_span_part(digits, 0, n), &rank) ||
	    rank > INT32_MAX)
		return TS_TRACE_NONE;
	return rank;
}

int64_t ts_rank_in_name(struct ts_span name)
{
	int64_t found = TS_TRACE_NONE;

	for (size_t at = 0; at + 4 < name.len; at++) {
		int64_t rank;

		if (memcmp(name.data + at, "rank", 4) != 0 || (at && ts_is_alpha(name.data[at - 1])))
			continue;
		if (at >= 6 && memcmp(name.data + at - 6, "local", 5) == 0)
			continue;
		rank = rank_at(name, at);
		if (rank != TS_TRACE_NONE && found != TS_TRACE_NONE && rank != found)
			return TS_TRACE_NONE;
		found = rank != TS_TRACE_NONE ? rank : found;
	}
	return found;
}
