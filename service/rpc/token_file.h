/* token_file.h - how one server says to another who it is: by a token in a file, which may be exchanged at any time. */
#ifndef TSCOPE_SERVICE_RPC_TOKEN_FILE_H
#define TSCOPE_SERVICE_RPC_TOKEN_FILE_H

#include "base/arena.h"
#include "service/rpc/client.h"

/* Reads the file now. Both may be NULL or empty: no token, and the CAs of the system. Texts of the login lie in the arena, or are
 * those that were given. */
enum ts_status ts_token_file_login(const char *token_file, const char *ca, struct ts_arena *arena, struct ts_client_login *ret_login,
				   struct ts_error *err);

#endif
