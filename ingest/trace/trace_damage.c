#include "ingest/trace/trace_damage.h"

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The first byte before p that is no white space; NULL: there is none behind from. */
static const uint8_t *before(const uint8_t *from, const uint8_t *p)
{
	while (p > from && is_blank(p[-1]))
		p--;
	return p > from ? p - 1 : NULL;
}

/* Whether the brace at p stands behind another one and a comma. */
static bool may_begin(const uint8_t *from, const uint8_t *p)
{
	const uint8_t *comma = before(from, p), *brace = comma && *comma == ',' ? before(from, comma) : NULL;

	return brace && *brace == '}';
}

/* Whether an event with a phase begins at p; *ret_short: the text ends inside of it. */
static bool begins(const struct ts_trace_scanner *scan, struct ts_trace_place *place, const uint8_t *p, size_t *io_budget,
		   bool *ret_short)
{
	struct ts_trace_event event;
	const uint8_t *behind = scan->event(place, p, &event);
	size_t n = (size_t)((behind ? behind : place->p) - p);

	*io_budget -= n < *io_budget ? n : *io_budget;
	*ret_short = behind ? behind > place->end : place->p >= place->end;
	return behind && !*ret_short && event.phase;
}

/* Whether the list can end at the bracket p: behind it the trace ends, or its next member begins. */
static bool may_end(const struct ts_trace_scanner *scan, const struct ts_trace_place *place, const uint8_t *from, const uint8_t *p)
{
	const uint8_t *brace = before(from, p), *next = scan->blanks(p + 1);

	if (!brace || *brace != '}')
		return false;
	if (next >= place->end)
		return true;
	if (*next == ',')
		return *scan->blanks(next + 1) == '"';
	return *next == '}' && scan->blanks(next + 1) >= place->end;
}

static const uint8_t *list_end(const struct ts_trace_scanner *scan, const struct ts_trace_place *place, const uint8_t *from,
			       const uint8_t *end)
{
	for (const uint8_t *p = from; p < end && (p = memchr(p, ']', (size_t)(end - p))); p++)
		if (may_end(scan, place, from, p))
			return p;
	return NULL;
}

enum ts_trace_damage ts_trace_behind_damage(const struct ts_trace_scanner *scan, struct ts_trace_place *place, const uint8_t *from,
					    bool ended, size_t *io_budget, const uint8_t **ret)
{
	bool all = (size_t)(place->end - from) >= TS_TRACE_DAMAGE_BYTES, shorter;

	/* Where the text is longer than that, it is looked at as if it ended there, whatever the size of the window. */
	if (all)
		place->end = from + TS_TRACE_DAMAGE_BYTES;
	for (const uint8_t *p = from; *io_budget && p < place->end && (p = memchr(p, '{', (size_t)(place->end - p))); p++) {
		if (!may_begin(from, p))
			continue;
		*ret = p;
		if (begins(scan, place, p, io_budget, &shorter))
			return TS_TRACE_DAMAGE_EVENT;
		if (shorter && !ended && !all)
			return TS_TRACE_DAMAGE_MORE;
	}
	if (!ended && !all && *io_budget)
		return TS_TRACE_DAMAGE_MORE;
	*ret = ended && !all ? list_end(scan, place, from, place->end) : NULL;
	return *ret ? TS_TRACE_DAMAGE_END : TS_TRACE_DAMAGE_LOST;
}
