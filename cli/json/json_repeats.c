/* json_repeats.c - of a diff as JSON: the repeats, and the second run against them (docs/schemas/diff.schema.json). */
#include "cli/json/json_repeats.h"

#include "cli/json/json_matrix.h"
#include "cli/json/json_parts.h"
#include "run/head.h"

static void envelope_row(struct ts_json *j, const struct ts_envelope_row *row)
{
	bool outside = row->known && (row->real || row->grown);

	ts_json_object(j);
	ts_json_key(j, "name");
	ts_json_span(j, row->name);
	ts_json_known_step(j, "rank", row->rank != TS_RANK_JOB, row->rank);
	ts_json_text(j, "unknown_because", row->why_not);
	ts_json_count(j, "point_count", row->points);
	ts_json_known_real(j, "spread_ratio", row->known, row->spread);
	ts_json_known_real(j, "level_ratio", row->known, row->level);
	ts_json_known_real(j, "spread_there_ratio", row->known, row->spread_there);
	ts_json_known_real(j, "greatest_ratio", row->known, row->greatest);
	ts_json_known_step(j, "greatest_step", row->known, row->greatest_step);
	ts_json_count(j, "outside_count", row->outside);
	ts_json_key(j, "is_real");
	ts_json_bool(j, row->known && row->real);
	ts_json_key(j, "has_grown");
	ts_json_bool(j, row->known && row->grown);
	ts_json_known_step(j, "first_outside_step", outside, row->first_step);
	ts_json_known_real(j, "first_outside_ratio", outside, row->first_r);
	ts_json_known_real(j, "first_limit_ratio", outside, row->first_limit);
	ts_json_end(j);
}

/* null: not known. */
static void yes_no(struct ts_json *j, const char *key, enum ts_tier_answer answer)
{
	ts_json_key(j, key);
	if (answer == TS_TIER_UNKNOWN)
		ts_json_null(j);
	else
		ts_json_bool(j, answer == TS_TIER_HOLDS);
}

static void level_row(struct ts_json *j, const struct ts_level_row *row)
{
	ts_json_object(j);
	ts_json_key(j, "name");
	ts_json_span(j, row->name);
	ts_json_known_step(j, "rank", row->rank != TS_RANK_JOB, row->rank);
	ts_json_text(j, "unknown_because", row->why_not);
	ts_json_count(j, "point_count", row->points);
	ts_json_known_step(j, "first_step", row->points > 0, row->first_step);
	ts_json_known_step(j, "last_step", row->points > 0, row->last_step);
	ts_json_count(j, "repeat_count", row->n);
	ts_json_known_real(j, "mean", row->known, row->mean);
	ts_json_known_real(j, "deviation", row->known, row->deviation);
	ts_json_known_real(j, "candidate", row->known, row->candidate);
	ts_json_known_real(j, "difference_ratio", row->known, row->difference);
	ts_json_known_real(j, "low_ratio", row->known, row->low);
	ts_json_known_real(j, "high_ratio", row->known, row->high);
	ts_json_known_real(j, "p_value", row->known, row->p_value);
	ts_json_known_real(j, "seen_ratio", row->known, row->seen);
	yes_no(j, "is_equivalent", row->answer);
	ts_json_end(j);
}

void ts_json_repeats(struct ts_json *j, const struct ts_repeats *repeats)
{
	ts_json_key(j, "repeats");
	if (!repeats->asked) {
		ts_json_null(j);
		return;
	}
	ts_json_object(j);
	ts_json_key(j, "pattern");
	ts_json_string(j, ts_pattern_word(repeats->pattern));
	ts_json_text(j, "sentence", repeats->sentence);
	ts_json_known_step(j, "odd", repeats->has_odd, (int64_t)repeats->odd);
	ts_json_matrix_parts(j, &repeats->matrix, repeats->groups, repeats->n_groups);
	yes_no(j, "inside", repeats->inside);
	ts_json_text(j, "verdict", repeats->verdict);
	ts_json_known_real(j, "spread_ratio", true, repeats->spread);
	ts_json_key(j, "envelope");
	ts_json_array(j);
	for (size_t i = 0; i < repeats->n_rows; i++)
		envelope_row(j, &repeats->rows[i]);
	ts_json_end(j);
	yes_no(j, "is_equivalent", repeats->statistical.answer);
	ts_json_text(j, "equivalent_because", repeats->statistical.why);
	ts_json_key(j, "levels");
	ts_json_array(j);
	for (size_t i = 0; i < repeats->n_levels; i++)
		level_row(j, &repeats->levels[i]);
	ts_json_end(j);
	ts_json_end(j);
}
