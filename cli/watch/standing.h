/* standing.h - how a run stands at this moment: it goes on, stands still, has ended, or was lost. Pure: all times are arguments, in
 * seconds. */
#ifndef TSCOPE_CLI_WATCH_STANDING_H
#define TSCOPE_CLI_WATCH_STANDING_H

#include "cli/watch/pace.h"
#include "run/ending.h"

enum {
	TS_LOST_S = 60, /* without a word from a run that said that it goes on */
	TS_LEFT_S = 10, /* without growth of a recording that nobody holds */
	TS_STILL_S = 3, /* without a step, while who started it says that it hangs */
};

/* What its files say, where they are followed. */
enum ts_files_say {
	TS_FILES_NOTHING, /* as of a steps.jsonl, or a run of a server */
	TS_FILES_RUN,	  /* a process holds a recording */
	TS_FILES_CLOSED,  /* all recordings were closed */
	TS_FILES_LEFT,	  /* one was not, and no process of this machine holds it */
};

struct ts_signs {
	enum ts_files_say files;
	enum ts_end_state told; /* by the run itself, or who started it */
	bool pushed;		/* it is a name: what is new is pushed */
	bool stream;		/* what is read comes in a pipe */
	bool stream_ended;
	bool fresh;	   /* something new came while this command looked */
	double since_news; /* since something new came, or since this command began */
	double age;	   /* since the last step; NaN: no step has a time */
	struct ts_pace pace;
	bool any; /* there is a step */
};

enum ts_stand {
	TS_STAND_WAITS, /* no step yet */
	TS_STAND_RUNS,
	TS_STAND_UNSAID, /* nothing says whether it goes on: no state, no times, and nothing new so far */
	TS_STAND_STILL, /* no step for longer than any pause so far makes likely */
	TS_STAND_FINISHED,
	TS_STAND_CRASHED,
	TS_STAND_KILLED,
	TS_STAND_LOST, /* nothing says that it ended, and nothing is heard */
};

enum ts_stand ts_stand_of(const struct ts_signs *signs);
const char *ts_stand_word(enum ts_stand stand);
/* What is to be said beside the word; NULL: nothing. */
const char *ts_stand_why(enum ts_stand stand, const struct ts_signs *signs);
static inline bool ts_stand_is_over(enum ts_stand stand)
{
	return stand >= TS_STAND_FINISHED;
}

#endif
