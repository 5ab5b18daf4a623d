/* Blocks are taken in groups whose ranges overlap; only within a group can two blocks share a step. A group that is one
 * block, or has the same key blocks on both sides, needs no opening; the keys of any other are merged in memory.
 */
#include "service/handlers/core/run_steps.h"

#include "base/door.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/order.h"

#include <stdlib.h>

static bool is_dense(const struct ts_block *block)
{
	return (uint64_t)block->last_key - (uint64_t)block->first_key == (uint64_t)block->rows - 1;
}

TS_ORDER_OF_POINTERS(by_range, struct ts_block, TS_UP(first_key); TS_DOWN(last_key); TS_THEN(ts_id_cmp(&a->keys, &b->keys)))

/* Drops blocks that are inside [the ranges of dense blocks before and after them], joined where they touch. Blocks are sorted. */
static size_t drop_covered(const struct ts_block **blocks, size_t n, struct ts_step_range *dense)
{
	size_t n_dense = 0, kept = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		const struct ts_block *b = blocks[i];

		if (!is_dense(b))
			continue;
		/* The block touches the range: its first step is at most one after the last step of the range. */
		if (n_dense && (b->first_key <= dense[n_dense - 1].last ||
				(uint64_t)b->first_key - (uint64_t)dense[n_dense - 1].last == 1)) {
			if (b->last_key > dense[n_dense - 1].last)
				dense[n_dense - 1].last = b->last_key;
		} else {
			dense[n_dense++] = (struct ts_step_range){b->first_key, b->last_key};
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct ts_block *b = blocks[i];

		while (at < n_dense && dense[at].last < b->first_key)
			at++;
		if (!is_dense(b) && at < n_dense && dense[at].first <= b->first_key && b->last_key <= dense[at].last)
			continue;
		/* A dense block can be inside another dense block: they are sorted by first key, longest first. */
		if (kept && is_dense(b) && is_dense(blocks[kept - 1]) && b->last_key <= blocks[kept - 1]->last_key)
			continue;
		blocks[kept++] = b;
	}
	return kept;
}

enum ts_status ts_steps_of(const struct ts_index *index, bool (*want)(const struct ts_table *table),
			   struct ts_arena *arena, struct ts_step_set *ret_set, struct ts_error *err)
{
	struct ts_step_set set = {.n = 0};
	struct ts_step_range *dense;
	size_t n = 0;

	TS_DOOR(ts_index_holds(index));
	for (size_t t = 0; t < index->n_tables; t++)
		if (index->tables[t].kind == TS_TABLE_STEPS)
			n += index->tables[t].n_blocks;
	set.blocks = ts_arena_array(arena, n, sizeof(const struct ts_block *));
	dense = ts_arena_array(arena, n, sizeof *dense);
	if (!set.blocks || !dense)
		return ts_arena_error(arena, err);
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		if (table->kind != TS_TABLE_STEPS || (want && !want(table)))
			continue;
		for (size_t i = 0; i < table->n_blocks; i++)
			set.blocks[set.n++] = &table->blocks[i];
	}
	TS_SORT(set.blocks, set.n, by_range);
	set.n = drop_covered(set.blocks, set.n, dense);
	for (size_t i = 0; i < set.n; i++) {
		set.first = i == 0 || set.blocks[i]->first_key < set.first ? set.blocks[i]->first_key : set.first;
		set.last = i == 0 || set.blocks[i]->last_key > set.last ? set.blocks[i]->last_key : set.last;
	}
	*ret_set = set;
	return TS_OK;
}

/* Returns the end of the group of overlapping blocks that begins at from. */
static size_t group_end(const struct ts_step_set *set, size_t from)
{
	int64_t last = set->blocks[from]->last_key;
	size_t at = from + 1;

	for (; at < set->n && set->blocks[at]->first_key <= last; at++)
		if (set->blocks[at]->last_key > last)
			last = set->blocks[at]->last_key;
	return at;
}

static size_t rows_of(const struct ts_step_set *set, size_t from, size_t upto)
{
	size_t n = 0;

	for (size_t i = from; i < upto; i++)
		n += set->blocks[i]->rows;
	return n;
}

static size_t run_end(const int64_t *x, size_t n, size_t at)
{
	while (at + 1 < n && x[at] <= x[at + 1])
		at++;
	return at < n ? at + 1 : n;
}

static void merge(const int64_t *x, size_t mid, size_t n, int64_t *out)
{
	size_t a = 0, b = mid;

	for (size_t i = 0; i < n; i++)
		out[i] = b == n || (a < mid && x[a] <= x[b]) ? x[a++] : x[b++];
}

/* A natural merge sort: the keys of a block are in order, so the number of passes is log2 of the number of blocks.
 * Returns where the sorted keys are, in x or in other. */
static int64_t *sort_runs(int64_t *x, int64_t *other, size_t n)
{
	while (run_end(x, n, 0) < n) {
		int64_t *swap = x;

		for (size_t at = 0; at < n;) {
			size_t mid = run_end(x, n, at), end = mid < n ? run_end(x, n, mid) : n;

			merge(x + at, mid - at, end - at, other + at);
			at = end;
		}
		x = other;
		other = swap;
	}
	return x;
}

static size_t without_repeats(int64_t *x, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kept == 0 || x[kept - 1] != x[i])
			x[kept++] = x[i];
	return kept;
}

static enum ts_status read_steps(struct ts_fetch *f, const struct ts_block *block, int64_t *out, struct ts_error *err)
{
	if (!is_dense(block))
		return ts_fetch_block_keys(f, block, out, err);
	for (uint32_t i = 0; i < block->rows; i++)
		out[i] = block->first_key + (int64_t)i;
	return TS_OK;
}

/* Lists the distinct steps of a group, ascending. */
static enum ts_status group_steps(struct ts_fetch *f, const struct ts_step_set *set, size_t from, size_t upto,
				  struct ts_arena *work, int64_t **ret_steps, size_t *ret_n, struct ts_error *err)
{
	size_t n = rows_of(set, from, upto), at = 0;
	int64_t *x = ts_arena_array(work, n, sizeof *x);
	int64_t *other = upto - from > 1 ? ts_arena_array(work, n, sizeof *x) : x;

	if (!x || !other)
		return ts_arena_error(work, err);
	for (size_t i = from; i < upto; at += set->blocks[i++]->rows)
		if (read_steps(f, set->blocks[i], x + at, err))
			return err->status;
	*ret_steps = sort_runs(x, other, n);
	*ret_n = without_repeats(*ret_steps, n);
	return TS_OK;
}

enum ts_status ts_steps_count(struct ts_fetch *f, const struct ts_step_set *set, uint64_t *ret_n, struct ts_error *err)
{
	struct ts_arena work;
	enum ts_status status = TS_OK;
	uint64_t total = 0;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	for (size_t from = 0, upto; !status && from < set->n; from = upto) {
		int64_t *steps;
		size_t n = set->blocks[from]->rows;

		upto = group_end(set, from);
		if (upto - from > 1) {
			ts_arena_reset(&work);
			status = group_steps(f, set, from, upto, &work, &steps, &n, err);
		}
		total += n;
	}
	ts_arena_finish(&work);
	if (!status)
		*ret_n = total;
	return status;
}

enum ts_status ts_steps_fetch(struct ts_fetch *f, const struct ts_step_set *set, struct ts_arena *arena,
			      int64_t **ret_steps, size_t *ret_n, struct ts_error *err)
{
	size_t rows = rows_of(set, 0, set->n);
	int64_t *out = rows <= SIZE_MAX / sizeof *out ? ts_arena_alloc(arena, rows * sizeof *out) : NULL;
	struct ts_arena work;
	enum ts_status status = out ? TS_OK : ts_arena_error(arena, err);
	size_t total = 0;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	for (size_t from = 0, upto; !status && from < set->n; from = upto) {
		int64_t *steps = NULL;
		size_t n = 0;

		upto = group_end(set, from);
		ts_arena_reset(&work);
		status = group_steps(f, set, from, upto, &work, &steps, &n, err);
		if (!status) {
			memcpy(out + total, steps, n * sizeof *steps);
			total += n;
		}
	}
	ts_arena_finish(&work);
	if (status)
		return status;
	*ret_steps = out;
	*ret_n = total;
	return TS_OK;
}

static void count_steps(struct ts_step_ranges *ranges, int64_t first, int64_t last)
{
	if (ranges->steps == 0)
		ranges->first = first;
	ranges->last = last;
	ranges->steps += (uint64_t)last - (uint64_t)first + 1;
}

static bool range_add(struct ts_step_ranges *ranges, int64_t first, int64_t last, struct ts_arena *arena)
{
	if (ranges->counting) {
		count_steps(ranges, first, last);
		return true;
	}
	if (ranges->n && (uint64_t)first - (uint64_t)ranges->items[ranges->n - 1].last == 1) {
		ranges->items[ranges->n - 1].last = last;
		return true;
	}
	if (!TS_GROW_IN(arena, ranges->items, ranges->cap, ranges->n + 1, 16))
		return false;
	ranges->items[ranges->n++] = (struct ts_step_range){first, last};
	return true;
}

static bool split(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b, struct ts_arena *arena,
		  struct ts_step_ranges *only_a, struct ts_step_ranges *only_b)
{
	size_t i = 0, j = 0;
	bool ok = true;

	while (ok && (i < n_a || j < n_b)) {
		if (i < n_a && j < n_b && a[i] == b[j]) {
			i++;
			j++;
		} else if (j == n_b || (i < n_a && a[i] < b[j])) {
			ok = range_add(only_a, a[i], a[i], arena);
			i++;
		} else {
			ok = range_add(only_b, b[j], b[j], arena);
			j++;
		}
	}
	return ok;
}

static bool same_blocks(const struct ts_step_set *a, size_t from_a, size_t upto_a, const struct ts_step_set *b,
			size_t from_b, size_t upto_b)
{
	if (upto_a - from_a != upto_b - from_b)
		return false;
	for (size_t i = 0; i < upto_a - from_a; i++)
		if (!ts_id_eq(&a->blocks[from_a + i]->keys, &b->blocks[from_b + i]->keys))
			return false;
	return true;
}

bool ts_steps_same(const struct ts_step_set *a, const struct ts_step_set *b)
{
	return same_blocks(a, 0, a->n, b, 0, b->n);
}

/* Takes blocks of both sides as long as they overlap those that were taken. */
static void joint_group(const struct ts_step_set *a, const struct ts_step_set *b, size_t *at_a, size_t *at_b)
{
	size_t i = *at_a, j = *at_b;
	bool b_first = i == a->n || (j < b->n && b->blocks[j]->first_key < a->blocks[i]->first_key);
	int64_t last = b_first ? b->blocks[j]->first_key : a->blocks[i]->first_key;

	for (bool more = true; more;) {
		more = false;
		for (; i < a->n && a->blocks[i]->first_key <= last; i++, more = true)
			last = a->blocks[i]->last_key > last ? a->blocks[i]->last_key : last;
		for (; j < b->n && b->blocks[j]->first_key <= last; j++, more = true)
			last = b->blocks[j]->last_key > last ? b->blocks[j]->last_key : last;
	}
	*at_a = i;
	*at_b = j;
}

/* Returns a dense block that overlaps no block of the other side. */
static const struct ts_block *lone(const struct ts_step_set *set, size_t from, size_t upto, size_t others)
{
	return upto - from == 1 && others == 0 && is_dense(set->blocks[from]) ? set->blocks[from] : NULL;
}

enum ts_status ts_steps_compare(struct ts_fetch *f, const struct ts_step_set *a, const struct ts_step_set *b,
				struct ts_arena *arena, struct ts_step_ranges *only_a, struct ts_step_ranges *only_b,
				struct ts_error *err)
{
	size_t from_a = 0, from_b = 0, upto_a = 0, upto_b = 0;
	enum ts_status status = TS_OK;
	struct ts_arena work;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	for (; !status && (from_a < a->n || from_b < b->n); from_a = upto_a, from_b = upto_b) {
		const struct ts_block *lone_a, *lone_b;
		int64_t *x = NULL, *y = NULL;
		size_t n_x = 0, n_y = 0;
		bool ok = true;

		joint_group(a, b, &upto_a, &upto_b);
		if (same_blocks(a, from_a, upto_a, b, from_b, upto_b))
			continue;
		lone_a = lone(a, from_a, upto_a, upto_b - from_b);
		lone_b = lone(b, from_b, upto_b, upto_a - from_a);
		ts_arena_reset(&work);
		if (lone_a)
			ok = range_add(only_a, lone_a->first_key, lone_a->last_key, arena);
		else if (lone_b)
			ok = range_add(only_b, lone_b->first_key, lone_b->last_key, arena);
		else if ((upto_a > from_a && group_steps(f, a, from_a, upto_a, &work, &x, &n_x, err)) ||
			 (upto_b > from_b && group_steps(f, b, from_b, upto_b, &work, &y, &n_y, err)))
			status = err->status;
		else
			ok = split(x, n_x, y, n_y, arena, only_a, only_b);
		if (!ok)
			status = ts_arena_error(arena, err);
	}
	ts_arena_finish(&work);
	return status;
}

TS_ORDER(by_first, struct ts_step_range, TS_UP(first))

uint64_t ts_step_ranges_join(struct ts_step_ranges *ranges)
{
	uint64_t total = 0;
	size_t kept = 0;

	TS_SORT(ranges->items, ranges->n, by_first);
	for (size_t i = 0; i < ranges->n; i++) {
		struct ts_step_range r = ranges->items[i];
		struct ts_step_range *last = kept ? &ranges->items[kept - 1] : NULL;

		if (last && (r.first <= last->last || (uint64_t)r.first - (uint64_t)last->last == 1)) {
			if (r.last > last->last)
				last->last = r.last;
		} else {
			ranges->items[kept++] = r;
		}
	}
	ranges->n = kept;
	for (size_t i = 0; i < kept; i++)
		total += (uint64_t)ranges->items[i].last - (uint64_t)ranges->items[i].first + 1;
	return total;
}
