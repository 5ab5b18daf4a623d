/* gate_odd.h - which of several runs lie so far from the others that they say nothing of the level or of the spread.
 *
 * One disturbed run among twenty baselines makes their spread so large that no regression stands out any more. A value is odd if
 * its distance from the median of its group exceeds
 *
 *	cut(m) s,	cut(m) = 3.9 + 31 / m,	s = max(1.4826 median |distance| sqrt(n / m), floor, known spread)
 *
 * where n values of G groups leave m = n - G + 1, and a spread that is known from elsewhere adds its degrees of freedom to m. The cut
 * was chosen so that 99 of 100 sets of normal values have no odd one (`./dev bench quality 'gate days'` prints the rate). Fewer than
 * TS_GATE_ODD_LEAST values cannot say which of them is odd, unless the spread is known from elsewhere. Where more than a quarter of
 * the values would be odd, none is: then they are of two kinds, not of one with a few accidents. Source of the estimators: Hampel
 * 1974 (the median absolute deviation).
 */
#ifndef TSCOPE_ANALYSIS_GATE_GATE_ODD_H
#define TSCOPE_ANALYSIS_GATE_GATE_ODD_H

#include "analysis/gate/gate_test.h"

enum { TS_GATE_ODD_LEAST = 6, TS_GATE_ODD_KNOWN = 8 /* degrees of freedom from which on a known spread counts */ };

/* x holds n_groups groups one after the other, the i-th with sizes[i] values; scratch has room for all values. Marks in ret_odd the
 * values that are odd, and returns how many there are. */
size_t ts_gate_odd(const double *x, const size_t *sizes, size_t n_groups, struct ts_gate_spread known, double floor_sd, double *scratch,
		   bool *ret_odd);

#endif
