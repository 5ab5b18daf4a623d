/* repeats.c - the pattern of first steps, and the words; envelope.c has the envelope. */
#include "analysis/diverge/repeats.h"

#include "analysis/answer/say.h"
#include "base/words.h"
#include "run/role.h"

#include <math.h>

TS_WORDS(ts_pattern_word, enum ts_pattern, "unknown", [TS_PATTERN_UNKNOWN] = "unknown", [TS_PATTERN_SAME] = "same",
	 [TS_PATTERN_ODD] = "odd_one_out", [TS_PATTERN_GROUPS] = "groups", [TS_PATTERN_TOGETHER] = "together",
	 [TS_PATTERN_SCATTERED] = "scattered")

static bool agrees(const struct ts_pair *pair)
{
	return pair->state != TS_PAIR_PARTS && pair->state != TS_PAIR_APART;
}

static bool joins(const struct ts_repeats *r, size_t run, size_t group)
{
	for (size_t i = 0; i < run; i++)
		if (r->groups[i] == group && !agrees(ts_matrix_pair(&r->matrix, i, run)))
			return false;
	return true;
}

static bool make_groups(struct ts_repeats *r, struct ts_arena *arena)
{
	r->groups = ts_arena_array(arena, r->matrix.n, sizeof *r->groups);
	r->n_groups = 0;
	if (!r->groups)
		return false;
	for (size_t i = 0; i < r->matrix.n; i++) {
		size_t g = 0;

		while (g < r->n_groups && !joins(r, i, g))
			g++;
		r->groups[i] = g;
		r->n_groups += g == r->n_groups;
	}
	return true;
}

static size_t size_of(const struct ts_repeats *r, size_t group)
{
	size_t n = 0;

	for (size_t i = 0; i < r->matrix.n; i++)
		n += r->groups[i] == group;
	return n;
}

/* Returns the one run that differs from all others, which agree with each other. */
static bool find_odd(const struct ts_repeats *r, size_t *ret_odd)
{
	size_t odd = r->matrix.n;

	if (r->n_groups != 2)
		return false;
	for (size_t i = 0; i < r->matrix.n; i++)
		if (size_of(r, r->groups[i]) == 1)
			odd = i;
	if (odd == r->matrix.n)
		return false;
	/* A run that agrees with a shorter one of the others as far as that goes may belong to either group. */
	for (size_t i = 0; i < r->matrix.n; i++)
		if (i != odd && ts_matrix_pair(&r->matrix, i, odd)->state != TS_PAIR_PARTS)
			return false;
	*ret_odd = odd;
	return true;
}

static bool any_apart(const struct ts_diff_matrix *m)
{
	for (size_t p = 0; p < m->n * (m->n - 1) / 2; p++)
		if (m->pairs[p].state == TS_PAIR_APART)
			return true;
	return false;
}

static enum ts_pattern pattern_of(struct ts_repeats *r, const struct ts_matrix_tally *t)
{
	bool lone = false;

	if (r->matrix.n < TS_REPEATS_LEAST || any_apart(&r->matrix))
		return TS_PATTERN_UNKNOWN;
	if (t->parts == 0)
		return TS_PATTERN_SAME;
	r->has_odd = find_odd(r, &r->odd);
	if (r->has_odd)
		return TS_PATTERN_ODD;
	if (t->first_step != t->last_step)
		return TS_PATTERN_SCATTERED;
	for (size_t g = 0; g < r->n_groups; g++)
		lone |= size_of(r, g) == 1;
	return lone ? TS_PATTERN_TOGETHER : TS_PATTERN_GROUPS;
}

static const char *name_of(const struct ts_run_ref *run, struct ts_arena *arena)
{
	char hex[TS_ID_HEX + 1];

	if (run->own_name.len)
		return ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(run->own_name));
	return ts_arena_printf(arena, "%.12s", ts_id_hex(&run->id, hex));
}

/* "from step 190 on", or where it first differs from each of the others at another step: "from step 190 on at the earliest". */
static const char *since(const struct ts_repeats *r, const struct ts_matrix_tally *t, struct ts_arena *arena)
{
	return ts_arena_printf(arena, "from step %" PRId64 " on%s", t->first_step,
			       t->first_step == t->last_step || !r->has_odd ? "" : " at the earliest");
}

static const char *say_unknown(const struct ts_repeats *r, struct ts_arena *arena)
{
	if (r->matrix.n < TS_REPEATS_LEAST)
		return ts_arena_printf(arena,
				       "There are too few repeats: with the first run they are %zu, and at least %d "
				       "are needed to tell chance "
				       "from a real change",
				       r->matrix.n, TS_REPEATS_LEAST);
	return "Some of the repeats have no common step: nothing can be said about all of them";
}

static const char *say_pattern(const struct ts_repeats *r, const struct ts_matrix_tally *t, struct ts_arena *arena)
{
	size_t n = r->matrix.n;
	const char *name, *from;

	switch (r->pattern) {
	case TS_PATTERN_SAME:
		return ts_arena_printf(arena, "The %zu repeats agree bit for bit%s: the recipe is repeatable", n,
				       t->same == t->pairs ? "" : ", as far as each of them goes");
	case TS_PATTERN_ODD:
		name = name_of(&r->matrix.runs[r->odd], arena);
		from = since(r, t, arena);
		return name && from ? ts_arena_printf(arena,
						      "%zu of %zu repeats agree bit for bit, and %s differs from all "
						      "of them %s: a rare race "
						      "condition, a different machine and a different input look the "
						      "same until one of the "
						      "repeats is run again",
						      n - 1, n, name, from)
				    : NULL;
	case TS_PATTERN_GROUPS:
		return ts_arena_printf(arena,
				       "The %zu repeats form %zu groups: the runs of a group agree, and the groups "
				       "first differ from one "
				       "another at step %" PRId64 ", so this is a change that repeats and not chance",
				       n, r->n_groups, t->first_step);
	case TS_PATTERN_TOGETHER:
		return ts_arena_printf(arena,
				       "Of the %zu repeats all that differ first differ at step %" PRId64
				       ": an input differs "
				       "there, or something "
				       "starts there that is not deterministic",
				       n, t->first_step);
	case TS_PATTERN_SCATTERED:
		return ts_arena_printf(arena,
				       "The repeats differ from one another, and first at different steps, from step "
				       "%" PRId64 " to step %" PRId64 ": the "
				       "recipe is not repeatable",
				       t->first_step, t->last_step);
	case TS_PATTERN_UNKNOWN:
		break;
	}
	return say_unknown(r, arena);
}

bool ts_repeats_judge(struct ts_repeats *r, struct ts_arena *arena)
{
	struct ts_matrix_tally t = ts_matrix_count(&r->matrix);
	const char *text;

	if (!make_groups(r, arena))
		return false;
	r->pattern = pattern_of(r, &t);
	text = say_pattern(r, &t, arena);
	if (!text)
		return false;
	r->sentence = ts_span_str(text);
	return true;
}

/* Lists those that are real, or have grown: "loss from step 120 on (outside at 38 % of 10,000 points), grad_norm
 * from ...". */
static const char *list_outside(const struct ts_repeats *r, bool real, struct ts_arena *arena)
{
	const char *text = "";

	for (size_t i = 0; text && i < r->n_rows; i++) {
		const struct ts_envelope_row *row = &r->rows[i];
		struct ts_span name = ts_column_said(row->name);

		if (row->known && (real ? row->real : row->grown))
			text = ts_arena_printf(arena, "%s%s%.*s from step %" PRId64 " on (outside at %s of %s points)",
					       text, *text ? ", " : "", TS_SPAN_ARG(name), row->first_step,
					       ts_say_percent((double)row->outside / (double)row->points).text,
					       ts_say_count((double)row->points).text);
	}
	return text;
}

static const char *say_real(const struct ts_repeats *r, struct ts_arena *arena)
{
	const char *text = list_outside(r, true, arena);

	return text ? ts_arena_printf(arena, "the second run leaves the envelope of the %zu repeats: %s", r->matrix.n, text) : NULL;
}

static const char *say_grown(const struct ts_repeats *r, struct ts_arena *arena)
{
	const char *text = list_outside(r, false, arena);

	return text ? ts_arena_printf(arena,
				      "the second run differs more than the %zu repeats do: %s; but the difference "
				      "grew as it does by chance, and "
				      "of %zu runs of one recipe one always differs most: more repeats would tell",
				      r->matrix.n, text, r->matrix.n + 1)
		    : NULL;
}

static const char *say_inside(const struct ts_repeats *r, struct ts_arena *arena)
{
	const char *text = "";

	for (size_t i = 0; text && i < r->n_rows; i++) {
		const struct ts_envelope_row *row = &r->rows[i];
		struct ts_span name = ts_column_said(row->name);

		if (row->known)
			text = ts_arena_printf(
				arena, "%s%s%.*s over %s points (relative difference of the repeats: at most %s)", text,
				*text ? ", " : "", TS_SPAN_ARG(name), ts_say_count((double)row->points).text,
				ts_say_number(row->spread).text);
	}
	return text ? ts_arena_printf(arena, "the second run stays inside the envelope of the %zu repeats: %s", r->matrix.n, text)
		    : NULL;
}

static const char *say_no_envelope(const struct ts_repeats *r, struct ts_arena *arena)
{
	if (r->matrix.n < TS_REPEATS_LEAST)
		return ts_arena_printf(arena,
				       "there is no envelope: at least %d repeats are needed, the first run counted",
				       TS_REPEATS_LEAST);
	if (r->n_rows == 0)
		return "there is no envelope: no loss and no gradient norm is in all of the runs";
	return ts_arena_printf(arena, "there is no envelope: %.*s", TS_SPAN_ARG(r->rows[0].why_not));
}

bool ts_repeats_conclude(struct ts_repeats *r, struct ts_arena *arena)
{
	const char *text;
	size_t known = 0, real = 0, grown = 0;

	r->spread = (double)NAN;
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct ts_envelope_row *row = &r->rows[i];

		if (!row->known)
			continue;
		if (known++ == 0)
			r->spread = isnan(row->spread_there) ? row->spread : row->spread_there;
		real += row->real;
		grown += row->grown;
	}
	r->inside = real ? TS_TIER_FAILS : known && !grown ? TS_TIER_HOLDS : TS_TIER_UNKNOWN;
	text = real ? say_real(r, arena) : grown ? say_grown(r, arena) : known ? say_inside(r, arena) : say_no_envelope(r, arena);
	if (!text)
		return false;
	r->verdict = ts_span_str(text);
	return ts_equivalence_tier(r->levels, r->n_levels, r->matrix.n, arena, &r->statistical);
}

bool ts_repeats_say_axis(struct ts_repeats *r, struct ts_span axis, struct ts_arena *arena)
{
	struct ts_span name = ts_column_said(axis);
	const char *text;

	if (axis.len == 0)
		return true;
	text = ts_arena_printf(arena, "%.*s; for this comparison runs are paired by step, not by %.*s",
			       TS_SPAN_ARG(r->verdict), TS_SPAN_ARG(name));
	if (text)
		r->verdict = ts_span_str(text);
	return text != NULL;
}
