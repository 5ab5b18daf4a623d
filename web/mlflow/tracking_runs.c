/* tracking_runs.c - see tracking_runs.h. */
#include "web/mlflow/tracking_runs.h"

#include "base/grow.h"
#include "base/number.h"
#include "base/text.h"
#include "web/mlflow/tracking_filter.h"

#include <stdio.h>

enum { PAGE_RUNS = 1000, PAGE_RUNS_MOST = 50000, PAGE_VALUES = 25000, ORDERS_MOST = 8 };

static const char *const status_words[] = {"", "RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"};

bool ts_tracking_status_of(struct ts_span text, enum ts_spool_status *ret)
{
	for (int i = TS_SPOOL_RUNNING; i <= TS_SPOOL_KILLED; i++)
		if (ts_span_is(text, status_words[i]) || (text.len == 1 && text.data[0] == '0' + i)) {
			*ret = (enum ts_spool_status)i;
			return true;
		}
	return false;
}

/* -- a run -- */

static void put_span(struct ts_json *j, const char *key, struct ts_span text)
{
	ts_json_key(j, key);
	ts_json_span(j, text);
}

static void put_text(struct ts_json *j, const char *key, const char *text)
{
	put_span(j, key, ts_span_str(text));
}

static void put_time(struct ts_json *j, const char *key, int64_t ms)
{
	if (ms == TS_TRACKING_NO_TIME)
		return;
	ts_json_key(j, key);
	ts_json_i64(j, ms);
}

void ts_tracking_put_info(const struct ts_spool_run *run, struct ts_json *j)
{
	char uri[2 * TS_SPOOL_ID + 40];

	(void)snprintf(uri, sizeof uri, "mlflow-artifacts:/%s/%s/artifacts", run->experiment, run->id);
	ts_json_object(j);
	put_text(j, "run_id", run->id);
	put_text(j, "run_uuid", run->id);
	put_span(j, "run_name", run->name);
	put_text(j, "experiment_id", run->experiment);
	put_span(j, "user_id", run->user);
	put_text(j, "status", status_words[run->status]);
	put_time(j, "start_time", run->start_ms);
	put_time(j, "end_time", run->end_ms);
	put_text(j, "artifact_uri", uri);
	put_text(j, "lifecycle_stage", run->deleted ? "deleted" : "active");
	ts_json_end(j);
}

static void put_metrics(struct ts_json *j, const struct ts_tracking_metric *metrics, size_t n)
{
	ts_json_key(j, "metrics");
	ts_json_array(j);
	for (size_t i = 0; i < n; i++) {
		ts_json_object(j);
		put_span(j, "key", metrics[i].key);
		ts_json_key(j, "value");
		ts_json_double(j, metrics[i].value);
		put_time(j, "timestamp", metrics[i].time_ms);
		ts_json_key(j, "step");
		ts_json_i64(j, metrics[i].step);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static bool is_dataset(const struct ts_tracking_pair *tag)
{
	return ts_span_starts(tag->key, ts_span_str(TS_TRACKING_DATASET_TAG));
}

static void put_pairs(struct ts_json *j, const char *key, const struct ts_tracking_pair *pairs, size_t n)
{
	ts_json_key(j, key);
	ts_json_array(j);
	for (size_t i = 0; i < n; i++) {
		if (is_dataset(&pairs[i]))
			continue;
		ts_json_object(j);
		put_span(j, "key", pairs[i].key);
		put_span(j, "value", pairs[i].value);
		ts_json_end(j);
	}
	ts_json_end(j);
}

/* What log-inputs kept as a tag is an object of these members. */
static enum ts_status put_dataset(struct ts_json *j, struct ts_span text, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_tracking_body body;

	if (ts_tracking_body_read(text, arena, &body, err))
		return err->status == TS_NO_MEMORY ? err->status : TS_OK;
	for (size_t i = 0; i < body.n_datasets; i++) {
		const struct ts_tracking_dataset *d = &body.datasets[i];

		ts_json_object(j);
		ts_json_key(j, "dataset");
		ts_json_object(j);
		put_span(j, "name", d->name);
		put_span(j, "digest", d->digest);
		put_span(j, "source_type", d->source_type);
		put_span(j, "source", d->source);
		ts_json_end(j);
		ts_json_key(j, "tags");
		ts_json_array(j);
		if (d->context.len) {
			ts_json_object(j);
			put_text(j, "key", "mlflow.data.context");
			put_span(j, "value", d->context);
			ts_json_end(j);
		}
		ts_json_end(j);
		ts_json_end(j);
	}
	return TS_OK;
}

static enum ts_status load(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_arena *arena, struct ts_tracking_view *ret,
			   struct ts_error *err)
{
	ret->run = *run;
	return ts_spool_latest(spool, run, arena, &ret->metrics, &ret->n_metrics, err) ||
			       ts_spool_pairs(spool, run, "params", arena, &ret->params, &ret->n_params, err) ||
			       ts_spool_pairs(spool, run, "tags", arena, &ret->tags, &ret->n_tags, err)
		       ? err->status
		       : TS_OK;
}

static enum ts_status put_view(const struct ts_tracking_view *v, struct ts_json *j, struct ts_arena *arena, struct ts_error *err)
{
	ts_json_object(j);
	ts_json_key(j, "info");
	ts_tracking_put_info(&v->run, j);
	ts_json_key(j, "data");
	ts_json_object(j);
	put_metrics(j, v->metrics, v->n_metrics);
	put_pairs(j, "params", v->params, v->n_params);
	put_pairs(j, "tags", v->tags, v->n_tags);
	ts_json_end(j);
	ts_json_key(j, "inputs");
	ts_json_object(j);
	ts_json_key(j, "dataset_inputs");
	ts_json_array(j);
	for (size_t i = 0; i < v->n_tags; i++)
		if (is_dataset(&v->tags[i]) && put_dataset(j, v->tags[i].value, arena, err))
			return err->status;
	ts_json_end(j);
	ts_json_end(j);
	ts_json_end(j);
	return TS_OK;
}

enum ts_status ts_tracking_put_run(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_json *j, struct ts_arena *arena,
				   struct ts_error *err)
{
	struct ts_tracking_view view;

	return load(spool, run, arena, &view, err) ? err->status : put_view(&view, j, arena, err);
}

/* -- pages -- */

enum ts_status ts_tracking_page(const struct ts_tracking_body *body, size_t n, size_t most, size_t *ret_from, size_t *ret_to,
				struct ts_error *err)
{
	uint64_t from = 0, wanted = most;

	if (body->page_token.len && !ts_parse_u64(body->page_token, &from))
		return ts_error_set(err, TS_INVALID, "Invalid page token '%s'", ts_show(body->page_token).text);
	if (body->max_results != TS_TRACKING_NO_TIME) {
		if (body->max_results < 0)
			return ts_error_set(err, TS_INVALID, "max_results is below 0");
		wanted = (uint64_t)body->max_results < most ? (uint64_t)body->max_results : most;
	}
	*ret_from = from < n ? (size_t)from : n;
	*ret_to = n - *ret_from < wanted ? n : *ret_from + (size_t)wanted;
	return TS_OK;
}

void ts_tracking_put_next(struct ts_json *j, size_t to, size_t n)
{
	char token[32];

	if (to >= n)
		return;
	(void)snprintf(token, sizeof token, "%zu", to);
	put_text(j, "next_page_token", token);
}

/* -- searches -- */

struct search {
	struct ts_tracking_filter filter;
	struct ts_tracking_order orders[ORDERS_MOST];
	size_t n_orders;
	bool active, deleted;
	struct ts_tracking_view **found;
	size_t n, cap;
};

static enum ts_status read_search(const struct ts_tracking_body *body, enum ts_tracking_subject subject, struct ts_arena *arena,
				  struct search *s, struct ts_error *err)
{
	*s = (struct search){.active = true};
	if (ts_span_is(body->view, "DELETED_ONLY") || ts_span_is(body->view, "2"))
		*s = (struct search){.deleted = true};
	else if (ts_span_is(body->view, "ALL") || ts_span_is(body->view, "3"))
		s->deleted = true;
	if (ts_tracking_filter_read(body->filter, subject, arena, &s->filter, err))
		return err->status;
	if (body->n_order_by > ORDERS_MOST)
		return ts_error_set(err, TS_INVALID, "order_by has more than %d parts", ORDERS_MOST);
	for (size_t i = 0; i < body->n_order_by; i++)
		if (ts_tracking_order_read(body->order_by[i], subject, &s->orders[s->n_orders++], err))
			return err->status;
	return TS_OK;
}

static enum ts_status look_at(struct ts_spool *spool, const char *id, struct search *s, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_tracking_view *view = ts_arena_array(arena, 1, sizeof *view);
	struct ts_spool_run run;

	if (!view)
		return ts_arena_error(arena, err);
	if (ts_spool_run(spool, ts_span_str(id), arena, &run, err))
		return err->status;
	if (run.deleted ? !s->deleted : !s->active)
		return TS_OK;
	if (load(spool, &run, arena, view, err))
		return err->status;
	if (!ts_tracking_filter_holds(&s->filter, view))
		return TS_OK;
	if (!TS_GROW_IN(arena, s->found, s->cap, s->n + 1, 64))
		return ts_arena_error(arena, err);
	s->found[s->n++] = view;
	return TS_OK;
}

/* Without an order, and behind one: the newest first, then by id, as MLflow does. */
static bool is_before(const struct search *s, const struct ts_tracking_view *a, const struct ts_tracking_view *b)
{
	for (size_t i = 0; i < s->n_orders; i++) {
		int order = ts_tracking_order_cmp(&s->orders[i], a, b);

		if (order)
			return order < 0;
	}
	if (a->run.start_ms != b->run.start_ms)
		return a->run.start_ms > b->run.start_ms;
	return strcmp(a->run.id, b->run.id) < 0;
}

/* A merge of halves: qsort has no place for the order that the client asked for. */
static void sort(const struct search *s, struct ts_tracking_view **views, struct ts_tracking_view **room, size_t n)
{
	size_t half = n / 2;

	if (n < 2)
		return;
	sort(s, views, room, half);
	sort(s, views + half, room, n - half);
	memcpy(room, views, n * sizeof *views);
	for (size_t i = 0, j = half, k = 0; k < n; k++)
		views[k] = i < half && (j == n || !is_before(s, room[j], room[i])) ? room[i++] : room[j++];
}

enum ts_status ts_tracking_search(struct ts_spool *spool, const struct ts_tracking_body *body, struct ts_json *j,
				  struct ts_arena *arena, struct ts_error *err)
{
	struct ts_tracking_view **room;
	struct ts_tracking_body page = *body;
	size_t from, to;
	struct search s;

	if (read_search(body, TS_TRACKING_RUNS, arena, &s, err))
		return err->status;
	for (size_t i = 0; i < body->n_experiment_ids; i++) {
		char experiment[TS_SPOOL_ID];
		const char **ids;
		size_t n;

		(void)snprintf(experiment, sizeof experiment, "%.*s", TS_SPAN_ARG(body->experiment_ids[i]));
		if (ts_spool_runs(spool, experiment, arena, &ids, &n, err))
			return err->status;
		for (size_t k = 0; k < n; k++)
			if (look_at(spool, ids[k], &s, arena, err))
				return err->status;
	}
	room = ts_arena_array(arena, s.n + 1, sizeof *room);
	if (!room)
		return ts_arena_error(arena, err);
	sort(&s, s.found, room, s.n);
	if (page.max_results == TS_TRACKING_NO_TIME)
		page.max_results = PAGE_RUNS;
	if (ts_tracking_page(&page, s.n, PAGE_RUNS_MOST, &from, &to, err))
		return err->status;
	ts_json_key(j, "runs");
	ts_json_array(j);
	for (size_t i = from; i < to; i++)
		if (put_view(s.found[i], j, arena, err))
			return err->status;
	ts_json_end(j);
	ts_tracking_put_next(j, to, s.n);
	return TS_OK;
}

enum ts_status ts_tracking_find_experiments(struct ts_spool *spool, const struct ts_tracking_body *body, struct ts_arena *arena,
					    struct ts_spool_experiment **ret, size_t *ret_n, struct ts_error *err)
{
	struct ts_tracking_view *views, **found, **room;
	struct ts_spool_experiment *all, *sorted;
	struct search s;
	size_t n;

	if (read_search(body, TS_TRACKING_EXPERIMENTS, arena, &s, err) || ts_spool_experiments(spool, arena, &all, &n, err))
		return err->status;
	if (!s.active)
		n = 0; /* none is ever deleted */
	views = ts_arena_array(arena, n + 1, sizeof *views);
	found = ts_arena_array(arena, n + 1, sizeof(struct ts_tracking_view *));
	room = ts_arena_array(arena, n + 1, sizeof(struct ts_tracking_view *));
	sorted = ts_arena_array(arena, n + 1, sizeof *sorted);
	if (!views || !found || !room || !sorted)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		views[i] = (struct ts_tracking_view){.run = {.name = ts_span_str(all[i].name), .start_ms = all[i].created_ms}};
		memcpy(views[i].run.experiment, all[i].id, sizeof all[i].id);
		if (ts_tracking_filter_holds(&s.filter, &views[i]))
			found[s.n++] = &views[i];
	}
	sort(&s, found, room, s.n);
	for (size_t i = 0; i < s.n; i++)
		sorted[i] = all[found[i] - views];
	*ret = sorted;
	*ret_n = s.n;
	return TS_OK;
}

enum ts_status ts_tracking_history(struct ts_spool *spool, const struct ts_spool_run *run, const struct ts_tracking_body *body,
				   struct ts_json *j, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_tracking_metric *metrics;
	size_t n, from, to;

	if (ts_spool_history(spool, run, body->metric_key, arena, &metrics, &n, err) ||
	    ts_tracking_page(body, n, PAGE_VALUES, &from, &to, err))
		return err->status;
	put_metrics(j, metrics ? metrics + from : NULL, to - from);
	ts_tracking_put_next(j, to, n);
	return TS_OK;
}
