/* traceml_words.c - the words of verdicts and states, TraceML's and ours. See traceml_compare.h. */
#include "analysis/traceml/traceml_compare.h"
#include "base/words.h"

TS_WORDS(ts_traceml_verdict_word, enum ts_traceml_verdict, "unknown", [TS_TRACEML_INCONCLUSIVE] = "INCONCLUSIVE",
	 [TS_TRACEML_EQUIVALENT] = "EQUIVALENT", [TS_TRACEML_IMPROVEMENT] = "IMPROVEMENT", [TS_TRACEML_REGRESSION] = "REGRESSION",
	 [TS_TRACEML_MIXED] = "MIXED")

TS_WORDS(ts_traceml_outcome, enum ts_traceml_verdict, "unknown", [TS_TRACEML_INCONCLUSIVE] = "unclear",
	 [TS_TRACEML_EQUIVALENT] = "equivalent", [TS_TRACEML_IMPROVEMENT] = "improvement", [TS_TRACEML_REGRESSION] = "regression",
	 [TS_TRACEML_MIXED] = "mixed")

TS_WORDS(ts_traceml_state_word, enum ts_traceml_state, "unknown", [TS_TRACEML_COMPARABLE] = "comparable",
	 [TS_TRACEML_PARTIAL] = "partial", [TS_TRACEML_INSUFFICIENT] = "insufficient",
	 [TS_TRACEML_MISSING_ONE_SIDE] = "missing_one_side", [TS_TRACEML_MISSING_BOTH] = "missing_both")
