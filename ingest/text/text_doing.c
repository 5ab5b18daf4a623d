#include "ingest/text/text_doing.h"

#include "base/text.h"

static const struct {
	const char *word, *prefix; /* in lower case; NULL: of the training */
} doings[] = {
	{"train", NULL},  {"training", NULL}, {"valid", "val_"}, {"val", "val_"},      {"validation", "val_"}, {"validating", "val_"},
	{"eval", "val_"}, {"dev", "val_"},    {"test", "test_"}, {"testing", "test_"}, {"evaluation", "val_"}, {"evaluate", "val_"},
};

enum { DOINGS = sizeof doings / sizeof doings[0] };

struct ts_span ts_text_first_word(struct ts_span text)
{
	size_t n = 0;

	while (n < text.len && ts_is_alpha(text.data[n]))
		n++;
	return ts_span_part(text, 0, n);
}

static size_t find(struct ts_span word)
{
	for (size_t i = 0; i < DOINGS; i++) {
		size_t n = strlen(doings[i].word), k = 0;

		while (n == word.len && k < n && (word.data[k] | 32) == (uint8_t)doings[i].word[k])
			k++;
		if (n == word.len && k == n)
			return i;
	}
	return DOINGS;
}

bool ts_text_is_doing(struct ts_span word)
{
	return find(word) < DOINGS;
}

const char *ts_text_evaluation(struct ts_span text)
{
	size_t i = find(ts_text_first_word(text));

	return i < DOINGS ? doings[i].prefix : NULL;
}
