/* again_words.h - the words of a recorded command line, as a POSIX shell would make them, without a shell.
 *
 *	python train.py --name 'it'\''s'	gives four words
 *
 * A line that needs a shell, such as one with a pipe, a variable or a pattern, has no words here: nothing of a record is given to a
 * shell. Pure. Threads: safe.
 */
#ifndef TSCOPE_CLI_VERBS_AGAIN_WORDS_H
#define TSCOPE_CLI_VERBS_AGAIN_WORDS_H

#include "base/arena.h"
#include "base/span.h"

/* The words, which end with NULL, in the arena. NULL: the line needs a shell, has no word, or memory ran out, which the arena knows. */
const char *const *ts_again_words(struct ts_span line, struct ts_arena *arena);

#endif
