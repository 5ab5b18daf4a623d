/* device_memory.h - what --device-memory says: a size with its unit, or the name of a device whose memory is known. */
#ifndef TSCOPE_CLI_CORE_DEVICE_MEMORY_H
#define TSCOPE_CLI_CORE_DEVICE_MEMORY_H

#include "cli/core/args.h"

/* *ret_bytes is above 0 where *ret_given. */
enum ts_status ts_device_memory_option(const struct ts_args *args, bool *ret_given, double *ret_bytes, struct ts_error *err);

#endif
