/* tracking_models.c - see tracking_models.h. A model is kept as a document of the fields that calls have, and read as they are. */
#include "web/mlflow/tracking_models.h"

#include "base/number.h"
#include "base/system.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

enum { RUN_DIGITS = 32, OWN_DIGITS = 8, ID_BYTES = 2 + RUN_DIGITS + OWN_DIGITS, DOCUMENT_MAX = 1 << 20, FOLDER_MAX = 100 };

static const char pending[] = "LOGGED_MODEL_PENDING";

struct model {
	struct ts_spool_run run;
	struct ts_span key; /* of its own: the last digits of its id */
	struct ts_tracking_body said; /* name, type, status, path (its folder), start_ms (made), end_ms (changed), params, tags */
};

/* -- documents -- */

static void put(struct ts_json *j, const char *key, struct ts_span text)
{
	if (!text.len)
		return;
	ts_json_key(j, key);
	ts_json_span(j, text);
}

static void put_time(struct ts_json *j, const char *key, int64_t ms)
{
	ts_json_key(j, key);
	ts_json_i64(j, ms);
}

static void put_pairs(struct ts_json *j, const char *key, const struct ts_tracking_pair *pairs, size_t n)
{
	ts_json_key(j, key);
	ts_json_array(j);
	for (size_t i = 0; i < n; i++) {
		ts_json_object(j);
		ts_json_key(j, "key");
		ts_json_span(j, pairs[i].key);
		ts_json_key(j, "value");
		ts_json_span(j, pairs[i].value);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static void put_model(struct ts_json *j, const struct model *m, struct ts_arena *arena)
{
	const struct ts_tracking_body *b = &m->said;
	const char *id = ts_arena_printf(arena, "m-%s%.*s", m->run.id, TS_SPAN_ARG(m->key));
	const char *uri = ts_arena_printf(arena, "mlflow-artifacts:/%s/%s/artifacts/%.*s", m->run.experiment, m->run.id,
					  TS_SPAN_ARG(b->path));

	ts_json_key(j, "model");
	ts_json_object(j);
	ts_json_key(j, "info");
	ts_json_object(j);
	put(j, "model_id", ts_span_str(id ? id : ""));
	put(j, "experiment_id", ts_span_str(m->run.experiment));
	put(j, "name", b->name);
	put(j, "artifact_uri", ts_span_str(uri ? uri : ""));
	put_time(j, "creation_timestamp_ms", b->start_ms);
	put_time(j, "last_updated_timestamp_ms", b->end_ms);
	put(j, "status", b->status);
	put(j, "model_type", b->type);
	put(j, "source_run_id", ts_span_str(m->run.id));
	put_pairs(j, "tags", b->tags, b->n_tags);
	ts_json_end(j);
	ts_json_key(j, "data");
	ts_json_object(j);
	put_pairs(j, "params", b->params, b->n_params);
	ts_json_end(j);
	ts_json_end(j);
}

static enum ts_status keep(struct ts_spool *spool, const struct model *m, struct ts_error *err)
{
	const struct ts_tracking_body *b = &m->said;
	struct ts_buf out = TS_BUF_INIT(DOCUMENT_MAX);
	struct ts_json j = ts_json_of(&out);
	enum ts_status status;

	ts_json_object(&j);
	put(&j, "name", b->name);
	put(&j, "model_type", b->type);
	put(&j, "status", b->status);
	put(&j, "path", b->path);
	put_time(&j, "start_time", b->start_ms);
	put_time(&j, "end_time", b->end_ms);
	put_pairs(&j, "tags", b->tags, b->n_tags);
	put_pairs(&j, "params", b->params, b->n_params);
	ts_json_end(&j);
	status = ts_buf_check(&out, err);
	if (!status)
		status = ts_spool_put_model(spool, &m->run, m->key, ts_buf_view(&out), err);
	ts_buf_finish(&out);
	return status;
}

static enum ts_status find(struct ts_spool *spool, struct ts_span id, struct ts_arena *arena, struct model *ret, struct ts_error *err)
{
	struct ts_span text, shown = id;

	if (id.len != ID_BYTES || !ts_span_skip(&id, "m-") ||
	    ts_spool_run(spool, ts_span_part(id, 0, RUN_DIGITS), arena, &ret->run, err))
		return ts_error_set(err, TS_NOT_FOUND, "there is no model %s here", ts_show(shown).text);
	ret->key = ts_span_from(id, RUN_DIGITS);
	for (size_t i = 0; i < OWN_DIGITS; i++)
		if (!ts_is_alnum(ret->key.data[i]))
			return ts_error_set(err, TS_NOT_FOUND, "there is no model %s here", ts_show(shown).text);
	if (ts_spool_model(spool, &ret->run, ret->key, arena, &text, err))
		return err->status;
	return text.data ? ts_tracking_body_read(text, arena, &ret->said, err)
			 : ts_error_set(err, TS_NOT_FOUND, "there is no model %s here", ts_show(shown).text);
}

/* -- calls -- */

/* A folder of the run's artifacts that is the model's alone: that of its name, unless another model has it. */
static enum ts_status make_folder(struct ts_spool *spool, struct model *m, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_span name = ts_utf8_cut(m->said.name, FOLDER_MAX);
	char *folder = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(name));

	if (!folder)
		return ts_arena_error(arena, err);
	for (char *at = folder; *at; at++)
		if ((unsigned char)*at < ' ' || strchr("/\\:\"'%?#", *at))
			*at = '_';
	if (!*folder || *folder == '.')
		folder = ts_arena_printf(arena, "model%s", folder);
	if (folder && ts_spool_make_artifacts(spool, &m->run, ts_span_str(folder), err)) {
		if (err->status != TS_CONFLICT)
			return err->status;
		folder = ts_arena_printf(arena, "%s-%.*s", folder, TS_SPAN_ARG(m->key));
		if (folder && ts_spool_make_artifacts(spool, &m->run, ts_span_str(folder), err))
			return err->status;
	}
	if (!folder)
		return ts_arena_error(arena, err);
	m->said.path = ts_span_str(folder);
	return TS_OK;
}

enum ts_status ts_tracking_model_create(struct ts_spool *spool, const struct ts_tracking_body *body, int64_t now_ms, struct ts_json *j,
					struct ts_arena *arena, struct ts_error *err)
{
	struct model m = {.said = *body};
	uint32_t random;
	char key[OWN_DIGITS + 1];

	if (!body->run_id.len)
		return ts_error_set(err, TS_INVALID, "tscope keeps a model as artifacts of the run that made it; log it within a run");
	if (ts_spool_run(spool, body->run_id, arena, &m.run, err) || ts_system_random(&random, sizeof random, err))
		return err->status;
	(void)snprintf(key, sizeof key, "%0*" PRIx32, OWN_DIGITS, random);
	m.key = ts_span_str(key);
	m.said.status = ts_span_str(pending);
	m.said.start_ms = m.said.end_ms = now_ms;
	if (!m.said.name.len)
		m.said.name = ts_span_str("model");
	if (make_folder(spool, &m, arena, err) || keep(spool, &m, err))
		return err->status;
	put_model(j, &m, arena);
	return ts_arena_check(arena, err);
}

enum ts_status ts_tracking_model_get(struct ts_spool *spool, struct ts_span id, struct ts_json *j, struct ts_arena *arena,
				     struct ts_error *err)
{
	struct model m;

	if (find(spool, id, arena, &m, err))
		return err->status;
	put_model(j, &m, arena);
	return ts_arena_check(arena, err);
}

/* Appends the new pairs; of a key that is there the old value stays, or the new one takes its place. */
static enum ts_status merge(struct ts_tracking_pair **io_pairs, size_t *io_n, const struct ts_tracking_pair *more, size_t n_more,
			    bool replace, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_tracking_pair *all = ts_arena_array(arena, *io_n + n_more + 1, sizeof *all);
	size_t n = *io_n;

	if (!all)
		return ts_arena_error(arena, err);
	if (n)
		memcpy(all, *io_pairs, n * sizeof *all);
	for (size_t i = 0; i < n_more; i++) {
		size_t at = 0;

		while (at < n && !ts_span_eq(all[at].key, more[i].key))
			at++;
		if (at == n || replace)
			all[at] = more[i];
		n += at == n;
	}
	if (n > TS_TRACKING_PAIRS)
		return ts_error_set(err, TS_TOO_LARGE, "a model has at most %d params and tags of a kind", TS_TRACKING_PAIRS);
	*io_pairs = all;
	*io_n = n;
	return TS_OK;
}

enum ts_status ts_tracking_model_change(struct ts_spool *spool, struct ts_span id, const struct ts_tracking_body *body, int64_t now_ms,
					struct ts_json *j, struct ts_arena *arena, struct ts_error *err)
{
	struct model m;

	if (find(spool, id, arena, &m, err) ||
	    merge(&m.said.params, &m.said.n_params, body->params, body->n_params, false, arena, err) ||
	    merge(&m.said.tags, &m.said.n_tags, body->tags, body->n_tags, true, arena, err))
		return err->status;
	if (body->status.len)
		m.said.status = body->status;
	m.said.end_ms = now_ms;
	if (keep(spool, &m, err))
		return err->status;
	put_model(j, &m, arena);
	return ts_arena_check(arena, err);
}
