/* text_list.c - a page of runs, tags or branches as a table. */
#include "cli/text/text_list.h"

#include "base/clock.h"
#include "cli/core/context.h"
#include "cli/core/listing.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "run/ending.h"
#include "run/score.h"

static bool is_time(struct ts_span column)
{
	return ts_span_is(column, "pushed") || ts_span_is(column, "started");
}

static bool is_metric(struct ts_span column)
{
	struct ts_span series;
	enum ts_stat stat;

	return ts_metric_split(column, &series, &stat);
}

/* A time is RFC 3339 text. In a table, minutes are precise enough. */
static const char *short_time(const struct ts_fact *value, struct ts_arena *arena)
{
	int64_t ns;

	if (value->type != TS_FACT_TEXT || !ts_time_parse(value->text, &ns))
		return ts_show_fact(value, arena);
	return ts_show_minute(ns, arena);
}

static struct ts_span without_project(const struct ts_listing *list, struct ts_span name)
{
	size_t n = list->project.len;

	if (n && name.len > n + 1 && ts_span_starts(name, list->project) && name.data[n] == '/')
		return ts_span_of(name.data + n + 1, name.len - n - 1);
	return name;
}

const char *ts_list_cell_text(const struct ts_listing *list, const struct ts_list_row *row, size_t column, struct ts_arena *arena)
{
	const struct ts_list_cell *cell = &row->cells[column];
	struct ts_span name = list->columns[column];

	if (ts_span_is(name, "name"))
		return ts_show_text(without_project(list, row->name), arena);
	if (ts_span_is(name, "id"))
		return ts_show_id(&row->id, arena);
	if (!cell->known)
		return "-";
	if (is_metric(name) && cell->value.type == TS_FACT_FLOAT)
		return ts_show_rounded(cell->value.real, arena);
	return is_time(name) ? short_time(&cell->value, arena) : ts_show_fact(&cell->value, arena);
}

static bool has_failed(const struct ts_list_cell *state)
{
	enum ts_end_state end;

	return state->known && state->value.type == TS_FACT_TEXT && ts_end_state_of(state->value.text, &end) &&
	       (end == TS_END_CRASHED || end == TS_END_KILLED);
}

static enum ts_style style_of(const struct ts_listing *list, const struct ts_list_row *row, size_t c)
{
	if (ts_span_is(list->columns[c], "name"))
		return TS_STYLE_BOLD;
	if (ts_span_is(list->columns[c], "state") && has_failed(&row->cells[c]))
		return TS_STYLE_RED;
	return ts_span_is(list->columns[c], "id") || !row->cells[c].known ? TS_STYLE_DIM : TS_STYLE_PLAIN;
}

bool ts_list_is_numeric(const struct ts_listing *list, size_t column)
{
	for (size_t r = 0; r < list->n; r++) {
		const struct ts_list_cell *cell = &list->rows[r].cells[column];

		if (cell->known && cell->value.type != TS_FACT_INT && cell->value.type != TS_FACT_FLOAT &&
		    cell->value.type != TS_FACT_NUMBER)
			return false;
	}
	return !is_time(list->columns[column]) && !ts_span_is(list->columns[column], "name") &&
	       !ts_span_is(list->columns[column], "id");
}

static void nothing(struct ts_cli *cli, const struct ts_listing *list)
{
	const char *what = list->kind == TS_REF_TAG ? "tags" : list->kind == TS_REF_BRANCH ? "branches" : "runs";

	if (cli->target.absent)
		ts_cli_say(cli, "there are no %s: %s; 'tscope push DIRECTORY' stores a run", what, cli->target.absent);
	else if (list->ended)
		ts_cli_say(cli, "there are no more %s", what);
	else if (list->filtered)
		ts_cli_say(cli, "none of the %s matches", what);
	else if (list->project.len)
		ts_cli_say(cli, "there are no %s in project %.*s of %s", what, TS_SPAN_ARG(list->project),
			   cli->target.where);
	else
		ts_cli_say(cli, "there are no %s in %s", what, cli->target.where);
}

enum { NAME_LEAST = 12 };

/* Which columns are shown, as numbers of the listing's. */
struct choice {
	size_t columns[TS_VIEW_COLUMNS_MAX];
	size_t n;
};

static bool is_unrecorded(const struct ts_listing *list, struct ts_span column)
{
	for (size_t i = 0; i < list->n_unrecorded; i++)
		if (ts_span_eq(list->unrecorded[i], column))
			return true;
	return false;
}

/* Of the usual columns those that no run records say nothing, and what is not finite stands beside the loss. */
static struct choice choice_of(const struct ts_listing *list)
{
	struct choice choice = {.n = 0};
	bool lossless = is_unrecorded(list, ts_span_str("loss.nonfinite"));

	for (size_t c = 0; c < list->n_columns; c++) {
		bool beside = ts_span_is(list->columns[c], "loss.nonfinite");

		if (!list->by_default || !(beside || (lossless && is_unrecorded(list, list->columns[c]))))
			choice.columns[choice.n++] = c;
	}
	return choice;
}

static bool drop(struct choice *choice, const struct ts_listing *list, const char *column)
{
	for (size_t i = 0; i < choice->n; i++) {
		if (!ts_span_is(list->columns[choice->columns[i]], column))
			continue;
		memmove(choice->columns + i, choice->columns + i + 1, (choice->n - i - 1) * sizeof *choice->columns);
		choice->n--;
		return true;
	}
	return false;
}

/* A loss that was lost to NaN has no value that says so: its last finite one would look fine alone. */
static const char *loss_text(const struct ts_listing *list, const struct ts_list_row *row, size_t c, struct ts_arena *arena)
{
	const char *last = ts_list_cell_text(list, row, c, arena);

	for (size_t i = 0; i < list->n_columns; i++) {
		const struct ts_list_cell *lost = &row->cells[i];

		if (!ts_span_is(list->columns[i], "loss.nonfinite") || !lost->known || lost->value.type != TS_FACT_INT ||
		    lost->value.integer <= 0)
			continue;
		if (!row->cells[c].known)
			return ts_arena_printf(arena, "%" PRId64 " NaN/inf", lost->value.integer);
		return last ? ts_arena_printf(arena, "%s (%" PRId64 " NaN/inf)", last, lost->value.integer) : NULL;
	}
	return last;
}

static bool is_usual_loss(const struct ts_listing *list, size_t c)
{
	return list->by_default && ts_span_is(list->columns[c], "loss.last");
}

/* The last loss is what a list has of the loss: there its heading is one word. */
static const char *head_of(const struct ts_listing *list, size_t c, struct ts_arena *arena)
{
	return is_usual_loss(list, c) ? "loss" : ts_show_text(list->columns[c], arena);
}

/* Lays the rows out; a name may shrink to least_name. */
static void fill(struct ts_view *view, struct ts_view_column *columns, const struct ts_listing *list, const struct choice *choice,
		 int least_name, struct ts_arena *arena)
{
	for (size_t i = 0; i < choice->n; i++) {
		size_t c = choice->columns[i];
		bool numeric = ts_list_is_numeric(list, c), name = ts_span_is(list->columns[c], "name");
		bool fixed = numeric || ts_span_is(list->columns[c], "id") || is_time(list->columns[c]);

		columns[i] = (struct ts_view_column){
			.head = head_of(list, c, arena),
			.align = numeric ? TS_ALIGN_RIGHT
				 : name	 ? TS_ALIGN_NAME
					 : TS_ALIGN_LEFT,
			.least = fixed	? 0
				 : name ? least_name
					: 12,
		};
	}
	ts_view_init(view, columns, choice->n, arena);
	for (size_t r = 0; r < list->n; r++)
		for (size_t i = 0; i < choice->n; i++) {
			size_t c = choice->columns[i];

			ts_view_text(view, style_of(list, &list->rows[r], c),
				     is_usual_loss(list, c) ? loss_text(list, &list->rows[r], c, arena)
							    : ts_list_cell_text(list, &list->rows[r], c, arena));
		}
}

/* Whether the rows fit with two spaces between columns; the table itself makes do with one. */
static bool fits(const struct ts_view *view, const struct ts_term *term)
{
	struct ts_term narrower = *term;

	if (term->width > (int)view->n_columns)
		narrower.width -= (int)view->n_columns - 1;
	return ts_view_fits(view, &narrower, 0);
}

/* A run has one line: the usual columns that do not fit are left out, those first that say least. A pipe, which has no width, gets the
 * columns of a terminal of 80, with whole names. */
static void fill_usual(struct ts_view *view, struct ts_view_column *columns, const struct ts_listing *list, const struct ts_term *term,
		       struct choice *choice, struct ts_arena *arena)
{
	static const char *const least[] = {"started", "ranks", "id", "pushed", "steps"};
	enum { NAME_KEPT = 24, PIPE = 80 };
	struct ts_term room = *term;
	size_t i = 0;

	room.width = term->width ? term->width : PIPE;
	fill(view, columns, list, choice, NAME_KEPT, arena);
	while (i < sizeof least / sizeof least[0] && !fits(view, &room))
		if (drop(choice, list, least[i++]))
			fill(view, columns, list, choice, NAME_KEPT, arena);
	if (!fits(view, &room))
		fill(view, columns, list, choice, NAME_LEAST, arena);
}

enum ts_status ts_render_list_text(struct ts_cli *cli, const struct ts_listing *list, struct ts_error *err)
{
	struct ts_view_column columns[TS_VIEW_COLUMNS_MAX];
	struct choice choice;
	struct ts_view view;

	if (list->n_columns > TS_VIEW_COLUMNS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "list: a list can have at most %d columns", TS_VIEW_COLUMNS_MAX);
	if (list->n == 0) {
		nothing(cli, list);
		return TS_OK;
	}
	choice = choice_of(list);
	if (list->by_default)
		fill_usual(&view, columns, list, &cli->term, &choice, &cli->arena);
	else
		fill(&view, columns, list, &choice, NAME_LEAST, &cli->arena);
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}
