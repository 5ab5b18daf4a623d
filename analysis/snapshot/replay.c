#include "analysis/snapshot/replay.h"

#include "base/door.h"

enum { POINTS = 480 }; /* as many cells as a plot has */

/* The lives by address: the newest of each, dead or alive. */
struct by_address {
	uint32_t *slots; /* life + 1 */
	size_t mask;
};

struct walk {
	struct ts_replay *r;
	struct by_address map;
	struct ts_snapshot_event *copy; /* r's events, if they are a copy */
	bool completed;			/* free_requested counts as free_completed */
};

static uint32_t *slot_of(const struct walk *w, uint64_t address)
{
	uint64_t h = address * UINT64_C(0x9E3779B97F4A7C15);
	size_t at = (size_t)(h ^ h >> 32) & w->map.mask;

	while (w->map.slots[at] && w->r->lives[w->map.slots[at] - 1].address != address)
		at = (at + 1) & w->map.mask;
	return &w->map.slots[at];
}

static struct ts_life *newest_at(const struct walk *w, uint64_t address)
{
	uint32_t life = *slot_of(w, address);

	return life ? &w->r->lives[life - 1] : NULL;
}

static struct ts_life *alive_at(const struct walk *w, uint64_t address)
{
	struct ts_life *life = newest_at(w, address);

	return life && life->died == TS_REPLAY_NEVER ? life : NULL;
}

static struct ts_life *begin(const struct walk *w, uint64_t address, uint64_t requested, uint32_t born, uint32_t stack)
{
	struct ts_life *life = &w->r->lives[w->r->n_lives++];

	*slot_of(w, address) = w->r->n_lives;
	*life = (struct ts_life){.address = address,
				 .requested = requested,
				 .born = born,
				 .let_go = TS_REPLAY_NEVER,
				 .died = TS_REPLAY_NEVER,
				 .stack = stack};
	return life;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* A life whose allocation no event shows. It was there before the first, or, if the events freed its address, was not recorded. */
static struct ts_life *begin_before(struct walk *w, uint64_t address, uint64_t requested, uint32_t stack)
{
	if (newest_at(w, address)) {
		w->r->n_unseen++;
		w->r->baseline_error += requested;
	}
	return begin(w, address, requested, TS_REPLAY_BEFORE, stack);
}

/* Sums wrap: sizes are foreign, and what no device can have is only a wrong figure. */
static int64_t plus(int64_t sum, uint64_t bytes)
{
	return (int64_t)((uint64_t)sum + bytes);
}

/* --- events --- */

static void take_alloc(struct walk *w, const struct ts_snapshot_event *e, uint32_t at)
{
	struct ts_life *old = alive_at(w, e->address);

	if (old) {
		old->died = at;
		w->r->n_reused++;
		w->r->baseline_error += old->requested;
	}
	begin(w, e->address, e->size, at, e->stack);
	w->r->net = plus(w->r->net, e->size);
}

static void take_free(struct walk *w, const struct ts_snapshot_event *e, uint32_t at)
{
	struct ts_life *life = alive_at(w, e->address);

	if (!life)
		life = begin_before(w, e->address, e->size, TS_SNAPSHOT_NONE);
	if (e->action == TS_ACTION_FREE_REQUESTED) {
		life->let_go = at;
		return;
	}
	life->died = at;
	if (life->let_go == TS_REPLAY_NEVER)
		life->let_go = at;
	if (life->requested != e->size) {
		w->r->n_resized++;
		w->r->baseline_error += apart(life->requested, e->size);
	}
	if (life->born == TS_REPLAY_BEFORE) {
		w->r->n_freed_before++;
		w->r->freed_before += life->requested;
	}
	w->r->net = plus(w->r->net, -e->size);
}

/* The bytes that an event adds to what is reserved; below 0 they wrap, too. */
static uint64_t reserves(const struct ts_snapshot_event *e)
{
	return ts_snapshot_takes(e) ? e->size : ts_snapshot_gives(e) ? -e->size : 0;
}

static void count_events(struct ts_replay *r)
{
	for (uint32_t i = 0; i < r->n_events; i++) {
		r->n_of[r->events[i].action]++;
		r->n_back += i && r->events[i].time_us < r->events[i - 1].time_us;
	}
}

/* Makes r's events a copy that may be changed; they may be one already. */
static bool copy_events(struct walk *w, struct ts_arena *arena)
{
	if (!w->copy)
		w->copy = ts_arena_dup(arena, w->r->events, w->r->n_events * sizeof *w->r->events);
	if (w->copy)
		w->r->events = w->copy;
	return w->copy;
}

/* Where recording left free_completed out, each free_requested counts as one; take_back() excepts what was still waiting. */
static bool complete_frees(struct walk *w, struct ts_arena *arena)
{
	struct ts_replay *r = w->r;

	if (r->n_of[TS_ACTION_FREE_COMPLETED] || !r->n_of[TS_ACTION_FREE_REQUESTED])
		return true;
	if (!copy_events(w, arena))
		return false;
	for (uint32_t i = 0; i < r->n_events; i++)
		if (w->copy[i].action == TS_ACTION_FREE_REQUESTED)
			w->copy[i].action = TS_ACTION_FREE_COMPLETED;
	w->completed = true;
	return true;
}

/* Whether every free has the stack of its allocation, as torch writes it where recording kept no stacks of frees (context="alloc"). */
static bool stacks_are_lent(const struct ts_replay *r)
{
	bool any = false;

	for (const struct ts_life *life = r->lives; life < r->lives + r->n_lives; life++) {
		uint32_t stack = life->let_go == TS_REPLAY_NEVER ? TS_SNAPSHOT_NONE : r->events[life->let_go].stack;

		if (life->born == TS_REPLAY_BEFORE || stack == TS_SNAPSHOT_NONE)
			continue;
		if (stack != life->stack)
			return false;
		any = true;
	}
	return any;
}

/* Such a stack does not say who freed. */
static bool forget_lent(struct walk *w, struct ts_arena *arena)
{
	if (!stacks_are_lent(w->r))
		return true;
	if (!copy_events(w, arena))
		return false;
	for (uint32_t i = 0; i < w->r->n_events; i++)
		if (w->copy[i].action == TS_ACTION_FREE_REQUESTED || w->copy[i].action == TS_ACTION_FREE_COMPLETED)
			w->copy[i].stack = TS_SNAPSHOT_NONE;
	return true;
}

static void take_events(struct walk *w)
{
	struct ts_replay *r = w->r;

	for (uint32_t i = 0; i < r->n_events; i++) {
		const struct ts_snapshot_event *e = &r->events[i];

		if (e->action == TS_ACTION_ALLOC)
			take_alloc(w, e, i);
		else if (e->action == TS_ACTION_FREE_REQUESTED || e->action == TS_ACTION_FREE_COMPLETED)
			take_free(w, e, i);
	}
}

/* --- blocks --- */

/* A block that is in use, as one that waits for another stream is, had been let go of and was not freed. */
static void take_back(struct walk *w, const struct ts_snapshot_block *b)
{
	struct ts_life *life = newest_at(w, b->address);

	if (!w->completed || !life || life->died == TS_REPLAY_NEVER)
		return;
	w->copy[life->died].action = TS_ACTION_FREE_REQUESTED;
	w->r->net = plus(w->r->net, w->copy[life->died].size);
	if (life->born == TS_REPLAY_BEFORE) {
		w->r->n_freed_before--;
		w->r->freed_before -= life->requested;
	}
	life->died = TS_REPLAY_NEVER;
}

static void take_block(struct walk *w, const struct ts_snapshot_block *b)
{
	struct ts_life *life;

	if (b->state != TS_BLOCK_ACTIVE && b->state != TS_BLOCK_PENDING)
		return;
	take_back(w, b);
	life = alive_at(w, b->address);
	w->r->n_in_use++;
	w->r->requested += b->requested;
	w->r->rounding += b->size > b->requested ? b->size - b->requested : 0;
	if (!life) {
		life = begin_before(w, b->address, b->requested, b->stack);
	} else if (life->requested == b->requested) {
		w->r->n_confirmed += life->born != TS_REPLAY_BEFORE;
	} else {
		w->r->n_resized++;
		w->r->baseline_error += apart(life->requested, b->requested);
	}
	life->size = b->size;
	if (life->stack == TS_SNAPSHOT_NONE)
		life->stack = b->stack;
}

static void take_blocks(struct walk *w)
{
	const struct ts_snapshot *s = w->r->snapshot;

	for (const struct ts_snapshot_segment *g = s->segments; g < s->segments + s->n_segments; g++) {
		if (g->device != w->r->device)
			continue;
		w->r->n_segments++;
		w->r->reserved += g->total;
		w->r->allocated += g->allocated;
		w->r->active += g->active;
		for (uint32_t i = 0; i < g->n_blocks; i++)
			take_block(w, &s->blocks[g->first_block + i]);
	}
	for (struct ts_life *life = w->r->lives; life < w->r->lives + w->r->n_lives; life++)
		if (life->died == TS_REPLAY_NEVER && !life->size) {
			w->r->n_unconfirmed++;
			w->r->baseline_error += life->requested;
		}
}

/* --- the course of it --- */

/* What is requested and reserved, never below 0 where the events contradict the blocks. */
static uint64_t level(int64_t bytes)
{
	return bytes > 0 ? (uint64_t)bytes : 0;
}

/* The bytes that an event adds to what is requested. */
static uint64_t requests(const struct ts_snapshot_event *e)
{
	if (e->action == TS_ACTION_ALLOC)
		return e->size;
	return e->action == TS_ACTION_FREE_COMPLETED ? -e->size : 0;
}

static void add_point(struct ts_replay *r, uint32_t at, uint64_t requested, uint64_t reserved)
{
	uint32_t each = (r->n_events + POINTS - 1) / POINTS;
	struct ts_replay_point *p = &r->points[at / each];

	if (at % each == 0) {
		*p = (struct ts_replay_point){at, r->events[at].time_us, requested, requested, reserved};
		r->n_points = at / each + 1;
	}
	p->requested_min = requested < p->requested_min ? requested : p->requested_min;
	p->requested_max = requested > p->requested_max ? requested : p->requested_max;
	p->reserved_max = reserved > p->reserved_max ? reserved : p->reserved_max;
}

static void course(struct walk *w)
{
	struct ts_replay *r = w->r;
	int64_t requested = plus((int64_t)r->requested, -(uint64_t)r->net), reserved = (int64_t)r->reserved;

	for (uint32_t i = 0; i < r->n_events; i++)
		reserved = plus(reserved, -reserves(&r->events[i]));
	r->baseline = r->peak = level(requested);
	r->reserved_peak = level(reserved);
	r->peak_event = r->reserved_peak_event = TS_REPLAY_BEFORE;
	for (uint32_t i = 0; i < r->n_events; i++) {
		requested = plus(requested, requests(&r->events[i]));
		reserved = plus(reserved, reserves(&r->events[i]));
		if (level(requested) > r->peak) {
			r->peak = level(requested);
			r->peak_event = i;
		}
		if (level(reserved) > r->reserved_peak) {
			r->reserved_peak = level(reserved);
			r->reserved_peak_event = i;
		}
		add_point(r, i, level(requested), level(reserved));
	}
}

void ts_replay_level(const struct ts_replay *r, uint32_t event, uint64_t *ret_requested, uint64_t *ret_reserved)
{
	int64_t requested = (int64_t)r->requested, reserved = (int64_t)r->reserved;

	for (uint32_t i = event == TS_REPLAY_BEFORE ? 0 : event + 1; i < r->n_events; i++) {
		requested = plus(requested, -requests(&r->events[i]));
		reserved = plus(reserved, -reserves(&r->events[i]));
	}
	*ret_requested = level(requested);
	*ret_reserved = level(reserved);
}

void ts_replay_requested(const struct ts_replay *r, uint64_t *ret_after)
{
	int64_t requested = (int64_t)r->requested;

	for (uint32_t i = r->n_events; i-- > 0;) {
		ret_after[i] = level(requested);
		requested = plus(requested, -requests(&r->events[i]));
	}
}

static size_t blocks_of(const struct ts_snapshot *s, uint16_t device)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_segments; i++)
		n += s->segments[i].device == device ? s->segments[i].n_blocks : 0;
	return n;
}

static bool life_holds(const struct ts_replay *r, const struct ts_life *life)
{
	uint32_t born = life->born == TS_REPLAY_BEFORE ? 0 : life->born;

	if ((life->born >= r->n_events && life->born != TS_REPLAY_BEFORE) ||
	    (life->died >= r->n_events && life->died != TS_REPLAY_NEVER))
		return false;
	if ((life->let_go >= r->n_events && life->let_go != TS_REPLAY_NEVER) || life->let_go < born || life->died < born)
		return false;
	return life->stack < r->snapshot->n_stacks || life->stack == TS_SNAPSHOT_NONE;
}

static bool points_hold(const struct ts_replay *r)
{
	for (size_t i = 0; i < r->n_points; i++) {
		const struct ts_replay_point *p = &r->points[i];

		if (p->first >= r->n_events || (i && p[-1].first >= p->first) || p->requested_min > p->requested_max)
			return false;
	}
	return r->n_points <= POINTS;
}

bool ts_replay_holds(const struct ts_replay *r)
{
	for (uint32_t i = 0; i < r->n_lives; i++)
		if (!life_holds(r, &r->lives[i]))
			return false;
	if ((r->peak_event >= r->n_events && r->peak_event != TS_REPLAY_BEFORE) || r->n_in_use > r->n_lives)
		return false;
	if (r->device >= r->snapshot->n_devices || r->n_freed_before > r->n_lives || r->n_confirmed > r->n_lives)
		return false;
	return points_hold(r);
}

enum ts_status ts_replay_device(const struct ts_snapshot *s, uint16_t device, struct ts_arena *arena, struct ts_replay *ret_replay,
				struct ts_error *err)
{
	struct ts_replay r = {.snapshot = s, .device = device};
	struct walk w = {.r = &r};
	size_t n = s->devices[device].n_events, lives = n + blocks_of(s, device), cap = 16;

	TS_DOOR(ts_snapshot_holds(s));
	if (lives > INT32_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "device %u has more than 2^31 events and blocks", device);
	while (cap < lives * 2)
		cap *= 2;
	r.events = n ? s->events + s->devices[device].first_event : NULL;
	r.n_events = (uint32_t)n;
	r.lives = ts_arena_array(arena, lives, sizeof *r.lives);
	r.points = ts_arena_array(arena, POINTS, sizeof *r.points);
	w.map = (struct by_address){ts_arena_array(arena, cap, sizeof *w.map.slots), cap - 1};
	count_events(&r);
	if (!complete_frees(&w, arena) || ts_arena_check(arena, err))
		return ts_arena_error(arena, err);
	take_events(&w);
	if (!forget_lent(&w, arena))
		return ts_arena_error(arena, err);
	take_blocks(&w);
	course(&w);
	if (r.n_unseen && !r.n_of[TS_ACTION_ALLOC]) /* none was recorded: any of it may have been allocated later */
		r.baseline_error = r.baseline;
	TS_DOOR(ts_replay_holds(&r));
	*ret_replay = r;
	return TS_OK;
}
