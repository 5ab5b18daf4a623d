/* filter.c - see filter.h. A filter is kept as a list of operations in postfix order: evaluating it needs no recursion,
 * and parsing recurses only for parentheses and not, to a depth of FILTER_DEPTH. */
#include "service/handlers/runs/filter.h"

#include "base/clock.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "run/name.h"
#include "service/handlers/runs/list_columns.h"
#include "service/handlers/runs/naming.h"

#include <math.h>

enum { FILTER_DEPTH = 64, FILTER_OPS = 2048, ID_LEAST = 4 };

enum op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_GLOB, OP_HAS };
enum what { AND, OR, NOT, COMPARE };

struct literal {
	struct ts_span text; /* as typed, or without its quotes */
	bool quoted;
	bool is_number, is_integer;
	double number;
	int64_t integer; /* if is_integer; for a time, in ns */
};

struct operation {
	enum what what;
	enum op op;
	struct ts_span path;
	struct literal value;
	bool by_end; /* a name may have more components in front */
};

struct ts_filter {
	struct operation *ops;
	size_t n, cap;
};

struct parser {
	struct ts_span in;
	size_t at;
	int depth;
	struct ts_arena *arena;
	struct ts_filter *out;
	struct ts_error *err;
};

/* Names the place by its byte and shows the text around it, with ^ before the byte. */
static enum ts_status wrong(struct parser *p, const char *what)
{
	enum { BEFORE = 24, AFTER = 16 };
	size_t from = p->at > BEFORE ? p->at - BEFORE : 0, left = p->in.len - p->at;

	if (p->at >= p->in.len)
		return ts_error_set(p->err, TS_INVALID, "filter, at its end: %s", what);
	return ts_error_set(p->err, TS_INVALID, "filter, at byte %zu (%s%.*s^%.*s%s): %s", p->at + 1, from ? "..." : "",
			    (int)(p->at - from), (const char *)p->in.data + from, (int)(left < AFTER ? left : AFTER),
			    (const char *)p->in.data + p->at, left > AFTER ? "..." : "", what);
}

static void skip_spaces(struct parser *p)
{
	while (p->at < p->in.len && ts_is_space(p->in.data[p->at]))
		p->at++;
}

static bool is_operator(uint8_t c)
{
	return c == '=' || c == '!' || c == '<' || c == '>' || c == '~';
}

static bool ends_word(uint8_t c)
{
	return ts_is_space(c) || c == '(' || c == ')' || c == '"' || c == '\'';
}

/* Returns the word that begins here, without consuming it. A path ends at an operator; a backslash in a path escapes
 * the next character. */
static struct ts_span peek_word(const struct parser *p, bool is_path)
{
	size_t at = p->at;

	while (at < p->in.len && !ends_word(p->in.data[at]) && !(is_path && is_operator(p->in.data[at])))
		at += is_path && p->in.data[at] == '\\' && at + 1 < p->in.len ? 2 : 1;
	return ts_span_of(p->in.data + p->at, at - p->at);
}

static bool take_keyword(struct parser *p, const char *word)
{
	skip_spaces(p);
	if (!ts_span_is(peek_word(p, true), word))
		return false;
	p->at += strlen(word);
	return true;
}

static enum ts_status emit(struct parser *p, const struct operation *o)
{
	struct ts_filter *f = p->out;

	if (f->n == FILTER_OPS)
		return wrong(p, "the filter is too long");
	if (!TS_GROW_IN(p->arena, f->ops, f->cap, f->n + 1, 16))
		return ts_arena_error(p->arena, p->err);
	f->ops[f->n++] = *o;
	return TS_OK;
}

static enum ts_status take_op(struct parser *p, enum op *ret)
{
	static const struct {
		const char *text;
		enum op op;
	} table[] = {{"!=", OP_NE}, {"<=", OP_LE}, {">=", OP_GE}, {"==", OP_EQ},
		     {"=", OP_EQ},  {"<", OP_LT},  {">", OP_GT},  {"~", OP_GLOB}};
	struct ts_span rest;

	skip_spaces(p);
	rest = ts_span_of(p->in.data + p->at, p->in.len - p->at);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (ts_span_starts(rest, ts_span_str(table[i].text))) {
			*ret = table[i].op;
			p->at += strlen(table[i].text);
			return TS_OK;
		}
	return wrong(p, "one of = != < <= > >= ~ is expected here");
}

static bool is_quote(const struct parser *p)
{
	return p->at < p->in.len && (p->in.data[p->at] == '"' || p->in.data[p->at] == '\'');
}

static enum ts_status take_quoted(struct parser *p, struct literal *ret)
{
	uint8_t quote = p->in.data[p->at];
	uint8_t *text = ts_arena_alloc(p->arena, p->in.len);
	size_t at = p->at + 1, n = 0;

	if (!text)
		return ts_arena_error(p->arena, p->err);
	while (at < p->in.len && p->in.data[at] != quote) {
		at += p->in.data[at] == '\\' && at + 1 < p->in.len;
		text[n++] = p->in.data[at++];
	}
	if (at >= p->in.len)
		return wrong(p, "this quote is not closed");
	p->at = at + 1;
	*ret = (struct literal){.text = ts_span_of(text, n), .quoted = true};
	return TS_OK;
}

static enum ts_status take_literal(struct parser *p, struct literal *ret)
{
	skip_spaces(p);
	if (is_quote(p))
		return take_quoted(p, ret);
	*ret = (struct literal){.text = peek_word(p, false)};
	if (ret->text.len == 0 || is_operator(ret->text.data[0]))
		return wrong(p, "a value is expected here");
	ret->is_number = ts_parse_double(ret->text, &ret->number);
	ret->is_integer = ts_parse_i64(ret->text, &ret->integer);
	p->at += ret->text.len;
	return TS_OK;
}

static enum ts_status take_time(struct parser *p, size_t at, struct literal *value)
{
	if (ts_time_parse(value->text, &value->integer)) {
		value->is_integer = value->is_number = true;
		value->number = (double)value->integer;
		return TS_OK;
	}
	p->at = at;
	return wrong(p, "a time is expected here, such as 2026-11-20 or 2026-11-20T11:27:00Z");
}

/* Checks what a column of a known type can be compared with; a fact may have any type. */
static enum ts_status check_value(struct parser *p, enum ts_list_word word, size_t at, struct operation *o)
{
	const char *wanted = NULL;
	struct ts_error unused;

	if (o->op == OP_GLOB)
		return TS_OK;
	if (ts_list_is_time(word))
		return take_time(p, at, &o->value);
	if ((ts_list_is_count(word) || word == TS_WORD_METRIC) && !(o->value.is_number && isfinite(o->value.number)))
		wanted = "a number is expected here";
	if (word == TS_WORD_STATE && (o->op == OP_EQ || o->op == OP_NE) && !ts_span_is(o->value.text, "lost") &&
	    ts_run_state_check(o->value.text, &unused))
		wanted = "a state is expected here: running, finished, crashed, killed, hung, lost or unknown";
	if (!wanted)
		return TS_OK;
	p->at = at;
	return wrong(p, wanted);
}

/* Whether the word at p->at is no column, and nothing is compared with it: it is searched in names. So is a word such as sweep or job,
 * of which many names are made. */
static bool is_alone(const struct parser *p, struct ts_span word)
{
	struct parser behind = *p;
	enum ts_list_word is = ts_list_word(word);

	behind.at += word.len;
	skip_spaces(&behind);
	return word.len && (is == TS_WORD_NONE || ts_list_is_membership(is, NULL)) &&
	       (behind.at == p->in.len || !is_operator(p->in.data[behind.at]));
}

static enum ts_status parse_search(struct parser *p)
{
	struct operation o = {.what = COMPARE, .op = OP_HAS, .path = ts_span_str("name")};

	if (take_literal(p, &o.value))
		return p->err->status;
	if (!o.value.quoted && ts_name_is_glob(o.value.text))
		o.op = OP_GLOB;
	return emit(p, &o);
}

/* name=exp* means what it means in a shell. */
static bool is_pattern(const struct operation *o)
{
	const struct ts_span *text = &o->value.text;

	return (o->op == OP_EQ || o->op == OP_NE) && !o->value.quoted &&
	       (memchr(text->data, '*', text->len) || memchr(text->data, '?', text->len));
}

static enum ts_status parse_comparison(struct parser *p)
{
	struct operation o = {.what = COMPARE};
	enum ts_list_word word;
	bool not = false;
	size_t at;

	skip_spaces(p);
	o.path = peek_word(p, true);
	if (is_alone(p, o.path) || is_quote(p))
		return parse_search(p);
	if (o.path.len == 0)
		return wrong(p, "a column, a fact or a word of a name is expected here");
	word = ts_list_word(o.path);
	if (word == TS_WORD_NONE) {
		ts_error_set(p->err, TS_INVALID,
			     "filter, at byte %zu: %.*s is not one of %s; of a series %.*s it is %.*s.last, %.*s.best ...", p->at + 1,
			     TS_SPAN_ARG(o.path), ts_list_words(), TS_SPAN_ARG(o.path), TS_SPAN_ARG(o.path), TS_SPAN_ARG(o.path));
		return p->err->status;
	}
	if (ts_list_metric_check(o.path, p->err)) {
		struct ts_error why = *p->err;

		return wrong(p, why.text);
	}
	p->at += o.path.len;
	if (take_op(p, &o.op))
		return p->err->status;
	skip_spaces(p);
	at = p->at;
	if (take_literal(p, &o.value))
		return p->err->status;
	if (is_pattern(&o)) {
		not = o.op == OP_NE;
		o.op = OP_GLOB;
	}
	if (check_value(p, word, at, &o) || emit(p, &o))
		return p->err->status;
	return not ? emit(p, &(struct operation){.what = NOT}) : TS_OK;
}

static enum ts_status parse_or(struct parser *p);

static enum ts_status parse_parentheses(struct parser *p)
{
	size_t open = p->at++;

	if (parse_or(p))
		return p->err->status;
	skip_spaces(p);
	if (p->at < p->in.len && p->in.data[p->at] == ')') {
		p->at++;
		return TS_OK;
	}
	if (p->at < p->in.len)
		return wrong(p, "'and', 'or' or a closing parenthesis is expected here");
	p->at = open;
	return wrong(p, "this parenthesis is not closed");
}

static enum ts_status parse_not(struct parser *p)
{
	enum ts_status status;

	if (p->depth == FILTER_DEPTH)
		return wrong(p, "the filter is nested too deeply");
	p->depth++;
	skip_spaces(p);
	if (take_keyword(p, "not")) {
		status = parse_not(p);
		if (!status)
			status = emit(p, &(struct operation){.what = NOT});
	} else if (p->at < p->in.len && p->in.data[p->at] == '(') {
		status = parse_parentheses(p);
	} else {
		status = parse_comparison(p);
	}
	p->depth--;
	return status;
}

static enum ts_status parse_and(struct parser *p)
{
	if (parse_not(p))
		return p->err->status;
	while (take_keyword(p, "and"))
		if (parse_not(p) || emit(p, &(struct operation){.what = AND}))
			return p->err->status;
	return TS_OK;
}

static enum ts_status parse_or(struct parser *p)
{
	if (parse_and(p))
		return p->err->status;
	while (take_keyword(p, "or"))
		if (parse_and(p) || emit(p, &(struct operation){.what = OR}))
			return p->err->status;
	return TS_OK;
}

enum ts_status ts_filter_parse(struct ts_span text, struct ts_arena *arena, struct ts_filter **ret_filter,
			       struct ts_error *err)
{
	struct parser p = {.in = text, .arena = arena, .err = err};

	p.out = ts_arena_array(arena, 1, sizeof *p.out);
	if (!p.out)
		return ts_arena_error(arena, err);
	skip_spaces(&p);
	if (p.at < text.len) {
		if (parse_or(&p))
			return err->status;
		skip_spaces(&p);
		if (p.at < text.len)
			return wrong(&p, "'and' or 'or' is expected here");
	}
	*ret_filter = p.out;
	return TS_OK;
}

size_t ts_filter_paths(const struct ts_filter *filter, struct ts_span *paths)
{
	size_t n = 0;

	for (size_t i = 0; i < filter->n; i++) {
		if (filter->ops[i].what != COMPARE)
			continue;
		if (paths)
			paths[n] = filter->ops[i].path;
		n++;
	}
	return n;
}

enum ts_status ts_filter_complete(struct ts_filter *filter, ts_filter_named *named, void *ctx, struct ts_error *err)
{
	for (size_t i = 0; i < filter->n; i++) {
		struct operation *o = &filter->ops[i];
		bool is_name = true;

		if (o->what != COMPARE || (o->op != OP_EQ && o->op != OP_NE) || ts_list_word(o->path) != TS_WORD_NAME)
			continue;
		if (named(ctx, o->value.text, &is_name, err))
			return err->status;
		o->by_end = !is_name;
	}
	return TS_OK;
}

bool ts_filter_always(const struct ts_filter *filter)
{
	return filter->n == 0;
}

static enum ts_truth truth(bool b)
{
	return b ? TS_TRUE : TS_FALSE;
}

static enum ts_truth ordered(enum op op, int c)
{
	switch (op) {
	case OP_EQ:
		return truth(c == 0);
	case OP_NE:
		return truth(c != 0);
	case OP_LT:
		return truth(c < 0);
	case OP_LE:
		return truth(c <= 0);
	case OP_GT:
		return truth(c > 0);
	case OP_GE:
		return truth(c >= 0);
	case OP_GLOB:
	case OP_HAS:
		break;
	}
	return TS_UNKNOWN;
}

/* A comparison of different types: they are not equal, and have no order. */
static enum ts_truth unlike(enum op op)
{
	if (op == OP_EQ)
		return TS_FALSE;
	return op == OP_NE ? TS_TRUE : TS_UNKNOWN;
}

/* NaN equals nothing and has no order, as in IEEE 754. */
static enum ts_truth compare_doubles(enum op op, double a, double b)
{
	if (isnan(a) || isnan(b))
		return unlike(op) == TS_UNKNOWN ? TS_FALSE : unlike(op);
	return ordered(op, (a > b) - (a < b));
}

/* Returns whether the text is a decimal integer of any size, as JSON writes it. */
static bool is_decimal(struct ts_span s)
{
	size_t at = s.len && s.data[0] == '-';

	if (at == s.len || (s.data[at] == '0' && s.len > at + 1))
		return false;
	for (; at < s.len; at++)
		if (!ts_is_digit(s.data[at]))
			return false;
	return true;
}

/* Compares without conversion to doubles: by sign, then by length, then digit by digit. */
static int compare_decimals(struct ts_span a, struct ts_span b)
{
	bool below_a = a.data[0] == '-', below_b = b.data[0] == '-';
	int c = (a.len > b.len) - (a.len < b.len);

	if (below_a != below_b)
		return below_a ? -1 : 1;
	if (c == 0)
		c = ts_span_cmp(a, b);
	return below_a ? -c : c;
}

static enum ts_truth compare_number(const struct operation *o, const struct ts_fact *fact)
{
	double number = 0;

	if (!o->value.is_number)
		return unlike(o->op);
	if (fact->type == TS_FACT_INT && o->value.is_integer)
		return ordered(o->op, (fact->integer > o->value.integer) - (fact->integer < o->value.integer));
	if (fact->type == TS_FACT_NUMBER && is_decimal(fact->text) && is_decimal(o->value.text))
		return ordered(o->op, compare_decimals(fact->text, o->value.text));
	if (fact->type == TS_FACT_INT)
		number = (double)fact->integer;
	else if (fact->type == TS_FACT_FLOAT)
		number = fact->real;
	else if (!ts_parse_double(fact->text, &number))
		return TS_UNKNOWN;
	return compare_doubles(o->op, number, o->value.number);
}

static enum ts_truth compare_bool(const struct operation *o, bool value)
{
	if (o->value.quoted || (!ts_span_is(o->value.text, "true") && !ts_span_is(o->value.text, "false")))
		return unlike(o->op);
	return o->op == OP_EQ || o->op == OP_NE ? ordered(o->op, value != ts_span_is(o->value.text, "true"))
						: TS_UNKNOWN;
}

static enum ts_truth glob(const struct operation *o, const struct ts_fact *fact)
{
	struct ts_buf text = TS_BUF_INIT(2 * (size_t)TS_FACT_TEXT_MAX);
	enum ts_truth result;

	if (fact->type == TS_FACT_TEXT)
		return truth(ts_glob(o->value.text, fact->text));
	ts_fact_print(fact, &text);
	result = text.failed ? TS_UNKNOWN : truth(ts_glob(o->value.text, ts_buf_view(&text)));
	ts_buf_finish(&text);
	return result;
}

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

/* Whether the text has the word somewhere; letters of ASCII are compared in lower case. */
static bool has(struct ts_span text, struct ts_span word)
{
	for (size_t at = 0; at + word.len <= text.len; at++) {
		size_t n = 0;

		while (n < word.len && lower(text.data[at + n]) == lower(word.data[n]))
			n++;
		if (n == word.len)
			return true;
	}
	return false;
}

/* Of = and !=, whether they are equal. */
static bool matches_name(const struct operation *o, struct ts_span name)
{
	if (o->op == OP_GLOB)
		return ts_name_glob(o->value.text, name);
	if (o->op == OP_HAS)
		return has(name, o->value.text);
	return ts_span_eq(name, o->value.text) || (o->by_end && ts_name_ends(name, o->value.text));
}

/* A slash belongs to a name, so a text is compared with the part behind the project; it may have the project in front as well. */
static enum ts_truth compare_name(const struct operation *o, struct ts_span name)
{
	struct ts_span part = ts_span_after(name, '/');
	bool whole = o->value.text.len && memchr(o->value.text.data, '/', o->value.text.len);

	if (o->op != OP_EQ && o->op != OP_NE && o->op != OP_GLOB && o->op != OP_HAS)
		return ordered(o->op, ts_span_cmp(whole ? name : part, o->value.text));
	return truth((matches_name(o, part) || (whole && matches_name(o, name))) != (o->op == OP_NE));
}

/* An id may be given by its first digits, because list shows only these. */
static struct ts_span shorten_id(const struct operation *o, struct ts_span id)
{
	size_t len = o->value.text.len;

	if (ts_list_word(o->path) != TS_WORD_ID || len < ID_LEAST || len > id.len)
		return id;
	return ts_span_of(id.data, len);
}

static enum ts_truth compare(const struct operation *o, struct ts_fact fact)
{
	bool is_null = !o->value.quoted && ts_span_is(o->value.text, "null");

	if (fact.type == TS_FACT_TEXT && ts_list_word(o->path) == TS_WORD_NAME)
		return compare_name(o, fact.text);
	if (fact.type == TS_FACT_LONG || fact.type == TS_FACT_ABSENT)
		return TS_UNKNOWN;
	if (o->op == OP_GLOB)
		return glob(o, &fact);
	if (o->op == OP_EQ || o->op == OP_NE)
		fact.text = shorten_id(o, fact.text);
	switch (fact.type) {
	case TS_FACT_NULL:
		return is_null ? ordered(o->op, 0) : unlike(o->op);
	case TS_FACT_BOOL:
		return compare_bool(o, fact.boolean);
	case TS_FACT_INT:
	case TS_FACT_FLOAT:
	case TS_FACT_NUMBER:
		return compare_number(o, &fact);
	case TS_FACT_TEXT:
		return is_null ? unlike(o->op) : ordered(o->op, ts_span_cmp(fact.text, o->value.text));
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
	case TS_FACT_LONG:
	case TS_FACT_ABSENT:
		break;
	}
	return unlike(o->op);
}

static enum ts_truth both(enum ts_truth a, enum ts_truth b)
{
	if (a == TS_FALSE || b == TS_FALSE)
		return TS_FALSE;
	return a == TS_TRUE && b == TS_TRUE ? TS_TRUE : TS_UNKNOWN;
}

static enum ts_truth negate(enum ts_truth a)
{
	return a == TS_UNKNOWN ? TS_UNKNOWN : truth(a == TS_FALSE);
}

enum ts_truth ts_filter_eval(const struct ts_filter *filter, ts_filter_lookup *lookup, void *ctx)
{
	uint8_t stack[FILTER_OPS];
	size_t n = 0;

	for (size_t i = 0; i < filter->n; i++) {
		const struct operation *o = &filter->ops[i];
		struct ts_fact fact;

		if (o->what == COMPARE) {
			stack[n++] = (uint8_t)(lookup(ctx, o->path, &fact) ? compare(o, fact) : TS_UNKNOWN);
		} else if (o->what == NOT) {
			stack[n - 1] = (uint8_t)negate(stack[n - 1]);
		} else {
			enum ts_truth b = stack[--n], a = stack[n - 1];

			stack[n - 1] = (uint8_t)(o->what == AND ? both(a, b) : negate(both(negate(a), negate(b))));
		}
	}
	return n ? (enum ts_truth)stack[0] : TS_TRUE;
}
