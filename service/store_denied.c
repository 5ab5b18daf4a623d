#include "service/store_denied.h"

#include "base/denied.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

bool ts_store_denied(const char *store, bool read_only, struct ts_error *err)
{
	static const char *const files[] = {"data.mdb", "lock.mdb"};
	int wanted = read_only ? R_OK : R_OK | W_OK;
	struct ts_error why = *err;
	char path[PATH_MAX];
	bool found = ts_explain_denied(store, wanted | X_OK, &why);

	for (size_t i = 0; i < 2 && !found; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", store, files[i]);
		found = ts_explain_denied(path, wanted, &why);
	}
	if (found)
		(void)ts_error_set(err, TS_DENIED,
				   "%s; as root, 'chown -R %u:%u %s' gives the store to the user that tscoped runs as", why.text,
				   (unsigned)geteuid(), (unsigned)getegid(), store);
	return found;
}
