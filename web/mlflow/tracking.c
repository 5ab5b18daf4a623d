/* tracking.c - see tracking.h: the calls, each by its address, and the errors that MLflow knows. */
#include "web/mlflow/tracking.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "base/uri.h"
#include "web/mlflow/tracking_key.h"
#include "web/mlflow/tracking_models.h"
#include "web/mlflow/tracking_push.h"
#include "web/mlflow/tracking_runs.h"

#include <pthread.h>
#include <stdio.h>

enum { EXPERIMENTS_MOST = 50000, NAME_MOST = 500, PARAM_MOST = 6000, TAG_MOST = 8000, SOURCE_MOST = 4096 };

struct ts_tracking {
	struct ts_tracking_wanted wanted;
	pthread_mutex_t lock;	/* while the spool is opened */
	struct ts_spool *spool; /* NULL: no client came yet */
	struct ts_tracking_push *push;
};

/* A call that is answered: what it says, and where the answer goes. */
struct call {
	struct ts_tracking *tracking;
	struct ts_spool *spool;
	struct ts_tracking_body body;
	struct ts_arena *arena;
	struct ts_json json;
};

typedef enum ts_status answer_fn(struct call *c, struct ts_error *err);

static int64_t now_ms(void)
{
	return ts_now_real_ns() / 1000000;
}

static enum ts_status missing(const char *field, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "Missing value for required parameter '%s'.", field);
}

static enum ts_status no_such_call(struct ts_span path, struct ts_error *err)
{
	return ts_error_set(err, TS_UNSUPPORTED,
			    "tscope does not serve %s; it takes runs, their metrics, params, tags, datasets and artifacts",
			    ts_show(path).text);
}

/* -- experiments -- */

static void put_text(struct ts_json *j, const char *key, const char *text)
{
	ts_json_key(j, key);
	ts_json_string(j, text);
}

static void put_experiment(struct ts_json *j, const struct ts_spool_experiment *e)
{
	char place[TS_SPOOL_ID + 32];

	(void)snprintf(place, sizeof place, "mlflow-artifacts:/%s", e->id);
	ts_json_object(j);
	put_text(j, "experiment_id", e->id);
	put_text(j, "name", e->name);
	put_text(j, "artifact_location", place);
	put_text(j, "lifecycle_stage", "active");
	if (e->created_ms != TS_TRACKING_NO_TIME) {
		ts_json_key(j, "creation_time");
		ts_json_i64(j, e->created_ms);
		ts_json_key(j, "last_update_time");
		ts_json_i64(j, e->created_ms);
	}
	ts_json_end(j);
}

static enum ts_status create_experiment(struct call *c, struct ts_error *err)
{
	struct ts_spool_experiment e;

	if (!c->body.name.len)
		return missing("name", err);
	if (c->body.name.len > NAME_MOST)
		return ts_error_set(err, TS_INVALID, "the name of an experiment has at most %d bytes", NAME_MOST);
	if (ts_spool_make_experiment(c->spool, c->body.name, now_ms(), &e, err))
		return err->status;
	put_text(&c->json, "experiment_id", e.id);
	return TS_OK;
}

static enum ts_status one_experiment(struct call *c, struct ts_span id, struct ts_span name, struct ts_error *err)
{
	struct ts_spool_experiment e;

	if (ts_spool_experiment(c->spool, id, name, &e, err))
		return err->status;
	ts_json_key(&c->json, "experiment");
	put_experiment(&c->json, &e);
	return TS_OK;
}

static enum ts_status get_experiment(struct call *c, struct ts_error *err)
{
	return c->body.experiment_id.len ? one_experiment(c, c->body.experiment_id, ts_span_of("", 0), err)
					 : missing("experiment_id", err);
}

static enum ts_status get_experiment_by_name(struct call *c, struct ts_error *err)
{
	return c->body.name.len ? one_experiment(c, ts_span_of("", 0), c->body.name, err) : missing("experiment_name", err);
}

static enum ts_status search_experiments(struct call *c, struct ts_error *err)
{
	struct ts_spool_experiment *all;
	size_t n, from, to;

	if (ts_tracking_find_experiments(c->spool, &c->body, c->arena, &all, &n, err) ||
	    ts_tracking_page(&c->body, n, EXPERIMENTS_MOST, &from, &to, err))
		return err->status;
	ts_json_key(&c->json, "experiments");
	ts_json_array(&c->json);
	for (size_t i = from; i < to; i++)
		put_experiment(&c->json, &all[i]);
	ts_json_end(&c->json);
	ts_tracking_put_next(&c->json, to, n);
	return TS_OK;
}

/* -- what runs log -- */

static enum ts_status find_run(struct call *c, struct ts_spool_run *ret, struct ts_error *err)
{
	if (!c->body.run_id.len)
		return missing("run_id", err);
	return ts_spool_run(c->spool, c->body.run_id, c->arena, ret, err);
}

/* A run that takes values: one that is deleted takes none. */
static enum ts_status find_active(struct call *c, struct ts_spool_run *ret, struct ts_error *err)
{
	if (find_run(c, ret, err))
		return err->status;
	return ret->deleted
		       ? ts_error_set(err, TS_INVALID, "The run %s must be in the 'active' state. Current state is deleted.", ret->id)
		       : TS_OK;
}

static enum ts_status check_metrics(struct ts_tracking_metric *metrics, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (ts_tracking_key_check(metrics[i].key, "metric", err))
			return err->status;
		if (metrics[i].time_ms == TS_TRACKING_NO_TIME)
			metrics[i].time_ms = now_ms();
	}
	return TS_OK;
}

static enum ts_status check_pairs(const struct ts_tracking_pair *pairs, size_t n, const char *what, size_t most, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (ts_tracking_key_check(pairs[i].key, what, err))
			return err->status;
		if (pairs[i].value.len > most)
			return ts_error_set(err, TS_INVALID, "the value of the %s '%s' has %zu bytes, and at most %zu are kept", what,
					    ts_show(pairs[i].key).text, pairs[i].value.len, most);
		if (ts_span_starts(pairs[i].key, ts_span_str("tscope.")))
			return ts_error_set(err, TS_INVALID, "names that begin with 'tscope.' are tscope's own");
	}
	return TS_OK;
}

static enum ts_status put_tags(struct call *c, const struct ts_spool_run *run, const struct ts_tracking_pair *tags, size_t n,
			       struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (ts_spool_put_tag(c->spool, run, tags[i].key, tags[i].value, err))
			return err->status;
	return TS_OK;
}

/* All of it is looked at before any of it is written. */
static enum ts_status log_batch(struct call *c, struct ts_error *err)
{
	struct ts_tracking_body *b = &c->body;
	struct ts_spool_run run;

	if (find_active(c, &run, err) || check_metrics(b->metrics, b->n_metrics, err) ||
	    check_pairs(b->params, b->n_params, "param", PARAM_MOST, err) || check_pairs(b->tags, b->n_tags, "tag", TAG_MOST, err))
		return err->status;
	for (size_t i = 0; i < b->n_params; i++)
		if (ts_spool_put_param(c->spool, &run, b->params[i].key, b->params[i].value, err))
			return err->status;
	return put_tags(c, &run, b->tags, b->n_tags, err) || ts_spool_add_metrics(c->spool, &run, b->metrics, b->n_metrics, err)
		       ? err->status
		       : TS_OK;
}

static enum ts_status log_metric(struct call *c, struct ts_error *err)
{
	struct ts_tracking_metric m = {c->body.key, c->body.number, c->body.time_ms, c->body.step};

	if (!c->body.has_number)
		return missing("value", err);
	c->body.metrics = &m;
	c->body.n_metrics = 1;
	return log_batch(c, err);
}

static enum ts_status log_param(struct call *c, struct ts_error *err)
{
	struct ts_tracking_pair p = {c->body.key, c->body.text};

	if (!p.value.data)
		p.value = ts_span_of("", 0);
	c->body.params = &p;
	c->body.n_params = 1;
	return log_batch(c, err);
}

/* The name of a run stands in a tag, too, and both stay the same. */
static enum ts_status rename_by_tag(struct call *c, struct ts_error *err)
{
	struct ts_spool_run run;
	enum ts_status status;

	if (!ts_span_is(c->body.key, "mlflow.runName"))
		return TS_OK;
	ts_spool_hold(c->spool);
	status = find_active(c, &run, err);
	run.name = c->body.text;
	if (!status)
		status = ts_spool_change_run(c->spool, &run, err);
	ts_spool_let(c->spool);
	return status;
}

static enum ts_status set_tag(struct call *c, struct ts_error *err)
{
	struct ts_tracking_pair p = {c->body.key, c->body.text};

	if (!p.value.data)
		p.value = c->body.text = ts_span_of("", 0);
	c->body.tags = &p;
	c->body.n_tags = 1;
	return log_batch(c, err) || rename_by_tag(c, err) ? err->status : TS_OK;
}

static enum ts_status delete_tag(struct call *c, struct ts_error *err)
{
	struct ts_tracking_pair p = {c->body.key, ts_span_of("", 0)};
	struct ts_spool_run run;

	return find_active(c, &run, err) || check_pairs(&p, 1, "tag", TAG_MOST, err) || ts_spool_drop_tag(c->spool, &run, p.key, err)
		       ? err->status
		       : TS_OK;
}

/* A dataset is a tag, and so a fact of the run: its name in the key, and its digest and where it came from in the value. */
static enum ts_status put_dataset(struct call *c, const struct ts_spool_run *run, const struct ts_tracking_dataset *d,
				  struct ts_error *err)
{
	struct ts_buf value = TS_BUF_INIT(64 << 10);
	struct ts_json j = ts_json_of(&value);
	char *key = ts_arena_printf(c->arena, TS_TRACKING_DATASET_TAG "%.*s", TS_SPAN_ARG(ts_utf8_cut(d->name, 100)));
	const struct ts_tracking_pair texts[] = {{ts_span_str("name"), d->name},
						 {ts_span_str("digest"), d->digest},
						 {ts_span_str("source_type"), d->source_type},
						 {ts_span_str("source"), ts_utf8_cut(d->source, SOURCE_MOST)}};
	enum ts_status status;

	if (!key)
		return ts_arena_error(c->arena, err);
	for (char *at = key; *at; at++)
		if (!((unsigned char)*at >= 0x80 || ts_is_alnum((unsigned char)*at) || strchr("_-. :", *at)))
			*at = '_';
	ts_json_object(&j);
	ts_json_key(&j, "datasets");
	ts_json_array(&j);
	ts_json_object(&j);
	ts_json_key(&j, "dataset");
	ts_json_object(&j);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		ts_json_key_span(&j, texts[i].key);
		ts_json_span(&j, texts[i].value);
	}
	ts_json_end(&j);
	ts_json_key(&j, "tags");
	ts_json_array(&j);
	if (d->context.len) {
		ts_json_object(&j);
		put_text(&j, "key", "mlflow.data.context");
		ts_json_key(&j, "value");
		ts_json_span(&j, d->context);
		ts_json_end(&j);
	}
	ts_json_end(&j);
	ts_json_end(&j);
	ts_json_end(&j);
	ts_json_end(&j);
	status = ts_buf_check(&value, err);
	if (!status)
		status = ts_spool_put_tag(c->spool, run, ts_span_str(key), ts_buf_view(&value), err);
	ts_buf_finish(&value);
	return status;
}

static enum ts_status log_inputs(struct call *c, struct ts_error *err)
{
	struct ts_spool_run run;

	if (find_active(c, &run, err))
		return err->status;
	for (size_t i = 0; i < c->body.n_datasets; i++)
		if (put_dataset(c, &run, &c->body.datasets[i], err))
			return err->status;
	return TS_OK;
}

/* -- runs -- */

static struct ts_span tag_of(const struct call *c, const char *key)
{
	for (size_t i = 0; i < c->body.n_tags; i++)
		if (ts_span_is(c->body.tags[i].key, key))
			return c->body.tags[i].value;
	return ts_span_of("", 0);
}

static enum ts_status answer_run(struct call *c, const struct ts_spool_run *run, struct ts_error *err)
{
	ts_json_key(&c->json, "run");
	return ts_tracking_put_run(c->spool, run, &c->json, c->arena, err);
}

static enum ts_status name_run(struct call *c, const struct ts_spool_experiment *e, const struct ts_spool_run *run,
			       const char **ret_name, struct ts_error *err)
{
	const struct ts_tracking_wanted *w = &c->tracking->wanted;

	*ret_name = w->name(w->ctx, w->token, ts_span_str(e->name), run->name, run->id, c->arena);
	if (!*ret_name)
		return ts_arena_error(c->arena, err);
	return ts_spool_put_tag(c->spool, run, ts_span_str(TS_TRACKING_NAME_TAG), ts_span_str(*ret_name), err);
}

/* Whoever may not store it is told now, and not when it has trained. */
static enum ts_status push_first(struct call *c, struct ts_spool_run *run, struct ts_error *err)
{
	enum ts_status status = ts_tracking_push_now(c->tracking->push, run->id, err);

	if (status != TS_DENIED && status != TS_TOO_LARGE && status != TS_NOT_FOUND)
		return TS_OK; /* it is tried again */
	run->deleted = true;
	{
		struct ts_error other;

		(void)ts_spool_change_run(c->spool, run, &other);
	}
	return status;
}

static enum ts_status create_run(struct call *c, struct ts_error *err)
{
	const struct ts_tracking_body *b = &c->body;
	struct ts_spool_experiment e;
	struct ts_span zero = ts_span_str("0");
	struct ts_spool_run run = {.status = TS_SPOOL_RUNNING, .start_ms = b->start_ms, .end_ms = TS_TRACKING_NO_TIME};
	const char *name;

	if (ts_spool_experiment(c->spool, b->experiment_id.len ? b->experiment_id : zero, ts_span_of("", 0), &e, err) ||
	    check_pairs(b->tags, b->n_tags, "tag", TAG_MOST, err))
		return err->status;
	memcpy(run.experiment, e.id, sizeof run.experiment);
	run.name = b->run_name.len ? b->run_name : tag_of(c, "mlflow.runName");
	run.user = b->user_id.len ? b->user_id : tag_of(c, "mlflow.user");
	if (run.start_ms == TS_TRACKING_NO_TIME)
		run.start_ms = now_ms();
	if (!run.name.len)
		run.name = ts_span_str("run");
	if (run.name.len > NAME_MOST)
		return ts_error_set(err, TS_INVALID, "the name of a run has at most %d bytes", NAME_MOST);
	if (ts_spool_make_run(c->spool, &run, err) || put_tags(c, &run, b->tags, b->n_tags, err) ||
	    ts_spool_put_tag(c->spool, &run, ts_span_str("mlflow.runName"), run.name, err) || name_run(c, &e, &run, &name, err) ||
	    push_first(c, &run, err))
		return err->status;
	return answer_run(c, &run, err);
}

static enum ts_status get_run(struct call *c, struct ts_error *err)
{
	struct ts_spool_run run;

	return find_run(c, &run, err) ? err->status : answer_run(c, &run, err);
}

static enum ts_status change_run(struct call *c, struct ts_spool_run *run, struct ts_error *err)
{
	const struct ts_tracking_body *b = &c->body;

	if (find_active(c, run, err))
		return err->status;
	if (b->status.len && !ts_tracking_status_of(b->status, &run->status))
		return ts_error_set(err, TS_INVALID, "'%s' is no status of a run", ts_show(b->status).text);
	if (b->end_ms != TS_TRACKING_NO_TIME)
		run->end_ms = b->end_ms;
	else if (b->status.len && run->status == TS_SPOOL_RUNNING) /* it is resumed */
		run->end_ms = TS_TRACKING_NO_TIME;
	if (b->run_name.len > NAME_MOST)
		return ts_error_set(err, TS_INVALID, "the name of a run has at most %d bytes", NAME_MOST);
	if (b->run_name.len) {
		run->name = b->run_name;
		if (ts_spool_put_tag(c->spool, run, ts_span_str("mlflow.runName"), run->name, err))
			return err->status;
	}
	return ts_spool_change_run(c->spool, run, err);
}

static enum ts_status update_run(struct call *c, struct ts_error *err)
{
	struct ts_spool_run run;
	enum ts_status status;

	ts_spool_hold(c->spool);
	status = change_run(c, &run, err);
	ts_spool_let(c->spool);
	if (status)
		return status;
	if (run.status >= TS_SPOOL_FINISHED)
		ts_tracking_push_soon(c->tracking->push, run.id);
	ts_json_key(&c->json, "run_info");
	ts_tracking_put_info(&run, &c->json);
	return TS_OK;
}

/* Changes meanwhile, such as of its state, stay. */
static enum ts_status mark_deleted(struct call *c, bool deleted, struct ts_error *err)
{
	struct ts_spool_run run;
	enum ts_status status;

	ts_spool_hold(c->spool);
	status = find_run(c, &run, err);
	run.deleted = deleted;
	if (!status)
		status = ts_spool_change_run(c->spool, &run, err);
	ts_spool_let(c->spool);
	return status;
}

static enum ts_status set_deleted(struct call *c, bool deleted, struct ts_error *err)
{
	const struct ts_tracking_wanted *w = &c->tracking->wanted;
	struct ts_spool_run run;
	struct ts_span name;

	if (find_run(c, &run, err) || ts_spool_tag(c->spool, &run, TS_TRACKING_NAME_TAG, c->arena, &name, err))
		return err->status;
	if (run.deleted == deleted)
		return TS_OK;
	if (deleted) /* what was logged a moment ago, so that whoever puts the name back has it */
		(void)ts_tracking_push_now(c->tracking->push, run.id, err);
	if (name.len && w->remove(w->ctx, w->token, (const char *)name.data, !deleted, err) && err->status != TS_NOT_FOUND)
		return err->status;
	return mark_deleted(c, deleted, err);
}

static enum ts_status delete_run(struct call *c, struct ts_error *err)
{
	return set_deleted(c, true, err);
}

static enum ts_status restore_run(struct call *c, struct ts_error *err)
{
	return set_deleted(c, false, err);
}

static enum ts_status search_runs(struct call *c, struct ts_error *err)
{
	return ts_tracking_search(c->spool, &c->body, &c->json, c->arena, err);
}

/* By its name alone the client looks for a model while it lists the artifacts of a run, among which those of its models are already.
 * Who searches otherwise is told that nothing was searched. */
static enum ts_status search_models(struct call *c, struct ts_error *err)
{
	struct ts_span filter = ts_trim(c->body.filter);

	if ((!ts_span_skip(&filter, "name = '") && !ts_span_skip(&filter, "name='")) || !filter.len ||
	    memchr(filter.data, '\'', filter.len) != filter.data + filter.len - 1)
		return ts_error_set(err, TS_UNSUPPORTED,
				    "tscope does not search models; a model is among the artifacts of its run, and is had by its id");
	ts_json_key(&c->json, "models");
	ts_json_array(&c->json);
	ts_json_end(&c->json);
	return TS_OK;
}

static enum ts_status create_model(struct call *c, struct ts_error *err)
{
	return ts_tracking_model_create(c->spool, &c->body, now_ms(), &c->json, c->arena, err);
}

/* Each model says its run itself. */
static enum ts_status log_outputs(struct call *c, struct ts_error *err)
{
	struct ts_spool_run run;

	return find_active(c, &run, err);
}

/* "ID", "ID/params" or "ID/tags". */
static enum ts_status answer_model(struct call *c, const struct ts_tracking_call *call, struct ts_span path, struct ts_error *err)
{
	struct ts_span id = path.len ? ts_span_through(path, '/') : path, rest = ts_span_from(path, id.len);
	bool post = call->method == TS_TRACKING_POST, patch = call->method == TS_TRACKING_PATCH;
	enum ts_status status;

	if (id.len)
		id.len--;
	else
		id = path, rest = ts_span_of("", 0);
	if (!rest.len && call->method == TS_TRACKING_GET)
		return ts_tracking_model_get(c->spool, id, &c->json, c->arena, err);
	if (!(!rest.len && patch) && !(ts_span_is(rest, "params") && post) && !(ts_span_is(rest, "tags") && (post || patch)))
		return no_such_call(call->path, err);
	ts_spool_hold(c->spool);
	status = ts_tracking_model_change(c->spool, id, &c->body, now_ms(), &c->json, c->arena, err);
	ts_spool_let(c->spool);
	return status;
}

static enum ts_status get_history(struct call *c, struct ts_error *err)
{
	struct ts_spool_run run;

	if (find_run(c, &run, err))
		return err->status;
	return ts_tracking_key_check(c->body.metric_key, "metric", err)
		       ? err->status
		       : ts_tracking_history(c->spool, &run, &c->body, &c->json, c->arena, err);
}

/* -- artifacts -- */

static enum ts_status list_artifacts(struct call *c, const struct ts_spool_run *run, struct ts_span path, bool whole_paths,
				     struct ts_error *err)
{
	struct ts_spool_file *files;
	size_t n;

	if (ts_spool_list_artifacts(c->spool, run, path, c->arena, &files, &n, err))
		return err->status;
	ts_json_key(&c->json, "files");
	ts_json_array(&c->json);
	for (size_t i = 0; i < n; i++) {
		const char *name = !whole_paths || !path.len ? files[i].name
							     : ts_arena_printf(c->arena, "%.*s/%s", TS_SPAN_ARG(path), files[i].name);

		ts_json_object(&c->json);
		put_text(&c->json, "path", name);
		ts_json_key(&c->json, "is_dir");
		ts_json_bool(&c->json, files[i].folder);
		if (!files[i].folder) {
			ts_json_key(&c->json, "file_size");
			ts_json_u64(&c->json, files[i].size);
		}
		ts_json_end(&c->json);
	}
	ts_json_end(&c->json);
	return ts_arena_check(c->arena, err);
}

/* artifacts/list of a run. */
static enum ts_status list_of_run(struct call *c, struct ts_error *err)
{
	struct ts_spool_run run;

	if (find_run(c, &run, err))
		return err->status;
	put_text(&c->json, "root_uri", ts_arena_phrase(c->arena, "mlflow-artifacts:/%s/%s/artifacts", run.experiment, run.id));
	return list_artifacts(c, &run, c->body.path, true, err);
}

/* "EXPERIMENT/RUN/artifacts/PATH": the run, and the path. */
static enum ts_status artifact_of(struct call *c, struct ts_span path, struct ts_spool_run *ret_run, struct ts_span *ret_path,
				  struct ts_error *err)
{
	struct ts_span experiment = ts_span_through(path, '/'), rest = ts_span_from(path, experiment.len);
	struct ts_span id = ts_span_through(rest, '/');

	rest = ts_span_from(rest, id.len);
	if (!experiment.len || !id.len || (!ts_span_skip(&rest, "artifacts/") && !ts_span_is(rest, "artifacts")))
		return ts_error_set(err, TS_NOT_FOUND, "artifacts lie at EXPERIMENT/RUN/artifacts/PATH");
	if (ts_span_is(rest, "artifacts"))
		rest = ts_span_of("", 0);
	*ret_path = rest;
	if (ts_spool_run(c->spool, ts_span_part(id, 0, id.len - 1), c->arena, ret_run, err))
		return err->status;
	return ts_span_eq(ts_span_part(experiment, 0, experiment.len - 1), ts_span_str(ret_run->experiment))
		       ? TS_OK
		       : ts_error_set(err, TS_NOT_FOUND, "the run is of another experiment");
}

static const char artifacts_begin[] = "/api/2.0/mlflow-artifacts/artifacts";

static enum ts_status answer_artifact(struct call *c, const struct ts_tracking_call *call, struct ts_tracking_reply *reply,
				      struct ts_error *err)
{
	struct ts_span path = ts_span_from(call->path, strlen(artifacts_begin)), inside;
	struct ts_spool_run run;

	if (!path.len) {
		if (call->method != TS_TRACKING_GET)
			return ts_error_set(err, TS_UNSUPPORTED, "artifacts are put one by one");
		return artifact_of(c, c->body.path, &run, &inside, err) || list_artifacts(c, &run, inside, false, err) ? err->status
														       : TS_OK;
	}
	if (path.data[0] != '/' || ts_uri_decode(ts_span_from(path, 1), false, c->arena, &path, err))
		return path.data[0] != '/' ? ts_error_set(err, TS_UNSUPPORTED, "there is no such call") : err->status;
	if (artifact_of(c, path, &run, &inside, err))
		return err->status;
	if (call->method == TS_TRACKING_PUT)
		return run.deleted ? ts_error_set(err, TS_INVALID, "the run is deleted")
				   : ts_spool_put_artifact(c->spool, &run, inside, call->body, err);
	if (call->method != TS_TRACKING_GET)
		return ts_error_set(err, TS_UNSUPPORTED, "artifacts are put and got, and nothing else");
	ts_buf_reset(reply->out);
	reply->type = "application/octet-stream";
	return ts_spool_get_artifact(c->spool, &run, inside, reply->out, err);
}

/* -- addresses -- */

static const struct {
	const char *path; /* behind /api/2.0/mlflow/ */
	bool post;
	answer_fn *answer;
} calls[] = {
	{"experiments/create", true, create_experiment},
	{"experiments/get", false, get_experiment},
	{"experiments/get-by-name", false, get_experiment_by_name},
	{"experiments/search", true, search_experiments},
	{"experiments/search", false, search_experiments},
	{"runs/create", true, create_run},
	{"runs/get", false, get_run},
	{"runs/update", true, update_run},
	{"runs/search", true, search_runs},
	{"runs/delete", true, delete_run},
	{"runs/restore", true, restore_run},
	{"runs/log-metric", true, log_metric},
	{"runs/log-batch", true, log_batch},
	{"runs/log-parameter", true, log_param},
	{"runs/set-tag", true, set_tag},
	{"runs/delete-tag", true, delete_tag},
	{"runs/log-inputs", true, log_inputs},
	{"metrics/get-history", false, get_history},
	{"artifacts/list", false, list_of_run},
	{"logged-models/search", true, search_models},
	{"logged-models", true, create_model},
	{"runs/outputs", true, log_outputs},
};

static const char calls_begin[] = "/api/2.0/mlflow/";

bool ts_tracking_is(struct ts_span path)
{
	static const char *const begins[] = {"/api/2.0/", "/api/3.0/", "/ajax-api/"};

	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		if (ts_span_starts(path, ts_span_str(begins[i])))
			return true;
	return false;
}

bool ts_tracking_takes_files(struct ts_span path)
{
	return ts_span_starts(path, ts_span_str(artifacts_begin));
}

static enum ts_status answer_call(struct call *c, const struct ts_tracking_call *call, struct ts_tracking_reply *reply,
				  struct ts_error *err)
{
	struct ts_span path = call->path;

	if (ts_tracking_takes_files(path))
		return answer_artifact(c, call, reply, err);
	if (!ts_span_skip(&path, calls_begin))
		return no_such_call(call->path, err);
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (ts_span_is(path, calls[i].path) && calls[i].post == (call->method == TS_TRACKING_POST))
			return calls[i].answer(c, err);
	if (ts_span_skip(&path, "logged-models/"))
		return answer_model(c, call, path, err);
	return no_such_call(call->path, err);
}

/* -- the door -- */

static enum ts_status open_spool(struct ts_tracking *t, struct ts_error *err)
{
	enum ts_status status = TS_OK;

	pthread_mutex_lock(&t->lock);
	if (!t->spool) {
		status = ts_spool_open(t->wanted.folder, &t->spool, err);
		if (!status) {
			status = ts_tracking_push_start(t->spool, &t->wanted, &t->push, err);
			if (status) {
				ts_spool_close(t->spool);
				t->spool = NULL;
			}
		}
	}
	pthread_mutex_unlock(&t->lock);
	return status;
}

enum ts_status ts_tracking_open(const struct ts_tracking_wanted *wanted, struct ts_tracking **ret, struct ts_error *err)
{
	struct ts_tracking *t = ts_alloc(sizeof *t);

	if (!t)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for MLflow's clients");
	*t = (struct ts_tracking){.wanted = *wanted};
	pthread_mutex_init(&t->lock, NULL);
	*ret = t;
	if (ts_file_kind(wanted->folder) == TS_FILE_DIRECTORY) { /* something may be left that is to be pushed */
		struct ts_error said_later;

		(void)open_spool(t, &said_later);
	}
	return TS_OK;
}

bool ts_tracking_waits(struct ts_tracking *tracking)
{
	return tracking->spool && ts_spool_waits(tracking->spool);
}

void ts_tracking_close(struct ts_tracking *t)
{
	if (t->spool) {
		ts_tracking_push_stop(t->push);
		ts_spool_close(t->spool);
	}
	pthread_mutex_destroy(&t->lock);
	ts_free(t);
}

void ts_tracking_refuse(const struct ts_error *err, struct ts_tracking_reply *reply)
{
	static const struct {
		enum ts_status status;
		int http;
		const char *code;
	} codes[] = {{TS_INVALID, 400, "INVALID_PARAMETER_VALUE"},
		     {TS_TOO_LARGE, 400, "INVALID_PARAMETER_VALUE"},
		     {TS_NOT_FOUND, 404, "RESOURCE_DOES_NOT_EXIST"},
		     {TS_CONFLICT, 400, "RESOURCE_ALREADY_EXISTS"},
		     {TS_DENIED, 403, "PERMISSION_DENIED"},
		     {TS_UNSUPPORTED, 404, "ENDPOINT_NOT_FOUND"},
		     {TS_NO_MEMORY, 503, "TEMPORARILY_UNAVAILABLE"},
		     {TS_FULL, 503, "TEMPORARILY_UNAVAILABLE"},
		     {TS_UNAVAILABLE, 503, "TEMPORARILY_UNAVAILABLE"},
		     {TS_AMBIGUOUS, 400, "INVALID_STATE"}};
	struct ts_json j = ts_json_of(reply->out);
	const char *code = "INTERNAL_ERROR";

	reply->status = 500;
	reply->type = "application/json";
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (codes[i].status == err->status) {
			reply->status = codes[i].http;
			code = codes[i].code;
		}
	ts_buf_reset(reply->out);
	ts_json_object(&j);
	put_text(&j, "error_code", code);
	put_text(&j, "message", err->text);
	ts_json_end(&j);
}

void ts_tracking_answer(struct ts_tracking *t, const struct ts_tracking_call *call, struct ts_arena *arena,
			struct ts_tracking_reply *reply)
{
	struct call c = {.tracking = t, .arena = arena, .json = ts_json_of(reply->out)};
	struct ts_error err;
	enum ts_status status = open_spool(t, &err);

	reply->status = 200;
	reply->type = "application/json";
	if (status == TS_CONFLICT)
		status = err.status = TS_AMBIGUOUS; /* it is no experiment that exists, and asking again does not help */
	c.spool = t->spool;
	if (!status)
		status = ts_tracking_takes_files(call->path) ||
				 (call->method != TS_TRACKING_POST && call->method != TS_TRACKING_PATCH)
				 ? ts_tracking_query_read(call->query, arena, &c.body, &err)
				 : ts_tracking_body_read(call->body, arena, &c.body, &err);
	if (!status) {
		ts_json_object(&c.json);
		status = answer_call(&c, call, reply, &err);
		if (!status && strcmp(reply->type, "application/json") == 0)
			ts_json_end(&c.json);
	}
	if (status)
		ts_tracking_refuse(&err, reply);
}

const char *ts_tracking_run_name(struct ts_tracking *t, struct ts_span id, struct ts_arena *arena)
{
	struct ts_spool_run run;
	struct ts_span name;
	struct ts_error err;

	if (open_spool(t, &err) || ts_spool_run(t->spool, id, arena, &run, &err) ||
	    ts_spool_tag(t->spool, &run, TS_TRACKING_NAME_TAG, arena, &name, &err))
		return NULL;
	return name.len ? (const char *)name.data : NULL;
}
