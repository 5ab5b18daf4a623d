/* occurrences.h - counts how often each name came in a step. Threads: one at a time. */
#ifndef TSCOPE_RECORD_OCCURRENCES_H
#define TSCOPE_RECORD_OCCURRENCES_H

#include <stddef.h>
#include <stdint.h>

struct ts_occurrences;

/* Returns NULL if there is no memory. */
struct ts_occurrences *ts_occurrences_create(void);
void ts_occurrences_destroy(struct ts_occurrences *o);
/* Returns how often the name came in this step before. Another step than that of the call before begins anew. Names are told apart
 * by 64 bits of hash. Beyond the memory that there is, a name counts as new. */
uint32_t ts_occurrences_count(struct ts_occurrences *o, int64_t step, const char *name, size_t len);

#endif
