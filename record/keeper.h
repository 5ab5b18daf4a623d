/* keeper.h - the library's own thread: makes space ahead of the recorder, flushes, and looks whether the file is still there.
 *
 * It blocks all signals, so that the program's handlers never run in it.
 */
#ifndef TSCOPE_RECORD_KEEPER_H
#define TSCOPE_RECORD_KEEPER_H

#include <stdint.h>

struct tscope_run;
struct ts_keeper;

/* Returns NULL if there can be no thread: then the recorder makes its space itself, and the system writes when it likes. */
struct ts_keeper *ts_keeper_start(struct tscope_run *run);
void ts_keeper_stop(struct ts_keeper *k);

#endif
