/* worlds_say.c - the sentences of worlds.h. */
#include "analysis/answer/say.h"
#include "analysis/worlds/worlds.h"

#include <stdio.h>

enum { SENTENCES = 6 };

static const double NAMED = 0.02; /* a loss below this is none that a sentence names */

static const char *ranks(struct ts_arena *a, uint32_t n)
{
	return ts_arena_printf(a, "%u rank%s", n, n == 1 ? "" : "s");
}

static const char *line_word(const struct ts_world *row, int line)
{
	static const char *const words[TS_WORLD_LINES] = {"computation that takes longer for a sample", "communication",
							  "waiting for ranks that come later", "input", "time of other kinds"};

	return line == TS_WORLD_COMPUTE && row->smaller_batch ? "the smaller batch of each rank" : words[line];
}

static int largest(const struct ts_world *row, int but)
{
	int found = -1;

	for (int i = 0; i < TS_WORLD_LINES; i++)
		if (i != but && row->lost[i] >= NAMED && (found < 0 || row->lost[i] > row->lost[found]))
			found = i;
	return found;
}

/* ", and 22 % of its rank-seconds are lost to communication, 8 % to input". */
static const char *why(const struct ts_world *row, struct ts_arena *a)
{
	int first = row->split ? largest(row, -1) : -1, second = first < 0 ? -1 : largest(row, first);
	const char *text;

	if (first < 0)
		return row->split || row->efficiency >= 1 - NAMED ? "" : "; into what the rest goes is not recorded";
	text = ts_arena_printf(a, "; %s of its time is lost to %s", ts_say_percent(row->lost[first]).text, line_word(row, first));
	if (text && second >= 0)
		text = ts_arena_printf(a, "%s, and %s to %s", text, ts_say_percent(row->lost[second]).text, line_word(row, second));
	return text;
}

/* The largest world; of several runs of it the one with the median throughput would say as much, and the first is one of them. */
static const char *answer(const struct ts_worlds *w, struct ts_arena *a)
{
	const struct ts_world *row = &w->rows[w->n - 1];
	const char *many = ranks(a, row->seen.ranks), *few = ranks(a, w->base_ranks), *reason = why(row, a);
	double r = (double)row->seen.ranks / w->base_ranks;

	if (!many || !few || !reason)
		return NULL;
	if (w->kind == TS_WORLDS_NONE)
		return ts_arena_printf(a, "All of these runs have %s: nothing shows how the work scales", many);
	if (row->slower)
		return ts_arena_printf(a, "%s are slower than %u: their throughput is %s of it%s", many, w->base_ranks,
				       ts_say_percent(row->speedup).text, reason);
	return ts_arena_printf(a, "%s are %s times as fast as %u, %s of the %s times that would be ideal%s", many,
			       ts_say_number(row->speedup).text, w->base_ranks, ts_say_percent(row->efficiency).text,
			       ts_say_number(r).text, reason);
}

static const char *kind(const struct ts_worlds *w, struct ts_arena *a)
{
	const struct ts_world *row = &w->rows[0];
	const char *unit = row->seen.tokens ? "tokens" : "samples";

	if (w->kind == TS_WORLDS_STRONG)
		return ts_arena_printf(a, "Strong scaling: the batch of all ranks stays %s %s", ts_say_count(row->batch).text, unit);
	if (w->kind == TS_WORLDS_WEAK)
		return ts_arena_printf(a, "Weak scaling: the batch of each rank stays %s %s",
				       ts_say_count(row->batch / row->seen.ranks).text, unit);
	return w->kind == TS_WORLDS_NONE ? ""
					 : "Neither strong nor weak scaling: neither the batch of all ranks nor that of each stays the "
					   "same, so no law is fitted";
}

static const char *law(const struct ts_worlds *w, struct ts_arena *a)
{
	const struct ts_worlds_fit *f = &w->fit;
	const char *text;

	if (!f->known)
		return "";
	if (f->serial + f->half < 0) /* beyond what the laws can say */
		return "Throughput grows faster than the number of ranks, which no law of scaling explains";
	if (w->kind == TS_WORLDS_STRONG && f->serial - f->half > 1)
		return "More ranks take longer for the same work, which Amdahl's law does not explain";
	text = ts_arena_printf(a, "%s: a share of %s ± %s of the work does not shrink with more ranks",
			       w->kind == TS_WORLDS_STRONG ? "Amdahl's law" : "Gustafson's law", ts_say_percent(f->serial).text,
			       ts_say_percent(f->half).text);
	if (text && f->most > 0)
		text = ts_arena_printf(a, "%s, so no number of ranks is more than %s times as fast", text, ts_say_number(f->most).text);
	return text;
}

/* Worlds within that are slower than the smallest: "2 ranks are slower than 1". */
static const char *slower(const struct ts_worlds *w, struct ts_arena *a)
{
	for (size_t i = 0; i + 1 < w->n; i++)
		if (w->rows[i].slower && w->rows[i].seen.ranks != w->rows[w->n - 1].seen.ranks)
			return ts_arena_printf(a, "Already %u ranks are slower than %u", w->rows[i].seen.ranks, w->base_ranks);
	return "";
}

enum ts_status ts_worlds_say(struct ts_worlds *worlds, struct ts_arena *arena, struct ts_error *err)
{
	const char *(*const say[])(const struct ts_worlds *, struct ts_arena *) = {answer, slower, kind, law};

	worlds->sentences = ts_arena_array(arena, SENTENCES, sizeof *worlds->sentences);
	for (size_t i = 0; worlds->sentences && i < sizeof say / sizeof say[0]; i++) {
		const char *text = say[i](worlds, arena);

		if (!text)
			return ts_arena_error(arena, err);
		if (*text)
			worlds->sentences[worlds->n_sentences++] = ts_span_str(text);
	}
	return ts_arena_check(arena, err);
}
