/* token.h - bearer tokens: what a secret looks like, what the server keeps of it, and whether a secret that was shown is good.
 *
 *	tscope_ and 58 characters of a-z and 2-7: base32 (RFC 4648, lower case, without padding) of 8 bytes that name the
 *	token, 24 random bytes, and 4 bytes of the SHA-256 of "tscope_" and those 32
 *
 * So programs that look for secrets find one by its form, and a mistyped one is refused without a look into the store. The store keeps
 * a record "token/" and the 8 bytes in hex: the role, the projects, the times, and SHA-256 of a salt and the 32 bytes. A
 * secret is 192 random bits, which needs no slow hash. Hashes are compared in a time that does not depend on them.
 * A token is looked up for each call: what was revoked is refused from the next call on. Threads: every function may be called at once.
 */
#ifndef TSCOPE_SERVICE_AUTH_TOKEN_H
#define TSCOPE_SERVICE_AUTH_TOKEN_H

#include "base/buf.h"
#include "service/auth/grant.h"
#include "store/engine.h"

enum {
	TS_TOKEN_ID_HEX = 16,
	TS_TOKEN_BYTES = 32, /* its name and its secret */
	TS_TOKEN_SECRET = 7 + 58,
	TS_TOKEN_NAME_MAX = 64,
	TS_TOKEN_PROJECTS_MAX = 512, /* bytes of all projects */
	TS_TOKEN_MAKER_MAX = 128,
	TS_TOKENS_MAX = 10000,
};

struct ts_token {
	char id[TS_TOKEN_ID_HEX + 1];
	char name[TS_TOKEN_NAME_MAX + 1];	  /* for people: "ci"; of no other token of this server that still lives */
	enum ts_auth_role role;
	char projects[TS_TOKEN_PROJECTS_MAX + 1]; /* with spaces between; "*" = all */
	char maker[TS_TOKEN_MAKER_MAX + 1];
	int64_t made_ns;
	int64_t expires_ns;			  /* INT64_MAX: never */
	uint8_t salt[16], hash[32];
};

/* Parses a secret; TS_INVALID says what is wrong, and never repeats a byte of it. */
enum ts_status ts_token_parse(struct ts_span secret, uint8_t ret_bytes[TS_TOKEN_BYTES], struct ts_error *err);
/* Checks the name, role and projects of a token that is to be made. */
enum ts_status ts_token_check(const struct ts_token *token, struct ts_error *err);
/* Draws a secret, fills in id, salt and hash, and writes the record. TS_CONFLICT: a living token has this name. */
enum ts_status ts_token_make(struct ts_engine *e, struct ts_token *io_token, char ret_secret[TS_TOKEN_SECRET + 1],
			     struct ts_error *err);
/* All tokens, those that have expired among them. */
enum ts_status ts_token_list(struct ts_engine *e, struct ts_arena *arena, struct ts_token **ret_tokens, size_t *ret_n,
			     struct ts_error *err);
/* Removes the token with this id or name; *ret_token is what it was. */
enum ts_status ts_token_revoke(struct ts_engine *e, struct ts_span which, struct ts_token *ret_token, struct ts_error *err);
/* Finds the token of a secret. TS_DENIED: there is none, or it has expired; the text says which. */
enum ts_status ts_token_find(struct ts_engine *e, struct ts_span secret, int64_t now_ns, struct ts_token *ret_token,
			     struct ts_error *err);

/* Whether there is a token of this id, which has not expired. What cannot be read counts as there. */
bool ts_token_lives(struct ts_engine *e, const char id[TS_TOKEN_ID_HEX + 1], int64_t now_ns);

#endif
