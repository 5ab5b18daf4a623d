#include "cli/watch/watch_frame.h"

#include "base/text.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "run/role.h"

#include <math.h>

enum { NAME_WIDE = 14, VALUE_WIDE = 12, CURVE_ROWS = 2, FINDINGS_MOST = 8, BAR = 20, WIDTH = 80, RANKS_TABLE = 9 };

/* One line that is drawn piece by piece and never gets wider than the terminal. */
struct pen {
	struct ts_buf *out;
	const struct ts_term *term;
	struct ts_arena *arena;
	int width, used;
};

static void put(struct pen *pen, enum ts_style style, struct ts_span text)
{
	const char *safe = ts_show_text(text, pen->arena);
	struct ts_span left = ts_span_str(safe ? safe : "");
	int room = pen->width - pen->used;

	if (room <= 0 || !left.len)
		return;
	if (ts_text_width(left) > room)
		left = pen->term->utf8 ? ts_text_cut(left, room, pen->arena) : ts_utf8_cut(left, (size_t)room);
	ts_style_on(pen->out, pen->term, style);
	ts_buf_span(pen->out, left);
	ts_style_off(pen->out, pen->term, style);
	pen->used += ts_text_width(left);
}

static void put_text(struct pen *pen, enum ts_style style, const char *text)
{
	put(pen, style, ts_span_str(text ? text : ""));
}

static void pad_to(struct pen *pen, int column)
{
	int n = (column < pen->width ? column : pen->width) - pen->used;

	if (n <= 0)
		return;
	ts_buf_spaces(pen->out, n);
	pen->used += n;
}

static void end_line(struct pen *pen)
{
	ts_buf_char(pen->out, '\n');
	pen->used = 0;
}

static void gap(struct pen *pen)
{
	pad_to(pen, pen->used + 3);
}

/* --- the first lines --- */

static enum ts_style style_of(enum ts_stand stand)
{
	switch (stand) {
	case TS_STAND_RUNS:
	case TS_STAND_FINISHED:
		return TS_STYLE_GREEN;
	case TS_STAND_WAITS:
	case TS_STAND_UNSAID:
		return TS_STYLE_PLAIN;
	case TS_STAND_STILL:
		return TS_STYLE_YELLOW;
	case TS_STAND_CRASHED:
	case TS_STAND_KILLED:
	case TS_STAND_LOST:
		return TS_STYLE_RED;
	}
	return TS_STYLE_PLAIN;
}

/* A text over several lines, each indented. */
static void sentence(struct pen *pen, enum ts_style style, struct ts_span text, int indent)
{
	const char *safe = ts_show_text(text, pen->arena);
	struct ts_span left = ts_span_str(safe ? safe : "");

	while (left.len) {
		int room = pen->width - indent;
		struct ts_span piece = left;

		if (room > 4 && ts_text_width(left) > room) {
			size_t cut = 0;

			piece = ts_utf8_cut(left, (size_t)room);
			for (size_t i = 0; i < piece.len; i++)
				cut = piece.data[i] == ' ' ? i : cut;
			piece.len = cut ? cut : piece.len;
		}
		pad_to(pen, indent);
		put(pen, style, piece);
		end_line(pen);
		left = ts_trim(ts_span_from(left, piece.len));
		if (room <= 4)
			break;
	}
}

static void draw_title(struct pen *pen, const struct ts_watch_frame *f)
{
	put_text(pen, TS_STYLE_BOLD, f->word);
	if (f->name.len && !ts_span_is(f->name, f->word)) {
		put_text(pen, TS_STYLE_PLAIN, " (");
		put(pen, TS_STYLE_PLAIN, f->name);
		put_text(pen, TS_STYLE_PLAIN, ")");
	}
	gap(pen);
	put_text(pen, style_of(f->stand), ts_stand_word(f->stand));
	end_line(pen);
	if (f->ending.len && (ts_stand_is_over(f->stand) || f->stand == TS_STAND_STILL))
		sentence(pen, style_of(f->stand), f->ending, 2);
	else if (f->why)
		sentence(pen, style_of(f->stand), ts_span_str(f->why), 2);
}

static const char *duration(double seconds, struct ts_arena *arena)
{
	if (!(seconds >= 0) || !(seconds < 1e9))
		return "unknown";
	if (seconds < 60)
		return ts_arena_printf(arena, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
	if (seconds < 3600)
		return ts_arena_printf(arena, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
	if (seconds < 86400)
		return ts_arena_printf(arena, "%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
	return ts_arena_printf(arena, "%d d %02d h", (int)(seconds / 86400), (int)(seconds / 3600) % 24);
}

static void draw_step(struct pen *pen, const struct ts_watch_frame *f, int64_t step)
{
	put_text(pen, TS_STYLE_PLAIN, "step ");
	put_text(pen, TS_STYLE_BOLD, step >= 0 ? ts_show_count((uint64_t)step, pen->arena) : ts_show_step(step, pen->arena));
	if (f->total > 0)
		put_text(pen, TS_STYLE_PLAIN,
			 ts_arena_printf(pen->arena, " of %s (%.1f %%)", ts_show_count((uint64_t)f->total, pen->arena),
					 100 * (double)step / (double)f->total));
	gap(pen);
}

/* When steps came is known to a part of a second, and no better. */
static const char *speed(const struct ts_pace *pace, struct ts_arena *arena)
{
	if (!pace->by_arrival)
		return ts_show_rounded(pace->per_second, arena);
	return ts_arena_printf(arena, pace->per_second < 100 ? "about %.2g" : "about %.0f", pace->per_second);
}

static void draw_pace(struct pen *pen, const struct ts_watch_frame *f, const struct ts_live *live)
{
	int64_t step;
	double time;

	if (!ts_pace_newest(live, &step, &time)) {
		put_text(pen, TS_STYLE_DIM, "no step yet");
		end_line(pen);
		return;
	}
	draw_step(pen, f, step);
	if (isfinite(f->pace.per_second))
		put_text(pen, TS_STYLE_PLAIN,
			 ts_arena_printf(pen->arena, "%s steps/s", speed(&f->pace, pen->arena)));
	else
		put_text(pen, TS_STYLE_PLAIN, "steps/s unknown");
	if (!ts_stand_is_over(f->stand)) {
		gap(pen);
		if (f->total > 0)
			put_text(pen, TS_STYLE_PLAIN,
				 ts_arena_printf(pen->arena, "ETA %s", duration(ts_pace_left(&f->pace, step, f->total), pen->arena)));
		else
			put_text(pen, TS_STYLE_PLAIN, "ETA unknown: no fact says how many steps");
	}
	end_line(pen);
	put_text(pen, TS_STYLE_PLAIN, f->pace.by_arrival ? "last step came " : "last step ");
	put_text(pen, f->stand == TS_STAND_STILL ? TS_STYLE_YELLOW : TS_STYLE_PLAIN,
		 isfinite(f->age) ? ts_arena_printf(pen->arena, "%s ago", duration(f->age, pen->arena)) : "at an unknown time");
	end_line(pen);
}

/* --- curves --- */

static const char *value_of(const struct ts_live_last *last, struct ts_arena *arena)
{
	if (!last)
		return "-";
	if (isnan(last->value))
		return "NaN";
	return isfinite(last->value) ? ts_show_rounded(last->value, arena) : last->value > 0 ? "inf" : "-inf";
}

static enum ts_status draw_curve(struct pen *pen, const struct ts_live_wanted *wanted, const struct ts_live *live,
				 const struct ts_live_rank *rank, int curve, struct ts_error *err)
{
	struct ts_buf rows[CURVE_ROWS] = {TS_BUF_INIT(1 << 16), TS_BUF_INIT(1 << 16)};
	const struct ts_live_column *column = &live->columns[wanted->column];
	const struct ts_live_last *last = ts_live_last_of(rank, wanted->column);
	int left = NAME_WIDE + VALUE_WIDE + 2, wide = pen->width - left;
	double least = 0, greatest = 0;
	enum ts_status status;

	if (wide < 4 || !rank->curves[curve])
		return TS_OK;
	if (wide > 2 * TS_CURVE_CELLS)
		wide = 2 * TS_CURVE_CELLS;
	status = ts_curve_draw(rank->curves[curve], (size_t)wide, CURVE_ROWS, pen->term->utf8, pen->arena, rows, err);
	for (int r = 0; !status && r < CURVE_ROWS; r++) {
		if (r == 0) {
			put(pen, TS_STYLE_PLAIN, ts_text_cut(ts_column_said(column->path), NAME_WIDE - 1, pen->arena));
			pad_to(pen, NAME_WIDE);
			put_text(pen, last && !isfinite(last->value) ? TS_STYLE_RED : TS_STYLE_BOLD, value_of(last, pen->arena));
		} else if (ts_curve_range(rank->curves[curve], &least, &greatest)) {
			put_text(pen, TS_STYLE_DIM,
				 ts_arena_printf(pen->arena, "%s to %s", ts_show_rounded(least, pen->arena),
						 ts_show_rounded(greatest, pen->arena)));
		}
		pad_to(pen, left);
		if (pen->used > left) /* the range is long: the curve begins behind it */
			pad_to(pen, pen->used + 1);
		ts_style_on(pen->out, pen->term, TS_STYLE_CYAN);
		ts_buf_span(pen->out, ts_buf_view(&rows[r]));
		ts_style_off(pen->out, pen->term, TS_STYLE_CYAN);
		end_line(pen);
	}
	for (int r = 0; r < CURVE_ROWS; r++)
		ts_buf_finish(&rows[r]);
	return status;
}

static enum ts_status draw_curves(struct pen *pen, const struct ts_live *live, const struct ts_live_rank *rank, struct ts_error *err)
{
	for (size_t i = 0; i < live->n_wanted; i++)
		if (live->wanted[i].column != TS_LIVE_NONE && draw_curve(pen, &live->wanted[i], live, rank, (int)i, err))
			return err->status;
	return TS_OK;
}

/* --- ranks --- */

static void add_shares(struct ts_view *view, struct ts_span name, const struct ts_shares *s, bool several, struct ts_arena *arena)
{
	if (!s->ranks)
		return;
	ts_view_span(view, TS_STYLE_PLAIN, name);
	ts_view_text(view, TS_STYLE_PLAIN, ts_show_seconds(s->median, arena));
	if (!several)
		return;
	ts_view_text(view, TS_STYLE_PLAIN, ts_show_seconds(s->worst, arena));
	ts_view_text(view, TS_STYLE_PLAIN, ts_arena_printf(arena, "rank %" PRId32, s->who));
	ts_view_text(view, TS_STYLE_PLAIN,
		     s->median > 0 ? ts_arena_printf(arena, "%+.0f %%", 100 * (s->worst - s->median) / s->median) : "-");
}

static enum ts_status draw_ranks(struct pen *pen, const struct ts_live *live, struct ts_error *err)
{
	static const struct ts_view_column one[] = {TS_LEFT("a step takes", 8), TS_RIGHT("mean")};
	static const struct ts_view_column many[] = {TS_LEFT("a step takes", 8), TS_RIGHT("median rank"), TS_RIGHT("worst"),
						     TS_LEFT("who", 6), TS_RIGHT("above")};
	struct ts_term term = *pen->term;
	struct ts_common common;
	struct ts_view view;
	bool several;

	if (!ts_pace_common(live, pen->arena, &common)) {
		if (live->n_ranks > 1 && ts_pace_last_rank(live))
			sentence(pen, TS_STYLE_DIM, ts_span_str("the ranks have no step in common yet"), 0);
		return ts_arena_check(pen->arena, err);
	}
	several = common.ranks > 1;
	term.width = pen->width;
	ts_view_init(&view, several ? many : one, several ? 5 : 2, pen->arena);
	add_shares(&view, ts_span_str("in all"), &common.whole, several, pen->arena);
	for (int p = 0; p < live->n_phases; p++)
		add_shares(&view, ts_span_from(live->columns[live->phases[p]].path, strlen("phases.")), &common.phases[p], several,
			   pen->arena);
	if (!ts_view_n(&view))
		return TS_OK;
	end_line(pen);
	if (ts_view_print(&view, &term, 0, pen->out, err))
		return err->status;
	sentence(pen, TS_STYLE_DIM,
		 ts_span_str(ts_arena_printf(pen->arena, "means of the last %s%s, up to step %" PRId64,
					     ts_show_plural(common.steps, "step", pen->arena), several ? " that all ranks have" : "",
					     common.newest)),
		 0);
	return TS_OK;
}

/* --- memory --- */

static void draw_bar(struct pen *pen, double share)
{
	int full = (int)(share * BAR + 0.5);

	full = full > BAR ? BAR : full < 0 ? 0 : full;
	put_text(pen, TS_STYLE_PLAIN, "[");
	put(pen,
	    share >= 0.95   ? TS_STYLE_RED
	    : share >= 0.85 ? TS_STYLE_YELLOW
			    : TS_STYLE_GREEN,
	    ts_span_of("####################", (size_t)full));
	put(pen, TS_STYLE_PLAIN, ts_span_of("....................", (size_t)(BAR - full)));
	put_text(pen, TS_STYLE_PLAIN, "] ");
}

/* The column of memory that is shown: what a device was asked for most, else what it has. */
static const struct ts_live_last *memory_of(const struct ts_live *live, const struct ts_live_rank *rank, struct ts_span *ret_name)
{
	static const char *const names[] = {"memory.peak_reserved", "memory.reserved", "memory.peak_alloc", "memory.alloc"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t c = 0; c < live->n_columns; c++)
			if (ts_span_is(live->columns[c].path, names[i]) && ts_live_last_of(rank, (uint32_t)c)) {
				*ret_name = live->columns[c].path;
				return ts_live_last_of(rank, (uint32_t)c);
			}
	return NULL;
}

/* "it will be full at about step 12,400 (11,900 to 13,100), in 1 h 02 min" */
static void draw_forecast(struct pen *pen, const struct ts_watch_frame *f, const struct ts_live *live)
{
	const struct ts_look_forecast *c = f->forecast;
	double full = (double)c->from + c->left, seconds = NAN, time;
	const char *who = live->n_ranks > 1 ? ts_arena_printf(pen->arena, " of rank %" PRId32, c->rank) : "", *text;
	int64_t newest;

	if (!(full >= 0 && full < 9e15))
		return;
	if (ts_pace_newest(live, &newest, &time))
		seconds = (full - (double)newest) / f->pace.per_second;
	text = ts_arena_printf(pen->arena, "if memory%s grows on as it does, the device is full at about step %s", who ? who : "",
			       ts_show_count((uint64_t)full, pen->arena));
	if (text && c->low >= 0 && c->high < 9e15)
		text = ts_arena_printf(pen->arena, "%s (%s to %s)", text,
				       ts_show_count((uint64_t)((double)c->from + c->low), pen->arena),
				       ts_show_count((uint64_t)((double)c->from + c->high), pen->arena));
	if (text && seconds > 0)
		text = ts_arena_printf(pen->arena, "%s, in %s", text, duration(seconds, pen->arena));
	if (text)
		sentence(pen, TS_STYLE_YELLOW, ts_span_str(text), 2);
}

static void draw_memory(struct pen *pen, const struct ts_watch_frame *f, const struct ts_live *live, const struct ts_live_rank *rank)
{
	struct ts_span name;
	const struct ts_live_last *last = memory_of(live, rank, &name);

	if (!last || !(last->value >= 0))
		return;
	end_line(pen);
	put(pen, TS_STYLE_PLAIN, name);
	put_text(pen, TS_STYLE_PLAIN, " ");
	if (f->capacity > 0)
		draw_bar(pen, last->value / f->capacity);
	put_text(pen, TS_STYLE_BOLD, ts_show_bytes(last->value, pen->arena));
	if (f->capacity > 0)
		put_text(pen, TS_STYLE_PLAIN,
			 ts_arena_printf(pen->arena, " of %s (%.0f %%)", ts_show_bytes(f->capacity, pen->arena),
					 100 * last->value / f->capacity));
	else
		put_text(pen, TS_STYLE_DIM, "; no fact says how much the device has");
	end_line(pen);
	if (f->forecast)
		draw_forecast(pen, f, live);
}

/* --- the machine --- */

static const char *percent(double share, struct ts_arena *arena)
{
	return share >= 0 ? ts_arena_printf(arena, "%.0f %%", 100 * share) : "-";
}

static const char *of_limit(const char *value, const char *limit, bool known, bool limited, struct ts_arena *arena)
{
	return !known ? "-" : limited ? ts_arena_printf(arena, "%s of %s", value, limit) : value;
}

static const char *numbers(double value, double limit, const char *unit, struct ts_arena *arena)
{
	const char *most = ts_arena_printf(arena, "%s%s", ts_show_rounded(limit, arena), unit);

	return of_limit(limit > 0 ? ts_show_rounded(value, arena) : ts_arena_printf(arena, "%s%s", ts_show_rounded(value, arena), unit),
			most, value >= 0, limit > 0, arena);
}

static const char *bytes(double value, double limit, struct ts_arena *arena)
{
	return of_limit(ts_show_bytes(value, arena), ts_show_bytes(limit, arena), value >= 0, limit > 0, arena);
}

/* Shares that are worth a word when they are not 0. */
static const char *troubles(const struct ts_machine_rows *m, struct ts_arena *arena)
{
	static const struct {
		enum ts_machine_column column;
		const char *said;
	} shares[] = {{TS_MACHINE_THROTTLED, "held by its quota"},
		      {TS_MACHINE_STEAL, "given to others by its host"},
		      {TS_MACHINE_CPU_PRESSURE, "waiting for a core"},
		      {TS_MACHINE_MEMORY_PRESSURE, "waiting for memory"},
		      {TS_MACHINE_IO_PRESSURE, "waiting for a disk"}};
	const char *all = "";

	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		double share = *m->values[shares[i].column];

		if (share >= 0.005)
			all = ts_arena_printf(arena, "%s, %s of the time %s", all ? all : "", percent(share, arena), shares[i].said);
	}
	return all ? all : "";
}

static const char *held_by(const double gpu[TS_GPU_COLUMNS])
{
	return gpu[TS_GPU_HELD_BY_HEAT] > 0	? "heat"
	       : gpu[TS_GPU_HELD_BY_POWER] > 0	? "power"
	       : gpu[TS_GPU_HELD_BY_OTHERS] > 0 ? "others"
						: "";
}

static enum ts_status draw_gpus(struct pen *pen, const struct ts_machine_rows *m, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("GPU", 3), TS_RIGHT("busy"),   TS_RIGHT("clock"),    TS_RIGHT("power"),
							TS_RIGHT("heat"),  TS_RIGHT("memory"), TS_LEFT("held by", 6)};
	struct ts_term term = *pen->term;
	struct ts_view view;

	term.width = pen->width;
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), pen->arena);
	for (size_t i = 0; i < m->n_gpus; i++) {
		double gpu[TS_GPU_COLUMNS];
		bool any = false;

		for (int k = 0; k < TS_GPU_COLUMNS; k++) {
			gpu[k] = m->gpus[i][k] ? *m->gpus[i][k] : (double)NAN;
			any |= gpu[k] >= 0;
		}
		if (!any)
			continue;
		ts_view_text(&view, TS_STYLE_PLAIN, ts_arena_printf(pen->arena, "%zu", i));
		ts_view_text(&view, TS_STYLE_PLAIN, percent(gpu[TS_GPU_BUSY], pen->arena));
		ts_view_text(&view, TS_STYLE_PLAIN, numbers(gpu[TS_GPU_SM_CLOCK], 0, " MHz", pen->arena));
		ts_view_text(&view, TS_STYLE_PLAIN, numbers(gpu[TS_GPU_POWER], gpu[TS_GPU_POWER_LIMIT], " W", pen->arena));
		ts_view_text(&view, TS_STYLE_PLAIN, numbers(gpu[TS_GPU_TEMPERATURE], 0, " C", pen->arena));
		ts_view_text(&view, TS_STYLE_PLAIN, percent(gpu[TS_GPU_MEMORY] / gpu[TS_GPU_MEMORY_LIMIT], pen->arena));
		ts_view_text(&view, TS_STYLE_YELLOW, held_by(gpu));
	}
	return ts_view_n(&view) ? ts_view_print(&view, &term, 0, pen->out, err) : TS_OK;
}

static enum ts_status draw_machine(struct pen *pen, const struct ts_machine_rows *m, struct ts_error *err)
{
	const char *cores = numbers(*m->values[TS_MACHINE_CPU], *m->values[TS_MACHINE_CORES], " cores in use", pen->arena);
	const char *memory = bytes(*m->values[TS_MACHINE_MEMORY], *m->values[TS_MACHINE_MEMORY_LIMIT], pen->arena);
	const char *said = ts_arena_printf(pen->arena, "machine: %s, memory %s%s", cores, memory, troubles(m, pen->arena));

	end_line(pen);
	if (said)
		sentence(pen, TS_STYLE_PLAIN, ts_span_str(said), 0);
	return draw_gpus(pen, m, err);
}

/* --- findings and the rest --- */

static void draw_finding(struct pen *pen, const struct ts_said *said)
{
	enum ts_style style = said->severity == TS_SEVERITY_HIGH     ? TS_STYLE_RED
			      : said->severity == TS_SEVERITY_MEDIUM ? TS_STYLE_YELLOW
								     : TS_STYLE_PLAIN;

	put_text(pen, style, ts_severity_word(said->severity));
	pad_to(pen, 8);
	put(pen, TS_STYLE_BOLD, said->code);
	put_text(pen, TS_STYLE_PLAIN, " ");
	put(pen, TS_STYLE_PLAIN, said->title);
	if (said->rank >= 0)
		put_text(pen, TS_STYLE_PLAIN, ts_arena_printf(pen->arena, " (rank %" PRId32 ")", said->rank));
	end_line(pen);
	sentence(pen, TS_STYLE_DIM, said->detail, 8);
}

static void draw_findings(struct pen *pen, const struct ts_watch_frame *f)
{
	size_t first = f->n_said > FINDINGS_MOST ? f->n_said - FINDINGS_MOST : 0;

	if (f->streamed && !f->n_said)
		return;
	end_line(pen);
	if (f->streamed)
		put_text(pen, TS_STYLE_DIM, "of what comes in a pipe only the loss is looked at:");
	else if (!f->looked)
		put_text(pen, TS_STYLE_DIM, "findings: not looked yet");
	else
		put_text(pen, TS_STYLE_DIM,
			 ts_arena_printf(pen->arena, "findings of the first %s%s", ts_show_plural(f->looked_steps, "step", pen->arena),
					 f->n_said ? first ? ", the newest:" : ":" : ": none that later steps confirm"));
	end_line(pen);
	for (size_t i = first; i < f->n_said; i++)
		draw_finding(pen, &f->said[i]);
}

static void draw_help(struct pen *pen)
{
	static const char *const lines[] = {
		"q            leave; the run goes on",
		"left, right  the rank whose curves and memory are shown",
		"?            this, and back",
	};

	end_line(pen);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		put_text(pen, TS_STYLE_PLAIN, lines[i]);
		end_line(pen);
	}
}

static enum ts_status draw_body(struct pen *pen, const struct ts_watch_frame *f, const struct ts_live *live, struct ts_error *err)
{
	size_t selected = f->selected < live->n_ranks ? f->selected : 0;
	const struct ts_live_rank *rank = live->n_ranks ? live->ranks[selected] : NULL;

	if (rank && live->n_ranks > 1) {
		put_text(pen, TS_STYLE_DIM, ts_arena_printf(pen->arena, "rank %" PRId32 " of %zu ranks", rank->rank, live->n_ranks));
		end_line(pen);
	}
	if (rank && draw_curves(pen, live, rank, err))
		return err->status;
	if (draw_ranks(pen, live, err))
		return err->status;
	if (rank)
		draw_memory(pen, f, live, rank);
	if (f->machine && draw_machine(pen, f->machine, err))
		return err->status;
	if (f->against.len) {
		end_line(pen);
		sentence(pen, f->differs ? TS_STYLE_RED : TS_STYLE_PLAIN, f->against, 0);
	}
	draw_findings(pen, f);
	if (f->trouble.len)
		sentence(pen, TS_STYLE_YELLOW, f->trouble, 0);
	return TS_OK;
}

enum ts_status ts_watch_draw(const struct ts_watch_frame *f, const struct ts_live *live, const struct ts_term *term, int width,
			     struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	struct pen pen = {.out = out, .term = term, .arena = arena, .width = width > 0 ? width : WIDTH};

	draw_title(&pen, f);
	draw_pace(&pen, f, live);
	end_line(&pen);
	if (f->help)
		draw_help(&pen);
	else if (draw_body(&pen, f, live, err))
		return err->status;
	if (f->keys) {
		put_text(&pen, TS_STYLE_DIM, live->n_ranks > 1 ? "q leave   ? help   arrows: another rank" : "q leave   ? help");
		end_line(&pen);
	}
	return ts_arena_check(arena, err) ? err->status : ts_buf_check(out, err);
}
