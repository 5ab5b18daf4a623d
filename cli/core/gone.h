/* gone.h - options that former versions had, and what shows the same now. */
#ifndef TSCOPE_CLI_CORE_GONE_H
#define TSCOPE_CLI_CORE_GONE_H

#include "base/error.h"

/* TS_INVALID, with a sentence that names the command to type instead, if --name value was an option once; else TS_OK. */
enum ts_status ts_gone_option(const char *name, const char *value, struct ts_error *err);

#endif
