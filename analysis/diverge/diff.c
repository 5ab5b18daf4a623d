/* diff.c - the words of a diff. */
#include "analysis/diverge/diff.h"

const char *ts_fact_change_word(enum ts_fact_change change)
{
	switch (change) {
	case TS_FACT_CHANGED:
		return "changed";
	case TS_FACT_ONLY_A:
		return "only_a";
	case TS_FACT_ONLY_B:
		break;
	}
	return "only_b";
}

const char *ts_series_word(enum ts_series_state state)
{
	switch (state) {
	case TS_SERIES_SAME:
		return "same";
	case TS_SERIES_PARTS:
		return "parts";
	case TS_SERIES_EXTENT:
		return "extent";
	case TS_SERIES_ONLY_A:
		return "only_a";
	case TS_SERIES_ONLY_B:
		return "only_b";
	case TS_SERIES_DISJOINT:
		break;
	}
	return "disjoint";
}
