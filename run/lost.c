#include "run/lost.h"

const char ts_lost_norm[] = "scalars.grad_norm";

bool ts_is_loss(struct ts_span column)
{
	return ts_span_starts(column, ts_span_str("scalars.")) && ts_span_ends(column, "loss");
}
