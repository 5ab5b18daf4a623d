/* trace_scanner_avx2.c - the scanner by 32 bytes at once; the program looks first whether the processor can run it. */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi")
#endif
#define TS_TRACE_FORM TS_TRACE_AVX2
#include "ingest/trace/trace_form.h"

const struct ts_trace_scanner ts_trace_scanner_avx2 = {"avx2", blanks, event, value};
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
