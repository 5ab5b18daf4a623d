/* trace_damage.h - finds where reading goes on behind an event that is no JSON: a name with a quote that was not escaped, or lost one.
 *
 * The next event begins where a brace and a comma stand before another brace behind which a whole event with a phase can be read; if
 * there is none up to the end of the text, the list ends at a bracket behind a brace and before the trace's end or its next member.
 * What lies between is the damage of one event. It looks at most at TS_TRACE_DAMAGE_BYTES, and at no more than *io_budget bytes of
 * attempts, so that a hostile file costs no more than it is long, many times over. Threads: as the scanner.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_DAMAGE_H
#define TSCOPE_INGEST_TRACE_TRACE_DAMAGE_H

#include "ingest/trace/trace_event.h"

#include <stddef.h>

enum { TS_TRACE_DAMAGE_BYTES = 1 << 20, TS_TRACE_DAMAGE_BUDGET = 256 << 20 };

enum ts_trace_damage {
	TS_TRACE_DAMAGE_EVENT, /* *ret is the first byte of an event */
	TS_TRACE_DAMAGE_END,   /* *ret is the ']' of the list */
	TS_TRACE_DAMAGE_MORE,  /* the text ends before that can be said */
	TS_TRACE_DAMAGE_LOST,  /* nothing was found */
};

/* from: behind the first byte of the damaged event. place->end is the end of the text; ended: it is that of the file. */
enum ts_trace_damage ts_trace_behind_damage(const struct ts_trace_scanner *scan, struct ts_trace_place *place, const uint8_t *from,
					    bool ended, size_t *io_budget, const uint8_t **ret);

#endif
