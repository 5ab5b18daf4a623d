/* text_guess.h - guesses by which templates (text_pattern.h) the lines of a log are to be read that no format knows.
 *
 * One pass over the beginning of the log, TS_TEXT_GUESS_BYTES, collects kinds of lines: how the text around the counters goes on
 * ("Epoch [1/6], Step [100/600]", "iter 40:", "[12/400]"), or, of lines without a counter, how the text before their first named
 * number does. The kind that most lines have, whose counter rises, is that of the steps; others join it that count the same steps,
 * or stand among them as parts of their blocks. What comes out are templates, nothing else: a guess is read by the machinery of
 * --pattern, and equals the run that --pattern with them gives.
 *
 * A line that ends with an object in JSON is looked at as text_unfold.h writes it. A program that text_known.h knows is not guessed.
 *
 * A log without such a counter is looked at again: whether the first whole number of its lines rises so, whatever its name ("Instance:
 * 4000;", "0 | loss 2.5"); then whether most of its lines are of one kind without a counter, and each has what trainings measure.
 *
 * It is sure if at least three lines have a step that rises, at least every second time a line follows another, and falls as rarely as
 * a training is restarted (a new epoch may begin again); and if one of their named numbers is what trainings alone measure
 * (ts_log_name_measures); and if they are not a few lines of a long text. Else `why` says what lacks, and the templates are the best
 * guess, which the caller shows and does not follow. False reading is worse than refusal: tests/quality/text_logs.py counts both.
 *
 * Errors: TS_NO_MEMORY; a file that cannot be read gives its own. Ownership: texts lie in the arena. Takes time in proportion to
 * what it reads, and memory for at most TS_TEXT_GUESS_KINDS kinds.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_GUESS_H
#define TSCOPE_INGEST_TEXT_TEXT_GUESS_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdint.h>

enum { TS_TEXT_GUESS_BYTES = 4 << 20, TS_TEXT_GLANCE_BYTES = 256 << 10, TS_TEXT_GUESS_KINDS = 512, TS_TEXT_GUESS_TEMPLATES = 8 };

struct ts_text_guess {
	const char *templates[TS_TEXT_GUESS_TEMPLATES];
	size_t n;	 /* 0: no line has a counter that rises and a named number */
	const char *why; /* why it is not sure; NULL: it is */
	bool unmeasured; /* none of their numbers has a name of what trainings measure */
	bool counts;	 /* the first of them has the step; else none has, and rows are numbered */
	bool behind;	 /* they fit what stands behind the numbers before lines, which are ranks */
	bool coarse;	 /* several lines have one step, which is an epoch */
	uint64_t lines;	 /* of the sample that the first of them fits */
};

enum ts_status ts_text_guess(const char *top, const char *path, struct ts_arena *arena, struct ts_text_guess *ret_guess,
			     struct ts_error *err);

/* Whether a guess is sure, by the first TS_TEXT_GLANCE_BYTES, and only where these do not say so by the whole sample: a long log is
 * known for one after a glance. Its lines further on may be others, so that ts_text_guess may still refuse it. */
enum ts_status ts_text_guess_whether(const char *path, bool *ret_is, struct ts_error *err);

/* Writes " --pattern '...'" for each template, as a shell takes it. */
void ts_text_templates_print(struct ts_buf *out, const char *const *templates, size_t n);

#endif
