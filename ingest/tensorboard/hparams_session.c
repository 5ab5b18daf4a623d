#include "ingest/tensorboard/hparams_session.h"

#include "base/below.h"
#include "base/json_writer.h"
#include "base/path.h"
#include "ingest/facts/keys.h"
#include "ingest/tensorboard/summary_event.h"
#include "ingest/tensorboard/tfrecord.h"

#include <sys/stat.h>

enum { BYTES_MAX = 1 << 20, TAGS_MAX = 1024, SECONDS_DIGITS = 9 };

struct reading {
	struct ts_buf config, metrics;
	struct ts_json json; /* of the metrics */
	struct ts_keys tags;
	bool any_config;
	bool other; /* it has what a session of add_hparams does not have */
};

bool ts_hparams_session_name(const char *name)
{
	size_t seconds = strspn(name, "0123456789"), parts;

	if (seconds < SECONDS_DIGITS || name[seconds] != '.')
		return false;
	parts = strspn(name + seconds + 1, "0123456789");
	return parts > 0 && !name[seconds + 1 + parts];
}

static void take_value(struct reading *r, struct ts_span message)
{
	struct ts_event_value value;
	struct ts_tensor number;
	uint32_t before = r->tags.n;

	if (!ts_event_value_parts(message, &value)) {
		r->other = true;
		return;
	}
	if (ts_event_hparams(&value, &r->config)) {
		r->any_config = r->config.len > 0;
		return;
	}
	if (ts_event_number(&value, &number) != TS_TENSOR_NUMBER ||
	    ts_keys_get(&r->tags, TS_KEY_ROOT, value.tag) == TS_KEY_NONE || r->tags.n == before) {
		r->other = true;
		return;
	}
	ts_json_key_span(&r->json, value.tag);
	ts_json_double(&r->json, number.value);
}

static void read_events(struct reading *r, struct ts_tfrecord *t, struct ts_error *why)
{
	struct ts_span record, value;
	enum ts_tfrecord_end end = TS_TFRECORD_MORE;
	struct ts_event event;

	r->other |= t->size > BYTES_MAX;
	while (!r->other && !ts_tfrecord_next(t, &record, &end, why) && end == TS_TFRECORD_MORE) {
		if (!ts_event_parts(record, &event)) {
			r->other = true;
			return;
		}
		for (struct ts_pb pb = ts_pb_of(event.has_summary ? event.summary : ts_span_str("")); ts_event_next(&pb, &value);)
			take_value(r, value);
	}
	r->other |= end != TS_TFRECORD_END;
}

/* Reads the event files of the folder. TS_OK also if it is no session: r->other. */
static enum ts_status read_folder(struct reading *r, const char *top, const char *folder, struct ts_arena *arena, struct ts_error *err)
{
	char **names;
	size_t n;

	if (ts_below_list(top, folder, arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n && !r->other; i++) {
		const char *path = ts_path_join(arena, folder, names[i]);
		struct ts_tfrecord t;

		if (!path)
			return ts_arena_error(arena, err);
		if (!ts_event_file_name(names[i]) || ts_below_kind(top, path) != TS_FILE_REGULAR) {
			r->other = true;
			continue;
		}
		if (ts_tfrecord_open(&t, top, path, err))
			r->other = true;
		else
			read_events(r, &t, err);
		ts_tfrecord_close(&t);
	}
	return TS_OK;
}

static enum ts_status keep(struct reading *r, const char *name, struct ts_arena *arena, struct ts_hparams_session *ret_session,
			   struct ts_error *err)
{
	struct ts_hparams_session session = {.name = name, .metrics = ts_span_str("")};

	if (ts_buf_check(&r->config, err) || ts_buf_check(&r->metrics, err))
		return err->status;
	session.config = ts_arena_span(arena, ts_buf_view(&r->config));
	if (r->tags.n > 1)
		session.metrics = ts_arena_span(arena, ts_buf_view(&r->metrics));
	if (!session.config.data || !session.metrics.data)
		return ts_arena_error(arena, err);
	*ret_session = session;
	return TS_OK;
}

static enum ts_status read_session(const char *top, const char *folder, const char *name, struct ts_arena *arena,
				   struct ts_hparams_session *ret_session, struct ts_error *err)
{
	struct reading r = {.config = TS_BUF_INIT(BYTES_MAX * 8), .metrics = TS_BUF_INIT(BYTES_MAX * 8)};
	struct ts_error why = {.status = TS_OK};
	enum ts_status status;

	ts_keys_init(&r.tags, TAGS_MAX);
	r.json = ts_json_of(&r.metrics);
	ts_json_object(&r.json);
	status = read_folder(&r, top, folder, arena, &why);
	ts_json_end(&r.json);
	if (why.status == TS_NO_MEMORY || r.tags.no_memory || r.config.failed == TS_NO_MEMORY || r.metrics.failed == TS_NO_MEMORY)
		status = ts_error_set(err, TS_NO_MEMORY, "%s: out of memory", folder);
	else if (status != TS_TOO_LARGE)
		status = !status && r.any_config && !r.other ? keep(&r, name, arena, ret_session, err) : TS_OK;
	else
		*err = why;
	ts_keys_finish(&r.tags);
	ts_buf_finish(&r.config);
	ts_buf_finish(&r.metrics);
	return status;
}

static bool is_own_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

enum ts_status ts_hparams_session(const char *top, const char *directory, struct ts_arena *arena,
				  struct ts_hparams_session *ret_session, struct ts_error *err)
{
	const char *only = NULL, *name = NULL;
	char **names;
	size_t n, folders = 0;

	*ret_session = (struct ts_hparams_session){.name = NULL};
	if (ts_below_list(top, directory, arena, &names, &n, err))
		return err->status == TS_NO_MEMORY || err->status == TS_TOO_LARGE ? err->status : TS_OK;
	for (size_t i = 0; i < n; i++) {
		const char *path;

		if (!ts_hparams_session_name(names[i]))
			continue;
		path = ts_path_join(arena, directory, names[i]);
		if (!path)
			return ts_arena_error(arena, err);
		if (!is_own_folder(path))
			continue;
		folders++;
		only = path;
		name = names[i];
	}
	return folders == 1 ? read_session(top, only, name, arena, ret_session, err) : TS_OK;
}
