/* machine_now.h - what the machine of a run does now: the newest line of machine.tscope (run/machine.h), read while the file grows.
 *
 *	ts_machine_now_init(&now)
 *	ts_machine_now_look(&now, top, folder)	reads what is new of folder/machine.tscope, else of top's
 *	ts_machine_now_rows(&now, &arena, &rows)
 *	ts_machine_now_finish(&now)
 *
 * Where another folder is asked for, what was read of the one before is forgotten. Only what is new is read; a file that became shorter
 * is read again. A file that is not there, or cannot be read, has no rows: watching goes on. Threads: one at a time.
 */
#ifndef TSCOPE_CLI_WATCH_MACHINE_NOW_H
#define TSCOPE_CLI_WATCH_MACHINE_NOW_H

#include "base/buf.h"
#include "run/machine.h"

struct ts_machine_now {
	int fd; /* -1: none */
	uint64_t at;
	struct ts_buf folder;		  /* that was asked for */
	struct ts_buf names, line, begun; /* the last line of names, the last one of values, and what has no end yet */
};

void ts_machine_now_init(struct ts_machine_now *now);
void ts_machine_now_finish(struct ts_machine_now *now);
void ts_machine_now_look(struct ts_machine_now *now, const char *top, const char *folder);
/* One row. False: nothing is known. */
bool ts_machine_now_rows(const struct ts_machine_now *now, struct ts_arena *arena, struct ts_machine_rows *ret_rows);

#endif
