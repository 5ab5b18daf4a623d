#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/column_table.h"

#include "record/frame.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 32768 }; /* a power of two, twice as many as columns */

struct entry {
	uint8_t kind, len;
	char name[]; /* len bytes */
};

struct ts_column_table {
	pthread_mutex_t lock;
	uint16_t count;
	uint16_t places[PLACES]; /* by hash, then on to the next that is 0 */
	struct entry *entries[TS_FRAME_COLUMNS_MAX + 1];
};

struct ts_column_table *ts_column_table_create(void)
{
	struct ts_column_table *t = calloc(1, sizeof *t);

	if (t)
		(void)pthread_mutex_init(&t->lock, NULL);
	return t;
}

void ts_column_table_destroy(struct ts_column_table *t)
{
	if (!t)
		return;
	for (uint16_t i = 1; i <= t->count; i++)
		free(t->entries[i]);
	(void)pthread_mutex_destroy(&t->lock);
	free(t);
}

/* FNV-1a. */
static uint32_t hash(uint8_t kind, const char *name, size_t len)
{
	uint32_t h = (UINT32_C(2166136261) ^ kind) * 16777619;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)name[i]) * 16777619;
	return h ^ h >> 15;
}

static uint16_t add(struct ts_column_table *t, uint8_t kind, const char *name, size_t len)
{
	struct entry *e = t->count < TS_FRAME_COLUMNS_MAX ? malloc(sizeof *e + len) : NULL;

	if (!e)
		return 0;
	e->kind = kind;
	e->len = (uint8_t)len;
	memcpy(e->name, name, len);
	t->entries[++t->count] = e;
	return t->count;
}

uint16_t ts_column_table_find(struct ts_column_table *t, uint8_t kind, const char *name, size_t len, bool *ret_new)
{
	uint32_t place = hash(kind, name, len) % PLACES;
	uint16_t column;

	(void)pthread_mutex_lock(&t->lock);
	for (; t->places[place]; place = (place + 1) % PLACES) {
		const struct entry *e = t->entries[t->places[place]];

		if (e->kind == kind && e->len == len && memcmp(e->name, name, len) == 0)
			break;
	}
	column = t->places[place];
	*ret_new = false;
	if (column == 0) {
		column = t->places[place] = add(t, kind, name, len);
		*ret_new = column != 0;
	}
	if (!*ret_new)
		(void)pthread_mutex_unlock(&t->lock);
	return column;
}

void ts_column_table_known(struct ts_column_table *t)
{
	(void)pthread_mutex_unlock(&t->lock);
}
