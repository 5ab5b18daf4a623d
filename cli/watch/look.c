#include "cli/watch/look.h"

#include "base/limits.h"
#include "cli/core/ask.h"
#include "cli/core/find_repeats.h"
#include "cli/core/names.h"
#include "cli/core/path_run.h"
#include "cli/view/show_value.h"
#include "cli/watch/about.h"
#include "ingest/export/run_view.h"

#include <math.h>

enum { LAST_STEPS = sizeof((struct ts_look *)0)->last_step / sizeof(int64_t) };

/* A command of its own with the options of this one. */
static void begin(struct ts_cli *cli, const struct ts_cli *of)
{
	*cli = (struct ts_cli){.verb = of->verb, .args = of->args, .out = TS_BUF_INIT(1 << 20), .term = of->term, .quiet = true};
	cli->term.err_tty = false;
	ts_arena_init(&cli->arena, TS_ANALYSIS_ARENA);
}

static void end(struct ts_cli *cli)
{
	ts_target_close(&cli->target);
	ts_buf_finish(&cli->out);
	ts_arena_finish(&cli->arena);
}

void ts_look_init(struct ts_look *look, const struct ts_cli *cli)
{
	*look = (struct ts_look){.word = ts_cli_word(cli, 0)};
	begin(&look->cli, cli);
}

void ts_look_finish(struct ts_look *look)
{
	end(&look->cli);
}

enum ts_status ts_look_settle(struct ts_look *look, const char **ret_path, struct ts_error *err)
{
	if (!look->settled) {
		const char **words = ts_arena_array(&look->cli.arena, 2, sizeof *words);

		if (!words)
			return ts_arena_error(&look->cli.arena, err);
		words[0] = look->word;
		look->cli.args.words = words;
		look->cli.args.n_words = 1;
		if (ts_cli_settle(&look->cli, err))
			return err->status;
		look->word = ts_cli_word(&look->cli, 0);
		look->is_path = ts_is_path(look->word);
		look->settled = true;
	}
	*ret_path = look->is_path ? look->word : NULL;
	return TS_OK;
}

/* --- what is new --- */

/* Leaves out the blocks that end at this step or before. The index is the caller's own. */
static void trim(struct ts_index *index, int64_t step)
{
	for (size_t i = 0; i < index->n_tables; i++) {
		struct ts_table *table = &index->tables[i];
		size_t k = 0;

		if (table->kind != TS_TABLE_STEPS)
			continue;
		while (k < table->n_blocks && table->blocks[k].last_key <= step)
			table->rows -= table->blocks[k++].rows;
		table->blocks += k;
		table->n_blocks -= k;
		for (size_t c = 0; c < table->n_columns; c++)
			table->columns[c].blocks += k;
	}
}

struct row_maker {
	struct ts_span *names;
	double *values;
	struct ts_look_row row;
};

static void give_row(const struct ts_rows *rows, struct row_maker *m, ts_look_sink *sink, void *ctx)
{
	m->row.step = rows->key;
	m->row.time = NAN;
	m->row.n = 0;
	for (size_t i = 0; i < rows->n_columns; i++) {
		const struct ts_column *column = rows->columns[i].column;

		if (column->type != TS_COLUMN_F64 || !ts_rows_has(rows, i))
			continue;
		if (ts_span_is(column->name, "timestamp")) {
			m->row.time = ts_rows_f64(rows, i);
			continue;
		}
		m->names[m->row.n] = column->name;
		m->values[m->row.n++] = ts_rows_f64(rows, i);
	}
	sink(ctx, &m->row);
}

static enum ts_status give_rows(const struct ts_view *view, struct ts_index *index, int64_t *io_last, ts_look_sink *sink, void *ctx,
				struct ts_arena *arena, struct ts_error *err)
{
	struct row_maker m = {.row = {.rank = index->rank}};
	struct ts_rows rows;
	bool more = false;
	enum ts_status status;

	trim(index, *io_last);
	if (ts_rows_open(&rows, view, index, TS_TABLE_STEPS, err))
		return err->status;
	m.names = ts_arena_array(arena, rows.n_columns + 1, sizeof *m.names);
	m.values = ts_arena_array(arena, rows.n_columns + 1, sizeof *m.values);
	m.row.columns = m.names;
	m.row.values = m.values;
	status = m.names && m.values ? ts_rows_next(&rows, &more, err) : ts_arena_error(arena, err);
	while (!status && more) {
		if (rows.key > *io_last) {
			give_row(&rows, &m, sink, ctx);
			*io_last = rows.key;
		}
		status = ts_rows_next(&rows, &more, err);
	}
	ts_rows_close(&rows);
	return status;
}

static enum ts_status read_run(struct ts_look *look, struct ts_cli *cli, const struct ts_id *id, ts_look_sink *sink, void *ctx,
			       struct ts_arena *arena, struct ts_error *err)
{
	struct ts_view view;
	enum ts_status status = ts_view_open(&view, id, ts_stored_object, cli, err);

	if (status)
		return status;
	for (size_t i = 0; !status && i < view.head.n_ranks && i < LAST_STEPS; i++) {
		struct ts_index index = {0};

		if (view.head.ranks[i].rank < 0)
			continue;
		status = ts_view_index(&view, i, arena, &index, err);
		if (!status)
			status = give_rows(&view, &index, &look->last_step[i], sink, ctx, arena, err);
	}
	ts_view_close(&view);
	return status;
}

static void forget(struct ts_look *look)
{
	for (size_t i = 0; i < LAST_STEPS; i++)
		look->last_step[i] = INT64_MIN;
}

static enum ts_status say(const struct ts_get_reply *run, struct ts_arena *arena, struct ts_look_news *ret, struct ts_error *err)
{
	struct ts_head head = {0};

	ret->name = run->run.own_name;
	ret->state = run->ending.told ? run->ending.state : TS_END_UNKNOWN;
	ret->sentence = run->ending.sentence;
	if (ts_head_decode(run->head, arena, &head, err))
		return err->status;
	ret->total = ts_about_total(&head.facts);
	ret->capacity = ts_about_capacity(&head.facts);
	return TS_OK;
}

/* A path is read whole, by a target of its own; a name by the connection that is there. */
enum ts_status ts_look_poll(struct ts_look *look, ts_look_sink *sink, void *ctx, struct ts_arena *arena, struct ts_look_news *ret_news,
			    struct ts_error *err)
{
	struct ts_look_news news = {.changed = false};
	struct ts_cli own, *cli = &look->cli;
	struct ts_get_reply run;
	struct ts_span spec = look->spec;
	const char *path;
	enum ts_status status = ts_look_settle(look, &path, err);

	if (status)
		return status;
	if (look->is_path) {
		begin(&own, &look->cli);
		cli = &own;
		status = ts_cli_run(cli, look->word, &spec, err);
	} else if (!spec.len) {
		status = ts_cli_open(cli, TS_USE_READ, err) ? err->status : ts_cli_specs(cli, &look->word, 1, &spec, err);
		look->spec = status ? look->spec : spec;
	}
	if (!status)
		status = ts_ask_get(cli->target.channel, spec, arena, &run, err);
	if (!status)
		status = say(&run, arena, &news, err);
	if (!status && (!look->any || !ts_id_eq(&look->head, &run.run.id))) {
		news.changed = true;
		if (!look->any || (int64_t)run.run.steps < look->steps)
			forget(look);
		status = read_run(look, cli, &run.run.id, sink, ctx, arena, err);
		if (!status) {
			look->head = run.run.id;
			look->steps = (int64_t)run.run.steps;
			look->any = true;
		}
	}
	if (look->is_path)
		end(&own);
	if (!status)
		*ret_news = news;
	return status;
}

/* --- what an analysis finds --- */

static struct ts_span keep(struct ts_arena *arena, struct ts_span text)
{
	return ts_arena_span(arena, text);
}

static enum ts_status take_findings(const struct ts_analysis *analysis, struct ts_arena *arena, struct ts_look_analysis *ret,
				    struct ts_error *err)
{
	ret->findings = ts_arena_array(arena, analysis->findings.n + 1, sizeof *ret->findings);
	for (size_t i = 0; ret->findings && i < analysis->findings.n; i++) {
		const struct ts_finding *f = &analysis->findings.items[i];

		ret->findings[ret->n_findings++] = (struct ts_look_finding){
			.code = keep(arena, f->code),
			.title = keep(arena, f->title),
			.detail = keep(arena, f->detail),
			.advice = keep(arena, f->advice),
			.severity = f->severity,
			.rank = f->n_ranks == 1 ? f->ranks[0] : -1,
		};
	}
	ret->steps = analysis->run.steps;
	ret->cut = analysis->warmup_cut;
	return ts_arena_check(arena, err);
}

static struct ts_look_forecast forecast_of(const struct ts_analysis *a)
{
	struct ts_look_forecast f = {.rank = a->rank, .from = a->run.last_step, .low = NAN, .high = NAN};

	f.known = ts_measure_value(&a->measures, TS_M_CAPACITY_STEPS_LEFT, TS_NO_SUBJECT, &f.left);
	(void)ts_measure_value(&a->measures, TS_M_CAPACITY_STEPS_LEFT_LOW, TS_NO_SUBJECT, &f.low);
	(void)ts_measure_value(&a->measures, TS_M_CAPACITY_STEPS_LEFT_HIGH, TS_NO_SUBJECT, &f.high);
	return f;
}

enum ts_status ts_look_analyze(struct ts_look *look, uint64_t from, struct ts_arena *arena, struct ts_look_analysis *ret,
			       struct ts_error *err)
{
	struct ts_analyze_request request = {.has_warmup = from != 0, .warmup = from};
	struct ts_look_analysis answer = {0};
	struct ts_analysis analysis;
	struct ts_get_reply run;
	struct ts_cli cli;
	const char *path;
	enum ts_status status = ts_look_settle(look, &path, err);

	if (status)
		return status;
	begin(&cli, &look->cli);
	status = ts_cli_run(&cli, look->word, &request.spec, err);
	if (!status)
		status = ts_ask_analyze(cli.target.channel, &request, &cli.arena, &analysis, err);
	if (!status)
		status = ts_ask_get(cli.target.channel, request.spec, &cli.arena, &run, err);
	if (!status)
		status = take_findings(&analysis, arena, &answer, err);
	if (!status)
		answer.forecast = forecast_of(&analysis);
	if (!status)
		status = say(&run, &cli.arena, &answer.news, err);
	if (!status) {
		answer.news.name = keep(arena, answer.news.name);
		answer.news.sentence = keep(arena, answer.news.sentence);
		status = ts_arena_check(arena, err);
	}
	end(&cli);
	if (!status)
		*ret = answer;
	return status;
}

/* --- where it differs --- */

static bool is_rate(struct ts_span name)
{
	struct ts_span said = ts_column_said(name);

	return ts_span_is(said, "lr") || ts_span_is(said, "learning_rate") || ts_span_ends(said, "/lr") ||
	       ts_span_ends(said, "/learning_rate");
}

static bool parts_at(const struct ts_series_row *row, int64_t step)
{
	return row->state == TS_SERIES_PARTS && row->role != TS_ROLE_OBSERVATION && row->first_step == step;
}

/* The least step at which a number of the training differs; false: none does. */
static bool first_step(const struct ts_diff *diff, int64_t *ret)
{
	bool any = false;

	for (size_t i = 0; i < diff->n_series; i++)
		if (diff->series[i].state == TS_SERIES_PARTS && diff->series[i].role == TS_ROLE_TRAJECTORY &&
		    (!any || diff->series[i].first_step < *ret)) {
			*ret = diff->series[i].first_step;
			any = true;
		}
	return any;
}

static bool has_name_before(const struct ts_diff *diff, size_t i, int64_t step)
{
	for (size_t k = 0; k < i; k++)
		if (parts_at(&diff->series[k], step) && ts_span_eq(diff->series[k].name, diff->series[i].name))
			return true;
	return false;
}

/* "loss, grad_norm and 3 more" */
static void list_series(const struct ts_diff *diff, int64_t step, struct ts_buf *out)
{
	enum { SHOWN = 3 };
	size_t n = 0;

	for (size_t i = 0; i < diff->n_series; i++) {
		struct ts_span said = ts_column_said(diff->series[i].name);

		if (!parts_at(&diff->series[i], step) || has_name_before(diff, i, step))
			continue;
		if (n < SHOWN)
			ts_buf_printf(out, "%s%.*s", n ? ", " : "", TS_SPAN_ARG(said));
		n++;
	}
	if (n > SHOWN)
		ts_buf_printf(out, " and %zu more", n - SHOWN);
}

/* Whether the learning rate was recorded by both and agrees so far. */
static bool rate_is_same(const struct ts_diff *diff, const struct ts_get_reply *run)
{
	bool any = false;

	for (size_t i = 0; i < run->n_columns; i++)
		any |= is_rate(run->columns[i].name);
	for (size_t i = 0; i < diff->n_series; i++)
		if (is_rate(diff->series[i].name) && diff->series[i].state != TS_SERIES_EXTENT)
			return false;
	return any;
}

static void add_cause(const struct ts_diff *diff, const struct ts_get_reply *run, int64_t step, struct ts_buf *out)
{
	bool rate = false;

	for (size_t i = 0; i < diff->n_series; i++)
		rate |= is_rate(diff->series[i].name) && parts_at(&diff->series[i], step);
	if (!rate && rate_is_same(diff, run))
		ts_buf_str(out, "; the learning rate is the same");
}

static enum ts_status say_diff(const char *baseline, const struct ts_diff *diff, const struct ts_get_reply *run, struct ts_arena *arena,
			       struct ts_look_diff *ret, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(1 << 16), series = TS_BUF_INIT(1 << 14);
	bool judged = diff->repeats.asked && diff->repeats.n_rows;

	ret->has_step = first_step(diff, &ret->step);
	ret->differs = ret->has_step && (!judged || diff->repeats.inside == TS_TIER_FAILS);
	ret->unknown = !ret->has_step && diff->verdict == TS_DIFF_INCONCLUSIVE && !diff->n_same && !diff->a.steps;
	if (ret->has_step)
		list_series(diff, ret->step, &series);
	if (judged && !ret->differs)
		ts_buf_printf(&text, "differs from %s no more than its repeats do", baseline);
	else if (ret->differs) {
		ts_buf_printf(&text, "first differs from %s at step %" PRId64 ": %.*s", baseline, ret->step, (int)series.len,
			      series.len ? (const char *)series.data : "");
		add_cause(diff, run, ret->step, &text);
		if (judged)
			ts_buf_str(&text, "; by more than its repeats do among themselves");
	} else {
		ts_buf_printf(&text, "agrees with %s so far", baseline);
	}
	ret->series = keep(arena, ts_buf_view(&series));
	ret->sentence = keep(arena, ts_buf_view(&text));
	ts_buf_finish(&series);
	ts_buf_finish(&text);
	return ts_arena_check(arena, err);
}

enum ts_status ts_look_compare(struct ts_look *look, struct ts_arena *arena, struct ts_look_diff *ret, struct ts_error *err)
{
	struct ts_diff_request request = {.plots = TS_PLOTS_NONE};
	struct ts_look_diff answer = {0};
	struct ts_repeat_words words;
	struct ts_get_reply run;
	struct ts_span *specs;
	struct ts_diff diff;
	struct ts_cli cli;
	const char *path;
	enum ts_status status = ts_look_settle(look, &path, err);

	if (status)
		return status;
	begin(&cli, &look->cli);
	cli.args.words = ts_arena_array(&cli.arena, 3, sizeof(char *));
	if (!cli.args.words) {
		status = ts_arena_error(&cli.arena, err);
		end(&cli);
		return status;
	}
	cli.args.words[0] = ts_args_text(&cli.args, "baseline");
	cli.args.words[1] = look->word;
	cli.args.n_words = 2;
	status = ts_find_repeats(&cli, &request, &words, err);
	specs = status ? NULL : ts_arena_array(&cli.arena, words.n, sizeof *specs);
	if (!status)
		status = specs ? ts_cli_runs(&cli, words.words, words.n, specs, err) : ts_arena_error(&cli.arena, err);
	if (!status) {
		ts_take_specs(specs, words.n, &request);
		status = ts_ask_diff(cli.target.channel, &request, &cli.arena, &diff, err);
	}
	if (!status)
		status = ts_ask_get(cli.target.channel, request.b, &cli.arena, &run, err);
	if (!status)
		status = say_diff(words.words[0], &diff, &run, arena, &answer, err);
	end(&cli);
	if (!status)
		*ret = answer;
	return status;
}
