#include "ingest/text/text_doing.h"

#include "base/text.h"
#include "ingest/text/text_token.h"

static const char *const trains[] = {"train", "training", NULL};
static const char *const evaluates[] = {"valid", "val", "validation", "validating", "eval", "dev", "evaluation", "evaluate", NULL};
static const char *const tests[] = {"test", "testing", NULL};

struct ts_span ts_text_first_word(struct ts_span text)
{
	size_t n = 0;

	while (n < text.len && ts_is_alpha(text.data[n]))
		n++;
	return ts_span_part(text, 0, n);
}

bool ts_text_is_doing(struct ts_span word)
{
	return ts_text_word_among(word, trains) || ts_text_word_among(word, evaluates) || ts_text_word_among(word, tests);
}

const char *ts_text_evaluation(struct ts_span text)
{
	struct ts_span word = ts_text_first_word(text);

	return ts_text_word_among(word, evaluates) ? "val_" : ts_text_word_among(word, tests) ? "test_" : NULL;
}

bool ts_text_heads_best(struct ts_span line)
{
	static const char *const heads[] = {"est iteration is:", "est iteration:"};

	for (size_t i = 0; line.len && line.data[line.len - 1] == ':' && i < sizeof heads / sizeof heads[0]; i++)
		if (ts_span_ends(line, heads[i]))
			return true;
	return false;
}
