/* launch_end.h - what ended a command that tscope run started, as facts below session.launch.end and as a sentence.
 *
 * The exit code or signal of the first process that failed is what happened. Why is said by the last lines that were printed, torch's,
 * Python's and the launchers' own (ingest/text/text_end.h); of a process that was killed by the kernel's count of processes that it
 * killed for want of memory, and by who sent a signal to tscope run.
 */
#ifndef TSCOPE_CLI_VERBS_LAUNCH_END_H
#define TSCOPE_CLI_VERBS_LAUNCH_END_H

#include "cli/verbs/launch_folder.h"
#include "launch/launch.h"

/* Adds the facts; oom_kills: ts_witness_oom_kills() from before the command began; hang: how it hung when it ended, or empty. */
enum ts_status ts_launch_end_facts(struct ts_launch_folder *folder, const struct ts_launched *launched, int64_t oom_kills,
				   const char *hang, struct ts_error *err);
/* Says it in a line or a few on standard error. words: the command. */
void ts_launch_end_say(struct ts_launch_folder *folder, const struct ts_launched *launched, const char *const *words);

#endif
