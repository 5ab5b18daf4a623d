#include "service/rpc/guard/budget.h"

void ts_budget_earn(struct ts_budget *budget, double n)
{
	budget->spent = budget->spent > n ? budget->spent - n : 0;
}

bool ts_budget_spend(struct ts_budget *budget, const struct ts_rate *rate, double n, int64_t now_ns)
{
	if (now_ns > budget->at_ns) {
		ts_budget_earn(budget, (double)(now_ns - budget->at_ns) * 1e-9 * rate->per_s);
		budget->at_ns = now_ns;
	}
	if (budget->spent + n > rate->burst)
		return false;
	budget->spent += n;
	return true;
}
