/* text_memory.h - names the numbers of a line about memory that are called by a word alone: "GPU memory: allocated 3.2 GB". */
#ifndef TSCOPE_INGEST_TEXT_TEXT_MEMORY_H
#define TSCOPE_INGEST_TEXT_TEXT_MEMORY_H

#include "ingest/text/text_record.h"

/* Renames cells that such a line calls "allocated", "reserved", "current", "peak" and the like to "memory allocated", ... A line about
 * the memory of the host keeps its names. */
void ts_text_memory_names(struct ts_span line, struct ts_text_record *r);

#endif
