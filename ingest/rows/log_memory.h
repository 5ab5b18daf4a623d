/* log_memory.h - which column a log's name for the memory of a device means, and in which unit its values are.
 *
 * "max mem", "GPU_mem(G)", "peak memory (GB)", "cuda_memory_reserved_mb": words for memory, a device, a peak, what is allocated or
 * reserved, and a unit at the end, in any order and spelling, and no other word. A name of memory alone ("memory", "mem(GB)") may be
 * that of the host, and says nothing.
 */
#ifndef TSCOPE_INGEST_ROWS_LOG_MEMORY_H
#define TSCOPE_INGEST_ROWS_LOG_MEMORY_H

#include "base/span.h"

/* Returns the column, a static text, or NULL. *ret_bytes: how many bytes the unit has; 0: the name has none. */
const char *ts_log_memory(struct ts_span name, double *ret_bytes);
/* How many bytes the unit has at the end of a name, whatever the name is; 0: it has none. */
double ts_log_memory_unit(struct ts_span name);
/* Of values without a unit, the largest of which cannot be bytes, since no device is used with less than a megabyte: the bytes of the
 * unit that they must have, and its name. 1 if they can be bytes. */
double ts_log_memory_guess(double largest, const char **ret_unit);

#endif
