/* target.h - where a command talks to: a server, or handlers in this process over the local store.
 *
 *	--server or TSCOPE_SERVER	unix:PATH, HOST:PORT or ssh://HOST
 *	otherwise			--store, TSCOPE_STORE, $XDG_DATA_HOME/tscope/store, ~/.local/share/tscope/store
 *
 * A store that does not exist is empty for verbs that read (nothing is created) and made by a push. Runs given as
 * paths are ingested into an overlay in memory; from then on every call goes to handlers over that overlay, whose base
 * is the local store or an engine that reads from the server. Nothing is written then.
 */
#ifndef TSCOPE_CLI_CORE_TARGET_H
#define TSCOPE_CLI_CORE_TARGET_H

#include "service/handlers/channel.h"

enum ts_target_use { TS_USE_READ, TS_USE_CHANGE, TS_USE_CREATE };

struct ts_target {
	struct ts_channel *channel;   /* where calls go */
	struct ts_engine *engine;     /* the local store, or an empty one in memory */
	struct ts_channel *server;    /* with a server; channel is this one until there is an overlay */
	struct ts_engine *remote;     /* with a server and an overlay: reads through server */
	struct ts_engine *overlay;
	const char *where;	      /* "local store /home/me/...", "unix:/run/tscoped.sock" */
	bool absent;		      /* the local store does not exist (yet) */
};

/* store and server are the options' values or NULL. where lies in the arena, which must outlive the target. */
enum ts_status ts_target_open(struct ts_target *target, const char *store, const char *server, enum ts_target_use use,
			      struct ts_arena *arena, struct ts_error *err);
/* Lays the overlay over what is open; *ret_engine takes objects. Idempotent. */
enum ts_status ts_target_overlay(struct ts_target *target, struct ts_engine **ret_engine, struct ts_error *err);
/* With a server: calls go there again. The overlay stays until the end. */
void ts_target_drop_overlay(struct ts_target *target);
void ts_target_close(struct ts_target *target);

/* The folder of the local store, whether it exists or not. TS_INVALID when there is no home folder. */
enum ts_status ts_store_path(const char *store, struct ts_arena *arena, const char **ret_path, struct ts_error *err);

#endif
