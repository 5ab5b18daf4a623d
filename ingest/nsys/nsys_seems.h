/* nsys_seems.h - whether a file looks like an export of Nsight Systems, where SQLite cannot be asked: it is cut or locked, or there is
 * no SQLite.
 *
 * Threads: any.
 */
#ifndef TSCOPE_INGEST_NSYS_NSYS_SEEMS_H
#define TSCOPE_INGEST_NSYS_NSYS_SEEMS_H

#include <stdbool.h>

/* Whether it begins as a database does, and its first 64 KiB name a table of what devices did. */
bool ts_nsys_seems(const char *path);

#endif
