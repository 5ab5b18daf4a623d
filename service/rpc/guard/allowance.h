/* allowance.h - an allowance of events that refills with time and by what is earned, up to its burst.
 *
 * Pure: the caller brings the time, monotonic, in ns. A zeroed allowance is full. Threads: its owner's lock.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_ALLOWANCE_H
#define TSCOPE_SERVICE_RPC_GUARD_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

struct ts_rate {
	double burst, per_s;
};

struct ts_allowance {
	double spent;	/* since it was last full; at most the burst */
	int64_t at_ns;	/* when `spent` was brought up to date */
};

/* Takes n events; false, and nothing is taken, if fewer are left. */
bool ts_allowance_spend(struct ts_allowance *allowance, const struct ts_rate *rate, double n, int64_t now_ns);
/* Gives n events back. */
void ts_allowance_earn(struct ts_allowance *allowance, double n);

#endif
