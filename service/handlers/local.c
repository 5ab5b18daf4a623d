/* local.c - handlers driven in this process: the channel of a command that has no server. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/user.h"
#include "base/version.h"
#include "service/handlers/channel.h"
#include "service/handlers/core/copied.h"
#include "service/handlers/core/methods.h"

#include <stdio.h>

struct local {
	struct ts_channel base;
	struct ts_engine *engine;
	struct ts_server_facts facts;
	struct ts_peer peer;
};

/* One call: the part that a handler sees, and where its replies go. */
struct local_call {
	struct ts_call call;
	struct ts_arena arena;
	struct ts_arena *reply_arena; /* unary method: the reply is copied there */
	struct ts_span reply;
	size_t replies;
	ts_message_fn *fn; /* download: it receives each reply */
	void *ctx;
	const struct ts_channel *channel;
};

struct ts_upload {
	struct local_call lc;
	const struct ts_handler *handler;
	void *state;
	struct ts_error failed; /* of the first message that failed; later sends report the same error */
};

static struct local *local_of(struct ts_channel *ch)
{
	return (struct local *)(void *)ch;
}

static enum ts_status take_reply(struct ts_call *call, struct ts_span message, struct ts_error *err)
{
	struct local_call *lc = call->driver;

	lc->replies++;
	if (lc->fn)
		return lc->fn(lc->ctx, message, err);
	if (!lc->reply_arena)
		return ts_error_set(err, TS_INTERNAL, "a handler replied before its client had sent everything");
	lc->reply = ts_arena_span(lc->reply_arena, message);
	return lc->reply.data ? TS_OK : ts_arena_error(lc->reply_arena, err);
}

static bool is_stopped(const struct ts_call *call)
{
	return ts_channel_stopped(((const struct local_call *)call->driver)->channel);
}

static void begin(struct local_call *lc, struct local *local, const struct ts_handler *h)
{
	bool analysis = ts_span_is(ts_span_str(h->method), "Analyze") || ts_span_is(ts_span_str(h->method), "Diff");

	lc->channel = &local->base;
	ts_arena_init(&lc->arena, analysis ? TS_ANALYSIS_ARENA : TS_CALL_ARENA);
	lc->call = (struct ts_call){
		.engine = local->engine,
		.server = &local->facts,
		.arena = &lc->arena,
		.peer = &local->peer,
		.caller = ts_span_str(local->peer.name),
		.deadline_ns = INT64_MAX,
		.cancelled = is_stopped,
		.reply = take_reply,
		.driver = lc,
	};
}

static enum ts_status find(const char *method, unsigned stream, const struct ts_handler **ret_handler,
			   struct ts_error *err)
{
	const struct ts_handler *h = ts_handler_find(ts_span_str(method));

	if (!h)
		return ts_error_set(err, TS_UNSUPPORTED, "there is no method %s", method);
	if ((h->flags & (TS_METHOD_STREAM_UP | TS_METHOD_STREAM_DOWN)) != stream)
		return ts_error_set(err, TS_INTERNAL, "method %s is not called in this way", method);
	*ret_handler = h;
	return TS_OK;
}

/* Nobody writes to a mirror, which the store may have become since it was opened. Who writes to another copy without a server makes it
 * a store of its own, too: the copy would take the place of it. */
static enum ts_status begin_call(struct local_call *lc, const struct ts_handler *h, struct ts_error *err)
{
	struct ts_copy copy;

	if (h->flags & TS_METHOD_WRITES) {
		if (ts_call_copied(&lc->call, &copy, err))
			return err->status;
		if (copy.of.len)
			return ts_copy_refuse(&copy, err);
		if (ts_mirror_release(lc->call.engine, false, err))
			return err->status;
	}
	return ts_call_begin(&lc->call, h, err);
}

/* Runs a handler: opens the call, sends one message, closes and drops it. */
static enum ts_status drive(struct local_call *lc, const struct ts_handler *h, struct ts_span request,
			    struct ts_error *err)
{
	void *state = NULL;
	enum ts_status status = begin_call(lc, h, err);

	if (status)
		return status;
	status = h->open ? h->open(&lc->call, &state, err) : TS_OK;

	if (!status)
		status = h->message(&lc->call, state, request, err);
	if (!status && h->close)
		status = h->close(&lc->call, state, err);
	if (h->drop)
		h->drop(state);
	return status;
}

static enum ts_status the_reply(const struct local_call *lc, const char *method, struct ts_span *ret_reply,
				struct ts_error *err)
{
	if (lc->replies != 1)
		return ts_error_set(err, TS_INTERNAL, "method %s replied %zu times, not once", method, lc->replies);
	*ret_reply = lc->reply;
	return TS_OK;
}

static enum ts_status local_call(struct ts_channel *ch, const char *method, struct ts_span request,
				 struct ts_arena *arena, struct ts_span *ret_reply, struct ts_error *err)
{
	struct local_call lc = {.reply_arena = arena};
	const struct ts_handler *h;
	enum ts_status status;

	if (find(method, 0, &h, err))
		return err->status;
	begin(&lc, local_of(ch), h);
	status = drive(&lc, h, request, err);
	if (!status)
		status = the_reply(&lc, method, ret_reply, err);
	ts_arena_finish(&lc.arena);
	return status;
}

static enum ts_status local_download(struct ts_channel *ch, const char *method, struct ts_span request,
				     ts_message_fn *fn, void *ctx, struct ts_error *err)
{
	struct local_call lc = {.fn = fn, .ctx = ctx};
	const struct ts_handler *h;
	enum ts_status status;

	if (find(method, TS_METHOD_STREAM_DOWN, &h, err))
		return err->status;
	begin(&lc, local_of(ch), h);
	status = drive(&lc, h, request, err);
	ts_arena_finish(&lc.arena);
	return status;
}

static void end_upload(struct ts_upload *u)
{
	if (u->handler->drop)
		u->handler->drop(u->state);
	ts_arena_finish(&u->lc.arena);
	ts_free(u);
}

static enum ts_status local_upload_open(struct ts_channel *ch, const char *method, struct ts_upload **ret_upload,
					struct ts_error *err)
{
	const struct ts_handler *h;
	struct ts_upload *u;

	if (find(method, TS_METHOD_STREAM_UP, &h, err))
		return err->status;
	u = ts_alloc_array(1, sizeof *u);
	if (!u)
		return ts_error_set(err, TS_NO_MEMORY, "no memory for an upload");
	u->handler = h;
	begin(&u->lc, local_of(ch), h);
	if (begin_call(&u->lc, h, err) || (h->open && h->open(&u->lc.call, &u->state, err))) {
		end_upload(u);
		return err->status;
	}
	*ret_upload = u;
	return TS_OK;
}

static enum ts_status local_upload_send(struct ts_upload *u, struct ts_span message, struct ts_error *err)
{
	if (!u->failed.status)
		u->handler->message(&u->lc.call, u->state, message, &u->failed);
	ts_arena_reset(&u->lc.arena);
	if (!u->failed.status)
		return TS_OK;
	*err = u->failed;
	return err->status;
}

static enum ts_status local_upload_finish(struct ts_upload *u, struct ts_arena *arena, struct ts_span *ret_reply,
					  struct ts_error *err)
{
	enum ts_status status = u->failed.status;

	u->lc.reply_arena = arena;
	if (status)
		*err = u->failed;
	else if (u->handler->close)
		status = u->handler->close(&u->lc.call, u->state, err);
	if (!status)
		status = the_reply(&u->lc, u->handler->method, ret_reply, err);
	end_upload(u);
	return status;
}

static void local_destroy(struct ts_channel *ch)
{
	ts_free(local_of(ch));
}

static const struct ts_channel_ops local_ops = {
	.call = local_call,
	.upload_open = local_upload_open,
	.upload_send = local_upload_send,
	.upload_finish = local_upload_finish,
	.upload_cancel = end_upload,
	.download = local_download,
	.destroy = local_destroy,
};

enum ts_status ts_channel_local(struct ts_engine *engine, const char *where, struct ts_channel **ret_channel,
				struct ts_error *err)
{
	struct local *local = ts_alloc_array(1, sizeof *local);
	char user[TS_USER_TEXT];

	if (!local)
		return ts_error_set(err, TS_NO_MEMORY, "no memory for a channel");
	local->base.ops = &local_ops;
	local->base.where = where;
	local->base.has_all = true;
	local->engine = engine;
	local->peer = (struct ts_peer){.kind = TS_PEER_LOCAL, .private_line = true};
	local->peer.key = ts_peer_key(TS_PEER_LOCAL, ts_span_str(""));
	(void)snprintf(local->peer.name, sizeof local->peer.name, "%s", ts_user_self(user));
	local->facts = (struct ts_server_facts){
		.version = ts_version(),
		.store = where,
		.started_ns = ts_now_real_ns(),
		.keep_removed_s = TS_KEEP_REMOVED_SECONDS,
		.mirror = engine,
	};
	*ret_channel = &local->base;
	return TS_OK;
}
