#include "analysis/rank/periods.h"

#include "analysis/stats/stats.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/order.h"

#include <math.h>
#include <string.h>

enum {
	CELL = 64,	 /* records whose lower quartile is the usual time of a cell */
	REACH = 8,	 /* slow steps to which a distance is taken */
	SLICES = 4,	 /* stretches of slow steps whose distances propose periods */
	SLICE = 1024,	 /* slow steps in each */
	PROPOSED = 16,	 /* periods that are tried in a round */
	OCCURRENCES = 3, /* that a period needs */
	EPOCHS = 2,	 /* slow starts of epochs, which are known beforehand */
	SPARSE = 4,	 /* step numbers count if they have room for no more than so many times the records */
};

static const double levels[] = {6.0, 3.0, 1.5};
enum { LEVELS = sizeof levels / sizeof levels[0] };
static const double EVEN = 1.49; /* the lowest level, less than a float's rounding of it */

static const double CHANCE = 0.001, CHANCE_DECLARED = 0.01;
static const double PRESENT = 0.6; /* of the places */

struct place {
	bool at_epochs;
	uint64_t every, phase;
	size_t slow, places;
	double chance; /* the logarithm of its bound */
};

struct search {
	const double *values;
	uint64_t *at; /* the position of each record */
	size_t n;
	bool contiguous;
	float *above;	  /* each value, in usual times of its cell; 0: not finite, or in a cell without a slow step; NULL: all 0 */
	struct ts_arena *work;
	uint8_t *period;
	uint32_t *counts; /* one for each phase of a period */
	size_t *slow;	  /* records, ascending */
	size_t n_slow;
	uint64_t *gaps;
	size_t *epochs; /* records that begin an epoch, ascending */
	size_t n_epochs;
};

static uint64_t span_of(const struct search *s)
{
	return s->at[s->n - 1] + 1;
}

/* --- positions --- */

/* Returns the smallest distance between neighbours of which all distances are multiples, or 0 if step numbers say nothing. */
static uint64_t unit_of(const int64_t *keys, size_t n)
{
	uint64_t unit = UINT64_MAX, all = (uint64_t)keys[n - 1] - (uint64_t)keys[0];

	for (size_t i = 1; i < n; i++) {
		uint64_t d = (uint64_t)keys[i] - (uint64_t)keys[i - 1];

		unit = d < unit ? d : unit;
	}
	if (unit == 0 || all / unit >= (uint64_t)SPARSE * n)
		return 0;
	for (size_t i = 1; unit > 1 && i < n; i++)
		if (((uint64_t)keys[i] - (uint64_t)keys[i - 1]) % unit)
			return all < (uint64_t)SPARSE * n ? 1 : 0;
	return unit;
}

static void positions(struct search *s, const int64_t *keys, uint64_t unit)
{
	for (size_t i = 0; i < s->n; i++)
		s->at[i] = unit ? ((uint64_t)keys[i] - (uint64_t)keys[0]) / unit : i;
	s->contiguous = s->at[s->n - 1] == s->n - 1;
}

/* Returns the first record at this position or after it. */
static size_t record_at(const struct search *s, uint64_t position)
{
	size_t lo = 0;

	if (s->contiguous)
		return position < s->n ? (size_t)position : s->n;
	TS_BISECT(lo, s->n, i, s->at[i] < position);
	return lo;
}

static size_t places_between(const struct search *s, const struct place *p, uint64_t from, uint64_t to)
{
	size_t n = 0;

	if (s->contiguous)
		return (size_t)((to - from) / p->every) + 1;
	for (uint64_t x = from; x <= to; x += p->every) {
		size_t i = record_at(s, x);

		n += i < s->n && s->at[i] == x;
	}
	return n;
}

/* --- slow steps --- */

static double quartile(const double *values, size_t n)
{
	double some[2 * CELL];
	size_t finite = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i]))
			some[finite++] = values[i];
	return finite ? ts_nth(some, finite, finite / 4) : 0;
}

/* Returns whether no step of a cell can be slow, whatever its quartile is; most cells are told by this. */
static bool is_even(const double *values, size_t n)
{
	double least = values[0], most = values[0];

	for (size_t i = 0; i < n; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	return most < EVEN * least;
}

/* Fills s->above, and says whether any step is slow at the lowest level. False if there is no memory. */
static bool compare_with_cells(struct search *s, bool *ret_any)
{
	bool any = false;

	for (size_t from = 0, to; from < s->n; from = to) {
		double usual;

		to = s->n - from < 2 * CELL ? s->n : from + CELL;
		if (is_even(s->values + from, to - from))
			continue;
		if (!s->above)
			s->above = ts_arena_array(s->work, s->n, sizeof *s->above);
		if (!s->above)
			return false;
		usual = quartile(s->values + from, to - from);
		for (size_t i = from; i < to; i++) {
			bool some = usual > 0 && isfinite(s->values[i]);

			s->above[i] = some ? (float)(s->values[i] / usual) : 0;
			any |= s->above[i] >= (float)levels[LEVELS - 1];
		}
	}
	*ret_any = any;
	return true;
}

static void slow_steps(struct search *s, double level)
{
	s->n_slow = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->above[i] >= (float)level && !s->period[i])
			s->slow[s->n_slow++] = i;
}

/* --- periods --- */

/* Proposes the commonest distances, of which the first are tried first. */
static size_t propose(const struct search *s, uint64_t *ret)
{
	size_t slice = s->n_slow / SLICES < SLICE ? s->n_slow / SLICES + 1 : SLICE, n = 0, found = 0;
	size_t often[PROPOSED] = {0};

	for (size_t k = 0; k < SLICES; k++)
		for (size_t i = s->n_slow * k / SLICES, end = i + slice; i < end && i < s->n_slow; i++)
			for (size_t j = i + 1; j <= i + REACH && j < s->n_slow; j++) {
				uint64_t gap = s->at[s->slow[j]] - s->at[s->slow[i]];

				if (gap >= 2 && gap <= span_of(s) / 2)
					s->gaps[n++] = gap;
			}
	TS_SORT(s->gaps, n, ts_by_u64);
	for (size_t i = 0, j; i < n; i = j) {
		size_t at;

		for (j = i + 1; j < n && s->gaps[j] == s->gaps[i]; j++)
			;
		if (found == PROPOSED && j - i <= often[found - 1])
			continue;
		at = found < PROPOSED ? found++ : found - 1;
		for (; at > 0 && often[at - 1] < j - i; at--) {
			often[at] = often[at - 1];
			ret[at] = ret[at - 1];
		}
		often[at] = j - i;
		ret[at] = s->gaps[i];
	}
	return found;
}

/* Returns the logarithm of a bound of the chance that h of s places are slow if a share q of all steps is. */
static double chance_of(double h, double s, double q)
{
	double share = h / s, miss = share < 1 ? (1 - share) * log((1 - share) / (1 - q)) : 0;

	return share > q && q > 0 && q < 1 ? -s * (share * log(share / q) + miss) : 0;
}

/* Computes how likely the places of a phase are by chance: all of the run's, or those from the first slow one to the last. */
static void judge(const struct search *s, struct place *p)
{
	size_t first = s->n_slow, last = 0, whole;
	double within = 0, all;

	for (size_t i = 0; i < s->n_slow; i++)
		if (s->at[s->slow[i]] % p->every == p->phase) {
			first = first < s->n_slow ? first : i;
			last = i;
		}
	whole = places_between(s, p, p->phase, span_of(s) - 1);
	all = chance_of((double)p->slow, (double)whole, (double)s->n_slow / (double)s->n);
	p->places = places_between(s, p, s->at[s->slow[first]], s->at[s->slow[last]]);
	if (p->slow > 2)
		within = chance_of((double)p->slow - 2, (double)p->places - 2,
				   (double)(last - first - 1) / (double)(s->slow[last] - s->slow[first] - 1));
	if (all <= within)
		p->places = whole;
	p->chance = fmin(all, within) + log(2);
}

/* Finds the phase with the most slow steps. */
static struct place best_phase(const struct search *s, uint64_t every)
{
	struct place p = {.every = every};

	memset(s->counts, 0, (size_t)every * sizeof *s->counts);
	for (size_t i = 0; i < s->n_slow; i++) {
		uint64_t phase = s->at[s->slow[i]] % every;

		if (++s->counts[phase] > p.slow) {
			p.slow = s->counts[phase];
			p.phase = phase;
		}
	}
	if (p.slow >= OCCURRENCES)
		judge(s, &p);
	return p;
}

/* Improves *io by the periods of the steps that are slow at a level; only by the declared one if there is one. */
static void best_of_level(struct search *s, double level, uint64_t declared, struct place *io)
{
	uint64_t proposed[PROPOSED] = {declared};
	size_t n = 1;

	slow_steps(s, level);
	if (!declared)
		n = propose(s, proposed);
	for (size_t i = 0; i < n; i++) {
		struct place p = best_phase(s, proposed[i]);

		if (p.slow >= OCCURRENCES && (double)p.slow >= PRESENT * (double)p.places && p.chance < io->chance)
			*io = p;
	}
}

/* Finds the period that chance explains least, at any level: of stalls of varying length some reach the highest level, and all
 * the lowest. */
static bool best_period(struct search *s, uint64_t declared, struct place *ret)
{
	double most = (double)span_of(s) / 3, tests = declared ? (double)declared : most * most / 2;

	*ret = (struct place){.chance = log((declared ? CHANCE_DECLARED : CHANCE) / (tests * LEVELS))};
	for (size_t l = 0; l < LEVELS; l++)
		best_of_level(s, levels[l], declared, ret);
	return ret->slow > 0;
}

/* --- epochs --- */

/* Finds the records that begin an epoch. The first record of the series begins nothing that it could be compared with. */
static void epoch_records(struct search *s, const int64_t *keys, const struct ts_periods_stated *stated)
{
	for (size_t i = 1, e = 0; e < stated->n_epochs && i < s->n; i++) {
		while (e < stated->n_epochs && stated->epochs[e] < keys[i])
			e++;
		if (e < stated->n_epochs && stated->epochs[e] == keys[i])
			s->epochs[s->n_epochs++] = i;
	}
}

static size_t slow_epochs(const struct search *s, double level)
{
	size_t slow = 0;

	for (size_t e = 0; e < s->n_epochs; e++)
		slow += s->above[s->epochs[e]] >= (float)level;
	return slow;
}

/* Asks whether the starts of epochs are slow by more than chance, at any level. */
static bool epochs_are_slow(struct search *s, struct place *ret)
{
	*ret = (struct place){.at_epochs = true, .chance = log(CHANCE_DECLARED / LEVELS)};
	for (size_t l = 0; l < LEVELS; l++) {
		size_t slow = slow_epochs(s, levels[l]);
		double chance;

		slow_steps(s, levels[l]);
		chance = s->n_epochs ? chance_of((double)slow, (double)s->n_epochs, (double)s->n_slow / (double)s->n) : 0;
		if (slow >= EPOCHS && (double)slow >= PRESENT * (double)s->n_epochs && chance < ret->chance) {
			ret->chance = chance;
			ret->slow = slow;
			ret->places = s->n_epochs;
		}
	}
	return ret->slow > 0;
}

static void take_out_epochs(struct search *s, uint8_t number)
{
	for (size_t e = 0; e < s->n_epochs; e++)
		if (s->above[s->epochs[e]] >= (float)levels[LEVELS - 1])
			s->period[s->epochs[e]] = number;
}

/* Returns the median distance of the starts, in keys. */
static uint64_t epoch_length(const struct search *s, const int64_t *keys)
{
	size_t n = 0;

	for (size_t e = 1; e < s->n_epochs; e++)
		s->gaps[n++] = (uint64_t)keys[s->epochs[e]] - (uint64_t)keys[s->epochs[e - 1]];
	TS_SORT(s->gaps, n, ts_by_u64);
	return s->gaps[n / 2];
}

/* --- the result --- */

/* Slow steps of a period belong to it whichever level it was found at. */
static void take_out(struct search *s, const struct place *p, uint8_t number)
{
	for (uint64_t x = p->phase; x < span_of(s); x += p->every) {
		size_t i = record_at(s, x);

		if (i < s->n && s->at[i] == x && !s->period[i] && s->above[i] >= (float)levels[LEVELS - 1])
			s->period[i] = number;
	}
}

static double median_where(const struct search *s, uint8_t number, double *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->period[i] == number && isfinite(s->values[i]))
			scratch[n++] = s->values[i];
	return n ? ts_median(scratch, n, scratch) : (double)NAN;
}

/* Returns the remainder from 0 on, also of a step below 0. */
static uint64_t remainder_of(int64_t step, uint64_t every)
{
	return step >= 0 ? (uint64_t)step % every : every - 1 - (uint64_t)(-(step + 1)) % every;
}

static bool finish(struct search *s, const struct ts_series *times, const struct place *found, uint64_t unit,
		   struct ts_arena *arena, struct ts_periods *out)
{
	double *calm = ts_arena_array(arena, s->n, sizeof *calm);

	if (!calm)
		return false;
	out->usual = median_where(s, 0, calm);
	for (size_t k = 0; k < out->n; k++) {
		uint64_t every = found[k].at_epochs ? epoch_length(s, times->keys) : found[k].every * (unit ? unit : 1);
		struct ts_period p = {
			.at_epochs = found[k].at_epochs,
			.every = every,
			.by_step = unit != 0,
			.places = found[k].places,
			.longest = -HUGE_VAL,
			.usual = median_where(s, (uint8_t)(k + 1), calm),
		};

		p.phase = unit ? (remainder_of(times->keys[0], every) + found[k].phase * unit) % every : found[k].phase;
		for (size_t i = 0; i < s->n; i++)
			if (s->period[i] == k + 1) {
				p.slow++;
				p.longest = fmax(p.longest, s->values[i]);
				p.lost += s->values[i] - out->usual;
			}
		p.places = p.places > p.slow ? p.places : p.slow;
		out->items[k] = p;
	}
	for (size_t i = 0; i < s->n; i++)
		calm[i] = s->period[i] ? s->values[i] * (out->usual / out->items[s->period[i] - 1].usual) : s->values[i];
	out->calm = calm;
	out->period = s->period;
	return true;
}

static bool rooms_of(struct search *s, size_t n_epochs, struct ts_arena *arena)
{
	size_t distances = s->n < (size_t)SLICES * (SLICE + 1) ? s->n : (size_t)SLICES * (SLICE + 1);

	s->period = ts_arena_array(arena, s->n, sizeof *s->period);
	s->at = ts_arena_array(s->work, s->n, sizeof *s->at);
	s->slow = ts_arena_array(s->work, s->n, sizeof *s->slow);
	s->counts = ts_arena_array(s->work, s->n * SPARSE, sizeof *s->counts);
	s->gaps = ts_arena_array(s->work, (distances + SLICES) * REACH + n_epochs, sizeof *s->gaps);
	s->epochs = ts_arena_array(s->work, n_epochs + 1, sizeof *s->epochs);
	return s->epochs && s->at && s->period && s->slow && s->counts && s->gaps;
}

static void search_all(struct search *s, uint64_t declared, struct place *found, size_t *io_n)
{
	uint64_t next = declared >= 2 && declared <= span_of(s) / OCCURRENCES ? declared : 0;

	if (epochs_are_slow(s, found))
		take_out_epochs(s, (uint8_t)++*io_n);
	while (*io_n < TS_PERIODS_MAX) {
		struct place *place = &found[*io_n];

		if (best_period(s, next, place))
			take_out(s, place, (uint8_t)++*io_n);
		else if (!next)
			return;
		next = 0;
	}
}

static bool find(struct search *s, const struct ts_series *times, const struct ts_periods_stated *stated, struct ts_arena *arena,
		 struct ts_periods *out)
{
	struct place found[TS_PERIODS_MAX];
	bool any = false;
	uint64_t unit;

	if (!compare_with_cells(s, &any))
		return false;
	if (!any)
		return true; /* which is most runs: no more room is taken for them */
	if (!rooms_of(s, stated->n_epochs, arena))
		return false;
	unit = unit_of(times->keys, s->n);
	positions(s, times->keys, unit);
	epoch_records(s, times->keys, stated);
	search_all(s, stated->every, found, &out->n);
	return out->n == 0 || finish(s, times, found, unit, arena, out);
}

enum ts_status ts_periods_find(const struct ts_series *times, const struct ts_periods_stated *stated, struct ts_arena *arena,
			       struct ts_periods *ret_periods, struct ts_error *err)
{
	static const struct ts_periods_stated nothing = {.every = 0};
	struct ts_periods out = {.usual = (double)NAN, .calm = times->values};
	struct ts_arena work;
	struct search s = {.values = times->values, .n = times->n, .work = &work};
	bool ok;

	TS_DOOR(ts_series_holds(times));
	*ret_periods = out;
	if (s.n < TS_PERIODS_STEPS)
		return TS_OK;
	ts_arena_init(&work, arena->ceiling);
	ok = find(&s, times, stated ? stated : &nothing, arena, &out);
	ts_arena_finish(&work);
	if (!ok)
		return ts_arena_error(arena, err);
	*ret_periods = out;
	return TS_OK;
}
