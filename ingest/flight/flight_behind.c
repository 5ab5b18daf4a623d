#include "ingest/flight/flight_behind.h"

#include "base/door.h"
#include "base/order.h"

#include <inttypes.h>

/* A call of a rank. */
struct entry {
	const struct ts_flight_call *call;
	size_t dump;
};

struct judging {
	const struct ts_flight_dump *dumps;
	size_t n;
	size_t world;
	struct ts_arena *arena;
	struct entry *entries; /* of all groups, by group, number and rank */
	size_t n_entries;
	struct ts_flight_behind *out;
};

TS_ORDER(by_number, struct entry, TS_TEXT(call->group); TS_BY(a->call->sequence, b->call->sequence); TS_BY(a->dump, b->dump);
	 TS_BY(a->call, b->call))

/* --- words --- */

static void add_rank(struct judging *j, int32_t rank)
{
	struct ts_flight_behind *out = j->out;

	if (out->n_ranks && out->ranks[out->n_ranks - 1] == rank)
		return;
	if (out->n_ranks < TS_FLIGHT_RANKS_MAX)
		out->ranks[out->n_ranks++] = rank;
}

/* "rank 1" or "ranks 1, 2 and 5"; of many the first. */
static const char *ranks_said(const struct judging *j)
{
	enum { SHOWN = 8 };
	size_t n = j->out->n_ranks;
	const char *text = n == 1 ? "rank " : "ranks ";

	for (size_t i = 0; i < n && i < SHOWN && text; i++)
		text = ts_arena_printf(j->arena, "%s%s%d", text, i == 0 ? "" : i + 1 == n ? " and " : ", ", j->out->ranks[i]);
	return n > SHOWN && text ? ts_arena_printf(j->arena, "%s and %zu more", text, n - SHOWN) : text;
}

/* "number 18 (all_reduce at train.py:33)" */
static const char *call_said(const struct judging *j, const struct ts_flight_call *call)
{
	struct ts_span operation = call->operation.len ? call->operation : ts_span_str("an operation that it does not name");
	size_t name = call->file.len;

	while (name && call->file.data[name - 1] != '/')
		name--;
	if (!call->file.len)
		return ts_arena_printf(j->arena, "number %" PRId64 " (%.*s)", call->sequence, TS_SPAN_ARG(operation));
	return ts_arena_printf(j->arena, "number %" PRId64 " (%.*s at %.*s:%" PRId64 ")", call->sequence, TS_SPAN_ARG(operation),
			       TS_SPAN_ARG(ts_span_from(call->file, name)), call->line);
}

/* "all_reduce [[3,4]]" */
static const char *what_said(const struct judging *j, const struct ts_flight_call *call)
{
	return ts_arena_printf(j->arena, "%.*s%s%.*s", TS_SPAN_ARG(call->operation), call->sizes.len ? " " : "",
			       TS_SPAN_ARG(call->sizes));
}

/* n ranks that are not behind, of which this is one. */
static const char *others_said(const struct judging *j, size_t n, size_t dump)
{
	return n == 1 ? ts_arena_printf(j->arena, "rank %d", j->dumps[dump].rank) : "the others";
}

static const char *group_said(const struct judging *j, const struct ts_flight_call *call)
{
	return ts_arena_printf(j->arena, "of the group %.*s", TS_SPAN_ARG(call->about.len ? call->about : call->group));
}

static void say(struct judging *j, const char *text)
{
	j->out->said = true;
	j->out->sentence = ts_span_str(text ? text : "");
}

/* --- what ranks called --- */

/* Sizes have to be equal on all ranks where the operation sums or sends the whole. */
static bool must_have_equal_sizes(struct ts_span operation)
{
	return ts_span_is(operation, "all_reduce") || ts_span_is(operation, "broadcast") || ts_span_is(operation, "reduce");
}

static bool same(const struct ts_flight_call *a, const struct ts_flight_call *b)
{
	if (!a->operation.len || !b->operation.len)
		return true;
	if (!ts_span_eq(a->operation, b->operation))
		return false;
	return !must_have_equal_sizes(a->operation) || !a->sizes.len || !b->sizes.len || ts_span_eq(a->sizes, b->sizes);
}

static size_t like(const struct entry *e, size_t n, size_t which)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += same(e[i].call, e[which].call);
	return count;
}

/* n calls of one number, each of another rank. Whether they are one collective; else says who calls another one. */
static bool agree(struct judging *j, const struct entry *e, size_t n)
{
	size_t most = 0, other = n, alike = like(e, n, 0);
	bool various = false;

	if (alike == n)
		return true;
	for (size_t i = 1; i < n; i++) {
		size_t count = like(e, n, i);

		if (count > alike) {
			most = i;
			alike = count;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (!same(e[i].call, e[most].call)) {
			other = other == n ? i : other;
			various |= !same(e[i].call, e[other].call);
			add_rank(j, j->dumps[e[i].dump].rank);
		}
	if (other == n)
		return true;
	say(j, ts_arena_printf(j->arena, "at collective number %" PRId64 " %s %s called %s%s, and %s %s", e[most].call->sequence,
			       group_said(j, e[most].call), ranks_said(j), various ? "various operations, the first " : "",
			       what_said(j, e[other].call), others_said(j, alike, e[most].dump), what_said(j, e[most].call)));
	if (2 * alike <= n) /* as many call something else: nothing tells who is wrong */
		j->out->n_ranks = 0;
	return false;
}

/* The last call of each rank that has one in this group; returns of how many. */
static size_t last_calls(const struct entry *e, size_t n, const struct ts_flight_call **last)
{
	size_t members = 0;

	for (size_t i = 0; i < n; i++) {
		members += !last[e[i].dump];
		last[e[i].dump] = e[i].call;
	}
	return members;
}

/* ahead: the call of this dump, one of those of so many ranks. within: who is behind has not ended its last call. */
static void say_late(struct judging *j, const struct ts_flight_call *behind, bool within, const struct ts_flight_call *ahead,
		     size_t dump, size_t n)
{
	const char *ranks = ranks_said(j), *others = others_said(j, n, dump), *group = group_said(j, ahead);
	const char *last = call_said(j, behind), *there = call_said(j, ahead);

	if (within)
		say(j, ts_arena_printf(j->arena, "%s did not end collective %s %s, and %s came to %s", ranks, last, group, others,
				       there));
	else
		say(j, ts_arena_printf(j->arena, "%s called no collective %s after %s, and %s came to %s", ranks, group, last, others,
				       there));
}

/* Ranks of which there is no dump, where the group is that of all ranks. */
static void add_missing(struct judging *j, size_t members)
{
	size_t at = 0;

	if (members != j->n || j->world <= j->n || j->world > TS_FLIGHT_RANKS_MAX)
		return;
	for (size_t rank = 0; rank < j->world; rank++) {
		while (at < j->n && j->dumps[at].rank < (int32_t)rank)
			at++;
		if (at == j->n || j->dumps[at].rank != (int32_t)rank)
			add_rank(j, (int32_t)rank);
	}
}

static void say_waits(struct judging *j, const struct ts_flight_call *call, size_t members)
{
	const char *at = call_said(j, call), *group = group_said(j, call);

	add_missing(j, members);
	if (j->out->n_ranks && members == 1) /* which is of the only dump */
		say(j, ts_arena_printf(j->arena, "%s left no record, and rank %d waits at collective %s %s", ranks_said(j),
				       j->dumps[0].rank, at, group));
	else if (j->out->n_ranks)
		say(j, ts_arena_printf(j->arena, "%s left no record, and the %zu others wait at collective %s %s", ranks_said(j),
				       members, at, group));
	else if (members > 1)
		say(j, ts_arena_printf(j->arena, "all %zu ranks wait at collective %s %s", members, at, group));
}

/* Whether a rank ended a call of this number, or one behind it: a device does the calls of a group in their order. What a rank has no
 * longer is over there. */
static bool ended_by_some(const struct entry *e, size_t n, size_t n_dumps, const struct ts_flight_call *const *last, int64_t sequence)
{
	size_t kept = 0, members = 0;

	for (size_t i = 0; i < n; i++) {
		if (e[i].call->sequence >= sequence && e[i].call->done)
			return true;
		kept += e[i].call->sequence == sequence;
	}
	for (size_t i = 0; i < n_dumps; i++)
		members += last[i] != NULL;
	return kept < members;
}

/* The calls of one group. */
static enum ts_status judge_group(struct judging *j, const struct entry *e, size_t n, struct ts_error *err)
{
	const struct ts_flight_call **last = ts_arena_array(j->arena, j->n, sizeof *last), *least = NULL, *most = NULL;
	size_t members, waits = 0, ahead = 0, late = 0, within = 0;

	if (!last)
		return ts_arena_error(j->arena, err);
	memset(last, 0, j->n * sizeof *last);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && e[k].call->sequence == e[i].call->sequence; k++)
			;
		if (!agree(j, e + i, k - i))
			return TS_OK;
	}
	members = last_calls(e, n, last);
	for (size_t i = 0; i < j->n; i++) {
		if (!last[i])
			continue;
		least = !least || last[i]->sequence < least->sequence ? last[i] : least;
		ahead = !most || last[i]->sequence > most->sequence ? i : ahead;
		most = last[ahead];
		waits += !last[i]->done;
	}
	if (!least || !most)
		return TS_OK;
	if (least->sequence == most->sequence) {
		if (waits == members) /* what is over on one rank had all of them */
			say_waits(j, most, members);
		return TS_OK;
	}
	for (size_t i = 0; i < j->n; i++)
		if (last[i] && last[i]->sequence == least->sequence) {
			late++;
			within += !last[i]->done;
		}
	if (within == late && !ended_by_some(e, n, j->n, last, least->sequence)) {
		say_waits(j, least, members); /* the others only called ahead of their devices */
		return TS_OK;
	}
	for (size_t i = 0; i < j->n; i++)
		if (last[i] && last[i]->sequence == least->sequence)
			add_rank(j, j->dumps[i].rank);
	say_late(j, least, within == late, most, ahead, members - late);
	return TS_OK;
}

/* Of calls of one rank that have one number, such as those that are sent together, the first stands for all. */
static size_t drop_same(struct entry *entries, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const struct entry *before = kept ? &entries[kept - 1] : NULL;

		if (before && before->dump == entries[i].dump && before->call->sequence == entries[i].call->sequence &&
		    ts_span_eq(before->call->group, entries[i].call->group))
			continue;
		entries[kept++] = entries[i];
	}
	return kept;
}

enum ts_status ts_flight_judge(const struct ts_flight_dump *dumps, size_t n, size_t world, struct ts_arena *arena,
			       struct ts_flight_behind *ret, struct ts_error *err)
{
	struct ts_flight_behind out = {.said = false};
	struct judging j = {.dumps = dumps, .n = n, .world = world, .arena = arena, .out = &out};
	size_t all = 0, k = 0;

	TS_DOOR(n <= TS_FLIGHT_RANKS_MAX);
	for (size_t i = 0; i < n; i++)
		all += dumps[i].n;
	j.entries = ts_arena_array(arena, all, sizeof *j.entries);
	out.ranks = ts_arena_array(arena, TS_FLIGHT_RANKS_MAX, sizeof *out.ranks);
	if (!j.entries || !out.ranks)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < dumps[i].n; c++)
			j.entries[j.n_entries++] = (struct entry){&dumps[i].calls[c], i};
	TS_SORT(j.entries, j.n_entries, by_number);
	j.n_entries = drop_same(j.entries, j.n_entries);
	for (size_t i = 0; i < j.n_entries && !out.said; i = k) {
		for (k = i; k < j.n_entries && ts_span_eq(j.entries[k].call->group, j.entries[i].call->group); k++)
			;
		if (judge_group(&j, j.entries + i, k - i, err))
			return err->status;
	}
	if (ts_arena_check(arena, err))
		return err->status;
	*ret = out;
	return TS_OK;
}
