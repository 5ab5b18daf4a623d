/* tscope_keeper.c - tscope-keeper: writes the recording of a training program, which starts it, and outlives that by a moment.
 *
 *	tscope-keeper DIRECTORY
 *
 * The directory is there for people who list processes. It is handed descriptors, from TS_PROCESS_FIRST on: the memory of the
 * recording, the link to training, and what tells of waits for a CPU. Exit code 1: it cannot keep this recording; nothing was
 * touched.
 */
#include "record/keeper.h"
#include "record/process.h"

#include <stdio.h>

int main(void)
{
	struct ts_keeper_place place = {.memory = TS_PROCESS_FIRST, .link = TS_PROCESS_FIRST + 1, .is_process = true};

	if (ts_area_attach(place.memory, &place.area)) {
		(void)fprintf(stderr, "tscope-keeper is started by a training program that records\n");
		return 1;
	}
	ts_process_detach(place.area->waits_of_steps.fd >= 0 ? 3 : 2);
	ts_keeper_run(&place);
	return 0;
}
