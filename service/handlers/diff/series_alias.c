/* series_alias.c - see series_alias.h. */
#include "service/handlers/diff/series_alias.h"

#include "analysis/diverge/gap.h"
#include "base/limits.h"
#include "base/order.h"
#include "service/handlers/core/train_prefix.h"

#include <stdio.h>
#include <stdlib.h>

/* Two loggers may write one value as a float32 and as a double. */
#define NEARLY 1e-6

static const char scalars[] = "scalars.";
enum { FOUND_MAX = TS_TRAIN_PREFIXES };

struct finding {
	const struct ts_series_list *lists;
	const struct ts_facts *facts;
	int64_t *of[2];
};

struct found {
	size_t items[FOUND_MAX];
	size_t n;
};

TS_ORDER(by_side, struct ts_series_side, TS_THEN(ts_series_side_cmp(a, b)))

static const struct ts_series_side *look_up(const struct ts_series_list *list, const struct ts_series_side *like,
					    struct ts_span name)
{
	struct ts_column column = *like->column;
	struct ts_series_side key = {like->table, &column};

	column.name = name;
	return list->n ? bsearch(&key, list->items, list->n, sizeof *list->items, by_side) : NULL;
}

/* Returns whether the series may be one that the other run has under a second name. */
static bool is_lone(const struct finding *f, size_t side, size_t at)
{
	const struct ts_series_side *item = &f->lists[side].items[at];

	return f->of[side][at] == TS_ALIAS_NONE && item->table->kind == TS_TABLE_STEPS &&
	       item->column->type == TS_COLUMN_F64 &&
	       ts_span_starts(item->column->name, ts_span_str(scalars)) &&
	       ts_role_of(item->column->name, &f->facts[side]) == TS_ROLE_TRAJECTORY &&
	       !look_up(&f->lists[1 - side], item, item->column->name);
}

/* Cuts "scalars.", and the prefix that the name has; *ret_prefix is 0 where it has none. */
static struct ts_span base_of(struct ts_span name, size_t *ret_prefix)
{
	(void)ts_span_skip(&name, scalars);
	for (size_t i = 1; i < TS_TRAIN_PREFIXES; i++) {
		struct ts_span rest = name;

		if (!ts_span_skip(&rest, ts_train_prefixes[i]) || rest.len == 0)
			continue;
		*ret_prefix = i;
		return rest;
	}
	*ret_prefix = 0;
	return name;
}

static void add_found(const struct finding *f, size_t side, const struct ts_series_side *like, size_t prefix,
		      struct ts_span base, struct found *io)
{
	char name[TS_PATH_MAX + 1];
	int n = snprintf(name, sizeof name, "%s%s%.*s", scalars, ts_train_prefixes[prefix], TS_SPAN_ARG(base));
	const struct ts_series_side *item;

	if (n < 0 || (size_t)n >= sizeof name)
		return;
	item = look_up(&f->lists[side], like, ts_span_of(name, (size_t)n));
	if (item && is_lone(f, side, (size_t)(item - f->lists[side].items)))
		io->items[io->n++] = (size_t)(item - f->lists[side].items);
}

/* Whether a series may have one prefix in one run and the other in the other run. */
static bool may_change(size_t from, size_t to)
{
	return from != to && !(from == TS_TRAIN_BATCH && to == TS_TRAIN_EPOCH) && !(from == TS_TRAIN_EPOCH && to == TS_TRAIN_BATCH);
}

/* Finds what the other run has in place of a series: first the name with a prefix more or less, then with another prefix. */
static struct found alike(const struct finding *f, size_t side, size_t at, bool direct)
{
	const struct ts_series_side *item = &f->lists[side].items[at];
	struct found out = {.n = 0};
	struct ts_span whole = item->column->name, base;
	size_t own;

	base = base_of(whole, &own);
	(void)ts_span_skip(&whole, scalars);
	if (direct && own)
		add_found(f, 1 - side, item, 0, base, &out);
	for (size_t i = 1; i < TS_TRAIN_PREFIXES && out.n < FOUND_MAX; i++)
		if (direct)
			add_found(f, 1 - side, item, i, whole, &out);
		else if (own && may_change(own, i))
			add_found(f, 1 - side, item, i, base, &out);
	return out;
}

static enum ts_status agrees(struct ts_series_walk *walk, const struct ts_series_side *a, const struct ts_series_side *b,
			     struct ts_arena *arena, bool *ret, struct ts_error *err)
{
	struct ts_series_row row = {.type = TS_COLUMN_F64};

	if (ts_series_compare(walk, *a, *b, arena, &row, err))
		return err->status;
	*ret = row.common > 0 || (row.state == TS_SERIES_PARTS && ts_gap_ratio(row.a.real, row.b.real) <= NEARLY);
	return TS_OK;
}

/* Finds the one that is like a series; of several it is the only one whose first common value agrees. ret->n is 1 if there is
 * one. */
static enum ts_status match(struct ts_series_walk *walk, const struct finding *f, size_t side, size_t at, bool direct,
			    struct ts_arena *arena, struct found *ret, struct ts_error *err)
{
	struct found all = alike(f, side, at, direct), kept = {.n = 0};

	for (size_t i = 0; all.n > 1 && i < all.n; i++) {
		bool equal = false;

		if (agrees(walk, &f->lists[side].items[at], &f->lists[1 - side].items[all.items[i]], arena, &equal, err))
			return err->status;
		if (equal)
			kept.items[kept.n++] = all.items[i];
	}
	*ret = all.n > 1 ? kept : all;
	return TS_OK;
}

static enum ts_status pair_all(struct ts_series_walk *walk, struct finding *f, bool direct, struct ts_arena *arena,
			       struct ts_error *err)
{
	for (size_t i = 0; i < f->lists[0].n; i++) {
		struct found a, b;

		if (!is_lone(f, 0, i))
			continue;
		if (match(walk, f, 0, i, direct, arena, &b, err))
			return err->status;
		if (b.n != 1)
			continue;
		/* They are a pair only if the other run's series leads back to this one. */
		if (match(walk, f, 1, b.items[0], direct, arena, &a, err))
			return err->status;
		if (a.n != 1 || a.items[0] != i)
			continue;
		f->of[0][i] = (int64_t)b.items[0];
		f->of[1][b.items[0]] = (int64_t)i;
	}
	return TS_OK;
}

/* Pairs a series whose own name, which the reader of its log gave another one, is that of a series of the other run. */
static enum ts_status pair_sources(struct finding *f, size_t side, struct ts_error *err)
{
	struct ts_buf name = TS_BUF_INIT(2 * TS_PATH_MAX);

	for (size_t i = 0; i < f->lists[side].n; i++) {
		const struct ts_series_side *item = &f->lists[side].items[i], *other;
		const struct ts_fact *source = ts_column_fact(&f->facts[side], item->column->name, "source");
		size_t at;

		if (!source || source->type != TS_FACT_TEXT || !is_lone(f, side, i))
			continue;
		ts_buf_reset(&name);
		ts_path_key(&name, ts_span_str("scalars"));
		ts_path_key(&name, source->text);
		if (ts_buf_check(&name, err)) {
			ts_buf_finish(&name);
			return err->status;
		}
		other = look_up(&f->lists[1 - side], item, ts_buf_view(&name));
		at = other ? (size_t)(other - f->lists[1 - side].items) : 0;
		if (!other || !is_lone(f, 1 - side, at))
			continue;
		f->of[side][i] = (int64_t)at;
		f->of[1 - side][at] = (int64_t)i;
	}
	ts_buf_finish(&name);
	return TS_OK;
}

enum ts_status ts_aliases_find(struct ts_series_walk *walk, const struct ts_series_list lists[2],
			       const struct ts_facts facts[2], struct ts_arena *arena, struct ts_aliases *ret,
			       struct ts_error *err)
{
	struct finding f = {.lists = lists, .facts = facts};

	for (size_t side = 0; side < 2; side++) {
		f.of[side] = ts_arena_array(arena, lists[side].n, sizeof *f.of[side]);
		if (!f.of[side])
			return ts_arena_error(arena, err);
		for (size_t i = 0; i < lists[side].n; i++)
			f.of[side][i] = TS_ALIAS_NONE;
	}
	if (pair_sources(&f, 0, err) || pair_sources(&f, 1, err))
		return err->status;
	if (pair_all(walk, &f, true, arena, err) || pair_all(walk, &f, false, arena, err))
		return err->status;
	*ret = (struct ts_aliases){f.of[0], f.of[1]};
	return TS_OK;
}
