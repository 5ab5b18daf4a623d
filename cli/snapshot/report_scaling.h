/* report_scaling.h - the section about what would fit: needs by part of a step and by kind, and the sizes that a device holds. */
#ifndef TSCOPE_CLI_SNAPSHOT_REPORT_SCALING_H
#define TSCOPE_CLI_SNAPSHOT_REPORT_SCALING_H

#include "analysis/snapshot/scaling.h"
#include "cli/snapshot/snapshot_parts.h"

void ts_report_scaling(struct ts_report *r, const struct ts_scaling *s);

#endif
