#include "cli/trace/diff_ranks.h"

#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

enum { PAIRS_SHOWN = 32, ALONE_SHOWN = 8 };

enum ts_status ts_diff_ranks(struct ts_cli *cli, ts_compare_pair *compare, const void *from, struct ts_rank_diff *io,
			     struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_arena worst;

	ts_arena_init(&worst, 0);
	for (size_t i = 0; i < io->n && !status; i++) {
		struct ts_trace_diff d;
		struct ts_arena own;

		ts_arena_init(&own, 0);
		status = compare(cli, from, &io->pairs[i], &own, &d, err);
		if (!status && ts_rank_diff_take(io, &d)) {
			ts_arena_finish(&worst);
			worst = own;
			ts_arena_init(&own, 0);
		}
		ts_arena_finish(&own);
	}
	if (status || !ts_arena_adopt(&cli->arena, &worst)) {
		ts_arena_finish(&worst);
		return status ? status : ts_arena_error(&cli->arena, err);
	}
	return ts_rank_diff_judge(io, &cli->arena, err);
}

/* --- what is said --- */

int ts_trace_diff_exit(enum ts_trace_diff_verdict verdict)
{
	static const int exits[] = {[TS_TRACE_DIFF_SAME] = TS_EXIT_YES,
				    [TS_TRACE_DIFF_DIFFERS] = TS_EXIT_NO,
				    [TS_TRACE_DIFF_UNDECIDED] = TS_EXIT_INCONCLUSIVE};

	return exits[verdict];
}

const char *ts_rank_words(struct ts_cli *cli, const struct ts_rank_trace *trace)
{
	if (!trace->has_rank)
		return trace->name;
	return trace->rank < 0 ? "the job" : ts_arena_printf(&cli->arena, "rank %" PRId64, trace->rank);
}

static bool is_same_rank(const struct ts_rank_pair *a, const struct ts_rank_pair *b)
{
	return a->a.has_rank && b->a.has_rank && a->a.rank == b->a.rank;
}

/* With the trace, where a rank has several. */
static const char *whose(struct ts_cli *cli, const struct ts_rank_diff *d, size_t i)
{
	const struct ts_rank_pair *p = &d->pairs[i];
	const char *words = ts_rank_words(cli, &p->a);

	if (!words || !((i && is_same_rank(p, p - 1)) || (i + 1 < d->n && is_same_rank(p, p + 1))))
		return words;
	return ts_arena_printf(&cli->arena, "%s, %s", words, p->a.name);
}

static void pair(struct ts_cli *cli, struct ts_view *view, const struct ts_rank_diff *d, size_t i)
{
	const struct ts_trace_diff_row *step = &d->pairs[i].step;

	ts_view_row(view, NULL);
	ts_view_set(view, "traces of", TS_STYLE_PLAIN, whose(cli, d, i));
	ts_view_set(view, "step in A", TS_STYLE_PLAIN, ts_show_seconds((double)step->a.mean_ns / 1e9, &cli->arena));
	ts_view_set(view, "in B", TS_STYLE_PLAIN, ts_show_seconds((double)step->b.mean_ns / 1e9, &cli->arena));
	ts_view_set(view, "difference", TS_STYLE_PLAIN,
		    step->a.mean_ns > 0
			    ? ts_arena_printf(&cli->arena, "%+.1f %%", 100 * (double)step->difference_ns / (double)step->a.mean_ns)
			    : "-");
	ts_view_set(view, "", TS_STYLE_PLAIN,
		    step->time_differs ? (i == d->worst ? "differs most" : "differs") : (step->decided ? "not different" : "one step"));
}

static enum ts_status pairs(struct ts_cli *cli, const struct ts_rank_diff *d, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("traces of", 0), TS_RIGHT("step in A"), TS_RIGHT("in B"),
							TS_RIGHT("difference"), TS_LEFT("", 0)};
	size_t shown = d->n > PAIRS_SHOWN && !ts_args_has(&cli->args, "all") ? PAIRS_SHOWN : d->n;
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < shown; i++)
		pair(cli, &view, d, i);
	if (ts_view_print(&view, &cli->term, 2, &cli->out, err))
		return err->status;
	if (d->n > shown)
		ts_text_wrapped(
			cli, TS_STYLE_DIM, 2,
			ts_arena_printf(&cli->arena, "and %s; --all shows them", ts_show_plural(d->n - shown, "pair", &cli->arena)));
	return ts_arena_check(&cli->arena, err);
}

/* "rank 2 (b.json), rank 3 (c.json)" of one side; empty: it has none. */
static const char *alone(struct ts_cli *cli, const struct ts_rank_diff *d, bool in_b)
{
	const char *text = "";
	size_t n = 0;

	for (size_t i = 0; i < d->n_alone && text; i++) {
		const struct ts_rank_trace *t = &d->alone[i].trace;

		if (d->alone[i].in_b != in_b || n++ >= ALONE_SHOWN)
			continue;
		text = ts_arena_printf(&cli->arena, t->has_rank ? "%s%s%s (%s)" : "%s%s%s", text, *text ? ", " : "",
				       ts_rank_words(cli, t), ts_show_text(ts_span_str(t->name), &cli->arena));
	}
	return n > ALONE_SHOWN && text ? ts_arena_printf(&cli->arena, "%s and %zu more", text, n - ALONE_SHOWN) : text;
}

enum ts_status ts_ranks_text(struct ts_cli *cli, const struct ts_rank_diff *d, struct ts_error *err)
{
	if (d->n > 1 && pairs(cli, d, err))
		return err->status;
	for (int in_b = 0; in_b < 2; in_b++) {
		const char *text = alone(cli, d, in_b);

		if (text && *text)
			ts_text_wrapped(cli, TS_STYLE_DIM, 2, ts_arena_printf(&cli->arena, "only in %s: %s", in_b ? "B" : "A", text));
	}
	return ts_arena_check(&cli->arena, err);
}
