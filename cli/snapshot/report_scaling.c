#include "cli/snapshot/report_scaling.h"

#include "analysis/answer/say.h"
#include "cli/view/show_value.h"

enum { POINTS_SHOWN = 5 };

#define STATE_OFF 0.01 /* parameters and optimizer state that differ by more are not those of one model */

static const char *noun(const struct ts_scaling *s)
{
	return s->lengths ? "length" : "batch";
}

static const char *number(struct ts_report *r, double n)
{
	return ts_report_say(r, "%s", ts_say_count(n).text);
}

static const char *bytes(struct ts_report *r, double n)
{
	return ts_report_number(r, TS_UNIT_BYTES, n);
}

/* The columns of the first sizes, then what a line says. */
static struct ts_view *table_of(struct ts_report *r, struct ts_section *section, const struct ts_scaling *s, const char *head,
				size_t *ret_shown)
{
	struct ts_view_column columns[POINTS_SHOWN + 5] = {TS_LEFT(head, 12)};
	size_t n = 1, shown = s->n < POINTS_SHOWN ? s->n : POINTS_SHOWN;

	for (size_t i = 0; i < shown; i++)
		columns[n++] = (struct ts_view_column)TS_RIGHT(ts_report_say(r, "at %.15g", s->points[i].size));
	columns[n++] = (struct ts_view_column)TS_RIGHT("fixed");
	columns[n++] = (struct ts_view_column)TS_RIGHT("each more");
	if (s->lengths && s->n > 2)
		columns[n++] = (struct ts_view_column)TS_RIGHT("by its square");
	columns[n++] = (struct ts_view_column)TS_RIGHT("off by");
	*ret_shown = shown;
	return ts_report_table(r, section, columns, n);
}

static void row(struct ts_report *r, struct ts_view *table, const struct ts_scaling *s, const struct ts_scaling_line *line,
		const char *head, const uint64_t *values, size_t shown)
{
	ts_view_text(table, TS_STYLE_PLAIN, head);
	for (size_t i = 0; i < shown; i++)
		ts_view_text(table, TS_STYLE_PLAIN, ts_show_bytes((double)values[i], r->arena));
	ts_view_text(table, TS_STYLE_PLAIN, line->known ? ts_show_bytes(line->fixed, r->arena) : "unknown");
	ts_view_text(table, TS_STYLE_BOLD, line->known ? ts_show_bytes(line->per_unit, r->arena) : "unknown");
	if (s->lengths && s->n > 2)
		ts_view_text(table, TS_STYLE_BOLD, line->known ? ts_show_bytes(line->per_square, r->arena) : "unknown");
	ts_view_text(table, TS_STYLE_DIM, line->known && line->own_error ? ts_show_bytes(line->off, r->arena) : "unknown");
}

static void parts(struct ts_report *r, struct ts_section *section, const struct ts_scaling *s)
{
	uint64_t values[POINTS_SHOWN];
	size_t shown;
	struct ts_view *table = table_of(r, section, s, "most in", &shown);

	for (int p = 0; p < TS_SCALING_PARTS; p++) {
		for (size_t i = 0; i < shown; i++)
			values[i] = s->points[i].needs[p];
		if (s->lines[p].any)
			row(r, table, s, &s->lines[p], ts_scaling_part_word((enum ts_scaling_part)p), values, shown);
	}
}

static void kinds(struct ts_report *r, struct ts_section *section, const struct ts_scaling *s)
{
	uint64_t values[POINTS_SHOWN];
	size_t shown;
	struct ts_view *table = table_of(r, section, s, "in forward and backward", &shown);

	for (int k = 1; k <= TS_MEMORY_KINDS; k++) {
		int kind = k % TS_MEMORY_KINDS;
		uint64_t any = 0;

		for (size_t i = 0; i < shown; i++)
			any |= values[i] = s->points[i].kinds[kind];
		if (any)
			row(r, table, s, &s->kinds[kind], ts_memory_kind_word((enum ts_memory_kind)kind), values, shown);
	}
}

static const char *answer(struct ts_report *r, const struct ts_scaling *s)
{
	if (!s->grows)
		return ts_report_say(r, "nothing grows with the %s between these snapshots, so nothing is said of what would fit",
				     noun(s));
	if (!s->has_capacity)
		return "not known: the snapshots do not say what the device has (--device-memory does)";
	if (s->most < 1)
		return ts_report_say(r, "no %s fits in %s", noun(s), bytes(r, s->capacity));
	if (s->lengths && s->n == 2)
		return ts_report_say(r, "the largest length that fits in %s lies between %s and %s; a third snapshot would tell",
				     bytes(r, s->capacity), number(r, s->least), number(r, s->most));
	if (s->least >= 1 && s->least >= s->most)
		return ts_report_say(r, "the largest %s that fits in %s is %s", noun(s), bytes(r, s->capacity), number(r, s->likely));
	return ts_report_say(r, "the largest %s that fits in %s is %s (between %s and %s)", noun(s), bytes(r, s->capacity),
			     number(r, s->likely), number(r, s->least), number(r, s->most));
}

static const char *assumed(struct ts_report *r, const struct ts_scaling *s)
{
	const char *growth = s->lengths && s->n > 2 ? "a fixed part, one that grows with the length and one with its square (attention)"
			     : s->lengths ? "a fixed part and one that grows with the length; the lower bound lets all that grows "
					    "grow with its square, as attention may"
					  : "a fixed part and one that grows with the batch";

	return ts_report_say(
		r,
		"each part of a step needs %s; the upper bound has nothing lost by the allocator, the lower one as large a share "
		"as in any of the snapshots and up to 20 %% more, because losses grow with the size%s",
		growth, s->n > 2 ? "; both take the largest distance from the line" : "; two snapshots leave no error to see");
}

/* "15 % into backward: 1.2 GiB and 31 MiB for each more of the batch"; NULL: the parts' own lines say it. */
static const char *decides(struct ts_report *r, const struct ts_scaling *s)
{
	const struct ts_scaling_line *l = &s->deciding;
	uint32_t piece = s->decides % TS_SCALING_PIECES;
	const char *side = s->decides < TS_SCALING_PIECES ? "forward" : "backward", *square = "", *at;

	if (!s->moves)
		return NULL;
	at = piece ? ts_report_say(r, "%s into %s", ts_say_percent((double)piece / TS_SCALING_PIECES).text, side)
		   : ts_report_say(r, "the begin of %s", side);
	if (l->per_square > 0)
		square = ts_report_say(r, " and %s by its square", bytes(r, l->per_square));
	return ts_report_say(r,
			     "%s, %s: %s fixed, %s for each more%s", at,
			     s->by_pieces ? "where most is needed then; forward and backward need no more than their pieces"
					  : "where the need grows faster than where it was most in the snapshots",
			     bytes(r, l->fixed), bytes(r, l->per_unit), square);
}

static const char *warning(struct ts_report *r, const struct ts_scaling *s)
{
	const char *text = NULL;

	if (s->state_off > STATE_OFF)
		text = ts_report_say(r,
				     "parameters and optimizer state at the end differ by %s between the snapshots: they may not be of "
				     "one model, or of as many steps",
				     ts_say_percent(s->state_off).text);
	for (size_t i = 0; i < s->n; i++)
		if (s->points[i].device->n_refused)
			text = ts_report_join(
				r, text, "; ",
				ts_report_say(r, "at %.15g a request was refused, so more would have been needed than is known",
					      s->points[i].size));
	return text;
}

void ts_report_scaling(struct ts_report *r, const struct ts_scaling *s)
{
	struct ts_section *section = ts_report_section(r, TS_SECTION_WHAT_WOULD_FIT);

	section->head = answer(r, s);
	parts(r, section, s);
	kinds(r, section, s);
	ts_report_line(r, section, "decides", decides(r, s));
	ts_report_line(r, section, "assumed", assumed(r, s));
	ts_report_line(r, section, "but", warning(r, s));
}
