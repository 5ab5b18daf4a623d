/* wandb_item.h - the value of a HistoryItem or a SummaryItem, which SDKs write as JSON and, since 0.31, as a number or a text. */
#ifndef TSCOPE_INGEST_WANDB_WANDB_ITEM_H
#define TSCOPE_INGEST_WANDB_WANDB_ITEM_H

#include "ingest/formats/pb.h"

/* All zero: no value. The texts lie in the message. */
struct ts_wandb_value {
	struct ts_span json, text;
	bool has_text, has_number, has_big;
	double number;
	int64_t big; /* an integer that a double would round */
};

/* Takes one field of the item. Fields that are no value are passed over. */
void ts_wandb_value_take(struct ts_wandb_value *value, const struct ts_pb_field *f);
/* Reads a number as a double; false if the value is no number. */
bool ts_wandb_value_number(const struct ts_wandb_value *value, double *ret_number);
/* Reads a whole number of 64 bits; false if the value is none. */
bool ts_wandb_value_whole(const struct ts_wandb_value *value, int64_t *ret_number);

#endif
