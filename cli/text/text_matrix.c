/* text_matrix.c - the first steps at which each two of several runs differ: a matrix where it fits, else groups.
 *
 * Runs are called what they call themselves, as in a diff of two; their number stands in front, since names may repeat. Where the
 * names do not fit above the columns the numbers do.
 */
#include "cli/text/text_matrix.h"

#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "run/role.h"

/* A wider matrix is hard to read, whatever the width of the terminal. */
enum { MATRIX_MOST = 32, NAME_LEAST = 8, ENDINGS_SHOWN = 8 };

static const char *name_of(const struct ts_run_ref *run, struct ts_arena *arena)
{
	return run->own_name.len ? ts_show_text(run->own_name, arena) : ts_show_id(&run->id, arena);
}

static const char *two_names(struct ts_cli *cli, const struct ts_diff_matrix *m, size_t a, size_t b)
{
	const char *x = name_of(&m->runs[a], &cli->arena), *y = name_of(&m->runs[b], &cli->arena);

	return x && y ? ts_arena_printf(&cli->arena, "%zu %s and %zu %s", a + 1, x, b + 1, y) : NULL;
}

static const char *say_parts(struct ts_cli *cli, const struct ts_diff_matrix *m, const struct ts_matrix_tally *t)
{
	const char *first = two_names(cli, m, t->first_a, t->first_b), *last = two_names(cli, m, t->last_a, t->last_b);
	const char *pairs = ts_show_count(t->pairs, &cli->arena), *parts = ts_show_count(t->parts, &cli->arena);

	if (!first || !last || !pairs || !parts)
		return NULL;
	if (t->parts == 1)
		return ts_arena_printf(&cli->arena, "1 of %s pairs of runs differs, first at step %" PRId64 ": %s",
				       pairs, t->first_step, first);
	if (t->first_step == t->last_step)
		return ts_arena_printf(&cli->arena, "%s of %s pairs of runs differ, all of them first at step %" PRId64,
				       parts, pairs, t->first_step);
	return ts_arena_printf(&cli->arena,
			       "%s of %s pairs of runs differ: the earliest pair from step %" PRId64
			       " on (%s), the latest "
			       "from step %" PRId64 " on (%s)",
			       parts, pairs, t->first_step, first, t->last_step, last);
}

static const char *sentence_of(struct ts_cli *cli, const struct ts_diff_matrix *m, const struct ts_matrix_tally *t)
{
	switch (t->verdict) {
	case TS_DIFF_SAME:
		return ts_arena_printf(&cli->arena, "All %zu runs computed the same, bit for bit", m->n);
	case TS_DIFF_DIFFERENT:
		return say_parts(cli, m, t);
	case TS_DIFF_INCONCLUSIVE:
		break;
	}
	return ts_arena_printf(&cli->arena,
			       "No common step of two runs differs, but in %zu of %zu pairs the runs do not have the "
			       "same steps, series or ranks",
			       t->pairs - t->same, t->pairs);
}

static enum ts_style state_style(enum ts_pair_state state)
{
	if (state == TS_PAIR_SAME)
		return TS_STYLE_GREEN;
	return state == TS_PAIR_PARTS ? TS_STYLE_RED : TS_STYLE_YELLOW;
}

static enum ts_status sentence(struct ts_cli *cli, const struct ts_diff_matrix *m, const struct ts_matrix_tally *t,
			       struct ts_error *err)
{
	static const enum ts_pair_state colours[] = {
		[TS_DIFF_SAME] = TS_PAIR_SAME, [TS_DIFF_DIFFERENT] = TS_PAIR_PARTS, [TS_DIFF_INCONCLUSIVE] = TS_PAIR_APART};
	static const struct ts_view_column columns[] = {TS_LEFT(NULL, 0)};
	const char *text = sentence_of(cli, m, t);
	struct ts_buf wrapped = TS_BUF_INIT(1 << 16);
	struct ts_view view;
	enum ts_status status;

	if (!text)
		return ts_arena_error(&cli->arena, err);
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	if (cli->term.width)
		ts_wrap(&wrapped, text, cli->term.width, 0);
	else
		ts_buf_printf(&wrapped, "%s\n", text);
	/* A pager ends a style at the end of the line, so each line sets the style again. */
	for (size_t at = 0; !wrapped.failed && at < wrapped.len;) {
		const uint8_t *end = memchr(wrapped.data + at, '\n', wrapped.len - at);
		size_t len = end ? (size_t)(end - wrapped.data) - at : wrapped.len - at;
		struct ts_span line = ts_arena_span(&cli->arena, ts_span_of(wrapped.data + at, len));

		if (line.data)
			ts_view_span(&view, state_style(colours[t->verdict]), line);
		at += len + 1;
	}
	status = ts_buf_check(&wrapped, err);
	ts_buf_finish(&wrapped);
	return status ? status : ts_view_print(&view, &cli->term, 0, &cli->out, err);
}

static enum ts_status runs(struct ts_cli *cli, const struct ts_diff_matrix *m, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {{.key = "number", .align = TS_ALIGN_RIGHT},
							{.key = "name", .least = NAME_LEAST},
							{.key = "id"},
							{.key = "steps"},
							{.key = "ranks"}};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_run_ref *run = &m->runs[i];
		const char *steps = ts_show_plural(run->steps, "step", &cli->arena);
		const char *range = run->steps ? ts_show_range(run->first_step, run->last_step, &cli->arena) : "none";

		ts_view_row(&view, NULL);
		ts_view_set(&view, "number", TS_STYLE_DIM, ts_show_count(i + 1, &cli->arena));
		ts_view_set_span(&view, "name", TS_STYLE_PLAIN, run->own_name.len ? run->own_name : ts_span_str("-"));
		ts_view_set(&view, "id", TS_STYLE_DIM, ts_show_id(&run->id, &cli->arena));
		ts_view_lead(&view, "id", ts_show_link("r/", &run->id, &cli->arena));
		ts_view_set(&view, "steps", TS_STYLE_PLAIN,
			    steps && range ? ts_arena_printf(&cli->arena, "%s (%s)", steps, range) : NULL);
		ts_view_set(&view, "ranks", TS_STYLE_PLAIN, ts_show_plural(run->ranks, "rank", &cli->arena));
	}
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}

/* Says how runs ended that are not known to have finished by themselves. */
static enum ts_status endings(struct ts_cli *cli, const struct ts_diff_matrix *m, bool all, struct ts_error *err)
{
	size_t said = 0, more = 0;

	for (size_t i = 0; i < m->n_endings; i++) {
		const struct ts_run_ref *run = &m->runs[i];
		struct ts_span name = run->own_name.len ? run->own_name : ts_span_str(ts_show_id(&run->id, &cli->arena));
		const char *text = ts_arena_printf(&cli->arena, "%zu %.*s: %.*s", i + 1, TS_SPAN_ARG(name),
						   TS_SPAN_ARG(m->endings[i].sentence));

		if (!m->endings[i].sentence.len)
			continue;
		if (!text)
			return ts_arena_error(&cli->arena, err);
		if (!all && said == ENDINGS_SHOWN) {
			more++;
			continue;
		}
		ts_text_wrapped(cli, TS_STYLE_BOLD, 0, text);
		said++;
	}
	if (more)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0,
				ts_arena_printf(&cli->arena, "%zu more %s not known to have finished; --all shows them", more,
						more == 1 ? "is" : "are"));
	return TS_OK;
}

static void pair_cell(struct ts_cli *cli, struct ts_view *view, const struct ts_pair *pair)
{
	ts_view_text(view, state_style(pair->state),
		     pair->state == TS_PAIR_PARTS ? ts_show_step(pair->step, &cli->arena) : ts_pair_word(pair->state));
}

/* names: the columns are headed by names, not by numbers. */
static void fill_matrix(struct ts_cli *cli, const struct ts_diff_matrix *m, bool names, struct ts_view_column *columns,
			struct ts_view *view)
{
	struct ts_arena *arena = &cli->arena;

	columns[0] = (struct ts_view_column)TS_RIGHT(NULL);
	columns[1] = (struct ts_view_column)TS_LEFT(NULL, names ? 0 : NAME_LEAST);
	for (size_t i = 0; i < m->n; i++)
		columns[i + 2] = (struct ts_view_column)TS_RIGHT(names ? name_of(&m->runs[i], arena) : ts_show_count(i + 1, arena));
	ts_view_init(view, columns, m->n + 2, arena);
	for (size_t i = 0; i < m->n; i++) {
		ts_view_text(view, TS_STYLE_DIM, ts_show_count(i + 1, arena));
		ts_view_text(view, TS_STYLE_BOLD, name_of(&m->runs[i], arena));
		for (size_t j = 0; j < m->n; j++)
			if (i == j)
				ts_view_text(view, TS_STYLE_DIM, ".");
			else
				pair_cell(cli, view, ts_matrix_pair(m, i, j));
	}
}

/* Explains only the words that were used. */
static void legend(struct ts_cli *cli, const struct ts_diff_matrix *m)
{
	static const struct {
		enum ts_pair_state state;
		const char *means;
	} rows[] = {
		{TS_PAIR_EXTENT, "common steps agree, but one run has steps, series or ranks that the other lacks"},
		{TS_PAIR_COLUMNS, "the trajectory is the same, but a series of unknown role differs"},
		{TS_PAIR_APART, "the two runs have no common step of a trajectory"},
	};

	bool any = false;

	for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
		for (size_t p = 0; p < m->n * (m->n - 1) / 2; p++)
			if (m->pairs[p].state == rows[k].state) {
				ts_buf_str(&cli->out, any ? "" : "\n");
				ts_text_field(cli, ts_pair_word(rows[k].state), rows[k].means);
				any = true;
				break;
			}
}

/* Says which series of two names are compared as one. */
static enum ts_status names(struct ts_cli *cli, const struct ts_diff_matrix *m, struct ts_error *err)
{
	for (size_t i = 0; i < m->n_aliases; i++) {
		const char *a = ts_show_text(ts_column_said(m->aliases[i].a), &cli->arena);
		const char *b = ts_show_text(ts_column_said(m->aliases[i].b), &cli->arena);
		const char *text = NULL;

		if (a && b)
			text = ts_arena_printf(&cli->arena, "%s of one run and %s of another are compared as one series", a, b);
		if (!text)
			return ts_arena_error(&cli->arena, err);
		if (i == 0)
			ts_buf_str(&cli->out, "\n");
		ts_text_field(cli, "names", text);
	}
	return TS_OK;
}

static bool is_better(const struct ts_pair *pair, const struct ts_pair *than)
{
	static const int order[] = {[TS_PAIR_SAME] = 0,	  [TS_PAIR_COLUMNS] = 1, [TS_PAIR_EXTENT] = 2,
				    [TS_PAIR_PARTS] = 3, [TS_PAIR_APART] = 4};

	if (pair->state != than->state)
		return order[pair->state] < order[than->state];
	return pair->state == TS_PAIR_PARTS && pair->step > than->step;
}

struct grouping {
	size_t *of; /* for each run, the number of its group */
	size_t n;
};

/* Returns the first run of the group. *ret_size is the number of its runs. */
static size_t head_of(const struct grouping *g, size_t n, size_t group, size_t *ret_size)
{
	size_t first = n;

	*ret_size = 0;
	for (size_t i = 0; i < n; i++) {
		first = g->of[i] == group && first == n ? i : first;
		*ret_size += g->of[i] == group;
	}
	return first;
}

static const char *members(struct ts_cli *cli, const struct ts_diff_matrix *m, const struct grouping *g, size_t group, bool all)
{
	const char *text = "";
	size_t shown = 0, size;

	(void)head_of(g, m->n, group, &size);
	for (size_t i = 0; text && i < m->n && (all || shown < 8); i++) {
		const char *name = g->of[i] == group ? name_of(&m->runs[i], &cli->arena) : NULL;

		if (g->of[i] != group)
			continue;
		text = name ? ts_arena_printf(&cli->arena, "%s%s%zu %s", text, shown ? ", " : "", i + 1, name) : NULL;
		shown++;
	}
	return text && shown < size ? ts_arena_printf(&cli->arena, "%s and %zu more", text, size - shown) : text;
}

/* Finds the group that agrees with this one for the longest time. */
static size_t nearest(const struct ts_diff_matrix *m, const struct grouping *g, size_t group, const struct ts_pair **ret_pair)
{
	size_t size, head = head_of(g, m->n, group, &size), best = group;
	const struct ts_pair *found = NULL;

	for (size_t other = 0; other < g->n; other++) {
		const struct ts_pair *pair = other == group ? NULL : ts_matrix_pair(m, head, head_of(g, m->n, other, &size));

		if (pair && (!found || is_better(pair, found))) {
			found = pair;
			best = other;
		}
	}
	*ret_pair = found;
	return best;
}

static enum ts_status groups(struct ts_cli *cli, const struct ts_diff_matrix *m, bool all, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_RIGHT("group"), TS_RIGHT("nearest"), TS_RIGHT("differs at"),
							TS_LEFT("runs", 20)};
	struct grouping g;
	struct ts_view view;

	if (!ts_matrix_groups(m, &cli->arena, &g.of, &g.n))
		return ts_arena_error(&cli->arena, err);
	ts_text_heading(cli, "Groups of runs that are the same");
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t k = 0; k < g.n; k++) {
		const struct ts_pair *pair = NULL;
		size_t other = nearest(m, &g, k, &pair);

		ts_view_text(&view, TS_STYLE_DIM, ts_show_count(k + 1, &cli->arena));
		ts_view_text(&view, TS_STYLE_DIM, pair ? ts_show_count(other + 1, &cli->arena) : "-");
		if (pair)
			pair_cell(cli, &view, pair);
		else
			ts_view_text(&view, TS_STYLE_DIM, "-");
		ts_view_text(&view, TS_STYLE_PLAIN, members(cli, m, &g, k, all));
	}
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

enum ts_status ts_render_matrix_text(struct ts_cli *cli, const struct ts_diff_matrix *m, bool all, struct ts_error *err)
{
	struct ts_view_column columns[MATRIX_MOST + 2];
	struct ts_matrix_tally tally = ts_matrix_count(m);
	struct ts_view view;
	bool fits = false;
	enum ts_status status = sentence(cli, m, &tally, err);

	for (int numbers = 0; !status && !fits && numbers < 2 && m->n <= MATRIX_MOST; numbers++) {
		fill_matrix(cli, m, !numbers, columns, &view);
		fits = ts_view_fits(&view, &cli->term, 2);
	}
	/* The rows of a matrix name the runs. If the heads are numbers, or there is no matrix, the runs are listed. */
	if (!status)
		status = runs(cli, m, err);
	if (!status)
		status = endings(cli, m, all, err);
	if (!status && fits) {
		ts_text_heading(cli, "First step at which each pair differs");
		status = ts_view_print(&view, &cli->term, 2, &cli->out, err);
	} else if (!status) {
		status = groups(cli, m, all, err);
	}
	if (!status)
		legend(cli, m);
	return status ? status : names(cli, m, err);
}
