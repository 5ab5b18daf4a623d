/* text_bar.h - reads one state of a progress bar of tqdm: "Epoch 0:  10%|#   | 10/100 [00:05<00:45,  2.00it/s, loss=2.3]".
 *
 * Source: tqdm 4.67, std.py, tqdm.format_meter; the form with a total.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_BAR_H
#define TSCOPE_INGEST_TEXT_TEXT_BAR_H

#include "base/span.h"

#include <stdint.h>

struct ts_text_bar {
	struct ts_span what; /* before the percentage, without its colon: "Epoch 0"; may be empty */
	int64_t n, total;
	struct ts_span inside; /* within the brackets: times, speed and the pairs that were set */
};

/* Whether text holds a whole bar, up to its closing bracket, with whole numbers for n and total. */
bool ts_text_bar_parse(struct ts_span text, struct ts_text_bar *ret_bar);

#endif
