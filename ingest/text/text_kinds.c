#include "ingest/text/text_kinds.h"

#include "base/map.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/rows/log_names.h"
#include "ingest/text/text_doing.h"
#include "ingest/text/text_line.h"

#include <stdio.h>

enum { WORDS_BETWEEN = 3, DIGITS_MAX = 15, PREFIX_MAX = 80 };

/* The counters of one line. */
struct found {
	const struct ts_text_tokens *tokens;
	struct ts_span line;
	size_t first_word, words, bracket; /* the words since the last break; the token of a bracket that opened behind them */
	bool open;
	bool loose;						       /* as of ts_text_kinds */
	size_t counters[TS_TEXT_COUNTERS], names[TS_TEXT_COUNTERS], n; /* their tokens, and those of their last words */
	size_t from, end;					       /* bytes of the line */
};

static const struct ts_text_token *token(const struct found *f, size_t i)
{
	static const struct ts_text_token none = {.kind = TS_TEXT_MARK, .mark = '|'};

	return i < f->tokens->n ? &f->tokens->items[i] : &none;
}

static bool is_mark(const struct found *f, size_t i, char mark)
{
	return token(f, i)->kind == TS_TEXT_MARK && token(f, i)->mark == (uint8_t)mark && i < f->tokens->n;
}

/* --- what is a counter --- */

/* "Epoch" of "Epoch(train)" and "epoch_index"; and of one behind letters of another script, which need no space. */
static struct ts_span stem_of(struct ts_span word)
{
	static const char *const ends[] = {"_index", "_idx", "_num", "_no", "_id"};
	const uint8_t *open;

	while (word.len > 1 && word.data[0] >= 0x80)
		word = ts_span_from(word, 1);
	open = word.len ? memchr(word.data, '(', word.len) : NULL;
	if (open)
		return ts_span_part(word, 0, (size_t)(open - word.data));
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (ts_span_ends(word, ends[i]))
			return ts_span_part(word, 0, word.len - strlen(ends[i]));
	return word;
}

/* What is short for the name of an axis, in text alone: "Ep. 1 : Up. 14000". */
static struct ts_span spelled_out(struct ts_span word)
{
	static const char *const shorts[][2] = {
		{"ep", "epoch"}, {"epochs", "epoch"}, {"up", "update"}, {"upd", "update"}, {"itr", "iter"}};

	for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++)
		if (word.len == strlen(shorts[i][0]) && (word.data[0] | 32) == shorts[i][0][0] &&
		    memcmp(word.data + 1, shorts[i][0] + 1, word.len - 1) == 0)
			return ts_span_str(shorts[i][1]);
	return word;
}

/* "total_timesteps" of "misc/total_timesteps". */
static struct ts_span last_part(struct ts_span word)
{
	size_t n = word.len;

	while (n && word.data[n - 1] != '/')
		n--;
	return ts_span_from(word, n);
}

static size_t rank_of_word(struct ts_span word)
{
	size_t rank = ts_log_axis_rank(spelled_out(stem_of(word)));

	if (rank == TS_LOG_AXIS_NONE && ts_log_axis_is_global(last_part(word)))
		return ts_log_axis_rank(last_part(word));

	if (rank == TS_LOG_AXIS_NONE && (ts_span_ends(word, "_step") || ts_span_ends(word, "/step") || ts_span_ends(word, "iter")))
		return TS_LOG_AXIS_NONE - 1;
	return rank;
}

/* Whether the words before the token name a step or an epoch: the last of them does, or all together. */
static bool named_axis(const struct found *f, size_t i)
{
	const struct ts_text_token *last = token(f, f->first_word + f->words - 1);

	if (!f->words)
		return false;
	if (ts_span_is(last->text, "s"))
		return f->first_word == 0 && is_mark(f, i - 1, ':');
	return rank_of_word(last->text) != TS_LOG_AXIS_NONE;
}

static bool measures(const struct found *f)
{
	return f->words &&
	       ts_log_name_measures(ts_span_part(f->line, token(f, f->first_word)->at,
						 token(f, f->first_word + f->words - 1)->end - token(f, f->first_word)->at));
}

static bool is_whole(struct ts_span number)
{
	size_t digits = 0;

	for (size_t i = 0; i < number.len; i++) {
		if (!ts_is_digit(number.data[i]) && number.data[i] != ',')
			return false;
		digits += ts_is_digit(number.data[i]) != 0;
	}
	return digits > 0 && digits <= DIGITS_MAX;
}

/* "12it", "12epoch" */
static bool counts_units(const struct ts_text_token *t)
{
	return ts_span_is(t->unit, "it") || ts_log_axis_rank(t->unit) != TS_LOG_AXIS_NONE;
}

/* "250 train 5.8727": a step, a word, a number, and nothing else. */
static bool is_of_three(const struct found *f)
{
	return f->tokens->n == 3 && token(f, 1)->kind == TS_TEXT_WORD && token(f, 1)->gap && token(f, 2)->kind == TS_TEXT_NUMBER &&
	       token(f, 2)->gap && memchr(token(f, 2)->text.data, '.', token(f, 2)->text.len);
}

/* Whether a line begins with the number, behind a logger's prefix, or with words that name it: "0 | loss", "2622: ", "[4200, ",
 * "60 [D loss: 0.1]", "Instance: 4000;". */
static bool is_first(const struct found *f, size_t i)
{
	const struct ts_text_token *next = token(f, i + 1);
	bool mark = i + 1 < f->tokens->n && next->kind == TS_TEXT_MARK;

	if (f->n)
		return false;
	if (i == 0 && is_of_three(f))
		return true;
	if (f->words) {
		struct ts_span last = token(f, f->first_word + f->words - 1)->text;

		/* "words/sec/thread: 70123" is a rate. */
		return !measures(f) && !ts_text_is_noise(last) && !memchr(last.data, '/', last.len);
	}
	if (mark && next->mark == '[' && i == 0)
		return next->gap > 0;
	return mark && (f->open ? is_mark(f, i - 1, '[') && next->mark == ',' : memchr("|:,;-", next->mark, 5) != NULL);
}

static bool is_whole_token(const struct ts_text_token *t)
{
	return t->kind == TS_TEXT_NUMBER && is_whole(t->text) && !t->unit.len;
}

/* "[1,  2000]", "[1 :  2000]": an epoch and a step of it, as a tutorial of PyTorch prints them. */
static bool is_of_pair(const struct found *f, size_t i)
{
	size_t first = i > 1 && (is_mark(f, i - 1, ',') || is_mark(f, i - 1, ':')) ? i - 2 : i;

	return first > 0 && is_mark(f, first - 1, '[') && !f->words && is_whole_token(token(f, first)) &&
	       (is_mark(f, first + 1, ',') || is_mark(f, first + 1, ':')) && is_whole_token(token(f, first + 2)) &&
	       is_mark(f, first + 3, ']') && (first == i || (f->n == 1 && f->counters[0] == first));
}

/* "(5000 6%)": a number, and how much of all it is, as a tutorial of PyTorch prints them. */
static bool is_of_percent(const struct found *f, size_t i)
{
	return i > 0 && is_mark(f, i - 1, '(') && is_whole_token(token(f, i)) && token(f, i + 1)->kind == TS_TEXT_NUMBER &&
	       ts_span_is(token(f, i + 1)->unit, "%") && is_mark(f, i + 2, ')');
}

/* "Train loss 40 0.52" */
static bool is_index(const struct found *f, size_t i)
{
	return !f->n && measures(f) && ts_text_is_index(f->tokens, i);
}

/* "train: [1][0/100]": an epoch in a bracket of its own, and right behind it a step of so many. */
static bool is_before_fraction(const struct found *f, size_t i)
{
	return is_mark(f, i + 2, '[') && token(f, i + 3)->kind == TS_TEXT_FRACTION;
}

static bool is_counter(const struct found *f, size_t i)
{
	const struct ts_text_token *t = token(f, i);
	bool fraction = t->kind == TS_TEXT_FRACTION, bracketed = i > 0 && is_mark(f, i - 1, '[');

	if (fraction && (named_axis(f, i) || !f->words || (!f->n && !measures(f))))
		return true;
	if (fraction || t->kind != TS_TEXT_NUMBER || !is_whole(t->text) || (t->unit.len && !counts_units(t)))
		return false;
	if (named_axis(f, i) || ts_log_axis_rank(t->unit) != TS_LOG_AXIS_NONE || (f->loose && is_first(f, i)))
		return true;
	if (bracketed && is_mark(f, i + 1, ']') && (!f->words || is_before_fraction(f, i)))
		return true;
	if (is_index(f, i) || is_of_pair(f, i) || (!f->words && is_of_percent(f, i)))
		return true;
	return f->words && is_mark(f, i - 1, ':') && is_mark(f, i + 1, '[') && token(f, i + 2)->kind == TS_TEXT_FRACTION;
}

/* --- finding them --- */

static void forget(struct found *f)
{
	f->words = 0;
	f->open = false;
}

/* "Train | Epoch 1 | 143/573" begins with the word of what the program does, by which it differs from "Valid | Epoch 1 | 1/3". The
 * token of that word; first, if none stands before the mark in front of it. */
static size_t doing_before(const struct found *f, size_t first)
{
	if (first < 2 || token(f, first - 1)->kind != TS_TEXT_MARK || !memchr("|-:])", token(f, first - 1)->mark, 5))
		return first;
	for (size_t i = first - 1; i > 0 && first - i <= WORDS_BETWEEN && token(f, i - 1)->kind == TS_TEXT_WORD; i--)
		if (ts_text_is_doing(token(f, i - 1)->text))
			return i - 1 - (i > 1 && (is_mark(f, i - 2, '[') || is_mark(f, i - 2, '(')));
	return first;
}

/* "Training loss (for one batch) at step 200: 2.5" begins with what is measured, also where a bracket stands before "at". */
static size_t measure_before(const struct found *f, size_t first)
{
	size_t i = first;

	if (!ts_span_is(token(f, first)->text, "at") || first < 4 || !is_mark(f, first - 1, ')'))
		return first;
	for (i = first - 1; i > 0 && !is_mark(f, i, '('); i--)
		;
	while (i > 0 && token(f, i - 1)->kind == TS_TEXT_WORD && token(f, i)->gap == 1)
		i--;
	return token(f, i)->kind == TS_TEXT_WORD ? i : first;
}

static void add(struct found *f, size_t i)
{
	if (!f->n && f->words && f->first_word && is_mark(f, f->first_word - 1, '[') && !token(f, f->first_word)->gap)
		f->from = token(f, f->first_word - 1)->at;
	else if (!f->n)
		f->from = f->words  ? token(f, measure_before(f, doing_before(f, f->first_word)))->at
			  : f->open ? token(f, f->bracket)->at
				    : token(f, i)->at;
	f->counters[f->n] = i;
	f->names[f->n++] = f->words ? f->first_word + f->words - 1 : SIZE_MAX;
	f->end = token(f, i)->end;
	forget(f);
}

/* Whether the mark stands between the name and the number of a table's cells: "| total_timesteps | 2048 |". */
static bool is_cell(const struct found *f, size_t i)
{
	return f->words && is_mark(f, i, '|') && f->first_word && is_mark(f, f->first_word - 1, '|') &&
	       token(f, i + 1)->kind == TS_TEXT_NUMBER && is_mark(f, i + 2, '|');
}

/* Returns false where the counters end. */
static bool look(struct found *f, size_t i)
{
	const struct ts_text_token *t = token(f, i);

	switch (t->kind) {
	case TS_TEXT_WORD:
		if (ts_text_breaks(f->tokens, i) || f->open || (f->words && i > 0 && token(f, i - 1)->kind == TS_TEXT_MARK))
			forget(f);
		if (ts_text_breaks(f->tokens, i) && t->gap < 2)
			return true;
		if (!f->words)
			f->first_word = i;
		f->words++;
		return !f->n || f->words <= WORDS_BETWEEN;
	case TS_TEXT_MARK:
		if (t->mark == '[' || t->mark == '(') {
			f->open = true;
			f->bracket = i;
		} else if (!memchr(":=#'\"", t->mark, 5) && !is_cell(f, i) && !ts_text_is_short(f->tokens, i)) {
			forget(f);
		}
		return true;
	case TS_TEXT_NUMBER:
	case TS_TEXT_FRACTION:
		if (f->n < TS_TEXT_COUNTERS && is_counter(f, i)) {
			add(f, i);
			return true;
		}
		break;
	case TS_TEXT_DURATION:
	case TS_TEXT_OTHER:
		break;
	}
	forget(f);
	return !f->n;
}

static size_t find_from(struct found *f, size_t i)
{
	while (i < f->tokens->n && look(f, i))
		i++;
	return i;
}

static bool has_axis(const struct found *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (ts_log_axis_rank(token(f, f->counters[i])->unit) != TS_LOG_AXIS_NONE ||
		    (f->names[i] != SIZE_MAX && rank_of_word(token(f, f->names[i])->text) != TS_LOG_AXIS_NONE))
			return true;
	return false;
}

/* Counters before a time, as of a host and its ranks, give way to those behind it that have a name: "[host:0/2] 14:00:00 epoch 3". */
static bool find(const struct ts_text_tokens *tokens, struct ts_span line, bool loose, struct found *f)
{
	struct found behind = {.tokens = tokens, .line = line, .loose = loose};
	size_t end;

	*f = behind;
	end = find_from(f, 0);
	if (!f->n || has_axis(f) || (token(f, end)->kind != TS_TEXT_OTHER && token(f, end)->kind != TS_TEXT_DURATION))
		return f->n > 0;
	(void)find_from(&behind, end + 1);
	if (has_axis(&behind))
		*f = behind;
	return true;
}

/* --- forms --- */

static size_t token_at(const struct ts_text_tokens *t, size_t at)
{
	size_t i = 0;

	while (i < t->n && t->items[i].at < at)
		i++;
	return i;
}

static bool is_number(const struct ts_text_token *t)
{
	return t->kind == TS_TEXT_NUMBER || t->kind == TS_TEXT_FRACTION || t->kind == TS_TEXT_DURATION;
}

/* Appends literal text: braces twice, spaces as one. */
static void put(char form[TS_TEXT_FORM], size_t *n, struct ts_span text)
{
	for (size_t i = 0; i < text.len && *n + 2 < TS_TEXT_FORM; i++) {
		uint8_t c = text.data[i];

		if (ts_is_space(c)) {
			if (*n && form[*n - 1] != ' ')
				form[(*n)++] = ' ';
			continue;
		}
		if (c < ' ')
			continue;
		form[(*n)++] = (char)c;
		if (c == '{' || c == '}')
			form[(*n)++] = (char)c;
	}
	form[*n] = '\0';
}

static bool is_place(char c)
{
	return c == TS_TEXT_COUNTER || c == TS_TEXT_WHOLE;
}

/* Appends a counter. Spaces between a mark and it differ with its length, and a field needs none. */
static void put_counter(char form[TS_TEXT_FORM], size_t *n, char c)
{
	if (*n > 1 && form[*n - 1] == ' ' && !ts_is_alnum((unsigned char)form[*n - 2]) && !is_place(form[*n - 2]))
		(*n)--;
	if (*n + 2 < TS_TEXT_FORM)
		form[(*n)++] = c;
	form[*n] = '\0';
}

/* The end of a word that says behind the counters what the program does, and is part of no name: "| train |", "[eval]", "Valid: loss";
 * 0: there is none. */
static size_t doing_behind(const struct found *f, size_t i)
{
	const struct ts_text_token *then;

	while (i < f->tokens->n && token(f, i)->kind == TS_TEXT_MARK && !memchr("({", token(f, i)->mark, 2))
		i++;
	if (token(f, i)->kind == TS_TEXT_MARK && i < f->tokens->n)
		i++;
	then = token(f, i + 1);
	if (i >= f->tokens->n || token(f, i)->kind != TS_TEXT_WORD || !ts_text_is_doing(token(f, i)->text) || i + 1 >= f->tokens->n ||
	    then->kind != TS_TEXT_MARK || memchr("=_'", then->mark, 3)) /* "training's auc" is a name */
		return 0;
	return then->mark != ':' || token(f, i + 2)->kind == TS_TEXT_WORD ? then->end : 0;
}

/* What closes and ends the counters: "]", "]:"; behind a fraction without a name, whatever mark comes next. */
static size_t end_of(const struct found *f)
{
	size_t i = f->counters[f->n - 1] + 1 + is_of_percent(f, f->counters[f->n - 1]), end = f->end;
	bool bare = f->n == 1 && f->names[0] == SIZE_MAX && !is_mark(f, f->counters[0] - 1, '[');

	if (f->counters[0] == 0)
		bare = f->n == 1 && f->names[0] == SIZE_MAX;
	for (; i < f->tokens->n && token(f, i)->kind == TS_TEXT_MARK && memchr("])", token(f, i)->mark, 2); i++)
		end = token(f, i)->end;
	if (is_mark(f, i, ':') && token(f, i)->gap == 0)
		end = token(f, i)->end;
	else if (bare && i < f->tokens->n && token(f, i)->kind == TS_TEXT_MARK)
		end = token(f, i)->at + (token(f, i)->mark == '~' ? 0 : 1);
	/* "Score at iteration 100 is 0.5" */
	if (f->names[f->n - 1] != SIZE_MAX && ts_span_is(token(f, i)->text, "is") && token(f, i + 1)->kind == TS_TEXT_NUMBER &&
	    i + 2 == f->tokens->n)
		return token(f, i)->end;
	return doing_behind(f, i) ? doing_behind(f, i) : end;
}

static void form_of(const struct found *f, char form[TS_TEXT_FORM])
{
	size_t at = f->from, n = 0;

	form[0] = '\0';
	for (size_t i = 0; i < f->n; i++) {
		const struct ts_text_token *t = token(f, f->counters[i]);
		size_t first = (size_t)(t->text.data - f->line.data);

		if (t->kind == TS_TEXT_NUMBER && t->whole.len) { /* "683-1364batch" */
			put(form, &n, ts_span_part(f->line, at, (size_t)(t->whole.data - f->line.data) - at));
			put_counter(form, &n, TS_TEXT_WHOLE);
			at = (size_t)(t->whole.data - f->line.data) + t->whole.len;
		}
		put(form, &n, ts_span_part(f->line, at, first - at));
		put_counter(form, &n, TS_TEXT_COUNTER);
		at = first + t->text.len;
		if (is_of_percent(f, f->counters[i])) {
			const struct ts_text_token *part = token(f, f->counters[i] + 1);

			put(form, &n, ts_span_part(f->line, at, part->at - at));
			put_counter(form, &n, TS_TEXT_WHOLE);
			at = part->at + part->text.len;
		} else if (t->kind == TS_TEXT_FRACTION) {
			size_t second = (size_t)(t->whole.data - f->line.data);

			put(form, &n, ts_span_part(f->line, at, second - at));
			put_counter(form, &n, TS_TEXT_WHOLE);
			at = second + t->whole.len;
		}
	}
	put(form, &n, ts_span_part(f->line, at, end_of(f) - at));
}

/* "time (ms) |" becomes "time (", so that {*} has the unit of all that follows. */
static void cut_unit(char form[TS_TEXT_FORM], size_t n)
{
	size_t at = n > 3 ? n - 3 : 0;

	if (!at || strcmp(form + at, ") |") != 0)
		return;
	while (at && ts_is_alpha((unsigned char)form[at - 1]))
		at--;
	if (at && form[at - 1] == '(')
		form[at] = '\0';
}

/* Whether a bracket that the token closes has a word of what the program does: "[VALID DATA] loss: 2.5". *ret_from: where it opens. */
static bool brackets_doing(const struct ts_text_tokens *tokens, size_t close, size_t *ret_from)
{
	bool doing = false;

	for (size_t i = close; i > 0 && close - i <= WORDS_BETWEEN; i--) {
		const struct ts_text_token *t = &tokens->items[i - 1];

		if (t->kind == TS_TEXT_MARK && t->mark == '[') {
			*ret_from = doing ? t->at + 1 : *ret_from;
			return doing;
		}
		doing |= t->kind == TS_TEXT_WORD && ts_text_is_doing(t->text);
	}
	return false;
}

/* Of a line without counters: the words before its first named number; or that number itself. */
static void plain_form(const struct ts_text_tokens *tokens, struct ts_span line, size_t at, bool all, char form[TS_TEXT_FORM])
{
	size_t from = at, n = 0, i = token_at(tokens, at);

	for (size_t k = i; k > 0; k--) {
		const struct ts_text_token *t = &tokens->items[k - 1];

		if (t->kind == TS_TEXT_MARK && t->mark == ']' && brackets_doing(tokens, k - 1, &from))
			break;
		if (t->kind == TS_TEXT_OTHER || t->kind == TS_TEXT_DURATION || t->kind == TS_TEXT_FRACTION ||
		    (t->kind == TS_TEXT_WORD && ts_text_breaks(tokens, k - 1) && t->gap < 2) ||
		    (t->kind == TS_TEXT_MARK && memchr("]~-", t->mark, 3)) || at - t->at > PREFIX_MAX)
			break;
		from = t->at;
	}
	form[0] = '\0';
	while (from < at && !ts_is_alnum(line.data[from]))
		from++;
	put(form, &n, ts_span_part(line, from, at - from));
	while (n && form[n - 1] == ' ')
		form[--n] = '\0';
	cut_unit(form, n);
	if (n)
		return;
	while (i < tokens->n && !is_number(&tokens->items[i]))
		i++;
	if (!all && i < tokens->n)
		put(form, &n, ts_span_part(line, at, tokens->items[i].at - at));
	put_counter(form, &n, TS_TEXT_COUNTER);
}

size_t ts_text_measure_len(struct ts_span text)
{
	size_t n = 0;

	while (n < text.len && text.data[n] != '(' && !ts_span_starts(ts_span_from(text, n), ts_span_str(" at ")))
		n++;
	return n < text.len ? ts_trim(ts_span_part(text, 0, n)).len : 0;
}

/* --- counting --- */

static struct ts_text_sort *kind_of(struct ts_text_kinds *k, const char *form, const char *evaluation, size_t n_counters, int32_t rank)
{
	uint64_t hash = ts_hash_bytes(ts_hash_open, ts_span_str(form));
	struct ts_text_sort *s;

	for (size_t i = 0; i < k->n; i++)
		if (k->items[i].hash == hash && k->items[i].n_counters == n_counters && k->items[i].evaluation == evaluation &&
		    strcmp(k->items[i].form, form) == 0)
			return &k->items[i];
	if (k->n == k->cap)
		return NULL;
	s = &k->items[k->n++];
	*s = (struct ts_text_sort){.hash = hash, .evaluation = evaluation, .n_counters = n_counters, .rank = rank, .first = k->lines};
	memcpy(s->form, form, strlen(form) + 1);
	return s;
}

static int64_t value_of(struct ts_span number)
{
	int64_t value = 0;

	for (size_t i = 0; i < number.len && number.data[i] != '.'; i++)
		if (ts_is_digit(number.data[i]) && value < INT64_MAX / 16)
			value = value * 10 + (number.data[i] - '0');
	return value;
}

static void name_counter(struct ts_text_counter *c, const struct found *f, size_t i)
{
	struct ts_span word = f->names[i] == SIZE_MAX ? ts_span_of(NULL, 0) : stem_of(token(f, f->names[i])->text);

	if (ts_log_axis_rank(token(f, f->counters[i])->unit) != TS_LOG_AXIS_NONE)
		word = token(f, f->counters[i])->unit;
	if (word.len >= sizeof c->name)
		word.len = 0;
	if (word.len)
		memcpy(c->name, word.data, word.len);
	c->name[word.len] = '\0';
}

static void count_value(const struct ts_text_kinds *k, struct ts_text_sort *s, size_t i, int64_t value, bool rose[TS_TEXT_COUNTERS])
{
	struct ts_text_counter *c = &s->counters[i];

	if (s->lines == 0) {
		c->value = c->least = value;
		return;
	}
	rose[i] = value > c->value;
	c->rises += value > c->value;
	c->sames += value == c->value;
	c->falls += value < c->value;
	for (size_t e = 0; e < i; e++)
		c->falls_with[e] += value < c->value && rose[e];
	c->falls_after += value < c->value && k->epoch_line > s->last;
	c->least = value < c->least ? value : c->least;
	c->value = value;
}

static void count_whole(struct ts_text_counter *c, const struct ts_text_token *t, uint64_t lines)
{
	int64_t whole = t->kind == TS_TEXT_FRACTION ? value_of(t->whole) : 0;

	c->fraction = t->kind == TS_TEXT_FRACTION;
	c->wholes += lines && c->fraction && whole != c->whole;
	c->whole = whole;
}

static void count_counters(const struct ts_text_kinds *k, struct ts_text_sort *s, const struct found *f)
{
	bool rose[TS_TEXT_COUNTERS] = {false};

	for (size_t i = 0; i < f->n; i++) {
		if (s->lines == 0)
			name_counter(&s->counters[i], f, i);
		count_whole(&s->counters[i], token(f, f->counters[i]), s->lines);
		count_value(k, s, i, value_of(token(f, f->counters[i])->text), rose);
	}
}

bool ts_text_counter_is_epoch(const struct ts_text_counter *c)
{
	return ts_text_counter_rank(c) == ts_log_axis_rank(ts_span_str("epoch"));
}

size_t ts_text_counter_rank(const struct ts_text_counter *c)
{
	return rank_of_word(ts_span_str(c->name));
}

/* "34: learn: 0.95 test: 0.82 total: 17.5s remaining: 1h 39m": CatBoost's loss, which no other number beside it says. */
static bool boosts(const struct ts_text_record *r)
{
	return ts_text_record_find(r, "learn") && (ts_text_record_find(r, "remaining") || ts_text_record_find(r, "remaining(s)") ||
						   ts_text_record_find(r, "remaining(ms)") || ts_text_record_find(r, "remaining(us)"));
}

/* "199: 263.2, 284.4 avg, 0.001 rate, 841.6 seconds, 12736 images": Darknet's loss and its mean, which say no more of themselves. */
static bool averages(const struct ts_text_record *r)
{
	return ts_text_record_find(r, "avg") && ts_text_record_find(r, "rate") && ts_text_record_find(r, "images");
}

/* "0 train 11.02", "0 val 11.01": a number that has the word of what a program does as its name. */
static bool is_of_doing(const struct ts_text_record *r)
{
	return r->n == 1 && ts_text_is_doing(r->cells[0].name) && ts_text_record_decimals(r);
}

/* Whether the name is of what a training minimizes. Lines have the same names again, and a look into its table takes long. */
static bool is_minimized(struct ts_text_kinds *k, struct ts_span name)
{
	uint64_t hash = ts_hash_bytes(ts_hash_open, name);
	struct ts_text_asked *asked = &k->asked[hash % TS_TEXT_KINDS_ASKED];

	if (!asked->known || asked->hash != hash)
		*asked = (struct ts_text_asked){hash, true, ts_log_name_is_minimized(name)};
	return asked->minimized;
}

/* How many numbers of the record are what trainings measure; one that says which loss or rate it is counts twice. episodes, steps: the
 * line counts them by a name that tells so. */
static size_t measures_in(struct ts_text_kinds *k, bool episodes, bool steps)
{
	const struct ts_text_record *r = k->record;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (!r->cells[i].is_text &&
		    (ts_log_name_measures(r->cells[i].name) || (episodes && ts_log_name_scores(r->cells[i].name)) ||
		     (steps && is_minimized(k, r->cells[i].name))))
			n += ts_log_name_is_special(r->cells[i].name) ? 2 : 1;
	n += is_of_doing(r);
	return n || !(boosts(r) || averages(r)) ? n : 2;
}

static bool counts_episodes(const struct ts_text_sort *s)
{
	for (size_t i = 0; i < s->n_counters; i++)
		if (ts_text_counter_rank(&s->counters[i]) == ts_log_axis_rank(ts_span_str("episode")))
			return true;
	return false;
}

static bool tells_steps(const struct ts_text_sort *s)
{
	for (size_t i = 0; i < s->n_counters; i++)
		if (ts_log_rank_tells(ts_text_counter_rank(&s->counters[i])))
			return true;
	return false;
}

/* Of the first line; if it is of an evaluation, of the first that is none. */
static void keep_names(struct ts_text_sort *s, const struct ts_text_record *r, const char *evaluation)
{
	if (s->n_names || s->evaluation != evaluation)
		return;
	for (size_t i = 0; s->n_names == i && i < r->n && i < TS_TEXT_KIND_NAMES; i++)
		s->names[s->n_names++] = ts_hash_bytes(ts_hash_open, r->cells[i].name);
}

/* Whether one number and nothing else stands behind the counter, and what it is before: the text up to " at" or a bracket. */
static bool is_behind(const struct ts_text_kinds *k, const struct found *f, struct ts_span line)
{
	size_t at = token_at(k->tokens, end_of(f));
	size_t n = ts_text_measure_len(ts_span_from(line, f->from));

	return f->n == 1 && n && at + 1 == k->tokens->n && k->tokens->items[at].kind == TS_TEXT_NUMBER &&
	       (ts_log_name_measures(ts_span_part(line, f->from, n)) || ts_log_name_scores(ts_span_part(line, f->from, n)));
}

static bool has_unit(const struct ts_text_record *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->cells[i].is_text &&
		    (ts_span_ends(r->cells[i].name, ")") || ts_span_starts(r->cells[i].name, ts_span_str("step_time"))))
			return true;
	return false;
}

/* Reads the named numbers of the text before the counters. Whether one has decimals or a unit: "used time: 0.52, step: 7, loss: 2". */
static bool numbers_before(struct ts_text_kinds *k, const struct found *f, struct ts_span line)
{
	ts_text_record_clear(k->record);
	(void)ts_text_named(k->tokens, 0, token_at(k->tokens, f->from), line, k->record);
	return ts_text_record_decimals(k->record) || has_unit(k->record);
}

/* Whether a number is all that follows: "Epoch 3: 2.5", "(5000 6%) 2.6838". */
static bool ends_bare(const struct ts_text_kinds *k, const struct found *f)
{
	size_t at = token_at(k->tokens, end_of(f));

	return !k->record->n && !k->tokens->full && at + 1 == k->tokens->n && k->tokens->items[at].kind == TS_TEXT_NUMBER;
}

static bool names_axis(const struct ts_text_record *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (ts_log_axis_rank(r->cells[i].name) != TS_LOG_AXIS_NONE)
			return true;
	return false;
}

/* "Train loss 40 0.52": the counter stands between the name of a measure and its number. */
static bool counts_measure(const struct found *f)
{
	return f->n == 1 && f->names[0] != SIZE_MAX && rank_of_word(token(f, f->names[0])->text) == TS_LOG_AXIS_NONE &&
	       ts_text_is_index(f->tokens, f->counters[0]);
}

/* Returns what names of an evaluation begin with if the first name behind the counters is one's. */
static const char *count_named(struct ts_text_kinds *k, struct ts_text_sort *s, const struct found *f, struct ts_span line)
{
	bool episodes = counts_episodes(s), steps = tells_steps(s), decimals, behind, both;
	const char *evaluation;
	size_t measures;

	ts_text_record_clear(k->record);
	(void)ts_text_named(k->tokens, token_at(k->tokens, end_of(f)), k->tokens->n, line, k->record);
	s->bare += ends_bare(k, f);
	s->named += k->record->n > 0;
	s->axes += names_axis(k->record);
	measures = measures_in(k, episodes, steps);
	s->measured += measures > 0;
	s->rich += measures > 1;
	decimals = ts_text_record_decimals(k->record) > 0;
	s->fractions += decimals;
	evaluation = k->record->n ? ts_text_evaluation(k->record->cells[0].name) : NULL;
	keep_names(s, k->record, evaluation);
	if (counts_measure(f)) {
		s->index++;
		s->named += !k->record->n;
		s->measured += !measures;
		return ts_text_evaluation(ts_span_from(line, f->from));
	}
	if (measures) {
		s->both += numbers_before(k, f, line);
		return evaluation;
	}
	if (is_behind(k, f, line)) {
		s->behind++;
		s->named++;
		s->measured++;
		return evaluation;
	}
	behind = k->record->n > 0;
	both = numbers_before(k, f, line);
	s->named_before += k->record->n > 0;
	s->measured_before += measures_in(k, episodes, steps) > 0;
	s->fractions += !decimals && ts_text_record_decimals(k->record);
	s->both += behind && both;
	return evaluation;
}

/* Returns false if lines of this rank do not count. */
static bool takes_rank(struct ts_text_sort *s, int32_t rank)
{
	struct ts_text_sort empty = {
		.hash = s->hash, .evaluation = s->evaluation, .n_counters = s->n_counters, .rank = rank, .first = s->first};

	if (rank == TS_TEXT_NO_RANK && s->rank != rank && ++s->unnamed <= s->lines)
		return false;
	if (rank < s->rank) {
		memcpy(empty.form, s->form, sizeof empty.form);
		*s = empty;
	}
	return rank == s->rank;
}

/* Whether all counters have a name. One without may count what a training does, or its evaluation. */
static bool is_named(const struct found *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->names[i] == SIZE_MAX)
			return false;
	return true;
}

/* Returns what names of an evaluation begin with if the line's first name is one's. */
static const char *count_counted(struct ts_text_kinds *k, struct ts_text_sort *s, const struct found *f, struct ts_span line)
{
	const char *evaluation;

	count_counters(k, s, f);
	evaluation = count_named(k, s, f, line);
	s->lines++;
	s->last = k->lines;
	return evaluation;
}

static void take_counted(struct ts_text_kinds *k, const struct found *f, struct ts_span line, int32_t rank)
{
	char form[TS_TEXT_FORM];
	const char *evaluation;
	struct ts_text_sort *s;
	uint64_t before;

	form_of(f, form);
	s = kind_of(k, form, NULL, f->n, rank);
	if (!s || !takes_rank(s, rank))
		return;
	before = s->counters[0].rises;
	evaluation = count_counted(k, s, f, line);
	if (f->n == 1 && ts_text_counter_is_epoch(&s->counters[0]) && (s->lines == 1 || s->counters[0].rises > before))
		k->epoch_line = k->lines;
	s = evaluation && is_named(f) ? kind_of(k, form, evaluation, f->n, rank) : NULL;
	if (s && takes_rank(s, rank))
		(void)count_counted(k, s, f, line);
}

/* measures: how many numbers of the line are what trainings measure. */
static void count_whole_line(const struct ts_text_kinds *k, struct ts_text_sort *s, size_t measures)
{
	s->lines++;
	s->last = k->lines;
	s->named++;
	s->measured += measures > 0;
	s->rich += measures > 1;
}

static void count_plain(struct ts_text_kinds *k, struct ts_text_sort *s, const char *evaluation, bool all, int32_t rank)
{
	if (!s || !takes_rank(s, rank))
		return;
	keep_names(s, k->record, evaluation);
	count_whole_line(k, s, measures_in(k, false, false));
	s->plain += all;
}

static void take_plain(struct ts_text_kinds *k, struct ts_span line, int32_t rank)
{
	char form[TS_TEXT_FORM];
	const char *evaluation;
	bool all;

	ts_text_record_clear(k->record);
	all = ts_text_named(k->tokens, 0, k->tokens->n, line, k->record);
	if (!k->record->n)
		return;
	plain_form(k->tokens, line, k->record->at, all, form);
	evaluation = all ? ts_text_evaluation(k->record->cells[0].name) : NULL;
	count_plain(k, kind_of(k, form, NULL, 0, rank), evaluation, all, rank);
	if (evaluation)
		count_plain(k, kind_of(k, form, evaluation, 0, rank), evaluation, all, rank);
}

/* A row of the table whose header was seen last. */
static bool take_row(struct ts_text_kinds *k, struct ts_span line, int32_t rank)
{
	bool rose[TS_TEXT_COUNTERS] = {false};
	char form[TS_TEXT_FORM];
	struct ts_text_sort *s;
	int64_t step;

	if (!ts_text_table_row(&k->table, line, &step, form, sizeof form))
		return false;
	s = kind_of(k, form, NULL, k->table.step < k->table.n, rank);
	if (!s || !takes_rank(s, rank))
		return true;
	s->table = true;
	if (s->n_counters) {
		(void)snprintf(s->counters[0].name, sizeof s->counters[0].name, "%s", k->table.names[k->table.step]);
		count_value(k, s, 0, step, rose);
	}
	count_whole_line(k, s, k->table.measures ? k->table.n : 0);
	return true;
}

/* A row of a table of classes: that of all of them is of the step, and those of one class are none's. */
static bool take_class(struct ts_text_kinds *k, struct ts_span line, int32_t rank)
{
	char form[TS_TEXT_FORM];
	struct ts_text_sort *s;
	bool all;

	if (!ts_text_table_class(&k->classes, line, &all, form, sizeof form))
		return false;
	s = all ? kind_of(k, form, NULL, 0, rank) : NULL;
	if (!s || !takes_rank(s, rank))
		return true;
	s->table = true;
	for (s->n_names = 0; s->n_names < k->classes.n && s->n_names < TS_TEXT_KIND_NAMES; s->n_names++)
		s->names[s->n_names] = ts_hash_bytes(ts_hash_open, ts_span_str(k->classes.names[s->n_names]));
	count_whole_line(k, s, k->classes.n);
	return true;
}

enum ts_status ts_text_kinds_init(struct ts_text_kinds *k, size_t cap, struct ts_arena *arena, struct ts_error *err)
{
	*k = (struct ts_text_kinds){.items = ts_arena_array(arena, cap, sizeof *k->items),
				    .cap = cap,
				    .tokens = ts_arena_array(arena, 1, sizeof *k->tokens),
				    .record = ts_arena_array(arena, 1, sizeof *k->record)};
	return k->items && k->tokens && k->record ? TS_OK : ts_arena_error(arena, err);
}

void ts_text_kinds_line(struct ts_text_kinds *k, struct ts_span line, int32_t rank)
{
	struct found f;

	if (!line.len)
		return;
	if (k->unranked)
		rank = TS_TEXT_NO_RANK;
	if (!k->lines || rank < k->rank)
		k->rank_lines = 0;
	k->rank = !k->lines || rank < k->rank ? rank : k->rank;
	k->rank_lines += rank == k->rank;
	k->lines++;
	if (ts_text_table_header(&k->table, line) || ts_text_table_classes(&k->classes, line) || take_row(k, line, rank) ||
	    take_class(k, line, rank))
		return;
	ts_text_tokenize(line, k->tokens);
	if (find(k->tokens, line, k->loose, &f))
		take_counted(k, &f, line, rank);
	else
		take_plain(k, line, rank);
}
