/* rights.h - the role that each act needs: what is done, to what, and whether that is one's own or another's.
 *
 *	ts_right(TS_ACT_FORCE_RUN, own)	-> TS_AUTH_PUSH or TS_AUTH_MAINTAIN
 *
 * docs/security.md has the same rows for people, and test_rights tries each of them with every role. Pure; thread-safe.
 *
 * A run is one's own if one made its name; a rank, if one staged it first; what was removed, if one removed it. Marks are the notes
 * that steer the verdicts of a gate: `bad` and `state` of a run, and `accepted`, which moves the level that a branch is judged by.
 */
#ifndef TSCOPE_SERVICE_AUTH_RIGHTS_H
#define TSCOPE_SERVICE_AUTH_RIGHTS_H

#include "service/auth/grant.h"

/* act, what is done, to what, one's own, another's */
#define TS_RIGHTS(X)                                                                                                                   \
	X(SEE_RUN, "see", "run", READ, READ)                                                                                           \
	X(SEE_LOG, "see", "log", READ, READ)                                                                                           \
	X(SEE_NOTES, "see", "notes", READ, READ)                                                                                       \
	X(CREATE_RUN, "create", "run", PUSH, PUSH)                                                                                     \
	X(EXTEND_RUN, "extend", "run", PUSH, PUSH)                                                                                     \
	X(FORCE_RUN, "force", "run", PUSH, MAINTAIN)                                                                                   \
	X(REMOVE_RUN, "remove", "run", PUSH, MAINTAIN)                                                                                 \
	X(RESTORE_RUN, "restore", "run", PUSH, MAINTAIN)                                                                               \
	X(FORCE_MARKED, "force", "run that another marked", MAINTAIN, MAINTAIN)                                                        \
	X(REMOVE_MARKED, "remove", "run that another marked", MAINTAIN, MAINTAIN)                                                      \
	X(CREATE_TAG, "create", "tag", MAINTAIN, MAINTAIN)                                                                             \
	X(MOVE_TAG, "move", "tag", MAINTAIN, MAINTAIN)                                                                                 \
	X(REMOVE_TAG, "remove", "tag", MAINTAIN, MAINTAIN)                                                                             \
	X(RESTORE_TAG, "restore", "tag", MAINTAIN, MAINTAIN)                                                                           \
	X(CREATE_BRANCH, "create", "branch", PUSH, PUSH)                                                                               \
	X(MOVE_BRANCH, "move", "branch", PUSH, PUSH)                                                                                   \
	X(REMOVE_BRANCH, "remove", "branch", PUSH, MAINTAIN)                                                                           \
	X(RESTORE_BRANCH, "restore", "branch", PUSH, MAINTAIN)                                                                         \
	X(CREATE_PROTECTED, "create", "protected branch", PUSH, PUSH)                                                                  \
	X(APPEND_PROTECTED, "append what is new to", "protected branch", PUSH, PUSH)                                                   \
	X(REPEAT_PROTECTED, "append what it had to", "protected branch", MAINTAIN, MAINTAIN)                                           \
	X(MOVE_PROTECTED, "move", "protected branch", MAINTAIN, MAINTAIN)                                                              \
	X(REMOVE_PROTECTED, "remove", "protected branch", MAINTAIN, MAINTAIN)                                                          \
	X(RESTORE_PROTECTED, "restore", "protected branch", MAINTAIN, MAINTAIN)                                                        \
	X(CREATE_CLOSED, "create", "closed branch", MAINTAIN, MAINTAIN)                                                                \
	X(APPEND_CLOSED, "append to", "closed branch", MAINTAIN, MAINTAIN)                                                             \
	X(ADD_RANK, "add", "waiting rank", PUSH, PUSH)                                                                                 \
	X(REPLACE_RANK, "replace", "waiting rank", PUSH, MAINTAIN)                                                                     \
	X(REMOVE_STAGE, "remove", "waiting ranks", PUSH, MAINTAIN)                                                                     \
	X(NOTE, "write", "note that steers nothing", PUSH, PUSH)                                                                       \
	X(MARK, "write", "mark of a run", PUSH, MAINTAIN)                                                                              \
	X(MARK_AGAIN, "change", "mark that a maintainer wrote", MAINTAIN, MAINTAIN)                                                    \
	X(ACCEPT, "write", "note accepted", MAINTAIN, MAINTAIN)                                                                        \
	X(RULE, "change", "retention, tokens", ADMIN, ADMIN)

enum ts_act {
#define TS_ACT_ROW(act, verb, object, own, anothers) TS_ACT_##act,
	TS_RIGHTS(TS_ACT_ROW)
#undef TS_ACT_ROW
	TS_ACTS,
};

/* The role that an act needs on what is one's own, or else another's. */
enum ts_auth_role ts_right(enum ts_act act, bool own);

/* Whether the note of this key steers a verdict: "bad", "state", "accepted". */
bool ts_note_steers(struct ts_span key);

#endif
