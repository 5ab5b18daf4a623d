#include "ingest/text/text_tag.h"

#include "base/text.h"

#include <string.h>

enum { LINE_MOST = 400, WORD_MOST = 16 };

/* What words of a line say. NOTHING_KEPT is of what is saved and is no state of the training. */
enum says { SAVES = 1, CHECKPOINT = 2, EVALUATES = 4, RUNS = 8, OTHER = 16, NOTHING_KEPT = 32 };

enum by { BEGINS, WHOLE }; /* the word begins so; it is the word, and stands in no name such as save_steps */

static const struct {
	const char *word;
	enum by by;
	enum says says;
} words[] = {
	{"saving", WHOLE, SAVES},
	{"saved", WHOLE, SAVES},
	{"save", WHOLE, SAVES},
	{"writing", WHOLE, SAVES},
	{"wrote", WHOLE, SAVES},
	{"stored", WHOLE, SAVES},
	{"dumping", WHOLE, SAVES},
	{"dumped", WHOLE, SAVES},
	{"snapshotting", WHOLE, SAVES | CHECKPOINT},
	{"checkpoint", BEGINS, CHECKPOINT},
	{"ckpt", BEGINS, CHECKPOINT},
	{"snapshot", BEGINS, CHECKPOINT},
	{"weights", BEGINS, CHECKPOINT},
	{"model", BEGINS, CHECKPOINT},
	{"evaluation", BEGINS, EVALUATES},
	{"evaluating", BEGINS, EVALUATES},
	{"validating", BEGINS, EVALUATES},
	{"validation", BEGINS, EVALUATES},
	{"running", WHOLE, RUNS},
	{"starting", WHOLE, RUNS},
	{"begin", WHOLE, RUNS},
	{"start", WHOLE, RUNS},
	{"load", BEGINS, OTHER},
	{"restor", BEGINS, OTHER},
	{"resum", BEGINS, OTHER},
	{"continuing", WHOLE, OTHER},
	{"preparing", WHOLE, OTHER},
	{"delet", BEGINS, OTHER},
	{"remov", BEGINS, OTHER},
	{"using", WHOLE, OTHER},
	{"not", WHOLE, OTHER},
	{"no", WHOLE, OTHER},
	{"will", WHOLE, OTHER},
	{"every", WHOLE, OTHER},
	{"skip", BEGINS, OTHER},
	{"fail", BEGINS, OTHER},
	{"error", BEGINS, OTHER},
	{"config", BEGINS, NOTHING_KEPT},
	{"tokenizer", BEGINS, NOTHING_KEPT},
	{"predictions", BEGINS, NOTHING_KEPT},
	{"samples", BEGINS, NOTHING_KEPT},
	{"memory", BEGINS, NOTHING_KEPT},
	{"gradient", BEGINS, NOTHING_KEPT},
	{"activation", BEGINS, NOTHING_KEPT},
};

static bool in_name(struct ts_span line, size_t at, size_t n)
{
	return (at && line.data[at - 1] == '_') || (at + n < line.len && (line.data[at + n] == '_' || line.data[at + n] == '='));
}

static unsigned says_of(struct ts_span line, size_t at, size_t n)
{
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		size_t len = strlen(words[i].word), k = 0;

		while (k < len && k < n && (line.data[at + k] | 32) == (uint8_t)words[i].word[k])
			k++;
		if (k == len && (words[i].by == BEGINS || (n == len && !in_name(line, at, n))))
			return words[i].says;
	}
	return 0;
}

/* "Saving checkpoints at: out" says where they will be. */
static bool says_where(struct ts_span line)
{
	return ts_span_contains(line, "checkpoints") &&
	       (ts_span_contains(line, " at:") || ts_span_contains(line, " to:") || ts_span_contains(line, " in:"));
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
	if ((says & SAVES) && (says & CHECKPOINT) && !says_where(line))
		return says & NOTHING_KEPT ? NULL : "checkpoint";
	return (says & EVALUATES) && ((says & RUNS) || ts_span_contains(line, "valuating") || ts_span_contains(line, "alidating"))
		       ? "evaluation"
		       : NULL;
}
