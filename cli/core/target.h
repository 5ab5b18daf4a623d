/* target.h - what a command talks to: a server, or handlers in this process over the local store.
 *
 *	--server or TSCOPE_SERVER	unix:PATH, tls:HOST:PORT, HOST:PORT or ssh://HOST, or several of these
 *	neither, nor a store named	the server of `tscope login` (credentials.h)
 *	otherwise			--store, TSCOPE_STORE, $XDG_DATA_HOME/tscope/store, ~/.local/share/tscope/store
 *
 * A store that does not exist counts as empty for verbs that read, which do not create it; push creates it. Runs given as
 * paths are ingested into an overlay in memory. From then on every call goes to handlers over that overlay, whose base
 * is the local store or an engine that reads from the server, and nothing is written.
 */
#ifndef TSCOPE_CLI_CORE_TARGET_H
#define TSCOPE_CLI_CORE_TARGET_H

#include "cli/core/credentials.h"
#include "cli/core/prefetch.h"

enum ts_target_use { TS_USE_READ, TS_USE_CHANGE, TS_USE_CREATE };

struct ts_target {
	struct ts_channel *channel;   /* where calls go */
	struct ts_engine *engine;     /* the local store, or an empty one in memory */
	struct ts_channel *server;    /* with a server: the channel to it; without an overlay, channel is the same */
	struct ts_depot *remote;     /* with a server and an overlay: the objects of the server */
	struct ts_engine *overlay;
	struct ts_prefetch prefetch;  /* what a command is about to read of it */
	const char *server_name;      /* as it was given; NULL: none */
	struct ts_client_login login; /* what is shown to the server */
	const char *where;	      /* "local store /home/me/...", "unix:/run/tscoped.sock" */
	const char *absent;	      /* "there is no store at /home/me/..., which --store names"; NULL: there is one, or a server */
};

/* store and server are the values of the options, or NULL. target->where lies in the arena, which must outlive the target. */
enum ts_status ts_target_open(struct ts_target *target, const char *store, const char *server, enum ts_target_use use,
			      struct ts_arena *arena, struct ts_error *err);
/* Opens a server beside the one that the command is for, and shows it only the token that `tscope login` keeps for it. origin: the
 * option that names it, for texts. */
enum ts_status ts_target_open_further(struct ts_target *target, const char *server, const char *origin, struct ts_arena *arena,
				      struct ts_error *err);
/* Opens nothing: no run has a name, and only paths are looked at. absent is said where a name is not found. */
enum ts_status ts_target_open_nothing(struct ts_target *target, const char *absent, struct ts_error *err);
/* Opens a server as whoever has this token, and as nobody else: what this program's user has to show is not shown. TS_DENIED for a
 * server that a token is not sent to, over plain TCP. The token must outlive the target. */
enum ts_status ts_target_open_as(struct ts_target *target, const char *server, const char *token, struct ts_arena *arena,
				 struct ts_error *err);
/* The server that a command would go to; NULL: the local store. *ret_origin says what named it, for texts. Also reads the
 * credentials. */
enum ts_status ts_target_server(const char *store, const char *server, struct ts_arena *arena, struct ts_credentials *ret_credentials,
				const char **ret_server, const char **ret_origin, struct ts_error *err);
/* Lays the overlay over the open target; *ret_engine takes objects. A second call returns the same overlay. */
enum ts_status ts_target_overlay(struct ts_target *target, struct ts_engine **ret_engine, struct ts_error *err);
/* With a server: later calls go to the server again. The overlay itself stays until ts_target_close. */
void ts_target_drop_overlay(struct ts_target *target);
void ts_target_close(struct ts_target *target);

/* The path of the local store, whether it exists or not. TS_INVALID when there is no home directory. */
enum ts_status ts_store_path(const char *store, struct ts_arena *arena, const char **ret_path, struct ts_error *err);

#endif
