/* job_match.c - which kernels of the ranks of a job are one collective (job.h has the rules). */
#include "analysis/trace/ranks/job_parts.h"
#include "base/order.h"

#include "base/door.h"

struct key {
	int64_t segment;
	uint32_t group, side, arrival;
	bool in_step;
};

struct work {
	struct ts_job_side *sides;
	size_t n_sides;
	struct ts_arena *arena;
	struct ts_job_matches *out;
	struct key *keys;
	size_t n_keys, n_points;
};

/* --- groups of the job --- */

struct entry {
	const struct ts_job_group_name *is;
	uint32_t side, local;
};

static int compare_names(const struct ts_job_group_name *a, const struct ts_job_group_name *b)
{
	int c = (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);

	if (!c)
		c = ts_span_cmp(a->name, b->name);
	return c ? c : ts_span_cmp(a->ranks, b->ranks);
}

TS_ORDER(compare_entries, struct entry, TS_THEN(compare_names(a->is, b->is)); TS_UP(side))

/* How many ranks a group has by its own words, and how many of them are none of these members; 0 if it does not say. */
static size_t absent_of(const struct ts_job_group *g)
{
	struct ts_span rest = g->is.ranks;
	size_t listed = 0, found = 0, at = 0;
	int64_t rank;

	if (rest.len < 2 || rest.data[0] != '[' || ts_span_contains(rest, "..."))
		return g->is.size > 0 && (uint64_t)g->is.size > g->n_members ? (size_t)g->is.size - g->n_members : 0;
	rest = ts_span_from(rest, 1);
	while (ts_rank_list_next(&rest, &rank)) {
		listed++;
		while (at < g->n_members && g->members[at] < rank)
			at++;
		found += at < g->n_members && g->members[at] == rank;
	}
	return listed - found;
}

static bool new_group(struct work *w, const struct entry *entries, size_t n)
{
	struct ts_job_group *g = &w->out->groups[w->out->n_groups];
	struct ts_job_party *p = &w->out->parties[w->out->n_groups];

	g->is = *entries->is;
	g->members = ts_arena_array(w->arena, n, sizeof *g->members);
	p->sides = ts_arena_array(w->arena, n, sizeof *p->sides);
	if (!g->members || !p->sides)
		return false;
	g->by_sequence = true;
	for (size_t i = 0; i < n; i++) {
		const struct ts_job_side *side = &w->sides[entries[i].side];

		side->groups[entries[i].local] = (uint32_t)w->out->n_groups;
		if (p->n_sides && p->sides[p->n_sides - 1] == entries[i].side)
			continue; /* cycles of one rank name the group again */
		p->sides[p->n_sides++] = entries[i].side;
		g->members[g->n_members++] = side->trace->rank;
	}
	g->absent = absent_of(g);
	w->out->n_groups++;
	return true;
}

static enum ts_status find_groups(struct work *w, struct ts_error *err)
{
	struct entry *entries;
	size_t n = 0, groups = 0;

	for (size_t i = 0; i < w->n_sides; i++) {
		w->sides[i].groups = ts_arena_array(w->arena, w->sides[i].trace->n_groups, sizeof *w->sides[i].groups);
		if (!w->sides[i].groups)
			return ts_arena_error(w->arena, err);
		n += w->sides[i].trace->n_groups;
	}
	entries = ts_arena_array(w->arena, n, sizeof *entries);
	if (!entries)
		return ts_arena_error(w->arena, err);
	n = 0;
	for (uint32_t i = 0; i < w->n_sides; i++)
		for (uint32_t k = 0; k < w->sides[i].trace->n_groups; k++)
			entries[n++] = (struct entry){&w->sides[i].trace->groups[k], i, k};
	TS_SORT(entries, n, compare_entries);
	for (size_t i = 0; i < n; i++)
		groups += !i || compare_names(entries[i - 1].is, entries[i].is) != 0;
	w->out->groups = ts_arena_array(w->arena, groups, sizeof *w->out->groups);
	w->out->parties = ts_arena_array(w->arena, groups, sizeof *w->out->parties);
	if (!w->out->groups || !w->out->parties)
		return ts_arena_error(w->arena, err);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && compare_names(entries[i].is, entries[end].is) == 0; end++)
			;
		if (!new_group(w, entries + i, end - i))
			return ts_arena_error(w->arena, err);
	}
	return TS_OK;
}

/* --- kernels by group and segment --- */

static bool is_point(const struct ts_job_arrival *a)
{
	return a->collective == TS_COLLECTIVE_SEND_RECV;
}

static void add_keys(struct work *w, uint32_t side)
{
	const struct ts_job_trace *t = w->sides[side].trace;
	bool launches = ts_job_has_launches(t);

	for (uint32_t i = 0; i < t->n_arrivals; i++) {
		const struct ts_job_arrival *a = &t->arrivals[i];
		uint32_t group = w->sides[side].groups[a->group];
		struct ts_job_group *g = &w->out->groups[group];

		if (is_point(a)) {
			w->n_points++;
		} else if (g->n_members < 2 || !w->sides[side].comparable) {
			g->unmatched[TS_JOB_ALONE]++;
		} else if (!g->by_sequence && launches && !a->launched) {
			g->unmatched[TS_JOB_BEFORE]++;
		} else {
			bool in_step = !g->by_sequence && a->in_step;
			int64_t segment = g->by_sequence ? a->sequence : in_step ? a->step : 0;

			w->keys[w->n_keys++] = (struct key){segment, group, side, i, in_step};
		}
	}
}

TS_ORDER(compare_keys, struct key, TS_UP(group); TS_UP(in_step); TS_UP(segment); TS_UP(side); TS_UP(arrival))

static bool same_segment(const struct key *a, const struct key *b)
{
	return a->group == b->group && a->segment == b->segment && a->in_step == b->in_step;
}

static enum ts_status find_keys(struct work *w, struct ts_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_sides; i++) {
		const struct ts_job_trace *t = w->sides[i].trace;

		n += t->n_arrivals;
		for (size_t k = 0; k < t->n_arrivals; k++)
			if (!is_point(&t->arrivals[k]) && t->arrivals[k].sequence == TS_TRACE_NONE)
				w->out->groups[w->sides[i].groups[t->arrivals[k].group]].by_sequence = false;
	}
	w->keys = ts_arena_array(w->arena, n, sizeof *w->keys);
	if (!w->keys)
		return ts_arena_error(w->arena, err);
	for (uint32_t i = 0; i < w->n_sides; i++)
		add_keys(w, i);
	TS_SORT(w->keys, w->n_keys, compare_keys);
	return TS_OK;
}

/* --- one segment --- */

/* The kernels of one group and segment; those of each side stand together, `each` of them if all have as many. */
struct segment {
	const struct key *keys;
	size_t n, n_sides, each, least, most;
	uint32_t least_side, most_side;
};

static struct segment segment_of(const struct key *keys, size_t n)
{
	struct segment s = {.keys = keys, .n = n};

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && keys[end].side == keys[i].side; end++)
			;
		if (!s.n_sides || end - i < s.least) {
			s.least = end - i;
			s.least_side = keys[i].side;
		}
		if (!s.n_sides || end - i > s.most) {
			s.most = end - i;
			s.most_side = keys[i].side;
		}
		s.n_sides++;
	}
	s.each = s.least;
	return s;
}

static const struct ts_job_arrival *arrival(const struct work *w, const struct key *key)
{
	return &w->sides[key->side].trace->arrivals[key->arrival];
}

static bool differ(int64_t a, int64_t b)
{
	return a != TS_TRACE_NONE && b != TS_TRACE_NONE && a != b;
}

/* Whether kernels in the same place of the order of two ranks are of the same kind and size. Who gets how much of an all-to-all may
 * differ. */
static bool find_difference(const struct work *w, const struct segment *s, enum ts_job_unmatched *ret, const struct key **ret_a,
			    const struct key **ret_b)
{
	for (size_t i = s->each; i < s->n; i++) {
		const struct ts_job_arrival *a = arrival(w, &s->keys[i % s->each]), *b = arrival(w, &s->keys[i]);
		bool sizes = ts_job_even(a->collective) || a->collective == TS_COLLECTIVE_BROADCAST;

		*ret_a = &s->keys[i % s->each];
		*ret_b = &s->keys[i];
		*ret = a->collective != b->collective ? TS_JOB_KINDS : TS_JOB_SIZES;
		if (*ret == TS_JOB_KINDS ||
		    (sizes && (differ(a->elements_in, b->elements_in) || differ(a->elements_out, b->elements_out))))
			return true;
	}
	return false;
}

static const char *place(const struct work *w, const struct key *key)
{
	if (w->out->groups[key->group].by_sequence)
		return ts_arena_printf(w->arena, "sequence number %" PRId64, key->segment);
	return key->in_step ? ts_arena_printf(w->arena, "step %" PRId64, key->segment) : "outside of steps";
}

static int64_t rank_of(const struct work *w, uint32_t side)
{
	return w->sides[side].trace->rank;
}

static bool say_difference(struct work *w, const struct key *a, const struct key *b, enum ts_job_unmatched why)
{
	const struct ts_job_arrival *x = arrival(w, a), *y = arrival(w, b);
	struct ts_job_group *g = &w->out->groups[a->group];

	if (why == TS_JOB_KINDS)
		g->example = ts_arena_printf(w->arena, "%s: %s on rank %" PRId64 ", %s on rank %" PRId64, place(w, a),
					     ts_collective_word((enum ts_collective)x->collective), rank_of(w, a->side),
					     ts_collective_word((enum ts_collective)y->collective), rank_of(w, b->side));
	else
		g->example = ts_arena_printf(
			w->arena, "%s: %" PRId64 " elements on rank %" PRId64 ", %" PRId64 " on rank %" PRId64, place(w, a),
			differ(x->elements_in, y->elements_in) ? x->elements_in : x->elements_out, rank_of(w, a->side),
			differ(x->elements_in, y->elements_in) ? y->elements_in : y->elements_out, rank_of(w, b->side));
	return g->example;
}

static bool say_counts(struct work *w, const struct segment *s, bool missing)
{
	struct ts_job_group *g = &w->out->groups[s->keys->group];
	const struct ts_job_party *p = &w->out->parties[s->keys->group];
	uint32_t lacks = s->least_side;
	size_t least = s->least;

	for (size_t i = 0, k = 0; missing && i < p->n_sides; i++) {
		while (k < s->n && s->keys[k].side < p->sides[i])
			k++;
		if (k < s->n && s->keys[k].side == p->sides[i])
			continue;
		lacks = p->sides[i];
		least = 0;
		break;
	}
	g->example = ts_arena_printf(w->arena, "%s: %zu on rank %" PRId64 ", %zu on rank %" PRId64, place(w, s->keys), s->most,
				     rank_of(w, s->most_side), least, rank_of(w, lacks));
	return g->example;
}

static void emit(struct work *w, const struct segment *s)
{
	struct ts_job_party *p = &w->out->parties[s->keys->group];

	for (size_t k = 0; k < s->each; k++) {
		struct ts_job_match *m = &w->out->items[w->out->n];

		*m = (struct ts_job_match){.first = w->out->n_members,
					   .group = s->keys->group,
					   .collective = arrival(w, &s->keys[k])->collective,
					   .by_sequence = w->out->groups[s->keys->group].by_sequence,
					   .in_step = s->keys->in_step,
					   .segment = s->keys->segment};
		for (size_t i = k; i < s->n; i += s->each) {
			const struct ts_job_arrival *a = arrival(w, &s->keys[i]);
			int64_t shift = w->sides[s->keys[i].side].shift;

			w->out->members[w->out->n_members++] =
				(struct ts_job_member){s->keys[i].side, s->keys[i].arrival, a->begin + shift, a->end + shift};
		}
		p->matches = p->n_matches ? p->matches : w->out->n;
		p->n_matches++;
		w->out->n++;
	}
}

static bool take_segment(struct work *w, const struct key *keys, size_t n)
{
	struct ts_job_group *g = &w->out->groups[keys->group];
	struct segment s = segment_of(keys, n);
	const struct key *a = NULL, *b = NULL;
	enum ts_job_unmatched why = TS_JOB_MISSING;
	bool missing = s.n_sides < w->out->parties[keys->group].n_sides, bad = true, said = true;

	if (missing || s.least != s.most) {
		why = missing ? TS_JOB_MISSING : TS_JOB_COUNTS;
		said = g->example || say_counts(w, &s, missing);
	} else {
		bad = find_difference(w, &s, &why, &a, &b);
		said = !bad || g->example || say_difference(w, a, b, why);
	}
	if (bad)
		g->unmatched[why] += n;
	else
		emit(w, &s);
	return said;
}

enum ts_status ts_job_match(struct ts_job_side *sides, size_t n_sides, struct ts_arena *arena, struct ts_job_matches *ret,
			    struct ts_error *err)
{
	struct ts_job_matches out = {0};
	struct work w = {.sides = sides, .n_sides = n_sides, .arena = arena, .out = &out};

	if (find_groups(&w, err) || find_keys(&w, err))
		return err->status;
	out.items = ts_arena_array(arena, w.n_keys / 2, sizeof *out.items);
	out.members = ts_arena_array(arena, w.n_keys + w.n_points, sizeof *out.members);
	if (!out.items || !out.members)
		return ts_arena_error(arena, err);
	for (size_t i = 0, end; i < w.n_keys; i = end) {
		for (end = i + 1; end < w.n_keys && same_segment(&w.keys[i], &w.keys[end]); end++)
			;
		if (!take_segment(&w, w.keys + i, end - i))
			return ts_arena_error(arena, err);
	}
	if (ts_job_match_pairs(sides, n_sides, arena, &out, err))
		return err->status;
	TS_DOOR_ALL(i, out.n, out.items[i].group < out.n_groups && out.items[i].first < out.n_members);
	TS_DOOR_SORTED(i, out.n, out.items[i - 1].group <= out.items[i].group);
	*ret = out;
	return TS_OK;
}
