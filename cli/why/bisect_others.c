/* bisect_others.c - see bisect_others.h. */
#include "cli/why/bisect_others.h"

#include "base/number.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/list_pages.h"
#include "cli/why/why_problem.h"
#include "run/head.h"

/* The text of a cell; empty: it has none. */
static struct ts_span cell_text(const struct ts_list_row *row, size_t i, struct ts_arena *arena)
{
	struct ts_buf text = TS_BUF_INIT(1 << 16);
	struct ts_span said = {NULL, 0};

	if (i < row->n_cells && row->cells[i].known) {
		if (row->cells[i].value.type == TS_FACT_TEXT)
			return row->cells[i].value.text;
		ts_fact_print(&row->cells[i].value, &text);
		said = ts_arena_span(arena, ts_buf_view(&text));
	}
	ts_buf_finish(&text);
	return said;
}

static bool take_new(struct ts_bisect_others *o, const struct ts_id *id)
{
	for (size_t i = 0; i < o->n_seen; i++)
		if (ts_id_eq(&o->seen[i], id))
			return false;
	if (o->n_seen == TS_BISECT_OTHERS_MOST)
		return false;
	o->seen[o->n_seen++] = *id;
	return true;
}

enum ts_status ts_bisect_others_new(struct ts_bisect_others *o, struct ts_bisect_other ret[TS_BISECT_OTHERS_MOST], size_t *ret_n,
				    struct ts_error *err)
{
	struct ts_arena *arena = &o->cli->arena;
	struct ts_span columns[] = {ts_span_str("session.experiment.version"), ts_span_str("session.experiment.judged"),
				    ts_span_str("session.experiment.place")};
	struct ts_list_request request = {
		.project = o->project,
		.kind = TS_REF_RUN,
		.filter = ts_span_str(ts_arena_phrase(arena, "session.experiment.question=\"%s\"", o->question)),
		.columns = columns,
		.n_columns = sizeof columns / sizeof *columns};
	struct ts_listing list = {.n = 0};
	size_t n = 0;

	if (ts_list_pages(o->cli, &request, NULL, UINT64_MAX, &list, err))
		return err->status;
	for (size_t i = 0; i < list.n && n < TS_BISECT_OTHERS_MOST; i++) {
		const struct ts_list_row *row = &list.rows[i];
		struct ts_span judged = cell_text(row, 1, arena);
		uint64_t version;

		if (ts_span_is(cell_text(row, 2, arena), o->place) || !ts_parse_u64(cell_text(row, 0, arena), &version) ||
		    (!ts_span_is(judged, "good") && !ts_span_is(judged, "bad")) || !version || !take_new(o, &row->id))
			continue;
		ret[n++] = (struct ts_bisect_other){.version = version, .bad = ts_span_is(judged, "bad"), .name = row->name};
	}
	*ret_n = n;
	return TS_OK;
}

/* Does a diff show nothing but code that differs before the training? */
static bool is_alike(const struct ts_diff *diff)
{
	static const char *const parts[] = {"config.", "hardware.", "libraries.", "parallelism.", "determinism.", "seeds.", "data."};

	for (size_t i = 0; i < diff->n_facts; i++)
		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
			if (ts_span_starts(diff->facts[i].path, ts_span_str(parts[k])))
				return false;
	return diff->a.steps && diff->b.steps && diff->b.first_step <= diff->a.last_step && diff->a.first_step <= diff->b.last_step;
}

enum ts_status ts_bisect_recorded(struct ts_cli *cli, struct ts_span spec, int64_t steps,
				  struct ts_bisect_other ret[TS_BISECT_OTHERS_MOST], size_t *ret_n, struct ts_error *err)
{
	struct ts_span columns[] = {ts_span_str("code.commit"), ts_span_str("session.command"), ts_span_str("session.experiment.of")};
	struct ts_list_request request = {.kind = TS_REF_RUN,
					  .filter = ts_span_str("code.dirty=false"),
					  .columns = columns,
					  .n_columns = sizeof columns / sizeof *columns};
	struct ts_listing list = {.n = 0};
	const struct ts_fact *command;
	struct ts_get_reply run;
	struct ts_head head;
	const char *project;
	size_t n = 0;

	*ret_n = 0;
	if (ts_cli_project(cli, &project, err))
		return err->status;
	request.project = ts_span_str(project);
	if (ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) || ts_head_decode(run.head, &cli->arena, &head, err) ||
	    ts_list_pages(cli, &request, NULL, UINT64_MAX, &list, err))
		return err->status;
	command = ts_facts_find(&head.facts, ts_span_str("session.command"));
	for (size_t i = 0; i < list.n && n < TS_BISECT_OTHERS_MOST; i++) {
		const struct ts_list_row *row = &list.rows[i];
		struct ts_diff_request asked = {.a = spec, .plots = TS_PLOTS_NONE};
		struct ts_span commit = cell_text(row, 0, &cli->arena);
		char hex[TS_ID_HEX + 1];
		int64_t parts, stop;
		struct ts_diff diff;

		if (!commit.len || ts_id_eq(&row->id, &run.run.id) || cell_text(row, 2, &cli->arena).len || !command ||
		    command->type != TS_FACT_TEXT || !ts_span_eq(cell_text(row, 1, &cli->arena), command->text))
			continue;
		asked.b = ts_span_str(ts_arena_phrase(&cli->arena, "id:%s", ts_id_hex(&row->id, hex)));
		if (ts_ask_diff(cli->target.channel, &asked, &cli->arena, &diff, err))
			return err->status;
		stop = steps ? diff.a.first_step + steps : diff.a.last_step + 1;
		parts = ts_why_parts(&diff, stop);
		/* A run that ended before that and differs in nothing may differ later. */
		if (is_alike(&diff) && (parts != INT64_MAX || diff.b.last_step + 1 >= stop))
			ret[n++] = (struct ts_bisect_other){.commit = commit, .bad = parts != INT64_MAX, .name = row->name};
	}
	*ret_n = n;
	return TS_OK;
}
