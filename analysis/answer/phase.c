#include "analysis/answer/phase.h"

const char *const ts_rank_phases[TS_RANK_PHASES] = {
	[TS_RANK_DATA] = "data",	   [TS_RANK_FORWARD] = "forward", [TS_RANK_BACKWARD] = "backward",
	[TS_RANK_OPTIMIZER] = "optimizer", [TS_RANK_COMPUTE] = "compute", [TS_RANK_COMM] = "comm",
	[TS_RANK_OTHER] = "other",
};

enum ts_rank_phase ts_rank_phase_of(struct ts_span name)
{
	enum ts_rank_phase phase = TS_RANK_DATA;

	while (phase < TS_RANK_OTHER && !ts_span_is(name, ts_rank_phases[phase]))
		phase++;
	return phase;
}
