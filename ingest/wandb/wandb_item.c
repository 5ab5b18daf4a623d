#include "ingest/wandb/wandb_item.h"

#include "base/number.h"

#include <math.h>

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
