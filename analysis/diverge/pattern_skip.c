#include "analysis/diverge/pattern_skip.h"

#include "base/bisect.h"
#include "base/door.h"

#include <math.h>

enum { AFTER = 3 }; /* records after a skipped one whose losses must be finite */

/* A scaler multiplies by 1/2, or by what its backoff says; a factor that drifts is something else. */
static const double lowered_most = 0.95;

static size_t place_of(const struct ts_series *s, int64_t step)
{
	size_t at = 0;

	TS_BISECT(at, s->n, i, s->keys[i] < step);
	return at;
}

/* The factor falls at the record of the step or at the next one: loggers write it before or after the update. */
static bool lowers(const struct ts_series *scale, int64_t step, struct ts_skip *io)
{
	size_t at = place_of(scale, step);

	for (size_t i = at; i < scale->n && i <= at + 1; i++) {
		double before = i ? scale->values[i - 1] : (double)NAN, now = scale->values[i];

		if (i == 0 || !(before > 0) || !(now > 0) || now > before * lowered_most)
			continue;
		io->lowered = true;
		io->from = before;
		io->to = now;
		return true;
	}
	return false;
}

/* One record alone, between finite ones, and the losses around it are finite. */
static bool passes(const struct ts_series *norm, size_t i, const struct ts_series *loss)
{
	size_t at = place_of(loss, norm->keys[i]);

	if (i == 0 || i + 1 >= norm->n || !isfinite(norm->values[i - 1]) || !isfinite(norm->values[i + 1]) || at + 1 >= loss->n)
		return false;
	for (size_t k = at; k < loss->n && k <= at + AFTER; k++)
		if (!isfinite(loss->values[k]))
			return false;
	return true;
}

static void keep(struct ts_pattern_skips *out, const struct ts_skip *skip)
{
	if (out->n < TS_SKIPS_KEPT)
		out->kept[out->n] = *skip;
	out->n++;
	out->overflowed += skip->overflowed;
	out->last = skip->step;
}

/* By the norm; what the factor alone shows lies between these. */
static bool skipped(const struct ts_series *scale, const struct ts_series *norm, const struct ts_series *loss, size_t i,
		    struct ts_skip *ret)
{
	*ret = (struct ts_skip){.step = norm->keys[i], .overflowed = true};
	if (isfinite(norm->values[i]))
		return false;
	return scale->n ? lowers(scale, norm->keys[i], ret) : passes(norm, i, loss);
}

void ts_pattern_skips_find(const struct ts_series *scale, const struct ts_series *norm, const struct ts_series *loss,
			   struct ts_pattern_skips *ret)
{
	size_t k = 0;

	TS_DOOR(ts_series_holds(scale));
	ret->looked = scale->n > 0 || norm->n > 0;
	ret->n = ret->overflowed = 0;
	for (size_t i = 0; i < norm->n; i++) {
		struct ts_skip skip;

		if (skipped(scale, norm, loss, i, &skip))
			keep(ret, &skip);
	}
	if (norm->n)
		return;
	for (k = 1; k < scale->n; k++) {
		struct ts_skip skip = {.step = scale->keys[k]};

		if (scale->values[k] < scale->values[k - 1] && lowers(scale, scale->keys[k], &skip))
			keep(ret, &skip);
	}
}

const struct ts_skip *ts_pattern_skip_in(const struct ts_pattern_skips *skips, int64_t from, int64_t to)
{
	size_t n = skips->n < TS_SKIPS_KEPT ? (size_t)skips->n : TS_SKIPS_KEPT;

	for (size_t i = n; i-- > 0;)
		if (skips->kept[i].step >= from && skips->kept[i].step <= to)
			return &skips->kept[i];
	return NULL;
}
