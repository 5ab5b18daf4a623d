/* quality_replicas.c - how often a clean job of any layout is said to have copies of its model that part, and how often a rank that
 * truly parts is named with its step. A digest is a random number for each state of a set of tensors, as docs/digests.md makes it.
 */
#include "quality_parts.h"

#include "analysis/ranks/replicas.h"
#include "base/arena.h"

#include <stdlib.h>

enum { RANKS_MOST = 64, POINTS_MOST = 60, TRIALS = 1000 };

enum layout { COPIES, SHARDS, ZERO_STATE, SHARDS_OF_ZEROS, COPIES_OF_SHARDS, LOCAL_SGD, LAYOUTS };

static struct ts_arena arena;
static int64_t keys[RANKS_MOST][POINTS_MOST];
static uint64_t values[RANKS_MOST][POINTS_MOST];
static struct ts_replica ranks[RANKS_MOST];

/* The digest of the part that a rank holds, in a state: equal for equal parts and states alone, but for 2^-64. */
static uint64_t digest(uint64_t salt, size_t part, size_t state)
{
	uint64_t z = salt + (uint64_t)part * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)state * UINT64_C(0xd1342543de82ef95);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) | 1;
}

static uint64_t of_layout(enum layout layout, uint64_t salt, size_t rank, size_t i, size_t period)
{
	switch (layout) {
	case SHARDS:
		return digest(salt, rank, i);
	case ZERO_STATE:
		return i ? digest(salt, rank, i) : 0;
	case SHARDS_OF_ZEROS:
		return digest(salt, i ? rank : 0, i);
	case COPIES_OF_SHARDS:
		return digest(salt, rank % 2, i);
	case LOCAL_SGD:
		return digest(salt, i % period ? rank : 0, i);
	case COPIES:
	case LAYOUTS:
		break;
	}
	return digest(salt, 0, i);
}

static size_t make(struct ts_random *r, enum layout layout, size_t least, size_t *ret_points)
{
	size_t n = least + ts_random_below(r, RANKS_MOST + 1 - least), points = 4 + ts_random_below(r, POINTS_MOST - 3);
	uint64_t salt = ts_random_below(r, UINT32_MAX);
	size_t period = 2 + ts_random_below(r, 3);

	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < points; i++) {
			keys[k][i] = (int64_t)(10 * i);
			values[k][i] = of_layout(layout, salt, k, i, period);
		}
		/* Some ranks die a little earlier than others. */
		ranks[k] = (struct ts_replica){(int32_t)k, keys[k], values[k], points - ts_random_below(r, 2)};
	}
	*ret_points = points;
	return n;
}

static struct ts_replicas judge(size_t n)
{
	struct ts_replicas found;
	struct ts_error err;

	ts_arena_reset(&arena);
	if (ts_replicas_judge(ranks, n, false, &arena, &found, &err))
		abort();
	return found;
}

static void clean(struct quality *q, enum layout layout, const char *name)
{
	struct quality_case c = quality_at_most(name, 0.001);
	struct ts_random r;
	size_t points;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		size_t n;

		quality_random(&c, i, &r);
		n = make(&r, layout, 2, &points);
		quality_count(&c, judge(n).apart);
	}
	quality_report(q, &c);
}

/* One rank goes its own way from a point on, behind the second. */
static void parts(struct quality *q)
{
	struct quality_case c = quality_at_least("replicas, one of 3 to 64 parts: rank and step are named", 0.999);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		size_t points, n, odd, from;
		struct ts_replicas f;

		quality_random(&c, i, &r);
		n = make(&r, COPIES, 3, &points);
		odd = ts_random_below(&r, (uint32_t)n);
		from = 2 + ts_random_below(&r, (uint32_t)(points - 3));
		for (size_t k = from; k < points; k++)
			values[odd][k] = digest(17, odd, k);
		f = judge(n);
		quality_count(&c, f.judged && f.apart && f.majority && f.n_odd == 1 && f.odd[0] == (int32_t)odd &&
					  f.first_apart == (int64_t)(10 * from));
	}
	quality_report(q, &c);
}

void quality_replicas(struct quality *q)
{
	ts_arena_init(&arena, 64 << 20);
	clean(q, COPIES, "replicas, copies that stay equal: said to part");
	clean(q, SHARDS, "replicas, shards: said to part");
	clean(q, ZERO_STATE, "replicas, shards of an optimizer's state, none at first: said to part");
	clean(q, SHARDS_OF_ZEROS, "replicas, shards that begin equal: said to part");
	clean(q, COPIES_OF_SHARDS, "replicas, copies of shards: said to part");
	clean(q, LOCAL_SGD, "replicas, local SGD whose copies meet again: said to part");
	parts(q);
	ts_arena_finish(&arena);
}
