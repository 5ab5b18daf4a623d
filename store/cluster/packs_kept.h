/* packs_kept.h - packs that one snapshot or one write has read of a bucket, by their SHA-256, so that each is read once.
 *
 *	struct ts_packs_kept kept;
 *	ts_packs_kept_init(&kept)
 *	ts_packs_kept_find(&kept, &digest, &bytes)	false: it is not there
 *	ts_packs_kept_add(&kept, &digest, bytes, &ret, &err)
 *	ts_packs_kept_finish(&kept)
 *
 * What was found or added stays valid until 64 MiB of other packs were found or added, or until the end. At most 128 MiB are held, and
 * one pack more; they count as the memory of the thread that began. Threads: one at a time. */
#ifndef TSCOPE_STORE_CLUSTER_PACKS_KEPT_H
#define TSCOPE_STORE_CLUSTER_PACKS_KEPT_H

#include "base/budget.h"
#include "store/idmap.h"

enum { TS_PACKS_KEPT_BYTES = 64 << 20 };

struct ts_packs_kept {
	struct ts_budget *budget; /* NULL: none */
	struct ts_packs_age {
		struct ts_idmap packs;
		size_t bytes;
	} young, old; /* what is used becomes young; when that is full, it becomes old, and what was old goes */
};

void ts_packs_kept_init(struct ts_packs_kept *kept);
void ts_packs_kept_finish(struct ts_packs_kept *kept);
bool ts_packs_kept_find(struct ts_packs_kept *kept, const struct ts_id *digest, struct ts_span *ret);
/* Copies a pack that is not there; *ret is the copy. TS_NO_MEMORY also where the budget has not so much left. */
enum ts_status ts_packs_kept_add(struct ts_packs_kept *kept, const struct ts_id *digest, struct ts_span bytes, struct ts_span *ret,
				 struct ts_error *err);

#endif
