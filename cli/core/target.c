/* target.c - see target.h. */
#include "cli/core/target.h"

#include "base/denied.h"
#include "base/file.h"
#include "service/rpc/address.h"
#include "service/rpc/routed.h"
#include "service/rpc/remote_depot.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum ts_status ts_store_path(const char *store, struct ts_arena *arena, const char **ret_path, struct ts_error *err)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	const char *path;

	if (!store || !*store)
		store = getenv("TSCOPE_STORE");
	if (store && *store)
		path = store;
	else if (data && data[0] == '/') /* the XDG specification says that a relative path must be ignored */
		path = ts_arena_printf(arena, "%s/tscope/store", data);
	else if (home && home[0] == '/')
		path = ts_arena_printf(arena, "%s/.local/share/tscope/store", home);
	else
		return ts_error_set(err, TS_INVALID,
				    "there is no home folder for a local store; give a folder with --store or TSCOPE_STORE");
	if (!path)
		return ts_arena_error(arena, err);
	*ret_path = path;
	return TS_OK;
}

/* The first part of the store that was denied is explained. */
static enum ts_status explain(const char *path, enum ts_target_use use, struct ts_arena *arena, struct ts_error *err)
{
	static const char *const files[] = {"data.mdb", "lock.mdb"};
	int wanted = use == TS_USE_READ ? R_OK : R_OK | W_OK;

	if (ts_explain_denied(path, wanted | X_OK, err))
		return err->status;
	for (size_t i = 0; i < 2; i++) {
		const char *file = ts_arena_printf(arena, "%s/%s", path, files[i]);

		if (file && ts_explain_denied(file, wanted, err))
			break;
	}
	return err->status;
}

static enum ts_status open_engine(struct ts_target *t, const char *path, enum ts_target_use use, struct ts_arena *arena,
				  struct ts_error *err)
{
	struct ts_lmdb_options options = {.path = path, .create = use == TS_USE_CREATE};
	enum ts_status status;

	if (path && strncmp(path, "cluster:", 8) == 0)
		return ts_error_set(err, TS_UNSUPPORTED,
				    "a store in a database is opened by servers: start tscoped --store %s, and name it by --server",
				    path);
	/* A store may exist even if access() is denied; opening it then reports the reason. */
	if (!path || (use != TS_USE_CREATE && access(path, F_OK) != 0 && errno == ENOENT))
		return ts_memory_open(NULL, &t->engine, err);
	t->absent = NULL;
	status = ts_lmdb_open(&options, &t->engine, err);
	if (status == TS_DENIED && use == TS_USE_READ) {
		struct ts_error second;

		/* A store that belongs to another user can be read, but nothing is added to its cache. */
		options.read_only = true;
		if (ts_lmdb_open(&options, &t->engine, &second) == TS_OK)
			return TS_OK;
	}
	return status == TS_DENIED ? explain(path, use, arena, err) : status;
}

/* Why there is no store, if it turns out that there is none. */
static const char *why_absent(const char *store, const char *path, struct ts_arena *arena)
{
	const char *variable = getenv("TSCOPE_STORE");

	if (!path)
		return "there is no local store, because HOME names no folder and --store none";
	if (store && *store)
		return ts_arena_printf(arena, "there is no store at %s, which --store names", path);
	if (variable && *variable)
		return ts_arena_printf(arena, "there is no store at %s, which TSCOPE_STORE names", path);
	return ts_arena_printf(arena, "there is no local store, %s, because nothing was ever pushed to it", path);
}

static enum ts_status open_local(struct ts_target *t, const char *store, enum ts_target_use use,
				 struct ts_arena *arena, struct ts_error *err)
{
	const char *path = NULL;
	enum ts_status status = ts_store_path(store, arena, &path, err);

	/* A job without a home folder has no store, but it can still compare two folders. */
	if (status && !(status == TS_INVALID && use == TS_USE_READ))
		return status;
	t->where = path ? ts_arena_printf(arena, "local store %s", path) : "a local store";
	t->absent = why_absent(store, path, arena);
	if (!t->where || !t->absent)
		return ts_arena_error(arena, err);
	status = open_engine(t, path, use, arena, err);
	return status ? status : ts_channel_local(t->engine, t->where, &t->channel, err);
}

enum ts_status ts_target_server(const char *store, const char *server, struct ts_arena *arena, struct ts_credentials *ret_credentials,
				const char **ret_server, const char **ret_origin, struct ts_error *err)
{
	const char *variable = getenv("TSCOPE_SERVER"), *named = getenv("TSCOPE_STORE"), *path;
	struct ts_span kept;

	*ret_origin = server ? "--server" : "TSCOPE_SERVER";
	*ret_server = server ? server : variable;
	if (!server && store) {
		*ret_server = NULL;
		return TS_OK;
	}
	if (!server && variable && !*variable) { /* set to nothing: the local store */
		*ret_server = NULL;
		return TS_OK;
	}
	if (!*ret_server && named && *named)
		return TS_OK;
	if (ts_credentials_path(arena, &path, err) || ts_credentials_load(path, arena, ret_credentials, err))
		return err->status;
	kept = ret_credentials->server;
	if (*ret_server || !kept.len)
		return TS_OK;
	kept = ts_arena_span(arena, kept);
	if (!kept.data)
		return ts_arena_error(arena, err);
	*ret_server = (const char *)kept.data;
	*ret_origin = "tscope login";
	return TS_OK;
}

/* What is shown to a server: as it is kept for it, and of a list for the first one. */
static enum ts_status open_login(struct ts_target *t, struct ts_credentials *credentials, const char *server, bool further,
				 struct ts_arena *arena, struct ts_error *err)
{
	const char *first = ts_arena_printf(arena, "%.*s", (int)strcspn(server, ","), server), *path;

	if (!first)
		return ts_arena_error(arena, err);
	return ts_credentials_path(arena, &path, err) || ts_credentials_login(credentials, path, first, further, arena, &t->login, err)
		       ? err->status
		       : TS_OK;
}

static enum ts_status open_channel(struct ts_target *t, const char *server, const char *origin, struct ts_arena *arena,
				   struct ts_error *err)
{
	if (ts_routed_open(server, &t->login, &t->server, err))
		return ts_error_prefix(err, "%s", origin);
	t->channel = t->server;
	t->server_name = t->where = ts_arena_printf(arena, "%s", server);
	return t->where ? TS_OK : ts_arena_error(arena, err);
}

static enum ts_status open_server(struct ts_target *t, struct ts_credentials *credentials, const char *server, const char *origin,
				  struct ts_arena *arena, struct ts_error *err)
{
	return open_login(t, credentials, server, false, arena, err) ? err->status : open_channel(t, server, origin, arena, err);
}

enum ts_status ts_target_open(struct ts_target *t, const char *store, const char *server, enum ts_target_use use,
			      struct ts_arena *arena, struct ts_error *err)
{
	struct ts_credentials credentials = {.n = 0};
	const char *origin;

	*t = (struct ts_target){0};
	if (ts_target_server(store, server, arena, &credentials, &server, &origin, err))
		return err->status;
	if (!server)
		return open_local(t, store, use, arena, err);
	return open_server(t, &credentials, server, origin, arena, err);
}

enum ts_status ts_target_open_further(struct ts_target *t, const char *server, const char *origin, struct ts_arena *arena,
				      struct ts_error *err)
{
	struct ts_credentials credentials = {.n = 0};
	const char *path;

	*t = (struct ts_target){0};
	if (ts_credentials_path(arena, &path, err) || ts_credentials_load(path, arena, &credentials, err) ||
	    open_login(t, &credentials, server, true, arena, err))
		return err->status;
	return open_channel(t, server, origin, arena, err);
}

enum ts_status ts_target_open_nothing(struct ts_target *t, const char *absent, struct ts_error *err)
{
	*t = (struct ts_target){.where = "no store", .absent = absent};
	return ts_memory_open(NULL, &t->engine, err) ? err->status : ts_channel_local(t->engine, t->where, &t->channel, err);
}

enum ts_status ts_target_open_as(struct ts_target *t, const char *server, const char *token, struct ts_arena *arena,
				 struct ts_error *err)
{
	struct ts_credentials credentials = {.n = 0};
	struct ts_address address;
	const char *origin;

	*t = (struct ts_target){0};
	if (ts_target_server(NULL, server, arena, &credentials, &server, &origin, err) || ts_address_parse(server, &address, err))
		return err->status;
	if (address.kind == TS_ADDRESS_TCP)
		return ts_error_set(err, TS_DENIED, "%s is plain TCP, over which no token is sent", server);
	if (open_login(t, &credentials, server, false, arena, err))
		return err->status;
	t->login = (struct ts_client_login){.token = token, .from = "the one that signed in", .ca = t->login.ca};
	return open_channel(t, server, origin, arena, err);
}

enum ts_status ts_target_overlay(struct ts_target *t, struct ts_engine **ret_engine, struct ts_error *err)
{
	struct ts_channel *channel;
	enum ts_status status = TS_OK;

	if (t->overlay) {
		*ret_engine = t->overlay;
		return TS_OK;
	}
	if (t->server)
		status = ts_remote_depot_open(t->server, &t->remote, err);
	if (!status)
		status = t->server ? ts_memory_over(t->remote, &t->overlay, err) : ts_memory_open(t->engine, &t->overlay, err);
	if (!status)
		status = ts_channel_local(t->overlay, t->where, &channel, err);
	if (status)
		return status;
	channel->stop = t->channel->stop;
	if (t->channel != t->server)
		t->channel->ops->destroy(t->channel);
	t->channel = channel;
	*ret_engine = t->overlay;
	return TS_OK;
}

void ts_target_drop_overlay(struct ts_target *t)
{
	if (!t->server || t->channel == t->server)
		return;
	t->channel->ops->destroy(t->channel);
	t->channel = t->server;
}

void ts_target_close(struct ts_target *t)
{
	if (t->channel && t->channel != t->server)
		t->channel->ops->destroy(t->channel);
	ts_prefetch_finish(&t->prefetch);
	ts_engine_destroy(t->overlay);
	ts_depot_destroy(t->remote);
	ts_engine_destroy(t->engine);
	if (t->server)
		t->server->ops->destroy(t->server);
	*t = (struct ts_target){0};
}
