/* gate_machine.h - what the machines of a baseline and the candidate have different, as the last why of a verdict: it may explain a
 * time that changed, and no verdict is built on it. */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_GATE_MACHINE_H
#define TSCOPE_SERVICE_HANDLERS_GATE_GATE_MACHINE_H

#include "analysis/gate/gate.h"
#include "service/handlers/core/read.h"

/* Of each side it is the machine of the first run that was observed; baselines come newest first. Does nothing where the verdict is not
 * that the time changed, or the machines do not differ. */
enum ts_status ts_gate_machine_why(struct ts_fetch *f, struct ts_verdict *v, struct ts_arena *arena, struct ts_error *err);

#endif
