#include "cli/trace/kept_lanes.h"

#include "base/alloc.h"

#include <pthread.h>

struct kept {
	struct ts_id columns;
	uint64_t used; /* when it was asked for last */
	struct ts_arena arena;
	struct ts_lanes lanes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *places[TS_KEPT_LANES];
static uint64_t clock_now;

static bool is_of(const struct kept *kept, const struct ts_id *columns)
{
	return kept && ts_id_eq(&kept->columns, columns);
}

/* With the lock: the place of these columns, else the one that was used longest ago. */
static struct kept **place_of(const struct ts_id *columns)
{
	struct kept **oldest = &places[0];

	for (size_t i = 0; i < TS_KEPT_LANES; i++) {
		if (is_of(places[i], columns))
			return &places[i];
		if ((places[i] ? places[i]->used : 0) < (*oldest ? (*oldest)->used : 0))
			oldest = &places[i];
	}
	return oldest;
}

enum ts_status ts_kept_lanes_view(const struct ts_id *columns, struct ts_stretch stretch, size_t cells, struct ts_arena *arena,
				  bool *ret_known, struct ts_lanes_view *ret, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct kept *kept;
	bool known;

	pthread_mutex_lock(&lock);
	kept = *place_of(columns);
	known = is_of(kept, columns);
	if (known) {
		kept->used = ++clock_now;
		status = ts_lanes_view(&kept->lanes, stretch, cells, arena, ret, err);
	}
	pthread_mutex_unlock(&lock);
	*ret_known = known;
	return status;
}

static void forget(struct kept *kept)
{
	if (kept)
		ts_arena_finish(&kept->arena);
	ts_free(kept);
}

void ts_kept_lanes_put(const struct ts_id *columns, const struct ts_lanes *lanes)
{
	struct kept *made = ts_alloc(sizeof *made), *old = made, **place;
	struct ts_error none;

	if (!made)
		return;
	*made = (struct kept){.columns = *columns};
	ts_arena_init(&made->arena, 0);
	if (!ts_lanes_copy(lanes, TS_KEPT_LANES_BYTES, &made->arena, &made->lanes, &none)) {
		pthread_mutex_lock(&lock);
		place = place_of(columns);
		made->used = ++clock_now;
		old = *place;
		*place = made;
		pthread_mutex_unlock(&lock);
	}
	forget(old);
}
