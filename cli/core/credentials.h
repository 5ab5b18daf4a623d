/* credentials.h - the file of servers that one has logged in to: tscope/credentials in $XDG_CONFIG_HOME, else in ~/.config.
 *
 *	server = tls:host:7443		where commands go that name no server and no store
 *	[tls:host:7443]			a section a server
 *	token = tscope_...
 *	ca = /path/ca.pem		cert and key are written in the same way
 *
 * The file holds secrets. It is read only if it is a plain file of this user that nobody else can read, and no symbolic link, which
 * another could have put there.
 */
#ifndef TSCOPE_CLI_CORE_CREDENTIALS_H
#define TSCOPE_CLI_CORE_CREDENTIALS_H

#include "base/arena.h"
#include "service/rpc/client.h"

enum { TS_CREDENTIALS_MAX = 64 };

struct ts_credential {
	struct ts_span server;
	struct ts_span token, ca, cert, key; /* empty = none */
};

struct ts_credentials {
	struct ts_span server; /* the default; empty = none */
	struct ts_credential items[TS_CREDENTIALS_MAX];
	size_t n;
};

/* Parses the text of a file; spans point into it. path is for errors, which name its line and never repeat it. */
enum ts_status ts_credentials_parse(struct ts_span text, const char *path, struct ts_credentials *ret, struct ts_error *err);
/* The path of the file, whether it exists or not; NULL where there is no home folder. */
enum ts_status ts_credentials_path(struct ts_arena *arena, const char **ret_path, struct ts_error *err);
/* Reads the file; no file is no error and holds nothing. TS_DENIED: others can read or write it, or it is another's or a link. */
enum ts_status ts_credentials_load(const char *path, struct ts_arena *arena, struct ts_credentials *ret, struct ts_error *err);
/* Replaces the file, with mode 0600. */
enum ts_status ts_credentials_save(const char *path, const struct ts_credentials *in, struct ts_error *err);
struct ts_credential *ts_credentials_find(struct ts_credentials *in, struct ts_span server);
/* What to show to a server: TSCOPE_TOKEN, TSCOPE_CA, TSCOPE_CERT and TSCOPE_KEY, and for what they leave open the file. TSCOPE_TOKEN is
 * for the server that a command is for: another one (`further`) gets only the token that is kept for it. The texts lie in the arena or
 * the environment. */
enum ts_status ts_credentials_login(struct ts_credentials *in, const char *path, const char *server, bool further,
				    struct ts_arena *arena, struct ts_client_login *ret, struct ts_error *err);

#endif
