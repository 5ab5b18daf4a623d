/* environment.h - the names of all variables of this process, each with a digest of its value that tells whether two are the same.
 *
 * The digest is keyed: the first 64 bits of SHA-256 over a key of this user, the name and the value. Who has not the key cannot find a
 * value by trying; so a record says whether a variable is as it was, and nobody reads a secret from it. The key is 32 random bytes in
 * ~/.config/tscope/environment.key, made when it is first asked for, for its user alone. Digests under two keys cannot be compared: the
 * key's own digest stands beside them.
 *
 * What differs in each process (PWD, SHLVL, _), what launchers set for a rank or a job, and what tscope sets is left out.
 */
#ifndef TSCOPE_INGEST_HOST_ENVIRONMENT_H
#define TSCOPE_INGEST_HOST_ENVIRONMENT_H

#include "base/arena.h"
#include "base/buf.h"

enum { TS_ENVIRONMENT_KEY = 32, TS_ENVIRONMENT_HEX = 16 };

struct ts_environment_key {
	uint8_t bytes[TS_ENVIRONMENT_KEY];
	char id[TS_ENVIRONMENT_HEX + 1]; /* of the key: 16 hexadecimal digits */
};

/* False: there is none, and none can be made, such as where there is no home. */
bool ts_environment_key(struct ts_environment_key *ret_key);
/* Appends "NAME DIGEST\n" of each variable, sorted by name. A name that is no UTF-8 or has a space is left out. */
enum ts_status ts_environment_write(const struct ts_environment_key *key, struct ts_arena *arena, struct ts_buf *out,
				    struct ts_error *err);

#endif
