/* text_facts.c - every fact of a run with its type and who said it, as text. */
#include "cli/text/text_facts.h"

#include "base/text.h"
#include "cli/core/context.h"
#include "cli/core/listing.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

enum { RANKS_SHOWN = 4 };

static void add_row(struct ts_cli *cli, struct ts_view *view, const struct ts_facts *facts, size_t i, const char *path)
{
	const struct ts_fact *fact = &facts->items[i];
	bool counts = ts_fact_counts(facts, i);
	enum ts_style style = counts ? TS_STYLE_PLAIN : TS_STYLE_DIM;

	ts_view_row(view, NULL);
	ts_view_set(view, "path", style, path);
	ts_view_set(view, "value", style, ts_show_fact(fact, &cli->arena));
	ts_view_set(view, "type", TS_STYLE_DIM, ts_fact_type_word(fact->type));
	ts_view_set(view, "source", TS_STYLE_DIM,
		    ts_arena_printf(&cli->arena, "%s%s", ts_source_name(fact->source), counts ? "" : ", overruled"));
}

static void add_note(struct ts_cli *cli, struct ts_view *view, const int32_t *ranks, size_t n, const char *what)
{
	const char *text = ts_show_ranks(ranks, n, n, &cli->arena);

	ts_view_row(view, NULL);
	ts_view_set(view, "path", TS_STYLE_DIM, text ? ts_arena_printf(&cli->arena, "  %s %s", n == 1 ? "rank" : "ranks", text) : NULL);
	ts_view_set(view, "value", TS_STYLE_DIM, what);
}

static void add_job_absent(struct ts_cli *cli, struct ts_view *view, struct ts_span path)
{
	ts_view_row(view, NULL);
	ts_view_set(view, "path", TS_STYLE_PLAIN, ts_show_text(path, &cli->arena));
	ts_view_set(view, "value", TS_STYLE_DIM, "by rank");
}

/* Shows what single ranks say about a path, below the row of the job: each value if they are few, else only which ranks
 * differ. Ranks that do not record the path share one row. */
static void add_ranks(struct ts_cli *cli, struct ts_view *view, const struct ts_fact_listing *list, struct ts_span path)
{
	int32_t *absent = ts_arena_array(&cli->arena, list->n_ranks, sizeof *absent);
	int32_t *other = ts_arena_array(&cli->arena, list->n_ranks, sizeof *other);
	size_t n_absent = 0, n_other = 0;

	if (!absent || !other) {
		view->failed = true;
		return;
	}
	for (size_t r = 1; r < list->n_ranks; r++) {
		const struct ts_fact *fact = ts_facts_find(&list->ranks[r].facts, path);

		if (fact && fact->type == TS_FACT_ABSENT)
			absent[n_absent++] = list->ranks[r].rank;
		else if (fact)
			other[n_other++] = list->ranks[r].rank;
	}
	for (size_t r = 1; r < list->n_ranks && n_other <= RANKS_SHOWN; r++) {
		const struct ts_facts *facts = &list->ranks[r].facts;
		const struct ts_fact *fact = ts_facts_find(facts, path);

		if (fact && fact->type != TS_FACT_ABSENT)
			add_row(cli, view, facts, (size_t)(fact - facts->items),
				ts_arena_printf(&cli->arena, "  rank %d", list->ranks[r].rank));
	}
	if (n_other > RANKS_SHOWN)
		add_note(cli, view, other, n_other, "other values; --json has them");
	if (n_absent)
		add_note(cli, view, absent, n_absent, "not recorded");
}

/* A path that only ranks have is shown with the first of these ranks. */
static bool seen_before(const struct ts_fact_listing *list, size_t rank, struct ts_span path)
{
	for (size_t r = 0; r < rank; r++)
		if (ts_facts_find(&list->ranks[r].facts, path))
			return true;
	return false;
}

static size_t add_group(struct ts_cli *cli, struct ts_view *view, const struct ts_fact_listing *list, enum ts_group group)
{
	size_t n = 0;

	for (size_t r = 0; r < list->n_ranks; r++) {
		const struct ts_facts *facts = &list->ranks[r].facts;

		for (size_t i = 0; i < facts->n; i++) {
			struct ts_span path = facts->items[i].path;
			enum ts_group of;

			if (!ts_fact_wanted(list, &facts->items[i]) || !ts_group_of(path, &of) || of != group ||
			    (r > 0 && (!ts_fact_counts(facts, i) || seen_before(list, r, path))))
				continue;
			n++;
			if (r == 0)
				add_row(cli, view, facts, i, ts_show_text(path, &cli->arena));
			else
				add_job_absent(cli, view, path);
			if (ts_fact_counts(facts, i))
				add_ranks(cli, view, list, path);
		}
	}
	return n;
}

enum ts_status ts_render_facts_text(struct ts_cli *cli, const struct ts_fact_listing *list, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {
		{.key = "path", .least = 20}, {.key = "value", .least = 16}, {.key = "type"}, {.key = "source"}};
	struct ts_view view;
	size_t n = 0;

	/* All groups share one table, so that the columns are aligned. The groups follow each other in their order. */
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (int g = 0; g < TS_GROUPS; g++)
		n += add_group(cli, &view, list, (enum ts_group)g);
	if (n == 0) {
		ts_cli_say(cli,
			   list->glob.len ? "no recorded fact has a path like %.*s"
					  : "the run has no recorded facts%.*s",
			   TS_SPAN_ARG(list->glob));
		return TS_OK;
	}
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}
