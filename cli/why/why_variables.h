/* why_variables.h - which environment variables of a record a new run may get. A record may be written by others, and a variable can
 * name code that is loaded, or where it lies: such ones are never taken from it. */
#ifndef TSCOPE_CLI_WHY_WHY_VARIABLES_H
#define TSCOPE_CLI_WHY_WHY_VARIABLES_H

#include "base/span.h"

/* Is it one that is known to act on numbers, is its name none of a path, a library, a tool or a plugin, and does its value name no
 * path? value NULL: it is unset. */
bool ts_why_may_set(const char *name, const char *value);

#endif
