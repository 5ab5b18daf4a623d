/* trace_note.c - what is said of an event while its row is made, and the numbers of its device and stream, of which something may be to
 * say. */
#include "ingest/trace/trace_fill.h"

#include <stdio.h>

void ts_trace_note(struct ts_trace_fill *fill, const char *code, enum ts_notice_level level, uint64_t at, const char *what)
{
	char detail[160];

	(void)snprintf(detail, sizeof detail, "%s %" PRIu64 ": %s", fill->unit ? fill->unit : "byte", at, what);
	ts_notice_add(fill->notices, code, level, fill->file, 0, detail);
}

int32_t ts_trace_place_without_room(struct ts_trace_fill *fill, int64_t said, uint64_t at)
{
	bool is_new;
	int32_t number = ts_trace_place_number(&fill->places, said, &is_new);
	char what[128];

	if (number == TS_TRACE_NO_DEVICE) {
		ts_trace_note(fill, "trace_places", TS_NOTICE_SKIPPED, at,
			      "too many devices and streams have numbers of more than 32 bits; this one counts as unknown");
	} else if (is_new && number != said) {
		(void)snprintf(what, sizeof what, "the device or stream %" PRId64 " has more than 32 bits and counts as %" PRId32, said,
			       number);
		ts_trace_note(fill, "trace_place", TS_NOTICE_INFO, at, what);
	}
	return number;
}
