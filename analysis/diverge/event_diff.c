#include "analysis/diverge/event_diff.h"

#include "base/grow.h"
#include "base/order.h"
#include "base/text.h"
#include "base/words.h"

enum { TEXT_SHOWN = 512 };

TS_WORDS(ts_event_change_word, enum ts_event_change, "unknown", [TS_EVENT_ONLY_A] = "only_a", [TS_EVENT_ONLY_B] = "only_b",
	 [TS_EVENT_VALUE] = "value", [TS_EVENT_ORDER] = "order")

TS_WORDS(ts_event_where_word, enum ts_event_where, "unknown", [TS_EVENT_IN] = "in", [TS_EVENT_BEHIND] = "behind",
	 [TS_EVENT_BEFORE_ALL] = "before_all", [TS_EVENT_NOWHERE] = "nowhere")

/* --- the order of places --- */

static int place_class(enum ts_event_where where)
{
	return where == TS_EVENT_BEFORE_ALL ? 0 : where == TS_EVENT_NOWHERE ? 2 : 1;
}

static int place_cmp(enum ts_event_where x, int64_t x_step, enum ts_event_where y, int64_t y_step)
{
	if (place_class(x) != place_class(y))
		return place_class(x) - place_class(y);
	if (place_class(x) != 1)
		return 0;
	if (x_step != y_step)
		return x_step < y_step ? -1 : 1;
	return (x == TS_EVENT_BEHIND) - (y == TS_EVENT_BEHIND);
}

static int place_and_kind_cmp(const struct ts_timed_event *a, const struct ts_timed_event *b)
{
	int c = place_cmp(a->where, a->step, b->where, b->step);

	return c ? c : a->region - b->region;
}

static int identity_cmp(const struct ts_timed_event *a, const struct ts_timed_event *b)
{
	int c = place_and_kind_cmp(a, b);

	return c ? c : ts_span_cmp(a->name, b->name);
}

TS_ORDER(by_identity, struct ts_timed_event, TS_THEN(identity_cmp(a, b)); TS_UP(ordinal))

/* --- one rank --- */

struct pair {
	const struct ts_timed_event *a, *b;
};

struct comparing {
	struct ts_event_diff *diff;
	int64_t last_a, last_b;
	struct ts_event_row row; /* the first difference, if `differs` */
	bool differs;
	uint64_t row_ordinal;
	const struct ts_timed_event *last; /* of the identity that was met last */
	uint64_t occurrence;
	struct pair *pairs; /* of the current place */
	size_t n_pairs;
};

static struct ts_event_side side_of(const struct ts_timed_event *e)
{
	return e ? (struct ts_event_side){e->has_value, e->value, e->text} : (struct ts_event_side){.has_value = false};
}

/* Keeps the difference if it comes before the one that is kept. */
static void differ(struct comparing *c, enum ts_event_change change, const struct ts_timed_event *a, const struct ts_timed_event *b,
		   uint64_t occurrence)
{
	const struct ts_timed_event *e = a ? a : b;
	int order = c->differs ? place_cmp(e->where, e->step, c->row.where, c->row.step) : -1;

	if (order > 0 || (order == 0 && e->ordinal >= c->row_ordinal))
		return;
	c->differs = true;
	c->row_ordinal = e->ordinal;
	c->row = (struct ts_event_row){.rank = c->row.rank,
				       .change = change,
				       .where = e->where,
				       .step = e->step,
				       .region = e->region,
				       .name = e->name,
				       .occurrence = occurrence,
				       .a = side_of(a),
				       .b = side_of(b)};
}

/* A checkpoint's text is its path, which names the run that it is of. */
static bool text_counts(const struct ts_timed_event *e)
{
	return !ts_span_is(e->name, "checkpoint") && !ts_span_is(e->name, "resumed");
}

static bool same_value(const struct ts_timed_event *a, const struct ts_timed_event *b)
{
	if (a->has_value != b->has_value || (text_counts(a) && !ts_span_eq(a->text, b->text)))
		return false;
	return !a->has_value || memcmp(&a->value, &b->value, sizeof a->value) == 0 || (a->value != a->value && b->value != b->value);
}

/* How many of this identity came before e, which is the next one in order. */
static uint64_t occurrence_of(struct comparing *c, const struct ts_timed_event *e)
{
	c->occurrence = c->last && identity_cmp(c->last, e) == 0 ? c->occurrence + 1 : 0;
	c->last = e;
	return c->occurrence;
}

TS_ORDER(by_ordinal_in_a, struct pair, TS_UP(a->ordinal))

/* Looks at the order of the common events of a place. */
static void end_place(struct comparing *c)
{
	bool found = false;

	TS_SORT(c->pairs, c->n_pairs, by_ordinal_in_a);
	for (size_t i = 1; i < c->n_pairs && !found; i++) {
		const struct pair *p = &c->pairs[i - 1], *q = &c->pairs[i];

		found = p->a->lane == q->a->lane && p->b->lane == q->b->lane && q->b->ordinal < p->b->ordinal;
		if (found)
			differ(c, TS_EVENT_ORDER, q->a, q->b, 0);
	}
	c->diff->reordered += found;
	c->n_pairs = 0;
}

static bool is_beyond(const struct ts_timed_event *e, int64_t last)
{
	return e && last != INT64_MIN && (e->where == TS_EVENT_IN || e->where == TS_EVENT_BEHIND) && e->step > last;
}

static void meet(struct comparing *c, const struct ts_timed_event *a, const struct ts_timed_event *b)
{
	uint64_t occurrence = occurrence_of(c, a ? a : b);

	if (c->n_pairs && place_and_kind_cmp(c->pairs[0].a, a ? a : b) != 0)
		end_place(c);
	if (!(a && b) && (is_beyond(a, c->last_b) || is_beyond(b, c->last_a))) {
		c->diff->beyond_a += a != NULL;
		c->diff->beyond_b += b != NULL;
		return;
	}
	if (!a || !b) {
		c->diff->only_a += a != NULL;
		c->diff->only_b += b != NULL;
		differ(c, a ? TS_EVENT_ONLY_A : TS_EVENT_ONLY_B, a, b, occurrence);
		return;
	}
	c->diff->compared++;
	c->pairs[c->n_pairs++] = (struct pair){a, b};
	if (same_value(a, b))
		return;
	c->diff->values++;
	differ(c, TS_EVENT_VALUE, a, b, occurrence);
}

static void merge(struct comparing *c, const struct ts_timed_events *a, const struct ts_timed_events *b)
{
	size_t i = 0, k = 0;

	while (i < a->n || k < b->n) {
		const struct ts_timed_event *x = i < a->n ? &a->items[i] : NULL, *y = k < b->n ? &b->items[k] : NULL;
		int order = !x ? 1 : !y ? -1 : identity_cmp(x, y);

		meet(c, order <= 0 ? x : NULL, order >= 0 ? y : NULL);
		i += order <= 0;
		k += order >= 0;
	}
	end_place(c);
}

/* --- the rows --- */

static bool keep_text(struct ts_span *text, struct ts_arena *arena)
{
	*text = ts_arena_span(arena, ts_utf8_cut(*text, TEXT_SHOWN));
	return text->data != NULL;
}

static int by_place(const struct ts_event_row *a, const struct ts_event_row *b)
{
	int c = place_cmp(a->where, a->step, b->where, b->step);

	return c ? c : (a->rank > b->rank) - (a->rank < b->rank);
}

static enum ts_status keep_row(struct ts_event_diff *diff, struct ts_event_row row, struct ts_arena *arena, struct ts_error *err)
{
	size_t at = diff->n;

	if (!TS_GROW_BY_ONE_IN(arena, diff->rows, diff->n, 8) || !keep_text(&row.name, arena) || !keep_text(&row.a.text, arena) ||
	    !keep_text(&row.b.text, arena))
		return ts_arena_error(arena, err);
	for (; at && by_place(&diff->rows[at - 1], &row) > 0; at--)
		diff->rows[at] = diff->rows[at - 1];
	diff->rows[at] = row;
	diff->n++;
	return TS_OK;
}

enum ts_status ts_event_diff_rank(struct ts_event_diff *diff, int32_t rank, struct ts_timed_events *a, struct ts_timed_events *b,
				  struct ts_arena *scratch, struct ts_arena *arena, struct ts_error *err)
{
	struct comparing c = {.diff = diff, .last_a = a->last_step, .last_b = b->last_step, .row.rank = rank};

	diff->all_a += a->n;
	diff->all_b += b->n;
	c.pairs = ts_arena_array(scratch, a->n < b->n ? a->n : b->n, sizeof *c.pairs);
	if (!c.pairs)
		return ts_arena_error(scratch, err);
	TS_SORT(a->items, a->n, by_identity);
	TS_SORT(b->items, b->n, by_identity);
	merge(&c, a, b);
	return c.differs ? keep_row(diff, c.row, arena, err) : TS_OK;
}
