#include "service/rpc/guard/allowance.h"

void ts_allowance_earn(struct ts_allowance *allowance, double n)
{
	allowance->spent = allowance->spent > n ? allowance->spent - n : 0;
}

bool ts_allowance_spend(struct ts_allowance *allowance, const struct ts_rate *rate, double n, int64_t now_ns)
{
	if (now_ns > allowance->at_ns) {
		ts_allowance_earn(allowance, (double)(now_ns - allowance->at_ns) * 1e-9 * rate->per_s);
		allowance->at_ns = now_ns;
	}
	if (allowance->spent + n > rate->burst)
		return false;
	allowance->spent += n;
	return true;
}
