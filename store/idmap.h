/* idmap.h - a hash table from id to pointer. Internal to store/.
 *
 * Ids are SHA-256, so their own bytes are the hash.
 * Threads: one thread at a time may use a map.
 */
#ifndef TSCOPE_STORE_IDMAP_H
#define TSCOPE_STORE_IDMAP_H

#include "base/digest.h"

struct ts_idslot {
	struct ts_id id;
	void *value; /* NULL = free */
};

struct ts_idmap {
	struct ts_idslot *slots;
	size_t cap; /* a power of two, or 0 */
	size_t used;
};

void ts_idmap_finish(struct ts_idmap *map); /* frees the table, not the values */
/* The value of an id; NULL if the id is not there. */
void *ts_idmap_get(const struct ts_idmap *map, const struct ts_id *id);
/* Makes room for n more ids, so that as many puts cannot fail; TS_NO_MEMORY otherwise. */
enum ts_status ts_idmap_reserve(struct ts_idmap *map, size_t n, struct ts_error *err);
/* Sets the value of an id, which must not be NULL, and replaces an earlier one. There must be room. */
void ts_idmap_put(struct ts_idmap *map, const struct ts_id *id, void *value);
/* Adds an id if it is not there yet; *ret_added says whether it was added. */
enum ts_status ts_idmap_add(struct ts_idmap *map, const struct ts_id *id, bool *ret_added, struct ts_error *err);

#endif
