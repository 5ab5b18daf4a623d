/* store_denied.h - what of a store this user may not use, and the command that mends it: what root restored belongs to root. */
#ifndef TSCOPE_SERVICE_STORE_DENIED_H
#define TSCOPE_SERVICE_STORE_DENIED_H

#include "base/error.h"

#include <stdbool.h>

/* Appends to the error whose the store's folder or file is that this user may not read or, unless read_only, write, makes it TS_DENIED
 * and names the chown. False, and the error stays, if it may use all that is there. Threads: safe. */
bool ts_store_denied(const char *store, bool read_only, struct ts_error *err);

#endif
