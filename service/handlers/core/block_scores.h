/* block_scores.h - remembers what the blocks that were sent came to, so that a commit need not open them again.
 *
 * Whoever checks the digest of a block has its values at hand, and the commit that follows wants their score. The score is a function
 * of the block's bytes and its id names these bytes, so one table serves all stores of the process. It forgets: a block whose place
 * another one took is read again. Threads: safe.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_BLOCK_SCORES_H
#define TSCOPE_SERVICE_HANDLERS_CORE_BLOCK_SCORES_H

#include "base/digest.h"
#include "run/score.h"

/* Remembers the score of an object that was checked against its id, if it is a block of numbers. */
void ts_block_scores_note(const struct ts_id *id, struct ts_span object);
/* False: it is not remembered. */
bool ts_block_scores_find(const struct ts_id *id, struct ts_block_score *ret_score);

#endif
