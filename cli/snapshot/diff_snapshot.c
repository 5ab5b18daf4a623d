#include "cli/snapshot/diff_snapshot.h"

#include "analysis/snapshot/memory_diff.h"
#include "cli/core/ask.h"
#include "cli/json/json_parts.h"
#include "cli/report/page.h"
#include "cli/report/pair_bars.h"
#include "cli/report/render_report.h"
#include "cli/snapshot/course_figure.h"
#include "cli/snapshot/snapshot_parts.h"
#include "cli/text/show_gate.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "ingest/snapshot/snapshot_read.h"
#include "proto/shape/shapes.h"
#include "run/head.h"
#include "run/snapshot_columns.h"
#include "run/trace_list.h"

enum { ROWS_SHOWN = 12 };

static const char *bytes(struct ts_cli *cli, uint64_t n)
{
	return ts_show_bytes((double)n, &cli->arena);
}

static const char *change(struct ts_cli *cli, int64_t n)
{
	const char *text = ts_show_bytes(n < 0 ? -(double)n : (double)n, &cli->arena);

	return text ? ts_arena_printf(&cli->arena, "%s%s", n < 0 ? "-" : (n ? "+" : ""), text) : NULL;
}

/* "lab/net.py:54" of the call "step (/home/ada/lab/net.py:54)", where a row has one; "" else. */
static struct ts_span place_of(struct ts_span call)
{
	size_t at = call.len;

	while (at && call.data[at - 1] != '(')
		at--;
	return at && at < call.len ? ts_snap_short_file(ts_span_of(call.data + at, call.len - at - 1)) : ts_span_of(NULL, 0);
}

/* "forward", or "forward: at::bmm" where the operator tells the stack from others. */
static const char *function(struct ts_cli *cli, const struct ts_memory_diff_row *row, struct ts_span operator)
{
	struct ts_span name = row->function.len ? ts_memory_short_function(row->function) : ts_span_str("no stack");
	const char *shown = ts_show_brief(name, TS_MEMORY_NAME_SAID, &cli->arena),
		   *of = ts_show_brief(operator, TS_MEMORY_NAME_SAID, &cli->arena);

	return shown && of ? ts_arena_printf(&cli->arena, "%s%s%s", shown, operator.len ? ": at::" : "", of) : NULL;
}

static void place(struct ts_cli *cli, struct ts_view *view, const struct ts_memory_diff_moment *m, size_t i)
{
	const struct ts_memory_diff_row *row = &m->rows[i];
	int64_t line = row->match == TS_MATCH_ONLY_A ? row->a.line : row->b.line;
	const char *file = ts_show_brief(ts_snap_short_file(row->file), TS_MEMORY_NAME_SAID, &cli->arena);
	struct ts_memory_diff_apart apart = ts_memory_diff_apart(m, i);
	const char *call = ts_show_brief(place_of(apart.call), TS_MEMORY_NAME_SAID, &cli->arena);

	ts_view_set(view, "function", TS_STYLE_PLAIN, function(cli, row, apart.operator));
	if (file && line > 0)
		file = ts_arena_printf(&cli->arena, "%s:%" PRId64, file, line);
	if (file && call && *call)
		file = ts_arena_printf(&cli->arena, "%s < %s", apart.within ? call : file, apart.within ? file : call);
	ts_view_set(view, "where", TS_STYLE_DIM, file);
}

static const char *how(struct ts_cli *cli, const struct ts_memory_diff_row *row)
{
	if (row->match == TS_MATCH_ONLY_A)
		return "gone";
	if (row->match == TS_MATCH_ONLY_B)
		return "new";
	if (row->scales && row->ratio != 1)
		return ts_arena_printf(&cli->arena, "largest x %.2f", row->ratio);
	return row->match == TS_MATCH_LINES ? "other lines" : "";
}

static enum ts_status rows(struct ts_cli *cli, const struct ts_memory_diff_moment *m, const char *title, bool all, struct ts_error *err)
{
	static const struct ts_view_column made[] = {{.head = "", .key = "how"}, TS_LEFT("where", 24)};
	size_t n = all ? m->n : m->n_differ, shown = all || n < ROWS_SHOWN ? n : ROWS_SHOWN;
	struct ts_view view;
	int64_t rest = m->difference;
	const char *text;

	if (!m->known || !n)
		return TS_OK;
	text = ts_arena_printf(&cli->arena, "%s, by stack: %s of %s differ", title, ts_show_count(m->n_differ, &cli->arena),
			       ts_show_count(m->n, &cli->arena));
	ts_text_heading(cli, text ? text : "");
	ts_view_with(&view, &ts_shape_memory_diff_row, "a.bytes b.bytes difference_bytes how kind function where",
		     TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < shown; i++) {
		ts_view_row(&view, &m->rows[i]);
		ts_view_set(&view, "how", TS_STYLE_PLAIN, how(cli, &m->rows[i]));
		place(cli, &view, m, i);
		rest -= m->rows[i].difference;
	}
	if (ts_view_print(&view, &cli->term, 2, &cli->out, err))
		return err->status;
	text = n > shown ? ts_arena_printf(&cli->arena, "and %s, together %s; --all shows them",
					   ts_show_plural(n - shown, "row", &cli->arena), change(cli, rest))
			 : NULL;
	if (text)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2, text);
	return TS_OK;
}

static const char *as_bytes(double n, struct ts_arena *arena)
{
	return ts_show_bytes(n, arena);
}

/* On a page, what memory is for on both sides, at the peak where it is known. */
static void picture(struct ts_cli *cli, const struct ts_memory_diff_device *d)
{
	const struct ts_memory_diff_moment *m = d->peak.known ? &d->peak : &d->end;
	struct ts_pair_part parts[TS_MEMORY_KINDS];

	if (!cli->term.page)
		return;
	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		parts[i] = (struct ts_pair_part){.label = ts_memory_kind_word(m->kinds[i].kind),
						 .a = (double)m->kinds[i].a,
						 .b = (double)m->kinds[i].b,
						 .colour = ts_course_colour(m->kinds[i].kind)};
	ts_pair_bars(&cli->out, d->peak.known ? "what is held at the peak, in A and in B" : "what is held at the end, in A and in B",
		     parts, TS_MEMORY_KINDS, as_bytes, &cli->arena);
}

static enum ts_status kinds(struct ts_cli *cli, const struct ts_memory_diff_device *d, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("kind", 0),
							TS_RIGHT("peak A"),
							TS_RIGHT("peak B"),
							{.head = "difference", .align = TS_ALIGN_RIGHT, .key = "of the peak"},
							TS_RIGHT("end A"),
							TS_RIGHT("end B"),
							{.head = "difference", .align = TS_ALIGN_RIGHT, .key = "of the end"}};
	struct ts_view view;

	ts_text_heading(cli, "By kind");
	picture(cli, d);
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (int i = 1; i <= TS_MEMORY_KINDS; i++) {
		const struct ts_memory_diff_kind *peak = &d->peak.kinds[i % TS_MEMORY_KINDS], *end = &d->end.kinds[i % TS_MEMORY_KINDS];

		if (!peak->a && !peak->b && !end->a && !end->b)
			continue;
		ts_view_row(&view, NULL);
		ts_view_set(&view, "kind", TS_STYLE_PLAIN, ts_memory_kind_word(end->kind));
		ts_view_set(&view, "peak A", TS_STYLE_PLAIN, d->peak.known ? bytes(cli, peak->a) : "unknown");
		ts_view_set(&view, "peak B", TS_STYLE_PLAIN, d->peak.known ? bytes(cli, peak->b) : "unknown");
		ts_view_set(&view, "of the peak", TS_STYLE_PLAIN, d->peak.known ? change(cli, peak->difference) : "unknown");
		ts_view_set(&view, "end A", TS_STYLE_PLAIN, bytes(cli, end->a));
		ts_view_set(&view, "end B", TS_STYLE_PLAIN, bytes(cli, end->b));
		ts_view_set(&view, "of the end", TS_STYLE_PLAIN, change(cli, end->difference));
	}
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

static enum ts_status gauges(struct ts_cli *cli, const struct ts_memory_diff_device *d, struct ts_error *err)
{
	static const char *const words[TS_MEMORY_GAUGES] = {
		"peak, requested",     "there before recording",	 "most that was reserved",
		"reserved at the end", "allocated at the end",		 "requested at the end",
		"lost to rounding",    "cache that empty_cache returns", "fragments that it does not"};
	static const struct ts_view_column made[] = {{.head = "", .key = "what"}, TS_RIGHT("difference")};
	struct ts_view view;

	ts_view_with(&view, &ts_shape_memory_diff_gauge, "what a_bytes b_bytes difference", TS_VIEW_COLUMNS(made), &cli->arena);
	for (int i = 0; i < TS_MEMORY_GAUGES; i++) {
		const struct ts_memory_diff_gauge *g = &d->gauges[i];
		int64_t more = g->b >= g->a ? (int64_t)(g->b - g->a) : -(int64_t)(g->a - g->b);

		ts_view_row(&view, g);
		ts_view_set(&view, "what", TS_STYLE_PLAIN, words[i]);
		ts_view_set(&view, "difference", TS_STYLE_PLAIN, g->known_a && g->known_b ? change(cli, more) : "unknown");
	}
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

static enum ts_status text(struct ts_cli *cli, const struct ts_memory_diff *d, struct ts_error *err)
{
	bool all = ts_args_has(&cli->args, "all");

	if (d->lacking.len)
		ts_text_wrapped(cli, TS_STYLE_BOLD, 0, ts_show_text(d->lacking, &cli->arena));
	ts_text_field(cli, "A", d->path_a);
	ts_text_field(cli, "B", d->path_b);
	if (d->only_a || d->only_b)
		ts_text_field(cli, "devices",
			      ts_arena_printf(&cli->arena, "%s only in A, %s only in B, which are not compared",
					      ts_show_count(d->only_a, &cli->arena), ts_show_count(d->only_b, &cli->arena)));
	if (!d->n)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0, "The snapshots have no device in common.");
	for (size_t i = 0; i < d->n; i++) {
		const struct ts_memory_diff_device *device = &d->devices[i];
		const char *heading = ts_arena_printf(&cli->arena, "Device %" PRIu64, device->device);

		ts_text_heading(cli, heading ? heading : "");
		ts_text_wrapped(cli, TS_STYLE_BOLD, 0, ts_show_text(device->sentence, &cli->arena));
		if (gauges(cli, device, err) || kinds(cli, device, err) || rows(cli, &device->peak, "At the peak", all, err) ||
		    rows(cli, &device->end, "At the end", all, err))
			return err->status;
	}
	return ts_arena_check(&cli->arena, err);
}

static enum ts_status say(struct ts_cli *cli, const void *what, struct ts_error *err)
{
	const struct ts_memory_diffs *all = what;

	for (size_t i = 0; i < all->n; i++) {
		if (i && cli->term.page)
			ts_text_heading(cli, all->items[i].path_a);
		else if (i)
			ts_buf_char(&cli->out, '\n');
		if (text(cli, &all->items[i], err))
			return err->status;
	}
	return TS_OK;
}

/* Writes the page that --html asks for; *ret_answered as of ts_page_write. */
static enum ts_status page_of(struct ts_cli *cli, const struct ts_memory_diffs *all, bool *ret_answered, struct ts_error *err)
{
	const char *title = ts_page_title_of_two(ts_cli_word(cli, 0), ts_cli_word(cli, 1), &cli->arena);
	struct ts_said_page page = {.title = title, .foot = "the difference of two memory snapshots", .say = say, .what = all};

	return title ? ts_page_write_said(cli, &page, ret_answered, err) : ts_arena_error(&cli->arena, err);
}

static enum ts_status make(struct ts_cli *cli, const struct ts_snapshot *a, const struct ts_snapshot *b, const char *of_a,
			   const char *of_b, struct ts_memory_diff *ret, struct ts_error *err)
{
	if (ts_memory_diff(a, b, &cli->arena, ret, err))
		return err->status;
	ret->path_a = of_a;
	ret->path_b = of_b;
	return TS_OK;
}

static int exit_of(const struct ts_memory_diff *diff)
{
	if (diff->same)
		return TS_EXIT_YES;
	return diff->n && !diff->lacking.len ? TS_EXIT_NO : TS_EXIT_INCONCLUSIVE;
}

enum ts_status ts_diff_snapshots(struct ts_cli *cli, const char *path_a, const char *path_b, struct ts_error *err)
{
	struct ts_memory_diff diff;
	struct ts_snapshot a, b;
	bool answered = false;

	if (ts_check_page_option(cli, "json", err))
		return ts_error_prefix(err, "diff");
	if (ts_snapshot_load(path_a, &cli->arena, &a, err) || ts_snapshot_load(path_b, &cli->arena, &b, err) ||
	    make(cli, &a, &b, path_a, path_b, &diff, err))
		return err->status;
	cli->exit_code = exit_of(&diff);
	if (page_of(cli, &(struct ts_memory_diffs){.items = &diff, .n = 1}, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	return cli->json ? ts_json_answer(cli, &ts_shape_memory_diff, &diff, err) : text(cli, &diff, err);
}

/* --- of runs --- */

struct side {
	const char *word;
	struct ts_run_trace *all;
	size_t n;
};

static bool is_pair(const struct side *a, size_t i, const struct side *b, size_t k)
{
	return (a->n == 1 && b->n == 1) || (a->all[i].rank == b->all[k].rank && ts_span_eq(a->all[i].name, b->all[k].name));
}

static const char *label(struct ts_cli *cli, const struct side *side, size_t i)
{
	const char *name = ts_show_text(side->all[i].name, &cli->arena);

	if (!name)
		return NULL;
	if (side->all[i].rank == TS_RANK_JOB)
		return ts_arena_printf(&cli->arena, "%s of the job of %s", name, side->word);
	return ts_arena_printf(&cli->arena, "%s of rank %d of %s", name, (int)side->all[i].rank, side->word);
}

static enum ts_status make_pair(struct ts_cli *cli, const struct side *a, size_t i, const struct side *b, size_t k,
				struct ts_memory_diff *ret, struct ts_error *err)
{
	const char *of_a = label(cli, a, i), *of_b = label(cli, b, k);
	struct ts_snapshot x, y;

	if (!of_a || !of_b)
		return ts_arena_error(&cli->arena, err);
	if (ts_snapshot_columns_load(ts_stored_object, cli, &a->all[i].columns, &cli->arena, &x, err) ||
	    ts_snapshot_columns_load(ts_stored_object, cli, &b->all[k].columns, &cli->arena, &y, err))
		return err->status;
	return make(cli, &x, &y, of_a, of_b, ret, err);
}

static size_t count_pairs(const struct side *a, const struct side *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			n += is_pair(a, i, b, k);
	return n;
}

/* The worst of them counts: what differs, then what cannot be compared. */
static int worse(int a, int b)
{
	if (a == TS_EXIT_NO || b == TS_EXIT_NO)
		return TS_EXIT_NO;
	return a == TS_EXIT_YES ? b : a;
}

/* The snapshots of both runs, or those of this name. */
static enum ts_status sides(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, const char *name, struct side ret[2],
			    struct ts_error *err)
{
	for (size_t k = 0; k < 2; k++) {
		struct side *side = &ret[k];
		size_t n = 0;

		*side = (struct side){.word = ts_cli_word(cli, k)};
		if (ts_run_snapshots(ts_stored_object, cli, k ? b : a, &cli->arena, &side->all, &side->n, err))
			return err->status;
		for (size_t i = 0; i < side->n; i++)
			if (!name || ts_span_is(side->all[i].name, name))
				side->all[n++] = side->all[i];
		side->n = n;
	}
	return TS_OK;
}

static enum ts_status make_pairs(struct ts_cli *cli, const struct side s[2], struct ts_memory_diffs *io, struct ts_error *err)
{
	io->items = ts_arena_array(&cli->arena, io->n, sizeof *io->items);
	io->n = 0;
	if (!io->items)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < s[0].n; i++)
		for (size_t k = 0; k < s[1].n; k++) {
			if (!is_pair(&s[0], i, &s[1], k))
				continue;
			if (make_pair(cli, &s[0], i, &s[1], k, &io->items[io->n], err))
				return err->status;
			io->n++;
		}
	return TS_OK;
}

static enum ts_status show_pairs(struct ts_cli *cli, const struct ts_memory_diffs *all, struct ts_error *err)
{
	bool answered = false;

	if (page_of(cli, all, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	if (cli->json)
		return all->n == 1 ? ts_json_answer(cli, &ts_shape_memory_diff, &all->items[0], err)
				   : ts_json_answer(cli, &ts_shape_memory_diffs, all, err);
	return say(cli, all, err);
}

enum ts_status ts_diff_stored_snapshots(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, const char *name,
					bool *ret_done, struct ts_error *err)
{
	struct ts_memory_diffs all = {.n = 0};
	struct side s[2];

	if (sides(cli, a, b, name, s, err))
		return err->status;
	all.n = count_pairs(&s[0], &s[1]);
	all.left_a = s[0].n - all.n;
	all.left_b = s[1].n - all.n;
	*ret_done = all.n > 0;
	if (!all.n)
		return TS_OK;
	if (make_pairs(cli, s, &all, err))
		return err->status;
	cli->exit_code = TS_EXIT_YES;
	for (size_t i = 0; i < all.n; i++)
		cli->exit_code = worse(cli->exit_code, exit_of(&all.items[i]));
	if (show_pairs(cli, &all, err))
		return err->status;
	if (all.left_a || all.left_b) {
		cli->exit_code = TS_EXIT_NO;
		ts_cli_say(cli,
			   "left out: %" PRIu64 " of %s, %" PRIu64 " of %s; the other side has no memory snapshot of that rank and "
			   "name",
			   all.left_a, s[0].word, all.left_b, s[1].word);
	}
	return TS_OK;
}

enum ts_status ts_mention_snapshots(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, struct ts_error *err)
{
	struct side s[2];

	if (sides(cli, a, b, NULL, s, err))
		return err->status;
	if (!s[0].n || !s[1].n)
		return TS_OK;
	if (!count_pairs(&s[0], &s[1]))
		ts_cli_say(cli, "both runs have memory snapshots, but none of the same rank and name; tscope export writes them to "
				"files, of which tscope diff compares two");
	else
		ts_cli_say(cli, "both runs have memory snapshots: tscope diff %s %s --snapshot NAME says which stacks hold more",
			   s[0].word, s[1].word);
	return TS_OK;
}
