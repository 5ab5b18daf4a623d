/* meaning.h - what a number of the steps is to its training, by its column's name: what is minimized, the norm of its gradient, the
 * learning rate, or an evaluation. One table for all who ask: the diff, the analysis and the readers of logs.
 *
 * Names are compared in lower case with their groups: "train/NLL" is train_nll. What no row knows means nothing, and nobody guesses.
 */
#ifndef TSCOPE_RUN_MEANING_H
#define TSCOPE_RUN_MEANING_H

#include "base/limits.h"
#include "base/span.h"

enum ts_meaning {
	TS_MEANS_NOTHING,
	TS_MEANS_LOSS,	    /* it is called a loss of the training */
	TS_MEANS_OBJECTIVE, /* an objective, a cost or an error: it stands for the loss where no number is called one */
	TS_MEANS_GRAD_NORM, /* of all gradients or of some; no limit of one */
	TS_MEANS_RATE,	    /* the learning rate of all parameters or of some */
	TS_MEANS_EVAL,	    /* of data that are not trained on, whatever is measured */
};

/* A name as globs are matched with it: in lower case, with '-', '/' and ' ' as '_'. It lies in room; empty if the name is longer. */
struct ts_span ts_column_folded(struct ts_span name, uint8_t room[TS_PATH_MAX]);
/* The column's name may begin with "scalars." and may be longer than any of the table. */
enum ts_meaning ts_column_meaning(struct ts_span column);
/* Whether its last letters say "loss", in either case: eval_loss and CTCLoss, whatever data it is of. */
bool ts_column_ends_as_loss(struct ts_span column);

#endif
