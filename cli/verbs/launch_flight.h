/* launch_flight.h - what the Flight Recorder of torch says of a command that ended: which rank is behind, at which collective.
 *
 * torch writes a dump of each rank to TORCH_FR_DUMP_TEMP_FILE (formerly TORCH_NCCL_DEBUG_INFO_TEMP_FILE) with the rank behind it, else
 * below the cache of the user, when its watchdog ends a process; a program may write them itself. Only dumps that were written since
 * the run began count. What cannot be read counts as not there.
 */
#ifndef TSCOPE_CLI_VERBS_LAUNCH_FLIGHT_H
#define TSCOPE_CLI_VERBS_LAUNCH_FLIGHT_H

#include "cli/verbs/launch_folder.h"
#include "ingest/flight/flight_behind.h"

/* world: how many ranks there are, all of them on this machine; 0: not known. ret->said is false where there are no dumps. */
enum ts_status ts_launch_flight(const struct ts_launch_folder *folder, size_t world, struct ts_flight_behind *ret,
				struct ts_error *err);

#endif
