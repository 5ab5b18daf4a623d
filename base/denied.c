#include "base/denied.h"

#include "base/user.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_denied(const char *path, int wanted)
{
	return faccessat(AT_FDCWD, path, wanted, AT_EACCESS) != 0;
}

static bool append(const char *path, int wanted, struct ts_error *err)
{
	char owner[TS_USER_TEXT], group[TS_USER_TEXT];
	struct ts_error why = *err;
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	ts_user_name(st.st_uid, owner);
	if (((st.st_mode >> 3) & (unsigned)wanted) == (unsigned)wanted)
		(void)ts_error_set(err, why.status, "%s; %s is for %s and the members of group %s (mode %03o)", why.text, path, owner,
				   ts_user_group(st.st_gid, group), (unsigned)st.st_mode & 0777);
	else
		(void)ts_error_set(err, why.status, "%s; %s is for %s alone (mode %03o)", why.text, path, owner,
				   (unsigned)st.st_mode & 0777);
	return true;
}

bool ts_explain_denied(const char *path, int wanted, struct ts_error *err)
{
	char part[PATH_MAX];

	if (strlen(path) >= sizeof part)
		return false;
	for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		(void)snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
		if (is_denied(part, X_OK))
			return append(part, X_OK, err);
	}
	return is_denied(path, wanted) && append(path, wanted, err);
}
