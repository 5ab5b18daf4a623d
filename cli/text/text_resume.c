/* text_resume.c - whether a run was resumed correctly, as text. */
#include "cli/text/text_resume.h"

#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

static enum ts_style style_of(enum ts_resume_verdict verdict)
{
	switch (verdict) {
	case TS_RESUME_CORRECT:
		return TS_STYLE_GREEN;
	case TS_RESUME_WRONG:
		return TS_STYLE_RED;
	case TS_RESUME_UNDECIDED:
		break;
	}
	return TS_STYLE_YELLOW;
}

static const char *text_of(struct ts_cli *cli, struct ts_span span)
{
	const char *text = ts_arena_printf(&cli->arena, "%.*s", TS_SPAN_ARG(span));

	return text ? text : "(out of memory)";
}

static const char *number(struct ts_cli *cli, const struct ts_measures *m, enum ts_measure_name what, struct ts_span of)
{
	const struct ts_measure *row = ts_measure_find(m, what, of);

	if (!row)
		return "";
	if (row->unit == TS_UNIT_RATIO)
		return ts_arena_printf(&cli->arena, "%.3g", row->value);
	return ts_show_measure(row, &cli->arena);
}

/* Writes a row for each series that has steps in both runs. */
static enum ts_status series(struct ts_cli *cli, const struct ts_measures *m, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {
		TS_LEFT("series", 12),	     TS_RIGHT("common steps"),	   TS_RIGHT("equal"),
		TS_RIGHT("first differing"), TS_RIGHT("difference there"), TS_RIGHT("at most"),
	};
	static const enum ts_measure_name shown[] = {TS_M_RESUMED_COMMON, TS_M_RESUMED_EQUAL,
						     TS_M_RESUMED_FIRST_DIFFERING, TS_M_RESUMED_THERE,
						     TS_M_RESUMED_GREATEST};
	struct ts_view view;
	size_t n = 0;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < m->n; i++) {
		struct ts_span subject = m->items[i].subject;

		if (!ts_measure_is(&m->items[i], TS_M_RESUMED_COMMON) || !m->items[i].known)
			continue;
		ts_view_text(&view, TS_STYLE_PLAIN, text_of(cli, subject));
		for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++)
			ts_view_text(&view, TS_STYLE_PLAIN, number(cli, m, shown[k], subject));
		n++;
	}
	if (n == 0)
		return TS_OK;
	ts_text_heading(cli, "From the resume on (differences are relative)");
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

/* Writes each restart of the directory if there is more than one. */
static void restarts(struct ts_cli *cli, const struct ts_resume *r)
{
	if (!r->restart || r->restarts < 2)
		return;
	ts_text_heading(cli, "Restarts");
	for (size_t i = 0; i < r->why.features.n; i++) {
		const struct ts_measure *row = &r->why.features.items[i];

		if (!ts_measure_is(row, TS_M_RESTART_VERDICT))
			continue;
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				ts_arena_printf(&cli->arena, "%s, at step %s: %s", text_of(cli, row->subject),
						number(cli, &r->why.features, TS_M_RESTART_AT, row->subject),
						text_of(cli, row->text)));
	}
}

static void sentences(struct ts_cli *cli, const char *heading, const struct ts_span *items, size_t n)
{
	if (n)
		ts_text_heading(cli, heading);
	for (size_t i = 0; i < n; i++)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, text_of(cli, items[i]));
}

static void experiments(struct ts_cli *cli, const struct ts_diagnosis *why)
{
	if (why->n_experiments)
		ts_text_heading(cli, "What to do next");
	for (size_t i = 0; i < why->n_experiments; i++) {
		const struct ts_experiment *e = &why->experiments[i];

		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				ts_arena_printf(&cli->arena, "%s%s%s", text_of(cli, e->what),
						e->splits.len ? "; this shows " : "", text_of(cli, e->splits)));
		if (e->command.len)
			ts_text_wrapped(cli, TS_STYLE_CYAN, 6, text_of(cli, e->command));
	}
}

static const char *remaining(struct ts_cli *cli, const struct ts_diagnosis *why)
{
	const char *text = "";

	for (size_t i = 0; i < why->n_remaining && text; i++)
		text = ts_arena_printf(&cli->arena, "%s%s%s", text, i ? "; " : "", ts_cause_title(why->remaining[i]));
	return text;
}

const char *ts_show_lineage(const struct ts_lineage *l, struct ts_arena *arena)
{
	const char *shared = ts_show_count(l->shared_blocks, arena), *blocks = ts_show_count(l->blocks, arena);
	const char *prefix = l->prefix ? ts_show_range(l->prefix_first, l->prefix_last, arena) : "";

	if (!l->found)
		return "the parent is not in this store, so it is not known what both share";
	if (l->blocks == 0)
		return "there is no trajectory to share";
	if (!shared || !blocks || !prefix)
		return NULL;
	return ts_arena_printf(arena, "%s of %s blocks of the trajectory are stored once for both%s%s", shared, blocks,
			       l->prefix ? ", among them those of all steps " : "", prefix);
}

/* Of the run in the line above; what finished, or of which nothing is known, has none. */
static void ended(struct ts_cli *cli, struct ts_span sentence)
{
	if (sentence.len)
		ts_text_field(cli, "ended", ts_show_text(sentence, &cli->arena));
}

enum ts_status ts_render_resume_text(struct ts_cli *cli, const struct ts_resume *r, struct ts_error *err)
{
	const struct ts_diagnosis *why = &r->why;
	enum ts_status status;

	ts_text_wrapped(cli, style_of(r->verdict), 0, text_of(cli, why->sentence));
	if (!r->restart) {
		ts_text_field(cli, "parent", ts_show_run(&r->parent, &cli->arena));
		ended(cli, r->ending_parent.sentence);
	}
	ts_text_field(cli, r->restart ? "run" : "child", ts_show_run(&r->child, &cli->arena));
	ended(cli, r->before);
	ended(cli, r->ending_child.sentence);
	if (why->has_step)
		ts_text_field(cli, "resumed", ts_arena_printf(&cli->arena, "at step %s", ts_show_step(why->step, &cli->arena)));
	if (r->verdict == TS_RESUME_WRONG)
		ts_text_field(cli, "cause", ts_arena_printf(&cli->arena, "%s (confidence: %s)", ts_cause_title(why->cause),
							    ts_confidence_word(why->confidence)));
	if (why->n_remaining)
		ts_text_field(cli, "could be", remaining(cli, why));
	if (!r->restart && r->lineage.found)
		ts_text_field(cli, "shared", ts_show_lineage(&r->lineage, &cli->arena));
	status = series(cli, &why->features, err);
	if (status)
		return status;
	restarts(cli, r);
	sentences(cli, "Evidence for a correct resume", why->evidence_for, why->n_for);
	sentences(cli, "Evidence against it, and what is not known", why->evidence_against, why->n_against);
	experiments(cli, why);
	return TS_OK;
}
