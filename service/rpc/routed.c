#include "service/rpc/routed.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "service/rpc/address_list.h"
#include "service/rpc/client_call.h"
#include "service/rpc/route.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

struct routed {
	struct ts_channel base; /* must be first: a channel is cast to its list */
	struct ts_client_login login;
	struct ts_address_list list;
	struct ts_channel *servers[TS_ROUTE_SERVERS]; /* NULL: not connected */
	int64_t away_until_ns[TS_ROUTE_SERVERS];
	struct ts_route_key own; /* for calls about no run: clients choose different servers */
	char where[TS_CLIENT_WHERE];
};

/* Connects to the server i if it is not connected. */
static enum ts_status reach(struct routed *r, size_t i, struct ts_error *err)
{
	if (r->servers[i]) {
		r->servers[i]->stop = r->base.stop; /* which may have been said since */
		return TS_OK;
	}
	if (ts_client_open(r->list.at[i], &r->login, &r->servers[i], err)) {
		r->servers[i] = NULL;
		r->away_until_ns[i] = ts_now_mono_ns() + TS_ROUTE_AWAY_SECONDS * INT64_C(1000000000);
		return err->status;
	}
	r->away_until_ns[i] = 0;
	r->servers[i]->stop = r->base.stop;
	return TS_OK;
}

/* The servers in the order in which a call asks them: those that were away a moment ago come last, since they may be back. */
static void order_of(const struct routed *r, const struct ts_route_key *key, size_t *ret_order)
{
	size_t order[TS_ROUTE_SERVERS], at = 0;
	int64_t now = ts_now_mono_ns();

	ts_route_order(r->list.at, r->list.n, key->hex[0] ? key : &r->own, order);
	for (int away = 0; away < 2; away++) {
		for (size_t i = 0; i < r->list.n; i++) {
			if ((r->away_until_ns[order[i]] > now) == away)
				ret_order[at++] = order[i];
		}
	}
}

/* Whether the next server may be asked after this failure: it was not begun, or may be made twice. */
static bool may_go_on(struct routed *r, size_t i, const char *method, enum ts_status status)
{
	struct ts_client *client = (struct ts_client *)r->servers[i];

	if (status != TS_UNAVAILABLE || ts_channel_stopped(&r->base) || client->busy)
		return false;
	/* Also where this call cannot go on: the next one need not find out again. */
	r->away_until_ns[i] = ts_now_mono_ns() + TS_ROUTE_AWAY_SECONDS * INT64_C(1000000000);
	return !client->begun || ts_route_may_repeat(method);
}

/* A call as it is tried at one server after another. */
struct tried {
	const char *method;
	struct ts_span request;
	struct ts_arena *arena; /* of a call, with its reply */
	struct ts_span *ret_reply;
	ts_message_fn *fn; /* of a download, with how many messages its caller has */
	void *ctx;
	size_t n;
	struct ts_upload **ret_upload; /* of an upload */
};

typedef enum ts_status try_fn(struct ts_channel *server, struct tried *t, struct ts_error *err);

/* Tries the call at one server after another until one answers, or it must not be made again: what a caller has would come twice. */
static enum ts_status try_each(struct routed *r, const struct ts_route_key *key, try_fn *fn, struct tried *t, struct ts_error *err)
{
	size_t order[TS_ROUTE_SERVERS];
	enum ts_status status = TS_OK;

	order_of(r, key, order);
	for (size_t at = 0; at < r->list.n; at++) {
		size_t i = order[at];

		status = reach(r, i, err);
		if (!status)
			status = fn(r->servers[i], t, err);
		else if (status == TS_UNAVAILABLE)
			continue;
		if (!status || t->n || !may_go_on(r, i, t->method, status))
			return status;
	}
	return status;
}

static enum ts_status try_call(struct ts_channel *server, struct tried *t, struct ts_error *err)
{
	return server->ops->call(server, t->method, t->request, t->arena, t->ret_reply, err);
}

static enum ts_status routed_call(struct ts_channel *ch, const char *method, struct ts_span request, struct ts_arena *arena,
				  struct ts_span *ret_reply, struct ts_error *err)
{
	struct ts_route_key key = ts_route_key(method, request);
	struct tried t = {.method = method, .request = request, .arena = arena, .ret_reply = ret_reply};

	return try_each((struct routed *)ch, &key, try_call, &t, err);
}

static enum ts_status count(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct tried *t = ctx;

	t->n++;
	return t->fn(t->ctx, message, err);
}

static enum ts_status try_download(struct ts_channel *server, struct tried *t, struct ts_error *err)
{
	return server->ops->download(server, t->method, t->request, count, t, err);
}

static enum ts_status routed_download(struct ts_channel *ch, const char *method, struct ts_span request, ts_message_fn *fn, void *ctx,
				      struct ts_error *err)
{
	struct ts_route_key key = ts_route_key(method, request);
	struct tried t = {.method = method, .request = request, .fn = fn, .ctx = ctx};

	return try_each((struct routed *)ch, &key, try_download, &t, err);
}

static enum ts_status try_upload(struct ts_channel *server, struct tried *t, struct ts_error *err)
{
	return server->ops->upload_open(server, t->method, t->ret_upload, err);
}

static enum ts_status routed_upload_open(struct ts_channel *ch, const char *method, struct ts_upload **ret_upload, struct ts_error *err)
{
	struct routed *r = (struct routed *)ch;
	struct tried t = {.method = method, .ret_upload = ret_upload};

	return try_each(r, &r->own, try_upload, &t, err);
}

static void routed_destroy(struct ts_channel *ch)
{
	struct routed *r = (struct routed *)ch;

	for (size_t i = 0; i < r->list.n; i++) {
		if (r->servers[i])
			r->servers[i]->ops->destroy(r->servers[i]);
	}
	ts_free(r);
}

/* An upload knows its client, so it needs no list any more. */
static const struct ts_channel_ops routed_ops = {
	.call = routed_call,
	.upload_open = routed_upload_open,
	.upload_send = ts_client_upload_send,
	.upload_finish = ts_client_upload_finish,
	.upload_cancel = ts_client_upload_cancel,
	.download = routed_download,
	.destroy = routed_destroy,
};

/* Connects to the first server that answers. */
static enum ts_status reach_any(struct routed *r, struct ts_error *err)
{
	size_t order[TS_ROUTE_SERVERS];
	enum ts_status status = TS_OK;

	order_of(r, &r->own, order);
	for (size_t i = 0; i < r->list.n; i++) {
		status = reach(r, order[i], err);
		if (status != TS_UNAVAILABLE)
			return status;
	}
	return status;
}

enum ts_status ts_routed_open(const char *addresses, const struct ts_client_login *login, struct ts_channel **ret_channel,
			      struct ts_error *err)
{
	struct routed *r;

	if (!strchr(addresses, ','))
		return ts_client_open(addresses, login, ret_channel, err);
	r = ts_alloc_array(1, sizeof *r);
	if (!r)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a channel");
	if (ts_address_list_parse(addresses, &r->list, err)) {
		ts_free(r);
		return ts_client_open(addresses, login, ret_channel, err); /* a path with a comma, or no address at all: it says so */
	}
	r->base = (struct ts_channel){.ops = &routed_ops, .where = r->where};
	if (login)
		r->login = *login;
	(void)snprintf(r->where, sizeof r->where, "%s", addresses);
	(void)snprintf(r->own.hex, sizeof r->own.hex, "%016" PRIx64, (uint64_t)ts_now_mono_ns() ^ (uint64_t)getpid() << 32);
	if (reach_any(r, err)) {
		routed_destroy(&r->base);
		return err->status;
	}
	*ret_channel = &r->base;
	return TS_OK;
}
