#include "ingest/text/text_named.h"

#include "base/number.h"
#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/text/text_doing.h"

#include <stdio.h>

enum { WORDS_MAX = 4, LOOK = 64, NAME_BYTES = 120, SHORT_MAX = 4 };

/* Where in the tokens it stands, and the words that may be the next number's name. */
struct naming {
	const struct ts_text_tokens *tokens;
	size_t i, end;
	struct ts_span line;
	struct ts_text_record *r;
	size_t first, words;  /* the words since the last break */
	size_t name_end;      /* the byte behind the last of them */
	bool strong, piped;   /* a ':' or '=' stands behind them; a '|' does */
	struct ts_span group; /* the word before the bracket that is open: "tot_loss[" */
	struct ts_span last;  /* the name of the number before, and its unit */
	struct ts_span unit;
	struct ts_span all; /* the unit of numbers without one: "time (ms) | forward: 5" */
	bool left_over;
};

static const struct ts_text_token *token(const struct naming *n, size_t i)
{
	static const struct ts_text_token none = {.kind = TS_TEXT_MARK, .mark = '|'};

	return i < n->end ? &n->tokens->items[i] : &none;
}

static bool is_mark(const struct naming *n, size_t i, char mark)
{
	return i < n->end && n->tokens->items[i].kind == TS_TEXT_MARK && n->tokens->items[i].mark == (uint8_t)mark;
}

static bool is_number(const struct ts_text_token *t)
{
	return t->kind == TS_TEXT_NUMBER || t->kind == TS_TEXT_FRACTION || t->kind == TS_TEXT_DURATION;
}

static bool is_level(struct ts_span word)
{
	static const char *const levels[] = {"info", "debug", "warning", "warn", "error", "critical", NULL};

	return ts_text_word_among(word, levels);
}

/* "Error: 0.05" and "validation error 0.05" are a number, and no level of a logger. */
static bool names_value(const struct ts_text_tokens *tokens, size_t i)
{
	const struct ts_text_token *sign = &tokens->items[i + 1], *value = sign + 1;

	if (i > 0 && i + 1 < tokens->n && tokens->items[i - 1].kind == TS_TEXT_WORD && ts_text_is_doing(tokens->items[i - 1].text) &&
	    sign->kind == TS_TEXT_NUMBER)
		return true;
	return i + 2 < tokens->n && sign->kind == TS_TEXT_MARK && (sign->mark == ':' || sign->mark == '=') &&
	       value->kind == TS_TEXT_NUMBER && memchr(value->text.data, '.', value->text.len);
}

bool ts_text_breaks(const struct ts_text_tokens *tokens, size_t i)
{
	const struct ts_text_token *t = &tokens->items[i];

	if (t->kind == TS_TEXT_WORD)
		return (is_level(t->text) && !names_value(tokens, i)) ||
		       (t->gap > 1 && i > 0 && tokens->items[i - 1].kind == TS_TEXT_WORD &&
			!ts_text_is_doing(tokens->items[i - 1].text));
	return t->kind == TS_TEXT_OTHER || (t->kind == TS_TEXT_MARK && !memchr(":='\"`", t->mark, 5));
}

bool ts_text_is_index(const struct ts_text_tokens *tokens, size_t i)
{
	const struct ts_text_token *t = &tokens->items[i], *next = t + 1;

	return i > 0 && i + 1 < tokens->n && t->kind == TS_TEXT_NUMBER && !t->unit.len && !memchr(t->text.data, '.', t->text.len) &&
	       tokens->items[i - 1].kind == TS_TEXT_WORD && next->kind == TS_TEXT_NUMBER && next->gap == 1 && !next->unit.len &&
	       memchr(next->text.data, '.', next->text.len) && (i + 2 == tokens->n || tokens->items[i + 2].gap);
}

bool ts_text_is_short(const struct ts_text_tokens *tokens, size_t i)
{
	const struct ts_text_token *t = &tokens->items[i], *next = t + 1;

	return t->kind == TS_TEXT_MARK && t->mark == '.' && !t->gap && i > 0 && tokens->items[i - 1].kind == TS_TEXT_WORD &&
	       !(tokens->items[i - 1].text.data[0] & 32) && tokens->items[i - 1].text.len <= SHORT_MAX && i + 1 < tokens->n &&
	       next->kind == TS_TEXT_NUMBER && next->gap == 1;
}

/* --- names --- */

static void forget(struct naming *n)
{
	n->left_over |= n->words > 0;
	n->words = 0;
	n->strong = n->piped = false;
}

/* What a logger and a launcher say of themselves. */
bool ts_text_is_noise(struct ts_span name)
{
	static const char *const noise[] = {"rank", "local_rank", "pid", "line", "port", "gpu", "node", "worker", "seed", "ip", NULL};
	static const char *const files[] = {".py", ".cpp", ".cc", ".cu", ".h", ".c", ".rs", ".go"};

	if (ts_text_word_among(name, noise))
		return true;
	for (size_t i = 0; i < sizeof files / sizeof files[0] && memchr(name.data, '.', name.len); i++)
		if (ts_span_ends(name, files[i]))
			return true;
	return false;
}

static bool is_small_word(struct ts_span word)
{
	static const char *const words[] = {"at", "in",	  "of",	   "to",   "for",  "from", "the", "after", "with", "and", "is",
					    "on", "than", "least", "most", "only", "a",	   "an",  "by",	   "or",   "v",	  NULL};

	return ts_text_word_among(word, words);
}

static struct ts_span name_of(const struct naming *n)
{
	size_t from = n->tokens->items[n->first].at;

	return ts_span_part(n->line, from, n->name_end - from);
}

static bool may_name(const struct naming *n, struct ts_span name)
{
	const struct ts_text_token *last = token(n, n->i - 1);

	if (!n->words || name.len > NAME_BYTES || ts_text_is_noise(name))
		return false;
	if (n->strong || n->piped)
		return true;
	return n->words <= WORDS_MAX && !(last->kind == TS_TEXT_WORD && is_small_word(last->text));
}

/* --- values --- */

static bool has_name(const struct ts_text_record *r, struct ts_span name)
{
	for (size_t i = 0; i < r->n; i++)
		if (ts_span_eq(r->cells[i].name, name))
			return true;
	return false;
}

/* The time of a step, by the names that it has beside a loss. */
static bool is_step_time(struct ts_span name)
{
	static const char *const names[] = {"time",	 "dt",	       "step time",  "step_time", "iter time",
					    "iter_time", "batch time", "batch_time", "per step time", "per-step time", NULL};

	return ts_text_word_among(name, names);
}

/* "loss[loss=2.5], tot_loss[loss=3.5]": a name that comes again in another group is that group's: "tot_loss/loss". */
static struct ts_span in_group(const struct naming *n, struct ts_span name)
{
	char both[2 * NAME_BYTES];
	int len;

	if (!n->group.len || n->group.len + name.len + 1 >= NAME_BYTES || !has_name(n->r, name))
		return name;
	len = snprintf(both, sizeof both, "%.*s/%.*s", (int)n->group.len, (const char *)n->group.data, (int)name.len,
		       (const char *)name.data);
	return ts_text_record_keep(n->r, ts_span_of(both, (size_t)len));
}

/* "eval  Accuracy" with one space. */
static struct ts_span one_spaced(struct ts_text_record *r, struct ts_span name)
{
	char text[NAME_BYTES];
	size_t len = 0;

	for (size_t i = 0; i < name.len && len < sizeof text; i++)
		if (name.data[i] != ' ' || !len || text[len - 1] != ' ')
			text[len++] = (char)name.data[i];
	return len < name.len && name.len <= sizeof text ? ts_text_record_keep(r, ts_span_of(text, len)) : name;
}

static void add(struct naming *n, struct ts_span name, const struct ts_text_token *t)
{
	struct ts_span unit = t->kind != TS_TEXT_NUMBER ? ts_span_of(NULL, 0) : t->unit.len ? t->unit : n->all;
	double seconds;

	name = in_group(n, one_spaced(n->r, name));
	if (!n->r->n)
		n->r->at = n->words ? token(n, n->first)->at : t->at;
	if (t->kind == TS_TEXT_DURATION) {
		if (ts_text_duration(t->text, &seconds) && !has_name(n->r, name))
			ts_text_record_double(n->r, name, seconds);
		return;
	}
	/* Marian's "Sen. 965,843 : ... : Time 359.59s" is the time of all updates since the line before. */
	if (is_step_time(name) && !has_name(n->r, ts_span_str("Sen")) &&
	    (ts_span_is(unit, "ms") || ts_span_is(unit, "s") || ts_span_is(unit, "sec"))) {
		name = ts_span_str(ts_span_is(unit, "ms") ? "step_time_ms" : "step_time");
		unit.len = 0;
	}
	ts_text_record_measure(n->r, name, t->text, unit);
}

/* How many words at the end of a name say only that a number follows: "is" of "Loss is 0.54", "so far is" of "avg loss so far is
 * 0.54". */
static size_t verbs_at_end(const struct naming *n)
{
	static const char *const verbs[] = {"is", "was", NULL}, *const before[] = {"so", "far", "now", "currently", NULL};
	size_t verb = ts_text_word_among(token(n, n->i - 1)->text, verbs), words = verb;

	while (words < n->words - 1 && ts_text_word_among(token(n, n->i - 1 - words)->text, before))
		words++;
	return ts_text_word_among(token(n, n->i - 1 - words)->text, before) ? 0 : words;
}

/* Takes the verb away from a name, but from no sentence, such as "the loss of water is 3". */
static void drop_verb(struct naming *n)
{
	size_t verbs;

	if (n->words < 2 || n->words > WORDS_MAX + 3 || n->strong || n->piped || n->i < n->words ||
	    token(n, n->i - 1)->kind != TS_TEXT_WORD)
		return;
	verbs = verbs_at_end(n);
	if (!verbs || n->words - verbs > 2)
		return;
	for (size_t i = n->i - n->words; i + verbs < n->i; i++)
		if (token(n, i)->kind != TS_TEXT_WORD || is_small_word(token(n, i)->text))
			return;
	n->words -= verbs;
	n->name_end = token(n, n->i - 1 - verbs)->end;
	n->strong = true;
}

/* The number has the words before it as its name. */
static void take_named(struct naming *n, const struct ts_text_token *t)
{
	struct ts_span name;

	drop_verb(n);
	name = name_of(n);
	if (may_name(n, name)) {
		add(n, name, t);
		n->last = name;
		n->unit = t->unit;
	} else {
		n->left_over = true;
	}
	n->words = 0;
	n->strong = n->piped = false;
}

/* "( 0.53)" behind a number: a mean of it, or the same in another unit. */
static bool take_mean(struct naming *n, const struct ts_text_token *t)
{
	char name[NAME_BYTES + 8];
	int len;

	if (!n->last.len || (t->unit.len && memchr(t->unit.data, '/', t->unit.len)) || !is_mark(n, n->i - 1, '(') ||
	    !(is_mark(n, n->i + 1, ')') || is_mark(n, n->i + 1, ',')))
		return false;
	if (t->unit.len && !ts_span_eq(t->unit, n->unit)) {
		add(n, n->last, t);
		return true;
	}
	len = snprintf(name, sizeof name, "%.*s_avg", (int)(n->last.len < NAME_BYTES ? n->last.len : NAME_BYTES),
		       (const char *)n->last.data);
	add(n, ts_text_record_keep(n->r, ts_span_of(name, (size_t)len)), t);
	return true;
}

/* "| 40.1% MFU |", "(2.53 sec/step)", "| 120 ms |": what stands behind the number, or its unit, is its name. */
static bool take_behind(struct naming *n, const struct ts_text_token *t)
{
	size_t to = n->i + 1;
	struct ts_text_token bare = *t;

	bool rate = t->unit.len && memchr(t->unit.data, '/', t->unit.len);

	if (t->kind != TS_TEXT_NUMBER || (!rate && n->i > 0 && token(n, n->i - 1)->kind != TS_TEXT_MARK))
		return false;
	while (to < n->end && to < n->i + WORDS_MAX && token(n, to)->kind == TS_TEXT_WORD && token(n, to)->gap < 2)
		to++;
	if (to > n->i + 1 && (to == n->end || ts_text_breaks(n->tokens, to)) && !is_small_word(token(n, n->i + 1)->text)) {
		add(n, ts_span_part(n->line, token(n, n->i + 1)->at, token(n, to - 1)->end - token(n, n->i + 1)->at), t);
		n->i = to - 1;
		return true;
	}
	if (to > n->i + 1 || !t->unit.len || ts_span_is(t->unit, "%") || (is_mark(n, n->i + 1, ':') || is_mark(n, n->i + 1, '=')))
		return false;
	if (rate) {
		bare.unit.len = 0;
		add(n, ts_span_is(t->unit, "/s") ? ts_span_str("per_s") : t->unit, &bare);
		return true;
	}
	if (!ts_span_is(t->unit, "ms") && !ts_span_is(t->unit, "s"))
		return false;
	add(n, ts_span_str(ts_span_is(t->unit, "s") ? "elapsed" : "time"), t);
	return true;
}

/* "Top 1: 50.2", "GPU:0: current: 2": a whole number that belongs to the words. */
static bool is_label(const struct naming *n, const struct ts_text_token *t)
{
	const struct ts_text_token *sign = token(n, n->i + 1), *then = token(n, n->i + 2);

	if (t->kind != TS_TEXT_NUMBER || t->unit.len || !n->words || n->i + 2 >= n->end || sign->kind != TS_TEXT_MARK || sign->gap ||
	    memchr(t->text.data, '.', t->text.len) || ts_log_axis_rank(token(n, n->i - 1)->text) != TS_LOG_AXIS_NONE)
		return false;
	return (sign->mark == ':' || sign->mark == '=') &&
	       (n->strong ? sign->mark == ':' && then->kind == TS_TEXT_WORD : is_number(then));
}

/* "top 1 acc: 0.15", "layer 3 norm=2.5": a whole number within a name, behind a word that counts what the name is of. */
static bool is_ordinal(const struct naming *n, const struct ts_text_token *t)
{
	static const char *const counting[] = {"top", "hit", "hits", "layer", "block", "head", "expert", "task", "class", NULL};
	size_t i = n->i + 1;

	if (t->kind != TS_TEXT_NUMBER || t->unit.len || t->text.len > 3 || memchr(t->text.data, '.', t->text.len) || !n->words ||
	    n->strong || n->piped || !ts_text_word_among(token(n, n->i - 1)->text, counting))
		return false;
	while (i < n->end && i < n->i + 3 && token(n, i)->kind == TS_TEXT_WORD && token(n, i)->gap == 1)
		i++;
	return i > n->i + 1 && (is_mark(n, i, ':') || is_mark(n, i, '=')) && is_number(token(n, i + 1));
}

/* "45273/58518=0.7737": the last number, which is that of the others. */
static size_t result_of(const struct naming *n)
{
	size_t i = n->i;

	if (token(n, i)->kind == TS_TEXT_NUMBER && is_mark(n, i + 1, '/') && token(n, i + 2)->kind == TS_TEXT_NUMBER)
		i += 2;
	else if (token(n, i)->kind != TS_TEXT_FRACTION)
		return n->i;
	return is_mark(n, i + 1, '=') && token(n, i + 2)->kind == TS_TEXT_NUMBER ? i + 2 : n->i;
}

/* "mAP50: 100%|██████| 71/71 [": the bar of tqdm, whose percent is how far it is. */
static bool begins_bar(const struct naming *n, const struct ts_text_token *t)
{
	size_t end = n->i + 2 + (token(n, n->i + 2)->kind == TS_TEXT_MARK && is_mark(n, n->i + 2, '~'));

	return t->kind == TS_TEXT_NUMBER && ts_span_is(t->unit, "%") && is_mark(n, n->i + 1, '|') && !token(n, n->i + 1)->gap &&
	       is_mark(n, end, '|') && (end + 1 == n->end || token(n, end + 1)->kind == TS_TEXT_FRACTION);
}

static void take_number(struct naming *n)
{
	const struct ts_text_token *t = token(n, n->i);

	if (begins_bar(n, t)) {
		forget(n);
		return;
	}
	if (is_ordinal(n, t)) {
		n->words++;
		n->name_end = t->end;
		return;
	}
	if (is_label(n, t)) {
		n->words = n->strong ? 0 : n->words;
		n->name_end = t->end;
		n->strong = false;
		return;
	}
	if (n->words && ts_text_is_index(n->tokens, n->i) && n->i + 1 < n->end) {
		n->left_over = true;
		return;
	}
	if (n->words) {
		n->i = result_of(n);
		take_named(n, token(n, n->i));
		return;
	}
	n->left_over |= !take_mean(n, t) && !take_behind(n, t);
}

/* --- brackets --- */

/* The token behind the bracket that closes the one at i, or 0 if none does nearby. */
static size_t closing(const struct naming *n, size_t i)
{
	int depth = 0;

	for (size_t k = i; k < n->end && k < i + LOOK; k++) {
		const struct ts_text_token *t = token(n, k);

		if (t->kind != TS_TEXT_MARK)
			continue;
		depth += t->mark == '(' || t->mark == '[' || t->mark == '{';
		depth -= t->mark == ')' || t->mark == ']' || t->mark == '}';
		if (depth == 0)
			return k + 1;
	}
	return 0;
}

/* "[1e-3]", "[1e-3, 1e-3]", "(2.5, device='cuda:0')" of a tensor: one number, which is the first. */
static bool one_number(const struct naming *n, size_t from, size_t end, bool call)
{
	const struct ts_text_token *first = token(n, from);

	if (from >= end || !is_number(first))
		return false;
	for (size_t i = from + 1; i < end && !call; i++) {
		const struct ts_text_token *t = token(n, i);

		if (t->kind == TS_TEXT_WORD || (is_number(t) && !ts_span_eq(t->text, first->text)))
			return false;
	}
	return true;
}

/* A bracket behind a name: a list, a tensor, "Step [100/600]"; or a part of the name, as in "time (ms): 5". */
static void take_bracket(struct naming *n, bool call)
{
	size_t end = closing(n, n->i), from = n->i + 1;

	while (from + 1 < end && (is_mark(n, from, '[') || is_mark(n, from, '(')))
		from++;
	if (!n->words || !end) {
		forget(n);
		return;
	}
	if (is_mark(n, n->i, '(') && !n->strong && end == n->i + 3 && token(n, n->i + 1)->kind == TS_TEXT_WORD) {
		n->name_end = token(n, end - 1)->end;
		n->i = end - 1;
		return;
	}
	if (!one_number(n, from, end - 1, call)) {
		if (n->strong)
			n->i = end - 1;
		else if (!token(n, n->i)->gap && token(n, n->i - 1)->kind == TS_TEXT_WORD)
			n->group = token(n, n->i - 1)->text;
		forget(n);
		return;
	}
	n->i = from;
	take_named(n, token(n, from));
	n->i = end - 1;
}

/* --- words and marks --- */

static void take_word(struct naming *n)
{
	static const char *const calls[] = {"tensor",	  "array",	 "float32", "float64", "np.float32",
					    "np.float64", "DeviceArray", "Array",   NULL};
	const struct ts_text_token *t = token(n, n->i);

	if (n->words && ts_text_word_among(t->text, calls) && is_mark(n, n->i + 1, '(')) {
		n->strong = true;
		n->i++;
		take_bracket(n, true);
		return;
	}
	if (n->strong || n->piped || ts_text_breaks(n->tokens, n->i))
		forget(n);
	if (is_level(t->text) && !names_value(n->tokens, n->i))
		return;
	if (!n->words)
		n->first = n->i;
	n->words++;
	n->name_end = t->end;
}

/* "ms" of "time (ms)", which stands before the mark; the bracket may stand before the text. */
static struct ts_span bracketed_unit(const struct naming *n)
{
	size_t at = n->i - 2;

	if (n->i < 2 || !is_mark(n, n->i - 1, ')') || token(n, at)->kind != TS_TEXT_WORD || !(at == 0 || is_mark(n, at - 1, '(')))
		return ts_span_of(NULL, 0);
	return token(n, at)->text;
}

/* Whether the dot ends a word that is cut short within a name. */
static bool is_cut_short(const struct naming *n)
{
	static const char *const words[] = {"avg", "ave", "acc", "val",	     "max",   "min", "std",
					    "cum", "tot", "reg", "reconstr", "train", NULL};
	const struct ts_text_token *next = token(n, n->i + 1);

	return n->words && !token(n, n->i)->gap && next->kind == TS_TEXT_WORD && next->gap == 1 &&
	       token(n, n->i - 1)->kind == TS_TEXT_WORD && ts_text_word_among(token(n, n->i - 1)->text, words);
}

static void take_mark(struct naming *n)
{
	uint8_t mark = token(n, n->i)->mark;

	if (mark == '=' && (is_mark(n, n->i + 1, '=') || (n->i && is_mark(n, n->i - 1, '=')))) {
		forget(n); /* a version: "torch==2.5" */
		return;
	}
	if (mark == ':' || mark == '=') {
		n->strong = n->words > 0;
		return;
	}
	if (mark == '\'' || mark == '"' || mark == '`' || ts_text_is_short(n->tokens, n->i))
		return;
	if (mark == '.' && !token(n, n->i)->gap && is_mark(n, n->i + 1, ':') && !token(n, n->i + 1)->gap)
		return; /* "acc.: 98.4%" */
	if (mark == '.' && is_cut_short(n))
		return; /* "avg. loss: 2.5" */
	if (mark == '|' && bracketed_unit(n).len)
		n->all = bracketed_unit(n);
	if (mark == '|' && n->words && !n->strong && !n->piped && is_number(token(n, n->i + 1)) &&
	    (n->i + 2 >= n->end || is_mark(n, n->i + 2, '|'))) {
		n->piped = true;
		return;
	}
	if (mark == '(' || mark == '[') {
		if (n->words)
			take_bracket(n, false);
		return;
	}
	if (mark == ')' || mark == ']')
		n->group.len = 0;
	forget(n);
}

/* "time: 0.52  data: 0.01": where the time of loading stands beside it, it is that of a step. */
static void name_step_time(struct ts_text_record *r)
{
	static const char *const data[] = {"data", "data_time", "data time", NULL};
	struct ts_text_cell *time = NULL;
	bool beside = false;

	for (size_t i = 0; i < r->n; i++) {
		beside |= ts_text_word_among(r->cells[i].name, data);
		if (is_step_time(r->cells[i].name))
			time = &r->cells[i];
	}
	if (time && beside)
		time->name = ts_span_str("step_time");
}

bool ts_text_named(const struct ts_text_tokens *tokens, size_t from, size_t end, struct ts_span line, struct ts_text_record *r)
{
	struct naming n = {.tokens = tokens, .i = from, .end = end, .line = line, .r = r};

	for (; n.i < n.end; n.i++) {
		enum ts_text_token_kind kind = token(&n, n.i)->kind;

		if (kind == TS_TEXT_WORD) {
			take_word(&n);
		} else if (kind == TS_TEXT_MARK) {
			take_mark(&n);
		} else if (kind == TS_TEXT_OTHER) {
			forget(&n);
			n.left_over = true;
		} else {
			take_number(&n);
		}
	}
	forget(&n);
	name_step_time(r);
	r->full |= tokens->full;
	return !n.left_over;
}

bool ts_text_named_in(struct ts_span text, struct ts_text_record *r)
{
	struct ts_text_tokens tokens;

	ts_text_tokenize(text, &tokens);
	return ts_text_named(&tokens, 0, tokens.n, text, r);
}
