#include "ingest/text/reader_text.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/formats/log_lines.h"
#include "ingest/logs/log_table.h"
#include "ingest/text/text_alike.h"
#include "ingest/text/text_axis.h"
#include "ingest/text/text_bunch.h"
#include "ingest/text/text_columns.h"
#include "ingest/text/text_doing.h"
#include "ingest/text/text_end.h"
#include "ingest/text/text_guess.h"
#include "ingest/text/text_memory.h"
#include "ingest/text/text_pattern.h"
#include "ingest/text/text_ranks.h"
#include "ingest/text/text_survey.h"
#include "ingest/text/text_tag.h"
#include "ingest/text/text_unfold.h"

#include <stdio.h>

const char ts_text_loses[] = "lines that are not of a step";

enum { SURE = 10, SNIFF_BYTES = 4 << 20, SHOWN_BYTES = 1024, LINE_ENDS = 8, ENDS_LEAST = 5, ENCODING_LINES = 1000, ENCODING_LEAST = 3 };

/* One state of a piece of the log: the text between two line ends. */
struct piece {
	enum ts_text_format format;
	struct ts_text_line line;
	bool is_bar, cut;
	bool repeats; /* it is the best row once more, as the line before says */
	struct ts_text_bar bar;
};

/* The caller's templates, or those that were guessed. */
struct ts_text_templates {
	const char *const *items;
	size_t n;
	bool behind; /* as of ts_text_guess */
	bool step;   /* one of them has a {step}; then no name that {*} alone takes is one, as of "Total timesteps: 4096" in a block */
};

/* The last number of lines that end with the same name, and how many decimals all of them have. */
struct line_end {
	uint64_t name; /* its hash */
	uint64_t lines;
	size_t decimals;
	uint64_t others; /* lines with more or fewer than the first */
};

struct text {
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	const struct ts_ingest_options *options;
	struct ts_text_templates templates;
	struct ts_log_lines lines;
	struct ts_buf scratch, unfolded; /* a line without what a terminal added; the text of the object that it ends with */
	struct ts_text_record *record;
	struct ts_text_survey survey;
	enum ts_text_format format;
	struct ts_text_ranks *ranks;
	bool sees_ranks;	   /* in this look */
	enum ts_text_format of;	   /* whose lines it takes for those of steps */
	enum ts_text_who who;	   /* what it found */
	bool unranked;		   /* what lines begin with names no rank */
	size_t piece;		   /* the number of the line, from 0 */
	size_t pass, mine;	   /* of many ranks: the which one is read, and its item */
	int64_t total;		   /* of the training's bar, where records have no step */
	struct ts_text_bunch bunch;
	bool heads_best; /* the line before says that the best row follows */
	bool bunched; /* the bar stands elsewhere, so that epochs say the steps of records */
	struct ts_text_axis *axis; /* of records by templates */
	struct ts_text_guess *guess;
	bool guessed;				 /* the templates are those of the guess */
	const char *shown[TS_INGEST_FIRST_ROWS]; /* its first rows with a number */
	size_t n_shown;
	struct ts_buf shows; /* the cells of the next of them, and its step */
	bool shows_step;
	int64_t shown_step;
	/* of one reading */
	bool waits;	     /* the table has a row that is not ended */
	bool timed;	     /* it has the timers of a row that is to come */
	int64_t step;	     /* of that row, or of the last one */
	int64_t bar_n, base; /* the last state of the bar, and the steps of the epochs before it */
	int64_t bar_total;
	uint64_t bar_line; /* where it stood */
	char bar_what[TS_TEXT_WHAT * 2];
	const char *tag;  /* what a line since the last row says that the training did besides; NULL: nothing */
	int64_t number;	  /* of the last record with a loss, where there is no bar */
	bool any, spaced; /* a step was seen; two steps lie more than one apart */
	int64_t last;
	struct line_end ends[LINE_ENDS];
	struct ts_text_end end; /* how it ended, by the lines behind the last step */
	struct ts_span final;	/* Hugging Face's record of the whole training; empty if there is none */
};

/* --- pieces --- */

static struct ts_text_templates templates_of(const char *const *items, size_t n, bool behind)
{
	struct ts_text_templates t = {items, n, behind, false};

	for (size_t i = 0; i < n; i++)
		t.step |= strstr(items[i], "{step}") != NULL;
	return t;
}

static bool fits(const struct ts_text_templates *t, struct ts_span text, struct ts_text_record *r, size_t *ret_at)
{
	for (size_t i = 0; text.len <= TS_TEXT_LINE_MAX && i < t->n; i++) {
		if (!ts_text_pattern_match(ts_span_str(t->items[i]), text, r, NULL, ret_at))
			continue;
		if (t->step && ts_text_pattern_is_alone(ts_span_str(t->items[i])))
			r->step = TS_TEXT_CELLS;
		r->which = r->n ? i + ts_hash_bytes(ts_hash_open, r->cells[0].name) : i;
		return true;
	}
	return false;
}

/* Where no template fits without the "2622: " of a line, and one does with it, that is no rank. */
static bool by_templates(const struct ts_text_templates *t, struct piece *p, struct ts_text_record *r)
{
	size_t at;

	if (!fits(t, p->line.text, r, &at)) {
		if (t->behind || p->line.numbered.len == p->line.text.len || !fits(t, p->line.numbered, r, &at) || at > 0)
			return false;
		p->line.text = p->line.numbered;
		p->line.rank = p->line.outer = TS_TEXT_NO_RANK;
	}
	return true;
}

/* Templates may be of the text of an object that the line ends with, as those that were guessed are (text_guess.c): it is tried first,
 * since a name of "epoch {}: {*}" fits what is written in the object, too, and then takes only a part of it. */
static bool by_object(struct text *x, struct ts_span line)
{
	size_t at;

	return ts_text_unfold(line, &x->unfolded) && fits(&x->templates, ts_buf_view(&x->unfolded), x->record, &at);
}

static enum ts_status look_at(struct text *x, struct ts_span raw, struct piece *p, struct ts_error *err)
{
	*p = (struct piece){.format = TS_TEXT_NONE, .cut = x->lines.cut, .repeats = x->heads_best};
	if (ts_text_line_clean(raw, &x->scratch, &p->line, err))
		return err->status;
	x->heads_best = ts_text_heads_best(p->line.text);
	if (p->repeats)
		return TS_OK;
	if (x->unranked)
		p->line.rank = p->line.outer = TS_TEXT_NO_RANK;
	if (!x->templates.n)
		p->format = ts_text_recognize(p->line.text, x->record, &p->bar, &p->is_bar);
	else if (by_object(x, p->line.text) || by_templates(&x->templates, p, x->record))
		p->format = TS_TEXT_TEMPLATE;
	if (p->format == TS_TEXT_TEMPLATE && !x->record->brief)
		ts_text_memory_names(p->line.text, x->record);
	return TS_OK;
}

typedef enum ts_status take_piece(struct text *x, const struct piece *p, struct ts_log_table *t, struct ts_error *err);

static void tell(struct text *x, const char *code, enum ts_notice_level level, const char *detail)
{
	ts_notice_add(&x->notices, code, level, ts_span_str(""), x->lines.number, detail);
}

/* Of many ranks, all lines are looked at for the first one, and only its own for each further one. */
static bool passes_over(const struct text *x)
{
	size_t whose = x->pass ? ts_text_ranks_at(x->ranks, x->piece) : x->mine;

	return whose != x->mine && whose != TS_TEXT_ANYBODY;
}

/* Takes the pieces that begin before the byte `most`. */
static enum ts_status each_piece(struct text *x, uint64_t most, take_piece *take, struct ts_log_table *t, struct ts_error *err)
{
	x->heads_best = false;
	for (x->piece = 0; ts_log_lines_at(&x->lines) < most;) {
		struct ts_span raw;
		enum ts_log_line_end end;
		struct piece p;

		if (ts_log_lines_next(&x->lines, &raw, &end, err))
			return err->status;
		if (end == TS_LOG_LINES_END)
			return TS_OK;
		if (end != TS_LOG_LINE && t)
			tell(x, "long_line", TS_NOTICE_SKIPPED, "a line of more than 4 MiB");
		if (end == TS_LOG_LINE && !passes_over(x) && (look_at(x, raw, &p, err) || take(x, &p, t, err)))
			return err->status;
		x->piece += end == TS_LOG_LINE;
		if (t && ts_log_table_at(t, ts_log_lines_at(&x->lines), x->lines.size, err))
			return err->status;
	}
	return TS_OK;
}

/* --- the survey --- */

/* "3.16e+04" is a step that was rounded, which is none. */
static bool is_whole(struct ts_span value)
{
	return !memchr(value.data, 'e', value.len) && !memchr(value.data, 'E', value.len);
}

static bool step_in(const struct ts_text_cell *c, int64_t *ret_step)
{
	struct ts_span written;
	double value;

	if (c->is_text || !is_whole(c->value) || !ts_log_number(c->value, &value, &written) || !(value >= -1e15 && value <= 1e15))
		return false;
	*ret_step = (int64_t)value;
	return true;
}

/* The step that the record itself has. */
static bool own_step(const struct ts_text_record *r, int64_t *ret_step)
{
	static const char *const names[] = {"step", "global_step", "iteration", "num_updates"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const struct ts_text_cell *c = ts_text_record_find(r, names[i]);

		if (c && step_in(c, ret_step))
			return true;
	}
	return false;
}

static bool step_of(const struct text *x, const struct piece *p, int64_t *ret_step)
{
	if (p->format == TS_TEXT_TEMPLATE)
		return x->record->step < x->record->n && step_in(&x->record->cells[x->record->step], ret_step);
	if (own_step(x->record, ret_step))
		return true;
	*ret_step = p->bar.n;
	return p->is_bar;
}

static enum ts_status see_rank(struct text *x, const struct piece *p, struct ts_error *err)
{
	enum ts_text_what what = x->of == TS_TEXT_HUGGINGFACE && p->is_bar ? TS_TEXT_SHARED
				 : p->format == x->of && p->format != TS_TEXT_NONE ? TS_TEXT_STEP
										   : TS_TEXT_OTHER;
	int64_t step;
	bool has = p->line.rank != TS_TEXT_NO_RANK && what == TS_TEXT_STEP && step_of(x, p, &step);

	return ts_text_ranks_add(x->ranks, &p->line, what, has ? &step : NULL, err);
}

static enum ts_status survey_piece(struct text *x, const struct piece *p, struct ts_log_table *t, struct ts_error *err)
{
	(void)t;
	ts_text_survey_add(&x->survey, p->format, x->record, p->is_bar ? &p->bar : NULL);
	if (!x->sees_ranks)
		return TS_OK;
	if (p->format == TS_TEXT_TEMPLATE)
		ts_text_axis_look(x->axis, x->record);
	if (p->is_bar && !p->bar.what.len)
		ts_text_bunch_state(&x->bunch, p->bar.n, p->bar.total);
	else if (p->format == TS_TEXT_HUGGINGFACE)
		ts_text_bunch_look(&x->bunch, x->record);
	return see_rank(x, p, err);
}

static bool is_mine(const struct text *x, const struct piece *p)
{
	switch (x->who) {
	case TS_TEXT_ONE:
		return true;
	case TS_TEXT_LOWEST:
		return p->line.rank == x->ranks->lowest && p->line.outer == x->ranks->lowest_outer;
	case TS_TEXT_MANY:
		break;
	}
	return ts_text_ranks_at(x->ranks, x->piece) == x->mine;
}

static enum ts_status look_along(struct text *x, const struct piece *p, struct ts_log_table *t, struct ts_error *err)
{
	(void)t;
	(void)err;
	if (p->format == TS_TEXT_TEMPLATE && is_mine(x, p))
		ts_text_axis_look(x->axis, x->record);
	return TS_OK;
}

/* Looks at all pieces, and of what {*} takes at an epoch only. */
static enum ts_status look_through(struct text *x, uint64_t most, take_piece *take, struct ts_error *err)
{
	enum ts_status status = ts_log_lines_open(&x->lines, ts_top(x->options), x->options->path, '\r', err);

	x->record->brief = true;
	if (!status)
		status = each_piece(x, most, take, NULL, err);
	x->record->brief = false;
	ts_log_lines_close(&x->lines);
	return status;
}

/* How the records of the rank that is read follow each other. */
static enum ts_status look_at_rank(struct text *x, struct ts_error *err)
{
	memset(x->axis, 0, sizeof *x->axis);
	return look_through(x, UINT64_MAX, look_along, err);
}

static enum ts_status survey_once(struct text *x, uint64_t most, struct ts_error *err)
{
	enum ts_status status;

	x->survey = (struct ts_text_survey){.quoted = false};
	status = look_through(x, most, survey_piece, err);
	x->format = ts_text_survey_format(&x->survey);
	return status;
}

/* Looks at all lines, and at who prints those of the format that most have. */
static enum ts_status survey_all(struct text *x, struct ts_error *err)
{
	x->sees_ranks = true;
	do {
		x->of = x->format;
		ts_text_ranks_reset(x->ranks);
		memset(x->axis, 0, sizeof *x->axis);
		x->bunch = (struct ts_text_bunch){.records = 0};
		if (survey_once(x, UINT64_MAX, err))
			return err->status;
	} while (x->format != x->of && x->of != TS_TEXT_NONE);
	x->who = ts_text_ranks_verdict(x->ranks);
	x->unranked = x->who == TS_TEXT_ONE;
	x->mine = x->who == TS_TEXT_MANY ? x->ranks->order[0] : 0;
	return x->who == TS_TEXT_ONE || x->format != TS_TEXT_TEMPLATE ? TS_OK : look_at_rank(x, err);
}

/* Whether the lines of the format may be those of something beside the training, such as the bar of a download. Records of Hugging Face
 * whose bar has their step are those of the training. */
static bool is_loose(const struct text *x)
{
	return x->format == TS_TEXT_NONE || x->format == TS_TEXT_BAR ||
	       (x->format == TS_TEXT_HUGGINGFACE && !ts_text_survey_total(&x->survey));
}

/* How many lines a guess must have, so that it says more than the format's. Bars of which the end alone is there, as of a training and
 * of its evaluation in turn, say less than lines between them. */
static uint64_t least_of_guess(const struct text *x)
{
	uint64_t lines = x->format == TS_TEXT_NONE ? 0 : x->survey.lines[x->format];

	return x->format == TS_TEXT_BAR && !x->survey.underway ? lines / 2 - (lines > 1) : 2 * lines;
}

/* Reads by guessed templates what no format knows, or what has more such lines than those that one knows. */
static enum ts_status try_guess(struct text *x, struct ts_error *err)
{
	struct ts_text_guess *g = x->guess;

	if (ts_text_guess(ts_top(x->options), x->options->path, x->arena, g, err))
		return err->status;
	if (!g->n || g->why || g->lines < least_of_guess(x))
		return TS_OK;
	x->templates = templates_of(g->templates, g->n, g->behind);
	x->guessed = true;
	return TS_OK;
}

/* Whether the templates find as many steps as the guess saw lines of, or half of them: a line of another rank has none. */
static bool holds(const struct text *x)
{
	uint64_t steps = !x->guess->counts ? x->axis->steps.before : x->axis->steps.with ? x->axis->steps.with : x->axis->epochs.with;

	return 2 * steps >= x->guess->lines;
}

/* What was guessed fits too few lines, once it is read: the user may know better. */
static enum ts_status no_step(const struct text *x, struct ts_error *err)
{
	struct ts_buf templates = TS_BUF_INIT(2 * TS_TEXT_LINE_MAX);
	enum ts_status status;

	if (!x->guessed)
		return ts_error_set(err, TS_INVALID, "%s: no line of a step in it%s", x->options->path,
				    x->templates.n ? " that the template fits" : "");
	ts_text_templates_print(&templates, x->templates.items, x->templates.n);
	status = ts_error_set(err, TS_INVALID,
			      "%s: no line of a step in it: what was guessed of its lines fits few of them; write a template by "
			      "it:%.*s",
			      x->options->path, TS_SPAN_ARG(ts_buf_view(&templates)));
	ts_buf_finish(&templates);
	return status;
}

/* The beginning tells which way the lines are known; all of them are looked through that way. */
static enum ts_status survey(struct text *x, struct ts_error *err)
{
	if (!x->templates.n && (survey_once(x, SNIFF_BYTES, err) || (is_loose(x) && try_guess(x, err))))
		return err->status;
	if (x->templates.n)
		x->format = TS_TEXT_TEMPLATE;
	if (survey_all(x, err))
		return err->status;
	if (x->format == TS_TEXT_NONE || (x->guessed && !holds(x)))
		return no_step(x, err);
	x->total = ts_text_survey_total(&x->survey);
	x->bunched = x->format == TS_TEXT_HUGGINGFACE && x->bunch.total && ts_text_bunch_is(&x->bunch);
	if (x->bunched)
		x->total = x->total ? x->total : x->bunch.total;
	if (x->bunched && !ts_text_bunch_tells(&x->bunch, x->total))
		x->total = 0;
	return TS_OK;
}

/* --- rows --- */

static void put_number(struct ts_log_table *t, const char *name, int64_t value)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%" PRId64, value);

	ts_log_table_number(t, ts_span_str(name), (double)value, ts_span_of(text, (size_t)n));
}

/* DeepSpeed's backward has the all-reduce in it; where its parts are said, they are the phases. */
static void part_backward(struct ts_text_record *r)
{
	bool parted = ts_text_record_find(r, "bwd_inner(ms)") && ts_text_record_find(r, "bwd_allreduce(ms)");

	for (size_t i = 0; parted && i < r->n; i++)
		if (ts_span_is(r->cells[i].name, "bwd(ms)"))
			r->cells[i].name = ts_span_str("bwd_with_allreduce(ms)");
}

/* Takes away what the line of the step has, too: the loss of an evaluation behind it is not that of the step. */
static void keep_new(struct text *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->record->n; i++) {
		if (ts_text_axis_gave(x->axis, x->record->cells[i].name, x->record->which))
			tell(x, "repeated_value", TS_NOTICE_SKIPPED,
			     "a value of a line without a step, whose name a line before it has, such as that of the step");
		else
			x->record->cells[n++] = x->record->cells[i];
	}
	x->record->n = n;
}

static void put_cells(struct text *x, struct ts_log_table *t)
{
	part_backward(x->record);
	for (size_t i = 0; i < x->record->n; i++) {
		const struct ts_text_cell *c = &x->record->cells[i];
		bool other_step = x->format == TS_TEXT_TEMPLATE && ts_span_is(c->name, "step");
		struct ts_span written;
		double value;

		if (x->format == TS_TEXT_TEMPLATE && i == x->record->step)
			continue; /* the row has it, counted through all epochs */
		if (other_step && !c->is_text && ts_log_number(c->value, &value, &written))
			ts_log_table_number(t, ts_span_str("step_value"), value, written);
		else if (!c->is_text && ts_log_number(c->value, &value, &written))
			ts_log_table_number(t, c->name, value, written);
		else if (x->format != TS_TEXT_TEMPLATE)
			tell(x, "not_scalar", TS_NOTICE_SKIPPED, "a value that is not a number");
		else if (ts_utf8_valid(c->value))
			ts_log_table_text(t, c->name, c->value);
		else
			tell(x, "bad_utf8", TS_NOTICE_SKIPPED, "a text that is not UTF-8");
	}
	if (x->record->full)
		tell(x, "too_many_values", TS_NOTICE_SKIPPED, "a line with more than 128 values, or with very long names");
}

/* Begins the table's row with what the line says. */
static void begin_row(struct text *x, const struct piece *p, struct ts_log_table *t)
{
	ts_log_table_row(t, x->lines.number);
	if (p->line.time.len)
		ts_log_table_text(t, ts_span_str("timestamp"), p->line.time);
	if (x->tag)
		ts_log_table_text(t, ts_span_str(TS_LOG_TAGS), ts_span_str(x->tag));
	x->tag = NULL;
	put_cells(x, t);
}

/* Two steps that are not neighbours: the value of the second is a mean over those between. */
static void see_step(struct text *x, int64_t step)
{
	x->spaced |= x->any && step > x->last && step - x->last > 1;
	x->any = true;
	x->last = step;
}

static enum ts_status end_row(struct text *x, struct ts_log_table *t, struct ts_error *err)
{
	x->waits = x->timed = false;
	return ts_log_table_end(t, err);
}

static enum ts_status take_plain(struct text *x, const struct piece *p, struct ts_log_table *t, struct ts_error *err)
{
	int64_t step;

	begin_row(x, p, t);
	if (own_step(x->record, &step))
		see_step(x, step);
	return end_row(x, t, err);
}

/* --- templates --- */

/* A row of which one record has the step, or none. */
static enum ts_status add_to_row(struct text *x, const struct piece *p, struct ts_log_table *t)
{
	if (!x->waits)
		begin_row(x, p, t);
	else
		put_cells(x, t);
	x->waits = true;
	return TS_OK;
}

/* Keeps the first rows of a guess for whoever is to check it: "step 5: loss 2.5, lr 1e-3". */
static void end_shown(struct text *x)
{
	struct ts_span cells = ts_buf_view(&x->shows);

	if (!x->shows.failed && cells.len && x->n_shown < TS_INGEST_FIRST_ROWS)
		x->shown[x->n_shown++] = x->shows_step
						 ? ts_arena_printf(x->arena, "step %" PRId64 ":%.*s", x->shown_step, TS_SPAN_ARG(cells))
						 : ts_arena_printf(x->arena, "no step:%.*s", TS_SPAN_ARG(cells));
	ts_buf_reset(&x->shows);
	x->shows_step = false;
}

/* Adds what a line says to the row that is shown next. */
static void show_cells(struct text *x)
{
	for (size_t i = 0; x->guessed && !x->pass && x->n_shown < TS_INGEST_FIRST_ROWS && i < x->record->n; i++)
		if (i != x->record->step && !x->record->cells[i].is_text)
			ts_buf_printf(&x->shows, "%s %.*s %.*s", x->shows.len ? "," : "", TS_SPAN_ARG(x->record->cells[i].name),
				      TS_SPAN_ARG(x->record->cells[i].value));
}

static void show_step(struct text *x, int64_t step)
{
	x->shows_step = true;
	x->shown_step = step;
}

static enum ts_status take_block(struct text *x, const struct piece *p, int64_t step, struct ts_log_table *t, struct ts_error *err)
{
	if (ts_text_axis_repeats(x->axis, x->record) && x->waits) {
		end_shown(x);
		if (end_row(x, t, err))
			return err->status;
	}
	(void)add_to_row(x, p, t);
	show_cells(x);
	if (x->record->step < x->record->n) {
		put_number(t, "step", step);
		show_step(x, step);
	}
	return TS_OK;
}

static enum ts_status take_by_template(struct text *x, const struct piece *p, struct ts_log_table *t, struct ts_error *err)
{
	enum ts_text_place place;
	int64_t step;

	place = ts_text_axis_step(x->axis, x->record, &step);
	switch (place) {
	case TS_TEXT_LOST:
		tell(x, "other_line", TS_NOTICE_INFO, "a line that says nothing about a step in this format");
		return TS_OK;
	case TS_TEXT_OPENS:
		show_cells(x);
		return add_to_row(x, p, t);
	case TS_TEXT_BLOCK:
		return take_block(x, p, step, t, err);
	case TS_TEXT_FOLLOWS:
		keep_new(x);
		ts_text_axis_follow(x->axis, x->record);
		if (!x->record->n)
			return TS_OK;
		break;
	case TS_TEXT_OWN_ROW:
	case TS_TEXT_ENDS:
		break;
	}
	if (!x->waits && !x->record->texts && ts_text_axis_heads(x->axis, x->record))
		return TS_OK;
	(void)add_to_row(x, p, t);
	put_number(t, "step", step);
	if (place != TS_TEXT_ENDS && x->shows_step && x->shown_step != step)
		end_shown(x);
	show_cells(x);
	show_step(x, step);
	if (place == TS_TEXT_ENDS)
		end_shown(x);
	return end_row(x, t, err);
}

/* --- progress bars --- */

/* The digits in the text before the bar: the epoch of "Epoch 3/10". */
static bool epoch_of(struct ts_span what, int64_t *ret_epoch)
{
	size_t from = 0, n = 0;

	while (from < what.len && !ts_is_digit(what.data[from]))
		from++;
	while (from + n < what.len && ts_is_digit(what.data[from + n]))
		n++;
	if (from < 5 || (what.data[0] | 32) != 'e' || (what.data[1] | 32) != 'p')
		return false;
	return ts_parse_i64(ts_span_part(what, from, n), ret_epoch);
}

/* Whether an ended bar is another one than that which ended before: of a further epoch, or, where no bar is seen under way, on a
 * further line. A bar that is closed prints its end again, on the same line. */
static bool is_next_bar(const struct text *x, const struct ts_text_bar *bar)
{
	int64_t epoch, before;

	if (bar->n != x->bar_n || bar->n != bar->total || bar->total != x->bar_total || x->lines.number == x->bar_line)
		return false;
	if (epoch_of(bar->what, &epoch) && epoch_of(ts_span_str(x->bar_what), &before))
		return epoch > before;
	return !x->survey.underway;
}

static int64_t bar_step(struct text *x, const struct ts_text_bar *bar)
{
	size_t n = bar->what.len < sizeof x->bar_what - 1 ? bar->what.len : sizeof x->bar_what - 1;
	bool other = strlen(x->bar_what) != n || (n && memcmp(x->bar_what, bar->what.data, n) != 0);
	bool again = bar->n < x->bar_n && (other || x->bar_n == x->bar_total);

	if ((again || is_next_bar(x, bar)) && x->bar_total <= INT64_MAX / 2 - x->base)
		x->base += x->bar_total;
	x->bar_line = x->lines.number;
	if (n)
		memcpy(x->bar_what, bar->what.data, n);
	x->bar_what[n] = '\0';
	x->bar_n = bar->n;
	x->bar_total = bar->total;
	return bar->n <= INT64_MAX / 2 ? x->base + bar->n : bar->n;
}

static enum ts_status take_bar(struct text *x, const struct piece *p, struct ts_log_table *t, struct ts_error *err)
{
	int64_t step, epoch;
	bool own = own_step(x->record, &step);

	if (!own)
		step = bar_step(x, &p->bar);
	if (x->waits && step != x->step && end_row(x, t, err))
		return err->status;
	begin_row(x, p, t);
	if (!own)
		put_number(t, "step", step);
	if (!ts_text_record_find(x->record, "epoch") && epoch_of(p->bar.what, &epoch))
		put_number(t, "epoch", epoch);
	x->waits = true;
	x->step = step;
	return TS_OK;
}

/* --- Hugging Face --- */

/* Ends the row that waits for its step: as of the bar that was seen last. */
static enum ts_status end_waiting(struct text *x, struct ts_log_table *t, struct ts_error *err)
{
	if (!x->waits)
		return TS_OK;
	if (x->format == TS_TEXT_HUGGINGFACE) {
		put_number(t, "step", x->step);
		see_step(x, x->step);
	}
	return end_row(x, t, err);
}

static enum ts_status keep_final(struct text *x, const struct piece *p, struct ts_error *err)
{
	const uint8_t *brace = memchr(p->line.text.data, '{', p->line.text.len);

	x->final = ts_arena_span(x->arena, ts_span_from(p->line.text, (size_t)(brace - p->line.text.data)));
	return x->final.data ? TS_OK : ts_arena_error(x->arena, err);
}

/* The timers of DeepSpeed, which stand before the record of their step: "time (ms) | fwd: 212.18 | bwd: 431.20 | step: 18.40". Those of
 * a step without a record give way to the next step's. */
static bool take_timers(struct text *x, const struct piece *p, struct ts_log_table *t)
{
	if (x->format != TS_TEXT_HUGGINGFACE || p->format != TS_TEXT_NONE || x->waits || p->is_bar || p->cut ||
	    p->line.text.len > TS_TEXT_LINE_MAX ||
	    !ts_text_pattern_match(ts_span_str("time (ms) | {}"), p->line.text, x->record, NULL, NULL) ||
	    !ts_text_pattern_match(ts_span_str("time ({*}"), p->line.text, x->record, NULL, NULL))
		return false;
	if (ts_text_axis_repeats(x->axis, x->record) || !x->timed)
		ts_log_table_row(t, x->lines.number);
	put_cells(x, t);
	x->timed = true;
	return true;
}

static enum ts_status take_record(struct text *x, const struct piece *p, struct ts_log_table *t, struct ts_error *err)
{
	if (end_waiting(x, t, err))
		return err->status;
	if (ts_text_record_find(x->record, "train_runtime"))
		return keep_final(x, p, err);
	if (!x->total) {
		x->number += !x->any || ts_text_record_find(x->record, "loss");
		x->step = x->number;
	} else if (x->bunched) {
		x->step = ts_text_bunch_step(&x->bunch, x->total, x->record, x->step);
	}
	if (x->timed)
		put_cells(x, t);
	else
		begin_row(x, p, t);
	x->waits = true;
	return x->total && !x->bunched ? TS_OK : end_waiting(x, t, err);
}

/* A state of the training's bar: the step of the record before it. */
static enum ts_status take_state(struct text *x, const struct piece *p, struct ts_log_table *t, struct ts_error *err)
{
	if (p->bar.what.len || p->bar.total != x->total || x->bunched)
		return TS_OK;
	x->step = p->bar.n;
	return end_waiting(x, t, err);
}

/* --- all lines --- */

static bool is_this_bar(const struct text *x, const struct piece *p)
{
	char what[TS_TEXT_WHAT];

	ts_text_what(p->bar.what, what);
	return strcmp(what, ts_text_survey_what(&x->survey)) == 0;
}

static void tell_other_rank(struct text *x)
{
	const char *word = x->ranks->word;
	char detail[96];

	if (x->who == TS_TEXT_MANY)
		(void)snprintf(detail, sizeof detail, "a line that names no rank; only lines that name one are read");
	else if (x->ranks->lowest == TS_TEXT_NO_RANK)
		(void)snprintf(detail, sizeof detail, "a line that names its rank; only lines that name none are read");
	else if (x->ranks->other_word)
		(void)snprintf(detail, sizeof detail, "a line of another %s; only those of [%s%" PRId32 "] are read",
			       *word ? word : "prefix", word, x->ranks->lowest);
	else
		(void)snprintf(detail, sizeof detail, "a line of another rank; only those of rank %" PRId32 " are read",
			       x->ranks->lowest);
	tell(x, "other_rank", TS_NOTICE_SKIPPED, detail);
}

/* A line of a step that another pass reads, or none. */
static void take_other(struct text *x, const struct piece *p)
{
	if (x->who == TS_TEXT_MANY && p->line.rank != TS_TEXT_NO_RANK)
		ts_text_end_step(&x->end);
	else
		tell_other_rank(x);
}

/* How the training ended is found out in the first pass, which sees all lines. */
static void see_other_line(struct text *x, const struct piece *p)
{
	if (x->pass)
		return;
	ts_text_end_line(&x->end, x->lines.number, p->line.naming == TS_TEXT_BY_TEXT ? TS_TEXT_NO_RANK : p->line.rank, p->line.text);
	if (p->repeats)
		tell(x, "best_row", TS_NOTICE_INFO, "the row of the best step, printed once more");
	else if (p->line.text.len)
		tell(x, "other_line", TS_NOTICE_INFO, "a line that says nothing about a step in this format");
}

static size_t decimals_of(struct ts_span number)
{
	const uint8_t *point = memchr(number.data, '.', number.len);

	return point ? number.len - 1 - (size_t)(point - number.data) : 0;
}

/* The end of lines like the one that was read; NULL: it has none, or there are too many others. */
static struct line_end *line_end_of(struct text *x)
{
	const struct ts_text_cell *last = x->record->n ? &x->record->cells[x->record->n - 1] : NULL;
	uint64_t name;

	if (!last || last->is_text)
		return NULL;
	name = ts_hash_bytes(ts_hash_open, last->name);
	for (size_t i = 0; i < LINE_ENDS; i++)
		if (!x->ends[i].lines || x->ends[i].name == name) {
			x->ends[i].name = name;
			return &x->ends[i];
		}
	return NULL;
}

static void see_line_end(struct text *x)
{
	struct line_end *end = line_end_of(x);
	size_t decimals;

	if (!end)
		return;
	decimals = decimals_of(x->record->cells[x->record->n - 1].value);
	if (!end->lines)
		end->decimals = decimals;
	end->others += decimals != end->decimals;
	end->lines++;
}

/* Whether a line that the file ends in is whole: its last number has as many decimals as those of nine lines in ten before, which are
 * printed so. */
static bool is_whole_line(struct text *x)
{
	const struct line_end *end = x->format == TS_TEXT_TEMPLATE ? line_end_of(x) : NULL;

	return end && end->lines >= ENDS_LEAST && 10 * end->others <= end->lines && end->decimals >= 2 &&
	       decimals_of(x->record->cells[x->record->n - 1].value) == end->decimals;
}

static enum ts_status take(struct text *x, const struct piece *p, struct ts_log_table *t, struct ts_error *err)
{
	if (x->format == TS_TEXT_HUGGINGFACE && p->is_bar)
		return take_state(x, p, t, err);
	if (take_timers(x, p, t))
		return TS_OK;
	if (p->format != x->format || (x->format == TS_TEXT_BAR && !is_this_bar(x, p))) {
		if (p->format == TS_TEXT_NONE && ts_text_tag(p->line.text))
			x->tag = ts_text_tag(p->line.text);
		see_other_line(x, p);
		return TS_OK;
	}
	if (!is_mine(x, p)) {
		take_other(x, p);
		return TS_OK;
	}
	if (!x->pass && (x->format != TS_TEXT_BAR || p->bar.n != x->bar_n)) /* a bar prints its last state again when it is closed */
		ts_text_end_step(&x->end);
	if (x->format == TS_TEXT_TEMPLATE && !p->cut)
		see_line_end(x);
	if (p->cut && x->format != TS_TEXT_BAR && !is_whole_line(x)) {
		tell(x, "cut_line", TS_NOTICE_SKIPPED, "the file ends inside a line");
		return TS_OK;
	}
	if (x->format == TS_TEXT_BAR)
		return take_bar(x, p, t, err);
	if (x->format == TS_TEXT_TEMPLATE) {
		/* "Saving checkpoint at step 100" names a step and is no row of it. */
		const char *tag = ts_text_axis_heads(x->axis, x->record) ? ts_text_tag(p->line.text) : NULL;
		enum ts_status status = take_by_template(x, p, t, err);

		x->tag = tag ? tag : x->tag;
		return status;
	}
	return x->format == TS_TEXT_HUGGINGFACE ? take_record(x, p, t, err) : take_plain(x, p, t, err);
}

static enum ts_status read_all(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct text *x = ctx;
	enum ts_status status = ts_log_lines_open(&x->lines, ts_top(x->options), x->options->path, '\r', err);

	x->waits = x->timed = x->any = x->spaced = false;
	x->step = x->bar_n = x->base = x->bar_total = x->number = 0;
	x->bar_line = 0;
	x->bar_what[0] = '\0';
	memset(x->ends, 0, sizeof x->ends);
	x->tag = NULL;
	ts_text_axis_begin(x->axis);
	if (!x->pass) {
		x->n_shown = 0;
		x->final.len = 0;
		ts_text_end_step(&x->end);
	}
	if (!status && x->format == TS_TEXT_HUGGINGFACE && !x->total)
		ts_notice_add(&x->notices, "rows_numbered", TS_NOTICE_INFO, ts_span_str(""), 0,
			      x->bunched ? "the records have no step, and the progress bar that would say it was written at other times"
					 : "the records have no step, and there is no progress bar that would say it");
	if (!status && x->bunched && x->total)
		ts_notice_add(&x->notices, "steps_by_epoch", TS_NOTICE_INFO, ts_span_str(""), 0,
			      "records stand together, apart from their progress bar, so their steps are those of their epochs");
	if (!status)
		status = each_piece(x, UINT64_MAX, take, t, err);
	if (!status)
		status = end_waiting(x, t, err);
	end_shown(x);
	x->bytes_read += x->lines.size;
	ts_log_lines_close(&x->lines);
	return status;
}

static enum ts_status begin_rank(void *ctx, size_t i, int32_t *ret_rank, struct ts_error *err)
{
	struct text *x = ctx;

	x->pass = i;
	x->mine = x->ranks->order[i];
	*ret_rank = x->ranks->items[x->mine].rank;
	return !i || x->format != TS_TEXT_TEMPLATE ? TS_OK : look_at_rank(x, err);
}

/* --- facts --- */

static void write_number(struct ts_json *j, const struct ts_text_cell *c)
{
	struct ts_span written;
	double value;

	ts_json_key_span(j, c->name);
	if (!c->is_text && ts_log_number(c->value, &value, &written))
		ts_json_double(j, value);
	else
		ts_json_null(j);
}

static void write_final(const struct text *x, struct ts_json *j)
{
	ts_json_key(j, "huggingface");
	ts_json_object(j);
	ts_json_key(j, "final");
	ts_json_object(j);
	for (size_t i = 0; i < x->record->n; i++)
		write_number(j, &x->record->cells[i]);
	ts_json_end(j);
	ts_json_end(j);
}

/* By what the lines were read, whoever gave it. */
static void write_templates(const struct text *x, struct ts_json *j)
{
	if (!x->templates.n)
		return;
	ts_json_key(j, "patterns");
	ts_json_array(j);
	for (size_t i = 0; i < x->templates.n; i++)
		ts_json_string(j, x->templates.items[i]);
	ts_json_end(j);
}

/* How the training ended, and the last record of Hugging Face's log, which has the same place as that of trainer_state.json. */
static enum ts_status write_facts(void *ctx, struct ts_json *j, struct ts_error *err)
{
	struct text *x = ctx;
	const struct ts_text_cell *runtime;

	bool has_final;

	(void)err;
	ts_text_record_clear(x->record);
	has_final = x->final.len && ts_text_dict(x->record, NULL, x->final);
	if (!has_final && !x->end.said && !x->end.finished && !x->templates.n)
		return TS_OK;
	ts_json_key(j, "session");
	ts_json_object(j);
	write_templates(x, j);
	ts_text_end_write(&x->end, j);
	runtime = has_final ? ts_text_record_find(x->record, "train_runtime") : NULL;
	if (runtime && !runtime->is_text) {
		struct ts_text_cell wall_time = {ts_span_str("wall_time"), runtime->value, false};

		write_number(j, &wall_time);
	}
	if (has_final)
		write_final(x, j);
	ts_json_end(j);
	return TS_OK;
}

static void write_column(void *ctx, struct ts_span source, struct ts_json *j)
{
	static const char *const losses[] = {"loss", "lm loss", "reduced_train_loss"};
	const struct text *x = ctx;

	for (size_t i = 0; x->spaced && ts_text_format_means(x->format) && i < sizeof losses / sizeof losses[0]; i++)
		if (ts_span_is(source, losses[i])) {
			ts_json_key(j, "interval_mean");
			ts_json_bool(j, true);
		}
	if (ts_span_ends(source, "_runtime") || ts_span_ends(source, "_per_second")) {
		ts_json_key(j, "role");
		ts_json_string(j, "observation");
	}
}

static bool finished(void *ctx)
{
	const struct text *x = ctx;

	return x->final.len > 0;
}

/* --- the reader --- */

static enum ts_status check_patterns(const struct ts_ingest_options *options, struct ts_error *err)
{
	for (size_t i = 0; i < options->n_patterns; i++)
		if (ts_text_pattern_check(ts_span_str(options->patterns[i]), err))
			return ts_error_prefix(err, "'%s'", options->patterns[i]);
	return TS_OK;
}

static const char *directory_of(const char *path, struct ts_arena *arena)
{
	const char *name = ts_path_last(path);

	return name == path ? "." : ts_arena_printf(arena, "%.*s", (int)(name - path), path);
}

static void tell_guess(const struct text *x, struct ts_ingest_result *result)
{
	result->guessed = x->templates.items;
	result->n_guessed = x->templates.n;
	result->n_first_rows = x->n_shown;
	memcpy(result->first_rows, x->shown, sizeof x->shown);
}

enum ts_status ts_text_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			    struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct text x = {.arena = arena,
			 .notices = {.arena = arena},
			 .options = options,
			 .templates = templates_of(options->patterns, options->n_patterns, false),
			 .scratch = TS_BUF_INIT(TS_LINE_MAX),
			 .unfolded = TS_BUF_INIT(4 * TS_TEXT_LINE_MAX),
			 .shows = TS_BUF_INIT(SHOWN_BYTES),
			 .record = ts_arena_array(arena, 1, sizeof *x.record),
			 .axis = ts_arena_array(arena, 1, sizeof *x.axis),
			 .ranks = ts_arena_array(arena, 1, sizeof *x.ranks),
			 .guess = ts_arena_array(arena, 1, sizeof *x.guess)};
	struct ts_log_source source = {.directory = directory_of(options->path, arena),
				       .read = read_all,
				       .facts = write_facts,
				       .column = write_column,
				       .finished = finished,
				       .ctx = &x};
	enum ts_status status = x.record && x.axis && x.ranks && x.guess && source.directory ? TS_OK : ts_arena_error(arena, err);

	if (!status)
		status = check_patterns(options, err);
	if (!status)
		status = survey(&x, err);
	if (!status) {
		source.format = x.guessed ? "text log, by a guessed template" : ts_text_format_name(x.format);
		source.significant = ts_text_format_significant(x.format, x.survey.quoted);
		if (x.who == TS_TEXT_MANY) {
			source.n_ranks = x.ranks->n_order;
			source.begin_rank = begin_rank;
		}
		status = ts_log_table_import(&source, options, sink, ctx, &x.notices, &x.bytes_read, arena, ret_result, err);
	}
	if (!status && x.guessed)
		tell_guess(&x, ret_result);
	if (x.ranks)
		ts_text_ranks_finish(x.ranks);
	ts_buf_finish(&x.shows);
	ts_buf_finish(&x.unfolded);
	ts_buf_finish(&x.scratch);
	return status;
}

/* --- sniff --- */

/* train.log, log.txt, slurm-17.out, job.o17 (of PBS), stdout */
bool ts_text_is_log(const char *name)
{
	static const char *const endings[] = {".log", ".txt", ".out", ".err"};
	const char *dot = strrchr(name, '.');

	if (!dot)
		return true;
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
		if (ts_file_ends(name, endings[i]))
			return true;
	if ((dot[1] != 'o' && dot[1] != 'e') || !dot[2])
		return false;
	for (dot += 2; *dot; dot++)
		if (!ts_is_digit((unsigned char)*dot))
			return false;
	return true;
}

/* Looks for a line of a step in the first SNIFF_BYTES. */
static bool has_step(struct text *x, struct ts_error *err)
{
	struct ts_span raw;
	enum ts_log_line_end end;
	struct piece p;

	while (ts_log_lines_at(&x->lines) < SNIFF_BYTES && !ts_log_lines_next(&x->lines, &raw, &end, err) && end == TS_LOG_LINE) {
		if (raw.len && memchr(raw.data, '\0', raw.len))
			return false;
		if (look_at(x, raw, &p, err))
			return false;
		if (p.format != TS_TEXT_NONE)
			return true;
	}
	return false;
}

/* Whether a template takes more than the step. */
static bool takes_values(const struct ts_text_guess *guess)
{
	for (size_t i = 0; i < guess->n; i++)
		if (strstr(guess->templates[i], "*}") || strstr(guess->templates[i], "{value}") ||
		    strchr(strchr(guess->templates[i], '{') + 1, '{'))
			return true;
	return false;
}

/* What the text is in, if most lines with bytes beyond ASCII are no UTF-8; NULL: UTF-8 or UTF-16, or no text. */
static const char *other_encoding(const char *path)
{
	struct ts_log_lines lines;
	enum ts_log_line_end end;
	struct ts_error ignored;
	struct ts_span line;
	uint64_t valid = 0, invalid = 0;

	if (!ts_log_lines_open(&lines, path, path, 0, &ignored))
		for (int i = 0; i < ENCODING_LINES && !ts_log_lines_next(&lines, &line, &end, &ignored) && end == TS_LOG_LINE; i++) {
			size_t ascii = 0;

			while (ascii < line.len && line.data[ascii] && line.data[ascii] < 0x80)
				ascii++;
			if (ascii < line.len && !line.data[ascii])
				break; /* no text */
			*(ts_utf8_valid(line) ? &valid : &invalid) += ascii < line.len;
		}
	ts_log_lines_close(&lines);
	return invalid > valid && invalid >= ENCODING_LEAST ? "GB18030" : NULL;
}

/* Whether a guess takes something that may be of a training, though its name does not say so. */
static bool takes_measure(const struct ts_text_guess *guess)
{
	return guess->counts && (!guess->unmeasured || strstr(guess->templates[0], "{value}"));
}

/* The template of lines that are alike, where a guess has none, or one that takes less: without a step, or nothing of a training. */
static const char *advice_by_shape(const char *path, const struct ts_text_guess *guess, struct ts_arena *arena)
{
	struct ts_buf line = TS_BUF_INIT(2 * TS_TEXT_LINE_MAX);
	const char *advice = NULL;
	bool none = !guess->n || !takes_values(guess);
	struct ts_text_alike alike;

	if (!none && takes_measure(guess))
		return NULL;
	if (ts_text_alike(path, path, arena, &alike) && (none || (alike.step && (!guess->counts || alike.decimals > 1)))) {
		ts_text_templates_print(&line, &alike.template, 1);
		advice = ts_arena_printf(arena,
					 "many lines are alike but for their numbers; if they are those of steps, read it with%.*s",
					 TS_SPAN_ARG(ts_buf_view(&line)));
	}
	ts_buf_finish(&line);
	return advice;
}

const char *ts_text_advice(const char *path, struct ts_arena *arena)
{
	struct ts_text_guess guess;
	struct ts_error ignored;
	struct ts_buf line = TS_BUF_INIT(2 * TS_TEXT_LINE_MAX);
	const char *advice = NULL, *columns = ts_text_columns(path, path, arena), *encoding;

	if (ts_text_guess(path, path, arena, &guess, &ignored))
		guess = (struct ts_text_guess){.n = 0};
	if (columns)
		advice = ts_arena_printf(arena, "it has numbers without names; give them names, as in --pattern '%s'", columns);
	else
		advice = advice_by_shape(path, &guess, arena);
	if (advice) {
		ts_buf_finish(&line);
		return advice;
	}
	if (guess.n && guess.why && takes_values(&guess)) {
		ts_text_templates_print(&line, guess.templates, guess.n);
		advice = ts_arena_printf(arena, "its lines may be those of steps, but %s; if they are, read it with%.*s", guess.why,
					 TS_SPAN_ARG(ts_buf_view(&line)));
	} else if ((encoding = other_encoding(path)) != NULL) {
		advice = ts_arena_printf(
			arena, "its text is not UTF-8; iconv makes it so, as in iconv -f %s -t UTF-8 FILE > FILE.utf8.log", encoding);
	}
	ts_buf_finish(&line);
	return advice;
}

int ts_text_sniff(const char *path)
{
	struct ts_ingest_options options = {.path = path};
	struct ts_text_record record = {.brief = false};
	struct text x = {.options = &options, .scratch = TS_BUF_INIT(TS_LINE_MAX), .record = &record};
	struct ts_error err = {.status = TS_OK};
	bool has = false;

	if (!ts_text_is_log(ts_path_last(path)) || ts_file_kind(path) != TS_FILE_REGULAR)
		return 0;
	if (!ts_log_lines_open(&x.lines, path, path, '\r', &err))
		has = has_step(&x, &err);
	ts_log_lines_close(&x.lines);
	ts_buf_finish(&x.scratch);
	if (!has && err.status == TS_OK)
		(void)ts_text_guess_whether(path, &has, &err);
	return has ? SURE : err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY : 0;
}
