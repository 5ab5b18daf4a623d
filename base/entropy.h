/* entropy.h - bytes that nobody can guess, from the system. Thread-safe. */
#ifndef TSCOPE_BASE_ENTROPY_H
#define TSCOPE_BASE_ENTROPY_H

#include "base/error.h"

#include <stddef.h>

enum ts_status ts_entropy(void *out, size_t n, struct ts_error *err);

#endif
