#include "ingest/text/text_ranks.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/text.h"

#include <string.h>

enum { FALLS_LEAST = 3, ROUNDS_LEAST = 4, PIECES_FIRST = 4096 };

/* --- who printed a line --- */

static size_t find(struct ts_text_ranks *r, int32_t outer, int32_t inner)
{
	size_t i = r->last + 1 < r->n ? r->last + 1 : 0; /* the next in turn, as a rule */

	for (size_t k = 0; k < r->n; k++, i = i + 1 < r->n ? i + 1 : 0)
		if (r->items[i].inner == inner && r->items[i].outer == outer)
			return i;
	if (r->n == TS_TEXT_RANKS) {
		r->full = true;
		return TS_TEXT_NOBODY;
	}
	r->items[r->n] = (struct ts_text_printer){.outer = outer, .inner = inner};
	return r->n++;
}

static bool is_place(struct ts_span word)
{
	static const char *const words[] = {"worker", "trainer", "gpu", "cuda", "device", "process", "proc", "replica", "node"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_is(word, words[i]))
			return true;
	return false;
}

static void see_naming(struct ts_text_ranks *r, const struct ts_text_line *line)
{
	if (!r->any || line->naming < r->naming)
		r->naming = line->naming;
	if (line->naming != TS_TEXT_BY_WORD || is_place(line->word) || r->other_word)
		return;
	r->other_word = true;
	if (line->word.len && line->word.len < sizeof r->word)
		memcpy(r->word, line->word.data, line->word.len);
}

static void see_order(struct ts_text_ranks *r, size_t item, const int64_t *step)
{
	if (r->any && item != r->last) {
		r->changes++;
		r->falls += r->items[item].inner < r->items[r->last].inner;
		r->known += step && r->any_step;
		r->kept += step && r->any_step && *step <= r->highest;
	}
	if (step && (!r->any_step || *step > r->highest))
		r->highest = *step;
	r->any_step |= step != NULL;
	r->any = true;
	r->last = item;
}

/* Nothing is kept of the pieces before the first that names a rank. */
static enum ts_status keep(struct ts_text_ranks *r, size_t item, struct ts_error *err)
{
	if (!r->n) {
		r->before++;
		return TS_OK;
	}
	if (r->n_pieces == TS_TEXT_PIECES_MAX) {
		r->full = true;
		return TS_OK;
	}
	if (!TS_GROW(r->whose, r->cap, r->n_pieces + 1, PIECES_FIRST))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the ranks of lines");
	r->whose[r->n_pieces++] = (uint16_t)item;
	return TS_OK;
}

enum ts_status ts_text_ranks_add(struct ts_text_ranks *r, const struct ts_text_line *line, enum ts_text_what what, const int64_t *step,
				 struct ts_error *err)
{
	size_t item = TS_TEXT_NOBODY;

	if (line->rank != TS_TEXT_NO_RANK)
		item = find(r, line->outer, line->rank);
	if (what == TS_TEXT_STEP && item == TS_TEXT_NOBODY)
		r->unnamed++;
	if (what == TS_TEXT_STEP && item != TS_TEXT_NOBODY) {
		see_naming(r, line);
		see_order(r, item, step);
		r->items[item].lines++;
	}
	return keep(r, what == TS_TEXT_SHARED ? TS_TEXT_ANYBODY : item, err);
}

/* --- the verdict --- */

/* Whether an inner rank prints below several outer ones, so that the outer one is a node. */
static bool has_nodes(const struct ts_text_ranks *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; r->items[i].lines && k < i; k++)
			if (r->items[k].lines && r->items[k].inner == r->items[i].inner && r->items[k].outer != r->items[i].outer)
				return true;
	return false;
}

static bool number_ranks(struct ts_text_ranks *r)
{
	int64_t most = 0;

	if (has_nodes(r))
		for (size_t i = 0; i < r->n; i++)
			most = r->items[i].lines && r->items[i].inner >= most ? r->items[i].inner + 1 : most;
	for (size_t i = 0; i < r->n; i++) {
		struct ts_text_printer *p = &r->items[i];
		int64_t rank = (p->outer > 0 ? p->outer : 0) * most + p->inner;

		if (rank > INT32_MAX)
			return false;
		p->rank = (int32_t)rank;
	}
	return true;
}

/* Puts those that print steps into the order of their ranks. Returns false if two have the same. */
static bool put_in_order(struct ts_text_ranks *r)
{
	r->n_order = 0;
	for (size_t i = 0; i < r->n; i++) {
		size_t at = r->n_order;

		if (!r->items[i].lines)
			continue;
		for (; at > 0 && r->items[r->order[at - 1]].rank > r->items[i].rank; at--)
			r->order[at] = r->order[at - 1];
		r->order[at] = (uint16_t)i;
		r->n_order++;
	}
	for (size_t i = 1; i < r->n_order; i++)
		if (r->items[r->order[i]].rank == r->items[r->order[i - 1]].rank)
			return false;
	return true;
}

static uint64_t most_lines(const struct ts_text_ranks *r)
{
	uint64_t most = 0;

	for (size_t i = 0; i < r->n; i++)
		most = r->items[i].lines > most ? r->items[i].lines : most;
	return most;
}

static uint64_t named_lines(const struct ts_text_ranks *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->items[i].lines;
	return n;
}

static void take_lowest(struct ts_text_ranks *r)
{
	const struct ts_text_printer *first = r->n_order ? &r->items[r->order[0]] : NULL;
	bool unnamed = !first || 2 * r->unnamed >= most_lines(r);

	r->lowest = unnamed ? TS_TEXT_NO_RANK : first->inner;
	r->lowest_outer = unnamed ? TS_TEXT_NO_RANK : first->outer;
}

/* Whether the numbers before the lines, which are not sure to be ranks, count: as steps rise with them, or they alone rise. */
static bool counts(const struct ts_text_ranks *r)
{
	if (r->naming == TS_TEXT_BY_RANK)
		return false;
	if (2 * r->known >= r->changes)
		return 2 * r->kept < r->known;
	return r->falls < FALLS_LEAST || named_lines(r) < ROUNDS_LEAST * r->n_order;
}

enum ts_text_who ts_text_ranks_verdict(struct ts_text_ranks *r)
{
	bool numbered = number_ranks(r), ordered = put_in_order(r);

	take_lowest(r);
	if (!r->n_order)
		return TS_TEXT_ONE;
	if (r->lowest == TS_TEXT_NO_RANK || r->n_order == 1)
		return r->naming == TS_TEXT_BY_TEXT ? TS_TEXT_ONE : TS_TEXT_LOWEST;
	if (counts(r))
		return TS_TEXT_ONE;
	return !numbered || !ordered || r->full || r->other_word ? TS_TEXT_LOWEST : TS_TEXT_MANY;
}

size_t ts_text_ranks_at(const struct ts_text_ranks *r, size_t piece)
{
	return piece >= r->before && piece - r->before < r->n_pieces ? r->whose[piece - r->before] : TS_TEXT_NOBODY;
}

void ts_text_ranks_reset(struct ts_text_ranks *r)
{
	uint16_t *whose = r->whose;
	size_t cap = r->cap;

	*r = (struct ts_text_ranks){.whose = whose, .cap = cap, .lowest = TS_TEXT_NO_RANK, .lowest_outer = TS_TEXT_NO_RANK};
}

void ts_text_ranks_finish(struct ts_text_ranks *r)
{
	ts_free(r->whose);
	r->whose = NULL;
}
