#include "cli/trace/diff_stored.h"

#include "analysis/trace/diff/summarize.h"
#include "cli/core/ask.h"
#include "cli/json/json_parts.h"
#include "cli/report/page.h"
#include "cli/text/show_gate.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/diff_ranks.h"
#include "cli/trace/diff_trace.h"
#include "cli/trace/stored_trace.h"
#include "cli/trace/summary_file.h"
#include "cli/trace/timeline_link.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "run/head.h"

enum { NAME_DRAWN = 60 };

struct stored {
	struct ts_id runs[2];
	struct ts_run_trace *of[2]; /* traces, then summaries of those that are not there */
	size_t n[2], n_traces[2];
};

static bool is_summary(const struct stored *s, const struct ts_rank_pair *pair, int side)
{
	return (side ? pair->b.at : pair->a.at) >= s->n_traces[side];
}

static enum ts_status compare_traces(struct ts_cli *cli, const struct ts_run_trace *const of[2], const struct ts_rank_pair *pair,
				     struct ts_arena *arena, struct ts_trace_diff *ret, struct ts_error *err)
{
	const struct ts_id columns[2] = {of[0]->columns, of[1]->columns};
	struct ts_trace_record record;
	struct ts_trace traces[2];
	enum ts_status status = TS_OK;
	int n = 0;

	if (ts_stored_columns_prefetch(cli, columns, 2, err))
		return err->status;
	for (; n < 2 && !status; n += !status) {
		ts_trace_room(cli, of[n]->size);
		status = ts_stored_load(cli, of[n], arena, &traces[n], &record, err);
	}
	if (!status)
		status = ts_diff_pair(cli, &traces[0], pair->a.name, &traces[1], pair->b.name, arena, ret, err);
	while (n-- > 0)
		ts_trace_finish(&traces[n]);
	return status;
}

/* What a summary of the trace would say. The names of its kernels are the arena's. */
static enum ts_status summarize(struct ts_cli *cli, const struct ts_run_trace *of, struct ts_arena *arena,
				struct ts_kernel_summary *ret, struct ts_error *err)
{
	struct ts_trace_record record;
	enum ts_status status;
	struct ts_trace trace;

	if (ts_stored_columns_prefetch(cli, &of->columns, 1, err))
		return err->status;
	ts_trace_room(cli, of->size);
	if (ts_stored_load(cli, of, arena, &trace, &record, err))
		return err->status;
	arena->ceiling = cli->arena.ceiling; /* that of the trace (ts_trace_room) */
	status = ts_summarize_kernels(&trace, arena, ret, err);
	ts_trace_finish(&trace);
	return status;
}

/* Where one side is a summary, the other one is made one. */
static enum ts_status compare_summaries(struct ts_cli *cli, const struct stored *s, const struct ts_run_trace *const of[2],
					const struct ts_rank_pair *pair, struct ts_arena *arena, struct ts_trace_diff *ret,
					struct ts_error *err)
{
	struct ts_warmup_asked asked = {.given = false};
	struct ts_kernel_summary sides[2];

	if (ts_warmup_option(cli, &asked, err))
		return err->status;
	for (int i = 0; i < 2; i++)
		if (is_summary(s, pair, i) ? ts_summary_load(cli, &s->runs[i], of[i], arena, &sides[i], err)
					   : summarize(cli, of[i], arena, &sides[i], err))
			return err->status;
	if (ts_trace_diff_summaries(&sides[0], pair->a.name, &sides[1], pair->b.name, &asked, arena, ret, err))
		return err->status;
	ret->a.summary = is_summary(s, pair, 0);
	ret->b.summary = is_summary(s, pair, 1);
	return TS_OK;
}

static enum ts_status compare(struct ts_cli *cli, const void *from, const struct ts_rank_pair *pair, struct ts_arena *arena,
			      struct ts_trace_diff *ret, struct ts_error *err)
{
	const struct stored *s = from;
	const struct ts_run_trace *of[2] = {&s->of[0][pair->a.at], &s->of[1][pair->b.at]};

	if (is_summary(s, pair, 0) || is_summary(s, pair, 1) ? compare_summaries(cli, s, of, pair, arena, ret, err)
							     : compare_traces(cli, of, pair, arena, ret, err))
		return err->status;
	ret->path_a = pair->a.name;
	ret->path_b = pair->b.name;
	return TS_OK;
}

/* The rank of the job's files is one, too, so that they are pairs. */
static struct ts_rank_trace *traces_of(struct ts_cli *cli, const struct ts_run_trace *of, size_t n, struct ts_error *err)
{
	struct ts_rank_trace *out = ts_arena_array(&cli->arena, n, sizeof *out);

	for (size_t i = 0; out && i < n; i++) {
		out[i] = (struct ts_rank_trace){ts_show_text(of[i].name, &cli->arena), of[i].rank, true, i};
		if (!out[i].name)
			out = NULL;
	}
	if (!out)
		(void)ts_arena_error(&cli->arena, err);
	return out;
}

static enum ts_status list(struct ts_cli *cli, const struct ts_id *id, int side, struct stored *s, struct ts_error *err)
{
	struct ts_run_trace *traces = NULL, *summaries = NULL;
	struct ts_get_reply run;
	char hex[TS_ID_HEX + 1];
	size_t n = 0;

	if (ts_ask_get(cli->target.channel, ts_span_str(ts_id_hex(id, hex)), &cli->arena, &run, err) ||
	    ts_stored_traces(cli, &run, &traces, &s->n_traces[side], err) ||
	    ts_run_summaries(cli, &run, traces, s->n_traces[side], &summaries, &n, err))
		return err->status;
	s->runs[side] = *id;
	s->n[side] = s->n_traces[side] + n;
	s->of[side] = ts_arena_array(&cli->arena, s->n[side], sizeof **s->of);
	if (!s->of[side])
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < s->n[side]; i++)
		s->of[side][i] = i < s->n_traces[side] ? traces[i] : summaries[i - s->n_traces[side]];
	return TS_OK;
}

enum ts_status ts_stored_diff(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, struct ts_rank_diff *ret,
			      struct ts_error *err)
{
	const struct ts_id *ids[2] = {a, b};
	struct ts_rank_trace *sides[2];
	struct stored s;

	for (int i = 0; i < 2; i++)
		if (list(cli, ids[i], i, &s, err) || !(sides[i] = traces_of(cli, s.of[i], s.n[i], err)))
			return err->status;
	return ts_rank_diff_pairs(sides[0], s.n[0], sides[1], s.n[1], &cli->arena, ret, err)
		       ? err->status
		       : ts_diff_ranks(cli, compare, &s, ret, err);
}

/* The links of one side: to its timeline, and there to the longest of what differs most in each table. A summary has none. */
static void link_side(struct ts_cli *cli, const struct ts_rank_diff *d, bool b)
{
	const struct ts_rank_trace *side = b ? &d->pairs[d->worst].b : &d->pairs[d->worst].a;
	const struct ts_run_trace trace = {.rank = (int32_t)side->rank, .name = ts_span_str(side->name)};
	const char *whose = ts_rank_words(cli, side), *run = ts_cli_word(cli, b);

	if (b ? d->diff.b.summary : d->diff.a.summary)
		return;
	ts_text_link(cli,
		     ts_arena_phrase(&cli->arena, "Timeline of %s: %s%s%s", b ? "B" : "A", side->name, whose && *whose ? ", " : "",
				     whose ? whose : ""),
		     ts_timeline_link(cli, run, &trace, NULL));
	for (size_t i = 0; i < d->diff.n_tables; i++) {
		const struct ts_trace_diff_table *t = &d->diff.tables[i];
		const struct ts_trace_diff_sum *sum = t->n_differ ? (b ? &t->rows[0].b : &t->rows[0].a) : NULL;

		if (sum && sum->has_longest && t->of != TS_SIDE_CATEGORIES) /* the parts of a step have these, too */
			ts_text_link(cli,
				     ts_arena_phrase(&cli->arena, "The longest %s of %s: %s",
						     ts_show_brief(t->rows[0].name, NAME_DRAWN, &cli->arena), b ? "B" : "A",
						     ts_trace_ms(cli, sum->longest.ns)),
				     ts_timeline_link(cli, run, &trace, &sum->longest.at_ns));
	}
}

/* On a page that is served, links to the timelines of the pair that differs most. */
static void link_timelines(struct ts_cli *cli, const struct ts_rank_diff *d)
{
	for (int b = 0; b < 2 && ts_cli_word(cli, 1); b++) /* of one word alone, nobody says here what it is compared with */
		link_side(cli, d, b);
}

enum ts_status ts_stored_diff_section(struct ts_cli *cli, const struct ts_rank_diff *d, struct ts_error *err)
{
	const char *whose = ts_rank_words(cli, &d->pairs[d->worst].a);
	const char *head =
		ts_arena_printf(&cli->arena, "TRACES  %s of A against %s of B, %s", d->diff.path_a, d->diff.path_b, whose ? whose : "");

	ts_text_heading(cli, head ? head : "");
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, ts_show_text(d->diff.sentence, &cli->arena));
	if (d->diff.a.summary || d->diff.b.summary)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, ts_summary_words(&d->diff));
	link_timelines(cli, d);
	return ts_ranks_text(cli, d, err);
}

static enum ts_status say_alone(struct ts_cli *cli, const void *what, struct ts_error *err)
{
	const struct ts_rank_diff *d = what;

	if (ts_render_trace_diff_text(cli, &d->diff, ts_args_has(&cli->args, "all"), err))
		return err->status;
	link_timelines(cli, d);
	if (d->n > 1)
		ts_text_heading(cli, "The ranks");
	return ts_ranks_text(cli, d, err);
}

enum ts_status ts_stored_diff_alone(struct ts_cli *cli, const struct ts_rank_diff *d, struct ts_error *err)
{
	const char *title = ts_page_title_of_two(ts_cli_word(cli, 0), ts_cli_word(cli, 1), &cli->arena);
	struct ts_said_page page = {.title = title, .foot = "the difference of the traces of two runs", .say = say_alone, .what = d};
	bool answered = false;

	if (!title)
		return ts_arena_error(&cli->arena, err);
	if (ts_page_write_said(cli, &page, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	return cli->json ? ts_json_answer(cli, &ts_shape_trace_diff, &d->diff, err) : say_alone(cli, d, err);
}
