/* shape_comparison.c - the tables of what an outcome goes with (analysis/settings/comparison.h), JSON alone. */
#include "analysis/settings/comparison.h"
#include "proto/shape/shape_rows.h"

WORD_OF(setting_word, enum ts_setting_state, ts_setting_state_word);
WORD_OF(group_word, enum ts_group_state, ts_group_state_word);
static const struct ts_shape_words setting_states = {TS_SETTING_GOES_WITH, TS_SETTING_MOVES, TS_SETTING_GOES_WITH,
							.word = setting_word};
static const struct ts_shape_words group_states = {TS_GROUP_BEST, TS_GROUP_FEW, TS_GROUP_BEST, .word = group_word};

#define TYPE struct ts_compared_setting
static const struct ts_shape_field correlation_rows[] = {
	{NULL, "rho", F64(rho), ABOUT("of ranks; below 0: the outcome falls where the setting rises, or where it is the word")},
	{NULL, "low", F64(low), ABOUT("of the 95 % interval")},
	{NULL, "high", F64(high)},
	{NULL, "p", F64(p), ABOUT("adjusted for all settings and words")},
};
static const struct ts_shape correlation_shape = {JSON_SHAPE("setting_correlation", correlation_rows)};

static const struct ts_shape_field setting_rows[] = {
	{NULL, "path", BYTES(path, 0)},
	{NULL, "state", ENUM(state, setting_states), ABOUT("few_runs and moves_with_another: not known")},
	{NULL, "run_count", SIZE(runs), ABOUT("that record it and the outcome")},
	{NULL, "value_count", SIZE(values), ABOUT("different ones in these runs")},
	{NULL, "word", BYTES(word, 0), OR_NULL, ABOUT("of a setting of words: this one against all others")},
	{NULL, "correlation", HERE(correlation_shape), HAS(known)},
	{NULL, "with", BYTES(with, 0), OR_NULL, ABOUT("the setting that it moves with")},
};
static const struct ts_shape setting_shape = {JSON_SHAPE("compared_setting", setting_rows)};
#undef TYPE

#define TYPE struct ts_compared_group
static const struct ts_shape_field difference_rows[] = {
	{NULL, "mean", F64(difference), ABOUT("less that of the best group")},
	{NULL, "low", F64(least), ABOUT("of the 95 % interval, adjusted for all pairs")},
	{NULL, "high", F64(most)},
	{NULL, "p", F64(p), ABOUT("by Welch's t, adjusted for all pairs")},
};
static const struct ts_shape difference_shape = {JSON_SHAPE("group_difference", difference_rows)};

static const struct ts_shape_field group_rows[] = {
	{NULL, "name", BYTES(name, 0), OR_NULL, ABOUT("null: of the runs that do not record it")},
	{NULL, "state", ENUM(state, group_states)},
	{NULL, "run_count", SIZE(runs)},
	{NULL, "mean", F64(mean)},
	{NULL, "mean_low", F64(low), ABOUT("of its 95 % interval, by Student's t; the mean itself of one run")},
	{NULL, "mean_high", F64(high)},
	{NULL, "difference", HERE(difference_shape), HAS(compared)},
};
static const struct ts_shape group_shape = {JSON_SHAPE("compared_group", group_rows)};
#undef TYPE

#define TYPE struct ts_comparison
static const struct ts_shape_field comparison_rows[] = {
	{NULL, "sentences", LIST(BYTES, sentences, n_sentences, 0)},
	{NULL, "outcome", BYTES(outcome, 0)},
	{NULL, "run_count", SIZE(runs), ABOUT("that match and have the outcome")},
	{NULL, "without_count", SIZE(without), ABOUT("runs that match and have no outcome")},
	{NULL, "settings", MANY(settings, n_settings, setting_shape, 0)},
	{NULL, "by", BYTES(by, 0), OR_NULL},
	{NULL, "groups", MANY(groups, n_groups, group_shape, 0)},
};
const struct ts_shape ts_shape_comparison = {JSON_SHAPE("comparison", comparison_rows)};
#undef TYPE
