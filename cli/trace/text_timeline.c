/* text_timeline.c - a stretch of a trace's timeline as text: a line of letters for each lane. */
#include "cli/text/text_parts.h"
#include "cli/trace/trace_cells.h"
#include "cli/trace/trace_timeline.h"

enum { COLUMNS_LEAST = 20, COLUMNS_USUAL = 100, INDENT = 2 };

/* "main thread 8821", by the number that the trace gives it. */
static const char *thread(struct ts_cli *cli, const struct ts_lane_place *place)
{
	if (place->tid == TS_TRACE_NONE)
		return ts_arena_phrase(&cli->arena, "%s thread", ts_host_thread_word(place->kind));
	return ts_arena_phrase(&cli->arena, "%s thread %" PRId64, ts_host_thread_word(place->kind), place->tid);
}

const char *ts_lane_label(struct ts_cli *cli, const struct ts_lanes_view *v, const struct ts_lane_view *lane)
{
	const struct ts_lane_place *place = &lane->place;
	const char *busy = ts_arena_phrase(&cli->arena, "%s, %s", ts_trace_ms(cli, lane->busy_ns),
					   ts_trace_percent(cli, lane->busy_ns, v->to_ns - v->from_ns));

	if (place->host)
		return ts_arena_phrase(&cli->arena, "host, %s: %s", thread(cli, place), busy);
	if (place->stream == TS_TRACE_NO_DEVICE)
		return ts_arena_phrase(&cli->arena, "device %" PRId32 ": %s", place->device, busy);
	return ts_arena_phrase(&cli->arena, "device %" PRId32 ", stream %" PRId32 ": %s", place->device, place->stream, busy);
}

size_t ts_timeline_columns(const struct ts_term *term)
{
	int wide = term->width ? term->width : COLUMNS_USUAL;

	wide = wide < TS_LANES_CELLS_MOST ? wide : TS_LANES_CELLS_MOST;
	return (size_t)(wide < COLUMNS_LEAST ? COLUMNS_LEAST : wide - INDENT);
}

/* What covers most of the cell; a capital where that, with what is beside it, covers half of it. */
static char letter(const struct ts_lanes_view *v, const struct ts_lane_cell *c)
{
	static const char letters[TS_LANE_PARTS] = {[TS_LANE_COMPUTATION] = 'k', [TS_LANE_COMMUNICATION] = 'n', [TS_LANE_COPIES] = 'm',
						    [TS_LANE_OPERATORS] = 'o',	 [TS_LANE_CALLS] = 'c',		[TS_LANE_WAITS] = 'w'};
	char small = letters[c->part];

	if (!c->longest_ns)
		return '.';
	return c->busy_ns >= v->cell_ns - v->cell_ns / 2 ? (char)(small - 'a' + 'A') : small;
}

static void lane_text(struct ts_cli *cli, const struct ts_lanes_view *v, const struct ts_lane_view *lane)
{
	ts_buf_char(&cli->out, '\n');
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 0, ts_lane_label(cli, v, lane));
	ts_buf_str(&cli->out, "  ");
	for (size_t i = 0; i < v->n_cells; i++)
		ts_buf_char(&cli->out, letter(v, &lane->cells[i]));
	ts_buf_char(&cli->out, '\n');
}

enum ts_status ts_timeline_text(struct ts_cli *cli, const struct ts_lanes_view *v, struct ts_error *err)
{
	ts_text_field(cli, "trace", v->path);
	if (!v->n_cells) {
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0,
				"The trace has no work of devices, no operators and no calls, so there is no timeline.");
		return ts_arena_check(&cli->arena, err);
	}
	ts_text_field(cli, "shows",
		      ts_arena_phrase(&cli->arena, "%s to %s of %s; a letter is %s", ts_trace_ms(cli, v->from_ns),
				      ts_trace_ms(cli, v->to_ns), ts_trace_ms(cli, v->length_ns),
				      ts_trace_ms(cli, v->cell_ns)));
	if (v->has_mark)
		ts_text_field(cli, "time",
			      ts_arena_phrase(&cli->arena, "the one that is asked about is %s behind the first event",
					      ts_trace_ms(cli, v->mark_ns)));
	for (size_t i = 0; i < v->n; i++)
		lane_text(cli, v, &v->lanes[i]);
	ts_buf_char(&cli->out, '\n');
	ts_text_wrapped(
		cli, TS_STYLE_DIM, 0,
		"What covers most of the time: k kernels, n communication (network), m copies and fills (memory), o operators, c calls "
		"of the runtime, w waits for a device; a capital: half of it or more is covered.");
	ts_trace_more(cli, v->n + v->left_out, v->n, "lane");
	return ts_arena_check(&cli->arena, err);
}
