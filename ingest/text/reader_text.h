/* reader_text.h - reads the text that a training prints: a log, or what was saved of stdout and stderr.
 *
 * The table of text_formats.h knows the lines, or the caller's templates (options->patterns) do, or else those that text_guess.h finds,
 * which the result names and the run keeps (session.patterns). Lines end in \n or, as those of
 * progress bars do, in \r. The file is read three times or four: first to find out which format has most lines and which rank
 * printed them, then as log_table.h says. Lines of other formats and ranks, and all that says nothing about a step, are counted.
 *
 *	progress bars	the last state at each step counts. A bar that begins again after its end, or with another text before it, is
 *			the next epoch, and its steps go on
 *	Hugging Face	a record has no step; the next state of the training's bar has it. Without a bar the records are numbered
 *
 * A last line without its end is left out, since its last number may be cut; a bar is whole with its bracket.
 */
#ifndef TSCOPE_INGEST_TEXT_READER_TEXT_H
#define TSCOPE_INGEST_TEXT_READER_TEXT_H

#include "ingest/core/reader.h"

extern const char ts_text_loses[];
/* How a text that is not read might be: what lacks, and the best guess as --pattern. NULL: nothing looks like steps. */
const char *ts_text_advice(const char *path, struct ts_arena *arena);
/* Whether a file of that name may be a text log: train.log, log.txt, slurm-17.out, job.o17, stdout. */
bool ts_text_is_log(const char *name);
int ts_text_sniff(const char *path);
enum ts_status ts_text_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			    struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
