/* rank_list.c - "Process Group Ranks" as a trace says it: "[0, 2, 4]". */
#include "analysis/trace/ranks/job_parts.h"

#include "base/number.h"
#include "run/trace.h"

bool ts_rank_list_next(struct ts_span *list, int64_t *ret)
{
	while (ts_span_skip(list, " "))
		;
	while (list->len && !ts_span_starts(*list, ts_span_str("..."))) {
		struct ts_span one = ts_span_through(*list, ',');
		size_t len = one.len ? one.len : list->len;
		struct ts_span digits = ts_span_part(*list, 0, len - (one.len || list->data[len - 1] == ']'));

		*list = ts_span_from(*list, len);
		while (ts_span_skip(list, " "))
			;
		if (ts_parse_i64(digits, ret))
			return true;
	}
	return false;
}

int64_t ts_rank_list_at(struct ts_span ranks, int64_t n)
{
	int64_t rank;

	if (!ts_span_skip(&ranks, "["))
		return TS_TRACE_NONE;
	while (n >= 0 && ts_rank_list_next(&ranks, &rank))
		if (!n--)
			return rank;
	return TS_TRACE_NONE;
}

int64_t ts_rank_list_other(struct ts_span ranks, int64_t own)
{
	int64_t first = ts_rank_list_at(ranks, 0), second = ts_rank_list_at(ranks, 1);

	if (second == TS_TRACE_NONE || ts_rank_list_at(ranks, 2) != TS_TRACE_NONE || ts_span_contains(ranks, "...") ||
	    (own != first && own != second))
		return TS_TRACE_NONE;
	return own == first ? second : first;
}
