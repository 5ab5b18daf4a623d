#include "record/occurrences.h"

#include <stdlib.h>

struct place {
	uint64_t hash; /* 0: free */
	uint32_t count;
};

struct ts_occurrences {
	int64_t step;
	size_t used, size; /* a power of two */
	struct place *places;
};

struct ts_occurrences *ts_occurrences_create(void)
{
	return calloc(1, sizeof(struct ts_occurrences));
}

void ts_occurrences_destroy(struct ts_occurrences *o)
{
	if (o)
		free(o->places);
	free(o);
}

static void forget(struct ts_occurrences *o)
{
	for (size_t i = 0; i < o->size; i++)
		o->places[i].hash = 0;
	o->used = 0;
}

static struct place *find(struct place *places, size_t size, uint64_t hash)
{
	size_t i = (hash >> 1) & (size - 1);

	while (places[i].hash && places[i].hash != hash)
		i = (i + 1) & (size - 1);
	return &places[i];
}

/* Keeps at least half of the places free. */
static int grow(struct ts_occurrences *o)
{
	size_t size = o->size ? 2 * o->size : 64;
	struct place *places;

	if (2 * (o->used + 1) <= o->size)
		return 1;
	places = calloc(size, sizeof *places);
	if (!places)
		return 0;
	for (size_t i = 0; i < o->size; i++) {
		if (o->places[i].hash)
			*find(places, size, o->places[i].hash) = o->places[i];
	}
	free(o->places);
	o->places = places;
	o->size = size;
	return 1;
}

uint32_t ts_occurrences_count(struct ts_occurrences *o, int64_t step, const char *name, size_t len)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	struct place *p;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(1099511628211);
	hash = (hash ^ hash >> 32) | 1;
	if (step != o->step)
		forget(o);
	o->step = step;
	if (!grow(o))
		return 0;
	p = find(o->places, o->size, hash);
	if (!p->hash) {
		p->hash = hash;
		p->count = 0;
		o->used++;
	}
	return p->count++;
}
