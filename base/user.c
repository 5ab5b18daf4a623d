#include "base/user.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENTRY_BYTES = 4096 }; /* of the texts of one entry; a longer entry counts as none */

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

char *ts_user_self(char out[TS_USER_TEXT])
{
	if (take(getenv("LOGNAME"), out) || take(getenv("USER"), out))
		return out;
	return ts_user_name(geteuid(), out);
}
