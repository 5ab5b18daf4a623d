/* wire_repeats.c - the part of a Diff reply about repeats: several runs of one recipe, and the candidate against
 * their envelope. */
#include "proto/wire_message.h"

static void build_row(Tscope__V1__EnvelopeRow *m, const struct ts_envelope_row *in)
{
	m->name = ts_wire_span(in->name);
	m->rank = in->rank;
	m->known = in->known;
	m->why_not = ts_wire_span(in->why_not);
	m->points = in->points;
	m->spread = in->spread;
	m->level = in->level;
	m->spread_there = in->spread_there;
	m->greatest = in->greatest;
	m->greatest_step = in->greatest_step;
	m->outside = in->outside;
	m->first_r = in->first_r;
	m->first_limit = in->first_limit;
	m->grown = in->grown;
	if (in->real || in->grown) {
		m->first_choice_case = TSCOPE__V1__ENVELOPE_ROW__FIRST_CHOICE_FIRST_STEP;
		m->first_step = in->first_step;
	}
}

static void read_row(struct ts_wire_reader *r, const Tscope__V1__EnvelopeRow *m, struct ts_envelope_row *out)
{
	out->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "repeats.rows.name");
	out->rank = m->rank;
	out->known = m->known;
	out->why_not = ts_wire_bytes(r, m->why_not, TS_WIRE_TEXT_MAX, "repeats.rows.why_not");
	out->points = m->points;
	out->spread = m->spread;
	out->level = m->level;
	out->spread_there = m->spread_there;
	out->greatest = m->greatest;
	out->greatest_step = m->greatest_step;
	out->outside = m->outside;
	out->first_r = m->first_r;
	out->first_limit = m->first_limit;
	if (m->first_choice_case != TSCOPE__V1__ENVELOPE_ROW__FIRST_CHOICE_FIRST_STEP)
		return;
	out->real = !m->grown;
	out->grown = m->grown;
	out->first_step = m->first_step;
}

static void build_level(Tscope__V1__LevelRow *m, const struct ts_level_row *in)
{
	m->name = ts_wire_span(in->name);
	m->rank = in->rank;
	m->known = in->known;
	m->why_not = ts_wire_span(in->why_not);
	m->points = in->points;
	m->first_step = in->first_step;
	m->last_step = in->last_step;
	m->repeats = (uint32_t)in->n;
	m->mean = in->mean;
	m->deviation = in->deviation;
	m->candidate = in->candidate;
	m->difference = in->difference;
	m->low = in->low;
	m->high = in->high;
	m->p_value = in->p_value;
	m->seen = in->seen;
	m->answer = (Tscope__V1__TierAnswer)in->answer;
}

static void read_level(struct ts_wire_reader *r, const Tscope__V1__LevelRow *m, struct ts_level_row *out)
{
	out->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "repeats.levels.name");
	out->rank = m->rank;
	out->known = m->known;
	out->why_not = ts_wire_bytes(r, m->why_not, TS_WIRE_TEXT_MAX, "repeats.levels.why_not");
	out->points = m->points;
	out->first_step = m->first_step;
	out->last_step = m->last_step;
	out->n = m->repeats;
	out->mean = m->mean;
	out->deviation = m->deviation;
	out->candidate = m->candidate;
	out->difference = m->difference;
	out->low = m->low;
	out->high = m->high;
	out->p_value = m->p_value;
	out->seen = m->seen;
	out->answer = (enum ts_tier_answer)ts_wire_enum(r, (int)m->answer, TS_TIER_UNKNOWN, TS_TIER_FAILS, "repeats.levels.answer");
}

static bool build_groups(Tscope__V1__Repeats *m, const struct ts_repeats *in, struct ts_arena *arena)
{
	m->groups = ts_arena_array(arena, in->matrix.n, sizeof *m->groups);
	if (!m->groups)
		return false;
	m->n_groups = in->matrix.n;
	for (size_t i = 0; i < in->matrix.n; i++)
		m->groups[i] = (uint32_t)in->groups[i];
	return true;
}

Tscope__V1__Repeats *ts_wire_build_repeats(const struct ts_repeats *in, struct ts_arena *arena)
{
	Tscope__V1__Repeats *m = ts_wire_new(arena, WIRE_DESCRIPTOR(repeats));

	if (!m)
		return NULL;
	m->matrix = ts_wire_build_matrix(&in->matrix, arena);
	m->rows = ts_wire_rows(arena, in->n_rows, WIRE_DESCRIPTOR(envelope_row));
	m->levels = ts_wire_rows(arena, in->n_levels, WIRE_DESCRIPTOR(level_row));
	if (!m->matrix || !m->rows || !m->levels || !build_groups(m, in, arena))
		return NULL;
	m->pattern = (Tscope__V1__Pattern)in->pattern;
	if (in->has_odd) {
		m->odd_choice_case = TSCOPE__V1__REPEATS__ODD_CHOICE_ODD;
		m->odd = (uint32_t)in->odd;
	}
	m->sentence = ts_wire_span(in->sentence);
	m->n_rows = in->n_rows;
	for (size_t i = 0; i < in->n_rows; i++)
		build_row(m->rows[i], &in->rows[i]);
	m->inside = (Tscope__V1__TierAnswer)in->inside;
	m->verdict = ts_wire_span(in->verdict);
	m->spread = in->spread;
	m->n_levels = in->n_levels;
	for (size_t i = 0; i < in->n_levels; i++)
		build_level(m->levels[i], &in->levels[i]);
	m->level = (Tscope__V1__TierAnswer)in->statistical.answer;
	m->level_why = ts_wire_span(in->statistical.why);
	return m;
}

static void read_groups(struct ts_wire_reader *r, const Tscope__V1__Repeats *m, struct ts_repeats *out)
{
	size_t n;

	if (m->n_groups != out->matrix.n) {
		ts_wire_fail(r, "repeats.groups", "are not one for each run");
		return;
	}
	out->groups = ts_wire_array(r, m->n_groups, sizeof *out->groups, TS_MATRIX_RUNS_MAX, "repeats.groups", &n);
	for (size_t i = 0; i < n; i++) {
		out->groups[i] = (size_t)ts_wire_uint(r, m->groups[i], n - 1, "repeats.groups");
		out->n_groups = out->groups[i] >= out->n_groups ? out->groups[i] + 1 : out->n_groups;
	}
	out->has_odd = m->odd_choice_case == TSCOPE__V1__REPEATS__ODD_CHOICE_ODD;
	if (out->has_odd)
		out->odd = (size_t)ts_wire_uint(r, m->odd, n ? n - 1 : 0, "repeats.odd");
}

void ts_wire_read_repeats(struct ts_wire_reader *r, const Tscope__V1__Repeats *m, struct ts_repeats *out)
{
	out->asked = true;
	if (!ts_wire_need(r, m->matrix, "repeats.matrix"))
		return;
	ts_wire_read_matrix(r, m->matrix, 1, &out->matrix);
	read_groups(r, m, out);
	out->pattern = (enum ts_pattern)ts_wire_enum(r, (int)m->pattern, TS_PATTERN_UNKNOWN, TS_PATTERN_SCATTERED, "repeats.pattern");
	out->sentence = ts_wire_bytes(r, m->sentence, TS_WIRE_TEXT_MAX, "repeats.sentence");
	out->rows = ts_wire_array(r, m->n_rows, sizeof *out->rows, TS_MESSAGE_MAX, "repeats.rows", &out->n_rows);
	for (size_t i = 0; i < out->n_rows; i++)
		read_row(r, m->rows[i], &out->rows[i]);
	out->inside = (enum ts_tier_answer)ts_wire_enum(r, (int)m->inside, TS_TIER_UNKNOWN, TS_TIER_FAILS, "repeats.inside");
	out->verdict = ts_wire_bytes(r, m->verdict, TS_WIRE_TEXT_MAX, "repeats.verdict");
	out->spread = m->spread;
	out->levels = ts_wire_array(r, m->n_levels, sizeof *out->levels, TS_MESSAGE_MAX, "repeats.levels", &out->n_levels);
	for (size_t i = 0; i < out->n_levels; i++)
		read_level(r, m->levels[i], &out->levels[i]);
	out->statistical.answer = (enum ts_tier_answer)ts_wire_enum(r, (int)m->level, TS_TIER_UNKNOWN, TS_TIER_FAILS, "repeats.level");
	out->statistical.why = ts_wire_bytes(r, m->level_why, TS_WIRE_TEXT_MAX, "repeats.level_why");
}
