/* snapshot_parts.h - the parts that the reports of a memory snapshot share: figures, functions and places, tables of holders.
 *
 * As in report_parts.h, a full arena is remembered in the report, and no text is NULL.
 */
#ifndef TSCOPE_CLI_SNAPSHOT_SNAPSHOT_PARTS_H
#define TSCOPE_CLI_SNAPSHOT_SNAPSHOT_PARTS_H

#include "analysis/snapshot/memory_answer.h"
#include "cli/report/report_parts.h"

enum { TS_SNAP_NAME_MOST = 60 };

const char *ts_snap_bytes(struct ts_report *r, uint64_t n);
const char *ts_snap_count(struct ts_report *r, uint64_t n);
const char *ts_snap_plural(struct ts_report *r, uint64_t n, const char *word);
const char *ts_snap_brief(struct ts_report *r, struct ts_span text, size_t most);
/* The last two parts of a path. */
struct ts_span ts_snap_short_file(struct ts_span file);
const char *ts_snap_place(struct ts_report *r, const struct ts_memory_who *who);    /* "lab/net.py:54", or "" */
const char *ts_snap_function(struct ts_report *r, const struct ts_memory_who *who); /* or "no stack" */
/* A section with a table of the first holders; nothing if there are none. head may be NULL. */
void ts_snap_who_table(struct ts_report *r, enum ts_section_id id, const char *head, const struct ts_memory_whos *whos, size_t most);
/* A report whose page has no foot and no rows of an analysis. */
struct ts_report ts_snap_report(struct ts_arena *arena, const char *name);

#endif
