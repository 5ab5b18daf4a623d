/* pool.h - a fixed number of threads that run the tasks of many peers in turn.
 *
 * Where cores are fewer than work, threads of a pool with a step stand behind those of a pool with a smaller one: the kernel gives them
 * less of a core (each step of nice is a fifth less), and who only just woke does not wait for them.
 *
 * Each peer has a queue of its own, in the order in which its tasks were pushed; the threads take from the queues in turn. So a peer
 * that pushes a thousand tasks delays another's one task by one turn. And a peer that is alone leaves a thread free for whoever comes
 * next: it has at most TS_SHARE_THREADS percent of the threads that others do not use, and always one.
 *
 * A task is a member of the struct that it works on; it must not be pushed while it is queued.
 * Threads: ts_pool_push and ts_pool_waits are safe. ts_pool_destroy runs the queued tasks, then joins the threads; nothing may be
 * pushed after it.
 */
#ifndef TSCOPE_SERVICE_RPC_POOL_H
#define TSCOPE_SERVICE_RPC_POOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ts_pool_task {
	void (*run)(struct ts_pool_task *task);
	uint64_t peer;			/* whose it is: the key of a ts_peer */
	struct ts_pool_task *next;	/* of the same peer */
	/* These are of the first task of a peer alone. */
	struct ts_pool_task *last;	/* of the same peer */
	struct ts_pool_task *next_peer; /* the first task of the peer whose turn is next */
};

struct ts_pool;

/* name: of its threads, as top -H shows them, at most 15 bytes. step: by how much they stand behind the thread that creates them, 0 to
 * 19. */
enum ts_status ts_pool_create(const char *name, unsigned threads, int step, struct ts_pool **ret_pool, struct ts_error *err);
void ts_pool_destroy(struct ts_pool *pool); /* NULL is allowed */
void ts_pool_push(struct ts_pool *pool, struct ts_pool_task *task);
/* Whether a task waits: who has more to do pushes itself again then, and takes its turn. */
bool ts_pool_waits(const struct ts_pool *pool);

#endif
