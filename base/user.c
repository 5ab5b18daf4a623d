#include "base/user.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENTRY_BYTES = 1 << 16 }; /* of the texts of one entry, for a group its members; a longer entry counts as none */

static bool take(const char *name, char out[TS_USER_TEXT])
{
	size_t n = name ? strlen(name) : 0;

	if (n == 0 || n >= TS_USER_TEXT)
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return false;
	memcpy(out, name, n + 1);
	return true;
}

char *ts_user_name(uid_t uid, char out[TS_USER_TEXT])
{
	struct passwd entry, *found = NULL;
	char texts[ENTRY_BYTES];

	if (getpwuid_r(uid, &entry, texts, sizeof texts, &found) || !found || !take(found->pw_name, out))
		(void)snprintf(out, TS_USER_TEXT, "uid %lu", (unsigned long)uid);
	return out;
}

char *ts_user_group(gid_t gid, char out[TS_USER_TEXT])
{
	struct group entry, *found = NULL;
	char texts[ENTRY_BYTES];

	if (getgrgid_r(gid, &entry, texts, sizeof texts, &found) || !found || !take(found->gr_name, out))
		(void)snprintf(out, TS_USER_TEXT, "gid %lu", (unsigned long)gid);
	return out;
}

bool ts_user_find(const char *name, uid_t *ret_uid)
{
	struct passwd entry, *found = NULL;
	char texts[ENTRY_BYTES];

	if (getpwnam_r(name, &entry, texts, sizeof texts, &found) || !found)
		return false;
	*ret_uid = found->pw_uid;
	return true;
}

bool ts_user_group_find(const char *name, gid_t *ret_gid)
{
	struct group entry, *found = NULL;
	char texts[ENTRY_BYTES];

	if (getgrnam_r(name, &entry, texts, sizeof texts, &found) || !found)
		return false;
	*ret_gid = found->gr_gid;
	return true;
}

char *ts_user_self(char out[TS_USER_TEXT])
{
	if (take(getenv("LOGNAME"), out) || take(getenv("USER"), out))
		return out;
	return ts_user_name(geteuid(), out);
}
