/* report_diff_sides.c - the sections of a diff's report on what differs beside the series: facts, by group, and what
 * one side has alone. */
#include "cli/report/report_diff.h"

#include "cli/view/show_value.h"
#include "run/head.h"
#include "run/role.h"

enum { FACTS_SHOWN = 20, LIST_LEAST = 160 };

/* A fact that differs, and the ranks on which it differs. Rows of one path follow each other, and the row of the job
 * comes first. */
struct fact_entry {
	const struct ts_fact_row *row;
	size_t more;
};

static struct fact_entry *differing(struct ts_report *r, const struct ts_diff *diff, size_t *ret_n)
{
	struct fact_entry *entries = ts_arena_array(r->arena, diff->n_facts + 1, sizeof *entries);
	size_t n = 0;

	r->failed |= !entries;
	for (size_t i = 0; entries && i < diff->n_facts; i++) {
		if (!r->whole && n && ts_span_eq(entries[n - 1].row->path, diff->facts[i].path))
			entries[n - 1].more++;
		else
			entries[n++] = (struct fact_entry){&diff->facts[i], 0};
	}
	*ret_n = n;
	return entries;
}

static const char *fact_path(struct ts_report *r, const struct fact_entry *e)
{
	const char *path = ts_report_text(r, e->row->path);

	if (e->row->rank != TS_RANK_JOB)
		path = ts_report_say(r, "%s (rank %d)", path, e->row->rank);
	return e->more ? ts_report_say(r, "%s (+%zu %s)", path, e->more, e->more == 1 ? "rank" : "ranks") : path;
}

/* Says "1 in config, 3 in session". */
static const char *by_group(struct ts_report *r, const struct fact_entry *entries, size_t n)
{
	const char *text = NULL;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && entries[end].row->group == entries[i].row->group; end++)
			;
		text = ts_report_join(r, text, ", ",
				      ts_report_say(r, "%zu in %s", end - i, ts_group_name(entries[i].row->group)));
	}
	return text;
}

/* A list of many lines, such as that of packages, is no row of a table. */
static const char *fact_value(struct ts_report *r, const struct ts_fact *fact)
{
	size_t lines = 0;

	for (size_t i = 0; fact && fact->type == TS_FACT_TEXT && i < fact->text.len; i++)
		lines += fact->text.data[i] == '\n';
	return lines && fact->text.len > LIST_LEAST ? ts_report_say(r, "(text of %zu bytes)", fact->text.len)
						    : ts_report_kept(r, ts_show_fact(fact, r->arena));
}

/* Two values may print alike and have different types: for 1 -> 1.0 this is visible, and in "1" -> 1 the text is
 * quoted. No other values print alike. */
void ts_report_diff_facts(struct ts_report *r, const struct ts_diff *diff)
{
	static const struct ts_view_column columns[] = {
		{.key = "path"}, {.key = "a", .least = 20}, {.key = "to"}, {.key = "b", .least = 20}};
	struct ts_section *s = ts_report_section(r, TS_SECTION_FACTS_THAT_DIFFER);
	struct ts_view *table;
	size_t n, shown;
	const struct fact_entry *entries = differing(r, diff, &n);

	s->head = n && entries ? by_group(r, entries, n) : "no recorded fact differs";
	if (diff->ignored_facts)
		s->head = ts_report_say(r, "%s; --ignore left out %s", s->head,
					ts_report_kept(r, ts_show_count(diff->ignored_facts, r->arena)));
	if (!n || !entries)
		return;
	shown = r->whole || n <= FACTS_SHOWN ? n : FACTS_SHOWN;
	table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));
	table->indented = true;
	for (size_t i = 0; i < shown; i++) {
		const struct ts_fact_row *row = entries[i].row;

		ts_view_row(table, NULL);
		ts_view_set(table, "path", TS_STYLE_PLAIN, fact_path(r, &entries[i]));
		ts_view_set(table, "a", row->a ? TS_STYLE_A : TS_STYLE_DIM, fact_value(r, row->a));
		ts_view_set(table, "to", TS_STYLE_DIM, "->");
		ts_view_set(table, "b", row->b ? TS_STYLE_B : TS_STYLE_DIM, fact_value(r, row->b));
	}
	table->more = n - shown;
}

/* --- extent --- */

static const char *steps_of(struct ts_report *r, uint64_t n, int64_t first, int64_t last)
{
	return n ? ts_report_say(r, "%s (%s)", ts_report_kept(r, ts_show_plural(n, "step", r->arena)),
				 ts_report_kept(r, ts_show_range(first, last, r->arena)))
		 : NULL;
}

static const char *ranks_of(struct ts_report *r, const int32_t *ranks, size_t n)
{
	return n ? ts_report_say(r, "%s %s", n == 1 ? "rank" : "ranks", ts_report_kept(r, ts_show_ranks(ranks, n, n, r->arena)))
		 : NULL;
}

static const char *superseded_of(struct ts_report *r, uint64_t rows)
{
	return ts_report_say(r, "%s of steps that a restart executed again; the last execution is compared",
			     ts_report_kept(r, ts_show_plural(rows, "row", r->arena)));
}

static void alias_line(struct ts_report *r, const struct ts_diff *diff, struct ts_section *s, const struct ts_alias_row *row)
{
	const char *noun = diff->axis.len ? "common point" : "common step";
	const char *n = ts_report_kept(r, ts_show_plural(row->common, noun, r->arena));
	const char *agree = row->common ? ts_report_say(r, "equal at %s %s", row->parts ? "the first" : "all", n)
			    : row->parts ? ts_report_say(r, "different at the first %s already", noun)
					 : ts_report_say(r, "without a %s", noun);

	ts_report_line(r, s, "compared",
		       ts_report_say(r, "%s of b as %s of a: %s", ts_report_text(r, ts_column_said(row->b)),
				     ts_report_text(r, ts_column_said(row->a)), agree));
}

void ts_report_diff_compared(struct ts_report *r, const struct ts_diff *diff)
{
	struct ts_section *s;

	if (!diff->superseded_a && !diff->superseded_b && diff->n_aliases == 0)
		return;
	s = ts_report_section(r, TS_SECTION_WHAT_IS_COMPARED);
	for (size_t i = 0; i < diff->n_aliases; i++)
		alias_line(r, diff, s, &diff->aliases[i]);
	if (diff->superseded_a)
		ts_report_line(r, s, "not of a", superseded_of(r, diff->superseded_a));
	if (diff->superseded_b)
		ts_report_line(r, s, "not of b", superseded_of(r, diff->superseded_b));
}

/* Says what one side has and the other has not, each on its own line. */
void ts_report_diff_extent(struct ts_report *r, const struct ts_diff *diff)
{
	const char *lines[] = {
		steps_of(r, diff->steps_only_a, diff->only_a_first, diff->only_a_last),
		ranks_of(r, diff->ranks_only_a, diff->n_ranks_only_a),
		ts_report_names_in(r, diff, TS_SERIES_ONLY_A, false),
		ts_report_names_in(r, diff, TS_SERIES_ONLY_A, true),
		steps_of(r, diff->steps_only_b, diff->only_b_first, diff->only_b_last),
		ranks_of(r, diff->ranks_only_b, diff->n_ranks_only_b),
		ts_report_names_in(r, diff, TS_SERIES_ONLY_B, false),
		ts_report_names_in(r, diff, TS_SERIES_ONLY_B, true),
	};
	const char *disjoint = ts_report_names_in(r, diff, TS_SERIES_DISJOINT, false);
	struct ts_section *s = NULL;

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		if (!lines[i])
			continue;
		s = s ? s : ts_report_section(r, TS_SECTION_ONLY_ON_ONE_SIDE);
		ts_report_line(r, s, i < 4 ? "only a" : "only b", lines[i]);
	}
	if (!disjoint)
		return;
	s = s ? s : ts_report_section(r, TS_SECTION_ONLY_ON_ONE_SIDE);
	ts_report_line(r, s, "apart", ts_report_with(r, "these series have no common step: ", disjoint, ""));
}
