/* golden_run.c - see golden_run.h. */
#include "cli/verbs/golden_run.h"

#include "base/grow.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "ingest/export/run_view.h"
#include "run/role.h"

static bool counts(const struct ts_column *column, const struct ts_facts *facts, bool every)
{
	static const char *const left_out[] = {"digests.rng*", "digests.indices", "digests.batch", "scalars.lr*", "*learning_rate*",
					       "*grad_scale",  "*loss_scale",	  "*samples*",	   "*tokens*",	  "*epoch*"};

	if (column->type != TS_COLUMN_F64 && column->type != TS_COLUMN_U64)
		return false;
	if (every || ts_role_of(column->name, facts) != TS_ROLE_TRAJECTORY)
		return every;
	for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
		if (ts_glob(ts_span_str(left_out[i]), column->name))
			return false;
	return true;
}

struct taking {
	struct ts_cli *cli;
	struct ts_golden *out;
	bool every;
	size_t *at, *caps; /* of each series: its column among the rows, and its room */
};

static enum ts_status choose(struct taking *t, const struct ts_rows *rows, const struct ts_facts *facts, struct ts_error *err)
{
	struct ts_arena *arena = &t->cli->arena;

	t->out->n = 0;
	t->out->series = ts_arena_array(arena, rows->n_columns + 1, sizeof *t->out->series);
	t->at = ts_arena_array(arena, rows->n_columns + 1, sizeof *t->at);
	t->caps = ts_arena_array(arena, rows->n_columns + 1, sizeof *t->caps);
	if (!t->out->series || !t->at || !t->caps)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < rows->n_columns; i++) {
		const struct ts_column *column = rows->columns[i].column;

		if (!counts(column, facts, t->every))
			continue;
		t->at[t->out->n] = i;
		t->out->series[t->out->n++] =
			(struct ts_golden_series){.name = ts_arena_span(arena, column->name), .digest = column->type == TS_COLUMN_U64};
	}
	return TS_OK;
}

static enum ts_status take(struct taking *t, const struct ts_rows *rows, struct ts_error *err)
{
	for (size_t i = 0; i < t->out->n; i++) {
		struct ts_golden_series *s = &t->out->series[i];

		if (!ts_rows_has(rows, t->at[i]))
			continue;
		if (!TS_GROW_IN(&t->cli->arena, s->values, t->caps[i], s->n + 1, 64))
			return ts_arena_error(&t->cli->arena, err);
		s->values[s->n++] = (struct ts_golden_value){.step = rows->key,
							     .real = s->digest ? 0 : ts_rows_f64(rows, t->at[i]),
							     .word = s->digest ? ts_rows_u64(rows, t->at[i]) : 0};
	}
	return TS_OK;
}

static enum ts_status of_rank(struct taking *t, const struct ts_view *view, size_t which, uint64_t steps, bool *ret_any,
			      struct ts_error *err)
{
	struct ts_arena arena;
	struct ts_index index;
	struct ts_rows rows;
	enum ts_status status;
	bool more = true;
	uint64_t n = 0;

	ts_arena_init(&arena, 0);
	status = ts_view_index(view, which, &arena, &index, err);
	if (!status) {
		status = ts_rows_open(&rows, view, &index, TS_TABLE_STEPS, err);
		if (!status) {
			status = choose(t, &rows, &view->head.facts, err);
			for (; !status && (!steps || n < steps); n++) {
				status = ts_rows_next(&rows, &more, err);
				if (status || !more)
					break;
				status = take(t, &rows, err);
			}
			ts_rows_close(&rows);
		}
	}
	ts_arena_finish(&arena);
	*ret_any = n > 0;
	return status;
}

/* What names the place and the libraries of the run. */
static enum ts_status facts_of(struct taking *t, const struct ts_facts *facts, struct ts_error *err)
{
	static const char *const globs[] = {"session.host",
					    "code.commit",
					    "hardware.gpu*",
					    "hardware.processor",
					    "hardware.machine",
					    "libraries.*",
					    "parallelism.world_size",
					    "determinism.num_threads",
					    "determinism.use_deterministic_algorithms"};
	struct ts_golden *out = t->out;

	out->facts = ts_arena_array(&t->cli->arena, facts->n + 1, sizeof *out->facts);
	if (!out->facts)
		return ts_arena_error(&t->cli->arena, err);
	for (size_t i = 0; i < facts->n; i++)
		for (size_t k = 0; k < sizeof globs / sizeof globs[0]; k++) {
			struct ts_buf text = TS_BUF_INIT(1 << 16);

			if (!ts_fact_counts(facts, i) || facts->items[i].type == TS_FACT_LONG ||
			    !ts_glob(ts_span_str(globs[k]), facts->items[i].path))
				continue;
			ts_fact_print(&facts->items[i], &text);
			out->facts[out->n_facts++] = (struct ts_golden_pair){ts_arena_span(&t->cli->arena, facts->items[i].path),
									     ts_arena_span(&t->cli->arena, ts_buf_view(&text))};
			ts_buf_finish(&text);
			break;
		}
	return ts_arena_check(&t->cli->arena, err);
}

enum ts_status ts_golden_of_run(struct ts_cli *cli, struct ts_span spec, uint64_t steps, bool every, struct ts_golden *ret,
				struct ts_get_reply *ret_run, struct ts_error *err)
{
	struct ts_golden golden = {.n = 0};
	struct taking t = {.cli = cli, .out = &golden, .every = every};
	enum ts_status status;
	struct ts_view view;
	bool any = false;

	if (ts_ask_get(cli->target.channel, spec, &cli->arena, ret_run, err) ||
	    ts_view_open(&view, &ret_run->run.id, ts_stored_object, cli, err))
		return err->status;
	status = facts_of(&t, &view.head.facts, err);
	for (size_t i = 0; !status && !any && i < view.head.n_ranks; i++)
		status = of_rank(&t, &view, i, steps, &any, err);
	ts_view_close(&view);
	if (!status)
		*ret = golden;
	return status;
}
