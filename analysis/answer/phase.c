#include "analysis/answer/phase.h"

const char *const ts_rank_phases[TS_RANK_PHASES] = {
	[TS_RANK_DATA] = "data",	   [TS_RANK_FORWARD] = "forward", [TS_RANK_BACKWARD] = "backward",
	[TS_RANK_OPTIMIZER] = "optimizer", [TS_RANK_COMPUTE] = "compute", [TS_RANK_COMM] = "comm",
	[TS_RANK_OTHER] = "other",
};

enum match { WITHIN, WORD, NAME }; /* the text stands anywhere in the name, is a word of it, or is the name */

/* The first that matches decides. */
static const struct {
	const char *text;
	enum match match;
	enum ts_phase_kind kind;
} names[] = {
	{"other", NAME, TS_PHASE_REST},
	{"checkpoint", WITHIN, TS_PHASE_CHECKPOINT},
	{"ckpt", WITHIN, TS_PHASE_CHECKPOINT},
	{"eval", WITHIN, TS_PHASE_EVALUATION},
	{"valid", WITHIN, TS_PHASE_EVALUATION},
	{"test", WORD, TS_PHASE_EVALUATION},
	{"between", WORD, TS_PHASE_HOST},
	{"save", WORD, TS_PHASE_HOST},
	{"saving", WORD, TS_PHASE_HOST},
	{"log", WORD, TS_PHASE_HOST},
	{"logs", WORD, TS_PHASE_HOST},
	{"logging", WORD, TS_PHASE_HOST},
	{"callback", WORD, TS_PHASE_HOST},
	{"callbacks", WORD, TS_PHASE_HOST},
	{"compile", WORD, TS_PHASE_HOST},
	{"compiling", WORD, TS_PHASE_HOST},
	{"compilation", WORD, TS_PHASE_HOST},
	{"profiler", WORD, TS_PHASE_HOST}, /* what its start and its end take, as the recorder has it */
	{"step", NAME, TS_PHASE_WHOLE},
	{"step_time", NAME, TS_PHASE_WHOLE},
	{"train_step", NAME, TS_PHASE_WHOLE},
	{"training_step", NAME, TS_PHASE_WHOLE},
	{"iter", NAME, TS_PHASE_WHOLE},
	{"iteration", NAME, TS_PHASE_WHOLE},
	{"iteration_time", NAME, TS_PHASE_WHOLE},
	{"batch", NAME, TS_PHASE_WHOLE},
	{"batch_time", NAME, TS_PHASE_WHOLE},
	{"wall", NAME, TS_PHASE_WHOLE},
	{"total", NAME, TS_PHASE_WHOLE},
	{"elapsed", NAME, TS_PHASE_WHOLE},
};

enum ts_rank_phase ts_rank_phase_of(struct ts_span name)
{
	enum ts_rank_phase phase = TS_RANK_DATA;

	while (phase < TS_RANK_OTHER && !ts_span_is(name, ts_rank_phases[phase]))
		phase++;
	return phase;
}

static bool is_letter(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_word(struct ts_span name, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= name.len; i++)
		if (memcmp(name.data + i, word, n) == 0 && (i == 0 || !is_letter(name.data[i - 1])) &&
		    (i + n == name.len || !is_letter(name.data[i + n])))
			return true;
	return false;
}

static bool matches(struct ts_span name, const char *text, enum match match)
{
	return match == WITHIN ? ts_span_contains(name, text) : match == WORD ? has_word(name, text) : ts_span_is(name, text);
}

enum ts_phase_kind ts_phase_kind_of(struct ts_span name)
{
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (matches(name, names[i].text, names[i].match))
			return names[i].kind;
	return TS_PHASE_UNKNOWN;
}
