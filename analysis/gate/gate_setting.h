/* gate_setting.h - the table behind gate_policy.h: each setting of a gate with its name, default, meaning and
 * allowed values. */
#ifndef TSCOPE_ANALYSIS_GATE_GATE_SETTING_H
#define TSCOPE_ANALYSIS_GATE_GATE_SETTING_H

#include "analysis/gate/gate_policy.h"

enum ts_gate_setting_kind {
	TS_SETTING_RATIO,    /* double; 5 % or 0.05 */
	TS_SETTING_NUMBER,   /* double */
	TS_SETTING_COUNT,    /* uint64_t */
	TS_SETTING_SWITCH,   /* bool; on, off */
	TS_SETTING_NAME,     /* struct ts_span */
	TS_SETTING_GATES,    /* bool[TS_METRICS_ALL], and the names of logged series */
	TS_SETTING_METRICS,  /* bool[TS_METRICS_ALL]; of the table of metrics alone */
	TS_SETTING_SIZES,    /* double[TS_METRICS_ALL]: min_size for all, METRIC.min_size for one */
	TS_SETTING_FLOORS,   /* double[TS_METRICS_ALL]: METRIC.least, of a metric of which more is better */
	TS_SETTING_BETTER,   /* enum ts_better[TS_METRICS_ALL]: better for all logged series, SERIES.better for one */
	TS_SETTING_PARTS,    /* bool[TS_WORKLOAD_PARTS] */
	TS_SETTING_GLOBS,    /* struct ts_ignore */
	TS_SETTING_EXCLUDES, /* struct ts_reduce_options */
	TS_SETTING_WARMUP,   /* the same */
	TS_SETTING_ENDING,
};

struct ts_gate_setting {
	const char *name;
	enum ts_gate_setting_kind kind;
	size_t at; /* in struct ts_gate_policy */
	double least, most;
	bool above;	  /* the value must be above least; least itself is too small */
	const char *word; /* a word that may stand in place of a number (NaN in the struct) or of a list (empty in the struct) */
	const char *unit;
	const char *what; /* one sentence, no full stop */
};

/* In the order in which they are printed; the last row has no name. */
extern const struct ts_gate_setting ts_gate_settings[];
extern const char *const ts_gate_ending_words[]; /* by enum ts_gate_ending */

/* Finds "delta", "peak_memory.min_size" or "val_bpb.better"; *ret_metric is TS_METRICS_ALL for a setting that belongs to no single
 * metric, and TS_METRICS for one of a logged series, whatever its place. NULL: there is no such setting. */
const struct ts_gate_setting *ts_gate_setting_find(struct ts_span name, size_t *ret_metric);
/* The series of such a setting: what stands before its last dot. */
struct ts_span ts_gate_setting_series(struct ts_span name);
/* May the value be written as 5 %? */
bool ts_gate_setting_is_ratio(const struct ts_gate_setting *s);

/* The next item of "a, b, c", trimmed, or false after the last; and how many items there are. */
bool ts_gate_list_next(struct ts_span *rest, struct ts_span *ret);
size_t ts_gate_list_count(struct ts_span text);
/* Parse "tag:eval" and "exit-3". False: the text is not one of those. */
bool ts_gate_exclude_parse(struct ts_span text, struct ts_exclude *ret);
bool ts_gate_better_parse(struct ts_span text, enum ts_better *ret); /* "lower", "higher"; "by-name" is UNKNOWN */
bool ts_gate_ending_parse(struct ts_span text, enum ts_gate_ending *ret);

#endif
