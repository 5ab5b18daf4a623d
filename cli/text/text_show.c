/* text_show.c - what a run is, as text. */
#include "cli/text/text_show.h"

#include "cli/core/listing.h"
#include "cli/text/grid.h"
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "cli/text/text_resume.h"
#include "run/role.h"

static const char *group_counts(struct ts_cli *cli, const struct ts_facts *facts)
{
	size_t counts[TS_GROUPS];
	const char *text = "";

	ts_facts_by_group(facts, counts);
	for (int g = 0; g < TS_GROUPS && text; g++)
		if (counts[g])
			text = ts_arena_printf(&cli->arena, "%s%s%s %zu", text, *text ? ", " : "",
					       ts_group_name((enum ts_group)g), counts[g]);
	return text && !*text ? "none" : text;
}

/* Joins our own words and a foreign word. Returns NULL if the arena is full. */
static const char *joined(struct ts_cli *cli, const char *a, const char *b, const char *c, const char *d,
			  struct ts_span foreign)
{
	const char *safe = ts_show_text(foreign, &cli->arena);

	return a && safe ? ts_arena_printf(&cli->arena, "%s%s%s%s%s", a, b, c, d, safe) : NULL;
}

static const char *names_of(struct ts_cli *cli, const struct ts_get_reply *run)
{
	const char *text = "";

	for (size_t i = 0; i < run->n_names && text; i++)
		text = joined(cli, text, i ? ", " : "", ts_ref_word(run->names[i].kind), " ", run->names[i].name);
	return text && !*text ? "none" : text;
}

static enum ts_status columns_grid(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"series", TS_ALIGN_LEFT, 14},	{"role", TS_ALIGN_LEFT, 5},    {"type", TS_ALIGN_LEFT, 0},
		{"ranks", TS_ALIGN_RIGHT, 0}, {"rows", TS_ALIGN_RIGHT, 0}, {"steps", TS_ALIGN_LEFT, 0},
	};
	struct ts_grid grid;

	if (run->n_columns == 0) {
		ts_buf_str(&cli->out, "\nThe run has no series.\n");
		return TS_OK;
	}
	ts_buf_char(&cli->out, '\n');
	ts_grid_init(&grid, columns, 6, &cli->arena);
	for (size_t i = 0; i < run->n_columns; i++) {
		const struct ts_column_info *c = &run->columns[i];
		bool steps = c->table == TS_TABLE_STEPS;

		ts_grid_text(&grid, TS_STYLE_PLAIN,
			     steps ? ts_show_text(c->name, &cli->arena)
				   : joined(cli, "(", ts_table_word(c->table), ") ", "", c->name));
		ts_grid_text(&grid, TS_STYLE_PLAIN, ts_role_name(c->role));
		ts_grid_text(&grid, TS_STYLE_PLAIN, ts_column_type_word(c->type));
		ts_grid_text(&grid, TS_STYLE_PLAIN, ts_show_count(c->ranks, &cli->arena));
		ts_grid_text(&grid, TS_STYLE_PLAIN, ts_show_count(c->rows_all, &cli->arena));
		ts_grid_text(&grid, TS_STYLE_PLAIN,
			     !steps || c->rows == 0 ? "" : ts_show_range(c->first_key, c->last_key, &cli->arena));
	}
	return ts_grid_print(&grid, &cli->term, 0, &cli->out, err);
}

/* Six digits are enough for people; JSON has all of them. */
static void add_number(struct ts_cli *cli, struct ts_grid *grid, bool known, double v)
{
	ts_grid_text(grid, known ? TS_STYLE_PLAIN : TS_STYLE_DIM, known ? ts_show_rounded(v, &cli->arena) : "-");
}

static void add_metric(struct ts_cli *cli, struct ts_grid *grid, const struct ts_column_info *c, bool nonfinite)
{
	const struct ts_column_metric *m = &c->metric;

	ts_grid_text(grid, TS_STYLE_PLAIN, ts_show_text(ts_column_said(c->name), &cli->arena));
	add_number(cli, grid, m->has_values, m->last);
	add_number(cli, grid, m->has_best, m->best);
	ts_grid_text(grid, m->has_best ? TS_STYLE_PLAIN : TS_STYLE_DIM, m->has_best ? ts_show_step(m->best_step, &cli->arena) : "-");
	add_number(cli, grid, m->has_mean, m->mean);
	add_number(cli, grid, m->has_values, m->min);
	add_number(cli, grid, m->has_values, m->max);
	if (nonfinite)
		ts_grid_text(grid, m->nonfinite ? TS_STYLE_PLAIN : TS_STYLE_DIM, ts_show_count(m->nonfinite, &cli->arena));
}

/* The mean of wall-clock times says nothing to people. */
static bool is_shown(const struct ts_column_info *c)
{
	return c->has_metric && !ts_span_is(c->name, "timestamp");
}

static enum ts_status metrics_grid(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"metric", TS_ALIGN_LEFT, 14},	  {"last", TS_ALIGN_RIGHT, 0}, {"best", TS_ALIGN_RIGHT, 0},
		{"at step", TS_ALIGN_RIGHT, 0},	  {"mean", TS_ALIGN_RIGHT, 0}, {"min", TS_ALIGN_RIGHT, 0},
		{"max", TS_ALIGN_RIGHT, 0},	  {"NaN or inf", TS_ALIGN_RIGHT, 0},
	};
	bool nonfinite = false;
	struct ts_grid grid;
	size_t n = 0;

	for (size_t i = 0; i < run->n_columns; i++) {
		n += is_shown(&run->columns[i]);
		nonfinite |= is_shown(&run->columns[i]) && run->columns[i].metric.nonfinite;
	}
	if (n == 0)
		return TS_OK;
	ts_buf_char(&cli->out, '\n');
	ts_grid_init(&grid, columns, nonfinite ? 8 : 7, &cli->arena);
	for (size_t i = 0; i < run->n_columns; i++)
		if (is_shown(&run->columns[i]))
			add_metric(cli, &grid, &run->columns[i], nonfinite);
	return ts_grid_print(&grid, &cli->term, 0, &cli->out, err);
}

static enum ts_status files_grid(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"file", TS_ALIGN_LEFT, 16}, {"rank", TS_ALIGN_LEFT, 0}, {"size", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	if (run->n_files == 0)
		return TS_OK;
	ts_buf_char(&cli->out, '\n');
	ts_grid_init(&grid, columns, 3, &cli->arena);
	for (size_t i = 0; i < run->n_files; i++) {
		ts_grid_span(&grid, TS_STYLE_PLAIN, run->files[i].name);
		ts_grid_text(&grid, TS_STYLE_PLAIN,
			     run->files[i].rank == TS_RANK_JOB ? "job" : ts_show_step(run->files[i].rank, &cli->arena));
		ts_grid_text(&grid, TS_STYLE_PLAIN, ts_show_bytes((double)run->files[i].size, &cli->arena));
	}
	return ts_grid_print(&grid, &cli->term, 0, &cli->out, err);
}

/* Says "default/base, resumed at step 500; 3 of 8 blocks ...". */
static const char *lineage_of(struct ts_cli *cli, const struct ts_lineage *l)
{
	const char *name = ts_show_text(l->parent, &cli->arena), *shared = ts_show_lineage(l, &cli->arena);
	const char *at = l->has_step ? ts_arena_printf(&cli->arena, ", resumed at step %s", ts_show_step(l->step, &cli->arena)) : "";

	return name && at && shared ? ts_arena_printf(&cli->arena, "%s%s; %s", name, at, shared) : NULL;
}

static const char *ended(struct ts_cli *cli, const struct ts_ending *ending)
{
	if (ending->sentence.len)
		return ts_show_text(ending->sentence, &cli->arena);
	return ending->state == TS_END_FINISHED ? "finished" : "not known: nothing that was recorded says it";
}

/* Rows of events that have this column, over all ranks. */
static uint64_t events_with(const struct ts_get_reply *run, const char *name)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < run->n_columns; i++)
		if (run->columns[i].table == TS_TABLE_EVENTS && ts_span_is(run->columns[i].name, name))
			rows += run->columns[i].rows_all;
	return rows;
}

/* "4, and 240 regions; tscope analyze lists those that matter"; NULL: it recorded none. */
static const char *events_of(struct ts_cli *cli, const struct ts_get_reply *run)
{
	uint64_t all = events_with(run, "name"), regions = events_with(run, "duration");
	const char *events = ts_show_count(all > regions ? all - regions : 0, &cli->arena);
	const char *more = regions ? ts_show_plural(regions, "region", &cli->arena) : "";

	if (all <= regions || !events || !more)
		return NULL;
	return ts_arena_printf(&cli->arena, "%s%s%s; tscope analyze lists those that matter", events, regions ? ", and " : "", more);
}

enum ts_status ts_render_show_text(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_head *head,
				   struct ts_error *err)
{
	const struct ts_run_ref *ref = &run->run;
	struct ts_arena *arena = &cli->arena;
	const char *steps = ts_show_count(ref->steps, arena);
	const char *range = ref->steps ? ts_show_range(ref->first_step, ref->last_step, arena) : NULL;
	enum ts_status status;

	if (!steps)
		return ts_arena_error(arena, err);
	ts_text_field(cli, "id", ts_show_hex(&ref->id, arena));
	ts_text_field(cli, "own name",
		      ref->own_name.len ? ts_show_text(ref->own_name, arena) : "not recorded");
	ts_text_field(cli, "names", names_of(cli, run));
	ts_text_field(cli, "ended", ended(cli, &run->ending));
	ts_text_field(cli, "steps", range ? ts_arena_printf(arena, "%s (%s)", steps, range) : "none");
	ts_text_field(cli, "ranks", ts_show_count(ref->ranks, arena));
	if (events_of(cli, run))
		ts_text_field(cli, "events", events_of(cli, run));
	if (run->n_missing)
		ts_text_field(cli, "missing", ts_arena_printf(arena, "%s %s", run->n_missing == 1 ? "rank" : "ranks",
				ts_show_ranks(run->missing_ranks, run->n_missing < 64 ? run->n_missing : 64,
					      run->n_missing, arena)));
	if (run->lineage.named)
		ts_text_field(cli, "parent", lineage_of(cli, &run->lineage));
	ts_text_field(cli, "facts", group_counts(cli, &head->facts));
	for (size_t i = 0; i < run->n_notes; i++)
		ts_text_field(cli, i ? "" : "notes",
			      joined(cli, ts_show_text(run->notes[i].key, arena), " = ", "", "", run->notes[i].value));
	status = columns_grid(cli, run, err);
	if (!status)
		status = metrics_grid(cli, run, err);
	return status ? status : files_grid(cli, run, err);
}
