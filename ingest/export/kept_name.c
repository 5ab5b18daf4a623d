/* kept_name.c - see kept_name.h. */
#include "ingest/export/kept_name.h"

#include "base/text.h"
#include "run/index.h"

#include <stdio.h>

enum { LONGEST = 240 };

static bool is_rank(struct ts_span name)
{
	size_t at = 4;

	if (!ts_span_starts(name, ts_span_str("rank")))
		return false;
	while (at < name.len && ts_is_digit(name.data[at]))
		at++;
	return at == name.len;
}

static bool has_meaning(struct ts_span name)
{
	static const char *const names[] = {"steps.jsonl", "run.json", "facts.json"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ts_span_is(name, names[i]))
			return true;
	return ts_span_starts(name, ts_span_str("recording.")) || is_rank(name);
}

bool ts_kept_name(struct ts_span name, char ret_name[TS_KEPT_NAME_BYTES])
{
	size_t len = 0, at = 0;
	bool other = !ts_file_name_valid(name);

	while (at < name.len && len < LONGEST) {
		uint32_t point;
		size_t n = ts_utf8_next(ts_span_from(name, at), &point);

		if (n && point >= ' ' && point != 0x7F && point != '/' && len + n <= LONGEST) {
			memcpy(ret_name + len, name.data + at, n);
			len += n;
			at += n;
		} else {
			len += (size_t)snprintf(ret_name + len, TS_KEPT_NAME_BYTES - len, "%%%02X", name.data[at++]);
			other = true;
		}
	}
	ret_name[len] = '\0';
	other |= at < name.len;
	if (len == 0 || has_meaning(ts_span_of(ret_name, len)) || ts_span_is(name, ".") || ts_span_is(name, "..")) {
		(void)snprintf(ret_name + len, TS_KEPT_NAME_BYTES - len, ".kept");
		other = true;
	}
	return other;
}
