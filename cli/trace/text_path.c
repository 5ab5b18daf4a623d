/* text_path.c - the critical path of a trace as text, and what the trace would take if a part of it took no time. */
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"

enum { ROWS_SHOWN = 12, STEPS_SHOWN = 16, LONGEST_SHOWN = 5, IFS_SHOWN = 8 };

static const char *what_text(uint32_t what)
{
	static const char *const texts[TS_PATH_WHATS] = {[TS_PATH_LAUNCH] = "from a call to its work",
							 [TS_PATH_STREAM_ORDER] = "queued on a stream",
							 [TS_PATH_STREAM_WAIT] = "queued behind another stream",
							 [TS_PATH_RETURN] = "return from a wait",
							 [TS_PATH_OPERATOR] = "operators, their own time",
							 [TS_PATH_PYTHON] = "Python, its own time",
							 [TS_PATH_LAUNCH_CALL] = "calls that launch",
							 [TS_PATH_MEMORY_CALL] = "calls for memory",
							 [TS_PATH_CALL] = "other calls",
							 [TS_PATH_THREADS] = "to and from the backward thread",
							 [TS_PATH_UNSAID] = "host, nothing recorded",
							 [TS_PATH_OTHER_SPAN] = "host, unknown category",
							 [TS_PATH_DATA] = "data loading",
							 [TS_PATH_WAIT] = "a wait, for what is not said"};

	return texts[what] ? texts[what] : ts_path_what_word(what);
}

static const char *group_text(enum ts_path_group group)
{
	static const char *const texts[TS_PATH_GROUPS] = {
		"computation", "communication", "copies", "launch latency", "gaps of queued work",
		"the host",    "data loading",	"waits",  "unknown"};

	return texts[group];
}

static const char *windows_text(struct ts_cli *cli, const struct ts_critical_path *p)
{
	const struct ts_path_window *first = &p->windows[0], *last = &p->windows[p->n_windows - 1];

	if (!first->is_step)
		return "the whole recording";
	if (p->n_windows == 1)
		return ts_arena_printf(&cli->arena, "step %" PRId64, first->step);
	return ts_arena_printf(&cli->arena, "steps %" PRId64 " to %" PRId64, first->step, last->step);
}

static enum ts_status parts(struct ts_cli *cli, const struct ts_critical_path *p, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"part", TS_ALIGN_LEFT, 0},	  {"what", TS_ALIGN_LEFT, 0},
							{"time", TS_ALIGN_RIGHT, 0},	  {"share", TS_ALIGN_RIGHT, 0},
							{"stretches", TS_ALIGN_RIGHT, 0}, {"longest", TS_ALIGN_RIGHT, 0}};
	const char *windows = windows_text(cli, p), *length = ts_trace_ms(cli, p->ns);
	struct ts_grid grid;

	ts_trace_heading(cli, ts_arena_printf(&cli->arena, "Critical path of %s: %s, most of it %s", windows ? windows : "",
					      length ? length : "", group_text(p->bound)));
	ts_grid_init(&grid, columns, 6, &cli->arena);
	for (size_t i = 0; i < p->n_rows && i < ROWS_SHOWN; i++) {
		ts_trace_cell(&grid, group_text(p->rows[i].group));
		ts_trace_cell(&grid, what_text(p->rows[i].what));
		ts_trace_cell(&grid, ts_trace_ms(cli, p->rows[i].ns));
		ts_trace_cell(&grid, ts_trace_percent(cli, p->rows[i].ns, p->ns));
		ts_trace_cell(&grid, ts_trace_count(cli, p->rows[i].count));
		ts_trace_cell(&grid, ts_trace_ms(cli, p->rows[i].longest_ns));
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, p->n_rows, ROWS_SHOWN, "part");
	return TS_OK;
}

static enum ts_status steps(struct ts_cli *cli, const struct ts_critical_path *p, struct ts_error *err)
{
	static const struct ts_grid_column columns[2 + TS_PATH_GROUPS] = {
		{"step", TS_ALIGN_LEFT, 0},	      {"path", TS_ALIGN_RIGHT, 0},   {"computation", TS_ALIGN_RIGHT, 0},
		{"communication", TS_ALIGN_RIGHT, 0}, {"copies", TS_ALIGN_RIGHT, 0}, {"launch", TS_ALIGN_RIGHT, 0},
		{"queue", TS_ALIGN_RIGHT, 0},	      {"host", TS_ALIGN_RIGHT, 0},   {"data", TS_ALIGN_RIGHT, 0},
		{"wait", TS_ALIGN_RIGHT, 0},	      {"unknown", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	if (p->n_windows < 2)
		return TS_OK;
	ts_grid_init(&grid, columns, 2 + TS_PATH_GROUPS, &cli->arena);
	for (size_t i = 0; i < p->n_windows && i < STEPS_SHOWN; i++) {
		ts_trace_cell(&grid, ts_show_step(p->windows[i].step, &cli->arena));
		ts_trace_cell(&grid, ts_trace_ms(cli, p->windows[i].ns));
		for (size_t k = 0; k < TS_PATH_GROUPS; k++)
			ts_trace_cell(&grid, ts_trace_percent(cli, p->windows[i].groups[k], p->windows[i].ns));
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, p->n_windows, STEPS_SHOWN, "step");
	return TS_OK;
}

static enum ts_status longest(struct ts_cli *cli, const struct ts_critical_path *p, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"longest stretches", TS_ALIGN_RIGHT, 0}, {"what", TS_ALIGN_LEFT, 0}, {"name", TS_ALIGN_LEFT, 20}};
	struct ts_grid grid;

	ts_grid_init(&grid, columns, 3, &cli->arena);
	for (size_t i = 0; i < p->n_longest && i < LONGEST_SHOWN; i++) {
		ts_trace_cell(&grid, ts_trace_ms(cli, p->longest[i].piece.ns));
		ts_trace_cell(&grid, what_text(p->longest[i].piece.what));
		ts_trace_kernel(cli, &grid, p->longest[i].name);
	}
	return ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
}

static const char *if_text(const struct ts_what_if *w)
{
	if (w->ideal == TS_IDEAL_GROUP)
		return group_text(w->group);
	if (w->ideal == TS_IDEAL_WHAT)
		return what_text(w->what);
	return w->ideal == TS_IDEAL_COLLECTIVES ? "what collectives took beyond the quickest of their size" : "what was asked";
}

static enum ts_status ifs(struct ts_cli *cli, const struct ts_critical_path *p, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"if this took no time", TS_ALIGN_LEFT, 0},
							{"path", TS_ALIGN_RIGHT, 0},
							{"saved", TS_ALIGN_RIGHT, 0},
							{"", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	if (!p->n_ifs)
		return TS_OK;
	ts_grid_init(&grid, columns, 4, &cli->arena);
	for (size_t i = 0; i < p->n_ifs && i < IFS_SHOWN && p->ifs[i].saved_ns; i++) {
		ts_trace_cell(&grid, if_text(&p->ifs[i]));
		ts_trace_cell(&grid, ts_trace_ms(cli, p->ifs[i].ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, p->ifs[i].saved_ns));
		ts_trace_cell(&grid, ts_trace_percent(cli, p->ifs[i].saved_ns, p->ns));
	}
	if (p->ifs[0].saved_ns)
		return ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
			"No single part would save anything: something else takes as long beside each of them.");
	return TS_OK;
}

enum ts_status ts_trace_path_text(struct ts_cli *cli, const struct ts_critical_path *p, struct ts_error *err)
{
	if (!p->ns)
		return TS_OK;
	if (parts(cli, p, err) || steps(cli, p, err) || longest(cli, p, err) || ifs(cli, p, err))
		return err->status;
	if (p->inferred)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena,
						"%s between streams told by their times alone: the trace does not record what streams "
						"wait for",
						p->inferred == 1 ? "One link is"
								 : ts_arena_printf(&cli->arena, "%" PRIu64 " links are", p->inferred)));
	return TS_OK;
}
