/* trace_scanner_portable.c - the scanner by 8 bytes at once, in plain C. */
#define TS_TRACE_FORM TS_TRACE_PORTABLE
#include "ingest/trace/trace_form.h"

const struct ts_trace_scanner ts_trace_scanner_portable = {"portable", blanks, event, value};
