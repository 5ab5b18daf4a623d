/* grant.h - the roles that a server gives, and the lines of its configuration that give them.
 *
 *	grant = user:ada push default
 *	grant = group:ml read *
 *	grant = cert:spiffe://example.org/ci maintain speed
 *	grant = anyone read public
 *
 * A line gives one role in one project, or in all (*). Each role includes the ones before it; what each allows stands in
 * docs/security.md. admin is about the whole server, so it can only be given in all projects. Pure; thread-safe.
 */
#ifndef TSCOPE_SERVICE_AUTH_GRANT_H
#define TSCOPE_SERVICE_AUTH_GRANT_H

#include "base/error.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum ts_auth_role {
	TS_AUTH_NONE,
	TS_AUTH_READ,
	TS_AUTH_PUSH,	  /* create names, extend runs, write notes */
	TS_AUTH_MAINTAIN, /* change what is another's, tags, protected branches */
	TS_AUTH_ADMIN,	  /* gc, verify, tokens */
	TS_AUTH_ROLES,
};

const char *ts_auth_role_word(enum ts_auth_role role); /* "none", "read", "push", "maintain", "admin" */
/* False, and no change, if the word is none of "read" to "admin". */
bool ts_auth_role_of_word(struct ts_span word, enum ts_auth_role *ret_role);

enum ts_subject { TS_SUBJECT_ANYONE, TS_SUBJECT_USER, TS_SUBJECT_GROUP, TS_SUBJECT_CERTIFICATE };

struct ts_grant {
	enum ts_subject subject;
	struct ts_span name;	/* of the user, group or certificate; a part of the parsed text */
	uint32_t id;		/* of the user or group; whoever reads the configuration looks it up, or name is the number */
	enum ts_auth_role role;
	struct ts_span project; /* "*" = all */
};

enum { TS_GRANTS_MAX = 256 };

/* Parses the text after "grant =". The spans of the result point into it. */
enum ts_status ts_grant_parse(struct ts_span text, struct ts_grant *ret_grant, struct ts_error *err);
/* Checks a project of a grant or token: a component of a name, or "*". */
enum ts_status ts_grant_project_check(struct ts_span project, struct ts_error *err);

#endif
