/* helper.h - a second thread for work that can be cut in two, where the machine has a core for it.
 *
 *	struct ts_helper *h = ts_helper_hire();		NULL: there is no core, or no helper is free
 *	ts_helper_give(h, task, ctx);			the task runs beside the caller; without a helper it runs at once
 *	... other work, which shares nothing with the task ...
 *	ts_helper_wait(h);				the task has ended, and what it wrote can be read
 *	ts_helper_dismiss(h);				NULL is allowed
 *
 * A process never has more helpers than it has cores beyond the first, whatever the number of calls that ask for one. So nobody may
 * need a helper: both ways must give the same result. A task has the errors that it reports itself in ctx.
 * Threads: hiring is safe; one helper is used by the thread that hired it.
 */
#ifndef TSCOPE_BASE_HELPER_H
#define TSCOPE_BASE_HELPER_H

#include <stdbool.h>

struct ts_helper;

typedef void ts_helper_task(void *ctx);

struct ts_helper *ts_helper_hire(void);
/* The task before must have been waited for. */
void ts_helper_give(struct ts_helper *h, ts_helper_task *task, void *ctx);
void ts_helper_wait(struct ts_helper *h);
void ts_helper_dismiss(struct ts_helper *h);

/* For tests: allows so many helpers at once, whatever the number of cores; negative: as many as the cores allow. */
void ts_helpers_allow(int most);

#endif
