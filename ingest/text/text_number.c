#include "ingest/text/text_number.h"

#include "base/text.h"

#include <string.h>

static size_t digits_len(struct ts_span text, size_t at)
{
	size_t i = at;

	while (i < text.len && ts_is_digit(text.data[i]))
		i++;
	return i - at;
}

static size_t word_len(struct ts_span text, size_t at)
{
	static const char *const words[] = {"nan", "infinity", "inf"};

	for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
		size_t n = strlen(words[w]), i = 0;

		while (i < n && at + i < text.len && (char)(text.data[at + i] | 32) == words[w][i])
			i++;
		if (i == n && (at + n == text.len || !ts_is_alnum(text.data[at + n])))
			return n;
	}
	return 0;
}

/* Whole digits from at on, with groups of three behind commas. */
static size_t whole_len(struct ts_span text, size_t at)
{
	size_t n = digits_len(text, at), group;

	if (n == 0 || n > 3)
		return n;
	while (at + n < text.len && text.data[at + n] == ',' && (group = digits_len(text, at + n + 1)) == 3)
		n += 1 + group;
	return n;
}

size_t ts_text_number_len(struct ts_span text)
{
	size_t sign = text.len && (text.data[0] == '-' || text.data[0] == '+'), n = sign, whole, part = 0, e;

	whole = word_len(text, n);
	if (whole)
		return n + whole;
	whole = whole_len(text, n);
	n += whole;
	if (n < text.len && text.data[n] == '.') {
		part = digits_len(text, n + 1);
		n += whole || part ? 1 + part : 0;
	}
	if (!whole && !part)
		return 0;
	if (n < text.len && (text.data[n] | 32) == 'e') {
		e = n + 1 + (n + 1 < text.len && (text.data[n + 1] == '-' || text.data[n + 1] == '+'));
		part = digits_len(text, e);
		n = part ? e + part : n;
	}
	return n;
}
