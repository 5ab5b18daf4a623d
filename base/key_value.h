/* key_value.h - a line `key = value` of a file that people write. */
#ifndef TSCOPE_BASE_KEY_VALUE_H
#define TSCOPE_BASE_KEY_VALUE_H

#include "base/text.h"

/* Splits a line at its first '='; white space around the two parts goes. False for a line that has none. */
static inline bool ts_key_value(struct ts_span line, struct ts_span *ret_key, struct ts_span *ret_value)
{
	size_t through = ts_span_through(line, '=').len;

	if (!through)
		return false;
	*ret_key = ts_trim(ts_span_part(line, 0, through - 1));
	*ret_value = ts_trim(ts_span_from(line, through));
	return true;
}

#endif
