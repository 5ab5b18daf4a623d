#include "run/fact_match.h"

#include "base/text.h"

bool ts_path_fold(struct ts_span path, struct ts_folded *ret)
{
	size_t n = 0;

	if (path.len > sizeof ret->text)
		return false;
	while (path.len && path.data[path.len - 1] == ']') {
		while (path.len && path.data[path.len - 1] != '[')
			path.len--;
		path.len -= path.len > 0;
	}
	ret->last = 0;
	for (size_t i = 0; i < path.len; i++) {
		uint8_t c = path.data[i];

		if (c == '\\' && i + 1 < path.len)
			ret->text[n++] = c, c = path.data[++i];
		else if (c == '.')
			ret->last = n + 1;
		ret->text[n++] = c >= 'A' && c <= 'Z' ? (uint8_t)(c | 32) : (c == '-' ? '_' : c);
	}
	ret->len = n;
	return true;
}

bool ts_path_matches(const char *pattern, const struct ts_folded *path)
{
	const char *colon = strchr(pattern, ':');
	size_t group = colon ? (size_t)(colon - pattern) : 0;

	if (!colon)
		return ts_glob(ts_span_str(pattern), ts_span_of(path->text, path->len));
	return path->last > group && path->text[group] == '.' && memcmp(path->text, pattern, group) == 0 &&
	       ts_glob(ts_span_str(colon + 1), ts_span_of(path->text + path->last, path->len - path->last));
}

bool ts_fact_is(const struct ts_fact *fact, const char *word)
{
	if (fact->type == TS_FACT_BOOL)
		return strcmp(word, fact->boolean ? "true" : "false") == 0;
	if (fact->type == TS_FACT_INT)
		return (fact->integer == 1 && strcmp(word, "1") == 0) || (fact->integer == 0 && strcmp(word, "0") == 0);
	return fact->type == TS_FACT_TEXT &&
	       (ts_span_is(fact->text, word) || (ts_span_is(fact->text, "True") && strcmp(word, "true") == 0) ||
		(ts_span_is(fact->text, "False") && strcmp(word, "false") == 0));
}
