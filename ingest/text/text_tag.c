#include "ingest/text/text_tag.h"

#include "base/text.h"

#include <string.h>

enum { LINE_MOST = 400, WORD_MOST = 16 };

/* What words of a line say, by their beginnings. */
enum says { SAVES = 1, CHECKPOINT = 2, EVALUATES = 4, RUNS = 8, OTHER = 16 };

static const struct {
	const char *word;
	enum says says;
} words[] = {
	{"saving", SAVES},	   {"saved", SAVES},
	{"writing", SAVES},	   {"wrote", SAVES},
	{"stored", SAVES},	   {"checkpoint", CHECKPOINT},
	{"ckpt", CHECKPOINT},	   {"snapshot", CHECKPOINT},
	{"weights", CHECKPOINT},   {"model", CHECKPOINT},
	{"evaluation", EVALUATES}, {"evaluating", EVALUATES},
	{"validating", EVALUATES}, {"running", RUNS},
	{"starting", RUNS},	   {"begin", RUNS},
	{"start", RUNS},	   {"validation", EVALUATES},
	{"load", OTHER},	   {"restor", OTHER},
	{"resum", OTHER},	   {"not", OTHER},
	{"skip", OTHER},	   {"fail", OTHER},
	{"error", OTHER},
};

static unsigned says_of(struct ts_span line, size_t at, size_t n)
{
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		size_t len = strlen(words[i].word), k = 0;

		while (k < len && k < n && (line.data[at + k] | 32) == (uint8_t)words[i].word[k])
			k++;
		if (k == len)
			return words[i].says;
	}
	return 0;
}

const char *ts_text_tag(struct ts_span line)
{
	unsigned says = 0;

	if (line.len > LINE_MOST)
		return NULL;
	for (size_t at = 0; at < line.len;) {
		size_t n = 0;

		while (at + n < line.len && ts_is_alpha(line.data[at + n]))
			n++;
		if (n && n <= WORD_MOST)
			says |= says_of(line, at, n);
		at += n ? n : 1;
	}
	if (says & OTHER)
		return NULL;
	if ((says & SAVES) && (says & CHECKPOINT))
		return "checkpoint";
	return (says & EVALUATES) && ((says & RUNS) || ts_span_contains(line, "valuating") || ts_span_contains(line, "alidating"))
		       ? "evaluation"
		       : NULL;
}
