/* phase_clock.h - by whose clock a phase was measured, as the facts say it. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_PHASE_CLOCK_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_PHASE_CLOCK_H

#include "run/fact.h"

/* Whether columns.NAME.clock is "device". column: an escaped path, such as phases.forward. */
bool ts_phase_of_device(const struct ts_facts *facts, struct ts_span column);

#endif
