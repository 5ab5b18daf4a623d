/* clock.h - what time it is, in int64 nanoseconds: monotonic time for durations, real time (since 1970, UTC) for timestamps. */
#ifndef TSCOPE_BASE_CLOCK_H
#define TSCOPE_BASE_CLOCK_H

#include "base/span.h"

int64_t ts_now_mono_ns(void);
int64_t ts_now_real_ns(void);

enum { TS_TIME_TEXT = 32 };
/* Writes RFC 3339 in UTC with 0, 3, 6 or 9 fraction digits, as many as the value needs: "2026-11-20T11:27:00Z". Returns out. */
char *ts_time_text(int64_t real_ns, char out[TS_TIME_TEXT]);
/* Reads RFC 3339 with any offset, or a plain date; false if the text is neither. */
bool ts_time_parse(struct ts_span text, int64_t *ret_real_ns);
/* The same, and also a time of day without an offset, which counts as UTC; *ret_zoneless says that it was one. */
bool ts_time_parse_zoneless(struct ts_span text, int64_t *ret_real_ns, bool *ret_zoneless);

#endif
