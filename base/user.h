/* user.h - what users and groups of this machine are called. Thread-safe. */
#ifndef TSCOPE_BASE_USER_H
#define TSCOPE_BASE_USER_H

#include <stdbool.h>
#include <sys/types.h>

enum { TS_USER_TEXT = 64 };

/* Writes the login name of a user of the system, or "uid 1000" if the system knows no name for the number or one that is no name:
 * empty, 64 bytes or more, or with bytes other than printable ASCII. It may ask a directory service and then takes as long as that.
 * Returns out. */
char *ts_user_name(uid_t uid, char out[TS_USER_TEXT]);
char *ts_user_group(gid_t gid, char out[TS_USER_TEXT]); /* the same of a group: "ml", or "gid 1000" */
/* Looks up the number of a user or group by its name; false if the system knows none. */
bool ts_user_find(const char *name, uid_t *ret_uid);
bool ts_user_group_find(const char *name, gid_t *ret_gid);
/* Writes the name of the user who runs this program: $LOGNAME or $USER, as Python's getpass.getuser does, else ts_user_name of the
 * effective user. Whoever sets the environment chooses it, so it names an author and proves nothing. Returns out. */
char *ts_user_self(char out[TS_USER_TEXT]);

#endif
