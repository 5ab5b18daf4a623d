/* direction.h - which way a column is better: down for a loss, up for an accuracy. It decides what the best value of a run is.
 *
 * The direction is that of the table of names, by the last key of the column's name (loss, val_acc, train/loss). A name that the table
 * does not have has no best value: nobody guesses.
 */
#ifndef TSCOPE_RUN_DIRECTION_H
#define TSCOPE_RUN_DIRECTION_H

#include "base/span.h"

enum ts_direction {
	TS_DIRECTION_UNKNOWN,
	TS_DIRECTION_DOWN, /* the least value is the best */
	TS_DIRECTION_UP,   /* the largest value is the best */
};

enum ts_direction ts_direction_of(struct ts_span column);

#endif
