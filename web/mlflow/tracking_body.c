/* tracking_body.c - see tracking_body.h. */
#include "web/mlflow/tracking_body.h"

#include "base/grow.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/text.h"
#include "base/uri.h"

#include <math.h>

struct parsing {
	struct ts_json_reader reader;
	struct ts_buf scratch;
	struct ts_arena *arena;
	struct ts_tracking_body *body;
	bool any_real; /* of the object that is read */
	struct {
		size_t metrics, params, tags, datasets, experiment_ids, order_by;
	} caps;
	struct ts_error *err;
};

enum kind { TEXT, WHOLE, REAL, ANY /* text of a tag, or the number of a metric */ };

struct field {
	const char *key;
	enum kind kind;
	void *to;
};

/* Reads one item of a list whose first token was read. */
typedef enum ts_status take_item(struct parsing *p, const struct ts_json_token *token);

struct list {
	const char *key;
	take_item *take;
};

/* -- values -- */

static bool real_of(struct ts_span text, double *ret)
{
	if (ts_span_is(text, "NaN"))
		*ret = (double)NAN;
	else if (ts_span_is(text, "Infinity"))
		*ret = (double)INFINITY;
	else if (ts_span_is(text, "-Infinity"))
		*ret = -(double)INFINITY;
	else
		return ts_parse_double(text, ret);
	return true;
}

static bool whole_of(struct ts_span text, int64_t *ret)
{
	double real;

	if (ts_parse_i64(text, ret))
		return true;
	if (!ts_parse_double(text, &real) || !(fabs(real) < 9007199254740992.0) || real != floor(real))
		return false;
	*ret = (int64_t)real;
	return true;
}

static enum ts_status take_text(struct ts_arena *arena, struct ts_span text, struct ts_span *to, struct ts_error *err)
{
	*to = ts_arena_span(arena, text);
	return to->data ? TS_OK : ts_arena_error(arena, err);
}

static enum ts_status wrong(const struct field *field, const char *want, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "the field %s is not %s", field->key, want);
}

/* A value of which only the text is known, as of a query. */
static enum ts_status take_plain(struct ts_arena *arena, const struct field *field, struct ts_span text, struct ts_error *err)
{
	switch (field->kind) {
	case TEXT:
	case ANY:
		return take_text(arena, text, field->to, err);
	case WHOLE:
		return whole_of(text, field->to) ? TS_OK : wrong(field, "a whole number", err);
	case REAL:
		break;
	}
	return real_of(text, field->to) ? TS_OK : wrong(field, "a number", err);
}

static enum ts_status take_value(struct parsing *p, const struct field *field)
{
	struct ts_json_token t;

	if (ts_json_next(&p->reader, &t, p->err))
		return p->err->status;
	if (t.type == TS_JSON_NULL)
		return TS_OK;
	p->any_real |= field->kind == REAL;
	if (t.type == TS_JSON_STRING)
		return take_plain(p->arena, field, t.text, p->err);
	if (t.type != TS_JSON_NUMBER)
		return wrong(field, field->kind == TEXT ? "a text" : "a number", p->err);
	if (field->kind == REAL) {
		*(double *)field->to = t.number;
		return TS_OK;
	}
	if (field->kind == ANY) {
		p->body->number = t.number;
		p->body->has_number = true;
	}
	return take_plain(p->arena, field, t.raw, p->err);
}

/* -- objects and lists -- */

static enum ts_status take_list(struct parsing *p, const struct list *list)
{
	struct ts_json_token t;

	if (ts_json_next(&p->reader, &t, p->err))
		return p->err->status;
	if (t.type == TS_JSON_NULL)
		return TS_OK;
	if (t.type != TS_JSON_ARRAY)
		return ts_error_set(p->err, TS_INVALID, "the field %s is not a list", list->key);
	for (;;) {
		if (ts_json_next(&p->reader, &t, p->err))
			return p->err->status;
		if (t.type == TS_JSON_END)
			return TS_OK;
		if (list->take(p, &t))
			return p->err->status;
	}
}

/* The rest of an object whose '{' was read. */
static enum ts_status read_object(struct parsing *p, const struct field *fields, size_t n, const struct list *lists, size_t n_lists)
{
	struct ts_json_token t;

	for (;;) {
		const struct field *field = NULL;
		const struct list *list = NULL;

		if (ts_json_next(&p->reader, &t, p->err))
			return p->err->status;
		if (t.type != TS_JSON_KEY)
			return TS_OK; /* its end */
		for (size_t i = 0; !field && i < n; i++)
			if (ts_span_is(t.text, fields[i].key))
				field = &fields[i];
		for (size_t i = 0; !list && i < n_lists; i++)
			if (ts_span_is(t.text, lists[i].key))
				list = &lists[i];
		if (field ? take_value(p, field) : list ? take_list(p, list) : ts_json_skip(&p->reader, NULL, p->err))
			return p->err->status;
	}
}

static enum ts_status is_object(struct parsing *p, const struct ts_json_token *t, const char *what)
{
	return t->type == TS_JSON_OBJECT ? TS_OK : ts_error_set(p->err, TS_INVALID, "%s is not an object", what);
}

static enum ts_status too_many(struct parsing *p, int most, const char *what)
{
	return ts_error_set(p->err, TS_TOO_LARGE, "a call has at most %d %s", most, what);
}

/* Room for one more item of an array of the body, which has at most so many. */
#define MORE(p, array, cap, n, most, what)                                                                                             \
	((n) == (most)						      ? too_many((p), (most), (what))                                  \
	 : TS_GROW_IN((p)->arena, (array), (p)->caps.cap, (n) + 1, 8) ? TS_OK                                                          \
								      : ts_arena_error((p)->arena, (p)->err))

static enum ts_status take_metric(struct parsing *p, const struct ts_json_token *t)
{
	struct ts_tracking_body *b = p->body;
	struct ts_tracking_metric m = {.time_ms = TS_TRACKING_NO_TIME};
	const struct field fields[] = {
		{"key", TEXT, &m.key}, {"value", REAL, &m.value}, {"timestamp", WHOLE, &m.time_ms}, {"step", WHOLE, &m.step}};

	p->any_real = false;
	if (is_object(p, t, "a metric") || read_object(p, fields, 4, NULL, 0))
		return p->err->status;
	if (!p->any_real)
		return ts_error_set(p->err, TS_INVALID, "a metric has no value");
	if (MORE(p, b->metrics, metrics, b->n_metrics, TS_TRACKING_METRICS, "metrics"))
		return p->err->status;
	b->metrics[b->n_metrics++] = m;
	return TS_OK;
}

static enum ts_status read_pair(struct parsing *p, const struct ts_json_token *t, struct ts_tracking_pair *ret)
{
	const struct field fields[] = {{"key", TEXT, &ret->key}, {"value", TEXT, &ret->value}};

	*ret = (struct ts_tracking_pair){.value = ts_span_str("")};
	return is_object(p, t, "a param or a tag") || read_object(p, fields, 2, NULL, 0) ? p->err->status : TS_OK;
}

static enum ts_status take_param(struct parsing *p, const struct ts_json_token *t)
{
	struct ts_tracking_body *b = p->body;
	struct ts_tracking_pair pair;

	if (read_pair(p, t, &pair) || MORE(p, b->params, params, b->n_params, TS_TRACKING_PAIRS, "params"))
		return p->err->status;
	b->params[b->n_params++] = pair;
	return TS_OK;
}

static enum ts_status take_tag(struct parsing *p, const struct ts_json_token *t)
{
	struct ts_tracking_body *b = p->body;
	struct ts_tracking_pair pair;

	if (read_pair(p, t, &pair) || MORE(p, b->tags, tags, b->n_tags, TS_TRACKING_PAIRS, "tags"))
		return p->err->status;
	b->tags[b->n_tags++] = pair;
	return TS_OK;
}

static enum ts_status take_word(struct parsing *p, const struct ts_json_token *t, struct ts_span *to)
{
	if (t->type != TS_JSON_STRING && t->type != TS_JSON_NUMBER)
		return ts_error_set(p->err, TS_INVALID, "a list of texts has something else in it");
	return take_text(p->arena, t->type == TS_JSON_STRING ? t->text : t->raw, to, p->err);
}

static enum ts_status take_experiment_id(struct parsing *p, const struct ts_json_token *t)
{
	struct ts_tracking_body *b = p->body;

	return MORE(p, b->experiment_ids, experiment_ids, b->n_experiment_ids, TS_TRACKING_WORDS, "experiments") ||
			       take_word(p, t, &b->experiment_ids[b->n_experiment_ids++])
		       ? p->err->status
		       : TS_OK;
}

static enum ts_status take_order(struct parsing *p, const struct ts_json_token *t)
{
	struct ts_tracking_body *b = p->body;

	return MORE(p, b->order_by, order_by, b->n_order_by, TS_TRACKING_WORDS, "words of an order") ||
			       take_word(p, t, &b->order_by[b->n_order_by++])
		       ? p->err->status
		       : TS_OK;
}

/* {"dataset": {...}, "tags": [...]}, and the context that its tags give: training, evaluation, ... */
static enum ts_status take_context(struct parsing *p, const struct ts_json_token *t)
{
	struct ts_tracking_pair pair;

	if (read_pair(p, t, &pair))
		return p->err->status;
	if (pair.key.data && ts_span_is(pair.key, "mlflow.data.context"))
		p->body->datasets[p->body->n_datasets].context = pair.value;
	return TS_OK;
}

static enum ts_status take_dataset_object(struct parsing *p, struct ts_tracking_dataset *to)
{
	const struct field fields[] = {{"name", TEXT, &to->name},
				       {"digest", TEXT, &to->digest},
				       {"source_type", TEXT, &to->source_type},
				       {"source", TEXT, &to->source}};
	struct ts_json_token t;

	return ts_json_next(&p->reader, &t, p->err) || is_object(p, &t, "a dataset") || read_object(p, fields, 4, NULL, 0)
		       ? p->err->status
		       : TS_OK;
}

static enum ts_status take_dataset(struct parsing *p, const struct ts_json_token *t)
{
	static const struct list tags = {"tags", take_context};
	struct ts_tracking_body *b = p->body;
	struct ts_json_token key;

	if (is_object(p, t, "an input") || MORE(p, b->datasets, datasets, b->n_datasets, TS_TRACKING_DATASETS, "datasets"))
		return p->err->status;
	for (;;) {
		if (ts_json_next(&p->reader, &key, p->err))
			return p->err->status;
		if (key.type != TS_JSON_KEY)
			break;
		if (ts_span_is(key.text, "dataset") ? take_dataset_object(p, &b->datasets[b->n_datasets])
		    : ts_span_is(key.text, "tags")  ? take_list(p, &tags)
						    : ts_json_skip(&p->reader, NULL, p->err))
			return p->err->status;
	}
	b->n_datasets++;
	return TS_OK;
}

/* -- a call -- */

enum { FIELDS = 22 };

static void fields_of(struct ts_tracking_body *b, struct field ret[FIELDS])
{
	const struct field fields[FIELDS] = {{"run_id", TEXT, &b->run_id},
					     {"experiment_id", TEXT, &b->experiment_id},
					     {"name", TEXT, &b->name},
					     {"experiment_name", TEXT, &b->name},
					     {"run_name", TEXT, &b->run_name},
					     {"user_id", TEXT, &b->user_id},
					     {"status", TEXT, &b->status},
					     {"model_type", TEXT, &b->type},
					     {"source_run_id", TEXT, &b->run_id},
					     {"key", TEXT, &b->key},
					     {"value", ANY, &b->text},
					     {"filter", TEXT, &b->filter},
					     {"page_token", TEXT, &b->page_token},
					     {"metric_key", TEXT, &b->metric_key},
					     {"path", TEXT, &b->path},
					     {"run_view_type", TEXT, &b->view},
					     {"view_type", TEXT, &b->view},
					     {"start_time", WHOLE, &b->start_ms},
					     {"end_time", WHOLE, &b->end_ms},
					     {"timestamp", WHOLE, &b->time_ms},
					     {"step", WHOLE, &b->step},
					     {"max_results", WHOLE, &b->max_results}};

	memcpy(ret, fields, sizeof fields);
}

static struct ts_tracking_body nothing(void)
{
	return (struct ts_tracking_body){.start_ms = TS_TRACKING_NO_TIME,
					 .end_ms = TS_TRACKING_NO_TIME,
					 .time_ms = TS_TRACKING_NO_TIME,
					 .max_results = TS_TRACKING_NO_TIME};
}

/* A number that came as a text: "NaN". */
static void settle_number(struct ts_tracking_body *b)
{
	if (!b->has_number && b->text.data)
		b->has_number = real_of(b->text, &b->number);
}

enum ts_status ts_tracking_body_read(struct ts_span json, struct ts_arena *arena, struct ts_tracking_body *ret, struct ts_error *err)
{
	static const struct list lists[] = {{"metrics", take_metric},
					    {"params", take_param},
					    {"tags", take_tag},
					    {"datasets", take_dataset},
					    {"experiment_ids", take_experiment_id},
					    {"order_by", take_order}};
	struct parsing p = {.scratch = TS_BUF_INIT(4 << 20), .arena = arena, .body = ret, .err = err};
	struct field fields[FIELDS];
	struct ts_json_token t;
	enum ts_status status;

	*ret = nothing();
	if (!json.len)
		return TS_OK;
	fields_of(ret, fields);
	ts_json_reader_init(&p.reader, json, &p.scratch);
	status = ts_json_next(&p.reader, &t, err);
	if (!status)
		status = is_object(&p, &t, "the body");
	if (!status)
		status = read_object(&p, fields, FIELDS, lists, sizeof lists / sizeof lists[0]);
	if (!status)
		status = ts_json_next(&p.reader, &t, err);
	if (!status && t.type != TS_JSON_EOF)
		status = ts_error_set(err, TS_INVALID, "something follows the object of the body");
	ts_buf_finish(&p.scratch);
	settle_number(ret);
	return status;
}

enum ts_status ts_tracking_query_read(struct ts_span query, struct ts_arena *arena, struct ts_tracking_body *ret, struct ts_error *err)
{
	struct field fields[FIELDS];
	struct ts_span name, value;

	*ret = nothing();
	fields_of(ret, fields);
	while (ts_uri_field(&query, &name, &value)) {
		if (ts_uri_decode(name, true, arena, &name, err) || ts_uri_decode(value, true, arena, &value, err))
			return err->status;
		for (size_t i = 0; i < FIELDS; i++)
			if (ts_span_is(name, fields[i].key) && take_plain(arena, &fields[i], value, err))
				return err->status;
	}
	settle_number(ret);
	return TS_OK;
}
