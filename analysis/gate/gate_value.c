/* gate_value.c - what a run's value of a metric is, and how it was measured. */
#include "analysis/gate/gate_internal.h"

#include <math.h>

bool ts_gate_value(const struct ts_gate_policy *policy, const struct ts_gate_run *run, enum ts_metric metric, double *ret_value,
		   struct ts_span *ret_reason)
{
	const struct ts_reduced *r = ts_gate_reduced(policy, &run->reduction, metric);
	const char *reason = NULL;

	if (!r->known) {
		*ret_reason = r->reason.len ? r->reason : ts_span_str("its value is not known");
		return false;
	}
	if (!isfinite(r->value))
		reason = "its value is not finite";
	else if (ts_metrics[metric].log_scale && !(r->value > 0))
		reason = "its value is not above 0";
	if (reason)
		*ret_reason = ts_span_str(reason);
	else
		*ret_value = r->value;
	return !reason;
}

struct ts_span ts_gate_basis(const struct ts_gate_run *run, enum ts_metric metric)
{
	if (metric == TS_METRIC_MFU)
		return run->reduction.mfu_basis;
	return ts_gate_timed(metric) ? run->reduction.time_source : ts_span_of(NULL, 0);
}
