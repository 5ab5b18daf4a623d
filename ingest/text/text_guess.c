#include "ingest/text/text_guess.h"

#include "base/limits.h"
#include "base/text.h"
#include "ingest/formats/log_lines.h"
#include "ingest/rows/log_axes.h"
#include "ingest/text/text_bar.h"
#include "ingest/text/text_doing.h"
#include "ingest/text/text_formats.h"
#include "ingest/text/text_kinds.h"
#include "ingest/text/text_known.h"
#include "ingest/text/text_line.h"
#include "ingest/text/text_pattern.h"
#include "ingest/text/text_unfold.h"

#include <stdio.h>

enum {
	LINES_LEAST = 3,
	PLAIN_LEAST = 5, /* lines that count nothing */
	LINES_SURE = 30, /* of one loss alone, if they do not count by a name that is known */
	LINES_MANY = 30, /* so many lines are a log, however much else stands among them */
	PER_LINES = 50,	 /* one line of a step in so many is a log */
	NONE = TS_TEXT_COUNTERS,
	KNOWN_BYTES = 256 << 10, /* so far into the log a program that is known by a mark must have it */
	TEMPLATE_MAX = 2 * TS_TEXT_FORM,
	FIELD_MAX = 40,
};

/* How a log is looked at: by counters that have a name, or are written as such; by the first whole number of a line, or by that behind
 * the rank; by no counter. */
enum way { BY_NAME, BY_FIRST, BY_BEHIND, BY_NONE };

/* What the counters of a kind are: their numbers, or NONE. */
struct roles {
	size_t step, epoch;
};

struct choice {
	const struct ts_text_sort *kinds[TS_TEXT_GUESS_TEMPLATES];
	bool counting[TS_TEXT_GUESS_TEMPLATES]; /* whether the kind counts, or stands in blocks only */
	bool shares[TS_TEXT_GUESS_TEMPLATES];	/* whether a kind before it has a name of its names */
	size_t n;
	const struct ts_text_sort *steps; /* the kind of the steps, which is the first */
	struct roles roles;
};

/* --- roles --- */

static bool is_named(const struct ts_text_counter *c)
{
	return ts_text_counter_rank(c) != TS_LOG_AXIS_NONE && !ts_text_counter_is_epoch(c);
}

/* Falls of the counter that the rise of an epoch explains. */
static uint64_t explained_of(const struct ts_text_sort *s, const struct roles *r)
{
	const struct ts_text_counter *c = &s->counters[r->step];
	uint64_t explained = c->falls_after;

	for (size_t e = 0; e < r->step; e++)
		if (c->falls_with[e] > explained)
			explained = c->falls_with[e];
	return explained;
}

static uint64_t falls_of(const struct ts_text_sort *s, const struct roles *r)
{
	return s->counters[r->step].falls - explained_of(s, r);
}

/* Whether the counter is more certain to be the step than the one before: by its name, but one that stands still in most lines, such as
 * that of several batches of a step, yields to one that rises; and one within an epoch to one of the whole training. */
static bool is_better(const struct ts_text_counter *c, const struct ts_text_counter *best, uint64_t lines)
{
	bool still = 2 * c->sames > lines, best_still = 2 * best->sames > lines;
	bool global = ts_log_axis_is_global(ts_span_str(c->name));

	if (still == best_still && global != ts_log_axis_is_global(ts_span_str(best->name)))
		return global;
	return still == best_still ? ts_text_counter_rank(c) < ts_text_counter_rank(best) : best_still;
}

/* Whether the counter has the name of a step, or counts up to a number beside one of episodes: "43587/50000: episode: 588". */
static bool counts_updates(const struct ts_text_sort *s, size_t counter)
{
	const struct ts_text_counter *c = &s->counters[counter];
	const size_t episode = ts_log_axis_rank(ts_span_str("episode"));

	if (is_named(c))
		return ts_text_counter_rank(c) != episode || counter == 0 || !counts_updates(s, counter - 1);
	return c->fraction && !c->falls && c->rises > c->sames && counter + 1 < s->n_counters &&
	       ts_text_counter_rank(&s->counters[counter + 1]) == episode;
}

/* "accuracy: 20.78% (512570/2466133)": a part of something, which is not the same from line to line, counts nothing. */
static bool is_share(const struct ts_text_counter *c, uint64_t lines)
{
	return lines >= LINES_LEAST && 2 * c->wholes + 1 >= lines;
}

/* The counter with the most certain name of a step; without any, the last that is no epoch. */
static size_t step_of(const struct ts_text_sort *s)
{
	size_t best = NONE;

	for (size_t i = 0; i < s->n_counters; i++)
		if (counts_updates(s, i) && (best == NONE || is_better(&s->counters[i], &s->counters[best], s->lines)))
			best = i;
	for (size_t i = 0; i < s->n_counters && best == NONE; i++) {
		const struct ts_text_counter *c = &s->counters[s->n_counters - 1 - i];

		if (!ts_text_counter_is_epoch(c) && (is_named(c) || !is_share(c, s->lines)))
			best = s->n_counters - 1 - i;
	}
	return best;
}

static bool stands_still(const struct ts_text_sort *s, size_t counter)
{
	return s->lines >= LINES_LEAST && !s->counters[counter].rises && !s->counters[counter].falls;
}

/* Whether a counter rises from line to line as the step does, which never begins again: it counts the same, such as samples. */
static bool keeps_pace(const struct ts_text_sort *s, size_t counter, size_t step)
{
	return s->lines >= LINES_LEAST && !s->counters[step].falls && 2 * s->counters[counter].rises > s->counters[step].rises;
}

static struct roles roles_of(const struct ts_text_sort *s)
{
	struct roles r = {step_of(s), NONE};

	for (size_t i = 0; i < s->n_counters; i++)
		if (i != r.step && ts_text_counter_is_epoch(&s->counters[i]))
			r.epoch = i;
	/* "Train: 0 [50/1000": the number before rises when the step begins again, or never yet. */
	for (size_t i = 0; r.epoch == NONE && r.step != NONE && i < r.step; i++)
		if (!is_named(&s->counters[i]) && !s->counters[i].falls && !keeps_pace(s, i, r.step))
			r.epoch = i;
	/* One line an epoch, always at the same step of it: the epoch counts. */
	if (r.step != NONE && r.epoch != NONE && stands_still(s, r.step) && !stands_still(s, r.epoch))
		r.step = NONE;
	return r;
}

/* explained: falls at the beginning of an epoch, which count as rises. */
static bool rises(const struct ts_text_counter *c, uint64_t lines, uint64_t explained)
{
	uint64_t rises = c->rises + explained;

	return rises >= 2 && c->rises && 2 * (rises + c->sames) >= lines - 1 && 8 * rises >= lines - 1 &&
	       20 * (c->falls - explained) <= lines + 20;
}

/* Whether the kind counts the steps of a training: its step rises, or its epoch. */
static bool counts(const struct ts_text_sort *s, const struct roles *r)
{
	if (s->lines < LINES_LEAST)
		return false;
	if (r->step != NONE && rises(&s->counters[r->step], s->lines, explained_of(s, r)))
		return true;
	return r->step == NONE && r->epoch != NONE && rises(&s->counters[r->epoch], s->lines, 0);
}

/* --- choosing --- */

static uint64_t measured_of(const struct ts_text_sort *s)
{
	return s->measured > s->measured_before ? s->measured : s->measured_before;
}

/* Whether lines without a step of their own measure something as a rule: a line here and there that has such a name says little, but
 * where each line has one number, few are a loss. */
static bool measures(const struct ts_text_sort *s)
{
	return measured_of(s) && (2 * measured_of(s) >= s->lines || 10 * s->plain >= 9 * s->lines);
}

/* Lines without a step of their own that measure something, of the kind that has most of them. */
static uint64_t measured_beside(const struct ts_text_kinds *k, const struct ts_text_sort *steps)
{
	uint64_t most = 0;

	for (size_t i = 0; i < k->n; i++) {
		const struct ts_text_sort *s = &k->items[i];
		struct roles r = roles_of(s);

		if (s != steps && !s->evaluation && !counts(s, &r) && measures(s) && s->last > steps->first && s->first < steps->last &&
		    measured_of(s) > most)
			most = measured_of(s);
	}
	return most;
}

/* How many lines speak for a kind as that of the steps. A header of blocks has the lines of its blocks. */
static uint64_t weight_of(const struct ts_text_kinds *k, const struct ts_text_sort *s)
{
	uint64_t own = measured_of(s), beside;

	if (own)
		return 2 * own;
	beside = measured_beside(k, s);
	return beside < s->lines ? beside : s->lines;
}

/* How many names of a kind one that was chosen has, too. */
static size_t shared_names(const struct choice *c, const struct ts_text_sort *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_names; i++) {
		bool shared = false;

		for (size_t k = 0; k < c->n; k++)
			for (size_t j = 0; j < c->kinds[k]->n_names; j++)
				shared |= c->kinds[k]->names[j] == s->names[i];
		n += shared;
	}
	return n;
}

/* What names of the kind begin with if its lines say that they are of an evaluation; NULL: they do not. */
static const char *evaluation_of(const struct ts_text_sort *s)
{
	if (s->evaluation)
		return s->evaluation;
	for (size_t i = 0; s->form[i]; i++) {
		struct ts_span rest = ts_span_str(s->form + i);

		if (!ts_is_alpha((unsigned char)s->form[i]) || (i && ts_is_alpha((unsigned char)s->form[i - 1])))
			continue;
		if (ts_text_evaluation(rest))
			return ts_text_evaluation(rest);
		if (ts_span_starts(rest, ts_span_str("train")) || ts_span_starts(rest, ts_span_str("Train")))
			return NULL;
	}
	return NULL;
}

/* Whether the kind is the line of an evaluation that counts the same epochs; or a row of the same table, of which a cell is empty. */
static bool joins_epochs(const struct choice *c, const struct ts_text_sort *s, const struct roles *r)
{
	const struct ts_text_counter *mine, *theirs;

	if (s->table && c->steps->table)
		return r->epoch != NONE;
	if (r->epoch == NONE || !evaluation_of(s) || !counts(s, r))
		return false;
	mine = &s->counters[r->epoch];
	theirs = &c->steps->counters[c->roles.epoch];
	return mine->value >= theirs->least && mine->least <= theirs->value + 1;
}

/* Whether the kind is another line of the same steps: its counter has a name, and its values lie among them. */
static bool joins_steps(const struct choice *c, const struct ts_text_sort *s)
{
	struct roles r = roles_of(s);
	const struct ts_text_counter *mine, *theirs;

	if ((r.step == NONE) != (c->roles.step == NONE) || !measured_of(s) || (r.epoch == NONE) != (c->roles.epoch == NONE))
		return false;
	if (r.step == NONE)
		return joins_epochs(c, s, &r);
	mine = &s->counters[r.step];
	/* One line of settings may have a name that ends as that of a step: "log_iter=10". */
	if (s->lines == 1 && !ts_log_axis_tells(ts_span_str(mine->name)))
		return false;
	theirs = &c->steps->counters[c->roles.step];
	if (evaluation_of(s) && mine->fraction && theirs->fraction && mine->whole != theirs->whole)
		return false; /* it counts the batches of the evaluation */
	return is_named(mine) && falls_of(s, &r) <= s->lines / 20 + 1 && mine->value >= theirs->least &&
	       mine->least <= theirs->value + 1;
}

/* Whether the kind stands in the blocks of the steps: it measures something, or comes as regularly. */
static bool joins_blocks(const struct choice *c, const struct ts_text_sort *s)
{
	struct roles r = roles_of(s);
	bool regular = 10 * s->lines >= 7 * c->steps->lines && s->lines <= 40 * c->steps->lines;

	if (r.step != NONE && counts(s, &r))
		return false;
	/* A line that stands several times in a block, with the same names, has no value that is the step's. */
	if (s->form[0] != TS_TEXT_COUNTER && 2 * s->lines > 3 * c->steps->lines)
		return false;
	if (s->last <= c->steps->first || s->first >= c->steps->last + c->steps->lines || !s->named)
		return false;
	/* Of a name that another line of the block has, too, the first value counts. */
	if (shared_names(c, s) == s->n_names && !evaluation_of(s))
		return false;
	return (regular && (measures(s) || !measured_of(s))) || (measures(s) && s->lines >= 2);
}

/* "Epoch 3/10", where the steps begin again behind it. */
static bool heads_epochs(const struct choice *c, const struct ts_text_sort *s)
{
	return s->n_counters == 1 && ts_text_counter_is_epoch(&s->counters[0]) && c->roles.epoch == NONE && c->roles.step != NONE &&
	       c->steps->counters[c->roles.step].falls_after > 0;
}

static void add_kind(struct choice *c, const struct ts_text_sort *s, bool counting)
{
	c->shares[c->n] = shared_names(c, s) > 0;
	c->counting[c->n] = counting;
	c->kinds[c->n++] = s;
}

/* Whether lines of an evaluation, which the kind of their form reads, have no name that the training has, too. */
static bool is_idle(const struct choice *c, const struct ts_text_sort *s)
{
	return s->evaluation && !shared_names(c, s);
}

static void choose_others(const struct ts_text_kinds *k, struct choice *c)
{
	for (size_t i = 0; i < k->n && c->n < TS_TEXT_GUESS_TEMPLATES; i++) {
		const struct ts_text_sort *s = &k->items[i];

		if (s != c->steps && s->n_counters && !is_idle(c, s) && (heads_epochs(c, s) || joins_steps(c, s)))
			add_kind(c, s, true);
	}
	for (size_t i = 0; i < k->n && c->n < TS_TEXT_GUESS_TEMPLATES; i++) {
		const struct ts_text_sort *s = &k->items[i];

		if (s != c->steps && !is_idle(c, s) && !heads_epochs(c, s) && !joins_steps(c, s) && joins_blocks(c, s))
			add_kind(c, s, false);
	}
}

/* "Epoch 1 - Batch loss: 2.5", many times: an epoch that says nothing of the line in it, and no other counter. */
static bool counts_epochs_alone(const struct ts_text_sort *s)
{
	return s->n_counters == 1 && ts_text_counter_is_epoch(&s->counters[0]) && !s->counters[0].falls &&
	       2 * s->counters[0].sames > s->lines && !s->axes && !s->both;
}

/* Of a log that counts nothing, the kind of line that most of it is, if each has what trainings measure. */
static void choose_plain(const struct ts_text_kinds *k, struct choice *c)
{
	for (size_t i = 0; i < k->n && !c->n; i++) {
		const struct ts_text_sort *s = &k->items[i];

		if ((!s->n_counters || counts_epochs_alone(s)) && !s->evaluation && s->lines >= PLAIN_LEAST &&
		    2 * s->lines > k->rank_lines && 10 * s->measured >= 9 * s->lines) {
			c->steps = s;
			add_kind(c, s, false);
			c->roles = (struct roles){NONE, NONE};
		}
	}
}

/* Of two kinds that are as good, a step says more than an epoch, and a training more than its evaluation. */
static bool is_finer(const struct choice *c, const struct ts_text_sort *s, const struct roles *r)
{
	if ((r->step == NONE) == (c->roles.step == NONE))
		return evaluation_of(c->steps) && !evaluation_of(s);
	return r->step != NONE;
}

/* Of a log that counts nothing, and in which no kind of line has most, those that blocks are made of: as often as the commonest. */
static void choose_parts(const struct ts_text_kinds *k, struct choice *c)
{
	uint64_t most = 0, measured = 0;

	for (size_t i = 0; i < k->n; i++)
		if (!k->items[i].n_counters && !k->items[i].evaluation && k->items[i].measured && k->items[i].lines > most)
			most = k->items[i].lines;
	for (size_t i = 0; i < k->n && most >= PLAIN_LEAST && c->n < TS_TEXT_GUESS_TEMPLATES; i++) {
		const struct ts_text_sort *s = &k->items[i];

		if (s->n_counters || s->evaluation || !s->named || 10 * s->lines < 9 * most || 9 * s->lines > 10 * most)
			continue;
		add_kind(c, s, false);
		measured += s->measured > 0;
		c->steps = c->steps && c->steps->measured ? c->steps : s;
	}
	if (!measured)
		c->n = 0;
}

/* How many kinds of the choice have what trainings measure. */
static size_t kinds_measured(const struct choice *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += measured_of(c->kinds[i]) > 0;
	return n;
}

static void choose(const struct ts_text_kinds *k, struct choice *c)
{
	uint64_t most = 0;

	*c = (struct choice){.n = 0};
	for (size_t i = 0; i < k->n; i++) {
		const struct ts_text_sort *s = &k->items[i];
		struct roles r = roles_of(s);
		uint64_t weight = s->n_counters && !s->evaluation && counts(s, &r) ? 1 + weight_of(k, s) : 0;

		if (weight < most || !weight || (weight == most && !is_finer(c, s, &r)))
			continue;
		most = weight;
		c->steps = s;
		c->roles = r;
	}
	if (!c->steps)
		return;
	add_kind(c, c->steps, true);
	choose_others(k, c);
}

/* --- templates --- */

static void put(char *out, size_t *n, const char *text)
{
	size_t len = strlen(text);

	if (*n + len >= TEMPLATE_MAX)
		return;
	memcpy(out + *n, text, len + 1);
	*n += len;
}

/* The name of a plain line's first number: what stands before it, without its sign. */
static void put_first_name(char *out, size_t *n, const char *form)
{
	size_t len = strlen(form);
	char name[TS_TEXT_FORM];

	while (len && strchr(" :=[(\001", form[len - 1]))
		len--;
	memcpy(name, form, len);
	name[len] = '\0';
	put(out, n, "{");
	put(out, n, name);
	put(out, n, "}");
}

/* The bytes of the form before its first counter. */
static size_t words_before(const char *form)
{
	size_t n = 0;

	while (form[n] && form[n] != TS_TEXT_COUNTER)
		n++;
	return ts_trim(ts_span_of(form, n)).len;
}

/* The field of a counter that is neither the step nor the epoch: one of another axis, that moves, is kept by its name. */
static const char *own_field(const struct ts_text_sort *s, size_t counter, char field[FIELD_MAX])
{
	const struct ts_text_counter *c = &s->counters[counter];

	if (ts_text_counter_rank(c) == ts_log_axis_rank(ts_span_str("step")) || !is_named(c) || c->rises + c->falls == 0)
		return "{}";
	(void)snprintf(field, FIELD_MAX, "{%s}", c->name);
	return field;
}

/* prefix: what the names of the line begin with (text_pattern.h); empty: nothing. */
static const char *template_of(const struct ts_text_sort *s, bool counting, const char *prefix, struct ts_arena *arena)
{
	char out[TEMPLATE_MAX] = "";
	size_t n = 0, counter = 0;
	struct roles r = roles_of(s);
	bool step = counting && r.step != NONE && s->counters[r.step].rises + (is_named(&s->counters[r.step]) && s->lines == 1) > 0;

	if (!s->n_counters && s->form[0] == TS_TEXT_COUNTER)
		return ts_arena_printf(arena, "{%s*}", prefix);
	if (s->table)
		return ts_arena_printf(arena, "%s", s->form);
	if (s->measured_before > s->measured || (s->both && 10 * s->both >= 9 * s->lines))
		put(out, &n, "{*} ");
	for (const char *c = s->form; *c; c++) {
		char text[2] = {*c, '\0'}, field[FIELD_MAX];

		if (*c == TS_TEXT_COUNTER && !s->n_counters) {
			put_first_name(out, &n, s->form);
		} else if (*c == TS_TEXT_COUNTER) {
			put(out, &n,
			    counter == r.step && step	     ? "{step}"
			    : counter == r.epoch && counting ? "{epoch}"
							     : own_field(s, counter, field));
			counter++;
		} else {
			put(out, &n, *c == TS_TEXT_WHOLE ? "{}" : text);
		}
	}
	while (n && out[n - 1] == ' ')
		out[--n] = '\0';
	if (2 * s->index > s->lines)
		return ts_arena_printf(arena, "%s {%.*s} {%s*}", out, (int)words_before(s->form), s->form, prefix);
	if (2 * s->behind > s->lines)
		return ts_arena_printf(arena, "%s {%.*s}", out, (int)ts_text_measure_len(ts_span_str(s->form)), s->form);
	if (!s->named)
		return ts_arena_printf(arena, "%s%s", out, s->bare && 10 * s->bare >= 9 * s->lines ? " {value}" : "");
	return ts_arena_printf(arena, "%s%s{%s*}", out, n && out[n - 1] == '(' ? "" : " ", prefix);
}

/* A template with a step is tried first, then one with more text of its own, and one that fits any named numbers last. */
static size_t text_of(const char *template)
{
	size_t n = strstr(template, "{step}") || strstr(template, "{epoch}") ? TEMPLATE_MAX : 0;

	for (bool field = false; *template; template ++) {
		field = *template == '{' || (field && *template != '}');
		n += !field && *template != '}' && *template != ' ';
		n += field && *template == '*' && template[-1] != '{';
	}
	return n;
}

static void sort(struct ts_text_guess *g)
{
	for (size_t i = 1; i < g->n; i++)
		for (size_t k = i; k > 0 && text_of(g->templates[k - 1]) < text_of(g->templates[k]); k--) {
			const char *other = g->templates[k];

			g->templates[k] = g->templates[k - 1];
			g->templates[k - 1] = other;
		}
}

void ts_text_templates_print(struct ts_buf *out, const char *const *templates, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ts_buf_str(out, " --pattern '");
		for (const char *c = templates[i]; *c; c++)
			if (*c == '\'')
				ts_buf_str(out, "'\\''");
			else
				ts_buf_char(out, *c);
		ts_buf_char(out, '\'');
	}
}

/* --- how sure it is --- */

/* Whether the lines count steps and epochs, both by name, or epochs out of so many, and have numbers: only trainings do. */
static bool counts_epochs(const struct choice *c)
{
	const struct ts_text_sort *s = c->steps;

	if (c->roles.epoch != NONE && ts_text_counter_is_epoch(&s->counters[c->roles.epoch]) && s->counters[c->roles.epoch].fraction)
		return s->fractions >= s->lines;
	return c->roles.step != NONE && c->roles.epoch != NONE && is_named(&s->counters[c->roles.step]) &&
	       ts_text_counter_is_epoch(&s->counters[c->roles.epoch]) && s->fractions >= s->lines;
}

/* Whether lines that head the epochs have what trainings measure, each of them: "[Epoch 1] Learning rate: 1e-4". */
static bool heads_measure(const struct choice *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (heads_epochs(c, c->kinds[i]) && c->kinds[i]->lines >= LINES_LEAST && measured_of(c->kinds[i]) == c->kinds[i]->lines)
			return c->steps->fractions >= c->steps->lines;
	return false;
}

/* Lines with a number of a name of what trainings measure; those of an evaluation do not count. */
static uint64_t measured_lines(const struct choice *c)
{
	uint64_t measured = 0;

	for (size_t i = 0; i < c->n; i++)
		measured += c->kinds[i]->evaluation ? 0 : measured_of(c->kinds[i]);
	return measured;
}

static bool is_unmeasured(const struct choice *c)
{
	uint64_t measured = measured_lines(c);

	return !counts_epochs(c) && !heads_measure(c) && (2 * measured < c->steps->lines || measured < LINES_LEAST);
}

static const char *doubt(const struct ts_text_kinds *k, enum way way, const struct choice *c)
{
	uint64_t measured = measured_lines(c), lines = 0, rich = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (c->kinds[i]->evaluation)
			continue;
		rich += c->kinds[i]->rich;
		lines += c->kinds[i]->lines;
	}
	if (is_unmeasured(c))
		return "none of their numbers has a name of what trainings measure, such as a loss, an accuracy or a learning rate";
	if ((way == BY_FIRST || way == BY_BEHIND) && measured < LINES_SURE && 2 * rich < measured)
		return "they count by a name that no training is known to count by, and are few";
	if (way == BY_NONE && 2 * rich < measured && kinds_measured(c) < 2)
		return "they have no step, and one number alone of what trainings measure";
	if (way == BY_NONE && 2 * lines < k->rank_lines)
		return "they have no step, and are few among the other lines";
	if (lines < LINES_MANY && lines * PER_LINES < k->lines)
		return "they are too few among the other lines";
	return NULL;
}

/* Two kinds may have one template. */
static void add_template(struct ts_text_guess *g, const char *template)
{
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->templates[i], template) == 0)
			return;
	g->templates[g->n++] = template;
}

static enum ts_status make(const struct ts_text_kinds *k, enum way way, struct ts_arena *arena, struct ts_text_guess *g,
			   struct ts_error *err)
{
	struct choice c = {.n = 0};

	*g = (struct ts_text_guess){.n = 0};
	if (way == BY_NONE)
		choose_plain(k, &c);
	if (way == BY_NONE && !c.n)
		choose_parts(k, &c);
	if (way != BY_NONE)
		choose(k, &c);
	for (size_t i = 0; i < c.n; i++) {
		const char *prefix = c.shares[i] ? evaluation_of(c.kinds[i]) : NULL;
		const char *template = template_of(c.kinds[i], c.counting[i], prefix ? prefix : "", arena);
		struct ts_error none;

		if (!template)
			return ts_arena_error(arena, err);
		/* Text that is not UTF-8, or braces in a name, cannot be part of a template. */
		if (!ts_text_pattern_check(ts_span_str(template), &none))
			add_template(g, template);
		else if (i == 0)
			c.n = 0;
	}
	g->lines = c.n ? c.steps->lines : 0;
	g->counts = way != BY_NONE;
	g->behind = way == BY_BEHIND;
	g->coarse = c.n && c.roles.step == NONE && c.roles.epoch != NONE && 4 * c.steps->counters[c.roles.epoch].sames > c.steps->lines;
	g->unmeasured = c.n && is_unmeasured(&c);
	g->why = c.n ? doubt(k, way, &c) : "no line has a number that rises as steps do, with another number that has a name";
	sort(g);
	return TS_OK;
}

/* --- the sample --- */

/* "[3] step 5" of rank 3 is "step 5". */
static void pass_number(struct ts_text_line *line)
{
	size_t i = 1;

	if (line->naming != TS_TEXT_BY_NUMBER || line->numbered.len != line->text.len || !line->text.len || line->text.data[0] != '[')
		return;
	while (i < line->text.len && ts_is_digit(line->text.data[i]))
		i++;
	if (i < line->text.len && line->text.data[i] == ']')
		line->text = ts_trim(ts_span_from(line->text, i + 1));
}

/* What is looked at: the first bytes of a file. */
struct sample {
	const char *top, *path;
	uint64_t most;
	struct ts_arena *arena;
};

/* The end of a bar of tqdm with pairs, which is read as such or says less than the lines around it (reader_text.c). */
static bool is_ended_bar(struct ts_span text)
{
	struct ts_text_bar bar;

	return ts_text_bar_parse(text, &bar) && bar.n == bar.total && memchr(bar.inside.data, '=', bar.inside.len);
}

static enum ts_status read_sample(struct ts_log_lines *lines, uint64_t most, enum way way, struct ts_text_kinds *k,
				  struct ts_buf *scratch, struct ts_buf *unfolded, struct ts_error *err)
{
	struct ts_span raw;
	enum ts_log_line_end end;
	struct ts_text_line line;
	bool numbered, best = false, repeats;

	/* The second look is at less: most texts that get it are no log. */
	while (ts_log_lines_at(lines) < (k->loose ? most / 4 : most)) {
		if (ts_log_lines_next(lines, &raw, &end, err))
			return err->status;
		if (end == TS_LOG_LINES_END)
			break;
		if (end != TS_LOG_LINE || raw.len > TS_TEXT_LINE_MAX || lines->cut)
			continue;
		if (raw.len && memchr(raw.data, '\0', raw.len)) {
			k->n = 0;
			break;
		}
		if (ts_text_line_clean(raw, scratch, &line, err))
			return err->status;
		repeats = best;
		best = ts_text_heads_best(line.text);
		if (repeats || is_ended_bar(line.text))
			continue;
		if (!k->unranked && !k->loose)
			pass_number(&line);
		if (ts_text_unfold(line.text, unfolded))
			line.text = line.numbered = ts_buf_view(unfolded);
		numbered = line.naming == TS_TEXT_BY_NUMBER && line.numbered.len > line.text.len;
		k->numbered += numbered;
		if (way == BY_FIRST && numbered)
			ts_text_kinds_line(k, line.numbered, TS_TEXT_NO_RANK);
		else
			ts_text_kinds_line(k, line.text, line.rank);
	}
	return TS_OK;
}

static enum ts_status sort_lines(const struct sample *of, enum way way, bool unranked, struct ts_text_kinds *ret_kinds,
				 struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_LINE_MAX), unfolded = TS_BUF_INIT(4 * TS_TEXT_LINE_MAX);
	struct ts_log_lines lines;
	enum ts_status status = ts_text_kinds_init(ret_kinds, TS_TEXT_GUESS_KINDS, of->arena, err);

	if (status)
		return status;
	ret_kinds->loose = way == BY_FIRST || way == BY_BEHIND;
	ret_kinds->unranked = unranked;
	status = ts_log_lines_open(&lines, of->top, of->path, '\r', err);
	if (!status)
		status = read_sample(&lines, of->most, way, ret_kinds, &scratch, &unfolded, err);
	ts_log_lines_close(&lines);
	ts_buf_finish(&unfolded);
	ts_buf_finish(&scratch);
	return status;
}

/* Where nothing was guessed, or several lines have one epoch and it is their step, another number may tell them apart. */
static enum ts_status guess_finer(const struct sample *of, struct ts_text_guess *io, struct ts_error *err)
{
	struct ts_text_guess finer;
	struct ts_text_kinds kinds;

	if (sort_lines(of, BY_BEHIND, false, &kinds, err) || make(&kinds, BY_BEHIND, of->arena, &finer, err))
		return err->status;
	/* Numbers before the lines that are no ranks. */
	if ((!finer.n || finer.why) && kinds.numbered &&
	    (sort_lines(of, BY_FIRST, false, &kinds, err) || make(&kinds, BY_FIRST, of->arena, &finer, err)))
		return err->status;
	if (!io->n || (finer.n && !finer.why && !finer.coarse))
		*io = finer;
	return TS_OK;
}

/* Where lines of the lowest rank say nothing, what looked like ranks may be none: "mean rank 98, step 3". */
static enum ts_status guess_unranked(const struct sample *of, struct ts_text_guess *io, struct ts_error *err)
{
	struct ts_text_guess all;
	struct ts_text_kinds kinds;

	if (sort_lines(of, BY_NAME, true, &kinds, err) || make(&kinds, BY_NAME, of->arena, &all, err))
		return err->status;
	if (all.n && !all.why)
		*io = all;
	return TS_OK;
}

/* Whether the line is one of a step of the program. */
static bool fits_known(const struct ts_text_known *known, struct ts_span line, struct ts_text_record *r)
{
	for (size_t i = 0; known && line.len <= TS_TEXT_LINE_MAX && i < TS_TEXT_KNOWN_TEMPLATES && known->templates[i]; i++)
		if (ts_text_pattern_match(ts_span_str(known->templates[i]), line, r, NULL, NULL))
			return true;
	return false;
}

/* Looks for a program that is known by a mark near the beginning, and whose template then fits lines. The mark may be a chance
 * text: while no line fits, a later mark counts. */
static enum ts_status find_known(struct ts_log_lines *lines, uint64_t most, struct ts_text_record *r, struct ts_buf *scratch,
				 struct ts_text_guess *g, struct ts_error *err)
{
	const struct ts_text_known *known = NULL, *marked;
	enum ts_log_line_end end = TS_LOG_LINE;
	struct ts_text_line line;
	struct ts_span raw;
	int32_t rank = TS_TEXT_NO_RANK;

	while (ts_log_lines_at(lines) < (known ? most : KNOWN_BYTES)) {
		if (ts_log_lines_next(lines, &raw, &end, err))
			return err->status;
		if (end != TS_LOG_LINE || (raw.len && memchr(raw.data, '\0', raw.len)))
			break;
		if (ts_text_line_clean(raw, scratch, &line, err))
			return err->status;
		marked = !g->lines && ts_log_lines_at(lines) < KNOWN_BYTES ? ts_text_known_by(line.text) : NULL;
		known = marked ? marked : known;
		if (!fits_known(known, line.text, r))
			continue;
		if (!g->lines || line.rank < rank) { /* of the lowest rank alone, as in a look at kinds */
			g->lines = 0;
			rank = line.rank;
		}
		g->lines += line.rank == rank;
	}
	for (size_t i = 0; known && g->lines >= LINES_LEAST && i < TS_TEXT_KNOWN_TEMPLATES && known->templates[i]; i++)
		g->templates[g->n++] = known->templates[i];
	g->counts = g->n && strstr(g->templates[0], "{step}");
	sort(g);
	return TS_OK;
}

static enum ts_status guess_known(const struct sample *of, struct ts_text_guess *ret_guess, struct ts_error *err)
{
	struct ts_text_record *r = ts_arena_array(of->arena, 1, sizeof *r);
	struct ts_buf scratch = TS_BUF_INIT(TS_LINE_MAX);
	struct ts_log_lines lines;
	enum ts_status status = r ? ts_log_lines_open(&lines, of->top, of->path, '\r', err) : ts_arena_error(of->arena, err);

	*ret_guess = (struct ts_text_guess){.n = 0};
	if (!r)
		return status;
	if (!status)
		status = find_known(&lines, of->most, r, &scratch, ret_guess, err);
	ts_log_lines_close(&lines);
	ts_buf_finish(&scratch);
	return status;
}

static enum ts_status guess(const struct sample *of, struct ts_text_guess *ret_guess, struct ts_error *err)
{
	struct ts_text_kinds kinds;

	if (guess_known(of, ret_guess, err))
		return err->status;
	if (ret_guess->n)
		return TS_OK;
	if (sort_lines(of, BY_NAME, false, &kinds, err) || make(&kinds, BY_NAME, of->arena, ret_guess, err))
		return err->status;
	if ((!ret_guess->n || ret_guess->why) && kinds.rank_lines < kinds.lines && guess_unranked(of, ret_guess, err))
		return err->status;
	if ((!ret_guess->n || ret_guess->coarse) && guess_finer(of, ret_guess, err))
		return err->status;
	return ret_guess->n ? TS_OK : make(&kinds, BY_NONE, of->arena, ret_guess, err);
}

enum ts_status ts_text_guess(const char *top, const char *path, struct ts_arena *arena, struct ts_text_guess *ret_guess,
			     struct ts_error *err)
{
	const struct sample of = {top, path, TS_TEXT_GUESS_BYTES, arena};

	return guess(&of, ret_guess, err);
}

enum ts_status ts_text_guess_whether(const char *path, bool *ret_is, struct ts_error *err)
{
	static const uint64_t most[] = {TS_TEXT_GLANCE_BYTES, TS_TEXT_GUESS_BYTES};

	*ret_is = false;
	for (size_t i = 0; i < 2 && !*ret_is; i++) {
		struct ts_text_guess g;
		struct ts_arena arena;
		enum ts_status status;

		ts_arena_init(&arena, 0);
		status = guess(&(const struct sample){path, path, most[i], &arena}, &g, err);
		*ret_is = !status && g.n && !g.why;
		ts_arena_finish(&arena);
		if (status)
			return status;
	}
	return TS_OK;
}
