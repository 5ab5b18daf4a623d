#include "service/handlers/runs/list_columns.h"

static const char *const words[] = {
	[TS_WORD_NAME] = "name",       [TS_WORD_PROJECT] = "project",       [TS_WORD_ID] = "id",
	[TS_WORD_STARTED] = "started", [TS_WORD_PUSHED] = "pushed",         [TS_WORD_STATE] = "state",
	[TS_WORD_STEPS] = "steps",     [TS_WORD_FIRST_STEP] = "first_step", [TS_WORD_LAST_STEP] = "last_step",
	[TS_WORD_RANKS] = "ranks",     [TS_WORD_WORLD_SIZE] = "world_size", [TS_WORD_OWN_NAME] = "own_name",
	[TS_WORD_WHO] = "who",
};

enum ts_status ts_list_metric_check(struct ts_span path, struct ts_error *err)
{
	struct ts_span series;
	enum ts_stat stat;

	if (!ts_metric_split(path, &series, &stat) || (stat != TS_STAT_BEST && stat != TS_STAT_BEST_STEP) ||
	    ts_direction_of(series) != TS_DIRECTION_UNKNOWN)
		return TS_OK;
	return ts_error_set(err, TS_INVALID,
			    "whether a low or a high %.*s is better is not known from its name, so it has no best value; %.*s.min and "
			    "%.*s.max are the least and the largest",
			    TS_SPAN_ARG(series), TS_SPAN_ARG(series), TS_SPAN_ARG(series));
}

enum ts_list_word ts_list_word(struct ts_span path)
{
	struct ts_span series;
	enum ts_stat stat;

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_is(path, words[i]))
			return (enum ts_list_word)i;
	for (int m = 0; m < TS_MEMBERSHIPS; m++)
		if (ts_span_is(path, ts_membership_word((enum ts_membership)m)))
			return (enum ts_list_word)(TS_WORD_MEMBERSHIP + m);
	if (path.len > 5 && ts_span_starts(path, ts_span_str("note.")))
		return TS_WORD_NOTE;
	if (ts_metric_split(path, &series, &stat))
		return TS_WORD_METRIC;
	return path.len && memchr(path.data, '.', path.len) ? TS_WORD_FACT : TS_WORD_NONE;
}

bool ts_list_is_time(enum ts_list_word word)
{
	return word == TS_WORD_STARTED || word == TS_WORD_PUSHED;
}

bool ts_list_is_count(enum ts_list_word word)
{
	return word == TS_WORD_STEPS || word == TS_WORD_FIRST_STEP || word == TS_WORD_LAST_STEP || word == TS_WORD_RANKS ||
	       word == TS_WORD_WORLD_SIZE;
}

bool ts_list_is_membership(enum ts_list_word word, enum ts_membership *ret_membership)
{
	if (word < TS_WORD_MEMBERSHIP || word >= TS_WORD_NOTE)
		return false;
	if (ret_membership)
		*ret_membership = (enum ts_membership)(word - TS_WORD_MEMBERSHIP);
	return true;
}

const char *ts_list_words(void)
{
	return "name, project, id, started, pushed, state, steps, first_step, last_step, ranks, world_size, own_name, "
	       "who, sweep, group, job, parent, "
	       "note.KEY, a metric such as loss.best, or a fact such as config.lr";
}
