#include "cli/why/why_text.h"

#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "cli/why/run_output.h"

static enum ts_style style_of(struct ts_span result)
{
	if (ts_span_is(result, "a"))
		return TS_STYLE_A;
	return ts_span_is(result, "b") ? TS_STYLE_B : TS_STYLE_DIM;
}

static const char *result_text(struct ts_span result)
{
	return ts_span_is(result, "a") ? "as A" : ts_span_is(result, "b") ? "as B" : ts_span_is(result, "other") ? "as neither" : NULL;
}

static enum ts_status trials(struct ts_cli *cli, const struct ts_why *why, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_RIGHT("#"), TS_LEFT("run", 24), TS_RIGHT("to step"), TS_RIGHT("took"),
							TS_LEFT("result", 8)};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < why->n_trials; i++) {
		const struct ts_why_trial *t = &why->trials[i];
		const char *said = result_text(t->result);

		ts_view_row(&view, NULL);
		ts_view_set(&view, "#", TS_STYLE_DIM, ts_show_count(t->number, &cli->arena));
		ts_view_set_span(&view, "run", TS_STYLE_PLAIN, t->what);
		ts_view_set(&view, "to step", TS_STYLE_PLAIN, ts_show_step(t->stop - 1, &cli->arena));
		ts_view_set(&view, "took", TS_STYLE_DIM, t->seconds > 0 ? ts_show_seconds(t->seconds, &cli->arena) : "-");
		if (said)
			ts_view_set(&view, "result", style_of(t->result), said);
		else
			ts_view_set_span(&view, "result", TS_STYLE_DIM, t->result);
	}
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

static enum ts_style style_of_whole(const struct ts_why *why)
{
	return why->proved ? TS_STYLE_GREEN : why->decided ? TS_STYLE_BOLD : TS_STYLE_YELLOW;
}

enum ts_status ts_render_why_text(struct ts_cli *cli, const struct ts_why *why, struct ts_error *err)
{
	const char *problem = NULL;

	ts_text_wrapped(cli, style_of_whole(why), 0, ts_show_text(why->sentence, &cli->arena));
	for (size_t i = 1; i < why->n_causes; i++)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0, ts_show_text(why->causes[i].sentence, &cli->arena));
	if (why->causes && why->n_causes && why->causes[0].operation.len)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0,
				ts_arena_phrase(&cli->arena, "The first operation that differs: %s.",
						ts_show_text(why->causes[0].operation, &cli->arena)));
	if (why->only_here)
		ts_text_wrapped(
			cli, TS_STYLE_YELLOW, 0,
			"Neither recorded run came out here as it was recorded; this is said of the difference between their reruns.");
	if (why->deterministic && why->decided)
		ts_text_wrapped(cli, TS_STYLE_DIM, 0, "This was found among runs with deterministic kernels and one thread.");
	if (why->placed)
		ts_text_wrapped(cli, TS_STYLE_DIM, 0, "Runs do not repeat here: each was placed among repeats of A and of B.");
	ts_text_heading(cli, ts_arena_phrase(&cli->arena, "RUNS, %s of %s", ts_show_plural(why->runs, "run", &cli->arena),
					     ts_show_plural(why->steps, "step", &cli->arena)));
	if (trials(cli, why, err))
		return err->status;
	for (size_t i = 0; i < why->n_trials; i++)
		if (why->trials[i].problem.len && !problem)
			problem = ts_arena_phrase(&cli->arena,
						  "Run %" PRIu64 " could not be made: %s%s", why->trials[i].number,
						  ts_show_text(why->trials[i].problem, &cli->arena),
						  ts_run_output_place(ts_show_text(why->trials[i].folder, &cli->arena), &cli->arena));
	if (problem)
		ts_text_wrapped(cli, TS_STYLE_YELLOW, 2, problem);
	if (!why->n_fixed)
		return TS_OK;
	ts_text_heading(cli, "DIFFERS, AND WAS NOT TRIED");
	for (size_t i = 0; i < why->n_fixed; i++)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2, ts_show_text(why->fixed[i], &cli->arena));
	return TS_OK;
}
