/* comparison.h - over many runs of one training: which settings an outcome goes with, and which groups differ in it.
 *
 * Settings. The rank correlation of a setting with the outcome over the runs that have both (rank_correlation.h). A setting of words
 * is asked word by word, each against all others; the one that stands out most counts, its chance times the number of words. A setting
 * goes with the outcome where its chance stands out among those of all settings (Holm, at 3 %, which keeps 5 %) and nothing else
 * explains it. Not known: too few runs record it, or too few have another value than most (rank_correlation.h); or it moves with
 * another setting, so that their effects cannot be told apart: their rank correlation is TS_SETTINGS_TOGETHER or more, or what it has
 * in common with one that goes with the outcome more explains it (partial correlation, 5 %). It is no proof of a cause: who chose
 * settings by hand has changed others, too, and what is not recorded cannot be seen.
 *
 * Groups. The group with the best mean is compared with each other one by Welch's t; the chance is multiplied by the number of all
 * pairs, since which one is the best was read off the same runs. A group of fewer than TS_GROUP_LEAST runs decides nothing.
 *
 * tests/quality/quality_settings.c has the rates. Pure.
 */
#ifndef TSCOPE_ANALYSIS_SETTINGS_COMPARISON_H
#define TSCOPE_ANALYSIS_SETTINGS_COMPARISON_H

#include "base/arena.h"

#define TS_SETTINGS_TOGETHER 0.8
enum { TS_GROUP_LEAST = 3 };

/* A setting of n runs: numbers; or of words, which word it is, from 0 on. NaN: the run does not record it. */
struct ts_setting_values {
	struct ts_span path;
	const double *values;
	const struct ts_span *words; /* NULL: of numbers */
	size_t n_words;
};

enum ts_setting_state {
	TS_SETTING_GOES_WITH,
	TS_SETTING_NOT_SHOWN, /* no correlation stands out */
	TS_SETTING_FEW,	      /* not known: too few runs, or too few with another value */
	TS_SETTING_MOVES,     /* not known: it moves with another setting */
};

struct ts_compared_setting {
	struct ts_span path;
	enum ts_setting_state state;
	size_t runs, values;   /* runs that record it and the outcome; different values in them */
	bool known;	       /* the next ones; also of a setting that moves with another */
	double rho, low, high; /* below 0: the outcome falls where it rises, or where it is the word */
	double p;	       /* adjusted for words and settings */
	struct ts_span word;   /* of words: this one against all others; empty: of numbers */
	struct ts_span with;   /* the setting that it moves with */
};

enum ts_group_state { TS_GROUP_BEST, TS_GROUP_WORSE, TS_GROUP_NO_WORSE /* not shown to be */, TS_GROUP_FEW };

/* What of a group is given in: its runs' outcomes. */
struct ts_group_values {
	struct ts_span name; /* empty: of runs that do not record what groups are made by */
	const double *values;
	size_t n;
};

struct ts_compared_group {
	struct ts_span name;
	enum ts_group_state state;
	size_t runs;
	double mean, low, high;		   /* of the mean: 95 %, by Student's t; equal to the mean of one run */
	bool compared;			   /* the next ones */
	double difference, least, most, p; /* to the mean of the best; 95 %, adjusted for all pairs */
};

struct ts_comparison {
	struct ts_span outcome;
	bool down;		/* less of it is better */
	bool direction_known;	/* else the least is called best */
	size_t runs, without;	/* runs that have the outcome; those that matched and have not */
	struct ts_compared_setting *settings; /* what goes with it first, the strongest first; then by path */
	size_t n_settings;
	struct ts_span by;	/* what groups are made by; empty: none */
	struct ts_compared_group *groups; /* the best first */
	size_t n_groups;
	struct ts_span *sentences; /* the first is the answer */
	size_t n_sentences;
};

const char *ts_setting_state_word(enum ts_setting_state state); /* "goes_with", "not_shown", "few_runs", "moves_with_another" */
const char *ts_group_state_word(enum ts_group_state state);	/* "best", "worse", "not_shown", "few_runs" */

/* outcome: n values, none NaN. Fills the settings of ret; paths and words are those given. */
enum ts_status ts_settings_compare(const double *outcome, size_t n, const struct ts_setting_values *settings, size_t n_settings,
				   struct ts_arena *arena, struct ts_comparison *ret, struct ts_error *err);
/* Fills the groups of ret, by its `down`. Values are finite. */
enum ts_status ts_groups_compare(const struct ts_group_values *groups, size_t n, struct ts_arena *arena, struct ts_comparison *ret,
				 struct ts_error *err);
/* Writes the sentences. There is a run with the outcome. */
enum ts_status ts_comparison_say(struct ts_comparison *c, struct ts_arena *arena, struct ts_error *err);

#endif
