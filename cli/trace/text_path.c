/* text_path.c - the critical path of a trace as text, and what the trace would take if a part of it took no time. */
#include "base/words.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "proto/shape/shapes.h"

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

static TS_WORDS(group_text, enum ts_path_group, "unknown", [TS_PATH_OF_COMPUTATION] = "computation",
		[TS_PATH_OF_COMMUNICATION] = "communication", [TS_PATH_OF_COPIES] = "copies", [TS_PATH_OF_LAUNCH] = "launch latency",
		[TS_PATH_OF_QUEUE] = "gaps of queued work", [TS_PATH_OF_HOST] = "the host", [TS_PATH_OF_DATA] = "data loading",
		[TS_PATH_OF_WAIT] = "waits", [TS_PATH_OF_UNKNOWN] = "unknown")

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
	static const struct ts_view_column made[] = {TS_LEFT("part", 0), TS_LEFT("what", 0)};
	const char *windows = windows_text(cli, p), *length = ts_trace_ms(cli, p->ns);
	struct ts_view view;

	ts_trace_heading(cli, ts_arena_printf(&cli->arena, "Critical path of %s: %s, most of it %s", windows ? windows : "",
					      length ? length : "", group_text(p->bound)));
	ts_view_with(&view, &ts_shape_path_row, "part what length_ns length_ns% count longest_ns", TS_VIEW_COLUMNS(made), &cli->arena);
	view.whole = p->ns;
	for (size_t i = 0; i < p->n_rows && i < ROWS_SHOWN; i++) {
		ts_view_row(&view, &p->rows[i]);
		ts_view_set(&view, "part", TS_STYLE_PLAIN, group_text(p->rows[i].group));
		ts_view_set(&view, "what", TS_STYLE_PLAIN, what_text(p->rows[i].what));
	}
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, p->n_rows, ROWS_SHOWN, "part");
	return TS_OK;
}

static enum ts_status steps(struct ts_cli *cli, const struct ts_critical_path *p, struct ts_error *err)
{
	struct ts_view view;

	if (p->n_windows < 2)
		return TS_OK;
	ts_view_of(
		&view, &ts_shape_path_window,
		"step length_ns computation_ns% communication_ns% copies_ns% launch_ns% queue_ns% host_ns% data_loading_ns% wait_ns% "
		"unknown_ns%",
		&cli->arena);
	for (size_t i = 0; i < p->n_windows && i < STEPS_SHOWN; i++) {
		view.whole = p->windows[i].ns;
		ts_view_row(&view, &p->windows[i]);
	}
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, p->n_windows, STEPS_SHOWN, "step");
	return TS_OK;
}

static enum ts_status longest(struct ts_cli *cli, const struct ts_critical_path *p, struct ts_error *err)
{
	static const struct ts_view_column made[] = {TS_LEFT("what", 0)};
	struct ts_view view;

	ts_view_with(&view, &ts_shape_path_stretch, "length_ns what name", TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < p->n_longest && i < LONGEST_SHOWN; i++) {
		ts_view_row(&view, &p->longest[i]);
		ts_view_set(&view, "what", TS_STYLE_PLAIN, what_text(p->longest[i].piece.what));
	}
	return ts_trace_print(cli, &view, err);
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
	static const struct ts_view_column made[] = {{.head = "if this took no time", .key = "part"}};
	struct ts_view view;

	if (!p->n_ifs)
		return TS_OK;
	ts_view_with(&view, &ts_shape_what_if, "part length_ns saved_ns saved_ns%", TS_VIEW_COLUMNS(made), &cli->arena);
	view.whole = p->ns;
	for (size_t i = 0; i < p->n_ifs && i < IFS_SHOWN && p->ifs[i].saved_ns; i++) {
		ts_view_row(&view, &p->ifs[i]);
		ts_view_set(&view, "part", TS_STYLE_PLAIN, if_text(&p->ifs[i]));
	}
	if (p->ifs[0].saved_ns)
		return ts_trace_print(cli, &view, err);
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
