#include "cli/core/ask.h"
#include "cli/trace/diff_stored.h"

#include "cli/json/json_parts.h"
#include "cli/text/grid.h"
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "cli/trace/diff_trace.h"
#include "cli/trace/stored_trace.h"
#include "run/head.h"
#include "run/trace_columns.h"

enum { PAIRS_SHOWN = 32 };

/* --- pairs --- */

/* How alike two traces must be to be a pair, the most first. */
enum alike { NAME_AND_RANK, RANK, ANY, ALIKES };

/* The trace of B for this one of A: SIZE_MAX: none is left. */
static size_t partner(const struct ts_run_trace *a, const struct ts_run_trace *b, size_t n, const bool *taken, enum alike alike)
{
	for (size_t i = 0; i < n; i++)
		if (!taken[i] && (alike == ANY || b[i].rank == a->rank) && (alike != NAME_AND_RANK || ts_span_eq(b[i].name, a->name)))
			return i;
	return SIZE_MAX;
}

struct found {
	struct ts_run_trace *a, *b;
	size_t n_a, n_b;
	size_t *partner; /* of each of A */
};

static enum ts_status find(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, struct found *f, struct ts_error *err)
{
	bool *taken;

	if (ts_stored_traces(cli, a, &f->a, &f->n_a, err) || ts_stored_traces(cli, b, &f->b, &f->n_b, err))
		return err->status;
	f->partner = ts_arena_array(&cli->arena, f->n_a, sizeof *f->partner);
	taken = ts_arena_array(&cli->arena, f->n_b, sizeof *taken);
	if (!f->partner || !taken)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < f->n_a; i++)
		f->partner[i] = SIZE_MAX;
	for (int alike = 0; alike < (f->n_a == 1 && f->n_b == 1 ? ALIKES : ANY); alike++)
		for (size_t i = 0; i < f->n_a; i++) {
			if (f->partner[i] != SIZE_MAX)
				continue;
			f->partner[i] = partner(&f->a[i], f->b, f->n_b, taken, (enum alike)alike);
			if (f->partner[i] != SIZE_MAX)
				taken[f->partner[i]] = true;
		}
	return TS_OK;
}

/* --- one pair --- */

static enum ts_status compare(struct ts_cli *cli, const struct ts_run_trace *const of[2], struct ts_arena *arena,
			      struct ts_trace_diff *ret, struct ts_error *err)
{
	struct ts_trace_record record;
	struct ts_trace traces[2];
	enum ts_status status = TS_OK;
	int n = 0;

	for (; n < 2 && !status; n += !status)
		status = ts_trace_columns_load(ts_stored_object, cli, &of[n]->columns, arena, &traces[n], &record, err);
	if (!status)
		status = ts_trace_diff(&traces[0], &traces[1], arena, ret, err);
	while (n-- > 0)
		ts_trace_finish(&traces[n]);
	if (status)
		return status;
	ret->path_a = ts_show_text(of[0]->name, arena);
	ret->path_b = ts_show_text(of[1]->name, arena);
	return ts_arena_check(arena, err);
}

static uint64_t size_of(int64_t x)
{
	return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static bool is_worse(const struct ts_trace_diff_row *a, const struct ts_trace_diff_row *b)
{
	if (a->time_differs != b->time_differs)
		return a->time_differs;
	return a->time_differs && size_of(a->difference_ns) > size_of(b->difference_ns);
}

/* Takes the pair into the answer; what lies in its arena is kept if it is the worst so far. */
static void take(int32_t rank, const struct ts_trace_diff *d, struct ts_arena *own, struct ts_arena *worst, struct ts_stored_diff *out)
{
	struct ts_stored_pair *pair = &out->pairs[out->n++];

	*pair = (struct ts_stored_pair){rank, d->step, d->verdict};
	pair->step.name = ts_span_of(NULL, 0);
	if (out->n > 1 && !is_worse(&pair->step, &out->pairs[out->worst].step))
		return;
	ts_arena_finish(worst);
	*worst = *own;
	ts_arena_init(own, 0);
	out->worst = out->n - 1;
	out->diff = *d;
}

static void judge(struct ts_stored_diff *out)
{
	out->verdict = TS_TRACE_DIFF_SAME;
	for (size_t i = 0; i < out->n; i++)
		if (out->pairs[i].verdict == TS_TRACE_DIFF_DIFFERS || out->verdict == TS_TRACE_DIFF_SAME)
			out->verdict = out->pairs[i].verdict;
}

enum ts_status ts_stored_diff(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, struct ts_stored_diff *ret,
			      struct ts_error *err)
{
	struct ts_stored_diff out = {0};
	struct ts_arena worst;
	struct found f = {0};
	enum ts_status status = TS_OK;

	if (find(cli, a, b, &f, err))
		return err->status;
	out.pairs = ts_arena_array(&cli->arena, f.n_a, sizeof *out.pairs);
	if (!out.pairs)
		return ts_arena_error(&cli->arena, err);
	ts_arena_init(&worst, 0);
	for (size_t i = 0; i < f.n_a && !status; i++) {
		const struct ts_run_trace *of[2] = {&f.a[i], f.partner[i] == SIZE_MAX ? NULL : &f.b[f.partner[i]]};
		struct ts_trace_diff d;
		struct ts_arena own;

		if (!of[1])
			continue;
		ts_arena_init(&own, 0);
		status = compare(cli, of, &own, &d, err);
		if (!status)
			take(of[0]->rank, &d, &own, &worst, &out);
		ts_arena_finish(&own);
	}
	if (status || !ts_arena_adopt(&cli->arena, &worst)) {
		ts_arena_finish(&worst);
		return status ? status : ts_arena_error(&cli->arena, err);
	}
	out.unpaired = f.n_a + f.n_b - 2 * out.n;
	judge(&out);
	*ret = out;
	return TS_OK;
}

/* --- what is said --- */

int ts_trace_diff_exit(enum ts_trace_diff_verdict verdict)
{
	static const int exits[] = {[TS_TRACE_DIFF_SAME] = TS_EXIT_YES,
				    [TS_TRACE_DIFF_DIFFERS] = TS_EXIT_NO,
				    [TS_TRACE_DIFF_UNDECIDED] = TS_EXIT_INCONCLUSIVE};

	return exits[verdict];
}

static const char *rank_of(struct ts_cli *cli, int32_t rank)
{
	return rank == TS_RANK_JOB ? "the job" : ts_arena_printf(&cli->arena, "rank %d", (int)rank);
}

static enum ts_status pairs(struct ts_cli *cli, const struct ts_stored_diff *d, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"traces of", TS_ALIGN_LEFT, 0},
							{"step in A", TS_ALIGN_RIGHT, 0},
							{"in B", TS_ALIGN_RIGHT, 0},
							{"difference", TS_ALIGN_RIGHT, 0},
							{"", TS_ALIGN_LEFT, 0}};
	struct ts_grid grid;

	ts_grid_init(&grid, columns, 5, &cli->arena);
	for (size_t i = 0; i < d->n && i < PAIRS_SHOWN; i++) {
		const struct ts_trace_diff_row *step = &d->pairs[i].step;

		ts_grid_text(&grid, TS_STYLE_PLAIN, rank_of(cli, d->pairs[i].rank));
		ts_grid_text(&grid, TS_STYLE_PLAIN, ts_show_seconds((double)step->a.mean_ns / 1e9, &cli->arena));
		ts_grid_text(&grid, TS_STYLE_PLAIN, ts_show_seconds((double)step->b.mean_ns / 1e9, &cli->arena));
		ts_grid_text(&grid, TS_STYLE_PLAIN,
			     step->a.mean_ns > 0 ? ts_arena_printf(&cli->arena, "%+.1f %%",
								   100 * (double)step->difference_ns / (double)step->a.mean_ns)
						 : "-");
		ts_grid_text(&grid, TS_STYLE_PLAIN,
			     step->time_differs ? (i == d->worst ? "differs most" : "differs")
						: (step->decided ? "not different" : "one step"));
	}
	return ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
}

static enum ts_status about_pairs(struct ts_cli *cli, const struct ts_stored_diff *d, struct ts_error *err)
{
	if (d->n > 1 && pairs(cli, d, err))
		return err->status;
	if (d->unpaired)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "%s without one of the other run's",
						ts_show_plural(d->unpaired, "trace", &cli->arena)));
	return ts_arena_check(&cli->arena, err);
}

enum ts_status ts_stored_diff_section(struct ts_cli *cli, const struct ts_stored_diff *d, struct ts_error *err)
{
	const char *whose = rank_of(cli, d->pairs[d->worst].rank);
	const char *head =
		ts_arena_printf(&cli->arena, "TRACES  %s of A against %s of B, %s", d->diff.path_a, d->diff.path_b, whose ? whose : "");

	ts_text_heading(cli, head ? head : "");
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, ts_show_text(d->diff.sentence, &cli->arena));
	return about_pairs(cli, d, err);
}

enum ts_status ts_stored_diff_alone(struct ts_cli *cli, const struct ts_stored_diff *d, struct ts_error *err)
{
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_trace_diff, &d->diff, err);
	if (ts_render_trace_diff_text(cli, &d->diff, ts_args_has(&cli->args, "all"), err))
		return err->status;
	if (d->n > 1)
		ts_text_heading(cli, "The ranks");
	return about_pairs(cli, d, err);
}
