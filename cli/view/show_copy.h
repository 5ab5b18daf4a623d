/* show_copy.h - of which store the one that was asked is a read-only copy, in words. */
#ifndef TSCOPE_CLI_VIEW_SHOW_COPY_H
#define TSCOPE_CLI_VIEW_SHOW_COPY_H

#include "proto/wire.h"

/* "tls:host, as it was 3.00 s ago"; empty where it is no copy. */
const char *ts_show_copy(const struct ts_copy *copy, struct ts_arena *arena);

#endif
