/* slowdown.h - whether the steps of a run became slower: at once, little by little, for a while, or in one of two levels.
 *
 * A lasting change is looked for in the whole run at once, so that a long run shows a smaller one. The times, clipped
 * six quartile distances from their median, are averaged in up to 48 cells of equal length. Of all shapes that rise once
 * - a step between two cells, or a ramp of four cells or more from one to another - the one is taken whose
 *
 *	G = b^2 sum f^2 / (1/K^2 sum_k S_k^2)
 *
 * is greatest: f is the centred shape, b its coefficient in least squares, S_k the partial sums of what it leaves. The
 * partial sums of noise that depends on itself grow as b's error does, so that no variance and no length of a correlation
 * need be estimated (self-normalization: Kiefer, Vogelsang and Bunzel 2000; Shao and Zhang 2010 for change points). Alone
 * this would need a limit that a random walk keeps, 5,000, and miss most of what data show: the partial sums hold the
 * worst that noise may be, though the cells show that theirs is not. So the shape has to do two things: G is beyond a
 * limit that noise with a memory shorter than some cells keeps (a step 800, a ramp 3,000), and the cells with the shape
 * are much likelier than without it, each time with the noise that makes them likeliest, from white noise to a random walk
 * (analysis/stats/wander.h): twice the logarithm of the ratio, times (cells - 8) / cells, is at least 11 for a step and
 * 16.8 for a ramp, which a random walk is more like. A step with fewer than 24 steps on a side needs a G of
 * 5,000, for it may be one burst. The limits were chosen by random walks of 64 to 20,000 steps, AR(1) of up to
 * 0.98 and bursts. They do not depend on the length of the run, while both measures grow with it.
 *
 * A change that began late or that ended is too short for this and comes from the level shifts of spikes.h: the largest
 * rise; if a later shift leads to less than half of it, it was a stretch. It is none if as many blocks elsewhere are above the middle
 * between its levels.
 *
 * A rise is none if the run was at its new level before, if two levels explain the run better (levels.h), or if more than 15 % of the
 * cells on one side of a step have their median on the other side of the middle: the run goes to and fro, and only happens to end at
 * the upper level. If the two levels are beyond doubt, they are what is found. That is how a device of two clock states, or a
 * neighbour that comes and goes, shows; it is no slow-down.
 *
 * O(n), some 3 ns a value where nothing changes.
 */
#ifndef TSCOPE_ANALYSIS_RANK_SLOWDOWN_H
#define TSCOPE_ANALYSIS_RANK_SLOWDOWN_H

#include "analysis/answer/row_words.h"
#include "analysis/rank/spikes.h"

enum { TS_SLOWDOWN_STEPS = 64 }; /* fewer are judged by level shifts alone */

struct ts_slowdown {
	enum ts_slowdown_kind kind;
	size_t first, last;   /* indices of the series; equal for a step */
	double before, after; /* s; of two levels the lower and the upper */
	double cost;	      /* s beyond `before` in the steps that are slower, by the levels */
	double upper_share;   /* of the steps of two levels, in the upper one */
	size_t switches;      /* from one level to the other */
};

/* The same of steps that are too few for spikes.h: a ramp, if there are 7 or more, each takes longer than the one before, and in
 * all by a quarter or more, of which no single step has more than half. Steps that do not depend on each other lie so once in
 * 5,040 runs of 7. The values are s; with one that is not finite nothing is found. */
struct ts_slowdown ts_slowdown_of_few(const double *v, size_t n);

/* fit is that of the step times, in s, and found is what spikes.h found in them. TS_NO_MEMORY is the only error. */
enum ts_status ts_slowdown_find(const struct ts_spikes_fit *fit, const struct ts_spikes *found, struct ts_arena *arena,
				struct ts_slowdown *ret_slowdown, struct ts_error *err);

#endif
