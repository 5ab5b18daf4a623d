/* row_words.c - see row_words.h. */
#include "analysis/answer/row_words.h"

#include "base/words.h"

TS_WORDS(ts_answered_word, enum ts_answered,
	 "unknown", [TS_ANSWERED_UNKNOWN] = "unknown", [TS_ANSWERED_NO] = "no", [TS_ANSWERED_YES] = "yes")
TS_WORDS_BACK(ts_answered_of, enum ts_answered, ts_answered_word, TS_ANSWERED_YES, TS_ANSWERED_UNKNOWN)

TS_WORDS(ts_time_source_word, enum ts_time_source,
	 "unknown", [TS_TIME_UNSAID] = "unknown", [TS_TIME_BY_PHASES] = "phases", [TS_TIME_BY_STAMPS] = "timestamps")
TS_WORDS_BACK(ts_time_source_of, enum ts_time_source, ts_time_source_word, TS_TIME_BY_STAMPS, TS_TIME_UNSAID)

TS_WORDS(ts_ranks_mode_word, enum ts_ranks_mode,
	 "none", [TS_RANKS_ALONE] = "none", [TS_RANKS_EXPLICIT] = "explicit comm", [TS_RANKS_HIDDEN] = "hidden in backward")
TS_WORDS_BACK(ts_ranks_mode_of, enum ts_ranks_mode, ts_ranks_mode_word, TS_RANKS_HIDDEN, TS_RANKS_ALONE)

TS_WORDS(ts_device_kind_word, enum ts_device_kind, "", [TS_DEVICE_UNSAID] = "", [TS_DEVICE_CPU] = "CPU", [TS_DEVICE_GPU] = "GPU")
TS_WORDS_BACK(ts_device_kind_of, enum ts_device_kind, ts_device_kind_word, TS_DEVICE_GPU, TS_DEVICE_UNSAID)

TS_WORDS(ts_period_cause_word, enum ts_period_cause,
	 "other", [TS_PERIOD_OTHER] = "other", [TS_PERIOD_EPOCHS] = "epoch starts", [TS_PERIOD_ACCUMULATION] = "gradient accumulation",
	 [TS_PERIOD_LIKE_ACCUMULATION] = "like gradient accumulation", [TS_PERIOD_WORKERS] = "loader workers")
TS_WORDS_BACK(ts_period_cause_of, enum ts_period_cause, ts_period_cause_word, TS_PERIOD_WORKERS, TS_PERIOD_OTHER)

TS_WORDS(ts_slowdown_word, enum ts_slowdown_kind, "unknown", [TS_SLOWDOWN_NONE] = "none found", [TS_SLOWDOWN_STEP] = "step",
	 [TS_SLOWDOWN_RAMP] = "ramp", [TS_SLOWDOWN_STRETCH] = "stretch", [TS_SLOWDOWN_LEVELS] = "two levels")
TS_WORDS_BACK(ts_slowdown_of, enum ts_slowdown_kind, ts_slowdown_word, TS_SLOWDOWN_LEVELS, TS_SLOWDOWN_NONE)

TS_WORDS(ts_series_progress_word, enum ts_series_progress, "unknown", [TS_PROGRESS_UNKNOWN] = "unknown", [TS_PROGRESS_NONE] = "none",
	 [TS_PROGRESS_FELL] = "fell", [TS_PROGRESS_ROSE] = "rose")
TS_WORDS_BACK(ts_series_progress_of, enum ts_series_progress, ts_series_progress_word, TS_PROGRESS_ROSE, TS_PROGRESS_UNKNOWN)

TS_WORDS(ts_series_trend_word, enum ts_series_trend, "unknown", [TS_SERIES_TREND_UNKNOWN] = "unknown",
	 [TS_SERIES_TREND_IMPROVING] = "improving", [TS_SERIES_TREND_FALLING] = "falling", [TS_SERIES_TREND_PLATEAU] = "plateau",
	 [TS_SERIES_TREND_RISING] = "rising", [TS_SERIES_TREND_WORSENING] = "worsening", [TS_SERIES_TREND_DIVERGED] = "diverged")
TS_WORDS_BACK(ts_series_trend_of, enum ts_series_trend, ts_series_trend_word, TS_SERIES_TREND_DIVERGED, TS_SERIES_TREND_UNKNOWN)

TS_WORDS(ts_move_word, enum ts_move_kind, "unknown", [TS_MOVE_NONE] = "none", [TS_MOVE_JUMP] = "jump", [TS_MOVE_LEFT] = "left",
	 [TS_MOVE_RISE] = "rise", [TS_MOVE_DRIFT] = "drift")
TS_WORDS_BACK(ts_move_of, enum ts_move_kind, ts_move_word, TS_MOVE_DRIFT, TS_MOVE_NONE)

TS_WORDS(ts_creep_word, enum ts_creep_kind,
	 "unknown", [TS_CREEP_NONE] = "none", [TS_CREEP_EARLY] = "early", [TS_CREEP_CONFIRMED] = "confirmed")
TS_WORDS_BACK(ts_creep_of, enum ts_creep_kind, ts_creep_word, TS_CREEP_CONFIRMED, TS_CREEP_NONE)

TS_WORDS(ts_culprit_kind_word, enum ts_culprit_kind, "none", [TS_CULPRIT_NONE] = "none", [TS_CULPRIT_INPUT] = "INPUT_STRAGGLER",
	 [TS_CULPRIT_H2D] = "H2D_STRAGGLER", [TS_CULPRIT_COMPUTE] = "COMPUTE_STRAGGLER", [TS_CULPRIT_STRAGGLER] = "STRAGGLER")
TS_WORDS_BACK(ts_culprit_kind_of, enum ts_culprit_kind, ts_culprit_kind_word, TS_CULPRIT_STRAGGLER, TS_CULPRIT_STRAGGLER)

TS_WORDS(ts_memory_phase_word, enum ts_memory_phase,
	 "unknown", [TS_PHASE_UNSAID] = "unknown", [TS_PHASE_SETUP] = "setup", [TS_PHASE_FORWARD] = "forward",
	 [TS_PHASE_BACKWARD] = "backward", [TS_PHASE_RECOMPUTE] = "recomputation", [TS_PHASE_OPTIMIZER] = "optimizer")
TS_WORDS_BACK(ts_memory_phase_of, enum ts_memory_phase, ts_memory_phase_word, TS_PHASE_OPTIMIZER, TS_PHASE_UNSAID)

TS_WORDS(ts_memory_kind_word, enum ts_memory_kind, "unknown", [TS_MEMORY_UNKNOWN] = "unknown", [TS_MEMORY_PARAMETERS] = "parameters",
	 [TS_MEMORY_GRADIENTS] = "gradients", [TS_MEMORY_OPTIMIZER] = "optimizer state", [TS_MEMORY_ACTIVATIONS] = "activations",
	 [TS_MEMORY_TEMPORARY] = "temporary", [TS_MEMORY_RECOMPUTATION] = "recomputation",
	 [TS_MEMORY_CASTS] = "autocast copies", [TS_MEMORY_KEPT] = "kept by forward", [TS_MEMORY_BEFORE] = "before recording",
	 [TS_MEMORY_MADE] = "made in constructors", [TS_MEMORY_WORKSPACE] = "workspaces")
