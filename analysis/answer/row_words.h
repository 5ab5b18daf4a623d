/* row_words.h - the words of rows that others decide by: what a row of text may say, as the values of an enum.
 *
 * A row travels with its word (measure.h), so that it can be shown, stored and sent. Each word stands once, in row_words.c: an analysis
 * writes it by ..._word(value), and a rule or a report reads it by ..._of(word). Nobody compares a row with a word of its own.
 * The analysis that makes a row says in its header what the values mean. What is none of the words is the value that says the least.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_ROW_WORDS_H
#define TSCOPE_ANALYSIS_ANSWER_ROW_WORDS_H

#include "base/span.h"

/* TS_M_SETTING, TS_M_RANKS_DECIDABLE: "yes", "no", "unknown". The latter has a reason in the place of "no". */
enum ts_answered { TS_ANSWERED_UNKNOWN = 0, TS_ANSWERED_NO = 1, TS_ANSWERED_YES = 2 };
const char *ts_answered_word(enum ts_answered answered);
enum ts_answered ts_answered_of(struct ts_span word);

/* TS_M_STEP_SOURCE, TS_M_BUDGET_SOURCE and the reduction of a run: what times of steps come from. */
enum ts_time_source { TS_TIME_UNSAID, TS_TIME_BY_PHASES, TS_TIME_BY_STAMPS };
const char *ts_time_source_word(enum ts_time_source source);
enum ts_time_source ts_time_source_of(struct ts_span word);

/* TS_M_RANKS_MODE: where ranks wait for each other (analysis/ranks/ranks.h). */
enum ts_ranks_mode { TS_RANKS_ALONE, TS_RANKS_EXPLICIT, TS_RANKS_HIDDEN };
const char *ts_ranks_mode_word(enum ts_ranks_mode mode);
enum ts_ranks_mode ts_ranks_mode_of(struct ts_span word);

/* TS_M_DEVICE_KIND (analysis/rank/work.h). */
enum ts_device_kind { TS_DEVICE_UNSAID, TS_DEVICE_CPU, TS_DEVICE_GPU };
const char *ts_device_kind_word(enum ts_device_kind kind);
enum ts_device_kind ts_device_kind_of(struct ts_span word);

/* TS_M_PERIOD_CAUSE: what steps that are slow again and again may be (analysis/rank/timing.h). */
enum ts_period_cause {
	TS_PERIOD_OTHER,
	TS_PERIOD_EPOCHS,
	TS_PERIOD_ACCUMULATION,
	TS_PERIOD_LIKE_ACCUMULATION,
	TS_PERIOD_WORKERS,
};
const char *ts_period_cause_word(enum ts_period_cause cause);
enum ts_period_cause ts_period_cause_of(struct ts_span word);

/* TS_M_SLOWDOWN_KIND (analysis/rank/slowdown.h). */
enum ts_slowdown_kind {
	TS_SLOWDOWN_NONE,
	TS_SLOWDOWN_STEP,    /* from `first` on */
	TS_SLOWDOWN_RAMP,    /* from `first` to `last` it grew */
	TS_SLOWDOWN_STRETCH, /* from `first` on, until `last` */
	TS_SLOWDOWN_LEVELS,  /* the run goes to and fro between two levels */
};
const char *ts_slowdown_word(enum ts_slowdown_kind kind);
enum ts_slowdown_kind ts_slowdown_of(struct ts_span word);

/* TS_M_SERIES_PROGRESS: what a series does over the whole run (analysis/rank/convergence.h). */
enum ts_series_progress { TS_PROGRESS_UNKNOWN, TS_PROGRESS_NONE, TS_PROGRESS_FELL, TS_PROGRESS_ROSE };
const char *ts_series_progress_word(enum ts_series_progress progress);
enum ts_series_progress ts_series_progress_of(struct ts_span word);

/* TS_M_SERIES_TREND: and over its second half. It worsens or improves where it is known which way is better. */
enum ts_series_trend {
	TS_SERIES_TREND_UNKNOWN,
	TS_SERIES_TREND_IMPROVING,
	TS_SERIES_TREND_FALLING,
	TS_SERIES_TREND_PLATEAU,
	TS_SERIES_TREND_RISING,
	TS_SERIES_TREND_WORSENING,
	TS_SERIES_TREND_DIVERGED,
};
const char *ts_series_trend_word(enum ts_series_trend trend);
enum ts_series_trend ts_series_trend_of(struct ts_span word);

/* TS_M_SERIES_MOVE (analysis/rank/move.h). */
enum ts_move_kind { TS_MOVE_NONE, TS_MOVE_JUMP, TS_MOVE_LEFT, TS_MOVE_RISE, TS_MOVE_DRIFT, TS_MOVES };
const char *ts_move_word(enum ts_move_kind kind);
enum ts_move_kind ts_move_of(struct ts_span word);

/* TS_M_CREEP_KIND (analysis/rank/creep.h). */
enum ts_creep_kind { TS_CREEP_NONE, TS_CREEP_EARLY, TS_CREEP_CONFIRMED };
const char *ts_creep_word(enum ts_creep_kind kind);
enum ts_creep_kind ts_creep_of(struct ts_span word);

/* TS_M_TRACEML_KIND: which straggler TraceML's rule names (analysis/ranks/culprit.h). */
enum ts_culprit_kind { TS_CULPRIT_NONE, TS_CULPRIT_INPUT, TS_CULPRIT_H2D, TS_CULPRIT_COMPUTE, TS_CULPRIT_STRAGGLER };
const char *ts_culprit_kind_word(enum ts_culprit_kind kind);
enum ts_culprit_kind ts_culprit_kind_of(struct ts_span word);

/* TS_M_SNAPSHOT_PEAK_PHASE: what a program does where memory is asked for (analysis/snapshot/origin.h). */
enum ts_memory_phase {
	TS_PHASE_UNSAID = 0, /* no stack, or none of its frames says one */
	TS_PHASE_SETUP,	     /* layers are made, moved to a device or loaded */
	TS_PHASE_FORWARD,
	TS_PHASE_BACKWARD,
	TS_PHASE_RECOMPUTE, /* forward again, by torch.utils.checkpoint */
	TS_PHASE_OPTIMIZER,
};
const char *ts_memory_phase_word(enum ts_memory_phase phase);
enum ts_memory_phase ts_memory_phase_of(struct ts_span word);

/* The subjects of TS_M_SNAPSHOT_KIND: what memory holds (analysis/snapshot/kinds.h). */
enum ts_memory_kind {
	TS_MEMORY_UNKNOWN = 0,
	TS_MEMORY_PARAMETERS, /* and buffers of modules, which no stack tells from them */
	TS_MEMORY_GRADIENTS,
	TS_MEMORY_OPTIMIZER,
	TS_MEMORY_ACTIVATIONS,
	TS_MEMORY_TEMPORARY,
	TS_MEMORY_RECOMPUTATION,
	TS_MEMORY_CASTS,  /* what autocast made of parameters for one forward */
	TS_MEMORY_KEPT,	  /* by a forward that was over: outputs, the loss, caches, activations, which no stack tells apart */
	TS_MEMORY_BEFORE, /* there before recording, and nothing says what for */
	TS_MEMORY_MADE,	  /* in a constructor of the program's: parameters, an optimizer's state, data, which no stack tells apart */
	TS_MEMORY_WORKSPACE, /* of a library, which holds it for as long as the process lives */
	TS_MEMORY_KINDS
};
const char *ts_memory_kind_word(enum ts_memory_kind kind);

#endif
