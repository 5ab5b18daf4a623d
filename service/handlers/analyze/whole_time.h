/* whole_time.h - takes the column step_time of a run that records its time in no other way for the whole time of its steps.
 *
 * A training that writes {"step": 5, "step_time": 0.21} has said how long a step took, as the logs have whose importers make
 * phases.step of that name. It counts only where the steps of a rank have neither phases nor timestamps, which say more.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_WHOLE_TIME_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_WHOLE_TIME_H

#include "service/handlers/core/read.h"

/* Names such a column of each rank phases.step, in seconds: step_time or step_time_s, with or without "scalars." in front; of several,
 * the first. What was stored stays as it is: the run is one that was opened (ts_run_open), and nobody else has it. */
void ts_whole_time_take(struct ts_run *run);

#endif
