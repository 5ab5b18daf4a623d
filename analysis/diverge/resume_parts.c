/* resume_parts.c - which part of the state of a training each recorded series speaks of, and what it proves: the one table that
 * the verdict and its sentences are made of.
 */
#include "analysis/diverge/resume_internal.h"

#include "base/door.h"

/* --- the table --- */

enum place {
	AT_RESUME, /* a difference tells only at the step of the resume */
	ANYWHERE,
};

enum given {
	ALWAYS,
	GRADS_AGREE,  /* the gradients of the resume's step are known to agree */
	TRAINS_EQUAL, /* the training agrees in every bit */
};

enum { BEFORE = 1 << TS_DIGEST_BEFORE, AFTER = 1 << TS_DIGEST_AFTER, UNSAID = 1 << TS_DIGEST_UNKNOWN, ANY = BEFORE | AFTER | UNSAID };

/* A series that agrees at its first common step proves what `restored` says, whenever in its step it was taken: an update from
 * another state would not end in the same one. One that differs proves a loss only where `lost` is set. */
static const struct proof {
	enum ts_resume_kind kind;
	unsigned when; /* of digests */
	enum ts_resume_part part;
	enum place place;
	enum given given; /* for a loss */
	bool lost, sure;
} proofs[] = {
	{TS_RESUME_BATCH, ANY, TS_PART_DATA, ANYWHERE, ALWAYS, true, true},
	{TS_RESUME_RNG, BEFORE, TS_PART_GENERATORS, AT_RESUME, ALWAYS, true, true},
	/* What a step draws depends on no other part of the state, but a changed step may draw otherwise. */
	{TS_RESUME_RNG, AFTER | UNSAID, TS_PART_GENERATORS, AT_RESUME, ALWAYS, true, false},
	{TS_RESUME_PARAMS, BEFORE, TS_PART_WEIGHTS, AT_RESUME, ALWAYS, true, true},
	/* The first update may have been made of other draws or another state of the optimizer. */
	{TS_RESUME_PARAMS, AFTER | UNSAID, TS_PART_WEIGHTS, AT_RESUME, ALWAYS, false, false},
	{TS_RESUME_OPTIMIZER, BEFORE, TS_PART_OPTIMIZER, AT_RESUME, ALWAYS, true, true},
	{TS_RESUME_OPTIMIZER, AFTER | UNSAID, TS_PART_OPTIMIZER, AT_RESUME, GRADS_AGREE, true, true},
	{TS_RESUME_RATE, ANY, TS_PART_SCHEDULE, ANYWHERE, ALWAYS, true, true},
	{TS_RESUME_SCALE, ANY, TS_PART_SCALER, AT_RESUME, ALWAYS, true, true},
	/* Later, another number of overflows looks the same as a lost count of steps without one. */
	{TS_RESUME_SCALE, ANY, TS_PART_SCALER, ANYWHERE, TRAINS_EQUAL, true, false},
	{TS_RESUME_COUNT, ANY, TS_PART_COUNTS, ANYWHERE, ALWAYS, true, true},
	{TS_RESUME_EVAL, ANY, TS_PART_AVERAGE, ANYWHERE, TRAINS_EQUAL, true, false},
	{TS_RESUME_DIGEST, BEFORE, TS_PART_AVERAGE, AT_RESUME, ALWAYS, true, true},
	{TS_RESUME_DIGEST, ANY, TS_PART_AVERAGE, ANYWHERE, TRAINS_EQUAL, true, false},
	{TS_RESUME_SCALAR, ANY, TS_PART_AVERAGE, ANYWHERE, TRAINS_EQUAL, true, false},
};

/* --- what is given --- */

bool ts_resume_at(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	return look && j->e->slack == 0 && ts_resume_step(look, 0) == j->e->step;
}

int64_t ts_resume_earliest(const struct ts_resume_judge *j)
{
	int64_t step;

	return __builtin_sub_overflow(j->e->step, j->e->slack, &step) ? INT64_MIN : step;
}

const struct ts_resume_look *ts_resume_main(const struct ts_resume_judge *j)
{
	static const enum ts_resume_kind kinds[] = {TS_RESUME_LOSS, TS_RESUME_GRAD_NORM, TS_RESUME_SCALAR};
	const struct ts_resume_look *look = NULL;

	TS_DOOR(ts_resume_judge_holds(j));
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !look; i++)
		look = ts_resume_worst(j, kinds[i]);
	return look;
}

/* Asks whether all series of a kind agree, of which one was written finely enough and has enough steps to show it. */
static bool agrees_enough(const struct ts_resume_judge *j, enum ts_resume_kind kind)
{
	bool enough = false;

	for (size_t i = 0; i < j->n; i++) {
		const struct ts_resume_look *look = &j->looks[i];

		if (look->series->kind != kind || look->series->n == 0)
			continue;
		if (!ts_resume_equal(look))
			return false;
		enough |= !look->coarse && look->series->n >= TS_RESUME_BITS;
	}
	return enough;
}

bool ts_resume_trains_equal(const struct ts_resume_judge *j)
{
	const struct ts_resume_look *params = ts_resume_worst(j, TS_RESUME_PARAMS), *loss = ts_resume_worst(j, TS_RESUME_LOSS);

	TS_DOOR(ts_resume_judge_holds(j));
	if (agrees_enough(j, TS_RESUME_PARAMS))
		return !loss || ts_resume_equal(loss);
	return agrees_enough(j, TS_RESUME_LOSS) && (!params || ts_resume_equal(params));
}

static bool is_given(const struct ts_resume_judge *j, enum given given)
{
	const struct ts_resume_look *grads = ts_resume_worst(j, TS_RESUME_GRADS);

	switch (given) {
	case ALWAYS:
		return true;
	case GRADS_AGREE:
		return ts_resume_at(j, grads) && grads->first_bits > 0;
	case TRAINS_EQUAL:
		break;
	}
	return ts_resume_trains_equal(j);
}

/* --- parts --- */

bool ts_resume_sums_up(const struct ts_resume_look *look)
{
	return look->series->kind == TS_RESUME_SCALAR && look->series->n == 1;
}

static bool is_row(const struct proof *row, const struct ts_resume_look *look)
{
	return look->series->n > 0 && !ts_resume_sums_up(look) && look->series->kind == row->kind &&
	       (!look->digest || row->when & 1U << look->series->when);
}

/* Differs where the row says that this tells something: digests in a bit, numbers beyond their limits. */
static bool differs(const struct ts_resume_judge *j, const struct proof *row, const struct ts_resume_look *look)
{
	if (row->place == AT_RESUME)
		return ts_resume_at(j, look) && look->first_beyond == 0;
	return look->digest ? look->first_bits < look->series->n : !look->fine;
}

static bool agrees(const struct proof *row, const struct ts_resume_look *look)
{
	return row->place == AT_RESUME ? look->first_beyond > 0 : look->fine;
}

/* One series that shows a loss outweighs all that agree: another rank, another tensor. Of several the surest counts, then the first. */
static void note(struct ts_part *part, const struct proof *row, const struct ts_resume_look *look, enum ts_part_state state)
{
	bool stronger = state > part->state;

	if (state == TS_PART_LOST && part->state == state)
		stronger = row->sure != part->sure
				   ? row->sure
				   : ts_resume_step(look, look->first_beyond) < ts_resume_step(part->by, part->by->first_beyond);
	if (stronger)
		*part = (struct ts_part){state, look, row->sure};
}

static bool any_differs_at(const struct ts_resume_judge *j, const struct proof *row)
{
	for (size_t i = 0; i < j->n; i++)
		if (is_row(row, &j->looks[i]) && !agrees(row, &j->looks[i]))
			return true;
	return false;
}

void ts_resume_find_parts(struct ts_resume_judge *j)
{
	TS_DOOR(ts_resume_judge_holds(j));
	for (size_t p = 0; p < sizeof proofs / sizeof proofs[0]; p++) {
		const struct proof *row = &proofs[p];
		bool given = is_given(j, row->given), some = any_differs_at(j, row);

		for (size_t i = 0; i < j->n; i++) {
			const struct ts_resume_look *look = &j->looks[i];

			if (!is_row(row, look))
				continue;
			if (row->lost && given && differs(j, row, look))
				note(&j->parts[row->part], row, look, TS_PART_LOST);
			else if (!some && agrees(row, look))
				note(&j->parts[row->part], row, look, TS_PART_RESTORED);
		}
	}
}

/* --- what is left unexplained --- */

/* Weights, gradients and moments that differ only after the first pass follow from what it rounded. */
static bool follows_rounding(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	const struct ts_resume_look *main = ts_resume_main(j);
	bool loaded = look->series->when == TS_DIGEST_BEFORE && look->series->kind != TS_RESUME_GRADS && ts_resume_at(j, look) &&
		      look->first_bits == 0;

	return !loaded && !ts_resume_trains_equal(j) && main && main->fine && (main->coarse || !ts_resume_equal(main));
}

bool ts_resume_is_judged(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	TS_DOOR(ts_resume_judge_holds(j));
	switch (look->series->kind) {
	case TS_RESUME_LOSS:
	case TS_RESUME_GRAD_NORM:
	case TS_RESUME_RATE:
	case TS_RESUME_SCALE:
	case TS_RESUME_COUNT:
	case TS_RESUME_EVAL:
	case TS_RESUME_BATCH:
	case TS_RESUME_RNG:
		return true;
	case TS_RESUME_PARAMS:
	case TS_RESUME_OPTIMIZER:
	case TS_RESUME_GRADS:
		return !follows_rounding(j, look);
	case TS_RESUME_SCALAR:
	case TS_RESUME_DIGEST:
	case TS_RESUME_KINDS:
		break;
	}
	return (ts_resume_trains_equal(j) && !ts_resume_sums_up(look)) || look == ts_resume_main(j) ||
	       (look->digest && look->series->when == TS_DIGEST_BEFORE && ts_resume_at(j, look) && look->first_bits == 0);
}

const struct ts_resume_look *ts_resume_unexplained(const struct ts_resume_judge *j)
{
	TS_DOOR(ts_resume_judge_holds(j));
	for (size_t i = 0; i < j->n; i++)
		if (j->looks[i].series->n > 0 && !j->looks[i].fine && ts_resume_is_judged(j, &j->looks[i]))
			return &j->looks[i];
	return NULL;
}
