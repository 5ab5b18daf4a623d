#include "ingest/text/text_memory.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64 };

/* The length of the word at `at`, or 0 if the text has another there. Letters of either case. */
static size_t word_at(struct ts_span text, size_t at, const char *word)
{
	size_t n = strlen(word);

	if (at + n > text.len || (at && ts_is_alnum(text.data[at - 1])))
		return 0;
	for (size_t i = 0; i < n; i++)
		if ((text.data[at + i] | 32) != (uint8_t)word[i])
			return 0;
	return at + n == text.len || !ts_is_alpha(text.data[at + n]) ? n : 0;
}

static bool has_word(struct ts_span text, const char *const *words)
{
	for (size_t at = 0; at < text.len; at++)
		for (size_t i = 0; words[i]; i++)
			if ((text.data[at] | 32) == (uint8_t)words[i][0] && word_at(text, at, words[i]))
				return true;
	return false;
}

/* Whether all words of the name say what is measured of a memory, and none that it is one. Its unit stands in brackets. */
static bool is_short(struct ts_span name)
{
	static const char *const words[] = {"allocated", "alloc", "reserved", "cached", "current", "used", "peak", "max", NULL};
	size_t at = 0, n = 0;

	while (at < name.len && name.data[at] != '(') {
		size_t len = 0;

		if (name.data[at] == ' ' || name.data[at] == '_') {
			at++;
			continue;
		}
		for (size_t i = 0; words[i] && !len; i++)
			len = word_at(name, at, words[i]);
		if (!len)
			return false;
		at += len;
		n++;
	}
	return n > 0;
}

void ts_text_memory_names(struct ts_span line, struct ts_text_record *r)
{
	static const char *const memory[] = {"memory", "mem", "vram", NULL};
	static const char *const host[] = {"cpu", "host", "ram", "system", "rss", NULL};
	bool known = false;

	for (size_t i = 0; i < r->n; i++) {
		struct ts_text_cell *c = &r->cells[i];
		char name[NAME_BYTES];
		int n;

		if (c->is_text || !is_short(c->name))
			continue;
		if (!known && (!has_word(line, memory) || has_word(line, host)))
			return;
		known = true;
		n = snprintf(name, sizeof name, "memory %.*s", TS_SPAN_ARG(c->name));
		if (n > 0 && (size_t)n < sizeof name)
			c->name = ts_text_record_keep(r, ts_span_of(name, (size_t)n));
	}
}
