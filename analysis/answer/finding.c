#include "analysis/answer/finding.h"

static const char *const words[] = {"", "low", "medium", "high"};

const char *ts_severity_word(enum ts_severity severity)
{
	return severity >= TS_SEVERITY_LOW && severity <= TS_SEVERITY_HIGH ? words[severity] : "";
}

bool ts_severity_parse(struct ts_span word, enum ts_severity *ret_severity)
{
	for (int i = TS_SEVERITY_LOW; i <= TS_SEVERITY_HIGH; i++) {
		if (!ts_span_is(word, words[i]))
			continue;
		*ret_severity = (enum ts_severity)i;
		return true;
	}
	return false;
}
