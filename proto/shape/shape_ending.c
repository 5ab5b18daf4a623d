/* shape_ending.c - the table of how a run ended. */
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"
#include "run/ending.h"

static const char *state_word(int state)
{
	return ts_end_state_word((enum ts_end_state)state);
}

static const char *cause_word(int cause)
{
	return ts_end_cause_word((enum ts_end_cause)cause);
}

static const struct ts_shape_words states = {TS_END_UNKNOWN, TS_END_LOST, TS_END_UNKNOWN, .word = state_word, .newer = true};
static const struct ts_shape_words end_causes = {TS_END_NO_CAUSE, TS_END_DISK_FULL, TS_END_NO_CAUSE, .word = cause_word, .newer = true};

enum { SENTENCE_MAX = 8192 };

#define TYPE struct ts_ending
static const struct ts_shape_field ending_rows[] = {
	{"state", "state", ENUM(state, states), ABOUT("unknown: nothing that was recorded says how it ended")},
	{"cause", "cause", ENUM(cause, end_causes)},
	{"type", "type", BYTES(type, TS_FACT_TEXT_MAX), OR_NULL, ABOUT("of the exception, or the name of the signal")},
	{"message", "message", BYTES(message, TS_WIRE_TEXT_MAX), OR_NULL},
	{"step", "step", I64(step), HAS(has_step)},
	{"after", "after_step", BOOL(after), ABOUT("the step is the last that was recorded, and the end came after it")},
	{"ranks", "ranks", LIST(I32, ranks, n_ranks, TS_END_RANKS_MAX), ABOUT("that ended so, or that a log names")},
	{"record", "record", BYTES(record, TS_WIRE_TEXT_MAX), OR_NULL, ABOUT("what says it")},
	{"sentence", "sentence", BYTES(sentence, SENTENCE_MAX), OR_NULL},
};
const struct ts_shape ts_shape_ending = {SHAPE("ending", ending, ending_rows)};
#undef TYPE
