/* role_words.h - what the words of a column's name say: of the training, of what it cost, or nothing.
 *
 * Trackers and trainers name one thing in many ways: throughput(tps), time_metrics/end_to_end(s), mem-reserved-bytes, timing_s/gen,
 * DeviceStatsMonitor.on_train_batch_end/allocated_bytes.all.current. They agree in the words: a unit of time, of memory or of a rate
 * at the end, a clock, a device. So a name is cut into words, and the last word that says something decides: step_time is a time, and
 * time_step is a step. A name without such a word says nothing.
 */
#ifndef TSCOPE_RUN_ROLE_WORDS_H
#define TSCOPE_RUN_ROLE_WORDS_H

#include "base/span.h"
#include "run/role.h"

/* name: the path of a column, without "scalars." in front. TS_ROLE_UNKNOWN where no word tells, or there are too many words. */
enum ts_role ts_role_by_words(struct ts_span name);
/* Does the name say that this is the factor of mixed precision (loss_scale, grad_scale, amp/scale, scaler)? It is no loss. */
bool ts_words_name_loss_scale(struct ts_span name);
/* Does the name say that this is a sum or a variant of loss functions (ce_dice, DiceCE, focal_tversky)? *ret_elsewhere: and that it is
 * of data that are not trained on. */
bool ts_words_name_objective(struct ts_span name, bool *ret_elsewhere);

#endif
