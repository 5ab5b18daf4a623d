/* clock.h - what time it is, in int64 nanoseconds. Monotonic for durations, real (since 1970, UTC) for stamps. */
#ifndef TSCOPE_BASE_CLOCK_H
#define TSCOPE_BASE_CLOCK_H

#include "base/span.h"

int64_t ts_now_mono_ns(void);
int64_t ts_now_real_ns(void);

enum { TS_TIME_TEXT = 32 };
/* RFC 3339 in UTC with as many of 0, 3, 6, 9 fraction digits as the value needs: "2026-11-20T11:27:00Z". */
char *ts_time_text(int64_t real_ns, char out[TS_TIME_TEXT]);
/* RFC 3339 with any offset, or a plain date; false if it is neither. */
bool ts_time_parse(struct ts_span text, int64_t *ret_real_ns);

#endif
