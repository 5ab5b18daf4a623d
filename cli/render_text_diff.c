/* render_text_diff.c - what two runs differ in, for people: the sentence, the runs, facts by group, series, extent.
 *
 * Series of several ranks are one entry, at the rank that parts first; --all shows every one. Times and memory are one
 * line, because they always differ; --all lists them too.
 */
#include "cli/render.h"

#include "base/text.h"
#include "cli/grid.h"
#include "cli/show_value.h"

enum { FACTS_SHOWN = 24, SERIES_SHOWN = 16, NAMES_SHOWN = 8, TEXT_BEFORE = 12, TEXT_LONG = 40 };

/* A series over the ranks that it differs on. */
struct entry {
	const struct ts_series_row *row; /* of the rank that parts first */
	size_t more;			 /* other ranks */
};

static struct ts_span short_name(struct ts_span name)
{
	struct ts_span prefix = ts_span_str("scalars.");

	if (!ts_span_starts(name, prefix) || name.len == prefix.len)
		return name;
	return ts_span_of(name.data + prefix.len, name.len - prefix.len);
}

static enum ts_style verdict_style(enum ts_diff_verdict verdict)
{
	switch (verdict) {
	case TS_DIFF_SAME:
		return TS_STYLE_GREEN;
	case TS_DIFF_DIFFERENT:
		return TS_STYLE_RED;
	case TS_DIFF_INCONCLUSIVE:
		break;
	}
	return TS_STYLE_YELLOW;
}

static void sentence(struct ts_cli *cli, const struct ts_diff *diff)
{
	struct ts_buf safe = TS_BUF_INIT(1 << 16), wrapped = TS_BUF_INIT(1 << 16);
	enum ts_style style = verdict_style(diff->verdict);

	ts_escape(&safe, diff->reason);
	ts_buf_char(&safe, '\0');
	if (!safe.failed && cli->term.width)
		ts_wrap(&wrapped, (const char *)safe.data, cli->term.width, 0);
	else if (!safe.failed)
		ts_buf_printf(&wrapped, "%s\n", (const char *)safe.data);
	/* A pager ends a style with its line. */
	for (size_t at = 0; !wrapped.failed && at < wrapped.len;) {
		const uint8_t *end = memchr(wrapped.data + at, '\n', wrapped.len - at);
		size_t len = end ? (size_t)(end - wrapped.data) - at : wrapped.len - at;

		ts_style_on(&cli->out, &cli->term, style);
		ts_buf_bytes(&cli->out, wrapped.data + at, len);
		ts_style_off(&cli->out, &cli->term, style);
		ts_buf_char(&cli->out, '\n');
		at += len + 1;
	}
	ts_buf_finish(&safe);
	ts_buf_finish(&wrapped);
}

static enum ts_status runs(struct ts_cli *cli, const struct ts_diff *diff, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{NULL, TS_ALIGN_LEFT, 0}, {NULL, TS_ALIGN_LEFT, 8}, {NULL, TS_ALIGN_LEFT, 0},
		{NULL, TS_ALIGN_LEFT, 0}, {NULL, TS_ALIGN_LEFT, 0},
	};
	const struct ts_run_ref *sides[] = {&diff->a, &diff->b};
	struct ts_grid grid;

	ts_grid_init(&grid, columns, 5, &cli->arena);
	for (int i = 0; i < 2; i++) {
		const struct ts_run_ref *run = sides[i];
		const char *steps = ts_show_plural(run->steps, "step", &cli->arena);
		const char *range = run->steps ? ts_show_range(run->first_step, run->last_step, &cli->arena) : "none";

		ts_grid_text(&grid, TS_STYLE_DIM, i == 0 ? "a" : "b");
		ts_grid_span(&grid, TS_STYLE_PLAIN, run->own_name.len ? run->own_name : ts_span_str("-"));
		ts_grid_text(&grid, TS_STYLE_DIM, ts_show_id(&run->id, &cli->arena));
		ts_grid_text(&grid, TS_STYLE_PLAIN,
			     steps && range ? ts_arena_printf(&cli->arena, "%s (%s)", steps, range) : NULL);
		ts_grid_text(&grid, TS_STYLE_PLAIN, ts_show_plural(run->ranks, "rank", &cli->arena));
	}
	return ts_grid_print(&grid, &cli->term, 0, &cli->out, err);
}

/* A fact over the ranks that it differs on: rows of one path follow each other, the job's first. */
struct fact_entry {
	const struct ts_fact_row *row;
	size_t more;
};

static struct fact_entry *differing(struct ts_cli *cli, const struct ts_diff *diff, bool all, size_t *ret_n)
{
	struct fact_entry *entries = ts_arena_array(&cli->arena, diff->n_facts + 1, sizeof *entries);
	size_t n = 0;

	for (size_t i = 0; entries && i < diff->n_facts; i++) {
		if (!all && n && ts_span_eq(entries[n - 1].row->path, diff->facts[i].path))
			entries[n - 1].more++;
		else
			entries[n++] = (struct fact_entry){&diff->facts[i], 0};
	}
	*ret_n = n;
	return entries;
}

static const char *fact_path(const struct fact_entry *e, struct ts_arena *arena)
{
	const char *rank = e->row->rank == TS_RANK_JOB ? "" : ts_arena_printf(arena, " (rank %d)", e->row->rank);
	const char *more = e->more ? ts_arena_printf(arena, " (+%zu %s)", e->more, e->more == 1 ? "rank" : "ranks") : "";

	const char *path = ts_show_text(e->row->path, arena);

	return path && rank && more ? ts_arena_printf(arena, "%s%s%s", path, rank, more) : NULL;
}

static void fact_cells(struct ts_grid *grid, const struct fact_entry *e, struct ts_arena *arena)
{
	ts_grid_text(grid, TS_STYLE_PLAIN, fact_path(e, arena));
	ts_grid_text(grid, e->row->a ? TS_STYLE_RED : TS_STYLE_DIM, ts_show_fact(e->row->a, arena));
	ts_grid_text(grid, TS_STYLE_DIM, "->");
	ts_grid_text(grid, e->row->b ? TS_STYLE_GREEN : TS_STYLE_DIM, ts_show_fact(e->row->b, arena));
}

/* Where the line is too short for all columns the path has a line of its own, so that it is never cut. */
static enum ts_status fact_lines(struct ts_cli *cli, const struct fact_entry *entries, size_t n, struct ts_error *err)
{
	struct ts_arena *arena = &cli->arena;

	for (size_t i = 0; i < n; i++) {
		static const struct ts_grid_column columns[] = {
			{NULL, TS_ALIGN_LEFT, 8}, {NULL, TS_ALIGN_LEFT, 0}, {NULL, TS_ALIGN_LEFT, 8}};
		struct ts_grid grid, path;
		enum ts_status status;

		ts_grid_init(&path, columns, 1, arena);
		ts_grid_text(&path, TS_STYLE_PLAIN, fact_path(&entries[i], arena));
		status = ts_grid_print(&path, &cli->term, 2, &cli->out, err);
		ts_grid_init(&grid, columns, 3, arena);
		ts_grid_text(&grid, TS_STYLE_RED, ts_show_fact(entries[i].row->a, arena));
		ts_grid_text(&grid, TS_STYLE_DIM, "->");
		ts_grid_text(&grid, TS_STYLE_GREEN, ts_show_fact(entries[i].row->b, arena));
		if (!status)
			status = ts_grid_print(&grid, &cli->term, 6, &cli->out, err);
		if (status)
			return status;
	}
	return TS_OK;
}

/* Equal in print, different in type: 1 -> 1.0 explains itself, "1" -> 1 is quoted; nothing else prints alike. */
static enum ts_status facts(struct ts_cli *cli, const struct ts_diff *diff, struct ts_diff_view view,
			    struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{NULL, TS_ALIGN_LEFT, 0}, {NULL, TS_ALIGN_LEFT, 20}, {NULL, TS_ALIGN_LEFT, 0},
		{NULL, TS_ALIGN_LEFT, 20},
	};
	size_t n, shown;
	struct fact_entry *entries = differing(cli, diff, view.all, &n);
	struct ts_grid grid;
	enum ts_status status;

	if (!entries)
		return ts_arena_error(&cli->arena, err);
	if (n == 0) {
		ts_buf_str(&cli->out, "\nNo recorded fact differs.\n");
		return TS_OK;
	}
	shown = view.all || n <= FACTS_SHOWN ? n : FACTS_SHOWN;
	ts_text_heading(cli, "Facts that differ");
	ts_grid_init(&grid, columns, 4, &cli->arena);
	for (size_t i = 0; i < shown; i++)
		fact_cells(&grid, &entries[i], &cli->arena);
	if (ts_grid_fits(&grid, &cli->term, 2))
		status = ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
	else
		status = fact_lines(cli, entries, shown, err);
	if (shown < n)
		ts_buf_printf(&cli->out, "  and %zu more; --all shows them\n", n - shown);
	return status;
}

static bool gathered(const struct ts_series_row *row, struct entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (entries[i].row->type == row->type && ts_span_eq(entries[i].row->name, row->name)) {
			entries[i].more++;
			return true;
		}
	}
	return false;
}

/* The rows that part, ranks joined unless all is set; rows are in the order of first_step already. */
static struct entry *parting(struct ts_cli *cli, const struct ts_diff *diff, struct ts_diff_view view, size_t *ret_n)
{
	struct entry *entries = ts_arena_array(&cli->arena, diff->n_series + 1, sizeof *entries);
	size_t n = 0;

	for (size_t i = 0; entries && i < diff->n_series; i++) {
		const struct ts_series_row *row = &diff->series[i];

		if (row->state != TS_SERIES_PARTS || (row->role == TS_ROLE_OBSERVATION && !view.all))
			continue;
		if (view.first && n && row->first_step != entries[0].row->first_step)
			continue;
		if (view.all || !gathered(row, entries, n))
			entries[n++] = (struct entry){row, 0};
	}
	*ret_n = n;
	return entries;
}

/* Long texts are shown from a little before the place where they part. */
static const char *from_parting(const char *text, int column, struct ts_arena *arena)
{
	int start = column - TEXT_BEFORE;

	if (strlen(text) <= TEXT_LONG || start <= 0)
		return text;
	while (start > 0 && ((unsigned char)text[start] & 0xc0) == 0x80)
		start--;
	return ts_arena_printf(arena, "…%s", text + start);
}

static void empty_cells(struct ts_grid *grid, int n)
{
	for (int i = 0; i < n; i++)
		ts_grid_text(grid, TS_STYLE_PLAIN, "");
}

/* Columns in front of the place where they part: its bytes are those of a where it is not padding. */
static int caret(const char *a, const struct ts_parting *p)
{
	int bytes = p->column - p->pad_a;

	return bytes <= 0 ? p->column : p->pad_a + ts_text_width(ts_span_of(a, (size_t)bytes));
}

static const char *rank_of(int32_t rank, struct ts_arena *arena)
{
	return rank == TS_RANK_JOB ? "job" : ts_arena_printf(arena, "%d", rank);
}

static void entry_cells(struct ts_grid *grid, const struct entry *e, bool ranks, struct ts_arena *arena)
{
	const struct ts_series_row *row = e->row;
	const char *a = ts_show_cell_value(&row->a, arena), *b = ts_show_cell_value(&row->b, arena);
	const char *name = ts_show_text(short_name(row->name), arena);
	struct ts_parting p = {0, 0, 0};

	if (a && b) {
		p = ts_show_parting(a, b);
		if (p.column > TEXT_BEFORE && (strlen(a) > TEXT_LONG || strlen(b) > TEXT_LONG)) {
			a = from_parting(a, p.column, arena);
			b = from_parting(b, p.column, arena);
			p = a && b ? ts_show_parting(a, b) : p;
		}
	}
	ts_grid_text(grid, TS_STYLE_BOLD,
		     name ? ts_arena_printf(arena, "%s%s", name,
					    row->role == TS_ROLE_UNKNOWN ? " (unknown role)" : "")
			  : NULL);
	if (ranks)
		ts_grid_text(grid, TS_STYLE_PLAIN,
			     e->more ? ts_arena_printf(arena, "%s +%zu", rank_of(row->rank, arena), e->more)
				     : rank_of(row->rank, arena));
	ts_grid_text(grid, TS_STYLE_PLAIN, ts_show_step(row->first_step, arena));
	ts_grid_text(grid, TS_STYLE_PLAIN, a ? ts_arena_printf(arena, "a  %*s%s", p.pad_a, "", a) : NULL);
	empty_cells(grid, ranks ? 3 : 2);
	ts_grid_text(grid, TS_STYLE_PLAIN, b ? ts_arena_printf(arena, "b  %*s%s", p.pad_b, "", b) : NULL);
	empty_cells(grid, ranks ? 3 : 2);
	ts_grid_text(grid, TS_STYLE_RED, ts_arena_printf(arena, "   %*s^", a ? caret(a, &p) : 0, ""));
}

static enum ts_status series(struct ts_cli *cli, const struct ts_diff *diff, struct ts_diff_view view,
			     struct ts_error *err)
{
	/* With one rank on both sides there is nothing to say about ranks; "0 +2" is rank 0, then two more. */
	static const struct ts_grid_column with[] = {
		{"series", TS_ALIGN_LEFT, 12}, {"rank +more", TS_ALIGN_LEFT, 0}, {"step", TS_ALIGN_RIGHT, 0},
		{"values there", TS_ALIGN_LEFT, 24},
	};
	static const struct ts_grid_column without[] = {
		{"series", TS_ALIGN_LEFT, 12}, {"step", TS_ALIGN_RIGHT, 0}, {"values there", TS_ALIGN_LEFT, 24}};
	bool ranks = diff->a.ranks > 1 || diff->b.ranks > 1;
	struct ts_grid grid;
	enum ts_status status;
	size_t n, shown;
	struct entry *entries = parting(cli, diff, view, &n);

	if (!entries)
		return ts_arena_error(&cli->arena, err);
	if (n == 0)
		return TS_OK;
	shown = view.all || n <= SERIES_SHOWN ? n : SERIES_SHOWN;
	ts_text_heading(cli, "First step where bits differ, by series");
	ts_grid_init(&grid, ranks ? with : without, ranks ? 4 : 3, &cli->arena);
	for (size_t i = 0; i < shown; i++)
		entry_cells(&grid, &entries[i], ranks, &cli->arena);
	status = ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
	if (shown < n)
		ts_buf_printf(&cli->out, "  and %zu more; --all shows them\n", n - shown);
	return status;
}

static bool same_entry(const struct ts_series_row *x, const struct ts_series_row *y)
{
	return ts_span_eq(x->name, y->name) && x->other_types == y->other_types && (!x->other_types || x->type == y->type);
}

/* "mood", and where the other side has it as something else why no step of it was compared: "mood (f64; text in b)". */
static const char *lone_name(const struct ts_series_row *row, struct ts_arena *arena)
{
	const char *text = ts_show_text(short_name(row->name), arena), *lead = "";

	if (!row->other_types)
		return text;
	text = text ? ts_arena_printf(arena, "%s (%s; ", text, ts_column_type_word(row->type)) : NULL;
	for (unsigned t = TS_COLUMN_F64; t <= TS_COLUMN_JSON && text; t++) {
		if (!(row->other_types >> t & 1))
			continue;
		text = ts_arena_printf(arena, "%s%s%s", text, lead, ts_column_type_word((enum ts_column_type)t));
		lead = " and ";
	}
	return text ? ts_arena_printf(arena, "%s in %s)", text, row->state == TS_SERIES_ONLY_A ? "b" : "a") : NULL;
}

/* "phases.forward, memory.alloc and 3 more": each name once, of the rows in that state. NULL when there are none. */
static const char *names_in(struct ts_cli *cli, const struct ts_diff *diff, enum ts_series_state state,
			    bool observation, bool all)
{
	const struct ts_series_row **names = ts_arena_array(&cli->arena, diff->n_series + 1, sizeof *names);
	const char *text = "";
	size_t n = 0, shown;

	for (size_t i = 0; names && i < diff->n_series; i++) {
		const struct ts_series_row *row = &diff->series[i];
		size_t k = n;

		if (row->state != state || (row->role == TS_ROLE_OBSERVATION) != observation)
			continue;
		/* Ranks of one series follow each other more often than not. */
		while (k > 0 && !same_entry(names[k - 1], row))
			k--;
		if (k == 0)
			names[n++] = row;
	}
	shown = all || n <= NAMES_SHOWN ? n : NAMES_SHOWN;
	for (size_t i = 0; i < shown && text; i++) {
		const char *name = lone_name(names[i], &cli->arena);

		text = name ? ts_arena_printf(&cli->arena, "%s%s%s", text, i ? ", " : "", name) : NULL;
	}
	if (n > shown && text)
		text = ts_arena_printf(&cli->arena, "%s and %zu more", text, n - shown);
	return n ? text : NULL;
}

static void field_if(struct ts_cli *cli, const char *name, const char *value)
{
	if (value)
		ts_text_field(cli, name, value);
}

static const char *steps_of(struct ts_cli *cli, uint64_t n, int64_t first, int64_t last)
{
	const char *count = ts_show_plural(n, "step", &cli->arena);
	const char *range = ts_show_range(first, last, &cli->arena);

	return n && count && range ? ts_arena_printf(&cli->arena, "%s (%s)", count, range) : NULL;
}

static const char *ranks_of(struct ts_cli *cli, const int32_t *ranks, size_t n)
{
	const char *text = n ? ts_show_ranks(ranks, n, n, &cli->arena) : NULL;

	return text ? ts_arena_printf(&cli->arena, "%s %s", n == 1 ? "rank" : "ranks", text) : NULL;
}

/* What one side has and the other has not, one line a thing. */
static void extent(struct ts_cli *cli, const struct ts_diff *diff, bool all)
{
	const char *lines[] = {
		steps_of(cli, diff->steps_only_a, diff->only_a_first, diff->only_a_last),
		ranks_of(cli, diff->ranks_only_a, diff->n_ranks_only_a),
		names_in(cli, diff, TS_SERIES_ONLY_A, false, all),
		names_in(cli, diff, TS_SERIES_ONLY_A, true, all),
		steps_of(cli, diff->steps_only_b, diff->only_b_first, diff->only_b_last),
		ranks_of(cli, diff->ranks_only_b, diff->n_ranks_only_b),
		names_in(cli, diff, TS_SERIES_ONLY_B, false, all),
		names_in(cli, diff, TS_SERIES_ONLY_B, true, all),
	};
	const char *disjoint = names_in(cli, diff, TS_SERIES_DISJOINT, false, all);
	bool any = disjoint != NULL;

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		any |= lines[i] != NULL;
	if (!any)
		return;
	ts_text_heading(cli, "Only on one side");
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		field_if(cli, i < 4 ? "  only a" : "  only b", lines[i]);
	field_if(cli, "  apart", disjoint ? ts_arena_printf(&cli->arena, "no step in common: %s", disjoint) : NULL);
}

/* Events of a pipeline of which one side has more; what both have agrees. */
static const char *more_events(struct ts_cli *cli, const struct ts_diff *diff)
{
	for (size_t i = 0; i < diff->n_series; i++) {
		const struct ts_series_row *row = &diff->series[i];

		if (row->state == TS_SERIES_EXTENT && ts_span_starts(row->name, ts_span_str("pipeline[].")))
			return ts_arena_printf(&cli->arena, "of the pipeline: %s in a, %s in b",
					       ts_show_count(row->steps_a, &cli->arena),
					       ts_show_count(row->steps_b, &cli->arena));
	}
	return NULL;
}

static void same(struct ts_cli *cli, const struct ts_diff *diff, struct ts_diff_view view)
{
	const char *costs = view.all ? NULL : names_in(cli, diff, TS_SERIES_PARTS, true, false);
	const char *agree = names_in(cli, diff, TS_SERIES_EXTENT, false, view.all);
	const char *count = ts_show_count(diff->n_same, &cli->arena);

	ts_buf_char(&cli->out, '\n');
	field_if(cli, "agree", agree ? ts_arena_printf(&cli->arena, "on all common steps: %s", agree) : NULL);
	field_if(cli, "costs", costs ? ts_arena_printf(&cli->arena, "differ and do not decide: %s", costs) : NULL);
	field_if(cli, "events", more_events(cli, diff));
	if (count)
		ts_text_field(cli, "same", ts_arena_printf(&cli->arena, "%s series", diff->n_same ? count : "no"));
}

enum ts_status ts_render_diff_text(struct ts_cli *cli, const struct ts_diff *diff, struct ts_diff_view view,
				   struct ts_error *err)
{
	enum ts_status status;

	sentence(cli, diff);
	status = runs(cli, diff, err);
	if (!status && !view.first)
		status = facts(cli, diff, view, err);
	if (!status)
		status = series(cli, diff, view, err);
	if (status || view.first)
		return status;
	extent(cli, diff, view.all);
	same(cli, diff, view);
	return TS_OK;
}
