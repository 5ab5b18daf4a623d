#include "cli/watch/standing.h"

#include <math.h>
#include <stddef.h>

static bool is_lost(const struct ts_signs *s)
{
	if (s->files == TS_FILES_LEFT)
		return s->since_news > TS_LEFT_S;
	return s->pushed && s->told == TS_END_RUNNING && s->since_news > TS_LOST_S;
}

enum ts_stand ts_stand_of(const struct ts_signs *s)
{
	switch (s->told) {
	case TS_END_FINISHED:
		return TS_STAND_FINISHED;
	case TS_END_CRASHED:
		return TS_STAND_CRASHED;
	case TS_END_KILLED:
		return TS_STAND_KILLED;
	case TS_END_LOST:
		return TS_STAND_LOST;
	case TS_END_UNKNOWN:
	case TS_END_RUNNING:
	case TS_END_HUNG: /* it may have gone on since: its steps say so */
		break;
	}
	if (s->files == TS_FILES_CLOSED || s->stream_ended)
		return TS_STAND_FINISHED;
	if (is_lost(s))
		return TS_STAND_LOST;
	if (!s->any)
		return TS_STAND_WAITS;
	if (s->told == TS_END_UNKNOWN && s->files == TS_FILES_NOTHING && !s->stream && !s->fresh && isnan(s->age))
		return TS_STAND_UNSAID;
	if (s->told == TS_END_HUNG && !(s->age <= TS_STILL_S))
		return TS_STAND_STILL;
	return ts_pace_hangs(&s->pace, s->age) ? TS_STAND_STILL : TS_STAND_RUNS;
}

const char *ts_stand_word(enum ts_stand stand)
{
	static const char *const words[] = {
		[TS_STAND_WAITS] = "waiting for the first step",
		[TS_STAND_RUNS] = "running",
		[TS_STAND_UNSAID] = "state unknown",
		[TS_STAND_STILL] = "stands still",
		[TS_STAND_FINISHED] = "finished",
		[TS_STAND_CRASHED] = "crashed",
		[TS_STAND_KILLED] = "killed",
		[TS_STAND_LOST] = "lost",
	};

	return words[stand];
}

const char *ts_stand_why(enum ts_stand stand, const struct ts_signs *s)
{
	if (stand == TS_STAND_LOST)
		return s->files == TS_FILES_LEFT
			       ? "its recording is not closed and no process of this machine holds it: it was killed, or goes on "
				 "on another machine"
			       : "nothing was heard of it for more than a minute";
	if (stand == TS_STAND_STILL)
		return s->files == TS_FILES_NOTHING && !s->pushed
			       ? "no step comes any more: it hangs, or it has ended and nothing says so"
			       : "no step comes any more, far longer than any pause so far";
	if (stand == TS_STAND_UNSAID)
		return "nothing that was recorded says whether it goes on, and nothing new came so far";
	return NULL;
}
