/* ending.h - how a run ended: it finished, an exception or a signal ended it, or nobody knows; and the record that says so.
 *
 *	ts_end_seen_facts(&seen[i], &facts)			for each rank: what it says of itself
 *	ts_end_seen_event(&seen[i], name, text, &step)		its last events, in the order in which they were recorded
 *	ts_ending_judge(seen, n, arena, &ending, err)
 *
 * A rank says its end by facts below session.end (docs/run-directory.md), or a tracker does by its own state. Where neither
 * does, who started the run may have seen it (session.launch.end, docs/run.md): an exit code, a signal, what the kernel or the last
 * lines of output say. That counts where the rank says nothing of an end or calls itself finished, and where it died first. Then an
 * event `exception` or `out of memory` counts if the rank recorded no later step; an exception that the program caught
 * and went on from does not. A rank whose recording was closed has finished if nothing says otherwise. A run of several ranks
 * ended as its first dead rank did, and has finished only if each of its ranks has: what merely stops is not known to have
 * finished. Pure.
 */
#ifndef TSCOPE_RUN_ENDING_H
#define TSCOPE_RUN_ENDING_H

#include "run/fact.h"

enum ts_end_state {
	TS_END_UNKNOWN,	 /* nothing says how it ended */
	TS_END_RUNNING,	 /* it went on while it was read */
	TS_END_FINISHED, /* it came to its end by itself */
	TS_END_CRASHED,
	TS_END_KILLED,	 /* from outside: a signal, a limit of time, somebody's cancel */
	TS_END_HUNG,	 /* it went on, and made no step for long */
	TS_END_LOST,	 /* it went on, and nothing was heard of it since: by the time of reading, and never stored */
};

enum ts_end_cause {
	TS_END_NO_CAUSE,
	TS_END_EXCEPTION, /* of another kind than those below */
	TS_END_OUT_OF_MEMORY,
	TS_END_TIMEOUT,	  /* a collective operation that not all ranks came to */
	TS_END_NAN,	  /* the program stopped because the loss or a gradient was no number */
	TS_END_EXIT,	  /* the program chose an exit code other than 0 */
	TS_END_SIGNAL,
	TS_END_TIME_LIMIT, /* of the scheduler */
	TS_END_CANCELLED,
	TS_END_CUT,	  /* unknown: a recording that its recorder did not close, as after SIGKILL */
	TS_END_DISK_FULL, /* or a quota of it */
};

enum { TS_END_RANKS_MAX = 64, TS_END_TEXT_MAX = 500 };

struct ts_ending {
	bool told; /* false: an older server answered, which does not say it */
	enum ts_end_state state;
	enum ts_end_cause cause;
	struct ts_span type; /* of the exception, "RuntimeError"; the name of the signal, "SIGTERM"; the exit code; empty: not known */
	struct ts_span message; /* in one line, cut at TS_END_TEXT_MAX bytes; empty: none */
	bool has_step;
	int64_t step;		/* at which it ended; with `after`: the last that it recorded */
	bool after;
	int32_t *ranks;		/* that ended so, ascending, or that a log names as those to look at; at most TS_END_RANKS_MAX */
	size_t n_ranks;
	bool named;		/* the ranks are those that a log names */
	struct ts_span record;	/* what says it: "the event 'out of memory'", "line 2041"; empty: nothing */
	struct ts_span sentence; /* all of it in one sentence; empty where the run finished or nothing is known */
};

/* What one rank says of its end. */
struct ts_end_seen {
	int32_t rank;
	bool has_steps;
	int64_t last_step; /* that it recorded */
	/* by facts */
	bool said, closed;
	enum ts_end_state state;
	enum ts_end_cause cause;
	struct ts_span type, message, record;
	struct ts_span at; /* where the exception was raised, "train.py:12" */
	bool first; /* who started the processes saw this one fail before all others */
	int64_t exit; /* of cause EXIT */
	bool has_step;
	int64_t step;
	int32_t named[TS_END_RANKS_MAX]; /* ranks that a log names */
	size_t n_named;
	/* by events */
	struct ts_span exception, memory; /* the text of the last event of that name */
	bool has_exception, has_memory;
	int64_t exception_step, memory_step; /* INT64_MIN: it has none */
};

const char *ts_end_state_word(enum ts_end_state state); /* "unknown", "running", "finished", "crashed", "killed", "hung", "lost" */
/* Of a word that may be stored: "lost" is none. */
bool ts_end_state_of(struct ts_span word, enum ts_end_state *ret_state);
const char *ts_end_cause_word(enum ts_end_cause cause); /* "none", "out_of_memory", ... */

/* Whether a run of this state goes on: "running" or "hung". */
bool ts_end_goes_on(struct ts_span word);

/* What an exception was about, by its type and message; KeyboardInterrupt is a signal. */
enum ts_end_cause ts_end_cause_of(struct ts_span type, struct ts_span message);
/* The name of a signal by its number, "SIGTERM"; NULL: one that seldom ends a program. */
const char *ts_signal_name(int64_t number);

/* facts: those of the rank, one a path. What is none of a kind that is known counts as not said. */
void ts_end_seen_facts(struct ts_end_seen *seen, const struct ts_facts *facts);
void ts_end_seen_event(struct ts_end_seen *seen, struct ts_span name, struct ts_span text, const int64_t *step);

/* Texts of the result lie where those of seen do, or in the arena. */
enum ts_status ts_ending_judge(const struct ts_end_seen *seen, size_t n, struct ts_arena *arena, struct ts_ending *ret_ending,
			       struct ts_error *err);

/* Every how many seconds who started the run said to push it; 0: nobody does. */
int64_t ts_pushed_every(const struct ts_facts *facts);
/* A run that went on is lost if it is pushed every so many seconds and was not for a minute, or six times as long. */
bool ts_is_lost(enum ts_end_state state, int64_t every_s, int64_t silent_ns);
enum ts_status ts_ending_lose(struct ts_ending *ending, int64_t every_s, int64_t silent_ns, struct ts_arena *arena,
			      struct ts_error *err);

#endif
