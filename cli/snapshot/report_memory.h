/* report_memory.h - the answer about a memory snapshot, laid out for people. */
#ifndef TSCOPE_CLI_SNAPSHOT_REPORT_MEMORY_H
#define TSCOPE_CLI_SNAPSHOT_REPORT_MEMORY_H

#include "analysis/snapshot/memory_answer.h"
#include "cli/report/report.h"

/* The report of device d, one of the answer's; NULL: there is none. page: it is for a page, which has the memory by kind over all
 * events and longer tables. name: of the file. The answer must live as long as the report. */
enum ts_status ts_report_of_memory(const struct ts_memory_answer *m, const struct ts_memory_device *d, const char *name, bool page,
				   struct ts_arena *arena, struct ts_report *ret_report, struct ts_error *err);

#endif
