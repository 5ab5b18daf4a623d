/* idmap.h - from id to pointer, in the order in which ids came. Internal to store/.
 *
 * Ids are SHA-256, so their own bytes are the hash.
 * Threads: one thread at a time may use a map.
 */
#ifndef TSCOPE_STORE_IDMAP_H
#define TSCOPE_STORE_IDMAP_H

#include "base/digest.h"
#include "base/map.h"

struct ts_iditem {
	struct ts_id id;
	void *value; /* never NULL */
};

struct ts_idmap {
	struct ts_map places; /* of items, by id */
	struct ts_iditem *items;
	size_t n, cap;
};

void ts_idmap_finish(struct ts_idmap *map); /* frees the table, not the values */
/* The value of an id; NULL if the id is not there. */
void *ts_idmap_get(const struct ts_idmap *map, const struct ts_id *id);
/* Sets the value of an id, which must not be NULL, and replaces an earlier one. Without memory the map stays as it was. */
enum ts_status ts_idmap_put(struct ts_idmap *map, const struct ts_id *id, void *value, struct ts_error *err);
/* Adds an id if it is not there yet; *ret_added says whether it was added. */
enum ts_status ts_idmap_add(struct ts_idmap *map, const struct ts_id *id, bool *ret_added, struct ts_error *err);

#endif
