/* run_ref.c - the words of the verdicts of a comparison. */
#include "analysis/answer/run_ref.h"

#include "base/words.h"

TS_WORDS(ts_verdict_word, enum ts_diff_verdict, "inconclusive", [TS_DIFF_SAME] = "same", [TS_DIFF_DIFFERENT] = "different",
	 [TS_DIFF_INCONCLUSIVE] = "inconclusive")
