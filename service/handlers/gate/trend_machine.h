/* trend_machine.h - in what the machines before and behind each change of a trend differ: it may explain a time that changed, and no
 * change is claimed or taken back by it. */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_TREND_MACHINE_H
#define TSCOPE_SERVICE_HANDLERS_GATE_TREND_MACHINE_H

#include "analysis/gate/trend.h"
#include "service/handlers/core/read.h"

/* Sets `machines` of the newest changes: of each level it is the machine of the run next to the change that was observed. Does nothing
 * for the loss, and for what a user logs. The scratch is reset. */
enum ts_status ts_trend_machines(struct ts_fetch *f, struct ts_trend *trend, struct ts_arena *scratch, struct ts_arena *arena,
				 struct ts_error *err);

#endif
