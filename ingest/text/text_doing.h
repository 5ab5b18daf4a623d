/* text_doing.h - the words by which a log says what a program does with its data: trains, or evaluates. */
#ifndef TSCOPE_INGEST_TEXT_TEXT_DOING_H
#define TSCOPE_INGEST_TEXT_TEXT_DOING_H

#include "base/span.h"

/* The letters that the text begins with. */
struct ts_span ts_text_first_word(struct ts_span text);
/* Whether the word is such a one: "train", "Valid", "test". */
bool ts_text_is_doing(struct ts_span word);
/* What names of an evaluation begin with, by such a word at the beginning of the text: "val_" of "Valid: loss", "test_"; NULL: it is
 * none, or of the training. Texts that are equal are one, so that the pointers may be compared. */
const char *ts_text_evaluation(struct ts_span text);

/* "Early stopping, best iteration is:": LightGBM and XGBoost print the row of that step again behind it. */
bool ts_text_heads_best(struct ts_span line);

#endif
