/* our_verdict.c - what tscope says where TraceML gives its verdict, and why. */
#include "cli/traceml/diff_traceml.h"

#include "analysis/answer/say.h"

bool ts_traceml_is_comparable(const struct ts_traceml_comparison *said)
{
	for (size_t i = 0; i < said->n_missed; i++)
		if (strcmp(said->missed[i].code, "other_job") == 0)
			return false;
	return true;
}

const char *ts_traceml_our_word(const struct ts_traceml_comparison *said)
{
	return ts_traceml_is_comparable(said) ? "undecided" : "not_comparable";
}

const char *ts_traceml_our_sentence(const struct ts_traceml_comparison *said, struct ts_arena *arena)
{
	const char *text, *between = "";

	if (!ts_traceml_is_comparable(said))
		return "the two summaries come from different jobs";
	text = ts_arena_printf(arena,
			       "one run on each side does not show how much runs vary, so no fixed limit can tell a "
			       "change from noise; "
			       "to find a slowdown of %s in 95 of 100 cases, a gate needs",
			       ts_say_percent(said->size).text);
	for (size_t i = 0; i < TS_TRACEML_NOISES && text; i++) {
		const struct ts_traceml_baselines *b = &said->baselines[i];

		if (i + 1 < TS_TRACEML_NOISES && b->n && b->n == b[1].n)
			continue;
		if (b->n == 0)
			return ts_arena_printf(arena, "%s%s pairs of runs in turn where runs vary by %s or more", text,
					       between, ts_say_percent(b->noise).text);
		text = ts_arena_printf(arena, "%s%s %u baselines where runs vary by up to %s", text, between, b->n,
				       ts_say_percent(b->noise).text);
		between = ",";
	}
	return text;
}
