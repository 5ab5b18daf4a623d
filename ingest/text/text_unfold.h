/* text_unfold.h - writes the JSON object that a line of a log ends with as a text of named numbers.
 *
 *	json_stats: {"_type": "train_iter", "epoch": "8/30", "iter": "10/344", "loss": 1.63}	PySlowFast, Detectron
 *		train_iter epoch 8/30, iter 10/344: loss=1.63
 *	:::MLLOG {"event_type": "POINT_IN_TIME", "key": "train_loss", "value": 2.5, "metadata": {"step_num": 10}}	MLPerf
 *		step 10: train_loss=2.5
 *	DLLL {"step": [3, 100], "data": {"train_loss": 2.5}}	NVIDIA's DLLogger
 *		epoch 3, step 100: train_loss=2.5
 *
 * What counts steps comes first, then the numbers; those of an object within the object have their own names. Texts that are no
 * numbers, times, and the place in a source are left out. Takes time in proportion to the line.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_UNFOLD_H
#define TSCOPE_INGEST_TEXT_TEXT_UNFOLD_H

#include "base/buf.h"

/* Whether the line ends with an object that has a number beside what counts; the text is then in out, which is overwritten. */
bool ts_text_unfold(struct ts_span line, struct ts_buf *out);

#endif
