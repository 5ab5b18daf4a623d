/* handler.h - the interface of a method of the service, without any network: open, one or more messages, close.
 *
 * The server loop (service/rpc) and the local channel drive handlers in the same way:
 *
 *	ts_call_begin(call, h)		first of all: may the caller call this? (access.h)
 *	state = h->open(call)		before any message; the state may be NULL
 *	h->message(call, state, bytes)	once for unary and server-streaming methods, 0..n times for client streams
 *	h->close(call, state)		the client has sent everything; the last chance to reply
 *	h->drop(state)			called once in any case, also after errors and cancellation
 *
 * A unary method may also have a quick answer, which the server tries first, on its queue thread:
 *
 *	h->quick(call, bytes)		true: it has replied, and nothing more is called
 *					false: it did nothing, for any reason; the call goes on as above, on another thread
 *
 * quick must not write, wait for anything or take more than tens of microseconds. It has no error of its own: message meets the
 * same problem and reports it. So message alone is always correct, and the local channel, which has no queue to keep free,
 * never calls quick. The request is at most TS_QUICK_BYTES long.
 *
 * Replies are sent by call->reply, which may block while the network is slow. After an error only drop is called. call->arena
 * is reset after each message; data that must live longer belongs to the state (ts_alloc). Threads: one call is handled by one
 * thread at a time; handlers of different calls run at once.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_HANDLER_H
#define TSCOPE_SERVICE_HANDLERS_CORE_HANDLER_H

#include "base/arena.h"
#include "service/auth/quota.h"
#include "service/handlers/core/access.h"
#include "store/engine.h"

#include <stdatomic.h>

enum ts_method_flags {
	TS_METHOD_CHEAP = 1,	     /* it takes microseconds, so it may run on the queue thread */
	TS_METHOD_STREAM_UP = 2,     /* it takes many requests */
	TS_METHOD_STREAM_DOWN = 4,   /* it gives many replies */
	TS_METHOD_WRITES = 8,	     /* a read-only server refuses it */
};

/* Each lane has threads of its own, so that calls of one kind never wait for those of another. */
enum ts_lane {
	TS_LANE_READ,  /* small answers from the index: they should be there at once */
	TS_LANE_WRITE, /* may wait for the writer of the store and its disk, or for the next message of a client */
	TS_LANE_DOWN,  /* may wait for a client that reads slowly */
	TS_LANE_LONG,  /* reads whole runs, or the whole store */
	TS_LANES
};

struct ts_server_facts {	/* what ServerInfo replies */
	const char *version;
	const char *store;	/* path or "memory" */
	int64_t started_ns;
	bool read_only;
	const char *leader; /* the server that this one follows; NULL: none */
	struct ts_engine *mirror; /* the store, unguarded, which says whether it is a mirror (struct ts_mirrored); NULL: it is none */
	atomic_int_fast64_t *held_ns; /* when its store last was the leader's; 0: not yet */
	uint64_t gc_lease_min_s; /* 0 for a local channel */
	uint64_t keep_removed_s; /* how long removed names are kept */
	struct ts_quotas *quotas; /* NULL: none */
	struct ts_audit *audit;	  /* NULL: none */
	struct ts_members *members; /* the other servers of the store (shared_work.h); NULL: none is known */
};

struct ts_call {
	struct ts_engine *engine;
	const struct ts_server_facts *server;
	struct ts_arena *arena;
	const struct ts_peer *peer; /* who calls; lives as long as the call */
	const struct ts_identity *who; /* what the caller counts as, and may; NULL: everything */
	struct ts_access access;       /* of ts_call_begin */
	struct ts_span caller;	/* "ada", "uid 1000", "127.0.0.1:5123": for the log, and as the author of changes */
	int64_t deadline_ns;	/* monotonic; INT64_MAX = none */
	bool (*cancelled)(const struct ts_call *call); /* the client is gone, the deadline is over, the server stops */
	enum ts_status (*reply)(struct ts_call *call, struct ts_span message, struct ts_error *err);
	void *driver;
};

struct ts_handler {
	const char *method; /* "Diff" */
	enum ts_lane lane;
	unsigned flags;
	enum ts_auth_role needs; /* the role without which it cannot be called, in some project; admin in all. A row needs one */
	enum ts_status (*open)(struct ts_call *call, void **ret_state, struct ts_error *err); /* may be NULL */
	enum ts_status (*message)(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err);
	enum ts_status (*close)(struct ts_call *call, void *state, struct ts_error *err); /* may be NULL */
	void (*drop)(void *state); /* may be NULL */
	bool (*quick)(struct ts_call *call, struct ts_span request); /* may be NULL; only without open, close and streams */
};

/* The table of all methods of tscope.v1.Tscope. */
const struct ts_handler *ts_handlers(size_t *ret_n);
const struct ts_handler *ts_handler_find(struct ts_span method);

/* Whether this caller may free what was sent or asked for up to lease_s seconds ago, and names that were removed up to removed_s
 * seconds ago; else TS_DENIED, with a text. */
enum ts_status ts_call_may_sweep(const struct ts_call *call, uint64_t lease_s, uint64_t removed_s, struct ts_error *err);

/* Returns TS_CANCELLED or TS_DEADLINE with a text when the call should stop; long loops call it now and then. */
enum ts_status ts_call_check(const struct ts_call *call, struct ts_error *err);

#endif
