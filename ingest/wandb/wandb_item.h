/* wandb_item.h - the value of a HistoryItem or a SummaryItem, which SDKs write as JSON and, since 0.31, as a number or a text. */
#ifndef TSCOPE_INGEST_WANDB_WANDB_ITEM_H
#define TSCOPE_INGEST_WANDB_WANDB_ITEM_H

#include "base/number.h"
#include "base/pb.h"
#include "ingest/wandb/wandb_fields.h"

#include <math.h>

#define TS_WANDB_EXACT 9007199254740992.0 /* 2^53: below it every integer is a double */

/* All zero: no value. The texts lie in the message. */
struct ts_wandb_value {
	struct ts_span json, text;
	bool has_text, has_number, has_big;
	double number;
	int64_t big; /* an integer that a double would round */
};

static inline void ts_wandb_value_integer(struct ts_wandb_value *value, uint64_t zigzag)
{
	value->big = (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
	value->number = (double)value->big;
	value->has_number = fabs(value->number) < TS_WANDB_EXACT;
	value->has_big = !value->has_number;
}

/* Takes one field of the item. Fields that are no value are passed over. It is inline, like ts_pb_next. */
static inline void ts_wandb_value_take(struct ts_wandb_value *value, const struct ts_pb_field *f)
{
	switch (f->number) {
	case VALUE_NULL:
		value->json = ts_span_str("null");
		break;
	case VALUE_BOOL:
		value->json = ts_span_str(f->value ? "true" : "false");
		break;
	case VALUE_INT:
		ts_wandb_value_integer(value, f->value);
		break;
	case VALUE_DOUBLE:
		value->number = ts_bits_double(f->value);
		value->has_number = f->wire == TS_PB_FIXED64;
		break;
	case VALUE_STRING:
		value->text = f->bytes;
		value->has_text = f->wire == TS_PB_BYTES;
		break;
	case VALUE_JSON:
	case ITEM_VALUE_JSON:
		value->json = f->bytes;
		break;
	default:
		break;
	}
}

/* Reads a number as a double; false if the value is no number. */
bool ts_wandb_value_number(const struct ts_wandb_value *value, double *ret_number);
/* Reads a whole number of 64 bits; false if the value is none. */
bool ts_wandb_value_whole(const struct ts_wandb_value *value, int64_t *ret_number);

#endif
