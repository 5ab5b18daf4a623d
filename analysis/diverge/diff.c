/* diff.c - the words of a diff. */
#include "analysis/diverge/diff.h"

#include "base/words.h"

TS_WORDS(ts_fact_change_word, enum ts_fact_change, "only_b", [TS_FACT_CHANGED] = "changed", [TS_FACT_ONLY_A] = "only_a",
	 [TS_FACT_ONLY_B] = "only_b")

TS_WORDS(ts_series_word, enum ts_series_state, "disjoint", [TS_SERIES_SAME] = "same", [TS_SERIES_PARTS] = "parts",
	 [TS_SERIES_EXTENT] = "extent", [TS_SERIES_ONLY_A] = "only_a", [TS_SERIES_ONLY_B] = "only_b",
	 [TS_SERIES_DISJOINT] = "disjoint")
