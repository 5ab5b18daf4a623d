/* trace_mend.h - an event with quotes within its texts that were not escaped, as programs write them that print JSON by hand.
 *
 * A quote ends a value only where what follows fits: in an object a brace that closes it, or a comma and the next key with its colon;
 * in a list a bracket that closes it, or a comma and the begin of a value. Any other quote of a value belongs to it and gets the
 * backslash that it lacks. Keys stay as they are. What comes out is JSON only where that was all that was wrong, which the
 * scanner says. Linear. Threads: any.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_MEND_H
#define TSCOPE_INGEST_TRACE_TRACE_MEND_H

#include <stddef.h>
#include <stdint.h>

enum { TS_TRACE_MEND_MAX = 1 << 16 }; /* a longer event is not mended */

/* from: n bytes that begin with '{', and behind the event a comma and white space. to has room for 2 n bytes; returns how many are
 * written, and how many quotes were mended: 0 also where more is wrong. */
size_t ts_trace_mend(const uint8_t *from, size_t n, uint8_t *to, size_t *ret_quotes);

#endif
