/* keeper.h - the one that writes: it opens the files of a recording, copies what recording threads put into slots, flushes, and
 * ends the recording. It is a process of its own (program/tscope_keeper.c), or a thread of the training program.
 *
 * Everything that a file system may refuse, delay or break happens here, and nowhere else after tscope_open has asked for it.
 */
#ifndef TSCOPE_RECORD_KEEPER_H
#define TSCOPE_RECORD_KEEPER_H

#include "record/area.h"

struct ts_keeper_place {
	struct ts_area *area;
	int memory;	 /* the descriptor of the area; -1: it has none */
	int link;	 /* a byte from it says that there is something to do */
	bool is_process; /* of its own: it looks whether training lives */
};

/* Returns when the recording has ended, was refused, or training is gone. */
void ts_keeper_run(const struct ts_keeper_place *place);

#endif
