/* tracking_filter.c - see tracking_filter.h. */
#include "web/mlflow/tracking_filter.h"

#include "base/grow.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>

/* -- reading -- */

static void skip_space(struct ts_span *t)
{
	while (t->len && ts_is_space(t->data[0]))
		*t = ts_span_from(*t, 1);
}

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

/* Takes a word of letters, in any case, if it stands here alone. */
static bool take_word(struct ts_span *t, const char *word)
{
	size_t n = strlen(word);

	skip_space(t);
	if (t->len < n || (t->len > n && (ts_is_alnum(t->data[n]) || t->data[n] == '_')))
		return false;
	for (size_t i = 0; i < n; i++)
		if (lower(t->data[i]) != (uint8_t)word[i])
			return false;
	*t = ts_span_from(*t, n);
	return true;
}

static bool take_char(struct ts_span *t, char c)
{
	skip_space(t);
	if (!t->len || t->data[0] != (uint8_t)c)
		return false;
	*t = ts_span_from(*t, 1);
	return true;
}

static enum ts_status expected(struct ts_span at, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "Invalid filter: %s is expected at '%s'", what, ts_show(at).text);
}

/* What stands up to the closing quote, which is the first byte. */
static bool take_quoted(struct ts_span *t, struct ts_span *ret)
{
	const uint8_t *end = memchr(t->data + 1, t->data[0], t->len - 1);
	size_t n = end ? (size_t)(end - t->data) : 0;

	if (!end)
		return false;
	*ret = ts_span_part(*t, 1, n - 1);
	*t = ts_span_from(*t, n + 1);
	return true;
}

static bool take_key(struct ts_span *t, struct ts_span *ret)
{
	size_t n = 0;

	if (t->len && (t->data[0] == '"' || t->data[0] == '`'))
		return take_quoted(t, ret);
	while (n < t->len && !ts_is_space(t->data[n]) && !strchr("=!<>,()'\"`", t->data[n]))
		n++;
	*ret = ts_span_part(*t, 0, n);
	*t = ts_span_from(*t, n);
	return n > 0;
}

/* "metrics.loss", or an attribute with or without its word in front. */
static enum ts_status take_entity(struct ts_span *t, enum ts_tracking_entity *ret, struct ts_span *ret_key, struct ts_error *err)
{
	static const struct {
		const char *word;
		enum ts_tracking_entity entity;
	} words[] = {{"metrics.", TS_TRACKING_METRIC},
		     {"metric.", TS_TRACKING_METRIC},
		     {"params.", TS_TRACKING_PARAM},
		     {"param.", TS_TRACKING_PARAM},
		     {"parameters.", TS_TRACKING_PARAM},
		     {"parameter.", TS_TRACKING_PARAM},
		     {"tags.", TS_TRACKING_TAG},
		     {"tag.", TS_TRACKING_TAG},
		     {"attributes.", TS_TRACKING_ATTRIBUTE},
		     {"attribute.", TS_TRACKING_ATTRIBUTE},
		     {"attr.", TS_TRACKING_ATTRIBUTE},
		     {"run.", TS_TRACKING_ATTRIBUTE}};

	skip_space(t);
	*ret = TS_TRACKING_ATTRIBUTE;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_skip(t, words[i].word)) {
			*ret = words[i].entity;
			break;
		}
	return take_key(t, ret_key) ? TS_OK : expected(*t, "the name of a metric, a param, a tag or an attribute", err);
}

static enum ts_status take_op(struct ts_span *t, enum ts_tracking_op *ret, struct ts_error *err)
{
	static const struct {
		const char *sign;
		enum ts_tracking_op op;
	} signs[] = {{"!=", TS_TRACKING_NE}, {"<>", TS_TRACKING_NE}, {"<=", TS_TRACKING_LE}, {">=", TS_TRACKING_GE},
		     {"<", TS_TRACKING_LT},  {">", TS_TRACKING_GT},  {"==", TS_TRACKING_EQ}, {"=", TS_TRACKING_EQ}};

	skip_space(t);
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
		if (ts_span_skip(t, signs[i].sign)) {
			*ret = signs[i].op;
			return TS_OK;
		}
	if (take_word(t, "like"))
		*ret = TS_TRACKING_LIKE;
	else if (take_word(t, "ilike"))
		*ret = TS_TRACKING_ILIKE;
	else if (take_word(t, "in"))
		*ret = TS_TRACKING_IN;
	else if (take_word(t, "not"))
		return take_word(t, "in") ? (*ret = TS_TRACKING_NOT_IN, TS_OK) : expected(*t, "IN", err);
	else if (take_word(t, "is"))
		return *ret = take_word(t, "not") ? TS_TRACKING_NOT_NULL : TS_TRACKING_NULL,
		       take_word(t, "null") ? TS_OK : expected(*t, "NULL", err);
	else
		return expected(*t, "a comparison", err);
	return TS_OK;
}

static enum ts_status take_value(struct ts_span *t, struct ts_span *ret, struct ts_error *err)
{
	size_t n = 0;

	skip_space(t);
	if (t->len && (t->data[0] == '\'' || t->data[0] == '"'))
		return take_quoted(t, ret) ? TS_OK : expected(*t, "a closing quote", err);
	while (n < t->len && (ts_is_alnum(t->data[n]) || strchr("+-.", t->data[n])))
		n++;
	*ret = ts_span_part(*t, 0, n);
	*t = ts_span_from(*t, n);
	return n ? TS_OK : expected(*t, "a value", err);
}

static enum ts_status take_texts(struct ts_span *t, struct ts_tracking_condition *c, struct ts_arena *arena, struct ts_error *err)
{
	bool list = c->op == TS_TRACKING_IN || c->op == TS_TRACKING_NOT_IN;
	size_t cap = 0;

	if (c->op == TS_TRACKING_NULL || c->op == TS_TRACKING_NOT_NULL)
		return TS_OK;
	if (list && !take_char(t, '('))
		return expected(*t, "'('", err);
	do {
		if (!TS_GROW_IN(arena, c->texts, cap, c->n_texts + 1, 4))
			return ts_arena_error(arena, err);
		if (take_value(t, &c->texts[c->n_texts++], err))
			return err->status;
	} while (list && take_char(t, ','));
	return !list || take_char(t, ')') ? TS_OK : expected(*t, "')'", err);
}

static bool is_number(const struct ts_tracking_condition *c)
{
	static const char *const attributes[] = {"start_time", "end_time", "creation_time", "last_update_time"};

	if (c->entity == TS_TRACKING_METRIC)
		return true;
	for (size_t i = 0; c->entity == TS_TRACKING_ATTRIBUTE && i < sizeof attributes / sizeof attributes[0]; i++)
		if (ts_span_is(c->key, attributes[i]))
			return true;
	return false;
}

static bool is_attribute(enum ts_tracking_subject subject, struct ts_span key)
{
	static const char *const of_runs[] = {"run_id",	    "run_name",	    "Run name",	     "run name", "status",
					      "start_time", "created",	    "Created",	     "end_time", "user_id",
					      "User",	    "artifact_uri", "experiment_id", NULL};
	static const char *const of_experiments[] = {"name", "experiment_id", "creation_time", "last_update_time", NULL};

	for (const char *const *at = subject == TS_TRACKING_RUNS ? of_runs : of_experiments; *at; at++)
		if (ts_span_is(key, *at))
			return true;
	return false;
}

static enum ts_status check(const struct ts_tracking_condition *c, enum ts_tracking_subject subject, struct ts_error *err)
{
	double number;

	if (c->entity == TS_TRACKING_ATTRIBUTE && !is_attribute(subject, c->key))
		return ts_error_set(err, TS_INVALID, "Invalid filter: there is no attribute '%s'", ts_show(c->key).text);
	if (!is_number(c) || !c->n_texts)
		return TS_OK;
	if (c->op >= TS_TRACKING_LIKE)
		return ts_error_set(err, TS_INVALID,
				    "Invalid filter: '%s' is a number, which is compared by = != < <= > >=", ts_show(c->key).text);
	return ts_parse_double(c->texts[0], &number)
		       ? TS_OK
		       : ts_error_set(err, TS_INVALID, "Invalid filter: '%s' is compared with a number, not with '%s'",
				      ts_show(c->key).text, ts_show(c->texts[0]).text);
}

enum ts_status ts_tracking_filter_read(struct ts_span text, enum ts_tracking_subject subject, struct ts_arena *arena,
				       struct ts_tracking_filter *ret, struct ts_error *err)
{
	struct ts_tracking_condition *conditions = NULL;
	size_t n = 0, cap = 0;

	*ret = (struct ts_tracking_filter){.n = 0};
	text = ts_trim(text);
	if (!text.len)
		return TS_OK;
	do {
		struct ts_tracking_condition *c;

		if (n == TS_TRACKING_CONDITIONS)
			return ts_error_set(err, TS_INVALID, "Invalid filter: it has more than %d conditions", TS_TRACKING_CONDITIONS);
		if (!TS_GROW_IN(arena, conditions, cap, n + 1, 4))
			return ts_arena_error(arena, err);
		c = &conditions[n++];
		if (take_entity(&text, &c->entity, &c->key, err) || take_op(&text, &c->op, err) || take_texts(&text, c, arena, err) ||
		    check(c, subject, err))
			return err->status;
	} while (take_word(&text, "and"));
	skip_space(&text);
	if (text.len)
		return expected(text, "AND or the end", err);
	*ret = (struct ts_tracking_filter){conditions, n};
	return TS_OK;
}

enum ts_status ts_tracking_order_read(struct ts_span text, enum ts_tracking_subject subject, struct ts_tracking_order *ret,
				      struct ts_error *err)
{
	*ret = (struct ts_tracking_order){.down = false};
	if (take_entity(&text, &ret->entity, &ret->key, err))
		return err->status;
	ret->down = take_word(&text, "desc");
	if (!ret->down)
		(void)take_word(&text, "asc");
	skip_space(&text);
	if (text.len)
		return ts_error_set(err, TS_INVALID, "Invalid order_by: ASC, DESC or the end is expected at '%s'", ts_show(text).text);
	return ret->entity != TS_TRACKING_ATTRIBUTE || is_attribute(subject, ret->key)
		       ? TS_OK
		       : ts_error_set(err, TS_INVALID, "Invalid order_by: there is no attribute '%s'", ts_show(ret->key).text);
}

/* -- values of a run -- */

struct value {
	bool there, is_number;
	double number;
	struct ts_span text;
};

static struct value text_value(struct ts_span text)
{
	return (struct value){.there = text.data != NULL, .text = text};
}

static struct value time_value(int64_t ms)
{
	return (struct value){.there = ms != TS_TRACKING_NO_TIME, .is_number = true, .number = (double)ms};
}

static struct value attribute_of(const struct ts_spool_run *run, struct ts_span key)
{
	static const char *const statuses[] = {"", "RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"};

	if (ts_span_is(key, "run_id"))
		return text_value(ts_span_str(run->id));
	if (ts_span_is(key, "status"))
		return text_value(ts_span_str(statuses[run->status]));
	if (ts_span_is(key, "start_time") || ts_span_is(key, "created") || ts_span_is(key, "Created") ||
	    ts_span_is(key, "creation_time") || ts_span_is(key, "last_update_time"))
		return time_value(run->start_ms);
	if (ts_span_is(key, "end_time"))
		return time_value(run->end_ms);
	if (ts_span_is(key, "user_id") || ts_span_is(key, "User"))
		return text_value(run->user);
	if (ts_span_is(key, "experiment_id"))
		return text_value(ts_span_str(run->experiment));
	if (ts_span_is(key, "artifact_uri"))
		return (struct value){.there = false};
	return text_value(run->name);
}

static struct value pair_of(const struct ts_tracking_pair *pairs, size_t n, struct ts_span key)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_eq(pairs[i].key, key))
			return text_value(pairs[i].value);
	return (struct value){.there = false};
}

static struct value metric_of(const struct ts_tracking_view *view, struct ts_span key)
{
	for (size_t i = 0; i < view->n_metrics; i++)
		if (ts_span_eq(view->metrics[i].key, key))
			return (struct value){.there = true, .is_number = true, .number = view->metrics[i].value};
	return (struct value){.there = false};
}

static struct value value_of(const struct ts_tracking_view *view, enum ts_tracking_entity entity, struct ts_span key)
{
	switch (entity) {
	case TS_TRACKING_ATTRIBUTE:
		return attribute_of(&view->run, key);
	case TS_TRACKING_METRIC:
		return metric_of(view, key);
	case TS_TRACKING_PARAM:
		return pair_of(view->params, view->n_params, key);
	case TS_TRACKING_TAG:
		break;
	}
	return pair_of(view->tags, view->n_tags, key);
}

/* -- comparing -- */

/* SQL's LIKE: % is any text, _ one byte. A mark and a place in the text are remembered, so that it takes no more than n * m. */
static bool is_like(struct ts_span pattern, struct ts_span text, bool any_case)
{
	size_t p = 0, t = 0, mark = SIZE_MAX, from = 0;

	while (t < text.len) {
		uint8_t c = p < pattern.len ? pattern.data[p] : 0;

		if (p < pattern.len && c == '%') {
			mark = p++;
			from = t;
		} else if (p < pattern.len && (c == '_' || c == text.data[t] || (any_case && lower(c) == lower(text.data[t])))) {
			p++;
			t++;
		} else if (mark != SIZE_MAX) {
			p = mark + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.data[p] == '%')
		p++;
	return p == pattern.len;
}

static bool is_among(const struct ts_tracking_condition *c, struct ts_span text)
{
	for (size_t i = 0; i < c->n_texts; i++)
		if (ts_span_eq(c->texts[i], text))
			return true;
	return false;
}

static bool compares(enum ts_tracking_op op, int order)
{
	/* which of below, equal and above each comparison takes */
	static const bool takes[][3] = {[TS_TRACKING_EQ] = {false, true, false}, [TS_TRACKING_NE] = {true, false, true},
					[TS_TRACKING_LT] = {true, false, false}, [TS_TRACKING_LE] = {true, true, false},
					[TS_TRACKING_GT] = {false, false, true}, [TS_TRACKING_GE] = {false, true, true}};

	return takes[op][order < 0 ? 0 : order == 0 ? 1 : 2];
}

static bool holds(const struct ts_tracking_condition *c, const struct ts_tracking_view *view)
{
	struct value v = value_of(view, c->entity, c->key);
	double number;

	if (c->op == TS_TRACKING_NULL || c->op == TS_TRACKING_NOT_NULL)
		return v.there == (c->op == TS_TRACKING_NOT_NULL);
	if (!v.there || !c->n_texts)
		return false;
	if (v.is_number) {
		if (!ts_parse_double(c->texts[0], &number) || isnan(v.number))
			return c->op == TS_TRACKING_NE;
		return compares(c->op, (v.number > number) - (v.number < number));
	}
	if (c->op == TS_TRACKING_LIKE || c->op == TS_TRACKING_ILIKE)
		return is_like(c->texts[0], v.text, c->op == TS_TRACKING_ILIKE);
	if (c->op == TS_TRACKING_IN || c->op == TS_TRACKING_NOT_IN)
		return is_among(c, v.text) == (c->op == TS_TRACKING_IN);
	return compares(c->op, ts_span_cmp(v.text, c->texts[0]));
}

bool ts_tracking_filter_holds(const struct ts_tracking_filter *filter, const struct ts_tracking_view *view)
{
	for (size_t i = 0; i < filter->n; i++)
		if (!holds(&filter->conditions[i], view))
			return false;
	return true;
}

int ts_tracking_order_cmp(const struct ts_tracking_order *order, const struct ts_tracking_view *a, const struct ts_tracking_view *b)
{
	struct value x = value_of(a, order->entity, order->key), y = value_of(b, order->entity, order->key);
	int first;

	x.there &= !(x.is_number && isnan(x.number));
	y.there &= !(y.is_number && isnan(y.number));
	if (x.there != y.there)
		return x.there ? -1 : 1;
	if (!x.there)
		return 0;
	first = x.is_number ? (x.number > y.number) - (x.number < y.number) : ts_span_cmp(x.text, y.text);
	return order->down ? -first : first;
}
