/* tracking_users.h - the doors of MLflow clients where users sign in: one for each token, behind which lie the runs of that
 * token alone.
 *
 * What a client logs lies in a folder of its own below the spool, which is called by a digest of the token, and is pushed under that
 * token. Tokens are in memory alone: what is not pushed when the program ends is pushed when a client comes with the same token again.
 * There are at most so many doors: one more takes the place of one that nobody has used for a while, such as that of a token that was
 * revoked; one that has pushed all of its runs goes before one that has not, and else the one that was not used for the longest. What
 * it had not pushed waits in its folder for its token.
 * Threads: any number.
 */
#ifndef TSCOPE_WEB_MLFLOW_TRACKING_USERS_H
#define TSCOPE_WEB_MLFLOW_TRACKING_USERS_H

#include "web/mlflow/tracking.h"

enum { TS_TRACKING_USERS = 256, TS_TRACKING_IDLE_S = 60 };

struct ts_tracking_users;

/* wanted->folder is the one in which the folders of tokens lie; what wanted points at outlives the doors. most: doors at once; idle_s:
 * seconds after which a door that nobody uses may close. */
enum ts_status ts_tracking_users_open(const struct ts_tracking_wanted *wanted, size_t most, int64_t idle_s,
				      struct ts_tracking_users **ret, struct ts_error *err);
void ts_tracking_users_close(struct ts_tracking_users *users);

/* The door of a token that the server knows, which the caller has asked it, and gives back when it has done with it. TS_FULL: there are
 * too many that are used. TS_UNAVAILABLE: it is being closed, because nobody used it, and is there again in a moment. */
enum ts_status ts_tracking_users_door(struct ts_tracking_users *users, struct ts_span token, struct ts_tracking **ret,
				      struct ts_error *err);
void ts_tracking_users_give(struct ts_tracking_users *users, struct ts_tracking *door);

#endif
