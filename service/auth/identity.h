/* identity.h - who a call counts as, and what that one may do: a pure decision from what the connection proves and what the
 * configuration grants.
 *
 * Without any grant, whoever reaches the server over a unix socket or plain TCP may maintain every project, because the permissions
 * of the socket, or the address that was chosen, are the limit then; over TLS nobody may do anything. With grants only these count. The
 * user of the server and root, over a unix socket, are always its admins. An identity without a policy may do everything: the
 * command itself.
 *
 *	ts_identify(&policy, &peer, &who)	or ts_identify_token
 *	ts_auth_may(&who, TS_AUTH_PUSH, project)
 *
 * Ownership: policy and peer must outlive the identity. Thread-safe.
 */
#ifndef TSCOPE_SERVICE_AUTH_IDENTITY_H
#define TSCOPE_SERVICE_AUTH_IDENTITY_H

#include "service/auth/grant.h"
#include "service/auth/peer.h"
#include "service/auth/token.h"

/* Names of branches, without their project. */
struct ts_auth_branches {
	const struct ts_span *names;
	size_t n;
};

struct ts_auth_policy {
	const struct ts_grant *grants;
	size_t n_grants;
	uint32_t uid;			   /* of the server */
	struct ts_auth_branches protected; /* that only who maintains moves otherwise than by a push */
	struct ts_auth_branches closed;	   /* that only who maintains puts runs on; each is protected */
};

enum { TS_IDENTITY_TEXT = TS_PEER_TEXT + 8 };

struct ts_identity {
	const struct ts_auth_policy *policy; /* NULL: everything is allowed */
	const struct ts_peer *peer;
	const struct ts_token *token; /* NULL: none was shown. What its bearer may otherwise does not count */
	uint64_t grants[TS_GRANTS_MAX / 64]; /* a bit for each grant of the policy that means it */
	enum ts_auth_role everywhere;	     /* the role that it has in every project */
	enum ts_auth_role best;		     /* the greatest role that it has in any */
	char name[TS_IDENTITY_TEXT];	     /* "ada", "cert:spiffe://...", "token:ci", "127.0.0.1:5123": as author and as owner */
};

void ts_identify(const struct ts_auth_policy *policy, const struct ts_peer *peer, struct ts_identity *ret_identity);
/* The same of a peer that showed a good token, which must outlive the identity. */
void ts_identify_token(const struct ts_auth_policy *policy, const struct ts_peer *peer, const struct ts_token *token,
		       struct ts_identity *ret_identity);
/* What its use of the store is counted by: its name, of an address without the port, which is another with each connection. */
void ts_identity_account(const struct ts_identity *who, char out[TS_IDENTITY_TEXT]);
/* The peer that its calls count for where peers share a server: a token is one of its own, whatever connection it came by. */
void ts_identity_sharer(const struct ts_identity *who, struct ts_peer *ret_peer);
/* Writes what it may, as grants: "read *, push speed". */
void ts_identity_print(const struct ts_identity *who, struct ts_buf *out);
enum ts_auth_role ts_identity_role(const struct ts_identity *who, struct ts_span project);
/* Goes through the projects that its grants name, some perhaps twice; *io_at is 0 at first. False: there are no more. */
bool ts_identity_next_project(const struct ts_identity *who, size_t *io_at, struct ts_span *ret_project);
/* project is the name of one; "*": the role must hold in all. */
bool ts_auth_may(const struct ts_identity *who, enum ts_auth_role role, struct ts_span project);
/* Whether a change that `author` is recorded with was made by this identity. Nobody owns what an address made, because an
 * address proves nothing. */
bool ts_identity_is(const struct ts_identity *who, struct ts_span author);
/* Without a policy (NULL) no branch is protected or closed. */
bool ts_auth_protects(const struct ts_auth_policy *policy, struct ts_span branch);
bool ts_auth_closes(const struct ts_auth_policy *policy, struct ts_span branch);

#endif
