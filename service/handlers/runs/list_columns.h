/* list_columns.h - the columns of list that are not facts; a name and its summary give them without opening the head.
 *
 *	name project id started pushed state steps first_step last_step ranks world_size own_name who, sweep group job parent,
 *	note.KEY
 * and metrics (ts_metric_split).
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_LIST_COLUMNS_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_LIST_COLUMNS_H

#include "run/membership.h"
#include "run/score.h"

enum ts_list_word {
	TS_WORD_NAME,
	TS_WORD_PROJECT,
	TS_WORD_ID,
	TS_WORD_STARTED,
	TS_WORD_PUSHED,
	TS_WORD_STATE,
	TS_WORD_STEPS,
	TS_WORD_FIRST_STEP,
	TS_WORD_LAST_STEP,
	TS_WORD_RANKS,
	TS_WORD_WORLD_SIZE,
	TS_WORD_OWN_NAME,
	TS_WORD_WHO,
	TS_WORD_MEMBERSHIP, /* and the next ones: in the order of enum ts_membership */
	TS_WORD_NOTE = TS_WORD_MEMBERSHIP + TS_MEMBERSHIPS, /* note.KEY */
	TS_WORD_METRIC, /* SERIES.STATISTIC */
	TS_WORD_FACT, /* any other path with a '.' */
	TS_WORD_NONE, /* no such word */
};

enum ts_list_word ts_list_word(struct ts_span path);
/* Whether the value of the column is a time. */
bool ts_list_is_time(enum ts_list_word word);
/* Whether the value of the column is a whole number. */
bool ts_list_is_count(enum ts_list_word word);
/* Whether the column says what a run belongs to, in *ret_membership, which may be NULL. */
bool ts_list_is_membership(enum ts_list_word word, enum ts_membership *ret_membership);
/* TS_INVALID with a text for people if the metric wants the best value of a series of which nobody knows which value is best. */
enum ts_status ts_list_metric_check(struct ts_span path, struct ts_error *err);
/* "name, project, ..." for messages. */
const char *ts_list_words(void);

#endif
