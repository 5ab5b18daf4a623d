/* trace_scanner_sse2.c - the scanner by 16 bytes at once, which each processor of x86-64 can run. */
#if defined(__x86_64__)
#define TS_TRACE_FORM TS_TRACE_SSE2
#include "ingest/trace/trace_form.h"

const struct ts_trace_scanner ts_trace_scanner_sse2 = {"sse2", blanks, event, value};
#endif
