/* pool.h - a fixed number of threads that run tasks in the order in which they were pushed.
 *
 * A task is a member of the struct that it works on; it must not be pushed while it is queued. run() gets the thread's own
 * arena, empty. Threads: ts_pool_push is safe. ts_pool_destroy runs the queued tasks, then joins the threads; nothing may be
 * pushed after it.
 */
#ifndef TSCOPE_SERVICE_RPC_POOL_H
#define TSCOPE_SERVICE_RPC_POOL_H

#include "base/arena.h"

struct ts_pool_task {
	void (*run)(struct ts_pool_task *task, struct ts_arena *arena);
	struct ts_pool_task *next;
};

struct ts_pool;

enum ts_status ts_pool_create(unsigned threads, struct ts_pool **ret_pool, struct ts_error *err);
void ts_pool_destroy(struct ts_pool *pool); /* NULL is allowed */
void ts_pool_push(struct ts_pool *pool, struct ts_pool_task *task);

#endif
