/* launch_steward.h - a process beside a training that looks each second how far its steps have come, and says in launch.json that it
 * hangs: since when, after which step, and what each process waits in. It says so aside, too, and when a step comes after all.
 * Nothing is ended, unless --kill-hung says so.
 *
 * A training hangs if no rank that is recorded made a step for 20 times as long as its steps usually take, for three times as long as
 * the longest of them took, and for 30 seconds; or for as long as --hang-after says. Where nothing is recorded, nothing is said.
 *
 * It also writes machine.tscope (run/machine.h): each second for ten minutes, and then every ten seconds.
 * Threads: one.
 */
#ifndef TSCOPE_CLI_VERBS_LAUNCH_STEWARD_H
#define TSCOPE_CLI_VERBS_LAUNCH_STEWARD_H

#include "cli/verbs/launch_beside.h"
#include "cli/verbs/launch_folder.h"
#include "launch/aside.h"

enum { TS_STEWARD_TEXT = 1200 };

/* Once launch.json is written, and before the command begins. From then on until ts_steward_end the process may write it.
 * aside: for what it says meanwhile; it need not outlive the call. */
enum ts_status ts_steward_begin(struct ts_launch_folder *folder, const struct ts_aside *aside, struct ts_beside *ret,
				struct ts_error *err);
/* Waits at most two seconds for its end; ret_hang says how the training hung when it ended, or is empty. */
void ts_steward_end(struct ts_beside *steward, char ret_hang[TS_STEWARD_TEXT]);

#endif
