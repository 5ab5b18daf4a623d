#include "store/reached.h"

#include "base/alloc.h"
#include "base/map.h"

void ts_reached_init(struct ts_reached *r)
{
	r->places = NULL;
	pthread_mutex_init(&r->lock, NULL);
}

void ts_reached_finish(struct ts_reached *r)
{
	ts_free(r->places);
	pthread_mutex_destroy(&r->lock);
}

/* Where a place is, if it is there: another one with the same hash takes it. An empty slot is that of offset 0 in pack 0, for no
 * project. */
static size_t slot_of(const struct ts_reached_place *p)
{
	return (size_t)(ts_hash_fold(p->pack ^ p->project, ts_hash_open[0] ^ p->offset) >> (64 - TS_REACHED_LOG2));
}

static bool same(const struct ts_reached_place *a, const struct ts_reached_place *b)
{
	return a->pack == b->pack && a->offset == b->offset && a->project == b->project;
}

bool ts_reached_has(struct ts_reached *r, const struct ts_reached_place *place)
{
	bool has;

	pthread_mutex_lock(&r->lock);
	has = r->places && same(&r->places[slot_of(place)], place);
	pthread_mutex_unlock(&r->lock);
	return has;
}

void ts_reached_add(struct ts_reached *r, const struct ts_reached_place *place)
{
	pthread_mutex_lock(&r->lock);
	if (!r->places)
		r->places = ts_alloc_array(TS_REACHED_SLOTS, sizeof *r->places);
	if (r->places)
		r->places[slot_of(place)] = *place;
	pthread_mutex_unlock(&r->lock);
}
