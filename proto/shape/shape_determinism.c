/* shape_determinism.c - the tables of what keeps two runs from being equal (analysis/determinism/determinism.h), JSON alone. */
#include "analysis/determinism/determinism.h"
#include "proto/shape/shape_rows.h"

static const char *state_word(int state)
{
	return ts_hazard_state_word((enum ts_hazard_state)state);
}

static const char *runs_word(int ran)
{
	return ts_determinism_runs_word((enum ts_determinism_runs)ran);
}

static const struct ts_shape_words states = {TS_HAZARD_BREAKS, TS_HAZARD_IDLE, TS_HAZARD_BREAKS, .word = state_word};
static const struct ts_shape_words ran_words = {TS_RUNS_NONE, TS_RUNS_UNKNOWN, TS_RUNS_NONE, .word = runs_word};

#define TYPE struct ts_determinism_row
static const struct ts_shape_field row_rows[] = {
	{NULL, "name", BYTES(name, 0)},
	{NULL, "state", ENUM(state, states)},
	{NULL, "acts_elsewhere", BOOL(elsewhere), ABOUT("runs here repeat; on another machine they may not, and it decides nothing")},
	{NULL, "recorded", BYTES(recorded, 0), OR_NULL},
	{NULL, "says", BYTES(says, 0), OR_NULL},
	{NULL, "prevented_by", BYTES(prevent, 0), OR_NULL},
	{NULL, "cost", BYTES(cost, 0), OR_NULL},
	{NULL, "source", BYTES(source, 0), OR_NULL},
};
static const struct ts_shape row_shape = {JSON_SHAPE("hazard", row_rows)};
#undef TYPE

#define TYPE struct ts_determinism
static const struct ts_shape_field determinism_rows[] = {
	{NULL, "run", ONE(run, ts_shape_run)},
	{NULL, "sentence", BYTES(sentence, 0)},
	{NULL, "breaks_count", U64(breaks), ABOUT("rows that are known to make two runs differ, of those that act here")},
	{NULL, "unproved_count", U64(unproved), ABOUT("rows that are not recorded or not known, of those that act here")},
	{NULL, "operation_kind_count", U64(op_kinds), ABOUT("names of operations that were recorded; 0: none were")},
	{NULL, "two_runs", ENUM(ran, ran_words), ABOUT("two short runs of a command, where one was given")},
	{NULL, "equal_step_count", U64(steps), HAS(compared)},
	{NULL, "equal_series_count", U64(series), HAS(compared)},
	{NULL, "first_step", I64(first_step), HAS(parts), ABOUT("at which two runs differ first")},
	{NULL, "first_difference", BYTES(first, 0), OR_NULL, ABOUT("the operation or the series; or why it is not known")},
	{NULL, "folders", FIXED(BYTES, folders)},
	{NULL, "hazards", MANY(rows, n, row_shape, 0)},
};
const struct ts_shape ts_shape_determinism = {JSON_SHAPE("determinism", determinism_rows)};
#undef TYPE
