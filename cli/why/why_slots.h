/* why_slots.h - words of a command in which recorded values are to stand: {config.lr}, {config-file}. */
#ifndef TSCOPE_CLI_WHY_WHY_SLOTS_H
#define TSCOPE_CLI_WHY_WHY_SLOTS_H

#include "base/span.h"
#include "run/fact.h"

#include <stdbool.h>

/* Is {path} in one of the words, which end with NULL? argv may be NULL: then nothing is. */
bool ts_why_has_slot(const char *const *argv, struct ts_span path);

/* The next {NAME} of a word from *at on, of letters, digits and "._-[]"; moves *at behind it. False: there is none. */
bool ts_why_next_slot(const char *word, size_t *at, struct ts_span *ret_name);

/* Appends the settings below "config." as one JSON object, nested as they were recorded. TS_INVALID: one is a text too long to be at
 * hand, or they are not well-formed. */
enum ts_status ts_why_config(const struct ts_facts *facts, struct ts_buf *out, struct ts_arena *arena, struct ts_error *err);

#endif
