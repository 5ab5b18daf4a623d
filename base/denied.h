/* denied.h - says of a path that the system denied whose it is, and which group may have it. */
#ifndef TSCOPE_BASE_DENIED_H
#define TSCOPE_BASE_DENIED_H

#include "base/error.h"

#include <stdbool.h>

/* Looks for the first part of an absolute or relative path that this user may not have: a folder above it that may not be entered, or
 * the path itself for `wanted` (R_OK, W_OK or X_OK, joined by |). Appends to the error, as far as it has room, "; /run/tscope is for
 * root and the members of group ml (mode 750)". Returns false, and leaves the error, if there is none or it cannot be looked at.
 * Threads: safe. */
bool ts_explain_denied(const char *path, int wanted, struct ts_error *err);

#endif
