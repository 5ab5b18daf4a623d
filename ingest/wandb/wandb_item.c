#include "ingest/wandb/wandb_item.h"

#include "base/number.h"
#include "ingest/wandb/wandb_fields.h"
#include "ingest/wandb/wandb_series.h"

#include <math.h>

static int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

void ts_wandb_value_take(struct ts_wandb_value *value, const struct ts_pb_field *f)
{
	int64_t integer;

	switch (f->number) {
	case VALUE_NULL:
		value->json = ts_span_str("null");
		break;
	case VALUE_BOOL:
		value->json = ts_span_str(f->value ? "true" : "false");
		break;
	case VALUE_INT:
		integer = unzigzag(f->value);
		value->number = (double)integer;
		value->has_number = fabs(value->number) < TS_WANDB_EXACT;
		value->has_big = !value->has_number;
		value->big = integer;
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

bool ts_wandb_value_number(const struct ts_wandb_value *value, double *ret_number)
{
	double number = value->number;

	if (value->has_text || value->has_big || (!value->has_number && !ts_parse_double(value->json, &number)))
		return false;
	*ret_number = number;
	return true;
}

bool ts_wandb_value_whole(const struct ts_wandb_value *value, int64_t *ret_number)
{
	double number;

	if (value->has_big)
		*ret_number = value->big;
	if (value->has_big || (!value->has_number && !value->has_text && ts_parse_i64(value->json, ret_number)))
		return true;
	if (!ts_wandb_value_number(value, &number) || !(fabs(number) < TS_WANDB_EXACT) || number != floor(number))
		return false;
	*ret_number = (int64_t)number;
	return true;
}
