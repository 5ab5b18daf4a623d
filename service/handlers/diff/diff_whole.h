/* diff_whole.h - what only whole series of two runs show, as evidence for ts_diagnose: that the steps of one are counted from another
 * number, that its ranks have exchanged their numbers, that its learning rates began anew, that the losses of all ranks have the same
 * mean, and which other numbers agree throughout.
 *
 * Series of more than TS_EVIDENCE_BATCHES steps are not looked through.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_WHOLE_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_WHOLE_H

#include "service/handlers/diff/diff_evidence.h"

/* A number whose values vary as something measured does, not as a counter: sets *ret_varies. Looks at one block. */
enum ts_status ts_whole_varies(struct ts_fetch *f, const struct ts_series_side *side, bool *ret_varies, struct ts_error *err);

/* Fills e->moved, rates, ranks_exchanged, means, ranks_a and ranks_b, first_steps_*. */
enum ts_status ts_whole_look(const struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b,
			     struct ts_evidence *e, struct ts_error *err);

#endif
