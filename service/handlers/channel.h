/* channel.h - the interface by which a command calls handlers, whether they run in this process or on a server.
 *
 * In both cases the same bytes go through the same handlers, so the answers are the same bytes too. A method is named as in the
 * table of handlers; requests and replies are serialized tscope.v1 messages, which proto/wire.h packs and unpacks.
 *
 *	ts_channel_call(ch, "Diff", request, &arena, &reply, err)	one request, one reply
 *	ts_channel_open(ch, "PutObjects", &call, err)			a stream up: send..., then finish for the reply
 *	ts_channel_download(ch, "GetObjects", request, &arena, fn, ctx, err)	a stream down; arena is reset per message
 *
 * Errors keep the status and the text that the handler gave. Threads: one command at a time per channel.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CHANNEL_H
#define TSCOPE_SERVICE_HANDLERS_CHANNEL_H

#include "base/arena.h"
#include "base/limits.h"
#include "store/engine.h"

#include <stdatomic.h>

struct ts_channel;
struct ts_upload;

typedef enum ts_status ts_message_fn(void *ctx, struct ts_span message, struct ts_error *err);

struct ts_channel_ops {
	enum ts_status (*call)(struct ts_channel *ch, const char *method, struct ts_span request,
			       struct ts_arena *arena, struct ts_span *ret_reply, struct ts_error *err);
	enum ts_status (*upload_open)(struct ts_channel *ch, const char *method, struct ts_upload **ret_upload,
				      struct ts_error *err);
	enum ts_status (*upload_send)(struct ts_upload *upload, struct ts_span message, struct ts_error *err);
	/* Ends the stream and waits for the reply. The upload is freed, whatever is returned. */
	enum ts_status (*upload_finish)(struct ts_upload *upload, struct ts_arena *arena, struct ts_span *ret_reply,
					struct ts_error *err);
	void (*upload_cancel)(struct ts_upload *upload);
	enum ts_status (*download)(struct ts_channel *ch, const char *method, struct ts_span request,
				   ts_message_fn *fn, void *ctx, struct ts_error *err);
	void (*destroy)(struct ts_channel *ch);
};

struct ts_channel {
	const struct ts_channel_ops *ops;
	/* The runs that this command looked at last, which GetObjects names beside ids. */
	struct ts_id heads[TS_CHANNEL_HEADS];
	size_t n_heads; /* how many were noted so far; the i-th stands at i % TS_CHANNEL_HEADS */
	const char *where; /* "local store /home/...", "unix:/run/tscoped.sock": for messages */
	bool has_all; /* the other side was asked, and has each capability of this version (proto/capability.h) */
	/* True: nobody waits for answers any more, and calls end as TS_CANCELLED; one with one reply is cancelled where a server works
	 * on it, too. Set by any thread; NULL: never. */
	const atomic_bool *stop;
};

static inline bool ts_channel_stopped(const struct ts_channel *ch)
{
	return ch->stop && atomic_load_explicit(ch->stop, memory_order_relaxed);
}

/* Notes a run whose objects will be asked for. */
static inline void ts_channel_note_head(struct ts_channel *ch, const struct ts_id *head)
{
	for (size_t i = 0; i < ch->n_heads && i < TS_CHANNEL_HEADS; i++)
		if (ts_id_eq(&ch->heads[i], head))
			return;
	ch->heads[ch->n_heads++ % TS_CHANNEL_HEADS] = *head;
}

static inline size_t ts_channel_heads(const struct ts_channel *ch)
{
	return ch->n_heads < TS_CHANNEL_HEADS ? ch->n_heads : TS_CHANNEL_HEADS;
}

/* Opens a channel to handlers in this process over an engine, which the channel does not own. */
enum ts_status ts_channel_local(struct ts_engine *engine, const char *where, struct ts_channel **ret_channel,
				struct ts_error *err);

#endif
