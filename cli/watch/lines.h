/* lines.h - makes steps of lines that come: records of steps.jsonl, JSON Lines of any names, and what a training prints.
 *
 *	ts_lines_create(&live, false, &l, err)
 *	ts_lines_feed(l, 0, now, bytes, err)	as they come; a line may end in a later piece
 *	ts_lines_destroy(l)
 *
 * A line of text is read as `tscope push` reads one of a log (ingest/text), without a look at the whole: the step is the number with
 * the most certain name of one, and where a record has none, records are counted. A line that says nothing of a step is passed over.
 * A line longer than 1 MiB is skipped. Every byte is foreign. Threads: one at a time.
 */
#ifndef TSCOPE_CLI_WATCH_LINES_H
#define TSCOPE_CLI_WATCH_LINES_H

#include "cli/watch/live.h"

struct ts_lines;

/* records: only records of steps.jsonl are taken, and every other line is passed over. */
enum ts_status ts_lines_create(struct ts_live *live, bool records, struct ts_lines **ret_lines, struct ts_error *err);
void ts_lines_destroy(struct ts_lines *l); /* NULL is allowed */
/* rank: whose lines these are, unless a line names another; now: the time of a line that has none. */
enum ts_status ts_lines_feed(struct ts_lines *l, int32_t rank, double now, struct ts_span bytes, struct ts_error *err);
/* Forgets the beginning of a line: the file begins anew. */
void ts_lines_again(struct ts_lines *l);

#endif
