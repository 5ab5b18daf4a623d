/* report_moment.h - a device's memory after one event, laid out for people. */
#ifndef TSCOPE_CLI_SNAPSHOT_REPORT_MOMENT_H
#define TSCOPE_CLI_SNAPSHOT_REPORT_MOMENT_H

#include "analysis/snapshot/memory_answer.h"
#include "analysis/snapshot/memory_moment.h"
#include "cli/report/report.h"

/* name: of the file. The moment must live as long as the report. */
enum ts_status ts_report_of_moment(const struct ts_memory_device *of, const struct ts_moment *m, const char *name,
				   struct ts_arena *arena, struct ts_report *ret_report, struct ts_error *err);

#endif
