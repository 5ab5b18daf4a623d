#include "analysis/answer/happening.h"

#include "base/grow.h"
#include "base/limits.h"
#include "base/order.h"
#include "base/text.h"
#include "base/words.h"
#include "run/ending.h"

#include <math.h>

enum { FIRST = 32, GRAVE_KEPT = 5, SIGNALS = 32 };

/* Texts of ranks are kept whole up to so many bytes of all, and shorter beyond; those of the answer, which must fit a message, too. A
 * recorder cuts a text at 4,096 bytes, so that twenty are whole in any case. */
enum { GATHERED_WHOLE = 64 << 20, GATHERED_CUT = 512, ANSWERED_WHOLE = 256 << 10, ANSWERED_CUT = 4096 };

TS_WORDS(ts_happening_word, enum ts_happening_kind, "", [TS_HAPPENING_OUT_OF_MEMORY] = "out_of_memory",
	 [TS_HAPPENING_EXCEPTION] = "exception", [TS_HAPPENING_SIGNAL] = "signal", [TS_HAPPENING_RESTART] = "restart",
	 [TS_HAPPENING_RESUMED] = "resumed", [TS_HAPPENING_CHECKPOINT] = "checkpoint", [TS_HAPPENING_OTHER] = "other")

enum ts_happening_kind ts_happening_kind_of(struct ts_span name, struct ts_span text)
{
	const char *signal;

	if (ts_span_is(name, "out of memory"))
		return TS_HAPPENING_OUT_OF_MEMORY;
	if (ts_span_is(name, "exception"))
		return ts_end_cause_of(text, ts_span_of(NULL, 0)) == TS_END_SIGNAL ? TS_HAPPENING_SIGNAL : TS_HAPPENING_EXCEPTION;
	if (ts_span_is(name, "checkpoint"))
		return TS_HAPPENING_CHECKPOINT;
	if (ts_span_is(name, "resumed"))
		return TS_HAPPENING_RESUMED;
	for (int i = 1; i < SIGNALS; i++) {
		signal = ts_signal_name(i);
		if (signal && ts_span_is(name, signal))
			return TS_HAPPENING_SIGNAL;
	}
	return ts_span_is(name, "signal") ? TS_HAPPENING_SIGNAL : TS_HAPPENING_OTHER;
}

/* --- orders --- */

static bool is_grave(const struct ts_happening *e)
{
	return e->kind <= TS_HAPPENING_SIGNAL;
}

/* The newest first; without a time last. */
TS_ORDER(by_age, struct ts_happening, TS_DOWN(has_time); if (a->has_time) TS_DOWN(time_s); TS_DOWN(has_step);
	 if (a->has_step) TS_DOWN(step); TS_TEXT(text))

TS_ORDER(by_name, struct ts_happening, TS_TEXT(name); TS_THEN(by_age(a, b)))

/* What is to be kept, first. */
TS_ORDER(by_weight, struct ts_happening, TS_BY(is_grave(b) && b->nth < GRAVE_KEPT, is_grave(a) && a->nth < GRAVE_KEPT);
	 TS_UP(nth); TS_UP(kind); TS_THEN(by_age(a, b)); TS_TEXT(name))

TS_ORDER(as_shown, struct ts_happening, TS_DOWN_OF(is_grave); TS_THEN(by_age(a, b));
	 if (a->n_ranks && b->n_ranks) TS_UP(ranks[0]); TS_TEXT(name))

/* What ranks recorded alike, whenever that was. */
static int as_said(const struct ts_happening *a, const struct ts_happening *b)
{
	int cmp = ts_span_cmp(a->name, b->name);

	if (cmp)
		return cmp;
	if (a->has_step != b->has_step)
		return a->has_step ? -1 : 1;
	if (a->has_step && a->step != b->step)
		return a->step < b->step ? -1 : 1;
	if (a->after != b->after)
		return a->after ? 1 : -1;
	if (a->has_value != b->has_value)
		return a->has_value ? -1 : 1;
	cmp = a->has_value ? memcmp(&a->value, &b->value, sizeof a->value) : 0;
	return cmp ? cmp : ts_span_cmp(a->text, b->text);
}

TS_ORDER(by_rank, struct ts_happening, TS_THEN(as_said(a, b)); TS_UP(nth); TS_UP(ranks[0]))

/* --- what is kept --- */

/* Puts what is to be kept first. */
static void weigh(struct ts_happening *items, size_t n)
{
	if (n == 0)
		return;
	TS_SORT(items, n, by_name);
	for (size_t i = 0; i < n; i++)
		items[i].nth = i > 0 && ts_span_eq(items[i].name, items[i - 1].name) ? items[i - 1].nth + 1 : 0;
	TS_SORT(items, n, by_weight);
}

static enum ts_status room_for(struct ts_happenings *h, size_t more, struct ts_arena *arena, struct ts_error *err)
{
	return TS_GROW_IN(arena, h->items, h->cap, h->n + more, FIRST) ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_happenings_rank(struct ts_happenings *h, int32_t rank, struct ts_happening *items, size_t n, struct ts_arena *arena,
				  struct ts_error *err)
{
	weigh(items, n);
	h->all += n;
	if (n > TS_HAPPENINGS_MAX)
		n = TS_HAPPENINGS_MAX;
	if (room_for(h, n, arena, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		struct ts_happening e = items[i];

		/* What a rank recorded twice stays two rows. */
		e.nth = 0;
		for (size_t k = 0; k < i; k++)
			e.nth += as_said(&items[k], &items[i]) == 0;
		e.name = ts_arena_span(arena, ts_utf8_cut(e.name, TS_PATH_MAX));
		e.text = ts_arena_span(arena, h->bytes < GATHERED_WHOLE ? e.text : ts_utf8_cut(e.text, GATHERED_CUT));
		h->bytes += e.text.len;
		e.ranks = ts_arena_dup(arena, &rank, sizeof rank);
		e.n_ranks = 1;
		e.has_time &= isfinite(e.time_s) != 0;
		if (!e.name.data || !e.text.data || !e.ranks)
			return ts_arena_error(arena, err);
		h->items[h->n++] = e;
	}
	return TS_OK;
}

/* Makes one row of what several ranks recorded alike, at the time of the first. */
static enum ts_status join_ranks(struct ts_happenings *h, struct ts_arena *arena, struct ts_error *err)
{
	size_t n = 0;

	TS_SORT(h->items, h->n, by_rank);
	for (size_t i = 0, end; i < h->n; i = end) {
		struct ts_happening e = h->items[i];

		for (end = i + 1; end < h->n && as_said(&h->items[i], &h->items[end]) == 0 && h->items[end].nth == e.nth;)
			end++;
		e.ranks = ts_arena_array(arena, end - i, sizeof *e.ranks);
		if (!e.ranks)
			return ts_arena_error(arena, err);
		e.n_ranks = end - i;
		for (size_t k = i; k < end; k++) {
			e.ranks[k - i] = h->items[k].ranks[0];
			if (h->items[k].has_time && (!e.has_time || h->items[k].time_s < e.time_s)) {
				e.has_time = true;
				e.time_s = h->items[k].time_s;
			}
		}
		h->items[n++] = e;
	}
	h->n = n;
	return TS_OK;
}

enum ts_status ts_happenings_finish(struct ts_happenings *h, double start_s, struct ts_arena *arena, struct ts_error *err)
{
	if (join_ranks(h, arena, err))
		return err->status;
	weigh(h->items, h->n);
	if (h->n > TS_HAPPENINGS_MAX)
		h->n = TS_HAPPENINGS_MAX;
	TS_SORT(h->items, h->n, as_shown);
	h->more = h->all;
	h->bytes = 0;
	for (size_t i = 0; i < h->n; i++)
		h->bytes += h->items[i].text.len;
	for (size_t i = 0; i < h->n && h->bytes > ANSWERED_WHOLE; i++)
		h->items[i].text = ts_utf8_cut(h->items[i].text, ANSWERED_CUT);
	for (size_t i = 0; i < h->n; i++) {
		struct ts_happening *e = &h->items[i];

		h->more -= e->n_ranks;
		e->has_time &= isfinite(start_s) != 0;
		e->time_s = e->has_time ? e->time_s - start_s : 0;
	}
	return TS_OK;
}
