/* named_store.h - opens a store as the words of a command name it: a folder, or cluster:FILE. */
#ifndef TSCOPE_SERVICE_NAMED_STORE_H
#define TSCOPE_SERVICE_NAMED_STORE_H

#include "store/engine.h"

/* One that is read_only must be there, and may be that of a server that goes on, also on this machine. */
enum ts_status ts_named_store_open(const char *store, bool read_only, struct ts_engine **ret, struct ts_error *err);

#endif
