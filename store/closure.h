/* closure.h - walks over everything that an object needs, without recursion. Internal to store/.
 *
 * The walk asks its caller three things; the caller decides which ids count as seen and which trouble ends the walk:
 *
 *	visit	is this id seen for the first time?
 *	look	is the object there, and must its references be followed?
 *	trouble	the object is not there (TS_NOT_FOUND) or cannot be read (TS_DAMAGED): TS_OK to go on, or a status to stop with
 */
#ifndef TSCOPE_STORE_CLOSURE_H
#define TSCOPE_STORE_CLOSURE_H

#include "base/arena.h"
#include "store/sealed.h"

struct ts_found {
	bool follow;		 /* its references must be followed: nrefs > 0, and its closure is not known to be complete */
	struct ts_sealed sealed; /* if follow is set: valid until the next look */
};

struct ts_closure_ops {
	enum ts_status (*visit)(void *ctx, const struct ts_id *id, bool *ret_first, struct ts_error *err);
	enum ts_status (*look)(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_found *ret_found,
			       struct ts_error *err);
	enum ts_status (*trouble)(void *ctx, const struct ts_id *id, struct ts_error *err);
	/* These are seen for the first time and will be looked at. NULL: nobody wants to know. */
	enum ts_status (*ahead)(void *ctx, const struct ts_id *ids, size_t n, struct ts_error *err);
};

struct ts_closure {
	const struct ts_closure_ops *ops;
	void *ctx;
	struct ts_id *stack;
	size_t n;
	size_t cap;
	struct ts_arena arena; /* holds the present object */
};

void ts_closure_init(struct ts_closure *c, const struct ts_closure_ops *ops, void *ctx);
void ts_closure_finish(struct ts_closure *c);
/* Walks from root. Returns TS_OK, or the status with which visit, look or trouble stopped it. */
enum ts_status ts_closure_walk(struct ts_closure *c, const struct ts_id *root, struct ts_error *err);

#endif
