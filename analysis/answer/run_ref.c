/* run_ref.c - the words of the verdicts of a comparison. */
#include "analysis/answer/run_ref.h"

const char *ts_verdict_word(enum ts_diff_verdict verdict)
{
	switch (verdict) {
	case TS_DIFF_SAME:
		return "same";
	case TS_DIFF_DIFFERENT:
		return "different";
	case TS_DIFF_INCONCLUSIVE:
		break;
	}
	return "inconclusive";
}
