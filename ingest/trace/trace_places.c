#include "ingest/trace/trace_places.h"

#include "base/bisect.h"

static bool is_taken(const struct ts_trace_places *places, int32_t number)
{
	for (size_t i = 0; i < places->n; i++)
		if (places->items[i].number == number)
			return true;
	return false;
}

/* The low 31 bits below 0, or the next number below 0 that is free; the least stands for "not said". */
static int32_t free_number(const struct ts_trace_places *places, int64_t said)
{
	uint32_t low = (uint32_t)said & INT32_MAX;
	int32_t number;

	do {
		number = (int32_t)low - INT32_MAX - 1;
		low = (low + 1) & INT32_MAX;
	} while (number == TS_TRACE_NO_DEVICE || is_taken(places, number));
	return number;
}

int32_t ts_trace_place_number(struct ts_trace_places *places, int64_t said, bool *ret_new)
{
	struct ts_trace_place_no *items = places->items;
	int32_t number;
	size_t at = 0;

	TS_BISECT(at, places->n, i, items[i].said < said);
	*ret_new = at == places->n || items[at].said != said;
	if (!*ret_new)
		return items[at].number;
	if (places->n == TS_TRACE_PLACES_MAX)
		return TS_TRACE_NO_DEVICE;
	number = free_number(places, said);
	memmove(items + at + 1, items + at, (places->n - at) * sizeof *items);
	items[at] = (struct ts_trace_place_no){.said = said, .number = number};
	places->n++;
	return number;
}
